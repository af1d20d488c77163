//! Compares the packs of two recorded runs, section by section.
//!
//! Not every difference between two packs comes from a change in the repository. The inputs may be
//! different, the runbook may have been edited, or one of the runs may have had only some steps.
//! The comparison has a note for each of these.
//!
//! Lists need special care. If the later run cut a list at 100 entries, an entry missing from it
//! may just be the 101st. We don't report such entries as removed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use windlass_base::{Evidence, Item, RepairOutcome};
use windlass_engine::Produced;
use windlass_packs::{
    Change, ChangeKind, Ending, Pack, SectionDiff, SectionStatus, StoredResult, diff,
};
use windlass_site::Error;

use super::record_files::RunRecords;
use super::record_format::{RunHead, RunRecord};
use super::run_entry::RunEntry;
use super::run_id::RunId;
use crate::run_error::RunError;

/// Differences between two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// The earlier run.
    pub before: RunId,
    /// The later run.
    pub after: RunId,
    /// The later run's runbook.
    pub runbook: String,
    /// Differences that may explain changed results although the repository didn't change, such as
    /// other inputs or an edited runbook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The later run's sections, followed by those found only in the earlier run.
    pub sections: Vec<RunSectionDiff>,
    /// The number of changes of each kind.
    pub changes: BTreeMap<ChangeKind, usize>,
    /// The number of unchanged entries.
    pub unchanged: usize,
}

/// Differences between two runs in one section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSectionDiff {
    /// The section's id in the runbook.
    pub id: String,
    /// The section's heading.
    pub title: String,
    /// Status in the earlier run, or `None` if that run lacks the section.
    pub before: Option<SectionStatus>,
    /// Status in the later run, or `None` if that run lacks the section.
    pub after: Option<SectionStatus>,
    /// The number of unchanged entries.
    pub unchanged: usize,
    /// Changed entries, as far as the budget allows.
    pub changes: Vec<RunChange>,
    /// Notes on the section, for example that its list was cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The number of changes omitted to fit the budget.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

/// Difference between two runs in one entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunChange {
    /// The kind of change.
    pub kind: ChangeKind,
    /// File and lines in the earlier run, or `None` for an observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was_at: Option<String>,
    /// File and lines in the later run, or `None` for an observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_at: Option<String>,
    /// The entry's status in the earlier run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<&'static str>,
    /// The entry's status in the later run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<&'static str>,
    /// A label for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// An observation's later value, or its earlier one if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature required by serde"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl RunComparison {
    /// Reduces the comparison to `max` characters of JSON. We halve the longest list of changes
    /// until everything fits, so each section keeps its first changes.
    ///
    /// # Errors
    /// Returns the minimum number of characters as an error if it exceeds `max`.
    pub fn within(mut self, max: usize) -> Result<Self, usize> {
        let size = |comparison: &Self| {
            serde_json::to_string(comparison).map_or(0, |text| text.chars().count() + 1)
        };
        while size(&self) > max {
            let sections = self.sections.iter_mut();
            let longest = sections.max_by_key(|section| section.changes.len());
            let Some(section) = longest.filter(|section| !section.changes.is_empty()) else {
                return Err(size(&self));
            };
            let keep = section.changes.len() / 2;
            section.omitted += section.changes.len() - keep;
            section.changes.truncate(keep);
        }
        Ok(self)
    }
}

impl RunRecords {
    /// Compares the packs of two runs as recorded. Their evidence isn't verified again.
    ///
    /// # Errors
    /// Returns an error if a record cannot be read, or if it has no pack.
    pub fn compare_runs(&self, before: &RunId, after: &RunId) -> Result<RunComparison, Error> {
        let (old, new) = (self.run_record(before)?, self.run_record(after)?);
        let runbook = new.head.runbook.name().to_owned();
        let notes = differences(&old, &new);
        let (old_cut, new_cut) = (CutSteps::of(&old), CutSteps::of(&new));
        let pack = |record: RunRecord| {
            let pack = record.pack.and_then(StoredResult::open);
            pack.ok_or_else(|| RunError::NoPack(record.head.id.to_string()))
        };
        let (old, new) = (pack(old)?.pack, pack(new)?.pack);
        let differing = diff(&old, &new);
        let sections = differing.iter().map(|one| {
            let of = |pack: &Pack, cut: &CutSteps| {
                let mut sections = pack.sections.iter();
                let section = sections.find(|section| section.id == *one.id)?;
                cut.touches(&section.step).then_some(section.entries.len())
            };
            section(one, of(&old, &old_cut), of(&new, &new_cut))
        });
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

    /// Compares the two newest comparable runs of `runbook`, or of the newest run's runbook if that
    /// is `None`. Partial, refused and stopped runs are skipped, as are runs with different inputs.
    /// The notes of the comparison say how many we skipped.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two comparable runs.
    pub fn compare_newest_runs(&self, runbook: Option<&str>) -> Result<RunComparison, Error> {
        let heads = self.run_heads()?;
        let is_it = |head: &RunHead| match (runbook, heads.first()) {
            (Some(name), _) => head.runbook.is_called(name),
            (None, newest) => newest.is_some_and(|it| it.runbook.name() == head.runbook.name()),
        };
        let runs: Vec<&RunHead> = heads.iter().filter(|head| is_it(head)).collect();
        let mut passed_over = SkippedRuns::default();
        for (at, newer) in runs.iter().enumerate() {
            if !newer.only.is_empty() {
                passed_over.in_part += 1;
            } else if !self.is_comparable(&newer.id) {
                passed_over.unfinished += 1;
            } else if let Some(older) = self.comparable_with(newer, &runs[at + 1..]) {
                let mut comparison = self.compare_runs(&older.id, &newer.id)?;
                comparison.notes.extend(passed_over.note());
                return Ok(comparison);
            } else {
                passed_over.other_inputs += 1;
            }
        }
        let name = heads.iter().find(|head| is_it(head));
        let name = name.map(|head| head.runbook.name().to_owned());
        Err(RunError::NothingToCompare {
            runbook: runbook.map(str::to_owned).or(name),
            other_inputs: passed_over.other_inputs > 1,
        }
        .into())
    }

    /// Returns the newest of the older `runs` comparable with `newer`.
    fn comparable_with<'a>(&self, newer: &RunHead, runs: &[&'a RunHead]) -> Option<&'a RunHead> {
        let inputs = (&newer.inputs, &newer.withheld);
        let mut runs = runs.iter().filter(|run| run.only.is_empty());
        let fits =
            |run: &&&RunHead| (&run.inputs, &run.withheld) == inputs && self.is_comparable(&run.id);
        runs.find(fits).copied()
    }

    /// Returns true if a run has a pack and was neither refused nor stopped.
    fn is_comparable(&self, id: &RunId) -> bool {
        self.run_record(id)
            .is_ok_and(|record| record.pack.is_some() && is_finished(&record))
    }
}

