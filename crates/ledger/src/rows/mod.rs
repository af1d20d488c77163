//! Stores the state in a checkpoint as rows, which commands read one block at a time.
//!
//! ```text
//!  state ──▶ Overlay: rows changed since the newest run        in memory
//!            Run n    rows changed in the log's newest piece   a file or a few
//!            …
//!            Run 1    rows of the log's oldest piece
//! ```
//!
//! A row is a key with a value, or a key marked as removed. Keys start with a byte for the kind of
//! row ([`key`]). A [`Run`] has the rows that one piece of the log changed, sorted by key, and
//! never changes. A read goes through the runs from the newest to the oldest. It loads only the
//! blocks that may have the key, and verifies each of them. Every read has to look into all runs,
//! so we merge neighbouring ones as the log grows.
//!
//! The state at the end of a piece of the log consists of the runs up to there. That makes it cheap
//! to go back to an earlier state for a late event.

pub(crate) mod key;
mod overlay;
mod part;
mod part_builder;
mod run;

pub(crate) use overlay::{Overlay, overlaid};
pub(crate) use part::{Built, Damage, Part, PartInfo};
use part_builder::PartBuilder;
pub(crate) use run::{Row, Run, Runs, encoded, merged};
