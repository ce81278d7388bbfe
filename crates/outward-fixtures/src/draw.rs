//! Numbers that look random and are the same every time.

/// Draws by SplitMix64 (Steele, Lea and Flood 2014).
pub struct Draw(u64);

impl Draw {
    /// Draws that follow from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below another.
    pub fn below(&mut self, many: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % many
    }

    /// One of these.
    pub fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }

    /// One of these, the first more often than the last.
    pub fn skewed<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let least = self.below(of.len() as u64).min(self.below(of.len() as u64));
        of[least as usize]
    }
}
