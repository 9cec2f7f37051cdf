//! The division of a module into one module for each kernel.
//!
//! A driver reads the whole module for each pipeline that it makes. So a program of many kernels is divided, and a
//! pipeline costs what its own kernel costs.
//!
//! Only the positions of results and of called functions are known here. Every other word is taken for a possible
//! id, so that a literal may keep a type or a constant that nothing uses.

use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rspirv::spirv::{BuiltIn, Decoration, Op};
use std::ops::Range;
use std::sync::OnceLock;

/// The number of words in a module's header.
const HEADER: usize = 5;

/// The opcodes that [`result_place`] knows are smaller.
const OPCODES: usize = 8192;

/// Returns the index of the word with the result of an instruction: 0 if it has none, `None` if the opcode is unknown.
fn result_place(opcode: u32) -> Option<usize> {
    static PLACES: OnceLock<Vec<Option<u8>>> = OnceLock::new();
    let places = PLACES.get_or_init(|| {
        let mut list = vec![None; OPCODES];
        for instruction in INSTRUCTION_TABLE.iter() {
            let has = |kind| instruction.operands.iter().any(|o| o.kind == kind);
            if let Some(place) = list.get_mut(instruction.opcode as usize) {
                let result = 1 + u8::from(has(OperandKind::IdResultType));
                *place = Some(if has(OperandKind::IdResult) { result } else { 0 });
            }
        }
        list
    });
    places.get(opcode as usize).copied().flatten().map(usize::from)
}

/// A set of ids.
struct Ids(Vec<u64>);

impl Ids {
    fn new(bound: u32) -> Ids {
        Ids(vec![0; (bound as usize).div_ceil(64)])
    }

    /// Adds a word, unless it is too large for an id.
    fn add(&mut self, word: u32) {
        if let Some(part) = self.0.get_mut(word as usize / 64) {
            *part |= 1 << (word % 64);
        }
    }

    fn contains(&self, word: u32) -> bool {
        let part = self.0.get(word as usize / 64);
        part.is_some_and(|part| part >> (word % 64) & 1 != 0)
    }
}

/// A function of a module.
struct Function {
    id: u32,
    words: Range<usize>,
    /// The ids of the functions that it calls.
    calls: Vec<u32>,
}

/// A module that can be divided into one module for each kernel.
pub struct Divisible {
    words: Vec<u32>,
    /// The instructions before the functions.
    head: Vec<Range<usize>>,
    functions: Vec<Function>,
    /// Ids that every part needs: the object with the work-group size, and pointers that are declared in advance.
    roots: Vec<u32>,
}

impl std::fmt::Debug for Divisible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Divisible")
            .field("functions", &self.functions.len())
            .finish_non_exhaustive()
    }
}

/// Returns the words after the literal string `text`, if `words` begin with it.
fn after_string<'a>(words: &'a [u32], text: &str) -> Option<&'a [u32]> {
    let length = text.len() / 4 + 1;
    let (string, rest) = words.split_at_checked(length)?;
    let bytes = string.iter().flat_map(|w| w.to_le_bytes());
    let expected = text.bytes().chain(std::iter::repeat(0)).take(4 * length);
    bytes.eq(expected).then_some(rest)
}

impl Divisible {
    /// Examines a valid module without reflection ([`strip`]). Returns the words if they have instructions that are
    /// not understood here; the module must then be used as a whole.
    ///
    /// [`strip`]: crate::reflect::strip
    pub fn new(words: Vec<u32>) -> Result<Divisible, Vec<u32>> {
        match Divisible::examine(&words) {
            Some((head, functions, roots)) => Ok(Divisible {
                words,
                head,
                functions,
                roots,
            }),
            None => Err(words),
        }
    }

