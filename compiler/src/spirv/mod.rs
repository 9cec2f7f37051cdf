//! Translation of IR to SPIR-V words.
//!
//! In:  a module for which the pipeline's final invariants hold: only kernels and the pure functions that
//!      they call, everything else inlined; vectors of at most 4 lanes; explicit memory (`lower_memory`);
//!      exits in the forms of `lower_exits`; and of the work-item functions only those that
//!      `lower_system_values` leaves.
//! Out: a module with reflection that `spirv-val` accepts for the target's Vulkan version. The output is
//!      deterministic. The module declares only the capabilities and extensions that the emitted instructions
//!      need.
//!
//! A failure here is a bug of an earlier stage, never the user's error. `docs/adr/0002-spirv-emission.md`
//! gives the reasons for the choices: WorkgroupSize, push constants as words, the memory model.
//!
//! | to read | modules |
//! |---|---|
//! | first: the frame of a module | `interface` (kernels), `calls` (functions), `block` (control flow), `types`, `consts`, `capability`, `instruction` |
//! | instructions | `arith`, `intrinsic`, `memory`, `object` (memory of the descriptor ABI), `image`, `subgroup`, `matrix` |
//! | what a launch supplies | `push`, `reflection` |
//! | how work-groups are laid out | `flat`, `pack`; `groups` and `waits` decide whether that is allowed |
//! | modules that exist already | `split` (one module for each kernel), `check` and `validate` (may a driver see it?), `relax` |
//!
//! Only this module, `spirv_in`, `spirv_text` and `spirv_mlir` name rspirv. Emission uses rspirv's data representation:
//! instructions, operands and their assembly; types and constants are interned here. The checks of modules from outside
//! use its loader, and [`crate::spirv_text`] its disassembler.

mod arith;
mod block;
mod calls;
mod capability;
mod check;
mod consts;
mod flat;
mod groups;
mod image;
mod instruction;
mod interface;
mod intrinsic;
mod matrix;
mod memory;
mod object;
mod pack;
mod push;
mod reflection;
mod relax;
mod split;
mod subgroup;
mod types;
mod validate;
mod waits;

pub use check::check;
pub use relax::relax;
pub use split::Divisible;

use self::instruction::instruction;
use crate::diag::InternalError;
use crate::hash::HashMap;
use crate::intrinsic::FenceFlags;
use crate::ir::{EntityRef, Function, Inst, Module, Value};
use crate::source::Span;
use crate::target::Target;
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv as spv;
use std::collections::BTreeSet;

/// A SPIR-V id.
type Id = u32;
type Emit<T> = Result<T, InternalError>;

/// Returns an error of this stage.
#[track_caller]
fn bug(message: impl Into<String>) -> InternalError {
    InternalError::new("spirv", message)
}

/// The deepest nesting of control flow. SPIR-V's limit is 1,023 (2.17, universal limits); a loop takes more
/// levels than its own.
pub const MAX_DEPTH: usize = 1000;

/// Returns the position where control flow is nested more deeply than [`MAX_DEPTH`], if there is one.
pub fn nested_too_deeply(module: &Module) -> Option<Span> {
    module.funcs.iter().find_map(|(_, func)| {
        let mut depth = vec![0usize; func.regions.len()];
        let regions = func.regions_in_order();
        regions.into_iter().find_map(|region| {
            func.regions[region].insts.iter().copied().find_map(|inst| {
                let inside = depth[region.index()] + 1;
                let data = &func.insts[inst];
                data.regions.iter().for_each(|r| depth[r.index()] = inside);
                (!data.regions.is_empty() && inside > MAX_DEPTH).then_some(data.span)
            })
        })
    })
}

/// Translates a module to SPIR-V words.
pub fn emit(module: &Module, target: &Target) -> Result<Vec<u32>, InternalError> {
    let mut e = Emitter::new(module, target);
    e.workgroup_size();
    e.find_wide_push_constants();
    e.pure_functions()?;
    for k in 0..module.kernels.len() {
        e.kernel(k)?;
    }
    e.finish_objects();
    e.reflection()?;
    Ok(e.finish())
}

/// The state of one module's translation.
struct Emitter<'a> {
    module: &'a Module,
    target: &'a Target,
    last_id: Id,
    needs: capability::Needs,
    imports: Vec<Instruction>,
    entry_points: Vec<Instruction>,
    modes: Vec<Instruction>,
    strings: Vec<Instruction>,
    names: Vec<Instruction>,
    annotations: Vec<Instruction>,
    globals: Vec<Instruction>,
    functions: Vec<Instruction>,
    reflection: Vec<Instruction>,
    interned: HashMap<(u32, Option<Id>, Vec<Operand>), Id>,
    glsl: Option<Id>,
    shared: interface::Shared,
    /// How each kernel is packed.
    packing: Vec<pack::Packing>,
    /// The kernels' ids, in the order of the module's kernels.
    kernels: Vec<KernelIds>,
    /// The ids of the called functions, by the functions' numbers.
    functions_by_number: Vec<Option<Id>>,
}

