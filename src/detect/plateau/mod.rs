//! Where the curve of thickness over size levels out.
//!
//! The thickness of a neighbourhood depends on its size. With noise that is independent from point to point,
//! it is the same at every size. Depth cameras and rounded coordinates give exact slices: almost no thickness
//! within a slice, and a step a little farther on. The noise of a moving scanner is correlated between nearby
//! points, so thickness grows until the neighbourhood is larger than that correlation. The noise is therefore
//! read where the curve levels out, and no surface is judged at a smaller scale.

mod correlated;
pub(super) mod curve;
mod deviation;
pub(super) mod landscape;
pub(super) mod slices;

pub(super) use deviation::Deviation;

use super::drawn::Drawn;
use correlated::likeness;
use curve::{FEW_PLACES, PLACES, PLACES_SOFT, SOFT, SOME, Scale, exceeds, goes_on};
use landscape::{is_landscape, is_sheet};
use slices::{SLICE, STEPS, STEPS_SEEN, beyond_steps, clear, is_stepped, slices};

/// In the camera's view, and above slices, the noise is no longer correlated where thickness grows by less than this factor.
const STEADY: f64 = 1.1;
/// Thickness that grows by less than this factor from level to level may be that of independent noise, to which strays add a little, …
const SLOW: f64 = 1.3;
/// … if it does so this many times.
const SLOW_LEVELS: usize = 2;
/// Scales between two levels.
const STEPS_OF_LEVEL: f64 = 4.0;
/// The searched cells are this many levels finer than the level at which the noise shows.
const FINER: f64 = 1.0;
/// The same where it is known how far surfaces deviate, as from waves that led up to that level or end there.
const FINER_BELOW_WAVES: f64 = 4.0;

/// Where the curve of thickness over size levels out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
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
    /// Whether this is a landscape: its hills make neighbourhoods thicker the wider they are, as waves do. The noise is read at the finest
    /// level, and may still be that of neighbours alike: then wider levels are tried, too.
    pub landscape: bool,
    /// Whether nearly everything lies in one sheet, as on roads and terrain. Only there the roughness of places tells kinds of surface:
    /// elsewhere edges make narrow faces look rough.
    pub sheet: bool,
    /// Whether what looks like slices are pieces of a few faces, of which wider neighbourhoods hold several.
    pub facets: bool,
    /// Whether the finest levels show nearly the same thickness: independent noise, perhaps, below steps and ridges that look like waves.
    pub levelled: bool,
    /// The first level on which wide neighbourhoods are flat again where narrower ones, which may reach over a step or two,
    /// are not.
    pub clear: Option<usize>,
    /// How far whole surfaces deviate, relative to what neighbourhoods of this level show.
    pub deviation: Deviation,
}

impl Plateau {
    /// Levels by which the searched cells are finer: a small surface is then seen by more cells, and the
    /// noise is still that of the plateau.
    pub fn finer(&self) -> f64 {
        self.level.min(in_steps(FINER + self.deviation.known() * (FINER_BELOW_WAVES - FINER)))
    }

    /// Whether neighbours share their noise in space, and not because their coordinates come in slices.
    pub fn is_of_waves(&self) -> bool {
        self.alike && !self.sliced && self.drawn == Drawn::InSpace
    }

    /// The same where the noise is read on this level, and nothing else is told of it.
    pub fn at(self, level: f64) -> Self {
        Self { level, alike: true, deviation: Deviation::UNKNOWN, ..self }
    }

    /// The same where the noise is taken for independent.
    pub fn white(self) -> Self {
        Self { level: 0.0, alike: false, deviation: Deviation::UNKNOWN, ..self }
    }

    /// How many times wider the cells shall be.
    pub fn widening(&self) -> f64 {
        (self.level - self.finer()).exp2()
    }
}

/// Where a curve levels out. On a finest level that shows facets, for which `shows_facets` is asked, nothing is a slice.
pub fn read(
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
    above(curve, drawn, first, (stepped, facets))
}

