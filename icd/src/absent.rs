//! The functions of the dispatch table that Caldera does not implement: those of extensions that it does not report,
//! and of OpenCL 2.0 and later. The loader has symbols for them and calls through the table without a check, so a
//! null slot would crash the application. Each of them logs a line and returns an error.
//!
//! The functions that OpenCL loaders export are exported here too. Programs that were linked with a loader import those
//! names, and must start when the library takes the loader's place.

use std::ffi::c_void;

use caldera_runtime::error::{ClCode, Error};
use opencl_sys::cl_d3d10::*;
use opencl_sys::cl_d3d11::*;
use opencl_sys::cl_dx9_media_sharing::*;
use opencl_sys::cl_egl::*;

use crate::abi::*;
use crate::entry;

/// Logs a warning and returns CL_INVALID_OPERATION.
fn refuse(name: &'static str) -> cl_int {
    entry::status(name, String::new, || {
        log::warn!(target: "api", "{name} was called: Caldera does not have it");
        Err(Error::new(ClCode::InvalidOperation, "Caldera does not have it"))
    })
}

macro_rules! absent {
    (hidden $(fn $name:ident($($arg:ident: $ty:ty),* $(; $errcode_ret:ident)?) -> $ret:ty;)*) => {$(
        absent!(@one [], $name, [$($arg: $ty),*], [$($errcode_ret)?], $ret);
    )*};
    (exported $(fn $name:ident($($arg:ident: $ty:ty),* $(; $errcode_ret:ident)?) -> $ret:ty;)*) => {$(
        absent!(@one [#[unsafe(no_mangle)]], $name, [$($arg: $ty),*], [$($errcode_ret)?], $ret);
    )*};
    (@one [$($attribute:tt)*], $name:ident, [$($arg:ident: $ty:ty),*], [], $ret:ty) => {
        $($attribute)*
        pub(crate) unsafe extern "C" fn $name($(_: $ty),*) -> $ret {
            refuse(stringify!($name))
        }
    };
    (@one [$($attribute:tt)*], $name:ident, [$($arg:ident: $ty:ty),*], [errcode_ret], $ret:ty) => {
        $($attribute)*
        pub(crate) unsafe extern "C" fn $name($(_: $ty,)* errcode_ret: *mut cl_int) -> $ret {
            let code = refuse(stringify!($name));
            if !errcode_ret.is_null() {
                // SAFETY: the pointer is not null, so by the clause of the call it is writable.
                unsafe { errcode_ret.write(code) };
            }
            std::ptr::null_mut()
        }
    };
}

absent! { exported
    // OpenGL sharing (cl_khr_gl_sharing, cl_khr_gl_event)
    fn clCreateFromGLBuffer(context: cl_context, flags: cl_mem_flags, bufobj: cl_GLuint; errcode_ret) -> cl_mem;
    fn clCreateFromGLTexture2D(context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint; errcode_ret) -> cl_mem;
    fn clCreateFromGLTexture3D(context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint; errcode_ret) -> cl_mem;
    fn clCreateFromGLRenderbuffer(context: cl_context, flags: cl_mem_flags, renderbuffer: cl_GLuint; errcode_ret) -> cl_mem;
    fn clGetGLObjectInfo(memobj: cl_mem, gl_object_type: *mut cl_gl_object_type, gl_object_name: *mut cl_GLuint) -> cl_int;
    fn clGetGLTextureInfo(memobj: cl_mem, param_name: cl_gl_texture_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    fn clEnqueueAcquireGLObjects(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueReleaseGLObjects(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clGetGLContextInfoKHR(properties: *const cl_context_properties, param_name: cl_gl_context_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    fn clCreateEventFromGLsyncKHR(context: cl_context, sync: cl_GLsync; errcode_ret) -> cl_event;
    fn clCreateFromGLTexture(context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint; errcode_ret) -> cl_mem;
}

absent! { hidden
    // Direct3D and DirectX sharing, which exist only on Windows
    fn clGetDeviceIDsFromD3D10KHR(platform: cl_platform_id, d3d_device_source: cl_d3d10_device_source_khr, d3d_object: *mut c_void, d3d_device_set: cl_d3d10_device_set_khr, num_entries: cl_uint, devices: *mut cl_device_id, num_devices: *mut cl_uint) -> cl_int;
    fn clCreateFromD3D10BufferKHR(context: cl_context, flags: cl_mem_flags, resource: ID3D10Buffer_ptr; errcode_ret) -> cl_mem;
    fn clCreateFromD3D10Texture2DKHR(context: cl_context, flags: cl_mem_flags, resource: ID3D10Texture2D_ptr, subresource: cl_uint; errcode_ret) -> cl_mem;
    fn clCreateFromD3D10Texture3DKHR(context: cl_context, flags: cl_mem_flags, resource: ID3D10Texture3D_ptr, subresource: cl_uint; errcode_ret) -> cl_mem;
    fn clEnqueueAcquireD3D10ObjectsKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueReleaseD3D10ObjectsKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clGetDeviceIDsFromD3D11KHR(platform: cl_platform_id, d3d_device_source: cl_d3d11_device_source_khr, d3d_object: *mut c_void, d3d_device_set: cl_d3d11_device_set_khr, num_entries: cl_uint, devices: *mut cl_device_id, num_devices: *mut cl_uint) -> cl_int;
    fn clCreateFromD3D11BufferKHR(context: cl_context, flags: cl_mem_flags, resource: ID3D11Buffer_ptr; errcode_ret) -> cl_mem;
    fn clCreateFromD3D11Texture2DKHR(context: cl_context, flags: cl_mem_flags, resource: ID3D11Texture2D_ptr, subresource: cl_uint; errcode_ret) -> cl_mem;
    fn clCreateFromD3D11Texture3DKHR(context: cl_context, flags: cl_mem_flags, resource: ID3D11Texture3D_ptr, subresource: cl_uint; errcode_ret) -> cl_mem;
    fn clCreateFromDX9MediaSurfaceKHR(context: cl_context, flags: cl_mem_flags, adapter_type: cl_dx9_media_adapter_type_khr, surface_info: *mut c_void, plane: cl_uint; errcode_ret) -> cl_mem;
    fn clEnqueueAcquireD3D11ObjectsKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueReleaseD3D11ObjectsKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clGetDeviceIDsFromDX9MediaAdapterKHR(platform: cl_platform_id, num_media_adapters: cl_uint, media_adapter_type: *mut cl_dx9_media_adapter_type_khr, media_adapters: *mut c_void, media_adapter_set: cl_dx9_media_adapter_set_khr, num_entries: cl_uint, devices: *mut cl_device_id, num_devices: *mut cl_uint) -> cl_int;
    fn clEnqueueAcquireDX9MediaSurfacesKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueReleaseDX9MediaSurfacesKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
}

absent! { exported
    // EGL sharing (cl_khr_egl_image, cl_khr_egl_event)
    fn clCreateFromEGLImageKHR(context: cl_context, egldisplay: CLeglDisplayKHR, eglimage: CLeglImageKHR, flags: cl_mem_flags, properties: *const cl_egl_image_properties_khr; errcode_ret) -> cl_mem;
    fn clEnqueueAcquireEGLObjectsKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueReleaseEGLObjectsKHR(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clCreateEventFromEGLSyncKHR(context: cl_context, sync: CLeglSyncKHR, display: CLeglDisplayKHR; errcode_ret) -> cl_event;
}

absent! { exported
    // OpenCL 2.2
    fn clSetProgramReleaseCallback(program: cl_program, pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)>, user_data: *mut c_void) -> cl_int;
}
