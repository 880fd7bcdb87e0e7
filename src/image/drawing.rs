//! Images that are edge maps already: strokes on an even background.

use super::otsu::{Split, histogram};

/// Widest stroke, in pixels.
const WIDEST: usize = 24;
/// Largest share of the strokes' pixels that may lie in wider areas.
const FILLED: f64 = 0.4;
/// Least share of the variance that lies between strokes and background.
const CONTRAST: f64 = 0.8;
/// Grey levels by which background pixels may differ from its commonest level...
const EVEN: u8 = 12;
/// ... and the least share of them that must not differ more.
const EVEN_SHARE: f64 = 0.95;

/// Whether the image is a drawing, and if so, whether its strokes are the dark pixels.
pub(super) fn is_drawing(width: usize, grey: &[u8], split: Split) -> Option<bool> {
    if split.between < CONTRAST {
        return None;
    }
    let histogram = histogram(grey);
    let (low, high) = histogram.split_at(usize::from(split.threshold) + 1);
    let dark = low.iter().sum::<u64>() < high.iter().sum();
    let (ground, first) = if dark { (high, low.len()) } else { (low, 0) };
    if !is_even(ground, first) {
        return None;
    }
    let strokes: Vec<bool> = grey.iter().map(|&v| (v <= split.threshold) == dark).collect();
    let all = strokes.iter().filter(|&&on| on).count();
    (filled(width, &strokes) as f64 <= FILLED * all as f64).then_some(dark)
}

/// Whether the values from `first` on differ little from their commonest one.
fn is_even(ground: &[u64], first: usize) -> bool {
    let Some(mode) = (0..ground.len()).rev().max_by_key(|&v| ground[v]) else {
        return false;
    };
    let near = |v: usize| (v + first).abs_diff(mode + first) <= usize::from(EVEN);
    let close: u64 = (0..ground.len()).filter(|&v| near(v)).map(|v| ground[v]).sum();
    close as f64 >= EVEN_SHARE * ground.iter().sum::<u64>() as f64
}

/// Pixels in a run of more than [`WIDEST`] along their row and along their column.
fn filled(width: usize, on: &[bool]) -> usize {
    let mut wide = vec![false; on.len()];
    for y in 0..on.len() / width {
        mark_runs(on, &mut wide, y * width, 1, width);
    }
    let mut tall = vec![false; on.len()];
    for x in 0..width {
        mark_runs(on, &mut tall, x, width, on.len() / width);
    }
    wide.iter().zip(&tall).filter(|&(&a, &b)| a && b).count()
}

/// Marks the long runs among `count` pixels from `start` on.
fn mark_runs(on: &[bool], marks: &mut [bool], start: usize, step: usize, count: usize) {
    let at = |k: usize| start + k * step;
    let mut from = 0;
    for k in 0..=count {
        if k < count && on[at(k)] {
            continue;
        }
        if k - from > WIDEST {
            (from..k).for_each(|k| marks[at(k)] = true);
        }
        from = k + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::otsu::split;
    use super::*;

    fn is(width: usize, grey: &[u8]) -> Option<bool> {
        is_drawing(width, grey, split(&histogram(grey))?)
    }

    #[test]
    fn strokes_are_told_from_areas() {
        let image = |f: &dyn Fn(usize, usize) -> u8| -> Vec<u8> {
            (0..200 * 150).map(|i| f(i % 200, i / 200)).collect()
        };
        let strokes = image(&|x, y| if (x + y) % 60 < 9 { 250 } else { 3 });
        assert_eq!(is(200, &strokes), Some(false));
        let dark: Vec<u8> = strokes.iter().map(|v| 255 - v).collect();
        assert_eq!(is(200, &dark), Some(true));
        // A chessboard, a slope, strokes on a slope, nothing.
        assert_eq!(is(200, &image(&|x, y| if (x / 50 + y / 50) % 2 == 0 { 255 } else { 0 })), None);
        assert_eq!(is(200, &image(&|x, _| x as u8)), None);
        assert_eq!(is(200, &image(&|x, y| if x == 9 { 255 } else { y as u8 })), None);
        assert_eq!(is(200, &[7; 200 * 150]), None);
    }
}
