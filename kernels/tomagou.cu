// Tomagou, Nakano, Ito, "An Implementation of Hough Transform on the GPU".
//
// All three take the edge list from the host, and one block of 1024 threads per degree.
// tomagou_a  votes with atomics in global memory.
// tomagou_b  has its row of the accumulator in shared memory.
// tomagou_c  has 32 copies of the row, one for each lane of a warp, each in its own bank: the lanes of a
//            warp never wait for each other. The copies are summed skewed, one thread per bin, so that the
//            threads of a warp read from 32 banks at a time.
//
// What to expect: where neighbours vote for the same bin, b waits and c does not; c must clear and sum 24 KB
// of shared memory for 192 bins.
//
// Different from the paper: the warps of a block share the copies, so votes are atomic here as well, although
// lanes of one warp never collide. Positions are in f32.

#include "edges.cuh"

// Grid: one block per row. The counts must begin as zeros.
extern "C" __global__ void tomagou_a(
    const u32* list, u32 n, int origin_x, int origin_y, const float4* table, u32 bins, u32* counts
) {
    const float4 t = table[blockIdx.x];
    u32* row = counts + (size_t)blockIdx.x * bins;
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        const u32 r = listed_bin(t, list[i], origin_x, origin_y, bins);
        if (r < bins) atomicAdd(row + r, 1);
    }
}

// Grid: one block per row. Shared memory: its bins.
extern "C" __global__ void tomagou_b(
    const u32* list, u32 n, int origin_x, int origin_y, const float4* table, u32 bins, u32* counts
) {
    extern __shared__ u32 votes[];
    u32* row = counts + (size_t)blockIdx.x * bins;
    vote_row(list, n, origin_x, origin_y, table[blockIdx.x], bins, votes, row);
}

// Grid: one block per row. Shared memory: 32 times its bins.
extern "C" __global__ void tomagou_c(
    const u32* list, u32 n, int origin_x, int origin_y, const float4* table, u32 bins, u32* counts
) {
    extern __shared__ u32 votes[];
    const u32 lane = threadIdx.x % WARP;
    for (u32 i = threadIdx.x; i < bins * WARP; i += blockDim.x) votes[i] = 0;
    __syncthreads();
    const float4 t = table[blockIdx.x];
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        const u32 r = listed_bin(t, list[i], origin_x, origin_y, bins);
        if (r < bins) atomicAdd(votes + r * WARP + lane, 1);
    }
    __syncthreads();
    u32* row = counts + (size_t)blockIdx.x * bins;
    for (u32 r = threadIdx.x; r < bins; r += blockDim.x) {
        u32 sum = 0;
        for (u32 i = 0; i < WARP; i++) sum += votes[r * WARP + (threadIdx.x + i) % WARP];
        row[r] = sum;
    }
}
