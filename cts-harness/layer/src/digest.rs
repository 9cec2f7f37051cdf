//! A digest of data that a program reads back: a hash, and a sketch from which the distance between two results can be
//! estimated.
//!
//! The sketch consists of sums of all elements with pseudo-random signs. The mean square of the difference of two
//! sketches is an estimate of the square of the distance of the two results, whose relative error is about 1/2 with
//! [`SUMS`] sums (AMS sketch).

/// The number of sums of a sketch.
pub(crate) const SUMS: usize = 8;

/// The number of bytes that are processed at a time. It is a multiple of the size of every element.
const BLOCK: usize = 1 << 20;

/// What the elements of a result are taken for. The data itself decides.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Elements {
    Float,
    Double,
    Byte,
}

impl Elements {
    /// Returns the word for the elements in the report.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Elements::Float => "float",
            Elements::Double => "double",
            Elements::Byte => "byte",
        }
    }

    /// Decides by the beginning of the data. The magnitudes of floating-point numbers are closer to each other than those
    /// of other data that is read as floating-point numbers.
    fn of(beginning: &[u8]) -> Elements {
        let float = spread(floats(beginning), f64::from(f32::MIN_POSITIVE));
        let double = spread(doubles(beginning), f64::MIN_POSITIVE);
        match float.min(double) {
            least if least > MOST_SPREAD => Elements::Byte,
            least if least == float => Elements::Float,
            _ => Elements::Double,
        }
    }
}

/// The largest standard deviation of the binary exponents of floating-point numbers.
const MOST_SPREAD: f64 = 24.0;

/// Returns the standard deviation of the binary exponents of the elements that are not 0; infinity if every tenth of them
/// is below `least`, infinite, or not a number.
fn spread(values: impl Iterator<Item = f64>, least: f64) -> f64 {
    let (mut count, mut strange, mut sum, mut squares) = (0.0, 0.0, 0.0, 0.0);
    for value in values.filter(|v| *v != 0.0) {
        count += 1.0;
        if value.is_finite() && value.abs() >= least {
            let exponent = value.abs().log2();
            sum += exponent;
            squares += exponent * exponent;
        } else {
            strange += 1.0;
        }
    }
    let good = count - strange;
    match count {
        0.0 => 0.0,
        _ if strange * 10.0 >= count => f64::INFINITY,
        _ => (squares / good - (sum / good) * (sum / good)).max(0.0).sqrt(),
    }
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f64> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|w| f64::from(f32::from_ne_bytes(*w)))
}

fn doubles(bytes: &[u8]) -> impl Iterator<Item = f64> {
    bytes.as_chunks::<8>().0.iter().map(|w| f64::from_ne_bytes(*w))
}

/// The digest of one result.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Digest {
    pub(crate) bytes: u64,
    /// A hash of all bytes.
    pub(crate) hash: u64,
    pub(crate) elements: Elements,
    /// The number of elements that are infinite or not numbers. They count as 0 in what follows.
    pub(crate) special: u64,
    /// The sum of the squares of the elements.
    pub(crate) squares: f64,
    pub(crate) sketch: [f64; SUMS],
}

/// Makes a digest of data that comes in pieces.
pub(crate) struct Digester {
    waiting: Vec<u8>,
    elements: Option<Elements>,
    /// The number of elements so far.
    count: u64,
    digest: Digest,
}

impl Digester {
    pub(crate) fn new() -> Digester {
        Digester {
            waiting: Vec::new(),
            elements: None,
            count: 0,
            digest: Digest {
                bytes: 0,
                hash: 0xcbf2_9ce4_8422_2325,
                elements: Elements::Byte,
                special: 0,
                squares: 0.0,
                sketch: [0.0; SUMS],
            },
        }
    }

