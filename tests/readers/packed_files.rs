//! Clouds inside gzip and zstd.

use super::common::{all, pcd::Pcd, ply::Ply, source};
use super::*;
use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    compress_to_vec(content, CompressionLevel::Fastest)
}

#[test]
fn what_is_inside_is_read_as_it_is_outside() {
    let text: String = (0..3000).map(|i| format!("{i} 0.5 {} 7 1 2 3\n", i * 2)).collect();
    let las = Las { count: 500, format: 3, ..Las::default() };
    for bytes in [text.into_bytes(), Ply::default().bytes(), Pcd::default().bytes(), las.plain()] {
        let plain = source(bytes.clone());
        for (packed, name) in [(gzip(&bytes), "gzip"), (zstd(&bytes), "zstd")] {
            let inside = source(packed);
            assert_eq!((inside.format(), inside.packing()), (plain.format(), Some(name.into())));
            assert_eq!(inside.info(), plain.info());
            let bits = |chunk: &Chunk| chunk.x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let (got, want) = (all(&inside, Fields::ALL), all(&plain, Fields::ALL));
            assert_eq!(
                (bits(&got), &got.label, &got.colour),
                (bits(&want), &want.label, &want.colour)
            );
            for limit in [7, 4096] {
                assert_eq!(bits(&points(&inside, Fields::ALL, limit).unwrap()), bits(&want));
            }
        }
    }
}

#[test]
fn zeros_behind_gzip_are_padding() {
    let padded = |rest: &[u8]| [&gzip(b"1 2 3\n4 5 6\n7 8 10\n")[..], &[0; 70_000], rest].concat();
    assert_eq!(all(&source(padded(b"")), Fields::NONE).len(), 3);
    let message = error(padded(b"\x01"));
    assert!(message.ends_with("there is more behind the zeros at its end"), "{message}");
}

#[test]
fn damaged_and_foreign_content_is_refused() {
    let text: String = (0..9000).map(|i| format!("{i} 0.5 {}\n", i * i % 1013)).collect();
    for (pack, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
        let whole = pack(text.as_bytes());
        for length in [4, 9, whole.len() / 2, whole.len() - 1] {
            let message = error(&whole[..length]);
            assert!(message.starts_with(&format!("{name}: ")) || length < 10, "{message}");
        }
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle..middle + 8].iter_mut().for_each(|byte| *byte ^= 0x55);
        error(flipped);
        let twice = error(gzip(&pack(text.as_bytes())));
        assert!(twice.ends_with("archive; unpack it first"), "{twice}");
        assert!(error(pack(b"")).ends_with("the file is empty"));
    }
    let mut damaged = gzip(text.as_bytes());
    let end = damaged.len();
    damaged[end - 8] ^= 1;
    assert_eq!(
        error(damaged),
        format!(
            "gzip: damaged after {} bytes of content: corrupt gzip stream does not have a matching checksum",
            text.len()
        )
    );
}

/// A hundred megabytes of the same byte are no cloud, which is told by the first of them.
#[test]
fn a_bomb_of_one_byte_is_not_unpacked() {
    let bomb = gzip(&vec![b'\0'; 100 << 20]);
    assert!(bomb.len() < 1 << 17);
    assert!(error(bomb).ends_with("binary data of an unknown kind"));
    let spaces = gzip(&vec![b' '; 100 << 20]);
    assert!(error(spaces).ends_with("text without a line end in its first 65536 bytes"));
}
