//! What a host may ask about a module before it is compiled for a device.

use super::types::Part;
use super::words::{Inst, Words};
use super::{Error, Specialization, module};
use crate::hash::{HashMap, HashSet};
use crate::target::Target;
use rspirv::spirv::{Decoration, Op};
use std::fmt;

/// A specialization constant that the host can set.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SpecConstant {
    /// The SpecId.
    pub id: u32,
    /// The size of its value in bytes; that of a Boolean is 1.
    pub size: usize,
}

/// Checks that the words are well-formed: a header, and instructions that are known and lie inside the module.
/// Returns the specialization constants.
///
/// # Errors
///
/// Fails if the words are not well-formed. Whether the module is valid, only an import tells.
pub fn spec_constants(words: &Words) -> Result<Vec<SpecConstant>, Error> {
    let mut ids = HashMap::default();
    let mut sizes = HashMap::default();
    let mut found = Vec::new();
    for inst in words.instructions()? {
        match inst.op {
            Op::Decorate if inst.arg(1)? == Decoration::SpecId as u32 => {
                ids.insert(inst.arg(0)?, inst.arg(2)?);
            }
            Op::TypeInt | Op::TypeFloat => {
                sizes.insert(inst.result, inst.arg(0)? as usize / 8);
            }
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let size = match inst.op {
                    Op::SpecConstant => sizes.get(&inst.ty).copied(),
                    _ => Some(1),
                };
                if let (Some(&id), Some(size)) = (ids.get(&inst.result), size) {
                    found.push(SpecConstant { id, size });
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// A scalar specialization constant in a composite one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The SpecId.
    pub id: u32,
    /// The offset of its value in the bytes of the composite.
    pub offset: u64,
    /// The size of its value in bytes.
    pub size: u32,
}

/// How a host finds a specialization constant that it knows by its name: the property set
/// «SYCL/specialization constants» of DPC++.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// A scalar: its name and its SpecId.
    Scalar(String, u32),
    /// A composite: its name and its scalars, in the order of the bytes that a host has for it.
    Composite(String, Vec<Leaf>),
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Property::Scalar(name, id) => write!(f, "{name} {id}"),
            Property::Composite(name, leaves) => {
                let list = leaves
                    .iter()
                    .map(|l| format!("[{},{},{}]", l.id, l.offset, l.size));
                write!(f, "{name} {}", list.collect::<Vec<_>>().join(","))
            }
        }
    }
}

/// The largest number of scalars that the composites of a module may have together.
const MAX_LEAVES: usize = 1 << 16;

/// Returns the specialization constants of a module by name (OpName, else the number of the id): those that are part of
/// no composite, in order.
///
/// # Errors
///
/// Fails if the declarations of the module are invalid, or need what the device lacks.
pub fn properties(words: &Words, target: &Target) -> Result<Vec<Property>, Error> {
    let module = module::read(words, target, &Specialization::new())?;
    let insts = words.instructions()?;
    let spec_id = |inst: &Inst<'_>| {
        let decorated = module.decorated(inst.result, Decoration::SpecId);
        decorated.and_then(|d| d.operands.first().copied())
    };
    let mut scalars = HashMap::default();
    let mut composites = HashMap::default();
    let mut parts: HashSet<u32> = HashSet::default();
    for inst in &insts {
        match inst.op {
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                if let Some(id) = spec_id(inst) {
                    scalars.insert(inst.result, id);
                }
            }
            Op::SpecConstantComposite => {
                composites.insert(inst.result, *inst);
                parts.extend(inst.args);
            }
            _ => {}
        }
    }
    let mut list = Vec::new();
    let mut count = 0;
    for inst in insts
        .iter()
        .filter(|i| i.result != 0 && !parts.contains(&i.result))
    {
        let name = module.names.get(&inst.result).cloned();
        let name = name.unwrap_or_else(|| inst.result.to_string());
        if let Some(&id) = scalars.get(&inst.result) {
            list.push(Property::Scalar(name, id));
            continue;
        }
        if !composites.contains_key(&inst.result) {
            continue;
        }
        let mut leaves = Vec::new();
        let mut work = vec![(inst.result, inst.ty, 0)];
        while let Some((value, ty, at)) = work.pop() {
            count += 1;
            if count > MAX_LEAVES {
                return Err(inst.unsupported("the composites of the module have more than 65,536 scalars"));
            }
            if let Some(&id) = scalars.get(&value) {
                let size = module.types.layout_of(inst, ty)?.size;
                leaves.push(Leaf { id, offset: at, size });
            } else if let Some(composite) = composites.get(&value) {
                for (n, &part) in composite.args.iter().enumerate().rev() {
                    let (kind, offset) = module.types.component(composite, composite.ty, n as u64)?;
                    let ty = match kind {
                        Part::Type(ty) => ty,
                        Part::Lane(_) => module.consts.type_of(part).unwrap_or(0),
                    };
                    work.push((part, ty, at + offset));
                }
            }
        }
        list.push(Property::Composite(name, leaves));
    }
    Ok(list)
}
