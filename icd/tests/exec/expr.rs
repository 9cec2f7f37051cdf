//! The expressions of test files: the operators of C on exact integers and doubles.

/// A value.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Num {
    Int(i128),
    Float(f64),
}

impl Num {
    pub(crate) fn float(self) -> f64 {
        match self {
            Num::Int(i) => i as f64,
            Num::Float(f) => f,
        }
    }

    pub(crate) fn int(self) -> i128 {
        match self {
            Num::Int(i) => i,
            Num::Float(f) => f as i128,
        }
    }

    fn truth(self) -> bool {
        self != Num::Int(0) && self != Num::Float(0.0)
    }
}

/// The values of the names in an expression.
pub(crate) struct Scope<'a> {
    /// The index of the element.
    pub(crate) i: usize,
    /// The number of elements.
    pub(crate) n: usize,
    /// The values of each argument: the elements of a buffer, or the single value of a plain argument.
    pub(crate) args: &'a [Vec<Num>],
}

/// Returns element `k` of a fixed pseudo-random sequence.
fn random(k: i128) -> u32 {
    let mut x = (k as u64)
        .wrapping_add(0x9E37_79B9_7F4A_7C15)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^= x >> 30;
    x = x.wrapping_mul(0x94D0_49BB_1331_11EB);
    (x >> 32) as u32
}

/// Evaluates an expression. Panics with the text if it is not one.
pub(crate) fn eval(text: &str, scope: &Scope<'_>) -> Num {
    let mut p = Parser {
        text,
        rest: text,
        scope,
        dead: 0,
    };
    let value = p.ternary();
    p.skip();
    assert!(p.rest.is_empty(), "{text:?}: unexpected {:?}", p.rest);
    value
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    scope: &'a Scope<'a>,
    /// The depth of branches that are not taken. An index there is not checked.
    dead: u32,
}

/// The binary operators by precedence, from the lowest to the highest.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) {
        assert!(
            self.eat(token),
            "{:?}: expected {token:?} at {:?}",
            self.text,
            self.rest
        );
    }

    fn ternary(&mut self) -> Num {
        let condition = self.binary(0);
        if !self.eat("?") {
            return condition;
        }
        self.dead += u32::from(!condition.truth());
        let yes = self.ternary();
        self.dead -= u32::from(!condition.truth());
        self.expect(":");
        self.dead += u32::from(condition.truth());
        let no = self.ternary();
        self.dead -= u32::from(condition.truth());
        if condition.truth() { yes } else { no }
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        self.skip();
        LEVELS[level].iter().copied().find(|op| {
            // `|` must not match the start of `||`, nor `<` the start of `<<`.
            let longer = |c: char| self.rest[op.len()..].starts_with(c);
            self.rest.starts_with(op)
                && !(matches!(*op, "|" | "&" | "<" | ">")
                    && (longer(op.chars().next().unwrap_or(' ')) || longer('=')))
        })
    }

    fn binary(&mut self, level: usize) -> Num {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1);
        while let Some(op) = self.operator(level) {
            self.rest = &self.rest[op.len()..];
            let right = self.binary(level + 1);
            left = if self.dead > 0 {
                Num::Int(1)
            } else {
                apply(op, left, right)
            };
        }
        left
    }

    fn unary(&mut self) -> Num {
        if self.eat("-") {
            return match self.unary() {
                Num::Int(i) => Num::Int(-i),
                Num::Float(f) => Num::Float(-f),
            };
        }
        if self.eat("~") {
            return Num::Int(!self.unary().int());
        }
        if self.eat("!") {
            return Num::Int(i128::from(!self.unary().truth()));
        }
        self.primary()
    }

    fn word(&mut self, accept: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn primary(&mut self) -> Num {
        if self.eat("[") {
            return self.list();
        }
        if self.eat("(") {
            let value = self.ternary();
            self.expect(")");
            return value;
        }
        self.skip();
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number();
        }
        let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
        if self.eat("(") {
            let mut args = vec![self.ternary()];
            while self.eat(",") {
                args.push(self.ternary());
            }
            self.expect(")");
            return self.call(&name, &args);
        }
        match name.as_str() {
            "i" => return Num::Int(self.scope.i as i128),
            "n" => return Num::Int(self.scope.n as i128),
            "inf" => return Num::Float(f64::INFINITY),
            "nan" => return Num::Float(f64::NAN),
            "pi" => return Num::Float(std::f64::consts::PI),
            _ => {}
        }
        let arg = name
            .strip_prefix('a')
            .and_then(|k| k.parse::<usize>().ok())
            .and_then(|k| self.scope.args.get(k))
            .unwrap_or_else(|| panic!("{:?}: unknown name {name:?}", self.text));
        if self.eat("[") {
            let index = self.ternary().int();
            self.expect("]");
            if self.dead > 0 {
                return Num::Int(1);
            }
            let found = usize::try_from(index).ok().and_then(|k| arg.get(k));
            return *found.unwrap_or_else(|| panic!("{:?}: {name}[{index}] is out of range", self.text));
        }
        arg[0]
    }

    /// Parses `[a, b, …]`. The value for element i is the i-th value of the list.
    fn list(&mut self) -> Num {
        let mut found = None;
        for k in 0.. {
            let value = self.ternary();
            if k == self.scope.i {
                found = Some(value);
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]");
        found.unwrap_or_else(|| panic!("{:?} has no element {}", self.text, self.scope.i))
    }

    fn number(&mut self) -> Num {
        if self.eat("0x") {
            let digits = self.word(|c| c.is_ascii_hexdigit());
            return Num::Int(i128::from_str_radix(&digits, 16).expect("hexadecimal"));
        }
        let digits = self.word(|c| c.is_ascii_digit() || c == '.' || c == 'e');
        if digits.contains(['.', 'e']) {
            // A number with a signed exponent continues after the `e`.
            let tail = if digits.ends_with('e') {
                let sign = self.word(|c| c == '-' || c == '+');
                sign + &self.word(|c| c.is_ascii_digit())
            } else {
                String::new()
            };
            let text = digits + &tail;
            return Num::Float(text.parse().unwrap_or_else(|e| panic!("{text}: {e}")));
        }
        Num::Int(digits.parse().unwrap_or_else(|e| panic!("{digits}: {e}")))
    }

    fn call(&self, name: &str, args: &[Num]) -> Num {
        let f = |k: usize| args[k].float();
        let all_int = args.iter().all(|a| matches!(a, Num::Int(_)));
        match name {
            "rnd" => Num::Int(i128::from(random(args[0].int()))),
            "unit" => Num::Float(f64::from(random(args[0].int()) >> 8) / f64::from(1 << 24)),
            "min" if all_int => Num::Int(args[0].int().min(args[1].int())),
            "max" if all_int => Num::Int(args[0].int().max(args[1].int())),
            "abs" if all_int => Num::Int(args[0].int().abs()),
            "min" => Num::Float(f(0).min(f(1))),
            "max" => Num::Float(f(0).max(f(1))),
            "abs" => Num::Float(f(0).abs()),
            "sqrt" => Num::Float(f(0).sqrt()),
            "sin" => Num::Float(f(0).sin()),
            "cos" => Num::Float(f(0).cos()),
            "tan" => Num::Float(f(0).tan()),
            "exp" => Num::Float(f(0).exp()),
            "exp2" => Num::Float(f(0).exp2()),
            "log" => Num::Float(f(0).ln()),
            "log2" => Num::Float(f(0).log2()),
            "pow" => Num::Float(f(0).powf(f(1))),
            "floor" => Num::Float(f(0).floor()),
            "ceil" => Num::Float(f(0).ceil()),
            "trunc" => Num::Float(f(0).trunc()),
            "rint" => Num::Float(f(0).round_ties_even()),
            "atan" => Num::Float(f(0).atan()),
            "fma" => Num::Float(f(0).mul_add(f(1), f(2))),
            "int" => Num::Int(args[0].int()),
            "f32" => Num::Float(f64::from(f(0) as f32)),
            "u8" => Num::Int(args[0].int() & 0xFF),
            "u16" => Num::Int(args[0].int() & 0xFFFF),
            "u32" => Num::Int(args[0].int() & 0xFFFF_FFFF),
            "u64" => Num::Int(args[0].int() & 0xFFFF_FFFF_FFFF_FFFF),
            "i8" => Num::Int(i128::from(args[0].int() as i8)),
            "i16" => Num::Int(i128::from(args[0].int() as i16)),
            "i32" => Num::Int(i128::from(args[0].int() as i32)),
            "i64" => Num::Int(i128::from(args[0].int() as i64)),
            "popcount" => Num::Int(i128::from(args[0].int().count_ones())),
            // The sum of 1 to n, which reductions of i compute.
            "tri" => Num::Int(args[0].int() * (args[0].int() + 1) / 2),
            _ => panic!("{:?}: unknown function {name}", self.text),
        }
    }
}

