//! Functions of the library of built-in functions as a device gets them.

use caldera_compiler::diag::Diags;
use caldera_compiler::driver::{Input, Object, compile_object};
use caldera_compiler::ir::{EntityRef, Func};
use caldera_compiler::options::Options;
use caldera_compiler::pass::{PassCx, select_arithmetic};
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::Target;

/// Compiles `TYPE tested(TYPE x, TYPE y)`, which returns the value of an expression, and selects its arithmetic for a
/// target. Returns the object with the function.
pub(crate) fn tested(ty: &str, value: &str, options: &Options, target: &Target) -> (Object, Func) {
    // No function stays that is not called.
    let source = format!(
        "{ty} tested({ty} x, {ty} y) {{ return {value}; }} kernel void f(global {ty} *p) {{ *p = tested(p[0], p[1]); }}"
    );
    let input = Input {
        name: "a.cl",
        source: &source,
        options,
        resolver: &NoIncludes,
    };
    let mut object = compile_object(&input, target).unwrap_or_else(|e| panic!("{}", e.log));
    let mut diags = Diags::default();
    let selected = (select_arithmetic::PASS.run)(&mut object.module, &mut PassCx::new(target, &mut diags));
    let _ = selected.expect("the pass has no limits");
    let index = object.module.funcs.iter().position(|(_, f)| f.name == "tested");
    let function = Func::new(index.expect("the function"));
    (object, function)
}
