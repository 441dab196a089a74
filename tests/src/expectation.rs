//! Parses one expectation comment of a fixture: `//~ w: race(r); locks{m}`.

use std::collections::BTreeSet;

/// What one line of a fixture states about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineExpectation {
    /// The name by which races elsewhere in the program refer to this line.
    pub label: Option<String>,
    pub races: Vec<RaceClause>,
    /// The locks held here, one set per calling context; empty when the fixture leaves them open.
    pub locks: Vec<LockSet>,
    /// Why this line cannot race, if the fixture says so.
    pub no_race: Option<String>,
}

/// Lock names as the user wrote them; a lock held in shared mode is `shared name`.
pub type LockSet = BTreeSet<String>;

/// One partner of a race and what the fixture says about the pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceClause {
    pub partner: Partner,
    pub verdict: Verdict,
    /// Why no run under ThreadSanitizer can show the pair, if the fixture says so.
    pub unconfirmed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partner {
    /// Two threads in the same line.
    SameLine,
    Label(String),
}

/// The truth about a pair of lines together with today's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// A race that is reported.
    Race,
    /// No race, but one is reported today.
    Spurious,
    /// A race that is not reported today.
    Missed,
}

impl Verdict {
    /// Whether the two lines really race, whatever is reported.
    pub fn is_a_race(self) -> bool {
        self != Verdict::Spurious
    }

    pub fn word(self) -> &'static str {
        match self {
            Verdict::Race => "race",
            Verdict::Spurious => "spurious",
            Verdict::Missed => "missed",
        }
    }
}

/// The expectation that a line of C carries, if it carries one.
pub fn line_expectation(line: &str) -> Result<Option<LineExpectation>, String> {
    let Some((_, comment)) = line.split_once("//~") else {
        if line.contains("// ~") {
            return Err(
                "an expectation starts with `//~`, without a space before the tilde".into(),
            );
        }
        return Ok(None);
    };
    parse_comment(comment.trim()).map(Some)
}

/// Brings a lock's name to one spelling, so that `p -> lock` and `p->lock` are the same.
pub fn lock_name(written: &str) -> String {
    let mut name = String::new();
    for word in written.split_whitespace() {
        let both_are_words = name.ends_with(is_word) && word.starts_with(is_word);
        if both_are_words {
            name.push(' ');
        }
        name.push_str(word);
    }
    name
}

fn parse_comment(comment: &str) -> Result<LineExpectation, String> {
    if comment.is_empty() {
        return Err("an empty expectation: write a label or a clause".into());
    }
    let mut expectation = LineExpectation::default();
    let mut rest = comment;
    if let Some((name, after)) = leading_label(comment) {
        if name == "self" {
            return Err("`self` cannot be a label: in `race(self)` it means the same line".into());
        }
        expectation.label = Some(name.to_owned());
        rest = after;
    }
    for clause in rest.split(';').map(str::trim) {
        if !clause.is_empty() {
            parse_clause(clause, &mut expectation)?;
        }
    }
    let races = |clause: &RaceClause| clause.verdict.is_a_race();
    if expectation.no_race.is_some() && expectation.races.iter().any(races) {
        return Err("the line says `no-race` and names a race".into());
    }
    Ok(expectation)
}

/// `w: …` names a line, but the words that open a clause are no names.
fn leading_label(comment: &str) -> Option<(&str, &str)> {
    let (name, after) = comment.split_once(':')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(is_word);
    let opens_a_clause = matches!(name, "missed" | "spurious");
    (is_name && !opens_a_clause).then_some((name, after))
}