    /// Appends a piece.
    pub(crate) fn add(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            let room = BLOCK - self.waiting.len();
            let (now, later) = piece.split_at(room.min(piece.len()));
            self.waiting.extend_from_slice(now);
            piece = later;
            if self.waiting.len() == BLOCK {
                self.process();
            }
        }
    }

    pub(crate) fn finish(mut self) -> Digest {
        self.process();
        self.digest
    }

    fn process(&mut self) {
        let block = std::mem::take(&mut self.waiting);
        self.digest.bytes += block.len() as u64;
        self.digest.hash = hash(self.digest.hash, &block);
        let elements = *self.elements.get_or_insert_with(|| Elements::of(&block));
        self.digest.elements = elements;
        match elements {
            Elements::Float => self.sum(floats(&block)),
            Elements::Double => self.sum(doubles(&block)),
            Elements::Byte => self.sum(block.iter().map(|b| f64::from(*b))),
        }
        self.waiting = block;
        self.waiting.clear();
    }

    fn sum(&mut self, values: impl Iterator<Item = f64>) {
        for value in values {
            let signs = mixed(self.count);
            self.count += 1;
            if !value.is_finite() {
                self.digest.special += 1;
                continue;
            }
            self.digest.squares += value * value;
            for (at, sum) in self.digest.sketch.iter_mut().enumerate() {
                *sum += if signs >> at & 1 == 0 { value } else { -value };
            }
        }
    }
}

/// Continues a hash with further bytes.
pub(crate) fn hash(start: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let rest = (!rest.is_empty()).then_some(&last);
    words.iter().chain(rest).fold(start, |hash, word| {
        let mixed = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 29
    })
}

/// The output function of SplitMix64.
fn mixed(count: u64) -> u64 {
    let z = count.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(bytes: &[u8]) -> Digest {
        let mut all = Digester::new();
        all.add(bytes);
        all.finish()
    }

    fn of_floats(values: impl Iterator<Item = f32>) -> Digest {
        digest(&values.flat_map(f32::to_ne_bytes).collect::<Vec<u8>>())
    }

    /// The estimate of the relative distance of two results.
    fn distance(a: &Digest, b: &Digest) -> f64 {
        let squares = a.sketch.iter().zip(&b.sketch).map(|(x, y)| (x - y) * (x - y));
        (squares.sum::<f64>() / SUMS as f64 / a.squares).sqrt()
    }

    #[test]
    fn pieces_do_not_matter() {
        let bytes: Vec<u8> = (0..3 * BLOCK + 13).map(|i| (i * i / 7) as u8).collect();
        let mut pieces = Digester::new();
        for piece in bytes.chunks(1001) {
            pieces.add(piece);
        }
        let pieces = pieces.finish();
        assert_eq!(pieces, digest(&bytes));
        assert_eq!(pieces.bytes, bytes.len() as u64);
    }

    #[test]
    fn elements_are_recognised() {
        let floats = of_floats((0..1000).map(|i| i as f32 * 0.1 - 20.0));
        assert_eq!(floats.elements, Elements::Float);
        let large = of_floats((0..1000).map(|i| (i * i) as f32 * 1e13));
        assert_eq!(large.elements, Elements::Float);
        assert_eq!(of_floats([0.0; 9].into_iter()).elements, Elements::Float);
        let doubles: Vec<u8> = (0..1000u32)
            .flat_map(|i| (f64::from(i) / 3.0).to_ne_bytes())
            .collect();
        assert_eq!(digest(&doubles).elements, Elements::Double);
        let integers: Vec<u8> = (0..1000u32).flat_map(u32::to_ne_bytes).collect();
        assert_eq!(digest(&integers).elements, Elements::Byte);
        assert_eq!(digest(&[]).bytes, 0);
    }

    #[test]
    fn the_distance_is_estimated() {
        let exact = of_floats((0..100_000).map(|i| (i as f32).sin()));
        let near = of_floats((0..100_000).map(|i| (i as f32).sin() * (1.0 + 1e-4 * (i as f32).cos())));
        let found = distance(&exact, &near);
        assert!(found > 1e-5 && found < 3e-4, "{found}");
        // The same elements in another order have the same sum, and are far away nevertheless.
        let reversed = of_floats((0..100_000).rev().map(|i| (i as f32).sin()));
        assert!(distance(&exact, &reversed) > 0.5);
        assert_eq!(distance(&exact, &exact), 0.0);
        assert_ne!(exact.hash, near.hash);
    }

    #[test]
    fn special_numbers_are_counted() {
        let found = of_floats([1.0, f32::NAN, f32::INFINITY, 2.0].into_iter().chain([3.0; 100]));
        assert_eq!((found.elements, found.special), (Elements::Float, 2));
        assert_eq!(found.squares, 905.0);
    }
}
