//! The context in which a step is built.

use serde_json::{Map, Value};

use crate::Via;
use crate::document::StepDoc;
use crate::draft::{ScopeId, UnitId};
use crate::merge::{Compose, Merged};
use crate::placeholders::Names;

#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) source: u32,
    /// Prefix of step IDs, e.g. `retry.iter2.`.
    pub(super) prefix: &'a str,
    pub(super) scope: ScopeId,
    pub(super) via: &'a [Via],
    pub(super) around: &'a Around,
    /// The step that has the one being built among its `children`.
    pub(super) container: Option<UnitId>,
    pub(super) compose: &'a Compose,
    /// The positions of the rules being applied. A rule isn't applied inside its own result,
    /// because a pattern like `*` would match there again and again.
    pub(super) applied: &'a [(u32, u32)],
    /// The names of the expansions around the step, to detect an expansion that uses itself.
    pub(super) expansions: &'a [&'a str],
    pub(super) depth: usize,
}

/// Defaults from the unit around a step, i.e. from a loop or from the step that a template
/// replaces.
#[derive(Debug, Clone, Default)]
pub(super) struct Around {
    pub(super) labels: Vec<String>,
    pub(super) metadata: Map<String, Value>,
    pub(super) priority: Option<u8>,
    pub(super) assignee: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) review_only: bool,
    pub(super) interactive: bool,
    pub(super) parallel: Option<bool>,
    pub(super) kind: Option<String>,
    pub(super) notes: String,
    pub(super) undecided: Vec<String>,
}

impl Around {
    /// Adds the defaults of a whole formula. Its agent takes precedence over the one from outside,
    /// and the steps are review-only if either side says so.
    pub(super) fn within(self, formula: &Merged) -> Self {
        Self {
            agent: formula.agent.clone().or(self.agent),
            review_only: formula.review_only || self.review_only,
            ..self
        }
    }
}

impl Here<'_> {
    pub(super) fn around(&self, doc: &StepDoc) -> Around {
        let mut around = self.around.clone();
        around
            .labels
            .extend(doc.all_labels().map(|label| self.names.fill(label)));
        around.labels = deduplicated(around.labels);
        around
            .metadata
            .extend(self.names.fill_map(doc.metadata.as_ref()));
        around.priority = doc.priority.or(around.priority);
        let fill = |text: &Option<String>| text.as_deref().map(|text| self.names.fill(text));
        around.assignee = fill(&doc.assignee).or(around.assignee);
        around.agent = fill(&doc.agent).or(around.agent);
        around.review_only = doc.review_only.unwrap_or(around.review_only);
        around.interactive = doc.interactive.unwrap_or(around.interactive);
        around.parallel = doc.parallel.or(around.parallel);
        around.kind = fill(&doc.kind).or(around.kind);
        around.notes = both(&around.notes, fill(&doc.notes));
        around
    }
}

/// Joins the notes of the surrounding unit and the step's own notes as separate paragraphs.
pub(super) fn both(around: &str, own: Option<String>) -> String {
    match own.filter(|own| !own.is_empty()) {
        Some(own) if around.is_empty() => own,
        Some(own) => format!("{around}\n\n{own}"),
        None => around.to_owned(),
    }
}

pub(super) fn deduplicated(labels: Vec<String>) -> Vec<String> {
    let mut once = Vec::with_capacity(labels.len());
    for label in labels {
        if !once.contains(&label) {
            once.push(label);
        }
    }
    once
}
