//! Our own parser builds lang-c's trees, and leaves to lang-c whatever it is not sure of.
//!
//! On real programs: `cargo run --release -p racelens-tests --bin compare_parsers -- FILE.i…`, with
//! the files that `tests/real/front_end_table.py` leaves in `.preprocessed`.

use racelens_tests::compiler::preprocess;
use racelens_tests::corpus::corpus;
use racelens_tests::generator::program;
use racelens_tests::parsers::{Comparison, ParserInput, parser_inputs};
use racelens_tests::random::{Random, cases};

/// What occurs in no random program, with names that are types here and variables there.
const AMBIGUOUS: &str = "
typedef struct item item; typedef int T, U; typedef void (*callback)(T, U *u);
struct item { item *next; int item : 3, : 0; T T; union { U u; }; callback run[2]; };
enum state { IDLE, BUSY = sizeof(T), DONE, };
item *link(item *item, T (*f)(T), callback c) { (item)->next = 0; item->T = (T)f((T)1); return item; }
int shadow(U u) { { int T = sizeof(T); T *u; (T) + 1; { typedef char T; T t; (T)t; } } return (T)-u; }
int old_style(a, b) int a; T *b; { for (T i = 0; i < a; i++) for (T *p = b, *q; p; p++) { T: ; } return a; }
void literals(void) { use(&(item){ .next = 0, .run = { [0] = 0, [1 ... 1] = 0 } }, (int[]){ 1, 2 }, \"a\" \"b\"); }
void types(void) { __typeof__(T) t; __typeof__(*(item *)0) i; _Atomic(T) a; const _Atomic T b; T (*g[3])(T), h(U), *k(); }
void values(void) { x = ({ T y = 1; y; }) + _Generic(x, T: 1, default: 2); __builtin_offsetof(item, next->T); }
void jumps(int a) { switch (a) { case 1 ... 3: goto T; default: break; } do continue; while (a); T: return; }
T (*returned(T t))(U); extern int many(int, ...), one(), two(void), array[static_size], *pointers[];
static inline __attribute__((noreturn)) void attributed(int a __attribute__((unused))) { int b __attribute__((cleanup(f))) = a; }
";

#[test]
fn trees_of_the_corpus_are_the_same() {
    let mut comparison = Comparison::default();
    for entry in corpus().entries {
        for file in &entry.program.files {
            let is_alone = !file.text.contains("#include \"");
            let text = if is_alone && file.path.ends_with(".c") {
                preprocess(&file.text)
            } else {
                file.text.clone()
            };
            add_all(&mut comparison, &text);
        }
    }
    assert_same(&comparison);
    assert!(comparison.same > 1_000, "{}", comparison.same);
}

#[test]
fn trees_of_random_programs_are_the_same() {
    let mut comparison = Comparison::default();
    for seed in 0..cases("RACELENS_PARSER_PROGRAMS", 100) {
        add_all(&mut comparison, &program(seed));
    }
    assert_same(&comparison);
    let left = &comparison.left_to_lang_c;
    assert!(left.is_empty(), "left to lang-c: {:#?}", left.first());
}

#[test]
fn damaged_items_are_left_to_lang_c_or_parsed_the_same() {
    let mut random = Random::new(7);
    let mut comparison = Comparison::default();
    let mut inputs: Vec<ParserInput> = parser_inputs(AMBIGUOUS);
    for input in &inputs {
        comparison.add(input.clone());
    }
    for seed in 0..5 {
        inputs.extend(parser_inputs(&program(seed)));
    }
    for case in 0..cases("RACELENS_PARSER_DAMAGES", 20_000) {
        // The ambiguous items are few and short, and worth more than the others.
        let among = if case % 2 == 0 { inputs.len() } else { 20 };
        comparison.add(inputs[random.below(among)].damaged(&mut random));
    }
    assert_same(&comparison);
}

fn add_all(comparison: &mut Comparison, text: &str) {
    for input in parser_inputs(text) {
        comparison.add(input);
    }
}

fn assert_same(comparison: &Comparison) {
    let different = &comparison.different;
    assert!(different.is_empty(), "different: {:#?}", different.first());
}
