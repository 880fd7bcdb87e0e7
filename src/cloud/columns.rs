//! The columns of a text, as a user names them.

use super::scale::Role;
use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The words for what a column can be.
const WORDS: [(&str, Role); 13] = [
    ("x", Role::Axis(0)),
    ("y", Role::Axis(1)),
    ("z", Role::Axis(2)),
    ("intensity", Role::Intensity),
    ("r", Role::Colour(0)),
    ("g", Role::Colour(1)),
    ("b", Role::Colour(2)),
    ("plane_id", Role::Label),
    ("class", Role::Class),
    ("red", Role::Colour(0)),
    ("green", Role::Colour(1)),
    ("blue", Role::Colour(2)),
    ("label", Role::Label),
];

/// What the columns of a text are, from the first on; what follows is of no use.
///
/// ```
/// use planes::cloud::{Columns, Fields, ReadOptions, Source};
///
/// let columns: Columns = "-,y,x,z".parse()?;
/// let options = ReadOptions { columns: Some(columns), ..ReadOptions::default() };
/// let source = Source::from_bytes_with(b"7 1 2 3\n".to_vec(), &options)?;
/// assert!(source.info().description.contains("– y x z"));
/// assert!("x,y".parse::<Columns>().is_err());
/// # Ok::<(), planes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Columns(Vec<Option<Role>>);

impl Columns {
    pub(super) fn roles(&self) -> &[Option<Role>] {
        &self.0
    }
}

impl FromStr for Columns {
    type Err = Error;

    /// Words with commas between them: `x`, `y`, `z`, `intensity`, `r`, `g`, `b`, `plane_id`,
    /// `class`, and `-` for what is of no use.
    fn from_str(text: &str) -> Result<Columns> {
        let mut roles = Vec::new();
        for word in text.split(',').map(str::trim) {
            let known = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
            let role = match known {
                Some(&(_, role)) => Some(role),
                None if word == "-" => None,
                None => {
                    return Err(Error::Parameter(format!(
                        "'{word}' is no column; those are x y z intensity r g b plane_id class, \
                         and - for what is of no use"
                    )));
                }
            };
            if role.is_some() && roles.contains(&role) {
                return Err(Error::Parameter(format!("{word} is given twice")));
            }
            roles.push(role);
        }
        let has = |role| roles.contains(&Some(role));
        if !(0..3).all(|axis| has(Role::Axis(axis))) {
            return Err(Error::Parameter("x, y and z must be among the columns".into()));
        }
        let channels = (0..3).filter(|&channel| has(Role::Colour(channel))).count();
        if channels == 1 || channels == 2 {
            return Err(Error::Parameter("r, g and b come together".into()));
        }
        Ok(Columns(roles))
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |role: &Option<Role>| {
            let known = WORDS.iter().find(|(_, known)| Some(*known) == *role);
            known.map_or("-", |(word, _)| word)
        };
        f.write_str(&self.0.iter().map(word).collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written() {
        let columns: Columns = "-, X,y,z,Intensity,red,g,b,label".parse().unwrap();
        assert_eq!(columns.to_string(), "-,x,y,z,intensity,r,g,b,plane_id");
        for wrong in ["", "x,y", "x,y,z,x", "x,y,z,r", "x,y,z,what"] {
            assert!(wrong.parse::<Columns>().is_err(), "{wrong}");
        }
    }
}
