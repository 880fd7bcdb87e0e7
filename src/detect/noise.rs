//! How rough surfaces are, and at which scale that shows.
//!
//! The thickness of a neighbourhood depends on its size. With noise that is independent from point to point,
//! it is the same at every size. Depth cameras and rounded coordinates give exact slices: almost no thickness
//! within a slice, and a step a little farther on. The noise of a moving scanner is correlated between nearby
//! points, so thickness grows until the neighbourhood is larger than that correlation. The noise is therefore
//! read where the curve of thickness over size levels out, and no surface is judged at a smaller scale.

use crate::camera::viewpoint::share_of_error;
use crate::frame::Points;
use crate::gaps;
use crate::surface::cells::Cells;
use crate::surface::flat::{FLAT, Flatness, judge_some};
use crate::surface::quantile::quantile;
use crate::surface::sums::Sums;
use crate::vector::{Vec3, dot};

/// Most cells whose neighbourhoods are examined.
const SAMPLE: usize = 1 << 13;
/// Largest thickness over width, squared, of a neighbourhood that is certainly flat.
const STRICT: f32 = 0.01;
/// A neighbourhood is an exact slice when those a few levels higher are more than this many times thicker.
const SLICE: f64 = 64.0;
/// The same for a slightly blurred slice, whose thickness stays the same on the level above.
const BLURRED: f64 = 8.0;
/// At steps, thickness grows by more than this factor from one level to the next; on waves it grows less.
const JUMP: f64 = 5.0;
/// Thickness stays the same when it grows by less than this factor, …
const STAYS: f64 = 1.6;
/// … and when at least this share of the neighbourhoods is still flat.
const STAYS_FLAT: f64 = 0.8;
/// Between narrow and wide neighbourhoods that are flat, by so many times as many are as on a level between them, there may
/// be steps, if the wide ones are so many times as thick.
const DIP: f64 = 1.1;
const THICKER: f64 = 3.0;
/// The wide ones are at most so many levels above the one between.
const WIDEST_DIP: usize = 2;
/// How many normals are tried as that of slices.
const TRIED: usize = 32;
/// Slices lie across the direction of view if the cosine is larger than this: it may be known roughly.
const FACING: f64 = 0.95;
/// The least share of the wide neighbourhoods that are parallel along a ramp, whose fine ones may be the treads of stairs.
const RAMP: f64 = 0.7;
/// If this share of the wide neighbourhoods is parallel to the fine ones, these are no slices but a surface, such as a wall
/// that faces a camera.
const MANY: f64 = 0.5;
/// Levels above a slice within which its steps must show …
pub(super) const STEPS: usize = 3;
/// … and within which they must show in the camera's view: there, nothing else is so exact, and steps far from the
/// camera are wider than three levels of cells.
const STEPS_SEEN: usize = 5;
/// Steps that only the camera's view shows may be there when the thickness grows by this factor, …
const MAY_SLICE: f64 = 16.0;
/// … from one of so many of the finest levels, …
const FINEST: usize = 3;
/// … to one at most this many levels above it.
const WIDEST_STEPS: usize = 5;
/// The noise of neighbours is correlated when normals turn from one level to the next by more than this share
/// of what the thickness allows; …
const ALIKE: f64 = 0.5;
/// … if waves show two levels higher only, normals turn by more than this in between. With independent noise it is
/// 0.2 to 0.4.
const INDEPENDENT: f64 = 0.4;
/// Thickness that grows by more than this factor from level to level is that of edges, not of noise.
const GROWTH: f64 = 2.5;
/// In the camera's view, surfaces tell the noise if the cosine of the angle between their normal and the line of sight is larger than
/// this, …
const ASLANT: f64 = 0.35;
/// … if so large a share of the flat neighbourhoods lie on such surfaces.
const TELLING: f64 = 0.15;
/// In the camera's view, and above slices, the noise is no longer correlated where thickness grows by less than this factor.
const STEADY: f64 = 1.1;
/// There may be edges only where a level has less than this share of the flat neighbourhoods of the level before.
const REMAIN_FLAT: f64 = 0.95;
/// A level counts when it has at least this share of the flat neighbourhoods of the level before.
const LASTING: f64 = 0.5;
/// The same for neighbourhoods that are certainly flat, to tell steps from furniture.
const STILL_STRICT: f64 = 0.2;
/// The same where fine neighbourhoods are so exact that hardly anything else can be steps.
const HARDLY_STRICT: f64 = 0.1;
/// Exact slices are no thicker than this on the next level; independent noise grows by more there, because the finest
/// neighbourhoods have few points.
const REMAINS: f64 = 1.15;
/// The slices of a frame are parallel, unless the frame is drawn in the camera's view: this share of the thin
/// neighbourhoods …
const NEARLY_ALL: f64 = 0.9;
/// … have normals whose cosine with that of the thinnest is larger than this.
const PARALLEL: f64 = 0.98;
/// What differs from its limit by less than this share, more or less exceeds it, so that nearly the same cloud is
/// searched at nearly the same scale. The levels of frames in the camera's view are not divided: steps are seen or not.
const SOFT: f64 = 0.2;
/// Scales between two levels.
const STEPS_OF_LEVEL: f64 = 4.0;
/// The searched cells are this many levels finer than the level at which the noise shows.
const FINER: f64 = 1.0;
/// Neighbourhoods are wide enough to show the surfaces of rounded points when no more than a quarter of them are thinner than this
/// many times what rounding adds to a coordinate: a little less than once, since the lower quartile is that of the thinner ones. …
const SHOWS_ROUNDED: f64 = 0.8;
/// … Rounding explains their thickness if it is at most this many times that. Of a voxel only the centre is left, however many
/// points the voxel had, so the distances of centres from a surface are spread evenly: over one step if the surface is along an axis, over √3
/// steps if it is across a diagonal.
const EXPLAINED: f64 = 1.75;
/// Steps still show on a level when this many times as many neighbourhoods are flat on the next; without steps,
/// fewer are, because of edges.
const CLEARER: f64 = 1.2;
/// They no longer blur a level on which at least this many times as many neighbourhoods are flat as on the level
/// from which on thickness stays the same; so many are flat on the level after that, too.
const CLEARED: f64 = 0.3;
/// Correlated noise makes neighbourhoods thicker from one level to the next by more than this share, beyond what independent
/// noise does. Where they are no thicker, normals turn because surfaces are curved, or meet in edges.
const THICKENS: f64 = 0.04;
/// Parameters of the plane of a neighbourhood: its points lie that much closer to it.
const PARAMETERS: f64 = 3.0;
/// Standard deviations by which the lower quartile lies below the mean, …
const QUARTILE: f64 = 0.674;
/// … and the lowest decile.
const DECILE: f64 = 1.282;
/// A smaller share of flat neighbourhoods says nothing.
pub(super) const SOME: f64 = 0.02;

