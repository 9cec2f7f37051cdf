//! Checks binary operators and assignments (6.3).

use super::convert::{Why, signed_of_width};
use super::{Lvalue, Reported, Result, Sema, builtin, fold};
use crate::hir::{BinOp, CmpOp, Convert, Expr, ExprKind, Place, PlaceKind, Scalar, Type, TypeId};
use crate::source::{Origin, Span};
use crate::syntax::ast::{self, BinaryOp};

/// The positions of an operation: the whole expression, and the operator, where messages point.
#[derive(Copy, Clone)]
pub(super) struct At {
    pub(super) span: Span,
    pub(super) op: Span,
}

/// Returns the spelling of an operator.
fn spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    }
}

enum Class {
    Arithmetic(BinOp),
    Integer(BinOp),
    Shift(BinOp),
    Compare(CmpOp),
    Logical { and: bool },
}

fn class(op: BinaryOp) -> Class {
    match op {
        BinaryOp::Add => Class::Arithmetic(BinOp::Add),
        BinaryOp::Sub => Class::Arithmetic(BinOp::Sub),
        BinaryOp::Mul => Class::Arithmetic(BinOp::Mul),
        BinaryOp::Div => Class::Arithmetic(BinOp::Div),
        BinaryOp::Rem => Class::Integer(BinOp::Rem),
        BinaryOp::BitAnd => Class::Integer(BinOp::And),
        BinaryOp::BitXor => Class::Integer(BinOp::Xor),
        BinaryOp::BitOr => Class::Integer(BinOp::Or),
        BinaryOp::Shl => Class::Shift(BinOp::Shl),
        BinaryOp::Shr => Class::Shift(BinOp::Shr),
        BinaryOp::Lt => Class::Compare(CmpOp::Lt),
        BinaryOp::Gt => Class::Compare(CmpOp::Gt),
        BinaryOp::Le => Class::Compare(CmpOp::Le),
        BinaryOp::Ge => Class::Compare(CmpOp::Ge),
        BinaryOp::Eq => Class::Compare(CmpOp::Eq),
        BinaryOp::Ne => Class::Compare(CmpOp::Ne),
        BinaryOp::LogicalAnd => Class::Logical { and: true },
        BinaryOp::LogicalOr => Class::Logical { and: false },
    }
}

pub(super) fn is_const(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Const(_))
}

