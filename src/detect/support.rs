//! From a peak to a plane: refine it on its own surfels, and keep what hangs together.

use super::evidence::{Surfel, closing_edge};
use super::grow::Grower;
use super::parameters::SIGMAS;
use super::spread::Spread;
use super::zoom;
use crate::Result as Done;
use crate::backend::{Backend, LocalPlane};
use crate::detection::Reason;
use crate::vector::{Vec3, dot, normalized};
use std::collections::HashMap;

/// Refinements of one candidate; most settle in four or five.
const ITERATIONS: usize = 12;
/// Width of the slice of voters from which a plane grows, in tolerances: narrow enough to lie within
/// one of two layers, wide enough to be the densest by more than chance.
const SLICE: f64 = 0.5;
/// Share of the points in a plane's slab and next to it that must lie along it. A plane through
/// foliage or across many surfaces is mostly others'.
const MIN_PURITY: f64 = 0.4;

/// A plane is bent when it deviates from itself, beyond its noise, by this share of its tolerance.
const BENT: f64 = 0.15;
/// A plane that is bent in every slab is none at all when it deviates by more than this share of
/// its width.
const FLATNESS: f64 = 0.005;
/// A piece of something round is no plane: its normals fan out by more than this, in radians, root
/// mean square.
const FAN: f64 = 0.1;
/// What lies at one place of a plane is several layers when its variance is so many times that of
/// the noise.
const LAYERED: f64 = 1.5;
/// Slabs for planes that may not be quite flat, in multiples of the tolerance.
pub(super) const SLABS: &[f64] = &[1.0, 1.5, 2.25, 3.4, 5.0];

/// What makes a plane; lengths in steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Largest distance of an inlier.
    pub tolerance: f64,
    /// Largest angle between the normals of an inlier and of its plane, in radians.
    pub angle: f64,
    /// Fewest distinct points of its largest part.
    pub min_inliers: u64,
    /// Edge of a base cell.
    pub cell: f64,
    /// Multiples of the tolerance in which a plane is tried, ascending.
    pub slabs: &'static [f64],
}

/// How a plane's surfels deviate from it, in steps.
struct Bend {
    /// Root mean square distance of the surface, without its noise.
    depth: f64,
    /// How far the normals fan out, root mean square, in radians.
    fan: f64,
    /// Whether what lies at one place of it is thicker than a surface is.
    layered: bool,
    /// Width of the plane: its shorter side if it is a rectangle.
    width: f64,
}

/// A plane and the surfels along it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Support {
    /// Unit normal.
    pub normal: Vec3,
    /// Distance from local zero along the normal.
    pub rho: f64,
    /// Largest distance of its points, in steps.
    pub tolerance: f64,
    /// Surfels that belong to it, ascending.
    pub surfels: Vec<u32>,
}

impl Support {
    /// The plane alone.
    pub fn plane(&self) -> LocalPlane {
        LocalPlane { normal: self.normal, rho: self.rho, tolerance: self.tolerance }
    }
}

/// A candidate that led to no plane.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failed {
    /// Unit normal.
    pub normal: Vec3,
    /// Distance from local zero along the normal.
    pub rho: f64,
    /// Distinct points that were found along it.
    pub points: u64,
    /// What was wrong.
    pub reason: Reason,
    /// Surfels along it that lead nowhere else either.
    pub spent: Vec<u32>,
}

impl Failed {
    /// A failure that says nothing against its surfels.
    pub fn new((normal, rho): (Vec3, f64), points: u64, reason: Reason) -> Failed {
        Failed { normal, rho, points, reason, spent: Vec::new() }
    }
}

/// The surfels among which a plane finds its support.
pub(super) struct Field<'a> {
    /// What zooms in on layers.
    pub backend: &'a dyn Backend,
    /// All surfels.
    pub surfels: &'a [Surfel],
    /// What makes a plane.
    pub limits: Limits,
}

