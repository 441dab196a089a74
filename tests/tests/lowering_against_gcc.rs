//! Random programs print the same, run natively, run as lowered by the front end, and run by the machine that verification
//! uses.

use racelens_tests::compiler;
use racelens_tests::front_end::FrontEnd;
use racelens_tests::generator::program;
use racelens_tests::interpreter::{Machine, Program, TOO_LONG};
use racelens_tests::machine_runs::{self, NotRun, Output};
use racelens_tests::random::cases;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The native `out`, behind the program so that the program itself needs no header.
const OUT: &str = "\nint printf(const char *, ...);\nvoid out(long n) { printf(\"%ld\\n\", n); }\n";

fn interpreted(text: &str) -> Result<String, String> {
    let lowered = Program::new(FrontEnd::read(text));
    let mut machine = Machine::start(&lowered).map_err(|fault| fault.to_string())?;
    machine
        .call("main", Vec::new())
        .map_err(|fault| fault.to_string())?;
    Ok(machine
        .output
        .iter()
        .map(|number| format!("{number}\n"))
        .collect())
}

/// `None` if all runs agree. Counts the programs that the machine of verification has run to their end.
fn difference_in(name: &str, text: &str, run_by_the_machine: &AtomicU64) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let native = match compiler::run(&format!("{text}{OUT}"), folder.path(), &[]) {
        Ok(output) => output,
        // gcc 12 fails on one program in six hundred, which says nothing about ours.
        Err(message) if message.contains("internal compiler error") => return None,
        Err(message) => return Some(format!("{name}: gcc: {message}\n{text}")),
    };
    if let Some(message) = machine_differs(text, &native, run_by_the_machine) {
        return Some(format!("{name}: {message}\n{text}"));
    }
    let ours = interpreted(text);
    if ours.as_ref() == Ok(&native) {
        return None;
    }
    let message = match ours {
        Err(fault) if fault.starts_with(TOO_LONG) => return None,
        Err(fault) => fault,
        Ok(ours) => {
            let pairs = native.lines().zip(ours.lines()).enumerate();
            let wrong: Vec<String> = pairs
                .filter(|(_, (native, ours))| native != ours)
                .take(5)
                .map(|(line, (native, ours))| format!("line {line}: {native} is {ours}"))
                .collect();
            wrong.join(", ")
        }
    };
    Some(format!("{name}: {message}\n{text}"))
}

/// What the machine that verification uses does differently; it may say that it does not know.
fn machine_differs(text: &str, native: &str, run: &AtomicU64) -> Option<String> {
    let numbers = native.lines().filter_map(|line| line.parse().ok());
    let native = Output::of(numbers);
    match machine_runs::run(text) {
        Ok(output) if output == native => {
            run.fetch_add(1, Ordering::Relaxed);
            None
        }
        Ok(output) => Some(format!("the machine puts out {output:?}, not {native:?}")),
        Err(NotRun::Fault(fault)) => Some(format!("the machine takes it for undefined: {fault}")),
        Err(NotRun::Limit(limit)) => {
            eprintln!("not run by the machine: {limit}");
            None
        }
    }
}

