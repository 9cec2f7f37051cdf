//! The names of types and operations in the text form, and their parsing.
//!
//! An operation that mirrors a SPIR-V instruction has its name without `Op`; an operation of our own has a
//! snake_case name.

use super::{
    AddressSpace, BinOp, CastOp, CmpOp, Component, HandleFact, Matrix, MatrixUse, Scalar, Storage, Ty, UnOp,
};
use crate::intrinsic::{
    AtomicOp, Clock, DeviceProperty, DotSigns, FloatAtomic, ImageShape, Intrinsic, MatrixEach, MatrixLayout,
    MatrixMemory, MatrixOp, MatrixSigns, SubgroupOp, SubgroupPart, Texel, TexelFormat,
};
use std::fmt;

/// A type whose values are each written as one word.
pub trait Named: Sized + Copy + 'static {
    /// All values with their names.
    const NAMES: &'static [(&'static str, Self)];
    /// Returns the name.
    fn name(self) -> &'static str;
    /// Returns the value with this name.
    fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }
}

macro_rules! named {
    ($ty:ident { $($variant:ident $name:literal),* $(,)? }) => {
        impl Named for $ty {
            const NAMES: &'static [(&'static str, Self)] = &[$(($name, $ty::$variant)),*];
            fn name(self) -> &'static str {
                match self {
                    $($ty::$variant => $name),*
                }
            }
        }
    };
}

named!(BinOp {
    IAdd "IAdd", ISub "ISub", IMul "IMul", SDiv "SDiv", UDiv "UDiv", SRem "SRem", URem "UMod",
    Shl "ShiftLeftLogical", AShr "ShiftRightArithmetic", LShr "ShiftRightLogical",
    And "BitwiseAnd", Or "BitwiseOr", Xor "BitwiseXor",
    FAdd "FAdd", FSub "FSub", FMul "FMul", FDiv "FDiv", FRem "FRem",
});

named!(UnOp { INeg "SNegate", Not "Not", FNeg "FNegate" });

named!(CmpOp {
    IEq "IEqual", INe "INotEqual",
    SLt "SLessThan", SLe "SLessThanEqual", SGt "SGreaterThan", SGe "SGreaterThanEqual",
    ULt "ULessThan", ULe "ULessThanEqual", UGt "UGreaterThan", UGe "UGreaterThanEqual",
    FOEq "FOrdEqual", FONe "FOrdNotEqual",
    FOLt "FOrdLessThan", FOLe "FOrdLessThanEqual", FOGt "FOrdGreaterThan", FOGe "FOrdGreaterThanEqual",
    FUNe "FUnordNotEqual", FUEq "FUnordEqual",
    FULt "FUnordLessThan", FULe "FUnordLessThanEqual", FUGt "FUnordGreaterThan", FUGe "FUnordGreaterThanEqual",
});

named!(CastOp {
    Trunc "trunc", ZExt "zext", SExt "sext",
    FConvert "FConvert", FToS "ConvertFToS", FToU "ConvertFToU", SToF "ConvertSToF", UToF "ConvertUToF",
    Bitcast "Bitcast", PtrToInt "ptr_to_int", IntToPtr "int_to_ptr", PtrCast "ptr_cast",
});

named!(AddressSpace {
    Private "private", Local "local", Global "global", Constant "constant", Push "push", Args "args",
    Generic "generic",
});

named!(AtomicOp {
    Add "add", Sub "sub", Xchg "xchg", SMin "smin", SMax "smax", UMin "umin", UMax "umax",
    And "and", Or "or", Xor "xor", CmpXchg "cmpxchg", Load "load", Store "store",
});

named!(MatrixUse { A "a", B "b", Accumulator "accumulator" });

named!(MatrixEach {
    IAdd "IAdd", ISub "ISub", IMul "IMul", SDiv "SDiv", UDiv "UDiv",
    FAdd "FAdd", FSub "FSub", FMul "FMul", FDiv "FDiv", INeg "SNegate", FNeg "FNegate",
    Trunc "trunc", ZExt "zext", SExt "sext", FConvert "FConvert",
    FToS "ConvertFToS", FToU "ConvertFToU", SToF "ConvertSToF", UToF "ConvertUToF", Bitcast "Bitcast",
});

named!(MatrixLayout { Rows "rows", Columns "columns" });

