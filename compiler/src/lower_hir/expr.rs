//! Expressions.

use super::func::FuncLowering;
use super::place::Addr;
use super::{Lowered, at, broken, types};
use crate::hir::{self, BinOp, Expr, ExprKind, LocalId, Place, PlaceKind, Scalar, Type, TypeId};
use crate::intrinsic::{Intrinsic, MatrixEach, MatrixOp, SamplerMask};
use crate::ir::atomic::float_atomic;
use crate::ir::{self, CastOp, Ty, UnOp, Value};

/// The result of evaluating an expression.
#[derive(Copy, Clone, Debug)]
pub(super) enum Val {
    /// No value (void).
    None,
    /// A scalar, vector, pointer, image or sampler.
    Value(Value),
    /// A struct or union, which is in this memory until the next store to it.
    Memory(Addr),
}

/// The cost limit for operands of `&&`, `||` and `?:` that are evaluated speculatively.
const SPECULATION_BUDGET: u32 = 6;

impl FuncLowering<'_, '_> {
    /// Evaluates an expression of any type.
    pub(super) fn eval(&mut self, e: &Expr) -> Lowered<Val> {
        let outer = std::mem::replace(&mut self.b.span, e.span);
        let val = self.eval_kind(e);
        self.b.span = outer;
        val
    }

    /// Evaluates an expression that has an SSA value.
    pub(super) fn value(&mut self, e: &Expr) -> Lowered<Value> {
        match self.eval(e)? {
            Val::Value(v) => Ok(v),
            Val::None | Val::Memory(_) => broken(at(e.span, "a value is expected")),
        }
    }

    /// Evaluates a struct into memory.
    pub(super) fn write_val(&mut self, to: Addr, ty: TypeId, val: Val) -> Lowered<()> {
        match val {
            Val::None => broken("a void value is stored"),
            Val::Value(v) => self.store_value(to, ty, v),
            Val::Memory(from) => self.copy(to, from, ty),
        }
    }

    fn eval_kind(&mut self, e: &Expr) -> Lowered<Val> {
        Ok(Val::Value(match &e.kind {
            ExprKind::Const(bits) => {
                let ty = self.ty(e.ty)?;
                self.b.lanes(ty, bits.clone())
            }
            ExprKind::Load(place) => return self.load(place),
            ExprKind::AddrOf(_) | ExprKind::PointerAdd { .. } => {
                let addr = self.pointer(e)?;
                self.address(addr)
            }
            ExprKind::Neg(a) => self.negation(a, e.ty)?,
            ExprKind::BitNot(a) => {
                let a = self.value(a)?;
                self.b.unary(UnOp::Not, a)
            }
            ExprKind::Not(a) => {
                let a = self.value(a)?;
                self.b.unary(UnOp::Not, a)
            }
            ExprKind::Binary {
                op,
                lhs,
                rhs,
                contract,
            } => {
                let fuses = *contract && self.takes_product(*op, &[&**lhs, &**rhs]);
                let lhs = self.operand(lhs, fuses)?;
                let rhs = self.operand(rhs, fuses)?;
                self.arithmetic(*op, lhs, rhs, e.ty, *contract, fuses)?
            }
            ExprKind::Compare(op, lhs, rhs) => {
                let ty = lhs.ty;
                let lhs = self.value(lhs)?;
                let rhs = self.value(rhs)?;
                self.comparison(*op, lhs, rhs, ty)?
            }
            ExprKind::And(lhs, rhs) => self.short_circuit(lhs, rhs, true)?,
            ExprKind::Or(lhs, rhs) => self.short_circuit(lhs, rhs, false)?,
            ExprKind::Conditional(cond, a, b) => return self.conditional(cond, a, b, e.ty),
            ExprKind::Select(cond, a, b) => {
                let cond = self.value(cond)?;
                let a = self.value(a)?;
                let b = self.value(b)?;
                self.b.select(cond, a, b)
            }
            ExprKind::Convert(_, a) if *self.cx.program.types.get(e.ty) == Type::Sampler => match &a.kind {
                ExprKind::Const(bits) if bits.len() == 1 => self.literal_sampler(bits[0] as u32),
                _ => return broken(at(e.span, "a sampler that is no constant")),
            },
            ExprKind::Convert(how, a) => {
                let from = a.ty;
                let a = self.value(a)?;
                self.conversion(*how, a, from, e.ty)?
            }
            ExprKind::Splat(a) => {
                let a = self.value(a)?;
                let ty = self.ty(e.ty)?;
                self.b.splat(ty, a)
            }
            ExprKind::Vector(parts) => self.vector(parts, e.ty)?,
            ExprKind::Swizzle(a, lanes) => {
                let a = self.value(a)?;
                self.swizzle(a, lanes)
            }
            ExprKind::PointerDiff(a, b) => self.pointer_difference(a, b)?,
            ExprKind::Assign(place, value) => return self.assign(place, value),
            ExprKind::CompoundAssign {
                place,
                op,
                rhs,
                compute,
                contract,
            } => self.compound_assign(place, *op, rhs, *compute, *contract)?,
            ExprKind::IncDec {
                place,
                decrement,
                post,
            } => self.step(place, *decrement, *post)?,
            ExprKind::Call(func, args) => return self.call(*func, args, e.ty),
            ExprKind::Intrinsic(op, args) => return self.intrinsic(*op, args, e.ty),
            ExprKind::Comma(a, b) => {
                self.eval(a)?;
                return self.eval(b);
            }
            ExprKind::StmtExpr(stmts, value) => {
                self.stmts(stmts)?;
                return match value {
                    Some(v) => self.eval(v),
                    None => Ok(Val::None),
                };
            }
        }))
    }

