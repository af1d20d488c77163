//! The events of a playbook, and what they make of its entries.

use std::collections::BTreeMap;

use windlass_base::{Diagnostic, Place, did_you_mean};
use windlass_tron::Value;

use super::Checker;
use crate::Node;
use crate::playbook::{Event, Threads, derived_metrics, same_confidence};
use crate::time::moment;

/// The events of a playbook with their nodes.
struct Log<'d> {
    nodes: Vec<Node<'d>>,
    threads: Threads<'d>,
}

impl<'d> Log<'d> {
    /// Where the field `name` of an event stands; the event, if it has none.
    fn place(&self, event: &Event<'d>, name: &str) -> Option<Place> {
        let node = self.nodes.get(event.at)?;
        Some(node.get(name).unwrap_or(*node).place())
    }
}

impl<'d> Checker<'d> {
    pub(super) fn threads(&mut self, playbook: Node<'d>) {
        let Some(items) = playbook
            .get("items")
            .and_then(|items| items.value().as_array())
        else {
            return;
        };
        let log = Log {
            nodes: playbook.items_of("items").collect(),
            threads: Threads::of(items),
        };
        self.event_names(&log, items);
        for event in log.threads.events.values() {
            self.previous(&log, event);
            self.relations(&log, event);
        }
        for target in log.threads.targets.keys() {
            self.thread(&log, target);
        }
        self.summary(playbook, items);
    }

    fn at(&mut self, place: Option<Place>, mut finding: Diagnostic) {
        finding.place = place;
        self.push(finding);
    }

    fn event_names(&mut self, log: &Log<'d>, items: &'d [Value<'static>]) {
        let mut first: BTreeMap<&str, Event<'d>> = BTreeMap::new();
        for event in items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| Event::of(at, item))
        {
            if let Some(known) = first.get(event.id) {
                let is_same = known.value == event.value;
                let what = if is_same {
                    "is there twice"
                } else {
                    "is there twice, with other contents"
                };
                let help = if is_same {
                    "remove one of them"
                } else {
                    "an event has a name of its own, and is never changed: give one of them another"
                };
                let mut finding = Diagnostic::error(
                    "duplicate-event",
                    format!("the event `{}` {what}", event.id),
                )
                .help(help);
                if let Some(place) = log.place(known, "eventId") {
                    finding = finding.see(place, "the first one");
                }
                self.at(log.place(&event, "eventId"), finding);
            } else {
                first.insert(event.id, event);
            }
        }
    }

    /// `prevEventId`: the event of the same entry before this one.
    fn previous(&mut self, log: &Log<'d>, event: &Event<'d>) {
        let Some(prev) = event.prev else {
            return;
        };
        let place = log.place(event, "prevEventId");
        if event.begins() {
            let message = format!(
                "the event `{}` begins an entry, so there is none before it",
                event.id
            );
            let finding = Diagnostic::error("previous-of-first", message);
            return self.at(
                place,
                finding.help("remove `prevEventId`, or write `update` as its `operation`"),
            );
        }
        if prev == event.id {
            let finding = Diagnostic::error(
                "previous-is-itself",
                format!("the event `{prev}` follows itself"),
            );
            return self.at(
                place,
                finding.help("name the event of the same entry before it"),
            );
        }
        let Some(before) = log.threads.events.get(prev) else {
            let thread = if self.is_full() {
                Vec::new()
            } else {
                log.threads.thread(event.target)
            };
            let near = did_you_mean(prev, thread.iter().map(|event| event.id));
            let help = near.filter(|near| *near != event.id).map_or_else(
                || format!("name the event of `{}` before it", event.target),
                |near| format!("did you mean `{near}`?"),
            );
            let finding =
                Diagnostic::error("unknown-previous", format!("there is no event `{prev}`"));
            return self.at(place, finding.help(help));
        };
        if before.target != event.target {
            let message = format!(
                "the event `{prev}` is about `{}`, not about `{}`",
                before.target, event.target
            );
            let finding = Diagnostic::error("previous-of-other", message);
            return self.at(place, finding.help("each entry has a thread of its own"));
        }
        if before
            .moment
            .zip(event.moment)
            .is_some_and(|(before, own)| own < before)
        {
            let message = format!("it is earlier than `{prev}`, which it follows");
            let finding = Diagnostic::warning("event-time", message);
            self.at(
                log.place(event, "createdAt"),
                finding.help("correct `createdAt`, if a clock was wrong"),
            );
        }
    }

