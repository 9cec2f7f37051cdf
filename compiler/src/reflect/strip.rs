//! Removal of the reflection from a module, for a driver that lacks VK_KHR_shader_non_semantic_info, or for a
//! validator that does not know the set's revision.

use super::ReflectionError;
use super::read::{opcode, text};
use crate::hash::HashSet;

/// Returns the module without its non-semantic instructions, without the sets' imports, and without the
/// extension that allows them. Strings stay, because debug instructions may refer to them.
pub fn strip(words: &[u32]) -> Result<Vec<u32>, ReflectionError> {
    if words.len() < 5 {
        return Err(ReflectionError::NotSpirv);
    }
    let mut out = words[..5].to_vec();
    let mut sets = HashSet::default();
    let mut at = 5;
    while at < words.len() {
        let len = (words[at] >> 16) as usize;
        let inst = words.get(at..at + len).filter(|i| !i.is_empty());
        let inst = inst.ok_or(ReflectionError::Malformed {
            at,
            what: "instruction runs over the end",
        })?;
        let drop = match (words[at] & 0xffff) as u16 {
            opcode::EXTENSION => text(&inst[1..], at)? == "SPV_KHR_non_semantic_info",
            opcode::EXT_INST_IMPORT if len > 2 => {
                let foreign = text(&inst[2..], at)?.starts_with("NonSemantic.");
                if foreign {
                    sets.insert(inst[1]);
                }
                foreign
            }
            opcode::EXT_INST if len > 4 => sets.contains(&inst[3]),
            _ => false,
        };
        if !drop {
            out.extend_from_slice(inst);
        }
        at += len;
    }
    Ok(out)
}
