//! The interface of all instruments.

use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::truth::Camera;
use super::super::vector::Vec3;
use std::fmt;

/// Separates the random numbers of shots from those of scenes.
pub(super) const FAMILY: u64 = 1000;

/// An instrument.
pub(super) trait Instrument: fmt::Debug + Send + Sync {
    /// Distributes a survey over this number of shots.
    fn plan(&mut self, shots: u64);

    /// The points of a shot, in scene coordinates. `at` is the number of the shot in the survey.
    fn shoot(&self, at: u64, random: &mut Random) -> Vec<Drawn>;

    /// The camera, if the instrument is one: it takes one frame with one shot per pixel, and no more.
    fn camera(&self) -> Option<Camera> {
        None
    }

    /// Where in the scene its coordinates begin, if it has its own.
    fn home(&self) -> Option<Vec3> {
        None
    }
}
