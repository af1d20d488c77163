//! The shared log: one order of events for many machines.
//!
//! A ledger is a fold over an ordered log, so machines only need to share the order of events.
//! [`SharedLog`] is the interface to a backend, which stores batches of lines, each at a position.
//! It appends a batch only if the caller knows everything before it. The local journal becomes a
//! replica, so reads stay local.
//!
//! ```text
//!  decide ──▶ local lock ──▶ decide on the replica ──▶ append(known position) ──▶ Done ──▶ write locally ──▶ acknowledge
//!                                 ▲                           │
//!                                 └──── fold the tail ◀──── Moved(tail)
//! ```
//!
//! - A write costs one round trip if no other machine wrote in the meantime. If one did, `Moved`
//!   carries the batches we missed, and we try again. So each lost race costs one more round trip.
//! - While machines contend, and for some writes after that, a writer blocks the others before it
//!   decides, if the backend can do that. This costs another round trip, but the writer does not
//!   lose its decision to a race, unless it takes so long that the backend lets the others go on.
//! - The replica may be behind, so a refusal, or a decision that writes nothing, is final only
//!   after a pull.
//! - If the connection is lost, we don't know the outcome of an append. We append the same batch
//!   again at the same position. Either the batch is missing and gets appended, or the returned
//!   tail begins with its id. The log never gets the batch twice.
//! - The replica's note ([`note`]) has a byte position of the local log, and the position of the
//!   shared log that has everything up to there. We write the note after the local log, so a crash
//!   can make it outdated but never wrong. If both logs have an event, we recognize that by its id.
//! - Local lines that the shared log lacks are appended unchanged. They come from an existing
//!   ledger, from offline writes or from git. As in a merge of two clones, the order of events
//!   decides conflicts, and the loser gets mail.
//! - A shared log may lose events, for example if a standby was promoted too early. It then no
//!   longer has the batch at the known position. In that case, we compare both logs from the start
//!   and restore the lost events.
//! - The server's clock dates events, if it has one. Folding, rejections, tokens and leases work as
//!   they do without a shared log.

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
