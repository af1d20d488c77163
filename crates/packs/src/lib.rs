//! Packs, which present the results of a run or the knowledge for a piece of work. A pack is stored under a digest,
//! cut to a [`Budget`], and continued in pages.
//!
//! - A [`Pack`] contains what [`select`] takes from a run, with every pointer verified. [`view`] selects the part that
//!   fits a limit and treats the sections fairly. A [`Cursor`] continues it from [`KeptPacks`].
//! - A [`context::ContextPack`] contains the minimum knowledge for a piece of work. [`context::trim`] selects the part
//!   that fits a budget, with the most important parts first.
//!
//! Both kinds use the same budget ([`Budget`], [`Measure`]), redaction ([`harmless`], [`redacted_json`]), comparison,
//! and printing ([`Format`], [`Styled`]).
//!
//! This crate must never show text that was not verified in the current state of the files, let one section starve
//! another, or print more than the limit.

mod budget;
pub mod context;
mod pack_folder;
mod paging;
mod pairing;
mod printing;
mod redaction;
mod runbook;

pub use budget::{Budget, Measure, least_budget};
pub use paging::{Cursor, CursorError, FittingPage, ListCursors, ListPage, most_that_fit};
pub use printing::{Format, Span, Style, Styled, clean_value, fit_columns, tron};
pub use redaction::{
    differ_in_marks, harmless, harmless_line, harmless_lines, marks_in, redacted_exact,
    redacted_json, without_marks,
};
pub use runbook::{
    Asked, Calls, Change, ChangeKind, CursorExpired, DEFAULT_LIMIT, DiffLine, DiffSign, EditDiff,
    Ending, KeptPacks, KeptResult, NotKept, Pack, PackSection, PackStatus, Page, PageRequest,
    PlaceLink, Printed, Rank, Rejudged, RunbookRef, SectionDiff, SectionStatus, Selection,
    StoredPack, StoredResult, TextPolicy, View, ViewError, ViewOptions, ViewRequest,
    anchor_actions, diff, is_stale, judged_ending, judged_status, next_actions, oddities,
    oddities_of, pack_content, pack_schema, render, rests_on_files, select, state, verify_entry,
    view, view_options,
};