/// The ids of an emitted kernel that its reflection refers to.
struct KernelIds {
    function: Id,
    arena: Option<Id>,
    /// The work-group variables of the descriptor ABI, with their sizes in bytes.
    locals: Vec<(Id, u32)>,
}

impl<'a> Emitter<'a> {
    fn new(module: &'a Module, target: &'a Target) -> Self {
        Emitter {
            module,
            target,
            last_id: 0,
            needs: capability::Needs::default(),
            imports: Vec::new(),
            entry_points: Vec::new(),
            modes: Vec::new(),
            strings: Vec::new(),
            names: Vec::new(),
            annotations: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            reflection: Vec::new(),
            interned: HashMap::default(),
            glsl: None,
            shared: interface::Shared::default(),
            packing: pack::of_all(module, &target.abi),
            kernels: Vec::new(),
            functions_by_number: Vec::new(),
        }
    }

    fn id(&mut self) -> Id {
        self.last_id += 1;
        self.last_id
    }

    /// Returns the id of a global instruction that exists only once for the same operands.
    fn intern(&mut self, op: spv::Op, ty: Option<Id>, operands: Vec<Operand>) -> Id {
        let key = (op as u32, ty, operands);
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.global(op, ty, key.2.clone());
        self.interned.insert(key, id);
        id
    }

    /// Appends a new global instruction.
    fn global(&mut self, op: spv::Op, ty: Option<Id>, operands: Vec<Operand>) -> Id {
        let id = self.id();
        self.globals.push(instruction(op, ty, Some(id), operands));
        id
    }

    fn decorate(&mut self, id: Id, decoration: spv::Decoration, operands: &[u32]) {
        let mut list = vec![Operand::IdRef(id), Operand::Decoration(decoration)];
        list.extend(operands.iter().map(|&w| Operand::LiteralBit32(w)));
        self.annotations
            .push(instruction(spv::Op::Decorate, None, None, list));
    }

    fn decorate_builtin(&mut self, id: Id, builtin: spv::BuiltIn) {
        self.annotations.push(instruction(
            spv::Op::Decorate,
            None,
            None,
            vec![
                Operand::IdRef(id),
                Operand::Decoration(spv::Decoration::BuiltIn),
                Operand::BuiltIn(builtin),
            ],
        ));
    }

    fn name(&mut self, id: Id, name: &str) {
        self.names.push(instruction(
            spv::Op::Name,
            None,
            None,
            vec![Operand::IdRef(id), Operand::LiteralString(name.into())],
        ));
    }

    fn import(&mut self, name: &str) -> Id {
        let id = self.id();
        self.imports.push(instruction(
            spv::Op::ExtInstImport,
            None,
            Some(id),
            vec![Operand::LiteralString(name.into())],
        ));
        id
    }

    fn glsl(&mut self) -> Id {
        match self.glsl {
            Some(id) => id,
            None => {
                let id = self.import("GLSL.std.450");
                self.glsl = Some(id);
                id
            }
        }
    }

    /// Emits the pure functions that kernels call.
    fn pure_functions(&mut self) -> Emit<()> {
        let all = calls::called(self.module);
        self.functions_by_number = vec![None; self.module.funcs.len()];
        for called in &all {
            self.functions_by_number[called.func.index()] = Some(self.id());
        }
        for calls::Called {
            func,
            function,
            control,
        } in all
        {
            let Some(id) = self.functions_by_number[func.index()] else {
                continue;
            };
            let ret = self.results(&function.results)?;
            let mut signature = vec![Operand::IdRef(ret)];
            let mut params = Vec::new();
            for &p in &function.params {
                let ty = self.ty(function.ty(p))?;
                signature.push(Operand::IdRef(ty));
                params.push(instruction(
                    spv::Op::FunctionParameter,
                    Some(ty),
                    Some(self.id()),
                    vec![],
                ));
            }
            let fn_type = self.intern(spv::Op::TypeFunction, None, signature);
            let (vars, blocks) = {
                let mut fe = FnEmitter::new(self, function, None);
                for (&p, inst) in function.params.iter().zip(&params) {
                    fe.ids[p.index()] = inst.result_id.unwrap_or(0);
                }
                fe.body()?;
                (fe.vars, fe.blocks)
            };
            self.function(id, (ret, fn_type), control, params, &vars, blocks);
            self.name(id, &function.name);
        }
        Ok(())
    }

