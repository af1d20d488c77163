use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use windlass::packs::harmless;
use windlass::plan::Status;
use windlass::{Error, RunPack, RunSummary, StepSummary};
use windlass_render::{StepStates, plan_svg_part};

use crate::view::{View, Visit};

/// A recorded run: its graph, timeline and pack.
#[derive(Serialize)]
pub(crate) struct Run {
    run: RunSummary,
    /// Version of Windlass that ran it.
    windlass: String,
    inputs: BTreeMap<String, Value>,
    withheld: Vec<String>,
    steps: Vec<StepSummary>,
    /// Number of steps by state.
    counts: BTreeMap<&'static str, usize>,
    /// Numbers of unreadable lines of the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<usize>,
    /// True if the runbook has changed since.
    runbook_changed: bool,
    /// Reason why there is no graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_graph: Option<String>,
    /// The run of the same runbook before this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    earlier: Option<String>,
    /// The pack, with present verdicts on its evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<Value>,
    #[serde(skip)]
    drawing: String,
    #[serde(skip)]
    pack_html: String,
}

impl View for Run {
    const TEMPLATE: &'static str = "run.html";
    const FOLLOWS: &'static str = "runs";

    fn title(&self) -> String {
        format!("{} {}", self.run.runbook.name(), self.run.id)
    }

    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::from([("drawing", &*self.drawing), ("pack", &*self.pack_html)])
    }
}

/// Loads the view.
pub(crate) fn run(visit: &Visit<'_>) -> Result<Run, Error> {
    let service = visit.workspace.runs();
    let records = service.records();
    let id = records.find_run(visit.name("run"))?;
    let record = records.run_record(&id)?;
    let (run, steps, head) = (record.summary(), record.steps(), record.head.clone());
    let plan = service.pages().plan_of(&head);
    let states = StepStates::of_run(&steps, run.state);
    let drawn = plan
        .as_ref()
        .map(|found| plan_svg_part(&found.plan, &states, &harmless));
    let (drawing, no_graph) = match drawn {
        Some(Ok(drawing)) => (drawing, None),
        Some(Err(too_large)) => (String::new(), Some(too_large.to_string())),
        None => (
            String::new(),
            Some("the runbook is not there any more".to_owned()),
        ),
    };
    let mut counts = BTreeMap::new();
    for step in &steps {
        let word = step.status.map_or("running", Status::as_str);
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
        run,
        windlass: head.windlass,
        inputs: head.inputs,
        withheld: head.withheld,
        steps,
        counts,
        damaged,
        runbook_changed: plan.is_some_and(|plan| !plan.is_same),
        no_graph,
        earlier: earlier.next().map(|head| head.id.to_string()),
        pack: Some(json).filter(|json| !json.is_null()),
        drawing,
        pack_html: html,
    })
}
