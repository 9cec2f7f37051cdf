//! One platform of a campaign: starts its child processes and finds out how each program ended on it.

use super::Limits;
use super::execute::Described;
use super::spirv::{self, Recipe, Route};
use crate::child::{self, End};
use crate::cl::{Location, Signature, locate, with_variables};
use crate::{Failure, progress};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The name of the variable in a platform's description that says how it gets its programs as SPIR-V.
pub(super) const SPIRV: &str = "spirv";

/// A platform on which the campaign runs its programs.
#[derive(Clone)]
pub(crate) struct Side {
    pub(crate) name: String,
    place: Location,
    environment: Vec<(String, String)>,
    /// How the platform gets its programs as SPIR-V; `None` if it gets the source.
    spirv: Option<Route>,
    /// The size of sub-groups in the plain form of programs, if it runs that form.
    plain: Option<String>,
    /// Build options beside those of each program.
    options: Option<String>,
    /// The limits of its child processes.
    pub(crate) limits: Limits,
}

/// How a program ended on one platform.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(tag = "end", rename_all = "lowercase")]
pub(super) enum Ending {
    /// The program ran. `build` and `run` are the seconds that the build and the launches took.
    Done {
        hash: String,
        build: f64,
        run: f64,
    },
    /// An OpenCL function returned an error.
    Refused {
        why: String,
    },
    /// The program could not be made SPIR-V, or the platform refuses a module that is not valid.
    Untranslated {
        why: String,
    },
    /// The process was ended by a signal, aborted, or exited with an error.
    Crash {
        phase: String,
        why: String,
    },
    Timeout {
        phase: String,
    },
}

impl Ending {
    /// Returns the hash of the results, if the program finished.
    pub(super) fn hash(&self) -> Option<&str> {
        match self {
            Ending::Done { hash, .. } => Some(hash),
            Ending::Refused { .. }
            | Ending::Untranslated { .. }
            | Ending::Crash { .. }
            | Ending::Timeout { .. } => None,
        }
    }

    /// Returns the ending in words: the hash of the results, or the kind of failure and its reason.
    pub(super) fn text(&self) -> String {
        match self {
            Ending::Done { hash, .. } => hash.clone(),
            Ending::Refused { why } => format!("refused: {why}"),
            Ending::Untranslated { why } => format!("not translated: {why}"),
            Ending::Crash { phase, why } => format!("crash in {phase}: {why}"),
            Ending::Timeout { phase } => format!("time-out in {phase}"),
        }
    }
}

impl Side {
    /// Finds the platform that `NAME[,VARIABLE=VALUE…]` describes: `NAME` as `bench` understands it, and
    /// variables for the environment of its child processes. Three are none of them: `spirv` says how the platform gets its
    /// programs as SPIR-V, `plain=N` asks for the plain form of programs, and `options` has build options beside those of each program.
    pub(crate) fn find(text: &str, limits: &Limits) -> Result<Side, Failure> {
        let (name, mut environment) = with_variables(text)?;
        let mut take = |wanted: &str| {
            let at = environment.iter().position(|(variable, _)| variable == wanted);
            at.map(|at| environment.remove(at).1)
        };
        let plain = take("plain");
        let options = take("options");
        let spirv = match take(SPIRV) {
            Some(route) => Some(route.parse()?),
            None => None,
        };
        if spirv.is_some() {
            spirv::check_tools()?;
        }
        let place = locate(name, None)?;
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        Ok(Side {
            name: match spirv {
                Some(_) => format!("{stem}-{SPIRV}"),
                None => stem.into_owned(),
            },
            place,
            environment,
            spirv,
            plain,
            options,
            limits: limits.clone(),
        })
    }

