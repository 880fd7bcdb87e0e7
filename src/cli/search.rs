//! Search options, shared by all commands that search.

use super::engine::{DeviceName, Engine, VoterName};
use super::explain::because;
use super::failure::with_options;
use super::progress::Bar;
use super::reading::{Choosing, say_bounds};
use super::values::{count, first_given, length, number, said, whole};
use super::words::{brief, counted, shortly};
use clap::{Args, ValueEnum};
use planes::cloud::{Choice, Format, Source};
use planes::cuda::Cuda;
use planes::detect::{Loaded, Mode, Options, Progress, detect_held, least_memory, load_onto};
use planes::detection::{Curved, Input, Reason};
use planes::lms::Refine;
use planes::orient::Orient;
use planes::space::Directions;
use planes::{Detection, Error, Plane, memory};

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct Search {
    /// Report only the N most significant planes or lines
    #[arg(long, value_name = "N", value_parser = whole)]
    pub top: Option<u64>,
    /// Largest distance of a point from its plane [default: 3 times the measured noise]
    #[arg(long, value_name = "LENGTH", help_heading = "Search in clouds", value_parser = length)]
    tolerance: Option<f64>,
    /// Planes that are not quite flat get up to this many times the tolerance, and rougher regions a tolerance
    /// in proportion to their noise; 1 for neither, at most 100 [default: 5; with --tolerance 1]
    #[arg(long, value_name = "TIMES", help_heading = "Search in clouds", value_parser = number)]
    widen: Option<f64>,
    /// Largest angle between a point's surface and its plane, 1 to 45 [default: 20]
    #[arg(long, value_name = "DEGREES", help_heading = "Search in clouds", value_parser = number)]
    angle: Option<f64>,
    /// What to do with pieces of round objects, such as columns and vaults, and with slices of clutter
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        help_heading = "Search in clouds",
        default_value_t,
        hide_default_value = true
    )]
    curved: CurvedName,
    /// Fewest points of a plane [default: from the number of points]
    #[arg(long, value_name = "N", help_heading = "Search in clouds", value_parser = whole)]
    min_inliers: Option<u64>,
    /// Leave out planes smaller than this, in the cloud's unit squared [default: none]
    #[arg(long, value_name = "AREA", help_heading = "Search in clouds", value_parser = number)]
    min_area: Option<f64>,
    /// Fewest votes of a peak; for lines only with --one-pass [default: from --min-inliers]
    #[arg(long, value_name = "N", value_parser = whole)]
    pub min_votes: Option<u64>,
    /// How a peak becomes a plane or a line: none (as it is), ols (least squares), lms (least median
    /// of squares, then least squares without outliers), stroke (lines: a fine vote, then pieces and
    /// width) [default: ols; with --one-pass none; for images stroke]
    #[arg(long, value_name = "METHOD", value_parser = said::<Refine>)]
    pub refine: Option<Refine>,
    /// Directions to vote for: ball:STEP or polar:THETAxPHI
    /// [default: ball:2; with --one-pass polar:180x180]
    #[arg(long, value_name = "SPACE", help_heading = "Search in clouds", value_parser = said::<Directions>)]
    space: Option<Directions>,
    /// Width of a bin of the distance axis [default: from the tolerance and the extent]
    #[arg(long, value_name = "LENGTH", help_heading = "Search in clouds", value_parser = length)]
    rho_bin: Option<f64>,
    /// Which directions receive votes [default: near]
    #[arg(long, value_enum, help_heading = "Search in clouds")]
    vote: Option<Vote>,
    /// The papers' procedure: vote, suppress (not for images), take every peak with at least --min-votes
    /// votes, or the --top N (10 if neither is given); no rounds, no refinement
    #[arg(long, conflicts_with_all = ["vote", "widen", "angle", "min_inliers", "curved"])]
    pub one_pass: bool,
    /// Which side of a plane its normal looks to: up (for a wall towards y, then x), offset (away from the
    /// middle of the cloud's box), scanner (to its position, if an E57, PCD or
    /// depth image says it, else to 0,0,0) or scanner:X,Y,Z [default: up]
    #[arg(long, value_name = "SIDE", help_heading = "Search in clouds", value_parser = said::<Orient>)]
    orient: Option<Orient>,
    #[command(flatten)]
    choosing: Choosing,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct Machine {
    /// Where to search for planes
    #[arg(long, value_enum, default_value_t = DeviceName::Auto)]
    device: DeviceName,
    /// How the CPU casts votes for every direction (--vote all, --one-pass) [default: parallel]
    #[arg(long, value_enum, conflicts_with = "device")]
    voter: Option<VoterName>,
    /// Number of GPUs that share the votes of every point for every direction (--vote all, --one-pass); in a batch,
    /// number of GPUs that share the files, whatever the votes [default: 1]
    #[arg(long, value_name = "N", value_parser = |text: &str| count::<u16>(text, u16::MAX.into()))]
    gpus: Option<u16>,
    /// Number of points read at a time; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1 << 18, hide_default_value = true,
        value_parser = |text: &str| count::<u32>(text, u32::MAX.into()))]
    chunk: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, ValueEnum)]
