//! The built-in step kinds and their shared helpers.

pub(crate) mod anchors_step;
mod built_in;
pub(crate) mod command_step;
pub(crate) mod doc_step;
pub(crate) mod evidence_step;
pub(crate) mod file_scope;
pub(crate) mod files_step;
mod found_evidence;
pub(crate) mod git_step;
pub(crate) mod join_step;
mod json_pointer;
mod kind_spec;
mod large_numbers;
pub(crate) mod outline_step;
mod output_room;
pub(crate) mod pack_step;
pub(crate) mod playbook_step;
mod read_document;
pub(crate) mod read_step;
pub(crate) mod recall_step;
pub(crate) mod runbook_step;
pub(crate) mod search_step;
pub(crate) mod select_step;
pub(crate) mod suggestions_step;
