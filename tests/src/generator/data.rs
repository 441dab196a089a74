//! Types and variables of a random program, with initialisers of every form.

use super::{Generator, Kind, Variable};

impl Generator {
    /// The declarations that every program has, with random contents.
    pub(super) fn declarations(&mut self) {
        self.line("extern void out(long);");
        self.line("void *malloc(unsigned long); void free(void *); void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);");
        self.line("static long fit(double d) { return d > -1e9 && d < 1e9 ? (long)d : 17; }");
        self.line("static double small(double d) { return d > -1e6 && d < 1e6 ? d : 0.5; }");
        let (a, b, c) = (
            self.integer_type(),
            self.integer_type(),
            self.integer_type(),
        );
        self.line(&format!(
            "struct inner {{ {a} x; {b} y[2]; struct {{ {c} z; double w; }}; }};"
        ));
        let widths: Vec<usize> = (0..5).map(|_| 1 + self.random.below(15)).collect();
        let wide = 33 + self.random.below(20);
        let (bits, d) = (self.integer_type(), self.integer_type());
        let unnamed = if self.random.one_in(2) {
            "int : 0; "
        } else {
            ""
        };
        let packed = if self.random.one_in(4) {
            "__attribute__((packed)) "
        } else {
            ""
        };
        self.line(&format!(
            "struct {packed}outer {{ {d} head; unsigned f0 : {}; int f1 : {}; {unnamed}unsigned short f2 : {}; long f3 : {wide}; _Bool f4 : 1; unsigned char f5 : {}; struct inner in; union {{ {bits} u; unsigned char bytes[8]; unsigned us : {}; }} un; struct inner rows[2][2]; }};",
            widths[0], widths[1], widths[2], widths[3].min(8), widths[4]
        ));
        self.line("enum choice { FIRST, SECOND = 5, THIRD, LAST = -3 };");
        self.globals();
        self.line("struct outer *po = &go; int *pi = ga; struct inner *pn = &go.rows[1][0];");
        for (path, kind, extents) in [
            ("(*po).head", Kind::Integer, vec![]),
            ("po->f0", Kind::BitField, vec![]),
            ("po->in.z", Kind::Integer, vec![]),
            ("po->rows[{}][{}].y[{}]", Kind::Integer, vec![2, 2, 2]),
            ("pi[{}]", Kind::Integer, vec![4]),
            ("(*(pi + {}))", Kind::Integer, vec![4]),
            ("pn->x", Kind::Integer, vec![]),
            ("pn->w", Kind::Float, vec![]),
            ("(&pn->y[0])[{}]", Kind::Integer, vec![2]),
            ("(*(&go.rows[0]))[{}].x", Kind::Integer, vec![2]),
            ("((unsigned char *)ga)[{}]", Kind::Integer, vec![32]),
        ] {
            self.variables.push(Variable {
                path: path.into(),
                kind,
                extents,
            });
        }
    }

    fn globals(&mut self) {
        for index in 0..6 {
            let ty = self.integer_type();
            let value = self.constant();
            let storage = if self.random.one_in(3) { "static " } else { "" };
            self.line(&format!("{storage}{ty} g{index} = {value};"));
            self.scalar(&format!("g{index}"), Kind::Integer);
        }
        let value = self.constant();
        self.line(&format!("double gd = {value}; float gf; _Bool gb = {value}; volatile int gv; _Atomic unsigned gat = 7;"));
        self.scalar("gd", Kind::Float);
        self.scalar("gf", Kind::Float);
        self.scalar("gb", Kind::Bool);
        self.scalar("gv", Kind::Integer);
        let list = self.constants(6);
        self.line(&format!("int ga[8] = {{ {list} }};"));
        self.indexed("ga[{}]", vec![8]);
        let list = self.constants(5);
        self.line(&format!("short gm[][2] = {{ {list} }};"));
        self.indexed("gm[{}][{}]", vec![2, 2]);
        let value = self.constant();
        self.line(&format!(
            "unsigned char gr[16] = {{ [3] = 1, 2, [8 ... 11] = {value}, [1] = 9 }};"
        ));
        self.indexed("gr[{}]", vec![16]);
        self.line("char gs[] = \"text\", gz[8] = { \"ab\" };");
        self.indexed("gz[{}]", vec![8]);
        self.indexed("gs[{}]", vec![4]);
        let initialiser = self.outer_initialiser();
        self.line(&format!("struct outer go = {initialiser}, gp;"));
        for object in ["go", "gp"] {
            self.members(object);
        }
        self.line("long sizes[] = { sizeof ga, sizeof gm, sizeof gs, sizeof(struct outer), sizeof gr / sizeof gr[0], __builtin_offsetof(struct outer, rows[1][1].w) };");
        self.indexed("sizes[{}]", vec![4]);
    }

