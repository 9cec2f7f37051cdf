//! cl_khr_command_buffer: the commands that are recorded into a command-buffer.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::command::request::{
    BufferCopy, BufferFill, BufferRange, ImageRegion, TexelBufferCopy, TexelCopy,
};
use caldera_runtime::command::{CommandType, Prepared};
use caldera_runtime::command_buffer::CommandBuffer;
use caldera_runtime::command_buffer::mutable::{Fields, Recipe};
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::kernel::Kernel;
use caldera_runtime::kernel::recorded::RecordedLaunch;
use caldera_runtime::mem::Buffer;
use caldera_runtime::mem::image::Image;
use caldera_runtime::object;
use caldera_runtime::queue::CommandQueue;

use super::enqueue::{range, side};
use super::image_enqueue::{color, origin, region as checked_region};
use super::shared::Interface;
use crate::abi::*;
use crate::args::{self, Array, Properties, Ptr};
use crate::{entry, handle};

/// The arguments that all recording calls have.
struct Target {
    buffer: Arc<CommandBuffer>,
    wait_list: Array<cl_sync_point_khr>,
    sync_point: Ptr<cl_sync_point_khr>,
}

impl Target {
    /// Takes the arguments. CL, clCommand*: INVALID_COMMAND_BUFFER_KHR if command_buffer is not valid;
    /// INVALID_COMMAND_QUEUE if command_queue is not NULL; INVALID_OPERATION if the command-buffer has been finalized
    fn new(
        command_buffer: Ptr<c_void>,
        command_queue: Ptr<c_void>,
        wait_list: Array<cl_sync_point_khr>,
        sync_point: Ptr<cl_sync_point_khr>,
    ) -> Result<Target> {
        let buffer = handle::borrow::<CommandBuffer>(command_buffer)?;
        if !command_queue.is_null() {
            let what = "cl_khr_command_buffer_multi_device is not supported";
            return Err(Error::new(ClCode::InvalidCommandQueue, what));
        }
        buffer.check_recording()?;
        Ok(Target {
            buffer,
            wait_list,
            sync_point,
        })
    }

    /// Checks the arguments of a command that has neither properties nor a handle. CL, clCommand*: INVALID_VALUE if values
    /// specified in properties are not valid, or if mutable_handle is not NULL
    fn plain(
        self,
        properties: Properties<cl_command_properties_khr>,
        mutable_handle: Ptr<cl_mutable_command_khr>,
    ) -> Result<Target> {
        if properties.known(|_| false).is_none() {
            return Err(Error::new(ClCode::InvalidValue, "the command has no properties"));
        }
        if !mutable_handle.is_null() {
            return Err(Error::new(ClCode::InvalidValue, "mutable_handle is not NULL"));
        }
        Ok(self)
    }

    fn queue(&self) -> &Arc<CommandQueue> {
        self.buffer.queue()
    }

    /// Returns the sync-points. CL, clCommand*: INVALID_SYNC_POINT_WAIT_LIST_KHR if sync_point_wait_list is NULL and its
    /// number is not 0, or the reverse, or if its sync-points are not valid
    fn waits(&self) -> Result<&[cl_sync_point_khr]> {
        let list = self
            .wait_list
            .optional("sync_point_wait_list and its number do not agree")
            .map_err(|e| Error::new(ClCode::InvalidSyncPointWaitListKhr, e.what))?
            .unwrap_or(&[]);
        self.buffer.check_sync_points(list)?;
        Ok(list)
    }

