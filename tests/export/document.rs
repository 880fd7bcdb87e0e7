//! The JSON document and its schema.

use super::*;
use planes::export::json;

fn validate(document: &serde_json::Value) -> bool {
    let mut compiler = boon::Compiler::new();
    let schema = serde_json::from_str(json::SCHEMA).unwrap();
    compiler.add_resource("detection", schema).unwrap();
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile("detection", &mut schemas).unwrap();
    schemas.validate(document, index).is_ok()
}

fn document() -> serde_json::Value {
    let mut bytes = Vec::new();
    json::write_json(&detection(), &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn the_document_is_read_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("planes.json");
    json::save_json(&detection(), &path).unwrap();
    let expected = Detection { labels: Vec::new(), piece_labels: Vec::new(), ..detection() };
    assert_eq!(json::read_json(&path).unwrap(), expected);
}

#[test]
fn vertices_stand_on_lines_of_their_own() {
    let mut bytes = Vec::new();
    json::write_json(&detection(), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("\n      \"normal\": [0.0,0.0,1.0],\n"), "{text}");
    assert!(text.contains("\n              [4.0,0.0,2.0],\n"));
    assert!(text.starts_with("{\n  \"format\": \"planes-detection\",\n  \"version\": 1,\n"));
    assert!(text.ends_with("  ]\n}\n"));
}

#[test]
fn the_document_keeps_to_its_schema() {
    assert!(validate(&document()));
}

/// Removes, adds and mistypes every member of every object, one at a time.
#[test]
fn the_schema_refuses_a_missing_an_extra_and_a_mistyped_member() {
    fn objects(value: &serde_json::Value, at: &str, found: &mut Vec<(String, Vec<String>)>) {
        match value {
            serde_json::Value::Object(map) => {
                found.push((at.into(), map.keys().cloned().collect()));
                map.iter().for_each(|(k, v)| objects(v, &format!("{at}/{k}"), found));
            }
            serde_json::Value::Array(items) => (items.iter().enumerate())
                .for_each(|(k, v)| objects(v, &format!("{at}/{k}"), found)),
            _ => {}
        }
    }
    let whole = document();
    let mut found = Vec::new();
    objects(&whole, "", &mut found);
    assert_eq!(found.len(), 16);
    for (at, members) in found {
        let change = |f: &dyn Fn(&mut serde_json::Map<String, serde_json::Value>)| {
            let mut changed = whole.clone();
            f(changed.pointer_mut(&at).unwrap().as_object_mut().unwrap());
            validate(&changed)
        };
        assert!(!change(&|o| drop(o.insert("more".into(), 1.into()))), "{at}");
        for member in &members {
            // A truth value is right where there is one already.
            let odd: serde_json::Value =
                if member == "geographic" { 1.into() } else { true.into() };
            let mistyped = |o: &mut serde_json::Map<_, _>| {
                o.insert(member.clone(), odd.clone());
            };
            assert!(!change(&mistyped), "{at}/{member}");
            let removed = change(&|o| drop(o.remove(member)));
            assert_eq!(removed, member == "holes", "{at}/{member}");
        }
    }
}

#[test]
fn a_number_that_is_not_finite_is_refused_by_name() {
    let mut broken = detection();
    broken.planes[1].pieces[0].boundary.exterior[2][1] = f64::NAN;
    let mut bytes = Vec::new();
    let error = json::write_json(&broken, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "a number of plane 1 is not finite");
    // It would be written as null, like one that is missing.
    let mut broken = detection();
    broken.planes[0].offset_error = Some(f64::NAN);
    let error = json::write_json(&broken, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "a number of plane 0 is not finite");
    assert!(bytes.is_empty());
    let mut broken = detection();
    broken.parameters.tolerance = f64::INFINITY;
    let error = json::write_json(&broken, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "a parameter is not finite");
}

#[test]
fn other_documents_are_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        match json::read_json(&path).unwrap_err() {
            Error::Format { place, message, .. } => (place, message),
            other => panic!("{other}"),
        }
    };
    assert_eq!(read("{\n\"format\": 1}").0, "line 2");
    assert!(read("{}").1.contains("not a result of planes"));
    let later = r#"{"format": "planes-detection", "version": 2}"#;
    assert_eq!(read(later).1, "version 2, this program reads version 1");
    let cut = r#"{"format": "planes-detection", "version": 1}"#;
    assert_eq!(read(cut), ("line 1".into(), "missing field `input`".into()));
    assert!(json::read_json(&folder.path().join("none")).is_err());
}
