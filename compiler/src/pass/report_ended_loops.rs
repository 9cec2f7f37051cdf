//! Lets kernels report that the driver has ended their loops before they were complete.
//!
//! Why: llvmpipe leaves every loop of an invocation once its loops have had a number of iterations together
//! ([`Quirks::counted_loops`](crate::target::Quirks::counted_loops)), and the kernel then goes on with wrong values.
//! The result must not be taken for a right one.
//! In:  `Inlined`, `SystemValues`, `ExplicitMemory`.
//! Out: a kernel with loops that may reach the driver's limit ends with a loop of two iterations. If the driver has
//!      left loops before, it leaves this one too early as well. The kernel then adds 1 to the word at the address in
//!      [`SystemPush::ended_loops`](crate::ir::SystemPush::ended_loops) or, in the descriptor ABI, in
//!      [`MemoryObject::EndedLoops`](crate::ir::MemoryObject::EndedLoops). Work-items that return earlier execute that loop, too.
//!      `KernelAbi::ended_loops` tells which kernels these are.
//!
//! The bound of the last loop is computed from a number that the driver does not know, so that the driver neither unrolls
//! the loop nor computes its result. The kernel is not stopped: between the limit and its end, it executes
//! the code after each loop with the values that the loop had when it was left.

use super::analysis::trip_count::positions;
use super::unroll_loops::trips;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::inv;
use crate::ir::analysis::Jumps;
use crate::ir::{
    BinOp, Builder, CastOp, CmpOp, Function, Inst, Module, Op, Scalar, Storage, Ty, Unroll, Value,
};

pub const PASS: Pass = Pass {
    name: "report_ended_loops",
    about: "Lets kernels report that the driver has ended their loops.",
    run,
    requires: inv![Inlined, SystemValues, ExplicitMemory],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// Loops with at most this many iterations in one execution of the kernel are far from the driver's limit, also
/// if `carry_exit_values` adds an iteration to each of their executions.
const FEW: u64 = 1 << 14;

/// The number of iterations of the loop that tests whether the driver still executes loops.
const PROBE: u64 = 2;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let push = module.system.ended_loops.take();
    let mut uses_push = false;
    let mut changed = false;
    for k in 0..module.kernels.len() {
        let func = module.kernels[k].func;
        let Some(abi) = module.abi.get_mut(k) else {
            continue;
        };
        let word = match (abi.ended_loops_object(), push) {
            (Some((object, _)), _) => Word::Object(object),
            (None, Some(slot)) => Word::AddressAt {
                slot,
                int64: cx.target.features.int64,
            },
            (None, None) => continue,
        };
        let func = &mut module.funcs[func];
        if !may_be_long(func) {
            continue;
        }
        // A kernel that never returns has no result.
        if let Some(end) = only_return(func) {
            report(func, end, word);
            abi.ended_loops = true;
            uses_push |= matches!(word, Word::AddressAt { .. });
            changed = true;
        }
    }
    module.system.ended_loops = push.filter(|_| uses_push);
    Ok((changed || push.is_some()).into())
}

/// Returns whether a kernel may be changed by this pass; if so, a push constant is reserved for the address.
pub(super) fn is_likely(module: &Module) -> bool {
    let mut kernels = module.kernels.iter();
    kernels.any(|k| may_be_long(&module.funcs[k.func]))
}

/// Returns whether the loops of a kernel may have many iterations.
pub(super) fn may_be_long(func: &Function) -> bool {
    let order = func.insts_in_order();
    let is = |i: &Inst, op: fn(&Op) -> bool| op(&func.insts[*i].op);
    if order.iter().any(|i| is(i, |op| matches!(op, Op::CallPure(_)))) {
        // The called functions have at least one loop, or at least it is not worth the search.
        return true;
    }
    let jumps = Jumps::new(func);
    let loops = order
        .iter()
        .filter(|i| is(i, |op| *op == Op::Loop) && !jumps.repeats(**i).is_empty());
    let bounds = trips::bounds(func, &jumps, &positions(func));
    let mut total = 0u64;
    for inst in loops {
        match bounds.get(inst) {
            Some((_, Some(all))) => total = total.saturating_add(*all),
            Some((_, None)) | None => return true,
        }
    }
    total > FEW
}

