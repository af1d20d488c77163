//! Reviews which repository files a `command` step starts or loads, as far as that can be known
//! before the run.
//!
//! A user who trusts a runbook also trusts the programs that it starts, and those must not change
//! unnoticed. So the review covers each file that is named by an argument, by a word in an
//! argument, or by a variable, no matter what the program is. Some programs load files without
//! being told, e.g. `make` loads its `Makefile`; the table in `loads.json` lists these. If the step
//! may load yet other files, the review counts as open, and the user is told why.

mod argument_words;
mod command_permission;
mod loader_table;
mod program_review;

pub use command_permission::{CommandPermission, ReviewedStep, ReviewedSteps};
pub use program_review::{ProgramReview, ReviewedFile, UnknownProgram, review_program};
