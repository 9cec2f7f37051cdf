//! Arithmetic, comparisons and conversions: translation of typed HIR operations to signless IR operations.
//!
//! FP_CONTRACT ON allows contraction within one expression (C99 6.5 paragraph 8, OpenCL C 1.2 6.12.2). Only
//! this stage knows the expression that an operation came from. It therefore sets the IR's flag only on
//! products that are operands of an addition or subtraction, and on that addition or subtraction.
//! `-cl-mad-enable` and the options that include it set the flag on all operations.

use super::func::FuncLowering;
use super::{Lowered, broken, types};
use crate::hir::ty::MatrixType;
use crate::hir::{self, BinOp, CmpOp, Convert, Expr, ExprKind, Scalar, Type, TypeId};
use crate::intrinsic::{Intrinsic, MatrixEach, MatrixOp};
use crate::ir::{self, CastOp, Ty, Value};

/// Returns whether an expression is a product that may be contracted with the operation whose operand it is.
fn is_product(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Binary {
            op: BinOp::Mul,
            contract: true,
            ..
        }
    )
}

impl FuncLowering<'_, '_> {
    /// Returns whether an operator can be fused with a product among these operands.
    pub(super) fn takes_product(&self, op: BinOp, operands: &[&Expr]) -> bool {
        matches!(op, BinOp::Add | BinOp::Sub) && operands.iter().any(|e| is_product(e))
    }

    /// Returns whether an operator may be contracted. `allowed`: FP_CONTRACT is on. `fuses`: it can be fused
    /// with one of its operands.
    pub(super) fn contracts(&self, allowed: bool, fuses: bool) -> bool {
        fuses || allowed && self.cx.relaxed.contract
    }

    /// Returns the value of an operand of an operator. If the operator `fuses`, products among its operands
    /// may be contracted.
    pub(super) fn operand(&mut self, e: &Expr, fuses: bool) -> Lowered<Value> {
        match &e.kind {
            ExprKind::Binary { lhs, rhs, .. } if fuses && is_product(e) => {
                let lhs = self.value(lhs)?;
                let rhs = self.value(rhs)?;
                let outer = std::mem::replace(&mut self.b.span, e.span);
                let product = self.arithmetic(BinOp::Mul, lhs, rhs, e.ty, true);
                self.b.span = outer;
                product
            }
            _ => self.value(e),
        }
    }

    /// Emits `lhs op rhs`, where all types are `ty`; `rhs` may also be a number by which a matrix is multiplied.
    pub(super) fn arithmetic(
        &mut self,
        op: BinOp,
        lhs: Value,
        rhs: Value,
        ty: TypeId,
        contract: bool,
    ) -> Lowered<Value> {
        if let Type::Matrix(m) = *self.cx.program.types.get(ty) {
            return self.on_matrices(op, lhs, rhs, m);
        }
        let (scalar, lanes) = types::lanes(&self.cx.program.types, ty)?;
        let op = if scalar.is_float() {
            match op {
                BinOp::Add => ir::BinOp::FAdd,
                BinOp::Sub => ir::BinOp::FSub,
                BinOp::Mul => ir::BinOp::FMul,
                BinOp::Div => ir::BinOp::FDiv,
                BinOp::Rem => ir::BinOp::FRem,
                BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor => {
                    return broken("a bit operation on floating-point numbers");
                }
            }
        } else {
            let signed = scalar.is_signed();
            match op {
                BinOp::Add => ir::BinOp::IAdd,
                BinOp::Sub => ir::BinOp::ISub,
                BinOp::Mul => ir::BinOp::IMul,
                BinOp::Div if signed => ir::BinOp::SDiv,
                BinOp::Div => ir::BinOp::UDiv,
                BinOp::Rem if signed => ir::BinOp::SRem,
                BinOp::Rem => ir::BinOp::URem,
                BinOp::Shl => ir::BinOp::Shl,
                BinOp::Shr if signed => ir::BinOp::AShr,
                BinOp::Shr => ir::BinOp::LShr,
                BinOp::And => ir::BinOp::And,
                BinOp::Or => ir::BinOp::Or,
                BinOp::Xor => ir::BinOp::Xor,
            }
        };
        self.set_contract(contract);
        // The operands of narrower types were promoted to int. Vectors of int are not indices.
        let overflows = match op {
            ir::BinOp::IAdd | ir::BinOp::ISub | ir::BinOp::IMul => {
                self.speculates || lanes > 1 || !matches!(scalar, Scalar::Int | Scalar::Long)
            }
            _ => true,
        };
        Ok(match overflows {
            true => self.b.binary(op, lhs, rhs),
            false => self.b.binary_no_wrap(op, lhs, rhs),
        })
    }

