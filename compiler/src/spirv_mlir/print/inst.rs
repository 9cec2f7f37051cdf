//! Words to text: instructions of functions.

use super::super::ops::{self, Form};
use super::super::types::Type;
use super::func::Body;
use super::{Inst, MAX_TEXT, Printed, Printer};
use crate::spirv_text::grammar;
use rspirv::grammar::OperandKind;
use rspirv::spirv::{Op, StorageClass};
use std::fmt::Write;

impl<'w> Printer<'w> {
    fn access(inst: &Inst<'w>, n: usize) -> Printed<String> {
        let Some(&mask) = inst.args.get(n) else {
            return Ok(String::new());
        };
        let mut text = format!(" [\"{}\"", inst.named(OperandKind::MemoryAccess, mask)?);
        for word in &inst.args[n + 1..] {
            let _ = write!(text, ", {word}");
        }
        Ok(text + "]")
    }

    pub(super) fn inst(&mut self, body: &mut Body<'_, 'w>, inst: &Inst<'w>) -> Printed<()> {
        let name = inst.grammar.opname;
        if self.out.len() > MAX_TEXT {
            return Err(inst.error("the text of the module is too long"));
        }
        let text = match inst.op() {
            Op::Undef => format!("spirv.Undef : {}", self.ty(inst, inst.ty)?),
            Op::Variable
            | Op::Load
            | Op::Store
            | Op::AccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => self.memory(body, inst)?,
            Op::CompositeExtract
            | Op::CompositeInsert
            | Op::CompositeConstruct
            | Op::VectorExtractDynamic
            | Op::VectorShuffle => self.composite(body, inst)?,
            Op::FunctionCall => {
                let callee = self.reference(inst, inst.arg(0)?)?;
                let values = self.values(body, inst, &inst.args[1..])?;
                let types = self.types(inst, &inst.args[1..])?;
                let line = |ty: &str| format!("spirv.FunctionCall {callee}({values}) : ({types}) -> {ty}");
                match self.ty(inst, inst.ty)? {
                    Type::Void => {
                        let line = line("()");
                        self.line(line);
                        return Ok(());
                    }
                    ty => line(&ty.to_string()),
                }
            }
            Op::ExtInst => self.extended(body, inst)?,
            Op::ControlBarrier | Op::MemoryBarrier => self.barrier(inst)?,
            _ if name.starts_with("Atomic") && crate::spirv_mlir::inst::atomic_operands(name).is_some() => {
                self.atomic(body, inst)?
            }
            _ => self.plain(body, inst)?,
        };
        match inst.result {
            0 => self.line(text),
            id => {
                body.homes.insert(id, body.open.last().copied().unwrap_or(0));
                self.line(format_args!("%v{id} = {text}"));
            }
        }
        Ok(())
    }

    /// Returns the words of an instruction as a list of integers.
    fn literals(words: &[u32]) -> String {
        let list: Vec<String> = words.iter().map(|w| format!("{w} : i32")).collect();
        format!("[{}]", list.join(", "))
    }

    /// Returns the types of values, separated by commas.
    fn types(&self, inst: &Inst<'w>, ids: &[u32]) -> Printed<String> {
        let types = ids.iter().map(|&id| Ok(self.type_of(inst, id)?.to_string()));
        Ok(types.collect::<Printed<Vec<_>>>()?.join(", "))
    }

    /// Returns the text of an instruction that declares or accesses memory.
    fn memory(&mut self, body: &mut Body<'_, 'w>, inst: &Inst<'w>) -> Printed<String> {
        let name = inst.grammar.opname;
        let class = |ty: &Type| match ty {
            Type::Pointer(_, class) => inst.named(OperandKind::StorageClass, *class),
            _ => Err(inst.error("the operand is no pointer")),
        };
        Ok(match inst.op() {
            Op::Variable => {
                let init = match inst.args.get(1) {
                    Some(&init) => format!(" init({})", self.value(body, inst, init)?),
                    None => String::new(),
                };
                if inst.arg(0)? != StorageClass::Function as u32 {
                    return Err(inst.error("the storage class is not Function"));
                }
                format!("spirv.Variable{init} : {}", self.ty(inst, inst.ty)?)
            }
            Op::Load => {
                let from = self.value(body, inst, inst.arg(0)?)?;
                let class = class(self.type_of(inst, inst.arg(0)?)?)?;
                let access = Self::access(inst, 1)?;
                format!(
                    "spirv.Load \"{class}\" {from}{access} : {}",
                    self.ty(inst, inst.ty)?
                )
            }
            Op::Store => {
                let values = self.values(body, inst, &[inst.arg(0)?, inst.arg(1)?])?;
                let class = class(self.type_of(inst, inst.arg(0)?)?)?;
                let access = Self::access(inst, 2)?;
                format!(
                    "spirv.Store \"{class}\" {values}{access} : {}",
                    self.type_of(inst, inst.arg(1)?)?
                )
            }
            _ => {
                let base = self.value(body, inst, inst.arg(0)?)?;
                let indices = self.values(body, inst, &inst.args[1..])?;
                let mut line = format!(
                    "spirv.{name} {base}[{indices}] : {}",
                    self.type_of(inst, inst.arg(0)?)?
                );
                for &index in &inst.args[1..] {
                    let _ = write!(line, ", {}", self.type_of(inst, index)?);
                }
                line
            }
        })
    }

