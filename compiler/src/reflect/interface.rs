//! What a module's code uses, independently of its reflection: entry points, their descriptors, their
//! work-group sizes.
//!
//! A launch is set up from the reflection alone. If only the code knew of a descriptor, no pipeline layout
//! would contain it, and no driver checks that.

use super::{Descriptor, ReflectionError, image_type};
use crate::hash::{HashMap, HashSet};
use crate::intrinsic::ImageShape;
use std::collections::{BTreeMap, BTreeSet};

/// The type of a descriptor, as the shader declares it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are Vulkan's")]
pub enum ResourceKind {
    StorageBuffer,
    UniformBuffer,
    SampledImage,
    StorageImage,
    UniformTexelBuffer,
    StorageTexelBuffer,
    Sampler,
}

/// A descriptor that a kernel's code uses.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Resource {
    /// The descriptor.
    pub at: Descriptor,
    /// The type that the descriptor must have.
    pub kind: ResourceKind,
    /// The `CL_MEM_OBJECT_IMAGE…` value of an image.
    pub image_type: Option<u32>,
}

mod opcode {
    pub(super) const ENTRY_POINT: u16 = 15;
    pub(super) const EXECUTION_MODE: u16 = 16;
    pub(super) const TYPE_IMAGE: u16 = 25;
    pub(super) const TYPE_SAMPLER: u16 = 26;
    pub(super) const TYPE_POINTER: u16 = 32;
    pub(super) const FUNCTION: u16 = 54;
    pub(super) const FUNCTION_END: u16 = 56;
    pub(super) const FUNCTION_CALL: u16 = 57;
    pub(super) const VARIABLE: u16 = 59;
    pub(super) const DECORATE: u16 = 71;
    pub(super) const UNTYPED_VARIABLE: u16 = 4418;
}

mod storage_class {
    pub(super) const UNIFORM_CONSTANT: u32 = 0;
    pub(super) const UNIFORM: u32 = 2;
    pub(super) const STORAGE_BUFFER: u32 = 12;
}

/// A variable of the module.
struct Variable {
    class: u32,
    /// The type of the variable's contents; 0 if the variable does not state it.
    ty: u32,
}

/// An image type.
struct Image {
    /// Whether it is a storage image; otherwise it is sampled.
    storage: bool,
    shape: ImageShape,
}

impl Image {
    /// Creates the type from the operands of OpTypeImage: Dim, Arrayed, MS, Sampled.
    fn new(dim: u32, arrayed: u32, samples: u32, sampled: u32) -> Option<Image> {
        let shape = match (dim, arrayed, samples) {
            (0, 0, 0) => ImageShape::D1,
            (0, 1, 0) => ImageShape::D1Array,
            (1, 0, 0) => ImageShape::D2,
            (1, 1, 0) => ImageShape::D2Array,
            (2, 0, 0) => ImageShape::D3,
            (5, 0, 0) => ImageShape::Buffer,
            _ => return None,
        };
        let storage = match sampled {
            1 => false,
            2 => true,
            _ => return None,
        };
        Some(Image { storage, shape })
    }
}

/// What is known about a module's code.
#[derive(Default)]
pub(super) struct Interface {
    /// The names of the compute entry points, by function.
    entries: HashMap<u32, String>,
    /// The operands of LocalSize, by function.
    local_sizes: HashMap<u32, [u32; 3]>,
    pointers: HashMap<u32, u32>,
    images: HashMap<u32, Image>,
    samplers: HashSet<u32>,
    /// The structs decorated with BufferBlock, which marked storage buffers before there was a storage class
    /// for them.
    buffer_blocks: HashSet<u32>,
    sets: HashMap<u32, u32>,
    bindings: HashMap<u32, u32>,
    variables: BTreeMap<u32, Variable>,
    function: Option<u32>,
    calls: HashMap<u32, Vec<u32>>,
    /// The variables that each function refers to.
    names: HashMap<u32, BTreeSet<u32>>,
}

/// Returns which operands of an instruction in a function's body can be variables. Positions count from the
/// word after the first.
fn pointer_operands(code: u16) -> std::ops::Range<usize> {
    match code {
        // OpFunctionCall, OpPhi
        57 | 245 => 2..usize::MAX,
        // OpStore, OpCopyMemory
        62 | 63 => 0..2,
        // OpImageTexelPointer, OpLoad, OpArrayLength, OpCopyObject
        60 | 61 | 68 | 83 => 2..3,
        // OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain, OpInBoundsPtrAccessChain
        65..=67 | 70 => 2..3,
        // OpSelect
        169 => 3..5,
        // OpAtomicStore
        228 => 0..1,
        // The other atomic instructions; those of floating-point numbers
        227..=242 | 5614 | 5615 | 6035 => 2..3,
        // OpReturnValue
        254 => 0..1,
        // OpPtrEqual, OpPtrNotEqual, OpPtrDiff
        401..=403 => 2..4,
        // OpUntypedAccessChainKHR and the other untyped access chains, OpUntypedArrayLengthKHR
        4419 | 4420 | 4423..=4425 => 3..4,
        _ => 0..0,
    }
}

