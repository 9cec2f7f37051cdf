//! Programs, images, samplers and launches as a captured launch describes them.

use super::{Device, Handle, Kind, answer, call, created, done, enqueued, text};
use crate::Failure;
use crate::types::little_endian;
use opencl_sys::*;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

pub(crate) struct ImageForm<'a> {
    pub(crate) flags: u64,
    /// CL_MEM_OBJECT_IMAGE….
    pub(crate) kind: u32,
    /// The channel order and the channel type.
    pub(crate) format: (u32, u32),
    /// The size in texels and layers: the layers of a 1D array are the second number, those of a 2D array the third.
    pub(crate) size: [usize; 3],
    /// The buffer that has the texels, and the distance of its rows in bytes.
    pub(crate) buffer: Option<(&'a Handle, usize)>,
    /// Null, or all texels without gaps between the rows.
    pub(crate) host: *mut c_void,
}

/// The sizes of a launch; all have the same number of dimensions.
pub(crate) struct Sizes<'a> {
    pub(crate) offset: &'a [usize],
    pub(crate) global: &'a [usize],
    pub(crate) local: Option<&'a [usize]>,
}

impl Handle {
    /// Creates an image in a context.
    pub(crate) fn image_of(&self, form: &ImageForm<'_>) -> Result<Handle, Failure> {
        let format = cl_image_format {
            image_channel_order: form.format.0,
            image_channel_data_type: form.format.1,
        };
        let [width, second, third] = form.size;
        let (height, depth, layers) = match form.kind {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => (0, 0, second),
            CL_MEM_OBJECT_IMAGE2D => (second, 0, 0),
            CL_MEM_OBJECT_IMAGE2D_ARRAY => (second, 0, third),
            CL_MEM_OBJECT_IMAGE3D => (second, third, 0),
            _ => (0, 0, 0),
        };
        // Only a 2D image from a buffer has a pitch without a host pointer.
        let pitch = form.buffer.filter(|_| form.kind == CL_MEM_OBJECT_IMAGE2D);
        let desc = cl_image_desc {
            image_type: form.kind,
            image_width: width,
            image_height: height,
            image_depth: depth,
            image_array_size: layers,
            image_row_pitch: pitch.map_or(0, |(_, pitch)| pitch),
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: form.buffer.map_or(null_mut(), |(buffer, _)| buffer.raw()),
        };
        let raw = created!(self.clCreateImage(self.raw(), form.flags, &format, &desc, form.host))?;
        Ok(Handle::new(self.table, raw, Kind::Mem))
    }

    /// Creates an image of `size` texels: a 3D image if the depth is greater than 1, otherwise a 2D image.
    pub(super) fn plain_image(
        &self,
        flags: u64,
        format: (u32, u32),
        size: [usize; 3],
        host: *mut c_void,
    ) -> Result<Handle, Failure> {
        let kinds = [CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D];
        self.image_of(&ImageForm {
            flags,
            kind: kinds[usize::from(size[2] > 1)],
            format,
            size,
            buffer: None,
            host,
        })
    }

    pub(crate) fn sampler(&self, normalized: bool, addressing: u32, filter: u32) -> Result<Handle, Failure> {
        let normalized = cl_bool::from(normalized);
        let raw = created!(self.clCreateSampler(self.raw(), normalized, addressing, filter))?;
        Ok(Handle::new(self.table, raw, Kind::Sampler))
    }

    /// Creates a program from its source in a context.
    pub(crate) fn program_of_source(&self, source: &[u8]) -> Result<Handle, Failure> {
        let (mut text, length) = (source.as_ptr().cast(), source.len());
        let raw = created!(self.clCreateProgramWithSource(self.raw(), 1, &raw mut text, &length))?;
        Ok(Handle::new(self.table, raw, Kind::Program))
    }

    /// Creates a program from a SPIR-V module in a context.
    pub(crate) fn program_of_il(&self, module: &[u8]) -> Result<Handle, Failure> {
        let raw = created!(self.clCreateProgramWithIL(self.raw(), module.as_ptr().cast(), module.len()))?;
        Ok(Handle::new(self.table, raw, Kind::Program))
    }

