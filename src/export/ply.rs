//! The planes as polygons in a PLY file.
//!
//! Areas are cut into triangles, because viewers show faces with holes or many corners
//! wrongly or not at all. Each face has the `plane_id` of its plane and the `piece_id` of its
//! piece; vertices have the plane's colour.
//!
//! Vertices are `double`, in input coordinates. Some viewers keep only `float`, which rounds
//! survey coordinates to about half a unit; the file itself does not.

use super::output::{About, Export, Planes};
use super::palette::colour;
use crate::detection::Detection;
use crate::outline::PlaneFrame;
use crate::plane::{Piece, Plane, Polygon};
use crate::{Result, atomic};
use std::io::Write;
use std::path::Path;

/// How the numbers of a PLY file are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// As text, each `f64` with enough digits to restore it exactly.
    Ascii,
    /// As little-endian bytes.
    #[default]
    Binary,
}

impl Encoding {
    fn name(self) -> &'static str {
        match self {
            Encoding::Ascii => "ascii",
            Encoding::Binary => "binary_little_endian",
        }
    }
}

/// Triangles over the areas of planes.
#[derive(Debug, Default, PartialEq)]
struct Mesh {
    vertices: Vec<([f64; 3], i32)>,
    /// Corners, plane and piece.
    triangles: Vec<([u32; 3], i32, u32)>,
}

/// Writes the areas of the planes as triangles.
///
/// # Errors
/// Errors of `out`.
pub fn write_polygons(
    detection: &Detection,
    encoding: Encoding,
    out: impl Write,
) -> std::io::Result<()> {
    let mut mesh = Mesh::default();
    for (id, plane) in detection.planes.iter().enumerate() {
        for piece in &plane.pieces {
            mesh.add(plane, piece, id as i32)?;
        }
    }
    mesh.write(encoding, out)
}

/// Writes the areas of the planes as triangles to the file at `path`.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) on `path`.
pub fn save_polygons(detection: &Detection, encoding: Encoding, path: &Path) -> Result<()> {
    atomic::save(path, |file| write_polygons(detection, encoding, file))
}

/// The areas as a file.
pub(super) struct Outlines;

impl Export<Planes<'_>> for Outlines {
    fn about(&self) -> About {
        About::new("ply", "the planes' outlines as PLY polygons", &[".planes.ply"])
    }

    fn save(&self, planes: &Planes, path: &Path) -> Result<()> {
        save_polygons(planes.detection, Encoding::Binary, path)
    }
}

impl Mesh {
    fn add(&mut self, plane: &Plane, piece: &Piece, id: i32) -> std::io::Result<()> {
        let frame = PlaneFrame::new(plane.normal, plane.centroid);
        let first = self.vertices.len();
        let mut flat = Vec::new();
        let mut hole_starts = Vec::new();
        let Polygon { exterior, holes } = &piece.boundary;
        let rings = std::iter::once(exterior).chain(holes);
        for (k, ring) in rings.enumerate() {
            if ring.len() < 3 {
                return Err(std::io::Error::new(
                    std::io::ErrorKind::InvalidData,
                    format!("a ring of plane {id} has fewer than three vertices"),
                ));
            }
            if k > 0 {
                hole_starts.push(flat.len() / 2);
            }
            flat.extend(ring.iter().flat_map(|&p| frame.project(p)));
            self.vertices.extend(ring.iter().map(|&p| (p, id)));
        }
        if u32::try_from(self.vertices.len()).is_err() {
            return Err(std::io::Error::other("more vertices than a PLY file can number"));
        }
        // An outline that cannot be cut into triangles has no area to show.
        let corners = earcutr::earcut(&flat, &hole_starts, 2).unwrap_or_default();
        for t in corners.chunks_exact(3) {
            let [a, b, c] = [t[0], t[1], t[2]];
            let at = |k: usize, axis: usize| flat[2 * k + axis] - flat[2 * a + axis];
            let area = at(b, 0) * at(c, 1) - at(b, 1) * at(c, 0);
            // Triangles are oriented along the normal.
            let turned = if area < 0.0 { [a, c, b] } else { [a, b, c] };
            self.triangles.push((turned.map(|k| (first + k) as u32), id, piece.id));
        }
        Ok(())
    }

    fn write(&self, encoding: Encoding, mut out: impl Write) -> std::io::Result<()> {
        write!(
            out,
            "ply\nformat {} 1.0\ncomment areas of planes as triangles\n\
             element vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
             property uchar red\nproperty uchar green\nproperty uchar blue\n\
             element face {}\nproperty list uchar int vertex_indices\nproperty int plane_id\nproperty int piece_id\n\
             end_header\n",
            encoding.name(),
            self.vertices.len(),
            self.triangles.len(),
        )?;
        for &([x, y, z], id) in &self.vertices {
            let [r, g, b] = colour(id);
            match encoding {
                Encoding::Ascii => writeln!(out, "{x} {y} {z} {r} {g} {b}")?,
                Encoding::Binary => {
                    for c in [x, y, z] {
                        out.write_all(&c.to_le_bytes())?;
                    }
                    out.write_all(&[r, g, b])?;
                }
            }
        }
        for &([a, b, c], id, piece) in &self.triangles {
            match encoding {
                Encoding::Ascii => writeln!(out, "3 {a} {b} {c} {id} {piece}")?,
                Encoding::Binary => {
                    out.write_all(&[3])?;
                    for k in [a, b, c] {
                        out.write_all(&k.to_le_bytes())?;
                    }
                    out.write_all(&id.to_le_bytes())?;
                    out.write_all(&piece.to_le_bytes())?;
                }
            }
        }
        Ok(())
    }
}
