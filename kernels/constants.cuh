// The numbers on which CPU and GPU must agree: made of src/shared.rs by tests/kernels.rs.
#pragma once

// Lanes of a warp.
enum : unsigned int { WARP = 32 };

// Points of a group that votes at once: two for each lane of a warp.
enum : unsigned int { GROUP = 64 };

// Threads of a block that votes for groups.
enum : unsigned int { VOTE_THREADS = 640 };

// Blocks of this kind on a multiprocessor.
enum : unsigned int { VOTE_BLOCKS = 2 };

// Threads of a block that sorts.
enum : unsigned int { SORT_THREADS = 256 };

// Keys that one such thread takes.
enum : unsigned int { SORT_ITEMS = 16 };

// Bits of a key that a pass sorts by.
enum : unsigned int { SORT_DIGIT_BITS = 8 };

// Threads of a block that looks for peaks.
enum : unsigned int { PEAK_THREADS = 256 };

// Bins of a row that one such thread takes.
enum : unsigned int { PEAK_BINS = 4 };

// Classes of votes used to choose winners.
enum : unsigned int { VOTE_CLASSES = 4096 };

// Bits of a coordinate in steps, made positive.
enum : unsigned int { COORDINATE_BITS = 24 };

// Bits of a coordinate in a Morton key.
enum : unsigned int { KEY_AXIS_BITS = 21 };

// Possible numbers of doublings after which two finest cells are one, "never" included.
enum : unsigned int { DOUBLINGS = 22 };

// Threads that share the summation of a cell: most cells hold a few points, some hold thousands.
enum : unsigned int { CELL_THREADS = 8 };

// Cells of a block: one and its neighbours.
enum : unsigned int { BLOCK_CELLS = 27 };

// Threads of a block that judges cells.
enum : unsigned int { JUDGE_THREADS = 128 };

// Bits by which thicknesses are weighed at a time.
enum : unsigned int { THICKNESS_DIGIT_BITS = 11 };

// Most points of a block through which layers are tried.
enum : unsigned int { BLOCK_POINTS = 160 };

// Most planes present in a cell: its own first, then those around, ascending.
enum : unsigned int { PRESENT = 7 };

// Points that a warp assigns to planes.
enum : unsigned int { LABEL_POINTS = 2048 };

// Numbers that hold the sums of a plane's points.
enum : unsigned int { PLANE_NUMBERS = 16 };

// Threads of a block that guesses a thinnest slab.
enum : unsigned int { GUESSERS = 128 };

// Threads of a block that counts the points of slabs.
enum : unsigned int { COUNTERS = 128 };

// Pairs of points that one such thread takes.
enum : unsigned int { COUNTER_PAIRS = 2 };

// Threads of a block that measures slabs.
enum : unsigned int { SETTLERS = 128 };

// Threads of a block that picks the best slab.
enum : unsigned int { PICKERS = 256 };

// Side of a square of pairs of lines whose crossings a block finds.
enum : unsigned int { CROSSING_SIDE = 8 };

// Most threads of a block that sorts a bracelet.
enum : unsigned int { BRACELET_THREADS = 1024 };

// Threads of a block that finds the shortest bracelet.
enum : unsigned int { REDUCERS = 256 };

// Threads of a block that tries triples of points.
enum : unsigned int { SHEET_THREADS = 128 };

// Threads of a block that works on pixels.
enum : unsigned int { PIXEL_THREADS = 256 };

// Bytes behind an image that may be read but are not used.
enum : unsigned int { PIXEL_MARGIN = 64 };

// Levels of noise and of gradients that are counted.
enum : unsigned int { FINE_LEVELS = 4096 };

// Numbers in a row of the weights of a blur: their count, then the weights from the middle to one side.
enum : unsigned int { BLUR_NUMBERS = 26 };

// Sum of the weights of a blur.
enum : unsigned int { BLUR_ONE = 4096 };

// tan 22.5° in units of 2⁻¹⁵.
enum : unsigned long long { TAN_22 = 13573 };

// Threads of a block that votes for a list of edges.
enum : unsigned int { LIST_VOTERS = 1024 };

// Blocks of this kind on a multiprocessor.
enum : unsigned int { LIST_BLOCKS = 2 };

// Threads of a block that scores or ranks bins.
enum : unsigned int { BIN_THREADS = 256 };

// Rows and bins around a bin within which it must be the best.
enum : int { AROUND = 3 };

// Warps of a block that votes in slices.
enum : unsigned int { SLICE_WARPS = 16 };

// Bins of such a block, one word for each lane of a warp.
enum : unsigned int { SLICE_BINS = 1024 };

// Bits of a count of up to 2¹⁶ lines.
enum : unsigned int { SLICE_PLANES = 17 };

// Threads of Kumar's blocks that make lists.
enum : unsigned int { KUMAR_THREADS = 256 };

// Threads of van den Braak's blocks that make lists.
enum : unsigned int { BRAAK_THREADS = 256 };

// Pixels that one such thread takes.
enum : unsigned int { BRAAK_PIXELS = 8 };

// Azimuths of the slides' space.
enum : unsigned int { SLIDES_THETAS = 180 };

// Polar angles of the slides' space.
enum : unsigned int { SLIDES_PHIS = 180 };

// Half the bins of a row of the slides' space.
enum : unsigned int { SLIDES_MAXRHO = 92 };

// Bins to each side that the slides' suppression examines.
enum : unsigned int { SLIDES_RADIUS = 5 };

// Points that the slides' fast vote keeps in constant memory: as many as fit in 64 KB.
enum : unsigned int { SLIDES_CHUNK = 2730 };

// Threads of a block that ranks the slides' winners.
enum : unsigned int { SLIDES_RANKED = 512 };
