//! An E57 file copied with the labels of its points.

use super::super::{Fields, labels::Labels};
use super::description::{self, fault};
use super::document::{Layout, Section};
use super::label::LabelFields;
use super::pages::{HELD, PAGE, Pages};
use super::scan::{Scales, Scan};
use super::write::{Packets, PageWriter, SECTION_HEAD, bytes_of};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use rayon::prelude::*;
use std::path::Path;

/// Length of the file's header.
const HEAD: u64 = 48;
/// Length of the header of a blob.
const BLOB_HEAD: u64 = 16;
/// Points that a thread labels at a time, about.
const PIECE: u64 = 1 << 16;
/// Bytes of a blob that are copied at a time.
const RUN: u64 = 1 << 20;

/// Copies a file to `path` with the labels of its points behind the numbers of each record.
///
/// The XML is the old one, character by character, except for the description of the labels and the offsets of the
/// binary sections. The numbers of all records stay, bit by bit; they are cut into new packets, without an index.
/// Earlier labels are replaced.
pub(super) fn copy(
    pages: &Pages,
    scans: &[Scan],
    mut labels: Labels<'_>,
    path: &Path,
) -> Result<()> {
    labels.check_count(scans.iter().map(|scan| scan.points).sum())?;
    let bytes = pages.bytes();
    let fields = LabelFields::new(&labels);
    let wrong = |message: &str| fault(bytes, &format!("its XML cannot be copied: {message}"));
    let xml = description::xml(bytes)?;
    let xml = str::from_utf8(&xml).map_err(|error| wrong(&error.to_string()))?;
    let layout = Layout::new(xml, &fields).map_err(|message| wrong(&message))?;
    let plan = Plan::new(pages, scans, layout.sections, &fields)?;
    let xml = layout.changes.apply(xml, &plan.offsets());

    let failed = Error::io(path);
    let mut writer = PageWriter::new(AtomicFile::create(path)?);
    let mut write = |bytes: &[u8]| writer.write(bytes).map_err(Error::io(path));
    write(&plan.head(pages, xml.len() as u64)?)?;
    for part in &plan.parts {
        match &part.content {
            Content::Blob { from, length } => copy_blob(pages, *from, *length, &mut write)?,
            Content::Scan(scan) => {
                write(&scan.packets.section_head(Pages::physical(part.at + SECTION_HEAD)))?;
                copy_scan(pages, scan, &fields, &mut labels, &mut write)?;
            }
        }
    }
    write(xml.as_bytes())?;
    writer.finish().map_err(failed)?.commit()
}

/// A binary section of the copy.
struct Part<'a> {
    /// Its first logical byte.
    at: u64,
    content: Content<'a>,
}

enum Content<'a> {
    /// Logical bytes of the old file.
    Blob {
        from: u64,
        length: u64,
    },
    Scan(Copied<'a>),
}

/// A scan that gets labels.
struct Copied<'a> {
    scan: &'a Scan,
    /// The numbers of a record that stay.
    kept: Vec<usize>,
    packets: Packets,
}

/// What lies where in the copy.
struct Plan<'a> {
    parts: Vec<Part<'a>>,
    /// The first logical byte of the XML.
    xml: u64,
}

impl<'a> Plan<'a> {
    fn new(
        pages: &Pages,
        scans: &'a [Scan],
        sections: Vec<Section>,
        fields: &LabelFields,
    ) -> Result<Plan<'a>> {
        let mut scans = scans.iter();
        // Sections that overlap would grow in the copy.
        let mut left = pages.len();
        let mut plan = Plan { parts: Vec::new(), xml: HEAD };
        for section in sections {
            let wrong = |what: &str| fault(pages.bytes(), what);
            let (content, length) = match section {
                Section::Blob { at, length } => {
                    let from = pages.logical(at).ok_or_else(|| wrong("a blob lies nowhere"))?;
                    let rest = length.checked_add(BLOB_HEAD).and_then(|len| left.checked_sub(len));
                    left = rest.ok_or_else(|| wrong("its blobs are longer than the file"))?;
                    let length = length + BLOB_HEAD;
                    (Content::Blob { from, length }, length)
                }
                Section::Scan { kept } => {
                    let scan = scans.next().ok_or_else(|| wrong("its scans cannot be told"))?;
                    let old = scan.bits();
                    let bits = kept.iter().map(|&k| old[k]).chain(fields.bits()).collect();
                    let packets = Packets::new(bits, scan.points)
                        .ok_or_else(|| wrong("its records are too long for labels"))?;
                    let length = packets.section_len();
                    (Content::Scan(Copied { scan, kept, packets }), length)
                }
            };
            plan.parts.push(Part { at: plan.xml, content });
            plan.xml += length.next_multiple_of(4);
        }
        Ok(plan)
    }

    /// Where the sections start in the file.
    fn offsets(&self) -> Vec<u64> {
        self.parts.iter().map(|part| Pages::physical(part.at)).collect()
    }

    /// The header of a file whose XML has this length.
    fn head(&self, pages: &Pages, xml_len: u64) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        // The signature and the version.
        pages.append(0, 16, &mut head)?;
        let len = (self.xml + xml_len).div_ceil(HELD) * PAGE;
        for word in [len, Pages::physical(self.xml), xml_len, PAGE] {
            head.extend(word.to_le_bytes());
        }
        Ok(head)
    }
}

/// Copies logical bytes, padded to a multiple of four.
fn copy_blob(
    pages: &Pages,
    from: u64,
    length: u64,
    write: &mut impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut bytes = Vec::new();
    let mut done = 0;
    while done < length {
        bytes.clear();
        let now = RUN.min(length - done);
        pages.append(from + done, now, &mut bytes)?;
        write(&bytes)?;
        done += now;
    }
    write(&[0; 4][..(length.next_multiple_of(4) - length) as usize])
}

/// Copies the records of a scan, in pieces that are made side by side.
fn copy_scan(
    pages: &Pages,
    copied: &Copied,
    fields: &LabelFields,
    labels: &mut Labels<'_>,
    write: &mut impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let points = copied.scan.points;
    // Whole packets, so that only the last piece ends within a byte.
    let piece = (PIECE / copied.packets.each).max(1) * copied.packets.each;
    let mut from = 0;
    loop {
        let mut pieces = Vec::new();
        for _ in 0..rayon::current_num_threads() {
            let to = points.min(from + piece);
            pieces.push(((from, to), labels.take((to - from) as usize)?));
            from = to;
            if from == points {
                break;
            }
        }
        let made = pieces
            .into_par_iter()
            .map(|(range, labels)| copied.packets_of(pages, range, fields, &labels))
            .collect::<Result<Vec<_>>>()?;
        made.iter().try_for_each(|bytes| write(bytes))?;
        if from == points {
            return Ok(());
        }
    }
}

impl Copied<'_> {
    /// The packets of the records `from..to`, with labels.
    fn packets_of(
        &self,
        pages: &Pages,
        (from, to): (u64, u64),
        fields: &LabelFields,
        labels: &Labels,
    ) -> Result<Vec<u8>> {
        let old = self.scan.bits();
        let mut streams = Vec::new();
        for &k in &self.kept {
            let mut bytes = Vec::new();
            let [first, end] = [from, to].map(|record| bytes_of(old[k], record));
            self.scan.streams[k].append(pages, first, end, &mut bytes)?;
            streams.push(bytes);
        }
        let chunk = self.scan.read(pages, (from, to), Fields::NONE, Scales::default())?;
        streams.extend(fields.encode(&chunk, labels));
        let mut out = Vec::new();
        self.packets.append(to - from, &streams, &mut out);
        Ok(out)
    }
}
