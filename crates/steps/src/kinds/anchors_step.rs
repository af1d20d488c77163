//! The `anchors` step selects saved anchors and verifies each one.
//!
//! If the step names anchors, it reports every name that it can't verify, so that a strict runbook
//! fails. If it selects anchors by kind or tag, anchors that aren't selected are no problem.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, Ident, Item, NextAction, RepoPath, did_you_mean, first_names};
use windlass_engine::{Caveat, ErrorKind, Step, StepError, StepOutput};
use windlass_notebook::{ANCHORS_STEP, Anchor, AnchorKind, Notebook, judge_all};
use windlass_notebook::{SharedAnchor, may_be_imported};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::Snapshot;

use super::built_in::BuiltIn;
use super::found_evidence::Found;
use super::kind_spec::{READS_FILES, kind};
use crate::first_anchors::{import, lacks_anchors, shared_anchors};
use crate::services::Services;

/// Selects saved anchors and verifies each one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Anchor names, in output order.
    #[serde(default)]
    ids: Vec<Ident>,
    /// Anchor kinds, in output order. A name in `ids` of another kind counts as unknown.
    #[serde(default)]
    kinds: Vec<AnchorKind>,
    /// Required tags: an anchor must have all of them. A name in `ids` without one of them counts
    /// as unknown.
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Anchors in the order of `ids`; else of `kinds`, and of saving; else by name.
    anchors: Vec<Found>,
    /// Number of fresh anchors.
    fresh: usize,
    /// Number of stale anchors.
    stale: usize,
    /// Names in `ids` that cannot be verified.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<UnknownAnchor>,
}

/// An anchor requested by name that cannot be verified.
#[derive(Debug, Serialize, JsonSchema)]
struct UnknownAnchor {
    /// The requested name.
    id: Ident,
    /// The reason.
    reason: String,
    /// The nearest known name.
    #[serde(skip_serializing_if = "Option::is_none")]
    did_you_mean: Option<Ident>,
    /// True if the anchor exists but is excluded by the input itself.
    #[serde(skip)]
    left_out: bool,
}

impl UnknownAnchor {
    fn new(id: &Ident, reason: impl Into<String>) -> Self {
        Self {
            id: id.clone(),
            reason: reason.into(),
            did_you_mean: None,
            left_out: false,
        }
    }
}

/// Maximum number of unknown anchors to name in a warning. The rest are only counted.
const MAX_NAMED: usize = 8;

pub(crate) const NAME: &str = ANCHORS_STEP;

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "select saved anchors and verify each one";
    kind::<Input, Output>(NAME, summary, Some("anchors"), READS_FILES)
        .worst_first()
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

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, cancel| {
        run(services, &input, cancel)
    })
}

/// Selects anchors for other step kinds. The form of `query` is the same as the input of an
/// `anchors` step.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] for an invalid `query`, and otherwise the same errors as an
/// `anchors` step.
pub fn take_anchors(
    services: &Services,
    query: &serde_json::Value,
    cancel: &Cancel,
) -> Result<StepOutput, StepError> {
    let input = Input::deserialize(query)
        .map_err(|error| StepError::invalid(format!("invalid query: {error}")))?;
    run(services, &input, cancel)
}

fn run(services: &Services, input: &Input, cancel: &Cancel) -> Result<StepOutput, StepError> {
    let notebook = services.notebook.get().map_err(StepError::failed)?;
    let (chosen, unknown) = choose(&notebook, input);
    let anchors: Vec<Found> = judge_all(&chosen, &services.snapshot, cancel, |_, item| found(item))
        .map_err(|error| StepError::new(ErrorKind::Cancelled, error.to_string()))?;
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
        unknown,
    };
    let mut caveat = caveat(&output.unknown);
    if lacks_anchors(&services.notebook) {
        // A warning about missing names says more, so keep it if there's one. But we don't need its
        // suggestion, since the run itself suggests how to save the first anchors.
        let caveat_of =
            caveat.unwrap_or_else(|| Caveat::from("no anchors are saved yet".to_owned()));
        caveat = Some(Caveat {
            next_action: None,
            ..caveat_of
        });
    }
    if let Some(found) = not_imported(&notebook, input, &services.snapshot) {
        caveat = Some(found);
    }
    let mut output = StepOutput::of(&output)?;
    output.caveat = caveat;
    if !services.notebook.is_enabled() {
        output.caveat = Some(Caveat::unproven(
            "the notebook is switched off, so no anchor can be verified",
        ));
    } else if input.ids.is_empty()
        && let Some(lost) = lost(&notebook)
    {
        output.caveat = Some(lost);
    }
    Ok(output)
}

fn not_imported(notebook: &Notebook, input: &Input, snapshot: &Snapshot) -> Option<Caveat> {
    let shared = match shared_anchors(snapshot) {
        Ok(shared) => shared?,
        Err(why) => return Some(Caveat::unproven(why)),
    };
    let new = notebook.not_imported(&shared);
    let new = new.filter(|anchor| may_be_imported(anchor, snapshot));
    let wanted = new.map(SharedAnchor::anchor).filter(|anchor| {
        let is_named = input.ids.is_empty() || input.ids.contains(&anchor.id);
        is_named && left_out(anchor, input).is_none()
    });
    let names: Vec<String> = wanted.map(|anchor| format!("`{}`", anchor.id)).collect();
    let what = match names.len() {
        0 => return None,
        1 => "anchor of the repository is",
        _ => "anchors of the repository are",
    };
    let text = format!(
        "{} {what} not in the notebook, and so not verified: {}",
        names.len(),
        first_names(&names, MAX_NAMED, ", ")
    );
    Some(Caveat {
        help: Some("`windlass notebook import` imports them".to_owned()),
        next_action: Some(import()),
        ..Caveat::unproven(text)
    })
}

