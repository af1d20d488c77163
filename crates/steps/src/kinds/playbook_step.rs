//! The `playbook` step selects the current entries of a playbook.
//!
//! A playbook is a list of events, each of which adds or changes an entry. The step computes the
//! entries from all events, and uses the events as evidence.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{Evidence, RepoPath, counted};
use windlass_engine::{Caveat, Step, StepError, StepOutput};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::Snapshot;
use windlass_vcontext::{Entry, EntryQuery, ItemKind, Node, Object, fold};

use super::built_in::BuiltIn;
use super::found_evidence::Found;
use super::kind_spec::{READS_FILES, kind};
use super::read_document::{DocumentFile, missing};
use crate::services::Services;

/// Selects the current entries of a playbook (vContext), computed from all of their events.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Document in JSON or TRON: a Playbook, or a TodoList or Plan that contains one.
    file: RepoPath,
    /// Entry names. A missing one, or one that another filter excludes, is reported.
    #[serde(default)]
    targets: Vec<String>,
    /// Entry kinds; an empty list means all, and an absent one rules and warnings.
    #[serde(default = "default_kinds")]
    kinds: Vec<ItemKind>,
    /// Required tags: an entry must have all of them.
    #[serde(default)]
    tags: Vec<String>,
    /// Alternative tags, usually of the current work: an entry must have one of them.
    #[serde(default)]
    any_tags: Vec<String>,
    /// Text to find in title or narrative, ignoring case.
    #[serde(default)]
    text: String,
    /// Maximum number of entries returned; all are counted.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: u32,
}

fn default_kinds() -> Vec<ItemKind> {
    vec![ItemKind::Rule, ItemKind::Warning]
}

fn default_limit() -> u32 {
    200
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Entries, sorted by name.
    entries: Vec<FoundEntry>,
    /// Number of entries without the limit.
    total: usize,
    /// True if the limit omitted some.
    truncated: bool,
}

/// Current state of an entry: `label` is its title; its evidence is its first and latest events.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundEntry {
    #[serde(flatten)]
    found: Found,
    /// Content, by field title.
    #[serde(skip_serializing_if = "Map::is_empty")]
    says: Map<String, Value>,
    /// Search keywords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// Confidence, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// Number of helpful events.
    #[serde(skip_serializing_if = "windlass_base::is_default")]
    helped: i64,
    /// Number of harmful events.
    #[serde(skip_serializing_if = "windlass_base::is_default")]
    did_harm: i64,
    /// Concurrent events. The entry shows one of them, and a user has to merge them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    side_by_side: Vec<String>,
}

/// Maximum number of events to use as evidence for an entry. If there are more, we take the first
/// one, which created the entry, and the latest ones.
const MAX_EVENTS: usize = 16;

pub(crate) const NAME: &str = "playbook";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "select the current rules and warnings of a playbook (vContext)";
    kind::<Input, Output>(NAME, summary, Some("entries"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse::<RepoPath>("/file");
    input.parse_items::<ItemKind>("/kinds");
}

fn explain(input: &InputWords) -> Vec<String> {
    let which = match (input.field("targets"), input.value("kinds")) {
        (Some(targets), _) => format!("the entries {targets}"),
        (None, None) => "the rules and warnings".to_owned(),
        (None, Some(_)) => format!("the entries{}", input.phrase(" of the kinds ", "kinds")),
    };
    let file = input.phrase(" of ", "file");
    let tags = input.phrase(" with the tags ", "tags");
    let any = input.phrase(" with one of the tags ", "any_tags");
    let text = input.phrase(" that speak of ", "text");
    vec![format!(
        "takes {which}{file} that are to be followed{tags}{any}{text}"
    )]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, _| {
        run(&services.snapshot, input)
    })
}

