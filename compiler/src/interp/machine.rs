//! The execution of one work-item.

use super::functions::{approximate, unselected};
use super::memory::Memory;
use super::subgroup::Pending;
use super::{Launch, Shared, Trap, Undefined, image, lanes_of, matrix};
use crate::check::memory as asked;
use crate::hash::HashMap;
use crate::intrinsic::{AtomicOp, Intrinsic, MatrixLayout, MatrixOp};
use crate::ir::ty::{TAG_SHIFT, untagged};
use crate::ir::{
    AddressSpace, BinOp, CastOp, Const, EntityRef, Func, Function, Inst, InstData, Module, Op, Region,
    Scalar, Storage, Ty, Value, ValueDef, eval,
};

/// The bits of an undefined result where any result is allowed.
const JUNK: u64 = 0x5bd1_e995_9e37_79b1;

/// The greatest depth of nested calls.
const MAX_CALLS: usize = 256;

/// The reason why a work-item stopped.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// It has not stopped.
    Running,
    Barrier,
    /// It waits at an operation that its sub-group performs together.
    Subgroup,
    Ended,
}

/// A region that is being executed.
struct Frame {
    region: Region,
    /// The index of its next instruction.
    next: usize,
    /// The instruction to which the region belongs; the body of a function has none.
    owner: Option<Inst>,
    /// The number of the region among those of its owner.
    number: usize,
    /// The number of times that the owner, a loop, has been repeated.
    iteration: usize,
}

/// A function that is being executed.
struct Activation<'m> {
    func: &'m Function,
    values: Vec<Option<Vec<u64>>>,
    /// The regions being executed, outer ones first.
    regions: Vec<Frame>,
    /// The objects of `alloca` and `variable` instructions.
    objects: HashMap<Inst, u64>,
    /// The call in the caller that receives the result.
    call: Option<Inst>,
}

/// The state of a work-item.
pub(super) struct Machine<'m> {
    module: &'m Module,
    shared: Shared,
    launch: Launch,
    group: [u32; 3],
    local: [u32; 3],
    steps: u64,
    stack: Vec<Activation<'m>>,
    pending: Option<Pending>,
    pub(super) result: Vec<u64>,
}

type Lanes = Vec<u64>;

/// Returns an arbitrary number for an undefined lane, unless that is an error. Passes may execute an operation
/// speculatively, with operands for which its result is undefined.
fn junk(how: Undefined, scalar: Scalar, lane: Option<u64>) -> Option<u64> {
    match how {
        Undefined::Trap => lane,
        Undefined::Anything => lane.or(Some(eval::truncate(scalar, JUNK))),
    }
}

impl<'m> Machine<'m> {
    pub(super) fn new(
        module: &'m Module,
        func: Func,
        args: Vec<Lanes>,
        shared: &Shared,
        launch: Launch,
        group: [u32; 3],
        local: [u32; 3],
    ) -> Self {
        let mut machine = Machine {
            module,
            shared: shared.clone(),
            launch,
            group,
            local,
            steps: launch.steps,
            stack: Vec::new(),
            pending: None,
            result: Vec::new(),
        };
        machine.enter(func, args, None);
        machine
    }

    fn enter(&mut self, func: Func, args: Vec<Lanes>, call: Option<Inst>) {
        let func = &self.module.funcs[func];
        let mut values = vec![None; func.values.len()];
        for (&p, lanes) in func.params.iter().zip(args) {
            values[p.index()] = Some(lanes);
        }
        self.stack.push(Activation {
            func,
            values,
            regions: vec![Frame {
                region: func.body,
                next: 0,
                owner: None,
                number: 0,
                iteration: 0,
            }],
            objects: HashMap::default(),
            call,
        });
    }

    /// Returns the number of steps that the work-item may still take.
    pub(super) fn steps_left(&self) -> u64 {
        self.steps
    }

    /// Returns the sub-group operation at which the work-item waits.
    pub(super) fn pending(&self) -> Option<&Pending> {
        self.pending.as_ref()
    }

    /// Returns the point of the program at which the work-item is: for each region that it executes, outer ones first, the
    /// iteration, the number of the region, and the index of the instruction. Points are in the order in which a work-item
    /// can reach them, and work-items at one point execute the same instance of an instruction.
    pub(super) fn point(&self) -> Vec<[usize; 3]> {
        let frames = self.stack.iter().flat_map(|a| &a.regions);
        frames.map(|f| [f.iteration, f.number, f.next]).collect()
    }

