//! Inlines calls. Only kernels remain, and large functions that are pure once private memory is passed by value.
//!
//! Why: private pointers that are passed to functions can be promoted only if caller and callee are one
//! function. All calls can be inlined, since OpenCL C has neither function pointers nor recursion (1.2
//! 6.9.i).
//! In:  any module.
//! Out: [`Invariant::Inlined`](crate::verify::Invariant::Inlined): the first functions are the kernels, in their
//!      order. The others are pure, so that control flow is all that later passes have to lower in them;
//!      calls of them are `CallPure`.
//!
//! Large pure functions with many calls are kept because every pass goes through each copy: sixty copies of a
//! sine in double precision would cost more compile time than the rest of a program
//! (`docs/adr/0009-functions-that-stay.md`).
//!
//! The body of a callee with a single return at its end is inserted in place of the call. Any other callee
//! becomes a `Block`, and its returns exits of that block.
//!
//! A large function with pointers to private memory is converted to one that takes the elements of this memory by value
//! (`inline/by_value.rs`), if a kernel would have large copies of it. Calls of it remain calls until the kernel is processed,
//! when the memory of each call is known. Calls that cannot be converted are inlined as they were written, and so are
//! all calls in kernels that would have only small copies.
//!
//! Calls of one pure function with the same arguments are merged before they are inlined: no later pass merges copies with
//! branches or loops.

mod by_value;
mod graph;

use self::by_value::ByValue;
use self::graph::{Graph, Sizes, callees};
use super::{Changed, Pass, PassCx, PassError};
use crate::abi::Abi;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::analysis::is_pure_function;
use crate::ir::clone::Cloner;
use crate::ir::walk::Walk;
use crate::ir::{
    AddressSpace, Builder, EntityRef, Func, Function, Global, GlobalData, Inst, Map, Module, Op, Region,
    Scalar, Ty, Value,
};
use crate::source::Span;

pub const PASS: Pass = Pass {
    name: "inline",
    about: "Inlines calls. Only kernels remain, and large functions that are pure once private memory is passed by value.",
    run,
    requires: inv![Ssa],
    establishes: inv![Inlined],
    destroys: inv![],
};

/// The most instructions of one function after inlining.
const MAX_INSTS: usize = 2_000_000;

/// The size of a kernel before simplification, in multiples of [`MAX_INSTS`], beyond which it is refused at
/// once. It would take minutes to find that it does not fit.
const MAX_EXCESS: usize = 32;

/// The number of instructions beyond which a kernel is simplified before the next one is inlined, to save
/// memory.
const LARGE: usize = 16_384;

/// A pure function is kept if its copies would have more instructions than this in total, and each at least
/// [`MIN_KEPT`].
const MAX_COPIED: usize = 8192;
const MIN_KEPT: usize = 64;

/// A function with pointers to private memory is called by value in a kernel whose copies of it would have more
/// instructions than this in total.
const MAX_COPIED_BY_VALUE: usize = 16_384;

/// The facts about a function that has been processed.
#[derive(Clone, Default)]
struct Done {
    /// Whether its only return is at its end.
    ends: bool,
    /// Whether it is pure, so that calls with the same arguments may be merged.
    pure: bool,
    /// Whether calls of it remain.
    kept: bool,
    /// The form of it that takes private memory by value.
    by_value: Option<Converted>,
}

