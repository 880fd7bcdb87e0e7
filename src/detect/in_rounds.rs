//! Detection in rounds: surfaces, parameters, planes class by class, then the points of each plane.

use super::around::{self, Around};
use super::copies::Sites;
use super::depth_steps::DepthSteps;
use super::evidence;
use super::found::{Class, Failed, Findings, FoundPlane};
use super::limits::{MIN_STEPS, SIGMAS};
use super::load::Loaded;
use super::noise::{self, Drawn, Plateau, View};
use super::options::{Mode, Options};
use super::parameters::{Measured, Nature};
use super::pixels::Pixels;
use super::planes::Answer;
use super::progress::{Progress, begin};
use super::rings::{Between, Rings};
use super::rounds::{self, Votes};
use super::viewpoint::{NEAREST, Sight, Viewpoint};
use super::viewpoint_search::Found;
use super::{
    claims, ends, interrupted, layers, members, merge, noise_field, parameters, planes, present,
    refine, rejected, roundness, rows, tolerance, viewpoint, viewpoint_search, waves,
};
use crate::Result;
use crate::backend::{Backend, Held, InCells, Labels, Room, Surfaces};
use crate::detection::{Curved, Parameters};
use crate::frame::{Frame, Points};
use crate::lms::Refine;
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::moments::Moments;
use crate::surface::noise_field::NoiseField;
use crate::surface::plane::{Assigned, LocalPlane};
use crate::surface::quantile::quantile;
use crate::surface::sums::Sums;
use crate::surface::surfels::{Surfel, Surfels, Thinner};
use crate::surface::unit::{CellCounts, Unit};
use crate::vector::Vec3;
use std::sync::Arc;

/// Most classes of noise that are searched; each is rougher than the one before.
const CLASSES: usize = 3;
/// A class is searched when it holds at least one in this many of the points.
const WORTH: u64 = 10;

/// Where the noise of neighbours is correlated, about this many cells share one error.
const ALIKE: f64 = 4.0;

/// The noise of a frame shows only on cells that are wide against its pixels. An outline is finer: its cells are at most so
/// many times as wide as the spacing of the plane's points, which differs between its near and far ends.
const CLOSING: f64 = 16.0;

/// An outline reaches over this share of the gaps between the rings of a plane.
const NEARLY_ALL: f64 = 0.9;

/// Noise that grows with the depth is at least so many times as large far away as if it fell off with the inverse of the depth
/// in the camera's view.
const GROWS: f64 = 1.5;

/// Neighbourhoods so many times as thick as the precision of their sums makes them show noise.
const THICKER: f64 = 2.0;

/// The finest neighbourhoods of clouds of more distinct points than this are so small that independent noise
/// hides correlated noise there …
const LARGE: u64 = 2_000_000;
/// … which those of about so many of the points show.
const PART: u64 = 500_000;

/// How a cloud is searched.
#[derive(Clone, Copy)]
pub(super) struct How<'a, 'b> {
    pub options: &'a Options,
    pub backend: &'b dyn Backend,
    pub progress: &'a dyn Progress,
}

/// Finds the planes of a cloud, whose points the backend may hold already.
pub(super) fn detect<'b>(
    cloud: &mut Loaded,
    held: Option<Box<dyn Held<'b> + 'b>>,
    how: How<'_, 'b>,
) -> Result<Answer> {
    begin(how.progress, "cells", None)?;
    let mut held = match held {
        Some(held) => held,
        None => how.backend.hold(cloud.points.clone())?,
    };
    let counts = held.count_cells()?;
    // A tolerance that is finer than the clusters asks for what they hide.
    let tolerance = how.options.tolerance.unwrap_or(f64::INFINITY) / cloud.frame.step;
    let clusters = counts.clusters().filter(|&[width, _]| f64::from(width) <= tolerance);
    let sites = clusters.map(|[_, edge]| Sites::find(&cloud.points, edge));
    if let Some(sites) = sites.filter(Sites::are_of_copies) {
        drop(held);
        return without_copies(cloud, &sites.in_file_order(), how)?.finish(cloud, how);
    }
    labelled(cloud, (held, counts), how)?.finish(cloud, how)
}

