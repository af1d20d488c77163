//! An append-only log of events that many processes share, and what follows from it: beads and their dependencies,
//! mail, hooks, agents, molecules.
//!
//! - [`Ledger`] opens the log, catches up with what others appended, and appends what is decided under its lock;
//! - [`Event`](event::Event) and [`Payload`](event::Payload) are the vocabulary;
//! - [`State`] is what follows: applying is total, so that an event which is not allowed where it stands is kept, and
//!   told with what counts in its place;
//! - the files beside the log (`issues.jsonl`, `messages.jsonl`, `mols/`, hooks, `feed.jsonl`) are made from the state, and can
//!   be thrown away. Those that git tracks are written by [`Ledger::sync`] alone, the others by every change; opening a
//!   ledger writes nothing.
//!
//! The log is the truth. This crate must never change or take out a line of it, never acknowledge what is not durable,
//! never lose a field that it does not know, and never look at the clock, the environment or a random number itself.

pub mod bead;
mod check;
mod checkpoint;
#[cfg(test)]
mod checkpoint_tests;
mod clock;
#[cfg(test)]
mod copies_tests;
mod draft;
mod error;
pub mod event;
mod feed;
mod fold;
mod hook;
mod id;
#[cfg(test)]
mod import_tests;
mod ledger;
#[cfg(test)]
mod ledger_tests;
mod mail;
mod mirror;
mod molecule;
mod places;
mod project;
mod query;
mod route;
mod schemas;
mod stamp;
mod state;
#[cfg(test)]
mod testing;

pub use check::{Check, Finding};
pub use clock::LogClock;
pub use draft::{Draft, Secrets, Writer};
pub use error::LedgerError;
pub use hook::{Hook, HookKind, parse_hook, usual_file_name};
pub use ledger::Ledger;
pub use mail::{MailPriority, Message, MessageType, Role};
pub use molecule::{
    Bond, Claim, ClaimedStep, Closing, Doer, MolDigest, MolFileStep, MolGate, MolHead, MolMetrics,
    MolPlan, MolState, MolStep, Molecule, MoleculeFile, PutAway, StepProof, USUAL_LEASE_MS,
    USUAL_TTL_MS, World,
};
pub use places::Places;
pub use query::{EventFilter, FoundEvent};
pub use route::{Route, Routes, prefix_of};
pub use schemas::schemas;
pub use stamp::{Stamp, StampError};
pub use state::{
    Agent, AgentState, BeadHead, BeadNote, Blocked, Edge, EdgeKind, Elsewhere, Found, Hold,
    LinePlace, MessageHead, MessageNote, OddLine, Picked, Reason, Record, Rejected, State, Table,
    Verdict, WorkFilter,
};
