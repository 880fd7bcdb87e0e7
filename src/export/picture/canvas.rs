//! An image to paste, fill and write on.

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

/// The sheet; whatever reaches over its edge is cut off.
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
        for (k, &colour) in image.iter().enumerate() {
            let pixel = Rect {
                x: rect.x + k % rect.width,
                y: rect.y + k / rect.width,
                width: 1,
                height: 1,
            };
            self.fill(pixel, colour);
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

    /// Writes a text, its upper left corner at `x`, `y`, in letters of 5 × 7 squares of `size`
    /// pixels; characters that the font lacks leave a space.
    pub fn text(&mut self, x: usize, y: usize, text: &str, size: usize, colour: [u8; 3]) {
        for (k, c) in text.chars().enumerate() {
            for (row, bits) in glyph(c).into_iter().enumerate() {
                for column in (0..5).filter(|column| bits >> (4 - column) & 1 == 1) {
                    let pixel = Rect {
                        x: x + (6 * k + column) * size,
                        y: y + row * size,
                        width: size,
                        height: size,
                    };
                    self.fill(pixel, colour);
                }
            }
        }
    }

    /// Red, green, blue of each pixel.
    pub fn into_rgb(self) -> Vec<u8> {
        self.rgb
    }
}

/// The rows of a character from the top, 5 bits each, the leftmost highest.
fn glyph(c: char) -> [u8; 7] {
    match c {
        '0' => [0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e],
        '1' => [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e],
        '2' => [0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f],
        '5' => [0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e],
        '3' => [0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e],
        '4' => [0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02],
        '6' => [0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e],
        '7' => [0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
        '8' => [0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e],
        '9' => [0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c],
        '.' => [0, 0, 0, 0, 0, 0x0c, 0x0c],
        '-' => [0, 0, 0, 0x0e, 0, 0, 0],
        'e' => [0, 0, 0x0e, 0x11, 0x1f, 0x10, 0x0e],
        'D' => [0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e],
        'E' => [0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f],
        'F' => [0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x10],
        'I' => [0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e],
        'N' => [0x11, 0x19, 0x15, 0x13, 0x11, 0x11, 0x11],
        'O' => [0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e],
        'P' => [0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10],
        'R' => [0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11],
        'S' => [0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e],
        'T' => [0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04],
        _ => [0; 7],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_has_its_shape() {
        let mut canvas = Canvas::new(7, 8, [0; 3]);
        canvas.text(1, 0, "T", 1, [255; 3]);
        let rgb = canvas.into_rgb();
        let rows: Vec<String> = rgb
            .chunks(21)
            .map(|row| row.chunks(3).map(|p| if p[0] > 0 { '#' } else { '.' }).collect())
            .collect();
        assert_eq!(rows[0], ".#####.");
        assert_eq!(rows[6], "...#...");
        assert_eq!(rows[7], ".......");
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
