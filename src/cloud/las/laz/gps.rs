//! GPS times in compressed points.
//!
//! The decoder of the `laz` crate calls itself for each change from one sequence of times to another.
//! Damaged data can ask for a million changes in a row, and a stack that overflows ends the program.

use laz::{
    decoders::ArithmeticDecoder,
    decompressors::{IntegerDecompressor, IntegerDecompressorBuilder},
    models::{ArithmeticModel, ArithmeticModelBuilder},
    record::FieldDecompressor,
};
use std::io::{Error, ErrorKind, Read, Result};

/// Largest multiple of the last difference that has a symbol; the smallest is −10.
const LARGEST: u32 = 500;
/// The symbol for −10 times the last difference.
const SMALLEST: u32 = LARGEST + 10;
/// The symbol for a time that has not changed.
const UNCHANGED: u32 = SMALLEST + 1;
/// The symbol for a time that starts a sequence; those behind change to another one.
const START: u32 = UNCHANGED + 1;
/// Symbols where the last difference is not zero, and where it is.
const SYMBOLS: [u32; 2] = [START + 4, 6];
/// Changes of sequence before one time; writers make one at most.
const MOST_CHANGES: usize = 4;

/// The state of the decoder: up to four sequences of times.
pub(super) struct GpsTimes {
    models: [ArithmeticModel; 2],
    integers: IntegerDecompressor,
    sequence: usize,
    newest: usize,
    /// Last time in each sequence: the bits of a floating-point number.
    times: [i64; 4],
    /// Last difference in each sequence.
    differences: [i32; 4],
    /// Unusual differences in a row in each sequence.
    unusual: [u8; 4],
}

impl Default for GpsTimes {
    fn default() -> GpsTimes {
        GpsTimes {
            models: SYMBOLS.map(|symbols| ArithmeticModelBuilder::new(symbols).build()),
            integers: IntegerDecompressorBuilder::new().bits(32).contexts(9).build_initialized(),
            sequence: 0,
            newest: 0,
            times: [0; 4],
            differences: [0; 4],
            unusual: [0; 4],
        }
    }
}

impl<R: Read> FieldDecompressor<R> for GpsTimes {
    fn size_of_field(&self) -> usize {
        8
    }

    fn decompress_first(&mut self, source: &mut R, time: &mut [u8]) -> Result<()> {
        source.read_exact(time)?;
        self.times[0] = time.first_chunk().map_or(0, |time| i64::from_le_bytes(*time));
        Ok(())
    }

    fn decompress_with(
        &mut self,
        decoder: &mut ArithmeticDecoder<R>,
        time: &mut [u8],
    ) -> Result<()> {
        for _ in 0..=MOST_CHANGES {
            let change = match self.differences[self.sequence] {
                0 => self.after_none(decoder)?,
                difference => self.after(difference, decoder)?,
            };
            match change {
                Some(by) => self.sequence = (self.sequence + by as usize) % 4,
                None => {
                    time.copy_from_slice(&self.times[self.sequence].to_le_bytes());
                    return Ok(());
                }
            }
        }
        Err(Error::new(ErrorKind::InvalidData, "too many changes between sequences of times"))
    }
}

impl GpsTimes {
    /// Decodes a time where the last difference is zero, or by how many sequences to move on.
    fn after_none<R: Read>(&mut self, decoder: &mut ArithmeticDecoder<R>) -> Result<Option<u32>> {
        match decoder.decode_symbol(&mut self.models[1])? {
            0 => {}
            1 => {
                let difference = self.integers.decompress(decoder, 0, 0)?;
                self.differences[self.sequence] = difference;
                self.unusual[self.sequence] = 0;
                self.move_on(difference);
            }
            2 => self.start(decoder)?,
            other => return Ok(Some(other - 2)),
        }
        Ok(None)
    }

    /// Decodes a time after a difference that is not zero, or by how many sequences to move on.
    fn after<R: Read>(
        &mut self,
        difference: i32,
        decoder: &mut ArithmeticDecoder<R>,
    ) -> Result<Option<u32>> {
        let symbol = decoder.decode_symbol(&mut self.models[0])?;
        // The multiple of the last difference that predicts this one, and the context of the rest.
        let (multiple, context) = match symbol {
            0 => (0, 7),
            1 => (1, 1),
            2..10 => (symbol as i32, 2),
            10..LARGEST => (symbol as i32, 3),
            LARGEST => (LARGEST as i32, 4),
            _ if symbol < SMALLEST => (LARGEST as i32 - symbol as i32, 5),
            SMALLEST => (-10, 6),
            UNCHANGED => return Ok(None),
            START => return self.start(decoder).map(|()| None),
            _ => return Ok(Some(symbol - START)),
        };
        let predicted = difference.wrapping_mul(multiple);
        let decoded = self.integers.decompress(decoder, predicted, context)?;
        self.move_on(decoded);
        match symbol {
            1 => self.unusual[self.sequence] = 0,
            0 | LARGEST | SMALLEST => self.count_unusual(decoded),
            _ => {}
        }
        Ok(None)
    }

    fn move_on(&mut self, difference: i32) {
        let time = &mut self.times[self.sequence];
        *time = time.wrapping_add(difference.into());
    }

    /// After four unusual differences the last of them is what differences are measured by.
    fn count_unusual(&mut self, difference: i32) {
        let unusual = &mut self.unusual[self.sequence];
        *unusual += 1;
        if *unusual > 3 {
            *unusual = 0;
            self.differences[self.sequence] = difference;
        }
    }

    /// Starts a sequence in place of the oldest.
    fn start<R: Read>(&mut self, decoder: &mut ArithmeticDecoder<R>) -> Result<()> {
        let predicted = (self.times[self.sequence] >> 32) as i32;
        let high = self.integers.decompress(decoder, predicted, 8)?;
        let low = decoder.read_int()?;
        self.newest = (self.newest + 1) % 4;
        self.sequence = self.newest;
        self.times[self.sequence] = i64::from(high) << 32 | i64::from(low);
        self.differences[self.sequence] = 0;
        self.unusual[self.sequence] = 0;
        Ok(())
    }
}
