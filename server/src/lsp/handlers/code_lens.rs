//! `textDocument/codeLens`: over each function, which threads run it. What it says is found when it is shown.

use crate::lsp::driver::View;
use crate::report::{FunctionPlace, Thread};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tower_lsp::ls_types::{CodeLens, Command, Position};

/// A command of the editor's extension. A client that does not know it shows the words all the same.
const SHOW: &str = "racelens.explain";

pub fn lenses(view: &View<'_>, file: &Path) -> Vec<CodeLens> {
    if !view.settings.code_lens {
        return Vec::new();
    }
    let Some((program, name)) = view.program_of(file) else {
        return Vec::new();
    };
    let functions = program.check.functions_in(program.workspace, &name);
    let functions = functions
        .into_iter()
        .filter(|function| function.place.path == name);
    functions
        .map(|function| CodeLens {
            range: program.range(&function.place, function.name.chars().count() as u32),
            command: None,
            data: Some(json!({ "file": file, "function": function.name })),
        })
        .collect()
}

/// The file and the function of a lens.
pub fn subject(lens: &CodeLens) -> Option<(PathBuf, String)> {
    let data = lens.data.as_ref()?;
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    Some((PathBuf::from(text("file")?), text("function")?.to_owned()))
}

pub fn resolve(view: &View<'_>, file: &Path, function: &str, lens: CodeLens) -> CodeLens {
    let found = view.program_of(file).and_then(|(program, name)| {
        let functions = program.check.functions_in(program.workspace, &name);
        let mut functions = functions.into_iter();
        functions.find(|it| it.name == function && it.place.path == name)
    });
    let title = match &found {
        Some(found) => title(found),
        None => "this function is gone".to_owned(),
    };
    let position: Position = lens.range.start;
    let uri = view.uri(file).map(|uri| uri.as_str().to_owned());
    CodeLens {
        command: Some(Command {
            title,
            command: SHOW.to_owned(),
            arguments: Some(vec![json!(uri), json!(position)]),
        }),
        ..lens
    }
}

fn title(function: &FunctionPlace) -> String {
    if function.threads.is_empty() {
        return "no known thread runs this".to_owned();
    }
    let mut names: Vec<String> = Vec::new();
    for thread in &function.threads {
        let name = named(thread);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let several = names.len() > 1;
    let noun = if several { "threads" } else { "thread" };
    format!("{noun}: {}", names.join(", "))
}

fn named(thread: &Thread) -> String {
    if thread.many {
        format!("{} (several)", thread.name)
    } else {
        thread.name.clone()
    }
}
