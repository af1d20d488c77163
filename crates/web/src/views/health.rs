//! Health of the evidence: the history of a runbook's sections, the anchors by folder, and the
//! citations.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass::notebook::{EditMode, remark};
use windlass::packs::Rank;
use windlass::{
    AnchorFolder, AnchorReport, CitedLines, Error, ScanRequest, SectionHistory, anchors_by_folder,
};
use windlass_render::{citation_remark, scan_summary};

use super::runs::names;
use crate::paging::{Pages, Query, ROWS};
use crate::view::{View, Visit};

const RUNS: usize = 20;

#[derive(Serialize)]
pub(crate) struct Health {
    runbooks: BTreeSet<String>,
    /// The runbook in the grid, by default that of the newest run.
    runbook: Option<String>,
    history: Option<SectionHistory>,
    folders: Vec<Folder>,
    pages: Pages,
}

#[derive(Serialize)]
struct Folder {
    folder: String,
    /// Number of anchors in the whole folder by the state of their evidence.
    evidence: BTreeMap<&'static str, usize>,
    anchors: Vec<AnchorRow>,
}

/// An anchor, and its state in the words of `windlass anchor check`.
#[derive(Serialize)]
pub(super) struct AnchorRow {
    #[serde(flatten)]
    anchor: AnchorReport,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
}

impl AnchorRow {
    pub(super) fn of(anchor: AnchorReport) -> Self {
        Self {
            state: Rank::of(&anchor.judgement).as_str(),
            remark: remark(&anchor.judgement),
            anchor,
        }
    }
}

impl View for Health {
    const TEMPLATE: &'static str = "health.html";
    const FOLLOWS: &'static str = "runs notebook evidence";
    const PARAMETERS: &'static [&'static str] = &["page", "runbook"];

    fn title(&self) -> String {
        "Health".to_owned()
    }
}

pub(crate) fn health(visit: &Visit<'_>) -> Result<Health, Error> {
    let workspace = &visit.workspace;
    let runs = workspace.runs();
    let heads = runs.records().run_heads()?;
    let runbooks = names(&heads);
    let known = runbooks.iter().map(String::as_str);
    let newest = || heads.first().map(|head| head.runbook.name());
    let runbook = visit.query.one_of("runbook", known)?.or_else(newest);
    let runbook = runbook.map(str::to_owned);
    let history = runbook
        .as_deref()
        .map(|name| runs.pages().section_history(name, RUNS));
    let reports = workspace
        .notebook()
        .check_anchors(&[], &workspace.site().snapshot())?;
    Ok(Health {
        runbooks,
        runbook,
        history: history.transpose()?,
        pages: visit.query.pages(reports.len()),
        folders: folders(anchors_by_folder(reports), &visit.query),
    })
}

/// Cuts the list to the anchors on this page, and drops folders without any.
fn folders(all: Vec<AnchorFolder>, query: &Query) -> Vec<Folder> {
    let (mut skip, mut room) = (query.skip(), ROWS);
    let folders = all.into_iter().map(|folder| {
        let rows = folder.anchors.into_iter().map(AnchorRow::of);
        let before = skip.min(rows.len());
        let anchors: Vec<AnchorRow> = rows.skip(before).take(room).collect();
        (skip, room) = (skip - before, room - anchors.len());
        Folder {
            folder: folder.folder,
            evidence: folder.evidence,
            anchors,
        }
    });
    folders
        .filter(|folder| !folder.anchors.is_empty())
        .collect()
}

#[derive(Serialize)]
pub(crate) struct Citations {
    summary: String,
    documents: usize,
    /// Number of citations by state, including fresh ones.
    counts: BTreeMap<&'static str, usize>,
    citations: Vec<CitationRow>,
    pages: Pages,
}

/// A citation, and its state in the words of `windlass anchor scan`.
#[derive(Serialize)]
struct CitationRow {
    #[serde(flatten)]
    cited: CitedLines,
    state: &'static str,
    remark: String,
}

impl CitationRow {
    fn of(cited: CitedLines) -> Self {
        Self {
            state: Rank::of(&cited.judgement).as_str(),
            remark: citation_remark(&cited),
            cited,
        }
    }
}

impl View for Citations {
    const TEMPLATE: &'static str = "citations.html";
    const FOLLOWS: &'static str = "";
    const PARAMETERS: &'static [&'static str] = &["page"];

    fn title(&self) -> String {
        "Citations".to_owned()
    }
}

pub(crate) fn citations(visit: &Visit<'_>) -> Result<Citations, Error> {
    let scan = visit.workspace.citations().scan(&ScanRequest {
        documents: Vec::new(),
        save: false,
        repair: None,
        mode: EditMode::DryRun,
    })?;
    let mut counts = BTreeMap::new();
    for cited in &scan.citations {
        *counts
            .entry(Rank::of(&cited.judgement).as_str())
            .or_default() += 1;
    }
    let (summary, documents) = (scan_summary(&scan), scan.documents);
    let others = scan.citations.into_iter();
    let others: Vec<CitedLines> = others.filter(|cited| !cited.judgement.is_fresh()).collect();
    let pages = visit.query.pages(others.len());
    let rows = visit.query.rows(others).into_iter();
    Ok(Citations {
        summary,
        documents,
        counts,
        pages,
        citations: rows.map(CitationRow::of).collect(),
    })
}
