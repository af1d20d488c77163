//! Rows are the form in which a checkpoint stores the state, so that commands can read it by block.
//!
//! ```text
//!  state ──▶ Overlay: rows changed since the newest run        in memory
//!            Run n    rows changed in the log's newest piece   a file or a few
//!            …
//!            Run 1    rows of the log's oldest piece
//! ```
//!
//! A row is a key with a value, or a key marked as removed. Keys start with a byte for the kind of
//! row ([`key`]). A [`Run`] has the rows changed by one piece of the log, sorted by key, and never
//! changes itself. A read asks the newest run first. It only loads the blocks with the key, and
//! verifies each of them. As the log grows, we merge neighbouring runs to keep their number small.
//!
//! The state at the end of a piece of the log consists of the runs up to there. An event that
//! belongs before others needs such an earlier state, and returning to it takes no work.

pub(crate) mod key;
mod overlay;
mod part;
mod part_builder;
mod run;

pub(crate) use overlay::{Overlay, overlaid};
pub(crate) use part::{Built, Damage, Part, PartInfo};
use part_builder::PartBuilder;
pub(crate) use run::{Row, Run, Runs, merged};
