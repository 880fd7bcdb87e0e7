// From a grey image to its edges, the twin of src/image: Sobel's gradient and Otsu's threshold, Canny's
// edges, and edges in bits and as a list. Everything is in integers, or in f64 that rounds as on the CPU, so
// the edges are the same to the pixel.
//
// sobel_levels      The gradient's length in grey levels, how often each occurs, and Otsu's threshold.
// noise_levels      The strength of the noise, and from it the blur.
// blur_rows, blur_columns
// canny_gradients   The gradients of the blurred image, and thresholds from their lengths.
// canny_ridges      The ridges of the gradient.
// join_ridges       Joins connected ridge pixels into trees: of two roots the lower one stays a root.
// light_ridges      Lights the trees that have a strong pixel.
// keep_lit          Their pixels are edges.
// pack_edges        Edges in bits, upright and rotated, and as a list.
// gather_sobel, gather_gradients   The gradients at some pixels.
//
// Choices from a histogram are made by the block that ends last, so that nothing waits for the host.
//
// Lower bound for 1920 x 1080 pixels: sobel_levels reads and writes 2 MB each, 1 us at 4 TB/s.

#include "edges.cuh"

constexpr u32 WARPS = PIXEL_THREADS / WARP;
// Rows down which a thread walks.
constexpr u32 STRIP = 8;
// Grey levels.
constexpr u32 GREY_LEVELS = 256;
// Rows from one pixel of a tile's diagonal to the next: no two pixels of it share a row or a column.
constexpr u32 SKEW = 7;

// Values row by row; beyond the border, those at the border are repeated.
template <typename T>
struct Grid {
    const T* values;
    u32 width, height;

    // At a pixel, the sum along its row with weights 1, 2, 1, and the difference of its neighbours.
    __device__ __forceinline__ int2 across(u32 x, u32 y) const {
        const T* row = values + (size_t)y * width;
        const int left = row[x ? x - 1 : 0], right = row[min(x + 1, width - 1)];
        return make_int2(left + 2 * (int)row[x] + right, right - left);
    }

    // Sobel's gradient.
    __device__ __forceinline__ int2 gradient(u32 x, u32 y) const {
        return sobel(across(x, y ? y - 1 : 0), across(x, y), across(x, min(y + 1, height - 1)));
    }

    static __device__ __forceinline__ int2 sobel(int2 above, int2 here, int2 below) {
        return make_int2(above.y + 2 * here.y + below.y, below.x - above.x);
    }

    // Calls `visit(index, gradient)` for STRIP pixels of a column from row `top` on. All are read before the
    // first is needed.
    template <typename Visit>
    __device__ __forceinline__ void down(u32 x, u32 top, Visit visit) const {
        int2 rows[STRIP + 2];
#pragma unroll
        for (u32 k = 0; k < STRIP + 2; k++) rows[k] = across(x, min(max(top + k, 1) - 1, height - 1));
#pragma unroll
        for (u32 k = 0; k < STRIP; k++) {
            if (top + k >= height) return;
            visit((size_t)(top + k) * width + x, sobel(rows[k], rows[k + 1], rows[k + 2]));
        }
    }

    // Calls `visit(x, top)` for strips of columns; warps take turns.
    template <typename Visit>
    __device__ __forceinline__ void strips(Visit visit) const {
        const u32 groups = (width + WARP - 1) / WARP, units = groups * ((height + STRIP - 1) / STRIP);
        for (u32 u = blockIdx.x * WARPS + threadIdx.x / WARP; u < units; u += gridDim.x * WARPS) {
            const u32 x = u % groups * WARP + threadIdx.x % WARP;
            if (x < width) visit(x, u / groups * STRIP);
        }
    }
};

__device__ __forceinline__ u64 square(int2 g) {
    return (u64)((long long)g.x * g.x + (long long)g.y * g.y);
}

// Counts how often values occur, in shared memory; a thread adds runs of equal values at once.
template <u32 SIZE>
struct Tally {
    u32* own;
    u32 value, times;

    __device__ __forceinline__ explicit Tally(u32* shared) : own(shared), value(0), times(0) {
        for (u32 i = threadIdx.x; i < SIZE; i += PIXEL_THREADS) own[i] = 0;
        __syncthreads();
    }

