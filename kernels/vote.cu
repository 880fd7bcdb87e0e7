// The fast voter: groups of neighbouring points vote at once.
//
// Points come sorted along a curve in groups of GROUP, each with its box. For one direction the bins of a
// group lie between those of two corners of its box, exactly (src/vote.rs). If both corners share a bin, one
// addition casts all its votes; otherwise every point votes for itself.
//
// A block owns some directions, all of one octant, so that the two corners are the same for all of them, and
// keeps their rows in shared memory. A warp takes a group, two points per lane, and keeps it in registers.
// First, lanes are directions: each tests the box against its own. Then, for every direction that the box
// straddles, lanes are points. So a group is read once for all directions of a block. A group of far outliers
// straddles nearly all directions; for it, the search for straddled directions is skipped.
//
// Lower bound: 20 instructions of a warp test 32 directions; a straddled direction takes 19 for its 64 votes,
// and 13 if nearly all are straddled. On the street of ten million points that makes 2.2 instructions for 32
// votes (2.5 with groups of 32, 2.3 with 128): 1.04e12 instructions per second (132 multiprocessors, 4
// schedulers, 1.98 GHz) are 1.5e13 votes per second.

#include "vote.cuh"

// 2^23: added to a smaller nonnegative float, rounding down, it leaves the floor in the low bits. This is one
// addition instead of a conversion; a multiprocessor does only a quarter as many conversions.
constexpr float SHIFTER = 8388608.0f;
constexpr u32 SHIFTED_ZERO = 0x4b000000u;

static_assert(GROUP == 2 * WARP, "two points a lane");

// If this many of 32 directions are straddled, it is as much work as for all.
constexpr u32 MANY = 18;

// Adds to a 32-bit counter in shared memory, without fetching the old value.
__device__ __forceinline__ void add_shared(u32 address, u32 votes) {
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address), "r"(votes) : "memory");
}

// The bins that a block counts: all of a row, or a window of a row that is too long for shared memory.
struct Window {
    u32 first, bins;
};

// Sixteen bytes of shared memory.
__device__ __forceinline__ float4 load_shared(u32 address) {
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(address));
    return v;
}

// The position of the highest set bit.
__device__ __forceinline__ u32 highest_bit(u32 v) {
    u32 bit;
    asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(v));
    return bit;
}

// Makes the compiler keep a value that it would otherwise compute again and again.
__device__ __forceinline__ u32 kept(u32 v) {
    asm volatile("mov.u32 %0, %0;" : "+r"(v));
    return v;
}

// A position as a shifted bin of a window. With GUARD, positions outside fall on a bin before or after the
// window, whose counts are discarded; the window's own bins then begin at one.
template <bool GUARD>
__device__ __forceinline__ u32 shifted_bin(float position, Window window) {
    if (GUARD) {
        const float before = (float)window.first - 1.0f, after = (float)(window.first + window.bins);
        position = fminf(fmaxf(floorf(position), before), after) - before;
    }
    return __float_as_uint(__fadd_rd(position, SHIFTER));
}

struct Groups {
    // Two points per lane.
    const float2 *x, *y, *z;
    // Smallest and largest coordinates of each group.
    const float4 *low, *high;
    u32 count;
};

// Directions ordered by octant, each octant padded to whole blocks.
struct Directions {
    const float4* table;
    // The row of each, or ~0 for padding.
    const u32* row;
};

