//! Reports uses of private and local memory that nobody has written.
//!
//! Why: `CALDERA_CHECK=uninitialized` ([`Checks::uninitialized`](crate::check::Checks::uninitialized)).
//! In:  `Inlined`; before variables become values, so that each variable has memory, except those that hold pointers.
//! Out: beside each variable whose pointers can be followed is memory of the same size, with −1 for what has been written
//!      and 0 for the rest. An instruction that uses a loaded value which nobody has written states a finding
//!      ([`Intrinsic::ReportFinding`]).
//!
//! Loading a value is no use: to store one lane of a vector, a program may load and store the whole vector. What is known
//! about a loaded value goes with it through operations on lanes, selections and stores to variables.

use super::mem2reg::promote_those;
use super::shadow::{Beside, Place, Variables, count};
use super::sites::{Sites, rebuild};
use super::{Changed, Pass, PassCx, PassError};
use crate::check::{Notes, Site};
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::inv;
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CastOp, CmpOp, Function, Inst, Module, Op, Region, Scalar, Ty,
    Value,
};
use std::collections::{HashMap, HashSet};

pub const PASS: Pass = Pass {
    name: "check_uninitialized",
    about: "Reports uses of private and local memory that nobody has written.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The largest copy that is noted word by word; larger ones are noted in a loop.
const MAX_UNROLLED: u32 = 64;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut sites = Sites::take(module, cx)?;
    for kernel in &module.kernels {
        let func = &mut module.funcs[kernel.func];
        // Pointers to other variables are followed then.
        promote_those(func, |ty| ty.scalar.is_ptr());
        let mut variables = Variables::new(func, &module.globals, cx.sources, true, None);
        let room = (cx.target.limits.local_memory, false);
        let local = Beside::declare(&mut variables, &mut module.globals, kernel, room, |_| 1);
        sites.note(&Notes {
            kernel: func.name.clone(),
            check: "uninitialized".into(),
            left_out: variables.left_out(kernel),
            ..Notes::default()
        });
        let mut check = Check {
            variables,
            local,
            sites: &mut sites,
            known: HashMap::new(),
            used: HashSet::new(),
        };
        check.function(func);
    }
    sites.give_back(module);
    Ok(Changed::Yes)
}

/// What is known about a loaded value.
#[derive(Copy, Clone)]
struct Loaded {
    /// −1 in each lane that has been written, 0 in the others.
    written: Value,
    /// Where the value was loaded first.
    place: Place,
    space: AddressSpace,
}

/// The state of the pass for one kernel.
struct Check<'c, 'a> {
    variables: Variables,
    local: Beside,
    sites: &'c mut Sites<'a>,
    known: HashMap<Value, Loaded>,
    /// The uses that have been checked.
    used: HashSet<(Region, Value)>,
}

impl Check<'_, '_> {
    fn function(&mut self, func: &mut Function) {
        rebuild(func, |b, inst| match inst {
            None => self.local.clear(b),
            Some(inst) => self.inst(b, inst),
        });
    }

