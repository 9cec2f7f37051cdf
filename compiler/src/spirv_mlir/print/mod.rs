//! Words to text: the module, types and constants.

mod func;
mod inst;

use super::types::{Image, Member, Type};
use crate::hash::{HashMap, HashSet};
use crate::spirv_text::grammar::{self, Instruction};
use crate::spirv_text::number::{self, Number};
use rspirv::grammar::OperandKind;
use rspirv::spirv::{Decoration, MAGIC_NUMBER, Op};
use std::fmt::Write;

/// The reason why a module has no text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("instruction {at}, Op{name}: {reason}")]
pub struct PrintError {
    /// The number of the instruction in the module, from 0 on.
    pub at: usize,
    /// The name of the instruction.
    pub name: String,
    /// The feature that the dialect lacks, or the fault of the module.
    pub reason: String,
}

type Printed<T> = Result<T, PrintError>;

/// The deepest nesting of types, constants and regions.
const MAX_DEPTH: usize = 64;

/// The largest length of the text of a type. Structures that share their members could have types of any length.
const MAX_TYPE: usize = 1 << 16;

/// The largest length of the texts of all types together.
const MAX_TYPES: usize = 1 << 24;

/// The largest length of the text of a module.
const MAX_TEXT: usize = 1 << 28;

/// An instruction.
#[derive(Copy, Clone)]
struct Inst<'w> {
    at: usize,
    grammar: &'static Instruction,
    ty: u32,
    result: u32,
    args: &'w [u32],
}

impl<'w> Inst<'w> {
    fn error(&self, reason: impl Into<String>) -> PrintError {
        PrintError {
            at: self.at,
            name: self.grammar.opname.into(),
            reason: reason.into(),
        }
    }

    fn op(&self) -> Op {
        self.grammar.opcode
    }

    fn arg(&self, n: usize) -> Printed<u32> {
        let found = self.args.get(n).copied();
        found.ok_or_else(|| self.error(format!("operand {n} is missing")))
    }

    fn named(&self, kind: OperandKind, value: u32) -> Printed<String> {
        grammar::name(kind, value).ok_or_else(|| self.error(format!("{value} is no {kind:?}")))
    }

    /// Returns the string from operand `n` on, and the number of the operand after it.
    fn string(&self, n: usize) -> Printed<(String, usize)> {
        let words = self.args.get(n..).unwrap_or_default();
        let end = words.iter().position(|w| w.to_le_bytes().contains(&0));
        let end = end.ok_or_else(|| self.error("a string has no end"))?;
        let bytes: Vec<u8> = words[..=end].iter().flat_map(|w| w.to_le_bytes()).collect();
        let length = bytes.iter().position(|&b| b == 0).unwrap_or(0);
        let text = String::from_utf8(bytes[..length].to_vec());
        Ok((
            text.map_err(|_| self.error("a string is not UTF-8"))?,
            n + end + 1,
        ))
    }
}

struct Printer<'w> {
    names: HashMap<u32, String>,
    decorations: HashMap<u32, Vec<Inst<'w>>>,
    members: HashMap<(u32, u32), Member>,
    types: HashMap<u32, Type>,
    /// The length of each type's text.
    lengths: HashMap<u32, usize>,
    /// The sum of the lengths.
    types_length: usize,
    /// The instructions that define constants.
    constants: HashMap<u32, Inst<'w>>,
    /// The symbols of variables, specialization constants and functions.
    symbols: HashMap<u32, String>,
    taken: HashSet<String>,
    function_types: HashMap<u32, Vec<u32>>,
    sets: HashMap<u32, &'static str>,
    /// The types of values.
    value_types: HashMap<u32, u32>,
    out: String,
    indent: usize,
    /// The numbers of the blocks' labels.
    next_block: usize,
}

/// Writes a module as a `spirv.module`.
///
/// # Errors
///
/// Fails if the dialect has no form for an instruction, or if the module is not well-formed.
pub fn print(words: &[u32]) -> Result<String, PrintError> {
    let insts = instructions(words)?;
    let mut printer = Printer {
        names: HashMap::default(),
        decorations: HashMap::default(),
        members: HashMap::default(),
        types: HashMap::default(),
        lengths: HashMap::default(),
        types_length: 0,
        constants: HashMap::default(),
        symbols: HashMap::default(),
        taken: HashSet::default(),
        function_types: HashMap::default(),
        sets: HashMap::default(),
        value_types: HashMap::default(),
        out: String::new(),
        indent: 0,
        next_block: 0,
    };
    printer.module(&insts, words[1] >> 8 & 0xff)?;
    Ok(printer.out)
}

