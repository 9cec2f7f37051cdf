//! The structures of clUpdateMutableCommandsKHR (cl_khr_command_buffer_mutable_dispatch), which point to further arrays of
//! the application.

use std::ffi::c_void;
use std::fmt;

use caldera_runtime::error::{ClCode, Error, Result};

use crate::abi::*;
use crate::args::{Argument, Array, Ptr};

/// The arrays `configs` and `config_types`. For the duration of the call each is null or valid for as many values as the
/// call gives; each element of `configs` is null or points to a structure of the type that `config_types` gives, and the
/// pointers in the structure are null or valid for as many values as the structure and its command give.
#[derive(Copy, Clone)]
pub(crate) struct Updates {
    configs: Array<*const c_void>,
    types: Array<u32>,
}

impl fmt::Debug for Updates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.configs.fmt(f)
    }
}

impl Updates {
    /// Takes the arrays.
    ///
    /// # Safety
    /// For the duration of the call, the arrays must be valid as the documentation of [`Updates`] says.
    pub(crate) unsafe fn adopt(configs: *mut *const c_void, count: usize, types: *const u32) -> Self {
        Updates {
            // SAFETY: the caller's duty.
            configs: unsafe { Array::adopt(configs, count) },
            // SAFETY: the caller's duty.
            types: unsafe { Array::adopt(types, count) },
        }
    }

    /// Returns the updates of launches.
    pub(crate) fn list(self) -> Result<Vec<Config>> {
        let invalid = |what| Error::new(ClCode::InvalidValue, what);
        // CL, clUpdateMutableCommandsKHR: INVALID_VALUE if config_types or configs is NULL and num_configs > 0, or not
        // NULL and num_configs is 0; if an element of config_types is not valid; if an element of configs is NULL
        let types = self.types.optional("config_types and num_configs do not agree")?;
        let configs = self.configs.optional("configs and num_configs do not agree")?;
        let (Some(types), Some(configs)) = (types, configs) else {
            return Ok(Vec::new());
        };
        if types
            .iter()
            .any(|t| *t != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR)
        {
            return Err(invalid("a type of configuration is not valid"));
        }
        let read = |config: &*const c_void| {
            let config = config.cast::<cl_mutable_dispatch_config_khr>();
            if config.is_null() {
                return Err(invalid("an element of configs is NULL"));
            }
            // SAFETY: the pointer is not null, and the type of the structure is this one, as checked above; so it is
            // readable by the contract of `adopt`. The read needs no alignment.
            Ok(Config(unsafe { config.read_unaligned() }))
        };
        configs.iter().map(read).collect()
    }
}

/// The update of a launch. Only [`Updates::list`] makes one, so its pointers are valid for the duration of the call.
pub(crate) struct Config(cl_mutable_dispatch_config_khr);

/// An argument that changes.
pub(crate) struct ChangedArg {
    pub(crate) index: u32,
    pub(crate) value: Array<c_void>,
}

/// A change of what clSetKernelExecInfo sets.
pub(crate) struct ChangedInfo {
    pub(crate) name: u32,
    pub(crate) value: Array<c_void>,
}

impl Config {
    /// Returns the handle of the command.
    pub(crate) fn command(&self) -> Ptr<c_void> {
        // SAFETY: pointers to `c_void` may be anything.
        unsafe { self.0.command.adopt() }
    }

    /// Returns the number of dimensions, or 0 if it does not change.
    pub(crate) fn work_dim(&self) -> u32 {
        self.0.work_dim
    }

    /// Returns the arguments that change.
    pub(crate) fn args(&self) -> Result<Vec<ChangedArg>> {
        // SAFETY: the pointer is null or valid for this number of values by the contract of `Updates::adopt`.
        let list = unsafe { Array::adopt(self.0.arg_list, self.0.num_args as usize) };
        let list = list
            .optional("arg_list and num_args do not agree")?
            .unwrap_or(&[]);
        let arg = |arg: &cl_mutable_dispatch_arg_khr| ChangedArg {
            index: arg.arg_index,
            // SAFETY: as for `arg_value` and `arg_size` of clSetKernelArg, by the contract of `Updates::adopt`.
            value: unsafe { Array::adopt(arg.arg_value, arg.arg_size) },
        };
        Ok(list.iter().map(arg).collect())
    }

    /// Returns the indices and the values of arguments that are SVM pointers.
    pub(crate) fn svm_args(&self) -> Result<Vec<(u32, u64)>> {
        // SAFETY: the pointer is null or valid for this number of values by the contract of `Updates::adopt`.
        let list = unsafe { Array::adopt(self.0.arg_svm_list, self.0.num_svm_args as usize) };
        let list = list.optional("arg_svm_list and num_svm_args do not agree")?;
        let arg = |arg: &cl_mutable_dispatch_arg_khr| (arg.arg_index, arg.arg_value.addr() as u64);
        Ok(list.unwrap_or(&[]).iter().map(arg).collect())
    }

    /// Returns the changes of what clSetKernelExecInfo sets.
    pub(crate) fn exec_infos(&self) -> Result<Vec<ChangedInfo>> {
        // SAFETY: the pointer is null or valid for this number of values by the contract of `Updates::adopt`.
        let list = unsafe { Array::adopt(self.0.exec_info_list, self.0.num_exec_infos as usize) };
        let list = list.optional("exec_info_list and num_exec_infos do not agree")?;
        let info = |info: &cl_mutable_dispatch_exec_info_khr| ChangedInfo {
            name: info.param_name,
            // SAFETY: as for the arguments of clSetKernelExecInfo, by the contract of `Updates::adopt`.
            value: unsafe { Array::adopt(info.param_value, info.param_value_size) },
        };
        Ok(list.unwrap_or(&[]).iter().map(info).collect())
    }

    /// Returns global offset, global size and local size; each is null or has the number of dimensions of the command.
    pub(crate) fn sizes(&self, work_dim: u32) -> [Array<usize>; 3] {
        let sizes = [
            self.0.global_work_offset,
            self.0.global_work_size,
            self.0.local_work_size,
        ];
        // SAFETY: the pointers are null or valid for this number of values by the contract of `Updates::adopt`.
        sizes.map(|s| unsafe { Array::adopt(s, work_dim as usize) })
    }
}
