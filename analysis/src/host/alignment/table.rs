//! The cheapest way to explain the preprocessor's output by its source, by dynamic programming.

use super::{Origin, Tokens};
use crate::frontend::lex::{Token, TokenKind, skip_group};

/// What an explanation costs. The low bits count down for each argument inside its expansion.
type Cost = i64;

const UNIT: Cost = 1 << 24;
const MACRO: Cost = 40 * UNIT;
/// Each token of a macro's arguments: of macros inside each other, the inner ones explain better.
const ARGUMENT: Cost = 12 * UNIT;
/// An expansion that opens a bracket and does not close it, or the other way round.
const UNBALANCED: Cost = 50 * UNIT;
/// A name alone that expands to nothing: seldom more than a marker such as `__init`.
const EMPTY: Cost = 60 * UNIT;
/// An expansion that begins with the macro's own name: a function whose arguments have macros in
/// them looks like that too, and is far more common.
const SAME_NAME: Cost = 250 * UNIT;
/// A source token that is not in the output, or an output token that is not in the source.
const UNEXPLAINED: Cost = 300 * UNIT;
/// A source token in front of or behind all of the output, which may be only a part of the line.
const OUTSIDE: Cost = 120 * UNIT;

/// Source tokens that may be a macro's use.
struct Use {
    first: usize,
    end: usize,
    /// For each output token: how many up to there occur in the arguments.
    arguments_before: Vec<Cost>,
    /// The cost of what follows, by where in the output the expansion goes on.
    balanced: Vec<Cost>,
    unbalanced: Vec<Cost>,
    /// The same for an expansion that begins there.
    start: Vec<Cost>,
}

/// The cheapest explanation of every pair of a rest of the source and a rest of the output.
pub(super) struct Table<'t> {
    output: Tokens<'t>,
    source: Tokens<'t>,
    best: Vec<Cost>,
    uses: Vec<Use>,
    /// Where an output token's bracket group ends; `None` for a closing bracket.
    group_ends: Vec<Option<usize>>,
}

