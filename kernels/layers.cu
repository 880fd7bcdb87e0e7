// The surface through a cell whose surrounding points belong to several surfaces: the twin of
// src/cpu/layers.rs, which says what is done and why.
//
// Every sum is added up in the CPU's order, by one thread, in f64 and without fused operations, so that the
// two agree to the last bit. One kernel gathers the points of each block once, with the k-th points of
// neighbouring blocks next to each other; another examines them for every cell of the block.

#include "eigen.cuh"
#include "evidence.cuh"
#include "tree.cuh"

// How the trial of a block, or of a cell, ended.
enum Outcome : unsigned char { TOO_FEW, CROWDED, TRIED, FOUND };

// Sums of points about the first of them; the twin of src/surface/spread.rs with weights of one.
struct Spread {
    Vec3 origin = {0.0, 0.0, 0.0};
    double weight = 0.0;
    double sum[3] = {0.0, 0.0, 0.0};
    double products[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

    __device__ __forceinline__ void add(Vec3 point) {
        if (weight == 0.0) origin = point;
        const Vec3 p = minus(point, origin);
        weight += 1.0;
        sum[0] += p.x;
        sum[1] += p.y;
        sum[2] += p.z;
        products[0] += p.x * p.x;
        products[1] += p.x * p.y;
        products[2] += p.x * p.z;
        products[3] += p.y * p.y;
        products[4] += p.y * p.z;
        products[5] += p.z * p.z;
    }

    __device__ __forceinline__ Vec3 mean() const {
        const double n = fmax(weight, 1.0);
        return {origin.x + sum[0] / n, origin.y + sum[1] / n, origin.z + sum[2] / n};
    }

    __device__ __forceinline__ void covariance(double (&c)[6]) const {
        const double n = fmax(weight, 1.0);
        const int first[6] = {0, 0, 0, 1, 1, 2}, second[6] = {0, 1, 2, 1, 2, 2};
#pragma unroll
        for (int i = 0; i < 6; i++) {
            c[i] = products[i] / n - sum[first[i]] / n * (sum[second[i]] / n);
        }
    }
};

// The distinct points of the cloud in the order of their base cells.
struct Cloud {
    const float *x, *y, *z;
    u32 points;
    // First point of each base cell.
    const u32* starts;
    u32 cells;

    // First and last point of a base cell.
    __device__ __forceinline__ uint2 range(u32 cell) const {
        return {starts[cell], cell + 1 < cells ? starts[cell + 1] : points};
    }
    __device__ __forceinline__ Vec3 point(u32 i) const { return {x[i], y[i], z[i]}; }

    // Calls `visit` with every `stride`-th point of a cell, after skipping `until` points. Sets `until` to
    // the number of points to skip in the next cell.
    template <class Visit>
    __device__ __forceinline__ void every(u32 stride, u32& until, u32 cell, Visit visit) const {
        const uint2 range = this->range(cell);
        const u32 n = range.y - range.x;
        u32 k = until;
        for (; k < n; k += stride) visit(range.x + k);
        until = k - n;
    }
};

// The cell that holds a base cell `levels` levels above it.
__device__ __forceinline__ u32 ancestor(const u32* parent, u32 cell, u32 levels) {
    for (u32 l = 0; l < levels; l++) cell = parent[cell];
    return cell;
}

// The first base cell within a cell `levels` levels above.
__device__ __forceinline__ u32 descendant(const u32* first, u32 cell, u32 levels) {
    for (u32 l = 0; l < levels; l++) cell = first[cell];
    return cell;
}

// The cells of a level that hold the tried base cells; and flags: one for the first tried base cell in each,
// zero for the others, and a zero at the end.
extern "C" __global__ void block_heads(
    const u32* parent, const u32* bases, u32 count, u32 level, u32* cells, u32* flags
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > count) return;
    if (i < count) cells[i] = ancestor(parent, bases[i], level);
    flags[i] = i < count && (i == 0 || cells[i] != ancestor(parent, bases[i - 1], level));
}

// The cells whose blocks are examined, the first base cell tried in each, and the block of each base cell;
// `places` are the exclusive prefix sums of the flags.
extern "C" __global__ void list_blocks(
    const u32* cells, const u32* places, u32 count, u32* listed, u32* firsts, u32* block_of
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u32 block = places[i + 1] - 1;
    block_of[i] = block;
    if (places[i] == places[i + 1]) return;
    listed[block] = cells[i];
    firsts[block] = i;
}

