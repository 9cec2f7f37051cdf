//! Analyses structures, unions and enumerations, and their layout (6.1.5, 6.11.1; C99 6.7.2).

use super::attr::{Layout, Subject};
use super::scope::{Entity, Tag};
use super::{QualType, Reported, Result, Sema, type_spec};
use crate::diag::Diag;
use crate::hash::HashMap;
use crate::hir::ty::Field;
use crate::hir::{Record, RecordId, Scalar, Type, TypeId, value};
use crate::source::Span;
use crate::syntax::ast::{
    Attribute, Declarator, Derived, EnumSpec, Ident, Member, MemberDeclarator, StructSpec,
};

/// The layout of a record while its members are added.
struct Placement {
    size: u64,
    align: u32,
    packed: bool,
    /// The greatest alignment that a member may have.
    most: u32,
    is_union: bool,
    /// The names of the members so far, including the members of anonymous members.
    names: HashMap<String, Span>,
}

impl Placement {
    fn place(&mut self, size: u64, align: u32) -> u64 {
        let align = align.max(1);
        self.align = self.align.max(align);
        if self.is_union {
            self.size = self.size.max(size);
            return 0;
        }
        let offset = self.size.next_multiple_of(u64::from(align));
        self.size = offset.saturating_add(size);
        offset
    }
}

