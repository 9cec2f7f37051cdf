//! Analyses members and vector components (6.1.7) and subscripts.
//!
//! A part of an object, such as a member, an element or some lanes, is an object itself. It is as constant, as volatile and
//! as temporary as the whole, and in the same address space.

use super::{Lvalue, Operand, Reported, Result, Sema};
use crate::diag::Diag;
use crate::hir::{Expr, ExprKind, Place, PlaceKind, Scalar, Type, TypeId};
use crate::source::Span;
use crate::suggest;
use crate::syntax::ast::{self, Ident};

/// The lane number of the fourth lane of three lanes that were themselves selected from a vector.
const NOWHERE: u8 = u8::MAX;

impl Sema<'_> {
    /// Analyses `base.name`.
    pub(super) fn member_access(&mut self, base: &ast::Expr, name: &Ident, span: Span) -> Result<Operand> {
        let base = self.operand(base)?;
        let ty = match &base {
            Operand::Value(value) => value.ty,
            Operand::Place(object) => object.place.ty,
            Operand::Function(at) => return Err(self.no_record(*at)),
        };
        match *self.ty(ty) {
            Type::Vector(scalar, count) => self.components(base, (scalar, count), name, span),
            Type::Record(_) => {
                let object = match base {
                    Operand::Place(object) => object,
                    Operand::Value(value) => self.temporary(value),
                    Operand::Function(at) => return Err(self.no_record(at)),
                };
                self.field(object, name, span).map(Operand::Place)
            }
            Type::Pointer { pointee, .. } if matches!(self.ty(pointee), Type::Record(_)) => {
                let ty = self.type_name(ty);
                let why = format!("member reference type '{ty}' is a pointer; did you mean to use '->'?");
                Err(self.error(name.span, why))
            }
            _ => Err(self.no_record_type(ty, name)),
        }
    }

    /// Analyses `base->name`.
    pub(super) fn arrow(&mut self, base: &ast::Expr, name: &Ident, span: Span) -> Result<Operand> {
        let pointer = self.value(base)?;
        let Type::Pointer { pointee, .. } = *self.ty(pointer.ty) else {
            let ty = self.type_name(pointer.ty);
            let hint = match self.ty(pointer.ty) {
                Type::Record(_) => "; did you mean to use '.'?",
                _ => "",
            };
            let why = format!("member reference type '{ty}' is not a pointer{hint}");
            return Err(self.error(name.span, why));
        };
        let mut object = self.deref(pointer, None);
        object.place.span = span;
        match *self.ty(pointee) {
            Type::Vector(scalar, count) => {
                self.components(Operand::Place(object), (scalar, count), name, span)
            }
            Type::Record(_) => self.field(object, name, span).map(Operand::Place),
            _ => Err(self.no_record_type(pointee, name)),
        }
    }

    /// Reports that the operand before the dot is no structure or union.
    fn no_record(&mut self, at: Span) -> Reported {
        self.error(at, "member reference base type is not a structure or union")
    }

    /// Reports that a type is no structure or union, although the source names a member of it.
    fn no_record_type(&mut self, ty: TypeId, member: &Ident) -> Reported {
        let ty = self.type_name(ty);
        let why = format!("member reference base type '{ty}' is not a structure or union");
        self.error(member.span, why)
    }

    /// Returns the member of a structure or union.
    pub(super) fn field(&mut self, base: Lvalue, name: &Ident, span: Span) -> Result<Lvalue> {
        let Type::Record(id) = *self.ty(base.place.ty) else {
            return Err(self.no_record(span));
        };
        if self.program.types.records[id].fields.is_none() {
            let ty = self.type_name(base.place.ty);
            return Err(self.error(base.place.span, format!("incomplete definition of type '{ty}'")));
        }
        let Some(field) = self.find_field(id, &name.name) else {
            let ty = self.type_name(base.place.ty);
            let mut diag = Diag::error(name.span, format!("no member named '{}' in '{ty}'", name.name));
            let mut names = Vec::new();
            self.member_names(id, &mut names);
            if let Some(near) = suggest::nearest(&name.name, names.iter().map(String::as_str)) {
                diag.message.push_str(&format!("; did you mean '{near}'?"));
            }
            return Err(self.report(diag));
        };
        let offset = field.offset;
        let mut member = base.part(field.ty, span, |base| PlaceKind::Member { base, offset });
        member.is_const |= field.is_const;
        member.place.is_volatile |= field.is_volatile;
        Ok(member)
    }

    /// Returns the lanes that `name` selects from a vector with lanes of a type and their number.
    fn components(
        &mut self,
        base: Operand,
        (scalar, count): (Scalar, u8),
        name: &Ident,
        span: Span,
    ) -> Result<Operand> {
        let lanes = lanes_of(&name.name, count).map_err(|bad| {
            let why = match bad {
                Bad::Name(c) => format!("illegal vector component name '{c}'"),
                Bad::Range => {
                    format!("vector component access exceeds type '{}{count}'", scalar.name())
                }
                Bad::Length(len) => {
                    format!("vector component access has invalid length {len}.  Supported: 1,2,3,4,8,16.")
                }
            };
            self.error(name.span, why)
        })?;
        let ty = self.vector_ty(scalar, lanes.len() as u8);
        match base {
            Operand::Place(object) if !object.is_temporary => {
                Ok(Operand::Place(object.lanes(lanes, ty, span)))
            }
            other => {
                let value = self.rvalue(other)?;
                let lanes = lanes.into_iter().map(|lane| lane.min(count - 1)).collect();
                Ok(Operand::Value(swizzle(value, lanes, ty, span)))
            }
        }
    }

    /// Analyses `a[i]` with the operands in either order.
    pub(super) fn subscript(&mut self, a: &ast::Expr, i: &ast::Expr, span: Span) -> Result<Operand> {
        let a_span = a.span;
        let (a, i) = (self.operand(a), self.value(i));
        let (mut a, mut i) = (a?, i?);
        // `i[a]` has the same meaning.
        if !self.is_subscriptable(&a) {
            let other = Operand::Value(i);
            if !self.is_subscriptable(&other) {
                return Err(self.error(a_span, "subscripted value is not an array, pointer, or vector"));
            }
            i = self.rvalue(a)?;
            a = other;
        }
        if !matches!(self.ty(i.ty), Type::Scalar(scalar) if scalar.is_integer()) {
            return Err(self.error(i.span, "array subscript is not an integer"));
        }
        let index = self.wide_index(i);
        let ty = match &a {
            Operand::Place(object) => Some(self.ty(object.place.ty)),
            Operand::Value(value) => Some(self.ty(value.ty)),
            Operand::Function(..) => None,
        };
        match (a, ty) {
            (a, Some(&Type::Vector(scalar, count))) => self.lane_at(a, index, (scalar, count), span),
            (Operand::Place(array), Some(&Type::Array(element, _))) => {
                let index = Box::new(index);
                let kind = |base| PlaceKind::Index { base, index };
                Ok(Operand::Place(array.part(element, span, kind)))
            }
            (other, _) => {
                let pointer = self.rvalue(other)?;
                self.check_arithmetic_pointee(pointer.ty, span)?;
                let pointer = self.pointer_add(pointer, index, false, span);
                let mut object = self.deref(pointer, None);
                object.place.span = span;
                Ok(Operand::Place(object))
            }
        }
    }

    fn is_subscriptable(&self, operand: &Operand) -> bool {
        let ty = match operand {
            Operand::Value(value) => value.ty,
            Operand::Place(object) => object.place.ty,
            Operand::Function(..) => return false,
        };
        matches!(
            self.ty(ty),
            Type::Array(..) | Type::IncompleteArray(_) | Type::Pointer { .. } | Type::Vector(..)
        )
    }

    /// Converts an index to a 64-bit integer of its signedness.
    pub(super) fn wide_index(&mut self, index: Expr) -> Expr {
        let signed = matches!(self.ty(index.ty), Type::Scalar(scalar) if scalar.is_signed());
        let ty = if signed || index.ty == self.common.bool {
            self.common.long
        } else {
            self.common.ulong
        };
        self.numeric(index, ty)
    }

    /// Returns the lane of a vector at an index, which need not be constant. The vector is given with the type of its lanes
    /// and their number.
    fn lane_at(
        &mut self,
        vector: Operand,
        index: Expr,
        (scalar, count): (Scalar, u8),
        span: Span,
    ) -> Result<Operand> {
        let ty = self.program.types.scalar(scalar);
        let constant = self.int_value(&index);
        if let Some(lane) = constant
            && !(0..i128::from(count)).contains(&lane)
        {
            return Err(self.error(index.span, "vector element index is out of range"));
        }
        let object = match vector {
            Operand::Place(object) => object,
            other => {
                let value = self.rvalue(other)?;
                if let Some(lane) = constant {
                    return Ok(Operand::Value(swizzle(value, vec![lane as u8], ty, span)));
                }
                self.temporary(value)
            }
        };
        if let Some(lane) = constant {
            return Ok(Operand::Place(object.lanes(vec![lane as u8], ty, span)));
        }
        self.lane_by_number(object, index, ty, span).map(Operand::Place)
    }

    /// Returns the lane of a vector at an index that is not constant.
    fn lane_by_number(
        &mut self,
        mut vector: Lvalue,
        mut index: Expr,
        ty: TypeId,
        span: Span,
    ) -> Result<Lvalue> {
        // Of lanes that were selected from a vector, it is a lane of this vector, whose number a table has.
        if let PlaceKind::Lanes { base, lanes } = vector.place.kind {
            let count = self.lanes(base.ty).map_or(0, |(_, count)| count);
            if lanes.iter().any(|&lane| lane >= count) {
                let why = "the fourth element of a vector of three cannot be selected by a variable index";
                return Err(self.error(span, why));
            }
            let table = Expr {
                kind: ExprKind::Const(lanes.iter().map(|&lane| lane.into()).collect()),
                ty: self.vector_ty(Scalar::Long, lanes.len() as u8),
                span,
            };
            let number = self.lane_by_number(self.temporary(table), index, self.common.long, span)?;
            index = self.load(number.place);
            vector.place = *base;
        }
        let index = Box::new(index);
        Ok(vector.part(ty, span, |base| PlaceKind::DynamicLane { base, index }))
    }
}

