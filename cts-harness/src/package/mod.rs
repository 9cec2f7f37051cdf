//! `cargo harness package`: builds the packages, and tries them out in fresh environments.
//!
//! ```text
//! products   the release build and the files that belong to it, in the layout below a prefix
//! crates     the crates whose code is in it → licences, sbom
//! elf        which glibc it needs
//! wheel, debian, tarball   the packages, each made of the products by the tool of its system
//! trial      how programs are run that try them out
//! foreign    the system of another processor, for packages that are tried out
//! overlay    a view of this machine's system, for packages that are tried out
//! ```

mod crates;
mod debian;
mod elf;
mod foreign;
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
use foreign::Foreign;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The packages; all of them if none is named
    kinds: Vec<Kind>,
    /// The target, as Rust names it; by default this machine's. On Debian, what aarch64-unknown-linux-gnu needs is installed;
    /// any other target needs a linker
    #[arg(long)]
    target: Option<String>,
    /// The folder for the packages [default: target/package]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Install each package in a fresh environment, and run OpenCL programs there; those for aarch64 under QEMU
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
    match debian::build(products, None, &products::package_dir()) {
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
    let is_wanted = |kind: &Kind| args.kinds.contains(kind) || args.kinds.is_empty();
    let needs_system = !products.native && (args.try_out || is_wanted(&Kind::Deb));
    let system = needs_system.then(|| Foreign::new(products)).transpose()?;
    let system = system.as_ref();
    let mut written = Vec::new();
    for kind in Kind::value_variants().iter().filter(|k| is_wanted(k)) {
        match kind {
            Kind::Wheel => {
                progress::step("Wheel");
                let wheel = wheel::build(products, &output)?;
                match system {
                    _ if !args.try_out => {}
                    None => args.python.iter().try_for_each(|p| wheel::try_out(&wheel, p))?,
                    Some(system) => wheel::try_out_foreign(&wheel, system)?,
                }
                written.push(wheel);
            }
            Kind::Deb => {
                progress::step("Debian packages");
                let packages = debian::build(products, system, &output)?;
                match system {
                    _ if !args.try_out => {}
                    None => debian::try_out(products, &packages)?,
                    Some(system) => debian::try_out_foreign(&packages, system)?,
                }
                written.extend(packages);
            }
            Kind::Tarball => {
                progress::step("Archive");
                let archive = tarball::build(products, &output)?;
                match system {
                    _ if !args.try_out => {}
                    None => tarball::try_out(&archive)?,
                    Some(system) => tarball::try_out_foreign(&archive, system)?,
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
