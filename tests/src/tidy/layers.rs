//! The layers of a crate point one way: a layer uses only those before it.

use super::Violation;
use super::paths::named_paths;

/// The top-level modules of the analysis in order. Those in one row may use each other.
pub const LAYERS: Layers = &[
    &["stop"],
    &["stages"],
    &["shared_list"],
    &["ir"],
    &["frontend"],
    &["dataflow"],
    &["branches"],
    &["models"],
    &["points_to"],
    &["symexec"],
    &["locksets"],
    &["forks"],
    &["ownership"],
    &["signals"],
    &["references"],
    &["callgraph"],
    &["summaries"],
    &["accesses"],
    &["threads"],
    &["races"],
    &["contracts"],
    &["kiss"],
    &["diagnostics"],
    &["db", "input", "host", "lib"],
];

/// The top-level modules of the server in order.
pub const SERVER_LAYERS: Layers = &[
    &["internal_error"],
    &["process_memory"],
    &["store"],
    &["project"],
    &["models"],
    &["suppression"],
    &["workspace"],
    &["race_options"],
    &["report"],
    &["races"],
    &["recall"],
    &["sequential"],
    &["replay"],
    &["lsp"],
    &["cli"],
    &["lib", "main"],
];

/// Rows of modules. Those in one row may use each other.
pub type Layers = &'static [&'static [&'static str]];

/// `path` is relative to the crate's source folder: `frontend/parse.rs`, `lib.rs`.
pub fn upward_uses(layers: Layers, path: &str, text: &str) -> Vec<Violation> {
    let row = |module: &str| layers.iter().position(|modules| modules.contains(&module));
    let module_path = module_path(path);
    let own = module_path.first().copied().unwrap_or("lib");
    let Some(own_row) = row(own) else {
        return vec![Violation::new(
            1,
            format!("`{own}` is missing from the table of layers"),
        )];
    };
    let mut violations = Vec::new();
    for named in named_paths(text) {
        let depth = module_path.len() + named.inline_modules;
        let Some(used) = top_level_module(&named.segments, depth) else {
            continue;
        };
        if row(used).is_some_and(|used_row| used_row > own_row) {
            let message = format!("`{own}` uses `{used}`, which is a later layer");
            violations.push(Violation::new(named.line, message));
        }
    }
    violations
}

/// `frontend/parse.rs` is the module `frontend::parse`, and `lib.rs` is the root.
fn module_path(path: &str) -> Vec<&str> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut modules: Vec<&str> = path.split('/').collect();
    if matches!(modules.last(), Some(&("mod" | "lib" | "main"))) {
        modules.pop();
    }
    modules
}

/// The top-level module that a path leads to through `crate`, or through enough times `super`.
fn top_level_module<'a>(segments: &[&'a str], depth: usize) -> Option<&'a str> {
    if let ["crate", module, ..] = segments {
        return Some(module);
    }
    let steps_up = segments
        .iter()
        .take_while(|segment| **segment == "super")
        .count();
    let reaches_the_root = steps_up > 0 && steps_up >= depth;
    reaches_the_root.then(|| segments.get(steps_up).copied())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        let violations = upward_uses(LAYERS, path, text);
        violations
            .into_iter()
            .map(|violation| violation.message)
            .collect()
    }

    #[test]
    fn a_later_layer_is_found_however_it_is_named() {
        let expected = ["`frontend` uses `races`, which is a later layer"];
        for text in [
            "use crate::races::Race;",
            "use crate::{ir::Span, races};",
            "fn f() -> crate::races::Race {}",
            "use super::super::races::Race;",
            "mod tests { use super::super::super::races::Race; }",
        ] {
            assert_eq!(messages("frontend/parse.rs", text), expected, "{text}");
        }
        assert_eq!(messages("frontend/mod.rs", "use super::races;"), expected);
        assert_eq!(messages("frontend.rs", "use super::races;"), expected);
    }

    #[test]
    fn earlier_layers_and_the_own_one_may_be_used() {
        for text in [
            "use crate::frontend::Span;",
            "use crate::ir::Place;",
            "use super::place::Place;",
            "mod tests { use super::*; }",
            "// use crate::races::Race;",
            "use salsa::races;",
        ] {
            assert!(messages("frontend/parse.rs", text).is_empty(), "{text}");
        }
        assert!(messages("lib.rs", "use crate::races::Race;").is_empty());
        assert!(messages("db.rs", "use crate::input::File;").is_empty());
    }

    #[test]
    fn a_module_outside_the_table_is_found() {
        let expected = ["`helpers` is missing from the table of layers"];
        assert_eq!(messages("helpers/mod.rs", ""), expected);
        assert_eq!(messages("helpers.rs", ""), expected);
    }

    #[test]
    fn no_layer_stands_in_the_table_twice() {
        for layers in [LAYERS, SERVER_LAYERS] {
            let all: Vec<&str> = layers.iter().flat_map(|row| row.iter().copied()).collect();
            let distinct: std::collections::BTreeSet<&str> = all.iter().copied().collect();
            assert_eq!(all.len(), distinct.len());
        }
    }
}
