//! Places: the location of an object in memory, and loads and stores of it.

use super::func::{FuncLowering, Variable};
use super::{Lowered, broken, types};
use crate::hir::{self, Convert, ExprKind, Place, PlaceKind, Scalar, Type, TypeId};
use crate::intrinsic::Intrinsic;
use crate::ir::{Access, AddressSpace, BinOp, CastOp, CmpOp, EntityRef, Ty, Value};

/// Memory at a pointer plus a constant number of bytes.
#[derive(Copy, Clone, Debug)]
pub(super) struct Addr {
    pub(super) ptr: Value,
    pub(super) offset: i64,
    /// The alignment of the address, the offset included.
    pub(super) align: u32,
    pub(super) volatile: bool,
}

impl Addr {
    pub(super) fn new(ptr: Value, align: u32) -> Self {
        Addr {
            ptr,
            offset: 0,
            align,
            volatile: false,
        }
    }

    /// Returns the address that is `bytes` further on.
    pub(super) fn plus(self, bytes: i64) -> Self {
        Addr {
            offset: self.offset.wrapping_add(bytes),
            align: self.align.min(factor(bytes as u64)),
            ..self
        }
    }

    pub(super) fn access(self) -> Access {
        Access {
            align: self.align,
            volatile: self.volatile,
        }
    }
}

/// Returns the largest power of two, up to 2^20, that divides a number of bytes. 0 is divisible by all.
fn factor(bytes: u64) -> u32 {
    1 << bytes.trailing_zeros().min(20)
}

/// A place whose operands have been evaluated.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// An object in memory.
    Memory(Addr),
    /// Some lanes of a vector that has `count` lanes.
    Lanes {
        addr: Addr,
        scalar: hir::Scalar,
        count: u8,
        lanes: Vec<u8>,
    },
    /// One lane of a vector in private memory, selected by an I32 index.
    DynamicLane { addr: Addr, vector: Ty, index: Value },
    /// A variable that is an image or sampler.
    Handle(Value),
}

/// Returns whether a place is a variable or a part of one.
fn is_variable(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Member { base, .. } | PlaceKind::Index { base, .. } => is_variable(base),
        _ => false,
    }
}

impl FuncLowering<'_, '_> {
    /// Evaluates the operands of a place.
    pub(super) fn place(&mut self, place: &Place) -> Lowered<Slot> {
        let slot = match &place.kind {
            PlaceKind::Local(id) => match self.variables[id.index()] {
                Variable::Handle(v) => Slot::Handle(v),
                Variable::Absent | Variable::Memory(_) => Slot::Memory(self.local(*id)?),
            },
            PlaceKind::Global(id) => {
                let var = &self.cx.program.globals[*id];
                let (space, align) = (types::space(var.space), var.align.max(1));
                let global = self.cx.global(*id)?;
                let ptr = self.b.global_addr(global, space);
                Slot::Memory(Addr::new(ptr, align))
            }
            PlaceKind::Deref { ptr, align } => {
                let outer = std::mem::replace(&mut self.takes_address, false);
                let known = self.pointer(ptr)?;
                self.takes_address = outer;
                let stated = match align {
                    Some(align) => *align,
                    None if self.is_part_of_object(ptr) => 1,
                    None => self.cx.program.types.align(place.ty),
                };
                Slot::Memory(Addr {
                    align: known.align.max(stated.max(1)),
                    ..known
                })
            }
            PlaceKind::Member { base, offset } => {
                let base = self.memory(base)?;
                Slot::Memory(base.plus(i64::from(*offset)))
            }
            PlaceKind::Index { base, index } => {
                let length = self.length_of_member(base);
                let base = self.memory(base)?;
                let size = types::size(&self.cx.program.types, place.ty)?;
                let outer = std::mem::replace(&mut self.takes_address, false);
                let slot = Slot::Memory(self.element(base, index, u64::from(size), false, length)?);
                self.takes_address = outer;
                slot
            }
            PlaceKind::Lanes { base, lanes } => self.lanes_of(base, lanes)?,
            PlaceKind::DynamicLane { base, index } => {
                let addr = self.memory(base)?;
                let (scalar, _) = types::lanes(&self.cx.program.types, base.ty)?;
                if self.is_private(addr) {
                    let vector = self.ty(base.ty)?;
                    let wide = self.value(index)?;
                    let index = self.b.cast(CastOp::Trunc, wide, Ty::I32);
                    Slot::DynamicLane { addr, vector, index }
                } else {
                    Slot::Memory(self.element(addr, index, u64::from(scalar.bytes()), false, None)?)
                }
            }
            PlaceKind::Temporary(e) => match self.eval(e)? {
                super::expr::Val::Memory(addr) if self.is_private(addr) => Slot::Memory(addr),
                val => {
                    let addr = self.temporary(place.ty)?;
                    self.write_val(addr, place.ty, val)?;
                    Slot::Memory(addr)
                }
            },
            PlaceKind::Literal(id, init) => {
                self.init(*id, init)?;
                Slot::Memory(self.local(*id)?)
            }
        };
        Ok(match slot {
            Slot::Memory(addr) if place.is_volatile => Slot::Memory(Addr {
                volatile: true,
                ..addr
            }),
            slot => slot,
        })
    }

