//! Finds where a variable or a member is declared, from the tokens of the program's own files.

use crate::lsp::driver::Program;
use racelens_analysis::frontend::lex::{Token, TokenKind, lex, skip_group};
use racelens_analysis::host::SourceFile;
use std::path::PathBuf;
use std::sync::Arc;

/// A declaration of one thing.
pub struct Declaration {
    pub file: PathBuf,
    pub source: Arc<SourceFile>,
    /// The byte at which its type begins, behind `static` and the like.
    pub type_start: usize,
    /// The byte at which its name begins.
    pub name_start: usize,
    /// The byte behind its name, and behind its brackets if it is an array.
    pub declarator_end: usize,
    /// A `*` stands in front of the name.
    pub is_pointer: bool,
    /// Its type is a structure or a union, or it is an array or an atomic already.
    pub is_compound: bool,
}

/// Every declaration of what a race is about: `counter` is a variable, `cache.lookups` a member. Empty if there
/// are several members of that name, since then nobody knows which one is meant.
pub fn declarations(program: &Program<'_>, location: &str) -> Vec<Declaration> {
    let name = location.rsplit(['.', '>']).next().unwrap_or(location);
    let is_name = name.chars().all(|it| it.is_alphanumeric() || it == '_');
    if name.is_empty() || !is_name {
        return Vec::new();
    }
    let is_member = name != location;
    let mut found = Vec::new();
    for file in program.workspace.own_files() {
        let Some(source) = program.workspace.source(&file) else {
            continue;
        };
        found.extend(in_file(&file, &source, name, is_member));
    }
    if is_member && found.len() > 1 {
        return Vec::new();
    }
    found
}

fn in_file(
    file: &std::path::Path,
    source: &Arc<SourceFile>,
    name: &str,
    is_member: bool,
) -> Vec<Declaration> {
    let text = source.text();
    let tokens = lex(text);
    let mut found = Vec::new();
    let mut start = 0;
    let mut index = 0;
    // How many records surround the token. Bodies of functions are skipped.
    let mut depth = 0;
    while let Some(token) = tokens.get(index) {
        if token.is(b'{') {
            let is_record = tokens[start..index]
                .iter()
                .any(|token| matches!(token.text(text), "struct" | "union"));
            let is_body = index > 0 && tokens[index - 1].is(b')');
            if is_record && !is_body {
                depth += 1;
                index += 1;
            } else {
                index = skip_group(&tokens, index);
            }
            if is_body || is_record {
                start = index;
            }
            continue;
        }
        if token.is(b'}') {
            depth = usize::saturating_sub(depth, 1);
            // What follows declares variables of the record's type.
        } else if token.is(b';') {
            if (depth > 0) == is_member {
                let declaration = &tokens[start..index];
                found.extend(declared(file, source, declaration, name));
            }
            start = index + 1;
        }
        index += 1;
    }
    found
}

/// A declaration with one declarator, which is the name.
fn declared(
    file: &std::path::Path,
    source: &Arc<SourceFile>,
    tokens: &[Token],
    name: &str,
) -> Option<Declaration> {
    let text = source.text();
    let word = |token: &Token| token.text(text);
    let is_storage = |token: &&Token| {
        matches!(
            token.text(text),
            "static" | "extern" | "register" | "_Thread_local" | "__thread" | "thread_local"
        )
    };
    let storage = tokens.iter().take_while(is_storage).count();
    let first = tokens.get(storage)?;
    if first.kind != TokenKind::Identifier || matches!(word(first), "typedef" | "return") {
        return None;
    }
    let value = tokens.iter().position(|token| token.is(b'='));
    let declarator = &tokens[storage..value.unwrap_or(tokens.len())];
    let at = declarator.iter().rposition(|token| word(token) == name)?;
    let behind = &declarator[at + 1..];
    // Only brackets may follow, and only a type and stars may stand in front.
    let is_array = behind.first().is_some_and(|token| token.is(b'['));
    let is_plain = behind.is_empty() || (is_array && behind.last()?.is(b']'));
    let front = &declarator[..at];
    let is_type = |token: &Token| token.kind == TokenKind::Identifier || token.is(b'*');
    if at == 0 || !is_plain || !front.iter().all(is_type) {
        return None;
    }
    let is_compound = front
        .iter()
        .any(|token| matches!(word(token), "struct" | "union" | "_Atomic" | "const"));
    let is_pointer = front.last()?.is(b'*');
    Some(Declaration {
        file: file.to_owned(),
        source: source.clone(),
        type_start: first.start as usize,
        name_start: declarator[at].start as usize,
        declarator_end: declarator.last()?.end as usize,
        is_pointer,
        is_compound: (is_compound && !is_pointer) || is_array,
    })
}
