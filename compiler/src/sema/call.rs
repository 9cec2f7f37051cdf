//! Checks calls of functions (6.8): overload sets and arguments.

use super::builtin::{self, BuiltinCall};
use super::scope::{Entity, OverloadsId};
use super::{Operand, Reported, Result, Sema};
use crate::diag::Diag;
use crate::hir::{Expr, ExprKind, FuncId, Type};
use crate::source::Span;
use crate::syntax::ast;

impl Sema<'_> {
    /// Analyses `callee(args)`.
    pub(super) fn call(&mut self, callee: &ast::Expr, args: &[ast::Expr], span: Span) -> Result<Expr> {
        let mut core = callee;
        while let ast::ExprKind::Paren(e) = &core.kind {
            core = e;
        }
        let name = match &core.kind {
            ast::ExprKind::Ident(name) => Some(name),
            _ => None,
        };
        // A name without a declaration may be a built-in function.
        let set = match name.and_then(|n| self.world.names.get(n)) {
            Some(Entity::Functions(set)) => Some(set),
            Some(Entity::Invalid) => {
                self.arguments(args)?;
                return Err(Reported);
            }
            Some(
                Entity::Typedef(_) | Entity::Local { .. } | Entity::Global(_) | Entity::Enumerator { .. },
            ) => {
                return Err(self.not_callable(core));
            }
            None if name.is_none() => return Err(self.not_callable(core)),
            None => None,
        };
        let args = self.arguments(args);
        let Some(name) = name else {
            return Err(Reported);
        };
        let ident = ast::Ident {
            name: name.clone(),
            span: core.span,
        };
        match set {
            Some(set) => {
                let args = args?;
                self.call_overloads(set, &ident, args, span)
            }
            None => {
                let args = match args {
                    Ok(args) => args,
                    Err(r) if builtin::is_builtin(name) => return Err(r),
                    Err(r) => {
                        self.undeclared_function(&ident);
                        return Err(r);
                    }
                };
                match builtin::call(self, &ident, args, span) {
                    BuiltinCall::Expr(e) => Ok(*e),
                    BuiltinCall::Error => Err(Reported),
                    BuiltinCall::NotABuiltin => Err(self.undeclared_function(&ident)),
                }
            }
        }
    }

    fn undeclared_function(&mut self, name: &ast::Ident) -> Reported {
        let d = Diag::error(
            name.span,
            format!(
                "implicit declaration of function '{}' is invalid in OpenCL",
                name.name
            ),
        );
        let similar = self.similar_name(&name.name, true);
        self.report_similar(d, similar)
    }

    fn not_callable(&mut self, callee: &ast::Expr) -> Reported {
        match self.operand(callee) {
            Ok(op) => {
                let ty = match &op {
                    Operand::Value(e) => self.type_name(e.ty),
                    Operand::Place(l) => self.type_name(l.place.ty),
                    Operand::Function(..) => "function".into(),
                };
                self.error(
                    callee.span,
                    format!("called object type '{ty}' is not a function or function pointer"),
                )
            }
            Err(r) => r,
        }
    }

    fn arguments(&mut self, args: &[ast::Expr]) -> Result<Vec<Expr>> {
        let mut values = Vec::with_capacity(args.len());
        let mut failed = None;
        for a in args {
            match self.value(a) {
                Ok(v) => values.push(v),
                Err(r) => failed = Some(r),
            }
        }
        failed.map_or(Ok(values), Err)
    }

    fn call_overloads(
        &mut self,
        set: OverloadsId,
        name: &ast::Ident,
        args: Vec<Expr>,
        span: Span,
    ) -> Result<Expr> {
        if let [only] = self.overloads[set][..]
            && !self.function_info[only].overloadable
        {
            // Built-in functions are overloadable, so a user's function with such a name is an additional
            // overload.
            if builtin::is_builtin(&name.name) && !self.accepts(only, &args) {
                match builtin::call(self, name, args, span) {
                    BuiltinCall::Expr(e) => return Ok(*e),
                    BuiltinCall::Error | BuiltinCall::NotABuiltin => return Err(Reported),
                }
            }
            return self.call_function(only, name, args, span);
        }
        let mut best: Option<(u32, FuncId)> = None;
        let mut ambiguous = false;
        for i in 0..self.overloads[set].len() {
            let f = self.overloads[set][i];
            let sig = &self.signatures[f];
            if sig.params.len() != args.len() {
                continue;
            }
            let ranks = args
                .iter()
                .zip(&sig.params)
                .map(|(a, &p)| self.conversion_rank(a, p));
            let Some(total) = ranks.collect::<Option<Vec<u32>>>().map(|r| r.iter().sum()) else {
                continue;
            };
            match best {
                Some((least, _)) if least < total => {}
                Some((least, _)) if least == total => ambiguous = true,
                _ => {
                    best = Some((total, f));
                    ambiguous = false;
                }
            }
        }
        match best {
            Some((_, f)) if !ambiguous => self.call_function(f, name, args, span),
            Some(_) => {
                let d = Diag::error(name.span, format!("call to '{}' is ambiguous", name.name));
                Err(self.with_candidates(d, set))
            }
            None => {
                // The user may have added an overload to a built-in function.
                if let BuiltinCall::Expr(e) = builtin::call(self, name, args, span) {
                    return Ok(*e);
                }
                let d = Diag::error(
                    name.span,
                    format!("no matching function for call to '{}'", name.name),
                );
                Err(self.with_candidates(d, set))
            }
        }
    }

    /// Returns whether a function can be called with these arguments.
    fn accepts(&self, f: FuncId, args: &[Expr]) -> bool {
        let params = &self.signatures[f].params;
        params.len() == args.len()
            && args
                .iter()
                .zip(params)
                .all(|(a, &p)| self.conversion_rank(a, p).is_some())
    }

    fn with_candidates(&mut self, mut d: Diag, set: OverloadsId) -> Reported {
        for &f in &self.overloads[set] {
            d = d.note(self.program.functions[f].span, "candidate function");
        }
        self.report(d)
    }

    fn call_function(&mut self, f: FuncId, name: &ast::Ident, args: Vec<Expr>, span: Span) -> Result<Expr> {
        if name.name == builtin::spec_constant::COMPOSITE && self.program.functions[f].body.is_none() {
            return builtin::spec_constant::composite(self, f, args, span);
        }
        if name.name == builtin::spec_constant::NAME && self.program.functions[f].body.is_none() {
            return builtin::spec_constant::declared(self, f, args, span);
        }
        let want = self.signatures[f].params.len();
        if args.len() != want {
            let word = if args.len() < want { "few" } else { "many" };
            let at = args.get(want).map_or(span, |a| a.span);
            let d = Diag::error(
                at,
                format!(
                    "too {word} arguments to function call, expected {want}, have {}",
                    args.len()
                ),
            )
            .note(
                self.program.functions[f].span,
                format!("'{}' declared here", name.name),
            );
            return Err(self.report(d));
        }
        let mut values = Vec::with_capacity(want);
        let mut failed = None;
        for (i, a) in args.into_iter().enumerate() {
            let ty = self.signatures[f].params[i];
            match self.argument(a, ty) {
                Ok(v) => values.push(v),
                Err(r) => failed = Some(r),
            }
        }
        if let Some(r) = failed {
            return Err(r);
        }
        let ty = self.signatures[f].ret;
        if let Type::Record(id) = *self.ty(ty)
            && self.program.types.records[id].fields.is_none()
        {
            let t = self.type_name(ty);
            return Err(self.error(
                span,
                format!("calling '{}' with incomplete return type '{t}'", name.name),
            ));
        }
        if let Some(body) = &self.body {
            self.calls.push((body.func, f, span));
        } else {
            return Err(self.error(span, "initializer element is not a compile-time constant"));
        }
        Ok(Expr {
            kind: ExprKind::Call(f, values),
            ty,
            span,
        })
    }
}
