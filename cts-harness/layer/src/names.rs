//! What a kernel object stands for. The answers are kept until an object of the kind is released, because its handle
//! may then stand for another one.

use crate::digest::hash;
use std::collections::HashMap;
use std::sync::Arc;

/// A kernel of a program, whatever object stands for it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The hash of the program's source; of nothing if the program was not made from source.
    pub(crate) source: u64,
    /// The options of the build, with single spaces.
    pub(crate) options: String,
}

/// The source and the options of a program.
#[derive(Clone)]
struct Program {
    source: u64,
    options: String,
}

/// The known kernels and programs, by the addresses of their handles.
#[derive(Default)]
pub(crate) struct Names {
    kernels: HashMap<usize, Arc<Kernel>>,
    programs: HashMap<usize, Program>,
    /// The sources that have not been written yet.
    pub(crate) sources: Vec<(u64, Vec<u8>)>,
    seen: Vec<u64>,
}

/// The queries about a kernel object and its program.
pub(crate) trait Queries {
    fn name(&self) -> Vec<u8>;
    /// Returns the address of the program's handle.
    fn program(&self) -> usize;
    fn source(&self) -> Vec<u8>;
    fn options(&self) -> Vec<u8>;
}

impl Names {
    /// Returns what the kernel object at the address `handle` stands for.
    pub(crate) fn kernel(&mut self, handle: usize, ask: &dyn Queries) -> Arc<Kernel> {
        if let Some(known) = self.kernels.get(&handle) {
            return Arc::clone(known);
        }
        let program = self.program(ask);
        let kernel = Arc::new(Kernel {
            name: text(&ask.name()),
            source: program.source,
            options: program.options,
        });
        self.kernels.insert(handle, Arc::clone(&kernel));
        kernel
    }

    fn program(&mut self, ask: &dyn Queries) -> Program {
        let handle = ask.program();
        if let Some(known) = self.programs.get(&handle) {
            return known.clone();
        }
        let mut source = ask.source();
        while source.last() == Some(&0) {
            source.pop();
        }
        let options = text(&ask.options());
        let words: Vec<&str> = options.split_whitespace().collect();
        let program = Program {
            source: hash(0, &source),
            options: words.join(" "),
        };
        if !source.is_empty() && !self.seen.contains(&program.source) {
            self.seen.push(program.source);
            self.sources.push((program.source, source));
        }
        self.programs.insert(handle, program.clone());
        program
    }

    /// Forgets a kernel object, which is being released.
    pub(crate) fn forget_kernel(&mut self, handle: usize) {
        self.kernels.remove(&handle);
    }

    /// Forgets a program object, which is being released, or built again.
    pub(crate) fn forget_program(&mut self, handle: usize) {
        self.programs.remove(&handle);
    }
}

/// Returns the text of an answer, which ends with a zero.
pub(crate) fn text(answer: &[u8]) -> String {
    let end = answer.iter().position(|b| *b == 0).unwrap_or(answer.len());
    String::from_utf8_lossy(&answer[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake(&'static str);

    impl Queries for Fake {
        fn name(&self) -> Vec<u8> {
            format!("{}\0", self.0).into_bytes()
        }
        fn program(&self) -> usize {
            7
        }
        fn source(&self) -> Vec<u8> {
            b"kernel void a() {}\0".to_vec()
        }
        fn options(&self) -> Vec<u8> {
            b" -D N=1   -cl-mad-enable \0".to_vec()
        }
    }

    #[test]
    fn an_object_is_asked_once_until_it_is_released() {
        let mut names = Names::default();
        let a = names.kernel(1, &Fake("a"));
        assert_eq!(
            (a.name.as_str(), a.options.as_str()),
            ("a", "-D N=1 -cl-mad-enable")
        );
        assert_eq!(names.kernel(1, &Fake("b")).name, "a");
        names.forget_kernel(1);
        let b = names.kernel(1, &Fake("b"));
        assert_eq!((b.name.as_str(), b.source), ("b", a.source));
        assert_eq!(names.sources.len(), 1);
        names.forget_program(7);
        names.forget_kernel(1);
        names.kernel(1, &Fake("b"));
        assert_eq!(names.sources.len(), 1, "a source is written once");
    }
}
