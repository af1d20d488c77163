//! What differs between two states of a file.

use similar::{Algorithm, ChangeTag, TextDiff};

/// Lines around a change that are shown.
const AROUND: usize = 2;
/// Files with more lines than this are only named.
const MOST_LINES: usize = 20_000;

/// What differs between two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// A unified diff without its head; at most as many lines as were asked for.
    pub(crate) text: String,
    /// Lines that were added.
    pub(crate) added: u32,
    /// Lines that were removed.
    pub(crate) removed: u32,
    /// Lines of the diff that are left out.
    pub(crate) left_out: u32,
    /// First and last line of each stretch, in the new text.
    pub(crate) stretches: Vec<(u32, u32)>,
}

/// What differs between `old` and `new`, in at most `max_lines` lines; nothing where they are too long to be compared.
#[must_use]
pub(crate) fn difference(old: &str, new: &str, max_lines: usize) -> Option<Difference> {
    if old.lines().count() > MOST_LINES || new.lines().count() > MOST_LINES {
        return None;
    }
    let diff = TextDiff::configure()
        .algorithm(Algorithm::RawMyers)
        .diff_lines(old, new);
    let mut found = Difference::default();
    let mut lines = Vec::new();
    for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
        let (Some(first), Some(last)) = (hunk.ops().first(), hunk.ops().last()) else {
            continue;
        };
        let after = first.new_range().start..last.new_range().end;
        lines.push(hunk.header().to_string());
        found.stretches.push((
            number(after.start + 1),
            number(after.end.max(after.start + 1)),
        ));
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => {
                    found.removed += 1;
                    '-'
                }
                ChangeTag::Insert => {
                    found.added += 1;
                    '+'
                }
            };
            lines.push(format!(
                "{sign}{}",
                change.value().trim_end_matches(['\n', '\r'])
            ));
        }
    }
    found.left_out = number(lines.len().saturating_sub(max_lines));
    lines.truncate(max_lines);
    found.text = lines.join("\n");
    Some(found)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_unified_diff() {
        let old = "a\nb\nc\nd\ne\nf\ng\n";
        let new = "a\nb\nc\nD\ne\nf\ng\nh\n";
        let found = difference(old, new, 100).unwrap();
        assert_eq!(
            found.text,
            "@@ -2,6 +2,7 @@\n b\n c\n-d\n+D\n e\n f\n g\n+h"
        );
        assert_eq!((found.added, found.removed), (2, 1));
        assert_eq!(found.stretches, [(2, 8)]);
        let short = difference(old, new, 3).unwrap();
        assert_eq!((short.text.lines().count(), short.left_out), (3, 6));
        assert_eq!(difference("", "x\n", 9).unwrap().text, "@@ -0,0 +1 @@\n+x");
        assert_eq!(difference("x", "x", 9).unwrap(), Difference::default());
    }
}
