//! `cargo harness campaign`: runs random and real programs on several platforms and compares their results
//! bit by bit.
//!
//! ```text
//! clsmith, generate, corpus   the sources of programs: each seed gives a program
//! launch                      the description of a program's launches, a line of JSON
//! side                        a platform: starts its child processes and follows their output
//! spirv                       the translation of a program to SPIR-V, for platforms that get it in this form
//! execute                     the child process: builds and launches programs
//! record                      the results file: a line of JSON for each program, from which a campaign resumes
//! reduce                      the reduction of a program with C-Vise
//! ```
//!
//! See `docs/campaign.md`.

mod clsmith;
mod corpus;
mod execute;
mod generate;
mod launch;
mod record;
mod reduce;
mod side;
mod spirv;

use crate::parallel::parallel;
use crate::{Failure, Outcome, child, progress};
use execute::Described;
use parking_lot::Mutex;
use record::{Record, Verdict};
pub(crate) use side::{Side, distinct};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Run programs of CLSmith, whose generator the user has built
    Clsmith {
        #[command(flatten)]
        generator: clsmith::Generator,
        #[command(flatten)]
        options: Options,
    },
    /// Run programs of the harness's own generator, whose results the specification defines to the last bit
    Generated {
        /// Use the features of a later version of OpenCL C, too; a platform whose name has `,plain=N` runs the programs' form in
        /// OpenCL C 1.2, with sub-groups of N work-items
        #[arg(long, value_name = "VERSION")]
        std: Option<generate::Std>,
        #[command(flatten)]
        options: Options,
    },
    /// Run programs of a hundred small expressions each, and name the expressions whose values differ
    Expressions {
        /// Use the integer functions of a later version of OpenCL C, too, as with `generated`
        #[arg(long, value_name = "VERSION")]
        std: Option<generate::Std>,
        #[command(flatten)]
        options: Options,
    },
    /// Run programs of a hundred float expressions each, whose values the harness computes itself
    Floats {
        #[command(flatten)]
        options: Options,
    },
    /// Run programs in which work-items take different ways, with collective functions in and after them, whose results the
    /// harness computes itself
    Flow {
        /// The number of work-items of a sub-group, at most 32
        #[arg(long, default_value_t = 8, value_name = "N")]
        sub_group: usize,
        /// Make programs in which the graph of the control flow alone decides which work-items are active together, for
        /// platforms that get it as SPIR-V
        #[arg(long)]
        by_graph: bool,
        #[command(flatten)]
        options: Options,
    },
    /// Run programs that access the same bytes with different types, whose results the harness computes itself
    Views {
        #[command(flatten)]
        options: Options,
    },
    /// Run programs in which work-items exchange values through memory, whose results the harness computes itself
    Exchange {
        /// Use features that OpenCL C has since version 2.0, too
        #[arg(long, value_name = "VERSION")]
        std: Option<generate::Std>,
        #[command(flatten)]
        options: Options,
    },
    /// Run the kernels of a corpus with generated inputs; the seed is the number of a kernel
    Corpus {
        #[command(flatten)]
        units: corpus::Units,
        #[command(flatten)]
        options: Options,
    },
    /// Reduce a program that two platforms treat differently
    Reduce(reduce::Args),
    /// Decide whether a candidate of C-Vise still shows the fault
    #[command(hide = true)]
    Interesting(reduce::Args),
    /// Build and launch programs on one device
    Run(execute::Args),
}

/// The platforms, programs and limits of a campaign.
#[derive(clap::Args, Clone)]
struct Options {
    /// A platform as `bench` names it: `caldera` (built first), part of a platform's name, or the file of a
    /// library; `,VARIABLE=VALUE` after it sets a variable of its child processes, and `,spirv=LEVEL` gives it
    /// the programs as SPIR-V. At least two
    #[arg(long = "platform", value_name = "NAME", default_values_t = [String::from("caldera"), String::from("pocl")])]
    platforms: Vec<String>,
    /// The first seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    first: u64,
    /// The number of programs
    #[arg(long, default_value_t = 100, value_name = "N")]
    count: u64,
    /// The folder for the results and the programs of interest; a run that finds results there continues
    /// them
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The number of programs that run at a time
    #[arg(long, default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// The number of programs that one child process runs, unless it is killed before
    #[arg(long, default_value_t = 1, value_name = "N")]
    batch: u64,
    /// Start no further program after this number of seconds
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    #[command(flatten)]
    limits: Limits,
    /// Ask Oclgrind about programs whose results differ: a data race, or a read of uninitialised memory or
    /// out of bounds, is the program's fault
    #[arg(long)]
    oclgrind: bool,
    /// Reduce at most this number of programs of interest at the end
    #[arg(long, default_value_t = 0, value_name = "N")]
    reduce: usize,
}

