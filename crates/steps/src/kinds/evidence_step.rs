//! The `evidence` step verifies pointers that are written in a runbook, or come from another step.

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

/// Verifies evidence pointers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Pointers, or the `matches`, `items` or `anchors` of another step.
    items: Vec<ItemInput>,
}

/// A pointer, or a value with pointers under `evidence`. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
struct ItemInput {
    /// The file.
    #[serde(default)]
    file: Option<RepoPath>,
    /// First line, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    start_line: Option<u32>,
    /// Last line, inclusive; defaults to the first.
    #[serde(default)]
    end_line: Option<u32>,
    /// Hash of the lines; required for verification.
    #[serde(default)]
    source_hash: Option<SourceHash>,
    /// Context of the capture; required for finding moved lines.
    #[serde(default)]
    capture: Option<Capture>,
    /// Pointers of a found item.
    #[serde(default)]
    evidence: Vec<Claim>,
    /// Title.
    #[serde(default)]
    label: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Results in input order.
    items: Vec<Found>,
    /// Number of fresh items.
    fresh: usize,
    /// Number of stale items.
    stale: usize,
}

pub(crate) const NAME: &str = "evidence";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "verify evidence pointers";
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

/// Parses the pointers that are written in a step's input. Returns `None` if the input is invalid,
/// or if it refers to other steps, in which case we don't know the pointers before the run.
pub(crate) fn written_claims(with: &Value) -> Option<Vec<Claim>> {
    let input = Input::deserialize(with).ok()?;
    let claims: Result<Vec<_>, _> = input.items.into_iter().map(claims).collect();
    Some(claims.ok()?.concat())
}

/// Returns the item's `evidence`, or else the pointer that its own fields describe. There's always
/// at least one.
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
