//! The child processes of a campaign: each builds and launches programs on one device and reports on
//! standard output.
//!
//! It writes one line for each step: `begin N` (N is the program's index on the command line), `built
//! SECONDS`, and `done SECONDS HASH` or `refused WHY`. If the device gets SPIR-V, `translating` and `translated`
//! come before; `untranslated WHY` means that there is no module or that a refused module is not valid. After a refusal that follows a successful build the
//! process ends, since the device may be lost.

use super::launch::{Argument, Plan, hash};
use super::spirv::{self, Route};
use crate::cl::{self, Buffer, Context, Device, Handle, Location, Queue};
use crate::types::little_endian;
use crate::{Failure, Outcome, progress};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Location,
    /// A file that describes the launch; by default each program's first line does
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// Build the program from SPIR-V that clang and LLVM's translator make of it. LEVEL is O0, O1, O2, O3 or Os, with
    /// `+PASS` for each pass of LLVM that runs afterwards; `any` chooses them by the seed in the file's name
    #[arg(long, value_name = "LEVEL", value_parser = route)]
    spirv: Option<Route>,
    /// Print the 64-bit words of the result
    #[arg(long)]
    words: bool,
    /// Print the signatures of each program's kernels instead of launching them
    #[arg(long, hide = true)]
    signatures: bool,
    /// Build programs with later features in their plain form, in which sub-groups have this number of work-items
    #[arg(long, value_name = "N")]
    plain: Option<u32>,
    /// Build options beside those of each program
    #[arg(long, value_name = "OPTIONS", default_value = "", allow_hyphen_values = true)]
    options: String,
    programs: Vec<PathBuf>,
}

/// The description of a device that a child without programs prints after the word `device`.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(super) struct Described {
    pub(super) name: String,
    pub(super) half: bool,
    pub(super) double: bool,
    pub(super) images: bool,
    /// The sizes in bytes of the floats whose subnormal numbers the device keeps.
    #[serde(default)]
    pub(super) subnormals: Vec<usize>,
    /// Whether an option makes division and square root of float correctly rounded.
    #[serde(default)]
    pub(super) correct_division: bool,
    /// Whether the device has atomic functions of 64 bits.
    #[serde(default)]
    pub(super) long_atomics: bool,
}

