//! Finds the anchors and runbooks used by a runbook's steps.
//!
//! We look at the document rather than a compiled plan, since this should also work for runbooks
//! with an unknown step kind or another error. Names that are computed at run time cannot be found
//! this way.

use std::collections::BTreeSet;
use std::fmt;

use windlass_plan::Document;

/// Step kind for selecting anchors.
pub const ANCHORS_STEP: &str = "anchors";

/// Step kind for running another runbook.
pub const RUNBOOK_STEP: &str = "runbook";

/// An anchor or a runbook used by an operation or a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Anchor(String),
    Runbook(String),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anchor(id) => write!(f, "anchor `{id}`"),
            Self::Runbook(id) => write!(f, "runbook `{id}`"),
        }
    }
}

pub(crate) fn anchors_named_by(text: &str) -> Vec<String> {
    let names = names_in("runbook", text.as_bytes()).into_iter();
    names
        .filter_map(|name| match name {
            Name::Anchor(id) => Some(id),
            Name::Runbook(_) => None,
        })
        .collect()
}

/// The anchors and runbooks used by a runbook's steps. If `text` cannot be parsed, the result is
/// empty.
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
