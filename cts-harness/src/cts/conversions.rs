//! `test_conversions` has one sub-test that takes hours, and takes names of conversions as arguments. A variant of
//! the suite of ours cuts it into one case per pair of types, `conversions:pairs/int_float` for float to int.

/// The types, by the program's names.
const TYPES: [&str; 11] = [
    "uchar", "char", "ushort", "short", "uint", "int", "half", "float", "double", "ulong", "long",
];
const ROUNDINGS: [&str; 5] = ["", "_rte", "_rtp", "_rtn", "_rtz"];

/// The pairs: destination first, as the program's names have it.
pub(super) fn pairs() -> Vec<String> {
    let pair = |to: &&str| TYPES.map(|from| format!("{to}_{from}"));
    TYPES.iter().flat_map(pair).collect()
}

/// The names of all conversions of a pair: with and without saturation, every rounding.
pub(super) fn names(pair: &str) -> Vec<String> {
    let Some((to, from)) = pair.split_once('_') else {
        return Vec::new();
    };
    // OpenCL C 6.2.3: saturation is for integers only.
    let saturations: &[&str] = match to {
        "half" | "float" | "double" => &[""],
        _ => &["", "_sat"],
    };
    let named = |sat: &&str| ROUNDINGS.map(|round| format!("{to}{sat}{round}_{from}"));
    saturations.iter().flat_map(named).collect()
}

/// The sub-test of the program's result file.
pub(super) const RESULT: &str = "conversions";

/// Whether a log shows that anything was tested: the program passes over types that the device lacks.
pub(super) fn tested(log: &str) -> bool {
    log.lines().any(|l| l.starts_with("Building "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_conversion_once() {
        let all: Vec<String> = pairs().iter().flat_map(|p| names(p)).collect();
        let mut once = all.clone();
        once.sort();
        once.dedup();
        assert_eq!(all.len(), once.len());
        // 8 integer types with saturation, 3 others without.
        assert_eq!(all.len(), 8 * 11 * 10 + 3 * 11 * 5);
        assert_eq!(names("float_int")[1], "float_rte_int");
        assert!(names("char_float").contains(&"char_sat_rtz_float".to_owned()));
    }
}
