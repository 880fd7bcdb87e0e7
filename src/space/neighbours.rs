//! The directions within an angle of each other, across seams and poles.

use super::bins::Space;
use crate::sort::sort;
use crate::{Error, Result};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// A direction near another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// Index of the direction.
    pub row: u32,
    /// Whether its opposite is the near one: `ρ` then changes its sign, and bin `r` becomes `R − 1 − r`.
    pub flipped: bool,
}

impl Neighbour {
    /// The bin of this row, one of `bins` on an axis around zero, next to bin `r` of the other row.
    #[inline]
    pub fn bin(self, r: usize, bins: usize) -> usize {
        if self.flipped { bins - 1 - r } else { r }
    }
}

/// For each direction of a space, all directions within an angle, itself among them.
///
/// Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    lists: Arc<Lists>,
}

#[derive(Debug, PartialEq)]
struct Lists {
    start: Vec<u32>,
    all: Vec<Neighbour>,
}

/// Directions whose neighbours are found in one go.
const ROWS: usize = 128;

/// Most neighbours of all directions together, as estimated: 16 GiB while they are found. Lists number them in
/// 32 bits.
const MOST: u64 = 1 << 30;
/// The estimate looks at about so many directions.
const TRIED: usize = 1000;

/// Longer lists (16 MiB), which very fine spaces have, are not cached.
const MOST_KEPT: usize = 1 << 21;

/// Cached neighbours, with the directions and the angle they were found for.
struct Kept {
    directions: Vec<[f64; 3]>,
    degrees: f64,
    neighbours: Neighbours,
}

impl Neighbours {
    /// The neighbours within `degrees` (at most 45) in `space`, whose directions are unit vectors.
    ///
    /// The last ones are cached: the clouds of a batch and the frames of a camera ask for the same.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if there are more than some 2³⁰.
    pub fn within(space: &Space, degrees: f64) -> Result<Neighbours> {
        static LAST: Mutex<Option<Kept>> = Mutex::new(None);
        let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same =
            |kept: &Kept| kept.degrees == degrees && kept.directions == space.directions();
        if let Some(kept) = last().as_ref().filter(|kept| is_same(kept)) {
            return Ok(kept.neighbours.clone());
        }
        let neighbours = Neighbours::find(space.directions(), degrees)?;
        if neighbours.lists.all.len() > MOST_KEPT {
            return Ok(neighbours);
        }
        let kept = Kept {
            directions: space.directions().to_vec(),
            degrees,
            neighbours: neighbours.clone(),
        };
        *last() = Some(kept);
        Ok(neighbours)
    }

    fn find(directions: &[[f64; 3]], degrees: f64) -> Result<Neighbours> {
        let index = SphereIndex::new(directions, degrees);
        // An estimate is at most twice the number of all pairs.
        let n = directions.len() as u64;
        if 2 * n * n > MOST && index.estimate(directions) > MOST {
            return Err(too_many());
        }
        // Many rows to a list: a list for each row would cost more than looking its neighbours up.
        let parts: Vec<(Vec<u32>, Vec<Neighbour>)> =
            directions.par_chunks(ROWS).map(|rows| index.within_each(rows)).collect();
        if parts.iter().map(|(_, part)| part.len() as u64).sum::<u64>() > u64::from(u32::MAX) {
            return Err(too_many());
        }
        let mut start = Vec::with_capacity(directions.len() + 1);
        let mut all = Vec::with_capacity(parts.iter().map(|(_, part)| part.len()).sum());
        start.push(0);
        for (ends, part) in parts {
            let before = all.len() as u32;
            start.extend(ends.into_iter().map(|end| before + end));
            all.extend(part);
        }
        Ok(Neighbours { lists: Arc::new(Lists { start, all }) })
    }

    /// The neighbours of direction `row`, in ascending order.
    #[inline]
    pub fn of(&self, row: usize) -> &[Neighbour] {
        let Lists { start, all } = &*self.lists;
        &all[start[row] as usize..start[row + 1] as usize]
    }

    /// Where the neighbours of each direction begin in [`all`](Neighbours::all), and where the last ones end.
    pub fn starts(&self) -> &[u32] {
        &self.lists.start
    }

