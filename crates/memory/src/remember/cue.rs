//! Writes impressions for new records. In this module, a cue is an unwritten impression.

use serde_json::{Map, Value, json};
use windlass_base::RepoPath;

use super::NewRecord;
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::records::keywords::{MAX_KEYWORDS, suggest_keywords};
use crate::texts::layout::IMPRESSIONS;

pub(super) fn lines_file() -> Result<RepoPath, MemoryError> {
    RepoPath::parse(IMPRESSIONS).map_err(|error| MemoryError::Senseless(error.to_string()))
}

pub(super) fn keywords_of(new: &NewRecord, text: &str) -> Vec<String> {
    let mut keywords = match new.keywords.is_empty() {
        true => each_once(&suggest_keywords(&new.title, text)),
        false => each_once(&new.keywords),
    };
    keywords.truncate(MAX_KEYWORDS);
    if keywords.is_empty() {
        keywords.push(new.title.trim().to_lowercase());
    }
    keywords
}

/// The caller's keywords beyond the maximum. They aren't written.
pub(super) fn words_left_out(new: &NewRecord) -> Vec<String> {
    let mut words = each_once(&new.keywords);
    words.split_off(words.len().min(MAX_KEYWORDS))
}

fn each_once(words: &[String]) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for word in words {
        let word = word.trim();
        if !word.is_empty() && !once.iter().any(|one| one.eq_ignore_ascii_case(word)) {
            once.push(word.to_owned());
        }
    }
    once
}

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
