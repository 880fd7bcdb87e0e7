//! Clouds written anew with labels.

use super::copies::{copy, rich_las};
use super::*;
use las::{Color, Reader};
use planes::export::labels::{self, LabelBy};

#[test]
fn a_cloud_becomes_las_and_laz_with_all_its_values() {
    let folder = tempfile::tempdir().unwrap();
    for (name, colours) in [("a.las", true), ("a.laz", true), ("b.LAZ", false)] {
        let path = folder.path().join(name);
        labels::save(&cloud(&points(), colours), &detection(), LabelBy::Plane, &path).unwrap();
        assert_labels(&labels_of(&path), &detection(), &points());
        let mut reader = Reader::from_path(&path).unwrap();
        assert_eq!(reader.header().number_of_points_by_return(1), Some(802));
        assert_eq!(reader.header().bounds().min.x, -3.0);
        assert_eq!(reader.header().bounds().max.z, 9.0);
        let data = reader.read_all().unwrap();
        for (k, (point, p)) in data.points().zip(points()).enumerate() {
            let point = point.unwrap();
            // Coordinates with few decimals are exact but for the last bit of the product.
            for (found, exact) in [point.x, point.y, point.z].into_iter().zip(p) {
                assert!((found - exact).abs() < 1e-14, "{found} {exact}");
            }
            assert!(!point.is_withheld);
            let [r, g, b] = colour(k).map(|c| u16::from(c) * 257);
            assert_eq!(point.color, colours.then_some(Color::new(r, g, b)));
            assert_eq!(point.intensity, if colours { k as u16 } else { 0 });
        }
    }
}

#[test]
fn a_point_that_las_cannot_hold_is_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.las");
    let mut all = points();
    all[3] = [f64::NAN, 1.0, 1.0];
    all[801] = [0.0, 1e30, 1.0];
    let left_out = labels::save(&cloud(&all, false), &detection(), LabelBy::Plane, &path).unwrap();
    assert_eq!((left_out.points, &left_out.first[..]), (2, &[3, 801][..]));
    let message = "2 points that LAS cannot hold, not finite or too far away, are not in the labelled \
        cloud; counted from 0: 3 801";
    assert_eq!(left_out.to_string(), message);
    let mut reader = Reader::from_path(&path).unwrap();
    assert_eq!(reader.header().number_of_points(), 800);
    assert_eq!(reader.header().number_of_points_by_return(1), Some(800));
    let data = reader.read_all().unwrap();
    let found = data.points().map(|p| p.unwrap()).map(|p| [p.x, p.y, p.z]);
    let kept = (0..802).filter(|&k| k != 3 && k != 801).map(|k| points()[k]);
    for (found, exact) in found.zip(kept) {
        assert!((0..3).all(|a| (found[a] - exact[a]).abs() < 1e-12), "{found:?} {exact:?}");
    }
}

#[test]
fn a_cloud_becomes_ply_with_all_its_values() {
    use ply_rs::ply::Property;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    for colours in [true, false] {
        labels::save(&cloud(&points(), colours), &detection(), LabelBy::Plane, &path).unwrap();
        let vertices = &read_ply(&path).payload["vertex"];
        let mut found = Vec::new();
        for (k, (v, p)) in vertices.iter().zip(points()).enumerate() {
            for (name, exact) in ["x", "y", "z"].into_iter().zip(p) {
                assert_eq!(v[name], Property::Double(exact));
            }
            for (name, exact) in ["red", "green", "blue"].into_iter().zip(colour(k)) {
                let expected = colours.then_some(&Property::UChar(exact)).cloned();
                assert_eq!(v.get(name).cloned(), expected);
            }
            let (Property::Int(id), Property::Float(distance)) =
                (&v["plane_id"], &v["plane_distance"])
            else {
                panic!("{v:?}");
            };
            found.push((*id, *distance));
        }
        assert_labels(&found, &detection(), &points());
    }
}

