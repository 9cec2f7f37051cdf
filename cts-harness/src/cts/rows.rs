//! `lists/rows.lst`: which suites there are, what a conformance submission passes to them, and how they are run.

use super::fail;
use crate::Failure;

const LIST: &str = include_str!("../../lists/rows.lst");

/// How a suite's sub-tests become processes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// Several in one process.
    Group,
    /// One process each.
    Single,
    /// The whole suite in one process, which is given no sub-test's name.
    Whole,
    /// One process for each pair of types that `test_conversions` converts between.
    Pairs,
    /// One process for each channel type and kind of coordinates that `test_image_streams` reads images with.
    Streams,
    /// One process each, while nothing else runs.
    Alone,
}

/// A suite: a program with arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// `allocations:single`; what stands before the colon is the program's name without `test_`.
    pub(super) suite: String,
    /// File name of the program.
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) how: How,
    /// Only a CPU device must pass it.
    pub(super) cpu_only: bool,
    /// Its name in a submission.
    pub(super) title: Option<String>,
}

impl Row {
    /// The row of a program that the list does not name.
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

/// All rows, in the list's order, which is that of a submission.
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
        return fail(format!("rows.lst: «{line}» has not five columns"));
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
        other => return fail(format!("rows.lst: «{other}» is no way to run a suite")),
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
        // Official rows of the pinned revision.
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