enum CurvedName {
    /// They are not planes [the default]
    #[default]
    Grey,
    /// Each is a plane, as wide as the tolerance allows
    Facets,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Vote {
    /// Each surface votes for the directions near its normal
    Near,
    /// Each point votes for every direction: the standard Hough transform
    All,
}

impl Search {
    /// The options for the library.
    pub fn options(&self) -> Options {
        Options {
            mode: match (self.one_pass, self.vote) {
                (true, _) => Mode::OnePass,
                (_, Some(Vote::All)) => Mode::All,
                (_, Some(Vote::Near) | None) => Mode::Near,
            },
            directions: self.space,
            rho_bin: self.rho_bin,
            tolerance: self.tolerance,
            widen: self.widen,
            angle: self.angle,
            curved: match self.curved {
                CurvedName::Grey => Curved::Grey,
                CurvedName::Facets => Curved::Facets,
            },
            refine: self.refine,
            orient: self.orient.unwrap_or_default(),
            min_votes: self.min_votes,
            min_inliers: self.min_inliers,
            top: self.top,
            min_area: self.min_area,
            planes_only: false,
        }
    }

    /// The choice of points.
    pub fn choice(&self) -> Choice {
        self.choosing.choice()
    }

    /// The first given option that is only for clouds.
    pub fn given_for_clouds(&self) -> Option<&'static str> {
        first_given(&[
            ("--tolerance", self.tolerance.is_some()),
            ("--widen", self.widen.is_some()),
            ("--angle", self.angle.is_some()),
            ("--min-inliers", self.min_inliers.is_some()),
            ("--curved", self.curved != CurvedName::default()),
            ("--min-area", self.min_area.is_some()),
            ("--min-votes", self.min_votes.is_some() && !self.one_pass),
            ("--space", self.space.is_some()),
            ("--rho-bin", self.rho_bin.is_some()),
            ("--vote", self.vote.is_some()),
            ("--orient", self.orient.is_some()),
        ])
        .or(self.choosing.given())
    }
}

impl Machine {
    /// Starts the device; `quiet` suppresses the message about it.
    pub fn start(&self, quiet: bool) -> Result<Engine, Error> {
        let gpus = (0..usize::from(self.gpus.unwrap_or(1))).collect();
        Engine::start(self.device, self.voter, gpus, quiet)
    }

    /// Starts the backends over which a batch spreads its files: the requested GPUs, or whatever there is.
    /// A requested GPU that does not start ends the batch before it begins.
    pub fn start_each(&self, quiet: bool) -> Result<Vec<Engine>, Error> {
        let Some(gpus) = self.gpus else {
            let engine = self.start(quiet)?;
            if self.device == DeviceName::Cuda {
                engine.backend()?;
            }
            return Ok(vec![engine]);
        };
        self.check_gpus()?;
        let there = Cuda::count()?;
        if usize::from(gpus) > there {
            let message = format!("--gpus {gpus}: the NVIDIA driver sees {there}");
            return Err(Error::NoDevice(message));
        }
        let one = |number| Engine::start(DeviceName::Cuda, None, vec![number], quiet);
        let engines: Vec<Engine> = (0..gpus.into()).map(one).collect::<Result<_, _>>()?;
        engines.iter().try_for_each(|engine| engine.backend().map(drop))?;
        Ok(engines)
    }

    /// Whether a GPU may be available.
    pub fn may_have_gpu(&self) -> bool {
        !self.is_for_cpu() && Cuda::find_driver().is_ok()
    }

