//! Checks declarations of variables and types (6.5, 6.7, 6.8).

use super::attr::Subject;
use super::scope::{Entity, Tag};
use super::{QualType, Reported, Result, Sema};
use crate::diag::Diag;
use crate::hir::{self, ExprKind, GlobalId, GlobalVar, Init, Scalar, Space, Stmt, StmtKind, Type, TypeId};
use crate::options::ClStd;
use crate::source::Span;
use crate::syntax::ast::{DeclSpecs, Declaration, Ident, InitDeclarator, Storage, TypeSpec};

impl Sema<'_> {
    /// Analyses a declaration at file scope.
    pub(super) fn file_declaration(&mut self, d: &Declaration) {
        let Ok(base) = self.declaration_base(d) else {
            return;
        };
        for item in &d.declarators {
            if self.common_declarator(d, base, item).is_some() {
                continue;
            }
            if self.file_variable(d, base, item).is_err() {
                self.bind_invalid(item);
            }
        }
    }

    /// Analyses a declaration in a block, and appends the statements that it executes.
    pub(super) fn block_declaration(&mut self, d: &Declaration, out: &mut Vec<Stmt>) -> Result<()> {
        let base = match self.declaration_base(d) {
            Ok(b) => b,
            Err(r) => {
                d.declarators.iter().for_each(|item| self.bind_invalid(item));
                return Err(r);
            }
        };
        let mut failed = None;
        for item in &d.declarators {
            if let Some(done) = self.common_declarator(d, base, item) {
                if let Err(r) = done {
                    failed = Some(r);
                }
                continue;
            }
            if let Err(r) = self.block_variable(d, base, item, out) {
                self.bind_invalid(item);
                failed = Some(r);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// After an error, binds the name as invalid, so that its uses are not reported.
    fn bind_invalid(&mut self, item: &InitDeclarator) {
        if let Some(n) = &item.declarator.name
            && self.world.names.get_here(&n.name).is_none()
        {
            self.world.names.bind(&n.name, Entity::Invalid, n.span);
        }
    }

    fn declaration_base(&mut self, d: &Declaration) -> Result<QualType> {
        let base = match self.specs_type(&d.specs) {
            Ok(b) => b,
            Err(r) => {
                d.declarators.iter().for_each(|item| self.bind_invalid(item));
                return Err(r);
            }
        };
        let declares_type = match &d.specs.ty {
            TypeSpec::Struct(s) => s.tag.is_some(),
            TypeSpec::Enum(e) => e.tag.is_some() || e.enumerators.is_some(),
            TypeSpec::Keywords(_) | TypeSpec::Name(_) | TypeSpec::TypeofExpr(_) | TypeSpec::TypeofType(_) => {
                false
            }
        };
        let subject = match d.declarators.first() {
            _ if storage_of(&d.specs) == Some(Storage::Typedef) => Subject::Typedef,
            Some(item) if self.declares_function(base, item) => Subject::Function,
            // Attributes before the keyword of a structure that is defined do not apply to the structure.
            Some(_) | None => Subject::Variable,
        };
        self.check_attributes(&d.specs.attributes, subject);
        if d.declarators.is_empty() {
            if !declares_type {
                self.warning(d.span, "declaration does not declare anything");
            }
            self.only_of_functions(&d.specs);
        } else if let TypeSpec::Enum(e) = &d.specs.ty
            && e.enumerators.is_none()
            && let Some(tag) = &e.tag
            && matches!(
                self.world.tags.get(&tag.name),
                Some(Tag::Enum { defined: false, .. })
            )
        {
            return Err(self.error(
                tag.span,
                format!("variable has incomplete type 'enum {}'", tag.name),
            ));
        }
        if let Some((_, span)) = d.specs.storage.get(1) {
            self.error(*span, "cannot combine with previous declaration specifier");
        }
        Ok(base)
    }

    fn declares_function(&self, base: QualType, item: &InitDeclarator) -> bool {
        match item.declarator.derived.first() {
            Some(first) => matches!(first, crate::syntax::ast::Derived::Function(_)),
            None => matches!(self.ty(base.ty), Type::Function { .. }),
        }
    }

    /// Reports specifiers that only functions can have.
    fn only_of_functions(&mut self, specs: &DeclSpecs) {
        if specs.is_kernel {
            self.error(specs.span, "'__kernel' attribute only applies to functions");
        }
        if specs.is_inline {
            self.error(specs.span, "'inline' can only appear on functions");
        }
    }

    /// Reports `auto` and `register`, which OpenCL C lacks (6.8), and storage classes that the requested
    /// version lacks.
    pub(super) fn check_storage(&mut self, specs: &DeclSpecs) {
        if self.in_library {
            return;
        }
        let std = self.options.std;
        for &(storage, span) in &specs.storage {
            let word = match storage {
                Storage::Auto => "auto",
                Storage::Register => "register",
                Storage::Extern if std < ClStd::Cl12 => "extern",
                Storage::Static if std < ClStd::Cl12 => "static",
                Storage::Typedef | Storage::Extern | Storage::Static => continue,
            };
            self.error(
                span,
                format!(
                    "OpenCL C version {} does not support the '{word}' storage class specifier",
                    std.text()
                ),
            );
        }
    }

    /// Analyses a typedef or function declarator, which is the same in all scopes. Returns `None` for a
    /// variable.
    fn common_declarator(
        &mut self,
        d: &Declaration,
        base: QualType,
        item: &InitDeclarator,
    ) -> Option<Result<()>> {
        let storage = storage_of(&d.specs);
        if storage == Some(Storage::Typedef) {
            self.only_of_functions(&d.specs);
            return Some(self.typedef(base, &d.specs, item));
        }
        self.check_storage(&d.specs);
        if !self.declares_function(base, item) {
            self.only_of_functions(&d.specs);
            return None;
        }
        if item.init.is_some() {
            let span = item.declarator.name.as_ref().map_or(d.span, |n| n.span);
            self.error(span, "illegal initializer (only variables can be initialized)");
        }
        if d.specs.is_kernel && storage == Some(Storage::Static) {
            self.error(d.span, "kernel functions cannot be declared static");
        }
        Some(self.function_declaration(base, &d.specs, &item.declarator))
    }

    fn typedef(&mut self, base: QualType, specs: &DeclSpecs, item: &InitDeclarator) -> Result<()> {
        let d = &item.declarator;
        let Some(name) = &d.name else {
            self.warning(d.span, "typedef requires a name");
            return Ok(());
        };
        self.check_attributes(&d.attributes, Subject::Typedef);
        let mut q = self.declarator_type(base, d)?;
        let mut layout = self.layout_attributes(&d.attributes);
        let outer = self.layout_attributes(&specs.attributes);
        layout.align = layout.align.max(outer.align);
        if layout.align > 0 {
            q.align = layout.align;
        }
        for list in [&d.attributes, &specs.attributes] {
            let size = match self.ty(q.ty) {
                Type::Scalar(s) => s.bytes(),
                _ => 1,
            };
            if let Some((n, span)) = self.vector_lanes(list, size) {
                match (self.ty(q.ty), n) {
                    (&Type::Scalar(s), 2 | 3 | 4 | 8 | 16) if s != Scalar::Bool => {
                        q.ty = self.vector_ty(s, n as u8);
                    }
                    _ => {
                        return Err(self.error(span, "invalid vector type"));
                    }
                }
            }
        }
        for list in [&d.attributes, &specs.attributes] {
            if let Some(ty) = self.matrix_type(list, q.ty)? {
                q.ty = ty;
            }
        }
        if let Type::Record(id) = *self.ty(q.ty)
            && self.program.types.records[id].tag.is_none()
        {
            self.record_names.entry(id).or_insert_with(|| name.name.clone());
        }
        match self.world.names.get_here(&name.name) {
            Some((Entity::Typedef(old), _))
                if old.ty == q.ty && old.is_const == q.is_const && old.space == q.space => {}
            Some((Entity::Typedef(old), previous)) => {
                let (a, b) = (self.type_name(q.ty), self.type_name(old.ty));
                return Err(self.report(
                    Diag::error(
                        name.span,
                        format!("typedef redefinition with different types ('{a}' vs '{b}')"),
                    )
                    .note(previous, "previous definition is here"),
                ));
            }
            Some((Entity::Invalid, _)) | None => {}
            Some((_, previous)) => {
                return Err(self.report(
                    Diag::error(
                        name.span,
                        format!("redefinition of '{}' as different kind of symbol", name.name),
                    )
                    .note(previous, "previous definition is here"),
                ));
            }
        }
        self.world.names.bind(&name.name, Entity::Typedef(q), name.span);
        Ok(())
    }

    /// Returns the alignment of a variable in bytes.
    fn variable_align(&mut self, q: &QualType, specs: &DeclSpecs, item: &InitDeclarator) -> u32 {
        self.check_attributes(&item.declarator.attributes, Subject::Variable);
        let own = self.layout_attributes(&item.declarator.attributes).align;
        let outer = self.layout_attributes(&specs.attributes).align;
        own.max(outer).max(q.align).max(self.program.types.align(q.ty))
    }

    /// Reports types that no variable can have.
    fn check_variable_type(&mut self, ty: TypeId, name: &Ident) -> Result<()> {
        match *self.ty(ty) {
            Type::Scalar(Scalar::Half) | Type::Vector(Scalar::Half, _) if !self.has_half => {
                let t = self.type_name(ty);
                Err(self.error(
                    name.span,
                    format!("declaring variable of type '{t}' is not allowed"),
                ))
            }
            Type::Array(elem, _) | Type::IncompleteArray(elem) => self.check_variable_type(elem, name),
            Type::Image { .. } | Type::Pipe { .. } | Type::AnyMatrix => {
                let t = self.type_name(ty);
                Err(self.error(
                    name.span,
                    format!("type '{t}' can only be used as a function parameter in OpenCL"),
                ))
            }
            _ => Ok(()),
        }
    }

    fn redefinition(&mut self, name: &Ident, previous: Span) -> Reported {
        self.report(
            Diag::error(name.span, format!("redefinition of '{}'", name.name))
                .note(previous, "previous definition is here"),
        )
    }

    fn file_variable(&mut self, d: &Declaration, base: QualType, item: &InitDeclarator) -> Result<()> {
        let Some(name) = &item.declarator.name else {
            self.warning(d.span, "declaration does not declare anything");
            return Ok(());
        };
        let q = self.declarator_type(base, &item.declarator)?;
        self.check_variable_type(q.ty, name)?;
        let is_sampler = *self.ty(q.ty) == Type::Sampler;
        if *self.ty(q.ty) == Type::Event {
            return Err(self.error(
                name.span,
                "the event_t type can only be used with __private address space qualifier",
            ));
        }
        let space = match q.space {
            None if is_sampler => Space::Constant,
            // OpenCL C 3.0, 6.7.1: the address space of a program-scope variable is global unless it is stated.
            None if self.has_global_variables() => Space::Global,
            space => space.unwrap_or(Space::Private),
        };
        let message = match (space, self.has_global_variables()) {
            (Space::Constant, _) | (Space::Global, true) => {
                return self.static_variable(d, q, item, name, space);
            }
            (_, true) => "program scope variable must reside in global or constant address space",
            (_, false) => "program scope variable must reside in constant address space",
        };
        // The initializer is not analysed, because it could only add errors.
        let mut error = Diag::error(name.span, message);
        if !self.has_global_variables() && self.options.std >= ClStd::Cl20 {
            let missing = "global memory requires __opencl_c_program_scope_global_variables, which the device does \
                           not have";
            error = error.note(name.span, missing);
        }
        Err(self.report(error))
    }

    /// Analyses a variable in constant memory at program or kernel scope, or one in global memory at program scope or
    /// `static` in a function.
    fn static_variable(
        &mut self,
        d: &Declaration,
        q: QualType,
        item: &InitDeclarator,
        name: &Ident,
        space: Space,
    ) -> Result<()> {
        let storage = storage_of(&d.specs);
        let is_extern = storage == Some(Storage::Extern);
        let here = match self.world.names.get_here(&name.name) {
            Some((Entity::Invalid, _)) | None if self.body.is_none() => {
                let declared = self.block_externs.remove(&name.name);
                declared.map(|id| (Entity::Global(id), self.program.globals[id].span))
            }
            here => here,
        };
        let known = match here {
            Some((Entity::Global(id), previous)) => {
                let compatible = self.same_but_qualifiers(self.program.globals[id].ty, q.ty);
                if !compatible {
                    let (a, b) = (self.type_name(q.ty), self.type_name(self.program.globals[id].ty));
                    return Err(self.report(
                        Diag::error(
                            name.span,
                            format!(
                                "redefinition of '{}' with a different type: '{a}' vs '{b}'",
                                name.name
                            ),
                        )
                        .note(previous, "previous definition is here"),
                    ));
                }
                if self.program.globals[id].space != space {
                    let message = format!("redefinition of '{}' with a different address space", name.name);
                    return Err(self.report(
                        Diag::error(name.span, message).note(previous, "previous definition is here"),
                    ));
                }
                let defined = self.program.globals[id].init.is_some() && !self.tentative.contains(&id);
                let in_function = self.body.is_some() && space == Space::Global;
                if defined && item.init.is_some() || in_function {
                    return Err(self.redefinition(name, previous));
                }
                Some(id)
            }
            Some((Entity::Invalid, _)) | None => None,
            Some((_, previous)) => {
                return Err(self.report(
                    Diag::error(
                        name.span,
                        format!("redefinition of '{}' as different kind of symbol", name.name),
                    )
                    .note(previous, "previous definition is here"),
                ));
            }
        };
        let align = self.variable_align(&q, &d.specs, item);
        let is_sampler = *self.ty(q.ty) == Type::Sampler;
        if item.init.is_none() && is_sampler {
            return Err(self.error(name.span, "variable of type 'sampler_t' must be initialized"));
        }
        if item.init.is_none() && !is_extern && known.is_none() && space == Space::Constant {
            return Err(self.error(
                name.span,
                "variable in constant address space must be initialized",
            ));
        }
        let id = match known {
            Some(id) => id,
            None => {
                let prefix = match &self.body {
                    Some(b) => format!("{}.", self.program.functions[b.func].name),
                    None => String::new(),
                };
                let id = self.new_global(format!("{prefix}{}", name.name), q, space, align, name.span);
                if space == Space::Global && (storage == Some(Storage::Static) || self.body.is_some()) {
                    self.program.globals[id].linkage = hir::Linkage::Static;
                }
                id
            }
        };
        self.world.names.bind(&name.name, Entity::Global(id), name.span);
        if let Some(init) = &item.init {
            // Inside a kernel, these expressions must be constants too.
            let (ty, values, bytes) = self.constant_initializer(q.ty, init)?;
            self.program.globals[id].ty = ty;
            self.complete(ty, name.span, "variable")?;
            let data = if *self.ty(ty) == Type::Sampler {
                self.sampler_data(&values, name.span)?
            } else {
                self.constant_data(ty, &values, bytes, name.span)?
            };
            self.program.globals[id].init = Some(data);
            self.tentative.remove(&id);
        } else if !is_extern {
            // C99 6.7p7: only an object without linkage must be complete when it is declared.
            self.complete(q.ty, name.span, "variable")?;
            let var = &mut self.program.globals[id];
            if space == Space::Global && var.init.is_none() {
                // OpenCL C 3.0, 6.7.1: it begins as zeros.
                var.init = Some(hir::ConstData::default());
                var.ty = q.ty;
                self.tentative.insert(id);
            }
        }
        Ok(())
    }

    /// Analyses an `extern` variable in a function, which names a program-scope variable that is declared before or after
    /// it.
    fn block_extern(
        &mut self,
        d: &Declaration,
        q: QualType,
        item: &InitDeclarator,
        name: &Ident,
        space: Space,
    ) -> Result<()> {
        if item.init.is_some() {
            return Err(self.error(name.span, "'extern' variable cannot have an initializer"));
        }
        let known = match self.world.names.get_global(&name.name) {
            Some(Entity::Global(id)) => Some(id),
            _ => self.block_externs.get(&name.name).copied(),
        };
        let id = match known {
            Some(id)
                if self.same_but_qualifiers(self.program.globals[id].ty, q.ty)
                    && self.program.globals[id].space == space =>
            {
                id
            }
            Some(id) => {
                let (a, b) = (self.type_name(q.ty), self.type_name(self.program.globals[id].ty));
                let message = format!(
                    "redeclaration of '{}' with a different type: '{a}' vs '{b}'",
                    name.name
                );
                let previous = self.program.globals[id].span;
                return Err(self
                    .report(Diag::error(name.span, message).note(previous, "previous declaration is here")));
            }
            None => {
                let align = self.variable_align(&q, &d.specs, item);
                let id = self.new_global(name.name.clone(), q, space, align, name.span);
                self.block_externs.insert(name.name.clone(), id);
                id
            }
        };
        self.world.names.bind(&name.name, Entity::Global(id), name.span);
        Ok(())
    }

    /// Returns the bits of a sampler's initializer.
    fn sampler_data(&mut self, init: &Init, span: Span) -> Result<hir::ConstData> {
        let value = init.stores.first().and_then(|(_, e)| match &e.kind {
            ExprKind::Convert(hir::Convert::Bits, inner) => self.int_value(inner),
            _ => None,
        });
        match value {
            Some(v) => Ok(hir::ConstData {
                bytes: (v as u64).to_le_bytes().to_vec(),
                relocations: Vec::new(),
            }),
            None => Err(self.error(span, "initializer element is not a compile-time constant")),
        }
    }

    fn new_global(&mut self, name: String, q: QualType, space: Space, align: u32, span: Span) -> GlobalId {
        let mut element = q.ty;
        while let Type::Array(elem, _) | Type::IncompleteArray(elem) = *self.ty(element) {
            element = elem;
        }
        if self.as_matrix(element).is_some() {
            let t = self.type_name(element);
            self.error(
                span,
                format!("a variable of type '{t}' must be in private memory"),
            );
        }
        let id = self.program.globals.push(GlobalVar {
            name,
            ty: q.ty,
            space,
            align,
            init: None,
            linkage: hir::Linkage::External,
            span,
        });
        self.global_quals.push((q.is_const, q.is_volatile));
        id
    }

    fn block_variable(
        &mut self,
        d: &Declaration,
        base: QualType,
        item: &InitDeclarator,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let Some(name) = &item.declarator.name else {
            self.warning(d.span, "declaration does not declare anything");
            return Ok(());
        };
        let q = self.declarator_type(base, &item.declarator)?;
        self.check_variable_type(q.ty, name)?;
        let storage = storage_of(&d.specs);
        let is_static = matches!(storage, Some(Storage::Static | Storage::Extern));
        let variables = is_static && self.has_global_variables();
        let space = match q.space {
            None if variables && *self.ty(q.ty) != Type::Sampler => Space::Global,
            space => space.unwrap_or(Space::Private),
        };
        match storage {
            Some(Storage::Static) if variables && space == Space::Global => {
                return self.static_variable(d, q, item, name, space);
            }
            Some(Storage::Extern) if variables && space == Space::Global => {
                return self.block_extern(d, q, item, name, space);
            }
            // OpenCL C 2.0 allows it in all functions.
            Some(Storage::Static) if variables && space == Space::Constant => {
                return self.static_variable(d, q, item, name, space);
            }
            // A sampler is a constant, whatever its address-space qualifier (6.12.14.1).
            Some(Storage::Static) if space != Space::Constant && *self.ty(q.ty) != Type::Sampler => {
                let global = if variables { "global or " } else { "" };
                let message = format!("static local variable must reside in {global}constant address space");
                return Err(self.error(name.span, message));
            }
            Some(Storage::Extern) if space != Space::Constant => {
                return Err(self.error(name.span, "extern variable must reside in constant address space"));
            }
            _ => {}
        }
        let (is_kernel, depth) = self.body.as_ref().map_or((false, 0), |b| (b.is_kernel, b.depth));
        match space {
            // A sampler is a constant wherever it is declared (6.12.14.1).
            Space::Private if *self.ty(q.ty) == Type::Sampler => {
                self.static_variable(d, q, item, name, Space::Constant)
            }
            Space::Private => self.private_variable(d, q, item, name, out),
            Space::Global | Space::Generic => {
                let word = if space == Space::Global {
                    "global"
                } else {
                    "generic"
                };
                let message = format!("function scope variable cannot be declared in {word} address space");
                Err(self.error(name.span, message))
            }
            // The declaration names a program-scope variable.
            Space::Constant if storage == Some(Storage::Extern) => self.block_extern(d, q, item, name, space),
            Space::Constant | Space::Local if !is_kernel && !self.in_library => {
                let word = if space == Space::Local {
                    "local"
                } else {
                    "constant"
                };
                Err(self.error(
                    name.span,
                    format!("non-kernel function variable cannot be declared in {word} address space"),
                ))
            }
            Space::Constant | Space::Local => {
                if depth > 1 {
                    self.warn_of_block(space, name);
                }
                match space {
                    Space::Constant => self.static_variable(d, q, item, name, space),
                    _ => self.local_variable(d, q, item, name),
                }
            }
        }
    }

    /// Warns of a `__local` or `__constant` variable in an inner block of a kernel. Such variables must be declared at the
    /// kernel's scope (CL 1.2, 6.5.2 and 6.5.3), but some programs have them in blocks, and other implementations accept
    /// that. They exist as long as those at the kernel's scope.
    fn warn_of_block(&mut self, space: Space, name: &Ident) {
        let word = if space == Space::Local {
            "local"
        } else {
            "constant"
        };
        let message = format!(
            "variables in the {word} address space should be declared in the outermost scope of a kernel function"
        );
        self.warning(name.span, message);
    }

    /// Analyses a `__local` variable of a kernel.
    fn local_variable(
        &mut self,
        d: &Declaration,
        q: QualType,
        item: &InitDeclarator,
        name: &Ident,
    ) -> Result<()> {
        if item.init.is_some() {
            return Err(self.error(name.span, "'__local' variable cannot have an initializer"));
        }
        self.complete(q.ty, name.span, "variable")?;
        if let Some((_, previous)) = self.world.names.get_here(&name.name) {
            return Err(self.redefinition(name, previous));
        }
        let align = self.variable_align(&q, &d.specs, item);
        let prefix = self
            .body
            .as_ref()
            .map_or(String::new(), |b| self.program.functions[b.func].name.clone());
        let id = self.new_global(
            format!("{prefix}.{}", name.name),
            q,
            Space::Local,
            align,
            name.span,
        );
        self.world.names.bind(&name.name, Entity::Global(id), name.span);
        Ok(())
    }

    fn private_variable(
        &mut self,
        d: &Declaration,
        q: QualType,
        item: &InitDeclarator,
        name: &Ident,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        if let Some((entity, previous)) = self.world.names.get_here(&name.name)
            && !matches!(entity, Entity::Invalid)
        {
            return Err(self.redefinition(name, previous));
        }
        if item.init.is_none() || !matches!(self.ty(q.ty), Type::IncompleteArray(_)) {
            self.complete(q.ty, name.span, "variable")?;
        }
        let align = self.variable_align(&q, &d.specs, item);
        let Some(body) = &mut self.body else {
            return Err(Reported);
        };
        let id = body.locals.push(hir::Local {
            name: name.name.clone(),
            ty: q.ty,
            align,
            is_volatile: q.is_volatile,
            span: name.span,
        });
        let entity = Entity::Local {
            id,
            is_const: q.is_const,
        };
        self.world.names.bind(&name.name, entity, name.span);
        let Some(init) = &item.init else {
            return Ok(());
        };
        // The name stays valid for the following code even if its initializer is not.
        let (ty, init) = self.initializer(q.ty, init)?;
        let constant = match &init.stores[..] {
            [(0, e)] if q.is_const && !init.zero => match &e.kind {
                ExprKind::Const(bits) if bits.len() == 1 => Some(bits[0]),
                _ => None,
            },
            _ => None,
        };
        if let Some(body) = &mut self.body {
            body.locals[id].ty = ty;
            if let Some(bits) = constant
                && !q.is_volatile
            {
                body.const_locals.insert(id, bits);
            }
        }
        out.push(Stmt {
            kind: StmtKind::Init(id, init),
            span: name.span,
        });
        Ok(())
    }
}

/// Returns the storage class of a declaration.
fn storage_of(specs: &DeclSpecs) -> Option<Storage> {
    specs.storage.first().map(|s| s.0)
}
