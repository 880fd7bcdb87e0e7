//! Local evidence: which way the surface lies around each cell, and how thick it is.
//!
//! Every base cell takes its normal from a block of 3 × 3 × 3 cells around it, at the finest level
//! at which that block is flat. Dense places are judged at a small scale, sparse or noisy ones at
//! a larger one, and places that are flat at no scale (foliage, edges, clutter) get no normal.

use super::cells::{Cells, Level};
use super::eigen;
use super::vector::{Vec3, dot};
use rayon::prelude::*;

/// Fewest distinct points of a block that is judged.
const MIN_POINTS: i64 = 10;
/// Thickness over width, squared, below which a block is flat at once.
const FLAT: f64 = 0.0625;
/// The same for a block that is the flattest of all levels.
const NEARLY_FLAT: f64 = 0.16;
/// Width over length, squared, below which a block is a line.
const LINE: f64 = 0.02;

/// Share of the flat places that are taken to show nothing but noise.
const THIN: f64 = 0.25;
/// A surface is at most so many times as thick as the noise.
const THICKEST: f64 = 3.0;

/// The surface around a base cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Surface {
    /// Unit normal, of either sign.
    pub normal: Vec3,
    /// Standard error of the normal's direction, in radians.
    pub error: f64,
    /// Root mean square distance of the block's points from their plane, in steps.
    pub thickness: f64,
    /// Level whose block was flat.
    pub level: usize,
}

/// A base cell as detection sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Surfel {
    /// Mean of the cell's distinct points, local coordinates.
    pub centroid: Vec3,
    /// Number of distinct points.
    pub weight: u32,
    /// The surface there, if it is flat at any scale.
    pub surface: Option<Surface>,
}

/// The surfels of all base cells, in the order of the cells, and the noise of the cloud, in steps.
///
/// Where a block is flat, its thickness is the noise of the scan; where it is an edge, a step or a
/// twig, it is more. So the noise is read off the thinner blocks first, and then only blocks about
/// as thin as that count as surfaces.
pub(super) fn surfels(cells: &Cells) -> (Vec<Surfel>, f64) {
    let flatness: Vec<Vec<Option<Flatness>>> = cells.levels.iter().map(judge_level).collect();
    let base = cells.base();
    let surface = |cell: usize, thickest: f64| choose_level(cells, &flatness, cell, thickest);
    let noise_of = |thickest: f64, share: f64| {
        let thickness =
            |cell: usize| Some((surface(cell, thickest)?.thickness, base.moments[cell].n as u64));
        let all: Vec<(f64, u64)> = (0..base.len()).into_par_iter().filter_map(thickness).collect();
        weighted_quantile(all, share)
    };
    let thickest = THICKEST * noise_of(f64::INFINITY, THIN);
    let surfels = (0..base.len())
        .into_par_iter()
        .map(|cell| Surfel {
            centroid: base.local(cell, base.moments[cell].mean()),
            weight: base.moments[cell].n as u32,
            surface: surface(cell, thickest),
        })
        .collect();
    (surfels, noise_of(thickest, 0.5))
}

/// How flat one block is.
#[derive(Clone, Copy)]
struct Flatness {
    /// Thickness over width, squared.
    ratio: f32,
    thickness: f32,
    error: f32,
    normal: [f32; 3],
}

/// Judges every block of a level.
fn judge_level(level: &Level) -> Vec<Option<Flatness>> {
    level.map_blocks(|_, block| {
        let moments = level.block_moments(block);
        if moments.n < MIN_POINTS {
            return None;
        }
        let n = moments.n as f64;
        let mean = moments.mean();
        let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        let covariance: [f64; 6] = std::array::from_fn(|i| {
            let (a, b) = pairs[i];
            moments.products[i] as f64 / n - mean[a] * mean[b]
        });
        let (values, normal) = eigen::smallest(covariance);
        // Coordinates were cut to whole units, which adds the variance of one unit's rounding.
        let least = values[0].max(1.0 / 12.0);
        let ratio = least / values[1];
        (ratio <= NEARLY_FLAT && values[1] >= LINE * values[2]).then(|| Flatness {
            ratio: ratio as f32,
            thickness: ((least * n / (n - 3.0)).sqrt() * level.unit()) as f32,
            error: (ratio / n).sqrt() as f32,
            normal: normal.map(|v| v as f32),
        })
    })
}

