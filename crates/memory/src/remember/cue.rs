//! The lines that lead to records, and the words on them.

use serde_json::{Map, Value, json};
use windlass_base::RepoPath;

use super::NewRecord;
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::keywords::{MOST, suggest_keywords};
use crate::layout::IMPRESSIONS;

pub(super) fn lines_file() -> Result<RepoPath, MemoryError> {
    RepoPath::parse(IMPRESSIONS).map_err(|error| MemoryError::Senseless(error.to_string()))
}

pub(super) fn keywords_of(new: &NewRecord, text: &str) -> Vec<String> {
    let mut keywords: Vec<String> = Vec::new();
    let suggested = match new.keywords.is_empty() {
        true => suggest_keywords(&new.title, text),
        false => new.keywords.clone(),
    };
    for word in suggested {
        let word = word.trim().to_owned();
        if !word.is_empty() && !keywords.iter().any(|one| one.eq_ignore_ascii_case(&word)) {
            keywords.push(word);
        }
    }
    keywords.truncate(MOST);
    if keywords.is_empty() {
        keywords.push(new.title.trim().to_lowercase());
    }
    keywords
}

/// A line that leads to a record.
pub(super) struct Cue<'a> {
    pub(super) id: &'a str,
    pub(super) scope: &'a str,
    pub(super) title: &'a str,
    pub(super) path: &'a RepoPath,
    pub(super) keywords: &'a [String],
    pub(super) aliases: &'a [String],
    pub(super) day: &'a str,
}

impl Cue<'_> {
    /// Adds it to the impressions.
    pub(super) fn append(&self, draft: &mut Draft<'_>) {
        let line = json!({
            "schema_version": 1, "id": self.id, "scope": self.scope, "title": self.title.trim(), "keywords": self.keywords,
            "record_path": self.path, "updated": self.day, "status": "active",
        });
        if let (Value::Object(mut line), Ok(file)) = (line, lines_file()) {
            if !self.aliases.is_empty() {
                line.insert("aliases".to_owned(), json!(self.aliases));
            }
            draft.append_line(&file, Map::from_iter(line));
        }
    }
}
