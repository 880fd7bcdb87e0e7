//! The planes of one side, true or found, and their points.

use super::fit::fit;
use super::flat::Flat;
use super::numbers::median;
use crate::cloud::UNKNOWN;
use crate::synth::Truth;
use crate::{Detection, Error, Result};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// A plane with its points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    /// The label of its points.
    pub id: i32,
    /// Its name; may be empty.
    pub name: String,
    /// Number of joined pieces with one equation, at least 1.
    pub pieces: usize,
    /// The plane; `None` if there were too few points to fit one.
    pub flat: Option<Flat>,
    /// Points of the cloud on it.
    pub points: u64,
    /// Corners of its outline, from which distances are measured if its points are unknown.
    pub corners: Vec<[f64; 3]>,
}

/// The planes of one side and the label of each point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surfaces {
    /// The planes.
    pub planes: Vec<Surface>,
    /// For each point, the index of its plane in `planes`; below 0 for none, and [`UNKNOWN`] in a
    /// truth that does not know; empty if no point's plane is known.
    pub labels: Vec<i32>,
    /// Points of the cloud.
    pub total: u64,
    /// Standard deviation of the points' distances from their planes, if known; otherwise it
    /// is measured.
    pub noise: Option<f64>,
}

impl Surfaces {
    /// Planes fitted to labelled points (total least squares). Labels may be any numbers; labels
    /// below 0, including [`UNKNOWN`], mean no plane.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the numbers of labels and points differ.
    pub fn from_labels(points: &[[f64; 3]], labels: &[i32]) -> Result<Surfaces> {
        if points.len() != labels.len() {
            let message = format!("{} labels for {} points", labels.len(), points.len());
            return Err(Error::Parameter(message));
        }
        let (ids, labels) = dense(labels);
        let members = Members::new(&labels, ids.len());
        let planes = ids.par_iter().enumerate().map(|(i, &id)| {
            let flat = fit(members.of(i, points)).map(|(flat, _)| flat);
            let points = members.count(i);
            Surface { id, pieces: 1, flat, points, ..Surface::default() }
        });
        let planes = planes.collect();
        Ok(Surfaces { planes, total: labels.len() as u64, labels, noise: None })
    }

    /// The planes of a truth document, with the labels of its cloud if available.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a label that the document does not have, and if the number of
    /// labels differs from the document's.
    pub fn from_truth(truth: &Truth, labels: Option<&[i32]>) -> Result<Surfaces> {
        let mut planes: Vec<Surface> = Vec::new();
        let mut by_equation: HashMap<[u64; 4], usize> = HashMap::new();
        let mut group = Vec::with_capacity(truth.planes.len());
        for (id, plane) in truth.planes.iter().enumerate() {
            let [x, y, z] = plane.normal;
            let equation = [x, y, z, plane.offset].map(f64::to_bits);
            let corners = &plane.polygon.exterior;
            let at = *by_equation.entry(equation).or_insert(planes.len());
            group.push(at as i32);
            if at == planes.len() {
                let flat = Flat {
                    normal: plane.normal,
                    offset: plane.offset,
                    centroid: mean(corners).unwrap_or_default(),
                };
                let (id, name) = (id as i32, plane.name.clone());
                planes.push(Surface { id, name, flat: Some(flat), ..Surface::default() });
            }
            let surface = &mut planes[at];
            surface.pieces += 1;
            surface.points += plane.points;
            surface.corners.extend(corners);
        }
        let mut surfaces =
            Surfaces { planes, labels: vec![], total: truth.points, noise: Some(truth.noise) };
        if let Some(labels) = labels {
            if labels.len() as u64 != truth.points {
                let message =
                    format!("{} points, but the truth says {}", labels.len(), truth.points);
                return Err(Error::Parameter(message));
            }
            surfaces.take_labels(labels, &group)?;
        }
        Ok(surfaces)
    }

