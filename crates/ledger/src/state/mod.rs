//! What follows from the events: applied one after the other, in their order, each once.

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
mod kept_part;
mod kept_rows;
mod lost_work;
mod open_work;
mod record_table;
mod seen_events;
mod short_forms;
mod work_board;
mod work_filter;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bead::Bead;
use crate::event::{EventLine, Oddity, OrderKey};
use crate::hook::Hook;
use crate::mail::Message;
use crate::molecule::{MolPlan, Molecule};
use crate::stored_record::{Applied, Record, Refusal};
use crate::{LogClock, Stamp};

pub(crate) use agent_table::AgentTable;
pub use agent_table::{Agent, AgentState};
pub use beads_elsewhere::Elsewhere;
pub(crate) use hook_table::HookTable;
pub(crate) use kept_part::{Part, Source};
pub(crate) use kept_rows::Base;
use open_work::OpenWork;
pub use record_table::{Found, Table};
pub(crate) use seen_events::Seen;
use short_forms::{BeadHead, BeadNote, Hold, MessageNote};
pub use short_forms::{Edge, EdgeKind};
pub use work_filter::{Blocked, Picked, Reason, WorkFilter};

/// All that follows from a log of events.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The beads, by id.
    pub beads: Table<Bead>,
    /// The messages, by id.
    pub messages: Table<Message>,
    /// The molecules, by id.
    pub molecules: Table<Molecule>,
    /// Their formulas, by the same id.
    pub plans: Table<MolPlan>,
    /// What is small.
    pub(crate) small: Small,
    /// Which events were applied.
    pub(crate) seen: Seen,
    /// Dependents of each.
    links: bead_order::Links,
    /// The checkpoint that it was read from.
    pub(crate) source: Option<Arc<Source>>,
}

/// What is small enough to be read by every command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Small {
    /// The last of the events.
    pub(crate) last: Option<OrderKey>,
    /// When the first happened.
    pub(crate) first: Option<Stamp>,
    /// How many there are of each type.
    pub(crate) by_type: BTreeMap<String, u64>,
    /// How many there are of each actor.
    pub(crate) by_actor: BTreeMap<String, u64>,
    /// The agents there are.
    pub(crate) agents: AgentTable,
    /// What is on whose hook.
    pub(crate) hooks: HookTable,
    /// The events that were not allowed where they stand.
    pub(crate) rejected: Vec<Rejected>,
    /// Lines of the log that are no events.
    pub(crate) odd: Vec<OddLine>,
    /// The part of the id before the first `-` of the bead that was made last.
    pub(crate) prefix: Option<String>,
    /// Whether a line of the log stands before one that comes first.
    pub(crate) merged: bool,
    /// The log's time.
    pub(crate) clock: LogClock,
}

/// Where a line lies in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinePlace {
    /// Where it begins.
    pub start: u64,
    /// Its length in bytes, without terminator.
    pub bytes: u32,
}

/// A line of the log that is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OddLine {
    /// Where it lies.
    pub place: LinePlace,
    /// What it is.
    pub what: Oddity,
}

/// An event that was not allowed where it stands: it is kept, and changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rejected {
    /// The event.
    pub event_id: String,
    /// Its type.
    pub event_type: String,
    /// When it happened.
    pub timestamp: Stamp,
    /// Who did it.
    pub actor: String,
    /// Why it does not count.
    pub reason: String,
    /// The event that counts in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub won: Option<String>,
}

/// What became of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It counts.
    Applied,
    /// It is there already.
    Duplicate,
    /// It was not allowed.
    Rejected(Rejected),
}

impl State {
    /// Applies `event`, which comes after all that were applied before.
    ///
    /// Total: whatever it says, the state is a state afterwards.
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

    /// Why something that was asked of it could not be read. What it said since then is not to be relied on.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.source.as_ref()?.damage()
    }

    /// Notes that a line of the log is no event.
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

    /// The log's time, by which leases, lifetimes, retries, timers and timeouts end.
    #[must_use]
    pub fn clock(&self) -> &LogClock {
        &self.small.clock
    }

    /// Whether the event was applied, whatever came of it.
    pub(crate) fn has_seen(&self, event_id: &str) -> bool {
        self.seen.contains(event_id)
    }

    /// The place of the last of the events.
    #[must_use]
    pub fn last(&self) -> Option<&OrderKey> {
        self.small.last.as_ref()
    }

    /// How many events there are.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.small.by_type.values().sum()
    }

    /// The agents there are.
    #[must_use]
    pub fn agents(&self) -> &BTreeMap<String, Agent> {
        self.small.agents.by_name()
    }

    /// What is on whose hook.
    #[must_use]
    pub fn hooks(&self) -> &BTreeMap<String, Hook> {
        self.small.hooks.by_agent()
    }

    /// The file of an agent's hook, from the folder that `.beads` lies in: the usual one, or, while that is another agent's,
    /// one of its own.
    #[must_use]
    pub fn hook_path(&self, agent: &str) -> String {
        self.small.hooks.path(agent)
    }

    /// A molecule.
    #[must_use]
    pub fn molecule(&self, id: &str) -> Option<Cow<'_, Molecule>> {
        self.molecules.look_at(id)
    }

    /// Questions about the order in which beads can be worked on.
    #[must_use]
    pub fn work(&self) -> OpenWork<'_> {
        OpenWork::of(&self.beads)
    }

    /// The events that were not allowed where they stand.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.small.rejected
    }

    /// Lines of the log that are no events.
    #[must_use]
    pub fn odd_lines(&self) -> &[OddLine] {
        &self.small.odd
    }

    /// The part of the id before the first `-` of the bead that was made last.
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
