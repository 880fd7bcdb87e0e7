//! Large copies between host and device.
//!
//! The device copies by itself to and from pages that the system cannot move. So a large copy goes through
//! two small buffers of such pages: all cores fill or empty one while the device works on the other. Memory
//! that is new to the process is then also touched by many cores at once.

use cudarc::driver::{
    CudaContext, CudaEvent, CudaStream, CudaView, CudaViewMut, DriverError, PinnedHostSlice,
};
use rayon::prelude::*;
use std::sync::Arc;

/// Bytes of a buffer.
const BUFFER: usize = 8 << 20;
/// Bytes that one thread copies at a time.
const PIECE: usize = 1 << 18;
/// Copies of fewer bytes are left to the driver.
pub(super) const LARGE: usize = 1 << 20;

/// Two buffers of pinned memory, used in turn.
pub(super) struct Staging {
    buffers: [Buffer; 2],
    next: usize,
}

struct Buffer {
    bytes: PinnedHostSlice<u8>,
    /// When the device is done with the buffer.
    done: Option<CudaEvent>,
}

impl Buffer {
    fn new(context: &Arc<CudaContext>) -> Result<Buffer, DriverError> {
        // SAFETY: plain bytes, all of which are written before they are read.
        let bytes = unsafe { context.alloc_pinned_with_flags(BUFFER, 0) }?;
        Ok(Buffer { bytes, done: None })
    }

    fn wait(&mut self) -> Result<(), DriverError> {
        self.done.take().map_or(Ok(()), |done| done.synchronize())
    }

    /// Copies out what the device wrote.
    fn empty(&mut self, to: &mut [u8]) -> Result<(), DriverError> {
        self.wait()?;
        copy(&self.bytes.as_slice()?[..to.len()], to);
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // The device may still read or write it. An error will be reported by the next use of the device.
        let _ = self.wait();
    }
}

impl Staging {
    pub fn new(context: &Arc<CudaContext>) -> Result<Staging, DriverError> {
        Ok(Staging { buffers: [Buffer::new(context)?, Buffer::new(context)?], next: 0 })
    }

    /// Copies bytes to the device. The host's bytes may change as soon as this returns; the device has them
    /// before any work queued on the stream later.
    pub fn upload(
        &mut self,
        stream: &Arc<CudaStream>,
        from: &[u8],
        to: &mut CudaViewMut<u8>,
    ) -> Result<(), DriverError> {
        for (piece, start) in from.chunks(BUFFER).zip((0..).step_by(BUFFER)) {
            let buffer = self.turn()?;
            let pinned = &mut buffer.bytes.as_mut_slice()?[..piece.len()];
            copy(piece, pinned);
            stream.memcpy_htod(&*pinned, &mut to.slice_mut(start..start + piece.len()))?;
            buffer.done = Some(stream.record_event(None)?);
        }
        Ok(())
    }

    /// Copies bytes from the device, and waits for them.
    pub fn download(
        &mut self,
        stream: &Arc<CudaStream>,
        from: &CudaView<u8>,
        to: &mut [u8],
    ) -> Result<(), DriverError> {
        let mut before: Option<(usize, &mut [u8])> = None;
        for (piece, start) in to.chunks_mut(BUFFER).zip((0..).step_by(BUFFER)) {
            let number = self.next;
            let buffer = self.turn()?;
            let pinned = &mut buffer.bytes.as_mut_slice()?[..piece.len()];
            stream.memcpy_dtoh(&from.slice(start..start + piece.len()), pinned)?;
            buffer.done = Some(stream.record_event(None)?);
            if let Some((number, piece)) = before.replace((number, piece)) {
                self.buffers[number].empty(piece)?;
            }
        }
        before.map_or(Ok(()), |(number, piece)| self.buffers[number].empty(piece))
    }

    /// The next buffer, as soon as the device is done with it.
    fn turn(&mut self) -> Result<&mut Buffer, DriverError> {
        let buffer = &mut self.buffers[self.next];
        self.next = (self.next + 1) % 2;
        buffer.wait()?;
        Ok(buffer)
    }
}

/// Copies on all cores.
fn copy(from: &[u8], to: &mut [u8]) {
    let pieces = to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE));
    pieces.for_each(|(to, from)| to.copy_from_slice(from));
}
