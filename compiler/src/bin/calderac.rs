//! The offline compiler: OpenCL C to Vulkan SPIR-V, and everything in between for a look.
#![forbid(unsafe_code)]

use caldera_compiler::driver::{Dump, Input, Observer, Stage, compile_observed};
use caldera_compiler::options::Options;
use caldera_compiler::pass::{Hooks, Select, pipeline};
use caldera_compiler::pp::IncludeResolver;
use caldera_compiler::target::{SpirvVersion, Target};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const HELP: &str = "\
calderac: OpenCL C 1.2 to Vulkan SPIR-V

usage: calderac [options] FILE...        (- reads standard input)

output
  -o FILE               where the result goes (default: standard output; for spv, FILE.spv beside the source)
  --emit=KIND           pp | ast | hir | ir | final-ir | spv (default) | spvasm | reflect
  --check               compile, write nothing
  --strip-reflection    without the reflection, for drivers and tools that do not know it
  --stop-after=STAGE    preprocess | parse | sema | lower_hir | passes | emit

language
  -D NAME[=VALUE]  -U NAME  -I DIR  -cl-std=CL1.2  -cl-fast-relaxed-math  -w  -Werror ...
                        every option that clBuildProgram takes
  --options=STRING      all of them in one string, read as clBuildProgram reads it

target
  --target=NAME         desktop (default) | vulkan1.2 (SPIR-V 1.5) | vulkan1.1 (SPIR-V 1.3)
  --spirv=1.N           SPIR-V version of the output

passes
  --print-before=PASS,... --print-after=PASS,...   IR to standard error ('all' for every pass)
  --skip-pass=PASS,...  --pass-limit=N             for bisection
  --verify              verify after each pass (always so in debug builds)
  --list-passes         the order, and what each does
  --time                milliseconds per stage and pass to standard error

exit code: 0 compiled, 1 errors in the program, 2 wrong usage, 3 a file cannot be read or written,
4 internal compiler error
";

/// What is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Emit {
    Preprocessed,
    Ast,
    Hir,
    Ir,
    FinalIr,
    Spv,
    Spvasm,
    Reflect,
}

impl Emit {
    fn parse(name: &str) -> Option<Emit> {
        Some(match name {
            "pp" => Emit::Preprocessed,
            "ast" => Emit::Ast,
            "hir" => Emit::Hir,
            "ir" => Emit::Ir,
            "final-ir" => Emit::FinalIr,
            "spv" => Emit::Spv,
            "spvasm" => Emit::Spvasm,
            "reflect" => Emit::Reflect,
            _ => return None,
        })
    }

    /// The stage whose result it is.
    fn stage(self) -> Stage {
        match self {
            Emit::Preprocessed => Stage::Preprocess,
            Emit::Ast => Stage::Parse,
            Emit::Hir => Stage::Sema,
            Emit::Ir => Stage::LowerHir,
            Emit::FinalIr => Stage::Passes,
            Emit::Spv | Emit::Spvasm | Emit::Reflect => Stage::Emit,
        }
    }

    /// The name of the dump.
    fn dump(self) -> &'static str {
        match self {
            Emit::Preprocessed => "pp",
            Emit::Ast => "ast",
            Emit::Hir => "hir",
            Emit::Ir => "ir",
            Emit::FinalIr => "final",
            Emit::Spv | Emit::Spvasm => "spv",
            Emit::Reflect => "reflect",
        }
    }
}

/// The command line.
struct Args {
    files: Vec<String>,
    output: Option<PathBuf>,
    emit: Emit,
    check: bool,
    strip: bool,
    stop_after: Option<Stage>,
    options: Options,
    target: Target,
    hooks: Hooks,
    time: bool,
}

/// Why nothing can be done.
enum Refusal {
    Help,
    ListPasses,
    Usage(String),
}

