//! Calls of the compiler for programs of the application. Only `kernel/copy.rs` and `device/calibrate` call it too, for kernels
//! of Caldera's own.
//!
//! The compiler does no input or output; [`Includes`] finds the files that `#include` names: first among the
//! headers passed to clCompileProgram, then in the directory of the including file, then in the `-I`
//! directories.

use std::path::Path;
use std::sync::Arc;

use caldera_compiler as compiler;
use caldera_compiler::driver::{IlInput, Input};
use caldera_compiler::options::Options;
use caldera_compiler::pp::{IncludeResolver, Included};
use caldera_compiler::spirv_in::{self, SpecConstant, Specialization};
use caldera_compiler::target::Target;

use super::build::Header;
use super::cache::Cache;
use super::dump;
use super::recipe::{self, IncludedFile, Part, PartInput, Recipe};
use super::stored::{FileRead, OnDisk, read_header};
use crate::lock::{Mutex, Rank};

/// The input of one compilation.
pub(super) struct Unit<'a> {
    pub(super) source: &'a Arc<[u8]>,
    pub(super) options_text: &'a str,
    pub(super) options: &'a Options,
    pub(super) headers: &'a [Header],
}

/// The input of one compilation of a SPIR-V module.
pub(super) struct IlUnit<'a> {
    pub(super) module: &'a Arc<[u8]>,
    pub(super) options_text: &'a str,
    pub(super) options: &'a Options,
    pub(super) specialization: &'a Specialization,
}

impl IlUnit<'_> {
    fn input(&self) -> IlInput<'_> {
        IlInput {
            name: "<module>",
            module: self.module,
            options: self.options,
            specialization: self.specialization,
        }
    }

    /// Returns this unit as a part of a program.
    fn part(&self) -> Part {
        Part {
            input: PartInput::Il(Arc::clone(self.module), self.specialization.clone()),
            options: self.options_text.to_owned(),
            headers: Vec::new(),
            files: Vec::new(),
            directories: Vec::new(),
        }
    }

    /// Returns the entry of the cache on disk for a result.
    fn on_disk(&self, kind: &str, target: &Target) -> OnDisk {
        let values = format!("{:?}", self.specialization);
        let parts = [self.module, self.options_text.as_bytes(), values.as_bytes()];
        OnDisk::of(kind, &parts, target)
    }
}

/// Checks that bytes are a well-formed SPIR-V module. Returns its specialization constants.
pub(super) fn inspect_il(bytes: &[u8]) -> Result<Vec<SpecConstant>, String> {
    let words = spirv_in::Words::from_bytes(bytes).map_err(|e| e.to_string())?;
    spirv_in::spec_constants(&words).map_err(|e| e.to_string())
}

/// Compiles and links a SPIR-V module.
pub(super) fn build_il(unit: &IlUnit<'_>, target: &Arc<Target>) -> Result<Arc<Linked>, String> {
    let stored = unit.on_disk("build-il", target);
    if let Some((log, bytes)) = stored.get() {
        return Ok(Arc::new(Linked::from_bytes(log, &bytes)));
    }
    let compiled = dump::observed(&[("module.spv", unit.module)], unit.options_text, |observer| {
        compiler::compile_il(&unit.input(), target, observer)
    });
    let compiled = compiled.map_err(|failed| failed.log)?;
    let linked = Linked {
        words: compiled.words.into(),
        log: compiled.log,
        recipe: Recipe::of_build(|| unit.part()),
    };
    stored.keep(&[], &linked.log, &linked.bytes());
    Ok(Arc::new(linked))
}

/// Compiles a SPIR-V module without linking it.
pub(super) fn compile_il(unit: &IlUnit<'_>, target: &Arc<Target>) -> Result<Arc<Object>, String> {
    let stored = unit.on_disk("compile-il", target);
    let arg_info = true;
    if let Some((log, bytes)) = stored.get() {
        return Ok(Arc::new(Object::stored(&bytes, log, arg_info)));
    }
    let object = dump::observed(&[("module.spv", unit.module)], unit.options_text, |observer| {
        compiler::compile_il_object(&unit.input(), target, observer)
    });
    let object = object.map_err(|failed| failed.log)?;
    let text = object.to_text();
    stored.keep(&[], &object.log, text.as_bytes());
    Ok(Arc::new(Object {
        text,
        log: object.log,
        arg_info,
        part: recipe::is_kept().then(|| Arc::new(unit.part())),
    }))
}

