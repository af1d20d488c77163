//! Collects the edits for one change to a memory.
//!
//! We edit single frontmatter fields, list lines and JSON fields in place, and leave all other
//! bytes alone. A diff of the change then only shows what was intended, and not a reformatted file.

mod drafted_lines;
mod drafted_lists;
mod drafted_sections;

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{RepoPath, Source};

use self::drafted_lines::LineEdits;
pub(crate) use self::drafted_sections::Words;
use crate::error::MemoryError;
use crate::file_change::Change;
use crate::records::record::Record;
use crate::state::memory::Memory;
use crate::state::memory_files::Contents;
use crate::texts::front_matter::{FrontMatter, scalar};

/// A memory with edits that have not been committed. Nothing is written to disk until then, so an
/// operation that fails halfway can just drop the draft.
#[derive(Debug)]
pub struct Draft<'a> {
    memory: &'a Memory,
    texts: BTreeMap<RepoPath, String>,
    lines: BTreeMap<RepoPath, LineEdits>,
    /// Former contents of changed files outside the memory, such as `.gitignore`.
    others: BTreeMap<RepoPath, Arc<Source>>,
}

impl<'a> Draft<'a> {
    /// Creates a draft without any edits.
    #[must_use]
    pub fn new(memory: &'a Memory) -> Self {
        Self {
            memory,
            texts: BTreeMap::new(),
            lines: BTreeMap::new(),
            others: BTreeMap::new(),
        }
    }

    /// Returns the text of a file with the edits so far, or `None` if there is no such text file.
    ///
    /// Edits to single JSON lines are not included, since we only apply them in
    /// [`changes`](Self::changes).
    #[must_use]
    pub fn text(&self, path: &RepoPath) -> Option<&str> {
        if let Some(text) = self.texts.get(path) {
            return Some(text);
        }
        match self.memory.files.files.get(path) {
            Some(Contents::Text(source)) => Some(source.text()),
            _ => None,
        }
    }

    /// Replaces the whole text of a file in the memory.
    pub fn put(&mut self, path: RepoPath, text: String) {
        self.texts.insert(path, text);
    }

    /// Like [`put`](Self::put), but for a file outside the memory. `before` is `None` for a new
    /// file.
    pub fn put_other(&mut self, path: RepoPath, before: Option<&Arc<Source>>, text: String) {
        if let Some(before) = before {
            self.others.insert(path.clone(), Arc::clone(before));
        }
        self.texts.insert(path, text);
    }

    /// Sets a frontmatter field, and returns true if the text has changed. A file without
    /// frontmatter is not changed.
    pub fn set_field(&mut self, path: &RepoPath, field: &str, value: &str) -> bool {
        let Some(text) = self.text(path) else {
            return false;
        };
        let Some(front) = FrontMatter::of(text) else {
            return false;
        };
        if front.text(field) == Some(value) {
            return false;
        }
        let eol = line_end(text);
        let changed = match front.field(field) {
            Some(old) => {
                // Keep the spelling of the name, and a comment at the end of the line.
                let key = &text[old.key_range.clone()];
                let comment = comment_of(&text[old.lines.clone()]);
                format!(
                    "{}{key}: {}{comment}{eol}{}",
                    &text[..old.lines.start],
                    scalar(value),
                    &text[old.lines.end..]
                )
            }
            None => {
                let at = front.block.end;
                format!(
                    "{}{field}: {}{eol}{}",
                    &text[..at],
                    scalar(value),
                    &text[at..]
                )
            }
        };
        self.texts.insert(path.clone(), changed);
        true
    }

    /// Returns the memory as it would be with the edits so far. As for [`text`](Self::text), this
    /// does not include edits to single JSON lines.
    #[must_use]
    pub fn as_memory(&self) -> Memory {
        let mut memory = self.memory.clone();
        for (path, text) in &self.texts {
            let source = Source::new(path.as_str(), text.clone());
            if let Some(record) = Record::of(path, &source) {
                memory.take(record);
            }
            let files = &mut memory.files.files;
            files.insert(path.clone(), Contents::Text(source));
        }
        memory
    }

