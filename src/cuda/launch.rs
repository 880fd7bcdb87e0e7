//! Kernels as functions, generated from a table of kernels and their parameters.

use super::device::Device;
use crate::Result;
use cudarc::driver::{
    CudaSlice, CudaView, CudaViewMut, DeviceSlice, LaunchArgs, LaunchConfig, PushKernelArg,
};

/// Numbers on the device that a kernel reads: `const T*`.
pub(crate) trait Read<T>: DeviceSlice<T> {
    fn push<'a>(&'a self, arguments: &mut LaunchArgs<'a>);
}

/// Numbers on the device that a kernel writes: `T*`.
pub(crate) trait Write<T>: DeviceSlice<T> {
    fn push<'a>(&'a mut self, arguments: &mut LaunchArgs<'a>);
}

impl<T> Read<T> for CudaSlice<T> {
    fn push<'a>(&'a self, arguments: &mut LaunchArgs<'a>) {
        arguments.arg(self);
    }
}

impl<T> Read<T> for CudaView<'_, T> {
    fn push<'a>(&'a self, arguments: &mut LaunchArgs<'a>) {
        arguments.arg(self);
    }
}

impl<T> Write<T> for CudaSlice<T> {
    fn push<'a>(&'a mut self, arguments: &mut LaunchArgs<'a>) {
        arguments.arg(self);
    }
}

impl<T> Write<T> for CudaViewMut<'_, T> {
    fn push<'a>(&'a mut self, arguments: &mut LaunchArgs<'a>) {
        arguments.arg(self);
    }
}

/// CUDA's `float3`.
pub(crate) type Float3 = [f32; 3];

