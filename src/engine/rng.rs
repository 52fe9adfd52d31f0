//! Named independent random streams from one seed.
//!
//! A stream belongs to (seed, purpose, entity's name), and a draw to its index in the stream: what
//! a draw is for decides its value, never what was drawn before it. So adding an entity or halving
//! the step leaves everybody else's draws alone. Keys come from ChaCha8 with the name as its stream
//! number; a draw is one output of Xoshiro256++ seeded from key and index by SplitMix64.

use rand::rngs::{ChaCha8Rng, Xoshiro256PlusPlus};
use rand::{Rng, SeedableRng};

use crate::queueing::normal_quantile;

/// What a stream is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The order in which speeds are dealt.
    Speed,
    /// When the first probe is sent.
    Phase,
    /// The luck of probes.
    Probe,
    /// Gaps between first tries.
    Arrival,
    /// Everything that is drawn for one try.
    Try,
}

/// Draws by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream of a purpose and a name.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, name: &str) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(fnv1a(purpose as u8, name));
        Self(generator.next_u64())
    }

    /// The stream of the `index`-th member of this stream's entity.
    #[must_use]
    pub fn member(self, index: u32) -> Self {
        Self(self.bits(u64::from(index)))
    }

    fn bits(self, index: u64) -> u64 {
        let mixed = self.0 ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Xoshiro256PlusPlus::seed_from_u64(mixed).next_u64()
    }

    /// A uniform draw in (0, 1).
    #[must_use]
    pub fn uniform(self, index: u64) -> f64 {
        unit(self.bits(index))
    }

    /// A standard normal draw, by inversion.
    #[must_use]
    pub fn normal(self, index: u64) -> f64 {
        normal_quantile(self.uniform(index))
    }

    /// 0..`count` in a drawn order (Fisher and Yates).
    #[must_use]
    pub fn shuffled(self, count: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count).collect();
        for i in (1..count).rev() {
            let other = (self.uniform(u64::from(i)) * f64::from(i + 1)) as u32;
            order.swap(i as usize, other.min(i) as usize);
        }
        order
    }
}

/// Draws of one request by what they are for, where there are very many requests: SplitMix64's
/// output function (Steele, Lea & Flood 2014) over a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Draws {
    /// Of the `number`-th entity of a stream.
    #[must_use]
    pub const fn of(stream: Stream, number: u64) -> Self {
        Self(split_mix(stream.0.wrapping_add(number.wrapping_mul(GOLDEN))))
    }

    /// Of something that belongs to this entity.
    #[must_use]
    pub const fn child(self, number: u64) -> Self {
        Self(split_mix(self.0 ^ split_mix(number.wrapping_add(GOLDEN))))
    }

    /// 64 random bits for one purpose.
    #[must_use]
    pub const fn bits(self, purpose: u64) -> u64 {
        split_mix(self.0.wrapping_add((purpose + 1).wrapping_mul(GOLDEN)))
    }

    /// A uniform draw in (0, 1).
    #[must_use]
    pub const fn uniform(self, purpose: u64) -> f64 {
        unit(self.bits(purpose))
    }

    /// An exponential draw of mean 1, by inversion.
    #[must_use]
    pub fn exponential(self, purpose: u64) -> f64 {
        -libm::log(self.uniform(purpose))
    }
}

/// 64 bits to the middle of one of 2⁵³ cells of (0, 1).
const fn unit(bits: u64) -> f64 {
    ((bits >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0
}

const fn split_mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Fowler, Noll and Vo's hash FNV-1a, 64 bits.
fn fnv1a(purpose: u8, name: &str) -> u64 {
    std::iter::once(purpose).chain(name.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_and_normal() {
        let stream = Stream::new(7, Purpose::Probe, "a");
        let count = 20_000;
        let mean = (0..count).map(|i| stream.uniform(i)).sum::<f64>() / count as f64;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        let square = (0..count).map(|i| stream.normal(i).powi(2)).sum::<f64>() / count as f64;
        assert!((square - 1.0).abs() < 0.05, "{square}");
    }

    #[test]
    fn neighbours_are_independent() {
        let stream = Stream::new(7, Purpose::Probe, "a");
        let count = 20_000_u32;
        let other = |i| stream.member(i + 1).normal(0);
        let product: f64 = (0..count).map(|i| stream.member(i).normal(0) * other(i)).sum();
        assert!((product / f64::from(count)).abs() < 0.03, "{product}");
    }

    #[test]
    fn values_are_pinned() {
        // Golden: a change here changes every published number.
        let stream = Stream::new(1, Purpose::Phase, "web-a");
        assert_eq!(format!("{:.12}", stream.uniform(0)), "0.091952338148");
    }
}