// The state of a block.
struct Block {
    double normal_x, normal_y, normal_z;
    // Standard deviation of points about their surface in the block.
    double noise;
    // Twice the area of the smallest triangle that tells a direction.
    double least_area;
    u32 points;
    u32 outcome;
    // Whether layers may lie along the block.
    u32 is_layered;
    // Padding to a whole number of doubles.
    u32 padding;
};

// The points of each block (of a crowded one, every n-th point), and how they spread. `cells` are the cells
// of the blocks, on a level that ends at `end`. `heads` gives the first of the `bases` tried in each; its
// noise counts. Point k of block g is at `to[k * room + g]`.
extern "C" __global__ void gather_blocks(
    const float* x, const float* y, const float* z, u32 points, const u32* starts, u32 base_cells,
    const u32* distinct, const u64* keys, const u32* parent, const u32* first,
    const unsigned char* children, const u32* near, u32 near_from, u32 near_cells, u32 own,
    u32 level, u32 end, const u32* cells, const u32* heads, const u32* bases, const float* scale,
    double usual, double widest, u32 count, float* to_x, float* to_y, float* to_z, u32 room,
    Block* found
) {
    const Cloud cloud = {x, y, z, points, starts, base_cells};
    const Tree tree = {keys, parent, first, children, near, near_from, near_cells, own};
    const u32 g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= count) return;
    const u32 cell = cells[g];
    const double noise = usual * (double)scale[bases[heads[g]]];
    u64 n = 0;
    tree.block(cell, [&](u32 other, int, int, int) { n += distinct[other]; });
    Block block = {0.0, 0.0, 0.0, noise, 0.0, 0, TRIED, 0, 0};
    const bool too_few = noise > widest || n < MIN_POINTS;
    const bool is_first = level == 0 || noise > 0.5 * widest;
    if (too_few || (n > CROWD && !is_first)) {
        block.outcome = too_few ? TOO_FEW : CROWDED;
        found[g] = block;
        return;
    }
    const u32 stride = max((u32)((n + BLOCK_POINTS - 1) / BLOCK_POINTS), 1u);
    Spread all;
    Vec3 origin = {0.0, 0.0, 0.0};
    double farthest = 0.0;
    u32 until = 0;
    tree.block(cell, [&](u32 other, int, int, int) {
        const u32 last = other + 1 < end ? descendant(first, other + 1, level) : base_cells;
        for (u32 base = descendant(first, other, level); base < last; base++) {
            cloud.every(stride, until, base, [&](u32 i) {
                const size_t at = (size_t)block.points * room + g;
                to_x[at] = cloud.x[i];
                to_y[at] = cloud.y[i];
                to_z[at] = cloud.z[i];
                if (block.points == 0) origin = cloud.point(i);
                const Vec3 apart = minus(cloud.point(i), origin);
                farthest = fmax(farthest, dot(apart, apart));
                block.points++;
                all.add(cloud.point(i));
            });
        }
    });
    double covariance[6], values[3];
    all.covariance(covariance);
    const Vec3 normal = smallest(covariance, values);
    block.normal_x = normal.x;
    block.normal_y = normal.y;
    block.normal_z = normal.z;
    block.least_area = LEAST_AREA * farthest;
    block.is_layered = values[0] <= LAYERS * values[1];
    found[g] = block;
}

struct Guess {
    Vec3 normal;
    double rho;
    __device__ __forceinline__ double distance(Vec3 p) const { return dot(p, normal) - rho; }
};

// A layer through a cell, as its surfel.
struct Layer {
    double centroid[3];
    u32 entry;
    u32 weight;
    float scatter[6];
    float normal[3];
    float error;
    float thickness;
    // Padding to a whole number of doubles; the host copies it, too.
    u32 padding;
};

// Points that are read at a time, since each takes long to arrive.
constexpr u32 READ = 4;
// Guesses for which each point is counted at a time.
constexpr u32 GUESSES = 4;
static_assert(TRIANGLES % GUESSES == 0, "no guess is left over");
static_assert(MOST_GUESSES <= GUESSES, "all guesses along the block are counted at once");

