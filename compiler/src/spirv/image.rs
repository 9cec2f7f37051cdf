//! Images and samplers: the variables for their descriptors, and the instructions that use them.
//!
//! An image that a kernel reads as several texel types has several variables with the same binding, because
//! Vulkan requires the Sampled Type to match the image's format.

use super::instruction::instruction;
use super::{Emit, FnEmitter, Id, bug};
use crate::intrinsic::{ImageShape, Intrinsic, Texel, TexelFormat};
use crate::ir::walk::Walk;
use crate::ir::{ArgLocation, Handle, Inst, Op, Scalar, Ty, Value};
use rspirv::dr::Operand;
use rspirv::spirv as spv;
use std::collections::{BTreeMap, BTreeSet};

/// The image and sampler variables of a kernel.
#[derive(Default)]
pub(super) struct Handles {
    /// By argument, texel type and, if the kernel reads texels of a known format, that format: the variable, and the
    /// type of the image.
    images: BTreeMap<(u32, Texel, Option<TexelFormat>), (Id, Id)>,
    /// By handle: an argument, its normalized sampler, or a literal sampler's mask.
    samplers: BTreeMap<Handle, Id>,
    /// The texel type with which the kernel first reads or writes each image argument.
    texels: Option<BTreeMap<Handle, Texel>>,
    /// The image arguments that the kernel reads and writes.
    loaded: Option<BTreeSet<Handle>>,
}

/// An image whose descriptor has been loaded.
struct Image {
    value: Id,
    ty: Id,
    write: bool,
}

impl FnEmitter<'_, '_> {
    /// Emits an image intrinsic.
    pub(super) fn image(&mut self, inst: Inst, op: Intrinsic) -> Emit<Option<Id>> {
        let f = self.f;
        let args = &f.insts[inst].args;
        match op {
            Intrinsic::SampleImage(shape, texel) => {
                let image = self.load_image(args[0], shape, texel, None)?;
                let sampler = self.load_sampler(args[1])?;
                let at = self.value(args[2])?;
                let sampled_type = vec![Operand::IdRef(image.ty)];
                let sampled_type = self.e.intern(spv::Op::TypeSampledImage, None, sampled_type);
                let sampled = self.op_ids(spv::Op::SampledImage, sampled_type, &[image.value, sampler])?;
                let level = self.e.scalar_constant(Scalar::F32, 0)?;
                let operands = vec![
                    Operand::IdRef(sampled),
                    Operand::IdRef(at),
                    Operand::ImageOperands(spv::ImageOperands::LOD),
                    Operand::IdRef(level),
                ];
                self.texel_of(spv::Op::ImageSampleExplicitLod, texel, operands)
                    .map(Some)
            }
            Intrinsic::LoadImage(..) | Intrinsic::LoadFormat(..) => {
                self.storage_read(op, args[0], args[1]).map(Some)
            }
            Intrinsic::FetchImage(shape, texel) => {
                let image = self.load_image(args[0], shape, texel, None)?;
                let at = self.value(args[1])?;
                let mut operands = vec![Operand::IdRef(image.value), Operand::IdRef(at)];
                if shape != ImageShape::Buffer {
                    operands.push(Operand::ImageOperands(spv::ImageOperands::LOD));
                    operands.push(Operand::IdRef(self.e.u32_const(0)));
                }
                self.texel_of(spv::Op::ImageFetch, texel, operands).map(Some)
            }
            Intrinsic::WriteImage(shape, texel) => {
                let image = self.load_image(args[0], shape, texel, None)?;
                let at = self.value(args[1])?;
                let mut value = self.value(args[2])?;
                if texel == Texel::Int {
                    let ty = self.texel_type(texel)?;
                    value = self.op_ids(spv::Op::Bitcast, ty, &[value])?;
                }
                self.e
                    .needs
                    .capability(spv::Capability::StorageImageWriteWithoutFormat);
                let mut operands = [image.value, at, value].map(Operand::IdRef).to_vec();
                if self.is_loaded(args[0])? {
                    self.not_private(&mut operands);
                }
                self.push(instruction(spv::Op::ImageWrite, None, None, operands))?;
                Ok(None)
            }
            Intrinsic::ImageSize(shape) => {
                let texel = self.texel_in_use(args[0])?;
                let image = self.load_image(args[0], shape, texel, None)?;
                self.e.needs.capability(spv::Capability::ImageQuery);
                let ty = self.e.ty(Ty::vector(Scalar::I32, shape.lanes()))?;
                if image.write || shape == ImageShape::Buffer {
                    return self.op_ids(spv::Op::ImageQuerySize, ty, &[image.value]).map(Some);
                }
                let level = self.e.u32_const(0);
                self.op_ids(spv::Op::ImageQuerySizeLod, ty, &[image.value, level])
                    .map(Some)
            }
            _ => Err(bug("an image operation that is left after lowering")),
        }
    }