    /// An initialiser of a `struct outer`, with or without designators and inner braces.
    pub(super) fn outer_initialiser(&mut self) -> String {
        let list = self.constants(4);
        match self.random.below(5) {
            0 => format!("{{ {list} }}"),
            1 => "{ .f1 = 1, 2, 3, .in = { 4, { 5 }, .w = 1.5 }, .un.bytes[2] = 6, 7 }".into(),
            2 => {
                let all = self.constants(14);
                format!("{{ {all} }}")
            }
            3 => "{ .rows[1][0].y[1] = 3, 4, .head = 1, .rows[0] = { { 1 }, { .z = 2 } } }".into(),
            _ => "{ 1, .in.y = { 2, 3 }, .in.z = 5, .f3 = -1, .f4 = 1, .un = { .us = 1 } }".into(),
        }
    }

    pub(super) fn members(&mut self, object: &str) {
        for name in ["head", "in.x", "in.z", "un.u"] {
            self.scalar(&format!("{object}.{name}"), Kind::Integer);
        }
        for name in ["f0", "f1", "f2", "f3", "f5", "un.us"] {
            self.scalar(&format!("{object}.{name}"), Kind::BitField);
        }
        self.scalar(&format!("{object}.f4"), Kind::BitField);
        self.scalar(&format!("{object}.in.w"), Kind::Float);
        self.indexed(&format!("{object}.in.y[{{}}]"), vec![2]);
        self.indexed(&format!("{object}.un.bytes[{{}}]"), vec![8]);
        self.indexed(&format!("{object}.rows[{{}}][{{}}].z"), vec![2, 2]);
    }

    pub(super) fn scalar(&mut self, path: &str, kind: Kind) {
        self.variables.push(Variable {
            path: path.into(),
            kind,
            extents: Vec::new(),
        });
    }

    pub(super) fn indexed(&mut self, path: &str, extents: Vec<usize>) {
        self.variables.push(Variable {
            path: path.into(),
            kind: Kind::Integer,
            extents,
        });
    }

    fn constants(&mut self, count: usize) -> String {
        let list: Vec<String> = (0..count).map(|_| self.constant()).collect();
        list.join(", ")
    }

    /// A constant expression whose value any type can hold, perhaps after a conversion.
    pub(super) fn constant(&mut self) -> String {
        let number = self.random.below(1000);
        match self.random.below(14) {
            0 => format!("-{number}"),
            1 => format!("{number}u"),
            2 => format!("{number}l"),
            3 => "'a'".into(),
            4 => "'\\xf0'".into(),
            5 => "sizeof(struct inner)".into(),
            6 => "THIRD".into(),
            7 => "LAST".into(),
            8 => format!("(sizeof(int) == 4 ? {number} : 2)"),
            9 => format!("(unsigned char)({number} * 3)"),
            10 => "~0u >> 3".into(),
            11 => format!("(-1 < 0u) + {number}"),
            12 => "(1 && 2) + (0 || 0)".into(),
            _ => number.to_string(),
        }
    }
}
