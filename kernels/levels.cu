// The surface around the cells of all levels: the twin of src/cpu/surfaces.rs, which says what is done and
// why.
//
// Levels are built from the base up and their blocks found from the top down (tree.cuh). Then each block is
// judged by one thread: integer sums, and f64 in the CPU's order without fused operations, so that the two
// agree to the last bit. Lower bound: a cell's 80 bytes are read and 28 are written, 0.3 ms for 10 million
// cells at 4 TB/s; the eigenvalues are some 500 operations in f64 per block (roots and
// divisions are sequences of others), 0.3 ms for 10 million on an H200. So the two are about equal.

#include "eigen.cuh"
#include "evidence.cuh"
#include "tree.cuh"

typedef long long i64;

// Sums over the points of a cell; the twin of src/surface/moments.rs.
struct Moments {
    i64 n = 0, sum[3] = {0, 0, 0}, products[6] = {0, 0, 0, 0, 0, 0};

    // Adds the points of another cell, each moved by `by`.
    __device__ __forceinline__ void merge_shifted(const i64* other, const i64 (&by)[3]) {
        const i64 more = other[0];
        int p = 0;
#pragma unroll
        for (int a = 0; a < 3; a++) {
#pragma unroll
            for (int b = a; b < 3; b++) {
                products[p] += other[4 + p] + by[a] * other[1 + b] + by[b] * other[1 + a] +
                               by[a] * by[b] * more;
                p++;
            }
        }
#pragma unroll
        for (int a = 0; a < 3; a++) sum[a] += other[1 + a] + by[a] * more;
        n += more;
    }

    __device__ __forceinline__ void write(i64* to) const {
        to[0] = n;
        for (int a = 0; a < 3; a++) to[1 + a] = sum[a];
        for (int p = 0; p < 6; p++) to[4 + p] = products[p];
    }
};

// How flat a block is; thickness zero if it is not.
struct Flatness {
    float ratio, thickness, error, normal[3];
};

// For the `count` cells from `from` on: one for the first cell of each parent, zero for the others, and a
// zero at the end.
extern "C" __global__ void parent_heads(const u64* keys, u32 from, u32 count, u32* flags) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > count) return;
    const u32 cell = from + i;
    flags[i] = i < count && (i == 0 || keys[cell] >> 3 != keys[cell - 1] >> 3);
}

// The parents of a level; their cells begin where the level ends. `places` are the exclusive prefix sums of
// `parent_heads`.
extern "C" __global__ void parents(
    u64* keys, u32 from, u32 count, const u32* places, u32* parent, u32* first
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u32 above = from + count + places[i + 1] - 1;
    parent[from + i] = above;
    if (places[i] == places[i + 1]) return;
    keys[above] = keys[from + i] >> 3;
    first[above] = from + i;
}

// The sums of the `count` cells from `above` on, over their children, which begin at `from` and are `span`
// units wide.
extern "C" __global__ void join_cells(
    const u64* keys, const u32* parent, const u32* first, const i64* sums, u32 from, u32 above,
    u32 count, i64 span, i64* joined, unsigned char* children
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u32 cell = above + i;
    Moments total;
    u32 there = 0;
    for (u32 c = first[cell]; c < above && parent[c] == cell; c++) {
        const u32 octant = (u32)keys[c] & 7;
        there |= 1u << octant;
        const i64 by[3] = {octant & 1 ? span : 0, octant & 2 ? span : 0, octant & 4 ? span : 0};
        total.merge_shifted(sums + (size_t)(c - from) * 10, by);
    }
    total.write(joined + (size_t)i * 10);
    children[cell] = (unsigned char)there;
}

// The blocks of the highest level, by searching for every neighbour.
extern "C" __global__ void blocks_at_top(const u64* keys, u32 from, u32 count, u32* near) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u64 key = keys[from + i];
    const u32 at[3] = {every_third(key), every_third(key >> 1), every_third(key >> 2)};
    for (u32 k = 0; k < BLOCK_CELLS; k++) {
        // Off the lattice on the low side, this wraps to a large number.
        const u32 x = at[0] + k % 3 - 1, y = at[1] + k / 3 % 3 - 1, z = at[2] + k / 9 - 1;
        u32 found = NONE;
        if ((x | y | z) >> 21 == 0) {
            const u64 wanted = morton(x, y, z);
            u32 low = 0, high = count;
            while (low < high) {
                const u32 middle = low + (high - low) / 2;
                if (keys[from + middle] < wanted) low = middle + 1;
                else high = middle;
            }
            if (low < count && keys[from + low] == wanted) found = from + low;
        }
        near[(size_t)k * count + i] = found;
    }
}

