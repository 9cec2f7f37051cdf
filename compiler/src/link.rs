//! Joins the modules of several objects into one (clLinkProgram).
//!
//! A call of a declared function is redirected to the function of that name that another object defines. Only
//! one object may define a function, unless it is `static`, which other objects cannot see, or `inline`. A
//! function that no object defines stays undefined; the pass `inline` reports it if a kernel reaches it. The
//! same rules hold for variables in constant and global memory that are declared `extern`. Otherwise each object keeps
//! its own variables and its own copies of library functions.

use crate::hash::{HashMap, HashSet};
use crate::intrinsic::Intrinsic;
use crate::ir::{
    AddressSpace, Const, EntityRef, Func, Function, Global, GlobalData, Linkage, Module, Op, Ty, Value,
};
use crate::printf;

/// The reason why objects cannot be linked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LinkError {
    /// Two objects define a kernel of this name.
    #[error("kernel '{0}' is defined in more than one object")]
    DuplicateKernel(String),
    /// Two objects define a function of this name.
    #[error("function '{0}' is defined in more than one object")]
    DuplicateFunction(String),
    /// Two objects define a variable of this name with different contents, and a third declares it `extern`.
    #[error("variable '{0}' is defined in more than one object, with different contents")]
    DifferentVariable(String),
    /// Two objects define a variable of this name in global memory.
    #[error("variable '{0}' is defined in more than one object")]
    DuplicateVariable(String),
    /// One object declares the function with other types than another object defines it with.
    #[error("function '{0}' is declared with other types than it is defined with")]
    SignatureMismatch(String),
    /// One object declares the variable in another address space than another object defines it in.
    #[error("variable '{0}' is declared in another address space than it is defined in")]
    OtherSpace(String),
    /// One object declares the variable with another size than another object defines it with.
    #[error("variable '{0}' is declared with {1} bytes, but another object defines it with {2} bytes")]
    OtherSize(String, u32, u32),
    /// An object has already been through passes that only a linked module goes through.
    #[error("an object has been lowered already")]
    Lowered,
}

/// Joins the modules of objects, in order.
pub fn join(objects: &[&Module]) -> Result<Module, LinkError> {
    let mut out = Module::default();
    let mut defined: HashMap<String, Func> = HashMap::default();
    for object in objects {
        if !object.abi.is_empty() {
            return Err(LinkError::Lowered);
        }
        let first_func = out.funcs.len();
        let first_global = out.globals.len();
        let first_string = out.strings.len() as u64;
        let func_of = |f: Func| Func::new(f.index() + first_func);
        let global_of = |g: Global| Global::new(g.index() + first_global);
        for (_, global) in object.globals.iter() {
            let mut global = global.clone();
            for (_, target, _) in global.init.iter_mut().flat_map(|i| &mut i.relocations) {
                *target = global_of(*target);
            }
            out.globals.push(global);
        }
        for (f, func) in object.funcs.iter() {
            let mut func = func.clone();
            for inst in func.insts_in_order() {
                match &mut func.insts[inst].op {
                    Op::Call(callee) | Op::CallPure(callee) => *callee = func_of(*callee),
                    Op::GlobalAddr(global) => *global = global_of(*global),
                    _ => {}
                }
            }
            renumber_strings(&mut func, &object.strings, first_string);
            let name = func.name.clone();
            let id = out.funcs.push(func);
            if object.undefined.contains(&f) {
                out.undefined.push(id);
            } else {
                define(&mut out, &mut defined, name, id)?;
            }
        }
        for kernel in &object.kernels {
            if out.kernels.iter().any(|k| k.name == kernel.name) {
                return Err(LinkError::DuplicateKernel(kernel.name.clone()));
            }
            let mut kernel = kernel.clone();
            kernel.func = func_of(kernel.func);
            out.kernels.push(kernel);
        }
        out.strings.extend(object.strings.iter().cloned());
    }
    resolve(&mut out, &defined)?;
    resolve_variables(&mut out)?;
    Ok(out)
}

/// Records a definition for the declarations in other objects.
fn define(
    out: &mut Module,
    defined: &mut HashMap<String, Func>,
    name: String,
    id: Func,
) -> Result<(), LinkError> {
    let known = defined.get(&name).map(|&old| out.funcs[old].linkage);
    match (known, out.funcs[id].linkage) {
        (_, Linkage::Static) | (Some(Linkage::External), Linkage::Inline) => {}
        (Some(Linkage::External), Linkage::External) => {
            return Err(if out.kernels.iter().any(|k| k.name == name) {
                LinkError::DuplicateKernel(name)
            } else {
                LinkError::DuplicateFunction(name)
            });
        }
        (Some(Linkage::Inline), Linkage::Inline) => {}
        (None | Some(Linkage::Inline | Linkage::Static), Linkage::External | Linkage::Inline) => {
            defined.insert(name, id);
        }
    }
    Ok(())
}

