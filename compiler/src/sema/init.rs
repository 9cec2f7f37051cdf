//! Flattens initializers (C99 6.7.8; 6.1.6 for vectors in braces) to stores at byte offsets.

use super::convert::Why;
use super::{Result, Sema};
use crate::hir::{Expr, ExprKind, Init, RecordId, Type, TypeId};
use crate::source::Span;
use crate::syntax::ast::{self, Designator, InitItem, Initializer};

/// The greatest number of stores that one initializer may expand to (ranges of designators multiply).
const MAX_STORES: usize = 1 << 20;

/// A position in one braced list.
struct Cursor<'a> {
    items: &'a [InitItem],
    at: usize,
    /// The value of the item at `at`, if it was analysed already to determine its type.
    value: Option<Expr>,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<&'a InitItem> {
        self.items.get(self.at)
    }
    fn advance(&mut self) {
        self.at += 1;
        self.value = None;
    }
}

/// The stores collected so far.
struct Out {
    stores: Vec<(u32, Expr)>,
    /// The number of bytes that the stores cover, if none overlaps another.
    covered: u64,
    overlaps: bool,
}

impl Sema<'_> {
    /// Analyses the initializer of an object of type `ty`. Returns the object's type (an array gets its
    /// length) and the stores.
    pub(super) fn initializer(
        &mut self,
        ty: TypeId,
        init: &Initializer,
        span: Span,
    ) -> Result<(TypeId, Init)> {
        match init {
            Initializer::List(items, at) => self.braced(ty, items, *at),
            Initializer::Expr(e) => {
                let mut out = Out {
                    stores: Vec::new(),
                    covered: 0,
                    overlaps: false,
                };
                if let Some((bytes, elem)) = self.string_for(ty, e) {
                    let n = self.string(ty, elem, &bytes, 0, e.span, &mut out)?;
                    let ty = self.program.types.intern(Type::Array(elem, n));
                    return Ok((ty, self.collected(ty, out)));
                }
                if matches!(self.ty(ty), Type::Array(..) | Type::IncompleteArray(_)) {
                    return Err(self.error(e.span, "array initializer must be an initializer list"));
                }
                let value = self.value(e)?;
                let _ = span;
                let value = self.convert(value, ty, Why::Init)?;
                Ok((
                    ty,
                    Init {
                        zero: false,
                        stores: vec![(0, value)],
                    },
                ))
            }
        }
    }

    fn collected(&self, ty: TypeId, out: Out) -> Init {
        let size = self.program.types.size(ty).unwrap_or(0);
        Init {
            zero: out.overlaps || out.covered < size,
            stores: out.stores,
        }
    }

    /// Analyses a braced initializer.
    pub(super) fn braced(&mut self, ty: TypeId, items: &[InitItem], span: Span) -> Result<(TypeId, Init)> {
        let mut out = Out {
            stores: Vec::new(),
            covered: 0,
            overlaps: false,
        };
        let ty = self.object_list(ty, 0, items, span, &mut out)?;
        Ok((ty, self.collected(ty, out)))
    }

    fn store(&mut self, offset: u64, e: Expr, out: &mut Out) -> Result<()> {
        if out.stores.len() >= MAX_STORES {
            return Err(self.error(e.span, "initializer is too large"));
        }
        out.covered += self.program.types.size(e.ty).unwrap_or(0);
        out.stores.push((offset as u32, e));
        Ok(())
    }

    /// Analyses `{ … }` for an object at `offset`. Returns the object's complete type.
    fn object_list(
        &mut self,
        ty: TypeId,
        offset: u64,
        items: &[InitItem],
        span: Span,
        out: &mut Out,
    ) -> Result<TypeId> {
        let mut cursor = Cursor {
            items,
            at: 0,
            value: None,
        };
        match *self.ty(ty) {
            Type::Array(elem, _) | Type::IncompleteArray(elem) => {
                // `char s[] = {"abc"}`: a string in braces.
                if let [
                    InitItem {
                        designators,
                        init: Initializer::Expr(e),
                    },
                ] = items
                    && designators.is_empty()
                    && let Some((bytes, elem)) = self.string_for(ty, e)
                {
                    let n = self.string(ty, elem, &bytes, offset, e.span, out)?;
                    return Ok(self.program.types.intern(Type::Array(elem, n)));
                }
                let limit = match *self.ty(ty) {
                    Type::Array(_, n) => Some(n),
                    _ => None,
                };
                let n = self.array_items(elem, limit, offset, &mut cursor, true, out)?;
                self.excess(&cursor, "array");
                let n = limit.unwrap_or(n);
                let size = self.program.types.size(elem).unwrap_or(0);
                if n.saturating_mul(size) > super::type_spec::MAX_OBJECT {
                    return Err(self.error(span, format!("array is too large ({n} elements)")));
                }
                return Ok(self.program.types.intern(Type::Array(elem, n)));
            }
            Type::Record(id) => {
                self.complete(ty, span, "variable")?;
                self.record_items(id, offset, &mut cursor, true, out)?;
                let is_union = self.program.types.records[id].is_union;
                self.excess(&cursor, if is_union { "union" } else { "struct" });
            }
            Type::Vector(..) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    match &item.init {
                        Initializer::Expr(e) if item.designators.is_empty() => values.push(self.value(e)?),
                        Initializer::Expr(e) => {
                            return Err(self.error(e.span, "designator in initializer for vector type"));
                        }
                        Initializer::List(inner, at) => {
                            // `{{1, 2}, …}`: braces around a scalar or a part of the vector.
                            let [
                                InitItem {
                                    init: Initializer::Expr(e),
                                    ..
                                },
                            ] = &inner[..]
                            else {
                                if items.len() == 1 {
                                    self.object_list(ty, offset, inner, *at, out)?;
                                    return Ok(ty);
                                }
                                return Err(self.error(*at, "excess elements in scalar initializer"));
                            };
                            values.push(self.value(e)?);
                        }
                    }
                }
                let value = if values.is_empty() {
                    self.zero(ty, span)
                } else {
                    self.build_vector(values, ty, span, false)?
                };
                self.store(offset, value, out)?;
            }
            _ => {
                let Some(first) = cursor.peek() else {
                    if let Type::Scalar(_) | Type::Pointer { .. } = self.ty(ty) {
                        return Err(self.error(span, "scalar initializer cannot be empty"));
                    }
                    let zero = self.zero_of(ty, span)?;
                    return self.store(offset, zero, out).map(|()| ty);
                };
                if let Some(d) = first.designators.first() {
                    let at = designator_span(d);
                    let t = self.type_name(ty);
                    return Err(self.error(at, format!("designator in initializer for scalar type '{t}'")));
                }
                match &first.init {
                    Initializer::Expr(e) => {
                        let v = self.value(e)?;
                        let v = self.convert(v, ty, Why::Init)?;
                        self.store(offset, v, out)?;
                    }
                    Initializer::List(inner, at) => {
                        if matches!(self.ty(ty), Type::Scalar(_)) {
                            self.warning(*at, "too many braces around scalar initializer");
                        }
                        self.object_list(ty, offset, inner, *at, out)?;
                    }
                }
                cursor.advance();
                self.excess(&cursor, "scalar");
            }
        }
        Ok(ty)
    }

    fn zero_of(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        match self.ty(ty) {
            Type::Scalar(_) | Type::Vector(..) | Type::Pointer { .. } | Type::Event | Type::Sampler => {
                Ok(self.zero(ty, span))
            }
            _ => {
                let t = self.type_name(ty);
                Err(self.error(span, format!("illegal initializer type '{t}'")))
            }
        }
    }

    fn excess(&mut self, cursor: &Cursor<'_>, what: &str) {
        if let Some(item) = cursor.peek() {
            let span = match &item.init {
                Initializer::Expr(e) => e.span,
                Initializer::List(_, at) => *at,
            };
            self.warning(span, format!("excess elements in {what} initializer"));
        }
    }

    /// Initializes the elements of an array from a list. Returns the number of elements up to the last
    /// initialized one.
    fn array_items(
        &mut self,
        elem: TypeId,
        limit: Option<u64>,
        offset: u64,
        cursor: &mut Cursor<'_>,
        braced: bool,
        out: &mut Out,
    ) -> Result<u64> {
        let size = self.program.types.size(elem).unwrap_or(0);
        let (mut index, mut end) = (0u64, 0u64);
        while let Some(item) = cursor.peek() {
            match item.designators.split_first() {
                Some(_) if !braced => break,
                Some((Designator::Index(i), rest)) => {
                    index = self.array_index(i, limit)?;
                    out.overlaps = true;
                    self.designated(elem, offset + index * size, rest, cursor, out)?;
                }
                Some((Designator::Range(lo, hi), rest)) => {
                    let (first, last) = (self.array_index(lo, limit)?, self.array_index(hi, limit)?);
                    self.check_range(first, last, lo.span)?;
                    out.overlaps = true;
                    let start = cursor.at;
                    for i in first..=last {
                        cursor.at = start;
                        cursor.value = None;
                        self.designated(elem, offset + i * size, rest, cursor, out)?;
                    }
                    index = last;
                }
                Some((Designator::Member(m), _)) => {
                    return Err(self.error(
                        m.span,
                        "field designator cannot initialize a non-struct, non-union type",
                    ));
                }
                None => {
                    if limit.is_some_and(|n| index >= n) {
                        break;
                    }
                    self.next_item(elem, offset + index * size, cursor, out)?;
                }
            }
            index += 1;
            end = end.max(index);
        }
        Ok(end)
    }

    fn check_range(&mut self, first: u64, last: u64, span: Span) -> Result<()> {
        if last < first {
            return Err(self.error(span, "array designator range is empty"));
        }
        if last - first >= MAX_STORES as u64 {
            return Err(self.error(span, "initializer is too large"));
        }
        Ok(())
    }

    fn array_index(&mut self, e: &ast::Expr, limit: Option<u64>) -> Result<u64> {
        let v = self.value(e)?;
        let Some(n) = self.int_value(&v) else {
            return Err(self.error(e.span, "expression is not an integer constant expression"));
        };
        if n < 0 {
            return Err(self.error(e.span, format!("array designator value '{n}' is negative")));
        }
        let most = limit.unwrap_or(super::type_spec::MAX_OBJECT);
        if n >= i128::from(most) {
            return Err(self.error(
                e.span,
                format!("array designator index ({n}) exceeds array bounds ({most})"),
            ));
        }
        Ok(n as u64)
    }

    /// Initializes the members of a record from a list.
    fn record_items(
        &mut self,
        id: RecordId,
        offset: u64,
        cursor: &mut Cursor<'_>,
        braced: bool,
        out: &mut Out,
    ) -> Result<()> {
        let mut index = 0;
        let is_union = self.program.types.records[id].is_union;
        while let Some(item) = cursor.peek() {
            match item.designators.split_first() {
                Some(_) if !braced => break,
                Some((Designator::Member(m), rest)) => {
                    let Some(f) = self.find_field(id, &m.name) else {
                        return Err(self.error(
                            m.span,
                            format!("field designator '{}' does not refer to any field", m.name),
                        ));
                    };
                    out.overlaps = true;
                    self.designated(f.ty, offset + u64::from(f.offset), rest, cursor, out)?;
                    // Continue after the direct member, possibly an anonymous one, that contains the
                    // designated member.
                    let fields = self.program.types.records[id]
                        .fields
                        .as_deref()
                        .unwrap_or_default();
                    index = fields
                        .iter()
                        .rposition(|g| g.offset <= f.offset && (g.name.is_none() || g.name == f.name))
                        .map_or(fields.len(), |i| i + 1);
                }
                Some((Designator::Index(e) | Designator::Range(e, _), _)) => {
                    return Err(self.error(e.span, "array designator cannot initialize non-array type"));
                }
                None => {
                    let fields = self.program.types.records[id]
                        .fields
                        .as_deref()
                        .unwrap_or_default();
                    let Some((ty, at)) = fields.get(index).map(|f| (f.ty, f.offset)) else {
                        break;
                    };
                    if is_union && index > 0 {
                        break;
                    }
                    self.next_item(ty, offset + u64::from(at), cursor, out)?;
                    index += 1;
                }
            }
            if !braced && is_union {
                break;
            }
        }
        Ok(())
    }

    /// Initializes with the item at the cursor the object that `path` designates, starting from an object of
    /// type `ty`.
    fn designated(
        &mut self,
        ty: TypeId,
        offset: u64,
        path: &[Designator],
        cursor: &mut Cursor<'_>,
        out: &mut Out,
    ) -> Result<()> {
        let Some((step, rest)) = path.split_first() else {
            return self.next_item(ty, offset, cursor, out);
        };
        match (step, self.ty(ty).clone()) {
            (Designator::Member(m), Type::Record(id)) => {
                let Some(f) = self.find_field(id, &m.name) else {
                    return Err(self.error(
                        m.span,
                        format!("field designator '{}' does not refer to any field", m.name),
                    ));
                };
                self.designated(f.ty, offset + u64::from(f.offset), rest, cursor, out)
            }
            (Designator::Index(e), Type::Array(elem, n)) => {
                let size = self.program.types.size(elem).unwrap_or(0);
                let index = self.array_index(e, Some(n))?;
                self.designated(elem, offset + index * size, rest, cursor, out)
            }
            (Designator::Range(lo, hi), Type::Array(elem, n)) => {
                let size = self.program.types.size(elem).unwrap_or(0);
                let (first, last) = (self.array_index(lo, Some(n))?, self.array_index(hi, Some(n))?);
                self.check_range(first, last, lo.span)?;
                let start = cursor.at;
                for i in first..=last {
                    cursor.at = start;
                    cursor.value = None;
                    self.designated(elem, offset + i * size, rest, cursor, out)?;
                }
                Ok(())
            }
            (step, _) => {
                let t = self.type_name(ty);
                Err(self.error(
                    designator_span(step),
                    format!("designator cannot initialize an object of type '{t}'"),
                ))
            }
        }
    }

    /// Initializes an object with the next item of the list, or with as many items as the object needs.
    fn next_item(&mut self, ty: TypeId, offset: u64, cursor: &mut Cursor<'_>, out: &mut Out) -> Result<()> {
        let Some(item) = cursor.peek() else { return Ok(()) };
        let e = match &item.init {
            Initializer::List(items, at) => {
                self.object_list(ty, offset, items, *at, out)?;
                cursor.advance();
                return Ok(());
            }
            Initializer::Expr(e) => e,
        };
        if cursor.value.is_none() {
            if let Some((bytes, elem)) = self.string_for(ty, e) {
                self.string(ty, elem, &bytes, offset, e.span, out)?;
                cursor.advance();
                return Ok(());
            }
            let value = match self.value(e) {
                Ok(v) => v,
                Err(r) => {
                    cursor.advance();
                    return Err(r);
                }
            };
            cursor.value = Some(value);
        }
        let same = cursor.value.as_ref().is_some_and(|v| v.ty == ty);
        match *self.ty(ty) {
            Type::Record(id) if !same => {
                self.complete(ty, e.span, "variable")?;
                let before = cursor.at;
                self.record_items(id, offset, cursor, false, out)?;
                if cursor.at == before {
                    let t = self.type_name(ty);
                    return Err(self.error(e.span, format!("no member of '{t}' takes this initializer")));
                }
                Ok(())
            }
            Type::Array(elem, n) if !same => {
                let before = cursor.at;
                self.array_items(elem, Some(n), offset, cursor, false, out)?;
                if cursor.at == before {
                    return Err(self.error(e.span, "initializer for an array without elements"));
                }
                Ok(())
            }
            Type::IncompleteArray(_) => {
                Err(self.error(e.span, "initialization of flexible array member is not allowed"))
            }
            _ => {
                let value = cursor.value.take();
                cursor.advance();
                let Some(value) = value else { return Ok(()) };
                let value = self.convert(value, ty, Why::Init)?;
                self.store(offset, value, out)
            }
        }
    }

    /// Returns the bytes of a string literal that initializes an array of characters, and the element type.
    fn string_for(&self, ty: TypeId, e: &ast::Expr) -> Option<(Vec<u8>, TypeId)> {
        let (Type::Array(elem, _) | Type::IncompleteArray(elem)) = *self.ty(ty) else {
            return None;
        };
        let mut core = e;
        while let ast::ExprKind::Paren(inner) = &core.kind {
            core = inner;
        }
        let ast::ExprKind::Str(bytes) = &core.kind else {
            return None;
        };
        let is_char = matches!(self.ty(elem), Type::Scalar(s) if s.bytes() == 1);
        is_char.then(|| (bytes.clone(), elem))
    }

    /// Stores the characters of a string. Returns the length of the array.
    fn string(
        &mut self,
        ty: TypeId,
        elem: TypeId,
        bytes: &[u8],
        offset: u64,
        span: Span,
        out: &mut Out,
    ) -> Result<u64> {
        let n = match *self.ty(ty) {
            Type::Array(_, n) => n,
            _ => bytes.len() as u64 + 1,
        };
        if bytes.len() as u64 > n {
            self.warning(span, "initializer-string for char array is too long");
        }
        out.overlaps = true;
        for (i, &b) in bytes.iter().take(n as usize).enumerate() {
            let e = Expr {
                kind: ExprKind::Const(vec![u64::from(b)]),
                ty: elem,
                span,
            };
            self.store(offset + i as u64, e, out)?;
        }
        Ok(n)
    }
}

fn designator_span(d: &Designator) -> Span {
    match d {
        Designator::Member(m) => m.span,
        Designator::Index(e) | Designator::Range(e, _) => e.span,
    }
}