    /// Lowers a negation of numbers or of a matrix.
    fn negation(&mut self, a: &Expr, ty: TypeId) -> Lowered<Value> {
        if let Type::Matrix(m) = *self.cx.program.types.get(ty) {
            let each = match m.component.is_float() {
                true => MatrixEach::FNeg,
                false => MatrixEach::INeg,
            };
            let (ty, a) = (self.ty(ty)?, self.value(a)?);
            let op = Intrinsic::Matrix(MatrixOp::Each(each));
            return Ok(self.b.value(ir::Op::Intrinsic(op), [a], ty));
        }
        let (scalar, _) = types::lanes(&self.cx.program.types, ty)?;
        let a = self.value(a)?;
        let op = if scalar.is_float() { UnOp::FNeg } else { UnOp::INeg };
        self.set_contract(!self.source.is_library);
        Ok(self.b.unary(op, a))
    }

    /// Lowers `(type)(a, b, …)`.
    fn vector(&mut self, parts: &[Expr], ty: TypeId) -> Lowered<Value> {
        let ty = self.ty(ty)?;
        let values = parts.iter().map(|p| self.value(p)).collect::<Lowered<Vec<_>>>()?;
        Ok(match values[..] {
            [one] if self.b.func.ty(one) == ty => one,
            _ => self.b.construct(ty, values),
        })
    }

    /// Lowers the call of an intrinsic.
    fn intrinsic(&mut self, op: Intrinsic, args: &[Expr], ty: TypeId) -> Lowered<Val> {
        let values = args.iter().map(|a| self.value(a)).collect::<Lowered<Vec<_>>>()?;
        let ty = types::value(&self.cx.program.types, ty);
        self.set_contract(false);
        if let (Intrinsic::FloatAtomic(op), &[pointer, operand]) = (op, &values[..]) {
            return Ok(Val::Value(float_atomic(&mut self.b, op, pointer, operand)));
        }
        Ok(match self.b.intrinsic(op, values, ty) {
            Some(v) => Val::Value(v),
            None => Val::None,
        })
    }

