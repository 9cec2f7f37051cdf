//! Compares each access to memory with the object that it is for, and reports accesses outside of it and misaligned ones.
//!
//! Why: `CALDERA_CHECK=memory` ([`Checks::memory`](crate::check::Checks::memory)).
//! In:  `Inlined`, before passes change accesses; pointers that are variables of the program should be values.
//! Out: an access that cannot be shown to be within its object is inside an `if` that tests this. Otherwise the kernel
//!      reports a finding ([`Intrinsic::ReportFinding`]), a load gives zero, and a store does nothing.
//!
//! Loads from buffers that kernels may only write, and stores to those that they may only read, are outside of them, too.
//!
//! An access whose address need not be a multiple of its alignment is preceded by a test of this, which only reports a
//! finding (OpenCL C 6.1.5); `alignment.rs` tells which these are.
//!
//! `extent.rs` follows each pointer to its object. A pointer that is loaded from memory, or made of a number, may lead to
//! any allocation of the context. Such a pointer to local, private or generic memory is not checked, and neither is one
//! to global memory under the descriptor ABI, where pointers are no addresses.

mod alignment;
mod extent;

use super::analysis::facts::facts;
use super::sites::{Sites, rebuild};
use super::{Changed, Pass, PassCx, PassError};
use crate::abi::Abi;
use crate::check::{Notes, Site, object};
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{AddressSpace, BinOp, Builder, CmpOp, Function, Inst, Module, Op, Ty, Value};
use alignment::Alignments;
use extent::{Extent, Extents, UNCHECKED};
pub(super) use extent::{argument, sum};

pub const PASS: Pass = Pass {
    name: "check_memory",
    about: "Compares each access to memory with the object that it is for, and reports accesses outside of it and misaligned ones.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut sites = Sites::take(module, cx)?;
    for kernel in &module.kernels {
        let func = &mut module.funcs[kernel.func];
        let mut check = Check {
            extents: Extents::new(func, kernel, &module.globals, cx.sources),
            alignments: Alignments::new(func, kernel),
            by_address: cx.target.abi == Abi::Physical,
            sites: &mut sites,
            replacements: Replacements::default(),
            unchecked: Vec::new(),
        };
        check.function(func);
        let spaces = std::mem::take(&mut check.unchecked);
        let why =
            "the object is not known, because the pointer comes from memory, a number or a generic pointer";
        let words = |space| format!("accesses to {} memory", name_of(space));
        sites.note(&Notes {
            kernel: func.name.clone(),
            check: "memory".into(),
            left_out: spaces.into_iter().map(|s| (words(s), why.to_owned())).collect(),
            ..Notes::default()
        });
    }
    sites.give_back(module);
    Ok(Changed::Yes)
}

/// The alignment that the addresses of allocations certainly have.
const MAX_ALIGN: u32 = 16;

/// One part of an instruction's access.
#[derive(Copy, Clone)]
struct Touch {
    pointer: Value,
    bytes: u32,
    /// What the address must be a multiple of.
    align: u32,
    action: &'static str,
}

/// The state of the pass for one kernel.
struct Check<'c, 'a> {
    extents: Extents,
    alignments: Alignments,
    /// Pointers to global memory are addresses.
    by_address: bool,
    sites: &'c mut Sites<'a>,
    replacements: Replacements,
    /// The address spaces with accesses that are not checked.
    unchecked: Vec<AddressSpace>,
}

impl Check<'_, '_> {
    fn function(&mut self, func: &mut Function) {
        rebuild(func, |b, inst| match inst {
            None => self.extents.parameters(b),
            Some(inst) => self.inst(b, inst),
        });
        self.replacements.apply(func);
    }

