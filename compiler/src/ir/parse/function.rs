//! Parser for functions and instructions.

use super::ParseError;
use super::lex::Tokens;
use crate::hash::HashMap;
use crate::intrinsic::{AtomicOp, MatrixMemory};
use crate::ir::MatrixAccess;
use crate::ir::names::{Named, intrinsic_from_name};
use crate::ir::{
    Access, BinOp, CastOp, CmpOp, Const, EntityRef, FpFlags, Func, Function, Global, Inst, Op, Region,
    Scalar, Storage, Ty, UnOp, Unroll, Value, ValueData, ValueDef,
};
use crate::source::Span;

type Result<T> = std::result::Result<T, ParseError>;

/// A structured instruction whose regions are being parsed.
struct Open {
    inst: Inst,
    region: Region,
    /// The case values so far.
    cases: Vec<Vec<u64>>,
}

struct FunctionParser<'a, 't> {
    t: &'a mut Tokens<'t>,
    func: Function,
    values: HashMap<u32, Value>,
    labels: HashMap<u32, Inst>,
    open: Vec<Open>,
    region: Region,
}

pub(super) fn parse(t: &mut Tokens<'_>, defined: bool) -> Result<Function> {
    let name = t.name()?;
    let func = Function::new(name, &[], None);
    let region = func.body;
    let mut p = FunctionParser {
        t,
        func,
        values: HashMap::default(),
        labels: HashMap::default(),
        open: Vec::new(),
        region,
    };
    p.header()?;
    if defined {
        p.body()?;
    }
    Ok(p.func)
}

