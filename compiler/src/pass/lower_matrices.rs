//! Emulates cooperative matrices: each work-item keeps its components in values, and sub-groups exchange them by shuffles.
//!
//! Why: for devices without matrices ([`Target::emulated_matrices`](crate::target::Target::emulated_matrices)).
//! In:  `Inlined`; `mem2reg` has promoted variables with matrices, except for arrays whose indices are computed
//!      (`lower_matrices/variables.rs`). A matrix whose components cannot be distributed evenly over the sub-group is an error.
//! Out: no value is a matrix. The kernel requires the size of sub-groups that the target states.
//!
//! Component n of a matrix, counted by rows, belongs to the work-item n modulo the size of the sub-group, as in the interpreter.
//! It is number n divided by that size among the work-item's components. The pass replaces matrices by these components in
//! program order, as `lower_long_vectors` does with the parts of vectors. The code becomes long: correctness matters here, and
//! not speed.

mod product;
mod variables;

use super::{Changed, Pass, PassCx, PassError};
use crate::diag::InternalError;
use crate::intrinsic::{Intrinsic, MatrixLayout, MatrixMemory, MatrixOp};
use crate::inv;
use crate::ir::rewrite::{Replaced, Rewriting};
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{
    Access, BinOp, Builder, CastOp, CmpOp, Const, Function, Inst, InstData, Matrix, Module, Op, Ty, Value,
    ValueDef,
};
use variables::Variables;

pub const PASS: Pass = Pass {
    name: "lower_matrices",
    about: "Emulates cooperative matrices by the components of each work-item and by shuffles.",
    run,
    requires: inv![Inlined, NoGeneric],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let Some(size) = cx.target.emulated_matrices else {
        return Ok(Changed::No);
    };
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !has_matrices(func) {
            continue;
        }
        lower(func, size)?;
        changed = true;
        for kernel in module.kernels.iter_mut().filter(|k| k.func == f) {
            kernel.subgroups.size = Some(size);
        }
    }
    Ok(changed.into())
}

fn has_matrices(func: &Function) -> bool {
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        if func.types_at(inst).any(|ty| ty.scalar.matrix().is_some()) {
            return true;
        }
    }
    false
}

/// A function whose matrices are being replaced.
struct Lower<'f> {
    b: Builder<'f>,
    /// The number of work-items of a sub-group.
    size: u32,
    /// The number of the work-item in its sub-group.
    lane: Value,
    /// For each matrix, the components of the work-item, once they exist.
    parts: Replaced<Vec<Value>>,
    /// Other values that are replaced.
    others: Replacements,
    /// The variables in memory.
    variables: Variables,
}

fn lower(func: &mut Function, size: u32) -> Result<(), PassError> {
    let body = func.body;
    let lane = Op::Intrinsic(Intrinsic::SubgroupLocalId);
    let lane = Builder::before(func, body, 0).value(lane, [], Ty::I32);
    let variables = Variables::new(func, size);
    let mut l = Lower {
        b: Builder::at_end(func, body),
        size,
        lane,
        variables,
        parts: Replaced::default(),
        others: Replacements::default(),
    };
    let mut rewriting = Rewriting::new(&mut l.b);
    while let Some(inst) = rewriting.next(&mut l.b) {
        l.inst(inst)?;
    }
    let mut others = l.others;
    others.apply(func);
    Ok(())
}

fn bug(message: &str) -> PassError {
    InternalError::new("lower_matrices", message).into()
}

