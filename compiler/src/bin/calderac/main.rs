//! The offline compiler, which compiles OpenCL C, or SPIR-V for OpenCL, to Vulkan SPIR-V and can write the
//! result of any stage.
#![forbid(unsafe_code)]

mod args;
mod completions;
mod help;

use args::{Args, Emit, Refusal};
use caldera_compiler::clspv::OutputFormat;
use caldera_compiler::driver::{
    Compiled, Dump, Failed, IlInput, Input, Observer, Stage, Unobserved, compile_il, compile_il_object,
    compile_object, compile_observed, link,
};
use caldera_compiler::pass::{Hooks, pipeline};
use caldera_compiler::pp::{IncludeResolver, Included, MAX_INCLUDED_BYTES};
use caldera_compiler::reflect::{self, MapStyle, descriptor_map};
use caldera_compiler::spirv_in::{self, Words, is_kernel_module};
use caldera_compiler::target::Target;
use caldera_compiler::{spirv_mlir, spirv_text};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The exit code of the program. `--help` documents the numbers.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
enum Exit {
    Good = 0,
    Program = 1,
    Usage = 2,
    File = 3,
    Internal = 4,
}

impl From<Exit> for ExitCode {
    fn from(e: Exit) -> ExitCode {
        ExitCode::from(e as u8)
    }
}

fn main() -> ExitCode {
    let mut words = Vec::new();
    for word in std::env::args_os().skip(1) {
        match word.into_string() {
            Ok(word) => words.push(word),
            Err(word) => {
                complain(&format!("calderac: error: {} is not UTF-8\n", word.display()));
                return Exit::Usage.into();
            }
        }
    }
    let args = match args::parse(words.into_iter()) {
        Ok(args) => args,
        Err(Refusal::Help) => return print(&help::text()).into(),
        Err(Refusal::Version) => return print(&version()).into(),
        Err(Refusal::Completions(shell)) => {
            return print(&completions::script(shell, &help::text())).into();
        }
        Err(Refusal::ListPasses) => {
            let passes = pipeline::pipeline(&Target::desktop());
            let lines = passes
                .passes()
                .into_iter()
                .map(|p| format!("{:<22} {}\n", p.name, p.about));
            return print(&lines.collect::<String>()).into();
        }
        Err(Refusal::Usage(message)) => {
            complain(&format!("calderac: error: {message}\n"));
            return Exit::Usage.into();
        }
        Err(Refusal::File(message)) => {
            complain(&format!("calderac: error: {message}\n"));
            return Exit::File.into();
        }
    };
    // The library turns a panic of the compiler into an internal error; this hook prints the panic's message.
    std::panic::set_hook(Box::new(|info| complain(&format!("{info}\n"))));
    let done = match args.files.as_slice() {
        [file] => one_file(&args, file),
        files if args.emit.needs_module() && args.emit != Emit::SpecConstants => several_files(&args, files),
        files => files.iter().try_for_each(|file| one_file(&args, file)),
    };
    done.err().unwrap_or(Exit::Good).into()
}

/// Returns the text of `--version`: the version, the revision of the repository if the build knew it, and the identity
/// of the compiler, which is the same in two builds of the same sources.
fn version() -> String {
    let revision = option_env!("CALDERA_REVISION").map(|r| format!("revision {r}, "));
    format!(
        "calderac {} ({}compiler {})\n",
        env!("CARGO_PKG_VERSION"),
        revision.unwrap_or_default(),
        caldera_compiler::IDENTITY
    )
}

/// The result of a step of `main`. A step prints its error itself and returns only the exit code.
type Done = Result<(), Exit>;

/// Writes a text to standard output.
fn print(text: &str) -> Exit {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => Exit::Good,
        Err(_) => Exit::File,
    }
}

/// Writes a message to standard error. A failure to do so is ignored.
fn complain(message: &str) {
    let _ = std::io::stderr().write_all(message.as_bytes());
}

/// Prints the log of a failed compilation and returns the exit code.
fn failed(f: &Failed) -> Exit {
    complain(&f.log);
    if f.internal { Exit::Internal } else { Exit::Program }
}

/// Reads included files from disk.
struct Disk;