impl Interface {
    /// Handles the next instruction of the module. `operands` are the words after the first.
    pub(super) fn instruction(
        &mut self,
        code: u16,
        operands: &[u32],
        at: usize,
    ) -> Result<(), ReflectionError> {
        match (code, operands) {
            // GLCompute
            (opcode::ENTRY_POINT, [5, function, rest @ ..]) => {
                let end = rest.iter().position(|w| w.to_le_bytes().contains(&0));
                let words = end.and_then(|end| rest.get(..=end)).unwrap_or(rest);
                self.entries.insert(*function, super::read::text(words, at)?);
            }
            // LocalSize
            (opcode::EXECUTION_MODE, [function, 17, x, y, z]) => {
                self.local_sizes.insert(*function, [*x, *y, *z]);
            }
            (opcode::TYPE_IMAGE, [id, _, dim, _, arrayed, samples, sampled, ..]) => {
                if let Some(image) = Image::new(*dim, *arrayed, *samples, *sampled) {
                    self.images.insert(*id, image);
                }
            }
            (opcode::TYPE_SAMPLER, [id]) => {
                self.samplers.insert(*id);
            }
            (opcode::TYPE_POINTER, [id, _, ty]) => {
                self.pointers.insert(*id, *ty);
            }
            (opcode::DECORATE, [id, 3]) => {
                self.buffer_blocks.insert(*id);
            }
            (opcode::DECORATE, [id, 33, binding]) => {
                self.bindings.insert(*id, *binding);
            }
            (opcode::DECORATE, [id, 34, set]) => {
                self.sets.insert(*id, *set);
            }
            (opcode::VARIABLE, [ty, id, class, ..]) => {
                let ty = self.pointers.get(ty).copied().unwrap_or(0);
                self.variables.insert(*id, Variable { class: *class, ty });
            }
            (opcode::UNTYPED_VARIABLE, [_, id, class, rest @ ..]) => {
                let ty = rest.first().copied().unwrap_or(0);
                self.variables.insert(*id, Variable { class: *class, ty });
            }
            (opcode::FUNCTION, [_, id, ..]) => self.function = Some(*id),
            (opcode::FUNCTION_END, _) => self.function = None,
            _ => {
                let Some(function) = self.function else {
                    return Ok(());
                };
                if let (opcode::FUNCTION_CALL, [_, _, callee, ..]) = (code, operands) {
                    self.calls.entry(function).or_default().push(*callee);
                }
                let range = pointer_operands(code);
                let range = range.start.min(operands.len())..range.end.min(operands.len());
                let named = operands[range]
                    .iter()
                    .filter(|id| self.variables.contains_key(id));
                self.names.entry(function).or_default().extend(named);
            }
        }
        Ok(())
    }

    /// Returns whether a function is the entry point with this name.
    pub(super) fn is_entry(&self, function: u32, name: &str) -> bool {
        self.entries.get(&function).is_some_and(|n| n == name)
    }

    /// Returns the work-group size that is fixed in the module, if there is one.
    pub(super) fn local_size(&self, function: u32) -> Option<[u32; 3]> {
        self.local_sizes.get(&function).copied()
    }

    /// Returns the variables that an entry point and its callees refer to.
    pub(super) fn variables(&self, entry: u32) -> BTreeSet<u32> {
        let mut reached = BTreeSet::from([entry]);
        let mut open = vec![entry];
        let mut found = BTreeSet::new();
        while let Some(function) = open.pop() {
            found.extend(self.names.get(&function).into_iter().flatten());
            for &callee in self.calls.get(&function).into_iter().flatten() {
                if reached.insert(callee) {
                    open.push(callee);
                }
            }
        }
        found
    }

    /// Returns the descriptors among some variables. The result is `Err` if a variable has a type that OpenCL
    /// cannot bind, or if it needs a descriptor and has none.
    pub(super) fn resources(&self, variables: &BTreeSet<u32>) -> Result<Vec<Resource>, &'static str> {
        let mut list = BTreeSet::new();
        for id in variables {
            let Some(variable) = self.variables.get(id) else {
                continue;
            };
            let Some((kind, image_type)) = self.kind(variable)? else {
                continue;
            };
            let (Some(&set), Some(&binding)) = (self.sets.get(id), self.bindings.get(id)) else {
                return Err("a variable needs a descriptor and has none");
            };
            let at = Descriptor { set, binding };
            list.insert(Resource { at, kind, image_type });
        }
        Ok(list.into_iter().collect())
    }

    /// Returns the descriptor type that a variable needs, and the image type if it is an image; `None` if it
    /// needs no descriptor.
    fn kind(&self, variable: &Variable) -> Result<Option<(ResourceKind, Option<u32>)>, &'static str> {
        use ResourceKind as K;
        let kind = match variable.class {
            storage_class::STORAGE_BUFFER => K::StorageBuffer,
            storage_class::UNIFORM if self.buffer_blocks.contains(&variable.ty) => K::StorageBuffer,
            storage_class::UNIFORM => K::UniformBuffer,
            storage_class::UNIFORM_CONSTANT if self.samplers.contains(&variable.ty) => K::Sampler,
            storage_class::UNIFORM_CONSTANT => {
                let Some(image) = self.images.get(&variable.ty) else {
                    return Err("a variable needs a descriptor of a kind that no argument has");
                };
                let kind = match (image.shape, image.storage) {
                    (ImageShape::Buffer, false) => K::UniformTexelBuffer,
                    (ImageShape::Buffer, true) => K::StorageTexelBuffer,
                    (_, false) => K::SampledImage,
                    (_, true) => K::StorageImage,
                };
                return Ok(Some((kind, Some(image_type(image.shape)))));
            }
            _ => return Ok(None),
        };
        Ok(Some((kind, None)))
    }
}
