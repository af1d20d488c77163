//! The service that verifies the citations of a repository.
//!
//! On request, it also saves anchors for them and rewrites those whose text has moved. All verdicts
//! come before the first change. Then the notebook is written, and then the documents, each of
//! which is replaced in one step.

use windlass_base::{Freshness, NextAction, RepoPath};
use windlass_notebook::{Anchor, EditMode, Notebook, NotebookService, RepairRequest, Work};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::cited_document::{Document, all_documents, documents_in};
use crate::cited_lines::{CitedLines, Meant};
use crate::params::MAX_NAMED;
use crate::rewritten_documents::{Prepared, Rewrite, mark_unwritable, rewritten};
use crate::saved_citations::anchors_of;
use crate::scan_report::{RepairDepth, Scan, ScanRequest, UnreadDocument, calls_that_repair};
use crate::verdict::{Judge, JudgedCitation, is_of_citation, pointers};

/// Finds, verifies and repairs citations in the documents of a repository.
#[derive(Clone)]
pub struct CitationService {
    site: Site,
    notebook: NotebookService,
}

impl CitationService {
    /// Creates the service for the repository of `notebook`, whose anchors help to verify
    /// citations.
    #[must_use]
    pub fn new(notebook: &NotebookService) -> Self {
        Self {
            site: notebook.desk().site().clone(),
            notebook: notebook.clone(),
        }
    }

    /// Finds and verifies the citations in documents.
    ///
    /// On request, also saves anchors for them and rewrites those whose text has moved. A rewrite
    /// only changes citations and their code blocks, and a document is either written completely or
    /// left alone.
    ///
    /// # Errors
    /// Returns an error if the notebook can't be read or written, or if a document to rewrite can't
    /// be written or has changed during the scan.
    pub fn scan(&self, request: &ScanRequest) -> Result<Scan, Error> {
        let snapshot = self.site.snapshot();
        let names = match request.documents.is_empty() {
            true => all_documents(&snapshot)?,
            false => documents_in(&snapshot, &request.documents),
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
        let mut documents = Vec::new();
        for name in names {
            match Document::read(&snapshot, &name) {
                Ok(document) => documents.push(document),
                Err(reason) => {
                    let document = name;
                    scan.unread.push(UnreadDocument { document, reason });
                }
            }
        }
        // Each question about former files walks through the whole history, so ask for all
        // documents at once.
        judge.prepare(documents.iter(), &|_, _| true);
        for document in documents {
            let name = document.name.clone();
            let mut judged = judge.judge(&document, &|_| true);
            if judged.iter().any(|one| self.needs_anchor(one)) {
                unknown.push(name.clone());
            }
            match request.repair {
                // Even without a repair, tell the user which citations it couldn't rewrite.
                None => mark_unwritable(&document, &mut judged, &snapshot),
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
        // Prepare all documents before the first change. If one can't be written, the others and
        // the notebook stay as they are.
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
        // Nothing will ever tell what these citations mean unless their current text is saved.
        if !unknown.is_empty() && !request.save && self.notebook.desk().file().is_enabled() {
            let reason = "save their current text, to verify them later";
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

    /// Verifies citations in all documents accepted by `may_cite`.
    ///
    /// `is_wanted` selects the citations by their document and a possible cited file. Unlike
    /// [`scan`](Self::scan), this changes nothing, but marks citations that a repair couldn't
    /// rewrite. Unreadable documents are skipped and noted as trouble of the site.
    ///
    /// # Errors
    /// Returns an error if the documents can't be listed or the job was canceled.
    pub fn judged(
        &self,
        snapshot: &Snapshot,
        notebook: Option<&Notebook>,
        may_cite: impl Fn(&RepoPath) -> bool,
        is_wanted: impl Fn(&RepoPath, &RepoPath) -> bool,
    ) -> Result<Vec<JudgedCitation>, Error> {
        let judge = Judge::new(snapshot, notebook);
        let mut documents = Vec::new();
        for name in all_documents(snapshot)?.into_iter().filter(may_cite) {
            self.site.go_on()?;
            match Document::read(snapshot, &name) {
                Ok(document) => documents.push(document),
                Err(reason) => self
                    .site
                    .note_trouble(format!("`{name}` is not searched for citations: {reason}")),
            }
        }
        judge.prepare(documents.iter(), &is_wanted);
        let mut all = Vec::new();
        for document in documents {
            self.site.go_on()?;
            let mut judged = judge.judge(&document, &|file| is_wanted(&document.name, file));
            mark_unwritable(&document, &mut judged, snapshot);
            all.append(&mut judged);
        }
        Ok(all)
    }

    fn read_notebook(&self) -> Result<Option<Notebook>, Error> {
        let desk = self.notebook.desk();
        desk.file().is_enabled().then(|| desk.read()).transpose()
    }

    /// Returns true if only an anchor could show the citation's meaning, but none exists.
    fn needs_anchor(&self, judged: &JudgedCitation) -> bool {
        let cited = &judged.cited;
        cited.judgement.status == Freshness::Unknown
            && cited.meant == Meant::Nothing
            && judged.writer.is_none()
            && !cited.is_writer_unknown
            && !self.site.repo().is_link(&cited.document)
    }

    /// Moves the anchors of citations along with them. Otherwise, the anchor of a rewritten
    /// citation, or of one whose edited text is accepted, would still point to the former text.
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