    /// Reads a texel of an image that the kernel also writes.
    fn storage_read(&mut self, op: Intrinsic, image: Value, at: Value) -> Emit<Id> {
        let (shape, texel, format) = match op {
            Intrinsic::LoadFormat(shape, format) => (shape, format.texel(), Some(format)),
            Intrinsic::LoadImage(shape, texel) => (shape, texel, None),
            _ => return Err(bug("an operation that is no load of a texel")),
        };
        self.e.needs.capability(match format {
            Some(_) => spv::Capability::StorageImageExtendedFormats,
            None => spv::Capability::StorageImageReadWithoutFormat,
        });
        let image = self.load_image(image, shape, texel, format)?;
        let at = self.value(at)?;
        let mut operands = vec![Operand::IdRef(image.value), Operand::IdRef(at)];
        self.not_private(&mut operands);
        self.texel_of(spv::Op::ImageRead, texel, operands)
    }

    /// States that fences order an access to an image.
    fn not_private(&mut self, operands: &mut Vec<Operand>) {
        if self.vulkan_model() {
            operands.push(Operand::ImageOperands(spv::ImageOperands::NON_PRIVATE_TEXEL));
        }
    }

    /// Returns whether the kernel reads and writes any image.
    pub(super) fn loads_images(&mut self) -> Emit<bool> {
        self.loaded().map(|loaded| !loaded.is_empty())
    }

    /// Returns whether the kernel reads and writes an image.
    fn is_loaded(&mut self, image: Value) -> Emit<bool> {
        let handle = self.handle(image)?;
        self.loaded().map(|loaded| loaded.contains(&handle))
    }

    fn loaded(&mut self) -> Emit<&BTreeSet<Handle>> {
        let found = match self.handles.loaded.take() {
            Some(known) => known,
            None => {
                let mut found = BTreeSet::new();
                let f = self.f;
                let mut walk = Walk::new(f);
                while let Some((_, inst)) = walk.next(f) {
                    let data = &f.insts[inst];
                    if let Op::Intrinsic(Intrinsic::LoadImage(..) | Intrinsic::LoadFormat(..)) = data.op {
                        found.insert(self.handle(data.args[0])?);
                    }
                }
                found
            }
        };
        Ok(self.handles.loaded.insert(found))
    }

    /// Appends an instruction whose result is a texel, and converts the result to the IR's vector type.
    fn texel_of(&mut self, op: spv::Op, texel: Texel, operands: Vec<Operand>) -> Emit<Id> {
        let ty = self.texel_type(texel)?;
        let value = self.op(op, ty, operands)?;
        if texel != Texel::Int {
            return Ok(value);
        }
        let ty = self.e.ty(Ty::vector(Scalar::I32, 4))?;
        self.op_ids(spv::Op::Bitcast, ty, &[value])
    }

    /// Returns the Sampled Type. In SPIR-V, this integer type has a sign.
    fn component_type(&mut self, texel: Texel) -> Emit<Id> {
        match texel {
            Texel::Float => self.e.scalar(Scalar::F32),
            Texel::UInt => self.e.scalar(Scalar::I32),
            Texel::Int => {
                let operands = vec![Operand::LiteralBit32(32), Operand::LiteralBit32(1)];
                Ok(self.e.intern(spv::Op::TypeInt, None, operands))
            }
        }
    }

    fn texel_type(&mut self, texel: Texel) -> Emit<Id> {
        let component = self.component_type(texel)?;
        let operands = vec![Operand::IdRef(component), Operand::LiteralBit32(4)];
        Ok(self.e.intern(spv::Op::TypeVector, None, operands))
    }

    fn handle(&self, v: Value) -> Emit<Handle> {
        match self.f.as_bits(v) {
            Some(bits) => Ok(Handle::from_bits(bits)),
            None => Err(bug("an image or sampler that is no argument")),
        }
    }

