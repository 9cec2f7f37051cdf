//! Addressing modes and filters as arithmetic on fetched texels: the formulas of CL 8.2, in its notation.
//!
//! The sampler's properties are a value. If it is constant, the code contains only what these properties
//! need.

use super::{intrinsic, texel_type};
use crate::intrinsic::{ImageShape, Intrinsic, SamplerMask, Texel};
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Scalar, Ty, Value};

/// A sampler that is implemented by arithmetic.
#[derive(Copy, Clone)]
pub(super) struct Software {
    image: Value,
    shape: ImageShape,
    texel: Texel,
    /// A [`SamplerMask`] as an i32.
    properties: Value,
    /// The properties if they are constant.
    mask: Option<SamplerMask>,
    /// The extent of the image in i32 lanes.
    size: Value,
    /// Whether coordinates are known to be unnormalized, so that the addressing mode is a clamping one.
    clamps: bool,
}

/// The texels next to a coordinate in one dimension, clamped to the image.
struct Axis {
    /// The nearest texel, or the texels on both sides for a linear filter.
    texels: Vec<Value>,
    /// For each texel, whether it was inside of the image before clamping; `None` if the border is not used.
    inside: Option<Vec<Value>>,
    /// The weight of the second texel, for a linear filter.
    fraction: Option<Value>,
}

/// The result of an addressing mode before it is clamped.
struct Position {
    /// The first texel; it may be slightly out of range.
    first: Value,
    /// The next texel, for a linear filter.
    second: Option<Value>,
    fraction: Option<Value>,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Filter {
    Nearest,
    Linear,
}

impl Software {
    pub(super) fn new(
        b: &mut Builder<'_>,
        image: Value,
        shape: ImageShape,
        texel: Texel,
        properties: Value,
    ) -> Self {
        let ty = Ty::vector(Scalar::I32, shape.lanes());
        Software {
            image,
            shape,
            texel,
            properties,
            mask: b.func.as_bits(properties).map(|bits| SamplerMask(bits as u32)),
            size: intrinsic(b, Intrinsic::ImageSize(shape), vec![image], ty),
            clamps: false,
        }
    }

    /// Returns the sampler for unnormalized coordinates.
    pub(super) fn clamping(self) -> Self {
        Software { clamps: true, ..self }
    }

    /// Reads with CL_FILTER_NEAREST. Coordinates are f32 or i32.
    pub(super) fn nearest(&self, b: &mut Builder<'_>, at: Value) -> Value {
        let axes = self.axes(b, at, Filter::Nearest);
        let first = vec![0; axes.len()];
        self.texel_at(b, &axes, &first)
    }

    /// Reads with CL_FILTER_LINEAR. Coordinates are f32.
    pub(super) fn linear(&self, b: &mut Builder<'_>, at: Value) -> Value {
        let axes = self.axes(b, at, Filter::Linear);
        let ty = texel_type(self.texel);
        let dimensions = axes.iter().filter(|a| a.fraction.is_some()).count();
        let mut sum = None;
        for corner in 0..1usize << dimensions {
            let which: Vec<usize> = (0..axes.len())
                .map(|i| if i < dimensions { corner >> i & 1 } else { 0 })
                .collect();
            let mut weight = None;
            for (axis, &far) in axes.iter().zip(&which) {
                let Some(fraction) = axis.fraction else { continue };
                let part = if far == 1 {
                    fraction
                } else {
                    let one = b.f32(1.0);
                    b.binary(BinOp::FSub, one, fraction)
                };
                weight = Some(match weight {
                    None => part,
                    Some(w) => b.binary(BinOp::FMul, w, part),
                });
            }
            let texel = self.texel_at(b, &axes, &which);
            let weight = match weight {
                Some(w) => b.splat(ty, w),
                None => return texel,
            };
            let term = b.binary(BinOp::FMul, texel, weight);
            sum = Some(match sum {
                None => term,
                Some(s) => b.binary(BinOp::FAdd, s, term),
            });
        }
        sum.unwrap_or_else(|| b.zero(ty))
    }

    /// Returns the neighbouring texels in each dimension.
    fn axes(&self, b: &mut Builder<'_>, at: Value, filter: Filter) -> Vec<Axis> {
        let lanes = self.shape.lanes();
        let mut axes = Vec::with_capacity(usize::from(lanes));
        for i in 0..lanes {
            let (mut coordinate, mut size) = (at, self.size);
            if lanes > 1 {
                coordinate = b.extract(at, i);
                size = b.extract(self.size, i);
            }
            let is_layer = self.shape.is_array() && i + 1 == lanes;
            axes.push(if is_layer {
                layer(b, coordinate, size)
            } else {
                self.axis(b, coordinate, size, filter)
            });
        }
        axes
    }

