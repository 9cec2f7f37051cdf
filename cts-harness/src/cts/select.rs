//! Selections: tiers, suites, sub-tests and globs become cases.

use super::suite::Suite;
use super::{fail, matches};
use crate::Failure;
use std::collections::BTreeSet;

/// One sub-test of one suite.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Case {
    pub(super) suite: String,
    pub(super) subtest: String,
    pub(super) program: std::path::PathBuf,
}

impl Case {
    /// `suite/subtest`.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.suite, self.subtest)
    }
}

/// Tiers and their patterns: one a line, `#` starts a comment, `!` takes away.
const TIERS: [(&str, &str); 4] = [
    ("smoke", include_str!("../../lists/smoke.lst")),
    ("quick", include_str!("../../lists/quick.lst")),
    ("wimpy", include_str!("../../lists/wimpy.lst")),
    ("full", include_str!("../../lists/full.lst")),
];

/// The cases that the selections name, sorted, each once.
pub(super) fn cases(suites: &[Suite], selections: &[String]) -> Result<Vec<Case>, Failure> {
    let all = [String::from("*")];
    let mut chosen = BTreeSet::new();
    for selection in if selections.is_empty() {
        &all[..]
    } else {
        selections
    } {
        match TIERS.iter().find(|(name, _)| name == selection) {
            // A tier names suites that this build may lack; a selection by hand may not.
            Some((_, list)) => {
                for pattern in patterns(list) {
                    match pattern.strip_prefix('!') {
                        Some(out) => chosen.retain(|c: &Case| !matches(out, &c.name())),
                        None => chosen.extend(expand(suites, pattern)?),
                    }
                }
            }
            None => {
                let found = expand(suites, selection)?;
                if found.is_empty() {
                    return fail(format!(
                        "{selection} is no tier and matches no suite or sub-test of this CTS build"
                    ));
                }
                chosen.extend(found);
            }
        }
    }
    Ok(chosen.into_iter().collect())
}

fn patterns(list: &str) -> impl Iterator<Item = &str> {
    list.lines()
        .map(|l| l.split('#').next().unwrap_or("").trim())
        .filter(|l| !l.is_empty())
}

fn expand(suites: &[Suite], pattern: &str) -> Result<Vec<Case>, Failure> {
    let (suite_pattern, test_pattern) = pattern.split_once('/').unwrap_or((pattern, "*"));
    let mut found = Vec::new();
    for suite in suites.iter().filter(|s| matches(suite_pattern, &s.name)) {
        for subtest in suite.subtests()?.into_iter().filter(|t| matches(test_pattern, t)) {
            found.push(Case {
                suite: suite.name.clone(),
                subtest,
                program: suite.program.clone(),
            });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists are sorted within their blocks and hold no pattern twice.
    #[test]
    fn tier_lists_have_no_duplicates() {
        for (tier, list) in TIERS {
            let mut seen = BTreeSet::new();
            for pattern in patterns(list) {
                assert!(seen.insert(pattern), "{tier}: {pattern} stands twice");
            }
            assert!(!seen.is_empty(), "{tier} is empty");
        }
    }
}
