//! Reads a cloud into local coordinates.

use super::sample::{self, Entry, Sample};
use crate::backend::{Backend, Held, Receiver};
use crate::camera::organized::Rows;
use crate::cloud::{Choice, Chunk, Crs, HeaderInfo, Note, PointReader, Source, Stored, StoredPass};
use crate::frame::{Frame, Points};
use crate::ranges::ranges;
use crate::vector::Vec3;
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Most points that are kept as read until their extent is known; a larger cloud is read twice instead.
const HELD_POINTS: u64 = 1 << 25;
/// Bytes that a search takes for each of the first million points, and for each of the rest: cells and what
/// is learned about them, fewer per point in larger clouds. These are lower bounds, so that memory can still
/// run out during a search. Measured: 46 to 80 on scenes of a million points, 35 on eight million.
const SEARCH_BYTES: [u64; 2] = [36, 16];
/// Points that take the larger number of bytes.
const FIRST_POINTS: u64 = 1_000_000;
/// Bytes of a point in local coordinates, and of a point as read.
const POINT_BYTES: [u64; 2] = [12, 24];
/// Memory is checked each time this many more points are read.
const CHECKED: u64 = 1 << 18;
/// Points that one thread processes at a time.
const PIECE: usize = 1 << 13;
/// Points that are read at a time if they are kept as they are stored.
const STORED: usize = 1 << 20;
/// A point is a stray when it is this many times the cloud's own span away from the cloud.
const STRAY: f64 = 32.0;
/// Numbers that programs write, with either sign, where they know no coordinate …
const PLACEHOLDERS: [f64; 6] = [999.0, 9999.0, 99_999.0, 999_999.0, 32_767.0, 32_768.0];
/// … and which stand for none if the gap to all others is this many times as wide as their range.
const FAR: f64 = 8.0;
/// Where no coordinate is known, other programs write this.
const ORIGIN: [f64; 3] = [0.0; 3];

/// A cloud in local coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The map from input coordinates to local ones.
    pub frame: Frame,
    /// The points that can be used, in file order; detection puts them into the order of its cells.
    pub points: Arc<Points>,
    /// Index in the file of each point of `points`; `None` where the two are the same.
    pub places: Option<Vec<u32>>,
    /// Points in the file.
    pub total: u64,
    /// Which points were to be searched.
    pub choice: Choice,
    /// Points that were not chosen.
    pub not_chosen: u64,
    /// Of those chosen, points that are not finite.
    pub not_finite: u64,
    /// Of those chosen, points too far from the rest.
    pub stray: u64,
    /// Of the usable points, those at the origin, where some programs put points whose place they do not know.
    pub at_origin: u64,
    /// Smallest and largest coordinates of the usable points.
    pub bounds: [[f64; 3]; 2],
    /// The coordinate system, if the file names one: see [`Loaded::describe`].
    pub crs: Option<Crs>,
    /// Where the scanner stood, if the file says so.
    pub scanner: Option<[f64; 3]>,
    /// Number of points in a row of the file, if they are those of an image, row after row.
    pub row_length: Option<u32>,
}

impl Loaded {
    /// Takes over what the file says of its points as a whole.
    ///
    /// # Errors
    /// [`Error::Degenerate`] where x and y are degrees.
    pub fn describe(&mut self, source: &Source) -> Result<()> {
        let [min, max] = self.bounds;
        if let Some(note @ Note::Degrees { told: true }) = source.degrees(min, max) {
            return Err(Error::Degenerate {
                path: source.path().into(),
                message: note.to_string(),
            });
        }
        let HeaderInfo { crs, scanner, row_length, .. } = source.info();
        (self.crs, self.scanner, self.row_length) = (crs.clone(), *scanner, *row_length);
        Ok(())
    }

    /// The same cloud with other points, in coordinates whose unit is `steps` of its steps.
    pub(super) fn redrawn(&self, steps: f64, points: Points) -> Loaded {
        Loaded {
            frame: Frame { origin: [0.0; 3], step: steps * self.frame.step },
            points: Arc::new(points),
            places: None,
            choice: self.choice.clone(),
            crs: None,
            scanner: None,
            row_length: None,
            ..*self
        }
    }

    /// The origin of the input, in local coordinates.
    pub(super) fn home(&self) -> [f64; 3] {
        self.frame.origin.map(|v| -v / self.frame.step)
    }

    /// Where the scanner stood, in local coordinates: the origin of the input unless the file says otherwise.
    pub(super) fn scanner(&self) -> [f64; 3] {
        let at = self.scanner.unwrap_or_default();
        std::array::from_fn(|a| (at[a] - self.frame.origin[a]) / self.frame.step)
    }

    /// Which pixel each point is, if the cloud is organized.
    pub(super) fn rows(&self) -> Option<Rows<'_>> {
        self.row_length.map(|length| Rows { length, places: self.places.as_deref() })
    }

    /// Replaces the points by the same points in another `order`.
    pub(super) fn reorder(&mut self, order: Vec<u32>, points: Arc<Points>) {
        self.points = points;
        self.places = Some(match &self.places {
            None => order,
            Some(places) => order.par_iter().map(|&i| places[i as usize]).collect(),
        });
    }
}

