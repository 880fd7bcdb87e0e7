//! Eigenvalues and eigenvectors of the covariances of points.
//!
//! Millions of small neighbourhoods need them, and few are narrow: [`of_blocks`] takes the smallest root of the
//! characteristic polynomial and from it the others, several matrices side by side. Planes may be a thousand times
//! longer than wide: [`smallest`] takes cyclic Jacobi rotations, which lose nothing then. Both use only addition, multiplication,
//! division and square root, which round the same on every device, and end after a fixed number of steps.

use crate::shared::{EIGEN_STEPS as STEPS, ON_LINE};
use crate::vector::dot;

/// Sweeps over the three off-diagonal elements. Convergence is quadratic: after five sweeps the rest is below
/// rounding for any matrix.
const SWEEPS: usize = 5;
/// Matrices side by side.
pub const LANES: usize = 8;

/// One number for each of several matrices.
pub type Lane = [f64; LANES];

/// Eigenvalues ascending, and the unit eigenvector of the smallest.
///
/// `m` holds xx, xy, xz, yy, yz, zz.
pub fn smallest(m: [f64; 6]) -> ([f64; 3], [f64; 3]) {
    let mut a = [[m[0], m[1], m[2]], [m[1], m[3], m[4]], [m[2], m[4], m[5]]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        rotate(&mut a, &mut v, 0, 1);
        rotate(&mut a, &mut v, 0, 2);
        rotate(&mut a, &mut v, 1, 2);
    }
    let values = [a[0][0], a[1][1], a[2][2]];
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    (order.map(|i| values[i]), v.map(|row| row[order[0]]))
}

/// [`of_block`] for several covariances: each entry of `m` is one of xx, xy, xz, yy, yz, zz for all of them.
#[inline(always)]
pub fn of_blocks(m: &[Lane; 6]) -> [([f64; 3], [f64; 3]); LANES] {
    let (mut values, mut vectors) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
    // Numbers in rows, and no branches: the loop becomes one for vectors.
    for l in 0..LANES {
        let (value, vector) = of_block([m[0][l], m[1][l], m[2][l], m[3][l], m[4][l], m[5][l]]);
        for a in 0..3 {
            (values[a][l], vectors[a][l]) = (value[a], vector[a]);
        }
    }
    std::array::from_fn(|l| (values.map(|lane| lane[l]), vectors.map(|lane| lane[l])))
}

/// Eigenvalues ascending, and the unit eigenvector of the smallest, of the covariance xx, xy, xz, yy, yz, zz of
/// points that are not much longer than wide.
///
/// For points of a surface (smallest eigenvalue at most 0.6 of the next) up to seven times as long as wide, the
/// eigenvector is exact to rounding; it loses digits with the fourth power of that ratio. Points on a line have no
/// surface, and get any unit vector. Eigenvalues that are equal but for rounding may come in either order.
#[inline(always)]
pub fn of_block([xx, xy, xz, yy, yz, zz]: [f64; 6]) -> ([f64; 3], [f64; 3]) {
    let trace = xx + yy + zz;
    // The adjugate, and with it the other coefficients of the characteristic polynomial.
    let [a_xx, a_yy, a_zz] = [yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy];
    let [a_xy, a_xz, a_yz] = [yz * xz - xy * zz, xy * yz - yy * xz, xy * xz - xx * yz];
    let pairs = a_xx + a_yy + a_zz;
    let product = xx * a_xx + xy * a_xy + xz * a_xz;
    let root = smallest_root(trace, pairs, product);
    // The adjugate of the matrix less its smallest eigenvalue is a multiple of the projection to the eigenvector.
    let e_xx = (root - (trace - xx)) * root + a_xx;
    let e_yy = (root - (trace - yy)) * root + a_yy;
    let e_zz = (root - (trace - zz)) * root + a_zz;
    let [e_xy, e_xz, e_yz] = [a_xy + root * xy, a_xz + root * xz, a_yz + root * yz];
    // Its longest column is the most exact.
    let y_or_z = if e_yy >= e_zz { [e_xy, e_yy, e_yz] } else { [e_xz, e_yz, e_zz] };
    let is_x = (e_xx >= e_yy) & (e_xx >= e_zz);
    let longest = if is_x { [e_xx, e_xy, e_xz] } else { y_or_z };
    let length = dot(longest, longest).sqrt();
    // Of points that are as wide in all directions, any will do.
    let vector = if length > 0.0 { longest.map(|v| v / length) } else { [0.0, 0.0, 1.0] };
    // The variance along the eigenvector is more exact than the root.
    let to = [dot([xx, xy, xz], vector), dot([xy, yy, yz], vector), dot([xz, yz, zz], vector)];
    let least = dot(to, vector);
    let sum = trace - least;
    let rest = pairs - least * sum;
    let most = 0.5 * (sum + positive(sum * sum - 4.0 * rest).sqrt());
    // On a line, rounding errors are all that is left of the adjugate.
    let is_line = pairs <= ON_LINE * trace * trace;
    (if is_line { [0.0, 0.0, trace] } else { [least, rest / most, most] }, vector)
}