/// A function that takes private memory by value.
#[derive(Clone)]
struct Converted {
    by_value: ByValue,
    /// The number of the function with values.
    func: Func,
    /// The number of its instructions, with those of all that it calls.
    size: usize,
}

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let order = bottom_up(module)?;
    check_variables(module, &order)?;
    check_sizes(module, &order)?;
    if is_inlined(module) {
        return Ok(Changed::No);
    }
    let limits = Limits {
        keep_all: cx.hooks.keep_functions,
    };
    let graph = Graph::new(module, order);
    let copies = graph.copies(|f| module.kernels.iter().any(|k| k.func == f));
    let most_copies = graph.most_copies(module);
    let mut done = vec![Done::default(); module.funcs.len()];
    let mut sizes = Sizes::default();
    let mut sites = graph.sites();
    for &f in &graph.order {
        let is_kernel = module.kernels.iter().any(|k| k.func == f);
        let copies_here = match is_kernel {
            true => graph.copies(|k| k == f),
            false => Vec::new(),
        };
        // In kernels, calls with few copies are inlined at once. Other functions are inlined into any kernels, or called.
        let stays = |callee: Func, c: &Converted| {
            !is_kernel || limits.exceeds(c.size, copies_here[callee.index()], MAX_COPIED_BY_VALUE)
        };
        let mut func = std::mem::replace(&mut module.funcs[f], nothing());
        if !cx.target.checks.any() {
            merge_calls(&mut func, &done);
        }
        let any = inline_into(&mut func, module, &done, &mut sites, &stays)?;
        module.funcs[f] = func;
        let func = &mut module.funcs[f];
        if cx.target.checks.any() && accesses_memory(func) {
            // The checks see each access as the source has it. The library's variables are not checked.
            let of_library = |func: &Function| !is_kernel && func.insts.iter().all(|(_, i)| i.span.is_none());
            if !cx.target.checks.uninitialized || of_library(func) {
                super::mem2reg::promote(func);
            }
        } else if any && (!is_kernel || func.insts.len() > LARGE) {
            simplify(func, &module.globals);
        }
        let mut ends = returns_only_at_end(func);
        let kept = !is_kernel
            && limits.are_exceeded(func, func.insts_in_order().len(), copies[f.index()], MAX_COPIED)
            && may_stay(func, cx);
        if kept {
            prepare_to_stay(func, &mut ends);
            sizes.add(f, func);
        }
        let mut by_value = None;
        if is_kernel && has_calls(func) {
            let mut func = std::mem::replace(&mut module.funcs[f], nothing());
            pass_by_value(&mut func, module, &done, &mut sites, &stays)?;
            module.funcs[f] = func;
        } else if !is_kernel && !kept && !cx.target.checks.any() {
            by_value = convert(
                module,
                f,
                &done,
                &mut sites,
                &mut sizes,
                (most_copies[f.index()], limits),
                cx,
            );
        }
        let pure = !is_kernel && is_pure_function(&module.funcs[f]);
        done[f.index()] = Done {
            ends,
            pure,
            kept,
            by_value,
        };
    }
    keep_reachable(module);
    Ok(Changed::Yes)
}

/// Returns whether the module has only kernels, in their order, without calls, and none of them is too large.
fn is_inlined(module: &Module) -> bool {
    let kernels = module.kernels.iter().map(|k| k.func);
    let is_call = |op: &Op| matches!(op, Op::Call(_) | Op::CallPure(_));
    module.undefined.is_empty()
        && module.funcs.keys().eq(kernels)
        && module.funcs.iter().all(|(_, func)| {
            func.insts.len() <= MAX_INSTS && !func.insts.iter().any(|(_, data)| is_call(&data.op))
        })
}

/// Returns an error if a function is so large that no simplification makes it fit.
fn check_sizes(module: &Module, order: &[Func]) -> Result<(), PassError> {
    let limit = MAX_INSTS * MAX_EXCESS;
    let mut sizes = vec![0usize; module.funcs.len()];
    for &f in order {
        let func = &module.funcs[f];
        let mut size = func.insts.len();
        for (callee, _) in callees(&module.funcs[f]) {
            size = size.saturating_add(sizes[callee.index()]);
        }
        if size > limit {
            return Err(too_large(func, func.span));
        }
        sizes[f.index()] = size;
    }
    Ok(())
}

/// Returns the error for a function that is too large.
fn too_large(func: &Function, span: Span) -> PassError {
    PassError::TooLarge {
        what: format!("the size of '{}' with all it calls", func.name),
        limit: MAX_INSTS as u64,
        span,
    }
}

/// Deletes the bodies of functions that kernels do not reach. Returns whether there were any.
pub(super) fn drop_unreached(module: &mut Module) -> Result<bool, PassError> {
    let mut unreached = vec![true; module.funcs.len()];
    for f in bottom_up(module)? {
        unreached[f.index()] = false;
    }
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if unreached[f.index()] && !module.undefined.contains(&f) {
            *func = nothing();
            changed = true;
        }
    }
    Ok(changed)
}

/// Returns an empty function, which replaces one that is no longer needed.
fn nothing() -> Function {
    let mut func = Function::new("", &[], None);
    let body = func.body;
    Builder::at_end(&mut func, body).ret(None);
    func
}