fn choose<'a>(notebook: &'a Notebook, input: &Input) -> (Vec<&'a Anchor>, Vec<UnknownAnchor>) {
    let mut unknown = Vec::new();
    let mut chosen: Vec<&Anchor> = if input.ids.is_empty() {
        let mut all: Vec<&Anchor> = notebook.anchors().collect();
        match input.kinds.is_empty() {
            true => all.sort_by(|a, b| a.id.cmp(&b.id)),
            // `suggest` saves the best anchors first. The sort is stable and preserves this order
            // within each kind.
            false => all.sort_by_key(|anchor| input.kinds.iter().position(|it| *it == anchor.kind)),
        }
        all
    } else {
        let mut seen = BTreeSet::new();
        let mut named = Vec::new();
        for id in input.ids.iter().filter(|id| seen.insert(*id)) {
            match notebook.anchor(id.as_str()) {
                Ok(anchor) => named.push(anchor),
                Err(_) => unknown.push(UnknownAnchor {
                    did_you_mean: near(notebook, id),
                    ..UnknownAnchor::new(id, "it is not in the notebook")
                }),
            }
        }
        named
    };
    chosen.retain(|anchor| match left_out(anchor, input) {
        None => true,
        // The step names this anchor, so report that it's excluded. Otherwise, a strict runbook
        // would pass without having verified it.
        Some(reason) if !input.ids.is_empty() => {
            unknown.push(UnknownAnchor {
                left_out: true,
                ..UnknownAnchor::new(&anchor.id, reason)
            });
            false
        }
        Some(_) => false,
    });
    // An anchor without evidence leaves nothing to check, so it mustn't count as verified.
    let (chosen, bare): (Vec<_>, Vec<_>) = chosen
        .into_iter()
        .partition(|anchor| !anchor.evidence.is_empty());
    let bare = bare.into_iter();
    unknown.extend(bare.map(|anchor| UnknownAnchor::new(&anchor.id, "it has no evidence")));
    (chosen, unknown)
}

/// Anchors selected by the input of an `anchors` step.
#[derive(Debug)]
pub struct TakenAnchors(Input);

impl TakenAnchors {
    pub(crate) fn of(with: &Value) -> Option<Self> {
        Input::deserialize(with).ok().map(Self)
    }

    /// Returns true if the `ids`, `kinds` and `tags` select `anchor`. This doesn't check if the
    /// anchor is in the notebook.
    #[must_use]
    pub fn has(&self, anchor: &Anchor) -> bool {
        let Self(input) = self;
        let is_named = input.ids.is_empty() || input.ids.contains(&anchor.id);
        is_named && left_out(anchor, input).is_none()
    }
}

fn left_out(anchor: &Anchor, input: &Input) -> Option<String> {
    if !input.kinds.is_empty() && !input.kinds.contains(&anchor.kind) {
        let kind = anchor.kind.as_str();
        return Some(format!("its kind `{kind}` is not in `kinds`"));
    }
    let mut tags = input.tags.iter();
    let lacking = tags.find(|tag| !anchor.tags.contains(tag))?;
    Some(format!("it does not have the tag `{lacking}`"))
}

/// Warns about unreadable parts of the notebook. A step with `ids` doesn't need this warning,
/// because it reports missing names anyway.
fn lost(notebook: &Notebook) -> Option<Caveat> {
    let mut lost = notebook.lost();
    let first = lost.next()?;
    let more = match lost.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let text = format!("parts of the notebook cannot be used: {}{more}", first.what);
    let next = NextAction::new(
        "notebook show",
        "see the unusable entries and their remedies",
    );
    Some(Caveat {
        next_action: Some(next),
        ..Caveat::unproven(text)
    })
}

fn near(notebook: &Notebook, id: &Ident) -> Option<Ident> {
    let names = notebook.anchors().map(|anchor| anchor.id.as_str());
    Ident::parse(did_you_mean(id.as_str(), names)?).ok()
}

fn caveat(unknown: &[UnknownAnchor]) -> Option<Caveat> {
    let first = unknown.first()?;
    let name = |anchor: &UnknownAnchor| match &anchor.did_you_mean {
        Some(near) => format!(
            "`{}`: {} (did you mean `{near}`?)",
            anchor.id, anchor.reason
        ),
        None => format!("`{}`: {}", anchor.id, anchor.reason),
    };
    let names = first_names(unknown.iter().map(name), MAX_NAMED, ", ");
    let what = if unknown.len() == 1 {
        "anchor is"
    } else {
        "anchors are"
    };
    let text = format!("{} {what} unknown: {names}", unknown.len());
    let help = match first.left_out {
        true => "remove its name from `ids`, or extend `kinds` and `tags`".to_owned(),
        false => format!(
            "`windlass anchor add {} FILE:LINES --replace` saves it",
            first.id
        ),
    };
    let next = NextAction::new("anchor list", format!("see all anchors; {help}"));
    Some(Caveat {
        help: Some(help),
        next_action: Some(next),
        ..Caveat::unproven(text)
    })
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