    /// Records a command after its wait list has been checked.
    fn record(&self, prepare: impl FnOnce(&Arc<CommandQueue>) -> Result<Prepared>) -> Result<()> {
        let waits = self.waits()?;
        let point = self.buffer.record(prepare(self.queue())?, waits)?;
        self.sync_point.write(point);
        Ok(())
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandBarrierWithWaitListKHR
    fn clCommandBarrierWithWaitListKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let target = target.plain(properties, mutable_handle)?;
        let point = target.buffer.record_barrier(target.waits()?)?;
        sync_point.write(point);
        Ok(())
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandCopyBufferKHR
    fn clCommandCopyBufferKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        src_buffer: cl_mem,
        dst_buffer: cl_mem,
        src_offset: size_t,
        dst_offset: size_t,
        size: size_t,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let src = handle::borrow::<Buffer>(src_buffer)?;
        let dst = handle::borrow::<Buffer>(dst_buffer)?;
        target.queue().check_contexts([src.context(), dst.context()])?;
        let target = target.plain(properties, mutable_handle)?;
        let copy = BufferCopy::linear(&src, &dst, src_offset, dst_offset, size)?;
        target.record(|queue| queue.prepare_copy(copy))
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandCopyBufferRectKHR
    fn clCommandCopyBufferRectKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        src_buffer: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const size_t [3_usize],
        dst_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        src_row_pitch: size_t,
        src_slice_pitch: size_t,
        dst_row_pitch: size_t,
        dst_slice_pitch: size_t,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let src = handle::borrow::<Buffer>(src_buffer)?;
        let dst = handle::borrow::<Buffer>(dst_buffer)?;
        target.queue().check_contexts([src.context(), dst.context()])?;
        let target = target.plain(properties, mutable_handle)?;
        let src_side = side(src_origin, src_row_pitch, src_slice_pitch)?;
        let dst_side = side(dst_origin, dst_row_pitch, dst_slice_pitch)?;
        let region = args::triple(region, "region is NULL")?;
        let copy = BufferCopy::rect(&src, &dst, src_side, dst_side, region)?;
        target.record(|queue| queue.prepare_copy(copy))
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandFillBufferKHR
    fn clCommandFillBufferKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        buffer: cl_mem,
        pattern: *const c_void [pattern_size],
        pattern_size: size_t,
        offset: size_t,
        size: size_t,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let buffer = handle::borrow::<Buffer>(buffer)?;
        target.queue().check_contexts([buffer.context()])?;
        let target = target.plain(properties, mutable_handle)?;
        // CL 5.2.3: INVALID_VALUE if pattern is NULL
        let pattern = pattern
            .bytes()
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "pattern is NULL").at("5.2.3"))?;
        let fill = BufferFill::new(BufferRange::new(&buffer, offset, size)?, pattern)?;
        target.record(|queue| queue.prepare_fill(fill))
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandFillImageKHR
    fn clCommandFillImageKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        image: cl_mem,
        fill_color: *const c_void [16_usize],
        origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let image = handle::borrow::<Image>(image)?;
        target.queue().check_contexts([image.context()])?;
        let target = target.plain(properties, mutable_handle)?;
        let color = color(fill_color, &image)?;
        let (origin, region) = (self::origin(origin)?, checked_region(region)?);
        let region = ImageRegion::new(&image, origin, region)?;
        target.record(|queue| queue.prepare_fill_image(&region, color))
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandCopyImageKHR
    fn clCommandCopyImageKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        src_image: cl_mem,
        dst_image: cl_mem,
        src_origin: *const size_t [3_usize],
        dst_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let src = handle::borrow::<Image>(src_image)?;
        let dst = handle::borrow::<Image>(dst_image)?;
        target.queue().check_contexts([src.context(), dst.context()])?;
        let target = target.plain(properties, mutable_handle)?;
        let (from, to) = (origin(src_origin)?, origin(dst_origin)?);
        let copy = TexelCopy::new(&src, &dst, from, to, checked_region(region)?)?;
        target.record(|queue| queue.prepare_copy_image(copy))
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandCopyImageToBufferKHR
    fn clCommandCopyImageToBufferKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        src_image: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        dst_offset: size_t,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let image = handle::borrow::<Image>(src_image)?;
        let buffer = handle::borrow::<Buffer>(dst_buffer)?;
        target.queue().check_contexts([image.context(), buffer.context()])?;
        let target = target.plain(properties, mutable_handle)?;
        let (from, region) = (origin(src_origin)?, checked_region(region)?);
        let copy = TexelBufferCopy::new(ImageRegion::new(&image, from, region)?, &buffer, dst_offset)?;
        target.record(|queue| queue.prepare_copy_image_to_buffer(copy))
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandCopyBufferToImageKHR
    fn clCommandCopyBufferToImageKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        src_buffer: cl_mem,
        dst_image: cl_mem,
        src_offset: size_t,
        dst_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let buffer = handle::borrow::<Buffer>(src_buffer)?;
        let image = handle::borrow::<Image>(dst_image)?;
        target.queue().check_contexts([buffer.context(), image.context()])?;
        let target = target.plain(properties, mutable_handle)?;
        let (to, region) = (origin(dst_origin)?, checked_region(region)?);
        let copy = TexelBufferCopy::new(ImageRegion::new(&image, to, region)?, &buffer, src_offset)?;
        target.record(|queue| queue.prepare_copy_buffer_to_image(copy))
    }
}

/// CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: everything.
pub(super) const MUTABLE_FIELDS: cl_mutable_dispatch_fields_khr = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

/// The properties of a launch.
struct LaunchProperties {
    fields: Option<cl_mutable_dispatch_fields_khr>,
    no_more_work_groups: bool,
}

