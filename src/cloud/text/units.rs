//! Units behind the names of columns.

/// What units are called, in small letters without signs, and how they are shown.
const UNITS: [(&str, &[&str]); 9] = [
    ("m", &["m", "metre", "metres", "meter", "meters", "metro", "metros", "metri"]),
    ("US ft", &["usft", "ftus", "ussurveyfoot", "ussurveyfeet"]),
    ("ft", &["ft", "foot", "feet", "ift", "fuss"]),
    ("mm", &["mm", "millimetre", "millimetres", "millimeter", "millimeters"]),
    ("cm", &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    ("km", &["km", "kilometre", "kilometres", "kilometer", "kilometers"]),
    ("in", &["inch", "inches", "zoll"]),
    ("yd", &["yd", "yard", "yards"]),
    ("°", &["deg", "degree", "degrees", "°", "grad"]),
];

/// The unit that a text names.
fn unit_of(text: &str) -> Option<&'static str> {
    let text: String = text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '°').collect();
    UNITS.iter().find(|(_, known)| known.contains(&&*text)).map(|(shown, _)| *shown)
}

/// A name in small letters, cut in front of its unit: `Z [m]`, `elev (ft)`, `z_ft`.
pub(super) fn cut(name: &str) -> (&str, Option<&'static str>) {
    if let Some((name, rest)) = name.split_once(['[', '(', '{']) {
        return (name, unit_of(rest));
    }
    // Of a name alone nothing is cut: `m` may be one.
    let cut = name.rsplit_once(['_', ' ', '-', '.', '/']);
    match cut.map(|(name, last)| (name, unit_of(last))) {
        Some((front, Some(unit))) if front.chars().any(char::is_alphanumeric) => {
            (front.strip_suffix(" in").unwrap_or(front), Some(unit))
        }
        _ => (name, None),
    }
}
