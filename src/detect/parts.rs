//! The parts of a set of surfels: what hangs together, and what hangs together between steps.

use super::lattice::Lattice;
use super::sparse_grid::SparseGrid;
use crate::sets::Sets;
use crate::surface::spread::Spread;
use crate::surface::surfels::{Surfel, Surfels};
use crate::vector::{Vec3, dot};
use rustc_hash::FxHashMap;

/// A place holds the riser of a step if its points are so many times as thick as the noise.
const MIXED: f64 = 1.5;
/// Between neighbouring places there is a step if their mean heights differ by more than so many standard deviations of the noise.
const STEP_SIGMAS: f64 = 3.0;

/// Parts between steps are large if they hold this share of the points …
const LARGE: f64 = 1.0 / 32.0;
/// … and together hold this share; what is left lies at the steps.
const HELD: f64 = 0.9;
/// Parts are one plane if the joint plane adds at most so many times a point's variance to the sum of squares, which chance adds to two
/// parts in one case of 600, …
const CHANCE: f64 = 15.0;
/// … and so much of it for each point: walls are not perfect, …
const ROUGHER_VARIANCE: f64 = 0.02;
/// … and drift displaces parts where the noise varies from place to place.
const ROUGHER_VARIANCE_UNEVEN: f64 = 0.32;

/// A set of surfels, dropped onto a lattice as coarse as the blocks on which their surfaces were seen.
struct Places<'a> {
    surfels: &'a Surfels,
    set: &'a [u32],
    /// The number of each place that a surfel covers, from 1 on; 0 for the others.
    numbers: SparseGrid<u32>,
    /// How many there are.
    count: u32,
    /// The place in which the centre of each surfel lies.
    of: Vec<u32>,
}

impl<'a> Places<'a> {
    /// The places of a set, seen along `normal`; base cells have the edge `base`. Calls `cover` for each place that a surfel covers.
    fn new(
        surfels: &'a Surfels,
        set: &'a [u32],
        (normal, base): (Vec3, f64),
        mut cover: impl FnMut(u32, &Surfel),
    ) -> Places<'a> {
        let lattice = Lattice::new(&surfels.list, set, normal, base);
        let (mut numbers, mut count) = (SparseGrid::new(), 0);
        let mut of = Vec::with_capacity(set.len());
        for &i in set {
            let surfel = &surfels.list[i as usize];
            for place in lattice.covered(surfel) {
                let number: &mut u32 = numbers.at(place);
                if *number == 0 {
                    count += 1;
                    *number = count;
                }
                cover(*number - 1, surfel);
            }
            of.push(*numbers.at(lattice.place(surfel.centroid)) - 1);
        }
        Places { surfels, set, numbers, count, of }
    }

    /// The parts of the set, heaviest first. Neighbouring places, corners included, are connected if they are `alike`.
    fn parts(&self, alike: impl Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
        let mut joined: Vec<u32> = (0..self.count).collect();
        let mut joined = Sets::new(0, &mut joined);
        let mut finder = self.numbers.finder();
        for ((u, v), number) in self.numbers.iter().filter(|&(_, number)| number > 0) {
            for (du, dv) in [(1, -1), (1, 0), (1, 1), (0, 1)] {
                match finder.get((u + du, v + dv)) {
                    0 => {}
                    other if alike(number - 1, other - 1) => joined.join(number - 1, other - 1),
                    _ => {}
                }
            }
        }
        let mut parts: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (&i, &place) in self.set.iter().zip(&self.of) {
            parts.entry(joined.root(place)).or_default().push(i);
        }
        let mut parts: Vec<Vec<u32>> = parts.into_values().collect();
        parts.sort_by_cached_key(|part| (std::cmp::Reverse(self.surfels.weight(part)), part[0]));
        parts
    }
}

/// The connected parts of a set of surfels seen along `normal`, heaviest first; base cells have the edge `base`.
pub(super) fn connected(surfels: &Surfels, set: &[u32], normal: Vec3, base: f64) -> Vec<Vec<u32>> {
    Places::new(surfels, set, (normal, base), |_, _| {}).parts(|_, _| true)
}

/// How high the points at a place lie above a plane, in terms of the noise: their weight, and the sums of heights and of their squares.
#[derive(Clone, Copy, Default)]
struct Heights([f64; 3]);

