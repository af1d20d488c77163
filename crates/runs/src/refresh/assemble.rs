//! Assembles a pack from the results of a run: selects its evidence and verifies it.
//!
//! Files may change while steps are still running. We read each file only once, so the pack does
//! not contradict itself, but it may be outdated by the end of the run. So we check the files again
//! here, and evidence in files that have changed becomes unknown.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use windlass_base::{Cancel, Entry, Evidence, Freshness, Judgement, Pointer, RepoPath};
use windlass_engine::{ErrorKind as StepErrorKind, RunResult, StepResult, Stop, StopLevel};
use windlass_packs::{
    Ending, Pack, PackSection, PackStatus, RunbookRef, SectionStatus, Selection, oddities,
    rests_on_files, select,
};
use windlass_plan::{FreshnessMode, Outcome, Plan};
use windlass_repo::SecondLook;

use windlass_site::Error;

use super::Loaded;
use crate::next_calls::next_calls;

pub(crate) struct Assembled {
    pub(crate) pack: Pack,
    pub(crate) ending: Ending,
}

/// Assembles the pack of a run. If `cancel` is raised, we stop checking files, and the evidence in
/// the remaining ones becomes unknown.
pub(crate) fn assemble(
    loaded: &Loaded,
    result: &RunResult,
    cancel: &Cancel,
    stop: &Stop,
) -> Result<Assembled, Error> {
    let (runbook, snapshot) = (&loaded.runbook, &loaded.snapshot);
    let plan = &*runbook.plan;
    let mut sections = select(&Selection {
        plan,
        result,
        catalog: &loaded.catalog,
        snapshot,
        max_items: loaded.policy.max_items_per_section as usize,
    });
    let mut notes = unseen_failures(plan, result);
    let second = snapshot.changed_since(cancel);
    let rest_on_files: Vec<bool> = plan
        .outputs()
        .iter()
        .map(|output| rests_on_files(plan, &loaded.catalog, output.from))
        .collect();
    notes.extend(report_changed_files(&second, &mut sections, &rest_on_files));
    notes.extend(oddities(snapshot, &sections));
    let outcome = if stop.level() >= StopLevel::Cancel {
        Outcome::Cancelled
    } else {
        result.outcome
    };
    // A strict nested runbook has accepted its evidence, but a file may have changed since. If so,
    // the whole run has to be as strict.
    let in_doubt = !second.changes.is_empty() || !second.complete;
    let strict_inside = loaded.strict_inside.load(Ordering::Relaxed);
    let strict = loaded.policy.freshness == FreshnessMode::Strict || in_doubt && strict_inside;
    let status = pack_status(outcome, &sections, strict);
    let runbook_ref = RunbookRef {
        id: plan.id().clone(),
        title: plan.title().to_owned(),
        purpose: plan.purpose().to_owned(),
    };
    let mut pack = Pack::new(runbook_ref, status, sections, notes).map_err(Error::internal)?;
    pack.strict_inside = strict_inside;
    let call = runbook.call.as_deref();
    let call = call.map(|call| (call, &loaded.given[..]));
    pack.next_actions = next_calls(&pack, call, &loaded.notebook, snapshot);
    let ending = ending(plan, result, outcome, &pack, strict);
    Ok(Assembled { pack, ending })
}

/// Describes failed steps that no section shows. Otherwise, the user would not see their errors.
fn unseen_failures(plan: &Plan, result: &RunResult) -> Vec<String> {
    let shown: BTreeSet<usize> = plan
        .outputs()
        .iter()
        .map(|output| output.from.index())
        .collect();
    let failed = |(at, step): (usize, &StepResult)| {
        let error = step.error.as_ref().filter(|_| !shown.contains(&at))?;
        Some(format!("step `{}` failed: {error}", step.id))
    };
    result.steps.iter().enumerate().filter_map(failed).collect()
}

/// Reports files that changed during the run.
///
/// A section becomes unknown if it shows such a file, or if it may depend on files without showing
/// them. Changes of other files are only mentioned in a note, which is returned. If we could not
/// check a file again, it counts as changed.
fn report_changed_files(
    second: &SecondLook,
    sections: &mut [PackSection],
    rest_on_files: &[bool],
) -> Vec<String> {
    let changed: BTreeSet<&RepoPath> = second.changes.iter().map(|change| &change.path).collect();
    let mut others = distrust(sections, &changed, "changed during the run");
    for (section, rests) in sections.iter_mut().zip(rest_on_files) {
        if *rests && !changed.is_empty() && depends_on_hidden_files(section) {
            let all: Vec<&RepoPath> = changed.iter().copied().collect();
            let reason = format!(
                "files that it may depend on changed during the run: {}",
                list(&all)
            );
            mark_unknown(section, reason);
            others.clear();
        }
    }
    let unseen: BTreeSet<&RepoPath> = second.unseen.iter().collect();
    others.retain(|path| !unseen.contains(path));
    let reason = "was not checked again, because the run was stopped";
    distrust(sections, &unseen, reason);
    let mut notes = Vec::new();
    if !others.is_empty() {
        notes.push(format!(
            "files that were read changed during the run: {}",
            list(&others)
        ));
    }
    if !second.complete {
        notes.push("the run was stopped before all its files were checked again".to_owned());
    }
    notes
}