/// The planes of a cloud whose points are copies at these sites.
fn without_copies(cloud: &Loaded, sites: &Sites, how: How<'_, '_>) -> Result<Labelled> {
    let copies = sites.copies();
    log::debug!("{copies:.2} copies of each point");
    let mut alone =
        Loaded { frame: cloud.frame, ..cloud.redrawn(1.0, cloud.points.select(&sites.points)) };
    let mut held = how.backend.hold(alone.points.clone())?;
    let counts = held.count_cells()?;
    let fewer = |points: Option<u64>| points.map(|n| (n as f64 / copies).ceil() as u64);
    let options = Options {
        min_inliers: fewer(how.options.min_inliers),
        min_votes: fewer(how.options.min_votes),
        ..how.options.clone()
    };
    let of_sites = How { options: &options, ..how };
    let mut labelled = labelled(&mut alone, (held, counts), of_sites)?;
    labelled.spread(sites, &alone.places.unwrap_or_default(), &cloud.points);
    let more = |sites: u64| (sites as f64 * copies).round() as u64;
    let parameters = &mut labelled.parameters;
    parameters.copies = copies;
    parameters.min_inliers = how.options.min_inliers.unwrap_or(more(parameters.min_inliers));
    parameters.min_votes = how.options.min_votes.unwrap_or(more(parameters.min_votes));
    Ok(labelled)
}

/// The planes of a cloud of so many rings, which are found with points between these.
fn with_points_between(
    cloud: &mut Loaded,
    (rings, between): (usize, Between),
    how: How<'_, '_>,
) -> Result<Labelled> {
    let own = cloud.points.len();
    let own_points = (0..own).map(|i| cloud.points.get(i));
    let all = own_points.chain((0..between.gaps.len()).map(|i| between.points.get(i))).collect();
    let Between { gaps, .. } = between;
    let mut dense = Loaded { frame: cloud.frame, ..cloud.redrawn(1.0, all) };
    let mut held = how.backend.hold(dense.points.clone())?;
    let counts = held.count_cells()?;
    let ground = Ground::of_cloud(held.as_mut(), &counts, (&dense, Drawn::InSpace), how)?;
    drop(counts);
    let mut labelled = ground.search(&mut dense, held, (Camera::Spinning, how))?;
    labelled.leave_out_others(&cloud.points, &dense.places.unwrap_or_default(), &gaps);
    let fewest = || parameters::smallest_plane(own as u64);
    labelled.parameters.min_inliers = how.options.min_inliers.unwrap_or_else(fewest);
    labelled.parameters.rings = rings;
    // The labels are in the order of the points, as they are.
    cloud.reorder((0..own as u32).collect(), cloud.points.clone());
    Ok(labelled)
}

/// The planes of a cloud without copies of points, and their points.
fn labelled<'b>(
    cloud: &mut Loaded,
    (mut held, counts): (Box<dyn Held<'b> + 'b>, CellCounts),
    how: How<'_, 'b>,
) -> Result<Labelled> {
    // Programs store a scanner's place with points in its coordinates, too.
    let rings = Rings::find(&cloud.points, cloud.scanner());
    let elsewhere = || cloud.scanner.and_then(|_| Rings::find(&cloud.points, cloud.home()));
    if let Some(rings) = rings.or_else(elsewhere) {
        let (number, between) = (rings.len(), rings.between());
        if !between.gaps.is_empty() {
            drop((held, counts, rings));
            return with_points_between(cloud, (number, between), how);
        }
    }
    let told = viewpoint_search::told(&cloud.points, cloud.home(), cloud.rows());
    // A given tolerance means the same everywhere.
    let is_deep = |found: &&Found| found.is_deep && how.options.tolerance.is_none();
    let likely = told.as_ref().filter(is_deep);
    if let Some(found) = likely
        && let Some(labelled) = as_seen(cloud, found, how)?
    {
        return Ok(labelled);
    }
    let was_refused = likely.is_some();
    let mut ground = Ground::of_cloud(held.as_mut(), &counts, (cloud, Drawn::InSpace), how)?;
    let sought = how.options.tolerance.is_none();
    let found = sought.then(|| told.or_else(|| ground.viewpoint(cloud))).flatten();
    // Steps that stay steps at every size are only told apart from planes in the camera's view.
    let Plateau { stepped, alike, sliced, .. } = ground.plateau;
    let is_drawn = |found: &&Found| {
        let are_steps = || DepthSteps::are_in_disparities(&cloud.points, &found.viewpoint);
        let may_hide = || !alike || !sliced && are_steps();
        !was_refused && (found.is_deep || found.is_exact && stepped && may_hide())
    };
    let ahead = found.as_ref().map(|found| found.viewpoint.ahead());
    if let Some(found) = found.as_ref().filter(is_drawn) {
        // Both searches at once would take twice the memory.
        drop(ground);
        if let Some(labelled) = as_seen(cloud, found, how)? {
            return Ok(labelled);
        }
        ground = Ground::of_cloud(held.as_mut(), &counts, (cloud, Drawn::InSpace), how)?;
    }
    if sought {
        ground.look_past_slices(ahead);
    }
    let exact =
        told.or(found).filter(|found| found.is_whole).map(|f| f.viewpoint.sight(&cloud.frame));
    let camera = match exact {
        Some(sight) => Camera::Seen(sight),
        None if sought => Camera::None,
        None => Camera::Unsought,
    };
    ground.search(cloud, held, (camera, how))
}

