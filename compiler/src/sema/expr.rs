//! Checks expressions (6.3, C99 6.5) other than binary operators, members and calls.

use super::convert::Why;
use super::scope::Entity;
use super::{Lvalue, Operand, QualType, Reported, Result, Sema};
use crate::builtins::table;
use crate::diag::Diag;
use crate::hir::{Convert, Expr, ExprKind, Place, PlaceKind, Scalar, Space, Type, TypeId, value};
use crate::source::Span;
use crate::suggest;
use crate::syntax::ast::{self, Designator, TypeName, UnaryOp};

impl Sema<'_> {
    /// Analyses an expression and returns its value.
    pub(crate) fn value(&mut self, e: &ast::Expr) -> Result<Expr> {
        let op = self.operand(e)?;
        self.rvalue(op)
    }

    /// Analyses an expression that need not have a value, such as a call of a `void` function.
    pub(super) fn effect(&mut self, e: &ast::Expr) -> Result<Expr> {
        match self.operand(e)? {
            // A place of type void, or of half without cl_khr_fp16, cannot be read, so only its address is
            // computed.
            Operand::Place(l)
                if matches!(self.ty(l.place.ty), Type::Void)
                    || (matches!(self.ty(l.place.ty), Type::Scalar(Scalar::Half)) && !self.has_half) =>
            {
                Ok(Expr {
                    kind: ExprKind::AddrOf(Box::new(l.place)),
                    ty: self.common.void,
                    span: e.span,
                })
            }
            op => {
                let e = self.rvalue(op)?;
                if *self.ty(e.ty) == Type::AnyMatrix {
                    let why = "the result must be assigned to a variable that is a cooperative matrix";
                    return Err(self.error(e.span, why));
                }
                Ok(e)
            }
        }
    }

    /// Analyses an expression without lvalue conversion.
    pub(crate) fn operand(&mut self, e: &ast::Expr) -> Result<Operand> {
        self.nesting += 1;
        let result = if self.nesting > super::MAX_NESTING {
            Err(self.error(e.span, "expression is nested too deeply"))
        } else {
            self.operand_by_kind(e)
        };
        self.nesting -= 1;
        result
    }

    fn operand_by_kind(&mut self, e: &ast::Expr) -> Result<Operand> {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Ident(name) => self.identifier(name, span),
            &ast::ExprKind::Int {
                value,
                unsigned,
                long,
                decimal,
                overflow,
            } => self
                .int_literal(value, unsigned, long, decimal, overflow, span)
                .map(Operand::Value),
            &ast::ExprKind::Float { value, single, half } => {
                self.float_literal(value, single, half, span).map(Operand::Value)
            }
            ast::ExprKind::Char(c) => Ok(Operand::Value(self.const_int(*c, span))),
            ast::ExprKind::Str(bytes) => Ok(self.string_literal(bytes, span)),
            ast::ExprKind::Paren(inner) => self.operand(inner),
            ast::ExprKind::Unary(op, inner) => self.unary(*op, inner, span),
            ast::ExprKind::Binary(op, a, b) => self.binary(*op, a, b, span).map(Operand::Value),
            ast::ExprKind::Assign(op, a, b) => self.assign(*op, a, b, span).map(Operand::Value),
            ast::ExprKind::Conditional(c, a, b) => {
                self.conditional(c, a.as_deref(), b, span).map(Operand::Value)
            }
            ast::ExprKind::Comma(list) => self.comma(list, span).map(Operand::Value),
            ast::ExprKind::Call(callee, args) => self.call(callee, args, span).map(Operand::Value),
            ast::ExprKind::Index(a, i) => self.subscript(a, i, span),
            ast::ExprKind::Member(base, name) => self.member_access(base, name, span),
            ast::ExprKind::Arrow(base, name) => self.arrow(base, name, span),
            ast::ExprKind::Cast(name, inner) => self.cast_expr(name, inner, span).map(Operand::Value),
            ast::ExprKind::VectorLiteral(name, parts) => {
                self.vector_literal(name, parts, span).map(Operand::Value)
            }
            ast::ExprKind::CompoundLiteral(name, items) => self.compound_literal(name, items, span, false),
            ast::ExprKind::SizeofType(name) => {
                let q = self.type_of_name(name)?;
                self.size_of(q.ty, "sizeof", span).map(Operand::Value)
            }
            ast::ExprKind::SizeofExpr(inner) => {
                let ty = self.type_of(inner)?;
                self.size_of(ty, "sizeof", span).map(Operand::Value)
            }
            ast::ExprKind::VecStepType(name) => {
                let q = self.type_of_name(name)?;
                self.vec_step(q.ty, span).map(Operand::Value)
            }
            ast::ExprKind::VecStepExpr(inner) => {
                let ty = self.type_of(inner)?;
                self.vec_step(ty, span).map(Operand::Value)
            }
            ast::ExprKind::AlignofType(name) => {
                let q = self.type_of_name(name)?;
                self.size_of(q.ty, "__alignof", span)?;
                let align = if q.align > 0 {
                    q.align
                } else {
                    self.program.types.align(q.ty)
                };
                Ok(Operand::Value(self.const_bits(
                    u64::from(align),
                    self.common.size,
                    span,
                )))
            }
            ast::ExprKind::AlignofExpr(inner) => self.align_of(inner, span).map(Operand::Value),
            ast::ExprKind::Offsetof(name, path) => self.offset_of(name, path, span).map(Operand::Value),
            ast::ExprKind::StmtExpr(stmts) => self.statement_expr(stmts, span).map(Operand::Value),
            ast::ExprKind::Unsupported(what) => {
                Err(self.error(span, format!("'{what}' is not supported in OpenCL C")))
            }
        }
    }

    fn identifier(&mut self, name: &str, span: Span) -> Result<Operand> {
        match self.lookup(name) {
            Some(Entity::Local { id, is_const }) => Ok(Operand::Place(Lvalue {
                place: self.local_place(id, span),
                is_const,
                is_temporary: false,
            })),
            Some(Entity::Global(id)) => {
                let var = &self.program.globals[id];
                let (is_const, is_volatile) = self.global_quals[id];
                Ok(Operand::Place(Lvalue {
                    place: Place {
                        kind: PlaceKind::Global(id),
                        ty: var.ty,
                        space: var.space,
                        is_volatile,
                        span,
                    },
                    is_const: is_const || var.space == Space::Constant,
                    is_temporary: false,
                }))
            }
            Some(Entity::Enumerator { bits, ty }) => Ok(Operand::Value(self.const_bits(bits, ty, span))),
            Some(Entity::Functions(_)) => Ok(Operand::Function(span)),
            Some(Entity::Typedef(_)) => Err(self.error(
                span,
                format!("unexpected type name '{name}': expected expression"),
            )),
            Some(Entity::Invalid) => Err(super::Reported),
            // C99 6.4.2.2 defines `__func__`; GNU C and clang define the others.
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
                && self.body.is_some() =>
            {
                let func = self.body.as_ref().map(|b| b.func);
                let text = func.map_or(String::new(), |f| self.program.functions[f].name.clone());
                Ok(self.string_literal(text.as_bytes(), span))
            }
            None if super::builtin::is_builtin(name) => {
                Err(self.error(span, "taking address of function is not allowed"))
            }
            None => {
                let d = Diag::error(span, format!("use of undeclared identifier '{name}'"));
                let similar = self.similar_name(name, false);
                Err(self.report_similar(d, similar))
            }
        }
    }

    /// Returns the visible name that is most similar to an undeclared one; built-in functions are considered
    /// if the name is called.
    pub(super) fn similar_name(&self, name: &str, called: bool) -> Option<String> {
        let visible = self.world.names.names();
        let builtins = table::rows()
            .map(|r| r.name)
            .filter(|n| called && !n.starts_with(table::INTERNAL_PREFIX));
        suggest::nearest(name, visible.chain(builtins)).map(str::to_string)
    }

    /// Reports a diagnostic for an undeclared name, with the similar name.
    pub(super) fn report_similar(&mut self, mut d: Diag, similar: Option<String>) -> Reported {
        if let Some(n) = similar {
            d.message.push_str(&format!("; did you mean '{n}'?"));
            if let Some(at) = self.world.names.declared_at(&n) {
                d = d.note(at, format!("'{n}' declared here"));
            }
        }
        self.report(d)
    }

    /// Returns the type of an operand that is not evaluated.
    pub(super) fn type_of(&mut self, e: &ast::Expr) -> Result<TypeId> {
        match self.unevaluated(e)? {
            Operand::Value(v) => Ok(v.ty),
            Operand::Place(l) => Ok(l.place.ty),
            Operand::Function(span) => {
                Err(self.error(span, "invalid application of 'sizeof' to a function type"))
            }
        }
    }

    /// Returns the type of an operand of `__typeof__` with its qualifiers, but without its address space, so that variables can have
    /// the type.
    pub(super) fn qualified_type_of(&mut self, e: &ast::Expr) -> Result<QualType> {
        Ok(match self.unevaluated(e)? {
            Operand::Value(v) => QualType::plain(v.ty),
            Operand::Place(l) => QualType {
                is_const: l.is_const,
                is_volatile: l.place.is_volatile,
                ..QualType::plain(l.place.ty)
            },
            Operand::Function(span) => {
                return Err(self.error(span, "'__typeof__' of a function is not supported"));
            }
        })
    }

    /// Analyses an operand that is not evaluated.
    fn unevaluated(&mut self, e: &ast::Expr) -> Result<Operand> {
        let count = |s: &mut Self, by: i32| {
            if let Some(b) = &mut s.body {
                b.unevaluated = b.unevaluated.saturating_add_signed(by);
            }
        };
        count(self, 1);
        let operand = self.operand(e);
        count(self, -1);
        operand
    }

    /// Analyses GNU C's `__alignof__` of an expression; for a variable it is the declared alignment.
    fn align_of(&mut self, e: &ast::Expr, span: Span) -> Result<Expr> {
        let operand = self.unevaluated(e)?;
        let declared = match &operand {
            Operand::Place(l) => match l.place.kind {
                PlaceKind::Local(id) => self.body.as_ref().map_or(0, |b| b.locals[id].align),
                PlaceKind::Global(id) => self.program.globals[id].align,
                _ => 0,
            },
            Operand::Value(_) | Operand::Function(_) => 0,
        };
        let ty = match operand {
            Operand::Value(v) => v.ty,
            Operand::Place(l) => l.place.ty,
            Operand::Function(at) => {
                return Err(self.error(at, "invalid application of '__alignof' to a function type"));
            }
        };
        self.size_of(ty, "__alignof", span)?;
        let align = declared.max(self.program.types.align(ty));
        Ok(self.const_bits(u64::from(align), self.common.size, span))
    }

    fn size_of(&mut self, ty: TypeId, what: &str, span: Span) -> Result<Expr> {
        let size = match *self.ty(ty) {
            Type::Void => {
                return Err(self.error(span, format!("invalid application of '{what}' to a void type")));
            }
            Type::Function { .. } => {
                return Err(self.error(
                    span,
                    format!("invalid application of '{what}' to a function type"),
                ));
            }
            _ => match self.program.types.size(ty) {
                Some(size) => size,
                None => {
                    let name = self.type_name(ty);
                    return Err(self.error(
                        span,
                        format!("invalid application of '{what}' to an incomplete type '{name}'"),
                    ));
                }
            },
        };
        Ok(self.const_bits(size, self.common.size, span))
    }

    fn vec_step(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        let lanes = match *self.ty(ty) {
            Type::Vector(_, 3) => 4,
            Type::Vector(_, n) => i32::from(n),
            Type::Scalar(_) | Type::Void => 1,
            _ => {
                let name = self.type_name(ty);
                return Err(self.error(
                    span,
                    format!("'vec_step' requires built-in scalar or vector type, '{name}' invalid"),
                ));
            }
        };
        Ok(self.const_int(lanes, span))
    }

    fn offset_of(&mut self, name: &TypeName, path: &[Designator], span: Span) -> Result<Expr> {
        let mut ty = self.type_of_name(name)?.ty;
        let mut offset = 0u64;
        for step in path {
            match step {
                Designator::Member(m) => {
                    let Type::Record(id) = *self.ty(ty) else {
                        let t = self.type_name(ty);
                        return Err(self.error(
                            m.span,
                            format!("offsetof requires struct, union, or class type, '{t}' invalid"),
                        ));
                    };
                    let Some(f) = self.find_field(id, &m.name) else {
                        let t = self.type_name(ty);
                        return Err(self.error(m.span, format!("no member named '{}' in '{t}'", m.name)));
                    };
                    offset += u64::from(f.offset);
                    ty = f.ty;
                }
                Designator::Index(i) => {
                    let v = self.value(i)?;
                    let (Some(n), Type::Array(elem, _) | Type::IncompleteArray(elem)) =
                        (self.int_value(&v), self.ty(ty).clone())
                    else {
                        return Err(self.error(i.span, "offsetof requires a constant index of an array"));
                    };
                    let size = self.program.types.size(elem).unwrap_or(0);
                    offset = offset.wrapping_add((n as u64).wrapping_mul(size));
                    ty = elem;
                }
                Designator::Range(lo, _) => {
                    return Err(self.error(lo.span, "offsetof requires a constant index of an array"));
                }
            }
        }
        Ok(self.const_bits(offset, self.common.size, span))
    }

    fn cast_expr(&mut self, name: &TypeName, inner: &ast::Expr, span: Span) -> Result<Expr> {
        let q = self.type_of_name(name);
        if let Ok(q) = q
            && *self.ty(q.ty) == Type::Void
        {
            let e = self.effect(inner)?;
            return Ok(Expr {
                ty: self.common.void,
                span,
                kind: ExprKind::Comma(Box::new(e), Box::new(self.nothing(span))),
            });
        }
        // Both are analysed before an error in either ends the analysis.
        let value = self.value(inner);
        let (q, value) = (q?, value?);
        if matches!(self.ty(q.ty), Type::Scalar(Scalar::Half)) && !self.has_half {
            return Err(self.error(span, "casting to type 'half' is not allowed"));
        }
        if q.space.is_some_and(|s| s != Space::Private) && !matches!(self.ty(q.ty), Type::Pointer { .. }) {
            self.warning(span, "address space qualifier of a value has no effect");
        }
        self.cast(value, q.ty, span)
    }

    /// Returns a value of type void.
    pub(super) fn nothing(&self, span: Span) -> Expr {
        Expr {
            kind: ExprKind::StmtExpr(Vec::new(), None),
            ty: self.common.void,
            span,
        }
    }

    /// Analyses `a, b, …`.
    pub(super) fn comma(&mut self, list: &[ast::Expr], span: Span) -> Result<Expr> {
        let Some((last, first)) = list.split_last() else {
            return Err(self.error(span, "expected expression"));
        };
        let mut effects = Vec::with_capacity(first.len());
        let mut failed = None;
        for e in first {
            match self.effect(e) {
                Ok(v) => effects.push(v),
                Err(r) => failed = Some(r),
            }
        }
        let mut value = self.effect(last)?;
        if let Some(r) = failed {
            return Err(r);
        }
        while let Some(e) = effects.pop() {
            value = Expr {
                ty: value.ty,
                span: e.span.to(value.span),
                kind: ExprKind::Comma(Box::new(e), Box::new(value)),
            };
        }
        Ok(value)
    }

    fn unary(&mut self, op: UnaryOp, inner: &ast::Expr, span: Span) -> Result<Operand> {
        match op {
            UnaryOp::AddrOf => return self.address_of(inner, span).map(Operand::Value),
            UnaryOp::Deref => {
                let ptr = self.value(inner)?;
                let Type::Pointer { .. } = *self.ty(ptr.ty) else {
                    let t = self.type_name(ptr.ty);
                    return Err(self.error(
                        span,
                        format!("indirection requires pointer operand ('{t}' invalid)"),
                    ));
                };
                let mut l = self.deref(ptr, None);
                l.place.span = span;
                return Ok(Operand::Place(l));
            }
            UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec => {
                return self.inc_dec(op, inner, span).map(Operand::Value);
            }
            UnaryOp::Minus => {
                if let Some(e) = self.smallest_long(inner, span) {
                    return Ok(Operand::Value(e));
                }
            }
            UnaryOp::Plus | UnaryOp::BitNot | UnaryOp::LogicalNot => {}
        }
        let e = self.value(inner)?;
        self.unary_value(op, e, span).map(Operand::Value)
    }

    fn unary_value(&mut self, op: UnaryOp, e: Expr, span: Span) -> Result<Expr> {
        let invalid = |s: &mut Self, e: &Expr| {
            let t = s.type_name(e.ty);
            s.error(span, format!("invalid argument type '{t}' to unary expression"))
        };
        if op == UnaryOp::LogicalNot {
            return match *self.ty(e.ty) {
                Type::Scalar(_) | Type::Pointer { .. } => {
                    let c = self.condition(e)?;
                    let (bool_ty, int) = (self.common.bool, self.common.int);
                    let not = match c.kind {
                        ExprKind::Const(bits) => self.const_bits(bits[0] ^ 1, bool_ty, span),
                        ExprKind::Not(inner) => Expr { span, ..*inner },
                        kind => Expr {
                            kind: ExprKind::Not(Box::new(Expr { kind, ..c })),
                            ty: bool_ty,
                            span,
                        },
                    };
                    Ok(self.numeric(not, int))
                }
                Type::Vector(..) => {
                    let zero = self.zero(e.ty, span);
                    Ok(self.compare_lanes(crate::hir::CmpOp::Eq, e, zero, span))
                }
                _ => Err(invalid(self, &e)),
            };
        }
        if op == UnaryOp::Minus && self.as_matrix(e.ty).is_some() {
            return Ok(Expr {
                ty: e.ty,
                span,
                kind: ExprKind::Neg(Box::new(e)),
            });
        }
        let Some((s, _)) = self.lanes(e.ty) else {
            return Err(invalid(self, &e));
        };
        if op == UnaryOp::BitNot && s.is_float() {
            return Err(invalid(self, &e));
        }
        let e = self.promote(e);
        let ty = e.ty;
        let Some((s, _)) = self.lanes(ty) else {
            return Err(invalid(self, &e));
        };
        let kind = match (op, e.kind) {
            (UnaryOp::Minus, ExprKind::Const(bits)) => {
                ExprKind::Const(bits.into_iter().map(|b| value::negate(s, b)).collect())
            }
            (UnaryOp::BitNot, ExprKind::Const(bits)) => {
                ExprKind::Const(bits.into_iter().map(|b| value::complement(s, b)).collect())
            }
            (UnaryOp::Minus, kind) => ExprKind::Neg(Box::new(Expr { kind, ..e })),
            (UnaryOp::BitNot, kind) => ExprKind::BitNot(Box::new(Expr { kind, ..e })),
            (_, kind) => kind,
        };
        Ok(Expr { kind, ty, span })
    }

    fn address_of(&mut self, inner: &ast::Expr, span: Span) -> Result<Expr> {
        let mut core = inner;
        while let ast::ExprKind::Paren(e) = &core.kind {
            core = e;
        }
        let op = match &core.kind {
            ast::ExprKind::CompoundLiteral(name, items) => {
                self.compound_literal(name, items, core.span, true)?
            }
            _ => self.operand(core)?,
        };
        let l = match op {
            Operand::Place(l) if !l.is_temporary => l,
            Operand::Function(..) => {
                return Err(self.error(span, "taking address of function is not allowed"));
            }
            Operand::Place(Lvalue {
                place: Place { ty, .. },
                ..
            })
            | Operand::Value(Expr { ty, .. }) => {
                let t = self.type_name(ty);
                return Err(self.error(
                    span,
                    format!("cannot take the address of an rvalue of type '{t}'"),
                ));
            }
        };
        if matches!(
            l.place.kind,
            PlaceKind::Lanes { .. } | PlaceKind::DynamicLane { .. }
        ) {
            return Err(self.error(span, "address of vector element requested"));
        }
        if matches!(
            self.ty(l.place.ty),
            Type::Image { .. } | Type::Sampler | Type::Pipe { .. }
        ) {
            let t = self.type_name(l.place.ty);
            return Err(self.error(span, format!("invalid argument type '{t}' to unary expression")));
        }
        let ty = self.program.types.intern(Type::Pointer {
            pointee: l.place.ty,
            space: l.place.space,
            is_const: l.is_const && l.place.space != Space::Constant,
            is_volatile: l.place.is_volatile,
            is_restrict: false,
            align: match l.place.kind {
                PlaceKind::Deref { align, .. } => align.unwrap_or(0),
                _ => 0,
            },
        });
        // `&*p` is `p`.
        if let Place {
            kind: PlaceKind::Deref { ptr, .. },
            ..
        } = l.place
        {
            let e = self.reinterpret(Convert::Pointer, *ptr, ty);
            return Ok(Expr { span, ..e });
        }
        let is_array = matches!(self.ty(l.place.ty), Type::Array(..) | Type::IncompleteArray(_));
        if is_array {
            let first = self.decay(l);
            let e = self.reinterpret(Convert::Pointer, first, ty);
            return Ok(Expr { span, ..e });
        }
        Ok(Expr {
            kind: ExprKind::AddrOf(Box::new(l.place)),
            ty,
            span,
        })
    }

    /// Analyses an expression that must be a modifiable object.
    pub(super) fn modifiable(&mut self, e: &ast::Expr, op_span: Span) -> Result<Lvalue> {
        let op = self.operand(e)?;
        let l = match op {
            Operand::Place(l) if !l.is_temporary => l,
            Operand::Place(_) | Operand::Value(_) | Operand::Function(..) => {
                return Err(self.error(op_span, "expression is not assignable"));
            }
        };
        match *self.ty(l.place.ty) {
            Type::Array(..) | Type::IncompleteArray(_) => {
                let t = self.type_name(l.place.ty);
                return Err(self.error(op_span, format!("array type '{t}' is not assignable")));
            }
            Type::Void | Type::Function { .. } => {
                return Err(self.error(op_span, "expression is not assignable"));
            }
            // 6.9.b, 6.12.14.1: images and samplers cannot be modified.
            Type::Image { .. } | Type::Sampler | Type::Pipe { .. } => {
                let t = self.type_name(l.place.ty);
                return Err(self.error(op_span, format!("variable of type '{t}' cannot be modified")));
            }
            Type::Record(id) if self.program.types.records[id].fields.is_none() => {
                let t = self.type_name(l.place.ty);
                return Err(self.error(op_span, format!("incomplete type '{t}' is not assignable")));
            }
            _ => {}
        }
        if l.is_const || self.has_const_member(l.place.ty) {
            let message = match (&e.kind, self.root_name(&l.place)) {
                (ast::ExprKind::Ident(name), _) => {
                    let mut t = self.type_name(l.place.ty);
                    if l.place.space == Space::Constant {
                        t = format!("__constant {t}");
                    } else {
                        t = format!("const {t}");
                    }
                    format!("cannot assign to variable '{name}' with const-qualified type '{t}'")
                }
                (_, Some(name)) => format!("cannot assign to '{name}', which is const-qualified"),
                _ => "read-only variable is not assignable".to_string(),
            };
            return Err(self.error(op_span, message));
        }
        if let PlaceKind::Lanes { lanes, .. } = &l.place.kind {
            let mut seen = 0u32;
            for &lane in lanes {
                // The lane number of a component outside the vector may be too large for the mask.
                let bit = 1u32.checked_shl(lane.into()).unwrap_or(0);
                if seen & bit != 0 {
                    return Err(self.error(
                        op_span,
                        "vector is not assignable (contains duplicate components)",
                    ));
                }
                seen |= bit;
            }
        }
        Ok(l)
    }

    fn has_const_member(&self, ty: TypeId) -> bool {
        match *self.ty(ty) {
            Type::Record(id) => self.program.types.records[id]
                .fields
                .iter()
                .flatten()
                .any(|f| f.is_const || self.has_const_member(f.ty)),
            Type::Array(elem, _) => self.has_const_member(elem),
            _ => false,
        }
    }

    fn root_name(&self, place: &Place) -> Option<String> {
        let mut place = place;
        loop {
            match &place.kind {
                PlaceKind::Local(id) => return self.body.as_ref().map(|b| b.locals[*id].name.clone()),
                PlaceKind::Global(id) => return Some(self.program.globals[*id].name.clone()),
                PlaceKind::Member { base, .. }
                | PlaceKind::Index { base, .. }
                | PlaceKind::Lanes { base, .. }
                | PlaceKind::DynamicLane { base, .. } => place = base,
                PlaceKind::Deref { .. } | PlaceKind::Temporary(_) | PlaceKind::Literal(..) => return None,
            }
        }
    }

    fn inc_dec(&mut self, op: UnaryOp, inner: &ast::Expr, span: Span) -> Result<Expr> {
        let l = self.modifiable(inner, span)?;
        let decrement = matches!(op, UnaryOp::PreDec | UnaryOp::PostDec);
        match *self.ty(l.place.ty) {
            Type::Scalar(Scalar::Half) if !self.has_half => {
                self.read(l)?;
                return Err(super::Reported);
            }
            // 6.3.c: floating-point vectors cannot be incremented or decremented.
            Type::Vector(s, _) if s.is_float() => {
                let t = self.type_name(l.place.ty);
                let word = if decrement { "decrement" } else { "increment" };
                return Err(self.error(span, format!("cannot {word} value of type '{t}'")));
            }
            Type::Scalar(_) | Type::Vector(..) => {}
            Type::Pointer { .. } => self.check_arithmetic_pointee(l.place.ty, span)?,
            _ => {
                let t = self.type_name(l.place.ty);
                let word = if decrement { "decrement" } else { "increment" };
                return Err(self.error(span, format!("cannot {word} value of type '{t}'")));
            }
        }
        Ok(Expr {
            ty: l.place.ty,
            span,
            kind: ExprKind::IncDec {
                place: Box::new(l.place),
                decrement,
                post: matches!(op, UnaryOp::PostInc | UnaryOp::PostDec),
            },
        })
    }

    /// Converts an argument to the parameter's type.
    pub(super) fn argument(&mut self, e: Expr, ty: TypeId) -> Result<Expr> {
        self.convert(e, ty, Why::Pass)
    }
}
