use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass::notebook::EditMode;
use windlass::{AnchorFolder, CitedLines, Error, ScanRequest, SectionHistory, anchors_by_folder};

use crate::paging::Pages;
use crate::view::{View, Visit};

/// Number of newest runs in the grid.
const RUNS: usize = 20;

/// Evidence over time and by folder.
#[derive(Serialize)]
pub(crate) struct Health {
    /// Runbooks with recorded runs.
    runbooks: BTreeSet<String>,
    /// Runbook of the grid.
    runbook: Option<String>,
    history: Option<SectionHistory>,
    folders: Vec<AnchorFolder>,
}

impl View for Health {
    const TEMPLATE: &'static str = "health.html";
    const FOLLOWS: &'static str = "runs notebook";

    fn title(&self) -> String {
        "Health".to_owned()
    }
}

/// Loads the view.
pub(crate) fn health(visit: &Visit<'_>) -> Result<Health, Error> {
    let workspace = &visit.workspace;
    let runs = workspace.runs();
    let heads = runs.records().run_heads()?;
    let newest = || heads.first().map(|head| head.runbook.name());
    let runbook = visit
        .query
        .get("runbook")
        .or_else(newest)
        .map(str::to_owned);
    let history = runbook
        .as_deref()
        .map(|name| runs.pages().section_history(name, RUNS));
    let reports = workspace
        .notebook()
        .check_anchors(&[], &workspace.site().snapshot())?;
    Ok(Health {
        runbooks: heads
            .iter()
            .map(|head| head.runbook.name().to_owned())
            .collect(),
        runbook,
        history: history.transpose()?,
        folders: anchors_by_folder(reports),
    })
}

/// Citations of lines in Markdown documents.
#[derive(Serialize)]
pub(crate) struct Citations {
    /// Number of scanned documents.
    documents: usize,
    /// Number of citations by state.
    counts: BTreeMap<&'static str, usize>,
    /// Citations that lead to wrong lines.
    wrong: Vec<CitedLines>,
    pages: Pages,
}

impl View for Citations {
    const TEMPLATE: &'static str = "citations.html";
    const FOLLOWS: &'static str = "";

    fn title(&self) -> String {
        "Citations".to_owned()
    }
}

/// Loads the view.
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
            .entry(windlass::packs::Rank::of(&cited.judgement).word())
            .or_default() += 1;
    }
    let wrong: Vec<CitedLines> = scan
        .citations
        .into_iter()
        .filter(CitedLines::is_wrong)
        .collect();
    Ok(Citations {
        documents: scan.documents,
        counts,
        pages: visit.query.pages(wrong.len()),
        wrong: visit.query.rows(wrong),
    })
}
