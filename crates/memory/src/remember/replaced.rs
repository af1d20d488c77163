//! Reports the text that an update has replaced. A caller who didn't know about it can still
//! restore it.

use serde::Serialize;
use windlass_base::one_line;
use windlass_redact::redact_text;

use crate::records::record::Record;
use crate::records::record_body::NOT_SAID;

/// Maximum length of a text in the report, in characters. We cut longer texts.
const MAX_REPEATED: usize = 240;

/// A part of a record whose text was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Replaced {
    /// Title of the section, or name of the field.
    pub section: String,
    /// The former text on one line, truncated if long.
    pub before: String,
}

/// Finds the main part of `record` and its name. It may be a section or a field; otherwise, it's
/// the text above the first section.
pub(super) fn main_text(record: &Record) -> (&'static str, MainText<'_>) {
    let names = record.kind.main_part();
    // Prefer a section that isn't nested, then a field, and only then a nested section.
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

pub(super) enum MainText<'a> {
    /// Name of the section or field.
    Part(&'a str),
    /// The text above the first section.
    Lead(&'a str),
    /// The main part is missing.
    None,
}

/// Reports the former text of a part, unless it was empty or is still the same.
pub(super) fn replaced(title: &str, before: &str, after: &str) -> Option<Replaced> {
    let title = title.trim_end_matches([':', ' ']);
    let (before, after) = (shown(title, before), shown(title, after));
    let says_nothing = matches!(
        before.trim_end_matches('.').to_lowercase().as_str(),
        "" | "none"
    ) || before == NOT_SAID;
    (!says_nothing && before != after).then(|| Replaced {
        section: title.to_owned(),
        before,
    })
}

/// The text of a part on one line, cut and redacted. If the point of the update was to remove a
/// secret, the answer mustn't repeat it.
fn shown(title: &str, text: &str) -> String {
    let lead = format!("{title}: ");
    let (shown, _) = redact_text(&format!("{lead}{text}"));
    let line = one_line(shown.as_str().strip_prefix(&lead).unwrap_or_default());
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
    fn removed_secret_is_not_repeated() {
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
        let before = &told.replaced[0].before;
        assert!(before.starts_with("SettingsStore logs in with [redacted:"));
        assert!(!before.contains(&token));
    }
}
