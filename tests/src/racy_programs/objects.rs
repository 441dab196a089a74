//! The text of shared objects: their struct, where they live, and how they are made ready.

use std::collections::BTreeSet;

use super::accesses::declaration;
use super::plan::{LockKind, LockPlace, Object, Plan, Storage};
use super::source::{Writer, definition};

/// How many elements an array or a list has; a power of two would make wrong indices meet less often.
pub const ELEMENTS: usize = 3;

/// `functions` is the text that follows; what it does not name is left out.
pub fn declare(plan: &Plan, index: usize, functions: &str, writer: &mut Writer) {
    let object = &plan.objects[index];
    let name = format!("p{}_o{index}", plan.seed);
    writer.line(&format!("struct {name} {{"));
    for member in members(plan, index) {
        writer.line(&format!("    {member}"));
    }
    writer.line("};");
    writer.line("");
    let uses_lock = functions.contains(&format!("{name}_lock"));
    if uses_lock || is_prepared_with_lock(object) {
        declare_locks(object, &name, writer);
    }
    match object.storage {
        Storage::Global => writer.line(&format!("static struct {name} {name};")),
        Storage::Array => writer.line(&format!("static struct {name} {name}[{ELEMENTS}];")),
        Storage::Pointed => writer.line(&format!("static struct {name} *{name}, *{name}_alias;")),
        Storage::List => {
            writer.line(&format!("static struct {name} *{name};"));
            let walk = [
                format!("struct {name} *at = {name};"),
                "while (steps-- > 0)".to_owned(),
                "    at = at->next;".to_owned(),
                "return at;".to_owned(),
            ];
            let head = format!("static struct {name} *{name}_find(int steps)");
            writer.text(&definition(&head, &walk));
        }
        Storage::StaticLocal => {
            let body = [
                format!("static struct {name} place;"),
                "return &place;".into(),
            ];
            writer.text(&definition(
                &format!("static struct {name} *{name}_place(void)"),
                &body,
            ));
        }
        Storage::Handed => {}
    }
    writer.line("");
    if let Some(body) = preparation(object, &name) {
        let head = format!("static void {name}_prepare(struct {name} *object)");
        writer.text(&definition(&head, &body));
    }
}

fn members(plan: &Plan, index: usize) -> Vec<String> {
    let object = &plan.objects[index];
    let mut members = Vec::new();
    match object.lock_place {
        LockPlace::Inside => members.push(format!("{} lock;", object.lock.type_name())),
        LockPlace::BehindPointer => members.push(format!("{} *guard;", object.lock.type_name())),
        LockPlace::Global | LockPlace::Parallel => {}
    }
    if object.storage == Storage::List {
        members.push(format!("struct p{}_o{index} *next;", plan.seed));
    }
    let used = plan.used_operations();
    let operations = used.iter().map(|operation| &plan.operations[*operation]);
    let touched: BTreeSet<String> = operations
        .filter(|operation| operation.object == index)
        .map(|operation| declaration(operation.access, plan.seed))
        .collect();
    members.extend(touched);
    members
}

/// Whether the main thread names the lock when it makes the object ready.
fn is_prepared_with_lock(object: &Object) -> bool {
    object.lock_place != LockPlace::Global || object.lock == LockKind::Spin
}

fn declare_locks(object: &Object, name: &str, writer: &mut Writer) {
    let type_name = object.lock.type_name();
    match object.lock_place {
        LockPlace::Inside => {}
        LockPlace::Parallel => {
            writer.line(&format!("static {type_name} {name}_locks[{ELEMENTS}];"));
        }
        LockPlace::Global | LockPlace::BehindPointer => {
            let initialiser = match object.lock {
                LockKind::Mutex => " = PTHREAD_MUTEX_INITIALIZER",
                LockKind::Recursive => " = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP",
                LockKind::ReadWrite => " = PTHREAD_RWLOCK_INITIALIZER",
                LockKind::Spin => "",
            };
            writer.line(&format!("static {type_name} {name}_lock{initialiser};"));
        }
    }
}

/// What makes one element ready, if anything has to.
fn preparation(object: &Object, name: &str) -> Option<Vec<String>> {
    match object.lock_place {
        LockPlace::Inside => Some(object.lock.initialise("&object->lock")),
        LockPlace::BehindPointer => Some(vec![format!("object->guard = &{name}_lock;")]),
        LockPlace::Global | LockPlace::Parallel => None,
    }
}

/// The lines of the main thread that make the object ready before any thread starts.
pub fn prepare(plan: &Plan, index: usize) -> Vec<String> {
    let object = &plan.objects[index];
    let name = format!("p{}_o{index}", plan.seed);
    let prepared = preparation(object, &name).is_some();
    let element = |address: &str| format!("{name}_prepare({address});");
    let mut lines = Vec::new();
    let has_global_lock = matches!(
        object.lock_place,
        LockPlace::Global | LockPlace::BehindPointer
    );
    if has_global_lock && object.lock == LockKind::Spin {
        lines.extend(object.lock.initialise(&format!("&{name}_lock")));
    }
    if object.lock_place == LockPlace::Parallel {
        lines.extend(each(object.lock.initialise(&format!("&{name}_locks[i]"))));
    }
    match object.storage {
        Storage::Global if prepared => lines.push(element(&format!("&{name}"))),
        Storage::Array if prepared => lines.extend(each(vec![element(&format!("&{name}[i]"))])),
        Storage::StaticLocal if prepared => lines.push(element(&format!("{name}_place()"))),
        Storage::Global | Storage::Array | Storage::StaticLocal => {}
        Storage::Handed | Storage::Pointed => {
            let variable = if object.storage == Storage::Handed {
                format!("struct {name} *o{index}")
            } else {
                name.clone()
            };
            lines.push(format!("{variable} = calloc(1, sizeof(struct {name}));"));
            let pointer = variable.rsplit('*').next().unwrap_or_default();
            lines.extend(prepared.then(|| element(pointer)));
            if object.storage == Storage::Pointed {
                lines.push(format!("{name}_alias = {name};"));
            }
        }
        Storage::List => {
            let mut body = vec![format!("struct {name} *node = calloc(1, sizeof *node);")];
            body.extend(prepared.then(|| element("node")));
            body.extend([format!("node->next = {name};"), format!("{name} = node;")]);
            lines.extend(each(body));
        }
    }
    lines
}

fn each(body: Vec<String>) -> Vec<String> {
    let mut lines = vec![format!("for (int i = 0; i < {ELEMENTS}; i++) {{")];
    lines.extend(body.iter().map(|line| format!("    {line}")));
    lines.push("}".into());
    lines
}
