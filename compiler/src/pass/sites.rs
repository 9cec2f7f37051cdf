//! The sites of a module: the places that may state a finding. Passes that check something share this; it is not a pass.

use super::{PassCx, PassError};
use crate::check::{Notes, Position, Site};
use crate::hash::HashMap;
use crate::intrinsic::Intrinsic;
use crate::ir::{Builder, Function, Inst, Module, Op, Value};
use crate::source::{SourceMap, Span};

/// Returns the words for a private object that is allocated for a declaration at this position.
pub(super) fn private_object(sources: Option<&SourceMap>, span: Span, size: u32) -> String {
    let map = sources.filter(|map| !span.is_none() && (span.file.0 as usize) < map.len());
    match map.map(|map| map.locate(span).line) {
        Some(line) => format!("private memory of {size} bytes, declared in line {line}"),
        None => format!("private memory of {size} bytes"),
    }
}

/// Rebuilds the regions of a kernel. `put` appends each instruction, together with what a check adds. It is called once with
/// `None`, at the start of the kernel.
pub(super) fn rebuild(func: &mut Function, mut put: impl FnMut(&mut Builder<'_>, Option<Inst>)) {
    for region in func.regions_in_order() {
        let old = std::mem::take(&mut func.regions[region].insts);
        let is_body = region == func.body;
        let mut b = Builder::at_end(func, region);
        if is_body {
            b.span = b.func.span;
            put(&mut b, None);
        }
        for inst in old {
            b.span = b.func.insts[inst].span;
            put(&mut b, Some(inst));
        }
    }
}

/// Refuses a module whose accesses and values the checks would overlook.
fn refuse_matrices(module: &Module) -> Result<(), PassError> {
    for (_, func) in module.funcs.iter() {
        for inst in func.insts_in_order() {
            let data = &func.insts[inst];
            if matches!(data.op, Op::Intrinsic(Intrinsic::Matrix(_))) {
                return Err(PassError::NotChecked {
                    what: "cooperative matrices",
                    span: data.span,
                });
            }
        }
    }
    Ok(())
}

/// The sites of a module, whose texts are among the module's strings. The n-th of these texts is that of site n.
pub(super) struct Sites<'a> {
    sources: Option<&'a SourceMap>,
    strings: Vec<Vec<u8>>,
    /// The number of each site, by its text.
    known: HashMap<Vec<u8>, u32>,
}

impl<'a> Sites<'a> {
    /// Takes the strings of a module, until [`Sites::give_back`].
    ///
    /// # Errors
    ///
    /// [`PassError::NotChecked`] if the module has operations on cooperative matrices, which no check knows.
    pub(super) fn take(module: &mut Module, cx: &PassCx<'a>) -> Result<Sites<'a>, PassError> {
        refuse_matrices(module)?;
        let strings = std::mem::take(&mut module.strings);
        let known = strings.iter().filter(|s| Site::is_site(s)).cloned();
        Ok(Sites {
            sources: cx.sources,
            known: known.zip(0..).collect(),
            strings,
        })
    }

    /// Gives a module its strings with those of the new sites.
    pub(super) fn give_back(self, module: &mut Module) {
        module.strings = self.strings;
    }

    /// Notes what a check of a kernel leaves out and what it needs of launches, if there is anything of either.
    pub(super) fn note(&mut self, notes: &Notes) {
        let needs = notes.group_bytes > 0 || notes.anywhere || !notes.noted.is_empty();
        if needs || !notes.left_out.is_empty() {
            self.strings.push(notes.to_text().into_bytes());
        }
    }

    /// Inserts an instruction that states a finding about an object, with the offset in this object. The position of the
    /// site is that of the cursor.
    pub(super) fn report(&mut self, b: &mut Builder<'_>, mut site: Site, object: Value, offset: Value) {
        (site.position, site.line) = self.position(b.span);
        site.macros = self.macros(b.span);
        let text = site.to_text().into_bytes();
        let next = self.known.len() as u32;
        let strings = &mut self.strings;
        let number = *self.known.entry(text).or_insert_with_key(|text| {
            strings.push(text.clone());
            next
        });
        let number = b.i32(number as i32);
        let op = Op::Intrinsic(Intrinsic::ReportFinding);
        b.insert(op, vec![number, object, offset], &[]);
    }

    /// Inserts a finding under a condition. `place`: the number of the object, and an offset in it.
    pub(super) fn report_if(
        &mut self,
        b: &mut Builder<'_>,
        fault: Value,
        site: Site,
        (object, offset): (u32, Option<Value>),
    ) {
        let (choice, then, otherwise) = b.if_(fault, &[]);
        b.enter(then);
        let object = b.i32(object as i32);
        let offset = offset.unwrap_or_else(|| b.i64(0));
        self.report(b, site, object, offset);
        b.exit(choice, vec![]);
        b.leave();
        b.enter(otherwise);
        b.exit(choice, vec![]);
        b.leave();
    }

    /// Returns the position of a span, and the text of its line.
    pub(super) fn position(&self, span: Span) -> (Position, String) {
        let known = |map: &&SourceMap| !span.is_none() && (span.file.0 as usize) < map.len();
        let Some(map) = self.sources.filter(known) else {
            return (Position::default(), String::new());
        };
        let at = map.locate(span);
        let position = Position {
            file: at.file.to_owned(),
            line: at.line,
            column: at.column,
        };
        (position, at.line_text.to_owned())
    }

    fn macros(&self, span: Span) -> Vec<(String, Position)> {
        let list = self.sources.map_or_else(Vec::new, |map| map.expansions(span));
        let place = |(name, at): (&str, Span)| (name.to_owned(), self.position(at).0);
        list.into_iter().map(place).collect()
    }
}