/// Least number of bytes needed to find the planes of `points` points; `wants_cells` for a search in rounds.
pub fn least_memory(points: u64, wants_cells: bool) -> u64 {
    let first = points.min(FIRST_POINTS);
    let rest = points - first;
    let search = SEARCH_BYTES[1].saturating_mul(rest).saturating_add(SEARCH_BYTES[0] * first);
    POINT_BYTES[0].saturating_mul(points).saturating_add(if wants_cells { search } else { 0 })
}

/// Reads a cloud, `chunk` points at a time.
///
/// `open` starts a pass. A cloud whose coordinates are stored in 32 bits takes one pass, whatever the `chunk`. Another one
/// of more than 2²⁵ points takes two passes, as does one that is cheap to read. `progress` is told the number of points
/// read.
///
/// # Errors
/// Errors of the reader, and [`Error::Degenerate`] for a cloud without usable points or with more than 2³² −
/// 1.
pub fn load<'r>(
    path: &Path,
    open: &dyn Fn() -> Result<Box<dyn PointReader + 'r>>,
    chunk: usize,
    progress: &dyn Fn(u64),
) -> Result<Loaded> {
    let all = Choice::default();
    load_onto(path, open, &all, chunk, progress, &|| None).map(|(loaded, _)| loaded)
}

/// Like [`load`], but takes only the points of `choice`, and passes them to a backend while they are read,
/// for [`detect_held`](super::detect_held). `backend` is asked repeatedly until it returns one. The readers
/// of `open` must read the [fields](Choice::fields) of `choice`.
///
/// # Errors
/// Those of [`load`], and those of the backend.
pub fn load_onto<'b, 'r>(
    path: &Path,
    open: &dyn Fn() -> Result<Box<dyn PointReader + 'r>>,
    choice: &Choice,
    chunk: usize,
    progress: &dyn Fn(u64),
    backend: &dyn Fn() -> Option<&'b dyn Backend>,
) -> Result<(Loaded, Option<Box<dyn Held<'b> + 'b>>)> {
    let mut first = open()?;
    if let (true, Some(stored)) = (choice.is_all(), first.stored()) {
        return load_stored(path, stored, progress, backend);
    }
    let mut pass = FirstPass::default();
    let mut held: Option<Vec<Chunk>> = (!first.is_cheap()).then(Vec::new);
    drop(first);
    let buffers = &mut <[Chunk; 2]>::default();
    each_chunk(open, buffers, chunk, progress, |read| {
        pass.add_chunk(read, choice);
        if pass.total > HELD_POINTS {
            held = None;
        }
        if pass.total / CHECKED != (pass.total - read.len() as u64) / CHECKED {
            let kept = if held.is_some() { POINT_BYTES[1] * read.len() as u64 } else { 0 };
            let chosen = pass.total - pass.not_chosen;
            memory::check(path, kept.max(least_memory(chosen, false)))?;
        }
        if let Some(held) = &mut held {
            held.push(read.clone());
        }
        Ok(())
    })?;
    let mut window = pass.window(path, choice)?;
    if pass.bounds.is_some_and(|all| all != window) {
        // Some points are outside: only those inside decide the frame.
        let mut inside = FirstPass::default();
        match &held {
            Some(held) => {
                held.iter().for_each(|read| inside.add_chunk_within(read, window, choice))
            }
            None => each_chunk(open, buffers, chunk, &|_| {}, |read| {
                inside.add_chunk_within(read, window, choice);
                Ok(())
            })?,
        }
        window = inside.bounds.unwrap_or(window);
    }
    // Zeros cost nothing until they are touched. There is room for a whole chunk before its gaps are closed.
    let chosen = (pass.total - pass.not_chosen).saturating_add(chunk as u64);
    let room = Points::zeros(chosen.min(pass.total) as usize);
    let mut loading = Loading::new(&pass, window, choice, room);
    let mut passing = Passing::default();
    let ready = OnceLock::new();
    let ask = || {
        if ready.get().is_none() {
            backend().map(|backend| ready.set(backend));
        }
    };
    match held {
        // Each chunk is freed as soon as its points are local.
        Some(held) => held.into_iter().try_for_each(|read| {
            loading.add_chunk(path, &read)?;
            ask();
            passing.on(&loading, ready.get().copied())
        })?,
        None => each_chunk(open, buffers, chunk, &|_| ask(), |read| {
            loading.add_chunk(path, read)?;
            passing.on(&loading, ready.get().copied())
        })?,
    }
    let loaded = loading.finish(path)?;
    let held = passing.finish(&loaded.points)?;
    Ok((loaded, held))
}

/// Loads points that are stored in 32 bits a coordinate: they are read once and become local where they are.
fn load_stored<'b>(
    path: &Path,
    StoredPass { points: total, meaning, reader }: StoredPass,
    progress: &dyn Fn(u64),
    backend: &dyn Fn() -> Option<&'b dyn Backend>,
) -> Result<(Loaded, Option<Box<dyn Held<'b> + 'b>>)> {
    let all = usize::try_from(total).ok().filter(|_| total <= u64::from(u32::MAX));
    let all = all.ok_or_else(|| too_many(path, total))?;
    memory::check(path, least_memory(total, false))?;
    let mut points = Points::zeros(all);
    let mut pass = FirstPass::default();
    let pieces = || (0..all).step_by(STORED).map(|at| at..all.min(at + STORED));
    for piece in pieces() {
        let Points { x, y, z } = &mut points;
        let mut columns = [x, y, z].map(|axis| &mut axis[piece.clone()]);
        let read = reader.read(columns.each_mut().map(|column| &mut **column))?;
        if read != piece.len() {
            return Err(changed(path, piece.start));
        }
        let columns = columns.map(|column| &*column);
        pass.add(read, |k| Some(meaning.point(columns.map(|column| column[k]))));
        progress(read as u64);
    }
    let choice = &Choice::default();
    let mut window = pass.window(path, choice)?;
    if pass.bounds.is_some_and(|all| all != window) {
        let mut inside = FirstPass::default();
        inside.add_within(all, window, |k| Some(meaning.point(points.get(k))));
        window = inside.bounds.unwrap_or(window);
    }
    let (mut loading, mut passing) =
        (Loading::new(&pass, window, choice, points), Passing::default());
    let mut ready = None;
    for piece in pieces() {
        loading.add(path, piece.len(), Coming::Stored(meaning))?;
        ready = ready.or_else(backend);
        passing.on(&loading, ready)?;
    }
    let loaded = loading.finish(path)?;
    let held = passing.finish(&loaded.points)?;
    Ok((loaded, held))
}

