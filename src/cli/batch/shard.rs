//! A share of a list of files.

use std::fmt;
use std::str::FromStr;

/// Most shares of a list.
pub const MOST: u32 = 1 << 16;

/// One of several shares of a list. Which files it has depends on the list alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `of`.
    pub number: u32,
    pub of: u32,
}

impl Shard {
    /// Every `of`-th element of a list. Neighbours in a list, which are often alike, go to different shares.
    pub fn of_list<T>(self, list: Vec<T>) -> Vec<T> {
        let first = (self.number - 1) as usize;
        list.into_iter().skip(first).step_by(self.of as usize).collect()
    }

    /// Whether this is the share that has what belongs to no single file.
    pub fn is_first(self) -> bool {
        self.number == 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let parsed = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let Some((number, of)) = parsed else {
            return Err(format!("'{text}' is not a shard; the third of 16 is 3/16"));
        };
        if of == 0 {
            return Err("there must be at least one shard".into());
        }
        if of > MOST {
            return Err(format!("there are at most {MOST} shards"));
        }
        if !(1..=of).contains(&number) {
            return Err(format!("the shards of {of} are 1/{of} to {of}/{of}"));
        }
        Ok(Shard { number, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_each_file_once() {
        let shares = |of| (1..=of).map(move |number| Shard { number, of });
        assert_eq!("2/3".parse::<Shard>().unwrap().of_list((0..8).collect()), [1, 4, 7]);
        for of in 1..12 {
            let mut all: Vec<u32> = shares(of).flat_map(|s| s.of_list((0..8).collect())).collect();
            all.sort_unstable();
            assert_eq!(all, Vec::from_iter(0..8), "{of}");
        }
    }

    #[test]
    fn what_is_no_shard_is_said() {
        let said = |text: &str| text.parse::<Shard>().unwrap_err();
        for text in ["0/16", "17/16"] {
            assert_eq!(said(text), "the shards of 16 are 1/16 to 16/16");
        }
        for text in ["3", "a/b", "-1/3", "3/", "1/2/3", ""] {
            assert_eq!(said(text), format!("'{text}' is not a shard; the third of 16 is 3/16"));
        }
        assert_eq!(said("1/65537"), "there are at most 65536 shards");
        assert_eq!(said("0/0"), "there must be at least one shard");
    }
}