    /// Whether the choice of the device is left to the program.
    pub fn is_automatic(&self) -> bool {
        self.device == DeviceName::Auto && self.gpus.is_none() && self.voter.is_none()
    }

    /// Whether the CPU was asked for.
    fn is_for_cpu(&self) -> bool {
        self.device == DeviceName::Cpu || self.voter.is_some()
    }

    /// Refuses GPUs if the CPU was asked for.
    fn check_gpus(&self) -> Result<(), Error> {
        if self.gpus.is_some() && self.is_for_cpu() {
            return Err(Error::Parameter("--gpus: the CPU was asked for".into()));
        }
        Ok(())
    }

    /// Refuses options that only affect votes of every point for every direction, if there are no such votes.
    pub fn check(&self, mode: Mode) -> Result<(), Error> {
        if self.gpus.is_some() && mode == Mode::Near && self.voter.is_none() {
            return Err(Error::Parameter("--gpus is for --vote all and --one-pass".into()));
        }
        self.check_files(mode)
    }

    /// The same if GPUs share files.
    pub fn check_files(&self, mode: Mode) -> Result<(), Error> {
        if self.voter.is_some() && mode == Mode::Near {
            return Err(Error::Parameter("--voter is for --vote all and --one-pass".into()));
        }
        self.check_gpus()
    }

    /// A GPU for work outside the backend, if one may be used.
    pub fn gpu(&self) -> Option<Cuda> {
        if self.device == DeviceName::Cpu { None } else { Cuda::new().ok() }
    }

    /// The arithmetic of the votes; voters that share it give the same result.
    pub fn arithmetic(&self) -> &'static str {
        match self.voter {
            Some(VoterName::SerialF64) => "f64",
            _ => "f32",
        }
    }

    /// Reads a cloud and finds the planes of the chosen points. After the last file the device is shut down as soon as it is
    /// no longer needed.
    pub fn find(
        &self,
        source: &Source,
        (options, choice): (&Options, &Choice),
        (engine, is_last): (&Engine, bool),
        bar: &Bar,
    ) -> Result<Detection, Error> {
        bar.stage("reading", source.info().points);
        choice.check(source)?;
        options.check_source(source)?;
        let open = || choice.reader(source);
        // While another file uses the device, this one is read to its end and copied when its turn comes.
        let turn = engine.try_turn();
        // The papers' procedure copies the points when it votes.
        let wants = options.mode != Mode::OnePass && turn.is_some();
        let ask = || wants && engine.has_started();
        let ready = || if ask() { bar.aside(|| engine.ready()) } else { None };
        let read = |n| bar.advance(n);
        let wants_cells = options.mode != Mode::OnePass;
        let check = |points, in_cells| memory::check(source.path(), least_memory(points, in_cells));
        // Better now than after reading the file, if the header gives the number of points. A header that
        // promises more points than the file has bytes is left to the reader.
        let promised = source.info().points.map(|points| points.min(source.size()));
        let promised = promised.and_then(|points| choice.of(points));
        check(promised.unwrap_or(0), wants_cells)?;
        let chunk = self.chunk as usize;
        let (mut cloud, held) = load_onto(source.path(), &open, choice, chunk, &read, &ready)?;
        cloud.describe(source)?;
        say_bounds(source, cloud.bounds, options.orient, bar);
        // A compressed file may well have fewer bytes than points.
        let chosen = cloud.total - cloud.not_chosen;
        if promised.is_none_or(|promised| promised < chosen) {
            check(chosen, wants_cells)?;
        }
        if let Some(what) = left_out(cloud.not_finite, cloud.stray, source.format()) {
            bar.aside(|| log::warn!("{}: left out {what}", source.path().display()));
        }
        if let Some(what) = without_place(&cloud) {
            bar.aside(|| log::warn!("{}: {what}", source.path().display()));
        }
        bar.stage("device", None);
        let backend = bar.aside(|| engine.backend())?;
        let _turn = turn.or_else(|| engine.turn());
        let ends = (is_last && options.mode != Mode::OnePass).then_some(engine);
        let found = detect_held(cloud, held, options, backend, &Stages { bar, ends })?;
        let none = too_few(&found).or_else(|| no_surface(&found, options.mode));
        if let Some(none) = &none {
            bar.aside(|| log::warn!("{}: {none}", source.path().display()));
        }
        // With a limit on planes, few of them say nothing.
        let asks_for_few =
            options.top.is_some() || options.min_area.is_some() || options.min_inliers.is_some();
        let is_limited = asks_for_few || options.tolerance.is_some();
        let coarse = coarse_coordinates(&found, source.info().in_floats, is_limited);
        if let Some(coarse) = &coarse {
            bar.aside(|| log::warn!("{}: {coarse}", source.path().display()));
        }
        let odd =
            options.tolerance.and_then(|tolerance| odd_tolerance(tolerance, &found, asks_for_few));
        if let Some(odd) = &odd {
            bar.aside(|| log::warn!("{}: --tolerance {odd}", source.path().display()));
        }
        // One reason is enough.
        let is_told = none.or(coarse).or(odd).is_some();
        if let Some(other) = no_plane(&found, options).or_else(|| thick(&found, options))
            && !is_told
        {
            bar.aside(|| log::warn!("{}: {other}", source.path().display()));
        }
        Ok(found)
    }
}

