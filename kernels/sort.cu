// Points in groups of neighbours: keys along a curve, a stable radix sort of keys with indices, and the
// groups with their boxes.
//
// A pass of the sort takes eight bits: a histogram of every tile, a scan over all of them, digit by digit,
// and a scatter in which each warp ranks its keys with match_any. In each pass, each key is read twice and
// written once.

#include "curve.cuh"

constexpr int INT_MAX = 0x7fffffff, INT_MIN = -INT_MAX - 1;
constexpr u32 TILE = SORT_THREADS * SORT_ITEMS;
constexpr u32 DIGITS = 1 << SORT_DIGIT_BITS;
constexpr u32 WARPS = SORT_THREADS / WARP;

// The place of a cell along Hilbert's curve through 2^bits cells per axis.
//
// After Skilling, "Programming the Hilbert curve" (2004). Unlike Morton's curve it never jumps: a group of
// consecutive points is compact. On the street, 20 % of the groups straddle a bin, not 22 %.
__device__ __forceinline__ u64 hilbert(u32 x, u32 y, u32 z, u32 bits) {
    u32 c[3] = {x, y, z};
    const u32 top = 1u << (bits - 1);
    for (u32 q = top; q > 1; q >>= 1) {
        const u32 below = q - 1;
#pragma unroll
        for (int a = 0; a < 3; a++) {
            const u32 swap = (c[0] ^ c[a]) & below;
            if (c[a] & q) {
                c[0] ^= below;
            } else {
                c[0] ^= swap;
                c[a] ^= swap;
            }
        }
    }
    c[1] ^= c[0];
    c[2] ^= c[1];
    u32 flip = 0;
    for (u32 q = top; q > 1; q >>= 1) {
        if (c[2] & q) flip ^= q - 1;
    }
    return spread(c[0] ^ flip) << 2 | spread(c[1] ^ flip) << 1 | spread(c[2] ^ flip);
}

// Keys of points along Hilbert's curve, for coordinates from `low` on in cells of 2^shift steps.
extern "C" __global__ void curve_keys(
    const float* x, const float* y, const float* z, u32 points, float3 low, u32 shift, u32 bits,
    u64* keys, u32* indices
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    keys[i] = hilbert(
        (u32)(x[i] - low.x) >> shift, (u32)(y[i] - low.y) >> shift, (u32)(z[i] - low.z) >> shift, bits
    );
    indices[i] = i;
}

// The box of the points: smallest x, y, z and largest x, y, z, in steps; `box` must begin as an empty box.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) bounding_box(
    const float* x, const float* y, const float* z, u32 points, int* box
) {
    int low[3] = {INT_MAX, INT_MAX, INT_MAX}, high[3] = {INT_MIN, INT_MIN, INT_MIN};
    for (u32 i = blockIdx.x * SORT_THREADS + threadIdx.x; i < points; i += gridDim.x * SORT_THREADS) {
        const int p[3] = {(int)x[i], (int)y[i], (int)z[i]};
        for (int a = 0; a < 3; a++) {
            low[a] = min(low[a], p[a]);
            high[a] = max(high[a], p[a]);
        }
    }
    for (int a = 0; a < 3; a++) {
        for (u32 d = WARP / 2; d > 0; d /= 2) {
            low[a] = min(low[a], __shfl_xor_sync(ALL, low[a], d));
            high[a] = max(high[a], __shfl_xor_sync(ALL, high[a], d));
        }
        if (threadIdx.x % WARP == 0) {
            atomicMin(box + a, low[a]);
            atomicMax(box + 3 + a, high[a]);
        }
    }
}

// How often each digit occurs in each tile: counts[digit * tiles + tile].
extern "C" __global__ void __launch_bounds__(SORT_THREADS) radix_histogram(
    const u64* keys, u32 n, u32 shift, u32* counts
) {
    __shared__ u32 histogram[DIGITS];
    histogram[threadIdx.x] = 0;
    __syncthreads();
    const u32 first = blockIdx.x * TILE;
    for (u32 k = 0; k < SORT_ITEMS; k++) {
        const u32 i = first + k * SORT_THREADS + threadIdx.x;
        if (i < n) atomicAdd(histogram + (u32)(keys[i] >> shift) % DIGITS, 1);
    }
    __syncthreads();
    counts[threadIdx.x * gridDim.x + blockIdx.x] = histogram[threadIdx.x];
}

// The sum of `v` over the lanes up to and including this one.
__device__ __forceinline__ u32 scan_warp(u32 v) {
    const u32 lane = threadIdx.x % WARP;
    for (u32 d = 1; d < WARP; d *= 2) {
        const u32 before = __shfl_up_sync(ALL, v, d);
        if (lane >= d) v += before;
    }
    return v;
}

// The sum of `v` over the threads before this one; `total` becomes that over all threads.
__device__ __forceinline__ u32 scan_block(u32 v, u32* total) {
    __shared__ u32 sums[WARPS];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const u32 inclusive = scan_warp(v);
    __syncthreads();
    if (lane == WARP - 1) sums[warp] = inclusive;
    __syncthreads();
    u32 before = 0, all = 0;
    for (u32 w = 0; w < WARPS; w++) {
        before += w < warp ? sums[w] : 0;
        all += sums[w];
    }
    *total = all;
    return before + inclusive - v;
}