/// The limits on the sizes of copies.
#[derive(Copy, Clone)]
struct Limits {
    /// Whether all functions that can stay do so, without limits.
    keep_all: bool,
}

impl Limits {
    /// Returns whether `copies` copies of a function with `size` instructions are more than `most` instructions.
    fn exceeds(self, size: usize, copies: usize, most: usize) -> bool {
        self.keep_all || size >= MIN_KEPT && size.saturating_mul(copies) > most
    }

    /// Returns whether a function is pure, and `copies` copies of its `size` instructions are more than `most`.
    fn are_exceeded(self, func: &Function, size: usize, copies: usize, most: usize) -> bool {
        let short = |v: Value| func.ty(v).lanes <= 4;
        self.exceeds(size, copies, most)
            && is_pure_function(func)
            // `lower_long_vectors` does not split vectors in parameters and results of calls.
            && func.values.keys().all(short)
    }
}

/// Returns whether later passes can lower a pure function.
fn may_stay(func: &Function, cx: &PassCx<'_>) -> bool {
    let reads_table = || {
        func.insts_in_order()
            .into_iter()
            .any(|i| matches!(func.insts[i].op, Op::Load(_)))
    };
    // `widen_integers` does not change parameters and results of calls.
    !(cx.target.lacks_narrow_integers() && has_narrow_signature(func))
        // In the descriptor ABI, pointers are offsets into memory objects of kernels.
        && (cx.target.abi == Abi::Physical || !reads_table())
}

/// Prepares a function for staying. `ends`: whether its only return is at its end, which it is afterwards.
fn prepare_to_stay(func: &mut Function, ends: &mut bool) {
    if !std::mem::replace(ends, true) {
        *func = returning_at_end(func);
    }
    // Passes may execute calls of pure functions speculatively.
    func.insts.iter_mut().for_each(|(_, data)| data.no_wrap = false);
}

/// Merges calls of pure functions with the same arguments, if a function has several calls of one.
fn merge_calls(func: &mut Function, done: &[Done]) {
    let calls = callees(func);
    let mut seen = vec![false; done.len()];
    let mut any = false;
    for &(callee, inst) in &calls {
        if done[callee.index()].pure {
            any |= std::mem::replace(&mut seen[callee.index()], true);
            func.insts[inst].op = Op::CallPure(callee);
        }
    }
    if any {
        super::cse::merge(func);
    }
    for (callee, inst) in calls {
        func.insts[inst].op = Op::Call(callee);
    }
}

/// Returns whether a function has calls that are neither inlined nor of pure functions.
fn has_calls(func: &Function) -> bool {
    func.insts_in_order()
        .into_iter()
        .any(|i| matches!(func.insts[i].op, Op::Call(_)))
}

/// Passes the private memory of calls by value where that is possible, and inlines all other calls.
fn pass_by_value(
    func: &mut Function,
    module: &mut Module,
    done: &[Done],
    sites: &mut [usize],
    stays: &dyn Fn(Func, &Converted) -> bool,
) -> Result<(), PassError> {
    loop {
        simplify(func, &module.globals);
        by_value::pass_elements(func, &|callee| {
            let converted = done[callee.index()].by_value.as_ref()?;
            stays(callee, converted).then_some((&converted.by_value, converted.func))
        });
        if !has_calls(func) {
            return Ok(());
        }
        // The bodies may have calls of other converted functions.
        inline_into(func, module, done, sites, &|_, _| false)?;
    }
}

