//! Prints a program as text for `--emit=hir`. The text resembles C, with every conversion and every load
//! written out.

use super::ty::ImageAccess;
use super::value;
use super::{
    BinOp, CmpOp, Convert, Expr, ExprKind, Function, GlobalVar, Init, Place, PlaceKind, Program, Space, Stmt,
    StmtKind, Type, TypeId,
};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        let mut p = Printer {
            program: self,
            out: &mut out,
            indent: 0,
        };
        for (id, g) in self.globals.iter() {
            p.global(&id.to_string(), g)?;
        }
        for (id, func) in self.functions.iter() {
            p.function(&id.to_string(), func)?;
        }
        for k in &self.kernels {
            writeln!(p.out, "kernel {} {}", k.func, self.functions[k.func].name)?;
            for a in &k.args {
                writeln!(p.out, "  arg {} {}", a.type_name, a.name)?;
            }
            if !k.attributes.is_empty() {
                writeln!(p.out, "  attributes {}", k.attributes)?;
            }
        }
        f.write_str(&out)
    }
}

struct Printer<'a> {
    program: &'a Program,
    out: &'a mut String,
    indent: usize,
}

fn space(s: Space) -> &'static str {
    match s {
        Space::Private => "private",
        Space::Local => "local",
        Space::Global => "global",
        Space::Constant => "constant",
        Space::Generic => "generic",
    }
}

fn binary(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
    }
}

fn comparison(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
        CmpOp::Gt => ">",
        CmpOp::Ge => ">=",
    }
}

fn conversion(c: Convert) -> &'static str {
    match c {
        Convert::Numeric => "numeric",
        Convert::Bits => "bits",
        Convert::PointerToInt => "ptr_to_int",
        Convert::IntToPointer => "int_to_ptr",
        Convert::Pointer => "pointer",
        Convert::PointerToBool => "ptr_to_bool",
        Convert::Mask => "mask",
    }
}