/// Passes the stages of a search on to its bar.
struct Stages<'a> {
    bar: &'a Bar,
    /// The engine to shut down at the first stage that does not need it.
    ends: Option<&'a Engine>,
}

impl Progress for Stages<'_> {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.bar.stage(name, total);
        if let (Some(engine), "outlines") = (self.ends, name) {
            engine.shut_down();
        }
    }

    fn advance(&self, points: u64) {
        self.bar.advance(points);
    }

    fn is_cancelled(&self) -> bool {
        self.bar.is_cancelled()
    }
}

/// A length that was measured, whose last digits say nothing.
fn measured(length: f64) -> String {
    shortly(length, 0.01 * length)
}

/// Why the coordinates are too coarse for planes, if that is so and few are found although `is_limited` is false, if the
/// cloud is so wide that they are rounded to as much as the gaps between points, or if what is found may be steps instead
/// of surfaces; `in_floats` is whether the file says that they are 32-bit floats. Others may have been such floats before.
fn coarse_coordinates(found: &Detection, in_floats: bool, is_limited: bool) -> Option<String> {
    /// Finer steps, as a share of the gaps between points, hide nothing.
    const COARSE: f64 = 0.02;
    /// Steps of at least this share of the gaps hide planes however many points are labelled, or look like surfaces …
    const VERY_COARSE: f64 = 0.25;
    /// … if their rounding is at least this share of the noise.
    const MOST_OF_NOISE: f64 = 0.5;
    let (input, p) = (&found.input, &found.parameters);
    // Steps from the standard deviation of rounding to them.
    let measured_step = p.rounding * 12f64.sqrt();
    let few = !is_limited && 2 * found.labelled() < input.searched() - input.stray;
    let hides = |step: f64| step > COARSE * p.spacing && (few || step >= VERY_COARSE * p.spacing);
    let is = |step: f64, other: f64| (step / other - 1.0).abs() < 0.01;
    if hides(measured_step) && is(measured_step, input.step) {
        let side = (0..3).map(|a| input.max[a] - input.min[a]).fold(0.0, f64::max);
        let (side, step) = (measured(side), measured(measured_step));
        return Some(format!(
            "points lie as far apart as {side} and are searched in steps of {step}, which hides planes; \
             search the parts one by one, with --bbox"
        ));
    }
    // A narrow cloud has so few steps that they cannot be measured.
    let least = if in_floats && p.spacing > 0.0 { least_float_step(input) } else { 0.0 };
    let largest = (0..3).map(|a| input.min[a].abs().max(input.max[a].abs())).fold(0.0, f64::max);
    let step = measured_step.max(least);
    let is_seen = step >= VERY_COARSE * p.spacing && step >= MOST_OF_NOISE * 12f64.sqrt() * p.noise;
    let is_of_floats = step == least || is(step, float_step(largest));
    (hides(step) && (few || is_seen) && is_of_floats).then(|| {
        format!(
            "coordinates are in steps of {}, as in 32-bit floats; such steps hide planes, or look like planes; \
             export them as 64-bit floats, or shifted towards the origin",
            measured(step)
        )
    })
}

/// The step between 32-bit floats of this size, which have 24 binary digits.
fn float_step(size: f64) -> f64 {
    (size.log2().floor() - 23.0).exp2()
}

