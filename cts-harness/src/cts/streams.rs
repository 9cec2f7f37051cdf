//! `test_image_streams` has five sub-tests, two of which take an hour with a CPU driver. It accepts image
//! formats and kinds of coordinates as arguments. Variants of the suite that only this harness has divide it
//! into cases: `2Darray_unorm_int8_normalized` reads with normalized coordinates from all formats with this
//! channel type, and `2Darray_write` writes all formats.

/// The sub-tests.
const IMAGES: [&str; 5] = ["1D", "1Darray", "2D", "2Darray", "3D"];
/// The channel types of OpenCL 1.2 and its extensions.
const TYPES: &str = "unorm_int8 snorm_int8 unorm_int16 snorm_int16 half_float float signed_int8 signed_int16 \
    signed_int32 unsigned_int8 unsigned_int16 unsigned_int32 unorm_short_565 unorm_short_555 unorm_int_101010 \
    unorm_int24";
const COORDINATES: [&str; 2] = ["normalized", "unnormalized"];
const WRITE: &str = "write";

/// Returns the cases. The cases that take longest come first.
pub(super) fn cases() -> Vec<String> {
    let mut all = Vec::new();
    for image in IMAGES.into_iter().rev() {
        let reads = TYPES
            .split(' ')
            .flat_map(|data| COORDINATES.map(|how| format!("{image}_{data}_{how}")));
        all.extend(reads);
        all.push(format!("{image}_{WRITE}"));
    }
    all
}

/// Returns the sub-test that a case is part of, by its name in the program's result file.
pub(super) fn result(case: &str) -> &str {
    case.split('_').next().unwrap_or(case)
}

/// Returns the arguments that select a case on the program's command line.
pub(super) fn arguments(case: &str) -> Vec<String> {
    let image = result(case);
    let rest = case
        .strip_prefix(image)
        .unwrap_or_default()
        .trim_start_matches('_');
    let mut words = match rest.rsplit_once('_') {
        Some((data, how)) => vec![
            "read".to_owned(),
            format!("CL_{}", data.to_ascii_uppercase()),
            how.to_ascii_uppercase(),
        ],
        None => vec![rest.to_owned()],
    };
    words.push(image.to_owned());
    words
}

/// Returns whether a log shows that anything was tested. The program skips formats that the device lacks.
pub(super) fn tested(log: &str) -> bool {
    log.lines().any(|l| l.starts_with("[CL_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_case_has_its_arguments() {
        let all = cases();
        assert_eq!(all.len(), 5 * (16 * 2 + 1));
        let lines: BTreeSet<Vec<String>> = all.iter().map(|c| arguments(c)).collect();
        assert_eq!(lines.len(), all.len());
        assert_eq!(
            arguments("2Darray_unorm_short_565_unnormalized"),
            ["read", "CL_UNORM_SHORT_565", "UNNORMALIZED", "2Darray"]
        );
        assert_eq!(arguments("1D_write"), ["write", "1D"]);
        assert_eq!(result("2Darray_float_normalized"), "2Darray");
        for case in all {
            assert!(IMAGES.contains(&result(&case)));
        }
    }

    #[test]
    fn a_log_without_formats_tested_nothing() {
        assert!(tested(
            "x\n[CL_RGBA CL_FLOAT                 4] - CL_FILTER_NEAREST - CL_ADDRESS_CLAMP"
        ));
        assert!(!tested(
            "  CL_RGBA CL_FLOAT                 4\nNo formats supported for float type"
        ));
    }
}