/// Makes a function out of one with pointers to private memory that takes this memory by value, if it is worth keeping.
fn convert(
    module: &mut Module,
    f: Func,
    done: &[Done],
    sites: &mut [usize],
    sizes: &mut Sizes,
    (copies, limits): (usize, Limits),
    cx: &PassCx<'_>,
) -> Option<Converted> {
    let source = &module.funcs[f];
    let size = source.insts_in_order().len();
    // Calls are few instructions here, but may be many in the new function.
    if !has_calls(source) && !limits.exceeds(size, copies, MAX_COPIED_BY_VALUE) {
        return None;
    }
    let new = ByValue::new(source, &|callee| {
        done[callee.index()].by_value.as_ref().map(|c| &c.by_value)
    });
    let (mut by_value, mut func) = new?;
    if pass_by_value(&mut func, module, done, sites, &|_, _| true).is_err() {
        // The new function would be too large, but that does not concern the program as it is.
        return None;
    }
    simplify(&mut func, &module.globals);
    by_value.remove_unused(&mut func);
    if !limits.are_exceeded(&func, sizes.of(&func), copies, MAX_COPIED_BY_VALUE) || !may_stay(&func, cx) {
        return None;
    }
    let mut ends = returns_only_at_end(&func);
    prepare_to_stay(&mut func, &mut ends);
    let func = module.funcs.push(func);
    let size = sizes.add(func, &module.funcs[func]);
    Some(Converted { by_value, func, size })
}

/// Returns whether a parameter or the result is an 8-bit or 16-bit integer.
fn has_narrow_signature(func: &Function) -> bool {
    let mut types = func
        .params
        .iter()
        .map(|&p| func.ty(p))
        .chain(func.results.iter().copied());
    types.any(|ty| matches!(ty.scalar, Scalar::I8 | Scalar::I16))
}

/// Returns an equivalent function with a single return, at its end.
fn returning_at_end(func: &Function) -> Function {
    let types: Vec<Ty> = func.params.iter().map(|&p| func.ty(p)).collect();
    let mut outer = Function::new(func.name.clone(), &types, None);
    outer.results = func.results.clone();
    outer.span = func.span;
    let (params, body) = (outer.params.clone(), outer.body);
    let call = outer.new_inst(Op::Block, params, &func.results, func.span);
    let results = outer.insts[call].results.clone();
    let end = outer.new_inst(Op::Return, results, &[], func.span);
    let mut replacements = crate::ir::walk::Replacements::default();
    inline_call(&mut outer, body, call, func, false, &mut replacements);
    outer.regions[body].insts.push(end);
    replacements.apply(&mut outer);
    outer.compacted()
}

/// Removes all functions but the kernels and the functions that they call, directly or not.
fn keep_reachable(module: &mut Module) {
    let mut old: Vec<Option<Function>> = std::mem::take(&mut module.funcs)
        .into_values()
        .map(Some)
        .collect();
    let mut new: Map<Func, Function> = Map::default();
    let mut number: Vec<Option<Func>> = vec![None; old.len()];
    for kernel in &mut module.kernels {
        let function = old[kernel.func.index()]
            .take()
            .expect("verified: kernels have distinct functions");
        kernel.func = new.push(function);
    }
    let mut next = 0;
    while next < new.len() {
        let f = Func::new(next);
        next += 1;
        for inst in new[f].insts_in_order() {
            let Op::CallPure(callee) = new[f].insts[inst].op else {
                continue;
            };
            let there = number[callee.index()].or_else(|| old[callee.index()].take().map(|c| new.push(c)));
            number[callee.index()] = there;
            new[f].insts[inst].op = Op::CallPure(there.expect("only what is no kernel is kept"));
        }
    }
    module.funcs = new;
    module.undefined.clear();
}

/// Returns the functions that kernels reach, callees before callers. Returns an error for recursion and for
/// undefined functions.
fn bottom_up(module: &Module) -> Result<Vec<Func>, PassError> {
    #[derive(Copy, Clone, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; module.funcs.len()];
    let mut order = Vec::new();
    for kernel in &module.kernels {
        let mut stack = vec![(kernel.func, callees(&module.funcs[kernel.func]), 0)];
        if state[kernel.func.index()] == State::Done {
            continue;
        }
        state[kernel.func.index()] = State::Open;
        while let Some((f, calls, next)) = stack.last_mut() {
            let Some(&(callee, inst)) = calls.get(*next) else {
                state[f.index()] = State::Done;
                order.push(*f);
                stack.pop();
                continue;
            };
            *next += 1;
            let name = || module.funcs[callee].name.clone();
            let span = module.funcs[*f].insts[inst].span;
            if module.undefined.contains(&callee) {
                return Err(PassError::Undefined { name: name(), span });
            }
            match state[callee.index()] {
                State::New => {
                    state[callee.index()] = State::Open;
                    stack.push((callee, callees(&module.funcs[callee]), 0));
                }
                State::Open => return Err(PassError::Recursion { name: name(), span }),
                State::Done => {}
            }
        }
    }
    Ok(order)
}

