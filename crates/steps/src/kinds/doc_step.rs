//! The `doc` step selects items of a vContext document, i.e. of a TodoList or a Plan.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{RepoPath, counted};
use windlass_engine::{Caveat, Step, StepError, StepOutput};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::Snapshot;
use windlass_vcontext::{ItemQuery, ItemStatus, Priority, WorkItem, work_items};

use super::built_in::BuiltIn;
use super::found_evidence::Found;
use super::kind_spec::{READS_FILES, kind};
use super::read_document::{DocumentFile, missing};
use crate::services::Services;

/// Selects items of a vContext document: of a TodoList or a Plan, including nested items.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Document in JSON or TRON.
    file: RepoPath,
    /// Item `id`s. A missing one, or one that another filter excludes, is reported.
    #[serde(default)]
    ids: Vec<String>,
    /// Item statuses; empty means all.
    #[serde(default)]
    statuses: Vec<ItemStatus>,
    /// Required tags: an item must have all of them.
    #[serde(default)]
    tags: Vec<String>,
    /// Text to find in title or narrative, ignoring case.
    #[serde(default)]
    text: String,
    /// Maximum number of items returned; all are counted.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: u32,
}

fn default_limit() -> u32 {
    200
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Items in document order, each before its children.
    items: Vec<FoundItem>,
    /// Number of items without the limit.
    total: usize,
    /// Number of items in each status.
    counts: Counts,
    /// True if the limit omitted some.
    truncated: bool,
}

/// Number of items in each status.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Counts {
    /// Not started.
    pending: usize,
    /// Started.
    in_progress: usize,
    /// Done.
    completed: usize,
    /// Blocked.
    blocked: usize,
    /// Cancelled.
    cancelled: usize,
    /// Failed.
    #[serde(skip_serializing_if = "windlass_base::is_default")]
    failed: usize,
}

/// Item; `label` is its title. Lines of its children are not part of its evidence.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundItem {
    #[serde(flatten)]
    found: Found,
    /// Status.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ItemStatus>,
    /// Priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<Priority>,
    /// Due date.
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    /// Completed share, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    percent: Option<f64>,
    /// Search keywords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// Open items it depends on: their `id`s, or titles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waits_for: Vec<String>,
    /// Parent item: its `id`, or title.
    #[serde(skip_serializing_if = "Option::is_none")]
    part_of: Option<String>,
}

pub(crate) const NAME: &str = "doc";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "select items of a TodoList or Plan (vContext), with their open dependencies";
    kind::<Input, Output>(NAME, summary, Some("items"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse::<RepoPath>("/file");
    input.parse_items::<ItemStatus>("/statuses");
}

fn explain(input: &InputWords) -> Vec<String> {
    let which = match input.field("ids") {
        Some(ids) => format!("the items {ids}"),
        None => "the items".to_owned(),
    };
    let file = input.phrase(" of ", "file");
    let statuses = input.phrase(" that are ", "statuses");
    let tags = input.phrase(" with the tags ", "tags");
    let text = input.phrase(" that speak of ", "text");
    vec![format!("takes {which}{file}{statuses}{tags}{text}")]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, _| {
        run(&services.snapshot, input)
    })
}

fn run(snapshot: &Snapshot, input: Input) -> Result<StepOutput, StepError> {
    let read = DocumentFile::read(snapshot, &input.file)?;
    let all = work_items(&read.document).map_err(|found| no_items(&found, &input.file))?;
    let limit = input.limit as usize;
    let query = ItemQuery {
        ids: input.ids,
        statuses: input.statuses,
        tags: input.tags,
        text: input.text,
    };
    let mut chosen: Vec<&WorkItem<'_>> = all.iter().filter(|item| query.takes(item)).collect();
    chosen.sort_by_key(|item| item.node.place().range.start);
    let given = chosen.iter().take(limit);
    let output = Output {
        items: given.map(|item| found(&read, &all, item)).collect(),
        total: chosen.len(),
        counts: counts(&chosen),
        truncated: chosen.len() > limit,
    };
    let taken = chosen.iter().filter_map(|item| item.id()).collect();
    let known = all.iter().filter_map(WorkItem::id);
    let not_there = missing("item", &query.ids, &taken, known);
    let cut = output.truncated.then(|| {
        let total = counted(output.total, "item");
        Caveat::from(format!("only a part of the {total}; raise `limit`"))
    });
    let mut output = StepOutput::of(&output)?;
    // There's only room for one caveat, so take the most serious one.
    output.caveat = read.invalid().or(not_there).or(cut);
    Ok(output)
}

fn no_items(found: &windlass_base::Diagnostics, file: &RepoPath) -> StepError {
    let first = found.iter().next();
    let message = first.map_or("it has no items", |finding| &finding.message);
    let error = StepError::failed(format!("`{file}`: {message}"));
    match first.and_then(|finding| finding.help.clone()) {
        Some(help) => error.help(help),
        None => error,
    }
}

fn found(read: &DocumentFile<'_>, all: &[WorkItem<'_>], item: &WorkItem<'_>) -> FoundItem {
    let node = item.node;
    let number = |name: &str| node.get(name)?.value().as_number()?.as_f64();
    let evidence = item.own_lines().into_iter();
    FoundItem {
        found: Found {
            id: item.id().map(str::to_owned),
            kind: Some(if item.is_stage { "stage" } else { "todo" }.to_owned()),
            label: item.title().to_owned(),
            file: read.file.clone(),
            context: 0,
            evidence: evidence.map(|span| read.evidence(&node, span)).collect(),
            text: None,
        },
        progress: item.status(),
        priority: node.text_of("priority").and_then(Priority::from_word),
        due: node.text_of("dueDate").map(str::to_owned),
        percent: number("percentComplete"),
        tags: (node.items_of("tags").filter_map(|tag| tag.text()))
            .map(str::to_owned)
            .collect(),
        waits_for: item
            .waits_for_open(all)
            .into_iter()
            .map(str::to_owned)
            .collect(),
        part_of: (item.part_of.and_then(|at| all.get(at))).map(|whole| whole.name().to_owned()),
    }
}

fn counts(items: &[&WorkItem<'_>]) -> Counts {
    let count = |status| {
        let same = |item: &&&WorkItem<'_>| item.status() == Some(status);
        items.iter().filter(same).count()
    };
    Counts {
        pending: count(ItemStatus::Pending),
        in_progress: count(ItemStatus::InProgress),
        completed: count(ItemStatus::Completed),
        blocked: count(ItemStatus::Blocked),
        cancelled: count(ItemStatus::Cancelled),
        failed: count(ItemStatus::Failed),
    }
}
