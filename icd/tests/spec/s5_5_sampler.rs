//! Tests CL 5.5: creation and queries of samplers.

use std::ptr::null_mut;

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query, query_bytes};

#[test]
fn create_sampler_checks_its_values() {
    let s = Setup::new();
    // INVALID_VALUE if addressing_mode, filter_mode or normalized_coords are not valid
    for (normalized, addressing, filter) in [
        (1, 0x7777, CL_FILTER_LINEAR),
        (1, CL_ADDRESS_CLAMP, 0x7777),
        (7, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR),
    ] {
        let (_, code) = created!(clCreateSampler(s.context, normalized, addressing, filter));
        assert_eq!(code, CL_INVALID_VALUE);
    }
}

#[test]
fn sampler_info() {
    let s = Setup::new();
    let (sampler, code) = created!(clCreateSampler(s.context, 1, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR));
    if code == CL_INVALID_OPERATION {
        // The device has no images. `s5_3_image` checks that its answers are consistent.
        return;
    }
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetSamplerInfo(sampler; CL_SAMPLER_NORMALIZED_COORDS) as u32),
        1
    );
    assert_eq!(
        query!(clGetSamplerInfo(sampler; CL_SAMPLER_ADDRESSING_MODE) as u32),
        CL_ADDRESS_REPEAT
    );
    assert_eq!(
        query!(clGetSamplerInfo(sampler; CL_SAMPLER_FILTER_MODE) as u32),
        CL_FILTER_LINEAR
    );
    assert_eq!(
        query!(clGetSamplerInfo(sampler; CL_SAMPLER_CONTEXT) as usize),
        s.context.addr()
    );
    // These queries are from later versions of OpenCL.
    assert_eq!(
        query!(clGetSamplerInfo(sampler; CL_SAMPLER_MIP_FILTER_MODE) as u32),
        CL_FILTER_NEAREST
    );
    assert_eq!(query!(clGetSamplerInfo(sampler; CL_SAMPLER_LOD_MIN) as f32), 0.0);
    assert!(query_bytes!(clGetSamplerInfo(sampler; CL_SAMPLER_PROPERTIES)).is_empty());
    let given = [u64::from(CL_SAMPLER_FILTER_MODE), u64::from(CL_FILTER_LINEAR), 0];
    let (other, code) = created!(clCreateSamplerWithProperties(s.context, given.as_ptr()));
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetSamplerInfo(other; CL_SAMPLER_PROPERTIES) as [u64; 3]),
        given
    );
    assert_eq!(cl!(clReleaseSampler(other)), 0);
    // CL 2.0, 5.5.1: INVALID_VALUE if a property name is specified more than once
    let (name, value) = (u64::from(CL_SAMPLER_FILTER_MODE), u64::from(CL_FILTER_LINEAR));
    let twice = [name, value, name, value, 0];
    let (none, code) = created!(clCreateSamplerWithProperties(s.context, twice.as_ptr()));
    assert_eq!((none.is_null(), code), (true, CL_INVALID_VALUE));
    // The error of the context comes before those of the properties.
    let (_, code) = created!(clCreateSamplerWithProperties(null_mut(), twice.as_ptr()));
    assert_eq!(code, CL_INVALID_CONTEXT);
    assert_eq!(
        cl!(clGetSamplerInfo(sampler, 0x9999, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(cl!(clReleaseSampler(sampler)), 0);
    assert_eq!(cl!(clReleaseSampler(sampler)), CL_INVALID_SAMPLER);
}
