//! Reads the list of programs: a TOML file with a table `programs.NAME` for each, in the form of the table of
//! applications (`apps/`). `{here}` stands for the folder of the file.

use crate::Failure;
use crate::app::App;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    programs: BTreeMap<String, App>,
}

/// Returns the programs, sorted by name.
pub(super) fn read(file: &Path) -> Result<Vec<App>, Failure> {
    let text = crate::files::text(file)?;
    parse(&text).map_err(|why| failure!("{}: {why}", file.display()))
}

fn parse(text: &str) -> Result<Vec<App>, String> {
    let manifest: Manifest = toml::from_str(text).map_err(|e| e.to_string())?;
    let mut all = Vec::new();
    for (name, mut app) in manifest.programs {
        if app.command.is_empty() {
            return Err(format!("the command of «{name}» is empty"));
        }
        if name
            .split('/')
            .any(|part| part.is_empty() || part.starts_with('.'))
        {
            return Err(format!("«{name}» is no name for folders"));
        }
        app.name = name;
        all.push(app);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_programs() {
        let all = parse(
            "[programs.'suite/two']\nabout = 'T'\ncommand = ['./two', '-n', '5']\ndirectory = '{here}/two'\n\
             timeout = 9\njudge.absent = ['FAIL']\n[programs.one]\nabout = 'O'\ncommand = ['{here}/one']\n",
        )
        .unwrap();
        assert_eq!((all[0].name.as_str(), all[1].name.as_str()), ("one", "suite/two"));
        assert_eq!((all[0].timeout, all[1].timeout), (300, 9));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| parse(text).unwrap_err();
        assert!(wrong("[programs.a]\nabout = 'A'\ncommand = []\n").contains("command of «a»"));
        assert!(wrong("[programs.'../a']\nabout = 'A'\ncommand = ['a']\n").contains("no name"));
        assert!(wrong("[programs.a]\nabout = 'A'\ncommand = ['a']\nspeed = 3\n").contains("unknown field"));
    }
}
