//! Every voter on an image.

use super::super::stopwatch::{Limits, Timing, linear, repeat};
use super::image_bench::ImageBench;
use super::published;
use super::report::VoterRow;
use crate::papers::line_voters::{EdgeImage, LineVotes, PaperSpace, Steps, Version, cpu, slices};
use crate::space::Space;
use crate::{Error, Result};
use std::hint::black_box;
use std::time::Instant;

/// Number of edges with which the search for the serial loop's speed begins.
const FIRST: usize = 256;

/// An image in a space, its reference accumulator, and the serial loop's time.
struct Reference<'a> {
    image: &'a EdgeImage,
    spaces: &'a [Space],
    counts: Vec<Vec<u32>>,
    /// Half of the largest count.
    threshold: u32,
    serial: Timing,
    /// Number of edges that the serial loop voted with.
    compared: usize,
}

impl<'a> Reference<'a> {
    fn new(image: &'a EdgeImage, spaces: &'a [Space]) -> Result<Reference<'a>> {
        let edges: Vec<[u16; 2]> = image.edges().map(|p| p.map(|v| v as u16)).collect();
        let (mut compared, mut counts) = (0, Vec::new());
        let serial = linear(edges.len().max(1), FIRST, Limits::CPU, |n| {
            compared = n.min(edges.len());
            let part = some(image, &edges[..compared]);
            let start = Instant::now();
            counts = spaces.iter().map(|space| cpu::serial(&part, space)).collect();
            Ok(start.elapsed().as_secs_f64())
        })?;
        let part = some(image, &edges[..compared]);
        if counts != all_cores(&part, spaces) {
            return Err(wrong(Version::AllCores));
        }
        if compared < edges.len() {
            counts = all_cores(image, spaces);
        }
        let most = counts.iter().flatten().copied().max().unwrap_or(0);
        Ok(Reference { image, spaces, counts, threshold: most / 2, serial, compared })
    }

    fn check(&self, version: Version, counts: &[Vec<u32>]) -> Result<()> {
        if counts == self.counts { Ok(()) } else { Err(wrong(version)) }
    }

    /// The plain selection on the CPU.
    fn select(&self) -> Result<Timing> {
        repeat(|| {
            let start = Instant::now();
            for counts in &self.counts {
                let above = (0u32..).zip(counts).filter(|p| *p.1 > self.threshold);
                black_box(above.map(|p| p.0).collect::<Vec<u32>>());
            }
            Ok(start.elapsed().as_secs_f64())
        })
    }
}

/// The same image with some of its edges.
fn some(image: &EdgeImage, edges: &[[u16; 2]]) -> EdgeImage {
    EdgeImage::new(image.size, edges.iter().copied()).with_origin(image.origin)
}

fn all_cores(image: &EdgeImage, spaces: &[Space]) -> Vec<Vec<u32>> {
    spaces.iter().map(|space| cpu::all_cores(image, space)).collect()
}

fn wrong(version: Version) -> Error {
    let message = "its accumulator is not that of the serial loop".into();
    Error::Device { device: version.name().into(), message }
}

/// How long the steps of a version take.
struct Measured {
    list: Timing,
    vote: Timing,
    select: Timing,
    transfers: Timing,
}

impl ImageBench<'_> {
    /// Measures every voter on an image in one space. Voters whose rows do not fit on the device are left
    /// out.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an image that the space cannot take; [`Error::Device`] if a device
    /// fails, or its votes differ from the CPU's.
    pub fn voters(
        &self,
        table: &str,
        column: &str,
        image: &EdgeImage,
        space: PaperSpace,
    ) -> Result<Vec<VoterRow>> {
        let (image, spaces) = space.of(image)?;
        let reference = Reference::new(&image, &spaces)?;
        let mut on_gpu = self.gpu.map(|gpu| LineVotes::new(gpu, &image, &spaces)).transpose()?;
        let edges = image.edges().count() as u64;
        let rows: usize = spaces.iter().map(Space::rows).sum();
        let mut measured = Vec::new();
        for &version in &self.versions {
            if version.needs_slopes() && spaces.len() != 2 {
                continue;
            }
            let found = match (&mut on_gpu, version.is_on_the_cpu()) {
                (_, true) => Some(reference.on_cpu(version)?),
                (Some(votes), false) => reference.on_gpu(votes, version)?,
                (None, false) => None,
            };
            let Some(Measured { list, vote, select, transfers }) = found else { continue };
            measured.push(VoterRow {
                table: table.into(),
                column: column.into(),
                size: image.size,
                edges,
                space,
                voter: version.name().into(),
                list,
                vote,
                select,
                transfers,
                total: Timing::sum(&[list, vote, select, transfers]),
                votes_per_second: (edges * rows as u64) as f64 / vote.seconds.max(1e-9),
                speedup: None,
                paper: published::seconds(version, space, image.size, edges),
                compared_with_serial: reference.compared as u64,
            });
        }
        compare_with_serial(&mut measured);
        Ok(measured)
    }
}

/// Fills in the speed-up of each row over the serial loop.
fn compare_with_serial(rows: &mut [VoterRow]) {
    let serial = rows.iter().find(|row| row.voter == Version::Serial.name());
    let Some(serial) = serial.map(|row| row.total.seconds) else { return };
    for row in rows {
        row.speedup = Some(serial / row.total.seconds.max(1e-9));
    }
}

impl Reference<'_> {
    fn on_cpu(&self, version: Version) -> Result<Measured> {
        let vote = match (version, self.spaces) {
            (Version::Serial, _) => self.serial,
            (Version::AllCoresSlices, [first, second]) => {
                let both = [first.clone(), second.clone()];
                self.check(version, &slices(self.image, &both)?)?;
                clocked(|| slices(self.image, &both).map(|votes| drop(black_box(votes))))?
            }
            _ => clocked(|| {
                black_box(all_cores(self.image, self.spaces));
                Ok(())
            })?,
        };
        let select = self.select()?;
        Ok(Measured { list: Timing::NONE, vote, select, transfers: Timing::NONE })
    }

    /// `None` if its rows do not fit.
    fn on_gpu(&self, votes: &mut LineVotes, version: Version) -> Result<Option<Measured>> {
        match votes.vote(version) {
            Err(Error::Parameter(_)) => return Ok(None),
            done => done?,
        };
        self.check(version, &votes.counts()?)?;
        let mut runs: Vec<Steps> = Vec::new();
        repeat(|| {
            let steps = votes.vote(version)?;
            runs.push(steps);
            Ok(steps.edges + steps.vote)
        })?;
        // The first one warms up.
        runs.remove(0);
        let middle = |of: fn(&Steps) -> f64| {
            let mut seconds: Vec<f64> = runs.iter().map(of).collect();
            seconds.sort_by(f64::total_cmp);
            Timing { seconds: seconds[seconds.len() / 2], runs: seconds.len(), part: 1.0 }
        };
        let has_list = runs.iter().any(|steps| steps.edges > 0.0);
        Ok(Some(Measured {
            list: if has_list { middle(|s| s.edges) } else { Timing::NONE },
            vote: middle(|s| s.vote),
            select: repeat(|| Ok(votes.above(self.threshold)?.1))?,
            transfers: repeat(|| votes.copy(self.image, version))?,
        }))
    }
}

/// Times work by the clock.
fn clocked(mut work: impl FnMut() -> Result<()>) -> Result<Timing> {
    repeat(|| {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed().as_secs_f64())
    })
}
