//! Reading clouds, as a user of the library sees it.

mod common;
mod copc_files;
mod depth_images;
mod e57_copies;
mod e57_files;
mod las_files;
mod laz_files;
mod npy_files;
mod other_files;
mod packed_files;
mod pcd_files;
mod ply_files;
mod real;
mod text_files;

use common::{Las, all, points, shared, source};
use planes::cloud::{Chunk, Fields, Format, Source};

const KINDS: [&str; 10] = [
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
];

/// The error that opening or reading `bytes` ends in.
fn error(bytes: impl Into<Vec<u8>>) -> String {
    let read = Source::from_bytes(bytes.into()).and_then(|source| {
        let mut reader = source.reader(Fields::ALL)?;
        let mut chunk = Chunk::default();
        loop {
            reader.read(&mut chunk, 1000)?;
            if chunk.is_empty() {
                return Ok(());
            }
        }
    });
    let message = read.expect_err("this must not be read").to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message.strip_prefix("<memory>: ").expect("the file's name").to_string()
}

/// Every limit, every number of threads and every pass give the same points.
#[test]
fn limits_threads_and_passes_change_nothing() {
    let las = Las { count: 20_000, format: 3, ..Las::default() };
    let ply = |body, lists| common::ply::Ply { body, lists, count: 20_000, ..Default::default() };
    let text: String = (0..20_000).map(|i| format!("{i} 0.5 {} 7 1 2 3\n", i * 2)).collect();
    let pcd = |data| common::pcd::Pcd { data, kind: ('I', 4), count: 20_000, ..Default::default() };
    for bytes in [
        pcd("ascii").bytes(),
        pcd("binary").bytes(),
        pcd("binary_compressed").bytes(),
        las.plain(),
        las.compressed(Some(999)),
        ply(common::ply::Body::Little, false).bytes(),
        ply(common::ply::Body::Big, true).bytes(),
        ply(common::ply::Body::Ascii, true).bytes(),
        text.into_bytes(),
    ] {
        let source = source(bytes);
        let whole = all(&source, Fields::ALL);
        assert_eq!(whole.len(), 20_000);
        for limit in [1, 777, 4096, 5000, 19_999] {
            assert!(points(&source, Fields::ALL, limit).unwrap() == whole, "{limit}");
        }
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| all(&source, Fields::ALL)) == whole, "{threads}");
        }
    }
}
