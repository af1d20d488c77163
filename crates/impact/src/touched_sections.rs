//! Finds the sections of runbooks that depend on changed files.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use windlass_base::{Ident, LineSpan, RepairOutcome, RepoPath, first_names};
use windlass_evidence::{Claim, capture_at, judge, stood_at};
use windlass_notebook::RunbookShelf;
use windlass_plan::{EdgeReason, InputWords, Plan, PlannedStep, StepIndex, bind_known_inputs};
use windlass_repo::Snapshot;
use windlass_site::Site;
use windlass_steps::{FilePart, FilesIn, RestsOn, rests_on};

use crate::impact_report::{ANCHORS, Effect, TouchedSection};
use crate::stale_anchors::KeptAnchor;
use crate::touched_files::Change;

/// Maximum number of names that we list in a reason.
const MAX_NAMED: usize = 5;

/// The change, and what we already know about it.
struct Look<'a> {
    change: &'a Change,
    anchors: Vec<&'a KeptAnchor>,
    snapshot: &'a Snapshot,
}

/// The effect of a step on the sections that show it.
struct Cause {
    effect: Effect,
    why: String,
}

impl Cause {
    fn stale(why: impl Into<String>) -> Option<Self> {
        let (effect, why) = (Effect::Stale, why.into());
        Some(Self { effect, why })
    }

    fn touched(why: impl Into<String>) -> Option<Self> {
        let (effect, why) = (Effect::Touched, why.into());
        Some(Self { effect, why })
    }
}

/// A section, with everything that it depends on.
struct Behind {
    runbook: String,
    section: String,
    title: String,
    causes: Vec<Cause>,
    nested: Vec<String>,
}

/// Finds the sections that depend on `change`, and the changed runbooks that are not valid. `stale`
/// has the names of the anchors that the change has made stale.
pub(crate) fn look(
    shelf: &RunbookShelf,
    site: &Site,
    change: &Change,
    (anchors, stale): (&[KeptAnchor], &BTreeSet<&Ident>),
    snapshot: &Snapshot,
) -> (Vec<TouchedSection>, Vec<String>) {
    let is_stale = |kept: &&KeptAnchor| stale.contains(&kept.anchor.id);
    let look = Look {
        change,
        anchors: anchors.iter().filter(is_stale).collect(),
        snapshot,
    };
    let is_touched = |place: &str| RepoPath::parse(place).is_ok_and(|file| change.touches(&file));
    let (mut behind, mut unusable) = (Vec::new(), Vec::new());
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let (catalog, shelf) = (windlass_steps::catalog(), shelf.with_one_notebook());
    for entry in shelf.all(snapshot) {
        if site.cancel().is_cancelled() {
            break;
        }
        let place = entry.place.to_string();
        let root = site.repo().root();
        match shelf.find(&place, root, snapshot, &catalog) {
            Ok(runbook) => behind.extend(look.behind(&place, &runbook.plan)),
            Err(_) if is_touched(&place) => unusable.push(place.clone()),
            Err(error) => site.note_trouble(format!(
                "sections of `{place}` are not checked, since it cannot be used: {error}"
            )),
        }
        names.entry(entry.name).or_insert(place);
    }
    (told(behind, &names), unusable)
}

/// Selects the affected sections. If a section shows another runbook, it is stale as soon as any
/// section of that runbook is, so we have to repeat this until nothing changes.
fn told(mut behind: Vec<Behind>, names: &BTreeMap<String, String>) -> Vec<TouchedSection> {
    let mut stale: BTreeSet<String> = BTreeSet::new();
    loop {
        let before = stale.len();
        for section in &mut behind {
            for name in &section.nested {
                let place = names.get(name).unwrap_or(name);
                if stale.contains(place) {
                    let why = format!("runbook: {name}");
                    if !section.causes.iter().any(|cause| cause.why == why) {
                        section.causes.extend(Cause::stale(why));
                    }
                }
            }
            let is_stale = |cause: &Cause| cause.effect == Effect::Stale;
            if section.causes.iter().any(is_stale) {
                stale.insert(section.runbook.clone());
            }
        }
        if stale.len() == before {
            break;
        }
    }
    let mut told: Vec<TouchedSection> = behind
        .into_iter()
        .filter_map(|section| {
            let effect = section.causes.iter().map(|cause| cause.effect).min()?;
            let causes = section.causes.into_iter();
            let because: BTreeSet<String> = causes
                .filter(|cause| cause.effect == effect)
                .map(|cause| cause.why)
                .collect();
            Some(TouchedSection {
                effect,
                runbook: section.runbook,
                section: section.section,
                title: section.title,
                because: because.into_iter().collect(),
            })
        })
        .collect();
    // The sort is stable: the sections of a runbook stay in order.
    told.sort_by(|a, b| (a.effect, &a.runbook).cmp(&(b.effect, &b.runbook)));
    told
}

