//! What the pointers of small C programs point to.

use expect_test::{Expect, expect};
use racelens_analysis::db::unit_environment;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::frontend::lower::Environment;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use racelens_analysis::ir::{Body, Callee, FunctionRef, Statement};
use racelens_analysis::models::Models;
use racelens_analysis::points_to::{
    Class, Object, PointsTo, constraints_with_layouts, disagreement, solve,
};
use std::sync::Arc;
use ustr::Ustr;

/// `probe(p)` prints what `p` points to: a letter for the class, the objects in it, whether it is
/// shared, and where its pointers lead. An indirect call prints the functions that it may call.
fn check(text: &str, expected: Expect) {
    let (bodies, solution) = analyse(text);
    let mut lines = Vec::new();
    let mut letters: Vec<Class> = Vec::new();
    for body in &bodies {
        let name = body.function.name;
        for (id, statement) in body.statements() {
            let Statement::Call {
                callee, arguments, ..
            } = statement
            else {
                continue;
            };
            match callee {
                Callee::Indirect(_) => {
                    let targets = solution.call_targets(body.function, id);
                    let names: Vec<&str> = targets.iter().map(|f| f.name.as_str()).collect();
                    lines.push(format!("{name} calls {}", list(&names)));
                }
                Callee::Direct(function) if function.name == "probe" => {
                    let line = match solution.pointee(body.function, &arguments[0]) {
                        Some(class) => describe(&solution, class, &mut letters),
                        None => "nothing".to_owned(),
                    };
                    lines.push(format!("{name}: {line}"));
                }
                Callee::Direct(_) => {}
            }
        }
    }
    expected.assert_eq(&lines.join("\n"));
}

fn analyse(text: &str) -> (Vec<Arc<Body>>, PointsTo) {
    let mut host = AnalysisHost::default();
    let unit = UnitChange {
        path: Ustr::from("test.c"),
        text: Some(Arc::from(format!("{DECLARATIONS}{text}"))),
        data_model: DataModel::LP64,
    };
    host.apply(Change { units: vec![unit] });
    let analysis = host.analysis();
    let models = Models::builtin()
        .extended(&[("probe.toml", PROBE)])
        .unwrap();
    let mut bodies = Vec::new();
    let mut functions = Vec::new();
    for function in analysis.functions() {
        let Some(body) = analysis.body(function) else {
            continue;
        };
        let environment = unit_environment(analysis.database(), function.unit(analysis.database()));
        let found =
            constraints_with_layouts(&body, &models, &|record| environment.record_layout(record));
        functions.push((body.function, Arc::new(found)));
        bodies.push(body);
    }
    let names: Vec<FunctionRef> = bodies.iter().map(|body| body.function).collect();
    let resolve = |function: FunctionRef| {
        let known = names.iter().copied();
        known.filter(|name| *name == function).collect()
    };
    // The slow twin of the solver reads every program, too.
    assert_eq!(disagreement(&functions, &resolve), None, "{text}");
    (bodies, solve(&functions, &resolve))
}

fn describe(solution: &PointsTo, class: Class, letters: &mut Vec<Class>) -> String {
    let mut text = letter(class, letters);
    let names: Vec<String> = solution.objects(class).iter().map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    text.push_str(&format!(" = {}", list(&names)));
    if let Some(target) = solution.deref(class) {
        text.push_str(&format!(" to {}", letter(target, letters)));
    }
    if solution.is_shared(class) {
        text.push_str(" shared");
    }
    text
}

fn letter(class: Class, letters: &mut Vec<Class>) -> String {
    let position = letters.iter().position(|known| *known == class);
    let position = position.unwrap_or_else(|| {
        letters.push(class);
        letters.len() - 1
    });
    char::from(b'A' + position as u8).to_string()
}

fn list(names: &[&str]) -> String {
    format!("{{{}}}", names.join(", "))
}

fn name(object: &Object) -> String {
    match object {
        Object::Global(global) => global.name.to_string(),
        Object::Local(function, local) => format!("{}.{}", function.name, local.0),
        Object::Heap(function, site) => {
            format!("new {}@{}.{}", function.name, site.block.0, site.index)
        }
        Object::String => "string".to_owned(),
        Object::Function(function) => format!("{}()", function.name),
    }
}

