//! Functions, and the `main` that shows what became of every variable.

use super::{Generator, Kind};

impl Generator {
    pub(super) fn function(&mut self) {
        let name = format!("f{}", self.functions.len());
        let (result, first, second) = (
            self.integer_type(),
            self.integer_type(),
            self.integer_type(),
        );
        let known = self.variables.len();
        self.scalar("a", Kind::Integer);
        self.scalar("b", Kind::Integer);
        let mut body = String::new();
        match self.random.below(4) {
            0 => body.push_str(&format!(
                "static int depth; if (depth < 3) {{ depth++; long deeper = {name}(b, a); g1 += deeper; depth--; }}\n"
            )),
            1 => body.push_str("int *pa = (int[]){ 1, 2 }; g2 += pa[a & 1];\n"),
            2 => body.push_str("struct outer copy = go; copy.in.x = a; go = copy;\n"),
            _ => {}
        }
        for _ in 0..3 + self.random.below(4) {
            let statement = self.statement(2);
            body.push_str(&statement);
            body.push('\n');
        }
        let value = self.integer(2);
        self.variables.truncate(known);
        self.line(&format!(
            "{result} {name}({first} a, {second} b)\n{{\n{body}return {value};\n}}"
        ));
        self.functions.push(name);
    }

    pub(super) fn main_function(&mut self) {
        self.line("struct inner make(int n) { struct inner r = { n }; r.y[1] = n + 1; return r; }");
        self.line("static int apply(int (*f)(int), int n) { return f(n) + (*f)(n + 1); }");
        self.line("static int twice(int n) { return n * 2; }");
        self.line("static int (*const table[])(int) = { twice, &twice };");
        self.line("struct ops { int (*op)(int); struct inner (*make)(int); } ops = { .make = make, .op = twice };");
        let mut body = String::new();
        let calls = self.functions.clone();
        for function in calls {
            let (a, b) = (self.random.below(100), self.random.below(100));
            body.push_str(&format!("out((long){function}({a}, -{b}));\n"));
        }
        body.push_str("out(make(g0).y[1]); out(apply(twice, g1)); out(table[1](3)); out(ops.make(4).x + ops.op(5));\n");
        for (index, variable) in self.variables.clone().into_iter().enumerate() {
            // Pointers may lead to locals' copies; the variables themselves tell all.
            let scaled = if variable.kind == Kind::Float {
                let path = variable.path;
                format!("({path} > -1e9 && {path} < 1e9 ? (long)({path} * 16) : 7)")
            } else {
                variable.path
            };
            let mut text = scaled;
            for extent in variable.extents {
                text = text.replacen("{}", &(index % extent).to_string(), 1);
            }
            body.push_str(&format!("out((long)({text}));\n"));
        }
        self.line(&format!("int main(void)\n{{\n{body}return 0;\n}}"));
    }
}
