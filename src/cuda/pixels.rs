//! From a grey image to its edges on the device: see `kernels/pixels.cu`.
//!
//! Whatever is chosen from the image itself, thresholds and the blur, is chosen on the device, so that all
//! kernels follow each other without the host.

use super::Cuda;
use super::device::{Device, Kernels, each, if_room, launch};
use crate::Result;
use crate::image::{EdgeMap, Image, Method, Recipe, SIGMAS, blur_kernel, limit};
use cudarc::driver::{CudaSlice, LaunchConfig};

/// Threads of a block, its warps, and lanes of a warp; as in `kernels/pixels.cu`.
const THREADS: u32 = 256;
const WARPS: u32 = THREADS / WARP;
const WARP: u32 = 32;
/// Numbers in a histogram, behind which blocks are counted.
const FINE: usize = 4096;
/// Numbers in a row of the weights of a blur.
const WEIGHTS: usize = 26;
/// Blocks that take turns on a multiprocessor.
const BLOCKS: u32 = 8;

/// A grey image on the device, and room to find its edges.
pub(super) struct Pixels<'a> {
    device: &'a Device,
    size: [u32; 2],
    grey: CudaSlice<u8>,
    /// What edges are told by.
    levels: CudaSlice<u8>,
    histogram: CudaSlice<u32>,
    /// The last level that is no edge.
    threshold: CudaSlice<u32>,
    canny: Option<Canny>,
}

/// What Canny's edges need besides.
struct Canny {
    /// Rows of weights, and which of them to take.
    weights: CudaSlice<u32>,
    blur: CudaSlice<u32>,
    along: CudaSlice<u16>,
    blurred: CudaSlice<u16>,
    gradients: CudaSlice<[i32; 2]>,
    /// Squares of the lower and the upper threshold.
    limits: CudaSlice<u64>,
    marks: CudaSlice<u8>,
    parents: CudaSlice<u32>,
    lit: CudaSlice<u8>,
}

/// Edges in bits and as a list.
pub(super) struct Packed {
    /// Lines of bits: rows, and columns.
    pub upright: CudaSlice<u32>,
    pub rotated: CudaSlice<u32>,
    /// Row in the upper, column in the lower half, in no order.
    pub list: CudaSlice<u32>,
    pub length: CudaSlice<u32>,
    size: [u32; 2],
}

impl Packed {
    pub fn new(device: &Device, [width, height]: [u32; 2]) -> Result<Packed> {
        let words = |lines: u32, length: u32| lines as usize * length.div_ceil(WARP) as usize;
        Ok(Packed {
            upright: device.buffer(words(height, width))?,
            rotated: device.buffer(words(width, height))?,
            list: device.buffer(width as usize * height as usize)?,
            length: device.zeros(1)?,
            size: [width, height],
        })
    }

    /// Takes the pixels above a threshold, or with `dark` the others.
    pub fn fill(
        &mut self,
        device: &Device,
        levels: &CudaSlice<u8>,
        threshold: &CudaSlice<u32>,
        dark: bool,
    ) -> Result<()> {
        let [width, height] = self.size;
        device.clear(&mut self.length)?;
        let tiles = width.div_ceil(WARP) * height.div_ceil(WARP);
        launch!(
            device,
            Kernels::Pixels,
            "pack_edges",
            blocks(tiles.div_ceil(WARPS)),
            levels,
            &width,
            &height,
            threshold,
            &u32::from(dark),
            &mut self.upright,
            &mut self.rotated,
            &mut self.list,
            &mut self.length
        )
    }
}