/// The step along some axis in which all coordinates of a cloud are at least, if they are 32-bit floats.
fn least_float_step(input: &Input) -> f64 {
    let smallest = |a: usize| match input.min[a] <= 0.0 && input.max[a] >= 0.0 {
        true => 0.0,
        false => input.min[a].abs().min(input.max[a].abs()),
    };
    (0..3).map(|a| float_step(smallest(a))).fold(0.0, f64::max)
}

/// Why no plane can be right within this tolerance, or few are, if that is so; `asks_for_few` is whether some planes were not
/// asked for.
fn odd_tolerance(tolerance: f64, found: &Detection, asks_for_few: bool) -> Option<String> {
    /// Half a step of coordinates, in standard deviations of the rounding.
    const HALF_STEP: f64 = 1.732_050_8;
    /// A cloud must be this many times as wide as its planes are thick.
    const TIMES: f64 = 10.0;
    /// Planes that are this many times as thick as the noise, and hold less than this share of the points, run into each other.
    const MUCH: f64 = 30.0;
    const LITTLE: f64 = 0.5;
    /// Of points that are noisier than their planes are thick, less than this share have one.
    const HARDLY_ANY: f64 = 0.05;
    let (input, p) = (&found.input, &found.parameters);
    let side = (0..3).map(|a| input.max[a] - input.min[a]).fold(0.0, f64::max);
    let (is_none, given) = (found.planes.is_empty(), brief(tolerance));
    if tolerance > side {
        return Some(format!("{given} is larger than the cloud, which is {} wide", brief(side)));
    }
    // A grid has steps along its plane that say nothing about the distances across it.
    if is_none && tolerance < HALF_STEP * p.rounding {
        let step = measured(2.0 * HALF_STEP * p.rounding);
        return Some(format!(
            "{given} is below the rounding of the coordinates to steps of {step}"
        ));
    }
    if tolerance < input.step {
        let step = brief(input.step);
        return Some(format!(
            "{given} is below the steps of {step} in which this cloud is searched"
        ));
    }
    let searched = input.searched().saturating_sub(input.stray).max(1);
    let share = found.labelled() as f64 / searched as f64;
    let is_below = |most: f64| !asks_for_few && share < most;
    if (is_none || is_below(HARDLY_ANY)) && tolerance < p.noise {
        return Some(format!("{given} is below the noise of the points, {}", brief(p.noise)));
    }
    if is_none && tolerance * TIMES > side {
        let side = brief(side);
        return Some(format!("{given} leaves no room for planes in a cloud that is {side} wide"));
    }
    let noise = p.noise.max(p.rounding);
    let is_much = noise > 0.0 && tolerance > MUCH * noise;
    (is_much && is_below(LITTLE)).then(|| {
        let (times, noise) = (tolerance / noise, brief(noise));
        format!("{given} is {times:.0} times the noise of the points, {noise}; try a smaller one, or none")
    })
}

/// What is said of a cloud that has fewer points than a plane must have.
fn too_few(found: &Detection) -> Option<String> {
    let input = &found.input;
    let points = input.searched().saturating_sub(input.stray);
    let fewest = found.parameters.min_inliers;
    (points < fewest).then(|| {
        let points = counted(points, "point");
        let chosen = chosen(found).map_or_else(String::new, |chosen| format!("; {chosen}"));
        format!("{points} to search, but a plane must have {fewest} (--min-inliers){chosen}")
    })
}

/// How many points were chosen by which options; `None` if they are all.
fn chosen(found: &Detection) -> Option<String> {
    let input = &found.input;
    let all = counted(input.points, "point");
    let leaves = || with_options(&found.parameters.choice.leaves());
    (input.not_chosen > 0).then(|| format!("{} {} of {all}", leaves(), input.chosen()))
}

/// The same where they may be too few to show planes.
fn too_few_chosen(found: &Detection) -> String {
    let too_few = |chosen| format!("; {chosen}, perhaps too few");
    chosen(found).map_or_else(String::new, too_few)
}

/// What is said of a cloud without planes in which no neighbourhood was found to be a surface.
fn no_surface(found: &Detection, mode: Mode) -> Option<String> {
    // Surfaces tell how far points on them are apart; the papers' procedure seeks none.
    let is_none = mode != Mode::OnePass && found.parameters.spacing == 0.0;
    let points = counted(found.input.searched(), "point");
    (is_none && found.planes.is_empty()).then(|| {
        format!(
            "{points} show no surface: where some lie together, they are too few, at one place or on a line{}",
            too_few_chosen(found)
        )
    })
}

