//! Parses expressions and initializers.

use lang_c::ast as c;
use lang_c::span::Node;

use super::super::rewrite::Lexeme;
use super::Parser;
use crate::pp::{Keyword, Punct};

type Expression = Node<c::Expression>;

impl Parser<'_> {
    /// Parses an expression that may contain commas.
    pub(super) fn expression(&mut self) -> Option<Expression> {
        let start = self.at;
        let first = self.assignment()?;
        if !self.is(Punct::Comma) {
            return Some(first);
        }
        let mut list = vec![first];
        while self.take(Punct::Comma) {
            list.push(self.assignment()?);
        }
        Some(self.node(c::Expression::Comma(Box::new(list)), start))
    }

    /// Parses an expression without commas at its top level.
    pub(super) fn assignment(&mut self) -> Option<Expression> {
        let start = self.at;
        let (left, is_unary) = self.cast()?;
        if is_unary && let Some(op) = self.peek().and_then(assignment_operator) {
            let operator = self.operator(op);
            let right = self.assignment()?;
            return Some(self.binary_node(operator, left, right, start));
        }
        let condition = self.binary(left, start, 0)?;
        self.conditional_after(condition, start)
    }

    /// Parses a constant expression, which has no assignment and no comma at its top level.
    pub(super) fn conditional(&mut self) -> Option<Expression> {
        let start = self.at;
        let (left, _) = self.cast()?;
        let condition = self.binary(left, start, 0)?;
        self.conditional_after(condition, start)
    }

    fn conditional_after(&mut self, condition: Expression, start: usize) -> Option<Expression> {
        if !self.take(Punct::Question) {
            return Some(condition);
        }
        let then_expression = Box::new(self.expression()?);
        self.expect(Punct::Colon)?;
        let node = c::ConditionalExpression {
            condition: Box::new(condition),
            then_expression,
            else_expression: Box::new(self.conditional()?),
        };
        let node = Box::new(self.node(node, start));
        Some(self.node(c::Expression::Conditional(node), start))
    }

    fn operator<T>(&mut self, op: T) -> Node<T> {
        self.at += 1;
        self.node(op, self.at - 1)
    }

    fn binary_node(
        &self,
        operator: Node<c::BinaryOperator>,
        left: Expression,
        right: Expression,
        start: usize,
    ) -> Expression {
        let node = c::BinaryOperatorExpression {
            operator,
            lhs: Box::new(left),
            rhs: Box::new(right),
        };
        let node = Box::new(self.node(node, start));
        self.node(c::Expression::BinaryOperator(node), start)
    }

    /// Parses the operators that bind more tightly than `above`, after their first operand.
    fn binary(&mut self, mut left: Expression, start: usize, above: u8) -> Option<Expression> {
        while let Some((op, strength)) = self.peek().and_then(binary_operator)
            && strength > above
        {
            let operator = self.operator(op);
            let inner = self.at;
            let (right, _) = self.cast()?;
            let right = self.binary(right, inner, strength)?;
            left = self.binary_node(operator, left, right, start);
        }
        Some(left)
    }

    /// Parses a cast or unary expression. Also returns whether it is not a cast, since only then it may be
    /// assigned to.
    fn cast(&mut self) -> Option<(Expression, bool)> {
        if !self.at_type_in_parentheses() {
            return Some((self.unary()?, true));
        }
        let start = self.at;
        self.at += 1;
        let type_name = self.type_name()?;
        self.expect(Punct::RParen)?;
        if self.is(Punct::LBrace) {
            let literal = c::CompoundLiteral {
                type_name,
                initializer_list: self.initializer_list()?,
            };
            let literal = Box::new(self.node(literal, start));
            let literal = self.node(c::Expression::CompoundLiteral(literal), start);
            return Some((self.postfix_after(literal, start)?, true));
        }
        let (operand, _) = self.cast()?;
        let cast = c::CastExpression {
            type_name,
            expression: Box::new(operand),
        };
        let cast = Box::new(self.node(cast, start));
        Some((self.node(c::Expression::Cast(cast), start), false))
    }

    fn unary(&mut self) -> Option<Expression> {
        let start = self.at;
        let (op, on_cast) = match self.peek()? {
            Lexeme::Punct(Punct::PlusPlus) => (c::UnaryOperator::PreIncrement, false),
            Lexeme::Punct(Punct::MinusMinus) => (c::UnaryOperator::PreDecrement, false),
            Lexeme::Punct(Punct::Amp) => (c::UnaryOperator::Address, true),
            Lexeme::Punct(Punct::Star) => (c::UnaryOperator::Indirection, true),
            Lexeme::Punct(Punct::Plus) => (c::UnaryOperator::Plus, true),
            Lexeme::Punct(Punct::Minus) => (c::UnaryOperator::Minus, true),
            Lexeme::Punct(Punct::Tilde) => (c::UnaryOperator::Complement, true),
            Lexeme::Punct(Punct::Bang) => (c::UnaryOperator::Negate, true),
            Lexeme::Keyword(Keyword::Sizeof) => return self.sizeof(),
            _ => return self.postfix(),
        };
        let operator = self.operator(op);
        let operand = if on_cast { self.cast()?.0 } else { self.unary()? };
        let node = c::UnaryOperatorExpression {
            operator,
            operand: Box::new(operand),
        };
        let node = Box::new(self.node(node, start));
        Some(self.node(c::Expression::UnaryOperator(node), start))
    }

    fn type_in_parentheses(&mut self) -> Option<Node<c::TypeName>> {
        self.expect(Punct::LParen)?;
        let type_name = self.type_name()?;
        self.expect(Punct::RParen)?;
        Some(type_name)
    }

    fn sizeof(&mut self) -> Option<Expression> {
        let start = self.at;
        self.at += 1;
        let node = if self.at_type_in_parentheses() {
            let node = c::SizeOfTy(self.type_in_parentheses()?);
            c::Expression::SizeOfTy(Box::new(self.node(node, start)))
        } else {
            let node = c::SizeOfVal(Box::new(self.unary()?));
            c::Expression::SizeOfVal(Box::new(self.node(node, start)))
        };
        Some(self.node(node, start))
    }

    fn postfix(&mut self) -> Option<Expression> {
        let start = self.at;
        let primary = self.primary()?;
        self.postfix_after(primary, start)
    }

    fn postfix_after(&mut self, mut e: Expression, start: usize) -> Option<Expression> {
        loop {
            let Some(Lexeme::Punct(p)) = self.peek() else {
                return Some(e);
            };
            e = match p {
                Punct::LBracket => {
                    let operator = self.operator(c::BinaryOperator::Index);
                    let index = self.expression()?;
                    self.expect(Punct::RBracket)?;
                    self.binary_node(operator, e, index, start)
                }
                Punct::LParen => {
                    self.at += 1;
                    let mut arguments = Vec::new();
                    if !self.is(Punct::RParen) {
                        arguments.push(self.assignment()?);
                        while self.take(Punct::Comma) {
                            arguments.push(self.assignment()?);
                        }
                    }
                    self.expect(Punct::RParen)?;
                    let call = c::CallExpression {
                        callee: Box::new(e),
                        arguments,
                    };
                    let call = Box::new(self.node(call, start));
                    self.node(c::Expression::Call(call), start)
                }
                Punct::Dot | Punct::Arrow => {
                    let operator = self.operator(if p == Punct::Dot {
                        c::MemberOperator::Direct
                    } else {
                        c::MemberOperator::Indirect
                    });
                    let (_, identifier) = self.identifier()?;
                    let member = c::MemberExpression {
                        operator,
                        expression: Box::new(e),
                        identifier,
                    };
                    let member = Box::new(self.node(member, start));
                    self.node(c::Expression::Member(member), start)
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    let operator = self.operator(if p == Punct::PlusPlus {
                        c::UnaryOperator::PostIncrement
                    } else {
                        c::UnaryOperator::PostDecrement
                    });
                    let node = c::UnaryOperatorExpression {
                        operator,
                        operand: Box::new(e),
                    };
                    let node = Box::new(self.node(node, start));
                    self.node(c::Expression::UnaryOperator(node), start)
                }
                _ => return Some(e),
            };
        }
    }

    fn primary(&mut self) -> Option<Expression> {
        let start = self.at;
        let node = match self.peek()? {
            Lexeme::Name(n) if !self.is_type[n as usize] => {
                c::Expression::Identifier(Box::new(self.identifier()?.1))
            }
            Lexeme::Constant => {
                // Only the position of the constant matters.
                let constant = self.operator(c::Constant::Character(String::new()));
                c::Expression::Constant(Box::new(constant))
            }
            Lexeme::Str => c::Expression::StringLiteral(Box::new(self.string()?)),
            Lexeme::Punct(Punct::LParen) if self.second() == Some(Lexeme::Punct(Punct::LBrace)) => {
                self.at += 1;
                let body = self.compound()?;
                self.expect(Punct::RParen)?;
                c::Expression::Statement(Box::new(body))
            }
            Lexeme::Punct(Punct::LParen) => {
                self.at += 1;
                let inside = self.expression()?;
                self.expect(Punct::RParen)?;
                return Some(inside);
            }
            // `__builtin_offsetof`, `_Generic` and similar constructs are left to lang-c.
            Lexeme::Name(_) | Lexeme::Keyword(_) | Lexeme::Punct(_) => return None,
        };
        Some(self.node(node, start))
    }

    /// Parses adjacent string literals.
    pub(super) fn string(&mut self) -> Option<Node<c::StringLiteral>> {
        let start = self.at;
        let mut parts = Vec::new();
        while self.peek() == Some(Lexeme::Str) {
            self.at += 1;
            parts.push(String::new());
        }
        (!parts.is_empty()).then(|| self.node(parts, start))
    }

    /// Parses an initializer from its expression or brace on.
    fn initializer(&mut self) -> Option<Node<c::Initializer>> {
        let start = self.at;
        let node = if self.is(Punct::LBrace) {
            c::Initializer::List(self.initializer_list()?)
        } else {
            c::Initializer::Expression(Box::new(self.assignment()?))
        };
        Some(self.node(node, start))
    }

    /// Parses `= …` of a declaration. The node begins at the `=`.
    pub(super) fn assigned_initializer(&mut self) -> Option<Node<c::Initializer>> {
        let start = self.at;
        self.expect(Punct::Eq)?;
        let inner = self.initializer()?;
        Some(self.node(inner.node, start))
    }

    fn initializer_list(&mut self) -> Option<Vec<Node<c::InitializerListItem>>> {
        self.expect(Punct::LBrace)?;
        let mut list = Vec::new();
        while !self.is(Punct::RBrace) {
            let start = self.at;
            let item = c::InitializerListItem {
                designation: self.designation()?,
                initializer: Box::new(self.initializer()?),
            };
            list.push(self.node(item, start));
            if !self.take(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RBrace)?;
        Some(list)
    }

    fn designation(&mut self) -> Option<Vec<Node<c::Designator>>> {
        let mut list = Vec::new();
        loop {
            let start = self.at;
            let node = if self.take(Punct::Dot) {
                c::Designator::Member(self.identifier()?.1)
            } else if self.take(Punct::LBracket) {
                let from = self.conditional()?;
                let node = if self.take(Punct::Ellipsis) {
                    let to = self.conditional()?;
                    let range = Node::new(c::RangeDesignator { from, to }, self.span(start));
                    c::Designator::Range(range)
                } else {
                    c::Designator::Index(from)
                };
                self.expect(Punct::RBracket)?;
                node
            } else {
                break;
            };
            list.push(self.node(node, start));
        }
        if !list.is_empty() {
            self.expect(Punct::Eq)?;
        }
        Some(list)
    }
}

