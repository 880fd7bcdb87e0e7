// Suppression of what is not the maximum of its neighbourhood, and the winners among what is left.
//
// The table is read once: a bin that has too few votes, or is not the maximum of its own row nearby,
// is done with; the few that remain look at the rows around, across seam and poles. Of equal bins the
// one with the lowest index is the greater: a peak is a key of votes and inverted index, and no two
// keys are equal.
//
// Floor for 180 x 180 x 184 bins of four bytes: 24 MB, 6 us at 4 TB/s.

#include "vote.cuh"

__device__ __forceinline__ u64 key(u32 votes, u32 index) { return (u64)votes << 32 | ~index; }

struct Table {
    const u32* counts;
    u32 bins, radius;

    // Whether a bin of a row around bin r of that row outranks a key.
    __device__ __forceinline__ bool outranks(u32 row, u32 r, u64 than) const {
        const u32 start = row * bins;
        const u32 last = min(r + radius, bins - 1);
        for (u32 i = r > radius ? r - radius : 0; i <= last; i++) {
            if (key(counts[start + i], start + i) > than) return true;
        }
        return false;
    }
};

// Appends the peaks to `found`, in any order; `length` counts all of them, also those for which
// there is no room. Grid: x over pieces of a row, y and z over rows.
extern "C" __global__ void suppress(
    const u32* counts, u32 rows, u32 bins, const u32* near_start, const u32* near, u32 radius,
    u32 least, u64* found, u32 room, u32* length
) {
    const u32 row = blockIdx.z * gridDim.y + blockIdx.y;
    const u32 r = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || r >= bins) return;
    const Table table = {counts, bins, radius};
    const u32 index = row * bins + r;
    const u32 votes = counts[index];
    const u64 own = key(votes, index);
    if (votes < least || table.outranks(row, r, own)) return;
    for (u32 n = near_start[row]; n < near_start[row + 1]; n++) {
        const u32 other = near[n];
        if (table.outranks(other >> 1, other & 1 ? bins - 1 - r : r, own)) return;
    }
    const u32 to = atomicAdd(length, 1);
    if (to < room) found[to] = own;
}

// Winners come from the highest classes of votes that together hold enough of them: seven bits after
// the first tell classes apart.
constexpr u32 CLASSES = 4096;
constexpr u32 THREADS = 256;

__device__ __forceinline__ u32 vote_class(u64 peak) {
    const u32 votes = peak >> 32;
    const u32 bits = 31 - __clz(votes);
    return bits << 7 | ((votes << (31 - bits)) >> 24 & 127);
}

// How many peaks there are of each class.
extern "C" __global__ void __launch_bounds__(THREADS) count_classes(
    const u64* found, const u32* length, u32 room, u32* classes
) {
    __shared__ u32 own[CLASSES];
    for (u32 c = threadIdx.x; c < CLASSES; c += THREADS) own[c] = 0;
    __syncthreads();
    const u32 n = min(*length, room);
    for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        atomicAdd(own + vote_class(found[i]), 1);
    }
    __syncthreads();
    for (u32 c = threadIdx.x; c < CLASSES; c += THREADS) {
        if (own[c]) atomicAdd(classes + c, own[c]);
    }
}

// The lowest class that is needed for `wanted` peaks.
__device__ __forceinline__ u32 lowest_class(const u32* classes, u32 wanted) {
    __shared__ u32 sums[THREADS];
    __shared__ u32 lowest;
    constexpr u32 SHARE = CLASSES / THREADS;
    u32 sum = 0;
    for (u32 c = 0; c < SHARE; c++) sum += classes[threadIdx.x * SHARE + c];
    sums[threadIdx.x] = sum;
    if (threadIdx.x == 0) lowest = 0;
    __syncthreads();
    u32 above = 0;
    for (u32 t = threadIdx.x + 1; t < THREADS; t++) above += sums[t];
    if (above < wanted && above + sum >= wanted) {
        u32 c = threadIdx.x * SHARE + SHARE;
        while (above < wanted) above += classes[--c];
        lowest = c;
    }
    __syncthreads();
    return lowest;
}

// The peaks of the highest classes that hold `wanted` of them, in any order.
extern "C" __global__ void __launch_bounds__(THREADS) select(
    const u64* found, const u32* length, u32 room, const u32* classes, u32 wanted, u64* chosen,
    u32 chosen_room, u32* chosen_length
) {
    const u32 lowest = lowest_class(classes, wanted);
    const u32 n = min(*length, room);
    for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        if (vote_class(found[i]) < lowest) continue;
        const u32 to = atomicAdd(chosen_length, 1);
        if (to < chosen_room) chosen[to] = found[i];
    }
}
