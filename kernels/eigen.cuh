// Vectors, and the eigenvalues of a block's covariance; the twins of src/vector.rs and of `of_block` in
// src/surface/eigen.rs.
//
// Compiled without fused operations, in the CPU's order: the two agree to the last bit.
#pragma once

#include "evidence.cuh"

struct Vec3 {
    double x, y, z;
};

__device__ __forceinline__ double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ Vec3 minus(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ __forceinline__ Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A number, or zero if it is below.
__device__ __forceinline__ double positive(double v) { return v > 0.0 ? v : 0.0; }

// The smallest root of x^3 - trace x^2 + pairs x - product by Laguerre's method from zero.
__device__ __forceinline__ double smallest_root(double trace, double pairs, double product) {
    double at = 0.0;
#pragma unroll
    for (int step = 0; step < EIGEN_STEPS; step++) {
        const double value = ((at - trace) * at + pairs) * at - product;
        const double slope = (3.0 * at - 2.0 * trace) * at + pairs;
        const double bend = 6.0 * at - 2.0 * trace;
        const double under = slope + sqrt(positive(4.0 * slope * slope - 6.0 * value * bend));
        if (under > 0.0) at = at - 3.0 * value / under;
    }
    return at;
}

// The twin of `of_block`: eigenvalues ascending, and the eigenvector of the smallest; `m` holds xx, xy, xz, yy, yz, zz.
__device__ __forceinline__ Vec3 smallest(const double (&m)[6], double (&values)[3]) {
    const double xx = m[0], xy = m[1], xz = m[2], yy = m[3], yz = m[4], zz = m[5];
    const double trace = xx + yy + zz;
    // The adjugate.
    const double a_xx = yy * zz - yz * yz, a_xy = yz * xz - xy * zz, a_xz = xy * yz - yy * xz;
    const double a_yy = xx * zz - xz * xz, a_yz = xy * xz - xx * yz, a_zz = xx * yy - xy * xy;
    const double pairs = a_xx + a_yy + a_zz;
    const double product = xx * a_xx + xy * a_xy + xz * a_xz;
    const double root = smallest_root(trace, pairs, product);
    // The adjugate less the root is a multiple of the projection to the eigenvector.
    const double e_xx = (root - (trace - xx)) * root + a_xx;
    const double e_yy = (root - (trace - yy)) * root + a_yy;
    const double e_zz = (root - (trace - zz)) * root + a_zz;
    const double e_xy = a_xy + root * xy, e_xz = a_xz + root * xz, e_yz = a_yz + root * yz;
    Vec3 longest = e_yy >= e_zz ? Vec3{e_xy, e_yy, e_yz} : Vec3{e_xz, e_yz, e_zz};
    if (e_xx >= e_yy && e_xx >= e_zz) longest = {e_xx, e_xy, e_xz};
    const double length = sqrt(dot(longest, longest));
    Vec3 normal = {0.0, 0.0, 1.0};
    if (length > 0.0) normal = {longest.x / length, longest.y / length, longest.z / length};
    const Vec3 to = {dot({xx, xy, xz}, normal), dot({xy, yy, yz}, normal), dot({xz, yz, zz}, normal)};
    const double least = dot(to, normal);
    const double sum = trace - least;
    const double rest = pairs - least * sum;
    const double most = 0.5 * (sum + sqrt(positive(sum * sum - 4.0 * rest)));
    const bool is_line = pairs <= ON_LINE * trace * trace;
    values[0] = is_line ? 0.0 : least;
    values[1] = is_line ? 0.0 : rest / most;
    values[2] = is_line ? trace : most;
    return normal;
}