    /// Returns the neighbouring texels in one dimension.
    fn axis(&self, b: &mut Builder<'_>, at: Value, size: Value, filter: Filter) -> Axis {
        let position = if b.func.ty(at) == Ty::I32 {
            Position {
                first: at,
                second: None,
                fraction: None,
            }
        } else {
            self.position(b, at, size, filter)
        };
        let border = self.address_is(b, SamplerMask::ADDRESS_CLAMP);
        let may_leave = b.func.as_bits(border) != Some(0);
        let mut axis = Axis {
            texels: Vec::new(),
            inside: may_leave.then(Vec::new),
            fraction: position.fraction,
        };
        for i in [Some(position.first), position.second].into_iter().flatten() {
            if let Some(list) = &mut axis.inside {
                let in_range = b.compare(CmpOp::ULt, i, size);
                let anything = b.bool(true);
                list.push(pick(b, border, in_range, anything));
            }
            let clamped = clamp_index(b, i, size);
            axis.texels.push(clamped);
        }
        axis
    }

    /// Applies the addressing mode to a coordinate.
    fn position(&self, b: &mut Builder<'_>, at: Value, size: Value, filter: Filter) -> Position {
        let float_size = b.cast(CastOp::SToF, size, Ty::F32);
        let plain = {
            let scaled = b.binary(BinOp::FMul, at, float_size);
            let normalized = self.is_normalized(b);
            let u = pick(b, normalized, scaled, at);
            clamping(b, u, float_size, filter)
        };
        if self.clamps {
            return plain;
        }
        let is_repeat = self.address_is(b, SamplerMask::ADDRESS_REPEAT);
        let is_mirrored = self.address_is(b, SamplerMask::ADDRESS_MIRRORED);
        let mut position = plain;
        if b.func.as_bits(is_repeat) != Some(0) {
            let other = repeat(b, at, size, float_size, filter);
            position = pick_position(b, is_repeat, other, position);
        }
        if b.func.as_bits(is_mirrored) != Some(0) {
            let other = mirrored(b, at, size, float_size, filter);
            position = pick_position(b, is_mirrored, other, position);
        }
        position
    }

    /// Returns the texel at the chosen neighbour of each axis, or the border colour.
    fn texel_at(&self, b: &mut Builder<'_>, axes: &[Axis], which: &[usize]) -> Value {
        let indices: Vec<Value> = axes.iter().zip(which).map(|(a, &i)| a.texels[i]).collect();
        let at = match indices[..] {
            [one] => one,
            _ => b.construct(Ty::vector(Scalar::I32, self.shape.lanes()), indices),
        };
        let ty = texel_type(self.texel);
        let op = Intrinsic::FetchImage(self.shape, self.texel);
        let texel = intrinsic(b, op, vec![self.image, at], ty);
        let flags = axes
            .iter()
            .zip(which)
            .filter_map(|(a, &i)| Some(a.inside.as_ref()?[i]));
        let inside = flags.reduce(|x, y| b.binary(BinOp::And, x, y));
        match inside {
            None => texel,
            Some(inside) => {
                let border = self.border(b);
                let inside = b.splat(ty.with_scalar(Scalar::Bool), inside);
                b.select(inside, texel, border)
            }
        }
    }

    /// Returns the border colour. CL 8.2, table: (0, 0, 0, 1) for channel orders without alpha, else (0, 0,
    /// 0, 0).
    fn border(&self, b: &mut Builder<'_>) -> Value {
        /// Bit n is set if channel order 0x10b0 + n has no alpha (R, RG, RGB, LUMINANCE, sRGB).
        const OPAQUE: i32 = 0x8215;
        const FIRST_ORDER: i32 = 0x10b0;
        let order = intrinsic(b, Intrinsic::ChannelOrder, vec![self.image], Ty::I32);
        let first = b.i32(FIRST_ORDER);
        let number = b.binary(BinOp::ISub, order, first);
        let opaque = b.i32(OPAQUE);
        let shifted = b.binary(BinOp::LShr, opaque, number);
        let one = b.i32(1);
        let alpha = b.binary(BinOp::And, shifted, one);
        let ty = texel_type(self.texel);
        let alpha = match self.texel {
            Texel::Float => b.cast(CastOp::SToF, alpha, Ty::F32),
            Texel::Int | Texel::UInt => alpha,
        };
        let black = b.zero(ty);
        b.insert_lane(black, alpha, 3)
    }

    /// Returns whether coordinates are normalized.
    fn is_normalized(&self, b: &mut Builder<'_>) -> Value {
        match self.mask {
            _ if self.clamps => b.bool(false),
            Some(mask) => b.bool(mask.normalized()),
            None => super::has(b, self.properties, SamplerMask::NORMALIZED),
        }
    }

