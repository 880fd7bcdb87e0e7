//! `planes synth`.

use super::Failure;
use super::progress::Bar;
use clap::Args;
use planes::detect::Progress;
use planes::synth::{Scene, SceneOptions, truth_path, write_scene};
use std::path::PathBuf;

/// Write a synthetic cloud with its exact truth
///
/// Scenes: room, street, roofs, boards, hard, and the parts of hard: hard-parallel, hard-poles,
/// hard-seam, hard-stairs, hard-strips, hard-giant, hard-outliers, hard-duplicates. The truth,
/// planes with their outlines, goes to NAME.truth.json beside the cloud; PLY, LAS and LAZ files also carry each
/// point's plane as plane_id. The same arguments give the same bytes on every machine.
#[derive(Debug, Args)]
pub struct Synth {
    /// The scene
    #[arg(value_parser = |s: &str| s.parse::<Scene>().map_err(|e| e.to_string()))]
    scene: Scene,
    /// The cloud to write: .las, .laz, .ply, .xyz, .txt (Semantic3D), .csv or .pts
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Points
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    points: u64,
    /// Standard deviation of the points' distances from their surfaces, in metres
    /// [default: 0.005, roofs 0.03]
    #[arg(long, value_name = "METRES")]
    noise: Option<f64>,
    /// Share of points that belong to nothing
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    outliers: f64,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Where the scene's own origin lies, such as 0,0,0
    /// [default: 0,0,0; roofs 500000,4600000,300]
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true
    )]
    origin: Option<Vec<f64>>,
}

impl Synth {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        let mut options = SceneOptions::new(self.scene, self.points);
        options.noise = self.noise.unwrap_or(options.noise);
        options.outliers = self.outliers;
        options.seed = self.seed;
        if let Some(origin) = &self.origin {
            let three = <[f64; 3]>::try_from(origin.as_slice()).map_err(|_| {
                planes::Error::Parameter("--origin takes three numbers: X,Y,Z".into())
            })?;
            options.origin = Some(three);
        }
        let bar = Bar::new(&self.out.display().to_string(), quiet);
        bar.stage("writing", Some(self.points));
        let mut before = 0;
        let truth = write_scene(self.scene, &options, &self.out, &mut |points| {
            bar.advance(points - before);
            before = points;
        })?;
        bar.finish();
        log::info!(
            "{}: {} points on {} planes; truth in {}",
            self.out.display(),
            truth.points,
            truth.planes.len(),
            truth_path(&self.out).display()
        );
        Ok(())
    }
}
