//! The environment variables, which are parsed once.
//!
//! | variable | meaning |
//! |---|---|
//! | `CALDERA_LOG=LEVEL[,GROUP=LEVEL…]` | The level of the log: `error`, `warn`, `info`, `debug`, `trace` or `off`. Groups are module names such as `vk`, `queue`, `mem`, `program` and `api`. If the variable is unset, nothing is printed |
//! | `CALDERA_LOG_FILE=PATH` | Write the log to this file instead of standard error |
//! | `CALDERA_VALIDATION=1` | Load `VK_LAYER_KHRONOS_validation`. Its messages go to the log as the group `validation`, even if `CALDERA_LOG` is unset |
//! | `CALDERA_VALIDATION=abort` | The same, and the process aborts at the first message |
//! | `CALDERA_VULKAN_LIBRARY=PATH` | The Vulkan loader to use. If the variable is unset, the dynamic linker looks for `libvulkan.so.1` |
//! | `CALDERA_DEVICE=DEVICE` | Offer only the devices that this names: a part of the name (letter case is ignored), an index, a PCI address such as `0000:3b:00.0`, or a UUID |
//! | `CALDERA_VISIBLE_DEVICES=DEVICE[,DEVICE…]` | Offer only the devices of this list, in its order; each is named as for `CALDERA_DEVICE`, which counts only the devices of the list |
//! | `CALDERA_ABI=physical\|descriptor` | How kernels reach buffers: by device addresses (`physical`, the default), or through one descriptor per buffer |
//! | `CALDERA_DEVICE_TYPE=gpu\|cpu\|accelerator` | Report every device as this type |
//! | `CALDERA_CL_VERSION=1.2\|3.0\|3.1` | The version of OpenCL that platform and devices report (default 1.2), for programs that ask for features of later versions or look for one version by its text. Versions after 1.2 are still incomplete |
//! | `CALDERA_DEVICE_NAME=TEXT` | Report this text as the name of every device, for programs that look for a name |
//! | `CALDERA_CACHE=DIR` | The directory in which compiled programs and pipelines are kept. If the variable is unset, it is `caldera` below `$XDG_CACHE_HOME` or `~/.cache`. It is always safe to remove it |
//! | `CALDERA_CACHE=off` | Keep nothing on disk |
//! | `CALDERA_CACHE_SIZE=MIB` | The size limit of the cache in MiB (default 512). The least recently used entries are removed first |
//! | `CALDERA_CALIBRATION=off` | Do not measure the arithmetic and the sub-groups of a device at its first use, and assume that it has none of the measured properties |
//! | `CALDERA_CALIBRATION=NAME=on\|off[,…]` | Assume that every device has (`on`) or lacks (`off`) a property, whatever the measurement finds: `fused-fma`, `fast-fma`, `flushing-fma`, `subnormals`, `exp2`, `rsqrt` |
//! | `CALDERA_KEEP_CLOCK=off` | Let the driver of an NVIDIA GPU lower its clock while commands run with pauses. By default a CUDA context prevents that, which takes device memory and power |
//! | `CALDERA_MATRICES=emulate\|off` | Cooperative matrices (cl_khr_cooperative_matrix): `emulate` them by sub-group operations on every device that has those, also where the device has matrices of its own, or do not offer them. By default they are offered where the device has them |
//! | `CALDERA_DEBUG=FLAG[,FLAG…]` | Switch on debugging aids. The flags are those of the following rows |
//! | `CALDERA_DEBUG=error` | Log every error code that a call returns, even if `CALDERA_LOG` is unset |
//! | `CALDERA_DEBUG=sync` | Wait for each command after it is enqueued |
//! | `CALDERA_DEBUG=no-batch` | Submit each command by itself |
//! | `CALDERA_DEBUG=reorder` | Record the commands between two barriers in reverse order. Programs compute the same, unless a barrier is missing |
//! | `CALDERA_DEBUG=copy-kernel` | Copy between buffers with a kernel wherever that is possible |
//! | `CALDERA_DEBUG=nvidia-faults` | Compile as for NVIDIA's driver on every device, with the code that avoids its faults, the passes for GPUs and instructions for dot products, to test them. On llvmpipe, loops of more than 65,535 iterations end early then, without an error |
//! | `CALDERA_DEBUG=compute-family` | Use a queue family without graphics on NVIDIA's driver, too, where such a family may execute stale code, to see whether the driver still has that fault |
//! | `CALDERA_DEBUG=late-launches` | Record no launch earlier than 2 ms after its pipeline was made. With `compute-family` this has hidden stale code so far, and kernels get about twice as much work-group memory (`runtime/docs/adr/0010-queue-family.md`) |
//! | `CALDERA_DEBUG=discrete` | Treat a device that shares its memory with the host as if it had memory of its own |
//! | `CALDERA_DEBUG=gather-flushes` | Let a thread gather the submissions of `clFlush` on every device and machine. By default this is done only on GPUs, and on machines with more than two processors |
//! | `CALDERA_DEBUG=guess-pipelines` | Make pipelines that launches will probably need in advance on every device and machine. By default this is done only on GPUs, and on machines with more than two processors |
//! | `CALDERA_DEBUG=no-packing` | Let each work-group of the application be one of the device. By default, several small work-groups of a kernel run as one if they do not cooperate and there are many |
//! | `CALDERA_DEBUG=pack-always` | For tests: let small work-groups run together also where there are few of them, or where it leaves as many lanes idle |
//! | `CALDERA_DEBUG=pipeline-statistics` | Write what the driver says of each pipeline (registers, spills, instructions; VK_KHR_pipeline_executable_properties) to the log, in the group `kernel` with the level `info` |
//! | `CALDERA_DEBUG=device=NAME` | Use only what the device of this description has (`runtime/docs/devices.md`): a built-in one, or a file, whose path contains a slash |
//! | `CALDERA_DEBUG=lose-device=N` | For tests: the Nth submission loses the device |
//! | `CALDERA_DEBUG=stop-device=N` | For tests: the Nth submission stops the device, which only later submissions report |
//! | `CALDERA_DEBUG=no-memory=N` | For tests: the Nth allocation of device memory fails |
//! | `CALDERA_DEBUG=no-memory-from=N` | For tests: the Nth allocation of device memory and all later ones fail |
//! | `CALDERA_DEBUG=fail-allocation=N` | For tests: the Nth Vulkan call that creates or records something fails once with lack of host memory |
//! | `CALDERA_DEBUG=fail-submission=N` | For tests: the Nth submission fails once with lack of host memory |
//! | `CALDERA_DEBUG=panic-in-submission=N` | For tests: the Nth submission panics, as a bug of Caldera would |
//! | `CALDERA_DEBUG=fail-wait=N` | For tests: the Nth Vulkan call that waits, or asks for the progress of the device, fails once with lack of host memory |
//! | `CALDERA_DEBUG=lose-device-in-wait=N` | For tests: the Nth Vulkan call that waits, or asks for the progress of the device, loses the device |
//! | `CALDERA_CHECK=CHECK[,CHECK…]` | Let kernels check what they do while they run, and report findings on standard error and through the context's notify function: `memory` (accesses outside of the object that they are for, which are left out, and misaligned ones), `uninitialized` (uses of memory that nobody has written), `race` (accesses of two work-items to local or global memory without a barrier between them), `barrier` (barriers that not all work-items of a group reach, and misused asynchronous copies), `arithmetic` (divisions by zero, quotients and conversions out of range), or `all` |
//! | `CALDERA_CHECK_FILE=PATH` | Append the findings to this file too, one object of JSON in each line |
//! | `CALDERA_CHECK_ERROR=fail\|abort` | After a finding, let the commands fail that the device executed together with the kernel, and later ones of the queue, or abort the process |
//! | `CALDERA_PROFILE=1` | At the exit of the process, write a table to standard error: the kernels with their times on the device, the other commands, builds, pipelines, and hints |
//! | `CALDERA_PROFILE=PATH` | Write the same to this file as JSON. `%p` in the path stands for the number of the process |
//! | `CALDERA_TRACE=PATH` | Write what threads, queues and devices do to this file while the program runs, as trace events of JSON, which Perfetto reads. `%p` in the path stands for the number of the process |
//! | `CALDERA_DUMP=DIR` | Write the source, the compiler stages, the SPIR-V and the reflection of each compilation and link to this directory, and each module as the driver receives it to `modules/` below it |
//! | `CALDERA_CAPTURE=DIR` | Write launches to folders below this directory, each with its program, arguments and the contents of its memory objects before and after, which `cargo harness replay` executes again on any platform |
//! | `CALDERA_CAPTURE_LAUNCHES=ITEM[,ITEM…]` | Which launches `CALDERA_CAPTURE` writes. An item is `NAME`, the first launch of the kernels of this name (`*` at its end stands for any text); `NAME:N`, `NAME:N-M` or `NAME:N-`, the launches of each of these kernels with these numbers from 1 on; or the same numbers without a name, which count the launches of all kernels. The default is `*` |
//! | `CALDERA_CAPTURE_LIMIT=MIB` | The most that `CALDERA_CAPTURE` writes of the contents of memory objects, in MiB (default 1024) |
//!
//! Unknown flags, values and names of variables are reported in the log and otherwise ignored. A process with more
//! rights than the user who started it (setuid, setgid, file capabilities) reads none of the variables and has no
//! cache on disk.

