use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text_mark::Mark;

/// Maximum number of marks stored per entry. We need several to recognize the states on other
/// branches.
const MAX_MARKS: usize = 8;

/// Marks that the notebook and the repository once shared, by entry. A mark is a digest that
/// identifies a state of an entry, and the latest is last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    anchors: BTreeMap<String, Vec<Mark>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    runbooks: BTreeMap<String, Vec<Mark>>,
}

impl Seen {
    /// Returns true if no marks are recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.anchors.is_empty() && self.runbooks.is_empty()
    }

    /// Returns the marks of the anchor `id`, latest last.
    #[must_use]
    pub fn anchor(&self, id: &str) -> &[Mark] {
        self.anchors.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns the marks of the runbook `id`, latest last.
    #[must_use]
    pub fn runbook(&self, id: &str) -> &[Mark] {
        self.runbooks.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns the names of all anchors with marks.
    pub fn anchors(&self) -> impl Iterator<Item = &str> {
        self.anchors.keys().map(String::as_str)
    }

    /// Records that both sides have the anchor `id` in the state `mark`.
    pub fn note_anchor(&mut self, id: &str, mark: Mark) {
        note(&mut self.anchors, id, mark);
    }

    /// Records that both sides have the runbook `id` in the state `mark`.
    pub(crate) fn note_runbook(&mut self, id: &str, mark: Mark) {
        note(&mut self.runbooks, id, mark);
    }

    /// Adds the marks from `other` for entries accepted by the two functions.
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

    /// Drops marks of anchors rejected by `is_known`, because neither side has them any more.
    pub(crate) fn keep_anchors(&mut self, is_known: impl Fn(&str) -> bool) {
        self.anchors.retain(|id, _| is_known(id));
    }
}

fn note(marks: &mut BTreeMap<String, Vec<Mark>>, id: &str, mark: Mark) {
    if marks.get(id).and_then(|marks| marks.last()) == Some(&mark) {
        return;
    }
    let marks = marks.entry(id.to_owned()).or_default();
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
