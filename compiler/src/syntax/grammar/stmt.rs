//! Parses statements.

use lang_c::ast as c;
use lang_c::span::Node;

use super::super::rewrite::Lexeme;
use super::Parser;
use crate::pp::{Keyword, Punct};

impl Parser<'_> {
    /// Parses `{ … }` as a statement.
    pub(super) fn compound(&mut self) -> Option<Node<c::Statement>> {
        let start = self.at;
        self.expect(Punct::LBrace)?;
        let items = self.scope(|p| {
            let mut items = Vec::new();
            while !p.is(Punct::RBrace) {
                items.push(p.block_item()?);
            }
            Some(items)
        })?;
        self.at += 1;
        Some(self.node(c::Statement::Compound(items), start))
    }

    fn block_item(&mut self) -> Option<Node<c::BlockItem>> {
        let start = self.at;
        let label = self.second() == Some(Lexeme::Punct(Punct::Colon));
        let node = if self.keyword() == Some(Keyword::StaticAssert) {
            c::BlockItem::StaticAssert(self.static_assert()?)
        } else if self.starts_declaration() && !label {
            c::BlockItem::Declaration(self.declaration()?)
        } else {
            c::BlockItem::Statement(self.statement()?)
        };
        Some(self.node(node, start))
    }

    fn statement(&mut self) -> Option<Node<c::Statement>> {
        let start = self.at;
        let node = match self.peek()? {
            Lexeme::Punct(Punct::LBrace) => return self.compound(),
            Lexeme::Name(_) if self.second() == Some(Lexeme::Punct(Punct::Colon)) => {
                let (_, name) = self.identifier()?;
                let label = self.node(c::Label::Identifier(name), start);
                self.expect(Punct::Colon)?;
                self.labeled(label, start)?
            }
            Lexeme::Keyword(k) => match k {
                Keyword::Case | Keyword::Default => {
                    let label = self.case()?;
                    self.labeled(label, start)?
                }
                Keyword::If => {
                    self.at += 1;
                    let node = self.scope(|p| {
                        Some(c::IfStatement {
                            condition: p.head()?,
                            then_statement: Box::new(p.statement()?),
                            else_statement: match p.keyword() {
                                Some(Keyword::Else) => {
                                    p.at += 1;
                                    Some(Box::new(p.statement()?))
                                }
                                _ => None,
                            },
                        })
                    })?;
                    c::Statement::If(self.node(node, start))
                }
                Keyword::Switch => {
                    self.at += 1;
                    let node = self.scope(|p| {
                        Some(c::SwitchStatement {
                            expression: p.head()?,
                            statement: Box::new(p.statement()?),
                        })
                    })?;
                    c::Statement::Switch(self.node(node, start))
                }
                Keyword::While => {
                    self.at += 1;
                    let node = self.scope(|p| {
                        Some(c::WhileStatement {
                            expression: p.head()?,
                            statement: Box::new(p.statement()?),
                        })
                    })?;
                    c::Statement::While(self.node(node, start))
                }
                Keyword::Do => {
                    self.at += 1;
                    let statement = Box::new(self.scope(Self::statement)?);
                    self.expect_keyword(Keyword::While)?;
                    let expression = self.head()?;
                    self.expect(Punct::Semi)?;
                    let node = c::DoWhileStatement {
                        statement,
                        expression,
                    };
                    c::Statement::DoWhile(self.node(node, start))
                }
                Keyword::For => {
                    let node = self.scope(Self::for_statement)?;
                    c::Statement::For(self.node(node, start))
                }
                Keyword::Goto => {
                    self.at += 1;
                    let (_, name) = self.identifier()?;
                    self.ended(c::Statement::Goto(name))?
                }
                Keyword::Continue => {
                    self.at += 1;
                    self.ended(c::Statement::Continue)?
                }
                Keyword::Break => {
                    self.at += 1;
                    self.ended(c::Statement::Break)?
                }
                Keyword::Return => {
                    self.at += 1;
                    let value = self.expression_before(Punct::Semi)?;
                    self.ended(c::Statement::Return(value))?
                }
                // This is `sizeof`, or `asm`, which is left to lang-c.
                _ => self.expression_statement()?,
            },
            Lexeme::Name(_) | Lexeme::Constant | Lexeme::Str | Lexeme::Punct(_) => {
                self.expression_statement()?
            }
        };
        Some(self.node(node, start))
    }

    /// Parses the semicolon after a statement and returns the statement.
    fn ended(&mut self, statement: c::Statement) -> Option<c::Statement> {
        self.expect(Punct::Semi)?;
        Some(statement)
    }

    fn expression_statement(&mut self) -> Option<c::Statement> {
        let e = self.expression_before(Punct::Semi)?;
        self.ended(c::Statement::Expression(e))
    }

    /// Parses an optional expression that ends before the punctuator `end`.
    fn expression_before(&mut self, end: Punct) -> Option<Option<Box<Node<c::Expression>>>> {
        if self.is(end) {
            return Some(None);
        }
        Some(Some(Box::new(self.expression()?)))
    }

    /// Parses the expression in parentheses after a keyword.
    fn head(&mut self) -> Option<Box<Node<c::Expression>>> {
        self.expect(Punct::LParen)?;
        let e = self.expression()?;
        self.expect(Punct::RParen)?;
        Some(Box::new(e))
    }

    /// Parses the statement after a label.
    fn labeled(&mut self, label: Node<c::Label>, start: usize) -> Option<c::Statement> {
        let node = c::LabeledStatement {
            label,
            statement: Box::new(self.statement()?),
        };
        Some(c::Statement::Labeled(self.node(node, start)))
    }

    /// Parses `case …:` or `default:`.
    fn case(&mut self) -> Option<Node<c::Label>> {
        let start = self.at;
        let default = self.keyword() == Some(Keyword::Default);
        self.at += 1;
        let label = if default {
            c::Label::Default
        } else {
            let low = Box::new(self.conditional()?);
            if self.take(Punct::Ellipsis) {
                let high = Box::new(self.conditional()?);
                c::Label::CaseRange(self.node(c::CaseRange { low, high }, start))
            } else {
                c::Label::Case(low)
            }
        };
        let label = self.node(label, start);
        self.expect(Punct::Colon)?;
        Some(label)
    }

    fn for_statement(&mut self) -> Option<c::ForStatement> {
        self.expect_keyword(Keyword::For)?;
        self.expect(Punct::LParen)?;
        let start = self.at;
        let initializer = if self.take(Punct::Semi) {
            c::ForInitializer::Empty
        } else if self.starts_declaration() {
            c::ForInitializer::Declaration(self.declaration()?)
        } else {
            let e = Box::new(self.expression()?);
            self.expect(Punct::Semi)?;
            c::ForInitializer::Expression(e)
        };
        let initializer = self.node(initializer, start);
        let condition = self.expression_before(Punct::Semi)?;
        self.expect(Punct::Semi)?;
        let step = self.expression_before(Punct::RParen)?;
        self.expect(Punct::RParen)?;
        Some(c::ForStatement {
            initializer,
            condition,
            step,
            statement: Box::new(self.statement()?),
        })
    }
}
