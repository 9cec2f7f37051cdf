//! Conversions (6.2): lvalue conversion, promotions, usual arithmetic conversions, assignment conversion,
//! casts and conditions.

use super::builtin::matrix::resolve;
use super::{Lvalue, Operand, Reported, Result, Sema};
use crate::hir::{Convert, Expr, ExprKind, Place, PlaceKind, Scalar, Space, Type, TypeId, value};
use crate::source::Span;

/// The reason for an implicit conversion, which determines the message.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    Assign,
    Init,
    Pass,
    Return,
}

impl Sema<'_> {
    /// Performs lvalue conversion: reads an object, or turns an array into a pointer to its first element.
    pub(crate) fn rvalue(&mut self, op: Operand) -> Result<Expr> {
        match op {
            Operand::Value(e) => Ok(e),
            Operand::Place(l) => self.read(l),
            Operand::Function(span) => Err(self.error(span, "taking address of function is not allowed")),
        }
    }

    pub(super) fn read(&mut self, l: Lvalue) -> Result<Expr> {
        match *self.ty(l.place.ty) {
            Type::Array(..) | Type::IncompleteArray(_) => Ok(self.decay(l)),
            Type::Scalar(Scalar::Half) if !self.has_half => {
                let space = super::type_name::space_name(l.place.space);
                Err(self.error(
                    l.place.span,
                    format!(
                        "loading directly from pointer to type '{space} half' requires cl_khr_fp16. \
                         Use vector data load builtin functions instead"
                    ),
                ))
            }
            Type::Record(id) if self.program.types.records[id].fields.is_none() => {
                let name = self.type_name(l.place.ty);
                Err(self.error(
                    l.place.span,
                    format!("incomplete type '{name}' where a complete type is required"),
                ))
            }
            Type::Void => Err(self.error(l.place.span, "a value of type 'void' has no use here")),
            Type::Scalar(_)
            | Type::Vector(..)
            | Type::Pointer { .. }
            | Type::Record(_)
            | Type::Function { .. }
            | Type::Image { .. }
            | Type::Sampler
            | Type::Event
            | Type::Pipe { .. }
            | Type::Matrix(_)
            | Type::AnyMatrix
            | Type::ReserveId => match l.place.kind {
                // The value was only wrapped as a temporary object, so it is not in memory.
                PlaceKind::Temporary(e) => Ok(*e),
                PlaceKind::Local(_)
                | PlaceKind::Global(_)
                | PlaceKind::Deref { .. }
                | PlaceKind::Member { .. }
                | PlaceKind::Index { .. }
                | PlaceKind::Lanes { .. }
                | PlaceKind::DynamicLane { .. }
                | PlaceKind::Literal(..) => Ok(self.load(l.place)),
            },
        }
    }

    /// Returns a pointer to the first element of an array.
    pub(crate) fn decay(&mut self, l: Lvalue) -> Expr {
        let elem = match *self.ty(l.place.ty) {
            Type::Array(elem, _) | Type::IncompleteArray(elem) => elem,
            _ => l.place.ty,
        };
        let ty = self.program.types.intern(Type::Pointer {
            pointee: elem,
            space: l.place.space,
            is_const: l.is_const && l.place.space != Space::Constant,
            is_volatile: l.place.is_volatile,
            is_restrict: false,
            align: 0,
        });
        Expr {
            ty,
            span: l.place.span,
            kind: ExprKind::AddrOf(Box::new(l.place)),
        }
    }

    /// Wraps a value as an object without an address.
    pub(crate) fn temporary(&self, e: Expr) -> Lvalue {
        Lvalue {
            is_const: false,
            is_temporary: true,
            place: Place {
                ty: e.ty,
                space: Space::Private,
                is_volatile: false,
                span: e.span,
                kind: PlaceKind::Temporary(Box::new(e)),
            },
        }
    }

    /// Converts between arithmetic types with equal numbers of lanes. Constants are folded, and a conversion
    /// to the same type is omitted.
    pub(crate) fn numeric(&mut self, e: Expr, ty: TypeId) -> Expr {
        if e.ty == ty {
            return e;
        }
        let (Some((from, _)), Some((to, _))) = (self.lanes(e.ty), self.lanes(ty)) else {
            return e;
        };
        let span = e.span;
        if let ExprKind::Const(bits) = &e.kind {
            let bits = bits.iter().map(|&b| value::convert(b, from, to)).collect();
            return Expr {
                kind: ExprKind::Const(bits),
                ty,
                span,
            };
        }
        // The int result of a comparison is converted back to the `Bool` that it came from.
        if to == Scalar::Bool
            && let ExprKind::Convert(Convert::Numeric, inner) = e.kind
        {
            if inner.ty == ty {
                return *inner;
            }
            return Expr {
                kind: ExprKind::Convert(
                    Convert::Numeric,
                    Box::new(Expr {
                        kind: ExprKind::Convert(Convert::Numeric, inner),
                        ..e
                    }),
                ),
                ty,
                span,
            };
        }
        Expr {
            kind: ExprKind::Convert(Convert::Numeric, Box::new(e)),
            ty,
            span,
        }
    }

    /// Copies a scalar to all lanes of a vector type with the same element type.
    pub(crate) fn splat(&mut self, e: Expr, ty: TypeId) -> Expr {
        let span = e.span;
        let Some((_, n)) = self.lanes(ty) else { return e };
        if e.ty == ty {
            return e;
        }
        let kind = match e.kind {
            ExprKind::Const(bits) => ExprKind::Const(vec![bits[0]; usize::from(n)]),
            kind => ExprKind::Splat(Box::new(Expr { kind, ..e })),
        };
        Expr { kind, ty, span }
    }

    /// Converts between pointer types, or between pointers and integers, without checks.
    pub(crate) fn reinterpret(&mut self, how: Convert, e: Expr, ty: TypeId) -> Expr {
        if e.ty == ty {
            return e;
        }
        let span = e.span;
        let kind = match (how, e.kind) {
            (Convert::Pointer | Convert::IntToPointer, ExprKind::Const(bits)) => ExprKind::Const(bits),
            // A conversion to the generic address space and back stays, since the spaces may differ.
            (Convert::Pointer, ExprKind::Convert(Convert::Pointer, inner))
                if self.space_of(e.ty) == self.space_of(ty)
                    || self.space_of(e.ty) == self.space_of(inner.ty) =>
            {
                ExprKind::Convert(Convert::Pointer, inner)
            }
            (how, kind) => ExprKind::Convert(how, Box::new(Expr { kind, ..e })),
        };
        Expr { kind, ty, span }
    }

    /// Returns the address space that a pointer type leads to.
    fn space_of(&self, ty: TypeId) -> Option<Space> {
        match *self.ty(ty) {
            Type::Pointer { space, .. } => Some(space),
            _ => None,
        }
    }

    /// Performs the integer promotions (C99 6.3.1.1) on a scalar; other values are unchanged.
    pub(crate) fn promote(&mut self, e: Expr) -> Expr {
        match *self.ty(e.ty) {
            Type::Scalar(Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort) => {
                let int = self.common.int;
                self.numeric(e, int)
            }
            _ => e,
        }
    }

    /// Returns the common type of two arithmetic scalars (6.2.6; C99 6.3.1.8).
    pub(crate) fn common_scalar(a: Scalar, b: Scalar) -> Scalar {
        use Scalar::{Bool, Char, Double, Float, Half, Int, Long, Short, UChar, UInt, ULong, UShort};
        for s in [Double, Float, Half, ULong] {
            if a == s || b == s {
                return s;
            }
        }
        match (a, b) {
            (Long, _) | (_, Long) => Long,
            (UInt, _) | (_, UInt) => UInt,
            (
                Bool | Char | UChar | Short | UShort | Int | ULong | Half | Float | Double,
                Bool | Char | UChar | Short | UShort | Int | ULong | Half | Float | Double,
            ) => Int,
        }
    }

    /// Performs the usual arithmetic conversions (6.2.6) on two values. Returns `None`, without a report, if
    /// the operands do not match; only a scalar of too high a rank is reported here.
    pub(crate) fn usual(&mut self, a: Expr, b: Expr, span: Span) -> Result<Option<(Expr, Expr)>> {
        let (Some((sa, na)), Some((sb, nb))) = (self.lanes(a.ty), self.lanes(b.ty)) else {
            return Ok(None);
        };
        match (na, nb) {
            (1, 1) => {
                let ty = Self::common_scalar(sa, sb);
                let ty = self.program.types.scalar(ty);
                Ok(Some((self.numeric(a, ty), self.numeric(b, ty))))
            }
            (_, 1) => {
                let ty = a.ty;
                let b = self.widen(b, ty, span)?;
                Ok(Some((a, b)))
            }
            (1, _) => {
                let ty = b.ty;
                let a = self.widen(a, ty, span)?;
                Ok(Some((a, b)))
            }
            _ => Ok((a.ty == b.ty).then_some((a, b))),
        }
    }

    /// Converts and repeats a scalar operand whose other operand is a vector. The scalar must not have the
    /// higher rank.
    fn widen(&mut self, e: Expr, vector: TypeId, span: Span) -> Result<Expr> {
        let (Some((from, _)), Some((to, _))) = (self.lanes(e.ty), self.lanes(vector)) else {
            return Ok(e);
        };
        let higher = match (from.is_float(), to.is_float()) {
            (true, false) => true,
            (false, true) => false,
            (true, true) => from.bytes() > to.bytes(),
            (false, false) => {
                from.bytes() > to.bytes()
                    || (from.bytes() == to.bytes() && to.is_signed() && !from.is_signed())
            }
        };
        // Library code is written once for all element types: it uses `16 - k` also where `k` is a vector of
        // short.
        if higher && !self.in_library {
            let (v, s) = (self.type_name(vector), self.type_name(e.ty));
            return Err(self.error(
                span,
                format!(
                    "scalar operand type has greater rank than the type of the vector element. \
                     ('{v}' and '{s}')"
                ),
            ));
        }
        let scalar = self.program.types.scalar(to);
        let e = self.numeric(e, scalar);
        Ok(self.splat(e, vector))
    }

    /// Returns whether a value is a null pointer constant: the integer constant 0, or 0 cast to `void *`.
    pub(crate) fn is_null(&self, e: &Expr) -> bool {
        let zero = matches!(&e.kind, ExprKind::Const(bits) if bits[..] == [0]);
        zero && match *self.ty(e.ty) {
            Type::Scalar(s) => s.is_integer(),
            Type::Pointer { pointee, .. } => *self.ty(pointee) == Type::Void,
            _ => false,
        }
    }

    /// Converts a scalar or pointer to a condition of type `Bool`.
    pub(crate) fn condition(&mut self, e: Expr) -> Result<Expr> {
        let bool_ty = self.common.bool;
        match *self.ty(e.ty) {
            Type::Scalar(_) => Ok(self.numeric(e, bool_ty)),
            Type::Pointer { .. } => {
                let span = e.span;
                if let ExprKind::Const(bits) = &e.kind {
                    return Ok(self.const_bits(u64::from(bits[0] != 0), bool_ty, span));
                }
                Ok(self.reinterpret(Convert::PointerToBool, e, bool_ty))
            }
            _ => {
                let name = self.type_name(e.ty);
                Err(self.error(
                    e.span,
                    format!("used type '{name}' where arithmetic or pointer type is required"),
                ))
            }
        }
    }

    /// Converts a vector to a condition of `?:`, `&&` and similar operators: a vector of `Bool` that is true
    /// where the lane is not zero, or with `sign` where its sign bit is set.
    pub(crate) fn lane_condition(&mut self, e: Expr, sign: bool) -> Expr {
        let Some((s, n)) = self.lanes(e.ty) else { return e };
        if s == Scalar::Bool {
            return e;
        }
        if matches!(e.kind, ExprKind::Convert(Convert::Mask, _)) {
            let ExprKind::Convert(_, inner) = e.kind else {
                return e;
            };
            return *inner;
        }
        let span = e.span;
        let ty = self.vector_ty(Scalar::Bool, n);
        let zero = Expr {
            kind: ExprKind::Const(vec![0; usize::from(n)]),
            ty: e.ty,
            span,
        };
        if sign && !s.is_signed() {
            let signed = self.vector_ty(signed_of_width(s.bytes()), n);
            let e = self.reinterpret(Convert::Bits, e, signed);
            return self.lane_condition(e, true);
        }
        let op = if sign {
            crate::hir::CmpOp::Lt
        } else {
            crate::hir::CmpOp::Ne
        };
        Expr {
            kind: ExprKind::Compare(op, Box::new(e), Box::new(zero)),
            ty,
            span,
        }
    }

    /// Converts a value implicitly as if by assignment (6.2.1, 6.2.2, C99 6.5.16.1).
    pub(crate) fn convert(&mut self, e: Expr, ty: TypeId, why: Why) -> Result<Expr> {
        if e.ty == ty {
            return Ok(e);
        }
        match (self.ty(e.ty), self.ty(ty)) {
            (Type::Scalar(_), Type::Scalar(_)) => Ok(self.numeric(e, ty)),
            (Type::Scalar(_), &Type::Vector(s, _)) => {
                let scalar = self.program.types.scalar(s);
                let e = self.numeric(e, scalar);
                Ok(self.splat(e, ty))
            }
            (Type::Pointer { .. }, Type::Scalar(Scalar::Bool)) => self.condition(e),
            (Type::Pointer { .. }, Type::Pointer { .. }) => self.convert_pointer(e, ty, why),
            (Type::Scalar(_), Type::Pointer { .. }) if self.is_null(&e) => {
                Ok(self.reinterpret(Convert::IntToPointer, e, ty))
            }
            (Type::Scalar(s), Type::Pointer { .. }) if s.is_integer() => {
                Err(self.mismatch(&e, ty, why, "incompatible integer to pointer conversion "))
            }
            (Type::Pointer { .. }, Type::Scalar(s)) if s.is_integer() => {
                Err(self.mismatch(&e, ty, why, "incompatible pointer to integer conversion "))
            }
            (Type::Scalar(_), Type::Event | Type::ReserveId) if self.is_null(&e) => {
                Ok(self.reinterpret(Convert::IntToPointer, e, ty))
            }
            (Type::AnyMatrix, Type::Matrix(_)) => match resolve(self, e, ty)? {
                Ok(e) => Ok(e),
                Err(e) => Err(self.mismatch(&e, ty, why, "")),
            },
            // 6.12.14.1: a sampler is a constant. The initializer of a declaration has its own message.
            (Type::Scalar(s), Type::Sampler) if s.is_integer() => match self.int_value(&e) {
                Some(value) => {
                    let bits = self.const_bits(value as u64, self.common.uint, e.span);
                    Ok(self.reinterpret(Convert::Bits, bits, ty))
                }
                None if why == Why::Init => Ok(self.reinterpret(Convert::Bits, e, ty)),
                None => Err(self.mismatch(&e, ty, why, "")),
            },
            _ => Err(self.mismatch(&e, ty, why, "")),
        }
    }

    /// Ranks the conversion of a value for overload resolution; lower is better. Returns `None` if
    /// [`Self::convert`] would fail.
    pub(crate) fn conversion_rank(&self, e: &Expr, ty: TypeId) -> Option<u32> {
        if e.ty == ty {
            return Some(0);
        }
        match (self.ty(e.ty), self.ty(ty)) {
            (&Type::Scalar(a), &Type::Scalar(b)) => Some(match (a.is_float(), b.is_float()) {
                // Promotions rank before conversions.
                (false, false) if b == Scalar::Int && a.bytes() < 4 => 1,
                (true, true) if a.bytes() < b.bytes() => 1,
                (x, y) if x == y => 2,
                _ => 3,
            }),
            (Type::AnyMatrix, Type::Matrix(_)) => Some(1),
            (Type::Scalar(_), Type::Vector(..)) => Some(4),
            (Type::Scalar(_), Type::Pointer { .. }) => self.is_null(e).then_some(3),
            (
                &Type::Pointer {
                    pointee: a, space: x, ..
                },
                &Type::Pointer {
                    pointee: b, space: y, ..
                },
            ) => {
                if a == b && x == y {
                    Some(1)
                } else if self.is_null(e) {
                    Some(3)
                } else if (x == y || converts_to(x, y))
                    && (a == b || *self.ty(a) == Type::Void || *self.ty(b) == Type::Void)
                {
                    Some(2)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    fn convert_pointer(&mut self, e: Expr, ty: TypeId, why: Why) -> Result<Expr> {
        let (
            &Type::Pointer {
                pointee: from,
                space: from_space,
                is_const: fc,
                is_volatile: fv,
                ..
            },
            &Type::Pointer {
                pointee: to,
                space: to_space,
                is_const: tc,
                is_volatile: tv,
                ..
            },
        ) = (self.ty(e.ty), self.ty(ty))
        else {
            return Err(self.mismatch(&e, ty, why, ""));
        };
        if self.is_null(&e) {
            return Ok(self.reinterpret(Convert::Pointer, e, ty));
        }
        if from_space != to_space && !converts_to(from_space, to_space) {
            let (f, t) = (self.type_name(e.ty), self.type_name(ty));
            let message = format!("{} changes address space of pointer", phrase(why, &f, &t));
            return Err(self.error(e.span, message));
        }
        let is_void = |s: &Self, t| *s.ty(t) == Type::Void;
        if from != to && !is_void(self, from) && !is_void(self, to) {
            if self.nested_space_differs(from, to) {
                let (f, t) = (self.type_name(e.ty), self.type_name(ty));
                let message = format!("{} changes address space of nested pointer", phrase(why, &f, &t));
                return Err(self.error(e.span, message));
            }
            if !self.same_but_qualifiers(from, to) {
                let (f, t) = (self.type_name(e.ty), self.type_name(ty));
                let message = if self.same_but_sign(from, to) {
                    format!(
                        "{} converts between pointers to integer types with different sign",
                        phrase(why, &f, &t)
                    )
                } else {
                    format!("incompatible pointer types {}", phrase(why, &f, &t))
                };
                self.warning(e.span, message);
            }
        }
        if (fc && !tc) || (fv && !tv) {
            let (f, t) = (self.type_name(e.ty), self.type_name(ty));
            self.warning(e.span, format!("{} discards qualifiers", phrase(why, &f, &t)));
        }
        Ok(self.reinterpret(Convert::Pointer, e, ty))
    }

    /// Returns whether two types are pointers into different address spaces at any level.
    pub(crate) fn nested_space_differs(&self, mut a: TypeId, mut b: TypeId) -> bool {
        while let (
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
        ) = (self.ty(a), self.ty(b))
        {
            if sa != sb {
                return true;
            }
            (a, b) = (pa, pb);
        }
        false
    }

    /// Returns whether types are equal except for qualifiers of inner pointees; an array of unknown length
    /// also matches one of known length.
    pub(crate) fn same_but_qualifiers(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.ty(a), self.ty(b)) {
            (
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
            ) => sa == sb && self.same_but_qualifiers(pa, pb),
            (&Type::Array(x, n), &Type::Array(y, m)) => n == m && self.same_but_qualifiers(x, y),
            (
                &(Type::Array(x, _) | Type::IncompleteArray(x)),
                &(Type::Array(y, _) | Type::IncompleteArray(y)),
            ) => self.same_but_qualifiers(x, y),
            _ => false,
        }
    }

    fn same_but_sign(&self, a: TypeId, b: TypeId) -> bool {
        match (self.lanes(a), self.lanes(b)) {
            (Some((x, n)), Some((y, m))) => {
                n == m && x.bytes() == y.bytes() && x.is_integer() && y.is_integer()
            }
            _ => false,
        }
    }

    fn mismatch(&mut self, e: &Expr, ty: TypeId, why: Why, prefix: &str) -> Reported {
        let (f, t) = (self.type_name(e.ty), self.type_name(ty));
        let message = if prefix.is_empty() {
            match why {
                Why::Assign => format!("assigning to '{t}' from incompatible type '{f}'"),
                Why::Init => format!("initializing '{t}' with an expression of incompatible type '{f}'"),
                Why::Pass => format!("passing '{f}' to parameter of incompatible type '{t}'"),
                Why::Return => {
                    format!("returning '{f}' from a function with incompatible result type '{t}'")
                }
            }
        } else {
            format!("{prefix}{}", phrase(why, &f, &t))
        };
        self.error(e.span, message)
    }

    /// Analyses a cast `(type)value` (6.2.2, 6.2.3).
    pub(crate) fn cast(&mut self, e: Expr, ty: TypeId, span: Span) -> Result<Expr> {
        let e = Expr { span, ..e };
        if *self.ty(e.ty) == Type::AnyMatrix {
            return self.convert(e, ty, Why::Assign);
        }
        if e.ty == ty || *self.ty(ty) == Type::Void {
            return Ok(Expr { ty, ..e });
        }
        match (self.ty(e.ty), self.ty(ty)) {
            (Type::Scalar(_), Type::Scalar(_)) => Ok(self.numeric(e, ty)),
            (Type::Scalar(Scalar::Bool), &Type::Vector(s, n)) if s.is_integer() => {
                // 6.2.2: a bool is cast to a vector of all ones or all zeros.
                let mask = self.vector_ty(Scalar::Bool, n);
                let e = self.splat(e, mask);
                Ok(Expr {
                    kind: ExprKind::Convert(Convert::Mask, Box::new(e)),
                    ty,
                    span,
                })
            }
            (Type::Scalar(_), &Type::Vector(s, _)) => {
                let scalar = self.program.types.scalar(s);
                let e = self.numeric(e, scalar);
                Ok(self.splat(e, ty))
            }
            (Type::Vector(..), Type::Vector(..)) => {
                let (f, t) = (self.type_name(e.ty), self.type_name(ty));
                Err(self.error(
                    span,
                    format!("invalid conversion between ext-vector type '{t}' and '{f}'"),
                ))
            }
            (
                &Type::Pointer {
                    pointee: a, space: x, ..
                },
                &Type::Pointer {
                    pointee: b, space: y, ..
                },
            ) => self.cast_pointer(e, ty, [(a, x), (b, y)], span),
            (Type::Scalar(s), Type::Pointer { .. }) if s.is_integer() => {
                let wide = if s.is_signed() {
                    self.common.long
                } else {
                    self.common.ulong
                };
                let e = self.numeric(e, wide);
                Ok(self.reinterpret(Convert::IntToPointer, e, ty))
            }
            (Type::Pointer { .. }, Type::Scalar(Scalar::Bool)) => self.condition(e),
            (Type::Pointer { .. }, Type::Scalar(s)) if s.is_integer() => {
                let e = match e.kind {
                    ExprKind::Const(bits) => Expr {
                        kind: ExprKind::Const(bits),
                        ty: self.common.ulong,
                        span,
                    },
                    kind => Expr {
                        kind: ExprKind::Convert(Convert::PointerToInt, Box::new(Expr { kind, ..e })),
                        ty: self.common.ulong,
                        span,
                    },
                };
                Ok(self.numeric(e, ty))
            }
            (Type::Scalar(_), Type::Event | Type::ReserveId | Type::Sampler) => {
                self.convert(e, ty, Why::Assign)
            }
            (Type::Scalar(_) | Type::Vector(..) | Type::Pointer { .. }, _) => {
                let (f, t) = (self.type_name(e.ty), self.type_name(ty));
                let message = match self.ty(ty) {
                    Type::Record(_) | Type::Array(..) | Type::IncompleteArray(_) => {
                        format!("used type '{t}' where arithmetic, pointer, or vector type is required")
                    }
                    _ => format!("operand of type '{f}' cannot be cast to type '{t}'"),
                };
                Err(self.error(span, message))
            }
            _ => {
                let f = self.type_name(e.ty);
                Err(self.error(
                    span,
                    format!("operand of type '{f}' where arithmetic or pointer type is required"),
                ))
            }
        }
    }

    /// Analyses a cast between pointer types.
    fn cast_pointer(
        &mut self,
        e: Expr,
        ty: TypeId,
        [a, b]: [(TypeId, Space); 2],
        span: Span,
    ) -> Result<Expr> {
        let related = Sema::common_space(a.1, b.1).is_some();
        if !related && !self.is_null(&e) {
            let (f, t) = (self.type_name(e.ty), self.type_name(ty));
            return Err(self.error(
                span,
                format!("casting '{f}' to type '{t}' changes address space of pointer"),
            ));
        }
        if self.nested_space_differs(a.0, b.0) {
            let (f, t) = (self.type_name(e.ty), self.type_name(ty));
            self.warning(
                span,
                format!("casting '{f}' to type '{t}' discards qualifiers in nested pointer types"),
            );
        }
        Ok(self.reinterpret(Convert::Pointer, e, ty))
    }
}

/// Returns the signed integer type of a width.
pub(crate) fn signed_of_width(bytes: u32) -> Scalar {
    match bytes {
        1 => Scalar::Char,
        2 => Scalar::Short,
        4 => Scalar::Int,
        _ => Scalar::Long,
    }
}

/// Returns whether pointers to one address space are implicitly converted to another (6.7.5 of OpenCL C 3.0).
fn converts_to(from: Space, to: Space) -> bool {
    to == Space::Generic && matches!(from, Space::Private | Space::Local | Space::Global)
}

fn phrase(why: Why, from: &str, to: &str) -> String {
    match why {
        Why::Assign => format!("assigning to '{to}' from '{from}'"),
        Why::Init => format!("initializing '{to}' with an expression of type '{from}'"),
        Why::Pass => format!("passing '{from}' to parameter of type '{to}'"),
        Why::Return => format!("returning '{from}' from a function with result type '{to}'"),
    }
}
