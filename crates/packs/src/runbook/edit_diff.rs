//! Compares edited evidence with the text that was captured.
//!
//! Edited text isn't evidence any more, so we don't show it as such. But a reader can often tell
//! from the diff that a claim still holds.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Serialize, Serializer};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};
use windlass_base::{Capture, Judgement, LineSpan, Pointer, Redacted, RepairOutcome, counted};
use windlass_evidence::{captured_text, judge};
use windlass_repo::{Snapshot, SourceFile};

use crate::printing::{Style, Styled, clean, fit};

/// Number of unchanged lines to show on either side of a change, as in git.
const CONTEXT: usize = 3;

/// Maximum number of lines to compare. More would take too long.
const MAX_COMPARED: u32 = 4_000;

/// The difference between edited evidence and its captured text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditDiff {
    /// The changed lines, with a few unchanged ones around them.
    pub lines: Vec<DiffLine>,
}

/// A line of an [`EditDiff`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// Tells if the line is unchanged, removed or added.
    pub sign: DiffSign,
    /// Number of the line: in the captured file if it was removed, or in the current file.
    pub number: u32,
    /// The text of the line, without a sign.
    pub text: Redacted,
}

/// The role of a line in a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffSign {
    /// Both texts have the line.
    Same,
    /// Only the captured text has the line.
    Removed,
    /// Only the current text has the line.
    Added,
    /// Some unchanged lines are omitted, up to the one with this number.
    Gap,
}

impl DiffSign {
    /// The sign to print in front of the line.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Same => " ",
            Self::Removed => "-",
            Self::Added => "+",
            Self::Gap => "@",
        }
    }

    /// The color that suits the sign.
    #[must_use]
    pub fn style(self) -> Style {
        match self {
            Self::Same => Style::Plain,
            Self::Removed => Style::Bad,
            Self::Added => Style::Good,
            Self::Gap => Style::Dim,
        }
    }

    pub(crate) fn unified(self, number: u32, text: &str) -> String {
        match self {
            Self::Gap => format!("@@ line {number} @@"),
            sign => format!("{}{text}", sign.mark()),
        }
    }
}

impl EditDiff {
    /// Compares the evidence at `pointer` with its captured text. Returns `None` unless `judgement`
    /// has the location of the edited text, and git has the captured one.
    #[must_use]
    pub fn of(
        snapshot: &Snapshot,
        pointer: &Pointer,
        capture: Option<&Capture>,
        judgement: &Judgement,
    ) -> Option<Self> {
        let repair = judgement.repair.as_ref()?;
        let is_edited = repair.outcome == RepairOutcome::Edited;
        let place = repair.evidence.as_ref().filter(|_| is_edited)?;
        // The verdict may be about another state of the file. We must never show text that we
        // haven't verified, so judge the new location again.
        if !judge(snapshot, place, None).is_fresh() {
            return None;
        }
        let now = snapshot.read(&place.file).ok()?;
        let (then, lines) = captured_text(snapshot, pointer, capture?)?;
        Self::between((&then, lines), (&now, place.span))
    }