/// The same for a curve whose fine levels only look like slices.
pub fn unsliced(curve: &[Scale], plateau: Plateau) -> Plateau {
    above(curve, plateau.drawn, 0, (plateau.stepped, plateau.facets))
}

/// Where a curve levels out above its slices, which end at the level `first`.
fn above(curve: &[Scale], drawn: Drawn, first: usize, (stepped, facets): (bool, bool)) -> Plateau {
    // Where almost nothing is flat, the correlation between neighbours is unknown.
    let told = (first..curve.len()).find(|&l| curve[l].flat > SOME).unwrap_or(first);
    // Steps turn normals as waves do.
    let far = drawn == Drawn::InSpace && first == 0;
    let soft = if drawn == Drawn::AsSeen { 0.0 } else { SOFT };
    let climbed = climb(curve, told, far, soft);
    let reached = if climbed > told as f64 { climbed } else { first as f64 };
    let alike = first > 0 || likeness(curve, told, far, soft) >= 0.5;
    let landscape = far && is_landscape(curve);
    let level = if alike && !landscape { in_steps(reached) } else { 0.0 };
    let (sliced, clear) = (first > 0, clear(curve));
    let is_told = far && alike && !landscape;
    let deviation = if is_told { Deviation::read(curve, level) } else { Deviation::UNKNOWN };
    let levelled = is_levelled(&curve[told.min(curve.len())..]);
    let sheet = far && is_sheet(curve);
    Plateau {
        level,
        sliced,
        alike,
        drawn,
        stepped,
        landscape,
        sheet,
        facets,
        levelled,
        clear,
        deviation,
    }
}

/// Whether neighbourhoods of the first levels of a curve are nearly equally thick.
fn is_levelled(curve: &[Scale]) -> bool {
    let steady = curve.windows(2).take_while(|pair| pair[0].growth(&pair[1]) < SLOW);
    steady.count() >= SLOW_LEVELS
}

