//! Whether a JPEG image is complete: the decoder silently fills missing parts with grey.

/// First byte of a marker.
const MARKER: u8 = 0xff;
/// Markers: start and end of the image, start of a scan.
const START: u8 = 0xd8;
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;

/// Whether the image reaches its end marker. Data after it, which many phones append, is
/// ignored. A thumbnail lies inside a segment and is skipped with it.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some((marker, next)) = next_marker(bytes, at) {
        at = match marker {
            END => return true,
            // A start, restarts and other markers without content.
            START | 0xd0..=0xd7 | 0x01 => next,
            _ => {
                let Some(&[high, low]) = bytes.get(next..).and_then(|rest| rest.first_chunk())
                else {
                    return false;
                };
                let length = usize::from(u16::from_be_bytes([high, low]));
                next + length.max(2)
            }
        };
        if marker == SCAN {
            at = behind_scan(bytes, at);
        }
    }
    false
}

/// The marker at or after `at`, and the position after it.
fn next_marker(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let start = at + memchr::memchr(MARKER, bytes.get(at..)?)?;
    // Any number of fill bytes may precede it.
    let fill = bytes[start..].iter().take_while(|&&byte| byte == MARKER).count();
    Some((*bytes.get(start + fill)?, start + fill + 1))
}

/// The end of the compressed data that start at `at`: the first marker that does not belong to them.
fn behind_scan(bytes: &[u8], mut at: usize) -> usize {
    while let Some((marker, next)) = next_marker(bytes, at) {
        match marker {
            // An escaped data byte that looks like a marker, and restarts.
            0x00 | 0xd0..=0xd7 => at = next,
            _ => return next - 2,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_whole_if_it_reaches_its_own_end() {
        let segment = [MARKER, 0xe1, 0, 6, MARKER, END, MARKER, END];
        let scan = [MARKER, SCAN, 0, 4, 1, 2, 7, MARKER, 0, 8, MARKER, 0xd3, 9, MARKER];
        let end = [MARKER, MARKER, END, 1, 2, 3];
        let image = [&[MARKER, START][..], &segment, &scan, &end].concat();
        for length in 0..=image.len() {
            assert_eq!(is_whole(&image[..length]), length >= image.len() - 3, "{length}");
        }
        assert!(!is_whole(&[MARKER, 0xe1, 0, 0]));
    }
}