/// Most points whose coordinates are examined for steps.
const COORDINATES: usize = 1 << 15;
/// A step that is narrower than all gaps is at least so many local steps: all coordinates are multiples of one.
const NARROWEST: f64 = 16.0;
/// Gaps between successive coordinates are multiples of the step within this share of it.
const WITHIN: f64 = 0.1;

/// The neighbourhood of a base cell on every level.
pub(super) struct Sample {
    pub cell: u32,
    /// The middle of the base cell's points.
    pub middle: Vec3,
    blocks: Vec<Option<Flatness>>,
}

impl Sample {
    /// The neighbourhood on a level, where it is flat.
    pub fn flat(&self, level: usize) -> Option<Flatness> {
        (*self.blocks.get(level)?).filter(|f| f64::from(f.ratio) <= FLAT)
    }
}

/// What neighbourhoods of one size show.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scale {
    /// Share of the cells with a flat neighbourhood.
    pub flat: f64,
    /// Share of the cells with a neighbourhood that is certainly flat.
    strict: f64,
    /// Lower quartile of the thickness of flat neighbourhoods, in steps.
    thin: f64,
    /// Lowest decile of it.
    thinnest: f64,
    /// Median turn of the normals to the next level, relative to what the thickness allows.
    turn: f64,
    /// Median number of points of flat neighbourhoods.
    points: f64,
}

impl Scale {
    /// How many times as thick the thinner neighbourhoods of the next level are, beyond what independent noise makes of more points:
    /// few points lie closer to their plane, and their thickness varies more.
    fn growth(&self, next: &Scale) -> f64 {
        let of = |s: &Scale, thickness: f64, below: f64| {
            let points = s.points.max(2.0 * PARAMETERS);
            thickness / ((1.0 - PARAMETERS / points).sqrt() * (1.0 - below / (2.0 * points).sqrt()))
        };
        let thin = of(next, next.thin, QUARTILE) / of(self, self.thin, QUARTILE);
        thin.min(of(next, next.thinnest, DECILE) / of(self, self.thinnest, DECILE))
    }
}

/// Where the curve of thickness over size levels out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plateau {
    /// The finest level at which neighbourhoods show the noise, not slices or correlated errors.
    ///
    /// Between two levels where it is not clear from which one on.
    pub level: f64,
    /// Whether finer levels show slices.
    pub sliced: bool,
    /// Whether the noise of neighbours is correlated.
    pub alike: bool,
    /// How the points are drawn. In the camera's view their noise is the same everywhere.
    pub drawn: Drawn,
    /// Whether there may be slices with steps so wide that only the camera's view shows them.
    pub stepped: bool,
    /// The first level on which wide neighbourhoods are flat again where narrower ones, which may reach over a step or two,
    /// are not.
    pub clear: Option<usize>,
}

impl Plateau {
    /// Levels by which the searched cells are finer: a small surface is then seen by more cells, and the
    /// noise is still that of the plateau.
    pub fn finer(&self) -> f64 {
        self.level.min(FINER)
    }

    /// How many times wider the cells shall be.
    pub fn widening(&self) -> f64 {
        (self.level - self.finer()).exp2()
    }
}

/// How the points of a cloud are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawn {
    /// Where they are.
    InSpace,
    /// In a depth camera's view.
    AsSeen,
}

impl Drawn {
    /// Whether a neighbourhood tells how far its points are off: in the camera's view, one that is seen far aslant does not.
    fn tells_error(self, flat: &Flatness) -> bool {
        self == Drawn::InSpace || f64::from(flat.normal[2].abs()) > ASLANT
    }

    /// How far points are off, root mean square, where a neighbourhood is so thick. In the camera's view they are off along
    /// the line of sight, which is more than across a surface that is seen aslant.
    fn error(self, flat: &Flatness) -> f64 {
        let share = match self {
            Drawn::InSpace => 1.0,
            Drawn::AsSeen => share_of_error(flat.normal.map(f64::from)),
        };
        f64::from(flat.thickness) / share
    }
}

/// The neighbourhoods of a sample of cells, spread evenly over the cloud.
pub(super) struct View {
    pub samples: Vec<Sample>,
}

impl View {
    /// Judges the neighbourhoods on all levels; `sums` are those of the base cells and are used up.
    pub fn new(cells: &Cells, sums: &mut Vec<Sums>) -> View {
        let base = cells.base();
        let stride = base.len().div_ceil(SAMPLE).max(1);
        let sample = |cell: usize| Sample {
            cell: cell as u32,
            middle: base.local(cell, base.moments(sums, cell).mean()),
            blocks: Vec::with_capacity(cells.levels.len()),
        };
        let mut samples: Vec<Sample> = (0..base.len()).step_by(stride).map(sample).collect();
        let mut around: Vec<u32> = samples.iter().map(|sample| sample.cell).collect();
        for (number, level) in cells.levels.iter().enumerate() {
            // Samples that follow each other share their larger cells.
            let mut different = around.clone();
            different.dedup();
            let judged = judge_some(cells, number, sums, &different);
            let mut at = 0;
            for (sample, &cell) in samples.iter_mut().zip(&around) {
                at += usize::from(different[at] != cell);
                sample.blocks.push(judged[at]);
            }
            level.join_sums(sums);
            if let Some(parents) = Some(&level.parent).filter(|parents| !parents.is_empty()) {
                around.iter_mut().for_each(|cell| *cell = parents[*cell as usize]);
            }
        }
        View { samples }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.samples.first().map_or(0, |sample| sample.blocks.len())
    }

