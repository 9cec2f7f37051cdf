//! Writes a program as text.

use super::{
    Access, Array, BarrierForm, Base, Below, Condition, Element, Fence, Index, LoopForm, Number, Operation,
    PRIME, Place, Program, STRUCTURES, Space, Statement, Transfer, VARIABLES, execute, later::MACROS,
};

/// The declarations at the beginning of each function.
const IDS: &str = "#define IDS const uint lid = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)), \
                   n = N;\n";

impl Space {
    fn word(self) -> &'static str {
        match self {
            Space::Local => "local",
            Space::Global => "global",
            Space::Constant => "constant",
        }
    }
}

impl Element {
    pub(super) fn name(self) -> String {
        match self {
            Element::Value(ty) => ty.name(),
            Element::Structure(s) => format!("struct S{s}"),
        }
    }

    /// Returns the text after an element for one of its numbers.
    fn member(self, f: usize) -> String {
        match self {
            Element::Value(ty) if ty.n == 1 => String::new(),
            Element::Value(_) => format!(".s{f:x}"),
            Element::Structure(s) => STRUCTURES[s].1[f].0.to_owned(),
        }
    }
}

impl Fence {
    pub(super) fn flags(self) -> &'static str {
        match self {
            Fence::Local => "CLK_LOCAL_MEM_FENCE",
            Fence::Global => "CLK_GLOBAL_MEM_FENCE",
            Fence::Both => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Fence::Local => "wait_local",
            Fence::Global => "wait_global",
            Fence::Both => "wait_both",
        }
    }
}

pub(super) fn text(program: &Program) -> String {
    let items = program.items();
    let mut text = String::from(
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n\
         #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n",
    );
    if program.later.is_some() {
        text += MACROS;
    }
    text += &STRUCTURES.map(|s| s.0).concat();
    text += &match program.known {
        true => format!("#define N {items}u\n"),
        false => "#define N (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2))\n".into(),
    };
    text += IDS;
    text += &format!("#define MIX(v, x) v = (v ^ (ulong)(x)) * {PRIME:#x}UL;\n");
    for fence in [Fence::Local, Fence::Global, Fence::Both] {
        text += &format!("void {}(void) {{ barrier({}); }}\n", fence.name(), fence.flags());
    }
    for (a, array) in program
        .arrays
        .iter()
        .enumerate()
        .filter(|(_, a)| a.space == Space::Constant)
    {
        let all = (0..array.elements(items)).map(|e| element(array, execute::constant(a, e)));
        let (ty, all) = (array.element.name(), all.collect::<Vec<_>>().join(", "));
        text += &format!("constant {ty} o{a}[{}] = {{{all}}};\n", array.elements(items));
    }
    for (f, function) in program.functions.iter().enumerate() {
        let flag = match program.later {
            Some(_) => ", local atomic_flag *flag",
            None => "",
        };
        let pointers = function.pointers.iter().enumerate();
        let pointers = pointers.map(|(p, a)| {
            let space = declared(a.space, program.later.is_some());
            format!(", {space} {} *q{p}", a.element.name())
        });
        let variables: String = (1..VARIABLES).map(|v| format!("ulong v{v} = 0; ")).collect();
        text += &format!(
            "ulong f{f}(ulong v0, uint u0, uint group{}) {{\nIDS\nuint u1 = 0; {variables}\n",
            pointers.collect::<String>() + flag
        );
        let mut printer = Printer::new(program, &function.pointers);
        printer.generic = program.later.is_some();
        printer.body(&function.body, &mut text);
        text += "return v0;\n}\n";
    }
    text += &kernel(program);
    text
}

/// Returns an element of a constant table.
fn element(array: &Array, bits: u64) -> String {
    let size = array.element.bytes();
    format!(
        "{}u{}",
        bits & (u64::MAX >> (64 - 8 * size)),
        if size == 8 { "l" } else { "" }
    )
}

