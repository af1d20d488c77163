//! mocha.

use super::Program;
use super::printed_page::{Page, indent};
use crate::TestCount;

#[derive(Default)]
pub(super) struct Mocha {
    /// Whether tests were seen to pass, and how many to fail, before the end says so.
    has_passed: bool,
    seen: Vec<String>,
    /// How many failures are still to be told.
    waiting: u32,
    /// The lines above that are moved in less, and by how much: the suites that a test is in.
    suites: Vec<(usize, String)>,
}

impl Program for Mocha {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if let Some((number, word)) = counted(line) {
            self.has_passed = false;
            // How many fail is said last.
            if word == "failing" {
                self.seen.clear();
            }
            let one = |is: &str| if is == word { number } else { 0 };
            self.waiting = self.waiting.saturating_add(one("failing"));
            page.count(TestCount {
                passed: one("passing"),
                failed: one("failing"),
                skipped: one("pending"),
            });
        } else if self.waiting > 0
            && let Some((name, lines)) = heading(page)
        {
            (0..lines).for_each(|_| page.pass());
            let said = page.take_until(|line| numbered(line).is_some()).join("\n");
            page.fail(&name, &said);
            self.waiting -= 1;
            return true;
        } else if indent(line) > 0
            && let Some(name) = line.trim_start().strip_prefix(['✔', '✓'])
        {
            self.has_passed = true;
            let name = self.full_name(indent(line), untimed(name));
            page.passed(&name);
        } else if indent(line) > 0
            && self.has_passed
            && let Some(name) = pending(line.trim_start())
        {
            let name = self.full_name(indent(line), name);
            page.skipped(&name);
        } else if self.has_passed
            && indent(line) > 0
            && let Some(name) = numbered(line)
        {
            self.seen.push(name.to_owned());
        } else {
            if !self.has_passed && !line.is_empty() {
                // Something else follows: what was numbered was none of the tests.
                self.seen.clear();
            }
            self.take_suite(line);
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        for name in &self.seen {
            page.name(name);
        }
        if !self.seen.is_empty() || self.waiting > 0 {
            page.break_off("mocha", "");
        }
    }
}

impl Mocha {
    /// Remembers a line that may name a suite.
    fn take_suite(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        let depth = indent(line);
        self.suites.retain(|(known, _)| *known < depth);
        if depth > 0 {
            self.suites.push((depth, line.trim().to_owned()));
        }
    }

    /// The name of a test with those of the suites that it is in.
    fn full_name(&self, depth: usize, name: &str) -> String {
        let suites = self.suites.iter().filter(|(known, _)| *known < depth);
        let names = suites.map(|(_, suite)| suite.as_str());
        let names: Vec<&str> = names.chain([name]).collect();
        names.join(" › ")
    }
}

/// A name without the time behind it: ` adds (50ms)`, and ` adds (3 ms)` of Jest.
fn untimed(name: &str) -> &str {
    let is_time =
        |time: &str| time.starts_with(|c: char| c.is_ascii_digit()) && time.ends_with("s)");
    match name.rsplit_once(" (") {
        Some((name, time)) if is_time(time) => name.trim(),
        _ => name.trim(),
    }
}

/// The name of a test that is not run: `- later`, `○ skipped later` of Jest.
fn pending(line: &str) -> Option<&str> {
    line.strip_prefix("- ")
        .or_else(|| line.strip_prefix("○ skipped "))
        .or_else(|| line.strip_prefix("✎ todo "))
}

/// `4 passing (31ms)`, `1 failing`, `2 pending`, each on a line of its own.
fn counted(line: &str) -> Option<(u32, &str)> {
    let line = line.trim();
    let (line, is_time) = match line.split_once(" (") {
        Some((line, time)) => (line, time.ends_with("s)") || time.ends_with("m)")),
        None => (line, true),
    };
    let (number, word) = line.split_once(' ')?;
    let is_word = matches!(word, "passing" | "failing" | "pending");
    let number = number.parse().ok().filter(|_| is_word && is_time)?;
    Some((number, word))
}

/// What stands behind the number of `  1) Suite`.
fn numbered(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    line[digits..].strip_prefix(") ").filter(|_| digits > 0)
}

/// The name of a failure as it is listed, and how many lines it takes: the suites, and the test, whose line ends with a colon.
fn heading(page: &Page<'_>) -> Option<(String, usize)> {
    let mut names = vec![numbered(page.line())?.trim_end()];
    for more in 1..8 {
        if let Some(last) = names.last_mut()
            && let Some(name) = last.strip_suffix(':')
        {
            *last = name;
            return Some((names.join(" › "), more));
        }
        let name = page.ahead(more).trim();
        if name.is_empty() {
            return None;
        }
        names.push(name);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::TestCount;

    #[test]
    fn what_mocha_prints() {
        let text = "  1) top\n  math\n    ✔ adds\n    2) subtracts\n\n\n  4 passing (31ms)\n  2 failing\n\n  1) top:\n     Error: top broke\n      at Context.<anonymous> (test/m.js:3:25)\n\n  2) math\n       deep\n         subtracts:\n     AssertionError: 1 != 2\n      at test/a.js:4:3\n";
        let found = read(text);
        let told: Vec<(&str, &str)> = found
            .failures
            .iter()
            .map(|it| (&*it.id, &*it.summary))
            .collect();
        assert_eq!(
            told,
            [
                ("top", "Error: top broke"),
                ("math › deep › subtracts", "AssertionError: 1 != 2")
            ]
        );
        assert_eq!(found.failures[1].places, ["test/a.js:4"]);
        let count = TestCount {
            passed: 4,
            failed: 2,
            skipped: 0,
        };
        assert_eq!(found.tests, Some(count));
        for cut in [
            "  ✔ a\n  1) b\n\n  1 passing (3ms)\n",
            "  1 passing (3ms)\n  1 failing\n",
        ] {
            assert!(read(cut).is_broken_off, "{cut}");
        }
        let well = read("  ✔ a\n  1) printed by a test\n\n  1 passing (3ms)\n\nDone.\n");
        assert!(well.failures.is_empty(), "{well:?}");
        let cut = read("  math\n    ✔ adds\n    2) subtracts\n");
        assert!(
            cut.is_broken_off && cut.failures[0].id == "subtracts",
            "{cut:?}"
        );
    }
}
