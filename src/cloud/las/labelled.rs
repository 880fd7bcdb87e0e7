//! Any cloud as labelled LAS.

use super::super::driver::Cloud;
use super::super::labels::{BATCH, Labels, LeftOut};
use super::super::rounding::Watch;
use super::super::write::Rows;
use super::super::{Chunk, Fields};
use super::encoder::{Encoder, LABELLED, is_laz};
use super::extra::Extra;
use super::sink::{batch, pass_on};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use las::{Transform, Vector};
use std::path::Path;

/// Writes a cloud as LAS 1.4, compressed when the name of `path` ends in `laz`: coordinates,
/// intensities, colours where there are any, and the dimensions of the labels.
///
/// A point that is not finite or far outside the extent of those that were searched cannot be held, and is left
/// out.
pub(super) fn save(cloud: &dyn Cloud, mut labels: Labels<'_>, path: &Path) -> Result<LeftOut> {
    let transforms = transforms(bounds(cloud, &labels)?);
    let mut reader = cloud.reader(Fields { label: false, class: false, ..Fields::ALL })?;
    let file = AtomicFile::create(path)?;
    let mut chunk = Chunk::default();
    reader.read(&mut chunk, batch(is_laz(path)))?;
    let extra = Extra::new(None, 0, labels.names())
        .ok_or_else(|| Error::Parameter("a LAS file cannot hold this cloud".into()))?;
    let described = (&extra.description[..], extra.length());
    let has_colour = !chunk.colour.is_empty();
    let (mut encoder, mut sink) = Encoder::start(
        file,
        &LABELLED,
        transforms,
        has_colour,
        described,
        cloud.info().crs.as_ref(),
    )?;
    let (mut left_out, mut watch) = (LeftOut::default(), Watch::new());
    pass_on(&mut sink, path, |bytes| {
        bytes.clear();
        let now = labels.take(chunk.len())?;
        let rows = Rows::new(&chunk)?;
        for k in 0..rows.len() {
            let row = rows.row(k);
            let index = encoder.written + left_out.points;
            let Some(steps) = encoder.steps(row.position) else {
                left_out.add(index);
                continue;
            };
            watch.see(index, row.position, encoder.at(steps));
            encoder.append(&row, steps, bytes);
            now.encode(k, row.position, bytes);
        }
        reader.read(&mut chunk, batch(is_laz(path)))?;
        Ok(!chunk.is_empty())
    })?;
    labels.finish()?;
    let file = sink.finish().map_err(Error::io(path))?;
    left_out.rounded = watch.rounded([transforms.x, transforms.y, transforms.z].map(|t| t.scale));
    encoder.finish(file)?;
    Ok(left_out)
}

/// The smallest and the largest coordinates that a labelled LAS of `cloud` has to hold.
///
/// Points that were not searched may lie outside the extent of those that were; they stay, unless they
/// are so far away that the others would lose digits to them.
fn bounds(cloud: &dyn Cloud, labels: &Labels<'_>) -> Result<[[f64; 3]; 2]> {
    const TIMES: f64 = 1e5;
    let [min, max] = labels.bounds;
    let mut bounds = [min, max];
    let side = (0..3).map(|axis| max[axis] - min[axis]).fold(0.0, f64::max);
    if !labels.is_part || side <= 0.0 {
        return Ok(bounds);
    }
    let near = |p: [f64; 3]| {
        (0..3).all(|a| p[a] >= min[a] - TIMES * side && p[a] <= max[a] + TIMES * side)
    };
    let mut reader = cloud.reader(Fields::NONE)?;
    let mut chunk = Chunk::default();
    loop {
        reader.read(&mut chunk, BATCH)?;
        if chunk.is_empty() {
            return Ok(bounds);
        }
        let points = (0..chunk.len()).map(|k| [chunk.x[k], chunk.y[k], chunk.z[k]]);
        for p in points.filter(|&p| near(p)) {
            for axis in 0..3 {
                bounds[0][axis] = bounds[0][axis].min(p[axis]);
                bounds[1][axis] = bounds[1][axis].max(p[axis]);
            }
        }
    }
}

/// Of a cloud that is smaller than this, steps of 1e-9 are more than a thousandth.
const SMALL: f64 = 1e-6;

/// Step and origin of each axis: the finest power of ten for which the extent takes less than half of the 32 bits, in all but small
/// clouds 1e-9 at most, and a whole number near the middle.
fn transforms([low, high]: [[f64; 3]; 2]) -> Vector<Transform> {
    let extents = (0..3).map(|axis| high[axis] - low[axis]);
    let is_small = (f64::MIN_POSITIVE..SMALL).contains(&extents.fold(0.0, f64::max));
    let axis = |axis: usize| {
        let (min, max) = (low[axis], high[axis]);
        let extent = max - min;
        if !(extent.is_finite() && extent >= 0.0) {
            return Transform { scale: 1e-3, offset: 0.0 };
        }
        // Coordinates of f64 itself are no finer than this.
        let finest = (min.abs().max(max.abs()) * f64::EPSILON).max(extent / f64::from(1 << 30));
        let power = (if is_small { -300 } else { -9 }..=300)
            .find(|&p| 10f64.powi(p) >= finest)
            .unwrap_or(300);
        // Written as text and read again, a power of ten is the nearest f64, which powi is not.
        let scale = format!("1e{power}").parse().unwrap_or(1.0);
        let middle = min + extent / 2.0;
        let offset = if is_small { (middle / scale).round() * scale } else { middle.round() };
        Transform { scale, offset }
    };
    Vector { x: axis(0), y: axis(1), z: axis(2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transform_of(min: f64, max: f64) -> (f64, f64) {
        let Transform { scale, offset } = transforms([[min; 3], [max; 3]]).x;
        (scale, offset)
    }

    #[test]
    fn the_step_is_the_finest_power_of_ten_that_fits() {
        assert_eq!(transform_of(0.0, 8.0), (1e-8, 4.0));
        assert_eq!(transform_of(4_600_000.0, 4_600_900.0), (1e-6, 4_600_450.0));
        assert_eq!(transform_of(-1e12, 1e12), (1e4, 0.0));
        assert_eq!(transform_of(0.0, 0.0), (1e-9, 0.0));
        assert_eq!(transform_of(0.0, 4e-9), (1e-17, 2e-9));
        let (scale, offset) = transform_of(0.0, 4e-200);
        assert_eq!((scale, (offset / scale).round()), (1e-208, 2e8));
        assert_eq!(transform_of(f64::NEG_INFINITY, 0.0), (1e-3, 0.0));
    }
}
