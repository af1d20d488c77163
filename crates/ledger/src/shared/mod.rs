//! The shared log: one order of events for many machines.
//!
//! A ledger is a fold over an ordered log, so machines need to share only the order of its events. [`SharedLog`] is
//! the seam: a backend stores batches of lines, each at a position, and appends a batch only if the caller knows
//! everything before it. The local journal becomes a replica, and reads stay local.
//!
//! ```text
//!  decide ──▶ local lock ──▶ decide on the replica ──▶ append(known position) ──▶ Done ──▶ write locally ──▶ acknowledge
//!                                 ▲                           │
//!                                 └──── fold the tail ◀──── Moved(tail)        the third try holds the backend's lock
//! ```
//!
//! - A write costs one round trip if nobody else wrote. `Moved` carries the tail, so a lost race costs one more.
//! - A refusal, and a decision that writes nothing, is final only after a pull: the replica may be behind.
//! - After a lost connection the outcome is unknown. The same batch is appended again at the same position: either
//!   it is not there, and is appended, or the tail begins with its id. It is never there twice.
//! - The note of the replica ([`note`]) says up to which byte of the local log the shared log has everything, and
//!   which position that is. It is written after the local log, so that a crash makes it old, never wrong. Events
//!   that are in both logs are recognised by their ids.
//! - Local lines that the shared log lacks (an existing ledger, writes while offline, events that git brought) are
//!   appended as they are. Their order decides, as in a merge of two clones, and the loser gets mail.
//! - A shared log that has lost events, such as a standby that was promoted too early, no longer has the batch at the
//!   known position. The replica then compares both logs from the start and gives the lost events back.
//! - Events are dated by the clock of the server, where it has one. Fold, rejections, tokens and leases are the same
//!   as without a shared log.

mod exchange;
mod note;
mod replica;
mod shared_config;
mod shared_log;
mod shared_write;

pub(crate) use exchange::{Exchanged, LocalLog};
pub(crate) use replica::Replica;
pub use shared_config::SharedConfig;
pub(crate) use shared_config::{read_config, remove_config, write_config};
pub use shared_log::{
    Append, Batch, Head, OpenShared, Opening, Position, SharedError, SharedLog, Tail,
};
pub(crate) use shared_write::{decide_here, decide_shared};
