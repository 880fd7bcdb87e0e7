// Suppression of all bins that are not the maximum of their neighbourhood, and the winners among the rest.
//
// The first step finds for every bin the largest count nearby in its own row; a thread takes four bins, whose
// windows overlap widely. The bins that are the largest themselves are the candidates. A candidate is
// compared with that one number in each row around it, across seam and poles, nearest rows first: first by
// one thread for the nearest rows, four at a time, which leaves few candidates; then by a warp with one lane
// per row, since there are thousands of rows at the poles.
//
// Of equal bins the one with the lowest index ranks higher: a peak is a key of votes and inverted index, and
// no two keys are equal.
//
// Lower bound for 180 x 180 x 184 bins of four bytes, read once and written once: 48 MB, 12 us at 4 TB/s.

#include "vote.cuh"

// Rows around a bin that one thread examines, and how many at a time.
constexpr u32 LONG = 16;
constexpr u32 STEP = 4;

__device__ __forceinline__ u64 key(u32 votes, u32 index) { return (u64)votes << 32 | ~index; }

struct Table {
    const u32 *counts, *maxima;
    u32 bins;

    // The largest count near r in another row.
    __device__ __forceinline__ u32 most(u32 other, u32 r) const {
        return maxima[(other >> 1) * bins + (other & 1 ? bins - 1 - r : r)];
    }

    // Whether a bin of `most` votes in another row outranks one of `votes` in `row`. Earlier rows have lower
    // indices.
    static __device__ __forceinline__ bool outranks(u32 most, u32 other, u32 row, u32 votes) {
        return other >> 1 != row && (most > votes || (most == votes && other >> 1 < row));
    }
};

// Whether an earlier bin of the row, within `radius` bins of r, has as many votes.
__device__ __forceinline__ bool has_twin(const u32* votes, u32 r, u32 radius) {
    for (u32 i = r > radius ? r - radius : 0; i < r; i++) {
        if (votes[i] == votes[r]) return true;
    }
    return false;
}

