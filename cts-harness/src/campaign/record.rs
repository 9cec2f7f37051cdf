//! The results file, which has a line of JSON for each program, and the summary of all programs.

use super::side::Ending;
use crate::bench::stats::Summary;
use crate::{Failure, progress};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use strum::IntoStaticStr;

/// A build that takes more seconds than this is named in the summary.
const SLOW: f64 = 10.0;

/// What the campaign knows about one program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(super) struct Record {
    pub(super) seed: u64,
    /// How the program was made.
    pub(super) how: String,
    pub(super) verdict: Verdict,
    pub(super) sides: BTreeMap<String, Ending>,
    /// Oclgrind's finding, if Oclgrind was asked and found a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) oclgrind: Option<String>,
    /// The expressions whose values differ, for a program of expressions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) differences: Vec<Difference>,
}

/// An expression whose value differs between the platforms.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(super) struct Difference {
    /// The expression, or one element of it if it is a vector.
    pub(super) expression: String,
    /// The type of the whole expression.
    #[serde(rename = "type")]
    pub(super) ty: String,
    /// The first work-item in which the values differ.
    pub(super) item: usize,
    /// The number of work-items in which the values differ.
    pub(super) items: usize,
    /// The value in this work-item on each platform, converted to 64 bits.
    pub(super) values: BTreeMap<String, u64>,
}

/// The comparison of a program's endings on all platforms.
#[derive(Serialize, Deserialize, IntoStaticStr, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(super) enum Verdict {
    /// All platforms give the same result.
    Same,
    /// The results differ only in floats, and by no more than rounding.
    Near,
    /// The platforms on which the program finishes do not all give the same result.
    Differs,
    /// The results differ or a launch ended badly, and Oclgrind finds that the program is at fault.
    Undefined,
    /// The program crashes on one platform and finishes on another.
    Crash,
    /// One platform refuses the program; it finishes on another.
    Refused,
    /// The program exceeds the time limit on one platform and finishes on another.
    Timeout,
    /// The program could not be made SPIR-V for one platform; it finishes on another.
    Untranslated,
    /// The program finishes on no platform, or there is no program for the seed.
    Neither,
}

impl Verdict {
    pub(super) fn word(self) -> &'static str {
        self.into()
    }

    /// Returns whether the program shows a possible fault of a platform, so that it is kept.
    pub(super) fn is_of_interest(self) -> bool {
        match self {
            Verdict::Differs | Verdict::Crash | Verdict::Refused | Verdict::Timeout => true,
            Verdict::Same | Verdict::Near | Verdict::Undefined | Verdict::Untranslated | Verdict::Neither => {
                false
            }
        }
    }
}

impl Record {
    /// Makes the record of a program that has not run.
    pub(super) fn new(seed: u64, how: String) -> Record {
        Record {
            seed,
            how,
            verdict: Verdict::Neither,
            sides: BTreeMap::new(),
            oclgrind: None,
            differences: Vec::new(),
        }
    }

    /// Sets the verdict from the endings on all platforms.
    pub(super) fn judge(&mut self) {
        let ends: Vec<&Ending> = self.sides.values().collect();
        self.verdict = verdict(&ends);
    }

    /// Returns whether Oclgrind may explain the difference: the results differ, or a launch crashed or
    /// exceeded the time limit.
    pub(super) fn may_be_undefined(&self) -> bool {
        let launched = |end: &Ending| match end {
            Ending::Crash { phase, .. } | Ending::Timeout { phase } => phase == "launch",
            Ending::Done { .. } | Ending::Refused { .. } | Ending::Untranslated { .. } => true,
        };
        match self.verdict {
            Verdict::Differs => true,
            Verdict::Crash | Verdict::Timeout => self.sides.values().all(launched),
            Verdict::Same
            | Verdict::Near
            | Verdict::Undefined
            | Verdict::Refused
            | Verdict::Untranslated
            | Verdict::Neither => false,
        }
    }

    /// Adds Oclgrind's finding and how the program ended there.
    pub(super) fn oclgrind(&mut self, found: Option<String>, end: Ending) {
        if found.is_some() {
            self.verdict = Verdict::Undefined;
        }
        self.oclgrind = Some(found.unwrap_or_else(|| end.text()));
    }
}

