//! The noise from place to place.
//!
//! The noise of a scanner grows with the range and the angle of incidence, that of a moving scanner with its
//! drift, and that of a depth camera with the square of the range. So the noise is measured region by region,
//! and every limit that is a multiple of the noise follows it.

use super::depth_steps::DepthSteps;
use super::drawn::Drawn;
use super::noise::{self, Sample, View, noise, usual_of};
use super::plateau::Plateau;
use super::plateau::slices::{STEPS, slices};
use super::roughness;
use super::sheets::is_layered;
use crate::surface::blocks::Finder;
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::{FLAT, Flatness};
use crate::surface::noise_field::NoiseField;
use crate::surface::quantile::weighted_quantile;
use rayon::prelude::*;

/// For noise that shows at the finest scale: most neighbourhoods examined in each cell of the regions' level.
const EACH: usize = 16;
/// Regions are cells of this level at least: on a surface, such a cell holds [`EACH`] base cells.
const SMALLEST: usize = 2;
/// They are of the finest level on which at most this many neighbourhoods are examined, or else of the coarsest; the
/// next finer level may have eight times as many.
const MOST: usize = 100_000;
/// Fewest flat neighbourhoods from which the noise of a region is read, …
const FEWEST: usize = 16;
/// … and their least share.
const SHARE: f64 = 0.15;
/// Where too few are flat, as in sparse places, regions half as wide are looked at instead, then larger ones,
/// each twice as wide as the one before.
const OTHER_REGIONS: [isize; 3] = [-1, 1, 2];
/// What is more than this many times as thick as usual is a tree, a heap, an edge or two surfaces.
const CAP: f64 = 8.0;
/// A neighbourhood so many times thicker than usual may hold two layers, such as the sides of a board.
const THICK: f64 = 2.0;
/// White noise is the same everywhere if in the rough places it is less than this many times the usual one.
const EVEN_WHITE: f64 = 1.4;

/// For noise that shows at a coarser scale: fewest neighbourhoods of a region.
const IN_REGION: usize = 64;
/// Share of a region's neighbourhoods that must be flat to show its noise.
const ENOUGH: f64 = 0.25;
/// Noise is the same everywhere if the rough places have less than this many times that of the quiet ones.
const EVEN: f64 = 3.0;
/// With correlated noise in space, and that of rounded depths, a whole surface deviates from its plane by this many times what
/// neighbourhoods show, and by less only where the curve of thickness over size tells it.
const BEYOND: f64 = 2.5;
/// Steps of rounding show if rounding is more than this share of the noise.
const APPARENT: f64 = 0.1;
/// A neighbourhood counts as at least this many times as thick as the noise.
const THINNEST: f64 = 1.25;
/// Rounding of the coordinates counts when it is more than this share of the noise.
const ROUNDED: f64 = 0.5;

/// The field of a frame in the camera's view whose noise is that of rounded depths.
pub(super) fn of_rounded_depths(
    cells: &Cells,
    View { samples, .. }: &View,
    plateau: Plateau,
    steps: &DepthSteps,
) -> NoiseField {
    let base = cells.base();
    // No neighbourhood is thinner than the precision of its sums.
    let beside =
        steps.noise_beyond(samples.iter(), plateau.finer()).hypot(base.unit() / 12f64.sqrt());
    // Runs of pixels share their error.
    let usual = BEYOND * steps.usual_among(samples.iter()).hypot(beside);
    log::debug!("noise {usual:.3} steps of rounded depths, {beside:.3} beside rounding");
    let half = 0.5 * base.size / base.unit();
    let of = |cell: usize| BEYOND * steps.at(base.local(cell, [half; 3])).hypot(beside);
    let noises: Vec<f64> = (0..base.len()).into_par_iter().map(of).collect();
    of_noises(&noises, Some(usual), false)
}

/// The field of the noise of each base cell. It differs from place to place if the `usual` noise is given.
fn of_noises(noises: &[f64], usual: Option<f64>, sliced: bool) -> NoiseField {
    let scale = |usual: f64| {
        noises.par_iter().map(move |noise| (noise / usual).clamp(1.0 / 64.0, 64.0) as f32)
    };
    NoiseField {
        scale: usual.map(|usual| scale(usual).collect()),
        floor: Some(noises.par_iter().map(|&noise| (THINNEST * noise) as f32).collect()),
        sliced,
        rough: None,
    }
}

