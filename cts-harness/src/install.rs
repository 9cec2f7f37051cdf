//! `cargo harness install`: installs the release build for all users or for one, and removes it again.

use crate::files::{copy, files_below, write};
use crate::package::{LIBRARY, Products, build};
use crate::packages::is_root;
use crate::{Failure, Outcome, progress};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Install below ~/.local, for this user (the default)
    #[arg(long, conflicts_with = "system")]
    user: bool,
    /// Install below /usr/local and register the library in /etc/OpenCL/vendors, for all users
    #[arg(long)]
    system: bool,
    /// Remove what an earlier call has installed
    #[arg(long)]
    uninstall: bool,
    /// Put a folder before all paths, to inspect what would be installed
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
}

/// The list of the installed files, below the prefix. Uninstalling removes the files that it names.
const LIST: &str = "share/doc/caldera/installed-files.txt";

struct Place {
    prefix: PathBuf,
    /// The folder of the OpenCL loader's `.icd` files.
    vendors: PathBuf,
    /// The folder before both.
    root: PathBuf,
}

impl Place {
    fn new(args: &Args) -> Result<Place, Failure> {
        let (prefix, vendors) = match (args.system, std::env::home_dir()) {
            (true, _) => ("/usr/local".into(), "/etc/OpenCL/vendors".into()),
            (false, Some(home)) => (home.join(".local"), home.join(".local/share/OpenCL/vendors")),
            (false, None) => {
                return fail!(
                    "HOME is not set, so there is no place for one user's files; --system installs for all users"
                );
            }
        };
        let root = args.root.clone();
        Ok(Place {
            prefix,
            vendors,
            root,
        })
    }

    /// Returns where a file is in the file system of this process.
    fn real(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    let place = Place::new(args)?;
    if args.system && place.root == Path::new("/") && !is_root() {
        return fail!(
            "only root may write to /usr/local and /etc: sudo env \"PATH=$PATH\" cargo harness install --system"
        );
    }
    if args.uninstall {
        return uninstall(&place);
    }
    progress::step("Release build");
    let products = build(None)?;
    progress::step("Installation");
    install(&products, &place)?;
    if args.system {
        say!(
            "Every program that uses the OpenCL loader sees Caldera now. `cargo harness install --system --uninstall` removes it."
        );
        return Ok(());
    }
    say!(
        "OpenCL loaders look into one user's folder only if a variable names it. Put this line into ~/.profile:\n\n  \
         export OCL_ICD_VENDORS={}\n\n\
         With this variable, the loader ignores /etc/OpenCL/vendors; copy the files of other implementations from there \
         to keep them. `cargo harness install --uninstall` removes Caldera.",
        place.vendors.display()
    );
    Ok(())
}

fn install(products: &Products, place: &Place) -> Outcome {
    let mut installed = Vec::new();
    for file in files_below(&products.folder)? {
        let to = place.prefix.join(&file);
        replace(&products.folder.join(&file), &place.real(&to))?;
        installed.push(to);
    }
    let icd = place.vendors.join("caldera.icd");
    write(
        &place.real(&icd),
        format!("{}\n", place.prefix.join(LIBRARY).display()),
    )?;
    installed.push(icd);
    let list = place.prefix.join(LIST);
    installed.push(list.clone());
    let lines: String = installed.iter().map(|f| format!("{}\n", f.display())).collect();
    write(&place.real(&list), lines)?;
    for file in &installed {
        say!("  {}", file.display());
    }
    Ok(())
}

/// Copies a file next to its destination and renames it, so that processes that use the old file keep it.
fn replace(from: &Path, to: &Path) -> Outcome {
    let beside = to.with_added_extension("new");
    copy(from, &beside)?;
    std::fs::rename(&beside, to).map_err(|e| failure!("{}: {e}", to.display()))
}

fn uninstall(place: &Place) -> Outcome {
    let list = place.real(&place.prefix.join(LIST));
    let Ok(text) = std::fs::read_to_string(&list) else {
        return fail!("{} does not exist, so nothing is installed there", list.display());
    };
    for line in text.lines() {
        let file = place.real(Path::new(line));
        match std::fs::remove_file(&file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return fail!("{}: {e}", file.display()),
            _ => say!("  removed {line}"),
        }
        // Folders that are Caldera's own are empty at last, and go too.
        let folder = file
            .parent()
            .filter(|f| f.file_name().is_some_and(|n| n == "caldera"));
        if let Some(folder) = folder {
            let _ = std::fs::remove_dir(folder);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn products(folder: &Path) -> Products {
        write(&folder.join(LIBRARY), "library").unwrap();
        write(&folder.join("share/doc/caldera/README.md"), "text").unwrap();
        Products {
            target: "x86_64-unknown-linux-gnu".into(),
            folder: folder.into(),
            revision: String::new(),
            native: true,
            epoch: "0".into(),
        }
    }

    #[test]
    fn what_is_installed_is_removed_again() {
        let dir = tempfile::tempdir().unwrap();
        let products = products(&dir.path().join("products"));
        let place = Place {
            prefix: "/usr/local".into(),
            vendors: "/etc/OpenCL/vendors".into(),
            root: dir.path().join("root"),
        };
        let other = place.real(Path::new("/etc/OpenCL/vendors/other.icd"));
        write(&other, "libother.so").unwrap();
        // The second installation replaces the files of the first.
        for _ in 0..2 {
            install(&products, &place).unwrap();
        }
        let icd = place.real(Path::new("/etc/OpenCL/vendors/caldera.icd"));
        assert_eq!(
            std::fs::read_to_string(icd).unwrap(),
            "/usr/local/lib/caldera/libcaldera.so\n"
        );
        assert_eq!(files_below(&place.root).unwrap().len(), 5);
        uninstall(&place).unwrap();
        assert_eq!(
            files_below(&place.root).unwrap(),
            [PathBuf::from("etc/OpenCL/vendors/other.icd")]
        );
        assert!(!place.root.join("usr/local/lib/caldera").exists());
        assert!(uninstall(&place).unwrap_err().0.contains("nothing is installed"));
    }
}
