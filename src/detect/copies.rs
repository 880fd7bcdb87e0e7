//! Copies of points: points so near to each other that they stand for one.
//!
//! Scans that were exported twice, or joined after each of them was shifted a little, hold every point several
//! times. Copies say nothing about the shape of a surface, but make it look thin and sure of its direction. So
//! the search takes one point of each cluster, and its label holds for all of them.

use crate::frame::Points;
use crate::surface::lattice::{pairs, place_key, positive};
use crate::surface::plane::LocalPlane;
use rayon::prelude::*;

/// Copies are spread over the sites far more evenly than chance would spread them: their number varies by less
/// than this share of the variance.
const EVEN: f64 = 0.5;
/// One in this many sites, those with most points, may hold two clusters.
const CROWDED: usize = 16;

/// The sites of a cloud, each of which stands for a cluster of copies.
pub(super) struct Sites {
    /// For each site, the point that stands for it.
    pub points: Vec<u32>,
    /// For each point, its site.
    site_of: Vec<u32>,
}

impl Sites {
    /// Joins points that share a cell of the given edge, in steps.
    ///
    /// A cluster that a side of a cell cuts in two is joined on a second lattice, half a cell away.
    pub fn find(points: &Points, edge: u32) -> Sites {
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let (first, of_point) = joined(points, &all, edge, 0);
        let (second, of_first) = joined(points, &first, edge, edge / 2);
        let site_of = of_point.into_par_iter().map(|first| of_first[first as usize]).collect();
        Sites { points: second, site_of }
    }

    /// The same sites in the order of the points that stand for them. Of copies that coincide the first does, so that the
    /// order of the file is kept, which may tell a camera.
    pub fn in_file_order(self) -> Sites {
        let mut order: Vec<u32> = (0..self.points.len() as u32).collect();
        order.par_sort_unstable_by_key(|&site| self.points[site as usize]);
        let points = order.par_iter().map(|&site| self.points[site as usize]).collect();
        let mut rank = vec![0; order.len()];
        (0..).zip(&order).for_each(|(new, &site)| rank[site as usize] = new);
        let site_of = self.site_of.into_par_iter().map(|site| rank[site as usize]).collect();
        Sites { points, site_of }
    }

    /// Mean number of points of a site.
    pub fn copies(&self) -> f64 {
        self.site_of.len() as f64 / self.points.len() as f64
    }

    /// Whether clusters hold copies of points, and not by chance what lies close together, as do points of a
    /// dense scan whose coordinates are rounded.
    pub fn are_of_copies(&self) -> bool {
        let mut counts = vec![0u32; self.points.len()];
        self.site_of.iter().for_each(|&site| counts[site as usize] += 1);
        // Where two clusters lie in one cell, there are twice as many.
        let last = (counts.len() - 1).saturating_sub(counts.len() / CROWDED);
        let most = *counts.clone().select_nth_unstable(last).1;
        // Sites that follow each other are neighbours. Where exports overlap there are more copies than elsewhere.
        let pairs = counts.windows(2).filter(|pair| pair.iter().all(|&n| n <= most));
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for pair in pairs {
            let [a, b] = [pair[0], pair[1]].map(f64::from);
            (n, sum, squares) = (n + 2.0, sum + a + b, squares + (a - b).powi(2));
        }
        squares < EVEN * n * chance_variance(sum / n)
    }

    /// The labels of all points, from the labels of the sites in a given order. If `planes` are given, only
    /// points within the tolerance of their site's plane get its label.
    pub fn spread(
        &self,
        labels: &[i32],
        order: &[u32],
        (points, planes): (&Points, Option<&[LocalPlane]>),
    ) -> Vec<i32> {
        let mut of_site = vec![-1; self.points.len()];
        order.iter().zip(labels).for_each(|(&site, &label)| of_site[site as usize] = label);
        let is_near = |i: usize, label: i32| {
            let plane = planes.and_then(|planes| planes.get(label as usize));
            plane.is_none_or(|plane| plane.distance(points.get(i)).abs() <= plane.tolerance)
        };
        let label = |(i, &site): (usize, &u32)| {
            Some(of_site[site as usize]).filter(|&label| is_near(i, label)).unwrap_or(-1)
        };
        self.site_of.par_iter().enumerate().map(label).collect()
    }
}

/// The variance of the number of points in a cell that points strewn by chance occupy, if its mean is `mean`: that
/// of a Poisson distribution without zero.
fn chance_variance(mean: f64) -> f64 {
    // The rate of the distribution, by bisection: that of a mean of one is zero.
    let (mut low, mut high) = (0.0, mean);
    for _ in 0..60 {
        let rate = f64::midpoint(low, high);
        let is_low = rate < mean * (1.0 - (-rate).exp());
        *(if is_low { &mut low } else { &mut high }) = rate;
    }
    let rate = high;
    mean * (1.0 + rate - mean)
}