impl<'a> Pixels<'a> {
    /// Room for the images of a size.
    pub fn new(device: &'a Device, size: [u32; 2]) -> Result<Pixels<'a>> {
        let pixels = size[0] as usize * size[1] as usize;
        Ok(Pixels {
            device,
            size,
            grey: device.buffer(pixels)?,
            levels: device.buffer(pixels)?,
            histogram: device.zeros(FINE + 1)?,
            threshold: device.zeros(1)?,
            canny: None,
        })
    }

    /// Copies an image to the device and makes everything ready to find its edges.
    pub fn upload(&mut self, grey: &[u8], recipe: &Recipe) -> Result<()> {
        let device = self.device;
        device.upload_into(grey, &mut self.grey.slice_mut(0..))?;
        let threshold = match *recipe {
            Recipe::Drawing { threshold, .. } => threshold,
            Recipe::Sobel { threshold } => threshold.unwrap_or(0),
            // Levels are 0 and 255.
            Recipe::Canny { .. } => 127,
        };
        device.upload_into(&[u32::from(threshold)], &mut self.threshold.slice_mut(0..))?;
        if let Recipe::Canny { sigma, thresholds } = *recipe {
            let canny = match &mut self.canny {
                Some(canny) => canny,
                none => none.insert(Canny::new(device, grey.len())?),
            };
            canny.prepare(device, sigma, thresholds)?;
        }
        Ok(())
    }

    /// Finds the edges of the image that was copied for this recipe.
    pub fn find(&mut self, recipe: &Recipe, edges: &mut Packed) -> Result<()> {
        match *recipe {
            Recipe::Drawing { dark, .. } => {
                return edges.fill(self.device, &self.grey, &self.threshold, dark);
            }
            Recipe::Sobel { threshold } => self.sobel(threshold.is_none())?,
            Recipe::Canny { sigma, thresholds } => {
                self.canny(sigma.is_none(), thresholds.is_none())?;
            }
        }
        edges.fill(self.device, &self.levels, &self.threshold, false)
    }

    fn sobel(&mut self, automatic: bool) -> Result<()> {
        let Pixels { device, size: [width, height], grey, levels, histogram, threshold, .. } = self;
        if automatic {
            device.clear(histogram)?;
        }
        launch!(
            device,
            Kernels::Pixels,
            "sobel_levels",
            blocks(BLOCKS * device.processors),
            &*grey,
            &*width,
            &*height,
            levels,
            histogram,
            &u32::from(automatic),
            threshold
        )
    }

    /// Canny's edges, with an automatic blur and automatic thresholds or without.
    fn canny(&mut self, automatic_blur: bool, automatic_limits: bool) -> Result<()> {
        let Pixels { device, size: [width, height], grey, levels, histogram, canny, .. } = self;
        let Some(canny) = canny else { return Ok(()) };
        let (device, kernels) = (*device, Kernels::Pixels);
        let turns = blocks(BLOCKS * device.processors);
        let pixels = *width * *height;
        if automatic_blur {
            device.clear(histogram)?;
            let (kernel, blur) = ("noise_levels", &mut canny.blur);
            launch!(
                device,
                kernels,
                kernel,
                turns,
                &*grey,
                &*width,
                &*height,
                &mut *histogram,
                blur
            )?;
        }
        let Canny { weights, blur, along, blurred, gradients, limits, .. } = canny;
        let (kernel, all) = ("blur_rows", each(pixels));
        launch!(
            device,
            kernels,
            kernel,
            all,
            &*grey,
            &*width,
            &*height,
            &*weights,
            &*blur,
            &mut *along
        )?;
        let kernel = "blur_columns";
        launch!(
            device,
            kernels,
            kernel,
            all,
            &*along,
            &*width,
            &*height,
            &*weights,
            &*blur,
            &mut *blurred
        )?;
        if automatic_limits {
            device.clear(histogram)?;
        }
        launch!(
            device,
            kernels,
            "canny_gradients",
            turns,
            &*blurred,
            &*width,
            &*height,
            &mut *gradients,
            histogram,
            &u32::from(automatic_limits),
            &mut *limits
        )?;
        canny.follow(device, [*width, *height], levels)
    }

    /// The edges as the host knows them.
    fn edge_map(&self, image: &Image, recipe: &Recipe, edges: &Packed) -> Result<EdgeMap> {
        let device = self.device;
        let words = device.download(&edges.upright, edges.upright.len())?;
        let pixels = places(&words, self.size);
        let method = self.method(recipe)?;
        let n = pixels.len() as u32;
        if n == 0 || matches!(recipe, Recipe::Drawing { .. }) {
            return Ok(EdgeMap::new(image, &pixels, Vec::new(), method));
        }
        let [width, height] = self.size;
        let places = device.upload(&pixels)?;
        let mut found = device.buffer::<[i32; 2]>(pixels.len())?;
        let kernels = Kernels::Pixels;
        match (recipe, &self.canny) {
            (Recipe::Canny { .. }, Some(Canny { gradients, .. })) => {
                let kernel = "gather_gradients";
                launch!(device, kernels, kernel, each(n), gradients, &places, &n, &mut found)?;
            }
            _ => {
                let (kernel, grey) = ("gather_sobel", &self.grey);
                launch!(
                    device,
                    kernels,
                    kernel,
                    each(n),
                    grey,
                    &width,
                    &height,
                    &places,
                    &n,
                    &mut found
                )?;
            }
        }
        let gradients = device.download(&found, pixels.len())?;
        Ok(EdgeMap::new(image, &pixels, gradients, method))
    }

    /// How the edges were found, with what the device chose.
    fn method(&self, recipe: &Recipe) -> Result<Method> {
        let device = self.device;
        Ok(match *recipe {
            Recipe::Drawing { dark, .. } => Method::Drawing { dark },
            Recipe::Sobel { .. } => {
                Method::Sobel { threshold: Some(device.get(&self.threshold, 0)? as u8) }
            }
            Recipe::Canny { sigma, thresholds } => match &self.canny {
                Some(canny) => Method::Canny {
                    sigma: Some(canny.sigma(device, sigma)?),
                    thresholds: Some(canny.thresholds(device, thresholds)?),
                },
                None => Method::Canny { sigma, thresholds },
            },
        })
    }
}

impl Canny {
    fn new(device: &Device, pixels: usize) -> Result<Canny> {
        Ok(Canny {
            weights: device.zeros(SIGMAS.len() * WEIGHTS)?,
            blur: device.zeros(1)?,
            along: device.buffer(pixels)?,
            blurred: device.buffer(pixels)?,
            gradients: device.buffer(pixels)?,
            limits: device.zeros(2)?,
            marks: device.buffer(pixels)?,
            parents: device.buffer(pixels)?,
            lit: device.buffer(pixels)?,
        })
    }

