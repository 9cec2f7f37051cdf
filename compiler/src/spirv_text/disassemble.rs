//! Words to text.

use super::grammar::{self, Instruction, Set};
use super::number::{self, Number};
use crate::hash::HashMap;
use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{MAGIC_NUMBER, Op};
use std::fmt::Write;

/// Returns the text of a module. Ids are numbers. What the grammar does not know is written as words (`!0x…`).
pub fn disassemble(words: &[u32]) -> String {
    let &[MAGIC_NUMBER, version, generator, bound, _, ref rest @ ..] = words else {
        return "; not a module\n".into();
    };
    let mut text = format!(
        "; SPIR-V\n; Version: {}.{}\n; Generator: {}\n; Bound: {bound}\n",
        version >> 16 & 0xff,
        version >> 8 & 0xff,
        generator >> 16
    );
    let mut state = State::default();
    let mut rest = rest;
    while let Some(&first) = rest.first() {
        let length = (first >> 16) as usize;
        if length == 0 || length > rest.len() {
            let _ = writeln!(text, "; the rest is no instruction");
            break;
        }
        let (inst, after) = rest.split_at(length);
        rest = after;
        let line = state.instruction(inst).unwrap_or_else(|| raw(inst));
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Returns an instruction as words.
fn raw(words: &[u32]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("!{w:#x}")).collect();
    words.join(" ")
}

#[derive(Default)]
struct State {
    types: HashMap<u32, Number>,
    value_types: HashMap<u32, u32>,
    sets: HashMap<u32, Option<Set>>,
}

/// The operands of an instruction that are still to be written, and the text so far.
struct Line<'w> {
    words: &'w [u32],
    text: String,
}

impl Line<'_> {
    fn take(&mut self) -> Option<u32> {
        let (&word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }

    fn put(&mut self, text: impl std::fmt::Display) {
        let _ = write!(self.text, " {text}");
    }
}

impl State {
    /// Returns the text of an instruction; `None` if it does not have the form that the grammar says.
    fn instruction(&mut self, words: &[u32]) -> Option<String> {
        let instruction = grammar::by_opcode(words[0] & 0xffff)?;
        let mut line = Line {
            words: &words[1..],
            text: format!("Op{}", instruction.opname),
        };
        let (mut ty, mut result) = (0, None);
        for operand in instruction.operands {
            match operand.kind {
                OperandKind::IdResultType => {
                    ty = line.take()?;
                    line.put(format_args!("%{ty}"));
                }
                OperandKind::IdResult => {
                    result = Some(line.take()?);
                }
                _ => self.repeated(operand, instruction, words, &mut line)?,
            }
        }
        if !line.words.is_empty() {
            return None;
        }
        if let Some(id) = result {
            self.value_types.insert(id, ty);
        }
        match (instruction.opcode, words) {
            (Op::TypeInt, &[_, id, width, signed]) => {
                self.types.insert(id, Number::Int(width, signed != 0));
            }
            (Op::TypeFloat, &[_, id, width, ..]) => {
                self.types.insert(id, Number::Float(width));
            }
            _ => {}
        }
        Some(match result {
            Some(id) => format!("%{id} = {}", line.text),
            None => line.text,
        })
    }

    fn repeated(
        &mut self,
        operand: &LogicalOperand,
        instruction: &'static Instruction,
        words: &[u32],
        line: &mut Line<'_>,
    ) -> Option<()> {
        match operand.quantifier {
            OperandQuantifier::One => self.one(operand.kind, instruction, words, line)?,
            OperandQuantifier::ZeroOrOne if line.words.is_empty() => {}
            OperandQuantifier::ZeroOrOne => self.one(operand.kind, instruction, words, line)?,
            OperandQuantifier::ZeroOrMore => {
                while !line.words.is_empty() {
                    self.one(operand.kind, instruction, words, line)?;
                }
            }
        }
        Some(())
    }

