//! Images and samplers.

use super::func::{FuncLowering, Val};
use crate::intrinsic::{ImageShape, Intrinsic, Texel};
use crate::ir::{Op as IrOp, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::types::Type;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{AccessQualifier, ImageOperands, Op};

/// OpenCL's first channel order (CL_R) and first channel data type (CL_SNORM_INT8). SPIR-V counts from 0.
const FIRST_ORDER: u64 = 0x10B0;
const FIRST_DATA_TYPE: u64 = 0x10D0;

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Returns the shape of the image that an id stands for, and whether it is a depth image.
    fn shape(&self, inst: &Inst<'_>, id: u32) -> Result<(ImageShape, bool), Error> {
        let types = &self.cx.source.types;
        let mut ty = types.get(self.type_of(inst, id)?);
        if let Some(Type::SampledImage(image)) = ty {
            ty = types.get(*image);
        }
        match ty {
            Some(Type::Image { shape, depth, .. }) => Ok((*shape, *depth)),
            _ => Err(inst.invalid(format!("%{id} is no image"))),
        }
    }

    /// Returns whether an id stands for an image that the kernel reads and writes.
    fn is_read_and_written(&self, inst: &Inst<'_>, id: u32) -> Result<bool, Error> {
        let ty = self.cx.source.types.get(self.type_of(inst, id)?);
        Ok(matches!(ty, Some(Type::Image { access, .. }) if *access == AccessQualifier::ReadWrite))
    }

    pub(super) fn sampled_image(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        let (image, sampler) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let fits = self.b.func.ty(image).scalar == Scalar::Image
            && self.b.func.ty(sampler).scalar == Scalar::Sampler;
        if !fits {
            return Err(inst.invalid("the operands are no image and sampler"));
        }
        self.everywhere.insert(inst.result, Val::Sampled(image, sampler));
        Ok(())
    }

    /// OpImage: the image of an image with a sampler.
    pub(super) fn image_of(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let types = &self.cx.source.types;
        let fits = match types.get(self.type_of(inst, inst.arg(0)?)?) {
            Some(Type::SampledImage(image)) => *image == inst.ty,
            _ => false,
        };
        match self.val(inst, inst.arg(0)?)? {
            Val::Sampled(image, _) if fits => {
                self.everywhere.insert(inst.result, Val::Value(image));
                Ok(())
            }
            _ => Err(inst.invalid("the operand is no image with a sampler, or one of another image")),
        }
    }

    /// Returns the component type of the texels of an access, from its image operands, which start at operand
    /// `n`. `ty` is the type of the texel.
    fn texel(&self, inst: &Inst<'_>, n: usize, ty: Ty) -> Result<Texel, Error> {
        let bits = inst.args.get(n).copied().unwrap_or(0);
        let Some(mask) = ImageOperands::from_bits(bits) else {
            return Err(inst.unsupported(format!("the image operands {bits:#x} are unknown")));
        };
        let known = ImageOperands::LOD
            | ImageOperands::SIGN_EXTEND
            | ImageOperands::ZERO_EXTEND
            | ImageOperands::NONTEMPORAL;
        if !known.contains(mask) {
            return Err(inst.unsupported(format!("the image operands {mask:?} are not implemented")));
        }
        if mask.contains(ImageOperands::LOD) {
            // Images have one level.
            let lod = inst.arg(n + 1)?;
            if self.cx.source.consts.integer(lod) != Some(0) {
                return Err(inst.unsupported("levels of detail other than 0 are not implemented"));
            }
        }
        match ty.scalar {
            Scalar::F32 => Ok(Texel::Float),
            Scalar::I32 if mask.contains(ImageOperands::SIGN_EXTEND) => Ok(Texel::Int),
            Scalar::I32 if mask.contains(ImageOperands::ZERO_EXTEND) => Ok(Texel::UInt),
            Scalar::I32 => Err(inst.unsupported(
                "integer texels without SignExtend or ZeroExtend (SPIR-V 1.4) are not implemented",
            )),
            _ => Err(inst.unsupported("texels of this type are not implemented")),
        }
    }

    /// Returns the coordinates that operand `n` names, without the components that the shape does not use.
    fn coordinates(
        &mut self,
        inst: &Inst<'_>,
        n: usize,
        shape: ImageShape,
        ints: bool,
    ) -> Result<Value, Error> {
        let at = self.operand(inst, n)?;
        let ty = self.b.func.ty(at);
        let fits = ty.scalar == Scalar::I32 || ty.scalar == Scalar::F32 && !ints;
        if !fits || ty.lanes < shape.lanes() {
            return Err(inst.invalid("the coordinates do not fit the image"));
        }
        Ok(match shape.lanes() {
            lanes if lanes == ty.lanes => at,
            1 => self.b.extract(at, 0),
            lanes => self.b.shuffle(at, at, (0..lanes).collect()),
        })
    }

    pub(super) fn image_sample(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let id = inst.arg(0)?;
        let (shape, depth) = self.shape(inst, id)?;
        let Val::Sampled(image, sampler) = self.val(inst, id)? else {
            return Err(inst.invalid("the operand is no image with a sampler"));
        };
        let at = self.coordinates(inst, 1, shape, false)?;
        let to = self.result_type(inst)?;
        let texel = self.texel(inst, 2, to)?;
        self.texels(
            inst,
            Intrinsic::ReadImage(shape, texel),
            vec![image, sampler, at],
            depth,
        )
    }

    pub(super) fn image_read(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (shape, depth) = self.shape(inst, inst.arg(0)?)?;
        let image = self.operand(inst, 0)?;
        let at = self.coordinates(inst, 1, shape, true)?;
        let to = self.result_type(inst)?;
        let texel = self.texel(inst, 2, to)?;
        let op = match self.is_read_and_written(inst, inst.arg(0)?)? {
            true => Intrinsic::LoadImage(shape, texel),
            false => Intrinsic::FetchImage(shape, texel),
        };
        self.texels(inst, op, vec![image, at], depth)
    }

    /// Reads a texel. That of a depth image is its first component.
    fn texels(&mut self, inst: &Inst<'_>, op: Intrinsic, args: Vec<Value>, depth: bool) -> Result<(), Error> {
        let to = self.result_type(inst)?;
        let value = self.b.value(IrOp::Intrinsic(op), args, Ty::vector(to.scalar, 4));
        let value = if depth && !to.is_vector() {
            self.b.extract(value, 0)
        } else {
            value
        };
        self.define(inst, value)
    }

    pub(super) fn image_write(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (shape, _) = self.shape(inst, inst.arg(0)?)?;
        if shape == ImageShape::D3 && !self.cx.writes_volumes {
            return Err(inst.unsupported("the device does not have cl_khr_3d_image_writes"));
        }
        let image = self.operand(inst, 0)?;
        let at = self.coordinates(inst, 1, shape, true)?;
        let value = self.operand(inst, 2)?;
        let ty = self.b.func.ty(value);
        let texel = self.texel(inst, 3, ty)?;
        let value = match ty.lanes {
            1 => self.b.splat(Ty::vector(ty.scalar, 4), value),
            4 => value,
            _ => return Err(inst.invalid("the texel has neither one nor four components")),
        };
        self.b
            .intrinsic(Intrinsic::WriteImage(shape, texel), vec![image, at, value], None);
        Ok(())
    }

    pub(super) fn image_size(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (shape, _) = self.shape(inst, inst.arg(0)?)?;
        if inst.op == Op::ImageQuerySizeLod && self.integer(inst, 1)? != 0 {
            return Err(inst.unsupported("levels of detail other than 0 are not implemented"));
        }
        let image = self.operand(inst, 0)?;
        let own = Ty::vector(Scalar::I32, shape.lanes());
        let size = self
            .b
            .value(IrOp::Intrinsic(Intrinsic::ImageSize(shape)), [image], own);
        let to = self.result_type(inst)?;
        if !to.scalar.is_int() || to.lanes != own.lanes {
            return Err(inst.invalid("the result type does not fit the image"));
        }
        let value = self.resize(size, to, false);
        self.define(inst, value)
    }

    pub(super) fn image_query(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        self.shape(inst, inst.arg(0)?)?;
        let image = self.operand(inst, 0)?;
        let (op, first) = match inst.op {
            Op::ImageQueryOrder => (Intrinsic::ChannelOrder, FIRST_ORDER),
            _ => (Intrinsic::ChannelDataType, FIRST_DATA_TYPE),
        };
        let value = self.b.value(IrOp::Intrinsic(op), [image], Ty::I32);
        let first = self.b.bits(Ty::I32, first);
        let value = self.b.binary(crate::ir::BinOp::ISub, value, first);
        self.define(inst, value)
    }
}
