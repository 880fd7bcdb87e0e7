//! Files inside gzip or zstd, recognised by their first bytes.

use super::quiet::catch;
use flate2::bufread::GzDecoder;
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};
use std::{
    fmt,
    io::{self, BufRead, BufReader, Read},
};

/// How a file is compressed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        })
    }
}

impl Packing {
    /// Number of bytes that identify a packing.
    pub(super) const TOLD_BY: usize = 4;

    /// The packing of a file with these first bytes, if it is compressed.
    pub(super) fn told(head: &[u8]) -> Option<Packing> {
        match head {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            // A frame, or a skippable frame: parallel compressors start with one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Packing::Zstd)
            }
            _ => None,
        }
    }

    /// The content of a file, as a stream.
    pub(super) fn content<'a>(self, file: impl Read + 'a) -> Box<dyn Read + 'a> {
        let file = BufReader::with_capacity(1 << 16, file);
        match self {
            Packing::Gzip => Box::new(Members::new(file)),
            Packing::Zstd => Box::new(Frames::new(file)),
        }
    }
}

/// The first bytes of a file, or of its content if it is compressed. Damaged files give fewer bytes.
pub(crate) fn head_of(mut file: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    (&mut file).take(most).read_to_end(&mut start)?;
    let Some(packing) = Packing::told(&start) else { return Ok(start) };
    let mut head = Vec::new();
    // Opening the file reports what is wrong.
    let _ = packing.content(start.chain(file)).take(most).read_to_end(&mut head);
    Ok(head)
}

/// The content of gzip members, one after the other. Zeros behind the last one are padding.
struct Members<R> {
    /// `None` behind the last one.
    member: Option<GzDecoder<R>>,
    has_failed: bool,
}

impl<R: BufRead> Members<R> {
    fn new(source: R) -> Members<R> {
        Members { member: Some(GzDecoder::new(source)), has_failed: false }
    }

    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(mut member) = self.member.take() {
            let n = member.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                self.member = Some(member);
                return Ok(n);
            }
            self.member = next_member(member.into_inner())?;
        }
        Ok(0)
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_failed {
            return Err(damaged("it is damaged before"));
        }
        let read = self.decode(buffer);
        self.has_failed = read.is_err();
        read
    }
}

/// The member that starts here, if one does.
fn next_member<R: BufRead>(mut source: R) -> io::Result<Option<GzDecoder<R>>> {
    if source.fill_buf()?.first().is_some_and(|&byte| byte != 0) {
        return Ok(Some(GzDecoder::new(source)));
    }
    loop {
        let padding = source.fill_buf()?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(damaged("there is more behind the zeros at its end"));
        }
        match padding.len() {
            0 => return Ok(None),
            n => source.consume(n),
        }
    }
}

/// The content of zstd frames, one after the other.
///
/// The decoder keeps a window of at most 128 MiB, which grows with the decoded bytes. If the decoder panics, the
/// read fails with an error.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    /// Whether the decoder is inside a frame.
    is_open: bool,
    has_failed: bool,
}

impl<R: BufRead> Frames<R> {
    fn new(source: R) -> Frames<R> {
        Frames { source, decoder: FrameDecoder::new(), is_open: false, has_failed: false }
    }

    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_open && !self.open()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(plain)?;
            }
            let n = self.decoder.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            self.is_open = false;
            let stored = self.decoder.get_checksum_from_data();
            if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                return Err(damaged("its checksum is another"));
            }
        }
    }

    /// Starts the next frame, if there is one.
    fn open(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => {
                    self.is_open = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped =
                        io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(plain(error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_failed {
            return Err(damaged("it is damaged before"));
        }
        let read = catch(|| self.decode(buffer)).unwrap_or_else(|panic| Err(damaged(&panic)));
        self.has_failed = read.is_err();
        read
    }
}

/// The decoder's error in plain words: its own are the names of its types.
fn plain(error: FrameDecoderError) -> io::Error {
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            let [requested, max] = [requested, max].map(|bytes| bytes >> 20);
            let message = format!(
                "its window is {requested} MiB, and at most {max} are read; pack it with --long=26 or less"
            );
            io::Error::new(io::ErrorKind::Unsupported, message)
        }
        FrameDecoderError::DictNotProvided { .. } => {
            io::Error::new(io::ErrorKind::Unsupported, "it needs a dictionary to be unpacked")
        }
        error if ends_early(&error) => io::ErrorKind::UnexpectedEof.into(),
        _ => damaged("its data make no sense"),
    }
}

/// Whether the decoder reached the end of the file too early.
fn ends_early(error: &FrameDecoderError) -> bool {
    let mut source: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = source {
        let cause = error.downcast_ref::<io::Error>();
        if cause.is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof) {
            return true;
        }
        source = error.source();
    }
    false
}

fn damaged(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn unpacked(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        Packing::told(packed).unwrap().content(packed).read_to_end(&mut content)?;
        Ok(content)
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn several_members_or_frames_are_one_content() {
        let zstd = |content: &[u8]| compress_to_vec(content, CompressionLevel::Fastest);
        for pack in [&gzip as &dyn Fn(&[u8]) -> Vec<u8>, &zstd] {
            let two = [pack(b"1 2 3\n"), pack(&[b'7'; 300_000])].concat();
            assert_eq!(unpacked(&two).unwrap(), [b"1 2 3\n", &[b'7'; 300_000][..]].concat());
            assert_eq!(head_of(&two[..], 8).unwrap(), b"1 2 3\n77");
            for cut in [5, two.len() / 2, two.len() - 1] {
                assert!(unpacked(&two[..cut]).is_err(), "{cut}");
            }
        }
        let skipped = [&b"\x51\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd(b"1 2 3\n")].concat();
        assert_eq!(unpacked(&skipped).unwrap(), b"1 2 3\n");
        assert!(unpacked(&skipped[..10]).is_err());
        assert_eq!(head_of(&b"plain"[..], 3).unwrap(), b"pla");
    }
}