/// In steps, so that a hair's breadth does not move every cell.
fn in_steps(level: f64) -> f64 {
    (STEPS_OF_LEVEL * level).round() / STEPS_OF_LEVEL
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

#[cfg(test)]
mod tests {
    use super::slices::is_rounded;
    use super::*;

    /// The curve of noise that makes neighbourhoods thicker from level to level.
    fn growing(flat: f64, turn: f64) -> [Scale; 8] {
        std::array::from_fn(|level| Scale::of(flat, 1.1f64.powi(level as i32), turn))
    }

    #[test]
    fn correlated_noise_is_told_where_independent_noise_hides_it() {
        let white = [Scale::of(0.8, 1.0, 0.3); 8];
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
            let mut curve = [Scale::of(flat, 2.4, 0.3); 8];
            curve[0] = Scale::of(0.8, 1.0, 0.9);
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
                .map(|&(flat, thin, turn)| Scale {
                    places: places * flat,
                    ..Scale::of(flat, thin, turn)
                })
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
        let Plateau { deviation, .. } = of_house;
        assert!(deviation.known() == 1.0 && (1.0..1.2).contains(&deviation.ratio(9.0)));
        assert_eq!(of_house.finer(), of_house.level);
        let with = |waves| Plateau { deviation: Deviation::above_waves(waves, 1.0), ..of_house };
        assert_eq!([0.5, 0.0].map(|waves| with(waves).finer()), [2.5, 1.0]);
        // So few neighbourhoods may hold the folds of a roof.
        let of_few = plateau(house, 500.0);
        assert!(of_few.level <= 1.0 && of_few.deviation.known() == 0.0, "{of_few:?}");
        // A street between stations that are tilted: kerbs make wide neighbourhoods thicker, but turn their normals less than waves.
        let street = |turn| {
            let street = [
                (0.24, 1122.0, 0.3),
                (0.85, 2020.0, 0.5),
                (0.93, 3636.0, turn),
                (0.88, 14_544.0, 0.6),
                (0.72, 39_269.0, 0.2),
                (0.37, 74_611.0, 0.1),
            ];
            plateau(street, 8000.0).level
        };
        assert!(street(0.6) <= 1.0 && street(1.2) > street(0.6), "{} {}", street(0.6), street(1.2));
        // Smooth waves, much longer than the finest neighbourhoods, which have few points.
        let smooth = [
            (0.832, 38.0, 1.193, 11.0),
            (0.823, 180.0, 1.166, 48.0),
            (0.789, 700.0, 0.948, 208.0),
            (0.622, 1500.0, 0.423, 802.0),
            (0.411, 1800.0, 0.108, 3300.0),
        ];
        let scale = |(flat, thin, turn, points)| Scale {
            places: 8000.0 * flat,
            points,
            ..Scale::of(flat, thin, turn)
        };
        let smooth = read(&smooth.map(scale), Drawn::InSpace, |_| false, |_| false);
        assert!(smooth.alike && smooth.level >= 3.0, "{smooth:?}");
        assert!(smooth.deviation.known() > 0.9, "{smooth:?}");
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
        assert!(of_boards.level <= 2.0 && of_boards.deviation.known() == 0.0, "{of_boards:?}");
    }

    #[test]
    fn hills_are_steeper_than_waves() {
        // Hills of 7 m that are 60 m long, with independent noise of 2 cm: the widest neighbourhoods hold several hills, and look
        // flat again.
        let hills = [
            (0.947, 0.946, 910.0, 0.925, 12.0, 7317.0),
            (1.0, 0.874, 3489.0, 1.039, 50.0, 7726.0),
            (0.998, 0.217, 14_033.0, 1.304, 214.0, 4581.0),
            (0.705, 0.0, 43_219.0, 1.4, 731.0, 945.0),
            (0.813, 0.0, 107_016.0, 0.138, 3279.0, 364.0),
            (0.966, 0.209, 111_616.0, 0.048, 6931.0, 78.0),
            (1.0, 0.934, 113_064.0, 0.016, 24_538.0, 25.0),
            (1.0, 1.0, 113_385.0, 0.0, 57_841.0, 9.0),
        ];
        let level = |low: f64| {
            let scale = |(flat, strict, thin, turn, points, places)| Scale {
                strict: f64::max(strict, low * flat),
                points,
                places,
                ..Scale::of(flat, thin, turn)
            };
            read(&hills.map(scale), Drawn::InSpace, |_| false, |_| false).level
        };
        assert!(level(0.0) == 0.0 && level(0.8) > 2.0, "{} {}", level(0.0), level(0.8));
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
                let mut scale = Scale { thinnest, points, places, ..Scale::of(flat, thin, turn) };
                with(level, &mut scale);
                scale
            };
            let curve: Vec<Scale> = room.iter().enumerate().map(scale).collect();
            read(&curve, Drawn::InSpace, |_| false, |_| false)
        };
        let waving = plateau(&|_, _| ());
        assert!(waving.alike && waving.deviation.known() > 0.5, "{waving:?}");
        assert!((1.5..=2.5).contains(&waving.level), "{waving:?}");
        assert!(waving.deviation.ratio(9.0) > 1.1, "{waving:?}");
        // Normals that turn as little as independent noise turns them, …
        let white = plateau(&|level, s| s.turn = 0.3 * 0.5f64.powi(level as i32));
        // … thickness that grows as it does at edges, …
        let edges = plateau(&|level, s| s.thin *= [1.0, 1.0, 1.0, 4.0, 12.0][level]);
        // … or stays as it is, …
        let steady = plateau(&|level, s| (s.thin, s.thinnest) = (5709.0 + level as f64, 5700.0));
        // … or only a few wide neighbourhoods that are flat.
        let few = plateau(&|level, s| s.places *= [1.0, 1.0, 1.0, 0.02, 0.02][level]);
        for other in [white, edges, steady, few] {
            assert!(
                !other.alike && other.level == 0.0 && other.deviation == Deviation::UNKNOWN,
                "{other:?}"
            );
        }
    }

    #[test]
    fn gentle_ground_is_not_taken_for_waves() {
        // Hills of 1.5 m that are 150 m long, with independent noise of 2 cm, on a larger piece of ground.
        let ground = [
            (0.860, 1103.0, 943.0, 0.302, 11.0, 6847.0, 0.041),
            (0.985, 1225.0, 1151.0, 0.156, 44.0, 7848.0, 0.020),
            (0.989, 1283.0, 1246.0, 0.105, 187.0, 4542.0, 0.010),
            (0.994, 1357.0, 1318.0, 0.258, 651.0, 1300.0, 0.006),
            (0.999, 1945.0, 1697.0, 0.712, 2384.0, 411.0, 0.004),
            (1.0, 4309.0, 3039.0, 1.297, 6915.0, 160.0, 0.006),
            (1.0, 10_248.0, 6781.0, 0.983, 19_155.0, 60.0, 0.008),
            (1.0, 22_378.0, 19_687.0, 0.0, 56_368.0, 9.0, 0.010),
        ];
        // On levels from the fifth on, thickness is that many times as large.
        let plateau = |thinner: [f64; 3], wide: f64| {
            let mut curve = ground.map(|(flat, thin, thinnest, turn, points, places, rise)| {
                Scale { thinnest, points, places, rise, ..Scale::of(flat, thin, turn) }
            });
            for (s, times) in curve[5..].iter_mut().zip(thinner) {
                (s.thin, s.thinnest, s.flat) = (times * s.thin, times * s.thinnest, wide * s.flat);
            }
            read(&curve, Drawn::InSpace, |_| false, |_| false)
        };
        let gentle = plateau([1.0; 3], 1.0);
        assert!(gentle.level == 0.0 && !gentle.alike, "{gentle:?}");
        // Waves level out, and where there are several surfaces edges hide whether they do.
        let [waves, edges] = [plateau([1.1, 0.5, 0.25], 1.0), plateau([1.0; 3], 0.6)];
        assert!(waves.alike && edges.alike, "{waves:?} {edges:?}");
    }

    #[test]
    fn steps_above_independent_noise_leave_it_possible() {
        // A crowned road with kerbs: thickness stays the same up to the third level, and then grows.
        let road = |fine: f64| {
            let thin = [2179.0 / fine, 2448.0, 2543.0, 2593.0, 4277.0, 8857.0, 11_950.0, 14_413.0];
            let turn = [0.31, 0.17, 0.12, 0.81, 0.77, 0.66, 0.5, 0.0];
            let scale = |l: usize| Scale {
                places: [6500.0, 7600.0, 6600.0, 2000.0, 700.0, 115.0, 40.0, 12.0][l],
                points: 11.0 * 4f64.powi(l as i32),
                ..Scale::of(1.0, thin[l], turn[l])
            };
            let curve: [Scale; 8] = std::array::from_fn(scale);
            read(&curve, Drawn::InSpace, |_| false, |_| false)
        };
        let steps = road(1.0);
        assert!(steps.alike && steps.levelled, "{steps:?}");
        let white = steps.white();
        assert!(!white.is_of_waves() && white.level == 0.0 && white.finer() == 0.0);
        // Thickness that grows from the finest level on.
        assert!(!road(1.4).levelled);
    }

    #[test]
    fn strips_that_lie_apart_are_not_taken_for_waves() {
        let alike = |thin: [f64; 6]| {
            let turn = [0.25, 0.13, 0.12, 0.35, 0.46, 0.5];
            let scale = |level: usize| Scale {
                places: 6000.0,
                points: 15.0 * 4f64.powi(level as i32),
                ..Scale::of(0.8, thin[level], turn[level])
            };
            let curve: [Scale; 6] = std::array::from_fn(scale);
            read(&curve, Drawn::InSpace, |_| false, |_| false).alike
        };
        // A street from the air, in two strips, and waves that are as long and much higher.
        assert!(!alike([2022.0, 2145.0, 2369.0, 2904.0, 4924.0, 5150.0]));
        assert!(alike([2022.0, 2145.0, 2500.0, 4500.0, 9924.0, 12_150.0]));
    }

    #[test]
    fn a_cloud_without_neighbourhoods_has_a_plateau() {
        let plateau = read(&[], Drawn::InSpace, |_| false, |_| false);
        assert!(plateau.level == 0.0 && !plateau.alike && plateau.deviation == Deviation::UNKNOWN);
    }

    #[test]
    fn normals_that_turn_at_edges_do_not_make_noise_correlated() {
        let mut edges = growing(0.01, 0.9);
        edges[0] = Scale::of(0.8, 1.0, 0.3);
        assert!(!read(&edges, Drawn::InSpace, |_| true, |_| false).alike);
    }

    #[test]
    fn normals_that_turn_on_curved_surfaces_do_not_make_noise_correlated() {
        // Neighbourhoods on the floor below a vault are as thick at every size.
        let curve = |growth: f64| {
            let scale = |level: i32| Scale::of(0.8, growth.powi(level), 0.7);
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
        let mut white: Vec<Scale> = (0..8).map(|_| Scale::of(0.8, 1.0, 0.7)).collect();
        for (level, s) in white.iter_mut().enumerate() {
            s.points = 20.0 * 4f64.powi(level as i32);
            let thickness = |below: f64| 1.0 - below / (2.0 * (s.points - 3.0)).sqrt();
            (s.thin, s.thinnest) = (thickness(0.674), thickness(1.282));
        }
        assert!(white[1].thinnest > 1.1 * white[0].thinnest);
        assert!(!read(&white, Drawn::InSpace, |_| true, |_| false).alike);
        // Only the widest neighbourhoods are flat.
        let mut last = [Scale::of(0.01, 1.0, 0.9); 3];
        last[2].flat = 0.8;
        assert!(!read(&last, Drawn::InSpace, |_| true, |_| false).alike);
    }

    #[test]
    fn correlated_noise_shows_where_independent_noise_is_mixed_in() {
        let read = |growth: f64, turns: [f64; 2]| {
            let turn = |level: usize| if level == 0 { turns[0] } else { turns[1] };
            let scale = |level: usize| Scale::of(0.8, growth.powi(level as i32), turn(level));
            read(&std::array::from_fn::<_, 8, _>(scale), Drawn::InSpace, |_| true, |_| false).alike
        };
        assert!(read(1.2, [0.45, 0.45]));
        // Surfaces are hardly thicker, or normals turn on the finest level alone.
        assert!(!read(1.05, [0.45, 0.45]));
        assert!(!read(1.2, [0.49, 0.2]));
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
            let mut curve =
                [0, 1, 2, 3, 4].map(|level| Scale::of(0.9, [1.0, 100.0][level / 3], 0.3));
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
            [0, 1, 2, 3, 4].map(|level| Scale::of(0.9, [0.01, 1.0][usize::from(level > 1)], 0.3));
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
    fn slices_of_dense_frames_are_seen_through() {
        let scale = |flat, thickness| Scale::of(flat, thickness, 0.2);
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
        let scale = |flat, strict, thin| Scale { strict, ..Scale::of(flat, thin, 0.2) };
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
        // So does that of a landscape, which is level from far enough away.
        let terrain = [
            scale(0.61, 0.49, 425.0),
            scale(0.62, 0.51, 478.0),
            scale(0.57, 0.46, 535.0),
            scale(0.51, 0.37, 586.0),
            scale(0.57, 0.27, 690.0),
            scale(0.70, 0.19, 38_462.0),
            scale(0.95, 0.05, 55_000.0),
            scale(1.0, 0.0, 70_000.0),
        ];
        let of = |curve: &[Scale]| read(curve, Drawn::InSpace, |_| true, |_| false);
        assert!(!of(&terrain).sliced);
        let mut exact = terrain;
        exact[1..5].iter_mut().for_each(|s| (s.thin, s.thinnest) = (425.0, 425.0));
        assert!(of(&exact).sliced);
        // Thickness that goes on growing is that of edges.
        wall[6] = scale(0.6, 0.6, 3000.0);
        assert!(!read(&wall, Drawn::InSpace, |_| true, |_| false).sliced);
    }
}
