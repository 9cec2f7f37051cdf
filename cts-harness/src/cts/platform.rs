//! Selects the OpenCL implementation under test. It is the only one that the loader sees, so the CTS's
//! programs find it as platform 0. One of them (computeinfo) always takes platform 0, whatever the
//! environment says.

use super::identity::RunInfo;
use crate::cl::{self, Location, contains};
use crate::packages::OPENCL_LOADER;
use crate::{Failure, Outcome, artifacts, progress};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The options that choose the implementation and the device.
#[derive(clap::Args)]
pub(crate) struct PlatformArgs {
    /// OpenCL platform: `caldera` (built first), or part of the name of an installed platform or of its .icd
    /// file
    #[arg(long, default_value = "caldera", value_name = "NAME")]
    platform: String,
    /// A library that implements OpenCL (an ICD, or a replacement for libOpenCL) instead of an installed
    /// platform
    #[arg(long, value_name = "FILE", conflicts_with = "platform")]
    library: Option<PathBuf>,
    /// Part of the device's name; default: the first device of the platform
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Use this description of the device (JSON, as `identify` prints it), without asking an OpenCL loader
    #[arg(long, hide = true, value_name = "FILE")]
    described: Option<PathBuf>,
}

/// A device of an implementation, with the environment that makes the CTS's programs use it.
#[derive(Debug)]
pub(crate) struct Target {
    /// The environment variables that select the device.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// The description of the device. The mode and the CTS are not filled in.
    pub(crate) info: RunInfo,
    /// Whether the implementation is Caldera. Only then do Caldera's environment variables have an effect.
    pub(crate) ours: bool,
}

/// A device as `identify` describes it.
#[derive(Debug, Serialize, Deserialize)]
struct Found {
    /// The index of its platform.
    platform_index: usize,
    /// The index among the platform's devices of the same type.
    device_index: usize,
    #[serde(flatten)]
    info: RunInfo,
}

impl Target {
    /// Finds the implementation and the device. For `caldera`, this builds the library.
    pub(crate) fn open(args: &PlatformArgs) -> Result<Target, Failure> {
        let (environment, found, place) = match &args.described {
            Some(file) => (Vec::new(), devices(&std::fs::read_to_string(file)?), None),
            None => {
                let place = args.place()?;
                let (environment, found) = implementation(place.library())?;
                (environment, found, Some(place))
            }
        };
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        let platform = place.as_ref().map(|p| part(&p.platform)).unwrap_or_default();
        let device = choose(found, &platform, &part(&args.device))?;
        let ours = device.info.platform == "Caldera";
        let mut target = Target {
            environment,
            info: device.info,
            ours,
        };
        let index = |n: usize| OsString::from(n.to_string());
        target.environment.extend([
            ("CL_PLATFORM_INDEX", index(device.platform_index)),
            ("CL_DEVICE_INDEX", index(device.device_index)),
            // The actual type is given, because some programs do not understand `all` and `default`, or
            // choose another device for them.
            ("CL_DEVICE_TYPE", OsString::from(&target.info.device_type)),
        ]);
        if ours {
            target.info.revision = crate::package::revision();
            // A library may be named in a way that only the dynamic linker understands.
            let library = place
                .as_ref()
                .map(|p| Path::new(p.library()))
                .filter(|l| l.is_file());
            target.info.library = library.map(digest).transpose()?.unwrap_or_default();
        }
        Ok(target)
    }
}

impl PlatformArgs {
    fn place(&self) -> Result<Location, Failure> {
        let Some(library) = &self.library else {
            return cl::locate(&self.platform, None);
        };
        let library = crate::files::real(library)?;
        cl::locate(&library.to_string_lossy(), None)
    }
}

fn choose(found: Vec<Found>, platform: &str, device: &str) -> Result<Found, Failure> {
    let names: Vec<&str> = found.iter().map(|f| f.info.device.as_str()).collect();
    let none = match names.is_empty() {
        true => failure!("the OpenCL implementation offers no device"),
        false => failure!("no device is called «{device}»; there is {}", names.join(", ")),
    };
    let fits = |f: &Found| contains(&f.info.platform, platform) && contains(&f.info.device, device);
    found.into_iter().find(fits).ok_or(none)
}

