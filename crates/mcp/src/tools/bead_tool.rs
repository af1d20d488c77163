//! `bead`: work items, their dependencies and claims.

use serde_json::{Map, Value};
use windlass::ledger::WorkFilter;
use windlass::ledger::bead::{Bead, BeadStatus};
use windlass::{BeadReport, BeadUpdate, LedgerSession, NewBead, NewDependency, WorkList};
use windlass_render::{bead_line, bead_text, reason_text};

use super::ledger_call::{action, with_ledger};
use crate::actions::{Action, chosen};
use crate::answer::{Answer, Answered};
use crate::paged_rows::Rows;
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_failure::Failure;
use crate::tool_schema::declare_arguments;

const ACTIONS: [Action; 7] = [
    Action::reads("ready", "", "labels assignee parent cursor"),
    Action::reads("list", "", "labels assignee parent all text cursor"),
    Action::reads("show", "id", ""),
    Action::writes(
        "create",
        "title",
        "description type priority labels assignee parent needs",
    ),
    Action::writes("claim", "", "id"),
    Action::writes(
        "update",
        "id",
        "title description type priority labels assignee status",
    ),
    Action::writes("close", "id", "reason failed"),
];

pub(crate) const TOOL: Tool = Tool {
    name: "bead",
    title: "Work items",
    about: "Pieces of work with dependencies, shared by all agents of the repository. `claim` takes a ready one (the most \
            important without `id`), `close` ends it. `create` notes work you find on the way.",
    // A bead's state before an update is only visible in its history, so updates count as removing.
    effect: Effect::Writes {
        removes: true,
        also_reads: true,
        repeatable: false,
    },
    actions: &ACTIONS,
    fields: Arguments::fields,
    required: &["action"],
    call,
};

declare_arguments! {
    id: Option<String>,
    text: Option<String>: "list: words in it",
    labels: Vec<String>,
    assignee: Option<String>,
    parent: Option<String>,
    all: bool,
    cursor: Option<String>,
    actor: Option<String>,
    title: Option<String>,
    description: Option<String>,
    r#type: Option<String>: "task, bug, feature, epic…",
    priority: Option<u8>,
    needs: Vec<String>: "ids it waits for",
    status: Option<BeadStatus>,
    reason: Option<String>,
    failed: bool,
}

fn call(call: &Call<'_>) -> Answered {
    let chosen = chosen(&ACTIONS, call.arguments)?;
    let asked: Arguments = call.read()?;
    let actor = asked.actor.clone();
    with_ledger(call, actor.as_deref(), "bead", |ledger| match chosen.name {
        "ready" => {
            let found = ledger.beads().ready(&filter(&asked), None, usize::MAX)?;
            listed(call, &found, asked.cursor, "no bead is ready")
        }
        "list" => {
            let found = match &asked.text {
                Some(text) => ledger
                    .beads()
                    .search(text, &filter(&asked), None, usize::MAX),
                None => ledger.beads().list(&filter(&asked), None, usize::MAX),
            }?;
            listed(call, &found, asked.cursor, "no bead matches")
        }
        "show" => {
            let report = ledger.beads().get(&asked.id.unwrap_or_default(), None)?;
            Answer::shortened(&bead_text(&report), &report, &[], call.limit)
        }
        "create" => create(call, ledger, asked),
        "claim" => {
            let bead = ledger
                .beads()
                .claim(asked.id.as_deref(), &WorkFilter::default())?;
            changed(call, "claimed", &bead, true)
        }
        "update" => {
            let id = asked.id.clone().unwrap_or_default();
            let bead = ledger.beads().update(&id, &update(asked)?)?;
            changed(call, "updated", &bead, false)
        }
        _ => {
            let ids = [asked.id.unwrap_or_default()];
            let beads =
                ledger
                    .beads()
                    .close(&ids, &asked.reason.unwrap_or_default(), asked.failed)?;
            beads.first().map_or_else(
                || Err(Failure::Meaningless("no bead was closed".to_owned())),
                |bead| changed(call, "closed", bead, false),
            )
        }
    })
}

fn filter(asked: &Arguments) -> WorkFilter {
    WorkFilter {
        all: asked.all,
        assignee: asked.assignee.clone(),
        labels: asked.labels.clone(),
        under: asked.parent.clone(),
        ..WorkFilter::default()
    }
}

fn listed(call: &Call<'_>, found: &WorkList, cursor: Option<String>, none: &str) -> Answered {
    let lines: Vec<String> = found.beads.iter().map(line).collect();
    let first = found
        .beads
        .iter()
        .find(|report| report.blocked_by.is_empty() && report.bead.assignee.is_none());
    // Only propose a claim to callers that have asked for ready beads and are allowed to write.
    let may_claim =
        !call.only_reading && call.arguments.get("action") == Some(&Value::from("ready"));
    let claim = first
        .filter(|_| may_claim)
        .map(|report| action(call, "bead", "claim", &[("id", &report.bead.id)], "take it"));
    let rows = Rows {
        key: "beads",
        rows: &found.beads,
        lines: &lines,
        none,
        head: Map::new(),
        next: claim.into_iter().collect(),
    };
    rows.page(call, "bead", cursor)
}

fn line(report: &BeadReport) -> String {
    let mut line = bead_line(&report.bead);
    for reason in &report.blocked_by {
        line.push_str(&format!("\n    {}", reason_text(reason)));
    }
    line
}

fn create(call: &Call<'_>, ledger: &mut LedgerSession, asked: Arguments) -> Answered {
    let needs = asked.needs.into_iter().map(|on| NewDependency {
        kind: "blocks".to_owned(),
        on,
        any_child: false,
    });
    let bead = ledger.beads().create(&NewBead {
        title: asked.title.unwrap_or_default(),
        description: asked.description.unwrap_or_default(),
        issue_type: asked.r#type,
        priority: asked.priority,
        labels: asked.labels,
        assignee: asked.assignee,
        parent: asked.parent,
        dependencies: needs.collect(),
        id: None,
        prefix: None,
    })?;
    changed(call, "created", &bead, false)
}

/// Returns the update to the given fields. An empty assignee removes the current one.
fn update(asked: Arguments) -> Result<BeadUpdate, Failure> {
    let mut changes = Map::new();
    for (field, value) in [
        ("title", asked.title),
        ("description", asked.description),
        ("issue_type", asked.r#type),
        ("assignee", asked.assignee),
    ] {
        if let Some(value) = value {
            let is_nobody = field == "assignee" && value.is_empty();
            changes.insert(
                field.to_owned(),
                if is_nobody { Value::Null } else { value.into() },
            );
        }
    }
    if let Some(priority) = asked.priority {
        changes.insert("priority".to_owned(), priority.into());
    }
    if changes.is_empty() && asked.labels.is_empty() && asked.status.is_none() {
        return Err(Failure::Meaningless(
            "no change given: name a field and its value".to_owned(),
        ));
    }
    Ok(BeadUpdate {
        changes,
        add_labels: asked.labels,
        remove_labels: Vec::new(),
        metadata: Map::new(),
        status: asked.status,
    })
}

fn changed(call: &Call<'_>, what: &str, bead: &Bead, to_be_closed: bool) -> Answered {
    let text = format!("{what} {}", bead_line(bead));
    // An agent that claims a bead should know how to finish it.
    let close = to_be_closed.then(|| {
        action(
            call,
            "bead",
            "close",
            &[("id", &bead.id)],
            "when it is done; give the outcome as `reason`",
        )
    });
    let next: Vec<_> = close.into_iter().collect();
    Answer::shortened(&text, bead, &next, call.limit)
}