// For every bin the largest count in its row within `radius` bins, at least one. Bins that are the largest
// themselves (of equal ones the first) and have at least `least` votes are appended to `candidates` in any
// order; there is room for as many as there can be. One thread for four bins of a row.
extern "C" __global__ void __launch_bounds__(PEAK_THREADS) row_maxima(
    const u32* counts, u32 rows, u32 bins, u32 radius, u32 least, u32* maxima, u32* candidates,
    u32* lengths
) {
    __shared__ u32 own[PEAK_THREADS * PEAK_BINS];
    __shared__ u32 length, place;
    if (threadIdx.x == 0) length = 0;
    __syncthreads();
    const u32 quads = (bins + PEAK_BINS - 1) / PEAK_BINS;
    const u64 quad = (u64)blockIdx.x * PEAK_THREADS + threadIdx.x;
    const u32 row = quad / quads;
    if (row < rows) {
        const int first = (int)(quad % quads * PEAK_BINS), last = (int)bins - 1, far = (int)radius;
        const u32* votes = counts + (size_t)row * bins;
        // Off the row this is the nearest bin of the row, which is in the window as well.
        auto at = [&](int i) { return votes[min(max(i, 0), last)]; };
        // The part that all four windows share.
        u32 most = 0;
#pragma unroll 4
        for (int i = first + 3 - far; i <= first + far; i++) most = max(most, at(i));
        u32 before[PEAK_BINS], after[PEAK_BINS];
        before[3] = after[0] = most;
        for (int j = 2; j >= 0; j--) before[j] = max(before[j + 1], at(first + j - far));
        for (int j = 1; j < 4; j++) after[j] = max(after[j - 1], at(first + j + far));
        for (int j = 0; j < 4; j++) {
            const int r = first + j;
            if (r > last) break;
            const u32 nearby = radius == 0 ? votes[r] : max(before[j], after[j]);
            maxima[(size_t)row * bins + r] = nearby;
            if (nearby >= least && votes[r] == nearby && !has_twin(votes, r, radius)) {
                own[atomicAdd(&length, 1)] = row * bins + r;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) place = atomicAdd(lengths + 2, length);
    __syncthreads();
    for (u32 i = threadIdx.x; i < length; i += PEAK_THREADS) candidates[place + i] = own[i];
}

// Appends the peaks to `found`, in any order, and undecided bins to `pending`. `lengths` counts both,
// including those for which there is no room, and the candidates. Threads take turns.
extern "C" __global__ void suppress(
    const u32* counts, const u32* maxima, u32 bins, const u32* near_start, const u32* near,
    const u32* candidates, u64* found, u32* pending, u32 room, u32* lengths
) {
    const Table table = {counts, maxima, bins};
    const u32 n = lengths[2];
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const u32 index = candidates[i];
        const u32 row = index / bins, r = index % bins, votes = counts[index];
        const u32 first = near_start[row], end = near_start[row + 1];
        bool left = true;
        for (u32 k = first; left && k < min(end, first + LONG); k += STEP) {
            u32 other[STEP], most[STEP];
            for (u32 step = 0; step < STEP; step++) {
                // The row itself serves as padding: it does not outrank itself.
                other[step] = k + step < end ? near[k + step] : row << 1;
                most[step] = table.most(other[step], r);
            }
            for (u32 step = 0; step < STEP; step++) {
                left = left && !Table::outranks(most[step], other[step], row, votes);
            }
        }
        if (!left) continue;
        const bool decided = end - first <= LONG;
        const u32 to = atomicAdd(lengths + (decided ? 0 : 1), 1);
        if (to >= room) continue;
        if (decided) {
            found[to] = key(votes, index);
        } else {
            pending[to] = index;
        }
    }
}

// Decides the pending bins: one warp per bin, one lane per row.
extern "C" __global__ void suppress_pending(
    const u32* counts, const u32* maxima, u32 bins, const u32* near_start, const u32* near,
    u64* found, const u32* pending, u32 room, u32* lengths
) {
    const u32 lane = threadIdx.x % WARP;
    const u32 warps = gridDim.x * blockDim.x / WARP;
    const Table table = {counts, maxima, bins};
    const u32 n = min(lengths[1], room);
    for (u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < n; i += warps) {
        const u32 index = pending[i];
        const u32 row = index / bins, r = index % bins, votes = counts[index];
        const u32 end = near_start[row + 1];
        bool outranked = false;
        for (u32 k = near_start[row] + LONG; k < end && !outranked; k += STEP * WARP) {
            bool here = false;
            for (u32 step = 0; step < STEP; step++) {
                const u32 at = k + step * WARP + lane;
                const u32 other = at < end ? near[at] : row << 1;
                here |= Table::outranks(table.most(other, r), other, row, votes);
            }
            outranked = __any_sync(ALL, here);
        }
        if (outranked || lane != 0) continue;
        const u32 to = atomicAdd(lengths, 1);
        if (to < room) found[to] = key(votes, index);
    }
}

// Winners come from the highest classes of votes that together hold enough of them. The class is the position
// of the highest bit of the votes and the seven bits after it.

__device__ __forceinline__ u32 vote_class(u64 peak) {
    const u32 votes = peak >> 32;
    const u32 bits = 31 - __clz(votes);
    return bits << 7 | ((votes << (31 - bits)) >> 24 & 127);
}

// Counts the peaks of each class.
extern "C" __global__ void __launch_bounds__(PEAK_THREADS) count_classes(
    const u64* found, const u32* length, u32 room, u32* classes
) {
    __shared__ u32 own[VOTE_CLASSES];
    for (u32 c = threadIdx.x; c < VOTE_CLASSES; c += PEAK_THREADS) own[c] = 0;
    __syncthreads();
    const u32 n = min(*length, room);
    for (u32 i = blockIdx.x * PEAK_THREADS + threadIdx.x; i < n; i += gridDim.x * PEAK_THREADS) {
        atomicAdd(own + vote_class(found[i]), 1);
    }
    __syncthreads();
    for (u32 c = threadIdx.x; c < VOTE_CLASSES; c += PEAK_THREADS) {
        if (own[c]) atomicAdd(classes + c, own[c]);
    }
}

// The lowest class needed for `wanted` peaks.
__device__ __forceinline__ u32 lowest_class(const u32* classes, u32 wanted) {
    __shared__ u32 sums[PEAK_THREADS];
    __shared__ u32 lowest;
    constexpr u32 SHARE = VOTE_CLASSES / PEAK_THREADS;
    u32 sum = 0;
    for (u32 c = 0; c < SHARE; c++) sum += classes[threadIdx.x * SHARE + c];
    sums[threadIdx.x] = sum;
    if (threadIdx.x == 0) lowest = 0;
    __syncthreads();
    u32 above = 0;
    for (u32 t = threadIdx.x + 1; t < PEAK_THREADS; t++) above += sums[t];
    if (above < wanted && above + sum >= wanted) {
        u32 c = threadIdx.x * SHARE + SHARE;
        while (above < wanted) above += classes[--c];
        lowest = c;
    }
    __syncthreads();
    return lowest;
}

// The peaks of the highest classes that hold `wanted` of them, in any order.
extern "C" __global__ void __launch_bounds__(PEAK_THREADS) select(
    const u64* found, const u32* length, u32 room, const u32* classes, u32 wanted, u64* chosen,
    u32 chosen_room, u32* chosen_length
) {
    const u32 lowest = lowest_class(classes, wanted);
    const u32 n = min(*length, room);
    for (u32 i = blockIdx.x * PEAK_THREADS + threadIdx.x; i < n; i += gridDim.x * PEAK_THREADS) {
        if (vote_class(found[i]) < lowest) continue;
        const u32 to = atomicAdd(chosen_length, 1);
        if (to < chosen_room) chosen[to] = found[i];
    }
}
