//! Completes supersessions, so that both records name each other afterwards.
//!
//! If one of the two is lacking the information, it is usually because of a merge, or because
//! somebody edited a record by hand. Cycles are left alone: there is no way to tell which record is
//! the latest.

use std::collections::BTreeSet;

use serde_json::json;
use windlass_base::RepoPath;

use super::Fixer;
use crate::records::copied::{copied_name, is_secret};
use crate::records::kind::Status;
use crate::records::record::Record;
use crate::state::said_by_impressions::said_by_impressions;
use crate::state::successors::{
    impression_successors, impressions_in_circles, leads_to, meant, newer_by_record,
    records_in_circles, successors,
};
use crate::texts::layout::IMPRESSIONS;

impl Fixer<'_, '_> {
    /// Updates records and impressions if only the other side knows about a supersession.
    pub(super) fn supersession(&mut self) {
        let memory = self.memory;
        let circles = records_in_circles(memory);
        // Take our own changes into account, since two fixes together could close a cycle.
        let mut next = successors(memory);
        for record in memory.records.values() {
            if let Some(newer) = record
                .text("superseded_by")
                .and_then(|name| meant(memory, record, name))
                .filter(|_| !circles.contains(&record.path))
            {
                if record.status() == Status::Active
                    && self
                        .draft
                        .set_field(&record.path, "status", Status::Superseded.as_str())
                {
                    self.note(
                        "superseded-but-active",
                        &record.path,
                        "set the status to superseded",
                    );
                }
                self.say_supersedes(newer, record);
            }
            for name in record.supersedes() {
                let Some(old) = meant(memory, record, name) else {
                    continue;
                };
                let is_open = old.text("superseded_by").is_none() && !next.contains_key(&old.path);
                if is_open && !leads_to(&next, &record.path, &old.path) {
                    let newer = copied_name(record).to_owned();
                    self.draft
                        .set_field(&old.path, "status", Status::Superseded.as_str());
                    // This does nothing for a file without frontmatter, in which case there's no
                    // fix to report.
                    if self.draft.set_field(&old.path, "superseded_by", &newer) {
                        next.insert(&old.path, &record.path);
                        self.note(
                            "missing-superseded-by",
                            &old.path,
                            format!("set superseded by `{newer}`"),
                        );
                    }
                }
            }
        }
        for (path, said) in said_by_impressions(memory) {
            let says = match (said.status, said.by) {
                (Status::Archived, _) => "archived, as in its impressions".to_owned(),
                (_, Some(newer)) if !next.contains_key(path) && !leads_to(&next, newer, path) => {
                    let name = memory.records.get(newer).map(copied_name);
                    let name = name.unwrap_or(newer.as_str()).to_owned();
                    if !self.draft.set_field(path, "superseded_by", &name) {
                        continue;
                    }
                    next.insert(path, newer);
                    format!("set superseded by `{name}`, as in its impressions")
                }
                // We don't know any of the successors that the impressions name, so an author has
                // to decide.
                _ => continue,
            };
            if self.draft.set_field(path, "status", said.status.as_str()) {
                self.note("inactive-impression", path, says);
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
        let (of_records, next) = (circles, impression_successors(memory));
        let circles = impressions_in_circles(memory);
        for line in memory.impression_lines.lines.iter() {
            let is_superseded = line.text("status") == Some(Status::Superseded.as_str());
            if is_superseded
                && line.text("superseded_by").is_none()
                && let Some(newer) = newer_by_record(memory, line, &next, &of_records)
                && !is_secret(&newer.id)
            {
                self.draft
                    .set_on_line(&file, line, "superseded_by", json!(newer.id));
                self.note(
                    "missing-successor",
                    &file,
                    format!(
                        "set line {} superseded by `{}`, as in its record",
                        line.number, newer.id
                    ),
                );
            }
            let newer = line.text("superseded_by").filter(|id| ids.contains(id));
            if line.text("id").is_some_and(|id| circles.contains(id)) {
                continue;
            }
            if newer.is_some() && !is_superseded {
                self.draft
                    .set_on_line(&file, line, "status", json!(Status::Superseded.as_str()));
                self.note(
                    "superseded-but-active",
                    &file,
                    format!("set line {} superseded", line.number),
                );
            }
        }
    }

    fn say_supersedes(&mut self, newer: &Record, old: &Record) {
        let memory = self.memory;
        let knows = newer
            .supersedes()
            .any(|name| meant(memory, newer, name).is_some_and(|one| one.path == old.path));
        if knows {
            return;
        }
        let name = copied_name(old);
        if self.draft.add_to_field(&newer.path, "supersedes", name) {
            self.note(
                "missing-supersedes",
                &newer.path,
                format!("added `{name}` to `supersedes`"),
            );
        }
    }

    /// Sets the impressions of inactive records to the status of their record.
    pub(super) fn impressions_of_the_inactive(&mut self) {
        let memory = self.memory;
        let Ok(file) = RepoPath::parse(IMPRESSIONS) else {
            return;
        };
        let circles = records_in_circles(memory);
        for line in memory.impression_lines.lines.iter() {
            let status = line
                .text("status")
                .and_then(Status::from_word)
                .unwrap_or_default();
            let record = line
                .text("record_path")
                .and_then(|path| memory.record(path));
            let Some(record) = record
                .filter(|record| status == Status::Active && record.status() != Status::Active)
                .filter(|record| !circles.contains(&record.path))
            else {
                continue;
            };
            let newer = record
                .text("superseded_by")
                .and_then(|name| meant(memory, record, name));
            let id = newer.and_then(|newer| memory.impressions_of(&newer.path).next());
            let id = id.filter(|one| !is_secret(&one.id));
            let (status, by) = match (record.status(), id) {
                (Status::Archived, _) => (Status::Archived, None),
                (_, Some(id)) if Some(id.id.as_str()) != line.text("id") => {
                    (Status::Superseded, Some(id.id.clone()))
                }
                // The successor has no impression that we could name.
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
                format!("set line {} {}", line.number, status.as_str()),
            );
        }
    }
}
