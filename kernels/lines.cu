// From a list of edges to sorted lines: our vote for lists, how much each bin exceeds chance, and the bins
// that stand out, best first.
//
// vote_list_6, _4, _2, _1  A block has some rows in shared memory and takes a share of the list; an edge is read
//                       once for all of its rows.
// score_bins            The bins that exceed chance by enough and are the best around.
// rank_bins             Their places, which sort the list.
//
// The list comes in diagonals of tiles of 32 x 32 pixels: the lanes of a warp vote for different bins of a
// row whatever its direction, except along a line.
//
// Lower bound for 1920 x 1080 pixels, 5.9 % edges and 180 rows: 22 million votes, 10 us at the 2.3e12 votes
// per second that atomics in shared memory allow.

#include "edges.cuh"

// 2^23, whose last place is one. An integer below it, OR-ed into its bits, becomes a float without a
// conversion. Added to a float, rounding down, it leaves the floor in the low bits.
constexpr float SHIFTER = 8388608.0f;
constexpr u32 SHIFTED_ZERO = 0x4b000000u;

template <u32 ROWS>
__device__ __forceinline__ void vote_list(
    const u32* list, u32 n, float origin_x, float origin_y, Rows space
) {
    extern __shared__ u32 votes[];
    const u32 first_row = blockIdx.x * ROWS;
    for (u32 i = threadIdx.x; i < ROWS * space.bins; i += blockDim.x) votes[i] = 0;
    // All rows have the same shift, and a pixel has no z: the last step of `position` adds nothing.
    float2 t[ROWS];
#pragma unroll
    for (u32 k = 0; k < ROWS; k++) {
        const float4 row = space.table[min(first_row + k, space.rows - 1)];
        t[k] = make_float2(row.x, row.y);
    }
    const float shift = space.table[0].w;
    __syncthreads();
    // Shares are whole warps.
    const u32 share = (n / gridDim.y / WARP + 1) * WARP;
    const u32 end = min(n, (blockIdx.y + 1) * share);
    const float from_x = SHIFTER + origin_x, from_y = SHIFTER + origin_y;
#pragma unroll 2
    for (u32 i = blockIdx.y * share + threadIdx.x; i < end; i += blockDim.x) {
        const u32 pixel = list[i];
        const float x = __uint_as_float(SHIFTED_ZERO | (pixel & 0xffff)) - from_x;
        const float y = __uint_as_float(SHIFTED_ZERO | pixel >> 16) - from_y;
#pragma unroll
        for (u32 k = 0; k < ROWS; k++) {
            // Off the axis the number is not below the number of bins: it wraps around below zero.
            const float at = __fadd_rd(__fmaf_rn(y, t[k].y, __fmaf_rn(x, t[k].x, shift)), SHIFTER);
            const u32 r = __float_as_uint(at) - SHIFTED_ZERO;
            if (r < space.bins) atomicAdd(votes + k * space.bins + r, 1);
        }
    }
    __syncthreads();
    const u32 rows = min(ROWS, space.rows - first_row);
    u32* to = space.counts + (size_t)first_row * space.bins;
    for (u32 i = threadIdx.x; i < rows * space.bins; i += blockDim.x) {
        if (votes[i]) atomicAdd(to + i, votes[i]);
    }
}

// Grid: x over groups of rows, y over shares of the list. The counts must begin as zeros. Shared memory: the
// bins of the rows.
#define VOTE_LIST(NAME, ROWS)                                                                    \
    extern "C" __global__ void __launch_bounds__(LIST_VOTERS, LIST_BLOCKS) NAME(                                  \
        const u32* list, const u32* lengths, int origin_x, int origin_y, const float4* table,    \
        u32 rows, u32 bins, u32* counts                                                          \
    ) {                                                                                          \
        vote_list<ROWS>(                                                                         \
            list, *lengths, (float)origin_x, (float)origin_y, Rows{table, rows, bins, counts}     \
        );                                                                                       \
    }
VOTE_LIST(vote_list_6, 6)
VOTE_LIST(vote_list_4, 4)
VOTE_LIST(vote_list_2, 2)
VOTE_LIST(vote_list_1, 1)

// The counts of a space and those expected by chance: src/lines/chance.rs.
struct Scores {
    const u32 *counts, *areas;
    u32 rows, bins;
    // Share of the pixels that are edges.
    double density;

    __device__ __forceinline__ double excess(u32 index) const {
        return (double)counts[index] - density * (double)areas[index];
    }

    __device__ __forceinline__ double z(u32 index) const {
        const double area = (double)areas[index];
        const double deviation = sqrt(density * (1.0 - density) * area + 4.0);
        return ((double)counts[index] - density * area) / deviation;
    }

