//! Checks how deep conditions and loops are nested, for drivers that support a certain depth and do not
//! report an excess.
//!
//! Why: llvmpipe silently gives wrong results beyond the depth
//! [`Limits::nesting`](crate::target::Limits::nesting).
//! In:  `SpirvExits`; the pass runs last.
//! Out: the same module, or an error if a function exceeds the limit. `limit_nesting` has reduced the nesting
//!      where it could.
//!
//! The pass counts the nesting in the code that Mesa's front end makes of a function. There jumps nest, too:
//! if a jump leaves an `if`, `switch` or loop for a merge block further out, for the loop's next iteration or
//! for the end of the function, the code after that instruction is placed inside another `if`.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::walk::{Parents, Walk};
use crate::ir::{EntityRef, Function, Inst, Module, Op, Region};
use crate::source::Span;

pub const PASS: Pass = Pass {
    name: "check_nesting",
    about: "Refuses functions that nest deeper than the driver supports.",
    run,
    requires: inv![SpirvExits],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let limit = cx.target.limits.nesting;
    for (_, func) in module.funcs.iter() {
        let deepest = deepest(func);
        let (what, (depth, span)) = if deepest.conditions.0 > limit {
            ("conditions, early exits included", deepest.conditions)
        } else {
            ("loops", deepest.loops)
        };
        if depth > limit {
            return Err(PassError::TooLarge {
                what: format!("nesting of {what} ({depth})"),
                limit: u64::from(limit),
                span,
            });
        }
    }
    Ok(Changed::No)
}

/// The deepest nesting of conditions and of loops, which the driver counts separately, with the positions in
/// the source.
pub(super) struct Deepest {
    conditions: (u32, Span),
    loops: (u32, Span),
}

impl Deepest {
    /// Returns the depth that is compared with the limit.
    pub(super) fn depth(&self) -> u32 {
        self.conditions.0.max(self.loops.0)
    }
}

/// Returns the deepest nesting in a function.
pub(super) fn deepest(func: &Function) -> Deepest {
    let left = left_early(func);
    let mut most = Deepest {
        conditions: (0, Span::NONE),
        loops: (0, Span::NONE),
    };
    // A stack of regions, each with the index of the next instruction and the number of conditions and loops
    // around it.
    let mut open: Vec<(Region, usize, u32, u32)> = vec![(func.body, 0, 0, 0)];
    while let Some((region, at, depth, loops)) = open.pop() {
        let Some(&inst) = func.regions[region].insts.get(at) else {
            continue;
        };
        let data = &func.insts[inst];
        let (mut inside, mut inside_loops) = (depth, loops);
        match data.op {
            // A switch without cases was a block and has no condition.
            Op::Switch(ref cases) => inside += u32::from(!cases.is_empty()),
            Op::If => inside += 1,
            Op::Loop => inside_loops += 1,
            _ => {}
        }
        for (most, now) in [(&mut most.conditions, inside), (&mut most.loops, inside_loops)] {
            if now > most.0 {
                *most = (now, data.span);
            }
        }
        open.push((region, at + 1, depth + u32::from(left[inst.index()]), loops));
        open.extend(data.regions.iter().map(|&r| (r, 0, inside, inside_loops)));
    }
    most
}

/// Returns for each structured instruction whether a jump inside leaves it for a target further out than the
/// instruction after it. Breaks of loops do not count.
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
            left[inst.index()] = true;
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
        deepest(func).depth()
    }

    #[test]
    fn jumps_nest_what_follows() {
        let follows = "if ^b8 %v0 { exit ^b8 } else { exit ^b8 }";
        let func = |body: &str| {
            format!("func @f0 \"k\"(%v0: bool) {{ {body} Return }}")
                .replace("{ ", "{\n")
                .replace(" }", "\n}\n")
                .replace('~', "\n")
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
        // Jumps nest out of other instructions than `if`s, too.
        let switch = |cases: &str| {
            let default = "if ^b2 %v0 { Return } else { exit ^b1 } Unreachable";
            format!("switch ^b1 i32 0 {{{cases}default:~{default} }} {follows}")
        };
        assert_eq!(depth(&func(&switch(""))), 2);
        assert_eq!(depth(&func(&switch("case 1:~Return~} case 2:~exit ^b1~} "))), 2);
        let left =
            format!("loop ^b1 () {{ if ^b2 %v0 {{ Return }} else {{ exit ^b1 }} repeat ^b1 }} {follows}");
        assert_eq!(depth(&func(&left)), 2);
        // Loops are counted separately.
        let loops =
            format!("loop ^b1 () {{ loop ^b2 () {{ {follows} repeat ^b2 }} Unreachable }} Unreachable~");
        assert_eq!(depth(&func(&loops)), 2);
    }
}