    /// Returns the text of an instruction that takes composites apart or builds them.
    fn composite(&mut self, body: &mut Body<'_, 'w>, inst: &Inst<'w>) -> Printed<String> {
        let name = inst.grammar.opname;
        Ok(match inst.op() {
            Op::CompositeExtract => {
                let from = self.value(body, inst, inst.arg(0)?)?;
                let ty = self.type_of(inst, inst.arg(0)?)?;
                format!("spirv.{name} {from}{} : {ty}", Self::literals(&inst.args[1..]))
            }
            Op::CompositeInsert => {
                let values = self.values(body, inst, &[inst.arg(0)?, inst.arg(1)?])?;
                let part = self.type_of(inst, inst.arg(0)?)?;
                let whole = self.ty(inst, inst.ty)?;
                format!(
                    "spirv.{name} {values}{} : {part} into {whole}",
                    Self::literals(&inst.args[2..])
                )
            }
            Op::CompositeConstruct => {
                let values = self.values(body, inst, inst.args)?;
                let types = self.types(inst, inst.args)?;
                format!("spirv.{name} {values} : ({types}) -> {}", self.ty(inst, inst.ty)?)
            }
            Op::VectorExtractDynamic => {
                let (vector, index) = (inst.arg(0)?, inst.arg(1)?);
                let (v, i) = (self.value(body, inst, vector)?, self.value(body, inst, index)?);
                format!(
                    "spirv.{name} {v}[{i}] : {}, {}",
                    self.type_of(inst, vector)?,
                    self.type_of(inst, index)?
                )
            }
            _ => {
                let (a, b) = (inst.arg(0)?, inst.arg(1)?);
                let (va, vb) = (self.value(body, inst, a)?, self.value(body, inst, b)?);
                let (ta, tb) = (self.type_of(inst, a)?, self.type_of(inst, b)?);
                let lanes = Self::literals(&inst.args[2..]);
                format!(
                    "spirv.{name} {lanes} {va} : {ta}, {vb} : {tb} -> {}",
                    self.ty(inst, inst.ty)?
                )
            }
        })
    }

    /// Returns the text of an instruction of OpenCL.std or GLSL.std.450.
    fn extended(&mut self, body: &mut Body<'_, 'w>, inst: &Inst<'w>) -> Printed<String> {
        let set = self.sets.get(&inst.arg(0)?).copied();
        let set = set.ok_or_else(|| inst.error("the instruction set is unknown"))?;
        let table = ops::extended(&format!("{set}.x")).and_then(|(name, _)| grammar::set(name));
        let found = table.and_then(|t| t.lookup_opcode(inst.args.get(1).copied()?));
        let found = found.ok_or_else(|| inst.error("the extended instruction is unknown"))?;
        let ty = self.ty(inst, inst.ty)?.clone();
        let ids = inst.args.get(2..).unwrap_or_default();
        for &id in ids {
            if *self.type_of(inst, id)? != ty {
                return Err(inst.error("operands of other types than the result are not implemented"));
            }
        }
        Ok(format!(
            "spirv.{set}.{} {} : {ty}",
            found.opname,
            self.values(body, inst, ids)?
        ))
    }

    /// Returns the text of a barrier.
    fn barrier(&self, inst: &Inst<'w>) -> Printed<String> {
        let count = if inst.op() == Op::ControlBarrier { 3 } else { 2 };
        let mut parts = Vec::new();
        for n in 0..count {
            let kind = if n + 1 == count {
                OperandKind::MemorySemantics
            } else {
                OperandKind::Scope
            };
            parts.push(format!("<{}>", self.enumerant(inst, n, kind)?));
        }
        Ok(format!("spirv.{} {}", inst.grammar.opname, parts.join(", ")))
    }

    /// Returns the text of an atomic operation.
    fn atomic(&mut self, body: &mut Body<'_, 'w>, inst: &Inst<'w>) -> Printed<String> {
        let name = inst.grammar.opname;
        let scope = self.enumerant(inst, 1, OperandKind::Scope)?;
        let semantics = self.enumerant(inst, 2, OperandKind::MemorySemantics)?;
        let ids: Vec<u32> = inst
            .args
            .iter()
            .enumerate()
            .filter(|(n, _)| !matches!(n, 1 | 2))
            .map(|(_, i)| *i)
            .collect();
        let values = self.values(body, inst, &ids)?;
        Ok(format!(
            "spirv.{name} \"{scope}\" \"{semantics}\" {values} : {}",
            self.type_of(inst, inst.arg(0)?)?
        ))
    }

    /// Returns the text of an instruction whose operands are values only.
    fn plain(&mut self, body: &mut Body<'_, 'w>, inst: &Inst<'w>) -> Printed<String> {
        let name = inst.grammar.opname;
        let form = ops::form(name).ok_or_else(|| inst.error("the instruction is not implemented"))?;
        let values = self.values(body, inst, inst.args)?;
        let first = self.type_of(inst, inst.arg(0)?)?;
        let types = match form {
            Form::Same | Form::Compare => first.to_string(),
            Form::Two => format!("{first}, {}", self.type_of(inst, inst.arg(1)?)?),
            Form::Convert => format!("{first} to {}", self.ty(inst, inst.ty)?),
            Form::Choose => format!("{first}, {}", self.ty(inst, inst.ty)?),
        };
        Ok(format!("spirv.{name} {values} : {types}"))
    }

    /// Returns the name of the constant that operand `n` is.
    fn enumerant(&self, inst: &Inst<'w>, n: usize, kind: OperandKind) -> Printed<String> {
        let constant = self
            .constants
            .get(&inst.arg(n)?)
            .filter(|c| c.op() == Op::Constant);
        let value = constant.and_then(|c| c.args.first().copied());
        let value = value.ok_or_else(|| inst.error(format!("operand {n} is no constant")))?;
        inst.named(kind, value)
    }
}