mod parse;

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use caldera_compiler::check::Checks;
use log::LevelFilter;

use crate::capture::Selection;
use crate::device::calibrate::Assumption;
use parse::parse;

/// The values of `CALDERA_VALIDATION`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Validation {
    /// The layer is not loaded.
    Off,
    /// Messages are logged and counted.
    Log,
    /// The first message aborts the process.
    Abort,
}

/// The values of `CALDERA_CACHE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CachePlace {
    /// The user's cache directory, if there is one.
    User(Option<PathBuf>),
    /// The given directory.
    Directory(PathBuf),
    /// There is no cache on disk.
    Off,
}

impl CachePlace {
    /// Returns the directory of the cache; `None` if nothing is kept on disk.
    pub fn directory(&self) -> Option<PathBuf> {
        match self {
            CachePlace::User(dir) => dir.clone(),
            CachePlace::Directory(dir) => Some(dir.clone()),
            CachePlace::Off => None,
        }
    }
}

/// A device type: the values of `CALDERA_DEVICE_TYPE`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DeviceKind {
    /// CL_DEVICE_TYPE_CPU
    Cpu,
    /// CL_DEVICE_TYPE_GPU
    Gpu,
    /// CL_DEVICE_TYPE_ACCELERATOR
    Accelerator,
}

