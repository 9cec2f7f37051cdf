//! Measures the time to build programs and the time to the first result, in new processes. The cold cases
//! switch off all known caches. The warm cases use caches that an earlier process has filled.

use super::generate::Program;
use crate::Outcome;
use crate::bench::case::{Case, Quantity, Row, Running, Sample, Side, Stop};
use crate::bench::data::to_u32;
use crate::child::{self, End};
use crate::cl::{Argument, Context, Location, Queue, Range};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// The time limit of a probe.
const LIMIT: Duration = Duration::from_secs(120);
const ITEMS: usize = 64;
const TRIVIAL: &str =
    "kernel void generated(global uint *out)\n{\n    uint i = get_global_id(0);\n    out[i] = i * 3;\n}\n";

/// Returns the values that a probe measures, in the order of the rows: the row, the JSON key and the quantity of each.
/// Memory is measured in the cold case only.
fn values(state: State, longest: usize) -> Vec<(String, String, Quantity)> {
    let word = state.word();
    let time = |row: &str, key: String| (format!("build/{row}, {word}"), key, Quantity::Time);
    let mut all = vec![time("process start to first result", "first result".into())];
    for subject in subjects(longest) {
        let what = subject.label();
        all.push(time(&what, format!("{what} build")));
        all.push(time(
            &format!("{what} to first launch done"),
            format!("{what} done"),
        ));
    }
    if state == State::Cold {
        for key in ["after the first context", "after the programs"] {
            all.push((format!("memory/resident {key}"), key.into(), Quantity::Memory));
        }
    }
    all
}

/// A program that is built.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Subject {
    Trivial,
    /// A program of one kernel, with about this number of lines.
    Lines(usize),
    /// A program with this number of kernels, of which two are launched.
    Kernels(usize),
}

impl Subject {
    fn label(self) -> String {
        match self {
            Subject::Trivial => String::from("trivial"),
            Subject::Lines(lines) => format!("{lines} lines"),
            Subject::Kernels(kernels) => format!("{kernels} kernels"),
        }
    }

    /// Returns the source, and the kernels that are launched.
    fn source(self) -> (String, Vec<Generated>) {
        match self {
            Subject::Trivial => (TRIVIAL.into(), vec![Generated::Trivial]),
            Subject::Lines(lines) => {
                let program = Program::new(lines);
                (program.source(), vec![Generated::Whole(program)])
            }
            Subject::Kernels(kernels) => {
                let program = Rc::new(Program::of_functions(kernels));
                let launched = [0, kernels / 2].map(|k| Generated::Part(Rc::clone(&program), k));
                (program.source_of_kernels(), launched.into())
            }
        }
    }
}

/// A kernel that is launched.
enum Generated {
    Trivial,
    Whole(Program),
    Part(Rc<Program>, usize),
}

impl Generated {
    fn name(&self) -> String {
        match self {
            Generated::Trivial | Generated::Whole(_) => String::from("generated"),
            Generated::Part(_, kernel) => format!("generated{kernel}"),
        }
    }

    /// Returns the word that work-item `i` writes.
    fn result(&self, i: u32) -> u32 {
        match self {
            Generated::Trivial => i * 3,
            Generated::Whole(program) => program.result(i),
            Generated::Part(program, kernel) => program.result_of_kernel(*kernel, i),
        }
    }
}

/// Returns the programs, the longest of which has `longest` lines.
fn subjects(longest: usize) -> impl Iterator<Item = Subject> {
    let all = [
        (0, Subject::Trivial),
        (300, Subject::Lines(300)),
        (3000, Subject::Lines(3000)),
        (1400, Subject::Kernels(100)),
    ];
    let short = all.into_iter().filter(move |(lines, _)| *lines <= longest);
    short.map(|(_, subject)| subject)
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    Cold,
    Warm,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Cold => "cold",
            State::Warm => "warm",
        }
    }

    /// Returns the cache variables of the known implementations and drivers. Other implementations keep their
    /// caches in both cases.
    fn environment(self, caches: &std::path::Path) -> Vec<(&'static str, OsString)> {
        let dir = || OsString::from(caches);
        match self {
            State::Cold => [
                ("CALDERA_CACHE", "off"),
                ("CUDA_CACHE_DISABLE", "1"),
                ("POCL_KERNEL_CACHE", "0"),
                ("MESA_SHADER_CACHE_DISABLE", "true"),
                ("MESA_GLSL_CACHE_DISABLE", "true"),
                ("__GL_SHADER_DISK_CACHE", "0"),
            ]
            .map(|(name, value)| (name, value.into()))
            .to_vec(),
            State::Warm => vec![
                ("CALDERA_CACHE", dir()),
                ("CUDA_CACHE_DISABLE", "0".into()),
                ("CUDA_CACHE_PATH", dir()),
                ("POCL_KERNEL_CACHE", "1".into()),
                ("POCL_CACHE_DIR", dir()),
                ("MESA_SHADER_CACHE_DISABLE", "false".into()),
                ("MESA_SHADER_CACHE_DIR", dir()),
                ("MESA_GLSL_CACHE_DISABLE", "false".into()),
                ("MESA_GLSL_CACHE_DIR", dir()),
                ("__GL_SHADER_DISK_CACHE", "1".into()),
                ("__GL_SHADER_DISK_CACHE_PATH", dir()),
            ],
        }
    }
}