named!(DeviceProperty {
    FusedFma "fused_fma", FastFma "fast_fma", Exp2 "exp2", Rsqrt "rsqrt", Doubles "doubles",
    UnsignedDot "dot_u", SignedDot "dot_s", MixedDot "dot_su", UnsignedSaturatingDot "dot_acc_sat_u",
    SignedSaturatingDot "dot_acc_sat_s", MixedSaturatingDot "dot_acc_sat_su",
});

named!(DotSigns { Unsigned "u", Signed "s", Mixed "su" });

named!(Clock { Device "device", Subgroup "subgroup" });

named!(FloatAtomic { Add "add", Sub "sub", Min "min", Max "max" });

named!(SubgroupOp {
    IAdd "iadd", FAdd "fadd", IMul "imul", FMul "fmul", SMin "smin", UMin "umin", FMin "fmin",
    SMax "smax", UMax "umax", FMax "fmax", And "and", Or "or", Xor "xor",
});

named!(SubgroupPart { Reduce "reduce", Inclusive "inclusive", Exclusive "exclusive" });

named!(HandleFact {
    ChannelOrder "channel_order", ChannelDataType "channel_data_type", SamplerMask "sampler_mask",
    NotNull "not_null",
});

macro_rules! intrinsics {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// The intrinsics without parameters of their own.
        pub const PLAIN_INTRINSICS: &[(&str, Intrinsic)] = &[$(($name, Intrinsic::$variant)),*];

        impl fmt::Display for Intrinsic {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Intrinsic::$variant => f.write_str($name),)*
                    Intrinsic::Barrier(flags) => write!(f, "barrier{}", fence(*flags)),
                    Intrinsic::Fence(flags) => write!(f, "fence{}", fence(*flags)),
                    Intrinsic::SubgroupBarrier(flags) => write!(f, "subgroup_barrier{}", fence(*flags)),
                    Intrinsic::SubgroupArith(op, part) => {
                        write!(f, "subgroup_{}_{}", part.name(), op.name())
                    }
                    Intrinsic::Atomic(op) => write!(f, "atomic_{}", op.name()),
                    Intrinsic::DeviceHas(what) => write!(f, "device_has_{}", what.name()),
                    Intrinsic::PackedDot(signs) => write!(f, "packed_dot_{}", signs.name()),
                    Intrinsic::PackedDotAccSat(signs) => write!(f, "packed_dot_acc_sat_{}", signs.name()),
                    Intrinsic::ReadClock(clock) => write!(f, "read_clock_{}", clock.name()),
                    Intrinsic::FloatAtomic(op) => write!(f, "float_atomic_{}", op.name()),
                    Intrinsic::Matrix(op) => write!(f, "matrix_{op}"),
                    Intrinsic::ReadImage(s, t) => write!(f, "read_image_{}_{}", s.name(), t.name()),
                    Intrinsic::SampleImage(s, t) => write!(f, "sample_image_{}_{}", s.name(), t.name()),
                    Intrinsic::FetchImage(s, t) => write!(f, "fetch_image_{}_{}", s.name(), t.name()),
                    Intrinsic::LoadImage(s, t) => write!(f, "load_image_{}_{}", s.name(), t.name()),
                    Intrinsic::LoadFormat(s, t) => write!(f, "load_format_{}_{}", s.name(), t.name()),
                    Intrinsic::WriteImage(s, t) => write!(f, "write_image_{}_{}", s.name(), t.name()),
                    Intrinsic::ImageSize(s) => write!(f, "image_size_{}", s.name()),
                }
            }
        }
    };
}

fn fence(flags: crate::intrinsic::FenceFlags) -> &'static str {
    match (flags.local, flags.global) {
        (false, false) => "",
        (true, false) => "_local",
        (false, true) => "_global",
        (true, true) => "_local_global",
    }
}

