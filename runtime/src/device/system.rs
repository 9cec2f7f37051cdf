//! Properties of a device that the operating system knows and Vulkan does not report: the clock frequency, and
//! a CPU's caches.
//!
//! Applications that choose between devices multiply compute units by the clock frequency, so a device that
//! reports 0 is not chosen. The values are read from Linux's sysfs and procfs, and from NVIDIA's management
//! library; on other systems, and where the system hides them, they are unknown.

use std::fs;
use std::path::{Path, PathBuf};

use crate::vk::{self, Facts, PciAddress, PhysicalType};

/// Returns the first line of a file, if it can be read.
fn line(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|l| l.trim().to_owned())
}

fn number(path: impl AsRef<Path>) -> Option<u64> {
    line(path)?.parse().ok()
}

/// Returns the paths of a directory's entries.
fn entries(dir: impl AsRef<Path>) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
}

/// Returns CL_DEVICE_MAX_CLOCK_FREQUENCY (CL 4.2, table 4.3) in MHz; 0 if it is unknown.
pub(super) fn max_clock_frequency(facts: &Facts) -> u32 {
    let mhz = match (facts.physical_type, &facts.pci) {
        (PhysicalType::Cpu, _) => cpu_clock(),
        (_, Some(pci)) => sysfs_clock(&pci.sysfs()).or_else(|| vk::nvml_clock(facts, pci)),
        (_, None) => soc_clock(Path::new("/sys/class/devfreq")),
    };
    mhz.unwrap_or(0)
}

fn cpu_clock() -> Option<u32> {
    let governed = entries("/sys/devices/system/cpu")
        .filter_map(|cpu| number(cpu.join("cpufreq/cpuinfo_max_freq")))
        .max();
    match governed {
        Some(khz) => u32::try_from(khz / 1000).ok(),
        None => cpuinfo_clock(&fs::read_to_string("/proc/cpuinfo").ok()?),
    }
}

/// Returns the highest clock in /proc/cpuinfo, which virtual machines have.
fn cpuinfo_clock(text: &str) -> Option<u32> {
    let values = text.lines().filter_map(|l| {
        let (name, value) = l.split_once(':')?;
        (name.trim() == "cpu MHz").then(|| value.trim().parse::<f64>().ok())?
    });
    values.map(|mhz| mhz as u32).max()
}

/// Returns the highest clock of a PCI device, from the files of the drivers amdgpu, i915 and xe.
fn sysfs_clock(device: &Path) -> Option<u32> {
    if let Ok(levels) = fs::read_to_string(device.join("pp_dpm_sclk")) {
        return amd_clock(&levels);
    }
    let intel = entries(device.join("drm"))
        .map(|card| card.join("gt_RP0_freq_mhz"))
        .chain([device.join("tile0/gt0/freq0/rp0_freq")]);
    intel
        .filter_map(number)
        .max()
        .and_then(|mhz| u32::try_from(mhz).ok())
}

/// Returns the highest clock in lines like `1: 2400Mhz *`.
fn amd_clock(levels: &str) -> Option<u32> {
    let values = levels.lines().filter_map(|l| {
        let (_, value) = l.split_once(':')?;
        let digits: String = value.trim().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    values.max()
}

/// Returns the highest clock of the GPU of a system on a chip.
fn soc_clock(devfreq: &Path) -> Option<u32> {
    let is_gpu = |p: &PathBuf| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        ["gpu", "mali", "adreno", "kgsl"].iter().any(|g| name.contains(g))
    };
    let hertz = entries(devfreq)
        .filter(is_gpu)
        .filter_map(|p| number(p.join("max_freq")))
        .max()?;
    u32::try_from(hertz / 1_000_000).ok()
}

/// The last cache before memory (CL 4.2, table 4.3): CL_DEVICE_GLOBAL_MEM_CACHE_SIZE and
/// CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, in bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Cache {
    pub(super) size: u64,
    pub(super) line: u32,
}

/// Returns the cache of a device that is a CPU; `None` for others.
pub(super) fn cache(facts: &Facts) -> Option<Cache> {
    match facts.physical_type {
        PhysicalType::Cpu => last_cache(Path::new("/sys/devices/system/cpu/cpu0/cache")),
        PhysicalType::Discrete | PhysicalType::Integrated | PhysicalType::Virtual | PhysicalType::Other => {
            None
        }
    }
}

fn last_cache(dir: &Path) -> Option<Cache> {
    let caches = entries(dir).filter_map(|index| {
        if line(index.join("type"))? == "Instruction" {
            return None;
        }
        let size = line(index.join("size"))?;
        let kib: u64 = size.strip_suffix('K')?.parse().ok()?;
        let cache = Cache {
            size: kib << 10,
            line: u32::try_from(number(index.join("coherency_line_size"))?).ok()?,
        };
        Some((number(index.join("level"))?, cache))
    });
    caches.max_by_key(|(level, _)| *level).map(|(_, cache)| cache)
}

impl PciAddress {
    /// Returns the device's directory in sysfs.
    fn sysfs(&self) -> PathBuf {
        Path::new("/sys/bus/pci/devices").join(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with files, removed at the end of the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Folder {
            let root = std::env::temp_dir().join(format!("caldera-system-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
                fs::write(path, text).expect("a file");
            }
            Folder(root)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn clocks_of_drivers() {
        let amd = Folder::new("amd", &[("pp_dpm_sclk", "0: 500Mhz *\n1: 2404Mhz\n2: 1900Mhz\n")]);
        assert_eq!(sysfs_clock(&amd.0), Some(2404));
        let i915 = Folder::new("i915", &[("drm/card1/gt_RP0_freq_mhz", "1300\n")]);
        assert_eq!(sysfs_clock(&i915.0), Some(1300));
        let xe = Folder::new("xe", &[("tile0/gt0/freq0/rp0_freq", "2050\n")]);
        assert_eq!(sysfs_clock(&xe.0), Some(2050));
        assert_eq!(sysfs_clock(Path::new("/nowhere")), None);
    }

    #[test]
    fn clocks_of_chips() {
        let chip = Folder::new(
            "chip",
            &[
                ("ff9a0000.gpu/max_freq", "800000000\n"),
                ("dmc/max_freq", "2133000000\n"),
            ],
        );
        assert_eq!(soc_clock(&chip.0), Some(800));
    }

    #[test]
    fn clocks_of_virtual_machines() {
        assert_eq!(
            cpuinfo_clock("cpu MHz\t\t: 2596.148\ncache size : 1 KB\ncpu MHz\t: 3100.9\n"),
            Some(3100)
        );
        assert_eq!(cpuinfo_clock("BogoMIPS : 50.00\n"), None);
    }

    #[test]
    fn the_last_cache_counts() {
        let caches = Folder::new(
            "caches",
            &[
                ("index0/type", "Data\n"),
                ("index0/level", "1\n"),
                ("index0/size", "48K\n"),
                ("index0/coherency_line_size", "64\n"),
                ("index1/type", "Instruction\n"),
                ("index3/type", "Unified\n"),
                ("index3/level", "3\n"),
                ("index3/size", "32768K\n"),
                ("index3/coherency_line_size", "128\n"),
                ("uevent", ""),
            ],
        );
        let expected = Cache {
            size: 32 << 20,
            line: 128,
        };
        assert_eq!(last_cache(&caches.0), Some(expected));
    }
}
