//! The papers' own figures, for edge list and vote together.

use crate::papers::line_voters::{PaperSpace, Version};

/// van den Braak, GTX 470 and four cores of a CPU, 1920 × 1080 at 5.9 % edges, Cartesian at 1°, in ms.
const BRAAK: [(Version, f64); 4] = [
    (Version::AllCores, 18.2),
    (Version::BraakBasic, 21.6),
    (Version::BraakFast, 2.6),
    (Version::BraakConstant, 10.6),
];

/// Tomagou, GTX 680 and a Xeon X7460, 4096 × 4096 with these numbers of edges, in ms.
const TOMAGOU_EDGES: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const TOMAGOU: [(Version, [f64; 5]); 4] = [
    (Version::Serial, [1.408, 13.619, 136.907, 1377.754, 14073.099]),
    (Version::TomagouA, [0.166, 0.321, 2.030, 18.005, 237.730]),
    (Version::TomagouB, [0.186, 0.407, 2.948, 35.095, 723.411]),
    (Version::TomagouC, [0.181, 0.298, 1.817, 16.331, 162.232]),
];

/// Seconds that a paper reports for a voter in a space, if it does.
pub fn seconds(version: Version, space: PaperSpace, size: [u32; 2], edges: u64) -> Option<f64> {
    let ms = match (space, size) {
        (PaperSpace::Cartesian(1.0), [1920, 1080]) if edges == 1920 * 1080 * 59 / 1000 => {
            BRAAK.iter().find(|(v, _)| *v == version)?.1
        }
        (PaperSpace::Tomagou, [4096, 4096]) => {
            let column = TOMAGOU_EDGES.iter().position(|&n| n == edges)?;
            TOMAGOU.iter().find(|(v, _)| *v == version)?.1[column]
        }
        _ => return None,
    };
    Some(ms / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_where_the_papers_have_them() {
        let square = |v, n| seconds(v, PaperSpace::Tomagou, [4096; 2], n);
        assert_eq!(square(Version::TomagouC, 10_000_000), Some(0.162232));
        assert_eq!(square(Version::Slices, 1000), None);
        assert_eq!(square(Version::TomagouC, 999), None);
        let wide = |v, step| seconds(v, PaperSpace::Cartesian(step), [1920, 1080], 122_342);
        assert_eq!(wide(Version::BraakFast, 1.0), Some(0.0026));
        assert_eq!(wide(Version::BraakFast, 3.0), None);
    }
}