/// Why a cloud has no planes, as the best candidate tells.
fn no_plane(found: &Detection, options: &Options) -> Option<String> {
    if options.mode == Mode::OnePass || !found.planes.is_empty() {
        return None;
    }
    let best = found.rejected.first()?;
    let points = counted(best.points, "point");
    if found.rejected.iter().any(|rejected| rejected.reason == Reason::SmallArea) {
        return Some("no plane is as large as --min-area".to_string());
    }
    let chosen = match best.reason {
        Reason::TooSmall | Reason::Taken | Reason::Chance => too_few_chosen(found),
        _ => String::new(),
    };
    let because = because(best, &found.parameters);
    Some(format!("no planes; the best candidate has {points}{because}{chosen}"))
}

/// What is said of planes with many points that are so thick that they may be several.
fn thick(found: &Detection, options: &Options) -> Option<String> {
    /// A plane that is so many times as thick as the noise may be several.
    const THICK: f64 = 4.0;
    /// Share of the points that such planes have, at least, to be mentioned.
    const MANY: f64 = 1.0 / 3.0;
    let p = &found.parameters;
    // In a frame, the noise differs with the depth.
    let may_be = options.mode != Mode::OnePass
        && options.tolerance.is_none()
        && p.viewpoint.is_none()
        && p.widen > 1.0
        && p.noise > 0.0;
    let is_thick = |plane: &&Plane| may_be && plane.rmse > THICK * p.noise;
    let thick: Vec<&Plane> = found.planes.iter().filter(is_thick).collect();
    let points = found.input.searched().saturating_sub(found.input.stray).max(1);
    let share = thick.iter().map(|plane| plane.inliers).sum::<u64>() as f64 / points as f64;
    let times = thick.iter().map(|plane| plane.rmse / p.noise).fold(0.0, f64::max);
    let percent = 100.0 * share;
    let (have, they) = match thick.len() {
        1 => (format!("one plane has {percent:.0} % of the points and is"), "it"),
        n => (format!("{n} planes have {percent:.0} % of the points and are up to"), "they"),
    };
    (share > MANY).then(|| {
        format!(
            "{have} {times:.0} times as thick as the noise; {they} may be several, which --widen 1 keeps apart"
        )
    })
}

/// What is said of points at the origin, if they are so many that they may stand for no place.
fn without_place(cloud: &Loaded) -> Option<String> {
    /// Fewer may be one place, measured again and again.
    const MANY: u64 = 20;
    /// Or a smaller share of the points than one in so many.
    const ONE_IN: u64 = 1000;
    let n = cloud.at_origin;
    (n >= MANY && n * ONE_IN >= cloud.points.len() as u64).then(|| {
        format!(
            "{n} points are exactly at 0, 0, 0, where some programs put points whose place is unknown; they \
             are searched like all others"
        )
    })
}

/// The points that could not be used, in words.
fn left_out(not_finite: u64, stray: u64, format: Format) -> Option<String> {
    let points = |n: u64| counted(n, "point");
    let not_finite = (not_finite > 0).then(|| match format {
        Format::DEPTH => format!("{} without depth", counted(not_finite, "pixel")),
        // The coordinates of points that an instrument marked are dropped when they are read.
        Format::E57 => format!("{} marked as invalid or not finite", points(not_finite)),
        _ => format!("{} with coordinates that are not finite", points(not_finite)),
    });
    let stray = (stray > 0).then(|| format!("{} far from all others", points(stray)));
    let parts: Vec<String> = [not_finite, stray].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::{Format, left_out, measured};

    #[test]
    fn steps_that_were_measured_are_round() {
        assert_eq!([0.000_999_94, 0.01, 0.2502].map(measured), ["0.001", "0.01", "0.25"]);
    }

    #[test]
    fn what_was_left_out_is_said_in_words() {
        assert_eq!(left_out(0, 0, Format::LAS), None);
        assert_eq!(left_out(0, 1, Format::LAS).unwrap(), "1 point far from all others");
        let both = "2 points with coordinates that are not finite and 3 points far from all others";
        assert_eq!(left_out(2, 3, Format::LAS).unwrap(), both);
        let marked = "1 point marked as invalid or not finite";
        assert_eq!(left_out(1, 0, Format::E57).unwrap(), marked);
        assert_eq!(left_out(2, 0, Format::DEPTH).unwrap(), "2 pixels without depth");
    }
}
