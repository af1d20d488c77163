//! Compares the packs of two recorded runs, section by section.
//!
//! Two packs may differ although the repository has not changed: the inputs may be different, the
//! runbook may have been edited, or one of the runs may have skipped some steps. The comparison
//! notes each of these.
//!
//! If the later run cut a list off, an entry missing from its pack may just be further down. Such a
//! comparison reports no removed entries.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use windlass_base::{Evidence, Item, RepairOutcome, counted};
use windlass_engine::RunEvent;
use windlass_packs::{Change, ChangeKind, Ending, SectionDiff, SectionStatus, StoredResult, diff};
use windlass_site::Error;

use super::record_files::RunRecords;
use super::record_format::{RunHead, RunRecord};
use super::run_id::RunId;
use crate::run_error::RunError;

/// Differences between two runs. "Before" is the earlier run, and "after" the later one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// The earlier run.
    pub before: RunId,
    /// The later run.
    pub after: RunId,
    /// Runbook of the later run.
    pub runbook: String,
    /// Reasons for different results that aren't changes in the repository, e.g. other inputs or an
    /// edited runbook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The sections of the later run, followed by those that it no longer has.
    pub sections: Vec<RunSectionDiff>,
    /// Number of changes of each kind, over all sections.
    pub changes: BTreeMap<ChangeKind, usize>,
    /// Number of unchanged entries, over all sections.
    pub unchanged: usize,
}

/// How a section differs between the two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSectionDiff {
    /// ID of the section in the runbook.
    pub id: String,
    /// Heading of the section.
    pub title: String,
    /// Status in the earlier run, or `None` if it didn't have this section.
    pub before: Option<SectionStatus>,
    /// Status in the later run, or `None` if it doesn't have this section.
    pub after: Option<SectionStatus>,
    /// Number of unchanged entries.
    pub unchanged: usize,
    /// The different entries of the runs.
    pub changes: Vec<RunChange>,
}

/// How an entry differs between the two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunChange {
    /// The kind of change.
    pub kind: ChangeKind,
    /// File and lines in the earlier run. Observations don't have a location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was_at: Option<String>,
    /// File and lines in the later run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_at: Option<String>,
    /// Status of the entry in the earlier run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<&'static str>,
    /// Status of the entry in the later run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<&'static str>,
    /// Label for display.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Value of an observation in the later run, or in the earlier one for a removed observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl RunRecords {
    /// Compares the packs of two runs as they were recorded. Unlike a replay, this doesn't verify
    /// the evidence again, so it works even if the files have changed since then.
    ///
    /// # Errors
    /// Returns an error if a record can't be read, or if it contains no pack.
    pub fn compare_runs(&self, before: &RunId, after: &RunId) -> Result<RunComparison, Error> {
        let (old, new) = (self.run_record(before)?, self.run_record(after)?);
        let runbook = new.head.runbook.name().to_owned();
        let notes = differences(&old, &new);
        let is_cut = has_cut_list(&new);
        let pack = |record: RunRecord| {
            let pack = record.pack.and_then(StoredResult::open);
            pack.ok_or_else(|| RunError::NoPack(record.head.id.to_string()))
        };
        let (old, new) = (pack(old)?.pack, pack(new)?.pack);
        let differing = diff(&old, &new);
        let sections = differing.iter().map(|one| section(one, is_cut));
        let sections: Vec<RunSectionDiff> = sections.collect();
        let mut changes = BTreeMap::new();
        for change in sections.iter().flat_map(|section| &section.changes) {
            *changes.entry(change.kind).or_default() += 1;
        }
        Ok(RunComparison {
            before: before.clone(),
            after: after.clone(),
            runbook,
            notes,
            unchanged: sections.iter().map(|section| section.unchanged).sum(),
            sections,
            changes,
        })
    }

    /// Compares the newest two comparable runs of `runbook`, or of the most recently run runbook if
    /// that's `None`.
    ///
    /// We skip partial, refused and stopped runs, and pairs of runs with different inputs, because
    /// nearly all of their differences would come from that. If newer runs were skipped, a note
    /// says how many.
    ///
    /// # Errors
    /// Returns an error if there aren't two comparable runs.
    pub fn compare_newest_runs(&self, runbook: Option<&str>) -> Result<RunComparison, Error> {
        let heads = self.run_heads()?;
        let is_it = |head: &RunHead| match (runbook, heads.first()) {
            (Some(name), _) => head.runbook.is_called(name),
            (None, newest) => newest.is_some_and(|it| it.runbook.name() == head.runbook.name()),
        };
        let runs: Vec<&RunHead> = heads.iter().filter(|head| is_it(head)).collect();
        let mut other_inputs = 0;
        for (at, newer) in runs.iter().enumerate() {
            if !newer.only.is_empty() || !self.is_comparable(&newer.id) {
                continue;
            }
            if let Some(older) = self.comparable_with(newer, &runs[at + 1..]) {
                let mut comparison = self.compare_runs(&older.id, &newer.id)?;
                comparison.notes.extend((at > 0).then(|| {
                    let skipped = counted(at, "newer run");
                    format!("skipped {skipped}: partial, stopped or with other inputs")
                }));
                return Ok(comparison);
            }
            // No older run has the same inputs as this one. Try the next newest.
            other_inputs += 1;
        }
        let name = heads.iter().find(|head| is_it(head));
        let name = name.map(|head| head.runbook.name().to_owned());
        Err(RunError::NothingToCompare {
            runbook: runbook.map(str::to_owned).or(name),
            other_inputs: other_inputs > 1,
        }
        .into())
    }

    fn comparable_with<'a>(&self, newer: &RunHead, runs: &[&'a RunHead]) -> Option<&'a RunHead> {
        let inputs = (&newer.inputs, &newer.withheld);
        let mut runs = runs.iter().filter(|run| run.only.is_empty());
        let fits =
            |run: &&&RunHead| (&run.inputs, &run.withheld) == inputs && self.is_comparable(&run.id);
        runs.find(fits).copied()
    }

    fn is_comparable(&self, id: &RunId) -> bool {
        self.run_record(id)
            .is_ok_and(|record| record.pack.is_some() && is_finished(&record))
    }
}

