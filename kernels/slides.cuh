// The space of the slides (Duca, "3D Plane Detection via Hough Transform"), for the kernels that are kept as
// in the slides; the twin of src/papers/slides/grid.rs.
#pragma once

#include "constants.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int THETAS = SLIDES_THETAS, PHIS = SLIDES_PHIS;
constexpr int MAXRHO = SLIDES_MAXRHO;
constexpr int RHOS = 2 * MAXRHO;
constexpr int SIZE = PHIS * THETAS * RHOS;
