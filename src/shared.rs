//! The numbers on which CPU and GPU must agree, each defined only here.
//!
//! `kernels/constants.cuh` is generated from the first table and `kernels/evidence.cuh` from the second; a
//! test keeps them current (`CONTRIBUTING.md` says how to write them). Numbers that only the CPU or only one
//! kernel needs are defined there.

/// Defines constants and, for tests, the text of the matching header.
macro_rules! shared {
    ($header:ident: $($(#[doc = $doc:literal])+ $name:ident: $type:ident = $value:expr;)+) => {
        $($(#[doc = $doc])+ pub const $name: $type = $value;)+

        /// The text of the header.
        #[cfg(test)]
        pub fn $header() -> String {
            use header::Number;
            let lines = [$(header::lines(&[$($doc),+], stringify!($name), $name.declared())),+];
            header::PREFACE.to_owned() + &lines.concat()
        }
    };
}

shared! { constants:
    /// Lanes of a warp.
    WARP: u32 = 32;
    /// Points of a group that votes at once: two for each lane of a warp.
    GROUP: usize = 64;
    /// Threads of a block that votes for groups.
    VOTE_THREADS: u32 = 640;
    /// Blocks of this kind on a multiprocessor.
    VOTE_BLOCKS: u32 = 2;

    /// Threads of a block that sorts.
    SORT_THREADS: u32 = 256;
    /// Keys that one such thread takes.
    SORT_ITEMS: u32 = 16;
    /// Bits of a key that a pass sorts by.
    SORT_DIGIT_BITS: u32 = 8;

    /// Threads of a block that looks for peaks.
    PEAK_THREADS: u32 = 256;
    /// Bins of a row that one such thread takes.
    PEAK_BINS: u32 = 4;
    /// Classes of votes used to choose winners.
    VOTE_CLASSES: usize = 4096;

    /// Bits of a coordinate in steps, made positive.
    COORDINATE_BITS: u32 = 24;
    /// Bits of a coordinate in a Morton key.
    KEY_AXIS_BITS: u32 = 21;
    /// Possible numbers of doublings after which two finest cells are one, "never" included.
    DOUBLINGS: usize = 22;
    /// Threads that share the summation of a cell: most cells hold a few points, some hold thousands.
    CELL_THREADS: u32 = 8;
    /// Cells of a block: one and its neighbours.
    BLOCK_CELLS: usize = 27;
    /// Threads of a block that judges cells.
    JUDGE_THREADS: u32 = 128;
    /// Bits by which thicknesses are weighed at a time.
    THICKNESS_DIGIT_BITS: u32 = 11;
    /// Most points of a block through which layers are tried.
    BLOCK_POINTS: usize = 160;
    /// Most planes present in a cell: its own first, then those around, ascending.
    PRESENT: usize = 7;
    /// Points that a warp assigns to planes.
    LABEL_POINTS: u32 = 2048;
    /// Numbers that hold the sums of a plane's points.
    PLANE_NUMBERS: usize = 16;

    /// Threads of a block that guesses a thinnest slab.
    GUESSERS: u32 = 128;
    /// Threads of a block that counts the points of slabs.
    COUNTERS: u32 = 128;
    /// Pairs of points that one such thread takes.
    COUNTER_PAIRS: u32 = 2;
    /// Threads of a block that measures slabs.
    SETTLERS: u32 = 128;
    /// Threads of a block that picks the best slab.
    PICKERS: u32 = 256;
    /// Side of a square of pairs of lines whose crossings a block finds.
    CROSSING_SIDE: u32 = 8;
    /// Most threads of a block that sorts a bracelet.
    BRACELET_THREADS: u32 = 1024;
    /// Threads of a block that finds the shortest bracelet.
    REDUCERS: u32 = 256;
    /// Threads of a block that tries triples of points.
    SHEET_THREADS: u32 = 128;

    /// Threads of a block that works on pixels.
    PIXEL_THREADS: u32 = 256;
    /// Bytes behind an image that may be read but are not used.
    PIXEL_MARGIN: usize = 64;
    /// Levels of noise and of gradients that are counted.
    FINE_LEVELS: usize = 4096;
    /// Numbers in a row of the weights of a blur: their count, then the weights from the middle to one side.
    BLUR_NUMBERS: usize = 26;
    /// Sum of the weights of a blur.
    BLUR_ONE: u32 = 1 << 12;
    /// tan 22.5° in units of 2⁻¹⁵.
    TAN_22: u64 = 13573;

    /// Threads of a block that votes for a list of edges.
    LIST_VOTERS: u32 = 1024;
    /// Blocks of this kind on a multiprocessor.
    LIST_BLOCKS: u32 = 2;
    /// Threads of a block that scores or ranks bins.
    BIN_THREADS: u32 = 256;
    /// Rows and bins around a bin within which it must be the best.
    AROUND: isize = 3;
    /// Warps of a block that votes in slices.
    SLICE_WARPS: u32 = 16;
    /// Bins of such a block, one word for each lane of a warp.
    SLICE_BINS: u32 = 1024;
    /// Bits of a count of up to 2¹⁶ lines.
    SLICE_PLANES: usize = 17;
    /// Threads of Kumar's blocks that make lists.
    KUMAR_THREADS: u32 = 256;
    /// Threads of van den Braak's blocks that make lists.
    BRAAK_THREADS: u32 = 256;
    /// Pixels that one such thread takes.
    BRAAK_PIXELS: u32 = 8;

    /// Azimuths of the slides' space.
    SLIDES_THETAS: usize = 180;
    /// Polar angles of the slides' space.
    SLIDES_PHIS: usize = 180;
    /// Half the bins of a row of the slides' space.
    SLIDES_MAXRHO: usize = 92;
    /// Bins to each side that the slides' suppression examines.
    SLIDES_RADIUS: usize = 5;
    /// Points that the slides' fast vote keeps in constant memory: as many as fit in 64 KB.
    SLIDES_CHUNK: usize = 2730;
    /// Threads of a block that ranks the slides' winners.
    SLIDES_RANKED: usize = 512;
}

shared! { evidence:
    /// Fewest distinct points of a block that is judged.
    MIN_POINTS: i64 = 10;
    /// Thickness over width, squared, below which a block is flat at once.
    FLAT: f64 = 0.0625;
    /// The same for a block that is the flattest of all levels.
    NEARLY_FLAT: f64 = 0.16;
    /// Width over length, squared, below which a block is a line.
    LINE: f64 = 0.02;
    /// Levels on which a block must be an exact slice to show a surface and not a step.
    SLICES: usize = 3;
    /// A block this many times thinner than the noise allows is an exact slice.
    EXACT_BLOCK: f32 = 12.0;
    /// A block is the edge of something known when one point in this many belongs to it.
    MIXED: i64 = 4;

    /// Steps towards the smallest eigenvalue of a block: after three it is exact to rounding where it is at most
    /// 0.6 of the next, and to a fiftieth where the two are equal.
    EIGEN_STEPS: usize = 3;
    /// The points of a block are on a line when the sum of the pairwise products of their variances is at most this
    /// share of the square of their sum.
    ON_LINE: f64 = 1e-12;
    /// Fits of one layer.
    LAYER_FITS: usize = 4;
    /// Half the thickness of the slab from which a layer is fitted, in standard deviations of the noise.
    LAYER_SLAB: f64 = 2.5;
    /// The same for the first choice, when the normal is still a guess.
    FIRST_LAYER_SLAB: f64 = 3.0;
    /// The same for the points that support a guess.
    GUESS_SLAB: f64 = 2.0;
    /// A layer is at most this many times as thick as the noise; an evenly filled slab is thicker.
    THICKEST_LAYER: f64 = 1.25;
    /// Where coordinates come in steps, a layer this many times thinner than the noise is one of the steps.
    EXACT_LAYER: f64 = 10.0;
    /// Blocks of more points than this are tried only at the first level that is wide enough.
    CROWD: i64 = 300;
    /// Thickness over width, squared, of a block that may be a few parallel layers.
    LAYERS: f64 = 0.6;
    /// Twice the area of the smallest triangle that tells a direction, relative to the square of the extent of its block.
    LEAST_AREA: f64 = 0.0625;
    /// Triangles tried for the normal of a layer that does not lie along its block.
    TRIANGLES: usize = 24;
    /// A guess is followed if its slab holds at least this share of the block; few points may be those of chance.
    LAYER_SHARE: f64 = 0.15;
    /// Most points of a cell from which its layer is guessed.
    MOST_GUESSES: usize = 4;
    /// The emptier side of a layer holds at most one in this many of the points in its half of the slab.
    CONTRAST: usize = 3;
    /// The same for a layer that does not lie along its block: in the crown of a tree, some slab holds many points.
    CLEAR_CONTRAST: usize = 6;
}

/// The headers and their text.
#[cfg(test)]
pub fn headers() -> [(&'static str, String); 2] {
    [("constants.cuh", constants()), ("evidence.cuh", evidence())]
}

/// How constants look in CUDA C++.
#[cfg(test)]
mod header {
    pub const PREFACE: &str = "// The numbers on which CPU and GPU must agree: made of src/shared.rs by \
        tests/kernels.rs.\n#pragma once\n";

    /// A constant's declaration: the text before its name, and after it.
    pub trait Number {
        fn declared(self) -> [String; 2];
    }

    macro_rules! numbers {
        // Enumerators, unlike variables, leave no trace in the PTX of kernels that do not use them.
        ($($whole:ident: $c:literal),+; $($float:ident: $d:literal),+) => {
            $(impl Number for $whole {
                fn declared(self) -> [String; 2] {
                    [concat!("enum : ", $c, " { ").into(), format!(" = {self} }};")]
                }
            })+
            $(impl Number for $float {
                fn declared(self) -> [String; 2] {
                    [concat!("constexpr ", $d, " ").into(), format!(" = {self:?};")]
                }
            })+
        };
    }
    numbers! {
        u32: "unsigned int", usize: "unsigned int", u64: "unsigned long long", i64: "long long", isize: "int";
        f32: "float", f64: "double"
    }

    /// A constant with its comment.
    pub fn lines(docs: &[&str], name: &str, [before, after]: [String; 2]) -> String {
        let docs: String = docs.iter().map(|doc| format!("//{doc}\n")).collect();
        format!("\n{docs}{before}{name}{after}\n")
    }
}
