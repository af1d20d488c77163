//! What a record said before it was changed: in itself, so that whoever asks in the words of then finds what holds now.

use serde::Serialize;
use windlass_base::one_line;
use windlass_redact::redact_text;

use crate::draft::Draft;
use crate::records::kind::RecordKind;
use crate::records::record::NOT_SAID;
use crate::records::record::Record;

/// The section that lists what was changed.
pub(crate) const CHANGES: &str = "Changes";
/// The most of a text that is repeated there, in characters.
const MAX_REPEATED: usize = 240;

/// A part of a record that says something else now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Replaced {
    /// The section, or the field.
    pub section: String,
    /// What it said, in one line; cut where it is long.
    pub before: String,
}

/// Where `record` says what it is about, and what such a part is called: in one that somebody wrote without sections, above the
/// first one.
pub(super) fn main_text(record: &Record) -> (&'static str, MainText<'_>) {
    let names = record.kind.main_part();
    if let Some(section) = record.own_section(names) {
        return (names[0], MainText::Part(&section.title));
    }
    let front = record.front();
    if let Some(field) = front.and_then(|front| names.iter().find_map(|name| front.field(name))) {
        return (names[0], MainText::Part(&field.key));
    }
    if let Some(section) = record.part(names) {
        return (names[0], MainText::Part(&section.title));
    }
    match record.source().text()[record.lead()].trim() {
        "" => (names[0], MainText::None),
        lead => (names[0], MainText::Lead(lead)),
    }
}

/// Where a record says what it is about.
pub(super) enum MainText<'a> {
    /// In the section or the field of this name.
    Part(&'a str),
    /// Above its first section.
    Lead(&'a str),
    /// Nowhere yet.
    None,
}

/// Notes on `day` what the section `title` of `record` said before, where that said something and says something else now.
pub(super) fn note(
    draft: &mut Draft<'_>,
    record: &Record,
    title: &str,
    (before, after): (&str, &str),
    day: &str,
) -> Option<Replaced> {
    // A heading may end with the colon that stands behind it here.
    let title = title.trim_end_matches([':', ' ']);
    let code = lines_of_code(title, before);
    let (before, after) = (shown(title, before), shown(title, after));
    let says_nothing = matches!(
        before.trim_end_matches('.').to_lowercase().as_str(),
        "" | "none"
    ) || before == NOT_SAID;
    // The summary is read at each recall, and has to stay short; lists of links change all the time.
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

/// What a part called `title` said, line by line as a quotation within an item of a list, where it has a block of code: on one line
/// nobody could run that. As far as there is room.
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

/// What a part called `title` said as it may be shown: that a secret was taken out is no reason to repeat it.
fn redacted(title: &str, text: &str) -> String {
    let lead = format!("{title}: ");
    let (shown, _) = redact_text(&format!("{lead}{text}"));
    shown
        .as_str()
        .strip_prefix(&lead)
        .unwrap_or_default()
        .to_owned()
}

/// The same on one line.
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
    fn a_secret_that_is_taken_out_is_not_repeated() {
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
