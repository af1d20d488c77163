//! The state of a ledger, which results from applying all its events in order, each once.

mod agent_table;
mod apply;
mod apply_bead;
mod apply_bond;
mod apply_gate;
mod apply_mail;
mod apply_mol;
mod apply_step;
mod bead_fields;
mod bead_order;
mod beads_elsewhere;
mod hook_table;
mod lost_work;
mod open_work;
mod record_table;
mod seen_events;
mod short_forms;
mod step_fold;
mod work_board;
mod work_filter;
mod work_index;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bead::Bead;
use crate::event::{EventLine, Oddity, OrderKey};
use crate::hook::Hook;
use crate::mail::Message;
use crate::molecule::{MolPlan, Molecule};
use crate::rows::{Row, Runs, key};
use crate::stored_record::{Applied, Record, Refusal};
use crate::{LogClock, Stamp};

pub(crate) use agent_table::AgentTable;
pub use agent_table::{Agent, AgentState};
pub use beads_elsewhere::Elsewhere;
pub(crate) use hook_table::HookTable;
use open_work::OpenWork;
pub use record_table::{Found, Table};
pub(crate) use seen_events::Seen;
pub(crate) use short_forms::BeadHead;
use short_forms::{BeadNote, Hold, MessageNote};
pub use short_forms::{Edge, EdgeKind};
pub use work_filter::{Blocked, Picked, Reason, WorkFilter};
use work_index::WorkIndex;

/// The state folded from a log of events.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Beads by id.
    pub beads: Table<Bead>,
    /// Messages by id.
    pub messages: Table<Message>,
    /// Molecules by id.
    pub molecules: Table<Molecule>,
    /// Cooked formulas by molecule id.
    pub plans: Table<MolPlan>,
    /// The small part of the state, needed by every command.
    pub(crate) small: Small,
    /// Ids of the applied events.
    pub(crate) seen: Seen,
    /// Reverse dependencies between beads.
    links: bead_order::Links,
    /// Open beads in working order.
    work: WorkIndex,
    /// Rows of the checkpoint the state was loaded from.
    runs: Runs,
}

/// The small part of the state as a row, with the number of records in each table.
#[derive(Serialize, Deserialize)]
struct SmallRow<'a> {
    #[serde(flatten)]
    small: Cow<'a, Small>,
    counts: [usize; 4],
}

/// The part of the state that's small enough for every command to read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Small {
    /// Key of the last event.
    pub(crate) last: Option<OrderKey>,
    /// Time of the first event.
    pub(crate) first: Option<Stamp>,
    /// Number of events per type.
    pub(crate) by_type: BTreeMap<String, u64>,
    /// Number of events per actor.
    pub(crate) by_actor: BTreeMap<String, u64>,
    pub(crate) agents: AgentTable,
    pub(crate) hooks: HookTable,
    pub(crate) rejected: Vec<Rejected>,
    /// Lines of the log that aren't events.
    pub(crate) odd: Vec<OddLine>,
    /// Id prefix of the last created bead.
    pub(crate) prefix: Option<String>,
    /// True if the log's lines aren't in event order.
    pub(crate) merged: bool,
    /// The log's time.
    pub(crate) clock: LogClock,
}

/// A line's position in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinePlace {
    /// Offset of the line's first byte in the log.
    pub start: u64,
    /// Length in bytes, without the terminator.
    pub bytes: u32,
}

/// A line of the log that isn't an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OddLine {
    /// Position of the line.
    pub place: LinePlace,
    /// Kind of line.
    pub what: Oddity,
}

/// An event not allowed by the state at its position in the log. It stays in the log and changes
/// nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rejected {
    /// The event's id.
    pub event_id: String,
    /// The event's type.
    pub event_type: String,
    /// The event's time.
    pub timestamp: Stamp,
    /// The event's actor.
    pub actor: String,
    /// Reason for the rejection.
    pub reason: String,
    /// Id of the event that takes precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub won: Option<String>,
}

/// Outcomes of applying an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The event was applied.
    Applied,
    /// The event had been applied before, so nothing has changed.
    Duplicate,
    /// The event was rejected.
    Rejected(Rejected),
}

impl State {
    /// Applies `event`, which must come after all events applied so far.
    ///
    /// This never fails. An event that the state doesn't allow is recorded as rejected.
    pub fn apply(&mut self, event: &EventLine<'_>) -> Verdict {
        if !self.seen.insert(&event.event_id) {
            return Verdict::Duplicate;
        }
        self.count(event);
        self.small.clock.see(&event.actor, event.clock());
        match self.apply_payload(event) {
            Ok(()) => Verdict::Applied,
            Err(refusal) => {
                let rejected = Rejected {
                    event_id: event.event_id.clone().into_owned(),
                    event_type: event.event_type.clone().into_owned(),
                    timestamp: event.timestamp,
                    actor: event.actor.clone().into_owned(),
                    reason: refusal.reason,
                    won: refusal.won,
                };
                self.small.rejected.push(rejected.clone());
                if let Some(message) = lost_work::message_to_loser(self, event, &rejected) {
                    self.messages.insert(message, MessageNote::of(event));
                }
                Verdict::Rejected(rejected)
            }
        }
    }