    /// Emits arithmetic on a matrix and another one, or a number.
    fn on_matrices(&mut self, op: BinOp, lhs: Value, rhs: Value, m: MatrixType) -> Lowered<Value> {
        let ty = self.b.func.ty(lhs);
        let is_float = m.component.is_float();
        let each = match op {
            _ if self.b.func.ty(rhs) != ty => MatrixOp::Scale,
            BinOp::Add if is_float => MatrixOp::Each(MatrixEach::FAdd),
            BinOp::Add => MatrixOp::Each(MatrixEach::IAdd),
            BinOp::Sub if is_float => MatrixOp::Each(MatrixEach::FSub),
            BinOp::Sub => MatrixOp::Each(MatrixEach::ISub),
            BinOp::Mul if is_float => MatrixOp::Each(MatrixEach::FMul),
            BinOp::Mul => MatrixOp::Each(MatrixEach::IMul),
            BinOp::Div if is_float => MatrixOp::Each(MatrixEach::FDiv),
            BinOp::Div if m.component.is_signed() => MatrixOp::Each(MatrixEach::SDiv),
            BinOp::Div => MatrixOp::Each(MatrixEach::UDiv),
            BinOp::Rem | BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor => {
                return broken("an operation that matrices do not have");
            }
        };
        let op = ir::Op::Intrinsic(Intrinsic::Matrix(each));
        Ok(self.b.value(op, [lhs, rhs], ty))
    }

    /// Emits a comparison of two operands of type `ty`.
    pub(super) fn comparison(&mut self, op: CmpOp, lhs: Value, rhs: Value, ty: TypeId) -> Lowered<Value> {
        use ir::CmpOp as C;
        let scalar = match *self.cx.program.types.get(ty) {
            Type::Scalar(s) | Type::Vector(s, _) => s,
            // Pointers are compared as unsigned addresses.
            Type::Pointer { .. } => Scalar::ULong,
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
            | Type::ReserveId => return broken("a comparison of what cannot be compared"),
        };
        let op = match (op, scalar.is_float(), scalar.is_signed()) {
            (CmpOp::Eq, true, _) => C::FOEq,
            (CmpOp::Ne, true, _) => C::FUNe,
            (CmpOp::Lt, true, _) => C::FOLt,
            (CmpOp::Le, true, _) => C::FOLe,
            (CmpOp::Gt, true, _) => C::FOGt,
            (CmpOp::Ge, true, _) => C::FOGe,
            (CmpOp::Eq, false, _) => C::IEq,
            (CmpOp::Ne, false, _) => C::INe,
            (CmpOp::Lt, false, true) => C::SLt,
            (CmpOp::Le, false, true) => C::SLe,
            (CmpOp::Gt, false, true) => C::SGt,
            (CmpOp::Ge, false, true) => C::SGe,
            (CmpOp::Lt, false, false) => C::ULt,
            (CmpOp::Le, false, false) => C::ULe,
            (CmpOp::Gt, false, false) => C::UGt,
            (CmpOp::Ge, false, false) => C::UGe,
        };
        Ok(self.b.compare(op, lhs, rhs))
    }

