//! The pure functions of a module: finds those that kernels call, and decides which of them the driver should inline.

use rspirv::spirv as spv;

use crate::ir::{EntityRef, Func, Function, Module, Op};

/// The most instructions that the copies of a function, with all that it calls, may have in total for the driver to inline it.
/// Beyond this, the compile time of the driver is worse than what the calls cost: NVIDIA's driver took 30 s for sixty copies of
/// 2,500 instructions, and 0.4 s for the calls.
const MOST_INLINED: usize = 32_768;

/// A pure function that kernels call, directly or indirectly. A function that the pass `inline` kept may no longer be called,
/// because its unused calls were removed.
pub(super) struct Called<'a> {
    pub func: Func,
    pub function: &'a Function,
    /// `Inline`, or `DontInline` if the copies would be too large.
    pub control: spv::FunctionControl,
}

/// Returns the pure functions that a function calls, once for each call.
fn callees(function: &Function) -> Vec<Func> {
    let ops = function.insts_in_order().into_iter();
    ops.filter_map(|inst| match function.insts[inst].op {
        Op::CallPure(callee) => Some(callee),
        _ => None,
    })
    .collect()
}

/// Returns the functions that kernels reach, callers before callees.
fn callers_first(module: &Module, kernels: impl Iterator<Item = Func>) -> Vec<Func> {
    let mut is_known = vec![false; module.funcs.len()];
    let mut after_callees = Vec::new();
    for kernel in kernels {
        is_known[kernel.index()] = true;
        let mut stack = vec![(kernel, callees(&module.funcs[kernel]))];
        while let Some((f, open)) = stack.last_mut() {
            match open.pop() {
                Some(callee) => {
                    if !std::mem::replace(&mut is_known[callee.index()], true) {
                        stack.push((callee, callees(&module.funcs[callee])));
                    }
                }
                None => {
                    after_callees.push(*f);
                    stack.pop();
                }
            }
        }
    }
    after_callees.reverse();
    after_callees
}

/// Returns the pure functions that kernels call, in the order of the module.
pub(super) fn called(module: &Module) -> Vec<Called<'_>> {
    let order = callers_first(module, module.kernels.iter().map(|k| k.func));
    // The instructions of each function, with those of all that it calls.
    let mut sizes = vec![0usize; module.funcs.len()];
    for &f in order.iter().rev() {
        let function = &module.funcs[f];
        let calls = callees(function).into_iter();
        sizes[f.index()] = calls.fold(function.insts_in_order().len(), |sum, callee| {
            sum.saturating_add(sizes[callee.index()])
        });
    }
    let mut is_kernel = vec![false; module.funcs.len()];
    module
        .kernels
        .iter()
        .for_each(|k| is_kernel[k.func.index()] = true);
    let mut copies = vec![0usize; module.funcs.len()];
    let mut controls = vec![spv::FunctionControl::INLINE; module.funcs.len()];
    for f in order {
        if sizes[f.index()].saturating_mul(copies[f.index()]) > MOST_INLINED {
            controls[f.index()] = spv::FunctionControl::DONT_INLINE;
        }
        let bodies = copies[f.index()] + usize::from(is_kernel[f.index()]);
        for callee in callees(&module.funcs[f]) {
            copies[callee.index()] = copies[callee.index()].saturating_add(bodies);
        }
    }
    let all = module.funcs.iter();
    all.filter(|(f, _)| copies[f.index()] > 0 && !is_kernel[f.index()])
        .map(|(func, function)| Called {
            func,
            function,
            control: controls[func.index()],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    /// Returns the control of each function of a kernel that calls `a` and `b` as often as stated; `b` calls `c` twice. All have
    /// about 500 instructions.
    fn controls(a: usize, b: usize) -> Vec<(String, spv::FunctionControl)> {
        let mut text = String::from("func @f0 \"k\"() {\n  %v0: i32 = load_from push_word align 4 i32 0\n");
        for (n, f) in std::iter::repeat_n("f1", a)
            .chain(std::iter::repeat_n("f2", b))
            .enumerate()
        {
            let _ = writeln!(text, "  %v{}: i32 = call_pure @{f} %v{n}", n + 1);
        }
        text.push_str("  Return\n}\n");
        for (f, name, calls) in [(1, "a", 0), (2, "b", 2), (3, "c", 0)] {
            let _ = writeln!(text, "func @f{f} \"{name}\"(%v0: i32) -> i32 {{");
            for n in 1..500 {
                let op = if n <= calls {
                    format!("call_pure @f3 %v{}", n - 1)
                } else {
                    format!("IMul %v{}, %v0", n - 1)
                };
                let _ = writeln!(text, "  %v{n}: i32 = {op}");
            }
            text.push_str("  Return %v499\n}\n");
        }
        text.push_str("kernel @f0 \"k\" {\n}\n");
        let module = crate::ir::parse::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let all = called(&module).into_iter();
        all.map(|c| (c.function.name.clone(), c.control)).collect()
    }

    #[test]
    fn functions_are_inlined_unless_the_copies_are_too_large() {
        use spv::FunctionControl as Control;
        let named = |list: &[(&str, Control)]| -> Vec<(String, Control)> {
            list.iter()
                .map(|(name, control)| ((*name).to_owned(), *control))
                .collect()
        };
        let (inline, call) = (Control::INLINE, Control::DONT_INLINE);
        assert_eq!(controls(10, 0), named(&[("a", inline)]));
        assert_eq!(controls(80, 0), named(&[("a", call)]));
        // There are 80 copies of `c`, and each of the 40 copies of `b` would have two of them.
        assert_eq!(
            controls(10, 40),
            named(&[("a", inline), ("b", call), ("c", call)])
        );
    }
}
