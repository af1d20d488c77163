//! Entries in the form printed for programs.
//!
//! The doc comments of these types end up in the JSON schema.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use windlass_base::{Entry, Evidence, Item, Judgement, Observation, Pointer, Redacted, Spot};

use windlass_redact::redact_text;

use crate::runbook::entry_view::{BlockView, EntryView};
use crate::runbook::shown_pointer::{shown, shown_judgement};
use crate::runbook::verified_lines::TextLine;

/// An entry as printed for programs.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "Entry")]
pub(crate) enum PrintedEntry<'a> {
    /// A claim with evidence and a status.
    Item(PrintedItem<'a>),
    /// A value with its provenance.
    Observation(&'a Observation),
}

/// A claim with its evidence.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Item")]
pub(crate) struct PrintedItem<'a> {
    /// Identifier, for items that have one, such as anchors.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    /// Kind, for items that have one, such as anchors.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    /// Label for people.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    label: &'a str,
    /// Further findings about the item, in order, joined or picked by a step. They're observations,
    /// so locations in them aren't verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a Map<String, Value>>,
    /// Number of values omitted from `fields`, counting fields, list elements and lines of text.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    fields_left_out: u32,
    /// Number of useful context lines around each piece of evidence.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    context: u32,
    /// Evidence; never empty.
    evidence: Vec<PrintedEvidence<'a>>,
}

/// One piece of an item's evidence, with its verdict.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Evidence")]
struct PrintedEvidence<'a> {
    /// The location as captured.
    #[serde(flatten)]
    pointer: Cow<'a, Pointer>,
    /// True if the file name can't be used, because a secret value in it was replaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    file_redacted: bool,
    /// Verdict.
    #[serde(flatten)]
    judgement: Cow<'a, Judgement>,
    /// The text at the current location, only if it was verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Redacted>,
    /// Unified diff between the captured text, from git, and the edited text at its new location.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Redacted>,
    /// Line number of the first line of `text`, if it isn't the first line of the location.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_start_line: Option<u32>,
    /// Number of the evidence's lines missing from `text` or `diff`.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    lines_cut: u32,
    /// Context lines before the evidence, if its own lines were on an earlier page.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Redacted>,
    /// Context lines after the evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Redacted>,
    /// Number of omitted context lines. They follow on the next page.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    context_cut: u32,
    /// Number of characters missing from overlong lines in `text`, where `…` replaces them.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    chars_cut: u32,
    /// Relevant positions in long lines.
    #[serde(default, skip_serializing_if = "<[Spot]>::is_empty")]
    spots: &'a [Spot],
    /// The rest of long lines, on the pages after all entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<PrintedPiece<'a>>,
    /// Number of such pieces left to the next page.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pieces_cut: u32,
}

/// A piece of a long line.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Piece")]
pub(crate) struct PrintedPiece<'a> {
    /// The line's number, from 1.
    line: u32,
    /// First column of the piece within the line as shown, from 1.
    column: usize,
    /// The text, with `…` on each side where the line continues.
    text: &'a Redacted,
}

impl<'a> PrintedPiece<'a> {
    pub(crate) fn of(piece: &'a TextLine) -> Self {
        Self {
            line: piece.number,
            column: piece.column,
            text: &piece.text,
        }
    }
}

impl<'a> PrintedEntry<'a> {
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
    /// Returns the form without text, and with names as they are. It's only meant for comparisons
    /// and must not be printed, because the names may contain secret values.
    pub(crate) fn bare(item: &'a Item) -> Self {
        let evidence = item.evidence.iter().map(PrintedEvidence::bare);
        Self::with(item, evidence.collect())
    }

    fn shown(item: &'a Item, view: &'a EntryView<'_>) -> Self {
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

    /// Returns the form with the text of `blocks`. There's one block for each piece of evidence.
    fn of(item: &'a Item, blocks: &'a [BlockView]) -> Self {
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
            diff: None,
            text_start_line: None,
            before: None,
            after: None,
            lines_cut: 0,
            context_cut: 0,
            chars_cut: 0,
            spots: &evidence.spots,
            pieces: Vec::new(),
            pieces_cut: 0,
        }
    }

    fn of(evidence: &'a Evidence, block: Option<&'a BlockView>) -> Self {
        let Evidence {
            pointer,
            judgement,
            spots,
            ..
        } = evidence;
        let pieces = block.into_iter().flat_map(|block| &block.pieces);
        let none = BlockView::default();
        let BlockView {
            before,
            lines,
            after,
            ..
        } = block.unwrap_or(&none);
        let diff = unified(lines);
        let lines = if diff.is_some() { &none.lines } else { lines };
        // If an earlier page has shown some of the lines, the lines around would seem to be
        // adjacent to the wrong ones. So print them in fields of their own.
        let is_apart = block.is_some_and(|block| block.skipped > 0);
        let (around, own): (_, Vec<&TextLine>) = match is_apart {
            true => ((joined(before), joined(after)), lines.iter().collect()),
            false => {
                let all = before.iter().chain(lines).chain(after);
                ((None, None), all.collect())
            }
        };
        let first = own.first().map(|line| line.number);
        let chars_cut: usize = lines.iter().map(|line| line.chars_cut).sum();
        let (pointer, judgement) = (shown(pointer), shown_judgement(judgement));
        Self {
            file_redacted: matches!(pointer, Cow::Owned(_)) || matches!(judgement, Cow::Owned(_)),
            text: joined(own),
            diff,
            before: around.0,
            after: around.1,
            text_start_line: first.filter(|number| *number != pointer.span.start()),
            lines_cut: block.map_or(0, |block| block.lines_cut),
            context_cut: block.map_or(0, |block| block.context_cut),
            chars_cut: u32::try_from(chars_cut).unwrap_or(u32::MAX),
            spots,
            pieces: pieces.map(PrintedPiece::of).collect(),
            pieces_cut: block.map_or(0, |block| block.pieces_cut),
            pointer,
            judgement,
        }
    }
}

/// Returns the diff in `lines`. If they aren't lines of a diff, this returns `None`.
fn unified(lines: &[TextLine]) -> Option<Redacted> {
    let line = |line: &TextLine| Some(line.sign?.unified(line.number, line.text.as_str()));
    let lines: Vec<String> = lines.iter().map(line).collect::<Option<_>>()?;
    (!lines.is_empty()).then(|| redact_text(&lines.join("\n")).0)
}

fn joined<'a>(lines: impl IntoIterator<Item = &'a TextLine>) -> Option<Redacted> {
    Redacted::join(lines.into_iter().map(|line| &line.text))
}
