//! The coordinate system that a file says its coordinates are of.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest description that is looked at.
pub(super) const MOST: usize = 1 << 20;

/// A coordinate system as a file describes it; nothing is looked up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Crs {
    /// Its name.
    pub name: Option<String>,
    /// Its number in the EPSG registry: of x and y, where z has a system of its own.
    pub epsg: Option<u32>,
    /// Whether x and y are angles on the earth, longitude and latitude.
    pub geographic: bool,
    /// The unit of x and y.
    pub unit: Option<Unit>,
    /// The unit of z, where it is given apart.
    pub vertical_unit: Option<Unit>,
    /// The description in full, where it is well-known text.
    pub wkt: Option<String>,
}

/// A unit of length or angle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Its name, as the file has it: `metre`, `US survey foot`, `degree`.
    pub name: String,
    /// Its length in metres; `None` for an angle.
    pub metres: Option<f64>,
}

impl Unit {
    /// Its symbol, where it is a usual one, or its name.
    pub fn symbol(&self) -> &str {
        const KNOWN: [(f64, &str); 4] =
            [(1.0, "m"), (0.3048, "ft"), (1200.0 / 3937.0, "ftUS"), (1000.0, "km")];
        let is = |length: f64| self.metres.is_some_and(|m| (m / length - 1.0).abs() < 1e-7);
        KNOWN.iter().find(|(length, _)| is(*length)).map_or(&self.name, |(_, symbol)| symbol)
    }
}

impl fmt::Display for Crs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_deref().unwrap_or("without a name"))?;
        if let Some(epsg) = self.epsg {
            write!(f, ", EPSG:{epsg}")?;
        }
        if let Some(unit) = &self.unit {
            write!(f, ", in {}", unit.name)?;
        }
        match &self.vertical_unit {
            Some(unit) if self.unit.as_ref().is_none_or(|x| x.name != unit.name) => {
                write!(f, ", z in {}", unit.name)
            }
            _ => Ok(()),
        }
    }
}

/// A word with brackets behind it: `UNIT["metre",1]`.
struct Node {
    /// How many brackets it stands in.
    depth: usize,
    word: String,
    /// Its texts and numbers, without those of the words inside it.
    values: Vec<String>,
}

impl Node {
    fn is(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.word.eq_ignore_ascii_case(word))
    }
}

const GEOGRAPHIC: [&str; 5] = ["GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS"];
const HORIZONTAL: [&str; 6] = ["PROJCS", "PROJCRS", "PROJECTEDCRS", "LOCAL_CS", "ENGCRS", "GEOCCS"];
const VERTICAL: [&str; 3] = ["VERT_CS", "VERTCRS", "VERTICALCRS"];
const UNIT: [&str; 3] = ["UNIT", "LENGTHUNIT", "ANGLEUNIT"];

impl Crs {
    /// The system that well-known text describes, of either version; what is not understood of it is
    /// left out.
    pub(super) fn of_wkt(text: &[u8]) -> Option<Crs> {
        let text = text.split(|&byte| byte == 0).next()?;
        let text = String::from_utf8_lossy(&text[..text.len().min(MOST)]).trim().to_string();
        let nodes = nodes(&text);
        let root = nodes.first()?;
        let find = |words: &[&str]| nodes.iter().position(|node| node.is(words));
        let at = find(&[&HORIZONTAL[..], &GEOGRAPHIC].concat());
        let geographic =
            at.is_some_and(|at| nodes[at].is(&GEOGRAPHIC) && !is_cartesian(&nodes, at));
        let unit = at.and_then(|at| unit(&nodes, at, geographic));
        Some(Crs {
            name: root.values.first().map(|name| clean(name)).filter(|name| !name.is_empty()),
            epsg: at.and_then(|at| epsg(&nodes, at)),
            geographic,
            unit,
            vertical_unit: find(&VERTICAL).and_then(|at| self::unit(&nodes, at, false)),
            wkt: Some(text),
        })
    }

    /// The system of coordinates that are called longitude and latitude, of which no more is known.
    pub(super) fn of_degrees() -> Crs {
        let unit = Some(Unit { name: "degree".into(), metres: None });
        Crs { name: Some("longitude, latitude".into()), geographic: true, unit, ..Crs::default() }
    }

    /// The system in one line: the well-known text, else what is known of it.
    pub(super) fn in_a_line(&self) -> String {
        clean(self.wkt.as_deref().unwrap_or(&self.to_string()))
    }