/// The smallest root of x³ − trace x² + pairs x − product, whose roots are real and not negative, by Laguerre's
/// method from zero.
#[inline(always)]
fn smallest_root(trace: f64, pairs: f64, product: f64) -> f64 {
    let mut at = 0.0;
    for _ in 0..STEPS {
        let value = ((at - trace) * at + pairs) * at - product;
        let slope = (3.0 * at - 2.0 * trace) * at + pairs;
        let bend = 6.0 * at - 2.0 * trace;
        let under = slope + positive(4.0 * slope * slope - 6.0 * value * bend).sqrt();
        at = if under > 0.0 { at - 3.0 * value / under } else { at };
    }
    at
}

/// A number, or zero if it is below.
#[inline(always)]
fn positive(v: f64) -> f64 {
    if v > 0.0 { v } else { 0.0 }
}

/// Makes element `(p, q)` zero and turns the eigenvectors along.
#[inline(always)]
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    for (row, eigenvector_row) in a.iter_mut().zip(v.iter_mut()) {
        let (x, y) = two(row, p, q);
        turn(x, y);
        let (x, y) = two(eigenvector_row, p, q);
        turn(x, y);
    }
    let (upper, lower) = a.split_at_mut(q);
    upper[p].iter_mut().zip(&mut lower[0]).for_each(|(x, y)| turn(x, y));
}

