//! Programs that are one step smaller than a program, for the reduction of one whose results differ. The harness executes each of
//! them, so that its result is known like that of the whole program.

use super::super::tree::{self, Tree, count, edit};
use super::{Expression, Program, Statement};

/// Returns all programs that are one step smaller: without a statement, with the contents of a statement in its
/// place, without an arm of a switch, or with a simpler expression. Some are not valid, because a jump in them has lost its target.
pub(super) fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for f in 0..program.functions.len() {
        for n in 0..count(&mut program.functions[f].body.clone()) {
            for step in STEPS {
                let mut smaller = program.clone();
                let body = &mut smaller.functions[f].body;
                if edit(body, &mut { n }, &|body, at| apply(body, at, step)) == Some(true) {
                    all.push(smaller);
                }
            }
        }
    }
    all
}

/// A way to make a statement smaller.
#[derive(Copy, Clone)]
enum Step {
    Remove,
    /// Puts the statements in it in its place.
    Unwrap,
    /// Removes an arm of a switch.
    Arm(usize),
    /// Puts a number in place of the expression.
    Number,
    /// Puts an operand in place of an operation.
    Operand(bool),
}

const STEPS: [Step; 9] = [
    Step::Remove,
    Step::Unwrap,
    Step::Arm(0),
    Step::Arm(1),
    Step::Arm(2),
    Step::Arm(3),
    Step::Number,
    Step::Operand(false),
    Step::Operand(true),
];

impl Tree for Statement {
    fn parts(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::If(_, a, b) => vec![a, b],
            Statement::IfAny(_, _, body)
            | Statement::Loop(_, _, _, body, _)
            | Statement::Block(body, _)
            | Statement::Jump(_, body, _, _)
            | Statement::Return(_, body, _) => vec![body],
            Statement::Switch(_, arms, _) => arms.iter_mut().map(|a| &mut a.body).collect(),
            Statement::Assign(..)
            | Statement::Active(..)
            | Statement::Collective(..)
            | Statement::Choose(..)
            | Statement::Call(..) => Vec::new(),
        }
    }
}

/// Applies a step to a statement. Returns whether that was possible.
fn apply(body: &mut Vec<Statement>, n: usize, step: Step) -> bool {
    match step {
        Step::Remove => tree::remove(body, n),
        Step::Unwrap => tree::unwrap(body, n),
        Step::Arm(arm) => match &mut body[n] {
            Statement::Switch(_, arms, _) if arm < arms.len() && arms.len() > 1 => {
                arms.remove(arm);
                if let Some(last) = arms.last_mut() {
                    last.falls_through = false;
                }
                true
            }
            _ => false,
        },
        Step::Number => value(&mut body[n]).is_some_and(|e| match e {
            Expression::Number(_) | Expression::Lane => false,
            other => {
                *other = Expression::Number(1);
                true
            }
        }),
        Step::Operand(second) => value(&mut body[n]).is_some_and(|e| match e.clone() {
            Expression::Binary(_, operands) => {
                *e = if second { operands.1 } else { operands.0 };
                true
            }
            _ => false,
        }),
    }
}

/// Returns an expression of a statement whose value may be any number.
fn value(statement: &mut Statement) -> Option<&mut Expression> {
    match statement {
        Statement::Assign(_, e) => Some(e),
        Statement::Active(_, super::Active::Combine(_, _, e)) => Some(e),
        Statement::Active(_, super::Active::First(e) | super::Active::Last(e)) => Some(e),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::make;
    use super::*;
    use crate::campaign::generate::written::Form;

    #[test]
    fn steps_lead_to_an_empty_program() {
        for seed in 0..20 {
            let mut program = make::random_program(seed, 8, false);
            let size = |p: &Program| {
                let bodies = p.functions.iter().map(|f| count(&mut f.body.clone()));
                bodies.sum::<usize>()
            };
            while let Some(next) = smaller(&program).into_iter().min_by_key(size) {
                if size(&next) == size(&program) {
                    break;
                }
                program = next;
            }
            assert_eq!(size(&program), 0, "seed {seed}");
        }
    }

    #[test]
    fn programs_whose_result_is_not_defined_are_left_out() {
        let left_out = |seed: &u64| {
            let program = make::random_program(*seed, 16, false);
            Form::smaller(&program).unwrap().len() < smaller(&program).len()
        };
        assert!((1..8).any(|seed| left_out(&seed)));
    }
}
