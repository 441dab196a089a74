//! Edits that bring functions into a program, or give them other names: what somebody does who writes a new function.

use crate::random::Random;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FunctionEdit {
    /// A function that nobody calls comes behind another one.
    Addition,
    /// A function comes behind another one, and the next function calls it.
    Extraction,
    /// A function has one letter more in its name, and its callers call the name that is gone.
    Name,
}

const NEW: &str =
    "static int edited_anew(int *value)\n{\n    *value = *value + 1;\n    return *value;\n}";

impl FunctionEdit {
    pub const ALL: [FunctionEdit; 3] = [
        FunctionEdit::Addition,
        FunctionEdit::Extraction,
        FunctionEdit::Name,
    ];

    pub fn word(self) -> &'static str {
        match self {
            FunctionEdit::Addition => "function",
            FunctionEdit::Extraction => "extraction",
            FunctionEdit::Name => "name",
        }
    }

    /// The text after such an edit of one of its functions; `None` if there is none for it.
    pub fn apply(self, text: &str, random: &mut Random) -> Option<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let heads: Vec<Head> = heads(&lines);
        if heads.is_empty() {
            return None;
        }
        let head = heads[random.below(heads.len())];
        match self {
            FunctionEdit::Addition => lines[head.line].insert_str(0, &format!("{NEW}\n")),
            FunctionEdit::Extraction => {
                let call = "{ int edited = 1; edited_anew(&edited); }";
                lines[head.body].push_str(&format!("\n{call}"));
                lines[head.line].insert_str(0, &format!("{NEW}\n"));
            }
            FunctionEdit::Name => lines[head.line].insert(head.name_end, 'x'),
        }
        Some(lines.join("\n") + "\n")
    }
}

/// Where a function with its head in one line begins.
#[derive(Clone, Copy)]
struct Head {
    line: usize,
    /// Behind its name.
    name_end: usize,
    /// The line with the brace.
    body: usize,
}

fn heads(lines: &[String]) -> Vec<Head> {
    let mut found = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        let (head, body) = match text.trim_end().strip_suffix('{') {
            Some(head) => (head.trim_end(), line),
            None => (text.trim_end(), line + 1),
        };
        let has_body = body == line || lines.get(body).is_some_and(|next| next.trim_end() == "{");
        let begins_type = head.starts_with(|first: char| first.is_ascii_alphabetic());
        // Macros that look like functions, and types on a line of their own, have no space in front of the name.
        let Some(name_end) = head.find('(').filter(|at| head[..*at].contains(' ')) else {
            continue;
        };
        let is_named = head[..name_end].ends_with(|last: char| last.is_ascii_alphanumeric());
        // Not in the midst of a declaration that began above.
        let stands_alone = line == 0 || {
            let before = lines[line - 1].trim_end();
            before.is_empty() || before.ends_with(['}', '/', ';'])
        };
        if has_body && begins_type && is_named && stands_alone && head.ends_with(')') {
            found.push(Head {
                line,
                name_end,
                body,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
struct s {
    int member;
};
static int f(int a)
{
    if (a) {
        return 1;
    }
    return a;
}

int g(int a) {
    return f(a);
}
";

    #[test]
    fn functions_come_in_front_of_others_and_get_other_names() {
        let mut seen = Vec::new();
        for seed in 0..8 {
            for edit in FunctionEdit::ALL {
                seen.push(edit.apply(TEXT, &mut Random::new(seed)).unwrap());
            }
        }
        for expected in [
            "static int fx(int a)\n{",
            "int gx(int a) {\n    return f(a);",
            "}\nint g(int a) {\n{ int edited = 1; edited_anew(&edited); }\n    return f(a);",
            "};\nstatic int edited_anew(int *value)\n{",
        ] {
            assert!(
                seen.iter().any(|text| text.contains(expected)),
                "{expected}"
            );
        }
        assert_eq!(
            FunctionEdit::Name.apply("int a;\n", &mut Random::new(1)),
            None
        );
    }
}
