//! Programs as SPIR-V: clang, LLVM's `opt` and LLVM's SPIR-V translator make a module of a program's source,
//! as an application's developer would do before the application is delivered.

use crate::Failure;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;

const CLANG: &str = "clang-15";
const OPT: &str = "opt-15";
const TRANSLATOR: &str = "llvm-spirv-15";
const VALIDATOR: &str = "spirv-val";
/// The Debian packages that have these programs.
const PACKAGES: &str = "clang-15 llvm-15 llvm-spirv-15 spirv-tools";

/// LLVM's description of the target `spir64`, with the sizes of integers that it has since version 19. Without them, the
/// passes make integers of 2 or 128 bits, which the translator refuses.
const LAYOUT: &str =
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64";

/// The levels of optimisation that [`Route::Any`] chooses from.
const LEVELS: [&str; 5] = ["O0", "O1", "O2", "O3", "Os"];

/// The passes of `opt` that [`Route::Any`] chooses from: none for half of the seeds. The others give control
/// flow and values forms that clang's own pipelines seldom give them. None of them makes irreducible control
/// flow reducible.
const PASSES: [&[&str]; 16] = [
    &[],
    &["jump-threading", "simplifycfg"],
    &[],
    &["loop-rotate", "simple-loop-unswitch<nontrivial>", "simplifycfg"],
    &[],
    // `structurizecfg` is wrong for switches, for irreducible loops and for loops with several exits.
    &[
        "lowerswitch",
        "fix-irreducible",
        "unify-loop-exits",
        "structurizecfg",
    ],
    &[],
    &["mergereturn", "loop-rotate", "jump-threading", "gvn"],
    &[],
    &["lowerswitch", "jump-threading", "break-crit-edges"],
    &[],
    &["reg2mem", "mem2reg", "dfa-jump-threading", "simplifycfg"],
    &[],
    &["scalarizer", "instcombine", "slp-vectorizer"],
    &[],
    &[
        "mergereturn",
        "simplifycfg<switch-to-lookup;hoist-common-insts;sink-common-insts>",
        "loop-rotate",
    ],
];

/// How a platform gets its programs as SPIR-V.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Route {
    /// As the seed chooses.
    Any,
    Fixed(Recipe),
}

/// A level of optimisation of clang, and the passes of `opt` that run afterwards, each on its own.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Recipe {
    level: String,
    passes: Vec<String>,
}

impl Route {
    /// Returns the recipe for a program. [`Route::Any`] chooses it by the seed, which is the name of the
    /// program's file in a campaign.
    pub(super) fn recipe(&self, program: &Path) -> Result<Recipe, Failure> {
        match self {
            Route::Fixed(recipe) => Ok(recipe.clone()),
            Route::Any => {
                let seed = program.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
                let seed: usize = seed.ok_or_else(|| {
                    let file = program.display();
                    failure!("{file} is not named after a seed, which «any» needs: state a level, as O2")
                })?;
                let passes = PASSES[seed / LEVELS.len() % PASSES.len()];
                Ok(Recipe {
                    level: LEVELS[seed % LEVELS.len()].into(),
                    passes: passes.iter().map(|&p| p.into()).collect(),
                })
            }
        }
    }
}

impl FromStr for Route {
    type Err = Failure;

    /// Reads `any`, or `LEVEL[+PASS…]`.
    fn from_str(text: &str) -> Result<Route, Failure> {
        if text == "any" {
            return Ok(Route::Any);
        }
        let mut parts = text.split('+').map(str::to_owned);
        let level = parts.next().unwrap_or_default();
        if !LEVELS.contains(&level.as_str()) {
            return fail!(
                "«{level}» is no level of optimisation: any, {}",
                LEVELS.join(", ")
            );
        }
        let passes = parts.collect();
        Ok(Route::Fixed(Recipe { level, passes }))
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Route::Any => f.write_str("any"),
            Route::Fixed(recipe) => recipe.fmt(f),
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.level)?;
        self.passes.iter().try_for_each(|pass| write!(f, "+{pass}"))
    }
}

/// Fails if one of the programs that make SPIR-V is missing.
pub(super) fn check_tools() -> Result<(), Failure> {
    for tool in [CLANG, OPT, TRANSLATOR, VALIDATOR] {
        let ran = Command::new(tool).arg("--version").output();
        if !ran.is_ok_and(|output| output.status.success()) {
            return fail!("{tool} is missing, which makes SPIR-V of programs: apt-get install {PACKAGES}");
        }
    }
    Ok(())
}