    /// Creates a program from the binary of a device in a context.
    pub(crate) fn program_of_binary(&self, device: &Device, bytes: &[u8]) -> Result<Handle, Failure> {
        let (length, mut at, none) = (bytes.len(), bytes.as_ptr(), null_mut());
        let (list, at) = (&raw const device.raw, &raw mut at);
        let raw = created!(self.clCreateProgramWithBinary(self.raw(), 1, list, &length, at, none))?;
        Ok(Handle::new(self.table, raw, Kind::Program))
    }

    /// Sets a specialization constant of a program.
    pub(crate) fn specialize(&self, id: u32, value: &[u8]) -> Result<(), Failure> {
        done!(self.clSetProgramSpecializationConstant(self.raw(), id, value.len(), value.as_ptr().cast()))
    }

    /// Builds a program. If that fails, the error contains the build log.
    pub(crate) fn build_with(&self, options: &str) -> Result<(), Failure> {
        let options = CString::new(options)?;
        let code = call!(self.clBuildProgram(self.raw(), 0, null(), options.as_ptr(), None, null_mut()))?;
        self.built(code, "clBuildProgram")
    }

    /// Compiles a program with headers, which have names. If that fails, the error contains the build log.
    pub(crate) fn compile_with(&self, options: &str, headers: &[(String, Handle)]) -> Result<(), Failure> {
        let options = CString::new(options)?;
        let names = headers.iter().map(|(name, _)| CString::new(&**name));
        let names = names.collect::<Result<Vec<_>, _>>()?;
        let mut names: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
        let programs: Vec<cl_program> = headers.iter().map(|(_, h)| h.raw()).collect();
        let (names, programs) = match headers {
            [] => (null_mut(), null()),
            _ => (names.as_mut_ptr(), programs.as_ptr()),
        };
        let (count, o) = (cl_uint::try_from(headers.len())?, options.as_ptr());
        let code =
            call!(self.clCompileProgram(self.raw(), 0, null(), o, count, programs, names, None, null_mut()))?;
        self.built(code, "clCompileProgram")
    }

    /// Links compiled programs in a context. If that fails, the error contains the build log.
    pub(crate) fn link(&self, options: &str, programs: &[Handle]) -> Result<Handle, Failure> {
        let options = CString::new(options)?;
        let list: Vec<cl_program> = programs.iter().map(Handle::raw).collect();
        let (count, list, mut code) = (cl_uint::try_from(list.len())?, list.as_ptr(), 0);
        let raw = call!(self.clLinkProgram(
            self.raw(),
            0,
            null(),
            options.as_ptr(),
            count,
            list,
            None,
            null_mut(),
            &raw mut code
        ))?;
        if raw.is_null() {
            return fail!("clLinkProgram gave {code}");
        }
        let linked = Handle::new(self.table, raw, Kind::Program);
        linked.built(code, "clLinkProgram")?;
        Ok(linked)
    }

    /// Turns the result of a build into an error with the build log of the first device.
    fn built(&self, code: cl_int, call: &str) -> Result<(), Failure> {
        if code == CL_SUCCESS {
            return Ok(());
        }
        let devices = answer!(self.clGetProgramInfo(self.raw(), CL_PROGRAM_DEVICES)).unwrap_or_default();
        let device: *mut c_void = std::ptr::with_exposed_provenance_mut(little_endian(&devices) as usize);
        let log = answer!(self.clGetProgramBuildInfo(self.raw(), device, CL_PROGRAM_BUILD_LOG));
        fail!("{call} gave {code}:\n{}", text(&log.unwrap_or_default()))
    }

    pub(crate) fn launch_of(&self, kernel: &Handle, sizes: &Sizes<'_>) -> Result<Handle, Failure> {
        let count = sizes.global.len();
        if sizes.offset.len() != count || sizes.local.is_some_and(|l| l.len() != count) {
            return fail!("a launch whose sizes differ in their dimensions");
        }
        let (q, k, n, none) = (self.raw(), kernel.raw(), cl_uint::try_from(count)?, &[]);
        let (offset, global) = (sizes.offset.as_ptr(), sizes.global.as_ptr());
        let local = sizes.local.map_or(null(), <[usize]>::as_ptr);
        enqueued!(self.clEnqueueNDRangeKernel(q, k, n, offset, global, local), none)
    }
}
