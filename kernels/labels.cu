// Assigns every point to its plane, and sums exactly over the points of every plane. Of the planes present in
// its cell or close by, a point belongs to the likeliest one whose tolerance it meets, the first of equals.
//
// Planes are changed a dozen times until they fit their points. Only cells in which a changed plane is present
// are computed again, and only points that change their plane change the sums.
//
// A warp takes consecutive points, whose cells mostly show the same plane, and each of its lanes keeps the
// sums of the plane it met last in registers. They go to memory when the lane meets another plane, and at the
// end; there mostly all lanes hold the same plane and write once together.
//
// Lower bound, the first time: 12 bytes of a point read and 4 written, 370 MB for 23 million points: 0.1 ms at 4 TB/s. Each
// point takes some 12 operations in f64 for each plane that is present.

#include "vote.cuh"

typedef long long i64;

constexpr u32 NONE = 0xffffffffu;
// A product of two coordinates takes 46 bits; those of a warp's points add up without overflow.
static_assert(46 + 11 < 63 && LABEL_POINTS == 1 << 11, "sums of products fit");
// Numbers of a plane in memory: count, sums of x, y, z, and the low and the high halves of the sums of xx,
// xy, xz, yy, yz, zz, since a product of two coordinates takes 46 bits and there may be 2^32 of them. A low half
// grows by less than 2^32 each time that a lane writes, and so has room for 2^32 times.
static_assert(PLANE_NUMBERS == 16, "a plane has so many numbers");

struct Slab {
    double x, y, z, rho, tolerance, weight, rest;
};

// Sums over the points that joined a plane, less those that left it.
struct Moved {
    u32 plane;
    int count;
    i64 sum[3], products[6];

    __device__ __forceinline__ void begin(u32 of) {
        plane = of;
        count = 0;
        for (int a = 0; a < 3; a++) sum[a] = 0;
        for (int a = 0; a < 6; a++) products[a] = 0;
    }

    // Adds a point, or with a sign of -1 takes one away.
    __device__ __forceinline__ void add(int sign, i64 x, i64 y, i64 z) {
        count += sign;
        sum[0] += sign * x;
        sum[1] += sign * y;
        sum[2] += sign * z;
        products[0] += sign * x * x;
        products[1] += sign * x * y;
        products[2] += sign * x * z;
        products[3] += sign * y * y;
        products[4] += sign * y * z;
        products[5] += sign * z * z;
    }

    __device__ __forceinline__ void write(u64* numbers) const {
        if (plane == NONE) return;
        u64* to = numbers + (size_t)plane * PLANE_NUMBERS;
        atomicAdd(to, (u64)(i64)count);
        for (int a = 0; a < 3; a++) atomicAdd(to + 1 + a, (u64)sum[a]);
        for (int a = 0; a < 6; a++) {
            atomicAdd(to + 4 + a, (u64)products[a] & 0xffffffffull);
            atomicAdd(to + 10 + a, (u64)(products[a] >> 32));
        }
    }

    // Lets a point join a plane, or with a sign of -1 leave it.
    __device__ __forceinline__ void move(u32 of, int sign, const double (&p)[3], u64* numbers) {
        if (of == NONE) return;
        if (of != plane) {
            write(numbers);
            begin(of);
        }
        add(sign, (i64)p[0], (i64)p[1], (i64)p[2]);
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

// Whether any of the planes present in a cell has changed.
__device__ __forceinline__ bool shows_any(const u32* present, const u32* changed, u32 planes) {
    u32 any = 0;
    for (u32 k = 0; k < PRESENT; k++) {
        const u32 q = present[k];
        if (q < planes) any |= changed[q];
    }
    return any;
}

// The likeliest of the planes present whose tolerance a point meets, the first of equals.
__device__ __forceinline__ u32
likeliest(const double (&p)[3], const u32 (&present)[PRESENT], const Slab* slabs, u32 planes) {
    u32 plane = NONE;
    double least = 0.0;
    for (u32 k = 0; k < PRESENT; k++) {
        const u32 q = present[k];
        if (q >= planes) continue;
        const Slab s = slabs[q];
        const double away = fabs(s.x * p[0] + s.y * p[1] + s.z * p[2] - s.rho);
        const double cost = away * away * s.weight + s.rest;
        if (away <= s.tolerance && (plane == NONE || cost < least)) {
            plane = q;
            least = cost;
        }
    }
    return plane;
}

// Writes the plane of each point to `labels`, and adds to the numbers of each plane the points that joined it, less
// those that left it. Of the cells only those are computed in which a plane is present that has `changed`; the first
// time all are, and `labels` are not read. Points lie cell by cell. One warp for LABEL_POINTS points.
extern "C" __global__ void label_points(
    const float* x, const float* y, const float* z, u32 points, const u32* starts, u32 cells,
    const u32* present, const Slab* slabs, const u32* changed, u32 planes, u32 is_first, int* labels,
    u64* numbers
) {
    const u32 lane = threadIdx.x % WARP;
    const u64 warp = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp * LABEL_POINTS >= points) return;
    const u32 first = warp * LABEL_POINTS, last = min((u64)points, (warp + 1) * LABEL_POINTS);
    Moved moved;
    moved.begin(NONE);
    for (u32 from = cell_of(starts, cells, first); from < cells && starts[from] < last; from += WARP) {
        // Each lane looks at one cell, and then all at the points of those that are computed.
        const u32 mine = from + lane;
        bool is_wanted = mine < cells && starts[mine] < last;
        if (is_wanted && !is_first) is_wanted = shows_any(present + (size_t)mine * PRESENT, changed, planes);
        for (u32 wanted = __ballot_sync(ALL, is_wanted); wanted != 0; wanted &= wanted - 1) {
            const u32 c = from + __ffs(wanted) - 1;
            u32 here[PRESENT];
            for (u32 k = 0; k < PRESENT; k++) here[k] = present[(size_t)c * PRESENT + k];
            const u32 end = min(last, c + 1 < cells ? starts[c + 1] : points);
            for (u32 i = max(first, starts[c]) + lane; i < end; i += WARP) {
                const double p[3] = {x[i], y[i], z[i]};
                const u32 plane = likeliest(p, here, slabs, planes);
                const u32 was = is_first ? NONE : (u32)labels[i];
                if (is_first || plane != was) labels[i] = (int)plane;
                if (plane == was) continue;
                moved.move(was, -1, p, numbers);
                moved.move(plane, 1, p, numbers);
            }
        }
    }
    // A lane whose points all stayed takes the plane of another lane.
    u32 some = moved.plane == NONE ? 0 : moved.plane;
    for (u32 d = WARP / 2; d > 0; d /= 2) some = max(some, __shfl_xor_sync(ALL, some, d));
    const bool is_idle = moved.plane == NONE;
    if (__all_sync(ALL, is_idle)) return;
    if (is_idle) moved.plane = some;
    if (__all_sync(ALL, moved.plane == some)) {
        moved.gather();
        if (lane == 0) moved.write(numbers);
    } else if (!is_idle) {
        moved.write(numbers);
    }
}

// Replaces the number of each plane by that of the plane it becomes.
extern "C" __global__ void rename_labels(int* labels, u32 points, const u32* becomes, u32 planes) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    const u32 plane = (u32)labels[i];
    labels[i] = plane < planes ? (int)becomes[plane] : -1;
}
