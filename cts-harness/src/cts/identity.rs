//! Describes the origin of results: platform, device, driver, build of the library, CTS and mode.

use serde::{Deserialize, Serialize};

/// The description of a run. Results with different descriptions are not mixed in one run folder, and are
/// only compared on request.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RunInfo {
    /// CL_PLATFORM_NAME.
    pub(crate) platform: String,
    /// CL_DEVICE_NAME.
    pub(crate) device: String,
    /// CL_DEVICE_TYPE: cpu, gpu, accelerator, custom.
    #[serde(rename = "type")]
    pub(super) device_type: String,
    /// CL_DEVICE_VERSION.
    pub(super) version: String,
    /// CL_DRIVER_VERSION.
    pub(crate) driver: String,
    /// The revision of the CTS. It ends in a question mark if it is only assumed.
    #[serde(default)]
    pub(super) cts: String,
    /// The Git revision of this repository, marked if the working tree had changes. It is empty for other
    /// platforms.
    #[serde(default)]
    pub(super) revision: String,
    /// A digest of the library's file. It is empty for other platforms.
    #[serde(default)]
    pub(super) library: String,
    /// `wimpy` or `full`, followed by `validation` and `spirv-val` if these checks were on.
    #[serde(default)]
    pub(super) mode: String,
    /// The time at which the run began, in UTC: `2026-11-21 06:40`.
    #[serde(default)]
    pub(super) started: String,
}

impl std::fmt::Display for RunInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {} ({})", self.platform, self.device, self.driver)
    }
}

impl RunInfo {
    /// Returns the fields that describe the device, its driver and the CTS, with their names in files.
    pub(super) fn grounds(&mut self) -> [(&'static str, &mut String); 6] {
        [
            ("platform", &mut self.platform),
            ("device", &mut self.device),
            ("type", &mut self.device_type),
            ("version", &mut self.version),
            ("driver", &mut self.driver),
            ("cts", &mut self.cts),
        ]
    }

    /// Returns the first difference that forbids to continue this run as `other`, if there is one.
    pub(super) fn difference(&self, other: &RunInfo) -> Option<String> {
        let (mut a, mut b) = (self.clone(), other.clone());
        let (library, mode) = ((&self.library, &other.library), (&self.mode, &other.mode));
        let grounds = a.grounds().into_iter().zip(b.grounds());
        let pairs = grounds.map(|((name, a), (_, b))| (name, (&*a, &*b)));
        let mut all = pairs.chain([("library", library), ("mode", mode)]);
        all.find(|(_, (a, b))| a != b)
            .map(|(name, (a, b))| format!("its {name} is «{a}», not «{b}»"))
    }

    /// Returns a file name for the platform and the device, such as `caldera-llvmpipe`.
    pub(crate) fn slug(&self) -> String {
        let platform = match self.platform.as_str() {
            "Portable Computing Language" => String::from("pocl"),
            "NVIDIA CUDA" => String::from("nvidia"),
            other => word(other),
        };
        let device = match (self.device_type.as_str(), word(&self.device).as_str()) {
            (_, "llvmpipe") => String::from("llvmpipe"),
            ("cpu", _) => String::from("cpu"),
            (_, device) => device.to_owned(),
        };
        format!("{platform}-{device}")
    }
}

/// Returns the first word of `text` that is not the vendor's name, in a form that a file name can contain.
fn word(text: &str) -> String {
    let first = text
        .split([' ', '('])
        .find(|w| !w.is_empty() && *w != "NVIDIA")
        .unwrap_or("unknown");
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    first.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(platform: &str, device: &str, device_type: &str) -> RunInfo {
        RunInfo {
            platform: platform.into(),
            device: device.into(),
            device_type: device_type.into(),
            ..RunInfo::default()
        }
    }

    #[test]
    fn slugs_are_file_names() {
        let slug = |p, d, t| info(p, d, t).slug();
        assert_eq!(
            slug("Caldera", "llvmpipe (LLVM 15.0.6, 256 bits)", "cpu"),
            "caldera-llvmpipe"
        );
        assert_eq!(slug("Caldera", "NVIDIA H200", "gpu"), "caldera-h200");
        assert_eq!(slug("NVIDIA CUDA", "NVIDIA H200", "gpu"), "nvidia-h200");
        assert_eq!(
            slug("Portable Computing Language", "pthread-Some Processor", "cpu"),
            "pocl-cpu"
        );
    }

    #[test]
    fn json_keeps_everything() {
        let info = info("P", "D «é»", "gpu");
        let text = serde_json::to_string(&info).unwrap();
        assert_eq!(serde_json::from_str::<RunInfo>(&text).unwrap(), info);
    }

    #[test]
    fn a_later_revision_of_the_same_library_goes_on() {
        let a = info("P", "D", "gpu");
        let mut b = a.clone();
        b.revision = "other".into();
        assert_eq!(a.difference(&b), None);
        b.driver = "2".into();
        assert!(a.difference(&b).unwrap().contains("driver"));
    }
}
