use windlass_base::{Freshness, NextAction, RepoPath};
use windlass_notebook::{Anchor, EditMode, Notebook, NotebookService, RepairRequest, Work};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::cited_document::{Document, all_documents};
use crate::cited_lines::{CitedLines, Meant};
use crate::params::MAX_NAMED;
use crate::rewritten_documents::{Prepared, Rewrite, leave_what_cannot_be_written, rewritten};
use crate::saved_citations::anchors_of;
use crate::scan_report::{RepairDepth, Scan, ScanRequest, UnreadDocument, calls_that_repair};
use crate::verdict::{Judge, JudgedCitation, is_of_citation, pointers};

/// What documents of a repository cite.
#[derive(Clone)]
pub struct CitationService {
    site: Site,
    notebook: NotebookService,
}

impl CitationService {
    /// Those of the repository of `notebook`, whose anchors may say what is meant.
    #[must_use]
    pub fn new(notebook: &NotebookService) -> Self {
        Self {
            site: notebook.desk().site().clone(),
            notebook: notebook.clone(),
        }
    }

    /// Finds what documents cite and says what became of it; saves anchors and writes the documents anew where that is
    /// asked for. Each document is written as a whole or not at all, and nothing else in it changes.
    ///
    /// # Errors
    /// When the notebook cannot be read or written, a document that is to be written changed meanwhile, or cannot be
    /// written.
    pub fn scan(&self, request: &ScanRequest) -> Result<Scan, Error> {
        let snapshot = self.site.snapshot();
        let names = match request.documents.is_empty() {
            true => all_documents(&snapshot)?,
            false => request.documents.clone(),
        };
        let notebook = self.read_notebook()?;
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
        let judge = Judge::new(&snapshot, notebook.as_ref());
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
                None => leave_what_cannot_be_written(&document, &mut judged, &snapshot),
                Some(depth) => {
                    if let Some(text) = rewritten(&document, &mut judged, depth, &snapshot) {
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
            EditMode::Write => Some(Prepared::of(&self.site, rewrites)?),
            EditMode::DryRun => None,
        };
        if request.save {
            let freshness = self.notebook.desk().freshness();
            let (operations, saved) =
                anchors_of(&scan.citations, notebook.as_ref(), &snapshot, &freshness)?;
            if !operations.is_empty() {
                let operations = operations.into_iter().map(|operation| (operation, None));
                let mut work = Work::new(operations.collect());
                work.mode = request.mode;
                self.notebook.transact(work, |_| ())?;
            }
            scan.saved = saved;
        }
        if let Some(depth) = request.repair {
            self.repair_cited(&scan.citations, notebook.as_ref(), depth, request.mode)?;
        }
        prepared.map_or(Ok(()), |prepared| prepared.finish(&self.site))?;
        let wrong = scan.citations.iter().filter(|cited| cited.is_wrong());
        scan.next_actions = calls_that_repair(wrong, request.repair, self.site.caller());
        if !unknown.is_empty() && !request.save && self.notebook.desk().file().is_enabled() {
            let reason = "save what they mean now, so that it can be told later";
            let unknown = unknown.iter().take(MAX_NAMED).map(RepoPath::as_str);
            let call = unknown.fold(
                NextAction::new("anchor scan", reason),
                NextAction::positional,
            );
            let call = call.option("save", true).for_caller(self.site.caller());
            scan.next_actions.extend(call);
        }
        Ok(scan)
    }

    /// What documents cite of files that are wanted, judged; only of documents that `may_cite` some. What cannot be written anew is left
    /// to a person, and a document that cannot be read is noted.
    ///
    /// # Errors
    /// When the documents cannot be listed, or nobody waits for the answer any more.
    pub fn judged(
        &self,
        snapshot: &Snapshot,
        notebook: Option<&Notebook>,
        may_cite: impl Fn(&RepoPath) -> bool,
        is_wanted: impl Fn(&RepoPath) -> bool,
    ) -> Result<Vec<JudgedCitation>, Error> {
        let judge = Judge::new(snapshot, notebook);
        let mut all = Vec::new();
        for name in all_documents(snapshot)? {
            self.site.go_on()?;
            if !may_cite(&name) {
                continue;
            }
            let document = match Document::read(snapshot, &name) {
                Ok(document) => document,
                Err(reason) => {
                    self.site
                        .note_trouble(format!("`{name}` is not searched for citations: {reason}"));
                    continue;
                }
            };
            let mut judged = judge.judge(&document, &is_wanted);
            leave_what_cannot_be_written(&document, &mut judged, snapshot);
            all.append(&mut judged);
        }
        Ok(all)
    }

    fn read_notebook(&self) -> Result<Option<Notebook>, Error> {
        let desk = self.notebook.desk();
        desk.file().is_enabled().then(|| desk.read()).transpose()
    }

    /// Whether nothing but an anchor, which there is not, could say what it means.
    fn is_told_by_an_anchor_alone(&self, judged: &JudgedCitation) -> bool {
        let cited = &judged.cited;
        cited.judgement.status == Freshness::Unknown
            && cited.meant == Meant::Nothing
            && judged.writer.is_none()
            && !cited.is_writer_unknown
            && !self.site.repo().is_link(&cited.document)
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
            self.notebook
                .repair_anchors(&RepairRequest { ids, edited, mode })?;
        }
        Ok(())
    }
}
