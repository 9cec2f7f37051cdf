//! What the options for relaxed arithmetic (OpenCL 1.2 5.6.4.3) make of a multiplication, as text.

use caldera_compiler::driver::{Input, compile_object};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::Target;

fn check(options: &str, expected: &str) {
    let parsed = Options::parse(options).expect("options");
    let input = Input {
        name: "a.cl",
        source: "float f(float a, float b) { return a * b; }",
        options: &parsed,
        resolver: &NoIncludes,
    };
    let object = compile_object(&input, &Target::desktop()).unwrap_or_else(|e| panic!("{}", e.log));
    let text = object.to_text();
    let line = text
        .lines()
        .find(|l| l.contains("FMul"))
        .expect("a multiplication");
    assert!(line.contains(&format!("FMul {expected}%")), "{options}: {line}");
}

#[test]
fn options_become_flags() {
    check("", "contract ");
    check("-cl-mad-enable", "contract ");
    check("-cl-finite-math-only", "contract finite ");
    check("-cl-no-signed-zeros", "contract no_signed_zeros ");
    check("-cl-unsafe-math-optimizations", "contract no_signed_zeros fast ");
    check("-cl-fast-relaxed-math", "contract finite no_signed_zeros fast ");
}
