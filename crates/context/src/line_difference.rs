use similar::{Algorithm, ChangeTag, TextDiff};

/// Number of unchanged lines that we show around a change.
const AROUND: usize = 2;
/// Texts with more lines than this aren't compared, because that would take too long.
const MOST_LINES: usize = 20_000;

/// A diff of two states of a file, by lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// The diff in unified format, without a header for the file. It's cut to the number of lines
    /// that was asked for.
    pub text: String,
    /// The number of added lines, including those that aren't in `text`.
    pub added: u32,
    /// The number of removed lines, including those that aren't in `text`.
    pub removed: u32,
    /// The number of lines of the diff that aren't in `text`.
    pub left_out: u32,
    /// The first and the last line of each hunk, in the new text.
    pub stretches: Vec<(u32, u32)>,
}

/// Compares `old` and `new`. The diff has at most `max_lines` lines. Returns `None` if one of the
/// texts has more than [`MOST_LINES`] lines.
#[must_use]
pub fn difference(old: &str, new: &str, max_lines: usize) -> Option<Difference> {
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
    fn difference_is_unified_diff() {
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
