//! SHA-256: integer arithmetic, shifts and rotations.

use super::prelude::*;
use std::sync::LazyLock;

/// A message or a digest: each has 256 bits here.
type Words = [u32; 8];

pub(super) fn case(scale: Scale) -> Case {
    let messages = scale.pick(1 << 12, 1 << 20);
    let rounds = scale.pick(4, 32);
    let hashes = messages as f64 * f64::from(rounds);
    work::case("kernel/sha256", mega(hashes, "Mhash/s"), move |_| {
        Ok(sha256(messages, rounds))
    })
}

fn sha256(count: usize, rounds: u32) -> Work {
    let messages = Random::new(17).words(count * 8);
    Work::new(
        include_str!("../kernels/sha256.cl"),
        vec![Memory::Buffer(of_u32(&messages)), Memory::Output(count * 32)],
    )
    .launch(
        "sha256",
        &[U32(rounds), Object(0), Object(1)],
        Range::line(count, 256),
    )
    .checked(1, move |found| check(&messages, &to_u32(found), count, rounds))
}

/// Compares the first, the last and 256 random digests with those that the host computes.
fn check(messages: &[u32], found: &[u32], count: usize, rounds: u32) -> Result<(), String> {
    let (messages, _) = messages.as_chunks::<8>();
    let mut random = Random::new(18);
    for i in (0..256).map(|_| random.below(count)).chain([0, count - 1]) {
        let digest = (0..rounds).fold(messages[i], |message, _| digest(message));
        same(&found[i * 8..][..8], &digest).map_err(|why| format!("message {i}: {why}"))?;
    }
    Ok(())
}

/// Returns the first 32 bits of the fractional parts of the roots of the first `N` primes. `root` is the square
/// root for the initial hash value (FIPS 180-4, 5.3.3), the cube root for the round constants (4.2.2).
fn constants<const N: usize>(root: fn(f64) -> f64) -> [u32; N] {
    let is_prime = |n: &u64| (2..*n).all(|d| !n.is_multiple_of(d));
    let mut primes = (2u64..).filter(is_prime);
    std::array::from_fn(|_| {
        let root = root(primes.next().unwrap_or(2) as f64);
        (root.fract() * 4_294_967_296.0) as u32
    })
}

/// Returns the SHA-256 digest of 32 bytes (FIPS 180-4, 6.2). The local variables are the standard's functions:
/// `near` and `far` are σ0 and σ1, `wide` and `broad` are Σ1 and Σ0.
fn digest(message: Words) -> Words {
    static K: LazyLock<[u32; 64]> = LazyLock::new(|| constants(f64::cbrt));
    static START: LazyLock<Words> = LazyLock::new(|| constants(f64::sqrt));
    let start = *START;
    let mut w = [0u32; 64];
    w[..8].copy_from_slice(&message);
    // The padding: a one bit, zeros, and the length of the message in bits.
    w[8] = 1 << 31;
    w[15] = 256;
    for t in 16..64 {
        let near = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
        let far = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16]
            .wrapping_add(near)
            .wrapping_add(w[t - 7])
            .wrapping_add(far);
    }
    let mut v = start;
    for t in 0..64 {
        let [a, b, c, d, e, f, g, h] = v;
        let wide = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let broad = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let choice = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let terms = [h, wide, choice, K[t], w[t]];
        let first = terms.into_iter().fold(0u32, u32::wrapping_add);
        let second = broad.wrapping_add(majority);
        v = [
            first.wrapping_add(second),
            a,
            b,
            c,
            d.wrapping_add(first),
            e,
            f,
            g,
        ];
    }
    std::array::from_fn(|i| v[i].wrapping_add(start[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_the_standards() {
        let k: [u32; 64] = constants(f64::cbrt);
        assert_eq!((k[0], k[1], k[63]), (0x428a_2f98, 0x7137_4491, 0xc671_78f2));
        let start: Words = constants(f64::sqrt);
        assert_eq!((start[0], start[7]), (0x6a09_e667, 0x5be0_cd19));
    }

    /// The digest was computed by `printf 'abcdefghijklmnopqrstuvwxyz012345' | sha256sum`.
    #[test]
    fn a_known_digest() {
        let text = b"abcdefghijklmnopqrstuvwxyz012345";
        let message = std::array::from_fn(|i| u32::from_be_bytes(text[i * 4..][..4].try_into().unwrap()));
        let hex: String = digest(message).iter().map(|w| format!("{w:08x}")).collect();
        assert_eq!(
            hex,
            "653bb1245e828fcda4fa53fcd5a3def5bd7654e651f54b4132b73d74e64435c4"
        );
    }
}