/// A version of OpenCL that platform and devices can report: the values of `CALDERA_CL_VERSION`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum ClVersion {
    /// OpenCL 1.2.
    #[default]
    V1_2,
    /// OpenCL 3.0.
    V3_0,
    /// OpenCL 3.1.
    V3_1,
}

impl ClVersion {
    /// Returns the major and the minor number.
    pub fn numbers(self) -> (u32, u32) {
        match self {
            ClVersion::V1_2 => (1, 2),
            ClVersion::V3_0 => (3, 0),
            ClVersion::V3_1 => (3, 1),
        }
    }

    /// Returns the version as `CL_DEVICE_VERSION` begins, for example `OpenCL 3.0`.
    pub fn text(self) -> &'static str {
        match self {
            ClVersion::V1_2 => "OpenCL 1.2",
            ClVersion::V3_0 => "OpenCL 3.0",
            ClVersion::V3_1 => "OpenCL 3.1",
        }
    }
}

/// The values of `CALDERA_ABI`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum AbiChoice {
    /// Kernels access buffers by device address.
    #[default]
    Physical,
    /// Kernels access each buffer through a descriptor.
    Descriptor,
}

/// The values of `CALDERA_MATRICES`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum MatrixChoice {
    /// Cooperative matrices are those of the device.
    #[default]
    Device,
    /// Cooperative matrices are emulated.
    Emulate,
    /// There are no cooperative matrices.
    Off,
}

/// The values of `CALDERA_CHECK_ERROR`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CheckError {
    /// Findings are only reported.
    Report,
    /// The commands that the device executed together with the kernel fail.
    Fail,
    /// The process aborts.
    Abort,
}

/// The values of `CALDERA_PROFILE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProfileTo {
    /// A table on standard error.
    StandardError,
    /// A file of JSON.
    File(PathBuf),
}

