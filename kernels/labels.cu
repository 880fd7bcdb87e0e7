// Assigns every point to its plane, and sums exactly over the points of every plane. Of the planes present in
// its cell or close by, a point belongs to the likeliest one whose tolerance it meets, the first of equals.
//
// A warp takes consecutive points, whose cells mostly show the same plane, and each of its lanes keeps the
// sums of the plane it met last in registers. They go to memory when the lane meets another plane, and at the
// end; there mostly all lanes hold the same plane and write once together.
//
// Lower bound: 12 bytes of a point read and 4 written, 370 MB for 23 million points: 0.1 ms at 4 TB/s. Each
// point takes some 12 operations in f64 for each plane that is present.

#include "vote.cuh"

typedef long long i64;

constexpr u32 NONE = 0xffffffffu;
// A product of two coordinates takes 46 bits; those of a warp's points add up without overflow.
static_assert(46 + 11 < 63 && LABEL_POINTS == 1 << 11, "sums of products fit");
// Numbers of a plane in memory: count, sums of x, y, z, and the low and the high halves of the sums of xx,
// xy, xz, yy, yz, zz, since a product of two coordinates takes 46 bits and there may be 2^32 of them.
static_assert(PLANE_NUMBERS == 16, "a plane has so many numbers");

struct Slab {
    double x, y, z, rho, tolerance, weight, rest;
};

struct Sums {
    u32 plane, count;
    i64 sum[3], products[6];

    __device__ __forceinline__ void begin(u32 of) {
        plane = of;
        count = 0;
        for (int a = 0; a < 3; a++) sum[a] = 0;
        for (int a = 0; a < 6; a++) products[a] = 0;
    }

    __device__ __forceinline__ void add(i64 x, i64 y, i64 z) {
        count++;
        sum[0] += x;
        sum[1] += y;
        sum[2] += z;
        products[0] += x * x;
        products[1] += x * y;
        products[2] += x * z;
        products[3] += y * y;
        products[4] += y * z;
        products[5] += z * z;
    }

    __device__ __forceinline__ void write(u64* numbers) const {
        if (count == 0) return;
        u64* to = numbers + (size_t)plane * PLANE_NUMBERS;
        atomicAdd(to, (u64)count);
        for (int a = 0; a < 3; a++) atomicAdd(to + 1 + a, (u64)sum[a]);
        for (int a = 0; a < 6; a++) {
            atomicAdd(to + 4 + a, (u64)products[a] & 0xffffffffull);
            atomicAdd(to + 10 + a, (u64)(products[a] >> 32));
        }
    }

    // Adds the sums of all lanes to those of the first. Only if all lanes hold the same plane.
    __device__ __forceinline__ void gather() {
        for (u32 d = WARP / 2; d > 0; d /= 2) {
            count += __shfl_down_sync(ALL, count, d);
            for (int a = 0; a < 3; a++) sum[a] += __shfl_down_sync(ALL, sum[a], d);
            for (int a = 0; a < 6; a++) products[a] += __shfl_down_sync(ALL, products[a], d);
        }
    }
};

// The cell that holds a point.
__device__ __forceinline__ u32 cell_of(const u32* starts, u32 cells, u32 point) {
    u32 low = 0, high = cells;
    while (low + 1 < high) {
        const u32 middle = low + (high - low) / 2;
        if (starts[middle] <= point) low = middle;
        else high = middle;
    }
    return low;
}

// Writes the label of each point, unless `labels` is empty, and adds to the numbers of each label; the label
// of plane q is becomes[q]. Points lie cell by cell. One warp for LABEL_POINTS points.
extern "C" __global__ void assign_points(
    const float* x, const float* y, const float* z, u32 points, const u32* starts, u32 cells,
    const u32* present, const Slab* slabs, u32 planes, const u32* becomes, int* labels,
    u32 labels_length, u64* numbers
) {
    const u32 lane = threadIdx.x % WARP;
    const u64 warp = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp * LABEL_POINTS >= points) return;
    const u32 first = warp * LABEL_POINTS, last = min((u64)points, (warp + 1) * LABEL_POINTS);
    Sums sums;
    sums.begin(NONE);
    for (u32 c = cell_of(starts, cells, first); c < cells && starts[c] < last; c++) {
        u32 here[PRESENT];
        for (u32 k = 0; k < PRESENT; k++) here[k] = present[(size_t)c * PRESENT + k];
        const u32 end = min(last, c + 1 < cells ? starts[c + 1] : points);
        for (u32 i = max(first, starts[c]) + lane; i < end; i += WARP) {
            u32 plane = NONE;
            double least = 0.0;
            for (u32 k = 0; k < PRESENT; k++) {
                const u32 q = here[k];
                if (q >= planes) continue;
                const Slab s = slabs[q];
                const double away = fabs(s.x * x[i] + s.y * y[i] + s.z * z[i] - s.rho);
                const double cost = away * away * s.weight + s.rest;
                if (away <= s.tolerance && (plane == NONE || cost < least)) {
                    plane = q;
                    least = cost;
                }
            }
            const u32 label = plane == NONE ? NONE : becomes[plane];
            if (i < labels_length) labels[i] = (int)label;
            if (label == NONE) continue;
            if (label != sums.plane) {
                sums.write(numbers);
                sums.begin(label);
            }
            sums.add((i64)x[i], (i64)y[i], (i64)z[i]);
        }
    }
    // A lane that met no plane takes that of another lane.
    u32 some = sums.plane == NONE ? 0 : sums.plane;
    for (u32 d = WARP / 2; d > 0; d /= 2) some = max(some, __shfl_xor_sync(ALL, some, d));
    if (sums.plane == NONE) sums.plane = some;
    if (__all_sync(ALL, sums.plane == some)) {
        sums.gather();
        if (lane != 0) return;
    }
    sums.write(numbers);
}
