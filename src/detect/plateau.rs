//! Where the curve of thickness over size levels out.
//!
//! The thickness of a neighbourhood depends on its size. With noise that is independent from point to point,
//! it is the same at every size. Depth cameras and rounded coordinates give exact slices: almost no thickness
//! within a slice, and a step a little farther on. The noise of a moving scanner is correlated between nearby
//! points, so thickness grows until the neighbourhood is larger than that correlation. The noise is therefore
//! read where the curve levels out, and no surface is judged at a smaller scale.

use super::drawn::Drawn;

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
/// Levels above a slice within which its steps must show …
pub(super) const STEPS: usize = 3;
/// … and within which they must show in the camera's view: there, nothing else is so exact, and steps far from the
/// camera are wider than three levels of cells.
const STEPS_SEEN: usize = 5;
/// Hardly fewer neighbourhoods are flat on a level than on another if they are at least this share.
const HARDLY_LESS: f64 = 0.9;
/// Rounding explains the thickness of the thinner neighbourhoods if it is at most this many times what rounding adds to a coordinate. Of
/// a voxel only the centre is left, however many points the voxel had, so the distances of centres from a surface are spread evenly:
/// over one step if the surface is along an axis, over √3 steps if it is across a diagonal.
const EXPLAINED: f64 = 1.5;
/// Above steps of depths that are wider than those of rounding, neighbourhoods are more than this many times as thick as that.
const WIDE: f64 = 4.0;
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
/// Waves that are long against neighbourhoods make them thicker by up to this factor from level to level, …
const WAVES: f64 = 4.2;
/// … surely by more than this, and more or less where the growth differs from that by less than the second share of it, …
const LONG: f64 = 2.4;
const LONG_SOFT: f64 = 0.05;
/// … and farther on by less than this, more or less.
const LEVELLED: f64 = 2.2;
/// More or less, they leave at least this share of the neighbourhoods flat.
const KEPT: f64 = 0.75;
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
/// What differs from its limit by less than this share, more or less exceeds it, so that nearly the same cloud is
/// searched at nearly the same scale. The levels of frames in the camera's view are not divided: steps are seen or not.
const SOFT: f64 = 0.2;
/// Scales between two levels.
const STEPS_OF_LEVEL: f64 = 4.0;
/// The searched cells are this many levels finer than the level at which the noise shows.
const FINER: f64 = 1.0;
/// The same where waves led up to that level.
const FINER_BELOW_WAVES: f64 = 2.0;
/// Steps still show on a level when this many times as many neighbourhoods are flat on the next; without steps,
/// fewer are, because of edges.
const CLEARER: f64 = 1.2;
/// They no longer blur a level on which at least this many times as many neighbourhoods are flat as on the level
/// from which on thickness stays the same; so many are flat on the level after that, too.
const CLEARED: f64 = 0.3;
/// A smaller share of flat neighbourhoods says nothing.
pub(super) const SOME: f64 = 0.02;
/// Correlated noise makes neighbourhoods thicker from one level to the next by more than this share, beyond what independent
/// noise does, and more or less where it differs from that by less than the second share of it. Where they are no thicker,
/// normals turn because surfaces are curved, or meet in edges.
const THICKENS: f64 = 0.04;
const THICKENS_SOFT: f64 = 0.5;
/// The same where normals turn less, by more than [`INDEPENDENT`], because independent noise is mixed in.
const THICKENS_MIXED: f64 = 0.1;
/// Waves that independent noise hides on a level emerge at most so many levels above it. On two levels that follow each other they
/// make neighbourhoods thicker by more than this share, …
const HIDDEN: usize = 3;
const EMERGES: f64 = 0.13;
/// … but by less than this factor, …
const EMERGES_SLOWLY: f64 = 1.9;
/// … and normals turn by more than this on one of them and by more than that on the other. Independent noise leaves 0.1 there.
const TURNS_YET: f64 = 0.2;
const TURNS_MORE: f64 = 0.3;
/// The wider of these may have lost more of its flat neighbourhoods to edges.
const LASTS_SOMEWHAT: f64 = 0.35;
/// With fewer flat neighbourhoods than this, more or less where their number differs from it by less than the second share of it,
/// most of them touch edges, which look like correlated noise.
const PLACES: f64 = 150.0;
const PLACES_SOFT: f64 = 0.5;
/// At least about this many different neighbourhoods must show waves: a few may be folds of a roof.
const WAVE_PLACES: f64 = 1000.0;
/// In space, so many different wider neighbourhoods show that narrow ones are slices.
const FEW_PLACES: f64 = 30.0;
/// Thickness of less than this share of that of rounding is not seen beside it.
const UNSEEN: f64 = 0.25;
/// Parameters of the plane of a neighbourhood.
const PARAMETERS: f64 = 3.0;
/// Standard deviations by which the lower quartile lies below the mean, …
const QUARTILE: f64 = 0.674;
/// … and the lowest decile.
const DECILE: f64 = 1.282;

