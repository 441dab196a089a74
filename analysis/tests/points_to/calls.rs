//! Which functions calls reach, and what they get.

use crate::harness::check;
use expect_test::expect;

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
fn library_functions_are_called_through_pointers() {
    check(
        "struct hooks { void *(*allocate)(size_t); void (*release)(void *); } hooks = { malloc, free };
         void f(void) { int *p = hooks.allocate(4); probe(p); hooks.release(p); }",
        expect![[r#"
            f calls {malloc}
            f: A = {new}
            f calls {free}"#]],
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