    /// Returns Oclgrind as a platform. Oclgrind writes its findings to `log`. The library is found relative
    /// to the program `oclgrind` on the PATH.
    pub(super) fn oclgrind(log: &Path, limits: &Limits) -> Result<Side, Failure> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let library = std::env::split_paths(&path)
            .map(|bin| bin.join("../lib/oclgrind/liboclgrind-rt-icd.so"))
            .find(|l| l.exists());
        let library = library.ok_or_else(|| failure!("Oclgrind is missing: apt-get install oclgrind"))?;
        let mut side = Side::find(&library.to_string_lossy(), limits)?;
        let log = log.display().to_string();
        for (name, value) in [
            ("OCLGRIND_DATA_RACES", "1"),
            ("OCLGRIND_UNINITIALIZED", "1"),
            ("OCLGRIND_MAX_ERRORS", "3"),
            ("OCLGRIND_LOG", &log),
        ] {
            side.environment.push((name.into(), value.into()));
        }
        side.name = "oclgrind".into();
        // Oclgrind has no later version of OpenCL C.
        side.plain = Some("8".into());
        Ok(side)
    }

    /// Returns whether the platform gets its programs as SPIR-V.
    pub(crate) fn gets_spirv(&self) -> bool {
        self.spirv.is_some()
    }

    /// Returns how a program is made SPIR-V for this platform, or `None` if the platform gets its source.
    pub(super) fn recipe(&self, program: &Path) -> Result<Option<Recipe>, Failure> {
        self.spirv.as_ref().map(|route| route.recipe(program)).transpose()
    }

    /// Asks a child process to describe the platform's device.
    pub(super) fn device(&self, scratch: &Path) -> Result<Described, Failure> {
        let log = scratch.join("device.log");
        let mut said = None;
        let time = child::Limits::time(Duration::from_secs(120));
        let report = child::follow(&mut self.command(scratch)?, &log, time, &mut |line| {
            said = line
                .strip_prefix("device ")
                .and_then(|d| serde_json::from_str(d).ok())
                .or(said.take());
            false
        })?;
        let text = std::fs::read_to_string(log)?;
        said.ok_or_else(|| failure!("{} has no device ({:?}): {}", self.name, report.end, text.trim()))
    }

    /// Returns the signatures of a program's kernels; none if the platform does not build the program.
    pub(super) fn signatures(&self, program: &Path, scratch: &Path) -> Result<Vec<Signature>, Failure> {
        let mut found = Vec::new();
        self.ask("--signatures", program, scratch, &mut |line| {
            let signature = line.strip_prefix("kernel ");
            found.extend(signature.and_then(|s| serde_json::from_str(s).ok()));
        })?;
        Ok(found)
    }

    /// Returns the 64-bit words of a program's results, each with the index of its memory object among the
    /// results; none if the program does not finish.
    pub(super) fn words(&self, program: &Path, scratch: &Path) -> Result<Vec<(usize, u64)>, Failure> {
        let mut found = Vec::new();
        self.ask("--words", program, scratch, &mut |line| {
            let mut parts = line.strip_prefix("word ").into_iter().flat_map(|l| l.split(' '));
            if let (Some(memory), Some(_), Some(word)) = (parts.next(), parts.next(), parts.next())
                && let (Ok(memory), Ok(word)) = (memory.parse(), u64::from_str_radix(word, 16))
            {
                found.push((memory, word));
            }
        })?;
        Ok(found)
    }

    /// Runs one program with an option of the child process, and passes each line of the child's output to
    /// `take`.
    fn ask(
        &self,
        option: &str,
        program: &Path,
        scratch: &Path,
        take: &mut dyn FnMut(&str),
    ) -> Result<(), Failure> {
        let log = scratch.join(format!("{}.log", self.name));
        let mut command = self.command(scratch)?;
        command.arg(option).arg(program);
        let report = child::follow(&mut command, &log, self.limits.of_child(), &mut |line| {
            take(line);
            false
        })?;
        match report.end {
            End::Interrupted => fail!("interrupted; the next run goes on from here"),
            End::Code(_) | End::Signal(_) | End::Timeout | End::Flood => Ok(()),
        }
    }

    fn command(&self, scratch: &Path) -> Result<Command, Failure> {
        let program = self.limits.child.clone().map_or_else(std::env::current_exe, Ok)?;
        let mut command = Command::new(program);
        command.args(["campaign", "run"]);
        self.prepare(&mut command, scratch);
        if let Some(route) = &self.spirv {
            command.args(["--spirv", &route.to_string()]);
        }
        if let Some(size) = &self.plain {
            command.args(["--plain", size]);
        }
        if let Some(options) = &self.options {
            command.arg(format!("--options={options}"));
        }
        Ok(command)
    }

    /// Adds to a command of a child process the arguments that name the device, and the environment.
    pub(crate) fn prepare(&self, command: &mut Command, scratch: &Path) {
        command
            .args(self.place.arguments())
            // Disable the caches of compiled programs: each program must be compiled, and nothing may be
            // left behind.
            .envs([
                ("CALDERA_CACHE", "off"),
                ("CUDA_CACHE_DISABLE", "1"),
                ("POCL_KERNEL_CACHE", "0"),
            ])
            .env("POCL_CACHE_DIR", scratch.join("pocl"))
            .env("TMPDIR", scratch)
            .envs(self.environment.iter().cloned());
    }

    /// Runs the programs and returns their endings in the same order. A child process runs programs until it
    /// crashes or is killed; the next child process continues with the program after the one that was
    /// running.
    pub(super) fn run(
        &self,
        programs: &[PathBuf],
        launch: Option<&Path>,
        scratch: &Path,
    ) -> Result<Vec<Ending>, Failure> {
        let mut ends: Vec<Ending> = Vec::new();
        while ends.len() < programs.len() {
            let left = &programs[ends.len()..];
            let log = scratch.join(format!("{}.log", self.name));
            let mut command = self.command(scratch)?;
            if let Some(file) = launch {
                command.arg("--launch").arg(file);
            }
            command.args(left);
            let mut child = Follower::default();
            let report = child::follow(&mut command, &log, self.limits.of_child(), &mut |l| child.line(l))?;
            let progressed = !child.ends.is_empty();
            ends.append(&mut child.ends);
            if progressed && child.phase.is_empty() && report.end != End::Interrupted {
                if report.end != End::Code(0) {
                    progress::warning(&format!("{} after its work: {}", self.name, report.end));
                }
                continue;
            }
            let phase = if child.phase.is_empty() {
                "start".into()
            } else {
                child.phase
            };
            ends.push(match report.end {
                End::Interrupted => return fail!("interrupted; the next run goes on from here"),
                End::Timeout if phase == TRANSLATION => Ending::Untranslated {
                    why: "time-out".into(),
                },
                End::Timeout => Ending::Timeout { phase },
                End::Flood => Ending::Crash {
                    phase,
                    why: report.end.to_string(),
                },
                end => Ending::Crash {
                    phase,
                    why: format!("{end}: {}", child.last),
                },
            });
        }
        Ok(ends)
    }
}

