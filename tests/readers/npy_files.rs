//! NumPy arrays and archives of them, written byte by byte.

use super::common::{all, source};
use super::*;
use std::io::Write;

/// An array with this dictionary but for the order, and these bytes.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
    let width = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((width as u16).to_le_bytes());
    bytes.extend(format!("{text:<0$}\n", width - 1).bytes());
    bytes.extend(data);
    bytes
}

/// The values of 40 points in 4 columns, row by row or column by column.
fn values(fortran: bool) -> Vec<i8> {
    let value = |i: usize, k: usize| [i, 2 * i, 80 - i, 99][k] as i8;
    match fortran {
        false => (0..160).map(|k| value(k / 4, k % 4)).collect(),
        true => (0..160).map(|k| value(k % 40, k / 40)).collect(),
    }
}

fn check(source: &Source) {
    let chunk = all(source, Fields::ALL);
    let want = |of: fn(f64) -> f64| (0..40).map(|i| of(f64::from(i))).collect::<Vec<_>>();
    assert_eq!([chunk.x, chunk.y, chunk.z], [want(|i| i), want(|i| 2.0 * i), want(|i| 80.0 - i)]);
}

#[test]
fn every_type_order_and_layout_gives_the_same_points() {
    fn bytes<T, const N: usize>(
        values: &[i8],
        of: impl Fn(i8) -> T,
        to: fn(T) -> [u8; N],
    ) -> Vec<u8> {
        values.iter().flat_map(|&value| to(of(value))).collect()
    }
    for fortran in [false, true] {
        let v = &values(fortran)[..];
        for (code, data) in [
            ("<f4", bytes(v, f32::from, f32::to_le_bytes)),
            (">f4", bytes(v, f32::from, f32::to_be_bytes)),
            ("<f8", bytes(v, f64::from, f64::to_le_bytes)),
            (">f8", bytes(v, f64::from, f64::to_be_bytes)),
            ("|i1", bytes(v, |v| v, i8::to_le_bytes)),
            ("|u1", bytes(v, |v| v as u8, u8::to_le_bytes)),
            (">i2", bytes(v, i16::from, i16::to_be_bytes)),
            ("<u2", bytes(v, |v| v as u16, u16::to_le_bytes)),
            ("<i4", bytes(v, i32::from, i32::to_le_bytes)),
            (">u8", bytes(v, |v| v as u64, u64::to_be_bytes)),
        ] {
            let source = source(npy(&format!("'{code}'"), fortran, "(40, 4)", &data));
            assert_eq!((source.format(), source.info().points), (Format::NPY, Some(40)));
            assert_eq!(source.info().others, ["column 4"]);
            check(&source);
        }
    }
    let grid: Vec<u8> = values(false).iter().flat_map(|&v| i16::from(v).to_le_bytes()).collect();
    check(&source(npy("'<i2'", false, "(5, 8, 4)", &grid)));
}

#[test]
fn records_have_fields_by_their_names() {
    let descr = "[('id', '<i8'), ('X', '<f4'), ('Y', '<f4'), ('Z', '<f4'), ('Intensity', '<u2'), \
        ('Red', '<u2'), ('Green', '<u2'), ('Blue', '<u2'), ('Classification', '|u1'), ('plane_id', '<i4'), ('t', '<U2')]";
    let record = |i: i32| {
        let mut record = i64::from(i).to_le_bytes().to_vec();
        [i, 2 * i, 80 - i].iter().for_each(|&v| record.extend((v as f32).to_le_bytes()));
        [100, 65535, 256, 0_u16].iter().for_each(|v| record.extend(v.to_le_bytes()));
        record.push(6);
        record.extend((i % 3).to_le_bytes());
        record.extend([0; 8]);
        record
    };
    let data: Vec<u8> = (0..40).flat_map(record).collect();
    let records = source(npy(descr, false, "(40,)", &data));
    check(&records);
    let chunk = all(&records, Fields::ALL);
    assert_eq!((chunk.colour[3], chunk.intensity[3], chunk.class[3]), ([255, 1, 0], 100, 6));
    assert_eq!(chunk.label[..4], [0, 1, 2, 0]);
    assert_eq!(records.info().others, ["id", "t"]);
    // One field for the three, and of the other order.
    let descr = "[('xyz', '>i2', (3,)), ('extra', '|V1')]";
    let record = |i: i16| {
        let xyz = [i, 2 * i, 80 - i].map(i16::to_be_bytes);
        [xyz.concat(), vec![7]].concat()
    };
    check(&source(npy(descr, false, "(40,)", &(0..40).flat_map(record).collect::<Vec<_>>())));
}

