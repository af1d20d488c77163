//! What programs say at last: that all is well, or that it is not.

use super::Program;
use super::printed_page::Page;
use crate::FailureKind;

/// Says that what ran came to an end with nothing wrong.
const WELL: [&str; 5] = [
    "BUILD SUCCESS",
    "Build succeeded",
    "Found 0 errors",
    "no tests ran",
    "Result: PASS",
];
/// Says that it did not.
const BAD: [&str; 11] = [
    "BUILD FAILURE",
    "BUILD FAILED",
    "Build FAILED",
    "FAILURE: Build failed",
    "Result: FAIL",
    "error: could not compile",
    "error: aborting due to",
    "error: test run failed",
    "make: *** [",
    "ninja: build stopped:",
    "npm error code",
];

/// Remembers a bad end, for when nothing else tells what is wrong.
#[derive(Default)]
pub(super) struct Verdict {
    bad: Option<String>,
}

impl Program for Verdict {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line().trim();
        // Maven begins each line with how much it matters.
        let line = line
            .strip_prefix("[INFO] ")
            .or_else(|| line.strip_prefix("[ERROR] "))
            .unwrap_or(line);
        let is = |all: &[&str]| all.iter().any(|begin| line.starts_with(begin));
        if is(&WELL) || matches!(line, "PASS" | "OK") || is_built(line) {
            page.recognise();
        } else if is(&BAD) || line == "FAIL" || is_count_of_errors(line) {
            page.recognise();
            self.bad.get_or_insert_with(|| line.to_owned());
        } else {
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if let Some(said) = &self.bad
            && page.is_all_well()
        {
            page.tell(said, said, FailureKind::Error);
        }
    }
}

/// `(3 fixed, 0 remaining)`, `0 left`: what was found was mended.
fn is_none_left(rest: &str) -> bool {
    let words = rest.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words
        .windows(2)
        .any(|pair| matches!(pair, ["0" | "none" | "no", "remaining" | "remain" | "left"]))
}

/// `Found 2 errors in 2 files.`, `Found 1 error.`: what TypeScript, mypy, ruff and others say at last.
fn is_count_of_errors(line: &str) -> bool {
    let Some((count, rest)) = line
        .strip_prefix("Found ")
        .and_then(|rest| rest.split_once(' '))
    else {
        return false;
    };
    let rest = rest
        .strip_prefix("error")
        .map(|rest| rest.strip_prefix('s').unwrap_or(rest));
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(['.', ' ']);
    count.parse().is_ok_and(|count: u32| count > 0)
        && rest.is_some_and(|rest| is_end(rest) && !is_none_left(rest))
}

/// Whether cargo says that it built something to be used: what it built to be tested tells by itself how it went.
fn is_built(line: &str) -> bool {
    let profile = line
        .strip_prefix("Finished `")
        .and_then(|rest| rest.split_once("` profile"));
    profile.is_some_and(|(name, _)| name != "test")
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn a_bad_end_without_a_reason_is_a_failure() {
        for text in [
            "BUILD FAILED in 2s\n",
            "error: could not compile `a` (lib)\n",
            "make: *** [Makefile:3: test] Error 1\n",
            "[INFO] BUILD FAILURE\n",
            "Found 1 error.\n",
            "Found 3 errors in 2 files (checked 5 source files)\n",
        ] {
            let found = read(text);
            assert_eq!(found.failures.len(), 1, "{text}");
        }
        for text in [
            "[INFO] BUILD SUCCESS\n",
            "Found 0 errors.\n",
            "Found 3 errorful lines\n",
        ] {
            assert!(read(text).failures.is_empty(), "{text}");
        }
        let one = read("src/a.c:3:5: error: no\nmake: *** [a.o] Error 1\n");
        assert_eq!(one.failures.len(), 1, "{one:?}");
    }
}