/// Redirects uses of variables that are only declared to the first definition of that name. Further definitions of
/// constants with the same contents are allowed: they come from headers that several objects include.
fn resolve_variables(module: &mut Module) -> Result<(), LinkError> {
    let is_declared = |g: &GlobalData| g.space != AddressSpace::Local && g.init.is_none();
    let declared: Vec<(Global, &GlobalData)> =
        module.globals.iter().filter(|(_, d)| is_declared(d)).collect();
    let wanted: HashSet<&str> = declared.iter().map(|(_, d)| d.name.as_str()).collect();
    let mut defined: HashMap<&str, Global> = HashMap::default();
    // Further definitions of variables that each object may define.
    let mut merged = Vec::new();
    let is_definition = |d: &GlobalData| d.init.is_some() && d.linkage != Linkage::Static;
    for (g, data) in module.globals.iter().filter(|(_, d)| is_definition(d)) {
        let is_variable = data.space == AddressSpace::Global;
        if is_variable || wanted.contains(data.name.as_str()) {
            let first = *defined.entry(&data.name).or_insert(g);
            let old = &module.globals[first];
            if first != g && (is_variable || old.space == AddressSpace::Global) {
                if data.linkage == Linkage::Inline && old.linkage == Linkage::Inline && data.size == old.size
                {
                    merged.push((g, first));
                    continue;
                }
                return Err(LinkError::DuplicateVariable(data.name.clone()));
            }
            if (&old.init, old.size) != (&data.init, data.size) {
                return Err(LinkError::DifferentVariable(data.name.clone()));
            }
        }
    }
    let resolved = declared
        .iter()
        .filter_map(|(g, data)| Some((*g, *defined.get(data.name.as_str())?)));
    let goes_to: HashMap<Global, Global> = resolved.chain(merged).collect();
    for (g, data) in &declared {
        let Some(definition) = goes_to.get(g).map(|&to| &module.globals[to]) else {
            continue;
        };
        let name = || data.name.clone();
        if definition.space != data.space {
            return Err(LinkError::OtherSpace(name()));
        }
        if data.size != GlobalData::UNKNOWN_SIZE && data.size != definition.size {
            return Err(LinkError::OtherSize(name(), data.size, definition.size));
        }
    }
    let follow = |g: &mut Global| *g = goes_to.get(g).copied().unwrap_or(*g);
    for (_, data) in module.globals.iter_mut() {
        data.init
            .iter_mut()
            .flat_map(|i| &mut i.relocations)
            .for_each(|(_, target, _)| follow(target));
    }
    for (_, func) in module.funcs.iter_mut() {
        for inst in func.insts_in_order() {
            if let Op::GlobalAddr(global) = &mut func.insts[inst].op {
                follow(global);
            }
        }
    }
    Ok(())
}

/// Renumbers the strings of an object (the formats of printf, and literals that are printed), so that they come after the
/// strings of the objects before it.
fn renumber_strings(func: &mut Function, strings: &[Vec<u8>], first: u64) {
    if first == 0 {
        return;
    }
    for inst in func.insts_in_order() {
        if func.insts[inst].op != Op::Intrinsic(Intrinsic::Printf) {
            continue;
        }
        let args = func.insts[inst].args.clone();
        let format = args.first().and_then(|&v| func.as_bits(v));
        let format = format.and_then(|id| strings.get(usize::try_from(id).ok()?));
        let literals = format.map_or_else(Vec::new, |f| printf::literal_arguments(f));
        for (n, &arg) in args.iter().enumerate() {
            if n > 0 && !literals.contains(&(n - 1)) {
                continue;
            }
            let ty = func.ty(arg);
            if let Some(id) = func.as_bits(arg).filter(|_| ty == Ty::I32) {
                func.insts[inst].args[n] = func.constant(ty, Const::Bits(vec![id + first]));
            }
        }
    }
}

/// Redirects calls of undefined functions to the definitions.
fn resolve(module: &mut Module, defined: &HashMap<String, Func>) -> Result<(), LinkError> {
    let mut goes_to: HashMap<Func, Func> = HashMap::default();
    for &f in &module.undefined {
        let declared = &module.funcs[f];
        if let Some(&definition) = defined.get(&declared.name) {
            if signature(declared) != signature(&module.funcs[definition]) {
                return Err(LinkError::SignatureMismatch(declared.name.clone()));
            }
            goes_to.insert(f, definition);
        }
    }
    for (_, func) in module.funcs.iter_mut() {
        for inst in func.insts_in_order() {
            if let Op::Call(callee) | Op::CallPure(callee) = &mut func.insts[inst].op
                && let Some(&definition) = goes_to.get(callee)
            {
                *callee = definition;
            }
        }
    }
    Ok(())
}

fn signature(func: &Function) -> (Vec<crate::ir::Ty>, Vec<crate::ir::Ty>) {
    let ty = |&v: &Value| func.ty(v);
    (func.params.iter().map(ty).collect(), func.results.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    #[test]
    fn strings_are_numbered_through() {
        let object = |name: &str| {
            let text = format!(
                "string 0 \"%d %s\"\nstring 1 \"{name}\"\nfunc @f0 \"{name}\"() {{\n  \
                 %v0: i32 = intrinsic printf i32 0, i32 1, i32 1\n  Return\n}}\nkernel @f0 \"{name}\" {{\n}}\n"
            );
            parse(&text).expect("a module")
        };
        let joined = join(&[&object("a"), &object("b")]).expect("they fit");
        let text = joined.to_string();
        assert!(text.contains("string 3 \"b\""), "{text}");
        // The argument of `%d` is unchanged.
        assert!(text.contains("printf i32 2, i32 1, i32 3"), "{text}");
    }
}
