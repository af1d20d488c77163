use std::collections::BTreeSet;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{Ident, Item, RepoPath};
use windlass_engine::{Call, ErrorKind, Step, StepError, StepFuture, StepOutput};
use windlass_notebook::{Anchor, AnchorKind, Notebook, judge_all};
use windlass_plan::{InputWords, KindSpec, WrittenInput};

use crate::Services;
use crate::found::Found;
use crate::spec::{READS_FILES, kind};

/// Takes saved anchors and says of each whether it still stands.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The anchors with these names, in this order.
    #[serde(default)]
    ids: Vec<Ident>,
    /// Only anchors of these kinds.
    #[serde(default)]
    kinds: Vec<AnchorKind>,
    /// Only anchors that have all of these tags.
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// In the order of `ids`, else sorted by name.
    anchors: Vec<Found>,
    /// How many of them stand where they were captured.
    fresh: usize,
    /// How many do not.
    stale: usize,
}

pub(crate) const NAME: &str = "anchors";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "take saved anchors and say of each whether it still stands";
    kind::<Input, Output>(NAME, summary, Some("anchors"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse_items::<Ident>("/ids");
}

fn explain(input: &InputWords) -> Vec<String> {
    let which = match input.field("ids") {
        Some(ids) => format!("the saved anchors {ids}"),
        None => "all saved anchors".to_owned(),
    };
    let kinds = input.phrase(" of the kinds ", "kinds");
    let tags = input.phrase(" with the tags ", "tags");
    vec![
        format!("takes {which}{kinds}{tags} from the notebook"),
        "reads the files they point to, and compares the hashes of their lines".to_owned(),
    ]
}

pub(crate) struct Anchors {
    services: Services,
}

impl Anchors {
    pub(crate) fn new(services: &Services) -> Self {
        Self {
            services: services.clone(),
        }
    }
}

impl Step for Anchors {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> &KindSpec {
        &SPEC
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let input: Input = call.input()?;
            let (services, stop) = (self.services.clone(), call.stop.clone());
            call.blocking(move || {
                let notebook = services.notebook.get().map_err(StepError::failed)?;
                let chosen = choose(&notebook, &input)?;
                let items = judge_all(&chosen, &services.snapshot, stop.flag())
                    .map_err(|error| StepError::new(ErrorKind::Cancelled, error.to_string()))?;
                let anchors: Vec<Found> = items.into_iter().map(found).collect();
                let is_fresh = |found: &&Found| {
                    !found.evidence.is_empty()
                        && found
                            .evidence
                            .iter()
                            .all(|evidence| evidence.judgement.is_fresh())
                };
                let fresh = anchors.iter().filter(is_fresh).count();
                let output = Output {
                    fresh,
                    stale: anchors.len() - fresh,
                    anchors,
                };
                let mut output = StepOutput::of(&output)?;
                if !services.notebook.is_enabled() {
                    output
                        .notes
                        .push("the notebook is switched off (`WINDLASS_NOTEBOOK=off`)".to_owned());
                } else if notebook.anchors().len() == 0 {
                    output.notes.push(
                        "no anchors are saved yet; `windlass anchor add` saves one".to_owned(),
                    );
                }
                Ok(output)
            })
            .await
        })
    }
}

fn choose<'a>(notebook: &'a Notebook, input: &Input) -> Result<Vec<&'a Anchor>, StepError> {
    let mut chosen: Vec<&Anchor> = if input.ids.is_empty() {
        let mut all: Vec<&Anchor> = notebook.anchors().collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    } else {
        let mut seen = BTreeSet::new();
        let named = input.ids.iter().filter(|id| seen.insert(*id)).map(|id| {
            notebook.anchor(id.as_str()).map_err(|error| {
                StepError::failed(error.to_string())
                    .help("`windlass anchor list` names those there are")
            })
        });
        named.collect::<Result<_, _>>()?
    };
    chosen.retain(|anchor| input.kinds.is_empty() || input.kinds.contains(&anchor.kind));
    chosen.retain(|anchor| input.tags.iter().all(|tag| anchor.tags.contains(tag)));
    match chosen.iter().find(|anchor| anchor.evidence.is_empty()) {
        Some(anchor) => Err(
            StepError::failed(format!("anchor `{}` has no evidence", anchor.id)).help(
                "remove it, or capture it again: `windlass anchor add ID FILE:LINES --replace`",
            ),
        ),
        None => Ok(chosen),
    }
}

fn found(item: Item) -> Found {
    let first = item.evidence.first();
    Found {
        file: first.map_or_else(RepoPath::root, |evidence| evidence.pointer.file.clone()),
        id: item.id,
        kind: item.kind,
        label: item.label,
        context: item.context,
        evidence: item.evidence,
        text: None,
    }
}
