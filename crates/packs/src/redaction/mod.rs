//! Replaces secret values with marks when printing packs.

mod harmless;
mod redaction_marks;

pub use harmless::{harmless, harmless_line, harmless_lines, redacted_exact, redacted_json};
pub use redaction_marks::{differ_in_marks, marks_in, without_marks};
