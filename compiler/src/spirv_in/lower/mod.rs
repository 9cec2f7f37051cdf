//! Translation of a module that has been read to IR.
//!
//! | SPIR-V | IR |
//! |---|---|
//! | scalar, vector, pointer | a value |
//! | structure, array | the memory that holds it, which is never changed after its definition |
//! | parameter that is a structure or array | private pointer to a copy that the caller made |
//! | result that is a structure or array | private pointer, the first parameter |
//! | Boolean in memory | one byte, 0 or 1 |
//! | value that another block uses | private memory, which mem2reg promotes |
//! | phi | private memory, which each predecessor writes |
//!
//! To read: `func` and `control` translate a function, `dispatch` finds the translation of each instruction, `value`
//! has the operands. The other modules translate one kind of instruction each. `imported`, `opencl_std`, `pipe` and
//! part of `call` make calls of OpenCL C's functions, `kernel` describes entry points, and `intel` is for the
//! extensions of one vendor.

mod arith;
mod bits;
mod call;
mod composite;
mod control;
mod convert;
mod dispatch;
mod func;
mod generic;
mod group;
mod image;
mod imported;
mod intel;
mod kernel;
mod matrix;
mod memory;
mod opencl_std;
mod pipe;
mod sync;
mod value;

use super::capability::BALLOT;
use super::consts::{self, Constant, Data};
use super::library::Library;
use super::module::{Function, Module, Variable};
use super::types::Type;
use super::words::Inst;
use super::{Error, Imported, Settings};
use crate::hash::HashMap;
use crate::ir::{self, AddressSpace, Global, GlobalData, Initializer, Linkage, Ty};
use crate::target::Target;
use rspirv::spirv::{Decoration, ExecutionMode, LinkageType, StorageClass};

/// The state of one module's translation.
struct Lowering<'m, 'w> {
    source: &'m Module<'w>,
    settings: &'m Settings,
    out: ir::Module,
    library: Library,
    globals: HashMap<u32, Global>,
    funcs: HashMap<u32, ir::Func>,
    /// Constant structures and arrays that are in memory.
    data: HashMap<u32, Global>,
    /// The number of bytes of the variables' initial contents so far.
    contents: usize,
    /// The number of instructions in the copies of functions that several kernels have.
    copied: usize,
    /// Whether products and sums may be fused.
    contract: bool,
    /// Whether the device has sub-groups.
    has_subgroups: bool,
    /// Whether kernels may write 3D images.
    writes_volumes: bool,
    /// Whether kernels may both read and write an image.
    reads_and_writes: bool,
    /// Whether the module may have cooperative matrices.
    has_matrices: bool,
    /// Whether kernels check their asynchronous copies.
    checks_copies: bool,
    /// Whether the device has double, to which printf's arguments are promoted.
    has_double: bool,
    /// Whether the device preserves denormals of 16, 32 and 64 bits.
    denorm_preserve: [bool; 3],
}

/// Translates a module.
pub(super) fn lower(source: &Module<'_>, target: &Target, settings: &Settings) -> Result<Imported, Error> {
    let has_feature = |name: &str| target.c_features.iter().any(|f| f == name);
    let contraction_off = |inst: &Inst<'_>| inst.args.get(1) == Some(&(ExecutionMode::ContractionOff as u32));
    let mut cx = Lowering {
        source,
        settings,
        out: ir::Module::default(),
        library: Library::default(),
        globals: HashMap::default(),
        funcs: HashMap::default(),
        data: HashMap::default(),
        contents: 0,
        copied: 0,
        contract: !source.modes.iter().any(contraction_off),
        has_subgroups: target.has_extension("cl_khr_subgroups") || target.has_extension(BALLOT),
        writes_volumes: target.has_extension("cl_khr_3d_image_writes"),
        reads_and_writes: has_feature("__opencl_c_read_write_images"),
        has_matrices: source.types.have_matrices(),
        checks_copies: target.checks.barrier,
        has_double: target.features.float64,
        denorm_preserve: target.features.denorm_preserve,
    };
    cx.variables()?;
    for function in &source.functions {
        let declared = cx.declaration(function)?;
        let func = cx.out.funcs.push(declared);
        cx.funcs.insert(function.inst.result, func);
    }
    let called = cx.called();
    for function in &source.functions {
        let func = cx.funcs[&function.inst.result];
        if function.blocks.is_empty() {
            let declared = cx.out.funcs[func].clone();
            let found = match called.contains(&function.inst.result) {
                true => cx.built_in(function, &declared),
                false => None,
            };
            match found {
                Some(definition) => cx.out.funcs[func] = definition,
                None => cx.out.undefined.push(func),
            }
        } else {
            let declared = cx.out.funcs[func].clone();
            cx.out.funcs[func] = func::lower(&mut cx, function, declared)?;
        }
    }
    cx.kernels()?;
    Ok(Imported {
        module: cx.out,
        library: cx.library.into_source(),
    })
}

