//! Which queries run again after an edit, and that the result is that of a fresh database.

use racelens_analysis::db::{Function, RootDatabase};
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{Analysis, AnalysisHost, Change, UnitChange};
use std::sync::{Arc, Mutex};
use ustr::Ustr;

const MAIN: &str = r#"# 1 "main.c"
# 1 "shared.h" 1
typedef unsigned long size;
struct point { int x; int y; };
enum colour { RED, GREEN = 5 };
extern int limit;
static inline int twice(int value) { return value * 2; }
# 2 "main.c" 2
int limit = 3;
int area(struct point *p)
{
  return p->x * p->y;
}
size count(void)
{
  return limit + GREEN;
}
int use(struct point *p)
{
  return area(p) + twice((int)count());
}
"#;

/// A host whose executed queries are recorded.
struct Recorded {
    host: AnalysisHost,
    executed: Arc<Mutex<Vec<String>>>,
}

impl Recorded {
    fn new(units: &[(&str, &str)]) -> Recorded {
        let executed: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = executed.clone();
        let database =
            RootDatabase::new(Some(Box::new(move |query| log.lock().unwrap().push(query))));
        let mut recorded = Recorded {
            host: AnalysisHost::with_database(database),
            executed,
        };
        recorded.edit(units);
        recorded
    }

    /// Applies the texts, asks for everything, and returns the names of the queries that ran, each
    /// with the function it ran for where it is one.
    fn edit(&mut self, units: &[(&str, &str)]) -> Vec<String> {
        self.executed.lock().unwrap().clear();
        self.host.apply(change(units));
        let analysis = self.host.analysis();
        let functions = analysis.functions();
        for function in &functions {
            analysis.body(*function);
        }
        let log = std::mem::take(&mut *self.executed.lock().unwrap());
        let mut shown: Vec<String> = log
            .iter()
            .map(|query| self.show(&analysis, &functions, query))
            .collect();
        shown.sort();
        shown
    }

    /// `lowered(Id(3))` becomes `lowered(area)`; keys of other queries are left out.
    fn show(&self, analysis: &Analysis, functions: &[Function], query: &str) -> String {
        let name = query.split('(').next().unwrap_or(query);
        let named = functions.iter().find(|function| {
            let id = format!("({:?})", salsa::plumbing::AsId::as_id(*function));
            query.ends_with(&id)
        });
        match named {
            Some(function) if matches!(name, "lowered" | "body") => {
                format!("{name}({})", function.name(analysis.database()))
            }
            _ => name.to_owned(),
        }
    }
}

/// The functions that were lowered, among all that was executed.
fn lowered_in(executed: &[String]) -> Vec<&str> {
    executed
        .iter()
        .map(String::as_str)
        .filter(|query| query.starts_with("lowered"))
        .collect()
}

fn change(units: &[(&str, &str)]) -> Change {
    let units = units.iter().map(|(path, text)| UnitChange {
        path: Ustr::from(path),
        text: Some(Arc::from(*text)),
        data_model: DataModel::LP64,
    });
    Change {
        units: units.collect(),
    }
}

/// All bodies of a program as text.
fn dump(analysis: &Analysis) -> String {
    let mut bodies: Vec<String> = analysis
        .functions()
        .into_iter()
        .filter_map(|function| Some(analysis.body(function)?.pretty().to_string()))
        .collect();
    bodies.sort();
    bodies.concat()
}

fn fresh(units: &[(&str, &str)]) -> String {
    let mut host = AnalysisHost::default();
    host.apply(change(units));
    dump(&host.analysis())
}

fn edited(from: &str, to: &str) -> String {
    assert!(MAIN.contains(from), "the text to replace is there");
    MAIN.replacen(from, to, 1)
}

#[test]
fn the_same_text_runs_nothing() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    assert_eq!(recorded.edit(&[("main.c", MAIN)]), [""; 0]);
}

#[test]
fn moving_functions_runs_nothing() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let moved = edited("int limit = 3;\n", "\n\n\nint limit = 3;\n\n");
    assert_eq!(recorded.edit(&[("main.c", &moved)]), [""; 0]);
}

#[test]
fn editing_a_comment_or_white_space_runs_nothing() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let commented = edited(
        "  return p->x * p->y;",
        "  /* why */ return p->x   * // product\n    p->y;",
    );
    assert_eq!(recorded.edit(&[("main.c", &commented)]), [""; 0]);
}

#[test]
fn editing_a_body_lowers_that_function_only() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let text = edited("p->x * p->y", "p->x + p->y");
    assert_eq!(
        recorded.edit(&[("main.c", &text)]),
        ["body(area)", "lowered(area)"]
    );
}

#[test]
fn writing_the_same_code_differently_changes_no_body() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let text = edited("return p->x * p->y;", "return (p->x) * (p->y);");
    assert_eq!(
        recorded.edit(&[("main.c", &text)]),
        ["body(area)", "lowered(area)"]
    );
}

