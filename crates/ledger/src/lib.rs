//! The ledger of a repository: an append-only log of events that many processes share, and what follows from it: beads,
//! mail, hooks, agents, molecules.
//!
//! [`LedgerService`] opens it as a [`LedgerSession`] for somebody. What they do stands in its views ([`Beads`], [`Mail`],
//! [`Hooks`], [`Agents`], [`EventLog`]): each decides something under the lock of the log in a [`Draft`], by events
//! ([`event`]), and [`State`] is what follows from these. Applying is total: an event that is not allowed where it stands is
//! kept, and told with what counts in its place. The files beside the log are made from the state and can be thrown away;
//! opening a ledger writes nothing.
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
mod journal;
#[cfg(test)]
mod journal_tests;
mod mail;
mod mirror;
mod molecule;
mod places;
mod project;
mod query;
mod record;
mod route;
mod schemas;
mod session;
mod stamp;
mod state;
#[cfg(test)]
mod testing;

pub use check::{Check, Finding};
pub use clock::LogClock;
pub use draft::Draft;
#[cfg(test)]
pub(crate) use draft::{Secrets, Writer};
pub use error::LedgerError;
pub use hook::{Hook, HookKind, parse_hook, usual_file_name};
pub(crate) use journal::Journal;
pub use mail::{MailPriority, Message, MessageType, Role};
pub use molecule::{
    Bond, Claim, ClaimedStep, Closing, Doer, MolDigest, MolFileStep, MolGate, MolHead, MolMetrics,
    MolPlan, MolState, MolStep, Molecule, MoleculeFile, PutAway, StepDraft, StepProof,
    USUAL_LEASE_MS, USUAL_TTL_MS, VERIFY, VerifyGives, World, criteria_of, for_formulas,
};
pub use places::Places;
pub use query::{EventFilter, FoundEvent};
pub use record::Record;
pub use route::{Route, Routes, prefix_of};
pub use schemas::schemas;
pub use session::{
    Agents, BeadReport, BeadUpdate, Beads, EventLog, EventStats, ExportReport, HookReport, Hooks,
    ImportReport, ImportRequest, Inbox, LedgerRoutes, LedgerService, LedgerSession, Mail, MolTrust,
    NewBead, NewDependency, NewMail, RepoWorld, WorkList, check_bead, exists, is_document, message,
    take_off_hook, untold_items,
};
pub use stamp::{Stamp, StampError};
pub use state::{
    Agent, AgentState, BeadHead, BeadNote, Blocked, Edge, EdgeKind, Elsewhere, Found, Hold,
    LinePlace, MessageHead, MessageNote, OddLine, Picked, Reason, Rejected, State, Table, Verdict,
    WorkFilter,
};