impl<'w> Lowering<'_, 'w> {
    /// Returns the name and the linkage that other objects know an id by.
    fn linkage(&self, id: u32) -> Result<Option<(String, LinkageType)>, Error> {
        let Some(d) = self.source.decorated(id, Decoration::LinkageAttributes) else {
            return Ok(None);
        };
        let (name, end) = d.inst.string(d.first)?;
        match LinkageType::from_u32(d.inst.arg(end)?) {
            Some(linkage) => Ok(Some((name, linkage))),
            None => Err(d.inst.invalid("the linkage type is unknown")),
        }
    }

    fn name(&self, id: u32) -> String {
        self.source.names.get(&id).cloned().unwrap_or_default()
    }

    /// Creates the module's variables, then their contents, which may point to each other.
    fn variables(&mut self) -> Result<(), Error> {
        let source = self.source;
        for &id in &source.variable_order {
            let variable = &source.variables[&id];
            let space = match variable.class {
                // Each function has its own.
                StorageClass::Input | StorageClass::Function => continue,
                StorageClass::UniformConstant
                    if source.types.get(variable.pointee) == Some(&Type::Sampler) =>
                {
                    continue;
                }
                StorageClass::UniformConstant => AddressSpace::Constant,
                StorageClass::CrossWorkgroup => AddressSpace::Global,
                StorageClass::Workgroup => AddressSpace::Local,
                _ => {
                    return Err(variable.inst.unsupported(format!(
                        "variables of the storage class {:?} outside of functions are not implemented",
                        variable.class
                    )));
                }
            };
            let layout = source.types.layout_of(&variable.inst, variable.pointee)?;
            let (name, linkage) = match self.linkage(id)? {
                Some((name, LinkageType::LinkOnceODR)) => (name, Linkage::Inline),
                Some((name, LinkageType::Export | LinkageType::Import)) => (name, Linkage::External),
                None => (self.name(id), Linkage::Static),
            };
            let align = self.alignment(&variable.inst, layout.align)?;
            let global = self.out.globals.push(GlobalData {
                name,
                space,
                size: layout.size,
                align,
                init: None,
                // Constants of several objects may have one name if their contents are the same.
                linkage: match space {
                    AddressSpace::Global => linkage,
                    _ => Linkage::External,
                },
            });
            self.globals.insert(id, global);
        }
        for &id in &source.variable_order {
            self.contents(&source.variables[&id])?;
        }
        Ok(())
    }

    /// Returns the alignment of a variable or of what a parameter points to, which a decoration may raise.
    fn alignment(&self, of: &Inst<'w>, natural: u32) -> Result<u32, Error> {
        match self.source.decorated(of.result, Decoration::Alignment) {
            None => Ok(natural),
            Some(d) => match d.operands.first() {
                Some(&n) if n.is_power_of_two() && n <= 4096 => Ok(n.max(natural)),
                // LLVM's code generator takes the alignment 128 for a number of 8 bits with a sign.
                Some(&n) if n == i32::from(i8::MIN).cast_unsigned() => Ok(natural.max(128)),
                _ => Err(d.inst.invalid("the alignment is no power of two up to 4096")),
            },
        }
    }

    /// Sets the initial contents of a variable.
    fn contents(&mut self, variable: &Variable<'w>) -> Result<(), Error> {
        let Some(&global) = self.globals.get(&variable.inst.result) else {
            return Ok(());
        };
        if variable.class == StorageClass::Workgroup {
            // LLVM's translator writes a null initializer for an undefined one. OpenCL's local memory starts undefined.
            return Ok(());
        }
        if variable.init == 0 {
            return match self.linkage(variable.inst.result)? {
                Some((_, LinkageType::Import)) => Ok(()),
                _ if variable.class == StorageClass::CrossWorkgroup => {
                    self.out.globals[global].init = Some(Initializer::default());
                    Ok(())
                }
                _ => Err(variable.inst.invalid("a constant variable has no initializer")),
            };
        }
        let Some(constant) = self.source.consts.get(variable.init) else {
            return Err(variable.inst.invalid("its initializer is no constant"));
        };
        if self.source.consts.type_of(variable.init) != Some(variable.pointee) {
            return Err(variable.inst.invalid("its initializer is of another type"));
        }
        if let Constant::Operation(_) = constant {
            return Err(variable
                .inst
                .unsupported("its initializer is not known before the kernel runs"));
        }
        if variable.class == StorageClass::CrossWorkgroup && *constant == Constant::Null {
            self.out.globals[global].init = Some(Initializer::default());
            return Ok(());
        }
        let layout = self.source.types.layout_of(&variable.inst, variable.pointee)?;
        self.contents = self.contents.saturating_add(layout.size as usize);
        if self.contents > consts::MAX_BYTES {
            return Err(variable
                .inst
                .unsupported("the variables have more than 256 MiB of contents"));
        }
        let data = consts::data_of(constant, self.source.types.value(variable.pointee), layout);
        let mut init = self.initializer(&variable.inst, data)?;
        if variable.class == StorageClass::CrossWorkgroup {
            let used = init.bytes.iter().rposition(|b| *b != 0);
            init.bytes.truncate(used.map_or(0, |last| last + 1));
        }
        self.out.globals[global].init = Some(init);
        Ok(())
    }

    /// Translates the contents of a variable.
    fn initializer(&self, inst: &Inst<'_>, data: Data) -> Result<Initializer, Error> {
        let mut relocations = Vec::new();
        for (at, id, offset) in data.pointers {
            match self.globals.get(&id) {
                Some(&g) if self.out.globals[g].space != AddressSpace::Local => {
                    relocations.push((at, g, offset));
                }
                _ => {
                    return Err(inst.unsupported(format!(
                        "a constant points to %{id}, which is not in constant or global memory"
                    )));
                }
            }
        }
        Ok(Initializer {
            bytes: data.bytes,
            relocations,
        })
    }

    /// Returns the memory of a constant structure or array.
    fn data(&mut self, inst: &Inst<'_>, id: u32, data: &Data, align: u32) -> Result<Global, Error> {
        if let Some(&global) = self.data.get(&id) {
            return Ok(global);
        }
        let init = self.initializer(inst, data.clone())?;
        let global = self.out.globals.push(GlobalData {
            name: String::new(),
            space: AddressSpace::Constant,
            size: data.bytes.len() as u32,
            align,
            init: Some(init),
            linkage: Linkage::Static,
        });
        self.data.insert(id, global);
        Ok(global)
    }

    /// Returns the type of a parameter. Structures and arrays are passed by reference.
    fn param(&self, inst: &Inst<'_>, ty: u32) -> Result<Ty, Error> {
        match self.source.types.value(ty) {
            Some(ty) => Ok(ty),
            None if self.source.types.is_aggregate(ty) => Ok(Ty::ptr(AddressSpace::Private)),
            None => Err(inst.unsupported("parameters of this type are not implemented")),
        }
    }

    /// Returns a function with the right signature and an empty body.
    fn declaration(&self, function: &Function<'w>) -> Result<ir::Function, Error> {
        let (types, id) = (&self.source.types, function.inst.result);
        let mut params = Vec::new();
        let mut ret = None;
        if types.is_aggregate(function.ret) {
            params.push(Ty::ptr(AddressSpace::Private));
        } else if types.get(function.ret) != Some(&Type::Void) {
            ret = types.value(function.ret);
            if ret.is_none() {
                return Err(function
                    .inst
                    .unsupported("results of this type are not implemented"));
            }
        }
        for p in &function.params {
            params.push(self.param(p, p.ty)?);
        }
        let (name, linkage) = match self.linkage(id)? {
            Some((name, LinkageType::Import)) if function.blocks.is_empty() => (name, Linkage::External),
            Some((_, LinkageType::Import)) => {
                return Err(function.inst.invalid("an imported function has a body"));
            }
            _ if function.blocks.is_empty() => {
                return Err(function
                    .inst
                    .invalid("a function that is not imported has no body"));
            }
            Some((name, LinkageType::Export)) => (name, Linkage::External),
            Some((name, LinkageType::LinkOnceODR)) => (name, Linkage::Inline),
            None => (self.name(id), Linkage::Static),
        };
        let mut f = ir::Function::new(name, &params, ret);
        f.linkage = linkage;
        Ok(f)
    }
}