fn run(snapshot: &Snapshot, input: Input) -> Result<StepOutput, StepError> {
    let read = DocumentFile::read(snapshot, &input.file)?;
    let playbook = read.document.playbook().ok_or_else(|| {
        StepError::failed(format!("`{}` has no playbook", input.file))
            .help("items of TodoLists and Plans are taken by the step `doc`")
    })?;
    let limit = input.limit as usize;
    let query = EntryQuery {
        targets: input.targets,
        kinds: input.kinds,
        tags: input.tags,
        any_tags: input.any_tags,
        text: input.text,
        all: false,
    };
    let events = Events::of(playbook);
    let mut entries = fold(playbook.list("items")).entries;
    entries.retain(|entry| query.takes(entry));
    let given = entries.iter().take(limit);
    let output = Output {
        entries: given.map(|entry| found(&read, &events, entry)).collect(),
        total: entries.len(),
        truncated: entries.len() > limit,
    };
    let taken = (entries.iter().map(|entry| entry.target_id.as_str())).collect();
    let not_there = missing("entry", &query.targets, &taken, events.0.keys().copied());
    let forks = side_by_side(&entries);
    let cut = output.truncated.then(|| {
        let total = counted(output.total, "entry");
        Caveat::from(format!("only a part of the {total}; raise `limit`"))
    });
    let mut output = StepOutput::of(&output)?;
    output.caveat = read.invalid().or(not_there).or(forks).or(cut);
    Ok(output)
}

/// Warns about entries that were changed concurrently, and suggests how to go on from one of the
/// changes.
fn side_by_side(entries: &[Entry]) -> Option<Caveat> {
    let mut forked = entries.iter().filter(|entry| !entry.heads.is_empty());
    let first = forked.next()?;
    let more = match forked.count() {
        0 => String::new(),
        more => format!(", and {more} more entries have them too"),
    };
    let heads: Vec<String> = first.heads.iter().map(|head| format!("`{head}`")).collect();
    let text = format!(
        "`{}` has concurrent changes: {}{more}",
        first.target_id,
        heads.join(" and ")
    );
    let help = "look at what each says; `windlass doc playbook update --if-event EVENT` continues from the right one";
    Some(Caveat {
        help: Some(help.to_owned()),
        ..Caveat::from(text)
    })
}

struct Events<'a>(BTreeMap<&'a str, Vec<Node<'a>>>);

impl<'a> Events<'a> {
    fn of(playbook: Node<'a>) -> Self {
        let mut events: BTreeMap<&str, Vec<Node<'a>>> = BTreeMap::new();
        for event in playbook.items_of("items") {
            if let Some(target) = event.text_of("targetId") {
                events.entry(target).or_default().push(event);
            }
        }
        Self(events)
    }

    fn evidence(&self, read: &DocumentFile<'_>, entry: &Entry) -> Vec<Evidence> {
        let mut events: Vec<&Node<'_>> = (self.0.get(entry.target_id.as_str()))
            .into_iter()
            .flatten()
            .collect();
        if events.len() > MAX_EVENTS {
            events.sort_by_cached_key(|event| when(event));
            let latest = events.split_off(events.len() - (MAX_EVENTS - 1));
            events.truncate(1);
            events.extend(latest);
            // Evidence is in document order, like everywhere else.
            events.sort_by_key(|event| event.place().range.start);
        }
        let evidence = events
            .iter()
            .map(|event| read.evidence(event, event.lines()));
        evidence.collect()
    }
}

fn when(event: &Node<'_>) -> (Option<Timestamp>, String) {
    let time = event
        .text_of("createdAt")
        .and_then(|time| time.parse().ok());
    let id = event.text_of("eventId").unwrap_or_default();
    (time, id.to_owned())
}

fn found(read: &DocumentFile<'_>, events: &Events<'_>, entry: &Entry) -> FoundEntry {
    let number = |name: &str| entry.fields.get(name)?.as_number()?.as_f64();
    let narrative = entry
        .fields
        .get("narrative")
        .and_then(|says| says.as_object());
    let says = narrative.into_iter().flat_map(Object::iter);
    let tags = entry.fields.get("tags").and_then(|tags| tags.as_array());
    let tags = tags.into_iter().flat_map(|tags| tags.iter());
    FoundEntry {
        found: Found {
            id: Some(entry.target_id.clone()),
            kind: entry.text("kind").map(str::to_owned),
            label: entry.text("title").unwrap_or_default().to_owned(),
            file: read.file.clone(),
            context: 0,
            evidence: events.evidence(read, entry),
            text: None,
        },
        says: says
            .filter_map(|(title, text)| Some((title.to_string(), text.as_str()?.into())))
            .collect(),
        tags: tags
            .filter_map(|tag| tag.as_str().map(str::to_owned))
            .collect(),
        confidence: number("confidence"),
        helped: entry.helpful_count,
        did_harm: entry.harmful_count,
        side_by_side: entry.heads.clone(),
    }
}
