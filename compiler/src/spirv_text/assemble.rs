//! Text to words.

use super::SyntaxError;
use super::grammar::{self, Instruction, Set};
use super::lex::{Kind, Token, tokens};
use super::number::{self, Number};
use crate::hash::{HashMap, HashSet};
use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{MAGIC_NUMBER, Op};

/// The largest id (SPIR-V, Universal Limits).
const MAX_ID: u32 = 0x3f_fffe;

/// The largest number of words of an instruction.
const MAX_WORDS: usize = 0xffff;

/// Assembles a text.
///
/// Ids that are numbers keep them, as with `spirv-as --preserve-numeric-ids`; names get the lowest other numbers, in
/// the order in which they appear. A word that is given as it is (`!0x…`) begins an instruction at the begin of a line,
/// and is an operand elsewhere. The version is that of a comment `; Version: 1.N` before the first instruction,
/// else `minor`.
///
/// # Errors
///
/// Fails at the first place that is not SPIR-V's text. Whether the module is valid is not checked.
pub fn assemble(text: &str, minor: u8) -> Result<Vec<u32>, SyntaxError> {
    let tokens = tokens(text)?;
    let numeric = tokens.iter().filter_map(|t| match t.kind {
        Kind::Word(word) => word.strip_prefix('%').and_then(numeric_id),
        Kind::Text(_) => None,
    });
    let mut assembler = Assembler {
        ids: Ids {
            numeric: numeric.collect(),
            names: HashMap::default(),
            next: 1,
            highest: 0,
        },
        tokens,
        at: 0,
        types: HashMap::default(),
        value_types: HashMap::default(),
        sets: HashMap::default(),
        words: Vec::new(),
    };
    let minor = stated_minor(text).unwrap_or(minor);
    let mut words = vec![MAGIC_NUMBER, 1 << 16 | u32::from(minor) << 8, 0, 0, 0];
    while assembler.at < assembler.tokens.len() {
        assembler.instruction()?;
        words.append(&mut assembler.words);
    }
    words[3] = assembler.ids.highest + 1;
    Ok(words)
}

/// Returns the minor version that the comments before the first instruction state.
fn stated_minor(text: &str) -> Option<u8> {
    let comments = text
        .lines()
        .map(str::trim)
        .take_while(|l| l.is_empty() || l.starts_with(';'));
    let mut stated = comments.filter_map(|l| l.strip_prefix("; Version: 1.")?.trim().parse().ok());
    stated.next().filter(|&minor: &u8| minor <= 6)
}

/// Returns the number of an id that is one.
fn numeric_id(name: &str) -> Option<u32> {
    let digits = name.bytes().all(|b| b.is_ascii_digit()) && !name.starts_with('0');
    name.parse().ok().filter(|&id: &u32| digits && id <= MAX_ID)
}

/// The numbers of ids.
struct Ids<'t> {
    /// The numbers that the text itself uses.
    numeric: HashSet<u32>,
    names: HashMap<&'t str, u32>,
    next: u32,
    highest: u32,
}

impl<'t> Ids<'t> {
    fn number(&mut self, name: &'t str) -> Option<u32> {
        let id = match (numeric_id(name), self.names.get(name)) {
            (Some(id), _) | (None, Some(&id)) => id,
            (None, None) => {
                while self.numeric.contains(&self.next) {
                    self.next += 1;
                }
                self.names.insert(name, self.next);
                self.next += 1;
                self.next - 1
            }
        };
        self.highest = self.highest.max(id);
        (id <= MAX_ID).then_some(id)
    }
}

struct Assembler<'t> {
    tokens: Vec<Token<'t>>,
    /// The number of the next token.
    at: usize,
    ids: Ids<'t>,
    /// The types of numbers, by id.
    types: HashMap<u32, Number>,
    /// The types of values, by id.
    value_types: HashMap<u32, u32>,
    sets: HashMap<u32, Option<Set>>,
    /// The words of the current instruction.
    words: Vec<u32>,
}

