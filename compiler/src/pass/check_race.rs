//! Reports accesses of two work-items to the same memory, of which one is a store, without a barrier between them.
//!
//! Why: `CALDERA_CHECK=race` ([`Checks::race`](crate::check::Checks::race)).
//! In:  `Inlined`; pointers should be values, not the contents of variables.
//! Out: shadow memory has four words for each element of a variable or argument: the last store, the last load, the last
//!      atomic operation, and the value that was stored last. Each of the first three has the work-item, the number of
//!      barriers that the work-item had passed, and the line ([`race`]). The shadow of a local variable is another local
//!      variable, or memory that the launch supplies if local memory has no room ([`memory::RACES_OF_GROUPS`]); that of
//!      arguments is memory that the launch supplies ([`memory::RACES`]). An access that finds there an access by another
//!      work-item of the group with the same number of barriers, or by another group, states a finding
//!      ([`Intrinsic::ReportFinding`]). The upper half of the finding's offset has the word that was found, without the
//!      barriers.
//!
//! The pass ignores volatile accesses. It also ignores loads of memory that the kernel compares and exchanges, because
//! that is how programs make other atomic operations. A store of what another work-item has just stored is no race. A kernel is
//! not checked if its work-items may synchronise otherwise than by barriers of the work-group: by barriers of
//! sub-groups, or by atomic operations together with fences. Those of different groups may also do so by an atomic
//! operation whose result is used.

mod words;

use super::check_memory::{argument, sum};
use super::shadow::{self, LocalShadow, Place, Purpose, Variables, count, linear_id};
use super::sites::{Sites, rebuild};
use super::{Changed, Pass, PassCx, PassError};
use crate::abi::Abi;
use crate::check::{Notes, Position, Site, memory, race};
use crate::hash::HashMap;
use crate::intrinsic::{AtomicOp, FenceFlags, Intrinsic};
use crate::inv;
use crate::ir::{
    AddressSpace, ArgKind, BinOp, Builder, CastOp, CmpOp, EntityRef, Function, Inst, KernelInfo, Module, Op,
    Ty, Value,
};
use words::Clock;

pub const PASS: Pass = Pass {
    name: "check_race",
    about: "Reports accesses of two work-items to the same memory without a barrier between them.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The most elements of an access that are checked; the rest of a longer copy is not checked.
const MAX_ELEMENTS: u32 = 256;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut sites = Sites::take(module, cx)?;
    let mut checked = Vec::new();
    for (n, kernel) in module.kernels.iter().enumerate() {
        let func = &module.funcs[kernel.func];
        let mut notes = Notes {
            kernel: func.name.clone(),
            check: "race".into(),
            ..Notes::default()
        };
        if let Some(why) = synchronises_otherwise(func) {
            notes.left_out.push(("the whole kernel".into(), why.into()));
            sites.note(&notes);
            continue;
        }
        let arguments = (cx.target.abi == Abi::Physical).then_some(kernel);
        let mut variables = Variables::new(func, &module.globals, cx.sources, Purpose::Accesses, arguments);
        let room = (cx.target.limits.local_memory, cx.target.abi == Abi::Physical);
        let scale = |least| memory::RACE / least;
        let local = LocalShadow::declare(&mut variables, &mut module.globals, kernel, room, scale);
        notes.left_out = variables.left_out(kernel);
        if arguments.is_none() && has_memory_arguments(kernel) {
            notes.left_out.push(("arguments".into(), NO_ADDRESSES.into()));
        }
        notes.group_bytes = local.group_bytes;
        sites.note(&notes);
        checked.push((n, variables, local));
    }
    // Two arguments may have the same memory, and the launch knows one size of elements.
    let unit = checked
        .iter()
        .filter_map(|(_, v, _)| v.least_of_arguments())
        .min();
    for (n, variables, local) in checked {
        let kernel = &module.kernels[n];
        let func = &mut module.funcs[kernel.func];
        let mut check = Check {
            lines: lines(func, &variables, &sites),
            may: May::new(func),
            variables,
            local,
            unit: unit.unwrap_or(1),
            sites: &mut sites,
            supplied: HashMap::default(),
            clocks: [None; 2],
        };
        rebuild(func, |b, inst| match inst {
            None => check.start(b, kernel),
            Some(inst) => check.inst(b, inst),
        });
    }
    sites.give_back(module);
    Ok(Changed::Yes)
}

