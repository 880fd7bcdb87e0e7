//! Which bins stand out: bins that exceed chance by enough and that no bin nearby exceeds.

use crate::shared::AROUND;
use crate::space::across_the_seam;

/// The excess, in standard deviations, that chance reaches in fewer than `false_alarms` of `bins` bins.
pub(crate) fn least_excess(bins: usize, false_alarms: f64) -> f64 {
    (2.0 * (bins as f64 / false_alarms).ln()).sqrt()
}

/// Whether a bin near `index`, in a space of this many rows and bins, has a larger z than `here`, or
/// the same z and a lower index.
pub(crate) fn is_outdone(
    [rows, bins]: [usize; 2],
    index: usize,
    here: f64,
    z: impl Fn(usize) -> f64,
) -> bool {
    let (rows, bins) = (rows as isize, bins as isize);
    let (row, r) = (index as isize / bins, index as isize % bins);
    (row - AROUND..=row + AROUND).any(|k| {
        let [k, r] = across_the_seam([rows, bins], [k, r]);
        (r - AROUND..=r + AROUND).filter(|r| (0..bins).contains(r)).any(|r| {
            let other = (k * bins + r) as usize;
            let there = z(other);
            there > here || (there == here && other < index)
        })
    })
}
