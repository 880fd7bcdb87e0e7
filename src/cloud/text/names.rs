//! Names of columns, in English, German, French, Spanish and Italian.

use super::super::scale::Role;
use super::units::cut;

/// What columns are called, the surest names first; of names that mean one thing the first one that
/// is there counts. All are as [`plain`] has them.
const AXES: [&[&str]; 3] = [
    &[
        "x",
        "points0",
        "easting",
        "east",
        "rechtswert",
        "ostwert",
        "rechts",
        "ost",
        "este",
        "est",
        "xcoord",
        "xcoordinate",
        "coordx",
        "xkoordinate",
        "coordonneex",
        "coordenadax",
        "coordinatax",
        "utmx",
        "xutm",
        "longitude",
        "lon",
        "e",
        "rw",
    ],
    &[
        "y",
        "points1",
        "northing",
        "north",
        "hochwert",
        "nordwert",
        "hoch",
        "nord",
        "norte",
        "ycoord",
        "ycoordinate",
        "coordy",
        "ykoordinate",
        "coordonneey",
        "coordenaday",
        "coordinatay",
        "utmy",
        "yutm",
        "latitude",
        "lat",
        "n",
        "hw",
    ],
    &[
        "z",
        "points2",
        "elevation",
        "height",
        "altitude",
        "hoehe",
        "hohe",
        "hauteur",
        "altura",
        "cota",
        "elevacion",
        "quota",
        "altezza",
        "elevazione",
        "elev",
        "zcoord",
        "zcoordinate",
        "coordz",
        "zkoordinate",
        "coordonneez",
        "coordenadaz",
        "coordinataz",
        "alt",
        "h",
    ],
];
const INTENSITY: &[&str] = &[
    "intensity",
    "scalarintensity",
    "i",
    "reflectance",
    "intensitaet",
    "intensitat",
    "intensite",
    "intensidad",
    "intensita",
];
const LABEL: &[&str] = &["planeid", "scalarplaneid", "label", "scalarlabel"];
const CLASS: &[&str] = &[
    "classification",
    "scalarclassification",
    "class",
    "klassifikation",
    "klasse",
    "classe",
    "clase",
    "clasificacion",
    "classificazione",
];
const COLOURS: [&[&str]; 3] = [
    &["red", "r", "rot", "rouge", "rojo", "rosso"],
    &["green", "g", "gruen", "grun", "vert", "verde"],
    &["blue", "b", "blau", "bleu", "azul", "blu"],
];

/// What the columns are by their names; `None` if x, y and z are not among them.
pub(super) fn roles(names: &[&[u8]]) -> Option<Vec<Option<Role>>> {
    let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let mut roles = vec![None; names.len()];
    let mut set = |role: Role, known: &[&str]| {
        let found = known.iter().find_map(|known| names.iter().position(|name| name == known));
        found.map(|column| roles[column] = Some(role))
    };
    for (axis, known) in AXES.iter().enumerate() {
        set(Role::Axis(axis), known)?;
    }
    set(Role::Intensity, INTENSITY);
    set(Role::Label, LABEL);
    set(Role::Class, CLASS);
    for (channel, known) in COLOURS.iter().enumerate() {
        set(Role::Colour(channel), known);
    }
    let colours = roles.iter().filter(|role| matches!(role, Some(Role::Colour(_)))).count();
    if colours < 3 {
        let no_colour = |role: &Role| !matches!(role, Role::Colour(_));
        roles.iter_mut().for_each(|role| *role = role.filter(no_colour));
    }
    Some(roles)
}

/// The units in the names of x, y and z, where there are any.
pub(super) fn units(names: &[&[u8]], roles: &[Option<Role>]) -> [Option<&'static str>; 3] {
    [0, 1, 2].map(|axis| {
        let column = roles.iter().position(|role| *role == Some(Role::Axis(axis)))?;
        cut(&small(names.get(column)?)).1
    })
}

