//! `context_pack`: builds, shows, merges and rebuilds context packs for a goal.

mod pages;

use serde_json::{Map, Value};
use windlass::base::{Limit, NextAction};
use windlass::packs::context::{
    ContextPack, GlobalMode, JoinPolicy, JoinState, NodeMode, ToolPolicy,
};
use windlass::packs::{Format, Measure};
use windlass::{BuildPack, MergePacks, PackView};
use windlass_render::rebuilt_text;

use super::ledger_call::action;
use super::{internal, typed};
use crate::actions::{Action, chosen};
use crate::answer::{Answer, Answered, USUAL};
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_failure::Failure;
use crate::tool_schema::declare_arguments;

const ACTIONS: [Action; 4] = [
    Action::reads(
        "build",
        "goal",
        "done docs files search results since packs constraints decisions node_mode tool_policy",
    ),
    Action::reads("show", "pack", "cursor"),
    Action::reads("merge", "packs", "goal policy"),
    Action::reads("rebuild", "pack", ""),
];

pub(crate) const TOOL: Tool = Tool {
    name: "context_pack",
    title: "Context for a goal",
    about: "Put together what work needs: documents, changes, failures, files that matter, each with its source (`build`). \
            `show` pages it by `cursor`; `merge` joins packs, naming conflicts; `rebuild` says what changed since.",
    effect: Effect::Reads,
    actions: &ACTIONS,
    fields: Arguments::fields,
    required: &["action"],
    call,
};

declare_arguments! {
    goal: Option<String>,
    done: Vec<String>: "what must hold",
    docs: Vec<String>: "docs/PLAN.md#section",
    files: Vec<String>,
    search: Vec<String>,
    results: Vec<String>: "test output",
    since: Option<String>,
    constraints: Map<String, Value>,
    decisions: Map<String, Value>,
    node_mode: Option<NodeMode>,
    tool_policy: ToolPolicy,
    pack: Option<String>: "id or `last`",
    cursor: Option<String>,
    packs: Vec<String>,
    policy: Option<String>,
}

fn call(call: &Call<'_>) -> Answered {
    let chosen = chosen(&ACTIONS, call.arguments)?;
    let asked: Arguments = call.read()?;
    match chosen.name {
        "build" => build(call, asked),
        "show" => show(call, asked),
        "merge" => merge(call, asked),
        _ => rebuild(call, &asked),
    }
}

fn build(call: &Call<'_>, asked: Arguments) -> Answered {
    let goal = asked.goal.unwrap_or_default();
    if goal.trim().is_empty() {
        return Err(Failure::Meaningless("`goal` is empty".to_owned()));
    }
    let request = BuildPack {
        goal,
        done: asked.done,
        docs: asked.docs,
        since: asked.since,
        results: asked.results,
        files: asked.files,
        search: asked.search,
        constraints: typed(&asked.constraints).collect(),
        decisions: typed(&asked.decisions).collect(),
        from: asked.packs,
        mode: GlobalMode::Implementation,
        node_mode: asked.node_mode,
        tool_policy: asked.tool_policy,
        start: call.start().to_owned(),
        ..BuildPack::default()
    };
    let room = call.limit.unwrap_or(USUAL);
    let built = call.workspace.packs().build(&request, view(TEXT, room))?;
    let is_kept = built.not_kept.is_none();
    let mut answer = printed(call, &built.pack, built.printed.text, is_kept)?;
    answer.note(built.not_kept.as_deref().map(not_kept), call.limit);
    Ok(answer)
}

fn merge(call: &Call<'_>, asked: Arguments) -> Answered {
    let policy = asked.policy.as_deref().unwrap_or("all");
    let policy: JoinPolicy = policy.parse().map_err(Failure::Meaningless)?;
    if asked.packs.is_empty() {
        return Err(Failure::Meaningless(
            "`packs` is empty: give the ids of packs to merge".to_owned(),
        ));
    }
    let merged = call.workspace.packs().merge(&MergePacks {
        names: asked.packs,
        policy,
        expected: None,
        goal: asked.goal,
        run_id: None,
        node_id: None,
        edge_id: None,
        start: call.start().to_owned(),
    })?;
    let room = call.limit.unwrap_or(USUAL);
    let is_kept = merged.not_kept.is_none();
    let text = call
        .workspace
        .packs()
        .print_whole(&merged.pack, view(TEXT, room), is_kept)?;
    let mut answer = printed(call, &merged.pack, text.text, is_kept)?;
    let partial = (merged.state != JoinState::Complete)
        .then(|| format!("`{policy}` did not wait for all of the packs"));
    let lost = merged.not_kept.as_deref().map(not_kept);
    let left = merged.told_of_nothing();
    answer.note(partial.into_iter().chain(lost).chain(left), call.limit);
    Ok(answer)
}

