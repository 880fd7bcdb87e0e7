//! What every instrument does.

use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::truth::Camera;
use std::fmt;

/// Tells the random numbers of shots from those of scenes.
pub(super) const FAMILY: u64 = 1000;

/// An instrument at work.
pub(super) trait Instrument: fmt::Debug + Send + Sync {
    /// Spreads a survey over so many shots.
    fn plan(&mut self, shots: u64);

    /// The points of a shot, in the scene's coordinates. `at` counts within the survey.
    fn shoot(&self, at: u64, random: &mut Random) -> Vec<Drawn>;

    /// The camera, where it is one: it takes a frame of a shot a pixel, and no more.
    fn camera(&self) -> Option<Camera> {
        None
    }
}