// The blocks of a level, from those of the level above.
extern "C" __global__ void blocks_below(
    const u64* keys, const u32* parent, const u32* first, const unsigned char* children,
    const u32* near, u32 near_from, u32 near_cells, u32 from, u32 count, u32* found
) {
    const Tree tree = {keys, parent, first, children, near, near_from, near_cells, 0};
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (u32 k = 0; k < BLOCK_CELLS; k++) found[(size_t)k * count + i] = NONE;
    tree.block(from + i, [&](u32 other, int x, int y, int z) {
        found[(size_t)Tree::slot(x, y, z) * count + i] = other;
    });
}

// Judges the blocks of a level, whose cells have the given sums.
extern "C" __global__ void __launch_bounds__(JUDGE_THREADS) judge(
    const u64* keys, const u32* parent, const u32* first, const unsigned char* children,
    const u32* near, u32 near_from, u32 near_cells, u32 own, const i64* sums, u32 from, u32 count,
    i64 span, double unit, Flatness* flat, u32* distinct
) {
    const Tree tree = {keys, parent, first, children, near, near_from, near_cells, own};
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Moments total;
    tree.block(from + i, [&](u32 other, int x, int y, int z) {
        const i64 by[3] = {x * span, y * span, z * span};
        total.merge_shifted(sums + (size_t)(other - from) * 10, by);
    });
    distinct[from + i] = (u32)sums[(size_t)i * 10];
    Flatness found = {0.0f, 0.0f, 0.0f, {0.0f, 0.0f, 0.0f}};
    if (total.n >= MIN_POINTS) {
        const double n = (double)total.n;
        double mean[3], c[6], values[3];
        for (int a = 0; a < 3; a++) mean[a] = (double)total.sum[a] / n;
        int p = 0;
#pragma unroll
        for (int a = 0; a < 3; a++) {
#pragma unroll
            for (int b = a; b < 3; b++) {
                c[p] = (double)total.products[p] / n - mean[a] * mean[b];
                p++;
            }
        }
        const Vec3 normal = smallest(c, values);
        const double least = fmax(values[0], 1.0 / 12.0);
        const double ratio = least / values[1];
        if (ratio <= NEARLY_FLAT && values[1] >= LINE * values[2]) {
            found.ratio = (float)ratio;
            found.thickness = (float)(sqrt(least * n / (n - 3.0)) * unit);
            found.error = (float)sqrt(ratio / n);
            found.normal[0] = (float)normal.x;
            found.normal[1] = (float)normal.y;
            found.normal[2] = (float)normal.z;
        }
    }
    flat[from + i] = found;
}

// A block, made at least as thick as the floor there.
__device__ __forceinline__ Flatness at_least(Flatness flat, float floor) {
    if (flat.thickness >= floor) return flat;
    const float times = floor / flat.thickness;
    flat.ratio = flat.ratio * times * times;
    flat.thickness = floor;
    flat.error = flat.error * times;
    return flat;
}

// The finest level that is flat around a base cell, or else the flattest that nearly is, among blocks of at
// most the given thickness; NONE without any. `best` is its block. Where noise is `sliced`, blocks that are exact
// compared with it are steps of the depths, unless they are exact on several levels.
__device__ __forceinline__ u32 choose(
    const Flatness* flat, const u32* parent, u32 levels, double thickest, float floor, u32 sliced,
    u32 cell, Flatness& best
) {
    u32 found = NONE, slice = NONE, slices = 0;
    Flatness exact = {0.0f, 0.0f, 0.0f, {0.0f, 0.0f, 0.0f}};
    for (u32 level = 0; level < levels; level++) {
        const Flatness seen = flat[cell];
        if (seen.thickness > 0.0f && (double)seen.thickness <= thickest) {
            const bool is_slice = sliced && EXACT_BLOCK * seen.thickness < floor;
            const Flatness judged = at_least(seen, floor);
            if (is_slice) {
                if (slice == NONE) {
                    slice = level;
                    exact = judged;
                }
                if (++slices == SLICES) break;
            } else {
                if (found == NONE || judged.ratio < best.ratio) {
                    found = level;
                    best = judged;
                }
                if (judged.ratio <= (float)FLAT) break;
            }
        }
        if (level + 1 < levels) cell = parent[cell];
    }
    if (slices < SLICES) return found;
    best = exact;
    return slice;
}

