//! Measures the device's time.

use super::device::Device;
use super::kernels;
use super::launch::grid;
use crate::Result;
use cudarc::driver::CudaEvent;
use cudarc::driver::sys::CUevent_flags;

/// Nanoseconds in which the host queues some kernels.
const ASKING: u64 = 300_000;

impl Device {
    /// Does something and returns how long the device took, in seconds.
    pub fn timed<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
        let start = self.mark()?;
        let done = work()?;
        Ok((done, self.seconds(&start, &self.mark()?)?))
    }

    /// The same for work that does not wait for the device. The device is kept waiting until all of it is
    /// queued, so that the host's time for queueing does not count.
    pub fn timed_at_once<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
        self.wait()?;
        self.timed(work)
    }

    /// The same for several steps, each timed separately.
    pub fn timed_steps<T, const N: usize>(
        &self,
        of: &mut T,
        steps: [impl Fn(&mut T) -> Result<()>; N],
    ) -> Result<[f64; N]> {
        self.wait()?;
        let mut marks = vec![self.mark()?];
        for step in steps {
            step(of)?;
            marks.push(self.mark()?);
        }
        let mut seconds = [0.0; N];
        for (seconds, pair) in seconds.iter_mut().zip(marks.windows(2)) {
            *seconds = self.seconds(&pair[0], &pair[1])?;
        }
        Ok(seconds)
    }

    /// Keeps the device waiting for longer than the host needs to queue some kernels.
    fn wait(&self) -> Result<()> {
        kernels::wait::wait(self, grid(1, 1, 1, 0), ASKING)
    }

    /// An event that records the time.
    fn mark(&self) -> Result<CudaEvent> {
        let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
        self.stream().record_event(flags).map_err(|e| self.error("taking the time", e))
    }

    fn seconds(&self, start: &CudaEvent, end: &CudaEvent) -> Result<f64> {
        let ms = start.elapsed_ms(end).map_err(|e| self.error("taking the time", e))?;
        Ok(f64::from(ms) / 1e3)
    }
}
