//! Programs that are one step smaller than a program, for the reduction of one whose results differ. The harness executes each of
//! them, so that its result is known like that of the whole program.

use super::{Expression, Program, Statement};

/// Returns all programs that are one step smaller: without a statement, with the contents of a statement in its
/// place, without an arm of a switch, or with a simpler expression. Some are not valid, because a jump in them has lost its target.
pub(super) fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for f in 0..program.functions.len() {
        for n in 0..count(&mut program.functions[f].body.clone()) {
            for step in STEPS {
                let mut smaller = program.clone();
                if edit(&mut smaller.functions[f].body, &mut { n }, step) == Some(true) {
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

/// Returns the number of statements of a body, those inside of others included.
fn count(body: &mut [Statement]) -> usize {
    let inside = |s: &mut Statement| parts(s).into_iter().map(|inner| count(inner)).sum::<usize>();
    body.iter_mut().map(|s| 1 + inside(s)).sum()
}

/// Applies a step to statement number `n` of a body. Returns whether that was possible, or `None` if the body has fewer statements, and
/// then subtracts their number from `n`.
fn edit(body: &mut Vec<Statement>, n: &mut usize, step: Step) -> Option<bool> {
    for at in 0..body.len() {
        if *n == 0 {
            return Some(apply(body, at, step));
        }
        *n -= 1;
        for inner in parts(&mut body[at]) {
            if let Some(possible) = edit(inner, n, step) {
                return Some(possible);
            }
        }
    }
    None
}

/// Returns the bodies in a statement.
fn parts(statement: &mut Statement) -> Vec<&mut Vec<Statement>> {
    match statement {
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

/// Applies a step to a statement. Returns whether that was possible.
fn apply(body: &mut Vec<Statement>, n: usize, step: Step) -> bool {
    match step {
        Step::Remove => {
            body.remove(n);
            true
        }
        Step::Unwrap => {
            let inner: Vec<Statement> = parts(&mut body[n]).into_iter().flat_map(std::mem::take).collect();
            let any = !inner.is_empty();
            body.splice(n..=n, inner);
            any
        }
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
}
