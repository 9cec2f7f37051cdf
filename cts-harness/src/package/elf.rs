//! What an ELF file needs of the system, as readelf prints it.

use crate::Failure;
use std::path::Path;
use std::process::Command;

/// Returns what readelf prints.
fn readelf(option: &str, file: &Path) -> Result<String, Failure> {
    let output = Command::new("readelf")
        .args(["--wide", option])
        .arg(file)
        .output()?;
    if !output.status.success() {
        return fail!("readelf: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the dynamic section as text.
pub(crate) fn dynamic(file: &Path) -> Result<String, Failure> {
    readelf("--dynamic", file)
}

/// Returns the names that a library exports.
pub(crate) fn exports(file: &Path) -> Result<Vec<String>, Failure> {
    Ok(exported(&readelf("--dyn-syms", file)?))
}

/// Returns the newest version of glibc whose symbols a file uses: the second number, after `2.`.
pub(super) fn glibc(file: &Path) -> Result<u32, Failure> {
    newest(&readelf("--version-info", file)?)
        .ok_or_else(|| failure!("{} uses no symbol of glibc 2", file.display()))
}

/// The columns of a symbol are number, value, size, type, binding, visibility, section and name.
fn exported(table: &str) -> Vec<String> {
    let symbol = |line: &str| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let is_global = matches!(columns.get(4), Some(&"GLOBAL" | &"WEAK" | &"UNIQUE"));
        let is_defined = columns
            .get(6)
            .is_some_and(|section| section.parse::<u32>().is_ok());
        (is_global && is_defined).then(|| columns.get(7).map(|name| (*name).to_owned()))?
    };
    table.lines().filter_map(symbol).collect()
}

fn newest(versions: &str) -> Option<u32> {
    let minor = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    versions.split("GLIBC_2.").skip(1).filter_map(minor).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_found() {
        let text =
            "  0x0010:   Name: GLIBC_2.9  Flags: none  Version: 12\n  Name: GLIBC_2.34  Name: GLIBC_2.2.5";
        assert_eq!(newest(text), Some(34));
        assert_eq!(newest("Name: GCC_4.2.0"), None);
    }

    #[test]
    fn only_defined_global_symbols_are_exports() {
        let table = "\
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     1: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND free@GLIBC_2.2.5 (2)
   152: 00000000004a5d40   118 FUNC    GLOBAL DEFAULT   14 clFinish
   153: 00000000004a5d40   118 FUNC    LOCAL  DEFAULT   14 inner
";
        assert_eq!(exported(table), ["clFinish"]);
    }
}