    fn between(then: (&SourceFile, LineSpan), now: (&SourceFile, LineSpan)) -> Option<Self> {
        let (old, new) = (lines(then)?, lines(now)?);
        let mut diff = Self { lines: Vec::new() };
        let groups = group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT);
        for (nr, group) in groups.iter().enumerate() {
            if let Some(first) = group.first().filter(|_| nr > 0) {
                diff.push(
                    DiffSign::Gap,
                    now,
                    first.new_range().start..first.new_range().start + 1,
                );
            }
            for op in group {
                diff.add(op, then, now);
            }
        }
        Some(diff)
    }

    fn add(&mut self, op: &DiffOp, then: (&SourceFile, LineSpan), now: (&SourceFile, LineSpan)) {
        if op.tag() == DiffTag::Equal {
            return self.push(DiffSign::Same, now, op.new_range());
        }
        self.push(DiffSign::Removed, then, op.old_range());
        self.push(DiffSign::Added, now, op.new_range());
    }

    /// Adds lines of `span`, given by their index within it.
    fn push(&mut self, sign: DiffSign, (file, span): (&SourceFile, LineSpan), at: Range<usize>) {
        for index in at {
            let number = span
                .start()
                .saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
            let text = match sign {
                DiffSign::Gap => Some(Redacted::default()),
                _ => file.shown().line(number),
            };
            let line = |text| DiffLine { sign, number, text };
            self.lines.extend(text.map(line));
        }
    }

    /// The lines as a unified diff. Its hunk headers only have the line number in the current file.
    #[must_use]
    pub fn unified(&self) -> String {
        let lines = self.lines.iter();
        let lines: Vec<String> = lines
            .map(|line| line.sign.unified(line.number, line.text.as_str()))
            .collect();
        lines.join("\n")
    }

    /// Renders up to `max` lines, and states the number of others. Each line is indented by
    /// `indent` and cut at `width`.
    #[must_use]
    pub fn text(&self, max: usize, indent: &str, width: Option<usize>) -> Styled {
        let mut out = Styled::default();
        for line in self.lines.iter().take(max) {
            let text = line.sign.unified(line.number, &clean(line.text.as_str()));
            let text = format!("{indent}{}", text.trim_end());
            out.push(line.sign.style(), fit(&text, width)).end_line();
        }
        if let Some(more) = self.lines.len().checked_sub(max).filter(|more| *more > 0) {
            let more = format!("{indent}… {}", counted(more, "more line"));
            out.push(Style::Dim, more).end_line();
        }
        out
    }
}

impl Serialize for EditDiff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.unified())
    }
}

/// The lines to compare. Returns `None` if there are more than [`MAX_COMPARED`], or if some don't
/// exist.
fn lines((file, span): (&SourceFile, LineSpan)) -> Option<Vec<Cow<'_, [u8]>>> {
    let count = span.end() - span.start();
    let line = |number| file.hashed_line(number);
    (count < MAX_COMPARED).then(|| (span.start()..=span.end()).map(line).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> EditDiff {
        let file = |text: &str| SourceFile::from_bytes(text.as_bytes().to_vec());
        let (old, new) = (file(old), file(new));
        let whole = |file: &SourceFile| LineSpan::new(1, file.line_count()).unwrap();
        EditDiff::between((&old, whole(&old)), (&new, whole(&new))).unwrap()
    }

    #[test]
    fn edit_diff_marks_changed_lines() {
        let found = diff("a\nb\nc\n", "a\nB\nc\nd\n");
        assert_eq!(found.unified(), " a\n-b\n+B\n c\n+d");
        let numbers: Vec<u32> = found.lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [1, 2, 2, 3, 4]);
    }

    #[test]
    fn edit_diff_omits_lines_between_changes() {
        let lines: Vec<String> = (1..=20).map(|nr| format!("line {nr}\n")).collect();
        let new = lines
            .concat()
            .replace("line 2\n", "two\n")
            .replace("line 19\n", "");
        let found = diff(&lines.concat(), &new).unified();
        assert!(
            found.contains(" line 5\n@@ line 16 @@\n line 16\n"),
            "{found}"
        );
        assert!(found.ends_with(" line 18\n-line 19\n line 20"), "{found}");
    }

    #[test]
    fn edit_diff_redacts_secret_values() {
        let key = |end| format!("key = \"ghp_0123456789abcdefghijklmnopqrstuv{end}\"\n");
        let found = diff(&key("wxyz"), &format!("{}b\n", key("wxya"))).unified();
        assert!(!found.contains("ghp_0123"), "{found}");
        assert!(found.ends_with("+b"), "{found}");
    }

    #[test]
    fn edit_diff_text_is_cut_and_harmless() {
        let found = diff("a\n", "\u{1b}[31mred\nb\nc\n");
        let text = found.text(2, "  ", None).plain();
        assert_eq!(text, "  -a\n  +\u{fffd}[31mred\n  … 2 more lines\n");
    }
}