/// Whether x and y are longitude and latitude by their names.
pub(super) fn are_geographic(names: &[&[u8]], roles: &[Option<Role>]) -> bool {
    const ANGLES: [[&str; 2]; 2] = [["longitude", "lon"], ["latitude", "lat"]];
    (0..).zip(ANGLES).all(|(axis, angles)| {
        let column = roles.iter().position(|role| *role == Some(Role::Axis(axis)));
        let name = column.and_then(|column| names.get(column));
        name.is_some_and(|name| angles.contains(&&*plain(name)))
    })
}

/// A name in small letters without accents, units, quotes, blanks and signs: `"Höhe [m]"` is `hohe`.
fn plain(name: &[u8]) -> String {
    let name = small(name);
    cut(&name).0.chars().map(without_accent).filter(char::is_ascii_alphanumeric).collect()
}

/// A name in small letters.
fn small(name: &[u8]) -> String {
    // What is no UTF-8 is an older file from the west of Europe.
    let name = match std::str::from_utf8(name) {
        Ok(name) => name.to_string(),
        Err(_) => name.iter().map(|&byte| char::from(byte)).collect(),
    };
    name.trim().trim_matches('"').to_lowercase()
}

fn without_accent(c: char) -> char {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' => 'a',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("\"Höhe [m]\"".as_bytes()), "hohe");
        assert_eq!(plain(b"H\xf6he"), "hohe");
        assert_eq!(plain("Élévation (m)".as_bytes()), "elevation");
        assert_eq!(plain(b"scalar_Plane_ID"), "scalarplaneid");
        assert_eq!(plain(b"Points:0"), "points0");
        assert_eq!(
            [plain(b"z_ft"), plain(b"Z m"), plain(b"E-m"), plain(b"m")],
            ["z", "z", "e", "m"]
        );
        assert_eq!(plain("Höhe in m".as_bytes()), "hohe");
    }

    #[test]
    fn units_stand_behind_names() {
        let of = |names: &str| {
            let cells: Vec<&[u8]> = names.as_bytes().split(|&b| b == b',').collect();
            units(&cells, &roles(&cells).unwrap())
        };
        assert_eq!(of("x,y,z"), [None; 3]);
        assert_eq!(of("x,y,z_ft"), [None, None, Some("ft")]);
        assert_eq!(of("lon [deg],lat [°],Elevation (m)"), [Some("°"), Some("°"), Some("m")]);
        assert_eq!(of("z [US-ft],x (local),y"), [None, None, Some("US ft")]);
    }

    #[test]
    fn longitude_and_latitude_are_known() {
        let of = |names: &str| {
            let cells: Vec<&[u8]> = names.as_bytes().split(|&b| b == b',').collect();
            are_geographic(&cells, &roles(&cells).unwrap())
        };
        assert!(of("id,Lat [deg],Lon [deg],height") && of("Longitude,Latitude,z"));
        // Of both the projected ones count.
        assert!(!of("lon,lat,easting,northing,height") && !of("x,y,z") && !of("lon,n,h"));
    }

    #[test]
    fn five_languages() {
        for names in [
            "Point;Easting;Northing;Elevation",
            "Punkt;Rechtswert;Hochwert;Höhe",
            "Nr;Ost;Nord;Hoehe",
            "Nom;Est;Nord;Altitude",
            "Numéro;X;Y;Hauteur",
            "Punto;Este;Norte;Cota",
            "Nombre;Este;Norte;Elevación",
            "Nome;Est;Nord;Quota",
            "id;E;N;H",
        ] {
            let cells: Vec<&[u8]> = names.as_bytes().split(|&b| b == b';').collect();
            let axes = [None, Some(Role::Axis(0)), Some(Role::Axis(1)), Some(Role::Axis(2))];
            assert_eq!(roles(&cells).as_deref(), Some(&axes[..]), "{names}");
        }
        assert_eq!(roles(&[b"nord", b"ost"]), None);
    }
}