/// Returns an error if a kernel can reach a variable in constant or global memory without contents: one that is only
/// declared (`extern`), and that no linked object defines.
fn check_variables(module: &Module, order: &[Func]) -> Result<(), PassError> {
    let mut seen = vec![false; module.globals.len()];
    for &f in order {
        let func = &module.funcs[f];
        for inst in func.insts_in_order() {
            let Op::GlobalAddr(global) = func.insts[inst].op else {
                continue;
            };
            let mut work = vec![global];
            while let Some(g) = work.pop() {
                let data = &module.globals[g];
                if std::mem::replace(&mut seen[g.index()], true) || data.space == AddressSpace::Local {
                    continue;
                }
                let Some(init) = &data.init else {
                    let (name, span) = (data.name.clone(), func.insts[inst].span);
                    return Err(PassError::Undefined { name, span });
                };
                work.extend(init.relocations.iter().map(|(_, target, _)| *target));
            }
        }
    }
    Ok(())
}

/// Inlines the calls in a function, except those of converted functions for which `stays` returns true. Returns whether
/// there were any to inline. `sites` has the number of remaining calls of each function, with those that were merged; after
/// its last call the body of a callee is deleted.
fn inline_into(
    func: &mut Function,
    module: &mut Module,
    done: &[Done],
    sites: &mut [usize],
    stays: &dyn Fn(Func, &Converted) -> bool,
) -> Result<bool, PassError> {
    let stays = |callee: Func| {
        done[callee.index()]
            .by_value
            .as_ref()
            .is_some_and(|c| stays(callee, c))
    };
    let whole = callees(func)
        .iter()
        .filter(|(callee, _)| !done[callee.index()].kept && !stays(*callee))
        .fold(func.insts.len(), |n, (callee, _)| {
            n + module.funcs[*callee].insts.len()
        });
    if whole > MAX_INSTS {
        return Err(too_large(func, func.span));
    }
    let mut any = false;
    let mut replacements = crate::ir::walk::Replacements::default();
    for region in func.regions_in_order() {
        let has_call = |i: &Inst| matches!(func.insts[*i].op, Op::Call(_));
        if !func.regions[region].insts.iter().any(has_call) {
            continue;
        }
        let old = std::mem::take(&mut func.regions[region].insts);
        for inst in old {
            let Op::Call(callee) = func.insts[inst].op else {
                func.regions[region].insts.push(inst);
                continue;
            };
            let Done { ends, kept, .. } = done[callee.index()];
            if stays(callee) {
                func.regions[region].insts.push(inst);
                continue;
            }
            if kept {
                func.insts[inst].op = Op::CallPure(callee);
                func.regions[region].insts.push(inst);
                continue;
            }
            any = true;
            inline_call(func, region, inst, &module.funcs[callee], ends, &mut replacements);
            if done[callee.index()].by_value.is_some() {
                // The numbers of calls in its copies are not known.
                continue;
            }
            sites[callee.index()] -= 1;
            if sites[callee.index()] == 0 && module.kernels.iter().all(|k| k.func != callee) {
                module.funcs[callee] = nothing();
            }
        }
    }
    replacements.apply(func);
    Ok(any)
}

/// Runs the passes that follow in the pipeline once on a function, so that they do not have to run on each
/// copy of it.
fn simplify(func: &mut Function, globals: &Map<Global, GlobalData>) {
    super::sroa::run_on(func);
    super::mem2reg::promote(func);
    super::const_fold::fold_function(func, globals);
    super::cse::merge(func);
    super::simplify_regions::simplify(func);
    super::dce::remove_dead(func);
    *func = func.compacted();
}

/// Returns whether a function accesses memory through pointers, other than its private variables by themselves.
fn accesses_memory(func: &Function) -> bool {
    let is_variable = |v: Value| {
        let inst = func.def_inst(v);
        inst.is_some_and(|i| matches!(func.insts[i].op, Op::Alloca { .. }))
    };
    func.insts_in_order().into_iter().any(|inst| {
        let data = &func.insts[inst];
        let operands = match data.op {
            Op::Load(_) | Op::Store(_) | Op::MemZero { .. } | Op::Intrinsic(Intrinsic::Atomic(_)) => {
                &data.args[..1]
            }
            Op::Intrinsic(Intrinsic::Matrix(op)) if op.accesses_memory() => &data.args[..1],
            Op::MemCpy { .. } => &data.args[..2],
            _ => &[],
        };
        !operands.iter().all(|&v| is_variable(v))
    })
}

