//! Checks the events of a playbook, and the entries that result from them.
//!
//! Each entry has a thread of events, in which an event names its predecessor. Branches of a thread
//! come from users who edit copies of a playbook at the same time. That's legitimate, so a branch
//! is only worth a warning, unlike a thread that doesn't make sense at all.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Diagnostic, first_names};
use windlass_tron::{Number, Value};

use super::arrows::Arrows;
use super::entry_relations::EntryRelations;
use super::event_log::EventLog;
use super::findings::Findings;
use crate::Node;
use crate::playbook::{Event, RESOLVES, Threads, counting, derived_metrics, same_confidence};
use crate::time::moment;

/// Maximum number of events shown for a cycle.
const SHOWN: usize = 12;

pub(super) fn check<'d>(playbook: Node<'d>, found: &mut Findings) {
    let items = playbook.get("items");
    let Some(items) = items.and_then(|items| items.value().as_array()) else {
        return;
    };
    let log = EventLog {
        nodes: playbook.items_of("items").collect(),
        threads: Threads::of(items),
    };
    let mut threads = EventThreads { log: &log, found };
    threads.event_names(items);
    for event in log.threads.events.values() {
        threads.previous(event);
        threads.resolved(event);
    }
    EntryRelations::new(&log, items, threads.found).check();
    threads.circles();
    for target in log.threads.targets.keys() {
        threads.thread(target);
    }
    summary(playbook, items, threads.found);
}

struct EventThreads<'c, 'd> {
    log: &'c EventLog<'d>,
    found: &'c mut Findings,
}

impl<'d> EventThreads<'_, 'd> {
    fn event_names(&mut self, items: &'d [Value<'static>]) {
        let mut first: BTreeMap<&str, Event<'d>> = BTreeMap::new();
        let events = items.iter().enumerate();
        for event in events.filter_map(|(at, item)| Event::of(at, item)) {
            let Some(known) = first.get(event.id) else {
                first.insert(event.id, event);
                continue;
            };
            let (what, help) = match known.value == event.value {
                true => ("occurs twice", "remove one of them"),
                false => (
                    "occurs twice, with different contents",
                    "rename one of them: event names are unique, and events never change",
                ),
            };
            let message = format!("the event `{}` {what}", event.id);
            let mut finding = Diagnostic::error("duplicate-event", message).help(help);
            if let Some(place) = self.log.place(known, "eventId") {
                finding = finding.see(place, "the first one");
            }
            self.found.at(self.log.place(&event, "eventId"), finding);
        }
    }

    /// Checks `prevEventId`, the name of the previous event of the same entry.
    fn previous(&mut self, event: &Event<'d>) {
        let Some(prev) = event.prev else {
            return;
        };
        let before = self.log.threads.events.get(prev);
        let finding = if event.begins() {
            let message = format!(
                "the event `{}` starts an entry, so it has no previous event",
                event.id
            );
            let finding = Diagnostic::error("previous-of-first", message);
            finding.help("remove `prevEventId`, or write `update` as its `operation`")
        } else if prev == event.id {
            let message = format!("the event `{prev}` follows itself");
            let finding = Diagnostic::error("previous-is-itself", message);
            finding.help("name the event of the same entry before it")
        } else if let Some(before) = before.filter(|before| before.target != event.target) {
            let message = format!(
                "the event `{prev}` is about `{}`, not about `{}`",
                before.target, event.target
            );
            let finding = Diagnostic::error("previous-of-other", message);
            finding.help("each entry has a thread of its own")
        } else if let Some(before) = before {
            // Clocks differ between machines, so this is just a warning.
            let times = before.moment.zip(event.moment);
            if times.is_some_and(|(before, own)| own < before) {
                let message = format!("it is older than `{prev}`, which it follows");
                let finding = Diagnostic::warning("event-time", message);
                let finding = finding.help("correct `createdAt`, if a clock was wrong");
                self.found.at(self.log.place(event, "createdAt"), finding);
            }
            return;
        } else {
            let ids = self.log.threads.targets.get(event.target);
            let count = ids.map_or(0, BTreeSet::len);
            let ids = ids.into_iter().flatten().copied();
            let near = self.found.near(prev, count, ids);
            let help = near.filter(|near| *near != event.id).map_or_else(
                || format!("name the event of `{}` before it", event.target),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("unknown event `{prev}`");
            Diagnostic::error("unknown-previous", message).help(help)
        };
        self.found.at(self.log.place(event, "prevEventId"), finding);
    }

    /// Checks that an event only resolves heads of its own entry.
    fn resolved(&mut self, event: &Event<'d>) {
        for id in event.resolved() {
            let known = self.log.threads.events.get(id);
            if known.is_some_and(|other| other.target == event.target) {
                continue;
            }
            let message = format!(
                "it resolves `{id}`, which is not an event of `{}`",
                event.target
            );
            let node = self.log.nodes.get(event.at);
            let place = node.and_then(|node| Some(node.get("metadata")?.get(RESOLVES)?.place()));
            let finding = Diagnostic::warning("unknown-resolved", message);
            let help = "use heads of the same entry: run `windlass doc playbook resolve`";
            self.found.at(place, finding.help(help));
        }
    }

    /// Reports cycles of events, wherever they are in a thread.
    fn circles(&mut self) {
        let events = &self.log.threads.events;
        let arrows: Arrows<&str> = events
            .values()
            .flat_map(|event| {
                // An event follows its predecessor and also the events that it resolves.
                let before = self.log.threads.before(event).map(|before| before.id);
                let ended = event.resolved().filter(|id| {
                    let other = events.get(id);
                    other.is_some_and(|other| other.target == event.target)
                });
                let all = before.into_iter().chain(ended);
                all.map(|id| (event.id, id))
            })
            .collect();
        for knot in arrows.knots() {
            let mut circle: Vec<&Event<'d>> = knot.iter().filter_map(|id| events.get(id)).collect();
            circle.sort_by_key(|event| event.at);
            let Some(first) = circle.first() else {
                continue;
            };
            let names = circle.iter().map(|event| format!("`{}`", event.id));
            let message = format!(
                "the events {} of `{}` follow each other in a circle",
                first_names(names, SHOWN, ", "),
                first.target
            );
            let finding = Diagnostic::error("event-cycle", message);
            let finding = finding.help("remove `prevEventId` from the first of them");
            self.found.at(self.log.place(first, "prevEventId"), finding);
        }
    }

    /// Checks that an entry starts only once, and looks for concurrent events.
    fn thread(&mut self, target: &str) {
        let mut thread = self.log.threads.thread(target);
        thread.sort_by_key(|event| event.at);
        let mut roots = thread.iter().filter(|event| event.begins());
        if let Some(root) = roots.next() {
            for other in roots {
                let message = format!("the entry `{target}` starts a second time");
                let mut finding = Diagnostic::error("second-beginning", message).help(
                    "write `update` with a `prevEventId`, or give the entry another `targetId`",
                );
                if let Some(place) = self.log.place(root, "operation") {
                    finding = finding.see(place, "the first time");
                }
                self.found.at(self.log.place(other, "operation"), finding);
            }
        }
        // Fewer than two heads means that there's no open branch.
        let heads = self.log.threads.heads(target);
        if heads.len() > 1 {
            self.forks(&thread, &heads);
        }
    }

    /// Reports events with the same predecessor. They're concurrent, unless another event has
    /// resolved one of the branches.
    fn forks(&mut self, thread: &[Event<'d>], heads: &[Event<'d>]) {
        let threads = &self.log.threads;
        // The events that some head still builds on. Others belong to a resolved branch.
        let mut open: BTreeSet<&str> = BTreeSet::new();
        for head in heads {
            let mut at = Some(*head);
            while let Some(event) = at.filter(|event| open.insert(event.id)) {
                at = threads.before(&event);
            }
        }
        let kept = counting(threads, heads).map_or("", |(head, _)| head.id);
        let help = format!(
            "`{kept}` counts; `windlass doc playbook show` prints the command that resolves the others"
        );
        let mut followers: BTreeMap<&str, &Event<'d>> = BTreeMap::new();
        for event in thread.iter().filter(|event| open.contains(event.id)) {
            let Some(prev) = event.prev.filter(|_| threads.before(event).is_some()) else {
                continue;
            };
            let Some(first) = followers.get(prev) else {
                followers.insert(prev, event);
                continue;
            };
            let message = format!(
                "`{}` and `{}` both follow `{prev}`: they are concurrent",
                first.id, event.id
            );
            let finding = Diagnostic::warning("concurrent-events", message);
            let mut finding = finding.help(help.clone());
            if let Some(place) = self.log.place(first, "prevEventId") {
                finding = finding.see(place, "the other one");
            }
            self.found.at(self.log.place(event, "prevEventId"), finding);
        }
    }
}