/// Returns the properties of a launch. CL, clCommandNDRangeKernelKHR: INVALID_VALUE if values specified in properties are
/// not valid. INVALID_OPERATION cannot occur, because the device supports all updates.
fn launch_properties(properties: Properties<cl_command_properties_khr>) -> Result<LaunchProperties> {
    const FIELDS: u64 = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
    const ASSERTS: u64 = CL_MUTABLE_DISPATCH_ASSERTS_KHR;
    let invalid = |what| Error::new(ClCode::InvalidValue, what);
    let pairs = properties
        .known(|name| matches!(name, FIELDS | ASSERTS))
        .ok_or_else(|| invalid("an unknown property"))?;
    let mut all = LaunchProperties {
        fields: None,
        no_more_work_groups: false,
    };
    for (name, value) in pairs {
        match name {
            FIELDS => {
                if value & !MUTABLE_FIELDS != 0 {
                    return Err(invalid("unknown updatable fields"));
                }
                all.fields = Some(value);
            }
            _ => {
                if value & !CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR != 0 {
                    return Err(invalid("unknown assertions"));
                }
                all.no_more_work_groups = value != 0;
            }
        }
    }
    Ok(all)
}

entry! {
    /// cl_khr_command_buffer — clCommandNDRangeKernelKHR
    fn clCommandNDRangeKernelKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const size_t [work_dim],
        global_work_size: *const size_t [work_dim],
        local_work_size: *const size_t [work_dim],
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let kernel = handle::borrow::<Kernel>(kernel)?;
        target.queue().check_contexts([kernel.context()])?;
        let flags = target.buffer.flags();
        let own = launch_properties(properties)?;
        // CL, clCommandNDRangeKernelKHR: INVALID_VALUE if there is to be no additional work-group, and local_work_size is
        // NULL
        if (flags.no_more_work_groups || own.no_more_work_groups) && local_work_size.is_null() {
            return Err(Error::new(ClCode::InvalidValue, "local_work_size is NULL"));
        }
        let range = range(work_dim, global_work_offset, global_work_size, Some(local_work_size));
        // CL, clCommandNDRangeKernelKHR: INVALID_KERNEL_ARGS if the kernel argument values have not been specified and
        // CL_MUTABLE_DISPATCH_ARGUMENTS_KHR was not set in the properties parameter
        let set_later = own.fields.unwrap_or(0) & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0 && flags.mutable;
        let launch = RecordedLaunch::new(&kernel, target.queue(), &range, set_later)?;
        let waits = target.waits()?;
        let fields = own.fields.unwrap_or(MUTABLE_FIELDS);
        let recipe = (!mutable_handle.is_null()).then(|| Recipe {
            kernel,
            fields: Fields {
                offset: fields & CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR != 0,
                global: fields & CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR != 0,
                local: fields & CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR != 0,
                arguments: fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0,
                exec_info: fields & CL_MUTABLE_DISPATCH_EXEC_INFO_KHR != 0,
            },
            properties: properties.values(),
        });
        let (point, command) = target.buffer.record_launch(launch, recipe, waits)?;
        sync_point.write(point);
        if let Some(command) = command {
            mutable_handle.write(object::handle(&command));
        }
        Ok(())
    }
}

impl Target {
    /// Checks the arguments of an SVM command. CL 2.0, 5.6.1: INVALID_OPERATION if the device does not support SVM
    fn shared(
        self,
        properties: Properties<cl_command_properties_khr>,
        mutable_handle: Ptr<cl_mutable_command_khr>,
    ) -> Result<Target> {
        self.queue().context().check_svm()?;
        self.plain(properties, mutable_handle)
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandSVMMemcpyKHR
    fn clCommandSVMMemcpyKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        dst_ptr: *mut c_void,
        src_ptr: *const c_void,
        size: size_t,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let target = target.shared(properties, mutable_handle)?;
        if size == 0 {
            return target.record(|_| Ok(Prepared::nothing(CommandType::SvmMemcpy)));
        }
        // A command-buffer has no commands that access memory of the host, so both sides are shared memory.
        let context = target.queue().context();
        let from = Interface::Svm.place(context, src_ptr.raw().addr(), size)?;
        let to = Interface::Svm.place(context, dst_ptr.raw().addr(), size)?;
        target.record(|queue| queue.prepare_svm_copy(&from, &to, size))
    }
}

entry! {
    /// cl_khr_command_buffer — clCommandSVMMemFillKHR
    fn clCommandSVMMemFillKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr [until 0],
        svm_ptr: *mut c_void,
        pattern: *const c_void [pattern_size],
        pattern_size: size_t,
        size: size_t,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr [num_sync_points_in_wait_list],
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) {
        let target = Target::new(command_buffer, command_queue, sync_point_wait_list, sync_point)?;
        let target = target.shared(properties, mutable_handle)?;
        let to = Interface::Svm.place(target.queue().context(), svm_ptr.raw().addr(), size)?;
        if size == 0 {
            return target.record(|_| Ok(Prepared::nothing(CommandType::SvmMemFill)));
        }
        // CL 2.0, 5.6.1: INVALID_VALUE if pattern is NULL
        let pattern = pattern
            .bytes()
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "pattern is NULL").at("2.0 5.6.1"))?;
        target.record(|queue| queue.prepare_svm_fill(CommandType::SvmMemFill, &to, pattern, size))
    }
}
