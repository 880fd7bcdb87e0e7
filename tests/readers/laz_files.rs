//! LAZ: every kind of chunk, and damaged data.

use crate::*;
use laz::{
    encoders::ArithmeticEncoder,
    models::ArithmeticModelBuilder,
    record::{FieldCompressor, RecordCompressor, SequentialPointRecordCompressor},
};
use std::io::{Cursor, Write};

#[test]
fn every_point_format_and_kind_of_chunk() {
    for format in 0..=10 {
        for chunk_size in [Some(7), Some(1000), None] {
            let file = Las { format, count: 300, minor: 4, ..Las::default() };
            let source = source(file.compressed(chunk_size));
            assert_eq!(source.format(), Format::LAZ);
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

#[test]
fn a_compression_of_another_point_format() {
    let file = Las { format: 3, ..Las::default() };
    let vlr = laz::LazVlrBuilder::default().with_point_format(1, 6).unwrap().build();
    assert_eq!(
        error(file.with_chunk(&vlr, &[0; 100])),
        "header: the LAZ record is damaged: it does not fit the point format"
    );
}

/// A million changes between sequences of GPS times before a time overflowed the decoder's stack.
#[test]
fn changes_of_gps_sequence_without_end() {
    struct Changes(laz::models::ArithmeticModel);

    impl<W: Write> FieldCompressor<W> for Changes {
        fn size_of_field(&self) -> usize {
            8
        }

        fn compress_first(&mut self, to: &mut W, time: &[u8]) -> std::io::Result<()> {
            to.write_all(time)
        }

        fn compress_with(
            &mut self,
            encoder: &mut ArithmeticEncoder<W>,
            _: &[u8],
        ) -> std::io::Result<()> {
            (0..1_000_000).try_for_each(|_| encoder.encode_symbol(&mut self.0, 3))
        }
    }

    let file = Las { format: 1, count: 2, ..Las::default() };
    let mut records = SequentialPointRecordCompressor::new(Cursor::new(Vec::new()));
    records.add_field_compressor(laz::las::v2::LasPoint0Compressor::default());
    let model = ArithmeticModelBuilder::new(6).with_compression(true).build();
    records.add_field_compressor(Changes(model));
    records.compress_next(&file.record(0)).unwrap();
    records.compress_next(&file.record(1)).unwrap();
    records.done().unwrap();
    let vlr = laz::LazVlrBuilder::default().with_point_format(1, 0).unwrap().build();
    let bytes = file.with_chunk(&vlr, records.into_inner().get_ref());
    assert!(bytes.len() < 1000);
    assert_eq!(
        error(bytes),
        "point 1: the compressed data are damaged: too many changes between sequences of times"
    );
}
