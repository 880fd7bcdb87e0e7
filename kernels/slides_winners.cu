// The two ways of the slides to find the winners on the GPU: the n bins with the most votes.
//
// slides_winners_naive  A rank sort: one thread per bin counts the bins that are greater, and stops at
//                       the n-th. Most bins are zero or stop soon; but the n winners each read all
//                       6e6 bins, one thread each, one after the other.
// slides_rank_first,    Rank reduction: a block ranks its 512 bins in shared memory and passes the best
// slides_rank_next      n on to the next launch, until 512 are left, which the CPU ranks. Each thread
//                       reads one bin of global memory and writes at most one.
//
// What to expect: the naive one takes the time of 6e6 dependent steps of one thread, a large part of a
// second; the reduction that of 512 comparisons in shared memory, well under a millisecond.
//
// Of equal bins the one with the lowest index ranks higher, as for the CPU's max_element: a block writes in
// the order of rank, so equal bins stay ordered by index in every launch.
//
// Differences from the slides. The naive one reads no bin beyond the accumulator. If fewer than n bins have
// votes, it writes fewer winners: the host fills the list with ~0 first and drops these entries. The slides
// show only the first launch of the reduction; the later launches read the output of the one before.

#include "slides.cuh"

constexpr int THREADS = SLIDES_RANKED;

struct Element {
    u64 votes, index;
};

// Grid: one thread per bin.
extern "C" __global__ void slides_winners_naive(const u64* accumulator, u32 wanted, u64* winners) {
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= SIZE || accumulator[i] == 0) return;
    u32 count = 0;
    for (int j = 0; j < SIZE; j++) {
        if (accumulator[i] < accumulator[j] || (i > j && accumulator[i] == accumulator[j])) {
            count++;
            if (count >= wanted) break;
        }
    }
    if (count < wanted) winners[count] = i;
}

// Writes the best `wanted` elements of a block, at most THREADS, in the order of their rank.
__device__ __forceinline__ void best_of_block(Element own, u32 wanted, Element* winners) {
    __shared__ u64 votes[THREADS];
    const int tx = threadIdx.x;
    votes[tx] = own.votes;
    __syncthreads();
    u32 counter = 0;
    for (int i = 0; i < THREADS; i++) {
        if (votes[i] > votes[tx] || (tx > i && votes[tx] == votes[i])) counter++;
    }
    if (counter < wanted) winners[(size_t)blockIdx.x * wanted + counter] = own;
}

// Grid: blocks of THREADS, one thread per bin.
extern "C" __global__ void __launch_bounds__(THREADS) slides_rank_first(
    const u64* accumulator, u32 wanted, Element* winners
) {
    const u32 index = blockDim.x * blockIdx.x + threadIdx.x;
    best_of_block({index < SIZE ? accumulator[index] : 0, index}, wanted, winners);
}

// Grid: blocks of THREADS, one thread per element.
extern "C" __global__ void __launch_bounds__(THREADS) slides_rank_next(
    const Element* elements, u32 count, u32 wanted, Element* winners
) {
    const u32 index = blockDim.x * blockIdx.x + threadIdx.x;
    Element own = {0, 0};
    if (index < count) own = elements[index];
    best_of_block(own, wanted, winners);
}
