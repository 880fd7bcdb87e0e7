//! The search of a cloud that is cut into cells: its planes class by class, then the points of each.

use super::around;
use super::depth_steps::DepthSteps;
use super::drawn::Drawn;
use super::found::{Class, Findings, FoundPlane};
use super::how::{Camera, How};
use super::labelled::Labelled;
use super::limits::SIGMAS;
use super::load::Loaded;
use super::noise::View;
use super::options::Mode;
use super::parameters::{Measured, Nature};
use super::plateau::Plateau;
use super::plateau::curve::between;
use super::progress::begin;
use super::rounds::{self, Votes};
use super::sheets::Sheets;
use super::undulation::{self, Undulation};
use super::{
    chamfers, claims, ends, evidence, hills, interrupted, layers, merge, noise_field, parameters,
    planes, present, registered, rings, straighten, told_noise, tolerance, waves,
};
use crate::Result;
use crate::backend::{Labels, Surfaces};
use crate::camera::pixels::Pixels;
use crate::camera::{search as camera_search, viewpoint};
use crate::detection::{Curved, Parameters};
use crate::lms::Refine;
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::Flatness;
use crate::surface::layers::Layer;
use crate::surface::moments::Moments;
use crate::surface::noise_field::NoiseField;
use crate::surface::plane::LocalPlane;
use crate::surface::surfels::{Surfel, Surfels, Thinner};
use crate::vector::Vec3;
use std::sync::Arc;

/// Most classes of noise that are searched; each is rougher than the one before.
const CLASSES: usize = 3;
/// A class is searched when it holds at least one in this many of the points.
const WORTH: u64 = 10;

/// Cells are cut once more if they become finer by at least so many levels.
const WORTH_CUTTING: f64 = 0.75;

/// Where the noise of neighbours is correlated, about this many cells share one error.
const ALIKE: f64 = 4.0;

/// What a search leads to.
pub(super) enum Outcome {
    /// Planes with their points.
    Labelled(Box<Labelled>),
    /// Planes told that the noise is smaller, so that finer cells show the surfaces: those that this plateau asks for.
    Finer(Plateau),
}

/// What the searches of all classes share.
struct Scene<'a> {
    cloud: &'a Loaded,
    in_cells: &'a CellCloud,
    view: &'a View,
    field: Arc<NoiseField>,
    plateau: Plateau,
    camera: Camera,
    nature: Nature,
    /// Standard deviation that rounding adds to each of the coordinates, in steps.
    rounding: Vec3,
    /// That of the coordinates that are rounded most, or of rounded depths.
    most_rounding: f64,
    how: How<'a, 'a>,
}