/// Makes the end of a kernel's body the only place where it returns, and returns the index of that `Return`;
/// `None` if there is none. Variables stay at the start of the body.
pub(super) fn only_return(func: &mut Function) -> Option<usize> {
    let returns: Vec<Inst> = func
        .insts_in_order()
        .into_iter()
        .filter(|&i| func.insts[i].op == Op::Return)
        .collect();
    if returns.is_empty() {
        return None;
    }
    let body = func.body;
    if returns[..] != func.regions[body].insts[func.regions[body].insts.len() - 1..] {
        let insts = &func.regions[body].insts;
        let is_variable = |&i: &Inst| matches!(func.insts[i].op, Op::Variable { .. } | Op::Alloca { .. });
        let start = insts.iter().position(|i| !is_variable(i)).unwrap_or(0);
        let moved = func.regions[body].insts.split_off(start);
        let mut b = Builder::at_end(func, body);
        let (block, inside) = b.block(&[]);
        b.ret(None);
        func.regions[inside].insts = moved;
        for inst in returns {
            func.insts[inst].op = Op::Exit(block);
        }
    }
    Some(func.regions[body].insts.len() - 1)
}

/// How a kernel accesses the word.
#[derive(Copy, Clone)]
enum Word {
    /// By the address at the offset `slot` of the push constants; `int64`: addresses are 64-bit integers.
    AddressAt { slot: u32, int64: bool },
    /// Through the memory object with this number.
    Object(u32),
}

/// Inserts the test and the report into the body of a kernel.
fn report(func: &mut Function, index: usize, word: Word) {
    let body = func.body;
    let mut b = Builder::before(func, body, index);
    // The product of a number and the next one is even, which drivers do not know.
    let groups = b.value(
        Op::Intrinsic(Intrinsic::WorkgroupId),
        vec![],
        Ty::vector(Scalar::I32, 3),
    );
    let group = b.extract(groups, 0);
    let (zero, one) = (b.i32(0), b.i32(1));
    let next = b.binary(BinOp::IAdd, group, one);
    let product = b.binary(BinOp::IMul, group, next);
    let odd = b.binary(BinOp::And, product, one);
    let probe = b.bits(Ty::I32, PROBE);
    let bound = b.binary(BinOp::Or, odd, probe);

    let (probing, inside) = b.loop_(vec![zero], &[Ty::I32]);
    b.func.insts[probing].unroll = Unroll::Never;
    b.enter(inside);
    let count = b.func.regions[inside].args[0];
    let is_done = b.compare(CmpOp::UGe, count, bound);
    let (test, leave, go_on) = b.if_(is_done, &[]);
    b.enter(leave);
    b.exit(probing, vec![count]);
    b.leave();
    b.enter(go_on);
    b.exit(test, vec![]);
    b.leave();
    let more = b.binary(BinOp::IAdd, count, one);
    b.repeat(probing, vec![more]);
    b.leave();

    let counted = b.results(probing)[0];
    let ended = b.compare(CmpOp::INe, counted, probe);
    let (reporting, then, otherwise) = b.if_(ended, &[]);
    b.enter(then);
    let (storage, place) = match word {
        Word::AddressAt { slot, int64 } => (Storage::Physical, address_at(&mut b, slot, int64)),
        Word::Object(object) => (Storage::Buffer(object, Ty::I32), zero),
    };
    let add = Op::AtomicOn(AtomicOp::Add, storage);
    b.insert(add, vec![place, one], &[Ty::I32]);
    b.exit(reporting, vec![]);
    b.leave();
    b.enter(otherwise);
    b.exit(reporting, vec![]);
    b.leave();
}

/// Returns the address at an offset of the push constants.
fn address_at(b: &mut Builder<'_>, slot: u32, int64: bool) -> Value {
    let words = b.pushed_words(slot);
    match int64 {
        true => b.cast(CastOp::Bitcast, words, Ty::I64),
        // `lower_int64` has made all addresses pairs of words.
        false => words,
    }
}
