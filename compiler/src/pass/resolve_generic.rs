//! Gives generic pointers the address space that they are known to point to.
//!
//! Why: an access by a generic pointer tests its space at run time, and hides from other passes which variable
//!      it accesses. After inlining, nearly all spaces are known.
//! In:  any module; most effective after `inline` and `mem2reg`.
//! Out: no generic pointer is left that can point to one space only, except where a pointer must be generic: in
//!      memory, as a number, or together with pointers to other spaces. Such pointers are casts of pointers to
//!      their space. An atomic operation on private memory is a load and a store.
//!
//! `analysis/generic_spaces.rs` finds the spaces. The types of pointers that are computed from others are changed in place.
//! A pointer that is loaded stays generic, like the one that was stored, and is cast after the load, so that
//! `mem2reg` finds one type. A cast to another space than the pointer's own is undefined; its result becomes null.

use super::analysis::generic_spaces::{GenericSpaces, is_generic};
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::atomic::one_item_atomic;
use crate::ir::build::Builder;
use crate::ir::inst::CastOp;
use crate::ir::walk::Replacements;
use crate::ir::{AddressSpace, EntityRef, Function, Inst, Module, Op, Ty, Value, ValueDef};

pub const PASS: Pass = Pass {
    name: "resolve_generic",
    about: "Gives generic pointers the address space that they are known to point to.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if cx.settled.contains(f) {
            continue;
        }
        let is_kernel = module.kernels.iter().any(|k| k.func == f);
        let own = match GenericSpaces::new(func, is_kernel) {
            Some(spaces) => resolve(func, &spaces),
            None => false,
        };
        changed |= cx.settled.note(f, own);
    }
    Ok(changed.into())
}

/// Resolves the pointers of a function, and returns whether there were any.
fn resolve(func: &mut Function, spaces: &GenericSpaces) -> bool {
    let mut r = Resolution {
        known: vec![None; func.values.len()],
        sources: vec![None; func.values.len()],
        replaced: Replacements::default(),
        changed: false,
    };
    for v in func.values.keys().filter(|&v| is_generic(func, v)) {
        match kind_of(func, v) {
            Kind::Computed => r.known[v.index()] = spaces.of(v).only(),
            Kind::Source => r.sources[v.index()] = spaces.of(v).only().map(Source::Unused),
            Kind::Other => {}
        }
    }
    for inst in func.insts_in_order() {
        r.note_uses(func, inst);
    }
    for (v, known) in r.known.iter().enumerate() {
        if let Some(space) = known {
            func.values[Value::new(v)].ty = Ty::ptr(*space);
            r.changed = true;
        }
    }
    for region in func.regions_in_order() {
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            b.span = b.func.insts[inst].span;
            r.inst(&mut b, inst);
        }
    }
    if r.changed {
        r.replaced.apply(func);
    }
    r.changed
}

/// How a generic pointer is resolved.
enum Kind {
    /// It is computed from other pointers, and its type is changed.
    Computed,
    /// It comes from memory or from a number, and is cast after its definition.
    Source,
    /// A cast to a generic pointer stays; its users look at what it casts. Constants have no space of their own,
    /// and nothing is known of parameters.
    Other,
}

fn kind_of(func: &Function, v: Value) -> Kind {
    match func.values[v].def {
        ValueDef::Inst(inst, _) => match &func.insts[inst].op {
            Op::Cast(CastOp::PtrCast) => Kind::Other,
            Op::PtrAdd | Op::Select => Kind::Computed,
            op if op.is_structured() => Kind::Computed,
            _ => Kind::Source,
        },
        ValueDef::Arg(..) => Kind::Computed,
        ValueDef::Param(_) | ValueDef::Const(_) => Kind::Other,
    }
}

/// A pointer that comes from memory or from a number, and leads to one space.
#[derive(Copy, Clone)]
enum Source {
    /// Nothing needs its space.
    Unused(AddressSpace),
    Used(AddressSpace),
    /// The cast after its definition.
    Cast(Value),
}

struct Resolution {
    /// For each value, its space if its type has been changed.
    known: Vec<Option<AddressSpace>>,
    /// For each value, what is known of it if it is a source.
    sources: Vec<Option<Source>>,
    replaced: Replacements,
    changed: bool,
}

