//! Checks the relations between playbook entries: replacements and duplicates.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Diagnostic, Place, first_names};
use windlass_tron::Value;

use super::arrows::Arrows;
use super::event_log::EventLog;
use super::findings::Findings;
use crate::playbook::{Entry, Event, fold};
use crate::{Node, PlaybookStatus};

/// Maximum number of entries shown for a cycle.
const SHOWN: usize = 12;
/// Maximum number of replacements to follow from one entry. They may form a cycle.
const STEPS: usize = 64;

/// Checks relations both in the events and in the entries that result from them.
pub(super) struct EntryRelations<'c, 'd> {
    log: &'c EventLog<'d>,
    items: &'d [Value<'static>],
    found: &'c mut Findings,
}

impl<'c, 'd> EntryRelations<'c, 'd> {
    pub(super) fn new(
        log: &'c EventLog<'d>,
        items: &'d [Value<'static>],
        found: &'c mut Findings,
    ) -> Self {
        Self { log, items, found }
    }

    pub(super) fn check(mut self) {
        let mut are_any = false;
        for event in self.log.threads.events.values() {
            are_any |= self.names_of(event);
        }
        // Most playbooks have no relations. Don't compute the entries for those.
        if !are_any {
            return;
        }
        let folded = fold(self.items).entries;
        let replaced = folded.iter().flat_map(|entry| {
            let own = entry.target_id.as_str();
            let by = entry.text("supersededBy").map(|by| (own, by));
            let old = supersedes(entry).into_iter().map(move |old| (old, own));
            by.into_iter().chain(old)
        });
        self.circles(replaced, "supersedes-cycle", "replace each other");
        let duplicates = folded
            .iter()
            .filter_map(|entry| Some((entry.target_id.as_str(), entry.text("duplicateOf")?)));
        self.circles(
            duplicates,
            "duplicate-cycle",
            "are duplicates of each other",
        );
        let entries: Entries<'_> = folded
            .iter()
            .map(|entry| (entry.target_id.as_str(), entry))
            .collect();
        for entry in &folded {
            self.both_sides(entry, &entries);
            if entry.status == PlaybookStatus::Active {
                self.still_active(entry);
            }
        }
    }

    /// Checks the entries that an event names. Returns true if there are any.
    fn names_of(&mut self, event: &Event<'d>) -> bool {
        let Some(node) = self.log.nodes.get(event.at).copied() else {
            return false;
        };
        let targets = &self.log.threads.targets;
        let mut are_any = false;
        for (name, other) in named(node) {
            are_any = true;
            let Some(target) = other.text() else {
                continue;
            };
            if target == event.target {
                let message = format!("`{name}` names the entry itself");
                let finding = Diagnostic::error("relation-to-itself", message).at(other.place());
                self.found.push(finding.help("name another entry"));
            } else if !targets.contains_key(target) {
                let near = self
                    .found
                    .near(target, targets.len(), targets.keys().copied());
                let help = near.map_or_else(
                    || "use the `targetId` of an entry".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("unknown entry `{target}`");
                let finding = Diagnostic::warning("unknown-entry", message).at(other.place());
                self.found.push(finding.help(help));
            }
        }
        are_any
    }

    /// The location of the last event that states a relation from `target` to `other`.
    fn place_of_relation(&self, target: &str, other: &str) -> Option<Place> {
        // Looking for it takes a while, and the finding won't be shown anymore.
        if self.found.is_full() {
            return None;
        }
        let mut thread = self.log.threads.thread(target);
        thread.sort_by_key(Event::rank);
        thread.iter().rev().find_map(|event| {
            let node = self.log.nodes.get(event.at).copied()?;
            let found = named(node).find(|(_, named)| named.text() == Some(other));
            found.map(|(_, named)| named.place())
        })
    }

    fn circles<'e>(
        &mut self,
        relations: impl Iterator<Item = (&'e str, &'e str)>,
        rule: &'static str,
        what: &str,
    ) {
        let all: BTreeSet<(&str, &str)> = relations.collect();
        // `names_of` has reported relations of an entry to itself.
        let others = all.iter().copied().filter(|(from, to)| from != to);
        for names in others.collect::<Arrows<&str>>().knots() {
            let is_within = |name: &str| names.binary_search(&name).is_ok();
            let inside = all
                .iter()
                .filter(|(from, to)| is_within(from) && is_within(to));
            // The relation may be stated on either side.
            let place_of_relation = |(from, to): &(&str, &str)| {
                self.place_of_relation(from, to)
                    .or_else(|| self.place_of_relation(to, from))
            };
            let mut places: Vec<Place> = inside.take(SHOWN).filter_map(place_of_relation).collect();
            places.sort_by_key(|place| place.range.start);
            let shown = names.iter().map(|name| format!("`{name}`"));
            let shown = first_names(shown, SHOWN, " and ");
            let message = format!("the entries {shown} {what}");
            let mut finding =
                Diagnostic::error(rule, message).help("remove the relation from one of them");
            let mut places = places.into_iter();
            finding.place = places.next();
            for place in places {
                finding = finding.see(place, "and here");
            }
            self.found.push(finding);
        }
    }

    /// Checks a relation between two entries, which may be stated on either side.
    ///
    /// One side is enough, as long as the replaced entry is inactive.
    fn both_sides(&mut self, entry: &Entry, entries: &Entries<'_>) {
        let own = entry.target_id.as_str();
        for name in supersedes(entry) {
            let Some(old) = entries.get(name).filter(|_| name != own) else {
                continue;
            };
            match old.text("supersededBy") {
                None if old.status == PlaybookStatus::Active => {
                    let message = format!("`{own}` replaces `{name}`, which is still active");
                    let finding = Diagnostic::warning("superseded-active", message);
                    self.report_active(finding, (own, name), name);
                }
                // `own` may itself have been replaced by `by`, in which case both are right.
                Some(by) if by != own && !leads_to(own, by, entries) => {
                    let message = format!(
                        "`{own}` replaces `{name}`, but that is marked as replaced by `{by}`"
                    );
                    let finding = Diagnostic::warning("relation-mismatch", message);
                    let finding = finding.help("correct one of the two, by an `update`");
                    let place = self.place_of_relation(own, name);
                    self.found.at(place, finding);
                }
                _ => {}
            }
        }
    }

    /// Reports an active entry that was replaced or is a duplicate.
    fn still_active(&mut self, entry: &Entry) {
        let own = entry.target_id.as_str();
        if let Some(by) = entry.text("supersededBy").filter(|by| *by != own) {
            let message = format!("it was replaced by `{by}`, but is still active");
            let finding = Diagnostic::warning("superseded-active", message);
            self.report_active(finding, (own, by), own);
        }
        if let Some(of) = entry.text("duplicateOf").filter(|of| *of != own) {
            let message = format!("it is a duplicate of `{of}`, but is still active");
            let finding = Diagnostic::warning("active-duplicate", message);
            self.report_active(finding, (own, of), own);
        }
    }

    /// Reports the relation from `sayer` to `of`.
    ///
    /// Because of it, the entry `old` should be deprecated.
    fn report_active(&mut self, finding: Diagnostic, (sayer, of): (&str, &str), old: &str) {
        let help = format!(
            "deprecate `{old}` with `windlass doc playbook deprecate`, or remove the relation"
        );
        let place = self.place_of_relation(sayer, of);
        self.found.at(place, finding.help(help));
    }
}

/// The current entries by name.
type Entries<'e> = BTreeMap<&'e str, &'e Entry>;

/// The entries that an event names, each with the field that does so.
fn named<'d>(node: Node<'d>) -> impl Iterator<Item = (&'static str, Node<'d>)> {
    let single = ["supersededBy", "duplicateOf"]
        .into_iter()
        .filter_map(move |name| Some((name, node.get(name)?)));
    let many = node.items_of("supersedes").map(|node| ("supersedes", node));
    single.chain(many)
}

fn supersedes(entry: &Entry) -> Vec<&str> {
    let list = entry.fields.get("supersedes").and_then(Value::as_array);
    let list = list.map_or(&[][..], |list| &list[..]);
    list.iter().filter_map(Value::as_str).collect()
}

fn leads_to(from: &str, to: &str, entries: &Entries<'_>) -> bool {
    let mut at = from;
    for _ in 0..STEPS {
        match entries.get(at).and_then(|entry| entry.text("supersededBy")) {
            Some(next) if next == to => return true,
            Some(next) => at = next,
            None => return false,
        }
    }
    false
}
