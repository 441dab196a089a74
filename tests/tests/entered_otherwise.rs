//! Edits after which functions are called with something else: with another number, under another lock, by another caller.
//! What is found with the contexts of before equals what is found from scratch. With debug assertions the contexts themselves
//! are compared as well.

use racelens_analysis::host::AnalysisHost;
use racelens_tests::incremental::{apply, check, described};
use racelens_tests::random::{Random, cases};
use racelens_tests::side_by_side::side_by_side;

/// Random programs; `RACELENS_CALLING_PROGRAMS` asks for another number.
const USUAL_PROGRAMS: u64 = 40;

const EDITS: usize = 12;

const HEADER: &str = "
typedef unsigned long pthread_t;
typedef struct { int x; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
static pthread_mutex_t locks[3];
static pthread_mutex_t one, two;
static int shared[4];
static int flag;
static pthread_t thread;
static void (*chosen)(int);
static int (*compared)(const void *, const void *);
";

/// Functions that call each other, each with its statements.
struct Program {
    functions: Vec<Vec<String>>,
    /// Functions call only later ones, but for these many in a hundred.
    backwards: usize,
    /// How many numbers are passed: many make more contexts than are told apart.
    numbers: usize,
    /// Whether functions are called through pointers and by a library, too.
    calls_back: bool,
}

impl Program {
    fn new(random: &mut Random) -> Program {
        let mut program = Program {
            functions: Vec::new(),
            backwards: *[0, 0, 5, 20, 40].get(random.below(5)).unwrap_or(&0),
            numbers: *[2, 4, 40].get(random.below(3)).unwrap_or(&2),
            calls_back: random.one_in(2),
        };
        // Large groups of functions that call each other are looked at piece by piece.
        let count = match random.one_in(6) {
            true => 20 + random.below(30),
            false => 6 + random.below(12),
        };
        for _ in 0..count {
            program.functions.push(Vec::new());
        }
        for index in 0..count {
            for _ in 0..2 + random.below(4) {
                let statement = program.statement(index, random);
                program.functions[index].push(statement);
            }
        }
        program
    }

    fn callee(&self, caller: usize, random: &mut Random) -> Option<usize> {
        let count = self.functions.len();
        if random.below(100) < self.backwards {
            return Some(random.below(count));
        }
        let later = count - caller - 1;
        (later > 0).then(|| caller + 1 + random.below(later.min(5)))
    }

    fn statement(&self, function: usize, random: &mut Random) -> String {
        let write = format!("shared[{}] = n;", random.below(4));
        let Some(callee) = self.callee(function, random) else {
            return write;
        };
        let number = match random.one_in(3) {
            true => "n".to_owned(),
            false => random.below(self.numbers).to_string(),
        };
        let call = format!("f{callee}({number});");
        let lock = random.pick(&["one", "two", "locks[1]", "locks[n]"]);
        if self.calls_back && random.one_in(3) {
            return match random.below(8) {
                0 => format!("chosen = f{callee};"),
                1 => format!("chosen = f{callee}; chosen({number});"),
                2 => format!("chosen({number});"),
                3 => format!("compared = c{callee};"),
                4 => "qsort(shared, 4, sizeof *shared, compared);".to_owned(),
                5 => format!(
                    "pthread_mutex_lock(&{lock}); qsort(shared, 4, sizeof *shared, c{callee}); pthread_mutex_unlock(&{lock});"
                ),
                _ => format!("qsort(shared, 4, sizeof *shared, c{callee});"),
            };
        }
        match random.below(16) {
            0..5 => call,
            5..8 => {
                format!("pthread_mutex_lock(&{lock}); {call} pthread_mutex_unlock(&{lock});")
            }
            8 => format!("pthread_mutex_lock(&{lock});"),
            9 => format!("pthread_mutex_unlock(&{lock});"),
            10 => format!("if (n) {{ {call} }}"),
            11 => format!("while (shared[0]) {{ {call} }}"),
            12 if random.one_in(2) => format!("pthread_create(&thread, 0, w{callee}, 0);"),
            13 => format!("if (flag) {{ {call} }} else {{ flag = 1; }}"),
            _ => write,
        }
    }

    fn edit(&mut self, random: &mut Random) {
        let function = random.below(self.functions.len());
        let statement = self.statement(function, random);
        let statements = &mut self.functions[function];
        let at = random.below(statements.len() + 1);
        if at == statements.len() || random.one_in(3) {
            statements.insert(at, statement);
        } else if random.one_in(2) {
            statements[at] = statement;
        } else {
            statements.remove(at);
        }
    }

    fn text(&self) -> String {
        let mut text = HEADER.to_owned();
        for index in 0..self.functions.len() {
            text += &format!("static void f{index}(int n);\n");
            text += &format!("static void *w{index}(void *p) {{ f{index}(1); return p; }}\n");
            text += &format!(
                "static int c{index}(const void *a, const void *b) {{ f{index}(2); return 0; }}\n"
            );
        }
        for (index, statements) in self.functions.iter().enumerate() {
            let statements = statements.join("\n    ");
            text += &format!("static void f{index}(int n)\n{{\n    {statements}\n}}\n");
        }
        text += "int main(void)\n{\n    pthread_create(&thread, 0, w1, 0);\n    f0(0);\n";
        text += "    f2(1);\n    return shared[0] + shared[1];\n}\n";
        text
    }
}

/// The first edit after which the two differ.
fn disagreement(seed: u64) -> Option<String> {
    let mut random = Random::new(seed);
    let mut program = Program::new(&mut random);
    let mut host = AnalysisHost::default();
    apply(&mut host, &program.text());
    let mut before = check(&host.analysis(), None);
    for edit in 0..EDITS {
        let original = program.text();
        program.edit(&mut random);
        let edited = program.text();
        for text in [&edited, &original, &edited] {
            apply(&mut host, text);
            let again = check(&host.analysis(), Some(&before));
            let fresh = check(&host.analysis(), None);
            let (incremental, expected) = (described(&again), described(&fresh));
            if incremental != expected {
                let mut lines = incremental.lines().zip(expected.lines());
                let first = lines.find(|(one, other)| one != other);
                return Some(format!("program {seed}, edit {edit}: {first:#?}\n{text}"));
            }
            before = again;
        }
    }
    None
}

#[test]
fn functions_that_are_entered_otherwise_are_checked_as_if_afresh() {
    let seeds: Vec<u64> = (0..cases("RACELENS_CALLING_PROGRAMS", USUAL_PROGRAMS)).collect();
    let found = side_by_side(&seeds, &|seed| disagreement(*seed));
    let found: Vec<String> = found.into_iter().flatten().collect();
    assert!(
        found.is_empty(),
        "{} of {} programs differ:\n{}",
        found.len(),
        seeds.len(),
        found[0]
    );
}
