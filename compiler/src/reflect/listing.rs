//! The reflection instructions as text for people.

use super::ReflectionError;
use super::read::{Tables, collect};
use super::set::{CalderaOp, Op, Shape};
use std::fmt::Write as _;

/// Returns a line for each reflection instruction, in the order of the module. Numbers and strings are
/// printed instead of the ids of their constants.
pub fn listing(words: &[u32]) -> Result<String, ReflectionError> {
    let tables = collect(words)?;
    let mut text = String::new();
    for &(_, result, set, number, args) in &tables.calls {
        let (name, shape) = if Some(set) == tables.clspv {
            match Op::from_number(number) {
                Some(op) => (op.name(), Some(op.shape())),
                None => ("?", None),
            }
        } else if Some(set) == tables.caldera {
            (CalderaOp::from_number(number).map_or("?", CalderaOp::name), None)
        } else {
            continue;
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "%{result} = {name}");
        for (n, &id) in args.iter().enumerate() {
            let kind =
                shape.and_then(|(required, optional, _)| required.iter().chain(optional).nth(n).copied());
            let _ = write!(text, " {}", operand(&tables, kind, id));
        }
        text.push('\n');
    }
    Ok(text)
}

fn operand(tables: &Tables<'_>, kind: Option<Shape>, id: u32) -> String {
    match (kind, tables.number(id), tables.string(id)) {
        (Some(Shape::Number) | None, Some(n), _) => n.to_string(),
        (_, _, Some(text)) => format!("{text:?}"),
        _ => format!("%{id}"),
    }
}
