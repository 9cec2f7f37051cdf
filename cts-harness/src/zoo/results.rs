//! Compares the data that a program reads back on two platforms, by the layer's digests.

use super::report::Read;

/// How the results of two runs agree.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Agreement {
    /// The number of reads with the same bytes.
    pub(super) equal: usize,
    /// The number of reads whose estimated distance is within the tolerance.
    pub(super) close: usize,
    pub(super) different: usize,
    /// The number of reads that the layer did not see in one of the runs.
    pub(super) unseen: usize,
    /// The largest estimated distance, relative to the norm of the data; infinity if the sizes or the numbers of
    /// infinities and NaNs differ.
    pub(super) distance: f64,
    /// The numbers of reads, if they differ.
    pub(super) counts: Option<[usize; 2]>,
}

impl Agreement {
    pub(super) fn is_good(&self) -> bool {
        self.different == 0 && self.counts.is_none()
    }

    /// Returns the agreement in words.
    pub(super) fn text(&self) -> String {
        let mut parts = Vec::new();
        for (n, what) in [
            (self.equal, "equal"),
            (self.close, "close"),
            (self.different, "DIFFERENT"),
            (self.unseen, "unseen"),
        ] {
            if n > 0 {
                parts.push(format!("{n} {what}"));
            }
        }
        if self.distance > 0.0 {
            parts.push(format!("distance {:.1e}", self.distance));
        }
        if let Some([a, b]) = self.counts {
            parts.push(format!("{a} and {b} reads"));
        }
        match parts.is_empty() {
            true => "no reads".into(),
            false => parts.join(", "),
        }
    }
}

/// Compares the reads of two runs one by one.
pub(super) fn compare(first: &[Option<Read>], other: &[Option<Read>], tolerance: f64) -> Agreement {
    let mut all = Agreement::default();
    if first.len() != other.len() {
        all.counts = Some([first.len(), other.len()]);
    }
    for pair in first.iter().zip(other) {
        let (Some(a), Some(b)) = pair else {
            all.unseen += 1;
            continue;
        };
        if a.bytes == b.bytes && a.hash == b.hash {
            all.equal += 1;
            continue;
        }
        let distance = distance(a, b);
        all.distance = all.distance.max(distance);
        if distance <= tolerance {
            all.close += 1;
        } else {
            all.different += 1;
        }
    }
    all
}

/// Returns the estimate of the distance of two results, relative to the larger norm.
fn distance(a: &Read, b: &Read) -> f64 {
    if a.bytes != b.bytes
        || a.elements != b.elements
        || a.special != b.special
        || a.sketch.len() != b.sketch.len()
    {
        return f64::INFINITY;
    }
    let squares: f64 = a
        .sketch
        .iter()
        .zip(&b.sketch)
        .map(|(x, y)| (x - y) * (x - y))
        .sum();
    let norm = a.squares.max(b.squares);
    match (squares / a.sketch.len() as f64 / norm).sqrt() {
        distance if distance.is_finite() => distance,
        // There are overflows, or only zeros and data that the sketch does not see.
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(hash: &str, sketch: [f64; 2]) -> Option<Read> {
        Some(Read {
            bytes: 8,
            hash: hash.into(),
            elements: "float".into(),
            special: 0,
            squares: 4.0,
            sketch: sketch.to_vec(),
        })
    }

    #[test]
    fn equal_close_and_different() {
        let first = [
            read("a", [1.0, 2.0]),
            read("b", [1.0, 2.0]),
            read("c", [1.0, 2.0]),
            None,
        ];
        let other = [
            read("a", [1.0, 2.0]),
            read("x", [1.0002, 2.0]),
            read("y", [3.0, 2.0]),
            None,
        ];
        let all = compare(&first, &other, 1e-3);
        assert_eq!((all.equal, all.close, all.different, all.unseen), (1, 1, 1, 1));
        assert!((all.distance - 0.5f64.sqrt()).abs() < 1e-9, "{}", all.distance);
        assert!(!all.is_good());
        assert_eq!(
            all.text(),
            "1 equal, 1 close, 1 DIFFERENT, 1 unseen, distance 7.1e-1"
        );
    }

    #[test]
    fn other_sizes_numbers_and_special_values() {
        let one = read("a", [1.0, 2.0]);
        assert!(!compare(std::slice::from_ref(&one), &[], 1.0).is_good());
        let mut special = read("b", [1.0, 2.0]);
        special.as_mut().unwrap().special = 1;
        assert_eq!(compare(&[one], &[special], 1.0).distance, f64::INFINITY);
        assert_eq!(compare(&[], &[], 1.0).text(), "no reads");
    }
}