    /// The same without planes that have no points, if points have labels.
    pub(super) fn without_empty(mut self) -> Surfaces {
        if self.labels.is_empty() {
            return self;
        }
        let mut kept = 0;
        let place = |plane: &Surface| {
            let is_seen = plane.points > 0;
            kept += i32::from(is_seen);
            if is_seen { kept - 1 } else { -1 }
        };
        let places: Vec<i32> = self.planes.iter().map(place).collect();
        let moved = |label: i32| usize::try_from(label).map_or(label, |at| places[at]);
        self.labels.iter_mut().for_each(|label| *label = moved(*label));
        self.planes.retain(|plane| plane.points > 0);
        self
    }

    /// The planes of a detection, with the labels of its points: its own, or else the given ones, if
    /// any.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a label that the detection does not have, and if the number of
    /// labels, or of those of a plane, differs from the detection's.
    pub fn from_detection(found: &Detection, labels: Option<&[i32]>) -> Result<Surfaces> {
        let planes = found.planes.iter().enumerate().map(|(id, plane)| {
            let flat =
                Flat { normal: plane.normal, offset: plane.offset, centroid: plane.centroid };
            let (id, points) = (id as i32, plane.inliers);
            Surface { id, pieces: 1, flat: Some(flat), points, ..Surface::default() }
        });
        let planes: Vec<Surface> = planes.collect();
        let same: Vec<i32> = (0..planes.len() as i32).collect();
        let total = found.input.points;
        let mut surfaces = Surfaces { planes, labels: vec![], total, noise: None };
        let own = Some(found.labels.as_slice()).filter(|labels| !labels.is_empty());
        if let Some(labels) = own.or(labels) {
            if labels.len() as u64 != total {
                let message = format!("{} labels, but the result says {total}", labels.len());
                return Err(Error::Parameter(message));
            }
            surfaces.take_labels(labels, &same)?;
            surfaces.check_inliers(found)?;
        }
        Ok(surfaces)
    }

    /// Refuses labels of another search: every inlier of a plane has its label, and no other point has.
    ///
    /// Files of an earlier run may lie beside a newer document, and would be scored without a word.
    fn check_inliers(&self, found: &Detection) -> Result<()> {
        let counts = self.planes.iter().zip(&found.planes).map(|(a, b)| (a.points, b.inliers));
        match counts.enumerate().find(|(_, (labelled, inliers))| labelled != inliers) {
            Some((id, (labelled, inliers))) => Err(Error::Parameter(format!(
                "plane {id} has {labelled} points, but the result says {inliers}; the labels are not those \
                 of this result: write both in one run, with labels by plane"
            ))),
            None => Ok(()),
        }
    }

    /// Sets the labels, replacing each by its entry in `group`, and recounts the points.
    fn take_labels(&mut self, labels: &[i32], group: &[i32]) -> Result<()> {
        self.planes.iter_mut().for_each(|plane| plane.points = 0);
        self.labels = Vec::with_capacity(labels.len());
        for (i, &label) in labels.iter().enumerate() {
            let Ok(plane) = usize::try_from(label) else {
                self.labels.push(no_plane(label));
                continue;
            };
            let Some(&group) = group.get(plane) else {
                let message =
                    format!("point {i} has label {label}, but there are {} planes", group.len());
                return Err(Error::Parameter(message));
            };
            self.planes[group as usize].points += 1;
            self.labels.push(group);
        }
        Ok(())
    }

    /// Refuses labels without a plane.
    pub(super) fn check(&self, side: &str) -> Result<()> {
        let planes = self.planes.len();
        let bad = |&label: &i32| usize::try_from(label).is_ok_and(|label| label >= planes);
        match self.labels.iter().position(bad) {
            Some(i) => Err(Error::Parameter(format!("point {i} of {side} is on no plane of it"))),
            None => Ok(()),
        }
    }

    /// Number of points whose plane is unknown.
    pub(super) fn unknown(&self) -> u64 {
        self.labels.iter().filter(|&&label| label == UNKNOWN).count() as u64
    }

    /// The points of each plane.
    pub(super) fn members(&self) -> Members {
        Members::new(&self.labels, self.planes.len())
    }

