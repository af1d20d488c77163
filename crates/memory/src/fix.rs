use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass_base::RepoPath;
use windlass_repo::redact_text;

use crate::check::{meant, missing_patterns};
use crate::draft::{Draft, line_end};
use crate::files::Contents;
use crate::front_matter::is_same_name;
use crate::keywords::suggest_keywords;
use crate::kind::{RecordKind, Status};
use crate::layout::{FEEDBACK, IMPRESSIONS};
use crate::memory::Memory;
use crate::record::Record;

/// Something that was mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Fix {
    /// The rule it was a finding of.
    pub rule: &'static str,
    /// The file that is changed.
    pub file: RepoPath,
    /// What is done.
    pub what: String,
}

/// Mends in `draft` what can be mended without knowing more than the memory says itself: nobody's words are changed, nothing
/// but lines that are there twice is taken out.
#[must_use]
pub fn fix<'a>(memory: &'a Memory, draft: &mut Draft<'a>) -> Vec<Fix> {
    let mut fixer = Fixer {
        memory,
        draft,
        fixes: Vec::new(),
    };
    if memory.is_there() {
        fixer.lines();
        fixer.supersession();
        fixer.impressions_of_the_inactive();
        fixer.unrouted();
        fixer.links();
        fixer.ignore();
    }
    fixer.fixes
}

/// Leaves out of the repository what is never to be shared.
pub fn fix_ignore<'a>(memory: &'a Memory, draft: &mut Draft<'a>) {
    let mut fixer = Fixer {
        memory,
        draft,
        fixes: Vec::new(),
    };
    fixer.ignore();
}

struct Fixer<'a, 'b> {
    memory: &'a Memory,
    draft: &'b mut Draft<'a>,
    fixes: Vec<Fix>,
}

impl Fixer<'_, '_> {
    fn note(&mut self, rule: &'static str, file: &RepoPath, what: impl Into<String>) {
        self.fixes.push(Fix {
            rule,
            file: file.clone(),
            what: what.into(),
        });
    }