fn summary(playbook: Node<'_>, items: &[Value<'static>], found: &mut Findings) {
    let time_of = |node: Node<'_>| node.text().and_then(moment);
    let times = items
        .iter()
        .filter_map(|item| item.get("createdAt")?.as_str());
    let last = times.filter_map(|text| Some((moment(text)?, text))).max();
    if let (Some((last, text)), Some(updated)) = (last, playbook.get("updated"))
        && time_of(updated).is_some_and(|updated| updated < last)
    {
        let message = format!("the last event is of {text}, later than `updated`");
        let finding = Diagnostic::warning("updated-behind", message).at(updated.place());
        found.push(finding.help(format!("write `{text}`")));
    }
    let Some(metrics) = playbook.get("metrics") else {
        return;
    };
    let derived = derived_metrics(items);
    // None of the metrics is required, so we only compare those that are present.
    let mut metric = |name: &str, differs: &dyn Fn(Node<'_>) -> bool, derived: String| {
        let Some(node) = metrics.get(name).filter(|node| differs(*node)) else {
            return;
        };
        let finding = Diagnostic::warning(
            "metrics",
            format!("`{name}` has to be {derived} by the events"),
        );
        let help = format!("write {derived}, or remove `metrics`");
        found.push(finding.at(node.place()).help(help));
    };
    let total = derived.total_entries;
    let other_total = |node: Node<'_>| {
        let said = node.value().as_number().and_then(Number::as_i64);
        said.is_some_and(|said| i64::try_from(total).is_ok_and(|total| total != said))
    };
    metric("totalEntries", &other_total, total.to_string());
    if let Some(average) = derived.average_confidence {
        let other_average = |node: Node<'_>| {
            let said = node.value().as_number().and_then(Number::as_f64);
            said.is_some_and(|said| !same_confidence(said, average))
        };
        metric("averageConfidence", &other_average, average.to_string());
    }
    if let Some(last) = derived.last_updated {
        let other_time =
            |node: Node<'_>| time_of(node).is_some_and(|said| Some(said) != moment(&last));
        metric("lastUpdated", &other_time, last.clone());
    }
}