/// Compares the endings of a program on all platforms. A crash counts more than a refusal, and a refusal
/// more than a time-out, which counts more than a program that was not made SPIR-V.
pub(super) fn verdict(ends: &[&Ending]) -> Verdict {
    let mut hashes: Vec<&str> = ends.iter().filter_map(|e| e.hash()).collect();
    hashes.sort_unstable();
    hashes.dedup();
    match hashes.len() {
        0 => Verdict::Neither,
        1 => ends.iter().fold(Verdict::Same, |so_far, end| match end {
            Ending::Done { .. } => so_far,
            Ending::Crash { .. } => Verdict::Crash,
            Ending::Refused { .. } if so_far != Verdict::Crash => Verdict::Refused,
            Ending::Timeout { .. } if matches!(so_far, Verdict::Same | Verdict::Untranslated) => {
                Verdict::Timeout
            }
            Ending::Untranslated { .. } if so_far == Verdict::Same => Verdict::Untranslated,
            Ending::Refused { .. } | Ending::Timeout { .. } | Ending::Untranslated { .. } => so_far,
        }),
        _ => Verdict::Differs,
    }
}

/// Reads the records of a results file; there are none if the file does not exist. An incomplete last line,
/// from a run that was killed, is removed from the file.
pub(super) fn read(file: &Path) -> Result<Vec<Record>, Failure> {
    let text = match std::fs::read_to_string(file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let mut all = Vec::new();
    for (n, line) in whole.lines().enumerate() {
        let record = serde_json::from_str(line);
        all.push(record.map_err(|e| failure!("{}:{}: {e}", file.display(), n + 1))?);
    }
    if whole.len() < text.len() {
        std::fs::write(file, whole)?;
    }
    Ok(all)
}

/// Prints the programs that the platforms treat differently, the slow builds, and the number of programs for
/// each verdict.
pub(super) fn print(records: &[Record]) {
    progress::step("Programs that are not treated alike");
    for r in records
        .iter()
        .filter(|r| r.verdict.is_of_interest() || r.verdict == Verdict::Undefined)
    {
        say!("{} {} {}", r.seed, r.verdict.word(), r.how);
        for (name, end) in &r.sides {
            say!("    {name}: {}", end.text());
        }
        if let Some(said) = &r.oclgrind {
            say!("    oclgrind says: {said}");
        }
        for d in &r.differences {
            let values: Vec<String> = d
                .values
                .iter()
                .map(|(side, v)| format!("{side} {v:#x}"))
                .collect();
            let Difference {
                ty,
                expression,
                item,
                items,
                ..
            } = d;
            say!(
                "    {ty} {expression}: work-item {item} (of {items}): {}",
                values.join(", ")
            );
        }
    }
    let mut counts = BTreeMap::<Verdict, usize>::new();
    let mut builds = BTreeMap::<&str, Vec<f64>>::new();
    for r in records {
        *counts.entry(r.verdict).or_default() += 1;
        for (name, end) in &r.sides {
            if let Ending::Done { build, .. } = end {
                builds.entry(name).or_default().push(*build);
                if *build > SLOW {
                    say!("{} is built by {name} in {build:.1} s", r.seed);
                }
            }
        }
    }
    progress::step("Campaign");
    for (name, times) in builds {
        if let Some(s) = Summary::of(&times) {
            let (n, median, most) = (s.repetitions, s.median, s.max);
            say!("{name}: {n} finished, builds {median:.2} s in the median, {most:.2} s at most");
        }
    }
    let counts: Vec<String> = counts.iter().map(|(v, n)| format!("{n} {}", v.word())).collect();
    say!("{} programs: {}", records.len(), counts.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(hash: &str) -> Ending {
        Ending::Done {
            hash: hash.into(),
            build: 0.0,
            run: 0.0,
        }
    }

    #[test]
    fn verdicts() {
        let refused = Ending::Refused { why: "no".into() };
        let untranslated = Ending::Untranslated { why: "no".into() };
        let late = Ending::Timeout {
            phase: "build".into(),
        };
        let crash = Ending::Crash {
            phase: "build".into(),
            why: "11".into(),
        };
        for (ends, expected) in [
            (vec![done("1"), done("1")], Verdict::Same),
            (vec![done("1"), done("2")], Verdict::Differs),
            (vec![done("1"), refused.clone(), done("2")], Verdict::Differs),
            (vec![done("1"), refused.clone()], Verdict::Refused),
            (vec![refused.clone(), late.clone(), done("1")], Verdict::Refused),
            (
                vec![late.clone(), crash.clone(), done("1"), refused.clone()],
                Verdict::Crash,
            ),
            (vec![done("1"), late.clone()], Verdict::Timeout),
            (vec![untranslated.clone(), done("1")], Verdict::Untranslated),
            (
                vec![untranslated.clone(), late.clone(), done("1")],
                Verdict::Timeout,
            ),
            (
                vec![refused.clone(), untranslated.clone(), done("1")],
                Verdict::Refused,
            ),
            (vec![untranslated, refused.clone()], Verdict::Neither),
            (vec![refused, late, crash], Verdict::Neither),
        ] {
            let ends: Vec<&Ending> = ends.iter().collect();
            assert_eq!(verdict(&ends), expected, "{ends:?}");
        }
    }
}