impl IncludeResolver for Disk {
    fn resolve(&self, name: &str, angled: bool, includer: &str, dirs: &[String]) -> Option<Included> {
        let read = |path: PathBuf| {
            let text = match read_header(&path) {
                Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into()),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => return None,
                Err(e) => Err(e.to_string()),
            };
            let name = path.display().to_string();
            Some(Included { name, text })
        };
        let beside = Path::new(includer).parent().filter(|_| !angled);
        beside
            .into_iter()
            .chain(dirs.iter().map(Path::new))
            .find_map(|dir| read(dir.join(name)))
    }
}

/// Reads a regular file of at most the size allowed for headers. The type is checked first because opening a
/// pipe blocks until another process opens it for writing.
fn read_header(path: &Path) -> std::io::Result<Vec<u8>> {
    let kind = std::fs::metadata(path)?;
    if kind.is_dir() {
        return Err(std::io::ErrorKind::NotFound.into());
    }
    if !kind.is_file() {
        return Err(std::io::Error::other("is not a regular file"));
    }
    let mut bytes = Vec::new();
    let file =
        std::fs::File::open(path).map_err(|e| std::io::Error::other(format!("cannot be read: {e}")))?;
    file.take(MAX_INCLUDED_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INCLUDED_BYTES {
        return Err(std::io::Error::other("is too large"));
    }
    Ok(bytes)
}

/// Observes the stages of a compilation: keeps the output that the command line asks for, and prints dumps of
/// passes and times.
struct Watcher<'a> {
    args: &'a Args,
    /// Whether the input is SPIR-V.
    is_il: bool,
    result: Option<Dump>,
}

impl Watcher<'_> {
    /// Returns the stage that produces the output.
    fn stage(&self) -> Stage {
        match self.args.emit.stage() {
            Stage::LowerHir if self.is_il => Stage::Import,
            stage => stage,
        }
    }
}

impl Observer for Watcher<'_> {
    fn wants(&self, stage: Stage) -> bool {
        !self.args.check && stage == self.stage()
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
        // Stages after the one whose result is written would only cost time, and their errors are not wanted.
        self.args.stop_after == Some(stage) || (!self.args.check && stage == self.stage())
    }
}

/// Reads a file, or standard input if its name is `-`.
fn read(file: &str) -> Result<Vec<u8>, Exit> {
    let bytes = if file == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    bytes.map_err(|e| {
        complain(&format!("calderac: error: {}\n", unreadable(file, &e)));
        Exit::File
    })
}

/// Returns the message for a file that cannot be read, in clang's wording.
fn unreadable(file: &str, e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => format!("no such file or directory: '{file}'"),
        _ => format!("cannot read '{file}': {e}"),
    }
}

/// Returns the name of an input for messages.
fn shown(file: &str) -> &str {
    if file == "-" { "<stdin>" } else { file }
}

/// Returns the words of a SPIR-V module, or `None` if the bytes are something else.
fn as_module(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, rest) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
    (words.first() == Some(&0x0723_0203) && rest.is_empty()).then_some(words)
}

/// Reads a file. SPIR-V's text, and that of MLIR's dialect, become words.
fn load(args: &Args, file: &str) -> Result<Vec<u8>, Exit> {
    let bytes = read(file)?;
    let Ok(text) = str::from_utf8(&bytes) else {
        return Ok(bytes);
    };
    let fault = |e: spirv_text::SyntaxError| {
        complain(&format!("{}:{e}\n", shown(file)));
        Exit::Program
    };
    let as_bytes = |words: Vec<u32>| words.iter().flat_map(|w| w.to_le_bytes()).collect();
    if Path::new(file).extension().is_some_and(|e| e == "mlir") || spirv_mlir::is_dialect(text) {
        return spirv_mlir::parse(text).map(as_bytes).map_err(fault);
    }
    let named = Path::new(file).extension().is_some_and(|e| e == "spvasm");
    if !named && !spirv_text::is_assembly(text) {
        return Ok(bytes);
    }
    let minor = args.spirv.map_or(MAX_MINOR, |v| v.minor);
    spirv_text::assemble(text, minor).map(as_bytes).map_err(fault)
}

/// The newest version of SPIR-V that can be read, 1.6, which is that of text that states none.
const MAX_MINOR: u8 = 6;