    /// Returns the state held by `runs`, or `None` if there is none.
    pub(crate) fn on(runs: &Runs) -> Option<Self> {
        let row = runs.get(&[key::SMALL])?;
        let SmallRow { small, counts } = serde_json::from_slice(row).ok()?;
        let [beads, messages, molecules, plans] = counts;
        let mut state = Self {
            beads: Table::on(runs, beads),
            messages: Table::on(runs, messages),
            molecules: Table::on(runs, molecules),
            plans: Table::on(runs, plans),
            small: small.into_owned(),
            ..Self::default()
        };
        state.set_runs(runs);
        Some(state)
    }

    /// Takes everything changed after the newest run, in the order of the keys. The state must then
    /// be set on runs that include these rows.
    pub(crate) fn take_changes(&mut self) -> impl Iterator<Item = Row> + use<> {
        self.refresh();
        let small = SmallRow {
            small: Cow::Borrowed(&self.small),
            counts: [
                self.beads.count(),
                self.messages.count(),
                self.molecules.count(),
                self.plans.count(),
            ],
        };
        let small = serde_json::to_vec(&small).unwrap_or_default();
        std::iter::once((vec![key::SMALL], Some(small)))
            .chain(self.seen.take_changes())
            .chain(self.beads.take_changes())
            .chain(self.messages.take_changes())
            .chain(self.molecules.take_changes())
            .chain(self.plans.take_changes())
            .chain(self.links.0.take_changes())
            .chain(self.work.rows.take_changes())
    }

    pub(crate) fn set_runs(&mut self, runs: &Runs) {
        self.seen.set_runs(runs);
        self.beads.set_runs(runs);
        self.messages.set_runs(runs);
        self.molecules.set_runs(runs);
        self.plans.set_runs(runs);
        self.links.0.set_runs(runs);
        self.work.rows.set_runs(runs);
        self.runs = runs.clone();
    }

    /// Brings the index of open beads up to date.
    pub(crate) fn refresh(&mut self) {
        self.work.refresh(&self.beads, &self.links);
    }

    /// Returns the reason why a checkpoint read failed, if one did. Everything computed since then
    /// is unreliable.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.runs.damage().get()
    }

    /// Records a line that isn't an event.
    pub(crate) fn note_odd(&mut self, line: OddLine) {
        self.small.odd.push(line);
    }

    fn count(&mut self, event: &EventLine<'_>) {
        let small = &mut self.small;
        add_one(&mut small.by_type, &event.event_type);
        add_one(&mut small.by_actor, &event.actor);
        small.first.get_or_insert(event.timestamp);
        small.last = Some(event.key());
    }

    /// Returns the log's clock, which measures leases, lifetimes, retries, timers and timeouts.
    #[must_use]
    pub fn clock(&self) -> &LogClock {
        &self.small.clock
    }

    /// True if the event has already been applied or rejected.
    pub(crate) fn has_seen(&self, event_id: &str) -> bool {
        self.seen.contains(event_id)
    }

    /// Returns the key of the last event.
    #[must_use]
    pub fn last(&self) -> Option<&OrderKey> {
        self.small.last.as_ref()
    }

    /// Returns the number of events.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.small.by_type.values().sum()
    }

    /// Returns the agents by name.
    #[must_use]
    pub fn agents(&self) -> &BTreeMap<String, Agent> {
        self.small.agents.by_name()
    }

    /// Returns the hooks by agent.
    #[must_use]
    pub fn hooks(&self) -> &BTreeMap<String, Hook> {
        self.small.hooks.by_agent()
    }

    /// Returns the path of an agent's hook file, relative to the folder containing `.beads`. If
    /// another agent uses the default path, this is a unique one.
    #[must_use]
    pub fn hook_path(&self, agent: &str) -> String {
        self.small.hooks.path(agent)
    }

    /// Returns the molecule `id`.
    #[must_use]
    pub fn molecule(&self, id: &str) -> Option<Cow<'_, Molecule>> {
        self.molecules.get_cow(id)
    }

    /// Returns queries for the beads that can be worked on.
    #[must_use]
    pub fn work(&self) -> OpenWork<'_> {
        OpenWork::of(&self.beads, &self.links, &self.work)
    }

    /// Returns the rejected events.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.small.rejected
    }

    /// Returns the lines that aren't events.
    #[must_use]
    pub fn odd_lines(&self) -> &[OddLine] {
        &self.small.odd
    }

    /// Returns the id prefix of the last created bead.
    #[must_use]
    pub fn prefix(&self) -> Option<&str> {
        self.small.prefix.as_deref()
    }
}

fn add_one(counts: &mut BTreeMap<String, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}
