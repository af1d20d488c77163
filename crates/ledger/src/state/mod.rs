//! The state of a ledger: the result of applying all its events in order, each of them once.
//!
//! Records are in tables, which read a record's row from the checkpoint only when a query needs it.
//! The small part of the state is always in memory. `apply` and its `apply_*` siblings have the
//! effects of the events; everything else in this folder serves queries.

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
use std::sync::OnceLock;

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
pub use work_filter::{Picked, Reason, WorkFilter};
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
    /// The molecules' cooked formulas, by molecule id.
    pub plans: Table<MolPlan>,
    /// The part that every command reads, so it's small.
    pub(crate) small: Small,
    pub(crate) seen: Seen,
    links: bead_order::Links,
    work: WorkIndex,
    /// The same without outdated rows, from the first query after a change until the next change.
    current_work: OnceLock<WorkIndex>,
    /// The checkpoint that the state is based on.
    runs: Runs,
}

/// The row for [`Small`], which also has the number of records in each table.
#[derive(Serialize, Deserialize)]
struct SmallRow<'a> {
    #[serde(flatten)]
    small: Cow<'a, Small>,
    counts: [usize; 4],
}

/// The part of the state that every command reads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Small {
    pub(crate) last: Option<OrderKey>,
    pub(crate) first: Option<Stamp>,
    pub(crate) by_type: BTreeMap<String, u64>,
    pub(crate) by_actor: BTreeMap<String, u64>,
    pub(crate) agents: AgentTable,
    pub(crate) hooks: HookTable,
    pub(crate) rejected: Vec<Rejected>,
    pub(crate) odd: Vec<OddLine>,
    pub(crate) prefix: Option<String>,
    /// True if we've found lines out of event order, as after a merge.
    pub(crate) merged: bool,
    pub(crate) clock: LogClock,
}

/// Byte range of a line in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinePlace {
    /// Offset of the first byte.
    pub start: u64,
    /// Length in bytes, without the line break.
    pub bytes: u32,
}

/// A line of the log that isn't an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OddLine {
    /// Position of the line.
    pub place: LinePlace,
    /// Tells what the line is instead.
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

/// Outcome of applying an event. None of these is an error.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The event was applied.
    Applied,
    /// We had applied the event before, so nothing has changed.
    Duplicate,
    /// The state doesn't allow the event, so nothing else has changed.
    Rejected(Rejected),
}

impl State {
    /// Applies `event`, which must come after all events applied so far. This never fails: we
    /// record an event that the state doesn't allow as rejected.
    pub fn apply(&mut self, event: &EventLine<'_>) -> Verdict {
        // A log merged by git may have the same line twice.
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
                // If two clones have claimed the same bead, for example, the loser only finds out
                // now. Tell it by mail.
                self.small.rejected.push(rejected.clone());
                if let Some(message) = lost_work::message_to_loser(self, event, &rejected) {
                    self.messages.insert(message, MessageNote::of(event));
                }
                Verdict::Rejected(rejected)
            }
        }
    }

    /// The state that `runs` have, or `None` if they're empty or unreadable.
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

    /// Moves out everything that has changed since the newest run, sorted by key. The caller must
    /// put these rows into a run and set it with [`Self::set_runs`]; otherwise, the changes are
    /// lost.
    pub(crate) fn take_changes(&mut self) -> impl Iterator<Item = Row> + use<> {
        self.work_to_change();
        self.work.refresh(&self.beads, &self.links);
        let small = SmallRow {
            small: Cow::Borrowed(&self.small),
            counts: [
                self.beads.count(),
                self.messages.count(),
                self.molecules.count(),
                self.plans.count(),
            ],
        };
        // The tables are in the order of their keys' first bytes.
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
        self.work_to_change().rows.set_runs(runs);
        self.runs = runs.clone();
    }

    fn work_to_change(&mut self) -> &mut WorkIndex {
        if let Some(current) = self.current_work.take() {
            self.work = current;
        }
        &mut self.work
    }

    /// Returns the error of reading the checkpoint, if there was one. Nothing that was computed
    /// from this state can be relied on then.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.runs.damage().get()
    }

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

    /// The log's clock, which measures leases, lifetimes, retries, timers and timeouts.
    #[must_use]
    pub fn clock(&self) -> &LogClock {
        &self.small.clock
    }

    pub(crate) fn has_seen(&self, event_id: &str) -> bool {
        self.seen.contains(event_id)
    }

    /// Position of the last event, whether it was applied or rejected.
    #[must_use]
    pub fn last(&self) -> Option<&OrderKey> {
        self.small.last.as_ref()
    }

    /// Number of events, including rejected ones.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.small.by_type.values().sum()
    }

    /// All agents that have reported anything, by name.
    #[must_use]
    pub fn agents(&self) -> &BTreeMap<String, Agent> {
        self.small.agents.by_name()
    }

    /// All hooks that are set, by agent.
    #[must_use]
    pub fn hooks(&self) -> &BTreeMap<String, Hook> {
        self.small.hooks.by_agent()
    }

    /// Returns the path of an agent's hook file, relative to the folder containing `.beads`. The
    /// names of two agents may lead to the same default path, in which case one of them gets
    /// another.
    #[must_use]
    pub fn hook_path(&self, agent: &str) -> String {
        self.small.hooks.path(agent)
    }

    /// Looks up a molecule, without a copy if we have it in memory.
    #[must_use]
    pub fn molecule(&self, id: &str) -> Option<Cow<'_, Molecule>> {
        self.molecules.get_cow(id)
    }

    /// Queries for open beads and what holds them back.
    #[must_use]
    pub fn work(&self) -> OpenWork<'_> {
        let current = || {
            let mut work = self.work.clone();
            work.refresh(&self.beads, &self.links);
            work
        };
        let work = match self.work.is_fresh() {
            true => &self.work,
            false => self.current_work.get_or_init(current),
        };
        OpenWork::of(&self.beads, &self.links, work)
    }

    /// Events that the state didn't allow, in order.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.small.rejected
    }

    /// Lines that aren't events. A check reports them.
    #[must_use]
    pub fn odd_lines(&self) -> &[OddLine] {
        &self.small.odd
    }

    /// Id prefix of the last bead that was created here. If there's none, that of the first import.
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
