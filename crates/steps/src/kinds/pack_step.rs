//! The `pack` step builds and stores a context pack. It returns a reference to the pack for later
//! steps, along with the parts of the pack as evidence.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::RepoPath;
use windlass_engine::{Step, StepOutput};
use windlass_packs::context::{
    ContextPack, DeltaFile, DocRef, Origin, anchors_in, change_item, doc_item, file_item,
};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::Snapshot;
use windlass_results::Failure;

use super::built_in::BuiltIn;
use super::found_evidence::{Found, seen_now};
use super::kind_spec::{READS_FILES, kind};
use crate::services::{PackInput, Services};

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Pack reference, `pack:` and its id: for `from` of another pack, and for `windlass pack show`.
    #[serde(rename = "ref")]
    reference: String,
    /// Acceptance conditions of the goal.
    definition_of_done: Vec<String>,
    /// The pack itself, failures, documents, relevant files, and changes, in this order.
    items: Vec<Part>,
    /// Relevant documents and files, without duplicates.
    files: Vec<RepoPath>,
}

/// A part of a pack.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Part {
    /// Lines of a document or a relevant file.
    Lines(Lines),
    /// The pack itself.
    Pack(Named),
    /// Failure.
    Failure(Failing),
    /// Changed file, or a relevant file without lines.
    File(NamedFile),
}

