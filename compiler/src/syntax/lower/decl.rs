//! Lowers declarations, types and declarators.

use lang_c::ast as c;
use lang_c::span::Node;

use super::super::ast::{
    DeclSpecs, Declaration, Declarator, Derived, EnumSpec, FunctionDef, InitDeclarator, Member,
    MemberDeclarator, Param, Params, Quals, Storage, StructSpec, TypeKeyword, TypeName, TypeSpec,
};
use super::Lower;
use crate::pp::{Keyword, Punct, TokenKind};
use crate::source::Span;

/// Collects the specifiers of a declaration.
struct Specs {
    storage: Vec<(Storage, Span)>,
    keywords: Vec<TypeKeyword>,
    ty: Option<TypeSpec>,
    quals: Quals,
    is_inline: bool,
    kernel: Option<Span>,
}

impl Specs {
    fn new() -> Specs {
        Specs {
            storage: Vec::new(),
            keywords: Vec::new(),
            ty: None,
            quals: Quals::default(),
            is_inline: false,
            kernel: None,
        }
    }

    fn finish(self, attributes: Vec<super::Attribute>, span: Span) -> DeclSpecs {
        DeclSpecs {
            storage: self.storage,
            ty: self.ty.unwrap_or(TypeSpec::Keywords(self.keywords)),
            quals: self.quals,
            is_inline: self.is_inline,
            is_kernel: self.kernel.is_some(),
            attributes,
            span,
        }
    }
}