    /// The units of x and of z, where they differ in length.
    pub(super) fn different_units(&self) -> Option<(&str, &str)> {
        let (x, z) = (self.unit.as_ref()?, self.vertical_unit.as_ref()?);
        let (a, b) = (x.metres?, z.metres?);
        ((a - b).abs() > 1e-4 * a.abs()).then_some((&x.name, &z.name))
    }
}

/// A name fit for a line of text.
pub(super) fn clean(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().into()
}

/// The words of a text, each before those inside it.
fn nodes(text: &str) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    // The words whose brackets are open.
    let mut open: Vec<usize> = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    let keep = |nodes: &mut Vec<Node>, open: &[usize], value: &mut String| {
        let value = std::mem::take(value);
        if let (Some(&at), false) = (open.last(), value.is_empty()) {
            nodes[at].values.push(value);
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                let mut quoted = String::new();
                while let Some(c) = chars.next() {
                    if c == '"' && chars.next_if_eq(&'"').is_none() {
                        break;
                    }
                    quoted.push(c);
                }
                if let Some(&at) = open.last() {
                    nodes[at].values.push(quoted);
                }
            }
            '[' | '(' => {
                open.push(nodes.len());
                let word = std::mem::take(&mut word);
                nodes.push(Node { depth: open.len() - 1, word, values: Vec::new() });
            }
            ']' | ')' => {
                keep(&mut nodes, &open, &mut word);
                open.pop();
            }
            ',' => keep(&mut nodes, &open, &mut word),
            c if c.is_whitespace() => {}
            c => word.push(c),
        }
    }
    nodes
}

/// The words inside the one at `at`.
fn inside(nodes: &[Node], at: usize) -> impl Iterator<Item = &Node> {
    let depth = nodes[at].depth;
    nodes[at + 1..].iter().take_while(move |node| node.depth > depth)
}

/// Whether the system at `at` has straight axes, as geocentric ones have that share their word with geographic ones.
fn is_cartesian(nodes: &[Node], at: usize) -> bool {
    let is_straight = |node: &Node| {
        node.is(&["CS"])
            && node.values.first().is_some_and(|kind| kind.eq_ignore_ascii_case("Cartesian"))
    };
    inside(nodes, at).any(|node| node.depth == nodes[at].depth + 1 && is_straight(node))
}

/// The unit of the system at `at`: its own, or that of its axes.
fn unit(nodes: &[Node], at: usize, is_angle: bool) -> Option<Unit> {
    let depth = nodes[at].depth;
    let (mut axis, mut of_axis) = (false, None);
    for node in inside(nodes, at) {
        if node.depth == depth + 1 && node.is(&UNIT) {
            return unit_of(node, is_angle);
        }
        if node.depth == depth + 1 {
            axis = node.is(&["AXIS"]);
        } else if node.depth == depth + 2 && axis && node.is(&UNIT) {
            of_axis = of_axis.or(Some(node));
        }
    }
    unit_of(of_axis?, is_angle)
}

fn unit_of(node: &Node, is_angle: bool) -> Option<Unit> {
    let name = node.values.first().map(|name| clean(name)).filter(|name| !name.is_empty())?;
    let size = node.values.get(1).and_then(|size| size.parse().ok());
    let metres = size.filter(|&m: &f64| !is_angle && m.is_finite() && m > 0.0);
    Some(Unit { name, metres })
}

