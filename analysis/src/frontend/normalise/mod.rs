//! Rewrites an item's tokens into the C that lang-c parses, position-free and meaning-preserving.
//!
//! The output is a canonical text: the same tokens give the same text wherever they stand in a
//! file. What lang-c has no syntax for becomes a call of, or a type named, one of the `__racelens_…`
//! words below, which the lowering understands.

mod assembly;
mod contracts;
mod labels;
mod literals;
mod records;
mod words;

pub use contracts::{is_contract, may_have_contracts};

use super::lex::{Token, TokenKind, lex_into, skip_group};

/// `__racelens_auto x = e`: the type of `x` is that of `e`.
pub const AUTO: &str = "__racelens_auto";
/// `a ? __racelens_same : b`: the value of the condition itself.
pub const SAME: &str = "__racelens_same";
/// `__racelens_label(l)`: the address of label `l`.
pub const LABEL_ADDRESS: &str = "__racelens_label";
/// `__racelens_goto(e)`: jump to the label whose address is `e`.
pub const COMPUTED_GOTO: &str = "__racelens_goto";
/// `__racelens_asm(clobbers memory?, operands…)`, outputs wrapped in `__racelens_out`.
pub const ASSEMBLY: &str = "__racelens_asm";
pub const ASSEMBLY_OUTPUT: &str = "__racelens_out";
/// Bits of the first argument of [`ASSEMBLY`].
pub const ASSEMBLY_CLOBBERS: i128 = 1;
pub const ASSEMBLY_IS_HARMLESS: i128 = 2;
/// `__racelens_any()`: any value, for the jumps of `asm goto`.
pub const ANY: &str = "__racelens_any";
/// A member that stands for `__attribute__((packed))` of its record or enum.
pub const PACKED: &str = "__racelens_packed";
/// An array member whose length is the alignment that an attribute asks for.
pub const ALIGNED: &str = "__racelens_aligned";
/// An enumerator whose expression has the type that the enum names.
pub const UNDERLYING: &str = "__racelens_underlying";
/// lang-c has no 128-bit integer, but it has this word, which no C program uses.
pub const INT128: &str = "_Decimal128x";

/// Type names that the compiler knows without a declaration.
pub const BUILTIN_TYPE_NAMES: &[&str] = &[
    AUTO,
    "__int128_t",
    "__uint128_t",
    "__float128",
    "__float80",
    "__bf16",
    "__fp16",
    "__builtin_ms_va_list",
    "bool",
    "char8_t",
    "__ibm128",
    "wchar_t",
    "__SVInt8_t",
];

/// A normalised item.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Normalised {
    pub text: String,
    /// The tokens of `text`, so that nobody has to lex it again.
    pub tokens: Vec<Token>,
    /// For each piece of the output: where it starts, and the range of the source it stands for.
    pub origins: Vec<Origin>,
    pub notes: Vec<NormalisationNote>,
}

/// Which source range an output position stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    pub output: u32,
    pub start: u32,
    pub end: u32,
}

/// Something that was left out because the representation has no room for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NormalisationNote {
    // UNSOUND: the body of a nested function is not analysed.
    NestedFunction { at: u32 },
}

/// What part of an item the tokens are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A declaration, or a function's header.
    Declaration,
    /// A function with its body.
    Function,
}

/// How much of the attributes to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attributes {
    /// Those that change meaning: `cleanup`, `noreturn`, `vector_size`, `mode`, on members `packed` and
    /// `aligned`, and those that make promises about locks.
    Meaningful,
    /// None: for attributes in places where lang-c does not expect one.
    Dropped,
}

pub fn normalise(source: &str, tokens: &[Token], part: Part, attributes: Attributes) -> Normalised {
    let mut normaliser = Normaliser {
        source,
        tokens,
        part,
        attributes,
        output: Normalised {
            text: String::with_capacity(
                tokens
                    .last()
                    .map_or(0, |last| (last.end - tokens[0].start) as usize),
            ),
            tokens: Vec::with_capacity(tokens.len() + 8),
            origins: Vec::with_capacity(tokens.len() + 8),
            notes: Vec::new(),
        },
        previous: None,
        label_blocks: Vec::new(),
    };
    if part == Part::Function && normaliser.lacks_type() {
        normaliser.emit_text(0, "int");
    }
    normaliser.run(0, tokens.len());
    normaliser.output
}