    #[allow(clippy::type_complexity, reason = "the fields of the result")]
    fn examine(words: &[u32]) -> Option<(Vec<Range<usize>>, Vec<Function>, Vec<u32>)> {
        let (mut head, mut functions, mut roots) = (Vec::new(), Vec::new(), Vec::new());
        let mut open: Option<Function> = None;
        let mut at = HEADER;
        while at < words.len() {
            let (length, opcode) = ((words[at] >> 16) as usize, words[at] & 0xffff);
            let inst = words.get(at..at + length).filter(|i| !i.is_empty())?;
            let op = Op::from_u32(opcode)?;
            result_place(opcode)?;
            match (op, &mut open) {
                (Op::Function, None) => {
                    open = Some(Function {
                        id: *inst.get(2)?,
                        words: at..at,
                        calls: Vec::new(),
                    });
                }
                (Op::FunctionEnd, Some(_)) => {
                    let mut function = open.take()?;
                    function.words.end = at + length;
                    functions.push(function);
                }
                (Op::FunctionCall, Some(function)) => function.calls.push(*inst.get(3)?),
                (_, Some(_)) => {}
                // Instructions after the first function belong to no function.
                (_, None) if !functions.is_empty() => return None,
                // Their operands name several ids, and a part may lack some of them.
                (
                    Op::DecorateId
                    | Op::DecorationGroup
                    | Op::GroupDecorate
                    | Op::GroupMemberDecorate
                    | Op::ExtInst,
                    None,
                ) => return None,
                (_, None) => {
                    const BUILT_IN: u32 = Decoration::BuiltIn as u32;
                    const SIZE: u32 = BuiltIn::WorkgroupSize as u32;
                    match (op, inst) {
                        (Op::Decorate, [_, id, BUILT_IN, SIZE]) | (Op::TypeForwardPointer, [_, id, _]) => {
                            roots.push(*id);
                        }
                        _ => {}
                    }
                    head.push(at..at + length);
                }
            }
            at += length;
        }
        open.is_none().then_some((head, functions, roots))
    }

    /// Returns the module with the kernel `name` alone, and with what it uses. Returns `None` if there is no such
    /// kernel.
    pub fn kernel(&self, name: &str) -> Option<Vec<u32>> {
        let words = &self.words;
        let bound = *words.get(3)?;
        let (mut used, mut defined) = (Ids::new(bound), Ids::new(bound));
        let opcode = |at: usize| Op::from_u32(words[at] & 0xffff);
        let mut entry = None;
        for range in &self.head {
            if let (Some(Op::EntryPoint), [_, _, id, rest @ ..]) =
                (opcode(range.start), &words[range.clone()])
                && let Some(interface) = after_string(rest, name)
            {
                entry = Some((range.start, *id));
                interface.iter().for_each(|id| used.add(*id));
            }
        }
        let (entry_point, entry) = entry?;
        let mut reached = vec![false; self.functions.len()];
        let mut pending = vec![entry];
        while let Some(id) = pending.pop() {
            let index = self.functions.iter().position(|f| f.id == id)?;
            if !std::mem::replace(&mut reached[index], true) {
                pending.extend(&self.functions[index].calls);
            }
        }
        let reached = || {
            let functions = self.functions.iter().zip(&reached);
            functions.filter_map(|(f, reached)| reached.then_some(f))
        };
        for function in reached() {
            let mut at = function.words.start;
            while at < function.words.end {
                let inst = &words[at..function.words.end.min(at + (words[at] >> 16) as usize)];
                inst[1..].iter().for_each(|word| used.add(*word));
                if let Some(place @ 1..) = result_place(words[at] & 0xffff) {
                    defined.add(*inst.get(place)?);
                }
                at += inst.len();
            }
        }
        self.roots.iter().for_each(|id| used.add(*id));
        for range in &self.head {
            if let (Some(Op::ExecutionModeId), [_, id, rest @ ..]) =
                (opcode(range.start), &words[range.clone()])
                && *id == entry
            {
                rest.iter().for_each(|id| used.add(*id));
            }
        }
        // An instruction uses ids that are defined before it, except for pointers that are declared in advance, which
        // are among the roots.
        let mut kept = vec![false; self.head.len()];
        for (index, range) in self.head.iter().enumerate().rev() {
            let inst = &words[range.clone()];
            let Some(place @ 1..) = result_place(inst[0] & 0xffff) else {
                continue;
            };
            let id = *inst.get(place)?;
            let is_type_or_value = !matches!(opcode(range.start), Some(Op::ExtInstImport | Op::String));
            if used.contains(id) || !is_type_or_value {
                kept[index] = true;
                defined.add(id);
                if is_type_or_value {
                    inst[1..].iter().for_each(|word| used.add(*word));
                }
            }
        }
        let mut part = Vec::with_capacity(words.len() / self.functions.len().max(1) + words.len() / 8);
        part.extend_from_slice(&words[..HEADER]);
        for (range, kept) in self.head.iter().zip(kept) {
            let inst = &words[range.clone()];
            let target = inst.get(1).copied().unwrap_or(0);
            let stays = match opcode(range.start)? {
                Op::EntryPoint => range.start == entry_point,
                Op::ExecutionMode | Op::ExecutionModeId => target == entry,
                Op::Name
                | Op::MemberName
                | Op::Decorate
                | Op::MemberDecorate
                | Op::DecorateString
                | Op::MemberDecorateString
                | Op::TypeForwardPointer => defined.contains(target),
                // Positions in the source.
                Op::Line | Op::NoLine | Op::Nop => false,
                _ => kept || result_place(inst[0] & 0xffff) == Some(0),
            };
            if stays {
                part.extend_from_slice(inst);
            }
        }
        for function in reached() {
            part.extend_from_slice(&words[function.words.clone()]);
        }
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: u32 = 5;

    fn inst(op: Op, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | op as u32];
        words.extend(operands);
        words
    }

