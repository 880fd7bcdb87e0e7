// The numbers on which CPU and GPU must agree: made of src/shared.rs by tests/kernels.rs.
#pragma once

// Fewest distinct points of a block that is judged.
enum : long long { MIN_POINTS = 10 };

// Thickness over width, squared, below which a block is flat at once.
constexpr double FLAT = 0.0625;

// The same for a block that is the flattest of all levels.
constexpr double NEARLY_FLAT = 0.16;

// Width over length, squared, below which a block is a line.
constexpr double LINE = 0.02;

// Levels on which a block must be an exact slice to show a surface and not a step.
enum : unsigned int { SLICES = 3 };

// A block this many times thinner than the noise allows is an exact slice.
constexpr float EXACT_BLOCK = 12.0;

// A block is the edge of something known when one point in this many belongs to it.
enum : long long { MIXED = 4 };

// Steps towards the smallest eigenvalue of a block: after three it is exact to rounding where it is at most
// 0.6 of the next, and to a fiftieth where the two are equal.
enum : unsigned int { EIGEN_STEPS = 3 };

// The points of a block are on a line when the sum of the pairwise products of their variances is at most this
// share of the square of their sum.
constexpr double ON_LINE = 1e-12;

// Fits of one layer.
enum : unsigned int { LAYER_FITS = 4 };

// Half the thickness of the slab from which a layer is fitted, in standard deviations of the noise.
constexpr double LAYER_SLAB = 2.5;

// The same for the first choice, when the normal is still a guess.
constexpr double FIRST_LAYER_SLAB = 3.0;

// The same for the points that support a guess.
constexpr double GUESS_SLAB = 2.0;

// A layer is at most this many times as thick as the noise; an evenly filled slab is thicker.
constexpr double THICKEST_LAYER = 1.25;

// Where coordinates come in steps, a layer this many times thinner than the noise is one of the steps.
constexpr double EXACT_LAYER = 10.0;

// Blocks of more points than this are tried only at the first level that is wide enough.
enum : long long { CROWD = 300 };

// Thickness over width, squared, of a block that may be a few parallel layers.
constexpr double LAYERS = 0.6;

// Twice the area of the smallest triangle that tells a direction, relative to the square of the extent of its block.
constexpr double LEAST_AREA = 0.0625;

// Triangles tried for the normal of a layer that does not lie along its block.
enum : unsigned int { TRIANGLES = 24 };

// A guess is followed if its slab holds at least this share of the block; few points may be those of chance.
constexpr double LAYER_SHARE = 0.15;

// Most points of a cell from which its layer is guessed.
enum : unsigned int { MOST_GUESSES = 4 };

// The emptier side of a layer holds at most one in this many of the points in its half of the slab.
enum : unsigned int { CONTRAST = 3 };

// The same for a layer that does not lie along its block: in the crown of a tree, some slab holds many points.
enum : unsigned int { CLEAR_CONTRAST = 6 };
