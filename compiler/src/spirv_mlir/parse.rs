//! Text to words: the module, its variables, constants, types and entry points.

use super::emit::{self, Emitter, put, string};
use super::lex::{Kind, Token, tokens};
use super::special::Attribute;
use super::types::{IMAGE_WORDS, Image, Member, Type};
use crate::hash::HashMap;
use crate::spirv_text::number::{self, Number};
use crate::spirv_text::{SyntaxError, grammar};
use rspirv::grammar::OperandKind;
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

/// The deepest nesting of types, constants and regions.
const MAX_DEPTH: usize = 64;

/// A symbol of the module.
#[derive(Clone)]
pub(super) struct Symbol {
    pub(super) id: u32,
    /// The type of a variable or constant; the types of a function are checked where it is called.
    pub(super) ty: Option<Type>,
}

pub(super) struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    pub(super) depth: usize,
    pub(super) out: Emitter,
    pub(super) symbols: HashMap<&'t str, Symbol>,
    /// The functions that are used or defined, with the token of the first use until they are defined.
    pub(super) functions: HashMap<&'t str, (u32, Option<Token<'t>>)>,
    /// The decorations of the operation that is being read.
    pub(super) pending: Vec<Attribute>,
}

pub(super) type Parsed<T> = Result<T, SyntaxError>;

/// Reads a `spirv.module` and returns SPIR-V's words.
///
/// # Errors
///
/// Fails at the first place that is not the dialect's text, breaks a rule of its structure, or is not implemented.
pub fn parse(text: &str) -> Result<Vec<u32>, SyntaxError> {
    let mut parser = Parser::new(text)?;
    let minor = parser.module()?;
    parser.expect_end()?;
    let end = parser.peek();
    let words = parser.out.words(minor);
    match emit::is_too_long(&words) {
        true => Err(end.error("an instruction of the module has more than 65,535 words")),
        false => Ok(words),
    }
}

