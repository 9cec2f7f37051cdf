//! Reads the table of applications. `apps/<name>.toml` describes one application.

use super::results::Results;
use crate::Failure;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// The description of how an application is run and judged.
#[derive(PartialEq, Debug)]
pub(super) struct App {
    pub(super) name: String,
    /// A description in one line.
    pub(super) about: String,
    pub(super) needs: Vec<Need>,
    /// The folders that the user must give: their names, and the way to get them.
    pub(super) paths: BTreeMap<String, String>,
    pub(super) environment: BTreeMap<String, String>,
    /// The directory in which the application runs; by default, a folder of its own.
    pub(super) directory: Option<String>,
    /// The program and arguments of a command that creates the input. It runs before the application.
    pub(super) prepare: Vec<String>,
    pub(super) command: Vec<String>,
    /// The time limit in seconds.
    pub(super) timeout: u64,
    pub(super) judge: Judge,
}

/// A program or module that must be installed.
#[derive(PartialEq, Debug)]
pub(super) struct Need {
    pub(super) what: What,
    /// The command that installs it.
    pub(super) install: String,
}

#[derive(PartialEq, Debug)]
pub(super) enum What {
    Program(String),
    /// A Python module.
    Python(String),
}

/// The conditions for a pass.
#[derive(PartialEq, Debug, Default)]
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
    let entries = std::fs::read_dir(dir).map_err(|e| Failure(format!("{}: {e}", dir.display())))?;
    let mut apps = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(&path)?;
            apps.push(parse(&name, &text).map_err(|why| Failure(format!("{}: {why}", path.display())))?);
        }
    }
    apps.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(apps)
}

fn parse(name: &str, text: &str) -> Result<App, String> {
    let mut fields = Fields(text.parse::<Table>().map_err(|e| e.to_string())?);
    let mut judge = Fields(fields.table("judge")?);
    let app = App {
        name: name.to_owned(),
        about: fields.text("about")?.ok_or("there is no «about»")?,
        needs: fields.needs()?,
        paths: fields.texts("paths")?,
        environment: fields.texts("environment")?,
        directory: fields.text("directory")?,
        prepare: fields.list("prepare")?,
        command: fields.list("command")?,
        timeout: fields.number("timeout", 300)?,
        judge: Judge {
            exit: i32::try_from(judge.number("exit", 0)?).map_err(|e| e.to_string())?,
            contains: judge.list("contains")?,
            absent: judge.list("absent")?,
            results: match judge.text("results")?.as_deref() {
                None => None,
                Some(word) => {
                    Some(Results::parse(word).ok_or(format!("there are no results of kind «{word}»"))?)
                }
            },
        },
    };
    fields.finish()?;
    judge.finish()?;
    if app.command.is_empty() {
        return Err("there is no «command»".into());
    }
    Ok(app)
}

/// A TOML table from which each field is removed when it is read.
struct Fields(Table);

impl Fields {
    fn take<T>(
        &mut self,
        name: &str,
        kind: &str,
        read: impl Fn(Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.0.remove(name) {
            None => Ok(None),
            Some(value) => read(value)
                .map(Some)
                .ok_or_else(|| format!("«{name}» is not {kind}")),
        }
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        self.take(name, "a string", string)
    }

    fn list(&mut self, name: &str) -> Result<Vec<String>, String> {
        let strings = |v| match v {
            Value::Array(all) => all.into_iter().map(string).collect(),
            _ => None,
        };
        Ok(self.take(name, "a list of strings", strings)?.unwrap_or_default())
    }

    fn number(&mut self, name: &str, default: u64) -> Result<u64, String> {
        let number = |v: Value| v.as_integer().and_then(|n| u64::try_from(n).ok());
        Ok(self.take(name, "a number", number)?.unwrap_or(default))
    }

    fn table(&mut self, name: &str) -> Result<Table, String> {
        let table = |v| match v {
            Value::Table(table) => Some(table),
            _ => None,
        };
        Ok(self.take(name, "a table", table)?.unwrap_or_default())
    }

    fn texts(&mut self, name: &str) -> Result<BTreeMap<String, String>, String> {
        self.table(name)?
            .into_iter()
            .map(|(key, v)| {
                let text = string(v).ok_or_else(|| format!("«{name}.{key}» is not a string"))?;
                Ok((key, text))
            })
            .collect()
    }

    fn needs(&mut self) -> Result<Vec<Need>, String> {
        let tables = |v| match v {
            Value::Array(all) => all
                .into_iter()
                .map(|v| match v {
                    Value::Table(table) => Some(Fields(table)),
                    _ => None,
                })
                .collect::<Option<Vec<_>>>(),
            _ => None,
        };
        let mut needs = Vec::new();
        for mut fields in self
            .take("needs", "a list of tables", tables)?
            .unwrap_or_default()
        {
            let what = match (fields.text("program")?, fields.text("python")?) {
                (Some(program), None) => What::Program(program),
                (None, Some(module)) => What::Python(module),
                _ => return Err("a need is one «program» or one «python» module".into()),
            };
            let install = fields.text("install")?.ok_or("a need has no «install»")?;
            fields.finish()?;
            needs.push(Need { what, install });
        }
        Ok(needs)
    }

    /// Returns an error if a field is left, because its name must be misspelt.
    fn finish(self) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("«{key}» means nothing here")),
        }
    }
}

fn string(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
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
        assert_eq!(app.needs[0].what, What::Python("x".into()));
        assert_eq!((app.timeout, app.judge.exit), (300, 0));
        assert_eq!(app.judge.results, Some(Results::Pytest));
        assert_eq!(app.environment["A"], "b");
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| parse("x", text).unwrap_err();
        assert!(wrong("about = 'X'\n").contains("command"));
        assert!(wrong("about = 'X'\ncommand = ['x']\ntime = 3\n").contains("«time»"));
        assert!(wrong("about = 'X'\ncommand = 'x'\n").contains("list of strings"));
        assert!(wrong("about = 'X'\ncommand = ['x']\nneeds = [{ install = 'y' }]\n").contains("a need is"));
        assert!(wrong("about = 'X'\ncommand = ['x']\n[judge]\nresults = 'y'\n").contains("«y»"));
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