/// Marks the evidence in `files` as unknown for the reason `why`, and returns the files that no
/// section shows.
fn distrust<'a>(
    sections: &mut [PackSection],
    files: &BTreeSet<&'a RepoPath>,
    why: &str,
) -> Vec<&'a RepoPath> {
    let mut others = files.clone();
    for section in sections.iter_mut() {
        let shown = section.entries.iter().flat_map(evidence_in);
        let shown = shown.flat_map(places).map(|place| &place.file);
        let shown: BTreeSet<&RepoPath> = shown.collect();
        let named: Vec<&'a RepoPath> = files
            .iter()
            .copied()
            .filter(|path| shown.contains(path))
            .collect();
        if named.is_empty() {
            continue;
        }
        mark_unknown(section, format!("{why}: {}", list(&named)));
        for evidence in section.entries.iter_mut().flat_map(evidence_of) {
            let changed = places(evidence).find(|place| files.contains(&place.file));
            if let Some(place) = changed {
                let reason = Some(match place.file == evidence.pointer.file {
                    true => format!("the file {why}"),
                    false => format!("`{}` {why}", place.file),
                });
                evidence.judgement = Judgement::new(Freshness::Unknown, reason);
            }
        }
        for path in named {
            others.remove(path);
        }
    }
    others.into_iter().collect()
}

fn mark_unknown(section: &mut PackSection, reason: String) {
    section.reason = Some(match section.reason.take() {
        Some(before) => format!("{before}; {reason}"),
        None => reason,
    });
    section.status = section.status.max(SectionStatus::Unknown);
    section.in_doubt = true;
}

/// True if a section may depend on files that it does not show. An empty section, for example,
/// depends on every file that its step has searched.
fn depends_on_hidden_files(section: &PackSection) -> bool {
    section.status < SectionStatus::Skipped
        && (section.entries.is_empty() || has_observations(section))
}

fn list(files: &[&RepoPath]) -> String {
    /// Maximum number of files to list. More of them would take space away from the pack itself.
    const NAMED: usize = 10;
    windlass_base::first_names(files, NAMED, ", ")
}

fn has_observations(section: &PackSection) -> bool {
    let is_observation = |entry: &Entry| matches!(entry, Entry::Observation(_));
    section.entries.iter().any(is_observation)
}

/// Iterates over all locations of the evidence: where it was captured, where it is now, and where
/// it might be.
fn places(evidence: &Evidence) -> impl Iterator<Item = &Pointer> {
    let repair = evidence.judgement.repair.iter();
    let found = repair.flat_map(|repair| repair.evidence.iter().chain(&repair.candidates));
    std::iter::once(&evidence.pointer).chain(found)
}

fn evidence_in(entry: &Entry) -> &[Evidence] {
    match entry {
        Entry::Item(item) => &item.evidence,
        Entry::Observation(_) => &[],
    }
}

fn evidence_of(entry: &mut Entry) -> &mut [Evidence] {
    match entry {
        Entry::Item(item) => &mut item.evidence,
        Entry::Observation(_) => &mut [],
    }
}

fn pack_status(outcome: Outcome, sections: &[PackSection], strict: bool) -> PackStatus {
    let steps = match outcome {
        Outcome::Cancelled => PackStatus::Cancelled,
        Outcome::Failed => PackStatus::Failed,
        Outcome::Partial => PackStatus::Partial,
        Outcome::Completed => PackStatus::Ok,
    };
    windlass_packs::judged_status(steps, sections, strict)
}

fn ending(plan: &Plan, result: &RunResult, outcome: Outcome, pack: &Pack, strict: bool) -> Ending {
    let refused = result.steps.iter().any(|step| {
        step.error
            .as_ref()
            .is_some_and(|error| error.kind == StepErrorKind::Refused)
    });
    match outcome {
        Outcome::Cancelled => Ending::Cancelled,
        // The runbook may go on without a step that isn't allowed. The run still counts as refused,
        // so that nobody takes the step for done.
        _ if refused => Ending::Refused,
        Outcome::Failed if result.failed_of_staleness(plan) => Ending::Stale,
        Outcome::Failed => Ending::Failed,
        Outcome::Completed | Outcome::Partial => {
            windlass_packs::judged_ending(&pack.sections, strict)
        }
    }
}
