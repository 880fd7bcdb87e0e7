//! An image with operations to paste, fill and write.

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: usize,
    /// Upper edge.
    pub y: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Rect {
    /// Whether the rectangles have a pixel in common.
    pub fn meets(&self, other: &Rect) -> bool {
        let apart =
            |a: usize, a_size: usize, b: usize, b_size: usize| a + a_size <= b || b + b_size <= a;
        !(apart(self.x, self.width, other.x, other.width)
            || apart(self.y, self.height, other.y, other.height))
    }
}

/// A sheet; anything drawn beyond its edge is cut off.
pub struct Canvas {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Canvas {
    /// A sheet of one colour.
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Canvas {
        Canvas { width, height, rgb: colour.repeat(width * height) }
    }

    /// Fills a rectangle.
    pub fn fill(&mut self, rect: Rect, colour: [u8; 3]) {
        for y in rect.y..(rect.y + rect.height).min(self.height) {
            for x in rect.x..(rect.x + rect.width).min(self.width) {
                let at = 3 * (y * self.width + x);
                self.rgb[at..at + 3].copy_from_slice(&colour);
            }
        }
    }

    /// Copies an image, row by row, as wide as the rectangle.
    pub fn paste(&mut self, rect: Rect, image: &[[u8; 3]]) {
        let width = rect.width.min(self.width.saturating_sub(rect.x));
        let rows = self.rgb.chunks_exact_mut(3 * self.width).skip(rect.y);
        for (row, from) in rows.zip(image.chunks_exact(rect.width)) {
            row[3 * rect.x..][..3 * width].copy_from_slice(from[..width].as_flattened());
        }
    }

    /// Draws the edge of a rectangle.
    pub fn frame(&mut self, r: Rect, colour: [u8; 3]) {
        let Rect { x, y, width, height } = r;
        self.fill(Rect { height: 1, ..r }, colour);
        self.fill(Rect { width: 1, ..r }, colour);
        self.fill(Rect { y: y + height - 1, height: 1, ..r }, colour);
        self.fill(Rect { x: x + width - 1, width: 1, ..r }, colour);
    }

    /// Draws a line of one pixel's width, times `size`.
    pub fn line(&mut self, [x, y]: [f64; 2], [to_x, to_y]: [f64; 2], size: usize, colour: [u8; 3]) {
        let steps = (to_x - x).abs().max((to_y - y).abs()).ceil().max(1.0);
        for k in 0..=steps as usize {
            let part = k as f64 / steps;
            let (x, y) = (x + part * (to_x - x), y + part * (to_y - y));
            if x >= 0.0 && y >= 0.0 {
                let pixel = Rect { x: x as usize, y: y as usize, width: size, height: size };
                self.fill(pixel, colour);
            }
        }
    }

    /// Writes a text with its upper left corner at `x`, `y`, in letters of 8 × 8 squares of `size`
    /// pixels; characters missing from the font leave a space.
    pub fn text(&mut self, x: usize, y: usize, text: &str, size: usize, colour: [u8; 3]) {
        for (k, c) in text.chars().enumerate() {
            for (row, bits) in glyph(c).into_iter().enumerate() {
                for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                    let pixel = Rect {
                        x: x + (LETTER * k + column) * size,
                        y: y + row * size,
                        width: size,
                        height: size,
                    };
                    self.fill(pixel, colour);
                }
            }
        }
    }

    /// Writes a text centred on a point, with an outline that keeps it readable on any background.
    pub fn sign(&mut self, [x, y]: [usize; 2], text: &str, size: usize, [ink, edge]: [[u8; 3]; 2]) {
        // Letters leave their last column and row empty.
        let (width, height) = ((LETTER * text.chars().count() - 1) * size, (LETTER - 1) * size);
        let (x, y) = (x.saturating_sub(width / 2), y.saturating_sub(height / 2));
        for (dx, dy) in (0..9).map(|k| (k % 3 * size, k / 3 * size)).filter(|&d| d != (size, size))
        {
            let corner = [x + dx, y + dy].map(|v| v.saturating_sub(size));
            self.text(corner[0], corner[1], text, size, edge);
        }
        self.text(x, y, text, size, ink);
    }

    /// Red, green, blue of each pixel.
    pub fn into_rgb(self) -> Vec<u8> {
        self.rgb
    }
}

/// Columns and rows of a letter, including the empty one.
pub const LETTER: usize = 8;

/// The rows of a character from the top; the lowest bit is leftmost.
fn glyph(c: char) -> [u8; 8] {
    // Each table starts at a different character.
    let tables: [(u32, &[[u8; 8]]); 3] = [
        (0, &font8x8::legacy::BASIC_LEGACY),
        (0xa0, &font8x8::legacy::LATIN_LEGACY),
        (0x390, &font8x8::legacy::GREEK_LEGACY),
    ];
    let found = tables
        .into_iter()
        .find_map(|(first, table)| table.get(u32::from(c).checked_sub(first)? as usize));
    found.copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_has_its_shape() {
        let mut canvas = Canvas::new(9, 8, [0; 3]);
        canvas.text(1, 0, "L", 1, [255; 3]);
        let rgb = canvas.into_rgb();
        let rows: Vec<String> = rgb
            .chunks(27)
            .map(|row| row.chunks(3).map(|p| if p[0] > 0 { '#' } else { '.' }).collect())
            .collect();
        assert_eq!(rows[0], ".####....");
        assert_eq!(rows[6], ".#######.");
        assert_eq!(rows[7], ".........");
        assert!("m²°θρ".chars().all(|c| glyph(c) != [0; 8]));
        assert_eq!(glyph('本'), [0; 8]);
    }

    #[test]
    fn a_line_reaches_both_ends() {
        let mut canvas = Canvas::new(5, 5, [0; 3]);
        canvas.line([4.0, 0.0], [0.0, 4.0], 1, [255; 3]);
        let rgb = canvas.into_rgb();
        let drawn: Vec<usize> = (0..25).filter(|k| rgb[3 * k] > 0).collect();
        assert_eq!(drawn, [4, 8, 12, 16, 20]);
    }

    #[test]
    fn what_reaches_over_the_edge_is_cut_off() {
        let mut canvas = Canvas::new(4, 4, [1; 3]);
        canvas.text(2, 2, "EE", 3, [9; 3]);
        canvas.fill(Rect { x: 3, y: 0, width: 100, height: 1 }, [7; 3]);
        let rgb = canvas.into_rgb();
        assert_eq!(rgb.len(), 48);
        assert_eq!(rgb[9..12], [7; 3]);
        assert_eq!(rgb[12..15], [1; 3]);
    }
}