#[test]
fn editing_a_type_lowers_only_what_mentions_it() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let text = edited(
        "struct point { int x; int y; };",
        "struct point { long x; int y; };",
    );
    let executed = recorded.edit(&[("main.c", &text)]);
    assert_eq!(
        lowered_in(&executed),
        ["lowered(area)", "lowered(use)"],
        "{executed:?}"
    );
}

#[test]
fn editing_an_enumerator_lowers_only_what_mentions_it() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let executed = recorded.edit(&[("main.c", &edited("GREEN = 5", "GREEN = 6"))]);
    assert_eq!(lowered_in(&executed), ["lowered(count)"], "{executed:?}");
}

#[test]
fn adding_a_declaration_that_nobody_mentions_lowers_nothing() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let text = edited(
        "extern int limit;",
        "extern int limit;\ntypedef struct point unused_type;\nextern int unused;",
    );
    let executed = recorded.edit(&[("main.c", &text)]);
    assert!(
        executed.iter().all(|query| query == "bindings"),
        "{executed:?}"
    );
}

#[test]
fn a_new_meaning_of_a_name_lowers_what_mentions_it() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let text = edited(
        "typedef unsigned long size;",
        "typedef unsigned short size;",
    );
    let executed = recorded.edit(&[("main.c", &text)]);
    assert_eq!(
        lowered_in(&executed),
        ["lowered(count)", "lowered(use)"],
        "{executed:?}"
    );
}

#[test]
fn a_new_signature_lowers_the_callers_too() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let executed = recorded.edit(&[(
        "main.c",
        &edited("int area(struct point *p)", "long area(struct point *p)"),
    )]);
    assert_eq!(
        lowered_in(&executed),
        ["lowered(area)", "lowered(use)"],
        "{executed:?}"
    );
}

#[test]
fn a_header_is_parsed_and_its_functions_lowered_once_for_all_units() {
    let other = MAIN
        .replace("main.c", "other.c")
        .replace("int area", "int other_area")
        .replace("area(p)", "other_area(p)");
    let recorded = Recorded::new(&[("main.c", MAIN), ("other.c", &other)]);
    let analysis = recorded.host.analysis();
    let twice = analysis
        .functions()
        .into_iter()
        .filter(|function| function.name(analysis.database()) == "twice")
        .count();
    assert_eq!(twice, 1);
    let alone = Recorded::new(&[("main.c", MAIN)]);
    let parsed = |recorded: &Recorded| recorded.host.declarations_parsed();
    // The second unit adds its own `other_area`, and nothing of the header.
    assert_eq!(parsed(&recorded), parsed(&alone) + 1);
}

#[test]
fn editing_one_unit_leaves_the_other_alone() {
    let other = MAIN
        .replace("main.c", "other.c")
        .replace("int area", "int other_area")
        .replace("area(p)", "other_area(p)");
    let mut recorded = Recorded::new(&[("main.c", MAIN), ("other.c", &other)]);
    let executed = recorded.edit(&[("other.c", &other.replace("p->x * p->y", "p->y"))]);
    assert_eq!(executed, ["body(other_area)", "lowered(other_area)"]);
}

#[test]
fn a_function_that_does_not_parse_keeps_its_last_good_body() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let before = dump(&recorded.host.analysis());
    for broken in [
        edited("return p->x * p->y;", "return p->x * ;"),
        edited("return p->x * p->y;", "return p->x * p->y; }"),
        edited("return p->x * p->y;", "if (p) { return p->x * p->y;"),
        edited(
            "int area(struct point *p)\n{",
            "int area(struct point *p\n{",
        ),
        edited(
            "int area(struct point *p)\n{",
            "int area(struct point *p)\n",
        ),
        edited("int area(struct point *p)", "int (struct point *p)"),
    ] {
        recorded.edit(&[("main.c", &broken)]);
        let analysis = recorded.host.analysis();
        assert_eq!(dump(&analysis), before, "{broken}");
        drop(analysis);
        recorded.edit(&[("main.c", MAIN)]);
        assert_eq!(dump(&recorded.host.analysis()), before);
    }
}

#[test]
fn a_function_that_is_not_in_the_text_while_somebody_types_keeps_its_number() {
    let mut host = AnalysisHost::default();
    host.apply(change(&[("main.c", MAIN)]));
    let before = host.analysis().functions();
    for broken in [
        edited("size count(void)\n{", "size count(\n{"),
        edited("  return limit + GREEN;\n}", "  return limit + (GREEN\n"),
    ] {
        host.apply(change(&[("main.c", &broken)]));
        assert_eq!(host.analysis().functions(), before, "{broken}");
    }
    host.apply(change(&[("main.c", MAIN)]));
    assert_eq!(host.analysis().functions(), before);
}

