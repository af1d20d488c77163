//! The files of the repository that a `command` step starts or loads, as far as they can be known before it runs.
//!
//! Every argument, every word within one, and every variable that names a file of the repository counts, whatever the
//! program is. What a program loads unasked is a table (`loads.json`); what cannot be known is told as open.

mod command_permission;
mod loader_table;
mod program_review;
mod shell_commands;

pub use command_permission::{CommandPermission, ReviewedStep, ReviewedSteps};
pub use program_review::{
    ProgramReview, ReviewedFile, UnknownProgram, loaders_reason, review_program,
};