/// The error for a cloud of more points than can be numbered.
fn too_many(path: &Path, points: u64) -> Error {
    let message = format!("{points} points are more than the 2^32 − 1 that fit");
    Error::Degenerate { path: path.into(), message }
}

/// The error for a cloud whose passes differ, from some point on.
fn changed(path: &Path, point: usize) -> Error {
    Error::format(path, format!("point {point}"), "the cloud was changed while it was read")
}

/// Passes points on to a backend.
#[derive(Default)]
struct Passing<'b> {
    /// Whether a backend was asked to take them.
    asked: bool,
    receiver: Option<Box<dyn Receiver<'b> + 'b>>,
}

impl<'b> Passing<'b> {
    /// Passes on the points loaded so far, once there is a backend to take them.
    fn on(&mut self, loading: &Loading<'_>, backend: Option<&'b dyn Backend>) -> Result<()> {
        let points = &loading.points;
        if let (false, Some(backend)) = (self.asked, backend) {
            (self.asked, self.receiver) = (true, Some(backend.receive(points.len())?));
        }
        match &mut self.receiver {
            Some(receiver) => receiver.take(points, loading.used),
            None => Ok(()),
        }
    }

    fn finish(self, points: &Arc<Points>) -> Result<Option<Box<dyn Held<'b> + 'b>>> {
        self.receiver.map(|receiver| receiver.finish(points.clone())).transpose()
    }
}

/// Calls `each` with every chunk of one pass, while the next one is read. All passes share two `buffers`: fresh memory
/// costs as much as reading does.
fn each_chunk<'r>(
    open: &dyn Fn() -> Result<Box<dyn PointReader + 'r>>,
    [chunk, next]: &mut [Chunk; 2],
    limit: usize,
    progress: &dyn Fn(u64),
    mut each: impl FnMut(&Chunk) -> Result<()> + Send,
) -> Result<()> {
    let mut reader = open()?;
    reader.read(chunk, limit)?;
    while !chunk.is_empty() {
        let (read, done) = rayon::join(|| reader.read(next, limit), || each(chunk));
        read.and(done)?;
        progress(chunk.len() as u64);
        std::mem::swap(chunk, next);
    }
    Ok(())
}

/// What the first pass learns.
#[derive(Default)]
struct FirstPass {
    total: u64,
    not_chosen: u64,
    not_finite: u64,
    at_origin: u64,
    bounds: Option<[[f64; 3]; 2]>,
    /// The sample that separates the cloud from its strays.
    sample: Sample,
}

impl FirstPass {
    fn add_chunk(&mut self, chunk: &Chunk, choice: &Choice) {
        let chosen = Chosen { choice, chunk, first: self.total };
        self.add(chunk.len(), |k| chosen.point(k));
    }

    /// Adds so many points; `point` gives each of them, if it is chosen.
    fn add(&mut self, points: usize, point: impl Fn(usize) -> Option<Vec3> + Sync) {
        let mut pieces: Vec<FirstPass> = Vec::new();
        self.sample.add(points, |limit| {
            let parts = ranges(points, PIECE);
            let entries: Vec<Vec<Entry>>;
            (pieces, entries) = parts.map(|piece| FirstPass::of(piece, &point, limit)).unzip();
            entries.into_iter().flatten()
        });
        pieces.into_iter().for_each(|piece| self.merge(piece));
    }

    /// The first pass over a piece of the points, and those of them that may enter the sample: their hashes are at most
    /// `limit`.
    fn of(
        piece: Range<usize>,
        point: impl Fn(usize) -> Option<Vec3>,
        limit: u64,
    ) -> (FirstPass, Vec<Entry>) {
        let mut pass = FirstPass { total: piece.len() as u64, ..FirstPass::default() };
        let mut entries = Vec::new();
        for i in piece {
            let Some(p) = point(i) else {
                pass.not_chosen += 1;
                continue;
            };
            if !p.iter().all(|v| v.is_finite()) {
                pass.not_finite += 1;
                continue;
            }
            pass.at_origin += u64::from(p == ORIGIN);
            pass.extend(p);
            let entry = sample::entry(p);
            if entry.0 <= limit {
                entries.push(entry);
            }
        }
        // Where there are many copies, little is left for the thread that joins the pieces.
        sample::keep_smallest(&mut entries);
        (pass, entries)
    }

