//! What single lines of pytest say.

use super::counts_line::listed;
use crate::{FileCount, TestCount};

/// What a run begins with.
pub(super) const BEGIN: &str = "test session starts";

/// The part of the report that is read.
#[derive(Default, PartialEq, Clone, Copy)]
pub(super) enum Section {
    #[default]
    None,
    /// What is said of tests that fail.
    Failures,
    /// Their names, each with a line of it.
    Summary,
}

/// What stands between two lines of `sign`: `=== FAILURES ===`.
pub(super) fn framed(line: &str, sign: char) -> Option<&str> {
    let rest = line.trim_start_matches(sign);
    let text = rest.trim_end_matches(sign);
    let before = line.len() - rest.len();
    let is_framed = before >= 2 && rest.len() - text.len() >= 1;
    let text = text.strip_prefix(' ')?.strip_suffix(' ')?;
    (is_framed && !text.is_empty()).then_some(text)
}

pub(super) fn section(title: &str) -> Option<Section> {
    Some(match title {
        "FAILURES" | "ERRORS" => Section::Failures,
        "short test summary info" => Section::Summary,
        BEGIN | "PASSES" | "warnings summary" | "warnings summary (final)" => Section::None,
        title if title.starts_with("slowest ") || title.starts_with("tests coverage") => {
            Section::None
        }
        _ => return None,
    })
}

/// `=== 1 failed, 3 passed in 0.12s ===`, and the same without the frame.
pub(super) fn last_line(line: &str) -> Option<TestCount> {
    let text = line.trim().trim_matches(['=', ' ']);
    let (said, time) = text.rsplit_once(" in ")?;
    let is_time = time.starts_with(|c: char| c.is_ascii_digit())
        && (time.ends_with('s') || time.ends_with(')'));
    if !is_time {
        return None;
    }
    match said {
        "no tests ran" => Some(TestCount::default()),
        said => listed(said, ','),
    }
}

/// `test_a.py::test_b FAILED   [ 50%]`, `[gw0] [ 50%] FAILED test_a.py::test_b`: the name, and how it went.
pub(super) fn went(line: &str) -> Option<(&str, &str)> {
    let words = [
        " FAILED", " ERROR", " PASSED", " SKIPPED", " XFAIL", " XPASS", " RERUN",
    ];
    if line.starts_with("[gw") {
        let (_, rest) = line.split_once("%] ")?;
        let (word, name) = rest.split_once(' ')?;
        let is_word = words.iter().any(|known| known.trim() == word);
        return (is_word && name.contains("::")).then(|| (name.trim(), word));
    }
    let at = line.find("::")?;
    let rest = line.get(at..)?;
    let (name, word) = words.iter().find_map(|word| {
        let (name, after) = rest.split_once(word)?;
        let is_end = after.is_empty() || after.starts_with([' ', '(']);
        is_end.then(|| (&line[..at + name.len()], word.trim()))
    })?;
    let is_file = line[..at].ends_with(".py") && !line[..at].contains(' ');
    is_file.then_some((name, word))
}

/// `PASSED test_a.py::test_b` in the list at the end, which `-rA` makes of all tests: the word, and what stands behind it.
pub(super) fn listed_well(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.split_once(' ')?;
    let is_word = matches!(word, "PASSED" | "XPASS" | "XFAIL");
    (is_word && rest.contains("::")).then_some((word, rest))
}

/// What dots say.
pub(super) struct Dots<'l> {
    /// The file of the tests; nothing where the line goes on with that of the line before, or no line has one.
    pub(super) file: Option<&'l str>,
    /// How many failed.
    pub(super) failed: u32,
    /// How the tests went.
    pub(super) count: FileCount,
}

/// What `test_a.py ..F.E   [ 50%]` says, and the same without the file.
pub(super) fn dots(line: &str) -> Option<Dots<'_>> {
    let (text, is_part) = match line.rsplit_once('[') {
        Some((text, part)) if part.ends_with("%]") => (text.trim_end(), true),
        _ => (line, false),
    };
    let (file, signs) = text.rsplit_once(' ').unwrap_or(("", text));
    let is_of_file = file.ends_with(".py") && !file.contains(' ');
    let are_signs = !signs.is_empty() && signs.chars().all(|c| ".FEsxXRup,-".contains(c));
    let is_it = are_signs && (is_of_file || is_part && file.is_empty());
    let number = |known: &str| {
        let signs = signs.chars().filter(|c| known.contains(*c));
        u32::try_from(signs.count()).unwrap_or(u32::MAX)
    };
    // One that is run again (`R`) has another sign when it ends; parts of tests (`u`, `,`, `-`) are none by themselves.
    is_it.then(|| Dots {
        file: is_of_file.then_some(file),
        failed: number("FE"),
        count: FileCount {
            passed: number("."),
            others: number("FEsxXp"),
        },
    })
}

/// `Case::test_a[1.5]` of `Case.test_a[1.5]`, `ERROR at setup of Case.test_a[1.5]`.
pub(super) fn tail_of(title: &str) -> String {
    let title = [
        "ERROR at setup of ",
        "ERROR at teardown of ",
        "ERROR collecting ",
    ]
    .iter()
    .find_map(|begin| title.strip_prefix(begin))
    .unwrap_or(title);
    if title.ends_with(".py") {
        return title.to_owned();
    }
    let end = title.find(['[', ' ']).unwrap_or(title.len());
    format!("{}{}", title[..end].replace('.', "::"), &title[end..])
}

/// What is said at a place: `/src/test_a.py:4: AssertionError: x`.
pub(super) fn placed(line: &str) -> Option<&str> {
    let (file, rest) = line.split_once(".py:")?;
    let (number, said) = rest.split_once(": ")?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && !file.starts_with(' ')).then_some(said)
}

/// What is `said` in the list at the end; where it is cut to the width of the screen, as it stands in what was `told`.
pub(super) fn whole<'t>(said: &'t str, told: &'t str) -> &'t str {
    let Some(begin) = said.strip_suffix("...") else {
        return said;
    };
    let mut all = told.lines().filter_map(|line| {
        let marked = line.strip_prefix("E  ").map(str::trim);
        marked.or_else(|| placed(line))
    });
    all.find(|line| line.starts_with(begin)).unwrap_or(said)
}

/// What was thrown: the first line that begins with `E   `, else the last that is not moved in.
pub(super) fn thrown(said: &str) -> &str {
    let marked = said.lines().find_map(|line| line.strip_prefix("E  "));
    let last = || {
        said.lines()
            .rev()
            .find(|line| line.starts_with(|c: char| c.is_alphabetic()))
    };
    marked.or_else(last).unwrap_or_default().trim()
}
