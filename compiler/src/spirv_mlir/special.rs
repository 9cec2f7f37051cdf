//! Text to words: operations with a form of their own, the generic form, and decorations as attributes.

use super::emit::string;
use super::func::Body;
use super::lex::{Kind, Token};
use super::ops;
use super::parse::{Parsed, Parser};
use super::types::Type;
use crate::spirv_text::grammar;
use rspirv::grammar::OperandKind;
use rspirv::spirv::{BuiltIn, Decoration, Op};

/// A decoration with its operands.
pub(super) type Attribute = (Decoration, Vec<u32>);

impl<'t> Parser<'t> {
    /// Reads an operation with a form of its own. Returns whether it is one.
    pub(super) fn special(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        name: &str,
        result: Token<'t>,
    ) -> Parsed<bool> {
        match name {
            "BitFieldInsert" | "BitFieldSExtract" | "BitFieldUExtract" => {
                self.bit_field(body, op, name, result)?
            }
            "VectorInsertDynamic" => {
                let (part, _) = (self.value(body)?, self.expect(",")?);
                let (vector, _) = (self.value(body)?, self.expect("[")?);
                let index = self.value(body)?;
                self.expect("]")?;
                self.expect(":")?;
                let ty = self.ty()?;
                self.expect(",")?;
                let index_type = self.ty()?;
                let Type::Vector(_, component) = &ty else {
                    return Err(vector.error("it is no vector"));
                };
                let component = (**component).clone();
                let types = [ty.clone(), component, index_type];
                let ids = self.all_typed(body, op, &[vector, part, index], &types)?;
                self.emit(body, op, Op::VectorInsertDynamic, result, ty, &ids)?;
            }
            "GenericCastToPtrExplicit" => {
                let values = self.operands(body)?;
                let from = self.ty()?;
                self.expect("to")?;
                let to = self.ty()?;
                let Type::Pointer(_, class) = &to else {
                    return Err(op.error("the result is no pointer"));
                };
                let class = *class;
                let mut words = self.all_typed(body, op, &values, &[from])?;
                words.push(class);
                self.emit(body, op, Op::GenericCastToPtrExplicit, result, to, &words)?;
            }
            "Image" => {
                let values = self.operands(body)?;
                let from = self.ty()?;
                let Type::SampledImage(image) = from.clone() else {
                    return Err(op.error("the operand is no sampled image"));
                };
                let ids = self.all_typed(body, op, &values, &[from])?;
                self.emit(body, op, Op::Image, result, Type::Image(image), &ids)?;
            }
            "ImageQuerySize" | "ImageDrefGather" => {
                let (values, types, to) = self.typed_list(body)?;
                let ids = self.all_typed(body, op, &values, &types)?;
                let opcode = self.opcode(op, name)?;
                self.emit(body, op, opcode, result, to, &ids)?;
            }
            "SpecConstantOperation" => {
                self.expect("wraps")?;
                let inner = self.text("the name of an operation")?;
                let (opcode, ids, to) = self.generic(body, inner)?;
                if let Some(local) = ids.iter().find(|id| !self.out.is_constant(**id)) {
                    return Err(inner.error(format!("the operand with the id {local} is no constant")));
                }
                let words = [&[opcode as u32][..], &ids].concat();
                let id = self.out.constant(&to, Op::SpecConstantOp, words);
                self.alias(body, result, id, to)?;
            }
            _ => {
                return Ok(self.product(body, op, name, result)?
                    || self.compare_exchange(body, op, name, result)?
                    || self.group(body, op, name, result)?);
            }
        }
        Ok(true)
    }

