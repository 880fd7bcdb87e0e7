//! Real clouds, where they are at hand.

use crate::*;

/// Reads a shared cloud, or says that it is missing.
fn cloud(name: &str) -> Option<(Source, Chunk)> {
    let source = Source::open(shared(name)?).unwrap();
    let chunk = all(&source, Fields::ALL);
    Some((source, chunk))
}

#[test]
fn las_and_laz_agree_with_the_las_crate() {
    for name in ["autzen_trim.las", "autzen_crop.laz", "indoor.laz"] {
        let Some((source, chunk)) = cloud(name) else {
            continue;
        };
        let mut reader = las::Reader::from_path(source.path()).unwrap();
        let points = reader.read_all().unwrap();
        assert_eq!(source.info().points, Some(points.len() as u64));
        assert_eq!(chunk.len(), points.len());
        assert!(points.x().eq(chunk.x.iter().copied()), "{name}");
        assert!(points.y().eq(chunk.y.iter().copied()), "{name}");
        assert!(points.z().eq(chunk.z.iter().copied()), "{name}");
        assert!(points.intensity().eq(chunk.intensity.iter().copied()), "{name}");
    }
}

#[test]
fn counts_and_descriptions() {
    for (name, count, description) in [
        ("autzen_trim.las", 110_000, "LAS 1.2, point format 3"),
        ("hippo1.ply", 30_519, "PLY binary little endian, float coordinates"),
        ("roofs_utm_test1.txt", 2_683, "text, columns x y z intensity red green blue by blanks"),
        ("roof_labelled_1977.txt", 2_048, "text, columns x y z label by blanks"),
    ] {
        let Some((source, chunk)) = cloud(name) else {
            continue;
        };
        assert_eq!(chunk.len(), count, "{name}");
        assert_eq!(source.info().description, description);
    }
}

#[test]
fn labels_of_a_ply() {
    let Some((_, chunk)) = cloud("planes12_10k.ply") else {
        return;
    };
    assert_eq!(chunk.label.len(), 10_000);
    assert_eq!(chunk.label.iter().filter(|&&label| label == -1).count(), 20);
    assert_eq!(chunk.label.iter().max(), Some(&11));
}