const PROBE: &str = "library = \"test\"\n[[model]]\nfunctions = [\"probe\"]\narguments = 1\neffects = [{ read = { pointer = \"arg0\", size = \"unknown\" } }]\n";

const DECLARATIONS: &str = "typedef unsigned long size_t; typedef unsigned long pthread_t;
void *malloc(size_t n); void *calloc(size_t n, size_t m); void *realloc(void *p, size_t n); void free(void *p); void abort(void);
void *memcpy(void *d, const void *s, size_t n); void *memset(void *d, int c, size_t n);
void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
int pthread_create(pthread_t *t, const void *a, void *(*entry)(void *), void *argument);
void probe(const void *p); void unknown();
int x, y, z; int *gp, *gq; __thread int tls;
";

#[test]
fn pointers_of_different_variables_stay_apart() {
    check(
        "void f(void) { int *p = &x, *q = &y, *r = p; probe(p); probe(q); probe(r); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: A = {x} shared"#]],
    );
}

#[test]
fn an_assignment_unites_what_both_point_to() {
    check(
        "void f(int c) { int *p = &x, *q = &y; if (c) p = q; probe(p); probe(q); probe(&z); }",
        expect![[r#"
            f: A = {x, y} shared
            f: A = {x, y} shared
            f: B = {z} shared"#]],
    );
}

#[test]
fn members_of_an_object_are_told_apart() {
    check(
        "struct s { int *a, *b; int n; } s;
         void f(struct s *p) { s.a = &x; s.b = &y; probe(s.a); probe(s.b); probe(&s); probe(&s.n); p = &s; probe(p->b); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: C = {s} shared
            f: D = {s} shared
            f: B = {y} shared"#]],
    );
}

#[test]
fn function_pointers_in_structs_are_called() {
    check(
        "struct ops { int (*open)(int); int (*close)(int); };
         static int open1(int a) { return a; } static int close1(int a) { return a; } static int open2(int a) { return a; }
         static struct ops first = { open1, close1 };
         struct ops second = { .open = open2 };
         int use(struct ops *o) { return o->open(1) + o->close(2); }
         int f(void) { return use(&first); }
         int g(void) { return second.open(3); }",
        expect![[r#"
            use calls {open1}
            use calls {close1}
            g calls {open2}"#]],
    );
}

#[test]
fn tables_of_functions_are_called() {
    check(
        "static int a(int n) { return n; } static int b(int n) { return n; } static int c(void) { return 0; }
         int (*table[])(int) = { a, b };
         int f(int n) { static int (*own[])(int) = { b, (int (*)(int))c }; return table[n](n) + own[n](n); }",
        expect![[r#"
            f calls {a, b}
            f calls {a, b}"#]],
    );
}

#[test]
fn callbacks_that_a_setter_registers_are_called() {
    check(
        "typedef void (*callback)(void *); static callback registered; static void *data;
         void set(callback c, void *d) { registered = c; data = d; }
         void mine(void *d) { probe(d); } void other(void *d) { probe(d); }
         void f(void) { set(mine, &x); } void run(void) { registered(data); } void g(void) { other(&y); }",
        expect![[r#"
            mine: A = {x} shared
            other: B = {y} shared
            run calls {mine}"#]],
    );
}

#[test]
fn library_functions_call_back() {
    check(
        "static int compare(const void *a, const void *b) { probe(a); return 0; }
         void f(int *numbers) { qsort(numbers, 3, sizeof(int), compare); } void g(void) { f(&x); }",
        expect!["compare: A = {x} shared"],
    );
}

#[test]
fn what_a_thread_gets_is_shared() {
    check(
        "struct job { int n; int *result; };
         void *work(void *argument) { struct job *job = argument; probe(job); probe(job->result); return 0; }
         void f(void) { pthread_t t; int private, result; struct job job; job.result = &result; pthread_create(&t, 0, work, &job);
             probe(&job); probe(&private); probe(&result); probe(&x); probe(&tls); }",
        expect![[r#"
            work: A = {f.3} shared
            work: B = {f.2} shared
            f: A = {f.3} shared
            f: C = {f.1}
            f: B = {f.2} shared
            f: D = {x} shared
            f: E = {tls}"#]],
    );
}

#[test]
fn what_an_unknown_function_gets_is_shared() {
    check(
        "void f(void) { int *p = malloc(4), *q = malloc(4); int *r; unknown(&p); probe(p); probe(q); probe(r); }",
        expect![[r#"
            f: A = {new f@0.0} shared
            f: B = {new f@0.2}
            f: nothing"#]],
    );
}

#[test]
fn container_of_leads_to_the_containing_object() {
    check(
        "struct list { struct list *next; };
         struct item { int n; struct list link; int *p; }; struct other { long a, b; struct list link; };
         struct item item; struct other other; struct list *head;
         void add(struct list *l) { l->next = head; head = l; }
         void f(void) { add(&item.link); add(&other.link); item.p = &x; }
         struct item *of(struct list *l) { return (struct item *)((char *)l - __builtin_offsetof(struct item, link)); }
         void g(void) { struct item *i = of(head); probe(i); probe(i->p); probe(&i->n); probe(&other.a); probe(head); }",
        expect![[r#"
            g: A = {item} shared
            g: B = {x} shared
            g: C = {item} shared
            g: D = {other} shared
            g: E = {item, other} shared"#]],
    );
}

#[test]
fn a_derived_record_begins_with_its_base() {
    check(
        "struct base { int (*run)(struct base *); int *data; }; struct derived { struct base base; int *more; };
         int go(struct base *b) { struct derived *d = (struct derived *)b; probe(d->more); probe(b->data); probe(d->base.data); return 0; }
         struct derived object;
         void f(void) { object.base.run = go; object.base.data = &x; object.more = &y; }
         void g(void) { struct base *b = &object.base; b->run(b); }",
        expect![[r#"
            go: A = {y} shared
            go: B = {x} shared
            go: B = {x} shared
            g calls {go}"#]],
    );
}

#[test]
fn an_upward_cast_sees_the_same_members() {
    check(
        "struct base { int kind; int *data; }; struct derived { struct base base; int *more; };
         void use(struct base *b) { probe(b->data); }
         void f(struct derived *d) { d->base.data = &x; d->more = &y; use((struct base *)d); probe(d->more); }",
        expect![[r#"
            use: A = {x} shared
            f: B = {y} shared"#]],
    );
}

#[test]
fn records_that_begin_alike_share_what_they_have_in_common() {
    check(
        "struct one { int type; int *data; int *a; }; struct two { int type; int *data; long b; int *c; };
         void f(void *v) { ((struct one *)v)->data = &x; ((struct one *)v)->a = &y; probe(((struct two *)v)->data); probe(((struct two *)v)->c); }",
        expect![[r#"
            f: A = {x} shared
            f: nothing"#]],
    );
}

#[test]
fn a_visible_cast_lays_members_over_each_other() {
    check(
        "struct one { int *a; int *b; int *c; }; struct two { int *p; int *q; int *r; };
         void f(struct one *o) { o->a = &x; o->b = &y; struct two *t = (struct two *)o; probe(t->p); probe(t->q); probe(t->r); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: nothing"#]],
    );
}

#[test]
fn members_of_a_union_are_one() {
    check(
        "union u { int *p; long n; int *q; }; struct s { int *other; union u u; } s;
         void f(void) { s.u.p = &x; s.other = &y; probe(s.u.q); probe(s.other); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared"#]],
    );
}

#[test]
fn a_copy_of_a_record_keeps_the_objects_apart() {
    check(
        "struct s { int *a, *b; };
         void f(void) { struct s one, two; one.a = &x; one.b = &y; two = one; probe(two.a); probe(two.b); probe(&one); probe(&two); }
         void g(void) { struct s one, two; one.a = &z; memcpy(&two, &one, sizeof one); probe(two.a); }
         struct s make(void) { struct s s = { &x, 0 }; return s; } void take(struct s s) { probe(s.a); } void h(void) { take(make()); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: C = {f.0}
            f: D = {f.1}
            g: E = {z} shared
            take: A = {x} shared"#]],
    );
}

#[test]
fn linked_lists_are_one_class() {
    check(
        "struct node { struct node *next; int *data; };
         struct node *push(struct node *head, int *data) { struct node *n = malloc(sizeof *n); n->next = head; n->data = data; return n; }
         void f(void) { struct node *n = push(0, &x); n = push(n, &y); probe(n); probe(n->next); probe(n->next->next->data); }",
        expect![[r#"
            f: A = {new push@0.0}
            f: A = {new push@0.0}
            f: B = {x, y} shared"#]],
    );
}

#[test]
fn pointers_to_pointers_are_followed() {
    check(
        "void set(int **where, int *what) { *where = what; }
         void f(void) { int *p, *q = &z; set(&p, &x); probe(p); probe(q); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {z} shared"#]],
    );
}

#[test]
fn variable_arguments_flow_to_who_takes_them() {
    check(
        "typedef __builtin_va_list va_list;
         void inner(va_list list) { probe(__builtin_va_arg(list, int *)); }
         void outer(int n, ...) { va_list list; __builtin_va_start(list, n); inner(list); __builtin_va_end(list); }
         void log(const char *format, ...) { va_list list; __builtin_va_start(list, format); __builtin_va_end(list); }
         void f(void) { int *p = &x, *q = &y, *r = &z; outer(1, p, 3, q); log(\"%p %p\", p, r); probe(r); }",
        expect![[r#"
            inner: A = {x, y} shared
            f: B = {z} shared"#]],
    );
}

#[test]
fn recursion_ends() {
    check(
        "struct tree { struct tree *left, *right; int *value; };
         int *find(struct tree *t, int n) { if (!t) return 0; if (n) return find(t->left, n - 1); int *p = find(t->right, n); return p ? p : t->value; }
         void f(struct tree *t) { t->value = &x; probe(find(t, 3)); }",
        expect!["f: A = {x} shared"],
    );
}

#[test]
fn integers_carry_pointers() {
    check(
        "void f(void) { unsigned long n = (unsigned long)&x; n |= 1; int *p = (int *)(n & ~1ul); probe(p);
             unsigned long a = 3, b = a; long c = b; probe((void *)c); }",
        expect![[r#"
            f: A = {x} shared
            f: nothing"#]],
    );
}

#[test]
fn atomic_operations_move_pointers() {
    check(
        "int *slot; int *_Atomic other;
         void f(void) { __atomic_store_n(&slot, &x, 5); int *p = __atomic_load_n(&slot, 5); probe(p); int *old = __atomic_exchange_n(&gp, &y, 5); probe(old); probe(gp);
             other = &z; probe(other); int *want = 0; __atomic_compare_exchange_n(&gq, &want, &z, 0, 5, 5); probe(gq); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: B = {y} shared
            f: C = {z} shared
            f: C = {z} shared"#]],
    );
}

#[test]
fn allocations_are_told_apart_by_site() {
    check(
        "void f(void) { int *p = malloc(4), *q = malloc(4); probe(p); probe(q); p = realloc(p, 8); probe(p); }",
        expect![[r#"
            f: A = {new f@0.0, new f@0.6}
            f: B = {new f@0.2}
            f: A = {new f@0.0, new f@0.6}"#]],
    );
}

#[test]
fn library_functions_are_called_through_pointers() {
    check(
        "struct hooks { void *(*allocate)(size_t); void (*release)(void *); } hooks = { malloc, free };
         void f(void) { int *p = hooks.allocate(4); probe(p); hooks.release(p); }",
        expect![[r#"
            f calls {malloc}
            f: A = {new malloc@0.0}
            f calls {free}"#]],
    );
}

#[test]
fn a_cast_to_a_number_of_bytes_finds_the_member() {
    check(
        "struct s { int *a; int *b; };
         void f(struct s *s) { s->a = &x; s->b = &y; probe(*(int **)((char *)s + 8)); probe(*(int **)s); probe(s->a); }",
        expect![[r#"
            f: A = {y} shared
            f: B = {x} shared
            f: B = {x} shared"#]],
    );
}

#[test]
fn callers_of_an_allocation_function_have_objects_of_their_own() {
    check(
        "static void *checked(void *p) { if (!p) abort(); return p; }
         void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
         void *xcalloc(size_t n) { void *p = xmalloc(n); memset(p, 0, n); return p; }
         void *xchecked(size_t n) { return checked(malloc(n)); }
         void *counted(size_t n) { size_t *p = malloc(n + sizeof n); if (!p) return 0; *p = n; return p + 1; }
         void f(void) { int *p = xcalloc(4), *q = xcalloc(4), *r = xchecked(4), *s = xchecked(4), *t = counted(4), *u = counted(4);
             probe(p); probe(q); probe(r); probe(s); probe(t); probe(u); }",
        expect![[r#"
            f: A = {new f@0.0}
            f: B = {new f@0.2}
            f: C = {new xchecked@0.0}
            f: C = {new xchecked@0.0}
            f: D = {new f@0.8}
            f: E = {new f@0.10}"#]],
    );
}

#[test]
fn a_function_that_keeps_what_it_allocates_is_no_allocation_function() {
    check(
        "struct node { struct node *next; int *data; } *all;
         struct node *create(int *data) { struct node *n = malloc(sizeof *n); n->data = data; return n; }
         struct node *registered(void) { struct node *n = malloc(sizeof *n); n->next = all; all = n; return n; }
         void f(void) { struct node *a = create(&x), *b = registered(); probe(a->data); probe(b); probe(all); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {new registered@0.0} shared
            f: B = {new registered@0.0} shared"#]],
    );
}

#[test]
fn reallocation_keeps_contents_and_callers_apart() {
    check(
        "void *zrealloc(void *p, size_t n) { if (!p) return malloc(n); p = realloc(p, n); if (!p) abort(); return p; }
         void *outer(void *p, size_t n) { return zrealloc(p, n * 2); }
         void zfree(void *p) { if (p) free(p); }
         void f(void) { int **a = malloc(8), **b = malloc(8); *a = &x; *b = &y; a = outer(a, 16); b = outer(b, 16); probe(*a); probe(*b); probe(a); zfree(a); zfree(b); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: C = {new f@0.0, new f@0.8} to A"#]],
    );
}

#[test]
fn what_is_reallocated_and_kept_elsewhere_is_followed() {
    check(
        "int **kept; void grow(int **p) { kept = realloc(p, 16); }
         void f(void) { int **a = malloc(8); *a = &x; grow(a); probe(*kept); }",
        expect!["f: A = {x} shared"],
    );
}

#[test]
fn what_a_function_locks_is_followed() {
    check(
        "typedef struct { int held; } pthread_mutex_t; int pthread_mutex_lock(pthread_mutex_t *m);
         struct a { int n; pthread_mutex_t lock; } a; struct b { pthread_mutex_t lock; } b;
         void take(pthread_mutex_t *m) { pthread_mutex_lock(m); }
         void f(void) { take(&a.lock); take(&b.lock); probe(&a.lock); probe(&b.lock); }",
        expect![[r#"
            f: A = {a, b} shared
            f: A = {a, b} shared"#]],
    );
}

#[test]
fn members_of_records_in_a_union_are_told_apart_by_byte() {
    check(
        "struct one { int *a; int *b; }; struct two { int *p; int *q; }; union u { struct one one; struct two two; int *plain; } u;
         void f(void) { u.one.a = &x; u.one.b = &y; probe(u.two.p); probe(u.two.q); probe(u.plain); }",
        expect![[r#"
            f: A = {x} shared
            f: B = {y} shared
            f: A = {x} shared"#]],
    );
}

#[test]
fn a_move_to_an_unknown_byte_reaches_every_member_of_the_record() {
    check(
        "struct s { int *a; int *b; }; struct other { int *c; } other;
         void f(struct s *s, int n) { s->a = &x; s->b = &y; other.c = &z; probe(*(int **)((char *)s + n)); probe(s->a); probe(other.c); }
         struct s *g(struct s *s, int n) { s->a = &x; s->b = &z; struct s *t = (struct s *)((char *)s + n); probe(t->a); probe(t->b); return t; }",
        expect![[r#"
            f: A = {x, y} shared
            f: A = {x, y} shared
            f: B = {z} shared
            g: A = {x, y} shared
            g: B = {z} shared"#]],
    );
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }
}

const RANDOM_TYPES: &str = "
struct base { int *number; struct base *next; void *any; int (*run)(struct base *, void *); };
struct derived { struct base base; struct base *more; int *own; };
struct member { int *before; struct base inner; union { int *plain; struct base *pointer; struct { int *deep; void *any; } record; } u; };
struct base one, two, table[3]; struct derived big; struct member outer; void *anything; int *number; long integer;
";

/// Statements over the same few variables, so that they meet often.
fn random_program(random: &mut Random) -> String {
    let pointers = [
        "b",
        "c",
        "&one",
        "&two",
        "table",
        "table + 1",
        "big.more",
        "&big.base",
        "&outer.inner",
        "b->next",
        "(struct base *)d",
        "(struct base *)anything",
        "m->u.pointer",
        "&m->inner",
        "copy(b)",
        "make()",
    ];
    let assignable = [
        "b",
        "c",
        "b->next",
        "c->next",
        "table[1].next",
        "big.more",
        "d->more",
        "m->u.pointer",
        "outer.inner.next",
    ];
    let statements: [&dyn Fn(&mut Random) -> String; 16] = [
        &|random| format!("{} = {};", random.pick(&assignable), random.pick(&pointers)),
        &|random| format!("{} = {};", random.pick(&assignable), random.pick(&pointers)),
        &|random| {
            format!(
                "{}->number = {};",
                random.pick(&["b", "c", "(&one)"]),
                random.pick(&["&x", "&y", "number", "m->before", "m->u.plain"])
            )
        },
        &|random| {
            format!(
                "*{} = *{};",
                random.pick(&["b", "c", "(&one)"]),
                random.pick(&["b", "c", "(&two)"])
            )
        },
        &|random| {
            format!(
                "d = {};",
                random.pick(&[
                    "&big",
                    "(struct derived *)b",
                    "(struct derived *)anything",
                    "(struct derived *)m"
                ])
            )
        },
        &|random| {
            format!(
                "m = {};",
                random.pick(&[
                    "&outer",
                    "(struct member *)anything",
                    "(struct member *)((char *)b - __builtin_offsetof(struct member, inner))"
                ])
            )
        },
        &|random| {
            format!(
                "anything = {};",
                random.pick(&[
                    "b",
                    "d",
                    "m",
                    "number",
                    "&anything",
                    "malloc(8)",
                    "xmalloc(8)",
                    "b->any"
                ])
            )
        },
        &|random| {
            format!(
                "{}->run = {};",
                random.pick(&["b", "c", "m->u.pointer"]),
                random.pick(&["f0", "f1", "f2", "b->run"])
            )
        },
        &|random| {
            format!(
                "b->run({}, {});",
                random.pick(&["b", "c"]),
                random.pick(&["anything", "d", "number"])
            )
        },
        &|random| {
            format!(
                "{}(b, {});",
                random.pick(&["f0", "f1", "f2"]),
                random.pick(&["anything", "c", "m", "number"])
            )
        },
        &|random| {
            format!(
                "integer = (long){}; number = (int *)(integer & ~1l);",
                random.pick(&["b", "number", "anything"])
            )
        },
        &|random| {
            format!(
                "memcpy({}, {}, 8);",
                random.pick(&["b", "anything", "&one"]),
                random.pick(&["c", "d", "&two"])
            )
        },
        &|random| {
            format!(
                "m->u.record.{} = {};",
                random.pick(&["deep", "any"]),
                random.pick(&["number", "anything"])
            )
        },
        &|random| {
            format!(
                "number = {};",
                random.pick(&[
                    "b->number",
                    "*(int **)b",
                    "*(int **)((char *)d + 8)",
                    "*(int **)((char *)b + integer)",
                    "&x",
                    "d->own"
                ])
            )
        },
        &|random| {
            format!(
                "var(1, {}, {});",
                random.pick(&["b", "c"]),
                random.pick(&["number", "anything"])
            )
        },
        &|random| {
            format!(
                "any = {}; b->any = any;",
                random.pick(&["b", "m", "&any", "any"])
            )
        },
    ];
    let mut text = String::from(RANDOM_TYPES);
    text.push_str("void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
        struct base *copy(struct base *b) { if (!b) abort(); return b; }
        struct base *make(void) { struct base *b = xmalloc(sizeof *b); return b; }
        void var(int n, ...) { __builtin_va_list list; __builtin_va_start(list, n); one.any = __builtin_va_arg(list, void *); }
        int f0(struct base *b, void *any); int f1(struct base *b, void *any); int f2(struct base *b, void *any);\n");
    for function in 0..3 {
        text.push_str(&format!("int f{function}(struct base *b, void *any) {{ struct base *c = b; struct derived *d = 0; struct member *m = 0;\n"));
        for _ in 0..random.below(5) {
            let statement = statements[random.below(statements.len())];
            text.push_str(&format!("    {}\n", statement(random)));
        }
        text.push_str("    return 0; }\n");
    }
    text
}

#[test]
fn random_programs_have_the_classes_of_the_slow_twin() {
    for seed in 0..150 {
        let text = random_program(&mut Random(seed));
        analyse(&text);
    }
}
