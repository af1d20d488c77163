//! The `suggestions` step finds places that deserve an anchor and have none.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Evidence, Freshness, Judgement, RepoPath};
use windlass_engine::{Step, StepError, StepOutput};
use windlass_notebook::{AnchorKind, Notebook, Suggestion, unsaved_suggestions};
use windlass_plan::{InputWords, KindSpec, WrittenInput};

use super::built_in::BuiltIn;
use super::file_scope::notes_without_files;
use super::found_evidence::Found;
use super::kind_spec::{READS_FILES, kind};
use crate::services::Services;

/// Finds places that deserve an anchor and have none: contracts, gates, entry points, conventions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Folders and files of the places; empty means the whole repository.
    #[serde(default)]
    paths: Vec<RepoPath>,
    /// Anchor kinds, in output order; empty means all.
    #[serde(default)]
    kinds: Vec<AnchorKind>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Places in the order of `kinds`, the best of each kind first, as `windlass suggest` lists them.
    places: Vec<Found>,
    /// Number of places.
    total: usize,
}

pub(crate) const NAME: &str = "suggestions";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "find contracts, gates and entry points that have no anchor yet";
    kind::<Input, Output>(NAME, summary, Some("places"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse_items::<RepoPath>("/paths");
}

fn explain(input: &InputWords) -> Vec<String> {
    let kinds = input.phrase(" of the kinds ", "kinds");
    let paths = input.phrase(" under ", "paths");
    vec![format!(
        "finds places{kinds}{paths} that deserve an anchor and have none"
    )]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, cancel| {
        run(services, &input, cancel)
    })
}

fn run(services: &Services, input: &Input, cancel: &Cancel) -> Result<StepOutput, StepError> {
    let saved = match services.notebook.is_enabled() {
        true => services.notebook.get().map_err(StepError::failed)?,
        false => Notebook::default().into(),
    };
    let found = unsaved_suggestions(&services.snapshot, &saved, cancel)
        .map_err(|error| StepError::failed(error.to_string()))?;
    // The sort below is stable, so within each kind, the best suggestions stay first.
    let rank = |kind: AnchorKind| input.kinds.iter().position(|one| *one == kind);
    let mut places: Vec<&Suggestion> = found
        .iter()
        .filter(|one| input.kinds.is_empty() || rank(one.anchor().kind).is_some())
        .filter(|one| is_under(one, &input.paths))
        .collect();
    places.sort_by_key(|one| rank(one.anchor().kind));
    let mut output = StepOutput::of(&Output {
        total: places.len(),
        places: places.iter().copied().map(found_place).collect(),
    })?;
    if places.is_empty() {
        output.notes = notes_without_files(&input.paths, &services.snapshot, cancel);
    }
    Ok(output)
}

fn is_under(suggestion: &Suggestion, paths: &[RepoPath]) -> bool {
    let files = suggestion.anchor().evidence.iter().map(|place| &place.file);
    let mut files = files.filter(|file| paths.iter().any(|path| file.is_under(path)));
    paths.is_empty() || files.next().is_some()
}

fn found_place(suggestion: &Suggestion) -> Found {
    let anchor = suggestion.anchor();
    let file = anchor.evidence.first().map(|place| place.file.clone());
    let evidence = anchor.evidence.iter().map(|pointer| Evidence {
        pointer: pointer.clone(),
        judgement: Judgement::new(Freshness::Fresh, None),
        capture: None,
        spots: Vec::new(),
    });
    Found {
        id: None,
        kind: Some(anchor.kind.as_str().to_owned()),
        label: anchor.label.clone(),
        file: file.unwrap_or_else(RepoPath::root),
        context: 0,
        evidence: evidence.collect(),
        text: None,
    }
}
