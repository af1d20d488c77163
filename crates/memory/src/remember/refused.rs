//! Refuses unsuitable content before anything is written. All of this would be an error in the
//! check later on.

use serde_json::json;
use windlass_redact::redact_text;

use super::NewRecord;
use crate::error::MemoryError;
use crate::markdown::is_heading;

/// Maximum length of a title, in characters.
const MAX_TITLE: usize = 160;
/// Maximum length of a text, in characters. The check complains about longer files, too.
const MAX_TEXT: usize = 20_000;

/// Checks a new record, which must have a title. An update need not.
pub(super) fn refuse(new: &NewRecord) -> Result<(), MemoryError> {
    if new.title.trim().is_empty() {
        return Err(MemoryError::NoTitle);
    }
    refuse_said(new)
}

/// Refuses content that is too long or binary, secrets, conflict markers, and section names that
/// the parser would not read back.
pub(super) fn refuse_said(new: &NewRecord) -> Result<(), MemoryError> {
    refuse_text(&new.sections, &new.title)?;
    let mut names = new.sections.iter().map(|(name, _)| name.trim());
    if let Some(odd) = names.find(|name| !is_heading(name)) {
        return Err(MemoryError::NoSection(odd.to_owned()));
    }
    let text = new.text.iter().map(|text| (String::new(), text.clone()));
    refuse_text(&text.collect::<Vec<_>>(), "")?;
    let words = new.keywords.iter().chain(&new.aliases);
    let mut words = words.chain(&new.related).chain(&new.id);
    words.try_for_each(|word| {
        textual("words", word)?;
        secretless_on_line("words", word)
    })
}

/// Refuses an empty text, which would silently delete the existing one.
pub(super) fn refuse_empty_text(new: &NewRecord) -> Result<(), MemoryError> {
    match &new.text {
        Some(text) if text.trim().is_empty() => Err(MemoryError::EmptyText { section: None }),
        _ => Ok(()),
    }
}

/// Refuses empty sections in an update. In a new record, an empty section just gets a placeholder,
/// and the caller is told that it is missing.
pub(super) fn refuse_empty_sections(new: &NewRecord) -> Result<(), MemoryError> {
    let mut sections = new.sections.iter();
    match sections.find(|(_, says)| says.trim().is_empty()) {
        Some((name, _)) => Err(MemoryError::EmptyText {
            section: Some(name.clone()),
        }),
        None => Ok(()),
    }
}

fn textual(what: &'static str, text: &str) -> Result<(), MemoryError> {
    match text.contains('\0') {
        true => Err(MemoryError::Binary { what }),
        false => Ok(()),
    }
}

/// Refuses options that do not make sense for the operation `of`.
pub(super) fn refuse_aside(new: &NewRecord, of: &'static str) -> Result<(), MemoryError> {
    let aside = [
        ("--supersedes", new.supersedes.is_some()),
        ("--related", !new.related.is_empty()),
        ("--id", new.id.is_some()),
    ];
    match aside.into_iter().find(|(_, is_said)| *is_said) {
        Some((what, _)) => Err(MemoryError::NoPlace { what, of }),
        None => Ok(()),
    }
}

fn refuse_text(sections: &[(String, String)], title: &str) -> Result<(), MemoryError> {
    if title.chars().count() > MAX_TITLE {
        return Err(MemoryError::TooLong {
            what: "title",
            most: MAX_TITLE,
        });
    }
    secretless_on_line("title", title)?;
    textual("title", title)?;
    for (name, says) in sections {
        textual("text", name)?;
        textual("text", says)?;
        if says.chars().count() > MAX_TEXT {
            return Err(MemoryError::TooLong {
                what: "text",
                most: MAX_TEXT,
            });
        }
        let marks = ["<<<<<<<", ">>>>>>>"];
        if says
            .lines()
            .any(|line| marks.iter().any(|mark| line.starts_with(mark)))
        {
            return Err(MemoryError::ConflictMarks { what: "text" });
        }
        secretless("text", says)?;
        // Some values only look like a secret next to a name such as `password`.
        secretless("text", &format!("{name}: {says}"))?;
    }
    Ok(())
}

pub(crate) fn secretless(what: &'static str, text: &str) -> Result<(), MemoryError> {
    match redact_text(text).1.first() {
        None => Ok(()),
        Some(found) => Err(MemoryError::Secret {
            what,
            rule: found.rule.clone(),
        }),
    }
}

/// Refuses a secret in `text`, both on its own and as a JSON value, because some secrets are only
/// detected inside of quotes.
pub(crate) fn secretless_on_line(what: &'static str, text: &str) -> Result<(), MemoryError> {
    secretless(what, text)?;
    secretless(what, &json!({ what: text }).to_string())
}
