//! Image functions (6.12.14), of cl_khr_fp16 (9.5.8), cl_khr_3d_image_writes (9.4) and cl_khr_depth_images (9.12).

use super::*;
use crate::hir::Scalar;
use crate::hir::ty::ImageDim;

const FLOAT4: Ty = Ty::Vector(Scalar::Float, 4);
const HALF4: Ty = Ty::Vector(Scalar::Half, 4);
const INT4: Ty = Ty::Vector(Scalar::Int, 4);
const UINT4: Ty = Ty::Vector(Scalar::UInt, 4);
const FLOAT2: Ty = Ty::Vector(Scalar::Float, 2);
const INT2: Ty = Ty::Vector(Scalar::Int, 2);
const ONE_FLOAT: Ty = Ty::Fixed(Scalar::Float);
const ONE_INT: Ty = Ty::Fixed(Scalar::Int);
const SIZE_T: Ty = Ty::Fixed(Scalar::ULong);

const fn from(dim: ImageDim) -> Ty {
    Ty::Image(dim, false)
}

const fn to(dim: ImageDim) -> Ty {
    Ty::Image(dim, true)
}

/// The read functions with a given result type.
macro_rules! reads {
    ($ret:expr $(, $more:expr)* $(,)?) => {
        &[
            sig(ONE, $ret, &[from(ImageDim::D2), Ty::Sampler, INT2]),
            sig(ONE, $ret, &[from(ImageDim::D2), Ty::Sampler, FLOAT2]),
            sig(ONE, $ret, &[from(ImageDim::D2), INT2]),
            sig(ONE, $ret, &[from(ImageDim::D3), Ty::Sampler, INT4]),
            sig(ONE, $ret, &[from(ImageDim::D3), Ty::Sampler, FLOAT4]),
            sig(ONE, $ret, &[from(ImageDim::D3), INT4]),
            sig(ONE, $ret, &[from(ImageDim::D2Array), Ty::Sampler, INT4]),
            sig(ONE, $ret, &[from(ImageDim::D2Array), Ty::Sampler, FLOAT4]),
            sig(ONE, $ret, &[from(ImageDim::D2Array), INT4]),
            sig(ONE, $ret, &[from(ImageDim::D1), Ty::Sampler, ONE_INT]),
            sig(ONE, $ret, &[from(ImageDim::D1), Ty::Sampler, ONE_FLOAT]),
            sig(ONE, $ret, &[from(ImageDim::D1), ONE_INT]),
            sig(ONE, $ret, &[from(ImageDim::D1Array), Ty::Sampler, INT2]),
            sig(ONE, $ret, &[from(ImageDim::D1Array), Ty::Sampler, FLOAT2]),
            sig(ONE, $ret, &[from(ImageDim::D1Array), INT2]),
            sig(ONE, $ret, &[from(ImageDim::D1Buffer), ONE_INT]),
            $($more,)*
        ]
    };
}

const READ_FLOAT: &[Sig] = reads!(
    FLOAT4,
    sig(ONE, ONE_FLOAT, &[from(ImageDim::D2Depth), Ty::Sampler, INT2]),
    sig(ONE, ONE_FLOAT, &[from(ImageDim::D2Depth), Ty::Sampler, FLOAT2]),
    sig(ONE, ONE_FLOAT, &[from(ImageDim::D2Depth), INT2]),
    sig(ONE, ONE_FLOAT, &[from(ImageDim::D2ArrayDepth), Ty::Sampler, INT4]),
    sig(
        ONE,
        ONE_FLOAT,
        &[from(ImageDim::D2ArrayDepth), Ty::Sampler, FLOAT4]
    ),
    sig(ONE, ONE_FLOAT, &[from(ImageDim::D2ArrayDepth), INT4]),
);
const READ_HALF: &[Sig] = reads!(HALF4);
const READ_INT: &[Sig] = reads!(INT4);
const READ_UINT: &[Sig] = reads!(UINT4);

