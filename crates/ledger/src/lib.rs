//! The ledger of a repository.
//!
//! It consists of an append-only log of events, shared by many processes, and the state folded from
//! that log: beads, mail, hooks, agents and molecules.
//!
//! [`LedgerService`] opens a [`LedgerSession`] for an actor. The session's views ([`Beads`],
//! [`Mail`], [`Hooks`], [`Agents`], [`EventLog`]) lock the log and emit events ([`event`]) through
//! a [`Draft`]. Folding the events produces the [`State`].
//!
//! Folding never fails. After a merge, the log may have two claims of the same bead by different
//! clones, and a reader cannot undo either of them. An event that the state does not allow
//! therefore remains in the log and is reported as rejected, together with the event that takes
//! precedence.
//!
//! The log is the source of truth. Its lines are never changed or removed, an event is acknowledged
//! only once it is durable, and unknown fields are kept. The files beside the log are derived from
//! the state and can be deleted. Opening a ledger writes nothing.
//!
//! This crate does not read the clock, the environment or random numbers itself, so callers pass
//! them in.

pub mod bead;
mod draft;
mod error;
pub mod event;
mod event_query;
mod fold;
mod hook;
mod id;
mod journal;
mod ledger_places;
mod log_check;
mod log_clock;
mod mail;
mod molecule;
mod output_store;
mod route;
mod rows;
mod schemas;
mod session;
mod shared;
mod side_files;
mod stamp;
mod state;
mod stored_record;

pub use draft::Draft;
#[cfg(test)]
pub(crate) use draft::{Secrets, Writer};
pub use error::LedgerError;
pub use event_query::{EventFilter, FoundEvent};
pub use fold::{fold_log, follow_log};
pub(crate) use hook::parse_hook;
pub use hook::{Hook, HookKind};
pub(crate) use journal::Journal;
pub use ledger_places::Places;
pub use log_check::{Check, Finding};
pub(crate) use log_clock::LogClock;
pub use mail::{MailPriority, Message, MessageType, Role};
pub use molecule::{
    Bond, Claim, ClaimedStep, Doer, Due, MolFileStep, MolGate, MolHead, MolScope, MolState,
    MolStep, Molecule, MoleculeFile, PutAway, RUN, RunGives, RunInput, StepOutput, StepProof,
    StoredOutput, USUAL_TTL_MS, VERIFY, VerifyGives, World, criteria_of, for_formulas,
    is_of_formulas, run_input_of, startable,
};
pub use route::{Route, Routes};
pub use schemas::schemas;
pub use session::{
    Agents, BeadReport, BeadUpdate, Beads, EventStats, ExportReport, HookReport, Hooks,
    ImportReport, ImportRequest, Inbox, LedgerService, LedgerSession, Mail, MolTrust, NewBead,
    NewDependency, NewMail, RepoWorld, ShareReport, ShareStatus, SharedOpener, Sharing, WorkList,
    check_bead, exists, is_document, message, outdated_items, put_on_hook,
};
pub use shared::{
    Append, Batch, Head, OpenShared, Opening, Position, SharedConfig, SharedContact, SharedError,
    SharedLog, Tail,
};
pub use stamp::Stamp;
pub use state::{
    Agent, AgentState, Edge, EdgeKind, Elsewhere, Found, Picked, Reason, Rejected, State, Table,
    Verdict, WorkFilter,
};
pub use stored_record::Record;

#[cfg(test)]
mod tests;
