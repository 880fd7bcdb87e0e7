// The least median of squares line without sorting.
//
// lms_guess    A warp a pair of a sample: the slabs that hang on it, roughly and on the thick side. The
//              thinnest of some thousand is not much thicker than the thinnest of all.
// lms_count    A thread two pairs that share a point: it counts how many points lie within the best
//              slab so far, hung on the pair on either side. Hardly any pair has enough of them; those
//              that do are candidates, and are measured in f64 (lms_settle.cu).
//
// What to expect: 512 points have 131e3 pairs, of which each looks at up to 512 points with two fused
// multiply-adds, two comparisons and two additions: 4e8 operations, 14 us at one an issue slot. A pair
// that cannot get enough points any more stops; most have few, and stop after little more than half.
//
// Residuals are relative to the shared point, in f32, and the slab is thicker by what f32 may be off:
// too many candidates cost time, and none is lost. The answer does not depend on how good the guess is.

#include "lms.cuh"

constexpr u32 GUESSERS = 128;
constexpr u32 COUNTERS = 128;
// Pairs of a thread, and points that are in shared memory at a time.
constexpr u32 PAIRS = 2;
constexpr u32 TILE = 1024;
// After so many points it is asked whether it is worth to go on.
constexpr u32 STRIDE = 64;

// The slope of a pair in units of the set.
__device__ __forceinline__ float slope_of(const Set& set, double2 a, double2 b) {
    return (float)(((b.y - a.y) * set.up) / ((b.x - a.x) * set.across));
}

// The residuals on one side of a pair, as bits in the order of their magnitude.
struct Residuals {
    const Set& set;
    const double2* points;
    double2 a;
    float slope, sign;

    __device__ __forceinline__ u32 key(u32 k) const {
        const float u = (float)((points[k].x - a.x) * set.across);
        const float v = (float)((points[k].y - a.y) * set.up);
        const float d = sign * __fmaf_rn(-slope, u, v);
        return d >= 0.0f ? __float_as_uint(fabsf(d)) : ~0u;
    }

    // That of the far side of the slab, or all bits set if it has too few points.
    __device__ __forceinline__ u32 far_side() const {
        return select_of(*this, set.n, set.h, 0x7f7fffffu);
    }
};

// Grid: blocks of whole warps along x, a warp a pair; sets along y.
extern "C" __global__ void __launch_bounds__(GUESSERS) lms_guess(
    const double2* points, const Set* sets, u64* best
) {
    const Set set = sets[blockIdx.y];
    const double2* own = points + set.start;
    const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const u64 random = random_number(warp);
    const double2 a = own[(u32)random % set.n], b = own[(u32)(random >> 32) % set.n];
    if (a.x == b.x) return;
    const float slope = slope_of(set, a, b);
    // Also false where it is not finite.
    if (!(fabsf(slope) < 1e30f)) return;
    const Residuals above = {set, own, a, slope, 1.0f}, below = {set, own, a, slope, -1.0f};
    const u32 least = min(above.far_side(), below.far_side());
    if (least == ~0u || threadIdx.x % WARP != 0) return;
    // A slab of this height and twice the doubt holds h points: the thinnest is no thicker.
    const double height = ((double)__uint_as_float(least) + 4.0 * (double)doubt(slope)) / set.up;
    atomicMin(&best[blockIdx.y], (u64)__double_as_longlong(height));
}

// Grid: a block a first point and COUNTERS * PAIRS of its partners: first points along x, from `first`
// on, partners along y, sets along z. The partners are those that follow the point in the circle of
// all, up to its far side, so that every pair has its turn once.
extern "C" __global__ void __launch_bounds__(COUNTERS) lms_count(
    const double2* points, const Set* sets, const u64* best, u32 first, u32* counts,
    u32* candidates
) {
    // A point relative to the first one: its x, and its y as seen from the middle of the slab above and
    // of the slab below.
    __shared__ float4 near[TILE];
    const Set set = sets[blockIdx.z];
    const u32 n = set.n, i = first + blockIdx.x;
    const u32 from = 1 + blockIdx.y * COUNTERS * PAIRS;
    if (i >= n || from > n / 2) return;
    const double2* own = points + set.start;
    const double2 a = own[i];
    // No thinnest slab is thicker than all points are high.
    const double height = __longlong_as_double((long long)best[blockIdx.z]);
    const float half = (float)(0.5 * fmin(height * set.up, 1.0));

    u32 partner[PAIRS];
    bool is_pair[PAIRS];
    float slope[PAIRS], reach[PAIRS], above[PAIRS], below[PAIRS];
#pragma unroll
    for (u32 q = 0; q < PAIRS; q++) {
        const u32 step = from + q * COUNTERS + threadIdx.x;
        partner[q] = (i + step) % n;
        const double2 b = own[partner[q]];
        // At the far side of a circle of even length each pair has two first points.
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
                for (u32 q = 0; q < PAIRS; q++) {
                    if (fabsf(__fmaf_rn(-slope[q], p.x, p.y)) <= reach[q]) above[q] += 1.0f;
                    if (fabsf(__fmaf_rn(-slope[q], p.x, p.z)) <= reach[q]) below[q] += 1.0f;
                }
            }
            float most = 0.0f;
#pragma unroll
            for (u32 q = 0; q < PAIRS; q++) {
                if (is_pair[q]) most = fmaxf(most, fmaxf(above[q], below[q]));
            }
            const bool is_lost = most + (float)(n - start - end) < (float)set.h;
            goes_on = !__all_sync(ALL, is_lost);
        }
    }
#pragma unroll
    for (u32 q = 0; q < PAIRS; q++) {
        // Steeper than f32 can tell: a matter for f64.
        const bool is_steep = !(fabsf(slope[q]) < 1e30f);
        if (!is_pair[q] || !(is_steep || fmaxf(above[q], below[q]) >= (float)set.h)) continue;
        const u32 at = atomicAdd(&counts[blockIdx.z], 1);
        candidates[set.list + at] = min(i, partner[q]) | max(i, partner[q]) << 16;
    }
}
