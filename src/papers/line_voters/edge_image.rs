//! An image of edges.

/// Which pixels of an image are edges, one byte per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeImage {
    /// Width and height.
    pub size: [u32; 2],
    /// Pixels vote relative to this column and row.
    pub origin: [i32; 2],
    /// Row by row from the top; 255 is an edge, 0 is none.
    pub pixels: Vec<u8>,
}

impl EdgeImage {
    /// An image of the given edges, `[column, row]`, with its origin in the top left pixel; edges
    /// outside it are ignored.
    pub fn new(size: [u32; 2], edges: impl IntoIterator<Item = [u16; 2]>) -> EdgeImage {
        let [width, height] = size.map(|n| n as usize);
        let mut pixels = vec![0; width * height];
        for [x, y] in edges.into_iter().map(|p| p.map(usize::from)) {
            if x < width && y < height {
                pixels[y * width + x] = 255;
            }
        }
        EdgeImage { size, origin: [0, 0], pixels }
    }

    /// The image with another origin.
    pub fn with_origin(self, origin: [i32; 2]) -> EdgeImage {
        EdgeImage { origin, ..self }
    }

    /// The edges, `[column, row]`, row by row.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let width = self.size[0].max(1);
        (0..).zip(&self.pixels).filter(|p| *p.1 != 0).map(move |(i, _)| [i % width, i / width])
    }
}
