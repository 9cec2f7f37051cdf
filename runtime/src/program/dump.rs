//! `CALDERA_DUMP`: writes the input of each compilation and link, the output of each stage of the compiler, and the modules
//! that drivers get.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use caldera_compiler::{Dump, Observer, Stage, Unobserved};

use crate::config::config;

/// Writes the stages of one step, compiling or linking, into a directory of its own.
struct Dumper {
    dir: PathBuf,
    files: u32,
}

/// Runs one step of the compiler on `inputs`, which have names and contents. With `CALDERA_DUMP` the inputs, the
/// options and the results of all stages are written.
pub(super) fn observed<T>(
    inputs: &[(&str, &[u8])],
    options: &str,
    step: impl FnOnce(&mut dyn Observer) -> T,
) -> T {
    match &config().dump {
        Some(root) => step(&mut Dumper::new(root, inputs, options)),
        None => step(&mut Unobserved),
    }
}

impl Dumper {
    /// Makes the directory, named by a hash of inputs and options, and writes both into it.
    fn new(root: &Path, inputs: &[(&str, &[u8])], options: &str) -> Dumper {
        let mut hash = DefaultHasher::new();
        (inputs, options).hash(&mut hash);
        let dumper = Dumper {
            dir: root.join(format!("{:016x}", hash.finish())),
            files: 0,
        };
        if let Err(e) = std::fs::create_dir_all(&dumper.dir) {
            log::error!(target: "program", "CALDERA_DUMP: {}: {e}", dumper.dir.display());
        }
        let mut command = format!("calderac {options}");
        for (name, contents) in inputs {
            dumper.write(name, contents);
            command.push(' ');
            command.push_str(name);
        }
        command.push('\n');
        dumper.write("cmdline.txt", command.as_bytes());
        dumper
    }

    /// Writes a file. If that fails, a line is logged and the build continues.
    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.dir.join(name);
        if let Err(e) = std::fs::write(&path, bytes) {
            log::error!(target: "program", "CALDERA_DUMP: {}: {e}", path.display());
        }
    }
}

/// Writes a module exactly as the driver gets it, to a file named by its hash.
pub(crate) fn module(words: &[u32]) {
    let Some(root) = &config().dump else { return };
    let dir = root.join("modules");
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut hash = DefaultHasher::new();
    words.hash(&mut hash);
    let path = dir.join(format!("{:016x}.spv", hash.finish()));
    if let Err(e) = std::fs::create_dir_all(&dir).and_then(|()| std::fs::write(&path, bytes)) {
        log::error!(target: "program", "CALDERA_DUMP: {}: {e}", path.display());
    }
}

impl Observer for Dumper {
    fn wants(&self, _: Stage) -> bool {
        true
    }

    fn dump(&mut self, stage: Stage, name: &str, dump: Dump) {
        let (extension, bytes) = match dump {
            Dump::Text(text) => (if name == "pp" { "cl" } else { "txt" }, text.into_bytes()),
            Dump::Words(words) => ("spv", words.iter().flat_map(|w| w.to_le_bytes()).collect()),
        };
        let file = format!("{:02}-{}-{name}.{extension}", self.files, stage.name());
        self.files += 1;
        self.write(&file, &bytes);
    }

    fn time(&mut self, stage: Stage, pass: Option<&'static str>, time: Duration) {
        if pass.is_none() {
            log::debug!(target: "program", "{}: {time:?}", stage.name());
        }
    }
}
