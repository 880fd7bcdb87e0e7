// Thinnest slabs, for the kernels of both versions; the twin of src/lms/problem.rs.
//
// Points are sorted by x, then y. The deciding numbers are computed in f64 as on the CPU, from the rises of
// all points over the line through a pair, without a division. Numbers that only rule pairs out are computed
// in f32, in coordinates in which all points are within 1 of each other along both axes.
#pragma once

#include "vote.cuh"

// A point set.
struct Set {
    // Its first point, the number of its points, and the number of points that a slab must hold.
    u32 start, n, h;
    // First of its candidates.
    u32 list;
    // The factors that make all differences in x, and in y, at most 1.
    double across, up;
};

// The best slab of a set; its height is infinite if there is none.
struct Winner {
    double height, slope, intercept;
    // The places of the pair, the lower one first.
    u32 i, j;
    // Whether it hangs below the pair rather than above.
    u32 below, none;
};

constexpr u64 INFINITE = 0x7ff0000000000000ull;

// The largest error of f32 in a residual for a pair of this slope, in units of the set: the roundings of the
// slope, of a point and of the residual are at most 2^-24 of (3 |slope| + 3).
__device__ __forceinline__ float doubt(float slope) { return (1.0f + fabsf(slope)) * 0x1p-21f; }

// Random number k; the twin of src/lms/sample.rs.
__device__ __forceinline__ u64 random_number(u64 k) {
    u64 z = (k + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// How far point k is above the line through the pair, times the pair's difference in x.
__device__ __forceinline__ double rise(double2 a, double dx, double dy, double2 k) {
    return dx * (k.y - a.y) - dy * (k.x - a.x);
}

// A pair of points, the lower place first, and the sides on which a slab may be.
constexpr u32 ABOVE = 1u << 30, BELOW = 1u << 31;
__device__ __forceinline__ u32 candidate(u32 i, u32 j) { return i | j << 15; }
__device__ __forceinline__ u32 first_of(u32 candidate) { return candidate & 0x7fff; }
__device__ __forceinline__ u32 second_of(u32 candidate) { return candidate >> 15 & 0x7fff; }

// The sum, the smallest and the largest over a warp.
__device__ __forceinline__ u32 sum_of_warp(u32 v) {
    for (int o = WARP / 2; o; o >>= 1) v += __shfl_xor_sync(ALL, v, o);
    return v;
}
template <class T>
__device__ __forceinline__ T least_of_warp(T v) {
    for (int o = WARP / 2; o; o >>= 1) v = min(v, __shfl_xor_sync(ALL, v, o));
    return v;
}
template <class T>
__device__ __forceinline__ T most_of_warp(T v) {
    for (int o = WARP / 2; o; o >>= 1) v = max(v, __shfl_xor_sync(ALL, v, o));
    return v;
}

// Keys are the bits of nonnegative numbers, which are in the order of the numbers.
__device__ __forceinline__ double number_of(u64 key) { return __longlong_as_double((long long)key); }
__device__ __forceinline__ u64 key_of(double v) { return (u64)__double_as_longlong(v); }

// The h-th smallest of the keys that a warp visits, if it is at most `limit`; otherwise NONE, all bits set.
// visit(f) calls f(key) for each key of the lane. Its place is alternately interpolated from the number of
// keys below, as if they were spread evenly, and set to the middle of the bits; the bounds move to existing
// keys.
template <class Visit>
__device__ __forceinline__ u64 select(u32 h, u64 limit, const Visit& visit) {
    constexpr u64 NONE = ~0ull;
    u64 low = NONE, high = 0;
    u32 count = 0;
    visit([&](u64 key) {
        if (key > limit) return;
        low = min(low, key);
        high = max(high, key);
        count++;
    });
    // Number of keys up to `high`, and below `low`.
    u32 upper = sum_of_warp(count), lower = 0;
    if (upper < h) return NONE;
    low = least_of_warp(low);
    high = most_of_warp(high);
    for (bool is_even = true; low < high; is_even = !is_even) {
        u64 middle = low + (high - low) / 2;
        if (is_even) {
            const double share = ((double)(h - lower) - 0.5) / (double)(upper - lower);
            const double from = number_of(low), to = number_of(high);
            middle = min(max(key_of(from + share * (to - from)), low), high - 1);
        }
        u64 below = 0, above = NONE;
        count = 0;
        visit([&](u64 key) {
            if (key <= middle) {
                below = max(below, key);
                count++;
            } else {
                above = min(above, key);
            }
        });
        count = sum_of_warp(count);
        if (count >= h) {
            high = most_of_warp(below);
            upper = count;
        } else {
            low = least_of_warp(above);
            lower = count;
        }
    }
    return low;
}

// A lane's keys of the points of a set: computed each time, or once and kept in registers.
constexpr u32 KEPT = 16;

template <class Source>
struct Computed {
    const Source& source;
    u32 n;

    template <class F>
    __device__ __forceinline__ void operator()(F f) const {
        for (u32 k = threadIdx.x % WARP; k < n; k += WARP) f(source.key(k));
    }
};

struct Kept {
    u64 keys[KEPT];

    template <class F>
    __device__ __forceinline__ void operator()(F f) const {
#pragma unroll
        for (u32 q = 0; q < KEPT; q++) f(keys[q]);
    }
};

// The same for the keys that a source has for n points.
template <class Source>
__device__ __forceinline__ u64 select_of(const Source& source, u32 n, u32 h, u64 limit) {
    if (n > WARP * KEPT) return select(h, limit, Computed<Source>{source, n});
    Kept kept;
#pragma unroll
    for (u32 q = 0; q < KEPT; q++) {
        const u32 k = q * WARP + threadIdx.x % WARP;
        kept.keys[q] = k < n ? source.key(k) : ~0ull;
    }
    return select(h, limit, kept);
}

// The rises of a slab that hangs on a pair, as bits in the order of their magnitude; points on the other side
// have larger keys than all others.
struct Rises {
    const double2* points;
    double2 a;
    double dx, dy;
    // 1 for the slab above the pair, -1 for the one below.
    double sign;

    __device__ __forceinline__ u64 key(u32 k) const {
        const double r = rise(a, dx, dy, points[k]);
        const bool is_on_side = sign > 0.0 ? r >= 0.0 : r <= 0.0;
        return is_on_side ? key_of(fabs(r)) : ~0ull;
    }

    // The rise of the slab's far side, or all bits set if the slab has too few points or is higher than
    // `best`.
    __device__ __forceinline__ u64 far_side(u32 n, u32 h, double best) const {
        // A height that rounds to `best` has a rise of at most this.
        const u64 limit = key_of(best * dx * (1.0 + 1e-15));
        return select_of(*this, n, h, min(limit, INFINITE - 1));
    }
};