/// The limits for one program on one platform.
#[derive(clap::Args, Clone)]
pub(crate) struct Limits {
    /// Seconds for the build and the launches
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    pub(crate) timeout: u64,
    /// GiB of address space of a child process; 0 means no limit (drivers of GPUs reserve more address space
    /// than there is memory)
    #[arg(long, default_value_t = 16, value_name = "GIB")]
    pub(crate) memory: u64,
    /// The executable to start instead of this one for child processes, for the harness's own tests
    #[arg(long, hide = true, value_name = "FILE")]
    pub(crate) child: Option<PathBuf>,
}

impl Limits {
    pub(crate) fn of_child(&self) -> child::Limits {
        child::Limits {
            time: Duration::from_secs(self.timeout),
            memory: (self.memory > 0).then_some(self.memory << 30),
        }
    }
}

/// A program that a source has made.
struct Program {
    text: String,
    /// A description of how it was made.
    how: String,
    /// The program with its result, in a form that can be made smaller, if the source computes results.
    written: Option<generate::Written>,
}

impl Program {
    /// Makes a program whose result the harness has computed.
    fn computed(written: generate::Written, how: &str) -> Program {
        Program {
            text: written.text.clone(),
            how: how.to_owned(),
            written: Some(written),
        }
    }
}

/// The name under which a record has the results that a source knows.
const EXACT: &str = "exact";

/// Makes the program for a seed in a scratch folder, or `None` if the generator makes no program for the seed.
type Source<'a> = dyn Fn(u64, &Path) -> Result<Option<Program>, Failure> + Sync + 'a;

impl From<(String, String)> for Program {
    /// Makes a program of its text and a description, whose results nobody knows.
    fn from((text, how): (String, String)) -> Program {
        let written = None;
        Program { text, how, written }
    }
}

/// Makes the source of programs for the devices of a campaign.
type Opener<'a> = dyn Fn(&[Described]) -> Box<Source<'a>> + 'a;

pub(crate) fn run(args: &Args) -> Outcome {
    match &args.command {
        Command::Clsmith { generator, options } => campaign(
            &|_| Box::new(|seed, scratch: &Path| Ok(generator.program(seed, scratch)?.map(Program::from))),
            Comparison::Bits,
            options,
        ),
        Command::Generated { std, options } => {
            campaign(&generated(generate::program, *std), Comparison::Bits, options)
        }
        Command::Expressions { std, options } => campaign(
            &generated(generate::expressions, *std),
            Comparison::Expressions,
            options,
        ),
        Command::Floats { options } => compare(&floats, Comparison::Expressions, options, 1),
        Command::Flow {
            sub_group,
            by_graph,
            options,
        } => compare(&flow(*sub_group, *by_graph), Comparison::Bits, options, 1),
        Command::Views { options } => compare(
            &|_| Box::new(|seed, _: &Path| Ok(Some(Program::computed(generate::views(seed)?, "views")))),
            Comparison::Bits,
            options,
            1,
        ),
        Command::Exchange { std, options } => compare(&exchange(*std), Comparison::Bits, options, 1),
        Command::Corpus { units, options } => {
            std::fs::create_dir_all(&options.out)?;
            let cases = units.cases(options)?;
            let cases = &cases;
            campaign(
                &|_| Box::new(move |seed, _: &Path| Ok(corpus::program(cases, seed)?.map(Program::from))),
                Comparison::Near,
                options,
            )
        }
        Command::Reduce(args) => reduce::run(args),
        Command::Interesting(args) => reduce::interesting(args),
        Command::Run(args) => execute::run(args),
    }
}