    /// Continues after that operation with its result.
    pub(super) fn resume(&mut self, result: Lanes) {
        let pending = self.pending.take();
        let top = self.top();
        if let Some(&r) = pending.and_then(|p| top.func.insts[p.inst].results.first()) {
            top.values[r.index()] = Some(result);
        }
    }

    /// Returns whether the kernel that is executed has an argument of this number.
    fn has_argument(&self, ordinal: u64) -> bool {
        let is_running = |func: Func| std::ptr::eq(self.stack[0].func, &self.module.funcs[func]);
        let kernel = self.module.kernels.iter().find(|k| is_running(k.func));
        kernel.is_some_and(|k| ordinal < k.args.len() as u64)
    }

    /// Returns the linear id of the work-item in its work-group.
    fn number(&self) -> u32 {
        let ([x, y, z], [w, h, _]) = (self.local, self.launch.local);
        x + w * (y + h * z)
    }

    /// Runs until the next barrier, the next sub-group operation, or the end.
    pub(super) fn run(&mut self, memory: &mut Memory) -> Result<Stop, Trap> {
        while let Some(top) = self.stack.last_mut() {
            self.steps = self.steps.checked_sub(1).ok_or(Trap::Steps)?;
            let Some(frame) = top.regions.last_mut() else {
                return Err(Trap::NotSupported("a function without regions".into()));
            };
            let Some(&inst) = top.func.regions[frame.region].insts.get(frame.next) else {
                return Err(Trap::NotSupported("a region without a terminator".into()));
            };
            frame.next += 1;
            match self.step(inst, memory)? {
                Stop::Running => {}
                stop => return Ok(stop),
            }
        }
        Ok(Stop::Ended)
    }

