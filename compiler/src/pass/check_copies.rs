//! Reports asynchronous copies that no work-item waits for, or whose arguments differ in a work-group, and waits for events
//! that do not come from copies.
//!
//! Why: `CALDERA_CHECK=barrier` ([`Checks::barrier`](crate::check::Checks::barrier)). OpenCL C requires that all work-items of a
//!      group execute a copy with the same arguments (1.2, 6.12.10); the behaviour is undefined otherwise.
//! In:  `Inlined`.
//! Out: no [`Intrinsic::CopyBegins`] and [`Intrinsic::CopiesEnd`]. An event has a bit for each of its copies in the source. A
//!      work-item keeps the bits of the copies that it has not waited for, and for each copy in the source how often and with
//!      which arguments it has executed this. Before the kernel returns, the work-items of a group compare that with what
//!      the first one has, and state their findings ([`Intrinsic::ReportFinding`]). In a kernel that never returns only
//!      waits are checked.

use super::report_ended_loops::only_return;
use super::shadow::{barrier, linear_id, when};
use super::sites::{Sites, rebuild};
use super::{Changed, Pass, PassCx, PassError};
use crate::abi::Abi;
use crate::check::{Notes, Site, object};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CastOp, CmpOp, Function, GlobalData, Inst, Linkage, Module, Op, Ty,
    Value,
};

pub const PASS: Pass = Pass {
    name: "check_copies",
    about: "Reports asynchronous copies that no work-item waits for, or whose arguments differ in a work-group.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

const WORD: Access = Access {
    align: 4,
    volatile: false,
};
const EVENT: Access = Access {
    align: 8,
    volatile: false,
};

/// The bit of an event that stands for all copies which have no bit of their own. Nobody is told to wait for them.
const OTHERS: usize = 63;

/// A prime number, by which the number for some arguments is multiplied before the next one is added.
const FACTOR: i32 = 0x0100_0193;

/// Where the copies begin in what a work-item keeps: before them are the events that it has not waited for.
const FIRST: u32 = 8;
/// The bytes for each copy: the number of its executions, and a number that stands for their arguments.
const EACH: u32 = 8;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut sites = Sites::take(module, cx)?;
    let mut changed = false;
    for kernel in &module.kernels {
        let func = &mut module.funcs[kernel.func];
        let is = |func: &Function, i: Inst, what| func.insts[i].op == Op::Intrinsic(what);
        let order = func.insts_in_order();
        let copies = order.iter().filter(|&&i| is(func, i, Intrinsic::CopyBegins));
        let copies: Vec<Inst> = copies.copied().collect();
        if copies.is_empty() && !order.iter().any(|&i| is(func, i, Intrinsic::CopiesEnd)) {
            continue;
        }
        changed = true;
        let returns = only_return(func).is_some();
        if !returns {
            sites.note(&Notes {
                kernel: func.name.clone(),
                check: "barrier".into(),
                left_out: vec![("asynchronous copies".into(), "it never returns".into())],
                ..Notes::default()
            });
        }
        let size = FIRST + EACH * copies.len() as u32;
        let mut check = Check {
            copies,
            kept: None,
            size,
            by_address: cx.target.abi == Abi::Physical,
            sites: &mut sites,
            replacements: Replacements::default(),
        };
        rebuild(func, |b, inst| match inst {
            None => check.start(b),
            Some(inst) => check.inst(b, inst),
        });
        check.replacements.apply(func);
        let (kept, copies) = (check.kept, check.copies);
        if let Some(kept) = kept.filter(|_| returns && !copies.is_empty()) {
            let shared = module.globals.push(GlobalData {
                name: format!("{}.copies", func.name),
                space: AddressSpace::Local,
                size,
                align: EVENT.align,
                init: None,
                linkage: Linkage::Static,
            });
            let end = func.regions[func.body].insts.len() - 1;
            let mut b = Builder::before(func, func.body, end);
            let shared = b.global_addr(shared, AddressSpace::Local);
            compare(&mut b, &mut sites, &copies, (kept, shared, size));
        }
    }
    sites.give_back(module);
    Ok(changed.into())
}

/// The state of the pass for one kernel.
struct Check<'c, 'a> {
    copies: Vec<Inst>,
    /// What the work-item keeps.
    kept: Option<Value>,
    size: u32,
    /// Pointers to global memory are addresses.
    by_address: bool,
    sites: &'c mut Sites<'a>,
    replacements: Replacements,
}

