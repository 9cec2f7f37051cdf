//! Words to instructions: byte order, the header, and the extent of each instruction.
//!
//! Nothing is trusted here or later. An instruction is an opcode that the grammar knows and a slice of words
//! that lies inside the module; whoever needs an operand asks for it by its number, and a missing operand is
//! an error that names the instruction.

use super::Error;
use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rspirv::spirv::{Capability, MAGIC_NUMBER, Op};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The largest bound of ids (SPIR-V, Universal Limits).
const MAX_BOUND: u32 = 0x3f_ffff;

/// The words of a module in the byte order of this machine.
#[derive(Clone, Debug)]
pub struct Words {
    words: Vec<u32>,
    /// The operands of each instruction that others continue (SPV_INTEL_long_composites), with those of its continuations,
    /// by the number of the instruction's first word.
    joined: BTreeMap<usize, Vec<u32>>,
}

/// Returns whether bytes start with the magic number of SPIR-V in either byte order.
pub fn is_module(bytes: &[u8]) -> bool {
    let first = bytes.first_chunk::<4>().map(|b| u32::from_le_bytes(*b));
    first.is_some_and(|w| w == MAGIC_NUMBER || w.swap_bytes() == MAGIC_NUMBER)
}

/// Returns whether bytes are a module that declares the capability Kernel.
pub fn is_kernel_module(bytes: &[u8]) -> bool {
    if !is_module(bytes) {
        return false;
    }
    let Ok(words) = Words::from_bytes(bytes) else {
        return false;
    };
    // Capabilities come first, and each has one operand.
    let (capabilities, _) = words.words[5..].as_chunks::<2>();
    let declares = capabilities
        .iter()
        .take_while(|c| c[0] == 2 << 16 | Op::Capability as u32);
    let mut declared = declares.map(|c| c[1]);
    declared.any(|c| c == Capability::Kernel as u32)
}

impl Words {
    /// Reads the bytes of a module in either byte order.
    pub fn from_bytes(bytes: &[u8]) -> Result<Words, Error> {
        let (chunks, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(Error::module("its size is no multiple of four bytes"));
        }
        Self::from_words(chunks.iter().map(|c| u32::from_le_bytes(*c)).collect())
    }

    /// Reads the words of a module; all may have the other byte order.
    pub fn from_words(mut words: Vec<u32>) -> Result<Words, Error> {
        match words.first() {
            Some(&MAGIC_NUMBER) => {}
            Some(w) if w.swap_bytes() == MAGIC_NUMBER => {
                words.iter_mut().for_each(|w| *w = w.swap_bytes());
            }
            Some(_) | None => return Err(Error::module("it does not start with the magic number")),
        }
        let &[_, version, _, bound, schema, ..] = words.as_slice() else {
            return Err(Error::module("its header is incomplete"));
        };
        if version & 0xff00_00ff != 0 || version >> 16 != 1 || (version >> 8) & 0xff > 6 {
            return Err(Error::module(format!(
                "version {}.{} is not supported (1.0 to 1.6 are)",
                (version >> 16) & 0xff,
                (version >> 8) & 0xff
            )));
        }
        if bound == 0 || bound > MAX_BOUND {
            return Err(Error::module(format!("the bound {bound} is out of range")));
        }
        if schema != 0 {
            return Err(Error::module(format!("the schema {schema} is not supported")));
        }
        let joined = continued(&words);
        Ok(Words { words, joined })
    }

    /// Returns the words.
    pub fn as_slice(&self) -> &[u32] {
        &self.words
    }

    /// Returns the number that all ids of the module are less than.
    pub(super) fn bound(&self) -> u32 {
        self.words[3]
    }

    /// Returns the instructions in order.
    pub(super) fn instructions(&self) -> Result<Vec<Inst<'_>>, Error> {
        let bound = self.words[3];
        let mut rest = &self.words[5..];
        let mut list = Vec::new();
        let mut skipped = 0;
        while let Some(&first) = rest.first() {
            let index = list.len() + skipped;
            let (length, opcode) = ((first >> 16) as usize, first & 0xffff);
            let shape = shape(opcode);
            let name = shape.map_or_else(|| format!("opcode {opcode}"), |s| format!("Op{}", s.name));
            let error = |why: String| Error::invalid(index, name.clone(), why);
            if length == 0 || length > rest.len() {
                return Err(error(format!(
                    "its length of {length} words does not fit the module"
                )));
            }
            let at = self.words.len() - rest.len();
            let (inst, after) = rest.split_at(length);
            rest = after;
            let Some(shape) = shape else {
                return Err(Error::unsupported(index, name, "the instruction is unknown"));
            };
            if !list.is_empty() && is_continuation(opcode) {
                skipped += 1;
                continue;
            }
            let words = self.joined.get(&at).map_or(&inst[1..], Vec::as_slice);
            list.push(cut(index, shape, words, bound).map_err(error)?);
        }
        Ok(list)
    }
}

/// Returns whether an instruction has more operands of the one before it.
fn is_continuation(opcode: u32) -> bool {
    [
        Op::TypeStructContinuedINTEL,
        Op::ConstantCompositeContinuedINTEL,
        Op::SpecConstantCompositeContinuedINTEL,
    ]
    .iter()
    .any(|&op| op as u32 == opcode)
}

