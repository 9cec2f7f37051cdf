//! The errors of runtime calls: an OpenCL error code, the argument or fact that caused it, the clause of the
//! specification that demands it, and the error of the layer below.
//!
//! [`ClCode`] is a closed enum, so a code that no specification defines cannot be produced. Only the icd
//! crate converts it into an integer that an application sees. Vulkan errors have no conversion here, because
//! the same `VkResult` means different codes in different situations (creating an object, enqueuing); the
//! caller maps them.

use std::borrow::Cow;
use std::fmt;

/// A result whose error carries an OpenCL code.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! cl_codes {
    ($($(#[$doc:meta])* $variant:ident = $value:literal, $name:literal;)*) => {
        /// The error codes of OpenCL 1.2, of specialization constants (OpenCL 2.2), and of extensions.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        #[repr(i32)]
        pub enum ClCode {
            $($(#[$doc])* $variant = $value,)*
        }

        impl ClCode {
            /// All codes.
            pub const ALL: &[ClCode] = &[$(ClCode::$variant),*];

            /// Returns the name in `CL/cl.h`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ClCode::$variant => $name,)*
                }
            }
        }
    };
}

cl_codes! {
    /// There is no device of the requested type.
    DeviceNotFound = -1, "CL_DEVICE_NOT_FOUND";
    /// The device exists but cannot be used now.
    DeviceNotAvailable = -2, "CL_DEVICE_NOT_AVAILABLE";
    /// There is no compiler for the device.
    CompilerNotAvailable = -3, "CL_COMPILER_NOT_AVAILABLE";
    /// Device memory for a memory object could not be allocated.
    MemObjectAllocationFailure = -4, "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    /// The device lacks resources that the command needs.
    OutOfResources = -5, "CL_OUT_OF_RESOURCES";
    /// There is not enough host memory.
    OutOfHostMemory = -6, "CL_OUT_OF_HOST_MEMORY";
    /// Time stamps are not available.
    ProfilingInfoNotAvailable = -7, "CL_PROFILING_INFO_NOT_AVAILABLE";
    /// Source and destination of a copy overlap.
    MemCopyOverlap = -8, "CL_MEM_COPY_OVERLAP";
    /// Two images have different formats.
    ImageFormatMismatch = -9, "CL_IMAGE_FORMAT_MISMATCH";
    /// The image format is not supported.
    ImageFormatNotSupported = -10, "CL_IMAGE_FORMAT_NOT_SUPPORTED";
    /// The program could not be built.
    BuildProgramFailure = -11, "CL_BUILD_PROGRAM_FAILURE";
    /// Mapping failed.
    MapFailure = -12, "CL_MAP_FAILURE";
    /// A sub-buffer's offset is not aligned for the device.
    MisalignedSubBufferOffset = -13, "CL_MISALIGNED_SUB_BUFFER_OFFSET";
    /// An event in the wait list failed.
    ExecStatusErrorForEventsInWaitList = -14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
    /// The program could not be compiled.
    CompileProgramFailure = -15, "CL_COMPILE_PROGRAM_FAILURE";
    /// There is no linker for the device.
    LinkerNotAvailable = -16, "CL_LINKER_NOT_AVAILABLE";
    /// The program could not be linked.
    LinkProgramFailure = -17, "CL_LINK_PROGRAM_FAILURE";
    /// The device cannot be partitioned as requested.
    DevicePartitionFailed = -18, "CL_DEVICE_PARTITION_FAILED";
    /// Kernel argument information was not kept.
    KernelArgInfoNotAvailable = -19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE";
    /// An argument has a value that is not allowed.
    InvalidValue = -30, "CL_INVALID_VALUE";
    /// The value is not a device type.
    InvalidDeviceType = -31, "CL_INVALID_DEVICE_TYPE";
    /// The handle is not a platform.
    InvalidPlatform = -32, "CL_INVALID_PLATFORM";
    /// The handle is not a device, or not one of the context's devices.
    InvalidDevice = -33, "CL_INVALID_DEVICE";
    /// The handle is not a context, or not the right one.
    InvalidContext = -34, "CL_INVALID_CONTEXT";
    /// The device does not support the queue properties.
    InvalidQueueProperties = -35, "CL_INVALID_QUEUE_PROPERTIES";
    /// The handle is not a command queue.
    InvalidCommandQueue = -36, "CL_INVALID_COMMAND_QUEUE";
    /// `host_ptr` contradicts the flags.
    InvalidHostPtr = -37, "CL_INVALID_HOST_PTR";
    /// The handle is not a memory object, or not one of the required type.
    InvalidMemObject = -38, "CL_INVALID_MEM_OBJECT";
    /// The descriptor is not an image format.
    InvalidImageFormatDescriptor = -39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR";
    /// The device does not support images of this size.
    InvalidImageSize = -40, "CL_INVALID_IMAGE_SIZE";
    /// The handle is not a sampler.
    InvalidSampler = -41, "CL_INVALID_SAMPLER";
    /// The bytes are not a program binary for the device.
    InvalidBinary = -42, "CL_INVALID_BINARY";
    /// The options of `clBuildProgram` are invalid.
    InvalidBuildOptions = -43, "CL_INVALID_BUILD_OPTIONS";
    /// The handle is not a program.
    InvalidProgram = -44, "CL_INVALID_PROGRAM";
    /// The program has no executable that was built successfully.
    InvalidProgramExecutable = -45, "CL_INVALID_PROGRAM_EXECUTABLE";
    /// The program has no kernel with that name.
    InvalidKernelName = -46, "CL_INVALID_KERNEL_NAME";
    /// The kernel's definition differs between devices.
    InvalidKernelDefinition = -47, "CL_INVALID_KERNEL_DEFINITION";
    /// The handle is not a kernel.
    InvalidKernel = -48, "CL_INVALID_KERNEL";
    /// The kernel has no argument with that index.
    InvalidArgIndex = -49, "CL_INVALID_ARG_INDEX";
    /// The value does not fit the argument.
    InvalidArgValue = -50, "CL_INVALID_ARG_VALUE";
    /// The size does not fit the argument.
    InvalidArgSize = -51, "CL_INVALID_ARG_SIZE";
    /// Not all arguments of the kernel are set.
    InvalidKernelArgs = -52, "CL_INVALID_KERNEL_ARGS";
    /// The number of dimensions is invalid.
    InvalidWorkDimension = -53, "CL_INVALID_WORK_DIMENSION";
    /// The work-group size is invalid.
    InvalidWorkGroupSize = -54, "CL_INVALID_WORK_GROUP_SIZE";
    /// The work-group size in one dimension is invalid.
    InvalidWorkItemSize = -55, "CL_INVALID_WORK_ITEM_SIZE";
    /// The global offset is invalid.
    InvalidGlobalOffset = -56, "CL_INVALID_GLOBAL_OFFSET";
    /// The wait list is invalid.
    InvalidEventWaitList = -57, "CL_INVALID_EVENT_WAIT_LIST";
    /// The handle is not an event.
    InvalidEvent = -58, "CL_INVALID_EVENT";
    /// The operation is not allowed for this object or in this state.
    InvalidOperation = -59, "CL_INVALID_OPERATION";
    /// The object is not an OpenGL object.
    InvalidGlObject = -60, "CL_INVALID_GL_OBJECT";
    /// The size is 0, or more than the devices allow.
    InvalidBufferSize = -61, "CL_INVALID_BUFFER_SIZE";
    /// The mip level is invalid.
    InvalidMipLevel = -62, "CL_INVALID_MIP_LEVEL";
    /// The global work size is invalid.
    InvalidGlobalWorkSize = -63, "CL_INVALID_GLOBAL_WORK_SIZE";
    /// The property is invalid.
    InvalidProperty = -64, "CL_INVALID_PROPERTY";
    /// The image descriptor is invalid.
    InvalidImageDescriptor = -65, "CL_INVALID_IMAGE_DESCRIPTOR";
    /// The options of `clCompileProgram` are invalid.
    InvalidCompilerOptions = -66, "CL_INVALID_COMPILER_OPTIONS";
    /// The options of `clLinkProgram` are invalid.
    InvalidLinkerOptions = -67, "CL_INVALID_LINKER_OPTIONS";
    /// The number of sub-devices is invalid.
    InvalidDevicePartitionCount = -68, "CL_INVALID_DEVICE_PARTITION_COUNT";
    /// OpenCL 2.0: the size of a pipe is invalid.
    InvalidPipeSize = -69, "CL_INVALID_PIPE_SIZE";
    /// OpenCL 2.2: the program has no specialization constant with the id.
    InvalidSpecId = -71, "CL_INVALID_SPEC_ID";
    /// `cl_khr_icd`: there is no platform.
    PlatformNotFoundKhr = -1001, "CL_PLATFORM_NOT_FOUND_KHR";
    /// `cl_khr_command_buffer`: the handle is not a command-buffer.
    InvalidCommandBufferKhr = -1138, "CL_INVALID_COMMAND_BUFFER_KHR";
    /// `cl_khr_command_buffer`: the list of sync-points is invalid.
    InvalidSyncPointWaitListKhr = -1139, "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR";
    /// `cl_khr_command_buffer`: a command-buffer cannot be executed on a queue with these properties.
    IncompatibleCommandQueueKhr = -1140, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR";
    /// `cl_khr_command_buffer_mutable_dispatch`: the handle is not a command that can be updated.
    InvalidMutableCommandKhr = -1141, "CL_INVALID_MUTABLE_COMMAND_KHR";
    /// `cl_khr_semaphore`: the handle is not a semaphore.
    InvalidSemaphoreKhr = -1142, "CL_INVALID_SEMAPHORE_KHR";
}

impl ClCode {
    /// Returns the number that the application sees.
    pub const fn number(self) -> i32 {
        self as i32
    }
}

impl fmt::Display for ClCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error of a runtime call.
#[derive(Debug)]
pub struct Error {
    /// The code that the application gets.
    pub code: ClCode,
    /// The argument, object or fact that caused it, for the log and the context's notify function.
    pub what: Cow<'static, str>,
    /// The clause of the OpenCL 1.2 specification, such as `5.2.1`; empty if there is none.
    pub section: &'static str,
    /// The error of the layer below.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Makes an error with a code and its cause in words.
    #[cold]
    pub fn new(code: ClCode, what: impl Into<Cow<'static, str>>) -> Self {
        Error {
            code,
            what: what.into(),
            section: "",
            source: None,
        }
    }

    /// Adds the clause of the specification: a section of OpenCL 1.2 (`5.2.1`), a section of another version (`2.0 5.6.1`), or
    /// an extension (`cl_khr_subgroups`).
    #[must_use]
    pub fn at(mut self, section: &'static str) -> Self {
        self.section = section;
        self
    }

    /// Adds the error of the layer below.
    #[must_use]
    pub fn from_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the text of all layers' errors on one line.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut next: Option<&(dyn std::error::Error + 'static)> = std::error::Error::source(self);
        while let Some(e) = next {
            text.push_str(": ");
            text.push_str(&e.to_string());
            next = e.source();
        }
        text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.what)?;
        match (self.section, self.section.split_once(' ')) {
            ("", _) => Ok(()),
            (extension, _) if extension.starts_with("cl_") => write!(f, " ({extension})"),
            (_, Some((version, section))) => write!(f, " (OpenCL {version}, {section})"),
            (section, None) => write!(f, " (OpenCL 1.2, {section})"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.source {
            Some(e) => Some(&**e),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_negative_and_distinct() {
        for (i, a) in ClCode::ALL.iter().enumerate() {
            assert!(a.number() < 0, "{a}");
            assert!(a.name().starts_with("CL_"));
            for b in &ClCode::ALL[i + 1..] {
                assert_ne!(a.number(), b.number());
            }
        }
    }

    #[test]
    fn clauses_are_of_a_version_or_an_extension() {
        let text = |section| Error::new(ClCode::InvalidValue, "x").at(section).to_string();
        assert_eq!(text(""), "CL_INVALID_VALUE: x");
        assert_eq!(text("5.2.1"), "CL_INVALID_VALUE: x (OpenCL 1.2, 5.2.1)");
        assert_eq!(text("2.0 5.6.1"), "CL_INVALID_VALUE: x (OpenCL 2.0, 5.6.1)");
        assert_eq!(text("cl_khr_subgroups"), "CL_INVALID_VALUE: x (cl_khr_subgroups)");
    }

    #[test]
    fn chain_names_every_layer() {
        let below = Error::new(ClCode::OutOfHostMemory, "staging");
        let e = Error::new(ClCode::InvalidValue, "size")
            .at("5.2.1")
            .from_source(below);
        assert_eq!(
            e.chain(),
            "CL_INVALID_VALUE: size (OpenCL 1.2, 5.2.1): CL_OUT_OF_HOST_MEMORY: staging"
        );
    }
}
