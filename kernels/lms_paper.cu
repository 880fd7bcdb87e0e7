// The least median of squares line as Shapira and Hassner find it on a GPU ("GPU-Based Computation of
// 2D Least Median of Squares", algorithm 1).
//
// lms_paper_duals          One thread per point: its dual line v = x u - y.
// lms_paper_crossings      One thread per pair of lines, in blocks of 8 x 8 that keep their lines in shared
//                          memory: where they cross.
// lms_paper_bracelets      One block per crossing, one thread for two lines: where each meets the vertical
//                          line through the crossing, sorted by a bitonic network. The bracelets that hang
//                          on the crossing, upwards and downwards, end h - 1 lines away.
// lms_paper_minimum        The shortest bracelet, by a reduction.
// lms_paper_collect        The crossings whose bracelet may be the shortest, allowing for rounding; they are
//                          settled in f64 (lms_settle.cu).
//
// What to expect: n^2 / 2 sorts of n numbers, each of log(n) (log(n) + 1) / 2 steps over shared memory
// with a barrier each: 45 steps of 131e3 blocks for 512 points, milliseconds.
//
// Differences from the published code. All pairs of lines are examined. A crossing is found among the sorted
// values by its value within the possible error of f32, not by equality. There is a barrier between all
// writes to shared memory and the reads after them. More than 2048 lines are sorted by 1024 threads in turns;
// a number of lines that is not a power of two is padded. Coordinates are in units of the set, relative to
// its first point.

#include "lms.cuh"

// Grid: one thread per point.
extern "C" __global__ void lms_paper_duals(const double2* points, const Set* sets, float2* lines) {
    const Set set = sets[0];
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= set.n) return;
    const double2 origin = points[set.start], p = points[set.start + k];
    lines[k] = make_float2((float)((p.x - origin.x) * set.across), (float)((p.y - origin.y) * set.up));
}

// Grid: blocks of CROSSING_SIDE x CROSSING_SIDE threads over all pairs of lines. The crossing of line i with
// an earlier line j is at i (i - 1) / 2 + j; for parallels it is NaN.
extern "C" __global__ void __launch_bounds__(CROSSING_SIDE* CROSSING_SIDE) lms_paper_crossings(
    const double2* points, const Set* sets, float2* crossings
) {
    __shared__ double2 rows[CROSSING_SIDE], columns[CROSSING_SIDE];
    const Set set = sets[0];
    const u32 i = blockIdx.y * CROSSING_SIDE + threadIdx.y, j = blockIdx.x * CROSSING_SIDE + threadIdx.x;
    const double2* own = points + set.start;
    if (threadIdx.y == 0 && j < set.n) columns[threadIdx.x] = own[j];
    if (threadIdx.x == 0 && i < set.n) rows[threadIdx.y] = own[i];
    __syncthreads();
    if (i >= set.n || j >= i) return;
    const double2 a = columns[threadIdx.x], b = rows[threadIdx.y], origin = own[0];
    const double dx = (b.x - a.x) * set.across, dy = (b.y - a.y) * set.up;
    const double u = dy / dx;
    const double v = u * ((a.x - origin.x) * set.across) - (a.y - origin.y) * set.up;
    const float none = __uint_as_float(0x7fc00000);
    crossings[(size_t)i * (i - 1) / 2 + j] = make_float2(dx > 0.0 ? (float)u : none, (float)v);
}

// The first of the sorted values that is not below `value`.
__device__ __forceinline__ u32 lower_bound(const float* sorted, u32 n, float value) {
    u32 from = 0, to = n;
    while (from < to) {
        const u32 middle = (from + to) / 2;
        if (sorted[middle] < value) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

// Grid: one block per crossing, of up to 1024 threads. Shared memory: `padded` values, a power of two that is
// at least n and at least twice the number of threads.
extern "C" __global__ void __launch_bounds__(BRACELET_THREADS) lms_paper_bracelets(
    const float2* lines, const Set* sets, const float2* crossings, u32 padded, float* bracelets
) {
    extern __shared__ float values[];
    const float infinite = __uint_as_float(0x7f800000);
    const u32 n = sets[0].n, h = sets[0].h;
    const float u = crossings[blockIdx.x].x, v = crossings[blockIdx.x].y;
    if (!(fabsf(u) < 1e30f)) {
        // Parallel, or too steep for f32; f64 will decide.
        if (threadIdx.x == 0) bracelets[blockIdx.x] = infinite;
        return;
    }
    for (u32 k = threadIdx.x; k < padded; k += blockDim.x) {
        values[k] = k < n ? __fmaf_rn(u, lines[k].x, -lines[k].y) : infinite;
    }
    for (u32 run = 2; run <= padded; run *= 2) {
        for (u32 apart = run / 2; apart; apart /= 2) {
            __syncthreads();
            for (u32 t = threadIdx.x; t < padded / 2; t += blockDim.x) {
                const u32 low = 2 * t - (t & (apart - 1)), high = low + apart;
                const float a = values[low], b = values[high];
                if ((a > b) == ((low & run) == 0)) {
                    values[low] = b;
                    values[high] = a;
                }
            }
        }
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    const u32 first = lower_bound(values, n, v - doubt(u));
    u32 end = lower_bound(values, n, v + doubt(u));
    while (end < n && values[end] <= v + doubt(u)) end++;
    float shortest = infinite;
    if (first + h <= n) shortest = values[first + h - 1] - v;
    if (end >= h) shortest = fminf(shortest, v - values[end - h]);
    bracelets[blockIdx.x] = fmaxf(shortest, 0.0f);
}

// Grid: any number of blocks. `minimum` must begin as the bits of infinity.
extern "C" __global__ void __launch_bounds__(REDUCERS) lms_paper_minimum(
    const float2* crossings, const float* bracelets, u32 count, u32* minimum
) {
    __shared__ float shared[REDUCERS];
    float least = __uint_as_float(0x7f800000);
    for (u32 k = blockIdx.x * REDUCERS + threadIdx.x; k < count; k += gridDim.x * REDUCERS) {
        // Whatever was rounded, the bracelet is not longer than this. For parallels this is NaN, which fminf
        // ignores.
        least = fminf(least, bracelets[k] + 2.0f * doubt(crossings[k].x));
    }
    shared[threadIdx.x] = least;
    for (u32 half = REDUCERS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            shared[threadIdx.x] = fminf(shared[threadIdx.x], shared[threadIdx.x + half]);
        }
    }
    // The bits of positive floats are in the order of the floats.
    if (threadIdx.x == 0) atomicMin(minimum, __float_as_uint(shared[0]));
}

// Grid: one thread per crossing.
extern "C" __global__ void lms_paper_collect(
    const float2* crossings, const float* bracelets, u32 count, const u32* minimum,
    const Set* sets, u32* counts, u32* candidates
) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    const float u = crossings[k].x;
    if (isnan(u)) return;
    const bool is_steep = !(fabsf(u) < 1e30f);
    if (!is_steep && bracelets[k] - 2.0f * doubt(u) > __uint_as_float(*minimum)) return;
    // The pair whose crossing this is.
    u32 i = (u32)((1.0 + sqrt(1.0 + 8.0 * (double)k)) / 2.0);
    while ((size_t)i * (i - 1) / 2 > k) i--;
    while ((size_t)(i + 1) * i / 2 <= k) i++;
    const u32 j = k - (u32)((size_t)i * (i - 1) / 2);
    candidates[sets[0].list + atomicAdd(&counts[0], 1)] = candidate(j, i) | ABOVE | BELOW;
}
