//! The camera of depth images.

use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// A pinhole camera, and the scale of its depth images.
///
/// The pixel in column `u` and row `v`, both counted from 0, with value `d` shows the point
/// `((u − cx) z / fx, (v − cy) z / fy, z)` with `z = d / scale`. As in ROS and Open3D, x points right, y down and
/// z forward, and the centres of pixels have whole coordinates.
///
/// ```
/// use planes::cloud::Camera;
///
/// let kinect: Camera = "525,525,319.5,239.5,5000".parse()?;
/// assert_eq!(kinect.point(320, 239, 5000), [0.5 / 525.0, -0.5 / 525.0, 1.0]);
/// assert!("525,525,319.5".parse::<Camera>().is_err());
/// # Ok::<(), planes::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Focal lengths along x and y, in pixels.
    pub focal: [f64; 2],
    /// Column and row of the optical axis.
    pub centre: [f64; 2],
    /// The pixel value that stands for one unit of length.
    pub scale: f64,
}

impl Camera {
    /// The point that a pixel shows; NaN if its value is 0 or 65535, which mean no depth: some cameras store the largest
    /// value for it, and what is farther away than that has it as well.
    #[inline]
    #[must_use]
    pub fn point(&self, column: u32, row: u32, value: u16) -> [f64; 3] {
        if value == 0 || value == u16::MAX {
            return [f64::NAN; 3];
        }
        let z = f64::from(value) / self.scale;
        let ([fx, fy], [cx, cy]) = (self.focal, self.centre);
        [(f64::from(column) - cx) * z / fx, (f64::from(row) - cy) * z / fy, z]
    }
}

impl FromStr for Camera {
    type Err = Error;

    /// `fx,fy,cx,cy,scale`.
    fn from_str(text: &str) -> Result<Camera> {
        let wrong = |message: &str| Error::Parameter(message.into());
        let numbers: Option<Vec<f64>> = text
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|v: &f64| v.is_finite()))
            .collect();
        let Some(&[fx, fy, cx, cy, scale]) = numbers.as_deref() else {
            return Err(wrong("not fx,fy,cx,cy,scale"));
        };
        if fx <= 0.0 || fy <= 0.0 || scale <= 0.0 {
            return Err(wrong("fx, fy and scale must be above 0"));
        }
        Ok(Camera { focal: [fx, fy], centre: [cx, cy], scale })
    }
}

impl fmt::Display for Camera {
    /// In the form that is parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([fx, fy], [cx, cy]) = (self.focal, self.centre);
        write!(f, "{fx},{fy},{cx},{cy},{}", self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_numbers_are_read_and_written() {
        let camera: Camera = "525, 524.5,319.5,-1,1000".parse().unwrap();
        assert_eq!(camera.to_string(), "525,524.5,319.5,-1,1000");
        assert!(camera.point(0, 0, 0)[2].is_nan() && camera.point(9, 9, 65535)[2].is_nan());
        for wrong in
            ["", "1,2,3,4", "1,2,3,4,5,6", "0,1,1,1,1", "1,1,1,1,-5", "1,1,1,1,nan", "a,b,c,d,e"]
        {
            assert!(wrong.parse::<Camera>().is_err(), "{wrong}");
        }
    }
}
