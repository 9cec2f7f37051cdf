//! Reads the index of a corpus, and finds the units.

use crate::Failure;
use crate::files::{self, files_below};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A translation unit.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Unit {
    pub(crate) id: String,
    pub(crate) project: String,
    pub(crate) file: PathBuf,
    /// The option string in the form of clBuildProgram.
    pub(crate) options: String,
    /// clspv's outcome and CPU time in milliseconds, if the index contains them.
    pub(crate) indexed: Option<(String, f64)>,
}

/// The options that name the units of a corpus.
#[derive(clap::Args, Clone)]
pub(crate) struct Units {
    /// Folder with the units: PROJECT/ID.cl, or any .cl files
    pub(super) dir: PathBuf,
    /// Table of the units (tab-separated; columns id, project, opts, and optionally clspv, clspv_ms)
    #[arg(long)]
    index: Option<PathBuf>,
    /// Use only units whose id contains this text
    #[arg(long, default_value = "")]
    filter: String,
}

/// A row of the index, by column name.
type Row<'a> = BTreeMap<&'a str, &'a str>;

impl Units {
    /// Returns the units in the order of the index, and the number of rows in the index without a file. Files that the index
    /// does not contain are ignored. Without an index, every `.cl` file is a unit without options, and the name of its
    /// folder is its project.
    pub(crate) fn find(&self) -> Result<(Vec<Unit>, usize), Failure> {
        let (mut units, missing) = units(&self.dir, self.index.as_deref())?;
        units.retain(|u| u.id.contains(&self.filter));
        Ok((units, missing))
    }
}

fn units(dir: &Path, index: Option<&Path>) -> Result<(Vec<Unit>, usize), Failure> {
    let mut files = files_below(dir)?;
    files.retain(|f| f.extension().is_some_and(|e| e == "cl"));
    let files = files.into_iter().map(|f| dir.join(f));
    let Some(index) = index else {
        return Ok((files.map(|f| bare(dir, f)).collect(), 0));
    };
    let text = files::text(index)?;
    let rows = rows(&text).map_err(|why| failure!("{}: {why}", index.display()))?;
    let by_id: BTreeMap<String, PathBuf> = files
        .filter_map(|f| Some((f.file_stem()?.to_str()?.to_owned(), f)))
        .collect();
    let known: Vec<Unit> = rows.iter().filter_map(|row| unit(row, &by_id)).collect();
    let missing = rows.len() - known.len();
    Ok((known, missing))
}

fn bare(dir: &Path, file: PathBuf) -> Unit {
    let inside = file.strip_prefix(dir).unwrap_or(&file).with_extension("");
    let project = inside.parent().and_then(Path::file_name);
    Unit {
        id: inside.display().to_string(),
        project: project.map_or_else(|| ".".into(), |p| p.to_string_lossy().into_owned()),
        file,
        options: String::new(),
        indexed: None,
    }
}

fn rows(text: &str) -> Result<Vec<Row<'_>>, String> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    if let Some(lacking) = ["id", "project", "opts"].iter().find(|c| !columns.contains(c)) {
        return Err(format!("the first line names no column «{lacking}»"));
    }
    lines
        .enumerate()
        .map(|(n, line)| {
            let cells: Vec<&str> = line.split('\t').collect();
            if cells.len() == columns.len() {
                Ok(columns.iter().copied().zip(cells).collect())
            } else {
                Err(format!(
                    "line {}: {} columns, not {}",
                    n + 2,
                    cells.len(),
                    columns.len()
                ))
            }
        })
        .collect()
}

fn unit(row: &Row<'_>, files: &BTreeMap<String, PathBuf>) -> Option<Unit> {
    let cell = |name: &str| row.get(name).copied().unwrap_or_default();
    let outcome = cell("clspv");
    Some(Unit {
        id: cell("id").into(),
        project: cell("project").into(),
        file: files.get(cell("id"))?.clone(),
        options: cell("opts").into(),
        indexed: (!outcome.is_empty()).then(|| (outcome.to_owned(), cell("clspv_ms").parse().unwrap_or(0.0))),
    })
}

/// Splits an option string into words as a shell does. If a quote is not closed, white space separates words.
pub(crate) fn words(options: &str) -> Vec<String> {
    let simply = |_| options.split_whitespace().map(str::to_owned).collect();
    shell_words::split(options).unwrap_or_else(simply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_read_by_column_names() {
        let text = "project\tid\topts\tclspv\tclspv_ms\np\tp-1\t-DX=1\tyes\t12\np\tp-2\t\tcrash\t\n";
        let rows = rows(text).unwrap();
        let files = BTreeMap::from([("p-1".to_owned(), PathBuf::from("/x/p-1.cl"))]);
        let one = unit(&rows[0], &files).unwrap();
        assert_eq!((one.id.as_str(), one.options.as_str()), ("p-1", "-DX=1"));
        assert_eq!(one.indexed, Some(("yes".into(), 12.0)));
        assert_eq!(unit(&rows[1], &files), None);
    }

    #[test]
    fn a_wrong_index_is_refused() {
        assert!(rows("id\tproject\n").unwrap_err().contains("opts"));
        assert!(
            rows("id\tproject\topts\na\tb\n")
                .unwrap_err()
                .starts_with("line 2")
        );
    }

    #[test]
    fn options_are_split_at_blanks() {
        assert_eq!(words("-DA=1  -D B"), ["-DA=1", "-D", "B"]);
        assert_eq!(words(r#"-I"a b" '-DX="y"'"#), ["-Ia b", "-DX=\"y\""]);
        assert_eq!(words(r"-DP=\ q"), ["-DP= q"]);
        assert_eq!(words("-DR(r,t)=r=r+t ''"), ["-DR(r,t)=r=r+t", ""]);
    }
}
