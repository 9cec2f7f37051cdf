//! A program of float expressions as a whole, from its parts: inputs, functions, variables and results.

use super::super::Features;
use super::super::expressions::{ITEMS, declaration, macros};
use super::super::written::{Form, Written};
use super::terms::{self, Term};
use super::values::{Array, Parameter};
use super::{FloatGenerator, Numbers, WIDTHS, functions, memory, shrink};
use crate::Failure;
use crate::campaign::launch::{Argument, Fill, Launch, Memory, Plan};
use crate::float_format::Format;
use crate::types::{Type, float};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A function, macro or constant outside of the kernel.
#[derive(Clone)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) text: String,
}

impl Definition {
    pub(super) fn new(name: &str, text: String) -> Definition {
        let name = name.to_owned();
        Definition { name, text }
    }
}

/// A statement of the kernel that declares a variable, and may change it.
#[derive(Clone)]
pub(super) struct Statement {
    pub(super) name: String,
    pub(super) text: String,
}

/// An expression of the kernel whose value is stored.
#[derive(Clone)]
pub(super) struct Stored {
    /// The first row of the results, of which there are at least as many as elements.
    pub(super) row: usize,
    pub(super) term: Term,
}

impl Stored {
    /// Returns the name of the place where the expression is.
    pub(super) fn scope(row: usize) -> String {
        format!("row {row}")
    }

    /// Returns the line of the program. A float is stored as its bits, but the same bits for every NaN.
    fn text(&self) -> String {
        let (row, term) = (self.row, &self.term);
        let n = term.ty.n;
        let (ty, text) = match term.is_float() {
            true => {
                let name = term.ty.name();
                (
                    functions::bits_type(term.ty).name(),
                    format!("bits_{name}({})", term.text),
                )
            }
            false => (term.ty.name(), term.text.clone()),
        };
        let mut line = format!("E{n}({row}, {ty}, {text})\n");
        for e in 0..n {
            let bit = |item: usize| u64::from(term.at(item, e).is_some()) << item;
            let defined = (0..ITEMS).map(bit).fold(0, |all, bit| all | bit);
            if defined != u64::MAX {
                line += &format!("GAP({}, {defined:#x}UL)\n", row + e);
            }
        }
        line
    }
}

/// A line of the kernel.
#[derive(Clone)]
pub(super) enum Line {
    Statement(Statement),
    Stored(Stored),
}

impl Line {
    pub(super) fn text(&self) -> String {
        match self {
            Line::Statement(statement) => statement.text.clone(),
            Line::Stored(stored) => stored.text(),
        }
    }
}

/// An expression within the program.
pub(super) struct Made {
    /// Where it is: the name of a function, of a variable, or of a stored expression.
    pub(super) scope: String,
    pub(super) term: Term,
}

impl Made {
    pub(super) fn new(scope: &str, term: &Term) -> Made {
        let (scope, term) = (scope.to_owned(), term.clone());
        Made { scope, term }
    }
}

#[derive(Clone)]
pub(super) struct Program {
    pub(super) options: String,
    pub(super) numbers: Numbers,
    pub(super) arrays: Arc<Vec<Array>>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) functions: Vec<Definition>,
    /// Tables that a reduction has put in the place of expressions.
    pub(super) tables: Vec<Definition>,
    pub(super) lines: Vec<Line>,
    /// The number of rows of results.
    pub(super) rows: usize,
    pub(super) made: Arc<Vec<Made>>,
}

/// A macro that replaces the result of the work-items in which it is not defined. It has a row, and a word with a bit for each work-item.
const GAP: &str = "#define GAP(row, defined) if (!((defined) >> me & 1)) out[(row) * 64u + me] = 0;\n";

impl Program {
    pub(super) fn written(self) -> Result<Written, Failure> {
        let mut arguments: Vec<Argument> = [0, 1].map(Argument::Memory).into();
        arguments.extend(self.parameters.iter().map(Parameter::argument));
        let plan = Plan {
            options: self.options.clone(),
            memory: vec![
                Memory::input(4, Fill::Zero),
                Memory::result(self.rows * ITEMS * 8, Fill::Zero),
            ],
            std: None,
            launches: vec![Launch::new(
                "k0",
                [0, ITEMS, memory::GROUP].map(|n| vec![n]),
                arguments,
            )],
        };
        Written::new(&plan, &self.text(), self.words(), self.size(), self)
    }

