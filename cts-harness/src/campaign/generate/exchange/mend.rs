//! Mends a program that is not defined.

use super::memory::Fault;
use super::tree::Tree;
use super::{BarrierForm, Fence, Number, Program, Space, Statement, UNIFORMS, execute};
use crate::random::Random;

/// Returns the program with barriers where there were data races, and without the statements that were not defined for other reasons.
pub(super) fn defined(mut program: Program, seed: u64) -> Program {
    let mut random = Random::new(seed.wrapping_mul(2));
    while let Err(found) = execute::execute(&program) {
        let body = program.part(found.function);
        let mended = match found.fault {
            Fault::Race(space) => separate(body, &found.path, space, &mut random),
            _ => false,
        };
        if !mended {
            let end = if found.fault == Fault::TooLong {
                1
            } else {
                found.path.len()
            };
            remove(body, &found.path[..end]);
        }
    }
    program
}

fn remove(body: &mut Vec<Statement>, path: &[(usize, usize)]) {
    match path {
        [] => {}
        [(_, at)] => _ = body.remove(*at),
        [(_, at), rest @ ..] => remove(body[*at].parts().swap_remove(rest[0].0), rest),
    }
}

/// Puts a barrier before a statement, or before the outermost one around it in which work-items take different ways. Returns
/// false if there is one already.
fn separate(body: &mut Vec<Statement>, path: &[(usize, usize)], space: Space, random: &mut Random) -> bool {
    let (_, at) = path[0];
    let diverges = match &body[at] {
        Statement::If(condition, ..) => !condition.is_uniform(),
        Statement::Diverge(..) => true,
        _ => false,
    };
    if path.len() > 1 && !diverges {
        return separate(body[at].parts().swap_remove(path[1].0), &path[1..], space, random);
    }
    if at > 0 && matches!(body[at - 1], Statement::Barrier(fence, _) if fence.includes(space)) {
        return false;
    }
    let fence = match space {
        _ if random.one_in(4) => Fence::Both,
        Space::Global => Fence::Global,
        _ => Fence::Local,
    };
    body.insert(at, Statement::Barrier(fence, form(random)));
    true
}

/// Returns a form of a barrier.
pub(super) fn form(random: &mut Random) -> BarrierForm {
    let number = match random.below(3) {
        0 => Number::Counter(0, 0),
        1 => Number::Uniform(random.below(UNIFORMS)),
        _ => Number::Group,
    };
    match random.below(14) {
        0 => BarrierForm::Arms(number),
        1 | 2 => BarrierForm::Function,
        3 => BarrierForm::DoWhile,
        4 => BarrierForm::Switch(number),
        5 => BarrierForm::Repeated(number),
        _ => BarrierForm::Plain,
    }
}