    /// The typical distance of points from their plane: the known value, or the median over the planes
    /// with at least `min_points` points.
    pub(super) fn noise(&self, points: &[[f64; 3]], min_points: u64) -> f64 {
        if let Some(noise) = self.noise {
            return noise;
        }
        let members = self.members();
        let mut rough: Vec<f64> = (0..self.planes.len())
            .into_par_iter()
            .filter(|&i| members.count(i) >= min_points)
            .filter_map(|i| Some(fit(members.of(i, points))?.1))
            .collect();
        median(&mut rough).unwrap_or(0.0)
    }

    /// Diagonal of the box around the points of all planes, or around their corners if there are no points.
    pub(super) fn extent(&self, points: &[[f64; 3]]) -> f64 {
        let on_planes = points.iter().zip(&self.labels).filter(|(_, l)| **l >= 0).map(|(p, _)| p);
        let corners = self.planes.iter().flat_map(|p| &p.corners);
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for p in on_planes.chain(corners).filter(|p| p.iter().all(|v| v.is_finite())) {
            for axis in 0..3 {
                bounds[0][axis] = bounds[0][axis].min(p[axis]);
                bounds[1][axis] = bounds[1][axis].max(p[axis]);
            }
        }
        let sides = [0, 1, 2].map(|axis| (bounds[1][axis] - bounds[0][axis]).max(0.0));
        sides.into_iter().fold(0.0, f64::hypot)
    }
}

/// The labels in use, ascending, and each label replaced by its index among them.
fn dense(labels: &[i32]) -> (Vec<i32>, Vec<i32>) {
    let mut used = BTreeSet::new();
    let mut last = -1;
    for &label in labels.iter().filter(|&&l| l >= 0) {
        // Neighbours often share a label.
        if label != last {
            used.insert(label);
            last = label;
        }
    }
    let ids: Vec<i32> = used.into_iter().collect();
    let place = |label: &i32| ids.binary_search(label).map_or(no_plane(*label), |at| at as i32);
    let labels = labels.iter().map(place).collect();
    (ids, labels)
}

/// The label that replaces one below 0.
fn no_plane(label: i32) -> i32 {
    if label == UNKNOWN { UNKNOWN } else { -1 }
}

/// The mean of points.
fn mean(points: &[[f64; 3]]) -> Option<[f64; 3]> {
    let n = points.len() as f64;
    let mean = [0, 1, 2].map(|axis| points.iter().map(|p| p[axis]).sum::<f64>() / n);
    (!points.is_empty()).then_some(mean)
}

/// The points of each label, in file order.
pub(super) struct Members {
    /// Indices of points, those of one label together.
    order: Vec<u32>,
    /// Where each label's points start in `order`, and the end.
    starts: Vec<usize>,
}