/// Returns the opener of a source of generated programs, which use only features that all devices have.
fn generated(
    program: fn(u64, generate::Features) -> Result<String, Failure>,
    later: Option<generate::Std>,
) -> impl Fn(&[Described]) -> Box<Source<'static>> {
    move |devices| {
        let features = generate::Features {
            half: devices.iter().all(|d| d.half),
            double: devices.iter().all(|d| d.double),
            images: devices.iter().all(|d| d.images),
            later,
        };
        let how = format!("{features:?}");
        Box::new(move |seed, _| Ok(Some((program(seed, features)?, how.clone()).into())))
    }
}

/// Opens the source of programs of floats, which uses only what all devices promise.
fn floats(devices: &[Described]) -> Box<Source<'static>> {
    let numbers = generate::Numbers::of(devices);
    Box::new(move |seed, _| {
        let how = format!("{numbers:?}");
        Ok(Some(Program::computed(generate::floats(seed, numbers)?, &how)))
    })
}

/// Returns the opener of the source of programs in which work-items exchange values, which uses only what all devices have, and
/// the features of a later version of OpenCL C.
fn exchange(later: Option<generate::Std>) -> impl Fn(&[Described]) -> Box<Source<'static>> {
    move |devices| {
        let long_atomics = devices.iter().all(|d| d.long_atomics);
        Box::new(move |seed, _| {
            let how = format!("long_atomics: {long_atomics}, later: {later:?}");
            Ok(Some(Program::computed(
                generate::exchange(seed, long_atomics, later)?,
                &how,
            )))
        })
    }
}

/// Returns the opener of the source of programs in which work-items take different ways.
fn flow(sub_group: usize, by_graph: bool) -> impl Fn(&[Described]) -> Box<Source<'static>> {
    move |_| {
        Box::new(move |seed, _| {
            let how = format!("sub-groups of {sub_group}, by_graph: {by_graph}");
            Ok(Some(Program::computed(
                generate::flow(seed, sub_group, by_graph)?,
                &how,
            )))
        })
    }
}

/// How a campaign compares the results of a program.
#[derive(Copy, Clone)]
enum Comparison {
    /// The results must be equal.
    Bits,
    /// Floats may differ by rounding.
    Near,
    /// The results must be equal; the record names the expressions whose values differ.
    Expressions,
}

fn campaign(open: &Opener<'_>, comparison: Comparison, options: &Options) -> Outcome {
    compare(open, comparison, options, 2)
}

/// Runs a campaign on `least` platforms or more.
fn compare(open: &Opener<'_>, comparison: Comparison, options: &Options, least: usize) -> Outcome {
    let platforms: Vec<Side> = options
        .platforms
        .iter()
        .map(|name| Side::find(name, &options.limits))
        .collect::<Result<_, Failure>>()?;
    if platforms.len() < least {
        return fail!("this campaign compares {least} platforms at least");
    }
    let sides = distinct(platforms);
    let programs = options.out.join("programs");
    std::fs::create_dir_all(&programs)?;
    let devices = sides
        .iter()
        .map(|s| s.device(&options.out))
        .collect::<Result<Vec<_>, Failure>>()?;
    for (side, device) in sides.iter().zip(&devices) {
        say!("{}: {}", side.name, device.name);
    }
    let file = options.out.join("results.jsonl");
    let mut records = record::read(&file)?;
    let known: BTreeSet<u64> = records.iter().map(|r| r.seed).collect();
    let seeds: Vec<u64> = (options.first..options.first.saturating_add(options.count))
        .filter(|s| !known.contains(s))
        .collect();
    child::catch_interrupts()?;
    let source = open(&devices);
    let run = Run {
        source: &*source,
        comparison,
        options,
        sides: &sides,
        programs: &programs,
        results: Mutex::new(File::options().create(true).append(true).open(&file)?),
        bar: progress::Bar::new(seeds.len()),
    };
    records.extend(run.all(&seeds)?);
    records.sort_by_key(|r| r.seed);
    record::print(&records);
    for record in records
        .iter()
        .filter(|r| r.verdict.is_of_interest())
        .take(options.reduce)
    {
        match source(record.seed, &programs)? {
            Some(Program {
                written: Some(written),
                ..
            }) if record.verdict == Verdict::Differs => run.shrink(record, written)?,
            _ => reduce::automatically(record, &options.platforms, &programs, &options.limits)?,
        }
    }
    let bad = records.iter().filter(|r| r.verdict.is_of_interest()).count();
    match bad {
        0 => Ok(()),
        n => fail!(
            "{n} programs are not treated alike; they are in {}",
            programs.display()
        ),
    }
}

