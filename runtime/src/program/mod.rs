//! Programs (CL 5.6): the source or binaries, the results of builds for each device, and build logs.
//!
//! [`build`] has clBuildProgram and clCompileProgram, [`link`] clLinkProgram, `il` programs from SPIR-V, and
//! [`binary`] the format of program binaries. `toolchain` is the only module that compiles programs of the
//! application, and [`cache`] stores its results. `recipe` describes how a program was made, for captures.
//!
//! A program's devices are those of its context, or those that binaries were given for. For each device there
//! is a `DeviceBuild`: status, options, log, and an `Output`. They change only under the program's lock,
//! which is never held while the compiler runs: a build first marks its devices as being built, so that a
//! second build is refused, and stores its results at the end.

pub mod binary;
pub mod build;
pub mod cache;
pub(crate) mod dump;
pub(crate) mod il;
pub mod link;
pub(crate) mod recipe;
mod stored;
mod toolchain;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use caldera_compiler::reflect::Reflection;

use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::kernel::pipeline::DeviceModule;
use crate::lock::{Condvar, Mutex, Rank};
use crate::object::Anchor;
use recipe::Recipe;
use toolchain::Object;

pub use build::Header;

/// The application's `pfn_notify`, which the icd crate has wrapped. It is called with no lock held.
pub type Notify = Box<dyn FnOnce(&Arc<Program>) + Send>;

/// CL_PROGRAM_BUILD_STATUS.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[repr(i32)]
pub enum BuildStatus {
    /// CL_BUILD_SUCCESS
    Success = 0,
    /// CL_BUILD_NONE
    #[default]
    None = -1,
    /// CL_BUILD_ERROR
    Error = -2,
    /// CL_BUILD_IN_PROGRESS
    InProgress = -3,
}

/// CL_PROGRAM_BINARY_TYPE.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum BinaryType {
    /// CL_PROGRAM_BINARY_TYPE_NONE
    None = 0,
    /// CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    CompiledObject = 1,
    /// CL_PROGRAM_BINARY_TYPE_LIBRARY
    Library = 2,
    /// CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    Executable = 4,
}

/// A linked module on a device.
#[derive(Debug)]
pub struct Executable {
    /// The SPIR-V module, which is also the contents of the program binary.
    pub words: Arc<[u32]>,
    /// The module, with its reflection, in the driver's form.
    pub module: Arc<DeviceModule>,
    /// Whether clGetKernelArgInfo may answer.
    pub arg_info: bool,
    /// How it was made, if that is kept.
    pub(crate) recipe: Option<Arc<Recipe>>,
}

impl Executable {
    /// Returns the module's reflection.
    pub fn reflection(&self) -> &Reflection {
        self.module.reflection()
    }
}

/// The result of the last build for a device.
#[derive(Clone, Debug, Default)]
pub(crate) enum Output {
    /// There was no build, or the last one failed.
    #[default]
    None,
    /// The result of clCompileProgram.
    Object(Arc<Object>),
    /// The result of clLinkProgram with -create-library.
    Library(Arc<[Arc<Object>]>),
    /// The result of clBuildProgram or clLinkProgram.
    Executable(Arc<Executable>),
}

impl Output {
    fn binary_type(&self) -> BinaryType {
        match self {
            Output::None => BinaryType::None,
            Output::Object(_) => BinaryType::CompiledObject,
            Output::Library(_) => BinaryType::Library,
            Output::Executable(_) => BinaryType::Executable,
        }
    }
}

/// The answers of clGetProgramBuildInfo for a device, and the build's result.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceBuild {
    pub status: BuildStatus,
    pub options: String,
    pub log: String,
    pub output: Output,
}

/// The answers of clGetProgramBuildInfo.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildInfo {
    /// CL_PROGRAM_BUILD_STATUS.
    pub status: BuildStatus,
    /// CL_PROGRAM_BUILD_OPTIONS.
    pub options: String,
    /// CL_PROGRAM_BUILD_LOG.
    pub log: String,
    /// CL_PROGRAM_BINARY_TYPE.
    pub binary_type: BinaryType,
    /// CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE.
    pub variables: usize,
}

/// The call that created a program.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// clCreateProgramWithSource, with the concatenated strings.
    Source(Arc<[u8]>),
    /// clCreateProgramWithIL.
    Il(Arc<il::Il>),
    /// clCreateProgramWithBinary.
    Binary,
    /// clLinkProgram.
    Link,
}

/// A program object.
pub struct Program {
    anchor: Anchor<Program>,
    context: Arc<Context>,
    devices: Vec<Arc<Device>>,
    origin: Origin,
    /// One entry per device.
    builds: Mutex<Vec<DeviceBuild>>,
    /// Notified when a build, for one device or several, has finished.
    built: Condvar,
    /// The number of kernel objects; the program cannot be built again while there are any.
    kernels: AtomicU32,
}

impl_object!(Program, ClCode::InvalidProgram, "program");

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("devices", &self.devices)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

impl Program {
    fn new(
        context: &Arc<Context>,
        devices: Vec<Arc<Device>>,
        origin: Origin,
        builds: Vec<DeviceBuild>,
    ) -> Arc<Program> {
        debug_assert_eq!(devices.len(), builds.len());
        Arc::new(Program {
            anchor: Anchor::new(),
            context: Arc::clone(context),
            devices,
            origin,
            builds: Mutex::new(Rank::Program, builds),
            built: Condvar::new(),
            kernels: AtomicU32::new(0),
        })
    }

    /// Creates a program from source, the concatenated strings (CL 5.6.1, clCreateProgramWithSource).
    pub fn with_source(context: &Arc<Context>, source: Vec<u8>) -> Arc<Program> {
        let devices = context.devices().to_vec();
        let builds = vec![DeviceBuild::default(); devices.len()];
        Program::new(context, devices, Origin::Source(source.into()), builds)
    }

