//! Arithmetic, comparisons and conversions: translation of typed HIR operations to signless IR operations.
//!
//! FP_CONTRACT ON allows contraction within one expression (C99 6.5 paragraph 8, OpenCL C 1.2 6.12.2). Only
//! this stage knows the expression that an operation came from. It therefore sets the IR's flag only on
//! products that are operands of an addition or subtraction, and on that addition or subtraction.
//! `-cl-mad-enable` and the options that include it set the flag on all operations.

use super::func::FuncLowering;
use super::{Lowered, broken, types};
use crate::hir::ty::MatrixType;
use crate::hir::{BinOp, CmpOp, Convert, Expr, ExprKind, Scalar, Type, TypeId, value};
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

    /// Returns the value of an operand of an operator. If the operator `fuses`, products among its operands
    /// may be contracted.
    pub(super) fn operand(&mut self, e: &Expr, fuses: bool) -> Lowered<Value> {
        match &e.kind {
            ExprKind::Binary { lhs, rhs, .. } if fuses && is_product(e) => {
                let lhs = self.value(lhs)?;
                let rhs = self.value(rhs)?;
                let outer = std::mem::replace(&mut self.b.span, e.span);
                let product = self.arithmetic(BinOp::Mul, lhs, rhs, e.ty, true, true);
                self.b.span = outer;
                product
            }
            _ => self.value(e),
        }
    }

    /// Emits `lhs op rhs`, where all types are `ty`; `rhs` may also be a number by which a matrix is multiplied.
    /// `contract`: FP_CONTRACT is on. `fuses`: the operator can be fused with one of its operands, or with the operator
    /// whose operand it is.
    pub(super) fn arithmetic(
        &mut self,
        op: BinOp,
        lhs: Value,
        rhs: Value,
        ty: TypeId,
        contract: bool,
        fuses: bool,
    ) -> Lowered<Value> {
        if let Type::Matrix(m) = *self.cx.program.types.get(ty) {
            return self.on_matrices(op, lhs, rhs, m);
        }
        let (scalar, lanes) = types::lanes(&self.cx.program.types, ty)?;
        let Some(op) = op.in_ir(scalar) else {
            return broken("a bit operation on floating-point numbers");
        };
        self.set_contract(fuses || contract && self.cx.relaxed.contract);
        self.b.fp.loose = scalar == Scalar::Float
            && !self.source.is_library
            && match op {
                ir::BinOp::FDiv => self.cx.relaxed.loose,
                _ => !contract,
            };
        // The operands of narrower types were promoted to int. Vectors of int are not indices.
        let overflows = match op {
            ir::BinOp::IAdd | ir::BinOp::ISub | ir::BinOp::IMul => {
                self.speculates || lanes > 1 || !matches!(scalar, Scalar::Int | Scalar::Long)
            }
            _ => true,
        };
        let value = match overflows {
            true => self.b.binary(op, lhs, rhs),
            false => self.b.binary_no_wrap(op, lhs, rhs),
        };
        self.b.fp.loose = false;
        Ok(value)
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
        self.set_contract(false);
        Ok(self.b.compare(op.in_ir(scalar), lhs, rhs))
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
                self.b.compare(CmpOp::Ne.in_ir(from), v, zero)
            }
            (Scalar::Bool, to) if to.is_float() => {
                let wide = self.b.cast(CastOp::ZExt, v, want.with_scalar(ir::Scalar::I32));
                self.b.cast(CastOp::UToF, wide, want)
            }
            (from, to) => self.b.cast(value::cast(from, to), v, want),
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