    /// Adds what was learned about a piece, without its sample.
    fn merge(&mut self, piece: FirstPass) {
        self.total += piece.total;
        self.not_chosen += piece.not_chosen;
        self.not_finite += piece.not_finite;
        self.at_origin += piece.at_origin;
        piece.bounds.into_iter().flatten().for_each(|p| self.extend(p));
    }

    /// Widens the bounds to a point.
    fn extend(&mut self, p: [f64; 3]) {
        let [min, max] = self.bounds.get_or_insert([p, p]);
        for a in 0..3 {
            min[a] = min[a].min(p[a]);
            max[a] = max[a].max(p[a]);
        }
    }

    /// Widens the bounds to the points within a box.
    fn add_chunk_within(&mut self, chunk: &Chunk, window: [Vec3; 2], choice: &Choice) {
        let chosen = Chosen { choice, chunk, first: self.total };
        self.add_within(chunk.len(), window, |k| chosen.point(k));
    }

    /// The same for so many points; `point` gives each of them, if it is chosen.
    fn add_within(
        &mut self,
        points: usize,
        window: [Vec3; 2],
        point: impl Fn(usize) -> Option<Vec3>,
    ) {
        self.total += points as u64;
        let inside = (0..points).filter_map(point).filter(|&p| is_within(p, window));
        inside.for_each(|p| self.extend(p));
    }

    /// The box of the cloud without its strays.
    fn window(&self, path: &Path, choice: &Choice) -> Result<[[f64; 3]; 2]> {
        let degenerate = |message: String| Error::Degenerate { path: path.into(), message };
        let Some([min, max]) = self.bounds else {
            return Err(degenerate(if self.total == 0 {
                "the cloud has no points".into()
            } else if self.not_chosen == self.total {
                let all = self.total;
                format!("{} none of the {all} points", choice.leaves())
            } else {
                let chosen = self.total - self.not_chosen;
                format!("none of the {chosen} points has finite coordinates")
            }));
        };
        if self.total > u64::from(u32::MAX) {
            return Err(too_many(path, self.total));
        }
        let known: [Known; 3] = std::array::from_fn(|a| self.known([min[a], max[a]], a));
        let span = known.iter().map(|k| k.percentiles[1] - k.percentiles[0]).fold(0.0, f64::max);
        // Where nearly all points are equal, there is no span by which to judge others.
        let reach = if span == 0.0 { f64::INFINITY } else { STRAY * span };
        Ok([
            std::array::from_fn(|a| known[a].limits[0].max(known[a].percentiles[0] - reach)),
            std::array::from_fn(|a| known[a].limits[1].min(known[a].percentiles[1] + reach)),
        ])
    }

    /// What is known of the coordinates along an axis, whose smallest and largest are `ends`.
    fn known(&self, ends: [f64; 2], axis: usize) -> Known {
        let mut values: Vec<f64> = self.sample.coordinates(axis).collect();
        values.sort_by(f64::total_cmp);
        let mut limits = ends;
        for (end, inwards) in [(0, f64::next_up as fn(f64) -> f64), (1, f64::next_down)] {
            let rest: Vec<f64> = values.iter().copied().filter(|&v| v != ends[end]).collect();
            let most = 2 * rest.len() > values.len();
            if most && stands_for_none(ends[end], rest[0], rest[rest.len() - 1]) {
                (limits[end], values) = (inwards(ends[end]), rest);
            }
        }
        let cut = values.len() / 100;
        Known { limits, percentiles: [values[cut], values[values.len() - 1 - cut]] }
    }
}

/// What is known of the coordinates of a cloud along an axis.
struct Known {
    /// The smallest and the largest that stand for a place.
    limits: [f64; 2],
    /// The first and the last percentile.
    percentiles: [f64; 2],
}

/// Whether a coordinate says that the place is unknown: it is a usual number for that, and far from all others.
fn stands_for_none(value: f64, low: f64, high: f64) -> bool {
    let gap = (value - low).abs().min((value - high).abs());
    PLACEHOLDERS.contains(&value.abs()) && gap > FAR * (high - low)
}

/// The points of a chunk that are searched.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    choice: &'a Choice,
    chunk: &'a Chunk,
    /// Index in the file of the first one.
    first: u64,
}

impl Chosen<'_> {
    /// A point, if it is searched.
    #[inline]
    fn point(self, k: usize) -> Option<Vec3> {
        let Chosen { choice, chunk, first } = self;
        choice.takes(chunk, k, first + k as u64).then(|| [chunk.x[k], chunk.y[k], chunk.z[k]])
    }
}

/// Points on their way to local coordinates.
#[derive(Clone, Copy)]
enum Coming<'a> {
    /// As they were read.
    Read(Chosen<'a>),
    /// As they are stored, where they will be.
    Stored(Stored),
}

impl Coming<'_> {
    /// Point `k` of the piece that begins at `start`, if it is searched; `there` holds the stored points of the piece.
    #[inline]
    fn point(self, [start, k]: [usize; 2], there: &[&mut [f32]; 3]) -> Option<Vec3> {
        match self {
            Coming::Read(chosen) => chosen.point(start + k),
            Coming::Stored(meaning) => Some(meaning.point(there.each_ref().map(|axis| axis[k]))),
        }
    }
}

/// Whether a point lies in a box; NaN lies in none.
fn is_within(p: [f64; 3], [low, high]: [[f64; 3]; 2]) -> bool {
    (0..3).all(|a| p[a] >= low[a] && p[a] <= high[a])
}

