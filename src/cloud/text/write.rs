//! Clouds as lines of text.

use super::super::driver::ending;
use super::super::write::{PointWriter, Row, Rows, WriteOptions};
use super::super::{Chunk, Fields, LABEL};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use rayon::prelude::*;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Points that one task turns into text.
const BLOCK: usize = 1 << 14;

/// Width of the first line of a PTS file: the digits of the largest 64-bit count.
const COUNT_WIDTH: usize = 20;

/// The columns of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// `x y z`
    Xyz,
    /// `x y z intensity red green blue`
    Lidar,
    /// The same after a line with the number of points.
    Pts,
    /// What was asked for, named in the first line.
    Csv,
}

pub(super) struct TextWriter {
    file: AtomicFile,
    /// Labels, where the layout has no column for them.
    labels: Option<AtomicFile>,
    layout: Layout,
    fields: Fields,
    points: u64,
}

impl TextWriter {
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Self> {
        let layout = match &*ending(path) {
            "csv" => Layout::Csv,
            "txt" => Layout::Lidar,
            "pts" => Layout::Pts,
            _ => Layout::Xyz,
        };
        let file = AtomicFile::create(path)?;
        let beside = options.fields.label && layout != Layout::Csv;
        let labels = match beside {
            true => Some(AtomicFile::create(path.with_extension("labels"))?),
            false => None,
        };
        let mut writer = TextWriter { file, labels, layout, fields: options.fields, points: 0 };
        let written = writer.head();
        written.map_err(Error::io(path))?;
        Ok(writer)
    }

    fn head(&mut self) -> io::Result<()> {
        match self.layout {
            Layout::Xyz | Layout::Lidar => Ok(()),
            // Padded, since the count is known at the end only.
            Layout::Pts => writeln!(self.file, "{:<COUNT_WIDTH$}", self.points),
            Layout::Csv => {
                write!(self.file, "x,y,z")?;
                if self.fields.intensity {
                    write!(self.file, ",intensity")?;
                }
                if self.fields.colour {
                    write!(self.file, ",red,green,blue")?;
                }
                if self.fields.label {
                    write!(self.file, ",{LABEL}")?;
                }
                writeln!(self.file)
            }
        }
    }

    fn line(&self, out: &mut Vec<u8>, row: &Row) -> io::Result<()> {
        let [x, y, z] = row.position;
        let [red, green, blue] = row.colour;
        let intensity = row.intensity;
        match self.layout {
            Layout::Xyz => write!(out, "{x} {y} {z}")?,
            Layout::Lidar | Layout::Pts => {
                write!(out, "{x} {y} {z} {intensity} {red} {green} {blue}")?;
            }
            Layout::Csv => {
                write!(out, "{x},{y},{z}")?;
                if self.fields.intensity {
                    write!(out, ",{intensity}")?;
                }
                if self.fields.colour {
                    write!(out, ",{red},{green},{blue}")?;
                }
                if self.fields.label {
                    write!(out, ",{}", row.label)?;
                }
            }
        }
        writeln!(out)
    }

    fn lines(&self, rows: Rows) -> io::Result<Vec<Vec<u8>>> {
        let blocks = rows.len().div_ceil(BLOCK);
        (0..blocks)
            .into_par_iter()
            .map(|block| {
                let mut out = Vec::with_capacity(BLOCK * 40);
                for i in block * BLOCK..rows.len().min((block + 1) * BLOCK) {
                    self.line(&mut out, &rows.row(i))?;
                }
                Ok(out)
            })
            .collect()
    }
}

impl PointWriter for TextWriter {
    fn write(&mut self, chunk: &Chunk) -> Result<()> {
        let rows = Rows::new(chunk)?;
        let lines = self.lines(rows).map_err(Error::io(self.file.path()))?;
        for block in lines {
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
        if self.layout == Layout::Pts {
            let mut rewrite = || {
                self.file.seek(SeekFrom::Start(0))?;
                self.head()
            };
            let written = rewrite();
            written.map_err(Error::io(self.file.path()))?;
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
