//! Imports the shared anchors from the repository into the notebook.

use std::collections::BTreeMap;

use windlass_base::{Cancel, Ident, NextAction};
use windlass_packs::Rank;
use windlass_redact::json_has_secrets;
use windlass_repo::{ListQuery, Snapshot};
use windlass_site::{Error, Site};

use super::twin_runbooks::{RunbookFiles, Twin, saved};
use super::{
    Became, EntrySort, HandOverRequest, HandedOver, Tally, Wanted, secret_file, secret_text,
    shared_anchors,
};
use crate::anchor_exchange::{
    Import, Mark, SHARED_ANCHORS, Seen, SharedAnchor, SharedAnchors, import_step,
};
use crate::anchor_reports::report;
use crate::transact::Transactor;
use crate::{Anchor, EditMode, NotebookEdit, NotebookError, judge_all};

/// Imports the shared anchors from `.windlass/anchors.json` into the notebook.
///
/// An entry of the notebook is only replaced if it has not changed since the last export or import,
/// or if `replace` is set. Runbooks aren't imported, because they can be run from the repository as
/// they are. Instead, we remove the notebook's runbook of the same name under the same conditions.
/// An import never trusts anything.
///
/// # Errors
/// Returns an error if the file is missing, damaged or newer, if it lacks a name, or if reading or
/// writing the notebook fails. Nothing has changed in that case.
pub(crate) fn import(
    transactor: &Transactor,
    request: &HandOverRequest,
) -> Result<HandedOver, Error> {
    let (desk, site) = (&transactor.desk, transactor.desk.site());
    let file = desk.usable()?;
    let edited = file.edit(&desk.writer(), request.mode, |edit| {
        // Read the files under the lock. An export by another process takes the same lock, so it
        // can't change them in the meantime.
        let snapshot = site.snapshot();
        let shared = shared_anchors(&snapshot)?.ok_or(NotebookError::NothingHandedOver)?;
        let mut job = Job::new(transactor, &snapshot, request, &shared, edit)?;
        job.anchors(edit)?;
        job.runbooks(edit)?;
        transactor.check_result(edit, &[])?;
        edit.set_seen(job.seen);
        let (tally, taken) = (job.tally, job.taken);
        Ok::<_, Error>((tally, taken, snapshot))
    })?;
    desk.note_damage(&edited.set_aside);
    let (tally, taken, snapshot) = edited.answer;
    let states = states(&taken, &snapshot)?;
    Ok(HandedOver {
        dry_run: request.mode == EditMode::DryRun,
        before: edited.before,
        revision: edited.revision,
        next_actions: after_import(site, &tally, &states),
        entries: tally.entries,
        same: tally.same,
        files: Vec::new(),
        ignored: Vec::new(),
        states,
    })
}

fn after_import(
    site: &Site,
    tally: &Tally,
    states: &BTreeMap<&'static str, usize>,
) -> Vec<NextAction> {
    let settle = tally.settle("notebook import", "let the repository win");
    let stands = states.keys().all(|state| *state == Rank::Fresh.as_str());
    let look = (!stands)
        .then(|| NextAction::new("anchor check", "list the evidence that is not fresh here"));
    let actions = settle.into_iter().chain(look);
    actions
        .filter_map(|action| action.for_caller(site.caller()))
        .collect()
}

/// Counts `anchors` by their state in `snapshot`. An anchor may have been exported from another
/// branch, so it isn't necessarily fresh here.
fn states(anchors: &[Anchor], snapshot: &Snapshot) -> Result<BTreeMap<&'static str, usize>, Error> {
    let anchors: Vec<&Anchor> = anchors.iter().collect();
    let rank = |anchor: &Anchor, item| Rank::of(&report(anchor, item).judgement);
    let mut states = BTreeMap::new();
    for rank in judge_all(&anchors, snapshot, &Cancel::default(), rank)? {
        *states.entry(rank.as_str()).or_default() += 1;
    }
    Ok(states)
}

struct Job<'a> {
    transactor: &'a Transactor,
    snapshot: &'a Snapshot,
    request: &'a HandOverRequest,
    shared: &'a SharedAnchors,
    seen: Seen,
    tally: Tally,
    /// Anchors that are the same as the repository's now.
    taken: Vec<Anchor>,
}

impl<'a> Job<'a> {
    fn new(
        transactor: &'a Transactor,
        snapshot: &'a Snapshot,
        request: &'a HandOverRequest,
        shared: &'a SharedAnchors,
        edit: &NotebookEdit<'_>,
    ) -> Result<Self, Error> {
        let saved = saved(edit);
        let anchors = shared.iter().map(|anchor| anchor.id().as_str());
        let own = edit.shared_anchors();
        let known = anchors.chain(saved.keys().map(Ident::as_str));
        Wanted(&request.ids).check(known.chain(own.keys().map(String::as_str)))?;
        // The caller has named an entry that only the notebook has. Since there's nothing to import
        // for it, the user has probably meant something else.
        let is_alone = |id: &&String| {
            let id = id.as_str();
            let is_theirs = shared.get(id).is_some() || saved.keys().any(|own| own.as_str() == id);
            !is_theirs && edit.seen().anchor(id).is_empty()
        };
        if let Some(id) = request.ids.iter().find(is_alone) {
            return Err(NotebookError::NotHandedOver(id.clone()).into());
        }
        Ok(Self {
            transactor,
            snapshot,
            request,
            shared,
            seen: edit.seen().clone(),
            tally: Tally::default(),
            taken: Vec::new(),
        })
    }

