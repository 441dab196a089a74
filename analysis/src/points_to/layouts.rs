//! What members records have where.

use super::builder::element_record;
use super::constraints::Label;
use crate::ir::{Body, Field, RecordLayout, RecordRef};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The layouts that a function can ask for.
pub(super) struct Layouts<'a> {
    body: &'a Body,
    file_scope: &'a dyn Fn(RecordRef) -> Option<Arc<RecordLayout>>,
    known: FxHashMap<RecordRef, Option<Arc<RecordLayout>>>,
}

impl<'a> Layouts<'a> {
    pub fn new(
        body: &'a Body,
        file_scope: &'a dyn Fn(RecordRef) -> Option<Arc<RecordLayout>>,
    ) -> Layouts<'a> {
        Layouts {
            body,
            file_scope,
            known: FxHashMap::default(),
        }
    }

    pub fn get(&mut self, record: RecordRef) -> Option<Arc<RecordLayout>> {
        let (body, file_scope) = (self.body, self.file_scope);
        let found = self.known.entry(record).or_insert_with(|| {
            let own = body.records.iter().find(|(known, _)| *known == record);
            own.map(|(_, layout)| Arc::new(layout.clone()))
                .or_else(|| file_scope(record))
        });
        found.clone()
    }

    /// The members that lead from a record to the byte `offset` of it, where that is the first
    /// byte of something that is no record, or of the record `wanted`.
    pub fn path_to(
        &mut self,
        record: RecordRef,
        offset: u64,
        wanted: Option<RecordRef>,
    ) -> Option<Vec<Label>> {
        let mut path = Vec::new();
        let (mut record, mut offset) = (record, offset);
        loop {
            if wanted == Some(record) && offset == 0 && !path.is_empty() {
                return Some(path);
            }
            let layout = self.get(record)?;
            let field = field_at(&layout, offset)?;
            path.push(Label {
                record,
                name: field.name,
            });
            offset -= field.offset;
            let Some(inner) = element_record(&field.ty) else {
                // An array of scalars is one cell; the middle of a scalar is nothing.
                return (offset == 0 || field.ty.element().is_some()).then_some(path);
            };
            if let Some(size) = self.get(inner).map(|layout| layout.size)
                && size > 0
            {
                offset %= size;
            }
            record = inner;
        }
    }
}

/// The member that covers a byte. Of a union it is the first.
fn field_at(layout: &RecordLayout, offset: u64) -> Option<&Field> {
    let starts = layout.fields.iter().filter(|field| field.offset <= offset);
    starts.reduce(|best, field| {
        if field.offset > best.offset {
            field
        } else {
            best
        }
    })
}