/// Appends the callee's body to `region` in place of the call. `at_end`: the callee's only return is at its
/// end.
fn inline_call(
    func: &mut Function,
    region: Region,
    call: Inst,
    callee: &Function,
    at_end: bool,
    replacements: &mut crate::ir::walk::Replacements,
) {
    let args = func.insts[call].args.clone();
    let span = func.insts[call].span;
    let old = func.insts[call].results.clone();
    let mut cloner = Cloner::new(callee);
    for (&param, &arg) in callee.params.iter().zip(&args) {
        cloner.map_value(param, arg);
    }
    if at_end {
        cloner.region(func, callee.body, region, |func, _, new| place(func, new, span));
        let last = func.regions[region]
            .insts
            .pop()
            .expect("verified: a region has a terminator");
        for (&result, &value) in old.iter().zip(&func.insts[last].args) {
            replacements.set(result, value);
        }
        return;
    }
    let block = func.new_inst(Op::Block, vec![], &callee.results, span);
    let body = func.new_region(&[]);
    func.insts[block].regions.push(body);
    func.regions[region].insts.push(block);
    cloner.region(func, callee.body, body, |func, _, new| {
        place(func, new, span);
        if func.insts[new].op == Op::Return {
            func.insts[new].op = Op::Exit(block);
        }
    });
    for (&old, &new) in old.iter().zip(&func.insts[block].results) {
        replacements.set(old, new);
    }
}

/// Gives a copied instruction without a position, which is one of the library, the position of the call.
fn place(func: &mut Function, inst: Inst, call: Span) {
    let span = &mut func.insts[inst].span;
    if span.is_none() {
        *span = call;
    }
}