    /// Appends a function. `types` has the ids of its result type and of its own type.
    fn function(
        &mut self,
        id: Id,
        types: (Id, Id),
        control: spv::FunctionControl,
        params: Vec<Instruction>,
        vars: &[Instruction],
        blocks: Vec<BlockIds>,
    ) {
        self.functions.push(instruction(
            spv::Op::Function,
            Some(types.0),
            Some(id),
            vec![Operand::FunctionControl(control), Operand::IdRef(types.1)],
        ));
        self.functions.extend(params);
        for (n, block) in blocks.into_iter().enumerate() {
            self.functions
                .push(instruction(spv::Op::Label, None, Some(block.label), vec![]));
            if n == 0 {
                self.functions.extend(vars.iter().cloned());
            }
            self.functions.extend(block.insts);
        }
        self.functions
            .push(instruction(spv::Op::FunctionEnd, None, None, vec![]));
    }

    fn kernel(&mut self, k: usize) -> Emit<()> {
        let info = &self.module.kernels[k];
        let function = self.module.funcs.get(info.func);
        let function = function.ok_or_else(|| bug("kernel without function"))?;
        let void = self.void();
        let fn_type = self.intern(spv::Op::TypeFunction, None, vec![Operand::IdRef(void)]);
        let id = self.id();
        let (vars, blocks, interface, arena, locals) = {
            let mut fe = FnEmitter::new(self, function, Some(k));
            fe.body()?;
            let arena = fe.arenas.first().map(|a| a.variable);
            let locals = fe.local_sizes();
            (fe.vars, fe.blocks, fe.interface, arena, locals)
        };
        self.function(
            id,
            (void, fn_type),
            spv::FunctionControl::NONE,
            Vec::new(),
            &vars,
            blocks,
        );
        let mut operands = vec![
            Operand::ExecutionModel(spv::ExecutionModel::GLCompute),
            Operand::IdRef(id),
            Operand::LiteralString(info.name.clone()),
        ];
        operands.extend(interface.into_iter().map(Operand::IdRef));
        self.entry_points
            .push(instruction(spv::Op::EntryPoint, None, None, operands));
        let size = info.fixed_size().unwrap_or([1, 1, 1]);
        let mut operands = vec![
            Operand::IdRef(id),
            Operand::ExecutionMode(spv::ExecutionMode::LocalSize),
        ];
        operands.extend(size.map(Operand::LiteralBit32));
        self.modes
            .push(instruction(spv::Op::ExecutionMode, None, None, operands));
        self.reconvergence(function, id);
        self.name(id, &info.name);
        self.kernels.push(KernelIds {
            function: id,
            arena,
            locals,
        });
        Ok(())
    }

    /// Concatenates the sections in the order of SPIR-V 2.4.
    fn finish(mut self) -> Vec<u32> {
        self.float_controls();
        let version = self.target.spirv;
        let (capabilities, extensions) = self.needs.declare(version);
        let physical = self
            .needs
            .contains(spv::Capability::PhysicalStorageBufferAddresses);
        let model = instruction(
            spv::Op::MemoryModel,
            None,
            None,
            vec![
                Operand::AddressingModel(if physical {
                    spv::AddressingModel::PhysicalStorageBuffer64
                } else {
                    spv::AddressingModel::Logical
                }),
                Operand::MemoryModel(if self.needs.contains(spv::Capability::VulkanMemoryModel) {
                    spv::MemoryModel::Vulkan
                } else {
                    spv::MemoryModel::GLSL450
                }),
            ],
        );
        let mut words = vec![
            spv::MAGIC_NUMBER,
            u32::from(version.major) << 16 | u32::from(version.minor) << 8,
            0,
            self.last_id + 1,
            0,
        ];
        let sections = [
            capabilities,
            extensions,
            self.imports,
            vec![model],
            self.entry_points,
            self.modes,
            self.strings,
            self.names,
            self.annotations,
            self.globals,
            self.functions,
            self.reflection,
        ];
        for inst in sections.iter().flatten() {
            inst.assemble_into(&mut words);
        }
        words
    }
}

/// A basic block.
struct BlockIds {
    label: Id,
    insts: Vec<Instruction>,
}

