//! The papers' sweeps, over randomly scattered edges, so that neighbours vote for different bins.

use super::image_bench::ImageBench;
use super::report::VoterRow;
use crate::Result;
use crate::detect::Progress;
use crate::names::names;
use crate::papers::line_voters::{EdgeImage, PaperSpace};

/// van den Braak's image, and its share of edges in thousandths.
const WIDE: [u32; 2] = [1920, 1080];
const USUAL: usize = 59;
/// Tomagou's image.
const SQUARE: [u32; 2] = [4096; 2];

/// Sweeps: series of images that differ in one property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// 1e3 to 1e7 edges in 4096 × 4096 pixels.
    Edges,
    /// 0.1 to 60 % edges in 1920 × 1080 pixels.
    Density,
    /// Steps of 1°, 3° and 6°, with 5.9 % edges in 1920 × 1080 pixels.
    Angles,
    /// From grey images of 1920 × 1080 pixels to sorted bins.
    Grey,
}

names! { Sweep, "sweep":
    Edges = "edges",
    Density = "density",
    Angles = "angles",
    Grey = "grey",
}

impl Sweep {
    /// The images of each column, and the spaces in which they vote.
    fn images(self) -> (Vec<(String, EdgeImage)>, Vec<PaperSpace>) {
        let wide = |thousandths: usize| {
            strewn(WIDE, WIDE[0] as usize * WIDE[1] as usize * thousandths / 1000)
        };
        match self {
            Sweep::Edges => {
                let counts = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
                let image = |n: usize| (n.to_string(), strewn(SQUARE, n));
                let spaces =
                    vec![PaperSpace::Tomagou, PaperSpace::Kumar, PaperSpace::Cartesian(1.0)];
                (counts.map(image).into(), spaces)
            }
            Sweep::Density => {
                let shares = [1, 10, 30, 59, 80, 160, 300, 600];
                let image = |share: usize| (format!("{} %", share as f64 / 10.0), wide(share));
                (shares.map(image).into(), vec![PaperSpace::Cartesian(1.0)])
            }
            Sweep::Angles => {
                let spaces = [1.0, 3.0, 6.0].map(PaperSpace::Cartesian);
                let all = std::iter::once(PaperSpace::Kumar).chain(spaces).collect();
                (vec![("5.9 %".into(), wide(USUAL))], all)
            }
            Sweep::Grey => (Vec::new(), Vec::new()),
        }
    }
}

/// An image with this many different edge pixels, scattered at random.
pub fn strewn(size: [u32; 2], edges: usize) -> EdgeImage {
    let mut state = 1u64;
    let mut image = EdgeImage::new(size, []);
    let mut left = edges.min(image.pixels.len());
    while left > 0 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 20) as usize % image.pixels.len();
        left -= usize::from(image.pixels[at] == 0);
        image.pixels[at] = 255;
    }
    image
}

impl ImageBench<'_> {
    /// Measures all voters in a sweep.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a device fails, or its votes differ from the CPU's.
    pub fn sweep(&self, sweep: Sweep, progress: &dyn Progress) -> Result<Vec<VoterRow>> {
        let (images, spaces) = sweep.images();
        let mut rows = Vec::new();
        for &space in &spaces {
            for (column, image) in &images {
                progress.stage(&format!("{column}, {}", space.long_name()), None);
                let table = format!("{}, {}", sweep.name(), space.long_name());
                rows.extend(self.voters(&table, column, image, space)?);
            }
        }
        Ok(rows)
    }
}
