//! Analyses members and vector components (6.1.7) and subscripts.

use super::{Lvalue, Operand, Result, Sema};
use crate::diag::Diag;
use crate::hir::{Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::source::Span;
use crate::suggest;
use crate::syntax::ast::{self, Ident};

impl Sema<'_> {
    /// Analyses `base.name`.
    pub(super) fn member_access(&mut self, base: &ast::Expr, name: &Ident, span: Span) -> Result<Operand> {
        let base = self.operand(base)?;
        let ty = match &base {
            Operand::Value(e) => e.ty,
            Operand::Place(l) => l.place.ty,
            Operand::Function(at) => {
                let at = *at;
                return Err(self.error(at, "member reference base type is not a structure or union"));
            }
        };
        match *self.ty(ty) {
            Type::Vector(s, n) => self.components(base, s, n, name, span),
            Type::Record(_) => {
                let l = match base {
                    Operand::Place(l) => l,
                    Operand::Value(e) => self.temporary(e),
                    Operand::Function(at) => {
                        return Err(self.error(at, "member reference base type is not a structure or union"));
                    }
                };
                self.field(l, name, span).map(Operand::Place)
            }
            Type::Pointer { pointee, .. } if matches!(self.ty(pointee), Type::Record(_)) => {
                let t = self.type_name(ty);
                Err(self.error(
                    name.span,
                    format!("member reference type '{t}' is a pointer; did you mean to use '->'?"),
                ))
            }
            _ => {
                let t = self.type_name(ty);
                Err(self.error(
                    name.span,
                    format!("member reference base type '{t}' is not a structure or union"),
                ))
            }
        }
    }

    /// Analyses `base->name`.
    pub(super) fn arrow(&mut self, base: &ast::Expr, name: &Ident, span: Span) -> Result<Operand> {
        let ptr = self.value(base)?;
        let Type::Pointer { pointee, .. } = *self.ty(ptr.ty) else {
            let t = self.type_name(ptr.ty);
            let hint = if matches!(self.ty(ptr.ty), Type::Record(_)) {
                "; did you mean to use '.'?"
            } else {
                ""
            };
            return Err(self.error(
                name.span,
                format!("member reference type '{t}' is not a pointer{hint}"),
            ));
        };
        let mut l = self.deref(ptr, None);
        l.place.span = span;
        match *self.ty(pointee) {
            Type::Vector(s, n) => self.components(Operand::Place(l), s, n, name, span),
            Type::Record(_) => self.field(l, name, span).map(Operand::Place),
            _ => {
                let t = self.type_name(pointee);
                Err(self.error(
                    name.span,
                    format!("member reference base type '{t}' is not a structure or union"),
                ))
            }
        }
    }

    pub(super) fn field(&mut self, base: Lvalue, name: &Ident, span: Span) -> Result<Lvalue> {
        let Type::Record(id) = *self.ty(base.place.ty) else {
            return Err(self.error(span, "member reference base type is not a structure or union"));
        };
        if self.program.types.records[id].fields.is_none() {
            let t = self.type_name(base.place.ty);
            return Err(self.error(base.place.span, format!("incomplete definition of type '{t}'")));
        }
        let Some(f) = self.find_field(id, &name.name) else {
            let t = self.type_name(base.place.ty);
            let mut d = Diag::error(name.span, format!("no member named '{}' in '{t}'", name.name));
            let mut names = Vec::new();
            self.member_names(id, &mut names);
            if let Some(n) = suggest::nearest(&name.name, names.iter().map(String::as_str)) {
                d.message.push_str(&format!("; did you mean '{n}'?"));
            }
            return Err(self.report(d));
        };
        Ok(Lvalue {
            is_const: base.is_const || f.is_const,
            is_temporary: base.is_temporary,
            place: Place {
                ty: f.ty,
                space: base.place.space,
                is_volatile: base.place.is_volatile || f.is_volatile,
                span,
                kind: PlaceKind::Member {
                    base: Box::new(base.place),
                    offset: f.offset,
                },
            },
        })
    }

    fn components(&mut self, base: Operand, s: Scalar, n: u8, name: &Ident, span: Span) -> Result<Operand> {
        let lanes = match lanes_of(&name.name, n) {
            Ok(lanes) => lanes,
            Err(Bad::Name(c)) => {
                return Err(self.error(name.span, format!("illegal vector component name '{c}'")));
            }
            Err(Bad::Range) => {
                return Err(self.error(
                    name.span,
                    format!("vector component access exceeds type '{}{n}'", s.name()),
                ));
            }
            Err(Bad::Length(len)) => {
                return Err(self.error(
                    name.span,
                    format!("vector component access has invalid length {len}.  Supported: 1,2,3,4,8,16."),
                ));
            }
        };
        let ty = self.vector_ty(s, lanes.len() as u8);
        match base {
            Operand::Place(l) if !l.is_temporary => {
                Ok(Operand::Place(self.lanes_of_place(l, lanes, ty, span)))
            }
            other => {
                let e = self.rvalue(other)?;
                let lanes = lanes.into_iter().map(|l| l.min(n - 1)).collect();
                Ok(Operand::Value(swizzle(e, lanes, ty, span)))
            }
        }
    }

    fn lanes_of_place(&self, l: Lvalue, mut lanes: Vec<u8>, ty: crate::hir::TypeId, span: Span) -> Lvalue {
        // Lanes selected from selected lanes are lanes of the vector itself.
        let (base, outer) = match l.place {
            Place {
                kind: PlaceKind::Lanes { base, lanes: outer },
                ..
            } => (base, Some(outer)),
            place => (Box::new(place), None),
        };
        if let Some(outer) = outer {
            for lane in &mut lanes {
                *lane = outer.get(usize::from(*lane)).copied().unwrap_or(NOWHERE);
            }
        }
        Lvalue {
            is_const: l.is_const,
            is_temporary: l.is_temporary,
            place: Place {
                ty,
                space: base.space,
                is_volatile: base.is_volatile,
                span,
                kind: PlaceKind::Lanes { base, lanes },
            },
        }
    }

    /// Analyses `a[i]` with the operands in either order.
    pub(super) fn subscript(&mut self, a: &ast::Expr, i: &ast::Expr, span: Span) -> Result<Operand> {
        let a_span = a.span;
        let (a, i) = (self.operand(a), self.value(i));
        let (mut a, mut i) = (a?, i?);
        // `i[a]` has the same meaning.
        if !self.is_subscriptable(&a) {
            let i_op = Operand::Value(i);
            if !self.is_subscriptable(&i_op) {
                return Err(self.error(a_span, "subscripted value is not an array, pointer, or vector"));
            }
            i = self.rvalue(a)?;
            a = i_op;
        }
        if !matches!(self.ty(i.ty), Type::Scalar(s) if s.is_integer()) {
            return Err(self.error(i.span, "array subscript is not an integer"));
        }
        let index = self.wide_index(i);
        let vector = match &a {
            Operand::Place(l) => self.lanes_of_vector(l.place.ty),
            Operand::Value(e) => self.lanes_of_vector(e.ty),
            Operand::Function(..) => None,
        };
        if let Some((s, n)) = vector {
            return self.lane_at(a, index, s, n, span);
        }
        match a {
            Operand::Place(l) if matches!(self.ty(l.place.ty), Type::Array(..)) => {
                let Type::Array(elem, _) = *self.ty(l.place.ty) else {
                    return Err(self.error(span, "subscripted value is not an array, pointer, or vector"));
                };
                Ok(Operand::Place(Lvalue {
                    is_const: l.is_const,
                    is_temporary: l.is_temporary,
                    place: Place {
                        ty: elem,
                        space: l.place.space,
                        is_volatile: l.place.is_volatile,
                        span,
                        kind: PlaceKind::Index {
                            base: Box::new(l.place),
                            index: Box::new(index),
                        },
                    },
                }))
            }
            other => {
                let ptr = self.rvalue(other)?;
                self.check_arithmetic_pointee(ptr.ty, span)?;
                let ptr = self.pointer_add(ptr, index, false, span);
                let mut l = self.deref(ptr, None);
                l.place.span = span;
                Ok(Operand::Place(l))
            }
        }
    }

    fn lanes_of_vector(&self, ty: crate::hir::TypeId) -> Option<(Scalar, u8)> {
        match *self.ty(ty) {
            Type::Vector(s, n) => Some((s, n)),
            _ => None,
        }
    }

    fn is_subscriptable(&self, op: &Operand) -> bool {
        let ty = match op {
            Operand::Value(e) => e.ty,
            Operand::Place(l) => l.place.ty,
            Operand::Function(..) => return false,
        };
        matches!(
            self.ty(ty),
            Type::Array(..) | Type::IncompleteArray(_) | Type::Pointer { .. } | Type::Vector(..)
        )
    }

    /// Converts an index to a 64-bit integer of its signedness.
    pub(super) fn wide_index(&mut self, i: Expr) -> Expr {
        let signed = matches!(self.ty(i.ty), Type::Scalar(s) if s.is_signed());
        let ty = if signed || i.ty == self.common.bool {
            self.common.long
        } else {
            self.common.ulong
        };
        self.numeric(i, ty)
    }

    fn lane_at(&mut self, a: Operand, index: Expr, s: Scalar, n: u8, span: Span) -> Result<Operand> {
        let ty = self.program.types.scalar(s);
        let constant = self.int_value(&index);
        if let Some(i) = constant
            && !(0..i128::from(n)).contains(&i)
        {
            return Err(self.error(index.span, "vector element index is out of range"));
        }
        let l = match a {
            Operand::Place(l) => l,
            other => {
                let e = self.rvalue(other)?;
                if let Some(i) = constant {
                    return Ok(Operand::Value(swizzle(e, vec![i as u8], ty, span)));
                }
                self.temporary(e)
            }
        };
        if let Some(i) = constant {
            return Ok(Operand::Place(self.lanes_of_place(l, vec![i as u8], ty, span)));
        }
        Ok(Operand::Place(Lvalue {
            is_const: l.is_const,
            is_temporary: l.is_temporary,
            place: Place {
                ty,
                space: l.place.space,
                is_volatile: l.place.is_volatile,
                span,
                kind: PlaceKind::DynamicLane {
                    base: Box::new(l.place),
                    index: Box::new(index),
                },
            },
        }))
    }
}

