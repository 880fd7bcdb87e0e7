//! The main entry: from points in memory, or from a file, to planes.

use crate::backend::Backend;
use crate::cloud::{
    Choice, Chunk, Format, IN_MEMORY, PointCloud, PointReader, Source, StoredPass, StoredReader,
    read_points,
};
use crate::cpu::Cpu;
use crate::cuda::Cuda;
use crate::detect::{Loaded, Mode, Options, Progress, begin, detect_held, least_memory, load_onto};
use crate::detection::Detection;
use crate::{Error, Result, memory};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Points that are read at a time.
const CHUNK: usize = 1 << 18;

/// Finds the planes of points that are in memory, without any parameters.
///
/// This is [`Detector::new`] followed by [`Detector::detect`]; keep a [`Detector`] for more than one cloud.
///
/// ```
/// // Two walls that meet, in metres.
/// let point = |i: u32| {
///     let (along, up) = (f64::from(i % 100) * 0.04, f64::from(i / 200) * 0.05);
///     let rough = f64::from(i * 7919 % 1009) * 2e-6;
///     if i / 100 % 2 == 0 { [along, rough, up] } else { [rough, along, up] }
/// };
/// let points: Vec<[f64; 3]> = (0..10_000).map(point).collect();
///
/// let found = planes::detect(&points)?;
/// assert_eq!(found.planes.len(), 2);
/// assert_eq!(found.labels.len(), points.len());
/// assert!(found.planes[0].normal[2].abs() < 1e-3);
/// # Ok::<(), planes::Error>(())
/// ```
///
/// # Errors
/// As for [`Detector::detect`].
pub fn detect(points: &(impl PointCloud + ?Sized)) -> Result<Detection> {
    Detector::new().detect(points)
}

/// The device that searches. The planes are the same on each, to the last bit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Device {
    /// The first NVIDIA GPU if one works, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU, on all threads of the caller's rayon pool.
    Cpu,
    /// The first NVIDIA GPU.
    Cuda,
}

impl Device {
    /// Starts the device, which takes a third of a second on a GPU.
    ///
    /// # Errors
    /// [`Error::NoDevice`] and [`Error::Device`] for [`Device::Cuda`] if no GPU works.
    pub fn start(self) -> Result<Box<dyn Backend>> {
        match self {
            Device::Cuda => Ok(Box::new(Cuda::new()?)),
            Device::Auto => match Cuda::new() {
                Ok(gpu) => Ok(Box::new(gpu)),
                Err(_) => Ok(Box::new(Cpu::default())),
            },
            Device::Cpu => Ok(Box::new(Cpu::default())),
        }
    }
}

/// Finds planes: holds the options, the device, and who is told of the progress.
///
/// A detector starts its device with its first cloud and keeps it; several threads may share one.
///
/// ```
/// use planes::{Detector, Device, Options};
///
/// let options = Options { top: Some(10), ..Options::default() };
/// let detector = Detector::new().options(options).device(Device::Cpu);
/// let found = detector.detect_file("clouds/room.ply".as_ref())?;
/// assert_eq!(found.planes.len(), 10);
/// // The room's floor is its largest plane, and level.
/// assert!(found.planes[0].normal[2] > 0.9999);
/// # Ok::<(), planes::Error>(())
/// ```
#[derive(Default)]
pub struct Detector<'a> {
    options: Options,
    choice: Choice,
    device: Device,
    progress: Option<&'a (dyn Progress + Sync)>,
    cancelled: Option<&'a AtomicBool>,
    backend: OnceLock<Arc<dyn Backend>>,
}

impl std::fmt::Debug for Detector<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Detector { options, choice, device, .. } = self;
        let mut shown = f.debug_struct("Detector");
        shown.field("options", options).field("choice", choice).field("device", device);
        shown.finish_non_exhaustive()
    }
}

