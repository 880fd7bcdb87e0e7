//! The kernels that ship with the program: one table of their names and parameters.
//!
//! Each entry makes a function that launches the kernel, in the module of its file: `cells::heads` of
//! `kernels/cells.cu`, which says what the kernel does. [`kernels!`] explains the entries. A test compares
//! the table with the PTX.

use super::device::Device;
#[cfg(test)]
use super::launch::{Declared, Kernels, declarations};
use super::launch::{Float3, Read, Write, kernel, kernels};
use super::layouts::{
    Block, CellSums, CellSurface, Flatness, LabelSlab, Layer, NarrowSums, Set, Winner,
};
use super::module::Module;
use crate::Result;
use crate::shared::{
    BLOCK_CELLS, BLOCK_POINTS, DOUBLINGS, FINE_LEVELS, GROUP, PIXEL_MARGIN, PLANE_NUMBERS, PRESENT,
    SLIDES_MAXRHO, SLIDES_PHIS, SLIDES_THETAS, THICKNESS_DIGIT_BITS, VOTE_CLASSES, WARP,
};
use cudarc::driver::{LaunchConfig, PushKernelArg};

/// Bins of the slides' accumulator.
const SLIDES_BINS: usize = SLIDES_PHIS * SLIDES_THETAS * 2 * SLIDES_MAXRHO;

/// The files that every search uses.
pub(super) const OF_EVERY_SEARCH: &[&Module] = &[
    &cells::MODULE,
    &labels::MODULE,
    &levels::MODULE,
    &layers::MODULE,
    &sort::MODULE,
    &vote::MODULE,
    &peaks::MODULE,
    &zoom::MODULE,
];