/// Measures the noise in the regions of a cloud. `rounding` is what rounding adds to the distances of points from
/// their surfaces, as a standard deviation, and `flatness` judges the block around a cell of a level. With `one_kind` no surface counts
/// as rougher than others.
pub(super) fn measure(
    cloud: &CellCloud,
    view: &View,
    plateau: Plateau,
    (rounding, one_kind): (f64, bool),
    flatness: impl Fn(usize, u32) -> Option<Flatness> + Sync,
) -> NoiseField {
    let cells = &cloud.cells;
    let Some(seen) = view.noise(plateau.finer(), plateau.drawn) else { return NoiseField::even() };
    let beyond = beyond(plateau, seen);
    let usual = beyond * seen;
    let rounded = rounding > ROUNDED * usual;
    if plateau.alike {
        return coarse(cells, view, plateau, ([usual, beyond, rounding], rounded));
    }
    if rounded {
        // Regions that look rougher are trees and edges.
        let floor = vec![(THINNEST * usual.max(rounding)) as f32; cells.base().len()];
        return NoiseField { scale: None, floor: Some(floor), sliced: false, rough: None };
    }
    if plateau.drawn == Drawn::AsSeen {
        return NoiseField::even();
    }
    let surface = |finders: &mut [Finder], level: usize, cell: u32| {
        let flat = flatness(level, cell).filter(|f| f64::from(f.ratio) <= FLAT)?;
        let is_thick = (THICK * usual..=CAP * usual).contains(&f64::from(flat.thickness));
        Some(Shown {
            thickness: f64::from(flat.thickness),
            is_layered: is_thick && is_layered(cloud, &finders[level].block(cell), level, &flat),
        })
    };
    white(cells, (usual, one_kind), surface)
}

/// The same plateau where planes tell that whole surfaces deviate by this share of what was read.
pub(super) fn told_by_planes(view: &View, plateau: Plateau, share: f64) -> Plateau {
    let seen = view.noise(plateau.finer(), plateau.drawn);
    let steps = seen.map_or(f64::INFINITY, |seen| share * beyond(plateau, seen) * seen);
    Plateau { deviation: plateau.deviation.told_by_planes(share, steps), ..plateau }
}

/// By what factor whole surfaces deviate more than neighbourhoods, which show so many steps.
fn beyond(plateau: Plateau, seen: f64) -> f64 {
    match plateau {
        Plateau { alike: false, .. } => 1.0,
        // What is read is exact here; the floor under the thickness of neighbourhoods would raise it.
        Plateau { drawn: Drawn::AsSeen, .. } => 1.0 / THINNEST,
        Plateau { sliced: true, .. } => 1.0,
        Plateau { deviation, .. } => deviation.ratio(BEYOND).min(deviation.most() / seen),
    }
}

/// What a flat neighbourhood shows.
#[derive(Clone, Copy)]
struct Shown {
    thickness: f64,
    /// Whether this is the distance of two layers rather than the noise of one.
    is_layered: bool,
}

