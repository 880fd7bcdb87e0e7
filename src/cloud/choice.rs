//! Which points of a cloud are searched.

use super::{Bbox, Chunk, Fields, PointReader, Source};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The points that are searched: those that pass all that is given.
///
/// The others belong to no plane, and stay in labelled clouds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Those of these classes.
    pub classes: Option<Vec<u8>>,
    /// Those in this box.
    pub bbox: Option<Bbox>,
    /// The first of every so many points of the file.
    pub every: Option<u64>,
}

impl Choice {
    /// Whether all points are searched.
    pub fn is_all(&self) -> bool {
        *self == Choice::default()
    }

    /// The given options with the verb, such as "`bbox` leaves", for messages of the program.
    #[doc(hidden)]
    pub fn leaves(&self) -> String {
        let given = [
            ("`classes`", self.classes.is_some()),
            ("`bbox`", self.bbox.is_some()),
            ("`every`", self.every.is_some()),
        ];
        let given: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
        match given.as_slice() {
            [one] => format!("{one} leaves"),
            [some @ .., last] => format!("{} and {last} leave", some.join(", ")),
            [] => "the choice leaves".into(),
        }
    }

    /// How many of so many points it takes, where that can be told before they are read.
    #[must_use]
    pub fn of(&self, points: u64) -> Option<u64> {
        let by_place = self.classes.is_none() && self.bbox.is_none();
        by_place.then(|| points.div_ceil(self.every.unwrap_or(1).max(1)))
    }

    /// What a pass has to read beside coordinates.
    pub fn fields(&self) -> Fields {
        Fields { class: self.classes.is_some(), ..Fields::NONE }
    }

    /// Starts a pass over the points of `source` with the fields that the choice takes. Points outside its box may come
    /// as NaN, without being read, where the file is sorted by place as COPC is.
    ///
    /// # Errors
    /// As [`Source::reader`].
    pub fn reader(&self, source: &Source) -> Result<Box<dyn PointReader>> {
        match &self.bbox {
            Some(bbox) => source.reader_within(bbox, self.fields()),
            None => source.reader(self.fields()),
        }
    }

    /// Refuses a choice by what the points of `source` do not have.
    ///
    /// # Errors
    /// [`Error::Parameter`], naming the file.
    pub fn check(&self, source: &Source) -> Result<()> {
        if self.classes.is_some() && !source.info().fields.class {
            let message =
                format!("{}: `classes`: its points have no class", source.path().display());
            return Err(Error::Parameter(message));
        }
        Ok(())
    }

    /// Whether point `k` of a chunk, which has this index in the file, is searched.
    #[inline]
    pub(crate) fn takes(&self, chunk: &Chunk, k: usize, index: u64) -> bool {
        let class = |classes: &Vec<u8>| chunk.class.get(k).is_some_and(|c| classes.contains(c));
        self.every.is_none_or(|every| index.is_multiple_of(every.max(1)))
            && self.classes.as_ref().is_none_or(class)
            && self.bbox.is_none_or(|b| b.holds([chunk.x[k], chunk.y[k], chunk.z[k]]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_every_so_many_can_be_counted() {
        let every = Choice { every: Some(10), ..Choice::default() };
        assert_eq!([every.of(0), every.of(1), every.of(11)], [Some(0), Some(1), Some(2)]);
        assert_eq!(Choice::default().of(7), Some(7));
        assert_eq!(Choice { classes: Some(vec![2]), ..every }.of(7), None);
    }
}