    fn lanes_of(&mut self, base: &Place, lanes: &[u8]) -> Lowered<Slot> {
        Ok(match self.place(base)? {
            Slot::Memory(addr) => {
                let (scalar, count) = types::lanes(&self.cx.program.types, base.ty)?;
                if let [lane] = *lanes
                    && lane < count
                    && !self.is_private(addr)
                {
                    return Ok(Slot::Memory(
                        addr.plus(i64::from(lane) * i64::from(scalar.bytes())),
                    ));
                }
                Slot::Lanes {
                    addr,
                    scalar,
                    count,
                    lanes: lanes.to_vec(),
                }
            }
            // This is a swizzle of a swizzle: `v.xyz.y`.
            Slot::Lanes {
                addr,
                scalar,
                count,
                lanes: outer,
            } => {
                let lanes = lanes
                    .iter()
                    .map(|&l| outer.get(l as usize).copied().unwrap_or(u8::MAX))
                    .collect();
                Slot::Lanes {
                    addr,
                    scalar,
                    count,
                    lanes,
                }
            }
            Slot::DynamicLane { .. } | Slot::Handle(_) => return broken("lanes of a scalar"),
        })
    }

    /// Evaluates a place that must be ordinary memory.
    pub(super) fn memory(&mut self, place: &Place) -> Lowered<Addr> {
        match self.place(place)? {
            Slot::Memory(addr) => Ok(addr),
            Slot::Lanes {
                addr, scalar, lanes, ..
            } if lanes.len() == 1 => Ok(addr.plus(i64::from(lanes[0]) * i64::from(scalar.bytes()))),
            Slot::DynamicLane { addr, vector, index } => {
                let size = self.b.i32(vector.scalar.bytes() as i32);
                let bytes = self.b.binary(BinOp::IMul, index, size);
                let ptr = self.b.ptr_offset(addr.ptr, addr.offset);
                let ptr = self.b.ptr_add(ptr, bytes);
                Ok(Addr {
                    ptr,
                    offset: 0,
                    align: vector.scalar.bytes(),
                    ..addr
                })
            }
            Slot::Lanes { .. } | Slot::Handle(_) => broken("the address of what has none"),
        }
    }

    pub(super) fn is_private(&self, addr: Addr) -> bool {
        self.b.func.ty(addr.ptr).space() == Some(AddressSpace::Private)
    }

