//! Planes as polygons.

use super::*;
use planes::export::ply;

#[test]
fn polygons_become_triangles_of_the_same_area_that_look_along_the_normal() {
    use ply_rs::ply::Property;
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for encoding in [ply::Encoding::Ascii, ply::Encoding::Binary] {
        let path = folder.path().join("planes.ply");
        ply::save_polygons(&detection(), encoding, &path).unwrap();
        files.push(read_ply(&path).payload);
    }
    assert_eq!(files[0], files[1]);
    let vertices: Vec<[f64; 3]> = (files[0]["vertex"].iter())
        .map(|v| {
            ["x", "y", "z"].map(|name| match v[name] {
                Property::Double(x) => x,
                ref other => panic!("{other:?}"),
            })
        })
        .collect();
    assert_eq!(vertices.len(), 16);
    let mut areas = [[0.0; 3]; 3];
    for face in &files[0]["face"] {
        let (Property::ListInt(corners), Property::Int(id), Property::Int(piece)) =
            (&face["vertex_indices"], &face["plane_id"], &face["piece_id"])
        else {
            panic!("{face:?}");
        };
        assert_eq!(*id, [0, 1, 1][*piece as usize]);
        assert_eq!(corners.len(), 3);
        let [a, b, c] = [0, 1, 2].map(|k| vertices[corners[k] as usize]);
        let [u, v] = [b, c].map(|p| [0, 1, 2].map(|k| p[k] - a[k]));
        for (k, area) in areas[*piece as usize].iter_mut().enumerate() {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            *area += (u[i] * v[j] - u[j] * v[i]) / 2.0;
        }
    }
    assert_eq!(areas, [[0.0, 0.0, 15.0], [0.0, -4.0, 0.0], [0.0, -4.0, 0.0]]);
}
