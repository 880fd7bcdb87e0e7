// The last steps of both versions of the least median of squares, in f64: candidates are measured, and the
// best one is picked by the order of src/lms/problem.rs, whatever the order of the candidates.
//
// lms_begin    Clears the state of all sets.
// lms_settle   One warp per candidate: the heights of the two slabs that hang on its pair, each the h-th
//              smallest rise, found by bisection; the least of all so far is kept in global memory.
// lms_pick     One block per set: the best of the slabs of the least height.
//
// What to expect: candidates are few, some hundreds of the 131e3 pairs of 512 points, and a warp finds a slab
// after some ten steps of a few hundred instructions: microseconds. If all points are collinear, every pair
// is a candidate, and it takes a fraction of a millisecond.

#include "lms.cuh"

// The height of a slab from the rise of its far side, both as bits.
__device__ __forceinline__ u64 height_of(u64 far, double dx) {
    return key_of(number_of(far) / dx);
}

// One thread per set: clears its state.
extern "C" __global__ void lms_begin(u32 sets, u32* counts, u64* best) {
    const u32 set = blockIdx.x * blockDim.x + threadIdx.x;
    if (set >= sets) return;
    counts[set] = 0;
    best[set] = INFINITE;
}

// Grid: blocks of whole warps along x, which share the candidates; sets along y. `rises` has room for two
// numbers per candidate.
extern "C" __global__ void __launch_bounds__(SETTLERS) lms_settle(
    const double2* points, const Set* sets, const u32* counts, const u32* candidates, u64* best,
    u64* rises
) {
    const Set set = sets[blockIdx.y];
    const u32 count = counts[blockIdx.y];
    const u32 lane = threadIdx.x % WARP, warps = gridDim.x * (blockDim.x / WARP);
    for (u32 c = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; c < count; c += warps) {
        const u32 pair = candidates[set.list + c];
        const double2* own = points + set.start;
        const double2 a = own[first_of(pair)], b = own[second_of(pair)];
        const double dx = b.x - a.x;
        for (u32 below = 0; below < 2; below++) {
            if (!(pair & (below ? BELOW : ABOVE))) {
                if (lane == 0) rises[2 * ((size_t)set.list + c) + below] = ~0ull;
                continue;
            }
            const Rises slab = {own, a, dx, b.y - a.y, below ? -1.0 : 1.0};
            // Any height that was the least at some time is a limit that loses nothing, but all lanes must
            // use the same limit.
            u64 least = *(volatile u64*)&best[blockIdx.y];
            least = __shfl_sync(ALL, least, 0);
            const u64 far = slab.far_side(set.n, set.h, number_of(least));
            if (lane == 0) {
                rises[2 * ((size_t)set.list + c) + below] = far;
                if (far != ~0ull) atomicMin(&best[blockIdx.y], height_of(far, dx));
            }
        }
    }
}

// Whether `a` comes before `b` in the order in which slabs are preferred.
__device__ __forceinline__ bool precedes(const Winner& a, const Winner& b) {
    if (a.height != b.height) return a.height < b.height;
    if (fabs(a.slope) != fabs(b.slope)) return fabs(a.slope) < fabs(b.slope);
    if (a.intercept != b.intercept) return a.intercept < b.intercept;
    if (a.slope != b.slope) return a.slope < b.slope;
    if (a.i != b.i) return a.i < b.i;
    if (a.j != b.j) return a.j < b.j;
    return a.below < b.below;
}

// Grid: one block per set. Unless these are the `first` candidates of a set, `winners` holds the best of the
// earlier ones. Afterwards the list of candidates is empty, and after the `last` candidates the state of the
// set is cleared for the next search.
extern "C" __global__ void __launch_bounds__(PICKERS) lms_pick(
    const double2* points, const Set* sets, u32* counts, const u32* candidates, u64* best,
    const u64* rises, u32 first, u32 last, Winner* winners
) {
    __shared__ Winner shared[PICKERS];
    const Set set = sets[blockIdx.x];
    const u32 count = counts[blockIdx.x];
    const u64 least = best[blockIdx.x];
    Winner own = {number_of(INFINITE), 0.0, 0.0, 0, 0, 0, 0};
    if (!first) own = winners[blockIdx.x];
    for (u32 e = threadIdx.x; e < 2 * count; e += PICKERS) {
        const u64 far = rises[2 * (size_t)set.list + e];
        if (far == ~0ull) continue;
        const u32 pair = candidates[set.list + e / 2];
        const u32 i = first_of(pair), j = second_of(pair), below = e % 2;
        const double2 a = points[set.start + i], b = points[set.start + j];
        const double dx = b.x - a.x, dy = b.y - a.y;
        if (height_of(far, dx) != least) continue;
        const double magnitude = number_of(far);
        const double at_zero = a.y * dx - a.x * dy, rise = below ? -magnitude : magnitude;
        const Winner found = {magnitude / dx, dy / dx, (2.0 * at_zero + rise) / (2.0 * dx),
                              i,              j,       below,
                              0};
        if (precedes(found, own)) own = found;
    }
    shared[threadIdx.x] = own;
    for (u32 half = PICKERS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && precedes(shared[threadIdx.x + half], shared[threadIdx.x])) {
            shared[threadIdx.x] = shared[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        winners[blockIdx.x] = shared[0];
        counts[blockIdx.x] = 0;
        if (last) best[blockIdx.x] = INFINITE;
    }
}