/// The lane number for the fourth lane of three lanes that were themselves selected from a vector.
const NOWHERE: u8 = u8::MAX;

fn swizzle(e: Expr, lanes: Vec<u8>, ty: crate::hir::TypeId, span: Span) -> Expr {
    let kind = match e.kind {
        ExprKind::Const(bits) => ExprKind::Const(lanes.iter().map(|&l| bits[usize::from(l)]).collect()),
        ExprKind::Swizzle(inner, outer) => {
            ExprKind::Swizzle(inner, lanes.iter().map(|&l| outer[usize::from(l)]).collect())
        }
        kind => ExprKind::Swizzle(Box::new(Expr { kind, ..e }), lanes),
    };
    Expr { kind, ty, span }
}

enum Bad {
    Name(String),
    Range,
    Length(usize),
}

/// Returns the lanes that a component selection of an `n`-lane vector names. A 3-lane vector is halved as if
/// it had a fourth lane (6.1.7): a read of that lane is undefined, and a write to it has no effect.
fn lanes_of(name: &str, n: u8) -> std::result::Result<Vec<u8>, Bad> {
    let even = if n == 3 { 4 } else { n };
    match name {
        "lo" => return Ok((0..even / 2).collect()),
        "hi" => return Ok((even / 2..even).collect()),
        "even" => return Ok((0..even).step_by(2).collect()),
        "odd" => return Ok((1..even).step_by(2).collect()),
        _ => {}
    }
    let mut lanes = Vec::with_capacity(name.len());
    let numeric = name.len() > 1 && name.starts_with(['s', 'S']);
    let letters = if numeric { &name[1..] } else { name };
    for c in letters.chars() {
        let lane = if numeric {
            c.to_digit(16)
        } else {
            match c {
                'x' | 'r' => Some(0),
                'y' | 'g' => Some(1),
                'z' | 'b' => Some(2),
                'w' | 'a' => Some(3),
                _ => None,
            }
        };
        match lane {
            None => return Err(Bad::Name(c.to_string())),
            Some(l) if l >= u32::from(n) => return Err(Bad::Range),
            Some(l) => lanes.push(l as u8),
        }
    }
    // The two sets of letters cannot be mixed.
    if !numeric && letters.contains(['x', 'y', 'z', 'w']) && letters.contains(['r', 'g', 'b', 'a']) {
        let c = letters.chars().find(|c| "rgba".contains(*c)).unwrap_or('r');
        return Err(Bad::Name(c.to_string()));
    }
    match lanes.len() {
        1 | 2 | 3 | 4 | 8 | 16 => Ok(lanes),
        len => Err(Bad::Length(len)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_names() {
        let ok = |name: &str, n, lanes: &[u8]| {
            assert_eq!(lanes_of(name, n).unwrap_or_else(|_| panic!("{name}")), lanes);
        };
        ok("x", 2, &[0]);
        ok("wzyx", 4, &[3, 2, 1, 0]);
        ok("sF", 16, &[15]);
        ok("S0a", 16, &[0, 10]);
        ok("hi", 8, &[4, 5, 6, 7]);
        ok("hi", 3, &[2, 3]);
        ok("odd", 3, &[1, 3]);
        ok("odd", 4, &[1, 3]);
        ok("even", 2, &[0]);
        assert!(matches!(lanes_of("z", 2), Err(Bad::Range)));
        assert!(matches!(lanes_of("q", 2), Err(Bad::Name(_))));
        assert!(matches!(lanes_of("xyzwx", 4), Err(Bad::Length(5))));
        assert!(matches!(lanes_of("xg", 4), Err(Bad::Name(_))));
    }
}
