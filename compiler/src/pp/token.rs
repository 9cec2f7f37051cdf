//! Tokens, the preprocessor's output and the parser's input.

use crate::source::{SourceMap, Span};

/// A preprocessed token. Its text is `map.text(token.spelling)`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// The class of the token.
    pub kind: TokenKind,
    /// The white space and line end before the token.
    pub flags: TokenFlags,
    /// The identifier's number within one run of the preprocessor; it has no meaning afterwards.
    pub(crate) id: u32,
    /// The position for diagnostics: the token itself, or the use of the macro that it came from.
    pub span: Span,
    /// The position of the text: in a file, or in the scratch file for pasted, stringified and spliced
    /// tokens.
    pub spelling: Span,
}

impl Token {
    /// Returns the characters of the token.
    pub fn text<'m>(&self, map: &'m SourceMap) -> &'m str {
        map.text(self.spelling)
    }

    /// Returns whether the token is the punctuator `p`.
    pub fn is(&self, p: Punct) -> bool {
        self.kind == TokenKind::Punct(p)
    }

    /// Returns whether the token is the keyword `k`.
    pub fn is_keyword(&self, k: Keyword) -> bool {
        self.kind == TokenKind::Keyword(k)
    }
}

/// Flags of a token. Other modules can only read the flags for the white space before it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenFlags(pub(crate) u8);

impl TokenFlags {
    pub(crate) const SPACE: u8 = 1;
    pub(crate) const LINE: u8 = 2;
    /// A macro name that was read inside its own expansion; it is never expanded.
    pub(crate) const NO_EXPAND: u8 = 4;

    /// Returns whether white space or a line end precedes the token.
    pub fn space_before(self) -> bool {
        self.0 & (Self::SPACE | Self::LINE) != 0
    }

    /// Returns whether the token is the first of its line.
    pub fn line_start(self) -> bool {
        self.0 & Self::LINE != 0
    }

    pub(crate) fn no_expand(self) -> bool {
        self.0 & Self::NO_EXPAND != 0
    }
}

/// Token classes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name that is not a keyword.
    Ident,
    /// A keyword of C99, OpenCL C or GNU C; alternative spellings are one keyword.
    Keyword(Keyword),
    /// A preprocessing number; `literal` computes its value.
    Number,
    /// A character constant `'c'`, with any prefix.
    Char,
    /// A string literal `"s"`, with any prefix.
    Str,
    /// An operator or separator; a digraph is the same as the punctuator that it stands for.
    Punct(Punct),
    /// The contents of the braces of an initializer, if they are a long list of literals (`pp::table`).
    Table,
    /// A `#pragma` line or a `_Pragma` operator; the text is the part after `#pragma`.
    Pragma,
    /// A character that begins no token (`@`, `` ` ``, `\`); it is an error wherever it reaches the parser.
    Other,
}

macro_rules! punctuators {
    ($($name:ident $text:literal,)*) => {
        /// Operators and separators.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Punct {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Punct {
            /// Returns the spelling of the punctuator.
            pub fn text(self) -> &'static str {
                match self {
                    $(Punct::$name => $text,)*
                }
            }
        }
    };
}

punctuators! {
    LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}",
    Semi ";", Comma ",", Dot ".", Arrow "->", Ellipsis "...", Colon ":", Question "?",
    Plus "+", Minus "-", Star "*", Slash "/", Percent "%", PlusPlus "++", MinusMinus "--",
    Amp "&", Pipe "|", Caret "^", Tilde "~", Bang "!", AmpAmp "&&", PipePipe "||", Shl "<<", Shr ">>",
    Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=",
    Eq "=", PlusEq "+=", MinusEq "-=", StarEq "*=", SlashEq "/=", PercentEq "%=", AmpEq "&=", PipeEq "|=",
    CaretEq "^=", ShlEq "<<=", ShrEq ">>=", Hash "#", HashHash "##",
}

macro_rules! keywords {
    ($($name:ident $text:literal $(| $alt:literal)*,)*) => {
        /// Keywords, each documented with its plain spelling.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Keyword {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Keyword {
            /// Returns the plain spelling of the keyword.
            pub fn text(self) -> &'static str {
                match self {
                    $(Keyword::$name => $text,)*
                }
            }

            /// Returns the keyword that `text` spells, in any of its spellings.
            pub fn from_text(text: &str) -> Option<Keyword> {
                match text {
                    $($text $(| $alt)* => Some(Keyword::$name),)*
                    _ => None,
                }
            }
        }
    };
}

keywords! {
    Auto "auto", Break "break", Case "case", Char "char", Const "const" | "__const" | "__const__",
    Continue "continue", Default "default", Do "do", Double "double", Else "else", Enum "enum", Extern "extern",
    Float "float", For "for", Goto "goto", If "if", Inline "inline" | "__inline" | "__inline__", Int "int",
    Long "long", Register "register", Restrict "restrict" | "__restrict" | "__restrict__", Return "return",
    Short "short", Signed "signed" | "__signed" | "__signed__", Sizeof "sizeof", Static "static",
    Struct "struct", Switch "switch", Typedef "typedef", Union "union", Unsigned "unsigned", Void "void",
    Volatile "volatile" | "__volatile" | "__volatile__", While "while", Bool "_Bool",
    Complex "_Complex" | "__complex" | "__complex__",
    Kernel "kernel" | "__kernel",
    Global "global" | "__global", Local "local" | "__local", Constant "constant" | "__constant",
    Private "private" | "__private", GenericSpace "generic" | "__generic",
    ReadOnly "read_only" | "__read_only", WriteOnly "write_only" | "__write_only",
    ReadWrite "read_write" | "__read_write", Pipe "pipe",
    VecStep "vec_step",
    Attribute "__attribute__" | "__attribute", Typeof "typeof" | "__typeof" | "__typeof__",
    Asm "asm" | "__asm" | "__asm__", Alignof "__alignof__" | "__alignof" | "_Alignof",
    Extension "__extension__", Offsetof "__builtin_offsetof", VaArg "__builtin_va_arg",
    Generic "_Generic", StaticAssert "_Static_assert", Noreturn "_Noreturn", Atomic "_Atomic",
    Alignas "_Alignas", ThreadLocal "_Thread_local" | "__thread",
}

impl Keyword {
    /// Whether it names a type or begins one: no other type can follow it.
    pub(crate) fn is_type(self) -> bool {
        matches!(
            self,
            Keyword::Void
                | Keyword::Char
                | Keyword::Short
                | Keyword::Int
                | Keyword::Long
                | Keyword::Float
                | Keyword::Double
                | Keyword::Signed
                | Keyword::Unsigned
                | Keyword::Bool
                | Keyword::Struct
                | Keyword::Union
                | Keyword::Enum
        )
    }
}
