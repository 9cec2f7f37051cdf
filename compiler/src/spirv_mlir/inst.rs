//! Text to words: operations.

use super::func::Body;
use super::lex::{Kind, Token};
use super::ops::{self, Form};
use super::parse::{Parsed, Parser};
use super::types::Type;
use crate::spirv_text::grammar;
use rspirv::grammar::OperandKind;
use rspirv::spirv::{Op, StorageClass};

impl<'t> Parser<'t> {
    /// Reads an operation.
    pub(super) fn operation(&mut self, body: &mut Body<'t>) -> Parsed<()> {
        let first = self.next();
        let (result, op) = match first.kind == Kind::Word && first.text.starts_with('%') {
            true => {
                self.expect("=")?;
                (Some(first), self.next())
            }
            false => (None, first),
        };
        let unknown = || op.error(format!("{} is not implemented", op.shown()));
        self.pending.clear();
        if let (Some(result), Kind::Text) = (result, op.kind) {
            return self.generic_operation(body, op, result);
        }
        if op.kind != Kind::Word {
            return Err(unknown());
        }
        match (result, op.text) {
            (None, "spirv.mlir.selection" | "spirv.mlir.loop") => return self.structured(body, op),
            (None, "spirv.CopyMemory") => return self.copy_memory(body, op),
            (None, "spirv.INTEL.SubgroupBlockWrite") => return self.block_write(body, op),
            (None, "spirv.Store") => return self.store(body, op),
            (None, "spirv.ControlBarrier" | "spirv.MemoryBarrier") => return self.barrier(body, op),
            (None, _) if self.terminator(body, op)? => return Ok(()),
            (_, "spirv.FunctionCall") => return self.call(body, op, result),
            _ => {}
        }
        let Some(result) = result else {
            return Err(unknown());
        };
        let name = op.text.strip_prefix("spirv.").ok_or_else(unknown)?;
        match name {
            "Constant" => {
                let (id, ty) = self.constant()?;
                self.alias(body, result, id, ty)
            }
            "Undef" => {
                self.expect(":")?;
                let ty = self.ty()?;
                let id = self.out.constant(&ty, Op::Undef, vec![]);
                self.alias(body, result, id, ty)
            }
            "mlir.addressof" | "mlir.referenceof" => {
                let symbol = self.symbol()?;
                let colon = self.expect(":")?;
                let ty = self.ty()?;
                match symbol.ty {
                    Some(own) if own != ty => Err(colon.error(format!("it has the type {own}"))),
                    _ => self.alias(body, result, symbol.id, ty),
                }
            }
            "Variable" => self.local(body, result),
            "Load" => self.load(body, op, result),
            "AccessChain" | "PtrAccessChain" | "InBoundsPtrAccessChain" => self.chain(body, op, name, result),
            "CompositeExtract"
            | "CompositeInsert"
            | "CompositeConstruct"
            | "VectorExtractDynamic"
            | "VectorShuffle" => self.composite(body, op, name, result),
            name if self.special(body, op, name, result)? => Ok(()),
            name if name.starts_with("Atomic") => self.atomic(body, op, name, result),
            name => match (ops::form(name), ops::extended(name)) {
                (Some(form), _) => self.formed(body, op, name, form, result),
                (None, Some((set, own))) => self.extended(body, op, set, own, result),
                (None, None) => Err(unknown()),
            },
        }
    }

