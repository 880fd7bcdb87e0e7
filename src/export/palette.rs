//! One colour for each plane.

/// The colour of points that belong to no plane.
pub const UNASSIGNED: [u8; 3] = [112, 116, 124];

/// Twenty colours, far apart in hue and lightness; neighbours in the list are farthest apart.
const FIRST: [[u8; 3]; 20] = [
    [66, 133, 244],
    [245, 130, 49],
    [60, 180, 90],
    [230, 60, 85],
    [155, 93, 229],
    [255, 205, 60],
    [46, 196, 212],
    [240, 80, 200],
    [150, 200, 50],
    [176, 104, 60],
    [128, 160, 255],
    [255, 160, 140],
    [20, 140, 120],
    [205, 150, 255],
    [255, 100, 20],
    [120, 220, 160],
    [200, 40, 140],
    [200, 190, 110],
    [90, 100, 200],
    [250, 150, 190],
];

/// The colour of plane `id`: one of twenty, then hues spaced by the golden ratio, so that any number of
/// planes has colours and each plane keeps its colour. Negative ids are [`UNASSIGNED`].
pub fn colour(id: i32) -> [u8; 3] {
    let Ok(id) = usize::try_from(id) else {
        return UNASSIGNED;
    };
    if let Some(&colour) = FIRST.get(id) {
        return colour;
    }
    let turn = (id as f64 * 0.618_033_988_749_894_9).fract();
    let lightness = [0.55, 0.68, 0.45][id % 3];
    let saturation = [0.85, 0.6, 0.7][id / 3 % 3];
    hsl(turn, saturation, lightness)
}

/// Hue in turns, saturation and lightness in `0..=1`.
fn hsl(hue: f64, saturation: f64, lightness: f64) -> [u8; 3] {
    let reach = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|n: f64| {
        let k = (n + 12.0 * hue) % 12.0;
        let level = lightness - reach * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (255.0 * level).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_planes_differ_clearly() {
        for i in 0..20 {
            for j in 0..i {
                let (a, b) = (colour(i), colour(j));
                let apart: i32 = (0..3).map(|k| (i32::from(a[k]) - i32::from(b[k])).abs()).sum();
                assert!(apart > 60, "{i} and {j}: {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn any_id_has_a_colour() {
        assert_eq!(colour(-1), UNASSIGNED);
        assert_eq!(colour(i32::MIN), UNASSIGNED);
        assert_ne!(colour(20), colour(21));
        assert_ne!(colour(i32::MAX), UNASSIGNED);
    }

    #[test]
    fn hues_are_the_known_ones() {
        assert_eq!(hsl(0.0, 1.0, 0.5), [255, 0, 0]);
        assert_eq!(hsl(1.0 / 3.0, 1.0, 0.5), [0, 255, 0]);
        assert_eq!(hsl(2.0 / 3.0, 1.0, 0.5), [0, 0, 255]);
        assert_eq!(hsl(0.3, 0.0, 0.5), [128, 128, 128]);
    }
}
