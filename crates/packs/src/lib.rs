//! Packs present the results of a run, or the knowledge for a piece of work, within a limit.
//!
//! A pack is stored under a digest of its contents. The output shows as much of it as fits a
//! [`Budget`], and later pages continue from there. There are two kinds:
//!
//! - A [`Pack`] has everything that [`select`] takes from a run, with every pointer verified.
//!   [`view`] picks the part that fits a limit, and divides the room fairly among the sections. A
//!   [`Cursor`] in the view leads to the next page, which is read from [`KeptPacks`].
//! - A [`context::ContextPack`] has the minimum knowledge for a piece of work. [`context::trim`]
//!   picks the parts that fit a budget, the most important ones first.
//!
//! For example, a view of 8000 characters may show 20 of 300 matches and end in a call with a
//! cursor. That call shows the next matches without running the search again.
//!
//! Both kinds share the budget ([`Budget`], [`Measure`]), redaction ([`harmless`],
//! [`redacted_json`]), comparison, and printing ([`Format`], [`Styled`]).
//!
//! Readers act on the contents of a pack. So we must never show text that we have not verified in
//! the current files, never print more than the limit, and never let one section starve another.

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