impl Sema<'_> {
    /// Returns the type of a `struct` or `union` specifier.
    pub(super) fn record_type(&mut self, spec: &StructSpec) -> Result<TypeId> {
        let id = match &spec.tag {
            None => self.new_record(spec, None),
            Some(tag) => {
                let known = match spec.members {
                    Some(_) => self.world.tags.get_here(&tag.name).map(|t| t.0),
                    None => self.world.tags.get(&tag.name),
                };
                let known = match known {
                    None if self.in_library && spec.members.is_none() => {
                        let key = format!("struct {}", tag.name);
                        if let Some(d) = super::builtin::library_declaration(self, &key) {
                            self.in_world(true, |s| s.file_declaration(&d));
                        }
                        self.world.tags.get(&tag.name)
                    }
                    known => known,
                };
                match known {
                    Some(Tag::Record(id)) if self.program.types.records[id].is_union == spec.is_union => id,
                    Some(_) => return Err(self.tag_mismatch(tag)),
                    None => {
                        let id = self.new_record(spec, Some(tag.name.clone()));
                        self.world.tags.bind(&tag.name, Tag::Record(id), tag.span);
                        id
                    }
                }
            }
        };
        if let Some(members) = &spec.members {
            if self.program.types.records[id].fields.is_some() {
                let tag = spec.tag.as_ref().map_or(String::new(), |t| t.name.clone());
                let previous = self.world.tags.get_here(&tag).map_or(Span::NONE, |t| t.1);
                return Err(self.report(
                    Diag::error(spec.span, format!("redefinition of '{tag}'"))
                        .note(previous, "previous definition is here"),
                ));
            }
            self.check_attributes(&spec.attributes, Subject::Type);
            let layout = self.layout_attributes(&spec.attributes);
            self.define_record(id, spec, members, layout);
        }
        Ok(self.program.types.intern(Type::Record(id)))
    }

    fn tag_mismatch(&mut self, tag: &Ident) -> Reported {
        let message = format!(
            "use of '{}' with tag type that does not match previous declaration",
            tag.name
        );
        let mut d = Diag::error(tag.span, message);
        if let Some(previous) = self.world.tags.declared_at(&tag.name) {
            d = d.note(previous, "previous use is here");
        }
        self.report(d)
    }

    fn new_record(&mut self, spec: &StructSpec, tag: Option<String>) -> RecordId {
        self.program.types.records.push(Record {
            tag,
            is_union: spec.is_union,
            fields: None,
            size: 0,
            align: 1,
        })
    }

    fn define_record(&mut self, id: RecordId, spec: &StructSpec, members: &[Member], layout: Layout) {
        let mut at = Placement {
            size: 0,
            align: 1,
            packed: layout.packed,
            most: if spec.pack == 0 { u32::MAX } else { spec.pack },
            is_union: self.program.types.records[id].is_union,
            names: HashMap::default(),
        };
        let mut fields = Vec::new();
        let mut flexible = None;
        for m in members {
            // An error in one member leaves the others usable.
            let _ = self.member(id, m, &mut at, &mut fields);
            if let Some((name, ty, span)) = flexible.take() {
                self.error(
                    span,
                    format!("flexible array member '{name}' with type '{ty}' is not at the end of struct"),
                );
            }
            let last = fields
                .last()
                .filter(|f| matches!(self.ty(f.ty), Type::IncompleteArray(_)));
            if let Some(f) = last {
                let name = f.name.clone().unwrap_or_default();
                flexible = Some((name, self.type_name(f.ty), m.span));
            }
        }
        if let Some((name, _, span)) = flexible {
            if at.is_union {
                self.error(
                    span,
                    format!("flexible array member '{name}' in a union is not allowed"),
                );
            } else if fields.len() == 1 {
                let message = format!("flexible array member '{name}' not allowed in otherwise empty struct");
                self.error(span, message);
            }
        }
        let align = at.align.max(layout.align);
        let size = at.size.next_multiple_of(u64::from(align));
        if size > type_spec::MAX_OBJECT {
            self.error(spec.span, "structure is too large");
        }
        let r = &mut self.program.types.records[id];
        r.size = size as u32;
        r.align = align;
        r.fields = Some(fields);
    }

    fn member(
        &mut self,
        id: RecordId,
        m: &Member,
        at: &mut Placement,
        fields: &mut Vec<Field>,
    ) -> Result<()> {
        let base = self.specs_type(&m.specs)?;
        if base.is_size && !m.declarators.iter().all(|d| is_pointer(&d.declarator)) {
            self.size_records.insert(id);
        }
        self.check_attributes(&m.specs.attributes, Subject::Member);
        if m.declarators.is_empty() {
            let anonymous = matches!(self.ty(base.ty), Type::Record(_))
                && matches!(&m.specs.ty, crate::syntax::ast::TypeSpec::Struct(s) if s.tag.is_none());
            if !anonymous {
                self.warning(m.span, "declaration does not declare anything");
                return Ok(());
            }
            let offset = self.place_member(base, &[&m.specs.attributes], at, m.span)?;
            if let Type::Record(inner) = *self.ty(base.ty) {
                let mut names = Vec::new();
                self.member_names(inner, &mut names);
                for name in names {
                    self.check_name(&mut at.names, &name, m.span);
                }
            }
            fields.push(Field {
                name: None,
                ty: base.ty,
                offset,
                is_const: base.is_const,
                is_volatile: base.is_volatile,
            });
            return Ok(());
        }
        for d in &m.declarators {
            let _ = self.member_declarator(m, base, d, at, fields);
        }
        Ok(())
    }

    fn member_declarator(
        &mut self,
        m: &Member,
        base: QualType,
        d: &MemberDeclarator,
        at: &mut Placement,
        fields: &mut Vec<Field>,
    ) -> Result<()> {
        let span = d.declarator.name.as_ref().map_or(d.declarator.span, |n| n.span);
        if d.bit_width.is_some() {
            return Err(self.error(span, "bit-fields are not supported in OpenCL"));
        }
        self.check_attributes(&d.declarator.attributes, Subject::Member);
        let q = self.declarator_type(base, &d.declarator)?;
        match *self.ty(q.ty) {
            Type::Image { .. }
            | Type::Sampler
            | Type::Event
            | Type::Pipe { .. }
            | Type::Matrix(_)
            | Type::AnyMatrix => {
                let name = self.type_name(q.ty);
                return Err(self.error(
                    span,
                    format!("the '{name}' type cannot be used to declare a structure or union field"),
                ));
            }
            Type::Function { .. } => {
                let name = d.declarator.name.as_ref().map_or("", |n| &n.name);
                return Err(self.error(span, format!("field '{name}' declared as a function")));
            }
            _ => {}
        }
        if q.space.is_some_and(|s| s != crate::hir::Space::Private) {
            return Err(self.error(span, "field may not be qualified with an address space"));
        }
        let offset = self.place_member(q, &[&m.specs.attributes, &d.declarator.attributes], at, span)?;
        if let Some(name) = &d.declarator.name {
            self.check_name(&mut at.names, &name.name, name.span);
        }
        fields.push(Field {
            name: d.declarator.name.as_ref().map(|n| n.name.clone()),
            ty: q.ty,
            offset,
            is_const: q.is_const,
            is_volatile: q.is_volatile,
        });
        Ok(())
    }

    fn place_member(
        &mut self,
        q: QualType,
        attributes: &[&[Attribute]],
        at: &mut Placement,
        span: Span,
    ) -> Result<u32> {
        let size = match *self.ty(q.ty) {
            // A flexible array member has size 0.
            Type::IncompleteArray(_) => 0,
            _ => {
                self.complete(q.ty, span, "field")?;
                self.program.types.size(q.ty).unwrap_or(0)
            }
        };
        let mut layout = Layout::default();
        for list in attributes {
            let l = self.layout_attributes(list);
            layout.packed |= l.packed;
            layout.align = layout.align.max(l.align);
        }
        let natural = if q.align > 0 {
            q.align
        } else {
            self.program.types.align(q.ty)
        };
        let align = if at.packed || layout.packed { 1 } else { natural };
        // As in clang, the pragma also overrides `aligned` on the member, but not on the structure.
        let offset = at.place(size, align.max(layout.align).min(at.most));
        if offset > type_spec::MAX_OBJECT {
            return Err(self.error(span, "structure is too large"));
        }
        Ok(offset as u32)
    }

    /// Reports a member name that another member already has; `names` contains the names so far.
    fn check_name(&mut self, names: &mut HashMap<String, Span>, name: &str, span: Span) {
        if let Some(previous) = names.insert(name.to_string(), span) {
            self.report(
                Diag::error(span, format!("duplicate member '{name}'"))
                    .note(previous, "previous declaration is here"),
            );
        }
    }

    pub(super) fn member_names(&self, id: RecordId, out: &mut Vec<String>) {
        for f in self.program.types.records[id].fields.iter().flatten() {
            match (&f.name, self.ty(f.ty)) {
                (Some(name), _) => out.push(name.clone()),
                (None, Type::Record(inner)) => self.member_names(*inner, out),
                (None, _) => {}
            }
        }
    }

    /// Finds a member by name, also inside anonymous members. Returns its field with the offset from the
    /// start of `id`.
    pub(super) fn find_field(&self, id: RecordId, name: &str) -> Option<Field> {
        for f in self.program.types.records[id].fields.iter().flatten() {
            match (&f.name, self.ty(f.ty)) {
                (Some(n), _) if n == name => return Some(f.clone()),
                (None, Type::Record(inner)) => {
                    if let Some(found) = self.find_field(*inner, name) {
                        return Some(Field {
                            offset: f.offset + found.offset,
                            is_const: f.is_const || found.is_const,
                            is_volatile: f.is_volatile || found.is_volatile,
                            ..found
                        });
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the type of an `enum` specifier, and declares its enumerators.
    pub(super) fn enum_type(&mut self, spec: &EnumSpec) -> Result<TypeId> {
        if let Some(tag) = &spec.tag {
            let known = match spec.enumerators {
                Some(_) => self.world.tags.get_here(&tag.name).map(|t| t.0),
                None => self.world.tags.get(&tag.name),
            };
            match (known, &spec.enumerators) {
                (Some(Tag::Enum { ty, .. }), None) => return Ok(ty),
                (None, None) => {
                    let ty = self.common.uint;
                    self.world
                        .tags
                        .bind(&tag.name, Tag::Enum { ty, defined: false }, tag.span);
                    return Ok(ty);
                }
                (Some(Tag::Enum { defined: true, .. }), Some(_)) => {
                    let previous = self.world.tags.get_here(&tag.name).map_or(Span::NONE, |t| t.1);
                    return Err(self.report(
                        Diag::error(tag.span, format!("redefinition of '{}'", tag.name))
                            .note(previous, "previous definition is here"),
                    ));
                }
                (Some(Tag::Record(_)), _) => return Err(self.tag_mismatch(tag)),
                (Some(Tag::Enum { defined: false, .. }) | None, Some(_)) => {}
            }
        }
        let mut next = 0i128;
        let mut wide = Vec::new();
        let (mut low, mut high) = (0i128, 0i128);
        for (name, value) in spec.enumerators.iter().flatten() {
            if let Some(e) = value
                && let Ok(v) = self.value(e)
            {
                match self.int_value(&v) {
                    Some(n) => next = n,
                    None => {
                        self.error(e.span, "expression is not an integer constant expression");
                    }
                }
            }
            low = low.min(next);
            high = high.max(next);
            let ty = if i32::try_from(next).is_ok() {
                self.common.int
            } else if u32::try_from(next).is_ok() {
                self.common.uint
            } else if i64::try_from(next).is_ok() {
                self.common.long
            } else {
                self.common.ulong
            };
            let bits = match self.program.types.size(ty) {
                Some(4) => next as u64 & 0xffff_ffff,
                _ => next as u64,
            };
            if let Some((_, previous)) = self.world.names.get_here(&name.name) {
                self.report(
                    Diag::error(name.span, format!("redefinition of enumerator '{}'", name.name))
                        .note(previous, "previous definition is here"),
                );
            }
            self.world
                .names
                .bind(&name.name, Entity::Enumerator { bits, ty }, name.span);
            if ty != self.common.int {
                wide.push((name, next as u64));
            }
            next += 1;
        }
        self.check_attributes(&spec.attributes, Subject::Type);
        let is_packed = self.layout_attributes(&spec.attributes).packed;
        let small = [Scalar::UChar, Scalar::Char, Scalar::UShort, Scalar::Short].into_iter();
        let small = small.filter(|s| is_packed && s.is_signed() == (low < 0));
        let fits = |s: &Scalar| [low, high].iter().all(|&n| value::int_of(n as u64, *s) == n);
        let large = match (low < 0, i32::try_from(high).is_ok() && i32::try_from(low).is_ok()) {
            (true, true) => Scalar::Int,
            (false, _) if u32::try_from(high).is_ok() => Scalar::UInt,
            (false, _) if i64::try_from(high).is_err() => Scalar::ULong,
            _ => Scalar::Long,
        };
        let scalar = small.into_iter().find(fits).unwrap_or(large);
        let ty = self.program.types.scalar(scalar);
        // As in clang and GCC, enumerators that do not fit int have the type of the enumeration after its brace.
        for (name, bits) in wide {
            let names = &mut self.world.names;
            names.bind(&name.name, Entity::Enumerator { bits, ty }, name.span);
        }
        if let Some(tag) = &spec.tag {
            self.world
                .tags
                .bind(&tag.name, Tag::Enum { ty, defined: true }, tag.span);
        }
        Ok(ty)
    }
}

fn is_pointer(d: &Declarator) -> bool {
    d.derived.iter().any(|step| matches!(step, Derived::Pointer(_)))
}
