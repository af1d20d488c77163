//! Notebook file: format, edits and history.

pub(crate) mod damage;
pub(crate) mod declined;
pub(crate) mod edit;
pub(crate) mod edit_mode;
pub(crate) mod notebook_document;
pub(crate) mod notebook_file;
pub(crate) mod notebook_limits;
mod notebook_place;
pub(crate) mod noted_changes;
pub(crate) mod ownership;
mod parsed_notebook;
pub(crate) mod read_notebook;
mod rewriting;
mod salvage;
pub(crate) mod saved_runbook;
mod set_aside;
mod strangers;
pub(crate) mod superseded;
mod unknown_fields;
