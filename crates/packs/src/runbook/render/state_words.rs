//! The words shared by all formats for people.

use std::borrow::Cow;

use serde_json::{Map, Value};
use windlass_base::{
    Evidence, Freshness, Item, Judgement, Limit, Observation, Pointer, RepairOutcome, counted,
};

use crate::SectionStatus;
use crate::printing::Style;
use crate::printing::clean;
use crate::runbook::pack_status::of_judgement;
use crate::runbook::runbook_view::View;
use crate::runbook::shown_pointer::{shown, shown_judgement};
use crate::runbook::value_parts::{Part, Piece};

/// One word for the state of evidence, e.g. `fresh`, and the style to show it in.
#[must_use]
pub fn state(judgement: &Judgement) -> (&'static str, Style) {
    let style = match of_judgement(judgement) {
        SectionStatus::Fresh => Style::Good,
        SectionStatus::Moved => Style::Warn,
        _ => Style::Bad,
    };
    let word = match (judgement.status, judgement.outcome()) {
        (Freshness::Fresh, _) => "fresh",
        (_, Some(RepairOutcome::Moved)) => "moved",
        (_, Some(RepairOutcome::Edited)) => "edited",
        (_, Some(RepairOutcome::Gone)) => "gone",
        (Freshness::StaleHashMismatch, _) => "stale",
        (Freshness::MissingFile, _) => "missing",
        (Freshness::SpanInvalid, _) => "invalid",
        (Freshness::BlockedSecret, _) => "secret",
        (Freshness::Unknown, _) => "unknown",
    };
    (word, style)
}

/// The evidence's current location, or the captured one if we don't know better.
pub(super) fn place(evidence: &Evidence) -> String {
    clean(&shown(pointer_now(evidence)).to_string()).into_owned()
}

/// Like [`place`], but returns the pointer.
pub(super) fn pointer_now(evidence: &Evidence) -> &Pointer {
    let repair = evidence.judgement.repair.as_ref();
    let repaired = repair.and_then(|repair| repair.evidence.as_ref());
    repaired.unwrap_or(&evidence.pointer)
}

/// Further information on the state: the captured location, the reason, and possible locations.
pub(super) fn remark(evidence: &Evidence) -> Option<String> {
    let old = &shown(&evidence.pointer);
    let judgement = &shown_judgement(&evidence.judgement);
    let mut parts = Vec::new();
    if matches!(old, Cow::Owned(_)) || matches!(judgement, Cow::Owned(_)) {
        parts.push("its name contains a secret value that was replaced".to_owned());
    }
    if let Some(repair) = &judgement.repair {
        if let Some(new) = &repair.evidence {
            if new.file != old.file {
                parts.push(format!("was {old}"));
            } else if new.span != old.span {
                parts.push(format!("was {}", old.span));
            }
        }
        if !repair.candidates.is_empty() {
            let candidates: Vec<String> =
                repair.candidates.iter().map(ToString::to_string).collect();
            parts.push(format!("perhaps {}", candidates.join(" or ")));
        }
    }
    match (&judgement.reason, judgement.status) {
        (Some(reason), _) => parts.push(reason.clone()),
        (None, Freshness::StaleHashMismatch)
            if judgement.outcome() != Some(RepairOutcome::Moved) =>
        {
            parts.push("the lines changed".to_owned());
        }
        _ => {}
    }
    (!parts.is_empty()).then(|| clean(&parts.join("; ")).into_owned())
}

