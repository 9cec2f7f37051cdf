//! The check whether words from outside this process are a complete module. A program binary must pass it
//! before a driver sees it.
//!
//! This check detects the effects of truncation and stray bytes: instructions that the grammar does not
//! define, functions without an end, and ids that are undefined or defined twice. [`super::validate`] then
//! checks the meaning of the instructions.

use std::collections::HashSet;

use rspirv::dr;

use crate::target::Target;

/// The largest accepted module, in words.
const MOST_WORDS: usize = 64 << 20;

/// Checks a module, also against a device if one is given. The error is a sentence.
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
    // rspirv's modules cannot represent the reflection, which follows the functions. Its reader checks it.
    let code = crate::reflect::strip(words).map_err(|e| e.to_string())?;
    // rspirv's parser indexes beyond the end of a malformed instruction.
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
