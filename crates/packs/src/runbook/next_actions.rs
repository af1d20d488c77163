//! Suggests calls that can be made exactly as printed.
//!
//! A call may be pasted into a shell or made by an agent without any review. So if it changes
//! anchors, it names them instead of applying to all, and an ID that is not valid is never part of
//! it.

use windlass_base::{Entry, Ident, Item, NextAction};

use crate::{Pack, PackSection, Rank, SectionStatus};

/// Maximum number of IDs named in a single call, so that the reader can still take in the command.
const MAX_IDS: usize = 8;

/// Suggests actions for a pack. Failures come first, then the actions that sections ask for, and
/// finally those for the states of anchors.
///
/// `call` is the runbook, with the run's inputs as `NAME=VALUE`. Without it, there is nothing to
/// suggest about failures. `is_anchor` distinguishes anchors from other items with an ID, such as
/// memory records.
///
/// The call that continues a cut section is not among these. It is added by the view.
#[must_use]
pub fn next_actions(
    pack: &Pack,
    call: Option<(&str, &[String])>,
    is_anchor: impl Fn(&Item) -> bool,
) -> Vec<NextAction> {
    let ranks = |item: &Item| -> Vec<Rank> {
        let evidence = item.evidence.iter();
        evidence.map(|one| Rank::of(&one.judgement)).collect()
    };
    let anchors = anchors(&pack.sections, is_anchor).map(|(id, item)| (id, ranks(item)));
    let failed = call.and_then(|call| failure(&pack.sections, call));
    let mut named: Vec<NextAction> = Vec::new();
    for action in pack
        .sections
        .iter()
        .filter_map(|section| section.next_action.as_ref())
    {
        // Several sections may ask for the same action.
        if !named.contains(action) {
            named.push(action.clone());
        }
    }
    failed
        .into_iter()
        .chain(named)
        .chain(anchor_actions(anchors))
        .collect()
}

fn failure(sections: &[PackSection], (call, inputs): (&str, &[String])) -> Option<NextAction> {
    // If a section was refused, trusting the programs comes before anything else. A section with an
    // action of its own was refused for another reason, and asks for that.
    let mut refused = sections.iter().filter(|section| section.refused);
    let is_open = |section: &&PackSection| section.next_action.is_none();
    if let Some(section) = refused.clone().find(is_open) {
        let reason = format!(
            "review the programs of the runbook: step `{}` may not start programs yet",
            section.step
        );
        let look = NextAction::new("trust", reason).positional(call);
        return Some(look.option("dry_run", true));
    }
    if refused.next().is_some() {
        return None;
    }
    let section = sections
        .iter()
        .find(|section| section.status == SectionStatus::Failed)?;
    let reason = format!(
        "explain step `{}` of section `{}`",
        section.step, section.id
    );
    let plan = NextAction::new("plan", reason)
        .positional(call)
        .option("explain", true);
    Some(if inputs.is_empty() {
        plan
    } else {
        plan.option("input", inputs)
    })
}