    // The same if it is at least `least`; otherwise some number below it. A deviation is at least two, so
    // most bins are decided without computing one.
    __device__ __forceinline__ double z_from(u32 index, double least) const {
        return excess(index) < 2.0 * least ? -1.0 : z(index);
    }
};

// Bins along a side of the square in which a bin must be the best.
constexpr u32 AROUND_SIDE = 2 * AROUND + 1;

// Whether the k-th bin of the square around a bin has a larger z, or the same z and a lower index:
// src/lines/peaks.rs.
__device__ __forceinline__ bool is_outdone(Scores scores, double least, u32 index, double here, u32 k) {
    const int rows = (int)scores.rows, bins = (int)scores.bins;
    int row = (int)(index / scores.bins) + (int)(k / AROUND_SIDE) - AROUND, r = (int)(index % scores.bins);
    // Across the seam, as in src/space/half_turn.rs.
    if (row < 0 || row >= rows) {
        row = (row % rows + rows) % rows;
        r = bins - 1 - r;
    }
    r += (int)(k % AROUND_SIDE) - AROUND;
    if (r < 0 || r >= bins) return false;
    const u32 other = (u32)(row * bins + r);
    const double there = scores.z_from(other, least);
    return there > here || (there == here && other < index);
}

// A bin that stands out: the bits of its z; then its votes in the upper half and its index in the lower.
typedef ulonglong2 Bin;

// Appends to `found`, in any order, the bins whose z is at least `least` (which is positive) and the largest
// around. `lengths` holds the number of edges, which all vote in each row, and the number of bins found,
// including those for which there is no room. `pixels` is the size of the image. One thread per bin.
extern "C" __global__ void __launch_bounds__(BIN_THREADS) score_bins(
    const u32* counts, const u32* areas, u32 rows, u32 bins, double pixels, double least, Bin* found, u32 room,
    u32* lengths
) {
    __shared__ double z[BIN_THREADS];
    __shared__ u32 candidates[BIN_THREADS];
    __shared__ u32 n;
    const Scores scores = {counts, areas, rows, bins, (double)lengths[0] / pixels};
    const u32 first = blockIdx.x * BIN_THREADS, t = threadIdx.x, own = first + t;
    const double here = own < rows * bins ? scores.z_from(own, least) : -1.0;
    z[t] = here;
    if (t == 0) n = 0;
    __syncthreads();
    // A bin that another of the same row and block beats need not be compared further.
    bool is_best = here >= least;
    for (int d = -AROUND; is_best && d <= AROUND; d++) {
        const u32 other = t + d;
        if (other >= BIN_THREADS || (first + other) / bins != own / bins) continue;
        is_best = z[other] < here || (z[other] == here && d >= 0);
    }
    if (is_best) candidates[atomicAdd(&n, 1)] = own;
    __syncthreads();
    // One warp per candidate; each lane checks two of the bins around it.
    const u32 lane = t % WARP;
    for (u32 i = t / WARP; i < n; i += BIN_THREADS / WARP) {
        const u32 index = candidates[i];
        const double here = z[index - first];
        bool outdone = is_outdone(scores, least, index, here, lane);
        if (lane + WARP < AROUND_SIDE * AROUND_SIDE) outdone |= is_outdone(scores, least, index, here, lane + WARP);
        if (__any_sync(ALL, outdone) || lane != 0) continue;
        const u32 to = atomicAdd(lengths + 1, 1);
        if (to < room) found[to] = make_ulonglong2(__double_as_longlong(here), (u64)counts[index] << 32 | index);
    }
}

// Puts every bin into its place: by z, the largest first, then by index. Blocks of BIN_THREADS take turns.
extern "C" __global__ void __launch_bounds__(BIN_THREADS) rank_bins(
    const Bin* found, const u32* lengths, u32 room, Bin* sorted
) {
    __shared__ Bin others[BIN_THREADS];
    const u32 n = min(lengths[1], room);
    for (u32 first = blockIdx.x * BIN_THREADS; first < n; first += gridDim.x * BIN_THREADS) {
        const u32 i = first + threadIdx.x;
        const Bin own = i < n ? found[i] : make_ulonglong2(0, 0);
        u32 before = 0;
        for (u32 from = 0; from < n; from += BIN_THREADS) {
            const u32 count = min(BIN_THREADS, n - from);
            __syncthreads();
            if (threadIdx.x < count) others[threadIdx.x] = found[from + threadIdx.x];
            __syncthreads();
            for (u32 k = 0; k < count; k++) {
                // The bits of positive floats are in the order of the floats.
                const Bin other = others[k];
                before += other.x > own.x || (other.x == own.x && (u32)other.y < (u32)own.y);
            }
        }
        if (i < n) sorted[before] = own;
    }
}
