//! Where the instructions of a module come from.

use super::Error;
use super::words::Words;
use crate::hash::HashMap;
use rspirv::grammar::reflect;
use rspirv::spirv::Op;

/// Adds to an error the position that an OpLine states for its instruction. An OpLine holds until the next one, an
/// OpNoLine, or the end of the block (SPIR-V 3.3.3).
pub(super) fn located(words: &Words, error: Error) -> Error {
    let line = error.at.as_ref().and_then(|(at, _)| position(words, *at));
    Error { line, ..error }
}

fn position(words: &Words, at: usize) -> Option<String> {
    let mut files = HashMap::default();
    let mut line = None;
    for inst in words.instructions().ok()?.iter().take(at.checked_add(1)?) {
        match inst.op {
            Op::String => {
                files.insert(inst.result, *inst);
            }
            Op::Line => line = Some(*inst),
            Op::NoLine => line = None,
            op if inst.index < at && (op == Op::FunctionEnd || reflect::is_block_terminator(op)) => {
                line = None
            }
            _ => {}
        }
    }
    let line = line?;
    let (file, _) = files.get(&line.arg(0).ok()?)?.string(0).ok()?;
    Some(format!("{file}:{}:{}", line.arg(1).ok()?, line.arg(2).ok()?))
}