fn main() -> ExitCode {
    let args = match parse_args(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(Refusal::Help) => {
            let _ = std::io::stdout().write_all(HELP.as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(Refusal::ListPasses) => {
            for pass in pipeline::pipeline(&Target::desktop()).passes() {
                let _ = writeln!(std::io::stdout(), "{:<22} {}", pass.name, pass.about);
            }
            return ExitCode::SUCCESS;
        }
        Err(Refusal::Usage(message)) => {
            complain(&format!("calderac: {message}\n"));
            return ExitCode::from(2);
        }
    };
    // A panic of the compiler is reported as an internal error, with its message, by the library.
    std::panic::set_hook(Box::new(|info| complain(&format!("{info}\n"))));
    let mut worst = 0;
    for file in &args.files {
        worst = worst.max(one_file(&args, file));
    }
    ExitCode::from(worst)
}

fn complain(message: &str) {
    let _ = std::io::stderr().write_all(message.as_bytes());
}

fn parse_args(args: impl Iterator<Item = String>) -> Result<Args, Refusal> {
    let usage = |m: String| Refusal::Usage(m);
    let mut out = Args {
        files: Vec::new(),
        output: None,
        emit: Emit::Spv,
        check: false,
        strip: false,
        stop_after: None,
        options: Options::default(),
        target: Target::desktop(),
        hooks: Hooks::default(),
        time: false,
    };
    // What the language takes is collected and parsed as clBuildProgram's string would be.
    let mut language = String::new();
    let mut spirv = None;
    let mut it = args;
    while let Some(arg) = it.next() {
        let (key, value) = match arg.split_once('=') {
            Some((k, v)) if k.starts_with("--") => (k, Some(v)),
            _ => (arg.as_str(), None),
        };
        let list = |v: Option<&str>| match v {
            Some("all") => Ok(Select::All),
            Some(names) => Ok(Select::Names(names.split(',').map(String::from).collect())),
            None => Err(usage(format!("{key} needs the names of passes"))),
        };
        match (key, value) {
            ("-h" | "--help", None) => return Err(Refusal::Help),
            ("--list-passes", None) => return Err(Refusal::ListPasses),
            ("-o", None) => {
                let path = it.next().ok_or_else(|| usage("-o needs a file".into()))?;
                out.output = Some(path.into());
            }
            ("--emit", Some(kind)) => {
                out.emit = Emit::parse(kind).ok_or_else(|| usage(format!("unknown --emit={kind}")))?;
            }
            ("--check", None) => out.check = true,
            ("--strip-reflection", None) => out.strip = true,
            ("--time", None) => {
                out.time = true;
                out.hooks.time = true;
            }
            ("--verify", None) => out.hooks.verify_each = true,
            ("--print-before", v) => out.hooks.print_before = list(v)?,
            ("--print-after", v) => out.hooks.print_after = list(v)?,
            ("--skip-pass", v) => out.hooks.skip = list(v)?,
            ("--pass-limit", Some(n)) => {
                let n = n.parse().map_err(|_| usage(format!("--pass-limit={n}?")))?;
                out.hooks.limit = Some(n);
            }
            ("--stop-after", Some(name)) => out.stop_after = Some(stage(name).map_err(usage)?),
            ("--target", Some(name)) => out.target = target(name).map_err(usage)?,
            ("--spirv", Some(v)) => spirv = Some(version(v).map_err(usage)?),
            ("--options", Some(text)) => language.push_str(&format!("{text} ")),
            ("-D" | "-U" | "-I", None) => {
                let value = it
                    .next()
                    .ok_or_else(|| usage(format!("{key} needs an argument")))?;
                language.push_str(&format!("{key} \"{}\" ", escape(&value)));
            }
            ("-", None) => out.files.push("-".into()),
            (k, _) if k.starts_with("--") => return Err(usage(format!("unknown option {arg}"))),
            (k, _) if k.starts_with('-') => language.push_str(&format!("\"{}\" ", escape(&arg))),
            _ => out.files.push(arg),
        }
    }
    out.options = Options::parse(&language).map_err(|e| usage(e.to_string()))?;
    if let Some(v) = spirv {
        out.target.spirv = v;
    }
    if out.files.is_empty() {
        return Err(usage("no input file (--help tells more)".into()));
    }
    if out.files.len() > 1 && out.output.is_some() {
        return Err(usage("-o with several input files".into()));
    }
    Ok(out)
}

fn escape(s: &str) -> String {
    s.replace('\\', "\\\\").replace('"', "\\\"")
}

fn stage(name: &str) -> Result<Stage, String> {
    [
        Stage::Preprocess,
        Stage::Parse,
        Stage::Sema,
        Stage::LowerHir,
        Stage::Passes,
        Stage::Emit,
    ]
    .into_iter()
    .find(|s| s.name() == name)
    .ok_or_else(|| format!("unknown stage {name}"))
}

fn target(name: &str) -> Result<Target, String> {
    let minor = match name {
        "desktop" | "vulkan1.3" => 6,
        "vulkan1.2" => 5,
        "vulkan1.1" => 3,
        _ => return Err(format!("unknown target {name}")),
    };
    Ok(Target {
        spirv: SpirvVersion { major: 1, minor },
        ..Target::desktop()
    })
}

fn version(v: &str) -> Result<SpirvVersion, String> {
    match v.strip_prefix("1.").map(str::parse) {
        Some(Ok(minor @ 3..=6)) => Ok(SpirvVersion { major: 1, minor }),
        _ => Err(format!("SPIR-V version {v} is not among 1.3 to 1.6")),
    }
}

/// Reads included files.
struct Disk;

impl IncludeResolver for Disk {
    fn resolve(
        &self,
        name: &str,
        angled: bool,
        includer: &str,
        dirs: &[String],
    ) -> Option<(String, Arc<str>)> {
        let read = |path: PathBuf| {
            let bytes = std::fs::read(&path).ok()?;
            let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
            Some((path.display().to_string(), text))
        };
        let beside = Path::new(includer).parent().filter(|_| !angled);
        beside
            .into_iter()
            .chain(dirs.iter().map(Path::new))
            .find_map(|dir| read(dir.join(name)))
    }
}

/// Collects what the command line asks for.
struct Watcher<'a> {
    args: &'a Args,
    result: Option<Dump>,
}

impl Observer for Watcher<'_> {
    fn wants(&self, stage: Stage) -> bool {
        !self.args.check && stage == self.args.emit.stage()
    }
    fn wants_named(&self, _: Stage, name: &str) -> bool {
        name == self.args.emit.dump()
    }
    fn dump(&mut self, stage: Stage, name: &str, dump: Dump) {
        if self.wants(stage) && name == self.args.emit.dump() {
            self.result = Some(dump);
        } else if let (Stage::Passes, Dump::Text(text)) = (stage, &dump)
            && name != "final"
        {
            complain(&format!("; ---- {name}\n{text}\n"));
        }
    }
    fn time(&mut self, stage: Stage, pass: Option<&'static str>, time: Duration) {
        if self.args.time {
            let ms = time.as_secs_f64() * 1e3;
            match pass {
                None => complain(&format!("{:<26} {ms:9.3} ms\n", stage.name())),
                Some(pass) => complain(&format!("  {pass:<24} {ms:9.3} ms\n")),
            }
        }
    }
    fn hooks(&self) -> Hooks {
        self.args.hooks.clone()
    }
    fn stop_after(&self, stage: Stage) -> bool {
        // What comes behind the stage that is written out is of no interest, errors apart.
        self.args.stop_after == Some(stage) || (!self.args.check && stage == self.args.emit.stage())
    }
}

