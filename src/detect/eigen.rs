//! Eigenvalues and eigenvectors of a symmetric 3 × 3 matrix by cyclic Jacobi rotations.
//!
//! Millions of small neighbourhoods need this. It uses addition, multiplication, division and
//! square root alone, which round the same on every device, and stops after a fixed number of
//! sweeps.

/// Sweeps over the three off-diagonal elements; convergence is quadratic, so after five the rest
/// is below rounding for any matrix.
const SWEEPS: usize = 5;

/// Eigenvalues ascending, and the unit eigenvector of the smallest.
///
/// `m` holds xx, xy, xz, yy, yz, zz.
pub(super) fn smallest(m: [f64; 6]) -> ([f64; 3], [f64; 3]) {
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
    (order.map(|i| values[i]), std::array::from_fn(|row| v[row][order[0]]))
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
}