/// The write functions of a given texel type.
macro_rules! writes {
    ($texel:expr $(, $more:expr)* $(,)?) => {
        &[
            sig(ONE, Ty::Void, &[to(ImageDim::D2), INT2, $texel]),
            sig(ONE, Ty::Void, &[to(ImageDim::D2Array), INT4, $texel]),
            sig(ONE, Ty::Void, &[to(ImageDim::D1), ONE_INT, $texel]),
            sig(ONE, Ty::Void, &[to(ImageDim::D1Buffer), ONE_INT, $texel]),
            sig(ONE, Ty::Void, &[to(ImageDim::D1Array), INT2, $texel]),
            sig(ONE, Ty::Void, &[to(ImageDim::D3), INT4, $texel]),
            $($more,)*
        ]
    };
}

const WRITE_FLOAT: &[Sig] = writes!(
    FLOAT4,
    sig(ONE, Ty::Void, &[to(ImageDim::D2Depth), INT2, ONE_FLOAT]),
    sig(ONE, Ty::Void, &[to(ImageDim::D2ArrayDepth), INT4, ONE_FLOAT]),
);
const WRITE_HALF: &[Sig] = writes!(HALF4);
const WRITE_INT: &[Sig] = writes!(INT4);
const WRITE_UINT: &[Sig] = writes!(UINT4);

/// The queries for images of these types, with either access qualifier.
macro_rules! ask {
    ($ret:expr, $($dim:ident),*) => {
        &[$(sig(ONE, $ret, &[from(ImageDim::$dim)]), sig(ONE, $ret, &[to(ImageDim::$dim)])),*]
    };
}

const OF_ANY: &[Sig] = ask!(
    ONE_INT,
    D2,
    D1,
    D1Buffer,
    D1Array,
    D2Array,
    D3,
    D2Depth,
    D2ArrayDepth
);
const OF_FLAT: &[Sig] = ask!(ONE_INT, D2, D2Array, D3, D2Depth, D2ArrayDepth);
const OF_DEEP: &[Sig] = ask!(ONE_INT, D3);
const OF_ARRAY: &[Sig] = ask!(SIZE_T, D2Array, D1Array, D2ArrayDepth);
const DIM: &[Sig] = &[
    sig(ONE, INT2, &[from(ImageDim::D2)]),
    sig(ONE, INT2, &[to(ImageDim::D2)]),
    sig(ONE, INT2, &[from(ImageDim::D2Array)]),
    sig(ONE, INT2, &[to(ImageDim::D2Array)]),
    sig(ONE, INT2, &[from(ImageDim::D2Depth)]),
    sig(ONE, INT2, &[to(ImageDim::D2Depth)]),
    sig(ONE, INT2, &[from(ImageDim::D2ArrayDepth)]),
    sig(ONE, INT2, &[to(ImageDim::D2ArrayDepth)]),
    sig(ONE, INT4, &[from(ImageDim::D3)]),
    sig(ONE, INT4, &[to(ImageDim::D3)]),
];

const fn extent(e: Extent) -> How {
    How::Inline(Inline::ImageExtent(e))
}

const fn fact(i: Intrinsic) -> How {
    How::Inline(Inline::ImageFact(i))
}

const fn read(t: Texel) -> How {
    How::Inline(Inline::ReadImage(t))
}

const fn write(t: Texel) -> How {
    How::Inline(Inline::WriteImage(t))
}

pub(super) static ROWS: &[Row] = &[
    row("get_image_array_size", OF_ARRAY, extent(Extent::Layers)),
    row(
        "get_image_channel_data_type",
        OF_ANY,
        fact(Intrinsic::ChannelDataType),
    ),
    row("get_image_channel_order", OF_ANY, fact(Intrinsic::ChannelOrder)),
    row("get_image_depth", OF_DEEP, extent(Extent::Depth)),
    row("get_image_dim", DIM, How::Inline(Inline::ImageDim)),
    row("get_image_height", OF_FLAT, extent(Extent::Height)),
    row("get_image_width", OF_ANY, extent(Extent::Width)),
    row("read_imagef", READ_FLOAT, read(Texel::Float)),
    row("read_imageh", READ_HALF, How::Inline(Inline::ReadImageHalf)),
    row("read_imagei", READ_INT, read(Texel::Int)),
    row("read_imageui", READ_UINT, read(Texel::UInt)),
    row("write_imagef", WRITE_FLOAT, write(Texel::Float)),
    row("write_imageh", WRITE_HALF, How::Inline(Inline::WriteImageHalf)),
    row("write_imagei", WRITE_INT, write(Texel::Int)),
    row("write_imageui", WRITE_UINT, write(Texel::UInt)),
];
