// The least median of squares line without sorting.
//
// lms_guess    One warp per pair of a sample: the slabs that hang on it, to within two percent on the thick
//              side. The thinnest of some thousand is not much thicker than the thinnest of all.
// lms_count    One thread for two pairs that share a point: it counts how many points lie within the best
//              slab so far, hung on the pair on either side. Hardly any pair has enough of them; those
//              that do are candidates, and are measured in f64 (lms_settle.cu).
//
// What to expect: 512 points have 131e3 pairs, each of which examines up to 512 points with two fused
// multiply-adds, two comparisons and two additions: 4e8 operations, 14 us at one per issue slot. A pair stops
// as soon as it cannot get enough points; most have few, and stop after little more than half.
//
// Residuals are relative to the shared point, in f32, and the slab is thickened by the possible error of f32:
// too many candidates cost time, but none is lost. The answer does not depend on the quality of the guess.

#include "lms.cuh"

// Points in shared memory at a time.
constexpr u32 TILE = 1024;
// Steps from one power of two to within two percent.
constexpr u32 HALVINGS = 10;
// After this many points a warp checks whether it is worth going on.
constexpr u32 STRIDE = 64;

// The slope of a pair in units of the set.
__device__ __forceinline__ float slope_of(const Set& set, double2 a, double2 b) {
    return (float)(((b.y - a.y) * set.up) / ((b.x - a.x) * set.across));
}

// The number of points within a distance of a pair: above it in the lower half, below it in the upper half.
// Points on the pair's line count on both sides.
struct Residuals {
    const Set& set;
    const double2* points;
    double2 a;
    float slope;

    __device__ __forceinline__ float of(u32 k) const {
        const float u = (float)((points[k].x - a.x) * set.across);
        const float v = (float)((points[k].y - a.y) * set.up);
        return __fmaf_rn(-slope, u, v);
    }

    static __device__ __forceinline__ u32 sides(float d, float reach) {
        if (!(fabsf(d) <= reach)) return 0;
        return (d >= 0.0f ? 1 : 0) | (d <= 0.0f ? 1 << 16 : 0);
    }
};

