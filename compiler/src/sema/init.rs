//! Flattens initializers (C99 6.7.8; 6.1.6 for vectors in braces) to stores at byte offsets.

mod cursor;

use super::binary::is_const;
use super::builtin::build::Before;
use super::const_init::MAX_CONSTANT;
use super::convert::Why;
use super::{Result, Sema};
use crate::hash::HashMap;
use crate::hir::ty::Field;
use crate::hir::{Expr, ExprKind, Init, RecordId, Scalar, Type, TypeId, value};
use crate::source::Span;
use crate::syntax::ast::{self, Designator, Ident, InitItem, Initializer};
use crate::syntax::table;
use cursor::{Cursor, Source, item_span, list_of};

/// The greatest number of stores that one initializer may expand to (ranges of designators multiply).
const MAX_STORES: usize = 1 << 20;

/// The stores collected so far.
struct Out {
    /// The bytes of a constant object, into which constants are written as long as there are no stores.
    bytes: Option<Vec<u8>>,
    /// The number of constants that may still be written.
    room: usize,
    /// The number of ranges of designators around the current item.
    repeats: usize,
    /// The values of repeated items that are not constants, by the address of the item's expression. Each is evaluated
    /// once, as in GNU C.
    repeated: HashMap<usize, Expr>,
    /// The offsets and values. A value of type void stands for a store that was removed.
    stores: Vec<(u32, Expr)>,
    /// The number of bytes that the stores cover, if none overlaps another.
    covered: u64,
    /// The offset after the last initialized byte. No store from there on overlaps another.
    end: u64,
    overlaps: bool,
}

impl Out {
    fn new(bytes: Option<Vec<u8>>) -> Self {
        Out {
            bytes,
            room: MAX_STORES,
            repeats: 0,
            repeated: HashMap::default(),
            stores: Vec::new(),
            covered: 0,
            end: 0,
            overlaps: false,
        }
    }

    /// Allows one more constant for each item of a list. Items in a range of designators are not counted, because the
    /// range repeats them.
    fn expect(&mut self, items: usize) {
        if self.repeats == 0 {
            self.room += items;
        }
    }

    /// Returns the bytes if constants are written to them at once.
    fn direct(&mut self) -> Option<&mut Vec<u8>> {
        self.bytes.as_mut().filter(|_| self.stores.is_empty())
    }
}

/// Writes the lanes of a constant. Bytes beyond the largest constant object are left out; such an object is
/// refused.
fn write(bytes: &mut Vec<u8>, offset: u64, lanes: &[u64], scalar: Scalar) {
    let width = scalar.bytes() as usize;
    if offset + (lanes.len() * width) as u64 > MAX_CONSTANT {
        return;
    }
    let mut at = offset as usize;
    for lane in lanes {
        if bytes.len() < at + width {
            bytes.resize(at + width, 0);
        }
        bytes[at..at + width].copy_from_slice(&lane.to_le_bytes()[..width]);
        at += width;
    }
}