impl Heights {
    /// Adds the points of a surfel.
    fn add(&mut self, surfel: &Surfel, (normal, rho): (Vec3, f64), noise: f64) {
        let (weight, noise) = (f64::from(surfel.weight), noise * f64::from(surfel.scale));
        let height = (dot(surfel.centroid, normal) - rho) / noise;
        let within = surfel.variance_along(normal) / (noise * noise);
        let Heights([all, sum, squares]) = self;
        *all += weight;
        *sum += weight * height;
        *squares += weight * (height * height + within);
    }

    fn mean(&self) -> f64 {
        self.0[1] / self.0[0]
    }

    /// Whether the place holds more than one height.
    fn is_mixed(&self) -> bool {
        let Heights([all, _, squares]) = self;
        squares / all - self.mean().powi(2) > MIXED * MIXED
    }
}

/// The largest part between steps of a set of surfels on a plane, and the other large parts; `noise` is that of points about the
/// plane. `None` if there is no step, or if the set falls into shards: then it is rough.
pub(super) fn between_steps(
    surfels: &Surfels,
    set: &[u32],
    plane: (Vec3, f64),
    (noise, base): (f64, f64),
) -> Option<[Vec<u32>; 2]> {
    let mut heights = Vec::new();
    let places = Places::new(surfels, set, (plane.0, base), |place, surfel| {
        if place as usize == heights.len() {
            heights.push(Heights::default());
        }
        heights[place as usize].add(surfel, plane, noise);
    });
    let parts = places.parts(|a, b| {
        let [a, b] = [a, b].map(|i| &heights[i as usize]);
        !a.is_mixed() && !b.is_mixed() && (a.mean() - b.mean()).abs() <= STEP_SIGMAS
    });
    let all = surfels.weight(set) as f64;
    let is_large = |part: &Vec<u32>| surfels.weight(part) as f64 >= LARGE * all;
    let mut large: Vec<Vec<u32>> = parts.into_iter().filter(is_large).collect();
    let held: u64 = large.iter().map(|part| surfels.weight(part)).sum();
    (large.len() > 1 && held as f64 >= HELD * all).then(|| [large.remove(0), large.concat()])
}