/// The flags of `CALDERA_DEBUG`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugFlags {
    /// Log each error that an API call returns, with its whole chain.
    pub error: bool,
    /// Wait for each command after it is enqueued.
    pub sync: bool,
    /// Submit each command by itself.
    pub no_batch: bool,
    /// Copy between buffers with a kernel wherever that is possible.
    pub copy_kernel: bool,
    /// Record the commands between two barriers in reverse order.
    pub reorder: bool,
    /// Compile as for NVIDIA's driver on every device.
    pub nvidia_faults: bool,
    /// Use a queue family without graphics on NVIDIA's driver, too.
    pub compute_family: bool,
    /// Record no launch earlier than 2 ms after its pipeline was made.
    pub late_launches: bool,
    /// Treat device memory as separate from host memory even where they are the same: use staging memory,
    /// mirrors and BAR mappings.
    pub discrete: bool,
    /// Let a thread gather the submissions of clFlush while the device is busy, on any device.
    pub gather_flushes: bool,
    /// Make probable pipelines in advance, on any device.
    pub guess_pipelines: bool,
    /// Let each work-group of the application be one of the device.
    pub no_packing: bool,
    /// Let small work-groups run together also where there are few of them, or where it leaves as many lanes idle.
    pub pack_always: bool,
    /// Write what the driver says of each pipeline to the log.
    pub pipeline_statistics: bool,
    /// The number of the submission that loses the device.
    pub lose_device: Option<u32>,
    /// The number of the submission that stops the device.
    pub stop_device: Option<u32>,
    /// The number of the allocation of device memory that fails.
    pub no_memory: Option<u32>,
    /// The number of the first allocation of device memory of those that fail from then on.
    pub no_memory_from: Option<u32>,
    /// The number of the call that creates or records something and fails with lack of memory.
    pub fail_allocation: Option<u32>,
    /// The number of the submission that fails with lack of memory.
    pub fail_submission: Option<u32>,
    /// The number of the submission that panics.
    pub panic_in_submission: Option<u32>,
    /// The number of the wait that fails with lack of memory.
    pub fail_wait: Option<u32>,
    /// The number of the wait that loses the device.
    pub lose_device_in_wait: Option<u32>,
}

/// The parsed environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The level of all groups that `log_groups` does not name.
    pub log_level: LevelFilter,
    /// The levels of single groups.
    pub log_groups: Vec<(String, LevelFilter)>,
    /// The log file.
    pub log_file: Option<PathBuf>,
    /// The use of the Vulkan validation layer.
    pub validation: Validation,
    /// The file of the Vulkan loader.
    pub vulkan_library: Option<PathBuf>,
    /// What names the devices that are offered.
    pub device: Option<String>,
    /// The list of the devices that are offered, in their order.
    pub visible_devices: Option<String>,
    /// The device type to report.
    pub device_type: Option<DeviceKind>,
    /// The version of OpenCL to report.
    pub cl_version: ClVersion,
    /// The name to report of every device.
    pub device_name: Option<String>,
    /// The way in which kernels access buffers; `None`: by address, where the device supports that.
    pub abi: Option<AbiChoice>,
    /// The debugging flags.
    pub debug: DebugFlags,
    /// The description of the device that the real ones are reduced to.
    pub debug_device: Option<String>,
    /// The cache on disk.
    pub cache: CachePlace,
    /// The limit of the cache in bytes.
    pub cache_size: u64,
    /// Whether devices are measured.
    pub calibrate: bool,
    /// The properties that are assumed of every device instead of the measured ones.
    pub(crate) assumed: Vec<(Assumption, bool)>,
    /// Whether the clock of an NVIDIA GPU is kept up while commands run.
    pub keep_clock: bool,
    /// Whether there are cooperative matrices.
    pub matrices: MatrixChoice,
    /// What kernels check.
    pub check: Checks,
    /// The file for findings.
    pub check_file: Option<PathBuf>,
    /// What a finding leads to.
    pub check_error: CheckError,
    /// Where the profile is written to; `None` if there is none.
    pub profile: Option<ProfileTo>,
    /// The file for the trace.
    pub trace: Option<PathBuf>,
    /// The directory for dumps.
    pub dump: Option<PathBuf>,
    /// Which launches are captured; `None`: none.
    pub(crate) capture: Option<Selection>,
    /// The parts of the environment that were not understood, which are logged once the log is installed.
    pub complaints: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            log_level: LevelFilter::Off,
            log_groups: Vec::new(),
            log_file: None,
            validation: Validation::Off,
            vulkan_library: None,
            device: None,
            visible_devices: None,
            device_type: None,
            cl_version: ClVersion::default(),
            device_name: None,
            abi: None,
            debug: DebugFlags::default(),
            debug_device: None,
            cache: CachePlace::User(None),
            cache_size: 512 << 20,
            calibrate: true,
            assumed: Vec::new(),
            keep_clock: true,
            matrices: MatrixChoice::default(),
            check: Checks::default(),
            check_file: None,
            check_error: CheckError::Report,
            profile: None,
            trace: None,
            dump: None,
            capture: None,
            complaints: Vec::new(),
        }
    }
}

