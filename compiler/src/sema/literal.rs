//! Analyses constants and literals (C99 6.4.4, 6.4.5; 6.1.6 vector literals; compound literals).

use super::convert::Why;
use super::{Lvalue, Operand, Result, Sema};
use crate::hir::{Expr, ExprKind, Place, PlaceKind, Scalar, Space, Type, TypeId, value};
use crate::pp::literal::Number;
use crate::pp::table::Value;
use crate::source::Span;
use crate::syntax::ast::{self, InitItem, TypeName};

impl Sema<'_> {
    /// Returns an integer literal of the first type in the list of C99 6.4.4.1 that can represent the value.
    pub(super) fn int_literal(
        &mut self,
        value: u64,
        unsigned: bool,
        long: bool,
        decimal: bool,
        overflow: bool,
        span: Span,
    ) -> Result<Expr> {
        if overflow {
            return Err(self.error(
                span,
                "integer literal is too large to be represented in any integer type",
            ));
        }
        let scalar = integer_type(value, unsigned, long, decimal);
        if scalar == Scalar::ULong && decimal && !unsigned {
            self.warning(
                span,
                "integer literal is too large to be represented in a signed integer type, \
                 interpreting as unsigned",
            );
        }
        let ty = self.program.types.scalar(scalar);
        Ok(self.const_bits(value, ty, span))
    }

    /// Returns the negative of `9223372036854775808` as the smallest `long`, and `None` for all other operands. No type
    /// of the list in C99 6.4.4.1 can represent the literal, so it may have an extended one. Compilers that are made
    /// from Clang take a signed type of 128 bits, and programs count on the value that is written.
    pub(super) fn smallest_long(&mut self, operand: &ast::Expr, span: Span) -> Option<Expr> {
        let mut literal = operand;
        while let ast::ExprKind::Paren(inner) = &literal.kind {
            literal = inner;
        }
        let ast::ExprKind::Int {
            value: 0x8000_0000_0000_0000,
            unsigned: false,
            decimal: true,
            overflow: false,
            ..
        } = literal.kind
        else {
            return None;
        };
        self.warning(
            literal.span,
            "integer literal is too large to be represented in a signed integer type, \
             interpreting its negative as 'long'",
        );
        let ty = self.program.types.scalar(Scalar::Long);
        Some(self.const_bits(1 << 63, ty, span))
    }

    /// Returns the value and type of an element of a table, as [`Self::value`] computes it. Returns `None` if
    /// there is something to report, and for `half`.
    pub(super) fn plain_literal(&self, sign: Option<bool>, value: Value) -> Option<(u64, Scalar)> {
        let (bits, scalar) = match value {
            Value::Number(Number::Int(i)) => {
                let scalar = integer_type(i.value, i.unsigned, i.long, i.decimal);
                if i.overflow || (scalar == Scalar::ULong && i.decimal && !i.unsigned) {
                    return None;
                }
                (i.value, scalar)
            }
            Value::Number(Number::Float { half: true, .. }) => return None,
            Value::Number(Number::Float { value, single, .. }) => {
                let scalar = self.float_type(single);
                (value::float_bits(value, scalar), scalar)
            }
            Value::Char(c) => (u64::from(c as u32), Scalar::Int),
        };
        let is_minus = sign == Some(true);
        Some((
            if is_minus {
                value::negate(scalar, bits)
            } else {
                bits
            },
            scalar,
        ))
    }

    /// Returns the type of a floating-point literal that is not `half`.
    fn float_type(&self, single: bool) -> Scalar {
        if single || !self.has_double || (self.options.single_precision_constant && !self.in_library) {
            Scalar::Float
        } else {
            Scalar::Double
        }
    }

    /// Returns a floating-point literal. Without suffix its type is double, unless the target has no double
    /// or the user asked for single precision.
    pub(super) fn float_literal(&mut self, value: f64, single: bool, half: bool, span: Span) -> Result<Expr> {
        let scalar = if half {
            if !self.has_half {
                return Err(self.error(span, "half precision constant requires cl_khr_fp16"));
            }
            Scalar::Half
        } else {
            self.float_type(single)
        };
        let ty = self.program.types.scalar(scalar);
        Ok(self.const_bits(value::float_bits(value, scalar), ty, span))
    }

    /// Returns a string literal, which is a `__constant char` array.
    pub(super) fn string_literal(&mut self, bytes: &[u8], span: Span) -> Operand {
        let id = self.string_global(bytes, span);
        Operand::Place(Lvalue {
            is_const: true,
            is_temporary: false,
            place: Place {
                kind: PlaceKind::Global(id),
                ty: self.program.globals[id].ty,
                space: Space::Constant,
                is_volatile: false,
                span,
            },
        })
    }

    /// Analyses `(type)(a, b, …)`.
    pub(super) fn vector_literal(
        &mut self,
        name: &TypeName,
        parts: &[ast::Expr],
        span: Span,
    ) -> Result<Expr> {
        let ty = self.type_of_name(name)?.ty;
        if !matches!(self.ty(ty), Type::Vector(..)) {
            // This is a cast of a comma expression.
            let value = self.comma(parts, span)?;
            return self.cast(value, ty, span);
        }
        let mut values = Vec::with_capacity(parts.len());
        let mut failed = None;
        for p in parts {
            match self.value(p) {
                Ok(v) => values.push(v),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        self.build_vector(values, ty, span, true)
    }

    /// Builds a vector from scalars and shorter vectors in order (6.1.6). With `splat`, a single scalar fills
    /// all lanes.
    pub(super) fn build_vector(
        &mut self,
        mut values: Vec<Expr>,
        ty: TypeId,
        span: Span,
        splat: bool,
    ) -> Result<Expr> {
        let Type::Vector(scalar, lanes) = *self.ty(ty) else {
            return Err(self.error(span, "vector type expected"));
        };
        let elem = self.program.types.scalar(scalar);
        if let [only] = &mut values[..] {
            let is_vector = matches!(self.ty(only.ty), Type::Vector(..));
            if splat || (is_vector && only.ty == ty) {
                let mut only = std::mem::replace(only, self.const_int(0, span));
                if self.lanes(only.ty).is_some_and(|l| l == (Scalar::Bool, 1)) {
                    // As in clang, a bool component becomes 0 or 1; only a cast gives all ones (6.2.2).
                    only = self.numeric(only, elem);
                }
                return self.cast(only, ty, span);
            }
        }
        let mut total = 0u32;
        let mut parts = Vec::with_capacity(values.len());
        let mut all_const = true;
        for v in values {
            let part = match *self.ty(v.ty) {
                Type::Vector(s, n) => {
                    if s != scalar {
                        let (f, t) = (self.type_name(v.ty), self.type_name(elem));
                        return Err(self.error(
                            v.span,
                            format!("initializing '{t}' with an expression of incompatible type '{f}'"),
                        ));
                    }
                    total += u32::from(n);
                    v
                }
                _ => {
                    total += 1;
                    self.convert(v, elem, Why::Init)?
                }
            };
            all_const &= matches!(part.kind, ExprKind::Const(_));
            parts.push(part);
        }
        if total < u32::from(lanes) {
            return Err(self.error(
                span,
                format!(
                    "too few elements in vector initialization (expected {lanes} elements, have {total})"
                ),
            ));
        }
        if total > u32::from(lanes) {
            return Err(self.error(span, "excess elements in vector initializer"));
        }
        let kind = if all_const {
            let mut bits = Vec::with_capacity(usize::from(lanes));
            for p in parts {
                if let ExprKind::Const(b) = p.kind {
                    bits.extend(b);
                }
            }
            ExprKind::Const(bits)
        } else {
            ExprKind::Vector(parts)
        };
        Ok(Expr { kind, ty, span })
    }

    /// Analyses `(type){…}`, which is an unnamed object. Vectors and scalars become plain values, unless
    /// their address is taken (`as_object`).
    pub(super) fn compound_literal(
        &mut self,
        name: &TypeName,
        items: &[InitItem],
        span: Span,
        as_object: bool,
    ) -> Result<Operand> {
        let q = self.type_of_name(name)?;
        // 6.9.b, 6.12.14.1: only parameters and declared constants can have these types.
        if matches!(self.ty(q.ty), Type::Image { .. } | Type::Sampler) {
            let t = self.type_name(q.ty);
            return Err(self.error(
                span,
                format!("compound literal of type '{t}' is not allowed in OpenCL"),
            ));
        }
        let (ty, init) = self.braced(q.ty, items, span)?;
        self.complete(ty, span, "compound literal")?;
        let is_plain = matches!(
            self.ty(ty),
            Type::Scalar(_) | Type::Vector(..) | Type::Pointer { .. }
        );
        let at_file_scope = self.body.is_none();
        if is_plain && (!as_object || at_file_scope) {
            let value = init.stores.into_iter().next_back().map(|(_, e)| e);
            let value = value.unwrap_or_else(|| self.zero(ty, span));
            return Ok(Operand::Value(Expr { span, ..value }));
        }
        let place = if at_file_scope {
            // An address in a program-scope initializer requires an object with static lifetime.
            let id = self.constant_object(ty, &init, span)?;
            Place {
                kind: PlaceKind::Global(id),
                ty,
                space: Space::Constant,
                is_volatile: false,
                span,
            }
        } else {
            let id = self.fresh_local("", ty, span)?;
            Place {
                kind: PlaceKind::Literal(id, Box::new(init)),
                ty,
                space: Space::Private,
                is_volatile: q.is_volatile,
                span,
            }
        };
        Ok(Operand::Place(Lvalue {
            is_const: q.is_const || place.space == Space::Constant,
            is_temporary: false,
            place,
        }))
    }

    /// Returns the zero of a scalar, vector or pointer type.
    pub(super) fn zero(&self, ty: TypeId, span: Span) -> Expr {
        let n = self.lanes(ty).map_or(1, |(_, n)| n);
        Expr {
            kind: ExprKind::Const(vec![0; usize::from(n)]),
            ty,
            span,
        }
    }
}

/// Returns the first type in the list of C99 6.4.4.1 that can represent the value of an integer literal, or
/// `ulong`.
fn integer_type(value: u64, unsigned: bool, long: bool, decimal: bool) -> Scalar {
    let fits_int = value <= i32::MAX as u64;
    let fits_uint = u32::try_from(value).is_ok();
    let fits_long = value <= i64::MAX as u64;
    if !long && !unsigned && fits_int {
        Scalar::Int
    } else if !long && fits_uint && (unsigned || !decimal) {
        Scalar::UInt
    } else if !unsigned && fits_long {
        Scalar::Long
    } else {
        Scalar::ULong
    }
}
