//! What documents cite of the repository: found, judged, anchored on request, and written anew where it moved.
//!
//! What a block of code shows says by itself which text is meant. Else the commit knows it that wrote the citation into the
//! document; where there is none, an anchor that was saved for it.

mod apply;
mod around;
mod copied;
mod counterparts;
mod document;
mod error;
mod filtered;
mod judging;
mod renamed;
mod renumbered;
mod resolve;
mod reworded;
mod save;
mod saved;
mod shown;
mod text;
mod witnesses;
mod writers;

use serde::Serialize;
use windlass_base::{
    Caller, Freshness, Ident, Judgement, NextAction, Pointer, RepairOutcome, RepoPath,
};
use windlass_notebook::{Anchor, EditMode, Notebook};

use self::apply::Rewrite;
pub(crate) use self::apply::leave_what_cannot_be_written;
pub(crate) use self::document::{Document, all as all_documents};
pub(crate) use self::judging::{Judge, JudgedCitation};
use self::saved::{is_of_citation, pointers};
use crate::{Error, RepairRequest, Workspace};
pub use error::CitationError;

/// The most documents that a call names.
const MAX_NAMED: usize = 8;

/// What is to be done with the citations of documents.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The documents; all Markdown files of the repository if none is given.
    pub documents: Vec<RepoPath>,
    /// Whether what is cited is saved as anchors.
    pub save: bool,
    /// Whether citations are written anew where the new place is proven, and how far.
    pub repair: Option<RepairDepth>,
    /// Whether it is done, or only looked at.
    pub mode: EditMode,
}

/// What is written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairDepth {
    /// What moved unchanged.
    Moved,
    /// Also what was edited, as it is now.
    Edited,
}

/// What documents cite, and what became of it.
#[derive(Debug, Serialize)]
pub struct Scan {
    /// How many documents were looked through.
    pub documents: usize,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// What they cite, in the order of the documents and their lines.
    pub citations: Vec<CitedLines>,
    /// Documents that could not be looked through, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadDocument>,
    /// How many places name files that are not there, and are no citations as far as can be told: history is cut off, and they may
    /// have been there before.
    #[serde(skip_serializing_if = "is_none")]
    pub untold: usize,
    /// Documents that were written, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<RepoPath>,
    /// Anchors that were saved, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<Ident>,
    /// What to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// A document that could not be looked through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadDocument {
    /// The document.
    pub document: RepoPath,
    /// Why not.
    pub reason: String,
}

/// Lines that a document cites, and what became of them.
#[derive(Debug, Clone, Serialize)]
pub struct CitedLines {
    /// The document.
    pub document: RepoPath,
    /// The line it stands on there, from 1.
    pub document_line: u32,
    /// The citation as it is written.
    pub citation: String,
    /// The lines that are meant, with their hash where that is known.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// What became of them.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// What says which text was meant.
    pub meant: Meant,
    /// Whether the text was edited and still stands at the very lines that are named: nothing of the document has to change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited_in_place: bool,
    /// What was written in its place, or would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// How many lines of its block of code were written anew with it, or would be.
    #[serde(skip_serializing_if = "is_none")]
    pub rewritten_lines: usize,
    /// Why it is not written anew though its place is known; part of the reason.
    #[serde(skip)]
    pub(crate) by_hand: Option<&'static str>,
    /// Whether git cannot say which commit wrote it, since it failed or history is cut off before; part of the reason.
    #[serde(skip)]
    pub(crate) is_writer_unknown: bool,
}

