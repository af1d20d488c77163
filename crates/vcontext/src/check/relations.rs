//! What entries of a playbook say of each other: what replaces what, and what says the same.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use windlass_base::{Diagnostic, NextAction, Place, did_you_mean};
use windlass_tron::Value;

use super::Checker;
use super::threads::Log;
use crate::playbook::{Entry, Event, fold};
use crate::{Node, PlaybookStatus};

/// How many names are compared with one that is not there, over all findings.
const COMPARED: usize = 20_000;
/// How many entries of a circle are named.
const SHOWN: usize = 12;
/// How many steps from one entry to what replaced it are looked at.
const STEPS: usize = 64;

/// The entries as they stand, by name.
type Entries<'e> = BTreeMap<&'e str, &'e Entry>;

impl<'d> Checker<'d> {
    /// The relations of entries, as events say them and as they stand.
    pub(super) fn relations(&mut self, log: &Log<'d>, items: &'d [Value<'static>]) {
        let mut are_any = false;
        for event in log.threads.events.values() {
            are_any |= self.names_of(log, event);
        }
        if !are_any {
            return;
        }
        let folded = fold(items).entries;
        let entries: Entries<'_> = folded
            .iter()
            .map(|entry| (entry.target_id.as_str(), entry))
            .collect();
        let replaced = |entry: &Entry| {
            let by = entry.text("supersededBy").map(str::to_owned);
            by.into_iter()
                .map(|by| (entry.target_id.clone(), by))
                .collect::<Vec<_>>()
        };
        let replaces = |entry: &Entry| {
            let list = supersedes(entry).into_iter();
            list.map(|old| (old.to_owned(), entry.target_id.clone()))
                .collect::<Vec<_>>()
        };
        let edges: BTreeSet<(String, String)> = folded
            .iter()
            .flat_map(|entry| [replaced(entry), replaces(entry)].concat())
            .collect();
        self.relation_circles(log, &edges, "supersedes-cycle", "replace each other");
        let edges: BTreeSet<(String, String)> = folded
            .iter()
            .filter_map(|entry| Some((entry.target_id.clone(), entry.text("duplicateOf")?.into())))
            .collect();
        self.relation_circles(
            log,
            &edges,
            "duplicate-cycle",
            "are duplicates of each other",
        );
        for entry in &folded {
            self.both_sides(log, entry, &entries);
        }
    }

    /// The names that an event gives in its relations; whether it has any.
    fn names_of(&mut self, log: &Log<'d>, event: &Event<'d>) -> bool {
        let Some(node) = log.nodes.get(event.at).copied() else {
            return false;
        };
        let mut are_any = false;
        for (name, other) in named(node) {
            are_any = true;
            let Some(target) = other.text() else {
                continue;
            };
            if target == event.target {
                let message = format!("`{name}` names the entry itself");
                let finding = Diagnostic::error("relation-to-itself", message);
                self.push(finding.at(other.place()).help("name another entry"));
            } else if !log.threads.targets.contains_key(target) {
                let targets = &log.threads.targets;
                let near = self.near(target, targets.len(), targets.keys().copied());
                let help = near.map_or_else(
                    || "name the `targetId` of an entry".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("there is no entry `{target}`");
                let finding = Diagnostic::warning("unknown-entry", message);
                self.push(finding.at(other.place()).help(help));
            }
        }
        are_any
    }

    /// The name that is most likely meant, as long as not too many were compared.
    pub(super) fn near<'n>(
        &mut self,
        wanted: &str,
        count: usize,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        if self.compared + count > COMPARED && self.compared > 0 {
            return None;
        }
        self.compared += count;
        did_you_mean(wanted, names)
    }

    /// Where an entry says last that it stands so to `other`.
    fn said(&self, log: &Log<'d>, target: &str, other: &str) -> Option<Place> {
        if self.is_full() {
            return None;
        }
        let mut thread = log.threads.thread(target);
        thread.sort_by_key(Event::rank);
        thread.iter().rev().find_map(|event| {
            let node = log.nodes.get(event.at).copied()?;
            let found = named(node).find(|(_, named)| named.text() == Some(other));
            found.map(|(_, named)| named.place())
        })
    }

    fn relation_circles(
        &mut self,
        log: &Log<'d>,
        edges: &BTreeSet<(String, String)>,
        rule: &'static str,
        what: &str,
    ) {
        let mut nodes: BTreeMap<&str, NodeIndex> = BTreeMap::new();
        let mut graph: DiGraph<&str, ()> = DiGraph::new();
        for (from, to) in edges.iter().filter(|(from, to)| from != to) {
            let [from, to] = [from, to].map(|name| {
                let add = || graph.add_node(name.as_str());
                *nodes.entry(name).or_insert_with(add)
            });
            graph.add_edge(from, to, ());
        }
        let mut knots: Vec<Vec<&str>> = kosaraju_scc(&graph)
            .into_iter()
            .filter(|knot| knot.len() > 1)
            .map(|knot| {
                let mut names: Vec<&str> = knot.iter().map(|node| graph[*node]).collect();
                names.sort_unstable();
                names
            })
            .collect();
        knots.sort();
        for names in knots {
            let within: BTreeSet<&str> = names.iter().copied().collect();
            let mut places: Vec<Place> = Vec::new();
            let inside = edges.iter().filter(|(from, to)| {
                within.contains(from.as_str()) && within.contains(to.as_str())
            });
            for (from, to) in inside.take(SHOWN) {
                places.extend(
                    self.said(log, from, to)
                        .or_else(|| self.said(log, to, from)),
                );
            }
            places.sort_by_key(|place| place.range.start);
            let shown: Vec<String> = names
                .iter()
                .take(SHOWN)
                .map(|name| format!("`{name}`"))
                .collect();
            let more = match names.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = format!("the entries {}{more} {what}", shown.join(", "));
            let mut finding = Diagnostic::error(rule, message)
                .help("one of them has to stand on its own: take what it says of the others out");
            let mut places = places.into_iter();
            finding.place = places.next();
            for place in places {
                finding = finding.see(place, "and here");
            }
            self.push(finding);
        }
    }

    /// What one entry says of another, and what that says of it. It is enough when one of them says it, as long as the one
    /// that gives way is no longer to be followed.
    fn both_sides(&mut self, log: &Log<'d>, entry: &Entry, entries: &Entries<'_>) {
        let own = entry.target_id.as_str();
        for old in supersedes(entry) {
            let Some(old) = entries.get(old).filter(|_| old != own) else {
                continue;
            };
            match old.text("supersededBy") {
                None if old.status == PlaybookStatus::Active => {
                    let message = format!(
                        "`{own}` replaces `{}`, which is still to be followed",
                        old.target_id
                    );
                    self.still_active(log, (own, &old.target_id), &old.target_id, own, message);
                }
                Some(by) if by != own && !leads_to(own, by, entries) => {
                    let message = format!(
                        "`{own}` says that it replaces `{}`, and that says it was replaced by `{by}`",
                        old.target_id
                    );
                    let finding = Diagnostic::warning("relation-mismatch", message);
                    let finding = finding.help("correct one of the two, by an `update`");
                    self.at(self.said(log, own, &old.target_id), finding);
                }
                _ => {}
            }
        }
        if entry.status != PlaybookStatus::Active {
            return;
        }
        if let Some(by) = entry.text("supersededBy").filter(|by| *by != own) {
            let message = format!("it was replaced by `{by}`, and is still to be followed");
            self.still_active(log, (own, by), own, by, message);
        }
        if let Some(of) = entry.text("duplicateOf").filter(|of| *of != own) {
            let message = format!("it says the same as `{of}`, and is still `active`");
            let call = self
                .call("deprecate")
                .positional(own)
                .option("duplicate_of", of)
                .option("reason", "a duplicate");
            let finding = Diagnostic::warning("active-duplicate", message);
            let finding = finding.help(format!("deprecate it: `{}`", call.command_line()));
            self.at(self.said(log, own, of), finding);
        }
    }

    fn still_active(
        &mut self,
        log: &Log<'d>,
        (sayer, of): (&str, &str),
        old: &str,
        new: &str,
        message: String,
    ) {
        let call = self
            .call("deprecate")
            .positional(old)
            .option("superseded_by", new)
            .option("reason", "replaced");
        let finding = Diagnostic::warning("superseded-active", message);
        let finding = finding.help(format!("deprecate it: `{}`", call.command_line()));
        self.at(self.said(log, sayer, of), finding);
    }

    /// A command about the playbook of this document.
    pub(super) fn call(&self, what: &str) -> NextAction {
        let tool = format!("doc playbook {what}");
        NextAction::new(tool, "put it right").positional(self.called.as_str())
    }
}

/// The entries that an event names, each with the field that does.
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

/// Whether `from` was itself replaced, and what replaced it is `to` in the end.
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
