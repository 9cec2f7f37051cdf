//! What a host may ask about a module before it is compiled for a device.

use super::Error;
use super::words::Words;
use rspirv::spirv::{Decoration, Op};
use std::collections::HashMap;

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
    let mut ids = HashMap::new();
    let mut sizes = HashMap::new();
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