fn assignment_operator(lexeme: Lexeme) -> Option<c::BinaryOperator> {
    use c::BinaryOperator as B;
    let Lexeme::Punct(p) = lexeme else { return None };
    Some(match p {
        Punct::Eq => B::Assign,
        Punct::StarEq => B::AssignMultiply,
        Punct::SlashEq => B::AssignDivide,
        Punct::PercentEq => B::AssignModulo,
        Punct::PlusEq => B::AssignPlus,
        Punct::MinusEq => B::AssignMinus,
        Punct::ShlEq => B::AssignShiftLeft,
        Punct::ShrEq => B::AssignShiftRight,
        Punct::AmpEq => B::AssignBitwiseAnd,
        Punct::CaretEq => B::AssignBitwiseXor,
        Punct::PipeEq => B::AssignBitwiseOr,
        _ => return None,
    })
}

/// Returns the operator and its precedence; a larger number binds more tightly.
fn binary_operator(lexeme: Lexeme) -> Option<(c::BinaryOperator, u8)> {
    use c::BinaryOperator as B;
    let Lexeme::Punct(p) = lexeme else { return None };
    Some(match p {
        Punct::PipePipe => (B::LogicalOr, 1),
        Punct::AmpAmp => (B::LogicalAnd, 2),
        Punct::Pipe => (B::BitwiseOr, 3),
        Punct::Caret => (B::BitwiseXor, 4),
        Punct::Amp => (B::BitwiseAnd, 5),
        Punct::EqEq => (B::Equals, 6),
        Punct::Ne => (B::NotEquals, 6),
        Punct::Lt => (B::Less, 7),
        Punct::Gt => (B::Greater, 7),
        Punct::Le => (B::LessOrEqual, 7),
        Punct::Ge => (B::GreaterOrEqual, 7),
        Punct::Shl => (B::ShiftLeft, 8),
        Punct::Shr => (B::ShiftRight, 8),
        Punct::Plus => (B::Plus, 9),
        Punct::Minus => (B::Minus, 9),
        Punct::Star => (B::Multiply, 10),
        Punct::Slash => (B::Divide, 10),
        Punct::Percent => (B::Modulo, 10),
        _ => return None,
    })
}