fn parse_clause(clause: &str, expectation: &mut LineExpectation) -> Result<(), String> {
    if clause.starts_with("race") {
        return parse_races(clause, Verdict::Race, expectation);
    }
    if let Some(races) = clause.strip_prefix("missed:") {
        return parse_wrong_answer(races, Verdict::Missed, expectation);
    }
    if let Some(races) = clause.strip_prefix("spurious:") {
        return parse_wrong_answer(races, Verdict::Spurious, expectation);
    }
    if let Some(rest) = clause.strip_prefix("no-race") {
        expectation.no_race = Some(reason(rest, "no-race")?);
        return Ok(());
    }
    if let Some(rest) = clause.strip_prefix("locks") {
        expectation.locks.push(parse_locks(rest.trim())?);
        return Ok(());
    }
    Err(format!(
        "unknown clause `{clause}`: write race(…), locks{{…}}, no-race -- reason, \
         missed: race(…) -- reason or spurious: race(…) -- reason"
    ))
}

fn parse_wrong_answer(
    clause: &str,
    verdict: Verdict,
    expectation: &mut LineExpectation,
) -> Result<(), String> {
    let (races, why) = clause.split_once(" -- ").unwrap_or((clause, ""));
    if why.trim().is_empty() {
        return Err(format!(
            "`{}` needs a reason: `{}: race(…) -- reason`",
            verdict.word(),
            verdict.word()
        ));
    }
    parse_races(races.trim(), verdict, expectation)
}

/// `race(a, b) race(c)`, each with an optional `(unconfirmed -- reason)` behind it.
fn parse_races(
    clause: &str,
    verdict: Verdict,
    expectation: &mut LineExpectation,
) -> Result<(), String> {
    let mut rest = clause;
    while !rest.is_empty() {
        let (partners, after) = rest
            .strip_prefix("race")
            .and_then(|after| parenthesised(after.trim_start()))
            .ok_or_else(|| format!("expected `race(label)`, found `{rest}`"))?;
        rest = after.trim_start();
        let mut unconfirmed = None;
        if rest.starts_with("(unconfirmed") {
            let (note, after) = parenthesised(rest)
                .ok_or_else(|| "`(unconfirmed -- reason)` is not closed".to_owned())?;
            let note = note.trim_start_matches("unconfirmed");
            unconfirmed = Some(reason(note, "unconfirmed")?);
            rest = after.trim_start();
        }
        for partner in partners.split(',').map(str::trim) {
            expectation.races.push(RaceClause {
                partner: parse_partner(partner)?,
                verdict,
                unconfirmed: unconfirmed.clone(),
            });
        }
    }
    Ok(())
}

fn parse_partner(name: &str) -> Result<Partner, String> {
    if name == "self" {
        Ok(Partner::SameLine)
    } else if !name.is_empty() && name.chars().all(is_word) {
        Ok(Partner::Label(name.to_owned()))
    } else {
        Err(format!("`{name}` is not a label"))
    }
}

fn parse_locks(written: &str) -> Result<LockSet, String> {
    let names = written
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .ok_or_else(|| format!("expected `locks{{a, b}}`, found `locks{written}`"))?;
    let mut locks = LockSet::new();
    for name in split_at_outer_commas(names) {
        let name = lock_name(name);
        if name.is_empty() {
            if names.trim().is_empty() {
                break;
            }
            return Err("an empty name between the commas of `locks{…}`".into());
        }
        if !locks.insert(name.clone()) {
            return Err(format!("`{name}` stands twice in `locks{{…}}`"));
        }
    }
    Ok(locks)
}

/// A comma inside `lock_of(a, b)` belongs to the name.
fn split_at_outer_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn parenthesised(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('(')?.split_once(')')
}