fn instructions(words: &[u32]) -> Printed<Vec<Inst<'_>>> {
    let broken = |at, reason: &str| PrintError {
        at,
        name: "Nop".into(),
        reason: reason.into(),
    };
    let &[MAGIC_NUMBER, _, _, _, _, ref rest @ ..] = words else {
        return Err(broken(0, "the module has no header"));
    };
    let (mut rest, mut list) = (rest, Vec::new());
    while let Some(&first) = rest.first() {
        let (at, length) = (list.len(), (first >> 16) as usize);
        let grammar = grammar::by_opcode(first & 0xffff).ok_or_else(|| broken(at, "unknown instruction"))?;
        if length == 0 || length > rest.len() {
            return Err(broken(at, "the length does not fit the module"));
        }
        let mut args = &rest[1..length];
        let mut take = |kind| match grammar.operands.iter().any(|o| o.kind == kind) {
            false => Some(0),
            true => {
                let (&id, after) = args.split_first()?;
                args = after;
                Some(id)
            }
        };
        let (ty, result) = (take(OperandKind::IdResultType), take(OperandKind::IdResult));
        let (Some(ty), Some(result)) = (ty, result) else {
            return Err(broken(at, "an id is missing"));
        };
        list.push(Inst {
            at,
            grammar,
            ty,
            result,
            args,
        });
        rest = &rest[length..];
    }
    Ok(list)
}

impl<'w> Printer<'w> {
    fn line(&mut self, text: impl std::fmt::Display) {
        let _ = writeln!(self.out, "{:w$}{text}", "", w = self.indent * 2);
    }

