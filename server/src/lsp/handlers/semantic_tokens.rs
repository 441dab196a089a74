//! `textDocument/semanticTokens/full`: variables that several threads reach, and those of them that race.

use crate::lsp::driver::View;
use std::path::Path;
use tower_lsp::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens,
    SemanticTokensFullOptions, SemanticTokensLegend, SemanticTokensOptions,
};

/// By their numbers in the legend.
const SHARED: u32 = 1 << 0;
const RACING: u32 = 1 << 1;
const WRITTEN: u32 = 1 << 2;

pub fn options() -> SemanticTokensOptions {
    SemanticTokensOptions {
        legend: SemanticTokensLegend {
            token_types: vec![SemanticTokenType::VARIABLE],
            token_modifiers: vec![
                SemanticTokenModifier::new("shared"),
                SemanticTokenModifier::new("racing"),
                SemanticTokenModifier::MODIFICATION,
            ],
        },
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..SemanticTokensOptions::default()
    }
}

pub fn tokens(view: &View<'_>, file: &Path) -> SemanticTokens {
    let mut tokens = SemanticTokens::default();
    let Some((program, name)) = view.program_of(file) else {
        return tokens;
    };
    if !view.settings.semantic_highlighting {
        return tokens;
    }
    let accesses = program.check.shared_accesses(program.workspace, &name);
    // Where the last one began, and where it ended.
    let (mut line, mut start, mut end) = (0, 0, 0);
    for access in accesses {
        let range = program.range(&access.place, access.length);
        if range.start.line != line {
            (start, end) = (0, 0);
        }
        // Accesses of one line may contain each other: the first one wins.
        if range.start.character < end {
            continue;
        }
        let mut modifiers = SHARED;
        if access.races {
            modifiers |= RACING;
        }
        if access.kind.writes() {
            modifiers |= WRITTEN;
        }
        tokens.data.push(SemanticToken {
            delta_line: range.start.line - line,
            delta_start: range.start.character - start,
            length: range.end.character - range.start.character,
            token_type: 0,
            token_modifiers_bitset: modifiers,
        });
        (line, start, end) = (range.start.line, range.start.character, range.end.character);
    }
    tokens
}
