// The cloud in cells: how many cells there are of each size, the points cell by cell, and the exact sums of
// each cell; the twin of src/cpu/{count,cut}.rs.
//
// Keys are sorted by kernels/sort.cu; the passes around the sort are here. Each reads its keys or points
// once, so the lower bound is the bytes: about 32 per point for each pass of the sort, 20 here.

#include "curve.cuh"

typedef long long i64;

// Makes local coordinates positive.
constexpr int OFFSET = 1 << (COORDINATE_BITS - 1);

__device__ __forceinline__ u32 positive(float v) { return (u32)((int)v + OFFSET); }

// Morton keys of the points in cells of the given edge.
extern "C" __global__ void cell_keys(
    const float* x, const float* y, const float* z, const u32* order, u32 points, u32 edge, u64* keys
) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= points) return;
    const u32 i = order[k];
    keys[k] = morton(positive(x[i]) / edge, positive(y[i]) / edge, positive(z[i]) / edge);
}

// The numbers from zero on.
extern "C" __global__ void iota(u32 n, u32* numbers) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) numbers[i] = i;
}

// Keys that order the points of one cell: their coordinates within it, x first, of `bits` each.
extern "C" __global__ void place_keys(
    const float* x, const float* y, const float* z, u32 points, u32 edge, u32 bits, u64* keys,
    u32* order
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    const u64 in_x = positive(x[i]) % edge, in_y = positive(y[i]) % edge, in_z = positive(z[i]) % edge;
    keys[i] = in_x << 2 * bits | in_y << bits | in_z;
    order[i] = i;
}

// One for the first of equal keys, zero for the others, and a zero at the end.
extern "C" __global__ void heads(const u64* keys, u32 n, u32* flags) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    flags[i] = i < n && (i == 0 || keys[i] != keys[i - 1]);
}

// The first of equal keys and their positions; `places` are the exclusive prefix sums of `heads`.
extern "C" __global__ void compact(
    const u64* keys, u32 n, const u32* places, u64* firsts, u32* starts
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || places[i] == places[i + 1]) return;
    firsts[places[i]] = keys[i];
    starts[places[i]] = i;
}

// The smallest number of doublings at which two finest cells become one; DOUBLINGS if they never do.
__device__ __forceinline__ u32 joined(u64 a, u64 b) {
    return a == b ? 0 : (63 - __clzll(a ^ b)) / 3 + 1;
}

// For each number of doublings b: `first[b]` counts the keys that join the previous one at b, and
// `crowded[b]` those whose cell has more than `full` keys from b on. Keys are distinct and sorted.
extern "C" __global__ void count_levels(
    const u64* keys, u32 n, u32 full, u32* first, u32* crowded
) {
    __shared__ u32 own[2][DOUBLINGS + 1];
    for (u32 b = threadIdx.x; b < 2 * (DOUBLINGS + 1); b += blockDim.x) own[0][b] = 0;
    __syncthreads();
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const u64 key = keys[i];
        if (i > 0) atomicAdd(own[0] + joined(keys[i - 1], key), 1);
        // The cell of a key is crowded once full + 1 consecutive keys, including its own, are in one cell.
        u32 least = DOUBLINGS;
        for (u32 k = 0; k <= full; k++) {
            if (i < k || i - k + full >= n) continue;
            least = min(least, joined(keys[i - k], keys[i - k + full]));
        }
        atomicAdd(own[1] + least, 1);
    }
    __syncthreads();
    for (u32 b = threadIdx.x; b <= DOUBLINGS; b += blockDim.x) {
        if (own[0][b]) atomicAdd(first + b, own[0][b]);
        if (own[1][b]) atomicAdd(crowded + b, own[1][b]);
    }
}

// The points in their new order.
extern "C" __global__ void gather_points(
    const float* x, const float* y, const float* z, const u32* order, u32 points, float* to_x,
    float* to_y, float* to_z
) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= points) return;
    const u32 i = order[k];
    to_x[k] = x[i];
    to_y[k] = y[i];
    to_z[k] = z[i];
}

// One for the first of equal points, zero for its copies, and a zero at the end. Points of a cell are ordered
// by their places, so copies are consecutive.
extern "C" __global__ void point_heads(
    const float* x, const float* y, const float* z, u32 points, u32* flags
) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k > points) return;
    flags[k] = k < points
            && (k == 0 || x[k] != x[k - 1] || y[k] != y[k - 1] || z[k] != z[k - 1]);
}

// The first of equal points; `places` are the exclusive prefix sums of `point_heads`.
extern "C" __global__ void distinct_points(
    const float* x, const float* y, const float* z, u32 points, const u32* places, float* to_x,
    float* to_y, float* to_z
) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= points || places[k] == places[k + 1]) return;
    to_x[places[k]] = x[k];
    to_y[places[k]] = y[k];
    to_z[places[k]] = z[k];
}

// Where the cells begin among the distinct points.
extern "C" __global__ void distinct_starts(
    const u32* starts, u32 cells, const u32* places, u32* to
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) to[i] = places[starts[i]];
}

// Sums over the points of each cell, all of them distinct, relative to its corner, in units of `steps`: their
// number, x, y, z, xx, xy, xz, yy, yz, zz. CELL_THREADS threads per cell.
extern "C" __global__ void cell_moments(
    const float* x, const float* y, const float* z, const u32* starts, u32 cells, u32 points,
    u32 edge, u32 steps, i64* moments
) {
    const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u32 cell = thread / CELL_THREADS, lane = thread % CELL_THREADS;
    const bool there = cell < cells;
    const u32 first = there ? starts[cell] : 0;
    const u32 end = !there ? 0 : cell + 1 < cells ? starts[cell + 1] : points;
    u32 corner[3] = {0, 0, 0};
    if (there) {
        corner[0] = positive(x[first]) / edge * edge;
        corner[1] = positive(y[first]) / edge * edge;
        corner[2] = positive(z[first]) / edge * edge;
    }
    i64 sums[10] = {0};
    for (u32 k = first + lane; k < end; k += CELL_THREADS) {
        const u32 p[3] = {positive(x[k]), positive(y[k]), positive(z[k])};
        i64 at[3];
        for (int a = 0; a < 3; a++) at[a] = (p[a] - corner[a]) / steps;
        sums[0] += 1;
        int product = 4;
        for (int a = 0; a < 3; a++) {
            sums[1 + a] += at[a];
            for (int b = a; b < 3; b++) sums[product++] += at[a] * at[b];
        }
    }
    for (int s = 0; s < 10; s++) {
        for (u32 d = CELL_THREADS / 2; d > 0; d /= 2) sums[s] += __shfl_down_sync(ALL, sums[s], d, CELL_THREADS);
    }
    if (!there || lane != 0) return;
    for (int s = 0; s < 10; s++) moments[(size_t)cell * 10 + s] = sums[s];
}

// The sums of the cells, each truncated to 32 bits; sets `wide` if that loses any bits.
extern "C" __global__ void narrow_sums(const i64* sums, u32 cells, u32* to, u32* wide) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    u64 all = 0;
    // Not cell by cell: neighbouring threads take neighbouring numbers.
    for (size_t k = i; k < (size_t)cells * 10; k += cells) {
        all |= (u64)sums[k];
        to[k] = (u32)sums[k];
    }
    if (all >> 32) *wide = 1;
}