pub(super) fn cases(longest: usize) -> Vec<Case> {
    let case = |state| Case {
        rows: values(state, longest)
            .into_iter()
            .map(|(name, _, quantity)| Row { name, quantity })
            .collect(),
        block: 1,
        most: 3,
        make: Box::new(move |side| Ok(Box::new(Probes::new(side, state, longest)?) as Box<dyn Running>)),
    };
    [State::Cold, State::Warm].map(case).into()
}

/// Starts the probes of a side.
struct Probes {
    place: Location,
    state: State,
    longest: usize,
    dir: TempDir,
}

impl Probes {
    fn new(side: &Side, state: State, longest: usize) -> Result<Probes, Stop> {
        let dir = tempfile::tempdir()?;
        std::fs::create_dir(dir.path().join("caches"))?;
        Ok(Probes {
            place: side.place.clone(),
            state,
            longest,
            dir,
        })
    }

    fn run(&self) -> Result<Value, Stop> {
        let report = self.dir.path().join("report.json");
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["bench", "probe"])
            .args(self.place.arguments())
            .args(["--longest", &self.longest.to_string()])
            .arg("--report")
            .arg(&report)
            .envs(self.state.environment(&self.dir.path().join("caches")))
            .args(["--started", &now().to_string()]);
        let (end, said) = child::output(&mut command, LIMIT)?;
        if end != End::Code(0) {
            let last = said.lines().next_back().unwrap_or_default();
            return Err(Stop::Failed(format!("the probe: {end}: {last}")));
        }
        Ok(serde_json::from_str(&std::fs::read_to_string(&report)?)?)
    }
}

impl Running for Probes {
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop> {
        let report = self.run()?;
        let values = values(self.state, self.longest);
        let sample = |(_, key, _): &(String, String, Quantity)| {
            let value = report[key].as_f64();
            value
                .map(Sample::wall)
                .ok_or_else(|| Stop::Failed(format!("the probe does not tell «{key}»")))
        };
        values.iter().map(sample).collect()
    }

    /// The probe checks its results itself, so nothing is left to check.
    fn check(&mut self) -> Result<(), Stop> {
        Ok(())
    }
}

/// Returns the nanoseconds of a clock that the parent and the child share.
fn now() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos())
}

/// The arguments of the child process.
#[derive(clap::Args)]
pub(in crate::bench) struct ProbeArgs {
    #[command(flatten)]
    place: Location,
    #[arg(long)]
    longest: usize,
    #[arg(long)]
    report: PathBuf,
    /// When the parent started this process, by `now`
    #[arg(long)]
    started: u128,
}

/// Builds and launches each program once, and reports the times and the memory.
pub(in crate::bench) fn probe(args: &ProbeArgs) -> Outcome {
    let resident = || crate::process::resident().unwrap_or(0) as f64;
    let before = resident();
    let device = args.place.open()?;
    let context = Context::new(&device)?;
    let queue = Queue::new(&context, false)?;
    let mut report = json!({ "after the first context": resident() - before });
    let buffers = [context.buffer(ITEMS * 4)?, context.buffer(ITEMS * 4)?];
    for subject in subjects(args.longest) {
        let (source, launched) = subject.source();
        let what = subject.label();
        let start = Instant::now();
        let built = context.build(&source, "")?;
        let build = start.elapsed().as_secs_f64();
        for (generated, result) in launched.iter().zip(&buffers) {
            let kernel = built.kernel(&generated.name())?;
            kernel.set(0, Argument::Memory(result))?;
            queue.launch(&kernel, Range::line(ITEMS, ITEMS))?;
        }
        queue.finish()?;
        report[format!("{what} build")] = json!(build);
        report[format!("{what} done")] = json!(start.elapsed().as_secs_f64());
        for (generated, result) in launched.iter().zip(&buffers) {
            let mut bytes = vec![0; ITEMS * 4];
            queue.read(result, &mut bytes)?;
            if subject == Subject::Trivial {
                report["first result"] = json!(now().saturating_sub(args.started) as f64 * 1e-9);
            }
            for (i, found) in (0u32..).zip(to_u32(&bytes)) {
                let expected = generated.result(i);
                if found != expected {
                    return fail!(
                        "wrong result of {what}: work-item {i} gives {found:#x}, not {expected:#x}"
                    );
                }
            }
        }
    }
    report["after the programs"] = json!(resident() - before);
    std::fs::write(&args.report, report.to_string())?;
    Ok(())
}
