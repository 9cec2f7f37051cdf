//! `cargo harness package`: builds the packages, and tries them out in fresh environments.
//!
//! ```text
//! products   the release build and the files that belong to it, in the layout below a prefix
//! crates     the crates whose code is in it → licences, sbom
//! elf        which glibc it needs
//! wheel, debian, tarball   the packages, each made of the products by the tool of its system
//! trial      how programs are run that try them out
//! overlay    a view of this machine's system, for packages that are tried out
//! ```

mod crates;
mod debian;
mod elf;
mod licences;
mod overlay;
mod products;
mod sbom;
mod tarball;
mod trial;
mod wheel;

pub(crate) use elf::{dynamic, exports};
pub(crate) use products::{LIBRARY, Products, build, git, revision, start, start_log};

use crate::{Failure, Outcome, progress};
use clap::ValueEnum;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The packages; all of them if none is named
    kinds: Vec<Kind>,
    /// The target, as Rust names it; by default this machine's. The others need a linker (`.cargo/config.toml`)
    #[arg(long)]
    target: Option<String>,
    /// The folder for the packages [default: target/package]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Install each package in a fresh environment, and run OpenCL programs there
    #[arg(long = "try")]
    try_out: bool,
    /// A Python in which the wheel is tried out; may be repeated
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: Vec<String>,
}

#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// The wheel for PyOpenCL
    Wheel,
    /// The Debian packages caldera-opencl-icd and calderac
    Deb,
    /// An archive of the files below a prefix
    Tarball,
}

pub(crate) fn run(args: &Args) -> Outcome {
    progress::step("Release build");
    let products = build(args.target.as_deref())?;
    packages(&products, args)
}

/// Builds and tries out the packages as in continuous integration: the archive always, the wheel if Python's package index
/// can be reached, and the Debian packages if this machine is a Debian 12 of which root can mount a view. The output names
/// those that are not tried out.
pub(crate) fn check(products: &Products) -> Outcome {
    let mut kinds = vec![Kind::Tarball];
    match wheel::has_index() {
        true => kinds.push(Kind::Wheel),
        false => say!("the wheel is not tried out: pip finds no package index"),
    }
    let args = Args {
        kinds,
        target: None,
        output: None,
        try_out: true,
        python: vec!["python3".into()],
    };
    packages(products, &args)?;
    progress::step("Debian packages");
    if let Err(Failure(why)) = debian::overlay() {
        say!("not tried out: {why}");
        return Ok(());
    }
    match debian::build(products, &products::package_dir()) {
        Ok(packages) => debian::try_out_here(products, &packages),
        Err(Failure(why)) if !debian::has_tools() => {
            say!("not tried out: {why}");
            Ok(())
        }
        Err(failure) => Err(failure),
    }
}

fn packages(products: &Products, args: &Args) -> Outcome {
    let output = args.output.clone().unwrap_or_else(products::package_dir);
    std::fs::create_dir_all(&output)?;
    let output = output.canonicalize()?;
    if args.try_out && !products.native {
        return fail!(
            "packages for {} cannot be tried out on this machine",
            products.target
        );
    }
    let mut written = Vec::new();
    for kind in Kind::value_variants() {
        // The tools of Debian find the dependencies on the processor that a package is for.
        let is_possible = products.native || *kind != Kind::Deb;
        let is_wanted = args.kinds.contains(kind) || args.kinds.is_empty() && is_possible;
        if !is_wanted {
            continue;
        }
        if !is_possible {
            return fail!(
                "the Debian packages for {} are built on such a machine",
                products.target
            );
        }
        match kind {
            Kind::Wheel => {
                progress::step("Wheel");
                let wheel = wheel::build(products, &output)?;
                if args.try_out {
                    for python in &args.python {
                        wheel::try_out(&wheel, python)?;
                    }
                }
                written.push(wheel);
            }
            Kind::Deb => {
                progress::step("Debian packages");
                let packages = debian::build(products, &output)?;
                if args.try_out {
                    debian::try_out(products, &packages)?;
                }
                written.extend(packages);
            }
            Kind::Tarball => {
                progress::step("Archive");
                let archive = tarball::build(products, &output)?;
                if args.try_out {
                    tarball::try_out(&archive)?;
                }
                written.push(archive);
            }
        }
    }
    progress::step("Packages");
    for file in written {
        say!(
            "{} ({:.2} MB)",
            file.display(),
            file.metadata()?.len() as f64 / 1e6
        );
    }
    Ok(())
}