impl Config {
    /// Returns the level of a log group.
    pub(crate) fn level(&self, group: &str) -> LevelFilter {
        self.log_groups
            .iter()
            .find(|(g, _)| g == group)
            .map_or(self.log_level, |(_, level)| *level)
    }

    /// Returns whether drivers are asked for the statistics of pipelines.
    pub(crate) fn has_pipeline_statistics(&self) -> bool {
        self.debug.pipeline_statistics || self.profile.is_some()
    }

    /// Logs a group at least at this level.
    fn shows(&mut self, group: &str, level: LevelFilter) {
        if self.level(group) < level {
            self.log_groups.insert(0, (group.to_owned(), level));
        }
    }
}

/// All variables, in the order of the table above.
const NAMES: [&str; 25] = [
    "CALDERA_LOG",
    "CALDERA_LOG_FILE",
    "CALDERA_VALIDATION",
    "CALDERA_VULKAN_LIBRARY",
    "CALDERA_DEVICE",
    "CALDERA_VISIBLE_DEVICES",
    "CALDERA_ABI",
    "CALDERA_DEVICE_TYPE",
    "CALDERA_CL_VERSION",
    "CALDERA_DEVICE_NAME",
    "CALDERA_CACHE",
    "CALDERA_CACHE_SIZE",
    "CALDERA_CALIBRATION",
    "CALDERA_KEEP_CLOCK",
    "CALDERA_MATRICES",
    "CALDERA_DEBUG",
    "CALDERA_CHECK",
    "CALDERA_CHECK_FILE",
    "CALDERA_CHECK_ERROR",
    "CALDERA_PROFILE",
    "CALDERA_TRACE",
    "CALDERA_DUMP",
    "CALDERA_CAPTURE",
    "CALDERA_CAPTURE_LAUNCHES",
    "CALDERA_CAPTURE_LIMIT",
];

/// The prefixes of variables of the project's own tools and tests.
const TOOLS: [&str; 4] = [
    "CALDERA_TEST_",
    "CALDERA_FUZZ_",
    "CALDERA_ORACLE_",
    "CALDERA_CTS_",
];

static PRIVILEGED: AtomicBool = AtomicBool::new(false);

/// Notes that the process has rights that the user who set its environment lacks. Must be called before
/// [`config`].
pub fn distrust_environment() {
    PRIVILEGED.store(true, Ordering::Relaxed);
}

