//! The dialect's types, and their text.

use crate::spirv_text::grammar;
use rspirv::grammar::OperandKind;
use std::fmt;

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `none`, the type of a function without a result.
    Void,
    /// `i1`
    Bool,
    /// `i32`, `si32` (signed); `ui32` is `i32`.
    Int(u32, bool),
    /// `f32`
    Float(u32),
    /// `vector<4xf32>`
    Vector(u32, Box<Type>),
    /// `!spirv.matrix<3 x vector<3xf32>>`: the number of columns, and their type.
    Matrix(u32, Box<Type>),
    /// `!spirv.array<4 x i32, stride=4>`; no stride is 0.
    Array(u32, Box<Type>, u32),
    /// `!spirv.rtarray<i32, stride=4>`
    RuntimeArray(Box<Type>, u32),
    /// `!spirv.struct<(f32 [0], i32 [4])>`: the members with their offsets and decorations.
    Struct(Vec<Member>),
    /// `!spirv.ptr<i32, Function>`: the pointee and the storage class.
    Pointer(Box<Type>, u32),
    /// `!spirv.image<…>`
    Image(Box<Image>),
    /// `!spirv.sampled_image<!spirv.image<…>>`
    SampledImage(Box<Image>),
}

/// A member of a structure.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// The type.
    pub ty: Type,
    /// The offset in bytes, if it is stated.
    pub offset: Option<u32>,
    /// The numbers of the decorations.
    pub decorations: Vec<u32>,
    /// The stride in bytes of the columns of a matrix.
    pub matrix_stride: Option<u32>,
}

/// An image type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Image {
    /// The type of the components.
    pub element: Type,
    /// The operands of OpTypeImage: Dim, Depth, Arrayed, MS, Sampled, Image Format.
    pub operands: [u32; 6],
}

/// The words of the dialect for the operands of OpTypeImage from Depth to Sampled.
pub(super) const IMAGE_WORDS: [&[&str]; 4] = [
    &["NoDepth", "IsDepth", "DepthUnknown"],
    &["NonArrayed", "Arrayed"],
    &["SingleSampled", "MultiSampled"],
    &["SamplerUnknown", "NeedSampler", "NoSampler"],
];

impl Type {
    /// Returns the type of a vector's components, and other types as they are.
    pub(super) fn component(&self) -> Type {
        match self {
            Type::Vector(_, component) => (**component).clone(),
            _ => self.clone(),
        }
    }

    /// Returns the type of a comparison's result: `i1`, or a vector of it.
    pub(super) fn truth(&self) -> Type {
        match self {
            Type::Vector(n, _) => Type::Vector(*n, Box::new(Type::Bool)),
            _ => Type::Bool,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stride = |stride: u32| match stride {
            0 => String::new(),
            n => format!(", stride={n}"),
        };
        match self {
            Type::Void => f.write_str("none"),
            Type::Bool => f.write_str("i1"),
            Type::Int(bits, false) => write!(f, "i{bits}"),
            Type::Int(bits, true) => write!(f, "si{bits}"),
            Type::Float(bits) => write!(f, "f{bits}"),
            Type::Vector(n, element) => write!(f, "vector<{n}x{element}>"),
            Type::Matrix(n, column) => write!(f, "!spirv.matrix<{n} x {column}>"),
            Type::Array(n, element, s) => write!(f, "!spirv.array<{n} x {element}{}>", stride(*s)),
            Type::RuntimeArray(element, s) => write!(f, "!spirv.rtarray<{element}{}>", stride(*s)),
            Type::Struct(members) => {
                let list: Vec<String> = members.iter().map(Member::to_string).collect();
                write!(f, "!spirv.struct<({})>", list.join(", "))
            }
            Type::Pointer(pointee, class) => {
                let class = grammar::name(OperandKind::StorageClass, *class).unwrap_or_default();
                write!(f, "!spirv.ptr<{pointee}, {class}>")
            }
            Type::Image(image) => write!(f, "{image}"),
            Type::SampledImage(image) => write!(f, "!spirv.sampled_image<{image}>"),
        }
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset.iter().map(u32::to_string);
        let decorations = self.decorations.iter();
        let names = decorations.filter_map(|&d| grammar::name(OperandKind::Decoration, d));
        let stride = self.matrix_stride.iter().map(|n| format!("MatrixStride={n}"));
        let list: Vec<String> = offset.chain(names).chain(stride).collect();
        match list.is_empty() {
            true => write!(f, "{}", self.ty),
            false => write!(f, "{} [{}]", self.ty, list.join(", ")),
        }
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [dim, words @ .., format] = self.operands;
        let dim = grammar::name(OperandKind::Dim, dim).unwrap_or_default();
        write!(f, "!spirv.image<{}, Dim{dim}", self.element)?;
        for (word, names) in words.iter().zip(IMAGE_WORDS) {
            write!(f, ", {}", names.get(*word as usize).unwrap_or(&"?"))?;
        }
        let format = grammar::name(OperandKind::ImageFormat, format).unwrap_or_default();
        write!(f, ", {format}>")
    }
}
