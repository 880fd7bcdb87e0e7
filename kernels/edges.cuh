// An edge image and the spaces in which it votes, for the kernels of the papers on images.
#pragma once

#include "vote.cuh"

// One byte per pixel, row by row from the top; nonzero means edge. Pixels vote relative to the origin.
struct Edges {
    const unsigned char* pixels;
    u32 width, height;
    int origin_x, origin_y;
};

// Rows of a vote table and the counts of their bins, row by row.
struct Rows {
    const float4* table;
    u32 rows, bins;
    u32* counts;
};

// An edge pixel in a list: its row in the upper half, its column in the lower.
__device__ __forceinline__ u32 packed(u32 column, u32 row) { return row << 16 | column; }

// The bin of a pixel, relative to the origin, in a row, or a number not below `bins`.
__device__ __forceinline__ u32 pixel_bin(float4 t, int x, int y, u32 bins) {
    return bin(position(t, (float)x, (float)y, 0.0f), bins);
}

// The same for a pixel in a list.
__device__ __forceinline__ u32 listed_bin(float4 t, u32 pixel, int origin_x, int origin_y, u32 bins) {
    return pixel_bin(t, (int)(pixel & 0xffff) - origin_x, (int)(pixel >> 16) - origin_y, bins);
}

// Lines of bits, and the rows of a space in which they vote: bit i of line l votes for bin i + floor(offset +
// slope l) of each row.
struct Lines {
    const u32* bits;
    u32 lines, words;
    // Slope and offset of each row.
    const float2* slopes;
    u32 rows, bins;
};

__device__ __forceinline__ int shift_of(float2 slope, u32 line) {
    return (int)floorf(__fmaf_rn((float)line, slope.x, slope.y));
}

// Lets the edges of a list vote in one row, kept in shared memory, and writes the row. The threads of the
// block take turns.
__device__ __forceinline__ void vote_row(
    const u32* list, u32 n, int origin_x, int origin_y, float4 t, u32 bins, u32* votes, u32* row
) {
    for (u32 r = threadIdx.x; r < bins; r += blockDim.x) votes[r] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        const u32 r = listed_bin(t, list[i], origin_x, origin_y, bins);
        if (r < bins) atomicAdd(votes + r, 1);
    }
    __syncthreads();
    for (u32 r = threadIdx.x; r < bins; r += blockDim.x) row[r] = votes[r];
}