/// The identifier as it is written in normalised text: `$` and bytes outside ASCII are spelled out.
pub fn canonical_identifier(text: &str) -> std::borrow::Cow<'_, str> {
    if text.bytes().all(|byte| byte != b'$' && byte < 0x80) {
        return text.into();
    }
    let mut canonical = String::with_capacity(text.len() + 8);
    for byte in text.bytes() {
        if byte == b'$' || byte >= 0x80 {
            canonical.push_str(&format!("_x{byte:02x}"));
        } else {
            canonical.push(byte as char);
        }
    }
    canonical.into()
}

struct Normaliser<'a> {
    source: &'a str,
    tokens: &'a [Token],
    part: Part,
    attributes: Attributes,
    output: Normalised,
    /// The last token of the source that was kept.
    previous: Option<Token>,
    /// For each open `{`: whether it is a block of statements, where labels can stand.
    label_blocks: Vec<bool>,
}

impl<'a> Normaliser<'a> {
    fn run(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            at = self.step(at, end);
        }
    }

    /// Handles the token at `at` and returns the index to go on with.
    fn step(&mut self, at: usize, end: usize) -> usize {
        let token = self.tokens[at];
        match token.kind {
            TokenKind::Identifier => self.word(at, end),
            TokenKind::String | TokenKind::Character => self.literal(at),
            TokenKind::Number => self.number(at),
            TokenKind::Punctuation(b'{') => self.open_brace(at),
            TokenKind::Punctuation(b'}') => {
                self.label_blocks.pop();
                self.emit(at);
                at + 1
            }
            TokenKind::Punctuation(b'[')
                if self.next_is(at, b'[') && self.is_attribute_bracket(at) =>
            {
                skip_group(self.tokens, at)
            }
            TokenKind::Punctuation(b'?') if self.next_is(at, b':') => {
                self.emit(at);
                self.emit_text(at, SAME);
                at + 1
            }
            TokenKind::Punctuation(b':') if self.is_enum_type_colon(at) => self.skip_enum_type(at),
            TokenKind::Punctuation(b';') if self.is_stray_semicolon(at) => at + 1,
            TokenKind::Operator if token.text(self.source) == "&&" && self.is_label_address(at) => {
                self.emit_text(at, LABEL_ADDRESS);
                self.emit_text(at, "(");
                self.emit(at + 1);
                self.emit_text(at + 1, ")");
                at + 2
            }
            _ => {
                self.emit(at);
                at + 1
            }
        }
    }

    fn open_brace(&mut self, at: usize) -> usize {
        let is_block = self.part == Part::Function && self.opens_block(at);
        self.label_blocks.push(is_block);
        self.emit(at);
        let previous = at.checked_sub(1).map(|before| self.tokens[before]);
        let empty_literal =
            self.next_is(at, b'}') && previous.is_some_and(|before| before.is(b')')) && !is_block;
        if empty_literal {
            // `(T){}`: lang-c wants an initialiser, and zero says the same.
            self.emit_text(at, "0");
        }
        if !is_block {
            self.record_marks(at);
        }
        at + 1
    }

    /// Whether the `{` opens statements, as opposed to members or initialisers.
    fn opens_block(&self, at: usize) -> bool {
        if self.tag_keyword_before(at).is_some() {
            return false;
        }
        let Some(previous) = at.checked_sub(1).map(|before| self.tokens[before]) else {
            return true;
        };
        match previous.kind {
            TokenKind::Punctuation(b';' | b'{' | b'}' | b':' | b'(') => {
                // `{{1, 2}}`: inside an initialiser every brace is one.
                !(previous.is(b'{') && self.label_blocks.last() == Some(&false))
            }
            TokenKind::Punctuation(b')') => match super::split::group_start(self.tokens, 0, at - 1)
            {
                Some(open) => !self.is_compound_literal(open),
                None => true,
            },
            TokenKind::Identifier => {
                matches!(previous.text(self.source), "else" | "do")
                    || (self.label_blocks.is_empty() && !self.follows_tag_keyword(at))
            }
            _ => false,
        }
    }

    fn follows_tag_keyword(&self, brace: usize) -> bool {
        (0..brace)
            .rev()
            .take(4)
            .any(|at| super::split::is_tag_keyword(self.tokens[at].text(self.source)))
    }

    /// Whether the group that opens at `open` and is followed by `{` is a compound literal's type.
    fn is_compound_literal(&self, open: usize) -> bool {
        let Some(before) = open.checked_sub(1) else {
            return false;
        };
        match self.tokens[before].kind {
            TokenKind::Identifier => {
                matches!(self.tokens[before].text(self.source), "return" | "sizeof")
            }
            TokenKind::Punctuation(b')' | b']' | b'}' | b';' | b'{') => false,
            _ => true,
        }
    }

    fn is_enum_type_colon(&self, at: usize) -> bool {
        let word = |back: usize| {
            at.checked_sub(back)
                .map_or("", |index| self.tokens[index].text(self.source))
        };
        (word(1) == "enum" || word(2) == "enum") && self.label_blocks.last() != Some(&true)
            || (word(2) == "enum" && self.is_enum_definition(at))
    }

    fn is_enum_definition(&self, colon: usize) -> bool {
        self.tokens[colon..]
            .iter()
            .take(8)
            .any(|token| token.is(b'{'))
    }

    fn skip_enum_type(&self, mut at: usize) -> usize {
        while at < self.tokens.len() && !self.tokens[at].is(b'{') && !self.tokens[at].is(b';') {
            at += 1;
        }
        at
    }

    /// `struct { ; int a; }`: allowed by GNU C, not by lang-c.
    fn is_stray_semicolon(&self, at: usize) -> bool {
        at > 0 && self.tokens[at - 1].is(b'{') && self.label_blocks.last() == Some(&false)
    }

    /// `f(a) { … }`: a definition whose result is an implicit `int`.
    fn lacks_type(&self) -> bool {
        self.tokens.first().is_some_and(|first| {
            first.kind == TokenKind::Identifier
                && !super::names::is_specifier(first.text(self.source))
                && !super::split::is_attribute_word(first.text(self.source))
        }) && self.next_is(0, b'(')
            // `T (*f(void))(int)` has more brackets behind the first ones.
            && self.tokens.get(skip_group(self.tokens, 1)).is_none_or(|next| !next.is(b'('))
    }

    fn next_is(&self, at: usize, character: u8) -> bool {
        self.tokens
            .get(at + 1)
            .is_some_and(|next| next.is(character))
    }

    fn next_text(&self, at: usize) -> &'a str {
        self.tokens
            .get(at + 1)
            .map_or("", |next| next.text(self.source))
    }

    /// Copies the token as it is.
    fn emit(&mut self, at: usize) {
        let token = self.tokens[at];
        self.emit_token(at, token.text(self.source));
        self.previous = Some(token);
    }

    /// Writes the token at `at` in another spelling; it stays one token of its kind.
    fn emit_token(&mut self, at: usize, text: &str) {
        let start = self.begin_piece(at);
        self.output.text.push_str(text);
        self.output.tokens.push(Token {
            kind: self.tokens[at].kind,
            start,
            end: self.output.text.len() as u32,
        });
    }

    /// Writes any tokens in place of the one at `at`.
    fn emit_text(&mut self, at: usize, text: &str) {
        let start = self.begin_piece(at);
        self.output.text.push_str(text);
        lex_into(&self.output.text, start as usize, &mut self.output.tokens);
    }

    /// What is written next stands for the token at `at`; returns where it starts.
    fn begin_piece(&mut self, at: usize) -> u32 {
        let token = self.tokens[at];
        if !self.output.text.is_empty() {
            self.output.text.push(' ');
        }
        let output = self.output.text.len() as u32;
        self.output.origins.push(Origin {
            output,
            start: token.start,
            end: token.end,
        });
        output
    }
}