/// Noise that shows at the finest scale.
///
/// The noise of a region is that of its thinner surfaces, each at the finest level at which it is flat; that
/// level differs between places near the scanner and far from it.
fn white(
    cells: &Cells,
    (usual, one_kind): (f64, bool),
    surface: impl Fn(&mut [Finder], usize, u32) -> Option<Shown> + Sync,
) -> NoiseField {
    let examined = |level: usize| {
        let inside = (0..cells.len(level) as u32).map(|cell| cells.inside(level, cell).len());
        inside.map(|inside| inside.min(EACH)).sum::<usize>()
    };
    let last = cells.levels.len() - 1;
    let level = (SMALLEST..last).find(|&level| examined(level) <= MOST).unwrap_or(last);
    // What is thicker was tested for layers.
    let thick = THICK * usual;
    let regions = Regions::of_level(cells, level, [thick, CAP * usual], &surface);
    let typical = |inside: &Inside| roughness::typical(&inside.single);
    let gap = || roughness::gap(&regions.inside.par_iter().filter_map(typical).collect::<Vec<_>>());
    let kinds_part_at = if one_kind { None } else { gap() };
    let regions = Regions { rough: kinds_part_at, ..regions };
    // Regions without flat neighbourhoods of their own have no weight.
    let noise = regions.noise(Regions::is_flat);
    let is_smooth = |t: &&f64| kinds_part_at.is_none_or(|rough| **t <= rough);
    let weights =
        regions.inside.iter().map(|inside| inside.single.iter().filter(is_smooth).count() as u64);
    let known: Vec<(f64, u64)> =
        noise.into_iter().zip(weights).filter_map(|(noise, n)| Some((noise?, n))).collect();
    let [quiet, middle, noisy] = quantiles(known);
    log::debug!(
        "noise {usual:.3} steps, {quiet:.3}, {middle:.3} to {noisy:.3} in regions of level {level}, kinds part at {kinds_part_at:.3?}"
    );
    // Of two kinds of surface, the usual noise may lie in between.
    let usual = if kinds_part_at.is_some() { middle } else { usual.clamp(quiet, middle) };
    if noisy < EVEN_WHITE * usual || noisy == 0.0 {
        return NoiseField { rough: kinds_part_at, ..NoiseField::even() };
    }
    let others = OTHER_REGIONS.iter().filter_map(|&by| level.checked_add_signed(by));
    let others = others.filter(|&level| level < cells.levels.len());
    let others = others.map(|level| Regions {
        rough: kinds_part_at,
        ..Regions::of_level(cells, level, [thick, CAP * usual], &surface)
    });
    let all = std::iter::once(regions).chain(others);
    let all: Vec<(usize, Vec<Option<f64>>)> =
        all.map(|regions| (regions.level, regions.noise(|_, _| true))).collect();
    // Noise is lower along a scan line than across, so no region gets less than the usual noise.
    let of = |cell: u32| {
        let mut noise =
            all.iter().filter_map(|(level, noise)| noise[cells.ancestor(cell, *level) as usize]);
        (noise.next().unwrap_or(usual) / usual).max(1.0) as f32
    };
    let all = (0..cells.base().len() as u32).into_par_iter();
    NoiseField {
        scale: Some(all.map(of).collect()),
        floor: None,
        sliced: false,
        rough: kinds_part_at,
    }
}

/// The regions that the cells of a level stand for.
struct Regions<'a> {
    cells: &'a Cells,
    level: usize,
    /// Neighbourhoods that are as thick may hold two layers.
    thick: f64,
    /// Those that are thicker are of another kind of surface.
    rough: Option<f64>,
    inside: Vec<Inside>,
}

/// The neighbourhoods that were examined in one cell.
struct Inside {
    count: usize,
    /// The thickness of the flat ones that hold one layer and are not thicker than noise can be.
    single: Vec<f64>,
    /// The number of those that hold two layers.
    layered: usize,
}

impl Regions<'_> {
    /// The regions of a level; neighbourhoods as thick as the first limit may hold two layers, those thicker than the second one do not
    /// count.
    fn of_level<'a>(
        cells: &'a Cells,
        level: usize,
        [thick, thickest]: [f64; 2],
        surface: &(impl Fn(&mut [Finder], usize, u32) -> Option<Shown> + Sync),
    ) -> Regions<'a> {
        Regions {
            cells,
            level,
            thick,
            rough: None,
            inside: thicknesses(cells, level, thickest, surface),
        }
    }

    /// Whether a cell has flat neighbourhoods.
    fn is_flat(&self, cell: u32) -> bool {
        !self.inside[cell as usize].single.is_empty()
    }

    /// The noise in the blocks around the cells that are `wanted`, where enough neighbourhoods show it.
    fn noise(&self, wanted: impl Fn(&Self, u32) -> bool + Sync) -> Vec<Option<f64>> {
        let noise = |finder: &mut Finder, cell: u32| {
            if !wanted(self, cell) {
                return None;
            }
            let block = finder.block(cell);
            let inside = || block.iter().map(|&cell| &self.inside[cell as usize]);
            let sum = |of: fn(&Inside) -> usize| inside().map(of).sum::<usize>();
            let mut flat = Vec::with_capacity(sum(|inside| inside.single.len()));
            inside().for_each(|inside| flat.extend_from_slice(&inside.single));
            let is_thick = |&thickness: &f64| thickness >= self.thick;
            let thick = flat.iter().filter(|&t| is_thick(t)).count();
            if sum(|inside| inside.layered) > thick {
                // Most thick places here hold two layers. The other thick ones are edges between them.
                flat.retain(|t| !is_thick(t));
            }
            if let Some(rough) = self.rough {
                let all = flat.len();
                flat.retain(|&t| t <= rough);
                if 2 * flat.len() < all {
                    // What looks smooth among what is rough is chance.
                    return None;
                }
            }
            let is_told = flat.len() >= FEWEST
                && flat.len() as f64 >= SHARE * sum(|inside| inside.count) as f64;
            is_told.then(|| usual_of(flat))
        };
        let cells = (0..self.inside.len() as u32).into_par_iter().with_min_len(128);
        cells.map_init(|| self.cells.finder(self.level), noise).collect()
    }
}