/// The camera whose pixels the points of a cloud are.
#[derive(Debug, Clone, Copy)]
enum Camera {
    /// It was not looked for, since a tolerance was given.
    Unsought,
    /// There is none.
    None,
    /// There is none: a spinning scanner saw them, in rings.
    Spinning,
    /// It sees the points like this.
    Seen(Sight),
}

/// Searches a depth camera's frame in the camera's view, if its noise is that of such a frame or of rounded depths. Exact
/// points are searched in space, and so are wide steps along an axis: in space, rounding adds the same to all depths.
fn as_seen(cloud: &mut Loaded, found: &Found, how: How) -> Result<Option<Labelled>> {
    let viewpoint = &found.viewpoint;
    let (frame, points) = viewpoint.seen(&cloud.points);
    let steps = DepthSteps::find(&cloud.points, viewpoint, &frame);
    let mut seen = cloud.redrawn(frame.step, points);
    let mut held = how.backend.hold(seen.points.clone())?;
    let counts = held.count_cells()?;
    let mut ground = Ground::of_cloud(held.as_mut(), &counts, (&seen, Drawn::AsSeen), how)?;
    if let Some(steps) = &steps
        && !ground.plateau.sliced
    {
        ground.look_beyond(steps);
    }
    if ground.is_exact(steps.as_ref()) {
        // The rows of an exact floor may look like steps of disparities.
        let of_depths = steps.filter(|steps| !steps.are_of_disparities());
        let is_hidden = |steps: &DepthSteps| ground.plateau.sliced && steps.are_along_axis;
        if of_depths.as_ref().is_none_or(is_hidden) {
            return Ok(None);
        }
        ground.steps = of_depths;
    } else if !ground.settle_on_frame(found, &frame) {
        return Ok(None);
    }
    let camera = match found.is_whole {
        true => Camera::Seen(viewpoint.sight_of_drawn(&cloud.frame, &frame)),
        false => Camera::None,
    };
    let mut labelled = ground.search(&mut seen, held, (camera, how))?;
    let order = seen.places.unwrap_or_default();
    let points = Arc::new(cloud.points.select(&order));
    cloud.reorder(order, points);
    labelled.leave((viewpoint, &frame), &cloud.points);
    labelled.parameters.viewpoint = Some(cloud.frame.input(viewpoint.eye()));
    Ok(Some(labelled))
}

/// What a search starts from: the cells, and the scale at which they show the noise.
struct Ground<'b> {
    /// For each point in cell order, its index before.
    order: Vec<u32>,
    cells: Box<dyn InCells<'b> + 'b>,
    /// The memory of the sums of the cells, which are made again.
    sums: Vec<Sums>,
    view: View,
    plateau: Plateau,
    /// The steps in which depths come, if a frame that is drawn in the camera's view has no other noise.
    steps: Option<DepthSteps>,
}