intrinsics! {
    GlobalId "global_id", LocalId "local_id", GroupId "group_id", GlobalSize "global_size",
    LocalSize "local_size", EnqueuedLocalSize "enqueued_local_size",
    NumGroups "num_groups", GlobalOffset "global_offset", WorkDim "work_dim",
    WorkgroupId "workgroup_id", LocalInvocationId "local_invocation_id", WorkgroupSize "workgroup_size",
    DeviceLocalId "device_local_id", DeviceGroupSize "device_group_size",
    GlobalInvocationId "global_invocation_id", NumWorkgroups "num_workgroups_dispatched",
    GlobalOffsetConstant "global_offset_constant",
    SubgroupMaxSize "subgroup_max_size", SubgroupSize "subgroup_size", NumSubgroups "num_subgroups",
    SubgroupId "subgroup_id", SubgroupLocalId "subgroup_local_id",
    SubgroupAll "subgroup_all", SubgroupAny "subgroup_any", SubgroupBallot "subgroup_ballot",
    SubgroupBroadcast "subgroup_broadcast",
    SubgroupShuffle "subgroup_shuffle", SubgroupShuffleXor "subgroup_shuffle_xor",
    FAbs "fabs", Floor "floor", Ceil "ceil", Trunc "ftrunc", RoundEven "round_even", Sqrt "sqrt",
    InverseSqrt "inverse_sqrt", Fma "fma", MultiplyAdd "multiply_add",
    RoughDivide "rough_divide", RoundedSqrt "rounded_sqrt", FMin "fmin", FMax "fmax",
    Sin "sin", Cos "cos", Tan "tan", Asin "asin", Acos "acos", Atan "atan", Atan2 "atan2",
    Sinh "sinh", Cosh "cosh", Tanh "tanh", Asinh "asinh", Acosh "acosh", Atanh "atanh",
    Exp "exp", Exp2 "exp2", Log "log", Log2 "log2", Pow "pow", Ldexp "ldexp", Dot "dot",
    IsNan "is_nan", IsInf "is_inf", Any "any", All "all",
    SAbs "sabs", SMin "smin", SMax "smax", UMin "umin", UMax "umax",
    UMulHigh "umul_high", SMulHigh "smul_high", PopCount "pop_count", Clz "clz", Ctz "ctz",
    BitReverse "bit_reverse", UnpackHalf2x16 "unpack_half_2x16", PackHalf2x16 "pack_half_2x16",
    PointerTag "pointer_tag", ArgumentMemory "argument_memory",
    IsAllocated "is_allocated",
    ReportFinding "report_finding", MemberIndex "member_index",
    CopyBegins "copy_begins", CopiesEnd "copies_end", Printf "printf", Prefetch "prefetch", ChannelOrder "channel_order", ChannelDataType "channel_data_type",
    SamplerProperties "sampler_properties",
}

/// Returns the intrinsic with this name.
pub fn intrinsic_from_name(name: &str) -> Option<Intrinsic> {
    if let Some((_, i)) = PLAIN_INTRINSICS.iter().find(|(n, _)| *n == name) {
        return Some(*i);
    }
    if let Some((verb, rest)) = name.split_once("_image_") {
        return image_access(verb, rest);
    }
    if let Some(shape) = name.strip_prefix("image_size_") {
        return image_shape(shape).map(Intrinsic::ImageSize);
    }
    if let Some(what) = name.strip_prefix("load_format_") {
        let (shape, format) = what.rsplit_once('_')?;
        let format = TexelFormat::all().find(|f| f.name() == format)?;
        return Some(Intrinsic::LoadFormat(image_shape(shape)?, format));
    }
    if let Some(op) = name.strip_prefix("matrix_") {
        return matrix_op(op).map(Intrinsic::Matrix);
    }
    if let Some(what) = name.strip_prefix("device_has_") {
        return DeviceProperty::from_name(what).map(Intrinsic::DeviceHas);
    }
    if let Some(signs) = name.strip_prefix("packed_dot_") {
        return match signs.strip_prefix("acc_sat_") {
            Some(signs) => DotSigns::from_name(signs).map(Intrinsic::PackedDotAccSat),
            None => DotSigns::from_name(signs).map(Intrinsic::PackedDot),
        };
    }
    if let Some(clock) = name.strip_prefix("read_clock_") {
        return Clock::from_name(clock).map(Intrinsic::ReadClock);
    }
    if let Some(op) = name.strip_prefix("atomic_") {
        return AtomicOp::from_name(op).map(Intrinsic::Atomic);
    }
    let flags = |suffix| {
        let all = [(false, false), (true, false), (false, true), (true, true)];
        all.map(|(local, global)| crate::intrinsic::FenceFlags { local, global })
            .into_iter()
            .find(|f| fence(*f) == suffix)
    };
    if let Some(suffix) = name.strip_prefix("subgroup_barrier") {
        return flags(suffix).map(Intrinsic::SubgroupBarrier);
    }
    if let Some(rest) = name.strip_prefix("subgroup_") {
        let (part, op) = rest.split_once('_')?;
        let (part, op) = (SubgroupPart::from_name(part)?, SubgroupOp::from_name(op)?);
        return Some(Intrinsic::SubgroupArith(op, part));
    }
    if let Some(suffix) = name.strip_prefix("barrier") {
        return flags(suffix).map(Intrinsic::Barrier);
    }
    flags(name.strip_prefix("fence")?).map(Intrinsic::Fence)
}