// Calls `visit` with the points from `first` to `end`, in their order; `at` gives the point of an index.
template <class At, class Visit>
__device__ __forceinline__ void each(u32 first, u32 end, At at, Visit visit) {
    for (u32 i = first; i < end; i += READ) {
        Vec3 p[READ];
#pragma unroll
        for (u32 l = 0; l < READ; l++) p[l] = at(min(i + l, end - 1));
#pragma unroll
        for (u32 l = 0; l < READ; l++) {
            if (i + l < end) visit(p[l]);
        }
    }
}

// A cell that is tried, and the gathered points of its block.
struct Trial {
    const Cloud& cloud;
    const float *x, *y, *z;
    u32 room, points;
    uint2 own;
    double noise;
    // Whether an exact layer is a step of the depths.
    u32 sliced;

    __device__ __forceinline__ Vec3 point(u32 k) const {
        const size_t at = (size_t)k * room;
        return {x[at], y[at], z[at]};
    }

    // Calls `visit` with every gathered point.
    template <class Visit>
    __device__ __forceinline__ void every(Visit visit) const {
        each(0, points, [&](u32 k) { return point(k); }, visit);
    }

    // Counts the points in the slab of each guess; `best` becomes the first with more than `most`, or the first of all
    // unless there was `any` before. Guesses that are not `valid` are ignored.
    __device__ __forceinline__ void
    compare(const Guess (&guesses)[GUESSES], const bool (&valid)[GUESSES], bool& any, u32& most, Guess& best) const {
        const double slab = GUESS_SLAB * noise;
        u32 n[GUESSES] = {};
        every([&](Vec3 p) {
#pragma unroll
            for (u32 l = 0; l < GUESSES; l++) n[l] += fabs(guesses[l].distance(p)) <= slab;
        });
#pragma unroll
        for (u32 l = 0; l < GUESSES; l++) {
            if (valid[l] && (!any || n[l] > most)) {
                any = true;
                most = n[l];
                best = guesses[l];
            }
        }
    }

    // The guess with most points, through some of the cell's own points, along the block.
    __device__ __forceinline__ bool along(Vec3 normal, Guess& best) const {
        const u32 stride = max((own.y - own.x + MOST_GUESSES - 1) / MOST_GUESSES, 1u);
        Guess guesses[GUESSES] = {};
        bool valid[GUESSES];
#pragma unroll
        for (u32 l = 0; l < GUESSES; l++) {
            valid[l] = l * stride < own.y - own.x;
            if (valid[l]) guesses[l] = {normal, dot(cloud.point(own.x + l * stride), normal)};
        }
        bool any = false;
        u32 most = 0;
        compare(guesses, valid, any, most, best);
        return any;
    }

    // The plane through one of the cell's own points and two others; whether these are far enough apart.
    __device__ __forceinline__ bool triangle(u32 k, double least_area, Guess& guess) const {
        const Vec3 p = cloud.point(own.x + k % (own.y - own.x));
        const u32 a = k * points / TRIANGLES;
        const u32 b = (a + points / 3 + 31 * k) % points;
        const Vec3 product = cross(minus(point(a), p), minus(point(b), p));
        const double area = sqrt(dot(product, product));
        const Vec3 normal = {product.x / area, product.y / area, product.z / area};
        guess = {normal, dot(p, normal)};
        return area > least_area;
    }

    // The guess with most points, through one of the cell's own points and two others, if it holds enough.
    __device__ __forceinline__ bool in_any_direction(double least_area, Guess& best) const {
        u32 most = 0;
        bool any = false;
        for (u32 k = 0; k < TRIANGLES; k += GUESSES) {
            Guess guesses[GUESSES];
            bool valid[GUESSES];
#pragma unroll
            for (u32 l = 0; l < GUESSES; l++) valid[l] = triangle(k + l, least_area, guesses[l]);
            compare(guesses, valid, any, most, best);
        }
        if (!any) return false;
        u32 n = 0;
        every([&](Vec3 p) { n += fabs(best.distance(p)) <= LAYER_SLAB * noise; });
        return (double)n >= LAYER_SHARE * (double)points;
    }

