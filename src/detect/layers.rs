//! Layers: the surface through a cell whose surrounding points belong to several surfaces.

use crate::Result;
use crate::backend::Surfaces;
use crate::surface::cells::Cells;
use crate::surface::flat::Surface;
use crate::surface::layers::{Layer, Outcome, Trials, Tried};
use crate::surface::surfels::{LAYERED, Surfel, Surfels, weight_by_level};
use rayon::prelude::*;

/// A block is wide enough when its edge is this many times the noise; narrower ones are never flat.
const WIDE: f64 = 14.0;
/// Levels at which a cell is tried, from the first at which its block is wide enough and has enough
/// points.
const TRIED_LEVELS: u8 = 3;
/// A level shows surfaces when at least one in this many points has its surface there. On much higher levels,
/// cells far from all surfaces would still be tried in vain, …
const SEEN: u64 = 1000;
/// … so layers are sought on at most this many levels above the last that shows surfaces.
const ABOVE: usize = 1;
/// A base cell whose layer is sought.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// Its index.
    place: u32,
    /// Levels at which it was tried.
    tried: u8,
}

/// Gives surfels whose block is not flat, or too thick for one surface, the surface of their layer, where
/// there is one.
///
/// `noise` is the usual standard deviation of points about their surface and `quietest` the least anywhere,
/// in steps. Layers for which `is_ring` holds are dropped: they are single rings, not surfaces.
pub(super) fn refine(
    surfaces: &mut dyn Surfaces,
    cells: &Cells,
    surfels: &mut Surfels,
    [noise, quietest]: [f64; 2],
    is_ring: impl Fn(&Layer) -> bool,
) -> Result<()> {
    let thick = LAYERED * noise;
    let thin = |s: &Surfel, t: f32| f64::from(t) <= thick * f64::from(s.scale);
    let wanted = |s: &Surfel| s.surface.is_none_or(|f| !thin(s, f.thickness));
    // In Morton order the surfels of one cell are consecutive on any level; joined surfels are left out.
    let open = surfels.list.par_iter().filter(|s| s.cells() == 1 && wanted(s));
    let mut open: Vec<Open> = open.map(|s| Open { place: s.places[0], tried: 0 }).collect();
    let edge = 3.0 * cells.base().size;
    let first = (WIDE * quietest / edge).log2().ceil().max(0.0) as usize;
    let end = end(cells.levels.len(), &surfels.list).max(first + 1).min(cells.levels.len());
    for level in first..end {
        if open.is_empty() {
            break;
        }
        let bases: Vec<u32> = open.par_iter().map(|o| o.place).collect();
        let widest = 3.0 * cells.levels[level].size / WIDE;
        let Tried { mut outcomes, mut layers } =
            surfaces.layers(&Trials { bases: &bases, level, noise, widest })?;
        layers.retain(|layer| {
            let stays = !is_ring(layer);
            if !stays {
                // A wider block may hold several rings, and so the surface.
                outcomes[layer.entry as usize] = Outcome::None;
            }
            stays
        });
        give(surfels, &bases, (&layers, level));
        let stays = |(open, outcome): (Open, Outcome)| match outcome {
            Outcome::TooFew => Some(open),
            Outcome::None => {
                Some(Open { tried: open.tried + 1, ..open }).filter(|o| o.tried < TRIED_LEVELS)
            }
            _ => None,
        };
        open = open.into_par_iter().zip(outcomes).filter_map(stays).collect();
    }
    Ok(())
}

/// Gives surfels the surfaces of layers, each of which goes through another one of the base cells.
fn give(surfels: &mut Surfels, bases: &[u32], (layers, level): (&[Layer], usize)) {
    /// No layer.
    const NONE: u32 = u32::MAX;
    let at = |layer: &Layer| surfels.at(bases[layer.entry as usize] as usize);
    let places: Vec<usize> = layers.par_iter().map(at).collect();
    let mut layer_of = vec![NONE; surfels.list.len()];
    (0..).zip(places).for_each(|(layer, surfel)| layer_of[surfel] = layer);
    surfels.list.par_iter_mut().zip(layer_of).for_each(|(surfel, layer)| {
        if let Some(layer) = layers.get(layer as usize) {
            (surfel.centroid, surfel.scatter) = (layer.centroid, layer.scatter);
            surfel.weight = layer.weight;
            surfel.surface = Some(Surface::of_layer(layer, level));
        }
    });
}

/// The first of `levels` on which no layers are sought.
fn end(levels: usize, surfels: &[Surfel]) -> usize {
    let seen = weight_by_level(surfels, levels);
    let all: u64 = seen.iter().sum();
    let last = seen.iter().rposition(|&n| n > 0 && n * SEEN >= all);
    last.map_or(levels, |last| last + ABOVE + 1)
}
