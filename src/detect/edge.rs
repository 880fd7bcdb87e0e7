//! The edge of a plane among the surfels, and where a surface goes on smoothly beyond it.

use super::lattice::Lattice;
use super::piece::{Looked, Piece, STEP};
use super::sparse_grid::{Place, SparseGrid};
use crate::vector::{Vec3, dot};

/// What lies beyond the outline is looked for around surfels at most this many places from it.
const RIM: i64 = 1;
/// The surface beyond the outline is tilted against the plane by at most this angle, in radians.
const TILT: f64 = 20.0 * std::f64::consts::PI / 180.0;

/// The distances of surfels over places of a lattice: their weights, and the weighted sums.
type Heights = SparseGrid<[f64; 2]>;

/// The edge of a plane, on a lattice as coarse as its surfels.
pub(super) struct Edge {
    pub lattice: Lattice,
    /// How far its own surfels lie above the plane.
    inside: Heights,
    /// The sides of the outline, in any order: a place of the plane, and a place next to it outside.
    outline: Vec<[Place; 2]>,
    /// The places along the outline, on both sides of it.
    rim: SparseGrid<bool>,
}

impl Edge {
    pub fn of(piece: &Piece) -> Edge {
        let (normal, base) = (piece.plane.normal, piece.cells.base().size);
        let lattice = Lattice::new(&piece.surfels.list, piece.own, normal, base);
        let inside = heights(&lattice, piece, piece.own);
        let outline = outline(&inside);
        Edge { rim: rim(&outline), lattice, inside, outline }
    }

    /// The share of these sides in the outline.
    pub fn share(&self, sides: &[[Place; 2]]) -> f64 {
        sides.len() as f64 / self.outline.len().max(1) as f64
    }

    /// The surfels beyond the edge that may go on with the plane's surface, ascending; surfaces thicker than `rough` are of another
    /// kind. The inside of a wall is not looked at.
    pub fn beyond(&self, piece: &Piece, rough: Option<f64>) -> Vec<u32> {
        let (mut looked, mut beyond) = (Looked::new(piece.cells), Vec::new());
        // What touches the slab from outside has its middle farther away.
        let reach = (1.0 + 2.0 * STEP) * piece.plane.tolerance;
        let kind = rough.map(|rough| piece.surfels.kind(piece.own, rough));
        let may_go_on = |j: u32| {
            let along = |normal: Vec3| dot(normal, piece.plane.normal).abs() >= TILT.cos();
            piece.surfel(j).surface.is_some_and(|s| along(s.normal()))
                && kind.is_none_or(|kind| kind.has(piece.surfel(j)))
                && piece.distance(j).abs() <= reach
        };
        for i in self.at_rim(piece) {
            piece.look_around(i, &mut looked, |j| beyond.extend(may_go_on(j).then_some(j)));
        }
        beyond.sort_unstable();
        beyond.dedup();
        beyond
    }

    /// The sides of the outline beyond which the surface goes on without a step, over surfels that lie there.
    pub fn open(&self, piece: &Piece, beyond: &[u32]) -> Vec<[Place; 2]> {
        let outside = heights(&self.lattice, piece, beyond);
        let (mut inside, mut outside) = (self.inside.finder(), outside.finder());
        let height = |[weight, sum]: [f64; 2]| (weight > 0.0).then(|| sum / weight);
        let is_open = |[within, next]: &[Place; 2]| {
            let heights = height(inside.get(*within)).zip(height(outside.get(*next)));
            heights.is_some_and(|(a, b)| (a - b).abs() <= STEP * piece.plane.tolerance)
        };
        self.outline.iter().copied().filter(is_open).collect()
    }

    /// The plane's surfels along its outline.
    pub fn at_rim<'a>(&'a self, piece: &'a Piece) -> impl Iterator<Item = u32> + 'a {
        let mut rim = self.rim.finder();
        let is_at_rim = move |&i: &u32| self.lattice.covered(piece.surfel(i)).any(|p| rim.get(p));
        piece.own.iter().copied().filter(is_at_rim)
    }

    /// The share of the points along the edge from which a surface goes on smoothly beside the plane. A layer right above or below
    /// it does not count.
    pub fn continued(&self, piece: &Piece) -> f64 {
        let mut inside = self.inside.finder();
        piece.share_beside(self.at_rim(piece), |i, j| {
            let place = || self.lattice.place(piece.surfel(j).centroid);
            piece.is_smooth(i, j) && inside.get(place())[0] == 0.0
        })
    }
}

/// How far surfels lie above the plane, over the places of a lattice.
fn heights(lattice: &Lattice, piece: &Piece, set: &[u32]) -> Heights {
    let mut heights = Heights::new();
    for &i in set {
        let (surfel, distance) = (piece.surfel(i), piece.distance(i));
        let weight = f64::from(surfel.weight);
        for place in lattice.covered(surfel) {
            let [all, sum] = heights.at(place);
            (*all, *sum) = (*all + weight, *sum + weight * distance);
        }
    }
    heights
}

/// The sides of the outline of what lies `inside`.
fn outline(inside: &Heights) -> Vec<[Place; 2]> {
    let around = |(u, v): Place| [(u + 1, v), (u - 1, v), (u, v + 1), (u, v - 1)];
    let mut finder = inside.finder();
    let places = inside.iter().filter(|(_, [weight, _])| *weight > 0.0);
    let sides = places.flat_map(|(place, _)| around(place).map(|next| [place, next]));
    sides.filter(|&[_, next]| finder.get(next)[0] == 0.0).collect()
}

/// The places along an outline, on both sides of it.
fn rim(outline: &[[Place; 2]]) -> SparseGrid<bool> {
    let mut rim = SparseGrid::new();
    for &[(u, v), _] in outline {
        for (a, b) in (-RIM..=RIM).flat_map(|a| (-RIM..=RIM).map(move |b| (a, b))) {
            *rim.at((u + a, v + b)) = true;
        }
    }
    rim
}
