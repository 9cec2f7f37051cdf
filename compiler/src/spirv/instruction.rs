//! Instructions as rspirv has them.

use super::Id;
use rspirv::dr::{Instruction, Operand};
use rspirv::grammar::{self, INSTRUCTION_TABLE};
use rspirv::spirv as spv;
use std::sync::OnceLock;

/// Descriptions of instructions by number. rspirv itself goes through a list of 800 for each.
static DESCRIPTIONS: OnceLock<Vec<Option<&'static grammar::Instruction<'static>>>> = OnceLock::new();

/// Instructions with greater numbers are not of the core.
const NUMBERS: usize = 512;

/// A new instruction.
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