    /// The neighbours of all directions, one after the other.
    pub fn all(&self) -> &[Neighbour] {
        &self.lists.all
    }

    /// Whether the other is this one or a clone of it.
    pub fn is_same(&self, other: &Neighbours) -> bool {
        Arc::ptr_eq(&self.lists, &other.lists)
    }
}

fn too_many() -> Error {
    Error::Parameter(
        "too many directions lie near each other: take larger steps between directions".into(),
    )
}

/// A lattice over the unit cube in which directions are looked up by nearness.
pub struct SphereIndex {
    cell: f64,
    cosine: f64,
    /// Lattice cells along an edge of the cube, with a spare one at either end.
    edge: usize,
    /// Entries of lattice cell `c`: `list[start[c]..start[c + 1]]`.
    start: Vec<u32>,
    list: Vec<Entry>,
}

/// A direction or its opposite.
#[derive(Debug, Clone, Copy)]
struct Entry {
    vector: [f64; 3],
    /// Twice the row, and one for the opposite: one number sorts faster than a [`Neighbour`].
    key: u32,
}

impl Entry {
    fn row(self) -> u32 {
        self.key >> 1
    }
}

impl SphereIndex {
    /// An index of unit directions for look-ups within `degrees`.
    pub fn new(directions: &[[f64; 3]], degrees: f64) -> SphereIndex {
        let reach = degrees.clamp(1e-3, 45.0).to_radians();
        // The chord of the angle, so that a neighbour is at most one lattice cell away. Cells smaller than
        // 1/50 would be nearly empty.
        let cell = (2.0 * (reach / 2.0).sin()).max(0.02);
        let edge = 2 * (1.0 / cell).floor() as usize + 4;
        // A hair of slack: directions exactly at the angle count as within it.
        let cosine = reach.cos() - 1e-12;
        let mut index = SphereIndex { cell, cosine, edge, start: Vec::new(), list: Vec::new() };
        let entry = |key: u32| {
            let d = directions[key as usize / 2];
            Entry { vector: if key & 1 == 1 { d.map(|v| -v) } else { d }, key }
        };
        let home = |key: u32| index.number(entry(key).vector);
        let mut sorted: Vec<u64> = (0..2 * directions.len() as u32)
            .map(|key| (home(key) as u64) << 32 | u64::from(key))
            .collect();
        sort(&mut sorted);
        let mut start = vec![0; edge * edge * edge + 1];
        for &packed in &sorted {
            start[(packed >> 32) as usize + 1] += 1;
        }
        for home in 0..edge * edge * edge {
            start[home + 1] += start[home];
        }
        let list = sorted.into_iter().map(|packed| entry(packed as u32)).collect();
        (index.start, index.list) = (start, list);
        index
    }

    /// The lattice cell of a vector of at most unit length, never at the rim.
    fn home(&self, d: [f64; 3]) -> [usize; 3] {
        let (middle, last) = ((self.edge / 2) as f64, self.edge as f64 - 2.0);
        // `max` first, since it maps NaN to the rim as well.
        d.map(|v| ((v / self.cell).floor() + middle).max(1.0).min(last) as usize)
    }

    /// The number of the lattice cell of a vector.
    fn number(&self, d: [f64; 3]) -> usize {
        let [x, y, z] = self.home(d);
        (z * self.edge + y) * self.edge + x
    }

    /// Calls `visit` with every entry in the lattice cells around `d` and its cosine with `d`.
    fn around(&self, d: [f64; 3], mut visit: impl FnMut(Entry, f64)) {
        let [x, y, z] = self.home(d);
        for z in z - 1..=z + 1 {
            for y in y - 1..=y + 1 {
                let row = (z * self.edge + y) * self.edge;
                let range = self.start[row + x - 1] as usize..self.start[row + x + 2] as usize;
                for &entry in &self.list[range] {
                    let e = entry.vector;
                    visit(entry, d[0] * e[0] + d[1] * e[1] + d[2] * e[2]);
                }
            }
        }
    }

