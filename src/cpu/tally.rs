//! Counting at places that are computed in advance.
//!
//! An increment of a counter in memory is a load, an addition and a store, and a core stores about once a
//! cycle: that is the lower bound. Added to it are waits (of a counter for its place, and for an earlier
//! increment of the same counter) and the extraction of places from a vector, lane by lane. So the places of
//! a few vectors are stored while those of the vectors before are counted: fetching a place is then one
//! cheap, early load.
//!
//! Counters have 32 bits. Narrower ones would take less cache, but storing them takes twice as long on some
//! processors (AMD Zen 3).

use super::lanes::{InstructionSet, Lanes, Portable};

/// Points whose places are computed together.
const AHEAD: usize = 32;

/// Says where points count.
pub(super) trait Binning {
    /// The places of a vector of points, as whole numbers. A place outside the counters is left out.
    ///
    /// # Safety
    /// The processor must have the instruction set of `L`.
    unsafe fn of<L: Lanes>(&self, x: L, y: L) -> L;
}

/// The bins of a vector of points in the row with table entry `t`; they may be off the axis.
///
/// # Safety
/// The processor must have the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn bin<L: Lanes>(t: [f32; 4], x: L, y: L) -> L {
    // SAFETY: the caller has the instruction set. The last step of `crate::vote::position` adds nothing where
    // z is 0.
    unsafe {
        let sum = x.mul_add(L::splat(t[0]), L::splat(t[3]));
        y.mul_add(L::splat(t[1]), sum).floor()
    }
}

/// Counts all points, each at its place, with these `instructions`. The last counter takes points without a
/// place.
pub(super) fn tally<P: Binning>(
    instructions: InstructionSet,
    points: [&[f32]; 2],
    place: &P,
    counters: &mut [u32],
) {
    match instructions {
        // SAFETY: plain Rust runs on every processor.
        InstructionSet::Portable => unsafe { tally_in::<Portable, P>(points, place, counters) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `InstructionSet` is used only where it is available.
        InstructionSet::Avx2 => unsafe { tally_avx2(points, place, counters) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        InstructionSet::Avx512 => unsafe { tally_avx512(points, place, counters) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => unreachable!("only Portable is available on this processor"),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn tally_avx2<P: Binning>(points: [&[f32]; 2], place: &P, counters: &mut [u32]) {
    // SAFETY: this function is compiled with AVX2 and FMA and called only where they are.
    unsafe { tally_in::<super::lanes::Avx2, P>(points, place, counters) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn tally_avx512<P: Binning>(points: [&[f32]; 2], place: &P, counters: &mut [u32]) {
    // SAFETY: this function is compiled with AVX-512F and called only where it is.
    unsafe { tally_in::<super::lanes::Avx512, P>(points, place, counters) }
}

/// # Safety
/// The processor must have the instruction set of `L`.
#[inline(always)]
unsafe fn tally_in<L: Lanes, P: Binning>([x, y]: [&[f32]; 2], place: &P, counters: &mut [u32]) {
    let last = counters.len() as u32 - 1;
    let (xs, ys) = (x.chunks_exact(AHEAD), y.chunks_exact(AHEAD));
    let rest = [xs.remainder(), ys.remainder()];
    let mut turns = [[0; AHEAD]; 2];
    for (i, (x, y)) in xs.zip(ys).enumerate() {
        // SAFETY: the caller has the instruction set.
        unsafe { store_places::<L, P>([x, y], place, last, &mut turns[i % 2]) };
        if i > 0 {
            // SAFETY: these places are stored, and none is beyond the last.
            unsafe { count_at(&turns[1 - i % 2], counters) };
        }
    }
    let whole = x.len() / AHEAD;
    if whole > 0 {
        // SAFETY: as above.
        unsafe { count_at(&turns[1 - whole % 2], counters) };
    }
    let mut padded = [[0.0; AHEAD]; 2];
    for (padded, rest) in padded.iter_mut().zip(rest) {
        padded[..rest.len()].copy_from_slice(rest);
    }
    // SAFETY: as above.
    unsafe {
        store_places::<L, P>([&padded[0], &padded[1]], place, last, &mut turns[0]);
        count_at(&turns[0][..rest[0].len()], counters);
    }
}

/// The places of the [`AHEAD`] points that are computed together; `last` for points without a place.
///
/// # Safety
/// As for [`tally_in`].
#[inline(always)]
unsafe fn store_places<L: Lanes, P: Binning>(
    [x, y]: [&[f32]; 2],
    place: &P,
    last: u32,
    places: &mut [u32; AHEAD],
) {
    for k in (0..AHEAD).step_by(L::WIDTH) {
        // SAFETY: the caller has the instruction set.
        unsafe {
            place.of::<L>(L::load(&x[k..]), L::load(&y[k..])).store_up_to(last, &mut places[k..])
        };
    }
}

/// # Safety
/// Every place must be that of a counter.
#[inline(always)]
unsafe fn count_at(places: &[u32], counters: &mut [u32]) {
    for &place in places {
        // SAFETY: it is the place of a counter.
        unsafe { *counters.get_unchecked_mut(place as usize) += 1 };
    }
}