    fn one(
        &mut self,
        kind: OperandKind,
        instruction: &'static Instruction,
        words: &[u32],
        line: &mut Line<'_>,
    ) -> Option<()> {
        match kind {
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => {
                let id = line.take()?;
                line.put(format_args!("%{id}"));
            }
            OperandKind::LiteralString => {
                let (text, rest) = string(line.words)?;
                line.words = rest;
                if instruction.opcode == Op::ExtInstImport {
                    self.sets.insert(words[1], grammar::set(&text));
                }
                line.put(format_args!(
                    "\"{}\"",
                    text.replace('\\', "\\\\").replace('"', "\\\"")
                ));
            }
            OperandKind::LiteralInteger => {
                let word = line.take()?;
                line.put(word);
            }
            OperandKind::LiteralFloat => self.number(Number::Float(32), line)?,
            OperandKind::LiteralContextDependentNumber => {
                let ty = self.types.get(words.get(1)?).copied()?;
                self.number(ty, line)?;
            }
            OperandKind::LiteralExtInstInteger => {
                let number = line.take()?;
                let set = self.sets.get(words.get(3)?).copied().flatten();
                let Some(found) = set.and_then(|set| set.lookup_opcode(number)) else {
                    line.put(number);
                    return self.plain(line);
                };
                line.put(found.opname);
                for operand in found.operands {
                    self.repeated(operand, instruction, words, line)?;
                }
                return self.plain(line);
            }
            OperandKind::LiteralSpecConstantOpInteger => {
                let operation = grammar::by_opcode(line.take()?);
                let operation = operation.filter(|o| o.opcode != Op::SpecConstantOp)?;
                line.put(operation.opname);
                let ids = [OperandKind::IdResultType, OperandKind::IdResult];
                for operand in operation.operands.iter().filter(|o| !ids.contains(&o.kind)) {
                    self.repeated(operand, operation, words, line)?;
                }
            }
            OperandKind::PairLiteralIntegerIdRef => {
                let ty = self
                    .value_types
                    .get(words.get(1)?)
                    .and_then(|ty| self.types.get(ty))
                    .copied();
                self.number(ty.unwrap_or(Number::Int(32, false)), line)?;
                self.one(OperandKind::IdRef, instruction, words, line)?;
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.one(OperandKind::IdRef, instruction, words, line)?;
                self.one(OperandKind::LiteralInteger, instruction, words, line)?;
            }
            OperandKind::PairIdRefIdRef => {
                self.one(OperandKind::IdRef, instruction, words, line)?;
                self.one(OperandKind::IdRef, instruction, words, line)?;
            }
            kind => {
                let value = line.take()?;
                match grammar::name(kind, value) {
                    Some(name) => line.put(name),
                    None if grammar::is_mask(kind) || grammar::is_enumeration(kind) => return None,
                    // Enumerants of debug information, which the tables do not name.
                    None => line.put(value),
                }
                for parameter in grammar::parameters(kind, value) {
                    self.repeated(&parameter, instruction, words, line)?;
                }
            }
        }
        Some(())
    }

    /// Writes a number. A number that its type does not have makes the instruction one of words.
    fn number(&self, ty: Number, line: &mut Line<'_>) -> Option<()> {
        let (Number::Int(width, _) | Number::Float(width)) = ty;
        let count = if width == 64 { 2 } else { 1 };
        let words = line.words.get(..count)?;
        let text = number::decode(words, ty)?;
        if number::encode(&text, ty).as_deref() != Ok(words) {
            return None;
        }
        line.words = &line.words[count..];
        line.put(text);
        Some(())
    }

    /// Writes the operands of an extended instruction that is not known: all of them are ids.
    fn plain(&self, line: &mut Line<'_>) -> Option<()> {
        while let Some(id) = line.take() {
            if id == 0 {
                return None;
            }
            line.put(format_args!("%{id}"));
        }
        Some(())
    }
}

/// Returns a string and the words after it; `None` if it has no end, is not UTF-8, or is padded with anything but
/// zeros.
fn string(words: &[u32]) -> Option<(String, &[u32])> {
    let end = words.iter().position(|w| w.to_le_bytes().contains(&0))?;
    let mut bytes: Vec<u8> = words[..=end].iter().flat_map(|w| w.to_le_bytes()).collect();
    let length = bytes.iter().position(|&b| b == 0)?;
    if bytes[length..].iter().any(|&b| b != 0) {
        return None;
    }
    bytes.truncate(length);
    Some((String::from_utf8(bytes).ok()?, &words[end + 1..]))
}
