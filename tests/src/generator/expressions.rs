//! Expressions: pure ones, and ones that change exactly one thing after the other.

use super::{Generator, Kind, Variable};

impl Generator {
    /// An expression of some arithmetic type without effects.
    pub(super) fn pure(&mut self, depth: usize) -> String {
        if self.random.one_in(5) {
            self.float(depth)
        } else {
            self.integer(depth)
        }
    }

    fn float(&mut self, depth: usize) -> String {
        if depth == 0 {
            let floats = self.variables.iter().filter(|it| it.kind == Kind::Float);
            let paths: Vec<String> = floats.map(|it| it.path.clone()).collect();
            return match self.random.below(3) {
                0 => self
                    .random
                    .pick(&["1.5", "0.25f", "1e3", "0x1.8p1", "2.f"])
                    .into(),
                _ => paths[self.random.below(paths.len())].clone(),
            };
        }
        let depth = depth - 1;
        match self.random.below(5) {
            0 => format!("((double){})", self.integer(depth)),
            1 => format!("((float){})", self.integer(depth)),
            2 => format!("(-{})", self.float(depth)),
            3 => format!(
                "({} ? {} : {})",
                self.pure(depth),
                self.float(depth),
                self.pure(depth)
            ),
            _ => {
                let operator = self.random.pick(&["+", "-", "*"]);
                format!("({} {operator} {})", self.float(depth), self.pure(depth))
            }
        }
    }

    /// An expression of an integer type without effects.
    pub(super) fn integer(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(8) {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.random.below(21) {
            0..=2 => {
                let operator = self.random.pick(&["+", "-", "*"]);
                format!(
                    "({} {operator} {})",
                    self.integer(depth),
                    self.integer(depth)
                )
            }
            3 | 4 => {
                let operator = self.random.pick(&["&", "|", "^"]);
                format!(
                    "({} {operator} {})",
                    self.integer(depth),
                    self.integer(depth)
                )
            }
            5 => {
                let operator = self.random.pick(&["<<", ">>"]);
                let (left, right) = (self.integer(depth), self.integer(depth));
                format!("({left} {operator} ({right} & 7))")
            }
            6 => {
                let operator = self.random.pick(&["/", "%"]);
                let (left, right) = (self.integer(depth), self.integer(depth));
                format!("({left} {operator} (({right} & 15) + 1))")
            }
            7 | 8 => {
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {operator} {})", self.pure(depth), self.pure(depth))
            }
            9 => {
                let operator = self.random.pick(&["&&", "||"]);
                format!("({} {operator} {})", self.pure(depth), self.pure(depth))
            }
            10 => format!(
                "({} ? {} : {})",
                self.pure(depth),
                self.integer(depth),
                self.integer(depth)
            ),
            11 => format!("({} ?: {})", self.integer(depth), self.integer(depth)),
            12 => format!("(-{})", self.integer(depth)),
            13 => {
                let operator = self.random.pick(&["~", "+", "!", "!!"]);
                format!("({operator}{})", self.integer(depth))
            }
            14 => {
                let ty = self.integer_type();
                format!("(({ty}){})", self.integer(depth))
            }
            15 => format!("((_Bool){})", self.pure(depth)),
            16 => {
                let name = self.new_name("t");
                let ty = self.integer_type();
                let value = self.integer(depth);
                format!("({{ {ty} {name} = {value}; {name} += 3; {name}; }})")
            }
            17 => {
                let (a, b) = (self.integer(depth), self.integer(depth));
                let index = self.random.below(2);
                format!("((int[]){{ {a}, {b} }})[{index}]")
            }
            18 => {
                let (a, b) = (self.integer(depth), self.integer(depth));
                format!("((struct inner){{ .x = {a}, .z = {b} }}).z")
            }
            19 => format!("fit({})", self.float(depth)),
            _ => format!("({}, {})", self.leaf(), self.integer(depth)),
        }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(12) {
            0 | 1 => format!("({})", self.constant()),
            2 => "(long)(pi - ga)".into(),
            3 => {
                let choices = [
                    "(pi == ga)",
                    "(pi < ga + 4)",
                    "!pi",
                    "(po == &go)",
                    "\"abc\"[1]",
                    "gat",
                ];
                self.random.pick(&choices).into()
            }
            4 if !self.loops.is_empty() => {
                let index = self.random.below(self.loops.len());
                self.loops[index].clone()
            }
            _ => loop {
                let (path, kind) = self.lvalue();
                if kind != Kind::Float {
                    break path;
                }
            },
        }
    }

    /// Something that can be assigned to, with its indices filled in.
    pub(super) fn lvalue(&mut self) -> (String, Kind) {
        let index = self.random.below(self.variables.len());
        let Variable {
            path,
            kind,
            extents,
        } = self.variables[index].clone();
        let mut text = String::new();
        let mut extents = extents.into_iter();
        for (position, part) in path.split("{}").enumerate() {
            if position > 0 {
                text.push_str(&self.index(extents.next().unwrap_or(1)));
            }
            text.push_str(part);
        }
        (text, kind)
    }

    fn index(&mut self, extent: usize) -> String {
        let simple = ["g0", "g1", "g2", "gv", "ga[1]", "go.f0"];
        match self.random.below(3) {
            0 => self.random.below(extent).to_string(),
            1 if !self.loops.is_empty() => {
                let counter = self.random.below(self.loops.len());
                format!("({} & {})", self.loops[counter], extent - 1)
            }
            _ => format!("({} & {})", self.random.pick(&simple), extent - 1),
        }
    }

    /// An expression that changes something. Several changes stand behind sequence points.
    pub(super) fn effect(&mut self, depth: usize) -> String {
        let (target, kind) = self.lvalue();
        if depth > 0 && self.random.one_in(3) {
            let depth = depth - 1;
            let (first, second) = (self.effect(depth), self.effect(depth));
            return match self.random.below(4) {
                0 => format!("(({first}), ({second}))"),
                1 => format!("(({first}) && ({second}))"),
                2 => format!("({} ? ({first}) : ({second}))", self.pure(depth)),
                _ => format!("(({first}) || ({second}))"),
            };
        }
        if kind == Kind::Float {
            let operator = self.random.pick(&["=", "+=", "-=", "*="]);
            let value = self.pure(depth.min(2));
            // Kept small, so that it can be shown as a number.
            return format!("{target} {operator} small({value})");
        }
        match self.random.below(7) {
            0 => format!("{target}++"),
            1 => format!("--{target}"),
            2 => {
                let operator = self.random.pick(&["&=", "|=", "^=", "+=", "-=", "*="]);
                format!("{target} {operator} {}", self.integer(1))
            }
            3 => {
                let operator = self.random.pick(&["<<=", ">>="]);
                format!("{target} {operator} ({} & 7)", self.integer(1))
            }
            4 => {
                let operator = self.random.pick(&["/=", "%="]);
                format!("{target} {operator} ({} & 7) + 1", self.integer(1))
            }
            5 => {
                // The value of an assignment is what the target holds then.
                let other = self.random.pick(&["g0", "g3", "gd"]);
                format!("{other} = ({target} = {})", self.integer(depth.min(2)))
            }
            _ => format!("{target} = {}", self.integer(depth.min(2))),
        }
    }
}
