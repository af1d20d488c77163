use std::collections::BTreeSet;

use serde::Serialize;
use windlass::{Error, RunHead, RunSummary};

use crate::paging::{Pages, ROWS};
use crate::view::{View, Visit};

#[derive(Serialize)]
pub(crate) struct Runs {
    runs: Vec<RunSummary>,
    pages: Pages,
    #[serde(skip_serializing_if = "Option::is_none")]
    runbook: Option<String>,
    runbooks: BTreeSet<String>,
}

impl View for Runs {
    const TEMPLATE: &'static str = "runs.html";
    const FOLLOWS: &'static str = "runs";
    const PARAMETERS: &'static [&'static str] = &["page", "runbook"];

    fn title(&self) -> String {
        "Runs".to_owned()
    }
}

pub(crate) fn runs(visit: &Visit<'_>) -> Result<Runs, Error> {
    let service = visit.workspace.runs();
    let runbooks = names(&service.records().run_heads()?);
    let known = runbooks.iter().map(String::as_str);
    let runbook = visit.query.one_of("runbook", known)?;
    let list = service.pages().list(runbook, visit.query.skip(), ROWS)?;
    Ok(Runs {
        pages: visit.query.pages(list.total),
        runs: list.runs,
        runbook: runbook.map(str::to_owned),
        runbooks,
    })
}

pub(super) fn names(heads: &[RunHead]) -> BTreeSet<String> {
    let names = heads.iter().map(|head| head.runbook.name().to_owned());
    names.collect()
}
