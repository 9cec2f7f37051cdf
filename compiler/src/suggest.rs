//! Finds the known name that is nearest to an unknown one, for the hint "did you mean …?".

/// Names longer than this are not compared, because the comparison takes quadratic time.
const MAX_LENGTH: usize = 64;

/// Returns the candidate with the smallest edit distance, if that is small for the name's length. Among
/// equally near candidates it returns the first in alphabetical order.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = name.len() / 3;
    if name.len() < 3 || name.len() > MAX_LENGTH {
        return None;
    }
    candidates
        .filter(|c| c.len().abs_diff(name.len()) <= most && *c != name)
        .map(|c| (distance(name.as_bytes(), c.as_bytes()), c))
        .filter(|(d, _)| *d <= most)
        .min()
        .map(|(_, c)| c)
}

/// Returns the edit distance: the number of characters inserted, deleted or replaced, and of neighbours
/// exchanged.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut best = (above[j] + usize::from(x != y))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let check = |a: &str, b: &str, n| assert_eq!(distance(a.as_bytes(), b.as_bytes()), n, "{a} {b}");
        check("", "abc", 3);
        check("count", "cuont", 1);
        check("kitten", "sitting", 3);
        check("same", "same", 0);
    }

    #[test]
    fn nearest_names() {
        let names = ["count", "amount", "get_global_id", "x"];
        let check = |name, expected| assert_eq!(nearest(name, names.into_iter()), expected, "{name}");
        check("cuont", Some("count"));
        check("get_globl_id", Some("get_global_id"));
        check("y", None);
        check("missing", None);
    }
}