/// What says which text a citation means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meant {
    /// An anchor that was saved for it.
    Anchor(Ident),
    /// The commit that wrote it into the document, or the one that it was written in place of.
    Commit(String),
    /// The block of code itself.
    Excerpt,
    /// Nothing: it is in no commit, and no anchor was saved for it.
    Nothing,
    /// Nothing, and the one that it was written in place of, in no commit yet, means another text than stands there; or the file
    /// changed, and git passes it through a filter, so that no commit has its lines as they stand in it.
    Unclear,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is serde's"
)]
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl CitedLines {
    /// Whether it no longer cites what it did, or nobody can look whether it does, and it was not written anew. Of one that is new,
    /// nothing is known yet.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let is_new = self.is_untold() && !self.is_writer_unknown;
        !self.judgement.is_fresh() && !is_new && self.rewritten.is_none()
    }

    /// Whether nobody can look what it cited when it was written.
    pub(crate) fn is_unverified(&self) -> bool {
        self.is_untold() && self.is_writer_unknown
    }

    /// Whether nothing says which text it means.
    fn is_untold(&self) -> bool {
        self.judgement.status == Freshness::Unknown
            && matches!(self.meant, Meant::Nothing | Meant::Unclear)
    }

    /// Whether it leads to the wrong lines, or to none. One whose text was edited in place still leads to it.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.is_stale() && !self.edited_in_place
    }

    pub(crate) fn outcome(&self) -> Option<RepairOutcome> {
        self.judgement.outcome()
    }

    /// Notes that only a person can write it anew.
    fn leave_to_a_person(&mut self, why: &'static str) {
        if self.by_hand.replace(why).is_none() {
            let reason = self.judgement.reason.get_or_insert_default();
            let sign = if reason.is_empty() { "" } else { "; " };
            reason.push_str(sign);
            reason.push_str(why);
        }
    }
}

impl Scan {
    /// Whether something leads to the wrong lines, or a document could not be looked through.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.unread.is_empty() || self.citations.iter().any(CitedLines::is_wrong)
    }
}

impl Workspace {
    /// Finds what documents cite and says what became of it; saves anchors and writes the documents anew where that is
    /// asked for. Each document is written as a whole or not at all, and nothing else in it changes.
    ///
    /// # Errors
    /// When the notebook cannot be read or written, a document that is to be written changed meanwhile, or cannot be
    /// written.
    pub fn scan_citations(&self, request: &ScanRequest) -> Result<Scan, Error> {
        let snapshot = self.snapshot();
        let names = match request.documents.is_empty() {
            true => all_documents(&snapshot)?,
            false => request.documents.clone(),
        };
        let notebook = match self.notebook().is_enabled() {
            true => Some(self.read_notebook()?),
            false => None,
        };
        let mut scan = Scan {
            documents: names.len(),
            dry_run: request.mode == EditMode::DryRun,
            citations: Vec::new(),
            unread: Vec::new(),
            untold: 0,
            written: Vec::new(),
            saved: Vec::new(),
            next_actions: Vec::new(),
        };
        let judge = Judge::new(self, &snapshot, notebook.as_ref());
        let (mut rewrites, mut unknown) = (Vec::new(), Vec::new());
        for name in names {
            let document = match Document::read(&snapshot, &name) {
                Ok(document) => document,
                Err(reason) => {
                    let document = name;
                    scan.unread.push(UnreadDocument { document, reason });
                    continue;
                }
            };
            let mut judged = judge.judge(&document, &|_| true);
            if judged
                .iter()
                .any(|one| self.is_told_by_an_anchor_alone(one))
            {
                unknown.push(name.clone());
            }
            match request.repair {
                None => apply::leave_what_cannot_be_written(&document, &mut judged, &snapshot),
                Some(depth) => {
                    if let Some(text) = apply::rewritten(&document, &mut judged, depth, &snapshot) {
                        scan.written.push(name);
                        rewrites.push(Rewrite { document, text });
                    }
                }
            }
            scan.citations
                .extend(judged.into_iter().map(|one| one.cited));
        }
        scan.untold = judge.untold();
        // Nothing is written, and nothing saved, before all of it can be.
        let prepared = match request.mode {
            EditMode::Write => Some(self.prepare(rewrites)?),
            EditMode::DryRun => None,
        };
        if request.save {
            scan.saved =
                self.save_citations(&scan.citations, notebook.as_ref(), &snapshot, request.mode)?;
        }
        if let Some(depth) = request.repair {
            self.repair_cited(&scan.citations, notebook.as_ref(), depth, request.mode)?;
        }
        prepared.map_or(Ok(()), |prepared| self.finish(prepared))?;
        let wrong = scan.citations.iter().filter(|cited| cited.is_wrong());
        scan.next_actions = calls_that_repair(wrong, request.repair, self.caller());
        if !unknown.is_empty() && !request.save && self.notebook().is_enabled() {
            let reason = "save what they mean now, so that it can be told later";
            let unknown = unknown.iter().take(MAX_NAMED).map(RepoPath::as_str);
            let call = unknown.fold(
                NextAction::new("anchor scan", reason),
                NextAction::positional,
            );
            let call = call.option("save", true).for_caller(self.caller());
            scan.next_actions.extend(call);
        }
        Ok(scan)
    }