impl<'b> Ground<'b> {
    /// Cells as fine as the points allow. In a large cloud they are as fine as a part of the points allows if
    /// that shows correlated noise, or if it is a frame in the camera's view.
    fn of_cloud(
        held: &mut dyn Held<'b>,
        counts: &CellCounts,
        (cloud, drawn): (&Loaded, Drawn),
        how: How<'_, 'b>,
    ) -> Result<Ground<'b>> {
        let unit = Unit::for_counts(counts);
        if counts.finest <= LARGE {
            return Ground::of_cells(held, unit, drawn);
        }
        let part = Arc::new(cloud.points.one_in(counts.finest.div_ceil(PART)));
        let mut held_part = how.backend.hold(part)?;
        let wide = Unit::for_counts(&held_part.count_cells()?).at_least(unit);
        let Ground { plateau, .. } = Ground::of_cells(held_part.as_mut(), wide, drawn)?;
        drop(held_part);
        if !plateau.alike && drawn == Drawn::InSpace {
            return Ground::of_cells(held, unit, drawn);
        }
        let mut ground = Ground::of_cells(held, wide, drawn)?;
        if !ground.plateau.alike {
            ground.plateau = plateau;
        }
        Ok(ground)
    }

    /// Cells of this edge.
    fn of_cells(held: &mut dyn Held<'b>, unit: Unit, drawn: Drawn) -> Result<Ground<'b>> {
        let (order, cells) = held.cut(unit)?;
        let mut sums = cells.sums();
        let view = View::new(cells.cells(), &mut sums);
        let plateau = view.plateau(drawn);
        Ok(Ground { order, cells, sums, view, plateau, steps: None })
    }

    /// Whether the noise may be that of a depth camera's frame: it is correlated or comes in steps.
    fn may_be_frame(&self) -> bool {
        self.plateau.alike || self.plateau.stepped
    }

    /// Moves the plateau to a level on which the steps of a frame's depths do not hide its surfaces.
    fn look_beyond(&mut self, steps: &DepthSteps) {
        let samples = &self.view.samples;
        let mut seen = (0..self.view.levels()).map(|l| (l as f64, steps.hide(samples, l)));
        // Where hardly any neighbourhood is flat, nothing tells whether steps hide it.
        if seen.find(|(_, hidden)| hidden.is_some()).is_none_or(|(_, hidden)| hidden == Some(false))
        {
            return;
        }
        let first = seen.find(|&(_, hidden)| hidden == Some(false));
        if let Some((first, _)) = first.filter(|&(first, _)| first > self.plateau.level) {
            (self.plateau.level, self.plateau.sliced) = (first, true);
        }
    }

    /// Moves the plateau of a frame that is searched in space to a level on which slices across the direction of view, if it
    /// is known, do not hide its surfaces.
    fn look_past_slices(&mut self, ahead: Option<Vec3>) {
        if let Some(level) = self.view.beyond_slices(&self.plateau, ahead) {
            let level = self.plateau.level.max(level as f64);
            self.plateau = Plateau { level, sliced: true, alike: true, ..self.plateau };
        }
    }

    /// Whether the points of a frame have no noise but that of rounded depths.
    fn is_exact(&self, steps: Option<&DepthSteps>) -> bool {
        let View { samples, .. } = &self.view;
        let is_rounded = |steps: &DepthSteps| {
            !steps.are_of_disparities() && steps.explain(samples, self.plateau.level)
        };
        steps.is_some_and(is_rounded) || !self.may_be_frame() && !self.shows_noise()
    }

    /// Whether neighbourhoods are thicker than the precision of their sums makes them.
    fn shows_noise(&self) -> bool {
        let exact = self.cells.cells().base().unit() / 12f64.sqrt();
        self.view.noise(self.plateau.level).is_some_and(|noise| noise > THICKER * exact)
    }

    /// The viewpoint of a depth camera's frame.
    fn viewpoint(&self, cloud: &Loaded) -> Option<Found> {
        let in_rows = || {
            let (order, points) = (&self.order, &cloud.points);
            rows::lie_in_rows(self.cells.cells(), |i| points.get(order[i] as usize).map(f64::from))
        };
        let likely = self.may_be_frame() || self.plateau.clear.is_some();
        viewpoint_search::find(&cloud.points, cloud.home(), (likely, in_rows))
    }

    /// Finds the finest level above the base on which a cloud drawn in the camera's view has the noise of a frame,
    /// and makes it the plateau; false if there is none. Steps may blur the levels below.
    fn settle_on_frame(&mut self, found: &Found, frame: &Frame) -> bool {
        let far = |middle: Vec3| found.viewpoint.depth_of_seen(middle, frame);
        let grows = |level, least| self.view.growth(level, far).is_some_and(|by| by >= least);
        // Steps hide the noise of a frame on the finest level. Where pixels tell that it is a frame, or noise that is much
        // larger far away, none need show.
        let is_frame = found.is_whole || grows(1, GROWS);
        // Slices of whole pixels are told more precisely.
        let is_blurred = !found.is_whole || !self.plateau.sliced;
        let beyond_slices = || self.view.beyond_slices(&self.plateau, Some([0.0, 0.0, 1.0]));
        let beyond_steps = is_blurred.then(beyond_slices).flatten();
        let first = usize::from(is_frame && self.view.levels() > 1).max(beyond_steps.unwrap_or(0));
        let mut level = (self.plateau.level as usize).max(first);
        while level == 0 || !grows(level, 1.0) {
            if !self.view.clears_up(level) {
                return false;
            }
            level += 1;
        }
        (self.plateau.level, self.plateau.alike) = (level as f64, true);
        true
    }

    /// Finds the planes of a cloud and their points.
    fn search(
        mut self,
        cloud: &mut Loaded,
        mut held: Box<dyn Held<'b> + 'b>,
        (camera, how): (Camera, How<'_, 'b>),
    ) -> Result<Labelled> {
        let widening = self.plateau.widening();
        if widening != 1.0 {
            // Finer cells do not show the surface. They are dropped before the wider ones are made, to save
            // memory.
            let unit = self.cells.cells().unit.coarser(widening);
            let Ground { order, cells, sums, view, plateau, steps } = self;
            drop((order, cells, sums, view));
            let (order, cells) = held.cut(unit)?;
            let mut sums = cells.sums();
            let view = View::new(cells.cells(), &mut sums);
            self = Ground { order, cells, sums, view, plateau, steps };
        }
        // The points in their old order are no longer needed, but their memory is.
        drop(held);
        let Ground { order, cells, sums, view, plateau, steps } = self;
        let points = Arc::try_unwrap(std::mem::take(&mut cloud.points)).unwrap_or_default();
        begin(how.progress, "surfaces", None)?;
        let surfaces = cells.judge(Room { points, sums })?;
        cloud.reorder(order, surfaces.cloud().points.clone());
        search(cloud, surfaces, (&view, plateau, steps), (camera, how))
    }
}

