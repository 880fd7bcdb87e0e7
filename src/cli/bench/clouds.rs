//! The measured clouds: scenes of several sizes, or the first points of a file.

use crate::cli::progress::Bar;
use planes::cloud::{Chunk, Fields, PointReader, Source};
use planes::detect::{Progress, load};
use planes::frame::Points;
use planes::synth::{self, Scene, SceneOptions, generate};
use planes::{Error, Result};
use std::path::Path;
use std::sync::Arc;

/// Points read at a time.
const CHUNK: usize = 1 << 18;

/// Clouds of ascending sizes.
pub struct Clouds {
    from: From,
    sizes: Vec<u64>,
}

enum From {
    Scene(Scene),
    /// A file and its points.
    File(String, Points),
}

impl Clouds {
    /// A scene, drawn separately for each size.
    pub fn of_scene(scene: Scene, sizes: &[u64]) -> Clouds {
        Clouds { from: From::Scene(scene), sizes: ascending(sizes) }
    }

    /// The first points of a file, or all of them.
    pub fn of_file(source: &Source, sizes: Option<&[u64]>) -> Result<Clouds> {
        let path = source.path();
        let cloud = load(path, &|| source.reader(Fields::NONE), CHUNK, &|_| {})?;
        let points = Arc::unwrap_or_clone(cloud.points);
        let all = points.len() as u64;
        let sizes = ascending(sizes.unwrap_or(&[all]));
        if let Some(more) = sizes.iter().find(|&&size| size > all) {
            let message = format!("--points {more}: {} has {all} points", path.display());
            return Err(Error::Parameter(message));
        }
        Ok(Clouds { from: From::File(path.display().to_string(), points), sizes })
    }

    /// The name of the scene or the file.
    pub fn name(&self) -> String {
        match &self.from {
            From::Scene(scene) => format!("scene {scene}"),
            From::File(name, _) => name.clone(),
        }
    }

    /// Numbers of points, ascending.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The cloud of the given size.
    pub fn read(&self, size: u64, bar: &Bar) -> Result<Points> {
        match &self.from {
            From::Scene(scene) => draw(*scene, size, bar),
            From::File(_, points) => Ok(points.slice(0..points.len().min(size as usize))),
        }
    }
}

fn ascending(sizes: &[u64]) -> Vec<u64> {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// A scene in local coordinates.
fn draw(scene: Scene, size: u64, bar: &Bar) -> Result<Points> {
    bar.stage("drawing", Some(size));
    let options = SceneOptions::new(scene, size);
    let open = || {
        let points = generate(scene, &options)?.with_chunk_size(CHUNK);
        Ok(Box::new(Drawing(points)) as Box<dyn PointReader>)
    };
    let cloud = load(Path::new(scene.name()), &open, CHUNK, &|points| bar.advance(points))?;
    Ok(Arc::unwrap_or_clone(cloud.points))
}

/// A scene as a cloud that is read in chunks of one size.
struct Drawing(synth::Points);

impl PointReader for Drawing {
    fn read(&mut self, chunk: &mut Chunk, _: usize) -> Result<()> {
        chunk.clear();
        if let Some(drawn) = self.0.next() {
            (chunk.x, chunk.y, chunk.z) = (drawn.x, drawn.y, drawn.z);
        }
        Ok(())
    }
}
