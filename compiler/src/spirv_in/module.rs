//! The reader: instructions to a module whose parts can be found by id.
//!
//! The sections of a module must have the order of SPIR-V 2.4. An id is defined once; a type, constant or
//! variable is declared before its use, with the exceptions that SPIR-V makes (forward pointers, functions,
//! labels, phi). What an instruction inside a function refers to is checked when it is translated.

use super::built_ins::BuiltInPointers;
use super::consts::Constants;
use super::types::{Type, Types};
use super::words::{Inst, Words};
use super::{Error, Specialization, capability};
use crate::hash::{HashMap, HashSet};
use crate::ir::Ty;
use crate::target::Target;
use rspirv::grammar::reflect;
use rspirv::spirv::{Capability, Decoration, ExecutionModel, Op, StorageClass};

/// A decoration of an id or of a member of a structure.
#[derive(Copy, Clone, Debug)]
pub(super) struct Decorated<'w> {
    pub(super) decoration: Decoration,
    /// The words after the decoration.
    pub(super) operands: &'w [u32],
    /// The instruction that has the decoration.
    pub(super) inst: Inst<'w>,
    /// The number of the decoration's first operand in the instruction.
    pub(super) first: usize,
}

/// A kernel's declaration.
#[derive(Clone, Debug)]
pub(super) struct EntryPoint<'w> {
    pub(super) inst: Inst<'w>,
    pub(super) func: u32,
    pub(super) name: String,
}

/// A variable of the module.
#[derive(Copy, Clone, Debug)]
pub(super) struct Variable<'w> {
    pub(super) inst: Inst<'w>,
    pub(super) class: StorageClass,
    pub(super) pointee: u32,
    /// The id of the initializer; 0 if there is none.
    pub(super) init: u32,
}

/// A basic block.
#[derive(Clone, Debug)]
pub(super) struct Block<'w> {
    pub(super) label: u32,
    /// The instructions; the last is the terminator.
    pub(super) insts: Vec<Inst<'w>>,
    /// The labels of the blocks that may follow.
    pub(super) targets: Vec<u32>,
}

impl<'w> Block<'w> {
    /// Adds an instruction. LLVM's translator writes the controls of a loop and the merge instruction of its block before
    /// the phis of the block.
    fn add(&mut self, inst: Inst<'w>) {
        let hints = self.insts.iter().rev();
        let is_hint =
            |i: &&Inst<'_>| matches!(i.op, Op::LoopControlINTEL | Op::LoopMerge | Op::SelectionMerge);
        let hints = hints.take_while(is_hint).count();
        let at = self.insts.len() - if inst.op == Op::Phi { hints } else { 0 };
        self.insts.insert(at, inst);
    }
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Function<'w> {
    pub(super) inst: Inst<'w>,
    pub(super) ret: u32,
    pub(super) params: Vec<Inst<'w>>,
    /// The blocks; a function without blocks is only declared.
    pub(super) blocks: Vec<Block<'w>>,
    /// The numbers of the blocks by label.
    pub(super) by_label: HashMap<u32, usize>,
}

/// The extended instruction sets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Set {
    OpenClStd,
    /// A set whose instructions do not change what the module computes.
    Silent,
}

/// A module.
#[derive(Default, Debug)]
pub(super) struct Module<'w> {
    pub(super) sets: HashMap<u32, Set>,
    pub(super) entry_points: Vec<EntryPoint<'w>>,
    pub(super) modes: Vec<Inst<'w>>,
    pub(super) strings: Vec<String>,
    pub(super) names: HashMap<u32, String>,
    decorations: HashMap<u32, Vec<Decorated<'w>>>,
    pub(super) types: Types,
    pub(super) consts: Constants,
    /// The constants that use one which follows them, by its id, each with the number of its first operand that was not
    /// declared. LLVM's translator writes such modules.
    waiting: HashMap<u32, Vec<(Inst<'w>, usize)>>,
    /// The sizes of specialization constants in bytes by SpecId.
    spec_sizes: HashMap<u32, u32>,
    /// The operations among the constants.
    pub(super) operations: HashMap<u32, Inst<'w>>,
    pub(super) variables: HashMap<u32, Variable<'w>>,
    /// The ids of the variables in order.
    pub(super) variable_order: Vec<u32>,
    pub(super) functions: Vec<Function<'w>>,
    function_numbers: HashMap<u32, usize>,
    defined: HashSet<u32>,
    /// The types of the values that functions define.
    value_types: HashMap<u32, u32>,
    groups: HashMap<u32, Vec<Decorated<'w>>>,
    /// The groups whose decorations an id has.
    memberships: HashMap<u32, Vec<u32>>,
    extensions: HashSet<String>,
    built_ins: BuiltInPointers,
}