    /// Whether nothing but an anchor, which there is not, could say what it means.
    fn is_told_by_an_anchor_alone(&self, judged: &JudgedCitation) -> bool {
        let cited = &judged.cited;
        cited.judgement.status == Freshness::Unknown
            && cited.meant == Meant::Nothing
            && judged.writer.is_none()
            && !cited.is_writer_unknown
            && !self.repo().is_link(&cited.document)
    }

    /// Points the anchors that were saved for citations that are written anew, or whose text is taken over where it stands, to what
    /// stands there now as well.
    fn repair_cited(
        &self,
        citations: &[CitedLines],
        notebook: Option<&Notebook>,
        depth: RepairDepth,
        mode: EditMode,
    ) -> Result<(), Error> {
        let is_taken_over = |cited: &&CitedLines| {
            cited.rewritten.is_some() || (cited.edited_in_place && depth == RepairDepth::Edited)
        };
        let taken_over = || citations.iter().filter(is_taken_over);
        let is_meant = |anchor: &&Anchor| {
            let is_it = |cited: &CitedLines| match &cited.meant {
                Meant::Anchor(id) => *id == anchor.id,
                _ => pointers(anchor).any(|pointer| pointer == cited.pointer),
            };
            is_of_citation(anchor) && taken_over().any(is_it)
        };
        let anchors = notebook.into_iter().flat_map(Notebook::anchors);
        let ids: Vec<String> = anchors
            .filter(is_meant)
            .map(|anchor| anchor.id.to_string())
            .collect();
        if !ids.is_empty() {
            let edited = depth == RepairDepth::Edited;
            self.repair_anchors(&RepairRequest { ids, edited, mode })?;
        }
        Ok(())
    }
}

/// The calls that write `citations` anew, which are stale, as far as `done` has not done so already.
pub(crate) fn calls_that_repair<'a>(
    citations: impl Iterator<Item = &'a CitedLines>,
    done: Option<RepairDepth>,
    caller: Option<&Caller>,
) -> Vec<NextAction> {
    let mut moved: Vec<&RepoPath> = Vec::new();
    let mut edited: Vec<&RepoPath> = Vec::new();
    for cited in citations.filter(|cited| cited.by_hand.is_none()) {
        let list = match cited.outcome() {
            Some(RepairOutcome::Moved) => &mut moved,
            Some(RepairOutcome::Edited) => &mut edited,
            _ => continue,
        };
        if list.last() != Some(&&cited.document) {
            list.push(&cited.document);
        }
    }
    let call = |documents: &[&RepoPath], reason: &str, edited: bool| {
        let action = NextAction::new("anchor scan", reason);
        let named = documents.iter().take(MAX_NAMED).map(|name| name.as_str());
        let action = named.fold(action, NextAction::positional);
        action
            .option("repair", true)
            .option("edited", edited)
            .for_caller(caller)
    };
    let mut actions = Vec::new();
    if !moved.is_empty() && done.is_none() {
        actions.extend(call(&moved, "write the new places of what moved", false));
    }
    if !edited.is_empty() && done != Some(RepairDepth::Edited) {
        let reason = "take over what was edited, once you have looked at it";
        actions.extend(call(&edited, reason, true));
    }
    actions
}
