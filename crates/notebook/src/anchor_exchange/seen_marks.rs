//! Remembers the states that notebook and repository had in common.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text_mark::Mark;

/// Maximum number of marks per entry. We keep several, because other branches may still have one of
/// the older states. If a branch is further behind than that, its entry is reported as a conflict.
const MAX_MARKS: usize = 8;

/// The marks of states that both sides had in common, by entry and with the latest one last. A mark
/// is the digest of an entry's state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    anchors: BTreeMap<String, Vec<Mark>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    runbooks: BTreeMap<String, Vec<Mark>>,
}

impl Seen {
    /// True if nothing was ever exported or imported.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.anchors.is_empty() && self.runbooks.is_empty()
    }

    /// The marks of the anchor `id`, with the latest one last. The list is empty if the anchor was
    /// never shared.
    #[must_use]
    pub fn anchor(&self, id: &str) -> &[Mark] {
        self.anchors.get(id).map_or(&[], Vec::as_slice)
    }

    /// The marks of the runbook `id`, with the latest one last. The list is empty if the runbook
    /// was never shared.
    #[must_use]
    pub fn runbook(&self, id: &str) -> &[Mark] {
        self.runbooks.get(id).map_or(&[], Vec::as_slice)
    }

    /// Names of all anchors that were ever shared.
    pub fn anchors(&self) -> impl Iterator<Item = &str> {
        self.anchors.keys().map(String::as_str)
    }

    /// Records `mark` as the current state of the anchor `id` on both sides.
    pub fn note_anchor(&mut self, id: &str, mark: Mark) {
        note(&mut self.anchors, id, mark);
    }

    pub(crate) fn note_runbook(&mut self, id: &str, mark: Mark) {
        note(&mut self.runbooks, id, mark);
    }

    /// Adds the marks of `other` for the entries accepted by the two functions.
    pub(crate) fn unite(
        &mut self,
        other: &Self,
        wants_anchor: impl Fn(&str) -> bool,
        wants_runbook: impl Fn(&str) -> bool,
    ) {
        let unite = |own: &mut BTreeMap<String, Vec<Mark>>, id: &str, marks: &[Mark]| {
            for mark in marks {
                note(own, id, mark.clone());
            }
        };
        for (id, marks) in other.anchors.iter().filter(|(id, _)| wants_anchor(id)) {
            unite(&mut self.anchors, id, marks);
        }
        for (id, marks) in other.runbooks.iter().filter(|(id, _)| wants_runbook(id)) {
            unite(&mut self.runbooks, id, marks);
        }
    }

    /// Drops the marks of anchors rejected by `is_known`, because neither side has them any more.
    pub(crate) fn keep_anchors(&mut self, is_known: impl Fn(&str) -> bool) {
        self.anchors.retain(|id, _| is_known(id));
    }
}

fn note(marks: &mut BTreeMap<String, Vec<Mark>>, id: &str, mark: Mark) {
    if marks.get(id).and_then(|marks| marks.last()) == Some(&mark) {
        return;
    }
    let marks = marks.entry(id.to_owned()).or_default();
    // A state that comes back moves to the end, so that the last mark is always the current one.
    marks.retain(|known| *known != mark);
    marks.push(mark);
    let superfluous = marks.len().saturating_sub(MAX_MARKS);
    marks.drain(..superfluous);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_over_limit_oldest_dropped() {
        let mut seen = Seen::default();
        for text in ["a", "b", "a"] {
            seen.note_anchor("x", Mark::of(text));
        }
        assert_eq!(seen.anchor("x"), [Mark::of("b"), Mark::of("a")]);
        for at in 0..20 {
            seen.note_anchor("x", Mark::of(&at.to_string()));
        }
        assert_eq!(seen.anchor("x").len(), MAX_MARKS);
        assert_eq!(seen.anchor("x").last(), Some(&Mark::of("19")));
        assert!(seen.anchor("y").is_empty());
    }

    #[test]
    fn runbook_mark_ignores_line_endings() {
        assert_eq!(
            Mark::of_runbook("\u{feff}a\r\nb\r\n"),
            Mark::of_runbook("a\nb\n")
        );
        assert_ne!(Mark::of_runbook("a\nb"), Mark::of_runbook("a\nb\n"));
    }
}
