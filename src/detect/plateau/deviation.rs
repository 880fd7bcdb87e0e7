//! How far whole surfaces deviate from their planes.
//!
//! Where noise is correlated, a whole surface deviates by more than the neighbourhoods on which the noise is read.
//! By how much is unknown in general, as for the drift of a moving scanner. The curve of thickness over size tells it
//! where waves led up to that level and thickness levels out above it, and where normals no longer turn from one
//! level to the next: wider neighbourhoods then hold whole waves. Planes that were found tell it, too.

use super::correlated::{ALIKE, emerging};
use super::curve::{
    CLEARED, FEW_PLACES, PLACES, PLACES_SOFT, SOFT, SOME, Scale, between, exceeds, goes_on,
};

/// Waves that are long against neighbourhoods make them thicker from one level to the next by more than this factor, and more or
/// less where the growth differs from that by less than the second share of it.
const LONG: f64 = 1.8;
const LONG_SOFT: f64 = 0.1;
/// Where thickness levels out, it grows by less than this factor, …
const MUCH: f64 = 2.0;
/// … and above waves so many times less than below, …
const DECLINES: f64 = 1.4;
/// … or, where independent noise hid the waves, by less than this factor. So much it may always grow.
const LITTLE: f64 = 1.5;
/// More or less so where growth differs from these limits by less than this share of them.
const LEVEL_SOFT: f64 = 0.1;
/// Noise is no longer correlated where normals turn by less than this from one level to the next, more or less where the turn
/// differs from that by less than the second share of it. Independent noise leaves 0.1, drift 0.3 to 0.6.
const CALM: f64 = 0.25;
const CALM_SOFT: f64 = 0.3;

/// How far whole surfaces deviate, relative to the thickness of neighbourhoods of a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// What shows above waves that led up to the level.
    above_waves: Told,
    /// What shows where the noise is no longer correlated, on this level or a little above.
    where_calm: Told,
    /// The share of what the curve tells that planes tell; 1 if they tell nothing.
    share: f64,
    /// By how many steps whole surfaces deviate at most, as planes tell.
    most: f64,
}

/// A ratio of thicknesses that a curve tells.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Told {
    /// How surely, from 0 to 1.
    surely: f64,
    /// At least 1.
    ratio: f64,
}

impl Told {
    const NOTHING: Self = Self { surely: 0.0, ratio: 1.0 };

    /// The mean of several ratios, each after its weight, on a logarithmic scale; it is as sure as the sum of the weights.
    fn mean(ratios: impl Iterator<Item = (f64, f64)>) -> Self {
        let (mut surely, mut growth) = (0.0, 0.0);
        for (weight, ratio) in ratios.filter(|&(weight, ratio)| weight > 0.0 && ratio > 0.0) {
            surely += weight;
            growth += weight * ratio.ln();
        }
        if surely > 0.0 {
            Self { surely, ratio: (growth / surely).exp().max(1.0) }
        } else {
            Self::NOTHING
        }
    }
}

impl Deviation {
    /// A curve tells nothing of it.
    pub const UNKNOWN: Self = Self {
        above_waves: Told::NOTHING,
        where_calm: Told::NOTHING,
        share: 1.0,
        most: f64::INFINITY,
    };

    /// What a curve tells above a level at which noise is read.
    pub(super) fn read(curve: &[Scale], level: f64) -> Self {
        let here = between(level, |level| Some(curve.get(level)?.thin));
        let Some(here) = here.filter(|&here| here > 0.0) else { return Self::UNKNOWN };
        let waves = waves_below(curve, level);
        Self {
            above_waves: from_level(level, |from| levelled_from(curve, from, here, waves)),
            where_calm: from_level(level, |from| calm_from(curve, from, here)),
            ..Self::UNKNOWN
        }
    }

    /// The same where planes tell that whole surfaces deviate by this share of what was read, so many `steps`.
    pub fn told_by_planes(self, share: f64, steps: f64) -> Self {
        Self { share, most: steps, ..self }
    }

    /// Whether planes told it.
    pub fn is_told_by_planes(&self) -> bool {
        self.share < 1.0
    }

    /// How far whole surfaces deviate at most, in steps. On finer cells neighbourhoods may show more, while planes tell the same.
    pub fn most(&self) -> f64 {
        self.most
    }

    /// How surely, from 0 to 1, the ratio is known. Where planes make it half as large or less, it is known from them.
    pub fn known(&self) -> f64 {
        let half = (-self.share.log2()).min(1.0);
        let surely = [self.where_calm.surely, self.above_waves.surely, half];
        1.0 - surely.iter().map(|surely| 1.0 - surely).product::<f64>()
    }