impl Lvalue {
    /// Returns a part of the object. `kind` gets the place of the object and says which part.
    fn part(self, ty: TypeId, span: Span, kind: impl FnOnce(Box<Place>) -> PlaceKind) -> Lvalue {
        let Place {
            space, is_volatile, ..
        } = self.place;
        Lvalue {
            place: Place {
                ty,
                space,
                is_volatile,
                span,
                kind: kind(Box::new(self.place)),
            },
            ..self
        }
    }

    /// Returns lanes of a vector, as an object of the type `ty`. If the vector is itself a selection of lanes, they are lanes
    /// of the vector from which it was selected.
    fn lanes(mut self, mut lanes: Vec<u8>, ty: TypeId, span: Span) -> Lvalue {
        if let PlaceKind::Lanes { base, lanes: outer } = self.place.kind {
            for lane in &mut lanes {
                *lane = outer.get(usize::from(*lane)).copied().unwrap_or(NOWHERE);
            }
            self.place = *base;
        }
        self.part(ty, span, |base| PlaceKind::Lanes { base, lanes })
    }
}

/// Returns the lanes of a vector that is a value. A constant vector gives a constant.
fn swizzle(vector: Expr, lanes: Vec<u8>, ty: TypeId, span: Span) -> Expr {
    let kind = match vector.kind {
        ExprKind::Const(bits) => ExprKind::Const(lanes.iter().map(|&l| bits[usize::from(l)]).collect()),
        ExprKind::Swizzle(inner, outer) => {
            ExprKind::Swizzle(inner, lanes.iter().map(|&l| outer[usize::from(l)]).collect())
        }
        kind => ExprKind::Swizzle(Box::new(Expr { kind, ..vector }), lanes),
    };
    Expr { kind, ty, span }
}

/// The reason why a name selects no lanes.
enum Bad {
    /// The name contains this character, which names no lane or belongs to the other set of letters.
    Name(String),
    /// The vector has fewer lanes.
    Range,
    /// No vector has this number of lanes.
    Length(usize),
}

/// Returns the lanes that a component selection of a vector with `count` lanes names. A 3-lane vector is halved as if
/// it had a fourth lane (6.1.7): a read of that lane is undefined, and a write to it has no effect.
fn lanes_of(name: &str, count: u8) -> std::result::Result<Vec<u8>, Bad> {
    let even = if count == 3 { 4 } else { count };
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
        let lane = match c {
            _ if numeric => c.to_digit(16),
            'x' | 'r' => Some(0),
            'y' | 'g' => Some(1),
            'z' | 'b' => Some(2),
            'w' | 'a' => Some(3),
            _ => None,
        };
        match lane {
            None => return Err(Bad::Name(c.to_string())),
            Some(lane) if lane >= u32::from(count) => return Err(Bad::Range),
            Some(lane) => lanes.push(lane as u8),
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