    /// Puts an instruction at the cursor.
    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = b.func.insts[inst].clone();
        match data.op {
            Op::Alloca { .. } => {
                self.variables.push(b, inst);
                self.variables.allocate_beside(b, inst);
                return;
            }
            Op::Load(access) => {
                if let Some((place, beside)) = self.beside(b, data.args[0]) {
                    let ty = mask_of(b.func.ty(data.results[0]));
                    let written = b.load(beside, ty, plain(access));
                    self.know(b, data.results[0], data.args[0], written, place);
                }
            }
            Op::Store(access) => match self.beside(b, data.args[0]) {
                Some((_, beside)) => {
                    let written = self.written(b, data.args[1]);
                    b.store(beside, written, plain(access));
                }
                None => self.use_value(b, data.args[1]),
            },
            Op::MemZero { size, dst } => {
                if let Some((_, beside)) = self.beside(b, data.args[0]) {
                    note_written(b, beside, size, dst);
                }
            }
            Op::MemCpy { size, dst, src } => {
                let [to, from] = [0, 1].map(|n| self.beside(b, data.args[n]));
                match (to, from) {
                    (Some((_, to)), Some((_, from))) => {
                        b.mem_cpy(to, plain(dst), from, plain(src), size);
                    }
                    (Some((_, to)), None) => note_written(b, to, size, dst),
                    (None, _) => {}
                }
            }
            Op::Intrinsic(Intrinsic::Atomic(op)) => {
                for &arg in &data.args[1..] {
                    self.use_value(b, arg);
                }
                if let Some((place, beside)) = self.beside(b, data.args[0]) {
                    let value = data.results.first().or(data.args.get(1));
                    let ty = mask_of(value.map_or(Ty::I32, |&v| b.func.ty(v)));
                    let access = Access {
                        align: ty.bytes(),
                        volatile: false,
                    };
                    if let (Some(&result), true) = (data.results.first(), op != AtomicOp::Store) {
                        let written = b.load(beside, ty, access);
                        self.know(b, result, data.args[0], written, place);
                        self.use_value(b, result);
                        self.known.remove(&result);
                    }
                    let all = ones(b, ty);
                    b.store(beside, all, access);
                }
            }
            Op::Insert(_) | Op::Shuffle(_) | Op::Construct | Op::Extract(_) | Op::Select => {
                self.pass_on(b, inst);
                return;
            }
            Op::Cast(CastOp::Bitcast) if same_lanes(b.func, inst) => {
                if let Some(&loaded) = self.known.get(&data.args[0]) {
                    self.known.insert(data.results[0], loaded);
                }
            }
            _ => {
                for &arg in &data.args {
                    self.use_value(b, arg);
                }
            }
        }
        self.variables.push(b, inst);
    }

    /// Returns the place of a pointer, and the address beside it, if the pointer is followed.
    fn beside(&self, b: &mut Builder<'_>, pointer: Value) -> Option<(Place, Value)> {
        let place = self.variables.place(pointer)?;
        Some((place, self.variables.beside(b, place, 1, &self.local)))
    }

    fn know(&mut self, b: &Builder<'_>, value: Value, pointer: Value, written: Value, place: Place) {
        if let Some(space) = b.func.ty(pointer).space() {
            let loaded = Loaded {
                written,
                place,
                space,
            };
            self.known.insert(value, loaded);
        }
    }

    /// Returns what is written of a value: −1 in each lane, unless more is known.
    fn written(&mut self, b: &mut Builder<'_>, value: Value) -> Value {
        match self.known.get(&value) {
            Some(loaded) => loaded.written,
            None => {
                let ty = mask_of(b.func.ty(value));
                ones(b, ty)
            }
        }
    }

    /// Puts an operation on lanes or a selection at the cursor, and passes on what is known about its operands.
    fn pass_on(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = b.func.insts[inst].clone();
        let skipped = usize::from(data.op == Op::Select);
        if skipped == 1 {
            self.use_value(b, data.args[0]);
        }
        let of = data.args[skipped..].iter().find_map(|arg| self.known.get(arg));
        let scalar = b.func.ty(data.results[0]).scalar;
        if let Some(&of) = of.filter(|_| scalar.bytes() > 0) {
            let mut args = data.args.clone();
            for arg in args.iter_mut().skip(skipped) {
                *arg = self.written(b, *arg);
            }
            let ty = mask_of(b.func.ty(data.results[0]));
            let written = b.value(data.op, args, ty);
            self.known.insert(data.results[0], Loaded { written, ..of });
        }
        b.push(inst);
    }

    /// Reports the use of a value if nobody has written it.
    fn use_value(&mut self, b: &mut Builder<'_>, value: Value) {
        let Some(&loaded) = self.known.get(&value) else {
            return;
        };
        if !self.used.insert((b.region(), value)) {
            return;
        }
        let ty = b.func.ty(loaded.written);
        let mut all = loaded.written;
        if ty.is_vector() {
            all = b.extract(loaded.written, 0);
            for lane in 1..ty.lanes {
                let one = b.extract(loaded.written, lane);
                all = b.binary(BinOp::And, all, one);
            }
        }
        let full = ones(b, Ty::of(ty.scalar));
        let fault = b.compare(CmpOp::INe, all, full);
        let (number, object) = self.variables.object(loaded.place);
        let site = Site {
            check: "uninitialized".into(),
            action: "use".into(),
            bytes: b.func.ty(value).bytes(),
            space: super::check_memory::name_of(loaded.space).into(),
            objects: vec![(number, object)],
            ..Site::default()
        };
        self.sites
            .report_if(b, fault, site, (number, Some(loaded.place.offset)));
    }
}

/// Returns whether a cast keeps the number and the size of the lanes.
fn same_lanes(func: &Function, inst: Inst) -> bool {
    let (from, to) = (
        func.ty(func.insts[inst].args[0]),
        func.ty(func.insts[inst].results[0]),
    );
    from.lanes == to.lanes && from.scalar.bytes() == to.scalar.bytes()
}

/// Returns the type of what is known about a value of a type: integers of the same size.
fn mask_of(ty: Ty) -> Ty {
    ty.with_scalar(Scalar::int(8 * ty.scalar.bytes().max(1)))
}

fn ones(b: &mut Builder<'_>, ty: Ty) -> Value {
    b.func.splat_bits(ty, u64::MAX >> (64 - ty.scalar.bits()))
}

fn plain(access: Access) -> Access {
    Access {
        volatile: false,
        ..access
    }
}

/// Notes that bytes have been written.
fn note_written(b: &mut Builder<'_>, beside: Value, size: u32, access: Access) {
    let access = plain(access);
    let unit = access.align.min(4);
    let unit = match size % unit {
        0 => unit,
        _ => 1,
    };
    let all = ones(b, Ty::of(Scalar::int(8 * unit)));
    if size / unit <= MAX_UNROLLED {
        for n in 0..size / unit {
            let to = b.ptr_offset(beside, (n * unit).into());
            b.store(to, all, access.at_offset(n * unit));
        }
        return;
    }
    let (first, end, step) = (b.i64(0), b.i64(size.into()), b.i64(unit.into()));
    count(b, [first, end, step], |b, at| {
        let to = b.ptr_add(beside, at);
        b.store(to, all, access.at_offset(unit));
    });
}
