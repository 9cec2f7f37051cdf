//! Whether a module from outside is valid SPIR-V of the kind that kernels are: what a driver may be given.
//!
//! Drivers believe what they read: a wrong type, a value that is used where it is not defined, or a branch out of its construct ends
//! the process in many of them. So everything in a module must be known here; what is not is refused, with the instruction's name.
//! The rules are those of the SPIR-V specification and of Vulkan's environment for it, narrowed to what this compiler and clspv
//! make. [`types`] has types, constants and variables, [`body`] the instructions, [`flow`] structure and dominance.

mod body;
mod flow;
mod interface;
mod types;

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv as spv;

use crate::target::Target;
use types::Ty;

/// What is known of a module while it is checked.
struct Checker<'m> {
    module: &'m Module,
    version: (u8, u8),
    capabilities: HashSet<spv::Capability>,
    types: HashMap<u32, Ty>,
    /// The type of each value.
    type_of: HashMap<u32, u32>,
    /// Where each id is defined.
    defs: HashMap<u32, &'m Instruction>,
    /// Constants and variables of the module.
    globals: HashSet<u32>,
    /// GLSL.std.450.
    glsl: HashSet<u32>,
    /// Sets without meaning for the code.
    silent: HashSet<u32>,
    /// By the id that is decorated.
    decorations: HashMap<u32, Vec<&'m Instruction>>,
    vulkan_memory: bool,
}

type Checked<T = ()> = Result<T, String>;

/// An error that names an instruction.
fn refuse<T>(inst: &Instruction, why: &str) -> Checked<T> {
    let name = inst.class.opname;
    match inst.result_id {
        Some(id) => Err(format!("%{id} = Op{name}: {why}")),
        None => Err(format!("Op{name}: {why}")),
    }
}

/// The id that an operand is.
fn id(inst: &Instruction, n: usize) -> Checked<u32> {
    match inst.operands.get(n).and_then(Operand::id_ref_any) {
        Some(id) => Ok(id),
        None => refuse(inst, "an operand is missing"),
    }
}

/// The ids that the operands from a place on are.
fn ids_from(inst: &Instruction, n: usize) -> Checked<Vec<u32>> {
    (n..inst.operands.len()).map(|n| id(inst, n)).collect()
}

/// A number that stands in the instruction itself.
fn literal(inst: &Instruction, n: usize) -> Checked<u32> {
    match inst.operands.get(n) {
        Some(Operand::LiteralBit32(v)) => Ok(*v),
        _ => refuse(inst, "a number is missing"),
    }
}

/// Checks a module without its reflection. `target`: the device that it is for.
pub(super) fn validate(module: &Module, target: Option<&Target>) -> Checked {
    let header = module.header.as_ref().ok_or("the module has no header")?;
    let mut c = Checker {
        module,
        version: header.version(),
        capabilities: HashSet::new(),
        types: HashMap::new(),
        type_of: HashMap::new(),
        defs: HashMap::new(),
        globals: HashSet::new(),
        glsl: HashSet::new(),
        silent: HashSet::new(),
        decorations: HashMap::new(),
        vulkan_memory: false,
    };
    for inst in module.all_inst_iter() {
        if let Some(id) = inst.result_id {
            c.defs.insert(id, inst);
        }
    }
    for inst in &module.annotations {
        c.decorations.entry(id(inst, 0)?).or_default().push(inst);
    }
    c.preamble(target)?;
    c.globals()?;
    c.annotations()?;
    c.functions()?;
    c.entry_points()
}

impl Checker<'_> {
    fn has(&self, capability: spv::Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// The type of a value.
    fn ty(&self, inst: &Instruction, value: u32) -> Checked<u32> {
        match self.type_of.get(&value) {
            Some(ty) => Ok(*ty),
            None => refuse(inst, &format!("%{value} is no value")),
        }
    }

    /// The value of an integer constant that no specialization changes.
    fn constant(&self, inst: &Instruction, value: u32) -> Checked<u64> {
        let found = self
            .defs
            .get(&value)
            .filter(|d| d.class.opcode == spv::Op::Constant);
        match found.and_then(|d| d.operands.first()) {
            Some(Operand::LiteralBit32(v)) if self.is_int(self.type_of[&value]) => Ok(u64::from(*v)),
            Some(Operand::LiteralBit64(v)) if self.is_int(self.type_of[&value]) => Ok(*v),
            _ => refuse(inst, &format!("%{value} is no integer constant")),
        }
    }

    /// Whether a decoration stands on an id.
    fn decorated(&self, id: u32, decoration: spv::Decoration) -> Option<&Instruction> {
        let list = self.decorations.get(&id)?;
        list.iter()
            .find(|i| {
                i.class.opcode == spv::Op::Decorate
                    && i.operands.get(1) == Some(&Operand::Decoration(decoration))
            })
            .copied()
    }

    /// Functions: their types, then their bodies.
    fn functions(&mut self) -> Checked {
        for f in &self.module.functions {
            let Some(def) = &f.def else {
                return Err("a function has no OpFunction".into());
            };
            let Some(function) = def.result_id else {
                return refuse(def, "no id");
            };
            let ty = id(def, 1)?;
            let Some(Ty::Function { result, params }) = self.types.get(&ty) else {
                return refuse(def, "its type is no function type");
            };
            if def.result_type != Some(*result) {
                return refuse(def, "it returns another type than its type says");
            }
            if !matches!(def.operands.first(), Some(Operand::FunctionControl(_))) {
                return refuse(def, "no function control");
            }
            let given: Vec<_> = f.parameters.iter().map(|p| p.result_type).collect();
            if given != params.iter().map(|p| Some(*p)).collect::<Vec<_>>() {
                return refuse(def, "its parameters are others than its type says");
            }
            for p in &f.parameters {
                if let (Some(id), Some(ty)) = (p.result_id, p.result_type) {
                    self.type_of.insert(id, ty);
                }
            }
            self.type_of.insert(function, ty);
            if f.end.is_none() {
                return refuse(def, "it has no end");
            }
        }
        for f in &self.module.functions {
            for block in &f.blocks {
                for inst in &block.instructions {
                    if let (Some(id), Some(ty)) = (inst.result_id, inst.result_type) {
                        if !self.types.contains_key(&ty) {
                            return refuse(inst, "its type is no type");
                        }
                        self.type_of.insert(id, ty);
                    }
                }
            }
        }
        for f in &self.module.functions {
            self.flow(f)?;
            self.body(f)?;
        }
        Ok(())
    }
}
