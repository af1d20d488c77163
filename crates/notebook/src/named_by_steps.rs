//! Finds the anchors and runbooks used by a runbook's steps.

use std::collections::BTreeSet;
use std::fmt;

use windlass_plan::Document;

/// Name of the step kind for selecting anchors.
pub const ANCHORS_STEP: &str = "anchors";

/// Name of the step kind for running another runbook.
pub const RUNBOOK_STEP: &str = "runbook";

/// An anchor or runbook used by an operation or a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Anchor(String),
    Runbook(String),
}

impl fmt::Display for Name {
    /// Formats the name with its type, for use in a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anchor(id) => write!(f, "anchor `{id}`"),
            Self::Runbook(id) => write!(f, "runbook `{id}`"),
        }
    }
}

/// Returns the anchors used by the steps of the runbook `text`.
pub(crate) fn anchors_named_by(text: &str) -> Vec<String> {
    let names = names_in("runbook", text.as_bytes()).into_iter();
    names
        .filter_map(|name| match name {
            Name::Anchor(id) => Some(id),
            Name::Runbook(_) => None,
        })
        .collect()
}

/// Returns the anchors and runbooks used by a runbook's steps, or none if the document can't be
/// parsed.
pub(crate) fn names_in(file: &str, text: &[u8]) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    let Ok(document) = Document::parse(file, text) else {
        return names;
    };
    let lists = ["steps", "finally"].into_iter();
    let steps = lists
        .filter_map(|list| document.value().get(list)?.as_array())
        .flatten();
    for step in steps {
        let with = step.get("with");
        match step.get("uses").and_then(|uses| uses.as_str()) {
            Some(ANCHORS_STEP) => {
                let ids = with.and_then(|with| with.get("ids")?.as_array());
                let ids = ids.into_iter().flatten().filter_map(|id| id.as_str());
                names.extend(ids.map(|id| Name::Anchor(id.to_owned())));
            }
            Some(RUNBOOK_STEP) => {
                let name = with.and_then(|with| with.get("name")?.as_str());
                names.extend(name.map(|name| Name::Runbook(name.to_owned())));
            }
            _ => {}
        }
    }
    names
}
