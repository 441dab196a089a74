//! The call hierarchy, with calls through pointers resolved and the threads of each function beside it.

use super::hover::word_at;
use crate::lsp::driver::{Program, View};
use crate::lsp::file_uri;
use crate::report::{CallSite, FunctionPlace};
use serde_json::json;
use std::path::{Path, PathBuf};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Position, Range,
    SymbolKind,
};

/// The function that is named at a position, wherever it is defined.
pub fn prepare(view: &View<'_>, file: &Path, position: Position) -> Option<Vec<CallHierarchyItem>> {
    let (program, name) = view.program_of(file)?;
    let place = program.place(&name, position)?;
    let (word, _) = word_at(&program, &place)?;
    let insight = program
        .check
        .insight(program.workspace, &place, Some(&word));
    let function = insight.function?;
    let function = FunctionPlace {
        name: function.name,
        place: function.place,
        threads: function.threads,
    };
    Some(vec![item(&program, &function)?])
}

pub fn incoming(view: &View<'_>, asked: &CallHierarchyItem) -> Vec<CallHierarchyIncomingCall> {
    let Some((program, calls)) = calls(view, asked, true) else {
        return Vec::new();
    };
    let calls = calls.iter().filter_map(|call| {
        Some(CallHierarchyIncomingCall {
            from: item(&program, &call.function)?,
            from_ranges: ranges(&program, call),
        })
    });
    calls.collect()
}

pub fn outgoing(view: &View<'_>, asked: &CallHierarchyItem) -> Vec<CallHierarchyOutgoingCall> {
    let Some((program, calls)) = calls(view, asked, false) else {
        return Vec::new();
    };
    let calls = calls.iter().filter_map(|call| {
        Some(CallHierarchyOutgoingCall {
            to: item(&program, &call.function)?,
            from_ranges: ranges(&program, call),
        })
    });
    calls.collect()
}

/// The file of an item.
pub fn file(item: &CallHierarchyItem) -> Option<PathBuf> {
    file_uri::to_path(&item.uri)
}

fn calls<'v>(
    view: &'v View<'v>,
    asked: &CallHierarchyItem,
    callers: bool,
) -> Option<(Program<'v>, Vec<CallSite>)> {
    let (program, name) = view.program_of(&file(asked)?)?;
    let calls = program
        .check
        .calls(program.workspace, &name, &asked.name, callers);
    Some((program, calls))
}

fn item(program: &Program<'_>, function: &FunctionPlace) -> Option<CallHierarchyItem> {
    let length = function.name.chars().count() as u32;
    let location = program.location(&function.place, length)?;
    let mut threads: Vec<&str> = function.threads.iter().map(|it| it.name.as_str()).collect();
    threads.dedup();
    let detail = (!threads.is_empty()).then(|| format!("runs in {}", threads.join(", ")));
    Some(CallHierarchyItem {
        name: function.name.clone(),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail,
        uri: location.uri,
        range: location.range,
        selection_range: location.range,
        data: Some(json!({ "function": function.name })),
    })
}

fn ranges(program: &Program<'_>, call: &CallSite) -> Vec<Range> {
    let places = call.places.iter();
    places.map(|place| program.range(place, 0)).collect()
}