    fn load(&mut self, place: &Place) -> Lowered<Val> {
        if let PlaceKind::Global(id) = place.kind
            && *self.cx.program.types.get(place.ty) == Type::Sampler
        {
            let init = self.cx.program.globals[id].init.as_ref();
            let word = init.and_then(|data| data.bytes.first_chunk::<4>());
            let Some(&word) = word else {
                return broken(at(place.span, "a sampler without a value"));
            };
            return Ok(Val::Value(self.literal_sampler(u32::from_le_bytes(word))));
        }
        if matches!(self.cx.program.types.get(place.ty), Type::Record(_)) {
            return Ok(Val::Memory(self.memory(place)?));
        }
        let slot = self.place(place)?;
        Ok(Val::Value(self.load_slot(&slot, place.ty)?))
    }

    fn literal_sampler(&mut self, mask: u32) -> Value {
        let handle = ir::Handle::Literal(SamplerMask(mask & SamplerMask::ALL_BITS));
        self.b.bits(Ty::of(ir::Scalar::Sampler), handle.to_bits())
    }

    /// Computes an expression that the source may not evaluate. So nothing may be concluded from it, such as that a sum does
    /// not overflow.
    fn speculative_value(&mut self, e: &Expr) -> Lowered<Value> {
        let outer = std::mem::replace(&mut self.speculates, true);
        let value = self.value(e);
        self.speculates = outer;
        value
    }

    /// Emits `lhs && rhs` if `and` is set, otherwise `lhs || rhs`.
    fn short_circuit(&mut self, lhs: &Expr, rhs: &Expr, and: bool) -> Lowered<Value> {
        let lhs = self.value(lhs)?;
        let known = self.b.bool(!and);
        if speculatable(rhs, &mut { SPECULATION_BUDGET }) {
            let rhs = self.speculative_value(rhs)?;
            return Ok(if and {
                self.b.select(lhs, rhs, known)
            } else {
                self.b.select(lhs, known, rhs)
            });
        }
        let (inst, then, otherwise) = self.b.if_(lhs, &[Ty::BOOL]);
        let (long, short) = if and { (then, otherwise) } else { (otherwise, then) };
        self.b.enter(short);
        self.exit(inst, vec![known]);
        self.b.leave();
        self.b.enter(long);
        let rhs = self.value(rhs)?;
        self.exit(inst, vec![rhs]);
        self.b.leave();
        Ok(self.b.results(inst)[0])
    }

    fn conditional(&mut self, cond: &Expr, a: &Expr, b: &Expr, ty: TypeId) -> Lowered<Val> {
        let cond = self.value(cond)?;
        let value_ty = types::value(&self.cx.program.types, ty);
        // Matrices cannot be selected.
        let handle = types::is_handle(&self.cx.program.types, ty)
            || matches!(self.cx.program.types.get(ty), Type::Matrix(_));
        let mut budget = SPECULATION_BUDGET;
        if value_ty.is_some() && !handle && speculatable(a, &mut budget) && speculatable(b, &mut budget) {
            let a = self.speculative_value(a)?;
            let b = self.speculative_value(b)?;
            return Ok(Val::Value(self.b.select(cond, a, b)));
        }
        let copy = match types::is_record(&self.cx.program.types, ty) {
            true => Some(self.temporary(ty)?),
            false => None,
        };
        let (inst, then, otherwise) = self.b.if_(cond, value_ty.as_slice());
        for (region, arm) in [(then, a), (otherwise, b)] {
            self.b.enter(region);
            let val = self.eval(arm)?;
            let mut results = Vec::new();
            match (copy, val) {
                (Some(to), val) => self.write_val(to, ty, val)?,
                (None, Val::Value(v)) if value_ty.is_some() => results.push(v),
                // A void conditional discards the values of its arms.
                (None, Val::None | Val::Value(_) | Val::Memory(_)) => {}
            }
            self.exit(inst, results);
            self.b.leave();
        }
        self.close(inst);
        Ok(match (copy, self.b.results(inst)) {
            (Some(at), _) => Val::Memory(at),
            (None, [v]) => Val::Value(*v),
            (None, _) => Val::None,
        })
    }

