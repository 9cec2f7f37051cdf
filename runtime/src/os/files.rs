//! Files that only their owner may access, and the largest file.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::Result;
use std::path::Path;
use std::sync::OnceLock;

/// Returns the size in bytes of the largest file that this process may write (`ulimit -f`). It is not limited where the
/// system has no list of limits in Linux's form.
pub(crate) fn largest() -> u64 {
    static LIMIT: OnceLock<u64> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        soft_limit(&limits, "Max file size").unwrap_or(u64::MAX)
    })
}

/// Returns a limit from Linux's list; `None` if it is unlimited.
fn soft_limit(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|l| l.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Makes a directory and those above it; only its owner has access.
pub(crate) fn make_directory(dir: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    system::only_for_owner_directory(&mut builder);
    builder.recursive(true).create(dir)
}

/// Makes a new file, to which only its owner has access.
pub(crate) fn create(path: &Path) -> Result<File> {
    let mut options = File::options();
    system::only_for_owner(&mut options);
    options.write(true).create_new(true).open(path)
}

pub(crate) use system::{is_same, owner, user, writable_by_others};

#[cfg(unix)]
mod system {
    use super::{DirBuilder, Metadata, OpenOptions};
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};

    pub(super) fn only_for_owner_directory(builder: &mut DirBuilder) {
        builder.mode(0o700);
    }

    pub(super) fn only_for_owner(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    /// Returns the number of the user who owns a file; `None` where the system does not say.
    pub(crate) fn owner(about: &Metadata) -> Option<u32> {
        Some(about.uid())
    }

    /// Returns the effective user of the process, as far as the file system knows it.
    pub(crate) fn user() -> Option<u32> {
        std::fs::metadata("/proc/self").ok().map(|about| about.uid())
    }

    /// Returns the mode of a file if other users may write to it.
    pub(crate) fn writable_by_others(about: &Metadata) -> Option<u32> {
        const OTHERS_WRITE: u32 = 0o022;
        let mode = about.mode() & 0o7777;
        (mode & OTHERS_WRITE != 0).then_some(mode)
    }

    /// Returns whether these are properties of the same file.
    pub(crate) fn is_same(a: &Metadata, b: &Metadata) -> bool {
        (a.dev(), a.ino()) == (b.dev(), b.ino())
    }
}

/// On other systems, the user's folder is private because files inherit its access rights. The standard library tells neither
/// owner nor identity of a file there, so nothing is checked.
#[cfg(not(unix))]
mod system {
    use super::{DirBuilder, Metadata, OpenOptions};

    pub(super) fn only_for_owner_directory(_: &mut DirBuilder) {}

    pub(super) fn only_for_owner(_: &mut OpenOptions) {}

    pub(crate) fn owner(_: &Metadata) -> Option<u32> {
        None
    }

    pub(crate) fn user() -> Option<u32> {
        None
    }

    pub(crate) fn writable_by_others(_: &Metadata) -> Option<u32> {
        None
    }

    pub(crate) fn is_same(_: &Metadata, _: &Metadata) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::soft_limit;

    #[test]
    fn limits_of_the_process_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max cpu time              unlimited            unlimited            seconds   \n\
                      Max file size             4096                 unlimited            bytes     \n";
        assert_eq!(soft_limit(limits, "Max file size"), Some(4096));
        assert_eq!(soft_limit(limits, "Max cpu time"), None);
        assert_eq!(soft_limit("", "Max file size"), None);
    }
}