    /// Emits a conversion between two types.
    pub(super) fn conversion(&mut self, how: Convert, v: Value, from: TypeId, to: TypeId) -> Lowered<Value> {
        let have = self.b.func.ty(v);
        let want = self.ty(to)?;
        Ok(match how {
            // Matrices have no other conversion.
            Convert::Numeric if from == to => v,
            Convert::Numeric => {
                let (from, _) = types::lanes(&self.cx.program.types, from)?;
                let (to, _) = types::lanes(&self.cx.program.types, to)?;
                self.numeric(v, from, to, want)
            }
            Convert::Bits => self.reinterpret(v, want),
            Convert::PointerToInt => {
                let wide = self.b.cast(CastOp::PtrToInt, v, Ty::I64);
                if want == Ty::I64 {
                    wide
                } else {
                    self.b.cast(CastOp::Trunc, wide, want)
                }
            }
            Convert::IntToPointer => {
                let (from, _) = types::lanes(&self.cx.program.types, from)?;
                let wide = self.numeric(
                    v,
                    from,
                    if from.is_signed() {
                        Scalar::Long
                    } else {
                        Scalar::ULong
                    },
                    Ty::I64,
                );
                self.b.cast(CastOp::IntToPtr, wide, want)
            }
            Convert::Pointer if have == want => v,
            Convert::Pointer => self.b.cast(CastOp::PtrCast, v, want),
            Convert::PointerToBool => {
                let null = self.b.zero(have);
                self.b.compare(ir::CmpOp::INe, v, null)
            }
            Convert::Mask => self.b.cast(CastOp::SExt, v, want),
        })
    }

    fn numeric(&mut self, v: Value, from: Scalar, to: Scalar, want: Ty) -> Value {
        let have = self.b.func.ty(v);
        if from == to || have == want {
            return v;
        }
        self.set_contract(false);
        match (from, to) {
            (_, Scalar::Bool) => {
                let zero = self.b.zero(have);
                let op = if from.is_float() {
                    ir::CmpOp::FUNe
                } else {
                    ir::CmpOp::INe
                };
                self.b.compare(op, v, zero)
            }
            (Scalar::Bool, to) if to.is_float() => {
                let wide = self.b.cast(CastOp::ZExt, v, want.with_scalar(ir::Scalar::I32));
                self.b.cast(CastOp::UToF, wide, want)
            }
            (Scalar::Bool, _) => self.b.cast(CastOp::ZExt, v, want),
            (from, to) => {
                let op = match (from.is_float(), to.is_float()) {
                    (true, true) => CastOp::FConvert,
                    (true, false) if to.is_signed() => CastOp::FToS,
                    (true, false) => CastOp::FToU,
                    (false, true) if from.is_signed() => CastOp::SToF,
                    (false, true) => CastOp::UToF,
                    (false, false) if to.bytes() < from.bytes() => CastOp::Trunc,
                    (false, false) if from.is_signed() => CastOp::SExt,
                    (false, false) => CastOp::ZExt,
                };
                self.b.cast(op, v, want)
            }
        }
    }

    /// Emits `as_type`. Vectors with 3 lanes are treated as having 4, the last of which is undefined.
    fn reinterpret(&mut self, v: Value, want: Ty) -> Value {
        let have = self.b.func.ty(v);
        if have.bytes() == want.bytes() {
            return self.b.cast(CastOp::Bitcast, v, want);
        }
        let full = |lanes: u8| if lanes == 3 { 4 } else { lanes };
        let v = self.resize_vector(v, full(have.lanes));
        let v = self
            .b
            .cast(CastOp::Bitcast, v, Ty::vector(want.scalar, full(want.lanes)));
        self.resize_vector(v, want.lanes)
    }

    fn resize_vector(&mut self, v: Value, lanes: u8) -> Value {
        if self.b.func.ty(v).lanes == 1 || lanes == 1 {
            return v;
        }
        self.resize(v, lanes)
    }
}

/// Returns whether the values of a HIR type are compared as signed numbers; used for the case ranges of a
/// switch.
pub(super) fn is_signed(types: &hir::Types, ty: TypeId) -> Lowered<bool> {
    Ok(types::lanes(types, ty)?.0.is_signed())
}
