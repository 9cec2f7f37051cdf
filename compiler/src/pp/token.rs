//! Tokens: what the preprocessor hands to the parser.

use crate::source::{SourceMap, Span};

/// A preprocessed token. Its text is `map.text(token.spelling)`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Preceding white space and line ends.
    pub flags: TokenFlags,
    /// Identifier number within one run of the preprocessor; meaningless afterwards.
    pub(crate) id: u32,
    /// Where diagnostics point: the token itself, or the use of the macro whose replacement it came from.
    pub span: Span,
    /// Where its text is: a file, or the scratch file for pasted, stringified and spliced tokens.
    pub spelling: Span,
}

impl Token {
    /// The token's characters.
    pub fn text<'m>(&self, map: &'m SourceMap) -> &'m str {
        map.text(self.spelling)
    }

    /// Whether it is this punctuator.
    pub fn is(&self, p: Punct) -> bool {
        self.kind == TokenKind::Punct(p)
    }

    /// Whether it is this keyword.
    pub fn is_keyword(&self, k: Keyword) -> bool {
        self.kind == TokenKind::Keyword(k)
    }
}

/// White space before a token.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenFlags(pub(crate) u8);

impl TokenFlags {
    pub(crate) const SPACE: u8 = 1;
    pub(crate) const LINE: u8 = 2;
    /// A macro name that was met inside its own expansion: never expanded again.
    pub(crate) const NO_EXPAND: u8 = 4;

    /// White space (or a line end) stands before the token.
    pub fn space_before(self) -> bool {
        self.0 & (Self::SPACE | Self::LINE) != 0
    }

    /// The token is the first of its line.
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
    /// A name that is no keyword.
    Ident,
    /// A keyword of C99, OpenCL C or GNU C, alternative spellings folded.
    Keyword(Keyword),
    /// A preprocessing number; its value is worked out by `syntax::literal`.
    Number,
    /// `'c'`, with any prefix.
    Char,
    /// `"s"`, with any prefix.
    Str,
    /// An operator or separator; digraphs folded.
    Punct(Punct),
    /// A `#pragma` line or `_Pragma` operator; the text is what follows `#pragma`.
    Pragma,
    /// A character that begins no token (`@`, `` ` ``, `\`); an error wherever it is parsed.
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
            /// Its spelling.
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
        /// Keywords; each has the spelling first listed.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Keyword {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Keyword {
            /// The plain spelling.
            pub fn text(self) -> &'static str {
                match self {
                    $(Keyword::$name => $text,)*
                }
            }

            /// Recognises a keyword in any of its spellings.
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
    Private "private" | "__private",
    ReadOnly "read_only" | "__read_only", WriteOnly "write_only" | "__write_only",
    ReadWrite "read_write" | "__read_write",
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
