//! Point records as they stand, compressed or not.

use super::super::records::Table;
use super::laz::Blocks;
use crate::Result;

/// A pass over records.
pub(super) enum Records {
    /// Those that are left.
    Plain {
        table: Table,
        stride: u64,
    },
    Compressed(Box<Blocks>),
}

impl Records {
    /// Appends at least so many records, or all that are left.
    pub(super) fn read(&mut self, least: usize, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Records::Plain { table, stride } => {
                let n = table.count.min(least as u64);
                let end = table.start + n * *stride;
                table.bytes.append(table.start, end, out)?;
                (table.start, table.count) = (end, table.count - n);
            }
            Records::Compressed(blocks) => {
                let mut decoded = Vec::new();
                while out.len() < least * blocks.stride() {
                    blocks.records(&mut decoded)?;
                    if decoded.is_empty() {
                        break;
                    }
                    decoded.drain(..).for_each(|records| out.extend(records));
                }
            }
        }
        Ok(())
    }
}
