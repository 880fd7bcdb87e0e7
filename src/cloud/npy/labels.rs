//! Labels in a NumPy array: whole numbers, whatever its shape and type.

pub(crate) use super::array::MAGIC;
use super::{
    super::records::NumberType,
    array::{Array, MOST},
};

/// The position of an error, and its message.
type Wrong = (String, String);

/// What labels are.
const LABELS: &str = "labels are whole numbers, one per point";

/// The labels in a file with an array, in row-major order; else where it is wrong, and why.
pub(crate) fn read(file: &[u8]) -> Result<Vec<i32>, Wrong> {
    let wrong = |message: String| ("header".to_owned(), message);
    let array = Array::parse(&file[..file.len().min(MOST as usize)]).map_err(wrong)?;
    let elements = usize::try_from(array.start).ok().and_then(|start| file.get(start..));
    let elements = elements.unwrap_or_default();
    let number = array.members[0].number.filter(|_| array.is_plain());
    let Some((kind, big_endian)) = number else {
        return Err(wrong(format!("{LABELS}; this is an array of {}", array.kind)));
    };
    let length = array.count().and_then(|count| count.checked_mul(array.size as u64));
    if length != Some(elements.len() as u64) {
        let shape = array.shape_text();
        return Err(wrong(format!(
            "{} of shape {shape}, but {} bytes",
            array.kind,
            elements.len()
        )));
    }
    let at = |(index, place): (usize, usize)| {
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..array.size];
        bytes.copy_from_slice(&elements[place * array.size..][..array.size]);
        if big_endian {
            bytes.reverse();
        }
        label(kind, bytes).map_err(|why| (format!("label {index}"), why))
    };
    let count = elements.len() / array.size;
    if array.fortran {
        places(&array.shape, count).enumerate().map(at).collect()
    } else {
        (0..count).enumerate().map(at).collect()
    }
}

/// The label that is stored in these little-endian bytes, or why it is none.
fn label(kind: NumberType, bytes: &[u8]) -> Result<i32, String> {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    let large = |value: &dyn std::fmt::Display| format!("{value} is too large for a label");
    let small = |value: &dyn std::fmt::Display| format!("{value} is too small for a label");
    if kind.is_float() {
        let value = match kind {
            NumberType::F32 => f32::from_bits(u64::from_le_bytes(all) as u32).into(),
            _ => f64::from_le_bytes(all),
        };
        return match value {
            value if value.fract() != 0.0 => Err(format!("{value} is no label; {LABELS}")),
            value if value > f64::from(i32::MAX) => Err(large(&value)),
            value if value < f64::from(i32::MIN) => Err(small(&value)),
            value => Ok(value as i32),
        };
    }
    let unsigned = u64::from_le_bytes(all);
    if matches!(kind, NumberType::U8 | NumberType::U16 | NumberType::U32 | NumberType::U64) {
        return i32::try_from(unsigned).map_err(|_| large(&unsigned));
    }
    let unused = 64 - 8 * bytes.len();
    let signed = (unsigned << unused) as i64 >> unused;
    i32::try_from(signed).map_err(|_| if signed < 0 { small(&signed) } else { large(&signed) })
}

