//! Points in columns, brought into records.

use super::bytes::Bytes;
use crate::Result;
use crate::atomic::no_temporary;
use std::io::Write;

/// A column of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Where it starts.
    pub(super) start: u64,
    /// Bytes that it holds of each point.
    pub(super) width: usize,
}

/// Bytes of all columns that are gathered at a time, if one point has no more.
const BATCH: usize = 1 << 20;

/// The records of `count` points, each with its bytes of all `columns`, in an unnamed temporary file.
///
/// The columns must lie within `bytes`.
pub(super) fn records(bytes: &Bytes, columns: &[Column], count: u64) -> Result<Bytes> {
    let stride: usize = columns.iter().map(|column| column.width).sum();
    bytes.derived(count.saturating_mul(stride as u64), |file| {
        let batch = (BATCH / stride.max(1)).max(1) as u64;
        let (mut column_bytes, mut records) = (Vec::new(), Vec::new());
        let mut first = 0;
        while first < count {
            let n = batch.min(count - first);
            records.resize(n as usize * stride, 0);
            let mut offset = 0;
            for &Column { start, width } in columns.iter().filter(|column| column.width > 0) {
                let from = start + first * width as u64;
                column_bytes.clear();
                bytes.append(from, from + n * width as u64, &mut column_bytes)?;
                let values = column_bytes.chunks_exact(width);
                for (record, value) in records.chunks_exact_mut(stride).zip(values) {
                    record[offset..offset + width].copy_from_slice(value);
                }
                offset += width;
            }
            file.write_all(&records).map_err(|error| no_temporary(&error))?;
            first += n;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn each_record_has_its_part_of_every_column() {
        let bytes = Bytes::memory(Path::new("m"), b"-abcdefABC123123".to_vec());
        let columns = [(1, 2), (7, 1), (10, 2)].map(|(start, width)| Column { start, width });
        let records = records(&bytes, &columns, 3).unwrap();
        assert_eq!(records.head(0, 99).unwrap(), b"abA12cdB31efC23");
    }
}