// Replaces each tile of `values` by its exclusive prefix sums, and writes the tile's total.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) scan_tiles(u32* values, u32 n, u32* totals) {
    const u32 first = blockIdx.x * TILE + threadIdx.x * SORT_ITEMS;
    u32 own[SORT_ITEMS], sum = 0, total;
    for (u32 k = 0; k < SORT_ITEMS; k++) {
        own[k] = first + k < n ? values[first + k] : 0;
        sum += own[k];
    }
    u32 before = scan_block(sum, &total);
    for (u32 k = 0; k < SORT_ITEMS; k++) {
        if (first + k < n) values[first + k] = before;
        before += own[k];
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

// The same for the totals, in one block.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) scan_totals(u32* totals, u32 n) {
    u32 before = 0;
    for (u32 first = 0; first < n; first += SORT_THREADS) {
        const u32 i = first + threadIdx.x;
        u32 all;
        const u32 sum = scan_block(i < n ? totals[i] : 0, &all);
        if (i < n) totals[i] = before + sum;
        before += all;
    }
}

// Adds to each tile the total of the tiles before it.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) scan_add(u32* values, u32 n, const u32* totals) {
    const u32 before = totals[blockIdx.x];
    const u32 first = blockIdx.x * TILE;
    for (u32 k = 0; k < SORT_ITEMS; k++) {
        const u32 i = first + k * SORT_THREADS + threadIdx.x;
        if (i < n) values[i] += before;
    }
}

// Moves keys and values to their places: `starts[digit * tiles + tile]` is the place of the first key with a
// digit in a tile. Keys with equal digits keep their order.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) radix_scatter(
    const u64* keys, const u32* values, u32 n, u32 shift, const u32* starts, u64* sorted_keys,
    u32* sorted_values
) {
    __shared__ u32 counts[WARPS][DIGITS];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (u32 w = 0; w < WARPS; w++) counts[w][threadIdx.x] = 0;
    __syncthreads();
    const u32 first = blockIdx.x * TILE + warp * (SORT_ITEMS * WARP) + lane;
    u64 key[SORT_ITEMS];
    u32 rank[SORT_ITEMS];
    for (u32 k = 0; k < SORT_ITEMS; k++) {
        const u32 i = first + k * WARP;
        const bool there = i < n;
        key[k] = there ? keys[i] : 0;
        const u32 digit = there ? (u32)(key[k] >> shift) % DIGITS : DIGITS;
        const u32 peers = __match_any_sync(ALL, digit);
        const u32 leader = __ffs(peers) - 1;
        u32 before = 0;
        if (there && lane == leader) {
            before = counts[warp][digit];
            counts[warp][digit] = before + __popc(peers);
        }
        rank[k] = __shfl_sync(ALL, before, leader) + __popc(peers & ((1u << lane) - 1));
        __syncwarp();
    }
    __syncthreads();
    // Where each warp's keys of a digit begin.
    u32 start = starts[threadIdx.x * gridDim.x + blockIdx.x];
    for (u32 w = 0; w < WARPS; w++) {
        const u32 own = counts[w][threadIdx.x];
        counts[w][threadIdx.x] = start;
        start += own;
    }
    __syncthreads();
    for (u32 k = 0; k < SORT_ITEMS; k++) {
        const u32 i = first + k * WARP;
        if (i >= n) continue;
        const u32 to = counts[warp][(u32)(key[k] >> shift) % DIGITS] + rank[k];
        sorted_keys[to] = key[k];
        sorted_values[to] = values[i];
    }
}

// The points in their new order, and the box of every whole group; one warp per group, two points per lane.
extern "C" __global__ void group_points(
    const float* x, const float* y, const float* z, const u32* order, u32 points, float* to_x,
    float* to_y, float* to_z, float4* low, float4* high
) {
    const u32 pair = blockIdx.x * blockDim.x + threadIdx.x;
    const float* from[3] = {x, y, z};
    float* to[3] = {to_x, to_y, to_z};
    float least[3], most[3];
    for (u32 i = 2 * pair; i < min(2 * pair + 2, points); i++) {
        for (int a = 0; a < 3; a++) {
            const float v = from[a][order[i]];
            to[a][i] = v;
            least[a] = i % 2 == 0 ? v : fminf(least[a], v);
            most[a] = i % 2 == 0 ? v : fmaxf(most[a], v);
        }
    }
    if (__ballot_sync(ALL, 2 * pair + 1 < points) != ALL) return;
    for (int a = 0; a < 3; a++) {
        for (u32 d = WARP / 2; d > 0; d /= 2) {
            least[a] = fminf(least[a], __shfl_xor_sync(ALL, least[a], d));
            most[a] = fmaxf(most[a], __shfl_xor_sync(ALL, most[a], d));
        }
    }
    if (pair % WARP == 0) {
        low[pair / WARP] = make_float4(least[0], least[1], least[2], 0.0f);
        high[pair / WARP] = make_float4(most[0], most[1], most[2], 0.0f);
    }
}