    fn module(&mut self, insts: &[Inst<'w>], minor: u32) -> Printed<()> {
        let (mut capabilities, mut extensions, mut model) = (Vec::new(), Vec::new(), None);
        let (mut entries, mut modes) = (Vec::new(), Vec::new());
        let mut globals = Vec::new();
        let mut functions: Vec<&[Inst<'w>]> = Vec::new();
        let mut rest = insts;
        while let Some((inst, after)) = rest.split_first() {
            if inst.op() == Op::Function {
                let end = rest.iter().position(|i| i.op() == Op::FunctionEnd);
                let end = end.ok_or_else(|| inst.error("the function has no end"))?;
                functions.push(&rest[..end]);
                rest = &rest[end + 1..];
                continue;
            }
            rest = after;
            match inst.op() {
                Op::Capability => capabilities.push(inst.named(OperandKind::Capability, inst.arg(0)?)?),
                Op::Extension => extensions.push(inst.string(0)?.0),
                Op::MemoryModel => {
                    let addressing = inst.named(OperandKind::AddressingModel, inst.arg(0)?)?;
                    model = Some(format!(
                        "{addressing} {}",
                        inst.named(OperandKind::MemoryModel, inst.arg(1)?)?
                    ));
                }
                Op::ExtInstImport => match inst.string(0)?.0.as_str() {
                    "OpenCL.std" => drop(self.sets.insert(inst.result, "CL")),
                    "GLSL.std.450" => drop(self.sets.insert(inst.result, "GL")),
                    name => return Err(inst.error(format!("the dialect has no instructions of {name:?}"))),
                },
                Op::EntryPoint => entries.push(*inst),
                Op::ExecutionMode => modes.push(*inst),
                Op::Name => drop(self.names.insert(inst.arg(0)?, inst.string(1)?.0)),
                Op::Decorate => self.decorations.entry(inst.arg(0)?).or_default().push(*inst),
                Op::MemberDecorate => self.member(inst)?,
                // What the module computes does not depend on it.
                Op::Source
                | Op::SourceExtension
                | Op::String
                | Op::MemberName
                | Op::Line
                | Op::NoLine
                | Op::Nop => {}
                _ => globals.push(*inst),
            }
        }
        let model = model.ok_or_else(|| PrintError {
            at: 0,
            name: "MemoryModel".into(),
            reason: "it is missing".into(),
        })?;
        self.line(format_args!(
            "spirv.module {model} requires #spirv.vce<v1.{minor}, [{}], [{}]> {{",
            capabilities.join(", "),
            extensions.join(", ")
        ));
        self.indent = 1;
        self.name_functions(&functions, &entries)?;
        for inst in &globals {
            self.global(inst)?;
        }
        for function in functions {
            self.function(function)?;
        }
        for entry in &entries {
            self.entry_point(entry)?;
        }
        for mode in &modes {
            self.execution_mode(mode)?;
        }
        self.indent = 0;
        self.line("}");
        Ok(())
    }

    /// Gives each function its symbol: the name of its entry point, if it has one.
    fn name_functions(&mut self, functions: &[&[Inst<'w>]], entries: &[Inst<'w>]) -> Printed<()> {
        for function in functions {
            let id = function[0].result;
            let symbol = self.symbol(id);
            self.symbols.insert(id, symbol);
        }
        for entry in entries {
            // The name of an entry point is that of its function.
            let (name, _) = entry.string(2)?;
            if self.symbols.get(&entry.arg(1)?) != Some(&name) {
                let taken = !self.taken.insert(name.clone());
                if taken || !is_name(&name) {
                    return Err(entry.error("the name of the entry point cannot be that of the function"));
                }
                self.symbols.insert(entry.arg(1)?, name);
            }
        }
        Ok(())
    }

    fn entry_point(&mut self, entry: &Inst<'w>) -> Printed<()> {
        let model = entry.named(OperandKind::ExecutionModel, entry.arg(0)?)?;
        let (_, next) = entry.string(2)?;
        let mut line = format!(
            "spirv.EntryPoint \"{model}\" {}",
            self.reference(entry, entry.arg(1)?)?
        );
        for &id in &entry.args[next..] {
            let _ = write!(line, ", {}", self.reference(entry, id)?);
        }
        self.line(line);
        Ok(())
    }

    fn execution_mode(&mut self, mode: &Inst<'w>) -> Printed<()> {
        let name = mode.named(OperandKind::ExecutionMode, mode.arg(1)?)?;
        let mut line = format!(
            "spirv.ExecutionMode {} \"{name}\"",
            self.reference(mode, mode.arg(0)?)?
        );
        for word in &mode.args[2..] {
            let _ = write!(line, ", {word}");
        }
        self.line(line);
        Ok(())
    }

    fn member(&mut self, inst: &Inst<'w>) -> Printed<()> {
        let member = self
            .members
            .entry((inst.arg(0)?, inst.arg(1)?))
            .or_insert(Member {
                ty: Type::Void,
                offset: None,
                decorations: Vec::new(),
                matrix_stride: None,
            });
        match (inst.arg(2)?, inst.args.get(3..)) {
            (d, Some(&[offset])) if d == Decoration::Offset as u32 => member.offset = Some(offset),
            (d, Some(&[stride])) if d == Decoration::MatrixStride as u32 => {
                member.matrix_stride = Some(stride);
            }
            (d, Some(&[])) => member.decorations.push(d),
            _ => return Err(inst.error("decorations of members with operands are not implemented")),
        }
        Ok(())
    }

    /// Returns a symbol that no other id has: the name of the id, if it is one.
    fn symbol(&mut self, id: u32) -> String {
        let own = self.names.get(&id).filter(|n| is_name(n)).cloned();
        let name = own
            .filter(|n| !self.taken.contains(n))
            .unwrap_or_else(|| format!("id_{id}"));
        let mut unique = name.clone();
        let mut n = 0;
        while !self.taken.insert(unique.clone()) {
            n += 1;
            unique = format!("{name}_{n}");
        }
        unique
    }

    fn reference(&self, inst: &Inst<'w>, id: u32) -> Printed<String> {
        let symbol = self.symbols.get(&id).map(|s| format!("@{s}"));
        symbol.ok_or_else(|| {
            inst.error(format!(
                "%{id} is no function, variable or specialization constant"
            ))
        })
    }

    fn decorated(&self, id: u32, decoration: Decoration) -> Option<u32> {
        let list = self.decorations.get(&id)?;
        let found = list
            .iter()
            .find(|d| d.args.get(1) == Some(&(decoration as u32)))?;
        Some(found.args.get(2).copied().unwrap_or(0))
    }

    /// Checks that an id has only decorations that are in a list.
    fn only(&self, id: u32, known: &[Decoration]) -> Printed<()> {
        let list = self.decorations.get(&id).map_or(&[][..], Vec::as_slice);
        let other = list
            .iter()
            .find(|d| !known.iter().any(|k| d.args.get(1) == Some(&(*k as u32))));
        other.map_or(Ok(()), |d| Err(d.error("the decoration is not implemented")))
    }

    fn ty(&self, inst: &Inst<'w>, id: u32) -> Printed<&Type> {
        self.types
            .get(&id)
            .ok_or_else(|| inst.error(format!("%{id} is no type that the dialect has")))
    }

    fn global(&mut self, inst: &Inst<'w>) -> Printed<()> {
        let id = inst.result;
        match inst.op() {
            Op::TypeFunction => {
                self.function_types.insert(id, inst.args.to_vec());
            }
            Op::TypeVoid
            | Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeStruct
            | Op::TypePointer
            | Op::TypeImage
            | Op::TypeSampledImage => {
                let ty = self.declared(inst)?;
                let length = ty.to_string().len();
                self.types_length += length;
                if length > MAX_TYPE || self.types_length > MAX_TYPES {
                    return Err(inst.error("the text of the type is too long"));
                }
                self.lengths.insert(id, length);
                self.types.insert(id, ty);
            }
            Op::Constant | Op::ConstantTrue | Op::ConstantFalse | Op::ConstantComposite | Op::Undef => {
                self.only(id, &[])?;
                self.value_types.insert(id, inst.ty);
                self.constants.insert(id, *inst);
            }
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                self.only(id, &[Decoration::SpecId])?;
                let symbol = self.symbol(id);
                let number = self.decorated(id, Decoration::SpecId);
                let number = number.map_or_else(String::new, |n| format!(" spec_id({n})"));
                let value = match inst.op() {
                    Op::SpecConstantTrue => "true".into(),
                    Op::SpecConstantFalse => "false".into(),
                    _ => format!("{} : {}", self.number(inst)?, self.ty(inst, inst.ty)?),
                };
                self.line(format_args!("spirv.SpecConstant @{symbol}{number} = {value}"));
                self.symbols.insert(id, symbol);
                self.value_types.insert(id, inst.ty);
            }
            Op::SpecConstantComposite => {
                self.only(id, &[])?;
                let parts = inst
                    .args
                    .iter()
                    .map(|&p| self.reference(inst, p))
                    .collect::<Printed<Vec<_>>>()?;
                let symbol = self.symbol(id);
                let ty = self.ty(inst, inst.ty)?.clone();
                self.line(format_args!(
                    "spirv.SpecConstantComposite @{symbol} ({}) : {ty}",
                    parts.join(", ")
                ));
                self.symbols.insert(id, symbol);
                self.value_types.insert(id, inst.ty);
            }
            Op::Variable => {
                let known = [
                    Decoration::BuiltIn,
                    Decoration::DescriptorSet,
                    Decoration::Binding,
                ];
                self.only(id, &known)?;
                let symbol = self.symbol(id);
                let mut line = format!("spirv.GlobalVariable @{symbol}");
                if let Some(&init) = inst.args.get(1) {
                    let _ = write!(line, " initializer({})", self.reference(inst, init)?);
                }
                let place = (self.decorated(id, known[1]), self.decorated(id, known[2]));
                if let (Some(set), Some(binding)) = place {
                    let _ = write!(line, " bind({set}, {binding})");
                }
                if let Some(built_in) = self.decorated(id, Decoration::BuiltIn) {
                    let _ = write!(
                        line,
                        " built_in(\"{}\")",
                        inst.named(OperandKind::BuiltIn, built_in)?
                    );
                }
                let _ = write!(line, " : {}", self.ty(inst, inst.ty)?);
                self.line(line);
                self.symbols.insert(id, symbol);
                self.value_types.insert(id, inst.ty);
            }
            _ => return Err(inst.error("the instruction is not implemented here")),
        }
        Ok(())
    }

    fn declared(&self, inst: &Inst<'w>) -> Printed<Type> {
        let id = inst.result;
        let known: &[Decoration] = match inst.op() {
            Op::TypeArray | Op::TypeRuntimeArray => &[Decoration::ArrayStride],
            Op::TypeStruct => &[Decoration::Block],
            _ => &[],
        };
        self.only(id, known)?;
        let part = |n| -> Printed<Box<Type>> {
            let part = inst.arg(n)?;
            if self.lengths.get(&part).is_none_or(|&l| l > MAX_TYPE / 2) {
                return Err(inst.error(format!("%{part} is no type that the dialect has here")));
            }
            Ok(Box::new(self.ty(inst, part)?.clone()))
        };
        let stride = || self.decorated(id, Decoration::ArrayStride).unwrap_or(0);
        Ok(match inst.op() {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt if matches!(inst.arg(0)?, 8 | 16 | 32 | 64) => {
                Type::Int(inst.arg(0)?, inst.arg(1)? != 0)
            }
            Op::TypeFloat if matches!(inst.args, [16 | 32 | 64]) => Type::Float(inst.arg(0)?),
            Op::TypeVector => Type::Vector(inst.arg(1)?, part(0)?),
            Op::TypeArray => {
                let length = self
                    .constants
                    .get(&inst.arg(1)?)
                    .filter(|c| c.op() == Op::Constant);
                let length = length.and_then(|c| c.args.first().copied());
                let length = length.ok_or_else(|| inst.error("the length is no constant"))?;
                Type::Array(length, part(0)?, stride())
            }
            Op::TypeRuntimeArray => Type::RuntimeArray(part(0)?, stride()),
            Op::TypeStruct => {
                let mut members = Vec::new();
                let mut length = 0;
                for n in 0..inst.args.len() {
                    length += self.lengths.get(&inst.arg(n)?).copied().unwrap_or(0);
                    if length > MAX_TYPE {
                        return Err(inst.error("the text of the type is too long"));
                    }
                    let stated = self.members.get(&(id, n as u32));
                    members.push(Member {
                        ty: *part(n)?,
                        offset: stated.and_then(|m| m.offset),
                        decorations: stated.map_or_else(Vec::new, |m| m.decorations.clone()),
                        matrix_stride: stated.and_then(|m| m.matrix_stride),
                    });
                }
                Type::Struct(members)
            }
            Op::TypePointer => Type::Pointer(part(1)?, inst.arg(0)?),
            Op::TypeImage => {
                let operands = inst.args.get(1..).and_then(|a| <[u32; 6]>::try_from(a).ok());
                let operands = operands.ok_or_else(|| inst.error("the dialect has no access qualifiers"))?;
                Type::Image(Box::new(Image {
                    element: *part(0)?,
                    operands,
                }))
            }
            Op::TypeSampledImage => match *part(0)? {
                Type::Image(image) => Type::SampledImage(image),
                _ => return Err(inst.error("it does not name an image")),
            },
            _ => return Err(inst.error("the dialect does not have the type")),
        })
    }

    /// Returns the value of an OpConstant or OpSpecConstant.
    fn number(&self, inst: &Inst<'w>) -> Printed<String> {
        let ty = self.ty(inst, inst.ty)?;
        let number = super::emit::number(ty).ok_or_else(|| inst.error("its type is no number"))?;
        let text = number::decode(inst.args, number)
            .ok_or_else(|| inst.error("the number does not fit its type"))?;
        Ok(match number {
            Number::Float(bits) if text.contains('p') => {
                // MLIR writes infinities and NaNs as their bits.
                let value = inst.args.iter().rev().fold(0u64, |v, w| v << 32 | u64::from(*w));
                format!("0x{value:0w$X}", w = bits as usize / 4)
            }
            Number::Float(_) if !text.contains('.') => match text.split_once('e') {
                Some((digits, exponent)) => format!("{digits}.0e{exponent}"),
                None => format!("{text}.0"),
            },
            _ => text,
        })
    }

    /// Returns the value of a constant as an attribute, with its type.
    fn attribute(&self, inst: &Inst<'w>, depth: usize) -> Printed<String> {
        if depth > MAX_DEPTH {
            return Err(inst.error("the constant is nested too deeply"));
        }
        let ty = self.ty(inst, inst.ty)?;
        Ok(match inst.op() {
            Op::ConstantTrue => "true".into(),
            Op::ConstantFalse => "false".into(),
            Op::Constant => format!("{} : {ty}", self.number(inst)?),
            Op::ConstantComposite => {
                let mut parts = Vec::new();
                let mut length = 0;
                for id in inst.args {
                    let part = self
                        .constants
                        .get(id)
                        .ok_or_else(|| inst.error("a part is no constant"))?;
                    let text = match ty {
                        Type::Vector(..) if part.op() == Op::Constant => self.number(part)?,
                        Type::Vector(..) | Type::Array(..) => self.attribute(part, depth + 1)?,
                        _ => return Err(inst.error("constants of this type are not implemented")),
                    };
                    length += text.len();
                    if length > MAX_TYPE {
                        return Err(inst.error("the text of the constant is too long"));
                    }
                    parts.push(text);
                }
                match ty {
                    Type::Vector(..) => format!("dense<[{}]> : {ty}", parts.join(", ")),
                    _ => format!("[{}] : {ty}", parts.join(", ")),
                }
            }
            _ => return Err(inst.error("constants of this kind are not implemented")),
        })
    }
}

/// Returns whether a symbol can have a name as it is.
fn is_name(name: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$');
    name.bytes().all(is_part) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