    fn wants(&self, id: &str) -> bool {
        Wanted(&self.request.ids).has(id)
    }

    fn anchors(&mut self, edit: &mut NotebookEdit<'_>) -> Result<(), Error> {
        let own = edit.shared_anchors();
        for theirs in self.shared.iter() {
            let id = theirs.id().as_str();
            if !self.wants(id) {
                continue;
            }
            if let Some(reason) = self.unfit(theirs) {
                self.tally
                    .push(EntrySort::Anchor, id, Became::LeftOut, Some(reason));
                continue;
            }
            let (mark, own) = (theirs.mark(), own.get(id));
            let step = match own {
                // We can't read the notebook's anchor, so we can't tell if it has changed. Only
                // `--replace` overwrites it.
                Some(Err(_)) if self.request.replace => Import::Update,
                Some(Err(_)) => Import::Conflict,
                Some(Ok(own)) => self.step(id, Some(&own.mark()), &mark),
                None => self.step(id, None, &mark),
            };
            if matches!(step, Import::Add | Import::Update) {
                edit.put_shared(theirs)?;
            }
            if matches!(step, Import::Add | Import::Update | Import::Same) {
                self.seen.note_anchor(id, mark);
                self.taken.push(theirs.anchor().clone());
            }
            self.tell(EntrySort::Anchor, id, step, SHARED_ANCHORS);
        }
        for id in own.keys() {
            let is_gone = self.shared.get(id).is_none() && !self.seen.anchor(id).is_empty();
            if is_gone && self.wants(id) {
                self.tell(EntrySort::Anchor, id, Import::TakenOut, SHARED_ANCHORS);
            }
        }
        self.tally.entries.sort();
        Ok(())
    }

    fn step(&self, id: &str, own: Option<&Mark>, theirs: &Mark) -> Import {
        import_step(
            own,
            Some(theirs),
            self.seen.anchor(id),
            self.request.replace,
        )
    }

    /// Removes runbooks from the notebook if the repository's runbook of the same name takes their
    /// place.
    fn runbooks(&mut self, edit: &mut NotebookEdit<'_>) -> Result<(), Error> {
        let files = RunbookFiles::new(
            &self.transactor.shelf(),
            self.transactor.runner.catalog(),
            self.snapshot,
        );
        for (id, runbook) in saved(edit) {
            let name = id.as_str();
            let Twin::File(file, text) = files.twin(&id) else {
                continue;
            };
            if !self.wants(name) {
                continue;
            }
            let (own, theirs) = (Mark::of_runbook(&runbook.text), Mark::of_runbook(&text));
            let seen = self.seen.runbook(name);
            let step = import_step(Some(&own), Some(&theirs), seen, self.request.replace);
            if step == Import::Update {
                // Keep the notebook's runbook in this case, since it may be the only one that runs.
                if let Some(reason) = files.why_invalid(&file, &text) {
                    self.tally
                        .push(EntrySort::Runbook, name, Became::Conflict, Some(reason));
                    continue;
                }
                edit.remove_runbook(name)?;
                let reason = format!("`{file}` takes its place");
                self.tally
                    .push(EntrySort::Runbook, name, Became::Removed, Some(reason));
            } else {
                self.tell(EntrySort::Runbook, name, step, file.as_str());
            }
            if matches!(step, Import::Update | Import::Same) {
                self.seen.note_runbook(name, theirs);
            }
        }
        Ok(())
    }

    fn tell(&mut self, sort: EntrySort, id: &str, step: Import, file: &str) {
        let (became, reason) = match step {
            Import::Same => {
                self.tally.same += 1;
                return;
            }
            Import::Own => return,
            Import::Add => (Became::Added, None),
            Import::Update => (Became::Updated, None),
            Import::Older => (
                Became::Kept,
                Some(format!(
                    "`{file}` has an older version; `windlass notebook export` writes yours"
                )),
            ),
            Import::TakenOut => (
                Became::Kept,
                Some(format!("`{file}` no longer has it; yours is unchanged")),
            ),
            Import::Conflict => (
                Became::Conflict,
                Some(format!(
                    "`{file}` has another version, and yours changed since the export"
                )),
            ),
        };
        self.tally.push(sort, id, became, reason);
    }

    /// The reason not to import `anchor`, if there's one. Others have written it, so its globs may
    /// be invalid, too.
    fn unfit(&self, anchor: &SharedAnchor) -> Option<String> {
        let secret = secret_file(anchor, self.transactor.desk.site().repo())
            .or_else(|| secret_text(json_has_secrets(anchor.text().get())));
        let mut zone = anchor.anchor().zone.iter();
        secret.or_else(|| {
            Some(
                zone.find_map(|glob| ListQuery::check_glob(glob).err())?
                    .to_string(),
            )
        })
    }
}
