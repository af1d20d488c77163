//! What a change makes stale, before it is merged: anchors, what documents cite, and the sections of runbooks that rest on
//! what changed.
//!
//! Only evidence in files that the change touches is looked at, and only what stood before it counts: what was stale
//! already is nobody's fault here, and is counted.

mod anchors;
mod citations;
mod error;
mod markdown;
mod offers;
mod sarif;
mod sections;
mod text;

use std::collections::BTreeSet;

use serde::Serialize;
use windlass_base::{Cancel, Ident, Judgement, NextAction, Pointer, RepoPath};
use windlass_notebook::{AnchorKind, NotebookError};
use windlass_repo::{Changes, Git, GitAnswer, GitError, GitQuery, Refusal, Snapshot};

pub use self::offers::Offer;
use crate::listing::is_zero;
use crate::rank::Rank;
use crate::{CitedLines, Error, Workspace};
pub use error::ImpactError;

/// Which change is looked at.
#[derive(Debug, Clone, Default)]
pub struct ImpactRequest {
    /// What the working tree is compared with: the newest commit that both it and this revision come from; the commit
    /// that is checked out if not said.
    pub base: Option<String>,
    /// The files, and the folders with all that is in them, to which changes are looked at; all if none is named.
    pub files: Vec<RepoPath>,
}

/// What a change makes stale.
#[derive(Debug, Serialize)]
pub struct Impact {
    /// What the working tree is compared with.
    pub base: Base,
    /// How many files differ, new and deleted ones included.
    pub files_changed: usize,
    /// How many more differ whose names are no UTF-8: no anchor, citation or pointer can name them.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_not_utf8: u32,
    /// Evidence of anchors that stood at the base and does not stand now, the worst first.
    pub anchors: Vec<StaleEvidence>,
    /// What documents cite that stood at the base and does not stand now.
    pub citations: Vec<CitedLines>,
    /// What was written anew and is in no commit yet, where the text that was cited in its place stands elsewhere now, and
    /// what is cited of files that git passes through a filter: somebody has to look which is meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<CitedLines>,
    /// Sections of runbooks that rest on what changed: first those that no longer show what they did.
    pub sections: Vec<TouchedSection>,
    /// How many pieces of evidence in files that differ stand where they were captured.
    pub standing: usize,
    /// How many did not stand at the base either.
    pub stale_before: usize,
    /// Runbooks that the change touches and that are not valid, so that nobody can say what they rest on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// What the working tree is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Base {
    /// The revision that was asked for.
    pub revision: String,
    /// The full id of the commit; nothing before the first one.
    pub commit: Option<String>,
}

/// Evidence of an anchor that a change makes stale.
#[derive(Debug, Clone, Serialize)]
pub struct StaleEvidence {
    /// The anchor.
    pub id: Ident,
    /// What sort of thing it is.
    pub kind: AnchorKind,
    /// What a person calls it.
    pub label: String,
    /// Where the anchor is kept.
    pub kept_in: KeptIn,
    /// Where it was captured.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// What became of it.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// Where an anchor is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptIn {
    /// In the notebook.
    Notebook,
    /// In the repository, for others.
    Repository,
}

/// A section of a runbook that rests on what changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TouchedSection {
    /// What becomes of it.
    pub effect: Effect,
    /// The runbook, as it can be named: its file, or `notebook:NAME`.
    pub runbook: String,
    /// The section.
    pub section: String,
    /// Its heading.
    pub title: String,
    /// Why.
    pub because: Vec<String>,
}

/// What becomes of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Evidence in it does not stand any more, or what it names is no longer there.
    Stale,
    /// It looks at files that changed, and shows them as they are.
    Touched,
}

impl Effect {
    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Touched => "touched",
        }
    }
}

impl Impact {
    /// Whether the change makes something stale that is not repaired in it.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.anchors.is_empty()
            || !self.citations.is_empty()
            || !self.unusable.is_empty()
            || self.stale_sections().next().is_some()
    }

    /// The sections that no longer show what they did.
    fn stale_sections(&self) -> impl Iterator<Item = &TouchedSection> {
        self.sections
            .iter()
            .filter(|section| section.effect == Effect::Stale)
    }

    /// What it is compared with, in words: the revision, and the beginning of the commit's id.
    fn base_in_words(&self) -> String {
        match self.base.commit.as_deref().and_then(|id| id.get(..12)) {
            Some(commit) => format!("{} ({commit})", self.base.revision),
            None => "the first commit".to_owned(),
        }
    }
}

/// The files that a change touches, and where it begins.
struct Change {
    /// Nothing before the first commit.
    base: Option<String>,
    files: BTreeSet<RepoPath>,
    count: usize,
    not_utf8: u32,
}