    /// Returns whether a pointer is to a part of an object of known type, as the alignment that [`Self::pointer`] returns then is
    /// true also of members of packed structures.
    fn is_part_of_object(&self, e: &hir::Expr) -> bool {
        let types = &self.cx.program.types;
        match &e.kind {
            ExprKind::AddrOf(_) => true,
            ExprKind::PointerAdd { ptr, .. } => self.is_part_of_object(ptr),
            ExprKind::Convert(Convert::Pointer, inner) => {
                types::pointee(types, inner.ty).ok() == types::pointee(types, e.ty).ok()
                    && self.is_part_of_object(inner)
            }
            _ => false,
        }
    }

    /// Evaluates a pointer to a base and a constant offset. The alignment follows from the pointer's origin.
    pub(super) fn pointer(&mut self, e: &hir::Expr) -> Lowered<Addr> {
        match &e.kind {
            ExprKind::AddrOf(place) => {
                let outer = std::mem::replace(&mut self.takes_address, true);
                let addr = self.memory(place)?;
                self.takes_address = outer;
                Ok(Addr {
                    volatile: false,
                    ..addr
                })
            }
            ExprKind::PointerAdd { ptr, index, negate } => {
                let pointee = types::pointee(&self.cx.program.types, ptr.ty)?;
                let size = types::step(&self.cx.program.types, pointee);
                let base = self.pointer(ptr)?;
                self.element(base, index, size, *negate, None)
            }
            ExprKind::Convert(Convert::Pointer, inner)
                if types::value(&self.cx.program.types, inner.ty)
                    == types::value(&self.cx.program.types, e.ty) =>
            {
                self.pointer(inner)
            }
            _ => Ok(Addr::new(self.value(e)?, 1)),
        }
    }

    /// Returns the length of an array whose indices are checked: one that is a member of a structure in private or local
    /// memory, has several elements, and is accessed. At the end of a structure that a pointer leads to may be more elements.
    fn length_of_member(&self, array: &Place) -> Option<u64> {
        let program = self.cx.program;
        if !program.checks_members || self.takes_address || self.speculates {
            return None;
        }
        let (&Type::Array(_, length), PlaceKind::Member { base, offset }) =
            (program.types.get(array.ty), &array.kind)
        else {
            return None;
        };
        let &Type::Record(record) = program.types.get(base.ty) else {
            return None;
        };
        let record = &program.types.records[record];
        let fields = record.fields.as_deref().unwrap_or(&[]);
        let is_last = fields.iter().all(|field| field.offset <= *offset);
        let is_shared = matches!(array.space, hir::Space::Private | hir::Space::Local);
        let is_whole = !is_last || is_variable(base);
        (is_shared && !record.is_union && length > 1 && is_whole).then_some(length)
    }

    /// Returns the address of an element of an array that starts at `base`. `length`: the number of elements, if the index
    /// is checked.
    fn element(
        &mut self,
        base: Addr,
        index: &hir::Expr,
        size: u64,
        negate: bool,
        length: Option<u64>,
    ) -> Lowered<Addr> {
        if let Some(length) = length {
            let index = match &index.kind {
                ExprKind::Const(bits) => self.b.i64(bits.first().map_or(0, |&bits| bits as i64)),
                _ => {
                    let (index, constant) = self.index(index)?;
                    let constant = self.b.i64(constant);
                    self.b.binary(BinOp::IAdd, index, constant)
                }
            };
            let length = self.b.i64(length as i64);
            self.b
                .intrinsic(Intrinsic::MemberIndex, vec![index, length], None);
            let ptr = self.scaled_add(base.ptr, index, size, negate);
            return Ok(Addr {
                ptr,
                align: base.align.min(factor(size)),
                ..base
            });
        }
        if let ExprKind::Const(bits) = &index.kind
            && let [bits] = bits[..]
        {
            let bytes = (bits as i64).wrapping_mul(size as i64);
            return Ok(base.plus(if negate { bytes.wrapping_neg() } else { bytes }));
        }
        let (index, constant) = self.index(index)?;
        let bytes = constant.wrapping_mul(size as i64);
        let base = base.plus(if negate { bytes.wrapping_neg() } else { bytes });
        let ptr = self.scaled_add(base.ptr, index, size, negate);
        // The constant part is added after the variable part, so that it can be folded further.
        Ok(Addr {
            ptr,
            align: base.align.min(factor(size)),
            ..base
        })
    }

