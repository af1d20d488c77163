//! Next actions: calls that can be made as printed.

use windlass_base::{Entry, Ident, Item, NextAction};

use crate::{Pack, PackSection, Rank, SectionStatus};

/// The most ids one call names.
const MAX_IDS: usize = 8;

/// Returns the actions that the state of `pack` requires, the most urgent first: failures, missing files, then the states of
/// anchors. `call` is the runbook and the inputs of the run as `NAME=VALUE`; without it, failures give no
/// actions. The view adds the action to continue a cut section.
#[must_use]
pub fn next_actions(pack: &Pack, call: Option<(&str, &[String])>) -> Vec<NextAction> {
    let failed = call.and_then(|call| failure(&pack.sections, call));
    let mut named: Vec<NextAction> = Vec::new();
    for action in pack
        .sections
        .iter()
        .filter_map(|section| section.next_action.as_ref())
    {
        // Several sections may call for the same.
        if !named.contains(action) {
            named.push(action.clone());
        }
    }
    failed
        .into_iter()
        .chain(named)
        .chain(pack_anchor_actions(&pack.sections))
        .collect()
}

/// Returns the action for the first failed section.
fn failure(sections: &[PackSection], (call, inputs): (&str, &[String])) -> Option<NextAction> {
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

/// Returns the calls that the evidence of the anchors in `sections` suggests.
#[must_use]
pub fn pack_anchor_actions(sections: &[PackSection]) -> Vec<NextAction> {
    let ranks = |item: &Item| -> Vec<Rank> {
        let evidence = item.evidence.iter();
        evidence.map(|one| Rank::of(&one.judgement)).collect()
    };
    anchor_actions(
        anchors(sections).map(|item| (item.id.as_deref().unwrap_or_default(), ranks(item))),
    )
}

/// Returns the calls that the states of anchors suggest, each anchor given with the states of its evidence. A state
/// suggests the same calls in every output.
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

/// Advice on anchors whose evidence is in certain states.
struct Advice {
    is_for: fn(&[Rank]) -> bool,
    command: &'static str,
    reason: &'static str,
    /// True to accept edited text.
    edited: bool,
    /// True if the command without ids applies to exactly these anchors.
    is_all: bool,
}

/// Advice by state, the most urgent first.
const ADVICE: [Advice; 4] = [
    Advice {
        is_for: |ranks| ranks.contains(&Rank::Moved),
        command: "anchor repair",
        reason: "point anchors to the new location of their text",
        edited: false,
        is_all: true,
    },
    Advice {
        is_for: |ranks| !is_gone(ranks) && ranks.iter().any(|rank| *rank < Rank::Moved),
        command: "anchor show",
        reason: "see what became of the text",
        edited: false,
        is_all: false,
    },
    Advice {
        is_for: |ranks| ranks.contains(&Rank::Edited),
        command: "anchor repair",
        reason: "accept what was edited, after a review",
        edited: true,
        is_all: false,
    },
    // Only proven loss suggests removal: a missing file may have another name.
    Advice {
        is_for: is_gone,
        command: "anchor remove",
        reason: "remove what is gone, unless it is still needed",
        edited: false,
        is_all: false,
    },
];

/// True if nothing of an anchor is left.
fn is_gone(ranks: &[Rank]) -> bool {
    !ranks.is_empty() && ranks.iter().all(|rank| *rank == Rank::Gone)
}

impl Advice {
    fn call(&self, ids: &[&str]) -> Option<NextAction> {
        let named = match ids.len() {
            0 => return None,
            count if count > MAX_IDS && self.is_all => 0,
            count => count.min(MAX_IDS),
        };
        let action = NextAction::new(self.command, self.reason);
        let ids = ids.iter().take(named);
        let action = ids.fold(action, |action, id| action.positional(*id));
        Some(match self.edited {
            true => action.option("edited", true),
            false => action,
        })
    }
}

/// Returns the items with an anchor id. Other text could not name an anchor, and might not be safe to paste.
fn anchors(sections: &[PackSection]) -> impl Iterator<Item = &Item> {
    sections
        .iter()
        .flat_map(|section| &section.entries)
        .filter_map(|entry| match entry {
            Entry::Item(item)
                if item
                    .id
                    .as_deref()
                    .is_some_and(|id| Ident::parse(id).is_ok()) =>
            {
                Some(item)
            }
            _ => None,
        })
}

#[cfg(test)]
mod tests {
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
    fn many_moved_anchors_are_repaired_at_once() {
        let names: Vec<String> = (0..20).map(|nr| format!("a{nr}")).collect();
        let moved = |name| (name, vec![Rank::Moved]);
        let actions = anchor_actions(names.iter().map(|name| moved(name.as_str())));
        assert_eq!(actions[0].command_line(), "windlass anchor repair");
        // `--edited` without ids would accept more than what was reviewed.
        let edited = |name| (name, vec![Rank::Edited]);
        let actions = anchor_actions(names.iter().map(|name| edited(name.as_str())));
        let call = actions[1].command_line();
        assert!(call.starts_with("windlass anchor repair a0 a1 "), "{call}");
    }
}
