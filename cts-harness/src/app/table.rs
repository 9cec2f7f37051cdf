//! Reads the table of applications. `apps/<name>.toml` describes one application.

use super::results::Results;
use crate::{Failure, files};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The description of how an application is run and judged.
#[derive(PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct App {
    #[serde(skip)]
    pub(crate) name: String,
    /// A description in one line.
    pub(crate) about: String,
    #[serde(default)]
    pub(super) needs: Vec<Need>,
    /// The folders that the user must give: their names, and the way to get them.
    #[serde(default)]
    pub(super) paths: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    /// The directory in which the application runs; by default, a folder of its own.
    pub(super) directory: Option<String>,
    /// The program and arguments of a command that creates the input. It runs before the application.
    #[serde(default)]
    pub(super) prepare: Vec<String>,
    pub(crate) command: Vec<String>,
    /// The time limit in seconds.
    #[serde(default = "usual_timeout")]
    pub(crate) timeout: u64,
    #[serde(default)]
    pub(super) judge: Judge,
}

fn usual_timeout() -> u64 {
    300
}

/// A program or a Python module that must be installed, and the command that installs it.
#[derive(PartialEq, Debug, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a need is one «program» or one «python» module"
)]
pub(super) enum Need {
    Program { program: String, install: String },
    Python { python: String, install: String },
}

/// The conditions for a pass.
#[derive(PartialEq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Judge {
    pub(super) exit: i32,
    /// The texts that must all occur in the output.
    pub(super) contains: Vec<String>,
    /// The texts that must not occur in the output.
    pub(super) absent: Vec<String>,
    /// The form of the application's own results, if it prints any.
    pub(super) results: Option<Results>,
}

/// Reads the table. The applications are sorted by name.
pub(super) fn read(dir: &Path) -> Result<Vec<App>, Failure> {
    if !dir.is_dir() {
        return fail!("{} is no folder", dir.display());
    }
    let mut apps = Vec::new();
    for path in files::with_extension(dir, "toml") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        apps.push(parse(&name, &files::text(&path)?).map_err(|why| failure!("{}: {why}", path.display()))?);
    }
    apps.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(apps)
}

fn parse(name: &str, text: &str) -> Result<App, String> {
    let mut app: App = toml::from_str(text).map_err(|e| e.to_string())?;
    app.name = name.to_owned();
    match app.command.is_empty() {
        true => Err("«command» is empty".into()),
        false => Ok(app),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_what_is_run_and_what_is_expected() {
        let app = parse(
            "x",
            "about = 'X'\nneeds = [{ python = 'x', install = 'pip install x' }]\ncommand = ['x', '-v']\n\
             [environment]\nA = 'b'\n[judge]\ncontains = ['ok']\nresults = 'pytest'\n",
        )
        .unwrap();
        assert!(matches!(&app.needs[0], Need::Python { python, .. } if python == "x"));
        assert_eq!((app.timeout, app.judge.exit), (300, 0));
        assert_eq!(app.judge.results, Some(Results::Pytest));
        assert_eq!(app.environment["A"], "b");
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| parse("x", text).unwrap_err();
        assert!(wrong("about = 'X'\n").contains("command"));
        assert!(wrong("about = 'X'\ncommand = ['x']\ntime = 3\n").contains("unknown field `time`"));
        assert!(wrong("about = 'X'\ncommand = 'x'\n").contains("expected a sequence"));
        for needs in ["install = 'y'", "program = 'a', python = 'b', install = 'y'"] {
            let text = format!("about = 'X'\ncommand = ['x']\nneeds = [{{ {needs} }}]\n");
            assert!(wrong(&text).contains("a need is"));
        }
        assert!(
            wrong("about = 'X'\ncommand = ['x']\n[judge]\nresults = 'y'\n").contains("unknown variant `y`")
        );
    }

    /// The committed table can be read. Every application lists at least one requirement, with the way to satisfy it.
    #[test]
    fn the_committed_table_is_in_order() {
        let apps = read(&crate::app::directory()).unwrap();
        assert!(apps.iter().any(|a| a.name == "clinfo"));
        for app in apps {
            let needs = app.needs.len() + app.paths.len();
            assert!(needs > 0, "{} needs nothing?", app.name);
        }
    }
}