    /// Copies what is given, and the blurs to choose from.
    fn prepare(
        &mut self,
        device: &Device,
        sigma: Option<f64>,
        thresholds: Option<[f64; 2]>,
    ) -> Result<()> {
        let one = sigma.map(|s| [s]);
        let mut rows = vec![0; SIGMAS.len() * WEIGHTS];
        let sigmas = one.as_ref().map_or(&SIGMAS[..], |s| &s[..]);
        for (row, &sigma) in rows.chunks_mut(WEIGHTS).zip(sigmas) {
            let weights = blur_kernel(sigma);
            row[0] = weights.len() as u32;
            row[1..=weights.len()].copy_from_slice(&weights);
        }
        device.upload_into(&rows, &mut self.weights.slice_mut(0..))?;
        device.clear(&mut self.blur)?;
        let limits = thresholds.unwrap_or_default().map(limit);
        device.upload_into(&limits, &mut self.limits.slice_mut(0..))
    }

    /// The ridges of the gradient that hang together with strong ones.
    fn follow(
        &mut self,
        device: &Device,
        [width, height]: [u32; 2],
        levels: &mut CudaSlice<u8>,
    ) -> Result<()> {
        let Canny { gradients, limits, marks, parents, lit, .. } = self;
        let (kernels, pixels) = (Kernels::Pixels, width * height);
        let all = each(pixels);
        launch!(
            device,
            kernels,
            "canny_ridges",
            all,
            &*gradients,
            &width,
            &height,
            &*limits,
            &mut *marks,
            &mut *parents,
            &mut *lit
        )?;
        launch!(device, kernels, "join_ridges", all, &*marks, &width, &height, &mut *parents)?;
        launch!(device, kernels, "light_ridges", all, &*marks, &pixels, &mut *parents, &mut *lit)?;
        launch!(device, kernels, "keep_lit", all, &*marks, &pixels, &mut *parents, &*lit, levels)
    }

    fn sigma(&self, device: &Device, given: Option<f64>) -> Result<f64> {
        let chosen = || device.get(&self.blur, 0);
        given.map_or_else(|| Ok(SIGMAS[(chosen()? as usize).min(SIGMAS.len() - 1)]), Ok)
    }

    fn thresholds(&self, device: &Device, given: Option<[f64; 2]>) -> Result<[f64; 2]> {
        if let Some(given) = given {
            return Ok(given);
        }
        let squares = device.download(&self.limits, 2)?;
        Ok([squares[0], squares[1]].map(|square| (square.isqrt() >> 8) as f64))
    }
}

/// The places of the pixels that are set in lines of bits, ascending.
fn places(words: &[u32], [width, _]: [u32; 2]) -> Vec<u32> {
    let lines = words.chunks(width.div_ceil(WARP) as usize).zip((0u32..).step_by(width as usize));
    let mut places = Vec::new();
    for (line, start) in lines {
        for (&word, first) in line.iter().zip((start..).step_by(WARP as usize)) {
            let mut left = word;
            while left != 0 {
                places.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
    places
}

fn blocks(n: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (n, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
}

impl Cuda {
    /// The edges of an image: those of [`EdgeMap::find`], or `None` where there is no room.
    pub(super) fn find_edges(&self, image: &Image, method: &Method) -> Result<Option<EdgeMap>> {
        let recipe = Recipe::of(image, method)?;
        let find = || {
            let size = [image.width(), image.height()];
            let mut pixels = Pixels::new(self.first(), size)?;
            let mut edges = Packed::new(self.first(), size)?;
            pixels.upload(image.grey(), &recipe)?;
            pixels.find(&recipe, &mut edges)?;
            pixels.edge_map(image, &recipe, &edges)
        };
        if_room(find())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_pixels_row_by_row() {
        assert_eq!(places(&[1 << 31, 0b10, 0, 0b101], [35, 2]), [31, 33, 67, 69]);
        assert!(places(&[0; 3], [1, 3]).is_empty());
    }
}
