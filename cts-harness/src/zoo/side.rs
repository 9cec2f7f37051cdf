//! A platform, and the runs of programs on it.

use super::report::{self, Report};
use crate::app::{App, Place, Verdict};
use crate::cl;
use crate::expectations::Status;
use crate::{Failure, artifacts, files, progress};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folders and the layer of all platforms.
pub(super) struct Folders<'a> {
    pub(super) out: PathBuf,
    pub(super) layer: PathBuf,
    pub(super) manifest: &'a Path,
}

pub(super) struct Side {
    pub(super) name: String,
    place: Place,
    /// The folder of the platform's outputs.
    folder: PathBuf,
    /// The folder of all kernel sources.
    sources: PathBuf,
}

#[derive(Clone)]
pub(super) struct Run {
    /// `Pass`, or how the program failed.
    pub(super) status: Status,
    /// The reason why it did not pass; empty if it did.
    pub(super) why: String,
    pub(super) seconds: f64,
    pub(super) report: Report,
}

impl Run {
    pub(super) fn is_good(&self) -> bool {
        self.status == Status::Pass
    }
}

impl Side {
    /// Finds the platform that `NAME[,VARIABLE=VALUE…]` describes. Programs find it through the loader, which loads its
    /// library only.
    ///
    /// `at` is its number on the command line.
    pub(super) fn new(
        text: &str,
        at: usize,
        folders: &Folders<'_>,
        timeout: Option<u64>,
    ) -> Result<Side, Failure> {
        let (name, variables) = cl::with_variables(text)?;
        let library = cl::locate(name, None)?.library().to_owned();
        let library = match Path::new(&library).canonicalize() {
            Ok(path) if library.contains('/') => path.display().to_string(),
            _ => library,
        };
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        let name = stem.trim_start_matches("lib").to_owned();
        let folder = folders.out.join(format!("{at}-{stem}"));
        let vendors = artifacts::icd_vendors(&folder.join("vendors"), &library)?;
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("OCL_ICD_VENDORS".into(), vendors.into()),
            ("OPENCL_LAYERS".into(), folders.layer.clone().into()),
        ];
        environment.extend(variables.into_iter().map(|(n, v)| (n.into(), v.into())));
        let here = folders.manifest.parent().filter(|p| !p.as_os_str().is_empty());
        let here = here.unwrap_or(Path::new(".")).canonicalize()?;
        let paths = BTreeMap::from([("here".to_owned(), here)]);
        let sources = folders.out.join("sources");
        std::fs::create_dir_all(&sources)?;
        Ok(Side {
            name,
            place: Place::with(environment, &folder, paths, timeout)?,
            folder,
            sources,
        })
    }

    /// Runs a program; `None` if the run was interrupted.
    pub(super) fn run(&self, program: &App, repetition: u32) -> Result<Option<Run>, Failure> {
        let folder = self
            .folder
            .join("layer")
            .join(&program.name)
            .join(repetition.to_string());
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let out = [(OsString::from("CALDERA_LAYER_OUT"), folder.clone().into())];
        let Some((verdict, time)) = self.place.run(program, &out)? else {
            return Ok(None);
        };
        let report = report::read(&folder)?;
        self.move_sources(&folder)?;
        let status = worst(&verdict);
        if repetition == 0 && status == Status::Pass {
            self.warn(program, &report);
        }
        Ok(Some(Run {
            status,
            why: verdict.why.unwrap_or_default(),
            seconds: time.as_secs_f64(),
            report,
        }))
    }

    fn move_sources(&self, folder: &Path) -> Result<(), Failure> {
        for path in files::with_extension(folder, "cl") {
            let name = path.file_name().unwrap_or_default();
            std::fs::rename(&path, self.sources.join(name))?;
        }
        Ok(())
    }

    fn warn(&self, program: &App, report: &Report) {
        let name = &program.name;
        match &report.device {
            None => progress::warning(&format!(
                "{name} on {}: the layer saw no launch. Does the program use a loader that has OPENCL_LAYERS?",
                self.name
            )),
            Some(_) if report.untimed > 0 => {
                progress::warning(&format!(
                    "{name} on {}: {} launches have no times",
                    self.name, report.untimed
                ));
            }
            Some(_) => {}
        }
    }
}

/// Returns the worst result of a program and of its own checks; the checks that a program skips count as passed.
fn worst(verdict: &Verdict) -> Status {
    let bad = verdict.checks.values().copied().filter(|s| s.is_bad()).max();
    bad.unwrap_or(Status::Pass)
}
