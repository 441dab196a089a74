//! Writes plans as C.

use super::plan::{Argument, Flag, GLOBAL_LOCKS, Lock, OBJECTS, Plan, Step};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text, and the access that stands in each line that has one.
pub struct Source {
    pub text: String,
    pub accesses: BTreeMap<u32, usize>,
}

/// Declared here, since the headers of a system take longer to read than the program.
const DECLARATIONS: &str = "typedef struct { int state[10]; } pthread_mutex_t;
typedef unsigned long pthread_t;
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_create(pthread_t *thread, const void *attributes, void *(*entry)(void *), void *argument);
int choose(void);
struct object { pthread_mutex_t lock; };
";

pub fn source(plan: &Plan) -> Source {
    let mut writer = Writer {
        text: DECLARATIONS.to_owned(),
        line: DECLARATIONS.lines().count() as u32,
        accesses: BTreeMap::new(),
    };
    for index in 0..OBJECTS {
        writer.line_of(&format!("struct object o{index};"));
    }
    for index in 0..GLOBAL_LOCKS {
        writer.line_of(&format!("pthread_mutex_t m{index};"));
    }
    writer.line_of("int cells[1000];");
    for index in 0..plan.functions.len() {
        writer.line_of(&format!("void f{index}(struct object *p, int flag);"));
    }
    for (index, steps) in plan.functions.iter().enumerate() {
        writer.line_of(&format!("void f{index}(struct object *p, int flag) {{"));
        writer.steps(steps);
        writer.line_of("}");
    }
    writer.line_of("void *run(void *argument) { f0(argument, choose()); return 0; }");
    writer.line_of("int main(void) {");
    writer.line_of("pthread_t threads[2];");
    for index in 0..OBJECTS {
        writer.line_of(&format!(
            "pthread_create(&threads[{index}], 0, run, &o{index});"
        ));
    }
    writer.line_of("return 0; }");
    Source {
        text: writer.text,
        accesses: writer.accesses,
    }
}

struct Writer {
    text: String,
    line: u32,
    accesses: BTreeMap<u32, usize>,
}

impl Writer {
    fn line_of(&mut self, text: &str) {
        self.line += 1;
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{text}");
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Lock(lock) => self.line_of(&format!("pthread_mutex_lock({});", spelt(*lock))),
            Step::Unlock(lock) => self.line_of(&format!("pthread_mutex_unlock({});", spelt(*lock))),
            Step::TryLock(lock, got, failed) => {
                self.line_of(&format!(
                    "if (pthread_mutex_trylock({}) == 0) {{",
                    spelt(*lock)
                ));
                self.steps(got);
                self.line_of("} else {");
                self.steps(failed);
                self.line_of("}");
            }
            Step::Access(number) => {
                self.accesses.insert(self.line + 1, *number);
                self.line_of(&format!("cells[{number}]++;"));
            }
            Step::Call(callee, argument, flag) => {
                let argument = match argument {
                    Argument::OwnObject => "p".to_owned(),
                    Argument::Object(index) => format!("&o{index}"),
                };
                let flag = match flag {
                    Flag::Own => "flag".to_owned(),
                    Flag::Constant(value) => u32::from(*value).to_string(),
                };
                self.line_of(&format!("f{callee}({argument}, {flag});"));
            }
            Step::IfFlag(is_set, steps) => {
                let condition = if *is_set { "flag" } else { "!flag" };
                self.line_of(&format!("if ({condition}) {{"));
                self.steps(steps);
                self.line_of("}");
            }
            Step::Either(one, other) => {
                self.line_of("if (choose()) {");
                self.steps(one);
                self.line_of("} else {");
                self.steps(other);
                self.line_of("}");
            }
            Step::Return => self.line_of("return;"),
        }
    }
}

fn spelt(lock: Lock) -> String {
    match lock {
        Lock::Global(index) => format!("&m{index}"),
        Lock::OwnObject => "&p->lock".to_owned(),
    }
}
