//! Splits a pack into the parts that we always show and those that are optional.

use std::collections::BTreeMap;

use super::Group;
use crate::context::excerpt_lines::{Part, head_and_rest, parts};
use crate::context::model::pack_items::{
    RESOLVED_ITEM, artifact_item, change_item, decision_item, doc_item, failure_item, file_item,
    note_item, origins,
};
use crate::context::{ContextPack, Origin, Priority, SourceKind, SourceSpan};

/// Number of failures that are always shown with more than their names.
const NAMED_FAILURES: usize = 20;

/// Number of lines of a failure's output that come before any document. They tend to have the
/// assertion or the panic, with the values that were compared.
const FAILURE_HEAD: usize = 8;

/// A part of the pack that can be shown, shortened or left out.
pub(super) struct Item<'a> {
    pub(super) name: String,
    pub(super) named: Named,
    /// The text of the item's entry in a list, used to estimate its size.
    pub(super) head: String,
    /// The item's own text, split at gaps. It is empty for an item without text.
    pub(super) parts: Vec<Part<'a>>,
    pub(super) text_group: Group,
    /// The group of the text's first part, if that is another one.
    pub(super) head_group: Option<Group>,
    pub(super) rank: u32,
}

impl Item<'_> {
    pub(super) fn group_of(&self, part: usize) -> Group {
        let own = self.head_group.filter(|_| part == 0);
        own.unwrap_or(self.text_group)
    }
}

/// Decides when an item is listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Always,
    In(Group),
}

/// The extent of a view. Only the whole pack includes the request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    Part,
}

/// The shown part of an item: if it is listed at all, and the number of lines of each part of its
/// text.
#[derive(Clone)]
pub(super) struct Shape {
    pub(super) named: bool,
    pub(super) lines: Vec<usize>,
}

pub(super) struct Outline<'a> {
    pub(super) pack: &'a ContextPack,
    pub(super) origins: BTreeMap<&'a str, &'a Origin>,
    pub(super) items: Vec<Item<'a>>,
}

impl<'a> Outline<'a> {
    pub(super) fn of(pack: &'a ContextPack) -> Self {
        let mut outline = Self {
            pack,
            origins: origins(pack),
            items: Vec::new(),
        };
        outline.take_documents();
        outline.take_delta();
        outline.take_files();
        outline.take_rest();
        outline
    }

    fn add(
        &mut self,
        name: String,
        named: Named,
        head: &impl serde::Serialize,
        text: Option<&'a str>,
        text_group: Group,
    ) {
        let origin = self.origins.get(name.as_str()).copied();
        let spans: &[SourceSpan] = origin.map_or(&[], |origin| &origin.source.spans);
        let why = origin.map(|origin| (&origin.why, &origin.source.path));
        let head = serde_json::to_string(&(head, &name, why)).unwrap_or_default();
        self.items.push(Item {
            rank: origin.map_or(0, |origin| origin.rank),
            name,
            named,
            head,
            parts: text.map_or_else(Vec::new, |text| parts(text, spans)),
            text_group,
            head_group: None,
        });
    }

    fn take_documents(&mut self) {
        for doc in &self.pack.doc_refs {
            let group = match doc.priority {
                Priority::High => Group::Contract,
                Priority::Medium => Group::Documents,
                Priority::Low => Group::Background,
            };
            let head = (&doc.path, &doc.anchors, doc.priority);
            self.add(
                doc_item(&doc.path),
                Named::Always,
                &head,
                doc.excerpt.as_deref(),
                group,
            );
        }
    }

    fn take_delta(&mut self) {
        let Some(delta) = &self.pack.delta else {
            return;
        };
        for (at, failure) in delta.failures.iter().enumerate() {
            let named = if at < NAMED_FAILURES {
                Named::Always
            } else {
                Named::In(Group::Evidence)
            };
            let head = (&failure.id, &failure.summary, &failure.places);
            let detail = failure.detail.as_deref();
            self.add(
                failure_item(&failure.id),
                named,
                &head,
                None,
                Group::Evidence,
            );
            if let (Some(item), Some(detail)) = (self.items.last_mut(), detail) {
                item.parts = head_and_rest(detail, FAILURE_HEAD);
                item.head_group = Some(Group::Failures);
            }
        }
        for file in &delta.files {
            let head = (&file.path, file.status, &file.from);
            let (name, diff) = (change_item(&file.path), file.diff.as_deref());
            let named = Named::In(Group::Changes);
            match &file.note {
                Some(note) => self.add(name, named, &(head, note), diff, Group::Diffs),
                None => self.add(name, named, &head, diff, Group::Diffs),
            }
        }
        if !delta.resolved.is_empty() {
            let named = Named::In(Group::Changes);
            self.add(
                RESOLVED_ITEM.to_owned(),
                named,
                &delta.resolved,
                None,
                Group::Changes,
            );
        }
    }

    fn take_files(&mut self) {
        for file in &self.pack.relevant_files {
            let head = (&file.path, &file.purpose, &file.hash);
            let item = file_item(&file.path);
            let origin = self.origins.get(item.as_str());
            // A file from the repository's memory isn't relevant as a file. The record is what
            // counts.
            let is_recalled = origin.is_some_and(|it| it.source.kind == SourceKind::Memory);
            let (named, text) = match is_recalled {
                true => (Group::Memory, Group::Memory),
                false => (Group::Files, Group::FileText),
            };
            let excerpt = file.excerpt.as_deref();
            self.add(item, Named::In(named), &head, excerpt, text);
        }
    }

    fn take_rest(&mut self) {
        let pack = self.pack;
        for decision in &pack.decisions {
            self.add_short(decision_item(&decision.id), Group::Rules, decision);
        }
        for input in &pack.inputs {
            self.add_short(
                format!("inputs/{}", input.payload_id),
                Group::References,
                input,
            );
        }
        for artifact in &pack.artifacts {
            self.add_short(
                artifact_item(&artifact.reference),
                Group::References,
                artifact,
            );
        }
        for (field, values, group) in [
            ("constraints", &pack.constraints, Group::Rules),
            ("toolPolicy", &pack.tool_policy, Group::Rules),
            ("repoFacts", &pack.repo_facts, Group::Rules),
            ("rest", &pack.rest, Group::Background),
        ] {
            for (key, value) in values {
                self.add_short(format!("{field}/{key}"), group, value);
            }
        }
        if !pack.conflicts.is_empty() {
            self.add_short("conflicts".to_owned(), Group::Rules, &pack.conflicts);
        }
        for note in &pack.source_notes {
            self.add_short(note_item(note), Group::Rules, note);
        }
        if let Some(redaction) = &pack.redaction {
            self.add_short("redaction".to_owned(), Group::References, redaction);
        }
    }

    fn add_short(&mut self, name: String, group: Group, value: &impl serde::Serialize) {
        self.add(name, Named::In(group), value, None, group);
    }

    pub(super) fn everything(&self) -> Vec<Shape> {
        let shape = |item: &Item<'_>| Shape {
            named: true,
            lines: item.parts.iter().map(|part| part.lines.len()).collect(),
        };
        self.items.iter().map(shape).collect()
    }

    /// The shapes that only show the parts that we always show.
    pub(super) fn nothing(&self) -> Vec<Shape> {
        let shape = |item: &Item<'_>| Shape {
            named: item.named == Named::Always,
            lines: vec![0; item.parts.len()],
        };
        self.items.iter().map(shape).collect()
    }
}
