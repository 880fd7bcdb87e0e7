// Kumar, "Hough Transform Implementation Using CUDA" (2022).
//
// kumar_baseline  One thread per pixel; an edge votes for all angles with atomics in global memory.
// kumar_list      The edge list: a block appends its edges in shared memory, reserves room in the list
//                 with one atomic, and copies them there.
// kumar_vote      The fast vote: one block per angle, with its row of the accumulator in shared memory.
// kumar_select    The bins above a threshold, appended as in kumar_list.
//
// What to expect: the baseline waits for global memory, and neighbouring pixels for each other's atomics; the
// fast vote reads the list once per angle, with one shared atomic per vote.
//
// Differences from the listings. Figure 4 adds a block's number of edges to the counter and stores the
// counter's old value in that same counter; here the block receives it. Figure 5 has one bin less than figure
// 2, and another order of the accumulator; here both have 2 diag + 1 bins, row by row. Sines and cosines come
// from a table, and positions are in f32, as in every voter here; the listings compute both in f64 for each
// vote.

#include "edges.cuh"

// Grid: one thread per pixel.
extern "C" __global__ void kumar_baseline(
    const unsigned char* pixels, u32 width, u32 height, int origin_x, int origin_y, const float4* table,
    u32 rows, u32 bins, u32* counts
) {
    const Edges edges = {pixels, width, height, origin_x, origin_y};
    const Rows space = {table, rows, bins, counts};
    const u32 index = blockDim.x * blockIdx.x + threadIdx.x;
    if (index >= edges.width * edges.height || edges.pixels[index] == 0) return;
    const int x = (int)(index % edges.width) - edges.origin_x;
    const int y = (int)(index / edges.width) - edges.origin_y;
    for (u32 row = 0; row < space.rows; row++) {
        const u32 r = pixel_bin(space.table[row], x, y, space.bins);
        if (r < space.bins) atomicAdd(space.counts + (size_t)row * space.bins + r, 1);
    }
}

// Appends the values of some threads of a block to a list, through shared memory.
__device__ __forceinline__ void append(bool has, u32 value, u32* list, u32* length) {
    __shared__ u32 own[KUMAR_THREADS];
    __shared__ u32 count, place;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (has) own[atomicAdd(&count, 1)] = value;
    __syncthreads();
    if (threadIdx.x == 0) place = atomicAdd(length, count);
    __syncthreads();
    if (threadIdx.x < count) list[place + threadIdx.x] = own[threadIdx.x];
}

// Grid: one thread per pixel, blocks of KUMAR_THREADS.
extern "C" __global__ void __launch_bounds__(KUMAR_THREADS) kumar_list(
    const unsigned char* pixels, u32 width, u32 height, int origin_x, int origin_y, u32* list, u32* length
) {
    const Edges edges = {pixels, width, height, origin_x, origin_y};
    const u32 index = blockIdx.x * KUMAR_THREADS + threadIdx.x;
    const bool has = index < edges.width * edges.height && edges.pixels[index] != 0;
    append(has, packed(index % edges.width, index / edges.width), list, length);
}

// Grid: one block per row. Shared memory: its bins.
extern "C" __global__ void kumar_vote(
    const u32* list, const u32* length, int origin_x, int origin_y, const float4* table, u32 bins,
    u32* counts
) {
    extern __shared__ u32 votes[];
    u32* row = counts + (size_t)blockIdx.x * bins;
    vote_row(list, *length, origin_x, origin_y, table[blockIdx.x], bins, votes, row);
}

// The indices of the bins with more than `threshold` votes, in any order. Grid: one thread per bin, blocks
// of KUMAR_THREADS.
extern "C" __global__ void __launch_bounds__(KUMAR_THREADS) kumar_select(
    const u32* counts, u32 size, u32 threshold, u32* list, u32* length
) {
    const u32 index = blockIdx.x * KUMAR_THREADS + threadIdx.x;
    append(index < size && counts[index] > threshold, index, list, length);
}
