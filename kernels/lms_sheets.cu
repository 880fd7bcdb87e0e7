// The planes through triples of points, and the median distance of all points from each; the twin of
// src/lms/sheet.rs.
//
// One warp per triple. The median distance is computed only if at least half of the points lie within the
// least known so far: most triples are done after one pass over the points.
//
// What to expect: 1024 triples of 2048 points are 2e6 distances of 12 operations in f64, microseconds per
// set; all sets are in one launch.

#include "lms.cuh"

struct Vec3 {
    double x, y, z;
};

struct Sample {
    u32 start, n;
};

__device__ __forceinline__ Vec3 between(float3 a, float3 b) {
    return {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
}

// Distances from a plane, times the length of its normal, as bits in the order of the distances.
struct Distances {
    const float3* points;
    float3 through;
    Vec3 normal;

    __device__ __forceinline__ u64 key(u32 k) const {
        const Vec3 d = between(through, points[k]);
        return key_of(fabs(normal.x * d.x + normal.y * d.y + normal.z * d.z));
    }
};

// Grid: whole warps along x, one warp per triple; sets along y. `halves` are the median distances, set by
// set; infinite if a triple has no plane or is not the best.
extern "C" __global__ void __launch_bounds__(SHEET_THREADS) lms_sheets(
    const float3* points, const Sample* samples, u32 triples, u64* best, u64* halves
) {
    const Sample sample = samples[blockIdx.y];
    const u32 triple = (blockIdx.x * SHEET_THREADS + threadIdx.x) / WARP;
    if (triple >= triples) return;
    const float3* own = points + sample.start;
    u64 half = INFINITE;
    if (sample.n > 0) {
        const float3 a = own[random_number(3 * (u64)triple) % sample.n];
        const float3 b = own[random_number(3 * (u64)triple + 1) % sample.n];
        const float3 c = own[random_number(3 * (u64)triple + 2) % sample.n];
        const Vec3 u = between(a, b), v = between(a, c);
        const Vec3 normal = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
        const double square = normal.x * normal.x + normal.y * normal.y + normal.z * normal.z;
        if (square > 0.0) {
            const double length = sqrt(square);
            u64 least = *(volatile u64*)&best[blockIdx.y];
            least = __shfl_sync(ALL, least, 0);
            const u64 limit = min(key_of(number_of(least) * length * (1.0 + 1e-15)), INFINITE - 1);
            const Distances distances = {own, a, normal};
            const u64 far = select_of(distances, sample.n, sample.n / 2 + 1, limit);
            if (far != ~0ull) half = key_of(number_of(far) / length);
        }
    }
    if (threadIdx.x % WARP != 0) return;
    halves[(size_t)blockIdx.y * triples + triple] = half;
    if (half != INFINITE) atomicMin(&best[blockIdx.y], half);
}
