//! Which names stand for types, as lang-c keeps track of it.

/// The names of types at file scope, and what inner scopes made of names.
pub(super) struct Typedefs<'t> {
    /// Asked only where the meaning of a name decides.
    at_file_scope: &'t dyn Fn(&str) -> bool,
    /// Names that were declared in a way that matters, the innermost and latest last.
    declared: Vec<(&'t str, bool)>,
    /// How long `declared` was when each open scope began.
    scopes: Vec<usize>,
}

/// lang-c knows this one without a declaration.
const BUILTIN: &str = "__builtin_va_list";

impl<'t> Typedefs<'t> {
    pub fn new(at_file_scope: &'t dyn Fn(&str) -> bool) -> Typedefs<'t> {
        Typedefs {
            at_file_scope,
            declared: Vec::new(),
            scopes: Vec::new(),
        }
    }

    pub fn is_type(&self, name: &str) -> bool {
        match self.declared.iter().rev().find(|(known, _)| *known == name) {
            Some((_, is_type)) => *is_type,
            None => (self.at_file_scope)(name) || name == BUILTIN,
        }
    }

    pub fn declare_type(&mut self, name: &'t str) {
        if !self.is_type(name) {
            self.declared.push((name, true));
        }
    }

    /// A variable, function or parameter hides a type of the same name.
    pub fn declare_value(&mut self, name: &'t str) {
        if self.is_type(name) {
            self.declared.push((name, false));
        }
    }

    pub fn enter_scope(&mut self) {
        self.scopes.push(self.declared.len());
    }

    pub fn leave_scope(&mut self) {
        let length = self.scopes.pop().unwrap_or(0);
        self.declared.truncate(length);
    }
}
