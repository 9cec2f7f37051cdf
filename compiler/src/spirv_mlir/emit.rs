//! The sections of the module that is written: types and constants once each, names, decorations.

use super::types::{Image, Type};
use crate::hash::{HashMap, HashSet};
use crate::spirv_text::number::Number;
use rspirv::spirv::{Decoration, MAGIC_NUMBER, Op, StorageClass};

/// A module in parts, in the order of SPIR-V's sections.
#[derive(Default)]
pub(super) struct Emitter {
    next: u32,
    pub(super) capabilities: Vec<u32>,
    pub(super) extensions: Vec<u32>,
    imports: Vec<u32>,
    pub(super) memory_model: Vec<u32>,
    pub(super) entry_points: Vec<u32>,
    pub(super) modes: Vec<u32>,
    pub(super) names: Vec<u32>,
    pub(super) decorations: Vec<u32>,
    pub(super) globals: Vec<u32>,
    pub(super) functions: Vec<u32>,
    types: HashMap<Type, u32>,
    function_types: HashMap<Vec<u32>, u32>,
    constants: HashMap<(u32, u32, Vec<u32>), u32>,
    pub(super) constant_ids: HashSet<u32>,
    sets: HashMap<&'static str, u32>,
    /// The structures that have the decoration Block.
    blocks: HashSet<u32>,
    /// The values of integer constants of one word, by id.
    pub(super) numbers: HashMap<u32, u32>,
}

/// Appends an instruction. One that has too many words gets the length 0.
pub(super) fn put(to: &mut Vec<u32>, op: Op, operands: &[u32]) {
    let length = u16::try_from(operands.len() + 1).unwrap_or(0);
    to.push(u32::from(length) << 16 | op as u32);
    to.extend(operands);
}

/// Returns whether an instruction of a module has too many words.
pub(super) fn is_too_long(words: &[u32]) -> bool {
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        if first >> 16 == 0 {
            return true;
        }
        rest = rest.get((first >> 16) as usize..).unwrap_or_default();
    }
    false
}

/// Returns the words of a string.
pub(super) fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|w| u32::from_le_bytes(*w)).collect()
}

impl Emitter {
    /// Returns a new id.
    pub(super) fn id(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    pub(super) fn name(&mut self, id: u32, name: &str) {
        put(&mut self.names, Op::Name, &[&[id][..], &string(name)].concat());
    }

    pub(super) fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        put(
            &mut self.decorations,
            Op::Decorate,
            &[&[id, decoration as u32], operands].concat(),
        );
    }

    /// Returns the id of a type.
    pub(super) fn ty(&mut self, ty: &Type) -> u32 {
        if let Some(&id) = self.types.get(ty) {
            return id;
        }
        let (op, operands) = match ty {
            Type::Void => (Op::TypeVoid, vec![]),
            Type::Bool => (Op::TypeBool, vec![]),
            Type::Int(bits, signed) => (Op::TypeInt, vec![*bits, u32::from(*signed)]),
            Type::Float(bits) => (Op::TypeFloat, vec![*bits]),
            Type::Vector(n, element) => (Op::TypeVector, vec![self.ty(element), *n]),
            Type::Matrix(n, column) => (Op::TypeMatrix, vec![self.ty(column), *n]),
            Type::Array(n, element, _) => {
                let element = self.ty(element);
                let length = self.constant(&Type::Int(32, false), Op::Constant, vec![*n]);
                (Op::TypeArray, vec![element, length])
            }
            Type::RuntimeArray(element, _) => (Op::TypeRuntimeArray, vec![self.ty(element)]),
            Type::Struct(members) => (Op::TypeStruct, members.iter().map(|m| self.ty(&m.ty)).collect()),
            Type::Pointer(pointee, class) => (Op::TypePointer, vec![*class, self.ty(pointee)]),
            Type::Image(image) => self.image(image),
            Type::SampledImage(image) => (Op::TypeSampledImage, vec![self.ty(&Type::Image(image.clone()))]),
        };
        let id = self.id();
        put(&mut self.globals, op, &[&[id][..], &operands].concat());
        self.types.insert(ty.clone(), id);
        self.decorate_type(id, ty);
        id
    }

