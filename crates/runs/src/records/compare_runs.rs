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

/// What changed between two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// The earlier run.
    pub before: RunId,
    /// The later run.
    pub after: RunId,
    /// The runbook of the later run.
    pub runbook: String,
    /// In what else the two differ, so that not every change is one of the repository: runbook, inputs, steps, how they
    /// ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
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
    /// What should be known of its list: that it was cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
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

impl RunComparison {
    /// As many of the changes as fit into `max` characters of JSON; the first of each section before all others.
    ///
    /// # Errors
    /// With how many characters there have to be at least.
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
    /// Says what changed between the packs of two runs, as they were then.
    ///
    /// # Errors
    /// When a record cannot be read or has no pack.
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

    /// Says what changed between the two newest runs that can be compared, of the runbook called `runbook`, or of that of
    /// the newest run. Runs of some steps, and runs that were refused or stopped, are passed over; both had the same
    /// inputs. What was passed over is among the notes.
    ///
    /// # Errors
    /// When there are no two.
    pub fn compare_newest_runs(&self, runbook: Option<&str>) -> Result<RunComparison, Error> {
        let heads = self.run_heads()?;
        let is_it = |head: &RunHead| match (runbook, heads.first()) {
            (Some(name), _) => head.runbook.is_called(name),
            (None, newest) => newest.is_some_and(|it| it.runbook.name() == head.runbook.name()),
        };
        let runs: Vec<&RunHead> = heads.iter().filter(|head| is_it(head)).collect();
        let mut passed_over = PassedOver::default();
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

    /// The newest of `runs`, which are older, that `newer` can be compared with.
    fn comparable_with<'a>(&self, newer: &RunHead, runs: &[&'a RunHead]) -> Option<&'a RunHead> {
        let inputs = (&newer.inputs, &newer.withheld);
        let mut runs = runs.iter().filter(|run| run.only.is_empty());
        let fits =
            |run: &&&RunHead| (&run.inputs, &run.withheld) == inputs && self.is_comparable(&run.id);
        runs.find(fits).copied()
    }

    /// Whether a run came to its own end, and its pack is there.
    fn is_comparable(&self, id: &RunId) -> bool {
        self.run_record(id)
            .is_ok_and(|record| record.pack.is_some() && is_finished(&record))
    }
}

/// How many newer runs are not compared.
#[derive(Default)]
struct PassedOver {
    in_part: usize,
    unfinished: usize,
    other_inputs: usize,
}

impl PassedOver {
    fn note(&self) -> Option<String> {
        let sorts = [
            (self.in_part, "of some steps alone"),
            (self.unfinished, "without an end or a pack"),
            (self.other_inputs, "with other inputs"),
        ];
        let told = sorts.into_iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!told.is_empty()).then(|| {
            format!(
                "newer runs were passed over: {}; name two runs to compare others",
                told.join(", ")
            )
        })
    }
}

/// Whether a run came to its own end.
fn is_finished(record: &RunRecord) -> bool {
    let ending = record.end.map(|end| end.ending);
    !matches!(ending, Some(Ending::Refused | Ending::Cancelled))
}

/// In what two runs differ that is no change of the repository.
fn differences(old: &RunRecord, new: &RunRecord) -> Vec<String> {
    let mut notes = Vec::new();
    let (before, after) = (&old.head.runbook, &new.head.runbook);
    if before.name() != after.name() {
        notes.push(format!(
            "these are runs of two runbooks: `{}` and `{}`",
            before.name(),
            after.name()
        ));
    } else if before.digest != after.digest {
        notes.push(
            "the runbook was changed between the two: what it asks for may have come or gone, and not what is there"
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
        (before != after).then(|| format!("`{name}` was {before}, and is {after}"))
    });
    let inputs: Vec<String> = inputs.collect();
    if !inputs.is_empty() {
        notes.push(format!("the inputs differ: {}", inputs.join("; ")));
    }
    for (which, record) in [("earlier", old), ("later", new)] {
        let head = &record.head;
        if !head.only.is_empty() {
            notes.push(format!(
                "the {which} run was of some steps alone: {}",
                head.only.join(", ")
            ));
        } else if let Some(from) = &head.from {
            notes.push(format!("the {which} run began anew at `{from}`"));
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

/// The steps of the outermost runbook whose lists were cut, and those that only pass on what others give them.
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

    /// Whether the list that `step` gives may hold less than there is.
    fn touches(&self, step: &str) -> bool {
        // Which steps it takes its list from is not recorded.
        self.cut.contains(step) || self.passing_on.contains(step) && !self.cut.is_empty()
    }
}

/// Kinds of steps whose lists come from other steps.
const PASSING_ON: [&str; 2] = ["select", "join"];

/// Whether an output says that it is a part of what there is.
fn is_cut(produced: &Produced) -> bool {
    let says_so = produced.output.get("truncated") == Some(&Value::Bool(true));
    let caveat = produced.caveat.as_ref();
    says_so || caveat.is_some_and(|caveat| !caveat.unproven && caveat.text.starts_with("only "))
}

/// `cut_before` and `cut_after` are how many entries a list has that was cut.
fn section(
    section: &SectionDiff<'_>,
    cut_before: Option<usize>,
    cut_after: Option<usize>,
) -> RunSectionDiff {
    let mut changes: Vec<RunChange> = section.changes.iter().map(change).collect();
    let mut notes = Vec::new();
    if let Some(count) = cut_after {
        // What is not in a part may be in the rest.
        let all = changes.len();
        changes.retain(|change| change.kind != ChangeKind::Removed);
        notes.push(match all - changes.len() {
            0 => format!("the list was cut at {count}"),
            1 => format!(
                "the list was cut at {count}: one that was in it before may be further down"
            ),
            more => format!(
                "the list was cut at {count}: {more} that were in it before may be further down"
            ),
        });
    }
    if let Some(count) = cut_before {
        notes.push(format!(
            "the list was cut at {count} before: what was added may have been further down"
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

/// Where a piece of evidence stands, as far as that is proven.
fn place((_, evidence): (&Item, &Evidence)) -> String {
    let repair = evidence.judgement.repair.as_ref();
    let pointer = repair.and_then(|repair| repair.evidence.as_ref());
    pointer.unwrap_or(&evidence.pointer).to_string()
}

/// Status of a piece of evidence: the outcome of its repair where there is one, else the state of its location.
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
