//! CL 5.5: samplers.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object;
use caldera_runtime::sampler::{AddressingMode, FilterMode, Sampler};

use crate::abi::*;
use crate::out::Info;
use crate::{entry, handle};

/// Creates a sampler. `properties` is the list that CL_SAMPLER_PROPERTIES reports.
fn create(
    context: &Arc<Context>,
    normalized: u64,
    addressing: u64,
    filter: u64,
    properties: Vec<u64>,
) -> Result<*mut c_void> {
    // CL 5.5.1: INVALID_VALUE if addressing_mode, filter_mode or normalized_coords are not valid
    let invalid = |what| move || Error::new(ClCode::InvalidValue, what).at("5.5.1");
    let addressing = u32::try_from(addressing)
        .ok()
        .and_then(AddressingMode::from_number)
        .ok_or_else(invalid("addressing_mode"))?;
    let filter = u32::try_from(filter)
        .ok()
        .and_then(FilterMode::from_number)
        .ok_or_else(invalid("filter_mode"))?;
    let normalized = match normalized {
        0 => false,
        1 => true,
        _ => return Err(invalid("normalized_coords")()),
    };
    Ok(object::give(Sampler::create(
        context, normalized, addressing, filter, properties,
    )?))
}

entry! {
    /// CL 5.5.1 — clCreateSampler
    fn clCreateSampler(
        context: cl_context,
        normalized_coords: cl_bool,
        addressing_mode: cl_addressing_mode,
        filter_mode: cl_filter_mode;
        errcode_ret
    ) -> cl_sampler {
        create(
            &handle::borrow::<Context>(context)?,
            normalized_coords.into(),
            addressing_mode.into(),
            filter_mode.into(),
            Vec::new(),
        )
    }
}

entry! {
    /// CL 2.0, 5.5.1 — clCreateSamplerWithProperties
    fn clCreateSamplerWithProperties(
        context: cl_context,
        sampler_properties: *const cl_sampler_properties [until 0];
        errcode_ret
    ) -> cl_sampler {
        let context = handle::borrow::<Context>(context)?;
        let (mut normalized, mut addressing, mut filter) = (1, CL_ADDRESS_CLAMP.into(), CL_FILTER_NEAREST.into());
        let pairs = sampler_properties.pairs();
        for (i, &(name, value)) in pairs.iter().enumerate() {
            // CL 2.0, 5.7.1: INVALID_VALUE if a property name is not supported, or is specified more than once
            if pairs[..i].iter().any(|(other, _)| *other == name) {
                return Err(Error::new(ClCode::InvalidValue, "a property is there twice").at("2.0 5.7.1"));
            }
            match u32::try_from(name) {
                Ok(CL_SAMPLER_NORMALIZED_COORDS) => normalized = value,
                Ok(CL_SAMPLER_ADDRESSING_MODE) => addressing = value,
                Ok(CL_SAMPLER_FILTER_MODE) => filter = value,
                _ => return Err(Error::new(ClCode::InvalidValue, format!("sampler property {name:#x}")).at("2.0 5.7.1")),
            }
        }
        create(&context, normalized, addressing, filter, sampler_properties.values())
    }
}

entry! {
    /// CL 5.5.1 — clRetainSampler
    fn clRetainSampler(sampler: cl_sampler) {
        handle::retain::<Sampler>(sampler)
    }
}

entry! {
    /// CL 5.5.1 — clReleaseSampler
    fn clReleaseSampler(sampler: cl_sampler) {
        handle::release::<Sampler>(sampler)
    }
}

entry! {
    /// CL 5.5.2 — clGetSamplerInfo
    fn clGetSamplerInfo(
        sampler: cl_sampler,
        param_name: cl_sampler_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let sampler = handle::borrow::<Sampler>(sampler)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_SAMPLER_REFERENCE_COUNT => info.value(object::reference_count(&*sampler)),
            CL_SAMPLER_CONTEXT => info.value(object::handle(sampler.context())),
            CL_SAMPLER_NORMALIZED_COORDS => info.bool(sampler.normalized),
            CL_SAMPLER_ADDRESSING_MODE => info.value(sampler.addressing as u32),
            CL_SAMPLER_FILTER_MODE => info.value(sampler.filter as u32),
            // These are queries of later versions. Their answers say that there are no mipmaps.
            CL_SAMPLER_MIP_FILTER_MODE => info.value(CL_FILTER_NEAREST),
            CL_SAMPLER_LOD_MIN => info.value(0f32.to_bits()),
            CL_SAMPLER_LOD_MAX => info.value(f32::MAX.to_bits()),
            CL_SAMPLER_PROPERTIES => info.slice(&sampler.properties),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