fn epsg(nodes: &[Node], at: usize) -> Option<u32> {
    let depth = nodes[at].depth + 1;
    let of = |node: &Node| match &node.values[..] {
        [name, code, ..] if name.eq_ignore_ascii_case("EPSG") => code.parse().ok(),
        _ => None,
    };
    let own = inside(nodes, at).filter(|node| node.depth == depth);
    own.filter(|node| node.is(&["AUTHORITY", "ID"])).find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metres(unit: &Option<Unit>) -> Option<f64> {
        unit.as_ref().and_then(|unit| unit.metres)
    }

    #[test]
    fn both_versions_of_well_known_text() {
        let old = "COMPD_CS[\"NAD83 / X + NAVD88\",PROJCS[\"NAD83 / X\",GEOGCS[\"NAD83\",\
            DATUM[\"D\",SPHEROID[\"S\",6378137,298.2]],PRIMEM[\"Greenwich\",0],\
            UNIT[\"degree\",0.0174532925199433],AUTHORITY[\"EPSG\",\"4269\"]],\
            PROJECTION[\"Transverse_Mercator\"],UNIT[\"US survey foot\",0.3048006096012192],\
            AUTHORITY[\"EPSG\",\"2229\"]],VERT_CS[\"NAVD88\",VERT_DATUM[\"V\",2005],\
            UNIT[\"metre\",1.0],AUTHORITY[\"EPSG\",\"5703\"]]]\0\0";
        let crs = Crs::of_wkt(old.as_bytes()).unwrap();
        assert_eq!((crs.epsg, crs.geographic), (Some(2229), false));
        assert_eq!(metres(&crs.unit), Some(0.304_800_609_601_219_2));
        assert_eq!(crs.unit.as_ref().map(Unit::symbol), Some("ftUS"));
        assert_eq!(crs.different_units(), Some(("US survey foot", "metre")));
        let shown = "NAD83 / X + NAVD88, EPSG:2229, in US survey foot, z in metre";
        assert_eq!(crs.to_string(), shown);
        let new = "PROJCRS[\"ETRS89 / UTM 32N\",BASEGEOGCRS[\"ETRS89\",DATUM[\"D\",\
            ELLIPSOID[\"E\",6378137,298.2,LENGTHUNIT[\"foot\",0.3048]]],ID[\"EPSG\",4258]],\
            CS[Cartesian,2],AXIS[\"(E)\",east,ORDER[1],LENGTHUNIT[\"metre\",1]],\
            AXIS[\"(N)\",north,LENGTHUNIT[\"metre\",1]],ID[\"EPSG\",25832]]";
        let crs = Crs::of_wkt(new.as_bytes()).unwrap();
        assert_eq!((crs.epsg, metres(&crs.unit)), (Some(25832), Some(1.0)));
        assert_eq!(crs.wkt.as_deref(), Some(new));
    }

    #[test]
    fn degrees_are_no_length() {
        let text = "GEOGCS[\"WGS 84\",PRIMEM[\"G\",0],UNIT[\"degree\",0.0174],AUTHORITY[\"EPSG\",\"4326\"]]";
        let crs = Crs::of_wkt(text.as_bytes()).unwrap();
        assert_eq!((crs.geographic, crs.epsg), (true, Some(4326)));
        assert_eq!(crs.unit, Some(Unit { name: "degree".into(), metres: None }));
        // The words of the second version; with heights of their own; as axes of the earth, which are lengths.
        let axes =
            "CS[ellipsoidal,2],AXIS[\"lat\",north],AXIS[\"lon\",east],ANGLEUNIT[\"degree\",0.0174]";
        let datum = "DATUM[\"D\",ELLIPSOID[\"E\",6378137,298.2,LENGTHUNIT[\"metre\",1]]]";
        for word in ["GEOGCRS", "GEODCRS", "GEOGRAPHICCRS"] {
            let flat = format!("{word}[\"WGS 84\",{datum},{axes}]");
            let high = "VERTCRS[\"H\",CS[vertical,1],AXIS[\"up\",up],LENGTHUNIT[\"metre\",1]]";
            for text in [flat.clone(), format!("COMPOUNDCRS[\"WGS 84 + H\",{flat},{high}]")] {
                let crs = Crs::of_wkt(text.as_bytes()).unwrap();
                assert_eq!((crs.geographic, metres(&crs.unit)), (true, None), "{text}");
            }
        }
        let earth = format!(
            "GEODCRS[\"WGS 84\",{datum},CS[Cartesian,3],AXIS[\"X\",geocentricX],LENGTHUNIT[\"metre\",1]]"
        );
        let crs = Crs::of_wkt(earth.as_bytes()).unwrap();
        assert_eq!((crs.geographic, metres(&crs.unit)), (false, Some(1.0)));
    }

    #[test]
    fn nonsense_has_no_meaning() {
        assert_eq!(Crs::of_wkt(b"\0"), None);
        assert_eq!(Crs::of_wkt(b"]]],\"\"\"[[["), None);
        let deep = "A[".repeat(100_000);
        assert_eq!(Crs::of_wkt(deep.as_bytes()).unwrap().epsg, None);
        let odd =
            Crs::of_wkt(b"PROJCS[\"a\nb\",UNIT[\"m\",1e999],AUTHORITY[\"EPSG\",\"x\"]").unwrap();
        assert_eq!((odd.name.as_deref(), metres(&odd.unit), odd.epsg), (Some("a b"), None, None));
    }
}