/// Constructs that random programs rarely or never have. Each is the text of `main` and around it.
const PROGRAMS: &[(&str, &str)] = &[
    ("guards run when scopes are left", "int depth; void leave(int *p) { depth -= *p; out(depth); }
#define GUARD(n) int g##n __attribute__((cleanup(leave))) = n; depth += n
int f(int x) { GUARD(1); for (int i = 0; i < 3; i++) { GUARD(2); if (i == x) break; if (i == 1) continue; { GUARD(4); if (x == 7) goto out; } } out: { GUARD(8); if (x == 2) return depth; } return ({ GUARD(16); depth + 100; }); }
int main(void) { for (int x = 0; x < 8; x++) out(f(x)); return 0; }"),
    ("a device of Duff", "int main(void) { int count = 17, n = (count + 3) / 4, sum = 0; switch (count % 4) { case 0: do { sum += 1; case 3: sum += 10; case 2: sum += 100; case 1: sum += 1000; } while (--n > 0); } out(sum); return 0; }"),
    ("switches in switches", "int f(int a, int b) { switch (a) { case 1: switch (b) { case 1: return 11; default: break; } case 2: return 2; default: switch (b) case 3: return 33; } return 0; } int main(void) { for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++) out(f(a, b)); return 0; }"),
    ("structs by value", "struct s { char c; long l[2]; }; struct s f(struct s a, int n) { a.l[0] += n; if (n > 0) { struct s b = f(a, n - 1); b.c++; return b; } return a; } int main(void) { struct s x = { 'a', { 1 } }, y = f(x, 4); out(x.l[0]); out(y.l[0]); out(y.c); out(f(y, 2).l[0]); struct s z = 1 ? x : y; out(z.c); return 0; }"),
    ("old-style definitions", "int add(a, b) int a; short b; { return a + b; } int main(void) { out(add(1, 2)); return 0; }"),
    ("wide strings", "int w[] = L\"ab\", *p = L\"xyz\"; unsigned short u[4] = u\"q\"; int main(void) { out(sizeof w); out(w[1]); out(p[2]); out(u[0]); out(u[2]); out(sizeof L\"four\"); out(L'x'); return 0; }"),
    ("pointers to pointers and rows", "int a[3][4] = { { 1, 2 }, [2] = { [3] = 9 } }; int sum(int (*m)[4], int n) { int s = 0; for (int i = 0; i < n; i++) for (int *p = m[i]; p < m[i] + 4; p++) s += *p * (i + 1); return s; } int main(void) { int *rows[3], **r = rows; for (int i = 0; i < 3; i++) *r++ = a[i]; out(sum(a, 3)); out(rows[2][3]); out(*(*(a + 2) + 3)); out((&a[2][3] - &a[0][0])); out(r - rows); int (*q)[3][4] = &a; out((*q)[2][3]); out(q[0][0][1]); return 0; }"),
    ("linked lists and casts", "struct n { struct n *next; int v; }; int main(void) { struct n *head = 0; for (int i = 0; i < 5; i++) { struct n *x = malloc(sizeof *x); *x = (struct n){ head, i * i }; head = x; } for (struct n **p = &head; *p; ) { if ((*p)->v % 2) { struct n *gone = *p; *p = gone->next; free(gone); } else p = &(*p)->next; } for (struct n *p = head; p; p = p->next) out(p->v); char *bytes = (char *)&head->v; out(bytes[0]); out(((struct n *)(bytes - __builtin_offsetof(struct n, v))) == head); return 0; }"),
    ("unions and punning", "union u { float f; unsigned i; unsigned char b[4]; struct { unsigned short lo, hi; }; }; int main(void) { union u x = { 1.5f }, y = { .hi = 0x4000 }; out(x.i); out(x.b[3]); out(x.hi); out((int)(y.f * 2)); x.b[0] = 7; out(x.i); return 0; }"),
    ("booleans", "int main(void) { _Bool b = 5; b--; out(b); b--; out(b); b += 7; out(b); b = 0.25; out(b); _Bool c = (char)256; out(c); int *p = 0; b = p; out(b); b = &c; out(b); out(b + b); out((_Bool)2 << 2); return 0; }"),
    ("characters and signs", "char c = 200; unsigned char u = 200; signed char s = -56; short h = -1; int main(void) { out(c == s); out(c < u); out((unsigned short)h); out(h < 1u); out((long)h < 1u); out(c >> 1); out(u << 4); out(~u); out(-u); out(c * u); out('\\377'); return 0; }"),
    ("statics keep their values", "int next(void) { static int n = 5, *p = &n; static struct { int a[2]; } s = { .a[1] = 3 }; static const char *const names[] = { \"a\", \"bc\" }; ++*p; s.a[1] += n; return s.a[1] + names[1][1]; } int main(void) { out(next()); out(next()); { static int n = 1; out(n++); } return 0; }"),
    ("addresses of literals", "int *keep(int *p) { *p += 1; return p; } int main(void) { int *p = keep((int[]){ 4, 5 }); out(p[0] + p[1]); int *q = &(int){ 3 }; *q *= 2; out(*q); struct { int a; } *s = (void *)&(int){ 8 }; out(s->a); out(sizeof(int[]){ 1, 2, 3 }); return 0; }"),
    ("gotos in and out of loops", "int main(void) { int i = 0; again: while (i < 10) { i++; if (i == 3) goto inside; if (i % 2) continue; out(i); if (0) { inside: out(-i); } if (i == 8) goto done; } done: if (i < 9) { i = 9; goto again; } out(i); return 0; }"),
    ("comma, conditional and short circuit", "int n; int inc(void) { return ++n; } int main(void) { int x = (inc(), inc(), inc() * 10); out(x); out(inc() > 100 && inc()); out(n); out(inc() > 1 || inc()); out(n); out(0 ?: inc()); out(!inc() ? 1 : inc()); out((n ? n : 1u) > -1); inc() && (x = 5); out(x); return 0; }"),
    ("alloca and local arrays", "int main(void) { int *p = __builtin_alloca(4 * sizeof *p); for (int i = 0; i < 4; i++) p[i] = i * i; out(p[3]); char text[8] = \"abc\"; text[3] = 'd'; for (char *c = text; *c; c++) out(*c); return 0; }"),
    ("generic selection and types", "#define kind(x) _Generic((x), int: 1, long: 2, char *: 3, double: 4, default: 5) \nint main(void) { char *s = \"\"; short h = 1; __typeof__(h + 1) t = 70000; __auto_type a = s; out(1); out(t); out(*a); return 0; }"),
    ("assignments as values", "struct { unsigned a : 3; int b : 4; } s; unsigned char u; int main(void) { int x = (s.a = 13); out(x); out(s.b = 9); out(u = 300); out((u += 100)); out(s.a++); out(++s.a); out(s.a -= 7); short h; long l = h = 70000; out(l); int i, j, k; i = j = k = 4; out(i += j -= k *= 2); out(j); return 0; }"),
];

#[test]
fn programs_of_every_construct_print_the_same() {
    let head = "extern void out(long);\nvoid *malloc(unsigned long); void free(void *);\n";
    let run = AtomicU64::new(0);
    let different: Vec<String> = PROGRAMS
        .par_iter()
        .filter_map(|(name, text)| {
            let preprocessed = compiler::preprocess(&format!("{head}{text}"));
            difference_in(name, &preprocessed, &run)
        })
        .collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// `RACELENS_PROGRAMS` asks for more than the usual number, `RACELENS_FIRST_PROGRAM` for a start.
#[test]
fn random_programs_print_the_same_natively_and_as_lowered() {
    let first = cases("RACELENS_FIRST_PROGRAM", 0);
    let count = cases("RACELENS_PROGRAMS", 150);
    let run = AtomicU64::new(0);
    let different: Vec<String> = (first..first + count)
        .into_par_iter()
        .filter_map(|seed| difference_in(&format!("seed {seed}"), &program(seed), &run))
        .collect();
    if let Some(shortest) = different.iter().min_by_key(|text| text.len()) {
        let first_lines: Vec<&str> = different
            .iter()
            .filter_map(|text| text.lines().next())
            .collect();
        panic!(
            "{} of {count} programs differ\n{shortest}\n{}",
            different.len(),
            first_lines.join("\n")
        );
    }
    let run = run.load(Ordering::Relaxed);
    eprintln!("the machine of verification ran {run} programs to their end");
    assert!(
        run * 10 >= count * 9,
        "the machine ran only {run} of {count} programs"
    );
}