/// The connected parts of a plane, seen along `normal`: the largest one with those that are one plane with it, and the others,
/// ascending. The noise may be the same everywhere, `even`. Parts of fewer than `least` points stay. `None` if all are one plane.
pub(super) fn of_one_plane(
    surfels: &Surfels,
    set: &[u32],
    normal: Vec3,
    (noise, even, base, least): (f64, bool, f64, u64),
) -> Option<[Vec<u32>; 2]> {
    let rougher = if even { ROUGHER_VARIANCE } else { ROUGHER_VARIANCE_UNEVEN };
    let parts = connected(surfels, set, normal, base);
    let (largest, rest) = parts.split_first()?;
    let origin = surfels.list[largest[0] as usize].centroid;
    let spread = |part: &[u32]| {
        let mut spread = Spread::of(origin, 0.0, [0.0; 3], [0.0; 6]);
        surfels.add_to(&mut spread, part);
        spread
    };
    let of_largest = spread(largest);
    let is_one = |part: &&Vec<u32>| {
        let weight = surfels.weight(part);
        let of_part = spread(part);
        let added = of_largest.and(&of_part).squares() - of_largest.squares() - of_part.squares();
        let both = (weight + surfels.weight(largest)) as f64;
        weight < least || added <= (CHANCE + rougher * both) * noise * noise
    };
    let (one, others): (Vec<&Vec<u32>>, Vec<_>) = rest.iter().partition(is_one);
    let gathered = |parts: Vec<&Vec<u32>>| {
        let mut all: Vec<u32> = parts.into_iter().flatten().copied().collect();
        all.sort_unstable();
        all
    };
    let own = one.into_iter().chain([largest]).collect();
    (!others.is_empty()).then(|| [gathered(own), gathered(others)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::flat::Surface;

    const UP: Vec3 = [0.0, 0.0, 1.0];

    /// Where the tiles lie; far from the origin.
    const LEVEL: f64 = 1000.0;

    /// Surfels of four points each, one at each place of a rectangle with this corner and these sides, so high above the level.
    fn tile(
        corner: [i32; 2],
        [width, length]: [i32; 2],
        height: impl Fn(f64) -> f64,
    ) -> impl Iterator<Item = Surfel> {
        (0..width * length).map(move |i| {
            let [x, y] = [corner[0] + i % width, corner[1] + i / width].map(f64::from);
            let surface = Some(Surface::new(UP, 0.01, 1.0, 0));
            let centroid = [x, y, LEVEL + height(x)];
            Surfel { centroid, scatter: [0.0; 6], weight: 4, surface, scale: 1.0, places: [0, 1] }
        })
    }

    fn all(surfels: Vec<Surfel>) -> (Surfels, Vec<u32>) {
        let all = (0..surfels.len() as u32).collect();
        let cells = surfels.len();
        (Surfels::of(surfels, cells), all)
    }

    #[test]
    fn parts_are_what_hangs_together() {
        let squares = tile([0, 0], [15, 15], |_| 0.0).chain(tile([60, 0], [20, 20], |_| 0.0));
        let (surfels, set) = all(squares.collect());
        let parts = connected(&surfels, &set, UP, 1.0);
        assert!(parts == [(225..625).collect::<Vec<u32>>(), (0..225).collect()]);
    }

    /// How many surfels of the first 600, and of the next 900, the largest part between steps holds, and the other large ones.
    fn divided(surfels: impl Iterator<Item = Surfel>) -> Option<[[usize; 2]; 2]> {
        let (surfels, set) = all(surfels.collect());
        let count = |part: Vec<u32>| {
            let first = part.iter().filter(|&&i| i < 600).count();
            [first, part.iter().filter(|&&i| (600..1500).contains(&i)).count()]
        };
        Some(between_steps(&surfels, &set, (UP, LEVEL), (1.0, 1.0))?.map(count))
    }

    #[test]
    fn a_step_divides_and_a_slope_does_not() {
        // A strip of 20, and one of 30 that rises by 0.5 a place, which begins so much higher; the noise is 1.
        let sides = |step: f64| {
            let higher = tile([20, 0], [30, 30], move |x| step + 0.5 * (x - 20.0));
            divided(tile([0, 0], [20, 30], |_| 0.0).chain(higher))
        };
        let [[other, most], [least, none]] = sides(9.0).unwrap();
        assert_eq!([other, none], [0, 0]);
        assert!(most >= 840 && least >= 540, "{most} {least}");
        assert_eq!(sides(2.0), None);
        // Nothing but steps.
        assert_eq!(divided(tile([0, 0], [30, 30], |x| 4.0 * x)), None);
    }

    #[test]
    fn a_riser_joins_nothing() {
        // Between two strips, 5 apart in height, places whose points lie at so many heights around the middle.
        let sides = |heights: [f64; 2]| {
            let riser = heights.into_iter().flat_map(|h| tile([20, 0], [1, 30], move |_| h));
            let strips = tile([0, 0], [20, 30], |_| 0.0).chain(tile([21, 0], [30, 30], |_| 5.0));
            divided(strips.chain(riser))
        };
        let [[other, most], [least, none]] = sides([-0.5, 5.5]).unwrap();
        assert_eq!([other, none], [0, 0]);
        assert!(most >= 840 && least >= 540, "{most} {least}");
        // A landing.
        assert_eq!(sides([2.5, 2.5]), None);
    }

    #[test]
    fn other_noise_is_no_step() {
        let rougher = tile([20, 0], [30, 30], |_| 0.0).map(|s| Surfel { scale: 1.5, ..s });
        assert_eq!(divided(tile([0, 0], [20, 30], |_| 0.0).chain(rougher)), None);
        // What is thicker than the noise at all places is rough.
        let thick = |steep: f32| {
            let scatter = [0.0, 0.0, 0.0, 0.0, 0.0, steep];
            let low = tile([0, 0], [20, 30], |_| 0.0);
            divided(low.chain(tile([20, 0], [30, 30], |_| 9.0)).map(|s| Surfel { scatter, ..s }))
        };
        assert!(thick(2.0).is_some() && thick(2.5).is_none());
    }

    #[test]
    fn a_part_that_turns_the_plane_is_another() {
        // The second part lies 20 places beyond the first and slopes away from it.
        let of_one_if = |slope: f64, least: u64, even: bool| {
            let parts = tile([0, 0], [20, 20], |_| 0.0)
                .chain(tile([40, 0], [10, 20], move |x| slope * (x - 40.0)));
            let (surfels, set) = all(parts.collect());
            of_one_plane(&surfels, &set, UP, (1.0, even, 1.0, least))
        };
        let of_one = |slope, least| of_one_if(slope, least, true);
        assert_eq!(of_one(0.5, 100), Some([(0..400).collect(), (400..600).collect()]));
        assert_eq!(of_one(0.05, 100), None);
        // Drift may displace it.
        assert!(of_one(0.2, 100).is_some() && of_one_if(0.2, 100, false).is_none());
        // Too small to tell.
        assert_eq!(of_one(0.5, 801), None);
    }
}