/// The sections of a module (SPIR-V 2.4), in order.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Section {
    Capabilities,
    Extensions,
    Imports,
    MemoryModel,
    EntryPoints,
    ExecutionModes,
    Debug,
    Annotations,
    Globals,
    Functions,
}

/// Returns the section of an instruction; `None` if it may be anywhere.
fn section(op: Op) -> Option<Section> {
    Some(match op {
        Op::Capability => Section::Capabilities,
        Op::Extension => Section::Extensions,
        Op::ExtInstImport => Section::Imports,
        Op::MemoryModel => Section::MemoryModel,
        Op::EntryPoint => Section::EntryPoints,
        Op::ExecutionMode | Op::ExecutionModeId => Section::ExecutionModes,
        Op::String
        | Op::Source
        | Op::SourceContinued
        | Op::SourceExtension
        | Op::Name
        | Op::MemberName
        | Op::ModuleProcessed => Section::Debug,
        Op::Decorate
        | Op::MemberDecorate
        | Op::DecorationGroup
        | Op::GroupDecorate
        | Op::GroupMemberDecorate
        | Op::DecorateId
        | Op::DecorateString
        | Op::MemberDecorateString => Section::Annotations,
        Op::Line | Op::NoLine | Op::Nop => return None,
        _ => Section::Globals,
    })
}

/// Reads a module.
pub(super) fn read<'w>(
    words: &'w Words,
    target: &Target,
    specialization: &Specialization,
) -> Result<Module<'w>, Error> {
    let insts = words.instructions()?;
    let mut module = Module {
        built_ins: BuiltInPointers::new(words.bound()),
        ..Module::default()
    };
    let mut at = Section::Capabilities;
    let mut memory_models = 0;
    let mut list = insts.as_slice();
    while let Some((inst, rest)) = list.split_first() {
        if inst.op == Op::Function {
            list = module.read_function(list)?;
            at = Section::Functions;
            continue;
        }
        list = rest;
        let Some(section) = section(inst.op) else {
            continue;
        };
        // Producers have declarations for hints among the decorations or the types.
        let section = match is_alias_declaration(inst.op) {
            true => at.max(Section::Annotations),
            false => section,
        };
        if section < at {
            return Err(inst.invalid("it comes after the section of a module that it belongs to"));
        }
        at = section;
        memory_models += u32::from(section == Section::MemoryModel);
        module.global(inst, target, specialization)?;
    }
    // A constant that still waits for another one has an operand that is none.
    let waiting = module.waiting.values().flatten();
    if let Some((inst, _)) = waiting.min_by_key(|(inst, _)| inst.index) {
        module.consts.declare(inst, &module.types, None)?;
    }
    if memory_models != 1 {
        return Err(Error::module(format!("it has {memory_models} memory models")));
    }
    module.check_decorated()?;
    Ok(module)
}

