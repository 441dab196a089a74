//! A broken promise about locks as a message with an excerpt.

use super::super::Violation;
use super::super::source_excerpt::{Mark, harmless};
use super::{TextWriter, words};
use annotate_snippets::{Element, Level};

impl TextWriter {
    pub(super) fn violation(&self, violation: &Violation, in_full: bool) -> String {
        let label = match &violation.thread {
            Some(thread) => {
                let holding = words::holding(&violation.locks);
                format!("in thread `{}`, {holding}", thread.name)
            }
            None => String::new(),
        };
        let mut marks = vec![Mark {
            place: violation.place.clone(),
            length: violation.length,
            expression: Some(violation.subject.clone()),
            label,
            is_primary: true,
        }];
        for lock in &violation.locks {
            marks.extend(lock.acquired.iter().map(|place| Mark {
                place: place.clone(),
                length: 0,
                expression: None,
                label: words::lock_taken(&lock.name, lock.shared),
                is_primary: false,
            }));
        }
        let mut elements = self.sources.excerpts(&marks, &self.base);
        if let Some(way) = self.violation_way(violation) {
            elements.push(self.remark(Level::NOTE, &way).into());
        }
        if let Some(comment) = violation.benign_comment.as_ref().filter(|_| in_full) {
            let path = self.base.shown(&comment.place.path);
            let line = comment.place.line;
            let text = format!(
                "if this is benign, write above {path}:{line}: {}",
                comment.text
            );
            elements.push(Element::from(self.remark(Level::HELP, &text)));
        }
        let title = format!("{} [{}]", harmless(&violation.message), violation.id);
        let title = Level::WARNING
            .primary_title(title)
            .id(violation.code.clone());
        self.renderer.render(&[title.elements(elements)])
    }

    fn violation_way(&self, violation: &Violation) -> Option<String> {
        let thread = violation.thread.as_ref()?;
        if violation.path.is_empty() && thread.started.is_none() {
            return None;
        }
        let mut text = format!("it runs in {}", words::thread(thread, &self.base));
        if !violation.path.is_empty() {
            let path = words::path(&thread.name, &violation.path, usize::MAX, &self.base);
            text.push_str(&format!("\n{path}"));
        }
        Some(text)
    }
}
