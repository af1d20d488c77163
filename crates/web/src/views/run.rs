use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use windlass::plan::Status;
use windlass::{Error, RunPack, RunState, RunSummary, StepSummary};
use windlass_render::StepStates;

use super::graph::Graph;
use crate::paging::Pages;
use crate::view::{View, Visit};

#[derive(Serialize)]
pub(crate) struct Run {
    run: RunSummary,
    windlass: String,
    inputs: BTreeMap<String, Value>,
    withheld: Vec<String>,
    steps: Vec<StepSummary>,
    pages: Pages,
    /// End of the timeline's scale, in microseconds. It grows in few steps, so most bars do not
    /// change while the run goes on.
    scale_us: u64,
    /// Number of steps by state. Those without a state are `in_progress` or `interrupted`.
    counts: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<usize>,
    /// True if the runbook has changed since. The graph may then differ from the run.
    runbook_changed: bool,
    graph: Graph,
    #[serde(skip_serializing_if = "Option::is_none")]
    earlier: Option<String>,
    /// The pack, and the current verdicts on its evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<Value>,
    #[serde(skip)]
    pack_html: String,
}

impl View for Run {
    const TEMPLATE: &'static str = "run.html";
    const FOLLOWS: &'static str = "runs evidence";
    const PARAMETERS: &'static [&'static str] = &["page", "step"];

    fn title(&self) -> String {
        format!("{} {}", self.run.runbook.name(), self.run.id)
    }

    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::from([
            ("drawing", &*self.graph.drawing),
            ("pack", &*self.pack_html),
        ])
    }
}

pub(crate) fn run(visit: &Visit<'_>) -> Result<Run, Error> {
    let service = visit.workspace.runs();
    let records = service.records();
    let id = records.find_run(visit.name("run"))?;
    let record = records.run_record(&id)?;
    let (run, steps, head) = (record.summary(), record.steps(), record.head.clone());
    let plan = service.pages().plan_of(&head);
    let states = StepStates::of_run(&steps, run.state);
    let graph = plan.as_ref().map_or_else(
        || Graph::missing("the runbook is not there any more"),
        |found| Graph::within(&found.plan, &states, format!("/runs/{id}/graph")),
    );
    let query = visit.query_of_step(steps.iter().map(|step| &*step.step))?;
    let mut counts = BTreeMap::new();
    let unfinished = match run.state {
        RunState::Running => Status::InProgress.as_str(),
        _ => "interrupted",
    };
    for step in &steps {
        let word = step.status.map_or(unfinished, Status::as_str);
        *counts.entry(word).or_default() += 1;
    }
    let earlier = records
        .run_heads()?
        .into_iter()
        .skip_while(|other| other.id != id)
        .skip(1);
    let mut earlier = earlier.filter(|other| other.runbook.name() == head.runbook.name());
    let damaged = record.damaged.clone();
    let root = visit.workspace.site().repo().root();
    let link = |place: &_| visit.app.settings.editor.to(root, place);
    let pack = service.pages().pack_page(record, &link)?;
    let RunPack { html, json } = pack.unwrap_or_else(|| RunPack {
        html: String::new(),
        json: Value::Null,
    });
    Ok(Run {
        windlass: head.windlass,
        inputs: head.inputs,
        withheld: head.withheld,
        pages: query.pages(steps.len()),
        steps: query.rows(steps),
        scale_us: scale_of(run.took_us),
        counts,
        damaged,
        runbook_changed: plan.is_some_and(|plan| !plan.is_same),
        graph,
        earlier: earlier.next().map(|head| head.id.to_string()),
        pack: Some(json).filter(|json| !json.is_null()),
        pack_html: html,
        run,
    })
}

/// Finds the end of a scale that includes `took`: 1, 2 or 5 times a power of ten.
fn scale_of(took: u64) -> u64 {
    let powers = (0..19).map(|power| 10_u64.pow(power));
    let mut ends = powers.flat_map(|power| [1, 2, 5].map(|times| power.saturating_mul(times)));
    ends.find(|end| *end >= took).unwrap_or(took)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_ends_at_a_round_number() {
        let ends = [0, 1, 3, 5, 11, 501_000].map(scale_of);
        assert_eq!(ends, [1, 1, 5, 5, 20, 1_000_000]);
        assert_eq!(scale_of(u64::MAX), u64::MAX);
    }
}
