//! Vectors of `f32` at three widths behind one trait, chosen at run time.

use std::fmt;

/// A vector instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Plain Rust, on any processor.
    Portable,
    /// AVX2 with FMA: 8 lanes.
    Avx2,
    /// AVX-512F: 16 lanes.
    Avx512,
}

impl Level {
    /// All of them, narrowest first.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// The widest that this processor has.
    pub fn best() -> Level {
        Level::ALL.into_iter().rfind(|l| l.is_available()).unwrap_or(Level::Portable)
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Level::Portable => true,
            Level::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("fma")
            }
            Level::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
        };
        #[cfg(not(target_arch = "x86_64"))]
        return self == Level::Portable;
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Level::Portable => "portable",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        })
    }
}

/// `WIDTH` floats that are worked on together.
///
/// # Safety
/// The methods may be called only where the processor has the instruction set of the implementor.
/// They are inlined into a function that enables it.
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

    /// Adds one to the counter of the floor of each lane. The first counter of `row` is that of -1; it and
    /// the last one are for what lies off the axis.
    #[inline(always)]
    unsafe fn vote(self, row: &mut [u32]) {
        // SAFETY: the caller has the instruction set.
        let bins = unsafe { self.floor_clamped(row.len() as i32 - 2) };
        for &r in &bins[..Self::WIDTH] {
            row[(r + 1) as usize] += 1;
        }
    }
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
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
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
        unsafe fn vote(self, row: &mut [u32]) {
            assert!(row.len() >= 2);
            let top = row.len() as i32 - 2;
            // SAFETY: the caller has AVX2.
            let pairs = unsafe {
                let floor = _mm256_floor_ps(self.0);
                let low = _mm256_max_ps(floor, _mm256_set1_ps(-1.0));
                let both = _mm256_min_ps(low, _mm256_set1_ps(top as f32));
                // As places in the row.
                let places = _mm256_add_epi32(_mm256_cvttps_epi32(both), _mm256_set1_epi32(1));
                let (a, b) =
                    (_mm256_castsi256_si128(places), _mm256_extracti128_si256::<1>(places));
                [
                    _mm_cvtsi128_si64(a),
                    _mm_extract_epi64::<1>(a),
                    _mm_cvtsi128_si64(b),
                    _mm_extract_epi64::<1>(b),
                ]
            };
            for pair in pairs.map(|pair| pair as u64) {
                for place in [pair & u64::from(u32::MAX), pair >> 32] {
                    // SAFETY: limited to `0 ..= top + 1`, the places of the row.
                    unsafe { *row.get_unchecked_mut(place as usize) += 1 };
                }
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
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};
