//! Counts how deep conditions are nested, for drivers that take a number of them and say nothing about more.
//!
//! In:  `SpirvExits`; last.
//! Out: the same, or an error where a function has more than [`Limits::nesting`](crate::target::Limits::nesting).
//!
//! Counted is what Mesa's front end makes of a function, where jumps nest as well: behind an `if` that is left for a merge block
//! further out, for the loop's next turn or for the end of the function, what follows is made the inside of another `if`.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::walk::{Parents, Walk};
use crate::ir::{EntityRef, Function, Inst, Module, Op, Region};
use crate::source::Span;

pub const PASS: Pass = Pass {
    name: "check_nesting",
    about: "Refuses what is nested deeper than the driver follows.",
    run,
    requires: inv![SpirvExits],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let limit = cx.target.limits.nesting;
    for (_, func) in module.funcs.iter() {
        let (depth, span) = deepest(func);
        if depth > limit {
            return Err(PassError::TooLarge {
                what: format!("nesting of conditions, early exits included ({depth})"),
                limit: u64::from(limit),
                span,
            });
        }
    }
    Ok(Changed::No)
}

/// The deepest nesting of conditions, and where that is.
fn deepest(func: &Function) -> (u32, Span) {
    let left = left_early(func);
    let mut most = (0, Span::NONE);
    // Regions, with the place in them and the conditions around that.
    let mut open: Vec<(Region, usize, u32)> = vec![(func.body, 0, 0)];
    while let Some((region, at, depth)) = open.pop() {
        let Some(&inst) = func.regions[region].insts.get(at) else {
            continue;
        };
        let data = &func.insts[inst];
        let inside = match data.op {
            // What was a block has no condition.
            Op::Switch(ref cases) => depth + u32::from(!cases.is_empty()),
            Op::If => depth + 1,
            _ => depth,
        };
        if inside > most.0 {
            most = (inside, data.span);
        }
        open.push((region, at + 1, depth + u32::from(left[inst.index()])));
        open.extend(data.regions.iter().map(|&r| (r, 0, inside)));
    }
    most
}

/// The `if`s that something inside leaves for further out than what follows them, breaks of loops aside.
fn left_early(func: &Function) -> Vec<bool> {
    let parents = Parents::new(func);
    let mut left = vec![false; func.insts.len()];
    let mut walk = Walk::new(func);
    while let Some((_, jump)) = walk.next(func) {
        let target: Option<Inst> = match func.insts[jump].op {
            Op::Exit(target) if func.insts[target].op != Op::Loop => Some(target),
            Op::Repeat(target) => Some(target),
            Op::Return => None,
            _ => continue,
        };
        let mut at = parents.enclosing(jump);
        while let Some(inst) = at.filter(|&i| Some(i) != target) {
            left[inst.index()] |= func.insts[inst].op == Op::If;
            at = parents.enclosing(inst);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    fn depth(text: &str) -> u32 {
        let module = parse(text).unwrap();
        let (_, func) = module.funcs.iter().next().unwrap();
        deepest(func).0
    }

    #[test]
    fn jumps_nest_what_follows() {
        let follows = "if ^b8 %v0 { exit ^b8 } else { exit ^b8 }";
        let func = |body: &str| {
            format!("func @f0 \"k\"(%v0: bool) {{ {body} Return }}")
                .replace("{ ", "{\n")
                .replace(" }", "\n}\n")
        };
        assert_eq!(depth(&func(follows)), 1);
        let inner = format!("if ^b1 %v0 {{ {follows} exit ^b1 }} else {{ exit ^b1 }}");
        assert_eq!(depth(&func(&inner)), 2);
        let early = format!("if ^b1 %v0 {{ Return }} else {{ exit ^b1 }} {follows}");
        assert_eq!(depth(&func(&early)), 2);
        let body = |leave: &str| {
            format!("loop ^b0 () {{ if ^b1 %v0 {{ {leave} }} else {{ exit ^b1 }} {follows} repeat ^b0 }}")
        };
        assert_eq!(depth(&func(&body("repeat ^b0"))), 2);
        assert_eq!(depth(&func(&body("exit ^b0"))), 1);
    }
}
