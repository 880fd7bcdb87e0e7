//! Surfels of small clouds, for tests.

use crate::cpu::cut::whole;
use crate::frame::Points;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::{FLAT, Surface, judge_all};
use crate::surface::noise_field::NoiseField;
use crate::surface::surfels::{Surfels, Thinner};

/// The cells of a cloud, and its surfels for a given noise.
pub(super) fn surfels(points: &Points, noise: f64) -> (CellCloud, Surfels) {
    let cloud = whole(points);
    let cells = &cloud.cells;
    let flatness = judge_all(cells, cloud.sums());
    let surface = |base: u32| {
        (0..cells.levels.len()).find_map(|level| {
            let flat = flatness[level].of(cells.ancestor(base, level) as usize)?;
            (f64::from(flat.ratio) <= FLAT).then(|| Surface::seen(flat, level))
        })
    };
    let surfaces: Vec<Option<Surface>> = (0..cells.len(0) as u32).map(surface).collect();
    let thinner = Thinner { noise, most: f64::INFINITY, white: false };
    let surfels = Surfels::new(&cloud, &NoiseField::even(), &surfaces, thinner);
    (cloud, surfels)
}
