//! The XML of an E57 file, and how that of a copy differs.

use super::label::{FIELDS, LabelFields};
use roxmltree::{Document, Node};
use std::{collections::HashMap, ops::Range};

/// The namespace of the labels.
const NAMESPACE: &str = "urn:planes:labels";

/// The attribute that says where a section starts in the file.
const OFFSET: &str = "fileOffset";

/// An error says in words why the XML cannot be copied.
type Result<T> = std::result::Result<T, String>;

/// A place of the XML that changes.
type Edit = (Range<usize>, String);

/// A binary section of the file.
#[derive(Debug, PartialEq)]
pub(super) enum Section {
    /// The points of the next scan, without the numbers that earlier labels took.
    Scan { kept: Vec<usize> },
    /// Any other bytes: where they start in the file, and how many.
    Blob { at: u64, length: u64 },
}

/// What a copy holds.
pub(super) struct Layout {
    /// The sections in the order of the copy.
    pub(super) sections: Vec<Section>,
    pub(super) changes: Changes,
}

/// The changes of the XML.
#[derive(Default)]
pub(super) struct Changes {
    /// Where the offset of a section stands, and the section's index.
    offsets: Vec<(Range<usize>, usize)>,
    edits: Vec<Edit>,
}

impl Layout {
    /// Finds the sections, and adds `fields` to each scan.
    pub(super) fn new(xml: &str, fields: &LabelFields) -> Result<Layout> {
        let document = Document::parse(xml).map_err(|error| error.to_string())?;
        let mut sections = Vec::new();
        let mut changes = Changes::default();
        let prefix = changes.declare(xml, &document.root_element());
        let fields = fields.xml(&prefix);
        let mut scans = scans(&document).peekable();
        let mut blobs = HashMap::new();
        for node in document.descendants().filter(Node::is_element) {
            let index = match node.attribute("type") {
                Some("CompressedVector") => {
                    scans.next_if_eq(&node).ok_or_else(|| {
                        format!("the records of {} are no scan", node.tag_name().name())
                    })?;
                    let kept = changes.add_fields(xml, &node, &fields)?;
                    sections.push(Section::Scan { kept });
                    sections.len() - 1
                }
                Some("Blob") => {
                    let [(_, at), (_, length)] = [number(&node, OFFSET)?, number(&node, "length")?];
                    // Two elements may share a blob.
                    *blobs.entry((at, length)).or_insert_with(|| {
                        sections.push(Section::Blob { at, length });
                        sections.len() - 1
                    })
                }
                _ => continue,
            };
            changes.offsets.push((number(&node, OFFSET)?.0, index));
        }
        Ok(Layout { sections, changes })
    }
}

impl Changes {
    /// The prefix of the labels' namespace, which is declared if it was not.
    fn declare(&mut self, xml: &str, root: &Node) -> String {
        if let Some(prefix) = root.lookup_prefix(NAMESPACE) {
            return prefix.to_owned();
        }
        let mut prefix = "planes".to_owned();
        while xml.contains(&format!("xmlns:{prefix}")) {
            prefix.push('_');
        }
        let start = root.range().start;
        let name = xml[start..].find([' ', '\t', '\r', '\n', '/', '>']).unwrap_or_default();
        let at = start + name;
        self.edits.push((at..at, format!(" xmlns:{prefix}=\"{NAMESPACE}\"")));
        prefix
    }

    /// Replaces earlier labels in the prototype of a scan by `fields`. Returns which of its numbers stay.
    fn add_fields(&mut self, xml: &str, points: &Node, fields: &str) -> Result<Vec<usize>> {
        let prototype = prototype(points).ok_or("a scan has no prototype")?;
        let mut kept = Vec::new();
        for (k, field) in prototype.children().filter(Node::is_element).enumerate() {
            if FIELDS.contains(&field.tag_name().name()) {
                self.edits.push((field.range(), String::new()));
            } else {
                kept.push(k);
            }
        }
        let range = prototype.range();
        let end = xml[range.clone()].rfind("</").ok_or("a prototype is empty")?;
        let at = range.start + end;
        self.edits.push((at..at, fields.to_owned()));
        Ok(kept)
    }

    /// The XML of a copy whose sections start at these bytes of the file.
    pub(super) fn apply(self, old: &str, offsets: &[u64]) -> String {
        let places = self.offsets.into_iter();
        let places = places.map(|(place, index)| (place, offsets[index].to_string()));
        let mut edits: Vec<Edit> = places.chain(self.edits).collect();
        edits.sort_by_key(|(range, _)| range.start);
        let mut new = String::new();
        let mut at = 0;
        for (range, text) in edits {
            new.push_str(&old[at..range.start]);
            new.push_str(&text);
            at = range.end;
        }
        new + &old[at..]
    }
}

/// The elements with the points of scans, found as the crate `e57` finds them.
fn scans<'a, 'input>(document: &'a Document<'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    let data = document.descendants().find(|node| node.has_tag_name("data3D"));
    let scans = data.into_iter().flat_map(|data| data.children());
    let scans = scans.filter(|scan| {
        scan.has_tag_name("vectorChild") && scan.attribute("type") == Some("Structure")
    });
    scans.filter_map(|scan| {
        scan.children().find(|node| {
            node.has_tag_name("points") && node.attribute("type") == Some("CompressedVector")
        })
    })
}

fn prototype<'a, 'input>(points: &Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    points
        .children()
        .find(|node| node.has_tag_name("prototype") && node.attribute("type") == Some("Structure"))
}

/// The value of an attribute, and where it stands.
fn number(node: &Node, name: &str) -> Result<(Range<usize>, u64)> {
    let attribute = node.attribute_node(name);
    let value = attribute.and_then(|a| Some((a.range_value(), a.value().parse().ok()?)));
    value.ok_or_else(|| format!("{} of {} is no number", name, node.tag_name().name()))
}
