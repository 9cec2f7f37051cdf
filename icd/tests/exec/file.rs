//! The directives in the comments of a test file, which README.md describes.

use crate::scalar::Scalar;

/// An `arg:` line.
#[derive(Debug)]
pub(crate) enum Arg {
    Buffer {
        scalar: Scalar,
        count: usize,
        before: Option<String>,
        after: Option<String>,
        /// Other contents that a device without CL_FP_DENORM may store instead, element by element.
        flushed: Vec<String>,
    },
    Value {
        scalar: Scalar,
        values: Vec<String>,
    },
    Local(usize),
    Null,
}

/// A `kernel:` line, with the lines that belong to it.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) kernel: String,
    pub(crate) global: Vec<usize>,
    pub(crate) local: Vec<usize>,
    pub(crate) offset: Vec<usize>,
    pub(crate) args: Vec<Arg>,
    pub(crate) ulp: f64,
}

/// A test file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) needs: Vec<String>,
    /// Whether the file only has a meaning as a module of SPIR-V that was made from it, because OpenCL C does not define what it does.
    pub(crate) modules_only: bool,
    pub(crate) options: String,
    pub(crate) runs: Vec<Run>,
}

fn numbers(text: &str) -> Vec<usize> {
    text.split_whitespace()
        .map(|n| n.parse().unwrap_or_else(|e| panic!("{n}: {e}")))
        .collect()
}

fn parse_arg(text: &str) -> Arg {
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    match kind {
        "null" => return Arg::Null,
        "local" => return Arg::Local(rest.trim().parse().expect("bytes")),
        _ => {}
    }
    let (head, expressions) = match rest.find('=') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let mut head = head.split_whitespace();
    let scalar = Scalar::named(head.next().expect("a type"));
    if kind == "value" {
        let values = expressions[1..].split(',').map(|e| e.trim().to_owned()).collect();
        return Arg::Value { scalar, values };
    }
    let count = head.next().and_then(|n| n.parse().ok()).expect("a count");
    let (before, after) = match expressions.split_once("=>") {
        Some((before, after)) => (before.trim(), Some(after.trim().to_owned())),
        None => (expressions.trim(), None),
    };
    let before = before.strip_prefix('=').map(|e| e.trim().to_owned());
    match kind {
        "in" => assert!(before.is_some() && after.is_none(), "{text}"),
        "out" => assert!(before.is_none() && after.is_some(), "{text}"),
        "inout" => assert!(before.is_some() && after.is_some(), "{text}"),
        _ => panic!("unknown argument {text:?}"),
    }
    Arg::Buffer {
        scalar,
        count,
        before,
        after,
        flushed: Vec::new(),
    }
}

/// Adds a `flushed:` line to the argument before it.
fn set_flushed(args: &mut [Arg], expression: &str) {
    let Some(Arg::Buffer {
        after: Some(_),
        flushed,
        ..
    }) = args.last_mut()
    else {
        panic!("no results before `flushed: {expression}`");
    };
    flushed.push(expression.to_owned());
}

pub(crate) fn parse(source: &str) -> File {
    let mut file = File::default();
    for line in source.lines() {
        let Some((key, value)) = line.trim().strip_prefix("// ").and_then(|l| l.split_once(": ")) else {
            continue;
        };
        let value = value.trim();
        if key == "kernel" {
            file.runs.push(Run {
                kernel: value.to_owned(),
                ..Run::default()
            });
            continue;
        }
        match (key, file.runs.last_mut()) {
            ("needs", _) => file.needs.push(value.to_owned()),
            ("modules only", _) => file.modules_only = true,
            ("options", _) => value.clone_into(&mut file.options),
            ("global", Some(run)) => run.global = numbers(value),
            ("local", Some(run)) => run.local = numbers(value),
            ("offset", Some(run)) => run.offset = numbers(value),
            ("arg", Some(run)) => run.args.push(parse_arg(value)),
            ("flushed", Some(run)) => set_flushed(&mut run.args, value),
            ("ulp", Some(run)) => run.ulp = value.parse().expect("a number"),
            _ => {}
        }
    }
    assert!(!file.runs.is_empty(), "no `// kernel:` line");
    file
}
