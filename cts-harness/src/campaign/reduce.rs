//! Reduces programs with C-Vise. The test for C-Vise asks whether two platforms still treat a candidate
//! differently and whether Oclgrind finds no fault in the candidate.

use super::launch::Plan;
use super::record::{self, Record, Verdict};
use super::side::{Ending, SPIRV, Side};
use super::spirv::Route;
use super::{Limits, execute};
use crate::cl::with_variables;
use crate::{Failure, Outcome, progress};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The platform that is at fault, then the one that is right
    #[arg(long = "platform", value_name = "NAME", default_values_t = [String::from("caldera"), String::from("pocl")])]
    platforms: Vec<String>,
    /// The program, whose launch is described in its first line or in the file of `--launch`
    program: PathBuf,
    /// A file that describes the launch
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// Do not ask Oclgrind, because it is too slow for the program or does not support it
    #[arg(long)]
    without_oclgrind: bool,
    /// The message of a refusal or a crash must contain this text
    #[arg(long, value_name = "TEXT")]
    saying: Option<String>,
    #[command(flatten)]
    limits: Limits,
}

/// The observation of one candidate.
struct Seen {
    verdict: Verdict,
    /// The ending on the platform that is at fault, or the reason for a verdict of `Neither` or `Undefined`.
    text: String,
}

impl Args {
    fn look(&self, scratch: &Path) -> Result<Seen, Failure> {
        let [a, b] = &self.platforms[..] else {
            return fail!("a program is reduced for two platforms");
        };
        let file = std::path::absolute(&self.program)?;
        let files = [file.clone()];
        let run = |name: &str, role: &str| -> Result<Ending, Failure> {
            let mut side = Side::find(name, &self.limits)?;
            side.name = role.into();
            let mut ends = side.run(&files, self.launch.as_deref(), scratch)?;
            Ok(ends.remove(0))
        };
        let right = run(b, "right")?;
        let Some(hash) = right.hash() else {
            return Ok(Seen {
                verdict: Verdict::Neither,
                text: right.text(),
            });
        };
        let wrong = run(a, "wrong")?;
        let mut verdict = record::verdict(&[&wrong, &right]);
        if verdict == Verdict::Differs && !self.without_oclgrind {
            let (found, end) = ask_oclgrind(&file, self.launch.as_deref(), scratch, &self.limits)?;
            if found.is_some() || end.hash() != Some(hash) {
                verdict = Verdict::Undefined;
                return Ok(Seen {
                    verdict,
                    text: found.unwrap_or_else(|| end.text()),
                });
            }
        }
        let text = wrong.text();
        Ok(Seen { verdict, text })
    }
}

/// Runs a program on Oclgrind. Returns the first fault that Oclgrind reports and how the program ended
/// there.
pub(super) fn ask_oclgrind(
    program: &Path,
    launch: Option<&Path>,
    scratch: &Path,
    limits: &Limits,
) -> Result<(Option<String>, Ending), Failure> {
    let log = scratch.join("oclgrind.txt");
    let _ = std::fs::remove_file(&log);
    let side = Side::oclgrind(&log, limits)?;
    let end = side.run(&[program.to_owned()], launch, scratch)?.remove(0);
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let found = text.lines().find(|l| {
        let l = l.to_lowercase();
        let signs = [
            "race",
            "uninitialized",
            "invalid",
            "divergence",
            "error",
            "mismatch",
        ];
        signs.iter().any(|w| l.contains(w))
    });
    Ok((found.map(|l| l.trim().to_owned()), end))
}

/// Decides whether a candidate still shows the fault. The exit code of the process is the answer for C-Vise.
pub(super) fn interesting(args: &Args) -> Outcome {
    let seen = args.look(tempfile::tempdir()?.path())?;
    let says = args
        .saying
        .as_ref()
        .is_none_or(|text| seen.text.contains(text.as_str()));
    if seen.verdict.is_of_interest() && says {
        return Ok(());
    }
    fail!("{}: {}", seen.verdict.word(), seen.text)
}

