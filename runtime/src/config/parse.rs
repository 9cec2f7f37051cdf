//! Reads the variables of the environment.

use super::{
    AbiChoice, CachePlace, CheckError, ClVersion, Config, DeviceKind, MatrixChoice, NAMES, ProfileTo, TOOLS,
    Validation,
};
use crate::capture::Selection;
use crate::device::calibrate::Assumption;
use crate::os::folders;
use caldera_compiler::check::Checks;
use log::LevelFilter;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Returns a complaint about the name of a variable that seems to be meant for this library but is unknown, and
/// the variable that was probably meant.
fn misspelt(name: &OsStr) -> Option<(String, Option<&'static str>)> {
    let text = name.to_string_lossy();
    let ours = text.starts_with("CALDERA_")
        && !NAMES.contains(&&*text)
        && !TOOLS.iter().any(|prefix| text.starts_with(prefix));
    if !ours {
        return None;
    }
    // All names have this prefix, so it must not count as similarity.
    let (_, rest) = text.split_at("CALDERA".len());
    let rests = NAMES.iter().map(|known| &known["CALDERA".len()..]);
    let meant = caldera_compiler::suggest::nearest(rest, rests)
        .and_then(|rest| NAMES.into_iter().find(|known| known.ends_with(rest)));
    let hint = meant.map_or(String::new(), |known| format!("; did you mean {known}?"));
    Some((format!("{text} is no variable of Caldera{hint}"), meant))
}

/// Parses the variables whose values `os` returns; `names` are all variables that are set.
pub(super) fn parse(os: impl Fn(&str) -> Option<OsString>, names: impl Iterator<Item = OsString>) -> Config {
    let mut c = Config::default();
    let mut complaints = Vec::new();
    let broken = std::cell::RefCell::new(Vec::new());
    let get = |name: &str| match os(name)?.into_string() {
        Ok(text) => Some(text),
        Err(bytes) => {
            broken
                .borrow_mut()
                .push(format!("{name}: {bytes:?} is no text in UTF-8"));
            None
        }
    };
    let path = |name: &str| os(name).map(PathBuf::from);
    if let Some(v) = get("CALDERA_LOG") {
        c.set_log(&v, &mut complaints);
    }
    c.log_file = path("CALDERA_LOG_FILE");
    c.vulkan_library = path("CALDERA_VULKAN_LIBRARY");
    c.dump = path("CALDERA_DUMP");
    c.cache = match path("CALDERA_CACHE") {
        Some(v) if v.as_os_str() == "off" => CachePlace::Off,
        Some(v) => CachePlace::Directory(v),
        None => CachePlace::User(folders::cache(path).map(|dir| dir.join("caldera"))),
    };
    match get("CALDERA_CACHE_SIZE").map(|v| v.parse::<u32>().map_err(|_| v)) {
        None => {}
        Some(Ok(mib)) => c.cache_size = u64::from(mib) << 20,
        Some(Err(v)) => complaints.push(format!("CALDERA_CACHE_SIZE: {v:?} is not a number of MiB")),
    }
    c.set_calibration(get("CALDERA_CALIBRATION").as_deref(), &mut complaints);
    match get("CALDERA_KEEP_CLOCK").as_deref() {
        None | Some("on" | "1") => {}
        Some("off" | "0") => c.keep_clock = false,
        Some(v) => complaints.push(format!("CALDERA_KEEP_CLOCK: {v:?} is neither on nor off")),
    }
    match get("CALDERA_MATRICES").as_deref() {
        None => {}
        Some("emulate") => c.matrices = MatrixChoice::Emulate,
        Some("off") => c.matrices = MatrixChoice::Off,
        Some(v) => complaints.push(format!("CALDERA_MATRICES: {v:?} is neither emulate nor off")),
    }
    c.set_observation(&get, &path, &mut complaints);
    match get("CALDERA_VALIDATION").as_deref() {
        None | Some("0" | "off") => {}
        Some("1" | "on" | "log") => c.validation = Validation::Log,
        Some("abort") => c.validation = Validation::Abort,
        Some(v) => complaints.push(format!("CALDERA_VALIDATION: {v:?} is none of 0, 1, abort")),
    }
    c.set_device(&get, &mut complaints);
    if let Some(v) = get("CALDERA_DEBUG") {
        c.set_debug(&v, &mut complaints);
    }
    if c.debug.error {
        c.shows("api", LevelFilter::Error);
    }
    if c.validation != Validation::Off {
        c.shows("validation", LevelFilter::Warn);
    }
    complaints.append(&mut broken.borrow_mut());
    for (complaint, meant) in names.filter_map(|name| misspelt(&name)) {
        // A user who misspells the variable of the log gets the complaint in the log, too.
        if meant == Some("CALDERA_LOG") {
            c.log_level = c.log_level.max(LevelFilter::Warn);
        }
        complaints.push(complaint);
    }
    c.complaints = complaints;
    c
}

