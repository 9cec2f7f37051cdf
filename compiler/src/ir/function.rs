//! Functions: tables of values, instructions and regions.

use super::{FpFlags, Inst, InstData, Op, Ty, Unroll, ValueList};
use crate::entity;
use crate::entity::Map;
use crate::hash::HashMap;
use crate::source::Span;

entity! {
    /// An SSA value of a function.
    Value, "v"
}
entity! {
    /// A region of a function.
    Region, "r"
}

/// A constant. Each lane holds raw bits, zero-extended to 64. A scalar has one lane, and so has a null
/// pointer, whose bits are 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Const {
    /// Undefined: any value is correct.
    Undef,
    /// The bits of each lane.
    Bits(Vec<u64>),
}

/// The definition of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ValueDef {
    /// Result number `.1` of an instruction.
    Inst(Inst, u32),
    /// Argument number `.1` of a region.
    Arg(Region, u32),
    /// Parameter of the function.
    Param(u32),
    /// A constant.
    Const(Const),
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueData {
    /// The type of the value.
    pub ty: Ty,
    /// The definition of the value.
    pub def: ValueDef,
}

/// A list of instructions; the documentation of [`crate::ir`] has the rules.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RegionData {
    /// Only loop regions have arguments.
    pub args: ValueList,
    /// The instructions, the last of which is the terminator.
    pub insts: Vec<Inst>,
}

/// The visibility of a function's name to other objects: `clLinkProgram` joins objects by names.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Linkage {
    /// Other objects may call the function and must not define it.
    #[default]
    External,
    /// `inline`: other objects may call the function and may have a definition of their own.
    Inline,
    /// `static`, and functions of the library: the name is not visible outside the object.
    Static,
}

impl Linkage {
    /// All variants.
    pub const ALL: [Linkage; 3] = [Linkage::External, Linkage::Inline, Linkage::Static];

    /// Returns the word that starts a definition in the text form.
    pub fn word(self) -> &'static str {
        match self {
            Linkage::External => "func",
            Linkage::Inline => "inline",
            Linkage::Static => "static",
        }
    }
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The name in the source.
    pub name: String,
    /// The parameters.
    pub params: Vec<Value>,
    /// The types of the results: none for void, one in OpenCL C. Functions that stay may have more
    /// (`pass/inline/by_value.rs`).
    pub results: Vec<Ty>,
    /// The visibility of the name to other objects.
    pub linkage: Linkage,
    /// The outermost region.
    pub body: Region,
    /// The table of all values.
    pub values: Map<Value, ValueData>,
    /// The table of all instructions, including those that are in no region.
    pub insts: Map<Inst, InstData>,
    /// The table of all regions, including those that no instruction owns.
    pub regions: Map<Region, RegionData>,
    /// The position in the source.
    pub span: Span,
    constants: HashMap<(Ty, Const), Value>,
}

impl Function {
    /// Creates a function with an empty body. `ret`: the type of its result; `None` for void.
    pub fn new(name: impl Into<String>, params: &[Ty], ret: Option<Ty>) -> Self {
        let mut regions = Map::default();
        let body = regions.push(RegionData::default());
        let mut f = Function {
            name: name.into(),
            params: Vec::new(),
            results: ret.into_iter().collect(),
            linkage: Linkage::External,
            body,
            values: Map::default(),
            insts: Map::default(),
            regions,
            span: Span::NONE,
            constants: HashMap::default(),
        };
        f.params = params
            .iter()
            .enumerate()
            .map(|(i, &ty)| {
                f.values.push(ValueData {
                    ty,
                    def: ValueDef::Param(i as u32),
                })
            })
            .collect();
        f
    }

    /// Returns the type of a value.
    pub fn ty(&self, v: Value) -> Ty {
        self.values[v].ty
    }

    /// Finds or creates a constant. Bits beyond the lane's width are cleared.
    pub fn constant(&mut self, ty: Ty, mut c: Const) -> Value {
        if let Const::Bits(lanes) = &mut c {
            let bits = ty.scalar.bits();
            if bits < 64 {
                lanes.iter_mut().for_each(|l| *l &= (1 << bits) - 1);
            }
        }
        let key = (ty, c);
        if let Some(&v) = self.constants.get(&key) {
            return v;
        }
        let v = self.values.push(ValueData {
            ty,
            def: ValueDef::Const(key.1.clone()),
        });
        self.constants.insert(key, v);
        v
    }

    /// Returns a scalar constant, or a vector constant with the same bits in each lane.
    pub fn splat_bits(&mut self, ty: Ty, bits: u64) -> Value {
        self.constant(ty, Const::Bits(vec![bits; ty.lanes as usize]))
    }

    /// Returns the constant that a value is, if it is one.
    pub fn as_const(&self, v: Value) -> Option<&Const> {
        match &self.values[v].def {
            ValueDef::Const(c) => Some(c),
            ValueDef::Inst(..) | ValueDef::Arg(..) | ValueDef::Param(_) => None,
        }
    }