impl<'t> FunctionParser<'_, 't> {
    fn ty(&mut self) -> Result<Ty> {
        let word = self.t.word()?;
        match Ty::from_name(word) {
            Some(ty) => Ok(ty),
            None => self.t.error(format!("'{word}' is no type")),
        }
    }

    fn define(&mut self, number: u32, value: Value) -> Result<()> {
        match self.values.insert(number, value) {
            None => Ok(()),
            Some(_) => self.t.error(format!("%v{number} is defined twice")),
        }
    }

    fn header(&mut self) -> Result<()> {
        self.t.expect('(')?;
        while !self.t.accept(')') {
            if !self.func.params.is_empty() {
                self.t.expect(',')?;
            }
            let number = self.t.entity("%v")?;
            self.t.expect(':')?;
            let ty = self.ty()?;
            let def = ValueDef::Param(self.func.params.len() as u32);
            let value = self.func.values.push(ValueData { ty, def });
            self.func.params.push(value);
            self.define(number, value)?;
        }
        if self.t.accept_word("->") {
            loop {
                let ty = self.ty()?;
                self.func.results.push(ty);
                if !self.t.accept(',') {
                    break;
                }
            }
        }
        Ok(())
    }

    fn body(&mut self) -> Result<()> {
        self.t.expect('{')?;
        loop {
            if !self.t.accept('}') {
                self.inst()?;
            } else if self.open.is_empty() {
                return Ok(());
            } else {
                self.close()?;
            }
        }
    }

    /// Handles the closing brace of a region of the innermost open instruction.
    fn close(&mut self) -> Result<()> {
        let Some(mut open) = self.open.pop() else {
            return Ok(());
        };
        let inst = open.inst;
        let next = match self.func.insts[inst].op.clone() {
            Op::If if self.func.insts[inst].regions.len() == 1 => {
                self.t.expect_word("else")?;
                self.t.expect('{')?;
                true
            }
            Op::Switch(_) if self.func.insts[inst].regions.len() <= open.cases.len() => {
                self.case(&mut open)?;
                true
            }
            _ => false,
        };
        if next {
            self.region = self.func.new_region(&[]);
            self.func.insts[inst].regions.push(self.region);
            self.open.push(open);
        } else {
            if let Op::Switch(cases) = &mut self.func.insts[inst].op {
                *cases = open.cases;
            }
            self.region = open.region;
        }
        Ok(())
    }

    /// Parses `case 1, 2:` or `default:`.
    fn case(&mut self, open: &mut Open) -> Result<()> {
        if !self.t.accept_word("default") {
            self.t.expect_word("case")?;
            let mut values = vec![self.t.u64()?];
            while self.t.accept(',') {
                values.push(self.t.u64()?);
            }
            open.cases.push(values);
        }
        self.t.expect(':')
    }

    fn inst(&mut self) -> Result<()> {
        let mut results: Vec<(u32, Ty)> = Vec::new();
        if self.t.peek_word().is_some_and(|w| w.starts_with("%v")) {
            loop {
                let number = self.t.entity("%v")?;
                self.t.expect(':')?;
                let ty = self.ty()?;
                results.push((number, ty));
                if !self.t.accept(',') {
                    break;
                }
            }
            self.t.expect('=')?;
        }
        let word = self.t.word()?;
        if let "block" | "loop" | "if" | "switch" = word {
            return self.structured(word, results);
        }
        let op = self.op(word)?;
        let mut fp = FpFlags::default();
        let mut no_wrap = false;
        if self.t.more_on_line() {
            fp.contract = self.t.accept_word("contract");
            fp.finite = self.t.accept_word("finite");
            fp.no_signed_zeros = self.t.accept_word("no_signed_zeros");
            fp.fast = self.t.accept_word("fast");
            fp.loose = self.t.accept_word("loose");
            no_wrap = self.t.accept_word("no_wrap");
        }
        let args = self.operands()?;
        let inst = self.new_inst(op, args, results)?;
        self.func.insts[inst].fp = fp;
        self.func.insts[inst].no_wrap = no_wrap;
        Ok(())
    }

    fn new_inst(&mut self, op: Op, args: Vec<Value>, results: Vec<(u32, Ty)>) -> Result<Inst> {
        let inst = self.func.new_inst(op, args, &[], Span::NONE);
        self.func.regions[self.region].insts.push(inst);
        for (number, ty) in results {
            let value = self.func.add_result(inst, ty);
            self.define(number, value)?;
        }
        Ok(inst)
    }

    fn structured(&mut self, word: &str, results: Vec<(u32, Ty)>) -> Result<()> {
        let label = self.t.entity("^b")?;
        let mut open = Open {
            inst: Inst(0),
            region: self.region,
            cases: Vec::new(),
        };
        let mut args = Vec::new();
        let mut region_args = Vec::new();
        let mut unroll = Unroll::default();
        let op = match word {
            "loop" => {
                unroll = self.unroll()?;
                self.t.expect('(')?;
                while !self.t.accept(')') {
                    if !args.is_empty() {
                        self.t.expect(',')?;
                    }
                    let number = self.t.entity("%v")?;
                    self.t.expect(':')?;
                    region_args.push((number, self.ty()?));
                    self.t.expect('=')?;
                    args.push(self.operand()?);
                }
                Op::Loop
            }
            "block" => Op::Block,
            "if" => Op::If,
            _ => Op::Switch(Vec::new()),
        };
        if matches!(op, Op::If | Op::Switch(_)) {
            args.push(self.operand()?);
        }
        self.t.expect('{')?;
        if matches!(op, Op::Switch(_)) {
            self.case(&mut open)?;
        }
        open.inst = self.new_inst(op, args, results)?;
        self.func.insts[open.inst].unroll = unroll;
        if self.labels.insert(label, open.inst).is_some() {
            return self.t.error(format!("^b{label} is used twice"));
        }
        self.region = self.func.new_region(&[]);
        self.func.insts[open.inst].regions.push(self.region);
        for (number, ty) in region_args {
            let value = self.func.add_region_arg(self.region, ty);
            self.define(number, value)?;
        }
        self.open.push(open);
        Ok(())
    }

    fn unroll(&mut self) -> Result<Unroll> {
        if !self.t.accept_word("unroll") {
            return Ok(Unroll::Unsaid);
        }
        if self.t.accept_word("never") {
            return Ok(Unroll::Never);
        }
        if self.t.accept_word("full") {
            return Ok(Unroll::Full);
        }
        if self.t.accept_word("done") {
            return Ok(Unroll::Done);
        }
        Ok(Unroll::By(self.t.u32()?))
    }

    fn label(&mut self) -> Result<Inst> {
        let number = self.t.entity("^b")?;
        match self.labels.get(&number) {
            Some(&inst) => Ok(inst),
            None => self.t.error(format!("there is no ^b{number} yet")),
        }
    }

    fn access(&mut self) -> Result<Access> {
        Ok(Access {
            align: self.t.u32_after("align")?,
            volatile: self.t.accept_word("volatile"),
        })
    }

    fn storage(&mut self) -> Result<Storage> {
        let word = self.t.word()?;
        match Storage::from_name(word) {
            Some(storage) => Ok(storage),
            None => self.t.error(format!("'{word}' is no storage")),
        }
    }

    fn lane(&mut self) -> Result<u8> {
        let n = self.t.u64()?;
        match u8::try_from(n) {
            Ok(n) => Ok(n),
            Err(_) => self.t.error("a lane number is too large"),
        }
    }

    fn op(&mut self, word: &str) -> Result<Op> {
        if let Some(op) = BinOp::from_name(word) {
            return Ok(Op::Binary(op));
        }
        if let Some(op) = UnOp::from_name(word) {
            return Ok(Op::Unary(op));
        }
        if let Some(op) = CmpOp::from_name(word) {
            return Ok(Op::Compare(op));
        }
        if let Some(op) = CastOp::from_name(word) {
            return Ok(Op::Cast(op));
        }
        Ok(match word {
            "Select" => Op::Select,
            "CompositeConstruct" => Op::Construct,
            "splat" => Op::Splat,
            "extract" => Op::Extract(self.lane()?),
            "VectorExtractDynamic" => Op::ExtractDynamic,
            "insert" => Op::Insert(self.lane()?),
            "VectorInsertDynamic" => Op::InsertDynamic,
            "VectorShuffle" => {
                self.t.expect('[')?;
                let mut mask = Vec::new();
                while !self.t.accept(']') {
                    mask.push(self.lane()?);
                }
                Op::Shuffle(mask)
            }
            "alloca" => Op::Alloca {
                size: self.t.u32_after("size")?,
                align: self.t.u32_after("align")?,
            },
            "global_addr" => Op::GlobalAddr(Global::new(self.t.entity("@g")? as usize)),
            "ptr_add" => Op::PtrAdd,
            "Load" => Op::Load(self.access()?),
            "Store" => Op::Store(self.access()?),
            "mem_cpy" => {
                let size = self.t.u32_after("size")?;
                self.t.expect_word("dst")?;
                let dst = self.access()?;
                self.t.expect_word("src")?;
                let src = self.access()?;
                Op::MemCpy { size, dst, src }
            }
            "mem_zero" => {
                let size = self.t.u32_after("size")?;
                self.t.expect_word("dst")?;
                let dst = self.access()?;
                Op::MemZero { size, dst }
            }
            "variable" => Op::Variable {
                elem: self.ty()?,
                count: self.t.u32_after("count")?,
            },
            "load_from" => Op::LoadFrom(self.storage()?, self.access()?),
            "store_to" => Op::StoreTo(self.storage()?, self.access()?),
            "atomic_on" => {
                let name = self.t.word()?;
                let Some(op) = AtomicOp::from_name(name) else {
                    return self.t.error(format!("'{name}' is no atomic operation"));
                };
                Op::AtomicOn(op, self.storage()?)
            }
            "matrix_on" => {
                let stores = match self.t.word()? {
                    "load" => false,
                    "store" => true,
                    other => return self.t.error(format!("'{other}' is neither 'load' nor 'store'")),
                };
                let name = self.t.word()?;
                let Some(memory) = MatrixMemory::from_name(name) else {
                    return self.t.error(format!("'{name}' is no layout of a matrix"));
                };
                let element = self.ty()?;
                let access = MatrixAccess {
                    stores,
                    memory,
                    element,
                };
                Op::MatrixOn(access, self.storage()?)
            }
            "call" => Op::Call(Func::new(self.t.entity("@f")? as usize)),
            "call_pure" => Op::CallPure(Func::new(self.t.entity("@f")? as usize)),
            "intrinsic" => {
                let name = self.t.word()?;
                match intrinsic_from_name(name) {
                    Some(i) => Op::Intrinsic(i),
                    None => return self.t.error(format!("'{name}' is no intrinsic")),
                }
            }
            "exit" => Op::Exit(self.label()?),
            "repeat" => Op::Repeat(self.label()?),
            "Return" => Op::Return,
            "Unreachable" => Op::Unreachable,
            other => return self.t.error(format!("'{other}' is no operation")),
        })
    }

    /// Parses the operands on the rest of the line.
    fn operands(&mut self) -> Result<Vec<Value>> {
        let mut list = Vec::new();
        if !self.t.more_on_line() {
            return Ok(list);
        }
        loop {
            list.push(self.operand()?);
            if !self.t.accept(',') {
                return Ok(list);
            }
        }
    }

    fn operand(&mut self) -> Result<Value> {
        if self.t.peek_word().is_some_and(|w| w.starts_with("%v")) {
            let number = self.t.entity("%v")?;
            return match self.values.get(&number) {
                Some(&v) => Ok(v),
                None => self.t.error(format!("%v{number} is not defined yet")),
            };
        }
        let ty = self.ty()?;
        if self.t.accept_word("undef") {
            return Ok(self.func.constant(ty, Const::Undef));
        }
        let mut lanes = Vec::new();
        if ty.lanes == 1 {
            lanes.push(self.lane_bits(ty.scalar)?);
        } else {
            self.t.expect('[')?;
            while !self.t.accept(']') {
                lanes.push(self.lane_bits(ty.scalar)?);
            }
            if lanes.len() != ty.lanes as usize {
                return self.t.error(format!("{ty} has not {} lanes", lanes.len()));
            }
        }
        Ok(self.func.constant(ty, Const::Bits(lanes)))
    }

    fn lane_bits(&mut self, scalar: Scalar) -> Result<u64> {
        // All components of a constant matrix are equal.
        let scalar = scalar.matrix().map_or(scalar, |m| m.scalar());
        let word: &'t str = self.t.word()?;
        let bits = match scalar {
            Scalar::Bool => match word {
                "true" => Some(1),
                "false" => Some(0),
                _ => None,
            },
            Scalar::F16 | Scalar::F32 | Scalar::F64 if word.starts_with("0x") => {
                u64::from_str_radix(&word[2..], 16).ok()
            }
            Scalar::F16 => None,
            Scalar::F32 => word.parse::<f32>().ok().map(|v| u64::from(v.to_bits())),
            Scalar::F64 => word.parse::<f64>().ok().map(f64::to_bits),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
                let negative = word.parse::<i64>().ok().map(|v| v as u64);
                negative.or_else(|| word.parse().ok())
            }
            Scalar::Ptr(_) | Scalar::Image | Scalar::Sampler | Scalar::Matrix(_) => word.parse().ok(),
        };
        match bits {
            Some(bits) => Ok(bits),
            None => self.t.error(format!("'{word}' is no constant {scalar}")),
        }
    }
}
