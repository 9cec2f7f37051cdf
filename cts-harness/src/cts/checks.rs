//! `--spirv-val` and `--validation`: `spirv-val` checks every SPIR-V module that the driver receives during a
//! sub-test, and every message of the Vulkan validation layer is collected. An invalid module or a message
//! fails the sub-test.
//!
//! Both checks are switched on through Caldera's environment variables. `CALDERA_DUMP` writes the modules
//! exactly as the driver receives them. `CALDERA_LOG=validation=…` logs only the messages of the layer. With
//! checks, each sub-test has its own process and folder, so that every message belongs to exactly one
//! sub-test.

use crate::packages::{SPIRV_TOOLS, VALIDATION_LAYERS};
use crate::{Failure, files, progress};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The largest number of messages that are kept of a sub-test.
const MOST_MESSAGES: usize = 20;

/// The checks of a whole run.
#[derive(Default)]
pub(super) struct Checks {
    pub(super) validation: bool,
    pub(super) spirv_val: bool,
    /// The validator's message about each module that it has seen, or `None` for a valid module, by the
    /// module's hash.
    modules: Mutex<HashMap<u64, Option<String>>>,
}

impl Checks {
    /// Returns the checks of a run, or an error if the platform or a missing package does not allow them.
    pub(super) fn new(validation: bool, spirv_val: bool, ours: bool) -> Result<Checks, Failure> {
        if (validation || spirv_val) && !ours {
            return fail!(
                "--validation and --spirv-val work with Caldera only: they are switched on through its environment"
            );
        }
        for (wanted, need) in [(validation, &VALIDATION_LAYERS), (spirv_val, &SPIRV_TOOLS)] {
            if wanted && !(need.found)() {
                return fail!("{} is missing: apt-get install {}", need.what, need.package);
            }
        }
        Ok(Checks {
            validation,
            spirv_val,
            modules: Mutex::default(),
        })
    }

    pub(super) fn any(&self) -> bool {
        self.validation || self.spirv_val
    }

    /// Returns the names of the checks as they are appended to the mode of a run.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        for (on, word) in [(self.validation, " validation"), (self.spirv_val, " spirv-val")] {
            words += if on { word } else { "" };
        }
        words
    }

    /// Returns the environment that switches the checks on. The modules are written to the folder `dump`.
    pub(super) fn environment(&self, dump: &Path) -> Vec<(&'static str, OsString)> {
        let mut all = Vec::new();
        if self.validation {
            all.push(("CALDERA_VALIDATION", "1".into()));
            all.push(("CALDERA_LOG", "validation=warn".into()));
        }
        if self.spirv_val {
            all.push(("CALDERA_DUMP", dump.into()));
        }
        all
    }

    /// Makes a process write its messages and modules into its own folder.
    pub(super) fn prepare(&self, command: &mut Command, folder: &Path) -> Result<(), Failure> {
        if !self.any() {
            return Ok(());
        }
        std::fs::create_dir_all(folder)?;
        let folder = std::path::absolute(folder)?;
        // A program from the cache of an earlier process would not be compiled, and so its modules would not
        // be checked.
        command.env("CALDERA_CACHE", "off");
        command.envs(self.environment(&folder));
        if self.validation {
            command.env("CALDERA_LOG_FILE", folder.join("validation.log"));
        }
        Ok(())
    }

    /// Returns the complaints about a process that has ended, and removes its folder. Invalid modules are
    /// copied into `keep`.
    pub(super) fn messages(&self, folder: &Path, keep: &Path) -> Result<Vec<String>, Failure> {
        let mut all = Vec::new();
        if self.validation {
            let log = std::fs::read(folder.join("validation.log")).unwrap_or_default();
            all.extend(layer_messages(&String::from_utf8_lossy(&log)));
        }
        if self.spirv_val {
            for module in files::entries(&folder.join("modules")) {
                all.extend(self.validate(&module, keep)?);
            }
        }
        if self.any() {
            let _ = std::fs::remove_dir_all(folder);
        }
        all.truncate(MOST_MESSAGES);
        Ok(all)
    }

    /// Reports how many modules were checked after `ran` sub-tests. It warns if there were none, because this
    /// suggests a mistake.
    pub(super) fn report(&self, ran: usize) {
        if !self.spirv_val || ran == 0 {
            return;
        }
        match self.modules.lock().len() {
            0 => progress::warning(
                "no module reached spirv-val: these sub-tests have no kernels, or the library is too old",
            ),
            n => say!("spirv-val: {n} different modules"),
        }
    }

    fn validate(&self, module: &Path, keep: &Path) -> Result<Option<String>, Failure> {
        let bytes = std::fs::read(module)?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = self.modules.lock().get(&hash) {
            return Ok(known.clone());
        }
        let mut verdict = spirv_val(&bytes)?;
        if let Some(message) = &mut verdict {
            std::fs::create_dir_all(keep)?;
            let name = format!("{hash:016x}.spv");
            std::fs::write(keep.join(&name), &bytes)?;
            *message = format!("spirv-val: modules/{name}: {message}");
        }
        self.modules.lock().insert(hash, verdict.clone());
        Ok(verdict)
    }
}