    /// Returns the ordinal and the binding of an image argument, and whether it is written.
    fn image_argument(&self, v: Value) -> Emit<(u32, u32, bool)> {
        let Handle::Arg(arg) = self.handle(v)? else {
            return Err(bug("an image that is no argument"));
        };
        let abi = self.e.module.abi.get(self.kernel()?);
        match abi.and_then(|a| a.args.get(arg as usize)) {
            Some(&ArgLocation::Image { binding, write, .. }) => Ok((arg, binding, write)),
            _ => Err(bug("an image argument that is none")),
        }
    }

    /// Returns the descriptor set of the kernel's arguments.
    fn argument_set(&self) -> Emit<u32> {
        let kernel = self.kernel()?;
        Ok(self.e.module.abi.get(kernel).map_or(0, |a| a.set))
    }

    /// Returns the texel type with which a kernel reads or writes an image; float if the kernel only queries
    /// it.
    fn texel_in_use(&mut self, image: Value) -> Emit<Texel> {
        let wanted = self.handle(image)?;
        let texels = match self.handles.texels.take() {
            Some(known) => known,
            None => self.texels_in_use()?,
        };
        let texel = texels.get(&wanted).copied();
        self.handles.texels = Some(texels);
        Ok(texel.unwrap_or(Texel::Float))
    }

    fn texels_in_use(&self) -> Emit<BTreeMap<Handle, Texel>> {
        let mut texels = BTreeMap::new();
        let f = self.f;
        let mut walk = Walk::new(f);
        while let Some((_, inst)) = walk.next(f) {
            let data = &f.insts[inst];
            let texel = match data.op {
                Op::Intrinsic(
                    Intrinsic::SampleImage(_, texel)
                    | Intrinsic::FetchImage(_, texel)
                    | Intrinsic::LoadImage(_, texel)
                    | Intrinsic::WriteImage(_, texel),
                ) => texel,
                Op::Intrinsic(Intrinsic::LoadFormat(_, format)) => format.texel(),
                _ => continue,
            };
            let handle = self.handle(data.args[0])?;
            texels.entry(handle).or_insert(texel);
        }
        Ok(texels)
    }

    fn load_image(
        &mut self,
        v: Value,
        shape: ImageShape,
        texel: Texel,
        format: Option<TexelFormat>,
    ) -> Emit<Image> {
        let (arg, binding, write) = self.image_argument(v)?;
        let (variable, ty) = match self.handles.images.get(&(arg, texel, format)) {
            Some(&found) => found,
            None => {
                let ty = self.image_type(shape, texel, write, format)?;
                let at = (self.argument_set()?, binding);
                let variable = self.descriptor(ty, at, arg)?;
                let is_loaded = write && self.is_loaded(v)?;
                if is_loaded {
                    // Reads and writes may use several variables of the same image.
                    self.e.decorate(variable, spv::Decoration::Aliased, &[]);
                    if !self.vulkan_model() {
                        self.e.decorate(variable, spv::Decoration::Coherent, &[]);
                    }
                }
                if write && format.is_none() && !(is_loaded && self.e.target.features.reads_any_format) {
                    // Without this decoration, the device would need the feature to read images without a
                    // format.
                    self.e.decorate(variable, spv::Decoration::NonReadable, &[]);
                }
                self.handles.images.insert((arg, texel, format), (variable, ty));
                (variable, ty)
            }
        };
        let value = self.op_ids(spv::Op::Load, ty, &[variable])?;
        Ok(Image { value, ty, write })
    }

    fn image_type(
        &mut self,
        shape: ImageShape,
        texel: Texel,
        write: bool,
        format: Option<TexelFormat>,
    ) -> Emit<Id> {
        let (dim, capability) = match shape {
            ImageShape::D1 | ImageShape::D1Array => (
                spv::Dim::Dim1D,
                Some(if write {
                    spv::Capability::Image1D
                } else {
                    spv::Capability::Sampled1D
                }),
            ),
            ImageShape::Buffer => (
                spv::Dim::DimBuffer,
                Some(if write {
                    spv::Capability::ImageBuffer
                } else {
                    spv::Capability::SampledBuffer
                }),
            ),
            ImageShape::D2 | ImageShape::D2Array => (spv::Dim::Dim2D, None),
            ImageShape::D3 => (spv::Dim::Dim3D, None),
        };
        if let Some(c) = capability {
            self.e.needs.capability(c);
        }
        let component = self.component_type(texel)?;
        let operands = vec![
            Operand::IdRef(component),
            Operand::Dim(dim),
            // The image has no depth comparison, and one sample.
            Operand::LiteralBit32(0),
            Operand::LiteralBit32(u32::from(shape.is_array())),
            Operand::LiteralBit32(0),
            Operand::LiteralBit32(if write { 2 } else { 1 }),
            Operand::ImageFormat(format.map_or(spv::ImageFormat::Unknown, image_format)),
        ];
        Ok(self.e.intern(spv::Op::TypeImage, None, operands))
    }