#[derive(Debug, Serialize, JsonSchema)]
struct Lines {
    #[serde(flatten)]
    found: Found,
    /// Reasons for its selection.
    why: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Named {
    /// Pack reference, `pack:` and its id.
    pack: String,
    /// Goal.
    goal: String,
    /// Acceptance conditions of the goal.
    definition_of_done: Vec<String>,
    /// Notes about the sources: named files that are empty or not understood.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source_notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Failing {
    /// Failing test or check.
    failure: String,
    /// First line of its message.
    message: String,
    /// Reported locations.
    places: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct NamedFile {
    /// The file's path.
    path: String,
    /// The kind of change, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Value>,
    /// Reasons for its selection.
    why: Vec<String>,
}

pub(crate) const NAME: &str = "pack";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "build and store a context pack";
    kind::<PackInput, Output>(NAME, summary, Some("items"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    if let Some(goal) = input.parse::<String>("/goal")
        && goal.trim().is_empty()
    {
        input.refuse("/goal", "the goal is empty");
    }
    for list in ["/files", "/results"] {
        input.parse_items::<RepoPath>(list);
    }
    for (at, name) in input.parse_items::<String>("/from") {
        if whole_id(&name).is_none() {
            let help =
                "take it from a step: `{ $ref: '#/steps/ID/output/ref' }`, or write all of it";
            let message = format!("`{name}` is not the whole id of a pack");
            input.refuse_with_help(at, message, help);
        }
    }
    for (at, pattern) in input.parse_items::<String>("/search") {
        if input.may_compile()
            && let Err(error) = regex::Regex::new(&pattern)
        {
            // The last line says what's wrong. The lines above only repeat the pattern.
            let error = error.to_string();
            let last = error.lines().last().unwrap_or_default();
            let why = last.strip_prefix("error: ").unwrap_or(last);
            input.refuse(
                at,
                format!("`{pattern}` is not a regular expression: {why}"),
            );
        }
    }
}

/// Parses the ID in `pack:ID` or `ID`. Returns `None` for an abbreviated ID, because a pack that's
/// built later may make it ambiguous.
#[must_use]
pub fn whole_id(name: &str) -> Option<windlass_packs::context::PackId> {
    name.strip_prefix("pack:").unwrap_or(name).parse().ok()
}

fn explain(input: &InputWords) -> Vec<String> {
    let goal = input.field("goal").unwrap_or_default();
    let mut lines = vec![format!(
        "puts a context pack together for {goal}, and keeps it"
    )];
    for (what, field) in [
        ("with the documents ", "docs"),
        ("with the files ", "files"),
        ("with the results ", "results"),
        ("after the packs ", "from"),
    ] {
        let phrase = input.phrase(what, field);
        if !phrase.is_empty() {
            lines.push(phrase);
        }
    }
    lines
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(
        services,
        NAME,
        &SPEC,
        |services, input: PackInput, cancel| {
            let pack = services.packs.build(&input, &services.snapshot, cancel)?;
            StepOutput::of(&output(&pack, &services.snapshot))
        },
    )
}

/// Collects the files that a `pack` step names as documents, relevant files or results. Returns
/// `None` if the input is invalid.
pub(crate) fn named_files(with: &Value) -> Option<Vec<RepoPath>> {
    let input = PackInput::deserialize(with).ok()?;
    let roles = [input.plan, input.acceptance, input.architecture];
    let documents = roles.into_iter().flatten().chain(input.docs);
    let documents = documents.filter_map(|name| {
        let file = name.split_once('#').map_or(&*name, |(file, _)| file);
        RepoPath::parse(file).ok()
    });
    let files = documents.chain(input.files).chain(input.results);
    Some(files.collect())
}

fn output(pack: &ContextPack, snapshot: &Snapshot) -> Output {
    let origins: BTreeMap<&str, &Origin> = pack
        .provenance
        .iter()
        .flat_map(|provenance| &provenance.items)
        .map(|origin| (origin.item.as_str(), origin))
        .collect();
    let reference = format!("pack:{}", pack.pack_id);
    let mut items = vec![Part::Pack(Named {
        pack: reference.clone(),
        goal: pack.goal.clone(),
        definition_of_done: pack.definition_of_done.clone(),
        source_notes: pack.source_notes.clone(),
    })];
    let delta = pack.delta.as_ref();
    let failures = delta.into_iter().flat_map(|delta| &delta.failures);
    items.extend(failures.map(|failure| Part::Failure(failing(failure))));
    let docs = pack.doc_refs.iter().map(|doc| {
        let item = doc_item(&doc.path);
        let label = labelled(doc, origins.get(item.as_str()).copied());
        (item, "document", doc.path.as_str(), label)
    });
    let files = pack.relevant_files.iter().map(|file| {
        let label = file.purpose.clone().unwrap_or_else(|| file.path.clone());
        (file_item(&file.path), "file", file.path.as_str(), label)
    });
    let mut named = Vec::new();
    for (item, sort, path, label) in docs.chain(files) {
        let origin = origins.get(item.as_str()).copied();
        named.extend(RepoPath::parse(path).ok());
        // If the pack has no lines of the file, or the file has changed in the meantime, name the
        // file at least.
        let lines = origin.and_then(|origin| lines(origin, snapshot, sort, path, label));
        items.push(lines.map_or_else(|| Part::File(no_lines(path, origin)), Part::Lines));
    }
    let changes = delta.into_iter().flat_map(|delta| &delta.files);
    items.extend(changes.map(|file| {
        let item = change_item(&file.path);
        Part::File(changed(file, origins.get(item.as_str()).copied()))
    }));
    Output {
        reference,
        definition_of_done: pack.definition_of_done.clone(),
        items,
        files: named,
    }
}

/// Labels a document with its first heading, provided that the first range of lines contains this
/// heading. Any later one would name a section that's shown elsewhere.
fn labelled(doc: &DocRef, origin: Option<&Origin>) -> String {
    let span = origin.and_then(|origin| origin.source.spans.first());
    let count = span.map_or(0, |span| span.lines.count() as usize);
    let text = doc.excerpt.as_deref().unwrap_or_default();
    let text: Vec<&str> = text.lines().take(count).collect();
    match anchors_in(&doc.anchors, &text.join("\n")).first() {
        Some(anchor) => format!("{}#{anchor}", doc.path),
        None => doc.path.clone(),
    }
}

fn why(origin: Option<&Origin>) -> Vec<String> {
    let why = origin.into_iter().flat_map(|origin| &origin.why);
    why.cloned().collect()
}

/// Converts lines of a pack to evidence, which the run verifies like any other.
fn lines(
    origin: &Origin,
    snapshot: &Snapshot,
    sort: &str,
    path: &str,
    label: String,
) -> Option<Lines> {
    let file = RepoPath::parse(path).ok()?;
    let source = snapshot.read(&file).ok()?;
    let spans = origin.source.spans.iter();
    let evidence: Vec<_> = spans
        .map(|span| seen_now(&source, &file, span.lines))
        .collect();
    let found = Found {
        id: None,
        kind: Some(sort.to_owned()),
        label,
        file,
        context: 0,
        evidence,
        text: None,
    };
    (!found.evidence.is_empty()).then(|| Lines {
        found,
        why: why(Some(origin)),
    })
}

fn no_lines(path: &str, origin: Option<&Origin>) -> NamedFile {
    NamedFile {
        path: path.to_owned(),
        change: None,
        why: why(origin),
    }
}

fn changed(file: &DeltaFile, origin: Option<&Origin>) -> NamedFile {
    let change = serde_json::json!({
        "status": file.status,
        "added": file.added,
        "removed": file.removed,
    });
    NamedFile {
        path: file.path.clone(),
        change: Some(change),
        why: why(origin),
    }
}

fn failing(failure: &Failure) -> Failing {
    Failing {
        failure: failure.id.clone(),
        message: failure.summary.clone(),
        places: failure.places.clone(),
    }
}