    __device__ __forceinline__ void add(u32 next) {
        if (next != value) {
            if (times) atomicAdd(own + value, times);
            value = next;
            times = 0;
        }
        times++;
    }

    // Adds the block's counts to `all`, after which the number of finished blocks is stored. Returns whether
    // this was the last block: it sees the counts of all, and must leave zeros for the next time (see
    // `clear`).
    __device__ __forceinline__ bool finish(u32* all) {
        if (times) atomicAdd(own + value, times);
        __syncthreads();
        for (u32 i = threadIdx.x; i < SIZE; i += PIXEL_THREADS) {
            if (own[i]) atomicAdd(all + i, own[i]);
        }
        __shared__ bool is_last;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) is_last = atomicAdd(all + SIZE, 1) == gridDim.x - 1;
        __syncthreads();
        __threadfence();
        return is_last;
    }

    static __device__ __forceinline__ void clear(u32* all) {
        __syncthreads();
        for (u32 i = threadIdx.x; i <= SIZE; i += PIXEL_THREADS) all[i] = 0;
    }
};

// The sum of the values of all threads up to and including this one.
template <typename T>
__device__ __forceinline__ T scan(T value, T* shared) {
    shared[threadIdx.x] = value;
    for (u32 d = 1; d < PIXEL_THREADS; d *= 2) {
        __syncthreads();
        const T before = threadIdx.x >= d ? shared[threadIdx.x - d] : 0;
        __syncthreads();
        shared[threadIdx.x] += before;
    }
    __syncthreads();
    return shared[threadIdx.x];
}

// Otsu's threshold, the lowest of equals, or zero if all values are equal: src/image/otsu.rs. One thread per
// value.
__device__ __forceinline__ u32 otsu(const volatile u32* histogram) {
    __shared__ u64 counts[GREY_LEVELS], sums[GREY_LEVELS];
    __shared__ double best[GREY_LEVELS];
    __shared__ u32 at[GREY_LEVELS];
    const u32 v = threadIdx.x;
    const u64 n = histogram[v];
    const u64 below = scan(n, counts), sum_below = scan((u64)v * n, sums);
    const u64 total = counts[GREY_LEVELS - 1], sum = sums[GREY_LEVELS - 1];
    best[v] = -1.0;
    at[v] = v;
    if (below != 0 && below != total) {
        const double n0 = (double)below, n1 = (double)(total - below);
        const double difference = (double)sum_below / n0 - (double)(sum - sum_below) / n1;
        best[v] = n0 * n1 * difference * difference;
    }
    for (u32 half = GREY_LEVELS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (v >= half) continue;
        const double other = best[v + half];
        if (other > best[v] || (other == best[v] && at[v + half] < at[v])) {
            best[v] = other;
            at[v] = at[v + half];
        }
    }
    __syncthreads();
    return best[0] < 0.0 ? 0 : at[0];
}

// The median of a histogram of FINE_LEVELS values.
__device__ __forceinline__ u32 median(const volatile u32* histogram) {
    __shared__ u32 sums[PIXEL_THREADS];
    __shared__ u32 middle;
    constexpr u32 SHARE = FINE_LEVELS / PIXEL_THREADS;
    const u32 first = threadIdx.x * SHARE;
    u32 own = 0;
    for (u32 i = 0; i < SHARE; i++) own += histogram[first + i];
    if (threadIdx.x == 0) middle = 0;
    const u32 up_to = scan(own, sums);
    const u32 half = (sums[PIXEL_THREADS - 1] + 1) / 2;
    u32 below = up_to - own;
    if (below < half && up_to >= half) {
        u32 v = first;
        while ((below += histogram[v]) < half) v++;
        middle = v;
    }
    __syncthreads();
    return middle;
}

// Lengths over 4, at most 255. `histogram` has GREY_LEVELS numbers and the number of finished blocks, zeros
// before and after. With `automatic`, the threshold is chosen. Blocks take turns.
extern "C" __global__ void __launch_bounds__(PIXEL_THREADS) sobel_levels(
    const unsigned char* grey, u32 width, u32 height, unsigned char* levels, u32* histogram, u32 automatic,
    u32* threshold
) {
    __shared__ u32 own[GREY_LEVELS];
    Tally<GREY_LEVELS> tally(own);
    const Grid<unsigned char> image = {grey, width, height};
    image.strips([&](u32 x, u32 top) {
        image.down(x, top, [&](size_t index, int2 g) {
            // Below 2^24, the square root in f32, rounded down, is that of the integer.
            const u32 level = min((u32)__fsqrt_rn((float)((u32)(g.x * g.x + g.y * g.y) >> 4)), GREY_LEVELS - 1);
            levels[index] = (unsigned char)level;
            if (automatic) tally.add(level);
        });
    });
    if (!automatic || !tally.finish(histogram)) return;
    const u32 chosen = otsu(histogram);
    if (threadIdx.x == 0) *threshold = chosen;
    tally.clear(histogram);
}

