//! Whether words that did not come from this process are a complete module: what a program binary must be before a
//! driver sees it.
//!
//! What is here finds what truncation and stray bytes do: instructions that the grammar does not have, functions without end, ids that
//! nothing defines or that are defined twice. [`super::validate`] then looks at what the instructions mean.

use std::collections::HashSet;

use rspirv::dr;

use crate::target::Target;

/// A module may not be larger than this, in words.
const MOST_WORDS: usize = 64 << 20;

/// Checks, for a device if one is given; the error is a sentence.
pub fn check(words: &[u32], target: Option<&Target>) -> Result<(), String> {
    if words.len() > MOST_WORDS {
        return Err("the module is too large".into());
    }
    let mut at = 5;
    while at < words.len() {
        at += match words[at] >> 16 {
            0 => return Err("an instruction without length".into()),
            length => length as usize,
        };
    }
    if at != words.len() {
        return Err("truncated".into());
    }
    // rspirv's modules have no place for the reflection, which stands behind the functions; who reads it checks it.
    let code = crate::reflect::strip(words).map_err(|e| e.to_string())?;
    // rspirv indexes beyond a malformed instruction's end.
    let module = std::panic::catch_unwind(|| dr::load_words(&code))
        .map_err(|_| "a malformed instruction".to_owned())?
        .map_err(|e| format!("not a SPIR-V module: {e}"))?;
    let bound = module.header.as_ref().map_or(0, |h| h.bound);
    let mut defined = HashSet::new();
    for id in module.all_inst_iter().filter_map(|i| i.result_id) {
        if id == 0 || id >= bound {
            return Err(format!("id {id} is out of bounds"));
        }
        if !defined.insert(id) {
            return Err(format!("id {id} is defined twice"));
        }
    }
    let used = module.all_inst_iter().flat_map(|i| {
        i.result_type
            .into_iter()
            .chain(i.operands.iter().filter_map(dr::Operand::id_ref_any))
    });
    for id in used {
        if !defined.contains(&id) {
            return Err(format!("id {id} is not defined"));
        }
    }
    if module.entry_points.is_empty() || module.memory_model.is_none() {
        return Err("the module has no entry point or no memory model".into());
    }
    if module.functions.iter().any(|f| f.blocks.is_empty()) {
        return Err("a function has no body".into());
    }
    std::panic::catch_unwind(|| super::validate::validate(&module, target))
        .map_err(|_| "a malformed instruction".to_owned())?
}