impl Sema<'_> {
    /// Analyses `a op b`. Chains that lean to the left are processed without recursion.
    pub(super) fn binary(&mut self, op: BinaryOp, a: &ast::Expr, b: &ast::Expr, span: Span) -> Result<Expr> {
        let mut chain = vec![(op, b, span)];
        let mut first = a;
        while let ast::ExprKind::Binary(op, a, b) = &first.kind {
            chain.push((*op, b, first.span));
            first = a;
        }
        let mut lhs = self.value(first);
        let mut left = first.span;
        while let Some((op, b, span)) = chain.pop() {
            let rhs = self.value(b);
            lhs = match (lhs, rhs) {
                (Ok(l), Ok(r)) => {
                    let at = At {
                        span,
                        op: self.operator_span(left, b.span, spelling(op)),
                    };
                    self.binary_values(op, l, r, at)
                }
                (Err(e), _) | (_, Err(e)) => Err(e),
            };
            left = span;
        }
        lhs
    }

    /// Returns the position of the operator between two operands, or of both operands if they come from a
    /// macro.
    fn operator_span(&self, a: Span, b: Span, text: &str) -> Span {
        if a.file == b.file && a.hi <= b.lo {
            let between = Span {
                lo: a.hi,
                hi: b.lo,
                ..a
            };
            if let Some(at) = self.map.text(between).find(text) {
                let lo = a.hi + at as u32;
                return Span {
                    lo,
                    hi: lo + text.len() as u32,
                    origin: Origin::NONE,
                    ..a
                };
            }
        }
        a.to(b)
    }

    pub(super) fn invalid(&mut self, a: TypeId, b: TypeId, at: At) -> Reported {
        let (a, b) = (self.type_name(a), self.type_name(b));
        self.error(
            at.op,
            format!("invalid operands to binary expression ('{a}' and '{b}')"),
        )
    }

    fn contract(&self) -> bool {
        self.body.as_ref().is_some_and(|b| b.contract)
    }

    pub(super) fn binary_values(&mut self, op: BinaryOp, a: Expr, b: Expr, at: At) -> Result<Expr> {
        match class(op) {
            Class::Arithmetic(op) => self.arithmetic(op, a, b, at),
            Class::Integer(op) => {
                let (ta, tb) = (a.ty, b.ty);
                if !self.is_integer(ta) || !self.is_integer(tb) {
                    return Err(self.invalid(ta, tb, at));
                }
                self.arithmetic(op, a, b, at)
            }
            Class::Shift(op) => {
                let a = self.promote(a);
                let b = self.shift_count(b, a.ty, at)?;
                self.binary_node(op, a, b, at)
            }
            Class::Compare(op) => self.comparison(op, a, b, at),
            Class::Logical { and } => self.logical(and, a, b, at),
        }
    }

    fn is_integer(&self, ty: TypeId) -> bool {
        self.lanes(ty).is_some_and(|(s, _)| s.is_integer())
    }

    /// Builds an operation on two operands of one type, and folds it if both are constants.
    fn binary_node(&mut self, op: BinOp, a: Expr, b: Expr, at: At) -> Result<Expr> {
        let ty = a.ty;
        if let (ExprKind::Const(x), ExprKind::Const(y), Some((s, _))) = (&a.kind, &b.kind, self.lanes(ty)) {
            let lanes = x.iter().zip(y).map(|(&x, &y)| fold::binary(op, s, x, y));
            if let Some(bits) = lanes.collect::<Option<Vec<u64>>>() {
                return Ok(Expr {
                    kind: ExprKind::Const(bits),
                    ty,
                    span: at.span,
                });
            }
        }
        if let (BinOp::Div | BinOp::Rem, ExprKind::Const(y)) = (op, &b.kind)
            && y.contains(&0)
            && self.is_integer(ty)
        {
            let word = if op == BinOp::Div { "division" } else { "remainder" };
            self.warning(at.op, format!("{word} by zero is undefined"));
        }
        if op == BinOp::Div && builtin::divides_by_library(self, &b) {
            return builtin::division(self, a, b, at.span);
        }
        if self.body.is_some()
            && !self.contract()
            && let Some(flushed) = builtin::flushed(self, op, &a, &b, at.span)
        {
            return Ok(flushed);
        }
        Ok(Expr {
            kind: ExprKind::Binary {
                op,
                lhs: Box::new(a),
                rhs: Box::new(b),
                contract: self.contract(),
            },
            ty,
            span: at.span,
        })
    }

    fn arithmetic(&mut self, op: BinOp, a: Expr, b: Expr, at: At) -> Result<Expr> {
        let (ta, tb) = (a.ty, b.ty);
        let pointer = |s: &Self, t| matches!(s.ty(t), Type::Pointer { .. });
        match (pointer(self, ta), pointer(self, tb), op) {
            (false, false, _) => {}
            (true, true, BinOp::Sub) => return self.pointer_diff(a, b, at),
            (true, false, BinOp::Add | BinOp::Sub) if self.is_integer_scalar(tb) => {
                self.check_arithmetic_pointee(ta, at.op)?;
                let index = self.wide_index(b);
                return Ok(self.pointer_add(a, index, op == BinOp::Sub, at.span));
            }
            (false, true, BinOp::Add) if self.is_integer_scalar(ta) => {
                self.check_arithmetic_pointee(tb, at.op)?;
                let index = self.wide_index(a);
                return Ok(self.pointer_add(b, index, false, at.span));
            }
            _ => return Err(self.invalid(ta, tb, at)),
        }
        if self.as_matrix(ta).or(self.as_matrix(tb)).is_some() {
            return match self.matrix_operands(op == BinOp::Mul, a, b) {
                Some((a, b)) => Ok(Expr {
                    ty: a.ty,
                    span: at.span,
                    kind: ExprKind::Binary {
                        op,
                        lhs: Box::new(a),
                        rhs: Box::new(b),
                        contract: false,
                    },
                }),
                None => Err(self.invalid(ta, tb, at)),
            };
        }
        match self.usual(a, b, at.op)? {
            Some((a, b)) => self.binary_node(op, a, b, at),
            None => Err(self.invalid(ta, tb, at)),
        }
    }

    fn is_integer_scalar(&self, ty: TypeId) -> bool {
        matches!(self.ty(ty), Type::Scalar(s) if s.is_integer())
    }

    /// Checks that a pointer can be moved: its pointee must have a size, where void counts as one byte.
    pub(super) fn check_arithmetic_pointee(&mut self, ty: TypeId, span: Span) -> Result<()> {
        let Type::Pointer { pointee, .. } = *self.ty(ty) else {
            return Ok(());
        };
        if *self.ty(pointee) == Type::Void || self.program.types.size(pointee).is_some() {
            return Ok(());
        }
        let name = self.type_name(pointee);
        Err(self.error(
            span,
            format!("arithmetic on a pointer to an incomplete type '{name}'"),
        ))
    }

    /// Builds `ptr ± index`; the index is 64 bits wide.
    pub(super) fn pointer_add(&mut self, ptr: Expr, index: Expr, negate: bool, span: Span) -> Expr {
        let ty = ptr.ty;
        if matches!(&index.kind, ExprKind::Const(bits) if bits[..] == [0]) {
            return Expr { span, ..ptr };
        }
        if let Type::Pointer { pointee, space, .. } = *self.ty(ty)
            && *self.ty(pointee) == Type::Void
        {
            let chars = self.pointer_ty(self.common.char, space);
            let ptr = self.reinterpret(Convert::Pointer, ptr, chars);
            let moved = self.pointer_add(ptr, index, negate, span);
            return self.reinterpret(Convert::Pointer, moved, ty);
        }
        Expr {
            kind: ExprKind::PointerAdd {
                ptr: Box::new(ptr),
                index: Box::new(index),
                negate,
            },
            ty,
            span,
        }
    }

    fn pointer_diff(&mut self, a: Expr, b: Expr, at: At) -> Result<Expr> {
        let (
            &Type::Pointer {
                pointee: pa,
                space: sa,
                ..
            },
            &Type::Pointer {
                pointee: pb,
                space: sb,
                ..
            },
        ) = (self.ty(a.ty), self.ty(b.ty))
        else {
            return Err(self.invalid(a.ty, b.ty, at));
        };
        let space = Self::common_space(sa, sb);
        let Some(space) = space.filter(|_| self.same_but_qualifiers(pa, pb)) else {
            let (x, y) = (self.type_name(a.ty), self.type_name(b.ty));
            return Err(self.error(
                at.op,
                format!("'{x}' and '{y}' are not pointers to compatible types"),
            ));
        };
        self.check_arithmetic_pointee(a.ty, at.op)?;
        let (mut a, mut b) = (self.pointer_in(a, space), self.pointer_in(b, space));
        if *self.ty(pa) == Type::Void {
            let chars = self.pointer_ty(self.common.char, space);
            a = self.reinterpret(Convert::Pointer, a, chars);
            b = self.reinterpret(Convert::Pointer, b, chars);
        }
        let ty = a.ty;
        let b = self.reinterpret(Convert::Pointer, b, ty);
        let difference = Expr {
            kind: ExprKind::PointerDiff(Box::new(a), Box::new(b)),
            ty: self.common.long,
            span: at.span,
        };
        Ok(match self.in_library {
            true => difference,
            false => self.numeric(difference, self.common.difference),
        })
    }

    /// Converts the count of a shift to the type of the shifted operand (6.3.j).
    fn shift_count(&mut self, b: Expr, ty: TypeId, at: At) -> Result<Expr> {
        let (ta, tb) = (ty, b.ty);
        let (Some((sa, na)), Some((sb, nb))) = (self.lanes(ta), self.lanes(tb)) else {
            return Err(self.invalid(ta, tb, at));
        };
        if sa.is_float() || sb.is_float() {
            return Err(self.invalid(ta, tb, at));
        }
        match (na, nb) {
            (_, 1) => {
                let scalar = self.program.types.scalar(sa);
                let b = self.numeric(b, scalar);
                Ok(self.splat(b, ty))
            }
            (x, y) if x == y => Ok(self.numeric(b, ty)),
            (1, _) => Err(self.invalid(ta, tb, at)),
            _ => Err(self.error(at.op, "vector operands do not have the same number of elements")),
        }
    }

    fn comparison(&mut self, op: CmpOp, a: Expr, b: Expr, at: At) -> Result<Expr> {
        let (ta, tb) = (a.ty, b.ty);
        let pointer = |s: &Self, t| matches!(s.ty(t), Type::Pointer { .. });
        let (a, b) = match (pointer(self, ta), pointer(self, tb)) {
            (true, true) => self.comparable_pointers(a, b, at)?,
            (true, false) if self.is_integer_scalar(tb) => {
                let b = self.compared_integer(b, ta, (ta, tb), at);
                (a, b)
            }
            (false, true) if self.is_integer_scalar(ta) => {
                let a = self.compared_integer(a, tb, (ta, tb), at);
                (a, b)
            }
            (false, false) => match self.usual(a, b, at.op)? {
                Some(pair) => pair,
                None => return Err(self.invalid(ta, tb, at)),
            },
            _ => return Err(self.invalid(ta, tb, at)),
        };
        if matches!(self.ty(a.ty), Type::Vector(..)) {
            return Ok(self.compare_lanes(op, a, b, at.span));
        }
        let bool_ty = self.common.bool;
        let folded = match (self.ty(a.ty), &a.kind, &b.kind) {
            (&Type::Scalar(s), ExprKind::Const(x), ExprKind::Const(y)) => {
                Some(fold::compare(op, s, x[0], y[0]))
            }
            _ => None,
        };
        let e = match folded {
            Some(v) => self.const_bits(u64::from(v), bool_ty, at.span),
            None => Expr {
                kind: ExprKind::Compare(op, Box::new(a), Box::new(b)),
                ty: bool_ty,
                span: at.span,
            },
        };
        let int = self.common.int;
        Ok(self.numeric(e, int))
    }

    /// Converts an integer that is compared with a pointer. Any value other than 0 gets a warning.
    fn compared_integer(&mut self, e: Expr, ty: TypeId, types: (TypeId, TypeId), at: At) -> Expr {
        if !self.is_null(&e) {
            let (x, y) = (self.type_name(types.0), self.type_name(types.1));
            self.warning(
                at.op,
                format!("comparison between pointer and integer ('{x}' and '{y}')"),
            );
        }
        let e = self.wide_index(e);
        self.reinterpret(Convert::IntToPointer, e, ty)
    }

    fn comparable_pointers(&mut self, a: Expr, b: Expr, at: At) -> Result<(Expr, Expr)> {
        if self.is_null(&b) {
            let ty = a.ty;
            let b = self.reinterpret(Convert::Pointer, b, ty);
            return Ok((a, b));
        }
        if self.is_null(&a) {
            let ty = b.ty;
            let a = self.reinterpret(Convert::Pointer, a, ty);
            return Ok((a, b));
        }
        let (
            &Type::Pointer {
                pointee: pa,
                space: sa,
                ..
            },
            &Type::Pointer {
                pointee: pb,
                space: sb,
                ..
            },
        ) = (self.ty(a.ty), self.ty(b.ty))
        else {
            return Err(self.invalid(a.ty, b.ty, at));
        };
        let Some(space) = Self::common_space(sa, sb) else {
            let (x, y) = (self.type_name(a.ty), self.type_name(b.ty));
            return Err(self.error(
                at.op,
                format!(
                    "comparison between  ('{x}' and '{y}') which are pointers to non-overlapping address spaces"
                ),
            ));
        };
        let void = |s: &Self, t| *s.ty(t) == Type::Void;
        if !self.same_but_qualifiers(pa, pb) && !void(self, pa) && !void(self, pb) {
            let (x, y) = (self.type_name(a.ty), self.type_name(b.ty));
            self.warning(
                at.op,
                format!("comparison of distinct pointer types ('{x}' and '{y}')"),
            );
        }
        let a = self.pointer_in(a, space);
        let ty = a.ty;
        let b = self.reinterpret(Convert::Pointer, b, ty);
        Ok((a, b))
    }

    /// Compares vectors; the result is 0 or -1 in signed integers of the operand's width (6.3.d, 6.3.e).
    pub(super) fn compare_lanes(&mut self, op: CmpOp, a: Expr, b: Expr, span: Span) -> Expr {
        let Some((s, n)) = self.lanes(a.ty) else { return a };
        let ty = self.vector_ty(signed_of_width(s.bytes()), n);
        let mask = self.vector_ty(Scalar::Bool, n);
        let constant = is_const(&a) && is_const(&b);
        let e = Expr {
            kind: ExprKind::Convert(
                Convert::Mask,
                Box::new(Expr {
                    kind: ExprKind::Compare(op, Box::new(a), Box::new(b)),
                    ty: mask,
                    span,
                }),
            ),
            ty,
            span,
        };
        match constant.then(|| fold::eval(self, &e)).flatten() {
            Some(bits) => Expr {
                kind: ExprKind::Const(bits),
                ty,
                span,
            },
            None => e,
        }
    }

    fn logical(&mut self, and: bool, a: Expr, b: Expr, at: At) -> Result<Expr> {
        let (ta, tb) = (a.ty, b.ty);
        let vector = |s: &Self, t| matches!(s.ty(t), Type::Vector(..));
        let scalar = |s: &Self, t| matches!(s.ty(t), Type::Scalar(_) | Type::Pointer { .. });
        if vector(self, ta) || vector(self, tb) {
            let Some((a, b)) = self.usual(a, b, at.op)? else {
                return Err(self.invalid(ta, tb, at));
            };
            let a = self.truth_lanes(a, at.span);
            let b = self.truth_lanes(b, at.span);
            let op = if and { BinOp::And } else { BinOp::Or };
            return self.binary_node(op, a, b, at);
        }
        if !scalar(self, ta) || !scalar(self, tb) {
            return Err(self.invalid(ta, tb, at));
        }
        let (a, b) = (self.condition(a)?, self.condition(b)?);
        let bool_ty = self.common.bool;
        let folded = match (&a.kind, &b.kind) {
            (ExprKind::Const(x), ExprKind::Const(y)) if and => Some(x[0] & y[0]),
            (ExprKind::Const(x), ExprKind::Const(y)) => Some(x[0] | y[0]),
            _ => None,
        };
        let e = match folded {
            Some(bits) => self.const_bits(bits, bool_ty, at.span),
            None => {
                let (a, b) = (Box::new(a), Box::new(b));
                Expr {
                    kind: if and {
                        ExprKind::And(a, b)
                    } else {
                        ExprKind::Or(a, b)
                    },
                    ty: bool_ty,
                    span: at.span,
                }
            }
        };
        let int = self.common.int;
        Ok(self.numeric(e, int))
    }

    /// Returns 0 for lanes that are 0 and -1 for other lanes. The result of a comparison already has this
    /// form.
    fn truth_lanes(&mut self, e: Expr, span: Span) -> Expr {
        if matches!(e.kind, ExprKind::Convert(Convert::Mask, _)) {
            return e;
        }
        let zero = self.zero(e.ty, e.span);
        self.compare_lanes(CmpOp::Ne, e, zero, span)
    }

    /// Analyses `a = b` or `a op= b`.
    pub(super) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        // Both sides are analysed before an error in either ends the analysis.
        let l = self.modifiable(a, a.span);
        let r = self.value(b);
        let (l, r) = (l?, r?);
        if matches!(self.ty(l.place.ty), Type::Scalar(Scalar::Half)) && !self.has_half {
            let space = super::type_name::space_name(l.place.space);
            return Err(self.error(
                a.span,
                format!(
                    "assigning directly to pointer to type '{space} half' requires cl_khr_fp16. \
                     Use vector data store builtin functions instead"
                ),
            ));
        }
        let ty = l.place.ty;
        match op {
            None => {
                let r = self.convert(r, ty, Why::Assign)?;
                Ok(Expr {
                    kind: ExprKind::Assign(Box::new(l.place), Box::new(r)),
                    ty,
                    span,
                })
            }
            Some(op) => {
                let text = format!("{}=", spelling(op));
                let at = At {
                    span,
                    op: self.operator_span(a.span, b.span, &text),
                };
                self.compound_assign(op, l, r, at)
            }
        }
    }

    fn compound_assign(&mut self, op: BinaryOp, l: Lvalue, r: Expr, at: At) -> Result<Expr> {
        let (ty, tr) = (l.place.ty, r.ty);
        let bin = match class(op) {
            Class::Arithmetic(op) | Class::Integer(op) | Class::Shift(op) => op,
            Class::Compare(_) | Class::Logical { .. } => return Err(self.invalid(ty, tr, at)),
        };
        // Only the type of this expression matters.
        let stand_in = Expr {
            kind: ExprKind::StmtExpr(Vec::new(), None),
            ty,
            span: at.span,
        };
        let (compute, rhs) = match class(op) {
            Class::Arithmetic(BinOp::Add | BinOp::Sub) if matches!(self.ty(ty), Type::Pointer { .. }) => {
                if !self.is_integer_scalar(tr) {
                    return Err(self.invalid(ty, tr, at));
                }
                self.check_arithmetic_pointee(ty, at.op)?;
                (ty, self.wide_index(r))
            }
            Class::Shift(_) => {
                let compute = self.promote(stand_in).ty;
                let r = self.shift_count(r, compute, at)?;
                (compute, r)
            }
            Class::Arithmetic(op) if self.as_matrix(ty).is_some() => {
                match self.matrix_operands(op == BinOp::Mul, stand_in, r) {
                    Some((a, b)) => (a.ty, b),
                    None => return Err(self.invalid(ty, tr, at)),
                }
            }
            Class::Arithmetic(_) | Class::Integer(_) => {
                let integers = matches!(class(op), Class::Integer(_));
                if integers && (!self.is_integer(ty) || !self.is_integer(tr)) {
                    return Err(self.invalid(ty, tr, at));
                }
                if matches!(self.ty(ty), Type::Scalar(_)) && matches!(self.ty(tr), Type::Vector(..)) {
                    let (t, f) = (self.type_name(ty), self.type_name(tr));
                    return Err(self.error(at.op, format!("assigning to '{t}' from incompatible type '{f}'")));
                }
                match self.usual(stand_in, r, at.op)? {
                    Some((a, b)) => (a.ty, b),
                    None => return Err(self.invalid(ty, tr, at)),
                }
            }
            Class::Compare(_) | Class::Logical { .. } => return Err(self.invalid(ty, tr, at)),
        };
        if let (BinOp::Div | BinOp::Rem, ExprKind::Const(y)) = (bin, &rhs.kind)
            && y.contains(&0)
            && self.is_integer(compute)
        {
            let word = if bin == BinOp::Div {
                "division"
            } else {
                "remainder"
            };
            self.warning(at.op, format!("{word} by zero is undefined"));
        }
        // Uses the library's division if the place can be evaluated twice.
        if bin == BinOp::Div
            && compute == ty
            && is_plain(&l.place)
            && !l.place.is_volatile
            && builtin::divides_by_library(self, &rhs)
        {
            let old = self.load(l.place.clone());
            let quotient = builtin::division(self, old, rhs, at.span)?;
            return Ok(Expr {
                kind: ExprKind::Assign(Box::new(l.place), Box::new(quotient)),
                ty,
                span: at.span,
            });
        }
        Ok(Expr {
            kind: ExprKind::CompoundAssign {
                place: Box::new(l.place),
                op: bin,
                rhs: Box::new(rhs),
                compute,
                contract: self.contract(),
            },
            ty,
            span: at.span,
        })
    }
}

/// Returns whether a place is a variable or a part of one, so that evaluating it twice has no further effect.
fn is_plain(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Member { base, .. } | PlaceKind::Lanes { base, .. } => is_plain(base),
        PlaceKind::Deref { .. }
        | PlaceKind::Index { .. }
        | PlaceKind::DynamicLane { .. }
        | PlaceKind::Temporary(_)
        | PlaceKind::Literal(..) => false,
    }
}
