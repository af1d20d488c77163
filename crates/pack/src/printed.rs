//! Entries as programs see them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use windlass_base::{Entry, Evidence, Item, Judgement, Observation, Pointer, Redacted};

use crate::excerpt::TextLine;
use crate::redact::{shown, shown_judgement};
use crate::view::{BlockView, EntryView};

/// What a section of a pack holds.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "Entry")]
pub(crate) enum PrintedEntry<'a> {
    /// A claim with evidence and status.
    Item(PrintedItem<'a>),
    /// A value with its provenance.
    Observation(&'a Observation),
}

/// A claim with its evidence.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Item")]
pub(crate) struct PrintedItem<'a> {
    /// Identifier, where the item has one (an anchor).
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    /// Kind, where the item has one (an anchor's kind).
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    /// What a person calls it.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    label: &'a str,
    /// What else was found out about it, in the order in which it was: from a step that joins or picks. It
    /// is an observation; places in it were not verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a Map<String, Value>>,
    /// How many values `fields` leaves out: fields, elements of lists, lines of texts.
    #[serde(default, skip_serializing_if = "is_zero")]
    fields_left_out: u32,
    /// How many lines around each piece of evidence help to read it.
    #[serde(default, skip_serializing_if = "is_zero")]
    context: u32,
    /// The evidence; never empty.
    evidence: Vec<PrintedEvidence<'a>>,
}

/// One piece of evidence of an item, judged.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Evidence")]
struct PrintedEvidence<'a> {
    /// The place as it was captured.
    #[serde(flatten)]
    pointer: Cow<'a, Pointer>,
    /// Whether the name of the file holds a secret value that was replaced: the file cannot be named by it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    file_redacted: bool,
    /// The verdict.
    #[serde(flatten)]
    judgement: Cow<'a, Judgement>,
    /// The text at the place, or at its new place; only where it was verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Redacted>,
    /// Line number of the first line of `text`, where it does not start with the span.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_start_line: Option<u32>,
    /// How many lines of the evidence `text` leaves out.
    #[serde(default, skip_serializing_if = "is_zero")]
    lines_cut: u32,
    /// How many of the lines around it `text` leaves out for want of room.
    #[serde(default, skip_serializing_if = "is_zero")]
    context_cut: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl<'a> PrintedEntry<'a> {
    /// As it is shown.
    pub(crate) fn of(view: &'a EntryView<'_>) -> Self {
        match view.entry {
            Entry::Item(item) => Self::Item(PrintedItem::shown(item, view)),
            Entry::Observation(seen) => {
                let part = view.part.as_ref().map(|part| &part.observation);
                Self::Observation(part.unwrap_or(seen))
            }
        }
    }
}

impl<'a> PrintedItem<'a> {
    /// Without the text of its evidence, and with names as they are: to tell it from others, not to be shown.
    pub(crate) fn bare(item: &'a Item) -> Self {
        let evidence = item.evidence.iter().map(PrintedEvidence::bare);
        Self::with(item, evidence.collect())
    }

    fn shown(item: &'a Item, view: &EntryView<'_>) -> Self {
        let whole = Self::of(item, &view.blocks);
        if view.fields {
            return whole;
        }
        Self {
            fields: None,
            fields_left_out: 0,
            ..whole
        }
    }

    /// With the text of `blocks`, one for each piece of evidence.
    fn of(item: &'a Item, blocks: &[BlockView]) -> Self {
        let evidence = item.evidence.iter().enumerate();
        let evidence = evidence.map(|(at, evidence)| PrintedEvidence::of(evidence, blocks.get(at)));
        Self::with(item, evidence.collect())
    }

    fn with(item: &'a Item, evidence: Vec<PrintedEvidence<'a>>) -> Self {
        Self {
            id: item.id.as_deref(),
            kind: item.kind.as_deref(),
            label: &item.label,
            fields: Some(&item.fields).filter(|fields| !fields.is_empty()),
            fields_left_out: item.fields_left_out,
            context: item.context,
            evidence,
        }
    }
}

impl<'a> PrintedEvidence<'a> {
    fn bare(evidence: &'a Evidence) -> Self {
        Self {
            pointer: Cow::Borrowed(&evidence.pointer),
            file_redacted: false,
            judgement: Cow::Borrowed(&evidence.judgement),
            text: None,
            text_start_line: None,
            lines_cut: 0,
            context_cut: 0,
        }
    }

    fn of(evidence: &'a Evidence, block: Option<&BlockView>) -> Self {
        let Evidence {
            pointer, judgement, ..
        } = evidence;
        let lines: Vec<&TextLine> = block
            .into_iter()
            .flat_map(|block| block.before.iter().chain(&block.lines).chain(&block.after))
            .collect();
        let first = lines.first().map(|line| line.number);
        let (pointer, judgement) = (shown(pointer), shown_judgement(judgement));
        Self {
            file_redacted: matches!(pointer, Cow::Owned(_)) || matches!(judgement, Cow::Owned(_)),
            text: Redacted::join(lines.iter().map(|line| &line.text)),
            text_start_line: first.filter(|number| *number != pointer.span.start()),
            lines_cut: block.map_or(0, |block| block.lines_cut),
            context_cut: block.map_or(0, |block| block.context_cut),
            pointer,
            judgement,
        }
    }
}
