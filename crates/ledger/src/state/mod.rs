//! What follows from the events: applied one after the other, in their order, each once.

mod apply;
mod apply_bead;
mod apply_bond;
mod apply_gate;
mod apply_mol;
mod apply_step;
mod base;
mod board;
mod change;
mod elsewhere;
mod head;
mod hook_paths;
mod links;
mod loss;
mod part;
mod ready;
mod seen;
mod table;
mod work_filter;
#[cfg(test)]
mod work_tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bead::Bead;
use crate::clock::EventTime;
use crate::event::{EventLine, Oddity, OrderKey};
use crate::hook::Hook;
use crate::mail::Message;
use crate::molecule::{MolPlan, Molecule};
use crate::record::{Record, Refusal};
use crate::{LogClock, Stamp};

pub(crate) use base::Base;
pub use elsewhere::Elsewhere;
pub use head::{BeadHead, BeadNote, Edge, EdgeKind, Hold, MessageHead, MessageNote};
pub(crate) use part::{Part, Source};
pub(crate) use seen::Seen;
pub use table::{Found, Table};
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
    /// Who waits for whom; only there once it was asked for.
    links: Option<links::Links>,
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
    pub(crate) agents: BTreeMap<String, Agent>,
    /// What is on whose hook.
    pub(crate) hooks: BTreeMap<String, Hook>,
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

/// What an agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// It began a session.
    Started,
    /// It is at work.
    Working,
    /// It waits.
    Idle,
    /// Its session ended.
    Stopped,
}

/// An agent, as its events tell of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Agent {
    /// What it does.
    pub state: AgentState,
    /// Since when.
    pub since: Stamp,
    /// When it was last heard of.
    pub last_seen: Stamp,
    /// What its session is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    /// Where it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Which sort of agent it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The bead it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// What it did last, or why it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// With which code its session ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
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
                self.tell_loss(event, &rejected);
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

    /// When `event` happened, which is being applied.
    fn time(&self, event: &EventLine<'_>) -> EventTime {
        EventTime {
            stamp: event.timestamp,
            clock: event.clock(),
            log: self.small.clock.now().unwrap_or(event.timestamp),
            order: event.key().timestamp(),
        }
    }

    /// The log's time, by which leases, lifetimes, retries, timers and timeouts end.
    #[must_use]
    pub fn clock(&self) -> &LogClock {
        &self.small.clock
    }

    /// Whether the event was applied, whatever came of it.
    #[must_use]
    pub fn has_seen(&self, event_id: &str) -> bool {
        self.seen.contains(event_id)
    }

    /// The place of the last of the events.
    #[must_use]
    pub fn last(&self) -> Option<&OrderKey> {
        self.small.last.as_ref()
    }

    /// When the first happened.
    #[must_use]
    pub fn first(&self) -> Option<Stamp> {
        self.small.first
    }

    /// How many events there are.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.small.by_type.values().sum()
    }

    /// How many there are of each type.
    #[must_use]
    pub fn events_by_type(&self) -> &BTreeMap<String, u64> {
        &self.small.by_type
    }

    /// How many there are of each actor.
    #[must_use]
    pub fn events_by_actor(&self) -> &BTreeMap<String, u64> {
        &self.small.by_actor
    }

    /// The agents there are.
    #[must_use]
    pub fn agents(&self) -> &BTreeMap<String, Agent> {
        &self.small.agents
    }

    /// What is on whose hook.
    #[must_use]
    pub fn hooks(&self) -> &BTreeMap<String, Hook> {
        &self.small.hooks
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