    /// The thread of one entry.
    fn thread(&mut self, log: &Log<'d>, target: &str) {
        let mut thread = log.threads.thread(target);
        thread.sort_by_key(|event| event.at);
        let mut roots = thread.iter().filter(|event| event.begins());
        if let Some(root) = roots.next() {
            for other in roots {
                let message = format!("the entry `{target}` begins a second time");
                let mut finding = Diagnostic::error("second-beginning", message)
                    .help("write `update` with a `prevEventId`, or give the entry a `targetId` of its own");
                if let Some(place) = log.place(root, "operation") {
                    finding = finding.see(place, "the first time");
                }
                self.at(log.place(other, "operation"), finding);
            }
        }
        self.forks(log, &thread);
        let is_in_circle = |event: &Event<'d>| {
            let chain = log.threads.chain(*event);
            chain
                .first()
                .is_some_and(|first| log.threads.before(first).is_some())
        };
        if let Some(event) = log
            .threads
            .heads(target)
            .first()
            .filter(|event| is_in_circle(event))
        {
            let finding = Diagnostic::error(
                "event-cycle",
                format!("the events of `{target}` follow each other in a circle"),
            );
            self.at(
                log.place(event, "prevEventId"),
                finding.help("one of them has to be the first"),
            );
        }
    }

    /// Two events that follow the same one were made side by side.
    fn forks(&mut self, log: &Log<'d>, thread: &[Event<'d>]) {
        let mut followers: BTreeMap<&str, &Event<'d>> = BTreeMap::new();
        for event in thread
            .iter()
            .filter(|event| log.threads.before(event).is_some())
        {
            let Some(prev) = event.prev else {
                continue;
            };
            let Some(first) = followers.get(prev) else {
                followers.insert(prev, event);
                continue;
            };
            let message = format!(
                "`{}` and `{}` both follow `{prev}`: they were made side by side",
                first.id, event.id
            );
            let mut finding = Diagnostic::warning("concurrent-events", message)
                .help("the later one counts; append an `update` that says what both mean, or deprecate one");
            if let Some(place) = log.place(first, "prevEventId") {
                finding = finding.see(place, "the other one");
            }
            self.at(log.place(event, "prevEventId"), finding);
        }
    }

    /// What an event says of other entries.
    fn relations(&mut self, log: &Log<'d>, event: &Event<'d>) {
        let Some(node) = log.nodes.get(event.at).copied() else {
            return;
        };
        let single = ["supersededBy", "duplicateOf"]
            .into_iter()
            .filter_map(|name| Some((name, node.get(name)?)));
        let many = node.items_of("supersedes").map(|node| ("supersedes", node));
        for (name, other) in single.chain(many) {
            let Some(target) = other.text() else {
                continue;
            };
            if target == event.target {
                let finding = Diagnostic::error(
                    "relation-to-itself",
                    format!("`{name}` names the entry itself"),
                );
                self.push(finding.at(other.place()).help("name another entry"));
            } else if !log.threads.targets.contains_key(target) {
                let known = log.threads.targets.keys().copied().take(if self.is_full() {
                    0
                } else {
                    usize::MAX
                });
                let near = did_you_mean(target, known);
                let help = near.map_or_else(
                    || "name the `targetId` of an entry".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                let finding =
                    Diagnostic::warning("unknown-entry", format!("there is no entry `{target}`"));
                self.push(finding.at(other.place()).help(help));
            } else if name == "duplicateOf"
                && node
                    .text_of("status")
                    .is_some_and(|status| status == "active")
            {
                let message = format!("it says the same as `{target}`, and is still `active`");
                let finding = Diagnostic::warning("active-duplicate", message);
                self.push(
                    finding.at(other.place()).help(
                        "deprecate it: `\"status\": \"deprecated\"`, with a `deprecatedReason`",
                    ),
                );
            }
        }
    }

    /// What a playbook says of itself, and what its events say.
    fn summary(&mut self, playbook: Node<'d>, items: &'d [Value<'static>]) {
        let times = items
            .iter()
            .filter_map(|item| item.get("createdAt")?.as_str());
        let last = times.filter_map(|text| Some((moment(text)?, text))).max();
        if let (Some((last, text)), Some(updated)) = (last, playbook.get("updated"))
            && updated
                .text()
                .and_then(moment)
                .is_some_and(|updated| updated < last)
        {
            let finding = Diagnostic::warning(
                "updated-behind",
                format!("the last event is of {text}, later than `updated`"),
            );
            self.push(finding.at(updated.place()).help(format!("write `{text}`")));
        }
        let Some(metrics) = playbook.get("metrics") else {
            return;
        };
        let derived = derived_metrics(items);
        if let (Some(total), Some(node)) = (
            metrics.whole_of("totalEntries"),
            metrics.get("totalEntries"),
        ) && i64::try_from(derived.total_entries.0).is_ok_and(|derived| derived != total)
        {
            self.metric(node, "totalEntries", &derived.total_entries.0.to_string());
        }
        if let Some(node) = metrics.get("averageConfidence")
            && let Some(said) = node
                .value()
                .as_number()
                .and_then(windlass_tron::Number::as_f64)
            && let Some(average) = derived.average_confidence
            && !same_confidence(said, average.0)
        {
            self.metric(node, "averageConfidence", &average.0.to_string());
        }
        if let Some(node) = metrics.get("lastUpdated")
            && let Some(last) = &derived.last_updated
            && node
                .text()
                .and_then(moment)
                .is_some_and(|said| Some(said) != last.moment())
        {
            self.metric(node, "lastUpdated", last);
        }
    }

    fn metric(&mut self, node: Node<'d>, name: &str, derived: &str) {
        let finding =
            Diagnostic::warning("metrics", format!("`{name}` is {derived} by the events"));
        self.push(
            finding
                .at(node.place())
                .help(format!("write {derived}, or leave `metrics` out")),
        );
    }
}