/// Elements `p < q` of a row.
#[inline(always)]
fn two(row: &mut [f64; 3], p: usize, q: usize) -> (&mut f64, &mut f64) {
    let (upper, lower) = row.split_at_mut(q);
    (&mut upper[p], &mut lower[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_nalgebra() {
        for i in 0..500u32 {
            let p: [f64; 9] =
                std::array::from_fn(|k| f64::from((i * 7919 + k as u32 * 104_729) % 2003) - 1000.0);
            let b = nalgebra::Matrix3::from_row_slice(&p);
            let scale = if i % 3 == 0 { 1e-9 } else { 1.0 };
            let m = (b * b.transpose()) * scale;
            let (values, vector) = smallest([m.m11, m.m12, m.m13, m.m22, m.m23, m.m33]);
            let eigen = nalgebra::SymmetricEigen::new(m);
            let mut expected: Vec<f64> = eigen.eigenvalues.iter().copied().collect();
            expected.sort_by(f64::total_cmp);
            for (found, expected) in values.iter().zip(&expected) {
                assert!((found - expected).abs() <= 1e-9 * m.norm(), "{values:?} {expected:?}");
            }
            let vector = nalgebra::Vector3::from(vector);
            assert!((vector.norm() - 1.0).abs() < 1e-12);
            assert!((m * vector - vector * values[0]).norm() <= 1e-9 * m.norm());
        }
    }

    #[test]
    fn diagonal_and_zero_matrices_work() {
        assert_eq!(smallest([3.0, 0.0, 0.0, 1.0, 0.0, 2.0]).1, [0.0, 1.0, 0.0]);
        assert_eq!(smallest([0.0; 6]).0, [0.0; 3]);
    }

    /// The covariance with these eigenvalues along these axes.
    fn covariance(values: [f64; 3], turns: [f64; 3]) -> ([f64; 6], nalgebra::Vector3<f64>) {
        let [a, b, c] = turns;
        let turned = *nalgebra::Rotation3::from_euler_angles(a, b, c).matrix();
        let m = turned * nalgebra::Matrix3::from_diagonal(&values.into()) * turned.transpose();
        ([m.m11, m.m12, m.m13, m.m22, m.m23, m.m33], turned.column(0).into_owned())
    }

    #[test]
    fn blocks_of_any_flatness_have_their_eigenvalues() {
        for i in 0..3000u32 {
            let number = |k: u32| f64::from(i.wrapping_mul(k) % 1009) / 1009.0;
            let wide = 0.02 + 0.98 * number(7919);
            let flat = [1e-6, 0.01, 0.0625, 0.16, 0.6][i as usize % 5] * number(104_729);
            let scale = [1.0, 1e-9, 1e12][i as usize % 3];
            let values = [scale * wide * flat, scale * wide, scale];
            let turns = [number(31), number(57), number(91)].map(|v| 7.0 * v);
            let (m, axis) = covariance(values, turns);
            let (found, vector) = of_block(m);
            assert!((found[0] - values[0]).abs() <= 1e-13 * scale, "{found:?} {values:?}");
            // The root of a difference loses half the digits where the other two are equal.
            for (found, value) in found.into_iter().zip(values).skip(1) {
                assert!((found - value).abs() <= 1e-7 * scale, "{found} {value}");
            }
            let along = axis.dot(&nalgebra::Vector3::from(vector)).abs();
            assert!((along - 1.0).abs() < 1e-15, "{along} {values:?}");
        }
    }

    #[test]
    fn what_is_no_surface_has_numbers() {
        for (values, turns) in [
            ([0.0; 3], [0.0; 3]),
            ([0.0, 0.0, 3.0], [0.1, 0.2, 0.3]),
            ([0.0, 0.0, 1e12], [0.7, 1.2, 2.3]),
            ([2.0; 3], [0.0; 3]),
            ([2.0, 2.0, 5.0], [0.4, 0.5, 0.6]),
            ([1e-30; 3], [0.0; 3]),
        ] {
            let (m, _) = covariance(values, turns);
            let (found, vector) = of_block(m);
            for (found, value) in found.into_iter().zip(values) {
                assert!(
                    (found - value).abs() <= 0.02 * value + 1e-15 * values[2],
                    "{found:?} {value}"
                );
            }
            assert!((nalgebra::Vector3::from(vector).norm() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn lanes_have_the_same_bits_as_one_matrix() {
        let element = |i: u32| f64::from(i * 7919 % 2003) - 1000.0;
        for first in 0..300u32 {
            let matrix = |l: usize| -> [f64; 6] {
                let scale = [1.0, 1e-9, 0.0, 1e12][(first as usize + l) % 4];
                let e = |k: u32| element(first * 48 + l as u32 * 6 + k) * scale;
                [e(0), e(1), e(2), e(3), e(4), e(5)]
            };
            let lanes: [Lane; 6] = std::array::from_fn(|k| std::array::from_fn(|l| matrix(l)[k]));
            let bits = |(values, vector): ([f64; 3], [f64; 3])| {
                (values.map(f64::to_bits), vector.map(f64::to_bits))
            };
            for (l, found) in of_blocks(&lanes).into_iter().enumerate() {
                assert_eq!(bits(found), bits(of_block(matrix(l))), "{:?}", matrix(l));
            }
        }
    }
}
