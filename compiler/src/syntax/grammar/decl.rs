//! Parses declarations, types and declarators.

use lang_c::ast as c;
use lang_c::span::Node;

use super::super::rewrite::Lexeme;
use super::Parser;
use crate::pp::{Keyword, Punct};

/// A declaration specifier.
enum Part {
    Storage(c::StorageClassSpecifier),
    Type(c::TypeSpecifier),
    Qualifier(c::TypeQualifier),
    Inline,
}

/// The form of declarator to parse.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Form {
    /// A declarator with a name.
    Named,
    /// A declarator without a name.
    Abstract,
    /// A parameter's declarator, with or without a name.
    Either,
}

/// The type specifiers read so far, which decide which ones may follow.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Seen {
    Nothing,
    /// A keyword such as `unsigned` or `long`, which others may follow.
    Combining,
    /// A complete type such as `void`, a struct or a typedef name, which no other may follow.
    Whole,
}

impl Parser<'_> {
    /// Parses a declaration or function definition at file scope.
    pub(super) fn external(&mut self) -> Option<Node<c::ExternalDeclaration>> {
        let start = self.at;
        if self.keyword() == Some(Keyword::StaticAssert) {
            let node = c::ExternalDeclaration::StaticAssert(self.static_assert()?);
            return Some(self.node(node, start));
        }
        let (specifiers, typedef) = self.declaration_specifiers()?;
        let mut first = None;
        if !self.is(Punct::Semi) {
            let (name, declarator) = self.declarator(Form::Named)?;
            if self.is(Punct::LBrace) && !typedef {
                let statement = self.compound()?;
                let function = c::FunctionDefinition {
                    specifiers,
                    declarator,
                    declarations: Vec::new(),
                    statement,
                };
                let function = self.node(function, start);
                return Some(self.node(c::ExternalDeclaration::FunctionDefinition(function), start));
            }
            first = Some((name, declarator));
        }
        let declaration = self.declaration_after(specifiers, typedef, first, start)?;
        Some(self.node(c::ExternalDeclaration::Declaration(declaration), start))
    }

    pub(super) fn static_assert(&mut self) -> Option<Node<c::StaticAssert>> {
        let start = self.at;
        self.expect_keyword(Keyword::StaticAssert)?;
        self.expect(Punct::LParen)?;
        let expression = Box::new(self.conditional()?);
        let message = match self.is(Punct::RParen) {
            true => self.node(Vec::new(), self.at),
            false => {
                self.expect(Punct::Comma)?;
                self.string()?
            }
        };
        self.expect(Punct::RParen)?;
        self.expect(Punct::Semi)?;
        Some(self.node(c::StaticAssert { expression, message }, start))
    }

    /// Returns whether a declaration is next. Labels are not considered.
    pub(super) fn starts_declaration(&self) -> bool {
        let Some(next) = self.peek() else { return false };
        self.names_type(next)
            || matches!(
                next,
                Lexeme::Keyword(
                    Keyword::Typedef
                        | Keyword::Extern
                        | Keyword::Static
                        | Keyword::Auto
                        | Keyword::Register
                        | Keyword::Inline
                )
            )
    }

    pub(super) fn declaration(&mut self) -> Option<Node<c::Declaration>> {
        let start = self.at;
        let (specifiers, typedef) = self.declaration_specifiers()?;
        let mut first = None;
        if !self.is(Punct::Semi) {
            first = Some(self.declarator(Form::Named)?);
        }
        self.declaration_after(specifiers, typedef, first, start)
    }

    /// Parses the rest of a declaration after its first declarator.
    fn declaration_after(
        &mut self,
        specifiers: Vec<Node<c::DeclarationSpecifier>>,
        typedef: bool,
        first: Option<(Option<u32>, Node<c::Declarator>)>,
        start: usize,
    ) -> Option<Node<c::Declaration>> {
        let mut declarators = Vec::new();
        let mut next = first;
        while let Some((name, declarator)) = next.take() {
            let start = declarator.span.start;
            // The name is in scope from here on, including in its own initializer.
            self.declare(name?, typedef);
            let initializer = if !typedef && self.is(Punct::Eq) {
                Some(self.assigned_initializer()?)
            } else {
                None
            };
            let declared = c::InitDeclarator {
                declarator,
                initializer,
            };
            declarators.push(self.node(declared, start));
            if self.take(Punct::Comma) {
                next = Some(self.declarator(Form::Named)?);
            }
        }
        self.expect(Punct::Semi)?;
        let declaration = c::Declaration {
            specifiers,
            declarators,
        };
        Some(self.node(declaration, start))
    }

    /// Parses declaration specifiers, and returns whether `typedef` is among them.
    fn declaration_specifiers(&mut self) -> Option<(Vec<Node<c::DeclarationSpecifier>>, bool)> {
        let mut list = Vec::with_capacity(2);
        let mut seen = Seen::Nothing;
        let mut typedef = false;
        loop {
            let start = self.at;
            let node = match self.part(&mut seen)? {
                Some(Part::Storage(storage)) => {
                    typedef |= storage == c::StorageClassSpecifier::Typedef;
                    c::DeclarationSpecifier::StorageClass(self.node(storage, start))
                }
                Some(Part::Type(ty)) => c::DeclarationSpecifier::TypeSpecifier(self.node(ty, start)),
                Some(Part::Qualifier(q)) => c::DeclarationSpecifier::TypeQualifier(self.node(q, start)),
                Some(Part::Inline) => {
                    c::DeclarationSpecifier::Function(self.node(c::FunctionSpecifier::Inline, start))
                }
                None => break,
            };
            list.push(self.node(node, start));
        }
        // Declarations without a type are left to lang-c.
        (seen != Seen::Nothing).then_some((list, typedef))
    }

    /// Parses the specifiers of members and type names.
    fn specifier_qualifiers(&mut self) -> Option<Vec<Node<c::SpecifierQualifier>>> {
        let mut list = Vec::with_capacity(1);
        let mut seen = Seen::Nothing;
        loop {
            let start = self.at;
            let node = match self.part(&mut seen)? {
                Some(Part::Type(ty)) => c::SpecifierQualifier::TypeSpecifier(self.node(ty, start)),
                Some(Part::Qualifier(q)) => c::SpecifierQualifier::TypeQualifier(self.node(q, start)),
                Some(Part::Storage(_) | Part::Inline) => return None,
                None => break,
            };
            list.push(self.node(node, start));
        }
        (seen != Seen::Nothing).then_some(list)
    }

    /// Parses the next specifier; the inner `None` means that there is none.
    fn part(&mut self, seen: &mut Seen) -> Option<Option<Part>> {
        use c::TypeSpecifier as T;
        let keyword = match self.peek() {
            Some(Lexeme::Keyword(k)) => k,
            Some(Lexeme::Name(n)) if *seen == Seen::Nothing && self.is_type[n as usize] => {
                *seen = Seen::Whole;
                let (_, name) = self.identifier()?;
                return Some(Some(Part::Type(T::TypedefName(name))));
            }
            _ => return Some(None),
        };
        let (part, now) = match keyword {
            Keyword::Typedef => (Part::Storage(c::StorageClassSpecifier::Typedef), None),
            Keyword::Extern => (Part::Storage(c::StorageClassSpecifier::Extern), None),
            Keyword::Static => (Part::Storage(c::StorageClassSpecifier::Static), None),
            Keyword::Auto => (Part::Storage(c::StorageClassSpecifier::Auto), None),
            Keyword::Register => (Part::Storage(c::StorageClassSpecifier::Register), None),
            Keyword::Const => (Part::Qualifier(c::TypeQualifier::Const), None),
            Keyword::Volatile => (Part::Qualifier(c::TypeQualifier::Volatile), None),
            Keyword::Restrict => (Part::Qualifier(c::TypeQualifier::Restrict), None),
            Keyword::Inline => (Part::Inline, None),
            Keyword::Void => (Part::Type(T::Void), Some(Seen::Whole)),
            Keyword::Bool => (Part::Type(T::Bool), Some(Seen::Whole)),
            Keyword::Char => (Part::Type(T::Char), Some(Seen::Combining)),
            Keyword::Short => (Part::Type(T::Short), Some(Seen::Combining)),
            Keyword::Int => (Part::Type(T::Int), Some(Seen::Combining)),
            Keyword::Long => (Part::Type(T::Long), Some(Seen::Combining)),
            Keyword::Float => (Part::Type(T::Float), Some(Seen::Combining)),
            Keyword::Double => (Part::Type(T::Double), Some(Seen::Combining)),
            Keyword::Signed => (Part::Type(T::Signed), Some(Seen::Combining)),
            Keyword::Unsigned => (Part::Type(T::Unsigned), Some(Seen::Combining)),
            Keyword::Struct | Keyword::Union | Keyword::Enum => {
                if *seen != Seen::Nothing {
                    return None;
                }
                *seen = Seen::Whole;
                let ty = if keyword == Keyword::Enum {
                    T::Enum(self.enum_type()?)
                } else {
                    T::Struct(self.struct_type()?)
                };
                return Some(Some(Part::Type(ty)));
            }
            // `typeof`, `_Atomic`, `_Complex` and others are left to lang-c.
            _ => return None,
        };
        match (now, *seen) {
            (None, _) => {}
            (Some(now), Seen::Nothing) => *seen = now,
            (Some(Seen::Combining), Seen::Combining) => {}
            _ => return None,
        }
        self.at += 1;
        Some(Some(part))
    }

    fn struct_type(&mut self) -> Option<Node<c::StructType>> {
        let start = self.at;
        let kind = if self.keyword() == Some(Keyword::Union) {
            c::StructKind::Union
        } else {
            c::StructKind::Struct
        };
        self.at += 1;
        let kind = self.node(kind, start);
        let identifier = self.identifier().map(|(_, name)| name);
        let mut declarations = None;
        if self.take(Punct::LBrace) {
            let mut fields = Vec::new();
            while !self.take(Punct::RBrace) {
                let start = self.at;
                let field = c::StructDeclaration::Field(self.field()?);
                fields.push(self.node(field, start));
            }
            declarations = Some(fields);
        } else if identifier.is_none() {
            return None;
        }
        let node = c::StructType {
            kind,
            identifier,
            declarations,
        };
        Some(self.node(node, start))
    }

    fn field(&mut self) -> Option<Node<c::StructField>> {
        let start = self.at;
        let specifiers = self.specifier_qualifiers()?;
        let mut declarators = Vec::new();
        if !self.is(Punct::Semi) {
            loop {
                let start = self.at;
                let declarator = if self.is(Punct::Colon) {
                    None
                } else {
                    Some(self.declarator(Form::Named)?.1)
                };
                let bit_width = if self.take(Punct::Colon) {
                    Some(Box::new(self.conditional()?))
                } else {
                    None
                };
                let node = c::StructDeclarator {
                    declarator,
                    bit_width,
                };
                declarators.push(self.node(node, start));
                if !self.take(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect(Punct::Semi)?;
        let field = c::StructField {
            specifiers,
            declarators,
        };
        Some(self.node(field, start))
    }

    fn enum_type(&mut self) -> Option<Node<c::EnumType>> {
        let start = self.at;
        self.expect_keyword(Keyword::Enum)?;
        let identifier = self.identifier().map(|(_, name)| name);
        let mut enumerators = Vec::new();
        if self.take(Punct::LBrace) {
            loop {
                let start = self.at;
                let (name, identifier) = self.identifier()?;
                self.declare(name, false);
                let expression = if self.take(Punct::Eq) {
                    Some(Box::new(self.conditional()?))
                } else {
                    None
                };
                let node = c::Enumerator {
                    identifier,
                    expression,
                    extensions: Vec::new(),
                };
                enumerators.push(self.node(node, start));
                if !self.take(Punct::Comma) || self.is(Punct::RBrace) {
                    break;
                }
            }
            self.expect(Punct::RBrace)?;
        } else if identifier.is_none() {
            return None;
        }
        let node = c::EnumType {
            identifier,
            enumerators,
        };
        Some(self.node(node, start))
    }

    pub(super) fn type_name(&mut self) -> Option<Node<c::TypeName>> {
        let start = self.at;
        let specifiers = self.specifier_qualifiers()?;
        let declarator = if self.is(Punct::RParen) {
            None
        } else {
            Some(self.declarator(Form::Abstract)?.1)
        };
        let node = c::TypeName {
            specifiers,
            declarator,
        };
        Some(self.node(node, start))
    }

    /// Parses a declarator. Returns it and the name that it declares.
    fn declarator(&mut self, form: Form) -> Option<(Option<u32>, Node<c::Declarator>)> {
        let start = self.at;
        let mut derived = Vec::new();
        while self.is(Punct::Star) {
            let start = self.at;
            self.at += 1;
            let mut qualifiers = Vec::new();
            while let Some(qualifier) = self.keyword().and_then(qualifier) {
                let start = self.at;
                self.at += 1;
                let node = self.node(qualifier, start);
                qualifiers.push(self.node(c::PointerQualifier::TypeQualifier(node), start));
            }
            derived.push(self.node(c::DerivedDeclarator::Pointer(qualifiers), start));
        }
        let at = self.at;
        let (name, kind) = match self.peek() {
            Some(Lexeme::Name(_)) if form != Form::Abstract => {
                let (name, identifier) = self.identifier()?;
                (Some(name), c::DeclaratorKind::Identifier(identifier))
            }
            Some(Lexeme::Punct(Punct::LParen)) if self.at_nested_declarator(form) => {
                self.at += 1;
                let (name, inner) = self.declarator(form)?;
                self.expect(Punct::RParen)?;
                (name, c::DeclaratorKind::Declarator(Box::new(inner)))
            }
            _ if form == Form::Named => return None,
            _ => (None, c::DeclaratorKind::Abstract),
        };
        let kind = self.node(kind, at);
        loop {
            let start = self.at;
            let suffix = match self.peek() {
                Some(Lexeme::Punct(Punct::LBracket)) => self.array()?,
                Some(Lexeme::Punct(Punct::LParen)) => self.scope(Self::function)?,
                _ => break,
            };
            derived.push(self.node(suffix, start));
        }
        if self.at == start {
            return None;
        }
        let node = c::Declarator {
            kind,
            derived,
            extensions: Vec::new(),
        };
        Some((name, self.node(node, start)))
    }

    /// Returns whether the next parenthesis begins a nested declarator and not a parameter list.
    fn at_nested_declarator(&self, form: Form) -> bool {
        match self.second() {
            Some(Lexeme::Punct(Punct::Star | Punct::LParen | Punct::LBracket)) => true,
            Some(Lexeme::Name(n)) => form == Form::Named || !self.is_type[n as usize],
            _ => false,
        }
    }

    fn array(&mut self) -> Option<c::DerivedDeclarator> {
        let start = self.at;
        self.expect(Punct::LBracket)?;
        let size = if self.is(Punct::RBracket) {
            c::ArraySize::Unknown
        } else {
            c::ArraySize::VariableExpression(Box::new(self.assignment()?))
        };
        self.expect(Punct::RBracket)?;
        let node = c::ArrayDeclarator {
            qualifiers: Vec::new(),
            size,
        };
        Some(c::DerivedDeclarator::Array(self.node(node, start)))
    }

    /// Parses a parameter list.
    fn function(&mut self) -> Option<c::DerivedDeclarator> {
        let start = self.at;
        self.expect(Punct::LParen)?;
        let mut parameters = Vec::new();
        let mut ellipsis = c::Ellipsis::None;
        if !self.is(Punct::RParen) {
            loop {
                parameters.push(self.parameter()?);
                if !self.take(Punct::Comma) {
                    break;
                }
                if self.take(Punct::Ellipsis) {
                    ellipsis = c::Ellipsis::Some;
                    break;
                }
            }
        }
        self.expect(Punct::RParen)?;
        let node = c::FunctionDeclarator { parameters, ellipsis };
        Some(c::DerivedDeclarator::Function(self.node(node, start)))
    }

    fn parameter(&mut self) -> Option<Node<c::ParameterDeclaration>> {
        let start = self.at;
        let (specifiers, typedef) = self.declaration_specifiers()?;
        if typedef {
            return None;
        }
        let declarator = if self.is(Punct::Comma) || self.is(Punct::RParen) {
            None
        } else {
            let (name, declarator) = self.declarator(Form::Either)?;
            if let Some(name) = name {
                self.declare(name, false);
            }
            Some(declarator)
        };
        let node = c::ParameterDeclaration {
            specifiers,
            declarator,
            extensions: Vec::new(),
        };
        Some(self.node(node, start))
    }
}

fn qualifier(keyword: Keyword) -> Option<c::TypeQualifier> {
    match keyword {
        Keyword::Const => Some(c::TypeQualifier::Const),
        Keyword::Volatile => Some(c::TypeQualifier::Volatile),
        Keyword::Restrict => Some(c::TypeQualifier::Restrict),
        _ => None,
    }
}
