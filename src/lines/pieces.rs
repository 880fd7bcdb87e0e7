//! The visible pieces of a line.

/// A run of steps along a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub from: usize,
    pub to: usize,
}

/// What a step without an edge pixel counts inside a piece; −ln of how much rarer it is there.
const MISS: f64 = 1.204;

/// The pieces of a line of which each step is on or off, `chance` being the probability that a step
/// is on where there is no line.
///
/// Inside a piece seven of ten steps that chance leaves off are on. Of all ways to cut the line
/// into pieces the likeliest is taken, where it costs as much to end one piece and begin the next as
/// `max_gap` steps that are off; so wider gaps stay open, and where chance alone fills every other
/// step, the same rule asks for more.
pub(super) fn pieces(on: &[bool], chance: f64, max_gap: f64) -> Vec<Piece> {
    let p = chance.clamp(0.02, 0.98);
    let hit = ((p + 0.7 * (1.0 - p)) / p).ln();
    let half = MISS * max_gap.max(1.0) / 2.0;
    // The best score up to here outside and inside a piece, and where the piece inside began.
    let (mut outside, mut inside) = (0.0f64, f64::NEG_INFINITY);
    // Whether the best way came from the other state, a step each.
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
                found.push(Piece { from: i, to });
                end = None;
            }
            None if left[i] => end = Some(i),
            _ => {}
        }
    }
    found.reverse();
    found
}
