//! Validation of a module from outside: whether it is valid SPIR-V of the form that kernels have, so that it
//! may be given to a driver.
//!
//! Drivers trust their input: in many of them, a wrong type, a use without a dominating definition, or a
//! branch out of its construct crashes the process. The validator therefore must know everything in a module.
//! It refuses anything else, and its error names the instruction. The rules are those of the SPIR-V
//! specification and of Vulkan's environment for it, restricted to what this compiler and clspv generate.
//! [`types`] checks types, constants and variables, [`body`] the instructions, [`flow`] structure and
//! dominance.

mod body;
mod flow;
mod interface;
mod types;

use crate::hash::{HashMap, HashSet};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv as spv;

use crate::target::Target;
use types::Ty;

/// What is known about a module while it is checked.
struct Checker<'m> {
    module: &'m Module,
    version: (u8, u8),
    capabilities: HashSet<spv::Capability>,
    types: HashMap<u32, Ty>,
    /// The type of each value.
    type_of: HashMap<u32, u32>,
    /// The instruction that defines each id.
    defs: HashMap<u32, &'m Instruction>,
    /// The module's constants and variables.
    globals: HashSet<u32>,
    /// The ids under which GLSL.std.450 is imported.
    glsl: HashSet<u32>,
    /// The ids of imported sets that have no effect on the code.
    silent: HashSet<u32>,
    /// The decorations of each id.
    decorations: HashMap<u32, Vec<&'m Instruction>>,
    vulkan_memory: bool,
}

type Checked<T = ()> = Result<T, String>;

/// Returns an error that names an instruction.
fn refuse<T>(inst: &Instruction, why: &str) -> Checked<T> {
    let name = inst.class.opname;
    match inst.result_id {
        Some(id) => Err(format!("%{id} = Op{name}: {why}")),
        None => Err(format!("Op{name}: {why}")),
    }
}

/// Returns the id that is operand number `n`.
fn id(inst: &Instruction, n: usize) -> Checked<u32> {
    match inst.operands.get(n).and_then(Operand::id_ref_any) {
        Some(id) => Ok(id),
        None => refuse(inst, "an operand is missing"),
    }
}

/// Returns the ids that are the operands from number `n` on.
fn ids_from(inst: &Instruction, n: usize) -> Checked<Vec<u32>> {
    (n..inst.operands.len()).map(|n| id(inst, n)).collect()
}

/// Returns the literal number that is operand number `n`.
fn literal(inst: &Instruction, n: usize) -> Checked<u32> {
    match inst.operands.get(n) {
        Some(Operand::LiteralBit32(v)) => Ok(*v),
        _ => refuse(inst, "a number is missing"),
    }
}

/// Checks a module without its reflection. `target` is the device for which it is intended, if known.
pub(super) fn validate(module: &Module, target: Option<&Target>) -> Checked {
    let header = module.header.as_ref().ok_or("the module has no header")?;
    let mut c = Checker {
        module,
        version: header.version(),
        capabilities: HashSet::default(),
        types: HashMap::default(),
        type_of: HashMap::default(),
        defs: HashMap::default(),
        globals: HashSet::default(),
        glsl: HashSet::default(),
        silent: HashSet::default(),
        decorations: HashMap::default(),
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
    c.entry_points(target)
}

impl Checker<'_> {
    fn has(&self, capability: spv::Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Returns the type of a value.
    fn ty(&self, inst: &Instruction, value: u32) -> Checked<u32> {
        match self.type_of.get(&value) {
            Some(ty) => Ok(*ty),
            None => refuse(inst, &format!("%{value} is no value")),
        }
    }

    /// Returns the value of an integer constant that is not a specialization constant.
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

    /// Returns the decoration of an id, if it is there.
    fn decorated(&self, id: u32, decoration: spv::Decoration) -> Option<&Instruction> {
        let list = self.decorations.get(&id)?;
        list.iter()
            .find(|i| {
                i.class.opcode == spv::Op::Decorate
                    && i.operands.get(1) == Some(&Operand::Decoration(decoration))
            })
            .copied()
    }

    /// Checks the functions: first their types, then their bodies.
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
