//! Lists of Vulkan drivers, for `VK_DRIVER_FILES`.

use std::path::Path;

/// Returns a list that names the CPU driver twice, so that there are two devices.
pub fn two_drivers() -> String {
    let driver = std::fs::read_dir("/usr/share/vulkan/icd.d")
        .expect("Vulkan drivers")
        .flatten()
        .find(|e| {
            let name = e.file_name();
            let name = name.to_string_lossy();
            name.starts_with("lvp_icd") && name.ends_with(".json")
        })
        .expect("lavapipe is installed (mesa-vulkan-drivers)");
    // The name contains the process's number, because processes that run at the same time must not see
    // incomplete copies.
    let name = format!("second-driver-{}.json", std::process::id());
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::copy(driver.path(), &copy).expect("a copy");
    format!("{}:{}", driver.path().display(), copy.display())
}