impl Normalised {
    /// Ends a function's header, so that it is a declaration.
    pub fn append_semicolon(&mut self) {
        self.text.push_str(" ;");
        let end = self.text.len() as u32;
        self.tokens.push(Token {
            kind: TokenKind::Punctuation(b';'),
            start: end - 1,
            end,
        });
    }

    /// The source range behind a byte range of the output.
    pub fn origin(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let first = self
            .origins
            .partition_point(|origin| origin.output <= start)
            .checked_sub(1)?;
        let last = self
            .origins
            .partition_point(|origin| origin.output < end.max(start + 1))
            .checked_sub(1)?;
        let covered = &self.origins[first..=last.max(first)];
        let from = self.origins[first].start;
        // Text that was put in by the normaliser may stand out of order; the range stays sane.
        let to = covered
            .iter()
            .map(|origin| origin.end)
            .max()
            .unwrap_or(from);
        Some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::lex::lex;
    use expect_test::{Expect, expect};

    fn check(part: Part, source: &str, expected: Expect) {
        let tokens = lex(source);
        expected.assert_eq(&normalise(source, &tokens, part, Attributes::Meaningful).text);
    }

    #[test]
    fn gnu_words_become_what_lang_c_knows() {
        check(
            Part::Declaration,
            "__extension__ static __thread unsigned __int128 x __attribute__((aligned(8))) = 1'000;",
            expect!["static _Thread_local unsigned _Decimal128x x = 1000 ;"],
        );
    }

    #[test]
    fn meaningful_attributes_stay() {
        check(
            Part::Declaration,
            "void die(void) __attribute__((cold, __noreturn__, format(printf, 1, 2)));",
            expect!["void die ( void ) __attribute__ (( noreturn )) ;"],
        );
    }

    #[test]
    fn promises_about_locks_stay() {
        check(
            Part::Declaration,
            "struct s { int x __attribute__((guarded_by(lock))); }; void f(struct s *p) __attribute__((cold, requires_capability(&p->lock)));",
            expect![
                "struct s { int x __attribute__ (( guarded_by ( lock ) )) ; } ; void f ( struct s * p ) __attribute__ (( requires_capability ( & p -> lock ) )) ;"
            ],
        );
    }

    #[test]
    fn a_label_in_front_of_a_declaration_or_brace_gets_a_statement() {
        check(
            Part::Function,
            "void f(void) { switch (x) { case 1: int y = 2; default: } if (x) l: g(); a ? b : c; }",
            expect![
                "void f ( void ) { switch ( x ) { case 1 : ; int y = 2 ; default : ; } if ( x ) l : g ( ) ; a ? b : c ; }"
            ],
        );
    }

    #[test]
    fn computed_goto_and_label_addresses() {
        check(
            Part::Function,
            "void f(void) { void *t[] = { &&a, &&b }; goto *t[i]; a: b: g(x && y); }",
            expect![
                "void f ( void ) { void * t [ ] = { __racelens_label ( a ) , __racelens_label ( b ) } ; __racelens_goto ( t [ i ] ) ; a : ; b : ; g ( x && y ) ; }"
            ],
        );
    }

    #[test]
    fn assembly_becomes_a_call_with_its_operands() {
        check(
            Part::Function,
            r#"void f(void) { asm volatile("xchg %0,%1" : "+r"(v), [m] "+m"(*p) : "r"(a), "i"(3) : "memory", "cc"); asm goto("jmp %l0" : : : : out); out: ; }"#,
            expect![
                "void f ( void ) { __racelens_asm ( 1 , __racelens_out ( v ) , __racelens_out ( * p ) , v , * p , a , 3 ) ; do { __racelens_asm ( 0 ) ; if ( __racelens_any ( ) ) goto out ; } while ( 0 ) ; out : ; }"
            ],
        );
    }

    #[test]
    fn nested_functions_become_prototypes() {
        check(
            Part::Function,
            "int f(void) { static int inner(int a) { return a; } return inner(1); }",
            expect!["int f ( void ) { static int inner ( int a ) ; return inner ( 1 ) ; }"],
        );
    }

    #[test]
    fn c23_spellings() {
        check(
            Part::Function,
            "[[nodiscard]] int f(void) { auto x = nullptr; constexpr int y = 1; enum e : char { A }; return (struct s){} .a; }",
            expect![
                "int f ( void ) { __racelens_auto x = ( ( void * ) 0 ) ; const int y = 1 ; enum e { __racelens_underlying = ( ( char ) - 1 ) , A } ; return ( struct s ) { 0 } . a ; }"
            ],
        );
    }

    #[test]
    fn odd_escapes_are_spelled_in_octal() {
        check(
            Part::Declaration,
            r#"char *s = "\e[0m\u00e9é" u8"x"; int c = '\e';"#,
            expect![[r#"char * s = "\033[0m\303\251\303\251" u8"x" ; int c = '\033' ;"#]],
        );
    }

    #[test]
    fn attributes_of_records_become_members() {
        check(
            Part::Declaration,
            "struct __attribute__((packed)) s { char c; int i __attribute__((aligned(8))); } __attribute__((__aligned__(16))) v;",
            expect![
                "struct s { char __racelens_packed ; char __racelens_aligned [ 16 ] ; char c ; int i __attribute__ (( aligned ( 8 ) )) ; } v ;"
            ],
        );
    }

    #[test]
    fn a_conditional_without_a_middle_keeps_its_condition() {
        check(
            Part::Function,
            "int f(void) { return a ?: b; }",
            expect!["int f ( void ) { return a ? __racelens_same : b ; }"],
        );
    }

    #[test]
    fn normalising_twice_changes_nothing_more() {
        let source =
            "void f(void) { l: __auto_type x = a ?: &&l; asm(\"\" ::: \"memory\"); goto *x; }";
        let once = normalise(source, &lex(source), Part::Function, Attributes::Dropped).text;
        let twice = normalise(&once, &lex(&once), Part::Function, Attributes::Dropped).text;
        assert_eq!(once, twice);
    }
}
