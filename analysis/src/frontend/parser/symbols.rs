//! What a token means to the parser.

use super::super::lex::{Token, TokenKind};

/// The terminals of the grammar. Several spellings of one keyword are one symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// Behind the last token.
    End,
    /// A token that the parser leaves to lang-c.
    Unknown,
    Identifier,
    Number,
    String,
    Character,
    // Punctuators.
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Semicolon,
    Comma,
    Colon,
    Question,
    Dot,
    Arrow,
    Ellipsis,
    Increment,
    Decrement,
    Ampersand,
    Star,
    Plus,
    Minus,
    Tilde,
    Exclamation,
    Slash,
    Percent,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    Equals,
    NotEquals,
    Caret,
    Bar,
    LogicalAnd,
    LogicalOr,
    Assign,
    AssignMultiply,
    AssignDivide,
    AssignModulo,
    AssignPlus,
    AssignMinus,
    AssignShiftLeft,
    AssignShiftRight,
    AssignAnd,
    AssignXor,
    AssignOr,
    // Storage classes.
    Typedef,
    Extern,
    Static,
    ThreadLocal,
    Auto,
    Register,
    // Qualifiers and function specifiers.
    Const,
    Restrict,
    Volatile,
    Atomic,
    Inline,
    Noreturn,
    Attribute,
    // Types that stand alone.
    Void,
    Bool,
    Struct,
    Union,
    Enum,
    // Types that combine.
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Signed,
    Unsigned,
    Complex,
    ExtendedFloat,
    TypeOf,
    // Statements.
    If,
    Else,
    Switch,
    While,
    Do,
    For,
    Goto,
    Continue,
    Break,
    Return,
    Case,
    Default,
    // Expressions.
    SizeOf,
    AlignOf,
    Generic,
    OffsetOf,
    VaArg,
    FunctionName,
}

impl Symbol {
    pub fn of(source: &str, token: Token) -> Symbol {
        match token.kind {
            TokenKind::Identifier => word(token.text(source)),
            TokenKind::Number => Symbol::Number,
            TokenKind::String => Symbol::String,
            TokenKind::Character => Symbol::Character,
            TokenKind::Punctuation(character) => punctuation(character),
            TokenKind::Operator => operator(token.bytes(source)),
        }
    }

    /// `const`, `restrict`, `volatile`; `_Atomic` depends on what follows it.
    pub fn is_plain_qualifier(self) -> bool {
        matches!(self, Symbol::Const | Symbol::Restrict | Symbol::Volatile)
    }

    /// Whether only a declaration specifier starts with this symbol.
    pub fn starts_specifier(self) -> bool {
        self.is_specifier_without_type() || self == Symbol::Typedef || self.is_type_word()
    }

    /// Storage classes, qualifiers, function specifiers and attributes.
    pub fn is_specifier_without_type(self) -> bool {
        matches!(
            self,
            Symbol::Extern
                | Symbol::Static
                | Symbol::ThreadLocal
                | Symbol::Auto
                | Symbol::Register
                | Symbol::Inline
                | Symbol::Noreturn
        ) || self.is_qualifier_or_attribute()
    }

    pub fn is_qualifier_or_attribute(self) -> bool {
        self.is_plain_qualifier() || matches!(self, Symbol::Atomic | Symbol::Attribute)
    }

    /// Whether an operand of a cast, or the braces of a compound literal, may start so.
    pub fn can_follow_cast(self) -> bool {
        matches!(
            self,
            Symbol::Identifier
                | Symbol::Number
                | Symbol::String
                | Symbol::Character
                | Symbol::OpenParenthesis
                | Symbol::OpenBrace
                | Symbol::Increment
                | Symbol::Decrement
                | Symbol::Ampersand
                | Symbol::Star
                | Symbol::Plus
                | Symbol::Minus
                | Symbol::Tilde
                | Symbol::Exclamation
                | Symbol::SizeOf
                | Symbol::AlignOf
                | Symbol::Generic
                | Symbol::OffsetOf
                | Symbol::VaArg
                | Symbol::FunctionName
                | Symbol::TypeOf
                | Symbol::Unknown
        )
    }

    /// Words that start a type by themselves.
    pub fn is_type_word(self) -> bool {
        matches!(
            self,
            Symbol::Void
                | Symbol::Bool
                | Symbol::Struct
                | Symbol::Union
                | Symbol::Enum
                | Symbol::Char
                | Symbol::Short
                | Symbol::Int
                | Symbol::Long
                | Symbol::Float
                | Symbol::Double
                | Symbol::Signed
                | Symbol::Unsigned
                | Symbol::Complex
                | Symbol::ExtendedFloat
                | Symbol::TypeOf
        )
    }
}

fn punctuation(character: u8) -> Symbol {
    match character {
        b'(' => Symbol::OpenParenthesis,
        b')' => Symbol::CloseParenthesis,
        b'[' => Symbol::OpenBracket,
        b']' => Symbol::CloseBracket,
        b'{' => Symbol::OpenBrace,
        b'}' => Symbol::CloseBrace,
        b';' => Symbol::Semicolon,
        b',' => Symbol::Comma,
        b':' => Symbol::Colon,
        b'?' => Symbol::Question,
        b'.' => Symbol::Dot,
        b'&' => Symbol::Ampersand,
        b'*' => Symbol::Star,
        b'+' => Symbol::Plus,
        b'-' => Symbol::Minus,
        b'~' => Symbol::Tilde,
        b'!' => Symbol::Exclamation,
        b'/' => Symbol::Slash,
        b'%' => Symbol::Percent,
        b'<' => Symbol::Less,
        b'>' => Symbol::Greater,
        b'^' => Symbol::Caret,
        b'|' => Symbol::Bar,
        b'=' => Symbol::Assign,
        _ => Symbol::Unknown,
    }
}

