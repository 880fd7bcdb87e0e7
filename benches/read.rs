//! How fast clouds are read: `cargo bench --bench read`.
//!
//! Writes clouds of ten million points (or the number in the first argument) to a temporary folder,
//! reads each on one thread and on all threads, at least five times and for two seconds, and prints the best
//! pass of each as a table.

use planes::{
    Error, Result,
    cloud::{Chunk, Fields, Source},
};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Points asked for at a time.
const LIMIT: usize = 1 << 20;

type Writer = fn(&Path, u32) -> std::io::Result<()>;

fn main() -> Result<()> {
    let count = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let count = count.unwrap_or(10_000_000);
    let folder = tempfile::tempdir().map_err(Error::io("temporary folder"))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "| cloud | MB | fields | one thread: M points/s | GB/s | {cores} threads: M points/s | GB/s |"
    );
    println!("| --- | ---: | --- | ---: | ---: | ---: | ---: |");
    let clouds: [(&str, Writer); 11] = [
        ("LAS, point format 3", las),
        ("LAZ, point format 3", las),
        ("LAZ, point format 7", laz_7),
        ("PLY, float x y z, colour, label", ply),
        ("PCD, binary, float x y z, rgb, label", pcd),
        ("PCD, ascii, x y z", pcd_text),
        ("NumPy, float (n, 3)", npy),
        ("text, x y z intensity r g b", text),
        ("text, x y z", xyz),
        ("E57, 1 scan, float x y z, intensity, colour", |path, count| e57(path, count, 1)),
        ("E57, 8 scans with poses, steps of 0.1 mm", |path, count| e57(path, count, 8)),
    ];
    let only = std::env::args().nth(2).unwrap_or_default();
    for (name, write) in clouds.into_iter().filter(|(name, _)| name.contains(&only)) {
        let path = folder.path().join(if name.starts_with("LAZ") { "c.laz" } else { "c" });
        write(&path, count).map_err(Error::io(&path))?;
        for (label, fields) in [("x y z", Fields::NONE), ("all", Fields::ALL)] {
            row(name, &path, label, fields, count, cores)?;
        }
    }
    Ok(())
}

fn row(
    name: &str,
    path: &PathBuf,
    label: &str,
    fields: Fields,
    count: u32,
    cores: usize,
) -> Result<()> {
    let source = Source::open(path)?;
    let size = source.size() as f64;
    print!("| {name} | {:.0} | {label}", size / 1e6);
    for threads in [1, cores] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::Parameter(error.to_string()))?;
        let (mut best, mut sum, mut passes) = (Duration::MAX, Duration::ZERO, 0);
        while passes < 5 || sum < Duration::from_secs(2) {
            let time = pool.install(|| pass(&source, fields, count))?;
            (best, sum, passes) = (best.min(time), sum + time, passes + 1);
        }
        let best = best.as_secs_f64();
        print!(" | {:.1} | {:.2}", f64::from(count) / best / 1e6, size / best / 1e9);
    }
    println!(" |");
    Ok(())
}

fn pass(source: &Source, fields: Fields, count: u32) -> Result<Duration> {
    let start = Instant::now();
    let mut reader = source.reader(fields)?;
    let (mut chunk, mut read) = (Chunk::default(), 0);
    loop {
        reader.read(&mut chunk, LIMIT)?;
        if chunk.is_empty() {
            assert_eq!(read, count as usize, "all points are read");
            return Ok(start.elapsed());
        }
        read += std::hint::black_box(&chunk).len();
    }
}

/// A point of a rough surface, in scan order.
fn point(i: u32) -> [f64; 3] {
    let (column, line) = (i % 3000, i / 3000);
    // A hash: whatever repeats would be compressed away.
    let hash = (i ^ (i >> 15)).wrapping_mul(0x85eb_ca6b);
    let hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    let noise = f64::from(hash >> 16) / 65536.0;
    [
        636_000.0 + f64::from(column) * 0.37 + noise * 0.1,
        850_800.0 + f64::from(line) * 0.41,
        400.0 + f64::from(column % 700) * 0.05 + noise,
    ]
}

fn header(format: u8) -> std::io::Result<las::Header> {
    let mut builder = las::Builder::from((1, 4));
    builder.point_format = las::point::Format::new(format).map_err(std::io::Error::other)?;
    let transform = |offset| las::Transform { scale: 0.01, offset };
    builder.transforms =
        las::Vector { x: transform(636_000.0), y: transform(850_000.0), z: transform(0.0) };
    builder.into_header().map_err(std::io::Error::other)
}

fn write_las(path: &Path, count: u32, format: u8) -> std::io::Result<()> {
    let mut writer =
        las::Writer::from_path(path, header(format)?).map_err(std::io::Error::other)?;
    for i in 0..count {
        let [x, y, z] = point(i);
        let point = las::Point {
            x,
            y,
            z,
            intensity: (i >> 3) as u16 & 0xff,
            return_number: 1,
            number_of_returns: 1,
            gps_time: Some(f64::from(i) * 1e-5),
            color: Some(las::Color::new((i % 256) as u16 * 256, 30_000, 20_000)),
            ..Default::default()
        };
        writer.write_point(point).map_err(std::io::Error::other)?;
    }
    writer.close().map_err(std::io::Error::other)
}