/// A linked module.
#[derive(Debug)]
pub(super) struct Linked {
    pub(super) words: Arc<[u32]>,
    pub(super) log: String,
    /// How it was made, if that is kept.
    pub(super) recipe: Option<Arc<Recipe>>,
}

impl Linked {
    /// Returns the module in the form in which the cache on disk has it.
    fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    fn from_bytes(log: String, bytes: &[u8]) -> Linked {
        let words = bytes.as_chunks::<4>().0;
        let words = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
        Linked {
            words,
            log,
            recipe: None,
        }
    }
}

/// A compiled program that has not been linked.
#[derive(Debug)]
pub(crate) struct Object {
    /// The compiler's text form of it.
    pub(super) text: String,
    /// The warnings.
    pub(super) log: String,
    /// Whether it was compiled with -cl-kernel-arg-info.
    pub(super) arg_info: bool,
    /// How it was made, if that is kept.
    pub(super) part: Option<Arc<Part>>,
}

impl Object {
    /// Makes an object from the bytes in the cache on disk.
    fn stored(bytes: &[u8], log: String, arg_info: bool) -> Object {
        Object {
            text: String::from_utf8_lossy(bytes).into_owned(),
            log,
            arg_info,
            part: None,
        }
    }

    /// Returns the text that a program binary contains.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Makes an object from the text in a program binary.
    pub(super) fn from_text(text: &str, arg_info: bool) -> Result<Object, String> {
        compiler::Object::from_text(text).map_err(|e| format!("not a compiled program: {e}"))?;
        Ok(Object {
            text: text.to_owned(),
            log: String::new(),
            arg_info,
            part: None,
        })
    }
}

/// Finds the files that `#include` names.
struct Includes<'a> {
    headers: &'a [Header],
    read: Mutex<ReadFiles>,
}

/// The files that `#include` has named.
#[derive(Default)]
struct ReadFiles {
    /// Every file that was tried, because the result depends on all of them.
    tried: Vec<FileRead>,
    /// The files that were found, if recipes are kept.
    found: Vec<IncludedFile>,
}

impl IncludeResolver for Includes<'_> {
    fn resolve(&self, name: &str, angled: bool, includer: &str, dirs: &[String]) -> Option<Included> {
        if let Some(header) = self.headers.iter().find(|h| h.name == name) {
            let text = String::from_utf8_lossy(header.program.source());
            return Some(Included {
                name: name.to_owned(),
                text: Ok(text.into()),
            });
        }
        let read = |path: &Path| {
            let found = read_header(path);
            let contents = found.as_ref().ok().and_then(|f| f.as_deref().ok());
            let file = FileRead::new(path, contents);
            let mut files = self.read.lock();
            files.tried.push(file);
            if recipe::is_kept() {
                files.found.extend(contents.map(|c| IncludedFile::new(path, c)));
            }
            drop(files);
            let text = found.ok()?.map(|bytes| String::from_utf8_lossy(&bytes).into());
            let name = path.display().to_string();
            Some(Included { name, text })
        };
        let beside = Path::new(includer)
            .parent()
            .map(|dir| dir.join(name))
            .filter(|_| !angled);
        beside
            .as_deref()
            .and_then(read)
            .or_else(|| dirs.iter().find_map(|dir| read(&Path::new(dir).join(name))))
    }
}

/// The name of the program's source in diagnostics.
const SOURCE_NAME: &str = "<source>";

impl Unit<'_> {
    /// Calls the compiler with this unit; invalid UTF-8 in the source is replaced. Also returns the files that
    /// it tried to read: the result depends on this unit and on them.
    fn with_input<T>(&self, work: impl FnOnce(&Input<'_>) -> T) -> (T, ReadFiles) {
        let source = String::from_utf8_lossy(self.source);
        let resolver = Includes {
            headers: self.headers,
            read: Mutex::new(Rank::Included, ReadFiles::default()),
        };
        let result = work(&Input {
            name: SOURCE_NAME,
            source: &source,
            options: self.options,
            resolver: &resolver,
        });
        let files = std::mem::take(&mut *resolver.read.lock());
        (result, files)
    }

    /// Returns this unit as a part of a program, with the files that were found for it.
    fn part(&self, files: Vec<IncludedFile>) -> Part {
        let header = |h: &Header| (h.name.clone(), h.program.source().into());
        Part {
            input: PartInput::Source(Arc::clone(self.source)),
            options: self.options_text.to_owned(),
            headers: self.headers.iter().map(header).collect(),
            files,
            directories: self.options.include_dirs.clone(),
        }
    }
}