impl Config {
    /// Takes `CALDERA_LOG`.
    fn set_log(&mut self, value: &str, complaints: &mut Vec<String>) {
        let before = complaints.len();
        for part in value.split(',').filter(|p| !p.is_empty()) {
            let (group, level) = match part.split_once('=') {
                Some((g, l)) => (Some(g.trim()), l.trim()),
                None => (None, part.trim()),
            };
            match (group, level.parse::<LevelFilter>()) {
                (None, Ok(l)) => self.log_level = l,
                (Some(g), Ok(l)) => self.log_groups.push((g.to_owned(), l)),
                (_, Err(_)) => complaints.push(format!("CALDERA_LOG: {level:?} is not a level")),
            }
        }
        if complaints.len() > before {
            // A user who asks for a log with an invalid level gets the complaint in the log.
            self.log_level = self.log_level.max(LevelFilter::Warn);
        }
    }

    /// Takes `CALDERA_CALIBRATION`.
    fn set_calibration(&mut self, value: Option<&str>, complaints: &mut Vec<String>) {
        match value {
            None | Some("on" | "1") => {}
            Some("off" | "0") => self.calibrate = false,
            Some(list) => {
                for item in list.split(',').map(str::trim).filter(|i| !i.is_empty()) {
                    let (name, value) = item.split_once('=').unwrap_or((item, ""));
                    let yes = match value {
                        "on" | "1" => Some(true),
                        "off" | "0" => Some(false),
                        _ => None,
                    };
                    match (Assumption::named(name), yes) {
                        (Some(what), Some(yes)) => self.assumed.push((what, yes)),
                        _ => complaints.push(format!(
                            "CALDERA_CALIBRATION: {item:?} is not off or a name=on|off"
                        )),
                    }
                }
            }
        }
    }

    /// Takes the variables that ask for checks, profiles, traces and captures.
    fn set_observation(
        &mut self,
        get: &dyn Fn(&str) -> Option<String>,
        path: &dyn Fn(&str) -> Option<PathBuf>,
        complaints: &mut Vec<String>,
    ) {
        if let Some(list) = get("CALDERA_CHECK") {
            match Checks::parse(&list) {
                Ok(checks) => self.check = checks,
                Err(name) => complaints.push(format!("CALDERA_CHECK: unknown check {name:?}")),
            }
        }
        self.check_file = path("CALDERA_CHECK_FILE");
        match get("CALDERA_CHECK_ERROR").as_deref() {
            None => {}
            Some("fail") => self.check_error = CheckError::Fail,
            Some("abort") => self.check_error = CheckError::Abort,
            Some(v) => complaints.push(format!("CALDERA_CHECK_ERROR: {v:?} is neither fail nor abort")),
        }
        self.profile = match path("CALDERA_PROFILE") {
            None => None,
            Some(v) if v.as_os_str() == "0" || v.as_os_str() == "off" => None,
            Some(v) if v.as_os_str() == "1" || v.as_os_str() == "on" => Some(ProfileTo::StandardError),
            Some(v) => Some(ProfileTo::File(v)),
        };
        self.trace = path("CALDERA_TRACE");
        let (launches, limit) = (get("CALDERA_CAPTURE_LAUNCHES"), get("CALDERA_CAPTURE_LIMIT"));
        self.capture = path("CALDERA_CAPTURE").map(|dir| Selection::new(dir, launches, limit, complaints));
        if self.capture.is_some() {
            self.shows("capture", LevelFilter::Info);
        }
    }

