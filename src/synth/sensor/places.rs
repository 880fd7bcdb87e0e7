//! Positions of the instruments in each scene.

use super::super::model::Model;
use super::super::scene::{HardPart, Scene};
use super::super::scenes::{boards, room, street};
use super::super::vector::{Pose, Vec3, circle};

/// A closed path: an ellipse about the vertical.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pose: Pose,
    centre: Vec3,
    semi: [f64; 2],
}

impl Way {
    /// The position after this share of a round, and the direction of travel there, not normalized.
    pub(super) fn at(&self, round: f64) -> (Vec3, Vec3) {
        let (cosine, sine) = circle(round);
        let [a, b] = self.semi;
        let p = [self.centre[0] + a * cosine, self.centre[1] + b * sine, self.centre[2]];
        (self.pose.point(p), self.pose.direction([-a * sine, b * cosine, 0.0]))
    }

    /// Approximate length of a round.
    pub(super) fn length(&self) -> f64 {
        let [a, b] = self.semi;
        std::f64::consts::TAU * (0.5 * (a * a + b * b)).sqrt()
    }
}

/// Positions of the instruments.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// Tripod positions of a scanner.
    pub(super) stations: Vec<Vec3>,
    /// Path of a trolley.
    pub(super) way: Way,
    /// Position of a camera and the point it looks at.
    pub(super) camera: [Vec3; 2],
    /// The camera's baseline times its focal length, relative to a Kinect's.
    pub(super) baseline: f64,
    /// Longest range of the camera, relative to a Kinect's 8 m.
    pub(super) reach: f64,
    /// Factor on the size of the waves in photogrammetry of the scene.
    pub(super) photo: f64,
}

/// Factor on a camera's baseline for a scene.
pub(super) fn baseline_factor(scene: Scene) -> f64 {
    match scene {
        Scene::Street => 4.0,
        Scene::Roofs => 144.0,
        Scene::Hard(HardPart::All) => 16.0,
        Scene::Hard(_) => 2.0,
        Scene::Room | Scene::Boards => 1.0,
    }
}

/// Factor on the size of the waves in photogrammetry of a scene.
pub(super) fn photo_factor(scene: Scene) -> f64 {
    match scene {
        Scene::Street => 2.0,
        Scene::Roofs => 4.0,
        Scene::Room | Scene::Boards | Scene::Hard(_) => 1.0,
    }
}

impl Places {
    pub(super) fn new(scene: Scene, model: &Model) -> Places {
        let (pose, stations, way, camera): (Pose, &[Vec3], _, _) = match scene {
            Scene::Room => (
                room::pose(),
                &[[2.0, 3.2, 1.6], [4.9, 1.3, 1.5], [2.9, 0.6, 1.7]],
                ([2.9, 2.3, 1.3], [2.0, 1.3]),
                [[5.6, 3.2, 1.5], [2.4, 1.8, 0.5]],
            ),
            Scene::Boards => (
                boards::pose(),
                &[[2.2, 0.6, 1.6], [2.6, 4.4, 1.3], [5.4, 4.3, 1.5], [4.4, -0.4, 0.3]],
                ([4.4, 2.2, 1.2], [2.3, 2.3]),
                [[2.3, 4.4, 1.7], [4.4, 2.0, 0.5]],
            ),
            Scene::Street => (
                street::pose(),
                &[[0.4, -0.7, 1.8], [-18.0, 0.5, 1.8], [21.0, 0.3, 1.8]],
                ([0.0, 0.0, 2.0], [35.0, 1.9]),
                [[0.4, -0.7, 1.8], [12.0, 6.0, 2.5]],
            ),
            Scene::Roofs => (
                Pose::at([0.0; 3]),
                &[[-30.0, -22.0, 27.0], [25.0, -20.0, 24.0], [-20.0, 8.0, 25.0], [25.0, 6.0, 28.0]],
                ([0.0, -6.0, 24.0], [50.0, 22.0]),
                [[-20.0, -50.0, 45.0], [0.0, -5.0, 4.0]],
            ),
            Scene::Hard(_) => return Places::around(scene, model),
        };
        let reach = match scene {
            Scene::Street => 4.0,
            Scene::Roofs => 13.0,
            _ => 1.0,
        };
        Places {
            stations: stations.iter().map(|&p| pose.point(p)).collect(),
            way: Way { pose, centre: way.0, semi: way.1 },
            camera: camera.map(|p| pose.point(p)),
            baseline: baseline_factor(scene),
            reach,
            photo: photo_factor(scene),
        }
    }

    /// Positions around an arbitrary scene.
    fn around(scene: Scene, model: &Model) -> Places {
        let centre = [0, 1, 2].map(|i| 0.5 * (model.low[i] + model.high[i]));
        let half = [0, 1, 2].map(|i| 0.5 * (model.high[i] - model.low[i]));
        let from =
            |shares: Vec3, out: f64| [0, 1, 2].map(|i| centre[i] + shares[i] * (half[i] + out));
        let corners = [[-0.9, -0.6, 0.5], [0.8, -0.9, -0.3], [0.9, 0.7, 0.8], [-0.7, 0.9, -0.5]];
        let way_centre = [centre[0], centre[1], centre[2] + 0.3 * half[2]];
        let reach = match scene {
            Scene::Hard(HardPart::All) => 20.0,
            _ => 3.0,
        };
        Places {
            stations: corners.iter().map(|&shares| from(shares, 2.0)).collect(),
            way: Way {
                pose: Pose::at([0.0; 3]),
                centre: way_centre,
                semi: [0.8 * (half[0] + 2.0), 0.8 * (half[1] + 2.0)],
            },
            camera: [from([-0.7, -0.8, 0.9], 2.0), centre],
            baseline: baseline_factor(scene),
            reach,
            photo: photo_factor(scene),
        }
    }
}