/// Suggests calls for anchors, given their IDs and the states of their evidence. All outputs use
/// this, so that they agree with each other.
#[must_use]
pub fn anchor_actions<'a>(
    anchors: impl IntoIterator<Item = (&'a str, Vec<Rank>)>,
) -> Vec<NextAction> {
    let mut ids: [Vec<&str>; ADVICE.len()] = Default::default();
    for (id, ranks) in anchors {
        for (advice, ids) in ADVICE.iter().zip(&mut ids) {
            if (advice.is_for)(&ranks) && !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let calls = ADVICE.iter().zip(&ids);
    calls.filter_map(|(advice, ids)| advice.call(ids)).collect()
}

struct Advice {
    is_for: fn(&[Rank]) -> bool,
    command: &'static str,
    reason: &'static str,
    /// True if the call accepts edited text.
    edited: bool,
    /// The effect of the call without IDs. This is `None` if it must never be made that way,
    /// because it would affect anchors that are not in the output.
    without_ids: Option<&'static str>,
}

/// All suggestions, with the most urgent one first.
const ADVICE: [Advice; 4] = [
    Advice {
        is_for: |ranks| ranks.contains(&Rank::Moved),
        command: "anchor repair",
        reason: "point anchors to the new location of their text",
        edited: false,
        without_ids: Some("repairs every moved anchor"),
    },
    Advice {
        is_for: |ranks| !is_gone(ranks) && ranks.iter().any(|rank| *rank < Rank::Moved),
        command: "anchor show",
        reason: "see the current text",
        edited: false,
        without_ids: None,
    },
    Advice {
        is_for: |ranks| ranks.contains(&Rank::Edited),
        command: "anchor repair",
        reason: "accept the edited text after a review",
        edited: true,
        without_ids: None,
    },
    // Only suggest to remove an anchor if its text is proven to be gone. A missing file may just
    // have been renamed.
    Advice {
        is_for: is_gone,
        command: "anchor remove",
        reason: "remove the deleted evidence, unless it is still needed",
        edited: false,
        without_ids: None,
    },
];

fn is_gone(ranks: &[Rank]) -> bool {
    !ranks.is_empty() && ranks.iter().all(|rank| *rank == Rank::Gone)
}

impl Advice {
    /// The call for the first [`MAX_IDS`] anchors. Returns `None` if there are not any.
    fn call(&self, ids: &[&str]) -> Option<NextAction> {
        if ids.is_empty() {
            return None;
        }
        let action = NextAction::new(self.command, self.reason_for(ids.len()));
        let named = ids.iter().take(MAX_IDS);
        let action = named.fold(action, |action, id| action.positional(*id));
        Some(match self.edited {
            true => action.option("edited", true),
            false => action,
        })
    }

    /// The reason, including the number of anchors if the call does not name all of them.
    fn reason_for(&self, count: usize) -> String {
        let reason = self.reason;
        match self.without_ids {
            _ if count <= MAX_IDS => reason.to_owned(),
            None => format!("{reason} ({MAX_IDS} of {count})"),
            Some(effect) => {
                format!("{reason} ({MAX_IDS} of {count}; without ids, the command {effect})")
            }
        }
    }
}

/// Finds the anchors in `sections`. Items without a valid ID cannot be anchors, so they are
/// skipped. Their IDs might not be safe to paste, either.
fn anchors(
    sections: &[PackSection],
    is_anchor: impl Fn(&Item) -> bool,
) -> impl Iterator<Item = (&str, &Item)> {
    let entries = sections.iter().flat_map(|section| &section.entries);
    entries.filter_map(move |entry| {
        let Entry::Item(item) = entry else {
            return None;
        };
        let id = item.id.as_deref().filter(|id| Ident::parse(id).is_ok())?;
        is_anchor(item).then_some((id, item))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn advice(anchors: &[(&str, &[Rank])]) -> Vec<String> {
        let anchors = anchors.iter().map(|(id, ranks)| (*id, ranks.to_vec()));
        let actions = anchor_actions(anchors).into_iter();
        actions.map(|action| action.command_line()).collect()
    }

    #[test]
    fn each_anchor_state_has_its_advice() {
        for (state, wanted) in [
            (Rank::Fresh, &[][..]),
            (Rank::Moved, &["windlass anchor repair a"]),
            (
                Rank::Edited,
                &[
                    "windlass anchor show a",
                    "windlass anchor repair a --edited",
                ],
            ),
            (Rank::Gone, &["windlass anchor remove a"]),
            (Rank::Missing, &["windlass anchor show a"]),
            (Rank::Stale, &["windlass anchor show a"]),
            (Rank::Unknown, &["windlass anchor show a"]),
        ] {
            assert_eq!(advice(&[("a", &[state])]), wanted, "{state:?}");
        }
    }

    #[test]
    fn partly_gone_anchor_is_not_removed() {
        let anchors: &[(&str, &[Rank])] = &[("a", &[Rank::Gone, Rank::Moved])];
        let wanted = ["windlass anchor repair a", "windlass anchor show a"];
        assert_eq!(advice(anchors), wanted);
    }

    #[test]
    fn first_of_many_anchors_are_named() {
        let names: Vec<String> = (0..20).map(|nr| format!("a{nr}")).collect();
        let named = " a0 a1 a2 a3 a4 a5 a6 a7";
        let of = |rank: Rank| anchor_actions(names.iter().map(|name| (name.as_str(), vec![rank])));
        // Without IDs, the call would also repair anchors that aren't in the output.
        let moved = &of(Rank::Moved)[0];
        let call = format!("windlass anchor repair{named}");
        assert_eq!(moved.command_line(), call);
        let effect = "(8 of 20; without ids, the command repairs every moved anchor)";
        assert!(moved.reason.ends_with(effect), "{}", moved.reason);
        // Without IDs, `--edited` would accept edits that nobody has reviewed.
        let edited = &of(Rank::Edited)[1];
        assert_eq!(edited.command_line(), format!("{call} --edited"));
        assert!(edited.reason.ends_with("(8 of 20)"), "{}", edited.reason);
    }

    #[test]
    fn other_items_with_ids_are_no_anchors() {
        let item =
            |id: &str, kind: &str| json!({"type": "item", "id": id, "kind": kind, "evidence": []});
        let section = json!({
            "id": "s", "title": "S", "step": "s", "status": "stale", "limit": 9,
            "entries": [item("a", "contract"), item("b", "decision"), item("$(c)", "contract")],
        });
        let sections: [PackSection; 1] = [serde_json::from_value(section).unwrap()];
        let is_anchor = |item: &Item| item.kind.as_deref() == Some("contract");
        let ids: Vec<&str> = anchors(&sections, is_anchor).map(|(id, _)| id).collect();
        assert_eq!(ids, ["a"], "a record, and a text that is no id");
    }
}
