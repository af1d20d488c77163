//! Finds the locations read by an agent, from the transcript of its session.
//!
//! Lines that an agent has read again and again are probably worth an anchor.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use windlass_base::{LineSpan, NextAction, RepoPath, counted};
use windlass_repo::Snapshot;
use windlass_site::Error;

use super::SuggestionService;
use crate::{Notebook, NotebookError};

/// Maximum number of lines of a location. If an agent reads a longer file as a whole, we cannot
/// tell which lines it was interested in.
const SMALL_FILE: u32 = 150;

/// Maximum depth of the search in a message. The search is recursive, so this protects the stack.
const MAX_DEPTH: usize = 12;

/// A location read by an agent and not covered by any anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPlace {
    /// The file, relative to the root.
    pub file: RepoPath,
    /// The lines read.
    pub span: LineSpan,
    /// Number of reads by the agent.
    pub times: usize,
}

impl ReadPlace {
    /// The next action for saving the location as an anchor. It has a placeholder for the title,
    /// which the user has to replace.
    #[must_use]
    pub fn save(&self) -> NextAction {
        let name = self.file.as_str().rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').find(|part| !part.is_empty());
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        };
        let id: String = stem.unwrap_or("place").chars().map(plain).collect();
        NextAction::new(
            "anchor add",
            format!("read {}", counted(self.times, "time")),
        )
        .positional(format!("{}-{}", id.trim_matches('-'), self.span.start()))
        .positional(format!("{}:{}", self.file, self.span))
        .option("title", "LABEL")
    }
}

impl SuggestionService {
    /// Finds up to `limit` locations of this repository that a session has read and no anchor
    /// covers. The most read ones come first.
    ///
    /// Each line of `transcript` is a JSON message, as written by the client. We do not know the
    /// format of every client, so any object with a `file_path` counts as a read of that file, with
    /// optional `offset` and `limit` in lines. This may include objects of another meaning, such as
    /// edits. Lines that are not JSON are skipped.
    ///
    /// # Errors
    /// Returns an error if reading the notebook fails.
    pub fn places_read(&self, transcript: &str, limit: usize) -> Result<Vec<ReadPlace>, Error> {
        let snapshot = self.transactor.snapshot();
        let mut read: BTreeMap<RepoPath, Vec<(LineSpan, usize)>> = BTreeMap::new();
        for line in transcript.lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let mut found = Vec::new();
            look(&message, MAX_DEPTH, &mut found);
            for asked in found {
                let Some(file) = self.desk().site().repo().path_of(Path::new(asked.file)) else {
                    continue;
                };
                if let Some(span) = lines_of(&asked, &file, &snapshot) {
                    add(read.entry(file).or_default(), span);
                }
            }
        }
        let notebook = match self.desk().read() {
            Ok(notebook) => Some(notebook),
            Err(error) if error.is(|error| matches!(error, NotebookError::SwitchedOff)) => None,
            Err(error) => return Err(error),
        };
        let evidence = notebook.iter().flat_map(Notebook::anchors);
        let covered: Vec<_> = evidence.flat_map(|anchor| &anchor.evidence).collect();
        let is_covered = |file: &RepoPath, span: LineSpan| {
            covered.iter().any(|there| {
                there.file == *file
                    && there.start_line <= span.end()
                    && span.start() <= there.end_line
            })
        };
        let places = read.into_iter().flat_map(|(file, spans)| {
            spans.into_iter().map(move |(span, times)| ReadPlace {
                file: file.clone(),
                span,
                times,
            })
        });
        let mut places: Vec<ReadPlace> = places
            .filter(|place| !is_covered(&place.file, place.span))
            .collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.times));
        places.truncate(limit);
        Ok(places)
    }
}

struct Asked<'a> {
    file: &'a str,
    offset: Option<u64>,
    limit: Option<u64>,
}

/// Collects the requests in `value`, up to the given `depth`.
fn look<'a>(value: &'a Value, depth: usize, found: &mut Vec<Asked<'a>>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| look(item, depth - 1, found)),
        Value::Object(fields) => {
            let number = |name: &str| fields.get(name).and_then(Value::as_u64);
            if let Some(file) = fields.get("file_path").and_then(Value::as_str) {
                found.push(Asked {
                    file,
                    offset: number("offset"),
                    limit: number("limit"),
                });
            }
            fields
                .values()
                .for_each(|inner| look(inner, depth - 1, found));
        }
        _ => {}
    }
}

/// The lines of a request. Returns `None` if the file is not readable, or if there are too many
/// lines for a location.
fn lines_of(asked: &Asked<'_>, file: &RepoPath, snapshot: &Snapshot) -> Option<LineSpan> {
    let source = snapshot.read(file).ok()?;
    let last = source.line_count();
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let start = asked.offset.map_or(1, number).max(1);
    let end = match asked.limit {
        Some(limit) => start.saturating_add(number(limit).max(1) - 1).min(last),
        None => last,
    };
    if end.saturating_sub(start) >= SMALL_FILE {
        return None;
    }
    LineSpan::new(start, end).ok()
}

/// Adds `span` to the locations of a file. If it overlaps another one, both are merged, unless the
/// result would be too long.
fn add(spans: &mut Vec<(LineSpan, usize)>, span: LineSpan) {
    for (known, times) in spans.iter_mut() {
        if !meet(*known, span) {
            continue;
        }
        let (start, end) = (known.start().min(span.start()), known.end().max(span.end()));
        if end - start < SMALL_FILE
            && let Ok(joined) = LineSpan::new(start, end)
        {
            *known = joined;
            *times += 1;
            return;
        }
    }
    spans.push((span, 1));
}

fn meet(one: LineSpan, other: LineSpan) -> bool {
    one.start() <= other.end() && other.start() <= one.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> LineSpan {
        LineSpan::new(start, end).unwrap()
    }

    #[test]
    fn read_request_nested_found() {
        let message = serde_json::json!({ "message": { "content": [
            { "type": "tool_use", "name": "Read", "input": { "file_path": "/r/a.rs", "offset": 3, "limit": 4 } },
            // The word in a text isn't a field, so it doesn't count.
            { "type": "text", "text": "file_path" }
        ] } });
        let mut found = Vec::new();
        look(&message, MAX_DEPTH, &mut found);
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.file, one.offset, one.limit))
            .collect();
        assert_eq!(found, [("/r/a.rs", Some(3), Some(4))]);
    }

    #[test]
    fn read_spans_overlapping_merged() {
        let mut spans = Vec::new();
        for read in [span(10, 20), span(15, 30), span(200, 210), span(12, 13)] {
            add(&mut spans, read);
        }
        assert_eq!(spans, [(span(10, 30), 3), (span(200, 210), 1)]);
        // This overlaps the first location, but together they'd have 161 lines.
        add(&mut spans, span(25, 170));
        assert_eq!(spans.len(), 3, "{spans:?}");
    }
}
