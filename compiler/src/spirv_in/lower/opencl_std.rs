//! The instructions of OpenCL.std: calls of the functions of OpenCL C that have the same meaning.

use super::func::{Def, FuncLowering};
use super::generic::StandIn;
use crate::intrinsic::Intrinsic;
use crate::ir::{AddressSpace, CastOp, Scalar, Ty, Value};
use crate::printf::literal_arguments;
use crate::spirv_in::Error;
use crate::spirv_in::consts::Constant;
use crate::spirv_in::library::CType;
use crate::spirv_in::module::Set;
use crate::spirv_in::types::Type;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{FPRoundingMode, Op, OpenclStd100Op};

/// An OpenCL.std instruction whose operands are passed to a function of OpenCL C.
struct Function {
    /// The name in OpenCL C.
    name: String,
    /// Whether integers are signed.
    signed: bool,
}

/// Returns the function that an instruction is. OpenCL.std has two instructions, `s_` and `u_`, where OpenCL C
/// distinguishes signed and unsigned arguments, and other names for three overloads.
fn function(number: OpenclStd100Op) -> Function {
    let name = format!("{number:?}");
    let (name, signed) = match name.split_once('_') {
        Some(("s", rest)) => (rest.to_owned(), true),
        Some(("u", rest)) => (rest.to_owned(), false),
        _ => {
            let unsigned = matches!(
                number,
                OpenclStd100Op::nan | OpenclStd100Op::shuffle | OpenclStd100Op::shuffle2
            );
            (name, !unsigned)
        }
    };
    let name = match name.as_str() {
        "fclamp" => "clamp".into(),
        "fmax_common" => "max".into(),
        "fmin_common" => "min".into(),
        _ => name,
    };
    Function { name, signed }
}