    /// Lines that are there twice, versions that are missing, keywords that are repeated.
    fn lines(&mut self) {
        let memory = self.memory;
        let Ok(file) = RepoPath::parse(IMPRESSIONS) else {
            return;
        };
        let mut seen: BTreeMap<&str, Vec<&Map<String, Value>>> = BTreeMap::new();
        for line in &memory.impression_lines.lines {
            let id = line.text("id").unwrap_or_default();
            if !id.is_empty() {
                let same = seen.entry(id).or_default();
                if same.contains(&&line.fields) {
                    self.draft.delete_line(&file, line);
                    self.note(
                        "duplicate-impression-id",
                        &file,
                        format!("line {}, which is there twice, is taken out", line.number),
                    );
                    continue;
                }
                same.push(&line.fields);
            }
            if !line.fields.contains_key("schema_version") {
                self.draft
                    .set_on_line(&file, line, "schema_version", json!(1));
                self.note(
                    "missing-schema-version",
                    &file,
                    format!("line {} says its version", line.number),
                );
            }
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
                    format!("line {} has each keyword once", line.number),
                );
            }
        }
        if let Ok(file) = RepoPath::parse(FEEDBACK) {
            for line in &memory.feedback_lines.lines {
                if !line.fields.contains_key("schema_version") {
                    self.draft
                        .set_on_line(&file, line, "schema_version", json!(1));
                    self.note(
                        "missing-schema-version",
                        &file,
                        format!("line {} says its version", line.number),
                    );
                }
            }
        }
    }

    /// What was replaced and what replaced it know of each other.
    fn supersession(&mut self) {
        let memory = self.memory;
        for record in memory.records.values() {
            if let Some(newer) = record
                .text("superseded_by")
                .and_then(|name| meant(memory, record, name))
                .filter(|newer| newer.path != record.path)
            {
                if record.status() == Status::Active
                    && self
                        .draft
                        .set_field(&record.path, "status", Status::Superseded.as_str())
                {
                    self.note(
                        "superseded-but-active",
                        &record.path,
                        "its status is superseded",
                    );
                }
                self.say_supersedes(newer, record);
            }
            for name in record
                .front
                .iter()
                .flat_map(|front| front.texts("supersedes"))
            {
                let Some(old) = meant(memory, record, name) else {
                    continue;
                };
                if old.text("superseded_by").is_none() && old.path != record.path {
                    let newer = record.id().unwrap_or(record.path.as_str()).to_owned();
                    self.draft
                        .set_field(&old.path, "status", Status::Superseded.as_str());
                    self.draft.set_field(&old.path, "superseded_by", &newer);
                    self.note(
                        "missing-superseded-by",
                        &old.path,
                        format!("it is superseded by `{newer}`"),
                    );
                }
            }
        }
        let Ok(file) = RepoPath::parse(IMPRESSIONS) else {
            return;
        };
        let ids: BTreeSet<&str> = memory
            .impressions
            .iter()
            .map(|one| one.id.as_str())
            .collect();
        for line in &memory.impression_lines.lines {
            let newer = line.text("superseded_by").filter(|id| ids.contains(id));
            if newer.is_some() && line.text("status") != Some(Status::Superseded.as_str()) {
                self.draft
                    .set_on_line(&file, line, "status", json!(Status::Superseded.as_str()));
                self.note(
                    "superseded-but-active",
                    &file,
                    format!("line {} is superseded", line.number),
                );
            }
        }
    }

    fn say_supersedes(&mut self, newer: &Record, old: &Record) {
        let memory = self.memory;
        let knows = newer.front.as_ref().is_some_and(|front| {
            let names = front.texts("supersedes");
            names
                .into_iter()
                .any(|name| meant(memory, newer, name).is_some_and(|one| one.path == old.path))
        });
        let name = old.id().unwrap_or(old.path.as_str()).to_owned();
        if !knows && self.draft.add_to_field(&newer.path, "supersedes", &name) {
            self.note(
                "missing-supersedes",
                &newer.path,
                format!("it supersedes `{name}`"),
            );
        }
    }

    /// Impressions that are active and lead to what is not.
    fn impressions_of_the_inactive(&mut self) {
        let memory = self.memory;
        let Ok(file) = RepoPath::parse(IMPRESSIONS) else {
            return;
        };
        for line in &memory.impression_lines.lines {
            let status = line
                .text("status")
                .and_then(Status::parse)
                .unwrap_or_default();
            let record = line
                .text("record_path")
                .and_then(|path| memory.record(path));
            let Some(record) = record
                .filter(|record| status == Status::Active && record.status() != Status::Active)
            else {
                continue;
            };
            let newer = record
                .text("superseded_by")
                .and_then(|name| meant(memory, record, name));
            let id = newer.and_then(|newer| memory.impressions_of(&newer.path).next());
            let (status, by) = match (record.status(), id) {
                (Status::Archived, _) => (Status::Archived, None),
                (_, Some(id)) if Some(id.id.as_str()) != line.text("id") => {
                    (Status::Superseded, Some(id.id.clone()))
                }
                // Which impression takes its place has to be said by somebody.
                _ => continue,
            };
            self.draft
                .set_on_line(&file, line, "status", json!(status.as_str()));
            if let Some(by) = by {
                self.draft
                    .set_on_line(&file, line, "superseded_by", json!(by));
            }
            self.note(
                "active-impression",
                &file,
                format!("line {} is {}", line.number, status.as_str()),
            );
        }
    }

    /// Active records that no impression leads to.
    fn unrouted(&mut self) {
        let memory = self.memory;
        let Ok(file) = RepoPath::parse(IMPRESSIONS) else {
            return;
        };
        let routed: BTreeSet<RepoPath> = memory
            .impressions
            .iter()
            .filter_map(|one| RepoPath::parse(&one.record_path).ok())
            .collect();
        let mut ids: BTreeSet<String> = memory
            .impressions
            .iter()
            .map(|one| one.id.clone())
            .collect();
        let scope = memory.scope().map(str::to_owned);
        // Whether one leads to them cannot be said.
        if matches!(memory.files.files.get(&file), Some(Contents::NoText(_))) {
            return;
        }
        for (path, record) in &memory.records {
            let is_durable = matches!(
                record.kind,
                RecordKind::Decision | RecordKind::OpenLoop | RecordKind::Context
            );
            let (Some(scope), Some(updated)) = (&scope, record.text("updated")) else {
                continue;
            };
            if !is_durable || record.status() != Status::Active || routed.contains(path) {
                continue;
            }
            // What is secret has to be taken out first: nothing of it is copied.
            if !redact_text(record.source.text()).1.is_empty() {
                continue;
            }
            let from = record.front.as_ref().map_or(0, |front| front.end);
            let keywords = suggest_keywords(record.title(), &body(record, from));
            if keywords.is_empty() {
                continue;
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
                    format!("the impression `{id}` leads to `{path}`"),
                );
            }
        }
    }

    fn links(&mut self) {
        let memory = self.memory;
        for (record, rule) in [
            (memory.index(), "index-link"),
            (memory.summary(), "summary-link"),
        ] {
            let Some(record) = record else {
                continue;
            };
            if crate::index::link_all(memory, self.draft, record) {
                self.note(
                    rule,
                    &record.path,
                    "it leads to what is active, and tells apart what is not",
                );
            }
        }
    }

    fn ignore(&mut self) {
        let missing = missing_patterns(self.memory);
        let Ok(path) = RepoPath::parse(".gitignore") else {
            return;
        };
        if missing.is_empty() {
            return;
        }
        let before = self
            .memory
            .files
            .ignore
            .as_ref()
            .map_or("", |source| source.text());
        let eol = line_end(before);
        let gap = if before.is_empty() || before.ends_with('\n') {
            ""
        } else {
            eol
        };
        let lines: String = missing.iter().map(|one| format!("{one}{eol}")).collect();
        let ignore = self.memory.files.ignore.as_ref();
        self.draft
            .put_other(path.clone(), ignore, format!("{before}{gap}{lines}"));
        self.note(
            "missing-ignore",
            &path,
            format!("it leaves out {}", missing.join(", ")),
        );
    }
}

/// What a record says, without the headings that all of its kind have.
fn body(record: &Record, from: usize) -> String {
    let text = record.source.text();
    let usual = record.sections.iter().filter(|section| {
        let names = record.kind.parts().iter().flat_map(|names| names.iter());
        names
            .into_iter()
            .any(|name| is_same_name(&section.title, name))
    });
    let (mut body, mut at) = (String::new(), from);
    for section in usual {
        body.push_str(&text[at..section.heading.start.max(at)]);
        at = section.heading.end.max(at);
    }
    body.push_str(&text[at..]);
    body
}

/// `id`, or one like it that nothing has yet.
pub(crate) fn free_id(id: &str, taken: &mut BTreeSet<String>) -> String {
    let free = (2u32..).map(|number| format!("{id}-{number}"));
    let free = std::iter::once(id.to_owned())
        .chain(free)
        .find(|one| !taken.contains(one));
    let free = free.unwrap_or_else(|| id.to_owned());
    taken.insert(free.clone());
    free
}