    /// About how many neighbours all directions have together.
    fn estimate(&self, directions: &[[f64; 3]]) -> u64 {
        let every = directions.len().div_ceil(TRIED).max(1);
        let tried = directions.par_iter().step_by(every);
        let found: usize = tried.map(|&d| self.within_each(&[d]).1.len()).sum();
        found as u64 * every as u64
    }

    /// All entries within the angle of each of the unit vectors, ascending, each direction once: one list after the
    /// other, and where each of them ends.
    fn within_each(&self, vectors: &[[f64; 3]]) -> (Vec<u32>, Vec<Neighbour>) {
        let mut ends = Vec::with_capacity(vectors.len());
        let (mut all, mut keys) = (Vec::new(), Vec::new());
        for &d in vectors {
            keys.clear();
            self.around(d, |entry, cosine| {
                if cosine >= self.cosine {
                    keys.push(entry.key);
                }
            });
            keys.sort_unstable();
            keys.dedup_by_key(|key| *key >> 1);
            all.extend(keys.iter().map(|key| Neighbour { row: key >> 1, flipped: key & 1 == 1 }));
            ends.push(all.len() as u32);
        }
        (ends, all)
    }

    /// The row of the direction nearest to the unit vector `d` or to its opposite, if one is
    /// within the angle; the lowest row of equals.
    pub fn nearest(&self, d: [f64; 3]) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        self.around(d, |entry, cosine| {
            let is_better =
                best.is_none_or(|(c, row)| cosine > c || (cosine == c && entry.row() < row));
            if cosine >= self.cosine && is_better {
                best = Some((cosine, entry.row()));
            }
        });
        best.map(|(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::RhoAxis;
    use super::super::directions::Directions;
    use super::*;

    fn space(directions: Directions) -> Space {
        Space::new(directions.table(), RhoAxis::symmetric(10.0, 1.0)).unwrap()
    }

    /// Against the definition, on tables with a seam, a pole and neither.
    #[test]
    fn equals_the_plain_definition() {
        for (name, degrees) in [("polar:36x36", 7.0), ("polar:45x60", 3.0), ("ball:6", 20.0)] {
            let space = space(name.parse().unwrap());
            let near = Neighbours::within(&space, degrees).unwrap();
            let limit = degrees.to_radians().cos() - 1e-12;
            for (row, d) in space.directions().iter().enumerate() {
                let plain: Vec<u32> = (0..space.rows() as u32)
                    .filter(|&k| {
                        let e = space.directions()[k as usize];
                        (d[0] * e[0] + d[1] * e[1] + d[2] * e[2]).abs() >= limit
                    })
                    .collect();
                let rows: Vec<u32> = near.of(row).iter().map(|n| n.row).collect();
                assert_eq!(rows, plain, "{name} row {row}");
            }
        }
    }

    #[test]
    fn the_seam_is_crossed_with_a_flip() {
        let space = space("polar:180x180".parse().unwrap());
        let near = Neighbours::within(&space, 1.5).unwrap();
        let row = |theta: usize, phi: usize| phi * 180 + theta;
        // (θ = 179°, φ = 60°) lies next to (θ = 180°, φ = 60°), which is −(θ = 0°, φ = 120°).
        let across = Neighbour { row: row(0, 120) as u32, flipped: true };
        assert!(near.of(row(179, 60)).contains(&across));
        // The pole is next to every azimuth of φ = 1° and, flipped, of φ = 179°.
        assert_eq!(near.of(0).len(), 3 * 180);
    }

    #[test]
    fn more_neighbours_than_can_be_numbered_are_refused() {
        let space = space("ball:0.1".parse().unwrap());
        let error = Neighbours::within(&space, 3.0).unwrap_err();
        assert_eq!(error.to_string(), too_many().to_string());
    }

    #[test]
    fn nearest_finds_the_closest_direction_or_its_opposite() {
        let space = space("ball:3".parse().unwrap());
        let index = SphereIndex::new(space.directions(), 6.0);
        for (row, d) in space.directions().iter().enumerate() {
            assert_eq!(index.nearest(*d), Some(row as u32));
            assert_eq!(index.nearest(d.map(|v| -v)), Some(row as u32));
        }
    }
}
