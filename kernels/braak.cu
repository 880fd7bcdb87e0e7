// van den Braak, Nugteren, Mesman, Corporaal, "Fast Hough Transform on GPUs: Exploration of Algorithm
// Trade-offs" (2011).
//
// braak_basic     One thread per pixel; an edge votes in both spaces with atomics in global memory.
// braak_list      The edge list of `fast`: each warp makes its own list in shared memory; one atomic per block
//                 reserves room for all of them.
// braak_vote      The vote of `fast`: one block per angle fills a row of both spaces at once in shared
//                 memory (of one in polar spaces).
// braak_pack      The first step of `constant`: the image in bits, upright and rotated.
// braak_constant  A block holds a band of lines of bits in shared memory and makes one row of the space
//                 after the other: consecutive threads vote for consecutive bins, without atomics, and
//                 synchronize after each line.
// braak_sum       Adds the sub-spaces that the bands filled.
//
// What to expect: `fast` takes time in proportion to the edges, `constant` for every pixel, edge or not.
//
// Differences from the paper. The warp's list is made by a ballot; figure 7 lets lanes overwrite each other
// until all have been written, which requires lanes in lockstep. A block of `constant` makes the rows of some
// of the angles, not of all, since GPUs now have ten times as many processors. Slopes are multiples of a
// power of two (src/space/cartesian.rs), so that a line moves by a whole number of bins.

#include "edges.cuh"

constexpr u32 WARPS = BRAAK_THREADS / WARP;

__device__ __forceinline__ void vote_global(Rows space, u32 row, int x, int y) {
    const u32 r = pixel_bin(space.table[row], x, y, space.bins);
    if (r < space.bins) atomicAdd(space.counts + (size_t)row * space.bins + r, 1);
}

// Grid: one thread per pixel. The second space may have no rows.
extern "C" __global__ void braak_basic(
    const unsigned char* pixels, u32 width, u32 height, int origin_x, int origin_y, const float4* table,
    u32 rows, u32 bins, u32* counts, const float4* other_table, u32 other_rows, u32 other_bins,
    u32* other_counts
) {
    const Edges edges = {pixels, width, height, origin_x, origin_y};
    const Rows first = {table, rows, bins, counts};
    const Rows second = {other_table, other_rows, other_bins, other_counts};
    const u32 index = blockDim.x * blockIdx.x + threadIdx.x;
    if (index >= edges.width * edges.height || edges.pixels[index] == 0) return;
    const int x = (int)(index % edges.width) - edges.origin_x;
    const int y = (int)(index / edges.width) - edges.origin_y;
    for (u32 row = 0; row < first.rows; row++) {
        vote_global(first, row, x, y);
        if (row < second.rows) vote_global(second, row, x, y);
    }
}

// Grid: blocks of BRAAK_THREADS, each for BRAAK_THREADS * BRAAK_PIXELS pixels.
extern "C" __global__ void __launch_bounds__(BRAAK_THREADS) braak_list(
    const unsigned char* pixels, u32 width, u32 height, int origin_x, int origin_y, u32* list, u32* length
) {
    const Edges edges = {pixels, width, height, origin_x, origin_y};
    __shared__ u32 own[WARPS][WARP * BRAAK_PIXELS];
    __shared__ u32 counts[WARPS];
    __shared__ u32 place;
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const u32 first = (blockIdx.x * WARPS + warp) * WARP * BRAAK_PIXELS;
    u32 count = 0;
    for (u32 k = 0; k < BRAAK_PIXELS; k++) {
        const u32 index = first + k * WARP + lane;
        const bool has = index < edges.width * edges.height && edges.pixels[index] != 0;
        const u32 votes = __ballot_sync(ALL, has);
        if (has) {
            const u32 before = __popc(votes & ((1u << lane) - 1));
            own[warp][count + before] = packed(index % edges.width, index / edges.width);
        }
        count += __popc(votes);
    }
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 sum = 0;
        for (u32 w = 0; w < WARPS; w++) sum += counts[w];
        place = atomicAdd(length, sum);
    }
    __syncthreads();
    u32 to = place;
    for (u32 w = 0; w < warp; w++) to += counts[w];
    for (u32 i = lane; i < count; i += WARP) list[to + i] = own[warp][i];
}

__device__ __forceinline__ void write_row(const u32* votes, Rows space, u32 row) {
    u32* counts = space.counts + (size_t)row * space.bins;
    for (u32 r = threadIdx.x; r < space.bins; r += blockDim.x) counts[r] = votes[r];
}