/// Returns the messages of the validation layer in Caldera's log.
fn layer_messages(log: &str) -> impl Iterator<Item = String> + '_ {
    // A line reads «caldera 0.001 ERROR validation: …». Only the first line of a message is taken.
    log.lines()
        .filter_map(|l| l.split_once(" validation: "))
        .map(|(_, message)| format!("validation layer: {message}"))
}

/// Returns the `--target-env` for a module: the oldest Vulkan version that supports the module's SPIR-V
/// version.
fn environment(bytes: &[u8]) -> &'static str {
    match bytes.get(5) {
        Some(0..=3) | None => "vulkan1.1",
        Some(4) => "vulkan1.1spv1.4",
        Some(5) => "vulkan1.2",
        Some(6..) => "vulkan1.3",
    }
}

/// Returns the validator's message about a module, or `None` if the module is valid.
fn spirv_val(bytes: &[u8]) -> Result<Option<String>, Failure> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", environment(bytes), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // The validator may stop reading early. Its output then says why.
        let _ = input.write_all(bytes);
    }
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(None);
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find(|l| !l.trim().is_empty());
    Ok(Some(line.unwrap_or("it says nothing").trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_layer_is_quoted() {
        let log = "caldera 0.1 ERROR validation: VUID-x\ncontinued\ncaldera 0.2 WARN  vk: other\n";
        let all: Vec<String> = layer_messages(log).collect();
        assert_eq!(all, ["validation layer: VUID-x"]);
    }

    #[test]
    fn a_foreign_platform_cannot_be_checked() {
        assert!(Checks::new(true, false, false).is_err());
        assert!(Checks::new(false, false, false).is_ok());
    }

    /// A shader that does nothing is valid, and is invalid without its last instruction.
    #[test]
    fn the_validator_is_asked() {
        let inst = |opcode: u32, operands: &[u32]| {
            let mut words = vec![(operands.len() as u32 + 1) << 16 | opcode];
            words.extend(operands);
            words
        };
        let main = u32::from_le_bytes(*b"main");
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 10, 0];
        words.extend(inst(17, &[1])); // OpCapability Shader
        words.extend(inst(14, &[0, 1])); // OpMemoryModel Logical GLSL450
        words.extend(inst(15, &[5, 1, main, 0])); // OpEntryPoint GLCompute %1 "main"
        words.extend(inst(16, &[1, 17, 1, 1, 1])); // OpExecutionMode %1 LocalSize 1 1 1
        words.extend(inst(19, &[2])); // %2 = OpTypeVoid
        words.extend(inst(33, &[3, 2])); // %3 = OpTypeFunction %2
        words.extend(inst(54, &[2, 1, 0, 3])); // %1 = OpFunction %2 None %3
        words.extend(inst(248, &[4])); // %4 = OpLabel
        words.extend(inst(253, &[])); // OpReturn
        words.extend(inst(56, &[])); // OpFunctionEnd
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(spirv_val(&bytes).unwrap(), None);
        assert!(spirv_val(&bytes[..bytes.len() - 4]).unwrap().is_some());
    }
}