/// Renames platforms that have the same name, so that all names differ.
pub(crate) fn distinct(mut sides: Vec<Side>) -> Vec<Side> {
    for n in 1..sides.len() {
        if sides[..n].iter().any(|s| s.name == sides[n].name) {
            sides[n].name += &format!("-{}", n + 1);
        }
    }
    sides
}

/// The phase of a child process in which it makes SPIR-V of a program.
const TRANSLATION: &str = "translation";

/// The state of a child process, as far as its output tells.
#[derive(Default)]
struct Follower {
    ends: Vec<Ending>,
    /// What the child is doing: a step of the current program. It is empty between programs.
    phase: String,
    build: f64,
    /// The last line of output that is not part of the protocol.
    last: String,
}

impl Follower {
    /// Interprets a line of the child's output. Returns whether a new program starts with this line, so that
    /// its time limit starts again.
    fn line(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "begin" => self.phase = "build".into(),
            "translating" if self.phase == "build" => self.phase = TRANSLATION.into(),
            "translated" if self.phase == TRANSLATION => self.phase = "build".into(),
            "untranslated" if !self.phase.is_empty() => {
                self.end(Ending::Untranslated { why: rest.to_owned() });
            }
            "built" if self.phase == "build" => {
                self.build = rest.parse().unwrap_or(0.0);
                self.phase = "launch".into();
            }
            "done" if self.phase == "launch" => {
                let (seconds, hash) = rest.split_once(' ').unwrap_or(("", rest));
                self.end(Ending::Done {
                    hash: hash.to_owned(),
                    build: self.build,
                    run: seconds.parse().unwrap_or(0.0),
                });
            }
            "refused" if !self.phase.is_empty() => self.end(Ending::Refused { why: rest.to_owned() }),
            _ if line.trim().is_empty() => {}
            _ => self.last = line.chars().take(300).collect(),
        }
        word == "begin"
    }

    fn end(&mut self, end: Ending) {
        self.ends.push(end);
        self.phase.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_child() {
        let mut f = Follower::default();
        let words = "begin 0\nbuilt 1.5\ndone 0.25 00ff\nbegin 1\nrefused clBuildProgram gave -11\nbegin 2\ntranslating\nuntranslated clang-15: no\nbegin 3\ntranslating\ntranslated\nbuilt 0.1\nthread panicked";
        let begun = words.lines().filter(|l| f.line(l)).count();
        let done = Ending::Done {
            hash: "00ff".into(),
            build: 1.5,
            run: 0.25,
        };
        let refused = Ending::Refused {
            why: "clBuildProgram gave -11".into(),
        };
        let untranslated = Ending::Untranslated {
            why: "clang-15: no".into(),
        };
        assert_eq!((begun, &f.ends[..]), (4, &[done, refused, untranslated][..]));
        assert_eq!((f.phase.as_str(), f.last.as_str()), ("launch", "thread panicked"));
    }

    #[test]
    fn the_plain_form_and_build_options_are_no_variables() {
        let limits = Limits {
            timeout: 1,
            memory: 1,
            child: None,
        };
        let side = Side::find(
            "/fake/lib.so,plain=16,options=-cl-fast-relaxed-math -DN=1,A=B",
            &limits,
        )
        .unwrap();
        assert_eq!(side.plain.as_deref(), Some("16"));
        assert_eq!(side.options.as_deref(), Some("-cl-fast-relaxed-math -DN=1"));
        assert_eq!(side.environment, [("A".to_owned(), "B".to_owned())]);
    }
}
