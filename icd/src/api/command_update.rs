//! cl_khr_command_buffer_mutable_dispatch: updates of launches in command-buffers, and the queries of their handles.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::command::CommandType;
use caldera_runtime::command_buffer::CommandBuffer;
use caldera_runtime::command_buffer::mutable::{MutableCommand, Update};
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object;

use super::enqueue::sizes;
use super::kernel::{arg_value, pointers};
use crate::abi::*;
use crate::out::Info;
use crate::updates::Config;
use crate::{entry, handle};

/// Checks the update of a launch.
fn update(buffer: &Arc<CommandBuffer>, config: &Config) -> Result<Update> {
    let refuse = |what| Err(Error::new(ClCode::InvalidOperation, what));
    // CL, clUpdateMutableCommandsKHR: INVALID_MUTABLE_COMMAND_KHR if command is not valid, or not of command_buffer
    let command = handle::borrow::<MutableCommand>(config.command())?;
    if !Arc::ptr_eq(&command.buffer()?, buffer) {
        let what = "the command is of another command-buffer";
        return Err(Error::new(ClCode::InvalidMutableCommandKhr, what));
    }
    let (fields, work_dim) = (command.fields(), command.range()?.work_dim);
    // CL, clUpdateMutableCommandsKHR: INVALID_OPERATION if work_dim is not zero and different from that of the recording;
    // if something is to be changed for which the property was not set on recording
    if config.work_dim() != 0 && config.work_dim() != work_dim {
        return refuse("work_dim changes");
    }
    let [offset, global, local] = config.sizes(work_dim).map(|array| sizes(array, work_dim, 1));
    let args = config.args()?;
    let (svm_args, exec_infos) = (config.svm_args()?, config.exec_infos()?);
    let changes = [
        (offset.is_some(), fields.offset),
        (global.is_some(), fields.global),
        (local.is_some(), fields.local),
        (!(args.is_empty() && svm_args.is_empty()), fields.arguments),
        (!exec_infos.is_empty(), fields.exec_info),
    ];
    if changes.iter().any(|(changes, may)| *changes && !may) {
        return refuse("the command was not recorded for this update");
    }
    let kernel = command.kernel();
    let mut pointed = Vec::new();
    let mut shared = Vec::new();
    if !svm_args.is_empty() {
        buffer.context().check_svm()?;
    }
    for (index, address) in svm_args {
        let (value, buffers) = kernel.shared_value(index, address)?;
        shared.push((index, value));
        pointed.extend(buffers);
    }
    // The new set replaces the old one; the buffers of the old set stay known to the launch, which does no harm.
    for info in exec_infos {
        if let Some((addresses, _)) = pointers(kernel, info.name, info.value)? {
            pointed.extend(kernel.buffers_at(&addresses));
        }
    }
    let mut args = args
        .into_iter()
        .map(|arg| {
            let kind = kernel.arg_kind(arg.index)?;
            Ok((arg.index, arg_value(kind, arg.value)?))
        })
        .collect::<Result<Vec<_>>>()?;
    args.extend(shared);
    Ok(Update {
        command,
        args,
        pointed,
        offset,
        global,
        local,
    })
}

entry! {
    /// cl_khr_command_buffer_mutable_dispatch — clUpdateMutableCommandsKHR
    fn clUpdateMutableCommandsKHR(
        command_buffer: cl_command_buffer_khr,
        num_configs: cl_uint,
        config_types: *const cl_command_buffer_update_type_khr [num_configs],
        configs: *mut *const c_void [updates num_configs, config_types],
    ) {
        let buffer = handle::borrow::<CommandBuffer>(command_buffer)?;
        buffer.check_updatable()?;
        let updates = configs
            .list()?
            .iter()
            .map(|config| update(&buffer, config))
            .collect::<Result<Vec<Update>>>()?;
        buffer.update(&updates)
    }
}

entry! {
    /// cl_khr_command_buffer_mutable_dispatch — clGetMutableCommandInfoKHR
    fn clGetMutableCommandInfoKHR(
        command: cl_mutable_command_khr,
        param_name: cl_mutable_command_info_khr,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let command = handle::borrow::<MutableCommand>(command)?;
        let buffer = command.buffer()?;
        let range = command.range()?;
        let used = range.work_dim as usize;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => info.value(object::handle(buffer.queue())),
            CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => info.value(object::handle(&buffer)),
            CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => info.value(CommandType::NdRangeKernel as u32),
            CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => info.slice(command.properties()),
            CL_MUTABLE_DISPATCH_KERNEL_KHR => info.value(object::handle(command.kernel())),
            CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => info.value(range.work_dim),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => info.slice(&range.offset[..used]),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => info.slice(&range.global[..used]),
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => info.slice(&range.local.unwrap_or([0; 3])[..used]),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
