//! Writes a scene as files: the cloud and its truth.

use super::options::SceneOptions;
use super::points::{Points, generate};
use super::scene::Scene;
use super::truth::{Truth, truth_path};
use crate::atomic::AtomicFile;
use crate::cloud::{self, Chunk, Fields, PointWriter, WriteOptions};

use crate::{Error, Result};
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Writes a scene to `path`, in the format of its extension, and its truth beside it
/// ([`truth_path`]).
///
/// The cloud has intensity, colour and labels if the format can hold them; see
/// [`WriteOptions::fields`]. `progress` is called with the number of points written so far.
///
/// # Errors
/// [`Error::Parameter`] for invalid options or an unknown extension, [`Error::Io`]. Neither the
/// cloud nor the truth is left behind then, except that the cloud stays if the truth
/// fails at the very last moment.
pub fn write_scene(
    scene: Scene,
    options: &SceneOptions,
    path: impl AsRef<Path>,
    progress: &mut dyn FnMut(u64),
) -> Result<Truth> {
    let path = path.as_ref();
    let points = generate(scene, options)?;
    let mut writer = cloud::create(path, &write_options(&points))?;
    let mut truth_file = AtomicFile::create(truth_path(path))?;
    let truth = stream(points, writer.as_mut(), progress)?;
    let written = serde_json::to_writer(&mut truth_file, &truth)
        .map_err(std::io::Error::from)
        .and_then(|()| truth_file.write_all(b"\n"));
    written.map_err(Error::io(truth_file.path()))?;
    writer.finish()?;
    truth_file.commit()?;
    Ok(truth)
}

fn write_options(points: &Points) -> WriteOptions {
    WriteOptions {
        fields: Fields { class: false, ..Fields::ALL },
        scale: Some(points.step()),
        offset: Some(points.origin()),
        ..WriteOptions::default()
    }
}

/// Writes all points; the next chunk is drawn while one is written.
fn stream(
    mut points: Points,
    writer: &mut dyn PointWriter,
    progress: &mut dyn FnMut(u64),
) -> Result<Truth> {
    let (send, receive) = sync_channel::<Chunk>(1);
    thread::scope(|scope| {
        let drawing = scope.spawn(move || {
            for chunk in points.by_ref() {
                // Fails when writing failed, which is reported below.
                if send.send(chunk).is_err() {
                    break;
                }
            }
            points.truth()
        });
        let mut done = 0;
        for chunk in receive {
            writer.write(&chunk)?;
            done += chunk.len() as u64;
            progress(done);
        }
        drawing.join().map_err(|_| Error::Parameter("drawing the scene failed".into()))
    })
}