    /// Reads a product of vectors and matrices. Returns whether it is one.
    fn product(&mut self, body: &mut Body<'t>, op: Token<'t>, name: &str, result: Token<'t>) -> Parsed<bool> {
        match name {
            "VectorTimesScalar" => {
                let values = self.operands(body)?;
                let (types, to) = self.signature()?;
                let ids = self.all_typed(body, op, &values, &types)?;
                self.emit(body, op, Op::VectorTimesScalar, result, to, &ids)?;
            }
            "MatrixTimesScalar" => {
                let values = self.operands(body)?;
                let ty = self.ty()?;
                self.expect(",")?;
                let scalar = self.ty()?;
                let ids = self.all_typed(body, op, &values, &[ty.clone(), scalar])?;
                self.emit(body, op, Op::MatrixTimesScalar, result, ty, &ids)?;
            }
            "MatrixTimesMatrix" | "Transpose" => {
                let values = self.operands(body)?;
                let mut types = vec![self.ty()?];
                while self.accept(",") {
                    types.push(self.ty()?);
                }
                self.expect("->")?;
                let to = self.ty()?;
                let ids = self.all_typed(body, op, &values, &types)?;
                let opcode = self.opcode(op, name)?;
                self.emit(body, op, opcode, result, to, &ids)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads an atomic operation with a form of its own. Returns whether it is one.
    fn compare_exchange(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        name: &str,
        result: Token<'t>,
    ) -> Parsed<bool> {
        match name {
            "EXT.AtomicFAdd" => {
                let scope = self.bracketed(OperandKind::Scope)?;
                let semantics = self.bracketed(OperandKind::MemorySemantics)?;
                let values = self.operands(body)?;
                let ty = self.ty()?;
                let Type::Pointer(pointee, _) = &ty else {
                    return Err(op.error("the type of the pointer is no pointer"));
                };
                let to = (**pointee).clone();
                let ids = self.all_typed(body, op, &values, &[ty, to.clone()])?;
                let words = [ids[0], scope, semantics, ids[1]];
                self.emit(body, op, Op::AtomicFAddEXT, result, to, &words)?;
            }
            "AtomicCompareExchange" | "AtomicCompareExchangeWeak" => {
                let scope = self.bracketed(OperandKind::Scope)?;
                let equal = self.bracketed(OperandKind::MemorySemantics)?;
                let unequal = self.bracketed(OperandKind::MemorySemantics)?;
                let values = self.operands(body)?;
                let ty = self.ty()?;
                let Type::Pointer(pointee, _) = &ty else {
                    return Err(op.error("the type of the pointer is no pointer"));
                };
                let to = (**pointee).clone();
                let ids = self.all_typed(body, op, &values, &[ty, to.clone(), to.clone()])?;
                let words = [ids[0], scope, equal, unequal, ids[1], ids[2]];
                let opcode = self.opcode(op, name)?;
                self.emit(body, op, opcode, result, to, &words)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads an operation in the generic form, after its name in quotation marks: `"spirv.IAdd"(%a, %b) : (i32, i32) -> i32`.
    pub(super) fn generic_operation(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        result: Token<'t>,
    ) -> Parsed<()> {
        let (opcode, ids, to) = self.generic(body, op)?;
        self.emit(body, op, opcode, result, to, &ids)
    }

    /// Reads the operands and types of the generic form. Returns the instruction, its operands and the type of its result.
    fn generic(&mut self, body: &mut Body<'t>, op: Token<'t>) -> Parsed<(Op, Vec<u32>, Type)> {
        let name = op.text.strip_prefix("spirv.").filter(|n| ops::form(n).is_some());
        let name =
            name.ok_or_else(|| op.error(format!("{} is not implemented in the generic form", op.shown())))?;
        self.expect("(")?;
        let mut values = vec![self.value(body)?];
        while self.accept(",") {
            values.push(self.value(body)?);
        }
        self.expect(")")?;
        self.pending = self.attributes()?;
        self.expect(":")?;
        let (types, to) = self.signature()?;
        let ids = self.all_typed(body, op, &values, &types)?;
        let opcode = self.opcode(op, name)?;
        let instruction = grammar::by_name(name).ok_or_else(|| op.error("no such instruction"))?;
        let wanted = instruction
            .operands
            .iter()
            .filter(|o| o.kind == OperandKind::IdRef);
        match wanted.count() {
            n if n == ids.len() => Ok((opcode, ids, to)),
            n => Err(op.error(format!("{} has {n} operands, not {}", op.text, ids.len()))),
        }
    }

    fn opcode(&self, op: Token<'t>, name: &str) -> Parsed<Op> {
        let found = grammar::by_name(name).map(|i| i.opcode);
        found.ok_or_else(|| op.error("no such instruction"))
    }

    /// Reads `(i32, i32) -> i32`.
    fn signature(&mut self) -> Parsed<(Vec<Type>, Type)> {
        self.expect("(")?;
        let mut types = vec![self.ty()?];
        while self.accept(",") {
            types.push(self.ty()?);
        }
        self.expect(")")?;
        self.expect("->")?;
        Ok((types, self.ty()?))
    }

    /// Reads `%a : T, %b : U -> R`.
    pub(super) fn typed_list(&mut self, body: &mut Body<'t>) -> Parsed<(Vec<Token<'t>>, Vec<Type>, Type)> {
        let (mut values, mut types) = (Vec::new(), Vec::new());
        loop {
            values.push(self.value(body)?);
            self.expect(":")?;
            types.push(self.ty()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect("->")?;
        Ok((values, types, self.ty()?))
    }

    fn all_typed(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        values: &[Token<'t>],
        types: &[Type],
    ) -> Parsed<Vec<u32>> {
        if values.len() != types.len() {
            let message = format!("it has {} operands, not {}", types.len(), values.len());
            return Err(op.error(message));
        }
        let pairs = values.iter().zip(types);
        pairs.map(|(value, ty)| self.typed(body, *value, ty)).collect()
    }

    /// Appends an instruction with a result, which gets the pending decorations.
    pub(super) fn emit(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        opcode: Op,
        result: Token<'t>,
        ty: Type,
        operands: &[u32],
    ) -> Parsed<()> {
        let to = self.out.ty(&ty);
        let id = self.define(body, result, ty)?;
        self.decorate_pending(id);
        body.put(op, opcode, &[&[to, id][..], operands].concat())
    }

    /// Gives an id the decorations that an operation has stated.
    pub(super) fn decorate_pending(&mut self, id: u32) {
        for (decoration, operands) in std::mem::take(&mut self.pending) {
            self.out.decorate(id, decoration, &operands);
        }
    }

    fn bit_field(&mut self, body: &mut Body<'t>, op: Token<'t>, name: &str, result: Token<'t>) -> Parsed<()> {
        let values = self.operands(body)?;
        let ty = self.ty()?;
        self.expect(",")?;
        let offset = self.ty()?;
        self.expect(",")?;
        let count = self.ty()?;
        let mut types = vec![ty.clone()];
        if name == "BitFieldInsert" {
            types.push(ty.clone());
        }
        types.extend([offset, count]);
        let ids = self.all_typed(body, op, &values, &types)?;
        let opcode = self.opcode(op, name)?;
        self.emit(body, op, opcode, result, ty, &ids)
    }

    /// Reads an operation of groups of work-items. Returns whether it is one.
    fn group(&mut self, body: &mut Body<'t>, op: Token<'t>, name: &str, result: Token<'t>) -> Parsed<bool> {
        let vendor = name.split_once('.');
        let instruction = match vendor {
            Some((vendor @ ("KHR" | "INTEL"), own)) => format!("{own}{vendor}"),
            _ => name.to_owned(),
        };
        match name {
            "KHR.SubgroupBallot" | "GroupNonUniformBallot" => {
                let scope = match name {
                    "GroupNonUniformBallot" => Some(self.bracketed(OperandKind::Scope)?),
                    _ => None,
                };
                let values = self.operands(body)?;
                let to = self.ty()?;
                let predicate = self.all_typed(body, op, &values, &[Type::Bool])?;
                let words: Vec<u32> = scope.into_iter().chain(predicate).collect();
                let opcode = self.opcode(op, &instruction)?;
                self.emit(body, op, opcode, result, to, &words)?;
            }
            "INTEL.SubgroupBlockRead" => {
                let (class, pointer) = self.pointer(body)?;
                self.expect(":")?;
                let ty = self.ty()?;
                let from = self.typed(body, pointer, &Type::Pointer(Box::new(ty.component()), class))?;
                let opcode = self.opcode(op, &instruction)?;
                self.emit(body, op, opcode, result, ty, &[from])?;
            }
            "GroupNonUniformElect" => {
                let scope = self.bracketed(OperandKind::Scope)?;
                self.expect(":")?;
                let to = self.ty()?;
                self.emit(body, op, Op::GroupNonUniformElect, result, to, &[scope])?;
            }
            "GroupBroadcast"
            | "GroupNonUniformBroadcast"
            | "GroupNonUniformShuffle"
            | "GroupNonUniformShuffleXor"
            | "GroupNonUniformShuffleUp"
            | "GroupNonUniformShuffleDown" => {
                let scope = self.bracketed(OperandKind::Scope)?;
                let values = self.operands(body)?;
                let ty = self.ty()?;
                self.expect(",")?;
                let from = self.ty()?;
                let ids = self.all_typed(body, op, &values, &[ty.clone(), from])?;
                let opcode = self.opcode(op, name)?;
                self.emit(body, op, opcode, result, ty, &[&[scope][..], &ids].concat())?;
            }
            _ => {
                let joins = [
                    "IAdd", "FAdd", "IMul", "FMul", "SMin", "UMin", "FMin", "SMax", "UMax", "FMax",
                ];
                let bare = name.strip_prefix("KHR.").unwrap_or(name);
                let own = bare
                    .strip_prefix("GroupNonUniform")
                    .or_else(|| bare.strip_prefix("Group"));
                if !own.is_some_and(|own| joins.contains(&own)) {
                    return Ok(false);
                }
                let scope = self.bracketed(OperandKind::Scope)?;
                let how = self.enumerant(OperandKind::GroupOperation)?;
                let value = self.value(body)?;
                let mut size = None;
                if self.accept("cluster_size") {
                    self.expect("(")?;
                    size = Some(self.value(body)?);
                    self.expect(")")?;
                }
                self.expect(":")?;
                let ty = self.ty()?;
                let mut words = vec![scope, how, self.typed(body, value, &ty)?];
                if let Some(size) = size {
                    words.push(self.typed(body, size, &Type::Int(32, false))?);
                }
                let opcode = self.opcode(op, &instruction)?;
                self.emit(body, op, opcode, result, ty, &words)?;
            }
        }
        Ok(true)
    }

    /// Reads `spirv.INTEL.SubgroupBlockWrite` after its name.
    pub(super) fn block_write(&mut self, body: &mut Body<'t>, op: Token<'t>) -> Parsed<()> {
        let (class, pointer) = self.pointer(body)?;
        self.expect(",")?;
        let value = self.value(body)?;
        self.expect(":")?;
        let ty = self.ty()?;
        let to = self.typed(body, pointer, &Type::Pointer(Box::new(ty.component()), class))?;
        let value = self.typed(body, value, &ty)?;
        body.put(op, Op::SubgroupBlockWriteINTEL, &[to, value])
    }

    /// Reads `spirv.CopyMemory` after its name.
    pub(super) fn copy_memory(&mut self, body: &mut Body<'t>, op: Token<'t>) -> Parsed<()> {
        let (to_class, to) = self.pointer(body)?;
        self.expect(",")?;
        let (from_class, from) = self.pointer(body)?;
        let mut access = self.access()?;
        if self.accept(",") {
            access.extend(self.access()?);
        }
        self.expect(":")?;
        let ty = self.ty()?;
        let to = self.typed(body, to, &Type::Pointer(Box::new(ty.clone()), to_class))?;
        let from = self.typed(body, from, &Type::Pointer(Box::new(ty), from_class))?;
        body.put(op, Op::CopyMemory, &[&[to, from][..], &access].concat())
    }

    /// Reads `<Reduce>` or `"Reduce"`. Returns its value.
    fn enumerant(&mut self, kind: OperandKind) -> Parsed<u32> {
        match self.accept("<") {
            true => {
                let token = self.next();
                let value = self.value_of(kind, token)?;
                self.expect(">")?;
                Ok(value)
            }
            false => {
                let token = self.text("a name")?;
                self.value_of(kind, token)
            }
        }
    }

    /// Reads `{no_signed_wrap, location = 0 : i32}`, if it is there: decorations, whose names are in lower case, or as
    /// SPIR-V writes them with `: unit`.
    pub(super) fn attributes(&mut self) -> Parsed<Vec<Attribute>> {
        let mut list = Vec::new();
        if !self.accept("{") {
            return Ok(list);
        }
        while !self.accept("}") {
            let name = self.next();
            let found = grammar::value(OperandKind::Decoration, name.text);
            let found = found.or_else(|| grammar::value(OperandKind::Decoration, &camel(name.text)));
            let decoration = found.and_then(Decoration::from_u32);
            let decoration = decoration.filter(|_| name.kind == Kind::Word);
            let decoration =
                decoration.ok_or_else(|| name.error(format!("{} is no decoration", name.shown())))?;
            let mut operands = Vec::new();
            if decoration == Decoration::LinkageAttributes {
                operands = self.linkage()?;
            } else if self.accept("=") {
                operands = self.attribute_value(decoration)?;
            }
            if self.accept(":") && !self.accept("unit") {
                self.ty()?;
            }
            let wanted = usize::from(takes_number(decoration));
            if operands.len() != wanted && decoration != Decoration::LinkageAttributes {
                return Err(name.error(format!("{} has {wanted} values", name.text)));
            }
            list.push((decoration, operands));
            if !self.accept(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(list)
    }

    fn attribute_value(&mut self, decoration: Decoration) -> Parsed<Vec<u32>> {
        if decoration == Decoration::BuiltIn {
            let name = self.text("a built-in variable")?;
            let value = self.value_of(OperandKind::BuiltIn, name)?;
            debug_assert!(BuiltIn::from_u32(value).is_some());
            return Ok(vec![value]);
        }
        if !takes_number(decoration) {
            return Err(self
                .peek()
                .error(format!("values of {decoration:?} are not implemented")));
        }
        Ok(vec![self.integer()?])
    }

    /// Reads `= #spirv.linkage_attributes<linkage_name = foo, linkage_type = <Import>>`.
    fn linkage(&mut self) -> Parsed<Vec<u32>> {
        for text in ["=", "#spirv.linkage_attributes", "<", "linkage_name", "="] {
            self.expect(text)?;
        }
        let name = self.next();
        for text in [",", "linkage_type", "=", "<"] {
            self.expect(text)?;
        }
        let kind = self.next();
        let kind = self.value_of(OperandKind::LinkageType, kind)?;
        self.expect(">")?;
        self.expect(">")?;
        Ok([string(name.text), vec![kind]].concat())
    }

    /// Reads a constant `dense<…> : tensor<…> : TYPE` after `dense`, or of a vector type alone.
    pub(super) fn dense(&mut self, at: Token<'t>) -> Parsed<(u32, Type)> {
        self.expect("<")?;
        let mut list = Vec::new();
        self.nested(|p| p.dense_numbers(&mut list))?;
        self.expect(">")?;
        self.expect(":")?;
        if self.accept("tensor") {
            self.expect("<")?;
            while !self.accept(">") {
                if self.next().kind == Kind::End {
                    return Err(at.error("the type has no end"));
                }
            }
            self.expect(":")?;
        }
        let ty = self.ty()?;
        if !matches!(ty, Type::Vector(..) | Type::Array(..)) {
            return Err(at.error("'dense' constants are implemented for vectors and arrays"));
        }
        let all = list.len();
        let mut numbers = list.iter().copied().cycle();
        let mut taken = 0;
        let id = self.nested(|p| p.dense_part(&ty, &mut numbers, &mut taken))?;
        match all == 1 || all == taken {
            true => Ok((id, ty)),
            false => Err(at.error(format!("{all} numbers for {taken} components"))),
        }
    }

    fn dense_numbers(&mut self, list: &mut Vec<Token<'t>>) -> Parsed<()> {
        if !self.accept("[") {
            list.push(self.next());
            return Ok(());
        }
        loop {
            self.nested(|p| p.dense_numbers(list))?;
            if !self.accept(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(())
    }

    fn dense_part(
        &mut self,
        ty: &Type,
        numbers: &mut impl Iterator<Item = Token<'t>>,
        taken: &mut usize,
    ) -> Parsed<u32> {
        let (n, element) = match ty {
            Type::Vector(n, element) | Type::Array(n, element, _) => (*n, element),
            _ => {
                let Some(number) = numbers.next().filter(|_| *taken < MOST_NUMBERS) else {
                    return Err(self.peek().error("the constant has too many numbers"));
                };
                *taken += 1;
                return self.scalar_constant(number, ty);
            }
        };
        if n > MOST_PARTS {
            return Err(self
                .peek()
                .error("the constant has too many parts for one instruction"));
        }
        let mut parts = Vec::new();
        for _ in 0..n {
            parts.push(self.dense_part(element, numbers, taken)?);
        }
        Ok(self.out.constant(ty, Op::ConstantComposite, parts))
    }
}

/// The most numbers of a constant.
const MOST_NUMBERS: usize = 1 << 20;

/// The most parts of a composite: the words of an instruction are counted with 16 bits.
const MOST_PARTS: u32 = 65_532;

/// Returns whether a decoration has a number.
fn takes_number(decoration: Decoration) -> bool {
    matches!(
        decoration,
        Decoration::Location
            | Decoration::Binding
            | Decoration::DescriptorSet
            | Decoration::BuiltIn
            | Decoration::Component
            | Decoration::Index
            | Decoration::Offset
            | Decoration::SpecId
            | Decoration::Alignment
            | Decoration::FPFastMathMode
            | Decoration::FPRoundingMode
    )
}

/// Returns `NoSignedWrap` for `no_signed_wrap`.
fn camel(name: &str) -> String {
    let parts = name.split('_').map(|part| {
        let mut chars = part.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(chars).collect::<String>()
    });
    parts.collect()
}
