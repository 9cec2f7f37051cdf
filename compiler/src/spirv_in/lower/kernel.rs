//! Kernels: what a launch and clGetKernelArgInfo need to know.

use super::Lowering;
use crate::ir::{AddressSpace, ArgKind, Func, KernelArg, KernelInfo, PointerUse, RequiredSubgroups, Scalar};
use crate::spirv_in::Error;
use crate::spirv_in::module::{EntryPoint, Function};
use crate::spirv_in::types::{Type, space};
use crate::spirv_in::words::Inst;
use rspirv::spirv::{AccessQualifier, Decoration, ExecutionMode, FunctionParameterAttribute};

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

/// The largest number of instructions in all copies of functions that several kernels have.
const MAX_COPIED: usize = 4_000_000;

impl<'w> Lowering<'_, 'w> {
    /// Describes the kernels.
    pub(super) fn kernels(&mut self) -> Result<(), Error> {
        let source = self.source;
        for entry in &source.entry_points {
            let function = source.function(entry.func);
            let Some(function) = function.filter(|f| !f.blocks.is_empty()) else {
                return Err(entry
                    .inst
                    .invalid(format!("%{} is no function with a body", entry.func)));
            };
            if source.types.get(function.ret) != Some(&Type::Void) {
                return Err(entry.inst.invalid("the function of a kernel returns a value"));
            }
            let func = self.own_function(entry, self.funcs[&entry.func])?;
            let info = self.kernel(entry, function, func)?;
            self.out.kernels.push(info);
        }
        Ok(())
    }

    /// Returns a function that no other kernel has. It gets the kernel's name, unless other objects know it
    /// by another.
    fn own_function(&mut self, entry: &EntryPoint<'_>, func: Func) -> Result<Func, Error> {
        let func = match self.out.kernels.iter().any(|k| k.func == func) {
            false => func,
            true => {
                self.copied += self.out.funcs[func].insts.len();
                if self.copied > MAX_COPIED {
                    let why = "kernels that have one function would need copies with more than 4 million instructions";
                    return Err(entry.inst.unsupported(why));
                }
                let mut copy = self.out.funcs[func].clone();
                copy.linkage = crate::ir::Linkage::Static;
                self.out.funcs.push(copy)
            }
        };
        if self.out.funcs[func].linkage == crate::ir::Linkage::Static {
            self.out.funcs[func].name.clone_from(&entry.name);
        }
        Ok(func)
    }

    fn kernel(
        &self,
        entry: &EntryPoint<'w>,
        function: &Function<'w>,
        func: Func,
    ) -> Result<KernelInfo, Error> {
        let mut info = KernelInfo {
            func,
            name: entry.name.clone(),
            args: Vec::new(),
            required_size: None,
            uneven: self.settings.uneven,
            any_memory: false,
            size_hint: None,
            subgroups: RequiredSubgroups::default(),
            // OpenCL 5.9.3: the attributes of a kernel that is not from source are the empty string.
            attributes: String::new(),
        };
        self.execution_modes(entry, &mut info)?;
        let types = self.argument_types(&entry.name);
        for (n, p) in function.params.iter().enumerate() {
            let mut arg = self.argument(p)?;
            if let Some(name) = types.get(n) {
                arg.type_name.clone_from(name);
            }
            info.args.push(arg);
        }
        Ok(info)
    }

    fn execution_modes(&self, entry: &EntryPoint<'w>, info: &mut KernelInfo) -> Result<(), Error> {
        for inst in self
            .source
            .modes
            .iter()
            .filter(|i| i.args.first() == Some(&entry.func))
        {
            let number = inst.arg(1)?;
            let size =
                |n| -> Result<[u32; 3], Error> { Ok([inst.arg(n)?, inst.arg(n + 1)?, inst.arg(n + 2)?]) };
            match ExecutionMode::from_u32(number) {
                Some(ExecutionMode::LocalSize) => info.required_size = Some(size(2)?),
                Some(ExecutionMode::LocalSizeHint) => info.size_hint = Some(size(2)?),
                Some(ExecutionMode::LocalSizeId) => info.required_size = Some(self.sizes(inst, size(2)?)?),
                Some(ExecutionMode::LocalSizeHintId) => info.size_hint = Some(self.sizes(inst, size(2)?)?),
                Some(ExecutionMode::SubgroupSize) => info.subgroups.size = Some(inst.arg(2)?),
                Some(ExecutionMode::SubgroupsPerWorkgroup) => info.subgroups.count = Some(inst.arg(2)?),
                Some(ExecutionMode::SubgroupsPerWorkgroupId) => {
                    info.subgroups.count = Some(self.size(inst, inst.arg(2)?)?);
                }
                Some(ExecutionMode::VecTypeHint | ExecutionMode::ContractionOff) => {}
                Some(ExecutionMode::SignedZeroInfNanPreserve | ExecutionMode::RoundingModeRTE) => {}
                Some(ExecutionMode::DenormPreserve) => self.preserves_denormals(inst)?,
                Some(
                    ExecutionMode::MaxWorkgroupSizeINTEL
                    | ExecutionMode::MaxWorkDimINTEL
                    | ExecutionMode::NoGlobalOffsetINTEL
                    | ExecutionMode::NumSIMDWorkitemsINTEL
                    | ExecutionMode::MaximumRegistersINTEL
                    | ExecutionMode::MaximumRegistersIdINTEL
                    | ExecutionMode::NamedMaximumRegistersINTEL,
                ) => {}
                Some(mode) => return Err(inst.unsupported(format!("the mode {mode:?} is not implemented"))),
                None => return Err(inst.unsupported(format!("the mode {number} is unknown"))),
            }
        }
        if info.required_size.is_some_and(|size| size.contains(&0)) {
            return Err(entry.inst.invalid("a local size is 0"));
        }
        let RequiredSubgroups { size, count, .. } = info.subgroups;
        match size == Some(0) || count == Some(0) {
            true => Err(entry.inst.invalid("a size or number of sub-groups is 0")),
            false => Ok(()),
        }
    }

    /// Checks that the device preserves denormals of the width that a mode states.
    fn preserves_denormals(&self, inst: &Inst<'_>) -> Result<(), Error> {
        let bits = inst.arg(2)?;
        let preserved = [16, 32, 64].iter().zip(self.denorm_preserve);
        match preserved
            .into_iter()
            .any(|(&n, preserved)| n == bits && preserved)
        {
            true => Ok(()),
            false => Err(inst.unsupported(format!(
                "the mode DenormPreserve: the device does not preserve denormals of {bits} bits"
            ))),
        }
    }

    fn sizes(&self, inst: &Inst<'_>, ids: [u32; 3]) -> Result<[u32; 3], Error> {
        let [x, y, z] = ids.map(|id| self.size(inst, id));
        Ok([x?, y?, z?])
    }

    fn size(&self, inst: &Inst<'_>, id: u32) -> Result<u32, Error> {
        let value = u32::try_from(self.source.integer(inst, id)?);
        value.map_err(|_| inst.invalid(format!("%{id} does not fit 32 bits")))
    }

    /// Returns the argument types that the translator of LLVM states in a string:
    /// `kernel_arg_type.NAME.TYPE,TYPE,`.
    fn argument_types(&self, kernel: &str) -> Vec<String> {
        let prefix = format!("kernel_arg_type.{kernel}.");
        let found = self.source.strings.iter().find_map(|s| s.strip_prefix(&prefix));
        let list = found.unwrap_or("").split(',').map(str::to_owned);
        list.filter(|t| !t.is_empty()).collect()
    }

    fn argument(&self, p: &Inst<'w>) -> Result<KernelArg, Error> {
        let mut address_qualifier = ADDRESS_PRIVATE;
        let mut access_qualifier = ACCESS_NONE;
        let mut type_qualifier = self.qualifiers(p);
        let kind = match self.source.types.of(p, p.ty)? {
            Type::Pointer(class, pointee) => {
                let by_value = self.is_by_value(p);
                let layout = self.source.types.layout(*pointee);
                let align = layout.map_or(1, |l| l.align);
                match space(*class) {
                    Some(space @ (AddressSpace::Global | AddressSpace::Constant)) => {
                        address_qualifier = ADDRESS_GLOBAL;
                        if space == AddressSpace::Constant {
                            address_qualifier = ADDRESS_CONSTANT;
                            type_qualifier |= TYPE_CONST;
                        }
                        ArgKind::Buffer { space, align }
                    }
                    Some(AddressSpace::Local) => {
                        address_qualifier = ADDRESS_LOCAL;
                        let elem_size = layout.map_or(1, |l| l.size);
                        ArgKind::Local { elem_size, align }
                    }
                    Some(AddressSpace::Private) if by_value => {
                        let layout = self.source.types.layout_of(p, *pointee)?;
                        // A packed structure has the alignment 1, but the accesses have that of the decoration.
                        ArgKind::Pod {
                            size: layout.size,
                            align: self.alignment(p, layout.align)?,
                            by_ref: true,
                        }
                    }
                    _ => {
                        return Err(p.invalid(format!(
                            "a kernel cannot have a pointer to {class:?} as parameter"
                        )));
                    }
                }
            }
            Type::Plain(ty) if ty.scalar == Scalar::Bool => {
                return Err(p.invalid("a kernel cannot have a Boolean as parameter"));
            }
            Type::Plain(_) | Type::Array(..) | Type::Struct(_) => {
                let layout = self.source.types.layout_of(p, p.ty)?;
                ArgKind::Pod {
                    size: layout.size,
                    align: layout.align,
                    by_ref: self.source.types.is_aggregate(p.ty),
                }
            }
            Type::Image { shape, access, .. } => {
                address_qualifier = ADDRESS_GLOBAL;
                access_qualifier = match access {
                    AccessQualifier::ReadOnly => ACCESS_READ_ONLY,
                    AccessQualifier::WriteOnly => ACCESS_WRITE_ONLY,
                    AccessQualifier::ReadWrite if self.reads_and_writes => ACCESS_READ_WRITE,
                    AccessQualifier::ReadWrite => {
                        let what = "the device does not have images that a kernel reads and writes";
                        return Err(p.unsupported(what));
                    }
                };
                let write = *access != AccessQualifier::ReadOnly;
                ArgKind::Image { shape: *shape, write }
            }
            Type::Sampler => ArgKind::Sampler,
            Type::Pipe { write } => {
                address_qualifier = ADDRESS_GLOBAL;
                access_qualifier = match write {
                    true => ACCESS_WRITE_ONLY,
                    false => ACCESS_READ_ONLY,
                };
                type_qualifier |= TYPE_PIPE;
                ArgKind::Buffer {
                    space: AddressSpace::Global,
                    align: 4,
                }
            }
            Type::Void
            | Type::Function { .. }
            | Type::SampledImage(_)
            | Type::Event
            | Type::ReserveId
            | Type::Opaque => {
                return Err(p.unsupported("kernel parameters of this type are not implemented"));
            }
        };
        Ok(KernelArg {
            name: self.name(p.result),
            type_name: self.type_name(p.ty),
            kind,
            address_qualifier,
            access_qualifier,
            type_qualifier,
            restrict: type_qualifier & TYPE_RESTRICT != 0,
            uses: PointerUse::default(),
        })
    }

    /// Returns whether a parameter is a pointer to a copy of the caller's argument.
    pub(super) fn is_by_value(&self, p: &Inst<'_>) -> bool {
        self.has_attribute(p, FunctionParameterAttribute::ByVal)
    }

    fn has_attribute(&self, p: &Inst<'_>, attribute: FunctionParameterAttribute) -> bool {
        let list = self.source.decorations_of(p.result);
        list.filter(|d| d.decoration == Decoration::FuncParamAttr)
            .any(|d| d.operands.first() == Some(&(attribute as u32)))
    }

    fn qualifiers(&self, p: &Inst<'_>) -> u32 {
        let bit = |on: bool, flag: u32| if on { flag } else { 0 };
        let has = |d| self.source.decorated(p.result, d).is_some();
        bit(has(Decoration::Constant), TYPE_CONST)
            | bit(
                has(Decoration::Restrict) || self.has_attribute(p, FunctionParameterAttribute::NoAlias),
                TYPE_RESTRICT,
            )
            | bit(has(Decoration::Volatile), TYPE_VOLATILE)
    }

    /// Returns the name of a type in OpenCL C. SPIR-V does not tell signed integers from unsigned ones.
    fn type_name(&self, ty: u32) -> String {
        use crate::spirv_in::library::CType;
        let types = &self.source.types;
        match types.get(ty) {
            Some(Type::Plain(ty)) => CType::number(*ty, true).map_or_else(|| "bool".into(), |c| c.text),
            Some(Type::Pointer(_, pointee)) => match types.get(*pointee) {
                Some(Type::Plain(_)) => format!("{}*", self.type_name(*pointee)),
                Some(Type::Struct(_)) => format!("{}*", self.name(*pointee).trim_start_matches("struct.")),
                _ => "void*".into(),
            },
            Some(Type::Struct(_)) => self.name(ty).trim_start_matches("struct.").to_owned(),
            Some(Type::Image { shape, .. }) => match shape.name() {
                "buffer" => "image1d_buffer_t".into(),
                name => format!("image{name}_t"),
            },
            Some(Type::Sampler) => "sampler_t".into(),
            _ => String::new(),
        }
    }
}