impl fmt::Display for MatrixMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let volatile = if self.volatile { "_volatile" } else { "" };
        write!(f, "{}{volatile}", self.layout.name())
    }
}

impl MatrixMemory {
    /// Returns the access with this name.
    pub fn from_name(name: &str) -> Option<MatrixMemory> {
        let layout = name.strip_suffix("_volatile");
        Some(MatrixMemory {
            layout: MatrixLayout::from_name(layout.unwrap_or(name))?,
            volatile: layout.is_some(),
        })
    }
}

impl fmt::Display for MatrixOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatrixOp::Load(memory) => write!(f, "load_{memory}"),
            MatrixOp::Store(memory) => write!(f, "store_{memory}"),
            MatrixOp::MultiplyAdd(signs) => write!(f, "multiply_add_{}", signs.bits()),
            MatrixOp::Fill => f.write_str("fill"),
            MatrixOp::Length => f.write_str("length"),
            MatrixOp::Extract => f.write_str("extract"),
            MatrixOp::Insert => f.write_str("insert"),
            MatrixOp::Scale => f.write_str("scale"),
            MatrixOp::Each(op) => write!(f, "each_{}", op.name()),
        }
    }
}

/// Parses the part of a name that follows `matrix_`.
fn matrix_op(name: &str) -> Option<MatrixOp> {
    let what = |prefix| name.strip_prefix(prefix);
    Some(match name {
        "fill" => MatrixOp::Fill,
        "length" => MatrixOp::Length,
        "extract" => MatrixOp::Extract,
        "insert" => MatrixOp::Insert,
        "scale" => MatrixOp::Scale,
        _ if let Some(memory) = what("load_") => MatrixOp::Load(MatrixMemory::from_name(memory)?),
        _ if let Some(memory) = what("store_") => MatrixOp::Store(MatrixMemory::from_name(memory)?),
        _ if let Some(bits) = what("multiply_add_") => {
            MatrixOp::MultiplyAdd(MatrixSigns::from_bits(bits.parse().ok()?)?)
        }
        _ => MatrixOp::Each(MatrixEach::from_name(what("each_")?)?),
    })
}

fn image_shape(name: &str) -> Option<ImageShape> {
    ImageShape::ALL.into_iter().find(|s| s.name() == name)
}

/// Parses the part of a name that follows `read_image_` and its like, for example `2d_f`.
fn image_access(verb: &str, what: &str) -> Option<Intrinsic> {
    let (shape, texel) = what.rsplit_once('_')?;
    let shape = image_shape(shape)?;
    let texel = Texel::ALL.into_iter().find(|t| t.name() == texel)?;
    Some(match verb {
        "read" => Intrinsic::ReadImage(shape, texel),
        "sample" => Intrinsic::SampleImage(shape, texel),
        "load" => Intrinsic::LoadImage(shape, texel),
        "fetch" => Intrinsic::FetchImage(shape, texel),
        "write" => Intrinsic::WriteImage(shape, texel),
        _ => return None,
    })
}

impl fmt::Display for AddressSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Storage::Physical => "physical",
            Storage::Arena(ty) => return write!(f, "arena<{ty}>"),
            Storage::Variable => "variable",
            Storage::PushWord => "push_word",
            Storage::ArgsWord => "args_word",
            Storage::Buffer(n, ty) => return write!(f, "buffer<{n}_{ty}>"),
            Storage::Shared(n, ty) => return write!(f, "shared<{n}_{ty}>"),
            Storage::ReadOnly(n, ty) => return write!(f, "read_only<{n}_{ty}>"),
        })
    }
}