    /// Applies all edits, and returns the files that have changed as a result, sorted by path.
    ///
    /// # Errors
    /// Returns an error if we cannot edit a JSON line because of its notation.
    pub fn changes(mut self) -> Result<Vec<Change>, MemoryError> {
        for (path, edits) in std::mem::take(&mut self.lines) {
            let text = edits.apply(self.text(&path).unwrap_or_default());
            let text = text.map_err(|line| MemoryError::FixedLine {
                file: path.to_string(),
                line,
            })?;
            self.texts.insert(path, text);
        }
        let (memory, mut others) = (self.memory, self.others);
        let changes = self.texts.into_iter().map(|(path, text)| Change {
            before: match memory.files.files.get(&path) {
                Some(Contents::Text(source)) => Some(Arc::clone(source)),
                _ => others.remove(&path),
            },
            path,
            text,
        });
        let changes = changes.filter(|change| {
            change
                .before
                .as_ref()
                .is_none_or(|before| before.text() != change.text)
        });
        Ok(changes.collect())
    }
}

/// The comment after a value on the same line, including the space before it. We do not look for
/// comments in lists, block scalars and the like, where a `#` could be part of the value.
fn comment_of(field: &str) -> &str {
    let line = field.trim_end();
    let value = line.split_once(':').map_or("", |(_, value)| value.trim());
    let from = match value.chars().next() {
        _ if line.contains('\n') => None,
        Some(quote @ ('"' | '\'')) => line.rfind(quote),
        Some('[' | '{' | '|' | '>' | '&' | '*' | '!') => None,
        _ => Some(0),
    };
    let at = from.and_then(|from| Some(from + line[from..].find(" #")?));
    at.map_or("", |at| &line[at..])
}