/// Searches a cloud that was cut into cells.
pub(super) fn search<'b>(
    cloud: &Loaded,
    mut surfaces: Box<dyn Surfaces<'b> + 'b>,
    (view, plateau, rounding, steps): (&View, Plateau, Vec3, Option<DepthSteps>),
    (camera, how): (Camera, How<'_, 'b>),
) -> Result<Outcome> {
    let options = how.options;
    let as_seen = plateau.drawn == Drawn::AsSeen;
    let most_rounding = view.rounding(rounding);
    let in_cells = &surfaces.cloud().clone();
    let cells = &in_cells.cells;
    let spinning = match camera {
        Camera::Spinning(scanner) => Some(scanner),
        _ => None,
    };
    let scanner = spinning.map(|scanner| scanner.eye);
    let flatness = |level: usize, cell| {
        let first = || cells.points_in(cells.levels[level].run(cell)).start;
        let place = || in_cells.points.get(first()).map(f64::from);
        let is_ring =
            |flat: &Flatness| rings::is_edge_on(scanner, place, flat.normal.map(f64::from));
        let flat = surfaces.flatness(level, cell).filter(|flat| !is_ring(flat))?;
        Some(spinning.map_or(flat, |scanner| flat.at_least(scanner.thinnest)))
    };
    let may_widen = options.widen.is_none_or(|times| times > 1.0);
    // A given tolerance that may be widened is treated like a measured one.
    let obey = options.tolerance.is_some() && options.widen.is_none_or(|times| times == 1.0);
    let mut field = match steps {
        Some(steps) => noise_field::of_rounded_depths(cells, view, plateau, &steps),
        None => {
            // The rings of a scanner are thinner along themselves than from one to the next.
            let one_kind = !plateau.sheet || obey || scanner.is_some() || !may_widen;
            noise_field::measure(in_cells, view, plateau, (most_rounding, one_kind), flatness)
        }
    };
    if let Some(scanner) = spinning.filter(|scanner| scanner.thinnest > 0.0) {
        field = field.with_floor(cells.base().len(), scanner.thinnest);
    }
    if !may_widen {
        // Every plane gets the same tolerance.
        field.scale = None;
    }
    let field = Arc::new(field);
    surfaces.follow(field.clone())?;
    let rough = field.rough;
    let (alike, even) = (plateau.alike, field.is_even() || obey);
    let landscape = plateau.landscape;
    let nature = Nature { obey, alike, even, rough, landscape, as_seen, scanner };
    let most_rounding = steps.map_or(most_rounding, |steps| steps.usual);
    let mut scene = Scene {
        cloud,
        in_cells,
        view,
        field,
        plateau,
        camera,
        nature,
        rounding,
        most_rounding,
        how,
    };
    let mut usual = scene.usual_surfaces(surfaces.as_mut())?;
    if let Some(share) = scene.told_noise(&usual) {
        drop(usual);
        if share < 1.0 {
            let told = noise_field::told_by_planes(view, plateau, share);
            if told.finer() >= plateau.finer() + WORTH_CUTTING {
                return Ok(Outcome::Finer(told));
            }
        }
        // The cells would hardly become finer.
        scene.field = Arc::new(scene.field.scaled(share));
        surfaces.follow(scene.field.clone())?;
        usual = scene.usual_surfaces(surfaces.as_mut())?;
    }
    let found = scene.classes(surfaces.as_mut(), usual)?;
    begin(how.progress, "labels", None)?;
    Ok(Outcome::Labelled(Box::new(scene.label(surfaces, found)?)))
}