/// Compiles one file; the exit code.
fn one_file(args: &Args, file: &str) -> u8 {
    let bytes = if file == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    let source = match bytes {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(e) => {
            complain(&format!("calderac: {file}: {e}\n"));
            return 3;
        }
    };
    let input = Input {
        name: if file == "-" { "<stdin>" } else { file },
        source: &source,
        options: &args.options,
        resolver: &Disk,
    };
    let mut watcher = Watcher { args, result: None };
    let outcome = compile_observed(&input, &args.target, &mut watcher);
    let result = watcher.result.take();
    match outcome {
        Ok(compiled) => complain(&compiled.log),
        Err(failed) => {
            complain(&failed.log);
            return if failed.internal { 4 } else { 1 };
        }
    }
    if args.check {
        return 0;
    }
    let Some(dump) = result else {
        return 0;
    };
    match write(args, file, dump) {
        Ok(()) => 0,
        Err(e) => {
            complain(&format!("calderac: cannot write: {e}\n"));
            3
        }
    }
}

fn write(args: &Args, file: &str, dump: Dump) -> std::io::Result<()> {
    let dump = match dump {
        Dump::Words(words) if args.strip => {
            let stripped = caldera_compiler::reflect::strip(&words);
            Dump::Words(stripped.map_err(std::io::Error::other)?)
        }
        dump => dump,
    };
    let bytes = match dump {
        Dump::Text(text) => text.into_bytes(),
        Dump::Words(words) if args.emit == Emit::Spvasm => {
            caldera_compiler::spirv::disassemble(&words).into_bytes()
        }
        Dump::Words(words) => words.iter().flat_map(|w| w.to_le_bytes()).collect(),
    };
    match &args.output {
        Some(path) => std::fs::write(path, bytes),
        None if args.emit == Emit::Spv && file != "-" => {
            std::fs::write(Path::new(file).with_extension("spv"), bytes)
        }
        None => std::io::stdout().write_all(&bytes),
    }
}