    /// Splits an index into a part without its last constant summand, and that constant. A sum of ints does
    /// not overflow (C99 6.5, 5), so the constant can be split off before the sum is widened.
    fn index(&mut self, index: &hir::Expr) -> Lowered<(Value, i64)> {
        let types = &self.cx.program.types;
        if let ExprKind::Convert(Convert::Numeric, sum) = &index.kind
            && *types.get(sum.ty) == Type::Scalar(Scalar::Int)
        {
            let (mut rest, mut constant) = (&**sum, 0i64);
            while let ExprKind::Binary { op, lhs, rhs, .. } = &rest.kind {
                let by = |e: &hir::Expr| match &e.kind {
                    ExprKind::Const(bits) => bits.first().map(|&n| i64::from(n as u32 as i32)),
                    _ => None,
                };
                let step = match (op, by(lhs), by(rhs)) {
                    (hir::BinOp::Add, _, Some(n)) => (&**lhs, n),
                    (hir::BinOp::Add, Some(n), None) => (&**rhs, n),
                    (hir::BinOp::Sub, _, Some(n)) => (&**lhs, -n),
                    _ => break,
                };
                rest = step.0;
                constant += step.1;
            }
            let value = self.value(rest)?;
            let value = self.conversion(Convert::Numeric, value, rest.ty, index.ty)?;
            return Ok((value, constant));
        }
        Ok((self.value(index)?, 0))
    }

    /// Returns `ptr` ± `index` · `size`.
    pub(super) fn scaled_add(&mut self, ptr: Value, index: Value, size: u64, negate: bool) -> Value {
        let mut bytes = index;
        if size != 1 {
            let size = self.b.i64(size as i64);
            bytes = self.b.binary(BinOp::IMul, index, size);
        }
        if negate {
            bytes = self.b.unary(crate::ir::UnOp::INeg, bytes);
        }
        self.b.ptr_add(ptr, bytes)
    }

    /// Returns the address as a pointer.
    pub(super) fn address(&mut self, addr: Addr) -> Value {
        self.b.ptr_offset(addr.ptr, addr.offset)
    }

    /// Loads a value that an SSA value can hold.
    pub(super) fn load_value(&mut self, addr: Addr, ty: TypeId) -> Lowered<Value> {
        let ty = self.ty(ty)?;
        let ptr = self.address(addr);
        if ty == Ty::BOOL {
            let byte = self.b.load(ptr, Ty::I8, addr.access());
            let zero = self.b.zero(Ty::I8);
            return Ok(self.b.compare(CmpOp::INe, byte, zero));
        }
        Ok(self.b.load(ptr, ty, addr.access()))
    }

    /// Stores a value.
    pub(super) fn store_value(&mut self, addr: Addr, ty: TypeId, value: Value) -> Lowered<()> {
        let ty = self.ty(ty)?;
        let ptr = self.address(addr);
        let value = if ty == Ty::BOOL {
            self.b.cast(CastOp::ZExt, value, Ty::I8)
        } else {
            value
        };
        self.b.store(ptr, value, addr.access());
        Ok(())
    }

    /// Loads from a place of scalar, vector or pointer type.
    pub(super) fn load_slot(&mut self, slot: &Slot, ty: TypeId) -> Lowered<Value> {
        match slot {
            Slot::Memory(addr) => self.load_value(*addr, ty),
            Slot::Handle(v) => Ok(*v),
            Slot::Lanes {
                addr,
                scalar,
                count,
                lanes,
            } => {
                let vector = self.load_vector(*addr, *scalar, *count);
                let lanes: Vec<u8> = lanes.iter().map(|&l| l.min(count - 1)).collect();
                Ok(self.swizzle(vector, &lanes))
            }
            Slot::DynamicLane { addr, vector, index } => {
                let ptr = self.address(*addr);
                let whole = self.b.load(ptr, *vector, addr.access());
                Ok(self.b.extract_dynamic(whole, *index))
            }
        }
    }