    /// The noise that neighbourhoods of a level show.
    pub fn noise(&self, level: f64, drawn: Drawn) -> Option<f64> {
        noise(&self.samples.iter().collect::<Vec<_>>(), level, drawn)
    }

    /// How many times as large the thickness on a level is far away as it would be if it fell off with the inverse of the
    /// depth, which `far` gives for the middle of each cell; `None` if hardly any neighbourhood is flat.
    pub fn growth(&self, level: usize, far: impl Fn(Vec3) -> f64) -> Option<f64> {
        let thickness = |s: &Sample| Some((far(s.middle), s.flat(level)?.thickness));
        let places = self.samples.iter().filter_map(thickness);
        let mut places: Vec<(f64, f32)> = places.collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let third = places.len() / 3;
        let usual = |some: &[(f64, f32)]| {
            let range = some.get(some.len() / 2).map_or(0.0, |p| p.0);
            range * usual_of(some.iter().map(|p| f64::from(p.1)).collect())
        };
        (third > 0).then(|| usual(&places[places.len() - third..]) / usual(&places[..third]))
    }

    /// Lowers the plateau of a sliced cloud to the first level whose thickness rounding explains; `rounding` is the standard deviation
    /// that rounding adds to a coordinate. Slices turn the normals of neighbourhoods that are wide enough to show the surface, as waves
    /// do, and edges make wider ones thick.
    pub fn within_rounding(&self, plateau: Plateau, rounding: f64) -> Plateau {
        let curve = thicknesses(&self.samples.iter().collect::<Vec<_>>());
        let shows = |s: &Scale| s.flat > SOME && s.thin >= SHOWS_ROUNDED * rounding;
        let level = curve.iter().position(shows).filter(|_| rounding > 0.0);
        let level = level.filter(|&level| curve[level].thin <= EXPLAINED * rounding);
        Plateau { level: level.map_or(plateau.level, |l| plateau.level.min(l as f64)), ..plateau }
    }

    /// Whether steps still show on a level.
    pub fn clears_up(&self, level: usize) -> bool {
        clears_up(&curve(&self.samples.iter().collect::<Vec<_>>()), level)
    }

    /// The first level on which wide neighbourhoods show the surfaces that narrow ones hide, if the narrow ones are slices:
    /// nearly all of those are parallel, and few of the wide ones are parallel to them. Slices lie across the direction
    /// `ahead`; where that is unknown, the wide ones must lie along surfaces of several directions, which those along the
    /// treads of stairs do not.
    pub fn beyond_slices(&self, plateau: &Plateau, ahead: Option<Vec3>) -> Option<usize> {
        // Most clouds have no such level, and need no curve.
        let clear = plateau.clear?;
        let curve = curve(&self.samples.iter().collect::<Vec<_>>());
        let finest = curve.iter().position(|s| s.flat > SOME)?;
        let clear = (clear..curve.len()).find(|&level| !clears_up(&curve, level))?;
        let [fine, wide] = [finest, clear].map(|level| self.normals(level));
        let (share, slices) = most_parallel(&fine)?;
        let are_slices = match ahead {
            Some(ahead) => dot(slices, ahead).abs() > FACING,
            None => most_parallel(&wide)?.0 < RAMP,
        };
        (are_slices && share >= NEARLY_ALL && parallel(&wide, slices) < MANY).then_some(clear)
    }

    /// The normals of the flat neighbourhoods of a level.
    fn normals(&self, level: usize) -> Vec<Vec3> {
        let normal = |s: &Sample| s.flat(level).map(|flat| flat.normal.map(f64::from));
        self.samples.iter().filter_map(normal).collect()
    }

    /// Whether nearly all thin neighbourhoods of a level are parallel, as the slices of a depth camera's frame are, and
    /// the steps of a staircase are not.
    fn faces_one_way(&self, level: usize) -> bool {
        let flat = |s: &Sample| s.blocks[level].filter(|f| f.ratio <= STRICT);
        let flat: Vec<Flatness> = self.samples.iter().filter_map(flat).collect();
        let thinnest = flat.iter().min_by(|a, b| a.thickness.total_cmp(&b.thickness));
        thinnest.is_some_and(|thinnest| {
            let cosine =
                |f: &Flatness| dot(f.normal.map(f64::from), thinnest.normal.map(f64::from));
            let parallel = flat.iter().filter(|f| cosine(f).abs() > PARALLEL).count();
            parallel as f64 >= NEARLY_ALL * flat.len() as f64
        })
    }

    /// Where the curve of thickness over size levels out for most of a cloud.
    pub fn plateau(&self, drawn: Drawn) -> Plateau {
        let curve = curve(&self.samples.iter().collect::<Vec<_>>());
        for (level, scale) in curve.iter().enumerate() {
            log::debug!("level {level}: {scale:.3?}");
        }
        let plateau = read(&curve, drawn, |level| self.faces_one_way(level));
        log::debug!("{plateau:?}");
        plateau
    }
}

/// The share of some normals that are parallel to a direction.
fn parallel(normals: &[Vec3], to: Vec3) -> f64 {
    let cosines = normals.iter().map(|normal| dot(*normal, to).abs());
    cosines.filter(|&cosine| cosine > PARALLEL).count() as f64 / normals.len() as f64
}

