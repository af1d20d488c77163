//! The files of the repository that a `command` step starts or loads, as far as they can be known before it runs.
//!
//! Every argument, every word within one, and every variable that names a file of the repository counts, whatever the
//! program is. What a program loads unasked is a table (`loads.json`); what cannot be known is told as open.

mod path;
mod review;
mod table;
mod words;

pub use path::ProgramPaths;
pub use review::{ProgramReview, UnknownProgram, loaders_reason, review_program};