    /// Two kernels, `a` (10) and `b` (11); `b` calls the function 12.
    fn module() -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x10000, 0, 100, 0];
        for (op, operands) in [
            (Op::Capability, &[1][..]),
            (Op::MemoryModel, &[0, 1]),
            (Op::EntryPoint, &[MODEL, 10, u32::from(b'a'), 30]),
            (Op::EntryPoint, &[MODEL, 11, u32::from(b'b'), 31]),
            (Op::ExecutionMode, &[10, 17, 1, 1, 1]),
            (Op::ExecutionMode, &[11, 17, 1, 1, 1]),
            (Op::Name, &[12, u32::from(b'f')]),
            (Op::Name, &[40, u32::from(b'x')]),
            (
                Op::Decorate,
                &[24, Decoration::BuiltIn as u32, BuiltIn::WorkgroupSize as u32],
            ),
            (Op::Decorate, &[41, Decoration::NoContraction as u32]),
            (Op::TypeVoid, &[1]),
            (Op::TypeFunction, &[2, 1]),
            (Op::TypeInt, &[3, 32, 0]),
            (Op::TypePointer, &[4, 6, 3]),
            (Op::Constant, &[3, 20, 7]),
            (Op::Constant, &[3, 21, 8]),
            (Op::TypeVector, &[5, 3, 3]),
            (Op::ConstantComposite, &[5, 24, 20, 20, 20]),
            (Op::Variable, &[4, 30, 6]),
            (Op::Variable, &[4, 31, 6]),
            (Op::Function, &[1, 10, 0, 2]),
            (Op::Label, &[50]),
            // The literal 41 is also an id of another function.
            (Op::Load, &[3, 40, 30, 2, 41]),
            (Op::Return, &[]),
            (Op::FunctionEnd, &[]),
            (Op::Function, &[1, 12, 0, 2]),
            (Op::Label, &[51]),
            (Op::IAdd, &[3, 41, 21, 21]),
            (Op::Return, &[]),
            (Op::FunctionEnd, &[]),
            (Op::Function, &[1, 11, 0, 2]),
            (Op::Label, &[52]),
            (Op::FunctionCall, &[1, 60, 12]),
            (Op::Return, &[]),
            (Op::FunctionEnd, &[]),
        ] {
            words.extend(inst(op, operands));
        }
        words
    }

    fn opcodes(words: &[u32]) -> Vec<Op> {
        let (mut list, mut at) = (Vec::new(), HEADER);
        while at < words.len() {
            list.push(Op::from_u32(words[at] & 0xffff).expect("an opcode"));
            at += (words[at] >> 16) as usize;
        }
        list
    }

    #[test]
    fn a_part_has_what_its_kernel_uses() {
        let whole = Divisible::new(module()).expect("it can be divided");
        let a = whole.kernel("a").expect("a kernel");
        let count = |words: &[u32], op| opcodes(words).iter().filter(|o| **o == op).count();
        assert_eq!(
            [
                Op::EntryPoint,
                Op::Function,
                Op::Variable,
                Op::Constant,
                Op::Name,
                Op::Decorate
            ]
            .map(|op| count(&a, op)),
            [1, 1, 1, 1, 1, 1],
            "{:?}",
            opcodes(&a)
        );
        let b = whole.kernel("b").expect("a kernel");
        assert_eq!(
            [
                Op::EntryPoint,
                Op::Function,
                Op::Variable,
                Op::Constant,
                Op::Name,
                Op::Decorate
            ]
            .map(|op| count(&b, op)),
            [1, 2, 1, 2, 1, 2],
            "{:?}",
            opcodes(&b)
        );
        assert!(whole.kernel("c").is_none());
    }

    #[test]
    fn what_is_not_understood_stays_whole() {
        for extra in [
            inst(Op::ExtInst, &[1, 70, 71, 72]),
            vec![1 << 16 | 0xffff],
            vec![9 << 16 | 1],
        ] {
            let mut words = module();
            words.extend(extra);
            assert_eq!(Divisible::new(words.clone()).err(), Some(words));
        }
        for end in 0..module().len() {
            // Truncated modules cause no panic.
            if let Ok(part) = Divisible::new(module()[..end].to_vec()) {
                let _ = part.kernel("b");
            }
        }
    }
}
