//! Canny's edges.

use super::super::device::Device;
use super::super::kernels::pixels;
use super::super::launch::each;
use super::blocks::turns;
use crate::Result;
use crate::image::{SIGMAS, blur_kernel, limit};
use crate::shared::BLUR_NUMBERS;
use cudarc::driver::CudaSlice;

/// What Canny's method needs in addition.
pub(super) struct Canny {
    /// Rows of weights, and the index of the row to use.
    weights: CudaSlice<u32>,
    blur: CudaSlice<u32>,
    along: CudaSlice<u16>,
    blurred: CudaSlice<u16>,
    pub gradients: CudaSlice<[i32; 2]>,
    /// Squares of the lower and the upper threshold.
    limits: CudaSlice<u64>,
    marks: CudaSlice<u8>,
    parents: CudaSlice<u32>,
    lit: CudaSlice<u8>,
}

impl Canny {
    pub fn new(device: &Device, pixels: usize) -> Result<Canny> {
        Ok(Canny {
            weights: device.zeros(SIGMAS.len() * BLUR_NUMBERS)?,
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

    /// Copies the given parameters, or the blurs to choose from.
    pub fn prepare(
        &mut self,
        device: &Device,
        sigma: Option<f64>,
        thresholds: Option<[f64; 2]>,
    ) -> Result<()> {
        let one = sigma.map(|s| [s]);
        let mut rows = vec![0; SIGMAS.len() * BLUR_NUMBERS];
        let sigmas = one.as_ref().map_or(&SIGMAS[..], |s| &s[..]);
        for (row, &sigma) in rows.chunks_mut(BLUR_NUMBERS).zip(sigmas) {
            let weights = blur_kernel(sigma);
            row[0] = weights.len() as u32;
            row[1..=weights.len()].copy_from_slice(&weights);
        }
        device.upload_into(&rows, &mut self.weights.slice_mut(0..))?;
        device.clear(&mut self.blur)?;
        let limits = thresholds.unwrap_or_default().map(limit);
        device.upload_into(&limits, &mut self.limits.slice_mut(0..))
    }

    /// Finds Canny's edges of a grey image, 255 in `levels`; blur and thresholds are automatic or given.
    pub fn find(
        &mut self,
        device: &Device,
        [width, height]: [u32; 2],
        grey: &CudaSlice<u8>,
        [automatic_blur, automatic_limits]: [bool; 2],
        histogram: &mut CudaSlice<u32>,
        levels: &mut CudaSlice<u8>,
    ) -> Result<()> {
        let turns = turns(device);
        let all = each(width * height);
        let Canny { weights, blur, along, blurred, gradients, limits, .. } = self;
        if automatic_blur {
            pixels::noise_levels(device, turns, grey, width, height, histogram, blur)?;
        }
        pixels::blur_rows(device, all, grey, width, height, weights, blur, along)?;
        pixels::blur_columns(device, all, along, width, height, weights, blur, blurred)?;
        pixels::canny_gradients(
            device,
            turns,
            blurred,
            width,
            height,
            gradients,
            histogram,
            u32::from(automatic_limits),
            limits,
        )?;
        self.follow(device, [width, height], levels)
    }

    /// The ridges of the gradient that are connected to strong ones.
    fn follow(
        &mut self,
        device: &Device,
        [width, height]: [u32; 2],
        levels: &mut CudaSlice<u8>,
    ) -> Result<()> {
        let Canny { gradients, limits, marks, parents, lit, .. } = self;
        let all_pixels = width * height;
        let all = each(all_pixels);
        pixels::canny_ridges(device, all, gradients, width, height, limits, marks, parents, lit)?;
        pixels::join_ridges(device, all, marks, width, height, parents)?;
        pixels::light_ridges(device, all, marks, all_pixels, parents, lit)?;
        pixels::keep_lit(device, all, marks, all_pixels, parents, lit, levels)
    }

    pub fn sigma(&self, device: &Device, given: Option<f64>) -> Result<f64> {
        let chosen = || device.get(&self.blur, 0);
        given.map_or_else(|| Ok(SIGMAS[(chosen()? as usize).min(SIGMAS.len() - 1)]), Ok)
    }

    pub fn thresholds(&self, device: &Device, given: Option<[f64; 2]>) -> Result<[f64; 2]> {
        if let Some(given) = given {
            return Ok(given);
        }
        let squares = device.download(&self.limits, 2)?;
        Ok([squares[0], squares[1]].map(|square| (square.isqrt() >> 8) as f64))
    }
}