/// Noise that shows at a coarser scale. `usual` is its usual value; it is `beyond` times what neighbourhoods
/// show.
fn coarse(
    cells: &Cells,
    View { samples, .. }: &View,
    plateau: Plateau,
    ([usual, beyond, rounding], rounded): ([f64; 3], bool),
) -> NoiseField {
    let usual = if rounded { usual.max(rounding) } else { usual };
    let count = cells.base().len();
    let is_small = |&l: &usize| cells.len(l) * IN_REGION <= samples.len();
    // Planes tell only of what was taken for noise before.
    let is_noise = rounding < APPARENT * usual || plateau.deviation.is_told_by_planes();
    let level = match (0..cells.levels.len()).find(is_small) {
        Some(level) if cells.len(level) > 1 => level,
        // Of a large landscape even the coarsest level has many cells.
        None if is_noise => cells.levels.len() - 1,
        // The folds of a few faces and the steps of rounding look like waves. Without regions to compare, nothing tells them apart.
        _ => return NoiseField::even(),
    };
    let mut inside: Vec<Vec<&Sample>> = vec![Vec::new(); cells.len(level)];
    for sample in samples {
        inside[cells.ancestor(sample.cell, level) as usize].push(sample);
    }
    let regions = cells.map_blocks(level, |_, block| {
        let around = block.iter().flat_map(|&c| inside[c as usize].iter().copied()).collect();
        let noise = beyond * of_region(around, plateau)?;
        // Parallel surfaces within one neighbourhood look like noise. Where steps hide the noise, the usual
        // value is too low to judge by.
        (plateau.sliced || noise <= CAP * usual).then_some(noise)
    });
    let counted = regions.iter().zip(&inside);
    let known: Vec<(f64, u64)> =
        counted.filter_map(|(r, inside)| Some(((*r)?, inside.len() as u64))).collect();
    let is_untold = known.is_empty();
    let [quiet, middle, rough] = quantiles(known);
    // Where slices hide the noise, the usual value is that of the regions that show it.
    let sliced = plateau.sliced;
    let usual = if sliced { middle.max(usual) } else { usual };
    let even = plateau.drawn == Drawn::AsSeen || is_untold || !sliced && rough < EVEN * quiet;
    log::debug!(
        "noise {usual:.3} steps, {quiet:.3} to {rough:.3} in regions, even {even}, rounding {rounding:.3}"
    );
    let of = |cell: u32| match regions[cells.ancestor(cell, level) as usize] {
        Some(noise) if !even => noise.max(rounding),
        _ => usual,
    };
    let noises: Vec<f64> = (0..count as u32).into_par_iter().map(of).collect();
    of_noises(&noises, (!even).then_some(usual), !rounded)
}

/// The neighbourhoods in each cell of a level, each at the finest level at which it is flat; those thicker than `thickest` do not
/// count.
fn thicknesses(
    cells: &Cells,
    level: usize,
    thickest: f64,
    surface: &(impl Fn(&mut [Finder], usize, u32) -> Option<Shown> + Sync),
) -> Vec<Inside> {
    let shown = |finders: &mut [Finder], base: u32| {
        let mut levels = 0..=level;
        levels.find_map(|l| surface(finders, l, cells.ancestor(base, l)))
    };
    let inside = |finders: &mut Vec<Finder>, cell: u32| {
        let inside = cells.inside(level, cell);
        let chosen = inside.clone().step_by(inside.len().div_ceil(EACH).max(1));
        let shown: Vec<Shown> = chosen.clone().filter_map(|base| shown(finders, base)).collect();
        let single = shown.iter().filter(|shown| !shown.is_layered).map(|shown| shown.thickness);
        Inside {
            count: chosen.len(),
            single: single.filter(|&t| t <= thickest).collect(),
            layered: shown.iter().filter(|shown| shown.is_layered).count(),
        }
    };
    let all = (0..cells.len(level) as u32).into_par_iter().with_min_len(128);
    all.map_init(|| cells.finders(), inside).collect()
}

