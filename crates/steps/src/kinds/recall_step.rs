//! The `recall` step recalls records of the repository's memory for a question.
//!
//! It builds the index from the files in the snapshot, so that the answer fits what the other steps
//! of the run see.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{LineSpan, NextAction, RepoPath};
use windlass_engine::{Caveat, Step, StepError, StepOutput};
use windlass_memory::{
    Hit, Level, Memory, Query, RecallIndex, Record, RecordKind, best_passage, build_index,
};
use windlass_plan::{InputWords, KindSpec};
use windlass_redact::redact_text;
use windlass_repo::Snapshot;

use super::built_in::BuiltIn;
use super::found_evidence::{Found, seen_now};
use super::kind_spec::{READS_FILES, kind};
use crate::services::Services;

/// Recalls records of the repository's memory for a question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Question in natural language.
    query: String,
    /// Minimum confidence of a record.
    #[serde(default = "default_level")]
    level: Level,
    /// Record kinds; empty means all.
    #[serde(default)]
    kinds: Vec<RecordKind>,
    /// Maximum number of records returned; all are counted.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1_000))]
    limit: u32,
}

fn default_level() -> Level {
    Level::Weak
}

fn default_limit() -> u32 {
    3
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Confidence level of the best record.
    level: Level,
    /// Confidence in thousandths.
    confidence: u32,
    /// The reason for the confidence.
    reason: String,
    /// Records, best first.
    records: Vec<FoundRecord>,
    /// Number of records without the limit.
    total: usize,
    /// True if the limit omitted some.
    truncated: bool,
}

/// Current record: `label` is its title; its evidence is the part that matches the question best.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundRecord {
    #[serde(flatten)]
    found: Found,
    /// Confidence in thousandths.
    confidence: u32,
    /// Words of the question found in the record.
    matched: Vec<String>,
    /// The superseded record found by the question, if this one replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead_of: Option<String>,
}

const MAX_RANKED: usize = 10_000;

pub(crate) const NAME: &str = "recall";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "recall records of the repository's memory for a question";
    kind::<Input, Output>(NAME, summary, Some("records"), READS_FILES).explained_by(explain)
});

fn explain(input: &InputWords) -> Vec<String> {
    let query = input.field("query").unwrap_or_default();
    let kinds = input.phrase(" of the kinds ", "kinds");
    vec![format!(
        "recalls records{kinds} of `memory/` that speak of {query}"
    )]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, _| {
        run(&services.snapshot, &input)
    })
}

fn run(snapshot: &Snapshot, input: &Input) -> Result<StepOutput, StepError> {
    let memory =
        Memory::of_snapshot(snapshot).map_err(|error| StepError::failed(error.to_string()))?;
    if !memory.is_there() {
        let error = StepError::failed("there is no memory in this repository".to_owned());
        return Err(error.help("run `windlass memory init` to create one"));
    }
    // Index what users may see. A question must not be able to find a secret value.
    let shown = |record: &Record| redact_text(record.source().text()).0.as_str().to_owned();
    let bytes = build_index(&memory, &shown, snapshot.repo().threads());
    let index = RecallIndex::open(bytes)
        .ok_or_else(|| StepError::failed("the memory cannot be indexed".to_owned()))?;
    let query = Query::of(&input.query);
    let ranking = index.recall(&query, MAX_RANKED);
    let is_taken = |hit: &&Hit| {
        ranking.level_of(hit.confidence) >= input.level
            && (input.kinds.is_empty() || input.kinds.contains(&hit.kind))
    };
    let hits: Vec<&Hit> = ranking.hits.iter().filter(is_taken).collect();
    let limit = input.limit as usize;
    let records = hits
        .iter()
        .take(limit)
        .filter_map(|hit| found(snapshot, &memory, hit, &query));
    let output = Output {
        level: ranking.level,
        confidence: ranking.confidence,
        reason: ranking.reason.clone(),
        records: records.collect(),
        total: hits.len(),
        truncated: hits.len() > limit,
    };
    let faulty = memory.impression_lines.faulty.len();
    let mut step = StepOutput::of(&output)?;
    if faulty > 0 {
        let text = format!("{faulty} lines of the memory are set aside, since they cannot be read");
        let call = NextAction::new("memory check", "see the errors of the memory");
        step.caveat = Some(Caveat {
            next_action: Some(call),
            ..Caveat::from(text)
        });
    }
    Ok(step)
}

fn found(snapshot: &Snapshot, memory: &Memory, hit: &Hit, query: &Query) -> Option<FoundRecord> {
    let path = RepoPath::parse(&hit.path).ok()?;
    let source = snapshot.read(&path).ok()?;
    let span = memory.records.get(&path).and_then(|record| {
        let part = best_passage(record, query);
        let line = |at: usize| u32::try_from(record.source().position(at).line).ok();
        LineSpan::new(line(part.start)?, line(part.end.saturating_sub(1))?).ok()
    });
    let span = span.or_else(|| LineSpan::new(1, source.line_count().max(1)).ok())?;
    Some(FoundRecord {
        found: Found {
            id: Some(hit.id.clone()),
            kind: Some(hit.kind.as_str().to_owned()),
            label: hit.title.clone(),
            file: path.clone(),
            context: 0,
            evidence: vec![seen_now(&source, &path, span)],
            text: None,
        },
        confidence: hit.confidence,
        matched: hit.matched.clone(),
        instead_of: hit.instead_of.clone(),
    })
}
