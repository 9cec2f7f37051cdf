//! Generates whole programs: kernels with their phases, barriers and launches.

use super::choices::Choices;
use super::{Features, Generator, Place, element, later};
use crate::Failure;
use crate::campaign::launch::{Argument, Fill, Launch, Memory, Plan};
use crate::random::Random;
use crate::types::{INT, Type, UINT, int};

/// The number of words in each input buffer.
pub(super) const INPUT: usize = 64;

const PRELUDE: &str = "\
union words { ulong l[2]; int i[4]; short s[8]; uchar c[16]; uint4 v; ushort4 w[2]; };
#define LID ((uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0)))
#define GROUP ((uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)))
#define MIX(x) h = h * 0x100000001b3UL + (ulong)(x)
";

/// The most work-items that a kernel of a program with later features has, those included that would complete the work-groups
/// at the ends of its range.
const MOST_ITEMS: usize = 256;

/// The size of the images: powers of two, so that normalized coordinates are exact. Depth 0 makes them 2D.
const IMAGE: [usize; 3] = [8, 4, 0];

/// Returns the program of a seed, with its plan in the first line.
pub(crate) fn program(seed: u64, features: Features) -> Result<String, Failure> {
    let mut random = Random::new(seed.wrapping_mul(2).wrapping_add(1));
    // Programs with later features are smaller: drivers take long for the memory accesses through generic pointers.
    let fuel = match features.later {
        None => [400, 900, 2000][random.below(3)],
        Some(_) => [20, 60, 150][random.below(3)],
    };
    let mut g = Generator::new(random, features, fuel);
    let mut text = String::new();
    let tables = g.tables(&mut text);
    g.declare_variables(MOST_ITEMS);
    for _ in 0..g.below(3) {
        text += &g.structure();
    }
    for _ in 0..g.below(4) {
        text += &g.function();
    }
    let mut plan = Plan {
        options: g.pick(&["", "", "", "-cl-opt-disable", "-cl-mad-enable"]).into(),
        memory: vec![
            Memory::input(INPUT * 4, Fill::Random { seed }),
            Memory::input(INPUT * 4, Fill::Random { seed: seed ^ 1 }),
            Memory::result(8 * 4, Fill::Random { seed: seed ^ 2 }),
        ],
        launches: Vec::new(),
        std: features.later.map(|std| std.name().to_owned()),
    };
    let image = features.images && g.one_in(4);
    if image {
        plan.memory.push(Memory {
            image: Some(IMAGE),
            ..Memory::input(IMAGE[0] * IMAGE[1] * 16, Fill::Random { seed: seed ^ 3 })
        });
    }
    let own = features.later.map(|_| g.later_memory(&mut plan));
    // Each kernel reads the results of the previous one; the first kernel reads this buffer instead.
    plan.memory
        .push(Memory::input(8 * 8, Fill::Random { seed: seed ^ 4 }));
    let mut before = 8;
    let kernels = match features.later {
        None => g.pick(&[1, 1, 2, 3]),
        Some(_) => g.pick(&[1, 1, 1, 2]),
    };
    for k in 0..kernels {
        g.fuel = g.fuel.max(0) + fuel / 2;
        let (offset, global, local) = g.sizes();
        let items: usize = global
            .iter()
            .zip(&local)
            .map(|(g, l)| g.next_multiple_of(*l))
            .product();
        let group: usize = local.iter().product();
        let previous = plan.memory.len() - 1 - usize::from(k > 0);
        plan.memory.push(Memory::result(items * 8, Fill::Zero));
        plan.memory
            .push(Memory::result(items * 16 * 4, Fill::Random { seed: seed ^ 5 }));
        let out = plan.memory.len() - 2;
        let mut arguments: Vec<Argument> = [0, 1, 2, previous, out, out + 1].map(Argument::Memory).into();
        arguments.extend([Argument::U32(g.below(16) as u32), Argument::Local(group * 4)]);
        if image {
            arguments.push(Argument::Memory(3));
        }
        let mut launch = Launch::new(&format!("k{k}"), [offset, global, local], arguments);
        if let Some((variables, heap)) = own {
            launch.arguments.extend(later::arguments(variables, heap, group));
            launch.first_group = Some(launch.arguments.len() - 3);
            if k > 0 {
                text += &g.changing_kernel(k);
                plan.launches.push(one_item(
                    &format!("step{k}"),
                    vec![Argument::Memory(variables), Argument::U32(k as u32)],
                ));
            }
        }
        text += &g.kernel(k, &tables, &launch, before, image);
        plan.launches.push(launch);
        before = items;
    }
    if let Some((variables, _)) = own {
        text += &(g.first_kernel() + &g.last_kernel());
        plan.launches
            .insert(0, one_item("begin", vec![Argument::Memory(variables)]));
        plan.memory.push(Memory::result(8, Fill::Zero));
        let out = Argument::Memory(plan.memory.len() - 1);
        plan.launches
            .push(one_item("last", vec![Argument::Memory(variables), out]));
        plan.memory[variables].bytes = g.variable_bytes();
    }
    Ok(format!(
        "{}{}{PRELUDE}{}{text}",
        plan.line()?,
        features.pragmas(),
        g.later_header()
    ))
}

