//! Finds the library and the device for a platform's name on the command line.

use super::{Device, icd_files, open};
use crate::{Failure, artifacts};
use std::path::Path;

/// The name under which the dynamic linker finds the OpenCL loader.
pub(crate) const LOADER: &str = "libOpenCL.so.1";

/// The location of a device. It is also passed to a child process as arguments.
#[derive(clap::Args, Clone, PartialEq, Debug)]
pub(crate) struct Location {
    /// The library, in a form that the dynamic linker accepts
    #[arg(long, value_name = "FILE")]
    from: String,
    /// Part of the platform's name
    #[arg(long = "of", value_name = "NAME")]
    pub(crate) platform: Option<String>,
    /// Part of the device's name
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
}

/// The options that choose a platform and a device.
#[derive(clap::Args, Clone)]
pub(crate) struct Choice {
    /// OpenCL platform: `caldera` (built first), part of an installed platform's name, or a library's file
    #[arg(long, default_value = "caldera", value_name = "NAME")]
    platform: String,
    /// Part of the device's name; default: the first device of the platform
    #[arg(long, value_name = "NAME")]
    pub(crate) device: Option<String>,
}

impl Choice {
    /// Finds the platform as [`locate`] does.
    pub(crate) fn locate(&self) -> Result<Location, Failure> {
        locate(&self.platform, self.device.as_deref())
    }

    /// Finds the platform and opens the device.
    pub(crate) fn open(&self) -> Result<Device, Failure> {
        Ok(find(&self.platform, self.device.as_deref())?.1)
    }
}

impl Location {
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut all = vec![String::from("--from"), self.from.clone()];
        for (option, value) in [("--of", &self.platform), ("--device", &self.device)] {
            all.extend(value.iter().flat_map(|v| [option.to_owned(), v.clone()]));
        }
        all
    }

    pub(crate) fn library(&self) -> &str {
        &self.from
    }

    /// Opens the devices that match. There is at least one.
    pub(crate) fn devices(&self) -> Result<Vec<Device>, Failure> {
        let mut devices = open(&self.from)?;
        let names: Vec<String> = devices
            .iter()
            .map(|d| format!("{} ({})", d.name, d.platform))
            .collect();
        let fits = |text: &str, part: &Option<String>| part.as_ref().is_none_or(|p| contains(text, p));
        devices.retain(|d| fits(&d.platform, &self.platform) && fits(&d.name, &self.device));
        match devices.is_empty() {
            true => fail!("{} offers {}", self.from, list(&names)),
            false => Ok(devices),
        }
    }

    /// Opens the first device that matches.
    pub(crate) fn open(&self) -> Result<Device, Failure> {
        Ok(self.devices()?.swap_remove(0))
    }
}

/// Finds an implementation: `caldera` (built first), the file of a library, or a part of a platform's name.
pub(crate) fn locate(name: &str, device: Option<&str>) -> Result<Location, Failure> {
    let place = |from: String, platform: Option<&str>| Location {
        from,
        platform: platform.map(str::to_owned),
        device: device.map(str::to_owned),
    };
    if name == "caldera" {
        return Ok(place(artifacts::build_library()?.display().to_string(), None));
    }
    if name.contains('/') || name.contains(".so") {
        return Ok(place(name.to_owned(), None));
    }
    // ICDs with a matching file name come first, because it may take long to open the others.
    let mut files = icd_files();
    files.sort_by_key(|f| (!stem_contains(f, name), f.clone()));
    let mut seen = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let library = text.trim();
        let devices = open(library).unwrap_or_default();
        if devices.iter().any(|d| contains(&d.platform, name)) {
            return Ok(place(library.to_owned(), Some(name)));
        }
        if stem_contains(&file, name) && !devices.is_empty() {
            return Ok(place(library.to_owned(), None));
        }
        let platform = devices.first().map_or("no device", |d| &d.platform);
        seen.push(format!("{} ({platform})", file.display()));
    }
    // The loader may know more platforms, because it reads other variables and directories.
    let loader = place(LOADER.to_owned(), Some(name));
    match loader.open() {
        Ok(_) => Ok(loader),
        Err(Failure(why)) => fail!("no OpenCL platform is called «{name}»: {}; {why}", list(&seen)),
    }
}

/// Splits `NAME[,VARIABLE=VALUE…]` into a platform's name and variables for the environment of child processes.
pub(crate) fn with_variables(text: &str) -> Result<(&str, Vec<(String, String)>), Failure> {
    let mut parts = text.split(',');
    let name = parts.next().unwrap_or_default();
    let variables = parts.map(|part| match part.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => fail!("«{part}» in {text} is no VARIABLE=VALUE"),
    });
    Ok((name, variables.collect::<Result<_, Failure>>()?))
}

/// Finds an implementation as [`locate`] does, and opens its first device whose name contains `device`.
pub(crate) fn find(name: &str, device: Option<&str>) -> Result<(Location, Device), Failure> {
    let place = locate(name, device)?;
    let device = place.open().map_err(|Failure(why)| failure!("{name}: {why}"))?;
    Ok((place, device))
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return String::from("nothing");
    }
    names.join(", ")
}

/// Returns whether a text contains a part, whatever the case of the letters.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn stem_contains(file: &Path, part: &str) -> bool {
    file.file_stem()
        .is_some_and(|s| contains(&s.to_string_lossy(), part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_from_platforms() {
        let place = locate("libother.so.1", Some("H200")).unwrap();
        assert_eq!(place.arguments(), ["--from", "libother.so.1", "--device", "H200"]);
        assert_eq!(locate("./other", None).unwrap().from, "./other");
    }

    #[test]
    fn an_unknown_platform_names_the_known() {
        let Failure(why) = locate("nobody's platform", None).unwrap_err();
        assert!(why.contains("nobody's platform"), "{why}");
    }
}
