//! LZF, the compression of PCD files: runs of bytes, and references to bytes up to 8 KiB back.

use std::io;

/// How far a reference can reach back.
const WINDOW: usize = 1 << 13;
/// Bytes decoded before they are passed on.
const BATCH: usize = 1 << 18;
/// Most bytes that three bytes can encode.
pub(super) const MOST_TIMES: u64 = 88;

/// Unpacks `size` bytes from `from` and passes them to `each` in batches.
///
/// # Errors
/// Those of `from` and `each`; [`io::ErrorKind::InvalidData`] if the bytes do not unpack to `size`.
pub(super) fn unpack(
    mut from: impl Iterator<Item = io::Result<u8>>,
    size: u64,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut next = || from.next().unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()));
    // Bytes that were passed on are kept as far back as a reference reaches.
    let (mut buffer, mut fresh, mut left) = (Vec::with_capacity(2 * BATCH), 0, size);
    while left > 0 {
        let control = usize::from(next()?);
        let length = if control < 32 {
            for _ in 0..=control {
                buffer.push(next()?);
            }
            control + 1
        } else {
            let length = match control >> 5 {
                7 => 9 + usize::from(next()?),
                short => short + 2,
            };
            let back = ((control & 31) << 8) + usize::from(next()?) + 1;
            let Some(start) = buffer.len().checked_sub(back) else {
                return Err(invalid("a reference to what stands before the start"));
            };
            for k in start..start + length {
                buffer.push(buffer[k]);
            }
            length
        };
        left = left
            .checked_sub(length as u64)
            .ok_or_else(|| invalid("more bytes than are promised"))?;
        if buffer.len() >= BATCH + WINDOW {
            each(&buffer[fresh..])?;
            buffer.drain(..buffer.len() - WINDOW);
            fresh = WINDOW;
        }
    }
    each(&buffer[fresh..])
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(packed: &[u8], size: u64) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        unpack(packed.iter().copied().map(Ok), size, |bytes| {
            all.extend(bytes);
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn runs_and_references_of_both_lengths() {
        // "abc", then 4 bytes from 3 before, then 9 + 2 from 1 before.
        let packed = [2, b'a', b'b', b'c', 0x40, 2, 0xe0, 2, 0];
        assert_eq!(unpacked(&packed, 18).unwrap(), b"abcabcaaaaaaaaaaaa");
        for length in 0..packed.len() {
            assert!(unpacked(&packed[..length], 18).is_err(), "{length}");
        }
        assert!(unpacked(&packed, 17).is_err());
        assert!(unpacked(&[0, b'a', 0x20, 1], 4).is_err(), "before the start");
    }

    #[test]
    fn references_reach_back_over_batches() {
        // 8192 different bytes, then references to them until several batches are full.
        let first: Vec<u8> =
            (0..8192_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut packed: Vec<u8> = Vec::new();
        first.chunks(32).for_each(|run| packed.extend([&[31], run].concat()));
        let references = 4 * BATCH / 256;
        (0..references).for_each(|_| packed.extend([0xff, 247, 0xff]));
        let want: Vec<u8> = first.iter().copied().cycle().take(8192 + references * 256).collect();
        assert!(unpacked(&packed, want.len() as u64).unwrap() == want);
    }
}
