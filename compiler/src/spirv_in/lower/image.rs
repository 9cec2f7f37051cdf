//! Images and samplers.

use super::func::{FuncLowering, Val};
use crate::intrinsic::{ImageShape, Intrinsic, Texel};
use crate::ir::{BinOp, CastOp, CmpOp, Op as IrOp, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::types::Type;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{AccessQualifier, ImageOperands, Op};

/// OpenCL's first channel order (CL_R) and first channel data type (CL_SNORM_INT8). SPIR-V counts from 0.
const FIRST_ORDER: u64 = 0x10B0;
const FIRST_DATA_TYPE: u64 = 0x10D0;
/// The first channel data type of integers with a sign (CL_SIGNED_INT8), and how many there are.
const FIRST_SIGNED: u64 = 0x10D7;
const SIGNED_TYPES: u64 = 3;

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
    /// `n`; `None` for integers of which they do not say whether they have a sign. `ty` is the type of the texel.
    fn texel(&self, inst: &Inst<'_>, n: usize, ty: Ty) -> Result<Option<Texel>, Error> {
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
            Scalar::F16 | Scalar::F32 => Ok(Some(Texel::Float)),
            Scalar::I32 if mask.contains(ImageOperands::SIGN_EXTEND) => Ok(Some(Texel::Int)),
            Scalar::I32 if mask.contains(ImageOperands::ZERO_EXTEND) => Ok(Some(Texel::UInt)),
            Scalar::I32 => Ok(None),
            _ => Err(inst.unsupported("texels of this type are not implemented")),
        }
    }

    /// Accesses an image. If the component type is not known, the image's format decides when the kernel runs: a kernel that
    /// takes other texels has no defined result (OpenCL C 6.15.15.2).
    fn image_access(
        &mut self,
        op: impl Fn(Texel) -> Intrinsic,
        texel: Option<Texel>,
        args: Vec<Value>,
        ty: Option<Ty>,
    ) -> Option<Value> {
        if let Some(texel) = texel {
            return self.b.intrinsic(op(texel), args, ty);
        }
        let data_type = self
            .b
            .value(IrOp::Intrinsic(Intrinsic::ChannelDataType), [args[0]], Ty::I32);
        let first = self.b.bits(Ty::I32, FIRST_SIGNED);
        let data_type = self.b.binary(BinOp::ISub, data_type, first);
        let count = self.b.bits(Ty::I32, SIGNED_TYPES);
        let is_signed = self.b.compare(CmpOp::ULt, data_type, count);
        let results: Vec<Ty> = ty.into_iter().collect();
        let (inst, with_sign, without) = self.b.if_(is_signed, &results);
        for (region, texel) in [(with_sign, Texel::Int), (without, Texel::UInt)] {
            self.b.enter(region);
            let value = self.b.intrinsic(op(texel), args.clone(), ty);
            self.b.exit(inst, value.into_iter().collect());
            self.b.leave();
        }
        self.b.results(inst).first().copied()
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
        let op = |texel| Intrinsic::ReadImage(shape, texel);
        self.texels(inst, op, texel, vec![image, sampler, at], depth)
    }

    pub(super) fn image_read(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (shape, depth) = self.shape(inst, inst.arg(0)?)?;
        let image = self.operand(inst, 0)?;
        let at = self.coordinates(inst, 1, shape, true)?;
        let to = self.result_type(inst)?;
        let texel = self.texel(inst, 2, to)?;
        let is_written = self.is_read_and_written(inst, inst.arg(0)?)?;
        let op = |texel| match is_written {
            true => Intrinsic::LoadImage(shape, texel),
            false => Intrinsic::FetchImage(shape, texel),
        };
        self.texels(inst, op, texel, vec![image, at], depth)
    }

    /// Reads a texel. That of a depth image is its first component. The device converts texels to floats of 32 bits, and
    /// `read_imageh` those to halves.
    fn texels(
        &mut self,
        inst: &Inst<'_>,
        op: impl Fn(Texel) -> Intrinsic,
        texel: Option<Texel>,
        args: Vec<Value>,
        depth: bool,
    ) -> Result<(), Error> {
        let to = self.result_type(inst)?;
        let (is_half, four) = (to.scalar == Scalar::F16, Ty::vector(to.scalar, 4));
        let read = if is_half {
            four.with_scalar(Scalar::F32)
        } else {
            four
        };
        let value = self.image_access(op, texel, args, Some(read));
        let value = value.ok_or_else(|| inst.invalid("the access has no result"))?;
        let value = match is_half {
            true => self.b.cast(CastOp::FConvert, value, four),
            false => value,
        };
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
        let value = match ty.scalar {
            Scalar::F16 => self.b.cast(CastOp::FConvert, value, Ty::vector(Scalar::F32, 4)),
            _ => value,
        };
        let op = |texel| Intrinsic::WriteImage(shape, texel);
        self.image_access(op, texel, vec![image, at, value], None);
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