/// The direction to which most of some normals are parallel, and their share; `None` if there are none.
fn most_parallel(normals: &[Vec3]) -> Option<(f64, Vec3)> {
    let tried = normals.iter().step_by(normals.len().div_ceil(TRIED).max(1));
    tried.map(|&to| (parallel(normals, to), to)).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Where a curve levels out.
fn read(curve: &[Scale], drawn: Drawn, faces_one_way: impl Fn(usize) -> bool) -> Plateau {
    let first = match drawn {
        Drawn::AsSeen => slices(curve, STEPS_SEEN),
        Drawn::InSpace => slices(curve, STEPS),
    };
    let first = first.max(beyond_steps(curve, drawn, faces_one_way));
    // Where almost nothing is flat, the correlation between neighbours is unknown.
    let told = (first..curve.len()).find(|&l| curve[l].flat > SOME).unwrap_or(first);
    // Steps turn normals as waves do.
    let far = drawn == Drawn::InSpace && first == 0;
    let soft = if drawn == Drawn::AsSeen { 0.0 } else { SOFT };
    let climbed = climb(curve, told, far, soft);
    let reached = if climbed > told as f64 { climbed } else { first as f64 };
    let alike = first > 0 || likeness(curve, told, far, soft) >= 0.5;
    // In steps, so that a hair's breadth does not move every cell.
    let level = if alike { (STEPS_OF_LEVEL * reached).round() / STEPS_OF_LEVEL } else { 0.0 };
    Plateau {
        level,
        sliced: first > 0,
        alike,
        drawn,
        stepped: is_stepped(curve),
        clear: clear(curve),
    }
}

/// Whether more neighbourhoods are flat on the level after this one, where they are not much thicker: steps that blur
/// this level are narrow against the neighbourhoods of the next.
fn clears_up(curve: &[Scale], level: usize) -> bool {
    let here = &curve[level];
    curve.get(level + 1).is_some_and(|next| {
        next.flat > SOME && next.flat > CLEARER * here.flat && grows(here, next)
    })
}

/// Climbs from a level as long as the noise of neighbours is correlated, and returns the level it reaches.
fn climb(curve: &[Scale], from: usize, far: bool, soft: f64) -> f64 {
    let climbs = (from..curve.len().saturating_sub(1)).scan(1.0, |so_far, level| {
        let (here, next) = (&curve[level], &curve[level + 1]);
        // Two surfaces in one neighbourhood turn its normal as waves do.
        let is_slice = here.thinnest <= SLICE * curve[0].thinnest;
        let is_steady = !far && !is_slice && next.thinnest < STEADY * here.thinnest;
        let climbs = likeness(curve, level, far, soft) * goes_on(here, next, soft);
        *so_far *= if is_steady { 0.0 } else { climbs };
        Some(*so_far)
    });
    from as f64 + climbs.sum::<f64>()
}

/// How surely, from 0 to 1, the noise of neighbours is correlated, as a level or the next one shows; `far` looks
/// one level farther, up to which thickness may grow no more than from one level to the next.
fn likeness(curve: &[Scale], level: usize, far: bool, soft: f64) -> f64 {
    // On cells that are small against the waves, independent noise hides correlated noise.
    let turned =
        |by: usize, more: f64| curve.get(level + by).map_or(0.0, |s| exceeds(s.turn, more, soft));
    let shown = |by: usize| curve.get(level + by).map_or(0.0, |s| goes_on(&curve[level], s, soft));
    let next = turned(1, ALIKE) * shown(1);
    let after = turned(1, INDEPENDENT) * turned(2, ALIKE) * shown(2);
    let turns = turned(0, ALIKE).max(next).max(if far { after } else { 0.0 });
    if far { turns * thickens(curve, level) } else { turns }
}

/// How surely, from 0 to 1, surfaces are thicker on one of the next two levels than independent noise makes them.
fn thickens(curve: &[Scale], level: usize) -> f64 {
    let to = |next: usize| {
        let (here, next) = (&curve[next - 1], curve.get(next)?);
        Some(exceeds(here.growth(next) - 1.0, THICKENS, 1.0))
    };
    let shown = curve.get(level + 2).map_or(0.0, |s| goes_on(&curve[level + 1], s, 0.0));
    to(level + 1).unwrap_or(0.0).max(shown * to(level + 2).unwrap_or(0.0))
}

/// How surely, from 0 to 1, a coarser level shows the surfaces that a finer level `here` shows.
fn goes_on(here: &Scale, next: &Scale, soft: f64) -> f64 {
    let lasts = exceeds(next.flat, LASTING * here.flat, soft);
    // Edges take flat neighbourhoods away.
    let soft = if next.flat < REMAIN_FLAT * here.flat { soft } else { 0.0 };
    let is_edges = exceeds(next.thin, GROWTH * here.thin, soft);
    if next.flat > SOME { lasts * (1.0 - is_edges) } else { 0.0 }
}

/// How surely, from 0 to 1, a value exceeds a limit; it is between where it differs by less than a share `soft`.
fn exceeds(value: f64, limit: f64, soft: f64) -> f64 {
    let by = value - limit;
    if by.abs() < soft * limit { 0.5 + 0.5 * by / (soft * limit) } else { f64::from(by > 0.0) }
}

/// Whether thickness grows as noise makes it grow.
fn grows(here: &Scale, next: &Scale) -> bool {
    next.thin <= GROWTH * here.thin
}

/// Standard deviation that rounding adds to each of the coordinates (of a file with two decimals, or of voxel
/// centres), in steps; 0 where they are not rounded.
pub(super) fn rounding(points: &Points) -> Vec3 {
    rounding_of(points.len(), |i| points.get(i))
}

/// The same for `count` points, each of which `point` gives.
pub(super) fn rounding_of(count: usize, point: impl Fn(usize) -> [f32; 3] + Sync) -> Vec3 {
    let stride = count.div_ceil(COORDINATES).max(1);
    // They are whole numbers.
    let along =
        |axis: usize| step_of((0..count).step_by(stride).map(|i| point(i)[axis] as i32).collect());
    let (x, (y, z)) = rayon::join(|| along(0), || rayon::join(|| along(1), || along(2)));
    let steps = [x, y, z];
    // Between a few level floors there are a few gaps, which say nothing: heights are rounded as the rest is, or less.
    let told = steps
        .iter()
        .filter(|step| step.gaps >= gaps::FEWEST)
        .map(|step| step.length)
        .fold(0.0, f64::max);
    let lengths = steps.map(|step| match step.gaps {
        0 => told,
        1..gaps::FEWEST => step.length.min(told),
        _ => step.length,
    });
    lengths.map(|length| length / 12f64.sqrt())
}

/// The step of rounded coordinates along an axis.
struct Step {
    /// 0 where they are not rounded.
    length: f64,
    /// Number of gaps between successive coordinates, which tell it.
    gaps: usize,
}

/// The step of some coordinates along an axis, in local steps.
fn step_of(mut values: Vec<i32>) -> Step {
    values.sort_unstable();
    values.dedup();
    let mut gaps: Vec<i32> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let tenth = gaps.len() / 10;
    if gaps.is_empty() {
        return Step { length: 0.0, gaps: 0 };
    }
    let step = f64::from(*gaps.select_nth_unstable(tenth).1);
    let is_whole = |&&gap: &&i32| {
        let times = f64::from(gap) / step;
        (times - times.round()).abs() < WITHIN
    };
    let whole = gaps.iter().filter(is_whole).count();
    let (is_rounded, count) = (whole as f64 >= gaps::WHOLE * gaps.len() as f64, gaps.len());
    let narrower = || {
        gaps::step(gaps.into_iter().map(f64::from).collect(), WITHIN, gaps::MOST_STEPS)
            .filter(|&s| s >= NARROWEST)
    };
    Step { length: if is_rounded { step } else { narrower().unwrap_or(0.0) }, gaps: count }
}

/// The first level above those on which neighbourhoods are slices.
pub(super) fn slices(curve: &[Scale], steps: usize) -> usize {
    (0..curve.len()).take_while(|&level| is_sliced(curve, level, steps)).count()
}

/// The first level whose neighbourhoods are wide against steps that are too wide for [`slices`]; 0 if there are none.
///
/// The finest neighbourhoods are exact slices, hardly thicker on the next level if any are flat there, and there is a
/// thickness that stays the same above a coarser level. The neighbourhoods in between reach over a step or two, and are
/// hardly ever flat.
fn beyond_steps(curve: &[Scale], drawn: Drawn, faces_one_way: impl Fn(usize) -> bool) -> usize {
    let Some(finest) = curve.iter().position(|s| s.flat > SOME) else { return 0 };
    let (exact, coarser) = (&curve[finest], &curve[finest + 1..]);
    let is_noise = |next: &Scale| next.flat > SOME && next.thinnest > REMAINS * exact.thinnest;
    if coarser.first().is_none_or(is_noise) {
        return 0;
    }
    let stays = |pair: &[Scale]| {
        let [here, next] = [&pair[0], &pair[1]];
        here.thinnest > SLICE * exact.thinnest
            && here.flat >= LASTING * exact.flat
            && (drawn == Drawn::AsSeen || here.strict >= HARDLY_STRICT * exact.strict)
            && (next.thin < STAYS * here.thin || next.thinnest < STAYS * here.thinnest)
            && next.flat >= CLEARED * here.flat
    };
    let Some(by) = coarser.windows(2).take(WIDEST_STEPS).position(stays) else { return 0 };
    let wide = &coarser[by];
    let shows = |s: &Scale| s.flat >= CLEARED * wide.flat && STAYS * s.thin >= wide.thin;
    let is_told = match drawn {
        Drawn::InSpace => faces_one_way(finest),
        // Edges are as thick as steps, but no wider neighbourhoods are flat there.
        Drawn::AsSeen => coarser[by..].iter().any(|s| s.strict >= HARDLY_STRICT * exact.strict),
    };
    if !is_told {
        return 0;
    }
    finest + 1 + coarser.iter().position(shows).unwrap_or(by)
}

/// Whether fine neighbourhoods may be slices: on some coarser level they are much thicker and still flat.
fn is_stepped(curve: &[Scale]) -> bool {
    let thicker = |here: &Scale, s: &Scale| s.thinnest > MAY_SLICE * here.thinnest;
    let coarser = |(level, here): (usize, &Scale)| {
        let end = curve.len().min(level + 1 + WIDEST_STEPS);
        here.flat > SOME
            && curve[level + 1..end]
                .iter()
                .any(|s| thicker(here, s) && s.flat >= LASTING * here.flat)
    };
    curve.iter().enumerate().take(FINEST).any(coarser)
}

/// The first level on which more neighbourhoods are flat than on one of the finest levels a little below it, though more
/// were on a still finer level, where they are much thinner.
fn clear(curve: &[Scale]) -> Option<usize> {
    let is_clear = |&at: &usize| {
        let dip = |by: usize| {
            let here = &curve[by];
            let shows = |s: &Scale| s.flat > SOME && s.flat > DIP * here.flat;
            let fine = |fine: &Scale| shows(fine) && curve[at].thin > THICKER * fine.thin;
            shows(&curve[at]) && curve[..by].iter().any(fine)
        };
        (at.saturating_sub(WIDEST_DIP)..at.min(FINEST)).any(dip)
    };
    (0..curve.len()).find(is_clear)
}

/// Whether nearly as many neighbourhoods are flat as on a finer level `here`.
fn lasts(s: &Scale, here: &Scale) -> bool {
    s.flat >= LASTING * here.flat && s.strict >= STILL_STRICT * here.strict
}

/// Whether the neighbourhoods of a level are slices: a few levels higher they are much thicker and still
/// flat.
fn is_sliced(curve: &[Scale], level: usize, steps: usize) -> bool {
    let here = curve[level];
    here.flat > SOME
        && (level + 1..curve.len().min(level + 1 + steps)).any(|at| {
            let is_exact = curve[at].thinnest > SLICE * here.thinnest;
            lasts(&curve[at], &here) && (is_exact || is_blurred(curve, level, at))
        })
}

/// Whether the neighbourhoods of a level are slightly blurred slices: thickness jumps on the way to the level
/// `at` and stays the same above it.
fn is_blurred(curve: &[Scale], level: usize, at: usize) -> bool {
    let Some(next) = curve.get(at + 1) else { return false };
    let stays = next.thin < STAYS * curve[at].thin && next.flat >= STAYS_FLAT * curve[at].flat;
    // On the finest level a quarter of the neighbourhoods must be slices. Above it, where some reach over a
    // step, a tenth is enough.
    let thickness = |s: &Scale| if level == 0 { s.thin } else { s.thinnest };
    let jumps =
        curve[level..=at].windows(2).any(|pair| thickness(&pair[1]) > JUMP * thickness(&pair[0]));
    stays && jumps && thickness(&curve[at]) > BLURRED * thickness(&curve[level])
}

/// How far points are off their surface, root mean square, as the thinner neighbourhoods of a level show it.
pub(super) fn noise(samples: &[&Sample], level: f64, drawn: Drawn) -> Option<f64> {
    between(level, |level| {
        let flat: Vec<Flatness> = samples.iter().filter_map(|s| s.flat(level)).collect();
        let tells = flat.iter().filter(|f| drawn.tells_error(f));
        let errors: Vec<f64> = tells.map(|f| drawn.error(f)).collect();
        let is_enough = errors.len() as f64 >= TELLING * flat.len() as f64;
        let all = || flat.iter().map(|f| drawn.error(f)).collect();
        Some(usual_of(if is_enough { errors } else { all() })).filter(|&noise| noise > 0.0)
    })
}

/// What lies between the values of two levels, on a logarithmic scale.
pub(super) fn between(level: f64, of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let fine = of(level as usize)?;
    let coarse = if level.fract() > 0.0 { of(level as usize + 1) } else { None };
    Some(coarse.map_or(fine, |coarse| fine * (coarse / fine).powf(level.fract())))
}

/// The usual thickness: the median of the thinner ones.
pub(super) fn usual_of(mut thickness: Vec<f64>) -> f64 {
    let thin = 3.0 * quantile(&mut thickness, 0.25);
    thickness.retain(|&t| t <= thin);
    quantile(&mut thickness, 0.5)
}

/// What the neighbourhoods of some cells show, level by level.
fn curve(samples: &[&Sample]) -> Vec<Scale> {
    let mut curve = thicknesses(samples);
    for (level, scale) in curve.iter_mut().enumerate() {
        let mut turns: Vec<f64> = samples.iter().filter_map(|s| turn(s, level)).collect();
        scale.turn = quantile(&mut turns, 0.5);
    }
    curve
}

/// The same without the turns of the normals, which stay 0.
pub(super) fn thicknesses(samples: &[&Sample]) -> Vec<Scale> {
    let levels = samples.first().map_or(0, |s| s.blocks.len());
    let n = samples.len().max(1) as f64;
    let one = |level: usize| {
        let flat: Vec<Flatness> = samples.iter().filter_map(|s| s.flat(level)).collect();
        let strict = flat.iter().filter(|f| f.ratio <= STRICT).count();
        let mut thickness: Vec<f64> = flat.iter().map(|f| f64::from(f.thickness)).collect();
        let mut points: Vec<f64> = flat.iter().map(Flatness::points).collect();
        Scale {
            flat: flat.len() as f64 / n,
            strict: strict as f64 / n,
            thin: quantile(&mut thickness, 0.25),
            thinnest: quantile(&mut thickness, 0.1),
            turn: 0.0,
            points: quantile(&mut points, 0.5),
        }
    };
    (0..levels).map(one).collect()
}

/// How far the normal of a cell turns from a level to the next, relative to thickness over width.
fn turn(sample: &Sample, level: usize) -> Option<f64> {
    let (here, next) = (sample.flat(level)?, sample.flat(level + 1)?);
    let cosine = dot(here.normal.map(f64::from), next.normal.map(f64::from)).abs().min(1.0);
    Some((1.0 - cosine * cosine).sqrt() / f64::from(here.ratio).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::noise_field::measure;
    use super::*;
    use crate::cpu::cut::{cut, whole};
    use crate::surface::cloud::CellCloud;
    use crate::surface::flat::judge_all;
    use crate::surface::noise_field::NoiseField;

    /// A sloping plane of 40 000 points, 100 steps apart, with heights changed by `of`.
    fn slope(of: impl Fn(f64, i64) -> f64) -> Points {
        let point = |i: i64| {
            let (x, y) = ((i % 200 * 100) as f64, (i / 200 * 100) as f64);
            let jitter = (i * 7919 % 97 - 48) as f64;
            [x + jitter, y + (i * 104_729 % 89 - 44) as f64, of(0.4 * x, i)].map(|v| v as f32)
        };
        (0..40_000).map(point).collect()
    }

    fn plateau_of(points: &Points) -> (f64, bool, NoiseField) {
        let view = |cloud: &CellCloud| View::new(&cloud.cells, &mut cloud.sums());
        let cloud = whole(points);
        let plateau = view(&cloud).plateau(Drawn::InSpace);
        let cloud = cut(points, cloud.cells.unit.coarser(plateau.widening())).1;
        let known = judge_all(&cloud.cells, cloud.sums());
        let flatness = |level: usize, cell: u32| known[level].of(cell as usize);
        let rounding = rounding(points).into_iter().fold(0.0, f64::max);
        let field = measure(&cloud, &view(&cloud), plateau, rounding, flatness);
        (plateau.level, plateau.sliced, field)
    }

    #[test]
    fn surfaces_are_clear_on_the_level_after_a_dip() {
        let of = |flat: [f64; 6], thin: [f64; 6]| {
            let scale =
                |level: usize| Scale { flat: flat[level], thin: thin[level], ..Scale::default() };
            clear(&(0..6).map(scale).collect::<Vec<_>>())
        };
        let thin = [1.0, 1.2, 6.0, 7.0, 7.0, 7.0];
        assert_eq!(of([0.4, 0.05, 0.4, 0.8, 0.7, 0.5], thin), Some(2));
        assert_eq!(of([0.4, 0.3, 0.2, 0.1, 0.1, 0.1], thin), None);
        // As thin as before: some of the finest cells have too few points.
        assert_eq!(of([0.4, 0.05, 0.4, 0.8, 0.7, 0.5], [1.0; 6]), None);
        // A whole roof landscape is flat again from far enough away.
        assert_eq!(of([0.8, 0.7, 0.6, 0.1, 0.0, 0.9], [1.0, 1.0, 1.0, 2.0, 3.0, 90.0]), None);
    }

    #[test]
    fn independent_noise_is_seen_at_the_finest_scale() {
        let noisy = slope(|z, i| (z + (i * 48_271 % 201 - 100) as f64 / 4.0).round());
        let (level, sliced, field) = plateau_of(&noisy);
        assert_eq!((level, sliced), (0.0, false));
        assert!(field.is_even());
    }

    #[test]
    fn slices_are_seen_through() {
        // Depth in steps of 200: a slice is 500 wide, and cells are a good 140.
        let depth = 200.0;
        let sliced = slope(|z, i| ((z + (i % 7) as f64) / depth).round() * depth);
        let (level, is_sliced, field) = plateau_of(&sliced);
        assert!(is_sliced && level >= 1.0, "{level}");
        let flat = Flatness { ratio: 1e-6, thickness: 1.0, error: 1e-4, normal: [0.0, 0.0, 1.0] };
        let least = f64::from(field.at_least(0, flat).thickness);
        assert!((0.5..2.0).contains(&(least / (depth / 12f64.sqrt()))), "{least}");
    }

    #[test]
    fn where_rounding_explains_the_thickness_no_wider_neighbourhoods_are_looked_at() {
        // The centres of voxels that a slope and a wall occupy.
        let edge = 200i64;
        let centre = |v: f64| ((v as i64).div_euclid(edge) * edge + edge / 2) as f32;
        let mut centres: Vec<[i32; 3]> = (0..300_000i64)
            .flat_map(|i| {
                let (x, y) = ((i % 600 * 50) as f64, (i / 600 * 50) as f64);
                [[x, y, 0.3 * x + 0.1 * y], [0.2 * y, y, x]].map(|p| p.map(|v| centre(v) as i32))
            })
            .collect();
        centres.sort_unstable();
        centres.dedup();
        let points: Points = centres.into_iter().map(|p| p.map(|v| v as f32)).collect();
        let cloud = whole(&points);
        let view = View::new(&cloud.cells, &mut cloud.sums());
        let rounding = rounding(&points).into_iter().fold(0.0, f64::max);
        assert!((rounding / (edge as f64 / 12f64.sqrt()) - 1.0).abs() < 1e-6);
        let high = Plateau { level: 5.0, sliced: true, ..view.plateau(Drawn::InSpace) };
        let level = view.within_rounding(high, rounding).level;
        let noise = view.noise(level, Drawn::InSpace).unwrap() / rounding;
        assert!(level < 4.0 && (0.7..2.0).contains(&noise), "{level} {noise}");
        // Nothing is rounded, or far less than surfaces are thick.
        assert_eq!(view.within_rounding(high, 0.0).level, 5.0);
        assert_eq!(view.within_rounding(high, 0.1 * rounding).level, 5.0);
    }

    #[test]
    fn slices_that_are_blurred_a_little_are_seen_through() {
        let blur = |i: i64| (i * 48_271 % 201 - 100) as f64 / 25.0;
        let sliced = slope(|z, i| ((z + (i % 7) as f64) / 200.0).round() * 200.0 + blur(i));
        let (level, is_sliced, _) = plateau_of(&sliced);
        assert!(is_sliced && level >= 1.0, "{level}");
    }

    #[test]
    fn steps_are_suspected_where_thickness_grows_on_any_fine_level() {
        let scale =
            |flat, thinnest| Scale { flat, strict: flat, thin: thinnest, thinnest, turn: 0.0 };
        let even = [scale(0.5, 10.0); 10];
        assert!(!is_stepped(&even));
        // The finest neighbourhoods reach over a step, those above them are slices.
        let mut stepped = even;
        stepped[1].thinnest = 0.5;
        assert!(is_stepped(&stepped));
        // Above, only a few are flat.
        stepped[2..].iter_mut().for_each(|s| s.flat = 0.2);
        assert!(!is_stepped(&stepped));
        // Thickness jumps only at the size of the whole cloud.
        let mut whole = even;
        whole[8..].iter_mut().for_each(|s| s.thinnest = 1000.0);
        assert!(!is_stepped(&whole));
    }

    #[test]
    fn correlated_noise_is_told_where_independent_noise_hides_it() {
        let scale = |thin, turn| Scale { flat: 0.8, strict: 0.8, thin, thinnest: thin, turn };
        let white = [scale(1.0, 0.3); 8];
        let plateau = read(&white, Drawn::InSpace, |_| true);
        assert!(plateau.level == 0.0 && !plateau.alike);
        // That alone may be edges; the level between turns a little, too, where it is waves.
        let mut hidden = white;
        hidden[2].turn = 0.7;
        assert!(!read(&hidden, Drawn::InSpace, |_| true).alike);
        hidden[1].turn = 0.49;
        let plateau = read(&hidden, Drawn::InSpace, |_| true);
        assert!(plateau.level == 3.0 && plateau.alike);
        // There, these are edges.
        hidden[2..].iter_mut().for_each(|s| s.thin = 3.0);
        assert!(!read(&hidden, Drawn::InSpace, |_| true).alike);
        // Cells are as wide as the waves, so that thickness grows to that of edges at once.
        let mut wide = white;
        wide[0].turn = 0.7;
        wide[1..].iter_mut().for_each(|s| s.thin = 3.0);
        let plateau = read(&wide, Drawn::InSpace, |_| true);
        assert!(plateau.level == 0.0 && plateau.alike);
    }

    #[test]
    fn the_noise_lies_between_levels_where_a_limit_is_hardly_met() {
        let scale = |turn| Scale { flat: 0.8, strict: 0.8, thin: 1.0, thinnest: 1.0, turn };
        let level = |turn| {
            let mut curve = [scale(0.3); 8];
            curve[..2].fill(scale(0.7));
            curve[2].turn = turn;
            read(&curve, Drawn::InSpace, |_| true).level
        };
        assert_eq!([level(0.3), level(0.5), level(0.7)], [2.0, 2.5, 3.0]);
        assert!((level(0.501) - level(0.499)).abs() < 0.02);
    }

    #[test]
    fn growth_is_that_of_edges_only_where_they_take_flat_neighbourhoods_away() {
        // Thickness grows by hardly less than edges make it grow.
        let level = |flat| {
            let scale = |flat, thin, turn| Scale { flat, strict: flat, thin, thinnest: thin, turn };
            let mut curve = [scale(flat, 2.4, 0.3); 8];
            curve[0] = scale(0.8, 1.0, 0.9);
            read(&curve, Drawn::InSpace, |_| true).level
        };
        assert_eq!([level(0.8), level(0.77)], [1.0; 2]);
        assert_eq!(level(0.7), 0.5);
    }

    #[test]
    fn normals_that_turn_at_edges_do_not_make_noise_correlated() {
        let scale = |flat, turn| Scale { flat, strict: flat, thin: 1.0, thinnest: 1.0, turn };
        let mut edges = [scale(0.8, 0.3); 8];
        edges[1..].fill(scale(0.01, 0.9));
        assert!(!read(&edges, Drawn::InSpace, |_| true).alike);
    }

    #[test]
    fn a_level_blurred_by_steps_clears_up() {
        let scale = |flat, thin| Scale { flat, strict: flat, thin, thinnest: thin, turn: 0.3 };
        assert!(clears_up(&[scale(0.4, 1.0), scale(0.5, 1.5)], 0));
        // Hardly more are flat, hardly any are, or they are those of edges; or there is no such level.
        assert!(!clears_up(&[scale(0.4, 1.0), scale(0.45, 1.5)], 0));
        assert!(!clears_up(&[scale(0.01, 1.0), scale(0.015, 1.5)], 0));
        assert!(!clears_up(&[scale(0.4, 1.0), scale(0.5, 3.0)], 0));
        assert!(!clears_up(&[scale(0.4, 1.0)], 0));
    }

    #[test]
    fn slices_of_dense_frames_are_seen_through() {
        let scale = |flat, thickness| Scale {
            flat,
            strict: flat,
            thin: thickness,
            thinnest: thickness,
            turn: 0.2,
        };
        // Neighbourhoods that are as wide as a few steps are hardly ever flat.
        let flat = [0.9, 0.9, 0.8, 0.3, 0.5, 0.6, 0.6, 0.5];
        let curve: Vec<Scale> = flat
            .into_iter()
            .enumerate()
            .map(|(level, flat)| scale(flat, if level < 3 { 1.0 } else { 100.0 }))
            .collect();
        assert_eq!(read(&curve, Drawn::AsSeen, |_| true).level, 3.0);
        assert_eq!(read(&curve, Drawn::InSpace, |_| true).level, 3.0);
        assert_eq!(read(&curve, Drawn::InSpace, |_| false).level, 0.0);
    }

    #[test]
    fn a_wall_of_wide_steps_is_seen_through() {
        let scale = |flat, strict, thin| Scale { flat, strict, thin, thinnest: thin, turn: 0.2 };
        // The curve of a wall 3 m from a depth camera.
        let mut wall = [
            scale(0.8, 0.8, 1.0),
            scale(0.9, 0.9, 1.0),
            scale(0.05, 0.0, 400.0),
            scale(0.3, 0.01, 600.0),
            scale(0.9, 0.01, 1400.0),
            scale(0.8, 0.7, 1450.0),
            scale(0.6, 0.6, 1500.0),
        ];
        let plateau = read(&wall, Drawn::InSpace, |_| true);
        assert!(plateau.level == 4.0 && plateau.sliced && plateau.alike);
        // One flat level may be so by chance.
        let mut sparse = wall;
        sparse[0] = scale(0.01, 0.0, 1.0);
        assert!(!read(&sparse, Drawn::InSpace, |_| true).sliced);
        // Noise that is not exact grows.
        let mut noisy = wall;
        noisy[1] = scale(0.9, 0.9, 1.3);
        assert!(!read(&noisy, Drawn::InSpace, |_| true).sliced);
        // Thickness that goes on growing is that of edges.
        wall[6] = scale(0.6, 0.6, 3000.0);
        assert!(!read(&wall, Drawn::InSpace, |_| true).sliced);
    }

    #[test]
    fn rounded_coordinates_have_steps() {
        let rounded = slope(|z, _| (z / 50.0).round() * 50.0);
        let [x, y, z] = rounding(&rounded);
        assert!((z - 50.0 / 12f64.sqrt()).abs() < 1e-9 && x < z && y < z);
        let exact = slope(|z, i| z + (i * 48_271 % 201) as f64);
        assert!(rounding(&exact).iter().all(|&r| r < 1.0));
        // Three floors at heights that are not rounded so much; one floor.
        let floors = |heights: [f32; 3]| {
            let point = |i: usize| [(i % 50 * 20) as f32, (i / 50 * 30) as f32, heights[i % 3]];
            rounding(&(0..2500).map(point).collect()).map(|v| (v * 12f64.sqrt()).round())
        };
        assert_eq!(floors([0.0, 3000.0, 6000.0]), [20.0, 30.0, 30.0]);
        assert_eq!(floors([50.0; 3]), [20.0, 30.0, 30.0]);
        assert_eq!(rounding(&Points::default()), [0.0; 3]);
        assert_eq!(rounding(&[[3.0; 3]; 5].into_iter().collect()), [0.0; 3]);
    }
}
