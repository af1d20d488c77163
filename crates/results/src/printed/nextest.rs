//! cargo nextest.

use std::collections::{BTreeMap, BTreeSet};

use super::Program;
use super::printed_page::{Page, indent};
use crate::TestCount;

/// What it says of a test that did not pass, but for the names of signals; shorter of one that it tries again.
const BAD: [&str; 9] = [
    "FAIL",
    "XFAIL",
    "FL+LK",
    "LEAK-FAIL",
    "LKFAIL",
    "TIMEOUT",
    "TMT",
    "ABORT",
    "FLKY-FL",
];
/// What it says of one that passed.
const PASSED: [&str; 4] = ["PASS", "LEAK", "TIMEOUT-PASS", "FLAKY"];
/// What else it says of tests.
const OTHER: [&str; 8] = [
    "SKIP",
    "SLOW",
    "SLOW+TMPASS",
    "TERMINATING",
    "TRMNTG",
    "START",
    "RETRY",
    "DELAY",
];

#[derive(Default)]
pub(super) struct Nextest {
    is_open: bool,
    /// Whether the run is summed up: what follows was told before.
    is_summed_up: bool,
    /// Tests that passed; what is flaky is told again at the end.
    passed: BTreeSet<String>,
    /// Tests of the run that failed, and whether more than the name is told of them.
    failed: BTreeMap<String, bool>,
    /// What was said of tests of the run that failed when they were tried, as far as none passed since.
    tried: BTreeMap<String, String>,
}

impl Program for Nextest {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        let begin = line.trim_start();
        let is_moved_in = indent(line) > 0;
        if is_moved_in && is_begin(begin) {
            self.settle(page);
            self.is_open = true;
            page.recognise();
        } else if is_moved_in && is_summary(begin) {
            self.is_open = false;
            self.is_summed_up = true;
            page.recognise();
            count_run(begin, page);
        } else if let Some(status) = status(line) {
            page.pass();
            self.take_status(&status, page);
            return true;
        } else {
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        self.settle(page);
        if self.is_open {
            page.break_off("cargo nextest", "");
        }
    }
}

impl Nextest {
    /// Takes in what is said of a test on the line before, and below it.
    fn take_status(&mut self, status: &Status<'_>, page: &mut Page<'_>) {
        let name = status.name;
        let is_bad = status.is_bad() || is_bad_if_flaky(page.line());
        if status.of_script && !is_bad {
            return;
        }
        let said = match status.is_bad() {
            true => self.said(page),
            false => String::new(),
        };
        if is_bad && status.is_try {
            let known = self.tried.entry(name.to_owned()).or_default();
            // What is said last is of the try that counts.
            if !said.is_empty() {
                *known = said;
            }
        } else if is_bad {
            let tried = self.tried.remove(name).unwrap_or_default();
            self.fail(name, if said.is_empty() { &tried } else { &said }, page);
        } else if PASSED.contains(&status.word) {
            self.tried.remove(name);
            if self.passed.insert(name.to_owned()) {
                page.passed(name);
            }
        } else if status.word == "SKIP" {
            page.skipped(name);
        }
    }

    /// What is said of a test below its line. At the end the tests that failed are listed once more, with or without it.
    fn said(&self, page: &mut Page<'_>) -> String {
        let begins = |line: &str| is_head(line) || line.trim_start().starts_with("- ");
        if self.is_summed_up && !begins(page.line()) {
            return String::new();
        }
        let said = page.take_until(is_end).iter();
        let is_told = |line: &&&str| !is_head(line) && !is_bad_if_flaky(line);
        let said: Vec<&str> = said.filter(is_told).copied().collect();
        said.join("\n").trim_end().to_owned()
    }

    /// A test that fails, once: what is said of it is taken in from where it is said first.
    fn fail(&mut self, name: &str, said: &str, page: &mut Page<'_>) {
        let is_told = self.failed.entry(name.to_owned()).or_default();
        if !*is_told {
            *is_told = !said.is_empty();
            page.fail(name, said);
        }
    }