#[test]
fn a_function_that_is_really_gone_is_gone() {
    let mut recorded = Recorded::new(&[("main.c", MAIN)]);
    let text = edited(
        "int use(struct point *p)\n{\n  return area(p) + twice((int)count());\n}\n",
        "",
    );
    recorded.edit(&[("main.c", &text)]);
    assert_eq!(dump(&recorded.host.analysis()), fresh(&[("main.c", &text)]));
}

#[test]
fn what_was_kept_is_gone_when_a_declaration_elsewhere_is_mended() {
    let whole = "# 1 \"main.c\"\ntypedef int number;\nnumber first(void) { return 1; }\nint second(void) { return 2; }\n";
    // Without its type the first function does not parse, and so the second one may still be being typed.
    let broken = "# 1 \"main.c\"\nnumber first(void) { return 3; }\n";
    let mended = "# 1 \"main.c\"\ntypedef int number;\nnumber first(void) { return 3; }\n";
    let mut recorded = Recorded::new(&[("main.c", whole)]);
    recorded.edit(&[("main.c", broken)]);
    assert_eq!(recorded.host.analysis().functions().len(), 2);
    recorded.edit(&[("main.c", mended)]);
    assert_eq!(
        dump(&recorded.host.analysis()),
        fresh(&[("main.c", mended)])
    );
}

#[test]
fn random_edits_give_what_a_fresh_database_gives() {
    // Edits that always leave valid C: renaming, moving, adding and removing declarations and
    // functions, and changing bodies, in two units that share a header.
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut next = move |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % bound as u64) as usize
    };
    let mut recorded = Recorded::new(&[]);
    let mut header = vec![0usize; 6];
    let mut bodies = [vec![0usize; 8], vec![0usize; 8]];
    for step in 0..300 {
        match next(3) {
            0 => {
                let slot = next(header.len());
                header[slot] = next(4);
            }
            _ => {
                let (unit, slot) = (next(2), next(8));
                bodies[unit][slot] = next(6);
            }
        }
        let order = next(2) == 0;
        let texts: Vec<(String, String)> = (0..2)
            .map(|unit| {
                (
                    format!("unit{unit}.c"),
                    unit_text(unit, &header, &bodies[unit], order),
                )
            })
            .collect();
        let units: Vec<(&str, &str)> = texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        recorded.edit(&units);
        assert_eq!(
            dump(&recorded.host.analysis()),
            fresh(&units),
            "after step {step}"
        );
    }
}

/// Generates a unit from small numbers; every combination is valid C.
fn unit_text(unit: usize, header: &[usize], bodies: &[usize], reversed: bool) -> String {
    let mut text = format!("# 1 \"unit{unit}.c\"\n# 1 \"h.h\" 1\n");
    for (index, variant) in header.iter().enumerate() {
        let member = [
            "int a;",
            "long a; int b;",
            "char a; short c;",
            "struct { int a; };",
        ][*variant];
        text.push_str(&format!(
            "typedef struct s{index} {{ {member} }} t{index};\n"
        ));
        text.push_str(&format!("enum {{ E{index} = {variant} }};\n"));
        text.push_str(&format!(
            "static inline int h{index}(t{index} *p) {{ return p->a + E{index}; }}\n"
        ));
    }
    text.push_str(&format!("# 2 \"unit{unit}.c\" 2\n"));
    let mut functions: Vec<String> = bodies
        .iter()
        .enumerate()
        .filter(|(_, variant)| **variant != 5)
        .map(|(index, variant)| {
            let target = (index + variant) % header.len();
            let statement = ["p->a++;", "p->a = h{}(p);", "if (p->a > E{}) p->a = 0;", "for (int i = 0; i < 3; i++) p->a += i;", ""]
                [*variant]
                .replace("{}", &target.to_string());
            format!("int f{unit}_{index}(t{target} *p)\n{{\n  {statement}\n  return sizeof(t{target});\n}}\n")
        })
        .collect();
    if reversed {
        functions.reverse();
    }
    text + &functions.concat()
}

#[test]
fn a_text_that_is_long_gone_does_not_come_back_when_a_declaration_goes() {
    let header = "# 1 \"main.c\"\n# 1 \"types.h\" 1\n";
    let main = "# 2 \"main.c\" 2\n";
    let old = format!("{header}typedef int number;\n{main}int f(void) {{ return 1; }}\n");
    let good =
        format!("{header}typedef int number;\n{main}int f(void) {{ number n = 2; return n; }}\n");
    let broken = good.replace("typedef int number;\n", "\n");
    let edits = |texts: &[&str]| {
        let mut recorded = Recorded::new(&[("main.c", texts[0])]);
        for text in &texts[1..] {
            recorded.edit(&[("main.c", text)]);
        }
        dump(&recorded.host.analysis())
    };
    assert_eq!(edits(&[&old, &good, &broken]), edits(&[&good, &broken]));
}
