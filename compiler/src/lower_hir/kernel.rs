//! The information about a kernel that clGetKernelArgInfo reports and that a launch needs, from the kernel's
//! declaration.

use super::{Lowered, broken, types};
use crate::hir::ty::ImageAccess;
use crate::hir::{self, Program, Space, Type};
use crate::ir::{ArgKind, Func, KernelArg, KernelInfo, PointerUse, RequiredSubgroups};

const ADDRESS_GLOBAL: u32 = 0x119B;
const ADDRESS_LOCAL: u32 = 0x119C;
const ADDRESS_CONSTANT: u32 = 0x119D;
const ADDRESS_PRIVATE: u32 = 0x119E;
const ACCESS_READ_ONLY: u32 = 0x11A0;
const ACCESS_WRITE_ONLY: u32 = 0x11A1;
const ACCESS_READ_WRITE: u32 = 0x11A2;
const ACCESS_NONE: u32 = 0x11A3;
const TYPE_CONST: u32 = 1;
const TYPE_RESTRICT: u32 = 2;
const TYPE_VOLATILE: u32 = 4;
const TYPE_PIPE: u32 = 8;

/// Returns the kernel's description.
pub(super) fn info(program: &Program, kernel: &hir::Kernel, func: Func) -> Lowered<KernelInfo> {
    let source = &program.functions[kernel.func];
    if source.params.len() != kernel.args.len() {
        return broken("a kernel with a parameter that is not described");
    }
    let mut args = Vec::new();
    for (&param, arg) in source.params.iter().zip(&kernel.args) {
        args.push(argument(program, source.locals[param].ty, arg)?);
    }
    Ok(KernelInfo {
        func,
        name: source.name.clone(),
        args,
        required_size: kernel.required_size,
        uneven: kernel.uneven,
        any_memory: false,
        size_hint: kernel.size_hint,
        subgroups: RequiredSubgroups {
            size: kernel.subgroup_size,
            ..RequiredSubgroups::default()
        },
        attributes: kernel.attributes.clone(),
    })
}

fn argument(program: &Program, ty: hir::TypeId, arg: &hir::KernelArg) -> Lowered<KernelArg> {
    let types = &program.types;
    let mut address_qualifier = ADDRESS_PRIVATE;
    let mut access_qualifier = ACCESS_NONE;
    let mut is_const = arg.is_const;
    let kind = match *types.get(ty) {
        Type::Pointer { pointee, space, .. } => {
            let align = types.pointee_align(ty).max(1);
            match space {
                Space::Global => {
                    address_qualifier = ADDRESS_GLOBAL;
                    ArgKind::Buffer {
                        space: types::space(space),
                        align,
                    }
                }
                Space::Constant => {
                    address_qualifier = ADDRESS_CONSTANT;
                    // CL 5.7.3: CL_KERNEL_ARG_TYPE_CONST is set for every pointer to constant memory.
                    is_const = true;
                    ArgKind::Buffer {
                        space: types::space(space),
                        align,
                    }
                }
                Space::Local => {
                    address_qualifier = ADDRESS_LOCAL;
                    ArgKind::Local {
                        elem_size: u32::try_from(types::step(types, pointee)).unwrap_or(1),
                        align,
                    }
                }
                Space::Private | Space::Generic => {
                    return broken("a kernel parameter points to private memory");
                }
            }
        }
        Type::Pipe { write, .. } => {
            address_qualifier = ADDRESS_GLOBAL;
            access_qualifier = match write {
                true => ACCESS_WRITE_ONLY,
                false => ACCESS_READ_ONLY,
            };
            ArgKind::Buffer {
                space: types::space(Space::Global),
                align: 4,
            }
        }
        Type::Scalar(_) | Type::Vector(..) | Type::Event | Type::ReserveId => ArgKind::Pod {
            size: types::size(types, ty)?,
            align: types.align(ty),
            by_ref: false,
        },
        Type::Record(_) => ArgKind::Pod {
            size: types::size(types, ty)?,
            align: types.align(ty).max(1),
            by_ref: true,
        },
        Type::Image { dim, access } => {
            address_qualifier = ADDRESS_GLOBAL;
            access_qualifier = match access {
                ImageAccess::Read => ACCESS_READ_ONLY,
                ImageAccess::Write => ACCESS_WRITE_ONLY,
                ImageAccess::ReadWrite => ACCESS_READ_WRITE,
            };
            ArgKind::Image {
                shape: dim.shape(),
                write: access.writes(),
            }
        }
        Type::Sampler => ArgKind::Sampler,
        Type::Void
        | Type::Array(..)
        | Type::IncompleteArray(_)
        | Type::Function { .. }
        | Type::Matrix(_)
        | Type::AnyMatrix => {
            return broken("a kernel parameter of a type that has no values");
        }
    };
    let is_pipe = matches!(types.get(ty), Type::Pipe { .. });
    let bit = |on: bool, flag: u32| if on { flag } else { 0 };
    Ok(KernelArg {
        name: arg.name.clone(),
        type_name: arg.type_name.clone(),
        kind,
        address_qualifier,
        access_qualifier,
        type_qualifier: bit(is_const, TYPE_CONST)
            | bit(arg.is_restrict, TYPE_RESTRICT)
            | bit(arg.is_volatile, TYPE_VOLATILE)
            | bit(is_pipe, TYPE_PIPE),
        restrict: arg.is_restrict,
        uses: PointerUse::default(),
    })
}