    /// Reads the operands `%a, %b` and `:`.
    pub(super) fn operands(&mut self, body: &mut Body<'t>) -> Parsed<Vec<Token<'t>>> {
        let mut list = vec![self.value(body)?];
        while self.accept(",") {
            list.push(self.value(body)?);
        }
        self.pending = self.attributes()?;
        self.expect(":")?;
        Ok(list)
    }

    /// Reads an operation that is an instruction with the same operands.
    fn formed(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        name: &str,
        form: Form,
        result: Token<'t>,
    ) -> Parsed<()> {
        let instruction = grammar::by_name(name).ok_or_else(|| op.error("no such instruction"))?;
        let values = self.operands(body)?;
        let wanted = instruction
            .operands
            .iter()
            .filter(|o| o.kind == OperandKind::IdRef)
            .count();
        if values.len() != wanted {
            return Err(op.error(format!("{} has {wanted} operands, not {}", op.text, values.len())));
        }
        let ty = self.ty()?;
        let (types, to) = match form {
            Form::Same => (vec![ty.clone(); wanted], ty),
            Form::Compare => (vec![ty.clone(); wanted], ty.truth()),
            Form::Two => {
                self.expect(",")?;
                (vec![ty.clone(), self.ty()?], ty)
            }
            Form::Convert => {
                self.expect("to")?;
                (vec![ty], self.ty()?)
            }
            Form::Choose => {
                self.expect(",")?;
                let chosen = self.ty()?;
                (vec![ty, chosen.clone(), chosen.clone()], chosen)
            }
        };
        let mut words = vec![self.out.ty(&to), 0];
        for (value, ty) in values.into_iter().zip(&types) {
            words.push(self.typed(body, value, ty)?);
        }
        words[1] = self.define(body, result, to)?;
        self.decorate_pending(words[1]);
        body.put(op, instruction.opcode, &words)
    }

    /// Reads an instruction of an extended set, whose operands and result have one type.
    fn extended(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        set: &'static str,
        name: &str,
        result: Token<'t>,
    ) -> Parsed<()> {
        let table = grammar::set(set).ok_or_else(|| op.error("no such instruction set"))?;
        let number = grammar::number_in(table, name);
        let number = number.ok_or_else(|| op.error(format!("{set} has no instruction {name}")))?;
        let first = self.value(body)?;
        if self.peek().text == ":" {
            return self.extended_list(body, op, (set, number), first, result);
        }
        let mut values = vec![first];
        while self.accept(",") {
            values.push(self.value(body)?);
        }
        self.pending = self.attributes()?;
        self.expect(":")?;
        let ty = self.ty()?;
        let mut words = vec![self.out.set(set), number];
        for value in values {
            words.push(self.typed(body, value, &ty)?);
        }
        self.emit(body, op, Op::ExtInst, result, ty, &words)
    }

    /// Reads the types of an instruction with one operand, or `: T, %b : U -> R`.
    fn extended_list(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        (set, number): (&'static str, u32),
        first: Token<'t>,
        result: Token<'t>,
    ) -> Parsed<()> {
        self.expect(":")?;
        let ty = self.ty()?;
        let mut words = vec![self.out.set(set), number, self.typed(body, first, &ty)?];
        let mut to = ty;
        if self.accept(",") {
            let (values, types, result) = self.typed_list(body)?;
            for (value, ty) in values.into_iter().zip(&types) {
                words.push(self.typed(body, value, ty)?);
            }
            to = result;
        } else if self.accept("->") {
            to = self.ty()?;
        }
        self.emit(body, op, Op::ExtInst, result, to, &words)
    }

    fn local(&mut self, body: &mut Body<'t>, result: Token<'t>) -> Parsed<()> {
        let mut init = None;
        if self.accept("init") {
            self.expect("(")?;
            init = Some(self.value(body)?);
            self.expect(")")?;
        }
        self.pending = self.attributes()?;
        let colon = self.expect(":")?;
        let ty = self.ty()?;
        let Type::Pointer(pointee, class) = &ty else {
            return Err(colon.error("the type of a variable is a pointer"));
        };
        if *class != StorageClass::Function as u32 {
            return Err(colon.error("a variable of a function has the storage class Function"));
        }
        let init = match init {
            Some(value) => Some(self.typed(body, value, pointee)?),
            None => None,
        };
        let (ptr, class) = (self.out.ty(&ty), *class);
        let id = self.define(body, result, ty.clone())?;
        self.decorate_pending(id);
        let words: Vec<u32> = [ptr, id, class].into_iter().chain(init).collect();
        super::emit::put(&mut body.variables, Op::Variable, &words);
        Ok(())
    }

    /// Reads the storage class and the pointer of an access, without its type.
    pub(super) fn pointer(&mut self, body: &mut Body<'t>) -> Parsed<(u32, Token<'t>)> {
        let class = self.text("a storage class")?;
        let class = self.value_of(OperandKind::StorageClass, class)?;
        Ok((class, self.value(body)?))
    }

    /// Reads `["Aligned", 4]`, if it is there.
    pub(super) fn access(&mut self) -> Parsed<Vec<u32>> {
        let mut words = Vec::new();
        if self.accept("[") {
            let mask = self.text("memory operands")?;
            words.push(self.value_of(OperandKind::MemoryAccess, mask)?);
            while self.accept(",") {
                words.push(self.integer()?);
            }
            self.expect("]")?;
        }
        Ok(words)
    }

    fn load(&mut self, body: &mut Body<'t>, op: Token<'t>, result: Token<'t>) -> Parsed<()> {
        let (class, pointer) = self.pointer(body)?;
        let access = self.access()?;
        self.expect(":")?;
        let ty = self.ty()?;
        let from = self.typed(body, pointer, &Type::Pointer(Box::new(ty.clone()), class))?;
        let to = self.out.ty(&ty);
        let id = self.define(body, result, ty)?;
        body.put(op, Op::Load, &[&[to, id, from][..], &access].concat())
    }

    fn store(&mut self, body: &mut Body<'t>, op: Token<'t>) -> Parsed<()> {
        let (class, pointer) = self.pointer(body)?;
        self.expect(",")?;
        let value = self.value(body)?;
        let access = self.access()?;
        self.expect(":")?;
        let ty = self.ty()?;
        let to = self.typed(body, pointer, &Type::Pointer(Box::new(ty.clone()), class))?;
        let value = self.typed(body, value, &ty)?;
        body.put(op, Op::Store, &[&[to, value][..], &access].concat())
    }

    fn chain(&mut self, body: &mut Body<'t>, op: Token<'t>, name: &str, result: Token<'t>) -> Parsed<()> {
        let base = self.value(body)?;
        self.expect("[")?;
        let mut indices = vec![self.value(body)?];
        while self.accept(",") {
            indices.push(self.value(body)?);
        }
        self.expect("]")?;
        self.expect(":")?;
        let base_type = self.ty()?;
        let mut words = vec![0, 0, self.typed(body, base, &base_type)?];
        for &index in &indices {
            self.expect(",")?;
            let ty = self.ty()?;
            words.push(self.typed(body, index, &ty)?);
        }
        let Type::Pointer(mut pointee, class) = base_type else {
            return Err(base.error("the base is no pointer"));
        };
        // The first index of a PtrAccessChain counts objects of the pointee's type.
        let skipped = usize::from(name != "AccessChain");
        for (index, id) in indices.iter().zip(&words[3..]).skip(skipped) {
            pointee = match *pointee {
                Type::Array(_, element, _)
                | Type::RuntimeArray(element, _)
                | Type::Vector(_, element)
                | Type::Matrix(_, element) => element,
                Type::Struct(members) => {
                    let number = self.out.numbers.get(id).and_then(|&n| members.get(n as usize));
                    let member = number.ok_or_else(|| index.error("the index of a member is a constant"))?;
                    Box::new(member.ty.clone())
                }
                other => return Err(index.error(format!("{other} has no elements"))),
            };
        }
        let ty = Type::Pointer(pointee, class);
        words[0] = self.out.ty(&ty);
        words[1] = self.define(body, result, ty)?;
        let instruction = grammar::by_name(name).ok_or_else(|| op.error("no such instruction"))?;
        body.put(op, instruction.opcode, &words)
    }

    /// Reads `[1 : i32, 0 : i32]`.
    fn literals(&mut self) -> Parsed<Vec<u32>> {
        let mut list = Vec::new();
        self.expect("[")?;
        loop {
            list.push(self.integer()?);
            if self.accept(":") {
                self.ty()?;
            }
            if !self.accept(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(list)
    }

    fn composite(&mut self, body: &mut Body<'t>, op: Token<'t>, name: &str, result: Token<'t>) -> Parsed<()> {
        let (opcode, to, operands) = match name {
            "CompositeExtract" => {
                let from = self.value(body)?;
                let indices = self.literals()?;
                self.expect(":")?;
                let ty = self.ty()?;
                let from = self.typed(body, from, &ty)?;
                let part = self.part(op, ty, &indices)?;
                (Op::CompositeExtract, part, [&[from][..], &indices].concat())
            }
            "CompositeInsert" => {
                let part = self.value(body)?;
                self.expect(",")?;
                let whole = self.value(body)?;
                let indices = self.literals()?;
                self.expect(":")?;
                let part_type = self.ty()?;
                self.expect("into")?;
                let ty = self.ty()?;
                let operands = [self.typed(body, part, &part_type)?, self.typed(body, whole, &ty)?];
                if self.part(op, ty.clone(), &indices)? != part_type {
                    return Err(op.error("the component has another type"));
                }
                (Op::CompositeInsert, ty, [&operands[..], &indices].concat())
            }
            "CompositeConstruct" => {
                let parts = self.operands(body)?;
                self.expect("(")?;
                let mut ids = Vec::new();
                for (n, part) in parts.into_iter().enumerate() {
                    if n > 0 {
                        self.expect(",")?;
                    }
                    let ty = self.ty()?;
                    ids.push(self.typed(body, part, &ty)?);
                }
                self.expect(")")?;
                self.expect("->")?;
                (Op::CompositeConstruct, self.ty()?, ids)
            }
            "VectorExtractDynamic" => {
                let from = self.value(body)?;
                self.expect("[")?;
                let index = self.value(body)?;
                self.expect("]")?;
                self.expect(":")?;
                let ty = self.ty()?;
                self.expect(",")?;
                let index_type = self.ty()?;
                let ids = vec![
                    self.typed(body, from, &ty)?,
                    self.typed(body, index, &index_type)?,
                ];
                (Op::VectorExtractDynamic, self.part(op, ty, &[0])?, ids)
            }
            _ => {
                let lanes = self.literals()?;
                let mut ids = Vec::new();
                for n in 0..2 {
                    if n > 0 {
                        self.expect(",")?;
                    }
                    let value = self.value(body)?;
                    self.expect(":")?;
                    let ty = self.ty()?;
                    ids.push(self.typed(body, value, &ty)?);
                }
                self.expect("->")?;
                (Op::VectorShuffle, self.ty()?, [&ids[..], &lanes].concat())
            }
        };
        let ty = self.out.ty(&to);
        let id = self.define(body, result, to)?;
        body.put(op, opcode, &[&[ty, id][..], &operands].concat())
    }

    /// Returns the type of a part of a composite.
    fn part(&self, op: Token<'t>, mut ty: Type, indices: &[u32]) -> Parsed<Type> {
        for &index in indices {
            let wrong = op.error(format!("{ty} has no component {index}"));
            ty = match ty {
                Type::Vector(n, element) | Type::Array(n, element, _) | Type::Matrix(n, element)
                    if index < n =>
                {
                    *element
                }
                Type::Struct(members) => members.get(index as usize).map(|m| m.ty.clone()).ok_or(wrong)?,
                _ => return Err(wrong),
            };
        }
        Ok(ty)
    }

    fn call(&mut self, body: &mut Body<'t>, op: Token<'t>, result: Option<Token<'t>>) -> Parsed<()> {
        let (_, function) = self.function_name()?;
        self.expect("(")?;
        let mut values = Vec::new();
        while !self.accept(")") {
            values.push(self.value(body)?);
            if !self.accept(",") {
                self.expect(")")?;
                break;
            }
        }
        self.expect(":")?;
        self.expect("(")?;
        let mut ids = Vec::new();
        for (n, value) in values.into_iter().enumerate() {
            if n > 0 {
                self.expect(",")?;
            }
            let ty = self.ty()?;
            ids.push(self.typed(body, value, &ty)?);
        }
        self.expect(")")?;
        self.expect("->")?;
        let ty = match self.accept("(") {
            true => {
                self.expect(")")?;
                Type::Void
            }
            false => self.ty()?,
        };
        if (ty == Type::Void) != result.is_none() {
            return Err(op.error("a call has a value exactly if its function has a result"));
        }
        let to = self.out.ty(&ty);
        let id = match result {
            Some(result) => self.define(body, result, ty)?,
            None => self.out.id(),
        };
        body.put(op, Op::FunctionCall, &[&[to, id, function][..], &ids].concat())
    }

    /// Reads `<Workgroup>`. Returns the id of a constant with the value.
    pub(super) fn bracketed(&mut self, kind: OperandKind) -> Parsed<u32> {
        let token = match self.accept("<") {
            true => {
                let mut value = self.value_of(kind, self.peek())?;
                self.next();
                while grammar::is_mask(kind) && self.accept("|") {
                    value |= self.value_of(kind, self.peek())?;
                    self.next();
                }
                self.expect(">")?;
                return Ok(self
                    .out
                    .constant(&Type::Int(32, false), Op::Constant, vec![value]));
            }
            false => self.text("a scope or memory semantics")?,
        };
        let value = self.value_of(kind, token)?;
        Ok(self
            .out
            .constant(&Type::Int(32, false), Op::Constant, vec![value]))
    }

    fn barrier(&mut self, body: &mut Body<'t>, op: Token<'t>) -> Parsed<()> {
        let mut words = vec![self.bracketed(OperandKind::Scope)?];
        self.expect(",")?;
        let opcode = match op.text {
            "spirv.ControlBarrier" => {
                words.push(self.bracketed(OperandKind::Scope)?);
                self.expect(",")?;
                Op::ControlBarrier
            }
            _ => Op::MemoryBarrier,
        };
        words.push(self.bracketed(OperandKind::MemorySemantics)?);
        body.put(op, opcode, &words)
    }

    fn atomic(&mut self, body: &mut Body<'t>, op: Token<'t>, name: &str, result: Token<'t>) -> Parsed<()> {
        let operands = atomic_operands(name);
        let operands = operands.ok_or_else(|| op.error(format!("{} is not implemented", op.shown())))?;
        let instruction = grammar::by_name(name).ok_or_else(|| op.error("no such instruction"))?;
        let scope = self.bracketed(OperandKind::Scope)?;
        let semantics = self.bracketed(OperandKind::MemorySemantics)?;
        let values = self.operands(body)?;
        let at = self.peek();
        let ty = self.ty()?;
        let Type::Pointer(pointee, _) = &ty else {
            return Err(at.error("the type of the pointer is no pointer"));
        };
        if values.len() != 1 + operands {
            return Err(op.error(format!("it has {} operands, not {}", 1 + operands, values.len())));
        }
        let mut words = vec![
            self.out.ty(pointee),
            0,
            self.typed(body, values[0], &ty)?,
            scope,
            semantics,
        ];
        for &value in &values[1..] {
            words.push(self.typed(body, value, pointee)?);
        }
        words[1] = self.define(body, result, (**pointee).clone())?;
        body.put(op, instruction.opcode, &words)
    }
}

/// Returns how many operands an atomic operation has after its pointer; `None` if it is not implemented.
pub(super) fn atomic_operands(name: &str) -> Option<usize> {
    match name {
        "AtomicIIncrement" | "AtomicIDecrement" => Some(0),
        "AtomicIAdd" | "AtomicISub" | "AtomicSMin" | "AtomicUMin" | "AtomicSMax" | "AtomicUMax"
        | "AtomicAnd" | "AtomicOr" | "AtomicXor" | "AtomicExchange" => Some(1),
        _ => None,
    }
}