/// Makes a module of a program's source. Fails if one of the tools refuses the program. `options` are those of
/// clBuildProgram.
pub(super) fn translate(source: &str, options: &str, recipe: &Recipe) -> Result<Vec<u8>, Failure> {
    let folder = tempfile::tempdir()?;
    let [text, code, module] = ["program.cl", "program.bc", "program.spv"].map(|f| folder.path().join(f));
    std::fs::write(&text, source)?;
    let mut clang = Command::new(CLANG);
    clang.args(clang_options(options, recipe)?);
    tool(clang.arg(&text).arg("-o").arg(&code))?;
    for passes in recipe.pipelines() {
        let mut opt = Command::new(OPT);
        opt.arg(format!("-data-layout={LAYOUT}"))
            .arg(format!("-passes={passes}"));
        tool(opt.arg(&code).arg("-o").arg(&code))?;
    }
    tool(Command::new(TRANSLATOR).arg(&code).arg("-o").arg(&module))?;
    Ok(std::fs::read(module)?)
}

/// Fails if a module is not valid, which is then the translator's fault. LLVM's translator keeps LLVM's order of
/// basic blocks, which SPIR-V does not always allow.
pub(super) fn validate(module: &[u8]) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("program.spv");
    std::fs::write(&file, module)?;
    tool(Command::new(VALIDATOR).arg(&file))
}

impl Recipe {
    /// Returns the pipelines of `opt`, which runs once for each.
    fn pipelines(&self) -> Vec<String> {
        let level = (self.level != "O0").then(|| format!("default<{}>", self.level));
        level.into_iter().chain(self.passes.iter().cloned()).collect()
    }
}

/// Returns clang's options for a program that is built with `options`.
fn clang_options(options: &str, recipe: &Recipe) -> Result<Vec<String>, Failure> {
    let level = format!("-{}", recipe.level);
    // `opt` runs the passes of the level, because only `opt` can be told the sizes of integers.
    // Strict aliasing is off, as for the kernels of many applications, which read memory as another type.
    let mut all: Vec<String> = ["-target", "spir64-unknown-unknown", "-x", "cl", &level]
        .into_iter()
        .chain([
            "-Xclang",
            "-disable-llvm-passes",
            "-fno-strict-aliasing",
            "-w",
            "-c",
            "-emit-llvm",
        ])
        .map(str::to_owned)
        .collect();
    // Otherwise functions have the attribute `optnone`, and `opt` leaves them as they are.
    if recipe.level == "O0" && !recipe.passes.is_empty() {
        all.extend(["-Xclang", "-disable-O0-optnone"].map(str::to_owned));
    }
    let given = shell_words::split(options)?;
    // The recipe decides how clang optimises; the other options are the same for clang.
    all.extend(given.into_iter().filter(|o| o != "-cl-opt-disable"));
    Ok(all)
}

/// Runs a tool, and returns what it says if it fails.
fn tool(command: &mut Command) -> Result<(), Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| failure!("{name}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let of_interest = lines.iter().position(|l| l.to_lowercase().contains("error"));
    let from = of_interest.unwrap_or(0);
    let said = lines[from..]
        .iter()
        .take(3)
        .copied()
        .collect::<Vec<_>>()
        .join(" | ");
    fail!("{name} ended with {}: {said}", output.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(text: &str) -> Recipe {
        text.parse::<Route>()
            .unwrap()
            .recipe(Path::new("program.cl"))
            .unwrap()
    }

    #[test]
    fn routes_survive_their_text() {
        for text in [
            "any",
            "O2",
            "Os+reg2mem",
            "O0+loop-rotate+simplifycfg<hoist-common-insts>",
        ] {
            assert_eq!(text.parse::<Route>().unwrap().to_string(), text);
        }
        for text in ["", "O4", "2", "+reg2mem"] {
            let Failure(why) = text.parse::<Route>().unwrap_err();
            assert!(why.contains("no level of optimisation"), "{why}");
        }
    }

    #[test]
    fn the_seed_chooses_the_recipe() {
        let any = |file: &str| Route::Any.recipe(Path::new(file));
        assert_eq!(any("/out/10.cl").unwrap(), recipe("O0"));
        assert_eq!(any("5.cl").unwrap(), recipe("O0+jump-threading+simplifycfg"));
        assert_eq!(any("4.cl").unwrap(), recipe("Os"));
        let Failure(why) = any("program.cl").unwrap_err();
        assert!(why.contains("not named after a seed"), "{why}");
    }

    #[test]
    fn clang_gets_the_options_of_the_build() {
        let options = clang_options("-cl-std=CL2.0 -D 'A=b c' -cl-opt-disable", &recipe("O3")).unwrap();
        assert!(options.contains(&"-O3".into()) && !options.contains(&"-disable-O0-optnone".into()));
        assert_eq!(options[options.len() - 3..], ["-cl-std=CL2.0", "-D", "A=b c"]);
        let options = clang_options("", &recipe("O0+reg2mem")).unwrap();
        assert!(options.contains(&"-disable-O0-optnone".into()));
        assert_eq!(recipe("O0+reg2mem").pipelines(), ["reg2mem"]);
        assert_eq!(recipe("Os+reg2mem").pipelines(), ["default<Os>", "reg2mem"]);
    }
}
