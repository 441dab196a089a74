//! A table that names tests as its proof: each of them has to exist.

use super::Violation;

/// The tests that the rows of a section's table name in their last cell, with the line of each.
pub fn named_tests(page: &str, section: &str) -> Vec<(u32, String)> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for (index, line) in page.lines().enumerate() {
        if line.starts_with("## ") {
            is_inside = line == section;
        }
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').collect();
        if is_inside && line.starts_with('|') && cells.len() > 2 {
            let names = cells[cells.len() - 1].split('`').skip(1).step_by(2);
            found.extend(names.map(|name| (index as u32 + 1, name.to_owned())));
        }
    }
    found
}

/// Names that no source defines as a function or announces as a test.
pub fn missing_tests(named: &[(u32, String)], sources: &[&str]) -> Vec<Violation> {
    let exists = |name: &str| {
        let forms = [
            format!("fn {name}("),
            format!("def {name}("),
            format!("test(\"{name}\""),
        ];
        let mut sources = sources.iter();
        sources.any(|text| forms.iter().any(|form| text.contains(form.as_str())))
    };
    named
        .iter()
        .filter(|(_, name)| !exists(name))
        .map(|(line, name)| Violation::new(*line, format!("there is no test `{name}`")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_are_not_there_are_found() {
        let page = "## A\n| x | y `code` | `no` |\n## Trust\n| what | happens | test |\n|---|---|---|\n\
                    | a | b | `one`, `two words` |\n";
        let named = named_tests(page, "## Trust");
        assert_eq!(named, [(6, "one".to_owned()), (6, "two words".to_owned())]);
        assert_eq!(missing_tests(&named, &["fn one() {}"]).len(), 1);
        assert!(missing_tests(&named, &["fn one()", "test(\"two words\", "]).is_empty());
    }
}