/// The second pass.
struct Loading<'a> {
    window: [[f64; 3]; 2],
    choice: &'a Choice,
    /// Points of the file read so far, and those of them that are used.
    place: usize,
    used: usize,
    /// The points, until all of them are known: local up to `used`; stored ones from `place` on.
    points: Points,
    loaded: Loaded,
}

/// The points of a piece of a chunk that are used, and those that are left out.
struct LoadedPiece {
    /// Number of points used, and the places in the piece of the others, ascending.
    used: usize,
    left_out: Vec<usize>,
    stray: u64,
    bounds: [[f64; 3]; 2],
}

impl<'a> Loading<'a> {
    fn new(
        pass: &FirstPass,
        window: [[f64; 3]; 2],
        choice: &'a Choice,
        points: Points,
    ) -> Loading<'a> {
        Loading {
            window,
            choice,
            place: 0,
            used: 0,
            points,
            loaded: Loaded {
                frame: Frame::fit(window[0], window[1]),
                points: Arc::default(),
                places: None,
                total: pass.total,
                choice: choice.clone(),
                not_chosen: pass.not_chosen,
                not_finite: pass.not_finite,
                stray: 0,
                at_origin: if is_within(ORIGIN, window) { pass.at_origin } else { 0 },
                bounds: [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]],
                crs: None,
                scanner: None,
                row_length: None,
            },
        }
    }

    /// Adds the points of a chunk.
    ///
    /// # Errors
    /// [`Error::Format`] where there are more than in the first pass.
    fn add_chunk(&mut self, path: &Path, chunk: &Chunk) -> Result<()> {
        let chosen = Chosen { choice: self.choice, chunk, first: self.place as u64 };
        self.add(path, chunk.len(), Coming::Read(chosen))
    }

    /// Adds so many points.
    fn add(&mut self, path: &Path, points: usize, coming: Coming) -> Result<()> {
        // As long as no point is left out, every piece is already in place.
        let mut from = match coming {
            Coming::Read(_) => self.used,
            Coming::Stored(_) => self.place,
        };
        if from + points > self.points.len() {
            return Err(changed(path, self.place));
        }
        let (frame, window) = (self.loaded.frame, self.window);
        let to = from..from + points;
        let Points { x, y, z } = &mut self.points;
        let [x, y, z] = [x, y, z].map(|axis| axis[to.clone()].par_chunks_mut(PIECE));
        let starts = (0..points).into_par_iter().step_by(PIECE);
        let pieces: Vec<LoadedPiece> = (x.zip(y).zip(z).zip(starts))
            .map(|(((x, y), z), start)| LoadedPiece::new(coming, start, frame, window, [x, y, z]))
            .collect();
        for piece in &pieces {
            self.loaded.stray += piece.stray;
            let [min, max] = &mut self.loaded.bounds;
            for a in 0..3 {
                min[a] = min[a].min(piece.bounds[0][a]);
                max[a] = max[a].max(piece.bounds[1][a]);
            }
            self.note_places(piece);
            if from != self.used {
                let Points { x, y, z } = &mut self.points;
                let here = from..from + piece.used;
                [x, y, z].into_iter().for_each(|axis| axis.copy_within(here.clone(), self.used));
            }
            let len = piece.used + piece.left_out.len();
            self.place += len;
            self.used += piece.used;
            from += len;
        }
        Ok(())
    }

    /// Notes the places in the file of a piece's points, once a point has been left out.
    fn note_places(&mut self, piece: &LoadedPiece) {
        if self.loaded.places.is_none() && piece.left_out.is_empty() {
            return;
        }
        let places = self.loaded.places.get_or_insert_with(|| (0..self.used as u32).collect());
        let mut left_out = piece.left_out.iter().peekable();
        for k in 0..piece.used + piece.left_out.len() {
            if left_out.next_if_eq(&&k).is_none() {
                places.push((self.place + k) as u32);
            }
        }
    }

    fn finish(mut self, path: &Path) -> Result<Loaded> {
        if self.place as u64 != self.loaded.total {
            return Err(changed(path, self.place));
        }
        let Points { x, y, z } = &mut self.points;
        for axis in [x, y, z] {
            axis.truncate(self.used);
            axis.shrink_to_fit();
        }
        Ok(Loaded { points: Arc::new(self.points), ..self.loaded })
    }
}

impl LoadedPiece {
    /// Writes the local coordinates of the points from `start` on, as many as fit into `to`, to the front of
    /// `to`.
    fn new(
        coming: Coming,
        start: usize,
        frame: Frame,
        window: [[f64; 3]; 2],
        to: [&mut [f32]; 3],
    ) -> LoadedPiece {
        let mut done = LoadedPiece {
            used: 0,
            left_out: Vec::new(),
            stray: 0,
            bounds: [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]],
        };
        for k in 0..to[0].len() {
            let Some(p) = coming.point([start, k], &to) else {
                done.left_out.push(k);
                continue;
            };
            let local = is_within(p, window).then(|| frame.local(p)).flatten();
            let Some(local) = local else {
                done.stray += u64::from(p.iter().all(|v| v.is_finite()));
                done.left_out.push(k);
                continue;
            };
            let [low, high] = &mut done.bounds;
            for a in 0..3 {
                to[a][done.used] = local[a];
                low[a] = low[a].min(p[a]);
                high[a] = high[a].max(p[a]);
            }
            done.used += 1;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Accumulator, Weighted};
    use crate::cloud::StoredReader;
    use crate::cpu::CpuReceiver;
    use crate::space::Space;
    use std::cell::Cell;
    use std::sync::Mutex;

