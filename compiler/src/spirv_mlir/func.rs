//! Text to words: functions, with their structured regions.

use super::emit::put;
use super::lex::{Kind, Token};
use super::parse::{Parsed, Parser};
use super::types::Type;
use crate::hash::HashMap;
use rspirv::grammar::OperandKind;
use rspirv::spirv::{Decoration, LinkageType, Op};

/// A value of a function.
pub(super) struct Value<'t> {
    pub(super) id: u32,
    pub(super) ty: Option<Type>,
    /// The first use, until the value is defined.
    first_use: Option<Token<'t>>,
}

/// A block of SPIR-V.
struct Block {
    label: u32,
    words: Vec<u32>,
    /// The merge instruction and the terminator.
    end: Vec<u32>,
}

/// A branch to a block: the block that it ends, and its arguments with their types.
struct Incoming<'t> {
    from: u32,
    arguments: Vec<(u32, Type)>,
    token: Token<'t>,
}

/// The labels of a region.
#[derive(Default)]
struct Labels<'t> {
    ids: HashMap<&'t str, (u32, Option<Token<'t>>)>,
}

/// The kind of a region.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Region {
    Function,
    Selection,
    Loop,
}

/// A function that is being read.
pub(super) struct Body<'t> {
    pub(super) values: HashMap<&'t str, Value<'t>>,
    regions: Vec<Labels<'t>>,
    /// The names that each open region defines. The values of a loop or selection are not known outside of it.
    defined: Vec<Vec<&'t str>>,
    /// The controls of the loops and selections that are open.
    controls: Vec<u32>,
    blocks: Vec<Block>,
    /// The block that is open.
    current: Option<Block>,
    /// The merge instruction of the open block.
    merge: Vec<u32>,
    /// The parameters of blocks by label, and the branches to blocks.
    parameters: HashMap<u32, Vec<(u32, Type)>>,
    incoming: HashMap<u32, Vec<Incoming<'t>>>,
    pub(super) variables: Vec<u32>,
    pub(super) result: Type,
}

impl Block {
    /// Returns the labels of the blocks that may follow.
    fn targets(&self) -> &[u32] {
        let mut rest = self.end.as_slice();
        while let Some(&first) = rest.first() {
            match first & 0xffff {
                op if op == Op::Branch as u32 => return &rest[1..2],
                op if op == Op::BranchConditional as u32 => return &rest[2..4],
                _ => rest = &rest[(first >> 16) as usize..],
            }
        }
        &[]
    }
}

/// Returns blocks in an order in which each block that control reaches, except the first, follows one that leads to it. So it
/// follows its dominators, as SPIR-V demands and the dialect does not. Blocks that are in such an order keep it.
fn in_order(blocks: Vec<Block>) -> Vec<Block> {
    let numbers: HashMap<u32, usize> = blocks.iter().enumerate().map(|(n, b)| (b.label, n)).collect();
    let numbers_of = |b: &Block| -> Vec<usize> {
        let targets = b.targets().iter();
        targets.filter_map(|label| numbers.get(label).copied()).collect()
    };
    // The blocks that control reaches, each after one that leads to it.
    let mut path = Vec::new();
    let mut is_reached = vec![false; blocks.len()];
    let mut stack = vec![0];
    while let Some(n) = stack.pop() {
        let Some(block) = blocks
            .get(n)
            .filter(|_| !std::mem::replace(&mut is_reached[n], true))
        else {
            continue;
        };
        path.push(n);
        stack.extend(numbers_of(block).into_iter().rev());
    }
    let mut is_led_to = vec![false; blocks.len()];
    let mut is_ordered = true;
    for (n, block) in blocks.iter().enumerate() {
        is_ordered &= n == 0 || is_led_to[n] || !is_reached[n];
        if is_reached[n] {
            numbers_of(block).into_iter().for_each(|to| is_led_to[to] = true);
        }
    }
    if is_ordered {
        return blocks;
    }
    let mut left: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let mut ordered: Vec<Block> = path.iter().filter_map(|&n| left[n].take()).collect();
    ordered.extend(left.into_iter().flatten());
    ordered
}

