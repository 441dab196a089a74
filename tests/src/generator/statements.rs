//! Statements of every kind, each of which comes to an end.

use super::Generator;

impl Generator {
    pub(super) fn statement(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple_statement();
        }
        let depth = depth - 1;
        match self.random.below(13) {
            0 | 1 => {
                let condition = self.pure(2);
                let (then, otherwise) = (self.block(depth), self.block(depth));
                format!("if ({condition}) {then} else {otherwise}")
            }
            2 => {
                let condition = self.pure(2);
                format!("if ({condition}) {}", self.simple_statement())
            }
            3 | 4 => self.counting_loop(depth),
            5 => {
                let counter = self.new_name("k");
                let condition = self.pure(1);
                self.loops.push(counter.clone());
                let body = self.block(depth);
                self.loops.pop();
                format!(
                    "{{ int {counter} = 0; while ({counter}++ < 3 && ({condition}, 1)) {body} }}"
                )
            }
            6 => {
                let counter = self.new_name("k");
                self.loops.push(counter.clone());
                let body = self.block(depth);
                self.loops.pop();
                format!(
                    "{{ int {counter} = 0; do {{ {body} if ({counter} == 1) continue; }} while (++{counter} < 3); }}"
                )
            }
            7 | 8 => self.switch(depth),
            9 => {
                self.labels += 1;
                let label = format!("skip{}", self.labels);
                let condition = self.pure(1);
                let body = self.block(depth);
                format!("if ({condition}) goto {label}; {body} {label}: ;")
            }
            10 => self.computed_goto(depth),
            11 => self.local(depth),
            _ => self.simple_statement(),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(3);
        let known = self.variables.len();
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        self.variables.truncate(known);
        format!("{{ {} }}", statements.join(" "))
    }

    fn simple_statement(&mut self) -> String {
        match self.random.below(12) {
            0 => format!("out((long)({}));", self.integer(2)),
            1 => format!("pi = &ga[{} & 3];", self.integer(1)),
            2 => "{ pi = ga + 4; pi--; pi -= 1; pi = pi - 1; }".into(),
            3 => format!("po = {} ? &go : &gp;", self.pure(1)),
            4 => self
                .random
                .pick(&[
                    "gp = go;",
                    "go.in = gp.rows[1][0];",
                    "gp.rows[0][1] = *pn;",
                    "*pn = go.in;",
                    "pn = &po->rows[0][1];",
                    "{ pn = po->rows[1]; pn++; }",
                ])
                .into(),
            5 if !self.functions.is_empty() => {
                let index = self.random.below(self.functions.len());
                let function = self.functions[index].clone();
                let (a, b) = (self.integer(1), self.integer(1));
                format!("g4 = {function}({a}, {b});")
            }
            6 => format!("gat += {} & 255;", self.integer(1)),
            _ => format!("{};", self.effect(2)),
        }
    }

    fn counting_loop(&mut self, depth: usize) -> String {
        let counter = self.new_name("i");
        let ty = self.random.pick(&["int", "unsigned char", "long"]);
        let (skip, stop) = (self.pure(1), self.pure(1));
        self.loops.push(counter.clone());
        let body = self.block(depth);
        self.loops.pop();
        let count = 1 + self.random.below(5);
        format!(
            "for ({ty} {counter} = 0; {counter} < {count}; {counter}++) {{ if ({counter} == 2 && {skip}) continue; if ({counter} == 3 && {stop}) break; {body} }}"
        )
    }

    fn switch(&mut self, depth: usize) -> String {
        let value = self.integer(2);
        let ty = self
            .random
            .pick(&["int", "unsigned", "unsigned char", "long", "signed char"]);
        let mut text = format!("switch (({ty})({value})) {{ ");
        let mut used = std::collections::BTreeSet::new();
        for _ in 0..1 + self.random.below(4) {
            let low = self.random.below(200) as i64 - 40;
            if !used.insert(low / 10) || !used.insert(low / 10 + 1) {
                continue;
            }
            // A negative label converts to the type that the value has.
            let label = if self.random.one_in(3) && low >= 0 && low % 10 < 6 {
                format!("case {low} ... {}:", low + 3)
            } else {
                format!("case {low}:")
            };
            let body = self.block(depth);
            let leaves = if self.random.one_in(3) { "" } else { "break;" };
            text.push_str(&format!("{label} {body} {leaves} "));
        }
        if self.random.one_in(2) {
            let body = self.block(depth);
            text.push_str(&format!("default: {body} "));
        }
        text.push('}');
        text
    }

    fn computed_goto(&mut self, depth: usize) -> String {
        self.labels += 1;
        let label = format!("to{}", self.labels);
        let value = self.integer(1);
        let (first, second) = (self.block(depth), self.block(depth));
        format!(
            "{{ void *{label}t[] = {{ &&{label}a, &&{label}b }}; goto *{label}t[{value} & 1]; {label}a: {first} {label}b: {second} }}"
        )
    }

    /// A variable of the block, which later statements of the block can use.
    fn local(&mut self, depth: usize) -> String {
        let name = self.new_name("v");
        match self.random.below(6) {
            0 => {
                let initialiser = self.outer_initialiser();
                self.members(&name);
                format!("struct outer {name} = {initialiser};")
            }
            1 => {
                let value = self.integer(1);
                self.indexed(&format!("{name}[{{}}]"), vec![4]);
                format!("int {name}[4] = {{ {value}, [2] = 5 }};")
            }
            2 => {
                let value = self.constant();
                let ty = self.integer_type();
                self.scalar(&name, super::Kind::Integer);
                format!("static {ty} {name} = {value}; {name} += 3;")
            }
            3 => {
                self.scalar(&format!("{name}->x"), super::Kind::Integer);
                self.scalar(&format!("{name}->z"), super::Kind::Integer);
                format!(
                    "struct inner *{name} = memset(malloc(sizeof *{name}), 1, sizeof *{name}); memcpy({name}, &go.in, sizeof *{name} - 8);"
                )
            }
            4 => {
                let value = self.pure(depth.min(2));
                self.scalar(&name, super::Kind::Float);
                let ty = self.random.pick(&["double", "float"]);
                format!("{ty} {name} = small({value});")
            }
            _ => {
                let (ty, value) = (self.integer_type(), self.integer(2));
                self.scalar(&name, super::Kind::Integer);
                format!("{ty} {name} = {value};")
            }
        }
    }
}
