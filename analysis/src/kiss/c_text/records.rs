//! Records, each behind those that it contains, laid out as the program's compiler did.

use super::Printer;
use crate::frontend::layout::{Extent, LayoutAttributes, Member, record_layout};
use crate::ir::{Field, RecordLayout, RecordRef, Ty, TyKind};
use rustc_hash::FxHashSet;
use std::fmt::Write;

impl Printer<'_> {
    /// Prints the records that the types need.
    pub fn records(&self, types: &[Ty], text: &mut String) {
        let mut seen = FxHashSet::default();
        let mut wanted: Vec<RecordRef> = Vec::new();
        for ty in types {
            self.named_records(ty, &mut seen, &mut wanted);
        }
        wanted.sort_unstable_by_key(|record| self.names.record(*record));
        for record in &wanted {
            let _ = writeln!(
                text,
                "{} {};",
                self.record_word(*record),
                self.names.record(*record)
            );
        }
        let mut printed = FxHashSet::default();
        for record in wanted {
            self.record(record, &mut printed, text);
        }
        text.push('\n');
    }

    fn named_records(&self, ty: &Ty, seen: &mut FxHashSet<RecordRef>, found: &mut Vec<RecordRef>) {
        match ty.kind() {
            TyKind::Record(record) => {
                if !seen.insert(*record) {
                    return;
                }
                found.push(*record);
                if let Some(layout) = self.program.layout(*record) {
                    for field in &layout.fields {
                        self.named_records(&field.ty, seen, found);
                    }
                }
            }
            TyKind::Pointer(inner)
            | TyKind::Array { element: inner, .. }
            | TyKind::Vector { element: inner, .. } => self.named_records(inner, seen, found),
            TyKind::Function(function) => {
                self.named_records(&function.result, seen, found);
                for parameter in &function.parameters {
                    self.named_records(parameter, seen, found);
                }
            }
            _ => {}
        }
    }

    fn record(&self, record: RecordRef, printed: &mut FxHashSet<RecordRef>, text: &mut String) {
        let Some(layout) = self.program.layout(record) else {
            return;
        };
        if !printed.insert(record) {
            return;
        }
        for field in &layout.fields {
            if let Some(inner) = contained(&field.ty) {
                self.record(inner, printed, text);
            }
        }
        let (word, tag) = (self.record_word(record), self.names.record(record));
        let _ = writeln!(text, "{word} {tag} {{");
        let is_union = is_union(layout);
        let natural = self.is_natural(layout, is_union);
        // Where the member before ends, in bits.
        let mut end = 0;
        for (index, field) in layout.fields.iter().enumerate() {
            if !natural && !is_union {
                padding(index, field, end, text);
            }
            let width = match field.bits {
                Some(bits) => format!(" : {}", bits.width),
                None => String::new(),
            };
            let declared = self.declare(&field.ty, &field_name(field));
            let _ = writeln!(text, "    {declared}{width};");
            end = field.offset * 8
                + match field.bits {
                    Some(bits) => u64::from(bits.offset + bits.width),
                    None => self.program.size_of(&field.ty).unwrap_or(0) * 8,
                };
        }
        let end = end.div_ceil(8);
        if layout.fields.is_empty() && layout.size > 0 {
            let _ = writeln!(text, "    char padding[{}];", layout.size);
        } else if !natural && !is_union && layout.size > end && layout.size - end >= layout.align {
            let _ = writeln!(text, "    char padding[{}];", layout.size - end);
        }
        if natural {
            text.push_str("};\n");
        } else {
            let _ = writeln!(
                text,
                "}} __attribute__((packed, aligned({})));",
                layout.align
            );
        }
        let _ = writeln!(
            text,
            "_Static_assert(sizeof({word} {tag}) == {}, \"the size of {word} {tag}\");",
            layout.size
        );
    }

    /// Whether a compiler that is told nothing would lay the members out like this.
    fn is_natural(&self, layout: &RecordLayout, is_union: bool) -> bool {
        let layouts = |record| self.program.layout(record).cloned();
        let members = layout
            .fields
            .iter()
            .map(|field| Member {
                extent: self
                    .program
                    .data_model
                    .extent(&field.ty.unqualified(), &layouts)
                    .or(Some(Extent::NOTHING)),
                bit_width: field.bits.map(|bits| bits.width),
                is_padding: false,
                attributes: LayoutAttributes::default(),
                field: field.clone(),
            })
            .collect();
        record_layout(members, is_union, LayoutAttributes::default()) == *layout
    }

    pub fn record_word(&self, record: RecordRef) -> &'static str {
        let layout = self.program.layout(record);
        let overlaps = layout.is_some_and(|layout| is_union(layout));
        if overlaps || record.is_union() {
            "union"
        } else {
            "struct"
        }
    }
}

/// Members that all begin at the beginning share their memory.
fn is_union(layout: &RecordLayout) -> bool {
    let starts =
        |field: &Field| field.offset == 0 && field.bits.is_none_or(|bits| bits.offset == 0);
    layout.fields.len() > 1 && layout.fields.iter().all(starts)
}

/// Room in front of a member of a packed record, where nothing else keeps members apart.
fn padding(index: usize, field: &Field, end: u64, text: &mut String) {
    let Some(bits) = field.bits else {
        let end = end.div_ceil(8);
        if field.offset > end {
            let _ = writeln!(text, "    char padding_{index}[{}];", field.offset - end);
        }
        return;
    };
    let mut missing = (field.offset * 8 + u64::from(bits.offset)).saturating_sub(end);
    while missing > 0 {
        let _ = writeln!(text, "    unsigned char : {};", missing.min(8));
        missing -= missing.min(8);
    }
}

/// The record that a member brings with it.
fn contained(ty: &Ty) -> Option<RecordRef> {
    match ty.kind() {
        TyKind::Record(record) => Some(*record),
        TyKind::Array { element, .. } | TyKind::Vector { element, .. } => contained(element),
        _ => None,
    }
}

/// A member's name in the text; the unnamed ones get one.
pub(super) fn field_name(field: &Field) -> String {
    member_name(field.name.as_str())
}

pub(super) fn member_name(name: &str) -> String {
    match name
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
    {
        Some(number) => format!("unnamed_{number}"),
        None => name.replace('$', "_"),
    }
}
