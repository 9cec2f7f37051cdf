//! The surroundings in which applications run: the selected device, their folders, and their limits.

use super::judge::{self, Verdict};
use super::table::App;
use super::{Way, directory};
use crate::child::{self, End, Limits};
use crate::cts::Target;
use crate::{Failure, artifacts};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A device, and the settings of a run.
pub(crate) struct Place {
    /// The environment variables that make an application use the device.
    environment: Vec<(OsString, OsString)>,
    platform: String,
    device: String,
    /// The folder for the outputs and the applications' own folders.
    out: PathBuf,
    paths: BTreeMap<String, PathBuf>,
    /// The time limit in seconds, instead of the limits in the table.
    timeout: Option<u64>,
}

impl Place {
    pub(super) fn new(
        target: &Target,
        way: Way,
        out: &Path,
        paths: BTreeMap<String, PathBuf>,
        timeout: Option<u64>,
    ) -> Result<Place, Failure> {
        Ok(Place {
            platform: target.info.platform.clone(),
            device: target.info.device.clone(),
            ..Place::with(environment(target, way)?, out, paths, timeout)?
        })
    }

    /// Returns the surroundings of programs that find their device by other means, in the given environment.
    pub(crate) fn with(
        environment: Vec<(OsString, OsString)>,
        out: &Path,
        paths: BTreeMap<String, PathBuf>,
        timeout: Option<u64>,
    ) -> Result<Place, Failure> {
        std::fs::create_dir_all(out)?;
        Ok(Place {
            environment,
            platform: String::new(),
            device: String::new(),
            // The path must be absolute, because applications run in other folders.
            out: out.canonicalize()?,
            paths,
            timeout,
        })
    }

    /// Runs an application until it ends or exceeds its limit, with further variables in its environment. Returns
    /// `None` if the run was interrupted by Ctrl-C.
    pub(crate) fn run(
        &self,
        app: &App,
        variables: &[(OsString, OsString)],
    ) -> Result<Option<(Verdict, Duration)>, Failure> {
        let folder = self.out.join(&app.name);
        std::fs::create_dir_all(&folder)?;
        let log = self.out.join(format!("{}.log", app.name));
        let directory = match &app.directory {
            Some(text) => PathBuf::from(self.fill(text)),
            None => folder,
        };
        let limit = Duration::from_secs(self.timeout.unwrap_or(app.timeout));
        let run = |words: &[String]| -> Result<End, Failure> {
            let mut words = words.iter().map(|w| self.fill(w));
            let mut command = Command::new(words.next().unwrap_or_default());
            command
                .args(words)
                .current_dir(&directory)
                .envs(self.environment.iter().chain(variables).map(|(n, v)| (n, v)))
                .envs(app.environment.iter().map(|(n, v)| (n, self.fill(v))));
            match child::run(&mut command, &log, Limits::time(limit)) {
                Ok(report) => Ok(report.end),
                Err(Failure(why)) => fail!("{}: {why}", app.name),
            }
        };
        if !app.prepare.is_empty() {
            match run(&app.prepare)? {
                End::Code(0) => {}
                End::Interrupted => return Ok(None),
                End::Code(_) | End::Signal(_) | End::Timeout | End::Flood => {
                    let log = log.display();
                    return fail!("{}: its input cannot be made, see {log}", app.name);
                }
            }
        }
        let start = Instant::now();
        let end = run(&app.command)?;
        let time = start.elapsed();
        if end == End::Interrupted {
            return Ok(None);
        }
        let output = std::fs::read(&log)?;
        let verdict = judge::judge(app, end, limit, &String::from_utf8_lossy(&output));
        Ok(Some((verdict, time)))
    }

    /// Replaces the placeholders for the platform, the device, the table's folder and the user's folders.
    fn fill(&self, text: &str) -> String {
        let mut text = text
            .replace("{platform}", &self.platform)
            .replace("{device}", &self.device)
            .replace("{apps}", &directory().display().to_string());
        for (name, dir) in &self.paths {
            text = text.replace(&format!("{{{name}}}"), &dir.display().to_string());
        }
        text
    }
}

fn environment(target: &Target, way: Way) -> Result<Vec<(OsString, OsString)>, Failure> {
    let mut all: Vec<(OsString, OsString)> = target
        .environment
        .iter()
        .map(|(name, value)| (name.into(), value.clone()))
        .collect();
    if way == Way::Preload {
        if !target.ours {
            return fail!("--way preload is for Caldera only");
        }
        all.push(("LD_PRELOAD".into(), artifacts::build_library()?.into()));
    }
    Ok(all)
}