kernels! {
    braak {
        fn braak_basic(
            pixels: &[u8; width * height], width: u32, height: u32, origin_x: i32, origin_y: i32,
            table: &[[f32; 4]; rows], rows: u32, bins: u32, counts: &mut [u32; rows * bins],
            other_table: &[[f32; 4]; other_rows], other_rows: u32, other_bins: u32,
            other_counts: &mut [u32; other_rows * other_bins],
        );
        fn braak_list(
            pixels: &[u8; width * height], width: u32, height: u32, origin_x: i32, origin_y: i32,
            list: &mut [u32], length: &mut [u32; 1],
        );
        fn braak_vote(
            list: &[u32], length: &[u32; 1], origin_x: i32, origin_y: i32, table: &[[f32; 4]; rows],
            rows: u32, bins: u32, counts: &mut [u32; rows * bins],
            other_table: &[[f32; 4]; other_rows], other_rows: u32, other_bins: u32,
            other_counts: &mut [u32; other_rows * other_bins],
        );
        fn braak_pack(
            pixels: &[u8; width * height], width: u32, height: u32,
            upright: &mut [u32; height * width.div_ceil(WARP)],
            rotated: &mut [u32; width * height.div_ceil(WARP)],
        );
        fn braak_constant(
            bits: &[u32; all_lines * words], all_lines: u32, words: u32, slopes: &[[f32; 2]; rows],
            rows: u32, bins: u32, band: u32, rows_a_block: u32, subs: &mut [u32],
        );
        fn braak_sum(subs: &[u32], bands: u32, size: u32, counts: &mut [u32; size]);
    }
    cells {
        fn cell_keys(
            xyz: [&[f32; points]; 3], order: &[u32; points], points: u32, edge: u32,
            keys: &mut [u64; points],
        );
        fn iota(n: u32, numbers: &mut [u32; n]);
        fn place_keys(
            xyz: [&[f32; points]; 3], points: u32, edge: u32, bits: u32, keys: &mut [u64; points],
            order: &mut [u32; points],
        );
        fn heads(keys: &[u64; n], n: u32, flags: &mut [u32; n + 1]);
        fn compact(
            keys: &[u64; n], n: u32, places: &[u32; n + 1], firsts: &mut [u64], starts: &mut [u32],
        );
        fn count_levels(
            keys: &[u64; n], n: u32, full: u32, first: &mut [u32; DOUBLINGS + 1],
            crowded: &mut [u32; DOUBLINGS + 1],
        );
        fn gather_points(
            xyz: [&[f32]; 3], order: &[u32; points], points: u32, to: [&mut [f32; points]; 3],
        );
        fn point_heads(xyz: [&[f32; points]; 3], points: u32, flags: &mut [u32; points + 1]);
        fn distinct_points(
            xyz: [&[f32; points]; 3], points: u32, places: &[u32; points + 1], to: [&mut [f32]; 3],
        );
        fn distinct_starts(
            starts: &[u32; cells], cells: u32, places: &[u32], to: &mut [u32; cells],
        );
        fn cell_moments(
            xyz: [&[f32; points]; 3], starts: &[u32; cells], cells: u32, points: u32, edge: u32,
            steps: u32, moments: &mut [CellSums; cells],
        );
        fn narrow_sums(
            sums: &[CellSums; cells], cells: u32, to: &mut [NarrowSums; cells], wide: &mut [u32; 1],
        );
    }
    kumar {
        fn kumar_baseline(
            pixels: &[u8; width * height], width: u32, height: u32, origin_x: i32, origin_y: i32,
            table: &[[f32; 4]; rows], rows: u32, bins: u32, counts: &mut [u32; rows * bins],
        );
        fn kumar_list(
            pixels: &[u8; width * height], width: u32, height: u32, origin_x: i32, origin_y: i32,
            list: &mut [u32], length: &mut [u32; 1],
        );
        fn kumar_vote(
            list: &[u32], length: &[u32; 1], origin_x: i32, origin_y: i32, table: &[[f32; 4]],
            bins: u32, counts: &mut [u32],
        );
        fn kumar_select(
            counts: &[u32; size], size: u32, threshold: u32, list: &mut [u32; size],
            length: &mut [u32; 1],
        );
    }
    labels {
        fn label_points(
            xyz: [&[f32; points]; 3], points: u32, starts: &[u32; cells], cells: u32,
            present: &[[u32; PRESENT]; cells], slabs: &[LabelSlab; planes], changed: &[u32; planes],
            planes: u32, is_first: u32, labels: &mut [i32; points],
            numbers: &mut [[u64; PLANE_NUMBERS]; planes],
        );
        fn rename_labels(
            labels: &mut [i32; points], points: u32, becomes: &[u32; planes], planes: u32,
        );
    }
    layers {
        fn block_heads(
            parent: &[u32], bases: &[u32; count], count: u32, level: u32, cells: &mut [u32; count],
            flags: &mut [u32; count + 1],
        );
        fn list_blocks(
            cells: &[u32; count], places: &[u32; count + 1], count: u32, listed: &mut [u32],
            firsts: &mut [u32], block_of: &mut [u32; count],
        );
        fn gather_blocks(
            xyz: [&[f32; points]; 3], points: u32, starts: &[u32; base_cells], base_cells: u32,
            distinct: &[u32; end], keys: &[u64; end], parent: &[u32; end], first: &[u32; end],
            children: &[u8; end], near: &[u32; BLOCK_CELLS * near_cells as usize], near_from: u32,
            near_cells: u32, own: u32, level: u32, end: u32, cells: &[u32; count],
            heads: &[u32; count], bases: &[u32], scale: &[f32; base_cells], usual: f64, widest: f64,
            count: u32, to: [&mut [f32; room as usize * BLOCK_POINTS]; 3], room: u32,
            found: &mut [Block; count],
        );
        fn try_cells(
            cloud: [&[f32; cloud_points]; 3], cloud_points: u32, starts: &[u32; base_cells],
            base_cells: u32, xyz: [&[f32; room as usize * BLOCK_POINTS]; 3], room: u32,
            blocks: &[Block], bases: &[u32; count], block_of: &[u32; count], count: u32,
            first_block: u32, first_entry: u32, sliced: u32, outcome: &mut [u8; count],
            layers: &mut [Layer], found: &mut [u32; 1],
        );
    }
    levels {
        fn parent_heads(
            keys: &[u64; from + count], from: u32, count: u32, flags: &mut [u32; count + 1],
        );
        fn parents(
            keys: &mut [u64; from + count], from: u32, count: u32, places: &[u32; count + 1],
            parent: &mut [u32; from + count], first: &mut [u32; from + count],
        );
        fn join_cells(
            keys: &[u64; above + count], parent: &[u32; above], first: &[u32; above + count],
            sums: &[CellSums; above - from], from: u32, above: u32, count: u32, span: i64,
            joined: &mut [CellSums; count], children: &mut [u8; above + count],
        );
        fn blocks_at_top(
            keys: &[u64; from + count], from: u32, count: u32,
            near: &mut [u32; BLOCK_CELLS * count as usize],
        );
        fn blocks_below(
            keys: &[u64; from + count], parent: &[u32; from + count], first: &[u32],
            children: &[u8], near: &[u32; BLOCK_CELLS * near_cells as usize], near_from: u32,
            near_cells: u32, from: u32, count: u32, found: &mut [u32; BLOCK_CELLS * count as usize],
        );
        fn judge(
            keys: &[u64; from + count], parent: &[u32; from + count], first: &[u32],
            children: &[u8], near: &[u32; BLOCK_CELLS * near_cells as usize], near_from: u32,
            near_cells: u32, own: u32, sums: &[CellSums; count], from: u32, count: u32, span: i64,
            unit: f64, flat: &mut [Flatness; from + count], distinct: &mut [u32; from + count],
        );
        fn thicknesses(
            flat: &[Flatness; count], parent: &[u32; count], levels: u32, thickest: f64,
            scale: &[f32; count], floor: &[f32; count], sliced: u32,
            seen: &[u8; count], count: u32,
            thickness: &mut [f32; count],
        );
        fn weigh(
            thickness: &[f32; count], distinct: &[u32; count], count: u32, shift: u32, prefix: u32,
            weights: &mut [u32; 1 << THICKNESS_DIGIT_BITS],
        );
        fn surfaces(
            flat: &[Flatness; count], parent: &[u32; count], levels: u32, thickest: f64,
            scale: &[f32; count], floor: &[f32; count], sliced: u32,
            seen: &[u8; count], count: u32,
            found: &mut [CellSurface; count],
        );
        fn take(
            known: &[u8; count], distinct: &[u32; count], count: u32, taken: &mut [u32; count],
        );
        fn join_taken(
            first: &[u32; above + count], children: &[u8; above + count], above: u32, count: u32,
            taken: &mut [u32; above + count],
        );
        fn strike(
            keys: &[u64; from + count], parent: &[u32; from + count], first: &[u32],
            children: &[u8], near: &[u32; BLOCK_CELLS * near_cells as usize], near_from: u32,
            near_cells: u32, own: u32, taken: &[u32; from + count], distinct: &[u32; from + count],
            from: u32, count: u32, flat: &mut [Flatness; from + count],
        );
    }
    lines {
        fn vote_list_6 | vote_list_4 | vote_list_2 | vote_list_1(
            list: &[u32], lengths: &[u32; 1], origin_x: i32, origin_y: i32,
            table: &[[f32; 4]; rows], rows: u32, bins: u32, counts: &mut [u32; rows * bins],
        );
        fn score_bins(
            counts: &[u32; rows * bins], areas: &[u32; rows * bins], rows: u32, bins: u32,
            pixels: f64, least: f64, found: &mut [[u64; 2]; room], room: u32,
            lengths: &mut [u32; 2],
        );
        fn rank_bins(
            found: &[[u64; 2]; room], lengths: &[u32; 2], room: u32, sorted: &mut [[u64; 2]; room],
        );
    }
    lms {
        fn lms_guess(points: &[[f64; 2]], sets: &[Set], best: &mut [u64]);
        fn lms_count(
            points: &[[f64; 2]], sets: &[Set], best: &[u64], first: u32, counts: &mut [u32],
            candidates: &mut [u32],
        );
    }
    lms_paper {
        fn lms_paper_duals(points: &[[f64; 2]], sets: &[Set; 1], lines: &mut [[f32; 2]]);
        fn lms_paper_crossings(points: &[[f64; 2]], sets: &[Set; 1], crossings: &mut [[f32; 2]]);
        fn lms_paper_bracelets(
            lines: &[[f32; 2]], sets: &[Set; 1], crossings: &[[f32; 2]], padded: u32,
            bracelets: &mut [f32],
        );
        fn lms_paper_minimum(
            crossings: &[[f32; 2]; count], bracelets: &[f32; count], count: u32,
            minimum: &mut [u32; 1],
        );
        fn lms_paper_collect(
            crossings: &[[f32; 2]; count], bracelets: &[f32; count], count: u32, minimum: &[u32; 1],
            sets: &[Set; 1u32], counts: &mut [u32; 1u32], candidates: &mut [u32],
        );
    }
    lms_settle {
        fn lms_begin(sets: u32, counts: &mut [u32; sets], best: &mut [u64; sets]);
        fn lms_settle(
            points: &[[f64; 2]], sets: &[Set], counts: &[u32], candidates: &[u32], best: &mut [u64],
            rises: &mut [u64],
        );
        fn lms_pick(
            points: &[[f64; 2]], sets: &[Set], counts: &mut [u32], candidates: &[u32],
            best: &mut [u64], rises: &[u64], first: u32, last: u32, winners: &mut [Winner],
        );
    }
    lms_sheets {
        fn lms_sheets(
            points: &[[f32; 3]], samples: &[[u32; 2]], triples: u32, best: &mut [u64],
            halves: &mut [u64],
        );
    }
    peaks {
        fn row_maxima(
            counts: &[u32; rows * bins], rows: u32, bins: u32, radius: u32, least: u32,
            maxima: &mut [u32; rows * bins], candidates: &mut [u32], lengths: &mut [u32; 3],
        );
        fn suppress(
            counts: &[u32], maxima: &[u32], bins: u32, near_start: &[u32], near: &[u32],
            candidates: &[u32], found: &mut [u64; room], pending: &mut [u32; room], room: u32,
            lengths: &mut [u32; 3],
        );
        fn suppress_pending(
            counts: &[u32], maxima: &[u32], bins: u32, near_start: &[u32], near: &[u32],
            found: &mut [u64; room], pending: &[u32; room], room: u32, lengths: &mut [u32; 3],
        );
        fn count_classes(
            found: &[u64; room], length: &[u32; 1], room: u32, classes: &mut [u32; VOTE_CLASSES],
        );
        fn select(
            found: &[u64; room], length: &[u32; 1], room: u32, classes: &[u32; VOTE_CLASSES],
            wanted: u32, chosen: &mut [u64; chosen_room], chosen_room: u32,
            chosen_length: &mut [u32; 1],
        );
    }
    pixels {
        fn sobel_levels(
            grey: &[u8; width * height], width: u32, height: u32, levels: &mut [u8; width * height],
            histogram: &mut [u32], automatic: u32, threshold: &mut [u32; 1],
        );
        fn noise_levels(
            grey: &[u8; width * height], width: u32, height: u32,
            histogram: &mut [u32; FINE_LEVELS + 1], blur: &mut [u32; 1],
        );
        fn blur_rows(
            grey: &[u8; width * height], width: u32, height: u32, weights: &[u32], blur: &[u32; 1],
            along: &mut [u16; width * height],
        );
        fn blur_columns(
            along: &[u16; width * height], width: u32, height: u32, weights: &[u32],
            blur: &[u32; 1], both: &mut [u16; width * height],
        );
        fn canny_gradients(
            field: &[u16; width * height], width: u32, height: u32,
            gradients: &mut [[i32; 2]; width * height], histogram: &mut [u32; FINE_LEVELS + 1],
            automatic: u32, limits: &mut [u64; 2],
        );
        fn canny_ridges(
            gradients: &[[i32; 2]; width * height], width: u32, height: u32, limits: &[u64; 2],
            marks: &mut [u8; width * height], parents: &mut [u32; width * height],
            lit: &mut [u8; width * height],
        );
        fn join_ridges(
            marks: &[u8; width * height], width: u32, height: u32,
            parents: &mut [u32; width * height],
        );
        fn light_ridges(
            marks: &[u8; pixels], pixels: u32, parents: &mut [u32; pixels], lit: &mut [u8; pixels],
        );
        fn keep_lit(
            marks: &[u8; pixels], pixels: u32, parents: &mut [u32; pixels], lit: &[u8; pixels],
            levels: &mut [u8; pixels],
        );
        fn pack_edges(
            levels: &[u8; (width * height) as usize + PIXEL_MARGIN], width: u32, height: u32,
            threshold: &[u32; 1], dark: u32, upright: &mut [u32; height * width.div_ceil(WARP)],
            rotated: &mut [u32; width * height.div_ceil(WARP)], wants_list: u32,
            list: &mut [u32; width * height], lengths: &mut [u32; 1], counts: &mut [u32; size],
            size: u32,
        );
        fn gather_sobel(
            grey: &[u8; width * height], width: u32, height: u32, pixels: &[u32; n], n: u32,
            found: &mut [[i32; 2]; n],
        );
        fn gather_gradients(
            gradients: &[[i32; 2]], pixels: &[u32; n], n: u32, found: &mut [[i32; 2]; n],
        );
    }
    slices {
        fn slice_votes(
            bits: &[u32; lines * words], lines: u32, words: u32, slopes: &[[f32; 2]; rows],
            rows: u32, bins: u32, counts: &mut [u32; rows * bins],
            other_bits: &[u32; other_lines * other_words], other_lines: u32, other_words: u32,
            other_slopes: &[[f32; 2]; other_rows], other_rows: u32, other_bins: u32,
            other_counts: &mut [u32; other_rows * other_bins],
        );
    }
    slides_suppress {
        fn slides_suppress_naive | slides_suppress_tiled(
            accumulator: &[u64; SLIDES_BINS], output: &mut [u64; SLIDES_BINS],
        );
    }
    slides_vote {
        fn slides_naive_scatter | slides_naive_gather(
            points: &[[f64; 3]; count], accumulator: &mut [u64; SLIDES_BINS], count: u32,
        );
        fn slides_gather(accumulator: &mut [u64; SLIDES_BINS], count: u32);
    }
    slides_winners {
        fn slides_winners_naive(
            accumulator: &[u64; SLIDES_BINS], wanted: u32, winners: &mut [u64; wanted],
        );
        fn slides_rank_first(accumulator: &[u64; SLIDES_BINS], wanted: u32, winners: &mut [[u64; 2]]);
        fn slides_rank_next(
            elements: &[[u64; 2]; count], count: u32, wanted: u32, winners: &mut [[u64; 2]],
        );
    }
    sort {
        fn curve_keys(
            xyz: [&[f32; points]; 3], points: u32, low: Float3, shift: u32, bits: u32,
            keys: &mut [u64; points], indices: &mut [u32; points],
        );
        fn bounding_box(xyz: [&[f32; points]; 3], points: u32, bounds: &mut [i32; 6]);
        fn radix_histogram(keys: &[u64; n], n: u32, shift: u32, counts: &mut [u32]);
        fn scan_tiles(values: &mut [u32; n], n: u32, totals: &mut [u32]);
        fn scan_totals(totals: &mut [u32; n], n: u32);
        fn scan_add(values: &mut [u32; n], n: u32, totals: &[u32]);
        fn radix_scatter(
            keys: &[u64; n], values: &[u32; n], n: u32, shift: u32, starts: &[u32],
            sorted_keys: &mut [u64; n], sorted_values: &mut [u32; n],
        );
        fn group_points(
            xyz: [&[f32; points]; 3], order: &[u32; points], points: u32,
            to: [&mut [f32; points]; 3], low: &mut [[f32; 4]; points as usize / GROUP],
            high: &mut [[f32; 4]; points as usize / GROUP],
        );
    }
    tomagou {
        fn tomagou_a | tomagou_b | tomagou_c(
            list: &[u32; n], n: u32, origin_x: i32, origin_y: i32, table: &[[f32; 4]], bins: u32,
            counts: &mut [u32],
        );
    }
    vote {
        fn vote_groups_128 | vote_groups_64 | vote_groups_32
            | vote_groups_guarded_128 | vote_groups_guarded_64 | vote_groups_guarded_32(
            xyz: [&[f32; groups as usize * GROUP]; 3], low: &[[f32; 4]; groups],
            high: &[[f32; 4]; groups], groups: u32, table: &[[f32; 4]], row: &[u32], bins: u32,
            window_bins: u32, sign: u32, counts: &mut [u32],
        );
        fn vote_each(
            xyz: [&[f32; points]; 3], points: u32, table: &[[f32; 4]; rows], rows: u32, bins: u32,
            sign: u32, counts: &mut [u32; rows * bins],
        );
        fn vote_near(
            xyz: [&[f32]; 3], weight: &[u32], ballots: &[u32], near_start: &[u32], near: &[u32],
            table: &[[f32; 4]], bins: u32, sign: u32, counts: &mut [u32],
        );
        fn add_votes(counts: &mut [u32; size], others: &[u32; size], size: u32);
    }
    wait {
        fn wait(ns: u64);
    }
    zoom {
        fn densest_slab(
            table: &[[f32; 4]], bins: u32, places: &[[u32; 4]; n], n: u32, slab: u32,
            best: &mut [u64; 1],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::TABLE;
    use std::collections::BTreeMap;

    /// The kernels of a PTX, each with the types of its parameters.
    fn entries(ptx: &str) -> BTreeMap<&str, Vec<String>> {
        ptx.split(".visible .entry ")
            .skip(1)
            .map(|entry| {
                let (name, rest) = entry.split_once('(').unwrap();
                let (parameters, _) = rest.split_once(')').unwrap();
                let parameters = parameters.split(',').map(|line| {
                    let line = line.trim().strip_prefix(".param ").unwrap();
                    // A type, the name, and the size of a struct.
                    let (declared, parameter) = line.rsplit_once(' ').unwrap();
                    match parameter.split_once('[') {
                        Some((_, size)) => format!("{declared} [{size}"),
                        None => declared.to_owned(),
                    }
                });
                (name, parameters.collect())
            })
            .collect()
    }

    #[test]
    fn the_table_says_what_the_ptx_says() {
        for (module, kernels) in TABLE {
            let types = |types: &[&str]| types.iter().map(|t| (*t).to_owned()).collect();
            let said: BTreeMap<&str, Vec<String>> = kernels
                .iter()
                .flat_map(|(names, declared)| names.iter().map(|&name| (name, types(declared))))
                .collect();
            assert_eq!(said, entries(module.ptx), "{}", module.name);
        }
    }

    #[test]
    fn every_file_is_in_the_table_and_every_name_is_there_once() {
        let ptx = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/ptx");
        let mut files: Vec<String> = std::fs::read_dir(ptx)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        files.sort();
        assert_eq!(TABLE.iter().map(|(module, _)| module.name).collect::<Vec<_>>(), files);
        let kernels = TABLE.iter().flat_map(|(_, kernels)| *kernels);
        let mut names: Vec<&str> = kernels.flat_map(|(names, _)| *names).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn the_headers_are_current() {
        let kernels = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        for (header, said) in crate::shared::headers() {
            assert_eq!(std::fs::read_to_string(kernels.join(header)).unwrap(), said, "{header}");
        }
    }
}