type Implementation = (Vec<(&'static str, OsString)>, Vec<Found>);

/// Returns whether the loader obeys OCL_ICD_VENDORS. The loader of NVIDIA's CUDA toolkit ignores it, and
/// would run the programs on an installed implementation.
fn is_obeyed() -> Result<bool, Failure> {
    Ok(identify(&vendors(&scratch("none")?))?.is_empty())
}

/// Returns the environment and the devices of a library. The loader loads it as its only ICD. If the loader
/// ignores OCL_ICD_VENDORS, or finds no device in the library, the library replaces the loader.
fn implementation(library: &str) -> Result<Implementation, Failure> {
    if library == cl::LOADER {
        return match is_obeyed()? {
            true => Ok((Vec::new(), identify(&[])?)),
            false => fail!(
                "the OpenCL loader does not obey OCL_ICD_VENDORS: name the implementation with --library"
            ),
        };
    }
    let name = Path::new(library).file_stem().unwrap_or_default();
    let dir = scratch(&format!("library-{}", name.display()))?;
    let dir = artifacts::icd_vendors(&dir, library)?;
    if is_obeyed()? {
        let as_icd = vendors(&dir);
        let found = identify(&as_icd)?;
        if !found.is_empty() {
            return Ok((as_icd, found));
        }
    }
    let link = dir.join("libOpenCL.so.1");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(library, &link)?;
    let mut path = OsString::from(&dir);
    if let Some(old) = std::env::var_os("LD_LIBRARY_PATH").filter(|p| !p.is_empty()) {
        path.push(":");
        path.push(old);
    }
    let as_loader = vec![("LD_LIBRARY_PATH", path)];
    let found = identify(&as_loader)?;
    if found.is_empty() {
        return fail!("{library} offers no OpenCL device, neither as an ICD nor in libOpenCL's place");
    }
    Ok((as_loader, found))
}

/// Returns the environment for a directory with one .icd file. Both ocl-icd and Khronos's loader accept a
/// directory in OCL_ICD_VENDORS.
fn vendors(dir: &Path) -> Vec<(&'static str, OsString)> {
    vec![("OCL_ICD_VENDORS", OsString::from(dir))]
}

fn scratch(name: &str) -> Result<PathBuf, Failure> {
    let dir = artifacts::release_dir().join("cts-vendors").join(name);
    std::fs::create_dir_all(&dir)?;
    // The path must be absolute, because the programs run in other directories.
    Ok(dir.canonicalize()?)
}

/// Returns the devices that the loader finds in the given environment. A new process asks, because a loader
/// reads its environment only once.
fn identify(environment: &[(&'static str, OsString)]) -> Result<Vec<Found>, Failure> {
    if !(OPENCL_LOADER.found)() {
        return fail!(
            "{} is missing: apt-get install {}",
            OPENCL_LOADER.what,
            OPENCL_LOADER.package
        );
    }
    let output = Command::new(std::env::current_exe()?)
        .arg("identify")
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        return fail!(
            "asking for the OpenCL devices failed ({}): {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(devices(&String::from_utf8_lossy(&output.stdout)))
}

/// Parses the output of `identify`, which has one device per line. Lines that an implementation prints itself
/// are ignored.
fn devices(text: &str) -> Vec<Found> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// `identify`: prints the loader's devices, one JSON object per line.
pub(crate) fn print_identity() -> Outcome {
    let mut platforms: Vec<String> = Vec::new();
    let mut types: Vec<(usize, u64)> = Vec::new();
    for device in cl::open(cl::LOADER)? {
        // The devices are sorted by platform.
        if platforms.last() != Some(&device.platform) {
            platforms.push(device.platform.clone());
        }
        let platform_index = platforms.len() - 1;
        // CL_DEVICE_TYPE_DEFAULT may be set in addition to the actual type.
        let bits = device.kind & !1;
        let kind = match bits {
            2 => "cpu",
            4 => "gpu",
            8 => "accelerator",
            _ => "custom",
        };
        let device_index = types.iter().filter(|t| **t == (platform_index, bits)).count();
        types.push((platform_index, bits));
        let found = Found {
            platform_index,
            device_index,
            info: RunInfo {
                platform: device.platform,
                device: device.name,
                device_type: kind.into(),
                version: device.version,
                driver: without_code(&device.driver),
                ..RunInfo::default()
            },
        };
        progress::line(&serde_json::to_string(&found)?);
    }
    Ok(())
}

/// Returns a CL_DRIVER_VERSION of Caldera without the part that changes with each change of the compiler: results of two builds of
/// the library are compared.
fn without_code(driver: &str) -> String {
    match driver.rsplit_once("; code ") {
        Some((version, code)) if code.ends_with(')') => format!("{version})"),
        _ => driver.to_owned(),
    }
}

/// Returns a digest of a library's contents as 16 hexadecimal digits.
fn digest(library: &Path) -> Result<String, Failure> {
    let mut hasher = DefaultHasher::new();
    std::fs::read(library)?.hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_lines_are_passed_over() {
        let text = "warning: experimental\n{\"platform\":\"P\",\"device\":\"D\",\"type\":\"cpu\",\"version\":\"1\",\
                    \"driver\":\"2\",\"platform_index\":0,\"device_index\":1}\n";
        let all = devices(text);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].device_index, all[0].info.driver.as_str()), (1, "2"));
    }

    #[test]
    fn the_code_is_no_part_of_the_driver() {
        assert_eq!(
            without_code("0.1.0 (llvmpipe Mesa 22.3.6; code 00c0ffee)"),
            "0.1.0 (llvmpipe Mesa 22.3.6)"
        );
        assert_eq!(without_code("580.159.04"), "580.159.04");
    }

    #[test]
    fn a_digest_tells_libraries_apart() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let file = file.path();
        std::fs::write(file, "a").unwrap();
        let a = digest(file).unwrap();
        std::fs::write(file, "b").unwrap();
        assert_ne!(a, digest(file).unwrap());
    }
}
