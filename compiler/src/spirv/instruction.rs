//! Construction of rspirv instructions.

use super::Id;
use rspirv::dr::{Instruction, Operand};
use rspirv::grammar::{self, INSTRUCTION_TABLE};
use rspirv::spirv as spv;
use std::sync::OnceLock;

/// The descriptions of instructions by opcode. rspirv's own lookup searches a list of 800 entries each time.
static DESCRIPTIONS: OnceLock<Vec<Option<&'static grammar::Instruction<'static>>>> = OnceLock::new();

/// Core instructions have smaller opcodes than this.
const NUMBERS: usize = 512;

/// Creates an instruction.
pub(super) fn instruction(
    op: spv::Op,
    ty: Option<Id>,
    id: Option<Id>,
    operands: Vec<Operand>,
) -> Instruction {
    let descriptions = DESCRIPTIONS.get_or_init(|| {
        let mut list = vec![None; NUMBERS];
        for description in INSTRUCTION_TABLE.iter() {
            if let Some(place) = list.get_mut(description.opcode as usize) {
                *place = Some(description);
            }
        }
        list
    });
    match descriptions.get(op as usize).copied().flatten() {
        Some(class) => Instruction {
            class,
            result_type: ty,
            result_id: id,
            operands,
        },
        None => Instruction::new(op, ty, id, operands),
    }
}
