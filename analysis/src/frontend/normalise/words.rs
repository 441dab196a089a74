//! Keywords and built-in words that lang-c does not know.

use super::super::lex::{TokenKind, skip_group};
use super::contracts::is_contract;
use super::{AUTO, Attributes, COMPUTED_GOTO, INT128, Normaliser, canonical_identifier};

impl Normaliser<'_> {
    pub(super) fn word(&mut self, at: usize, end: usize) -> usize {
        let token = self.tokens[at];
        let text = token.text(self.source);
        // Most words are ordinary identifiers: decide that by the first letter.
        if !matches!(
            text.as_bytes()[0],
            b'_' | b'a' | b'b' | b'c' | b'd' | b'g' | b'n' | b's' | b't'
        ) {
            return self.plain_word(at);
        }
        match text {
            "__attribute__" | "__attribute" if self.next_is(at, b'(') => self.attribute(at),
            "__extension__" | "_Nonnull" | "_Nullable" | "_Null_unspecified" | "__forceinline"
            | "__cdecl" | "__stdcall" | "__fastcall" | "__thiscall" | "__vectorcall"
            | "__unaligned" | "__ptr64" | "__w64" => at + 1,
            "__declspec" if self.next_is(at, b'(') => skip_group(self.tokens, at + 1),
            "_Alignas" | "alignas" if self.next_is(at, b'(') => self.align_as(at),
            "__int128" => self.replace(at, INT128),
            "__int64" => self.replace(at, "long long"),
            "__auto_type" => self.replace(at, AUTO),
            "auto" if self.declares_by_inference(at) => self.replace(at, AUTO),
            "asm" | "__asm__" | "__asm" => self.assembly(at),
            "__thread" | "thread_local" => self.replace(at, "_Thread_local"),
            "__alignof__" | "__alignof" | "_Alignof" | "alignof" if self.next_is(at, b'(') => {
                self.align_of(at)
            }
            "sizeof" if self.measures_compound_literal(at) => {
                let end = skip_group(self.tokens, skip_group(self.tokens, at + 1));
                self.emit(at);
                self.emit_text(at, "(");
                self.run(at + 1, end);
                self.emit_text(at, ")");
                end
            }
            "_Static_assert" | "static_assert" if self.next_is(at, b'(') => {
                self.skip_with_semicolon(at)
            }
            "__real__" | "__imag__" | "__real" | "__imag" => self.replace(at, "+"),
            "__label__" => self.skip_statement(at),
            "goto" if self.next_is(at, b'*') => self.computed_goto(at),
            "__const__" | "__const" => self.replace(at, "const"),
            "__volatile" | "__volatile__" => self.replace(at, "volatile"),
            "__signed" | "__signed__" => self.replace(at, "signed"),
            "nullptr" => self.replace(at, "( ( void * ) 0 )"),
            "constexpr" => self.replace(at, "const"),
            "noreturn" if self.next_text(at) == "void" => self.replace(at, "_Noreturn"),
            "typeof_unqual" | "__typeof_unqual__" | "__typeof_unqual" => {
                self.replace(at, "__typeof__")
            }
            "_BitInt" if self.next_is(at, b'(') => self.bit_int(at),
            "__builtin_types_compatible_p" if self.next_is(at, b'(') => self.types_compatible(at),
            "__builtin_has_attribute" if self.next_is(at, b'(') => {
                self.emit_text(at, "0");
                skip_group(self.tokens, at + 1)
            }
            "__builtin_convertvector" if self.next_is(at, b'(') => self.convert_vector(at),
            "__PRETTY_FUNCTION__" | "__FUNCTION__" => self.replace(at, "__func__"),
            "case" | "default" => self.case_label(at, end),
            _ => self.plain_word(at),
        }
    }

    fn plain_word(&mut self, at: usize) -> usize {
        if let Some(next) = self.nested_function(at) {
            return next;
        }
        let is_label = self.is_label(at);
        let token = self.tokens[at];
        let text = token.text(self.source);
        self.emit_token(at, &canonical_identifier(text));
        self.previous = Some(token);
        if is_label {
            self.emit(at + 1);
            self.close_label(at + 1);
            return at + 2;
        }
        at + 1
    }

    fn replace(&mut self, at: usize, text: &str) -> usize {
        self.emit_text(at, text);
        self.previous = Some(self.tokens[at]);
        at + 1
    }

    /// Keeps those attributes that change what a program does.
    fn attribute(&mut self, at: usize) -> usize {
        let end = skip_group(self.tokens, at + 1);
        if self.attributes == Attributes::Dropped {
            return end;
        }
        let on_member = self.label_blocks.last() == Some(&false) && !self.is_record_attribute(at);
        let mut inner = at + 3;
        while inner < end {
            let next = if self.next_is(inner, b'(') {
                skip_group(self.tokens, inner + 1)
            } else {
                inner + 1
            };
            let name = self.tokens[inner].text(self.source).trim_matches('_');
            if self.tokens[inner].kind == TokenKind::Identifier
                && (matches!(name, "cleanup" | "noreturn" | "vector_size" | "mode")
                    || is_contract(name)
                    || (on_member && matches!(name, "packed" | "aligned")))
            {
                // lang-c wants these two brackets without a space.
                for word in ["__attribute__", "((", name] {
                    self.emit_text(inner, word);
                }
                self.run(inner + 1, next.min(end));
                self.emit_text(inner, "))");
            }
            inner = next;
        }
        end
    }

    /// `auto x = e`, which in C23 infers the type.
    fn declares_by_inference(&self, at: usize) -> bool {
        self.tokens
            .get(at + 1)
            .is_some_and(|name| name.kind == TokenKind::Identifier)
            && self.next_is(at + 1, b'=')
    }

    /// `__alignof__` takes an expression too; `__typeof__` accepts both.
    fn align_of(&mut self, at: usize) -> usize {
        let end = skip_group(self.tokens, at + 1);
        if self
            .tokens
            .get(at + 2)
            .is_some_and(|inner| matches!(inner.text(self.source), "__typeof__" | "typeof"))
        {
            self.emit_text(at, "_Alignof");
            return at + 1;
        }
        for word in ["_Alignof", "(", "__typeof__"] {
            self.emit_text(at, word);
        }
        self.run(at + 1, end);
        self.emit_text(at, ")");
        end
    }

    /// `sizeof (T){ … }`: lang-c takes the braces for something else.
    fn measures_compound_literal(&self, at: usize) -> bool {
        self.next_is(at, b'(') && {
            let end = skip_group(self.tokens, at + 1);
            self.tokens.get(end).is_some_and(|next| next.is(b'{'))
        }
    }

    fn skip_with_semicolon(&self, at: usize) -> usize {
        let end = skip_group(self.tokens, at + 1);
        if self.tokens.get(end).is_some_and(|next| next.is(b';')) {
            end + 1
        } else {
            end
        }
    }

    fn skip_statement(&self, mut at: usize) -> usize {
        while at < self.tokens.len() && !self.tokens[at].is(b';') {
            at += 1;
        }
        at + 1
    }

    fn computed_goto(&mut self, at: usize) -> usize {
        let mut end = at + 2;
        while end < self.tokens.len() && !self.tokens[end].is(b';') {
            end = match self.tokens[end].kind {
                TokenKind::Punctuation(b'(' | b'[' | b'{') => skip_group(self.tokens, end),
                _ => end + 1,
            };
        }
        self.emit_text(at, COMPUTED_GOTO);
        self.emit_text(at, "(");
        self.run(at + 2, end);
        self.emit_text(at, ")");
        end
    }

    /// The next wider standard integer stands for `_BitInt(n)`.
    fn bit_int(&mut self, at: usize) -> usize {
        let width: u32 = self
            .tokens
            .get(at + 2)
            .and_then(|token| token.text(self.source).parse().ok())
            .unwrap_or(32);
        let word = match width {
            0..=8 => "char",
            9..=16 => "short",
            17..=32 => "int",
            33..=64 => "long long",
            _ => INT128,
        };
        self.emit_text(at, word);
        skip_group(self.tokens, at + 1)
    }

    /// Two types are compatible exactly if a `_Generic` on one selects the other.
    fn types_compatible(&mut self, at: usize) -> usize {
        let end = skip_group(self.tokens, at + 1);
        let Some(comma) = self.top_level_comma(at + 2, end) else {
            self.emit_text(at, "0");
            return end;
        };
        // `va_arg` is the one expression whose type can be any type name.
        self.emit_text(at, "_Generic ( __builtin_va_arg ( 0 ,");
        self.run(at + 2, comma);
        self.emit_text(at, ") ,");
        self.run(comma + 1, end - 1);
        self.emit_text(at, ": 1 , default : 0 )");
        end
    }

    fn convert_vector(&mut self, at: usize) -> usize {
        let end = skip_group(self.tokens, at + 1);
        let Some(comma) = self.top_level_comma(at + 2, end) else {
            self.emit_text(at, "0");
            return end;
        };
        self.emit_text(at, "( (");
        self.run(comma + 1, end - 1);
        self.emit_text(at, ") (");
        self.run(at + 2, comma);
        self.emit_text(at, ") )");
        end
    }

    fn top_level_comma(&self, mut at: usize, end: usize) -> Option<usize> {
        while at < end {
            match self.tokens[at].kind {
                TokenKind::Punctuation(b',') => return Some(at),
                TokenKind::Punctuation(b'(' | b'[' | b'{') => at = skip_group(self.tokens, at),
                _ => at += 1,
            }
        }
        None
    }
}
