//! The C types and numbers of the OpenCL headers, and what must hold of them here.

pub(crate) use opencl_sys::cl_icd::cl_icd_dispatch;
pub(crate) use opencl_sys::*;

/// `size_t`.
pub(crate) type size_t = usize;

// Written by the loader's and the applications' C compilers; a difference would be silent memory corruption.
const _: () = {
    assert!(size_of::<cl_context>() == size_of::<usize>());
    assert!(size_of::<cl_bool>() == 4);
    assert!(size_of::<cl_device_type>() == 8);
    assert!(size_of::<cl_image_format>() == 8);
    assert!(size_of::<cl_buffer_region>() == 2 * size_of::<usize>());
    assert!(size_of::<cl_name_version>() == 68);
    // One pointer per slot; the loader indexes the table by position.
    assert!(size_of::<cl_icd_dispatch>() == crate::dispatch::SLOTS * size_of::<usize>());
};
