//! From a peak to a plane: refine it on its own surfels, and keep the connected part.

use super::edge::Edge;
use super::fold::{self, AXES};
use super::found::{Failed, Support};
use super::grow::Grower;
use super::lattice::Lattice;
use super::limits::{Limits, SIGMAS};
use super::piece::Piece;
use super::sparse_grid::SparseGrid;
use super::{parts, rings, roundness, zoom};
use crate::Result as Done;
use crate::backend::Backend;
use crate::detection::Reason;
use crate::surface::quantile::weighted_quantile;
use crate::surface::spread::Spread;
use crate::surface::surfels::{Surfel, Surfels};
use crate::vector::{Vec3, axes, dot, normalized};
use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;

/// Most refinements of one candidate; most candidates settle in four or five.
const ITERATIONS: usize = 12;
/// In a wider slab, a facet of rough ground or of water leaves its place: its plane turns by more than this angle, ten degrees, …
const TURNED: f64 = std::f64::consts::PI / 18.0;
/// … or has more than so many times as many points. At a ridge, the usual slab holds a fifth of either face.
const OUTGROWN: u64 = 50;
/// Width of the slice of voters from which a plane grows, in tolerances: narrow enough to lie within
/// one of two layers, wide enough to be the densest by more than chance.
const SLICE: f64 = 0.5;
/// Of the points in a plane's slab, the least share that must lie along the plane. A plane through foliage or
/// across many surfaces holds mostly points of others.
const MIN_PURITY: f64 = 0.4;
/// Refinements in a row in which less lies along the plane, after which it is given up.
const MIXED: usize = 3;

/// A plane is bent when its surface deviates from it, beyond the noise, by more than this share of its
/// tolerance.
const BENT: f64 = 0.15;
/// The same where the noise of neighbours is correlated, which bends the means of places as well.
const BENT_ALIKE: f64 = 0.5;
/// A plane that is bent in every slab is rejected if it deviates by more than this share of its width.
const FLATNESS: f64 = 0.005;
/// A bent surface lies within this many times the root mean square of its deviations.
const WHOLE_BEND: f64 = 2.0;
/// A piece is curved when its normals fan out by more than this, in radians, root mean square.
const FAN: f64 = 0.1;
/// Where the slab ends but the surface goes on, a curved piece may fan out by less, down to this; anything
/// flatter merely sags.
pub(super) const GENTLE: f64 = 0.03;
/// A surface that leaves its plane by less than this many standard deviations of the noise is judged by its points: where
/// neighbourhoods are about as wide as the face of a post, its edges turn the normals all over it. …
const SHALLOW: f64 = 2.0;
/// … They tell its fan with at most this standard error, in radians.
const TOLD: f64 = 0.03;
/// A fan of normals is certain when it is more than this many standard errors.
const SURE: f64 = 4.0;
/// A surface whose normals fan out leaves its plane by three tenths of its sagitta, root mean square. If rings leave it by less
/// than this share, the normals are wrong: noise along the line of sight tilts those around a ring on the floor.
const SHOWN: f64 = 0.05;
/// With a given tolerance, a curved surface is a plane if it ends within its slab. Whether it does is seen in a slab this many
/// times as thick, with as many times the angle, …
const WIDER: f64 = 3.0;
/// … but at most this one, 60 degrees, beyond which walls count, …
const STEEPEST: f64 = std::f64::consts::FRAC_PI_3;
/// … which holds at most this many times the points: in such a slab, a cylinder that goes on has 1.5 times as many.
const GOES_ON: f64 = 1.2;
/// A smooth patch of rough ground is not divided at ridges: there, the next wider slab holds more than so many times the points, in
/// layers.
const LEAP: u64 = 10;
/// The surface of a piece of a hill goes on beyond more than this share of its outline. A roof goes on over its ridge at most.
const OPEN_IN_LANDSCAPE: f64 = 0.4;
/// A plane is widened if its slab is more than so many times as thick as the usual one; the next one is half as thick again.
const WIDENED: f64 = 1.25;
/// Share of a plane's points that must lie away from its edges to judge its curvature.
const INNER: f64 = 0.3;
/// A plane holds several layers when the variance at one place of it is more than this many times that of the
/// noise.
const LAYERED: f64 = 1.5;
/// The same where the noise of neighbours is correlated.
const LAYERED_ALIKE: f64 = 4.0;
/// Slabs in which a layer is tried, in tolerances.
const LAYER_SLABS: [f64; 2] = [1.0, 0.5];
/// Of the points in the slab of a layer that is close to another, the outer half of the slab has at most this share of
/// those in the inner half. A surface twice as thick as the noise has more than half of them there.
const APART: f64 = 0.4;

