//! Reports accesses of two work-items of a group to the same place in local memory, of which one is a store, without a barrier
//! between them.
//!
//! Why: `CALDERA_CHECK=race` ([`Checks::race`](crate::check::Checks::race)).
//! In:  `Inlined`; pointers that are variables should be values.
//! Out: beside each local variable whose pointers can be followed is memory with two words for each of its elements: the last
//!      store and the last load, each with the work-item and the number of barriers that it had passed. An access that
//!      meets one of another work-item with the same number states a finding ([`Intrinsic::ReportFinding`]), whose
//!      offset has the other work-item in its upper half.
//!
//! Atomic operations are not looked at. A store of the value that the memory has is no race with another store. A kernel
//! is not checked if its work-items may synchronise otherwise than by barriers of the work-group: by barriers of
//! sub-groups, or by atomic operations together with fences.

use super::shadow::{Beside, Variables, linear_id};
use super::sites::Sites;
use super::{Changed, Pass, PassCx, PassError};
use crate::check::{SEVERAL, Site};
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::inv;
use crate::ir::{Access, BinOp, Builder, CastOp, CmpOp, Function, Inst, Module, Op, Scalar, Ty, Value};

pub const PASS: Pass = Pass {
    name: "check_race",
    about: "Reports accesses of two work-items to the same place in local memory without a barrier between them.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The bits of a word that have the number of the work-item in its group, plus 1. The others count barriers.
const ITEM_BITS: u32 = SEVERAL.count_ones();

/// The bytes beside each element.
const BESIDE: u32 = 8;

/// The most elements of an access that are looked at; of longer copies, the last elements are not.
const MAX_ELEMENTS: u32 = 16;

const WORD: Access = Access {
    align: 4,
    volatile: false,
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut sites = Sites::take(module, cx)?;
    for kernel in &module.kernels {
        let func = &mut module.funcs[kernel.func];
        if may_synchronise_otherwise(func) {
            continue;
        }
        let mut variables = Variables::new(func, &module.globals, cx.sources, false);
        let room = cx.target.limits.local_memory;
        let local = Beside::declare(&mut variables, &mut module.globals, kernel, room, |least| {
            BESIDE / least
        });
        if local.is_empty() {
            continue;
        }
        let mut check = Check {
            variables,
            local,
            sites: &mut sites,
            first: None,
        };
        check.function(func);
    }
    sites.give_back(module);
    Ok(Changed::Yes)
}

/// Returns whether work-items may synchronise by something else than barriers of the work-group.
fn may_synchronise_otherwise(func: &Function) -> bool {
    let order = func.insts_in_order();
    let any = |is: fn(&Intrinsic) -> bool| {
        let mut ops = order.iter().map(|&i| &func.insts[i].op);
        ops.any(|op| matches!(op, Op::Intrinsic(intrinsic) if is(intrinsic)))
    };
    any(|i| matches!(i, Intrinsic::SubgroupBarrier(_)))
        || (any(|i| matches!(i, Intrinsic::Fence(_))) && any(|i| matches!(i, Intrinsic::Atomic(_))))
}

/// The state of the pass for one kernel.
struct Check<'c, 'a> {
    variables: Variables,
    local: Beside,
    sites: &'c mut Sites<'a>,
    /// The number of the work-item plus 1, and the variable that counts barriers.
    first: Option<(Value, Value)>,
}

impl Check<'_, '_> {
    fn function(&mut self, func: &mut Function) {
        for region in func.regions_in_order() {
            let old = std::mem::take(&mut func.regions[region].insts);
            let is_body = region == func.body;
            let mut b = Builder::at_end(func, region);
            if is_body {
                self.local.clear(&mut b);
                let (id, _) = linear_id(&mut b);
                let one = b.i32(1);
                let next = b.binary(BinOp::IAdd, id, one);
                // Further work-items of a large group share the last number, and their races are not found.
                let last = b.i32(SEVERAL as i32);
                let item = b.value(Op::Intrinsic(Intrinsic::UMin), vec![next, last], Ty::I32);
                let passed = b.alloca(4, 4);
                let start = b.i32(1 << ITEM_BITS);
                b.store(passed, start, WORD);
                self.first = Some((item, passed));
            }
            for inst in old {
                b.span = b.func.insts[inst].span;
                self.inst(&mut b, inst);
            }
        }
    }

    /// Puts an instruction at the cursor.
    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = b.func.insts[inst].clone();
        match data.op {
            Op::Load(_) => self.access(b, data.args[0], b.func.ty(data.results[0]).bytes(), None, "load"),
            Op::Store(access) => {
                let value = data.args[1];
                self.access(
                    b,
                    data.args[0],
                    b.func.ty(value).bytes(),
                    Some((value, access)),
                    "store",
                );
            }
            Op::MemZero { size, .. } => self.access(b, data.args[0], size, None, "store"),
            Op::MemCpy { size, .. } => {
                self.access(b, data.args[0], size, None, "store");
                self.access(b, data.args[1], size, None, "load");
            }
            _ => {}
        }
        self.variables.push(b, inst);
        if let (Op::Intrinsic(Intrinsic::Barrier(_)), Some((_, passed))) = (&data.op, self.first) {
            let (before, one) = (b.load(passed, Ty::I32, WORD), b.i32(1 << ITEM_BITS));
            let after = b.binary(BinOp::IAdd, before, one);
            b.store(passed, after, WORD);
        }
    }

    /// Notes an access at the cursor, and compares it with those of other work-items.
    fn access(
        &mut self,
        b: &mut Builder<'_>,
        pointer: Value,
        bytes: u32,
        value: Option<(Value, Access)>,
        action: &'static str,
    ) {
        let (Some(place), Some((item, passed))) = (self.variables.place(pointer), self.first) else {
            return;
        };
        let least = self.variables.least(place);
        let words = self.variables.beside(b, place, BESIDE / least, &self.local);
        let epoch = b.load(passed, Ty::I32, WORD);
        let tag = b.binary(BinOp::Or, epoch, item);
        let is_store = action == "store";
        let changes = value.map(|(value, access)| changed_lanes(b, pointer, value, access));
        for n in 0..(bytes / least).min(MAX_ELEMENTS) {
            let at = i64::from(BESIDE * n);
            let [store, load] = [0, 4].map(|offset| b.ptr_offset(words, at + offset));
            let (own, other) = if is_store { (store, load) } else { (load, store) };
            let exchange = Op::Intrinsic(Intrinsic::Atomic(AtomicOp::Xchg));
            let before = b.value(exchange, vec![own, tag], Ty::I32);
            let same_kind = is_other(b, before, epoch, tag);
            if is_store {
                let mut fault = same_kind;
                if let Some((lanes, size)) = &changes {
                    fault = b.binary(BinOp::And, fault, lanes[(n * least / size) as usize]);
                }
                self.report(
                    b,
                    fault,
                    (place, n * least, before),
                    "store that races with a store",
                    bytes,
                );
            } else {
                // A later store must meet another load also if its own work-item has loaded last.
                let (choice, then, otherwise) = b.if_(same_kind, &[]);
                b.enter(then);
                let several = b.i32(SEVERAL as i32);
                let many = b.binary(BinOp::Or, epoch, several);
                b.value(
                    Op::Intrinsic(Intrinsic::Atomic(AtomicOp::Xchg)),
                    vec![own, many],
                    Ty::I32,
                );
                b.exit(choice, vec![]);
                b.leave();
                b.enter(otherwise);
                b.exit(choice, vec![]);
                b.leave();
            }
            let zero = b.i32(0);
            let read = Op::Intrinsic(Intrinsic::Atomic(AtomicOp::Or));
            let before = b.value(read, vec![other, zero], Ty::I32);
            let fault = is_other(b, before, epoch, tag);
            let action = match is_store {
                true => "store that races with a load",
                false => "load that races with a store",
            };
            self.report(b, fault, (place, n * least, before), action, bytes);
        }
    }

    fn report(
        &mut self,
        b: &mut Builder<'_>,
        fault: Value,
        (place, at, other): (super::shadow::Place, u32, Value),
        action: &str,
        bytes: u32,
    ) {
        let (number, object) = self.variables.object(place);
        let site = Site {
            check: "race".into(),
            action: action.into(),
            bytes,
            space: "local".into(),
            objects: vec![(number, object)],
            ..Site::default()
        };
        let (at, mask, half) = (b.i64(at.into()), b.i32(SEVERAL as i32), b.i64(32));
        let item = b.binary(BinOp::And, other, mask);
        let item = b.cast(CastOp::ZExt, item, Ty::I64);
        let high = b.binary(BinOp::Shl, item, half);
        let offset = b.binary(BinOp::IAdd, place.offset, at);
        let offset = b.binary(BinOp::Or, offset, high);
        self.sites.report_if(b, fault, site, (number, Some(offset)));
    }
}