    fn assign(&mut self, place: &Place, value: &Expr) -> Lowered<Val> {
        let val = self.eval(value)?;
        match val {
            Val::Value(v) => {
                let slot = self.place(place)?;
                self.store_slot(&slot, place.ty, v)?;
                Ok(val)
            }
            Val::Memory(from) => {
                let to = self.memory(place)?;
                self.copy(to, from, place.ty)?;
                Ok(Val::Memory(to))
            }
            Val::None => broken(at(place.span, "a void value is assigned")),
        }
    }

    fn compound_assign(
        &mut self,
        place: &Place,
        op: BinOp,
        rhs: &Expr,
        compute: TypeId,
        contract: bool,
    ) -> Lowered<Value> {
        let fuses = contract && self.takes_product(op, &[rhs]);
        let rhs = self.operand(rhs, fuses)?;
        let slot = self.place(place)?;
        let old = self.load_slot(&slot, place.ty)?;
        let new = if let Type::Pointer { pointee, .. } = *self.cx.program.types.get(place.ty) {
            let size = types::step(&self.cx.program.types, pointee);
            self.scaled_add(old, rhs, size, op == BinOp::Sub)
        } else {
            let wide = self.conversion(hir::Convert::Numeric, old, place.ty, compute)?;
            let result = self.arithmetic(op, wide, rhs, compute, contract, fuses)?;
            self.conversion(hir::Convert::Numeric, result, compute, place.ty)?
        };
        self.store_slot(&slot, place.ty, new)?;
        Ok(new)
    }

    /// Emits `++` and `--`.
    fn step(&mut self, place: &Place, decrement: bool, post: bool) -> Lowered<Value> {
        let slot = self.place(place)?;
        let old = self.load_slot(&slot, place.ty)?;
        let new = match *self.cx.program.types.get(place.ty) {
            Type::Pointer { pointee, .. } => {
                let size = types::step(&self.cx.program.types, pointee) as i64;
                let bytes = self.b.i64(if decrement { -size } else { size });
                self.b.ptr_add(old, bytes)
            }
            Type::Scalar(Scalar::Bool) => {
                if decrement {
                    self.b.unary(UnOp::Not, old)
                } else {
                    self.b.bool(true)
                }
            }
            Type::Scalar(s) | Type::Vector(s, _) => {
                let ty = self.ty(place.ty)?;
                let one = one(s);
                let one = self.b.bits(ty, one);
                let op = if decrement { BinOp::Sub } else { BinOp::Add };
                self.arithmetic(op, old, one, place.ty, true, false)?
            }
            Type::Void
            | Type::Array(..)
            | Type::IncompleteArray(_)
            | Type::Record(_)
            | Type::Function { .. }
            | Type::Image { .. }
            | Type::Sampler
            | Type::Event
            | Type::Pipe { .. }
            | Type::Matrix(_)
            | Type::AnyMatrix
            | Type::ReserveId => return broken(at(place.span, "++ of what is no number")),
        };
        self.store_slot(&slot, place.ty, new)?;
        Ok(if post { old } else { new })
    }

    fn pointer_difference(&mut self, a: &Expr, b: &Expr) -> Lowered<Value> {
        let pointee = types::pointee(&self.cx.program.types, a.ty)?;
        let size = types::step(&self.cx.program.types, pointee).max(1);
        let a = self.value(a)?;
        let b = self.value(b)?;
        let a = self.b.cast(CastOp::PtrToInt, a, Ty::I64);
        let b = self.b.cast(CastOp::PtrToInt, b, Ty::I64);
        let bytes = self.b.binary(ir::BinOp::ISub, a, b);
        if size == 1 {
            return Ok(bytes);
        }
        let size = self.b.i64(size as i64);
        Ok(self.b.binary(ir::BinOp::SDiv, bytes, size))
    }