impl<'t> Body<'t> {
    /// Appends an instruction to the open block.
    pub(super) fn put(&mut self, at: Token<'_>, op: Op, operands: &[u32]) -> Parsed<()> {
        match &mut self.current {
            Some(block) => {
                put(&mut block.words, op, operands);
                Ok(())
            }
            None => Err(at.error("no operation may follow the end of a block")),
        }
    }

    /// Ends the open block.
    fn end(&mut self, at: Token<'_>, op: Op, operands: &[u32]) -> Parsed<()> {
        let Some(mut block) = self.current.take() else {
            return Err(at.error("no operation may follow the end of a block"));
        };
        block.end = std::mem::take(&mut self.merge);
        put(&mut block.end, op, operands);
        self.blocks.push(block);
        Ok(())
    }

    fn open(&mut self, label: u32) {
        self.current = Some(Block {
            label,
            words: Vec::new(),
            end: Vec::new(),
        });
    }
}

impl<'t> Parser<'t> {
    /// Reads a function after `spirv.func`.
    pub(super) fn function(&mut self) -> Parsed<()> {
        let token = self.peek();
        let (name, id) = self.function_name()?;
        match self.functions.insert(name, (id, None)) {
            Some((_, None)) => return Err(token.error(format!("{name} is defined twice"))),
            _ => self.out.name(id, &name[1..]),
        }
        let mut body = Body {
            values: HashMap::default(),
            regions: Vec::new(),
            controls: Vec::new(),
            defined: Vec::new(),
            blocks: Vec::new(),
            current: None,
            merge: Vec::new(),
            parameters: HashMap::default(),
            incoming: HashMap::default(),
            variables: Vec::new(),
            result: Type::Void,
        };
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.accept(")") {
            let name = self.named('%', "the name of a parameter")?;
            self.expect(":")?;
            let ty = self.ty()?;
            if self.peek().text == "{" {
                return Err(self.peek().error("attributes of parameters are not implemented"));
            }
            parameters.push((self.define(&mut body, name, ty.clone())?, ty));
            if !self.accept(",") {
                self.expect(")")?;
                break;
            }
        }
        if self.accept("->") {
            match self.accept("(") {
                true if self.accept(")") => {}
                true => {
                    body.result = self.ty()?;
                    self.expect(")")?;
                }
                false => body.result = self.ty()?,
            }
        }
        let control = match self.peek().kind {
            Kind::Text => {
                let token = self.next();
                self.value_of(OperandKind::FunctionControl, token)?
            }
            _ => 0,
        };
        let mut is_import = false;
        if self.accept("attributes") {
            let at = self.peek();
            for (decoration, operands) in self.attributes()? {
                if decoration != Decoration::LinkageAttributes {
                    return Err(
                        at.error("other attributes of functions than that of linkage are not implemented")
                    );
                }
                is_import = operands.last() == Some(&(LinkageType::Import as u32));
                self.out.decorate(id, decoration, &operands);
            }
        }
        let mut signature = vec![body.result.clone()];
        signature.extend(parameters.iter().map(|(_, ty)| ty.clone()));
        let ty = self.out.function_type(&signature);
        let result = self.out.ty(&body.result);
        if !is_import {
            let open = self.expect("{")?;
            let label = self.out.id();
            body.open(label);
            self.region(&mut body, Region::Function, open)?;
        }
        let mut words = Vec::new();
        put(&mut words, Op::Function, &[result, id, control, ty]);
        for (id, ty) in parameters {
            put(&mut words, Op::FunctionParameter, &[self.out.ty(&ty), id]);
        }
        self.finish(body, words)
    }