    /// The ratio: at most `unknown`, which is also that of noise of which nothing is told.
    pub fn ratio(&self, unknown: f64) -> f64 {
        let curve = [self.where_calm, self.above_waves].iter().fold(unknown, |otherwise, told| {
            otherwise.powf(1.0 - told.surely) * told.ratio.min(unknown).powf(told.surely)
        });
        self.share * curve
    }
}

/// What a curve tells from a level on, at which neighbourhoods are as thick as `here`. Between two levels it is what it tells from
/// either on, as far as the level is near.
fn from_level(level: f64, told: impl Fn(usize) -> Told) -> Told {
    let [low, high] = [level.floor(), level.ceil()].map(|from| told(from as usize));
    let near = [(1.0 - level.fract(), low), (level.fract(), high)];
    Told::mean(near.into_iter().map(|(share, told)| (share * told.surely, told.ratio)))
}

/// How surely, from 0 to 1, waves lead up to a level: such as are long against the finest neighbourhoods, and such as independent
/// noise hides there.
fn waves_below(curve: &[Scale], level: f64) -> [f64; 2] {
    let shown = (0..level.ceil() as usize).filter(|&l| curve[l].flat > SOME);
    shown.fold([0.0; 2], |[long, hidden], l| {
        let (here, next) = (&curve[l], &curve[l + 1]);
        // Waves that turn normals at once are not hidden.
        let emerging = (1.0 - exceeds(here.turn, ALIKE, SOFT)) * emerging(curve, l);
        [exceeds(next.thin, LONG * here.thin, LONG_SOFT).max(long), emerging.max(hidden)]
    })
}

/// What shows where thickness levels out, on a level or above it, if waves led up there as surely as `waves` say.
fn levelled_from(curve: &[Scale], from: usize, here: f64, waves: [f64; 2]) -> Told {
    Told::mean((from..curve.len()).scan(1.0, |open, at| {
        let levels_on = levels_on(curve, from, at);
        let told = *open * (1.0 - levels_on) * has_levelled(curve, at, waves);
        *open *= levels_on;
        Some((told, curve[at].thin / here))
    }))
}

/// The factor by which thickness grows to a level from the one below.
fn growth_to(curve: &[Scale], level: usize) -> Option<f64> {
    let [finer, level] = [level.checked_sub(1)?, level].map(|level| curve.get(level));
    Some(finer?.growth(level?))
}

/// How surely, from 0 to 1, thickness levels out farther above a level. Above edges it grows much again.
fn levels_on(curve: &[Scale], from: usize, at: usize) -> f64 {
    let Some(next) = growth_to(curve, at + 1) else { return 0.0 };
    let most = growth_to(curve, at).map_or(MUCH, |last| last.clamp(LITTLE, MUCH));
    let lasts = exceeds(curve[at + 1].flat, CLEARED * curve[from].flat, SOFT);
    lasts * (1.0 - exceeds(next, most, LEVEL_SOFT))
}

/// How surely, from 0 to 1, thickness has levelled out on a level to which waves led up.
fn has_levelled(curve: &[Scale], at: usize, [long, hidden]: [f64; 2]) -> f64 {
    let Some(last) = growth_to(curve, at) else { return 0.0 };
    let shown = (1..=at).filter(|&to| curve[to - 1].flat > SOME);
    let most = shown.filter_map(|to| growth_to(curve, to)).fold(0.0, f64::max);
    // Thickness that goes on to grow as before is that of drift.
    let declines = exceeds(most, DECLINES * last, LEVEL_SOFT) * (1.0 - exceeds(last, MUCH, SOFT));
    (long * declines).max(hidden * (1.0 - exceeds(last, LITTLE, SOFT)))
}

