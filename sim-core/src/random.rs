//! Named random streams.
//!
//! A stream's draws depend on the run's seed and the stream's name alone, so a new consumer of randomness in
//! one place changes no other. The generator is named (PCG XSH RR 64/32), since the "standard" generators
//! may change between versions of a library.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::SeedableRng;

/// A stream of random numbers; use it with the traits of `rand` and the distributions of `rand_distr`.
pub type Stream = Pcg32;

/// The stream of this name in the run with this seed.
pub fn stream(seed: u64, name: &str) -> Stream {
    let mut state = [0; 16];
    let first = mix(seed ^ fnv1a(name));
    state[..8].copy_from_slice(&first.to_le_bytes());
    state[8..].copy_from_slice(&mix(first).to_le_bytes());
    Stream::from_seed(state)
}

/// The 64-bit FNV-1a hash of a name.
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The output function of SplitMix64: spreads every bit of the input over the output.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, RngExt};
    use rand_distr::{Distribution, Exp};

    #[test]
    fn first_draws_never_change() {
        let mut jitter = stream(1, "jitter");
        assert_eq!([jitter.next_u64(), jitter.next_u64()], [14558849179663041466, 9789909297958007376]);
        let mut work = stream(1, "work");
        assert_eq!(work.random_range(0..1000_u32), 840);
        assert_eq!(Exp::new(0.25).unwrap().sample(&mut work), 0.15855727337627573);
    }

    #[test]
    fn names_and_seeds_separate_streams() {
        let draws = [stream(1, "a"), stream(1, "b"), stream(2, "a")].map(|mut s| s.next_u64());
        assert!(draws[0] != draws[1] && draws[0] != draws[2] && draws[1] != draws[2]);
    }
}