fn las(path: &Path, count: u32) -> std::io::Result<()> {
    write_las(path, count, 3)
}

fn laz_7(path: &Path, count: u32) -> std::io::Result<()> {
    write_las(path, count, 7)
}

fn ply(path: &Path, count: u32) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    write!(
        file,
        "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty float x\n\
         property float y\nproperty float z\nproperty uchar red\nproperty uchar green\n\
         property uchar blue\nproperty int plane_id\nend_header\n"
    )?;
    for i in 0..count {
        for value in point(i) {
            file.write_all(&(value as f32).to_le_bytes())?;
        }
        file.write_all(&[i as u8, 100, 200])?;
        file.write_all(&((i / 1000) as i32).to_le_bytes())?;
    }
    file.flush()
}

fn pcd(path: &Path, count: u32) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    write!(
        file,
        "VERSION .7\nFIELDS x y z rgb label\nSIZE 4 4 4 4 4\nTYPE F F F F U\nCOUNT 1 1 1 1 1\n\
         WIDTH {count}\nHEIGHT 1\nPOINTS {count}\nDATA binary\n"
    )?;
    for i in 0..count {
        for value in point(i) {
            file.write_all(&(value as f32).to_le_bytes())?;
        }
        file.write_all(&[i as u8, 100, 200, 0])?;
        file.write_all(&(i / 1000).to_le_bytes())?;
    }
    file.flush()
}

fn pcd_text(path: &Path, count: u32) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "VERSION .7\nFIELDS x y z\nWIDTH {count}\nHEIGHT 1\nDATA ascii")?;
    for i in 0..count {
        let [x, y, z] = point(i);
        writeln!(file, "{x:.3} {y:.3} {z:.3}")?;
    }
    file.flush()
}

fn npy(path: &Path, count: u32) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, 3), }}\n");
    file.write_all(b"\x93NUMPY\x01\0")?;
    file.write_all(&(header.len() as u16).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    for i in 0..count {
        for value in point(i) {
            file.write_all(&(value as f32).to_le_bytes())?;
        }
    }
    file.flush()
}

fn text(path: &Path, count: u32) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for i in 0..count {
        let [x, y, z] = point(i);
        writeln!(file, "{x:.3} {y:.3} {z:.3} {} {} 120 14", i % 2000, i % 256)?;
    }
    file.flush()
}

fn xyz(path: &Path, count: u32) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for i in 0..count {
        let [x, y, z] = point(i);
        writeln!(file, "{x:.3} {y:.3} {z:.3}")?;
    }
    file.flush()
}

/// One scan of 32-bit numbers, or several of whole steps, each with a pose; with intensity and colour.
fn e57(path: &Path, count: u32, scans: u32) -> std::io::Result<()> {
    use e57::{
        E57Writer, Quaternion, Record, RecordDataType, RecordName, RecordValue, Transform,
        Translation,
    };
    let other = std::io::Error::other;
    let mut writer = E57Writer::from_file(path, "a cloud").map_err(other)?;
    let limits = [0, 40_000_000];
    let kind = match scans {
        1 => RecordDataType::F32,
        _ => RecordDataType::ScaledInteger {
            min: limits[0],
            max: limits[1],
            scale: 1e-4,
            offset: 0.0,
        },
    };
    let axes = [RecordName::CartesianX, RecordName::CartesianY, RecordName::CartesianZ];
    let axes = axes.map(|name| Record { name, data_type: kind.clone() });
    let colours = [Record::COLOR_RED_U8, Record::COLOR_GREEN_U8, Record::COLOR_BLUE_U8];
    let prototype = [&axes[..], &[Record::INTENSITY_U16], &colours].concat();
    for scan in 0..scans {
        let mut points = writer.add_pointcloud("a scan", prototype.clone()).map_err(other)?;
        if scans > 1 {
            let rotation = Quaternion { w: 0.8, x: 0.0, y: 0.0, z: 0.6 };
            let translation = Translation { x: f64::from(scan), y: 0.0, z: 1.5 };
            points.set_transform(Some(Transform { rotation, translation }));
        }
        for i in (0..count).filter(|i| i % scans == scan) {
            let [x, y, z] = point(i);
            let xyz = [x - 636_000.0, y - 850_800.0, z - 400.0].map(|v| match scans {
                1 => RecordValue::Single(v as f32),
                _ => RecordValue::ScaledInteger(((v * 1e4) as i64).clamp(limits[0], limits[1])),
            });
            let rest = [i % 2000, i % 256, 120, 14].map(|v| RecordValue::Integer(v.into()));
            points.add_point([xyz.to_vec(), rest.to_vec()].concat()).map_err(other)?;
        }
        points.finalize().map_err(other)?;
    }
    writer.finalize().map_err(other)
}