/// The state of one function's translation.
struct FnEmitter<'e, 'a> {
    e: &'e mut Emitter<'a>,
    f: &'a Function,
    /// The number of the kernel; `None` in functions that kernels call.
    kernel: Option<usize>,
    /// The ids of the values; 0 for a value that has none yet.
    ids: Vec<Id>,
    vars: Vec<Instruction>,
    /// The number of accesses to private arrays that have an index of their own (`memory.rs`).
    own_indices: u32,
    blocks: Vec<BlockIds>,
    /// The block to which instructions are appended; `None` after a terminator.
    current: Option<BlockIds>,
    frames: HashMap<Inst, block::Frame>,
    /// The global variables that the entry point must list.
    interface: BTreeSet<Id>,
    push: push::Push,
    args: Option<Id>,
    /// What a packed kernel has computed at its start.
    places: Option<pack::Places>,
    arenas: Vec<interface::Arena>,
    /// The unit in which a packed kernel's groups share the arena, in bytes.
    arena_unit: Option<u32>,
    objects: object::Used,
    handles: image::Handles,
    /// Whether this work-item's accesses are ordered with those of other work-items, that is, whether the
    /// kernel has a barrier, fence or atomic.
    synchronizes: bool,
    /// Whether work-groups may pass data to each other while the kernel runs.
    groups_communicate: bool,
    /// The memory of which there are volatile accesses.
    volatile: FenceFlags,
    /// Whether a volatile access may have preceded without a fence since.
    follows_volatile: bool,
}

impl<'e, 'a> FnEmitter<'e, 'a> {
    fn new(e: &'e mut Emitter<'a>, f: &'a Function, kernel: Option<usize>) -> Self {
        let synchronizes = f.insts.iter().any(|(_, i)| memory::synchronizes(&i.op));
        let push = match kernel {
            Some(_) => e.push_of(f),
            None => push::Push::default(),
        };
        let packing = kernel.and_then(|k| e.packing.get(k));
        let arena_unit = pack::unit(packing, f);
        FnEmitter {
            e,
            f,
            kernel,
            ids: vec![0; f.values.len()],
            vars: Vec::new(),
            own_indices: 0,
            blocks: Vec::new(),
            current: None,
            frames: HashMap::default(),
            interface: BTreeSet::new(),
            push,
            args: None,
            places: None,
            arenas: Vec::new(),
            arena_unit,
            objects: object::Used::default(),
            handles: image::Handles::default(),
            synchronizes,
            groups_communicate: groups::communicate(f),
            volatile: memory::volatile_accesses(f),
            follows_volatile: false,
        }
    }

    /// Returns the number of the kernel. Other functions have no arguments and no work-item functions.
    fn kernel(&self) -> Emit<usize> {
        self.kernel
            .ok_or_else(|| bug("only kernels have arguments and work-items"))
    }

    fn body(&mut self) -> Emit<()> {
        let entry = self.e.id();
        self.begin(entry);
        self.find_places()?;
        self.region(self.f.body)
    }

    /// Returns the id of a value that has been emitted, or of a constant.
    fn value(&mut self, v: Value) -> Emit<Id> {
        let id = self.ids[v.index()];
        if id != 0 {
            return Ok(id);
        }
        let id = match self.f.as_const(v) {
            Some(c) => self.e.constant(self.f.ty(v), c)?,
            None => {
                return Err(bug(format!(
                    "{v} is used before it is emitted in {}",
                    self.f.name
                )));
            }
        };
        self.ids[v.index()] = id;
        Ok(id)
    }

    fn values(&mut self, list: &[Value]) -> Emit<Vec<Id>> {
        list.iter().map(|&v| self.value(v)).collect()
    }

    /// Appends an instruction with a result.
    fn op(&mut self, op: spv::Op, ty: Id, operands: Vec<Operand>) -> Emit<Id> {
        let id = self.e.id();
        self.push(instruction(op, Some(ty), Some(id), operands))?;
        Ok(id)
    }

    /// Appends an instruction with a result whose operands are all ids.
    fn op_ids(&mut self, op: spv::Op, ty: Id, operands: &[Id]) -> Emit<Id> {
        self.op(op, ty, operands.iter().map(|&i| Operand::IdRef(i)).collect())
    }

    /// Appends an instruction of GLSL.std.450.
    fn glsl(&mut self, number: u32, ty: Id, operands: &[Id]) -> Emit<Id> {
        let set = self.e.glsl();
        let mut list = vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(number)];
        list.extend(operands.iter().map(|&i| Operand::IdRef(i)));
        self.op(spv::Op::ExtInst, ty, list)
    }

    fn push(&mut self, inst: Instruction) -> Emit<()> {
        match &mut self.current {
            Some(block) => {
                block.insts.push(inst);
                Ok(())
            }
            None => Err(bug("instruction after a terminator")),
        }
    }
}