impl Resolution {
    /// Returns the pointer that a value is, or is the cast of, with a space of its own.
    fn resolved(&self, func: &Function, v: Value) -> Option<(Value, AddressSpace)> {
        if !is_generic(func, v) {
            return Some((v, func.ty(v).space()?));
        }
        if let Some(Some(Source::Cast(own))) = self.sources.get(v.index()) {
            return Some((*own, func.ty(*own).space()?));
        }
        let data = &func.insts[func.def_inst(v)?];
        let from = *data
            .args
            .first()
            .filter(|_| data.op == Op::Cast(CastOp::PtrCast))?;
        Some((from, func.ty(from).space()?))
    }

    /// Returns a pointer as one of another type, which is either generic or that of a space.
    fn as_type(&mut self, b: &mut Builder<'_>, v: Value, ty: Ty) -> Value {
        let from = b.func.ty(v);
        if from == ty || !from.scalar.is_ptr() {
            return v;
        }
        if let Some(c) = b.func.as_const(v)
            && b.func.as_bits(v).is_none_or(|bits| bits == 0)
        {
            let c = c.clone();
            self.changed = true;
            return b.func.constant(ty, c);
        }
        match self.resolved(b.func, v) {
            Some((own, _)) if b.func.ty(own) == ty => {
                self.changed = true;
                own
            }
            _ if ty.space() == Some(AddressSpace::Generic) => b.cast(CastOp::PtrCast, v, ty),
            _ => {
                let generic = self.as_type(b, v, Ty::ptr(AddressSpace::Generic));
                b.cast(CastOp::PtrCast, generic, ty)
            }
        }
    }

    /// Records the sources whose space an instruction needs.
    fn note_uses(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        let args = &data.args;
        match &data.op {
            Op::Load(_) | Op::Store(_) | Op::MemZero { .. } | Op::Intrinsic(Intrinsic::Atomic(_)) => {
                self.note_use(args[0]);
            }
            Op::Intrinsic(Intrinsic::PointerTag) => self.note_use(args[0]),
            Op::MemCpy { .. } => args.iter().for_each(|&v| self.note_use(v)),
            Op::PtrAdd => self.note_flow(args[0], data.results[0]),
            Op::Select => args[1..].iter().for_each(|&v| self.note_flow(v, data.results[0])),
            Op::Loop => {
                for (&v, &to) in args.iter().zip(&func.regions[data.regions[0]].args) {
                    self.note_flow(v, to);
                }
            }
            Op::Exit(target) => {
                for (&v, &to) in args.iter().zip(&func.insts[*target].results) {
                    self.note_flow(v, to);
                }
            }
            Op::Repeat(target) => {
                let body = func.insts[*target].regions[0];
                for (&v, &to) in args.iter().zip(&func.regions[body].args) {
                    self.note_flow(v, to);
                }
            }
            _ => {}
        }
    }

    fn note_flow(&mut self, from: Value, to: Value) {
        if self.was_generic(to) {
            self.note_use(from);
        }
    }

    fn note_use(&mut self, v: Value) {
        if let Some(Some(source @ Source::Unused(_))) = self.sources.get_mut(v.index())
            && let Source::Unused(space) = *source
        {
            *source = Source::Used(space);
        }
    }