/// Where the `count` elements of an array stand whose first axis varies fastest, in row-major order.
fn places(shape: &[u64], count: usize) -> impl Iterator<Item = usize> {
    // Axes of one element change nothing, and there may be many. The product of the others fits.
    let axes: Vec<usize> = shape.iter().filter(|&&n| n != 1).map(|&n| n as usize).collect();
    (0..count).map(move |index| {
        let (mut rest, mut step, mut place) = (index, count, 0);
        for &n in axes.iter().rev() {
            step /= n;
            place += rest % n * step;
            rest /= n;
        }
        place
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(descr: &str, fortran: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(elements);
        file
    }

    #[test]
    fn numbers_of_every_type_are_labels() {
        for (descr, elements) in [
            ("'|i1'", &[0xff, 3][..]),
            ("'<i2'", &[0xff, 0xff, 3, 0]),
            ("'>i2'", &[0xff, 0xff, 0, 3]),
            ("'<i8'", &[255, 255, 255, 255, 255, 255, 255, 255, 3, 0, 0, 0, 0, 0, 0, 0]),
            ("'<f4'", &[0, 0, 0x80, 0xbf, 0, 0, 0x40, 0x40]),
            ("'>f8'", &[0xbf, 0xf0, 0, 0, 0, 0, 0, 0, 0x40, 8, 0, 0, 0, 0, 0, 0]),
        ] {
            for fortran in ["False", "True"] {
                assert_eq!(read(&npy(descr, fortran, "(2,)", elements)).unwrap(), [-1, 3]);
            }
        }
        assert_eq!(read(&npy("'|u1'", "False", "(1,)", &[255])).unwrap(), [255]);
    }

    #[test]
    fn labels_of_an_image_are_read_row_by_row() {
        let all: Vec<i32> = (0..6).collect();
        for shape in ["(6,)", "(2, 3)", "(1, 2, 1, 3)", "(6, 1)"] {
            assert_eq!(read(&npy("'|u1'", "False", shape, &[0, 1, 2, 3, 4, 5])).unwrap(), all);
        }
        for (shape, elements) in [
            ("(2, 3)", [0, 3, 1, 4, 2, 5]),
            ("(3, 2)", [0, 2, 4, 1, 3, 5]),
            ("(1, 3, 1, 2)", [0, 2, 4, 1, 3, 5]),
            ("(6, 1)", [0, 1, 2, 3, 4, 5]),
        ] {
            assert_eq!(read(&npy("'|u1'", "True", shape, &elements)).unwrap(), all, "{shape}");
        }
        let twelve = [0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11];
        let got = read(&npy("'|u1'", "True", "(2, 2, 3)", &twelve)).unwrap();
        assert_eq!(got, (0..12).collect::<Vec<_>>());
        assert!(read(&npy("'|u1'", "True", "(0, 3)", &[])).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_label_is_said_in_plain_words() {
        for (descr, kind) in [
            ("'<f2'", "float16"),
            ("'<c8'", "complex64"),
            ("'|b1'", "bool"),
            ("'<U3'", "text"),
            ("'<M8[ns]'", "times"),
            ("[('x', '<f4')]", "records"),
        ] {
            let wrong = read(&npy(descr, "False", "(1,)", &[0; 4])).unwrap_err();
            let want = format!("{LABELS}; this is an array of {kind}");
            assert_eq!(wrong, ("header".into(), want));
        }
        let half = read(&npy("'<f4'", "False", "(1,)", &0.5_f32.to_le_bytes()));
        let want = "0.5 is no label; labels are whole numbers, one per point";
        assert_eq!(half, Err(("label 0".into(), want.into())));
        for value in [f64::NAN, f64::INFINITY, 3e9, -3e9] {
            assert!(read(&npy("'<f8'", "False", "(1,)", &value.to_le_bytes())).is_err());
        }
        for (descr, size, value) in
            [("'<u4'", 4, "4294967295"), ("'<u8'", 8, "18446744073709551615")]
        {
            let wrong = read(&npy(descr, "False", "(1,)", &[255; 8][..size]));
            assert_eq!(wrong, Err(("label 0".into(), format!("{value} is too large for a label"))));
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = npy("'<i4'", "False", "(1,)", &[1, 0, 0, 0]);
        assert_eq!(read(&whole).unwrap(), [1]);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length}");
        }
        for shape in ["(2,)", "(9999999999999999999,)", "(4294967296, 4294967296)", "(0,)"] {
            for fortran in ["False", "True"] {
                assert!(read(&npy("'<i4'", fortran, shape, &[0; 4])).is_err(), "{shape}");
            }
        }
        let wrong = read(&npy("'<i4'", "False", "(2,)", &[0; 4])).unwrap_err();
        assert_eq!(wrong.1, "int32 of shape (2,), but 4 bytes");
    }
}
