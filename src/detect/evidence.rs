//! The noise of a cloud, class by class, and the surfaces seen at that noise.
//!
//! Where a block is flat, its thickness is the noise of the scan; at an edge, a step or a twig it is thicker.
//! So the noise is measured on the thinner blocks first, and then only blocks about as thin count as
//! surfaces. The rest may be rougher, or farther from the scanner, and is treated in the same way as a class
//! of its own.

use super::found::{Class, FoundPlane};
use super::sheets::Sheets;
use crate::Result;
use crate::backend::{SEEN, Surfaces, TAKEN};
use crate::surface::blocks::Finder;
use crate::surface::cells::Cells;
use crate::surface::flat::Seen;
use crate::surface::quantile::weighted_quantile;
use crate::surface::surfels::{Surfel, Surfels};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Share of the flat blocks, the thinnest, whose thickness is taken to be noise alone.
const THIN: f64 = 0.25;
/// A surface is at most this many times as thick as the noise.
const THICKEST: f64 = 3.0;

/// Noise is that of single sheets if at least this share of the flat places hold one.
const SINGLE: f64 = 0.05;

/// Points in the blocks of each kind: a kind is a level and a number of points.
type Kinds = FxHashMap<(usize, i64), u64>;

/// The noise of the flat places that are at most so thick, in steps where the noise is the usual one, and the number of their points.
pub(super) fn noise(surfaces: &mut dyn Surfaces, thickest: f64) -> Result<(f64, u64)> {
    let (thin, weight) = surfaces.thickness(thickest, THIN)?;
    let (noise, _) = surfaces.thickness(thickest.min(THICKEST * thin), 0.5)?;
    Ok((noise, weight))
}

/// The same of the smoother kind of surface. Where most places may hold two sheets each, it is the noise of those that do not, if they
/// have at least 5 % of the points.
pub(super) fn noise_of_sheets(surfaces: &mut dyn Surfaces, sheets: &Sheets) -> Result<f64> {
    let rough = sheets.field.rough.unwrap_or(f64::INFINITY);
    let (mut noise, weight) = noise(surfaces, rough)?;
    while let Some(below) = sheets.below(noise) {
        let (single, left) = surfaces.thickness(below, 0.5)?;
        // A floor under the thickness may lie above that limit.
        if (left as f64) < SINGLE * weight as f64 || single > below {
            break;
        }
        log::debug!("noise {noise:.3} steps is the distance of sheets, of single ones {single:.3}");
        noise = single;
    }
    Ok(noise)
}

/// The surfaces around all base cells for a given noise.
pub(super) fn seen<'s>(
    surfaces: &'s mut dyn Surfaces<'_>,
    noise: f64,
) -> Result<Box<dyn Seen + 's>> {
    surfaces.surfaces(THICKEST * noise)
}

/// The state of each base cell after a class: seen if its surfel has a surface or it was seen in
/// `known`, and taken if a plane of `found` claimed it.
pub(super) fn known(surfels: &Surfels, found: &[FoundPlane], known: &[u8]) -> Vec<u8> {
    let seen = |s: &Surfel| if s.surface.is_some() { SEEN } else { 0 };
    let mut state: Vec<u8> = surfels.list.par_iter().map(seen).collect();
    for &i in found.iter().flat_map(|f| &f.support.surfels) {
        state[i as usize] |= TAKEN;
    }
    let before = |cell: usize| known.get(cell).map_or(0, |known| known & SEEN);
    let of_cell = |cell: usize| state[surfels.at(cell)] | before(cell);
    (0..surfels.base_cells()).into_par_iter().map(of_cell).collect()
}

/// Distance between neighbouring points on surfaces, in steps: the median over the points.
pub(super) fn spacing(cells: &Cells, surfels: &[Surfel]) -> f64 {
    // Of each level, the last cell that was asked for, and the points in its block.
    let last = || vec![(u32::MAX, 0); cells.levels.len()];
    let place = |(finders, last): &mut (Vec<Finder>, Vec<(u32, i64)>), s: &Surfel| {
        let level = s.surface?.level();
        let cell = cells.ancestor(s.places[0], level);
        let (known, n) = &mut last[level];
        if std::mem::replace(known, cell) != cell {
            let (on_level, block) = (&cells.levels[level], finders[level].block(cell));
            *n = block.iter().map(|&c| on_level.count(c as usize)).sum();
        }
        Some(((level, *n), u64::from(s.weight)))
    };
    // Blocks of equal size and point count have equal spacing, and there are few such kinds.
    let count = |mut kinds: Kinds, (kind, weight)| {
        *kinds.entry(kind).or_default() += weight;
        kinds
    };
    let all: Kinds = surfels
        .par_iter()
        .map_init(|| (cells.finders(), last()), place)
        .flatten_iter()
        .fold(Kinds::default, count)
        .reduce(Kinds::default, |all, some| some.into_iter().fold(all, count));
    let spacing = |((level, n), weight): ((usize, i64), u64)| {
        // The block is as wide as three cells, and the surface crosses it once.
        let width = 3.0 * cells.levels[level].size;
        (width / (n as f64).sqrt(), weight)
    };
    weighted_quantile(all.into_iter().map(spacing).collect(), 0.5)
}

/// Joins a later class with those before: all their findings, and each surfel from the first class in which it
/// has a surface.
pub(super) fn combine(all: &mut Class, (surfels, findings): Class) {
    all.0.list.par_iter_mut().zip(surfels.list).for_each(|(first, later)| {
        if first.surface.is_none() && later.surface.is_some() {
            *first = later;
        }
    });
    all.1.found.extend(findings.found);
    all.1.failed.extend(findings.failed);
}
