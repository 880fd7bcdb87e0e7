//! Numbers packed into as many bits as their range needs.

use e57::RecordDataType;

/// The type of a number in a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Packed {
    Single,
    Double,
    /// An integer stored as its difference from `min`; its value is `integer × scale + offset`.
    Whole {
        bits: u32,
        min: i64,
        scale: f64,
        offset: f64,
    },
}

impl Packed {
    pub(super) fn new(kind: &RecordDataType) -> Packed {
        let bits = |min: i64, max: i64| max.abs_diff(min).checked_ilog2().map_or(0, |k| k + 1);
        match *kind {
            RecordDataType::Single { .. } => Packed::Single,
            RecordDataType::Double { .. } => Packed::Double,
            RecordDataType::Integer { min, max } => {
                Packed::Whole { bits: bits(min, max), min, scale: 1.0, offset: 0.0 }
            }
            RecordDataType::ScaledInteger { min, max, scale, offset } => {
                Packed::Whole { bits: bits(min, max), min, scale, offset }
            }
        }
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Packed::Single => 32,
            Packed::Double => 64,
            Packed::Whole { bits, .. } => bits,
        }
    }

    /// Whether the values may have fractions.
    pub(super) fn is_float(self) -> bool {
        !matches!(self, Packed::Whole { scale: 1.0, .. })
    }

    /// Fills `out` with the numbers that start at bit `first` of `bytes`.
    pub(super) fn unpack(self, bytes: &mut Vec<u8>, first: u32, out: &mut [f64]) {
        match self {
            Packed::Single => {
                for (to, &bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
                    *to = f32::from_le_bytes(bytes).into();
                }
            }
            Packed::Double => {
                for (to, &bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
                    *to = f64::from_le_bytes(bytes);
                }
            }
            Packed::Whole { bits: 0, min, scale, offset } => {
                out.fill(min as f64 * scale + offset);
            }
            Packed::Whole { bits, min, scale, offset } => {
                // Each number is read from 16 bytes, also the last.
                bytes.extend([0; 16]);
                let mask = u64::MAX >> (64 - bits);
                let mut at = first as usize;
                for to in out {
                    let word = |k: usize| u64::from_le_bytes(std::array::from_fn(|b| bytes[k + b]));
                    let (byte, shift) = (at / 8, at % 8);
                    let mut raw = word(byte) >> shift;
                    if shift + bits as usize > 64 {
                        raw |= word(byte + 8) << (64 - shift);
                    }
                    let value = min.wrapping_add((raw & mask) as i64);
                    *to = value as f64 * scale + offset;
                    at += bits as usize;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs values into consecutive bits.
    fn pack(values: &[u64], bits: u32) -> Vec<u8> {
        let all = values.iter().flat_map(|value| (0..bits).map(move |k| value >> k & 1));
        let all: Vec<u64> = all.collect();
        all.chunks(8).map(|bits| (0..).zip(bits).map(|(k, bit)| (bit << k) as u8).sum()).collect()
    }

    #[test]
    fn numbers_of_any_width_are_unpacked() {
        for bits in 1..=64_u32 {
            let largest = u64::MAX >> (64 - bits);
            let values = [largest, 0, largest / 3, 1, largest - 1, largest / 7, 0, largest];
            let min = -5;
            let whole = Packed::Whole { bits, min, scale: 0.5, offset: 1.0 };
            for skip in 0..values.len() {
                let start = skip * bits as usize;
                let mut bytes = pack(&values, bits).split_off(start / 8);
                let mut out = vec![0.0; values.len() - skip];
                whole.unpack(&mut bytes, (start % 8) as u32, &mut out);
                let expected = values[skip..].iter();
                let expected: Vec<f64> =
                    expected.map(|&v| min.wrapping_add(v as i64) as f64 * 0.5 + 1.0).collect();
                assert_eq!(out, expected, "{bits} bits, from {skip} on");
            }
        }
    }

    #[test]
    fn as_many_bits_as_the_range_needs() {
        let bits = |min, max| Packed::new(&RecordDataType::Integer { min, max }).bits();
        assert_eq!([bits(3, 3), bits(0, 1), bits(0, 255), bits(-1, 255)], [0, 1, 8, 9]);
        assert_eq!(bits(i64::MIN, i64::MAX), 64);
        let mut out = [0.0; 2];
        Packed::new(&RecordDataType::Integer { min: 7, max: 7 }).unpack(&mut vec![], 0, &mut out);
        assert_eq!(out, [7.0, 7.0]);
    }
}
