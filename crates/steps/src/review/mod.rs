//! Review of the repository files started or loaded by a `command` step, as far as we can know them
//! before the run.
//!
//! A user who trusts a runbook trusts the programs it starts, and those must not change unnoticed.
//! A file of the repository is therefore reviewed if an argument, a word in an argument or a
//! variable names it, whatever the program is. A table lists the files loaded implicitly by
//! programs (`loads.json`): `make` never mentions its `Makefile`. If the step may load other files,
//! the review is reported as open.

mod command_permission;
mod loader_table;
mod program_review;
mod shell_commands;

pub use command_permission::{CommandPermission, ReviewedStep, ReviewedSteps};
pub use program_review::{
    ProgramReview, ReviewedFile, UnknownProgram, loaders_reason, review_program,
};
