// The arithmetic of a vote, the twin of src/vote.rs.
//
// Every kernel that votes in f32 computes `position` by these three fused multiply-adds in this order, and so
// puts every point into the same bin as the CPU. Compiled with --fmad=false: only explicit fused operations
// are fused.
#pragma once

#include "constants.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

// All lanes of a warp.
constexpr u32 ALL = 0xffffffffu;

// The position of a local point on a row's rho axis, in bins; `t` is a row of the vote table.
__device__ __forceinline__ float position(float4 t, float x, float y, float z) {
    return __fmaf_rn(z, t.z, __fmaf_rn(y, t.y, __fmaf_rn(x, t.x, t.w)));
}

// The bin of a position, or, off the axis, a number not below `bins`.
__device__ __forceinline__ u32 bin(float position, u32 bins) {
    float floor = floorf(position);
    return floor >= 0.0f && floor < (float)bins ? (u32)floor : ~0u;
}
