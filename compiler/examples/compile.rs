//! Compiles a file for a host that binds descriptors, and prints the descriptor map.
//!
//! ```text
//! cargo run -p caldera-compiler --example compile -- FILE.cl [OPTIONS OF clBuildProgram]
//! ```

use std::error::Error;
use std::path::Path;

use caldera_compiler::options::Options;
use caldera_compiler::pp::{IncludeResolver, Included};
use caldera_compiler::reflect::{MapStyle, descriptor_map};
use caldera_compiler::target::Target;
use caldera_compiler::{Input, compile};

/// Reads headers from the directory of the including file, then from the directories of `-I`.
struct Disk;

impl IncludeResolver for Disk {
    fn resolve(&self, name: &str, _angled: bool, includer: &str, dirs: &[String]) -> Option<Included> {
        let beside = Path::new(includer).parent()?;
        std::iter::once(beside)
            .chain(dirs.iter().map(Path::new))
            .find_map(|dir| {
                let path = dir.join(name);
                let text = std::fs::read_to_string(&path).ok()?;
                let (name, text) = (path.display().to_string(), Ok(text.into()));
                Some(Included { name, text })
            })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: compile FILE.cl [OPTIONS]")?;
    let options = Options::parse(&args.collect::<Vec<_>>().join(" "))?;
    let source = std::fs::read_to_string(&file)?;
    let input = Input {
        name: &file,
        source: &source,
        options: &options,
        resolver: &Disk,
    };
    // The log has the format of clang's diagnostics, with the file's name and lines.
    let compiled = compile(&input, &Target::clspv()).map_err(|failed| failed.log)?;
    let mut out = std::io::stdout().lock();
    use std::io::Write as _;
    out.write_all(compiled.log.as_bytes())?;
    out.write_all(descriptor_map(&compiled.words, MapStyle::Newer)?.as_bytes())?;
    let bytes: Vec<u8> = compiled.words.iter().flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(Path::new(&file).with_extension("spv"), bytes)?;
    Ok(())
}
