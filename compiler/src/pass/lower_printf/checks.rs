//! The operations of instrumented kernels: they access the memory after the printf buffer, whose layout
//! [`crate::check`] describes.

use super::{ADDRESS, Lower, WORD, words_of};
use crate::check::{ARGUMENT, Area, FINDING, Notes, Site, memory};
use crate::diag::InternalError;
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Function, Inst, Module, Op, PrintfEntry, Ty, Value};
use crate::pass::PassError;

/// Returns whether an instruction is for a check.
pub(super) fn is_for_checks(func: &Function, inst: Inst) -> bool {
    matches!(
        func.insts[inst].op,
        Op::Intrinsic(Intrinsic::ArgumentMemory | Intrinsic::IsAllocated | Intrinsic::ReportFinding)
    )
}

/// Returns what has to follow a printf buffer of this size, if kernels check something.
pub(super) fn area(module: &Module, printf: u32) -> Option<Area> {
    let mut funcs = module.funcs.iter();
    let any = funcs.any(|(_, f)| f.insts_in_order().into_iter().any(|i| is_for_checks(f, i)));
    let sites = module.strings.iter().filter(|s| Site::is_site(s)).count() as u32;
    let arguments = module.kernels.iter().map(|k| k.args.len() as u32).max();
    let funcs = module.funcs.iter().map(|(_, f)| f);
    let asked = funcs.flat_map(|f| f.insts_in_order().into_iter().map(move |i| (f, i)));
    let asked = asked.filter(|(f, i)| f.insts[*i].op == Op::Intrinsic(Intrinsic::ArgumentMemory));
    let asked = asked.map(|(f, i)| [0, 1].map(|n| f.as_bits(f.insts[i].args[n]).unwrap_or(0) as u32));
    let asked: Vec<[u32; 2]> = asked.collect();
    let unit = asked.iter().filter_map(|[_, what]| memory::unit(*what)).min();
    // Kernels may also ask about the entry after those of their arguments.
    let entries = asked.iter().map(|[ordinal, _]| ordinal + 1).max().max(arguments);
    any.then(|| Area::new(printf, entries.unwrap_or(0), sites, unit.unwrap_or(0)))
}

impl Lower<'_> {
    /// Makes the texts of all sites the first entries, so that the number of a site, plus 1, is that of its entry.
    pub(super) fn sites(&mut self) {
        let sites = self.strings.iter().filter(|s| Site::is_site(s));
        self.printf.entries.extend(sites.map(|text| PrintfEntry {
            text: text.clone(),
            sizes: FINDING.to_vec(),
        }));
    }

    /// Makes entries of the notes about the checks of kernels. No record has their numbers.
    pub(super) fn notes(&mut self) {
        let notes = self.strings.iter().filter(|s| Notes::is_notes(s));
        self.printf.entries.extend(notes.map(|text| PrintfEntry {
            text: text.clone(),
            sizes: Vec::new(),
        }));
    }

    /// Lowers an instruction for a check. Returns its result, if it has one.
    pub(super) fn check(&mut self, b: &mut Builder<'_>, inst: Inst) -> Result<Option<Value>, PassError> {
        let Some(area) = self.area else {
            return Err(InternalError::new("lower_printf", "a check without its memory").into());
        };
        let (op, args) = (b.func.insts[inst].op.clone(), b.func.insts[inst].args.clone());
        let constant = |n: usize| b.func.as_bits(args[n]).unwrap_or(0) as i64;
        match op {
            Op::Intrinsic(Intrinsic::ArgumentMemory) => {
                let number = memory::number(constant(1) as u32);
                let at = i64::from(area.sizes + ARGUMENT * constant(0) as u32 + 8 * number);
                let buffer = self.buffer(b);
                let from = b.ptr_offset(buffer, at);
                Ok(Some(b.load(from, Ty::I64, ADDRESS)))
            }
            Op::Intrinsic(Intrinsic::IsAllocated) => Ok(Some(self.is_allocated(b, area, args[0], args[1]))),
            _ => {
                let buffer = self.buffer(b);
                let counters = b.ptr_offset(buffer, area.counters.into());
                let (site, two) = (b.cast(CastOp::ZExt, args[0], Ty::I64), b.i64(2));
                let offset = b.binary(BinOp::Shl, site, two);
                let counter = b.ptr_add(counters, offset);
                let one = b.i32(1);
                let add = Op::Intrinsic(Intrinsic::Atomic(AtomicOp::Add));
                let before = b.value(add, vec![counter, one], Ty::I32);
                let zero = b.i32(0);
                let is_first = b.compare(CmpOp::IEq, before, zero);
                let (choice, then, otherwise) = b.if_(is_first, &[]);
                b.enter(then);
                let mut words = vec![b.binary(BinOp::IAdd, args[0], one)];
                for &arg in &args {
                    words_of(b, arg, &mut words);
                }
                self.store(b, &words);
                b.exit(choice, vec![]);
                b.leave();
                b.enter(otherwise);
                b.exit(choice, vec![]);
                b.leave();
                Ok(None)
            }
        }
    }

    /// Searches the allocations of the context for some bytes.
    fn is_allocated(&self, b: &mut Builder<'_>, area: Area, address: Value, bytes: Value) -> Value {
        let buffer = self.buffer(b);
        let table = b.ptr_offset(buffer, area.allocations.into());
        let count = b.load(table, Ty::I32, WORD);
        let end = b.binary(BinOp::IAdd, address, bytes);
        let (zero, one) = (b.i32(0), b.i32(1));
        let (search, body) = b.loop_(vec![zero], &[Ty::BOOL]);
        b.enter(body);
        let index = b.func.regions[body].args[0];
        let leave_if = |b: &mut Builder<'_>, condition: Value, result: bool| {
            let (choice, then, otherwise) = b.if_(condition, &[]);
            b.enter(then);
            let result = b.bool(result);
            b.exit(search, vec![result]);
            b.leave();
            b.enter(otherwise);
            b.exit(choice, vec![]);
            b.leave();
        };
        let is_done = b.compare(CmpOp::UGe, index, count);
        leave_if(b, is_done, false);
        let four = b.i32(4);
        let offset = b.binary(BinOp::Shl, index, four);
        let range = b.ptr_add(table, offset);
        let [first, last] = [8, 16].map(|at| {
            let from = b.ptr_offset(range, at);
            b.load(from, Ty::I64, ADDRESS)
        });
        // An access beyond the end of the address space begins again at address 0.
        let tests = [(first, address), (address, end), (end, last)].map(|(x, y)| b.compare(CmpOp::ULe, x, y));
        let is_after = b.binary(BinOp::And, tests[0], tests[1]);
        let is_inside = b.binary(BinOp::And, is_after, tests[2]);
        leave_if(b, is_inside, true);
        let next = b.binary(BinOp::IAdd, index, one);
        b.repeat(search, vec![next]);
        b.leave();
        b.results(search)[0]
    }
}