    fn top(&mut self) -> &mut Activation<'m> {
        let n = self.stack.len() - 1;
        &mut self.stack[n]
    }

    /// Executes one instruction.
    fn step(&mut self, inst: Inst, memory: &mut Memory) -> Result<Stop, Trap> {
        let func = self.top().func;
        let data = &func.insts[inst];
        let args: Vec<Lanes> = data.args.iter().map(|&a| self.top().value(a)).collect();
        match &data.op {
            Op::Block => self.top().open(inst, 0, 0),
            Op::Loop => {
                self.top().open(inst, 0, 0);
                self.top().set(&func.regions[data.regions[0]].args, args);
            }
            Op::If => self.top().open(inst, usize::from(args[0][0] == 0), 0),
            Op::Switch(cases) => {
                let case = cases.iter().position(|c| c.contains(&args[0][0]));
                self.top().open(inst, case.unwrap_or(cases.len()), 0);
            }
            Op::Exit(target) => {
                self.top().leave(*target);
                self.top().set(&func.insts[*target].results, args);
            }
            Op::Repeat(target) => {
                let iteration = self.top().leave(*target);
                self.top().open(*target, 0, iteration + 1);
                let body = func.insts[*target].regions[0];
                self.top().set(&func.regions[body].args, args);
            }
            Op::Return => {
                let call = self.stack.pop().and_then(|a| a.call);
                match call {
                    Some(call) => {
                        let top = self.top();
                        top.set(&top.func.insts[call].results, args);
                    }
                    None => self.result = args.concat(),
                }
            }
            Op::Unreachable => return Err(Trap::Unreachable),
            Op::Call(callee) | Op::CallPure(callee) => {
                if self.stack.len() >= MAX_CALLS {
                    return Err(Trap::Steps);
                }
                self.enter(*callee, args, Some(inst));
            }
            Op::Intrinsic(Intrinsic::Barrier(_)) => return Ok(Stop::Barrier),
            Op::Intrinsic(op) if op.is_subgroup_operation() && !accesses_matrix(*op) => {
                let types = data.args.iter().map(|&a| func.ty(a)).collect();
                let result = data.results.first().map(|&r| func.ty(r));
                let scalar = data.args.first().map_or(Scalar::Bool, |&a| func.ty(a).scalar);
                self.pending = Some(Pending {
                    inst,
                    op: *op,
                    args,
                    scalar,
                    types,
                    result,
                });
                return Ok(Stop::Subgroup);
            }
            _ => {
                let result = self.compute(inst, data, &args, memory)?;
                if let Some(&r) = data.results.first() {
                    self.top().values[r.index()] = Some(result);
                }
            }
        }
        Ok(Stop::Running)
    }

    /// Executes an instruction that is not control flow.
    fn compute(
        &mut self,
        inst: Inst,
        data: &InstData,
        args: &[Lanes],
        memory: &mut Memory,
    ) -> Result<Lanes, Trap> {
        let func = self.top().func;
        let how = self.launch.undefined;
        let ty = data.results.first().map_or(Ty::BOOL, |&r| func.ty(r));
        let types: Vec<Ty> = data.args.iter().map(|&a| func.ty(a)).collect();
        let scalar = types.first().map_or(Scalar::Bool, |t| t.scalar);
        let count = ty.lanes as usize;
        let undefined = || Trap::Undefined(format!("{:?}", data.op));
        let any = |lane: Option<u64>| junk(how, ty.scalar, lane);
        let first = |n: usize| args[n].first().copied().unwrap_or(0);
        Ok(match &data.op {
            // No pass may execute this speculatively.
            Op::Binary(op) if data.no_wrap && eval::wraps(*op, scalar, args[0][0], args[1][0]) => {
                let function = func.name.clone();
                return Err(Trap::Overflow { function, inst });
            }
            Op::Binary(op) => lanes(count, |i| any(eval::binary(*op, scalar, args[0][i], args[1][i])))
                .ok_or_else(undefined)?,
            Op::Unary(op) => args[0].iter().map(|&a| eval::unary(*op, scalar, a)).collect(),
            Op::Compare(op) => {
                let flush = memory.comparisons_flush && scalar == Scalar::F32;
                let taken = |v: u64| {
                    if flush && v & 0x7f80_0000 == 0 {
                        v & 0x8000_0000
                    } else {
                        v
                    }
                };
                let lane =
                    |i: usize| u64::from(eval::compare(*op, scalar, taken(args[0][i]), taken(args[1][i])));
                (0..count).map(lane).collect()
            }
            Op::Cast(CastOp::Bitcast) => eval::bitcast(&args[0], types[0], ty),
            Op::Cast(op) => {
                lanes(count, |i| any(eval::cast(*op, scalar, ty.scalar, args[0][i]))).ok_or_else(undefined)?
            }
            Op::Select => {
                let lane = |i: usize| {
                    if args[0][i.min(args[0].len() - 1)] != 0 {
                        args[1][i]
                    } else {
                        args[2][i]
                    }
                };
                (0..count).map(lane).collect()
            }
            Op::Construct
            | Op::Splat
            | Op::Extract(_)
            | Op::ExtractDynamic
            | Op::Insert(_)
            | Op::InsertDynamic
            | Op::Shuffle(_) => self.rearrange(data, args, ty.scalar, count)?,
            Op::Alloca { size, .. } => vec![self.object(inst, *size, memory)],
            Op::Variable { elem, count } => {
                let bytes = elem.bytes().max(1) * count;
                vec![self.object(inst, bytes, memory)]
            }
            Op::GlobalAddr(g) => vec![self.shared.globals[g.index()]],
            Op::PtrAdd => vec![first(0).wrapping_add(eval::signed(types[1].scalar, first(1)) as u64)],
            Op::Load(_)
            | Op::Store(_)
            | Op::LoadFrom(..)
            | Op::StoreTo(..)
            | Op::MemCpy { .. }
            | Op::MemZero { .. }
            | Op::AtomicOn(..)
            | Op::MatrixOn(..)
            | Op::Intrinsic(Intrinsic::Matrix(_) | Intrinsic::Atomic(_)) => {
                self.access(data, args, &types, ty, memory)?
            }
            Op::Intrinsic(
                i @ (Intrinsic::ReadImage(..)
                | Intrinsic::SampleImage(..)
                | Intrinsic::FetchImage(..)
                | Intrinsic::LoadImage(..)
                | Intrinsic::LoadFormat(..)
                | Intrinsic::WriteImage(..)
                | Intrinsic::ImageSize(_)
                | Intrinsic::ChannelOrder
                | Intrinsic::ChannelDataType
                | Intrinsic::SamplerProperties),
            ) => {
                let float_coordinates = types.last().is_some_and(|t| t.scalar == Scalar::F32);
                image::execute(memory, *i, args, float_coordinates)?
            }
            Op::Intrinsic(i) => self.intrinsic(*i, args, &types, ty)?,
            Op::Call(_)
            | Op::CallPure(_)
            | Op::Block
            | Op::Loop
            | Op::If
            | Op::Switch(_)
            | Op::Exit(_)
            | Op::Repeat(_)
            | Op::Return
            | Op::Unreachable => Vec::new(),
        })
    }

    /// Executes an instruction that builds a vector, takes it apart or rearranges its lanes.
    fn rearrange(
        &self,
        data: &InstData,
        args: &[Lanes],
        scalar: Scalar,
        count: usize,
    ) -> Result<Lanes, Trap> {
        let how = self.launch.undefined;
        let first = |n: usize| args[n].first().copied().unwrap_or(0);
        let undefined = || Trap::Undefined(format!("{:?}", data.op));
        Ok(match &data.op {
            Op::Construct => args.concat(),
            Op::Splat => vec![first(0); count],
            Op::Extract(lane) => vec![args[0][*lane as usize]],
            Op::ExtractDynamic => {
                let lane = args[0].get(first(1) as usize).copied();
                vec![junk(how, scalar, lane).ok_or_else(undefined)?]
            }
            Op::Insert(lane) => {
                let mut all = args[0].clone();
                all[*lane as usize] = first(1);
                all
            }
            Op::InsertDynamic => {
                let mut all = args[0].clone();
                match all.get_mut(first(2) as usize) {
                    Some(lane) => *lane = first(1),
                    None if how == Undefined::Anything => {}
                    None => return Err(undefined()),
                }
                all
            }
            Op::Shuffle(mask) => {
                let both = args.concat();
                mask.iter()
                    .map(|&l| both.get(l as usize).copied().unwrap_or(0))
                    .collect()
            }
            _ => return Err(Trap::NotSupported(format!("{:?} is not for lanes", data.op))),
        })
    }
    /// Executes an instruction that reads or writes memory, or that is for matrices.
    fn access(
        &self,
        data: &InstData,
        args: &[Lanes],
        types: &[Ty],
        ty: Ty,
        memory: &mut Memory,
    ) -> Result<Lanes, Trap> {
        let first = |n: usize| args[n].first().copied().unwrap_or(0);
        let count = ty.lanes as usize;
        Ok(match &data.op {
            Op::Load(_) | Op::LoadFrom(..) if let Some(m) = ty.scalar.matrix() => {
                let address = match data.op {
                    Op::LoadFrom(storage, _) => self.address(storage, args, ty)?,
                    _ => self.pointed(types[0], first(0)),
                };
                matrix::take(memory, address, m)?
            }
            Op::Store(_) | Op::StoreTo(..) if let Some(m) = types[types.len() - 1].scalar.matrix() => {
                let address = match data.op {
                    Op::StoreTo(storage, _) => self.address(storage, args, types[types.len() - 1])?,
                    _ => self.pointed(types[0], first(0)),
                };
                matrix::put(memory, address, m, &args[args.len() - 1])?;
                Vec::new()
            }
            Op::MatrixOn(access, storage) => {
                let at = storage.operands();
                let address = self.address(*storage, args, access.element)?;
                let stride = first(at) * u64::from(access.element.bytes());
                self.access_matrix(
                    memory,
                    address,
                    access.memory.layout,
                    stride,
                    (args.get(at + 1), ty, types),
                )?
            }
            Op::Intrinsic(Intrinsic::Matrix(op @ (MatrixOp::Load(how) | MatrixOp::Store(how)))) => {
                let address = self.pointed(types[0], first(0));
                let value = matches!(op, MatrixOp::Store(_)).then(|| &args[2]);
                self.access_matrix(memory, address, how.layout, first(1), (value, ty, types))?
            }
            Op::Intrinsic(Intrinsic::Matrix(op)) => {
                let m = types[0].scalar.matrix();
                let m = m.ok_or_else(|| Trap::NotSupported("an operation on no matrix".into()))?;
                matrix::local(*op, args, m, self.place(), self.launch.undefined)?
            }
            Op::Load(_) => {
                let address = self.pointed(types[0], first(0));
                lanes_of(memory.read(address, ty.bytes())?, ty.scalar, count)
            }
            Op::Store(_) => {
                let address = self.pointed(types[0], first(0));
                memory.write(address, &bytes_of(&args[1], types[1].scalar))?;
                Vec::new()
            }
            Op::MemCpy { size, .. } => {
                let from = self.pointed(types[1], first(1));
                let bytes = memory.read(from, *size)?.to_vec();
                memory.write(self.pointed(types[0], first(0)), &bytes)?;
                Vec::new()
            }
            Op::MemZero { size, .. } => {
                let address = self.pointed(types[0], first(0));
                memory.write(address, &vec![0; *size as usize])?;
                Vec::new()
            }
            Op::LoadFrom(storage, _) => {
                let address = self.address(*storage, args, ty)?;
                lanes_of(memory.read(address, size_of(ty))?, ty.scalar, count)
            }
            Op::StoreTo(storage, _) => {
                let n = args.len() - 1;
                let address = self.address(*storage, args, types[n])?;
                memory.write(address, &bytes_of(&args[n], types[n].scalar))?;
                Vec::new()
            }
            Op::AtomicOn(op, storage) => {
                let operands = &args[storage.operands()..];
                let word = types.get(storage.operands()).copied().unwrap_or(ty);
                let address = self.address(*storage, args, word)?;
                atomic(*op, address, operands, word.scalar, memory)?
            }
            Op::Intrinsic(Intrinsic::Atomic(op)) => {
                let word = types.get(1).copied().unwrap_or(ty);
                let address = self.pointed(types[0], first(0));
                atomic(*op, address, &args[1..], word.scalar, memory)?
            }
            _ => {
                return Err(Trap::NotSupported(format!(
                    "{:?} does not access memory",
                    data.op
                )));
            }
        })
    }

    /// Returns the place of the work-item in its sub-group.
    fn place(&self) -> matrix::Place {
        let size = self.launch.subgroup;
        matrix::Place {
            item: self.number() % size,
            size,
        }
    }

    /// Loads a matrix, or stores the one that is given, whose type is the last of the operands'.
    fn access_matrix(
        &self,
        memory: &mut Memory,
        address: u64,
        layout: MatrixLayout,
        stride: u64,
        (value, result, types): (Option<&Lanes>, Ty, &[Ty]),
    ) -> Result<Lanes, Trap> {
        let ty = match value {
            Some(_) => types.last().copied().unwrap_or(result),
            None => result,
        };
        let m = ty.scalar.matrix();
        let m = m.ok_or_else(|| Trap::NotSupported("an access to no matrix".into()))?;
        match value {
            Some(lanes) => {
                matrix::store(memory, address, (m, layout, stride), self.place(), lanes)?;
                Ok(Vec::new())
            }
            None => matrix::load(memory, address, (m, layout, stride)),
        }
    }

    /// Returns the object of an `alloca`, which is the same at each execution.
    fn object(&mut self, inst: Inst, size: u32, memory: &mut Memory) -> u64 {
        *self
            .top()
            .objects
            .entry(inst)
            .or_insert_with(|| memory.add(vec![0; size as usize]))
    }

    /// Returns the address that a pointer with these bits leads to. In the address spaces of arguments, the bits
    /// are an offset.
    fn pointed(&self, ty: Ty, bits: u64) -> u64 {
        match ty.space() {
            Some(AddressSpace::Push) => self.shared.push + bits,
            Some(AddressSpace::Args) => self.shared.args + bits,
            Some(AddressSpace::Generic) => untagged(bits),
            _ => bits,
        }
    }

    fn address(&self, storage: Storage, args: &[Lanes], ty: Ty) -> Result<u64, Trap> {
        let index = |n: usize| args[n].first().copied().unwrap_or(0);
        let size = u64::from(size_of(ty));
        Ok(match storage {
            Storage::Physical => match args[0][..] {
                [low, high] => low | high << 32,
                _ => index(0),
            },
            Storage::Arena(elem) => self.shared.arena + index(0) * u64::from(elem.bytes()),
            Storage::Variable => index(0) + index(1) * size,
            Storage::PushWord => self.shared.push + index(0) * 4,
            Storage::ArgsWord => self.shared.args + index(0) * 4,
            Storage::Buffer(n, elem) | Storage::Shared(n, elem) | Storage::ReadOnly(n, elem) => {
                let object = self.shared.objects.get(n as usize).copied();
                let object = object.ok_or_else(|| Trap::NotSupported("memory without an object".into()))?;
                object + index(0) * u64::from(elem.bytes())
            }
        })
    }

    fn intrinsic(&self, op: Intrinsic, args: &[Lanes], types: &[Ty], ty: Ty) -> Result<Lanes, Trap> {
        let Launch { groups, local, .. } = self.launch;
        let dimension = args.first().and_then(|a| a.first()).copied().unwrap_or(0) as usize;
        let at = |values: [u32; 3], outside: u32| {
            vec![u64::from(values.get(dimension).copied().unwrap_or(outside))]
        };
        let each = |f: &dyn Fn(usize) -> u32| [f(0), f(1), f(2)];
        let vector = |values: [u32; 3]| values.map(u64::from).to_vec();
        let scalar = types.first().map_or(Scalar::Bool, |t| t.scalar);
        Ok(match op {
            Intrinsic::GlobalId => at(each(&|i| self.group[i] * local[i] + self.local[i]), 0),
            Intrinsic::LocalId => at(self.local, 0),
            Intrinsic::GroupId => at(self.group, 0),
            Intrinsic::GlobalSize => at(each(&|i| groups[i] * local[i]), 1),
            Intrinsic::LocalSize | Intrinsic::EnqueuedLocalSize => at(local, 1),
            Intrinsic::NumGroups => at(groups, 1),
            Intrinsic::GlobalOffset => vec![0],
            Intrinsic::WorkDim => vec![3],
            Intrinsic::WorkgroupId => vector(self.group),
            Intrinsic::LocalInvocationId | Intrinsic::DeviceLocalId => vector(self.local),
            Intrinsic::WorkgroupSize | Intrinsic::DeviceGroupSize => vector(local),
            Intrinsic::GlobalInvocationId => vector(each(&|i| self.group[i] * local[i] + self.local[i])),
            Intrinsic::NumWorkgroups => vector(groups),
            Intrinsic::GlobalOffsetConstant => vector([0; 3]),
            Intrinsic::PointerTag => vec![args[0][0] >> TAG_SHIFT],
            Intrinsic::SubgroupMaxSize => vec![self.launch.subgroup.into()],
            Intrinsic::SubgroupSize => {
                let first = self.number() / self.launch.subgroup * self.launch.subgroup;
                let items: u32 = local.iter().product();
                vec![self.launch.subgroup.min(items - first).into()]
            }
            Intrinsic::NumSubgroups => {
                let items: u32 = local.iter().product();
                vec![items.div_ceil(self.launch.subgroup).into()]
            }
            Intrinsic::SubgroupId => vec![(self.number() / self.launch.subgroup).into()],
            Intrinsic::SubgroupLocalId => vec![(self.number() % self.launch.subgroup).into()],
            Intrinsic::Fence(_) | Intrinsic::Prefetch | Intrinsic::Barrier(_) => Vec::new(),
            Intrinsic::Printf => vec![0],
            // No object ends before the largest offset, so that no access is left out.
            Intrinsic::ArgumentMemory => match args[1][0] as u32 {
                // The launch supplies no memory for the variables in local memory, which come after the arguments.
                _ if !self.has_argument(args[0][0]) => vec![0],
                asked::BYTES | asked::READABLE | asked::WRITABLE => vec![i64::MAX as u64],
                _ => vec![0],
            },
            Intrinsic::IsAllocated => vec![1],
            Intrinsic::ReportFinding | Intrinsic::MemberIndex | Intrinsic::CopiesEnd => Vec::new(),
            Intrinsic::CopyBegins => args[0].clone(),
            Intrinsic::Any => vec![u64::from(args[0].iter().any(|&a| a != 0))],
            Intrinsic::All => vec![u64::from(args[0].iter().all(|&a| a != 0))],
            Intrinsic::IsNan | Intrinsic::IsInf => {
                let test = if op == Intrinsic::IsNan {
                    f64::is_nan
                } else {
                    f64::is_infinite
                };
                args[0]
                    .iter()
                    .map(|&a| u64::from(test(eval::to_f64(scalar, a))))
                    .collect()
            }
            _ => {
                let lane = |i: usize| {
                    let one: Lanes = args.iter().map(|a| a[i.min(a.len() - 1)]).collect();
                    eval::intrinsic(op, scalar, &one)
                        .or_else(|| unselected(op, scalar, &one))
                        .or_else(|| approximate(op, scalar, &one))
                };
                lanes(ty.lanes as usize, lane).ok_or_else(|| Trap::NotSupported(op.to_string()))?
            }
        })
    }
}