impl Check<'_, '_> {
    fn start(&mut self, b: &mut Builder<'_>) {
        let kept = b.alloca(self.size, EVENT.align);
        b.mem_zero(kept, EVENT, self.size);
        self.kept = Some(kept);
    }

    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        match (b.func.insts[inst].op.clone(), self.kept) {
            (Op::Intrinsic(Intrinsic::CopyBegins), Some(kept)) => self.copy(b, inst, kept),
            (Op::Intrinsic(Intrinsic::CopiesEnd), Some(kept)) => self.wait(b, inst, kept),
            _ => b.push(inst),
        }
    }

    /// Puts the beginning of a copy at the cursor.
    fn copy(&mut self, b: &mut Builder<'_>, inst: Inst, kept: Value) {
        let data = &b.func.insts[inst];
        let (args, result) = (data.args.clone(), data.results[0]);
        let n = self.copies.iter().position(|&c| c == inst).unwrap_or(OTHERS);
        let own = b.i64(1 << n.min(OTHERS));
        let none = b.i64(0);
        let is_new = b.compare(CmpOp::IEq, args[0], none);
        let event = b.select(is_new, own, args[0]);
        self.replacements.set(result, event);
        let before = b.load(kept, Ty::I64, EVENT);
        let known = b.i64(self.waited());
        let bits = b.binary(BinOp::And, event, known);
        let after = b.binary(BinOp::Or, before, bits);
        b.store(kept, after, EVENT);
        let numbers = b.ptr_offset(kept, i64::from(FIRST + EACH * n as u32));
        let (count, one) = (b.load(numbers, Ty::I32, WORD), b.i32(1));
        let count = b.binary(BinOp::IAdd, count, one);
        b.store(numbers, count, WORD);
        let at = b.ptr_offset(numbers, 4);
        let (mut sum, factor) = (b.load(at, Ty::I32, WORD), b.i32(FACTOR));
        for &arg in &args[1..] {
            let number = match b.func.ty(arg).space() {
                Some(AddressSpace::Local) => b.cast(CastOp::PtrToInt, arg, Ty::I64),
                Some(_) if self.by_address => b.cast(CastOp::PtrToInt, arg, Ty::I64),
                Some(_) => continue,
                None => arg,
            };
            let number = b.cast(CastOp::Trunc, number, Ty::I32);
            let product = b.binary(BinOp::IMul, sum, factor);
            sum = b.binary(BinOp::IAdd, product, number);
        }
        b.store(at, sum, WORD);
    }

    /// The bits of the events of the copies that the kernel has to wait for.
    fn waited(&self) -> i64 {
        i64::MAX >> (OTHERS - self.copies.len().min(OTHERS))
    }

    /// Puts a wait at the cursor.
    fn wait(&mut self, b: &mut Builder<'_>, inst: Inst, kept: Value) {
        let (count, list) = (b.func.insts[inst].args[0], b.func.insts[inst].args[1]);
        let zero = b.i32(0);
        let (all, body) = b.loop_(vec![zero], &[]);
        b.enter(body);
        let n = b.func.regions[body].args[0];
        let is_done = b.compare(CmpOp::SGe, n, count);
        when(b, is_done, |b| b.exit(all, vec![]));
        let (three, one) = (b.i32(3), b.i32(1));
        let offset = b.binary(BinOp::Shl, n, three);
        let at = b.ptr_add(list, offset);
        let event = b.load(at, Ty::I64, EVENT);
        let (none, known) = (b.i64(0), b.i64(!self.waited() & i64::MAX));
        let no_copies = b.binary(BinOp::And, event, known);
        let is_strange = b.compare(CmpOp::INe, no_copies, none);
        let is_none = b.compare(CmpOp::IEq, event, none);
        let is_fault = b.binary(BinOp::Or, is_strange, is_none);
        let site = Site {
            check: "barrier".into(),
            action: "wait for an event that is not that of a copy".into(),
            ..Site::default()
        };
        self.sites.report_if(b, is_fault, site, (object::NONE, None));
        let before = b.load(kept, Ty::I64, EVENT);
        let others = b.unary(crate::ir::UnOp::Not, event);
        let after = b.binary(BinOp::And, before, others);
        b.store(kept, after, EVENT);
        let next = b.binary(BinOp::IAdd, n, one);
        b.repeat(all, vec![next]);
        b.leave();
    }
}

/// Compares what the work-items have kept, at the end of the kernel.
fn compare(
    b: &mut Builder<'_>,
    sites: &mut Sites<'_>,
    copies: &[Inst],
    (kept, shared, size): (Value, Value, u32),
) {
    let end = b.span;
    let pending = b.load(kept, Ty::I64, EVENT);
    let none = b.i64(0);
    let site = |action: &str| Site {
        check: "barrier".into(),
        action: action.into(),
        ..Site::default()
    };
    for (n, &copy) in copies.iter().enumerate().take(OTHERS) {
        b.span = b.func.insts[copy].span;
        let own = b.i64(1 << n);
        let bit = b.binary(BinOp::And, pending, own);
        let is_left = b.compare(CmpOp::INe, bit, none);
        let site = site("asynchronous copy that the work-item does not wait for");
        sites.report_if(b, is_left, site, (object::NONE, None));
    }
    b.span = end;
    let (id, _) = linear_id(b);
    let zero = b.i32(0);
    let is_first = b.compare(CmpOp::IEq, id, zero);
    when(b, is_first, |b| {
        b.mem_cpy(shared, EVENT, kept, EVENT, size);
    });
    barrier(b);
    for (n, &copy) in copies.iter().enumerate() {
        b.span = b.func.insts[copy].span;
        let offset = i64::from(FIRST + EACH * n as u32);
        let [own, other] = [kept, shared].map(|from| {
            let from = b.ptr_offset(from, offset);
            b.load(from, Ty::I64, EVENT)
        });
        let differs = b.compare(CmpOp::INe, own, other);
        let site = site("asynchronous copy that the work-items of a group do not ask for alike");
        sites.report_if(b, differs, site, (object::NONE, None));
    }
}
