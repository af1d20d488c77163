use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use windlass::{Error, Workspace};
use windlass_zoo::StoredRuns;
use windlass_zoo::report::{History, Report};

use crate::view::{View, Visit};

#[derive(Serialize)]
pub(crate) struct Zoo {
    /// True for results of this repository, false for results of the samples.
    own: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Value>,
    /// Earlier runs, from which the page makes its trends.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<History>,
    #[serde(skip)]
    html: String,
}

impl View for Zoo {
    const TEMPLATE: &'static str = "zoo.html";
    const FOLLOWS: &'static str = "";
    const PARAMETERS: &'static [&'static str] = &["of"];

    fn title(&self) -> String {
        "Zoo".to_owned()
    }

    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::from([("report", &*self.html)])
    }
}

pub(crate) fn zoo(visit: &Visit<'_>) -> Result<Zoo, Error> {
    let workspace = &visit.workspace;
    let wanted = visit.query.one_of("of", ["repository", "samples"])?;
    if wanted != Some("samples") {
        let own = stored(workspace, Some(workspace))?;
        if own.report.is_some() || wanted == Some("repository") {
            return Ok(own);
        }
    }
    stored(workspace, None)
}

fn stored(workspace: &Workspace, own: Option<&Workspace>) -> Result<Zoo, Error> {
    let state = workspace.site().dirs()?.state;
    let runs = StoredRuns::of(own, &state)
        .read()
        .map_err(Error::internal)?;
    let mut zoo = Zoo {
        own: own.is_some(),
        report: None,
        history: None,
        html: String::new(),
    };
    if let Some(runs) = runs {
        let report = Report {
            results: &runs.results,
            checked: runs.checked.as_ref(),
            baseline: None,
            history: &runs.history,
        };
        zoo.html = report.content()?;
        zoo.report = Some(serde_json::from_str(&report.json()?).map_err(Error::internal)?);
        zoo.history = Some(runs.history);
    }
    Ok(zoo)
}