impl Sema<'_> {
    /// Analyses the initializer of an object of type `ty`. Returns the object's type (an array gets its
    /// length) and the stores.
    pub(super) fn initializer(&mut self, ty: TypeId, init: &Initializer) -> Result<(TypeId, Init)> {
        let (ty, out) = self.initializer_into(ty, init, Out::new(None))?;
        Ok((ty, self.collected(ty, out)))
    }

    /// Like [`Self::initializer`], for an object with static lifetime. Also returns the bytes of the object
    /// before the stores; bytes that are missing at the end are zero.
    pub(super) fn constant_initializer(
        &mut self,
        ty: TypeId,
        init: &Initializer,
    ) -> Result<(TypeId, Init, Vec<u8>)> {
        let (ty, mut out) = self.initializer_into(ty, init, Out::new(Some(Vec::new())))?;
        let bytes = out.bytes.take().unwrap_or_default();
        Ok((ty, self.collected(ty, out), bytes))
    }

    fn initializer_into(&mut self, ty: TypeId, init: &Initializer, mut out: Out) -> Result<(TypeId, Out)> {
        let Initializer::Expr(e) = init else {
            let ty = match list_of(init) {
                Some((items, at)) => self.object_list(ty, 0, items, at, &mut out)?,
                None => ty,
            };
            return Ok((ty, out));
        };
        if let Some((bytes, elem)) = self.string_for(ty, e) {
            let n = self.string(ty, elem, &bytes, 0, e.span, &mut out)?;
            let ty = self.program.types.intern(Type::Array(elem, n));
            return Ok((ty, out));
        }
        if matches!(self.ty(ty), Type::Array(..) | Type::IncompleteArray(_)) {
            return Err(self.error(e.span, "array initializer must be an initializer list"));
        }
        let value = self.value(e)?;
        let value = self.convert(value, ty, Why::Init)?;
        out.covered = self.program.types.size(ty).unwrap_or(0);
        out.stores.push((0, value));
        Ok((ty, out))
    }

    fn collected(&self, ty: TypeId, mut out: Out) -> Init {
        let size = self.program.types.size(ty).unwrap_or(0);
        out.stores.retain(|(_, e)| e.ty != self.common.void);
        Init {
            zero: out.overlaps || out.covered < size,
            stores: out.stores,
        }
    }

    /// Analyses a braced initializer.
    pub(super) fn braced(&mut self, ty: TypeId, items: &[InitItem], span: Span) -> Result<(TypeId, Init)> {
        let mut out = Out::new(None);
        let ty = self.object_list(ty, 0, Source::Items(items), span, &mut out)?;
        Ok((ty, self.collected(ty, out)))
    }

    fn store(&mut self, offset: u64, e: Expr, out: &mut Out) -> Result<()> {
        let full = match out.direct() {
            Some(_) => out.room == 0,
            None => out.stores.len() >= MAX_STORES,
        };
        if full {
            return Err(self.error(e.span, "initializer is too large"));
        }
        let size = self.program.types.size(e.ty).unwrap_or(0);
        out.covered += size;
        out.overlaps |= offset < out.end;
        out.end = out.end.max(offset + size);
        if let ExprKind::Const(bits) = &e.kind
            && let Some((scalar, _)) = self.lanes(e.ty)
            && let Some(bytes) = out.direct()
        {
            write(bytes, offset, bits, scalar);
            out.room -= 1;
            return Ok(());
        }
        out.stores.push((offset as u32, e));
        Ok(())
    }

    /// Analyses `{ … }` for an object at `offset`. Returns the object's complete type.
    fn object_list(
        &mut self,
        ty: TypeId,
        offset: u64,
        source: Source<'_>,
        span: Span,
        out: &mut Out,
    ) -> Result<TypeId> {
        let items = match source {
            Source::Items(items) => items,
            Source::Table(at) => {
                let table = table::Items::new(self.map, at);
                if let Type::Array(elem, _) | Type::IncompleteArray(elem) = *self.ty(ty) {
                    return self.array_table(ty, elem, offset, table, span, out);
                }
                let items: Vec<InitItem> = table.collect();
                return self.object_list(ty, offset, Source::Items(&items), span, out);
            }
        };
        out.expect(items.len());
        let mut cursor = Cursor::new(items);
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
                let n = self.array_items((elem, self.limit_of(ty)), offset, 0, &mut cursor, true, out)?;
                return self.end_of_array(ty, elem, n, &cursor, span);
            }
            Type::Record(id) => {
                self.complete(ty, span, "variable")?;
                self.record_items(id, offset, 0, &mut cursor, true, out)?;
                let is_union = self.program.types.records[id].is_union;
                self.excess(&cursor, if is_union { "union" } else { "struct" });
            }
            Type::Vector(..) => self.vector_list(ty, offset, items, span, out)?,
            _ => self.scalar_list(ty, offset, cursor, span, out)?,
        }
        Ok(ty)
    }

    /// Analyses `{ … }` for a vector at `offset`.
    fn vector_list(
        &mut self,
        ty: TypeId,
        offset: u64,
        items: &[InitItem],
        span: Span,
        out: &mut Out,
    ) -> Result<()> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match &item.init {
                Initializer::Expr(e) if item.designators.is_empty() => values.push(self.item_value(e, out)?),
                Initializer::Expr(e) => {
                    return Err(self.error(e.span, "designator in initializer for vector type"));
                }
                Initializer::Table { span, .. } => {
                    return Err(self.error(*span, "excess elements in scalar initializer"));
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
                            self.object_list(ty, offset, Source::Items(inner), *at, out)?;
                            return Ok(());
                        }
                        return Err(self.error(*at, "excess elements in scalar initializer"));
                    };
                    values.push(self.item_value(e, out)?);
                }
            }
        }
        let value = if values.is_empty() {
            self.zero(ty, span)
        } else {
            self.build_vector(values, ty, span, false)?
        };
        self.store(offset, value, out)?;
        Ok(())
    }

    /// Analyses `{ … }` for a scalar or a pointer at `offset`.
    fn scalar_list(
        &mut self,
        ty: TypeId,
        offset: u64,
        mut cursor: Cursor<'_>,
        span: Span,
        out: &mut Out,
    ) -> Result<()> {
        let Some(first) = cursor.peek() else {
            if let Type::Scalar(_) | Type::Pointer { .. } = self.ty(ty) {
                return Err(self.error(span, "scalar initializer cannot be empty"));
            }
            let zero = self.zero_of(ty, span)?;
            self.store(offset, zero, out)?;
            return Ok(());
        };
        if let Some(d) = first.designators.first() {
            let at = designator_span(d);
            let t = self.type_name(ty);
            return Err(self.error(at, format!("designator in initializer for scalar type '{t}'")));
        }
        if let Initializer::Expr(e) = &first.init {
            let v = self.item_value(e, out)?;
            let v = self.convert(v, ty, Why::Init)?;
            self.store(offset, v, out)?;
        } else if let Some((inner, at)) = list_of(&first.init) {
            if matches!(self.ty(ty), Type::Scalar(_)) {
                self.warning(at, "too many braces around scalar initializer");
            }
            self.object_list(ty, offset, inner, at, out)?;
        }
        cursor.advance();
        self.excess(&cursor, "scalar");
        Ok(())
    }

    /// Returns the number of elements of an array type, if it is known.
    fn limit_of(&self, ty: TypeId) -> Option<u64> {
        match *self.ty(ty) {
            Type::Array(_, n) => Some(n),
            _ => None,
        }
    }

    /// Completes the type of an array of which `n` elements are initialized.
    fn end_of_array(
        &mut self,
        ty: TypeId,
        elem: TypeId,
        n: u64,
        cursor: &Cursor<'_>,
        span: Span,
    ) -> Result<TypeId> {
        self.excess(cursor, "array");
        let n = self.limit_of(ty).unwrap_or(n);
        let size = self.program.types.size(elem).unwrap_or(0);
        if n.saturating_mul(size) > super::type_spec::MAX_OBJECT {
            return Err(self.error(span, format!("array is too large ({n} elements)")));
        }
        Ok(self.program.types.intern(Type::Array(elem, n)))
    }

    /// Initializes an array from a table. Constants of scalar elements are written without making a tree of
    /// them, as far as the table consists of literals about which there is nothing to report.
    fn array_table(
        &mut self,
        ty: TypeId,
        elem: TypeId,
        offset: u64,
        mut table: table::Items,
        span: Span,
        out: &mut Out,
    ) -> Result<TypeId> {
        let limit = self.limit_of(ty);
        let mut n = 0;
        if let Type::Scalar(scalar) = *self.ty(elem)
            && scalar != Scalar::Half
            && out.repeats == 0
        {
            let width = u64::from(scalar.bytes());
            while limit.is_none_or(|limit| n < limit)
                && let Some(bytes) = out.direct()
                && let Some((bits, from)) = table.literal(|sign, value| self.plain_literal(sign, value))
            {
                write(
                    bytes,
                    offset + n * width,
                    &[value::convert(bits, from, scalar)],
                    scalar,
                );
                n += 1;
            }
            out.end = out.end.max(offset + n * width);
        }
        let mut cursor = Cursor::of_table(table);
        n = self.array_items((elem, limit), offset, n, &mut cursor, true, out)?;
        self.end_of_array(ty, elem, n, &cursor, span)
    }

    fn zero_of(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        match self.ty(ty) {
            Type::Scalar(_)
            | Type::Vector(..)
            | Type::Pointer { .. }
            | Type::Event
            | Type::ReserveId
            | Type::Sampler => Ok(self.zero(ty, span)),
            _ => {
                let t = self.type_name(ty);
                Err(self.error(span, format!("illegal initializer type '{t}'")))
            }
        }
    }

    fn excess(&mut self, cursor: &Cursor<'_>, what: &str) {
        if let Some(item) = cursor.peek() {
            self.warning(
                item_span(&item.init),
                format!("excess elements in {what} initializer"),
            );
        }
    }

    /// Initializes the elements of an array of `elem` from a list, beginning with an index. Returns the number of
    /// elements up to the last initialized one.
    fn array_items(
        &mut self,
        (elem, limit): (TypeId, Option<u64>),
        offset: u64,
        mut index: u64,
        cursor: &mut Cursor<'_>,
        braced: bool,
        out: &mut Out,
    ) -> Result<u64> {
        let size = self.program.types.size(elem).unwrap_or(0);
        let mut end = index;
        while let Some(item) = cursor.peek() {
            match item.designators.split_first().filter(|_| !cursor.is_designated) {
                Some(_) if !braced => break,
                Some((Designator::Member(m), _)) => {
                    return Err(self.error(
                        m.span,
                        "field designator cannot initialize a non-struct, non-union type",
                    ));
                }
                Some((Designator::Index(_) | Designator::Range(..), rest)) => {
                    index = self.elements((elem, limit), offset, &item.designators, cursor, out)?;
                    self.after_designated(elem, offset + index * size, rest, cursor, out)?;
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

    /// Initializes the objects that `path` designates with the item at the cursor. The first step of `path` names one or
    /// several elements of an array. Returns the index of the last of these elements.
    fn elements(
        &mut self,
        (elem, limit): (TypeId, Option<u64>),
        offset: u64,
        path: &[Designator],
        cursor: &mut Cursor<'_>,
        out: &mut Out,
    ) -> Result<u64> {
        let (Some((step, rest)), size) = (path.split_first(), self.program.types.size(elem).unwrap_or(0))
        else {
            return Ok(0);
        };
        let (lo, hi) = match step {
            Designator::Range(lo, hi) => (lo, hi),
            Designator::Index(i) => {
                let index = self.array_index(i, limit)?;
                self.designated(elem, offset + index * size, rest, cursor, out)?;
                return Ok(index);
            }
            Designator::Member(_) => return Ok(0),
        };
        let (first, last) = (self.array_index(lo, limit)?, self.array_index(hi, limit)?);
        self.check_range(first, last, lo.span)?;
        let start = cursor.at;
        out.repeats += 1;
        for i in first..=last {
            cursor.return_to(start);
            self.designated(elem, offset + i * size, rest, cursor, out)?;
        }
        out.repeats -= 1;
        Ok(last)
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

    /// Initializes the members of a record from a list, beginning with an index.
    fn record_items(
        &mut self,
        id: RecordId,
        offset: u64,
        mut index: usize,
        cursor: &mut Cursor<'_>,
        braced: bool,
        out: &mut Out,
    ) -> Result<()> {
        let is_union = self.program.types.records[id].is_union;
        while let Some(item) = cursor.peek() {
            match item.designators.first().filter(|_| !cursor.is_designated) {
                Some(_) if !braced => break,
                Some(Designator::Member(m)) => {
                    let (at, field, rest) = self.designated_member(id, m, &item.designators)?;
                    let place = offset + u64::from(field.offset);
                    self.designated(field.ty, place, rest, cursor, out)?;
                    self.after_designated(field.ty, place, rest, cursor, out)?;
                    index = at;
                }
                Some(Designator::Index(e) | Designator::Range(e, _)) => {
                    return Err(self.error(e.span, "array designator cannot initialize non-array type"));
                }
                None => {
                    let fields = self.program.types.records[id].fields.as_deref();
                    let field = fields.unwrap_or_default().get(index).map(|f| (f.ty, f.offset));
                    let Some((ty, at)) = field.filter(|_| !is_union || index == 0) else {
                        break;
                    };
                    self.next_item(ty, offset + u64::from(at), cursor, out)?;
                }
            }
            index += 1;
        }
        Ok(())
    }

    /// Finds the direct member of a record that the first step of `path` names, or the anonymous member that contains
    /// the named one. Returns its index, the member, and the path from it.
    fn designated_member<'p>(
        &mut self,
        id: RecordId,
        m: &Ident,
        path: &'p [Designator],
    ) -> Result<(usize, Field, &'p [Designator])> {
        let fields = self.program.types.records[id].fields.as_deref();
        let found =
            fields
                .unwrap_or_default()
                .iter()
                .enumerate()
                .find(|(_, f)| match (&f.name, self.ty(f.ty)) {
                    (Some(name), _) => *name == m.name,
                    (None, &Type::Record(inner)) => self.find_field(inner, &m.name).is_some(),
                    (None, _) => false,
                });
        match found {
            Some((at, f)) => Ok((at, f.clone(), &path[usize::from(f.name.is_some())..])),
            None => Err(self.error(
                m.span,
                format!("field designator '{}' does not refer to any field", m.name),
            )),
        }
    }

    /// Initializes the object that `path` designates, starting from an object of type `ty`, with the item at the
    /// cursor.
    fn designated(
        &mut self,
        ty: TypeId,
        offset: u64,
        path: &[Designator],
        cursor: &mut Cursor<'_>,
        out: &mut Out,
    ) -> Result<()> {
        let Some(step) = path.first() else {
            cursor.is_designated = true;
            return self.next_item(ty, offset, cursor, out);
        };
        match (step, self.ty(ty).clone()) {
            (Designator::Member(m), Type::Record(id)) => {
                let (_, field, rest) = self.designated_member(id, m, path)?;
                self.designated(field.ty, offset + u64::from(field.offset), rest, cursor, out)
            }
            (Designator::Index(_) | Designator::Range(..), Type::Array(elem, n)) => {
                self.elements((elem, Some(n)), offset, path, cursor, out)?;
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

    /// Continues after the object that `path` designates inside an object of type `ty`: items without designators
    /// initialize the subobjects that follow it (C99 6.7.8p17).
    fn after_designated(
        &mut self,
        ty: TypeId,
        offset: u64,
        path: &[Designator],
        cursor: &mut Cursor<'_>,
        out: &mut Out,
    ) -> Result<()> {
        match (path.split_first(), self.ty(ty).clone()) {
            (Some((Designator::Member(m), _)), Type::Record(id)) => {
                let (at, field, rest) = self.designated_member(id, m, path)?;
                self.after_designated(field.ty, offset + u64::from(field.offset), rest, cursor, out)?;
                self.record_items(id, offset, at + 1, cursor, false, out)?;
            }
            (Some((Designator::Index(e) | Designator::Range(_, e), rest)), Type::Array(elem, n)) => {
                let index = self.array_index(e, Some(n))?;
                let size = self.program.types.size(elem).unwrap_or(0);
                self.after_designated(elem, offset + index * size, rest, cursor, out)?;
                self.array_items((elem, Some(n)), offset, index + 1, cursor, false, out)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Initializes an object with the next item of the list, or with as many items as the object needs.
    fn next_item(&mut self, ty: TypeId, offset: u64, cursor: &mut Cursor<'_>, out: &mut Out) -> Result<()> {
        let Some(item) = cursor.peek() else { return Ok(()) };
        if cursor.table.is_some() {
            out.expect(1);
        }
        if matches!(self.ty(ty), Type::IncompleteArray(_)) {
            let why = "initialization of flexible array member is not allowed";
            return Err(self.error(item_span(&item.init), why));
        }
        if let Some((items, at)) = list_of(&item.init) {
            self.replace(ty, offset, at, out)?;
            self.object_list(ty, offset, items, at, out)?;
            cursor.advance();
            return Ok(());
        }
        let Initializer::Expr(e) = &item.init else {
            return Ok(());
        };
        if let Some((bytes, elem)) = self.string_for(ty, e) {
            self.replace(ty, offset, e.span, out)?;
            self.string(ty, elem, &bytes, offset, e.span, out)?;
            cursor.advance();
            return Ok(());
        }
        if cursor.value.is_none() {
            let value = match self.item_value(e, out) {
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
                self.record_items(id, offset, 0, cursor, false, out)?;
                if cursor.at == before {
                    let t = self.type_name(ty);
                    return Err(self.error(e.span, format!("no member of '{t}' takes this initializer")));
                }
                Ok(())
            }
            Type::Array(elem, n) if !same => {
                let before = cursor.at;
                self.array_items((elem, Some(n)), offset, 0, cursor, false, out)?;
                if cursor.at == before {
                    return Err(self.error(e.span, "initializer for an array without elements"));
                }
                Ok(())
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

    /// Analyses the expression of an item. If the item is repeated, only the first value contains the evaluation.
    fn item_value(&mut self, e: &ast::Expr, out: &mut Out) -> Result<Expr> {
        let key = std::ptr::from_ref(e) as usize;
        if let Some(value) = out.repeated.get(&key) {
            return Ok(value.clone());
        }
        let value = self.value(e)?;
        if out.repeats == 0 || out.bytes.is_some() || is_const(&value) {
            return Ok(value);
        }
        let mut before = Before::default();
        let value = before.bind(self, value)?;
        out.repeated.insert(key, value.clone());
        Ok(before.then(value))
    }

    /// Forgets the earlier values of an object that a list or a string initializes: it replaces all of them (C99
    /// 6.7.8p19).
    fn replace(&mut self, ty: TypeId, offset: u64, span: Span, out: &mut Out) -> Result<()> {
        if offset >= out.end {
            return Ok(());
        }
        out.overlaps = true;
        let end = offset + self.program.types.size(ty).unwrap_or(0);
        if let Some(bytes) = &mut out.bytes {
            let last = bytes.len().min(end as usize);
            bytes.get_mut(offset as usize..last).unwrap_or_default().fill(0);
        }
        let mut is_part = false;
        for (at, e) in &mut out.stores {
            let (from, size) = (u64::from(*at), self.program.types.size(e.ty).unwrap_or(0));
            if offset <= from && from + size <= end {
                *e = self.nothing(span);
            } else {
                is_part |= from < end && offset < from + size;
            }
        }
        // The object is a part of one that was stored as a whole.
        if is_part {
            self.store_zeros(ty, offset, span, out)
        } else {
            Ok(())
        }
    }

    fn store_zeros(&mut self, ty: TypeId, offset: u64, span: Span, out: &mut Out) -> Result<()> {
        match *self.ty(ty) {
            Type::Array(elem, n) => {
                let size = self.program.types.size(elem).unwrap_or(0);
                (0..n).try_for_each(|i| self.store_zeros(elem, offset + i * size, span, out))
            }
            Type::Record(id) => {
                let fields = self.program.types.records[id].fields.clone().unwrap_or_default();
                (fields.iter())
                    .try_for_each(|f| self.store_zeros(f.ty, offset + u64::from(f.offset), span, out))
            }
            Type::IncompleteArray(_) => Ok(()),
            _ => self.store(offset, self.zero(ty, span), out),
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