impl Scene<'_> {
    /// By what factor the noise differs from what was read, as the planes tell that were found with it. They tell it once. In the
    /// camera's view and between the rings of a scanner it is read more surely; above steps planes may be thinner than the noise.
    fn told_noise(&self, (parameters, class): &(Parameters, Class)) -> Option<f64> {
        let Scene { cloud, in_cells: CellCloud { cells, .. }, plateau, nature, .. } = self;
        let is_open = self.how.leaves_noise_open(&cloud.points)
            && plateau.is_of_waves()
            && nature.scanner.is_none()
            && !plateau.deviation.is_told_by_planes()
            && self.field.has_floor();
        let noise = parameters.noise / cloud.frame.step;
        let known = [noise, self.most_rounding, sharing_errors(cells, *plateau)];
        is_open.then(|| told_noise::share(class, cells, known)).flatten()
    }

    /// The planes of the usual surfaces.
    fn usual_surfaces(&self, surfaces: &mut dyn Surfaces) -> Result<(Parameters, Class)> {
        let Scene { cloud, in_cells, nature, .. } = *self;
        let field = &*self.field;
        let cells = &in_cells.cells;
        let How { options, progress, .. } = self.how;
        let white = nature.even && !nature.alike;
        let sheets = Sheets { cloud: in_cells, view: self.view, field };
        let noise = match nature.alike {
            true => evidence::noise(surfaces, f64::INFINITY)?.0,
            false => evidence::noise_of_sheets(surfaces, &sheets)?,
        };
        // A floor at one of the steps is exact, the walls around it are not. No surface that crosses the steps shows less.
        let noise = noise.max(self.rounding.into_iter().fold(f64::INFINITY, f64::min));
        let seen = evidence::seen(surfaces, noise)?;
        let wanted = options.tolerance.map(|tolerance| tolerance / (SIGMAS * cloud.frame.step));
        let thinner = Thinner { noise, most: wanted.unwrap_or(f64::INFINITY), white };
        let mut usual = Surfels::new(in_cells, field, seen.as_ref(), thinner);
        drop(seen);
        begin(progress, "layers", None)?;
        let is_ring = |layer: &Layer| {
            rings::is_edge_on(nature.scanner, || layer.centroid, layer.normal.map(f64::from))
        };
        layers::refine(surfaces, cells, &mut usual, [noise, field.least() * noise], is_ring)?;
        self.settle(&mut usual.list);
        let spacing = evidence::spacing(cells, &usual.list);
        let measured = Measured {
            noise,
            spacing,
            rounding: self.most_rounding,
            of_faces: self.points_of_faces(),
            sheet: self.plateau.sheet,
            alike: nature.alike,
        };
        let parameters = parameters::choose(cloud, cells, &usual.list, measured, options);
        begin(progress, "planes", Some(cells.distinct))?;
        let findings = self.search(&usual, &parameters, surfaces)?;
        Ok((parameters, (usual, findings)))
    }

    /// The number of points in neighbourhoods as wide as most faces; infinite where the finest ones show slices.
    fn points_of_faces(&self) -> f64 {
        let Scene { view, plateau, .. } = self;
        if plateau.sliced {
            return f64::INFINITY;
        }
        view.points_of_faces(plateau.finer().ceil() as usize)
    }

    /// Searches the rougher surfaces after the usual ones, `all` that were found before.
    fn classes(
        &self,
        surfaces: &mut dyn Surfaces,
        (parameters, mut all): (Parameters, Class),
    ) -> Result<(Parameters, Class)> {
        let Scene { cloud, in_cells, .. } = *self;
        let cells = &in_cells.cells;
        let (mut last, mut known): (Option<Class>, _) = (None, Vec::new());
        for _ in 1..CLASSES {
            if parameters.widen <= 1.0 {
                break;
            }
            let (surfels, findings) = last.as_ref().unwrap_or(&all);
            known = evidence::known(surfels, &findings.found, &known);
            if !surfaces.leave(&known, cells.distinct.div_ceil(WORTH))? {
                break;
            }
            // No more than two classes are kept, to save memory.
            last.take().into_iter().for_each(|last| evidence::combine(&mut all, last));
            let (noise, weight) = evidence::noise(surfaces, f64::INFINITY)?;
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
        let How { options, backend, progress, .. } = self.how;
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

    /// Assigns points to the planes that were found, then joins, divides and judges these.
    fn label(
        &self,
        surfaces: Box<dyn Surfaces<'_> + '_>,
        (mut parameters, (surfels, findings)): (Parameters, Class),
    ) -> Result<Labelled> {
        let Scene { in_cells, plateau, nature, .. } = *self;
        let (cells, obey) = (&in_cells.cells, nature.obey);
        let Findings { mut found, failed, .. } = findings;
        let surfels_of = || found.iter().map(|f| f.support.surfels.as_slice());
        let claimed = claims::claims(&surfels, &found, cells.base().size, obey);
        let densities: Vec<f64> = claimed.iter().map(|claim| claim.density).collect();
        let mut labels =
            surfaces.present(&|| present::present(cells, &surfels, surfels_of()), claimed)?;
        let (mut local, mut sums) = exact_planes(labels.as_mut(), &found, &parameters)?;
        // Frames lose by it, as benches/results/detect.md says.
        if parameters.refine != Refine::None && !nature.as_seen {
            for i in straighten::straighten(labels.as_mut(), &mut local, &mut sums)? {
                let support = &mut found[i].support;
                (support.normal, support.rho) = (local[i].normal, local[i].rho);
            }
        }
        let alike = if nature.alike { sharing_errors(cells, plateau) } else { 1.0 };
        let into = self.join((&surfels, &found), (&mut local, &sums), (&parameters, alike));
        let mut assigned = labels.assign(&local, &into)?;
        let widest = waves::widest(&local, &into);
        merge::gather(&mut found, &into);
        let mut changed = merge::wholes(&into);
        if let Some(pixels) = self.pixels() {
            parameters.camera = Some(pixels.sight.camera);
            let (pixels, surfels, parameters) = (&pixels, &surfels, &parameters);
            let frame = interrupted::Frame { pixels, in_cells, surfels, parameters };
            changed.extend(interrupted::divide(&frame, (&mut local, &mut found, &mut assigned)));
            changed.sort_unstable();
            changed.dedup();
        }
        found.iter_mut().zip(&local).for_each(|(f, plane)| f.support.tolerance = plane.tolerance);
        let outline_cell = planes::outline_cell(cells, &surfels.list, &found);
        let judges_curves = !obey && self.how.options.curved == Curved::Grey;
        // Where the noise is independent, slabs are so narrow that they take little of a hill, and may be a little wider for a roof.
        let judges_hills = judges_curves && plateau.landscape && plateau.is_of_waves();
        let hilly = match judges_hills {
            true => hills::hilly(&surfels, &found, &assigned.sums),
            false => Vec::new(),
        };
        // Of ground, flat pieces are arbitrary, too.
        let has_facets = !nature.alike && !plateau.landscape;
        let has_ridges = nature.has_ridges();
        let how = ends::How {
            alike,
            rough: nature.rough,
            hilly: &hilly,
            // Faces in a frame are small, and blurred at their edges.
            judges_small: !nature.as_seen,
            is_even: nature.even,
            has_facets,
            has_ridges,
        };
        let pieces = || ends::pieces((cells, &surfels), &found, &local, how);
        let pieces = judges_curves.then(pieces);
        // Correlated noise is read in wide neighbourhoods, whose slabs hold half a trunk. Independent noise is read in narrow ones, and
        // in a frame narrow faces are blurred.
        let judges_thickness = judges_curves && nature.alike && !nature.as_seen;
        let points = &self.cloud.points;
        let judges_edges = judges_curves && points.len() >= around::FEWEST;
        let densities = judges_edges
            .then(|| claims::densities(&surfels, (&found, &changed), densities, cells.base().size));
        // Of a wall that is rougher than the rest, slabs that are not widened take a slice.
        let around = densities.as_ref().filter(|_| parameters.widen > 1.0).map(|densities| {
            let slabs = waves::with_waves(&local, &assigned.sums, &widest);
            around::look(points, &assigned, &slabs, (densities, parameters.min_inliers))
        });
        // In a camera's view, angles are not those in space.
        let chamfers = densities.filter(|_| !nature.as_seen).map(|densities| {
            let of_points = (&assigned.sums[..], &densities[..]);
            chamfers::chamfers((cells, &surfels), (&found, &local), of_points)
        });
        Ok(Labelled {
            parameters,
            local,
            found,
            pieces,
            chamfers,
            hilly,
            around,
            judges_thickness,
            failed,
            assigned,
            outline_cell,
            rounding: self.rounding,
            alike,
            obey,
        })
    }

    /// Joins planes that are one; returns for each the one that it became part of. `alike` points share one error.
    fn join(
        &self,
        (surfels, found): (&Surfels, &[FoundPlane]),
        (local, sums): (&mut [LocalPlane], &[Moments]),
        (parameters, alike): (&Parameters, f64),
    ) -> Vec<u32> {
        let Scene { cloud, in_cells, nature, .. } = *self;
        let field = &self.field;
        let obey = nature.obey;
        let uneven = nature.alike || !nature.even;
        let drifts = !nature.even && !field.has_floor();
        let (angle, sheet) = (parameters.angle.to_radians(), self.plateau.sheet);
        let how = merge::How { angle, alike, uneven, drifts, obey, sheet };
        let undulations = match uneven {
            true => undulation::of_all(surfels, found, sums),
            false => vec![Undulation::default(); found.len()],
        };
        let mut into = merge::merge(local, sums, undulations, how);
        if !obey {
            let (cells, widen) = (&in_cells.cells, parameters.widen);
            let usual = parameters.tolerance / cloud.frame.step;
            let planes =
                waves::Planes { cells, surfels, found, sums, drifts, even: !uneven, usual, widen };
            // A frame and a sweep have one viewpoint each.
            if !nature.as_seen && nature.scanner.is_none() {
                registered::join(local, sums, &mut into, (widen, sheet && !uneven));
            }
            // Where the noise is white and even, only surfaces whose slabs may be wider have waves.
            if uneven || !nature.as_seen && widen > 1.0 {
                waves::join(&planes, local, &mut into);
            }
        }
        into
    }

    /// The image of a frame; `None` if the points are no pixels.
    fn pixels(&self) -> Option<Pixels> {
        let cloud = self.cloud;
        let sight = match self.camera {
            Camera::Seen(sight) => sight,
            Camera::None | Camera::Spinning(_) => return None,
            Camera::Unsought => {
                camera_search::of_pixels(self.in_cells, cloud.home())?.sight(&cloud.frame)
            }
        };
        Pixels::find(&cloud.points, sight)
    }
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
    let shown = between(plateau.finer(), |at| cells.levels.get(at).map(|level| level.len() as f64));
    ALIKE * cells.distinct as f64 / shown.unwrap_or(1.0)
}