impl Storage {
    /// Returns the storage with this name.
    pub fn from_name(name: &str) -> Option<Storage> {
        Some(match name {
            "physical" => Storage::Physical,
            "variable" => Storage::Variable,
            "push_word" => Storage::PushWord,
            "args_word" => Storage::ArgsWord,
            _ => {
                let (kind, inside) = name.strip_suffix('>')?.split_once('<')?;
                let object = || {
                    let (n, ty) = inside.split_once('_')?;
                    Some((n.parse().ok()?, Ty::from_name(ty)?))
                };
                match kind {
                    "arena" => Storage::Arena(Ty::from_name(inside)?),
                    "buffer" => object().map(|(n, ty)| Storage::Buffer(n, ty))?,
                    "shared" => object().map(|(n, ty)| Storage::Shared(n, ty))?,
                    "read_only" => object().map(|(n, ty)| Storage::ReadOnly(n, ty))?,
                    _ => return None,
                }
            }
        })
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Image => "image",
            Scalar::Sampler => "sampler",
            Scalar::Ptr(space) => return write!(f, "ptr<{space}>"),
            Scalar::Matrix(m) => return write!(f, "matrix<{m}>"),
        })
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}_{}x{}_{}",
            self.scalar(),
            self.rows,
            self.columns,
            self.role.name()
        )
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_vector() {
            write!(f, "v{}{}", self.lanes, self.scalar)
        } else {
            write!(f, "{}", self.scalar)
        }
    }
}

impl Scalar {
    /// Returns the scalar with this name.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Some(match name {
            "bool" => Scalar::Bool,
            "i8" => Scalar::I8,
            "i16" => Scalar::I16,
            "i32" => Scalar::I32,
            "i64" => Scalar::I64,
            "f16" => Scalar::F16,
            "f32" => Scalar::F32,
            "f64" => Scalar::F64,
            "image" => Scalar::Image,
            "sampler" => Scalar::Sampler,
            _ => {
                let (kind, inside) = name.strip_suffix('>')?.split_once('<')?;
                match kind {
                    "ptr" => Scalar::Ptr(AddressSpace::from_name(inside)?),
                    "matrix" => Scalar::Matrix(matrix(inside)?),
                    _ => return None,
                }
            }
        })
    }
}

/// Parses what is between the angle brackets of a matrix type, for example `f16_16x8_a`.
fn matrix(name: &str) -> Option<Matrix> {
    let mut parts = name.split('_');
    let component = Component::of(Scalar::from_name(parts.next()?)?)?;
    let (rows, columns) = parts.next()?.split_once('x')?;
    Some(Matrix {
        component,
        rows: rows.parse().ok()?,
        columns: columns.parse().ok()?,
        role: MatrixUse::from_name(parts.next()?)?,
    })
}

impl Ty {
    /// Returns the type with this name.
    pub fn from_name(name: &str) -> Option<Ty> {
        if let Some(scalar) = Scalar::from_name(name) {
            return Some(Ty::of(scalar));
        }
        let rest = name.strip_prefix('v')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let lanes: u8 = rest[..digits].parse().ok()?;
        if !matches!(lanes, 2 | 3 | 4 | 8 | 16) {
            return None;
        }
        Some(Ty::vector(Scalar::from_name(&rest[digits..])?, lanes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_are_distinct<T: Named + PartialEq + fmt::Debug>() {
        for (name, value) in T::NAMES {
            assert_eq!(T::from_name(name), Some(*value), "{name}");
            assert_eq!(value.name(), *name);
        }
    }

    #[test]
    fn each_name_names_one_thing() {
        names_are_distinct::<BinOp>();
        names_are_distinct::<UnOp>();
        names_are_distinct::<CmpOp>();
        names_are_distinct::<CastOp>();
        names_are_distinct::<AtomicOp>();
        names_are_distinct::<MatrixEach>();
        for (name, value) in PLAIN_INTRINSICS {
            assert_eq!(intrinsic_from_name(name), Some(*value), "{name}");
            assert_eq!(value.to_string(), *name);
        }
        let names = [
            "barrier_local",
            "fence",
            "barrier_local_global",
            "atomic_cmpxchg",
            "read_image_2d_array_ui",
            "sample_image_1d_f",
            "fetch_image_buffer_i",
            "write_image_3d_f",
            "image_size_1d_array",
            "matrix_load_columns",
            "matrix_store_rows_volatile",
            "matrix_multiply_add_31",
            "matrix_each_FAdd",
            "matrix_each_ConvertSToF",
            "matrix_fill",
        ];
        for name in names {
            assert_eq!(
                intrinsic_from_name(name).map(|i| i.to_string()).as_deref(),
                Some(name)
            );
        }
        for name in [
            "ptr<global>",
            "v16f64",
            "v3i8",
            "bool",
            "v2ptr<local>",
            "matrix<f16_16x8_accumulator>",
        ] {
            assert_eq!(Ty::from_name(name).map(|t| t.to_string()).as_deref(), Some(name));
        }
        assert_eq!(Ty::from_name("v5i8"), None);
    }
}
