//! The text of a whole program, for one file that also fits into a process with others.

use super::objects::{self, ELEMENTS};
use super::plan::{Addressing, Call, Element, Moment, Plan, Storage};
use super::{idioms, operations, plan};

/// Set where several programs are included into one file, which then has the `main` for all of them.
pub const IN_BATCH: &str = "SEVERAL_PROGRAMS";

/// Collects lines of C.
#[derive(Default)]
pub struct Writer {
    text: String,
}

impl Writer {
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub fn text(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn lines(&mut self, indentation: &str, lines: &[String]) {
        for line in lines {
            self.line(&format!("{indentation}{line}"));
        }
    }
}

/// A function with its body; labels stand at the margin.
pub fn definition(head: &str, body: &[String]) -> String {
    let indented = body.iter().map(|line| {
        if line == "out:" {
            format!("{line}\n")
        } else {
            format!("    {line}\n")
        }
    });
    format!("{head}\n{{\n{}}}\n", indented.collect::<String>())
}

/// The name of the function that runs the whole program.
pub fn run_function(plan: &Plan) -> String {
    format!("p{}_run", plan.seed)
}

pub fn source(plan: &Plan) -> String {
    let mut writer = Writer::default();
    let seed = plan.seed;
    writer.line(&format!(
        "// Random program {seed}: threads that share memory, with care or without."
    ));
    writer.line("#define _GNU_SOURCE");
    for header in [
        "pthread.h",
        "semaphore.h",
        "stdatomic.h",
        "stdint.h",
        "stdlib.h",
        "string.h",
        "unistd.h",
    ] {
        writer.line(&format!("#include <{header}>"));
    }
    writer.line("");
    writer.line(&format!("struct p{seed}_pair {{"));
    writer.line("    int low, high;");
    writer.line("};");
    writer.line("");
    if !plan.threads.is_empty() {
        locked_part(plan, &mut writer);
    }
    for (index, scene) in plan.scenes.iter().enumerate() {
        let text = idioms::template::render(scene, &scene_name(plan, index), seed);
        writer.text.push_str(&text);
    }
    writer.line(TOGETHER);
    run(plan, &mut writer);
    writer.line(&format!("#ifndef {IN_BATCH}"));
    writer.line("int main(void)");
    writer.line("{");
    writer.line(&format!("    {}();", run_function(plan)));
    writer.line("    return 0;");
    writer.line("}");
    writer.line("#endif");
    writer.text
}

/// What begins the names of a scene, and the comment in front of it.
pub fn scene_name(plan: &Plan, index: usize) -> String {
    format!("p{}_s{index}", plan.seed)
}

/// The comment in front of the locked part.
pub const LOCKED_PART: &str = "// Objects under locks";

/// The comment in front of the function that starts everything.
pub const TOGETHER: &str = "// Everything together";

/// The objects, the operations on them, and the threads that call these.
fn locked_part(plan: &Plan, writer: &mut Writer) {
    let seed = plan.seed;
    writer.line(LOCKED_PART);
    let mut functions = Writer::default();
    for index in plan.used_operations() {
        operations::define(plan, index, &mut functions);
    }
    if functions.text.contains("_spare") {
        writer.line(&format!(
            "static pthread_mutex_t p{seed}_spare = PTHREAD_MUTEX_INITIALIZER;"
        ));
    }
    writer.line(&format!("static pthread_barrier_t p{seed}_start;"));
    writer.line("");
    for index in plan.used_objects() {
        objects::declare(plan, index, &functions.text, writer);
    }
    writer.line(&format!("struct p{seed}_argument {{"));
    writer.line("    int index;");
    for index in handed(plan) {
        writer.line(&format!("    struct p{seed}_o{index} *o{index};"));
    }
    writer.line("};");
    writer.line("");
    writer.text.push_str(&functions.text);
    for index in 0..plan.threads.len() {
        writer.text(&thread(plan, index));
    }
}

fn handed(plan: &Plan) -> Vec<usize> {
    let is_handed = |index: &usize| plan.objects[*index].storage == Storage::Handed;
    plan.used_objects().into_iter().filter(is_handed).collect()
}

fn thread(plan: &Plan, index: usize) -> String {
    let seed = plan.seed;
    let rounds = rounds(plan, &plan.threads[index].calls);
    let mut body = Vec::new();
    if rounds.iter().any(|line| line.contains("mine->")) {
        body.push(format!("struct p{seed}_argument *mine = argument;"));
    }
    body.push("int seen = 0;".to_owned());
    body.push(format!("pthread_barrier_wait(&p{seed}_start);"));
    body.extend(rounds);
    body.push("return seen == -1 ? argument : NULL;".to_owned());
    definition(
        &format!("static void *p{seed}_thread{index}(void *argument)"),
        &body,
    )
}

/// All calls of a thread, several times. The pause lets the others in, and keeps a lock operation of
/// the next round from ordering the accesses of this one.
fn rounds(plan: &Plan, calls: &[Call]) -> Vec<String> {
    let mut lines = vec![format!(
        "for (int round = 0; round < {}; round++) {{",
        plan.rounds
    )];
    for call in calls {
        lines.push(format!("    seen += {};", call_text(plan, call)));
    }
    lines.push("    usleep(20);".into());
    lines.push("}".into());
    lines
}

fn call_text(plan: &Plan, call: &Call) -> String {
    let operation = &plan.operations[call.operation];
    let name = format!("p{}_o{}", plan.seed, operation.object);
    let element = match call.element {
        Element::Constant(element) => element.to_string(),
        Element::OfThread => "mine->index".to_owned(),
        Element::OfRound => format!("round % {ELEMENTS}"),
    };
    let object = match (operation.addressing, plan.objects[operation.object].storage) {
        (Addressing::Name, _) => String::new(),
        (Addressing::Index, _) => format!("{element}, "),
        (_, Storage::Global) => format!("&{name}, "),
        (_, Storage::Array) => format!("&{name}[{element}], "),
        (_, Storage::Handed) => format!("mine->o{}, ", operation.object),
        (_, Storage::StaticLocal) => format!("{name}_place(), "),
        // The second name of the same object.
        (_, Storage::Pointed) if call.element == Element::Constant(2) => format!("{name}_alias, "),
        (_, Storage::Pointed) => format!("{name}, "),
        (_, Storage::List) => format!("{name}_find({element}), "),
    };
    format!("p{}_operation{}({object}round)", plan.seed, call.operation)
}

/// The function that makes everything ready, starts the threads, takes part and waits for them.
fn run(plan: &Plan, writer: &mut Writer) {
    writer.line(&format!("static void {}(void)", run_function(plan)));
    writer.line("{");
    call_scenes(plan, Moment::Before, writer);
    for name in scenes_at(plan, Moment::InThread) {
        writer.line(&format!("    pthread_t {name};"));
        writer.line(&format!(
            "    pthread_create(&{name}, NULL, {name}_thread, NULL);"
        ));
    }
    if plan.threads.is_empty() {
        call_scenes(plan, Moment::Meanwhile, writer);
    } else {
        run_locked_part(plan, writer);
    }
    for name in scenes_at(plan, Moment::InThread) {
        writer.line(&format!("    pthread_join({name}, NULL);"));
    }
    call_scenes(plan, Moment::After, writer);
    writer.line("}");
    writer.line("");
}

fn scenes_at(plan: &Plan, moment: Moment) -> Vec<String> {
    let scenes = plan.scenes.iter().enumerate();
    let then = scenes.filter(|(_, scene)| scene.moment == moment);
    then.map(|(index, _)| scene_name(plan, index)).collect()
}

fn call_scenes(plan: &Plan, moment: Moment, writer: &mut Writer) {
    for name in scenes_at(plan, moment) {
        writer.line(&format!("    {name}_run();"));
    }
}

fn run_locked_part(plan: &Plan, writer: &mut Writer) {
    let seed = plan.seed;
    let started: usize = plan
        .threads
        .iter()
        .map(|thread: &plan::Thread| thread.instances)
        .sum();
    for index in plan.used_objects() {
        let lines = objects::prepare(plan, index);
        // Declarations of one object must not meet those of the next.
        let declares = lines
            .iter()
            .any(|line| line.starts_with("pthread_mutexattr_t"));
        assert!(!declares, "attributes are declared in a function or a loop");
        writer.lines("    ", &lines);
    }
    let argument = format!("struct p{seed}_argument");
    writer.line(&if plan.arguments_on_heap {
        format!(
            "    {argument} *arguments = calloc({}, sizeof *arguments);",
            started + 1
        )
    } else {
        format!("    static {argument} arguments[{}];", started + 1)
    });
    writer.line(&format!("    for (int i = 0; i <= {started}; i++) {{"));
    writer.line(&format!("        arguments[i].index = i % {ELEMENTS};"));
    for index in handed(plan) {
        writer.line(&format!("        arguments[i].o{index} = o{index};"));
    }
    writer.line("    }");
    writer.line(&format!(
        "    pthread_barrier_init(&p{seed}_start, NULL, {});",
        started + 1
    ));
    writer.line(&format!("    pthread_t threads[{started}];"));
    let mut first = 0;
    for (index, thread) in plan.threads.iter().enumerate() {
        let next = first + thread.instances;
        let create = |which: &str| {
            format!(
                "pthread_create(&threads[{which}], NULL, p{seed}_thread{index}, &arguments[{which}]);"
            )
        };
        if thread.instances == 1 {
            writer.line(&format!("    {}", create(&first.to_string())));
        } else {
            writer.line(&format!("    for (int i = {first}; i < {next}; i++)"));
            writer.line(&format!("        {}", create("i")));
        }
        first = next;
    }
    let rounds = rounds(plan, &plan.main_calls);
    if rounds.iter().any(|line| line.contains("mine->")) {
        writer.line(&format!("    {argument} *mine = &arguments[{started}];"));
    }
    if !plan.main_calls.is_empty() {
        writer.line("    int seen = 0;");
    }
    writer.line(&format!("    pthread_barrier_wait(&p{seed}_start);"));
    call_scenes(plan, Moment::Meanwhile, writer);
    if !plan.main_calls.is_empty() {
        writer.lines("    ", &rounds);
        writer.line("    (void)seen;");
    }
    writer.line(&format!("    for (int i = 0; i < {started}; i++)"));
    writer.line("        pthread_join(threads[i], NULL);");
}
