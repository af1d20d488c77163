//! Review of the repository files that a `command` step starts or loads, as far as they are known before the
//! run.
//!
//! Every argument, every word within one, and every variable that names a file of the repository counts, for
//! any program. A table lists the files that programs load implicitly (`loads.json`); unknown parts are
//! reported as open.

mod command_permission;
mod loader_table;
mod program_review;
mod shell_commands;

pub use command_permission::{CommandPermission, ReviewedStep, ReviewedSteps};
pub use program_review::{
    ProgramReview, ReviewedFile, UnknownProgram, loaders_reason, review_program,
};
