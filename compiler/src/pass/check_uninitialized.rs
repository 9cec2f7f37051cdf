//! Reports uses of values that were loaded from memory to which nothing has been written.
//!
//! Why: `CALDERA_CHECK=uninitialized` ([`Checks::uninitialized`](crate::check::Checks::uninitialized)).
//! In:  `Inlined`, before variables become values, so that each variable is in memory. Only those that hold pointers must
//!      already be values.
//! Out: each variable whose pointers can be followed has shadow memory of the same size, whose bytes are −1 where the variable
//!      has been written and otherwise 0. The launch supplies the shadow memory of arguments
//!      ([`memory::WRITTEN`](crate::check::memory::WRITTEN)), and of local variables for whose shadow local memory has no room
//!      (`supplied.rs`). An instruction that uses a value loaded from bytes that have not been written states a finding
//!      ([`Intrinsic::ReportFinding`]).
//!
//! A load is not yet a use: to store one lane of a vector, a program may load and store the whole vector. What is known
//! about a loaded value goes with it through operations on lanes, selections and stores to variables. A store to a buffer
//! uses the value, and what is stored counts as written.

mod supplied;

use super::check_race::{NO_ADDRESSES, has_memory_arguments};
use super::mem2reg::promote_those;
use super::shadow::{LocalShadow, Place, Purpose, Variables, count};
use super::sites::{Sites, rebuild};
use super::{Changed, Pass, PassCx, PassError};
use crate::abi::Abi;
use crate::check::{Notes, Site};
use crate::hash::{HashMap, HashSet};
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::inv;
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CastOp, CmpOp, Function, Inst, KernelInfo, Module, Op, Region,
    Scalar, Ty, Value,
};
use supplied::{At, Supplied};

pub const PASS: Pass = Pass {
    name: "check_uninitialized",
    about: "Reports uses of memory that nobody has written.",
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
        // Without this, the pointers that these variables hold could not be followed.
        promote_those(func, |ty| ty.scalar.is_ptr());
        let by_address = cx.target.abi == Abi::Physical;
        let arguments = by_address.then_some(kernel);
        let purpose = Purpose::Contents;
        let mut variables = Variables::new(func, &module.globals, cx.sources, purpose, arguments);
        let room = (cx.target.limits.local_memory, by_address);
        let local = LocalShadow::declare(&mut variables, &mut module.globals, kernel, room, |_| 1);
        let mut left_out = variables.left_out(kernel);
        if !by_address && has_memory_arguments(kernel) {
            left_out.push(("arguments".into(), NO_ADDRESSES.into()));
        }
        sites.note(&Notes {
            kernel: func.name.clone(),
            check: "uninitialized".into(),
            left_out,
            group_bytes: local.group_bytes,
            noted: variables.arguments(),
            anywhere: variables.stores_elsewhere() && has_pointers_from_elsewhere(func),
        });
        let mut check = Check {
            variables,
            local,
            sites: &mut sites,
            known: HashMap::default(),
            used: HashSet::default(),
            supplied: HashMap::default(),
        };
        check.function(func, kernel);
    }
    sites.give_back(module);
    Ok(Changed::Yes)
}

/// Returns whether a kernel has pointers to global memory that come neither from its arguments nor from variables.
fn has_pointers_from_elsewhere(func: &Function) -> bool {
    func.insts_in_order().into_iter().any(|inst| {
        let data = &func.insts[inst];
        let is_outside = |v: &Value| {
            let space = func.ty(*v).space();
            space.is_some_and(|s| !matches!(s, AddressSpace::Private | AddressSpace::Local))
        };
        let makes_one = matches!(
            data.op,
            Op::Load(_) | Op::Cast(CastOp::IntToPtr | CastOp::Bitcast)
        );
        let is_number = |v: &Value| func.as_const(*v).is_some();
        makes_one && data.results.iter().any(is_outside)
            || data.args.iter().any(|v| is_outside(v) && is_number(v))
    })
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
    local: LocalShadow,
    sites: &'c mut Sites<'a>,
    known: HashMap<Value, Loaded>,
    /// The uses that have been checked.
    used: HashSet<(Region, Value)>,
    /// The memory that the launch supplies, by the numbers of the variables.
    supplied: HashMap<usize, Supplied>,
}

/// The shadow of a place: which of its bytes have been written.
#[derive(Copy, Clone)]
enum Shadow {
    /// In the shadow memory of the variable.
    Own(Value),
    Supplied(At),
}

impl Check<'_, '_> {
    fn function(&mut self, func: &mut Function, kernel: &KernelInfo) {
        rebuild(func, |b, inst| match inst {
            None => {
                self.local.clear(b);
                self.supplied = Supplied::find(b, kernel, &mut self.variables, &self.local);
            }
            Some(inst) => self.inst(b, inst),
        });
    }