fn operator(text: &[u8]) -> Symbol {
    match text {
        b"->" => Symbol::Arrow,
        b"..." => Symbol::Ellipsis,
        b"++" => Symbol::Increment,
        b"--" => Symbol::Decrement,
        b"<<" => Symbol::ShiftLeft,
        b">>" => Symbol::ShiftRight,
        b"<=" => Symbol::LessOrEqual,
        b">=" => Symbol::GreaterOrEqual,
        b"==" => Symbol::Equals,
        b"!=" => Symbol::NotEquals,
        b"&&" => Symbol::LogicalAnd,
        b"||" => Symbol::LogicalOr,
        b"*=" => Symbol::AssignMultiply,
        b"/=" => Symbol::AssignDivide,
        b"%=" => Symbol::AssignModulo,
        b"+=" => Symbol::AssignPlus,
        b"-=" => Symbol::AssignMinus,
        b"<<=" => Symbol::AssignShiftLeft,
        b">>=" => Symbol::AssignShiftRight,
        b"&=" => Symbol::AssignAnd,
        b"^=" => Symbol::AssignXor,
        b"|=" => Symbol::AssignOr,
        _ => Symbol::Unknown,
    }
}

/// Whether lang-c takes the word for an identifier as we do: others are spelled out by the normaliser.
pub(super) fn is_plain_word(text: &str) -> bool {
    text.is_ascii() && memchr::memchr(b'$', text.as_bytes()).is_none()
}

/// Words are told apart by their first letter, because most of them are plain identifiers.
pub(super) fn word(text: &str) -> Symbol {
    match text.as_bytes().first() {
        Some(b'_') => underscored_word(text),
        Some(b'a'..=b'd') => match text {
            "auto" => Symbol::Auto,
            "asm" => Symbol::Unknown,
            "break" => Symbol::Break,
            "case" => Symbol::Case,
            "char" => Symbol::Char,
            "const" => Symbol::Const,
            "continue" => Symbol::Continue,
            "default" => Symbol::Default,
            "do" => Symbol::Do,
            "double" => Symbol::Double,
            _ => Symbol::Identifier,
        },
        Some(b'e'..=b'g') => match text {
            "else" => Symbol::Else,
            "enum" => Symbol::Enum,
            "extern" => Symbol::Extern,
            "float" => Symbol::Float,
            "for" => Symbol::For,
            "goto" => Symbol::Goto,
            _ => Symbol::Identifier,
        },
        Some(b'i') => match text {
            "if" => Symbol::If,
            "inline" => Symbol::Inline,
            "int" => Symbol::Int,
            _ => Symbol::Identifier,
        },
        Some(b'l'..=b'r') => match text {
            "long" => Symbol::Long,
            "register" => Symbol::Register,
            "restrict" => Symbol::Restrict,
            "return" => Symbol::Return,
            _ => Symbol::Identifier,
        },
        Some(b's') => match text {
            "short" => Symbol::Short,
            "signed" => Symbol::Signed,
            "sizeof" => Symbol::SizeOf,
            "static" => Symbol::Static,
            "struct" => Symbol::Struct,
            "switch" => Symbol::Switch,
            _ => Symbol::Identifier,
        },
        Some(b't'..=b'w') => match text {
            "typedef" => Symbol::Typedef,
            "typeof" => Symbol::TypeOf,
            "union" => Symbol::Union,
            "unsigned" => Symbol::Unsigned,
            "void" => Symbol::Void,
            "volatile" => Symbol::Volatile,
            "while" => Symbol::While,
            _ => Symbol::Identifier,
        },
        _ => Symbol::Identifier,
    }
}

fn underscored_word(text: &str) -> Symbol {
    match text {
        "_Thread_local" => Symbol::ThreadLocal,
        "__const" => Symbol::Const,
        "__restrict" | "__restrict__" => Symbol::Restrict,
        "__volatile" | "__volatile__" => Symbol::Volatile,
        "_Atomic" => Symbol::Atomic,
        "__inline" | "__inline__" => Symbol::Inline,
        "_Noreturn" => Symbol::Noreturn,
        "__attribute" | "__attribute__" => Symbol::Attribute,
        "_Bool" => Symbol::Bool,
        "__signed" | "__signed__" => Symbol::Signed,
        "_Complex" | "__complex" | "__complex__" => Symbol::Complex,
        "_Float16" | "_Float16x" | "_Float32" | "_Float32x" | "_Float64" | "_Float64x"
        | "_Float128" | "_Float128x" | "_Decimal32" | "_Decimal32x" | "_Decimal64"
        | "_Decimal64x" | "_Decimal128" | "_Decimal128x" => Symbol::ExtendedFloat,
        "__typeof" | "__typeof__" => Symbol::TypeOf,
        "_Alignof" | "__alignof" | "__alignof__" => Symbol::AlignOf,
        "_Generic" => Symbol::Generic,
        "__builtin_offsetof" => Symbol::OffsetOf,
        "__builtin_va_arg" => Symbol::VaArg,
        "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => Symbol::FunctionName,
        // Reserved in lang-c, but rare or removed by the normaliser.
        "_Alignas" | "_Imaginary" | "_Static_assert" | "__asm" | "__asm__" | "__extension__"
        | "__imag" | "__imag__" | "__label__" | "__null" | "__real" | "__real__" | "__thread" => {
            Symbol::Unknown
        }
        _ => Symbol::Identifier,
    }
}