impl Look<'_> {
    fn behind(&self, place: &str, plan: &Plan) -> Vec<Behind> {
        // Nobody has given us any inputs, so those without a default value stay open.
        let inputs = bind_known_inputs(plan.inputs(), BTreeMap::new()).unwrap_or_default();
        let sections = plan.outputs().iter().map(|output| {
            let (mut causes, mut nested) = (Vec::new(), Vec::new());
            for step in shown_by(plan, output.from) {
                match resting(step, &inputs) {
                    Some(RestsOn::Runbook(name)) => nested.push(name),
                    Some(rests) => causes.extend(self.cause(&rests)),
                    None => {}
                }
            }
            Behind {
                runbook: place.to_owned(),
                section: output.id.to_string(),
                title: output.title.clone(),
                causes,
                nested,
            }
        });
        sections.collect()
    }

    fn cause(&self, rests: &RestsOn) -> Option<Cause> {
        match rests {
            RestsOn::Anchors(taken) => {
                let mut ids: Vec<&str> = self
                    .anchors
                    .iter()
                    .filter(|kept| taken.has(&kept.anchor))
                    .map(|kept| kept.anchor.id.as_str())
                    .collect();
                ids.dedup();
                let names = first_names(&ids, MAX_NAMED, ", ");
                (!ids.is_empty()).then(|| Cause::stale(format!("{ANCHORS}{names}")))?
            }
            RestsOn::Claims(claims) => self.of_claims(claims),
            RestsOn::Part(part) => self.of_part(part),
            RestsOn::Files(files) => self.of_files(files),
            RestsOn::Runbook(_) => None,
        }
    }

    fn of_claims(&self, claims: &[Claim]) -> Option<Cause> {
        let is_stale = |claim: &&Claim| {
            let file = &claim.pointer.file;
            self.change.touches(file)
                && !(*claim).clone().judged(self.snapshot).judgement.is_fresh()
                && self.stood(claim)
        };
        let stale: Vec<String> = claims
            .iter()
            .filter(is_stale)
            .map(|claim| claim.pointer.to_string())
            .collect();
        let names = first_names(&stale, MAX_NAMED, ", ");
        (!stale.is_empty()).then(|| Cause::stale(format!("evidence: {names}")))?
    }

    fn stood(&self, claim: &Claim) -> bool {
        let base = self.change.base.as_ref();
        base.is_none_or(|base| stood_at(self.snapshot, base, &claim.pointer))
    }

    /// Judges a part of a file. It is stale if the part is gone, or if its text is on other lines
    /// now. If the text was edited in place, the part is only touched, because the section shows
    /// the present text.
    fn of_part(&self, part: &FilePart) -> Option<Cause> {
        let (file, base) = (part.file(), self.change.base.as_ref()?);
        if !self.change.touches(file) {
            return None;
        }
        let old = self.snapshot.history().file(base, None, file).ok()?;
        let before = part.lines_in(&old).ok()?;
        let now = self.snapshot.read(file);
        let now = now.map_err(|refusal| format!("`{file}`: {refusal}"));
        let now = now.and_then(|source| Ok((part.lines_in(&source)?, source)));
        let (lines, source) = match now {
            Ok(now) => now,
            Err(why) => return Cause::stale(why),
        };
        let is_same = lines.len() == before.len()
            && lines
                .iter()
                .zip(&before)
                .all(|(now, then)| source.span_hash(*now) == old.span_hash(*then));
        if is_same {
            return None;
        }
        let moved = |span: &LineSpan| self.moved_to(base, file, *span);
        match before.iter().filter(|_| part.names_lines()).find_map(moved) {
            Some(moved) => Cause::stale(moved),
            None => Cause::touched(format!("changed files: {file}")),
        }
    }

    /// If we are sure that lines have moved, returns a message with their present location.
    fn moved_to(&self, base: &str, file: &RepoPath, span: LineSpan) -> Option<String> {
        let captured = capture_at(self.snapshot, base, file, span).ok()?;
        let judged = judge(self.snapshot, &captured.pointer, Some(&captured.capture));
        let repair = judged.repair?;
        let new = repair.evidence?;
        let is_elsewhere = new.file != *file || new.span.start() != span.start();
        let is_proven = matches!(repair.outcome, RepairOutcome::Moved | RepairOutcome::Edited);
        (is_proven && is_elsewhere).then(|| format!("{file}:{span} is at {new} now"))
    }

    fn of_files(&self, files: &FilesIn) -> Option<Cause> {
        let held: Vec<&RepoPath> = self
            .change
            .files
            .iter()
            .filter(|file| files.hold(file))
            .collect();
        let names = first_names(&held, MAX_NAMED, ", ");
        (!held.is_empty()).then(|| Cause::touched(format!("changed files: {names}")))?
    }
}

fn resting(step: &PlannedStep, inputs: &BTreeMap<String, Value>) -> Option<RestsOn> {
    rests_on(&step.uses, InputWords::new(&step.with, inputs).whole())
}

/// Collects the step `from` and all steps whose output it uses, directly or indirectly.
fn shown_by(plan: &Plan, from: StepIndex) -> Vec<&PlannedStep> {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(index) = open.pop() {
        let Some(step) = plan.step(index) else {
            continue;
        };
        let takes = |needed: &&StepIndex| {
            let reasons = plan.reasons(index, **needed);
            reasons
                .iter()
                .any(|reason| matches!(reason, EdgeReason::Ref { .. }))
        };
        for needed in step.needs.iter().filter(takes) {
            if seen.insert(*needed) {
                open.push(*needed);
            }
        }
    }
    seen.into_iter()
        .filter_map(|index| plan.step(index))
        .collect()
}