impl Lower<'_> {
    pub(super) fn declaration(&mut self, n: &Node<c::Declaration>) -> Declaration {
        let (first, last) = (self.first(n), self.last(n));
        let until = n
            .node
            .declarators
            .first()
            .map_or(last, |d| self.declared_at(&d.node.declarator));
        let specs = self.declaration_specs(&n.node.specifiers, first, until);
        let typedef = specs.storage.iter().any(|s| s.0 == Storage::Typedef);
        let mut declarators = Vec::with_capacity(n.node.declarators.len());
        for d in &n.node.declarators {
            let declarator = self.declarator(&d.node.declarator);
            if let (true, Some(name)) = (typedef, &declarator.name) {
                let vector = declarator.derived.is_empty() && self.is_vector(&specs, &declarator);
                self.local_types.insert(name.name.clone(), vector);
            }
            let init = d.node.initializer.as_ref().map(|i| self.initializer(i));
            declarators.push(InitDeclarator { declarator, init });
        }
        Declaration {
            specs,
            declarators,
            span: self.range(first, last),
        }
    }

    /// Returns whether a typedef names a vector type.
    fn is_vector(&self, specs: &DeclSpecs, declarator: &Declarator) -> bool {
        let attributes = specs.attributes.iter().chain(&declarator.attributes);
        attributes
            .into_iter()
            .any(|a| a.name == "ext_vector_type" || a.name == "vector_size")
            || matches!(&specs.ty, TypeSpec::Name(n) if self.names_vector(&n.name))
    }

    pub(super) fn names_vector(&self, name: &str) -> bool {
        match self.local_types.get(name) {
            Some(v) => *v,
            None => self.source.types.get(name) == Some(true),
        }
    }

    pub(super) fn function(&mut self, n: &Node<c::FunctionDefinition>) -> FunctionDef {
        let (first, last) = (self.first(n), self.last(n));
        let f = &n.node;
        let until = self.declared_at(&f.declarator);
        let specs = self.declaration_specs(&f.specifiers, first, until);
        let declarator = self.declarator(&f.declarator);
        let old_style = |d: &Node<c::DerivedDeclarator>| matches!(&d.node, c::DerivedDeclarator::KRFunction(l) if !l.is_empty());
        let fp_contract = self.fp_contract;
        self.pragma_at = self.first(&f.statement);
        FunctionDef {
            specs,
            declarator,
            body: self.statement(&f.statement),
            span: self.range(first, last),
            fp_contract,
            k_and_r: !f.declarations.is_empty() || f.declarator.node.derived.iter().any(old_style),
        }
    }

    /// Returns the token of the declared name, or the position where the name would be.
    fn declared_at(&self, d: &Node<c::Declarator>) -> usize {
        match &d.node.kind.node {
            c::DeclaratorKind::Identifier(i) => self.first(i),
            c::DeclaratorKind::Declarator(d) => self.declared_at(d),
            c::DeclaratorKind::Abstract => self.first(d),
        }
    }

    fn declaration_specs(
        &mut self,
        list: &[Node<c::DeclarationSpecifier>],
        first: usize,
        until: usize,
    ) -> DeclSpecs {
        let mut s = Specs::new();
        for n in list {
            match &n.node {
                c::DeclarationSpecifier::StorageClass(n) => {
                    let span = self.node_span(n);
                    let storage = match n.node {
                        c::StorageClassSpecifier::Typedef => Storage::Typedef,
                        c::StorageClassSpecifier::Extern => Storage::Extern,
                        c::StorageClassSpecifier::Static => Storage::Static,
                        c::StorageClassSpecifier::Auto => Storage::Auto,
                        c::StorageClassSpecifier::Register => Storage::Register,
                        c::StorageClassSpecifier::ThreadLocal => {
                            self.diags
                                .error(span, "thread-local storage is not supported in OpenCL C");
                            continue;
                        }
                    };
                    s.storage.push((storage, span));
                }
                c::DeclarationSpecifier::TypeSpecifier(n) => self.type_specifier(n, &mut s),
                c::DeclarationSpecifier::TypeQualifier(n) => {
                    let kernel = self.qualifier(n, &mut s.quals);
                    s.kernel = s.kernel.or(kernel);
                }
                c::DeclarationSpecifier::Function(n) => s.is_inline |= n.node == c::FunctionSpecifier::Inline,
                c::DeclarationSpecifier::Alignment(n) => {
                    let span = self.node_span(n);
                    self.diags.error(span, "'_Alignas' is not supported in OpenCL C");
                }
                c::DeclarationSpecifier::Extension(_) => {}
            }
        }
        self.finish_specs(s, first, until)
    }

    fn qualified_specs(
        &mut self,
        list: &[Node<c::SpecifierQualifier>],
        first: usize,
        until: usize,
    ) -> DeclSpecs {
        let mut s = Specs::new();
        for n in list {
            match &n.node {
                c::SpecifierQualifier::TypeSpecifier(n) => self.type_specifier(n, &mut s),
                c::SpecifierQualifier::TypeQualifier(n) => {
                    if let Some(span) = self.qualifier(n, &mut s.quals) {
                        self.diags
                            .error(span, "'__kernel' attribute only applies to functions");
                    }
                }
                c::SpecifierQualifier::Extension(_) => {}
            }
        }
        self.finish_specs(s, first, until)
    }

    fn finish_specs(&mut self, s: Specs, first: usize, until: usize) -> DeclSpecs {
        let start = self.attributes_before(first);
        let attributes = self.attributes_in(start, until.max(first));
        let end = self.before(until).max(first);
        s.finish(attributes, self.range(first, end))
    }

    fn type_specifier(&mut self, n: &Node<c::TypeSpecifier>, s: &mut Specs) {
        let keyword = match &n.node {
            c::TypeSpecifier::Void => TypeKeyword::Void,
            c::TypeSpecifier::Char => TypeKeyword::Char,
            c::TypeSpecifier::Short => TypeKeyword::Short,
            c::TypeSpecifier::Int => TypeKeyword::Int,
            c::TypeSpecifier::Long => TypeKeyword::Long,
            c::TypeSpecifier::Float => TypeKeyword::Float,
            c::TypeSpecifier::Double => TypeKeyword::Double,
            c::TypeSpecifier::Signed => TypeKeyword::Signed,
            c::TypeSpecifier::Unsigned => TypeKeyword::Unsigned,
            c::TypeSpecifier::Bool => TypeKeyword::Bool,
            c::TypeSpecifier::Complex => TypeKeyword::Complex,
            c::TypeSpecifier::Atomic(_) | c::TypeSpecifier::TS18661Float(_) => {
                let span = self.node_span(n);
                self.diags.error(span, "type is not supported in OpenCL C");
                return;
            }
            c::TypeSpecifier::Struct(n) => {
                s.ty = Some(TypeSpec::Struct(Box::new(self.struct_type(n))));
                return;
            }
            c::TypeSpecifier::Enum(e) => {
                let first = self.first(n);
                s.ty = Some(TypeSpec::Enum(Box::new(self.enum_type(e, first))));
                return;
            }
            c::TypeSpecifier::TypedefName(n) => {
                s.ty = Some(TypeSpec::Name(self.ident(n)));
                return;
            }
            c::TypeSpecifier::TypeOf(of) => {
                let operand = self.after(self.first(n)) + 1;
                s.ty = Some(match &of.node {
                    c::TypeOf::Expression(e) => TypeSpec::TypeofExpr(Box::new(self.expr(e, operand).expr)),
                    c::TypeOf::Type(t) => TypeSpec::TypeofType(Box::new(self.type_name(t))),
                });
                return;
            }
        };
        s.keywords.push(keyword);
    }

    fn struct_type(&mut self, n: &Node<c::StructType>) -> StructSpec {
        let t = &n.node;
        let first = self.first(&t.kind);
        let tag = t.identifier.as_ref().map(|i| self.ident(i));
        let (attributes, last) = self.type_attributes(first, tag.is_some());
        let members = t.declarations.as_ref().map(|list| {
            let mut members = Vec::with_capacity(list.len());
            for d in list {
                if let c::StructDeclaration::Field(f) = &d.node {
                    members.push(self.member(f));
                }
            }
            members
        });
        StructSpec {
            is_union: t.kind.node == c::StructKind::Union,
            tag,
            members,
            attributes,
            pack: self.source.packs.at(first),
            span: self.range(first, last),
        }
    }

    /// Takes the attributes of a structure or enumeration: those after its keyword and tag, and those after its braces. Also
    /// returns the last token of the specifier.
    fn type_attributes(&mut self, keyword: usize, has_tag: bool) -> (Vec<super::Attribute>, usize) {
        let before_tag = self.attributes_after(keyword);
        let mut attributes = self.attributes_in(keyword, before_tag);
        let mut last = self.after(keyword);
        let brace = match has_tag {
            true => self.attributes_after(last),
            false => last,
        };
        if self.is(brace, Punct::LBrace) {
            attributes.extend(self.attributes_in(last, brace));
            last = self.partner(brace);
            let end = self.attributes_after(last);
            attributes.extend(self.attributes_in(last, end));
        }
        (attributes, last)
    }

    fn member(&mut self, n: &Node<c::StructField>) -> Member {
        let (first, last) = (self.first(n), self.last(n));
        let declared = n.node.declarators.iter().find_map(|d| d.node.declarator.as_ref());
        let until = declared.map_or(last, |d| self.declared_at(d));
        let specs = self.qualified_specs(&n.node.specifiers, first, until);
        let mut declarators = Vec::with_capacity(n.node.declarators.len());
        for d in &n.node.declarators {
            let declarator = match &d.node.declarator {
                Some(d) => self.declarator(d),
                None => self.no_declarator(self.first(d)),
            };
            let bit_width = d.node.bit_width.as_ref().map(|w| {
                let lo = self.first(w);
                self.expr(w, lo).expr
            });
            declarators.push(MemberDeclarator {
                declarator,
                bit_width,
            });
        }
        Member {
            specs,
            declarators,
            span: self.range(first, last),
        }
    }

    fn enum_type(&mut self, n: &Node<c::EnumType>, first: usize) -> EnumSpec {
        let tag = n.node.identifier.as_ref().map(|i| self.ident(i));
        let mut list = Vec::with_capacity(n.node.enumerators.len());
        for e in &n.node.enumerators {
            let name = self.ident(&e.node.identifier);
            let lo = self.after(self.first(&e.node.identifier)) + 1;
            let value = e.node.expression.as_ref().map(|e| self.expr(e, lo).expr);
            list.push((name, value));
        }
        let (attributes, last) = self.type_attributes(first, tag.is_some());
        let body = !list.is_empty() || self.is(last, Punct::RBrace);
        EnumSpec {
            tag,
            enumerators: body.then_some(list),
            attributes,
            span: self.range(first, last),
        }
    }

    fn no_declarator(&self, at: usize) -> Declarator {
        Declarator {
            name: None,
            derived: Vec::new(),
            attributes: Vec::new(),
            span: self.token_span(at),
        }
    }

    pub(super) fn declarator(&mut self, n: &Node<c::Declarator>) -> Declarator {
        let first = self.first(n);
        let mut derived = Vec::new();
        let name = self.derive(n, &mut derived);
        let mut last = self.last(n);
        let mut attributes = Vec::new();
        if let Some(name) = name {
            // Collect the attributes after the name, up to the end of the declarator.
            let mut at = name + 1;
            loop {
                let next = self.attributes_after(at - 1);
                if next > at {
                    attributes.extend(self.attributes_in(at, next));
                    at = next;
                } else if at < self.end && (self.is(at, Punct::LParen) || self.is(at, Punct::LBracket)) {
                    at = self.partner(at).max(at) + 1;
                } else if at < self.end
                    && self.is(at, Punct::RParen)
                    && self.partner(at) >= first
                    && self.partner(at) < at
                {
                    at += 1;
                } else {
                    break;
                }
            }
            last = last.max(name);
        }
        Declarator {
            name: name.map(|t| self.ident_at(t)),
            derived,
            attributes,
            span: self.range(first, last),
        }
    }

    /// Lists the type constructors of a declarator from the name outward. Returns the token of the name.
    fn derive(&mut self, n: &Node<c::Declarator>, out: &mut Vec<Derived>) -> Option<usize> {
        let name = match &n.node.kind.node {
            c::DeclaratorKind::Abstract => None,
            c::DeclaratorKind::Identifier(i) => Some(self.first(i)),
            c::DeclaratorKind::Declarator(d) => self.derive(d, out),
        };
        let mut pointers = Vec::new();
        for d in &n.node.derived {
            match &d.node {
                c::DerivedDeclarator::Pointer(list) => {
                    pointers.push(Derived::Pointer(self.pointer_quals(list)))
                }
                c::DerivedDeclarator::Block(_) => pointers.push(Derived::Block(self.node_span(d))),
                c::DerivedDeclarator::Array(a) => {
                    let size = match &a.node.size {
                        c::ArraySize::Unknown | c::ArraySize::VariableUnknown => None,
                        c::ArraySize::VariableExpression(e) | c::ArraySize::StaticExpression(e) => {
                            let mut lo = self.first(d) + 1;
                            if matches!(a.node.size, c::ArraySize::StaticExpression(_))
                                || !a.node.qualifiers.is_empty()
                            {
                                lo = self.first(e);
                            }
                            Some(Box::new(self.expr(e, lo).expr))
                        }
                    };
                    out.push(Derived::Array(size));
                }
                c::DerivedDeclarator::Function(f) => {
                    let span = self.node_span(d);
                    let params = self.params(&f.node, span);
                    out.push(Derived::Function(params));
                }
                c::DerivedDeclarator::KRFunction(_) => out.push(Derived::Function(Params {
                    list: Vec::new(),
                    variadic: false,
                    span: self.node_span(d),
                })),
            }
        }
        out.extend(pointers.into_iter().rev());
        name
    }

    fn pointer_quals(&mut self, list: &[Node<c::PointerQualifier>]) -> Quals {
        let mut quals = Quals::default();
        for q in list {
            if let c::PointerQualifier::TypeQualifier(q) = &q.node
                && let Some(span) = self.qualifier(q, &mut quals)
            {
                self.diags
                    .error(span, "'__kernel' attribute only applies to functions");
            }
        }
        quals
    }

    fn params(&mut self, f: &c::FunctionDeclarator, span: Span) -> Params {
        let mut list = Vec::with_capacity(f.parameters.len());
        for p in &f.parameters {
            let (first, last) = (self.first(p), self.last(p));
            let until = p
                .node
                .declarator
                .as_ref()
                .map_or(last + 1, |d| self.declared_at(d));
            let specs = self.declaration_specs(&p.node.specifiers, first, until);
            let declarator = match &p.node.declarator {
                Some(d) => self.declarator(d),
                None => self.no_declarator(last),
            };
            list.push(Param {
                specs,
                declarator,
                span: self.range(first, last),
            });
        }
        let variadic = f.ellipsis == c::Ellipsis::Some;
        let is_void = |p: &Param| {
            matches!(&p.specs.ty, TypeSpec::Keywords(k) if *k == [TypeKeyword::Void])
                && p.declarator.derived.is_empty()
                && p.declarator.name.is_none()
        };
        if let ([p], false) = (&list[..], variadic)
            && is_void(p)
        {
            list.clear();
        }
        Params { list, variadic, span }
    }

    pub(super) fn type_name(&mut self, n: &Node<c::TypeName>) -> TypeName {
        let (first, last) = (self.first(n), self.last(n));
        let until = n.node.declarator.as_ref().map_or(last + 1, |d| self.first(d));
        let specs = self.qualified_specs(&n.node.specifiers, first, until);
        let declarator = match &n.node.declarator {
            Some(d) => self.declarator(d),
            None => self.no_declarator(last),
        };
        TypeName {
            specs,
            declarator,
            span: self.range(first, last),
        }
    }

    /// Returns whether a type name is known to be a vector type.
    pub(super) fn is_vector_type(&self, t: &TypeName) -> bool {
        t.declarator.derived.is_empty()
            && matches!(&t.specs.ty, TypeSpec::Name(n) if self.names_vector(&n.name))
    }

    /// Returns the keyword that a token is; the rewritten text has `sizeof` for `vec_step` and `__alignof__`.
    pub(super) fn keyword(&self, token: usize) -> Option<Keyword> {
        match self.source.tokens.get(token)?.kind {
            TokenKind::Keyword(k) => Some(k),
            _ => None,
        }
    }
}