    fn load_vector(&mut self, addr: Addr, scalar: hir::Scalar, count: u8) -> Value {
        let ptr = self.address(addr);
        let ty = Ty::vector(scalar.in_ir(), count);
        self.b.load(ptr, ty, addr.access())
    }

    /// Stores to a place of scalar, vector or pointer type. In memory that other work-items can see, only the
    /// bytes of the place are written.
    pub(super) fn store_slot(&mut self, slot: &Slot, ty: TypeId, value: Value) -> Lowered<()> {
        match slot {
            Slot::Memory(addr) => self.store_value(*addr, ty, value)?,
            Slot::Handle(_) => return broken("an image or sampler is assigned"),
            Slot::Lanes {
                addr,
                scalar,
                count,
                lanes,
            } if self.is_private(*addr) => {
                let old = self.load_vector(*addr, *scalar, *count);
                let new = self.with_lanes(old, *count, value, lanes);
                let ptr = self.address(*addr);
                self.b.store(ptr, new, addr.access());
            }
            Slot::Lanes {
                addr,
                scalar,
                count,
                lanes,
            } => {
                for (i, &lane) in lanes.iter().enumerate().filter(|(_, lane)| **lane < *count) {
                    let one = if lanes.len() == 1 {
                        value
                    } else {
                        self.b.extract(value, i as u8)
                    };
                    let at = addr.plus(i64::from(lane) * i64::from(scalar.bytes()));
                    let ptr = self.address(at);
                    self.b.store(ptr, one, at.access());
                }
            }
            Slot::DynamicLane { addr, vector, index } => {
                let ptr = self.address(*addr);
                let old = self.b.load(ptr, *vector, addr.access());
                let new = self.b.insert_dynamic(old, value, *index);
                self.b.store(ptr, new, addr.access());
            }
        }
        Ok(())
    }

    /// Returns `old` with some of its lanes replaced by those of `value`. A write to the fourth lane of a
    /// vector of three is dropped.
    fn with_lanes(&mut self, old: Value, count: u8, value: Value, lanes: &[u8]) -> Value {
        if let [lane] = *lanes {
            return if lane < count {
                self.b.insert_lane(old, value, lane)
            } else {
                old
            };
        }
        let wide = self.resize(value, count);
        let mut mask: Vec<u8> = (0..count).collect();
        for (i, &lane) in lanes.iter().enumerate().filter(|(_, lane)| **lane < count) {
            mask[lane as usize] = count + i as u8;
        }
        self.b.shuffle(old, wide, mask)
    }

    /// Returns a vector with surplus lanes removed, or with undefined lanes appended.
    pub(super) fn resize(&mut self, vector: Value, lanes: u8) -> Value {
        let have = self.b.func.ty(vector).lanes;
        if have == lanes {
            return vector;
        }
        let mask = (0..lanes).map(|l| if l < have { l } else { 0xff }).collect();
        self.b.shuffle(vector, vector, mask)
    }

    /// Returns the selected lanes of a vector value.
    pub(super) fn swizzle(&mut self, vector: Value, lanes: &[u8]) -> Value {
        match lanes {
            [lane] => self.b.extract(vector, *lane),
            _ => self.b.shuffle(vector, vector, lanes.to_vec()),
        }
    }

    /// Copies an object.
    pub(super) fn copy(&mut self, dst: Addr, src: Addr, ty: TypeId) -> Lowered<()> {
        let size = types::size(&self.cx.program.types, ty)?;
        if size > 0 {
            let to = self.address(dst);
            let from = self.address(src);
            self.b.mem_cpy(to, dst.access(), from, src.access(), size);
        }
        Ok(())
    }
}