/// What the searches of all classes share.
struct Scene<'a> {
    cloud: &'a Loaded,
    in_cells: &'a CellCloud,
    field: &'a NoiseField,
    nature: Nature,
    /// Standard deviation that rounding adds to the coordinates, along the axis that is rounded most.
    rounding: f64,
    /// The same along the axis that is rounded least: no surface that crosses the steps shows less.
    quantum: f64,
    how: How<'a, 'a>,
}

/// Searches a cloud that was cut into cells.
fn search<'b>(
    cloud: &Loaded,
    mut surfaces: Box<dyn Surfaces<'b> + 'b>,
    (view, plateau, steps): (&View, Plateau, Option<DepthSteps>),
    (camera, how): (Camera, How<'_, 'b>),
) -> Result<Labelled> {
    let How { options, progress, .. } = how;
    let as_seen = plateau.drawn == Drawn::AsSeen;
    // In the camera's view coordinates come in steps because pixels do.
    let of_axes = if as_seen { [0.0; 3] } else { noise::rounding(&cloud.points) };
    let [quantum, rounding] =
        [f64::min, f64::max].map(|of| of_axes.into_iter().fold(of_axes[0], of));
    let in_cells = &surfaces.cloud().clone();
    let cells = &in_cells.cells;
    let flatness = |level, cell| surfaces.flatness(level, cell);
    let field = Arc::new(match steps {
        Some(steps) => noise_field::of_rounded_depths(cells, view, plateau, &steps),
        None => noise_field::measure(in_cells, view, plateau, rounding, flatness),
    });
    surfaces.follow(field.clone())?;
    // A given tolerance that may be widened is treated like a measured one.
    let obey = options.tolerance.is_some() && options.widen.is_none_or(|times| times == 1.0);
    let nature = Nature {
        obey,
        alike: plateau.alike,
        even: field.is_even() || obey,
        as_seen,
        in_rings: matches!(camera, Camera::Spinning),
    };
    let rounding = steps.map_or(rounding, |steps| steps.usual);
    let scene = Scene { cloud, in_cells, field: &field, nature, rounding, quantum, how };
    let (mut parameters, (surfels, findings)) = scene.classes(surfaces.as_mut())?;
    let Findings { mut found, failed } = findings;
    begin(progress, "labels", None)?;
    let surfels_of = || found.iter().map(|f| f.support.surfels.as_slice());
    let claimed = claims::claims(&surfels, &found, cells.base().size, obey);
    let densities: Vec<f64> = claimed.iter().map(|claim| claim.density).collect();
    let mut labels =
        surfaces.present(&|| present::present(cells, &surfels, surfels_of()), claimed)?;
    let (mut local, sums) = exact_planes(labels.as_mut(), &found, &parameters)?;
    let alike = if nature.alike { sharing_errors(cells, plateau) } else { 1.0 };
    let uneven = nature.alike || !nature.even;
    let drifts = !nature.even && !field.has_floor();
    let how = merge::How { angle: parameters.angle.to_radians(), alike, uneven, drifts, obey };
    let mut into = merge::merge(&mut local, &sums, how);
    if uneven && !obey {
        let (sums, widen) = (sums.as_slice(), parameters.widen);
        let usual = parameters.tolerance / cloud.frame.step;
        let planes =
            waves::Planes { cells, surfels: &surfels, found: &found, sums, drifts, usual, widen };
        waves::join(&planes, &mut local, &mut into);
    }
    let mut assigned = labels.assign(&local, &into)?;
    merge::gather(&mut found, &into);
    let mut changed = merge::wholes(&into);
    if let Some(pixels) = pixels((cloud, in_cells), camera) {
        parameters.camera = Some(pixels.sight.camera);
        let (pixels, surfels, parameters) = (&pixels, &surfels, &parameters);
        let frame = interrupted::Frame { pixels, in_cells, surfels, parameters };
        changed.extend(interrupted::divide(&frame, (&mut local, &mut found, &mut assigned)));
        changed.sort_unstable();
        changed.dedup();
    }
    found.iter_mut().zip(&local).for_each(|(f, plane)| f.support.tolerance = plane.tolerance);
    let outline_cell = planes::outline_cell(cells, &surfels.list, &found);
    let judges_curves = !obey && options.curved == Curved::Grey;
    let arbitrary = judges_curves.then(|| ends::arbitrary((cells, &surfels), &found, &local));
    // Of a wall that is rougher than the rest, slabs that are not widened take a slice.
    let is_judged = judges_curves && parameters.widen > 1.0 && cloud.points.len() >= around::FEWEST;
    let around = is_judged.then(|| {
        let size = cells.base().size;
        let densities = claims::densities(&surfels, (&found, &changed), densities, size);
        around::look(&cloud.points, &assigned, &local, (&densities, parameters.min_inliers))
    });
    Ok(Labelled {
        parameters,
        local,
        found,
        arbitrary,
        around,
        failed,
        assigned,
        outline_cell,
        rounding: of_axes,
        alike,
        obey,
    })
}