/// Writes a SPIR-V module in another form.
fn convert(args: &Args, file: &str, bytes: &[u8]) -> Done {
    let Some(words) = as_module(bytes) else {
        complain(&format!(
            "calderac: error: '{}' is not a SPIR-V module\n",
            shown(file)
        ));
        return Err(Exit::Program);
    };
    let to = args.output.as_deref().unwrap_or("-");
    match args.emit {
        Emit::Spv => write(to, bytes),
        Emit::Spvasm => write(to, spirv_text::disassemble(&words).as_bytes()),
        Emit::Mlir => match spirv_mlir::print(&words) {
            Ok(text) => write(to, text.as_bytes()),
            Err(e) => {
                complain(&format!("calderac: error: '{}': {e}\n", shown(file)));
                Err(Exit::Program)
            }
        },
        _ => {
            complain("calderac: error: --convert writes spv, spvasm or mlir\n");
            Err(Exit::Usage)
        }
    }
}

/// Writes how a host finds the specialization constants of a SPIR-V module for OpenCL.
fn spec_constants(args: &Args, file: &str, bytes: &[u8]) -> Done {
    if !is_kernel_module(bytes) {
        complain("calderac: error: only SPIR-V for OpenCL has specialization constants with names\n");
        return Err(Exit::Usage);
    }
    let list = Words::from_bytes(bytes).and_then(|words| spirv_in::properties(&words, &args.target));
    let list = list.map_err(|e| {
        complain(&format!("calderac: error: '{}': {e}\n", shown(file)));
        Exit::Program
    })?;
    let lines: String = list.iter().map(|p| format!("{p}\n")).collect();
    write(args.output.as_deref().unwrap_or("-"), lines.as_bytes())
}

/// Compiles one source file or SPIR-V module for OpenCL, or converts one SPIR-V module for Vulkan.
fn one_file(args: &Args, file: &str) -> Done {
    let bytes = load(args, file)?;
    if args.convert {
        return convert(args, file, &bytes);
    }
    if args.emit == Emit::SpecConstants {
        return spec_constants(args, file, &bytes);
    }
    if is_kernel_module(&bytes) {
        return kernel_module(args, file, &bytes);
    }
    if let Some(words) = as_module(&bytes) {
        if args.emit == Emit::Spv {
            complain(&format!(
                "calderac: error: '{}' is a module already\n",
                shown(file)
            ));
            return Err(Exit::Usage);
        }
        return module(args, file, &words);
    }
    let source = String::from_utf8_lossy(&bytes);
    let input = Input {
        name: shown(file),
        source: &source,
        options: &args.options,
        resolver: &Disk,
    };
    let mut watcher = Watcher {
        args,
        is_il: false,
        result: None,
    };
    let outcome = compile_observed(&input, &args.target, &mut watcher);
    finish(args, file, outcome, watcher.result.take())
}

/// Compiles a SPIR-V module for OpenCL.
fn kernel_module(args: &Args, file: &str, bytes: &[u8]) -> Done {
    if !args.emit.is_made_from_il() {
        complain("calderac: error: a SPIR-V module has no preprocessed source, syntax tree or typed tree\n");
        return Err(Exit::Usage);
    }
    let is_own_name = Path::new(file).extension().is_some_and(|e| e == "spv");
    if args.output.is_none() && args.emit == Emit::Spv && is_own_name && !args.check {
        complain("calderac: error: -o is needed, because the output would have the name of the input\n");
        return Err(Exit::Usage);
    }
    let input = IlInput {
        name: shown(file),
        module: bytes,
        options: &args.options,
        specialization: &args.specialization,
    };
    let mut watcher = Watcher {
        args,
        is_il: true,
        result: None,
    };
    let outcome = compile_il(&input, &args.target, &mut watcher);
    finish(args, file, outcome, watcher.result.take())
}

/// Prints the log of a compilation, and writes its result.
fn finish(args: &Args, file: &str, outcome: Result<Compiled, Failed>, result: Option<Dump>) -> Done {
    match outcome {
        Ok(compiled) => complain(&compiled.log),
        Err(f) => return Err(failed(&f)),
    }
    match result {
        _ if args.check => Ok(()),
        None => Ok(()),
        Some(Dump::Words(words)) => module(args, file, &words),
        Some(Dump::Text(text)) => write(args.output.as_deref().unwrap_or("-"), text.as_bytes()),
    }
}