impl<'t> Table<'t> {
    pub fn new(output: Tokens<'t>, source: Tokens<'t>) -> Table<'t> {
        let mut table = Table {
            output,
            source,
            best: vec![0; (source.len() + 1) * (output.len() + 1)],
            uses: Vec::new(),
            group_ends: (0..output.len())
                .map(|at| group_end(output.tokens, at))
                .collect(),
        };
        for row in (0..=source.len()).rev() {
            table.fill(row);
        }
        table
    }

    fn at(&self, row: usize, column: usize) -> Cost {
        self.best[row * (self.output.len() + 1) + column]
    }

    fn fill(&mut self, row: usize) {
        let new_uses = self.uses_at(row);
        for column in (0..=self.output.len()).rev() {
            let mut best = Cost::MAX;
            if row == self.source.len() && column == self.output.len() {
                best = 0;
            }
            if column < self.output.len() {
                best = best.min(UNEXPLAINED + self.at(row, column + 1));
            }
            if row < self.source.len() {
                best = best.min(self.skip_cost(column) + self.at(row + 1, column));
                if column < self.output.len() && self.matches(row, column) {
                    best = best.min(self.at(row + 1, column + 1));
                }
            }
            for usage in &new_uses {
                best = best.min(self.use_cost(usage, column) + usage.start[column]);
            }
            self.best[row * (self.output.len() + 1) + column] = best;
        }
        self.uses.extend(new_uses);
    }

    fn matches(&self, row: usize, column: usize) -> bool {
        self.source.get(row) == self.output.get(column)
    }

    /// What it costs to take source tokens for a macro whose expansion begins at `column`.
    fn use_cost(&self, usage: &Use, column: usize) -> Cost {
        let arguments = (usage.end - usage.first - 1) as Cost;
        let has_same_name = column < self.output.len() && self.matches(usage.first, column);
        MACRO + ARGUMENT * arguments + if has_same_name { SAME_NAME } else { 0 }
    }

    fn skip_cost(&self, column: usize) -> Cost {
        if column == 0 || column == self.output.len() {
            OUTSIDE
        } else {
            UNEXPLAINED
        }
    }

    fn uses_at(&self, row: usize) -> Vec<Use> {
        if row >= self.source.len() || !self.source.is_name(row) {
            return Vec::new();
        }
        let mut ends = vec![row + 1];
        let has_arguments = self
            .source
            .tokens
            .get(row + 1)
            .is_some_and(|next| next.is(b'('));
        if has_arguments {
            ends.push(skip_group(self.source.tokens, row + 1).min(self.source.len()));
        }
        ends.into_iter().map(|end| self.usage(row, end)).collect()
    }

    fn usage(&self, first: usize, end: usize) -> Use {
        let length = self.output.len();
        let mut arguments_before = vec![0; length + 1];
        for column in 0..length {
            let is_argument = self.output.is_name(column)
                && (first + 1..end)
                    .any(|row| self.source.is_name(row) && self.matches(row, column));
            arguments_before[column + 1] = arguments_before[column] + Cost::from(is_argument);
        }
        let mut usage = Use {
            first,
            end,
            arguments_before,
            balanced: vec![0; length + 1],
            unbalanced: vec![0; length + 1],
            start: vec![0; length + 1],
        };
        let empty = if end == first + 1 { EMPTY } else { 0 };
        for column in (0..=length).rev() {
            let leave = self.at(end, column);
            let mut start = leave + empty;
            let mut unbalanced = leave;
            let mut balanced = leave;
            if column < length {
                let onwards = usage.unbalanced[column + 1] - usage.arguments(column, column + 1);
                unbalanced = unbalanced.min(onwards);
                start = start.min(UNBALANCED + onwards);
            }
            if let Some(Some(next)) = self.group_ends.get(column).copied() {
                let onwards = usage.balanced[next] - usage.arguments(column, next);
                balanced = balanced.min(onwards);
                start = start.min(onwards);
            }
            usage.start[column] = start;
            usage.unbalanced[column] = unbalanced;
            usage.balanced[column] = balanced;
        }
        usage
    }

    /// Walks along the cheapest explanation. Says as well how many tokens it leaves unexplained.
    pub fn trace(&self) -> (Vec<Origin>, usize) {
        let mut origins = vec![Origin::Unknown; self.output.len()];
        let (mut unexplained, mut outside) = (0, 0);
        let (mut row, mut column) = (0, 0);
        while row < self.source.len() || column < self.output.len() {
            let cost = self.at(row, column);
            let in_both = row < self.source.len() && column < self.output.len();
            if in_both && self.matches(row, column) && cost == self.at(row + 1, column + 1) {
                origins[column] = Origin::Token(row);
                (row, column) = (row + 1, column + 1);
                continue;
            }
            let usage = self.uses.iter().find(|usage| {
                usage.first == row && cost == self.use_cost(usage, column) + usage.start[column]
            });
            if let Some(usage) = usage {
                let end = self.expansion_end(usage, column);
                origins[column..end].fill(Origin::Macro {
                    first: usage.first,
                    end: usage.end,
                });
                (row, column) = (usage.end, end);
                continue;
            }
            if row < self.source.len() && cost == self.skip_cost(column) + self.at(row + 1, column)
            {
                if column == 0 || column == self.output.len() {
                    outside += 1;
                } else {
                    unexplained += 1;
                }
                row += 1;
            } else {
                unexplained += 1;
                column += 1;
            }
        }
        // A part of a line is recognised by what it shares with the line.
        if !origins
            .iter()
            .any(|origin| matches!(origin, Origin::Token(_)))
        {
            unexplained += outside;
        }
        (origins, unexplained)
    }

    /// Where in the output the expansion that begins at `column` ends.
    fn expansion_end(&self, usage: &Use, column: usize) -> usize {
        let start = usage.start[column];
        let empty = if usage.end == usage.first + 1 {
            EMPTY
        } else {
            0
        };
        if start == self.at(usage.end, column) + empty {
            return column;
        }
        let balanced_next = self.group_ends[column]
            .filter(|&next| start == usage.balanced[next] - usage.arguments(column, next));
        let mut at = balanced_next.unwrap_or(column + 1);
        while at < self.output.len() {
            let (cost, next) = match balanced_next {
                Some(_) => (usage.balanced[at], self.group_ends[at]),
                None => (usage.unbalanced[at], Some(at + 1)),
            };
            match next {
                Some(next) if cost != self.at(usage.end, at) => at = next,
                _ => break,
            }
        }
        at
    }
}

impl Use {
    fn arguments(&self, from: usize, to: usize) -> Cost {
        self.arguments_before[to] - self.arguments_before[from]
    }
}

/// The index behind the bracket group that opens at `at`, or behind the single token there.
fn group_end(tokens: &[Token], at: usize) -> Option<usize> {
    match tokens[at].kind {
        TokenKind::Punctuation(b'(' | b'[' | b'{') => Some(skip_group(tokens, at)).filter(|&end| {
            matches!(
                tokens[end - 1].kind,
                TokenKind::Punctuation(b')' | b']' | b'}')
            )
        }),
        TokenKind::Punctuation(b')' | b']' | b'}') => None,
        _ => Some(at + 1),
    }
}
