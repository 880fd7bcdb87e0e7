//! The side of a line on which a point lies, exactly.

/// The sign of a cross product whose two halves have magnitudes that add up to `s` is right if its magnitude
/// exceeds this times `s` (Shewchuk 1997).
const SURE: f64 = (3.0 + 16.0 * f64::EPSILON / 2.0) * (f64::EPSILON / 2.0);

/// The sign of the turn from `a` over `b` to `c`: positive to the left, zero if they are collinear. `exact`
/// says that cross products of the coordinates are exact.
#[inline]
pub(super) fn turn([a, b, c]: [[f64; 2]; 3], exact: bool) -> f64 {
    let left = (b[0] - a[0]) * (c[1] - a[1]);
    let right = (b[1] - a[1]) * (c[0] - a[0]);
    let turn = left - right;
    if exact || turn.abs() > SURE * (left.abs() + right.abs()) {
        return turn;
    }
    exactly([a, b, c])
}

/// The sign of the sum of the six products, without any rounding.
#[cold]
fn exactly([a, b, c]: [[f64; 2]; 3]) -> f64 {
    let mut sum = Expansion { parts: [0.0; 12], length: 0 };
    for (x, y) in
        [(a[0], b[1]), (b[0], c[1]), (c[0], a[1]), (-a[1], b[0]), (-b[1], c[0]), (-c[1], a[0])]
    {
        let product = x * y;
        sum.add(x.mul_add(y, -product));
        sum.add(product);
    }
    // The last part that is not zero is larger than all others together, so it has the sign of the sum.
    sum.parts[..sum.length].iter().rev().copied().find(|&part| part != 0.0).unwrap_or(0.0)
}

/// A number as a sum of parts, each smaller than the last bit of the next.
struct Expansion {
    parts: [f64; 12],
    length: usize,
}

impl Expansion {
    fn add(&mut self, mut carried: f64) {
        for part in &mut self.parts[..self.length] {
            let sum = carried + *part;
            let virtual_part = sum - carried;
            let error = (carried - (sum - virtual_part)) + (*part - virtual_part);
            (carried, *part) = (sum, error);
        }
        self.parts[self.length] = carried;
        self.length += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_next_to_a_line_are_told_from_those_on_it() {
        // Neighbouring floats around (0.5, 0.5), seen from (12, 12) and (24, 24).
        let step = f64::EPSILON / 2.0;
        for i in 0..64i32 {
            for j in 0..64i32 {
                let p = [0.5 + f64::from(i) * step, 0.5 + f64::from(j) * step];
                let turn = turn([p, [12.0, 12.0], [24.0, 24.0]], false);
                // Above the diagonal it turns one way, below the other.
                let expected = (j - i).signum();
                assert_eq!(turn.partial_cmp(&0.0), 0.partial_cmp(&-expected), "{i} {j}: {turn}");
            }
        }
    }
}
