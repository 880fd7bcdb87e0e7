// The two suppressions of the slides on the GPU.
//
// slides_suppress_naive  One thread per bin compares it with the whole cube around it in global memory,
//                        11 x 11 x 11 bins: 8e9 reads of eight bytes, from the L1 at best.
// slides_suppress_tiled  The cube of a tile lies in shared memory, and a thread takes a row of rho:
//                        each bin is read from global memory (21 / 11)^3 = 7 times, not 1331 times.
//                        Shared memory limits the radius: 21 x 21 x 21 counters of four bytes are
//                        37 KB, and a radius of 6 would take 62 KB.
//
// What to expect: both do the same 8e9 comparisons. In the tiled one only 121 of a block's 441 threads
// compare, and they do not stop when a bin is beaten.
//
// Both use the slides' neighbourhoods: theta and phi end at 0 and 180 degrees, without a seam. They differ
// for equal bins: the naive one, like the CPU's, keeps all equal maxima; the tiled one (`>=`) keeps none of
// them. A single point leaves only equal maxima.
//
// As in the slides, the tiled one takes a whole row of the tile as zeros if the row begins before the axis
// (r_i < 0). So nothing is left in the first eleven bins of rho. Different from the slides: a row that runs
// beyond the axis is padded with zeros; the slides read on into the next row, and after the last one beyond
// the accumulator.

#include "slides.cuh"

constexpr int RADIUS = SLIDES_RADIUS;
// A tile is as wide as a neighbourhood, as the slides' loops assume.
constexpr int TILEWIDTH = 2 * RADIUS + 1;
constexpr int BLOCKWIDTH = TILEWIDTH + 2 * RADIUS;

// Grid: one thread per bin.
extern "C" __global__ void slides_suppress_naive(const u64* accumulator, u64* output) {
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= SIZE) return;
    const int rho = i % RHOS, theta = i / RHOS % THETAS, phi = i / (RHOS * THETAS);
    const int rstart = max(rho - RADIUS, 0), rend = min(rho + RADIUS + 1, RHOS);
    const int tstart = max(theta - RADIUS, 0), tend = min(theta + RADIUS + 1, THETAS);
    const int pstart = max(phi - RADIUS, 0), pend = min(phi + RADIUS + 1, PHIS);
    const u64 current = accumulator[i];
    bool is_max = true;
    for (int j = pstart; j < pend; j++) {
        for (int k = tstart; k < tend; k++) {
            for (int l = rstart; l < rend; l++) {
                const int index = j * RHOS * THETAS + k * RHOS + l;
                if (accumulator[index] > current && index != i) is_max = false;
            }
        }
    }
    output[i] = is_max ? current : 0;
}

// Grid: x over tiles of theta, y of phi, z of rho; blocks of BLOCKWIDTH x BLOCKWIDTH threads.
extern "C" __global__ void __launch_bounds__(BLOCKWIDTH * BLOCKWIDTH) slides_suppress_tiled(
    const u64* accumulator, u64* output
) {
    __shared__ u32 tile[BLOCKWIDTH][BLOCKWIDTH][BLOCKWIDTH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r_o = blockIdx.z * TILEWIDTH, r_i = r_o - RADIUS;
    const int row_o = blockIdx.y * TILEWIDTH + ty, row_i = row_o - RADIUS;
    const int col_o = blockIdx.x * TILEWIDTH + tx, col_i = col_o - RADIUS;
    for (int i = 0; i < BLOCKWIDTH; i++) {
        const bool there = row_i >= 0 && row_i < PHIS && col_i >= 0 && col_i < THETAS
                        && r_i >= 0 && r_i + i < RHOS;
        tile[ty][tx][i] = there ? accumulator[row_i * RHOS * THETAS + col_i * RHOS + r_i + i] : 0;
    }
    __syncthreads();
    if (ty >= TILEWIDTH || tx >= TILEWIDTH) return;
    for (int i = 0; i < TILEWIDTH; i++) {
        u64 current = tile[ty + RADIUS][tx + RADIUS][i + RADIUS];
        for (int j = ty; j < ty + TILEWIDTH; j++) {
            for (int k = tx; k < tx + TILEWIDTH; k++) {
                for (int l = i; l < i + TILEWIDTH; l++) {
                    if (tile[j][k][l] >= current
                        && (j != ty + RADIUS || k != tx + RADIUS || l != i + RADIUS)) {
                        current = 0;
                    }
                }
            }
        }
        if (row_o < PHIS && col_o < THETAS && r_o + i < RHOS) {
            output[row_o * RHOS * THETAS + col_o * RHOS + r_o + i] = current;
        }
    }
}