    /// Appends the blocks of a function to the module.
    fn finish(&mut self, body: Body<'t>, mut words: Vec<u32>) -> Parsed<()> {
        let mut undefined = body
            .values
            .iter()
            .filter_map(|(name, v)| Some((name, v.first_use?)));
        if let Some((name, token)) = undefined.next() {
            return Err(token.error(format!("no value {name} is defined")));
        }
        for (n, block) in in_order(body.blocks).into_iter().enumerate() {
            put(&mut words, Op::Label, &[block.label]);
            let incoming = body.incoming.get(&block.label).map_or(&[][..], Vec::as_slice);
            let parameters = body.parameters.get(&block.label).map_or(&[][..], Vec::as_slice);
            if let Some(wrong) = incoming.iter().find(|i| i.arguments.len() != parameters.len()) {
                let message = format!(
                    "the block has {} arguments, not {}",
                    parameters.len(),
                    wrong.arguments.len()
                );
                return Err(wrong.token.error(message));
            }
            for (k, (id, ty)) in parameters.iter().enumerate() {
                let mut operands = vec![self.out.ty(ty), *id];
                operands.extend(incoming.iter().flat_map(|i| [i.arguments[k].0, i.from]));
                put(&mut words, Op::Phi, &operands);
            }
            if n == 0 {
                words.extend(&body.variables);
            }
            words.extend(block.words);
            words.extend(block.end);
        }
        put(&mut words, Op::FunctionEnd, &[]);
        self.out.functions.extend(words);
        Ok(())
    }

    /// Records that a value has a type. Returns its id.
    pub(super) fn define(&mut self, body: &mut Body<'t>, name: Token<'t>, ty: Type) -> Parsed<u32> {
        let value = body.values.entry(name.text).or_insert_with(|| Value {
            id: self.out.id(),
            ty: None,
            first_use: Some(name),
        });
        if value.first_use.take().is_none() {
            return Err(name.error(format!("{} is defined twice", name.text)));
        }
        if let Some(names) = body.defined.last_mut() {
            names.push(name.text);
        }
        match &value.ty {
            Some(used) if *used != ty => Err(name.error(format!(
                "{} has the type {ty}, but is used with the type {used}",
                name.text
            ))),
            _ => {
                value.ty = Some(ty);
                Ok(value.id)
            }
        }
    }

    /// Records that a value is a constant or variable of the module.
    pub(super) fn alias(&mut self, body: &mut Body<'t>, name: Token<'t>, id: u32, ty: Type) -> Parsed<()> {
        let value = Value {
            id,
            ty: Some(ty),
            first_use: None,
        };
        if let Some(names) = body.defined.last_mut() {
            names.push(name.text);
        }
        match body.values.insert(name.text, value) {
            None => Ok(()),
            Some(v) if v.first_use.is_some() => {
                Err(name.error(format!("{} is used before this definition", name.text)))
            }
            Some(_) => Err(name.error(format!("{} is defined twice", name.text))),
        }
    }

