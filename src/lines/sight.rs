//! What the image shows in a bin.

use super::chance::Chance;
use super::detect::line;
use super::geometry::Axis;
use super::line::Line;
use super::options::Options;
use super::pieces::pieces;
use super::raster::Raster;
use super::refine::Stroke;
use super::rounds::FoundLine;
use crate::image::EdgeMap;
use crate::space::Space;

/// An edge map in which bins are examined.
pub(crate) struct Sight {
    raster: Raster,
    chance: Chance,
    max_gap: f64,
}

impl Sight {
    /// Prepares an edge map.
    pub fn new(edges: &EdgeMap, options: &Options) -> Sight {
        let pixels = f64::from(edges.width) * f64::from(edges.height);
        let chance = Chance { density: edges.pixels.len() as f64 / pixels, scatter: 1.0 };
        Sight { raster: Raster::new(edges), chance, max_gap: options.max_gap }
    }

    /// The line in the middle of bin `index` of a space, where the bin has this many votes, with the pieces of it
    /// that are visible in the bin. Pixels voted relative to `origin`.
    pub fn line(&self, space: &Space, origin: [i32; 2], index: usize, votes: u32) -> Line {
        // The directions of slope spaces are not unit vectors.
        let ([x, y, _], local) = space.plane(index);
        let norm = x.hypot(y);
        let (cos, sin) = (x / norm, y / norm);
        let [ox, oy] = origin.map(f64::from);
        let axis = Axis { cos, sin, rho: local / norm + ox * cos + oy * sin };
        let half = space.rho().bin / norm / 2.0;
        let band = [-half, half];
        let Sight { raster, chance, max_gap } = self;
        let mut on = vec![false; raster.steps(axis)];
        let mut area = 0u32;
        raster.walk(axis, 0..on.len(), band, |step, n| {
            on[step] |= n.on;
            area += 1;
        });
        let density = 1.0 - (1.0 - chance.density).powf(f64::from(area) / on.len().max(1) as f64);
        let gap = max_gap * axis.sin.abs().max(axis.cos.abs());
        let tail = chance.log_tail(f64::from(votes), f64::from(area));
        let found = FoundLine {
            stroke: Stroke { axis, band, pieces: pieces(&on, density, gap) },
            votes,
            z: chance.z(votes, area),
            significance: -(tail + (space.size() as f64).ln()) / std::f64::consts::LN_10,
        };
        line(raster, &found, band)
    }
}