    /// Puts an instruction at the cursor, with operands of the types that it has to have now.
    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = &b.func.insts[inst];
        let (op, mut args) = (data.op.clone(), data.args.clone());
        let result = data.results.first().copied();
        match (&op, result) {
            (Op::Cast(CastOp::PtrCast), Some(result)) => {
                let to = b.func.ty(result);
                match self.resolved(b.func, args[0]) {
                    // A pointer that has been resolved, or the cast of a cast.
                    Some((own, space)) if own != args[0] || self.was_generic(args[0]) => {
                        self.changed = true;
                        let new = if to.space() == Some(space) {
                            own
                        } else {
                            b.zero(to)
                        };
                        self.replaced.set(result, new);
                        return;
                    }
                    _ => {}
                }
            }
            (Op::Intrinsic(Intrinsic::PointerTag), Some(result)) => {
                if let Some((_, space)) = self.resolved(b.func, args[0]) {
                    self.changed = true;
                    let tag = b.i32(space.tag() as i32);
                    self.replaced.set(result, tag);
                    return;
                }
            }
            (Op::PtrAdd, Some(result)) => args[0] = self.as_type(b, args[0], b.func.ty(result)),
            (Op::Select, Some(result)) => {
                let ty = b.func.ty(result);
                args[1] = self.as_type(b, args[1], ty);
                args[2] = self.as_type(b, args[2], ty);
            }
            (Op::Loop, _) => {
                let types = self.types(b, &b.func.regions[b.func.insts[inst].regions[0]].args.clone());
                self.all(b, &mut args, &types);
            }
            (Op::Exit(target), _) => {
                let types = self.types(b, &b.func.insts[*target].results.clone());
                self.all(b, &mut args, &types);
            }
            (Op::Repeat(target), _) => {
                let body = b.func.insts[*target].regions[0];
                let types = self.types(b, &b.func.regions[body].args.clone());
                self.all(b, &mut args, &types);
            }
            (Op::Compare(_), _) if b.func.ty(args[0]).scalar.is_ptr() => self.comparison(b, &mut args),
            (Op::Load(_) | Op::Store(_) | Op::MemZero { .. } | Op::Intrinsic(Intrinsic::Atomic(_)), _) => {
                self.address(b, &mut args[0]);
                for v in &mut args[1..] {
                    self.keep_generic(b, v);
                }
                if let Op::Intrinsic(Intrinsic::Atomic(op)) = op
                    && b.func.ty(args[0]).space() == Some(AddressSpace::Private)
                {
                    let ty = result.map(|v| b.func.ty(v));
                    let new = one_item_atomic(b, op, args[0], &args[1..], ty);
                    if let (Some(result), Some(new)) = (result, new) {
                        self.replaced.set(result, new);
                    }
                    self.changed = true;
                    return;
                }
            }
            (Op::MemCpy { .. }, _) => {
                self.address(b, &mut args[0]);
                self.address(b, &mut args[1]);
            }
            // All other instructions got generic pointers, and still do.
            _ => {
                for v in args.iter_mut() {
                    self.keep_generic(b, v);
                }
            }
        }
        b.func.insts[inst].args = args;
        b.push(inst);
        if let Some(result) = result
            && let Some(Some(Source::Used(space))) = self.sources.get(result.index())
        {
            let own = b.cast(CastOp::PtrCast, result, Ty::ptr(*space));
            self.sources[result.index()] = Some(Source::Cast(own));
            self.changed = true;
        }
    }

    /// Returns whether the type of a value has been changed.
    fn was_generic(&self, v: Value) -> bool {
        self.known.get(v.index()).is_some_and(Option::is_some)
    }

    fn types(&self, b: &Builder<'_>, values: &[Value]) -> Vec<Ty> {
        values.iter().map(|&v| b.func.ty(v)).collect()
    }

    fn all(&mut self, b: &mut Builder<'_>, args: &mut [Value], types: &[Ty]) {
        for (v, &ty) in args.iter_mut().zip(types) {
            *v = self.as_type(b, *v, ty);
        }
    }

    /// Makes a pointer generic again that an instruction takes as such.
    fn keep_generic(&mut self, b: &mut Builder<'_>, v: &mut Value) {
        if self.was_generic(*v) {
            *v = self.as_type(b, *v, Ty::ptr(AddressSpace::Generic));
        }
    }

    /// Replaces the address of an access by one whose space is known.
    fn address(&mut self, b: &mut Builder<'_>, v: &mut Value) {
        if let Some((own, _)) = self.resolved(b.func, *v)
            && own != *v
        {
            self.changed = true;
            *v = own;
        }
    }

    /// Gives the operands of a comparison one type.
    fn comparison(&mut self, b: &mut Builder<'_>, args: &mut [Value]) {
        let spaces: Vec<_> = args
            .iter()
            .filter(|&&v| b.func.as_const(v).is_none())
            .map(|&v| self.resolved(b.func, v).map(|(_, space)| space))
            .collect();
        let ty = match spaces[..] {
            [Some(one)] => Ty::ptr(one),
            [Some(one), Some(other)] if one == other => Ty::ptr(one),
            _ if self.types(b, args).iter().all(|&t| t == b.func.ty(args[0])) => return,
            _ => Ty::ptr(AddressSpace::Generic),
        };
        for v in args {
            *v = self.as_type(b, *v, ty);
        }
    }
}
