//! The mean distance of neighbours, by a sample of points that does not depend on their order.

use super::super::Chunk;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Points in the sample.
const SAMPLE: usize = 2000;
/// Points that one core compares at a time.
const PIECE: usize = 1 << 14;

/// The finite points of a chunk.
pub(super) fn finite(chunk: &Chunk) -> impl Iterator<Item = [f64; 3]> {
    let points = chunk.x.iter().zip(&chunk.y).zip(&chunk.z);
    let points = points.map(|((&x, &y), &z)| [x, y, z]);
    points.filter(|point| point.iter().all(|value| value.is_finite()))
}

/// The places with the smallest hashes: the same ones in any order of the points.
#[derive(Default)]
pub(super) struct Sample {
    /// Hash and place, as the bits of its coordinates.
    places: BTreeSet<(u64, [u64; 3])>,
}

impl Sample {
    /// Takes the points of a chunk into account.
    pub(super) fn add(&mut self, chunk: &Chunk) {
        let mut most = self.most();
        for point in finite(chunk) {
            // Adding zero makes −0 and 0 one place.
            let bits = point.map(|value| (value + 0.0).to_bits());
            let hash = hash(bits);
            if hash <= most {
                self.places.insert((hash, bits));
                if self.places.len() > SAMPLE {
                    self.places.pop_last();
                }
                most = self.most();
            }
        }
    }

    /// The largest hash that is still of interest.
    fn most(&self) -> u64 {
        let last = self.places.last().filter(|_| self.places.len() >= SAMPLE);
        last.map_or(u64::MAX, |&(hash, _)| hash)
    }
}

/// A hash whose order has nothing to do with that of places.
fn hash(bits: [u64; 3]) -> u64 {
    bits.into_iter().fold(0, |hash: u64, word| {
        let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 29)
    })
}

/// The distance of each sampled place from the nearest other place.
pub(super) struct Neighbours {
    places: Vec<[f64; 3]>,
    /// Squared distance from the nearest other place seen so far.
    nearest: Vec<f64>,
    /// Whether the sample left points out.
    partial: bool,
}

impl Neighbours {
    /// Starts with the distances within the sample itself, which bound the true ones from above.
    pub(super) fn of(sample: Sample) -> Neighbours {
        let places = sample.places.iter();
        let places: Vec<[f64; 3]> = places.map(|(_, bits)| bits.map(f64::from_bits)).collect();
        let nearest = |place: &[f64; 3]| {
            let others = places.iter().map(|other| square(place, other));
            others.filter(|&d| d > 0.0).fold(f64::INFINITY, f64::min)
        };
        Neighbours {
            nearest: places.par_iter().map(nearest).collect(),
            partial: places.len() == SAMPLE,
            places,
        }
    }

    /// Whether there are points that the sample does not hold.
    pub(super) fn is_worth_a_pass(&self) -> bool {
        self.partial
    }

    /// Takes the points of a chunk into account.
    pub(super) fn add(&mut self, chunk: &Chunk) {
        let tree = Tree::over(&self.places, &self.nearest);
        let points: Vec<[f64; 3]> = finite(chunk).collect();
        let pieces = points.par_chunks(PIECE).map(|piece| {
            let mut nearest = self.nearest.clone();
            let mut open = Vec::new();
            for point in piece {
                tree.reach(point, &self.places, &mut nearest, &mut open);
            }
            nearest
        });
        let nearest = pieces.reduce_with(|a, b| a.iter().zip(&b).map(|(a, b)| a.min(*b)).collect());
        if let Some(nearest) = nearest {
            self.nearest = nearest;
        }
    }

    /// The median distance.
    pub(super) fn median(&self) -> Option<f64> {
        let known = self.nearest.iter().copied();
        let mut known: Vec<f64> = known.filter(|d| d.is_finite()).collect();
        known.sort_by(f64::total_cmp);
        known.get(known.len() / 2).map(|d| d.sqrt())
    }
}

fn square(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}

/// Balls around the sampled places, as wide as their nearest neighbour is far, in boxes in boxes.
struct Tree {
    /// Indices of places, neighbours next to each other.
    order: Vec<usize>,
    /// Boxes around the balls of runs of `order`: node 1 holds all, `2 i` and `2 i + 1` halve node `i`.
    boxes: Vec<Box3>,
}

type Box3 = [[f64; 2]; 3];

/// Places in a box that is not divided further.
const LEAF: usize = 4;

impl Tree {
    fn over(places: &[[f64; 3]], nearest: &[f64]) -> Tree {
        let mut tree = Tree { order: (0..places.len()).collect(), boxes: Vec::new() };
        let mut order = std::mem::take(&mut tree.order);
        tree.divide(1, &mut order, places, nearest);
        tree.order = order;
        tree
    }

    fn divide(&mut self, node: usize, part: &mut [usize], places: &[[f64; 3]], nearest: &[f64]) {
        if self.boxes.len() <= node {
            self.boxes.resize(node + 1, [[f64::INFINITY, f64::NEG_INFINITY]; 3]);
        }
        let mut span = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        for &index in part.iter() {
            let radius = nearest[index].sqrt();
            for axis in 0..3 {
                let value = places[index][axis];
                // A little wider, so that rounding leaves no point out.
                let radius = radius + (radius + value.abs()) * 1e-12;
                let ball = &mut self.boxes[node][axis];
                *ball = [ball[0].min(value - radius), ball[1].max(value + radius)];
                span[axis] = [span[axis][0].min(value), span[axis][1].max(value)];
            }
        }
        if part.len() > LEAF {
            let width = |axis: &usize| span[*axis][1] - span[*axis][0];
            let longest = (0..3).max_by(|a, b| width(a).total_cmp(&width(b)));
            let axis = longest.unwrap_or_default();
            let middle = part.len() / 2;
            part.select_nth_unstable_by(middle, |&a, &b| {
                places[a][axis].total_cmp(&places[b][axis])
            });
            let (low, high) = part.split_at_mut(middle);
            self.divide(2 * node, low, places, nearest);
            self.divide(2 * node + 1, high, places, nearest);
        }
    }

    /// Shortens the distances of the places whose balls hold `point`.
    /// `open` is memory to work with.
    fn reach<'a>(
        &'a self,
        point: &[f64; 3],
        places: &[[f64; 3]],
        nearest: &mut [f64],
        open: &mut Vec<(usize, &'a [usize])>,
    ) {
        open.push((1, &self.order));
        while let Some((node, part)) = open.pop() {
            let inside = |axis: usize| {
                let [low, high] = self.boxes[node][axis];
                low <= point[axis] && point[axis] <= high
            };
            if !(0..3).all(inside) {
                continue;
            }
            if part.len() > LEAF {
                let (low, high) = part.split_at(part.len() / 2);
                open.push((2 * node, low));
                open.push((2 * node + 1, high));
                continue;
            }
            for &index in part {
                let distance = square(point, &places[index]);
                if distance > 0.0 && distance < nearest[index] {
                    nearest[index] = distance;
                }
            }
        }
    }
}