/// The planes that were found, made exact by their points, and the sums of these.
fn exact_planes(
    labels: &mut dyn Labels,
    found: &[FoundPlane],
    parameters: &Parameters,
) -> Result<(Vec<LocalPlane>, Vec<Moments>)> {
    let mut local: Vec<LocalPlane> = found.iter().map(|f| f.support.plane()).collect();
    let mut sums = labels.sums(&local)?;
    if parameters.widen > 1.0 {
        sums = tolerance::settle(labels, &mut local, sums, parameters.widen)?;
    }
    if parameters.refine != Refine::None {
        for (plane, sums) in local.iter_mut().zip(&sums) {
            *plane = sums.fit().map_or(*plane, |fit| LocalPlane::of_fit(&fit, plane.tolerance));
        }
    }
    Ok((local, sums))
}

/// The number of points that share one error where the noise of neighbours is correlated.
fn sharing_errors(cells: &Cells, plateau: Plateau) -> f64 {
    let shown =
        noise::between(plateau.finer(), |at| cells.levels.get(at).map(|level| level.len() as f64));
    ALIKE * cells.distinct as f64 / shown.unwrap_or(1.0)
}

/// The image of a frame; `None` if the points are no pixels.
fn pixels((cloud, in_cells): (&Loaded, &CellCloud), camera: Camera) -> Option<Pixels> {
    let sight = match camera {
        Camera::Seen(sight) => sight,
        Camera::None | Camera::Spinning => return None,
        Camera::Unsought => {
            viewpoint_search::of_pixels(in_cells, cloud.home())?.sight(&cloud.frame)
        }
    };
    Pixels::find(&cloud.points, sight)
}