/// A plane in a slab.
pub(super) struct Fitted {
    pub plane: Support,
    /// Whether it does not fit the slab, but is flat for its size.
    pub is_bent: bool,
    /// Whether a wider slab holds many times as much, in layers: this is a smooth patch of rough ground.
    pub is_rough: bool,
    /// The plane as it settled in the usual slab, before it was widened or sharpened.
    pub in_usual_slab: Support,
}

/// How a plane's surfels deviate from it, in steps.
pub(super) struct Bend {
    /// Root mean square distance of the surface, without its noise.
    pub depth: f64,
    /// How far the normals fan out, root mean square, in radians.
    fan: f64,
    /// Whether it ends where a curved surface leaves its slab.
    curved: bool,
    /// Whether it is thicker at one place than one surface is.
    layered: bool,
    /// Width of the plane: its shorter side if it is a rectangle.
    width: f64,
}

impl Bend {
    /// Whether this is the bend of a piece of something curved.
    pub fn is_round(&self) -> bool {
        self.fan > FAN || self.curved
    }
}

/// How normals turn along an axis of a plane.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// How far they fan out, root mean square, in radians.
    pub fan: f64,
    /// By how much such a surface leaves its plane, in steps.
    sagitta: f64,
}

/// A peak that may be a plane.
pub(super) struct Candidate<'a> {
    /// The peak's direction.
    pub direction: Vec3,
    /// Free surfels that agree with it.
    pub voters: &'a [u32],
    /// What failed among the same free surfels.
    pub failed: &'a mut Failures,
}

/// Why candidates failed, by what they settled on in each slab: on a curved surface many peaks lead to the same piece of it.
pub(super) type Failures = FxHashMap<Settled, Failed>;

/// A digest of what a candidate settled on.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Settled {
    surfels: u64,
    plane: [u64; 5],
}

impl Settled {
    fn of(plane: &Support) -> Settled {
        let mut hasher = DefaultHasher::new();
        plane.surfels.hash(&mut hasher);
        let [x, y, z] = plane.normal;
        let plane = [x, y, z, plane.rho, plane.tolerance].map(f64::to_bits);
        Settled { surfels: hasher.finish(), plane }
    }
}

/// The surfels among which a plane finds its support.
pub(super) struct Field<'a> {
    /// The backend that zooms in on layers.
    pub backend: &'a dyn Backend,
    /// All surfels.
    pub surfels: &'a Surfels,
    /// What makes a plane.
    pub limits: Limits,
}

