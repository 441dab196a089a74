//! Inline assembly as a call that names its operands.

use super::super::lex::{Token, TokenKind, skip_group};
use super::super::split::group_start;
use super::{
    ANY, ASSEMBLY, ASSEMBLY_CLOBBERS, ASSEMBLY_IS_HARMLESS, ASSEMBLY_OUTPUT, Normaliser, Part,
};

/// One operand: the tokens of its C expression, and whether the constraint says `+`.
struct AssemblyOperand {
    start: usize,
    end: usize,
    read_too: bool,
    /// The constraint lets it be in memory.
    may_be_memory: bool,
}

/// Instructions that do nothing but wait or order accesses, with the prefix of `rep; nop`.
const ORDERING: &[&str] = &[
    "", "nop", "rep", "pause", "yield", "mfence", "lfence", "sfence", "dmb", "dsb", "isb", "fence",
    "sync", "lwsync", "isync", "eieio",
];

impl Normaliser<'_> {
    pub(super) fn assembly(&mut self, at: usize) -> usize {
        let mut open = at + 1;
        while self
            .tokens
            .get(open)
            .is_some_and(|token| token.kind == TokenKind::Identifier)
        {
            open += 1;
        }
        if !self.tokens.get(open).is_some_and(|token| token.is(b'(')) {
            self.emit(at);
            return at + 1;
        }
        let end = skip_group(self.tokens, open);
        if self.part == Part::Function && self.is_statement(at) {
            self.assembly_statement(at, open, end);
        }
        // Otherwise it gives a declaration its assembler name, which changes nothing here.
        end
    }

    fn is_statement(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        let previous = self.tokens[before];
        match previous.kind {
            TokenKind::Punctuation(b';' | b'{' | b'}' | b':') => true,
            TokenKind::Identifier => {
                matches!(previous.text(self.source), "else" | "do" | "__extension__")
            }
            TokenKind::Punctuation(b')') => {
                let header =
                    group_start(self.tokens, 0, before).and_then(|open| open.checked_sub(1));
                header.is_some_and(|word| {
                    matches!(
                        self.tokens[word].text(self.source),
                        "if" | "while" | "for" | "switch"
                    )
                })
            }
            _ => false,
        }
    }

    fn assembly_statement(&mut self, at: usize, open: usize, end: usize) {
        let sections = self.sections(open + 1, end - 1);
        let section = |index: usize| sections.get(index).copied().unwrap_or((end - 1, end - 1));
        let outputs = self.operands(section(1));
        let inputs = self.operands(section(2));
        let clobbers = section(3);
        let labels = section(4);
        let memory = self.tokens[clobbers.0..clobbers.1]
            .iter()
            .any(|token| token.text(self.source) == "\"memory\"");
        let jumps: Vec<Token> = self.tokens[labels.0..labels.1]
            .iter()
            .filter(|token| token.kind == TokenKind::Identifier)
            .copied()
            .collect();
        if !jumps.is_empty() {
            self.emit_text(at, "do {");
        }
        let touches_memory = memory || outputs.iter().any(|output| output.may_be_memory);
        let is_harmless = !touches_memory || self.only_orders(section(0));
        let mut flags = 0;
        if memory {
            flags |= ASSEMBLY_CLOBBERS;
        }
        if is_harmless && jumps.is_empty() {
            flags |= ASSEMBLY_IS_HARMLESS;
        }
        self.emit_text(at, ASSEMBLY);
        self.emit_text(at, &format!("( {flags}"));
        for output in &outputs {
            self.emit_text(at, ",");
            self.emit_text(at, ASSEMBLY_OUTPUT);
            self.emit_text(at, "(");
            self.run(output.start, output.end);
            self.emit_text(at, ")");
        }
        for input in outputs
            .iter()
            .filter(|output| output.read_too)
            .chain(&inputs)
        {
            self.emit_text(at, ",");
            self.run(input.start, input.end);
        }
        self.emit_text(at, ")");
        if !jumps.is_empty() {
            for label in jumps {
                let name = label.text(self.source);
                self.emit_text(at, &format!("; if ( {ANY} ( ) ) goto {name}"));
            }
            self.emit_text(at, "; } while ( 0 )");
        }
        self.previous = Some(self.tokens[end - 1]);
    }

    /// Whether the text of the assembly is empty, waits for a moment, or orders accesses.
    fn only_orders(&self, (start, end): (usize, usize)) -> bool {
        let strings = self.tokens[start..end].iter();
        let strings = strings.filter(|token| token.kind == TokenKind::String);
        let text: String = strings
            .map(|token| token.text(self.source).trim_matches('"'))
            .collect();
        let text = text.replace("\\n", ";").replace("\\t", " ");
        let mut instructions = text.split(';').map(str::trim);
        instructions.all(|instruction| {
            let name = instruction.split_whitespace().next().unwrap_or_default();
            ORDERING.contains(&name)
        })
    }

    /// The parts between the colons of the outermost level.
    fn sections(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut sections = Vec::new();
        let mut from = start;
        let mut at = start;
        while at < end {
            match self.tokens[at].kind {
                TokenKind::Punctuation(b':') => {
                    sections.push((from, at));
                    from = at + 1;
                    at += 1;
                }
                TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                    at = skip_group(self.tokens, at).min(end)
                }
                _ => at += 1,
            }
        }
        sections.push((from, end));
        sections
    }

    /// `[name] "constraint" (expression)`, separated by commas.
    fn operands(&self, (mut at, end): (usize, usize)) -> Vec<AssemblyOperand> {
        let mut operands = Vec::new();
        let mut read_too = false;
        let mut may_be_memory = false;
        while at < end {
            match self.tokens[at].kind {
                TokenKind::String => {
                    let constraint = self.tokens[at].text(self.source);
                    read_too |= constraint.contains('+');
                    may_be_memory |= constraint.contains(['m', 'o', 'V', 'g', 'Q', 'X']);
                    at += 1;
                }
                TokenKind::Punctuation(b'(') => {
                    let close = skip_group(self.tokens, at).min(end);
                    operands.push(AssemblyOperand {
                        start: at + 1,
                        end: close - 1,
                        read_too,
                        may_be_memory,
                    });
                    read_too = false;
                    may_be_memory = false;
                    at = close;
                }
                TokenKind::Punctuation(b'[') => at = skip_group(self.tokens, at).min(end),
                _ => at += 1,
            }
        }
        operands
    }
}
