//! Calls of the module's functions, and of OpenCL C's built-in functions.

use super::func::{FuncLowering, Val};
use crate::ir::{Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::library::CType;
use crate::spirv_in::types::{Layout, Type};
use crate::spirv_in::words::Inst;

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    pub(super) fn call(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let id = inst.arg(0)?;
        let Some(&callee) = self.cx.funcs.get(&id) else {
            return Err(inst.invalid(format!("%{id} is no function")));
        };
        let source = self.cx.source;
        let Some(target) = source.function(id) else {
            return Err(inst.invalid(format!("%{id} is no function")));
        };
        if target.ret != inst.ty || target.params.len() != inst.args.len() - 1 {
            return Err(inst.invalid("the result or the number of arguments is not that of the function"));
        }
        let mut args = Vec::with_capacity(inst.args.len());
        let is_aggregate = source.types.is_aggregate(inst.ty);
        if is_aggregate {
            args.push(self.new_memory(inst)?);
        }
        for (p, &id) in target.params.iter().zip(inst.args_from(1)?) {
            args.push(match self.operand_of(inst, id, p.ty)? {
                Val::Value(value) if self.cx.is_by_value(p) => {
                    let (_, pointee) = self.pointer(inst, id)?;
                    let layout = source.types.layout_of(inst, pointee)?;
                    let align = self.cx.alignment(p, layout.align)?;
                    let copy = self.alloca(Layout { align, ..layout });
                    self.copy(copy, value, layout);
                    copy
                }
                Val::Value(value) => value,
                Val::Memory(from) => {
                    let layout = source.types.layout_of(inst, p.ty)?;
                    let copy = self.alloca(layout);
                    self.copy(copy, from, layout);
                    copy
                }
                Val::Sampled(..) => {
                    return Err(inst.unsupported("an argument that is an image with a sampler"));
                }
            });
        }
        let ret = self.cx.out.funcs[callee].results.first().copied();
        let value = self.b.call(callee, args, ret);
        match value {
            Some(value) => self.define(inst, value),
            None if is_aggregate || source.types.get(inst.ty) == Some(&Type::Void) => Ok(()),
            None => Err(inst.invalid("the function has no result")),
        }
    }

    /// Calls a function in OpenCL C. The arguments are numbers; each comes with its signedness, and so does
    /// the result.
    pub(super) fn library_call(
        &mut self,
        inst: &Inst<'_>,
        body: &str,
        ret: Option<(Ty, bool)>,
        args: &[(Value, bool)],
    ) -> Result<Option<Value>, Error> {
        let number = |ty, signed| {
            let ty = CType::number(ty, signed);
            ty.ok_or_else(|| inst.invalid("an operand is of a type that the operation does not take"))
        };
        let ret = match ret {
            Some((ty, signed)) => Some(number(ty, signed)?),
            None => None,
        };
        let mut types = Vec::with_capacity(args.len());
        for &(value, signed) in args {
            types.push(number(self.b.func.ty(value), signed)?);
        }
        let values = args.iter().map(|&(value, _)| value).collect();
        Ok(self.call_library(body, ret.as_ref(), &types, values))
    }

    /// Calls a function in OpenCL C with parameters of these types.
    pub(super) fn call_library(
        &mut self,
        body: &str,
        ret: Option<&CType>,
        types: &[CType],
        args: Vec<Value>,
    ) -> Option<Value> {
        let func = self.cx.library.function(&mut self.cx.out, ret, types, body);
        self.b.call(func, args, ret.map(|r| r.ir))
    }

    /// Sets the result of an instruction to that of a call, which may have none.
    pub(super) fn define_from(&mut self, inst: &Inst<'_>, value: Option<Value>) -> Result<(), Error> {
        match value {
            Some(value) => self.define(inst, value),
            None => Ok(()),
        }
    }
}
