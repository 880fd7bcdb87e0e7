//! Growing a plane over the cells next to it.
//!
//! A plane is connected: from a seed it spreads from cell to neighbouring cell as long as their surfaces lie
//! along it. Cells are neighbours at the scale at which the surface was seen, so a sparse facade is as
//! connected as a dense floor. Once it is known which surfels are neighbours, the cost follows the plane's own size,
//! not the cloud's.

use super::adjacency::Adjacency;
use super::limits::Limits;
use crate::surface::cells::Cells;
use crate::surface::surfels::{Surfel, Surfels};
use crate::vector::{Vec3, dot};

/// The marks of the search in progress.
pub(super) struct Grower<'a> {
    surfels: &'a Surfels,
    cells: &'a Cells,
    adjacency: Adjacency,
    /// For each cell of each level, the last search that spread from it.
    spread: Vec<Vec<Number>>,
    /// Number of the last search that met each surfel.
    met: Vec<Number>,
    search: Number,
}

/// The number of a search. When all are used up, the marks are wiped off.
type Number = u16;

/// What a plane grew to.
pub(super) struct Grown {
    /// Surfels along the plane, ascending.
    pub members: Vec<u32>,
    /// Distinct points of adjacent cells in the plane's slab that are not its members: of no plane, or of one
    /// that lies along it and is not smoother than a rough one.
    pub others: u64,
}

impl<'a> Grower<'a> {
    /// A grower over all surfels, none of them met.
    pub fn new(cells: &'a Cells, surfels: &'a Surfels) -> Grower<'a> {
        let none = |level| vec![0; cells.len(level)];
        Grower {
            surfels,
            cells,
            adjacency: Adjacency::new(cells, surfels),
            spread: (0..cells.levels.len()).map(none).collect(),
            met: vec![0; surfels.list.len()],
            search: 0,
        }
    }

    /// The cells over which planes grow.
    pub fn cells(&self) -> &'a Cells {
        self.cells
    }

    /// The surfels in the block around a cell on which the surface of one was seen.
    pub fn around(&self, level: usize, cell: u32) -> impl Iterator<Item = u32> {
        self.adjacency.around(level, cell).iter().cloned().flatten()
    }

    /// Grows the plane `normal · p = rho` from the surfels of `seed`, over free surfels within `reach` of it,
    /// scaled by their noise, and of the kind of surface that most of the seed is.
    pub fn grow(
        &mut self,
        seed: &[u32],
        (normal, rho): (Vec3, f64),
        reach: f64,
        limits: &Limits,
        free: &[bool],
    ) -> Grown {
        self.begin();
        let cosine = limits.angle.cos();
        let in_slab =
            |s: &Surfel| (dot(s.centroid, normal) - rho).abs() <= reach * f64::from(s.scale);
        let along = |s: &Surfel| s.surface.is_some_and(|f| dot(f.normal(), normal).abs() >= cosine);
        let kind = limits.rough.map(|rough| self.surfels.kind(seed, rough));
        let is_of_kind = |s: &Surfel| kind.is_none_or(|kind| kind.has(s));
        // A road beside grass says nothing about the grass.
        let tells = |s: &Surfel| kind.is_none_or(|kind| !kind.is_rough() || kind.has(s));
        let mut grown = Grown { members: Vec::new(), others: 0 };
        for &i in seed {
            let s = &self.surfels.list[i as usize];
            if free[i as usize] && self.meet(i) && in_slab(s) && along(s) && is_of_kind(s) {
                grown.members.push(i);
            }
        }
        let (mut next, mut near) = (0, Vec::new());
        while let Some(&from) = grown.members.get(next) {
            next += 1;
            self.look_around(from, &mut near);
            for &i in &near {
                let s = &self.surfels.list[i as usize];
                if in_slab(s) {
                    match (free[i as usize], along(s)) {
                        (true, true) if is_of_kind(s) => grown.members.push(i),
                        // Nor does a cell of another plane that crosses this one.
                        (false, is_along) if s.surface.is_some() && !(is_along && tells(s)) => {}
                        _ => grown.others += u64::from(s.weight),
                    }
                }
            }
        }
        grown.members.sort_unstable();
        grown
    }

    /// Begins a search.
    fn begin(&mut self) {
        if self.search == Number::MAX {
            let spread = self.spread.iter_mut();
            spread.chain([&mut self.met]).for_each(|marks| marks.fill(0));
            self.search = 0;
        }
        self.search += 1;
    }

    /// Lists the surfels in the blocks around a surfel that this search has not met yet.
    fn look_around(&mut self, from: u32, near: &mut Vec<u32>) {
        near.clear();
        let (surfels, cells, search) = (self.surfels, self.cells, self.search);
        let Some(surface) = surfels.list[from as usize].surface else { return };
        let level = surface.level();
        let is_new = |marks: &mut [Number], i: u32| {
            std::mem::replace(&mut marks[i as usize], search) != search
        };
        for cell in surfels.homes(cells, from, level) {
            if is_new(&mut self.spread[level], cell) {
                for run in self.adjacency.around(level, cell) {
                    near.extend(run.clone().filter(|&i| is_new(&mut self.met, i)));
                }
            }
        }
    }

    /// Marks a surfel as met; returns whether it was new to this search.
    fn meet(&mut self, i: u32) -> bool {
        std::mem::replace(&mut self.met[i as usize], self.search) != self.search
    }
}