// Lets groups of points vote for the directions of some rows, in a window of bins.
template <int CHUNKS, bool GUARD>
__device__ __forceinline__ void vote_groups(
    Groups groups, Directions directions, u32 bins, u32 window_bins, u32 sign, u32* counts
) {
    extern __shared__ float4 shared[];
    constexpr u32 ROWS = CHUNKS * WARP;
    const Window window = {GUARD ? blockIdx.z * window_bins : 0,
                           GUARD ? min(window_bins, bins - blockIdx.z * window_bins) : bins};
    // An odd stride spreads equal bins of neighbouring rows over the banks.
    const u32 stride = (window.bins + (GUARD ? 2 : 0)) | 1;
    u32* votes = (u32*)(shared + ROWS);
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;

    for (u32 i = threadIdx.x; i < ROWS * stride; i += blockDim.x) votes[i] = 0;
    // Address of the counter whose bin is zero when shifted.
    const u32 zero = (u32)__cvta_generic_to_shared(votes) - 4 * SHIFTED_ZERO;
    float4 t[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) t[c] = directions.table[blockIdx.x * ROWS + c * WARP + lane];
    // All directions have the same shift, so the row's address takes its place in the shared table.
    const float shift = t[0].w;
    u32 rows[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        rows[c] = kept(zero + 4 * (c * WARP + lane) * stride);
        const float4 entry = make_float4(t[c].x, t[c].y, t[c].z, __uint_as_float(rows[c]));
        if (warp == 0) shared[c * WARP + lane] = entry;
    }
    __syncthreads();
    const bool up_x = t[0].x >= 0.0f, up_y = t[0].y >= 0.0f, up_z = t[0].z >= 0.0f;

    const u32 table = kept((u32)__cvta_generic_to_shared(shared));
    // Both points of a lane vote for a direction.
    auto vote_both = [&](u32 direction, float2 x, float2 y, float2 z) {
        const float4 entry = load_shared(table + 16 * direction);
        const float4 t = make_float4(entry.x, entry.y, entry.z, shift);
        const u32 row = __float_as_uint(entry.w);
        add_shared(row + 4 * shifted_bin<GUARD>(position(t, x.x, y.x, z.x), window), 1);
        add_shared(row + 4 * shifted_bin<GUARD>(position(t, x.y, y.y, z.y), window), 1);
    };
    const u32 share = (groups.count + gridDim.y - 1) / gridDim.y;
    const u32 end = min(groups.count, (blockIdx.y + 1) * share);
    for (u32 g = blockIdx.y * share + warp; g < end; g += warps) {
        const float2 x = groups.x[g * WARP + lane], y = groups.y[g * WARP + lane],
                     z = groups.z[g * WARP + lane];
        const float4 low = groups.low[g], high = groups.high[g];
        const float from_x = up_x ? low.x : high.x, to_x = up_x ? high.x : low.x;
        const float from_y = up_y ? low.y : high.y, to_y = up_y ? high.y : low.y;
        const float from_z = up_z ? low.z : high.z, to_z = up_z ? high.z : low.z;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            const u32 from = shifted_bin<GUARD>(position(t[c], from_x, from_y, from_z), window);
            const u32 to = shifted_bin<GUARD>(position(t[c], to_x, to_y, to_z), window);
            u32 straddled = __ballot_sync(ALL, from != to);
            if (__popc(straddled) >= MANY) {
#pragma unroll 16
                for (u32 d = c * WARP; d < (c + 1) * WARP; d++) vote_both(d, x, y, z);
                continue;
            }
            // Adds nothing where they differ: an addition costs less than a branch around it.
            add_shared(rows[c] + 4 * from, from == to ? GROUP : 0);
            while (straddled) {
                const u32 last = highest_bit(straddled);
                straddled ^= 1u << last;
                vote_both(c * WARP + last, x, y, z);
            }
        }
    }
    __syncthreads();
    for (u32 i = warp; i < ROWS; i += warps) {
        const u32 row = directions.row[blockIdx.x * ROWS + i];
        if (row == ~0u) continue;
        u32* to = counts + (size_t)row * bins + window.first;
        for (u32 r = lane; r < window.bins; r += WARP) {
            const u32 cast = votes[i * stride + r + (GUARD ? 1 : 0)];
            if (cast) atomicAdd(to + r, sign * cast);
        }
    }
}

// Grids: x over blocks of directions, y over shares of the groups, z over windows of the rows. Shared memory:
// the rows' entries of the table, and the counters of the window (two more with guards) at an odd stride.
#define VOTE_GROUPS(NAME, CHUNKS, GUARD)                                                  \
    extern "C" __global__ void __launch_bounds__(VOTE_THREADS, VOTE_BLOCKS) NAME(                            \
        const float2* x, const float2* y, const float2* z, const float4* low,             \
        const float4* high, u32 groups, const float4* table, const u32* row, u32 bins,    \
        u32 window_bins, u32 sign, u32* counts                                            \
    ) {                                                                                   \
        vote_groups<CHUNKS, GUARD>(                                                       \
            {x, y, z, low, high, groups}, {table, row}, bins, window_bins, sign, counts   \
        );                                                                                \
    }
VOTE_GROUPS(vote_groups_128, 4, false)
VOTE_GROUPS(vote_groups_64, 2, false)
VOTE_GROUPS(vote_groups_32, 1, false)
VOTE_GROUPS(vote_groups_guarded_128, 4, true)
VOTE_GROUPS(vote_groups_guarded_64, 2, true)
VOTE_GROUPS(vote_groups_guarded_32, 1, true)

// Points one by one, one thread per direction: for the few points that fill no group.
extern "C" __global__ void vote_each(
    const float* x, const float* y, const float* z, u32 points, const float4* table, u32 rows,
    u32 bins, u32 sign, u32* counts
) {
    const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float4 t = table[row];
    const u32 share = (points + gridDim.y - 1) / gridDim.y;
    const u32 end = min(points, (blockIdx.y + 1) * share);
    for (u32 i = blockIdx.y * share; i < end; i++) {
        const u32 r = bin(position(t, x[i], y[i], z[i]), bins);
        if (r < bins) atomicAdd(counts + (size_t)row * bins + r, sign);
    }
}

// Ballots vote for the directions near their own: a block owns a row and gathers the ballots of the rows near
// it.
//
// `ballots[n] .. ballots[n + 1]` are the ballots of direction n; `near[near_start[k] .. near_start[k + 1]]`
// are the directions near k, each as twice its row, plus one if flipped.
extern "C" __global__ void vote_near(
    const float* x, const float* y, const float* z, const u32* weight, const u32* ballots,
    const u32* near_start, const u32* near, const float4* table, u32 bins, u32 sign, u32* counts
) {
    const u32 row = blockIdx.x;
    const float4 t = table[row];
    u32* votes = counts + (size_t)row * bins;
    for (u32 n = near_start[row]; n < near_start[row + 1]; n++) {
        const u32 from = near[n] >> 1;
        const u32 end = ballots[from + 1];
        for (u32 i = ballots[from] + threadIdx.x; i < end; i += blockDim.x) {
            const u32 r = bin(position(t, x[i], y[i], z[i]), bins);
            if (r < bins) atomicAdd(votes + r, sign * weight[i]);
        }
    }
}

// Adds the votes of another accumulator.
extern "C" __global__ void add_votes(u32* counts, const u32* others, u32 size) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) counts[i] += others[i];
}