    /// Returns the bits of a scalar constant.
    pub fn as_bits(&self, v: Value) -> Option<u64> {
        match self.as_const(v)? {
            Const::Bits(lanes) if lanes.len() == 1 => Some(lanes[0]),
            Const::Bits(_) | Const::Undef => None,
        }
    }

    /// Returns the bits of a lane of a constant whose lanes are all equal; a scalar has one lane.
    pub fn as_splat(&self, v: Value) -> Option<u64> {
        match self.as_const(v)? {
            Const::Bits(lanes) if lanes.iter().all(|l| *l == lanes[0]) => Some(lanes[0]),
            Const::Bits(_) | Const::Undef => None,
        }
    }

    /// Returns the instruction that defines a value.
    pub fn def_inst(&self, v: Value) -> Option<Inst> {
        match self.values[v].def {
            ValueDef::Inst(i, _) => Some(i),
            ValueDef::Arg(..) | ValueDef::Param(_) | ValueDef::Const(_) => None,
        }
    }

    /// Creates a region with arguments of the given types. No instruction owns it yet.
    pub fn new_region(&mut self, args: &[Ty]) -> Region {
        let r = self.regions.push(RegionData::default());
        for (i, &ty) in args.iter().enumerate() {
            let v = self.values.push(ValueData {
                ty,
                def: ValueDef::Arg(r, i as u32),
            });
            self.regions[r].args.push(v);
        }
        r
    }

    /// Creates an instruction with results of the given types. It is in no region yet.
    pub fn new_inst(&mut self, op: Op, args: impl Into<ValueList>, results: &[Ty], span: Span) -> Inst {
        let data = InstData {
            op,
            args: args.into(),
            results: ValueList::new(),
            regions: Vec::new(),
            fp: FpFlags::default(),
            no_wrap: false,
            unroll: Unroll::default(),
            span,
        };
        let inst = self.insts.push(data);
        for &ty in results {
            self.add_result(inst, ty);
        }
        inst
    }

    /// Adds a result to an instruction. Promotion of a variable to SSA adds results to structured
    /// instructions.
    pub fn add_result(&mut self, inst: Inst, ty: Ty) -> Value {
        let n = self.insts[inst].results.len() as u32;
        let v = self.values.push(ValueData {
            ty,
            def: ValueDef::Inst(inst, n),
        });
        self.insts[inst].results.push(v);
        v
    }

    /// Replaces results of an instruction, and arguments of its regions, by several values each: those for whose type
    /// `parts` returns the types of their parts. Returns these values with their parts.
    pub fn split_results(
        &mut self,
        inst: Inst,
        parts: &dyn Fn(Ty) -> Option<Vec<Ty>>,
    ) -> Vec<(Value, Vec<Value>)> {
        let mut split = Vec::new();
        for old in std::mem::take(&mut self.insts[inst].results) {
            match parts(self.ty(old)) {
                Some(types) => {
                    let new = types.into_iter().map(|ty| self.add_result(inst, ty)).collect();
                    split.push((old, new));
                }
                None => {
                    let n = self.insts[inst].results.len() as u32;
                    self.values[old].def = ValueDef::Inst(inst, n);
                    self.insts[inst].results.push(old);
                }
            }
        }
        for region in self.insts[inst].regions.clone() {
            for old in std::mem::take(&mut self.regions[region].args) {
                match parts(self.ty(old)) {
                    Some(types) => {
                        let new = types
                            .into_iter()
                            .map(|ty| self.add_region_arg(region, ty))
                            .collect();
                        split.push((old, new));
                    }
                    None => {
                        let n = self.regions[region].args.len() as u32;
                        self.values[old].def = ValueDef::Arg(region, n);
                        self.regions[region].args.push(old);
                    }
                }
            }
        }
        split
    }

    /// Adds a parameter.
    pub fn add_param(&mut self, ty: Ty) -> Value {
        let def = ValueDef::Param(self.params.len() as u32);
        let v = self.values.push(ValueData { ty, def });
        self.params.push(v);
        v
    }

    /// Adds an argument to a region.
    pub fn add_region_arg(&mut self, region: Region, ty: Ty) -> Value {
        let n = self.regions[region].args.len() as u32;
        let v = self.values.push(ValueData {
            ty,
            def: ValueDef::Arg(region, n),
        });
        self.regions[region].args.push(v);
        v
    }

    /// Returns the index of an instruction in the region that it is in.
    ///
    /// # Panics
    /// If it is not in that region, which is an internal error.
    pub fn index_in(&self, region: Region, inst: Inst) -> usize {
        let index = self.regions[region].insts.iter().position(|&i| i == inst);
        index.expect("an instruction is in its region")
    }

    /// Inserts instructions before another one of a region.
    ///
    /// # Panics
    /// If `before` is not in that region, which is an internal error.
    pub fn insert_before(&mut self, region: Region, before: Inst, insts: impl IntoIterator<Item = Inst>) {
        let at = self.index_in(region, before);
        self.regions[region].insts.splice(at..at, insts);
    }
}
