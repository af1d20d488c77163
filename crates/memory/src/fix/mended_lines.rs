//! Fixes JSON lines: removes duplicates, and adds missing fields and missing impressions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use windlass_base::RepoPath;
use windlass_redact::redact_text;

use super::{Fixer, free_id};
use crate::records::keywords::suggest_keywords;
use crate::state::memory_files::Contents;
use crate::texts::day::is_date;
use crate::texts::json_lines::JsonLine;
use crate::texts::layout::{FEEDBACK, IMPRESSIONS};

impl Fixer<'_, '_> {
    pub(super) fn lines(&mut self) {
        let memory = self.memory;
        let Ok(file) = RepoPath::parse(IMPRESSIONS) else {
            return;
        };
        let mut seen: BTreeMap<&str, Vec<&Map<String, Value>>> = BTreeMap::new();
        for line in memory.impression_lines.lines.iter() {
            let id = line.text("id").unwrap_or_default();
            if !id.is_empty() {
                let same = seen.entry(id).or_default();
                if same.contains(&&line.fields) {
                    self.draft.delete_line(&file, line);
                    self.note(
                        "duplicate-impression-id",
                        &file,
                        format!("removed the duplicate line {}", line.number),
                    );
                    continue;
                }
                same.push(&line.fields);
            }
            self.says_its_version(&file, line);
            let (keywords, mut known) = (line.texts("keywords"), BTreeSet::new());
            let once: Vec<&String> = keywords
                .iter()
                .filter(|word| known.insert(word.trim().to_lowercase()))
                .collect();
            if once.len() < keywords.len() {
                self.draft.set_on_line(&file, line, "keywords", json!(once));
                self.note(
                    "repeated-keyword",
                    &file,
                    format!("removed repeated keywords from line {}", line.number),
                );
            }
        }
        if let Ok(file) = RepoPath::parse(FEEDBACK) {
            for line in memory.feedback_lines.lines.iter() {
                self.says_its_version(&file, line);
            }
        }
    }

    fn says_its_version(&mut self, file: &RepoPath, line: &JsonLine) {
        if line.fields.contains_key("schema_version") {
            return;
        }
        self.draft
            .set_on_line(file, line, "schema_version", json!(1));
        self.note(
            "missing-schema-version",
            file,
            format!("added the version to line {}", line.number),
        );
    }

    /// Adds impressions for active records that have none. `routed` has the records to which we
    /// have just moved the route of an existing impression.
    pub(super) fn unrouted(&mut self, routed: &BTreeSet<RepoPath>) {
        let memory = self.memory;
        let Ok(file) = RepoPath::parse(IMPRESSIONS) else {
            return;
        };
        let mut ids: BTreeSet<String> = memory
            .impressions
            .iter()
            .map(|one| one.id.clone())
            .collect();
        let scope = memory.scope().map(str::to_owned);
        // We can't read the file, and it may well contain these impressions already.
        if matches!(memory.files.files.get(&file), Some(Contents::NoText(_))) {
            return;
        }
        for record in memory.unrouted().filter(|one| !routed.contains(&one.path)) {
            let path = &record.path;
            let days = ["updated", "date", "opened"].map(|field| record.text(field));
            let day = days.into_iter().flatten().find(|day| is_date(day));
            let (Some(scope), Some(updated)) = (&scope, day) else {
                continue;
            };
            // The record has the scope of another project. That may be a mistake or not, so its
            // author has to decide.
            if record.text("scope").is_some_and(|own| own != scope) {
                continue;
            }
            // The keywords come from the text, so we could copy a secret.
            if !redact_text(record.source().text()).1.is_empty() {
                continue;
            }
            let mut keywords = suggest_keywords(record.title(), &record.body().own_words());
            if keywords.is_empty() {
                keywords.push(record.title().trim().to_lowercase());
            }
            let id = free_id(
                record
                    .id()
                    .unwrap_or(path.file_name().trim_end_matches(".md")),
                &mut ids,
            );
            let line = json!({
                "schema_version": 1, "id": id, "scope": scope, "title": record.title(), "keywords": keywords,
                "record_path": path, "updated": updated, "status": "active",
            });
            if let Value::Object(line) = line {
                self.draft.append_line(&file, line);
                self.note(
                    "unrouted-record",
                    &file,
                    format!("added the impression `{id}` for `{path}`"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::check;
    use crate::draft::Draft;
    use crate::fix::fix;
    use crate::remember::{NewRecord, update};
    use crate::testing::Sample;

    #[test]
    fn foreign_record_gets_no_route() {
        let foreign = "---\nid: foreign\ntitle: Foreign\nstatus: active\nscope: project:other\nupdated: 2026-02-01\n---\n\n# Foreign\n\n## What it is\n\nzebra\n";
        let sample = Sample::new().with("memory/context/foreign.md", "", foreign);
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        assert_eq!(fix(&memory, &mut draft), []);
        let more = NewRecord {
            text: Some("quagga".to_owned()),
            ..NewRecord::default()
        };
        update(&memory, &mut draft, "foreign", &more, "2026-03-01").unwrap();
        let mut after = sample.clone();
        for change in draft.changes().unwrap() {
            after.0.insert(change.path.to_string(), change.text);
        }
        for sample in [sample, after] {
            let found = check(&sample.memory());
            let rules: Vec<&str> = found.iter().map(|one| one.rule).collect();
            assert_eq!(rules, ["unrouted-record", "mixed-scopes"]);
            let help = found.iter().filter_map(|one| one.help.as_deref());
            assert!(help.clone().any(|help| help.contains("another project")));
        }
        // With the right scope, the record gets an impression.
        let own = Sample::new().with(
            "memory/context/foreign.md",
            "",
            &foreign.replace("project:other", "project:demo"),
        );
        let memory = own.memory();
        let fixed = fix(&memory, &mut Draft::new(&memory));
        assert_eq!(fixed[0].rule, "unrouted-record");
    }
}
