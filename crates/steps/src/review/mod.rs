//! Review of the repository files that a `command` step starts or loads, as far as they can be known before the run.
//!
//! For any program, a file of the repository is reviewed if an argument, a word in an argument or a variable names it.
//! A table lists the files that programs load implicitly (`loads.json`). If the step may load other files, the review
//! is reported as open.

mod command_permission;
mod loader_table;
mod program_review;
mod shell_commands;

pub use command_permission::{CommandPermission, ReviewedStep, ReviewedSteps};
pub use program_review::{
    ProgramReview, ReviewedFile, UnknownProgram, loaders_reason, review_program,
};
