//! The shared log: a single order of events for many machines.
//!
//! A ledger is a fold over an ordered log, so machines only need to share the order of events.
//! [`SharedLog`] is the interface to a backend. A backend stores batches of lines, each at a
//! position, and appends a batch only if the caller knows everything before it. The local journal
//! becomes a replica, and reads stay local.
//!
//! ```text
//!  decide ──▶ local lock ──▶ decide on the replica ──▶ append(known position) ──▶ Done ──▶ write locally ──▶ acknowledge
//!                                 ▲                           │
//!                                 └──── fold the tail ◀──── Moved(tail)
//! ```
//!
//! - A write costs one round trip if no other machine wrote. `Moved` carries the tail, so each lost
//!   race costs one more.
//! - While machines contend, a writer blocks the others before it decides, if the backend can. That
//!   costs one more round trip, but no decision is made in vain. The first writer to find nothing
//!   new stops blocking.
//! - A refusal, or a decision that writes nothing, is final only after a pull, because the replica
//!   may be behind.
//! - After a lost connection, the outcome of an append is unknown. The writer appends the same
//!   batch again at the same position. Either the batch is missing and gets appended, or the
//!   returned tail begins with its id. Either way, the log has the batch only once.
//! - The replica's note ([`note`]) records up to which byte of the local log the shared log has
//!   everything, and which position that is. We write it after the local log, so a crash can make
//!   it outdated but never wrong. Events in both logs are recognised by their ids.
//! - Local lines missing from the shared log are appended unchanged. They come from an existing
//!   ledger, from offline writes or from git. The order of events decides conflicts, as in a merge
//!   of two clones, and the loser gets mail.
//! - A shared log may lose events, for example if a standby was promoted too early. It then no
//!   longer has the batch at the known position. In that case we compare both logs from the start
//!   and restore the lost events.
//! - Events are dated by the server's clock, if it has one. Folding, rejections, tokens and leases
//!   work as they do without a shared log.

mod exchange;
mod note;
mod replica;
mod shared_config;
mod shared_contact;
mod shared_log;
mod shared_write;

pub(crate) use exchange::{Exchanged, LocalLog};
pub(crate) use replica::Replica;
pub use shared_config::SharedConfig;
pub(crate) use shared_config::{read_config, remove_config, write_config};
pub use shared_contact::SharedContact;
pub use shared_log::{
    Append, Batch, Head, OpenShared, Opening, Position, SharedError, SharedLog, Tail,
};
pub(crate) use shared_write::{decide_here, decide_shared};
