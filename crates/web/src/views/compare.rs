use serde::Serialize;
use windlass::{Error, RunComparison};

use crate::paging::invalid;
use crate::view::{View, Visit};

#[derive(Serialize)]
pub(crate) struct Compare {
    comparison: RunComparison,
}

impl View for Compare {
    const TEMPLATE: &'static str = "compare.html";
    const FOLLOWS: &'static str = "";
    const PARAMETERS: &'static [&'static str] = &["after", "before", "runbook"];

    fn title(&self) -> String {
        format!("Changes in {}", self.comparison.runbook)
    }
}

pub(crate) fn compare(visit: &Visit<'_>) -> Result<Compare, Error> {
    let service = visit.workspace.runs();
    let records = service.records();
    let (before, after) = (visit.query.get("before"), visit.query.get("after"));
    let comparison = match (before, after) {
        (Some(before), Some(after)) => {
            records.compare_runs(&records.find_run(before)?, &records.find_run(after)?)?
        }
        (None, None) => records.compare_newest_runs(visit.query.get("runbook"))?,
        _ => return Err(invalid("a comparison needs `before` and `after`")),
    };
    Ok(Compare { comparison })
}