/// Returns the suffix of a rounding mode in OpenCL C.
fn rounding(inst: &Inst<'_>, n: usize) -> Result<&'static str, Error> {
    match FPRoundingMode::from_u32(inst.arg(n)?) {
        Some(FPRoundingMode::RTE) => Ok("_rte"),
        Some(FPRoundingMode::RTZ) => Ok("_rtz"),
        Some(FPRoundingMode::RTP) => Ok("_rtp"),
        Some(FPRoundingMode::RTN) => Ok("_rtn"),
        None => Err(inst.invalid("the rounding mode is unknown")),
    }
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    pub(super) fn extended_instruction(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        if self.cx.source.sets.get(&inst.arg(0)?) != Some(&Set::OpenClStd) {
            return Err(inst.invalid("it names no instruction set"));
        }
        let number = inst.arg(1)?;
        let Some(op) = OpenclStd100Op::from_u32(number) else {
            return Err(inst.unsupported(format!("instruction {number} of OpenCL.std is unknown")));
        };
        use OpenclStd100Op as S;
        match op {
            S::printf => self.printf(inst),
            S::vloadn | S::vload_half | S::vload_halfn | S::vloada_halfn => self.vector_load(inst, op),
            S::vstoren
            | S::vstore_half
            | S::vstore_half_r
            | S::vstore_halfn
            | S::vstore_halfn_r
            | S::vstorea_halfn
            | S::vstorea_halfn_r => self.vector_store(inst, op),
            _ => self.plain_function(inst, op),
        }
    }

    fn plain_function(&mut self, inst: &Inst<'_>, op: OpenclStd100Op) -> Result<(), Error> {
        let f = function(op);
        let mut types = Vec::new();
        let mut values = Vec::new();
        let mut results = Vec::new();
        for (n, &id) in inst.args_from(2)?.iter().enumerate() {
            // The lower half of `upsample` is unsigned.
            let signed = f.signed && !(op == OpenclStd100Op::s_upsample && n == 1);
            // The elements that are shuffled may have any type; the masks are unsigned.
            types.push(self.c_type(inst, id, signed, "")?);
            let value = self.value(inst, id)?;
            if self.b.func.ty(value).space() != Some(AddressSpace::Generic) {
                values.push(value);
                continue;
            }
            if op == OpenclStd100Op::prefetch {
                // A hint about memory that may not be global.
                return Ok(());
            }
            // All other functions with a pointer write a result there.
            let (_, pointee) = self.pointer(inst, id)?;
            let layout = self.cx.source.types.layout_of(inst, pointee)?;
            let result = self.stand_in(value, layout.size, layout.align);
            values.push(result.memory);
            results.push(result);
        }
        let letters: Vec<String> = ('a'..='z').take(types.len()).map(String::from).collect();
        let call = format!("{}({})", f.name, letters.join(", "));
        let ret = match self.cx.source.types.get(inst.ty) {
            Some(Type::Void) => None,
            _ => Some(self.number_type(inst, f.signed)?),
        };
        let body = match &ret {
            // Some functions return unsigned integers for signed arguments.
            Some(ret) if ret.ir.scalar.is_int() => format!("return as_{}({call});", ret.text),
            Some(_) => format!("return {call};"),
            None => format!("{call};"),
        };
        let value = self.call_library(&body, ret.as_ref(), &types, values);
        for result in &results {
            self.put_back(result);
        }
        self.define_from(inst, value)
    }

    /// Returns the result type in OpenCL C.
    fn number_type(&self, inst: &Inst<'_>, signed: bool) -> Result<CType, Error> {
        let ty = CType::number(self.result_type(inst)?, signed);
        ty.ok_or_else(|| inst.invalid("the result type is no number or vector of numbers"))
    }

    /// Returns the type of an operand in OpenCL C. `qualifier` is that of a pointee.
    fn c_type(&self, inst: &Inst<'_>, id: u32, signed: bool, qualifier: &str) -> Result<CType, Error> {
        let refused = || inst.unsupported(format!("an operand of the type of %{id} is not implemented here"));
        let ty = self.ir_type(inst, id)?;
        let Some(space) = ty.space() else {
            return CType::number(ty, signed).ok_or_else(refused);
        };
        let (_, pointee) = self.pointer(inst, id)?;
        let types = &self.cx.source.types;
        let pointee = types.value(types.first_element(pointee)).ok_or_else(refused)?;
        let pointee = CType::number(pointee, signed).ok_or_else(refused)?;
        // What a generic pointer leads to has a stand-in in private memory.
        let space = match space {
            AddressSpace::Generic => AddressSpace::Private,
            space => space,
        };
        CType::pointer(&format!("{qualifier}{}", pointee.text), space).ok_or_else(refused)
    }

    fn vector_load(&mut self, inst: &Inst<'_>, op: OpenclStd100Op) -> Result<(), Error> {
        let (offset, pointer) = (inst.arg(2)?, inst.arg(3)?);
        let lanes = self.result_type(inst)?.lanes;
        let suffix = if lanes > 1 {
            lanes.to_string()
        } else {
            String::new()
        };
        let name = match op {
            OpenclStd100Op::vloadn => format!("vload{suffix}"),
            OpenclStd100Op::vloada_halfn => format!("vloada_half{suffix}"),
            _ => format!("vload_half{suffix}"),
        };
        let types = [
            self.c_type(inst, offset, false, "")?,
            self.c_type(inst, pointer, true, "const ")?,
        ];
        let mut values = vec![self.value(inst, offset)?, self.value(inst, pointer)?];
        if let Some(memory) = self.vector_stand_in(inst, &mut values, pointer, lanes, op)? {
            self.fetch(&memory);
        }
        let ret = self.number_type(inst, true)?;
        let value = self.call_library(&format!("return {name}(a, b);"), Some(&ret), &types, values);
        self.define_from(inst, value)
    }

    fn vector_store(&mut self, inst: &Inst<'_>, op: OpenclStd100Op) -> Result<(), Error> {
        use OpenclStd100Op as S;
        let ids = [inst.arg(2)?, inst.arg(3)?, inst.arg(4)?];
        let lanes = self.ir_type(inst, ids[0])?.lanes;
        let suffix = if lanes > 1 {
            lanes.to_string()
        } else {
            String::new()
        };
        let mode = match op {
            S::vstore_half_r | S::vstore_halfn_r | S::vstorea_halfn_r => rounding(inst, 5)?,
            _ => "",
        };
        let name = match op {
            S::vstoren => format!("vstore{suffix}"),
            S::vstorea_halfn | S::vstorea_halfn_r => format!("vstorea_half{suffix}{mode}"),
            _ => format!("vstore_half{suffix}{mode}"),
        };
        let types = [
            self.c_type(inst, ids[0], true, "")?,
            self.c_type(inst, ids[1], false, "")?,
            self.c_type(inst, ids[2], true, "")?,
        ];
        let mut values = Vec::new();
        for id in ids {
            values.push(self.value(inst, id)?);
        }
        let memory = self.vector_stand_in(inst, &mut values[1..], ids[2], lanes, op)?;
        self.call_library(&format!("{name}(a, b, c);"), None, &types, values);
        if let Some(memory) = memory {
            self.put_back(&memory);
        }
        Ok(())
    }

    /// Replaces the offset and the pointer of a vector load or store by those of private memory, if the pointer
    /// is generic.
    fn vector_stand_in(
        &mut self,
        inst: &Inst<'_>,
        place: &mut [Value],
        pointer: u32,
        lanes: u8,
        op: OpenclStd100Op,
    ) -> Result<Option<StandIn>, Error> {
        use OpenclStd100Op as S;
        let (space, pointee) = self.pointer(inst, pointer)?;
        if space != AddressSpace::Generic {
            return Ok(None);
        }
        let element = self.cx.source.types.layout_of(inst, pointee)?.size;
        let aligned = matches!(op, S::vloada_halfn | S::vstorea_halfn | S::vstorea_halfn_r);
        // Aligned vectors of three elements are as far apart as those of four.
        let apart = if aligned && lanes == 3 {
            4
        } else {
            u32::from(lanes)
        } * element;
        let offset_type = self.b.func.ty(place[0]);
        if offset_type.is_vector() || !offset_type.scalar.is_int() {
            return Err(inst.invalid("the offset is no integer"));
        }
        let start = self.add_offset(place[1], place[0], apart);
        let memory = self.stand_in(start, u32::from(lanes) * element, element);
        place[0] = self.b.zero(offset_type);
        place[1] = memory.memory;
        Ok(Some(memory))
    }

    // Printf.

    fn printf(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let mut literals = Vec::new();
        let mut args = Vec::new();
        match self.literal(inst.arg(2)?) {
            Some(format) => {
                literals = literal_arguments(&format);
                let id = self.string(format);
                args.push(self.b.i32(id));
            }
            None => args.push(self.format(inst)?),
        }
        for (n, &id) in inst.args_from(3)?.iter().enumerate() {
            args.push(self.printed(inst, id, literals.contains(&n))?);
        }
        let value = self.b.intrinsic(Intrinsic::Printf, args, Some(Ty::I32));
        self.define_from(inst, value)
    }

    /// Returns the format as a pointer: after inlining, it may lead to constant strings.
    fn format(&mut self, inst: &Inst<'w>) -> Result<Value, Error> {
        let format = self.operand(inst, 2)?;
        match self.b.func.ty(format).space() {
            Some(AddressSpace::Constant) => Ok(format),
            _ => Err(inst.unsupported("the format is not a constant string")),
        }
    }

    /// Returns the number of a string in the module's table.
    fn string(&mut self, bytes: Vec<u8>) -> i32 {
        let strings = &mut self.cx.out.strings;
        let at = strings.iter().position(|s| *s == bytes).unwrap_or_else(|| {
            strings.push(bytes);
            strings.len() - 1
        });
        at as i32
    }

    /// Returns an argument of printf, promoted as OpenCL C's front end does it.
    fn printed(&mut self, inst: &Inst<'w>, id: u32, is_string: bool) -> Result<Value, Error> {
        let ty = self.ir_type(inst, id)?;
        if is_string
            && ty.scalar.is_ptr()
            && let Some(bytes) = self.literal(id)
        {
            let number = self.string(bytes);
            return Ok(self.b.i32(number));
        }
        let value = self.value(inst, id)?;
        if ty.is_vector() || ty.scalar.is_ptr() {
            return Ok(value);
        }
        let double = self.cx.has_double;
        Ok(match ty.scalar {
            Scalar::F16 if double => self.b.cast(CastOp::FConvert, value, Ty::F64),
            Scalar::F16 => self.b.cast(CastOp::FConvert, value, Ty::F32),
            Scalar::F32 if double => self.b.cast(CastOp::FConvert, value, Ty::F64),
            // A scalar argument of `%s` gets 64 bits, so that it is not taken for the number of a string.
            _ if ty.scalar.is_int() && is_string => self.resize(value, Ty::I64, true),
            Scalar::I8 | Scalar::I16 => self.resize(value, Ty::I32, true),
            Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64 => value,
            Scalar::Bool | Scalar::Ptr(_) | Scalar::Image | Scalar::Sampler | Scalar::Matrix(_) => {
                return Err(inst.invalid(format!("%{id} cannot be printed")));
            }
        })
    }

    /// Returns the bytes of the constant string that a pointer leads to, without the zero at their end.
    fn literal(&self, mut id: u32) -> Option<Vec<u8>> {
        let source = self.cx.source;
        // Casts and access chains with indices 0 keep the address.
        for _ in 0..16 {
            if let Some(Constant::Address { variable, offset }) = source.consts.get(id) {
                let variable = source.variables.get(variable)?;
                let bytes = match source.consts.get(variable.init)? {
                    Constant::Data(data) if data.pointers.is_empty() => &data.bytes,
                    Constant::Null => return Some(Vec::new()),
                    _ => return None,
                };
                let rest = bytes.get(usize::try_from(*offset).ok()?..)?;
                return Some(rest[..rest.iter().position(|&b| b == 0)?].to_vec());
            }
            let Def { inst, .. } = self.defs.get(&id)?;
            let indices = match inst.op {
                Op::Bitcast | Op::CopyObject | Op::PtrCastToGeneric => &[],
                Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain => inst.args.get(1..)?,
                _ => return None,
            };
            if !indices.iter().all(|&n| source.consts.integer(n) == Some(0)) {
                return None;
            }
            id = *inst.args.first()?;
        }
        None
    }
}
