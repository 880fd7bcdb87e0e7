//! Eigenvalues and eigenvectors of a symmetric 3 × 3 matrix by cyclic Jacobi rotations.
//!
//! Millions of small neighbourhoods need this. It uses only addition, multiplication, division and square
//! root, which round the same on every device, and stops after a fixed number of sweeps. Each rotation
//! depends on the one before, so several matrices are processed side by side, each in its own lane.

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
    in_order([a[0][0], a[1][1], a[2][2]], |row, k| v[row][k])
}

/// [`smallest`] for several matrices, by the same operations in every lane.
#[inline(always)]
pub fn smallest_of(m: &[Lane; 6]) -> [([f64; 3], [f64; 3]); LANES] {
    let mut a = [[m[0], m[1], m[2]], [m[1], m[3], m[4]], [m[2], m[4], m[5]]];
    let (one, zero) = ([1.0; LANES], [0.0; LANES]);
    let mut v = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    for _ in 0..SWEEPS {
        rotate_lanes(&mut a, &mut v, 0, 1);
        rotate_lanes(&mut a, &mut v, 0, 2);
        rotate_lanes(&mut a, &mut v, 1, 2);
    }
    std::array::from_fn(|l| in_order([a[0][0][l], a[1][1][l], a[2][2][l]], |row, k| v[row][k][l]))
}

/// The values ascending, and the vector of the smallest; `vector` has one in each column.
#[inline(always)]
fn in_order(values: [f64; 3], vector: impl Fn(usize, usize) -> f64) -> ([f64; 3], [f64; 3]) {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    (order.map(|i| values[i]), std::array::from_fn(|row| vector(row, order[0])))
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

/// [`rotate`], lane by lane. A lane whose element is already zero stays as it is.
#[inline(always)]
fn rotate_lanes(a: &mut [[Lane; 3]; 3], v: &mut [[Lane; 3]; 3], p: usize, q: usize) {
    let apart = a[p][q];
    let theta = each(|l| (a[q][q][l] - a[p][p][l]) / (2.0 * apart[l]));
    let root = each(|l| theta[l].abs() + (theta[l] * theta[l] + 1.0).sqrt());
    let t = each(|l| 1f64.copysign(theta[l]) / root[l]);
    let c = each(|l| 1.0 / (t[l] * t[l] + 1.0).sqrt());
    let s = each(|l| t[l] * c[l]);
    let turn = |x: Lane, y: Lane| {
        let new = each(|l| if apart[l] == 0.0 { x[l] } else { c[l] * x[l] - s[l] * y[l] });
        (new, each(|l| if apart[l] == 0.0 { y[l] } else { s[l] * x[l] + c[l] * y[l] }))
    };
    for row in 0..3 {
        (a[row][p], a[row][q]) = turn(a[row][p], a[row][q]);
        (v[row][p], v[row][q]) = turn(v[row][p], v[row][q]);
    }
    let (upper, lower) = a.split_at_mut(q);
    upper[p].iter_mut().zip(&mut lower[0]).for_each(|(x, y)| (*x, *y) = turn(*x, *y));
}

/// A number for each lane.
#[inline(always)]
fn each(of: impl Fn(usize) -> f64) -> Lane {
    let mut lane = [0.0; LANES];
    for (l, v) in lane.iter_mut().enumerate() {
        *v = of(l);
    }
    lane
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

    #[test]
    fn lanes_have_the_same_bits_as_one_matrix() {
        let element = |i: u32| f64::from(i * 7919 % 2003) - 1000.0;
        for first in 0..300u32 {
            let matrix = |l: usize| -> [f64; 6] {
                let scale = [1.0, 1e-9, 0.0, 1e12][(first as usize + l) % 4];
                // Some are diagonal, or nearly, from the start.
                let off = [1.0, 1.0, 0.0, 1e-30][(first as usize / 4 + l) % 4];
                let e = |k: u32| element(first * 48 + l as u32 * 6 + k) * scale;
                [e(0), e(1) * off, e(2) * off, e(3), e(4), e(5)]
            };
            let lanes = std::array::from_fn(|k| std::array::from_fn(|l| matrix(l)[k]));
            let bits = |(values, vector): ([f64; 3], [f64; 3])| {
                (values.map(f64::to_bits), vector.map(f64::to_bits))
            };
            for (l, found) in smallest_of(&lanes).into_iter().enumerate() {
                assert_eq!(bits(found), bits(smallest(matrix(l))), "{:?}", matrix(l));
            }
        }
    }
}
