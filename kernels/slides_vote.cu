// The three votes of the slides on the GPU: f64, bins of width 1, 64-bit counters in global memory.
//
// slides_naive_scatter  One thread per point, the CPU's loop unchanged. Threads collide in the
//                       accumulator, so every vote is an atomic addition in global memory, and sines
//                       and cosines are computed again for every vote.
// slides_naive_gather   One thread per direction: no collisions, but 32400 threads, each of which reads
//                       all points from global memory and adds to its row there.
// slides_gather         The slides' optimizedHough4: points in constant memory, where one read serves
//                       a whole warp, the row as private 16-bit counters of the thread, sines and
//                       cosines in registers.
//
// What to expect: on an H200 with a million points 1.3e11, 5e10 and 2e11 votes per second. The scatter is
// bound by atomics at the L2. The gathers are bound by latency: 32400 threads are 8 warps per multiprocessor,
// and each addition waits for the one before it.
//
// Differences from the slides. The scatter reads a point only if there is one; the slides read first and
// check then. Points lie within MAXRHO - 1 of zero: the host rejects others, so no index is outside a row.
// The 16-bit counters of the gather would overflow after 65535 points in one bin: a launch takes one chunk of
// constant memory, far fewer points, and adds its counters to the accumulator.
//
// Nothing is fused here (--fmad=false), so products and sums round as on the CPU. Sine and cosine may round
// differently in their last bit; a point on the edge of a bin may then fall on its other side.

#include "slides.cuh"

struct Point {
    double x, y, z;
};

constexpr double CONVERSION = 3.14159265358979323846 / 180;

extern "C" {
__constant__ Point slides_points[SLIDES_CHUNK];
}

// Grid: one thread per point.
extern "C" __global__ void slides_naive_scatter(const Point* points, u64* accumulator, u32 count) {
    const u32 i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= count) return;
    const Point p = points[i];
    for (int theta = 0; theta < THETAS; theta++) {
        for (int phi = 0; phi < PHIS; phi++) {
            const double rho = p.x * sin(phi * CONVERSION) * cos(theta * CONVERSION)
                             + p.y * sin(phi * CONVERSION) * sin(theta * CONVERSION)
                             + p.z * cos(phi * CONVERSION);
            atomicAdd(
                &accumulator[phi * THETAS * RHOS + theta * RHOS + (int)floor(rho) + MAXRHO], 1ull
            );
        }
    }
}

// Grid: one thread per direction.
extern "C" __global__ void slides_naive_gather(const Point* points, u64* accumulator, u32 count) {
    const int index = threadIdx.x + blockDim.x * blockIdx.x;
    if (index >= THETAS * PHIS) return;
    const int phi = index % PHIS, theta = index / PHIS;
    for (u32 i = 0; i < count; i++) {
        const Point p = points[i];
        const double rho = p.x * sin(phi * CONVERSION) * cos(theta * CONVERSION)
                         + p.y * sin(phi * CONVERSION) * sin(theta * CONVERSION)
                         + p.z * cos(phi * CONVERSION);
        accumulator[phi * THETAS * RHOS + theta * RHOS + (int)floor(rho) + MAXRHO]++;
    }
}

// Uses the first `count` points of the constant memory. Grid: one thread per direction.
extern "C" __global__ void slides_gather(u64* accumulator, u32 count) {
    const int index = threadIdx.x + blockDim.x * blockIdx.x;
    if (index >= THETAS * PHIS) return;
    const int phi = index % PHIS, theta = index / PHIS;
    const double sinp = sin(phi * CONVERSION), cosp = cos(phi * CONVERSION);
    const double sint = sin(theta * CONVERSION), cost = cos(theta * CONVERSION);
    unsigned short local[RHOS];
    for (int r = 0; r < RHOS; r++) local[r] = 0;
    for (u32 i = 0; i < count; i++) {
        const Point p = slides_points[i];
        const double rho = p.x * sinp * cost + p.y * sinp * sint + p.z * cosp;
        local[(int)floor(rho) + MAXRHO]++;
    }
    for (int r = 0; r < RHOS; r++) accumulator[phi * THETAS * RHOS + theta * RHOS + r] += local[r];
}
