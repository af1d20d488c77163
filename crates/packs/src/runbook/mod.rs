//! Makes packs from the results of runs, and prints them.
//!
//! `select` takes a runbook's outputs and verifies every pointer in them. The resulting `Pack` has
//! everything that was found, so its digest does not depend on the budget or the format. A `View`
//! is the part of a pack that fits a limit, and `render` prints it. If a view omits anything, a
//! cursor leads to the rest.

mod allot;
mod best_view;
mod classify;
mod edit_diff;
mod entry_drafts;
mod entry_view;
mod fields;
mod kept_packs;
mod long_line;
mod next_actions;
mod oddities;
mod pack_status;
mod planner;
mod printed_entry;
mod render;
mod resting;
mod runbook_diff;
mod runbook_pack;
mod runbook_view;
mod selected_pack;
mod selection;
mod shown_pointer;
mod state_rank;
mod value_parts;
mod verified_entry;
mod verified_lines;
mod view_request;
mod weights;

pub use best_view::view;
pub use edit_diff::{DiffLine, DiffSign, EditDiff};
pub use kept_packs::{
    CursorExpired, Ending, KeptPacks, KeptResult, NotKept, Page, PageRequest, Printed, Rejudged,
    StoredResult, is_stale, judged_ending, judged_status,
};
pub use next_actions::{anchor_actions, next_actions};
pub use oddities::{oddities, oddities_of};
pub use pack_status::{PackStatus, SectionStatus};
pub use render::{PlaceLink, pack_content, pack_schema, render, state};
pub use runbook_diff::{Change, ChangeKind, SectionDiff, diff};
pub use runbook_pack::{Calls, Pack, PackSection, RunbookRef, StoredPack};
pub use runbook_view::{Asked, View, ViewError, ViewOptions};
pub use selected_pack::select;
pub use selection::{Selection, rests_on_files};
pub use state_rank::Rank;
pub use verified_entry::{TextPolicy, verify_entry};
pub use view_request::{DEFAULT_LIMIT, ViewRequest, view_options};
