//! The C types and numbers of the OpenCL headers, with assertions about their layout.

pub(crate) use opencl_sys::cl_icd::cl_icd_dispatch;
pub(crate) use opencl_sys::*;

#[cfg(all(windows, target_arch = "x86"))]
compile_error!(
    "OpenCL's functions have the calling convention __stdcall on Windows for 32-bit processors; Caldera's do not"
);

/// The number in the specification and in the C headers. The crate `opencl-sys` has a different one.
pub(crate) const CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: cl_command_buffer_properties_khr = 0x12B7;

/// `size_t`.
pub(crate) type size_t = usize;

// The C compilers of loaders and applications use the layouts of the headers. A difference here would corrupt memory
// silently.
const _: () = {
    assert!(size_of::<cl_context>() == size_of::<usize>());
    assert!(size_of::<cl_bool>() == 4);
    assert!(size_of::<cl_device_type>() == 8);
    assert!(size_of::<cl_image_format>() == 8);
    assert!(size_of::<cl_buffer_region>() == 2 * size_of::<usize>());
    assert!(size_of::<cl_name_version>() == 68);
    // The table has one pointer per slot, because the loader finds functions by their position.
    assert!(size_of::<cl_icd_dispatch>() == crate::dispatch::SLOTS * size_of::<usize>());
};
