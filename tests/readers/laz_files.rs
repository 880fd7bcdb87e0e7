//! LAZ: every kind of chunk, and damaged data.

use crate::*;

#[test]
fn every_point_format_and_kind_of_chunk() {
    for format in [0, 1, 2, 3, 6, 7, 8] {
        for chunk_size in [Some(7), Some(1000), None] {
            let file = Las { format, count: 300, minor: 4, ..Las::default() };
            let source = source(file.compressed(chunk_size));
            assert_eq!(source.format(), Format::Laz);
            for fields in [Fields::ALL, Fields::NONE] {
                let chunk = all(&source, fields);
                assert!(
                    chunk
                        == Chunk {
                            x: chunk.x.clone(),
                            y: chunk.y.clone(),
                            z: chunk.z.clone(),
                            ..Chunk::default()
                        }
                        || fields == Fields::ALL
                );
                file.check_xyz(&chunk);
            }
            file.check(&all(&source, Fields::ALL));
        }
    }
}

#[test]
fn one_chunk_larger_than_is_decoded_at_once() {
    let file = Las { count: 300_000, ..Las::default() };
    file.check(&all(&source(file.compressed(Some(300_000))), Fields::ALL));
}

#[test]
fn without_a_list_of_chunks() {
    let file = Las { count: 1000, ..Las::default() };
    let mut bytes = file.compressed(Some(64));
    let start = file.start_of_compressed();
    let list = u64::from_le_bytes(bytes[start..start + 8].try_into().unwrap());
    bytes.truncate(list as usize);
    bytes[start..start + 8].copy_from_slice(&(-1_i64).to_le_bytes());
    file.check(&all(&source(bytes), Fields::ALL));
}

#[test]
fn truncated_and_altered() {
    let file = Las { count: 2000, ..Las::default() };
    let bytes = file.compressed(Some(500));
    for length in (0..bytes.len()).step_by(97) {
        error(&bytes[..length]);
    }
    // Altered bytes give an error or other points, never a panic; most of the file is data.
    for at in (0..bytes.len()).step_by(11) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        if let Ok(source) = Source::from_bytes(bytes) {
            let _ = points(&source, Fields::ALL, 333);
        }
    }
}

#[test]
fn two_to_the_sixty_points() {
    let file = Las { minor: 4, count: 30, promised: Some(1 << 60), ..Las::default() };
    let message = error(file.compressed(Some(50)));
    assert_eq!(
        message,
        "point 50: the chunks end here, the header promises 1152921504606846976 points"
    );
}
