// The bit-sliced vote for lines given by a slope: exact, without atomics, in a time that does not depend on
// the edges.
//
// For a given slope, every line of the image (a column, or a row of the rotated space) moves by a whole
// number of bins. So a row of the space is the sum of the image's lines of bits, each shifted. A thread sums
// 32 neighbouring bins at once, one word of each line, with carry-save adders: each bit plane holds one bit
// of the count of each of the 32 bins. Sixteen words are added by fifteen full adders of two instructions
// each and one rippling carry.
//
// A block makes 1024 bins of one row of a space. Its warps share the lines that reach these bins; then their
// planes are added in shared memory, pair by pair, and all counts are written once, zeros included.
//
// Lower bound for 1920 x 1080 pixels and 91 slopes in each space: 12 million words at 11 instructions each,
// 4.1 million warp instructions: 4 us on 528 schedulers at 1.98 GHz. The work of a warp for bins that a line
// does not reach adds as much again.

#include "edges.cuh"

constexpr u32 THREADS = SLICE_WARPS * WARP;
// Lines added at a time.
constexpr u32 STEP = 16;
static_assert(SLICE_BINS == WARP * WARP, "a word for each lane");
// Bits of a warp's share of a count.
constexpr u32 OWN = 13;

// Adds two words to a plane, and returns the carry.
__device__ __forceinline__ u32 add(u32& plane, u32 a, u32 b) {
    const u32 carry = (plane & a) | (plane & b) | (a & b);
    plane ^= a ^ b;
    return carry;
}

// The 32 bits of a line from bit `from` on, which may lie off the line.
__device__ __forceinline__ u32 bits_at(const u32* line, u32 words, int from) {
    const int word = from >> 5;
    const u32 low = (u32)word < words ? line[word] : 0;
    const u32 high = (u32)(word + 1) < words ? line[word + 1] : 0;
    return __funnelshift_r(low, high, from & 31);
}

// How far a line moves: the floor, which rounding down leaves in the low bits of a sum with 1.5 * 2^23. This
// is exact below 2^22, where every bin is, and needs no conversion, of which there are few per cycle.
__device__ __forceinline__ int shift_of_line(float2 slope, float line) {
    const float shifter = 12582912.0f;
    return __float_as_int(__fadd_rd(__fmaf_rn(line, slope.x, slope.y), shifter)) - __float_as_int(shifter);
}

// The first line that is shifted by at least `least`, or, if shifts fall from line to line, by less.
__device__ __forceinline__ u32 first_line(float2 slope, u32 lines, int least) {
    u32 from = 0, to = lines;
    while (from < to) {
        const u32 middle = (from + to) / 2;
        const bool is_behind = (shift_of_line(slope, (float)middle) >= least) != (slope.x < 0.0f);
        from = is_behind ? from : middle + 1;
        to = is_behind ? middle : to;
    }
    return from;
}

// Sums the lines `first .. end` for the 32 bins from `begin` on, into planes.
__device__ __forceinline__ void sum_lines(
    Lines image, float2 slope, u32 first, u32 end, int begin, u32 (&sum)[OWN]
) {
#pragma unroll
    for (u32 p = 0; p < OWN; p++) sum[p] = 0;
    for (u32 l = first; l < end; l += STEP) {
        const u32* line = image.bits + (size_t)l * image.words;
        const float number = (float)l;
        u32 v[STEP];
#pragma unroll
        for (u32 k = 0; k < STEP; k++) {
            const int shift = shift_of_line(slope, number + (float)k);
            v[k] = l + k < end ? bits_at(line + k * image.words, image.words, begin - shift) : 0;
        }
        u32 eight[2];
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            const u32* w = v + 8 * half;
            const u32 two_a = add(sum[0], w[0], w[1]), two_b = add(sum[0], w[2], w[3]);
            const u32 four_a = add(sum[1], two_a, two_b);
            const u32 two_c = add(sum[0], w[4], w[5]), two_d = add(sum[0], w[6], w[7]);
            const u32 four_b = add(sum[1], two_c, two_d);
            eight[half] = add(sum[2], four_a, four_b);
        }
        u32 carry = add(sum[3], eight[0], eight[1]);
#pragma unroll
        for (u32 p = 4; p < OWN; p++) {
            const u32 next = sum[p] & carry;
            sum[p] ^= carry;
            carry = next;
        }
    }
}

// Grid: x over the bins of a row in steps of SLICE_BINS, y over the rows of the first space and then of the
// second, which may have none.
extern "C" __global__ void __launch_bounds__(THREADS, 2) slice_votes(
    const u32* bits, u32 lines, u32 words, const float2* slopes, u32 rows, u32 bins, u32* counts,
    const u32* other_bits, u32 other_lines, u32 other_words, const float2* other_slopes, u32 other_rows,
    u32 other_bins, u32* other_counts
) {
    const bool is_first = blockIdx.y < rows;
    const Lines image = is_first ? Lines{bits, lines, words, slopes, rows, bins}
                                 : Lines{other_bits, other_lines, other_words, other_slopes, other_rows, other_bins};
    const u32 row = is_first ? blockIdx.y : blockIdx.y - rows;
    if (blockIdx.x * SLICE_BINS >= image.bins) return;
    __shared__ u32 sums[SLICE_WARPS][SLICE_PLANES][WARP];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const float2 slope = image.slopes[row];
    const int begin = (int)(blockIdx.x * SLICE_BINS);
    // The lines that have bits for these bins: each line covers 32 bins for each of its words.
    __shared__ u32 reach[2];
    if (threadIdx.x < 2) {
        const int over = begin + (int)SLICE_BINS, under = begin - (int)(image.words * WARP) + 1;
        reach[threadIdx.x] = first_line(slope, image.lines, (threadIdx.x == 0) == (slope.x < 0.0f) ? over : under);
    }
    __syncthreads();
    const u32 share = (reach[1] - reach[0] + SLICE_WARPS - 1) / SLICE_WARPS;
    const u32 first = min(reach[0] + warp * share, reach[1]), end = min(first + share, reach[1]);
    u32 sum[OWN];
    sum_lines(image, slope, first, end, begin + (int)(lane * WARP), sum);
    // Bits that the sum of all warps may need.
    const u32 planes = WARP - __clz(share * SLICE_WARPS);
#pragma unroll
    for (u32 p = 0; p < SLICE_PLANES; p++) {
        if (p < planes) sums[warp][p][lane] = p < OWN ? sum[p < OWN ? p : 0] : 0;
    }
    for (u32 half = SLICE_WARPS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (warp >= half) continue;
        u32 carry = 0;
#pragma unroll
        for (u32 p = 0; p < SLICE_PLANES; p++) {
            if (p < planes) carry = add(sums[warp][p][lane], sums[warp + half][p][lane], carry);
        }
    }
    __syncthreads();
    u32* to = (is_first ? counts : other_counts) + (size_t)row * image.bins;
    for (u32 i = threadIdx.x; i < SLICE_BINS && begin + i < image.bins; i += THREADS) {
        u32 votes = 0;
#pragma unroll
        for (u32 p = 0; p < SLICE_PLANES; p++) {
            if (p < planes) votes |= (sums[0][p][i / WARP] >> (i % WARP) & 1) << p;
        }
        to[begin + i] = votes;
    }
}
