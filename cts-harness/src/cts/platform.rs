//! The OpenCL implementation under test, alone behind the system's loader so that platform 0 is the one meant.

use super::fail;
use crate::{Failure, artifacts, opencl};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An implementation, and what it says it is.
pub(super) struct Platform {
    /// Directory for `OCL_ICD_VENDORS`, with one `.icd` file.
    pub(super) vendors: PathBuf,
    pub(super) identity: Identity,
}

/// What results belong to. Results of different identities are not compared silently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Identity {
    pub(super) platform: String,
    pub(super) device: String,
    pub(super) driver: String,
}

impl Identity {
    /// File-name form of platform and device: `caldera-llvmpipe`.
    pub(super) fn slug(&self) -> String {
        let word = |s: &str| -> String {
            let first = s
                .split([' ', '('])
                .find(|w| !w.is_empty() && *w != "NVIDIA")
                .unwrap_or("unknown");
            first
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_lowercase()
                    } else {
                        '-'
                    }
                })
                .collect()
        };
        format!("{}-{}", word(&self.platform), word(&self.device))
    }
}

impl Platform {
    /// Finds (for `caldera`: builds) an implementation.
    pub(super) fn open(name: &str) -> Result<Platform, Failure> {
        let vendors = if name == "caldera" {
            artifacts::icd_vendors(&artifacts::build_library()?)?
        } else {
            single_vendor(name)?
        };
        let identity = identify(&vendors)?;
        Ok(Platform { vendors, identity })
    }
}

fn single_vendor(name: &str) -> Result<PathBuf, Failure> {
    let file = if name.contains('/') {
        PathBuf::from(name)
    } else {
        Path::new("/etc/OpenCL/vendors").join(format!("{name}.icd"))
    };
    let Ok(text) = std::fs::read_to_string(&file) else {
        return fail(format!("{}: no such OpenCL implementation", file.display()));
    };
    let dir = artifacts::release_dir()
        .join("vendors")
        .join(name.replace('/', "_"));
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("only.icd"), text)?;
    Ok(dir)
}

/// Asks in a process of its own, because the loader reads its environment only once.
fn identify(vendors: &Path) -> Result<Identity, Failure> {
    let me = std::env::current_exe()?;
    let output = Command::new(me)
        .arg("identify")
        .env("OCL_ICD_VENDORS", vendors)
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines().map(str::to_owned);
    match (lines.next(), lines.next(), lines.next()) {
        (Some(platform), Some(device), Some(driver)) => Ok(Identity {
            platform,
            device,
            driver,
        }),
        _ => fail(format!(
            "no OpenCL device: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

/// `identify`: platform, device and driver of the loader's first device, a line each.
pub(crate) fn print_identity() -> crate::Outcome {
    let api = opencl::Api::load(Path::new("libOpenCL.so.1"))?;
    let devices = api.devices()?;
    let Some(&device) = devices.first() else {
        return fail("the loader lists no device");
    };
    for text in [
        api.platform_name(device)?,
        api.device_name(device)?,
        api.driver_version(device)?,
    ] {
        crate::progress::line(&text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Identity;

    #[test]
    fn slugs_are_file_names() {
        let id = |p: &str, d: &str| {
            Identity {
                platform: p.into(),
                device: d.into(),
                driver: "1".into(),
            }
            .slug()
        };
        assert_eq!(
            id("Caldera", "llvmpipe (LLVM 15.0.6, 256 bits)"),
            "caldera-llvmpipe"
        );
        assert_eq!(id("Caldera", "NVIDIA H200"), "caldera-h200");
    }
}
