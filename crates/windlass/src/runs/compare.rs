use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use windlass_base::{Evidence, Item};
use windlass_pack::{Change, ChangeKind, SectionDiff, SectionStatus, diff};

use super::{RunId, RunRecord};
use crate::results::StoredResult;
use crate::{Error, Workspace};

/// What changed between two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// The earlier run.
    pub before: RunId,
    /// The later run.
    pub after: RunId,
    /// The runbook of the later run.
    pub runbook: String,
    /// Its sections, and those that only the earlier run had.
    pub sections: Vec<RunSectionDiff>,
    /// How many changes of each sort there are in all.
    pub changes: BTreeMap<ChangeKind, usize>,
    /// How many entries are the same.
    pub unchanged: usize,
}

/// What changed in a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSectionDiff {
    /// Its id.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Its status in the earlier run; nothing where it was not there.
    pub before: Option<SectionStatus>,
    /// Its status in the later run.
    pub after: Option<SectionStatus>,
    /// How many entries are the same.
    pub unchanged: usize,
    /// What is not.
    pub changes: Vec<RunChange>,
    /// How many changes were left out to keep to a budget.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunChange {
    /// What became of it.
    pub kind: ChangeKind,
    /// Where it was: file and lines; nothing for an observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was_at: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_at: Option<String>,
    /// The status it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<&'static str>,
    /// The status it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<&'static str>,
    /// What a person knows it by.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What was observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Workspace {
    /// Says what changed between the packs of two runs, as they were then.
    ///
    /// # Errors
    /// When a record cannot be read or has no pack.
    pub fn compare_runs(&self, before: &RunId, after: &RunId) -> Result<RunComparison, Error> {
        let (old, new) = (self.run_record(before)?, self.run_record(after)?);
        let runbook = new.head.runbook.name().to_owned();
        let pack = |record: RunRecord| {
            let pack = record.pack.and_then(StoredResult::open);
            pack.ok_or_else(|| Error::NoPack(record.head.id.to_string()))
        };
        let (old, new) = (pack(old)?.pack, pack(new)?.pack);
        let sections: Vec<RunSectionDiff> = diff(&old, &new).iter().map(section).collect();
        let mut changes = BTreeMap::new();
        for change in sections.iter().flat_map(|section| &section.changes) {
            *changes.entry(change.kind).or_default() += 1;
        }
        Ok(RunComparison {
            before: before.clone(),
            after: after.clone(),
            runbook,
            unchanged: sections.iter().map(|section| section.unchanged).sum(),
            sections,
            changes,
        })
    }

    /// The two newest runs of one runbook that have a pack, the earlier first: of the one called `runbook`, or
    /// of that of the newest run.
    ///
    /// # Errors
    /// When there are no two.
    pub fn newest_two(&self, runbook: Option<&str>) -> Result<(RunId, RunId), Error> {
        let mut found: Vec<RunRecord> = Vec::new();
        for (head, _) in self.own_run_files()? {
            let of_it = match (runbook, found.first()) {
                (Some(name), _) => head.runbook.is_called(name),
                (None, Some(newest)) => head.runbook.name() == newest.head.runbook.name(),
                (None, None) => true,
            };
            if !of_it {
                continue;
            }
            let record = self.run_record(&head.id).ok();
            found.extend(record.filter(|record| record.pack.is_some()));
            if let [newer, older] = &found[..] {
                return Ok((older.head.id.clone(), newer.head.id.clone()));
            }
        }
        let name = found.first().map(|newest| newest.head.runbook.name());
        Err(Error::NothingToCompare(runbook.or(name).map(str::to_owned)))
    }
}

fn section(section: &SectionDiff<'_>) -> RunSectionDiff {
    RunSectionDiff {
        id: section.id.to_string(),
        title: section.title.to_owned(),
        before: section.before,
        after: section.after,
        unchanged: section.unchanged,
        changes: section.changes.iter().map(change).collect(),
        omitted: 0,
    }
}

fn change(change: &Change<'_>) -> RunChange {
    match change {
        Change::Evidence {
            kind,
            before,
            after,
        } => RunChange {
            kind: *kind,
            was_at: before.map(place),
            is_at: after.map(place),
            was: before.map(status),
            is: after.map(status),
            label: after.or(*before).map(label).unwrap_or_default(),
            value: None,
        },
        Change::Observation {
            kind,
            before,
            after,
        } => RunChange {
            kind: *kind,
            was_at: None,
            is_at: None,
            was: None,
            is: None,
            label: String::new(),
            value: after.or(*before).cloned(),
        },
    }
}

/// Where a piece of evidence stands, as far as that is proven.
fn place((_, evidence): (&Item, &Evidence)) -> String {
    let repair = evidence.judgement.repair.as_ref();
    let pointer = repair.and_then(|repair| repair.evidence.as_ref());
    pointer.unwrap_or(&evidence.pointer).to_string()
}

fn status((_, evidence): (&Item, &Evidence)) -> &'static str {
    evidence.judgement.status.as_str()
}

fn label((item, _): (&Item, &Evidence)) -> String {
    match &item.id {
        Some(id) if item.label.is_empty() => id.clone(),
        Some(id) if *id != item.label => format!("{id}: {}", item.label),
        _ => item.label.clone(),
    }
}
