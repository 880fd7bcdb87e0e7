//! The ways to find a thinnest slab on a GPU, by name.

use serde::{Deserialize, Serialize};

/// A way to find the thinnest slab on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Version {
    /// The paper's algorithm: sorts all points for each pair.
    Paper,
    /// Ours: counts for each pair how many points lie within the best slab so far.
    Fast,
}

impl Version {
    /// All versions.
    pub const ALL: [Version; 2] = [Version::Paper, Version::Fast];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Version::Paper => "paper",
            Version::Fast => "fast",
        }
    }
}
