//! `--spirv-val` and `--validation`: every module that a sub-test gives to the driver goes through SPIR-V's
//! validator, every message of the Vulkan validation layer is caught, and either fails the sub-test.
//!
//! Both work through Caldera's environment: `CALDERA_DUMP` writes the modules exactly as the driver gets them, and
//! `CALDERA_LOG=validation=…` logs nothing but the layer's messages. Each sub-test has a process and a folder of its
//! own then, so that a message has one owner.

use super::fail;
use crate::packages::{SPIRV_TOOLS, VALIDATION_LAYERS};
use crate::{Failure, progress};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Messages that are kept of a sub-test.
const MOST_MESSAGES: usize = 20;

/// What is checked in a whole run.
#[derive(Default)]
pub(super) struct Checks {
    pub(super) validation: bool,
    pub(super) spirv_val: bool,
    /// What the validator said about each module so far, by the module's hash.
    modules: Mutex<HashMap<u64, Option<String>>>,
}

impl Checks {
    /// Checks that what is asked for can be had.
    pub(super) fn new(validation: bool, spirv_val: bool, ours: bool) -> Result<Checks, Failure> {
        if (validation || spirv_val) && !ours {
            return fail(
                "--validation and --spirv-val work with Caldera only: they are switched on through its environment",
            );
        }
        for (wanted, need) in [(validation, &VALIDATION_LAYERS), (spirv_val, &SPIRV_TOOLS)] {
            if wanted && !(need.found)() {
                return fail(format!(
                    "{} is missing: apt-get install {}",
                    need.what, need.package
                ));
            }
        }
        Ok(Checks {
            validation,
            spirv_val,
            modules: Mutex::default(),
        })
    }

    /// Whether anything is checked.
    pub(super) fn any(&self) -> bool {
        self.validation || self.spirv_val
    }

    /// As it stands in a run's mode.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        for (on, word) in [(self.validation, " validation"), (self.spirv_val, " spirv-val")] {
            words += if on { word } else { "" };
        }
        words
    }

    /// The environment that shows a person what is checked: messages among the output, modules in a folder.
    pub(super) fn by_hand(&self) -> Vec<(&'static str, &'static str)> {
        let mut all = Vec::new();
        if self.validation {
            all.extend([("CALDERA_VALIDATION", "1"), ("CALDERA_LOG", "validation=warn")]);
        }
        if self.spirv_val {
            all.push(("CALDERA_DUMP", "dump"));
        }
        all
    }

    /// Points a process at a folder of its own.
    pub(super) fn prepare(&self, command: &mut Command, folder: &Path) -> Result<(), Failure> {
        if !self.any() {
            return Ok(());
        }
        std::fs::create_dir_all(folder)?;
        let folder = std::path::absolute(folder)?;
        // What an earlier process has left must not spare this one its messages.
        command.env("CALDERA_CACHE", "off");
        if self.validation {
            command
                .env("CALDERA_VALIDATION", "1")
                .env("CALDERA_LOG", "validation=warn")
                .env("CALDERA_LOG_FILE", folder.join("validation.log"));
        }
        if self.spirv_val {
            command.env("CALDERA_DUMP", &folder);
        }
        Ok(())
    }

    /// What there is to complain about after a process; `keep` is where modules that are not valid are put. The
    /// folder is removed.
    pub(super) fn messages(&self, folder: &Path, keep: &Path) -> Result<Vec<String>, Failure> {
        let mut all = Vec::new();
        if self.validation {
            let log = std::fs::read(folder.join("validation.log")).unwrap_or_default();
            all.extend(layer_messages(&String::from_utf8_lossy(&log)));
        }
        if self.spirv_val {
            for module in modules(&folder.join("modules")) {
                all.extend(self.validate(&module, keep)?);
            }
        }
        if self.any() {
            let _ = std::fs::remove_dir_all(folder);
        }
        all.truncate(MOST_MESSAGES);
        Ok(all)
    }

    /// Says how much was checked after a run of some sub-tests; nothing at all is suspicious.
    pub(super) fn report(&self, ran: usize) {
        if !self.spirv_val || ran == 0 {
            return;
        }
        match self.seen().len() {
            0 => progress::warning(
                "no module reached spirv-val: these sub-tests have no kernels, or the library is too old",
            ),
            n => progress::line(&format!("spirv-val: {n} different modules")),
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Option<String>>> {
        self.modules
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn validate(&self, module: &Path, keep: &Path) -> Result<Option<String>, Failure> {
        let bytes = std::fs::read(module)?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = self.seen().get(&hash) {
            return Ok(known.clone());
        }
        let mut verdict = spirv_val(&bytes)?;
        if let Some(message) = &mut verdict {
            std::fs::create_dir_all(keep)?;
            let name = format!("{hash:016x}.spv");
            std::fs::write(keep.join(&name), &bytes)?;
            *message = format!("spirv-val: modules/{name}: {message}");
        }
        self.seen().insert(hash, verdict.clone());
        Ok(verdict)
    }
}

/// The messages in Caldera's log.
fn layer_messages(log: &str) -> impl Iterator<Item = String> + '_ {
    // «caldera 0.001 ERROR validation: …»; a message may have several lines.
    log.lines()
        .filter_map(|l| l.split_once(" validation: "))
        .map(|(_, message)| format!("validation layer: {message}"))
}

fn modules(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    all.sort();
    all
}

/// The Vulkan version whose rules a module must keep: the oldest that has its version of SPIR-V.
fn environment(bytes: &[u8]) -> &'static str {
    match bytes.get(5) {
        Some(0..=3) | None => "vulkan1.1",
        Some(4) => "vulkan1.1spv1.4",
        Some(5) => "vulkan1.2",
        Some(6..) => "vulkan1.3",
    }
}

/// What the validator says against a module.
fn spirv_val(bytes: &[u8]) -> Result<Option<String>, Failure> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", environment(bytes), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A validator that stops reading early says why.
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

    /// A shader that does nothing is valid; without its last instruction it is not.
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