    /// Puts an instruction at the cursor, guarded if it accesses memory.
    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = &b.func.insts[inst];
        let touch = |n: usize, bytes: u32, align: u32, action: &'static str| Touch {
            pointer: data.args[n],
            bytes,
            align,
            action,
        };
        match data.op {
            Op::Load(access) => {
                let touch = touch(0, b.func.ty(data.results[0]).bytes(), access.align, "load");
                self.access(b, inst, touch);
            }
            Op::Store(access) => {
                let touch = touch(0, b.func.ty(data.args[1]).bytes(), access.align, "store");
                self.access(b, inst, touch);
            }
            Op::MemZero { size, dst } => {
                let touch = touch(0, size, dst.align, "store");
                self.access(b, inst, touch);
            }
            Op::MemCpy { size, dst, src } => {
                let touches = [
                    touch(0, size, dst.align, "store"),
                    touch(1, size, src.align, "load"),
                ];
                self.copy(b, inst, touches);
            }
            Op::Intrinsic(Intrinsic::Atomic(op)) => {
                let value = match op {
                    AtomicOp::Store => data.args.get(1),
                    _ => data.results.first(),
                };
                let bytes = value.map_or(0, |&v| b.func.ty(v).bytes());
                self.access(b, inst, touch(0, bytes, bytes.max(1), "atomic operation"));
            }
            Op::Intrinsic(Intrinsic::MemberIndex) => self.member(b, inst),
            _ => self.extents.push(b, inst, self.by_address),
        }
    }

    /// Puts a test at the cursor whether an index is one of the array that is a member, unless that is certain.
    fn member(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let (index, length) = (b.func.insts[inst].args[0], b.func.insts[inst].args[1]);
        let elements = b.func.as_bits(length).unwrap_or(0);
        if facts(b.func, index).max() < elements {
            return;
        }
        let is_outside = b.compare(CmpOp::UGe, index, length);
        let site = Site {
            check: "memory".into(),
            action: format!(
                "index outside of an array of {elements} elements, which is a member of a structure"
            ),
            ..Site::default()
        };
        self.sites
            .report_if(b, is_outside, site, (object::NONE, Some(index)));
    }

    /// Puts an instruction at the cursor that accesses memory through one pointer.
    fn access(&mut self, b: &mut Builder<'_>, inst: Inst, touch: Touch) {
        let Some(extent) = self.suspect(b, touch) else {
            self.alignment(b, touch);
            self.extents.push(b, inst, self.by_address);
            return;
        };
        let old = b.func.insts[inst].results.first().copied();
        let types: Vec<Ty> = old.iter().map(|&v| b.func.ty(v)).collect();
        let is_inside = self.emit_is_inside(b, extent, touch);
        let (choice, then, otherwise) = b.if_(is_inside, &types);
        b.enter(then);
        self.alignment(b, touch);
        let (op, args) = (b.func.insts[inst].op.clone(), b.func.insts[inst].args.clone());
        let same = b.insert(op, args, &types);
        let loaded = b.results(same).to_vec();
        b.exit(choice, loaded);
        b.leave();
        b.enter(otherwise);
        self.report(b, extent, touch);
        let zero = types.iter().map(|&ty| b.zero(ty)).collect();
        b.exit(choice, zero);
        b.leave();
        if let (Some(old), Some(&new)) = (old, b.results(choice).first()) {
            self.replacements.set(old, new);
            self.extents.loaded(b, old, new, self.by_address);
        }
    }

    /// Puts a `MemCpy` at the cursor. If its source is outside, its destination becomes zero.
    fn copy(&mut self, b: &mut Builder<'_>, inst: Inst, [to, from]: [Touch; 2]) {
        let outer = self.open(b, to);
        let inner = self.open(b, from);
        self.alignment(b, to);
        self.alignment(b, from);
        b.push(inst);
        if let Some((choice, extent, otherwise)) = inner {
            b.exit(choice, vec![]);
            b.leave();
            b.enter(otherwise);
            self.report(b, extent, from);
            if let Op::MemCpy { size, dst, .. } = b.func.insts[inst].op {
                b.mem_zero(to.pointer, dst, size);
            }
            b.exit(choice, vec![]);
            b.leave();
        }
        if let Some((choice, extent, otherwise)) = outer {
            b.exit(choice, vec![]);
            b.leave();
            b.enter(otherwise);
            self.report(b, extent, to);
            b.exit(choice, vec![]);
            b.leave();
        }
    }

    /// Opens an `if` for what is done if an access is inside of its object, unless that is certain. Returns it with the
    /// extent of the pointer and the other region.
    fn open(&mut self, b: &mut Builder<'_>, touch: Touch) -> Option<(Inst, Extent, crate::ir::Region)> {
        let extent = self.suspect(b, touch)?;
        let is_inside = self.emit_is_inside(b, extent, touch);
        let (choice, then, otherwise) = b.if_(is_inside, &[]);
        b.enter(then);
        Some((choice, extent, otherwise))
    }

    /// Returns the extent of a pointer, unless an access through it is certainly inside of its object, or is not checked.
    fn suspect(&mut self, b: &mut Builder<'_>, touch: Touch) -> Option<Extent> {
        let space = b.func.ty(touch.pointer).space()?;
        if touch.bytes == 0 || matches!(space, AddressSpace::Push | AddressSpace::Args) {
            return None;
        }
        let extent = self.extents.of(b, touch.pointer);
        let extent = self.extents.for_access(extent, touch.action != "load");
        let number = |v: Value| b.func.as_bits(v);
        let last = || facts(b.func, extent.offset).max();
        match (number(extent.object), number(extent.size)) {
            (Some(n), _) if n == u64::from(UNCHECKED) => {
                // All pointers to global memory are checked that are addresses, except those of other checks.
                let is_ours = self.by_address && space == AddressSpace::Global;
                if !is_ours && !self.unchecked.contains(&space) {
                    self.unchecked.push(space);
                }
                None
            }
            (Some(n), Some(size))
                if n >= u64::from(object::FIRST)
                    && last()
                        .checked_add(touch.bytes.into())
                        .is_some_and(|end| end <= size) =>
            {
                None
            }
            _ => Some(extent),
        }
    }

    /// Computes whether an access is inside of its object.
    fn emit_is_inside(&mut self, b: &mut Builder<'_>, extent: Extent, touch: Touch) -> Value {
        let bytes = b.i64(touch.bytes.into());
        let known = b.func.as_bits(extent.object);
        let is_unknown = u64::from(object::UNKNOWN);
        if known == Some(is_unknown) {
            return b.value(
                Op::Intrinsic(Intrinsic::IsAllocated),
                vec![extent.offset, bytes],
                Ty::BOOL,
            );
        }
        // The size and the room are not negative. A negative offset is a large unsigned number.
        let room = match b.func.as_bits(extent.size) {
            Some(size) => b.i64((size + 1).saturating_sub(touch.bytes.into()) as i64),
            None => {
                let (others, none) = (b.i64(i64::from(touch.bytes) - 1), b.i64(0));
                let rest = b.binary(BinOp::ISub, extent.size, others);
                let fits = b.compare(CmpOp::UGe, extent.size, bytes);
                b.select(fits, rest, none)
            }
        };
        let is_inside = b.compare(CmpOp::ULt, extent.offset, room);
        if known.is_some() || !self.extents.has_unknown() {
            return is_inside;
        }
        // The pointer may come from several places.
        let unknown = b.i32(object::UNKNOWN as i32);
        let is_unknown = b.compare(CmpOp::IEq, extent.object, unknown);
        let (choice, then, otherwise) = b.if_(is_unknown, &[Ty::BOOL]);
        b.enter(then);
        let is_allocated = b.value(
            Op::Intrinsic(Intrinsic::IsAllocated),
            vec![extent.offset, bytes],
            Ty::BOOL,
        );
        b.exit(choice, vec![is_allocated]);
        b.leave();
        b.enter(otherwise);
        b.exit(choice, vec![is_inside]);
        b.leave();
        b.results(choice)[0]
    }

    /// Tests the alignment of an access, unless it is certain or the object is not known.
    fn alignment(&mut self, b: &mut Builder<'_>, touch: Touch) {
        let Some(space) = b.func.ty(touch.pointer).space() else {
            return;
        };
        let is_whole = self.alignments.allow(touch.pointer, touch.align);
        if touch.bytes == 0 || is_whole || matches!(space, AddressSpace::Push | AddressSpace::Args) {
            return;
        }
        let extent = self.extents.of(b, touch.pointer);
        let known = b.func.as_bits(extent.object);
        if known == Some(UNCHECKED.into()) {
            return;
        }
        // Addresses are those of allocations, whose alignment is limited.
        let align = match known.is_none_or(|n| n == u64::from(object::UNKNOWN)) {
            true => touch.align.min(MAX_ALIGN),
            false => touch.align,
        };
        let (mask, zero) = (b.i64(i64::from(align) - 1), b.i64(0));
        let rest = b.binary(BinOp::And, extent.offset, mask);
        let mut is_fault = b.compare(CmpOp::INe, rest, zero);
        if known.is_none() {
            let unchecked = b.i32(UNCHECKED as i32);
            let is_checked = b.compare(CmpOp::INe, extent.object, unchecked);
            is_fault = b.binary(BinOp::And, is_fault, is_checked);
        }
        let (choice, then, otherwise) = b.if_(is_fault, &[]);
        b.enter(then);
        self.finding(b, extent, touch, align);
        b.exit(choice, vec![]);
        b.leave();
        b.enter(otherwise);
        b.exit(choice, vec![]);
        b.leave();
    }

    /// States that an access is outside of its object.
    fn report(&mut self, b: &mut Builder<'_>, extent: Extent, touch: Touch) {
        self.finding(b, extent, touch, 0);
    }

    /// States a fault of an access. `align`: what its address should be a multiple of, if that is the fault, or 0.
    fn finding(&mut self, b: &mut Builder<'_>, extent: Extent, touch: Touch, align: u32) {
        let space = b.func.ty(touch.pointer).space();
        let misaligned = if align > 0 { "misaligned " } else { "" };
        let site = Site {
            check: "memory".into(),
            action: format!("{misaligned}{}", touch.action),
            bytes: touch.bytes,
            align,
            space: space.map_or("", name_of).into(),
            objects: self.extents.candidates(b.func.as_bits(extent.object)),
            ..Site::default()
        };
        self.sites.report(b, site, extent.object, extent.offset);
    }
}

/// Returns the name of an address space in a report.
pub(super) fn name_of(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Private => "private",
        AddressSpace::Local => "local",
        AddressSpace::Global => "global",
        AddressSpace::Constant => "constant",
        AddressSpace::Generic => "generic",
        AddressSpace::Push | AddressSpace::Args => "argument",
    }
}
