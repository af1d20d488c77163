//! Search for the lines of a text in all files.

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, SearchQuery, Snapshot};

use crate::params;
use crate::text::{Range, Text};

/// Files that contain at least one of the lines that were searched for.
#[derive(Debug, Default)]
pub(crate) struct FilesWith {
    pub(crate) files: Vec<RepoPath>,
    /// True if the list is complete.
    pub(crate) complete: bool,
}

/// Finds the files that contain one of `lines`, with any blanks between their words. If there are
/// `globs`, only matching files are searched. A failed search yields an empty, incomplete list.
pub(crate) fn files_with(snapshot: &Snapshot, lines: &[String], globs: &[String]) -> FilesWith {
    let patterns: Vec<String> = lines.iter().map(|line| pattern(line)).collect();
    let query = SearchQuery {
        pattern: patterns.join("|"),
        scope: ListQuery {
            hidden: true,
            globs: globs.to_vec(),
            ..ListQuery::default()
        },
        max_matches: params::MAX_MATCHES,
        ..SearchQuery::default()
    };
    match snapshot.search(&query, &Cancel::default()) {
        Ok(found) => FilesWith {
            files: found.files.iter().map(|file| file.path.clone()).collect(),
            complete: !found.truncated,
        },
        Err(_) => FilesWith::default(),
    }
}

/// Returns up to [`params::MAX_RAREST_LINES`] of `lines`, rarest first. Lines with a secret are
/// left out.
pub(crate) fn rarest_lines(text: &Text, lines: Range) -> Vec<String> {
    let usable = |at: &usize| {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        text.letters(*at) >= params::MIN_LINE_INFORMATION
            && !text.source().shown().is_secret_line(number)
    };
    let mut lines: Vec<usize> = lines.iter().filter(usable).collect();
    lines.sort_by_key(|at| (std::cmp::Reverse(text.weight(*at)), *at));
    let mut sought: Vec<String> = Vec::new();
    for at in lines {
        let Ok(line) = String::from_utf8(text.bytes(at)) else {
            continue;
        };
        // The beginning of a very long line will do.
        let mut end = line.len().min(params::MAX_LINE_BYTES);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        let line = line[..end].trim().to_owned();
        if !sought.contains(&line) {
            sought.push(line);
        }
        if sought.len() == params::MAX_RAREST_LINES {
            break;
        }
    }
    sought
}

/// Pattern for blanks.
///
/// We only ignore ASCII blanks, since all of Unicode's would make a pattern ten times as large.
const BLANKS: &str = "[[:space:]]+";

/// Returns a pattern that matches `line` with any blanks.
fn pattern(line: &str) -> String {
    let words = line.split_ascii_whitespace();
    let words: Vec<String> = words.map(regex_syntax::escape).collect();
    words.join(BLANKS)
}

/// Recovers the lines from a pattern that [`files_with`] built, with one space in place of any
/// blanks.
pub(crate) fn lines_of(pattern: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let pattern = pattern.replace(BLANKS, " ");
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        let line = lines.len() - 1;
        match letter {
            '|' => lines.push(String::new()),
            '\\' => lines[line].extend(letters.next()),
            letter => lines[line].push(letter),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use windlass_repo::{Repo, SourceFile};

    use super::*;

    /// Returns the files found for each of `lines`. Each line is in a file of its own.
    #[expect(
        clippy::disallowed_methods,
        reason = "the test makes the files that it searches"
    )]
    fn found_in(lines: &[String]) -> Vec<Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        for (nr, line) in lines.iter().enumerate() {
            std::fs::write(dir.path().join(format!("{nr}.txt")), format!("{line}\n")).unwrap();
        }
        let snapshot = Repo::open(dir.path()).unwrap().snapshot();
        let found_in = |line: &String| {
            let source = SourceFile::from_bytes(line.clone().into_bytes());
            let text = Text::new(Arc::new(source)).unwrap();
            let sought = rarest_lines(&text, Range::new(0, text.len()));
            assert!(!sought.is_empty(), "{line:?}");
            let found = files_with(&snapshot, &sought, &[]);
            let files = found.files.into_iter().map(|file| file.to_string());
            files.collect()
        };
        lines.iter().map(found_in).collect()
    }

    #[test]
    fn printable_characters_are_found_as_they_are() {
        let characters: Vec<char> = (' '..='~').collect();
        let around = |c: char| format!("{c}first {c} second{c}third{c}{c}fourth{c}");
        let lines: Vec<String> = characters.iter().map(|c| around(*c)).collect();
        for (nr, files) in found_in(&lines).into_iter().enumerate() {
            let own = format!("{nr}.txt");
            // Every line contains the same words, but with another character between them.
            assert_eq!(files, [own], "{:?}", lines[nr]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_line_is_found_as_it_is(lines in prop::collection::vec("\\PC{0,40}", 1..8)) {
            let lines: Vec<String> = lines.iter().map(|line| format!("before it {line} behind it")).collect();
            for (nr, files) in found_in(&lines).into_iter().enumerate() {
                prop_assert!(files.contains(&format!("{nr}.txt")), "{:?}", lines[nr]);
            }
        }

        #[test]
        fn lines_can_be_read_from_any_pattern(line in "[ -~]{1,30}") {
            let said: Vec<&str> = line.split_ascii_whitespace().collect();
            let said = said.join(" ");
            let lines: Vec<String> = Some(said).filter(|said| !said.is_empty()).into_iter().collect();
            prop_assert_eq!(lines_of(&pattern(&line)), lines);
        }
    }

    #[test]
    fn a_line_is_sought_as_it_is_written_whatever_its_blanks() {
        assert_eq!(
            pattern("if (a[0] ==  b) {"),
            r"if \(a\[0\] == b\) \{".replace(' ', BLANKS)
        );
    }

    #[test]
    fn the_lines_that_are_sought_can_be_read_from_the_pattern() {
        let lines = [
            "if (a[0] == b | c\\s+) {",
            "two  words",
            "é|s",
            "[[:space:]]+ x",
        ];
        let patterns = lines.map(pattern);
        let expected = [
            "if (a[0] == b | c\\s+) {",
            "two words",
            "é|s",
            "[[:space:]]+ x",
        ];
        assert_eq!(lines_of(&patterns.join("|")), expected);
    }
}