/// Reduces one program. The folder `PROGRAM.reduced` then has the test script, the launch and the reduced
/// program.
pub(super) fn run(args: &Args) -> Outcome {
    let program = args.program.canonicalize()?;
    let dir = program.with_extension("reduced");
    std::fs::create_dir_all(&dir)?;
    let (plan, text) = execute::read(&program, args.launch.as_deref())?;
    let candidate = dir.join("program.cl");
    let launch = dir.join("launch.txt");
    let body = text.strip_prefix(&plan.line()?).unwrap_or(&text);
    std::fs::write(&candidate, body)?;
    std::fs::write(&launch, plan.line()?)?;
    let mut args = Args {
        platforms: args
            .platforms
            .iter()
            .map(|p| settled(p, &program))
            .collect::<Result<_, Failure>>()?,
        program: candidate.clone(),
        launch: Some(launch.clone()),
        without_oclgrind: args.without_oclgrind,
        saying: args.saying.clone(),
        limits: args.limits.clone(),
    };
    let first = args.look(&dir)?;
    if first.verdict == Verdict::Undefined && !args.without_oclgrind {
        say!("Oclgrind: {}", first.text);
    }
    if !first.verdict.is_of_interest() {
        return fail!("nothing to reduce: {} ({})", first.verdict.word(), first.text);
    }
    shrink_launch(&mut args, &plan, &launch, &dir)?;
    let test = dir.join("test.sh");
    std::fs::write(&test, script(&args, &launch)?)?;
    std::fs::set_permissions(&test, std::fs::Permissions::from_mode(0o755))?;
    progress::shown(
        "C-Vise",
        std::process::Command::new("cvise")
            .args(["--n", "1", "--not-c"])
            .arg(&test)
            .arg("program.cl")
            .current_dir(&dir),
    )?;
    let left = std::fs::read_to_string(&candidate)?;
    let line = std::fs::read_to_string(&launch)?;
    std::fs::write(dir.join("reduced.cl"), format!("{line}{left}"))?;
    say!(
        "{} bytes of {} are left: {}",
        left.len(),
        body.len(),
        dir.join("reduced.cl").display()
    );
    Ok(())
}

/// Reduces every launch to one work-group if the fault is still there.
fn shrink_launch(args: &mut Args, plan: &Plan, launch: &Path, dir: &Path) -> Outcome {
    let mut smaller = plan.clone();
    for l in &mut smaller.launches {
        l.global.clone_from(&l.local);
    }
    std::fs::write(launch, smaller.line()?)?;
    if !args.look(dir)?.verdict.is_of_interest() {
        std::fs::write(launch, plan.line()?)?;
    }
    Ok(())
}

fn script(args: &Args, launch: &Path) -> Result<String, Failure> {
    let exe = std::env::current_exe()?;
    let mut words = vec![exe.display().to_string(), "campaign".into(), "interesting".into()];
    for p in &args.platforms {
        words.extend(["--platform".into(), p.clone()]);
    }
    words.extend(["--launch".into(), launch.display().to_string()]);
    if let Some(text) = &args.saying {
        words.extend(["--saying".into(), text.clone()]);
    }
    if args.without_oclgrind {
        words.push("--without-oclgrind".into());
    }
    words.extend(["--timeout".into(), args.limits.timeout.to_string()]);
    words.extend(["--memory".into(), args.limits.memory.to_string()]);
    if let Some(child) = &args.limits.child {
        words.extend(["--child".into(), child.display().to_string()]);
    }
    Ok(format!(
        "#!/bin/sh\nexec {} program.cl\n",
        shell_words::join(&words)
    ))
}

/// Returns a platform's name for use in the folders of C-Vise, where the program has another name: a path
/// becomes absolute, `caldera` is built once and becomes the path of its library, and a form of SPIR-V that
/// the program's seed chooses becomes the form that it has chosen.
fn settled(platform: &str, program: &Path) -> Result<String, Failure> {
    let (name, variables) = with_variables(platform)?;
    let mut text = match name {
        "caldera" => crate::artifacts::build_library()?.display().to_string(),
        path if path.contains('/') => std::path::absolute(path)?.display().to_string(),
        other => other.to_owned(),
    };
    for (variable, value) in variables {
        let value = match variable.as_str() {
            SPIRV => value.parse::<Route>()?.recipe(program)?.to_string(),
            _ => value,
        };
        text += &format!(",{variable}={value}");
    }
    Ok(text)
}

/// Reduces a program of a campaign. If this fails, it prints a warning and the campaign goes on.
pub(super) fn automatically(
    record: &Record,
    platforms: &[String],
    programs: &Path,
    limits: &Limits,
) -> Outcome {
    progress::step(&format!("Reducing {}", record.seed));
    let args = Args {
        platforms: platforms.iter().take(2).cloned().collect(),
        program: programs.join(format!("{}.cl", record.seed)),
        launch: None,
        without_oclgrind: record.verdict != Verdict::Differs,
        saying: None,
        limits: limits.clone(),
    };
    if let Err(Failure(why)) = run(&args) {
        progress::warning(&why);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_is_settled_before_the_program_is_renamed() {
        let settled = |text: &str| settled(text, Path::new("/out/7.cl")).unwrap();
        assert_eq!(
            settled("/lib.so,A=b,spirv=any"),
            "/lib.so,A=b,spirv=O2+jump-threading+simplifycfg"
        );
        assert_eq!(settled("pocl,spirv=Os"), "pocl,spirv=Os");
        assert!(settled("./lib.so").starts_with('/'));
    }
}