impl Scene<'_> {
    /// Searches the usual surfaces first, then the rougher ones.
    fn classes(&self, surfaces: &mut dyn Surfaces) -> Result<(Parameters, Class)> {
        let Scene { cloud, in_cells, field, nature, .. } = *self;
        let cells = &in_cells.cells;
        let How { options, progress, .. } = self.how;
        let (noise, _) = evidence::noise(surfaces)?;
        // A floor at one of the steps is exact, the walls around it are not.
        let noise = noise.max(self.quantum);
        let seen = evidence::seen(surfaces, noise)?;
        let white = nature.even && !nature.alike;
        let wanted = options.tolerance.map(|tolerance| tolerance / (SIGMAS * cloud.frame.step));
        let thinner = Thinner { noise, most: wanted.unwrap_or(f64::INFINITY), white };
        let mut usual = Surfels::new(in_cells, field, seen.as_ref(), thinner);
        drop(seen);
        begin(progress, "layers", None)?;
        layers::refine(surfaces, cells, &mut usual, [noise, field.least() * noise])?;
        self.settle(&mut usual.list);
        let spacing = evidence::spacing(cells, &usual.list);
        let measured = Measured { noise, spacing, rounding: self.rounding };
        let parameters = parameters::choose(cloud, cells, &usual.list, measured, options);
        begin(progress, "planes", Some(cells.distinct))?;
        let findings = self.search(&usual, &parameters, surfaces)?;
        let mut all = (usual, findings);
        let (mut last, mut known): (Option<Class>, _) = (None, Vec::new());
        for _ in 1..CLASSES {
            if parameters.widen <= 1.0 {
                break;
            }
            let (surfels, findings) = last.as_ref().unwrap_or(&all);
            known = evidence::known(surfels, &findings.found, &known);
            surfaces.leave(&known)?;
            // No more than two classes are kept, to save memory.
            last.take().into_iter().for_each(|last| evidence::combine(&mut all, last));
            let (noise, weight) = evidence::noise(surfaces)?;
            if weight * WORTH < cells.distinct {
                break;
            }
            let seen = evidence::seen(surfaces, noise)?;
            let mut rough = all.0.rougher(in_cells, seen.as_ref());
            drop(seen);
            self.settle(&mut rough.list);
            let rougher = parameters::rougher(&parameters, &rough.list, noise, cloud.frame.step);
            let findings = self.search(&rough, &rougher, surfaces)?;
            last = Some((rough, findings));
        }
        last.into_iter().for_each(|last| evidence::combine(&mut all, last));
        Ok((parameters, all))
    }

    /// Sets how much thicker or thinner than usual surfaces are, as far as their places do not tell. A given tolerance means
    /// the same everywhere.
    fn settle(&self, surfels: &mut [Surfel]) {
        if self.nature.obey {
            surfels.iter_mut().for_each(|s| s.scale = 1.0);
        } else if self.nature.as_seen {
            for s in surfels {
                let share =
                    s.surface.map_or(1.0, |surface| viewpoint::share_of_error(surface.normal()));
                s.scale *= share as f32;
            }
        }
    }

    /// The planes among the surfels of one class.
    fn search(
        &self,
        surfels: &Surfels,
        parameters: &Parameters,
        surfaces: &dyn Surfaces,
    ) -> Result<Findings> {
        let How { options, backend, progress } = self.how;
        let cells = &self.in_cells.cells;
        let space = parameters::space(parameters, self.cloud)?;
        let search = parameters::search(parameters, self.cloud, cells, &space, self.nature);
        let votes = match options.mode {
            Mode::All => Votes::All(surfaces.accumulator(backend, &space)?),
            _ => Votes::Near(backend.accumulator(&space)?),
        };
        let places = rounds::Places { cells, surfels };
        rounds::search(backend, &search, places, votes, progress)
    }
}

/// The planes of a cloud and their points.
struct Labelled {
    parameters: Parameters,
    /// The planes, in local coordinates.
    local: Vec<LocalPlane>,
    found: Vec<FoundPlane>,
    /// Whether each is an arbitrary piece of a larger surface; `None` if pieces of curved surfaces are planes.
    arbitrary: Option<Vec<bool>>,
    /// The points around each; `None` if slices of thicker things are planes.
    around: Option<Vec<Around>>,
    /// The candidates that led to no plane, with the votes of their peaks.
    failed: Vec<(u64, Failed)>,
    assigned: Assigned,
    /// Edge of the cells of each plane's outline raster, in steps.
    outline_cell: Vec<f64>,
    /// Standard deviation that rounding adds to each of the coordinates, in steps.
    rounding: Vec3,
    /// Number of points that share one error.
    alike: f64,
    /// Whether the tolerance was given.
    obey: bool,
}

impl Labelled {
    /// Gives the labels of sites, whose order is known, to all their points.
    fn spread(&mut self, sites: &Sites, order: &[u32], points: &Points) {
        let planes = self.obey.then_some(&self.local[..]);
        self.assigned.labels = sites.spread(&self.assigned.labels, order, (points, planes));
        self.assigned.sums = members::sums(points, &self.assigned.labels, self.local.len());
        self.alike *= sites.copies();
    }