/// Why no argument is checked under the descriptor ABI.
pub(super) const NO_ADDRESSES: &str = "pointers are no addresses with CALDERA_ABI=descriptor";

/// Returns whether a kernel has arguments with memory.
pub(super) fn has_memory_arguments(kernel: &KernelInfo) -> bool {
    let mut args = kernel.args.iter();
    args.any(|arg| matches!(arg.kind, ArgKind::Buffer { .. } | ArgKind::Local { .. }))
}

/// Returns how work-items may synchronise by something else than barriers of the work-group.
fn synchronises_otherwise(func: &Function) -> Option<&'static str> {
    let order = func.insts_in_order();
    let any = |is: fn(&Intrinsic) -> bool| {
        let mut ops = order.iter().map(|&i| &func.insts[i].op);
        ops.any(|op| matches!(op, Op::Intrinsic(intrinsic) if is(intrinsic)))
    };
    if any(|i| matches!(i, Intrinsic::SubgroupBarrier(_))) {
        return Some("its work-items may synchronise by sub_group_barrier");
    }
    let flags = any(|i| matches!(i, Intrinsic::Fence(_))) && any(|i| matches!(i, Intrinsic::Atomic(_)));
    flags.then_some("its work-items may synchronise by fences and atomic operations")
}

/// What the work-items of a kernel may do.
#[derive(Copy, Clone, Default)]
struct May {
    /// Different groups may synchronise.
    groups: bool,
    /// There are atomic operations.
    atomics: bool,
    /// Fences for local and global memory, so that each barrier may be one for that memory.
    fences: FenceFlags,
}

impl May {
    fn new(func: &Function) -> May {
        let mut may = May::default();
        let order = func.insts_in_order();
        let mut used = vec![false; func.values.len()];
        // What follows an instruction with regions comes first here.
        for &inst in order.iter().rev() {
            let data = &func.insts[inst];
            for (n, arg) in data.args.iter().enumerate() {
                let passed_to = match data.op {
                    Op::Exit(target) => func.insts[target].results.get(n),
                    _ => None,
                };
                used[arg.index()] |= passed_to.is_none_or(|to| used[to.index()]);
            }
        }
        for inst in order {
            let data = &func.insts[inst];
            match data.op {
                Op::Intrinsic(Intrinsic::Atomic(_)) => {
                    may.atomics = true;
                    may.groups |= func.ty(data.args[0]).space() != Some(AddressSpace::Local)
                        && data.results.iter().any(|r| used[r.index()]);
                }
                Op::Intrinsic(Intrinsic::Fence(flags)) => {
                    may.fences.local |= flags.local;
                    may.fences.global |= flags.global;
                }
                _ => {}
            }
        }
        may
    }
}

/// Returns the lines of the accesses, in the order of their numbers, which begin with 1.
fn lines(func: &Function, variables: &Variables, sites: &Sites<'_>) -> Vec<Position> {
    let mut list: Vec<Position> = Vec::new();
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        if !data.args.iter().any(|&v| variables.follows(v)) || data.op == Op::PtrAdd {
            continue;
        }
        let position = sites.position(data.span).0;
        let is_new = list.iter().all(|p| !p.same_line(&position));
        if position.line > 0 && is_new && list.len() < race::LINES as usize {
            list.push(position);
        }
    }
    list
}

/// What an access does. The numbers are those of [`race::KINDS`].
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Atomic,
}

impl Kind {
    /// The offset of the word for the last such access.
    fn offset(self) -> i64 {
        match self {
            Kind::Store => 0,
            Kind::Load => 4,
            Kind::Atomic => 8,
        }
    }

    fn name(self) -> &'static str {
        race::KINDS[self as usize]
    }
}

