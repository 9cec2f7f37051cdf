//! Functions without a body that are built-in functions of OpenCL C.

use super::Lowering;
use crate::hash::HashSet;
use crate::ir::{self, Builder, Linkage, Ty};
use crate::spirv_in::library::CType;
use crate::spirv_in::mangled::{self, Param};
use crate::spirv_in::module::Function;
use crate::spirv_in::types::{Type, space};
use rspirv::spirv::Op;

impl<'w> Lowering<'_, 'w> {
    /// Returns the ids of the functions that others call.
    pub(super) fn called(&self) -> HashSet<u32> {
        let blocks = self.source.functions.iter().flat_map(|f| &f.blocks);
        let calls = blocks.flat_map(|b| &b.insts).filter(|i| i.op == Op::FunctionCall);
        calls.filter_map(|i| i.args.first().copied()).collect()
    }

    /// Returns the definition of an imported function whose name is that of a built-in function, for these parameters.
    /// Other objects may define it, too.
    pub(super) fn built_in(
        &mut self,
        function: &Function<'w>,
        declared: &ir::Function,
    ) -> Option<ir::Function> {
        let (name, params) = mangled::built_in(&declared.name)?;
        if params.len() != function.params.len() || params.len() > 26 {
            return None;
        }
        let mut types = Vec::new();
        for (param, given) in params.iter().zip(&function.params) {
            let ty = self.c_type(param, given.ty)?;
            if self.source.types.value(given.ty) != Some(ty.ir) {
                return None;
            }
            types.push(ty);
        }
        let ret = match self.source.types.get(function.ret) {
            Some(Type::Void) => None,
            _ => Some(CType::number(self.source.types.value(function.ret)?, true)?),
        };
        let args: Vec<String> = ('a'..='z').take(types.len()).map(String::from).collect();
        let call = format!("{name}({})", args.join(", "));
        // SPIR-V's type has no sign.
        let body = match &ret {
            Some(ret) => format!("return as_{}({call});", ret.text),
            None => format!("{call};"),
        };
        let callee = self.library.function(&mut self.out, ret.as_ref(), &types, &body);
        let mut func = declared.clone();
        func.linkage = Linkage::Inline;
        let (region, params) = (func.body, func.params.clone());
        let mut b = Builder::at_end(&mut func, region);
        let value = b.call(callee, params, ret.map(|r| r.ir));
        b.ret(value);
        Some(func)
    }

    /// Returns the type of a parameter in OpenCL C.
    fn c_type(&self, param: &Param, given: u32) -> Option<CType> {
        match param {
            Param::Number {
                scalar,
                signed,
                lanes,
            } => CType::number(Ty::vector(*scalar, *lanes), *signed),
            Param::Pointer(to) => match self.source.types.get(given) {
                Some(Type::Pointer(class, _)) => CType::pointer(to, space(*class)?),
                _ => None,
            },
            Param::Enumeration(name) => Some(CType {
                text: name.clone(),
                ir: Ty::I32,
            }),
        }
    }
}