/// What neighbourhoods of one size show.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scale {
    /// Share of the cells with a flat neighbourhood.
    pub flat: f64,
    /// Share of the cells with a neighbourhood that is certainly flat.
    pub strict: f64,
    /// Lower quartile of the thickness of flat neighbourhoods, in steps.
    pub thin: f64,
    /// Lowest decile of it.
    pub thinnest: f64,
    /// Median turn of the normals to the next level, relative to what the thickness allows.
    pub turn: f64,
    /// Lowest decile of the number of points of flat neighbourhoods: the thinnest ones often have few.
    pub points: f64,
    /// Number of different flat neighbourhoods, estimated from their share; those of adjacent cells overlap.
    pub places: f64,
    /// Thickness that rounding gives to every neighbourhood, in steps; 0 where it is not looked at.
    pub floor: f64,
}

impl Scale {
    /// How many times as thick the thinner neighbourhoods of the next level are, without rounding and beyond what independent noise
    /// makes of more points: with few points thickness varies more, so that its lower quantiles are lower.
    fn thickening(&self, next: &Scale) -> f64 {
        let of = |s: &Scale, thickness: f64, below: f64| {
            let free = (s.points - PARAMETERS).max(PARAMETERS);
            let own = (thickness * thickness - s.floor * s.floor).max(0.0).sqrt();
            own.max(UNSEEN * s.floor) / (1.0 - below / (2.0 * free).sqrt())
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
    /// Whether what looks like slices are pieces of a few faces, of which wider neighbourhoods hold several.
    pub facets: bool,
    /// The first level on which wide neighbourhoods are flat again where narrower ones, which may reach over a step or two,
    /// are not.
    pub clear: Option<usize>,
    /// How surely, from 0 to 1, waves led up to this level that are long against the finest neighbourhoods.
    pub waves: f64,
    /// How many times as thick as on this level neighbourhoods are on the widest level that tells, if waves led up to it; else 1.
    pub beyond: f64,
}

impl Plateau {
    /// Levels by which the searched cells are finer: a small surface is then seen by more cells, and the
    /// noise is still that of the plateau.
    pub fn finer(&self) -> f64 {
        self.level.min(in_steps(FINER + self.waves * (FINER_BELOW_WAVES - FINER)))
    }

    /// How many times wider the cells shall be.
    pub fn widening(&self) -> f64 {
        (self.level - self.finer()).exp2()
    }
}

/// Where a curve levels out. On a finest level that shows facets, for which `shows_facets` is asked, nothing is a slice.
pub(super) fn read(
    curve: &[Scale],
    drawn: Drawn,
    faces_one_way: impl Fn(usize) -> bool,
    shows_facets: impl Fn(usize) -> bool,
) -> Plateau {
    let (steps, places) = match drawn {
        Drawn::AsSeen => (STEPS_SEEN, 0.0),
        Drawn::InSpace => (STEPS, FEW_PLACES),
    };
    // Nothing is thinner than a floor, so that there are no slices.
    let mut first = match curve.iter().any(|s| s.floor > 0.0) {
        true => 0,
        false => slices(curve, steps, places).max(beyond_steps(curve, drawn, faces_one_way)),
    };
    let mut stepped = is_stepped(curve);
    let finest = curve.iter().position(|s| s.flat > SOME);
    let facets = (first > 0 || stepped) && finest.is_some_and(shows_facets);
    if facets {
        (first, stepped) = (0, false);
    }
    // Where almost nothing is flat, the correlation between neighbours is unknown.
    let told = (first..curve.len()).find(|&l| curve[l].flat > SOME).unwrap_or(first);
    // Steps turn normals as waves do.
    let far = drawn == Drawn::InSpace && first == 0;
    let soft = if drawn == Drawn::AsSeen { 0.0 } else { SOFT };
    let climbed = climb(curve, told, far, soft);
    let reached = if climbed > told as f64 { climbed } else { first as f64 };
    let alike = first > 0 || likeness(curve, told, far, soft) >= 0.5;
    let level = if alike { in_steps(reached) } else { 0.0 };
    let (sliced, clear) = (first > 0, clear(curve));
    let waves = if far { waves_below(curve, level) } else { 0.0 };
    let beyond = if waves > 0.0 { beyond(curve, level) } else { None };
    let (waves, beyond) = beyond.map_or((0.0, 1.0), |beyond| (waves, beyond));
    Plateau { level, sliced, alike, drawn, stepped, facets, clear, waves, beyond }
}

/// In steps, so that a hair's breadth does not move every cell.
fn in_steps(level: f64) -> f64 {
    (STEPS_OF_LEVEL * level).round() / STEPS_OF_LEVEL
}

/// How surely, from 0 to 1, waves that are long against the finest neighbourhoods lead up to a level.
fn waves_below(curve: &[Scale], level: f64) -> f64 {
    let led = |l: usize| {
        let (here, next) = (&curve[l], &curve[l + 1]);
        let by_growth = exceeds(next.thin, LONG * here.thin, LONG_SOFT);
        // Waves that turn normals at once are seen without.
        let hidden = 1.0 - exceeds(here.turn, ALIKE, SOFT);
        let emerging = hidden * emerging(curve, l);
        if here.flat > SOME { by_growth.max(emerging) } else { 0.0 }
    };
    (0..level.ceil() as usize).map(led).fold(0.0, f64::max)
}

/// How many times as thick as on a level neighbourhoods are on the widest level that tells, if thickness grows little above it.
fn beyond(curve: &[Scale], level: f64) -> Option<f64> {
    let from = level.round() as usize;
    let mut growths = growths(curve, from).peekable();
    // Where nothing tells how it grows, there are only edges beyond, or nothing.
    let above = match growths.peek() {
        Some(_) => from + growths.position(|growth| growth < LEVELLED)?,
        None => from,
    };
    let tells = |s: &&Scale| s.flat >= CLEARED * curve[above].flat;
    let shown = curve[above..].iter().take_while(tells).map(|s| s.thin);
    // Above edges it grows much again.
    let mut last = curve[above].thin;
    let grows_little = |&thin: &f64| thin <= LEVELLED * std::mem::replace(&mut last, thin);
    let widest = shown.take_while(grows_little).last()?;
    let here = between(level, |level| Some(curve.get(level)?.thin))?;
    Some((widest / here).max(1.0))
}

/// What lies between the values of two levels, on a logarithmic scale.
pub(super) fn between(level: f64, of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let fine = of(level as usize)?;
    let coarse = if level.fract() > 0.0 { of(level as usize + 1) } else { None };
    Some(coarse.map_or(fine, |coarse| fine * (coarse / fine).powf(level.fract())))
}

/// Whether rounding explains how thick neighbourhoods in space are on the first level on which hardly fewer are flat than on any;
/// `rounding` is the standard deviation that it adds to a coordinate. Wider steps of depths make them thicker there, or lie
/// between that level and a coarser one.
pub(super) fn is_rounded(
    curve: &[Scale],
    rounding: f64,
    faces_one_way: impl Fn(usize) -> bool,
) -> bool {
    // From far enough away a whole landscape is flat.
    let first = curve.iter().position(|s| s.flat > SOME).unwrap_or(0);
    let near = &curve[first..curve.len().min(first + 1 + STEPS)];
    let most = near.iter().map(|s| s.flat).fold(SOME, f64::max);
    let clearest = near.iter().find(|s| s.flat >= HARDLY_LESS * most);
    let steps_are_narrow = || {
        let beyond = beyond_steps(curve, Drawn::InSpace, faces_one_way);
        beyond == 0 || curve[beyond].thin <= WIDE * rounding
    };
    clearest.is_some_and(|s| s.thin <= EXPLAINED * rounding) && steps_are_narrow()
}

/// Whether more neighbourhoods are flat on the level after this one, where they are not much thicker: steps that blur
/// this level are narrow against the neighbourhoods of the next.
pub(super) fn clears_up(curve: &[Scale], level: usize) -> bool {
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
        let many = if far { exceeds(next.places, PLACES, PLACES_SOFT) } else { 1.0 };
        let goes_on = goes_on(curve, [level, level + 1], far, soft);
        let climbs = likeness(curve, level, far, soft) * goes_on * many;
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
    let shown = |by: usize| goes_on(curve, [level, level + by], far, soft);
    let next = turned(1, ALIKE) * shown(1);
    let after = turned(1, INDEPENDENT) * turned(2, ALIKE) * shown(2);
    let turns = turned(0, ALIKE).max(next).max(if far { after } else { 0.0 });
    if !far {
        return turns;
    }
    // Where both are there, normals turn less, but go on to turn, and surfaces are thicker at once.
    let turns_on = turned(0, INDEPENDENT) * turned(1, INDEPENDENT) * shown(1);
    let mixed = turns_on * thickens(curve, level, THICKENS_MIXED, soft);
    let emerging = emerging(curve, level);
    mixed.max(emerging).max(turns * thickens(curve, level, THICKENS, soft))
}

/// How surely, from 0 to 1, waves emerge on a level or a few levels above, wherever independent noise hides them.
fn emerging(curve: &[Scale], level: usize) -> f64 {
    let from = |at| shows_through(curve, level, at) * emerges_at(curve, at);
    (level..=level + HIDDEN).map(from).fold(0.0, f64::max)
}

/// How surely, from 0 to 1, a level shows the surfaces of a finer one, as every level between them does.
fn shows_through(curve: &[Scale], level: usize, at: usize) -> f64 {
    let goes_on = |l| goes_on(curve, [l, l + 1], true, SOFT);
    (level..at).map(goes_on).product()
}

/// How surely, from 0 to 1, waves that independent noise hides on finer levels emerge: on the two levels above, surfaces are thicker
/// and thicker, but not as they are at edges, and normals turn more, where independent noise would turn them less and less.
fn emerges_at(curve: &[Scale], level: usize) -> f64 {
    // Thickness varies much among neighbourhoods of few points, which are those of the finest level.
    let Some([finer, here, next, last]) = level.checked_sub(1).and_then(|l| curve.get(l..l + 4))
    else {
        return 0.0;
    };
    if finer.flat <= SOME {
        return 0.0;
    }
    let grows = |here: &Scale, next: &Scale| {
        let thicker = exceeds(here.thickening(next) - 1.0, EMERGES, THICKENS_SOFT);
        thicker * (1.0 - exceeds(next.thin, EMERGES_SLOWLY * here.thin, SOFT))
    };
    let turns = exceeds(next.turn, TURNS_YET, SOFT) * exceeds(last.turn, TURNS_MORE, SOFT);
    let lasts = exceeds(next.flat, LASTING * here.flat, SOFT)
        * exceeds(last.flat, LASTS_SOMEWHAT * next.flat, SOFT)
        * exceeds(last.places, FEW_PLACES, SOFT);
    grows(here, next) * grows(next, last) * turns * lasts
}

/// How surely, from 0 to 1, surfaces are thicker by a share `more` on one of the next two levels than independent noise makes them.
fn thickens(curve: &[Scale], level: usize, more: f64, soft: f64) -> f64 {
    let to = |next: usize| {
        let [here, next] = [next - 1, next].map(|level| curve.get(level));
        Some(exceeds(here?.thickening(next?) - 1.0, more, THICKENS_SOFT))
    };
    let shown = goes_on(curve, [level + 1, level + 2], true, soft);
    to(level + 1).unwrap_or(0.0).max(shown * to(level + 2).unwrap_or(0.0))
}

/// How surely, from 0 to 1, the coarser of two levels shows the surfaces that the finer one shows.
fn goes_on(curve: &[Scale], [level, next_level]: [usize; 2], far: bool, soft: f64) -> f64 {
    let Some(next) = curve.get(next_level) else { return 0.0 };
    let here = &curve[level];
    let lasts = exceeds(next.flat, LASTING * here.flat, soft);
    // Edges take flat neighbourhoods away.
    let soft = if next.flat < REMAIN_FLAT * here.flat { soft } else { 0.0 };
    let waves = if far { are_waves(curve, level, next_level) } else { 0.0 };
    let most = GROWTH + waves * (WAVES - GROWTH);
    let is_edges = exceeds(next.thin, most * here.thin, soft);
    if next.flat > SOME { lasts * (1.0 - is_edges) } else { 0.0 }
}

/// How surely, from 0 to 1, thickness grows between two levels because waves are long against the neighbourhoods: not many fewer
/// of these are flat, and farther on thickness grows less. Beyond edges it goes on to grow.
fn are_waves(curve: &[Scale], level: usize, next: usize) -> f64 {
    let (here, wider) = (&curve[level], &curve[next]);
    let lasts = exceeds(wider.flat, KEPT * here.flat, SOFT);
    let many = exceeds(wider.places, WAVE_PLACES, PLACES_SOFT);
    let levels_out = growths(curve, next).map(|growth| 1.0 - exceeds(growth, LEVELLED, SOFT));
    lasts * many * levels_out.fold(0.0, f64::max)
}

/// By what factor thickness grows from one level to the next, from a level on, as long as waves may make it grow so.
fn growths(curve: &[Scale], from: usize) -> impl Iterator<Item = f64> {
    let tells = move |pair: &&[Scale]| pair[1].flat > CLEARED * curve[from].flat;
    let shown = curve[from..].windows(2).take_while(tells);
    shown.map(|pair| pair[1].thin / pair[0].thin).take_while(|&growth| growth <= WAVES)
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

/// The first level above those on which neighbourhoods are slices, as at least so many different wider ones show: of a few, each
/// holds several surfaces.
pub(super) fn slices(curve: &[Scale], steps: usize, places: f64) -> usize {
    let is_slice = |&level: &usize| is_sliced(curve, level, (steps, places));
    (0..curve.len()).take_while(is_slice).count()
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
            && (drawn == Drawn::AsSeen
                || here.strict >= HARDLY_STRICT * exact.strict && here.places >= FEW_PLACES)
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
fn is_sliced(curve: &[Scale], level: usize, (steps, places): (usize, f64)) -> bool {
    let here = curve[level];
    here.flat > SOME
        && (level + 1..curve.len().min(level + 1 + steps)).any(|at| {
            let is_exact = curve[at].thinnest > SLICE * here.thinnest;
            curve[at].places >= places
                && lasts(&curve[at], &here)
                && (is_exact || is_blurred(curve, level, at))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(flat: f64, thickness: f64, turn: f64) -> Scale {
        let (thin, thinnest) = (thickness, thickness);
        let places = 1000.0 * flat;
        Scale { flat, strict: flat, thin, thinnest, turn, points: 0.0, places, floor: 0.0 }
    }

    /// The curve of noise that makes neighbourhoods thicker from level to level.
    fn growing(flat: f64, turn: f64) -> [Scale; 8] {
        std::array::from_fn(|level| of(flat, 1.1f64.powi(level as i32), turn))
    }

    #[test]
    fn surfaces_are_clear_on_the_level_after_a_dip() {
        let of = |flat: [f64; 6], thin: [f64; 6]| {
            clear(&(0..6).map(|level| of(flat[level], thin[level], 0.0)).collect::<Vec<_>>())
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
    fn steps_are_suspected_where_thickness_grows_on_any_fine_level() {
        let scale = |flat, thinnest| of(flat, thinnest, 0.0);
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
        let white = [of(0.8, 1.0, 0.3); 8];
        let plateau = read(&white, Drawn::InSpace, |_| true, |_| false);
        assert!(plateau.level == 0.0 && !plateau.alike);
        let growing = growing(0.8, 0.3);
        assert!(!read(&growing, Drawn::InSpace, |_| true, |_| false).alike);
        // That alone may be edges; the level between turns a little, too, where it is waves.
        let mut hidden = growing;
        hidden[2].turn = 0.7;
        assert!(!read(&hidden, Drawn::InSpace, |_| true, |_| false).alike);
        hidden[1].turn = 0.49;
        let plateau = read(&hidden, Drawn::InSpace, |_| true, |_| false);
        assert!(plateau.level == 3.0 && plateau.alike);
        // There, these are edges.
        hidden[2..].iter_mut().for_each(|s| (s.flat, s.thin) = (0.5, 3.0));
        assert!(!read(&hidden, Drawn::InSpace, |_| true, |_| false).alike);
        // Cells are as wide as the waves, so that thickness grows to that of edges at once.
        let mut wide = growing;
        wide[0].turn = 0.7;
        wide[1..].iter_mut().for_each(|s| (s.flat, s.thin) = (0.5, 3.0));
        let plateau = read(&wide, Drawn::InSpace, |_| true, |_| false);
        assert!(plateau.level == 0.0 && plateau.alike);
    }

    #[test]
    fn the_noise_lies_between_levels_where_a_limit_is_hardly_met() {
        let level = |turn| {
            let mut curve = growing(0.8, 0.3);
            curve[..2].iter_mut().for_each(|s| s.turn = 0.7);
            curve[2].turn = turn;
            read(&curve, Drawn::InSpace, |_| true, |_| false).level
        };
        assert_eq!([level(0.3), level(0.5), level(0.7)], [2.0, 2.5, 3.0]);
        assert!((level(0.501) - level(0.499)).abs() < 0.02);
    }

    #[test]
    fn growth_is_that_of_edges_only_where_they_take_flat_neighbourhoods_away() {
        // Thickness grows by hardly less than edges make it grow.
        let level = |flat| {
            let mut curve = [of(flat, 2.4, 0.3); 8];
            curve[0] = of(0.8, 1.0, 0.9);
            // Too few for waves.
            curve.iter_mut().for_each(|s| s.places = 400.0);
            read(&curve, Drawn::InSpace, |_| true, |_| false).level
        };
        assert_eq!([level(0.8), level(0.77)], [1.0; 2]);
        assert_eq!(level(0.7), 0.5);
    }

    #[test]
    fn waves_that_are_long_against_neighbourhoods_are_climbed() {
        let plateau = |curve: [(f64, f64, f64); 6], places: f64| {
            let curve: Vec<Scale> = curve
                .iter()
                .map(|&(flat, thin, turn)| Scale { places: places * flat, ..of(flat, thin, turn) })
                .collect();
            read(&curve, Drawn::InSpace, |_| false, |_| false)
        };
        // Photogrammetry of a house, with waves of 2 cm that are a third of a metre long.
        let house = [
            (0.54, 585.0, 0.96),
            (0.89, 1524.0, 1.12),
            (0.84, 4290.0, 0.79),
            (0.70, 7460.0, 0.54),
            (0.51, 9452.0, 0.22),
            (0.19, 9712.0, 0.65),
        ];
        let of_house = plateau(house, 8000.0);
        assert!(of_house.alike && (3.0..=4.0).contains(&of_house.level), "{of_house:?}");
        assert!(of_house.waves == 1.0 && (1.0..1.2).contains(&of_house.beyond), "{of_house:?}");
        assert_eq!(of_house.finer(), 2.0);
        assert_eq!(Plateau { waves: 0.5, ..of_house }.finer(), 1.5);
        assert_eq!(Plateau { waves: 0.0, ..of_house }.finer(), 1.0);
        // So few neighbourhoods may hold the folds of a roof.
        let of_few = plateau(house, 500.0);
        assert!(of_few.level <= 1.0 && of_few.waves == 0.0, "{of_few:?}");
        // The sides of boards: wider neighbourhoods hold both, then several boards, and thickness goes on to grow.
        let boards = [
            (0.59, 727.0, 0.38),
            (0.46, 911.0, 0.59),
            (0.46, 1729.0, 0.75),
            (0.47, 6338.0, 0.28),
            (0.22, 28_501.0, 0.15),
            (0.09, 83_922.0, 0.0),
        ];
        let of_boards = plateau(boards, 8000.0);
        assert!(of_boards.level <= 2.0 && of_boards.waves == 0.0, "{of_boards:?}");
    }

    #[test]
    fn waves_emerge_above_levels_where_independent_noise_hides_them() {
        // A room by photogrammetry, with waves of 6 mm and independent noise of 3 mm.
        let room = [
            (0.679, 5709.0, 4901.0, 0.304, 12.0, 5167.0),
            (0.767, 7235.0, 6315.0, 0.176, 41.0, 5832.0),
            (0.656, 9298.0, 8090.0, 0.285, 122.0, 2941.0),
            (0.497, 11_352.0, 10_235.0, 0.425, 355.0, 732.0),
            (0.243, 13_961.0, 12_996.0, 0.0, 1170.0, 117.0),
        ];
        let plateau = |with: &dyn Fn(usize, &mut Scale)| {
            let scale = |(level, &(flat, thin, thinnest, turn, points, places))| {
                let mut scale = Scale { thinnest, points, places, ..of(flat, thin, turn) };
                with(level, &mut scale);
                scale
            };
            let curve: Vec<Scale> = room.iter().enumerate().map(scale).collect();
            read(&curve, Drawn::InSpace, |_| false, |_| false)
        };
        let waving = plateau(&|_, _| ());
        assert!(waving.alike && waving.waves > 0.5, "{waving:?}");
        assert!((1.5..=2.5).contains(&waving.level) && waving.beyond > 1.1, "{waving:?}");
        // Normals that turn as little as independent noise turns them, …
        let white = plateau(&|level, s| s.turn = 0.3 * 0.5f64.powi(level as i32));
        // … thickness that grows as it does at edges, …
        let edges = plateau(&|level, s| s.thin *= [1.0, 1.0, 1.0, 4.0, 12.0][level]);
        // … or stays as it is, …
        let steady = plateau(&|level, s| (s.thin, s.thinnest) = (5709.0 + level as f64, 5700.0));
        // … or only a few wide neighbourhoods that are flat.
        let few = plateau(&|level, s| s.places *= [1.0, 1.0, 1.0, 0.02, 0.02][level]);
        for other in [white, edges, steady, few] {
            assert!(!other.alike && other.level == 0.0 && other.waves == 0.0, "{other:?}");
        }
    }

    #[test]
    fn a_cloud_without_neighbourhoods_has_a_plateau() {
        let plateau = read(&[], Drawn::InSpace, |_| false, |_| false);
        assert!(plateau.level == 0.0 && !plateau.alike && plateau.waves == 0.0, "{plateau:?}");
    }

    #[test]
    fn normals_that_turn_at_edges_do_not_make_noise_correlated() {
        let mut edges = growing(0.01, 0.9);
        edges[0] = of(0.8, 1.0, 0.3);
        assert!(!read(&edges, Drawn::InSpace, |_| true, |_| false).alike);
    }

    #[test]
    fn normals_that_turn_on_curved_surfaces_do_not_make_noise_correlated() {
        // Neighbourhoods on the floor below a vault are as thick at every size.
        let curve = |growth: f64| {
            let scale = |level: i32| of(0.8, growth.powi(level), 0.7);
            read(
                &std::array::from_fn::<_, 8, _>(|l| scale(l as i32)),
                Drawn::InSpace,
                |_| true,
                |_| false,
            )
        };
        let (floor, waves) = (curve(1.01), curve(1.1));
        assert!(floor.level < 1.0 && !floor.alike, "{floor:?}");
        assert!(waves.level == 7.0 && waves.alike, "{waves:?}");
        // So thick are the thinner neighbourhoods of independent noise, with four times as many points from level to level.
        let mut white: Vec<Scale> = (0..8).map(|_| of(0.8, 1.0, 0.7)).collect();
        for (level, s) in white.iter_mut().enumerate() {
            s.points = 20.0 * 4f64.powi(level as i32);
            let thickness = |below: f64| 1.0 - below / (2.0 * (s.points - 3.0)).sqrt();
            (s.thin, s.thinnest) = (thickness(0.674), thickness(1.282));
        }
        assert!(white[1].thinnest > 1.1 * white[0].thinnest);
        assert!(!read(&white, Drawn::InSpace, |_| true, |_| false).alike);
        // Only the widest neighbourhoods are flat.
        let mut last = [of(0.01, 1.0, 0.9); 3];
        last[2].flat = 0.8;
        assert!(!read(&last, Drawn::InSpace, |_| true, |_| false).alike);
    }

    #[test]
    fn correlated_noise_shows_where_independent_noise_is_mixed_in() {
        let read = |growth: f64, turns: [f64; 2]| {
            let turn = |level: usize| if level == 0 { turns[0] } else { turns[1] };
            let scale = |level: usize| of(0.8, growth.powi(level as i32), turn(level));
            read(&std::array::from_fn::<_, 8, _>(scale), Drawn::InSpace, |_| true, |_| false).alike
        };
        assert!(read(1.2, [0.45, 0.45]));
        // Surfaces are hardly thicker, or normals turn on the finest level alone.
        assert!(!read(1.05, [0.45, 0.45]));
        assert!(!read(1.2, [0.49, 0.2]));
    }

    #[test]
    fn what_rounding_hides_is_no_thickening() {
        let scale = |thickness| Scale { floor: 1.0, points: 100.0, ..of(0.8, thickness, 0.7) };
        let by = |next| scale(1.0).thickening(&scale(next));
        assert_eq!([by(1.0), by(1.001)], [1.0; 2]);
        assert!(by(1.5) > 2.0);
    }

    #[test]
    fn a_few_neighbourhoods_do_not_tell_at_which_scale_noise_shows() {
        let level = |places: f64| {
            let mut curve = growing(0.8, 0.7);
            curve.iter_mut().for_each(|s| s.places = places);
            let plateau = read(&curve, Drawn::InSpace, |_| true, |_| false);
            assert!(plateau.alike);
            plateau.level
        };
        assert_eq!([level(50.0), level(800.0)], [0.0, 7.0]);
    }

    #[test]
    fn terraces_of_which_there_are_few_are_no_slices() {
        // Two levels of a roof, which wide neighbourhoods hold both.
        let read = |places: f64| {
            let mut curve = [0, 1, 2, 3, 4].map(|level| of(0.9, [1.0, 100.0][level / 3], 0.3));
            curve[3..].iter_mut().for_each(|s| s.places = places);
            [true, false]
                .map(|parallel| read(&curve, Drawn::InSpace, |_| parallel, |_| false).sliced)
        };
        assert_eq!([read(20.0), read(200.0)], [[false; 2], [true; 2]]);
    }

    #[test]
    fn slices_of_rounded_coordinates_are_told_from_steps_of_depths() {
        // Neighbourhoods above the slices reach over a few of them.
        let mut curve =
            [0, 1, 2, 3, 4].map(|level| of(0.9, [0.01, 1.0][usize::from(level > 1)], 0.3));
        let is_rounded = |curve: &[Scale], rounding| is_rounded(curve, rounding, |_| false);
        assert!(is_rounded(&curve, 0.5) && !is_rounded(&curve, 0.0));
        // Steps of depths are wider.
        curve.iter_mut().for_each(|s| s.thin = s.thin.max(1.0));
        assert!(!is_rounded(&curve, 0.1));
        assert!(read(&curve, Drawn::InSpace, |_| true, |_| false).sliced);
        for s in &mut curve {
            (s.floor, s.thin, s.thinnest) = (0.5, s.thin.max(0.5), s.thinnest.max(0.5));
        }
        let plateau = read(&curve, Drawn::InSpace, |_| true, |_| false);
        assert!(!plateau.sliced && !plateau.alike && plateau.level == 0.0);
    }

    #[test]
    fn a_level_blurred_by_steps_clears_up() {
        let scale = |flat, thin| of(flat, thin, 0.3);
        assert!(clears_up(&[scale(0.4, 1.0), scale(0.5, 1.5)], 0));
        // Hardly more are flat, hardly any are, or they are those of edges; or there is no such level.
        assert!(!clears_up(&[scale(0.4, 1.0), scale(0.45, 1.5)], 0));
        assert!(!clears_up(&[scale(0.01, 1.0), scale(0.015, 1.5)], 0));
        assert!(!clears_up(&[scale(0.4, 1.0), scale(0.5, 3.0)], 0));
        assert!(!clears_up(&[scale(0.4, 1.0)], 0));
    }

    #[test]
    fn slices_of_dense_frames_are_seen_through() {
        let scale = |flat, thickness| of(flat, thickness, 0.2);
        // Neighbourhoods that are as wide as a few steps are hardly ever flat.
        let flat = [0.9, 0.9, 0.8, 0.3, 0.5, 0.6, 0.6, 0.5];
        let curve: Vec<Scale> = flat
            .into_iter()
            .enumerate()
            .map(|(level, flat)| scale(flat, if level < 3 { 1.0 } else { 100.0 }))
            .collect();
        assert_eq!(read(&curve, Drawn::AsSeen, |_| true, |_| false).level, 3.0);
        assert_eq!(read(&curve, Drawn::InSpace, |_| true, |_| false).level, 3.0);
        assert_eq!(read(&curve, Drawn::InSpace, |_| false, |_| false).level, 0.0);
    }

    #[test]
    fn a_wall_of_wide_steps_is_seen_through() {
        let scale = |flat, strict, thin| Scale { strict, ..of(flat, thin, 0.2) };
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
        let plateau = read(&wall, Drawn::InSpace, |_| true, |_| false);
        assert!(plateau.level == 4.0 && plateau.sliced && plateau.alike);
        assert!(!is_rounded(&wall, 1.0, |_| true));
        // One flat level may be so by chance.
        let mut sparse = wall;
        sparse[0] = scale(0.01, 0.0, 1.0);
        assert!(!read(&sparse, Drawn::InSpace, |_| true, |_| false).sliced);
        // Noise that is not exact grows.
        let mut noisy = wall;
        noisy[1] = scale(0.9, 0.9, 1.3);
        assert!(!read(&noisy, Drawn::InSpace, |_| true, |_| false).sliced);
        // Thickness that goes on growing is that of edges.
        wall[6] = scale(0.6, 0.6, 3000.0);
        assert!(!read(&wall, Drawn::InSpace, |_| true, |_| false).sliced);
    }
}
