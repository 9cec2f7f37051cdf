//! Kernels (CL 5.7): a function of a program with argument values.
//!
//! | to read | modules |
//! |---|---|
//! | first: arguments | [`args`] checks them, `values` stores them, `placed` places them as the module demands, and `uses` derives the memory accesses from them |
//! | launches | an enqueue call hands a [`launch`] to a queue; `cached_launch` keeps the last one of a kernel object, [`recorded`] has those of command-buffers |
//! | sizes | `local_size` chooses the work-group size, `parts` divides the NDRange, `packing` joins small work-groups, `scratch` determines the scratch memory |
//! | code | `code` holds the shader modules, [`pipeline`] the pipelines, `program_data` the data of a module, and `descriptors` makes the descriptor sets |
//! | pipelines in advance | `early` makes them; `driver_cache` and `launched` store on disk what the next process needs for that |
//! | special kernels | `copy` copies rows and large ranges, `alias` copies texels for 2D images from buffers, and `ended` has what kernels report of loops that the driver has ended |

mod alias;
pub mod args;
mod cached_launch;
mod code;
pub(crate) mod copy;
pub(crate) mod descriptors;
mod driver_cache;
mod early;
pub(crate) mod ended;
pub mod launch;
mod launched;
mod local_size;
mod packing;
mod parts;
pub mod pipeline;
pub(crate) mod placed;
mod program_data;
pub mod recorded;
pub(crate) mod scratch;
pub(crate) mod uses;
mod values;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use caldera_compiler::reflect;

use crate::capture::{self, Capture, Launched};
use crate::command::CommandType;
use crate::config::{ClVersion, config};
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::lock::{Mutex, Rank};
use crate::mem::Buffer;
use crate::object::Anchor;
use crate::program::{Executable, Program};
use crate::queue::{CommandQueue, Enqueued, Waits};
use args::ArgKind;
use launch::ArgValue;
use pipeline::DeviceKernel;
pub use values::PointerList;
use values::{Pointing, Taken, Values};

/// An NDRange as the application specifies it, unchecked.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// `work_dim`.
    pub work_dim: u32,
    /// `global_work_offset`; 0 if it was NULL, and in unused dimensions.
    pub offset: [usize; 3],
    /// `global_work_size`; 1 in unused dimensions, 0 if it was NULL.
    pub global: [usize; 3],
    /// `local_work_size`; 1 in unused dimensions, `None` if it was NULL.
    pub local: Option<[usize; 3]>,
}

impl Range {
    /// Returns the range of one work-group.
    fn of_one_group(size: [u32; 3]) -> Range {
        Range {
            work_dim: 1,
            offset: [0; 3],
            global: size.map(|n| n as usize),
            local: None,
        }
    }

    /// Returns whether there are no work-items.
    pub fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }
}

/// A kernel object.
pub struct Kernel {
    anchor: Anchor<Kernel>,
    program: Arc<Program>,
    /// The executable of the first device that has the kernel.
    executable: Arc<Executable>,
    /// The kernel's index in `executable.reflection().kernels`.
    index: usize,
    kinds: Vec<ArgKind>,
    devices: Vec<(Arc<Device>, Arc<DeviceKernel>)>,
    values: Mutex<Values>,
    /// Whether all arguments have been set at some time.
    is_ready: AtomicBool,
}

impl_object!(Kernel, ClCode::InvalidKernel, "kernel");

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.kernel_gone();
    }
}

impl Kernel {
    /// Creates a kernel object (CL 5.7.1, clCreateKernel).
    pub fn create(program: &Arc<Program>, name: &str) -> Result<Arc<Kernel>> {
        Kernel::create_one(program, name, true)
    }