// The thickness of the surface around each base cell, scaled to the usual noise; zero without one. `seen`
// marks cells whose surface is known, `scale` is the noise as a multiple of the usual noise, and no block
// counts as thinner than `floor`.
extern "C" __global__ void thicknesses(
    const Flatness* flat, const u32* parent, u32 levels, double thickest, const float* scale,
    const float* floor, u32 sliced, const unsigned char* seen, u32 count, float* thickness
) {
    const u32 cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= count) return;
    Flatness best = {0.0f, 0.0f, 0.0f, {0.0f, 0.0f, 0.0f}};
    const double times = scale[cell];
    const bool there =
        !(seen[cell] & 1) &&
        choose(flat, parent, levels, thickest * times, floor[cell], sliced, cell, best) != NONE;
    thickness[cell] = there ? (float)((double)best.thickness / times) : 0.0f;
}

// Numbers of points by an 11-bit digit of their thickness at `shift`, among thicknesses whose higher bits are
// `prefix`.
constexpr u32 DIGITS = 1 << THICKNESS_DIGIT_BITS;
extern "C" __global__ void __launch_bounds__(256) weigh(
    const float* thickness, const u32* distinct, u32 count, u32 shift, u32 prefix, u32* weights
) {
    __shared__ u32 own[DIGITS];
    for (u32 d = threadIdx.x; d < DIGITS; d += blockDim.x) own[d] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        // The bits of positive floats are in the order of the floats.
        const u32 bits = __float_as_uint(thickness[i]);
        if (bits == 0 || (u64)bits >> (shift + THICKNESS_DIGIT_BITS) != prefix) continue;
        atomicAdd(own + (bits >> shift) % DIGITS, distinct[i]);
    }
    __syncthreads();
    for (u32 d = threadIdx.x; d < DIGITS; d += blockDim.x) {
        if (own[d]) atomicAdd(weights + d, own[d]);
    }
}

// The surface around a base cell; thickness zero without one. The host copies it, too.
struct Surface {
    float normal[3], error, thickness;
    u32 level;
};

// The surfaces of all base cells.
extern "C" __global__ void surfaces(
    const Flatness* flat, const u32* parent, u32 levels, double thickest, const float* scale,
    const float* floor, u32 sliced, const unsigned char* seen, u32 count, Surface* found
) {
    const u32 cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= count) return;
    Surface surface = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f, 0};
    Flatness block = {0.0f, 0.0f, 0.0f, {0.0f, 0.0f, 0.0f}};
    const double limit = thickest * (double)scale[cell];
    const bool known = seen[cell] & 1;
    const u32 level =
        known ? NONE : choose(flat, parent, levels, limit, floor[cell], sliced, cell, block);
    if (level != NONE) {
        const Vec3 v = {block.normal[0], block.normal[1], block.normal[2]};
        const double length = sqrt(dot(v, v)), by = length > 0.0 ? length : 1.0;
        surface.normal[0] = (float)(v.x / by);
        surface.normal[1] = (float)(v.y / by);
        surface.normal[2] = (float)(v.z / by);
        surface.error = block.error;
        surface.thickness = block.thickness;
        surface.level = level;
    }
    found[cell] = surface;
}

// The points of planes in the base cells. Bit 1 of what is `known` of a cell says that it belongs to a plane;
// bit 0 says that its surface is known.
extern "C" __global__ void take(
    const unsigned char* known, const u32* distinct, u32 count, u32* taken
) {
    const u32 cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= count) return;
    taken[cell] = known[cell] & 2 ? distinct[cell] : 0;
}

// The points of planes in the `count` cells from `above` on.
extern "C" __global__ void join_taken(
    const u32* first, const unsigned char* children, u32 above, u32 count, u32* taken
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u32 cell = above + i, end = first[cell] + __popc(children[cell]);
    u32 sum = 0;
    for (u32 c = first[cell]; c < end; c++) sum += taken[c];
    taken[cell] = sum;
}

// Strikes out the blocks of a level a good part of which belongs to planes.
extern "C" __global__ void strike(
    const u64* keys, const u32* parent, const u32* first, const unsigned char* children,
    const u32* near, u32 near_from, u32 near_cells, u32 own, const u32* taken, const u32* distinct,
    u32 from, u32 count, Flatness* flat
) {
    const Tree tree = {keys, parent, first, children, near, near_from, near_cells, own};
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    u64 of_planes = 0, all = 0;
    tree.block(from + i, [&](u32 other, int, int, int) {
        of_planes += taken[other];
        all += distinct[other];
    });
    if (of_planes * MIXED > all) flat[from + i].thickness = 0.0f;
}