    /// Takes the name of a value, which gets an id if it has none. Returns the token.
    pub(super) fn value(&mut self, body: &mut Body<'t>) -> Parsed<Token<'t>> {
        let name = self.named('%', "a value")?;
        let out = &mut self.out;
        body.values.entry(name.text).or_insert_with(|| Value {
            id: out.id(),
            ty: None,
            first_use: Some(name),
        });
        Ok(name)
    }

    /// Returns the id of a value that must have a type.
    pub(super) fn typed(&self, body: &mut Body<'t>, name: Token<'t>, ty: &Type) -> Parsed<u32> {
        let Some(value) = body.values.get_mut(name.text) else {
            return Err(name.error("no such value"));
        };
        match &value.ty {
            Some(known) if known != ty => Err(name.error(format!(
                "{} has the type {known}, but is used with the type {ty}",
                name.text
            ))),
            _ => {
                value.ty = Some(ty.clone());
                Ok(value.id)
            }
        }
    }

    /// Reads the operations and blocks of a region, after its `{` and with its first block open.
    fn region(&mut self, body: &mut Body<'t>, kind: Region, open: Token<'t>) -> Parsed<()> {
        body.regions.push(Labels::default());
        // For each block of the text: its label, the token of the region, and the range of SPIR-V blocks that it has become.
        let mut list = Vec::new();
        let mut first = body.current.as_ref().map_or(0, |b| b.label);
        let mut blocks_before = body.blocks.len();
        let mut merge = None;
        let mut is_first = true;
        let mut operations = 0;
        loop {
            let token = self.peek();
            let starts_block = token.kind == Kind::Word && token.text.starts_with('^');
            if starts_block || token.text == "}" && token.kind == Kind::Mark {
                if starts_block && is_first && operations == 0 && list.is_empty() && body.current.is_some() {
                    // The first block may have a name.
                    is_first = false;
                    self.next();
                    body.regions_label(token, first)?;
                    self.expect(":")?;
                    continue;
                }
                if body.current.is_some() && merge.is_none() {
                    return Err(token.error("the block before does not end with a branch or return"));
                }
                list.push((first, open, blocks_before..body.blocks.len()));
                self.next();
                if !starts_block {
                    break;
                }
                if let Some(at) = merge {
                    let at: Token<'_> = at;
                    return Err(at.error("only the last block may have a spirv.mlir.merge"));
                }
                blocks_before = body.blocks.len();
                first = self.label(body, token);
                body.regions_label(token, first)?;
                self.block_parameters(body, token, first)?;
                body.open(first);
                operations = 0;
                continue;
            }
            if token.text == "spirv.mlir.merge" {
                self.next();
                if kind == Region::Function || operations > 0 || list.is_empty() {
                    return Err(
                        token.error("spirv.mlir.merge is alone in the last block of a loop or selection")
                    );
                }
                merge = Some(token);
                continue;
            }
            if let Some(at) = merge {
                return Err(at.error("spirv.mlir.merge is alone in the last block of a loop or selection"));
            }
            operations += 1;
            is_first = false;
            self.operation(body)?;
        }
        let labels = body.regions.pop().unwrap_or_default();
        if let Some((name, (_, Some(token)))) = labels.ids.iter().find(|(_, (_, first))| first.is_some()) {
            return Err(token.error(format!("no block {name} is in this region")));
        }
        if kind == Region::Function {
            return Ok(());
        }
        if merge.is_none() {
            return Err(open.error("the last block of a loop or selection has a spirv.mlir.merge"));
        }
        self.structure(body, kind, open, &list)
    }

    /// Checks the structure of a loop or selection, whose last block is open, and adds its merge instruction.
    fn structure(
        &mut self,
        body: &mut Body<'t>,
        kind: Region,
        open: Token<'t>,
        list: &[(u32, Token<'t>, std::ops::Range<usize>)],
    ) -> Parsed<()> {
        let merge = list.last().map_or(0, |b| b.0);
        let control = body.controls.last().copied().unwrap_or(0);
        if body.parameters.contains_key(&merge) {
            return Err(open.error("the merge block has no arguments"));
        }
        if kind == Region::Selection {
            if list.len() < 2 {
                return Err(open.error("a selection has at least a header block and a merge block"));
            }
            let Some(header) = body.blocks.get_mut(list[0].2.end.wrapping_sub(1)) else {
                return Err(open.error("a selection has a header block"));
            };
            let is_branch = header
                .end
                .first()
                .is_some_and(|w| w & 0xffff == Op::BranchConditional as u32);
            if !is_branch {
                return Err(open.error("the header block of a selection ends with spirv.BranchConditional"));
            }
            let mut end = Vec::new();
            put(&mut end, Op::SelectionMerge, &[merge, control]);
            end.append(&mut header.end);
            header.end = end;
            return Ok(());
        }
        if list.len() < 4 {
            return Err(open.error("a loop has at least an entry, a header, a continue and a merge block"));
        }
        let (header, back) = (list[1].0, &list[list.len() - 2]);
        let entry = &list[0];
        // The entry block is part of the block before the loop.
        let from = body.incoming.get(&header).map_or(&[][..], Vec::as_slice);
        let inside = |range: &std::ops::Range<usize>, label: u32| {
            body.blocks[range.clone()].iter().any(|b| b.label == label)
        };
        let entry_branches = from.iter().any(|i| inside(&entry.2, i.from));
        let continues = from.iter().any(|i| inside(&back.2, i.from));
        if !entry_branches || !continues {
            return Err(open.error("the entry and the continue block of a loop branch to its header"));
        }
        if let Some(other) = from
            .iter()
            .find(|i| !inside(&entry.2, i.from) && !inside(&back.2, i.from))
        {
            let message = "only the entry and the continue block of a loop branch to its header";
            return Err(other.token.error(message));
        }
        if let Some(early) = body
            .incoming
            .get(&merge)
            .and_then(|l| l.iter().find(|i| inside(&entry.2, i.from)))
        {
            return Err(early
                .token
                .error("the entry block of a loop does not branch to its merge block"));
        }
        let back = back.0;
        let Some(header) = body.blocks.iter_mut().find(|b| b.label == header) else {
            return Err(open.error("a loop has a header block"));
        };
        let mut end = Vec::new();
        put(&mut end, Op::LoopMerge, &[merge, back, control]);
        end.append(&mut header.end);
        header.end = end;
        Ok(())
    }

    /// Reads a `spirv.mlir.selection` or `spirv.mlir.loop` after its name.
    pub(super) fn structured(&mut self, body: &mut Body<'t>, op: Token<'t>) -> Parsed<()> {
        let kind = if op.text == "spirv.mlir.loop" {
            Region::Loop
        } else {
            Region::Selection
        };
        let mut control = 0;
        if self.accept("control") {
            self.expect("(")?;
            let of = match kind {
                Region::Loop => OperandKind::LoopControl,
                _ => OperandKind::SelectionControl,
            };
            loop {
                let name = self.next();
                control |= self.value_of(of, name)?;
                if !self.accept("|") {
                    break;
                }
            }
            // The controls with higher bits have operands.
            if control > 3 {
                return Err(op.error("controls with numbers are not implemented"));
            }
            self.expect(")")?;
        }
        if body.current.is_none() {
            return Err(op.error("no operation may follow the end of a block"));
        }
        self.expect("{")?;
        if kind == Region::Selection {
            // The header is a block of its own.
            let header = self.out.id();
            body.end(op, Op::Branch, &[header])?;
            body.open(header);
        }
        body.controls.push(control);
        body.defined.push(Vec::new());
        let result = self.nested(|p| p.region(body, kind, op));
        body.controls.pop();
        for name in body.defined.pop().unwrap_or_default() {
            body.values.remove(name);
        }
        result
    }

    /// Returns the label of a block in the innermost region.
    fn label(&mut self, body: &mut Body<'t>, name: Token<'t>) -> u32 {
        let out = &mut self.out;
        let Some(labels) = body.regions.last_mut() else {
            return 0;
        };
        labels
            .ids
            .entry(name.text)
            .or_insert_with(|| (out.id(), Some(name)))
            .0
    }

    /// Reads `(%a: i32):` or `:` after a block's name.
    fn block_parameters(&mut self, body: &mut Body<'t>, _: Token<'t>, label: u32) -> Parsed<()> {
        let mut list = Vec::new();
        if self.accept("(") {
            while !self.accept(")") {
                let name = self.named('%', "the name of an argument")?;
                self.expect(":")?;
                let ty = self.ty()?;
                list.push((self.define(body, name, ty.clone())?, ty));
                if !self.accept(",") {
                    self.expect(")")?;
                    break;
                }
            }
        }
        self.expect(":")?;
        if !list.is_empty() {
            body.parameters.insert(label, list);
        }
        Ok(())
    }

    /// Reads `^block` or `^block(%a, %b : i32, i32)`. Returns the label.
    fn target(&mut self, body: &mut Body<'t>) -> Parsed<u32> {
        let name = self.named('^', "the name of a block")?;
        let label = self.label(body, name);
        let mut arguments = Vec::new();
        if self.accept("(") {
            let mut values = vec![self.value(body)?];
            while self.accept(",") {
                values.push(self.value(body)?);
            }
            self.expect(":")?;
            for (n, value) in values.into_iter().enumerate() {
                if n > 0 {
                    self.expect(",")?;
                }
                let ty = self.ty()?;
                arguments.push((self.typed(body, value, &ty)?, ty));
            }
            self.expect(")")?;
        }
        let from = body.current.as_ref().map_or(0, |b| b.label);
        body.incoming.entry(label).or_default().push(Incoming {
            from,
            arguments,
            token: name,
        });
        Ok(label)
    }

    /// Makes one of the two branches that the open block has to a block: an OpPhi has one value for each block before. Arguments
    /// that differ are selected by the condition.
    fn select_arguments(
        &mut self,
        body: &mut Body<'t>,
        op: Token<'t>,
        condition: u32,
        label: u32,
    ) -> Parsed<()> {
        let Some([.., first, second]) = body.incoming.get_mut(&label).map(Vec::as_mut_slice) else {
            return Ok(());
        };
        let others = std::mem::take(&mut second.arguments);
        if first.arguments.len() != others.len() {
            return Err(op.error("the two branches to one block have different numbers of arguments"));
        }
        let mut selections = Vec::new();
        for ((argument, ty), (other, _)) in first.arguments.iter_mut().zip(others) {
            if *argument == other {
                continue;
            }
            if !matches!(
                ty,
                Type::Bool | Type::Int(..) | Type::Float(_) | Type::Pointer(..)
            ) {
                return Err(op.error(format!(
                    "two branches to one block with different arguments of the type {ty}"
                )));
            }
            let selected = self.out.id();
            selections.push([self.out.ty(ty), selected, condition, *argument, other]);
            *argument = selected;
        }
        if let Some(list) = body.incoming.get_mut(&label) {
            list.pop();
        }
        selections
            .iter()
            .try_for_each(|words| body.put(op, Op::Select, words))
    }

    /// Reads an operation that ends a block. Returns whether it is one.
    pub(super) fn terminator(&mut self, body: &mut Body<'t>, op: Token<'t>) -> Parsed<bool> {
        match op.text {
            "spirv.Branch" => {
                let to = self.target(body)?;
                body.end(op, Op::Branch, &[to])?;
            }
            "spirv.BranchConditional" => {
                let condition = self.value(body)?;
                let mut words = vec![self.typed(body, condition, &Type::Bool)?];
                let mut weights = Vec::new();
                if self.accept("[") {
                    weights.push(self.integer()?);
                    self.expect(",")?;
                    weights.push(self.integer()?);
                    self.expect("]")?;
                }
                self.expect(",")?;
                words.push(self.target(body)?);
                self.expect(",")?;
                words.push(self.target(body)?);
                if words[1] == words[2] {
                    self.select_arguments(body, op, words[0], words[1])?;
                }
                words.extend(weights);
                body.end(op, Op::BranchConditional, &words)?;
            }
            "spirv.Return" | "return" => {
                if body.result != Type::Void {
                    return Err(op.error("the function has a result"));
                }
                body.end(op, Op::Return, &[])?;
            }
            "spirv.ReturnValue" => {
                let value = self.value(body)?;
                self.expect(":")?;
                let ty = self.ty()?;
                if ty != body.result {
                    return Err(op.error(format!("the result of the function is {}", body.result)));
                }
                let value = self.typed(body, value, &ty)?;
                body.end(op, Op::ReturnValue, &[value])?;
            }
            "spirv.Unreachable" => body.end(op, Op::Unreachable, &[])?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl<'t> Body<'t> {
    /// Records that a block of the innermost region has a label.
    fn regions_label(&mut self, name: Token<'t>, label: u32) -> Parsed<()> {
        let Some(labels) = self.regions.last_mut() else {
            return Ok(());
        };
        let entry = labels.ids.entry(name.text).or_insert((label, Some(name)));
        match entry.1.take() {
            Some(_) => Ok(()),
            None => Err(name.error(format!("{} is defined twice", name.text))),
        }
    }
}
