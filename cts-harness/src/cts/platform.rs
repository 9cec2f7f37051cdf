//! Selects the OpenCL implementation under test. It is the only one that the loader sees, so the CTS's
//! programs find it as platform 0. One of them (computeinfo) always takes platform 0, whatever the
//! environment says.

use super::identity::RunInfo;
use crate::cl::{self, contains};
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
        let (environment, found, library) = if let Some(file) = &args.described {
            let text = std::fs::read_to_string(file)?;
            (Vec::new(), devices(&text), None)
        } else if let Some(library) = &args.library {
            let library = library
                .canonicalize()
                .map_err(|e| failure!("{}: {e}", library.display()))?;
            let (environment, found) = implementation(&library)?;
            (environment, found, Some(library))
        } else if args.platform == "caldera" {
            let library = artifacts::build_library()?;
            let (environment, found) = implementation(&library)?;
            (environment, found, Some(library))
        } else {
            let (environment, found) = installed(&args.platform)?;
            (environment, found, None)
        };
        let device = choose(found, args)?;
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
            target.info.revision = revision();
            if let Some(library) = library {
                target.info.library = digest(&library)?;
            }
        }
        Ok(target)
    }
}

fn choose(found: Vec<Found>, args: &PlatformArgs) -> Result<Found, Failure> {
    let by_library = args.library.is_some() || args.described.is_some() || args.platform == "caldera";
    let of_platform = |f: &Found| by_library || contains(&f.info.platform, &args.platform);
    // The platform may have been chosen by the name of its .icd file. Then none of the names may match, and
    // any platform of the file is accepted.
    let any = found.iter().any(of_platform);
    let names: Vec<String> = found.iter().map(|f| f.info.device.clone()).collect();
    let device = args.device.as_deref().unwrap_or_default();
    found
        .into_iter()
        .find(|f| (of_platform(f) || !any) && contains(&f.info.device, device))
        .ok_or_else(|| {
            Failure(if names.is_empty() {
                String::from("the OpenCL implementation offers no device")
            } else {
                format!("no device is called «{device}»; there is {}", names.join(", "))
            })
        })
}

type Implementation = (Vec<(&'static str, OsString)>, Vec<Found>);

/// Returns whether the loader obeys OCL_ICD_VENDORS. The loader of NVIDIA's CUDA toolkit ignores it, and
/// would run the programs on an installed implementation.
fn is_obeyed() -> Result<bool, Failure> {
    Ok(identify(&vendors(&scratch("none")?))?.is_empty())
}

/// Returns the environment and the devices of a library. The loader loads it as its only ICD. If the loader
/// ignores OCL_ICD_VENDORS, or finds no device in the library, the library replaces the loader.
fn implementation(library: &Path) -> Result<Implementation, Failure> {
    let name = library.file_stem().map(|n| n.to_string_lossy().into_owned());
    let dir = scratch(&format!("library-{}", name.unwrap_or_default()))?;
    std::fs::write(dir.join("only.icd"), format!("{}\n", library.display()))?;
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
        return fail!(
            "{} offers no OpenCL device, neither as an ICD nor in libOpenCL's place",
            library.display()
        );
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

/// Finds an installed platform by a part of its name or of its .icd file's name.
fn installed(name: &str) -> Result<Implementation, Failure> {
    let mut files = if name.contains('/') {
        vec![PathBuf::from(name)]
    } else {
        cl::icd_files()
    };
    // Files with a matching name come first, because it may take long to ask the other implementations.
    let stem = |f: &Path| {
        f.file_stem()
            .is_some_and(|s| contains(&s.to_string_lossy(), name))
    };
    files.sort_by_key(|f| (!stem(f), f.clone()));
    if !is_obeyed()? {
        return fail!(
            "the OpenCL loader does not obey OCL_ICD_VENDORS: name the implementation with --library"
        );
    }
    let mut seen = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let label = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let dir = scratch(&format!("installed-{label}"))?;
        std::fs::write(dir.join("only.icd"), text.trim_end().to_owned() + "\n")?;
        let environment = vendors(&dir);
        let found = identify(&environment).unwrap_or_default();
        let matching = stem(&file) || found.iter().any(|f| contains(&f.info.platform, name));
        if matching && !found.is_empty() {
            return Ok((environment, found));
        }
        let platform = found.first().map_or("no device", |f| f.info.platform.as_str());
        seen.push(format!("{label} ({platform})"));
    }
    fail!(
        "no OpenCL platform is called «{name}»; there is caldera, {}",
        seen.join(", ")
    )
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
    for device in cl::open("libOpenCL.so.1")? {
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
                driver: device.driver,
                ..RunInfo::default()
            },
        };
        progress::line(&serde_json::to_string(&found)?);
    }
    Ok(())
}

/// Returns the revision of this repository, with `+` if the working tree has changes. It is empty if git
/// cannot be run.
fn revision() -> String {
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .current_dir(artifacts::root())
            .args(args)
            .stderr(Stdio::null())
            .output();
        output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned())
    };
    let Ok(head) = git(&["rev-parse", "--short=10", "HEAD"]) else {
        return String::new();
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_ok_and(|s| !s.is_empty());
    if changed { format!("{head}+") } else { head }
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
    fn a_digest_tells_libraries_apart() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let file = file.path();
        std::fs::write(file, "a").unwrap();
        let a = digest(file).unwrap();
        std::fs::write(file, "b").unwrap();
        assert_ne!(a, digest(file).unwrap());
    }
}