/// What a store stores, as far as it is known.
#[derive(Copy, Clone)]
enum Stored {
    Value(Value),
    Zero,
    Unknown,
}

/// Memory that the launch supplies, about the memory of an argument or a local variable.
#[derive(Copy, Clone)]
struct Supplied {
    /// The address of the words, 0 if there are none.
    words: Value,
    /// The offset of the argument in its memory, and the size of the memory.
    offset: Value,
    bytes: Value,
    /// The size of the elements.
    unit: u32,
}

/// The state of the pass for one kernel.
struct Check<'c, 'a> {
    variables: Variables,
    local: LocalShadow,
    /// The size of the elements of arguments.
    unit: u32,
    sites: &'c mut Sites<'a>,
    may: May,
    lines: Vec<Position>,
    /// By the number of the variable.
    supplied: HashMap<usize, Supplied>,
    /// For local and for global memory.
    clocks: [Option<Clock>; 2],
}

impl Check<'_, '_> {
    /// Begins the kernel: finds the memory of arguments, and starts the clocks.
    fn start(&mut self, b: &mut Builder<'_>, kernel: &KernelInfo) {
        self.local.clear(b);
        let (own, items) = linear_id(b);
        let group = shadow::group(b);
        let mut spaces = [!self.local.is_empty(), false];
        let unit = self.unit;
        for (n, variable) in self.variables.start_arguments(b) {
            let bytes = argument(b, n, memory::BYTES);
            let mut words = argument(b, n, memory::RACES + self.unit);
            let is_local = matches!(kernel.args[n as usize].kind, ArgKind::Local { .. });
            let offset = match is_local {
                true => {
                    words = words::of_group(b, words, bytes, unit, group);
                    b.i64(0)
                }
                false => argument(b, n, memory::OFFSET),
            };
            spaces[usize::from(!is_local)] = true;
            let found = Supplied {
                words,
                offset,
                bytes,
                unit,
            };
            self.supplied.insert(variable, found);
        }
        self.start_spilled(b, kernel, group);
        if spaces[0] {
            self.clocks[0] = Some(Clock::of_group(b, own));
        }
        if spaces[1] {
            self.clocks[1] = Some(Clock::of_launch(b, own, items, group, self.may.groups));
        }
    }

    /// Finds the memory of local variables for which local memory has no room.
    fn start_spilled(&mut self, b: &mut Builder<'_>, kernel: &KernelInfo, group: Value) {
        let Some(base) = self.local.group_memory(b, kernel, memory::RACES_OF_GROUPS, group) else {
            return;
        };
        for spilled in self.local.spilled.clone() {
            let found = Supplied {
                words: LocalShadow::spilled_at(b, base, spilled),
                offset: b.i64(0),
                bytes: b.i64(spilled.bytes.into()),
                unit: spilled.least,
            };
            self.supplied.insert(spilled.variable, found);
        }
    }

