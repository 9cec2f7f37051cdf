//! A view of this machine's system in which packages can be installed and removed without a trace: an overlay in memory.

use crate::files::{files_below, fresh};
use crate::{Failure, Outcome};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A mounted overlay, which is unmounted when it is dropped.
pub(super) struct Overlay {
    folder: PathBuf,
}

impl Overlay {
    /// Mounts an overlay below a folder, which only root can do. Its OpenCL loader knows no implementation.
    pub(super) fn mount(folder: &Path) -> Result<Overlay, Failure> {
        // A run that was killed leaves the machine's own /dev mounted below the folder, whose contents `fresh` would remove.
        unmount(folder);
        let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if is_mounted(&mounts, &real) {
            return fail!("{} is still mounted", folder.display());
        }
        fresh(folder)?;
        mount(&["-t", "tmpfs", "caldera-try"], folder)?;
        let overlay = Overlay {
            folder: folder.to_owned(),
        };
        let root = overlay.root();
        for layer in [overlay.changes(), folder.join("work"), root.clone()] {
            std::fs::create_dir(layer)?;
        }
        let layers = format!(
            "lowerdir=/,upperdir={},workdir={}",
            overlay.changes().display(),
            folder.join("work").display()
        );
        mount(&["-t", "overlay", "caldera-try", "-o", &layers], &root)?;
        for system in ["/proc", "/sys", "/dev"] {
            mount(&["--rbind", "--make-rslave", system], &root.join(&system[1..]))?;
        }
        let vendors = root.join("etc/OpenCL/vendors");
        if vendors.exists() {
            std::fs::remove_dir_all(&vendors)?;
        }
        Ok(overlay)
    }

    /// Returns the folder that is the root of the view.
    pub(super) fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    /// Returns the files that have been written since the overlay was mounted, relative to the root.
    pub(super) fn written(&self) -> Result<Vec<PathBuf>, Failure> {
        let changes = self.changes();
        let mut files = files_below(&changes)?;
        // A device stands for a file that has been removed.
        files.retain(|f| {
            let kind = changes.join(f).symlink_metadata().map(|m| m.file_type());
            kind.is_ok_and(|k| k.is_file() || k.is_symlink())
        });
        Ok(files)
    }

    fn changes(&self) -> PathBuf {
        self.folder.join("changes")
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        unmount(&self.folder);
    }
}

/// Unmounts a folder and what is mounted below it. Whether that succeeded is checked before the next mount.
fn unmount(folder: &Path) {
    let _ = Command::new("umount")
        .args(["--recursive", "--lazy"])
        .arg(folder)
        .stderr(Stdio::null())
        .status();
}

/// Returns whether `mounts`, the text of `/proc/self/mountinfo`, lists a folder or one below it.
fn is_mounted(mounts: &str, folder: &Path) -> bool {
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    points
        .into_iter()
        .any(|point| Path::new(point).starts_with(folder))
}

fn mount(options: &[&str], at: &Path) -> Outcome {
    let output = Command::new("mount")
        .args(options)
        .arg(at)
        .stdin(Stdio::null())
        .output()?;
    match output.status.success() {
        true => Ok(()),
        false => fail!("{}", String::from_utf8_lossy(&output.stderr).trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::is_mounted;
    use std::path::Path;

    #[test]
    fn mounts_below_a_folder_are_found() {
        let mounts =
            "22 1 0:21 / / rw - ext4 /dev/a rw\n30 22 0:5 / /t/try-here/root/dev rw - devtmpfs udev rw\n";
        assert!(is_mounted(mounts, Path::new("/t/try-here")));
        assert!(is_mounted(mounts, Path::new("/t/try-here/root/dev")));
        assert!(!is_mounted(mounts, Path::new("/t/try")));
    }
}
