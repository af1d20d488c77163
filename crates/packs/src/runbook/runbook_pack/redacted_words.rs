//! Replaces secret values in texts of the pack itself, e.g. labels, reasons and observations. They
//! may come from inputs, git or programs, so everything is scanned before any of it is shown.

use std::collections::BTreeSet;

use windlass_base::{Entry, Item, Observation};
use windlass_redact::{redact_fields, redact_text, redact_under, redact_value};

use super::{PackSection, RunbookRef};

/// True if the name of an evidence file contains a secret value.
pub(super) fn names_hold_secrets(sections: &[PackSection]) -> bool {
    let entries = sections.iter().flat_map(|section| &section.entries);
    let items = entries.filter_map(|entry| match entry {
        Entry::Item(item) => Some(item),
        Entry::Observation(_) => None,
    });
    let places = items.flat_map(|item| &item.evidence).flat_map(|evidence| {
        let repair = evidence.judgement.repair.iter();
        let found = repair.flat_map(|repair| repair.evidence.iter().chain(&repair.candidates));
        found.chain([&evidence.pointer])
    });
    // Many locations are in the same file, so make sure to scan each name only once.
    let names: BTreeSet<&str> = places.map(|place| place.file.as_str()).collect();
    names
        .into_iter()
        .any(|name| !redact_text(name).1.is_empty())
}

fn redact(text: &mut String) {
    if !text.is_empty() {
        *text = redact_under(None, text);
    }
}

pub(super) fn redact_runbook(runbook: &mut RunbookRef) {
    redact(&mut runbook.title);
    redact(&mut runbook.purpose);
}

pub(super) fn redact_section(section: &mut PackSection) {
    redact(&mut section.title);
    section
        .reason
        .iter_mut()
        .chain(&mut section.help)
        .chain(&mut section.notes)
        .for_each(redact);
    for entry in &mut section.entries {
        match entry {
            Entry::Item(item) => redact_item(item),
            Entry::Observation(Observation { value, .. }) => {
                *value = redact_value(std::mem::take(value));
            }
        }
    }
}

fn redact_item(item: &mut Item) {
    redact(&mut item.label);
    item.id.iter_mut().chain(&mut item.kind).for_each(redact);
    let fields = std::mem::take(&mut item.fields);
    item.fields = redact_fields(fields);
    for evidence in &mut item.evidence {
        evidence.judgement.reason.iter_mut().for_each(redact);
    }
}