impl Field<'_> {
    fn surfel(&self, i: u32) -> &Surfel {
        &self.surfels[i as usize]
    }

    /// Standard deviation of points about their plane.
    fn noise(&self) -> f64 {
        self.limits.tolerance / SIGMAS
    }

    /// Distinct points of a set of surfels.
    pub fn weight(&self, set: &[u32]) -> u64 {
        set.iter().map(|&i| u64::from(self.surfel(i).weight)).sum()
    }

    /// Refines the plane of a peak: from the densest slice of its voters, grown and fitted in
    /// turn until it stays as it is; or what is wrong where there is no plane.
    ///
    /// A plane that fills its slab to the edges is bent, and is tried in wider slabs until it fits
    /// one. If it fits none, the widest in which it is flat for its size counts; a piece of
    /// something curved is flat in none.
    ///
    /// `voters` are free surfels that agree with the peak's `direction`.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn refine(
        &self,
        grower: &mut Grower,
        direction: Vec3,
        voters: &[u32],
        free: &[bool],
    ) -> Done<Result<Support, Failed>> {
        let mut members = self.seed(direction, voters);
        let mut best = None;
        let mut failed = Failed::new((direction, 0.0), 0, Reason::TooSmall);
        for times in self.limits.slabs {
            let tolerance = times * self.limits.tolerance;
            let plane = match self.settle(grower, members, tolerance, free) {
                Ok(plane) => plane,
                Err(small) if failed.points == 0 => return Ok(Err(small)),
                Err(_) => break,
            };
            let (plane, bend) = self.sharpened(grower, plane, free)?;
            let points = self.weight(&plane.surfels);
            let reason = if bend.fan > FAN { Reason::Round } else { Reason::Bent };
            failed = Failed::new((plane.normal, plane.rho), points, reason);
            if reason == Reason::Round {
                failed.spent = plane.surfels;
                break;
            }
            if bend.layered && *times > 1.0 {
                break;
            }
            if bend.depth <= BENT * tolerance {
                return Ok(Ok(plane));
            }
            members = plane.surfels.clone();
            if bend.depth <= FLATNESS * bend.width {
                best = Some(plane);
            }
        }
        Ok(best.ok_or(failed))
    }

    /// How a plane bends; where it holds several layers, it becomes the densest of them.
    fn sharpened(
        &self,
        grower: &mut Grower,
        plane: Support,
        free: &[bool],
    ) -> Done<(Support, Bend)> {
        let bend = self.bend(&plane);
        if !bend.layered {
            return Ok((plane, bend));
        }
        let (set, noise) = (&plane.surfels, self.noise());
        let middle = self.middle(set);
        let layer = zoom::densest(self.backend, self.surfels, set, middle, plane.normal, noise)?
            .and_then(|(normal, rho)| {
                let in_slab =
                    |&&i: &&u32| (dot(self.surfel(i).centroid, normal) - rho).abs() <= 1.5 * noise;
                let members = set.iter().filter(in_slab).copied().collect();
                self.settle(grower, members, self.limits.tolerance, free).ok()
            })
            .map(|layer| (self.bend(&layer), layer));
        Ok(match layer {
            Some((sharp, layer)) if !sharp.layered => (layer, sharp),
            _ => (plane, bend),
        })
    }

    /// Grows a plane from `members` and fits it, in turn, until it stays as it is.
    fn settle(
        &self,
        grower: &mut Grower,
        mut members: Vec<u32>,
        tolerance: f64,
        free: &[bool],
    ) -> Result<Support, Failed> {
        let failed = |plane, points, reason| Err(Failed::new(plane, points, reason));
        let Some(mut plane) = self.fit(&members) else {
            return failed(([0.0, 0.0, 1.0], 0.0), self.weight(&members), Reason::TooSmall);
        };
        let mut others = 0;
        for _ in 0..ITERATIONS {
            let grown = grower.grow(&members, plane, tolerance, &self.limits, free);
            let settled = grown.members == members;
            (members, others) = (grown.members, grown.others);
            if settled {
                break;
            }
            match self.fit(&members) {
                Some(fitted) => plane = fitted,
                None => return failed(plane, self.weight(&members), Reason::TooSmall),
            }
        }
        let weight = self.weight(&members);
        if weight < self.limits.min_inliers {
            return failed(plane, weight, Reason::TooSmall);
        }
        if (weight as f64) < MIN_PURITY * (weight + others) as f64 {
            return failed(plane, weight, Reason::Mixed);
        }
        Ok(Support { normal: plane.0, rho: plane.1, tolerance, surfels: members })
    }

    /// How a plane's surfels deviate from it, beyond their noise, and how wide it is.
    ///
    /// Seen on a lattice as coarse as the surface allows: what the means of its places say is
    /// the plane's own shape, what lies within a place is noise, or several layers.
    fn bend(&self, plane: &Support) -> Bend {
        let lattice = Lattice::new(self, &plane.surfels, plane.normal);
        let mut places: HashMap<(i64, i64), (f64, f64)> = HashMap::new();
        let mut spread = Spread::default();
        let (mut weight, mut squares) = (0.0, 0.0);
        for &i in &plane.surfels {
            let s = self.surfel(i);
            let w = f64::from(s.weight);
            let distance = dot(s.centroid, plane.normal) - plane.rho;
            let place = places.entry(lattice.place(s.centroid)).or_default();
            (place.0, place.1) = (place.0 + w, place.1 + w * distance);
            weight += w;
            squares += w * (distance * distance + s.variance_along(plane.normal));
            spread.add(s.centroid, w);
        }
        // Sorted, since a sum of floats depends on its order and that of a map is anybody's guess.
        let mut means: Vec<f64> = places.values().map(|(w, sum)| sum * sum / w).collect();
        means.sort_by(f64::total_cmp);
        let means: f64 = means.iter().sum();
        let usual = self.noise();
        let free = (weight - places.len() as f64).max(1.0);
        let within = (squares - means).max(0.0) / free;
        // By chance alone the means say as much as this, and seldom more than so.
        let places = places.len() as f64;
        let between = means - within * (places + 2.0 * (2.0 * places).sqrt());
        Bend {
            depth: (between.max(0.0) / weight).sqrt(),
            layered: within > LAYERED * usual * usual,
            fan: self.fan(plane),
            width: spread.width(),
        }
    }

    /// How far the normals of a plane's surfels fan out over it: the root mean square angle, in
    /// radians, by which they turn with the place. On a plane they do not; on a piece of a column
    /// they do, up to the limit at which surfels no longer count as lying along the plane.
    fn fan(&self, plane: &Support) -> f64 {
        let (u, v) = axes(plane.normal);
        let middle = self.middle(&plane.surfels);
        // Sums of weight, place, place squared, tilt, and place times tilt, along u and v.
        let mut sums = [[0.0; 5]; 2];
        for &i in &plane.surfels {
            let s = self.surfel(i);
            let Some(surface) = s.surface else { continue };
            let (w, sign) = (f64::from(s.weight), dot(surface.normal(), plane.normal).signum());
            for (sums, axis) in sums.iter_mut().zip([u, v]) {
                let place = dot(s.centroid, axis) - dot(middle, axis);
                let tilt = sign * dot(surface.normal(), axis);
                for (sum, value) in
                    sums.iter_mut().zip([1.0, place, place * place, tilt, place * tilt])
                {
                    *sum += w * value;
                }
            }
        }
        let turned = |[w, p, pp, t, pt]: [f64; 5]| {
            let (variance, covariance) = (pp / w - p / w * (p / w), pt / w - p / w * (t / w));
            if variance > 0.0 { covariance * covariance / variance } else { 0.0 }
        };
        sums.map(turned).iter().sum::<f64>().sqrt()
    }

    /// The densest slice of the voters along their mean normal, and of it the largest part.
    fn seed(&self, direction: Vec3, voters: &[u32]) -> Vec<u32> {
        let mut mean = [0.0; 3];
        for &i in voters {
            let s = self.surfel(i);
            let normal = s.surface.map_or(direction, |f| f.normal());
            let weight = f64::from(s.weight) * dot(normal, direction).signum();
            for a in 0..3 {
                mean[a] += weight * normal[a];
            }
        }
        let normal = normalized(mean);
        let mut along: Vec<(f64, u64, u32)> = voters
            .iter()
            .map(|&i| (dot(self.surfel(i).centroid, normal), u64::from(self.surfel(i).weight), i))
            .collect();
        along.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        let (start, end) = densest(&along, SLICE * self.limits.tolerance);
        let mut slice: Vec<u32> = along[start..end].iter().map(|v| v.2).collect();
        slice.sort_unstable();
        self.parts(&slice, normal).into_iter().next().unwrap_or_default()
    }

    /// The weighted mean of the centres of surfels; of none, zero.
    pub fn middle(&self, set: &[u32]) -> Vec3 {
        let mut sum = [0.0; 3];
        for &i in set {
            let s = self.surfel(i);
            for (sum, c) in sum.iter_mut().zip(s.centroid) {
                *sum += f64::from(s.weight) * c;
            }
        }
        let weight = self.weight(set).max(1) as f64;
        sum.map(|v| v / weight)
    }

    /// The plane of least squares through the centres of surfels, as normal and distance.
    pub fn fit(&self, set: &[u32]) -> Option<(Vec3, f64)> {
        let mut spread = Spread::default();
        for &i in set {
            let s = self.surfel(i);
            spread.add(s.centroid, f64::from(s.weight));
        }
        spread.plane()
    }

    /// The connected parts of a set of surfels seen along `normal`, heaviest first.
    ///
    /// Surfels are dropped onto a lattice as coarse as the blocks on which their surfaces were
    /// seen; neighbouring places, corners included, are connected.
    fn parts(&self, set: &[u32], normal: Vec3) -> Vec<Vec<u32>> {
        let lattice = Lattice::new(self, set, normal);
        let mut places: HashMap<(i64, i64), usize> = HashMap::with_capacity(set.len() / 2);
        let mut parent: Vec<usize> = Vec::new();
        let place_of: Vec<usize> = set
            .iter()
            .map(|&i| {
                *places.entry(lattice.place(self.surfel(i).centroid)).or_insert_with(|| {
                    parent.push(parent.len());
                    parent.len() - 1
                })
            })
            .collect();
        for (&(u, v), &at) in &places {
            for (du, dv) in [(1, -1), (1, 0), (1, 1), (0, 1)] {
                if let Some(&other) = places.get(&(u + du, v + dv)) {
                    let (a, b) = (root(&mut parent, at), root(&mut parent, other));
                    parent[a.max(b)] = a.min(b);
                }
            }
        }
        let mut parts: HashMap<usize, Vec<u32>> = HashMap::new();
        for (&i, &place) in set.iter().zip(&place_of) {
            parts.entry(root(&mut parent, place)).or_default().push(i);
        }
        let mut parts: Vec<Vec<u32>> = parts.into_values().collect();
        parts.sort_by_cached_key(|part| (std::cmp::Reverse(self.weight(part)), part[0]));
        parts
    }
}