    /// Puts an instruction at the cursor.
    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = b.func.insts[inst].clone();
        match data.op {
            Op::Alloca { .. } => {
                self.variables.push(b, inst);
                self.variables.allocate_shadow(b, inst);
                return;
            }
            Op::Load(access) => {
                if let Some((place, shadow)) = self.shadow(b, data.args[0]) {
                    let ty = mask_of(b.func.ty(data.results[0]));
                    let written = shadow.load(b, ty, access);
                    self.know(b, data.results[0], data.args[0], written, place);
                }
            }
            Op::Store(access) => self.store(b, data.args[0], data.args[1], access),
            Op::MemZero { size, dst } => {
                if let Some((_, shadow)) = self.shadow(b, data.args[0]) {
                    shadow.note(b, size, dst);
                }
            }
            Op::MemCpy { size, dst, src } => {
                let [to, from] = [0, 1].map(|n| self.shadow(b, data.args[n]));
                if let Some((_, to)) = to {
                    to.copy(b, from.map(|(_, from)| from), (dst, src), size);
                }
            }
            Op::Intrinsic(Intrinsic::Atomic(op)) => {
                for &arg in &data.args[1..] {
                    self.use_value(b, arg);
                }
                if let Some((place, shadow)) = self.shadow(b, data.args[0]) {
                    let value = data.results.first().or(data.args.get(1));
                    let ty = mask_of(value.map_or(Ty::I32, |&v| b.func.ty(v)));
                    let access = Access {
                        align: ty.bytes(),
                        volatile: false,
                    };
                    if let (Some(&result), true) = (data.results.first(), op != AtomicOp::Store) {
                        let written = shadow.load(b, ty, access);
                        self.know(b, result, data.args[0], written, place);
                        self.use_value(b, result);
                        self.known.remove(&result);
                    }
                    let all = ones(b, ty);
                    shadow.store(b, all, access);
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

    /// Notes a store at the cursor.
    fn store(&mut self, b: &mut Builder<'_>, pointer: Value, value: Value, access: Access) {
        let Some((place, shadow)) = self.shadow(b, pointer) else {
            return self.use_value(b, value);
        };
        let is_global = matches!(shadow, Shadow::Supplied(at) if at.is_global());
        // A store to a buffer uses the value, unless it changes lanes of what was there.
        let is_own = |of: &Loaded| of.place.variable == place.variable;
        if is_global && !self.known.get(&value).is_some_and(is_own) {
            self.use_value(b, value);
            let ty = mask_of(b.func.ty(value));
            let all = ones(b, ty);
            return shadow.store(b, all, access);
        }
        let written = self.written(b, value);
        shadow.store(b, written, access);
    }

    /// Returns the place of a pointer with its shadow, if the pointer is followed.
    fn shadow(&self, b: &mut Builder<'_>, pointer: Value) -> Option<(Place, Shadow)> {
        let place = self.variables.place(pointer)?;
        let shadow = match self.supplied.get(&place.variable) {
            Some(supplied) => Shadow::Supplied(supplied.at(place.offset)),
            None => Shadow::Own(self.variables.shadow_of(b, place, 1, &self.local)),
        };
        Some((place, shadow))
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

    /// Returns a mask of the lanes of a value that have been written: −1 in each lane, unless something else is known.
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

    /// Reports the use of a value if it was loaded from memory that has not been written.
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

impl Shadow {
    /// Loads what is known about a value; `ty` is the type of the mask.
    fn load(self, b: &mut Builder<'_>, ty: Ty, access: Access) -> Value {
        match self {
            Shadow::Own(from) => b.load(from, ty, plain(access)),
            Shadow::Supplied(at) => at.load(b, ty, access),
        }
    }

    /// Stores what is known about a value.
    fn store(self, b: &mut Builder<'_>, written: Value, access: Access) {
        match self {
            Shadow::Own(to) => {
                b.store(to, written, plain(access));
            }
            Shadow::Supplied(at) => at.store(b, written, access),
        }
    }

    /// Notes that bytes have been written.
    fn note(self, b: &mut Builder<'_>, size: u32, access: Access) {
        match self {
            Shadow::Own(to) => note_written(b, to, size, plain(access)),
            Shadow::Supplied(at) => at.note(b, size, access),
        }
    }

    /// Copies what is known about bytes.
    fn copy(self, b: &mut Builder<'_>, from: Option<Shadow>, (dst, src): (Access, Access), size: u32) {
        if from.is_none_or(|from| matches!(from, Shadow::Supplied(_))) {
            // A source without a shadow counts as written.
            self.note(b, size, dst);
        }
        if let Some(from) = from {
            let (dst, src) = (self.access(dst), from.access(src));
            from.with(b, size, |b, from| {
                self.with(b, size, |b, to| {
                    b.mem_cpy(to, dst, from, src, size);
                });
            });
        }
    }

    /// Returns the access to the shadow that belongs to an access.
    fn access(self, access: Access) -> Access {
        match self {
            Shadow::Own(_) => plain(access),
            Shadow::Supplied(at) => at.access(access),
        }
    }

    /// Calls a function with the address of the shadow of some bytes, if they have one.
    fn with(self, b: &mut Builder<'_>, bytes: u32, then: impl FnOnce(&mut Builder<'_>, Value)) {
        match self {
            Shadow::Own(at) => then(b, at),
            Shadow::Supplied(at) => at.with(b, bytes, then),
        }
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

/// Notes in a shadow that bytes have been written.
fn note_written(b: &mut Builder<'_>, shadow: Value, size: u32, access: Access) {
    let unit = access.align.min(4);
    let unit = match size % unit {
        0 => unit,
        _ => 1,
    };
    let all = ones(b, Ty::of(Scalar::int(8 * unit)));
    if size / unit <= MAX_UNROLLED {
        for n in 0..size / unit {
            let to = b.ptr_offset(shadow, (n * unit).into());
            b.store(to, all, access.at_offset(n * unit));
        }
        return;
    }
    let (first, end, step) = (b.i64(0), b.i64(size.into()), b.i64(unit.into()));
    count(b, [first, end, step], |b, at| {
        let to = b.ptr_add(shadow, at);
        b.store(to, all, access.at_offset(unit));
    });
}