#[test]
fn labels_by_piece_stand_beside_those_by_plane() {
    use ply_rs::ply::Property;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    labels::save(&cloud(&points(), true), &detection(), LabelBy::Piece, &path).unwrap();
    let vertices = &read_ply(&path).payload["vertex"];
    let column = |name: &str| -> Vec<i32> {
        let int = |v: &ply_rs::ply::DefaultElement| match v[name] {
            Property::Int(id) => id,
            ref other => panic!("{other:?}"),
        };
        vertices.iter().map(int).collect()
    };
    assert_eq!(column("plane_id"), detection().labels);
    assert_eq!(column("piece_id"), detection().piece_labels);
    let path = folder.path().join("a.laz");
    labels::save(&cloud(&points(), true), &detection(), LabelBy::Piece, &path).unwrap();
    let found: Vec<[i32; 2]> =
        ends(&path).iter().map(|&[a, _, b]| [a, b].map(i32::from_le_bytes)).collect();
    let expected = detection().labels.into_iter().zip(detection().piece_labels);
    assert!(found.into_iter().eq(expected.map(|(a, b)| [a, b])));
}

fn refused(wrong: &Detection, by: LabelBy, path: &Path) {
    let save = |path: &Path| labels::save(&cloud(&points(), false), wrong, by, path).map(drop);
    let las = save(path);
    let ply = save(&path.with_extension("ply"));
    for refused in [las, ply] {
        assert!(matches!(refused, Err(Error::Parameter(_))), "{refused:?}");
    }
}

#[test]
fn labels_that_do_not_fit_are_refused_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.las");
    let mut longer = detection();
    longer.labels.push(0);
    let mut shorter = detection();
    shorter.labels.pop();
    let mut unknown = detection();
    unknown.labels[5] = 2;
    for wrong in [longer, shorter, unknown] {
        for by in [LabelBy::Plane, LabelBy::Piece] {
            refused(&wrong, by, &path);
        }
    }
    let mut shorter = detection();
    shorter.piece_labels.pop();
    let mut unknown = detection();
    unknown.piece_labels[400] = 3;
    let mut of_another_plane = detection();
    of_another_plane.piece_labels[5] = 1;
    for wrong in [shorter, unknown, of_another_plane] {
        refused(&wrong, LabelBy::Piece, &path);
        // Nobody asks for pieces.
        labels::save(&cloud(&points(), false), &wrong, LabelBy::Plane, &path).unwrap();
        std::fs::remove_file(&path).unwrap();
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_name_of_the_file_chooses_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text: String = points().iter().map(|p| format!("{} {} {}\n", p[0], p[1], p[2])).collect();
    let source = Source::from_bytes(text.into_bytes()).unwrap();
    for name in ["a.las", "a.LAZ", "a.ply", "a.pcd", "a.npy"] {
        labels::save(&source, &detection(), LabelBy::Plane, &path(name)).unwrap();
    }
    assert_labels(&labels_of(&path("a.las")), &detection(), &points());
    let npy = |name: &str| std::fs::read(path(name)).unwrap();
    let ids = |ids: Vec<i32>| ids.into_iter().flat_map(i32::to_le_bytes).collect::<Vec<u8>>();
    assert!(npy("a.npy").starts_with(b"\x93NUMPY"));
    assert!(npy("a.npy").ends_with(&ids(detection().labels)));
    labels::save(&source, &detection(), LabelBy::Piece, &path("b.npy")).unwrap();
    assert!(npy("b.npy").ends_with(&ids(detection().piece_labels)));
    // A LAS source is copied, from memory as well as from a file.
    rich_las(&path("rich.las"), 3, 2);
    let rich = Source::from_bytes(std::fs::read(path("rich.las")).unwrap()).unwrap();
    labels::save(&rich, &detection(), LabelBy::Plane, &path("b.las")).unwrap();
    copy(&path("rich.las"), &detection(), &path("c.las")).unwrap();
    assert!(std::fs::read(path("b.las")).unwrap() == std::fs::read(path("c.las")).unwrap());
    let error = labels::save(&source, &detection(), LabelBy::Plane, &path("a.txt")).unwrap_err();
    assert!(error.to_string().ends_with("labels are written as .las, .laz, .ply, .pcd or .npy"));
    assert!(!path("a.txt").exists());
}
