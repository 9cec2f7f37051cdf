//! The files that `#include` has found during a capture, in a folder of this machine.
//!
//! Each file is placed as it lay on the machine of the capture, below a folder for absolute paths or one for relative paths,
//! and the build options name these folders in place of the old ones.

use super::capture::{self, Input};
use crate::Failure;
use std::path::{Component, Path, PathBuf};

/// The number of folders above the one for relative paths, for paths that begin with `..`.
const DEPTH: usize = 8;

/// Writes the files of a part below `to`. Returns its build options for them.
pub(super) fn place(folder: &Path, input: &Input, to: &Path) -> Result<String, Failure> {
    if input.includes.is_empty() {
        return Ok(input.options.clone());
    }
    for file in &input.includes {
        let path = moved(&file.name, to)?;
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, capture::read(folder, &file.file)?)?;
    }
    let mut paths: Vec<&Path> = input
        .includes
        .iter()
        .flat_map(|file| Path::new(&file.name).ancestors())
        .filter(|path| path.is_absolute() && path.parent().is_some())
        .collect();
    // The longest path is replaced first.
    paths.sort_by_key(|path| (std::cmp::Reverse(path.as_os_str().len()), *path));
    paths.dedup();
    let mut words = Vec::new();
    let mut old = words_of(&input.options).into_iter();
    while let Some(word) = old.next() {
        let directory = match word.strip_prefix("-I") {
            Some("") => old.next(),
            Some(directory) => Some(directory.to_owned()),
            None => {
                words.push(with_paths(&word, &paths, to)?);
                continue;
            }
        };
        let directory = directory.unwrap_or_default();
        let directory = moved(directory.trim_matches('"'), to)?;
        words.extend([String::from("-I"), directory.display().to_string()]);
    }
    // The source itself lay in the current directory.
    words.extend([String::from("-I"), moved("", to)?.display().to_string()]);
    Ok(words.join(" "))
}

/// Returns where a path lies below `to`.
fn moved(path: &str, to: &Path) -> Result<PathBuf, Failure> {
    let path = Path::new(path);
    let (base, depth) = match path.is_absolute() {
        true => (to.join("absolute"), 0),
        false => (
            (0..DEPTH).fold(to.join("relative"), |dir, n| dir.join(n.to_string())),
            DEPTH,
        ),
    };
    let (mut place, mut depth) = (base, depth);
    for component in path.components() {
        match component {
            Component::Normal(name) => {
                place.push(name);
                depth += 1;
            }
            Component::ParentDir if depth > 0 => {
                place.pop();
                depth -= 1;
            }
            Component::ParentDir => return fail!("{} has too many «..»", path.display()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Ok(place)
}

/// Replaces the path of a file or folder in a word of the options, if the path ends there.
fn with_paths(word: &str, paths: &[&Path], to: &Path) -> Result<String, Failure> {
    for path in paths {
        let old = path.display().to_string();
        let Some(at) = word.find(&old) else { continue };
        let rest = &word[at + old.len()..];
        let after = rest.strip_prefix('/').unwrap_or(rest);
        if !after.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c)) {
            let new = moved(&old, to)?;
            return Ok(format!("{}{}{rest}", &word[..at], new.display()));
        }
    }
    Ok(word.to_owned())
}

/// Returns the words of options, with their quotes.
fn words_of(options: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in options.chars() {
        quoted ^= c == '"';
        match c.is_whitespace() && !quoted {
            true if word.is_empty() => {}
            true => words.push(std::mem::take(&mut word)),
            false => word.push(c),
        }
    }
    words.extend(Some(word).filter(|w| !w.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::capture::Named;

    #[test]
    fn files_and_options_move_together() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, to) = (dir.path().join("capture"), dir.path().join("place"));
        std::fs::create_dir_all(&folder).unwrap();
        let paths = ["/usr/share/x/a.h", "b.h", "../c/d.h", "inc/e.h"];
        let named = |(n, path): (usize, &&str)| Named {
            name: (*path).to_owned(),
            file: format!("f{n}"),
        };
        let input = Input {
            options: "-w -Iinc -D P=/usr/share/x/ -I \"../c\" -D Q=/usr/share/xy -D \"S=a  b\"".into(),
            file: "program0.cl".into(),
            headers: Vec::new(),
            includes: paths.iter().enumerate().map(named).collect(),
            directories: Vec::new(),
        };
        for n in 0..paths.len() {
            std::fs::write(folder.join(format!("f{n}")), n.to_string()).unwrap();
        }
        let options = place(&folder, &input, &to).unwrap();
        let at = to.display().to_string();
        let current = format!("{at}/relative/0/1/2/3/4/5/6/7");
        assert_eq!(
            options,
            format!(
                "-w -I {current}/inc -D P={at}/absolute/usr/share/x/ -I {at}/relative/0/1/2/3/4/5/6/c -D Q=/usr/share/xy -D \"S=a  b\" -I {current}"
            )
        );
        let text = |path: String| std::fs::read_to_string(path).unwrap();
        assert_eq!(text(format!("{at}/absolute/usr/share/x/a.h")), "0");
        assert_eq!(text(format!("{current}/b.h")), "1");
        assert_eq!(text(format!("{current}/../c/d.h")), "2");
        assert_eq!(text(format!("{current}/inc/e.h")), "3");
    }
}