    /// Returns the text without the plan.
    fn text(&self) -> String {
        let features = Features {
            half: self.numbers.half,
            double: self.numbers.double,
            images: false,
            later: None,
        };
        let lines: String = self.lines.iter().map(Line::text).collect();
        let functions: String = self.functions.iter().map(|f| f.text.as_str()).collect();
        let used = names([lines.as_str(), functions.as_str()]);
        let inputs = FloatGenerator::inputs(&self.arrays);
        let is_used = |(term, _): &&(Term, _)| used.contains(term.text.as_str());
        let declarations: String = inputs
            .iter()
            .filter(is_used)
            .map(|(term, place)| declaration(&term.text, &place.text, term.ty))
            .collect();
        let read = names([declarations.as_str()]);
        let arrays = self.arrays.iter().filter(|a| read.contains(a.name().as_str()));
        let arrays: String = arrays.map(Array::text).collect();
        let tables: String = self.tables.iter().map(|t| t.text.as_str()).collect();
        let parameters: String = self.parameters.iter().map(Parameter::text).collect();
        format!(
            "{}#pragma OPENCL FP_CONTRACT OFF\n{}{GAP}{}{}{arrays}{tables}{functions}\
             kernel void k0(global const uint *zero, global ulong *out{parameters}) {{\n\
             const uint me = get_global_id(0), i = me + zero[0];\n{}{declarations}{lines}}}\n",
            features.pragmas(),
            macros(&WIDTHS),
            self.bits_functions(&used),
            memory::functions(&used),
            memory::declarations(&used),
        )
    }

    /// Returns the words of the result.
    fn words(&self) -> Vec<u64> {
        let mut words = vec![0; self.rows * ITEMS];
        for line in &self.lines {
            let Line::Stored(Stored { row, term }) = line else {
                continue;
            };
            for (e, item) in (0..term.ty.n).flat_map(|e| (0..ITEMS).map(move |item| (e, item))) {
                words[(row + e) * ITEMS + item] = self.stored(term, item, e);
            }
        }
        words
    }

    /// Returns the word that the program stores for an element.
    fn stored(&self, term: &Term, item: usize, element: usize) -> u64 {
        match term.at(item, element) {
            None => 0,
            Some(x) if !term.is_float() => terms::as_integer(term.ty, x) as u64,
            Some(x) if term.format().is_zero(x) && !self.numbers.signed_zeros => 0,
            Some(x) => x,
        }
    }

    /// Returns the functions that give the bits of floats.
    fn bits_functions(&self, used: &BTreeSet<&str>) -> String {
        let sizes = self.numbers.float_sizes();
        let all = sizes.into_iter().flat_map(|bits| WIDTHS.map(|n| float(bits, n)));
        all.filter(|ty| used.contains(format!("bits_{}", ty.name()).as_str()))
            .map(|ty| self.bits_function(ty))
            .collect()
    }

    fn bits_function(&self, ty: Type) -> String {
        let (name, bits) = (ty.name(), functions::bits_type(ty));
        let splat = |x: u64| bits.splat(&format!("{x:#x}"));
        let nan = splat(Format::of(ty.bits()).nan());
        let unsigned = bits.name();
        let zero = match self.numbers.signed_zeros {
            true => String::new(),
            false => format!("x == {} ? {} : ", ty.splat("0"), splat(0)),
        };
        format!("{unsigned} bits_{name}({name} x) {{ return isnan(x) ? {nan} : {zero}as_{unsigned}(x); }}\n")
    }
}

impl Form for Program {
    fn smaller(&self) -> Result<Vec<Written>, Failure> {
        shrink::smaller(self).into_iter().map(Program::written).collect()
    }
}

/// Returns the names in some texts.
pub(super) fn names<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    texts.into_iter().flat_map(|text| text.split(is_other)).collect()
}