/// Runs the programs one after the other.
pub(super) fn run(args: &Args) -> Outcome {
    let device = args.place.open()?;
    if args.programs.is_empty() {
        let described = Described {
            name: format!("{}, {}, {}", device.platform, device.name, device.driver),
            half: device.has_half,
            double: device.has_double,
            images: device.has_images,
            subnormals: [2, 4, 8]
                .into_iter()
                .filter(|n| device.keeps_subnormals(*n))
                .collect(),
            correct_division: device.divides_correctly,
            long_atomics: device.has_long_atomics,
        };
        say!("device {}", serde_json::to_string(&described)?);
        return Ok(());
    }
    // One context serves all programs, because a GPU's driver takes longer to create one than to build a program.
    let context = Context::new(&device)?;
    for (n, file) in args.programs.iter().enumerate() {
        say!("begin {n}");
        let (plan, text) = read(file, args.launch.as_deref())?;
        let options = format!("{} {}", options(&plan, args.plain), args.options);
        let module = args
            .spirv
            .as_ref()
            .map(|route| translated(file, (&text, &options), route));
        let module = match module.transpose() {
            Ok(module) => module,
            Err(Failure(why)) => {
                say!("untranslated {why}");
                continue;
            }
        };
        let begin = Instant::now();
        let built = match &module {
            None => context.build(&text, &options),
            Some(module) => context.build_il(module, &options),
        };
        let program = match built {
            Ok(program) => program,
            Err(Failure(why)) => {
                match module.as_deref().map(spirv::validate) {
                    Some(Err(Failure(invalid))) => say!("untranslated {invalid}; {}", one_line(&why)),
                    None | Some(Ok(())) => say!("refused {}", one_line(&why)),
                }
                continue;
            }
        };
        say!("built {:.3}", begin.elapsed().as_secs_f64());
        if args.signatures {
            for signature in program.signatures()? {
                say!("kernel {}", serde_json::to_string(&signature)?);
            }
            progress::line("done 0 0");
            continue;
        }
        let begin = Instant::now();
        match launch(&device, &context, &program, &plan, args.plain.is_some()) {
            Ok(results) => {
                let all = results.iter().fold(0, |h, bytes| hash(h, bytes));
                let seconds = begin.elapsed().as_secs_f64();
                if args.words {
                    for (m, bytes) in results.iter().enumerate() {
                        words(m, bytes);
                    }
                }
                say!("done {seconds:.3} {all:016x}");
            }
            Err(Failure(why)) => {
                say!("refused {}", one_line(&why));
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Reads the value of `--spirv`.
fn route(text: &str) -> Result<Route, String> {
    text.parse().map_err(|Failure(why)| why)
}

/// Makes SPIR-V of a program, which is given by its file, its text and its build options.
fn translated(file: &Path, (text, options): (&str, &str), route: &Route) -> Result<Vec<u8>, Failure> {
    progress::line("translating");
    let module = spirv::translate(text, options, &route.recipe(file)?)?;
    progress::line("translated");
    Ok(module)
}

/// Returns the build options of a program. `plain` asks for the plain form, with sub-groups of this size.
fn options(plan: &Plan, plain: Option<u32>) -> String {
    let form = match (&plan.std, plain) {
        (None, _) => return plan.options.clone(),
        (Some(_), Some(size)) => format!("-DPLAIN -DSUB_GROUP={size}u"),
        (Some(std), None) => format!("-cl-std={std}"),
    };
    format!("{form} {}", plan.options)
}

/// Returns a build log or another error as one line.
fn one_line(why: &str) -> String {
    let mut line: Vec<&str> = why.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    // The log may have many warnings: where there are errors, only the errors and the first line are
    // reported.
    if line.iter().any(|l| l.contains("error:")) {
        let first = line.remove(0);
        line.retain(|l| l.contains("error:"));
        line.insert(0, first);
    }
    line.join(" | ").chars().take(1000).collect()
}

fn words(memory: usize, bytes: &[u8]) {
    for (n, word) in bytes.chunks_exact(8).enumerate() {
        say!("word {memory} {n} {:016x}", little_endian(word));
    }
}

/// Reads a program's plan and its text. The plan is in the file `launch`, or in the first line of the text.
pub(super) fn read(file: &Path, launch: Option<&Path>) -> Result<(Plan, String), Failure> {
    let at = |path: &Path| crate::files::text(path);
    let text = at(file)?;
    match launch {
        Some(launch) => Ok((Plan::of(&at(launch)?)?, text)),
        None => Ok((Plan::of(&text)?, text)),
    }
}

/// Launches the kernels and returns the contents of the result buffers after the last launch.
fn launch(
    device: &Device,
    context: &Context,
    program: &Handle,
    plan: &Plan,
    plain: bool,
) -> Result<Vec<Vec<u8>>, Failure> {
    let queue = Queue::new(context, false)?;
    let mut memory = Vec::new();
    for m in &plan.memory {
        let bytes = m.fill.bytes(m.bytes);
        memory.push(match m.image {
            Some(size) => context.integer_image(size, &bytes)?,
            None => filled(context, &queue, &bytes)?,
        });
    }
    let launches = plan.launches.iter().flat_map(|launch| match plain {
        true => launch.parts(),
        false => vec![launch.clone()],
    });
    for launch in launches {
        let kernel = program.kernel(&launch.kernel)?;
        for (n, argument) in launch.arguments.iter().enumerate() {
            let value = match argument {
                Argument::Memory(m) => {
                    let m = memory.get(*m);
                    cl::Argument::Memory(m.ok_or_else(|| failure!("no such memory object"))?)
                }
                Argument::Local(bytes) => cl::Argument::Local(*bytes),
                Argument::U32(value) => cl::Argument::U32(*value),
                Argument::F32(value) => cl::Argument::F32(*value),
                Argument::Bytes(bytes) => cl::Argument::Bytes(bytes),
            };
            kernel.set(n, value)?;
        }
        let items: usize = launch.local.iter().product();
        if items > device.largest_group {
            return fail!("work-groups of {items}");
        }
        let sizes = cl::Sizes {
            offset: &launch.offset,
            global: &launch.global,
            local: Some(&launch.local),
        };
        queue.launch_at(&kernel, &sizes)?;
    }
    queue.finish()?;
    let mut results = Vec::new();
    for (m, buffer) in plan.memory.iter().zip(&memory).filter(|(m, _)| m.result) {
        let mut bytes = vec![0; m.bytes];
        queue.read(buffer, &mut bytes)?;
        results.push(bytes);
    }
    Ok(results)
}

fn filled(context: &Context, queue: &Queue, bytes: &[u8]) -> Result<Buffer, Failure> {
    let buffer = context.buffer(bytes.len())?;
    queue.write(&buffer, bytes)?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_both_forms() {
        let mut plan = Plan {
            options: "-w".into(),
            ..Plan::default()
        };
        assert_eq!(options(&plan, Some(8)), "-w");
        plan.std = Some("CL3.0".into());
        assert_eq!(options(&plan, None), "-cl-std=CL3.0 -w");
        assert_eq!(options(&plan, Some(16)), "-DPLAIN -DSUB_GROUP=16u -w");
    }
}