/// Finds the instructions that others continue, and joins their operands.
fn continued(words: &[u32]) -> BTreeMap<usize, Vec<u32>> {
    let mut joined: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    let (mut at, mut last) = (5, 5);
    while let Some(&first) = words.get(at) {
        let length = (first >> 16) as usize;
        let operands = |at: usize| words.get(at + 1..at + (words[at] >> 16) as usize);
        if length == 0 || operands(at).is_none() {
            break;
        }
        if is_continuation(first & 0xffff) && at > last {
            let all = joined.entry(last);
            let all = all.or_insert_with(|| operands(last).unwrap_or_default().to_vec());
            all.extend(operands(at).unwrap_or_default());
        } else {
            last = at;
        }
        at += length;
    }
    joined
}

/// Separates the result type and the result id from the operands.
fn cut<'w>(index: usize, shape: &Shape, words: &'w [u32], bound: u32) -> Result<Inst<'w>, String> {
    let mut args = words;
    let mut take = |wanted: bool, what: &str| {
        if !wanted {
            return Ok(0);
        }
        let (&id, rest) = args.split_first().ok_or_else(|| format!("{what} is missing"))?;
        if id == 0 || id >= bound {
            return Err(format!("{what} %{id} is out of bounds"));
        }
        args = rest;
        Ok(id)
    };
    let ty = take(shape.has_type, "the result type")?;
    let result = take(shape.has_result, "the result id")?;
    Ok(Inst {
        index,
        op: shape.op,
        ty,
        result,
        args,
    })
}

/// What the reader must know about an opcode.
struct Shape {
    op: Op,
    name: &'static str,
    has_type: bool,
    has_result: bool,
}

/// Returns the shape of an opcode. rspirv's own lookup searches a list of 800 entries each time.
fn shape(opcode: u32) -> Option<&'static Shape> {
    static SHAPES: OnceLock<Vec<Option<Shape>>> = OnceLock::new();
    let shapes = SHAPES.get_or_init(|| {
        let mut list = Vec::new();
        for inst in INSTRUCTION_TABLE.iter() {
            let at = inst.opcode as usize;
            if list.len() <= at {
                list.resize_with(at + 1, || None);
            }
            let has = |kind: OperandKind| inst.operands.iter().any(|o| o.kind == kind);
            list[at] = Some(Shape {
                op: inst.opcode,
                name: inst.opname,
                has_type: has(OperandKind::IdResultType),
                has_result: has(OperandKind::IdResult),
            });
        }
        list
    });
    shapes.get(opcode as usize)?.as_ref()
}

/// An instruction.
#[derive(Copy, Clone, Debug)]
pub(super) struct Inst<'w> {
    /// The number of the instruction in the module, from 0 on.
    pub(super) index: usize,
    pub(super) op: Op,
    /// The id of the result's type; 0 if the instruction has none.
    pub(super) ty: u32,
    /// The id of the result; 0 if the instruction has none.
    pub(super) result: u32,
    /// The other operands.
    pub(super) args: &'w [u32],
}

impl<'w> Inst<'w> {
    /// Returns the error for an instruction that breaks a rule of SPIR-V.
    pub(super) fn invalid(&self, why: impl Into<String>) -> Error {
        Error::invalid(self.index, self.name(), why)
    }

    /// Returns the error for an instruction that is valid but not implemented.
    pub(super) fn unsupported(&self, why: impl Into<String>) -> Error {
        Error::unsupported(self.index, self.name(), why)
    }

    fn name(&self) -> String {
        format!("Op{}", INSTRUCTION_TABLE.get(self.op).opname)
    }

    /// Returns operand number `n`, which is an id or a literal of one word.
    pub(super) fn arg(&self, n: usize) -> Result<u32, Error> {
        match self.args.get(n) {
            Some(&word) => Ok(word),
            None => Err(self.invalid(format!("operand {n} is missing"))),
        }
    }

    /// Returns the operands from number `n` on.
    pub(super) fn args_from(&self, n: usize) -> Result<&'w [u32], Error> {
        match self.args.get(n..) {
            Some(words) => Ok(words),
            None => Err(self.invalid(format!("operand {n} is missing"))),
        }
    }

    /// Checks that there are exactly `n` operands.
    pub(super) fn exactly(&self, n: usize) -> Result<(), Error> {
        if self.args.len() == n {
            Ok(())
        } else {
            Err(self.invalid(format!("it has {} operands instead of {n}", self.args.len())))
        }
    }

    /// Returns the literal string that starts at operand `n`, and the number of the operand after it.
    pub(super) fn string(&self, n: usize) -> Result<(String, usize), Error> {
        let words = self.args_from(n)?;
        let mut bytes = Vec::new();
        for (i, word) in words.iter().enumerate() {
            let word = word.to_le_bytes();
            match word.iter().position(|&b| b == 0) {
                None => bytes.extend(word),
                Some(end) => {
                    bytes.extend(&word[..end]);
                    return Ok((String::from_utf8_lossy(&bytes).into_owned(), n + i + 1));
                }
            }
        }
        Err(self.invalid("a literal string has no end"))
    }
}
