//! Growing a plane over the cells next to it.
//!
//! What belongs to a plane hangs together: from a seed, the plane spreads from cell to
//! neighbouring cell as long as their surfaces lie along it. Two cells are neighbours when they
//! are at the scale at which the surface was seen, so a sparse facade hangs together as well as a
//! dense floor. The cost follows the plane's own size, not the cloud's.

use super::cells::Cells;
use super::evidence::Surfel;
use super::support::Limits;
use super::vector::{Vec3, dot};

/// Which cells lie next to each other, on all levels, and the marks of the search in progress.
pub(super) struct Grower<'a> {
    surfels: &'a [Surfel],
    levels: Vec<Links>,
    /// Base cells in Morton order, in which the base cells of any cell are one range.
    by_place: Vec<u32>,
    /// The cell of its surface's level that holds each base cell; its own index without surface.
    home: Vec<u32>,
    /// Number of the last search that met each base cell.
    met: Vec<u32>,
    search: u32,
}

/// The cells of one level.
struct Links {
    /// Neighbours of cell `c`, itself included: `list[start[c]..start[c + 1]]`.
    start: Vec<u32>,
    list: Vec<u32>,
    /// Range of each cell in `by_place`.
    inside: Vec<(u32, u32)>,
    /// Number of the last search that spread from, and that looked into, each cell.
    spread: Vec<u32>,
    looked: Vec<u32>,
}

/// What a plane grew to.
pub(super) struct Grown {
    /// Surfels along the plane, ascending.
    pub members: Vec<u32>,
    /// Distinct points of other cells next to them that lie in the plane's slab as well: of none,
    /// or of a plane that lies along this one.
    pub others: u64,
}

impl<'a> Grower<'a> {
    /// Links the cells of a cloud.
    pub fn new(cells: &Cells, surfels: &'a [Surfel]) -> Grower<'a> {
        let by_place = cells.base_in_morton_order();
        let mut ancestor: Vec<u32> = (0..surfels.len() as u32).collect();
        let mut home = ancestor.clone();
        let mut levels = Vec::with_capacity(cells.levels.len());
        for (number, level) in cells.levels.iter().enumerate() {
            for (i, surfel) in surfels.iter().enumerate() {
                if surfel.surface.is_some_and(|s| s.level == number) {
                    home[i] = ancestor[i];
                }
            }
            levels.push(Links::new(level, &by_place, &ancestor));
            if !level.parent.is_empty() {
                ancestor.iter_mut().for_each(|a| *a = level.parent[*a as usize]);
            }
        }
        Grower { surfels, levels, by_place, home, met: vec![0; surfels.len()], search: 0 }
    }

    /// Grows the plane `normal · p = rho` from the surfels of `seed`, over free surfels within
    /// `reach` of it.
    pub fn grow(
        &mut self,
        seed: &[u32],
        (normal, rho): (Vec3, f64),
        reach: f64,
        limits: &Limits,
        free: &[bool],
    ) -> Grown {
        self.search += 1;
        let cosine = limits.angle.cos();
        let in_slab = |s: &Surfel| (dot(s.centroid, normal) - rho).abs() <= reach;
        let along = |s: &Surfel| s.surface.is_some_and(|f| dot(f.normal, normal).abs() >= cosine);
        let mut grown = Grown { members: Vec::new(), others: 0 };
        for &i in seed {
            let s = &self.surfels[i as usize];
            if free[i as usize] && self.meet(i) && in_slab(s) && along(s) {
                grown.members.push(i);
            }
        }
        let mut next = 0;
        while let Some(&from) = grown.members.get(next) {
            next += 1;
            let Some(surface) = self.surfels[from as usize].surface else { continue };
            let links = &mut self.levels[surface.level];
            let cell = self.home[from as usize] as usize;
            if std::mem::replace(&mut links.spread[cell], self.search) == self.search {
                continue;
            }
            for k in links.start[cell]..links.start[cell + 1] {
                let neighbour = links.list[k as usize] as usize;
                if std::mem::replace(&mut links.looked[neighbour], self.search) == self.search {
                    continue;
                }
                let (first, last) = links.inside[neighbour];
                for &i in &self.by_place[first as usize..last as usize] {
                    let s = &self.surfels[i as usize];
                    let new =
                        std::mem::replace(&mut self.met[i as usize], self.search) != self.search;
                    if new && in_slab(s) {
                        match (free[i as usize], along(s)) {
                            (true, true) => grown.members.push(i),
                            // Another plane's cell that crosses this one says nothing about it.
                            (false, false) if s.surface.is_some() => {}
                            _ => grown.others += u64::from(s.weight),
                        }
                    }
                }
            }
        }
        grown.members.sort_unstable();
        grown
    }

    /// Marks a base cell; whether the running search had not met it.
    fn meet(&mut self, i: u32) -> bool {
        std::mem::replace(&mut self.met[i as usize], self.search) != self.search
    }
}

impl Links {
    fn new(level: &super::cells::Level, by_place: &[u32], ancestor: &[u32]) -> Links {
        let blocks = level
            .map_blocks(|_, block| block.iter().map(|&(cell, _)| cell).collect::<Box<[u32]>>());
        let mut start = Vec::with_capacity(blocks.len() + 1);
        let mut list = Vec::with_capacity(blocks.iter().map(|b| b.len()).sum());
        start.push(0);
        for block in blocks {
            list.extend_from_slice(&block);
            start.push(list.len() as u32);
        }
        let mut inside = vec![(0, 0); level.len()];
        let mut first = 0;
        for run in by_place.chunk_by(|&a, &b| ancestor[a as usize] == ancestor[b as usize]) {
            let last = first + run.len() as u32;
            inside[ancestor[run[0] as usize] as usize] = (first, last);
            first = last;
        }
        let marks = vec![0; level.len()];
        Links { start, list, inside, spread: marks.clone(), looked: marks }
    }
}