impl Members {
    /// Sorts the points by label; labels are below `count`.
    pub(super) fn new(labels: &[i32], count: usize) -> Members {
        let mut starts = vec![0; count + 1];
        for label in labels.iter().filter_map(|&l| usize::try_from(l).ok()) {
            starts[label + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut order = vec![0; starts[count]];
        for (i, &label) in labels.iter().enumerate() {
            if let Ok(label) = usize::try_from(label) {
                order[next[label]] = i as u32;
                next[label] += 1;
            }
        }
        Members { order, starts }
    }

    /// Number of points with a label.
    pub(super) fn count(&self, label: usize) -> u64 {
        (self.starts[label + 1] - self.starts[label]) as u64
    }

    /// The points with a label.
    pub(super) fn of<'a>(
        &'a self,
        label: usize,
        points: &'a [[f64; 3]],
    ) -> impl Iterator<Item = [f64; 3]> + Clone + 'a {
        self.order[self.starts[label]..self.starts[label + 1]].iter().map(|&i| points[i as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::TruthPlane;
    use crate::{Input, Plane};

    fn piece(name: &str, offset: f64, points: u64) -> TruthPlane {
        let normal = [0.0, 0.0, 1.0];
        let polygon = crate::Polygon {
            exterior: vec![[0.0, 0.0, offset], [3.0, 0.0, offset], [0.0, 3.0, offset]],
            holes: vec![],
        };
        TruthPlane { name: name.into(), normal, offset, points, small: points < 50, polygon }
    }

    fn truth() -> Truth {
        Truth {
            version: 1,
            scene: "test".into(),
            points: 6,
            on_planes: 5,
            noise: 0.01,
            outliers: 0.0,
            seed: 1,
            origin: [0.0; 3],
            step: 0.001,
            survey: None,
            planes: vec![piece("pane 1", 2.0, 1), piece("floor", 0.0, 2), piece("pane 2", 2.0, 2)],
        }
    }

    #[test]
    fn pieces_of_one_plane_are_one() {
        let surfaces = Surfaces::from_truth(&truth(), Some(&[0, 1, 2, 2, -2, 1])).unwrap();
        let names: Vec<&str> = surfaces.planes.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["pane 1", "floor"]);
        assert_eq!(surfaces.planes[0].pieces, 2);
        assert_eq!(surfaces.planes[0].points, 3);
        assert_eq!(surfaces.planes[0].corners.len(), 6);
        assert_eq!(surfaces.labels, [0, 1, 0, 0, UNKNOWN, 1]);
        assert_eq!(surfaces.unknown(), 1);
        assert_eq!(surfaces.noise(&[], 1), 0.01);

        let alone = Surfaces::from_truth(&truth(), None).unwrap();
        assert_eq!(alone.planes, surfaces.planes);
        assert!(alone.labels.is_empty());
    }

    #[test]
    fn labels_that_do_not_fit_are_refused() {
        let refusal =
            |labels: &[i32]| Surfaces::from_truth(&truth(), Some(labels)).unwrap_err().to_string();
        assert_eq!(refusal(&[0, 1]), "2 points, but the truth says 6");
        assert_eq!(refusal(&[0, 1, 2, 3, 0, 0]), "point 3 has label 3, but there are 3 planes");
        let found = Detection::default();
        let error = Surfaces::from_detection(&found, Some(&[0])).unwrap_err();
        assert_eq!(error.to_string(), "1 labels, but the result says 0");
        let plane = |inliers| Plane {
            normal: [0.0, 0.0, 1.0],
            offset: 0.0,
            theta: 0.0,
            phi: 0.0,
            rho: 0.0,
            votes: 0,
            significance: 0.0,
            inliers,
            tolerance: 0.0,
            rmse: 0.0,
            normal_error: None,
            offset_error: None,
            centroid: [0.0; 3],
            area: 0.0,
            pieces: vec![],
        };
        let input = Input { points: 4, ..Input::default() };
        let found = Detection { input, planes: vec![plane(2), plane(1)], ..Detection::default() };
        assert!(Surfaces::from_detection(&found, Some(&[1, 0, -1, 0])).is_ok());
        let error = Surfaces::from_detection(&found, Some(&[0, 0, -1, 0])).unwrap_err().to_string();
        assert!(error.starts_with("plane 0 has 3 points, but the result says 2; "), "{error}");
        assert!(Surfaces::from_labels(&[[0.0; 3]], &[]).is_err());
    }

    #[test]
    fn any_numbers_are_labels() {
        let points: Vec<[f64; 3]> =
            (0..8).map(|i| [i % 2 * 3, i / 2 % 2 * 4, i / 4 * 12].map(f64::from)).collect();
        let labels = [7, 7, 7, 7, -5, i32::MAX, -2, i32::MAX];
        let surfaces = Surfaces::from_labels(&points, &labels).unwrap();
        assert_eq!(surfaces.labels, [0, 0, 0, 0, -1, 1, -2, 1]);
        assert_eq!(surfaces.planes.iter().map(|p| p.id).collect::<Vec<_>>(), [7, i32::MAX]);
        assert_eq!(surfaces.planes.iter().map(|p| p.points).collect::<Vec<_>>(), [4, 2]);
        assert_eq!(surfaces.planes[0].flat.unwrap().centroid, [1.5, 2.0, 0.0]);
        assert_eq!(surfaces.planes[1].flat, None);
        assert_eq!(surfaces.noise(&points, 1), 0.0);
        assert_eq!(surfaces.extent(&points), 13.0);
    }
}
