//! A file of kernels as it ships.

/// A file of kernels, compiled in advance to PTX, which any driver from 525 on turns into machine code.
#[derive(Debug)]
pub(crate) struct Module {
    /// The file's name, unique among the files.
    pub name: &'static str,
    pub ptx: &'static str,
}
