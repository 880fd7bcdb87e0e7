//! SplitMix64 (Steele, Lea and Flood 2014), the base of random numbers and hashes.

/// The step of its state: 2⁶⁴ over the golden ratio.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Its output function, a bijection of 64 bits.
pub(crate) fn mixed(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One hash of three numbers.
pub(crate) fn mixed_all(numbers: [u64; 3]) -> u64 {
    numbers.into_iter().fold(0, |hash, v| mixed(hash ^ v))
}

/// At most `most` of the numbers below `n`, ascending: one of each of equally long runs, at random, so that nothing that
/// repeats among them is met again and again.
pub(crate) fn spread(n: usize, most: usize) -> impl Iterator<Item = usize> {
    let every = n.div_ceil(most).max(1);
    let place = move |k: usize| k * every + (mixed(k as u64) % every as u64) as usize;
    (0..n.div_ceil(every)).map(place).filter(move |&i| i < n)
}