/// Computes whether a word is of another work-item, which has passed as many barriers.
fn is_other(b: &mut Builder<'_>, word: Value, epoch: Value, tag: Value) -> Value {
    let bits = b.i32(ITEM_BITS as i32);
    let [then, now] = [word, epoch].map(|v| b.binary(BinOp::LShr, v, bits));
    let same = b.compare(CmpOp::IEq, then, now);
    let differs = b.compare(CmpOp::INe, word, tag);
    b.binary(BinOp::And, same, differs)
}

/// Computes for each lane of a value whether storing it changes the memory. Returns this with the size of a lane.
fn changed_lanes(b: &mut Builder<'_>, pointer: Value, value: Value, access: Access) -> (Vec<Value>, u32) {
    let ty = b.func.ty(value);
    let size = ty.scalar.bytes();
    let ints = ty.with_scalar(Scalar::int(8 * size));
    let before = b.load(pointer, ints, access);
    let after = match ty.scalar {
        s if s.is_int() => value,
        s if s.is_ptr() => b.cast(CastOp::PtrToInt, value, ints),
        _ => b.cast(CastOp::Bitcast, value, ints),
    };
    let lanes = (0..ty.lanes).map(|lane| {
        let [x, y] = [before, after].map(|v| match ty.is_vector() {
            true => b.extract(v, lane),
            false => v,
        });
        b.compare(CmpOp::INe, x, y)
    });
    (lanes.collect(), size)
}