/// Number of newer runs skipped by a comparison, by reason.
#[derive(Default)]
struct SkippedRuns {
    in_part: usize,
    unfinished: usize,
    other_inputs: usize,
}

impl SkippedRuns {
    fn note(&self) -> Option<String> {
        let sorts = [
            (self.in_part, "with only some steps"),
            (self.unfinished, "without an end or a pack"),
            (self.other_inputs, "with other inputs"),
        ];
        let told = sorts.into_iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!told.is_empty()).then(|| {
            format!(
                "skipped newer runs: {}; name two runs to compare others",
                told.join(", ")
            )
        })
    }
}

/// Returns true if a run was neither refused nor stopped.
fn is_finished(record: &RunRecord) -> bool {
    let ending = record.end.map(|end| end.ending);
    !matches!(ending, Some(Ending::Refused | Ending::Cancelled))
}

/// Describes differences between two runs other than changes in the repository.
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

/// Steps of the outermost runbook with possibly incomplete lists. If an entry is missing from such
/// a list, that doesn't mean it was removed.
struct CutSteps {
    cut: BTreeSet<String>,
    passing_on: BTreeSet<String>,
}

impl CutSteps {
    fn of(record: &RunRecord) -> Self {
        let mut steps = Self {
            cut: BTreeSet::new(),
            passing_on: BTreeSet::new(),
        };
        let outermost = |step: &str| {
            let id = step.split(['/', '[']).next();
            id.unwrap_or(step).to_owned()
        };
        for timed in &record.entries {
            match &timed.entry {
                RunEntry::StepStarted { step, uses, .. } if PASSING_ON.contains(&uses.as_str()) => {
                    steps.passing_on.insert(outermost(step));
                }
                RunEntry::StepEnded {
                    step,
                    produced: Some(produced),
                    ..
                } if is_cut(produced) => {
                    steps.cut.insert(outermost(step));
                }
                _ => {}
            }
        }
        steps
    }

    /// Returns true if the list of `step` may be incomplete.
    fn touches(&self, step: &str) -> bool {
        // The record doesn't say which step a passed-on list comes from, so a single cut list makes
        // all of them doubtful.
        self.cut.contains(step) || self.passing_on.contains(step) && !self.cut.is_empty()
    }
}

/// Step kinds that pass on lists of other steps.
const PASSING_ON: [&str; 2] = ["select", "join"];

/// Returns true if the output declares itself incomplete.
fn is_cut(produced: &Produced) -> bool {
    let says_so = produced.output.get("truncated") == Some(&Value::Bool(true));
    let caveat = produced.caveat.as_ref();
    says_so || caveat.is_some_and(|caveat| !caveat.unproven && caveat.text.starts_with("only "))
}

/// Converts a section's changes. `cut_before` and `cut_after` are the lengths of its lists if they
/// were cut.
fn section(
    section: &SectionDiff<'_>,
    cut_before: Option<usize>,
    cut_after: Option<usize>,
) -> RunSectionDiff {
    let mut changes: Vec<RunChange> = section.changes.iter().map(change).collect();
    let mut notes = Vec::new();
    if let Some(count) = cut_after {
        // An entry missing from a cut list may just come after the cut, so we don't report it as
        // removed.
        let all = changes.len();
        changes.retain(|change| change.kind != ChangeKind::Removed);
        notes.push(match all - changes.len() {
            0 => format!("the list was cut at {count}"),
            1 => format!("the list was cut at {count}: 1 earlier entry may be further down"),
            more => {
                format!("the list was cut at {count}: {more} earlier entries may be further down")
            }
        });
    }
    if let Some(count) = cut_before {
        notes.push(format!(
            "the earlier list was cut at {count}: added entries may have been further down"
        ));
    }
    RunSectionDiff {
        id: section.id.to_string(),
        title: section.title.to_owned(),
        before: section.before,
        after: section.after,
        unchanged: section.unchanged,
        changes,
        notes,
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

/// Returns the evidence's current location if it's proven, and the captured one otherwise.
fn place((_, evidence): (&Item, &Evidence)) -> String {
    let repair = evidence.judgement.repair.as_ref();
    let pointer = repair.and_then(|repair| repair.evidence.as_ref());
    pointer.unwrap_or(&evidence.pointer).to_string()
}

/// Returns the status of a piece of evidence, or the repair's outcome if a repair found a new
/// location.
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
