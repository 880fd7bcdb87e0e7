//! What is compared.

use crate::lms::Refine;

/// What is compared.
pub const METHODS: [Refine; 3] = [Refine::None, Refine::Ols, Refine::Lms];
