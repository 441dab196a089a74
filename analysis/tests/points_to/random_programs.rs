//! Random programs: the solver finds the classes that its slow twin finds.

use crate::harness::analyse;

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