    /// Takes the variables that choose the device, and what it reports of itself.
    fn set_device(&mut self, get: &dyn Fn(&str) -> Option<String>, complaints: &mut Vec<String>) {
        self.device = get("CALDERA_DEVICE");
        self.visible_devices = get("CALDERA_VISIBLE_DEVICES");
        match get("CALDERA_ABI").as_deref() {
            None => {}
            Some("physical") => self.abi = Some(AbiChoice::Physical),
            Some("descriptor") => self.abi = Some(AbiChoice::Descriptor),
            Some(v) => complaints.push(format!("CALDERA_ABI: {v:?} is neither physical nor descriptor")),
        }
        match get("CALDERA_DEVICE_TYPE").as_deref() {
            None => {}
            Some("gpu") => self.device_type = Some(DeviceKind::Gpu),
            Some("cpu") => self.device_type = Some(DeviceKind::Cpu),
            Some("accelerator") => self.device_type = Some(DeviceKind::Accelerator),
            Some(v) => complaints.push(format!(
                "CALDERA_DEVICE_TYPE: {v:?} is none of gpu, cpu, accelerator"
            )),
        }
        match get("CALDERA_CL_VERSION").as_deref() {
            None | Some("1.2") => {}
            Some("3.0") => self.cl_version = ClVersion::V3_0,
            Some("3.1") => self.cl_version = ClVersion::V3_1,
            Some(v) => complaints.push(format!("CALDERA_CL_VERSION: {v:?} is none of 1.2, 3.0, 3.1")),
        }
        self.device_name = get("CALDERA_DEVICE_NAME");
    }

    /// Takes the flags of `CALDERA_DEBUG`.
    fn set_debug(&mut self, value: &str, complaints: &mut Vec<String>) {
        for flag in value.split(',').map(str::trim).filter(|f| !f.is_empty()) {
            if let Some(name) = flag.strip_prefix("device=") {
                self.debug_device = Some(name.to_owned());
                continue;
            }
            let (name, number) = match flag.split_once('=') {
                Some((name, number)) => (name, Some(number.parse().ok())),
                None => (flag, None),
            };
            match (name, number) {
                ("lose-device", Some(Some(n))) => self.debug.lose_device = Some(n),
                ("stop-device", Some(Some(n))) => self.debug.stop_device = Some(n),
                ("no-memory", Some(Some(n))) => self.debug.no_memory = Some(n),
                ("no-memory-from", Some(Some(n))) => self.debug.no_memory_from = Some(n),
                ("fail-allocation", Some(Some(n))) => self.debug.fail_allocation = Some(n),
                ("fail-submission", Some(Some(n))) => self.debug.fail_submission = Some(n),
                ("panic-in-submission", Some(Some(n))) => self.debug.panic_in_submission = Some(n),
                ("fail-wait", Some(Some(n))) => self.debug.fail_wait = Some(n),
                ("lose-device-in-wait", Some(Some(n))) => self.debug.lose_device_in_wait = Some(n),
                ("error", None) => self.debug.error = true,
                ("sync", None) => self.debug.sync = true,
                ("no-batch", None) => self.debug.no_batch = true,
                ("reorder", None) => self.debug.reorder = true,
                ("copy-kernel", None) => self.debug.copy_kernel = true,
                ("nvidia-faults", None) => self.debug.nvidia_faults = true,
                ("compute-family", None) => self.debug.compute_family = true,
                ("late-launches", None) => self.debug.late_launches = true,
                ("discrete", None) => self.debug.discrete = true,
                ("gather-flushes", None) => self.debug.gather_flushes = true,
                ("guess-pipelines", None) => self.debug.guess_pipelines = true,
                ("no-packing", None) => self.debug.no_packing = true,
                ("pack-always", None) => self.debug.pack_always = true,
                ("pipeline-statistics", None) => self.debug.pipeline_statistics = true,
                _ => complaints.push(format!("CALDERA_DEBUG: unknown flag {flag:?}")),
            }
        }
    }
}
