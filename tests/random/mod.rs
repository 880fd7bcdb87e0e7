//! Random numbers that are the same in every run, for tests.

#![allow(dead_code, reason = "a test takes the numbers that it needs")]

/// SplitMix64 (Steele, Lea and Flood 2014), from any seed.
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `0..1`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in `0..below`.
    pub fn below(&mut self, below: u64) -> u64 {
        self.bits() % below
    }
}