/// The first line ending in `text`. Without any, we use a plain line feed.
#[must_use]
pub(crate) fn line_end(text: &str) -> &'static str {
    let first = text.find('\n').filter(|at| *at > 0);
    match first {
        Some(at) if text.as_bytes()[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use self::drafted_sections::TakenItem;
    use super::*;
    use crate::state::memory_files::Files;

    const INDEX: &str = "memory/index.md";

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    fn one(text: &str, work: impl FnOnce(&mut Draft<'_>)) -> String {
        let memory = Memory::read(Files::of_texts([(INDEX, text)]));
        let mut draft = Draft::new(&memory);
        work(&mut draft);
        draft.text(&path(INDEX)).unwrap().to_owned()
    }

    #[test]
    fn set_field_keeps_other_bytes() {
        let text = "---\r\nid:  x   # note\r\nodd: [1,\r\n  2]\r\nstatus: active # for now\r\n---\r\nText\t \r\n";
        let changed = one(text, |draft| {
            assert!(draft.set_field(&path(INDEX), "status", "superseded"));
            assert!(draft.set_field(&path(INDEX), "superseded_by", "a: b"));
            assert!(!draft.set_field(&path(INDEX), "status", "superseded"));
        });
        assert_eq!(
            changed,
            "---\r\nid:  x   # note\r\nodd: [1,\r\n  2]\r\nstatus: superseded # for now\r\nsuperseded_by: 'a: b'\r\n---\r\nText\t \r\n"
        );
    }

    #[test]
    fn items_join_section_list() {
        let names = ["Active decisions", "Decisions"];
        for (text, wanted) in [
            (
                "# T\n\n## Decisions\n\n- a\n\n## Next\n\nx\n",
                "# T\n\n## Decisions\n\n- a\n- n\n\n## Next\n\nx\n",
            ),
            ("## Decisions\n\nNone.\n", "## Decisions\n\n- n\n"),
            ("## Decisions\n", "## Decisions\n\n- n\n"),
            (
                "## Decisions\n\nNone.\n\n[^1]: So it was.\n\n## Next\n\nx\n",
                "## Decisions\n\n- n\n\n[^1]: So it was.\n\n## Next\n\nx\n",
            ),
            (
                "## Decisions\n\nThese:\n\n### In\ny\n",
                "## Decisions\n\nThese:\n\n- n\n\n### In\ny\n",
            ),
            ("x", "x\n\n## Active decisions\n\n- n\n"),
        ] {
            let changed = one(text, |draft| {
                draft.add_to_section(&path(INDEX), &names, &["- n".to_owned()]);
            });
            assert_eq!(changed, wanted);
        }
    }

    #[test]
    fn bare_link_items_are_removed() {
        let text = "## A\n\n* [x](decisions/x.md).\n- [x](decisions/x.md): so\n- [x](decisions/x.md)\n  and so\n- [y](decisions/y.md) and [x](decisions/x.md)\nsee [x](decisions/x.md)\n## B\n- [x](decisions/x.md)\n";
        let changed = one(text, |draft| {
            let target = path("memory/decisions/x.md");
            let targets = [&target].into();
            let taken = draft.take_from_section(&path(INDEX), &["A"], &targets, false);
            let bare = TakenItem {
                path: target.clone(),
                words: None,
            };
            assert_eq!(taken, [bare]);
        });
        assert_eq!(changed, text.replacen("* [x](decisions/x.md).\n", "", 1));
    }

    #[test]
    fn items_removed_with_their_text() {
        let text = "## A\n\n- [x](decisions/x.md): so\n  - and so\n\n  apart\n\n  ```\n  - code\n  ```\n- [x](decisions/x.md),\n  [y](decisions/y.md)\n  - [x](decisions/x.md)\nsee [x](decisions/x.md)\n\n12. see [x](decisions/x.md)\nfirst\n    - in\n\n## B\n";
        let changed = one(text, |draft| {
            let target = path("memory/decisions/x.md");
            let taken = draft.take_from_section(&path(INDEX), &["A"], &[&target].into(), true);
            let words = taken.into_iter().filter_map(|item| item.words);
            let words: Vec<_> = words.map(|words| (words.lead, words.below)).collect();
            let said = |lead: &str, below: &str| (lead.to_owned(), below.to_owned());
            let below = "\n  - and so\n\n  apart\n\n  ```\n  - code\n  ```";
            assert_eq!(
                words,
                [
                    said("- [x](decisions/x.md): so", below),
                    said("- see [x](decisions/x.md)\nfirst", "\n  - in")
                ]
            );
        });
        assert_eq!(
            changed,
            "## A\n\n- [x](decisions/x.md),\n  [y](decisions/y.md)\n  - [x](decisions/x.md)\nsee [x](decisions/x.md)\n\n## B\n"
        );
        for line_end in ["\n", "\r\n"] {
            let text =
                "## A\n\n- [y](decisions/y.md)\n\n- [x](decisions/x.md): so\n\n  apart\n\n## B\n";
            let text = text.replace('\n', line_end);
            let changed = one(&text, |draft| {
                let target = path("memory/decisions/x.md");
                draft.take_from_section(&path(INDEX), &["A"], &[&target].into(), true);
            });
            let wanted = "## A\n\n- [y](decisions/y.md)\n\n## B\n";
            assert_eq!(changed, wanted.replace('\n', line_end));
        }
    }

    #[test]
    fn lines_edited_individually() {
        let file = "memory/impressions.jsonl";
        let text = "{\"id\": \"a\", \"odd\": 1.0}\r\nbroken {\r\n{\"id\":\"b\"}";
        let memory = Memory::read(Files::of_texts([(file, text)]));
        let mut draft = Draft::new(&memory);
        let lines = &memory.impression_lines.lines;
        draft.set_on_line(&path(file), &lines[0], "status", "superseded".into());
        draft.delete_line(&path(file), &lines[1]);
        draft.append_line(&path(file), Map::from_iter([("id".to_owned(), "c".into())]));
        let changes = draft.changes().unwrap();
        assert_eq!(
            changes[0].text,
            "{\"id\": \"a\", \"odd\": 1.0, \"status\": \"superseded\"}\r\nbroken {\r\n{\"id\":\"c\"}\r\n"
        );
    }

    #[test]
    fn line_edited_despite_whitespace() {
        let file = "memory/impressions.jsonl";
        for (before, after) in [("\u{feff}", ""), ("\u{feff} ", "\t"), ("\u{a0}", "\u{a0}")] {
            let text = format!("{before}{{\"id\":\"a\"}}{after}\n{{\"id\":\"b\"}}\n");
            let memory = Memory::read(Files::of_texts([(file, text.as_str())]));
            let mut draft = Draft::new(&memory);
            let lines = &memory.impression_lines.lines;
            draft.set_on_line(&path(file), &lines[0], "status", "superseded".into());
            let wanted = text.replace("\"a\"", "\"a\",\"status\":\"superseded\"");
            assert_eq!(draft.changes().unwrap()[0].text, wanted, "{text:?}");
        }
    }

    #[test]
    fn uneditable_line_reported() {
        let file = "memory/impressions.jsonl";
        let memory = Memory::read(Files::of_texts([(file, "{\"id\":\"a\"}\n")]));
        let mut draft = Draft::new(&memory);
        let line = memory.impression_lines.lines[0].clone();
        draft.set_on_line(&path(file), &line, "status", "superseded".into());
        draft.put(path(file), "{\"id\"".to_owned());
        let error = draft.changes().unwrap_err().to_string();
        assert!(error.contains("impressions.jsonl:1"), "{error}");
    }
}