/// A campaign in progress.
struct Run<'a> {
    source: &'a Source<'a>,
    comparison: Comparison,
    options: &'a Options,
    sides: &'a [Side],
    /// The folder in which the programs of interest are kept.
    programs: &'a Path,
    results: Mutex<File>,
    bar: progress::Bar,
}

impl Run<'_> {
    fn all(&self, seeds: &[u64]) -> Result<Vec<Record>, Failure> {
        let batches: Vec<&[u64]> = seeds.chunks(self.options.batch.max(1) as usize).collect();
        let begin = Instant::now();
        let is_over = || {
            self.options
                .seconds
                .is_some_and(|s| begin.elapsed().as_secs() >= s)
        };
        let records = self.in_parallel(&batches, |scratch, seeds| {
            match child::interrupted() || is_over() {
                true => Ok(Vec::new()),
                false => self.batch(seeds, scratch),
            }
        })?;
        Ok(records.into_iter().flatten().collect())
    }

    /// Calls `work` for each item, on as many threads as the options say, with a scratch folder for each thread.
    fn in_parallel<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&Path, &T) -> Result<R, Failure> + Sync,
    ) -> Result<Vec<R>, Failure> {
        let jobs = self.options.jobs.max(1);
        let scratch = |slot: usize| self.options.out.join(format!("scratch-{slot}"));
        for slot in 0..jobs {
            std::fs::create_dir_all(scratch(slot))?;
        }
        let results = parallel(jobs, items, |slot, item| {
            work(&scratch(slot).canonicalize()?, item)
        })?;
        for slot in 0..jobs {
            std::fs::remove_dir_all(scratch(slot))?;
        }
        Ok(results)
    }

    fn batch(&self, seeds: &[u64], scratch: &Path) -> Result<Vec<Record>, Failure> {
        let (mut files, mut records, mut none) = (Vec::new(), Vec::new(), Vec::new());
        let mut known = Vec::new();
        for seed in seeds {
            match (self.source)(*seed, scratch)? {
                Some(Program { text, how, written }) => {
                    let exact = written.map(|w| w.words);
                    let file = scratch.join(format!("{seed}.cl"));
                    std::fs::write(&file, text)?;
                    let mut how = how;
                    for side in self.sides {
                        if let Some(recipe) = side.recipe(&file)? {
                            how += &format!("; {}: {recipe}", side.name);
                        }
                    }
                    files.push(file);
                    let mut record = Record::new(*seed, how);
                    if let Some(words) = &exact {
                        record.sides.insert(EXACT.into(), computed(words));
                    }
                    records.push(record);
                    known.push(exact);
                }
                None => none.push(Record::new(*seed, "the generator makes none".into())),
            }
        }
        for record in &none {
            self.keep(record)?;
        }
        for side in self.sides {
            let ends = side.run(&files, None, scratch)?;
            for (record, end) in records.iter_mut().zip(ends) {
                record.sides.insert(side.name.clone(), end);
            }
        }
        for ((record, file), exact) in records.iter_mut().zip(&files).zip(known) {
            record.judge();
            if record.verdict == Verdict::Differs {
                self.look_closer(file, record, exact, scratch)?;
            }
            if record.may_be_undefined() && self.options.oclgrind {
                let (found, end) = reduce::ask_oclgrind(file, None, scratch, &self.options.limits)?;
                record.oclgrind(found, end);
            }
            if record.verdict.is_of_interest() {
                std::fs::copy(file, self.programs.join(format!("{}.cl", record.seed)))?;
            }
            std::fs::remove_file(file)?;
            self.keep(record)?;
        }
        records.append(&mut none);
        Ok(records)
    }

    /// Compares results with different hashes word by word, if the campaign's comparison asks for it: sets
    /// the verdict `Near`, or names the expressions that differ.
    fn look_closer(
        &self,
        program: &Path,
        record: &mut Record,
        exact: Option<Vec<u64>>,
        scratch: &Path,
    ) -> Outcome {
        let (plan, text) = execute::read(program, None)?;
        let floats = |m: &launch::Memory| matches!(m.fill, launch::Fill::Floats { .. });
        match self.comparison {
            Comparison::Bits => {}
            // If no input is a buffer of floats, the results are compared bit by bit.
            Comparison::Near if !plan.memory.iter().any(floats) => {}
            Comparison::Near => {
                let results: Vec<_> = self.words(program, record, scratch)?.into_values().collect();
                if corpus::are_near(&plan, &results) {
                    record.verdict = Verdict::Near;
                }
            }
            Comparison::Expressions => {
                let results = self.words(program, record, scratch)?.into_iter();
                let results = results.map(|(side, w)| (side, w.into_iter().map(|(_, word)| word).collect()));
                let exact = exact.map(|words| (EXACT.to_owned(), words));
                record.differences = generate::differences(&text, &results.chain(exact).collect());
            }
        }
        Ok(())
    }

    /// Returns the words of a program's results on the platforms on which it finished.
    fn words(
        &self,
        program: &Path,
        record: &Record,
        scratch: &Path,
    ) -> Result<BTreeMap<String, Vec<(usize, u64)>>, Failure> {
        let done = |s: &&Side| record.sides.get(&s.name).is_some_and(|e| e.hash().is_some());
        let words = |s: &Side| Ok((s.name.clone(), s.words(program, scratch)?));
        self.sides.iter().filter(done).map(words).collect()
    }

    /// Makes a program smaller, step by step, as long as the results of all platforms that run it still differ from the
    /// computed ones, and keeps the smallest.
    fn shrink(&self, record: &Record, mut written: generate::Written) -> Outcome {
        progress::step(&format!("Reducing {}", record.seed));
        let mut smallest = None;
        loop {
            let mut candidates = written.smaller()?;
            let numbers: Vec<usize> = (0..candidates.len()).collect();
            let batches: Vec<&[usize]> = numbers.chunks(self.options.batch.max(1) as usize).collect();
            // The first candidate that has been found. Those after it are not tried.
            let first = AtomicUsize::new(usize::MAX);
            self.in_parallel(&batches, |scratch, numbers| {
                if numbers[0] < first.load(Ordering::Relaxed)
                    && let Some(found) = self.first_that_differs(&candidates, numbers, scratch)?
                {
                    first.fetch_min(found, Ordering::Relaxed);
                }
                Ok(())
            })?;
            match first.into_inner() {
                usize::MAX => break,
                n => written = candidates.swap_remove(n),
            }
            smallest = Some(written.text.clone());
        }
        match smallest {
            Some(text) => {
                let file = self.programs.join(format!("{}.reduced.cl", record.seed));
                Ok(std::fs::write(file, text)?)
            }
            None => Ok(()),
        }
    }

    /// Returns the first of some candidates whose results differ from the computed ones.
    fn first_that_differs(
        &self,
        candidates: &[generate::Written],
        numbers: &[usize],
        scratch: &Path,
    ) -> Result<Option<usize>, Failure> {
        let mut files = Vec::new();
        for n in numbers {
            let file = scratch.join(format!("{n}.cl"));
            std::fs::write(&file, &candidates[*n].text)?;
            files.push(file);
        }
        let mut records: Vec<Record> = Vec::new();
        for n in numbers {
            let mut record = Record::new(*n as u64, String::new());
            record.sides.insert(EXACT.into(), computed(&candidates[*n].words));
            records.push(record);
        }
        for side in self.sides {
            for (record, end) in records.iter_mut().zip(side.run(&files, None, scratch)?) {
                record.sides.insert(side.name.clone(), end);
            }
        }
        for record in &mut records {
            record.judge();
        }
        let first = records.iter().position(|r| r.verdict == Verdict::Differs);
        Ok(first.map(|at| numbers[at]))
    }

    fn keep(&self, record: &Record) -> Outcome {
        self.bar.finished(&record.seed.to_string(), record.verdict.word());
        let line = format!("{}\n", serde_json::to_string(record)?);
        let mut results = self.results.lock();
        Ok(results.write_all(line.as_bytes())?)
    }
}

/// Returns how a program ends whose result the source knows.
fn computed(words: &[u64]) -> side::Ending {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    side::Ending::Done {
        hash: format!("{:016x}", launch::hash(0, &bytes)),
        build: 0.0,
        run: 0.0,
    }
}