// The response of each pixel to a mask that is blind to edges and slopes. The last block chooses the blur
// from the median response: the number of quarters of a pixel above one. `histogram` as above, with
// FINE_LEVELS numbers. Blocks take turns.
extern "C" __global__ void __launch_bounds__(PIXEL_THREADS) noise_levels(
    const unsigned char* grey, u32 width, u32 height, u32* histogram, u32* blur
) {
    __shared__ u32 own[FINE_LEVELS];
    Tally<FINE_LEVELS> tally(own);
    const Grid<unsigned char> image = {grey, width, height};
    image.strips([&](u32 x, u32 top) {
        if (x == 0 || x + 1 >= width) return;
        auto second = [&](u32 y) {
            const unsigned char* row = grey + (size_t)y * width + x;
            return (int)row[-1] - 2 * (int)row[0] + (int)row[1];
        };
        for (u32 y = max(top, 1); y < top + STRIP && y + 1 < height; y++) {
            tally.add(min((u32)abs(second(y - 1) - 2 * second(y) + second(y + 1)), FINE_LEVELS - 1));
        }
    });
    if (!tally.finish(histogram)) return;
    const double noise = (double)median(histogram) / (6.0 * 0.6745);
    const double quarters = round(4.0 * (1.0 + noise / 20.0));
    if (threadIdx.x == 0) *blur = (u32)fmin(fmax(quarters, 4.0), 10.0) - 4;
    tally.clear(histogram);
}

// The weighted sum of `at(-reach) .. at(reach)`, rounded to 1/256 of a grey level.
template <typename At>
__device__ __forceinline__ unsigned short blurred(const u32* weights, At at) {
    u32 sum = BLUR_ONE / 2 + weights[1] * at(0);
    for (int k = 1; k < (int)weights[0]; k++) sum += weights[1 + k] * (at(-k) + at(k));
    return (unsigned short)(sum / BLUR_ONE);
}

// Rows of `weights` have BLUR_NUMBERS numbers; `*blur` is the row to use. One thread per pixel.
extern "C" __global__ void blur_rows(
    const unsigned char* grey, u32 width, u32 height, const u32* weights, const u32* blur,
    unsigned short* along
) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= width * height) return;
    const int x = (int)(index % width), last = (int)width - 1;
    const unsigned char* row = grey + (index - (u32)x);
    along[index] = blurred(weights + *blur * BLUR_NUMBERS, [&](int k) {
        return (u32)row[min(max(x + k, 0), last)] << 8;
    });
}

extern "C" __global__ void blur_columns(
    const unsigned short* along, u32 width, u32 height, const u32* weights, const u32* blur,
    unsigned short* both
) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= width * height) return;
    const int y = (int)(index / width), last = (int)height - 1;
    const unsigned short* column = along + index % width;
    both[index] = blurred(weights + *blur * BLUR_NUMBERS, [&](int k) {
        return (u32)column[(size_t)min(max(y + k, 0), last) * width];
    });
}

// With `automatic`, the squares of the lower and the upper threshold are chosen from the median length.
// `histogram` as above, with FINE_LEVELS numbers. Blocks take turns.
extern "C" __global__ void __launch_bounds__(PIXEL_THREADS) canny_gradients(
    const unsigned short* field, u32 width, u32 height, int2* gradients, u32* histogram, u32 automatic,
    u64* limits
) {
    __shared__ u32 own[FINE_LEVELS];
    Tally<FINE_LEVELS> tally(own);
    const Grid<unsigned short> image = {field, width, height};
    image.strips([&](u32 x, u32 top) {
        image.down(x, top, [&](size_t index, int2 g) {
            gradients[index] = g;
            // Below 2^52, the square root in f64, rounded down, is that of the integer.
            if (automatic) tally.add(min((u32)((u64)sqrt((double)square(g)) >> 8), FINE_LEVELS - 1));
        });
    });
    if (!automatic || !tally.finish(histogram)) return;
    const u32 high = min(max(3 * median(histogram), 40), 250), low = (high + 1) / 2;
    tally.clear(histogram);
    if (threadIdx.x != 0) return;
    limits[0] = (u64)(low << 8) * (low << 8);
    limits[1] = (u64)(high << 8) * (high << 8);
}

