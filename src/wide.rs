//! Plain Rust, compiled for wider vectors than every processor has.
//!
//! The operations and their order stay those of the source: nothing is fused or reassociated. So the result
//! is the same, to the last bit, on every processor.

/// Work whose loops are worth compiling for wide vectors. `run` and everything it calls must be
/// `#[inline(always)]`, or they are not compiled for wide vectors.
pub(crate) trait Work {
    /// Its result.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Does work with the widest vectors of this processor.
#[inline]
pub(crate) fn widely<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has all four, as just checked.
        return unsafe { with_avx2(work) };
    }
    work.run()
}

/// The same code, compiled with AVX2 and the instructions that came with it: for single bits, and for `mul_add`,
/// which without such an instruction is a call of a library.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,popcnt")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}