/// A square lattice on a plane.
struct Lattice {
    u: Vec3,
    v: Vec3,
    cell: f64,
}

impl Lattice {
    /// A lattice for the surfels of `set`, as coarse as nine tenths of them need.
    fn new(field: &Field, set: &[u32], normal: Vec3) -> Lattice {
        let (u, v) = axes(normal);
        Lattice { u, v, cell: closing_edge(field.surfels, set, field.limits.cell) }
    }

    fn place(&self, p: Vec3) -> (i64, i64) {
        ((dot(p, self.u) / self.cell).floor() as i64, (dot(p, self.v) / self.cell).floor() as i64)
    }
}

/// Two unit vectors that span the plane across `normal`.
pub(super) fn axes(normal: Vec3) -> (Vec3, Vec3) {
    let least = (0..3).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(0);
    let mut u: Vec3 = std::array::from_fn(|a| -normal[least] * normal[a]);
    u[least] += 1.0;
    let u = normalized(u);
    let v = std::array::from_fn(|a| {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        normal[b] * u[c] - normal[c] * u[b]
    });
    (u, v)
}

/// The root of a place in the union-find forest, shortening the path to it.
fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// The range of sorted values within a window of `width` that weighs most; the first of equals.
fn densest(sorted: &[(f64, u64, u32)], width: f64) -> (usize, usize) {
    let (mut best, mut best_weight) = ((0, 0), 0);
    let (mut end, mut weight) = (0, 0);
    for start in 0..sorted.len() {
        while end < sorted.len() && sorted[end].0 <= sorted[start].0 + width {
            weight += sorted[end].1;
            end += 1;
        }
        if weight > best_weight {
            (best, best_weight) = ((start, end), weight);
        }
        weight -= sorted[start].1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::evidence::Surface;
    use super::*;
    use crate::cpu::Cpu;
    use std::sync::LazyLock;

    static CPU: LazyLock<Cpu> = LazyLock::new(Cpu::default);

    fn surfel(centroid: Vec3, normal: Vec3) -> Surfel {
        let surface = Some(Surface::new(normal, 0.01, 1.0, 0));
        Surfel { centroid, scatter: [0.0; 6], weight: 4, surface }
    }

    fn field(surfels: &[Surfel]) -> Field<'_> {
        let limits =
            Limits { tolerance: 1.0, angle: 0.2, min_inliers: 100, cell: 1.0, slabs: SLABS };
        Field { backend: &*CPU, surfels, limits }
    }

    #[test]
    fn parts_are_what_hangs_together() {
        let square = |x0: f64, side: i32| {
            (0..side * side).map(move |i| {
                surfel([x0 + f64::from(i % side), f64::from(i / side), 10.0], [0.0, 0.0, 1.0])
            })
        };
        let surfels: Vec<Surfel> = square(0.0, 15).chain(square(60.0, 20)).collect();
        let all: Vec<u32> = (0..surfels.len() as u32).collect();
        let parts = field(&surfels).parts(&all, [0.0, 0.0, 1.0]);
        assert_eq!(parts, [(225..625).collect::<Vec<u32>>(), (0..225).collect()]);
    }

    #[test]
    fn the_fit_goes_through_the_centres() {
        let surfels: Vec<Surfel> = (0..50)
            .map(|i| {
                let (u, v) = (f64::from(i % 7), f64::from(i / 7));
                surfel([u, v, 4.0 + 0.5 * u], [0.0, 0.0, 1.0])
            })
            .collect();
        let (normal, rho) = field(&surfels).fit(&(0..50).collect::<Vec<_>>()).unwrap();
        for s in &surfels {
            assert!((dot(normal, s.centroid) - rho).abs() < 1e-12);
        }
    }

    #[test]
    fn the_densest_window_is_found() {
        let values = [(0.0, 1, 0), (1.0, 1, 1), (5.0, 2, 2), (5.5, 2, 3), (9.0, 3, 4)];
        assert_eq!(densest(&values, 1.0), (2, 4));
        assert_eq!(densest(&[], 1.0), (0, 0));
    }
}
