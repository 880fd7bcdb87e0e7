//! Clouds as lines of text.

use super::super::driver::ending;
use super::super::write::{Part, PointWriter, Rows, WriteOptions, append_line, chosen};
use super::super::{Chunk, Fields};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use rayon::prelude::*;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Points that one task turns into text.
const BLOCK: usize = 1 << 14;

/// Width of the first line of a PTS file: the digits of the largest 64-bit count.
const COUNT_WIDTH: usize = 20;

pub(super) struct TextWriter {
    file: AtomicFile,
    /// Labels, where there is no column for them.
    labels: Option<AtomicFile>,
    parts: Vec<Part>,
    separator: char,
    /// Whether the first line is the number of points.
    is_counted: bool,
    points: u64,
}

impl TextWriter {
    /// `.xyz` has lines of `x y z`, `.txt` of `x y z intensity red green blue`, `.pts` the same after a line with
    /// the number of points, `.csv` what is asked for, named in the first line.
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Self> {
        let ending = ending(path);
        let (is_csv, is_full) = (ending == "csv", ending == "txt" || ending == "pts");
        let Fields { intensity, colour, label, .. } = options.fields;
        let (parts, columns) = chosen(&[
            (Part::Double, true),
            (Part::Intensity, is_full || (is_csv && intensity)),
            (Part::Colour, is_full || (is_csv && colour)),
            (Part::Label, is_csv && label),
        ]);
        let file = AtomicFile::create(path)?;
        let labels = (label && !is_csv).then(|| AtomicFile::create(path.with_extension("labels")));
        let mut writer = TextWriter {
            file,
            labels: labels.transpose()?,
            parts,
            separator: if is_csv { ',' } else { ' ' },
            is_counted: ending == "pts",
            points: 0,
        };
        if writer.is_counted {
            writer.count().map_err(Error::io(path))?;
        } else if is_csv {
            let names: Vec<&str> =
                columns.iter().filter_map(|c| Some(c.split_once(' ')?.1)).collect();
            writeln!(writer.file, "{}", names.join(",")).map_err(Error::io(path))?;
        }
        Ok(writer)
    }

    /// Writes the number of points; padded, since it is known at the end only.
    fn count(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        writeln!(self.file, "{:<COUNT_WIDTH$}", self.points)
    }

    fn lines(&self, rows: Rows) -> Vec<Vec<u8>> {
        let blocks = (0..rows.len().div_ceil(BLOCK)).into_par_iter();
        let lines = blocks.map(|block| {
            let mut out = Vec::with_capacity(BLOCK * 40);
            for i in block * BLOCK..rows.len().min((block + 1) * BLOCK) {
                append_line(&self.parts, &rows.row(i), self.separator, &mut out);
            }
            out
        });
        lines.collect()
    }
}

impl PointWriter for TextWriter {
    fn write(&mut self, chunk: &Chunk) -> Result<()> {
        let rows = Rows::new(chunk)?;
        for block in self.lines(rows) {
            let written = self.file.write_all(&block);
            written.map_err(Error::io(self.file.path()))?;
        }
        if let Some(labels) = &mut self.labels {
            for i in 0..rows.len() {
                let written = writeln!(labels, "{}", rows.row(i).label);
                written.map_err(Error::io(labels.path()))?;
            }
        }
        self.points += rows.len() as u64;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if self.is_counted {
            self.count().map_err(Error::io(self.file.path()))?;
        }
        // The cloud last: where it stands, its labels stand too.
        if let Some(labels) = self.labels {
            labels.commit()?;
        }
        self.file.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::create;

    const ALL: Fields = Fields { class: false, ..Fields::ALL };

    fn written(name: &str, fields: Fields) -> (String, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let options = WriteOptions { fields, ..WriteOptions::default() };
        let mut writer = create(&path, &options).unwrap();
        let chunk = Chunk {
            x: vec![1.25, 0.0],
            y: vec![-2.0, 0.001],
            z: vec![1e-7, 3.0],
            colour: vec![[1, 2, 3], [255, 0, 9]],
            intensity: vec![7, 8],
            label: vec![-1, 4],
            ..Chunk::default()
        };
        writer.write(&chunk).unwrap();
        writer.finish().unwrap();
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        (read(&path).unwrap(), read(&path.with_extension("labels")))
    }

    #[test]
    fn each_layout() {
        let lidar = "1.25 -2 0.0000001 7 1 2 3\n0 0.001 3 8 255 0 9\n";
        let labels = Some("-1\n4\n".to_string());
        assert_eq!(
            written("a.xyz", ALL),
            ("1.25 -2 0.0000001\n0 0.001 3\n".into(), labels.clone())
        );
        assert_eq!(written("a.txt", ALL), (lidar.into(), labels.clone()));
        let counted = format!("{:<20}\n{lidar}", 2);
        assert_eq!(written("a.pts", ALL), (counted, labels));
        assert_eq!(written("a.txt", Fields::default()), (lidar.into(), None));
    }

    #[test]
    fn csv_names_the_columns_asked_for() {
        assert_eq!(
            written("a.csv", ALL).0,
            "x,y,z,intensity,red,green,blue,plane_id\n\
             1.25,-2,0.0000001,7,1,2,3,-1\n0,0.001,3,8,255,0,9,4\n"
        );
        let label = Fields { label: true, ..Fields::default() };
        assert_eq!(
            written("a.csv", label).0,
            "x,y,z,plane_id\n1.25,-2,0.0000001,-1\n0,0.001,3,4\n"
        );
        assert_eq!(written("a.csv", label).1, None);
    }
}
