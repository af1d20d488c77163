//! The events of a playbook, and what they make of its entries.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use windlass_base::{Diagnostic, Place};
use windlass_tron::Value;

use super::Checker;
use crate::Node;
use crate::playbook::{Event, RESOLVES, Threads, counting, derived_metrics, same_confidence};
use crate::time::moment;

/// How many events of a circle are named.
const SHOWN: usize = 12;

/// The events of a playbook with their nodes.
pub(super) struct Log<'d> {
    pub(super) nodes: Vec<Node<'d>>,
    pub(super) threads: Threads<'d>,
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
            self.resolved(&log, event);
        }
        self.relations(&log, items);
        self.event_circles(&log);
        for target in log.threads.targets.keys() {
            self.thread(&log, target);
        }
        self.summary(playbook, items);
    }

    pub(super) fn at(&mut self, place: Option<Place>, mut finding: Diagnostic) {
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
            let ids = log.threads.targets.get(event.target);
            let count = ids.map_or(0, BTreeSet::len);
            let near = self.near(prev, count, ids.into_iter().flatten().copied());
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
        let heads = log.threads.heads(target);
        if heads.len() > 1 {
            self.forks(log, &thread, &heads);
        }
    }

    /// The heads that an event ends have to be events of its entry.
    fn resolved(&mut self, log: &Log<'d>, event: &Event<'d>) {
        for id in event.resolved() {
            let known = log.threads.events.get(id);
            if known.is_some_and(|other| other.target == event.target) {
                continue;
            }
            let message = format!("it ends `{id}`, which is no event of `{}`", event.target);
            let node = log.nodes.get(event.at);
            let place = node.and_then(|node| Some(node.get("metadata")?.get(RESOLVES)?.place()));
            let finding = Diagnostic::warning("unknown-resolved", message);
            let help = "name heads of the same entry: `windlass doc playbook resolve` does";
            self.at(place, finding.help(help));
        }
    }

    /// Events that follow each other in a circle, wherever in a thread they are.
    fn event_circles(&mut self, log: &Log<'d>) {
        let mut graph: DiGraph<&Event<'d>, ()> = DiGraph::new();
        let nodes: BTreeMap<&str, NodeIndex> = log
            .threads
            .events
            .values()
            .map(|event| (event.id, graph.add_node(event)))
            .collect();
        for event in log.threads.events.values() {
            let before = log.threads.before(event).map(|before| before.id);
            let ended = event.resolved().filter(|id| {
                let other = log.threads.events.get(id);
                other.is_some_and(|other| other.target == event.target)
            });
            for id in before.into_iter().chain(ended) {
                if let (Some(from), Some(to)) = (nodes.get(event.id), nodes.get(id)) {
                    graph.add_edge(*from, *to, ());
                }
            }
        }
        for knot in kosaraju_scc(&graph).iter().filter(|knot| knot.len() > 1) {
            let mut events: Vec<&Event<'d>> = knot.iter().map(|node| graph[*node]).collect();
            events.sort_by_key(|event| event.at);
            let Some(first) = events.first() else {
                continue;
            };
            let shown = events.iter().take(SHOWN);
            let mut names: Vec<String> = shown.map(|event| format!("`{}`", event.id)).collect();
            if events.len() > SHOWN {
                names.push(format!("{} more", events.len() - SHOWN));
            }
            let message = format!(
                "the events {} of `{}` follow each other in a circle",
                names.join(", "),
                first.target
            );
            let finding = Diagnostic::error("event-cycle", message);
            self.at(
                log.place(first, "prevEventId"),
                finding.help("one of them has to be the first"),
            );
        }
    }

    /// Two events that follow the same one were made side by side, unless another event ended one of the branches.
    fn forks(&mut self, log: &Log<'d>, thread: &[Event<'d>], heads: &[Event<'d>]) {
        let mut open: BTreeSet<&str> = BTreeSet::new();
        for head in heads {
            let mut at = Some(*head);
            while let Some(event) = at.filter(|event| open.insert(event.id)) {
                at = log.threads.before(&event);
            }
        }
        let kept = counting(&log.threads, heads).map(|(head, _)| head.id);
        let others = heads.iter().map(|head| head.id);
        let others: Vec<&str> = others.filter(|id| Some(*id) != kept).collect();
        let mut call = self.call("resolve");
        if let (Some(head), Some(kept)) = (heads.first(), kept) {
            call = call.positional(head.target).option("keep", kept);
        }
        // Of so many nobody looks at each: without `--over` all of them end.
        if others.len() <= SHOWN {
            call = call.option("over", others);
        }
        let help = format!(
            "`{}` counts; end the rest, and say with `--text` what all of them mean: `{}`",
            kept.unwrap_or_default(),
            call.command_line()
        );
        let mut followers: BTreeMap<&str, &Event<'d>> = BTreeMap::new();
        for event in thread
            .iter()
            .filter(|event| open.contains(event.id) && log.threads.before(event).is_some())
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
            let mut finding = Diagnostic::warning("concurrent-events", message);
            finding = finding.help(help.clone());
            if let Some(place) = log.place(first, "prevEventId") {
                finding = finding.see(place, "the other one");
            }
            self.at(log.place(event, "prevEventId"), finding);
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