impl Lower<'_> {
    fn matrix(&self, value: Value) -> Option<Matrix> {
        self.b.func.ty(value).scalar.matrix()
    }

    fn unsupported(&self, feature: String, needs: &str) -> PassError {
        PassError::Unsupported {
            feature,
            span: self.b.span,
            needs: needs.into(),
        }
    }

    /// Returns the number of components of each work-item.
    fn count(&self, matrix: Matrix) -> Result<u32, PassError> {
        let all = u32::from(matrix.rows) * u32::from(matrix.columns);
        if !all.is_multiple_of(self.size) {
            let what = format!(
                "an emulated cooperative matrix of {} × {}",
                matrix.rows, matrix.columns
            );
            let needs = format!("a multiple of {} components", self.size);
            return Err(self.unsupported(what, &needs));
        }
        Ok(all / self.size)
    }

    /// Returns the components of a matrix; any other value is its only part.
    fn parts(&mut self, value: Value) -> Result<Vec<Value>, PassError> {
        let Some(matrix) = self.matrix(value) else {
            return Ok(vec![self.others.get(value)]);
        };
        if let Some(parts) = self.parts.get(value) {
            return Ok(parts.clone());
        }
        let component = Ty::of(matrix.scalar());
        let part = match &self.b.func.values[value].def {
            ValueDef::Const(Const::Bits(bits)) => {
                let bits = bits.first().copied().unwrap_or(0);
                self.b.bits(component, bits)
            }
            ValueDef::Const(Const::Undef) => self.b.undef(component),
            ValueDef::Param(_) => return Err(bug("a matrix is a parameter")),
            ValueDef::Inst(..) | ValueDef::Arg(..) => {
                return Err(bug("a matrix is used before its definition"));
            }
        };
        Ok(vec![part; self.count(matrix)? as usize])
    }

    /// Rewrites one instruction.
    fn inst(&mut self, inst: Inst) -> Result<(), PassError> {
        let data = self.b.func.insts[inst].clone();
        self.b.span = data.span;
        self.b.fp = data.fp;
        if data.op.is_structured() || data.op.is_terminator() {
            return self.structured(inst);
        }
        if self.variable(inst, &data)? {
            return Ok(());
        }
        if !data
            .args
            .iter()
            .chain(&data.results)
            .any(|&v| self.matrix(v).is_some())
        {
            self.b.push(inst);
            return Ok(());
        }
        let Op::Intrinsic(Intrinsic::Matrix(op)) = data.op else {
            let what = "a cooperative matrix in a variable that is accessed in several ways, where matrices are emulated";
            return Err(self.unsupported(what.into(), "an array of matrices of one type"));
        };
        match data.results.first() {
            Some(&result) => match self.matrix(result) {
                Some(matrix) => {
                    let parts = self.value(op, &data, matrix)?;
                    self.parts.set(result, parts);
                }
                None => {
                    let value = self.number(op, &data)?;
                    self.others.set(result, value);
                }
            },
            None => self.store(op, &data)?,
        }
        Ok(())
    }

    /// Emits an operation whose result is a matrix, and returns its components.
    fn value(&mut self, op: MatrixOp, data: &InstData, to: Matrix) -> Result<Vec<Value>, PassError> {
        let component = Ty::of(to.scalar());
        let count = self.count(to)?;
        let args: Result<Vec<Vec<Value>>, PassError> = data.args.iter().map(|&a| self.parts(a)).collect();
        let args = args?;
        match op {
            MatrixOp::Load(memory) => {
                let access = access(to, memory);
                let load = |l: &mut Self, place| l.b.load(place, component, access);
                let places = self.places(to, memory, args[0][0], args[1][0], count);
                Ok(places.into_iter().map(|place| load(self, place)).collect())
            }
            MatrixOp::MultiplyAdd(signs) => self.product(signs, &data.args, to),
            MatrixOp::Fill => Ok(vec![args[0][0]; count as usize]),
            MatrixOp::Insert => {
                let mut parts = args[0].clone();
                for (n, part) in parts.iter_mut().enumerate() {
                    let here = self.is(args[2][0], n);
                    *part = self.b.select(here, args[1][0], *part);
                }
                Ok(parts)
            }
            MatrixOp::Scale => {
                let times = if to.scalar().is_float() {
                    BinOp::FMul
                } else {
                    BinOp::IMul
                };
                let scaled = args[0].iter().map(|&part| self.b.binary(times, part, args[1][0]));
                Ok(scaled.collect())
            }
            MatrixOp::Each(each) => {
                let op = Op::from(each);
                let one = |n: usize| -> Vec<Value> { args.iter().map(|parts| parts[n]).collect() };
                let results = (0..count as usize).map(|n| match op {
                    Op::Cast(cast) => self.b.cast(cast, args[0][n], component),
                    _ => self.b.value(op.clone(), one(n), component),
                });
                Ok(results.collect())
            }
            MatrixOp::Store(_) | MatrixOp::Length | MatrixOp::Extract => {
                Err(bug("not an operation with a matrix"))
            }
        }
    }

    /// Emits an operation on a matrix whose result is a number.
    fn number(&mut self, op: MatrixOp, data: &InstData) -> Result<Value, PassError> {
        let matrix = self
            .matrix(data.args[0])
            .ok_or_else(|| bug("an operand is no matrix"))?;
        match op {
            MatrixOp::Length => {
                let count = self.count(matrix)?;
                Ok(self.b.i32(count as i32))
            }
            MatrixOp::Extract => {
                let parts = self.parts(data.args[0])?;
                let index = self.others.get(data.args[1]);
                let mut found = parts[0];
                for (n, &part) in parts.iter().enumerate().skip(1) {
                    let here = self.is(index, n);
                    found = self.b.select(here, part, found);
                }
                Ok(found)
            }
            MatrixOp::Load(_)
            | MatrixOp::Store(_)
            | MatrixOp::MultiplyAdd(_)
            | MatrixOp::Fill
            | MatrixOp::Insert
            | MatrixOp::Scale
            | MatrixOp::Each(_) => Err(bug("not an operation with a number")),
        }
    }

    fn store(&mut self, op: MatrixOp, data: &InstData) -> Result<(), PassError> {
        let (MatrixOp::Store(memory), Some(matrix)) = (op, self.matrix(data.args[2])) else {
            return Err(bug("an operation without a result is no store"));
        };
        let parts = self.parts(data.args[2])?;
        let [pointer, stride] = [0, 1].map(|n| self.others.get(data.args[n]));
        let places = self.places(matrix, memory, pointer, stride, parts.len() as u32);
        for (place, part) in places.into_iter().zip(parts) {
            self.b.store(place, part, access(matrix, memory));
        }
        Ok(())
    }

    /// Emits the comparison of a number with a constant.
    fn is(&mut self, number: Value, n: usize) -> Value {
        let n = self.b.i32(n as i32);
        self.b.compare(CmpOp::IEq, number, n)
    }

    /// Emits an operation with a constant operand.
    fn with(&mut self, op: BinOp, a: Value, b: u32) -> Value {
        let b = self.b.i32(b as i32);
        self.b.binary(op, a, b)
    }

    /// Returns the row and the column of component `n` of the work-item, in a matrix with this many columns.
    fn position(&mut self, n: u32, columns: u32) -> [Value; 2] {
        let first = n * self.size;
        let lane = self.lane;
        if columns.is_multiple_of(self.size) {
            let row = self.b.i32((first / columns) as i32);
            return [row, self.with(BinOp::IAdd, lane, first % columns)];
        }
        let (row, number) = match self.size.is_multiple_of(columns) {
            true => (first / columns, lane),
            false => (0, self.with(BinOp::IAdd, lane, first)),
        };
        let more = self.with(BinOp::UDiv, number, columns);
        [
            self.with(BinOp::IAdd, more, row),
            self.with(BinOp::URem, number, columns),
        ]
    }

    /// Returns pointers to the components of the work-item in memory.
    fn places(
        &mut self,
        matrix: Matrix,
        memory: MatrixMemory,
        pointer: Value,
        stride: Value,
        count: u32,
    ) -> Vec<Value> {
        let stride = self.b.cast(CastOp::ZExt, stride, Ty::I64);
        let bytes = self.b.i64(matrix.scalar().bytes().into());
        let mut places = Vec::new();
        for n in 0..count {
            let [row, column] = self.position(n, matrix.columns.into());
            let (line, within) = match memory.layout {
                MatrixLayout::Rows => (row, column),
                MatrixLayout::Columns => (column, row),
            };
            let [line, within] = [line, within].map(|v| self.b.cast(CastOp::ZExt, v, Ty::I64));
            let line = self.b.binary(BinOp::IMul, line, stride);
            let within = self.b.binary(BinOp::IMul, within, bytes);
            let offset = self.b.binary(BinOp::IAdd, line, within);
            places.push(self.b.ptr_add(pointer, offset));
        }
        places
    }

    /// Rewrites a structured instruction or a terminator: matrices become the components of the work-item.
    fn structured(&mut self, inst: Inst) -> Result<(), PassError> {
        self.b.push(inst);
        let args = std::mem::take(&mut self.b.func.insts[inst].args);
        let args: Result<Vec<Vec<Value>>, PassError> = args.into_iter().map(|a| self.parts(a)).collect();
        self.b.func.insts[inst].args = args?.into_iter().flatten().collect();
        let size = self.size;
        let parts = |ty: Ty| {
            let matrix = ty.scalar.matrix()?;
            let all = u32::from(matrix.rows) * u32::from(matrix.columns);
            Some(vec![Ty::of(matrix.scalar()); (all / size) as usize])
        };
        for (old, parts) in self.b.func.split_results(inst, &parts) {
            self.parts.set(old, parts);
        }
        Ok(())
    }
}

/// Returns how a component is accessed.
fn access(matrix: Matrix, memory: MatrixMemory) -> Access {
    Access {
        align: matrix.scalar().bytes(),
        volatile: memory.volatile,
    }
}
