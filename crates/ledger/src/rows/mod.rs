//! Rows: the form of the state that a checkpoint stores, and that commands read by block.
//!
//! ```text
//!  state ──▶ Overlay: rows changed since the newest run        in memory
//!            Run n    rows changed in the log's newest piece   a file or a few
//!            …
//!            Run 1    rows of the log's oldest piece
//! ```
//!
//! A row is a key with a value, or a key that is marked as removed. Keys start with a byte for the kind of row ([`key`]).
//! A [`Run`] holds the rows that one piece of the log changed, sorted by key; it never changes. A read asks the newest run
//! first. It loads only the blocks that hold the key, and verifies each of them. Neighbouring runs are merged as the log
//! grows, so that their number stays small.
//!
//! The state at the end of a piece of the log consists of the runs up to there. Returning to it takes no work, which is
//! what an event that belongs before others needs.

pub(crate) mod key;
mod overlay;
mod part;
mod part_builder;
mod run;

pub(crate) use overlay::{Overlay, overlaid};
pub(crate) use part::{Built, Damage, Part, PartInfo};
use part_builder::PartBuilder;
pub(crate) use run::{Row, Run, Runs, merged};