    /// The end of a run: what was tried and never passed fails.
    fn settle(&mut self, page: &mut Page<'_>) {
        for (name, said) in std::mem::take(&mut self.tried) {
            self.fail(&name, &said, page);
        }
        self.failed.clear();
        self.is_summed_up = false;
    }
}

/// What parts the end of a run from what stands before it.
const BAR: &str = "────────────";

/// Whether `line` says of a test that passed on a second try that it fails for it.
fn is_bad_if_flaky(line: &str) -> bool {
    line.trim_start()
        .starts_with("- test configured to fail if flaky")
}

/// What is said of a test.
struct Status<'l> {
    word: &'l str,
    name: &'l str,
    /// Whether it was tried, and may be tried again.
    is_try: bool,
    /// Whether it is no test, and what is run before them.
    of_script: bool,
}

impl Status<'_> {
    fn is_bad(&self) -> bool {
        BAD.contains(&self.word) || is_signal(self.word)
    }
}

/// `        FAIL [   0.005s] (1/3) crate::binary module::test`.
fn status(line: &str) -> Option<Status<'_>> {
    let (said, rest) = line.trim_start().split_once(" [")?;
    let (time, rest) = rest.split_once("] ")?;
    let is_try = said.starts_with("TRY ");
    let of_script = said.starts_with("SETUP ");
    let word = word_of(said)?;
    let is_known = BAD.contains(&word) || PASSED.contains(&word) || OTHER.contains(&word);
    let is_time = match time.trim().trim_start_matches('>') {
        // What begins has taken no time.
        "" => matches!(word, "START" | "RETRY"),
        time => time.ends_with('s'),
    };
    // It stands at the right of so many characters.
    let is_moved_in = indent(line) > 0 || said.len() >= 12;
    if !is_moved_in || !is_time || !is_known && !is_signal(word) {
        return None;
    }
    // Which round it is, and which of the tests.
    let rest = behind(rest.trim_start(), '[', "] ");
    let name = behind(rest, '(', ") ").trim_end();
    (!name.is_empty()).then_some(Status {
        word,
        name,
        is_try,
        of_script,
    })
}

/// `SIGSEGV`, or `SIG` before a number.
fn is_signal(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    word.strip_prefix("SIG")
        .is_some_and(|name| name.chars().all(is_part))
}

/// The word that counts in `TRY 2 FAIL`, `FLAKY 2/2`, `FAIL + LEAK`, `SETUP PASS` or `ABORT SIG 11`.
fn word_of(said: &str) -> Option<&str> {
    let mut words = said.split(' ').filter(|word| !word.is_empty());
    let first = words.next()?;
    let second = words.next();
    let (word, rest) = match first {
        "TRY" => (words.next()?, words.next()),
        "SETUP" => (second?, words.next()),
        _ => (first, second),
    };
    let is_tries = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'/');
    let fits = match rest {
        None | Some("+" | "SIG") => true,
        Some(rest) => is_tries(rest),
    };
    fits.then_some(word)
}

/// What stands behind what `open` and `close` enclose, if `text` begins so.
fn behind<'l>(text: &'l str, open: char, close: &str) -> &'l str {
    let inside = text
        .strip_prefix(open)
        .and_then(|rest| rest.split_once(close));
    inside.map_or(text, |(_, rest)| rest.trim_start())
}

/// Whether `line` ends what is said of a test.
fn is_end(line: &str) -> bool {
    let begin = line.trim_start();
    let is_said = ["Summary [", "Cancelling due to ", "Canceling due to "];
    status(line).is_some()
        || indent(line) > 0 && is_said.iter().any(|said| begin.starts_with(said))
        || line == BAR
        || line.starts_with("error: test run failed")
}

/// Whether `line` says what follows: `  stderr ───`, `--- STDERR:  a tests::b ---`.
fn is_head(line: &str) -> bool {
    line != BAR && line.contains("───") || line.starts_with("--- STD") && line.ends_with(" ---")
}

/// `Starting 3 tests across 1 binary`
fn is_begin(line: &str) -> bool {
    let of_tests = [" test across ", " tests across "];
    line.starts_with("Starting ") && of_tests.iter().any(|of| line.contains(of))
}