impl Field<'_> {
    pub(super) fn surfel(&self, i: u32) -> &Surfel {
        &self.surfels.list[i as usize]
    }

    /// Standard deviation of points about their plane.
    pub(super) fn noise(&self) -> f64 {
        self.limits.tolerance / SIGMAS
    }

    /// The noise of a set of surfels as a multiple of the usual noise: the value that a `share` of the points
    /// does not exceed.
    pub(super) fn scale(&self, set: &[u32], share: f64) -> f64 {
        if self.limits.even {
            return 1.0;
        }
        let scales = set.iter().map(|&i| self.surfel(i));
        let scales = scales.map(|s| (f64::from(s.scale), u64::from(s.weight))).collect();
        Some(weighted_quantile(scales, share)).filter(|&s| s > 0.0).unwrap_or(1.0)
    }

    /// Distinct points of a set of surfels.
    pub fn weight(&self, set: &[u32]) -> u64 {
        self.surfels.weight(set)
    }

    /// Refines the plane of a peak: it starts from the densest slice of its voters, then grows and is fitted
    /// in turn until it no longer changes. Returns the reason where there is no plane.
    ///
    /// A plane that fills its slab to the edges is bent, and is tried in wider slabs until it fits one. If it
    /// fits none, the widest slab in which it is flat for its size counts; a curved surface is flat in none, unless it ends
    /// within a given tolerance. One that is not curved but folded is divided at its ridges.
    ///
    /// # Errors
    /// If the device fails.
    pub fn refine(
        &self,
        grower: &mut Grower,
        Candidate { direction, voters, failed: failures }: Candidate,
        free: &[bool],
    ) -> Done<Result<Support, Failed>> {
        let seed = self.seed(direction, voters);
        match self.in_slabs(grower, (direction, seed), failures, free)? {
            Err(curved) if self.limits.ridges && !curved.spent.is_empty() => {
                let whole = (curved.normal, &curved.spent[..]);
                Ok(self.face_of_curved(grower, whole, free)?.ok_or(curved))
            }
            Ok(whole)
                if self.limits.ridges
                    && !whole.is_rough
                    && (whole.is_bent || self.is_widened(&whole.plane)) =>
            {
                let Fitted { plane, in_usual_slab, .. } = whole;
                let face = self.face_between_ridges(grower, (&plane, in_usual_slab), free)?;
                Ok(Ok(face.unwrap_or(plane)))
            }
            found => Ok(found.map(|fitted| fitted.plane)),
        }
    }

    /// Grows a plane from `members` in one slab after the other, until it fits one.
    pub(super) fn in_slabs(
        &self,
        grower: &mut Grower,
        (direction, mut members): (Vec3, Vec<u32>),
        failures: &mut Failures,
        free: &[bool],
    ) -> Done<Result<Fitted, Failed>> {
        let mut settled = Vec::new();
        let mut best = None;
        let mut is_rough = false;
        let fitted = |plane: Support, usual: Option<Support>, [is_bent, is_rough]: [bool; 2]| {
            let in_usual_slab = usual.unwrap_or_else(|| plane.clone());
            Fitted { plane, is_bent, is_rough, in_usual_slab }
        };
        let bent = |best: Option<Support>, usual, is_rough| {
            best.map(|plane| fitted(plane, usual, [true, is_rough]))
        };
        let mut failed = Failed::new((direction, 0.0), (0, [0.0; 3]), Reason::TooSmall);
        let mut usual = None::<Support>;
        for times in self.limits.slabs {
            let tolerance = times * self.limits.tolerance;
            let first = usual.as_ref().map(|usual| (usual.normal, self.weight(&usual.surfels)));
            let plane = match self.settle_near(grower, (first, members), tolerance, free) {
                Ok(plane) => plane,
                Err(small) if failed.points == 0 => return Ok(Err(small.along(direction))),
                Err(wide) => {
                    if wide.reason == Reason::Bent {
                        // It left the place that it had in the usual slab, which another candidate need not have had.
                        settled.truncate(1);
                    }
                    break;
                }
            };
            usual.get_or_insert_with(|| plane.clone());
            let here = Settled::of(&plane);
            if let Some(known) = failures.get(&here) {
                return Ok(bent(best, usual, is_rough).ok_or_else(|| known.clone()));
            }
            settled.push(here);
            let (plane, bend) = self.sharpened(grower, plane, free)?;
            let (points, middle) = self.weight_and_middle(&plane.surfels);
            let round = bend.is_round()
                && (self.limits.facets
                    || !self.limits.obey
                    || !self.ends_within(grower, &plane, free));
            let reason = if round { Reason::Round } else { Reason::Bent };
            failed = Failed::new((plane.normal, plane.rho), (points, middle), reason);
            if round && !self.limits.facets {
                failed.spent = plane.surfels;
                break;
            }
            if round || self.limits.obey {
                return Ok(Ok(fitted(plane, usual, [false, is_rough])));
            }
            failed.needs = Some(self.limits.tolerance + WHOLE_BEND * bend.depth);
            if bend.layered && *times > 1.0 {
                is_rough = best
                    .as_ref()
                    .is_some_and(|best: &Support| points > LEAP * self.weight(&best.surfels));
                break;
            }
            let most = self.most_bent(&plane);
            if bend.depth <= most * tolerance {
                // A layer that was found in a wide slab has a narrower one.
                let own = plane.tolerance / self.scale(&plane.surfels, 0.9);
                let is_bent = bend.depth > most * own;
                return Ok(Ok(fitted(plane, usual, [is_bent, is_rough])));
            }
            members = plane.surfels.clone();
            if bend.depth * self.scale(&members, 0.5) <= FLATNESS * bend.width {
                best = Some(plane);
            }
        }
        if best.is_none() {
            // The votes of what is spent need not be taken back twice.
            let known = Failed { spent: Vec::new(), ..failed.clone() };
            failures.extend(settled.into_iter().map(|at| (at, known.clone())));
        }
        Ok(bent(best, usual, is_rough).ok_or(failed))
    }

    /// Whether the surface of a curved plane ends within its slab: it has hardly more points in one that is three times as thick.
    fn ends_within(&self, grower: &mut Grower, plane: &Support, free: &[bool]) -> bool {
        let Support { normal, rho, tolerance, surfels } = plane;
        let angle = (WIDER * self.limits.angle).min(STEEPEST);
        let wider = Limits { angle, ..self.limits };
        let grown = grower.grow(surfels, (*normal, *rho), WIDER * tolerance, &wider, free);
        self.weight(&grown.members) as f64 <= GOES_ON * self.weight(surfels) as f64
    }

    /// Whether the surface of a plane goes on beyond so much of its outline as that of a piece of a hill does.
    pub(super) fn goes_on(&self, grower: &Grower, whole: &Support) -> bool {
        let (cells, own) = (grower.cells(), &whole.surfels[..]);
        let piece = Piece { cells, surfels: self.surfels, own, plane: whole.plane() };
        let edge = Edge::of(&piece);
        let beyond = edge.beyond(&piece, self.limits.rough);
        edge.share(&edge.open(&piece, &beyond)) > OPEN_IN_LANDSCAPE
    }

    /// Whether a plane was found in a wider slab than usual, because it is not quite flat.
    pub(super) fn is_widened(&self, plane: &Support) -> bool {
        plane.tolerance > WIDENED * self.limits.tolerance * self.scale(&plane.surfels, 0.9)
    }

    /// By what share of its tolerance a plane may be bent. A steep surface in the camera's view, whose slab is thin, may
    /// bend by less: a slab that holds a strip of something round is widened until it holds enough of that to tell.
    pub(super) fn most_bent(&self, plane: &Support) -> f64 {
        match self.limits.alike {
            true if self.limits.as_seen => BENT_ALIKE * self.scale(&plane.surfels, 0.5),
            true => BENT_ALIKE,
            false => BENT,
        }
    }

    /// The bend of a plane; a plane that holds several layers becomes the densest of them.
    fn sharpened(
        &self,
        grower: &mut Grower,
        plane: Support,
        free: &[bool],
    ) -> Done<(Support, Bend)> {
        let bend = self.bend(grower, &plane);
        if !bend.layered || self.limits.obey {
            return Ok((plane, bend));
        }
        let set = &plane.surfels;
        let noise = self.noise() * self.scale(set, 0.5);
        let middle = self.middle(set);
        let layer =
            zoom::densest(self.backend, &self.surfels.list, set, middle, plane.normal, noise)?
                .and_then(|(normal, rho)| {
                    let in_slab = |&&i: &&u32| {
                        (dot(self.surfel(i).centroid, normal) - rho).abs() <= 1.5 * noise
                    };
                    let members: Vec<u32> = set.iter().filter(in_slab).copied().collect();
                    self.layer(grower, (set, &members), free)
                });
        Ok(layer.unwrap_or((plane, bend)))
    }

    /// The layer around some `members` of a set, in a slab as thick as that of a plane or, of layers that are closer
    /// to each other, half as thick. Uneven or correlated noise gives one surface layers as close, too.
    fn layer(
        &self,
        grower: &mut Grower,
        (set, members): (&[u32], &[u32]),
        free: &[bool],
    ) -> Option<(Support, Bend)> {
        let is_white = self.limits.even && !self.limits.alike;
        LAYER_SLABS[..1 + usize::from(is_white)].iter().find_map(|share| {
            let tolerance = share * self.limits.tolerance;
            let layer = self.settle(grower, members.to_vec(), tolerance, free).ok()?;
            let layer = Support { tolerance: layer.tolerance / share, ..layer };
            if *share < 1.0 && !self.stands_apart(&layer, set) {
                return None;
            }
            let bend = self.bend(grower, &layer);
            (!bend.layered).then_some((layer, bend))
        })
    }

    /// Whether little of a set lies in the outer half of a layer's slab; much does where a slab is a slice of something
    /// thick.
    fn stands_apart(&self, layer: &Support, set: &[u32]) -> bool {
        let mut halves = [0; 2];
        for &i in set {
            let s = self.surfel(i);
            let share = (dot(s.centroid, layer.normal) - layer.rho).abs() / layer.tolerance;
            if share <= 1.0 {
                halves[usize::from(share > 0.5)] += u64::from(s.weight);
            }
        }
        halves[1] as f64 <= APART * halves[0] as f64
    }

    /// Grows a plane from `members` and fits it, in turn, until it no longer changes.
    pub(super) fn settle(
        &self,
        grower: &mut Grower,
        members: Vec<u32>,
        tolerance: f64,
        free: &[bool],
    ) -> Result<Support, Failed> {
        self.settle_near(grower, (None, members), tolerance, free)
    }

    /// The same of a plane that had this normal and so many points in the usual slab, as long as it stays near that one.
    fn settle_near(
        &self,
        grower: &mut Grower,
        (first, mut members): (Option<(Vec3, u64)>, Vec<u32>),
        tolerance: f64,
        free: &[bool],
    ) -> Result<Support, Failed> {
        let failed = |plane, set: &[u32], reason| {
            Err(Failed::new(plane, self.weight_and_middle(set), reason))
        };
        let Some(mut plane) = self.surfels.fit(&members) else {
            return failed(([0.0; 3], 0.0), &members, Reason::TooSmall);
        };
        // What is left where parts turned out to be others.
        let (mut others, mut left) = (0, None::<Vec<bool>>);
        let is_mixed =
            |weight: u64, others: u64| (weight as f64) < MIN_PURITY * (weight + others) as f64;
        let mut mixed = 0;
        for _ in 0..ITERATIONS {
            let still = left.as_deref().unwrap_or(free);
            let grown = grower.grow(&members, plane, tolerance, &self.limits, still);
            let settled = grown.members == members;
            (members, others) = (grown.members, grown.others);
            let weight = self.weight(&members);
            mixed = if is_mixed(weight, others) { mixed + 1 } else { 0 };
            if mixed == MIXED {
                return failed(plane, &members, Reason::Mixed);
            }
            if settled {
                let Some([own, others]) = self.of_one_plane(&members, plane.0) else { break };
                leave_out(&others, &mut left, free);
                members = own;
            }
            match self.surfels.fit(&members) {
                Some(fitted) => plane = fitted,
                None => return failed(plane, &members, Reason::TooSmall),
            }
            let has_left = |(normal, weight): (Vec3, u64)| {
                dot(normal, plane.0).abs() < TURNED.cos()
                    || self.weight(&members) > OUTGROWN * weight
            };
            if first.is_some_and(has_left) {
                return failed(plane, &members, Reason::Bent);
            }
        }
        let weight = self.weight(&members);
        if weight < self.limits.min_inliers {
            let small = Failed::new(plane, self.weight_and_middle(&members), Reason::TooSmall);
            return Err(Failed { wanted: NonZeroU64::new(self.limits.min_inliers), ..small });
        }
        if is_mixed(weight, others) {
            return failed(plane, &members, Reason::Mixed);
        }
        if rings::is_edge_on(self.limits.scanner, || self.middle(&members), plane.0) {
            return failed(plane, &members, Reason::EdgeOn);
        }
        let tolerance = tolerance * self.scale(&members, 0.9);
        Ok(Support { normal: plane.0, rho: plane.1, tolerance, surfels: members })
    }

    /// The largest part of a plane with those that are one plane with it, and the others. `None` if all are one plane, where more than
    /// independent noise displaces parts, and with a given tolerance.
    fn of_one_plane(&self, set: &[u32], normal: Vec3) -> Option<[Vec<u32>; 2]> {
        let Limits { even, cell, min_inliers, ridges, obey, .. } = self.limits;
        let parts = || {
            parts::of_one_plane(self.surfels, set, normal, (self.noise(), even, cell, min_inliers))
        };
        (ridges && !obey).then(parts).flatten()
    }

    /// How a plane's surfels deviate from it, beyond their noise, and how wide it is.
    ///
    /// They are seen on a lattice as coarse as the surface needs: the means of its places show the plane's
    /// own shape; the spread within a place is noise, or several layers.
    pub(super) fn bend(&self, grower: &Grower, plane: &Support) -> Bend {
        let lattice =
            Lattice::new(&self.surfels.list, &plane.surfels, plane.normal, self.limits.cell);
        // The weight of each, and the weighted sum of the distances.
        let mut places: SparseGrid<[f64; 2]> = SparseGrid::new();
        let mut spread = Spread::default();
        let (mut weight, mut squares) = (0.0, 0.0);
        for &i in &plane.surfels {
            let s = self.surfel(i);
            let (w, scale) = (f64::from(s.weight), f64::from(s.scale));
            let distance = (dot(s.centroid, plane.normal) - plane.rho) / scale;
            let [all, sum] = places.at(lattice.place(s.centroid));
            (*all, *sum) = (*all + w, *sum + w * distance);
            weight += w;
            let within = s.variance_along(plane.normal) / (scale * scale);
            squares += w * (distance * distance + within);
            spread.add(s.centroid, w);
        }
        let places = places.iter().filter(|(_, [w, _])| *w > 0.0);
        // Sorted, since a sum of floats depends on its order and that of the places is arbitrary.
        let mut all: Vec<f64> = places.map(|(_, [w, sum])| sum * sum / w).collect();
        all.sort_unstable_by(f64::total_cmp);
        let (means, places) = (all.iter().sum::<f64>(), all.len() as f64);
        let usual = self.noise();
        let turns = self.turns(plane.normal, &plane.surfels);
        let free = (weight - places).max(1.0);
        let within = (squares - means).max(0.0) / free;
        // Less what chance alone gives the means: its expectation and two standard deviations.
        let between = means - within * (places + 2.0 * (2.0 * places).sqrt());
        let depth = (between.max(0.0) / weight).sqrt();
        let sagitta = turns.iter().map(|t| t.sagitta).fold(0.0, f64::max);
        let is_shown = self.limits.scanner.is_none()
            || depth * self.scale(&plane.surfels, 0.5) >= SHOWN * sagitta;
        Bend {
            depth,
            layered: within
                > if self.limits.alike { LAYERED_ALIKE } else { LAYERED } * usual * usual,
            fan: if is_shown { self.fan(&turns, &plane.surfels) } else { 0.0 },
            curved: is_shown && self.is_curved(&turns, &plane.surfels) && {
                // Near an edge, the surface beyond it turns normals as well.
                let inner = self.inner(grower, &plane.surfels);
                let enough = self.weight(&inner) as f64 > INNER * weight;
                enough && self.is_curved(&self.turns(plane.normal, &inner), &inner)
            },
            width: spread.width(),
        }
    }

    /// How far normals that turn like this fan out over the surfels of a set. Turns that the points are left to judge do not count.
    fn fan(&self, turns: &[Turn], set: &[u32]) -> f64 {
        let counted = turns.iter().filter(|turn| !self.is_left_to_points(turn, set));
        counted.map(|turn| turn.fan * turn.fan).sum::<f64>().sqrt()
    }

    /// Whether the points are left to judge a turn of the normals: it hardly leaves the plane, and the points are
    /// enough to tell. Where neighbours share their noise, in frames and between rings they are less exact, and a
    /// given tolerance says nothing of the noise.
    fn is_left_to_points(&self, turn: &Turn, set: &[u32]) -> bool {
        let Limits { alike, as_seen, scanner, obey, .. } = self.limits;
        if alike || as_seen || scanner.is_some() || obey {
            return false;
        }
        let noise = self.noise() * self.scale(set, 0.5);
        if turn.sagitta >= SHALLOW * noise {
            return false;
        }
        let points = self.weight(set).min(roundness::ENOUGH);
        // The standard error of the fan of a parabola through points that are spread evenly.
        let spread = turn.sagitta / (1.5 * turn.fan);
        (5.0 / points as f64).sqrt() * noise <= TOLD * spread
    }

    /// Whether a plane ends where a surface whose normals turn like this, over the surfels of a set, leaves
    /// its slab.
    fn is_curved(&self, turns: &[Turn], set: &[u32]) -> bool {
        let noise = self.noise() * self.scale(set, 0.5);
        let mut turned = turns.iter().filter(|t| t.fan > GENTLE && t.sagitta > noise).peekable();
        turned.peek().is_some() && {
            let error = self.normal_error(set);
            turned.any(|t| t.fan > SURE * error)
        }
    }

    /// How far chance alone makes the normals of a set of surfels fan out, in radians.
    pub(super) fn normal_error(&self, set: &[u32]) -> f64 {
        fold::normal_error(self.surfels, set, self.limits.cell, self.limits.alike)
    }

    /// The surfels of a set around which no other surface was seen.
    fn inner(&self, grower: &Grower, set: &[u32]) -> Vec<u32> {
        let is_other = |i: u32| self.surfel(i).surface.is_some() && set.binary_search(&i).is_err();
        let mut seen: FxHashMap<(usize, u32), bool> = FxHashMap::default();
        let mut alone = |&i: &u32| {
            let Some(surface) = self.surfel(i).surface else { return false };
            let level = surface.level();
            let mut around = |cell: u32| {
                *seen
                    .entry((level, cell))
                    .or_insert_with(|| !grower.around(level, cell).any(is_other))
            };
            self.surfels.homes(grower.cells(), i, level).all(&mut around)
        };
        set.iter().copied().filter(|i| alone(i)).collect()
    }

    /// How the normals of a plane's surfels turn along two perpendicular axes; along the first they turn
    /// most. On a plane they do not turn; on a piece of a column they do, up to the angle at which surfels no
    /// longer count as lying along the plane.
    pub(super) fn turns(&self, normal: Vec3, set: &[u32]) -> [Turn; 2] {
        let (u, v) = axes(normal);
        let middle = self.middle(set);
        // Sums of weight, places (u, v), their products (uu, uv, vv), tilts (u, v), and places times
        // tilts (uu, uv, vu, vv).
        let mut sums = [0.0; 12];
        for &i in set {
            let s = self.surfel(i);
            let Some(surface) = s.surface else { continue };
            let (w, sign) = (f64::from(s.weight), dot(surface.normal(), normal).signum());
            let place = [u, v].map(|axis| dot(s.centroid, axis) - dot(middle, axis));
            let tilt = [u, v].map(|axis| sign * dot(surface.normal(), axis));
            let terms = [
                1.0,
                place[0],
                place[1],
                place[0] * place[0],
                place[0] * place[1],
                place[1] * place[1],
                tilt[0],
                tilt[1],
                place[0] * tilt[0],
                place[0] * tilt[1],
                place[1] * tilt[0],
                place[1] * tilt[1],
            ];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += w * term);
        }
        let [w, pu, pv, uu, uv, vv, tu, tv, utu, utv, vtu, vtv] = sums;
        let mean = |ab: f64, a: f64, b: f64| ab / w - a / w * (b / w);
        let (uu, uv, vv) = (mean(uu, pu, pu), mean(uv, pu, pv), mean(vv, pv, pv));
        let tilts =
            [[mean(utu, pu, tu), mean(utv, pu, tv)], [mean(vtu, pv, tu), mean(vtv, pv, tv)]];
        let along = |[c, s]: [f64; 2]| {
            let places = c * c * uu + 2.0 * c * s * uv + s * s * vv;
            let mixed = tilts[0][1] + tilts[1][0];
            let both = c * c * tilts[0][0] + c * s * mixed + s * s * tilts[1][1];
            let bend = if places > 0.0 { (both / places).abs() } else { 0.0 };
            // The sagitta of such a surface over three and a half standard deviations.
            Turn { fan: bend * places.max(0.0).sqrt(), sagitta: 1.5 * bend * places }
        };
        let most = AXES.into_iter().fold([1.0, 0.0], |most, axis| {
            if along(axis).fan > along(most).fan { axis } else { most }
        });
        [along(most), along([-most[1], most[0]])]
    }

    /// The largest part of the densest slice of the voters along their mean normal.
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
        let width = SLICE * self.limits.tolerance * self.scale(voters, 0.5);
        let (start, end) = densest(&along, width);
        let mut slice: Vec<u32> = along[start..end].iter().map(|v| v.2).collect();
        slice.sort_unstable();
        let parts = parts::connected(self.surfels, &slice, normal, self.limits.cell);
        parts.into_iter().next().unwrap_or_default()
    }

    /// The number of points of surfels, and their middle.
    fn weight_and_middle(&self, set: &[u32]) -> (u64, Vec3) {
        (self.weight(set), self.middle(set))
    }

    /// The weighted mean of the centres of surfels; zero for none.
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
}

