//! The visible pieces of a line.

/// A run of steps along a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub from: usize,
    pub to: usize,
}

/// Cost of a step without an edge pixel inside a piece: −ln of how much rarer such a step is there.
const MISS: f64 = 1.204;

/// The pieces of a line whose steps are each on or off; `chance` is the probability that a step
/// is on where there is no line.
///
/// Inside a piece, seven of ten steps that chance leaves off are on. Of all ways to cut the line
/// into pieces, the likeliest is taken; to end one piece and begin the next costs as much as
/// `max_gap` steps that are off. So wider gaps stay open. Where chance alone fills every other
/// step, the same rule asks for more.
pub(super) fn pieces(on: &[bool], chance: f64, max_gap: f64) -> Vec<Stretch> {
    let p = chance.clamp(0.02, 0.98);
    let hit = ((p + 0.7 * (1.0 - p)) / p).ln();
    let half = MISS * max_gap.max(1.0) / 2.0;
    // The best scores so far, outside and inside a piece, and where the current piece began.
    let (mut outside, mut inside) = (0.0f64, f64::NEG_INFINITY);
    // For each step, whether the best path came from the other state.
    let mut entered = vec![false; on.len()];
    let mut left = vec![false; on.len() + 1];
    for (i, &on) in on.iter().enumerate() {
        let step = if on { hit } else { -MISS };
        entered[i] = outside - half > inside;
        let before = outside;
        left[i] = inside - half > outside;
        outside = outside.max(inside - half);
        inside = inside.max(before - half) + step;
    }
    left[on.len()] = inside - half > outside;
    let mut found = Vec::new();
    let mut end = left[on.len()].then_some(on.len());
    for i in (0..on.len()).rev() {
        match end {
            Some(to) if entered[i] => {
                found.push(Stretch { from: i, to });
                end = None;
            }
            None if left[i] => end = Some(i),
            _ => {}
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(on: &[bool], chance: f64, max_gap: f64) -> Vec<(usize, usize)> {
        pieces(on, chance, max_gap).iter().map(|p| (p.from, p.to)).collect()
    }

    #[test]
    fn gaps_are_closed_up_to_their_limit() {
        let on: Vec<bool> =
            (0..200).map(|i| (20..80).contains(&i) || (92..150).contains(&i)).collect();
        assert_eq!(found(&on, 0.0, 10.0), [(20, 80), (92, 150)]);
        assert_eq!(found(&on, 0.0, 14.0), [(20, 150)]);
        assert_eq!(found(&[false; 9], 0.0, 5.0), []);
        assert_eq!(found(&[], 0.0, 5.0), []);
        assert_eq!(found(&[true; 30], 0.0, 5.0), [(0, 30)]);
    }

    #[test]
    fn what_chance_fills_is_no_piece() {
        // Two of five steps are on by chance; between 100 and 200 all are.
        let on: Vec<bool> = (0..300).map(|i| (100..200).contains(&i) || i * 7 % 5 < 2).collect();
        let found = found(&on, 0.4, 10.0);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].0.abs_diff(100) <= 3 && found[0].1.abs_diff(200) <= 3, "{found:?}");
    }
}
