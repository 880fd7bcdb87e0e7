//! Images of 16 bits in one channel: PNG, TIFF and PGM.

use super::super::bytes::Bytes;
use super::super::quiet::catch;
use crate::{Error, Result, memory};
use ::image::{ColorType, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use std::io::{BufRead, Cursor, Seek};

/// Most pixels along a side.
const MOST_SIDE: u32 = 1 << 15;
/// Most pixels in all.
const MOST_PIXELS: u64 = 1 << 28;
/// Most bytes that a decoder may allocate.
const MOST_MEMORY: u64 = 4 * MOST_PIXELS;

/// The values of an image, row by row from the top.
pub(super) struct Pixels {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) values: Vec<u16>,
}

/// The first bytes of each format.
const STARTS: [(&[u8], ImageFormat); 4] = [
    (b"\x89PNG", ImageFormat::Png),
    (b"II*\0", ImageFormat::Tiff),
    (b"MM\0*", ImageFormat::Tiff),
    (b"P5", ImageFormat::Pnm),
];

fn format(head: &[u8]) -> Option<ImageFormat> {
    STARTS.iter().find(|(start, _)| head.starts_with(start)).map(|&(_, format)| format)
}

/// Whether a file with these first bytes may be a depth image.
pub(super) fn may_be(head: &[u8]) -> bool {
    format(head).is_some()
}

/// Whether an image has 16 bits in one channel, according to its header.
pub(super) fn is_depth(head: &[u8], file: impl BufRead + Seek) -> bool {
    match format(head) {
        Some(ImageFormat::Pnm) => Pgm::of(head).is_some_and(|pgm| pgm.largest > 255),
        Some(format) => {
            let is_depth = || {
                let decoder = reader(file, format).into_decoder();
                decoder.is_ok_and(|decoder| decoder.color_type() == ColorType::L16)
            };
            catch(is_depth).unwrap_or(false)
        }
        None => false,
    }
}

/// Reads an image.
pub(super) fn read(bytes: &Bytes) -> Result<Pixels> {
    let wrong = |message: String| Error::format(bytes.path(), "image", message);
    if bytes.len() > MOST_MEMORY {
        return Err(wrong("larger than any image that is read".into()));
    }
    memory::check(bytes.path(), bytes.len())?;
    let content = bytes.head(0, bytes.len())?;
    let pixels = match format(&content) {
        Some(ImageFormat::Pnm) => pgm(&content),
        Some(format) => {
            // A decoder that panics on damaged bytes must not end the program.
            catch(|| decode(format, &content)).unwrap_or_else(Err)
        }
        None => Err("no PNG, TIFF or PGM image".into()),
    };
    pixels.map_err(wrong)
}

fn reader<R: BufRead + Seek>(file: R, format: ImageFormat) -> ImageReader<R> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_SIDE);
    limits.max_image_height = Some(MOST_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::with_format(file, format);
    reader.limits(limits);
    reader
}

fn decode(format: ImageFormat, content: &[u8]) -> std::result::Result<Pixels, String> {
    let said = |error: ::image::ImageError| error.to_string();
    let decoder = reader(Cursor::new(content), format).into_decoder().map_err(said)?;
    let (width, height) = decoder.dimensions();
    check_size(width.into(), height.into())?;
    match DynamicImage::from_decoder(decoder).map_err(said)? {
        DynamicImage::ImageLuma16(image) => Ok(Pixels { width, height, values: image.into_raw() }),
        _ => Err("not 16 bits in one channel".into()),
    }
}

fn check_size(width: u64, height: u64) -> std::result::Result<(), String> {
    let pixels = width.checked_mul(height);
    let side = 1..=u64::from(MOST_SIDE);
    if side.contains(&width) && side.contains(&height) && pixels.is_some_and(|n| n <= MOST_PIXELS) {
        return Ok(());
    }
    Err(format!(
        "{width} × {height} pixels; at most {MOST_SIDE} along a side and {MOST_PIXELS} in all are read"
    ))
}

/// The header of a binary PGM file. Its values are kept as they are; an image reader would stretch them to 16 bits.
struct Pgm {
    width: u64,
    height: u64,
    largest: u64,
    /// The first byte of the values.
    length: usize,
}

impl Pgm {
    /// The header at the start of a file.
    fn of(head: &[u8]) -> Option<Pgm> {
        let mut at = 2;
        let mut number = || {
            loop {
                match head.get(at)? {
                    b'#' => at += head[at..].iter().position(|&byte| byte == b'\n')?,
                    byte if byte.is_ascii_whitespace() => at += 1,
                    _ => break,
                }
            }
            let digits = head[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = std::str::from_utf8(&head[at..at + digits]).ok()?.parse().ok()?;
            at += digits;
            // A single whitespace character ends each number; the values follow the last.
            head.get(at).filter(|byte| byte.is_ascii_whitespace())?;
            at += 1;
            Some(number)
        };
        let (width, height, largest) = (number()?, number()?, number()?);
        Some(Pgm { width, height, largest, length: at })
    }
}

fn pgm(content: &[u8]) -> std::result::Result<Pixels, String> {
    let header = Pgm::of(content).ok_or("not a header of PGM")?;
    if !(256..=65535).contains(&header.largest) {
        return Err("not 16 bits in one channel".into());
    }
    check_size(header.width, header.height)?;
    let pixels = (header.width * header.height) as usize;
    let (values, _) = content[header.length..].as_chunks::<2>();
    let values = values
        .get(..pixels)
        .ok_or_else(|| format!("it is cut off: {} pixels of {pixels} are there", values.len()))?;
    let values = values.iter().map(|&value| u16::from_be_bytes(value)).collect();
    Ok(Pixels { width: header.width as u32, height: header.height as u32, values })
}