fn is_finished(record: &RunRecord) -> bool {
    let ending = record.end.map(|end| end.ending);
    !matches!(ending, Some(Ending::Refused | Ending::Cancelled))
}

fn differences(old: &RunRecord, new: &RunRecord) -> Vec<String> {
    let mut notes = Vec::new();
    let (before, after) = (&old.head.runbook, &new.head.runbook);
    if before.name() != after.name() {
        notes.push(format!(
            "runs of different runbooks: `{}` and `{}`",
            before.name(),
            after.name()
        ));
    } else if before.digest != after.digest {
        notes.push(
            "the runbook changed between the two runs: additions and removals may come from that"
                .to_owned(),
        );
    }
    let names: BTreeSet<&String> = [&old.head, &new.head]
        .into_iter()
        .flat_map(|head| head.inputs.keys().chain(&head.withheld))
        .collect();
    let value = |head: &RunHead, name: &String| match head.inputs.get(name) {
        Some(value) => value.to_string(),
        // Secret inputs aren't recorded, so we can only say that there was one.
        None if head.withheld.contains(name) => "a secret value".to_owned(),
        None => "not given".to_owned(),
    };
    let inputs = names.into_iter().filter_map(|name| {
        let (before, after) = (value(&old.head, name), value(&new.head, name));
        (before != after).then(|| format!("`{name}` was {before}, now {after}"))
    });
    let inputs: Vec<String> = inputs.collect();
    if !inputs.is_empty() {
        notes.push(format!("the inputs differ: {}", inputs.join("; ")));
    }
    for (which, record) in [("earlier", old), ("later", new)] {
        if has_cut_list(record) {
            notes.push(format!(
                "the {which} run cut a list: entries of the other run may be further down"
            ));
        }
        let head = &record.head;
        if !head.only.is_empty() {
            notes.push(format!(
                "the {which} run had only some steps: {}",
                head.only.join(", ")
            ));
        } else if let Some(from) = &head.from {
            notes.push(format!("the {which} run started again at `{from}`"));
        }
        match record.end.map(|end| end.ending) {
            Some(Ending::Refused) => notes.push(format!("the {which} run was refused")),
            Some(Ending::Cancelled) => notes.push(format!("the {which} run was stopped")),
            None => notes.push(format!("the {which} run has not ended")),
            Some(Ending::Done | Ending::Failed | Ending::Stale) => {}
        }
    }
    notes
}

/// True if some output of the run is marked as incomplete. Steps do that either with a `truncated`
/// field or with a caveat such as "only the first 100 files".
fn has_cut_list(record: &RunRecord) -> bool {
    record.entries.iter().any(|timed| {
        let RunEvent::StepEnded {
            produced: Some(produced),
            ..
        } = &timed.entry
        else {
            return false;
        };
        let caveat = produced.caveat.as_ref();
        produced.output.get("truncated") == Some(&Value::Bool(true))
            || caveat.is_some_and(|caveat| !caveat.unproven && caveat.text.starts_with("only "))
    })
}

/// Converts the changes in a section. If the later run cut a list, an entry that seems to be
/// removed may just be further down, so we leave out all removals.
fn section(section: &SectionDiff<'_>, is_cut: bool) -> RunSectionDiff {
    let mut changes: Vec<RunChange> = section.changes.iter().map(change).collect();
    changes.retain(|change| !is_cut || change.kind != ChangeKind::Removed);
    RunSectionDiff {
        id: section.id.to_string(),
        title: section.title.to_owned(),
        before: section.before,
        after: section.after,
        unchanged: section.unchanged,
        changes,
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

fn place((_, evidence): (&Item, &Evidence)) -> String {
    let repair = evidence.judgement.repair.as_ref();
    let pointer = repair.and_then(|repair| repair.evidence.as_ref());
    pointer.unwrap_or(&evidence.pointer).to_string()
}

/// If the evidence was found at a new location, the outcome of that repair (e.g. `moved`) says more
/// than the status.
fn status((_, evidence): (&Item, &Evidence)) -> &'static str {
    match evidence.judgement.outcome() {
        Some(outcome) if outcome != RepairOutcome::Unproven => outcome.as_str(),
        _ => evidence.judgement.status.as_str(),
    }
}

fn label((item, _): (&Item, &Evidence)) -> String {
    match &item.id {
        Some(id) if item.label.is_empty() => id.clone(),
        Some(id) if *id != item.label => format!("{id}: {}", item.label),
        _ => item.label.clone(),
    }
}
