//! Expands selections (tiers, suites, sub-tests and globs) to cases.

use super::rows::How;
use super::suite::{Build, Suite};
use super::{conversions, matches, streams};
use crate::Failure;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// One sub-test of a suite and its time limit.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) suite: Arc<Suite>,
    pub(super) subtest: String,
    pub(super) limit: Duration,
}

impl Case {
    /// Returns the name of the case, `suite/subtest`.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.suite.row.suite, self.subtest)
    }

    /// Returns the arguments that select the case on the program's command line.
    pub(super) fn arguments(&self) -> Vec<String> {
        match self.suite.row.how {
            How::Group | How::Single | How::Alone => vec![self.subtest.clone()],
            How::Whole => Vec::new(),
            How::Pairs => conversions::names(&self.subtest),
            How::Streams => streams::arguments(&self.subtest),
        }
    }

    /// Returns the name of the sub-test in the program's result file.
    pub(super) fn result(&self) -> &str {
        match self.suite.row.how {
            How::Group | How::Single | How::Alone | How::Whole => &self.subtest,
            How::Pairs => conversions::RESULT,
            How::Streams => streams::result(&self.subtest),
        }
    }
}

/// A tier: a named list of patterns.
struct Tier {
    wimpy: bool,
    limit: Duration,
    patterns: Vec<Pattern>,
}

/// A line of a tier: a pattern for a suite or for `suite/subtest`. Both parts may contain `*`. A pattern
/// after `!` removes sub-tests. `limit SECONDS` may follow.
struct Pattern {
    glob: String,
    takes_away: bool,
    limit: Option<Duration>,
}

/// The lists of the tiers.
const TIERS: [(&str, &str); 4] = [
    ("smoke", include_str!("../../lists/smoke.lst")),
    ("quick", include_str!("../../lists/quick.lst")),
    ("wimpy", include_str!("../../lists/wimpy.lst")),
    ("full", include_str!("../../lists/full.lst")),
];

/// The time limit of a sub-test that the command line selects without a tier.
const BY_HAND: Duration = Duration::from_secs(300);

/// The result of expanding selections.
pub(super) struct Selected {
    pub(super) cases: Vec<Case>,
    /// Whether the cases run in wimpy mode.
    pub(super) wimpy: bool,
    /// The suites that a tier names, but that are not in the build.
    pub(super) missing: Vec<String>,
}

/// Returns the cases that the selections name, without duplicates and in the order of the suites. `cpu` says
/// whether the device is a CPU, to which more rows apply. If it is `None`, all rows are included.
pub(super) fn cases(build: &Build, selections: &[String], cpu: Option<bool>) -> Result<Selected, Failure> {
    let mut chosen: BTreeMap<(usize, String), Duration> = BTreeMap::new();
    let (mut wimpy, mut missing) = (true, Vec::new());
    let all = [String::from("*")];
    for selection in if selections.is_empty() {
        &all[..]
    } else {
        selections
    } {
        let Some((name, list)) = TIERS.iter().find(|(name, _)| name == selection) else {
            let found = expand(build, selection)?;
            if found.is_empty() {
                return Err(Failure(unknown(build, selection)));
            }
            for key in found {
                chosen.entry(key).or_insert(BY_HAND);
            }
            continue;
        };
        let tier = parse(name, list)?;
        wimpy &= tier.wimpy;
        for pattern in &tier.patterns {
            let found = expand(build, &pattern.glob)?;
            for key in found {
                if pattern.takes_away {
                    chosen.remove(&key);
                } else {
                    let limit = pattern.limit.unwrap_or(tier.limit);
                    let entry = chosen.entry(key).or_insert(limit);
                    *entry = limit.max(*entry);
                }
            }
            let suite = pattern.glob.split('/').next().unwrap_or_default();
            missing.extend(
                build
                    .missing
                    .iter()
                    .map(|r| &r.suite)
                    .filter(|s| *s == suite)
                    .cloned(),
            );
        }
    }
    let cases = chosen
        .into_iter()
        .map(|((suite, subtest), limit)| Case {
            suite: Arc::clone(&build.suites[suite]),
            subtest,
            limit,
        })
        .filter(|c| cpu != Some(false) || !c.suite.row.cpu_only)
        .collect();
    Ok(Selected {
        cases,
        wimpy,
        missing,
    })
}

