//! The edges of a grey image.

use super::super::device::{Device, if_room};
use super::super::gpus::Cuda;
use super::super::kernels::pixels;
use super::super::launch::each;
use super::blocks::turns;
use super::canny::Canny;
use super::packed::Packed;
use crate::Result;
use crate::image::{EdgeMap, Image, Method, Recipe};
use crate::shared::{FINE_LEVELS, PIXEL_MARGIN, WARP};
use cudarc::driver::CudaSlice;

/// A grey image on the device, and room to find its edges.
pub(crate) struct Pixels<'a> {
    device: &'a Device,
    size: [u32; 2],
    grey: CudaSlice<u8>,
    /// The values that decide what is an edge.
    levels: CudaSlice<u8>,
    /// Zeros, except while a kernel counts.
    histogram: CudaSlice<u32>,
    /// The highest level that is not an edge.
    threshold: CudaSlice<u32>,
    canny: Option<Canny>,
}

impl<'a> Pixels<'a> {
    /// Room for images of one size.
    pub fn new(device: &'a Device, size: [u32; 2]) -> Result<Pixels<'a>> {
        let pixels = size[0] as usize * size[1] as usize;
        Ok(Pixels {
            device,
            size,
            grey: device.zeros(pixels + PIXEL_MARGIN)?,
            levels: device.zeros(pixels + PIXEL_MARGIN)?,
            // The counter of blocks comes after the levels.
            histogram: device.zeros(FINE_LEVELS + 1)?,
            threshold: device.zeros(1)?,
            canny: None,
        })
    }

    /// Copies an image to the device and prepares for finding its edges.
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

    /// Finds the edges of the image that was copied for this recipe, and clears `counts` on the way.
    pub fn find(
        &mut self,
        recipe: &Recipe,
        edges: &mut Packed,
        counts: Option<&mut CudaSlice<u32>>,
    ) -> Result<()> {
        match *recipe {
            Recipe::Drawing { dark, .. } => {
                let Pixels { device, grey, threshold, .. } = self;
                return edges.fill(device, grey, threshold, dark, true, counts);
            }
            Recipe::Sobel { threshold } => self.sobel(threshold.is_none())?,
            Recipe::Canny { sigma, thresholds } => {
                let Pixels { device, size, grey, levels, histogram, canny, .. } = self;
                if let Some(canny) = canny {
                    let automatic = [sigma.is_none(), thresholds.is_none()];
                    canny.find(device, *size, grey, automatic, histogram, levels)?;
                }
            }
        }
        edges.fill(self.device, &self.levels, &self.threshold, false, true, counts)
    }

    fn sobel(&mut self, automatic: bool) -> Result<()> {
        let Pixels { device, size: [width, height], grey, levels, histogram, threshold, .. } = self;
        pixels::sobel_levels(
            device,
            turns(device),
            grey,
            *width,
            *height,
            levels,
            histogram,
            u32::from(automatic),
            threshold,
        )
    }

    /// The edges as the host represents them.
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
        match (recipe, &self.canny) {
            (Recipe::Canny { .. }, Some(Canny { gradients, .. })) => {
                pixels::gather_gradients(device, each(n), gradients, &places, n, &mut found)?;
            }
            _ => {
                let grey = &self.grey;
                pixels::gather_sobel(device, each(n), grey, width, height, &places, n, &mut found)?;
            }
        }
        let gradients = device.download(&found, pixels.len())?;
        Ok(EdgeMap::new(image, &pixels, gradients, method))
    }

    /// The method by which the edges were found, with the parameters that the device chose.
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

/// The indices of the pixels that are set in lines of bits, ascending.
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

impl Cuda {
    /// The edges of an image: those of [`EdgeMap::find`], or `None` if there is no room.
    pub(in super::super) fn find_edges(
        &self,
        image: &Image,
        method: &Method,
    ) -> Result<Option<EdgeMap>> {
        let recipe = Recipe::of(image, method)?;
        let find = || {
            let size = [image.width(), image.height()];
            let mut pixels = Pixels::new(self.first(), size)?;
            let mut edges = Packed::new(self.first(), size)?;
            pixels.upload(image.grey(), &recipe)?;
            pixels.find(&recipe, &mut edges, None)?;
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
