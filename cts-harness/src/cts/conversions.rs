//! `test_conversions` has one sub-test that takes hours, and accepts names of conversions as arguments. A
//! variant of the suite that only this harness has divides it into one case per pair of types:
//! `conversions:pairs/int_float` converts float to int.

/// The types, by their names in the program.
const TYPES: [&str; 11] = [
    "uchar", "char", "ushort", "short", "uint", "int", "half", "float", "double", "ulong", "long",
];
const ROUNDINGS: [&str; 5] = ["", "_rte", "_rtp", "_rtn", "_rtz"];

/// Returns the names of all pairs of types. The destination comes first, as in the program's names.
pub(super) fn pairs() -> Vec<String> {
    let pair = |to: &&str| TYPES.map(|from| format!("{to}_{from}"));
    TYPES.iter().flat_map(pair).collect()
}

/// Returns the names of all conversions of a pair: with and without saturation, with every rounding mode.
pub(super) fn names(pair: &str) -> Vec<String> {
    let Some((to, from)) = pair.split_once('_') else {
        return Vec::new();
    };
    // OpenCL C 6.2.3: only conversions to integers can saturate.
    let saturations: &[&str] = match to {
        "half" | "float" | "double" => &[""],
        _ => &["", "_sat"],
    };
    let named = |sat: &&str| ROUNDINGS.map(|round| format!("{to}{sat}{round}_{from}"));
    saturations.iter().flat_map(named).collect()
}

/// The name of the sub-test in the program's result file.
pub(super) const RESULT: &str = "conversions";

/// Returns whether a log shows that anything was tested. The program skips types that the device lacks.
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
        // There are 8 integer types, with and without saturation, and 3 other types without saturation.
        assert_eq!(all.len(), 8 * 11 * 10 + 3 * 11 * 5);
        assert_eq!(names("float_int")[1], "float_rte_int");
        assert!(names("char_float").contains(&"char_sat_rtz_float".to_owned()));
    }
}