/// Returns the process's configuration, which the first call reads from the environment.
pub fn config() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| {
        if PRIVILEGED.load(Ordering::Relaxed) {
            return Config {
                cache: CachePlace::Off,
                ..Config::default()
            };
        }
        let set = std::env::vars_os().map(|(name, _)| name);
        parse(|name| std::env::var_os(name).filter(|v| !v.is_empty()), set)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn with(vars: &[(&str, &str)]) -> Config {
        let value = |name: &str| {
            let found = vars.iter().find(|(n, _)| *n == name);
            found.map(|(_, v)| OsString::from(v))
        };
        parse(value, vars.iter().map(|(n, _)| OsString::from(n)))
    }

    /// The table names exactly the variables that are parsed.
    #[test]
    fn names_are_those_of_the_table() {
        let table: std::collections::BTreeSet<&str> = include_str!("config.rs")
            .lines()
            .filter_map(|l| l.strip_prefix("//! | `"))
            .filter_map(|l| l.split(['=', '`']).next())
            .collect();
        assert_eq!(table, NAMES.into_iter().collect());
    }

    #[test]
    fn misspelt_names_are_reported() {
        let full = |rest: &str| format!("CALDERA_{rest}");
        let complaint = |rest: &str| with(&[(&full(rest), "1")]).complaints.concat();
        for (name, meant) in [
            ("DEVCIE", "CALDERA_DEVICE"),
            ("CAHCE", "CALDERA_CACHE"),
            ("LOGS", "CALDERA_LOG"),
            ("CACHESIZE", "CALDERA_CACHE_SIZE"),
            ("DEBUGG", "CALDERA_DEBUG"),
        ] {
            let text = complaint(name);
            assert!(text.contains(&format!("{} is no variable", full(name))), "{text}");
            assert!(text.ends_with(&format!("did you mean {meant}?")), "{text}");
        }
        let purple = complaint("PURPLE");
        assert_eq!(purple, full("PURPLE") + " is no variable of Caldera");
        for fine in ["TEST_AGAIN", "LOG_FILE"] {
            assert_eq!(complaint(fine), "", "{fine}");
        }
        assert!(
            with(&[("OTHER_LOG", "1"), ("CALDERA", "1")])
                .complaints
                .is_empty()
        );
        assert_eq!(with(&[(&full("LGO"), "debug")]).log_level, LevelFilter::Warn);
        assert_eq!(with(&[(&full("DEVCIE"), "x")]).log_level, LevelFilter::Off);
    }

    /// Paths are bytes to the system; all other values are text.
    #[test]
    #[cfg(unix)]
    fn values_that_are_no_text() {
        use std::os::unix::ffi::OsStringExt;
        let bytes = || OsString::from_vec(b"/c\xffd".to_vec());
        let c = parse(|_| Some(bytes()), std::iter::empty());
        assert_eq!(c.cache, CachePlace::Directory(bytes().into()));
        assert_eq!(c.log_file, Some(bytes().into()));
        assert_eq!(c.vulkan_library, Some(bytes().into()));
        assert_eq!(c.dump, Some(bytes().into()));
        assert_eq!(c.check_file, Some(bytes().into()));
        assert_eq!(c.trace, Some(bytes().into()));
        assert_eq!(c.profile, Some(ProfileTo::File(bytes().into())));
        assert!(c.capture.is_some());
        assert_eq!(c.complaints.len(), NAMES.len() - 8, "{:?}", c.complaints);
        assert!(c.complaints.iter().all(|c| c.contains("UTF-8")));
    }

    #[test]
    fn nothing_set_is_the_default() {
        assert_eq!(with(&[]), Config::default());
    }

    #[test]
    fn calibration_can_be_presumed() {
        let c = with(&[("CALDERA_CALIBRATION", "exp2=off, fast-fma=on")]);
        let expected = [(Assumption::Exp2, false), (Assumption::FastFma, true)];
        assert!(
            c.calibrate && c.assumed == expected && c.complaints.is_empty(),
            "{c:?}"
        );
        assert!(!with(&[("CALDERA_CALIBRATION", "off")]).calibrate);
        assert!(!with(&[("CALDERA_KEEP_CLOCK", "off")]).keep_clock);
        for wrong in ["maybe", "exp2", "exp3=on", "exp2=perhaps"] {
            assert_eq!(
                with(&[("CALDERA_CALIBRATION", wrong)]).complaints.len(),
                1,
                "{wrong}"
            );
        }
    }

    #[test]
    fn reported_version_and_name() {
        let c = with(&[("CALDERA_CL_VERSION", "3.1"), ("CALDERA_DEVICE_NAME", "Some GPU")]);
        assert_eq!(c.cl_version, ClVersion::V3_1);
        assert_eq!(c.device_name.as_deref(), Some("Some GPU"));
        assert!(c.complaints.is_empty());
    }

    #[test]
    fn a_profile_goes_to_standard_error_or_to_a_file() {
        let to = |value| with(&[("CALDERA_PROFILE", value)]).profile;
        assert_eq!(to("1"), Some(ProfileTo::StandardError));
        assert_eq!(to("0"), None);
        assert_eq!(to("p.json"), Some(ProfileTo::File("p.json".into())));
    }

    #[test]
    fn log_levels_and_groups() {
        let c = with(&[("CALDERA_LOG", "warn,vk=debug,queue=trace")]);
        assert_eq!(c.log_level, LevelFilter::Warn);
        assert_eq!(
            c.log_groups,
            [
                ("vk".to_owned(), LevelFilter::Debug),
                ("queue".to_owned(), LevelFilter::Trace)
            ]
        );
        assert!(c.complaints.is_empty());
    }

    #[test]
    fn a_complaint_about_the_log_is_logged() {
        for value in ["loud", "loud,", "vk=loud", "loud,vk=debug"] {
            let c = with(&[("CALDERA_LOG", value)]);
            assert_eq!(
                (c.complaints.len(), c.log_level),
                (1, LevelFilter::Warn),
                "{value}"
            );
        }
    }

    #[test]
    fn what_is_asked_for_by_other_variables_is_logged() {
        let c = with(&[("CALDERA_DEBUG", "error"), ("CALDERA_VALIDATION", "1")]);
        assert_eq!(c.log_level, LevelFilter::Off);
        assert_eq!(c.level("api"), LevelFilter::Error);
        assert_eq!(c.level("validation"), LevelFilter::Warn);
        assert_eq!(c.level("vk"), LevelFilter::Off);
        let c = with(&[("CALDERA_DEBUG", "error"), ("CALDERA_LOG", "api=trace")]);
        assert_eq!(c.level("api"), LevelFilter::Trace);
    }

    #[test]
    #[cfg(not(any(windows, target_vendor = "apple")))]
    fn places_of_the_cache() {
        let place = |vars: &[(&str, &str)]| with(vars).cache.directory();
        let home = ("HOME", "/home/a");
        assert_eq!(place(&[home]), Some("/home/a/.cache/caldera".into()));
        assert_eq!(
            place(&[home, ("XDG_CACHE_HOME", "/c")]),
            Some("/c/caldera".into())
        );
        assert_eq!(
            place(&[home, ("XDG_CACHE_HOME", "c")]),
            Some("/home/a/.cache/caldera".into())
        );
        assert_eq!(place(&[home, ("CALDERA_CACHE", "x")]), Some("x".into()));
        assert_eq!(place(&[home, ("CALDERA_CACHE", "off")]), None);
        assert_eq!(place(&[]), None);
        assert_eq!(with(&[("CALDERA_CACHE_SIZE", "3")]).cache_size, 3 << 20);
    }

    /// The manual contains the table of this module's documentation.
    #[test]
    fn the_manual_has_the_table() {
        let table: String = include_str!("config.rs")
            .lines()
            .filter_map(|l| l.strip_prefix("//! |"))
            .map(|l| format!("|{l}\n"))
            .collect();
        assert!(
            include_str!("../../icd/docs/manual/environment.md").contains(&table),
            "icd/docs/manual/environment.md lacks this table:\n{table}"
        );
    }

    #[test]
    fn unknown_values_are_reported() {
        let c = with(&[
            ("CALDERA_LOG", "loud"),
            ("CALDERA_DEBUG", "error,fast,sync=1,no-memory=some,lose-device"),
            ("CALDERA_DEVICE_TYPE", "toaster"),
            ("CALDERA_VALIDATION", "maybe"),
            ("CALDERA_ABI", "other"),
            ("CALDERA_KEEP_CLOCK", "other"),
            ("CALDERA_MATRICES", "other"),
            ("CALDERA_CACHE_SIZE", "much"),
            ("CALDERA_CL_VERSION", "2.0"),
            ("CALDERA_CHECK", "memory,everything"),
            ("CALDERA_CHECK_ERROR", "shout"),
        ]);
        assert!(c.debug.error);
        assert_eq!(c.complaints.len(), 14, "{:?}", c.complaints);
        assert_eq!(c.log_level, LevelFilter::Warn);
    }
}
