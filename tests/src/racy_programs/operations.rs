//! The text of operations: the functions on the way from a call to the access.

use super::accesses::{AccessText, access_text, member_of};
use super::locks::{Bracket, bracket, guard_lock};
use super::plan::{Addressing, Operation, Plan, Route, Style};
use super::source::{Writer, definition};

pub fn define(plan: &Plan, index: usize, writer: &mut Writer) {
    let operation = &plan.operations[index];
    let object = format!("p{}_o{}", plan.seed, operation.object);
    let (parameters, arguments, place) = match operation.addressing {
        Addressing::Pointer => (
            format!("struct {object} *object, int round"),
            "object, round",
            "object->".to_owned(),
        ),
        Addressing::Index => (
            "int index, int round".to_owned(),
            "index, round",
            format!("{object}[index]."),
        ),
        Addressing::Name => ("int round".to_owned(), "round", format!("{object}.")),
    };
    let mut operation_text = OperationText {
        plan,
        operation,
        name: format!("p{}_operation{index}", plan.seed),
        parameters,
        arguments,
        bracket: bracket(plan, operation),
        access: access_text(operation.access, &place, plan.seed),
        place,
    };
    operation_text.bracket = operation_text.styled_bracket(writer);
    operation_text.write(writer);
}

struct OperationText<'a> {
    plan: &'a Plan,
    operation: &'a Operation,
    name: String,
    parameters: String,
    arguments: &'static str,
    place: String,
    bracket: Bracket,
    access: AccessText,
}

