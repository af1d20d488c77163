use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use windlass_base::RepoPath;

use super::{Draft, line_end};
use crate::texts::json_lines::{self, JsonLine};
use crate::texts::json_patch;

/// Edits to a JSON Lines file, by line number.
#[derive(Debug, Default)]
pub(super) struct LineEdits {
    set: BTreeMap<u32, Vec<(String, Value)>>,
    delete: BTreeSet<u32>,
    append: Vec<Map<String, Value>>,
}

impl Draft<'_> {
    /// Sets a field of the object on `line`. The field is added if it's missing.
    pub fn set_on_line(&mut self, path: &RepoPath, line: &JsonLine, field: &str, value: Value) {
        let edits = self.lines.entry(path.clone()).or_default();
        edits
            .set
            .entry(line.number)
            .or_default()
            .push((field.to_owned(), value));
    }

    /// Deletes `line` along with its line break.
    pub fn delete_line(&mut self, path: &RepoPath, line: &JsonLine) {
        self.lines
            .entry(path.clone())
            .or_default()
            .delete
            .insert(line.number);
    }

    /// Appends a line to the file.
    pub fn append_line(&mut self, path: &RepoPath, object: Map<String, Value>) {
        self.lines
            .entry(path.clone())
            .or_default()
            .append
            .push(object);
    }
}

impl LineEdits {
    /// Returns `text` with all edits applied.
    ///
    /// # Errors
    /// Returns the number of the first line that we can't edit because of its notation.
    pub(super) fn apply(&self, text: &str) -> Result<String, u32> {
        let eol = line_end(text);
        let mut changed = String::with_capacity(text.len());
        for (number, line) in (1u32..).zip(text.split_inclusive('\n')) {
            if self.delete.contains(&number) {
                continue;
            }
            let Some(fields) = self.set.get(&number) else {
                changed.push_str(line);
                continue;
            };
            // Take the range from the parser, so that whitespace and a byte order mark are
            // preserved.
            let object = json_lines::object_in(line, number == 1);
            let mut new = line[object.clone()].to_owned();
            for (field, value) in fields {
                new = json_patch::set(&new, field, value).ok_or(number)?;
            }
            changed.push_str(&line[..object.start]);
            changed.push_str(&new);
            changed.push_str(&line[object.end..]);
        }
        for object in &self.append {
            if !changed.is_empty() && !changed.ends_with('\n') {
                changed.push_str(eol);
            }
            changed.push_str(&Value::Object(object.clone()).to_string());
            changed.push_str(eol);
        }
        Ok(changed)
    }
}
