// Keys along curves through space.
#pragma once

#include "vote.cuh"

// The lowest 21 bits with two zeros after each; the twin of src/morton.rs.
__device__ __forceinline__ u64 spread(u64 v) {
    v &= 0x1fffff;
    v = (v | v << 32) & 0x001f00000000ffffull;
    v = (v | v << 16) & 0x001f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
}

// Every third bit from the lowest on: one coordinate of a Morton key.
__device__ __forceinline__ u32 every_third(u64 v) {
    v &= 0x1249249249249249ull;
    v = (v | v >> 2) & 0x10c30c30c30c30c3ull;
    v = (v | v >> 4) & 0x100f00f00f00f00full;
    v = (v | v >> 8) & 0x001f0000ff0000ffull;
    v = (v | v >> 16) & 0x001f00000000ffffull;
    return (u32)((v | v >> 32) & 0x1fffff);
}

// The Morton key of a cell.
__device__ __forceinline__ u64 morton(u32 x, u32 y, u32 z) {
    return spread(x) | spread(y) << 1 | spread(z) << 2;
}
