// The densest slab of a small space: see src/detect/zoom.rs.
//
// densest_slab  One block per direction: the row of its bins lies in shared memory, and every place votes in
//               it with its weight. Then each thread sums some runs of `slab` bins, and the best run of all
//               blocks is found by one atomic maximum per warp.
//
// Lower bound: 317 directions x 1000 places are 3e5 votes, ten of them per clock of one multiprocessor, and
// read 16 bytes per vote from the L1: a few microseconds. The launch and the copy back dominate.

#include "vote.cuh"

// The row must fit: `bins` counters of dynamic shared memory. `best` must be 0 before. Afterwards its upper
// half holds the votes of the best run, and its lower half ~(row * bins + first bin), so that of equals the
// first is the greatest. Places are x, y, z as bits of floats, and the weight. Grid: one block per row.
extern "C" __global__ void densest_slab(
    const float4* table, u32 bins, const uint4* places, u32 n, u32 slab, u64* best
) {
    extern __shared__ u32 row[];
    for (u32 r = threadIdx.x; r < bins; r += blockDim.x) row[r] = 0;
    __syncthreads();
    const float4 direction = table[blockIdx.x];
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        const uint4 place = places[i];
        const float at = position(
            direction, __uint_as_float(place.x), __uint_as_float(place.y), __uint_as_float(place.z)
        );
        const u32 r = bin(at, bins);
        if (r < bins) atomicAdd(&row[r], place.w);
    }
    __syncthreads();
    u64 own = 0;
    for (u32 r = threadIdx.x; r + slab <= bins; r += blockDim.x) {
        u32 votes = 0;
        for (u32 k = r; k < r + slab; k++) votes += row[k];
        own = max(own, (u64)votes << 32 | ~(blockIdx.x * bins + r));
    }
    for (u32 lane = WARP / 2; lane > 0; lane /= 2) own = max(own, __shfl_xor_sync(ALL, own, lane));
    if (threadIdx.x % WARP == 0 && own != 0) atomicMax(best, own);
}