/// What shows where normals no longer turn on this level or on wider ones, as long as every level shows the surfaces of the one
/// before.
fn calm_from(curve: &[Scale], from: usize, here: f64) -> Told {
    Told::mean((from..curve.len().saturating_sub(1)).scan(1.0, |open, level| {
        let (s, next) = (&curve[level], &curve[level + 1]);
        let places = exceeds(s.places, PLACES, PLACES_SOFT);
        let shown = places * exceeds(next.places, FEW_PLACES, PLACES_SOFT);
        let calm = *open * shown * (1.0 - exceeds(s.turn, CALM, CALM_SOFT));
        *open = (*open - calm) * goes_on(curve, [level, level + 1], true, SOFT);
        Some((calm, s.thin / here))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Deviation {
        /// What shows above waves.
        pub fn above_waves(surely: f64, ratio: f64) -> Self {
            Self { above_waves: Told { surely, ratio }, ..Self::UNKNOWN }
        }
    }

    /// A façade by photogrammetry, with waves of 2 cm that are a metre long and independent noise of a third of that; the level
    /// of the noise is 3.
    fn facade(with: impl Fn(usize, &mut Scale)) -> Vec<Scale> {
        let shown = [
            (0.863, 2992.0, 0.397, 6652.0),
            (0.844, 3904.0, 0.688, 6507.0),
            (0.711, 6878.0, 0.698, 4698.0),
            (0.743, 11_580.0, 0.154, 1547.0),
            (0.588, 21_424.0, 0.096, 388.0),
            (0.375, 61_195.0, 0.029, 92.0),
            (0.0, 0.0, 0.0, 0.0),
            (0.0, 0.0, 0.0, 0.0),
        ];
        let scale = |(level, &(flat, thin, turn, places))| {
            let mut scale = Scale { places, ..Scale::of(flat, thin, turn) };
            with(level, &mut scale);
            scale
        };
        shown.iter().enumerate().map(scale).collect()
    }

    #[test]
    fn whole_surfaces_deviate_as_neighbourhoods_do_where_normals_no_longer_turn() {
        let ratio = |curve: &[Scale], level| {
            let deviation = Deviation::read(curve, level);
            Deviation { above_waves: Told::NOTHING, ..deviation }.ratio(2.5)
        };
        let curve = facade(|_, _| ());
        assert_eq!(ratio(&curve, 3.0), 1.0);
        // From a level below, thickness grows up to there.
        let from_below = ratio(&curve, 2.5);
        assert!((1.2..1.4).contains(&from_below), "{from_below}");
        // Nearly the same level tells nearly the same of the same surfaces.
        let thickness =
            |level| between(level, |l| Some(curve[l].thin)).unwrap() * ratio(&curve, level);
        for quarter in 8..16 {
            let [here, next] = [quarter, quarter + 1].map(|q| thickness(0.25 * f64::from(q)));
            assert!((0.7..1.4).contains(&(next / here)), "{quarter}: {here} {next}");
        }
        // Normals go on to turn, as with drift, …
        assert_eq!(ratio(&facade(|_, s| s.turn = s.turn.max(0.4)), 3.0), 2.5);
        // … or too few neighbourhoods show that they do not, …
        assert_eq!(ratio(&facade(|_, s| s.places = 20.0), 3.0), 2.5);
        // … or edges leave few of them flat.
        let edges = facade(|level, s| s.flat *= if level < 3 { 1.0 } else { 0.3 });
        assert_eq!([&curve, &edges].map(|curve| ratio(curve, 2.0) < 2.5), [true, false]);
        // Nearly the same curve tells nearly the same.
        let turns = |turn| ratio(&facade(|_, s| s.turn = turn), 3.0);
        assert!(1.0 < turns(0.249) && (turns(0.251) - turns(0.249)).abs() < 0.02);
        assert!(turns(0.251) < 2.5);
    }

    #[test]
    fn waves_level_out_and_drift_does_not() {
        let told = |shown: &[(f64, f64, f64)], level: f64| {
            let scale = |&(flat, thin, turn)| Scale {
                places: 5000.0,
                points: 100.0,
                ..Scale::of(flat, thin, turn)
            };
            let curve: Vec<Scale> = shown.iter().map(scale).collect();
            Deviation::read(&curve, level).above_waves
        };
        // Photogrammetry of a room, with waves of half a metre; the widest neighbourhoods reach over edges.
        let room = [
            (0.722, 922.0, 0.838),
            (0.704, 1888.0, 0.808),
            (0.553, 3803.0, 0.555),
            (0.336, 5214.0, 0.972),
            (0.145, 19_209.0, 3.521),
        ];
        let Told { surely, ratio } = told(&room, 3.0);
        assert!(surely > 0.8 && ratio == 1.0, "{surely} {ratio}");
        // What is read a level below deviates by what shows above.
        let Told { surely, ratio } = told(&room, 2.0);
        assert!(surely > 0.8 && (ratio - 5214.0 / 3803.0).abs() < 1e-9, "{surely} {ratio}");
        // An office whose scanner drifts: thickness grows from level to level by nearly the same factor.
        let office = [
            (0.579, 1850.0, 1.145),
            (0.524, 3752.0, 0.704),
            (0.368, 5920.0, 0.536),
            (0.242, 9965.0, 0.751),
            (0.146, 28_489.0, 0.565),
        ];
        assert!(told(&office, 3.0).surely < 0.05);
        // Thickness that has not levelled out tells nothing, …
        let mut rising = room;
        rising[3].1 = 7600.0;
        assert!(told(&rising, 3.0).surely < 0.05);
        // … and without waves below there is nothing to tell.
        assert_eq!(told(&room.map(|(flat, _, turn)| (flat, 900.0, turn)), 3.0), Told::NOTHING);
    }

    #[test]
    fn nearly_the_same_growth_tells_nearly_the_same() {
        let ratio = |growths: [f64; 5], level: f64| {
            let mut thin = 100.0;
            let mut curve = vec![Scale::of(0.8, thin, 1.0)];
            curve.extend(growths.map(|growth| {
                thin *= growth;
                Scale::of(0.8, thin, 1.0)
            }));
            Deviation::read(&curve, level).ratio(2.5)
        };
        let changes = |growths: &dyn Fn(f64) -> [f64; 5], level: f64| {
            let ratios = (0..200).map(|k| ratio(growths(1.2 + 0.005 * f64::from(k)), level));
            let ratios: Vec<f64> = ratios.collect();
            ratios.windows(2).map(|pair| (pair[1] / pair[0]).ln().abs()).fold(0.0, f64::max)
        };
        for level in [2.0, 2.4, 2.6, 3.0] {
            assert!(changes(&|g| [3.0, 3.0, g, 1.3, 1.1], level) < 0.05, "{level}");
            assert!(changes(&|g| [3.0, 3.0, 1.8, g, 1.5], level) < 0.05, "{level}");
            assert!(changes(&|g| [2.0, 2.0, 1.1, g, 3.0], level) < 0.05, "{level}");
        }
        // Thickness that does not level out is unknown, whatever it did below.
        assert_eq!(ratio([3.6, 3.6, 2.6, 3.0, 3.0], 3.0), 2.5);
    }

    #[test]
    fn what_two_signs_tell_is_blended_by_how_surely_they_tell_it() {
        let told = |surely, ratio| Told { surely, ratio };
        let both =
            |where_calm, above_waves| Deviation { where_calm, above_waves, ..Deviation::UNKNOWN };
        let of = |where_calm, above_waves| both(where_calm, above_waves).ratio(4.0);
        assert_eq!(of(Told::NOTHING, Told::NOTHING), 4.0);
        assert_eq!(of(told(0.5, 1.0), Told::NOTHING), 2.0);
        assert_eq!(of(Told::NOTHING, told(0.5, 1.0)), 2.0);
        assert_eq!(Deviation::above_waves(1.0, 2.0).ratio(4.0), 2.0);
        assert_eq!(of(told(1.0, 1.0), told(1.0, 2.0)), 2.0);
        let half = both(told(0.5, 1.0), told(0.5, 1.0));
        assert_eq!((half.known(), half.ratio(16.0)), (0.75, 2.0));
        // Nothing deviates by more than what is unknown.
        assert_eq!(of(told(1.0, 9.0), Told::NOTHING), 4.0);
    }

    #[test]
    fn surfaces_deviate_by_what_planes_tell_at_most() {
        let told = |share| Deviation::UNKNOWN.told_by_planes(share, 7.0);
        assert!(told(0.9).is_told_by_planes() && !Deviation::UNKNOWN.is_told_by_planes());
        assert_eq!([1.0, 0.5, 0.1].map(|share| told(share).known()), [0.0, 1.0, 1.0]);
        assert!((told(0.5f64.sqrt()).known() - 0.5).abs() < 1e-12);
        assert_eq!(Deviation::above_waves(1.0, 1.2).told_by_planes(0.9, 7.0).known(), 1.0);
        // By as much as the curve tells.
        assert_eq!(
            [told(1.0), told(0.8)].map(|of| (of.ratio(2.5), of.most())),
            [(2.5, 7.0), (2.0, 7.0)]
        );
        assert_eq!(Deviation::UNKNOWN.most(), f64::INFINITY);
    }

    #[test]
    fn a_curve_without_thickness_tells_nothing() {
        let flat = [Scale::of(0.9, 0.0, 0.0); 8];
        assert_eq!(Deviation::read(&flat, 1.0), Deviation::UNKNOWN);
        assert_eq!(Deviation::read(&[], 0.0), Deviation::UNKNOWN);
    }
}