    /// Creates a program from binaries (CL 5.6.1, clCreateProgramWithBinary). The devices belong to the
    /// context. The error is one `binary_status` per binary.
    pub fn with_binaries(
        context: &Arc<Context>,
        binaries: &[(Arc<Device>, &[u8])],
    ) -> std::result::Result<Arc<Program>, Vec<Result<()>>> {
        let mut builds = Vec::with_capacity(binaries.len());
        let mut status = Vec::with_capacity(binaries.len());
        for (device, bytes) in binaries {
            match binary::decode(context, device, bytes) {
                Ok(output) => {
                    builds.push(DeviceBuild {
                        output,
                        ..DeviceBuild::default()
                    });
                    status.push(Ok(()));
                }
                // CL 5.6.1: INVALID_BINARY if an invalid program binary was encountered for any device
                Err(e) => status.push(Err(Error::new(ClCode::InvalidBinary, e.to_string()).at("5.6.1"))),
            }
        }
        if builds.len() < binaries.len() {
            return Err(status);
        }
        let devices = binaries.iter().map(|(d, _)| Arc::clone(d)).collect();
        Ok(Program::new(context, devices, Origin::Binary, builds))
    }

    /// Creates a program that is built already, from a module for one device of the context.
    pub(crate) fn of_module(
        context: &Arc<Context>,
        device: &Arc<Device>,
        words: Vec<u32>,
    ) -> Result<Arc<Program>> {
        let output = build::load_unobserved(device, &words.into(), None, Some(false), None)
            .map_err(|log| Error::new(ClCode::InvalidBinary, log))?;
        let build = DeviceBuild {
            status: BuildStatus::Success,
            output,
            ..DeviceBuild::default()
        };
        let devices = vec![Arc::clone(device)];
        Ok(Program::new(context, devices, Origin::Binary, vec![build]))
    }

    /// Returns CL_PROGRAM_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns CL_PROGRAM_DEVICES.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// Returns CL_PROGRAM_SOURCE without the terminating 0; empty for a program without source.
    pub fn source(&self) -> &[u8] {
        match &self.origin {
            Origin::Source(text) => text,
            Origin::Il(_) | Origin::Binary | Origin::Link => &[],
        }
    }

    fn index(&self, device: &Arc<Device>) -> Result<usize> {
        self.devices
            .iter()
            .position(|d| Arc::ptr_eq(d, device))
            // CL 5.6: INVALID_DEVICE if device is not in the list of devices associated with program
            .ok_or_else(|| Error::new(ClCode::InvalidDevice, "the program has no such device").at("5.6"))
    }

    /// Waits for the builds that run on other threads. CL 5.6.2 lets clBuildProgram return before the build ends if it
    /// is given a notify function, but most implementations build within the call, so applications ask for kernels,
    /// binaries and links without waiting for that function. The caller holds no lock.
    pub fn wait_for_builds(&self) {
        let mut builds = self.builds.lock();
        while builds.iter().any(|b| b.status == BuildStatus::InProgress) {
            self.built.wait(&mut builds);
        }
    }

    /// Returns the answers of clGetProgramBuildInfo.
    pub fn build_info(&self, device: &Arc<Device>) -> Result<BuildInfo> {
        let index = self.index(device)?;
        let builds = self.builds.lock();
        let build = &builds[index];
        Ok(BuildInfo {
            status: build.status,
            options: build.options.clone(),
            log: build.log.clone(),
            binary_type: build.output.binary_type(),
            variables: match &build.output {
                Output::Executable(e) => e.reflection().variables_bytes as usize,
                Output::None | Output::Object(_) | Output::Library(_) => 0,
            },
        })
    }

    /// Returns CL_PROGRAM_BINARIES: one per device, empty where there is none.
    pub fn binaries(&self) -> Vec<Vec<u8>> {
        let outputs: Vec<Output> = self.builds.lock().iter().map(|b| b.output.clone()).collect();
        let with_devices = outputs.iter().zip(&self.devices);
        with_devices
            .map(|(o, d)| binary::encode(o, &self.context.target(d)))
            .collect()
    }

    /// Returns the executables that kernels can be created from, with their devices. Binaries count only after
    /// a build.
    pub(crate) fn executables(&self) -> Vec<(Arc<Device>, Arc<Executable>)> {
        let builds = self.builds.lock();
        self.devices
            .iter()
            .zip(builds.iter())
            .filter_map(|(d, b)| match &b.output {
                Output::Executable(e) if b.status == BuildStatus::Success => {
                    Some((Arc::clone(d), Arc::clone(e)))
                }
                Output::Executable(_) | Output::None | Output::Object(_) | Output::Library(_) => None,
            })
            .collect()
    }

    /// Returns CL_PROGRAM_KERNEL_NAMES; CL_PROGRAM_NUM_KERNELS is their number. Waits for builds.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        self.wait_for_builds();
        let executables = self.executables();
        // CL 5.6.7: INVALID_PROGRAM_EXECUTABLE if there is no executable built successfully for at least one device
        let (_, first) = executables.first().ok_or_else(|| {
            Error::new(ClCode::InvalidProgramExecutable, "the program is not built").at("5.6.7")
        })?;
        Ok(first
            .reflection()
            .kernels
            .iter()
            .map(|k| k.name.clone())
            .collect())
    }

    /// Counts a kernel object of the program.
    pub(crate) fn kernel_made(&self) {
        self.kernels.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a kernel object of the program has been destroyed.
    pub(crate) fn kernel_gone(&self) {
        self.kernels.fetch_sub(1, Ordering::Relaxed);
    }
}
