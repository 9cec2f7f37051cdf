//! Programs that are one step smaller than a program, for the reduction of one whose results differ.
//!
//! A step leaves the values of the other expressions as they are: it removes lines, stores an operand instead of an
//! expression, or puts a table with the values of an expression in its place.

use super::ITEMS;
use super::functions::bits_type;
use super::program::{Definition, Line, Made, Program, Stored, names};
use super::terms::Term;
use crate::types::Type;
use std::collections::BTreeSet;

/// The number of lines up to which expressions become smaller, and not only fewer.
const FEW: usize = 10;

/// Returns the programs that are one step smaller.
pub(super) fn smaller(program: &Program) -> Vec<Program> {
    let mut all = vec![used(program)];
    all.extend(fewer_lines(program));
    if program.lines.len() <= FEW {
        for made in program.made.iter() {
            all.extend(operand(program, made));
            all.extend(table(program, made));
        }
    }
    all.retain(|p| p.size() < program.size());
    all
}

/// Returns the program without what is not used.
fn used(program: &Program) -> Program {
    let mut program = program.clone();
    let mut used = BTreeSet::new();
    let keep = |used: &mut BTreeSet<String>, is_used: bool, text: &str| {
        if is_used {
            used.extend(names([text]).into_iter().map(str::to_owned));
        }
        is_used
    };
    // What is used comes before its use.
    program.lines.reverse();
    program.lines.retain(|line| {
        let is_used = match line {
            Line::Statement(s) => used.contains(&s.name),
            Line::Stored(_) => true,
        };
        keep(&mut used, is_used, &line.text())
    });
    program.lines.reverse();
    program.functions.reverse();
    program.functions.retain(|f| {
        let is_used = used.contains(&f.name);
        keep(&mut used, is_used, &f.text)
    });
    program.functions.reverse();
    program.tables.retain(|t| used.contains(&t.name));
    program.parameters.retain(|p| used.contains(&p.term.text));
    program
}

/// Returns the programs with only one stored expression, and those without some.
fn fewer_lines(program: &Program) -> Vec<Program> {
    let is_stored = |n: &usize| matches!(program.lines[*n], Line::Stored(_));
    let stored: Vec<usize> = (0..program.lines.len()).filter(is_stored).collect();
    let kept = |keeps: &dyn Fn(usize) -> bool| {
        let mut smaller = program.clone();
        let lines = program.lines.iter().enumerate();
        let lines = lines.filter(|(n, line)| keeps(*n) || matches!(line, Line::Statement(_)));
        smaller.lines = lines.map(|(_, line)| line.clone()).collect();
        smaller
    };
    let mut all: Vec<Program> = stored.iter().map(|only| used(&kept(&|n| n == *only))).collect();
    let mut size = stored.len() / 2;
    while size > 0 {
        all.extend(
            stored
                .chunks(size)
                .map(|without| kept(&|n| !without.contains(&n))),
        );
        size /= 2;
    }
    all
}

/// Returns the program that stores an expression instead of the one of which it is an operand.
fn operand(program: &Program, made: &Made) -> Option<Program> {
    let mut smaller = program.clone();
    let stored = smaller.lines.iter_mut().find_map(|line| match line {
        Line::Stored(s) if Stored::scope(s.row) == made.scope => Some(s),
        _ => None,
    })?;
    let fits = made.term.ty.n <= stored.term.ty.n;
    if !fits || stored.term.text == made.term.text || !stored.term.text.contains(&made.term.text) {
        return None;
    }
    stored.term = made.term.clone();
    Some(used(&smaller))
}

/// Returns the program in which a table has the values of an expression.
fn table(program: &Program, made: &Made) -> Option<Program> {
    let mut smaller = program.clone();
    let number = smaller.tables.len();
    let name = format!("GIVEN{number}");
    let texts = smaller.lines.iter_mut().filter_map(|line| match line {
        Line::Statement(s) if s.name == made.scope => Some(&mut s.text),
        Line::Stored(s) if Stored::scope(s.row) == made.scope => Some(&mut s.term.text),
        _ => None,
    });
    let functions = smaller.functions.iter_mut().filter(|f| f.name == made.scope);
    let text = texts.chain(functions.map(|f| &mut f.text)).next()?;
    *text = replaced(text, &made.term.text, &name)?;
    smaller.tables.push(values(&name, number, &made.term));
    Some(used(&smaller))
}

/// Returns a table of the values of an expression, and the macro that loads those of a work-item.
fn values(name: &str, number: usize, term: &Term) -> Definition {
    let (ty, bits): (Type, Type) = (term.ty, bits_type(term.ty).of(1));
    let all: Vec<String> = term
        .values
        .iter()
        .map(|x| format!("{:#x}UL", x.unwrap_or(0)))
        .collect();
    let array = format!("given{number}");
    let load = match ty.n {
        1 => format!("{array}[get_global_id(0)]"),
        n => format!("vload{n}(get_global_id(0), {array})"),
    };
    let text = format!(
        "constant {} {array}[{}] = {{{}}};\n#define {name} as_{}({load})\n",
        bits.name(),
        ITEMS * ty.n,
        all.join(", "),
        ty.name()
    );
    Definition::new(name, text)
}

/// Returns the text with another part in the place of one, where that is not part of a longer name or a list of arguments.
fn replaced(text: &str, part: &str, by: &str) -> Option<String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut result, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices(part) {
        let end = at + part.len();
        if !text[..at].ends_with(is_of_name) && !text[end..].starts_with(is_of_name) {
            result += &text[done..at];
            result += by;
            done = end;
        }
    }
    (done > 0).then(|| result + &text[done..])
}

impl Program {
    /// Returns the size that a reduction makes smaller.
    pub(super) fn size(&self) -> usize {
        let lines = self.lines.iter().map(|l| l.text().len());
        let functions = self.functions.iter().map(|f| f.text.len());
        let parameters = self.parameters.iter().map(|p| p.text().len());
        lines.chain(functions).chain(parameters).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ALL;
    use super::*;

    #[test]
    fn steps_lead_to_one_value_of_a_table() {
        for seed in 0..3 {
            let mut program = super::super::random_program(seed, ALL);
            while let Some(next) = smaller(&program).into_iter().min_by_key(Program::size) {
                program = next;
            }
            assert_eq!(program.lines.len(), 1, "seed {seed}");
            assert!(program.functions.is_empty(), "seed {seed}");
        }
    }

    #[test]
    fn a_part_of_a_longer_name_or_a_list_of_arguments_is_not_replaced() {
        let replaced = |text, part| replaced(text, part, "G");
        assert_eq!(replaced("f((a + b), g(a))", "(a + b)").unwrap(), "f(G, g(a))");
        assert_eq!(replaced("f(a + b) + (a + b)", "(a + b)").unwrap(), "f(a + b) + G");
        assert_eq!(replaced("bits_f(a) + f(a)", "f(a)").unwrap(), "bits_f(a) + G");
        assert_eq!(replaced("(v).s01", "(v).s0"), None);
    }
}
