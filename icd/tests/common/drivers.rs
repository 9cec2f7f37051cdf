//! Lists of Vulkan drivers, for `VK_DRIVER_FILES`.

use std::path::{Path, PathBuf};

/// Returns a list that names a driver twice, so that there are two devices: the first one that the environment chooses, or
/// the system's driver for CPUs.
pub fn two_drivers() -> String {
    let chosen = std::env::var_os("VK_DRIVER_FILES").or_else(|| std::env::var_os("VK_ICD_FILENAMES"));
    let chosen = chosen.and_then(|list| std::env::split_paths(&list).next());
    let driver = chosen.unwrap_or_else(system_driver);
    // The name contains the process's number, because processes that run at the same time must not see
    // incomplete copies.
    let name = format!("second-driver-{}.json", std::process::id());
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::copy(&driver, &copy).expect("a copy");
    format!("{}:{}", driver.display(), copy.display())
}

/// Returns the description of the system's lavapipe.
fn system_driver() -> PathBuf {
    std::fs::read_dir("/usr/share/vulkan/icd.d")
        .expect("Vulkan drivers")
        .flatten()
        .find(|e| {
            let name = e.file_name();
            let name = name.to_string_lossy();
            name.starts_with("lvp_icd") && name.ends_with(".json")
        })
        .expect("lavapipe is installed (mesa-vulkan-drivers)")
        .path()
}
