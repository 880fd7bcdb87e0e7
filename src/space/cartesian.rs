//! van den Braak's two spaces of an image.

use super::angle::sin_cos_degrees;
use super::axis::RhoAxis;
use super::bins::Space;
use crate::{Error, Result};

/// The two Cartesian spaces of van den Braak (eq. 2 and 3), with bins of one pixel. The first holds lines
/// `y = a x + b`; its rows are the slopes of −45° to 45° in steps of `degrees`. The second holds lines
/// `x = a y + b`. Origin: the top left pixel.
///
/// Slopes are rounded to a power of two so small that positions are exact in `f32`: a column of the image (in
/// the second space a row) moves by a whole number of bins, the same for all of its pixels. For 1920 × 1080
/// pixels that is 1/1024, 0.03° at most.
///
/// # Errors
/// [`Error::Parameter`] for steps outside 0.01° to 45°, and if a space would have too many bins.
pub fn cartesian([width, height]: [u32; 2], degrees: f64) -> Result<[Space; 2]> {
    if !(0.01..=45.0).contains(&degrees) {
        return Err(Error::Parameter("steps of slopes must be of 0.01 to 45 degrees".into()));
    }
    // Bins from the lowest to the highest, and the fractional bits that `f32` has left.
    let bins = |lines: u32, pixels: u32| pixels + 2 * lines + 2;
    let most = bins(width, height).max(bins(height, width));
    let scale = (f32::MANTISSA_DIGITS - (u32::BITS - most.leading_zeros())) as i32;
    let unit = 2f64.powi(-scale);
    let steps = (45.0 / degrees).floor() as i32;
    let slopes: Vec<f64> = (-steps..=steps)
        .map(|step| {
            let (sin, cos) = sin_cos_degrees(f64::from(step) * degrees);
            (sin / cos / unit).round() * unit
        })
        .collect();
    let axis = |lines: u32, pixels: u32| RhoAxis {
        min: -f64::from(lines) - 0.5,
        bin: 1.0,
        bins: bins(lines, pixels),
    };
    let across = |a: &f64| [-a, 1.0, 0.0];
    let along = |a: &f64| [1.0, -a, 0.0];
    Ok([
        Space::new(slopes.iter().map(across).collect(), axis(width, height))?,
        Space::new(slopes.iter().map(along).collect(), axis(height, width))?,
    ])
}

/// The slope and the offset of each row of one of the [`cartesian`] spaces: pixel `i` of line `l`
/// votes for bin `i + floor(offset + slope · l)`.
pub fn slopes(space: &Space, lines_are_columns: bool) -> Vec<[f32; 2]> {
    let along = if lines_are_columns { 0 } else { 1 };
    space.vote_table().iter().map(|t| [t[along], t[3]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vote::{bin, position};

    #[test]
    fn lines_of_pixels_move_by_whole_bins() {
        for (size, degrees) in [([640, 480], 1.0), ([1920, 1080], 3.0), ([8192, 8192], 6.0)] {
            let spaces = cartesian(size, degrees).unwrap();
            for (space, lines_are_columns) in spaces.iter().zip([true, false]) {
                let slopes = slopes(space, lines_are_columns);
                for (t, [slope, offset]) in space.vote_table().into_iter().zip(slopes) {
                    for (line, i) in [(0u16, 0u16), (1, 479), (477, 5), (478, 479), (479, 1)] {
                        let p = if lines_are_columns { [line, i] } else { [i, line] };
                        let at = position(t, [f32::from(p[0]), f32::from(p[1]), 0.0]);
                        let shift = f32::from(line).mul_add(slope, offset).floor() as i64;
                        let expected = usize::try_from(i64::from(i) + shift).unwrap();
                        assert_eq!(bin(at, space.bins()), Some(expected), "{t:?} {line} {i}");
                    }
                }
            }
        }
    }
}