impl<'a> Detector<'a> {
    /// A detector with default options.
    pub fn new() -> Detector<'a> {
        Detector::default()
    }

    /// Sets the options.
    #[must_use]
    pub fn options(self, options: Options) -> Detector<'a> {
        Detector { options, ..self }
    }

    /// Sets which points are searched; the others get no plane. Points in memory have no classes.
    #[must_use]
    pub fn choice(self, choice: Choice) -> Detector<'a> {
        Detector { choice, ..self }
    }

    /// Sets the device that searches.
    #[must_use]
    pub fn device(self, device: Device) -> Detector<'a> {
        Detector { device, backend: OnceLock::new(), ..self }
    }

    /// Sets a device that the caller has started: a GPU other than the first, several GPUs, or a
    /// [voter](crate::cpu::Voter) of the CPU. Several detectors may share one in an `Arc`.
    #[must_use]
    pub fn backend(self, backend: impl Into<Arc<dyn Backend>>) -> Detector<'a> {
        Detector { backend: OnceLock::from(backend.into()), ..self }
    }

    /// Sets who is told of the progress.
    #[must_use]
    pub fn progress(self, progress: &'a (dyn Progress + Sync)) -> Detector<'a> {
        Detector { progress: Some(progress), ..self }
    }

    /// Sets a flag that ends the search with [`Error::Cancelled`] once it is set: before the next chunk is
    /// read, the next stage, or the next candidate for a plane. The last stage, the outlines, always runs to
    /// its end.
    #[must_use]
    pub fn cancelled_by(self, flag: &'a AtomicBool) -> Detector<'a> {
        Detector { cancelled: Some(flag), ..self }
    }

    /// Finds the planes of points in memory. Labels are in the order of the points.
    ///
    /// # Errors
    /// [`Error::Parameter`] for invalid options, [`Error::Degenerate`] if no point is finite,
    /// [`Error::Memory`], [`Error::Cancelled`], and errors of the device. Errors that name a file say
    /// `points in memory` instead.
    pub fn detect(&self, points: &(impl PointCloud + ?Sized)) -> Result<Detection> {
        if self.choice.classes.is_some() {
            let message = "`classes`: points in memory have no class";
            return Err(Error::Parameter(message.into()));
        }
        points.check()?;
        let open = || Ok(read_points(points));
        let describe = |cloud: &mut Loaded| {
            cloud.row_length = points.row_length();
            Ok(())
        };
        self.search(Path::new(IN_MEMORY), &open, Some(points.len() as u64), &describe)
    }

    /// Finds the planes of a cloud in a file, whose format is recognized by its content.
    ///
    /// # Errors
    /// As for [`Detector::detect`], and, with the place, if the file cannot be read.
    pub fn detect_file(&self, path: &Path) -> Result<Detection> {
        self.detect_source(&Source::open(path)?)
    }

    /// Finds the planes of a cloud that is open already.
    ///
    /// # Errors
    /// As for [`Detector::detect_file`].
    pub fn detect_source(&self, source: &Source) -> Result<Detection> {
        self.choice.check(source)?;
        self.options.check_source(source)?;
        let open = || self.choice.reader(source);
        // A header may promise more points than the file has bytes; the reader judges that.
        let most = if source.format() == Format::MEMORY { u64::MAX } else { source.size() };
        let promised = source.info().points.map(|points| points.min(most));
        self.search(source.path(), &open, promised, &|cloud| cloud.describe(source))
    }

    /// Finds the planes of a cloud that can be read repeatedly. `describe` adds what is known of its points as a whole.
    fn search<'r>(
        &self,
        path: &Path,
        open: &dyn Fn() -> Result<Box<dyn PointReader + 'r>>,
        points: Option<u64>,
        describe: &dyn Fn(&mut Loaded) -> Result<()>,
    ) -> Result<Detection> {
        self.options.check()?;
        let watch = Watch { progress: self.progress, cancelled: self.cancelled };
        begin(&watch, "reading", points)?;
        let wants_cells = self.options.mode != Mode::OnePass;
        let check = |points| memory::check(path, least_memory(points, wants_cells));
        check(points.and_then(|points| self.choice.of(points)).unwrap_or(0))?;
        let backend = self.started()?;
        let open = || -> Result<Box<dyn PointReader + '_>> {
            Ok(Box::new(Watched { reader: open()?, watch: &watch }))
        };
        let read = |points| watch.advance(points);
        // The one-pass mode copies the points when it votes.
        let ready = || wants_cells.then_some(backend);
        let (mut cloud, held) = load_onto(path, &open, &self.choice, CHUNK, &read, &ready)?;
        describe(&mut cloud)?;
        check(cloud.points.len() as u64)?;
        detect_held(cloud, held, &self.options, backend, &watch)
    }

    /// The device, once it has started.
    fn started(&self) -> Result<&dyn Backend> {
        let backend = match self.backend.get() {
            Some(backend) => backend,
            None => {
                let started = self.device.start()?.into();
                // If another thread was faster, its device is used.
                self.backend.get_or_init(|| started)
            }
        };
        Ok(backend.as_ref())
    }
}

