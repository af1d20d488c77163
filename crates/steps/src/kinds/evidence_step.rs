use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Capture, LineSpan, Pointer, RepoPath, SourceHash, counted};
use windlass_engine::{Step, StepError, StepOutput};
use windlass_evidence::Claim;
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::Snapshot;

use super::built_in::BuiltIn;
use super::found_evidence::Found;
use super::kind_spec::{READS_FILES, kind};
use crate::services::Services;

/// Says of pointers whether they still stand.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The pointers, or what another step found: its `matches`, `items` or `anchors`.
    items: Vec<ItemInput>,
}

/// A pointer, or something with pointers under `evidence`. What else it says is passed over.
#[derive(Debug, Deserialize, JsonSchema)]
struct ItemInput {
    /// The file.
    #[serde(default)]
    file: Option<RepoPath>,
    /// First line, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    start_line: Option<u32>,
    /// Last line, included; the first if not said.
    #[serde(default)]
    end_line: Option<u32>,
    /// What the lines hashed to; without it nothing can be verified.
    #[serde(default)]
    source_hash: Option<SourceHash>,
    /// What was noted when it was captured; without it nothing can be found again.
    #[serde(default)]
    capture: Option<Capture>,
    /// The pointers of something that was found.
    #[serde(default)]
    evidence: Vec<Claim>,
    /// What to call it.
    #[serde(default)]
    label: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// In the order of the input.
    items: Vec<Found>,
    /// How many stand where they were captured.
    fresh: usize,
    /// How many do not.
    stale: usize,
}

pub(crate) const NAME: &str = "evidence";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "say of evidence pointers whether they still stand";
    kind::<Input, Output>(NAME, summary, Some("items"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    for (at, item) in input.parse_items::<ItemInput>("/items") {
        if let Err(error) = claims(item) {
            input.refuse(at, error.message);
        }
    }
}

fn explain(input: &InputWords) -> Vec<String> {
    let items = match input.value("items").and_then(Value::as_array) {
        Some(items) => format!("the {} it is given", counted(items.len(), "item")),
        None => input.phrase("", "items"),
    };
    vec![format!(
        "reads the lines that {items} point to, and compares their hashes"
    )]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, _| {
        run(&services.snapshot, input)
    })
}

fn run(snapshot: &Snapshot, input: Input) -> Result<StepOutput, StepError> {
    let found = input.items.into_iter().map(|item| judged(snapshot, item));
    let items = found.collect::<Result<Vec<Found>, StepError>>()?;
    let fresh = items
        .iter()
        .filter(|item| {
            item.evidence
                .iter()
                .all(|evidence| evidence.judgement.is_fresh())
        })
        .count();
    StepOutput::of(&Output {
        fresh,
        stale: items.len() - fresh,
        items,
    })
}

fn judged(snapshot: &Snapshot, item: ItemInput) -> Result<Found, StepError> {
    let (label, claims) = (item.label.clone(), claims(item)?);
    Ok(Found {
        id: None,
        kind: None,
        label,
        file: claims[0].pointer.file.clone(),
        context: 0,
        evidence: claims
            .into_iter()
            .map(|claim| claim.judged(snapshot))
            .collect(),
        text: None,
    })
}

/// The pointers that a step is given, where they are written out.
pub(crate) fn written_claims(with: &Value) -> Option<Vec<Claim>> {
    let input = Input::deserialize(with).ok()?;
    let claims: Result<Vec<_>, _> = input.items.into_iter().map(claims).collect();
    Some(claims.ok()?.concat())
}

/// At least one.
fn claims(item: ItemInput) -> Result<Vec<Claim>, StepError> {
    if !item.evidence.is_empty() {
        return Ok(item.evidence);
    }
    let (Some(file), Some(start)) = (item.file, item.start_line) else {
        return Err(StepError::invalid(
            "an item has neither `evidence` nor `file` and `start_line`",
        ));
    };
    let span = LineSpan::new(start, item.end_line.unwrap_or(start))
        .map_err(|error| StepError::invalid(format!("`{file}`: {error}")))?;
    let pointer = Pointer {
        file,
        span,
        source_hash: item.source_hash,
    };
    Ok(vec![Claim {
        pointer,
        capture: item.capture,
        spots: Vec::new(),
    }])
}
