//! The slides' own figures: Duca, "3D Plane Detection via Hough Transform", slides "Timing: Number of
//! planes" and "Timing: Number of points". They name neither the GPU nor the CPU.

use super::rows::Row;

/// Numbers of winners in the first table.
pub const TOPS: [u32; 3] = [2, 5, 10];

/// Numbers of points in the second table.
pub const POINTS: [u64; 7] = [1, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 23_000_000];

/// Points of the first table, which does not state them: its last column equals the second table's column for
/// this number.
pub const TOP_POINTS: u64 = 1000;

/// Winners in the second table, by the same argument.
pub const POINTS_TOP: u32 = 10;

/// The figure in brackets in the slides, which was not measured: the CPU at 23 million points.
pub const ESTIMATED: (Row, u64) = (Row::Cpu, 23_000_000);

/// Seconds for a number of winners; our own row has none.
const BY_TOP: [(Row, [f64; 3]); 6] = [
    (Row::Cpu, [16.0, 16.5, 17.0]),
    (Row::NaiveScatter, [2.7, 2.8, 3.0]),
    (Row::NaiveGather, [2.0, 2.163, 2.2]),
    (Row::OptimizedGather, [2.0, 2.101, 2.2]),
    (Row::OptimizedNms, [2.0, 2.127, 2.2]),
    (Row::OptimizedFinal, [0.05, 0.05, 0.05]),
];

/// Seconds for a number of points.
const BY_POINTS: [(Row, [f64; 7]); 6] = [
    (Row::Cpu, [15.0, 17.0, 23.0, 88.0, 676.0, 6589.0, 4.0 * 3600.0]),
    (Row::NaiveScatter, [0.177, 3.0, 4.2, 8.0, 36.5, 321.0, 729.0]),
    (Row::NaiveGather, [0.053, 2.2, 4.2, 12.0, 75.8, 718.0, 1629.0]),
    (Row::OptimizedGather, [0.061, 2.2, 3.6, 6.3, 11.6, 75.0, 161.0]),
    (Row::OptimizedNms, [0.036, 2.2, 2.5, 6.1, 11.5, 75.0, 161.0]),
    (Row::OptimizedFinal, [0.047, 0.05, 0.1, 0.7, 6.8, 67.0, 152.0]),
];

/// The slides' seconds for a row, a number of points and a number of winners, if they have them.
pub fn seconds(row: Row, points: u64, top: u32) -> Option<f64> {
    let by_points = || {
        let column = POINTS.iter().position(|&p| p == points && top == POINTS_TOP)?;
        BY_POINTS.iter().find(|(r, _)| *r == row).map(|(_, seconds)| seconds[column])
    };
    let by_top = || {
        let column = TOPS.iter().position(|&t| t == top && points == TOP_POINTS)?;
        BY_TOP.iter().find(|(r, _)| *r == row).map(|(_, seconds)| seconds[column])
    };
    by_points().or_else(by_top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_where_the_slides_have_them() {
        assert_eq!(seconds(Row::NaiveGather, 1000, 5), Some(2.163));
        assert_eq!(seconds(Row::OptimizedFinal, 23_000_000, 10), Some(152.0));
        assert_eq!(seconds(Row::Cpu, 23_000_000, 10), Some(14400.0));
        assert_eq!(seconds(Row::Cpu, 23_000_000, 5), None);
        assert_eq!(seconds(Row::Cpu, 999, 10), None);
        assert_eq!(seconds(Row::Fast, 1000, 10), None);
        // The two tables have these figures in common.
        for (row, by_top) in BY_TOP {
            assert_eq!(seconds(row, TOP_POINTS, POINTS_TOP), Some(by_top[2]));
        }
    }
}