/// The noise that the neighbourhoods of a region show.
fn of_region(around: Vec<&Sample>, plateau: Plateau) -> Option<f64> {
    if around.len() < IN_REGION {
        return None;
    }
    let curve = noise::thicknesses(&around, 0.0);
    let first = slices(&curve, STEPS, 0.0).max(plateau.finer() as usize);
    // Steps that are large against the neighbourhoods hide the surface at the finest levels.
    let levels = first..(first + if plateau.sliced { STEPS } else { 1 }).min(curve.len());
    let level = levels.into_iter().find(|&l| curve[l].flat >= ENOUGH)?;
    noise(&around, level as f64 + plateau.finer().fract(), plateau.drawn)
}

/// The noise of the quiet, the middling and the rough places.
fn quantiles(known: Vec<(f64, u64)>) -> [f64; 3] {
    [0.1, 0.5, 0.9].map(|share| weighted_quantile(known.clone(), share))
}

#[cfg(test)]
mod tests {
    use super::super::rounded::rounding;
    use super::*;
    use crate::cpu::cut::whole;
    use crate::detect::plateau::Deviation;
    use crate::frame::Points;
    use crate::surface::cloud::CellCloud;
    use crate::surface::flat::judge_all;
    use crate::vector::Vec3;

    /// The field of a plane of 60,000 points whose noise, in steps, depends on the column, one of 300.
    fn field_of(noise: impl Fn(usize) -> f64) -> (CellCloud, NoiseField) {
        field_among(noise, &[], false)
    }

    /// The same among some strays; the points may be `rings`.
    fn field_among(
        noise: impl Fn(usize) -> f64,
        strays: &[Vec3],
        rings: bool,
    ) -> (CellCloud, NoiseField) {
        let height = |i: usize| (i * 48_271 % 2003) as f64 / 1001.0 - 1.0;
        let point = |i: usize| {
            let place = [(i % 300 * 100) as f64, (i / 300 * 100) as f64];
            let jitter = [(i * 7919 % 97) as f64, (i * 104_729 % 89) as f64];
            [place[0] + jitter[0], place[1] + jitter[1], noise(i % 300) * height(i)]
        };
        let surface = (0..60_000).map(point);
        let points: Points =
            surface.chain(strays.iter().copied()).map(|p| p.map(|v| v as f32)).collect();
        let cloud = whole(&points);
        let cells = &cloud.cells;
        let view = View::new(cells, &mut cloud.sums());
        let rounding = rounding(points.len(), |i| points.get(i)).into_iter().fold(0.0, f64::max);
        let plateau = view.plateau(Drawn::InSpace, rounding);
        assert!(plateau.level == 0.0 && !plateau.alike);
        let known = judge_all(cells, cloud.sums());
        let flatness = |level: usize, cell: u32| known[level].of(cell as usize);
        let field = measure(&cloud, &view, plateau, (rounding, rings), flatness);
        (cloud, field)
    }

    #[test]
    fn noise_that_grows_is_followed_among_many_strays() {
        // Even on the coarsest level most cells hold one stray and nothing else.
        let stray = |i: usize| [i % 20, i / 20 % 20, i / 400].map(|v| 2e5 + 60_000.0 * v as f64);
        let strays: Vec<Vec3> = (0..8000).map(stray).collect();
        let (cloud, field) =
            field_among(|column| 10.0 + 40.0 * column as f64 / 300.0, &strays, false);
        assert!(cloud.cells.levels.last().unwrap().len() * EACH > MOST);
        assert!(!field.is_even() && !field.has_floor());
    }

    #[test]
    fn what_is_rough_tells_nothing_of_the_noise_of_what_is_smooth() {
        // Grass beside a road.
        let field = |rough: f64, rings: bool| {
            let noise = move |column: usize| if column < 120 { 20.0 } else { rough };
            field_among(noise, &[], rings).1
        };
        let two = field(80.0, false);
        assert!(two.is_even() && (20.0..80.0).contains(&two.rough.unwrap()), "{:?}", two.rough);
        assert_eq!(field(20.0, false).rough, None);
        // The rings of a scanner are thinner along themselves.
        let rings = field(80.0, true);
        assert!(rings.rough.is_none() && !rings.is_even());
    }

