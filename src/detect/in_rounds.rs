//! Detection in rounds: which points are searched, and in whose view. Copies of a point are searched as one, gaps between
//! the rings of a spinning scanner are filled, and the frame of a depth camera is searched as the camera sees it.
use super::copies::Sites;
use super::depth_steps::DepthSteps;
use super::drawn::{Drawn, DrawnPoints};
use super::ground::Ground;
use super::how::{Camera, How};
use super::labelled::Labelled;
use super::load::Loaded;
use super::options::Options;
use super::parameters;
use super::planes::Answer;
use super::plateau::Plateau;
use super::progress::begin;
use super::rings::{Between, Rings};
use super::standpoint::standpoint;
use crate::Result;
use crate::backend::Held;
use crate::camera::search::{self, Found};
use crate::surface::unit::{CellCounts, FINEST, OF_COINCIDING};
use std::sync::Arc;

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
    let sites = clusters.map(|[width, edge]| {
        let coincide = width == FINEST && edge <= OF_COINCIDING;
        (Sites::find(&cloud.points, edge), coincide)
    });
    if let Some((sites, coincide)) = sites.filter(|(sites, _)| sites.are_of_copies()) {
        drop(held);
        let of_sites = How { of_clusters: !coincide, ..how };
        return without_copies(cloud, &sites.in_file_order(), of_sites)?.finish(cloud, how);
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

/// The planes of a cloud of rings, which are found with points between these.
fn with_points_between(cloud: &mut Loaded, between: Between, how: How<'_, '_>) -> Result<Labelled> {
    let own = cloud.points.len();
    let own_points = (0..own).map(|i| cloud.points.get(i));
    let all = own_points.chain((0..between.gaps.len()).map(|i| between.points.get(i))).collect();
    let Between { gaps, rings, scanner, .. } = between;
    let mut dense = Loaded { frame: cloud.frame, ..cloud.redrawn(1.0, all) };
    let mut held = how.backend.hold(dense.points.clone())?;
    let counts = held.count_cells()?;
    let drawing = DrawnPoints::new(&dense.points, Drawn::InSpace).at_least(scanner.thinnest);
    let ground = Ground::of_cloud(held.as_mut(), &counts, drawing, how)?;
    drop(counts);
    let camera = Camera::Spinning(scanner);
    let mut labelled = ground.search(&mut dense, held, (camera, how))?;
    labelled.leave_out_others(&cloud.points, &dense.places.unwrap_or_default(), &gaps);
    let fewest = parameters::smallest_plane(own as u64).min(labelled.parameters.min_inliers);
    labelled.parameters.min_inliers = how.options.min_inliers.unwrap_or(fewest);
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
    let rings = rings.or_else(elsewhere);
    let may_have_rings = rings.is_none();
    if let Some(between) = rings.as_ref().and_then(Rings::between) {
        drop((held, counts, rings));
        return with_points_between(cloud, between, how);
    }
    let sample = search::sample(&cloud.points, cloud.home());
    let told = search::told((&cloud.points, cloud.home()), &sample, cloud.rows());
    // A given tolerance means the same everywhere.
    let is_deep = |found: &&Found| found.is_deep && how.options.tolerance.is_none();
    let likely = told.as_ref().filter(is_deep);
    if let Some(found) = likely
        && let Some(labelled) = as_seen(cloud, found, how)?
    {
        return Ok(labelled);
    }
    let was_refused = likely.is_some();
    let drawing = DrawnPoints::new(&cloud.points, Drawn::InSpace);
    let mut ground = Ground::of_cloud(held.as_mut(), &counts, drawing, how)?;
    // Dense rings tell where the scanner stood, if nothing else does.
    let place = if may_have_rings { standpoint(&ground.cut.view) } else { None };
    let rings = place.and_then(|home| Rings::find(&cloud.points, home));
    if let Some(between) = rings.as_ref().and_then(Rings::between) {
        drop((ground, held, counts, rings));
        return with_points_between(cloud, between, how);
    }
    let sought = how.options.tolerance.is_none();
    // Faces of a roof are as even from some places as the pixels of a frame.
    let searched = || if ground.plateau.facets { None } else { ground.viewpoint(cloud, &sample) };
    let found = sought.then(|| told.or_else(searched)).flatten();
    // Steps that stay steps at every size are only told apart from planes in the camera's view.
    let Plateau { stepped, alike, sliced, .. } = ground.plateau;
    let is_drawn = |found: &&Found| {
        let are_steps = || DepthSteps::are_in_disparities(&cloud.points, &found.viewpoint);
        let may_hide = || !alike || !sliced && (found.is_whole || are_steps());
        !was_refused && (found.is_deep || found.is_exact && stepped && may_hide())
    };
    let ahead = found.as_ref().map(|found| found.viewpoint.ahead());
    if let Some(found) = found.as_ref().filter(is_drawn) {
        // Both searches at once would take twice the memory.
        drop(ground);
        if let Some(labelled) = as_seen(cloud, found, how)? {
            return Ok(labelled);
        }
        let drawing = DrawnPoints::new(&cloud.points, Drawn::InSpace);
        ground = Ground::of_cloud(held.as_mut(), &counts, drawing, how)?;
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

/// Searches a depth camera's frame in the camera's view, if its noise is that of such a frame or of rounded depths. Exact
/// points are searched in space, and so are wide steps along an axis: in space, rounding adds the same to all depths.
fn as_seen(cloud: &mut Loaded, found: &Found, how: How) -> Result<Option<Labelled>> {
    let viewpoint = &found.viewpoint;
    let (frame, points) = viewpoint.seen(&cloud.points);
    let steps = DepthSteps::find(&cloud.points, viewpoint, &frame);
    let mut seen = cloud.redrawn(frame.step, points);
    let mut held = how.backend.hold(seen.points.clone())?;
    let counts = held.count_cells()?;
    let drawing = DrawnPoints::new(&seen.points, Drawn::AsSeen);
    let mut ground = Ground::of_cloud(held.as_mut(), &counts, drawing, how)?;
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
