//! Conflict markers left by an unfinished merge.

use std::ops::Range;

/// Returns the ranges of lines that are conflict markers.
pub(crate) fn conflict_lines(text: &str) -> Vec<Range<usize>> {
    let (mut lines, mut at, mut inside) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_end();
        let begins = content.starts_with("<<<<<<< ") || content == "<<<<<<<";
        let ends = content.starts_with(">>>>>>> ") || content == ">>>>>>>";
        if begins || ends || (inside && content == "=======") {
            inside = !ends;
            lines.push(start..start + content.len());
        }
    }
    lines
}

/// Returns true if `text` has conflict markers.
#[must_use]
pub fn has_conflict_marks(text: &str) -> bool {
    !conflict_lines(text).is_empty()
}
