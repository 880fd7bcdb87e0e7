//! Gaussian blur in integers.

use super::gradient::Field;
use crate::shared::BLUR_ONE as ONE;
use rayon::prelude::*;

/// How far the kernel reaches to each side, in pixels.
pub(crate) fn reach(sigma: f64) -> usize {
    (3.0 * sigma).ceil() as usize
}

/// `ONE` times a Gaussian, from its centre to one side; the central weight takes the rounding error.
pub(crate) fn kernel(sigma: f64) -> Vec<u32> {
    let reach = reach(sigma) as i32;
    let bell = |i: i32| (-0.5 * (f64::from(i) / sigma).powi(2)).exp();
    let sum: f64 = (-reach..=reach).map(bell).sum();
    let mut kernel: Vec<u32> =
        (0..=reach).map(|i| (f64::from(ONE) * bell(i) / sum).round() as u32).collect();
    kernel[0] = ONE - 2 * kernel[1..].iter().sum::<u32>();
    kernel
}

/// The field blurred along rows, then along columns, each rounded to the nearest 1/256. Beyond the
/// border, the border pixels repeat.
pub(super) fn blur(field: &Field, sigma: f64) -> Field {
    let kernel = kernel(sigma);
    let Field { width, height, values } = field;
    let (width, height) = (*width, *height);
    let mut along = vec![0u16; values.len()];
    along.par_chunks_mut(width).zip(values.par_chunks(width)).for_each(|(out, row)| {
        let mut padded = vec![row[0]; kernel.len() - 1];
        padded.extend_from_slice(row);
        padded.resize(width + 2 * (kernel.len() - 1), row[width - 1]);
        let mut sums = vec![ONE / 2; width];
        for (k, weight) in (0..).zip(taps(&kernel)) {
            let from = padded[k..k + width].iter();
            sums.iter_mut().zip(from).for_each(|(sum, &v)| *sum += weight * u32::from(v));
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum / ONE) as u16);
    });
    let mut both = vec![0u16; values.len()];
    both.par_chunks_mut(width).enumerate().for_each(|(y, out)| {
        let mut sums = vec![ONE / 2; width];
        for (k, weight) in (0..).zip(taps(&kernel)) {
            let y = (y + k).saturating_sub(kernel.len() - 1).min(height - 1);
            let from = along[y * width..][..width].iter();
            sums.iter_mut().zip(from).for_each(|(sum, &v)| *sum += weight * u32::from(v));
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum / ONE) as u16);
    });
    Field { width, height, values: both }
}

/// All weights, from one side to the other.
fn taps(kernel: &[u32]) -> impl Iterator<Item = u32> {
    kernel[1..].iter().rev().chain(kernel).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_even_stays() {
        for sigma in [0.5, 1.0, 2.25, 8.0] {
            let field = Field::of_grey(9, 5, &[201; 45]);
            assert_eq!(blur(&field, sigma), field);
        }
    }

    #[test]
    fn a_dot_becomes_the_bell() {
        let mut grey = [0; 21 * 21];
        grey[10 * 21 + 10] = 255;
        let blurred = blur(&Field::of_grey(21, 21, &grey), 1.0);
        let at = |x: usize, y: usize| f64::from(blurred.values[y * 21 + x]) / 256.0;
        assert!((at(10, 10) / 255.0 - 0.1592).abs() < 1e-3, "{}", at(10, 10));
        assert!((at(11, 10) / at(10, 10) - 0.6065).abs() < 2e-3);
        assert_eq!(at(11, 10), at(9, 10));
        assert_eq!(at(10, 12), at(12, 10));
    }
}