impl Change {
    fn of(
        git: &Git,
        snapshot: &Snapshot,
        revision: &str,
        cancel: &Cancel,
    ) -> Result<Self, GitError> {
        let base = match git.merge_base(revision, "HEAD") {
            Ok(Some(commit)) => Some(commit),
            // Nothing in common: all of it differs.
            Ok(None) => git.commit_id(revision)?,
            Err(GitError::NoCommits(name)) if name == "HEAD" => None,
            Err(error) => return Err(error),
        };
        let since = base.clone().unwrap_or_else(|| "HEAD".to_owned());
        let query = GitQuery::Changes { since };
        let none = Changes::default();
        let answer = snapshot.ask_git(&query, cancel)?;
        let changes = match &*answer {
            GitAnswer::Changes(changes) => changes,
            _ => &none,
        };
        let both = |change: &windlass_repo::FileChange| {
            std::iter::once(change.path.clone()).chain(change.from.clone())
        };
        Ok(Self {
            base,
            count: changes.files.len(),
            not_utf8: changes.not_utf8,
            files: changes.files.iter().flat_map(both).collect(),
        })
    }

    /// As far as it is one of the files, or in one of the folders, that are `named`; all of it if none is.
    fn only(mut self, named: &[RepoPath], snapshot: &Snapshot) -> Result<Self, Error> {
        if named.is_empty() {
            return Ok(self);
        }
        let changed = |named: &RepoPath| self.files.iter().any(|file| file.is_under(named));
        let is_there = |named: &RepoPath| snapshot.read(named).err() != Some(Refusal::Missing);
        if let Some(nowhere) = named
            .iter()
            .find(|named| !changed(named) && !is_there(named))
        {
            return Err(Error::missing(nowhere.as_str()));
        }
        self.files
            .retain(|file| named.iter().any(|named| file.is_under(named)));
        self.count = self.files.len();
        self.not_utf8 = 0;
        Ok(self)
    }

    fn touches(&self, file: &RepoPath) -> bool {
        self.files.contains(file)
    }
}

impl Workspace {
    /// Says what becomes stale by what differs between a revision and the working tree.
    ///
    /// # Errors
    /// Without git, when there is no such revision or file, when the notebook cannot be read, or the anchors in the
    /// repository are damaged.
    pub fn impact(&self, request: &ImpactRequest) -> Result<Impact, Error> {
        let git = self.repo().git()?;
        let snapshot = self.snapshot();
        let revision = request.base.clone().unwrap_or_else(|| "HEAD".to_owned());
        let change = Change::of(&git, &snapshot, &revision, self.cancel());
        self.go_on()?;
        let change = change?.only(&request.files, &snapshot)?;
        // Where nothing may be known of anchors, nobody can say that none rests on a change.
        if self.is_notebook_switched_off() {
            return Err(NotebookError::SwitchedOff.into());
        }
        let all = self.all_anchors(&snapshot)?;
        let mut looked = anchors::look(&all, &change, &git, &snapshot, self.cancel());
        self.go_on()?;
        let notebook = match self.notebook().is_enabled() {
            true => Some(self.read_notebook()?),
            false => None,
        };
        let cited = citations::look(self, &change, &git, &snapshot, notebook.as_ref())?;
        self.go_on()?;
        let (sections, unusable) = self.touched_sections(&change, &all, &looked.stale, &snapshot);
        self.go_on()?;
        // The first of those that are as bad.
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
            unclear: cited.unclear,
            sections,
            standing: looked.standing,
            stale_before: looked.stale_before + cited.stale_before,
            unusable,
            next_actions: Vec::new(),
        };
        impact.next_actions = self.actions_of(&impact);
        Ok(impact)
    }

    fn actions_of(&self, impact: &Impact) -> Vec<NextAction> {
        let caller = self.caller();
        let kept = |place: KeptIn| impact.anchors.iter().filter(move |it| it.kept_in == place);
        let mut ids: Vec<(&Ident, Rank)> = Vec::new();
        for stale in kept(KeptIn::Notebook) {
            if !ids.iter().any(|(id, _)| *id == &stale.id) {
                ids.push((&stale.id, Rank::of(&stale.judgement)));
            }
        }
        let mut actions = crate::listing::what_to_do_with(&ids, caller);
        if kept(KeptIn::Repository).next().is_some() {
            let take = "take over the anchors of the repository, to repair them here";
            let hand = "hand over what was repaired";
            actions.extend(NextAction::new("notebook import", take).for_caller(caller));
            let repair = NextAction::new("anchor repair", "point them to where their text is");
            actions.extend(repair.for_caller(caller));
            actions.extend(NextAction::new("notebook export", hand).for_caller(caller));
        }
        // One whose text was edited in place still leads there: nothing is to be written.
        let wrong = impact.citations.iter().filter(|cited| cited.is_wrong());
        let calls = crate::citations::calls_that_repair(wrong, None, caller);
        actions.extend(calls);
        let runbooks: BTreeSet<&str> = impact
            .stale_sections()
            .filter(|section| !section.rests_on_anchors_alone())
            .map(|section| section.runbook.as_str())
            .collect();
        let look = |name: &str| {
            let reason = "see what the runbook shows now";
            NextAction::new("run", reason)
                .positional(name)
                .for_caller(caller)
        };
        actions.extend(runbooks.into_iter().take(3).filter_map(look));
        actions
    }
}
