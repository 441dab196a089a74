//! Marks expressions in the text of a source file.

use super::schedule::Site;

/// How an expression is marked. The later ones are for expressions that are no places in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    Place,
    First,
    Not,
}

impl Mark {
    pub fn first_for(site: &Site) -> Mark {
        let assigns = site
            .text
            .replace("==", "")
            .replace("<=", "")
            .replace(">=", "")
            .replace("!=", "");
        let changes = assigns.contains('=') || assigns.contains("++") || assigns.contains("--");
        if site.is_call || changes {
            Mark::First
        } else {
            Mark::Place
        }
    }

    /// What is tried when the compiler does not take it.
    pub fn weaker(self) -> Mark {
        match self {
            Mark::Place => Mark::First,
            Mark::First | Mark::Not => Mark::Not,
        }
    }
}

/// The text with its marks. Lines stay lines.
pub fn marked(text: &str, marks: &[(usize, &Site, Mark)]) -> String {
    let mut insertions: Vec<(u32, usize, bool, usize, String)> = Vec::new();
    let lines: Vec<&str> = text.split('\n').collect();
    for (number, site, mark) in marks {
        let Some(line) = lines.get(site.line as usize - 1) else {
            continue;
        };
        let begins: usize = line
            .chars()
            .take(site.column as usize - 1)
            .map(char::len_utf8)
            .sum();
        let ends = begins + site.text.len();
        if *mark == Mark::Not || line.get(begins..ends) != Some(site.text.as_str()) {
            continue;
        }
        // No macros: the compiler has to say in which line of the file something is wrong.
        let (before, after) = match mark {
            Mark::Place => (format!("(*(racelens_step({number}), &("), ")))"),
            _ => (format!("(racelens_step({number}), ("), "))"),
        };
        let length = site.text.len();
        insertions.push((site.line, begins, true, length, before));
        insertions.push((site.line, ends, false, length, after.to_owned()));
    }
    // What ends comes before what begins; the longer one begins first and ends last.
    insertions.sort_by_key(|(line, at, begins, length, _)| {
        let length = *length as isize;
        (*line, *at, *begins, if *begins { -length } else { length })
    });
    let mut marked = String::with_capacity(text.len() + 64 * insertions.len());
    let mut next = insertions.into_iter().peekable();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            marked.push('\n');
        }
        let mut done = 0;
        while let Some((_, at, _, _, inserted)) = next.next_if(|it| it.0 as usize == index + 1) {
            marked.push_str(&line[done..at]);
            marked.push_str(&inserted);
            done = at;
        }
        marked.push_str(&line[done..]);
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(line: u32, column: u32, text: &str) -> Site {
        Site {
            file: "a.c".into(),
            line,
            column,
            text: text.to_owned(),
            is_call: text.ends_with(')'),
        }
    }

    #[test]
    fn expressions_are_marked_where_they_stand_and_may_stand_in_each_other() {
        let text = "int x;\nf(g->n, x);\n";
        let (call, member, number) = (
            site(2, 1, "f(g->n, x)"),
            site(2, 3, "g->n"),
            site(2, 9, "x"),
        );
        let all = [&call, &member, &number];
        let marks: Vec<_> = all
            .iter()
            .enumerate()
            .map(|(at, site)| (at, *site, Mark::first_for(site)))
            .collect();
        assert_eq!(
            marked(text, &marks),
            "int x;\n(racelens_step(0), (f((*(racelens_step(1), &(g->n))), (*(racelens_step(2), &(x))))));\n"
        );
    }

    #[test]
    fn what_does_not_stand_there_is_not_marked() {
        let moved = site(1, 2, "x");
        assert_eq!(marked("x = 1;", &[(0, &moved, Mark::Place)]), "x = 1;");
    }

    #[test]
    fn assignments_are_no_places() {
        assert_eq!(Mark::first_for(&site(1, 1, "x = 1")), Mark::First);
        assert_eq!(Mark::first_for(&site(1, 1, "x++")), Mark::First);
        assert_eq!(Mark::first_for(&site(1, 1, "a[i == 1]")), Mark::Place);
    }
}