    // Whether a layer is denser than the points on at least one side of it.
    __device__ __forceinline__ bool stands_out(const Guess& layer, u32 contrast) const {
        const double slab = LAYER_SLAB * noise;
        u32 inside = 0, below = 0, above = 0;
        every([&](Vec3 p) {
            const double d = layer.distance(p);
            inside += fabs(d) <= slab;
            below += d < -slab && d >= -2.0 * slab;
            above += d > slab && d <= 2.0 * slab;
        });
        return 2 * contrast * min(below, above) <= inside;
    }

    // The layer that a guess leads to.
    __device__ __forceinline__ bool layer(Guess guess, double flat, u32 contrast, Layer& found) const {
        double slab = FIRST_LAYER_SLAB * noise, n = 0.0, values[3] = {0.0, 0.0, 0.0}, c[6];
        for (int i = 0; i < LAYER_FITS; i++) {
            Spread layer;
            every([&](Vec3 p) {
                if (fabs(guess.distance(p)) <= slab) layer.add(p);
            });
            n = layer.weight;
            if (n < (double)MIN_POINTS) return false;
            layer.covariance(c);
            guess.normal = smallest(c, values);
            guess.rho = dot(guess.normal, layer.mean());
            slab = LAYER_SLAB * noise;
        }
        const double least = fmax(values[0], 0.0);
        const double thickness = sqrt(least * n / (n - 3.0));
        const bool wide = values[0] <= flat * values[1] && values[1] >= LINE * values[2];
        if (!wide || (sliced && EXACT_LAYER * thickness < noise)) return false;
        if (thickness > THICKEST_LAYER * noise || !stands_out(guess, contrast)) return false;
        Spread mine;
        each(own.x, own.y, [&](u32 i) { return cloud.point(i); }, [&](Vec3 p) {
            if (fabs(guess.distance(p)) <= slab) mine.add(p);
        });
        if (!(mine.weight > 0.0)) return false;
        const Vec3 mean = mine.mean();
        mine.covariance(c);
        found.centroid[0] = mean.x;
        found.centroid[1] = mean.y;
        found.centroid[2] = mean.z;
        for (int i = 0; i < 6; i++) found.scatter[i] = (float)c[i];
        found.weight = (u32)mine.weight;
        found.normal[0] = (float)guess.normal.x;
        found.normal[1] = (float)guess.normal.y;
        found.normal[2] = (float)guess.normal.z;
        found.error = (float)sqrt(least / values[1] / n);
        found.thickness = (float)thickness;
        return true;
    }
};

// Tries the cells of the gathered blocks. `bases` are the base cells and `block_of` their blocks, counted
// from `first_block`. Layers are appended to `layers` in any order, each with the index of its cell, counted
// from `first_entry`.
extern "C" __global__ void __launch_bounds__(JUDGE_THREADS) try_cells(
    const float* cloud_x, const float* cloud_y, const float* cloud_z, u32 cloud_points,
    const u32* starts, u32 base_cells, const float* x, const float* y, const float* z, u32 room,
    const Block* blocks, const u32* bases, const u32* block_of, u32 count, u32 first_block,
    u32 first_entry, u32 sliced, unsigned char* outcome, Layer* layers, u32* found
) {
    const u32 entry = blockIdx.x * blockDim.x + threadIdx.x;
    if (entry >= count) return;
    const Cloud cloud = {cloud_x, cloud_y, cloud_z, cloud_points, starts, base_cells};
    const u32 g = block_of[entry] - first_block, base = bases[entry];
    const Block block = blocks[g];
    outcome[entry] = block.outcome;
    if (block.outcome != TRIED) return;
    const Trial trial = {cloud, x + g, y + g, z + g, room, block.points,
                         cloud.range(base), block.noise, sliced};
    Guess guess;
    Layer layer;
    const Vec3 normal = {block.normal_x, block.normal_y, block.normal_z};
    bool done = block.is_layered && trial.along(normal, guess) && trial.layer(guess, FLAT, CONTRAST, layer);
    if (!done && trial.in_any_direction(block.least_area, guess)) {
        done = trial.layer(guess, NEARLY_FLAT, CLEAR_CONTRAST, layer);
    }
    outcome[entry] = done ? FOUND : TRIED;
    if (!done) return;
    layer.entry = first_entry + entry;
    layer.padding = 0;
    layers[atomicAdd(found, 1)] = layer;
}