impl Printer<'_> {
    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    fn ty(&mut self, id: TypeId) -> fmt::Result {
        match self.program.types.get(id) {
            Type::Void => self.out.write_str("void"),
            Type::Scalar(s) => self.out.write_str(s.name()),
            Type::Vector(s, n) => write!(self.out, "{}{n}", s.name()),
            Type::Pointer {
                pointee, space: sp, ..
            } => {
                write!(self.out, "ptr<{} ", space(*sp))?;
                self.ty(*pointee)?;
                self.out.write_char('>')
            }
            Type::Array(elem, n) => {
                write!(self.out, "[{n} x ")?;
                self.ty(*elem)?;
                self.out.write_char(']')
            }
            Type::IncompleteArray(elem) => {
                self.out.write_str("[? x ")?;
                self.ty(*elem)?;
                self.out.write_char(']')
            }
            Type::Record(r) => match &self.program.types.records[*r].tag {
                Some(tag) => write!(self.out, "{tag}"),
                None => write!(self.out, "{r}"),
            },
            Type::Function { .. } => self.out.write_str("function"),
            Type::Image { access, .. } => self.out.write_str(match access {
                ImageAccess::Read => "image<read>",
                ImageAccess::Write => "image<write>",
                ImageAccess::ReadWrite => "image<read_write>",
            }),
            Type::Sampler => self.out.write_str("sampler"),
            Type::Event => self.out.write_str("event"),
            Type::Pipe { packet, write } => {
                write!(self.out, "pipe<{} ", if *write { "write" } else { "read" })?;
                self.ty(*packet)?;
                self.out.write_str(">")
            }
            Type::Matrix(m) => {
                let (of, role) = (m.component.name(), m.role as u32);
                write!(self.out, "matrix<{of} {}x{} {role}>", m.rows, m.columns)
            }
            Type::AnyMatrix => self.out.write_str("matrix"),
            Type::ReserveId => self.out.write_str("reserve_id"),
        }
    }

    fn global(&mut self, id: &str, g: &GlobalVar) -> fmt::Result {
        write!(self.out, "{id} {} ", space(g.space))?;
        self.ty(g.ty)?;
        write!(self.out, " {:?} align {}", g.name, g.align)?;
        if let Some(data) = &g.init {
            self.out.write_str(" = ")?;
            for b in data.bytes.iter().take(64) {
                write!(self.out, "{b:02x}")?;
            }
            if data.bytes.len() > 64 {
                write!(self.out, "… ({} bytes)", data.bytes.len())?;
            }
            for (at, target, offset) in &data.relocations {
                write!(self.out, " [{at}: {target}+{offset}]")?;
            }
        }
        self.out.write_char('\n')
    }

    fn function(&mut self, id: &str, f: &Function) -> fmt::Result {
        write!(self.out, "\n{id} {:?} ", f.name)?;
        self.ty(f.ret)?;
        self.out.write_str(" (")?;
        for (i, p) in f.params.iter().enumerate() {
            if i > 0 {
                self.out.write_str(", ")?;
            }
            write!(self.out, "{p}: ")?;
            self.ty(f.locals[*p].ty)?;
        }
        self.out.write_char(')')?;
        let Some(body) = &f.body else {
            return self.out.write_str(" undefined\n");
        };
        self.out.write_str(" {")?;
        self.indent += 1;
        for (id, l) in f.locals.iter() {
            self.line();
            write!(self.out, "{id} {:?}: ", l.name)?;
            self.ty(l.ty)?;
        }
        self.stmts(body)?;
        self.indent -= 1;
        self.out.write_str("\n}\n")
    }

    fn stmts(&mut self, list: &[Stmt]) -> fmt::Result {
        list.iter().try_for_each(|s| self.stmt(s))
    }

    fn nested(&mut self, s: &Stmt) -> fmt::Result {
        self.indent += 1;
        self.stmt(s)?;
        self.indent -= 1;
        Ok(())
    }

    fn stmt(&mut self, s: &Stmt) -> fmt::Result {
        if let StmtKind::Block(list) = &s.kind {
            return self.stmts(list);
        }
        self.line();
        match &s.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Init(id, init) => {
                write!(self.out, "init {id} = ")?;
                self.init(init)
            }
            StmtKind::Block(_) => Ok(()),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.out.write_str("if ")?;
                self.expr(cond)?;
                self.nested(then)?;
                if let Some(o) = otherwise {
                    self.line();
                    self.out.write_str("else")?;
                    self.nested(o)?;
                }
                Ok(())
            }
            StmtKind::Loop {
                cond,
                step,
                body,
                test_first,
                unroll,
            } => {
                self.out.write_str(if *test_first {
                    "loop while "
                } else {
                    "loop until not "
                })?;
                match cond {
                    Some(c) => self.expr(c)?,
                    None => self.out.write_str("true")?,
                }
                if let Some(s) = step {
                    self.out.write_str(" step ")?;
                    self.expr(s)?;
                }
                if let Some(n) = unroll {
                    write!(self.out, " unroll {n}")?;
                }
                self.nested(body)
            }
            StmtKind::Switch { value, body } => {
                self.out.write_str("switch ")?;
                self.expr(value)?;
                self.nested(body)
            }
            StmtKind::Case { lo, hi } if lo == hi => write!(self.out, "case {lo}:"),
            StmtKind::Case { lo, hi } => write!(self.out, "case {lo}..={hi}:"),
            StmtKind::Default => self.out.write_str("default:"),
            StmtKind::Label(l) => write!(self.out, "{l}:"),
            StmtKind::Goto(l) => write!(self.out, "goto {l}"),
            StmtKind::Break => self.out.write_str("break"),
            StmtKind::Continue => self.out.write_str("continue"),
            StmtKind::Return(None) => self.out.write_str("return"),
            StmtKind::Return(Some(e)) => {
                self.out.write_str("return ")?;
                self.expr(e)
            }
        }
    }

    fn init(&mut self, init: &Init) -> fmt::Result {
        self.out.write_str(if init.zero { "{0" } else { "{" })?;
        for (at, e) in &init.stores {
            write!(self.out, " @{at} ")?;
            self.expr(e)?;
        }
        self.out.write_char('}')
    }

    fn list(&mut self, list: &[Expr]) -> fmt::Result {
        self.out.write_char('(')?;
        for (i, e) in list.iter().enumerate() {
            if i > 0 {
                self.out.write_str(", ")?;
            }
            self.expr(e)?;
        }
        self.out.write_char(')')
    }

    fn infix(&mut self, a: &Expr, op: &str, b: &Expr) -> fmt::Result {
        self.out.write_char('(')?;
        self.expr(a)?;
        write!(self.out, " {op} ")?;
        self.expr(b)?;
        self.out.write_char(')')
    }

    /// Returns `!`, which follows a floating-point operator that must not be contracted, or an empty string.
    fn exact(&self, ty: TypeId, contract: bool) -> &'static str {
        let is_float = self.program.types.lanes(ty).is_some_and(|(s, _)| s.is_float());
        if is_float && !contract { "!" } else { "" }
    }

    fn prefix(&mut self, op: &str, a: &Expr) -> fmt::Result {
        self.out.write_str(op)?;
        self.expr(a)
    }

    fn expr(&mut self, e: &Expr) -> fmt::Result {
        match &e.kind {
            ExprKind::Const(bits) => self.constant(e.ty, bits),
            ExprKind::Load(p) => {
                self.out.write_str("load ")?;
                self.place(p)
            }
            ExprKind::AddrOf(p) => {
                self.out.write_char('&')?;
                self.place(p)
            }
            ExprKind::Neg(a) => self.prefix("-", a),
            ExprKind::BitNot(a) => self.prefix("~", a),
            ExprKind::Not(a) => self.prefix("!", a),
            ExprKind::Binary {
                op,
                lhs,
                rhs,
                contract,
            } => {
                let op = format!("{}{}", binary(*op), self.exact(e.ty, *contract));
                self.infix(lhs, &op, rhs)
            }
            ExprKind::Compare(op, a, b) => self.infix(a, comparison(*op), b),
            ExprKind::And(a, b) => self.infix(a, "&&", b),
            ExprKind::Or(a, b) => self.infix(a, "||", b),
            ExprKind::Conditional(c, a, b) => {
                self.out.write_char('(')?;
                self.expr(c)?;
                self.out.write_str(" ? ")?;
                self.expr(a)?;
                self.out.write_str(" : ")?;
                self.expr(b)?;
                self.out.write_char(')')
            }
            ExprKind::Select(c, a, b) => {
                self.out.write_str("select ")?;
                self.expr(c)?;
                self.infix(a, ",", b)
            }
            ExprKind::Convert(how, a) => self.converted(conversion(*how), e.ty, a),
            ExprKind::Splat(a) => self.converted("splat", e.ty, a),
            ExprKind::Vector(parts) => {
                self.ty(e.ty)?;
                self.list(parts)
            }
            ExprKind::Swizzle(a, lanes) => {
                self.expr(a)?;
                write!(self.out, ".{lanes:?}")
            }
            ExprKind::PointerAdd { ptr, index, negate } => {
                self.infix(ptr, if *negate { "-[]" } else { "+[]" }, index)
            }
            ExprKind::PointerDiff(a, b) => self.infix(a, "-ptr", b),
            ExprKind::Assign(p, v) => {
                self.place(p)?;
                self.out.write_str(" = ")?;
                self.expr(v)
            }
            ExprKind::CompoundAssign {
                place,
                op,
                rhs,
                compute,
                contract,
            } => {
                self.place(place)?;
                let exact = self.exact(*compute, *contract);
                write!(self.out, " {}{exact}=<", binary(*op))?;
                self.ty(*compute)?;
                self.out.write_str("> ")?;
                self.expr(rhs)
            }
            ExprKind::IncDec {
                place,
                decrement,
                post,
            } => {
                let op = if *decrement { "--" } else { "++" };
                if !post {
                    self.out.write_str(op)?;
                }
                self.place(place)?;
                if *post {
                    self.out.write_str(op)?;
                }
                Ok(())
            }
            ExprKind::Call(f, args) => {
                write!(self.out, "{}", self.program.functions[*f].name)?;
                self.list(args)
            }
            ExprKind::Intrinsic(i, args) => {
                write!(self.out, "%{i:?}")?;
                self.list(args)
            }
            ExprKind::Comma(a, b) => self.infix(a, ",", b),
            ExprKind::StmtExpr(stmts, value) => self.statement_expr(stmts, value.as_deref()),
        }
    }

    /// Writes a conversion, with the type of its result.
    fn converted(&mut self, how: &str, ty: TypeId, a: &Expr) -> fmt::Result {
        write!(self.out, "{how}<")?;
        self.ty(ty)?;
        self.out.write_str(">(")?;
        self.expr(a)?;
        self.out.write_char(')')
    }

    fn statement_expr(&mut self, stmts: &[Stmt], value: Option<&Expr>) -> fmt::Result {
        self.out.write_str("({")?;
        self.indent += 1;
        self.stmts(stmts)?;
        if let Some(v) = value {
            self.line();
            self.expr(v)?;
        }
        self.indent -= 1;
        self.out.write_str("})")
    }

    fn constant(&mut self, ty: TypeId, bits: &[u64]) -> fmt::Result {
        self.ty(ty)?;
        match self.program.types.lanes(ty) {
            Some((s, _)) => {
                for b in bits {
                    if s.is_float() {
                        write!(self.out, " {}", value::float_of(*b, s))?;
                    } else {
                        write!(self.out, " {}", value::int_of(*b, s))?;
                    }
                }
                Ok(())
            }
            None => write!(self.out, " {:#x}", bits.first().copied().unwrap_or(0)),
        }
    }

    fn place(&mut self, p: &Place) -> fmt::Result {
        match &p.kind {
            PlaceKind::Local(id) => write!(self.out, "{id}"),
            PlaceKind::Global(id) => write!(self.out, "{id}"),
            PlaceKind::Deref { ptr, .. } => {
                self.out.write_str("*(")?;
                self.expr(ptr)?;
                self.out.write_char(')')
            }
            PlaceKind::Member { base, offset } => {
                self.place(base)?;
                write!(self.out, ".@{offset}:")?;
                self.ty(p.ty)
            }
            PlaceKind::Index { base, index } | PlaceKind::DynamicLane { base, index } => {
                self.place(base)?;
                self.out.write_char('[')?;
                self.expr(index)?;
                self.out.write_char(']')
            }
            PlaceKind::Lanes { base, lanes } => {
                self.place(base)?;
                write!(self.out, ".{lanes:?}")
            }
            PlaceKind::Temporary(e) => {
                self.out.write_str("temporary ")?;
                self.expr(e)
            }
            PlaceKind::Literal(id, init) => {
                write!(self.out, "literal {id} ")?;
                self.init(init)
            }
        }
    }
}