// Grid: blocks of whole warps along x, one warp per pair; sets along y.
extern "C" __global__ void __launch_bounds__(GUESSERS) lms_guess(
    const double2* points, const Set* sets, u64* best
) {
    const Set set = sets[blockIdx.y];
    const double2* own = points + set.start;
    const u32 lane = threadIdx.x % WARP, warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const u64 random = random_number(warp);
    const double2 a = own[(u32)random % set.n], b = own[(u32)(random >> 32) % set.n];
    if (a.x == b.x) return;
    const float slope = slope_of(set, a, b);
    // Also false if it is not finite.
    if (!(fabsf(slope) < 1e30f)) return;
    const Residuals residuals = {set, own, a, slope};
    float kept[KEPT];
#pragma unroll
    for (u32 q = 0; q < KEPT; q++) {
        const u32 k = q * WARP + lane;
        kept[q] = k < set.n ? residuals.of(k) : __uint_as_float(0x7f800000);
    }
    auto holds = [&](float reach) {
        u32 sides = 0;
#pragma unroll
        for (u32 q = 0; q < KEPT; q++) sides += Residuals::sides(kept[q], reach);
        for (u32 k = KEPT * WARP + lane; k < set.n; k += WARP) {
            sides += Residuals::sides(residuals.of(k), reach);
        }
        sides = sum_of_warp(sides);
        return max(sides & 0xffff, sides >> 16) >= set.h;
    };
    // No thinnest slab is thicker than the height of all points. Bisecting the bits converges to a share of
    // the height.
    float low = 0x1p-20f, high = 1.0f;
    if (!holds(high)) return;
    for (u32 step = 0; step < HALVINGS; step++) {
        const float middle = __uint_as_float((__float_as_uint(low) + __float_as_uint(high)) / 2);
        if (holds(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    if (lane != 0) return;
    // A slab of this height plus twice the doubt holds h points: the thinnest is no thicker.
    const double height = ((double)high + 4.0 * (double)doubt(slope)) / set.up;
    atomicMin(&best[blockIdx.y], key_of(height));
}

// Grid: one block per first point and COUNTERS * COUNTER_PAIRS of its partners: first points along x, from
// `first` on, partners along y, sets along z. The partners are the points that follow it in the circle of all
// points, up to its far side, so that every pair is visited once.
extern "C" __global__ void __launch_bounds__(COUNTERS) lms_count(
    const double2* points, const Set* sets, const u64* best, u32 first, u32* counts,
    u32* candidates
) {
    // A point relative to the first one: its x, and its y relative to the middle of the slab above and of the
    // slab below.
    __shared__ float4 near[TILE];
    const Set set = sets[blockIdx.z];
    const u32 n = set.n, i = first + blockIdx.x;
    const u32 from = 1 + blockIdx.y * COUNTERS * COUNTER_PAIRS;
    if (i >= n || from > n / 2) return;
    const double2* own = points + set.start;
    const double2 a = own[i];
    // No thinnest slab is thicker than the height of all points.
    const double height = __longlong_as_double((long long)best[blockIdx.z]);
    const float half = (float)(0.5 * fmin(height * set.up, 1.0));

    u32 partner[COUNTER_PAIRS];
    bool is_pair[COUNTER_PAIRS];
    float slope[COUNTER_PAIRS], reach[COUNTER_PAIRS], above[COUNTER_PAIRS], below[COUNTER_PAIRS];
#pragma unroll
    for (u32 q = 0; q < COUNTER_PAIRS; q++) {
        const u32 step = from + q * COUNTERS + threadIdx.x;
        partner[q] = (i + step) % n;
        const double2 b = own[partner[q]];
        // On the far side of a circle of even length, each pair has two first points.
        is_pair[q] = step <= n / 2 && !(2 * step == n && i >= step) && a.x != b.x;
        slope[q] = is_pair[q] ? slope_of(set, a, b) : 0.0f;
        reach[q] = half + doubt(slope[q]);
        above[q] = below[q] = 0.0f;
    }
    bool goes_on = true;
    for (u32 start = 0; start < n; start += TILE) {
        const u32 size = min(TILE, n - start);
        __syncthreads();
        for (u32 k = threadIdx.x; k < size; k += COUNTERS) {
            const double2 p = own[start + k];
            const float v = (float)((p.y - a.y) * set.up);
            near[k] = make_float4((float)((p.x - a.x) * set.across), v - half, v + half, 0.0f);
        }
        __syncthreads();
        for (u32 k = 0; k < size && goes_on; k += STRIDE) {
            const u32 end = min(k + STRIDE, size);
#pragma unroll 8
            for (u32 m = k; m < end; m++) {
                const float4 p = near[m];
#pragma unroll
                for (u32 q = 0; q < COUNTER_PAIRS; q++) {
                    if (fabsf(__fmaf_rn(-slope[q], p.x, p.y)) <= reach[q]) above[q] += 1.0f;
                    if (fabsf(__fmaf_rn(-slope[q], p.x, p.z)) <= reach[q]) below[q] += 1.0f;
                }
            }
            float most = 0.0f;
#pragma unroll
            for (u32 q = 0; q < COUNTER_PAIRS; q++) {
                if (is_pair[q]) most = fmaxf(most, fmaxf(above[q], below[q]));
            }
            const bool is_lost = most + (float)(n - start - end) < (float)set.h;
            goes_on = !__all_sync(ALL, is_lost);
        }
    }
#pragma unroll
    for (u32 q = 0; q < COUNTER_PAIRS; q++) {
        // Too steep for f32, so f64 decides.
        const bool is_steep = !(fabsf(slope[q]) < 1e30f);
        u32 sides = 0;
        if (is_steep || above[q] >= (float)set.h) sides |= ABOVE;
        if (is_steep || below[q] >= (float)set.h) sides |= BELOW;
        if (!is_pair[q] || !sides) continue;
        const u32 at = atomicAdd(&counts[blockIdx.z], 1);
        const u32 pair = candidate(min(i, partner[q]), max(i, partner[q]));
        candidates[set.list + at] = pair | sides;
    }
}
