//! A sequential program as one C file that can be compiled, run and given to other checkers.

use super::{Scheduling, run_time};
use crate::ir::{FunctionRef, StatementId};
use crate::kiss::c_text::{INITIALISE, Printing, print};
use crate::kiss::program::{Meaning, Role, SequentialProgram};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// How the text is to be written.
pub struct Listing<'l> {
    /// The most threads that wait in `ts`; a further one is called at once.
    pub max: u32,
    /// How many rounds there are, if threads take turns in rounds.
    pub rounds: u32,
    /// Where a statement of the concurrent program stands: `file.c:12`.
    pub location: &'l dyn Fn(FunctionRef, StatementId) -> Option<String>,
}

/// The name of the concurrent program's `main`, since the text has a `main` of its own.
const MAIN: &str = "program_main";

pub fn listing(sequential: &SequentialProgram, options: &Listing<'_>) -> String {
    let program = &sequential.program;
    let comment = |function, statement| {
        let origin = sequential.origins.get(&(function, statement))?;
        (options.location)(origin.function, origin.statement)
    };
    let mut text = String::new();
    let (bound, number) = match sequential.scheduling {
        Scheduling::Stack => ("RACELENS_MAX", options.max),
        Scheduling::Rounds => ("RACELENS_ROUNDS", options.rounds),
    };
    let _ = writeln!(text, "#ifndef {bound}\n#define {bound} {number}\n#endif");
    text.push_str(&run_time::text(sequential.scheduling));
    text.push('\n');
    text.push_str(&print(&Printing {
        program,
        main: MAIN,
        initialises_itself: false,
        comment: &comment,
        provided: &run_time::provides,
    }));
    sites(sequential, options, &mut text);
    main(sequential, &mut text);
    text
}

fn sites(sequential: &SequentialProgram, options: &Listing<'_>, text: &mut String) {
    text.push_str("\n#ifndef RACELENS_EXPLORED\nconst char *racelens_sites[] = {\n");
    for site in &sequential.sites {
        let place = (options.location)(site.function, site.statement)
            .unwrap_or_else(|| "generated code".to_owned());
        let place = place.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "    \"{place} in {}\",", site.function.name);
    }
    text.push_str(
        "    0,\n};\n// Which of them are looked at for races.\nconst char racelens_checked[] = {",
    );
    let origins = sequential.origins.values();
    let checked: FxHashSet<(FunctionRef, StatementId)> = origins
        .filter(|origin| origin.role == Role::Check)
        .map(|origin| (origin.function, origin.statement))
        .collect();
    for site in &sequential.sites {
        let is_checked = checked.contains(&(site.function, site.statement));
        text.push_str(if is_checked { "1, " } else { "0, " });
    }
    text.push_str("0};\n#endif\n");
}

/// KISS's Check(s), or its counterpart with rounds: first values, the first thread, then the others.
fn main(sequential: &SequentialProgram, text: &mut String) {
    let program = &sequential.program;
    let Meaning::Body(entry) = program.function(program.entry) else {
        return;
    };
    let name = match entry.function.name.as_str() {
        "main" => MAIN,
        name => name,
    };
    let arguments = match entry.parameters {
        0 => "",
        1 => "argc",
        _ => "argc, argv",
    };
    let call = format!("{name}({arguments})");
    let call = if entry.result.is_void() {
        format!("{call};\n    int status = 0;")
    } else {
        format!("int status = (int){call};")
    };
    let body = match sequential.scheduling {
        Scheduling::Stack => on_a_stack(&call),
        Scheduling::Rounds => in_rounds(&call),
    };
    let _ = write!(
        text,
        "
int main(int argc, char **argv) {{
    (void)argc; (void)argv;
    racelens_begin();
    {INITIALISE}();
{body}    return 0;
}}
"
    );
}

fn on_a_stack(call: &str) -> String {
    format!(
        "    {}();
    {call}
    // Where the first thread ends, the program ends; where it only stops, the others go on.
    if (!racelens_raised()) return status;
    racelens_schedule_rest();
",
        run_time::INITIALISE_THREAD
    )
}

fn in_rounds(call: &str) -> String {
    format!(
        "    for (racelens_round = 0; racelens_round < RACELENS_ROUNDS; racelens_round++) {{
        if (racelens_goes_on(1)) {{
            {call}
            // Where the first thread ends, the program ends.
            if (!racelens_raised()) return status;
            racelens_finish(1);
        }}
        for (int thread = 2; thread <= racelens_threads; thread++)
            if (racelens_goes_on(thread)) racelens_run(thread);
    }}
"
    )
}