    /// Creates a kernel object. `alone` tells whether the application asked for this kernel by name, so that it will probably
    /// launch it.
    fn create_one(program: &Arc<Program>, name: &str, alone: bool) -> Result<Arc<Kernel>> {
        program.wait_for_builds();
        let executables = program.executables();
        // CL 5.7.1: INVALID_PROGRAM_EXECUTABLE if there is no successfully built executable for program
        if executables.is_empty() {
            return Err(Error::new(ClCode::InvalidProgramExecutable, "the program is not built").at("5.7.1"));
        }
        let mut first: Option<(Arc<Executable>, usize)> = None;
        let mut devices = Vec::with_capacity(executables.len());
        for (device, executable) in executables {
            let found = executable
                .reflection()
                .kernels
                .iter()
                .position(|k| k.name == name);
            let (Some(index), Some(kernel)) = (found, executable.module.kernel(name)?) else {
                continue;
            };
            match &first {
                None => first = Some((Arc::clone(&executable), index)),
                // CL 5.7.1: INVALID_KERNEL_DEFINITION if the kernel's definition (number and types of arguments) is not
                // the same for all devices
                Some((other, i)) => {
                    let here = &executable.reflection().kernels[index];
                    if args::kinds(&other.reflection().kernels[*i]) != args::kinds(here) {
                        let why = format!("kernel '{name}' has different arguments on different devices");
                        return Err(Error::new(ClCode::InvalidKernelDefinition, why).at("5.7.1"));
                    }
                }
            }
            devices.push((device, kernel));
        }
        // CL 5.7.1: INVALID_KERNEL_NAME if kernel_name is not found in program
        let (executable, index) = first.ok_or_else(|| {
            Error::new(ClCode::InvalidKernelName, format!("no kernel '{name}'")).at("5.7.1")
        })?;
        let kinds = args::kinds(&executable.reflection().kernels[index]);
        let values = Values::new(kinds.len());
        for (_, kernel) in &devices {
            kernel.created(program.context(), alone);
        }
        program.kernel_made();
        Ok(Arc::new(Kernel {
            anchor: Anchor::new(),
            program: Arc::clone(program),
            executable,
            index,
            kinds,
            devices,
            values: Mutex::new(Rank::Kernel, values),
            is_ready: AtomicBool::new(false),
        }))
    }

    /// Creates a copy of a kernel object, with its argument values (CL 2.1, 5.9.1, clCloneKernel).
    pub fn duplicate(&self) -> Arc<Kernel> {
        let values = self.values.lock().copied();
        self.program.kernel_made();
        Arc::new(Kernel {
            anchor: Anchor::new(),
            program: Arc::clone(&self.program),
            executable: Arc::clone(&self.executable),
            index: self.index,
            kinds: self.kinds.clone(),
            devices: self.devices.clone(),
            values: Mutex::new(Rank::Kernel, values),
            is_ready: AtomicBool::new(self.is_ready.load(Ordering::Relaxed)),
        })
    }

    /// Returns the work-group size that a launch without one would get (CL 3.1, 5.10,
    /// clGetKernelSuggestedLocalWorkSize). `range` has none.
    pub fn suggested_local_size(&self, queue: &Arc<CommandQueue>, range: &Range) -> Result<[usize; 3]> {
        // CL 3.1, 5.10: INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable for the queue's
        // device
        let (_, kernel) = self.on_device(Some(queue.device())).map_err(|_| {
            Error::new(ClCode::InvalidProgramExecutable, "not built for the device").at("3.1 5.10")
        })?;
        self.values.lock().check_all_set()?;
        launch::suggested_local_size(kernel, range, queue.device().limits())
    }

    /// Creates a kernel object for each kernel of a program (CL 5.7.1, clCreateKernelsInProgram).
    pub fn create_all(program: &Arc<Program>) -> Result<Vec<Arc<Kernel>>> {
        program
            .kernel_names()?
            .iter()
            .map(|name| Kernel::create_one(program, name, false))
            .collect()
    }

    fn reflected(&self) -> &reflect::Kernel {
        &self.executable.reflection().kernels[self.index]
    }

    /// Returns CL_KERNEL_FUNCTION_NAME.
    pub fn name(&self) -> &str {
        &self.reflected().name
    }

    /// Returns CL_KERNEL_NUM_ARGS.
    pub fn arg_count(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Returns CL_KERNEL_ATTRIBUTES.
    pub fn attributes(&self) -> &str {
        &self.reflected().attributes
    }

    /// Returns CL_KERNEL_PROGRAM.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns CL_KERNEL_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        self.program.context()
    }

    /// Returns CL_KERNEL_COMPILE_WORK_GROUP_SIZE: zeros without reqd_work_group_size.
    pub fn required_size(&self) -> [usize; 3] {
        self.reflected()
            .required_size
            .map_or([0; 3], |s| s.map(|x| x as usize))
    }

    /// Returns CL_KERNEL_COMPILE_NUM_SUB_GROUPS: 0 if the kernel does not demand a number of sub-groups.
    pub fn required_subgroups(&self) -> usize {
        self.reflected().subgroups.count.unwrap_or(0) as usize
    }

    /// Returns CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: 0 if the kernel does not require a size of sub-groups.
    pub fn required_subgroup_size(&self) -> usize {
        self.reflected().subgroups.size.unwrap_or(0) as usize
    }