fn parse(name: &str, list: &str) -> Result<Tier, Failure> {
    let mut tier = Tier {
        wimpy: true,
        limit: BY_HAND,
        patterns: Vec::new(),
    };
    for line in list.lines().map(|l| l.split('#').next().unwrap_or("").trim()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let seconds = |text: &str| match text.parse() {
            Ok(n) => Ok(Duration::from_secs(n)),
            Err(_) => fail!("{name}.lst: «{text}» is no number of seconds"),
        };
        match words[..] {
            [] => {}
            ["mode", "wimpy"] => tier.wimpy = true,
            ["mode", "full"] => tier.wimpy = false,
            ["limit", n] => tier.limit = seconds(n)?,
            [glob] | [glob, "limit", _] => {
                let takes_away = glob.starts_with('!');
                tier.patterns.push(Pattern {
                    glob: glob.trim_start_matches('!').to_owned(),
                    takes_away,
                    limit: words.get(2).map(|n| seconds(n)).transpose()?,
                });
            }
            _ => return fail!("{name}.lst: «{line}» is not understood"),
        }
    }
    Ok(tier)
}

/// Returns whether a pattern names a suite: by its whole name, by the name before the colon, or by the
/// directory of its program.
fn names_suite(pattern: &str, suite: &Suite) -> bool {
    let name = &suite.row.suite;
    let directory = suite.program.parent().and_then(|d| d.file_name());
    matches(pattern, name)
        || name.split_once(':').is_some_and(|(base, _)| base == pattern)
        || directory.is_some_and(|d| d.to_str() == Some(pattern))
}

/// Returns the sub-tests that match a pattern, each with the index of its suite.
fn expand(build: &Build, pattern: &str) -> Result<Vec<(usize, String)>, Failure> {
    let (suite_pattern, test_pattern) = pattern.split_once('/').unwrap_or((pattern, "*"));
    let exact = build.suites.iter().any(|s| s.row.suite == suite_pattern);
    let mut found = Vec::new();
    for (index, suite) in build.suites.iter().enumerate() {
        let named = if exact {
            suite.row.suite == suite_pattern
        } else {
            names_suite(suite_pattern, suite)
        };
        if !named {
            continue;
        }
        if suite.row.how == How::Whole && test_pattern != "*" {
            let whole = suite.subtests()?.iter().any(|t| t == test_pattern);
            if !whole {
                continue;
            }
        }
        for subtest in suite.subtests()?.iter().filter(|t| matches(test_pattern, t)) {
            found.push((index, subtest.clone()));
        }
    }
    Ok(found)
}

fn unknown(build: &Build, selection: &str) -> String {
    let suite = selection.split('/').next().unwrap_or_default();
    if build.missing.iter().any(|r| matches(suite, &r.suite)) {
        return format!("{suite} is not in this CTS build");
    }
    if let Some((suite, subtest)) = selection.split_once('/')
        && build.suites.iter().any(|s| names_suite(suite, s))
    {
        return format!(
            "{suite} has no sub-test {subtest}; `cargo harness cts list {suite}` prints what it has"
        );
    }
    let near: Vec<&str> = build
        .suites
        .iter()
        .map(|s| s.row.suite.as_str())
        .filter(|s| s.contains(suite.trim_matches('*')) || suite.contains(s))
        .collect();
    let hint = if near.is_empty() {
        String::from("`cargo harness cts list` prints all")
    } else {
        format!("there is {}", near.join(", "))
    };
    format!("{selection} is no tier (smoke, quick, wimpy, full) and matches no suite or sub-test; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The lists can be parsed, have no duplicate patterns, and name existing suites.
    #[test]
    fn tier_lists_are_in_order() {
        let rows = super::super::rows::rows().unwrap();
        for (name, list) in TIERS {
            let tier = parse(name, list).unwrap();
            let mut seen = BTreeSet::new();
            for pattern in &tier.patterns {
                assert!(
                    seen.insert(&pattern.glob),
                    "{name}: {} stands twice",
                    pattern.glob
                );
                let suite = pattern.glob.split('/').next().unwrap();
                assert!(
                    rows.iter().any(|r| r.suite == suite),
                    "{name}: there is no suite {suite}"
                );
            }
            assert!(!seen.is_empty(), "{name} is empty");
            assert_eq!(tier.wimpy, name != "full");
        }
    }

    /// `full` contains exactly the suites of a conformance submission.
    #[test]
    fn full_is_what_a_submission_runs() {
        let tier = parse("full", TIERS[3].1).unwrap();
        let listed: BTreeSet<&str> = tier
            .patterns
            .iter()
            .map(|p| p.glob.split('/').next().unwrap())
            .collect();
        let rows = super::super::rows::rows().unwrap();
        let official = rows.iter().filter(|r| r.title.is_some());
        assert_eq!(listed, official.map(|r| r.suite.as_str()).collect());
    }

    #[test]
    fn a_bad_line_is_refused() {
        assert!(parse("x", "basic limit soon").is_err());
        assert!(parse("x", "basic because of it").is_err());
    }
}
