//! Trip counts: how often a loop repeats at most, where constants determine it.

use crate::ir::analysis::Jumps;
use crate::ir::{CastOp, EntityRef, Function, Inst, Op, Region, Value, ValueDef, eval};

/// The trip count of a loop.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TripCount {
    /// The largest number of repeats: iteration number `repeats`, counted from 0, leaves the loop through
    /// `test`.
    pub repeats: u64,
    /// The `if` that leaves the loop then. Every iteration that reaches its end executes it, and it does not
    /// leave the loop in an earlier iteration.
    pub test: Inst,
    /// Whether `test` leaves the loop by its first arm.
    pub leaves_if: bool,
}

/// The most operations that are followed for one condition or step.
const MAX_OPERATIONS: usize = 24;

/// Returns the trip count of a loop if it is at most `limit`. `position` has the position of each instruction
/// in the order of the text.
pub fn trip_count(
    func: &Function,
    jumps: &Jumps,
    position: &[u32],
    loop_: Inst,
    limit: u64,
) -> Option<TripCount> {
    let body = func.insts[loop_].regions[0];
    let repeats = jumps.repeats(loop_);
    let first_repeat = repeats.iter().map(|r| position[r.index()]).min()?;
    let candidates = func.regions[body].insts.iter();
    let mut candidates = candidates.take_while(|i| position[i.index()] < first_repeat);
    candidates.find_map(|&test| {
        if func.insts[test].op != Op::If {
            return None;
        }
        let arms = &func.insts[test].regions;
        let leaves = [arms[0], arms[1]].map(|arm| leaves(func, jumps, position, loop_, arm));
        let leaves_if = match leaves {
            [true, false] => true,
            [false, true] => false,
            _ => return None,
        };
        // One arm leaves the loop, and the other one does not leave it at its end.
        let repeats = simulate(func, repeats, loop_, func.insts[test].args[0], leaves_if, limit)?;
        Some(TripCount {
            repeats,
            test,
            leaves_if,
        })
    })
}

/// Returns whether an arm is straight-line code that leaves the loop at its end.
fn leaves(func: &Function, jumps: &Jumps, position: &[u32], loop_: Inst, arm: Region) -> bool {
    let Some(end) = func.terminator(arm) else {
        return false;
    };
    if func.regions[arm]
        .insts
        .iter()
        .any(|&i| func.insts[i].op.is_structured())
    {
        return false;
    }
    match func.insts[end].op {
        // An instruction that encloses the loop comes earlier in the text.
        Op::Exit(target) => {
            debug_assert!(jumps.exits(target).contains(&end));
            position[target.index()] <= position[loop_.index()]
        }
        Op::Repeat(target) => position[target.index()] < position[loop_.index()],
        Op::Return => true,
        _ => false,
    }
}

/// Counts iterations until the condition is `leaves_if`.
fn simulate(
    func: &Function,
    repeats: &[Inst],
    loop_: Inst,
    condition: Value,
    leaves_if: bool,
    limit: u64,
) -> Option<u64> {
    let body = func.insts[loop_].regions[0];
    let mut state: Vec<Option<u64>> = func.insts[loop_].args.iter().map(|&a| func.as_bits(a)).collect();
    for n in 0..=limit {
        let known = Known {
            func,
            body,
            state: &state,
        };
        if (known.value(condition)? != 0) == leaves_if {
            return Some(n);
        }
        let next = |arg: usize| {
            let mut values = repeats.iter().map(|&r| known.value(func.insts[r].args[arg]));
            let first = values.next()??;
            values.all(|v| v == Some(first)).then_some(first)
        };
        // A carried value that is not constant in one iteration is unknown in all later ones.
        let new = (0..state.len()).map(|arg| state[arg].and_then(|_| next(arg)));
        state = new.collect();
    }
    None
}

/// Returns the value that `v`, computed from constants and the loop's arguments, has in the first iteration.
pub fn first_value(func: &Function, loop_: Inst, v: Value) -> Option<u64> {
    let state: Vec<Option<u64>> = func.insts[loop_].args.iter().map(|&a| func.as_bits(a)).collect();
    let known = Known {
        func,
        body: func.insts[loop_].regions[0],
        state: &state,
    };
    known.value(v)
}

/// The known carried values of one iteration.
struct Known<'a> {
    func: &'a Function,
    body: Region,
    /// The values of the region's arguments.
    state: &'a [Option<u64>],
}

impl Known<'_> {
    /// Computes a value if it follows from constants and the known arguments.
    fn value(&self, v: Value) -> Option<u64> {
        let mut fuel = MAX_OPERATIONS;
        self.compute(v, &mut fuel)
    }

    /// Computes a value. The recursion ends when the fuel does.
    fn compute(&self, v: Value, fuel: &mut usize) -> Option<u64> {
        let func = self.func;
        if func.ty(v).is_vector() {
            return None;
        }
        let inst = match func.values[v].def {
            ValueDef::Const(_) => return func.as_bits(v),
            ValueDef::Arg(region, n) if region == self.body => return self.state[n as usize],
            ValueDef::Arg(..) | ValueDef::Param(_) => return None,
            ValueDef::Inst(inst, _) => inst,
        };
        *fuel = fuel.checked_sub(1)?;
        let data = &func.insts[inst];
        let of = |n: usize| func.ty(data.args[n]).scalar;
        match data.op {
            Op::Binary(op) => {
                let a = self.compute(data.args[0], fuel)?;
                let b = self.compute(data.args[1], fuel)?;
                eval::binary(op, of(0), a, b)
            }
            Op::Unary(op) => Some(eval::unary(op, of(0), self.compute(data.args[0], fuel)?)),
            Op::Compare(op) => {
                let a = self.compute(data.args[0], fuel)?;
                let b = self.compute(data.args[1], fuel)?;
                Some(u64::from(eval::compare(op, of(0), a, b)))
            }
            Op::Cast(op @ (CastOp::Trunc | CastOp::ZExt | CastOp::SExt)) => {
                let a = self.compute(data.args[0], fuel)?;
                eval::cast(op, of(0), func.ty(v).scalar, a)
            }
            Op::Select => match self.compute(data.args[0], fuel)? {
                0 => self.compute(data.args[2], fuel),
                _ => self.compute(data.args[1], fuel),
            },
            _ => None,
        }
    }
}

/// Returns the position of each instruction in the order of the text.
pub fn positions(func: &Function) -> Vec<u32> {
    let mut position = vec![u32::MAX; func.insts.len()];
    for (n, inst) in func.insts_in_order().into_iter().enumerate() {
        position[inst.index()] = n as u32;
    }
    position
}