/// Returns the launch of one work-item.
fn one_item(kernel: &str, arguments: Vec<Argument>) -> Launch {
    Launch::new(kernel, [0, 1, 1].map(|n| vec![n]), arguments)
}

impl Generator {
    /// Adds the memory that only programs with later features have: a buffer for the variables, and one with a part for each
    /// work-item. Returns their indices.
    fn later_memory(&self, plan: &mut Plan) -> (usize, usize) {
        plan.memory.push(Memory::input(self.variable_bytes(), Fill::Zero));
        plan.memory
            .push(Memory::input(MOST_ITEMS * later::HEAP, Fill::Zero));
        (plan.memory.len() - 2, plan.memory.len() - 1)
    }

    /// Adds the program's constant arrays to `text`. Returns the name, element type and length of each.
    fn tables(&mut self, text: &mut String) -> Vec<(String, Type, usize)> {
        let mut all = Vec::new();
        for _ in 0..self.below(3) {
            let (ty, len, name) = (self.int_type(), self.pick(&[3, 8, 16]), self.name("t"));
            let values: Vec<String> = (0..len).map(|_| self.table_value(ty)).collect();
            *text += &format!(
                "constant {} {name}[{len}] = {{{}}};\n",
                ty.name(),
                values.join(", ")
            );
            all.push((name, ty, len));
        }
        all
    }

    /// Returns a number that fits into the type and into the signed type of the same size.
    pub(super) fn table_value(&mut self, ty: Type) -> String {
        let all: Vec<String> = (0..ty.n).map(|_| format!("{}", self.random.below(128))).collect();
        if ty.n == 1 {
            all.join("")
        } else {
            ty.splat(&all.join(", "))
        }
    }