/// Compiles and links a program.
pub(super) fn build(unit: &Unit<'_>, target: &Arc<Target>) -> Result<Arc<Linked>, String> {
    let key = Key {
        source: Arc::clone(unit.source),
        options: unit.options_text.to_owned(),
        target: Arc::clone(target),
    };
    if let Some(linked) = BUILDS.lock().get(&key) {
        crate::observe::build_was_cached();
        return Ok(linked);
    }
    let stored = OnDisk::of("build", &[unit.source, unit.options_text.as_bytes()], target);
    if let Some((log, bytes)) = stored.get() {
        return Ok(Arc::new(Linked::from_bytes(log, &bytes)));
    }
    let (compiled, files) = unit.with_input(|input| {
        dump::observed(&[("source.cl", unit.source)], unit.options_text, |observer| {
            compiler::compile_observed(input, target, observer)
        })
    });
    let compiled = compiled.map_err(|failed| failed.log)?;
    let linked = Arc::new(Linked {
        words: compiled.words.into(),
        log: compiled.log,
        recipe: Recipe::of_build(|| unit.part(files.found)),
    });
    stored.keep(&files.tried, &linked.log, &linked.bytes());
    if files.tried.is_empty() {
        BUILDS.lock().insert(key, Arc::clone(&linked));
    }
    Ok(linked)
}

/// The inputs that a build depends on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    source: Arc<[u8]>,
    options: String,
    target: Arc<Target>,
}

/// The builds of this process.
static BUILDS: Mutex<Cache<Key, Linked>> = Mutex::new(Rank::Cache, Cache::new());

/// Compiles a program without linking it.
pub(super) fn compile(unit: &Unit<'_>, target: &Arc<Target>) -> Result<Arc<Object>, String> {
    let mut parts: Vec<&[u8]> = vec![unit.source, unit.options_text.as_bytes()];
    for header in unit.headers {
        parts.extend([header.name.as_bytes(), header.program.source()]);
    }
    let stored = OnDisk::of("compile", &parts, target);
    let arg_info = unit.options.kernel_arg_info;
    if let Some((log, bytes)) = stored.get() {
        return Ok(Arc::new(Object::stored(&bytes, log, arg_info)));
    }
    let (object, files) = unit.with_input(|input| {
        dump::observed(&[("source.cl", unit.source)], unit.options_text, |observer| {
            compiler::compile_object_observed(input, target, observer)
        })
    });
    let object = object.map_err(|failed| failed.log)?;
    let text = object.to_text();
    stored.keep(&files.tried, &object.log, text.as_bytes());
    Ok(Arc::new(Object {
        text,
        log: object.log,
        arg_info,
        part: recipe::is_kept().then(|| Arc::new(unit.part(files.found))),
    }))
}

/// Links objects.
pub(super) fn link(
    objects: &[Arc<Object>],
    options: &Options,
    target: &Arc<Target>,
) -> Result<Arc<Linked>, String> {
    let options_text = format!("{options:?}");
    let mut parts = vec![options_text.as_bytes()];
    parts.extend(objects.iter().map(|o| o.text.as_bytes()));
    let stored = OnDisk::of("link", &parts, target);
    if let Some((log, bytes)) = stored.get() {
        return Ok(Arc::new(Linked::from_bytes(log, &bytes)));
    }
    let parsed: Result<Vec<compiler::Object>, _> = objects
        .iter()
        .map(|o| compiler::Object::from_text(&o.text))
        .collect();
    let parsed = parsed.map_err(|e| format!("error: an object cannot be read: {e}\n"))?;
    let list: Vec<&compiler::Object> = parsed.iter().collect();
    let names: Vec<String> = (0..objects.len()).map(|i| format!("object{i}.ir")).collect();
    let inputs: Vec<_> = names
        .iter()
        .zip(objects)
        .map(|(name, o)| (&**name, o.text.as_bytes()))
        .collect();
    let compiled = dump::observed(&inputs, "", |observer| {
        compiler::link_observed(&list, options, target, observer)
    });
    let compiled = compiled.map_err(|failed| failed.log)?;
    let linked = Linked {
        words: compiled.words.into(),
        log: compiled.log,
        recipe: Recipe::of_link(objects),
    };
    stored.keep(&[], &linked.log, &linked.bytes());
    Ok(Arc::new(linked))
}
