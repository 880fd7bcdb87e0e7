// Vectors, and the eigenvalues of a symmetric matrix; the twins of src/vector.rs and src/surface/eigen.rs.
//
// Compiled without fused operations, in the CPU's order: the two agree to the last bit.
#pragma once

struct Vec3 {
    double x, y, z;
};

__device__ __forceinline__ double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ Vec3 minus(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ __forceinline__ Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Cyclic Jacobi rotations of a symmetric matrix.
struct Eigen {
    double a[3][3], v[3][3];

    template <int P, int Q>
    __device__ __forceinline__ void rotate() {
        if (a[P][Q] == 0.0) return;
        const double theta = (a[Q][Q] - a[P][P]) / (2.0 * a[P][Q]);
        const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0);
        const double s = t * c;
#pragma unroll
        for (int k = 0; k < 3; k++) {
            turn(a[k][P], a[k][Q], c, s);
            turn(v[k][P], v[k][Q], c, s);
        }
#pragma unroll
        for (int k = 0; k < 3; k++) turn(a[P][k], a[Q][k], c, s);
    }

    static __device__ __forceinline__ void turn(double& x, double& y, double c, double s) {
        const double old = x;
        x = c * old - s * y;
        y = s * old + c * y;
    }
};

// The bits of a float, transformed so that they are ordered as Rust's `total_cmp` orders floats.
__device__ __forceinline__ long long ordered(double v) {
    const long long bits = __double_as_longlong(v);
    return bits ^ (long long)((unsigned long long)(bits >> 63) >> 1);
}

// Eigenvalues ascending, and the eigenvector of the smallest; `m` holds xx, xy, xz, yy, yz, zz.
__device__ __forceinline__ Vec3 smallest(const double (&m)[6], double (&values)[3]) {
    Eigen e = {{{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}},
               {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    for (int sweep = 0; sweep < 5; sweep++) {
        e.rotate<0, 1>();
        e.rotate<0, 2>();
        e.rotate<1, 2>();
    }
    const double d[3] = {e.a[0][0], e.a[1][1], e.a[2][2]};
    Vec3 column[3] = {{e.v[0][0], e.v[1][0], e.v[2][0]},
                      {e.v[0][1], e.v[1][1], e.v[2][1]},
                      {e.v[0][2], e.v[1][2], e.v[2][2]}};
    const long long key[3] = {ordered(d[0]), ordered(d[1]), ordered(d[2])};
    // The ranks in a stable order of three.
    int rank[3] = {0, 0, 0};
#pragma unroll
    for (int i = 0; i < 3; i++) {
#pragma unroll
        for (int j = 0; j < 3; j++) rank[i] += key[j] < key[i] || (key[j] == key[i] && j < i);
    }
    Vec3 normal = column[0];
#pragma unroll
    for (int i = 0; i < 3; i++) {
        if (rank[i] == 0) {
            values[0] = d[i];
            normal = column[i];
        }
        if (rank[i] == 1) values[1] = d[i];
        if (rank[i] == 2) values[2] = d[i];
    }
    return normal;
}
