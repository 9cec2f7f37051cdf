//! What changed between two runs.

use super::{fail, results};
use crate::{Outcome, progress};
use std::path::Path;

/// Prints the differences. Runs on different platforms are compared with a line that says so; the same platform
/// and device with different drivers is refused, because such a difference is nobody's regression.
pub(super) fn compare(before: &Path, after: &Path) -> Outcome {
    let (a, b) = (results::read_identity(before)?, results::read_identity(after)?);
    if a.platform == b.platform && a.device == b.device && a.driver != b.driver {
        return fail(format!("the drivers differ: {} and {}", a.driver, b.driver));
    }
    if a != b {
        progress::line(&format!(
            "{} on {}  against  {} on {}",
            a.platform, a.device, b.platform, b.device
        ));
    }
    let (old, new) = (results::read(before)?, results::read(after)?);
    let mut changes = 0;
    for (name, record) in &new {
        let was = old.get(name).map(|r| r.status);
        if was != Some(record.status) {
            changes += 1;
            progress::line(&format!(
                "{name}: {} -> {}",
                was.map_or("none", results::Status::word),
                record.status.word()
            ));
        }
    }
    for name in old.keys().filter(|n| !new.contains_key(*n)) {
        changes += 1;
        progress::line(&format!("{name}: no longer run"));
    }
    progress::line(&format!("{changes} changes"));
    Ok(())
}
