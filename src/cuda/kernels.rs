//! The kernels that ship with the program, and how they are launched.

use cudarc::driver::LaunchConfig;

/// A file of kernels, compiled ahead to PTX, which any driver from 525 on turns into machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kernels {
    Braak,
    Cells,
    Kumar,
    Labels,
    Layers,
    Levels,
    Lines,
    Lms,
    LmsPaper,
    LmsSettle,
    LmsSheets,
    Peaks,
    Pixels,
    Slices,
    SlidesSuppress,
    SlidesVote,
    SlidesWinners,
    Sort,
    Tomagou,
    Vote,
    Wait,
    Zoom,
}

impl Kernels {
    /// Its PTX.
    pub fn ptx(self) -> &'static str {
        match self {
            Kernels::Braak => include_str!("../../kernels/ptx/braak.ptx"),
            Kernels::Kumar => include_str!("../../kernels/ptx/kumar.ptx"),
            Kernels::Slices => include_str!("../../kernels/ptx/slices.ptx"),
            Kernels::Tomagou => include_str!("../../kernels/ptx/tomagou.ptx"),
            Kernels::Cells => include_str!("../../kernels/ptx/cells.ptx"),
            Kernels::Labels => include_str!("../../kernels/ptx/labels.ptx"),
            Kernels::Layers => include_str!("../../kernels/ptx/layers.ptx"),
            Kernels::Levels => include_str!("../../kernels/ptx/levels.ptx"),
            Kernels::Lines => include_str!("../../kernels/ptx/lines.ptx"),
            Kernels::Lms => include_str!("../../kernels/ptx/lms.ptx"),
            Kernels::LmsPaper => include_str!("../../kernels/ptx/lms_paper.ptx"),
            Kernels::LmsSettle => include_str!("../../kernels/ptx/lms_settle.ptx"),
            Kernels::LmsSheets => include_str!("../../kernels/ptx/lms_sheets.ptx"),
            Kernels::Peaks => include_str!("../../kernels/ptx/peaks.ptx"),
            Kernels::Pixels => include_str!("../../kernels/ptx/pixels.ptx"),
            Kernels::SlidesSuppress => include_str!("../../kernels/ptx/slides_suppress.ptx"),
            Kernels::SlidesVote => include_str!("../../kernels/ptx/slides_vote.ptx"),
            Kernels::SlidesWinners => include_str!("../../kernels/ptx/slides_winners.ptx"),
            Kernels::Sort => include_str!("../../kernels/ptx/sort.ptx"),
            Kernels::Vote => include_str!("../../kernels/ptx/vote.ptx"),
            Kernels::Wait => include_str!("../../kernels/ptx/wait.ptx"),
            Kernels::Zoom => include_str!("../../kernels/ptx/zoom.ptx"),
        }
    }
}

/// Launches a kernel: `launch!(device, Kernels::Vote, "vote_each", config, arguments…)?`.
///
/// The arguments must be those of the kernel, in order and type, and the buffers as long as the
/// kernel asks for.
macro_rules! launch {
    ($device:expr, $kernels:expr, $name:expr, $config:expr, $($arg:expr),+ $(,)?) => {{
        use cudarc::driver::PushKernelArg;
        let device: &$crate::cuda::device::Device = $device;
        let function = device.function($kernels, $name)?;
        let launched = {
            // SAFETY: each call lists the parameters of its kernel, and passes buffers of the lengths
            // that the kernel states; the tests run every kernel, under compute-sanitizer as well.
            unsafe { device.stream().launch_builder(&function)$(.arg($arg))+.launch($config) }
        };
        launched.map(|_| ()).map_err(|e| device.error($name, e))
    }};
}
pub(super) use launch;

/// A thread for each of `n` things.
pub(super) fn each(n: u32) -> LaunchConfig {
    each_in_blocks(n, 256)
}

/// The same in blocks of so many threads.
pub(super) fn each_in_blocks(n: u32, threads: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (n.div_ceil(threads).max(1), 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Blocks in two dimensions, with dynamic shared memory.
pub(super) fn grid(x: u32, y: u32, threads: u32, shared_mem_bytes: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (x, y, 1), block_dim: (threads, 1, 1), shared_mem_bytes }
}