    fn image(&mut self, image: &Image) -> (Op, Vec<u32>) {
        let element = self.ty(&image.element);
        (Op::TypeImage, [&[element][..], &image.operands].concat())
    }

    fn decorate_type(&mut self, id: u32, ty: &Type) {
        match ty {
            Type::Array(_, _, stride @ 1..) | Type::RuntimeArray(_, stride @ 1..) => {
                self.decorate(id, Decoration::ArrayStride, &[*stride]);
            }
            Type::Struct(members) => {
                for (n, member) in members.iter().enumerate() {
                    let offset = member.offset.map(|o| vec![Decoration::Offset as u32, o]);
                    let others = member.decorations.iter().map(|&d| vec![d]);
                    let stride = member
                        .matrix_stride
                        .map(|n| vec![Decoration::MatrixStride as u32, n]);
                    for words in offset.into_iter().chain(others).chain(stride) {
                        put(
                            &mut self.decorations,
                            Op::MemberDecorate,
                            &[&[id, n as u32][..], &words].concat(),
                        );
                    }
                }
            }
            Type::Pointer(pointee, class) if matches!(**pointee, Type::Struct(_)) => {
                let blocks = [
                    StorageClass::Uniform,
                    StorageClass::StorageBuffer,
                    StorageClass::PushConstant,
                ];
                let block = self.types.get(&**pointee).copied();
                // Two pointers may have one structure.
                if let Some(block) = block.filter(|_| blocks.iter().any(|b| *b as u32 == *class))
                    && self.blocks.insert(block)
                {
                    self.decorate(block, Decoration::Block, &[]);
                }
            }
            _ => {}
        }
    }

    /// Returns the id of a function type: the result, then the parameters.
    pub(super) fn function_type(&mut self, types: &[Type]) -> u32 {
        let ids: Vec<u32> = types.iter().map(|t| self.ty(t)).collect();
        if let Some(&id) = self.function_types.get(&ids) {
            return id;
        }
        let id = self.id();
        put(&mut self.globals, Op::TypeFunction, &[&[id][..], &ids].concat());
        self.function_types.insert(ids, id);
        id
    }

    /// Returns the id of a constant.
    pub(super) fn constant(&mut self, ty: &Type, op: Op, operands: Vec<u32>) -> u32 {
        let ty = self.ty(ty);
        let key = (ty, op as u32, operands);
        if let Some(&id) = self.constants.get(&key) {
            return id;
        }
        let id = self.id();
        if let (Op::Constant, &[word]) = (op, key.2.as_slice()) {
            self.numbers.insert(id, word);
        }
        put(&mut self.globals, op, &[&[ty, id][..], &key.2].concat());
        self.constants.insert(key, id);
        self.constant_ids.insert(id);
        id
    }

    /// Returns whether an id is that of a constant.
    pub(super) fn is_constant(&self, id: u32) -> bool {
        self.constant_ids.contains(&id)
    }

    /// Returns the id of an extended instruction set.
    pub(super) fn set(&mut self, name: &'static str) -> u32 {
        if let Some(&id) = self.sets.get(name) {
            return id;
        }
        let id = self.id();
        put(
            &mut self.imports,
            Op::ExtInstImport,
            &[&[id][..], &string(name)].concat(),
        );
        self.sets.insert(name, id);
        id
    }

    /// Returns the words of the module.
    pub(super) fn words(self, minor: u32) -> Vec<u32> {
        let header = vec![MAGIC_NUMBER, 1 << 16 | minor << 8, 0, self.next + 1, 0];
        let sections = [
            header,
            self.capabilities,
            self.extensions,
            self.imports,
            self.memory_model,
            self.entry_points,
            self.modes,
            self.names,
            self.decorations,
            self.globals,
            self.functions,
        ];
        sections.concat()
    }
}

/// Returns the encoding of the numbers of a type; `None` for types without numbers.
pub(super) fn number(ty: &Type) -> Option<Number> {
    match ty {
        Type::Int(bits, signed) => Some(Number::Int(*bits, *signed)),
        Type::Float(bits) => Some(Number::Float(*bits)),
        _ => None,
    }
}
