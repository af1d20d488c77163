//! Finds conflict markers of an unfinished merge.

use std::ops::Range;

/// Finds the conflict markers' lines.
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

/// True if `text` contains conflict markers. A line of `=======` alone is not a conflict marker.
#[must_use]
pub fn has_conflict_marks(text: &str) -> bool {
    !conflict_lines(text).is_empty()
}
