//! Programs that try out an installed package.

use crate::Outcome;
use std::ffi::OsStr;
use std::process::Command;

/// Variables of the harness's own environment that would change what an installed Caldera does, or where it is found.
const VARIABLES: [&str; 5] = [
    "CALDERA_CACHE",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "OCL_ICD_FILENAMES",
    "OCL_ICD_VENDORS",
];

/// Returns a command that runs as on a machine where no variable helps to find Caldera.
pub(super) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command
}

/// Runs `clinfo -l` and checks whether it lists a device of Caldera.
pub(super) fn clinfo(command: &mut Command, expected: bool) -> Outcome {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text
        .lines()
        .skip_while(|l| !(l.contains("Platform") && l.contains("Caldera")));
    let device = lines.nth(1).filter(|l| l.contains("Device"));
    match (device, expected) {
        (Some(device), true) => say!("clinfo finds {}", device.trim_start_matches([' ', '`', '-'])),
        (None, false) => say!("clinfo finds no device of Caldera, as expected"),
        _ => {
            return fail!(
                "clinfo prints\n{text}{}, and a device of Caldera was {}expected",
                String::from_utf8_lossy(&output.stderr),
                if expected { "" } else { "not " }
            );
        }
    }
    Ok(())
}