fn apply(op: &str, left: Num, right: Num) -> Num {
    let truth = |b: bool| Num::Int(i128::from(b));
    match op {
        "||" => return truth(left.truth() || right.truth()),
        "&&" => return truth(left.truth() && right.truth()),
        _ => {}
    }
    if let (Num::Int(a), Num::Int(b)) = (left, right) {
        return match op {
            "|" => Num::Int(a | b),
            "^" => Num::Int(a ^ b),
            "&" => Num::Int(a & b),
            "==" => truth(a == b),
            "!=" => truth(a != b),
            "<=" => truth(a <= b),
            ">=" => truth(a >= b),
            "<" => truth(a < b),
            ">" => truth(a > b),
            "<<" => Num::Int(a << b),
            ">>" => Num::Int(a >> b),
            "+" => Num::Int(a + b),
            "-" => Num::Int(a - b),
            "*" => Num::Int(a * b),
            "/" => Num::Int(a / b),
            "%" => Num::Int(a % b),
            _ => unreachable!("an operator of LEVELS"),
        };
    }
    let (a, b) = (left.float(), right.float());
    match op {
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "+" => Num::Float(a + b),
        "-" => Num::Float(a - b),
        "*" => Num::Float(a * b),
        "/" => Num::Float(a / b),
        "%" => Num::Float(a % b),
        _ => panic!("{op} of floating-point numbers"),
    }
}

#[test]
fn expressions() {
    let args = [vec![Num::Int(5), Num::Int(7)], vec![Num::Float(0.5)]];
    let check = |text: &str, expected: Num| {
        let scope = Scope {
            i: 1,
            n: 2,
            args: &args,
        };
        assert_eq!(eval(text, &scope), expected, "{text}");
    };
    check("1 + 2 * 3 - 4 / 2", Num::Int(5));
    check("a0[i] * n", Num::Int(14));
    check("a1 * 4", Num::Float(2.0));
    check("i < 1 ? 10 : (3 << 2) | 1", Num::Int(13));
    check("-a0[0] == ~4 && 1 != 2", Num::Int(1));
    check("min(3, 4) + u8(0x1FF)", Num::Int(258));
    check("1.5e-1 * 2", Num::Float(0.3));
    check("7 % 4 >= 3", Num::Int(1));
    check("[3, 0x10 + 1, 5] + 1", Num::Int(18));
}