/// Compiles several source files, links them, and writes the output for the program.
fn several_files(args: &Args, files: &[String]) -> Done {
    let mut objects = Vec::new();
    for file in files {
        let bytes = load(args, file)?;
        if is_kernel_module(&bytes) {
            let input = IlInput {
                name: shown(file),
                module: &bytes,
                options: &args.options,
                specialization: &args.specialization,
            };
            let object = compile_il_object(&input, &args.target, &mut Unobserved).map_err(|f| failed(&f))?;
            complain(&object.log);
            objects.push(object);
            continue;
        }
        if as_module(&bytes).is_some() {
            complain(&format!(
                "calderac: error: '{}' is a module already; only sources are linked, and SPIR-V for OpenCL\n",
                shown(file)
            ));
            return Err(Exit::Usage);
        }
        let source = String::from_utf8_lossy(&bytes);
        let input = Input {
            name: shown(file),
            source: &source,
            options: &args.options,
            resolver: &Disk,
        };
        let object = compile_object(&input, &args.target).map_err(|f| failed(&f))?;
        complain(&object.log);
        objects.push(object);
    }
    let list: Vec<_> = objects.iter().collect();
    let linked = link(&list, &args.options, &args.target).map_err(|f| failed(&f))?;
    complain(&linked.log);
    if args.check {
        return Ok(());
    }
    module(args, "a", &linked.words)
}

/// Writes what the command line asks for about a module: its words, its text, its reflection or its descriptor map.
/// `file` is the name of its source.
fn module(args: &Args, file: &str, words: &[u32]) -> Done {
    let unreadable = |e: &dyn std::fmt::Display| {
        complain(&format!("calderac: error: '{}': {e}\n", shown(file)));
        Exit::Program
    };
    if let Some(path) = &args.clspv.descriptor_map_file {
        let style = match args.map_style {
            MapStyle::Newer => MapStyle::Older,
            style @ (MapStyle::Older | MapStyle::First) => style,
        };
        let map = descriptor_map(words, style).map_err(|e| unreadable(&e))?;
        write(path, map.as_bytes())?;
    }
    let to = match &args.output {
        Some(path) => path.clone(),
        None if args.emit == Emit::Spv && file != "-" => {
            Path::new(file).with_extension("spv").display().to_string()
        }
        None => "-".into(),
    };
    let bytes = match args.emit {
        Emit::Map => descriptor_map(words, args.map_style)
            .map_err(|e| unreadable(&e))?
            .into_bytes(),
        Emit::Reflect => {
            let reflection = reflect::read(words).map_err(|e| unreadable(&e))?;
            format!("{reflection:#?}\n").into_bytes()
        }
        _ => {
            let stripped;
            let words = if args.strip {
                stripped = reflect::strip(words).map_err(|e| unreadable(&e))?;
                &stripped
            } else {
                words
            };
            match (args.emit, args.clspv.output_format) {
                (Emit::Spvasm, _) => assembly(words).map_err(|e| unreadable(&e))?.into_bytes(),
                (_, OutputFormat::Spv) => words.iter().flat_map(|w| w.to_le_bytes()).collect(),
                (_, OutputFormat::C) => initializer(words).into_bytes(),
            }
        }
    };
    write(&to, &bytes)
}

/// Disassembles a module. Its reflection, which follows the functions, is written as comments.
fn assembly(words: &[u32]) -> Result<String, reflect::ReflectionError> {
    let mut text = spirv_text::disassemble(&reflect::strip(words)?);
    for line in reflect::listing(words)?.lines() {
        text.push_str("; ");
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}

/// Writes the module as a C initializer: `{0x07230203, …}`.
fn initializer(words: &[u32]) -> String {
    let list: Vec<String> = words.iter().map(|w| format!("0x{w:08x}")).collect();
    format!("{{{}}}\n", list.join(",\n"))
}

/// Writes to a file, or to standard output if its name is `-`.
fn write(to: &str, bytes: &[u8]) -> Done {
    let written = match to {
        "-" => std::io::stdout().write_all(bytes),
        path => std::fs::write(path, bytes),
    };
    written.map_err(|e| {
        complain(&format!(
            "calderac: error: unable to open output file '{to}': {e}\n"
        ));
        Exit::File
    })
}