fn kernel(program: &Program) -> String {
    let items = program.items();
    let (mut parameters, mut declarations) = (String::new(), String::new());
    for (a, array) in program.arrays.iter().enumerate() {
        let (ty, count) = (array.element.name(), array.elements(items));
        match array.space {
            Space::Global => {
                parameters += &format!(", global {ty} *b{a}");
                declarations += &format!("global {ty} *const o{a} = b{a} + get_group_id(0) * {count}u;\n");
            }
            Space::Local if array.argument => parameters += &format!(", local {ty} *o{a}"),
            Space::Local => {
                declarations += &format!("local {ty} o{a}[{count}] __attribute__((aligned(16)));\n");
            }
            Space::Constant => {}
        }
    }
    let [x, y, z] = program.shape;
    let required = match program.required {
        true => format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))\n"),
        false => String::new(),
    };
    let full = program.later.map_or("n".into(), |_| format!("{items}u"));
    let mut text = format!(
        "{required}kernel void k(global ulong *out, uint argument{parameters}) {{\n{declarations}IDS\n\
         const uint group = get_group_id(0) + argument, me = get_group_id(0) * {full} + lid;\n\
         uint u0 = argument, u1 = get_group_id(0);\n"
    );
    for v in 0..VARIABLES {
        text += &format!("ulong v{v} = {PRIME:#x}UL * (me + {}u);\n", v * 1000 + 1);
    }
    if program.later.is_some() {
        text +=
            "MIX(v0, (get_enqueued_local_size(0) * 1000 + get_local_size(0)) * 1000 + get_num_groups(0))\n";
        text += "local atomic_flag flags[1];\nlocal atomic_flag *const flag = flags;\n";
    }
    for (p, pointer) in program.pointers.iter().enumerate() {
        let same = |a: &Array| a.space == pointer.space && a.element == pointer.element;
        let first = program.arrays.iter().position(same).unwrap_or(0);
        text += &format!(
            "{} {} *q{p} = o{first};\n",
            pointer.space.word(),
            pointer.element.name()
        );
    }
    Printer::new(program, &program.pointers).body(&program.body, &mut text);
    for v in 0..VARIABLES {
        text += &format!("out[me * {VARIABLES}u + {v}u] = v{v};\n");
    }
    text + "}\n"
}

/// Returns the address space of a pointer as it is declared; `generic`: the program leaves it out.
pub(super) fn declared(space: Space, generic: bool) -> &'static str {
    if generic { "" } else { space.word() }
}