impl OperationText<'_> {
    fn write(&self, writer: &mut Writer) {
        let Bracket { enter, leave } = &self.bracket;
        let name = &self.name;
        let call_body =
            |more: &str| vec![format!("seen += {name}_body({}{more});", self.arguments)];
        match self.operation.route {
            Route::Direct => self.function(writer, "", "", &[enter, &self.inline(), leave]),
            Route::LockPassed => {
                let lock = guard_lock(self.plan, self.operation);
                let take = vec![lock.kind.acquire("lock", lock.mode)];
                let give = vec![lock.kind.release("lock")];
                let parameter = format!(", {} *lock", lock.kind.type_name());
                self.function(writer, "_body", &parameter, &[&take, &self.inline(), &give]);
                self.function(
                    writer,
                    "",
                    "",
                    &[&call_body(&format!(", {}", lock.address))],
                );
            }
            Route::CallerHolds => {
                self.function(writer, "_body", "", &[&self.inline()]);
                self.function(writer, "", "", &[enter, &call_body(""), leave]);
            }
            Route::FunctionTable => self.function_table(writer),
            Route::Recursion => {
                let mut body = vec![
                    "if (depth > 0)".to_owned(),
                    format!("    return {name}_body({}, depth - 1);", self.arguments),
                ];
                body.extend(self.inline());
                self.function(writer, "_body", ", int depth", &[&body]);
                self.function(writer, "", "", &[enter, &call_body(", 2"), leave]);
            }
            Route::LeftHeld => {
                self.function(writer, "_body", "", &[enter, &self.inline()]);
                self.function(writer, "", "", &[&call_body(""), leave]);
            }
            Route::TryLock => {
                let lock = guard_lock(self.plan, self.operation);
                let attempt = lock.kind.try_acquire(&lock.address, lock.mode);
                let enter = vec![
                    format!("if ({attempt} != 0)"),
                    "    return seen;".to_owned(),
                ];
                self.function(writer, "", "", &[&enter, &self.inline(), leave]);
            }
            Route::Switch => self.switch(writer),
            Route::EarlyReturn => {
                let mut early = vec!["if (round == 2) {".to_owned()];
                early.extend(leave.iter().map(|line| format!("    {line}")));
                early.extend(["    return seen;".to_owned(), "}".to_owned()]);
                self.function(writer, "", "", &[enter, &early, &self.inline(), leave]);
            }
            Route::GotoOut => {
                let jump = vec!["if (round == 1)".to_owned(), "    goto out;".to_owned()];
                let label = vec!["out:".to_owned()];
                self.function(
                    writer,
                    "",
                    "",
                    &[enter, &jump, &self.inline(), &label, leave],
                );
            }
            Route::Loop => {
                let mut repeated: Vec<String> = self.access.before.iter().cloned().collect();
                repeated.push("for (int again = 0; again < 2; again++)".into());
                repeated.push(format!("    {}", self.access.line));
                self.function(writer, "", "", &[enter, &repeated, leave]);
            }
            Route::MemberPointer => self.member_pointer(writer),
            Route::Walk => {
                let guarded = self.guarded();
                let mut body = vec!["for (; object != NULL; object = object->next) {".to_owned()];
                body.extend(guarded.iter().map(|line| format!("    {line}")));
                body.push("}".into());
                self.function(writer, "", "", &[&body]);
            }
            Route::HandOverHand => self.hand_over_hand(writer),
        }
    }

    /// The lock operations as the function writes them, after defining what they go through.
    fn styled_bracket(&self, writer: &mut Writer) -> Bracket {
        let Bracket { enter, leave } = bracket(self.plan, self.operation);
        let name = &self.name;
        match self.operation.style {
            Style::Plain => Bracket { enter, leave },
            Style::Wrappers => {
                let (parameter, argument) = self.only_for(&enter.join(" "));
                for (suffix, body) in [("take", &enter), ("give", &leave)] {
                    let head = format!("static void {name}_{suffix}({parameter})");
                    writer.text(&definition(&head, body));
                }
                Bracket {
                    enter: vec![format!("{name}_take({argument});")],
                    leave: vec![format!("{name}_give({argument});")],
                }
            }
            Style::Macros => {
                let upper = name.to_uppercase();
                writer.line(&format!("#define {upper}_ENTER() {}", enter.join(" ")));
                writer.line(&format!("#define {upper}_LEAVE() {}", leave.join(" ")));
                writer.line("");
                Bracket {
                    enter: vec![format!("{upper}_ENTER()")],
                    leave: vec![format!("{upper}_LEAVE()")],
                }
            }
        }
    }

    fn inline(&self) -> Vec<String> {
        let before = self.access.before.iter().cloned();
        before.chain([self.access.line.clone()]).collect()
    }

    /// A function of the operation, which counts what it saw and returns it.
    fn function(&self, writer: &mut Writer, suffix: &str, parameter: &str, parts: &[&Vec<String>]) {
        let mut body = vec!["int seen = round;".to_owned()];
        body.extend(parts.iter().flat_map(|part| part.iter().cloned()));
        body.push("return seen;".into());
        let head = format!(
            "static int {}{suffix}({}{parameter})",
            self.name, self.parameters
        );
        writer.text(&definition(&head, &body));
    }

    fn function_table(&self, writer: &mut Writer) {
        let Bracket { enter, leave } = &self.bracket;
        let (name, parameters) = (&self.name, &self.parameters);
        self.function(writer, "_body", "", &[&self.inline()]);
        let (unused, _) = self.only_for(&self.place);
        let ignored = match unused.rsplit([' ', '*']).next() {
            Some("void") | None => Vec::new(),
            Some(parameter) => vec![format!("(void){parameter};")],
        };
        self.function(writer, "_idle", "", &[&ignored]);
        writer.line(&format!(
            "static int (*const {name}_table[2])({parameters}) = {{ {name}_body, {name}_idle }};"
        ));
        writer.line("");
        let call = vec![format!(
            "seen += {name}_table[round % 2]({});",
            self.arguments
        )];
        self.function(writer, "", "", &[enter, &call, leave]);
    }

    /// The access between its lock operations.
    fn guarded(&self) -> Vec<String> {
        let Bracket { enter, leave } = &self.bracket;
        enter
            .iter()
            .cloned()
            .chain(self.inline())
            .chain(leave.iter().cloned())
            .collect()
    }

    fn switch(&self, writer: &mut Writer) {
        let mut body = vec!["switch (round % 3) {".to_owned(), "case 0: {".to_owned()];
        body.extend(self.guarded().iter().map(|line| format!("    {line}")));
        let rest = [
            "    break;",
            "}",
            "case 1:",
            "    seen++;",
            "    break;",
            "default:",
            "    seen--;",
            "}",
        ];
        body.extend(rest.map(str::to_owned));
        self.function(writer, "", "", &[&body]);
    }

    fn hand_over_hand(&self, writer: &mut Writer) {
        let Bracket { enter, leave } = &self.bracket;
        let lock = guard_lock(self.plan, self.operation);
        let object = self.operation.object;
        let mut body = vec!["for (;;) {".to_owned()];
        body.extend(self.inline().iter().map(|line| format!("    {line}")));
        body.extend([
            format!(
                "    struct p{}_o{object} *next = object->next;",
                self.plan.seed
            ),
            "    if (next == NULL)".to_owned(),
            "        break;".to_owned(),
            format!("    {}", lock.kind.acquire("&next->lock", lock.mode)),
        ]);
        body.extend(leave.iter().map(|line| format!("    {line}")));
        body.extend(["    object = next;".to_owned(), "}".to_owned()]);
        self.function(writer, "", "", &[enter, &body, leave]);
    }

    fn member_pointer(&self, writer: &mut Writer) {
        let Bracket { enter, leave } = &self.bracket;
        let name = &self.name;
        let member = member_of(self.operation.access).unwrap_or("value");
        let touch = if self.operation.access.is_read() {
            "return round + *member;"
        } else {
            "return *member += round;"
        };
        let head = format!("static int {name}_touch(int *member, int round)");
        writer.text(&definition(&head, &[touch.to_owned()]));
        let call = vec![format!(
            "seen += {name}_touch(&{}{member}, round);",
            self.place
        )];
        self.function(writer, "", "", &[enter, &call, leave]);
    }

    /// The parameter, and the argument, that an expression needs.
    fn only_for(&self, expression: &str) -> (String, &'static str) {
        if expression.contains("object->") {
            let object = self.operation.object;
            (
                format!("struct p{}_o{object} *object", self.plan.seed),
                "object",
            )
        } else if expression.contains("index") {
            ("int index".to_owned(), "index")
        } else {
            ("void".to_owned(), "")
        }
    }
}
