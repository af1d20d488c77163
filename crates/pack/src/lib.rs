//! From the results of a run to the pack that is printed.
//!
//! The way is one line: [`select`] takes what the runbook's outputs ask for and judges every pointer in it,
//! which gives a [`Pack`]: everything that was found, before any cutting. A [`Pack`] has a digest that is the
//! same for every budget and format. [`View`] decides what of it is shown within a limit, and [`render`]
//! prints a view; what is cut can be had with a [`Cursor`].
//!
//! This crate must never show text that was not verified in the state of the files at hand, let one section
//! starve another, or print more than the limit.

mod allot;
mod classify;
mod cursor;
mod diff;
mod excerpt;
mod fields;
mod fit;
mod long_line;
mod measure;
mod next;
mod oddities;
mod pack;
mod parts;
mod planner;
mod printed;
mod redact;
mod render;
mod resting;
mod select;
mod status;
mod verify;
mod view;
mod weights;

pub use cursor::{Cursor, CursorError};
pub use diff::{Change, ChangeKind, SectionDiff, diff};
pub use fit::view;
pub use measure::Measure;
pub use next::{next_actions, repair, repairs};
pub use oddities::{oddities, oddities_of};
pub use pack::{Calls, Pack, PackSection, RunbookRef, StoredPack};
pub use redact::{harmless, harmless_line, harmless_lines, redacted_exact, redacted_json};
pub use render::{
    Format, Span, Style, Styled, clean_value, fit_columns, pack_schema, render, state, tron,
};
pub use select::{Selection, rests_on_files, select};
pub use status::{PackStatus, SectionStatus};
pub use verify::{TextPolicy, verify_entry};
pub use view::{Asked, View, ViewError, ViewOptions};