    /// Emits the initialization of a variable.
    pub(super) fn init(&mut self, id: LocalId, init: &hir::Init) -> Lowered<()> {
        let local = &self.source.locals[id];
        if types::is_handle(&self.cx.program.types, local.ty) {
            if let [(0, e)] = &init.stores[..] {
                let v = self.value(e)?;
                self.variables[id.0 as usize] = super::func::Variable::Handle(v);
            }
            return Ok(());
        }
        let addr = self.local(id)?;
        let whole = matches!(&init.stores[..], [(0, e)] if e.ty == local.ty)
            && !matches!(self.cx.program.types.get(local.ty), Type::Vector(_, 3));
        if init.zero && !whole {
            let size = types::size(&self.cx.program.types, local.ty)?;
            match types::matrix_element(&self.cx.program.types, local.ty) {
                // The bytes of a matrix have no meaning.
                Some((id, matrix)) => {
                    let zero = self.b.zero(matrix);
                    for offset in (0..size).step_by(matrix.bytes() as usize) {
                        self.store_value(addr.plus(i64::from(offset)), id, zero)?;
                    }
                }
                None => {
                    let ptr = self.address(addr);
                    self.b.mem_zero(ptr, addr.access(), size);
                }
            }
        }
        for (offset, e) in &init.stores {
            let val = self.eval(e)?;
            self.write_val(addr.plus(i64::from(*offset)), e.ty, val)?;
        }
        Ok(())
    }

    /// Evaluates an expression statement and discards its value.
    pub(super) fn discard(&mut self, e: &Expr) -> Lowered<()> {
        let val = self.eval(e)?;
        // A struct is read when it is copied. C99 6.7.3: a volatile object is read even if its value is not used.
        if let (ExprKind::Load(_), Val::Memory(from)) = (&e.kind, val)
            && from.volatile
        {
            let copy = self.temporary(e.ty)?;
            self.copy(copy, from, e.ty)?;
        }
        Ok(())
    }
}

/// Returns the bits of the number 1.
fn one(s: Scalar) -> u64 {
    match s {
        Scalar::Half => 0x3c00,
        Scalar::Float => u64::from(1f32.to_bits()),
        Scalar::Double => 1f64.to_bits(),
        Scalar::Bool
        | Scalar::Char
        | Scalar::UChar
        | Scalar::Short
        | Scalar::UShort
        | Scalar::Int
        | Scalar::UInt
        | Scalar::Long
        | Scalar::ULong => 1,
    }
}

/// Returns whether the evaluation of an expression has no side effect, cannot fault and is cheap.
fn speculatable(e: &Expr, budget: &mut u32) -> bool {
    let Some(left) = budget.checked_sub(1) else {
        return false;
    };
    *budget = left;
    match &e.kind {
        ExprKind::Const(_) => true,
        ExprKind::Load(place) | ExprKind::AddrOf(place) => {
            !place.is_volatile && matches!(place.kind, PlaceKind::Local(_) | PlaceKind::Global(_)) && {
                // A read of memory other than a private variable is costly; taking an address is not.
                matches!(e.kind, ExprKind::AddrOf(_)) || matches!(place.kind, PlaceKind::Local(_))
            }
        }
        ExprKind::Neg(a)
        | ExprKind::BitNot(a)
        | ExprKind::Not(a)
        | ExprKind::Convert(_, a)
        | ExprKind::Splat(a)
        | ExprKind::Swizzle(a, _) => speculatable(a, budget),
        ExprKind::Binary { op, lhs, rhs, .. } => {
            !matches!(op, BinOp::Div | BinOp::Rem) && speculatable(lhs, budget) && speculatable(rhs, budget)
        }
        ExprKind::Compare(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            speculatable(a, budget) && speculatable(b, budget)
        }
        ExprKind::Conditional(a, b, c) | ExprKind::Select(a, b, c) => {
            speculatable(a, budget) && speculatable(b, budget) && speculatable(c, budget)
        }
        ExprKind::PointerAdd { ptr, index, .. } => speculatable(ptr, budget) && speculatable(index, budget),
        ExprKind::Vector(_)
        | ExprKind::PointerDiff(..)
        | ExprKind::Assign(..)
        | ExprKind::CompoundAssign { .. }
        | ExprKind::IncDec { .. }
        | ExprKind::Call(..)
        | ExprKind::Intrinsic(..)
        | ExprKind::Comma(..)
        | ExprKind::StmtExpr(..) => false,
    }
}
