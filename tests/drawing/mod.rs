//! Points of synthetic scenes, for the tests that look at each.

use planes::cloud::Chunk;
use planes::synth::{Scene, SceneOptions, Truth, generate};

/// All points of a scene, drawn in chunks of this size, and its truth.
pub fn drawn_in(scene: Scene, options: &SceneOptions, size: usize) -> (Chunk, Truth) {
    let mut points = generate(scene, options).unwrap().with_chunk_size(size);
    let mut all = Chunk::default();
    for chunk in points.by_ref() {
        assert!(chunk.len() <= size);
        all.x.extend(chunk.x);
        all.y.extend(chunk.y);
        all.z.extend(chunk.z);
        all.colour.extend(chunk.colour);
        all.intensity.extend(chunk.intensity);
        all.label.extend(chunk.label);
    }
    (all, points.truth())
}

/// A point of a chunk.
pub fn position(chunk: &Chunk, i: usize) -> [f64; 3] {
    [chunk.x[i], chunk.y[i], chunk.z[i]]
}

/// The scalar product.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