pub(super) struct Printer<'p> {
    program: &'p Program,
    pointers: &'p [Array],
    /// Whether the pointers are to the generic address space.
    pub(super) generic: bool,
    /// The number of loops around the statement.
    loops: usize,
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program, pointers: &'p [Array]) -> Printer<'p> {
        Printer {
            program,
            pointers,
            generic: false,
            loops: 0,
        }
    }

    fn number(&self, number: Number) -> String {
        match number {
            Number::Constant(x) => format!("{x}u"),
            Number::Counter(out, plus) => match (self.loops > out, plus) {
                (true, 0) => format!("i{}", self.loops - 1 - out),
                (true, _) => format!("(i{} + {plus}u)", self.loops - 1 - out),
                (false, _) => format!("{plus}u"),
            },
            Number::Uniform(u) => format!("u{u}"),
            Number::Group => "group".into(),
        }
    }

    pub(super) fn below(&self, (number, end): Below) -> String {
        match (number, end) {
            (_, 0) => self.number(number),
            (Number::Constant(x), _) => format!("{}u", x % end),
            _ => format!("{} % {end}u", self.number(number)),
        }
    }

    fn index(&self, index: &Index) -> String {
        let below = |k| self.below(k);
        let place = match index.place {
            Place::Own => "lid".into(),
            Place::Rotated(k) => format!("(lid + {}) % n", below(k)),
            Place::Reversed => "(n - 1u - lid)".into(),
            Place::Xor(k) => format!("(lid ^ {})", below(k)),
            Place::Transposed(w) => format!("(lid % {w}u * (n / {w}u) + lid / {w}u)"),
            Place::Times(k) => format!("lid * {k}u % n"),
            Place::After(k) => format!("(lid + {})", below(k)),
            Place::Before(k) => format!("(lid - {})", below(k)),
            Place::Shared(k) => format!("lid / {k}u"),
            Place::Same(k) => below(k),
            Place::Variable(v) => format!("(uint)v{v} % (n * {}u)", index.each),
        };
        let element = below(index.element);
        let mut text = match (index.place, index.each, index.adjacent) {
            (Place::Variable(_), ..) => place,
            (_, 1, _) if element == "0u" => place,
            (_, each, true) => format!("({place}) * {each}u + {element}"),
            (_, _, false) if element == "0u" => place,
            (_, _, false) => format!("{element} * n + {place}"),
        };
        let plus = below(index.plus);
        if plus != "0u" {
            text += &format!(" + {plus}");
        }
        text
    }

    /// Returns an element as an lvalue, without the member.
    fn element(&self, access: &Access) -> String {
        let (name, array) = match access.base {
            Base::Array(a) => (format!("o{a}"), &self.program.arrays[a]),
            Base::Pointer(p) => (format!("q{p}"), &self.pointers[p]),
        };
        let index = self.index(&access.index);
        match array.element == access.element {
            true => format!("{name}[{index}]"),
            false => format!(
                "(({} {} *){name})[{index}]",
                self.word(access),
                access.element.name()
            ),
        }
    }

    pub(super) fn place(&self, access: &Access) -> String {
        let member = access.field.map(|f| access.element.member(f));
        self.element(access) + &member.unwrap_or_default()
    }

    /// Returns the statement that mixes a value of a type into a variable.
    pub(super) fn mix(v: usize, access: &Access, place: &str) -> String {
        let element = access.element;
        let bits = |value: String| match element.field(0).float {
            true => format!("as_uint({value})"),
            false => value,
        };
        if access.field.is_some() || element.count() == 1 {
            return format!("MIX(v{v}, {})", bits(place.to_owned()));
        }
        let all =
            (0..element.count()).map(|f| format!(" MIX(v{v}, {})", bits(format!("r{}", element.member(f)))));
        format!(
            "{{ const {} r = {place};{} }}",
            element.name(),
            all.collect::<String>()
        )
    }

    fn store(&self, access: &Access, v: usize) -> String {
        self.store_to(&self.place(access), access, v)
    }

    /// Returns the statement that stores bits of a variable in a place of the type of an access.
    pub(super) fn store_to(&self, place: &str, access: &Access, v: usize) -> String {
        let element = access.element;
        let bits = |f: usize, e: usize| {
            let field = element.field(f);
            match field.float {
                true => format!("as_float((uint)(v{v} >> {}) & 0x7fffffu | 0x3f800000u)", e * 3),
                false => format!(
                    "({})(v{v} >> {})",
                    crate::types::int(8 * field.size as u32, field.signed, 1).name(),
                    e * 3
                ),
            }
        };
        match (access.field, element) {
            (Some(f), _) => format!("{place} = {};\n", bits(f, 0)),
            (None, Element::Value(ty)) if ty.n == 1 => format!("{place} = {};\n", bits(0, 0)),
            (None, Element::Value(ty)) => {
                let all: Vec<String> = (0..ty.n).map(|e| bits(e, e)).collect();
                format!("{place} = ({})({});\n", ty.name(), all.join(", "))
            }
            (None, Element::Structure(_)) => {
                let all = (0..element.count()).map(|f| format!("r{} = {}; ", element.member(f), bits(f, f)));
                format!(
                    "{{ {} r; {}{place} = r; }}\n",
                    element.name(),
                    all.collect::<String>()
                )
            }
        }
    }

    pub(super) fn condition(&self, condition: Condition) -> String {
        match condition {
            Condition::Less(k) => format!("lid < {}", self.below(k)),
            Condition::NotLess(k) => format!("lid >= {}", self.below(k)),
            Condition::Fits(k) => format!("lid + {} < n", self.below(k)),
            Condition::Is(k) => format!("lid == {}", self.below(k)),
            Condition::Remainder(k, r) => format!("lid % {k}u == {r}u"),
            Condition::Bit(v, bit) => format!("v{v} >> {bit} & 1"),
            Condition::Uniform(number, bit) => format!("{} >> {bit} & 1u", self.number(number)),
        }
    }

    pub(super) fn barrier(&self, fence: Fence, form: BarrierForm) -> String {
        let call = match (self.program.later, fence) {
            (None, _) => format!("barrier({});", fence.flags()),
            (Some(_), Fence::Local) => format!("work_group_barrier({});", fence.flags()),
            (Some(_), Fence::Global) => {
                format!("work_group_barrier({}, memory_scope_device);", fence.flags())
            }
            (Some(_), Fence::Both) => {
                format!("work_group_barrier({}, memory_scope_work_group);", fence.flags())
            }
        };
        match form {
            BarrierForm::Plain => format!("{call}\n"),
            BarrierForm::Arms(number) => {
                format!(
                    "if ({} & 1u) {{ {call} }} else {{ {call} }}\n",
                    self.number(number)
                )
            }
            BarrierForm::Function => format!("{}();\n", fence.name()),
            BarrierForm::DoWhile => format!("do {{ {call} }} while (0);\n"),
            BarrierForm::Switch(number) => format!(
                "switch ({} % 3u) {{ case 0: {call} break; case 1: {}(); break; default: {call} }}\n",
                self.number(number),
                fence.name()
            ),
            BarrierForm::Repeated(number) => {
                format!(
                    "for (uint j = 0; j <= ({} & 1u); j++) {{ {call} }}\n",
                    self.number(number)
                )
            }
        }
    }

    fn body(&mut self, body: &[Statement], text: &mut String) {
        for statement in body {
            self.statement(statement, text);
        }
    }

    /// Writes the body of a loop.
    fn inner(&mut self, body: &[Statement], text: &mut String) {
        self.loops += 1;
        self.body(body, text);
        self.loops -= 1;
    }

    fn statement(&mut self, statement: &Statement, text: &mut String) {
        let line = match statement {
            Statement::Load(v, access) => Self::mix(*v, access, &self.place(access)) + "\n",
            Statement::Store(access, v) => self.store(access, *v),
            Statement::Copy(to, from) => format!("{} = {};\n", self.place(to), self.place(from)),
            Statement::Combine(operation, to, from) => {
                let (to, from) = (self.place(to), self.place(from));
                format!("{to} = {};\n", operation.of(&to, &from))
            }
            Statement::Sum(v, access, count, step, walks) => self.sum(*v, access, *count, (*step, *walks)),
            Statement::Collective(v, from, collective, ty) => self.collective(*v, *from, *collective, *ty),
            Statement::Through(v, condition, places, is_store) => {
                self.through(*v, *condition, *places, *is_store)
            }
            Statement::MemFence(fence) if self.program.later.is_some() => Self::fence_of_later(*fence),
            Statement::Atomic(operation, access, v, loops, used) => {
                self.atomic(*operation, access, *v, (*loops, *used))
            }
            Statement::Read(u, access) => match access.element.field(0).float {
                true => format!("u{u} = as_uint({});\n", self.place(access)),
                false => format!("u{u} = (uint){};\n", self.place(access)),
            },
            Statement::Advance(u, number) => format!("u{u} = u{u} * 5u + {};\n", self.number(*number)),
            Statement::Mix(v, from, with) => format!("MIX(v{v}, v{from} ^ {with:#x}UL)\n"),
            Statement::Slots(counter, array, v) => self.slots(*counter, *array, *v),
            Statement::Async(copies, body) => {
                *text += "{\n";
                for (n, copy) in copies.iter().enumerate() {
                    *text += &self.transfer(copy, n == 0);
                }
                self.body(body, text);
                "wait_group_events(1, &event);\n}\n".into()
            }
            Statement::Barrier(fence, form) => self.barrier(*fence, *form),
            Statement::MemFence(fence) => format!("mem_fence({});\n", fence.flags()),
            Statement::Choose(p, condition, [a, b]) => format!(
                "q{p} = {} ? o{} + {} : o{} + {};\n",
                self.condition(*condition),
                a.0,
                a.1,
                b.0,
                b.1
            ),
            Statement::Swap(p, q) => {
                let space = declared(self.pointers[*p].space, self.generic);
                let ty = self.pointers[*p].element.name();
                format!("{{ {space} {ty} *const q = q{p}; q{p} = q{q}; q{q} = q; }}\n")
            }
            Statement::If(condition, a, b) => {
                *text += &format!("if ({}) {{\n", self.condition(*condition));
                self.body(a, text);
                if !b.is_empty() {
                    *text += "} else {\n";
                    self.body(b, text);
                }
                "}\n".into()
            }
            Statement::Loop(form, bound, body) => {
                let (head, end) = self.repeat(*form, *bound);
                *text += &head;
                self.inner(body, text);
                end
            }
            Statement::Diverge(v, body) => {
                let i = self.loops;
                *text += &format!("for (uint i{i} = 0, e{i} = (uint)v{v} & 3u; i{i} < e{i}; i{i}++) {{\n");
                self.inner(body, text);
                "}\n".into()
            }
            Statement::Switch(number, arms) => {
                *text += &format!("switch ({} % {}u) {{\n", self.number(*number), arms.len());
                for (n, arm) in arms.iter().enumerate() {
                    *text += &match n + 1 == arms.len() {
                        true => "default: {\n".to_owned(),
                        false => format!("case {n}: {{\n"),
                    };
                    self.body(arm, text);
                    *text += "break;\n}\n";
                }
                "}\n".into()
            }
            Statement::Leave(condition, ends) => {
                let jump = if *ends { "break" } else { "continue" };
                format!("if ({}) {jump};\n", self.condition(*condition))
            }
            Statement::Call(f, v, number, bases) => {
                let bases = bases.map(|b| match b {
                    Base::Array(a) => format!(", o{a}"),
                    Base::Pointer(p) => format!(", q{p}"),
                });
                format!(
                    "MIX(v{v}, f{f}(v{v}, {}, group{}{}))\n",
                    self.number(*number),
                    bases.concat(),
                    self.program.later.map_or("", |_| ", flag")
                )
            }
        };
        *text += &line;
    }

    fn sum(&self, v: usize, access: &Access, count: Below, (step, walks): (usize, bool)) -> String {
        let (place, count) = (self.element(access), self.below(count));
        let member = access.field.map(|f| access.element.member(f)).unwrap_or_default();
        if walks {
            let mix = Self::mix(v, access, &format!("(*w){member}"));
            let (space, ty) = (self.word(access), access.element.name());
            return format!(
                "for (const {space} {ty} *w = &{place}, *e = w + {count}; w != e; w++) {{ {mix} }}\n"
            );
        }
        let end = place.len() - 1;
        let mix = Self::mix(v, access, &format!("{} + j * {step}u]{member}", &place[..end]));
        format!("for (uint j = 0; j < {count}; j++) {{ {mix} }}\n")
    }

    /// Returns the address space of a pointer to an element as the program declares it.
    pub(super) fn word(&self, access: &Access) -> &'static str {
        let is_pointer = matches!(access.base, Base::Pointer(_));
        declared(self.space(access), self.generic && is_pointer)
    }

    fn space(&self, access: &Access) -> Space {
        match access.base {
            Base::Array(a) => self.program.arrays[a].space,
            Base::Pointer(p) => self.pointers[p].space,
        }
    }

    fn atomic(&self, operation: Operation, access: &Access, v: usize, (loops, used): (bool, bool)) -> String {
        if self.program.later.is_some() {
            return self.atomic_of_later(operation, access, v, (loops, used));
        }
        let (place, ty) = (self.place(access), access.element.name());
        let stem = if access.element.field(0).size == 8 {
            "atom"
        } else {
            "atomic"
        };
        if loops {
            let new = operation.of("a", "x");
            let mix = if used {
                format!(" MIX(v{v}, a)")
            } else {
                String::new()
            };
            return format!(
                "{{ {} {ty} *const p = &{place}; {ty} x = ({ty})v{v}, a = {stem}_or(p, ({ty})0), b; \
                 while ((b = {stem}_cmpxchg(p, a, {new})) != a) a = b;{mix} }}\n",
                self.space(access).word()
            );
        }
        let (name, operand) = match operation {
            Operation::Increment => ("inc", String::new()),
            Operation::Decrement => ("dec", String::new()),
            Operation::Subtract => ("sub", format!(", ({ty})v{v}")),
            other => (other.name(), format!(", ({ty})v{v}")),
        };
        let call = format!("{stem}_{name}(&{place}{operand})");
        if used {
            format!("MIX(v{v}, {call})\n")
        } else {
            format!("{call};\n")
        }
    }

    fn slots(&self, counter: usize, array: usize, v: usize) -> String {
        let ty = self.program.arrays[array].element.name();
        let barrier = self.barrier(Fence::Both, BarrierForm::Plain);
        let next = match self.program.later {
            None => format!("atomic_inc(&o{counter}[0])"),
            Some(_) => {
                let space = self.program.arrays[counter].space.word();
                format!(
                    "atomic_fetch_add_explicit((volatile {space} atomic_uint *)o{counter}, 1u, memory_order_relaxed, memory_scope_work_group)"
                )
            }
        };
        format!(
            "{barrier}if (lid == 0) o{counter}[0] = 0;\n{barrier}o{array}[{next}] = ({ty})v{v};\n{barrier}\
             {{ ulong s = 0; for (uint j = 0; j < n; j++) s += o{array}[j]; MIX(v{v}, s) }}\n{barrier}o{array}[lid] = ({ty})v{v};\n"
        )
    }

    fn transfer(&self, copy: &Transfer, is_first: bool) -> String {
        let [to, from] = [copy.to, copy.from].map(|(a, first)| format!("o{a} + {}", self.below(first)));
        let event = if is_first { "0" } else { "event" };
        let left = if is_first { "event_t event" } else { "event" };
        let count = copy.elements;
        match copy.stride {
            1 => format!("{left} = async_work_group_copy({to}, {from}, {count}, {event});\n"),
            stride => {
                format!("{left} = async_work_group_strided_copy({to}, {from}, {count}, {stride}, {event});\n")
            }
        }
    }

    /// Returns the texts before and after the body of a loop.
    fn repeat(&self, form: LoopForm, bound: Below) -> (String, String) {
        let i = format!("i{}", self.loops);
        // The body may change the variables in the bound.
        let (end, bound) = match bound {
            (Number::Constant(_), _) => (String::new(), self.below(bound)),
            _ => (
                format!(", e{} = {}", self.loops, self.below(bound)),
                format!("e{}", self.loops),
            ),
        };
        let close = "}\n".to_owned();
        let counter = format!("{{ uint {i} = 0{end};\ndo {{\n");
        match form {
            LoopForm::Up => (
                format!("for (uint {i} = 0{end}; {i} < {bound}; {i}++) {{\n"),
                close,
            ),
            LoopForm::Down | LoopForm::Halving => {
                let step = if matches!(form, LoopForm::Down) {
                    format!("{i}-- > 0u;")
                } else {
                    format!("{i} > 0u; {i} >>= 1")
                };
                let end = end.trim_start_matches(", ");
                match end.is_empty() {
                    true => (format!("for (uint {i} = {bound}; {step}) {{\n"), close),
                    false => (format!("for (uint {end}, {i} = {bound}; {step}) {{\n"), close),
                }
            }
            LoopForm::Doubling => (
                format!("for (uint {i} = 1{end}; {i} < {bound}; {i} <<= 1) {{\n"),
                close,
            ),
            LoopForm::DoWhile => (counter, format!("}} while (++{i} < {bound}); }}\n")),
            LoopForm::While(u, bit) => (
                counter,
                format!("}} while (++{i} < {bound} && u{u} >> {bit} & 1u); }}\n"),
            ),
        }
    }
}

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::Add | Operation::Increment => "add",
            Operation::Subtract | Operation::Decrement => "sub",
            Operation::Min => "min",
            Operation::Max => "max",
            Operation::And => "and",
            Operation::Or => "or",
            Operation::Xor => "xor",
            Operation::Exchange => "xchg",
        }
    }

    /// Returns the expression that applies the operation to two values.
    pub(super) fn of(self, a: &str, b: &str) -> String {
        match self {
            Operation::Add => format!("{a} + {b}"),
            Operation::Subtract => format!("{a} - {b}"),
            Operation::Increment => format!("{a} + 1"),
            Operation::Decrement => format!("{a} - 1"),
            Operation::Min | Operation::Max => format!("{}({a}, {b})", self.name()),
            Operation::And => format!("{a} & {b}"),
            Operation::Or => format!("{a} | {b}"),
            Operation::Xor => format!("{a} ^ {b}"),
            Operation::Exchange => b.to_owned(),
        }
    }
}