/// Kernels by name: those with the same parameters, and how the PTX declares the parameters.
#[cfg(test)]
pub(super) type Kernels = &'static [(&'static [&'static str], &'static [&'static str])];

/// A parameter of a kernel as the PTX declares it.
#[cfg(test)]
pub(super) trait Declared {
    const PTX: &'static str;
}

impl Device {
    /// Checks that a buffer is as long as a kernel requires.
    pub fn check(&self, [kernel, buffer]: [&str; 2], has: usize, needs: usize) -> Result<()> {
        if has >= needs {
            return Ok(());
        }
        Err(self.mistake(&format!("{kernel}: {buffer} has room for {has} and needs {needs}")))
    }
}

/// Makes a function of each kernel, in a module for each file of kernels.
///
/// A parameter is a number, or numbers on the device: `&[T]` is `const T*` of the kernel, and `&mut [T]` is
/// `T*`. `&[T; n]` has at least `n` of them, which the function checks; `n` may depend on other parameters.
/// Where no length is given, numbers in other buffers decide how far a kernel reads or writes. `[&[T; n]; 3]`
/// stands for three parameters, one per axis. Kernels with the same parameters share an entry: `fn a | b(…)`.
///
/// The function takes the device and the launch configuration first, then the parameters, and does not wait.
macro_rules! kernels {
    ($($file:ident { $(fn $($name:ident)|+ ($($parameters:tt)*);)+ })+) => {
        $(pub mod $file {
            use super::*;

            pub static MODULE: Module = Module {
                name: stringify!($file),
                ptx: include_str!(concat!("../../kernels/ptx/", stringify!($file), ".ptx")),
            };

            $(kernel!([$($name)+] ($($parameters)*));)+

            #[cfg(test)]
            pub const KERNELS: Kernels =
                &[$((&[$(stringify!($name)),+], declarations!($($parameters)*))),+];
        })+

        /// Every file of kernels, with the parameters of each kernel as the PTX declares them.
        #[cfg(test)]
        const TABLE: &[(&Module, Kernels)] = &[$((&$file::MODULE, $file::KERNELS)),+];
    };
}
pub(super) use kernels;

/// The function of a kernel; see [`kernels!`].
macro_rules! kernel {
    ([$($name:ident)+] $parameters:tt) => { $(kernel!($name $parameters);)+ };
    ($name:ident($(
        $parameter:ident:
            $(&[$read:ty $(; $read_length:expr)?])?
            $(&mut [$write:ty $(; $write_length:expr)?])?
            $([&[$axis:ty $(; $axis_length:expr)?]; 3])?
            $([&mut [$axis_out:ty $(; $axis_out_length:expr)?]; 3])?
            $($scalar:ident)?
    ),+ $(,)?)) => {
        #[allow(clippy::too_many_arguments, reason = "they are the kernel's")]
        pub fn $name(
            device: &Device,
            config: LaunchConfig,
            $($parameter:
                $(&impl Read<$read>)?
                $(&mut impl Write<$write>)?
                $([&impl Read<$axis>; 3])?
                $([&mut impl Write<$axis_out>; 3])?
                $($scalar)?
            ),+
        ) -> Result<()> {
            let name = stringify!($name);
            $(
                $($(device.check([name, stringify!($parameter)], $parameter.len(), ($read_length) as usize)?;)?)?
                $($(device.check([name, stringify!($parameter)], $parameter.len(), ($write_length) as usize)?;)?)?
                $($(for axis in &$parameter {
                    device.check([name, stringify!($parameter)], axis.len(), ($axis_length) as usize)?;
                })?)?
                $($(for axis in &$parameter {
                    device.check([name, stringify!($parameter)], axis.len(), ($axis_out_length) as usize)?;
                })?)?
            )+
            let function = device.function(&MODULE, name, config.shared_mem_bytes)?;
            let mut launch = device.stream().launch_builder(&function);
            $(
                $(Read::<$read>::push($parameter, &mut launch);)?
                $(Write::<$write>::push($parameter, &mut launch);)?
                $(for axis in $parameter { Read::<$axis>::push(axis, &mut launch); })?
                $(for axis in $parameter { Write::<$axis_out>::push(axis, &mut launch); })?
                $(PushKernelArg::<&$scalar>::arg(&mut launch, &$parameter);)?
            )+
            // SAFETY: the parameters are those of the PTX in number and width, as a test ensures, and the
            // compiler checks types and order against the table. Lengths that the table states were checked
            // above. Other lengths, the blocks, their shared memory and the device of each buffer are up to
            // the callers, all of which are in this crate; the tests run every kernel, also under
            // compute-sanitizer.
            let launched = unsafe { launch.launch(config) };
            launched.map(|_| ()).map_err(|e| device.error(name, e))
        }
    };
}
pub(super) use kernel;

/// How the PTX declares the parameters of a kernel; see [`kernels!`].
#[cfg(test)]
macro_rules! declarations {
    ($(
        $parameter:ident:
            $(&[$read:ty $(; $read_length:expr)?])?
            $(&mut [$write:ty $(; $write_length:expr)?])?
            $([&[$axis:ty $(; $axis_length:expr)?]; 3])?
            $([&mut [$axis_out:ty $(; $axis_out_length:expr)?]; 3])?
            $($scalar:ident)?
    ),+ $(,)?) => {
        &[$(
            $(<*const $read as Declared>::PTX)?
            $(<*mut $write as Declared>::PTX)?
            $(<*const $axis as Declared>::PTX, <*const $axis as Declared>::PTX, <*const $axis as Declared>::PTX)?
            $(<*mut $axis_out as Declared>::PTX, <*mut $axis_out as Declared>::PTX, <*mut $axis_out as Declared>::PTX)?
            $(<$scalar as Declared>::PTX)?
        ),+]
    };
}
#[cfg(test)]
pub(super) use declarations;

/// One thread for each of `n` items.
pub(crate) fn each(n: u32) -> LaunchConfig {
    each_in_blocks(n, 256)
}

/// The same in blocks of `threads` threads.
pub(crate) fn each_in_blocks(n: u32, threads: u32) -> LaunchConfig {
    grid(n.div_ceil(threads).max(1), 1, threads, 0)
}

/// Blocks in two dimensions, with dynamic shared memory.
pub(crate) fn grid(x: u32, y: u32, threads: u32, shared_mem_bytes: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (x, y, 1), block_dim: (threads, 1, 1), shared_mem_bytes }
}

#[cfg(test)]
mod declared {
    use super::{Declared, Float3};

    macro_rules! declared {
        ($($scalar:ty: $ptx:literal),+) => {
            $(impl Declared for $scalar { const PTX: &'static str = $ptx; })+
        };
    }
    declared! {u32: ".u32", i32: ".u32", u64: ".u64", i64: ".u64", f64: ".f64", Float3: ".align 4 .b8 [12]"}

    impl<T> Declared for *const T {
        const PTX: &'static str = ".u64";
    }

    impl<T> Declared for *mut T {
        const PTX: &'static str = ".u64";
    }
}