/// Whether it sums up a run, or many rounds of one.
fn is_summary(line: &str) -> bool {
    let sums = [
        " run: ",
        " stress run iterations: ",
        " stress run iteration: ",
    ];
    line.starts_with("Summary [") && sums.iter().any(|sum| line.contains(sum))
}

/// Counts what `Summary [   0.005s] 3/8 tests run: 1 passed (1 flaky), 1 failed, 1 timed out, 0 skipped` sums up.
fn count_run(summary: &str, page: &mut Page<'_>) {
    let Some((before, counts)) = summary.split_once(" run: ") else {
        // So many rounds, and nobody says of how many tests.
        return page.is_uncounted();
    };
    let run = before.split(' ').find_map(|word| word.split_once('/'));
    if run.is_some_and(|(run, all)| run != all) {
        page.is_cut();
    }
    let mut count = TestCount::default();
    let mut rest = counts;
    while !rest.is_empty() {
        // What is said of some of them stands in brackets.
        let end = rest.find([',', '(', ';']).unwrap_or(rest.len());
        let (number, word) = rest[..end].trim().split_once(' ').unwrap_or_default();
        let number: u32 = number.parse().unwrap_or_default();
        let into = match word {
            "passed" => &mut count.passed,
            "skipped" => &mut count.skipped,
            _ => &mut count.failed,
        };
        *into = into.saturating_add(number);
        let behind = match rest[end..].starts_with('(') {
            true => rest[end..].find(')').map(|at| end + at + 1),
            false => rest.get(end + 1..).map(|_| end + 1),
        };
        rest = behind.map_or("", |at| &rest[at..]);
    }
    page.count(count);
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::BAR;

    #[test]
    fn what_nextest_prints() {
        let text = "    Starting 3 tests across 1 binary\n        PASS [   0.004s] (1/3) nx tests::a\n        FAIL [   0.005s] (2/3) nx tests::b\n  stdout ───\n\n    running 1 test\n    test tests::b ... FAILED\n\n    thread 'tests::b' panicked at src/lib.rs:8:24:\n    boom\n\n    test result: FAILED. 0 passed; 1 failed; 0 ignored\n\n     SIGSEGV [   0.005s] (3/3) nx tests::c\n────────────\n     Summary [   0.005s] 3 tests run: 1 passed, 2 failed, 0 skipped\n        FAIL [   0.005s] (2/3) nx tests::b\n     SIGSEGV [   0.005s] (3/3) nx tests::c\nerror: test run failed\n";
        let found = read(text);
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(ids, ["nx tests::b", "nx tests::c"], "{found:?}");
        assert_eq!(found.failures[0].places, ["src/lib.rs:8"]);
        let tests = found.tests.unwrap();
        assert_eq!((tests.passed, tests.failed), (1, 2));
        let cut =
            read("    Starting 3 tests across 1 binary\n        PASS [   0.004s] nx tests::a\n");
        assert_eq!(cut.failures[0].id, "cargo nextest did not end");
    }

    type Told = (Vec<String>, Vec<String>, Option<(u32, u32, u32)>);

    /// What fails, what else is named, and how many passed, failed and were left out.
    fn told(text: &str) -> Told {
        let found = crate::read_results(text).unwrap();
        let ids = found.failures.iter().map(|it| it.id.clone());
        let passed = found.names.iter().filter(|it| !it.is_bad());
        let count = found.tests;
        (
            ids.collect(),
            passed.map(|it| it.name.clone()).collect(),
            count.map(|it| (it.passed, it.failed, it.skipped)),
        )
    }

    #[test]
    fn what_is_listed_again_at_the_end_is_told_once() {
        let said =
            "  stderr ───\n\n    thread 'tests::b' panicked at src/lib.rs:5:9:\n    boom\n\n";
        let fail = "        FAIL [   0.005s] a tests::b\n";
        let begin = "    Starting 2 tests across 1 binary\n        PASS [   0.004s] a tests::a\n";
        let summary =
            format!("{BAR}\n     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped\n");
        let error = "error: test run failed\n";
        for text in [
            format!("{begin}{fail}{said}  Cancelling due to test failure\n{summary}{fail}{error}"),
            format!("{begin}{fail}{said}{summary}{fail}{error}"),
            // What is said of it may stand at the end alone, or there as well.
            format!("{begin}{fail}{summary}{fail}{said}{error}"),
            format!("{begin}{fail}{said}{summary}{fail}{said}{error}"),
            format!("{summary}{fail}{said}{error}"),
        ] {
            let found = crate::read_results(&text).unwrap();
            assert_eq!(found.failures.len(), 1, "{text}\n{found:?}");
            let failure = &found.failures[0];
            assert_eq!((&*failure.id, &*failure.summary), ("a tests::b", "boom"));
            assert!(
                !failure.detail.as_ref().unwrap().contains("error"),
                "{text}"
            );
            assert_eq!(failure.places, ["src/lib.rs:5"]);
            assert_eq!(told(&text).2, Some((1, 1, 0)), "{text}");
        }
    }

    #[test]
    fn what_passes_on_a_later_try_passes() {
        let said = "  stderr ───\n    thread 'x' panicked at src/lib.rs:5:9:\n    boom\n\n";
        let begin = "    Starting 1 test across 1 binary\n";
        let first =
            format!("  TRY 1 FAIL [   0.004s] (─────) a x\n{said}       DELAY [   0.1s] a x\n");
        let well = "  TRY 2 PASS [   0.004s] (1/1) a x\n";
        let end = |count: &str, last: &str| {
            format!("{BAR}\n     Summary [   0.005s] 1 test run: {count}, 0 skipped\n{last}")
        };
        let flaky = end("1 passed (1 flaky)", "   FLAKY 2/2 [   0.004s] (1/1) a x\n");
        let text = format!("{begin}{first}{well}{flaky}");
        let passed = vec!["a x".to_owned()];
        assert_eq!(told(&text), (vec![], passed.clone(), Some((1, 0, 0))));
        // Whoever is told to takes it as a failure.
        let told_to = "           - test configured to fail if flaky\n";
        let last = format!(" FLKY-FL 2/2 [   0.004s] (1/1) a x\n{told_to}");
        let text = format!("{begin}{first}{well}{told_to}{}", end("1 failed", &last));
        assert_eq!(told(&text), (passed.clone(), vec![], Some((0, 1, 0))));
        // One that never passes fails once.
        let (second, third) = (
            first.replace("TRY 1", "TRY 2"),
            "  TRY 3 TMT [   0.004s] a x\n",
        );
        let text = format!("{begin}{first}{second}{third}{}", end("1 timed out", third));
        assert_eq!(told(&text), (passed, vec![], Some((0, 1, 0))));
        let found = crate::read_results(&text).unwrap();
        assert_eq!(found.failures[0].summary, "boom");
        // Nor does one whose next try was not told.
        assert_eq!(told(&format!("{begin}{first}")).0[0], "a x");
    }

    #[test]
    fn all_that_it_says_of_tests_is_known() {
        let text = "  SETUP PASS [   0.1s] db: ./start\nTIMEOUT-PASS [ 240.000s] (  3/9) a b\nTRY 2 LKFAIL [   1.000s] ( 18/100) a h\n FAIL + LEAK [   1.000s] ( 10/100) a c\n       XFAIL [   1.000s] ( 11/100) a d\n      SIG 11 [   1.000s] a e\n        SLOW [> 60.000s] a f\n        FAIL [   1.000s] [2/3] (  20/5000) a g\n     Summary [  15.750s] 5/9 tests run: 1 passed (1 slow, 1 leaky), 3 failed, 1 exec failed, 1 timed out, 2 skipped\nwarning: 4/9 tests were not run due to test failure\n";
        let bad = ["a c", "a d", "a e", "a g", "a h"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(told(text), (bad, vec!["a b".to_owned()], Some((1, 5, 2))));
        assert!(crate::read_results(text).unwrap().is_broken_off);
    }
}