/// The finest level that is flat around a base cell, or else the flattest that nearly is, among
/// blocks of at most the given thickness.
fn choose_level(
    cells: &Cells,
    flatness: &[Vec<Option<Flatness>>],
    base_cell: usize,
    thickest: f64,
) -> Option<Surface> {
    let mut cell = base_cell;
    let mut best: Option<(usize, Flatness)> = None;
    for (level, judged) in flatness.iter().enumerate() {
        if let Some(flat) = judged[cell].filter(|f| f64::from(f.thickness) <= thickest) {
            if best.is_none_or(|(_, b)| flat.ratio < b.ratio) {
                best = Some((level, flat));
            }
            if f64::from(flat.ratio) <= FLAT {
                break;
            }
        }
        cell = match cells.levels[level].parent.get(cell) {
            Some(&parent) => parent as usize,
            None => break,
        };
    }
    best.map(|(level, flat)| {
        let normal = flat.normal.map(f64::from);
        let length = dot(normal, normal).sqrt();
        Surface {
            normal: normal.map(|v| v / length),
            error: f64::from(flat.error),
            thickness: f64::from(flat.thickness),
            level,
        }
    })
}

/// The value below which `share` of the total weight lies; 0 without any.
pub(super) fn weighted_quantile(mut values: Vec<(f64, u64)>, share: f64) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let total: u64 = values.iter().map(|v| v.1).sum();
    let wanted = share * total as f64;
    let mut sum = 0u64;
    for &(value, weight) in &values {
        sum += weight;
        if sum as f64 >= wanted {
            return value;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Points;

    /// A tilted plane with a little roughness, and scattered points above it.
    fn scene() -> Points {
        let plane = (0..20_000).map(|i| {
            let (u, v) = ((i % 141) as f32 * 500.0, (i / 141) as f32 * 500.0);
            [u, v, (u / 4.0 + ((i * 7919) % 101) as f32).round()]
        });
        let scattered = (0..600).map(|i: u32| {
            let r = |k: u32| (i.wrapping_mul(k) % 70_001) as f32;
            [r(48_271), r(69_621), 200_000.0 + r(16_807) * 4.0]
        });
        plane.chain(scattered).collect()
    }

    #[test]
    fn a_plane_is_flat_and_scatter_is_not() {
        let points = scene();
        let cells = Cells::new(&points);
        let (surfels, _) = surfels(&cells);
        let expected = [-0.25f64, 0.0, 1.0].map(|v| v / 1.0625f64.sqrt());
        let (mut on, mut flat, mut off) = (0, 0, 0);
        for surfel in &surfels {
            match surfel.surface {
                Some(s) if surfel.centroid[2] < 100_000.0 => {
                    let cosine = dot(s.normal, expected).abs();
                    assert!(cosine > 5f64.to_radians().cos(), "{s:?}");
                    flat += surfel.weight;
                }
                Some(_) => off += surfel.weight,
                None => {}
            }
            on += u32::from(surfel.centroid[2] < 100_000.0) * surfel.weight;
        }
        assert_eq!(on, 20_000);
        assert!(flat > 19_900, "{flat}");
        assert!(off < 120, "{off}");
    }

    #[test]
    fn the_order_of_the_points_does_not_matter() {
        let points = scene();
        let shuffled: Vec<u32> = (0..points.len() as u32).map(|i| i * 7919 % 20_600).collect();
        let (a, b) = (Cells::new(&points), Cells::new(&points.select(&shuffled)));
        assert_eq!(a.base().moments, b.base().moments);
        assert!(surfels(&a) == surfels(&b));
    }

    #[test]
    fn duplicates_count_once() {
        let points = scene();
        let twice: Vec<u32> = (0..points.len() as u32).flat_map(|i| [i; 3]).collect();
        let (a, b) = (Cells::new(&points), Cells::new(&points.select(&twice)));
        assert_eq!(a.distinct, b.distinct);
        assert!(surfels(&a) == surfels(&b));
    }

    #[test]
    fn a_weighted_median_is_where_half_the_weight_lies() {
        assert_eq!(weighted_quantile(vec![(3.0, 1), (1.0, 1), (2.0, 10)], 0.5), 2.0);
        assert_eq!(weighted_quantile(vec![], 0.5), 0.0);
    }
}