    /// Keeps the labels of the cloud's `points` alone, which were searched together with points between rings, in this
    /// order. An outline reaches over nearly all gaps between the rings of its plane.
    fn leave_out_others(&mut self, points: &Points, order: &[u32], gaps: &[f32]) {
        let mut labels = vec![-1; points.len()];
        let mut gaps_of = vec![Vec::new(); self.local.len()];
        for (&point, &label) in order.iter().zip(&self.assigned.labels) {
            let point = point as usize;
            if let Some(own) = labels.get_mut(point) {
                *own = label;
            } else if let Some(of) = gaps_of.get_mut(label as usize) {
                of.push(f64::from(gaps[point - points.len()]));
            }
        }
        for (cell, gaps) in self.outline_cell.iter_mut().zip(&mut gaps_of) {
            // An outline closes gaps of two cells.
            *cell = cell.max(0.5 * quantile(gaps, NEARLY_ALL));
        }
        self.assigned.sums = members::sums(points, &labels, self.local.len());
        self.assigned.labels = labels;
    }

    /// Maps the planes from the camera's view to the coordinates of the points, and fits them there.
    fn leave(&mut self, (viewpoint, frame): (&Viewpoint, &Frame), points: &Points) {
        self.assigned.sums = members::sums(points, &self.assigned.labels, self.local.len());
        let sums = &self.assigned.sums;
        for (i, plane) in self.local.iter_mut().enumerate() {
            let farther = viewpoint.depth(sums[i].mean()) / viewpoint.depth_of_middle();
            *plane = viewpoint.plane(*plane, frame);
            if let Some(fit) = sums[i].fit() {
                let rms = sums[i].distance_rms(plane.normal, plane.rho);
                let tolerance = (SIGMAS * fit.rmse()).max(MIN_STEPS);
                *plane = match self.parameters.refine {
                    Refine::None => LocalPlane { tolerance: tolerance.max(rms), ..*plane },
                    _ => LocalPlane::of_fit(&fit, tolerance),
                };
            }
            let support = &mut self.found[i].support;
            (support.normal, support.rho) = (plane.normal, plane.rho);
            support.tolerance = plane.tolerance;
            let seen = frame.step * farther.max(NEAREST) * self.outline_cell[i];
            let spacing = sums[i].fit().map_or(f64::INFINITY, |fit| fit.spacing(sums[i].n));
            self.outline_cell[i] = seen.min(CLOSING * spacing);
        }
        for (_, failed) in &mut self.failed {
            let plane = LocalPlane { normal: failed.normal, rho: failed.rho, tolerance: 0.0 };
            let plane = viewpoint.plane(plane, frame);
            (failed.normal, failed.rho) = (plane.normal, plane.rho);
            failed.needs = failed.needs.map(|needs| needs * frame.step);
        }
    }

    /// The planes as they are reported.
    fn finish(self, cloud: &Loaded, how: How) -> Result<Answer> {
        let How { options, backend, progress } = how;
        let Labelled { parameters, local, found, failed, assigned, outline_cell, .. } = self;
        let points = &cloud.points;
        let how = (parameters.refine, backend);
        let mut refined = refine::refined(points, &assigned.labels, &local, &assigned.sums, how)?;
        // Copies of a point are no more certain than one.
        let less = parameters.copies.sqrt();
        refined.iter_mut().flat_map(|r| r.errors.iter_mut().flatten()).for_each(|e| *e *= less);
        let count = |i: usize| assigned.sums[i].n;
        let round = || roundness::round(points, &assigned.labels, &local, count, self.alike);
        let round = match self.arbitrary {
            Some(pieces) => round().into_iter().zip(pieces).map(|(a, b)| a | b).collect(),
            None => vec![false; found.len()],
        };
        // Nothing may use the backend from here on: the program shuts it down.
        begin(progress, "outlines", None)?;
        let mut rejected = rejected::candidates(cloud, failed);
        let known = planes::Known {
            found: &found,
            refined: &refined,
            round: &round,
            around: self.around.as_deref(),
            outline_cell: &outline_cell,
            rounding: self.rounding,
        };
        let planes = planes::finish(cloud, &assigned, known, (&parameters, options), &mut rejected);
        let rejected = rejected::best(rejected, parameters.tolerance);
        Ok(Answer { planes, parameters, rejected })
    }
}