/// Reads a type.
///
/// # Errors
///
/// Fails at the first place that is not the dialect's text.
pub fn parse_type(text: &str) -> Result<Type, SyntaxError> {
    let mut parser = Parser::new(text)?;
    let ty = parser.ty()?;
    parser.expect_end()?;
    Ok(ty)
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parsed<Parser<'t>> {
        Ok(Parser {
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
            out: Emitter::default(),
            symbols: HashMap::default(),
            functions: HashMap::default(),
            pending: Vec::new(),
        })
    }

    pub(super) fn peek(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    pub(super) fn next(&mut self) -> Token<'t> {
        let token = self.tokens[self.at];
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn is(&self, text: &str) -> bool {
        let token = self.peek();
        token.text == text && matches!(token.kind, Kind::Word | Kind::Mark)
    }

    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<Token<'t>> {
        let token = self.next();
        match token.text == text && matches!(token.kind, Kind::Word | Kind::Mark) {
            true => Ok(token),
            false => Err(token.error(format!("expected '{text}', found {}", token.shown()))),
        }
    }

    fn expect_end(&self) -> Parsed<()> {
        let token = self.peek();
        match token.kind {
            Kind::End => Ok(()),
            _ => Err(token.error(format!("expected the end, found {}", token.shown()))),
        }
    }

    /// Takes a name that begins with a character, such as `%`.
    pub(super) fn named(&mut self, first: char, what: &str) -> Parsed<Token<'t>> {
        let token = self.next();
        match token.kind == Kind::Word && token.text.starts_with(first) && token.text.len() > 1 {
            true => Ok(token),
            false => Err(token.error(format!("expected {what}, found {}", token.shown()))),
        }
    }

    pub(super) fn text(&mut self, what: &str) -> Parsed<Token<'t>> {
        let token = self.next();
        match token.kind {
            Kind::Text => Ok(token),
            _ => Err(token.error(format!(
                "expected {what} in quotation marks, found {}",
                token.shown()
            ))),
        }
    }

    /// Takes an integer without a sign.
    pub(super) fn integer(&mut self) -> Parsed<u32> {
        let token = self.next();
        let value = number::encode(token.text, Number::Int(32, false))
            .ok()
            .filter(|_| token.kind == Kind::Word);
        value
            .and_then(|w| w.first().copied())
            .ok_or_else(|| token.error(format!("expected an integer, found {}", token.shown())))
    }

    /// Returns the value of an enumerant, or of a mask with `|` between its bits.
    pub(super) fn value_of(&self, kind: OperandKind, token: Token<'t>) -> Parsed<u32> {
        let mut value = 0;
        let most = if grammar::is_mask(kind) { usize::MAX } else { 1 };
        for name in token.text.splitn(most, '|') {
            let found = grammar::value(kind, name);
            value |= found.ok_or_else(|| token.error(format!("{name} is no {kind:?}")))?;
        }
        Ok(value)
    }

    /// Reads `[a, b]` of names.
    fn names(&mut self) -> Parsed<Vec<Token<'t>>> {
        self.expect("[")?;
        let mut list = Vec::new();
        while !self.is("]") {
            let token = self.next();
            if token.kind != Kind::Word {
                return Err(token.error(format!("expected a name, found {}", token.shown())));
            }
            list.push(token);
            if !self.accept(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(list)
    }

    /// Reads the module. Returns the minor version of SPIR-V.
    fn module(&mut self) -> Parsed<u32> {
        let builtin = self.accept("module");
        if builtin {
            if self.is("attributes") {
                return Err(self
                    .peek()
                    .error("attributes of the outer module are not implemented"));
            }
            self.expect("{")?;
        }
        self.expect("spirv.module")?;
        if self.peek().text.starts_with('@') {
            self.next();
        }
        let addressing = self.next();
        let addressing = self.value_of(OperandKind::AddressingModel, addressing)?;
        let memory = self.next();
        let memory = self.value_of(OperandKind::MemoryModel, memory)?;
        put(&mut self.out.memory_model, Op::MemoryModel, &[addressing, memory]);
        if !self.is("requires") {
            return Err(self
                .peek()
                .error("a module needs 'requires #spirv.vce<…>' to be written as SPIR-V"));
        }
        self.next();
        let minor = self.requirements()?;
        if self.is("attributes") {
            return Err(self.peek().error("attributes of a module are not implemented"));
        }
        self.expect("{")?;
        while !self.accept("}") {
            self.global()?;
        }
        if builtin {
            self.expect("}")?;
        }
        let mut missing = self
            .functions
            .iter()
            .filter_map(|(name, (_, first))| Some((name, (*first)?)));
        match missing.next() {
            Some((name, token)) => Err(token.error(format!("no function {name} is defined"))),
            None => Ok(minor),
        }
    }

    /// Reads `#spirv.vce<v1.0, [capabilities], [extensions]>`.
    fn requirements(&mut self) -> Parsed<u32> {
        self.expect("#spirv.vce")?;
        self.expect("<")?;
        let version = self.next();
        let minor = version
            .text
            .strip_prefix("v1.")
            .and_then(|m| m.parse::<u32>().ok())
            .filter(|&m| m <= 6);
        let minor = minor.ok_or_else(|| version.error("expected a version from v1.0 to v1.6"))?;
        self.expect(",")?;
        for name in self.names()? {
            let capability = self.value_of(OperandKind::Capability, name)?;
            put(&mut self.out.capabilities, Op::Capability, &[capability]);
        }
        self.expect(",")?;
        for name in self.names()? {
            put(&mut self.out.extensions, Op::Extension, &string(name.text));
        }
        self.expect(">")?;
        Ok(minor)
    }

    fn global(&mut self) -> Parsed<()> {
        let op = self.next();
        match op.text {
            "spirv.func" | "func.func" => self.function(),
            "spirv.GlobalVariable" => self.variable(),
            "spirv.SpecConstant" => self.spec_constant(),
            "spirv.SpecConstantComposite" => self.spec_composite(),
            "spirv.EntryPoint" => {
                let model = self.text("an execution model")?;
                let model = self.value_of(OperandKind::ExecutionModel, model)?;
                let (name, id) = self.function_name()?;
                let mut words = vec![model, id];
                words.extend(string(&name[1..]));
                while self.accept(",") {
                    let symbol = self.symbol()?;
                    words.push(symbol.id);
                }
                put(&mut self.out.entry_points, Op::EntryPoint, &words);
                Ok(())
            }
            "spirv.ExecutionMode" => {
                let (_, id) = self.function_name()?;
                let mode = self.text("an execution mode")?;
                let mode = self.value_of(OperandKind::ExecutionMode, mode)?;
                let mut words = vec![id, mode];
                while self.accept(",") {
                    words.push(self.integer()?);
                }
                put(&mut self.out.modes, Op::ExecutionMode, &words);
                Ok(())
            }
            _ => Err(op.error(format!("{} is not implemented here", op.shown()))),
        }
    }

    /// Reads the name of a function, which may be defined later.
    pub(super) fn function_name(&mut self) -> Parsed<(&'t str, u32)> {
        let name = self.named('@', "the name of a function")?;
        if let Some((id, _)) = self.functions.get(name.text) {
            return Ok((name.text, *id));
        }
        let id = self.out.id();
        self.functions.insert(name.text, (id, Some(name)));
        Ok((name.text, id))
    }

    /// Reads the name of a variable or constant of the module.
    pub(super) fn symbol(&mut self) -> Parsed<Symbol> {
        let name = self.named('@', "the name of a variable or constant")?;
        let found = self.symbols.get(name.text).cloned();
        found.ok_or_else(|| name.error(format!("no variable or constant {} is defined before", name.text)))
    }

    fn define_symbol(&mut self, name: Token<'t>, id: u32, ty: Type) -> Parsed<()> {
        self.out.name(id, &name.text[1..]);
        let symbol = Symbol { id, ty: Some(ty) };
        match self.symbols.insert(name.text, symbol) {
            Some(_) => Err(name.error(format!("{} is defined twice", name.text))),
            None => Ok(()),
        }
    }

    fn variable(&mut self) -> Parsed<()> {
        let name = self.named('@', "the name of a variable")?;
        let id = self.out.id();
        let mut initializer = None;
        while !self.is(":") {
            if self.is("{") {
                self.pending = self.attributes()?;
                self.decorate_pending(id);
                continue;
            }
            let word = self.next();
            match word.text {
                "initializer" => {
                    self.expect("(")?;
                    initializer = Some(self.symbol()?.id);
                    self.expect(")")?;
                }
                "bind" => {
                    self.expect("(")?;
                    let set = self.integer()?;
                    self.expect(",")?;
                    let binding = self.integer()?;
                    self.expect(")")?;
                    self.out.decorate(id, Decoration::DescriptorSet, &[set]);
                    self.out.decorate(id, Decoration::Binding, &[binding]);
                }
                "built_in" => {
                    self.expect("(")?;
                    let built_in = self.text("a built-in variable")?;
                    let built_in = self.value_of(OperandKind::BuiltIn, built_in)?;
                    debug_assert!(BuiltIn::from_u32(built_in).is_some());
                    self.expect(")")?;
                    self.out.decorate(id, Decoration::BuiltIn, &[built_in]);
                }
                _ => return Err(word.error(format!("{} is not implemented for variables", word.shown()))),
            }
        }
        self.expect(":")?;
        let at = self.peek();
        let ty = self.ty()?;
        let Type::Pointer(_, class) = ty else {
            return Err(at.error("the type of a variable is a pointer"));
        };
        if class == StorageClass::Function as u32 {
            return Err(at.error("a variable of the module cannot have the storage class Function"));
        }
        let result = self.out.ty(&ty);
        let operands: Vec<u32> = [result, id, class].into_iter().chain(initializer).collect();
        put(&mut self.out.globals, Op::Variable, &operands);
        self.define_symbol(name, id, ty)
    }

    fn spec_constant(&mut self) -> Parsed<()> {
        let name = self.named('@', "the name of a constant")?;
        let id = self.out.id();
        if self.accept("spec_id") {
            self.expect("(")?;
            let number = self.integer()?;
            self.expect(")")?;
            self.out.decorate(id, Decoration::SpecId, &[number]);
        }
        self.expect("=")?;
        let value = self.next();
        let (op, ty, words) = match value.text {
            "true" => (Op::SpecConstantTrue, Type::Bool, vec![]),
            "false" => (Op::SpecConstantFalse, Type::Bool, vec![]),
            _ => {
                self.expect(":")?;
                let ty = self.ty()?;
                let words = scalar(value, &ty)?;
                (Op::SpecConstant, ty, words)
            }
        };
        let result = self.out.ty(&ty);
        put(&mut self.out.globals, op, &[&[result, id][..], &words].concat());
        self.out.constant_ids.insert(id);
        self.define_symbol(name, id, ty)
    }

    fn spec_composite(&mut self) -> Parsed<()> {
        let name = self.named('@', "the name of a constant")?;
        self.expect("(")?;
        let mut parts = Vec::new();
        while !self.is(")") {
            parts.push(self.symbol()?.id);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        self.expect(":")?;
        let ty = self.ty()?;
        let (result, id) = (self.out.ty(&ty), self.out.id());
        put(
            &mut self.out.globals,
            Op::SpecConstantComposite,
            &[&[result, id][..], &parts].concat(),
        );
        self.out.constant_ids.insert(id);
        self.define_symbol(name, id, ty)
    }

    /// Runs a step that may contain itself.
    pub(super) fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.peek().error("nested too deeply"));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// Reads a constant: its value, then `:` and its type unless it is a Boolean. Returns its id and its type.
    pub(super) fn constant(&mut self) -> Parsed<(u32, Type)> {
        let value = self.next();
        match value.text {
            "true" | "false" if !self.is(":") => {
                let op = if value.text == "true" {
                    Op::ConstantTrue
                } else {
                    Op::ConstantFalse
                };
                Ok((self.out.constant(&Type::Bool, op, vec![]), Type::Bool))
            }
            "dense" => self.dense(value),
            "[" => {
                let mut parts = Vec::new();
                while !self.is("]") {
                    parts.push(self.nested(Self::constant)?.0);
                    if !self.accept(",") {
                        break;
                    }
                }
                self.expect("]")?;
                self.expect(":")?;
                let at = self.peek();
                let ty = self.ty()?;
                match &ty {
                    Type::Array(n, ..) if *n as usize == parts.len() => {}
                    _ => {
                        return Err(at.error(format!("not the type of an array of {} elements", parts.len())));
                    }
                }
                Ok((self.out.constant(&ty, Op::ConstantComposite, parts), ty))
            }
            _ => {
                self.expect(":")?;
                let ty = self.ty()?;
                Ok((self.scalar_constant(value, &ty)?, ty))
            }
        }
    }

    pub(super) fn scalar_constant(&mut self, value: Token<'t>, ty: &Type) -> Parsed<u32> {
        match (ty, value.text) {
            (Type::Bool, "true") => Ok(self.out.constant(ty, Op::ConstantTrue, vec![])),
            (Type::Bool, "false") => Ok(self.out.constant(ty, Op::ConstantFalse, vec![])),
            _ => {
                let words = scalar(value, ty)?;
                Ok(self.out.constant(ty, Op::Constant, words))
            }
        }
    }

    /// Reads a type.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(Self::type_inside)
    }

    fn type_inside(&mut self) -> Parsed<Type> {
        let token = self.next();
        let unknown = || token.error(format!("expected a type, found {}", token.shown()));
        Ok(match token.text {
            "none" => Type::Void,
            "i1" => Type::Bool,
            "vector" => {
                self.expect("<")?;
                let (n, element) = self.counted()?;
                self.expect(">")?;
                if !matches!(element, Type::Bool | Type::Int(..) | Type::Float(_)) || n == 0 {
                    return Err(token.error("the components of a vector are numbers or Booleans"));
                }
                Type::Vector(n, Box::new(element))
            }
            "!spirv.matrix" => {
                self.expect("<")?;
                let (n, column) = self.counted()?;
                self.expect(">")?;
                if !matches!(column, Type::Vector(..)) || !(2..=4).contains(&n) {
                    return Err(token.error("a matrix has 2 to 4 vectors"));
                }
                Type::Matrix(n, Box::new(column))
            }
            "!spirv.array" => {
                self.expect("<")?;
                let (n, element) = self.counted()?;
                let stride = self.stride()?;
                Type::Array(n, Box::new(element), stride)
            }
            "!spirv.rtarray" => {
                self.expect("<")?;
                let element = self.ty()?;
                let stride = self.stride()?;
                Type::RuntimeArray(Box::new(element), stride)
            }
            "!spirv.struct" => self.struct_type()?,
            "!spirv.ptr" => {
                self.expect("<")?;
                let pointee = self.ty()?;
                self.expect(",")?;
                let class = self.next();
                let class = self.value_of(OperandKind::StorageClass, class)?;
                self.expect(">")?;
                Type::Pointer(Box::new(pointee), class)
            }
            "!spirv.image" => Type::Image(Box::new(self.image()?)),
            "!spirv.sampled_image" => {
                self.expect("<")?;
                self.expect("!spirv.image")?;
                let image = self.image()?;
                self.expect(">")?;
                Type::SampledImage(Box::new(image))
            }
            text => {
                let split = text.find(|c: char| c.is_ascii_digit()).ok_or_else(unknown)?;
                let bits: u32 = text[split..].parse().map_err(|_| unknown())?;
                match &text[..split] {
                    "i" | "ui" if matches!(bits, 8 | 16 | 32 | 64) => Type::Int(bits, false),
                    "si" if matches!(bits, 8 | 16 | 32 | 64) => Type::Int(bits, true),
                    "f" if matches!(bits, 16 | 32 | 64) => Type::Float(bits),
                    _ => return Err(unknown()),
                }
            }
        })
    }

    /// Reads `4 x i32` or `4xi32`.
    fn counted(&mut self) -> Parsed<(u32, Type)> {
        let token = self.peek();
        let (digits, rest) = token.text.split_once('x').unwrap_or((token.text, ""));
        let n = digits
            .parse()
            .map_err(|_| token.error(format!("expected a number, found {}", token.shown())))?;
        if !token.text.contains('x') {
            self.next();
            let x = self.peek();
            match x.text.strip_prefix('x') {
                Some("") => {
                    self.next();
                }
                Some(rest) => self.replace(x, rest),
                None => return Err(x.error(format!("expected 'x', found {}", x.shown()))),
            }
        } else if rest.is_empty() {
            self.next();
        } else {
            self.replace(token, rest);
        }
        Ok((n, self.ty()?))
    }

    /// Replaces a token by the end of its text, which is then the next token.
    fn replace(&mut self, token: Token<'t>, rest: &'t str) {
        let skipped = token.text.len() - rest.len();
        self.tokens[self.at] = Token {
            text: rest,
            column: token.column + skipped,
            ..token
        };
    }

    /// Reads the rest of an array type: `>` or `, stride = 4>`.
    fn stride(&mut self) -> Parsed<u32> {
        let stride = match self.accept(",") {
            true => {
                self.expect("stride")?;
                self.expect("=")?;
                self.integer()?
            }
            false => 0,
        };
        self.expect(">")?;
        Ok(stride)
    }

    fn struct_type(&mut self) -> Parsed<Type> {
        self.expect("<")?;
        // The document of the dialect writes no parentheses, MLIR does.
        let parentheses = self.accept("(");
        let end = if parentheses { ")" } else { ">" };
        let mut members = Vec::new();
        while !self.is(end) {
            let ty = self.ty()?;
            let (mut offset, mut decorations, mut matrix_stride) = (None, Vec::new(), None);
            if self.accept("[") {
                while !self.is("]") {
                    let token = self.peek();
                    match token.text.bytes().all(|b| b.is_ascii_digit()) {
                        true => offset = Some(self.integer()?),
                        false if token.text == "MatrixStride" => {
                            self.next();
                            self.expect("=")?;
                            matrix_stride = Some(self.integer()?);
                        }
                        false => {
                            self.next();
                            decorations.push(self.value_of(OperandKind::Decoration, token)?);
                        }
                    }
                    if !self.accept(",") {
                        break;
                    }
                }
                self.expect("]")?;
            }
            members.push(Member {
                ty,
                offset,
                decorations,
                matrix_stride,
            });
            if !self.accept(",") {
                break;
            }
        }
        self.expect(end)?;
        if parentheses {
            self.expect(">")?;
        }
        Ok(Type::Struct(members))
    }

    fn image(&mut self) -> Parsed<Image> {
        self.expect("<")?;
        let element = self.ty()?;
        let mut operands = [0; 6];
        for (n, operand) in operands.iter_mut().enumerate() {
            self.expect(",")?;
            let token = self.next();
            *operand = match n {
                0 => {
                    // The document of the dialect writes some dimensions without the prefix, MLIR all with it.
                    let text = token.text.strip_prefix("Dim").unwrap_or(token.text);
                    self.value_of(OperandKind::Dim, Token { text, ..token })?
                }
                5 => self.value_of(OperandKind::ImageFormat, token)?,
                n => {
                    let words = IMAGE_WORDS[n - 1];
                    let found = words.iter().position(|w| *w == token.text);
                    found.ok_or_else(|| {
                        token.error(format!("expected one of {words:?}, found {}", token.shown()))
                    })? as u32
                }
            };
        }
        self.expect(">")?;
        Ok(Image { element, operands })
    }
}

/// Returns the words of a number. Those of a float may be given in hexadecimal.
fn scalar(value: Token<'_>, ty: &Type) -> Parsed<Vec<u32>> {
    let number = emit::number(ty).ok_or_else(|| value.error(format!("{ty} has no numbers")))?;
    let wrong = |why| value.error(why);
    match number {
        Number::Float(bits) if value.text.starts_with("0x") && !value.text.contains('p') => {
            number::encode(value.text, Number::Int(bits, false)).map_err(wrong)
        }
        // Numbers of types without a sign may be negative.
        Number::Int(bits, false) if value.text.starts_with('-') => {
            let mut words = number::encode(value.text, Number::Int(bits, true)).map_err(wrong)?;
            if bits < 32 {
                words[0] &= (1 << bits) - 1;
            }
            Ok(words)
        }
        number => number::encode(value.text, number).map_err(wrong),
    }
}
