//! Vectors of `f32` at three widths behind one trait, chosen at run time.

use std::fmt;

/// A vector instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Plain Rust, on any processor.
    Portable,
    /// AVX2 with FMA: 8 lanes.
    Avx2,
    /// AVX-512F: 16 lanes.
    Avx512,
}

impl InstructionSet {
    /// All of them, narrowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The widest that this processor has.
    pub fn best() -> Self {
        Self::ALL.into_iter().rfind(|l| l.is_available()).unwrap_or(Self::Portable)
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Self::Portable => true,
            Self::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("fma")
            }
            Self::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
        };
        #[cfg(not(target_arch = "x86_64"))]
        return self == Self::Portable;
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        })
    }
}

/// `WIDTH` floats that are processed together.
///
/// # Safety
/// The processor must have the instruction set of the implementor. The methods are inlined into a function
/// that enables it.
pub(super) trait Lanes: Copy {
    /// Floats in a vector; at most 16.
    const WIDTH: usize;

    /// All lanes the same.
    unsafe fn splat(v: f32) -> Self;
    /// The first `WIDTH` floats of `from`.
    unsafe fn load(from: &[f32]) -> Self;
    /// `self × b + c`, rounded once.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    /// `floor(self)` limited to `-1 ..= top`, as integers, in the first `WIDTH` places.
    unsafe fn floor_clamped(self, top: i32) -> [i32; 16];
    /// How many lanes are at least `bound`.
    unsafe fn count_at_least(self, bound: f32) -> u32;

    /// The floors.
    unsafe fn floor(self) -> Self;
    /// `self - b`.
    unsafe fn sub(self, b: Self) -> Self;
    /// Stores whole numbers as integers in the first `WIDTH` places of `out`; `last` for larger numbers,
    /// negative ones and NaN.
    unsafe fn store_up_to(self, last: u32, out: &mut [u32]);
}

/// Eight lanes of plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; 8]);

impl Lanes for Portable {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn splat(v: f32) -> Self {
        Portable([v; 8])
    }

