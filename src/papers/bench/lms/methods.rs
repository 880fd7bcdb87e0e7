//! The methods that are compared.

use crate::lms::Refine;

/// The methods that are compared.
pub const METHODS: [Refine; 3] = [Refine::None, Refine::Ols, Refine::Lms];