    #[test]
    fn noise_that_is_the_same_everywhere_has_no_field() {
        assert!(field_of(|_| 20.0).1.is_even());
        assert!(field_of(|column| 20.0 + column as f64 / 30.0).1.is_even());
    }

    #[test]
    fn parallel_surfaces_are_no_noise() {
        // A floor with waves; above its last third there is a second one, 150 steps higher.
        let wave = |i: usize| 4.0 * ((i % 300) as f64 / 5.0).sin() * ((i / 300) as f64 / 5.0).cos();
        let point = |i: usize| {
            let lift = if i % 300 >= 200 && i.is_multiple_of(2) { 150.0 } else { 0.0 };
            let jitter = (i * 48_271 % 2003) as f64 / 1001.0 - 1.0;
            let place = [(i % 300 * 100) as f64, (i / 300 * 100) as f64];
            [place[0], place[1], wave(i) + lift + jitter].map(|v| v as f32)
        };
        let points: Points = (0..60_000).map(point).collect();
        let cloud = whole(&points);
        let view = View::new(&cloud.cells, &mut cloud.sums());
        let plateau = Plateau {
            level: 1.0,
            sliced: false,
            drawn: Drawn::InSpace,
            stepped: false,
            landscape: false,
            sheet: false,
            facets: false,
            levelled: false,
            clear: None,
            deviation: Deviation::UNKNOWN,
            alike: true,
        };
        let field = measure(&cloud, &view, plateau, (0.0, false), |_, _| None);
        let scales = (0..cloud.cells.base().len()).map(|cell| field.scale(cell));
        let most = scales.fold(0.0, f64::max);
        assert!(most < CAP, "{most}");
    }

    #[test]
    fn correlated_noise_is_that_of_the_plateau_in_a_large_landscape() {
        // Patches with a wave, so far apart that hardly any two share a cell of the coarsest level.
        let point = |i: usize| {
            let (patch, at) = (i / 81, i % 81);
            let place = [patch % 20, patch / 20].map(|p| (p * 60_000) as f64);
            let [x, y] = [at % 9, at / 9].map(|p| (p * 100) as f64);
            [place[0] + x, place[1] + y, 20.0 * (x * 0.004).sin()].map(|v| v as f32)
        };
        let field = |rounding: f64, share: f64| {
            let points: Points = (0..400 * 81).map(point).collect();
            let cloud = whole(&points);
            let view = View::new(&cloud.cells, &mut cloud.sums());
            let plateau = Plateau { level: 1.0, alike: true, ..view.plateau(Drawn::InSpace, 0.0) };
            let coarsest = cloud.cells.len(cloud.cells.levels.len() - 1);
            assert!(coarsest * IN_REGION > view.samples.len(), "{coarsest}");
            let told = told_by_planes(&view, plateau, share);
            let field = measure(&cloud, &view, told, (rounding, false), |_, _| None);
            let shown = view.noise(plateau.finer(), plateau.drawn).unwrap();
            (field, (THINNEST * BEYOND * shown) as f32)
        };
        let (landscape, floor) = field(0.0, 1.0);
        assert!(landscape.scale.is_none());
        assert!(landscape.floor.unwrap().iter().all(|&of_cell| of_cell == floor));
        // Steps of rounding may be taken for waves, …
        let rounding = 0.2 * f64::from(floor);
        assert!(field(rounding, 1.0).0.is_even());
        // … but not where planes told how far they go.
        assert!(field(rounding, 0.9).0.has_floor());
    }

    #[test]
    fn noise_that_grows_is_followed() {
        // From 10 to 50 steps; the usual one is that of the middle, and quieter places count as usual.
        let (cloud, field) = field_of(|column| 10.0 + 40.0 * column as f64 / 300.0);
        assert!(!field.is_even() && !field.has_floor() && field.least() == 1.0);
        let base = cloud.cells.base();
        let scale_at = |share: f64| {
            let near = |&cell: &usize| {
                let x = base.local(cell, cloud.moments(0, cell as u32).mean())[0];
                (x - share * 30_000.0).abs() < 300.0
            };
            let all = (0..base.len()).filter(near).map(|cell| (field.scale(cell), 1));
            weighted_quantile(all.collect(), 0.5)
        };
        let far = scale_at(0.9) / scale_at(0.5);
        assert!((1.2..1.7).contains(&far), "{far}");
        assert_eq!(scale_at(0.1), 1.0);
    }
}
