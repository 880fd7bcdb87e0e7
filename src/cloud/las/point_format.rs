//! Point formats: what a record holds where, and which format is written.

/// Lengths of the records of point formats 0 to 10, without extra bytes.
const LENGTHS: [u16; 11] = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67];

/// A point format: 0 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PointFormat(u8);

impl PointFormat {
    /// The format of this number, if there is one.
    pub(super) fn new(number: u8) -> Option<PointFormat> {
        (usize::from(number) < LENGTHS.len()).then_some(PointFormat(number))
    }

    /// The format in which points are written that have coordinates, intensity and, with `colour`, a colour:
    /// one of those that LAS 1.4 brought and asks for, or of the older ones, which every reader knows.
    pub(super) fn to_write(colour: bool, is_extended: bool) -> PointFormat {
        PointFormat(match (is_extended, colour) {
            (true, false) => 6,
            (true, true) => 7,
            (false, false) => 0,
            (false, true) => 2,
        })
    }

    /// Its number.
    pub(super) fn number(self) -> u8 {
        self.0
    }

    /// Length of a record without extra bytes.
    pub(super) fn length(self) -> u16 {
        LENGTHS[usize::from(self.0)]
    }

    /// Whether it is of the formats that LAS 1.4 brought, with wider fields.
    pub(super) fn is_extended(self) -> bool {
        self.0 >= 6
    }

    /// Where red, green and blue start.
    pub(super) fn colour(self) -> Option<usize> {
        match self.0 {
            2 => Some(20),
            3 | 5 => Some(28),
            7 | 8 | 10 => Some(30),
            _ => None,
        }
    }

    /// Where the class stands, and which of its bits count: the older formats keep three flags in the same byte.
    pub(super) fn class(self) -> (usize, u8) {
        if self.is_extended() { (16, 0xff) } else { (15, 0x1f) }
    }

    /// What follows the intensity of a point of which no more is known, up to the colour: the first return of
    /// one; flags, class, user data, angle, source and time are zero.
    pub(super) fn blank(self) -> &'static [u8] {
        const EXTENDED: [u8; 16] = [0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        if self.is_extended() { &EXTENDED } else { &[0b00_001_001, 0, 0, 0, 0, 0] }
    }
}
