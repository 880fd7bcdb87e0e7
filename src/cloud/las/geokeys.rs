//! The coordinate system in the keys of GeoTIFF, as LAS 1.0 to 1.3 have it.

use super::super::crs::{Crs, Unit, clean};

/// The records that hold the keys, as they stand in a file.
#[derive(Debug, Default)]
pub(super) struct GeoKeys {
    /// Keys, each with its value or the place of its value.
    pub(super) directory: Vec<u8>,
    /// Texts of the keys.
    pub(super) texts: Vec<u8>,
}

/// The record of texts, as keys name it.
const TEXTS: u16 = 34737;
/// A value that is described by further keys.
const USER_DEFINED: u16 = 32767;

/// Keys that are looked at.
mod key {
    pub(super) const MODEL: u16 = 1024;
    pub(super) const CITATION: u16 = 1026;
    pub(super) const GEOGRAPHIC: u16 = 2048;
    pub(super) const GEOGRAPHIC_CITATION: u16 = 2049;
    pub(super) const ANGLE: u16 = 2054;
    pub(super) const PROJECTED: u16 = 3072;
    pub(super) const PROJECTED_CITATION: u16 = 3073;
    pub(super) const LENGTH: u16 = 3076;
    pub(super) const VERTICAL_UNIT: u16 = 4099;
}

impl GeoKeys {
    /// The system that the keys describe, if there are any.
    pub(super) fn crs(&self) -> Option<Crs> {
        let words: Vec<u16> = self
            .directory
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&pair| u16::from_le_bytes(pair))
            .collect();
        let (head, entries) = words.split_at_checked(4)?;
        let entries = entries.as_chunks::<4>().0;
        let entries = &entries[..entries.len().min(head[3].into())];
        let entry = |key| entries.iter().find(|entry| entry[0] == key);
        let value = |key| entry(key).filter(|entry| entry[1] == 0).map(|entry| entry[3]);
        let known = |key| value(key).filter(|&code| code != 0 && code != USER_DEFINED);
        let text = |key| self.text(entry(key)?);
        let projected = known(key::PROJECTED);
        let geographic = match value(key::MODEL) {
            Some(model) => model == 2,
            None => projected.is_none() && known(key::GEOGRAPHIC).is_some(),
        };
        let epsg = if geographic { known(key::GEOGRAPHIC) } else { projected };
        let named = [key::PROJECTED_CITATION, key::CITATION, key::GEOGRAPHIC_CITATION];
        let unit = known(if geographic { key::ANGLE } else { key::LENGTH });
        let crs = Crs {
            name: named.into_iter().find_map(text),
            epsg: epsg.map(u32::from),
            geographic,
            unit: unit.map(unit_of),
            vertical_unit: known(key::VERTICAL_UNIT).map(unit_of),
            wkt: None,
        };
        (crs != Crs::default()).then_some(crs)
    }

    /// The text of a key; texts end in a bar.
    fn text(&self, &[_, place, count, start]: &[u16; 4]) -> Option<String> {
        let start = usize::from(start);
        let text = self.texts.get(start..start + usize::from(count));
        let text = String::from_utf8_lossy(text.filter(|_| place == TEXTS)?).into_owned();
        let text = clean(text.trim_end_matches(['|', '\0']));
        (!text.is_empty()).then_some(text)
    }
}

/// The unit of an EPSG number.
fn unit_of(code: u16) -> Unit {
    let (name, metres) = match code {
        9001 => ("metre", Some(1.0)),
        9002 => ("foot", Some(0.3048)),
        9003 => ("US survey foot", Some(1200.0 / 3937.0)),
        9036 => ("kilometre", Some(1000.0)),
        9101 => ("radian", None),
        9102 | 9122 => ("degree", None),
        9105 => ("grad", None),
        _ => return Unit { name: format!("EPSG:{code}"), metres: None },
    };
    Unit { name: name.into(), metres }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(entries: &[[u16; 4]], texts: &str) -> GeoKeys {
        let head = [1, 1, 0, entries.len() as u16];
        let words = head.iter().chain(entries.as_flattened());
        let directory = words.flat_map(|word| word.to_le_bytes()).collect();
        GeoKeys { directory, texts: texts.into() }
    }

    #[test]
    fn a_projected_and_a_geographic_system() {
        let utm = [[1024, 0, 1, 1], [3072, 0, 1, 32632], [3073, TEXTS, 8, 2], [3076, 0, 1, 9001]];
        let crs = keys(&utm, "a|UTM 32N|").crs().unwrap();
        assert_eq!(crs.to_string(), "UTM 32N, EPSG:32632, in metre");
        let wgs = [[1024, 0, 1, 2], [2048, 0, 1, 4326], [2054, 0, 1, 9102], [4099, 0, 1, 9001]];
        let crs = keys(&wgs, "").crs().unwrap();
        assert_eq!(crs.to_string(), "without a name, EPSG:4326, in degree, z in metre");
        assert!(crs.geographic);
    }

    #[test]
    fn damaged_keys_have_no_meaning() {
        assert_eq!(GeoKeys::default().crs(), None);
        assert_eq!(keys(&[[3073, TEXTS, 9, 60000], [3072, 0, 1, 32767]], "short").crs(), None);
        let mut cut = keys(&[[3072, 0, 1, 32632]], "");
        cut.directory.truncate(9);
        assert_eq!(cut.crs(), None);
    }
}
