//! The planes through triples of points with the least median distance: see `kernels/lms_sheets.cu`.

use super::device::Device;
use super::kernels::lms_sheets;
use super::launch::grid;
use crate::Result;
use crate::lms::{Sheet, TRIPLES, sheet_of};
use crate::shared::{SHEET_THREADS, WARP};

/// Most sets of a launch: the blocks along one axis.
const MOST_SETS: usize = 1 << 12;

/// The best sheet of each set, as [`sheets`](crate::lms::sheets) finds it.
pub(super) fn sheets(device: &Device, sets: &[Vec<[f32; 3]>]) -> Result<Vec<Option<Sheet>>> {
    let mut found = Vec::with_capacity(sets.len());
    for sets in sets.chunks(MOST_SETS) {
        let halves = halves(device, sets)?;
        for (points, halves) in sets.iter().zip(halves.chunks(TRIPLES as usize)) {
            let triples = (0..TRIPLES).zip(halves.iter().map(|&bits| f64::from_bits(bits)));
            let best = triples.min_by(|a, b| a.1.total_cmp(&b.1));
            let best = best.filter(|(_, half)| half.is_finite());
            found.push(best.and_then(|(triple, half)| sheet_of(points, triple, half)));
        }
    }
    Ok(found)
}

/// The bits of the median distance of each triple of each set.
fn halves(device: &Device, sets: &[Vec<[f32; 3]>]) -> Result<Vec<u64>> {
    let mut points: Vec<[f32; 3]> = Vec::with_capacity(sets.iter().map(Vec::len).sum());
    let mut samples = Vec::with_capacity(sets.len());
    for set in sets {
        samples.push([points.len() as u32, set.len() as u32]);
        points.extend_from_slice(set);
    }
    let (points, samples) = (device.upload(&points)?, device.upload(&samples)?);
    let mut best = device.upload(&vec![f64::INFINITY.to_bits(); sets.len()])?;
    let mut halves = device.buffer(sets.len() * TRIPLES as usize)?;
    let config =
        grid((TRIPLES * WARP).div_ceil(SHEET_THREADS), sets.len() as u32, SHEET_THREADS, 0);
    if !sets.is_empty() {
        lms_sheets::lms_sheets(device, config, &points, &samples, TRIPLES, &mut best, &mut halves)?;
    }
    device.download(&halves, sets.len() * TRIPLES as usize)
}