/// Takes the surfels of a set out of those that are left: before, all that are free.
pub(super) fn leave_out<'a>(
    set: &[u32],
    left: &'a mut Option<Vec<bool>>,
    free: &[bool],
) -> &'a [bool] {
    let left = left.get_or_insert_with(|| free.to_vec());
    set.iter().for_each(|&i| left[i as usize] = false);
    left
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
    use super::super::limits::SLABS;
    use super::super::testing;
    use super::*;
    use crate::cpu::Cpu;
    use crate::surface::cloud::CellCloud;
    use crate::surface::flat::Surface;
    use std::sync::LazyLock;

    static CPU: LazyLock<Cpu> = LazyLock::new(Cpu::default);

    fn surfel(centroid: Vec3, normal: Vec3) -> Surfel {
        let surface = Some(Surface::new(normal, 0.01, 1.0, 0));
        Surfel { centroid, scatter: [0.0; 6], weight: 4, surface, scale: 1.0, places: [0, 1] }
    }

    fn field(surfels: &Surfels) -> Field<'_> {
        let limits = Limits {
            tolerance: 1.0,
            angle: 0.2,
            min_inliers: 100,
            cell: 1.0,
            obey: false,
            facets: false,
            alike: false,
            ridges: true,
            even: true,
            rough: None,
            landscape: false,
            as_seen: false,
            scanner: None,
            slabs: SLABS,
        };
        Field { backend: &*CPU, surfels, limits }
    }

    /// The field of a cloud in cells, with a tolerance of 30 steps.
    fn field_of_cells<'a>(cloud: &CellCloud, surfels: &'a Surfels) -> Field<'a> {
        let field = field(surfels);
        let cell = cloud.cells.base().size;
        Field { limits: Limits { tolerance: 30.0, cell, ..field.limits }, ..field }
    }

    /// Whether this surface goes on beyond what lies within 60 steps of the plane through its top.
    fn goes_on(height: impl Fn(f64, f64) -> f64) -> bool {
        let point = |i: i32| {
            let [x, y] = [i % 200, i / 200].map(|v| f64::from(100 * (v - 100)));
            [x, y, height(x, y) + f64::from(i * 7919 % 31)].map(|v| v as f32)
        };
        let (cloud, surfels) = testing::surfels(&(0..40_000).map(point).collect(), 10.0);
        let near = |&i: &u32| (surfels.list[i as usize].centroid[2] - 15.0).abs() <= 60.0;
        let own = (0..surfels.list.len() as u32).filter(near).collect();
        let plane = Support { normal: [0.0, 0.0, 1.0], rho: 15.0, tolerance: 60.0, surfels: own };
        field(&surfels).goes_on(&Grower::new(&cloud.cells, &surfels), &plane)
    }

    #[test]
    fn the_top_of_a_hill_goes_on_and_a_roof_does_not() {
        assert!(goes_on(|x, y| -(x * x + y * y) / 4e5));
        assert!(!goes_on(|x, y| if x.hypot(y) < 4000.0 { 0.0 } else { -200.0 }));
        // A low roof goes on over its ridge, on one side of four.
        let roof = |x: f64, y: f64| match x.abs().max(y.abs()) < 4000.0 {
            true => -0.03 * (x - 1000.0).max(0.0),
            false => -2000.0,
        };
        assert!(!goes_on(roof));
    }

    #[test]
    fn a_widened_plane_tells_what_it_was_in_the_usual_slab() {
        // It sags by twice the tolerance.
        let point = |i: i32| {
            let [x, y] = [i % 200, i / 200].map(|v| f64::from(100 * (v - 100)));
            [x, y, 60.0 * (x / 10_000.0).powi(2) + f64::from(i * 7919 % 31)].map(|v| v as f32)
        };
        let (cloud, surfels) = testing::surfels(&(0..40_000).map(point).collect(), 10.0);
        let field = field_of_cells(&cloud, &surfels);
        let free = vec![true; surfels.list.len()];
        let mut grower = Grower::new(&cloud.cells, &surfels);
        let is_middle = |&i: &u32| surfels.list[i as usize].centroid[0].abs() < 2000.0;
        let seed: Vec<u32> = (0..surfels.list.len() as u32).filter(is_middle).collect();
        let usual = field.settle(&mut grower, seed.clone(), 30.0, &free).unwrap();
        let start = ([0.0, 0.0, 1.0], seed);
        let found = field.in_slabs(&mut grower, start, &mut Failures::default(), &free);
        let Fitted { plane, in_usual_slab, .. } = found.unwrap().unwrap();
        assert!(field.is_widened(&plane) && !field.is_widened(&usual));
        assert_eq!(in_usual_slab, usual);
    }

    #[test]
    fn what_failed_once_is_not_tried_again() {
        // A column, of which slabs take strips.
        let point = |i: i32| {
            let (sin, cos) = (f64::from(i % 400) * std::f64::consts::TAU / 400.0).sin_cos();
            [6000.0 * cos, 6000.0 * sin, f64::from(i / 400 * 95)].map(|v| v as f32)
        };
        let (cloud, surfels) = testing::surfels(&(0..40_000).map(point).collect(), 10.0);
        let field = field_of_cells(&cloud, &surfels);
        let free = vec![true; surfels.list.len()];
        let lies_ahead = |&i: &u32| surfels.list[i as usize].centroid[0] > 5900.0;
        let voters: Vec<u32> = (0..surfels.list.len() as u32).filter(lies_ahead).collect();
        let mut failures = Failures::default();
        let refine = |failures: &mut Failures| {
            let direction = [1.0, 0.0, 0.0];
            let candidate = Candidate { direction, voters: &voters, failed: failures };
            let mut grower = Grower::new(&cloud.cells, &surfels);
            field.refine(&mut grower, candidate, &free).unwrap().unwrap_err()
        };
        let first = refine(&mut failures);
        assert_eq!(first.reason, Reason::Round);
        assert!(!first.spent.is_empty() && !failures.is_empty());
        let known = Failed { spent: Vec::new(), ..first };
        assert_eq!(refine(&mut failures), known);
        // What is known is all that is asked.
        failures.values_mut().for_each(|failed| failed.points = 7);
        assert_eq!(refine(&mut failures), Failed { points: 7, ..known });
    }

    #[test]
    fn a_layer_stands_apart_from_the_next_and_a_slice_does_not() {
        // Heights in tolerances.
        let stands_apart = |height: fn(i32) -> f64| {
            let at = |i: i32| [f64::from(i % 20), f64::from(i / 20), height(i)];
            let surfels =
                Surfels::of((0..400).map(|i| surfel(at(i), [0.0, 0.0, 1.0])).collect(), 400);
            let set: Vec<u32> = (0..400).collect();
            let layer =
                Support { normal: [0.0, 0.0, 1.0], rho: 0.0, tolerance: 1.0, surfels: vec![] };
            field(&surfels).stands_apart(&layer, &set)
        };
        assert!(stands_apart(|i| if i % 2 == 0 { 0.1 } else { 1.4 }));
        assert!(!stands_apart(|i| f64::from(i * 7919 % 400 - 200) / 150.0));
    }

    #[test]
    fn the_densest_window_is_found() {
        let values = [(0.0, 1, 0), (1.0, 1, 1), (5.0, 2, 2), (5.5, 2, 3), (9.0, 3, 4)];
        assert_eq!(densest(&values, 1.0), (2, 4));
        assert_eq!(densest(&[], 1.0), (0, 0));
    }
}
