//! Programs that try out an installed package.

use super::products::package_dir;
use crate::files::{fresh, read, write};
use crate::{Outcome, artifacts, progress};
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

/// The program that the offline compilers of two processors compile.
const KERNEL: &str = "\
kernel void scale(global float4 *data, float factor, global const uchar *map, uint count) {
    size_t i = get_global_id(0);
    if (map[i] < count) data[i] = native_sqrt(data[map[i]] * factor) + convert_float4(as_int4(data[i]) >> 3);
}
";

/// Compiles a program with `calderac`, and checks that the module has the same bytes as that of this machine's compiler.
pub(super) fn same_modules(mut calderac: Command) -> Outcome {
    let folder = package_dir().join("try-modules");
    fresh(&folder)?;
    let source = folder.join("scale.cl");
    write(&source, KERNEL)?;
    let compile = |name: &str, calderac: &mut Command| {
        let module = folder.join(name);
        progress::quiet("compiling a kernel", calderac.arg(&source).arg("-o").arg(&module))?;
        read(&module)
    };
    let own = compile("own.spv", &mut Command::new(artifacts::build_debug_calderac()?))?;
    let other = compile("other.spv", &mut calderac)?;
    match own == other {
        true => Ok(()),
        false => fail!("the modules of both compilers differ: {}", folder.display()),
    }
}
