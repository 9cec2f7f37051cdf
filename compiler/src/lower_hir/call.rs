//! Calls. Structs are passed by reference, and results of struct type through a hidden first parameter.

use super::expr::Val;
use super::func::FuncLowering;
use super::{Lowered, broken, types};
use crate::hir::{Expr, FuncId, TypeId};

impl FuncLowering<'_, '_> {
    /// Calls a function.
    pub(super) fn call(&mut self, id: FuncId, args: &[Expr], ty: TypeId) -> Lowered<Val> {
        let callee = &self.cx.program.functions[id];
        if callee.params.len() != args.len() {
            return broken("a call with another number of arguments than parameters");
        }
        let func = self.cx.func(id);
        let mut values = Vec::with_capacity(args.len() + 1);
        let mut result = None;
        if types::is_record(&self.cx.program.types, callee.ret) {
            let memory = self.temporary(callee.ret)?;
            values.push(memory.ptr);
            result = Some(memory);
        }
        for arg in args {
            values.push(match self.eval(arg)? {
                Val::Value(v) => v,
                Val::Memory(from) => {
                    let copy = self.temporary(arg.ty)?;
                    self.copy(copy, from, arg.ty)?;
                    copy.ptr
                }
                Val::None => return broken("a void argument"),
            });
        }
        if let Some(power) = self.power(callee, &values, ty)? {
            return Ok(Val::Value(power));
        }
        let value = self
            .b
            .call(func, values, types::value(&self.cx.program.types, ty));
        Ok(match (result, value) {
            (Some(memory), _) => Val::Memory(memory),
            (None, Some(v)) => Val::Value(v),
            (None, None) => Val::None,
        })
    }
}