    /// A reader over points in memory, how many of them it has read, and whether that is cheap.
    struct Memory(Vec<[f64; 3]>, usize, bool);

    impl PointReader for Memory {
        fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
            chunk.clear();
            for p in self.0[self.1..].iter().take(limit) {
                chunk.x.push(p[0]);
                chunk.y.push(p[1]);
                chunk.z.push(p[2]);
            }
            self.1 += chunk.len();
            Ok(())
        }

        fn is_cheap(&self) -> bool {
            self.2
        }
    }

    fn loaded(points: &[[f64; 3]], chunk: usize) -> Result<Loaded> {
        let open = || Ok(Box::new(Memory(points.to_vec(), 0, false)) as Box<dyn PointReader>);
        load(Path::new("memory"), &open, chunk, &|_| {})
    }

    fn grid() -> Vec<[f64; 3]> {
        (0..1000).map(|i| [500_000.0 + f64::from(i % 40), f64::from(i / 40), 0.5]).collect()
    }

    /// A reader over points as a file stores them; whether it says so.
    struct AsStored {
        points: Vec<[f32; 3]>,
        meaning: Stored,
        says_so: bool,
        read: usize,
    }

    impl PointReader for AsStored {
        fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
            chunk.clear();
            for p in self.points[self.read..].iter().take(limit) {
                let [x, y, z] = self.meaning.point(*p);
                chunk.x.push(x);
                chunk.y.push(y);
                chunk.z.push(z);
            }
            self.read += chunk.len();
            Ok(())
        }

        fn is_cheap(&self) -> bool {
            true
        }

        fn stored(&mut self) -> Option<StoredPass<'_>> {
            let (points, meaning) = (self.points.len() as u64, self.meaning);
            self.says_so.then_some(StoredPass { points, meaning, reader: self })
        }
    }

    impl StoredReader for AsStored {
        fn read(&mut self, columns: [&mut [f32]; 3]) -> Result<usize> {
            let n = columns[0].len().min(self.points.len() - self.read);
            for (a, column) in columns.into_iter().enumerate() {
                let points = &self.points[self.read..];
                column.iter_mut().zip(points).for_each(|(to, p)| *to = p[a]);
            }
            self.read += n;
            Ok(n)
        }
    }

    #[test]
    fn points_kept_as_stored_load_as_points_that_are_read_twice() {
        // Strays in both of the pieces that are read, and at the ends.
        let is_stray = |i: usize| i == 0 || i.is_multiple_of(400_003) || i == STORED + 69_999;
        let place = |i: usize| [(i % 1009) as i32, (i / 1009) as i32, (i * 7919 % 13) as i32];
        let n = STORED + 70_000;
        let whole = |i: usize| {
            let p = if is_stray(i) { [i32::MAX; 3] } else { place(i) };
            p.map(|v| f32::from_bits(v.cast_unsigned()))
        };
        let float = |i: usize| match i % 3 {
            _ if !is_stray(i) => place(i).map(|v| v as f32),
            0 => [f32::NAN; 3],
            _ => [0.0, 1e30, f32::INFINITY],
        };
        let transform = Stored::Whole([(0.01, 5e5), (0.01, 4.6e6), (0.02, -3.0)]);
        let all: [(Stored, Vec<[f32; 3]>); 2] = [
            (transform, (0..n).map(whole).collect()),
            (Stored::Floats, (0..n).map(float).collect()),
        ];
        for (meaning, points) in all {
            let loaded = |says_so: bool| {
                let open = || {
                    let points = points.clone();
                    let reader = AsStored { points, meaning, says_so, read: 0 };
                    Ok(Box::new(reader) as Box<dyn PointReader>)
                };
                load(Path::new("memory"), &open, 100_000, &|_| {}).unwrap()
            };
            let (once, twice) = (loaded(true), loaded(false));
            assert!(once == twice, "{meaning:?}");
            assert_eq!(once.stray + once.not_finite, 4, "{meaning:?}");
            assert_eq!(once.places.map(|places| places.len()), Some(n - 4));
        }
    }

    #[test]
    fn a_cloud_with_fewer_points_than_it_says_or_too_many_is_refused() {
        /// Says that it has so many points, and gives none after the first three.
        struct Short(u64, usize);

        impl PointReader for Short {
            fn read(&mut self, _: &mut Chunk, _: usize) -> Result<()> {
                unreachable!("it is read as it is stored")
            }

            fn stored(&mut self) -> Option<StoredPass<'_>> {
                Some(StoredPass { points: self.0, meaning: Stored::Floats, reader: self })
            }
        }

        impl StoredReader for Short {
            fn read(&mut self, columns: [&mut [f32]; 3]) -> Result<usize> {
                let n = columns[0].len().min(self.1);
                self.1 -= n;
                Ok(n)
            }
        }

        let message = |points: u64| {
            let open = || Ok(Box::new(Short(points, 3)) as Box<dyn PointReader>);
            load(Path::new("memory"), &open, 100, &|_| {}).unwrap_err().to_string()
        };
        assert_eq!(message(9), "memory: point 0: the cloud was changed while it was read");
        assert_eq!(
            message(1 << 32),
            "memory: 4294967296 points are more than the 2^32 − 1 that fit"
        );
    }

    #[test]
    fn strays_and_gaps_are_counted_and_left_out() {
        let mut points = grid();
        let clean = loaded(&points, 100).unwrap();
        points.insert(3, [f64::NAN, 0.0, 0.0]);
        points.insert(500, [0.0, 0.0, 0.0]);
        points.push([1e30, 0.0, 0.0]);
        let dirty = loaded(&points, 7).unwrap();
        assert_eq!((dirty.total, dirty.not_finite, dirty.stray), (1003, 1, 2));
        assert_eq!(dirty.at_origin, 0);
        assert_eq!(dirty.points, clean.points);
        assert_eq!(dirty.bounds, clean.bounds);
        let places = dirty.places.unwrap();
        assert_eq!((places.len(), places[2], places[3], places[999]), (1000, 2, 4, 1001));
        assert_eq!(clean.places, None);
    }

    #[test]
    fn points_at_the_origin_are_counted() {
        let mut points: Vec<[f64; 3]> =
            grid().iter().map(|p| [p[0] - 500_010.0, p[1], 0.5]).collect();
        points.insert(3, [0.0; 3]);
        points.extend([[-0.0; 3]; 8]);
        let all = loaded(&points, 100).unwrap();
        assert_eq!((all.at_origin, all.points.len()), (9, 1009));
    }

    #[test]
    fn coordinates_that_stand_for_nothing_are_strays() {
        let place = |i: usize| [500_000.0 + i as f64 * 0.37, 4.6e6 + (i * 7919 % 977) as f64, 0.5];
        let points: Vec<[f64; 3]> = (0..1000).map(place).collect();
        let clean = loaded(&points, 100).unwrap();
        // In all coordinates or in one, of a few points or of many.
        for (one_in, axes) in [(400, 0..3), (50, 0..3), (10, 1..2), (3, 2..3)] {
            let mut dirty = points.clone();
            let all: Vec<[f64; 3]> = points.iter().step_by(one_in).copied().collect();
            dirty.extend(
                all.iter().map(|p| {
                    std::array::from_fn(|a| if axes.contains(&a) { -9999.0 } else { p[a] })
                }),
            );
            let dirty = loaded(&dirty, 100).unwrap();
            assert_eq!(dirty.stray, all.len() as u64, "{one_in} {axes:?}");
            assert_eq!((&dirty.points, dirty.bounds), (&clean.points, clean.bounds));
        }
        // In a wide cloud, and where others are as low.
        let wide = |low: f64| {
            let z = |i: usize| if i.is_multiple_of(3) { -9999.0 } else { low * (i % 100) as f64 };
            let points: Vec<[f64; 3]> = (0..1000)
                .map(|i| [i as f64 * 37.0, (i * 7919 % 977) as f64 * 40.0, z(i)])
                .collect();
            loaded(&points, 100).unwrap().stray
        };
        assert_eq!([wide(1.0), wide(-99.0)], [334, 0]);
    }

    #[test]
    fn exact_surfaces_far_from_the_rest_are_kept() {
        let place = |i: usize| [(i * 7919 % 977) as f64 / 977.0, i as f64 / 1e4, 1000.0];
        let few =
            (0..300).map(|i| [i as f64 / 300.0, (i * 7919 % 977) as f64 / 977.0, i as f64 / 150.0]);
        let points: Vec<[f64; 3]> = (0..9700).map(place).chain(few).collect();
        assert_eq!(loaded(&points, 100).unwrap().stray, 0);
    }

    #[test]
    fn two_parts_far_apart_are_both_kept() {
        // One point in fifty stands in the second part, on whole numbers.
        let place = |i: usize| {
            let far = if i.is_multiple_of(50) { 1e6 } else { 0.0 };
            [far + (i % 97) as f64, far + (i * 7919 % 89) as f64, (i % 7) as f64]
        };
        let points: Vec<[f64; 3]> = (0..10_000).map(place).collect();
        assert_eq!(loaded(&points, 100).unwrap().stray, 0);
    }

    #[test]
    fn gaps_in_any_piece_are_closed() {
        let clean: Vec<[f64; 3]> =
            (0..3 * PIECE).map(|i| [i as f64, (i % 7) as f64, (i % 11) as f64]).collect();
        let mut dirty = Vec::new();
        for (i, p) in clean.iter().enumerate() {
            // None in the second half of the cloud.
            if i % 1000 == 3 && i < clean.len() / 2 {
                dirty.push([f64::NAN; 3]);
            }
            dirty.push(*p);
        }
        let expected = loaded(&clean, 1 << 20).unwrap();
        for chunk in [1 << 20, 2 * PIECE + 5, 999] {
            let dirty = loaded(&dirty, chunk).unwrap();
            assert_eq!((&dirty.points, dirty.bounds), (&expected.points, expected.bounds));
            assert_eq!(dirty.places.unwrap()[4..6], [5, 6]);
        }
    }

    /// A backend that keeps what it is told while a cloud is read.
    #[derive(Default)]
    struct Listener(Mutex<Vec<(usize, Points)>>);

    impl Backend for Listener {
        fn name(&self) -> String {
            "listener".into()
        }

        fn accumulator<'a>(&'a self, _: &'a Space) -> Result<Box<dyn Accumulator + 'a>> {
            Err(Error::Parameter("it only listens".into()))
        }

        fn densest_slab(
            &self,
            _: &Space,
            _: &[Weighted],
            _: usize,
        ) -> Result<Option<(usize, usize)>> {
            Ok(None)
        }

        fn receive<'a>(&'a self, most: usize) -> Result<Box<dyn Receiver<'a> + 'a>> {
            self.0.lock().unwrap().push((most, Points::default()));
            Ok(Box::new(self))
        }
    }

    impl<'a> Receiver<'a> for &'a Listener {
        fn take(&mut self, points: &Points, ready: usize) -> Result<()> {
            self.0.lock().unwrap().push((ready, points.slice(0..ready)));
            Ok(())
        }

        fn finish(self: Box<Self>, points: Arc<Points>) -> Result<Box<dyn Held<'a> + 'a>> {
            self.0.lock().unwrap().push((points.len(), points.as_ref().clone()));
            Box::new(CpuReceiver).finish(points)
        }
    }

    #[test]
    fn a_backend_is_told_of_points_that_stay_as_they_are() {
        let mut points = grid();
        points.insert(3, [f64::NAN, 0.0, 0.0]);
        points.insert(500, [0.0, 0.0, 0.0]);
        // A cheap file is read twice, and there the backend appears one chunk later.
        for (is_cheap, first) in [(false, 299), (true, 399)] {
            let reader = || Box::new(Memory(points.clone(), 0, is_cheap)) as Box<dyn PointReader>;
            let (listener, asked) = (Listener::default(), Cell::new(0));
            let third = || {
                asked.set(asked.get() + 1);
                (asked.get() == 3).then_some(&listener as &dyn Backend)
            };
            let open = || Ok(reader());
            let (loaded, _) =
                load_onto(Path::new("memory"), &open, &Choice::default(), 100, &|_| {}, &third)
                    .unwrap();
            let told = listener.0.into_inner().unwrap();
            // Room for all points of the file, then what is ready after each chunk, and the end.
            assert_eq!((told[0].0, told[1].0, told[told.len() - 1].0), (1002, first, 1000));
            assert_eq!(told.len(), 2 + (1002 - first) / 100 + 2);
            for (ready, points) in &told[1..] {
                assert_eq!(points, &loaded.points.slice(0..*ready));
            }
        }
    }

    #[test]
    fn what_is_not_chosen_is_as_if_it_were_not_there() {
        let points = grid();
        let choice = Choice {
            every: Some(3),
            bbox: Some("500001,0,500030,20".parse().unwrap()),
            ..Choice::default()
        };
        let inside = |i: &usize| {
            let [x, y, _] = points[*i];
            i.is_multiple_of(3) && (500_001.0..=500_030.0).contains(&x) && y <= 20.0
        };
        let places: Vec<usize> = (0..points.len()).filter(inside).collect();
        let alone: Vec<[f64; 3]> = places.iter().map(|&i| points[i]).collect();
        let alone = loaded(&alone, 100).unwrap();
        for (chunk, is_cheap) in [(1 << 20, false), (7, false), (100, true)] {
            let open = || Ok(Box::new(Memory(points.clone(), 0, is_cheap)) as Box<dyn PointReader>);
            let (some, _) =
                load_onto(Path::new("memory"), &open, &choice, chunk, &|_| {}, &|| None).unwrap();
            assert_eq!((&some.points, some.frame), (&alone.points, alone.frame));
            assert_eq!(some.not_chosen as usize, points.len() - places.len());
            assert!(some.places.unwrap().iter().map(|&i| i as usize).eq(places.iter().copied()));
        }
    }

    #[test]
    fn a_cloud_that_changes_between_two_passes_is_an_error() {
        let bbox = Some("0,0,10,10".parse().unwrap());
        let choice = Choice { bbox, ..Choice::default() };
        let (near, far) = (vec![[5.0; 3]; 1000], vec![[50.0; 3]; 1000]);
        let first = [&near[..10], &far[..990]].concat();
        let second = |points: &[[f64; 3]]| {
            let passes = Cell::new(0);
            let open = || {
                // The first reader is asked only whether it is cheap.
                let points = if passes.replace(passes.get() + 1) < 2 { &first } else { points };
                Ok(Box::new(Memory(points.to_vec(), 0, true)) as Box<dyn PointReader>)
            };
            load_onto(Path::new("memory"), &open, &choice, 100, &|_| {}, &|| None)
                .map(|(loaded, _)| loaded)
        };
        assert_eq!(second(&first).unwrap().points.len(), 10);
        // More points in the box than there is room for, a longer file, and a shorter one.
        let longer = [&first[..], &far].concat();
        for (points, place) in [(&near[..], 100), (&longer, 2000), (&first[..300], 300)] {
            let error = second(points).unwrap_err().to_string();
            let expected =
                format!("memory: point {place}: the cloud was changed while it was read");
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn the_chunk_size_does_not_matter() {
        let points = grid();
        assert_eq!(loaded(&points, 1).unwrap(), loaded(&points, 1 << 20).unwrap());
    }

    #[test]
    fn nothing_to_use_is_an_error() {
        assert!(loaded(&[], 10).unwrap_err().to_string().contains("no points"));
        assert!(loaded(&[[f64::NAN; 3]; 4], 10).unwrap_err().to_string().contains("none of the 4"));
    }

    #[test]
    fn one_point_many_times_is_a_cloud() {
        let same = loaded(&[[7.0, 8.0, 9.0]; 50], 10).unwrap();
        assert_eq!((same.points.len(), same.stray), (50, 0));
    }
}
