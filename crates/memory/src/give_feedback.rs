use serde_json::{Value, json};
use windlass_base::{RepoPath, one_line};

use crate::draft::Draft;
use crate::error::MemoryError;
use crate::recall::Query;
use crate::records::feedback::{Feedback, MAX_NOTE, MAX_QUERY, Outcome, UNMATCHED};
use crate::remember::{secretless, secretless_on_line};
use crate::state::memory::Memory;
use crate::texts::layout::FEEDBACK;

/// A caller's feedback on a recall.
#[derive(Debug, Clone)]
pub struct NewFeedback {
    /// The few words that were searched for, not a whole prompt.
    pub query: String,
    /// Outcome of the recall.
    pub outcome: Outcome,
    /// The impression's id, or the record's id or path, that the feedback is about.
    pub id: Option<String>,
    /// Remark on the outcome.
    pub note: Option<String>,
}

/// Appends a line to the feedback log and returns the feedback.
///
/// # Errors
/// Returns an error if there is no memory, or if the query is too long or has no word to search
/// for. The query and the note must not contain a secret, personal data or a conversation. The
/// record must exist, and must be given if the outcome requires one.
pub(crate) fn give_feedback<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    new: &NewFeedback,
    day: &str,
) -> Result<Feedback, MemoryError> {
    if !memory.is_there() {
        return Err(MemoryError::NotInitialized);
    }
    let query = one_line(&new.query);
    if query.chars().count() > MAX_QUERY {
        return Err(MemoryError::LongQuery { most: MAX_QUERY });
    }
    if Query::of(&query).words.is_empty() {
        return Err(MemoryError::NoQuery);
    }
    let note = new.note.as_deref().map(one_line);
    // Check the original text first, because a secret may span several lines.
    secretless("query", &new.query)?;
    refuse("query", &new.query)?;
    if let Some(note) = &new.note {
        refuse("note", note)?;
    }
    let id = match &new.id {
        // Only `helpful` has to name a record. With any other outcome, the record may be unknown.
        None if new.outcome != Outcome::Helpful => UNMATCHED,
        None => return Err(MemoryError::NoId(new.outcome.as_str())),
        Some(id) if memory.impressions.iter().any(|one| one.id == *id) => id,
        Some(id) => match memory.find(id) {
            Some(record) => memory
                .impressions_of(&record.path)
                .next()
                .map_or_else(|| record.id().unwrap_or(id), |one| one.id.as_str()),
            None => {
                let ids = memory.impressions.iter().map(|one| one.id.as_str());
                let similar = windlass_base::did_you_mean(id, ids).map(str::to_owned);
                return Err(MemoryError::NoSuchRecord {
                    name: id.clone(),
                    similar,
                });
            }
        },
    };
    secretless_on_line("id", id)?;
    let line = json!({
        "schema_version": 1, "query": query, "outcome": new.outcome.as_str(), "created": day, "matched_id": id,
    });
    let file =
        RepoPath::parse(FEEDBACK).map_err(|error| MemoryError::Senseless(error.to_string()))?;
    if let Value::Object(mut line) = line {
        if let Some(note) = note.filter(|note| !note.is_empty()) {
            line.insert("note".to_owned(), note.into());
        }
        draft.append_line(&file, line);
    }
    Ok(Feedback {
        matched_id: (id != UNMATCHED).then(|| id.to_owned()),
        query,
        outcome: new.outcome,
        created: day.to_owned(),
        line: 0,
    })
}

/// Returns true if feedback on the query `said` would be accepted.
#[must_use]
pub(crate) fn may_be_noted(said: &str) -> bool {
    let query = one_line(said);
    let says = !Query::of(&query).words.is_empty() && query.chars().count() <= MAX_QUERY;
    says && refuse("query", said).is_ok()
}

/// Refuses text that doesn't belong in the feedback log: secrets, personal data, conversations,
/// program output, and overlong text. We apply the rules both to the text as given and to its lines
/// joined into one.
fn refuse(what: &'static str, said: &str) -> Result<(), MemoryError> {
    let text = one_line(said);
    secretless_on_line(what, &text)?;
    if text.chars().count() > MAX_NOTE {
        return Err(MemoryError::TooLong {
            what,
            most: MAX_NOTE,
        });
    }
    let mut rules = crate::unshared::broken(&text);
    rules.extend(crate::unshared::broken(said));
    if rules.contains(&"personal-data") {
        return Err(MemoryError::Personal { what });
    }
    match rules.is_empty() {
        true => Ok(()),
        false => Err(MemoryError::Transcript { what }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sample;

    fn give(query: &str, outcome: Outcome, id: Option<&str>) -> Result<String, MemoryError> {
        let memory = Sample::new().memory();
        let mut draft = Draft::new(&memory);
        let new = NewFeedback {
            query: query.to_owned(),
            outcome,
            id: id.map(str::to_owned),
            note: None,
        };
        give_feedback(&memory, &mut draft, &new, "2026-03-01")?;
        Ok(draft.changes()?.remove(0).text)
    }

    #[test]
    fn feedback_prompt_or_secret_refused() {
        let line = give(
            "settings  sync",
            Outcome::Helpful,
            Some("memory/decisions/settings-store.md"),
        )
        .unwrap();
        assert_eq!(
            line,
            "{\"schema_version\":1,\"query\":\"settings sync\",\"outcome\":\"helpful\",\"created\":\"2026-03-01\",\"matched_id\":\"settings-store\"}\n"
        );
        assert!(
            give("settings", Outcome::Missed, None)
                .unwrap()
                .contains("\"unmatched\"")
        );
        assert!(give("settings", Outcome::Overloaded, None).is_ok());
        assert!(may_be_noted("settings sync") && !may_be_noted("do it"));
        assert!(!may_be_noted("mail jane.doe@bigcorp.com"));
        use MemoryError::{LongQuery, NoId, NoQuery, NoSuchRecord, Personal, Secret};
        for (query, outcome, id, wanted) in [
            (
                "x ".repeat(200),
                Outcome::Missed,
                None,
                LongQuery { most: 240 },
            ),
            ("do it".to_owned(), Outcome::Missed, None, NoQuery),
            (
                "settings".to_owned(),
                Outcome::Helpful,
                None,
                NoId("helpful"),
            ),
            (
                "mail jane.doe@bigcorp.com".to_owned(),
                Outcome::Missed,
                None,
                Personal { what: "query" },
            ),
            (
                "settings".to_owned(),
                Outcome::Helpful,
                Some("settings-stor"),
                NoSuchRecord {
                    name: "settings-stor".to_owned(),
                    similar: Some("settings-store".to_owned()),
                },
            ),
        ] {
            assert_eq!(give(&query, outcome, id).unwrap_err(), wanted);
        }
        for query in [
            "token ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R",
            "deploy password=zqxwvkjhgtrpbn",
        ] {
            let secret = give(query, Outcome::Missed, None).unwrap_err();
            assert!(matches!(secret, Secret { what: "query", .. }), "{secret}");
        }
    }

    #[test]
    fn feedback_returned_as_learned() {
        let memory = Sample::new().memory();
        let new = NewFeedback {
            query: "settings  dialog".to_owned(),
            outcome: Outcome::Missed,
            id: Some("memory/decisions/settings-store.md".to_owned()),
            note: None,
        };
        let mut draft = Draft::new(&memory);
        let noted = give_feedback(&memory, &mut draft, &new, "2026-03-01").unwrap();
        assert_eq!(noted.query, "settings dialog");
        assert_eq!(noted.matched_id.as_deref(), Some("settings-store"));
    }
}
