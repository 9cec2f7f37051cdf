//! `lists/rows.lst`: the suites, the arguments that a conformance submission passes to them, and how each
//! suite is divided into processes.

use crate::Failure;

const LIST: &str = include_str!("../../lists/rows.lst");

/// How the sub-tests of a suite are distributed to processes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// Several sub-tests share a process.
    Group,
    /// Each sub-test has its own process.
    Single,
    /// The whole suite runs in one process, whose command line names no sub-test.
    Whole,
    /// Each pair of types that `test_conversions` converts between has its own process.
    Pairs,
    /// Each combination of channel type and coordinates with which `test_image_streams` reads images has its
    /// own process.
    Streams,
    /// Each sub-test has its own process, and nothing else runs meanwhile.
    Alone,
}

/// A suite: a program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// The name of the suite, such as `allocations:single`. The part before the colon is the program's name
    /// without `test_`.
    pub(super) suite: String,
    /// The file name of the program.
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) how: How,
    /// Whether only CPU devices must pass the suite.
    pub(super) cpu_only: bool,
    /// The name of the suite in a conformance submission.
    pub(super) title: Option<String>,
}

impl Row {
    /// Returns the row of a program that the list does not contain.
    pub(super) fn unlisted(program: &str) -> Row {
        Row {
            suite: program.strip_prefix("test_").unwrap_or(program).to_owned(),
            program: program.to_owned(),
            arguments: Vec::new(),
            how: How::Group,
            cpu_only: false,
            title: None,
        }
    }
}

/// Returns all rows in the order of the list, which is the order of a conformance submission.
pub(super) fn rows() -> Result<Vec<Row>, Failure> {
    parse(LIST)
}

fn parse(list: &str) -> Result<Vec<Row>, Failure> {
    let lines = list.lines().map(str::trim);
    lines
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(row)
        .collect()
}

fn row(line: &str) -> Result<Row, Failure> {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [suite, program, arguments, how, title] = columns[..] else {
        return fail!("rows.lst: «{line}» has not five columns");
    };
    let (how, cpu_only) = match how {
        "group" => (How::Group, false),
        "single" => (How::Single, false),
        "whole" => (How::Whole, false),
        "pairs" => (How::Pairs, false),
        "alone" => (How::Alone, false),
        "cpu" => (How::Single, true),
        "streams" => (How::Streams, false),
        "cpu streams" => (How::Streams, true),
        other => return fail!("rows.lst: «{other}» is no way to run a suite"),
    };
    Ok(Row {
        suite: suite.to_owned(),
        program: program.to_owned(),
        arguments: arguments.split_whitespace().map(str::to_owned).collect(),
        how,
        cpu_only,
        title: (title != "-").then(|| title.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_list_is_in_order() {
        let rows = rows().unwrap();
        let suites: BTreeSet<&str> = rows.iter().map(|r| r.suite.as_str()).collect();
        assert_eq!(suites.len(), rows.len(), "a suite stands twice");
        for row in &rows {
            let base = row.suite.split(':').next().unwrap();
            assert_eq!(row.program, format!("test_{base}"), "{}", row.suite);
        }
        // The number of rows in the conformance submission of the pinned revision.
        assert_eq!(rows.iter().filter(|r| r.title.is_some()).count(), 65);
    }

    #[test]
    fn a_bad_row_is_refused() {
        assert!(parse("a | test_a | | group").is_err());
        assert!(parse("a | test_a | | often | A").is_err());
        assert_eq!(
            parse("# comment\n\na | test_a | x y | cpu | -").unwrap()[0].arguments,
            ["x", "y"]
        );
    }
}
