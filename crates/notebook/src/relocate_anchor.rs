//! Replaces the locations of an anchor's evidence.

use windlass_base::Ident;

use crate::{Anchor, AnchorEvidence, AnchorFreshness, NotebookError, Relocation};

/// Maximum number of former locations of an anchor. If there are more, we drop the oldest ones,
/// which are the least likely to be checked out again.
const MAX_KEPT: usize = 8;

/// The new locations of an anchor's evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Relocate {
    /// Name of the anchor to change.
    pub id: Ident,
    /// The moves, each with the evidence captured at the new location.
    pub places: Vec<(Relocation, AnchorEvidence)>,
    /// State of the repository at the new locations.
    pub freshness: AnchorFreshness,
    /// True if the locator also describes the new locations.
    pub keeps_locator: bool,
}

impl Relocate {
    /// The anchor with its locations replaced and nothing else changed.
    ///
    /// We match evidence against this anchor when we look for unknown fields. Moved evidence would
    /// otherwise look like new evidence, and lose its unknown fields.
    pub(crate) fn at_new_places(&self, mut anchor: Anchor) -> Anchor {
        for (relocation, captured) in &self.places {
            let mut evidence = anchor.evidence.iter_mut();
            let moved = evidence.find(|one| one.pointer().as_ref() == Some(&relocation.from));
            if let Some(moved) = moved {
                moved.clone_from(captured);
            }
        }
        anchor
    }

    /// Moves the anchor to its new locations, and adds the old ones to its history.
    ///
    /// # Errors
    /// Returns an error if evidence is no longer at the location to replace.
    pub(crate) fn finish(self, mut anchor: Anchor) -> Result<Anchor, NotebookError> {
        // A capture without a commit refers to the anchor's commit. That one is about to change, so
        // evidence that doesn't move has to keep a copy of it.
        let head = anchor.freshness.take().and_then(|before| before.git_head);
        for capture in anchor
            .evidence
            .iter_mut()
            .filter_map(|one| one.capture.as_mut())
        {
            capture.commit = capture.commit.take().or_else(|| head.clone());
        }
        for (relocation, captured) in self.places {
            let is_it = |one: &AnchorEvidence| one.pointer().as_ref() == Some(&relocation.from);
            let Some(at) = anchor.evidence.iter().position(is_it) else {
                return Err(NotebookError::GroundedElsewhere {
                    id: self.id,
                    place: relocation.from.to_string(),
                });
            };
            let before = std::mem::replace(&mut anchor.evidence[at], captured);
            anchor.relocations.push(Relocation {
                capture: before.capture,
                ..relocation
            });
        }
        let superfluous = anchor.relocations.len().saturating_sub(MAX_KEPT);
        anchor.relocations.drain(..superfluous);
        anchor.freshness = Some(self.freshness);
        anchor.locator = anchor.locator.filter(|_| self.keeps_locator);
        Ok(anchor)
    }
}

#[cfg(test)]
mod tests {
    use windlass_base::{LineSpan, Pointer, Repair, RepairOutcome, RepoPath};

    use super::*;

    fn pointer(line: u32) -> Pointer {
        Pointer {
            file: RepoPath::parse("a.rs").unwrap(),
            span: LineSpan::new(line, line).unwrap(),
            source_hash: None,
        }
    }

    fn anchor(lines: &[u32]) -> Anchor {
        let capture = serde_json::json!({ "copies_in_file": 1, "line_ending": "lf" });
        let evidence = |line: &u32| serde_json::json!({ "file": "a.rs", "start_line": line, "end_line": line, "capture": capture });
        serde_json::from_value(serde_json::json!({
            "id": "a", "label": "a", "evidence": lines.iter().map(evidence).collect::<Vec<_>>(),
            "freshness": { "git_head": "old" }, "locator": { "kind": "symbol", "value": "f" },
        }))
        .unwrap()
    }

    fn relocate(moves: &[(u32, u32)]) -> Relocate {
        let place = |(from, to): &(u32, u32)| {
            let repair = Repair {
                outcome: RepairOutcome::Moved,
                evidence: Some(pointer(*to)),
                ..Repair::unproven()
            };
            let relocation = Relocation {
                from: pointer(*from),
                repair,
                at: None,
                capture: None,
            };
            (relocation, anchor(&[*to]).evidence.remove(0))
        };
        Relocate {
            id: Ident::parse("a").unwrap(),
            places: moves.iter().map(place).collect(),
            freshness: AnchorFreshness {
                captured_at: None,
                git_head: Some("new".to_owned()),
            },
            keeps_locator: true,
        }
    }

    #[test]
    fn relocate_unmoved_keeps_commit() {
        let moved = relocate(&[(3, 30)]).finish(anchor(&[1, 3])).unwrap();
        let places: Vec<u32> = moved.evidence.iter().map(|one| one.start_line).collect();
        assert_eq!(places, [1, 30]);
        let commits = moved
            .evidence
            .iter()
            .map(|one| one.capture.as_ref()?.commit.as_deref());
        assert_eq!(commits.collect::<Vec<_>>(), [Some("old"), None]);
        assert_eq!(moved.freshness.unwrap().git_head.as_deref(), Some("new"));
        assert_eq!(moved.relocations.len(), 1);
        // If someone checks out the old state of the files, the old capture applies again.
        let earlier = moved.relocations[0].capture.as_ref().unwrap();
        assert_eq!(earlier.commit.as_deref(), Some("old"));
        assert!(moved.locator.is_some());
    }

    #[test]
    fn relocate_place_gone_refused() {
        let error = relocate(&[(3, 30), (4, 40)])
            .finish(anchor(&[1, 3]))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "anchor `a` no longer points to a.rs:4: it changed meanwhile; run the command again"
        );
    }

    #[test]
    fn relocations_over_limit_oldest_go() {
        let mut moved = anchor(&[1]);
        for line in 1..=20 {
            moved = relocate(&[(line, line + 1)]).finish(moved).unwrap();
        }
        let from: Vec<u32> = moved
            .relocations
            .iter()
            .map(|one| one.from.span.start())
            .collect();
        assert_eq!(from, (13..=20).collect::<Vec<_>>());
    }
}