    /// Returns whether the addressing mode is `mode`.
    fn address_is(&self, b: &mut Builder<'_>, mode: u32) -> Value {
        if let Some(mask) = self.mask {
            return b.bool(mask.address() == mode);
        }
        let bits = b.i32(SamplerMask::ADDRESS_BITS as i32);
        let address = b.binary(BinOp::And, self.properties, bits);
        let mode = b.i32(mode as i32);
        b.compare(CmpOp::IEq, address, mode)
    }
}

/// Returns one of two values; emits no instruction if the condition is constant.
fn pick(b: &mut Builder<'_>, condition: Value, yes: Value, no: Value) -> Value {
    match b.func.as_bits(condition) {
        Some(0) => no,
        Some(_) => yes,
        None => b.select(condition, yes, no),
    }
}

fn pick_position(b: &mut Builder<'_>, condition: Value, yes: Position, no: Position) -> Position {
    let mut both = |x: Option<Value>, y: Option<Value>| Some(pick(b, condition, x?, y?));
    Position {
        second: both(yes.second, no.second),
        fraction: both(yes.fraction, no.fraction),
        first: pick(b, condition, yes.first, no.first),
    }
}

/// Returns the layer of an array: `clamp(rint(z), 0, layers - 1)`, whatever the sampler's properties are.
fn layer(b: &mut Builder<'_>, at: Value, layers: Value) -> Axis {
    let index = if b.func.ty(at) == Ty::I32 {
        at
    } else {
        let whole = intrinsic(b, Intrinsic::RoundEven, vec![at], Ty::F32);
        let limit = b.cast(CastOp::SToF, layers, Ty::F32);
        to_index(b, whole, limit)
    };
    Axis {
        texels: vec![clamp_index(b, index, layers)],
        inside: None,
        fraction: None,
    }
}

/// Returns `clamp(i, 0, size - 1)`.
fn clamp_index(b: &mut Builder<'_>, i: Value, size: Value) -> Value {
    let (zero, one) = (b.i32(0), b.i32(1));
    let last = b.binary(BinOp::ISub, size, one);
    let i = intrinsic(b, Intrinsic::SMin, vec![i, last], Ty::I32);
    intrinsic(b, Intrinsic::SMax, vec![i, zero], Ty::I32)
}

/// Converts a whole number to an integer. It is clamped to −2 and `limit`, both of which are out of range
/// already.
fn to_index(b: &mut Builder<'_>, whole: Value, limit: Value) -> Value {
    let low = b.f32(-2.0);
    let f = intrinsic(b, Intrinsic::FMin, vec![whole, limit], Ty::F32);
    let f = intrinsic(b, Intrinsic::FMax, vec![f, low], Ty::F32);
    b.cast(CastOp::FToS, f, Ty::I32)
}

fn floor(b: &mut Builder<'_>, x: Value) -> Value {
    intrinsic(b, Intrinsic::Floor, vec![x], Ty::F32)
}

/// Returns the texels of an unnormalized coordinate: `floor(u)`; or `floor(u - 0.5)`, the next one, and the
/// fraction.
fn clamping(b: &mut Builder<'_>, u: Value, limit: Value, filter: Filter) -> Position {
    if filter == Filter::Nearest {
        let whole = floor(b, u);
        return Position {
            first: to_index(b, whole, limit),
            second: None,
            fraction: None,
        };
    }
    let half = b.f32(0.5);
    let v = b.binary(BinOp::FSub, u, half);
    let whole = floor(b, v);
    let first = to_index(b, whole, limit);
    let one = b.i32(1);
    Position {
        first,
        second: Some(b.binary(BinOp::IAdd, first, one)),
        fraction: Some(b.binary(BinOp::FSub, v, whole)),
    }
}

/// Applies CLK_ADDRESS_REPEAT: `u = (s - floor(s)) * w`, and texels wrap around.
fn repeat(b: &mut Builder<'_>, s: Value, size: Value, float_size: Value, filter: Filter) -> Position {
    let whole = floor(b, s);
    let part = b.binary(BinOp::FSub, s, whole);
    let u = b.binary(BinOp::FMul, part, float_size);
    let position = clamping(b, u, float_size, filter);
    // A texel is at most one step out of range on either side.
    let zero = b.i32(0);
    let mut wrap = |i: Value| {
        let is_below = b.compare(CmpOp::SLt, i, zero);
        let up = b.binary(BinOp::IAdd, i, size);
        let i = b.select(is_below, up, i);
        let is_above = b.compare(CmpOp::SGe, i, size);
        let down = b.binary(BinOp::ISub, i, size);
        b.select(is_above, down, i)
    };
    Position {
        first: wrap(position.first),
        second: position.second.map(wrap),
        fraction: position.fraction,
    }
}

/// Applies CLK_ADDRESS_MIRRORED_REPEAT: `u = |s - 2 rint(s / 2)| * w`, and texels are clamped.
fn mirrored(b: &mut Builder<'_>, s: Value, size: Value, float_size: Value, filter: Filter) -> Position {
    let (half, two) = (b.f32(0.5), b.f32(2.0));
    let halved = b.binary(BinOp::FMul, s, half);
    let whole = intrinsic(b, Intrinsic::RoundEven, vec![halved], Ty::F32);
    let even = b.binary(BinOp::FMul, whole, two);
    let distance = b.binary(BinOp::FSub, s, even);
    let part = intrinsic(b, Intrinsic::FAbs, vec![distance], Ty::F32);
    let u = b.binary(BinOp::FMul, part, float_size);
    let position = clamping(b, u, float_size, filter);
    Position {
        first: clamp_index(b, position.first, size),
        second: position.second.map(|i| clamp_index(b, i, size)),
        fraction: position.fraction,
    }
}