fn show(call: &Call<'_>, asked: Arguments) -> Answered {
    let room = call.limit.unwrap_or(USUAL);
    let name = asked.pack.unwrap_or_default();
    let pack = call.workspace.packs().to_show(&name, call.start())?;
    let name = pages::lasting(&name, &pack);
    if let Some(cursor) = asked.cursor {
        return pages::page(call, &name, &pack, cursor);
    }
    let shown = |format, limit| {
        let view = view(format, limit);
        let printed = call
            .workspace
            .packs()
            .print_cut(&pack, view, pages::first(&name))?;
        Ok(printed.text)
    };
    Ok(Answer {
        text: shown(TEXT, room)?,
        data: data(room, |limit| shown(JSON, limit))?,
        failed: false,
    })
}

fn rebuild(call: &Call<'_>, asked: &Arguments) -> Answered {
    let name = asked.pack.as_deref().unwrap_or_default();
    let rebuilt = call.workspace.packs().rebuild(name, call.start())?;
    let mut next: Vec<NextAction> = Vec::new();
    // The sources have changed. Store the rebuilt pack as well, so that the agent can look at it.
    if !rebuilt.reproduced && call.workspace.packs().keep_rebuilt(&rebuilt).is_ok() {
        let id = rebuilt.rebuilt_id.to_string();
        let own = [("pack", id.as_str())];
        next.push(action(
            call,
            "context_pack",
            "show",
            &own,
            "rebuild it from its current sources",
        ));
    }
    Answer::shortened(&rebuilt_text(&rebuilt), &rebuilt, &next, call.limit)
}

/// The field of next actions in results. In a pack, it's called [`NEXT_IN_PACKS`].
const NEXT: &str = "next_actions";
const NEXT_IN_PACKS: &str = "nextActions";

const JSON: Format = Format::Json;
const TEXT: Format = Format::Text { width: None };

fn view(format: Format, limit: Limit) -> PackView {
    PackView {
        format,
        limit: Some(limit),
        profile: None,
    }
}

fn printed(call: &Call<'_>, pack: &ContextPack, text: String, is_kept: bool) -> Answered {
    let print = |limit| {
        let view = view(JSON, limit);
        let printed = call.workspace.packs().print_whole(pack, view, is_kept)?;
        Ok(printed.text)
    };
    Ok(Answer {
        text,
        data: data(call.limit.unwrap_or(USUAL), print)?,
        failed: false,
    })
}

/// Returns the data of a pack, which `print` prints within a limit.
///
/// Here, next actions get the name that they have in all other results. That name is a bit longer
/// and has to fit as well, so we may have to print twice.
fn data(limit: Limit, print: impl Fn(Limit) -> Result<String, Failure>) -> Result<Value, Failure> {
    let data = with_next(&print(limit)?)?;
    if Measure::of(limit).weigh(&data.to_string()) <= limit.max() {
        return Ok(data);
    }
    let longer = NEXT.len() - NEXT_IN_PACKS.len();
    let less = limit.max().saturating_sub(longer);
    with_next(&print(match limit {
        Limit::Chars(_) => Limit::Chars(less),
        Limit::Tokens(_) => Limit::Tokens(less),
    })?)
}

fn with_next(pack: &str) -> Result<Value, Failure> {
    let mut fields: Map<String, Value> =
        serde_json::from_str(pack).map_err(|error| internal(&error))?;
    if let Some(next) = fields.shift_remove(NEXT_IN_PACKS) {
        fields.insert(NEXT.to_owned(), next);
    }
    Ok(Value::Object(fields))
}

fn not_kept(why: &str) -> String {
    format!("the pack is not stored, so it cannot be shown again: {why}")
}
