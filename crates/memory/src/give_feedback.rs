use serde_json::{Value, json};
use windlass_base::{RepoPath, one_line};

use crate::draft::Draft;
use crate::error::MemoryError;
use crate::recall::Query;
use crate::records::feedback::{Feedback, MAX_NOTE, MAX_QUERY, Outcome, UNMATCHED};
use crate::remember::{secretless, secretless_on_line};
use crate::state::memory::Memory;
use crate::texts::layout::FEEDBACK;

/// Feedback on a recall, as given by the caller.
#[derive(Debug, Clone)]
pub struct NewFeedback {
    /// The words that were searched for. We refuse a whole prompt.
    pub query: String,
    /// The caller's verdict on the recall.
    pub outcome: Outcome,
    /// ID of an impression, or ID or path of a record. Only [`Outcome::Helpful`] requires one.
    pub id: Option<String>,
    /// An optional remark, which goes into the log as well.
    pub note: Option<String>,
}

/// Appends feedback to the log.
///
/// # Errors
/// Returns an error if there is no memory, if the query is too long or has nothing but stop words,
/// if the ID is unknown, or if a text contains a secret, personal data or a conversation.
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
    // A secret may span several lines, so check the query as it was given as well.
    secretless("query", &new.query)?;
    refuse("query", &new.query)?;
    if let Some(note) = &new.note {
        refuse("note", note)?;
    }
    let id = match &new.id {
        // The caller may not know which record would have been the right one.
        None if new.outcome != Outcome::Helpful => UNMATCHED,
        None => return Err(MemoryError::NoId(new.outcome.as_str())),
        // Store the ID of an impression if possible, since that's the ID that a recall returns.
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

/// True if [`give_feedback`] would accept the query. Otherwise, there is no point in asking for
/// feedback.
#[must_use]
pub(crate) fn may_be_noted(said: &str) -> bool {
    let query = one_line(said);
    let says = !Query::of(&query).words.is_empty() && query.chars().count() <= MAX_QUERY;
    says && refuse("query", said).is_ok()
}

/// Refuses texts that must not get into the feedback log: secrets, personal data, conversations,
/// program output and long texts.
///
/// We check the text twice, as given and with its lines joined, because each form may reveal
/// something that the other one hides.
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