fn reason(text: &str, of: &str) -> Result<String, String> {
    match text.trim().strip_prefix("--").map(str::trim) {
        Some(why) if !why.is_empty() => Ok(why.to_owned()),
        _ => Err(format!("`{of}` needs a reason: `{of} -- reason`")),
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> LineExpectation {
        line_expectation(line).unwrap().unwrap()
    }

    fn error(line: &str) -> String {
        line_expectation(line).unwrap_err()
    }

    fn race(partner: &str, verdict: Verdict) -> RaceClause {
        let partner = match partner {
            "self" => Partner::SameLine,
            label => Partner::Label(label.into()),
        };
        RaceClause {
            partner,
            verdict,
            unconfirmed: None,
        }
    }

    fn locks(names: &[&str]) -> LockSet {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn a_line_without_a_comment_expects_nothing() {
        assert_eq!(line_expectation("x = 1; // plain"), Ok(None));
    }

    #[test]
    fn a_label_a_race_and_locks_are_read() {
        let line = parsed("x++; //~ w: race(r); locks{m, p->lock}");
        assert_eq!(line.label.as_deref(), Some("w"));
        assert_eq!(line.races, [race("r", Verdict::Race)]);
        assert_eq!(line.locks, [locks(&["m", "p->lock"])]);
    }

    #[test]
    fn several_races_may_be_separate_or_in_one_pair_of_parentheses() {
        let names = ["a", "b", "self"].map(|name| race(name, Verdict::Race));
        assert_eq!(parsed("//~ race(a) race(b) race(self)").races, names);
        assert_eq!(parsed("//~ race(a, b, self)").races, names);
        assert_eq!(parsed("//~ race(a); race(b, self)").races, names);
    }

    #[test]
    fn a_pure_label_has_no_clause() {
        let line = parsed("//~ r:");
        assert_eq!(line.label.as_deref(), Some("r"));
        assert!(line.races.is_empty() && line.locks.is_empty());
    }

    #[test]
    fn empty_braces_mean_no_lock_and_a_missing_clause_means_unsaid() {
        assert_eq!(parsed("//~ r: locks{}").locks, [LockSet::new()]);
        assert_eq!(parsed("//~ r: race(w)").locks, Vec::<LockSet>::new());
    }

    #[test]
    fn two_calling_contexts_may_hold_different_locks() {
        let line = parsed("//~ r: locks{m}; locks{}");
        assert_eq!(line.locks, [locks(&["m"]), LockSet::new()]);
    }

    #[test]
    fn lock_names_have_one_spelling() {
        assert_eq!(
            parsed("//~ locks{ p -> lock }").locks,
            [locks(&["p->lock"])]
        );
        let nested = parsed("//~ locks{locks[h(a, b)], shared  table}");
        assert_eq!(nested.locks, [locks(&["locks[h(a,b)]", "shared table"])]);
    }

    #[test]
    fn wrong_answers_of_today_carry_a_reason() {
        let line = parsed("//~ w: missed: race(r) -- no alias; spurious: race(s) -- barrier");
        let expected = [race("r", Verdict::Missed), race("s", Verdict::Spurious)];
        assert_eq!(line.races, expected);
        assert!(error("//~ w: missed: race(r)").contains("needs a reason"));
        assert!(error("//~ spurious: race(r) -- ").contains("needs a reason"));
        assert!(error("//~ no-race").contains("needs a reason"));
    }

    #[test]
    fn a_race_that_no_run_shows_says_why() {
        let line = parsed("//~ w: race(r) (unconfirmed -- needs a signal) race(s)");
        assert_eq!(line.races[0].unconfirmed.as_deref(), Some("needs a signal"));
        assert_eq!(line.races[1].unconfirmed, None);
        assert!(error("//~ race(r) (unconfirmed)").contains("needs a reason"));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(error("//~").contains("empty expectation"));
        assert!(error("// ~ w: race(r)").contains("without a space"));
        assert!(error("//~ w: races with r").contains("expected `race(label)`"));
        assert!(error("//~ w: benign").contains("unknown clause `benign`"));
        assert!(error("//~ w: race()").contains("not a label"));
        assert!(error("//~ w: race(r").contains("expected `race(label)`"));
        assert!(error("//~ w: locks{m").contains("expected `locks{a, b}`"));
        assert!(error("//~ w: locks{m, }").contains("empty name"));
        assert!(error("//~ w: locks{m, m}").contains("stands twice"));
        assert!(error("//~ self: race(r)").contains("cannot be a label"));
        assert!(error("//~ w: no-race -- x; race(r)").contains("names a race"));
    }
}