/// Returns whether the terminator of the body is the only return.
fn returns_only_at_end(func: &Function) -> bool {
    let mut returns = 0;
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        returns += usize::from(func.insts[inst].op == Op::Return);
    }
    let ends = func
        .terminator(func.body)
        .is_some_and(|t| func.insts[t].op == Op::Return);
    returns == 1 && ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Diags;
    use crate::target::Target;
    use std::fmt::Write;

    /// Returns a module with a kernel that calls a function of about `size` instructions `calls` times, after
    /// inlining.
    fn inlined(size: usize, calls: usize) -> Module {
        let mut text = String::from(
            "func @f0 \"f\"(%v0: i32) -> i32 {\n  %v1: bool = SLessThan %v0, i32 0\n  if ^b0 %v1 {\n    Return i32 0\n  } \
             else {\n    exit ^b0\n  }\n  %v2: i32 = IMul %v0, %v0\n",
        );
        for n in 3..size {
            let _ = writeln!(text, "  %v{n}: i32 = IMul %v{}, %v0", n - 1);
        }
        let _ = writeln!(
            text,
            "  Return %v{}\n}}\nfunc @f1 \"k\"(%v0: ptr<global>) {{",
            size - 1
        );
        text.push_str("  %v1: i32 = Load align 4 %v0\n");
        for n in 2..calls + 2 {
            let _ = writeln!(text, "  %v{n}: i32 = call @f0 %v{}", n - 1);
        }
        let _ = write!(
            text,
            "  Store align 4 %v0, %v{}\n  Return\n}}\nkernel @f1 \"k\" {{\n  arg \"p\" \"int*\" buffer global align 4 \
             address 4507 access 4515 qualifier 0 read written escapes\n}}\n",
            calls + 1
        );
        let mut module = crate::ir::parse::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (target, mut diags) = (Target::desktop(), Diags::default());
        let changed = run(&mut module, &mut PassCx::new(&target, &mut diags));
        assert!(changed.expect("it can be inlined") == Changed::Yes);
        crate::verify::module(&module, inv![Ssa, Inlined], "inline").expect("it is valid");
        module
    }

    #[test]
    fn a_large_pure_function_is_kept_if_it_is_called_often() {
        let module = inlined(100, 100);
        let funcs: Vec<&Function> = module.funcs.iter().map(|(_, f)| f).collect();
        assert_eq!((funcs.len(), &*funcs[0].name, &*funcs[1].name), (2, "k", "f"));
        assert!(returns_only_at_end(funcs[1]));
        let ops = funcs[0].insts_in_order();
        let calls = ops
            .iter()
            .filter(|&&i| funcs[0].insts[i].op == Op::CallPure(Func::new(1)));
        assert_eq!(calls.count(), 100);
    }

    /// Returns the number of functions, and of calls in the first of two kernels, after inlining. The first kernel calls a
    /// function of `size` instructions that increments a number in private memory `calls` times, the second once.
    fn with_memory(size: usize, calls: usize) -> (usize, [usize; 2]) {
        kernels_with_memory(&[(size, 0)], calls)
    }

    /// The same with functions of which each calls the one before as often as stated; the kernels call the last one.
    fn kernels_with_memory(functions: &[(usize, usize)], calls: usize) -> (usize, [usize; 2]) {
        let mut text = String::new();
        for (f, &(size, inner)) in functions.iter().enumerate() {
            let _ = writeln!(text, "func @f{f} \"f{f}\"(%v0: ptr<private>) {{");
            (0..inner).for_each(|_| {
                let _ = writeln!(text, "  call @f{} %v0", f - 1);
            });
            text.push_str("  %v1: i32 = Load align 4 %v0\n");
            for n in 2..size {
                let _ = writeln!(text, "  %v{n}: i32 = IMul %v{}, %v1", n - 1);
            }
            let _ = writeln!(text, "  Store align 4 %v0, %v{}\n  Return\n}}", size - 1);
        }
        let callee = functions.len() - 1;
        for (f, calls) in [(callee + 1, calls), (callee + 2, 1)] {
            let _ = writeln!(
                text,
                "func @f{f} \"k{f}\"(%v0: ptr<global>) {{\n  %v1: ptr<private> = alloca size 4 align 4"
            );
            text.push_str("  %v2: i32 = Load align 4 %v0\n  Store align 4 %v1, %v2\n");
            text.push_str(&format!("  call @f{callee} %v1\n").repeat(calls));
            text.push_str("  %v3: i32 = Load align 4 %v1\n  Store align 4 %v0, %v3\n  Return\n}\n");
        }
        for f in callee + 1..callee + 3 {
            let _ = write!(
                text,
                "kernel @f{f} \"k{f}\" {{\n  arg \"p\" \"int*\" buffer global align 4 address 4507 access 4515 qualifier 0 \
                 read written escapes\n}}\n"
            );
        }
        let mut module = crate::ir::parse::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (target, mut diags) = (Target::desktop(), Diags::default());
        let changed = run(&mut module, &mut PassCx::new(&target, &mut diags));
        assert!(changed.expect("it can be inlined") == Changed::Yes);
        crate::verify::module(&module, inv![Ssa, Inlined], "inline").expect("it is valid");
        let calls = [0, 1].map(|f| {
            let func = &module.funcs[Func::new(f)];
            let order = func.insts_in_order();
            order
                .iter()
                .filter(|&&i| matches!(func.insts[i].op, Op::CallPure(_)))
                .count()
        });
        (module.funcs.len(), calls)
    }

    #[test]
    fn memory_is_passed_by_value_where_the_copies_would_be_large() {
        assert_eq!(with_memory(200, 100), (3, [100, 0]));
        assert_eq!(with_memory(200, 20), (2, [0, 0]));
        assert_eq!(with_memory(40, 1000), (2, [0, 0]));
    }

    #[test]
    fn a_small_function_stays_if_its_copies_would_have_many_calls_of_large_ones() {
        // The kernels, and both functions.
        assert_eq!(kernels_with_memory(&[(200, 0), (75, 2)], 50), (4, [50, 0]));
        // Neither has enough copies.
        assert_eq!(kernels_with_memory(&[(400, 0), (75, 1)], 31), (2, [0, 0]));
    }

    #[test]
    fn others_are_copied() {
        assert_eq!(inlined(100, 10).funcs.len(), 1);
        assert_eq!(inlined(30, 250).funcs.len(), 1);
    }
}