// Grid: one block per angle. Shared memory: the bins of both rows. The second space may have no rows.
extern "C" __global__ void braak_vote(
    const u32* list, const u32* length, int origin_x, int origin_y, const float4* table,
    u32 rows, u32 bins, u32* counts, const float4* other_table, u32 other_rows, u32 other_bins,
    u32* other_counts
) {
    const Rows first = {table, rows, bins, counts};
    const Rows second = {other_table, other_rows, other_bins, other_counts};
    extern __shared__ u32 votes[];
    const u32 row = blockIdx.x;
    const bool both = row < second.rows;
    u32* others = votes + first.bins;
    for (u32 r = threadIdx.x; r < first.bins + (both ? second.bins : 0); r += blockDim.x) votes[r] = 0;
    __syncthreads();
    const float4 t = first.table[row], u = both ? second.table[row] : t;
    const u32 n = *length;
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        const u32 pixel = list[i];
        const u32 r = listed_bin(t, pixel, origin_x, origin_y, first.bins);
        if (r < first.bins) atomicAdd(votes + r, 1);
        if (!both) continue;
        const u32 s = listed_bin(u, pixel, origin_x, origin_y, second.bins);
        if (s < second.bins) atomicAdd(others + s, 1);
    }
    __syncthreads();
    write_row(votes, first, row);
    if (both) write_row(others, second, row);
}

// Bit i of word k of a line is its pixel 32 k + i. `upright` has a line for each row of the image, `rotated`
// for each column. Grid: x over words of rows, y over words of columns; one warp for 32 x 32 pixels.
extern "C" __global__ void __launch_bounds__(WARP) braak_pack(
    const unsigned char* pixels, u32 width, u32 height, u32* upright, u32* rotated
) {
    const u32 lane = threadIdx.x;
    const u32 x = blockIdx.x * WARP + lane, top = blockIdx.y * WARP;
    const u32 row_words = gridDim.x, column_words = gridDim.y;
    u32 column = 0;
    for (u32 i = 0; i < WARP; i++) {
        const u32 y = top + i;
        const bool on = x < width && y < height && pixels[(size_t)y * width + x] != 0;
        const u32 row = __ballot_sync(ALL, on);
        column |= (u32)on << i;
        if (lane == 0 && y < height) upright[(size_t)y * row_words + blockIdx.x] = row;
    }
    if (x < width) rotated[(size_t)x * column_words + blockIdx.y] = column;
}

// Grid: x over bands of lines, y over groups of rows. `subs` has the counts of all rows for each band.
// Shared memory: the band's words and the bins of a row.
extern "C" __global__ void braak_constant(
    const u32* bits, u32 all_lines, u32 words, const float2* slopes, u32 rows, u32 bins, u32 band,
    u32 rows_a_block, u32* subs
) {
    const Lines image = {bits, all_lines, words, slopes, rows, bins};
    extern __shared__ u32 shared[];
    const u32 first = blockIdx.x * band, lines = min(band, image.lines - first);
    u32* votes = shared + band * image.words;
    for (u32 i = threadIdx.x; i < lines * image.words; i += blockDim.x) {
        shared[i] = image.bits[(size_t)first * image.words + i];
    }
    const u32 end = min(image.rows, (blockIdx.y + 1) * rows_a_block);
    for (u32 row = blockIdx.y * rows_a_block; row < end; row++) {
        for (u32 r = threadIdx.x; r < image.bins; r += blockDim.x) votes[r] = 0;
        __syncthreads();
        for (u32 l = 0; l < lines; l++) {
            const int shift = shift_of(image.slopes[row], first + l);
            for (u32 i = threadIdx.x; i < image.words * WARP; i += blockDim.x) {
                if (shared[l * image.words + i / WARP] >> (i % WARP) & 1) votes[shift + (int)i]++;
            }
            __syncthreads();
        }
        u32* to = subs + ((size_t)blockIdx.x * image.rows + row) * image.bins;
        for (u32 r = threadIdx.x; r < image.bins; r += blockDim.x) to[r] = votes[r];
        __syncthreads();
    }
}

// Grid: one thread per bin of all rows.
extern "C" __global__ void braak_sum(const u32* subs, u32 bands, u32 size, u32* counts) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    u32 sum = 0;
    for (u32 b = 0; b < bands; b++) sum += subs[(size_t)b * size + i];
    counts[i] = sum;
}
