//! Cases with less of what was shown, where there is too much of it to be kept: a program may answer by a hundred thousand places.

use super::CaseResult;

impl CaseResult {
    /// Leaves at most `most` lines of what it expects and was shown, and says how many more there were. Nothing else changes.
    pub(crate) fn shorten(&mut self, most: usize) {
        for lines in [&mut self.expected, &mut self.shown] {
            shortened(lines, most);
        }
    }
}

/// How it begins and ends to say how many lines are left out.
const SAID: (&str, &str) = ("and ", " more, which are not kept");

fn shortened(lines: &mut Vec<String>, most: usize) {
    let said = lines.last().and_then(|line| {
        let count = line.strip_prefix(SAID.0)?.strip_suffix(SAID.1)?;
        count.parse::<usize>().ok()
    });
    if said.is_some() {
        lines.pop();
    }
    let surplus = lines.len().saturating_sub(most);
    // The line that says so would take the place of a single one.
    if surplus > 1 {
        lines.truncate(most);
    }
    let more = said.unwrap_or(0) + if surplus > 1 { surplus } else { 0 };
    if more > 0 {
        lines.push(format!("{}{more}{}", SAID.0, SAID.1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OURS;

    #[test]
    fn what_is_left_out_is_counted_and_a_single_line_is_not() {
        let lines = |count: usize| (0..count).map(|at| format!("a.rs:{at}")).collect();
        let mut case = CaseResult {
            expected: lines(4),
            shown: lines(9),
            left_off: 2,
            ..CaseResult::new("docs", "q", OURS)
        };
        case.shorten(5);
        assert_eq!(case.expected.len(), 4);
        case.shorten(3);
        assert_eq!(case.expected.len(), 4);
        assert_eq!(
            case.shown,
            [
                "a.rs:0",
                "a.rs:1",
                "a.rs:2",
                "and 6 more, which are not kept"
            ]
        );
        assert_eq!(case.left_off, 2);
    }
}