/// The label, followed by kind and ID in parentheses, e.g. `Router table (contract, router-table)`.
pub(super) fn title(item: &Item) -> String {
    let brackets: Vec<&str> = [item.kind.as_deref(), item.id.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    let text = match (item.label.is_empty(), brackets.is_empty()) {
        (true, true) => String::new(),
        (true, false) => brackets.join(", "),
        (false, true) => item.label.clone(),
        (false, false) => format!("{} ({})", item.label, brackets.join(", ")),
    };
    clean(&text).into_owned()
}

/// Prints an observation as lines. Strings stay as they are, and objects become `key value` pairs.
pub(crate) fn observed(observation: &Observation) -> Vec<String> {
    match &observation.value {
        // A file name can have any character in it, even a line end. It must stay on a single line,
        // or it would look like two files.
        value @ Value::String(_) if observation.provenance.uses == "files" => vec![inline(value)],
        Value::String(text) => text
            .trim_end()
            .lines()
            .map(|line| clean(line).into_owned())
            .collect(),
        Value::Object(map) => {
            let pairs = pairs(map);
            let (long, short): (Vec<_>, Vec<_>) = pairs.partition(|(_, value)| is_long(value));
            let short: Vec<String> = short
                .iter()
                .map(|(key, value)| format!("{} {}", clean(key), inline(value)))
                .collect();
            let mut lines = if short.is_empty() {
                Vec::new()
            } else {
                vec![short.join(" · ")]
            };
            for (key, value) in long {
                lines.push(format!("{}:", clean(key)));
                lines.extend(nested(value).into_iter().map(|line| format!("  {line}")));
            }
            lines
        }
        value => vec![inline(value)],
    }
}

/// Prints a part of an observation, preceded by the names of the fields around it. If the part
/// continues a text, the names aren't repeated.
pub(super) fn part(part: &Part<'_, '_>) -> Vec<String> {
    let mut lines: Vec<String> = match &part.piece {
        Piece::Lines { text, .. } => text.lines().map(|line| clean(line).into_owned()).collect(),
        Piece::Values(values) => values.iter().map(inline).collect(),
        Piece::Fields(fields) => fields
            .iter()
            .map(|(name, value)| format!("{} · {}", clean(name), inline(value)))
            .collect(),
    };
    let goes_on = matches!(part.piece, Piece::Lines { goes_on: true, .. });
    if let Some(first) = lines.first_mut().filter(|_| !goes_on) {
        *first = format!("{} · {first}", clean(&part.names.join(" ")));
    }
    lines
}

/// Prints fields as `key: value`. A long value goes below its key.
pub(super) fn fields(item: &Item) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, value) in pairs(&item.fields) {
        let key = clean(key);
        if is_long(value) {
            lines.push(format!("{key}:"));
            lines.extend(nested(value).into_iter().map(|line| format!("  {line}")));
        } else {
            lines.push(format!("{key}: {}", inline(value)));
        }
    }
    if item.fields_left_out > 0 {
        lines.push(format!("… {} more", item.fields_left_out));
    }
    lines
}

/// The fields of an object, except for empty ones.
fn pairs(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    map.iter().filter(|(_, value)| !is_blank(value))
}

fn nested(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => text
            .trim_end()
            .lines()
            .map(|line| clean(line).into_owned())
            .collect(),
        Value::Array(list) => list.iter().map(inline).collect(),
        value => vec![inline(value)],
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

fn is_long(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\n'),
        Value::Array(list) => {
            list.iter()
                .any(|value| value.is_object() || value.is_array())
                || list.len() > 8
        }
        _ => false,
    }
}

fn inline(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(list)
            if list
                .iter()
                .all(|value| !value.is_object() && !value.is_array()) =>
        {
            list.iter().map(inline).collect::<Vec<_>>().join(", ")
        }
        Value::Object(map) => pairs(map)
            .map(|(key, value)| format!("{key} {}", inline(value)))
            .collect::<Vec<_>>()
            .join(" · "),
        value => value.to_string(),
    };
    clean(&text).into_owned()
}

/// The remark about the entries that are left for the next page.
pub(super) fn left_out(entries: usize) -> String {
    match entries {
        0 => "the rest".to_owned(),
        count => format!("{count} more"),
    }
}

/// `2 of 5`, or just `5` if all are shown.
pub(super) fn count(shown: usize, total: usize) -> String {
    if shown == total {
        total.to_string()
    } else {
        format!("{shown} of {total}")
    }
}

/// The remark about omitted sections. If no call leads to them, it includes some advice.
pub(super) fn sections_left_out(view: &View<'_>) -> Option<String> {
    if view.sections_left_out == 0 {
        return None;
    }
    let remedy = if view.next_actions.is_empty() || !view.pack.calls.kept {
        "; raise the budget to see them"
    } else {
        ""
    };
    let sections = counted(view.sections_left_out, "more section");
    Some(format!("{sections} omitted{remedy}"))
}

/// The remark that the output was cut. If there are no cursors, it includes some advice.
pub(super) fn cut(view: &View<'_>) -> Option<String> {
    if !view.is_cut() || !(view.says.text || view.says.next_actions > 0) {
        return None;
    }
    let limit = match view.limit {
        Limit::Chars(max) => format!("{max} characters"),
        Limit::Tokens(max) => format!("{max} tokens"),
    };
    Some(
        if view.pack.calls.kept && (view.says.next_actions > 0 || !view.next_actions.is_empty()) {
            format!("cut to {limit}")
        } else {
            format!("cut to {limit}; raise the budget to see more")
        },
    )
}
