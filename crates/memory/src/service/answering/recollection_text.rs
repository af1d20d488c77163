//! Prints an answer as text for people.
//!
//! If we are confident of a match, the reader gets the text right away, without a list of matches.
//! Otherwise (or to explain the scores), we list the matches first.

use windlass_packs::{harmless, harmless_line};

use super::piece::MAY_BE_MEANT;
use super::recollection::{Loaded, Recollection};
use super::source_lines::place;
use crate::Level;

pub(super) fn recollection(answer: &Recollection) -> String {
    let mut text = format!(
        "{}: {}\n",
        answer.level.as_str(),
        harmless_line(&answer.reason)
    );
    let is_explained = answer.matches.iter().any(|one| one.explanation.is_some());
    if answer.level > Level::None && !is_explained {
        others_than_loaded(answer, &mut text);
    } else {
        matches(answer, &mut text);
    }
    loaded(answer, is_explained, &mut text);
    if answer.budget.truncated {
        text.push_str("\ncut to the budget\n");
    }
    for diagnostic in &answer.diagnostics {
        text.push_str(&format!("\nwarning: {}\n", harmless_line(diagnostic)));
    }
    for (at, action) in answer.next_actions.iter().enumerate() {
        let gap = if at == 0 { "\n" } else { "" };
        text.push_str(&format!(
            "{gap}next: {}  # {}\n",
            harmless_line(&action.command_line()),
            action.reason
        ));
    }
    text
}

/// Lists other matches that are nearly as likely as the best one, unless their text is shown below.
fn others_than_loaded(answer: &Recollection, text: &mut String) {
    let best = answer.confidence;
    for one in &answer.matches {
        let file = one.evidence.first().map(|pointer| &pointer.file);
        let mut loaded = answer.loaded.iter();
        let lost = one.state.as_deref().filter(|_| one.is_lost());
        let is_loaded = lost.is_none() && loaded.any(|piece| Some(&piece.pointer.file) == file);
        let is_near = one.confidence * 2 >= best || one.id == answer.matches[0].id;
        if !is_loaded && is_near {
            let place = one.evidence.first().map(place).unwrap_or_default();
            let (id, title) = (harmless_line(&one.id), harmless_line(&one.title));
            let state = lost.map_or_else(String::new, |state| format!("  ({state}, not shown)"));
            text.push_str(&format!("  {id}  {title}  {place}{state}\n"));
        }
    }
}

fn matches(answer: &Recollection, text: &mut String) {
    if answer.level == Level::None && !answer.matches.is_empty() {
        text.push_str("nearest matches, not an answer:\n");
    }
    for one in &answer.matches {
        let place = one.evidence.first().map(place).unwrap_or_default();
        let sources = match one.sources.as_slice() {
            ["memory"] => String::new(),
            sources => format!(", from {}", sources.join(" and ")),
        };
        let state = one
            .state
            .as_ref()
            .map(|state| format!(", {state}"))
            .unwrap_or_default();
        text.push_str(&format!(
            "  {:>3}%  {}  {} ({}{sources}{state})  {place}\n",
            one.confidence / 10,
            harmless_line(&one.id),
            harmless_line(&one.title),
            one.kind,
        ));
        for word in one
            .explanation
            .iter()
            .flat_map(|explained| &explained.words)
        {
            let places: Vec<String> = word
                .places
                .iter()
                .map(|(place, count)| format!("{place} {count}"))
                .collect();
            text.push_str(&format!(
                "          {} ({}{}): {} of a point; in {}; {} entries have it, weight {}\n",
                harmless_line(&word.word),
                harmless_line(&word.stem),
                if word.is_spelt_otherwise {
                    ", corrected spelling"
                } else {
                    ""
                },
                decimal(word.score),
                places.join(", "),
                word.entries,
                decimal(word.tells)
            ));
        }
        if let Some(learned) = one
            .explanation
            .as_ref()
            .map(|explained| explained.learned)
            .filter(|learned| *learned != 0)
        {
            let way = if learned > 0 {
                "closer"
            } else {
                "further away"
            };
            text.push_str(&format!(
                "          feedback moves it {way}, by {} thousandths\n",
                learned.abs()
            ));
        }
    }
    let is_explained = answer.matches.iter().any(|one| one.explanation.is_some());
    if is_explained && answer.total > answer.matches.len() {
        text.push_str(&format!(
            "  … {} more matches\n",
            answer.total - answer.matches.len()
        ));
    }
}

/// Prints the loaded texts with their locations. We leave out the reason if it is clear from the
/// first line of the answer.
fn loaded(answer: &Recollection, is_explained: bool, text: &mut String) {
    for piece in &answer.loaded {
        let title = piece
            .title
            .as_ref()
            .map(|title| format!("  {}", harmless_line(title)))
            .unwrap_or_default();
        let moved = match piece.state.as_deref() {
            Some(state) if state != "fresh" => format!("  ({state})"),
            _ => String::new(),
        };
        let why = match answer.level {
            _ if is_explained => format!("  # {}", harmless_line(&piece.why)),
            Level::Strong => String::new(),
            _ if piece.why.starts_with(MAY_BE_MEANT) => format!("  # {MAY_BE_MEANT}"),
            _ => format!("  # {}", harmless_line(&piece.why)),
        };
        let (place, fields) = (place(&piece.pointer), fields(piece));
        text.push_str(&format!("\n{place}{title}{moved}{fields}{why}\n"));
        text.push_str(if piece.begins_within { "…\n" } else { "" });
        text.push_str(harmless(&piece.text).trim_end());
        text.push_str(if piece.truncated { "\n…\n" } else { "\n" });
    }
}

fn fields(piece: &Loaded) -> String {
    let fields = piece.fields.iter().map(|field| {
        let lines = field.pointer.span;
        let word = if lines.start() == lines.end() {
            "line"
        } else {
            "lines"
        };
        format!("{}, {word} {lines}", harmless_line(&field.text))
    });
    let fields: Vec<String> = fields.collect();
    match fields.is_empty() {
        true => String::new(),
        false => format!("  ({})", fields.join("; ")),
    }
}

fn decimal(thousandths: u32) -> String {
    format!("{}.{:02}", thousandths / 1000, thousandths % 1000 / 10)
}
