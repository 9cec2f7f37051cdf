//! The file with the licences of all crates whose code is in the programs.

use super::crates::Crate;
use crate::Failure;
use std::collections::BTreeMap;
use std::path::Path;

/// The licences under which the code of others may be in the programs. `.cargo/deny.toml` has them, too, beside those of
/// crates that are not in the programs.
const ACCEPTED: [&str; 4] = ["Apache-2.0", "BSL-1.0", "ISC", "MIT"];

/// The licence of Caldera, whose text stands for that of crates that have no file of their own.
const OWN: &str = "Apache-2.0";

/// Returns the text: a line for each crate, then each text of a licence with the crates that have it. Fails if a crate
/// has a licence that is not accepted, or no text of it can be found.
pub(super) fn text(crates: &[Crate], own: &Path) -> Result<String, Failure> {
    let own = std::fs::read_to_string(own)?;
    let mut list = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for krate in crates {
        let Crate {
            name,
            version,
            licence,
            ..
        } = krate;
        if let Some(other) = words(licence).find(|word| !ACCEPTED.contains(word)) {
            return fail!(
                "{name} {version} has the licence {other}, which is not among the accepted ones ({licence})"
            );
        }
        list.push_str(&format!(
            "{:<40} {}\n",
            format!("{name} {version}"),
            licence.replace('/', " OR ")
        ));
        let mut files = files(&krate.folder)?;
        if files.is_empty() {
            if words(licence).all(|word| word != OWN) {
                return fail!("{name} {version} has no file with its licence, {licence}");
            }
            files.push(own.clone());
        }
        for file in files {
            texts.entry(file).or_default().push(format!("{name} {version}"));
        }
    }
    let mut out = format!(
        "Caldera is licensed under {OWN}. Its programs contain the code of these crates, and of Rust's standard\n\
         library (MIT OR Apache-2.0, copyright the Rust project's contributors):\n\n{list}"
    );
    for (text, users) in texts {
        let line = "=".repeat(100);
        out.push_str(&format!(
            "\n{line}\n{}\n{line}\n\n{}\n",
            users.join(", "),
            text.trim_end()
        ));
    }
    Ok(out)
}

/// Returns the names of licences in an expression.
fn words(expression: &str) -> impl Iterator<Item = &str> {
    expression
        .split(|c: char| c.is_whitespace() || "()/".contains(c))
        .filter(|word| !matches!(*word, "" | "OR" | "AND"))
}

/// Returns the texts of the files in a crate's folder that are about its licence.
fn files(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_about = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];
        if entry.file_type()?.is_file() && is_about.iter().any(|word| name.starts_with(word)) {
            found.push((name, std::fs::read_to_string(entry.path())?.replace("\r\n", "\n")));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, text)| text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn krate(folder: &Path, licence: &str) -> Crate {
        Crate {
            name: "one".into(),
            version: "1.0.0".into(),
            licence: licence.into(),
            folder: folder.into(),
            checksum: None,
        }
    }

    #[test]
    fn each_text_is_there_once_with_its_crates() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("LICENSE-MIT"), "You may.\n").unwrap();
        let own = folder.path().join("own");
        std::fs::write(&own, "The text of Apache.").unwrap();
        let bare = tempfile::tempdir().unwrap();
        let mut second = krate(folder.path(), "MIT/Apache-2.0");
        second.name = "two".into();
        let text = text(
            &[
                krate(folder.path(), "MIT"),
                second,
                krate(bare.path(), "Apache-2.0"),
            ],
            &own,
        )
        .unwrap();
        assert_eq!(text.matches("You may.").count(), 1);
        assert!(text.contains("one 1.0.0, two 1.0.0\n"), "{text}");
        assert!(text.contains("MIT OR Apache-2.0"), "{text}");
        assert!(text.contains("The text of Apache."), "{text}");
    }

    #[test]
    fn cargo_deny_accepts_the_same_licences() {
        let rules = std::fs::read_to_string(crate::artifacts::root().join(".cargo/deny.toml")).unwrap();
        let allowed = rules.lines().find(|l| l.starts_with("allow = ")).unwrap();
        for licence in ACCEPTED {
            assert!(allowed.contains(&format!("\"{licence}\"")), "{allowed}");
        }
    }

    #[test]
    fn other_licences_and_missing_texts_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        std::fs::write(&own, "text").unwrap();
        let refused = |licence| text(&[krate(folder.path(), licence)], &own).unwrap_err().0;
        assert!(refused("(MIT OR GPL-3.0-only) AND ISC").contains("GPL-3.0-only"));
        assert!(refused("MIT").contains("no file"));
    }
}
