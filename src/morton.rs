//! Morton order: three coordinates interleaved bit by bit, so that near points have near keys.

/// The Morton key of three coordinates of at most 21 bits; bit 0 of the first is lowest.
pub(crate) fn interleave(cell: [u64; 3]) -> u64 {
    spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
}

/// The coordinates of a Morton key.
pub(crate) fn deinterleave(key: u64) -> [u64; 3] {
    [gather(key), gather(key >> 1), gather(key >> 2)]
}

/// Spreads 21 bits so that two zeros stand between any two of them.
fn spread(v: u64) -> u64 {
    let v = v & 0x1f_ffff;
    let v = (v | v << 32) & 0x001f_0000_0000_ffff;
    let v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    let v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    let v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

/// The inverse of [`spread`].
fn gather(v: u64) -> u64 {
    let v = v & 0x1249_2492_4924_9249;
    let v = (v | v >> 2) & 0x10c3_0c30_c30c_30c3;
    let v = (v | v >> 4) & 0x100f_00f0_0f00_f00f;
    let v = (v | v >> 8) & 0x001f_0000_ff00_00ff;
    let v = (v | v >> 16) & 0x001f_0000_0000_ffff;
    (v | v >> 32) & 0x1f_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_goes_to_three_times_its_place() {
        for bit in 0..21 {
            assert_eq!(interleave([1 << bit, 0, 0]), 1 << (3 * bit));
            assert_eq!(interleave([0, 1 << bit, 0]), 2 << (3 * bit));
            assert_eq!(interleave([0, 0, 1 << bit]), 4 << (3 * bit));
        }
    }

    #[test]
    fn keys_are_taken_apart_again() {
        for cell in [[0, 0, 0], [1, 2, 3], [0x1f_ffff, 0x15_5555, 0x0a_aaaa]] {
            assert_eq!(deinterleave(interleave(cell)), cell);
        }
    }
}
