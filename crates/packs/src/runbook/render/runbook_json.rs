//! Renders a view for programs, as a single line of compact JSON.

use serde::Serialize;
use serde_json::{Value, json};
use windlass_base::{Entry, Limit, NextAction};

use crate::budget::TOKENIZER;
use crate::printing::Styled;
use crate::printing::clean_json;
use crate::printing::tron;
use crate::runbook::entry_view::EntryView;
use crate::runbook::printed_entry::{PrintedEntry, PrintedPiece};
use crate::runbook::runbook_pack::SCHEMA_VERSION;
use crate::runbook::runbook_view::{Says, SectionView, View};
use crate::runbook::value_parts::{Part, Piece};
use crate::runbook::verified_lines::TextLine;
use crate::{Measure, PackStatus, RunbookRef, SectionStatus};

/// The longest text that a block adds around its lines.
pub(super) const FRAME: &str = r#","text":"","text_start_line":1234567"#;

/// A pack as printed.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(title = "Windlass pack")]
pub(crate) struct PackJson<'a> {
    schema_version: u32,
    runbook: &'a RunbookRef,
    status: PackStatus,
    sections: Vec<SectionJson<'a>>,
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    sections_left_out: usize,
    budget: BudgetJson,
    #[serde(default, skip_serializing_if = "<[NextAction]>::is_empty")]
    next_actions: &'a [NextAction],
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    digest: String,
}

#[derive(Serialize, schemars::JsonSchema)]
struct SectionJson<'a> {
    id: &'a str,
    title: &'a str,
    kind: &'static str,
    status: SectionStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    items: Vec<PrintedEntry<'a>>,
    total_items: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

#[derive(Clone, Copy, Serialize, schemars::JsonSchema)]
struct BudgetJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_chars: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokenizer: Option<&'static str>,
    used: usize,
    truncated: bool,
}

pub(super) fn render(view: &View<'_>, is_tron: bool) -> Styled {
    let measure = Measure::of(view.limit);
    let print = |used| {
        let json = print(view, used);
        if is_tron { tron(&json, measure) } else { json }
    };
    let mut used = 0;
    let mut text = print(used);
    // The text states its own size, so print it again until the number is right. It usually takes
    // one or two more rounds.
    for _ in 0..4 {
        let weight = measure.weigh(&text);
        if weight == used {
            break;
        }
        used = weight;
        text = print(used);
    }
    Styled::from(text)
}

fn print(view: &View<'_>, used: usize) -> String {
    let pack = view.pack;
    let json = PackJson {
        schema_version: SCHEMA_VERSION,
        runbook: &pack.runbook,
        status: pack.status,
        sections: view
            .sections
            .iter()
            .map(|section| section_json(section, view.says))
            .collect(),
        sections_left_out: view.sections_left_out,
        budget: budget(view.limit, used, view.is_truncated()),
        next_actions: &view.next_actions,
        notes: if view.says.warnings { &pack.notes } else { &[] },
        digest: pack.digest.to_string(),
    };
    let mut json = json!(json);
    if !view.says.purpose
        && let Some(Value::Object(runbook)) = json.get_mut("runbook")
    {
        runbook.remove("purpose");
    }
    format!("{}\n", compact(&json))
}

// The JSON on a single line. An escaped control character is harmful, too, if a program decodes and
// prints it.
fn compact(json: &Value) -> String {
    clean_json(json.to_string())
}

fn budget(limit: Limit, used: usize, truncated: bool) -> BudgetJson {
    let (max_chars, max_tokens) = match limit {
        Limit::Chars(max) => (Some(max), None),
        Limit::Tokens(max) => (None, Some(max)),
    };
    BudgetJson {
        max_chars,
        max_tokens,
        tokenizer: max_tokens.map(|_| TOKENIZER),
        used,
        truncated,
    }
}

fn section_json<'a>(view: &'a SectionView<'a>, says: Says) -> SectionJson<'a> {
    let section = view.section;
    SectionJson {
        id: section.id.as_str(),
        title: &section.title,
        kind: kind(&section.entries),
        status: section.status,
        reason: section.reason.as_deref(),
        help: section.help.as_deref().filter(|_| says.purpose),
        items: view.entries.iter().map(PrintedEntry::of).collect(),
        total_items: section.entries.len(),
        truncated: view.next_cursor.is_some() || view.entries.iter().any(EntryView::is_cut),
        next_cursor: view
            .next_cursor
            .filter(|_| view.go_on.is_some())
            .map(|cursor| cursor.to_string()),
        notes: if says.notes { &section.notes } else { &[] },
    }
}

fn kind(entries: &[Entry]) -> &'static str {
    let items = entries
        .iter()
        .filter(|entry| matches!(entry, Entry::Item(_)))
        .count();
    match (items, entries.len()) {
        (_, 0) => "empty",
        (0, _) => "observations",
        (items, all) if items == all => "items",
        _ => "mixed",
    }
}

/// An entry without the lines of its evidence, followed by a comma.
pub(super) fn entry_head(view: &EntryView<'_>) -> String {
    format!("{},", compact(&json!(PrintedEntry::of(view))))
}

/// A line as it appears within a JSON string, with an escaped line end.
pub(super) fn line(line: &TextLine) -> String {
    let quoted = match line.sign {
        None => compact(&json!(line.text.as_str())),
        Some(sign) => compact(&json!(sign.unified(line.number, line.text.as_str()))),
    };
    format!("{}\\n", &quoted[1..quoted.len() - 1])
}

/// A piece of a long line, followed by a comma.
pub(super) fn piece(piece: &TextLine) -> String {
    format!("{},", compact(&json!(PrintedPiece::of(piece))))
}

/// An approximation of the text that a part of an observation adds.
pub(super) fn part(part: &Part<'_, '_>) -> String {
    let text = match &part.piece {
        Piece::Lines { text, goes_on } => {
            let quoted = compact(&json!(text.lines().collect::<Vec<_>>().join("\n")));
            if *goes_on {
                return format!("\\n{}", &quoted[1..quoted.len() - 1]);
            }
            quoted
        }
        Piece::Values(values) => values.iter().map(compact).collect::<Vec<_>>().join(","),
        Piece::Fields(fields) => {
            let field = |(name, value): &(&str, &Value)| {
                format!("{}:{}", compact(&json!(name)), compact(value))
            };
            fields.iter().map(field).collect::<Vec<_>>().join(",")
        }
    };
    let name = |name: &&str| compact(&json!(name)) + ":";
    let names: String = part.names.iter().map(name).collect();
    let brackets = "[],".repeat(part.depth);
    format!("{names}{text}{brackets}")
}

/// The fields that mark an observation as cut, with the longest numbers to expect.
pub(super) const PARTS: &str = r#","parts_before":1234567,"parts_cut":1234567"#;

pub(super) fn cut_mark(lines: u32) -> String {
    format!(r#","lines_cut":{lines}"#)
}

/// The JSON Schema of a printed pack.
#[must_use]
pub fn pack_schema() -> Value {
    windlass_base::printed_schema::<PackJson<'_>>()
}