/// Returns whether the operation is a load or store of a matrix, which each work-item does for itself.
fn accesses_matrix(op: Intrinsic) -> bool {
    matches!(op, Intrinsic::Matrix(op) if op.accesses_memory())
}

fn lanes(count: usize, lane: impl Fn(usize) -> Option<u64>) -> Option<Lanes> {
    (0..count).map(lane).collect()
}

/// Returns the size of a type in a `Variable`. A Bool, which has no size in memory, takes one byte.
fn size_of(ty: Ty) -> u32 {
    if ty.bytes() == 0 {
        u32::from(ty.lanes)
    } else {
        ty.bytes()
    }
}

fn bytes_of(lanes: &[u64], scalar: Scalar) -> Vec<u8> {
    let width = scalar.bytes().max(1) as usize;
    lanes
        .iter()
        .flat_map(|l| l.to_le_bytes().into_iter().take(width))
        .collect()
}

fn atomic(
    op: AtomicOp,
    address: u64,
    operands: &[Lanes],
    scalar: Scalar,
    memory: &mut Memory,
) -> Result<Lanes, Trap> {
    let old = lanes_of(memory.read(address, scalar.bytes())?, scalar, 1)[0];
    let operand = |n: usize| operands.get(n).and_then(|o| o.first()).copied().unwrap_or(0);
    let (a, b) = (operand(0), operand(1));
    let by = |op| eval::binary(op, scalar, old, a).unwrap_or(old);
    let best = |op| eval::intrinsic(op, scalar, &[old, a]).unwrap_or(old);
    let new = match op {
        AtomicOp::Add => by(BinOp::IAdd),
        AtomicOp::Sub => by(BinOp::ISub),
        AtomicOp::And => by(BinOp::And),
        AtomicOp::Or => by(BinOp::Or),
        AtomicOp::Xor => by(BinOp::Xor),
        AtomicOp::SMin => best(Intrinsic::SMin),
        AtomicOp::SMax => best(Intrinsic::SMax),
        AtomicOp::UMin => best(Intrinsic::UMin),
        AtomicOp::UMax => best(Intrinsic::UMax),
        AtomicOp::Xchg | AtomicOp::Store => a,
        AtomicOp::CmpXchg => {
            if old == a {
                b
            } else {
                old
            }
        }
        AtomicOp::Load => old,
    };
    memory.write(address, &bytes_of(&[new], scalar))?;
    Ok(if op == AtomicOp::Store {
        Vec::new()
    } else {
        vec![old]
    })
}

impl Activation<'_> {
    fn value(&self, v: Value) -> Lanes {
        if let Some(lanes) = &self.values[v.index()] {
            return lanes.clone();
        }
        let data = &self.func.values[v];
        match &data.def {
            ValueDef::Const(Const::Bits(lanes)) => lanes.clone(),
            ValueDef::Const(Const::Undef) | ValueDef::Inst(..) | ValueDef::Arg(..) | ValueDef::Param(_) => {
                vec![0; data.ty.lanes as usize]
            }
        }
    }

    fn set(&mut self, values: &[Value], lanes: Vec<Lanes>) {
        for (&v, lanes) in values.iter().zip(lanes) {
            self.values[v.index()] = Some(lanes);
        }
    }

    fn open(&mut self, inst: Inst, number: usize, iteration: usize) {
        self.regions.push(Frame {
            region: self.func.insts[inst].regions[number],
            next: 0,
            owner: Some(inst),
            number,
            iteration,
        });
    }

    /// Leaves all regions up to and including those of the target. Returns the number of times that the target has been
    /// repeated.
    fn leave(&mut self, target: Inst) -> usize {
        while let Some(frame) = self.regions.pop() {
            if frame.owner == Some(target) {
                return frame.iteration;
            }
        }
        0
    }
}