    #[inline(always)]
    unsafe fn load(from: &[f32]) -> Self {
        Portable(std::array::from_fn(|i| from[i]))
    }

    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        Portable(std::array::from_fn(|i| self.0[i].mul_add(b.0[i], c.0[i])))
    }

    #[inline(always)]
    unsafe fn floor_clamped(self, top: i32) -> [i32; 16] {
        let mut out = [0; 16];
        for (o, v) in out.iter_mut().zip(self.0) {
            *o = v.floor().max(-1.0).min(top as f32) as i32;
        }
        out
    }

    #[inline(always)]
    unsafe fn count_at_least(self, bound: f32) -> u32 {
        self.0.iter().map(|&v| u32::from(v >= bound)).sum()
    }

    #[inline(always)]
    unsafe fn floor(self) -> Self {
        Portable(self.0.map(f32::floor))
    }

    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        Portable(std::array::from_fn(|i| self.0[i] - b.0[i]))
    }

    #[inline(always)]
    unsafe fn store_up_to(self, last: u32, out: &mut [u32]) {
        for (o, v) in out[..8].iter_mut().zip(self.0) {
            *o = if v >= 0.0 { (v as u32).min(last) } else { last };
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::cpu::lanes::Lanes;
    use std::arch::x86_64::*;

    /// Eight lanes of AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256);

    impl Lanes for Avx2 {
        const WIDTH: usize = 8;

        #[inline(always)]
        unsafe fn splat(v: f32) -> Self {
            // SAFETY: the caller has AVX2.
            Avx2(unsafe { _mm256_set1_ps(v) })
        }

        #[inline(always)]
        unsafe fn load(from: &[f32]) -> Self {
            let from = &from[..8];
            // SAFETY: the caller has AVX2; the slice holds eight floats.
            Avx2(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        unsafe fn mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: the caller has FMA.
            Avx2(unsafe { _mm256_fmadd_ps(self.0, b.0, c.0) })
        }

        #[inline(always)]
        unsafe fn floor_clamped(self, top: i32) -> [i32; 16] {
            let mut out = [0; 16];
            // SAFETY: the caller has AVX2; `out` has room for eight integers.
            unsafe {
                let floor = _mm256_floor_ps(self.0);
                let low = _mm256_max_ps(floor, _mm256_set1_ps(-1.0));
                let both = _mm256_min_ps(low, _mm256_set1_ps(top as f32));
                _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_cvttps_epi32(both));
            }
            out
        }

        #[inline(always)]
        unsafe fn count_at_least(self, bound: f32) -> u32 {
            // SAFETY: the caller has AVX2.
            let mask = unsafe {
                _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(self.0, _mm256_set1_ps(bound)))
            };
            mask.count_ones()
        }

        #[inline(always)]
        unsafe fn floor(self) -> Self {
            // SAFETY: the caller has AVX2.
            Avx2(unsafe { _mm256_floor_ps(self.0) })
        }

        #[inline(always)]
        unsafe fn sub(self, b: Self) -> Self {
            // SAFETY: the caller has AVX2.
            Avx2(unsafe { _mm256_sub_ps(self.0, b.0) })
        }

        #[inline(always)]
        unsafe fn store_up_to(self, last: u32, out: &mut [u32]) {
            let out = &mut out[..8];
            // SAFETY: the caller has AVX2; the slice has room for eight integers. Numbers that do not fit an
            // integer become the lowest one, which as an unsigned number is large, as are all negative ones.
            unsafe {
                let limit = _mm256_set1_epi32(last as i32);
                let places = _mm256_min_epu32(_mm256_cvttps_epi32(self.0), limit);
                _mm256_storeu_si256(out.as_mut_ptr().cast(), places);
            }
        }
    }

    /// Sixteen lanes of AVX-512F.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512);

    impl Lanes for Avx512 {
        const WIDTH: usize = 16;

        #[inline(always)]
        unsafe fn splat(v: f32) -> Self {
            // SAFETY: the caller has AVX-512F.
            Avx512(unsafe { _mm512_set1_ps(v) })
        }

        #[inline(always)]
        unsafe fn load(from: &[f32]) -> Self {
            let from = &from[..16];
            // SAFETY: the caller has AVX-512F; the slice holds sixteen floats.
            Avx512(unsafe { _mm512_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        unsafe fn mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: the caller has AVX-512F.
            Avx512(unsafe { _mm512_fmadd_ps(self.0, b.0, c.0) })
        }

        #[inline(always)]
        unsafe fn floor_clamped(self, top: i32) -> [i32; 16] {
            let mut out = [0; 16];
            // SAFETY: the caller has AVX-512F; `out` has room for sixteen integers.
            unsafe {
                let floor = _mm512_roundscale_ps::<_MM_FROUND_FLOOR>(self.0);
                let low = _mm512_max_ps(floor, _mm512_set1_ps(-1.0));
                let both = _mm512_min_ps(low, _mm512_set1_ps(top as f32));
                _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_cvttps_epi32(both));
            }
            out
        }

        #[inline(always)]
        unsafe fn count_at_least(self, bound: f32) -> u32 {
            // SAFETY: the caller has AVX-512F.
            let mask = unsafe { _mm512_cmp_ps_mask::<_CMP_GE_OQ>(self.0, _mm512_set1_ps(bound)) };
            mask.count_ones()
        }

        #[inline(always)]
        unsafe fn floor(self) -> Self {
            // SAFETY: the caller has AVX-512F.
            Avx512(unsafe { _mm512_roundscale_ps::<_MM_FROUND_FLOOR>(self.0) })
        }

        #[inline(always)]
        unsafe fn sub(self, b: Self) -> Self {
            // SAFETY: the caller has AVX-512F.
            Avx512(unsafe { _mm512_sub_ps(self.0, b.0) })
        }

        #[inline(always)]
        unsafe fn store_up_to(self, last: u32, out: &mut [u32]) {
            let out = &mut out[..16];
            // SAFETY: the caller has AVX-512F; the slice has room for sixteen integers. As with AVX2,
            // negative numbers and those that do not fit are large as unsigned numbers.
            unsafe {
                let limit = _mm512_set1_epi32(last as i32);
                let places = _mm512_min_epu32(_mm512_cvttps_epi32(self.0), limit);
                _mm512_storeu_si512(out.as_mut_ptr().cast(), places);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};