    /// Returns the kernel on a device; `None` stands for the only device.
    pub fn on_device(&self, device: Option<&Arc<Device>>) -> Result<(&Arc<Device>, &Arc<DeviceKernel>)> {
        let found = match (device, self.devices.as_slice()) {
            (Some(device), all) => all.iter().find(|(d, _)| Arc::ptr_eq(d, device)),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        // CL 5.7.3: INVALID_DEVICE if device is not in the list of devices associated with kernel, or if device is NULL
        // and there is more than one
        let (device, kernel) = found
            .ok_or_else(|| Error::new(ClCode::InvalidDevice, "not a device of the kernel").at("5.7.3"))?;
        Ok((device, kernel))
    }

    /// Returns CL_KERNEL_LOCAL_MEM_SIZE in bytes, including the `__local` arguments that are set.
    pub fn local_mem_size(&self, kernel: &DeviceKernel) -> u64 {
        let set = self.values.lock().local_bytes();
        kernel.local_mem_size() + set
    }

    /// Returns which values an argument accepts.
    pub fn arg_kind(&self, index: u32) -> Result<ArgKind> {
        // CL 5.7.2: INVALID_ARG_INDEX if arg_index is not a valid argument index
        self.kinds.get(index as usize).copied().ok_or_else(|| {
            let why = format!("the kernel has no argument {index}");
            Error::new(ClCode::InvalidArgIndex, why).at("5.7.2")
        })
    }

    /// Sets an argument (CL 5.7.2, clSetKernelArg). The caller has checked the value against the
    /// argument's kind ([`ArgKind::check`]).
    pub fn set_arg(&self, index: u32, value: ArgValue) -> Result<()> {
        self.arg_kind(index)?;
        let sizes = {
            let mut values = self.values.lock();
            values.set(index as usize, value);
            let is_new = !self.is_ready.load(Ordering::Relaxed) && values.are_set();
            is_new.then(|| values.local_sizes())
        };
        if let Some(sizes) = sizes
            && !self.is_ready.swap(true, Ordering::Relaxed)
        {
            for (_, kernel) in &self.devices {
                kernel.ready(self.context(), &sizes);
            }
        }
        Ok(())
    }

    /// Checks that a device of the context supports cl_ext_buffer_device_address.
    pub fn check_addresses(&self) -> Result<()> {
        let has = |d: &Arc<Device>| d.info().extensions.contains(&"cl_ext_buffer_device_address");
        // CL, clSetKernelArgDevicePointerEXT, clSetKernelExecInfo: INVALID_OPERATION if no devices in the context
        // associated with kernel support the extension
        match self.context().devices().iter().any(has) {
            true => Ok(()),
            false => Err(Error::new(
                ClCode::InvalidOperation,
                "no device has cl_ext_buffer_device_address",
            )),
        }
    }

    /// Sets an argument to a device address (cl_ext_buffer_device_address, clSetKernelArgDevicePointerEXT).
    pub fn set_address(&self, index: u32, address: u64) -> Result<()> {
        let is_global = self.arg_kind(index)? == ArgKind::Buffer && !self.is_constant(index);
        // CL, clSetKernelArgDevicePointerEXT: INVALID_ARG_INDEX if the argument is not a pointer to the global address
        // space
        if !is_global {
            return Err(Error::new(ClCode::InvalidArgIndex, "not a global pointer"));
        }
        let buffers = self.buffers_at(&[address]);
        self.set_arg(index, ArgValue::Address(address))?;
        self.values
            .lock()
            .point(Pointing::Argument(index as usize), &buffers);
        Ok(())
    }

    /// Returns whether an argument is a pointer to constant memory.
    fn is_constant(&self, index: u32) -> bool {
        let arg = &self.reflected().args[index as usize];
        arg.info.as_ref().is_some_and(args::is_constant)
    }

    /// Sets an argument to an address in shared virtual memory (CL 2.0, 5.9.2, clSetKernelArgSVMPointer), or to a null
    /// pointer.
    pub fn set_shared(&self, index: u32, address: u64) -> Result<()> {
        let (value, buffers) = self.shared_value(index, address)?;
        self.set_arg(index, value)?;
        self.values
            .lock()
            .point(Pointing::Argument(index as usize), &buffers);
        Ok(())
    }

    /// Returns the value of an argument that is an address in shared virtual memory, and the buffer there.
    pub fn shared_value(&self, index: u32, address: u64) -> Result<(ArgValue, Vec<Arc<Buffer>>)> {
        // CL 2.0, 5.9.2: INVALID_ARG_VALUE if the value is not valid for the argument
        if self.arg_kind(index)? != ArgKind::Buffer {
            return Err(Error::new(ClCode::InvalidArgValue, "not a pointer to a buffer").at("2.0 5.9.2"));
        }
        Ok(match address {
            0 => (ArgValue::Buffer(None), Vec::new()),
            _ => (ArgValue::Address(address), self.buffers_at(&[address])),
        })
    }

    /// Sets the addresses of the buffers that the kernel may access besides its arguments (clSetKernelExecInfo,
    /// `list`). They replace the former ones of that list.
    pub fn set_pointed(&self, addresses: &[u64], list: PointerList) {
        let buffers = self.buffers_at(addresses);
        self.values.lock().point(Pointing::Listed(list), &buffers);
    }

    /// Returns the buffers at these device addresses.
    pub fn buffers_at(&self, addresses: &[u64]) -> Vec<Arc<Buffer>> {
        let (context, count) = (self.context(), self.context().devices().len());
        let all = addresses.iter().flat_map(|a| context.addresses().find(count, *a));
        let mut distinct: Vec<Arc<Buffer>> = Vec::new();
        for buffer in all {
            if !distinct.iter().any(|b| Arc::ptr_eq(b, &buffer)) {
                distinct.push(buffer);
            }
        }
        distinct
    }

    /// Returns the answers of clGetKernelArgInfo.
    pub fn arg_info(&self, index: u32) -> Result<&reflect::ArgInfo> {
        self.arg_kind(index).map_err(|e| e.at("5.7.3"))?;
        // CL 5.7.3: KERNEL_ARG_INFO_NOT_AVAILABLE if the argument information is not available for kernel
        self.reflected().args[index as usize]
            .info
            .as_ref()
            .filter(|_| self.executable.arg_info)
            .ok_or_else(|| {
                Error::new(
                    ClCode::KernelArgInfoNotAvailable,
                    "built without -cl-kernel-arg-info",
                )
                .at("5.7.3")
            })
    }

    /// Returns whether an NDRange without work-items is allowed, which is so from OpenCL 2.1 on. If it is, makes the checks of
    /// CL 5.8 that remain for such a launch.
    pub fn accepts_empty(&self, queue: &Arc<CommandQueue>, range: &Range) -> Result<bool> {
        if config().cl_version == ClVersion::V1_2 || !(1..=3).contains(&range.work_dim) {
            return Ok(false);
        }
        self.on_device(Some(queue.device())).map_err(|_| {
            Error::new(ClCode::InvalidProgramExecutable, "not built for the device").at("5.8")
        })?;
        self.values.lock().check_all_set()?;
        Ok(true)
    }

    /// Prepares a launch on a queue of the kernel's context ([`CommandQueue::check_contexts`]): makes the checks of
    /// CL 5.8 in the specification's order, except that of the wait list, which comes last.
    pub fn launch<'a>(&'a self, queue: &'a Arc<CommandQueue>, range: &Range) -> Result<PreparedLaunch<'a>> {
        // CL 5.8: INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable for the queue's device
        let (_, kernel) = self.on_device(Some(queue.device())).map_err(|_| {
            Error::new(ClCode::InvalidProgramExecutable, "not built for the device").at("5.8")
        })?;
        let mut values = self.values.lock().take()?;
        values.prepare(kernel, queue, range)?;
        Ok(PreparedLaunch {
            kernel: self,
            queue,
            values,
        })
    }
}

/// A launch of a kernel object with the argument values at the time of [`Kernel::launch`].
pub struct PreparedLaunch<'a> {
    kernel: &'a Kernel,
    queue: &'a Arc<CommandQueue>,
    values: Box<Taken>,
}

impl PreparedLaunch<'_> {
    /// Enqueues the launch (CL 5.8): clEnqueueNDRangeKernel or clEnqueueTask, as `command` says.
    pub fn enqueue(self, command: CommandType, waits: Waits<'_>) -> Enqueued {
        let mut values = self.values;
        let capture = match self.queue.context().captures() {
            Some(_) => captured(self.kernel, self.queue, &values, waits),
            None => None,
        };
        let enqueued = values.enqueue(self.queue, command, waits);
        if let Some(capture) = capture {
            capture.end(self.queue, enqueued.is_ok());
        }
        // This may drop the last references to objects, so no lock may be held.
        values.drop_objects();
        self.kernel.values.lock().give_back(values);
        enqueued
    }
}

/// Begins the capture of a prepared launch, if it is selected.
#[cold]
fn captured(kernel: &Kernel, queue: &Arc<CommandQueue>, values: &Taken, waits: Waits<'_>) -> Option<Capture> {
    let (_, on_device) = kernel.on_device(Some(queue.device())).ok()?;
    let (args, range) = values.prepared();
    let launch = Launched {
        program: &kernel.program,
        kernel: on_device,
        queue,
        args,
        range,
    };
    capture::begin(&launch, waits)
}
