//! The synthetic street, for the benches.

use planes::cloud::Chunk;
use planes::frame::{Frame, Points};
use planes::synth::{Scene, SceneOptions, generate};

/// The street, in local coordinates.
pub fn street(n: u64) -> Points {
    let options = SceneOptions::new(Scene::Street, n);
    let chunks: Vec<Chunk> = generate(Scene::Street, &options).expect("a scene").collect();
    let all = || chunks.iter().flat_map(|c| (0..c.len()).map(move |i| [c.x[i], c.y[i], c.z[i]]));
    let bound = |pick: fn(f64, f64) -> f64, from: f64| {
        all().fold([from; 3], |b, p| std::array::from_fn(|a| pick(b[a], p[a])))
    };
    let frame = Frame::fit(bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY));
    all().filter_map(|p| frame.local(p)).collect()
}