impl<'w> Module<'w> {
    /// Refuses decorations that change a result, and whose id no instruction defines (SPIR-V 2.16.1: each id that is used is the
    /// result of an instruction). LLVM's translator writes such a
    /// SaturatedConversion if blocks of a function do not come after their dominators; the conversion itself then lacks it.
    fn check_decorated(&self) -> Result<(), Error> {
        let changes_result = |d: &&Decorated<'_>| {
            matches!(
                d.decoration,
                Decoration::SaturatedConversion | Decoration::FPRoundingMode | Decoration::SpecId
            )
        };
        let ids = self.decorations.keys().chain(self.memberships.keys());
        let lost = ids.filter(|id| !self.defined.contains(id));
        let lost = lost.flat_map(|&id| {
            self.decorations_of(id)
                .filter(changes_result)
                .map(move |d| (id, d))
        });
        match lost.min_by_key(|(id, d)| (d.inst.index, *id)) {
            None => Ok(()),
            Some((id, d)) => Err(d
                .inst
                .invalid(format!("no instruction defines %{id}, which it decorates"))),
        }
    }

    /// Reads an instruction outside of functions.
    fn global(
        &mut self,
        inst: &Inst<'w>,
        target: &Target,
        specialization: &Specialization,
    ) -> Result<(), Error> {
        if inst.result != 0 {
            self.define(inst)?;
        }
        match inst.op {
            Op::Capability => {
                let capability = capability::check(inst, target)?;
                self.types.any_vectors |= capability == Capability::VectorAnyINTEL;
                self.types.has_generic |= capability == Capability::GenericPointer;
                Ok(())
            }
            Op::Extension => {
                self.extensions.insert(capability::extension(inst, target)?);
                Ok(())
            }
            Op::ExtInstImport => self.import(inst),
            Op::MemoryModel => {
                self.types.small_pointers = capability::memory_model(inst)?;
                Ok(())
            }
            Op::EntryPoint => self.entry_point(inst),
            Op::ExecutionMode | Op::ExecutionModeId => {
                self.modes.push(*inst);
                Ok(())
            }
            Op::String => {
                self.strings.push(inst.string(0)?.0);
                Ok(())
            }
            Op::Name => {
                self.names.insert(inst.arg(0)?, inst.string(1)?.0);
                Ok(())
            }
            Op::Source | Op::SourceContinued | Op::SourceExtension | Op::MemberName | Op::ModuleProcessed => {
                Ok(())
            }
            Op::Decorate | Op::DecorateString | Op::DecorateId => self.decorate(inst),
            Op::MemberDecorate | Op::MemberDecorateString => Ok(()),
            Op::DecorationGroup => {
                let list = self.decorations.remove(&inst.result).unwrap_or_default();
                self.groups.insert(inst.result, list);
                Ok(())
            }
            Op::GroupDecorate => self.decorate_group(inst),
            Op::GroupMemberDecorate => Ok(()),
            // The hints are ignored.
            op if is_alias_declaration(op) => Ok(()),
            Op::TypeForwardPointer => self.types.forward(inst),
            Op::ExtInst if self.sets.get(&inst.arg(0)?) == Some(&Set::Silent) => Ok(()),
            Op::Variable => self.variable(inst),
            op if is_type(op) => {
                capability::of_type(inst, target)?;
                self.declare_type(inst)
            }
            _ => self.constant(inst, specialization),
        }
    }

    /// Records that an instruction defines its result.
    fn define(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        if self.defined.insert(inst.result) {
            Ok(())
        } else {
            Err(inst.invalid(format!("%{} is defined twice", inst.result)))
        }
    }

    fn import(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let (name, end) = inst.string(0)?;
        inst.exactly(end)?;
        let set = match name.as_str() {
            "OpenCL.std" => Set::OpenClStd,
            "OpenCL.DebugInfo.100" | "SPIRV.debug" | "DebugInfo" => Set::Silent,
            name if name.starts_with("NonSemantic.") => Set::Silent,
            _ => {
                return Err(inst.unsupported(format!("the instruction set {name:?} is not implemented")));
            }
        };
        self.sets.insert(inst.result, set);
        Ok(())
    }

    fn entry_point(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        match ExecutionModel::from_u32(inst.arg(0)?) {
            Some(ExecutionModel::Kernel) => {}
            Some(other) => {
                return Err(inst.unsupported(format!("the execution model {other:?} is not Kernel")));
            }
            None => return Err(inst.invalid("the execution model is unknown")),
        }
        let (name, _) = inst.string(2)?;
        if self.entry_points.iter().any(|e| e.name == name) {
            return Err(inst.invalid(format!("there are two kernels with the name {name:?}")));
        }
        self.entry_points.push(EntryPoint {
            inst: *inst,
            func: inst.arg(1)?,
            name,
        });
        Ok(())
    }

    fn decorate(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let number = inst.arg(1)?;
        let Some(decoration) = Decoration::from_u32(number) else {
            return Err(inst.unsupported(format!("the decoration {number} is unknown")));
        };
        self.decorations.entry(inst.arg(0)?).or_default().push(Decorated {
            decoration,
            operands: inst.args_from(2)?,
            inst: *inst,
            first: 2,
        });
        Ok(())
    }

    fn decorate_group(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let group = inst.arg(0)?;
        if self.groups.get(&group).is_none_or(|g| g.len() > 64) {
            return Err(inst.invalid("it does not name a group of at most 64 decorations"));
        }
        for &id in inst.args_from(1)? {
            self.memberships.entry(id).or_default().push(group);
        }
        Ok(())
    }

    fn declare_type(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let packed = self.decorated(inst.result, Decoration::CPacked).is_some();
        let consts = &self.consts;
        self.types.declare(inst, |id| consts.integer(id), packed)
    }

    fn variable(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let Type::Pointer(class, pointee) = *self.types.of(inst, inst.ty)? else {
            return Err(inst.invalid("its type is no pointer"));
        };
        let init = inst.args.get(1).copied().unwrap_or(0);
        // LLVM's translator writes the initial contents of private arrays so.
        let is_private = class == StorageClass::Function;
        if inst.arg(0)? != class as u32 || is_private && init == 0 {
            return Err(inst.invalid("its storage class is not that of a variable of this type here"));
        }
        let is_built_in = self.decorated(inst.result, Decoration::BuiltIn).is_some();
        let (inst, class) = match is_built_in {
            true => (
                self.built_ins.variable(&mut self.types, inst),
                StorageClass::Input,
            ),
            false => (*inst, class),
        };
        let variable = Variable {
            inst,
            class,
            pointee,
            init,
        };
        self.variables.insert(inst.result, variable);
        self.variable_order.push(inst.result);
        self.consts.address(&inst);
        self.wake(inst.result)
    }

    fn constant(&mut self, inst: &Inst<'w>, specialization: &Specialization) -> Result<(), Error> {
        let id = self.decorated(inst.result, Decoration::SpecId);
        let id = id.and_then(|d| d.operands.first().copied());
        if let Some(id) = id {
            // A Boolean has one byte for the host.
            let size = self.types.layout(inst.ty).map_or(1, |layout| layout.size);
            let known = *self.spec_sizes.entry(id).or_insert(size);
            if known != size {
                let why = format!(
                    "its SpecId {id} is also that of a constant of {known} bytes, but it has {size} bytes"
                );
                return Err(inst.invalid(why));
            }
        }
        let value = id.and_then(|id| specialization.get(&id)).map(Vec::as_slice);
        let inst = self.built_ins.derived(&mut self.types, inst);
        if inst.op == Op::SpecConstantOp {
            self.operations.insert(inst.result, inst);
        }
        if let Some((n, missing)) = self.consts.missing_operand(&inst, 0) {
            self.waiting.entry(missing).or_default().push((inst, n));
            return Ok(());
        }
        self.consts.declare(&inst, &self.types, value)?;
        self.wake(inst.result)
    }

    /// Declares the constants that waited for the constant `id`.
    fn wake(&mut self, id: u32) -> Result<(), Error> {
        let mut ready = self.waiting.remove(&id).unwrap_or_default();
        while let Some((inst, n)) = ready.pop() {
            match self.consts.missing_operand(&inst, n) {
                Some((n, missing)) => self.waiting.entry(missing).or_default().push((inst, n)),
                None => {
                    self.consts.declare(&inst, &self.types, None)?;
                    ready.extend(self.waiting.remove(&inst.result).unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    /// Returns the decoration of an id, if it is there.
    pub(super) fn decorated(&self, id: u32, decoration: Decoration) -> Option<&Decorated<'w>> {
        self.decorations_of(id).find(|d| d.decoration == decoration)
    }

    /// Returns all decorations of an id.
    pub(super) fn decorations_of(&self, id: u32) -> impl Iterator<Item = &Decorated<'w>> {
        let groups = self.memberships.get(&id).into_iter().flatten();
        let of_groups = groups.filter_map(|group| self.groups.get(group));
        self.decorations.get(&id).into_iter().chain(of_groups).flatten()
    }

    /// Returns a function by id.
    pub(super) fn function(&self, id: u32) -> Option<&Function<'w>> {
        self.functions.get(*self.function_numbers.get(&id)?)
    }

    /// Returns the value of an integer constant that an instruction names.
    pub(super) fn integer(&self, inst: &Inst<'_>, id: u32) -> Result<u64, Error> {
        let value = self.consts.integer(id);
        value.ok_or_else(|| inst.invalid(format!("%{id} is not an integer constant")))
    }

    /// Returns the labels that a terminator names. Between those of a switch are literals, whose number of
    /// words depends on the type of the selector.
    fn targets(&self, inst: &Inst<'w>) -> Result<Vec<u32>, Error> {
        Ok(match inst.op {
            Op::Branch => vec![inst.arg(0)?],
            Op::BranchConditional => vec![inst.arg(1)?, inst.arg(2)?],
            Op::Switch => {
                let selector = inst.arg(0)?;
                let ty = self.value_types.get(&selector).copied();
                let ty = ty.or_else(|| self.consts.type_of(selector));
                let is_wide = ty.and_then(|ty| self.types.value(ty)) == Some(Ty::I64);
                let cases = inst.args_from(2)?.chunks(if is_wide { 3 } else { 2 });
                let labels = cases.filter_map(|case| case.last().copied());
                std::iter::once(inst.arg(1)?).chain(labels).collect()
            }
            _ => Vec::new(),
        })
    }

    /// Reads a function. Returns the instructions after it.
    fn read_function<'l>(&mut self, list: &'l [Inst<'w>]) -> Result<&'l [Inst<'w>], Error> {
        let Some((inst, mut rest)) = list.split_first() else {
            return Ok(list);
        };
        self.define(inst)?;
        inst.exactly(2)?;
        let Some(Type::Function { ret, params: types }) = self.types.get(inst.arg(1)?).cloned() else {
            return Err(inst.invalid("its type is no function type"));
        };
        if ret != inst.ty {
            return Err(inst.invalid("it returns another type than its function type does"));
        }
        let mut function = Function {
            inst: *inst,
            ret,
            params: Vec::new(),
            blocks: Vec::new(),
            by_label: HashMap::default(),
        };
        let mut open = false;
        while let Some((next, after)) = rest.split_first() {
            rest = after;
            match next.op {
                Op::FunctionEnd if !open => {
                    // The type of a selector, which the labels of a switch depend on, may follow it.
                    for block in &mut function.blocks {
                        block.targets = block.insts.last().map_or(Ok(Vec::new()), |i| self.targets(i))?;
                    }
                    let given = function.params.iter().map(|p| p.ty);
                    if !given.eq(types.iter().copied()) {
                        return Err(inst.invalid("its parameters are not those of its type"));
                    }
                    self.function_numbers.insert(inst.result, self.functions.len());
                    self.functions.push(function);
                    return Ok(rest);
                }
                Op::Line | Op::NoLine | Op::Nop => {}
                Op::FunctionParameter if function.blocks.is_empty() => {
                    self.define(next)?;
                    self.value_types.insert(next.result, next.ty);
                    function.params.push(*next);
                }
                Op::Label if !open => {
                    self.define(next)?;
                    function.by_label.insert(next.result, function.blocks.len());
                    function.blocks.push(Block {
                        label: next.result,
                        insts: Vec::new(),
                        targets: Vec::new(),
                    });
                    open = true;
                }
                Op::ExtInst if self.sets.get(&next.arg(0)?) == Some(&Set::Silent) => {}
                op if open && section(op) == Some(Section::Globals) => {
                    if next.result != 0 {
                        self.define(next)?;
                        self.value_types.insert(next.result, next.ty);
                    }
                    let next = self.built_ins.derived(&mut self.types, next);
                    open = !reflect::is_block_terminator(op);
                    if let Some(block) = function.blocks.last_mut() {
                        block.add(next);
                    }
                }
                _ => return Err(next.invalid("it may not be at this place of a function")),
            }
        }
        Err(inst.invalid("the function has no end"))
    }
}

/// Returns whether an instruction declares what the hints of SPV_INTEL_memory_access_aliasing name.
fn is_alias_declaration(op: Op) -> bool {
    matches!(
        op,
        Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL
    )
}

/// Returns whether an instruction declares a type.
fn is_type(op: Op) -> bool {
    matches!(
        op,
        Op::TypeVoid
            | Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeMatrix
            | Op::TypeImage
            | Op::TypeSampler
            | Op::TypeSampledImage
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeStruct
            | Op::TypeOpaque
            | Op::TypePointer
            | Op::TypeFunction
            | Op::TypeEvent
            | Op::TypeDeviceEvent
            | Op::TypeReserveId
            | Op::TypeQueue
            | Op::TypePipe
            | Op::TypeCooperativeMatrixKHR
            | Op::TypePipeStorage
            | Op::TypeNamedBarrier
    )
}
