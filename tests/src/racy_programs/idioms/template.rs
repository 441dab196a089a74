//! The language in which idioms are written, and its rendering to C.
//!
//! | text | meaning |
//! |---|---|
//! | `?name:line`, `!name:line` | the line stands only with, or only without, this flaw or form |
//! | `$name` | a name of the scene's own |
//! | `<w object>`, `<r object>` | a line of its own: an access that writes, or that reads |
//! | `<a object>`, `<b object>` | a line of its own: any access |
//! | `<w *pointer>` | the same, through a pointer |
//!
//! The data is a `struct $data`; which members are accessed and how is the scene's choice.

use std::collections::BTreeSet;

use super::super::accesses::{access_text, declaration};
use super::super::plan::{Access, Moment, Scene};

/// The flaws and forms that a text asks for.
#[cfg(test)]
pub fn switches(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for mut line in text.lines() {
        while let Some((_, name, rest)) = condition(line) {
            found.insert(name);
            line = rest;
        }
    }
    found
}

/// The condition in front of a line: whether it asks for presence, the name, and the rest.
fn condition(line: &str) -> Option<(bool, &str, &str)> {
    let asks_for_presence = match line.chars().next()? {
        '?' => true,
        '!' => false,
        _ => return None,
    };
    let (name, rest) = line[1..].split_once(':')?;
    Some((asks_for_presence, name, rest))
}

/// The text of a scene whose names begin with `prefix`; its last function is `prefix_run`, or
/// `prefix_thread` where the scene has a thread of its own.
pub fn render(scene: &Scene, prefix: &str, seed: u64) -> String {
    let mut rendering = Rendering {
        scene,
        prefix,
        seed,
        helpers: BTreeSet::new(),
    };
    let body = rendering.body();
    let mut text = format!("// {prefix}: {}\n", scene.title());
    text.push_str(&rendering.data());
    for site in &rendering.helpers {
        text.push_str(&rendering.helper(*site));
    }
    text.push_str(&body);
    if scene.moment == Moment::InThread {
        text.push_str(&format!(
            "\nstatic void *{prefix}_thread(void *argument)\n{{\n    {prefix}_run();\n    return argument;\n}}\n"
        ));
    }
    text.push('\n');
    text
}

struct Rendering<'a> {
    scene: &'a Scene,
    prefix: &'a str,
    seed: u64,
    /// The sites whose access is in a function of its own.
    helpers: BTreeSet<char>,
}

impl Rendering<'_> {
    fn data(&self) -> String {
        let scene = self.scene;
        let members: BTreeSet<String> = scene
            .accesses()
            .into_iter()
            .map(|access| format!("    {}\n", declaration(access, self.seed)))
            .collect();
        let mut text = format!("struct {}_data {{\n", self.prefix);
        if !scene.idiom.members.is_empty() {
            text.push_str(&format!("    {}\n", self.named(scene.idiom.members)));
        }
        text.extend(members);
        text.push_str("};\n\n");
        text
    }

    fn helper(&self, site: char) -> String {
        let access = access_text(self.access(site), "object->", self.seed);
        let prefix = self.prefix;
        let mut text = format!(
            "static int {prefix}_touch_{site}(struct {prefix}_data *object, int round)\n{{\n    int seen = round;\n"
        );
        for line in access.before.iter().chain([&access.line]) {
            text.push_str(&format!("    {line}\n"));
        }
        text.push_str("    return seen;\n}\n\n");
        text
    }

    fn body(&mut self) -> String {
        let mut text = String::new();
        let mut function: Option<Vec<String>> = None;
        for line in self.scene.idiom.text.trim_matches('\n').lines() {
            let Some(line) = self.applies(line) else {
                continue;
            };
            let lines = self.lines(line);
            if line == "{" {
                function = Some(Vec::new());
            } else if line == "}"
                && let Some(body) = function.take()
            {
                text.push_str(&with_variables(&body));
            } else if let Some(body) = &mut function {
                body.extend(lines);
            } else {
                text.extend(lines.iter().map(|line| format!("{line}\n")));
            }
        }
        text
    }

    /// The line without its conditions, if they hold.
    fn applies<'t>(&self, line: &'t str) -> Option<&'t str> {
        let mut line = line;
        while let Some((asks_for_presence, name, rest)) = condition(line) {
            if self.scene.has(name) != asks_for_presence {
                return None;
            }
            line = rest;
        }
        Some(line)
    }

    fn lines(&mut self, line: &str) -> Vec<String> {
        let content = line.trim_start();
        let indentation = &line[..line.len() - content.len()];
        let inner = content
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'));
        let Some((site, object)) = inner.and_then(|inner| inner.split_once(' ')) else {
            return vec![self.named(line)];
        };
        let site = site.chars().next().unwrap_or('a');
        let object = self.named(object);
        if self.scene.in_helpers {
            self.helpers.insert(site);
            let address = match object.strip_prefix('*') {
                Some(pointer) => pointer.to_owned(),
                None => format!("&{object}"),
            };
            let call = format!("{}_touch_{site}({address}, round);", self.prefix);
            return vec![format!("{indentation}{call}")];
        }
        let place = match object.strip_prefix('*') {
            Some(pointer) => format!("{pointer}->"),
            None => format!("{object}."),
        };
        let access = access_text(self.access(site), &place, self.seed);
        match access.before {
            None => vec![format!("{indentation}{}", access.line)],
            Some(before) => vec![
                format!("{indentation}{{"),
                format!("{indentation}    {before}"),
                format!("{indentation}    {}", access.line),
                format!("{indentation}}}"),
            ],
        }
    }

    fn access(&self, site: char) -> Access {
        let scene = self.scene;
        match site {
            'w' => scene.write,
            'r' => scene.read,
            'a' => scene.others[0],
            _ => scene.others[1],
        }
    }

    /// The text with the scene's own names.
    fn named(&self, text: &str) -> String {
        text.replace('$', &format!("{}_", self.prefix))
    }
}

/// The body of a function with the variables that the lines of its accesses mention.
fn with_variables(body: &[String]) -> String {
    let mentions = |variable: &str| body.iter().any(|line| line.contains(variable));
    let mut text = String::from("{\n");
    if mentions("round") {
        text.push_str("    int round = 2;\n");
    }
    if mentions("seen +=") {
        text.push_str("    int seen = 0;\n    (void)seen;\n");
    }
    text.extend(body.iter().map(|line| format!("{line}\n")));
    text.push_str("}\n");
    text
}
