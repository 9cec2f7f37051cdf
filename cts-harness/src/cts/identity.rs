//! Describes the origin of results: platform, device, driver, build of the library, CTS and mode.

use serde_json::{Value, json};

/// The description of a run. Results with different descriptions are not mixed in one run folder, and are
/// only compared on request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RunInfo {
    /// CL_PLATFORM_NAME.
    pub(crate) platform: String,
    /// CL_DEVICE_NAME.
    pub(crate) device: String,
    /// CL_DEVICE_TYPE: cpu, gpu, accelerator, custom.
    pub(super) device_type: String,
    /// CL_DEVICE_VERSION.
    pub(super) version: String,
    /// CL_DRIVER_VERSION.
    pub(crate) driver: String,
    /// The revision of the CTS. It ends in a question mark if it is only assumed.
    pub(super) cts: String,
    /// The Git revision of this repository, with `+` if the working tree had changes. It is empty for other
    /// platforms.
    pub(super) revision: String,
    /// A digest of the library's file. It is empty for other platforms.
    pub(super) library: String,
    /// `wimpy` or `full`, followed by `validation` and `spirv-val` if these checks were on.
    pub(super) mode: String,
    /// The time at which the run began, in UTC: `2026-11-21 06:40`.
    pub(super) started: String,
}

impl RunInfo {
    /// Returns the fields with their names in files.
    fn fields(&self) -> [(&'static str, &String); 10] {
        [
            ("platform", &self.platform),
            ("device", &self.device),
            ("type", &self.device_type),
            ("version", &self.version),
            ("driver", &self.driver),
            ("cts", &self.cts),
            ("revision", &self.revision),
            ("library", &self.library),
            ("mode", &self.mode),
            ("started", &self.started),
        ]
    }

    pub(super) fn to_json(&self) -> Value {
        let mut value = json!({});
        for (name, text) in self.fields() {
            value[name] = json!(text);
        }
        value
    }

    pub(super) fn from_json(value: &Value) -> Option<RunInfo> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Some(RunInfo {
            platform: text("platform")?,
            device: text("device")?,
            device_type: text("type")?,
            version: text("version")?,
            driver: text("driver")?,
            cts: text("cts")?,
            revision: text("revision")?,
            library: text("library")?,
            mode: text("mode")?,
            started: text("started")?,
        })
    }

    /// Returns the first difference that forbids to continue this run as `other`, if there is one.
    pub(super) fn difference(&self, other: &RunInfo) -> Option<String> {
        let pairs = self.fields().into_iter().zip(other.fields());
        pairs
            .filter(|((name, _), _)| !matches!(*name, "started" | "revision"))
            .find(|((_, a), (_, b))| a != b)
            .map(|((name, a), (_, b))| format!("its {name} is «{a}», not «{b}»"))
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
        assert_eq!(RunInfo::from_json(&info.to_json()), Some(info));
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
