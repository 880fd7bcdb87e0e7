//! Simulates what instruments do to a scene, with exact truth.

mod airborne;
mod cast;
mod depth;
mod instrument;
mod photo;
mod places;
pub(super) mod sensors;
mod slam;
mod spinning;
mod survey;
mod tripod;

pub use sensors::Sensor;
pub(super) use survey::Survey;