/// How an instruction's operands go on.
enum Next {
    /// As the grammar says.
    Grammar,
    /// The instruction has had a literal word, so the grammar does not say what follows.
    Unknown,
}

impl<'t> Assembler<'t> {
    fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at)
    }

    fn word_at(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at)?.kind {
            Kind::Word(word) => Some(word),
            Kind::Text(_) => None,
        }
    }

    /// Returns whether an instruction begins at the next token, or the text ends.
    fn at_end(&self) -> bool {
        let is_op = |word: &str| {
            let rest = word.strip_prefix("Op");
            rest.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        match self.word_at(self.at) {
            Some(word) if word.starts_with('!') => self.tokens[self.at].is_first,
            Some(word) if word.starts_with('%') => self.word_at(self.at + 1) == Some("="),
            Some(word) => is_op(word),
            None => self.at >= self.tokens.len(),
        }
    }

    /// Takes the next token as an operand.
    fn operand(&mut self, opcode: &Token<'t>, what: &str) -> Result<Token<'t>, SyntaxError> {
        if self.at_end() {
            return Err(opcode.error(format!("{} lacks an operand: {what}", opcode.shown())));
        }
        let token = self.tokens[self.at].clone();
        self.at += 1;
        Ok(token)
    }

    /// Reads an instruction, or a word that is given as it is.
    fn instruction(&mut self) -> Result<(), SyntaxError> {
        let first = self.tokens[self.at].clone();
        let mut result = None;
        if let Kind::Word(word) = first.kind {
            if let Some(raw) = word.strip_prefix('!') {
                self.at += 1;
                let raw = immediate(raw)
                    .ok_or_else(|| first.error(format!("'{word}' is not a word of 32 bits")))?;
                self.words.push(raw);
                return Ok(());
            }
            if word.starts_with('%') && self.word_at(self.at + 1) == Some("=") {
                result = Some(first.clone());
                self.at += 2;
            }
        }
        let Some(opcode) = self.peek().cloned() else {
            return Err(first.error("an instruction is missing after '='"));
        };
        let Kind::Word(name) = opcode.kind else {
            return Err(opcode.error(format!("expected an instruction, found {}", opcode.shown())));
        };
        self.at += 1;
        if let Some(raw) = name.strip_prefix('!') {
            // The first word is given as it is; the result is its first operand.
            let raw =
                immediate(raw).ok_or_else(|| opcode.error(format!("'{name}' is not a word of 32 bits")))?;
            self.words.push(raw);
            if let Some(result) = &result {
                let id = self.id(result)?;
                self.words.push(id);
            }
            return self.unknown_rest();
        }
        let Some(instruction) = name.strip_prefix("Op").and_then(grammar::by_name) else {
            return Err(opcode.error(format!("unknown instruction {}", opcode.shown())));
        };
        self.words.push(0);
        self.operands(instruction, &opcode, result.as_ref())?;
        if !self.at_end() {
            let token = self.tokens[self.at].clone();
            return Err(token.error(format!("{} has no operand {}", opcode.shown(), token.shown())));
        }
        if self.words.len() > MAX_WORDS {
            return Err(opcode.error("the instruction has more than 65,535 words"));
        }
        self.words[0] = (self.words.len() as u32) << 16 | instruction.opcode as u32;
        Ok(())
    }

    fn operands(
        &mut self,
        instruction: &'static Instruction,
        opcode: &Token<'t>,
        result: Option<&Token<'t>>,
    ) -> Result<(), SyntaxError> {
        let has_result = instruction
            .operands
            .iter()
            .any(|o| o.kind == OperandKind::IdResult);
        match result {
            Some(token) if !has_result => {
                return Err(token.error(format!("{} has no result", opcode.shown())));
            }
            None if has_result => {
                return Err(opcode.error(format!(
                    "{} needs a result: %id = {}",
                    opcode.shown(),
                    opcode.shown()
                )));
            }
            _ => {}
        }
        let mut ty = 0;
        for operand in instruction.operands {
            match operand.kind {
                OperandKind::IdResultType => {
                    let token = self.operand(opcode, "the result type")?;
                    ty = self.id(&token)?;
                    self.words.push(ty);
                }
                OperandKind::IdResult => {
                    if let Some(token) = result {
                        let id = self.id(token)?;
                        self.words.push(id);
                        self.value_types.insert(id, ty);
                    }
                }
                _ => {
                    if let Next::Unknown = self.repeated(operand, instruction, opcode)? {
                        return Ok(());
                    }
                }
            }
        }
        self.remember(instruction.opcode, opcode)
    }

    /// Keeps what later instructions depend on: the types of numbers.
    fn remember(&mut self, op: Op, opcode: &Token<'t>) -> Result<(), SyntaxError> {
        let ty = match (op, self.words.as_slice()) {
            (Op::TypeInt, &[_, id, width, signed]) => (id, width, Number::Int(width, signed != 0)),
            (Op::TypeFloat, &[_, id, width, ..]) => (id, width, Number::Float(width)),
            _ => return Ok(()),
        };
        let (id, width, number) = ty;
        if width > 64 {
            return Err(opcode.error(format!("a number cannot have {width} bits")));
        }
        self.types.insert(id, number);
        Ok(())
    }

    /// Reads an operand as often as the grammar allows it.
    fn repeated(
        &mut self,
        operand: &LogicalOperand,
        instruction: &'static Instruction,
        opcode: &Token<'t>,
    ) -> Result<Next, SyntaxError> {
        match operand.quantifier {
            OperandQuantifier::One => self.one(operand.kind, instruction, opcode),
            OperandQuantifier::ZeroOrOne if self.at_end() => Ok(Next::Grammar),
            OperandQuantifier::ZeroOrOne => self.one(operand.kind, instruction, opcode),
            OperandQuantifier::ZeroOrMore => {
                while !self.at_end() {
                    if let Next::Unknown = self.one(operand.kind, instruction, opcode)? {
                        return Ok(Next::Unknown);
                    }
                }
                Ok(Next::Grammar)
            }
        }
    }

    fn one(
        &mut self,
        kind: OperandKind,
        instruction: &'static Instruction,
        opcode: &Token<'t>,
    ) -> Result<Next, SyntaxError> {
        let token = self.operand(opcode, describe(kind))?;
        if let Kind::Word(word) = token.kind
            && let Some(raw) = word.strip_prefix('!')
        {
            let raw =
                immediate(raw).ok_or_else(|| token.error(format!("'{word}' is not a word of 32 bits")))?;
            self.words.push(raw);
            self.unknown_rest()?;
            return Ok(Next::Unknown);
        }
        match kind {
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => {
                self.push_id(&token)?
            }
            OperandKind::LiteralString => {
                let Kind::Text(text) = &token.kind else {
                    return Err(token.error(format!("expected a string, found {}", token.shown())));
                };
                self.push_string(text);
                if instruction.opcode == Op::ExtInstImport {
                    self.sets.insert(self.words[1], grammar::set(text));
                }
            }
            OperandKind::LiteralInteger => self.push_number(&token, Number::Int(32, false))?,
            OperandKind::LiteralFloat => self.push_number(&token, Number::Float(32))?,
            OperandKind::LiteralContextDependentNumber => {
                let ty = self.types.get(&self.words[1]).copied();
                let ty = ty.ok_or_else(|| token.error("the type of the number is not that of a number"))?;
                self.push_number(&token, ty)?;
            }
            OperandKind::LiteralExtInstInteger => return self.extended(&token, opcode),
            OperandKind::LiteralSpecConstantOpInteger => return self.constant_operation(&token, opcode),
            OperandKind::PairLiteralIntegerIdRef => {
                // Of OpSwitch, whose selector is the first operand.
                let ty = self
                    .value_types
                    .get(&self.words[1])
                    .and_then(|ty| self.types.get(ty))
                    .copied();
                self.push_number(&token, ty.unwrap_or(Number::Int(32, false)))?;
                return self.one(OperandKind::IdRef, instruction, opcode);
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.push_id(&token)?;
                return self.one(OperandKind::LiteralInteger, instruction, opcode);
            }
            OperandKind::PairIdRefIdRef => {
                self.push_id(&token)?;
                return self.one(OperandKind::IdRef, instruction, opcode);
            }
            kind => {
                let value = self.named(kind, &token)?;
                self.words.push(value);
                for parameter in grammar::parameters(kind, value) {
                    if let Next::Unknown = self.repeated(&parameter, instruction, opcode)? {
                        return Ok(Next::Unknown);
                    }
                }
            }
        }
        Ok(Next::Grammar)
    }

    /// Returns the value of an enumerant or a mask; a number may stand for it.
    fn named(&self, kind: OperandKind, token: &Token<'t>) -> Result<u32, SyntaxError> {
        let wrong = || token.error(format!("expected {}, found {}", describe(kind), token.shown()));
        let Kind::Word(word) = token.kind else {
            return Err(wrong());
        };
        let value = |name: &str| grammar::value(kind, name).ok_or_else(wrong);
        match number::encode(word, Number::Int(32, false)) {
            // A dimension's name begins with a digit, but is no number.
            Ok(words) => Ok(words[0]),
            Err(_) if grammar::is_mask(kind) => {
                word.split('|').try_fold(0, |mask, name| Ok(mask | value(name)?))
            }
            Err(_) => value(word),
        }
    }

    /// Reads the instruction's name or number of OpExtInst.
    fn extended(&mut self, token: &Token<'t>, opcode: &Token<'t>) -> Result<Next, SyntaxError> {
        let set = self.words.last().and_then(|id| self.sets.get(id)).copied();
        let Kind::Word(word) = token.kind else {
            return Err(token.error(format!(
                "expected an extended instruction, found {}",
                token.shown()
            )));
        };
        let number = match (number::encode(word, Number::Int(32, false)), set) {
            (Ok(words), _) => words[0],
            (Err(_), None) => return Err(token.error("no OpExtInstImport declares the instruction set")),
            (Err(_), Some(None)) => {
                return Err(token.error(format!(
                    "the instruction set is unknown; {} must be a number",
                    token.shown()
                )));
            }
            (Err(_), Some(Some(set))) => grammar::number_in(set, word)
                .ok_or_else(|| token.error(format!("the set has no instruction {}", token.shown())))?,
        };
        self.words.push(number);
        let found = set.flatten().and_then(|set| set.lookup_opcode(number));
        let Some(found) = found else {
            self.unknown_rest()?;
            return Ok(Next::Unknown);
        };
        let any =
            grammar::by_opcode(Op::ExtInst as u32).ok_or_else(|| opcode.error("no such instruction"))?;
        for operand in found.operands {
            if let Next::Unknown = self.repeated(operand, any, opcode)? {
                return Ok(Next::Unknown);
            }
        }
        // Some sets allow more operands than their grammar says.
        self.unknown_rest()?;
        Ok(Next::Unknown)
    }

    /// Reads the operation of OpSpecConstantOp with its operands.
    fn constant_operation(&mut self, token: &Token<'t>, opcode: &Token<'t>) -> Result<Next, SyntaxError> {
        let operation = match token.kind {
            Kind::Word(word) => grammar::by_name(word),
            Kind::Text(_) => None,
        };
        // The operation is no OpSpecConstantOp itself.
        let Some(operation) = operation.filter(|o| o.opcode != Op::SpecConstantOp) else {
            return Err(token.error(format!(
                "expected an operation without 'Op', found {}",
                token.shown()
            )));
        };
        self.words.push(operation.opcode as u32);
        let ids = [OperandKind::IdResultType, OperandKind::IdResult];
        for operand in operation.operands.iter().filter(|o| !ids.contains(&o.kind)) {
            if let Next::Unknown = self.repeated(operand, operation, opcode)? {
                return Ok(Next::Unknown);
            }
        }
        Ok(Next::Grammar)
    }

    /// Reads the operands after a literal word. The text of each operand determines its kind.
    fn unknown_rest(&mut self) -> Result<(), SyntaxError> {
        while !self.at_end() {
            let token = self.tokens[self.at].clone();
            self.at += 1;
            match &token.kind {
                Kind::Text(text) => self.push_string(text),
                Kind::Word(word) => {
                    if let Some(raw) = word.strip_prefix('!') {
                        let raw = immediate(raw);
                        let raw =
                            raw.ok_or_else(|| token.error(format!("'{word}' is not a word of 32 bits")))?;
                        self.words.push(raw);
                    } else if word.starts_with('%') {
                        self.push_id(&token)?;
                    } else if number::encode(word, Number::Int(32, false)).is_ok() {
                        self.push_number(&token, Number::Int(32, false))?;
                    } else if number::encode(word, Number::Int(32, true)).is_ok() {
                        self.push_number(&token, Number::Int(32, true))?;
                    } else {
                        self.push_number(&token, Number::Float(32))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn id(&mut self, token: &Token<'t>) -> Result<u32, SyntaxError> {
        let name = match token.kind {
            Kind::Word(word) => word.strip_prefix('%').filter(|n| !n.is_empty()),
            Kind::Text(_) => None,
        };
        let Some(name) = name else {
            return Err(token.error(format!("expected an id, found {}", token.shown())));
        };
        let id = self.ids.number(name);
        id.ok_or_else(|| token.error("there are more than 4,194,302 ids"))
    }

    fn push_id(&mut self, token: &Token<'t>) -> Result<(), SyntaxError> {
        let id = self.id(token)?;
        self.words.push(id);
        Ok(())
    }

    fn push_number(&mut self, token: &Token<'t>, ty: Number) -> Result<(), SyntaxError> {
        let Kind::Word(word) = token.kind else {
            return Err(token.error(format!("expected a number, found {}", token.shown())));
        };
        let words = number::encode(word, ty).map_err(|why| token.error(why))?;
        self.words.extend(words);
        Ok(())
    }

    fn push_string(&mut self, text: &str) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(bytes.len() / 4 * 4 + 4, 0);
        let (words, _) = bytes.as_chunks::<4>();
        self.words.extend(words.iter().map(|w| u32::from_le_bytes(*w)));
    }
}

/// Reads a word that is given as it is.
fn immediate(text: &str) -> Option<u32> {
    let words = number::encode(text, Number::Int(32, false)).ok()?;
    words.first().copied()
}

/// Returns what an operand is, for messages.
fn describe(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::IdRef | OperandKind::PairIdRefIdRef | OperandKind::PairIdRefLiteralInteger => "an id",
        OperandKind::IdScope => "the id of a scope",
        OperandKind::IdMemorySemantics => "the id of memory semantics",
        OperandKind::LiteralString => "a string",
        OperandKind::LiteralInteger | OperandKind::PairLiteralIntegerIdRef => "an integer",
        OperandKind::LiteralFloat | OperandKind::LiteralContextDependentNumber => "a number",
        OperandKind::LiteralExtInstInteger => "an extended instruction",
        OperandKind::LiteralSpecConstantOpInteger => "an operation without 'Op'",
        OperandKind::StorageClass => "a storage class",
        OperandKind::Capability => "a capability",
        OperandKind::Decoration => "a decoration",
        OperandKind::BuiltIn => "a built-in variable",
        OperandKind::ExecutionMode => "an execution mode",
        OperandKind::ExecutionModel => "an execution model",
        OperandKind::MemoryAccess => "memory operands",
        OperandKind::ImageOperands => "image operands",
        kind if grammar::is_mask(kind) => "a mask",
        kind if grammar::is_enumeration(kind) => "an enumerant",
        _ => "a number",
    }
}