/// Who is told of the progress, and what may cancel the search.
struct Watch<'a> {
    progress: Option<&'a (dyn Progress + Sync)>,
    cancelled: Option<&'a AtomicBool>,
}

impl Progress for Watch<'_> {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.progress.inspect(|progress| progress.stage(name, total));
    }

    fn advance(&self, points: u64) {
        self.progress.inspect(|progress| progress.advance(points));
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|flag| flag.load(Relaxed))
            || self.progress.is_some_and(|progress| progress.is_cancelled())
    }
}

/// A reader that fails once the search is cancelled.
struct Watched<'a, 'r> {
    reader: Box<dyn PointReader + 'r>,
    watch: &'a Watch<'a>,
}

impl PointReader for Watched<'_, '_> {
    fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
        match self.watch.is_cancelled() {
            true => Err(Error::Cancelled),
            false => self.reader.read(chunk, limit),
        }
    }

    fn is_cheap(&self) -> bool {
        self.reader.is_cheap()
    }

    fn stored(&mut self) -> Option<StoredPass<'_>> {
        let StoredPass { points, meaning, .. } = self.reader.stored()?;
        Some(StoredPass { points, meaning, reader: self })
    }
}

impl StoredReader for Watched<'_, '_> {
    fn read(&mut self, columns: [&mut [f32]; 3]) -> Result<usize> {
        match self.reader.stored() {
            _ if self.watch.is_cancelled() => Err(Error::Cancelled),
            Some(pass) => pass.reader.read(columns),
            None => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;

    /// A floor and a wall, with a little roughness, at survey coordinates.
    fn points(n: u32) -> Vec<[f64; 3]> {
        let point = |i: u32| {
            let [u, v] = [7919, 104_729].map(|k| f64::from(i.wrapping_mul(k) % 10_007) * 1e-3);
            let rough = f64::from(i.wrapping_mul(48_271) % 1009) * 2e-6;
            let p = if i.is_multiple_of(2) { [u, v, rough] } else { [rough, u, v] };
            [p[0] + 500_000.0, p[1] + 4_600_000.0, p[2]]
        };
        (0..n).map(point).collect()
    }

    fn detector() -> Detector<'static> {
        Detector::new().device(Device::Cpu)
    }

    #[test]
    fn every_layout_gives_the_same_planes() {
        let points = points(30_000);
        let found = detector().detect(&points).unwrap();
        assert_eq!((found.planes.len(), found.labels.len()), (2, points.len()));
        assert_eq!(detector().detect(points.as_slice()).unwrap(), found);
        let few: [[f64; 3]; 3] = [points[0], points[1], points[2]];
        assert_eq!(detector().detect(&few).unwrap().labels, [-1; 3]);
        let odd = detector().detect(&[&[1.0][..], &[2.0, 3.0], &[4.0]]).unwrap_err().to_string();
        assert_eq!(odd, "there are 1 x, 2 y and 1 z coordinates");
        let axes = [0, 1, 2].map(|a| points.iter().map(|p| p[a]).collect::<Vec<f64>>());
        assert_eq!(detector().detect(&axes.each_ref().map(Vec::as_slice)).unwrap(), found);
        let single: Vec<[f32; 3]> =
            points.iter().map(|p| [p[0] - 5e5, p[1] - 4.6e6, p[2]].map(|v| v as f32)).collect();
        let double: Vec<[f64; 3]> = single.iter().map(|p| p.map(f64::from)).collect();
        assert_eq!(detector().detect(&single).unwrap(), detector().detect(&double).unwrap());
    }

    #[test]
    fn a_source_of_points_gives_the_same_planes_and_detectors_share_a_device() {
        let points = points(20_000);
        let source = Source::from_points(Arc::new(points.clone())).unwrap();
        let cpu: Arc<dyn Backend> = Arc::new(Cpu::default());
        let [a, b] = [(); 2].map(|()| Detector::new().backend(cpu.clone()));
        assert_eq!(a.detect_source(&source).unwrap(), b.detect(&points).unwrap());
        assert_eq!(Arc::strong_count(&cpu), 3);
        // There is no file whose size could bound the number of points.
        assert_eq!((source.size(), source.info().points), (0, Some(20_000)));
        let classes = Choice { classes: Some(vec![2]), ..Choice::default() };
        let said = detector().choice(classes).detect_source(&source).unwrap_err().to_string();
        assert_eq!(said, "points in memory: `classes`: its points have no class");
    }

    #[test]
    fn a_detector_serves_several_threads() {
        let (detector, points) = (detector(), points(20_000));
        let found = detector.detect(&points).unwrap();
        std::thread::scope(|scope| {
            let threads = [(); 3].map(|()| scope.spawn(|| detector.detect(&points).unwrap()));
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), found));
        });
    }

    #[test]
    fn what_cannot_be_searched_is_named() {
        let said = |points: &[[f64; 3]]| detector().detect(points).unwrap_err().to_string();
        assert_eq!(said(&[]), "points in memory: the cloud has no points");
        assert!(said(&[[f64::NAN; 3]; 4]).contains("none of the 4 points has finite coordinates"));
        let wrong = Options { tolerance: Some(-1.0), ..Options::default() };
        let error = detector().options(wrong).detect(&points(100)).unwrap_err().to_string();
        assert!(error.contains("`tolerance`"), "{error}");
        let classes = Choice { classes: Some(vec![2]), ..Choice::default() };
        let error = detector().choice(classes).detect(&points(100)).unwrap_err().to_string();
        assert!(error.contains("`classes`"), "{error}");
    }

    /// Notes the stages, and cancels at one of them.
    struct Notes<'a> {
        stages: Mutex<Vec<String>>,
        done: AtomicUsize,
        last: &'a str,
        flag: &'a AtomicBool,
    }

    impl Progress for Notes<'_> {
        fn stage(&self, name: &str, _: Option<u64>) {
            self.stages.lock().unwrap().push(name.to_owned());
            self.flag.store(name == self.last, Relaxed);
        }

        fn advance(&self, points: u64) {
            self.done.fetch_add(points as usize, Relaxed);
        }
    }

    #[test]
    fn a_search_tells_its_stages_and_ends_at_any() {
        let points = points(20_000);
        let stages = ["reading", "cells", "surfaces", "layers", "planes", "labels", "outlines"];
        for (at, last) in stages.iter().chain(&["never"]).enumerate() {
            let flag = AtomicBool::new(false);
            let notes =
                Notes { stages: Mutex::default(), done: AtomicUsize::new(0), last, flag: &flag };
            let found = detector().progress(&notes).cancelled_by(&flag).detect(&points);
            let told = notes.stages.into_inner().unwrap();
            // A search that is cancelled in the last stage completes.
            let is_whole = *last == "never" || *last == "outlines";
            assert_eq!(told, stages[..stages.len().min(at + 1)]);
            assert_eq!(found.is_ok(), is_whole, "{last}");
            assert!(is_whole || matches!(found, Err(Error::Cancelled)));
            assert_eq!(notes.done.into_inner() > points.len(), is_whole || at >= 5, "{last}");
        }
    }
}