// Canny's marks of a pixel.
constexpr unsigned char RIDGE = 1, STRONG = 2;

// Whether a pixel's gradient is larger than those on both sides of it: src/image/canny.rs.
__device__ __forceinline__ bool is_ridge(
    const int2* gradients, u32 width, u32 height, u32 x, u32 y, int2 g, u64 here
) {
    auto at = [&](int dx, int dy) {
        const u32 to_x = x + dx, to_y = y + dy;
        return to_x < width && to_y < height ? square(gradients[(size_t)to_y * width + to_x]) : 0;
    };
    const u64 ax = abs(g.x), ay = abs(g.y);
    if (ay << 15 < ax * TAN_22) return here > at(-1, 0) && here >= at(1, 0);
    if (ax << 15 < ay * TAN_22) return here > at(0, -1) && here >= at(0, 1);
    const int side = (g.x < 0) == (g.y < 0) ? 1 : -1;
    return here > at(-side, -1) && here > at(side, 1);
}

// Marks the ridges above the lower limit; each pixel becomes a tree of its own, unlit. One thread per pixel.
extern "C" __global__ void canny_ridges(
    const int2* gradients, u32 width, u32 height, const u64* limits, unsigned char* marks, u32* parents,
    unsigned char* lit
) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= width * height) return;
    const int2 g = gradients[index];
    const u64 here = square(g);
    unsigned char mark = 0;
    if (here > limits[0] && is_ridge(gradients, width, height, index % width, index / width, g, here)) {
        mark = here > limits[1] ? STRONG : RIDGE;
    }
    marks[index] = mark;
    parents[index] = index;
    lit[index] = 0;
}

// The root of a pixel's tree; parents have lower indices than their children. The path is halved for later
// calls. That may undo what `join` writes below a root, but `join` does not rely on it.
__device__ __forceinline__ u32 root_of(volatile u32* parents, u32 pixel) {
    for (u32 parent = parents[pixel]; parent != pixel; parent = parents[pixel]) {
        const u32 next = parents[parent];
        if (next != parent) parents[pixel] = next;
        pixel = next;
    }
    return pixel;
}

// Joins the trees of two pixels while other threads do the same (after Komura 2015).
__device__ __forceinline__ void join(u32* parents, u32 a, u32 b) {
    a = root_of(parents, a);
    b = root_of(parents, b);
    while (a != b) {
        const u32 high = max(a, b), low = min(a, b);
        const u32 before = atomicMin(parents + high, low);
        if (before == high) return;
        // It was no longer a root: the tree it belonged to must be joined as well.
        a = root_of(parents, before);
        b = root_of(parents, low);
    }
}

// One thread per pixel; each joins the earlier neighbours across sides and corners.
extern "C" __global__ void join_ridges(const unsigned char* marks, u32 width, u32 height, u32* parents) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= width * height || marks[index] == 0) return;
    const u32 x = index % width;
    const bool above = index >= width;
    if (x > 0 && marks[index - 1]) join(parents, index, index - 1);
    if (above && x > 0 && marks[index - width - 1]) join(parents, index, index - width - 1);
    if (above && marks[index - width]) join(parents, index, index - width);
    if (above && x + 1 < width && marks[index - width + 1]) join(parents, index, index - width + 1);
}

extern "C" __global__ void light_ridges(
    const unsigned char* marks, u32 pixels, u32* parents, unsigned char* lit
) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < pixels && marks[index] == STRONG) lit[root_of(parents, index)] = 1;
}

// 255 for the pixels of lit trees, 0 for others.
extern "C" __global__ void keep_lit(
    const unsigned char* marks, u32 pixels, u32* parents, const unsigned char* lit,
    unsigned char* levels
) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= pixels) return;
    levels[index] = marks[index] && lit[root_of(parents, index)] ? 255 : 0;
}