    /// Declares a variable for an argument's descriptor.
    fn descriptor(&mut self, ty: Id, (set, binding): (u32, u32), arg: u32) -> Emit<Id> {
        let class = spv::StorageClass::UniformConstant;
        let pointer = self.e.pointer(class, ty);
        let id = self.e.global(
            spv::Op::Variable,
            Some(pointer),
            vec![Operand::StorageClass(class)],
        );
        self.e.decorate(id, spv::Decoration::DescriptorSet, &[set]);
        self.e.decorate(id, spv::Decoration::Binding, &[binding]);
        let info = self.e.module.kernels[self.kernel()?].args.get(arg as usize);
        if let Some(info) = info {
            self.e.name(id, &info.name);
        }
        self.use_global(id);
        Ok(id)
    }

    fn load_sampler(&mut self, v: Value) -> Emit<Id> {
        let handle = self.handle(v)?;
        let ty = self.e.intern(spv::Op::TypeSampler, None, vec![]);
        let variable = match self.handles.samplers.get(&handle) {
            Some(&id) => id,
            None => {
                let id = self.sampler(handle, ty)?;
                self.handles.samplers.insert(handle, id);
                id
            }
        };
        self.op_ids(spv::Op::Load, ty, &[variable])
    }

    fn sampler(&mut self, handle: Handle, ty: Id) -> Emit<Id> {
        let abi = &self.e.module.abi[self.kernel()?];
        match handle {
            Handle::Literal(mask) => {
                let list = &self.e.module.literal_samplers;
                let Some(binding) = list.iter().position(|&m| m == mask) else {
                    return Err(bug("a literal sampler without a binding"));
                };
                let id = self.e.literal_sampler(ty, binding as u32);
                self.use_global(id);
                Ok(id)
            }
            Handle::Arg(arg) => match abi.args.get(arg as usize) {
                Some(&ArgLocation::Sampler { binding }) => self.descriptor(ty, (abi.set, binding), arg),
                _ => Err(bug("a sampler argument that is none")),
            },
            Handle::Normalized(arg) => match abi.normalized.iter().find(|(n, _)| *n == arg) {
                Some(&(_, binding)) => self.descriptor(ty, (abi.set, binding), arg),
                None => Err(bug("a sampler with normalized coordinates without a binding")),
            },
        }
    }
}

/// Returns SPIR-V's name of a format.
pub(super) fn image_format(format: TexelFormat) -> spv::ImageFormat {
    use spv::ImageFormat as F;
    const ALL: [F; 18] = [
        F::R8,
        F::R16f,
        F::R32f,
        F::Rgba8,
        F::Rgba16f,
        F::Rgba32f,
        F::R8i,
        F::R16i,
        F::R32i,
        F::Rgba8i,
        F::Rgba16i,
        F::Rgba32i,
        F::R8ui,
        F::R16ui,
        F::R32ui,
        F::Rgba8ui,
        F::Rgba16ui,
        F::Rgba32ui,
    ];
    let place = TexelFormat::all().position(|f| f == format);
    place.and_then(|n| ALL.get(n)).copied().unwrap_or(F::Unknown)
}

impl super::Emitter<'_> {
    /// Returns the variable of a literal sampler, which all kernels share.
    fn literal_sampler(&mut self, ty: Id, binding: u32) -> Id {
        if let Some(&id) = self.shared.literal_samplers.get(&binding) {
            return id;
        }
        let class = spv::StorageClass::UniformConstant;
        let pointer = self.pointer(class, ty);
        let id = self.global(
            spv::Op::Variable,
            Some(pointer),
            vec![Operand::StorageClass(class)],
        );
        let set = self.module.slots.literal_samplers;
        self.decorate(id, spv::Decoration::DescriptorSet, &[set]);
        self.decorate(id, spv::Decoration::Binding, &[binding]);
        self.shared.literal_samplers.insert(binding, id);
        id
    }
}
