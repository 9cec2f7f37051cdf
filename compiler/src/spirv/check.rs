//! The check whether words from outside this process are a complete module. A program binary must pass it
//! before a driver sees it.
//!
//! This check detects the effects of truncation and stray bytes: instructions that the grammar does not
//! define, functions without an end, and ids that are undefined or defined twice. [`super::validate`] then
//! checks the meaning of the instructions.

use crate::hash::HashSet;

use rspirv::dr;
use rspirv::grammar::INSTRUCTION_TABLE;
use rspirv::spirv::Op;

use crate::target::Target;

/// The largest accepted module, in words.
const MOST_WORDS: usize = 64 << 20;

/// Returns the number of the section of SPIR-V 2.4 to which an instruction before the functions belongs.
fn section(op: Op) -> u32 {
    match op {
        Op::Capability => 1,
        Op::Extension => 2,
        Op::ExtInstImport => 3,
        Op::MemoryModel => 4,
        Op::EntryPoint => 5,
        Op::ExecutionMode | Op::ExecutionModeId => 6,
        Op::String | Op::SourceExtension | Op::Source | Op::SourceContinued => 7,
        Op::Name | Op::MemberName => 8,
        Op::ModuleProcessed => 9,
        Op::Decorate
        | Op::MemberDecorate
        | Op::DecorationGroup
        | Op::GroupDecorate
        | Op::GroupMemberDecorate
        | Op::DecorateId
        | Op::DecorateString
        | Op::MemberDecorateString => 10,
        _ => 11,
    }
}

/// Checks the order of the sections (SPIR-V 2.4). rspirv sorts the instructions into them, so its module does not show
/// that a driver would find a constant between the instructions of a function.
fn check_layout(words: &[u32], module: &dr::Module) -> Result<(), String> {
    let is_line = |op: Op| matches!(op, Op::Line | Op::NoLine);
    let (mut last, mut in_functions) = (0, 0);
    let mut at = 5;
    while let Some(word) = words.get(at) {
        let op = Op::from_u32(word & 0xFFFF).ok_or("an unknown instruction")?;
        if op == Op::Function || in_functions > 0 {
            in_functions += usize::from(!is_line(op));
        } else if section(op) < last {
            return Err(format!("Op{} comes too late", INSTRUCTION_TABLE.get(op).opname));
        } else {
            last = section(op);
        }
        at += (word >> 16).max(1) as usize;
    }
    let of_functions = module.functions.iter().flat_map(dr::Function::all_inst_iter);
    match of_functions.filter(|i| !is_line(i.class.opcode)).count() == in_functions {
        true => Ok(()),
        false => Err("an instruction of another section is in a function".into()),
    }
}

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
    check_layout(&code, &module)?;
    let bound = module.header.as_ref().map_or(0, |h| h.bound);
    let mut defined = HashSet::default();
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
