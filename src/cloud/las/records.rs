//! Point records as they stand, compressed or not.

use super::super::records::Table;
use super::laz::Blocks;
use crate::Result;
use rayon::prelude::*;

/// A pass over records.
pub(super) enum Records {
    /// Those that are left.
    Plain {
        table: Table,
        stride: u64,
    },
    Compressed(Box<Blocks>),
}

/// Records that one thread reads at a time.
const PIECE: usize = 1 << 12;

impl Records {
    /// Reads at least so many records, or all that are left, in place of what `out` held.
    pub(super) fn read(&mut self, least: usize, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Records::Plain { table, stride } => {
                let n = table.count.min(least as u64);
                out.resize((n * *stride) as usize, 0);
                let length = PIECE * *stride as usize;
                let read = |(k, piece): (usize, &mut [u8])| {
                    table.bytes.read_exact(table.start + (k * length) as u64, piece)
                };
                // Of several errors the first, whatever the threads.
                let read: Vec<_> = out.par_chunks_mut(length).enumerate().map(read).collect();
                read.into_iter().collect::<Result<()>>()?;
                (table.start, table.count) = (table.start + n * *stride, table.count - n);
            }
            Records::Compressed(blocks) => {
                let mut decoded = Vec::new();
                out.clear();
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
