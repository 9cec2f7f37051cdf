//! Checks function declarations and definitions (6.8, 6.9), and that no function is recursive.

use super::attr::Subject;
use super::scope::{Entity, OverloadsId, Suspended};
use super::{Body, QualType, Result, Sema, Signature, attr, builtin};
use crate::diag::Diag;
use crate::entity::{EntityRef, Map};
use crate::hash::HashMap;
use crate::hir::{self, FuncId, LabelId, Linkage, LocalId, Scalar, Type, TypeId};
use crate::source::Span;
use crate::syntax::ast::{self, DeclSpecs, Declarator, Derived, FunctionDef, Ident, Params, Storage};

/// The state of a label in a function.
#[derive(Clone)]
pub(super) struct LabelState {
    pub(super) id: LabelId,
    pub(super) defined: Option<Span>,
    /// The position of its first use.
    pub(super) used: Span,
}

/// The properties of a function that its HIR does not contain.
pub(super) struct FunctionInfo {
    pub(super) defined: bool,
    /// `__attribute__((overloadable))`: other functions may have the same name.
    pub(super) overloadable: bool,
}

/// The head of a function.
struct Head<'a> {
    name: &'a Ident,
    ret: TypeId,
    params: Vec<QualType>,
    list: &'a Params,
}

impl Sema<'_> {
    pub(super) fn item(&mut self, item: &ast::Item) {
        match item {
            ast::Item::Function(f) => {
                // The error was reported; the next item is independent of it.
                let _ = self.function_definition(f);
            }
            ast::Item::Declaration(d) => self.file_declaration(d),
            ast::Item::StaticAssert(condition, message) => self.static_assert(condition, *message),
        }
    }

    /// Analyses the head of a function. Opens a scope for the tags and the enumerators that are declared among the parameters
    /// (C99 6.2.1), which the caller closes: after a prototype, or after the body of a definition. `base` is the type of the
    /// specifiers.
    fn head<'a>(&mut self, base: Result<QualType>, d: &'a Declarator, span: Span) -> Result<Head<'a>> {
        self.world.names.push();
        self.world.tags.push();
        let (Some(name), Some((Derived::Function(list), rest))) = (&d.name, d.derived.split_first()) else {
            return Err(self.error(span, "expected a function declarator"));
        };
        let ret = base.and_then(|b| self.derive(b, rest, d));
        let mut params = Vec::with_capacity(list.list.len());
        let mut failed = None;
        for p in &list.list {
            match self.param_type(p) {
                Ok(q) => params.push(q),
                Err(r) => failed = Some(r),
            }
        }
        let ret = ret?;
        if let Some(r) = failed {
            return Err(r);
        }
        // This checks the result type and variable arguments.
        let types = Params {
            list: Vec::new(),
            variadic: list.variadic,
            span: list.span,
        };
        self.derive(ret, &[Derived::Function(types)], d)?;
        Ok(Head {
            name,
            ret: ret.ty,
            params,
            list,
        })
    }

    /// Analyses a function declaration. `base` is the type of its specifiers, which may define a structure.
    pub(super) fn function_declaration(
        &mut self,
        base: QualType,
        specs: &DeclSpecs,
        d: &Declarator,
    ) -> Result<()> {
        if let (Some(name), Some((Derived::Function(list), rest))) = (&d.name, d.derived.split_first())
            && name.name == "printf"
            && list.variadic
            && !self.in_library
        {
            return self.printf_declaration(base, d, list, rest);
        }
        if !matches!(d.derived.first(), Some(Derived::Function(_))) {
            // The declaration uses a typedef of a function type.
            let q = self.declarator_type(base, d)?;
            let (Some(name), Type::Function { ret, params }) = (&d.name, self.ty(q.ty).clone()) else {
                return Err(self.error(d.span, "expected a function declarator"));
            };
            let head = Head {
                name,
                ret,
                params: params.into_iter().map(QualType::plain).collect(),
                list: &Params {
                    list: Vec::new(),
                    variadic: false,
                    span: d.span,
                },
            };
            self.declare_function(&head, specs, d)?;
            return Ok(());
        }
        let head = self.prototype_head(base, d)?;
        // An overload with exactly the types of a built-in function declares that built-in function.
        let overloadable =
            attr::has(&specs.attributes, "overloadable") || attr::has(&d.attributes, "overloadable");
        let name = &head.name.name;
        if overloadable && self.world.names.get(name).is_none() && !self.in_library {
            let params: Vec<TypeId> = head.params.iter().map(|p| p.ty).collect();
            if builtin::declared(self, name, &params, head.ret) {
                return Ok(());
            }
        }
        self.declare_function(&head, specs, d)?;
        Ok(())
    }

    /// Checks a declaration of `printf`, such as `int printf(constant char *, ...)`. Programs repeat the
    /// declaration of 6.12.13; it declares the built-in function.
    fn printf_declaration(
        &mut self,
        base: QualType,
        d: &Declarator,
        list: &Params,
        rest: &[Derived],
    ) -> Result<()> {
        let ret = self.derive(base, rest, d)?;
        let int = self.program.types.scalar(Scalar::Int);
        let is_format =
            |t: &Type, char: TypeId| matches!(*t, Type::Pointer { pointee, .. } if pointee == char);
        let char = self.program.types.scalar(Scalar::Char);
        let fits = match &list.list[..] {
            [format] => {
                let q = self.param_type(format)?;
                is_format(self.ty(q.ty), char)
            }
            _ => false,
        };
        if ret.ty != int || !fits {
            return Err(self.error(
                d.span,
                "incompatible redeclaration of the built-in function 'printf'",
            ));
        }
        Ok(())
    }

    fn prototype_head<'a>(&mut self, base: QualType, d: &'a Declarator) -> Result<Head<'a>> {
        let head = self.head(Ok(base), d, d.span);
        self.world.names.pop();
        self.world.tags.pop();
        head
    }

    fn declare_function(&mut self, head: &Head<'_>, specs: &DeclSpecs, d: &Declarator) -> Result<FuncId> {
        self.check_attributes(&d.attributes, Subject::Function);
        if !specs.is_kernel && !attr::has(&specs.attributes, "kernel") {
            self.check_kernel_attributes(&specs.attributes);
            self.check_kernel_attributes(&d.attributes);
        }
        let overloadable =
            attr::has(&specs.attributes, "overloadable") || attr::has(&d.attributes, "overloadable");
        let name = &head.name.name;
        let signature = Signature {
            ret: head.ret,
            params: head.params.iter().map(|p| p.ty).collect(),
        };
        let set = match self.world.names.get(name) {
            Some(Entity::Functions(set)) => Some(set),
            Some(Entity::Invalid) | None => None,
            Some(_) => {
                if let Some((_, previous)) = self.world.names.get_here(name) {
                    return Err(self.report(
                        Diag::error(
                            head.name.span,
                            format!("redefinition of '{name}' as different kind of symbol"),
                        )
                        .note(previous, "previous definition is here"),
                    ));
                }
                None
            }
        };
        if let Some(set) = set
            && let Some(id) = self.redeclared(set, head, &signature, overloadable)?
        {
            self.set_linkage(id, specs);
            return Ok(id);
        }
        let id = self.new_function(name.clone(), signature, head, overloadable, head.name.span);
        self.set_linkage(id, specs);
        let set = match set {
            Some(set) => set,
            None => {
                let set = self.overloads.push(Vec::new());
                self.world
                    .names
                    .bind_global(name, Entity::Functions(set), head.name.span);
                if self.world.names.depth() > 0 {
                    self.world
                        .names
                        .bind(name, Entity::Functions(set), head.name.span);
                }
                set
            }
        };
        self.overloads[set].push(id);
        Ok(id)
    }

    /// Sets the linkage (C99 6.2.2, 6.7.4): a single `static` declaration makes the function internal to its
    /// object, and `inline` allows other objects to have their own definition.
    fn set_linkage(&mut self, id: FuncId, specs: &DeclSpecs) {
        let has = |s: Storage| specs.storage.iter().any(|(storage, _)| *storage == s);
        let linkage = &mut self.program.functions[id].linkage;
        if has(Storage::Static) {
            *linkage = Linkage::Static;
        } else if specs.is_inline && !has(Storage::Extern) && *linkage == Linkage::External {
            *linkage = Linkage::Inline;
        }
    }

    fn redeclared(
        &mut self,
        set: OverloadsId,
        head: &Head<'_>,
        signature: &Signature,
        overloadable: bool,
    ) -> Result<Option<FuncId>> {
        let name = &head.name.name;
        let mut clash = None;
        for &f in &self.overloads[set] {
            let old = &self.signatures[f];
            let same_params = old.params.len() == signature.params.len()
                && old
                    .params
                    .iter()
                    .zip(&signature.params)
                    .all(|(&a, &b)| self.same_parameter(a, b));
            if same_params && old.ret == signature.ret {
                return Ok(Some(f));
            }
            if same_params || !(overloadable || self.function_info[f].overloadable) {
                clash = Some(f);
            }
        }
        match clash {
            None => Ok(None),
            Some(f) => {
                let previous = self.program.functions[f].span;
                Err(self.report(
                    Diag::error(head.name.span, format!("conflicting types for '{name}'"))
                        .note(previous, "previous declaration is here"),
                ))
            }
        }
    }

    /// Returns whether two parameter types declare the same function; `restrict` does not matter.
    fn same_parameter(&self, a: TypeId, b: TypeId) -> bool {
        match (self.ty(a), self.ty(b)) {
            (
                &Type::Pointer {
                    pointee: pa,
                    space: sa,
                    is_const: ca,
                    is_volatile: va,
                    ..
                },
                &Type::Pointer {
                    pointee: pb,
                    space: sb,
                    is_const: cb,
                    is_volatile: vb,
                    ..
                },
            ) => pa == pb && sa == sb && ca == cb && va == vb,
            _ => a == b,
        }
    }

    fn new_function(
        &mut self,
        name: String,
        signature: Signature,
        head: &Head<'_>,
        overloadable: bool,
        span: Span,
    ) -> FuncId {
        let (locals, params) = self.param_locals(head);
        // Each overload needs a name of its own.
        let name = if overloadable {
            self.overload_name(&name, &signature)
        } else {
            name
        };
        let id = self.program.functions.push(hir::Function {
            name,
            params,
            ret: signature.ret,
            locals,
            labels: Map::default(),
            body: None,
            is_kernel: false,
            is_library: self.in_library,
            linkage: if self.in_library {
                Linkage::Static
            } else {
                Linkage::External
            },
            span,
        });
        self.signatures.push(signature);
        self.function_info.push(FunctionInfo {
            defined: false,
            overloadable,
        });
        id
    }

    fn overload_name(&self, name: &str, signature: &Signature) -> String {
        let params: Vec<String> = signature.params.iter().map(|&p| self.type_name(p)).collect();
        format!("{name}({})", params.join(", "))
    }

    fn param_locals(&self, head: &Head<'_>) -> (Map<LocalId, hir::Local>, Vec<LocalId>) {
        let mut locals = Map::default();
        let mut ids = Vec::with_capacity(head.params.len());
        for (i, q) in head.params.iter().enumerate() {
            let written = head.list.list.get(i);
            let name = written.and_then(|p| p.declarator.name.as_ref());
            ids.push(locals.push(hir::Local {
                name: name.map_or(String::new(), |n| n.name.clone()),
                ty: q.ty,
                align: self.program.types.align(q.ty),
                is_volatile: q.is_volatile,
                span: name.map_or(head.name.span, |n| n.span),
            }));
        }
        (locals, ids)
    }

    fn function_definition(&mut self, f: &FunctionDef) -> Result<()> {
        if f.k_and_r {
            return Err(self.error(
                f.declarator.span,
                "function definition without a prototype is not allowed in OpenCL C",
            ));
        }
        let base = self.specs_type(&f.specs);
        let head = self.head(base, &f.declarator, f.span);
        // The function itself has file scope.
        let enumerators = self.world.names.hide_blocks();
        let done = self.define(f, head, enumerators);
        self.world.tags.pop();
        done
    }

    /// Defines a function; `enumerators` is the scope of those that are declared among its parameters.
    fn define(
        &mut self,
        f: &FunctionDef,
        head: Result<Head<'_>>,
        enumerators: Suspended<Entity>,
    ) -> Result<()> {
        let head = match head {
            Ok(head) => head,
            Err(r) => {
                // The name is bound, so that calls of the function are not reported too.
                if let Some(n) = &f.declarator.name
                    && self.world.names.get_here(&n.name).is_none()
                {
                    self.world.names.bind(&n.name, Entity::Invalid, n.span);
                }
                return Err(r);
            }
        };
        self.check_attributes(&f.specs.attributes, Subject::Function);
        self.check_storage(&f.specs);
        for (storage, span) in &f.specs.storage {
            match storage {
                Storage::Static if f.specs.is_kernel => {
                    self.error(*span, "kernel functions cannot be declared static");
                }
                Storage::Static | Storage::Extern | Storage::Auto | Storage::Register => {}
                Storage::Typedef => {
                    self.error(*span, "function definition declared 'typedef'");
                }
            }
        }
        let id = self.declare_function(&head, &f.specs, &f.declarator)?;
        if self.function_info[id].defined {
            let previous = self.program.functions[id].span;
            return Err(self.report(
                Diag::error(head.name.span, format!("redefinition of '{}'", head.name.name))
                    .note(previous, "previous definition is here"),
            ));
        }
        self.function_info[id].defined = true;
        let is_kernel = f.specs.is_kernel || attr::has(&f.specs.attributes, "kernel");
        if is_kernel {
            self.kernel(id, f, &head.params, head.list);
        }
        self.world.names.restore(enumerators);
        let done = self.body_of(id, f, &head, is_kernel);
        self.world.names.pop();
        done
    }

    fn body_of(&mut self, id: FuncId, f: &FunctionDef, head: &Head<'_>, is_kernel: bool) -> Result<()> {
        let (locals, params) = self.param_locals(head);
        let function = &mut self.program.functions[id];
        function.params.clone_from(&params);
        function.is_kernel = is_kernel;
        function.span = head.name.span;
        self.body = Some(Body {
            func: id,
            ret: head.ret,
            is_kernel,
            locals,
            labels: Map::default(),
            label_names: HashMap::default(),
            const_locals: HashMap::default(),
            switches: Vec::new(),
            loops: 0,
            statement_exprs: 0,
            unevaluated: 0,
            jumps_in_expr: false,
            contract: f.fp_contract.unwrap_or(!self.in_library),
            depth: 0,
        });
        if let Type::Record(_) = *self.ty(head.ret) {
            // The error was reported; the body is analysed nevertheless.
            let _ = self.complete(head.ret, head.name.span, "function result");
        }
        let body = self.scoped(|s| {
            for (i, q) in head.params.iter().enumerate() {
                s.bind_param(params[i], q, head.list.list.get(i));
            }
            match &f.body.kind {
                ast::StmtKind::Block(list) => s.statements(list),
                _ => s.statement(&f.body).map(|b| vec![b]),
            }
        });
        let hoist = self.body.as_ref().is_some_and(|b| b.jumps_in_expr);
        let body = body.map(|b| if hoist { self.hoist_jumps(b) } else { b });
        let Some(done) = self.body.take() else {
            return Ok(());
        };
        let mut labels: Vec<_> = done.label_names.iter().collect();
        labels.sort_unstable_by_key(|l| l.1.id);
        for (name, label) in labels {
            if label.defined.is_none() && !self.doubted.contains(name) {
                self.error(label.used, format!("use of undeclared label '{name}'"));
            }
        }
        let function = &mut self.program.functions[id];
        function.locals = done.locals;
        function.labels = done.labels;
        function.body = Some(body.unwrap_or_default());
        Ok(())
    }

    fn bind_param(&mut self, id: LocalId, q: &QualType, p: Option<&ast::Param>) {
        let Some(p) = p else { return };
        self.check_attributes(&p.specs.attributes, Subject::Variable);
        self.check_attributes(&p.declarator.attributes, Subject::Variable);
        let Some(name) = &p.declarator.name else {
            // An error in C99 (6.9.1). Clang takes it as an extension, since a later C allows it.
            self.warning(
                p.span,
                "omitting the parameter name in a function definition is a C2x extension",
            );
            return;
        };
        // The error was reported; the name is bound nevertheless.
        let _ = self.complete(q.ty, name.span, "variable");
        if self.world.names.get_here(&name.name).is_some() {
            self.error(name.span, format!("redefinition of parameter '{}'", name.name));
        }
        let is_const = q.is_const;
        self.world
            .names
            .bind(&name.name, Entity::Local { id, is_const }, name.span);
    }

    /// Returns the value of a `const` variable that was initialized with a constant.
    pub(super) fn constant_local(&self, id: LocalId) -> Option<u64> {
        self.body.as_ref()?.const_locals.get(&id).copied()
    }

    /// Declares a library function under its key.
    pub(super) fn declare_library_function(&mut self, key: &str, def: &FunctionDef) -> Result<FuncId> {
        let base = self.specs_type(&def.specs)?;
        let head = self.prototype_head(base, &def.declarator)?;
        let signature = Signature {
            ret: head.ret,
            params: head.params.iter().map(|p| p.ty).collect(),
        };
        Ok(self.new_function(key.into(), signature, &head, false, head.name.span))
    }

    /// Analyses a library function's body.
    pub(super) fn library_body(&mut self, id: FuncId, def: &FunctionDef) {
        // An error in the library is a fault of the compiler; it is reported like a user's error, so that it
        // is noticed.
        let base = self.specs_type(&def.specs);
        if let Ok(head) = self.head(base, &def.declarator, def.span) {
            let _ = self.body_of(id, def, &head, false);
        }
        self.world.names.pop();
        self.world.tags.pop();
    }

    /// Reports functions that call themselves, directly or indirectly (6.9.i).
    pub(super) fn check_recursion(&mut self) {
        let n = self.program.functions.len();
        let mut callees: Vec<Vec<(FuncId, Span)>> = vec![Vec::new(); n];
        for &(from, to, span) in &self.calls {
            callees[from.index()].push((to, span));
        }
        #[derive(Copy, Clone, PartialEq)]
        enum Visit {
            New,
            Open,
            Done,
        }
        let mut state = vec![Visit::New; n];
        let mut found = Vec::new();
        for root in self.program.functions.keys() {
            if state[root.index()] != Visit::New {
                continue;
            }
            // A function, and the index of its next call to follow.
            let mut stack = vec![(root, 0)];
            state[root.index()] = Visit::Open;
            while let Some((f, next)) = stack.last_mut() {
                let f = *f;
                let Some(&(to, span)) = callees[f.index()].get(*next) else {
                    state[f.index()] = Visit::Done;
                    stack.pop();
                    continue;
                };
                *next += 1;
                match state[to.index()] {
                    Visit::New => {
                        state[to.index()] = Visit::Open;
                        stack.push((to, 0));
                    }
                    Visit::Open => found.push((to, span)),
                    Visit::Done => {}
                }
            }
        }
        for (f, span) in found {
            let name = self.program.functions[f].name.clone();
            self.error(
                span,
                format!("recursion is not supported in OpenCL: '{name}' calls itself"),
            );
        }
    }
}
