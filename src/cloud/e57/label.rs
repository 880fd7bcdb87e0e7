//! The labels of points as numbers of E57 records.

use super::super::Chunk;
use super::super::labels::{DISTANCE, LABEL, Labels, PIECE};

/// The fields of labels, earlier ones included, which a copy replaces.
pub(super) const FIELDS: [&str; 3] = [LABEL, DISTANCE, PIECE];

/// A field that labels add to each record.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Field {
    /// An index in 1, 2 or 4 bytes, or -1.
    Index { name: &'static str, bytes: usize },
    /// A single-precision number.
    Distance,
}

impl Field {
    /// An index below `count`, in as few bytes as hold it.
    fn index(name: &'static str, count: usize) -> Field {
        let bytes = match count {
            0..=0xFF => 1,
            0x100..=0xFFFF => 2,
            _ => 4,
        };
        Field::Index { name, bytes }
    }

    fn bytes(self) -> usize {
        match self {
            Field::Index { bytes, .. } => bytes,
            Field::Distance => 4,
        }
    }

    fn xml(self, prefix: &str) -> String {
        match self {
            Field::Index { name, bytes } => {
                // A whole number of bytes: the distance between the bounds fills them.
                let maximum = if bytes == 4 { i32::MAX.into() } else { (1_i64 << (8 * bytes)) - 2 };
                format!("<{prefix}:{name} type=\"Integer\" minimum=\"-1\" maximum=\"{maximum}\"/>")
            }
            Field::Distance => {
                format!("<{prefix}:{DISTANCE} type=\"Float\" precision=\"single\"/>")
            }
        }
    }
}

/// The fields of a copy's labels, in the order of [`Labels::encode`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelFields(Vec<Field>);

impl LabelFields {
    pub(super) fn new(labels: &Labels) -> LabelFields {
        let planes = labels.planes;
        let mut fields = vec![Field::index(LABEL, planes.len()), Field::Distance];
        if labels.of_piece.is_some() {
            let pieces = planes.iter().map(|plane| plane.pieces.len()).sum();
            fields.push(Field::index(PIECE, pieces));
        }
        LabelFields(fields)
    }

    /// Bits that each field takes.
    pub(super) fn bits(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|field| 8 * field.bytes() as u32)
    }

    /// The fields as a prototype describes them.
    pub(super) fn xml(&self, prefix: &str) -> String {
        self.0.iter().map(|field| field.xml(prefix)).collect()
    }

    /// The labels of the points of a chunk, a stream for each field.
    pub(super) fn encode(&self, chunk: &Chunk, labels: &Labels) -> Vec<Vec<u8>> {
        let mut streams: Vec<Vec<u8>> = vec![Vec::new(); self.0.len()];
        let mut values = Vec::new();
        for k in 0..chunk.len() {
            values.clear();
            labels.encode(k, [chunk.x[k], chunk.y[k], chunk.z[k]], &mut values);
            let fields = self.0.iter().zip(values.as_chunks::<4>().0);
            for (stream, (field, &value)) in streams.iter_mut().zip(fields) {
                match *field {
                    Field::Distance => stream.extend(value),
                    // Stored as the difference from the minimum.
                    Field::Index { bytes, .. } => {
                        let above = i32::from_le_bytes(value).wrapping_add(1);
                        stream.extend(&above.to_le_bytes()[..bytes]);
                    }
                }
            }
        }
        streams
    }
}