/// The points that stand for the occupied cells of a lattice, and the cell of each of the `chosen` points.
///
/// The first point of a cell by its coordinates stands for the cell, whatever the order of the file.
fn joined(points: &Points, chosen: &[u32], edge: u32, shift: u32) -> (Vec<u32>, Vec<u32>) {
    let point = |i: u32| points.get(chosen[i as usize] as usize);
    let keyed = pairs(chosen.len(), |i| place_key(point(i as u32), edge, shift));
    let (mut standing, mut cell_of) = (Vec::new(), vec![0; chosen.len()]);
    for cell in keyed.chunk_by(|a, b| a.0 == b.0) {
        let first = cell.iter().map(|&(_, i)| i).min_by_key(|&i| point(i).map(positive));
        cell.iter().for_each(|&(_, i)| cell_of[i as usize] = standing.len() as u32);
        standing.extend(first.map(|i| chosen[i as usize]));
    }
    (standing, cell_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_told_from_points_that_meet_by_chance() {
        let place = |i: u32| [i % 200, i / 200 % 200, 0].map(|v| 100.0 * v as f32);
        let chance = |i: u32| {
            let i = u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((i ^ i >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as u32
        };
        let are_copies = |all: &mut dyn Iterator<Item = u32>| {
            Sites::find(&all.map(place).collect(), 8).are_of_copies()
        };
        for times in [2, 3, 20] {
            assert!(are_copies(&mut (0..40_000 * times)), "{times}");
            assert!(!are_copies(&mut (0..40_000 * times).map(chance)), "{times}");
        }
        // Two of three points are there twice.
        assert!(are_copies(&mut (0..40_000).chain((0..40_000).filter(|i| i % 3 > 0))));
        // Exports that overlap: in a third of the places one point each, in another two, in the last three.
        assert!(are_copies(&mut (1..4).flat_map(|k| 0..13_000 * k)));
        // At one place in twenty, there are two points, each of them fifty times.
        assert!(are_copies(&mut (0..42_000 * 50).map(|i| i / 50 % 40_000)));
        assert!(!are_copies(&mut (0..40_000)));
    }

    #[test]
    fn the_variance_is_that_of_a_poisson_distribution_without_zero() {
        for rate in [0.5, 1.0, 3.0f64] {
            let mut share = (-rate).exp() / (1.0 - (-rate).exp());
            let (mut mean, mut squares) = (0.0, 0.0);
            for n in 1..60 {
                share *= rate / f64::from(n);
                (mean, squares) = (mean + f64::from(n) * share, squares + f64::from(n * n) * share);
            }
            assert!((chance_variance(mean) - (squares - mean * mean)).abs() < 1e-9, "{rate}");
        }
        assert!(chance_variance(1.0) < 1e-9);
    }

    #[test]
    fn clusters_become_sites_wherever_cells_end() {
        // Clusters of four, three steps wide, at multiples of 100: some of them lie across sides of cells.
        let corner = |i: usize| [i % 40, i / 40 % 40, i / 1600].map(|v| 100 * v as i32 - 2000);
        let point = |i: usize| {
            let [x, y, z] = corner(i / 4);
            [x + (i % 2) as i32 * 2, y - (i / 2 % 2) as i32 * 3, z + 1].map(|v| v as f32)
        };
        let points: Points = (0..12_800).map(point).collect();
        let sites = Sites::find(&points, 32);
        assert_eq!(sites.points.len(), 3200);
        for i in 0..points.len() {
            assert_eq!(sites.site_of[i], sites.site_of[i / 4 * 4], "{i}");
        }
        let order: Vec<u32> = (0..3200).rev().collect();
        let labels: Vec<i32> = order.iter().map(|&site| site as i32 % 7 - 1).collect();
        let spread = sites.spread(&labels, &order, (&points, None));
        let of_site = |i: usize| sites.site_of[i] as i32 % 7 - 1;
        assert!((0..points.len()).all(|i| spread[i] == of_site(i)));
        // A given tolerance holds for every point.
        let plane = LocalPlane { normal: [0.0, 1.0, 0.0], rho: 0.0, tolerance: 1.0 };
        let spread = sites.spread(&labels, &order, (&points, Some(&[plane; 6])));
        let near = |i: usize| of_site(i) >= 0 && points.get(i)[1].abs() <= 1.0;
        assert!((0..points.len()).all(|i| spread[i] == if near(i) { of_site(i) } else { -1 }));
        assert!((0..points.len()).filter(|&i| near(i)).count() > 100);
    }
}