    /// Puts an instruction at the cursor.
    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = b.func.insts[inst].clone();
        match data.op {
            Op::Load(access) if !access.volatile => {
                let bytes = b.func.ty(data.results[0]).bytes();
                self.access(b, data.args[0], bytes, Kind::Load, Stored::Unknown);
            }
            Op::Store(access) if !access.volatile => {
                let (to, value) = (data.args[0], data.args[1]);
                let bytes = b.func.ty(value).bytes();
                self.access(b, to, bytes, Kind::Store, Stored::Value(value));
            }
            Op::MemZero { size, dst } if !dst.volatile => {
                self.access(b, data.args[0], size, Kind::Store, Stored::Zero);
            }
            Op::MemCpy { size, dst, src } => {
                if !dst.volatile {
                    self.access(b, data.args[0], size, Kind::Store, Stored::Unknown);
                }
                if !src.volatile {
                    self.access(b, data.args[1], size, Kind::Load, Stored::Unknown);
                }
            }
            Op::Intrinsic(Intrinsic::Atomic(AtomicOp::CmpXchg)) => {
                self.variables.push(b, inst);
                // One that fails stores nothing.
                let stores = b.compare(CmpOp::IEq, data.results[0], data.args[1]);
                let bytes = b.func.ty(data.results[0]).bytes();
                shadow::when(b, stores, |b| {
                    self.access(b, data.args[0], bytes, Kind::Atomic, Stored::Unknown);
                });
                return;
            }
            Op::Intrinsic(Intrinsic::Atomic(op)) if op != AtomicOp::Load => {
                let value = data.results.first().or(data.args.get(1));
                let bytes = value.map_or(4, |&v| b.func.ty(v).bytes());
                self.access(b, data.args[0], bytes, Kind::Atomic, Stored::Unknown);
            }
            _ => {}
        }
        self.variables.push(b, inst);
        if let Op::Intrinsic(Intrinsic::Barrier(flags)) = data.op {
            // Devices order all memory at a barrier without flags.
            let none = !flags.local && !flags.global;
            let passes = [
                none || flags.local || self.may.fences.local,
                none || flags.global || self.may.fences.global,
            ];
            for (clock, passes) in self.clocks.iter().zip(passes) {
                if let (Some(clock), true) = (clock, passes) {
                    clock.advance(b);
                }
            }
        }
    }

    /// Notes an access at the cursor, and compares it with those of other work-items.
    fn access(&mut self, b: &mut Builder<'_>, pointer: Value, bytes: u32, kind: Kind, stored: Stored) {
        let Some(place) = self.variables.place(pointer) else {
            return;
        };
        let Some(space) = b.func.ty(pointer).space() else {
            return;
        };
        let Some(clock) = self.clocks[usize::from(space != AddressSpace::Local)] else {
            return;
        };
        let access = Accessed {
            place,
            space,
            bytes,
            kind,
            stored,
            exchanged: self.variables.is_exchanged(place),
        };
        let Some(&supplied) = self.supplied.get(&place.variable) else {
            let unit = self.variables.least(place);
            let words = self
                .variables
                .shadow_of(b, place, memory::RACE / unit, &self.local);
            return self.elements(b, access, (words, unit), clock);
        };
        let unit = supplied.unit;
        let offset = b.binary(BinOp::IAdd, supplied.offset, place.offset);
        // The access may be outside, and the launch may have no words.
        let (size, zero) = (b.i64(bytes.into()), b.i64(0));
        let end = b.binary(BinOp::IAdd, offset, size);
        let tests = [
            b.compare(CmpOp::ULt, offset, supplied.bytes),
            b.compare(CmpOp::ULe, end, supplied.bytes),
            b.compare(CmpOp::INe, supplied.words, zero),
        ];
        let is_inside = b.binary(BinOp::And, tests[0], tests[1]);
        let is_inside = b.binary(BinOp::And, is_inside, tests[2]);
        shadow::when(b, is_inside, |b| {
            let (scale, mask) = (
                b.i64((memory::RACE / unit).into()),
                b.i64(-i64::from(memory::RACE)),
            );
            let at = b.binary(BinOp::IMul, offset, scale);
            let at = b.binary(BinOp::And, at, mask);
            let words = sum(b, supplied.words, at);
            let words = b.cast(CastOp::IntToPtr, words, Ty::ptr(AddressSpace::Global));
            self.elements(b, access, (words, unit), clock);
        });
    }

    /// Notes an access to each of its elements.
    fn elements(&mut self, b: &mut Builder<'_>, access: Accessed, (words, unit): (Value, u32), clock: Clock) {
        let position = self.sites.position(b.span).0;
        let line = self.lines.iter().position(|p| p.same_line(&position));
        let tag = clock.tag(b, line.map_or(0, |n| n as u32 + 1));
        let bits = match access.stored {
            Stored::Unknown => None,
            Stored::Zero => Some(b.i32(0)),
            Stored::Value(value) => Some(words::hash(b, value)),
        };
        let elements = access.bytes.div_ceil(unit).min(MAX_ELEMENTS);
        if elements == 1 {
            let none = b.i64(0);
            return self.element(b, access, (words, none), (clock, tag, bits));
        }
        let range = [0, elements, 1].map(|n| b.i64(n.into()));
        count(b, range, |b, n| {
            let [size, unit] = [memory::RACE, unit].map(|n| b.i64(n.into()));
            let [at, byte] = [size, unit].map(|by| b.binary(BinOp::IMul, n, by));
            let words = b.ptr_add(words, at);
            self.element(b, access, (words, byte), (clock, tag, bits));
        });
    }

    /// Notes an access to one element, `at` bytes after its first one.
    fn element(
        &mut self,
        b: &mut Builder<'_>,
        access: Accessed,
        (words, at): (Value, Value),
        (clock, tag, bits): (Clock, Value, Option<Value>),
    ) {
        let own = b.ptr_offset(words, access.kind.offset());
        let mut found = b.i32(0);
        let mut meet = |b: &mut Builder<'_>, fault: Value, word: Value, kind: Kind| {
            let (shown, kind) = (
                b.i32(race::SHOWN as i32),
                b.i32((kind as i32) << race::KIND_SHIFT),
            );
            let word = b.binary(BinOp::And, word, shown);
            let word = b.binary(BinOp::Or, word, kind);
            found = b.select(fault, word, found);
        };
        if access.kind == Kind::Store {
            let last = b.ptr_offset(words, 12);
            let differs = bits.map(|bits| words::exchange_value(b, last, bits, tag));
            let before = words::exchange(b, own, tag);
            let mut fault = clock.is_live(b, before, tag);
            if let Some(differs) = differs {
                fault = b.binary(BinOp::And, fault, differs);
            }
            meet(b, fault, before, Kind::Store);
        } else {
            // Many work-items load the same elements, or one of them often; only the first ones need exchange the word.
            let seen = words::read(b, own);
            let (is_noted, yes) = (clock.is_noted(b, seen, tag), b.bool(true));
            let is_new = b.binary(BinOp::Xor, is_noted, yes);
            shadow::when(b, is_new, |b| {
                let before = words::exchange(b, own, tag);
                // A later access must meet each of several others.
                let is_live = clock.is_live(b, before, tag);
                shadow::when(b, is_live, |b| {
                    let several = clock.several(b, before, tag);
                    words::exchange(b, own, several);
                });
            });
        }
        let others: &[Kind] = match access.kind {
            Kind::Load if !self.may.atomics || access.exchanged => &[Kind::Store],
            Kind::Load => &[Kind::Store, Kind::Atomic],
            Kind::Store if !self.may.atomics => &[Kind::Load],
            Kind::Store => &[Kind::Load, Kind::Atomic],
            Kind::Atomic if access.exchanged => &[Kind::Store],
            Kind::Atomic => &[Kind::Store, Kind::Load],
        };
        for &other in others {
            let from = b.ptr_offset(words, other.offset());
            let before = words::read(b, from);
            let fault = clock.is_live(b, before, tag);
            meet(b, fault, before, other);
        }
        let (number, object) = self.variables.object(access.place);
        let site = Site {
            check: "race".into(),
            action: access.kind.name().into(),
            bytes: access.bytes,
            space: super::check_memory::name_of(access.space).into(),
            objects: vec![(number, object)],
            others: self.lines.clone(),
            ..Site::default()
        };
        let zero = b.i32(0);
        let fault = b.compare(CmpOp::INe, found, zero);
        let (word, half) = (b.cast(CastOp::ZExt, found, Ty::I64), b.i64(32));
        let high = b.binary(BinOp::Shl, word, half);
        let offset = b.binary(BinOp::IAdd, access.place.offset, at);
        let offset = b.binary(BinOp::Or, offset, high);
        self.sites.report_if(b, fault, site, (number, Some(offset)));
    }
}

/// An access to be noted.
#[derive(Copy, Clone)]
struct Accessed {
    place: Place,
    space: AddressSpace,
    bytes: u32,
    kind: Kind,
    stored: Stored,
    /// The kernel also compares and exchanges this memory.
    exchanged: bool,
}
