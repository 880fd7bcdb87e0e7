//! A file of kernels as it ships.

/// A file of kernels, compiled ahead to PTX, which any driver from 525 on turns into machine code.
#[derive(Debug)]
pub(crate) struct Module {
    /// The file's name, which no other has.
    pub name: &'static str,
    pub ptx: &'static str,
}