    /// Returns the offset, the global size and the local size of a launch, in one to three dimensions.
    fn sizes(&mut self) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        if self.later.is_some() {
            return self.later_sizes();
        }
        let dimensions = 1 + self.below(3);
        let local: Vec<usize> = (0..dimensions)
            .map(|_| match dimensions {
                1 => self.pick(&[1, 7, 8, 16, 32, 33, 64]),
                2 => self.pick(&[1, 3, 4, 8]),
                _ => self.pick(&[1, 2, 3, 4]),
            })
            .collect();
        let global = local.iter().map(|l| l * (1 + self.random.below(3))).collect();
        let offset = (0..dimensions)
            .map(|_| if self.one_in(3) { self.below(1000) } else { 0 })
            .collect();
        (offset, global, local)
    }

    /// Returns the offset, the global size and the local size of a launch of a program with later features. The global size
    /// need not be a multiple of the local size.
    fn later_sizes(&mut self) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        let dimensions = self.pick(&[1, 1, 1, 2, 3]);
        let local: Vec<usize> = (0..dimensions)
            .map(|_| match dimensions {
                1 => self.pick(&[1, 7, 8, 16, 20, 32, 33, 48, 64]),
                2 => self.pick(&[1, 3, 4, 8]),
                _ => self.pick(&[1, 2, 3]),
            })
            .collect();
        let uneven = self.one_in(3);
        let global = local.iter().map(|l| {
            let all = l * (1 + self.below(2));
            all - if uneven { self.below(*l) } else { 0 }
        });
        let global = global.collect();
        let offset = (0..dimensions)
            .map(|_| if self.one_in(3) { self.below(1000) } else { 0 })
            .collect();
        (offset, global, local)
    }

    /// Prepares the generator for a kernel of a program with later features. Returns the kernel's first declarations.
    fn begin_later_kernel(&mut self, k: usize, launch: &Launch) -> String {
        let Launch {
            offset,
            global,
            local,
            ..
        } = launch;
        let Some(later) = &mut self.later else {
            return String::new();
        };
        later.group = local.iter().product();
        later.uneven = global.iter().zip(local).any(|(g, l)| g % l != 0);
        later.line = local.len() == 1;
        (later.heap, later.local) = (0, 0);
        for name in later::IDS {
            self.places.push(Place::read_only(name, UINT, 0));
        }
        let variables = self.settled_variables().into_iter().chain(self.parts(k));
        self.places.extend(variables);
        self.ids([offset, global, local])
    }

    fn kernel(
        &mut self,
        k: usize,
        tables: &[(String, Type, usize)],
        launch: &Launch,
        before: usize,
        image: bool,
    ) -> String {
        let group: usize = launch.local.iter().product();
        self.places.clear();
        self.counters = vec!["counters".into()];
        for (name, ty, len) in tables {
            self.places
                .push(Place::read_only(&format!("{name}[@]"), *ty, *len));
        }
        let group_id = match self.later {
            Some(_) => "group0",
            None => "((uint)get_group_id(0))",
        };
        for (name, ty, len) in [
            ("in[@]", UINT, INPUT),
            ("con[@]", UINT, INPUT),
            ("prev[@]", int(64, false, 1), before),
            ("n", UINT, 0),
            ("lid", UINT, 0),
            ("me", UINT, 0),
            ("((uint)get_global_id(0))", UINT, 0),
            (group_id, UINT, 0),
            ("((int)get_global_id(1))", INT, 0),
        ] {
            self.places.push(Place::read_only(name, ty, len));
        }
        let ids = self.begin_later_kernel(k, launch);
        let slots = String::from("slots[me * 16u + (@)]");
        self.places.push(Place::writable(slots, UINT, 16, false));
        let mut text = String::new();
        if image {
            text += &self.texels();
        }
        text += &self.declaration();
        for _ in 0..1 + self.below(3) {
            text += &(0..1 + self.below(4))
                .map(|_| self.statement(2))
                .collect::<String>();
            if self.later.is_some() && self.one_in(2) {
                text += &match self.one_in(5) {
                    true => self.group_copies(group),
                    false => self.collective_phase(),
                };
                continue;
            }
            text += &match self.below(5) {
                0 | 1 => self.exchange(group),
                2 if group.is_power_of_two() && !self.is_uneven() => self.tree(group),
                3 => self.counted(),
                _ => String::new(),
            };
        }
        if self.one_in(3) {
            text += &format!(
                "if ({}) {{\nout[me] = h;\nreturn;\n}}\n{}",
                self.condition(2),
                self.assignment(3)
            );
        }
        text += &self.mixed();
        let arrays = self.local_arrays(&text);
        let image = if image { ", read_only image2d_t img" } else { "" };
        let (more, ids) = match self.later.is_some() {
            true => (later::PARAMETERS, format!("{ids}const uint unused_ = 0")),
            false => ("", String::from("const uint lid = LID")),
        };
        format!(
            "kernel void k{k}(global const uint *in, constant uint *con, global int *counters, global const ulong *prev, \
             global ulong *out, global uint *slots, uint n, local uint *shared{image}{more}) {{\n\
             {ids}, me = GROUP * {group}u + lid;\nulong h = me;\n{arrays}{text}out[me] = h;\n}}\n"
        )
    }

    /// Returns the declarations of the local arrays that a kernel's text uses. The name of an array,
    /// `loc__TYPE__LENGTH__N`, tells its type and length.
    fn local_arrays(&self, text: &str) -> String {
        let mut all: Vec<&str> = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|w| w.starts_with("loc__"))
            .collect();
        all.sort_unstable();
        all.dedup();
        all.iter()
            .filter_map(|name| {
                let parts: Vec<&str> = name.split("__").collect();
                Some(format!("local {} {name}[{}];\n", parts.get(1)?, parts.get(2)?))
            })
            .collect()
    }

    /// Returns statements in which each work-item writes its element of a local array and, after a barrier,
    /// reads elements of others. They may be in a loop or a branch, which is uniform: all work-items of the
    /// group take it alike.
    fn exchange(&mut self, group: usize) -> String {
        let ty = self.any_type();
        let n = self.name("");
        let array = if ty == UINT && self.one_in(2) {
            String::from("shared")
        } else {
            format!("loc__{}__{group}__{n}", ty.name())
        };
        let scope = self.places.len();
        self.loops += 1;
        let value = self.value(ty, 3);
        self.places
            .push(Place::read_only(&format!("{array}[@]"), ty, group));
        let pointer = if group > 4 && self.one_in(2) {
            let (p, at) = (self.name("p"), self.index(group - 3, 2));
            self.places.push(Place::read_only(&format!("{p}[@]"), ty, 4));
            format!("local const {} *{p} = {array} + ({at});\n", ty.name())
        } else {
            String::new()
        };
        let body: String = (0..3).map(|_| self.statement(1)).collect();
        self.places.truncate(scope);
        self.loops -= 1;
        let barrier = self.pick(&[
            "CLK_LOCAL_MEM_FENCE",
            "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        ]);
        let store = if self.is_uneven() {
            // A smaller group writes all elements, too.
            format!(
                "{{\nconst {} value_ = {value};\nfor (uint i_ = lid; i_ < {group}u; i_ += items) {array}[i_] = value_;\n}}\n",
                ty.name()
            )
        } else {
            format!("{array}[lid] = {value};\n")
        };
        let phase = format!("{store}barrier({barrier});\n{{\n{pointer}{body}}}\nbarrier({barrier});\n");
        let r = self.name("r");
        match self.below(4) {
            0 => format!(
                "for (uint {r} = 0; {r} < {}u; ++{r}) {{\n{phase}}}\n",
                1 + self.below(4)
            ),
            1 => format!("for (uint {r} = 0; {r} < (n & 3u); ++{r}) {{\n{phase}}}\n"),
            2 => format!("if ((n ^ GROUP) & 1u) {{\n{phase}}}\n"),
            _ => format!("{{\n{phase}}}\n"),
        }
    }

    /// Returns a reduction over the work-group (such as a sum or a maximum) in steps that halve the number
    /// of active work-items.
    fn tree(&mut self, group: usize) -> String {
        let (width, signed) = (self.width_of(&super::WIDTHS), self.one_in(2));
        let ty = int(self.pick(&[16, 32, 64]), signed, width);
        let array = format!("loc__{}__{group}__{}", ty.name(), self.name(""));
        let (value, step, v) = (self.value(ty, 3), self.name("r"), self.name("v"));
        let (a, b) = (format!("{array}[lid]"), format!("{array}[lid + {step}]"));
        let sum = match self.below(4) {
            0 => format!("max({a}, {b})"),
            1 => ty.cast(&format!("{a} ^ {b}")),
            2 => format!("add_sat({a}, {b})"),
            _ => format!("hadd({a}, {b})"),
        };
        self.places.push(Place::read_only(&v, ty, 0));
        format!(
            "{array}[lid] = {value};\nbarrier(CLK_LOCAL_MEM_FENCE);\n\
             for (uint {step} = {}u; {step} > 0u; {step} >>= 1) {{\n\
             if (lid < {step}) {a} = {sum};\nbarrier(CLK_LOCAL_MEM_FENCE);\n}}\n\
             const {} {v} = {array}[0];\nbarrier(CLK_LOCAL_MEM_FENCE);\n",
            group / 2,
            ty.name(),
        )
    }

    /// Returns statements in which all work-items change local counters with atomic functions, in any order.
    fn counted(&mut self) -> String {
        let array = format!("loc__int__8__{}", self.name(""));
        let scope = self.places.len();
        self.counters.push(array.clone());
        let body: String = (0..3).map(|_| self.statement(1)).collect();
        let more: String = (0..8)
            .map(|k| match k {
                7 => format!("atomic_inc(&{array}[7]);\n"),
                _ => {
                    let f = ["add", "sub", "min", "max", "and", "or", "xor"][k];
                    format!("atomic_{f}(&{array}[{k}], {});\n", self.int(INT, 2))
                }
            })
            .collect();
        self.places.truncate(scope);
        self.counters.pop();
        let first = self.below(1000);
        let (v, at) = (self.name("v"), self.index(8, 2));
        self.places.push(Place::read_only(&v, INT, 0));
        format!(
            "if (lid == 0u) for (int i = 0; i < 8; ++i) {array}[i] = i * {first};\nbarrier(CLK_LOCAL_MEM_FENCE);\n\
             {{\n{body}{more}}}\nbarrier(CLK_LOCAL_MEM_FENCE);\nconst int {v} = {array}[{at}];\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
        )
    }

    /// Returns reads of texels with nearest filtering and coordinates that are in range, clamped, outside of
    /// the image, or normalized and exact.
    fn texels(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.below(3) {
            let (v, s) = (self.name("v"), self.name("m"));
            let (x, y) = (self.int(INT, 2), self.int(INT, 2));
            let (sampler, at) = match self.below(4) {
                0 => (
                    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE",
                    format!("(int2)({x} & 7, {y} & 3)"),
                ),
                1 => (
                    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP",
                    format!("(int2)({x} % 12, {y} % 12)"),
                ),
                2 => (
                    "CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT",
                    format!(
                        "(float2)((convert_float({x} & 31) + 0.5f) / 8.0f, (convert_float({y} & 31) + 0.5f) / 4.0f)"
                    ),
                ),
                _ => (
                    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE",
                    format!("(float2)(convert_float({x} % 30) + 0.5f, convert_float({y} % 30) + 0.5f)"),
                ),
            };
            text += &format!(
                "const sampler_t {s} = {sampler} | CLK_FILTER_NEAREST;\nconst uint4 {v} = read_imageui(img, {s}, {at});\n"
            );
            self.places.push(Place::read_only(&v, UINT.of(4), 0));
        }
        text
    }

    /// Returns statements that mix all private variables in scope into the hash.
    pub(super) fn mixed(&mut self) -> String {
        let all: Vec<Place> = self
            .places
            .iter()
            .filter(|p| p.writable && p.private || p.pointer.is_some())
            .cloned()
            .collect();
        let mut text = String::new();
        for p in all {
            for i in 0..p.len.max(1) {
                let whole = p.text.replace('@', &i.to_string());
                for e in 0..p.ty.n {
                    let value = if p.ty.n == 1 {
                        whole.clone()
                    } else {
                        format!("{whole}.s{}", element(e))
                    };
                    let bits = if p.ty.is_int() {
                        value
                    } else {
                        format!("as_{}({value})", p.ty.of(1).as_int(false).name())
                    };
                    text += &format!("MIX({bits});\n");
                }
            }
        }
        text
    }
}
