//! The papers' spaces of an image.

use crate::space::{RhoAxis, Space, half_turn, sin_cos_degrees};
use crate::{Error, Result};

/// Kumar's: `θ` from −90° to 90° in steps of 1°, 181 rows, and `2·diag + 1` bins of one pixel around
/// zero, `diag` the image's diagonal, rounded up. Origin: the top left pixel.
///
/// # Errors
/// [`Error::Parameter`] where it would have too many bins.
pub fn kumar([width, height]: [u32; 2]) -> Result<Space> {
    let row = |degrees: i32| {
        let (sin, cos) = sin_cos_degrees(f64::from(degrees));
        [cos, sin, 0.0]
    };
    let diagonal = f64::from(width).hypot(f64::from(height)).ceil();
    let axis = RhoAxis { min: -diagonal - 0.5, bin: 1.0, bins: 2 * diagonal as u32 + 1 };
    Space::new((-90..=90).map(row).collect(), axis)
}

/// Tomagou's, for an image of `side × side` pixels: `θ` from 0° to 179° and 192 bins of `ρ`, scaled
/// to `±side/√2`. Origin: [`tomagou_origin`].
///
/// Scaled as printed, the corner pixel at 45° falls beyond the last bin; bins are a millionth wider
/// here.
///
/// # Errors
/// [`Error::Parameter`] for an image without pixels.
pub fn tomagou(side: u32) -> Result<Space> {
    let farthest = f64::from(side) * std::f64::consts::FRAC_1_SQRT_2;
    let bin = farthest / 96.0 * (1.0 + 1e-6);
    Space::new(half_turn(180), RhoAxis { min: -96.0 * bin, bin, bins: 192 })
}

/// The middle of Tomagou's image: coordinates run from `1 − side/2` to `side/2`.
pub fn tomagou_origin(side: u32) -> [i32; 2] {
    [(side / 2) as i32 - 1; 2]
}

/// The two Cartesian spaces of van den Braak (eq. 2 and 3), with bins of one pixel: the first of lines
/// `y = a x + b`, whose rows are the slopes of −45° to 45° in steps of `degrees`, the second of lines
/// `x = a y + b`. Origin: the top left pixel.
///
/// Slopes are rounded to a power of two so small that positions are exact in `f32`: a column (in the
/// second space a row) of the image moves by a whole number of bins, the same for all of its
/// pixels. For 1920 × 1080 pixels that is 1/1024, 0.03° at most.
///
/// # Errors
/// [`Error::Parameter`] for steps that are not of 0.01° to 45°, and where a space would have too many
/// bins.
pub fn cartesian([width, height]: [u32; 2], degrees: f64) -> Result<[Space; 2]> {
    if !(0.01..=45.0).contains(&degrees) {
        return Err(Error::Parameter("steps of slopes must be of 0.01 to 45 degrees".into()));
    }
    // Bins from the lowest to the highest, and as many bits behind the point as f32 has left.
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
    fn every_pixel_is_on_every_axis() {
        for size in [[1, 1], [64, 48], [1920, 1080], [3, 2000]] {
            let corners = [[0, 0], [size[0] - 1, 0], [0, size[1] - 1], [size[0] - 1, size[1] - 1]];
            let [first, second] = cartesian(size, 1.0).unwrap();
            for space in [kumar(size).unwrap(), first, second] {
                for t in space.vote_table() {
                    for [x, y] in corners {
                        let at = position(t, [x as f32, y as f32, 0.0]);
                        assert!(bin(at, space.bins()).is_some(), "{size:?} {t:?} {x} {y}");
                    }
                }
            }
        }
        let side = 512;
        let (space, [ox, oy]) = (tomagou(side).unwrap(), tomagou_origin(side));
        for t in space.vote_table() {
            for [x, y] in [[0, 0], [511, 0], [0, 511], [511, 511]] {
                let at = position(t, [(x - ox) as f32, (y - oy) as f32, 0.0]);
                assert!(bin(at, 192).is_some(), "{t:?} {x} {y}");
            }
        }
    }

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

    #[test]
    fn the_papers_numbers_of_rows_and_bins() {
        let space = kumar([558, 563]).unwrap();
        assert_eq!((space.rows(), space.bins()), (181, 2 * 793 + 1));
        assert_eq!((tomagou(512).unwrap().rows(), tomagou(512).unwrap().bins()), (180, 192));
        let [first, second] = cartesian([1920, 1080], 1.0).unwrap();
        assert_eq!((first.rows(), first.bins()), (91, 1080 + 2 * 1920 + 2));
        assert_eq!((second.rows(), second.bins()), (91, 1920 + 2 * 1080 + 2));
        assert!(cartesian([100, 100], 0.0).is_err());
    }
}