#[test]
fn what_holds_no_points_is_refused_in_a_line() {
    let zeros = vec![0; 6400];
    let refusal = |descr: &str, shape: &str| {
        let message = error(npy(descr, false, shape, &zeros));
        message.strip_prefix("not a cloud that planes can read: ").unwrap_or(&message).to_owned()
    };
    let points = "points are an array of shape (n, 3), or records with fields x, y and z";
    assert_eq!(
        refusal("'<i4'", "(100,)"),
        format!("an array of shape (100,): labels, or other numbers, and no points; {points}")
    );
    assert!(refusal("'<f4'", "(3, 100)").contains("transpose it"));
    for (descr, shape, why) in [
        ("'|u1'", "(20, 30, 3)", "an image of 8 bits"),
        ("'|i1'", "(20, 30, 4)", "an image of 8 bits"),
        ("'<f4'", "(48, 64)", "64 columns, and no points"),
        ("'<f4'", "(5, 17)", "17 columns, and no points"),
        ("'<u2'", "(2, 10, 80)", "80 columns, and no points"),
    ] {
        assert_eq!(refusal(descr, shape), format!("an array of shape {shape}: {why}; {points}"));
    }
    assert!(refusal("'<f4'", "(100, 2)").starts_with("an array of shape (100, 2); points"));
    assert!(refusal("'<f4'", "()").starts_with("an array of shape (); points"));
    assert!(
        refusal("'<f2'", "(100, 3)")
            .contains("neither integers of 8 to 64 bits nor floats of 32 or 64")
    );
    assert!(refusal("[('x', '<f4'), ('y', '<f4')]", "(9,)").contains("without fields x, y and z"));
    let wide = "[('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('p', '|V65525')]";
    assert_eq!(refusal(wide, "(0,)"), "records of 65537 bytes, more than 65536");
    assert!(refusal("[('x', '<f4'), ('y', '>f4'), ('z', '<f4')]", "(9,)").contains("differ"));
    assert_eq!(
        refusal("'|O'", "(9, 3)"),
        "header: its elements are Python objects, and no numbers"
    );
    assert_eq!(refusal("'<q'", "(9, 3)"), "header: 'descr' is missing or wrong");
    assert_eq!(
        refusal("'<f8'", "(1152921504606846976, 3)"),
        "point 266: the file ends before, its header promises 1152921504606846976"
    );
    assert!(refusal("'<f8'", "(9223372036854775808, 3)").starts_with("an array of shape"));
    let whole = npy("'|i1'", true, "(40, 4)", &[0; 160]);
    for length in [5, 9, 40, 127, whole.len() - 5] {
        error(&whole[..length]);
    }
}

/// An archive of these members, as `np.savez` or `np.savez_compressed` writes it.
fn npz(members: &[(&str, Vec<u8>)], is_deflated: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (name, content) in members {
        let method = if is_deflated {
            rawzip::CompressionMethod::DEFLATE
        } else {
            rawzip::CompressionMethod::STORE
        };
        let name = format!("{name}.npy");
        let file = archive.new_file(&*name).compression_method(method);
        let (mut entry, config) = file.start().unwrap();
        let descriptor = if is_deflated {
            let encoder =
                flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
            let mut writer = config.wrap(encoder);
            writer.write_all(content).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            descriptor
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(content).unwrap();
            writer.finish().unwrap().1
        };
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

#[test]
fn an_archive_gives_its_array_of_points() {
    let points = |fortran| {
        let data: Vec<u8> = values(fortran).iter().map(|&v| v as u8).collect();
        npy("'|i1'", fortran, "(40, 4)", &data)
    };
    let labels = npy("'<i4'", false, "(40,)", &[0; 160]);
    let others = npy("'<f4'", false, "(2, 3)", &[0; 24]);
    for is_deflated in [false, true] {
        let archive = |members: &[(&str, Vec<u8>)]| npz(members, is_deflated);
        let only = source(archive(&[("labels", labels.clone()), ("a", points(false))]));
        assert_eq!(only.format(), Format::NPZ);
        assert_eq!(
            only.info().description,
            "NumPy archive, array a of shape (40, 4), integer coordinates"
        );
        check(&only);
        check(&source(archive(&[("a", others.clone()), ("XYZ", points(true))])));
        check(&source(archive(&[("points", points(false)), ("cloud", others.clone())])));
        assert_eq!(
            error(archive(&[("a", others.clone()), ("b", points(false))])),
            "not a cloud that planes can read: an archive of several arrays that could be points, a, b; \
             name one of them xyz"
        );
        let none = error(archive(&[("labels", labels.clone())]));
        assert!(none.contains("labels is an array of shape (40,)"), "{none}");
        let whole = archive(&[("a", points(false))]);
        for length in (30..whole.len()).step_by(7) {
            error(&whole[..length]);
        }
    }
    // Its checksum speaks of what is stored inside.
    let mut damaged = npz(&[("a", points(false))], true);
    let end = damaged.len() - 100;
    let directory = damaged.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    damaged[directory + 16] ^= 1;
    // A folder is listed without unpacking what is in it.
    assert_eq!(source(damaged.clone()).info().points, Some(40));
    assert!(end > 0 && error(damaged).contains("its checksum is another"));
}
