use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{Pointer, RepoPath, SourceHash};
use windlass_engine::{Call, Step, StepError, StepFuture, StepOutput};
use windlass_evidence::judge;
use windlass_plan::KindSpec;
use windlass_repo::Snapshot;

use crate::Services;
use crate::found::{Found, FoundEvidence};
use crate::spec::{READS_FILES, kind};

/// Says of pointers whether they still stand.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The pointers.
    items: Vec<PointerInput>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PointerInput {
    /// The file.
    file: RepoPath,
    /// First line, from 1.
    #[schemars(range(min = 1))]
    start_line: u32,
    /// Last line, included; the first if not said.
    #[serde(default)]
    end_line: Option<u32>,
    /// What the lines hashed to; without it nothing can be verified.
    #[serde(default)]
    source_hash: Option<SourceHash>,
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
});

pub(crate) struct EvidenceStep {
    snapshot: Snapshot,
}

impl EvidenceStep {
    pub(crate) fn new(services: &Services) -> Self {
        Self {
            snapshot: services.snapshot.clone(),
        }
    }
}

impl Step for EvidenceStep {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> &KindSpec {
        &SPEC
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let input: Input = call.input()?;
            let snapshot = self.snapshot.clone();
            Call::blocking(move || {
                let found = input.items.into_iter().map(|item| check(&snapshot, item));
                let items = found.collect::<Result<Vec<Found>, StepError>>()?;
                let fresh = items
                    .iter()
                    .filter(|item| item.evidence[0].judgement.is_fresh())
                    .count();
                StepOutput::of(&Output {
                    fresh,
                    stale: items.len() - fresh,
                    items,
                })
            })
            .await
        })
    }
}

fn check(snapshot: &Snapshot, item: PointerInput) -> Result<Found, StepError> {
    let end = item.end_line.unwrap_or(item.start_line);
    let span = windlass_base::LineSpan::new(item.start_line, end)
        .map_err(|error| StepError::invalid(format!("`{}`: {error}", item.file)))?;
    let pointer = Pointer {
        file: item.file.clone(),
        span,
        source_hash: item.source_hash,
    };
    let judgement = judge(snapshot, &pointer, None);
    Ok(Found {
        id: None,
        kind: None,
        label: item.label,
        file: item.file,
        context: 0,
        evidence: vec![FoundEvidence { pointer, judgement }],
        text: None,
    })
}