// The bits of the 32 pixels from `first` on that are above `last`, or with `dark` are not. Whole words are
// read, so there must be PIXEL_MARGIN more bytes after the image.
__device__ __forceinline__ u32 bits_of(const unsigned char* levels, size_t first, u32 last, bool dark) {
    const u32* words = (const u32*)levels + first / 4;
    const u32 shift = first % 4 * 8, limit = last * 0x01010101u;
    u32 all[9], bits = 0;
#pragma unroll
    for (u32 k = 0; k < 9; k++) all[k] = words[k];
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        const u32 four = __funnelshift_r(all[k], all[k + 1], shift);
        // One bit of each byte, and the four bits side by side.
        bits |= ((__vcmpgtu4(four, limit) & 0x01010101u) * 0x10204080u >> 28) << (4 * k);
    }
    return dark ? ~bits : bits;
}

// The edges: pixels above the threshold, or with `dark` the others. Bit i of word k of a line is its pixel 32
// k + i; `upright` has a line for each row of the image, `rotated` for each column. `lengths` must begin as
// zeros; with `wants_list` the first becomes the length of the list. The tiles of 32 x 32 pixels come in no
// order; within a tile the list goes diagonal by diagonal, so that 32 consecutive pixels lie in many rows,
// columns and bins. Clears the `size` counts for the vote. Grid: one warp per tile.
extern "C" __global__ void __launch_bounds__(PIXEL_THREADS) pack_edges(
    const unsigned char* levels, u32 width, u32 height, const u32* threshold, u32 dark, u32* upright,
    u32* rotated, u32 wants_list, u32* list, u32* lengths, u32* counts, u32 size
) {
    __shared__ u32 sums[WARPS];
    __shared__ u32 place;
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const u32 row_words = (width + WARP - 1) / WARP, column_words = (height + WARP - 1) / WARP;
    const u32 tile = blockIdx.x * WARPS + warp;
    const u32 left = tile % row_words * WARP, top = tile / row_words * WARP;
    const u32 x = left + lane, y = top + lane;
    u32 row = 0;
    if (y < height) {
        const u32 inside = width - left < WARP ? (1u << (width - left)) - 1 : ALL;
        row = bits_of(levels, (size_t)y * width + left, *threshold, dark != 0) & inside;
        upright[(size_t)y * row_words + left / WARP] = row;
    }
    u32 column = 0;
#pragma unroll
    for (u32 i = 0; i < WARP; i++) {
        const u32 bits = __ballot_sync(ALL, row >> i & 1);
        if (lane == i) column = bits;
    }
    if (x < width && top < height) rotated[(size_t)x * column_words + top / WARP] = column;
    for (u32 i = blockIdx.x * PIXEL_THREADS + threadIdx.x; i < size; i += gridDim.x * PIXEL_THREADS) counts[i] = 0;
    if (!wants_list) return;
    u32 own = __popc(column);
    for (u32 d = WARP / 2; d > 0; d /= 2) own += __shfl_xor_sync(ALL, own, d);
    if (lane == 0) sums[warp] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 sum = 0;
        for (u32 w = 0; w < WARPS; w++) sum += sums[w];
        place = atomicAdd(lengths, sum);
    }
    __syncthreads();
    u32 to = place;
    for (u32 w = 0; w < warp; w++) to += sums[w];
    // Bit j is now that of row j + SKEW lane: one bit of all lanes is a diagonal.
    const u32 skewed = __funnelshift_r(column, column, SKEW * lane % WARP);
    for (u32 j = 0; j < WARP; j++) {
        const bool on = skewed >> j & 1;
        const u32 lanes = __ballot_sync(ALL, on);
        if (on) list[to + __popc(lanes & ((1u << lane) - 1))] = packed(x, top + (j + SKEW * lane) % WARP);
        to += __popc(lanes);
    }
}

// Sobel's gradients of a grey image at some pixels, in units of 1/256. One thread per pixel.
extern "C" __global__ void gather_sobel(
    const unsigned char* grey, u32 width, u32 height, const u32* pixels, u32 n, int2* found
) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Grid<unsigned char> image = {grey, width, height};
    const int2 g = image.gradient(pixels[i] % width, pixels[i] / width);
    found[i] = make_int2(g.x * 256, g.y * 256);
}

extern "C" __global__ void gather_gradients(const int2* gradients, const u32* pixels, u32 n, int2* found) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) found[i] = gradients[pixels[i]];
}
