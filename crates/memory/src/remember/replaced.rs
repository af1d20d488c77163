//! A record's log of replaced texts, which lets a query in the former wording still find the
//! record.

use serde::Serialize;
use windlass_base::one_line;
use windlass_redact::redact_text;

use crate::draft::Draft;
use crate::records::kind::RecordKind;
use crate::records::record::Record;
use crate::records::record_body::NOT_SAID;

/// Title of the section with the log of changes.
pub(crate) const CHANGES: &str = "Changes";
/// Maximum length of a replaced text in the log, in characters. We truncate longer ones.
const MAX_REPEATED: usize = 240;

/// A part of a record whose text was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Replaced {
    /// Title of the section, or name of the field.
    pub section: String,
    /// The former text on one line, truncated if long.
    pub before: String,
}

/// Returns the name and location of the main part of `record`. Without a matching section or field,
/// it's the text above the first section.
pub(super) fn main_text(record: &Record) -> (&'static str, MainText<'_>) {
    let names = record.kind.main_part();
    if let Some(section) = record.body().own_section(names) {
        return (names[0], MainText::Part(&section.title));
    }
    let front = record.front();
    if let Some(field) = front.and_then(|front| names.iter().find_map(|name| front.field(name))) {
        return (names[0], MainText::Part(&field.key));
    }
    if let Some(section) = record.body().part(names) {
        return (names[0], MainText::Part(&section.title));
    }
    match record.source().text()[record.body().lead()].trim() {
        "" => (names[0], MainText::None),
        lead => (names[0], MainText::Lead(lead)),
    }
}

/// Location of a record's main part.
pub(super) enum MainText<'a> {
    /// The section or field with this name.
    Part(&'a str),
    /// The text above the first section.
    Lead(&'a str),
    /// The record has no main part.
    None,
}

/// Logs that the part `title` of `record` was replaced on `day`. Does nothing if its text was empty
/// or hasn't changed.
pub(super) fn note(
    draft: &mut Draft<'_>,
    record: &Record,
    title: &str,
    (before, after): (&str, &str),
    day: &str,
) -> Option<Replaced> {
    // The log adds a colon of its own after the title.
    let title = title.trim_end_matches([':', ' ']);
    let code = lines_of_code(title, before);
    let (before, after) = (shown(title, before), shown(title, after));
    let says_nothing = matches!(
        before.trim_end_matches('.').to_lowercase().as_str(),
        "" | "none"
    ) || before == NOT_SAID;
    // Recall loads the summary, so it has to stay short. The lists in the index change too often to
    // be logged.
    let is_noted = matches!(
        record.kind,
        RecordKind::Decision | RecordKind::OpenLoop | RecordKind::Context | RecordKind::Note
    );
    if says_nothing || before == after {
        return None;
    }
    if is_noted {
        let item = match code {
            Some(lines) => {
                format!("- {day}, {title}: became \u{201c}{after}\u{201d} from\n\n{lines}")
            }
            None => {
                format!("- {day}, {title}: \u{201c}{before}\u{201d} became \u{201c}{after}\u{201d}")
            }
        };
        draft.add_to_section(&record.path, &[CHANGES], &[item]);
    }
    Some(Replaced {
        section: title.to_owned(),
        before,
    })
}

/// Returns a text with a code block as a quotation inside a list item, truncated to
/// [`MAX_REPEATED`] characters. That keeps its lines, so it still works as code. Returns `None` if
/// the text has no code block.
fn lines_of_code(title: &str, text: &str) -> Option<String> {
    let is_fence = |line: &str| {
        ["```", "~~~"]
            .iter()
            .any(|mark| line.trim_start().starts_with(mark))
    };
    if !text.lines().any(is_fence) {
        return None;
    }
    let shown = redacted(title, text);
    let mut left = MAX_REPEATED;
    let fitting = shown.trim().lines().take_while(|line| {
        let length = line.chars().count() + 1;
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    });
    let mut lines: Vec<String> = fitting
        .map(|line| format!("  > {line}").trim_end().to_owned())
        .collect();
    if lines.len() < shown.trim().lines().count() {
        lines.push("  > …".to_owned());
    }
    Some(lines.join("\n"))
}

/// Redacts the former text of the part `title`. If an update removes a secret, the log must not
/// bring it back.
fn redacted(title: &str, text: &str) -> String {
    let lead = format!("{title}: ");
    let (shown, _) = redact_text(&format!("{lead}{text}"));
    shown
        .as_str()
        .strip_prefix(&lead)
        .unwrap_or_default()
        .to_owned()
}

/// Returns the redacted text on one line, truncated.
fn shown(title: &str, text: &str) -> String {
    short_line(&redacted(title, text))
}

fn short_line(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(MAX_REPEATED) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use crate::draft::Draft;
    use crate::remember::{NewRecord, update};
    use crate::testing::Sample;

    #[test]
    fn removed_secret_not_logged() {
        let token = ["gh", "p_0123456789abcdefghijABCDEFGHIJ456789"].concat();
        let path = "memory/decisions/settings-store.md";
        let sample = Sample::new().with(
            path,
            "SettingsStore writes the file",
            &format!("SettingsStore logs in with {token}, and writes the file"),
        );
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        let change = NewRecord {
            text: Some("SettingsStore logs in as the machine.".to_owned()),
            ..NewRecord::default()
        };
        let told = update(&memory, &mut draft, "settings-store", &change, "2026-03-01").unwrap();
        let changed = draft.changes().unwrap();
        let text = &changed.iter().find(|one| one.path.as_str() == path);
        let text = &text.unwrap().text;
        assert!(text.contains("\u{201c}SettingsStore logs in with [redacted:"));
        assert!(!text.contains(&token) && !told.replaced[0].before.contains(&token));
    }
}
