//! Finds the evidence that becomes stale by the differences between a commit and the working tree.
//!
//! We only look at evidence in changed files, and blame the change if the evidence was fresh at the
//! base, or was captured during the change. No runbook is ever run: the input of a step is enough
//! to tell what the step depends on.
//!
//! A section is stale if its evidence is, if the part of a file that it names is gone, or if the
//! text of named lines has moved. A section that just shows changed files is only *touched*. The
//! git hook limits the check to the files of the commit, so that unfinished work elsewhere doesn't
//! get in the way.

use std::collections::BTreeSet;

use windlass_base::NextAction;
use windlass_cite::{CitationService, calls_that_repair};
use windlass_notebook::{NotebookError, NotebookService, RunbookShelf};
use windlass_packs::{Rank, anchor_actions};
use windlass_site::{Error, HealthFinding, Site};

use crate::git_offers::{Installed, Offer, offer_text, write_offer};
use crate::hook_health::hook_health;
use crate::impact_report::{Base, Impact, ImpactRequest, KeptIn, StaleEvidence};
use crate::touched_files::Change;
use crate::{stale_anchors, stale_citations, touched_sections};

/// Checks the impact of changes in a repository.
#[derive(Clone)]
pub struct ImpactService {
    site: Site,
    notebook: NotebookService,
    citations: CitationService,
}

impl ImpactService {
    /// Creates the service for the repository of `notebook`.
    #[must_use]
    pub fn new(notebook: &NotebookService) -> Self {
        Self {
            site: notebook.desk().site().clone(),
            notebook: notebook.clone(),
            citations: CitationService::new(notebook),
        }
    }

    /// Finds everything that's stale because of the changes since a revision.
    ///
    /// # Errors
    /// Returns an error if there's no git, if a revision or a file is unknown, if the notebook is
    /// switched off or can't be read, or if the shared anchors are damaged.
    pub fn of(&self, request: &ImpactRequest) -> Result<Impact, Error> {
        let git = self.site.repo().git()?;
        let snapshot = self.site.snapshot();
        let revision = request.base.clone().unwrap_or_else(|| "HEAD".to_owned());
        let change = Change::of(&git, &snapshot, &revision, self.site.cancel());
        self.site.go_on()?;
        let change = change?.only(&request.files, &snapshot)?;
        let desk = self.notebook.desk();
        // Without the notebook, we'd miss anchors, and would report a clean result.
        if desk.is_switched_off() {
            return Err(NotebookError::SwitchedOff.into());
        }
        let all = stale_anchors::all_anchors(desk, &snapshot)?;
        let mut looked = stale_anchors::look(&all, &change, &git, &snapshot, self.site.cancel());
        self.site.go_on()?;
        let notebook = match desk.file().is_enabled() {
            true => Some(desk.read()?),
            false => None,
        };
        let cited =
            stale_citations::look(&self.citations, &change, &git, &snapshot, notebook.as_ref())?;
        self.site.go_on()?;
        let refused = |stale: &&StaleEvidence| !request.allow_moved || !stale.has_moved();
        let stale_ids = looked.stale.iter().filter(refused).map(|stale| &stale.id);
        let (sections, unusable) = touched_sections::look(
            &RunbookShelf::at(desk.clone()),
            &self.site,
            &change,
            (&all, &stale_ids.collect()),
            &snapshot,
        );
        self.site.go_on()?;
        // The sort is stable: evidence that's equally bad stays in order.
        looked.stale.sort_by_key(|stale| Rank::of(&stale.judgement));
        let mut impact = Impact {
            base: Base {
                revision,
                commit: change.base,
            },
            files_changed: change.count,
            files_not_utf8: change.not_utf8,
            anchors: looked.stale,
            citations: cited.stale,
            wrong: cited.wrong,
            unclear: cited.unclear,
            sections,
            standing: looked.standing,
            citations_valid: cited.valid,
            stale_before: looked.stale_before + cited.stale_before,
            unusable,
            nothing_to_check: all.is_empty() && cited.looked_at == 0,
            next_actions: Vec::new(),
            allows_moved: request.allow_moved,
        };
        impact.next_actions = self.actions_of(&impact);
        Ok(impact)
    }

    /// Creates the text of the file for `offer`, without writing it.
    ///
    /// # Errors
    /// Returns an error if git can't be run or refuses.
    pub fn offer_text(&self, offer: Offer) -> Result<String, Error> {
        offer_text(&self.site, offer)
    }

    /// Writes the file of `offer`. If there's another file already, we only replace it with
    /// `force`, and keep a replaced hook under another name.
    ///
    /// # Errors
    /// Returns an error if there's no git, if another file is in the way, if git uses the hooks of
    /// another folder, or if the file can't be written.
    pub fn write_offer(&self, offer: Offer, force: bool) -> Result<Installed, Error> {
        write_offer(&self.site, offer, force)
    }

    /// Checks the git hook. Returns `None` if there's nothing to report, e.g. because there's no
    /// git.
    #[must_use]
    pub fn hook_health(&self) -> Option<HealthFinding> {
        hook_health(&self.site)
    }

    fn actions_of(&self, impact: &Impact) -> Vec<NextAction> {
        let caller = self.site.caller();
        let kept = |place: KeptIn| impact.anchors.iter().filter(move |it| it.kept_in == place);
        let mut ranks: Vec<(&str, Vec<Rank>)> = Vec::new();
        for stale in kept(KeptIn::Notebook) {
            let rank = Rank::of(&stale.judgement);
            match ranks.iter_mut().find(|(id, _)| *id == stale.id.as_str()) {
                Some((_, known)) => known.push(rank),
                None => ranks.push((stale.id.as_str(), vec![rank])),
            }
        }
        let actions = anchor_actions(ranks).into_iter();
        let mut actions: Vec<NextAction> = actions
            .filter_map(|action| action.for_caller(caller))
            .collect();
        // We don't write to the shared file of anchors directly. The user has to import, repair and
        // export them.
        if kept(KeptIn::Repository).next().is_some() {
            let take = "import the anchors of the repository, to repair them here";
            let hand = "export the repaired anchors";
            actions.extend(NextAction::new("notebook import", take).for_caller(caller));
            let repair = NextAction::new(
                "anchor repair",
                "move them to the current location of their text",
            );
            actions.extend(repair.for_caller(caller));
            actions.extend(NextAction::new("notebook export", hand).for_caller(caller));
        }
        // If the text was edited in place, the citation still refers to the right lines.
        let wrong = impact.citations.iter().filter(|cited| cited.is_wrong());
        let calls = calls_that_repair(wrong, None, caller);
        actions.extend(calls);
        let runbooks: BTreeSet<&str> = impact
            .stale_sections()
            .filter(|section| !section.rests_on_anchors_alone())
            .map(|section| section.runbook.as_str())
            .collect();
        let look = |name: &str| {
            let reason = "see the current output of the runbook";
            NextAction::new("run", reason)
                .positional(name)
                .for_caller(caller)
        };
        // A few runbooks are enough to get started.
        actions.extend(runbooks.into_iter().take(3).filter_map(look));
        actions
    }
}
