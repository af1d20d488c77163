//! Jest.

use super::Program;
use super::counts_line::listed;
use super::printed_page::Page;

#[derive(Default)]
pub(super) struct Jest {
    is_open: bool,
    /// The file of tests that is told, if it fails.
    file: Option<String>,
    /// How many failures were known before it.
    before: usize,
}

impl Program for Jest {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if let Some((is_bad, file)) = suite(line) {
            self.end_file(page);
            self.is_open = true;
            self.before = page.failures();
            self.file = is_bad.then(|| file.to_owned());
            page.of_place(Some(file));
            page.recognise();
        } else if let Some(name) = failed(line)
            && (self.file.is_some() || name.contains(" › "))
        {
            page.pass();
            let said = page.take_until(is_end).join("\n");
            let name = match (&self.file, name.contains("failed to run")) {
                (Some(file), true) => format!("{file}: {name}"),
                _ => name.to_owned(),
            };
            page.fail(&name, &said);
            return true;
        } else if line.starts_with("Test Suites:") {
            self.end_file(page);
            self.is_open = true;
            page.recognise();
        } else if let Some(count) = line
            .strip_prefix("Tests:")
            .and_then(|rest| listed(rest, ','))
        {
            self.is_open = false;
            page.of_place(None);
            page.count(count);
        } else {
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        self.end_file(page);
        if self.is_open {
            page.break_off("jest", "");
        }
    }
}

impl Jest {
    /// A file that fails without a word of its tests.
    fn end_file(&mut self, page: &mut Page<'_>) {
        let file = self.file.take();
        if let Some(file) = file.filter(|_| page.failures() == self.before) {
            let is_told = page
                .failures_from(0)
                .iter()
                .any(|it| it.id.starts_with(&file));
            // All that failed is told twice where it is much.
            if !is_told && self.before == 0 {
                page.name(&file);
            }
        }
    }
}

/// `FAIL src/a.test.js (5.1 s)`, `PASS src/b.test.js`
fn suite(line: &str) -> Option<(bool, &str)> {
    let line = line.trim_start();
    let (is_bad, rest) = match line.strip_prefix("FAIL ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("PASS ")?),
    };
    let rest = rest.trim();
    // The name of a project may stand before the file, the time behind it.
    let file = rest.split(" (").next().unwrap_or(rest).rsplit(' ').next()?;
    let (_, ending) = file.rsplit_once('.')?;
    let is_script = ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue"].contains(&ending);
    is_script.then_some((is_bad, file))
}

/// `  ● suite › name`; what a test printed stands under such a line, too.
fn failed(line: &str) -> Option<&str> {
    let name = line.strip_prefix("  ")?.strip_prefix("● ")?.trim_end();
    (!name.is_empty() && !name.starts_with("Console")).then_some(name)
}

fn is_end(line: &str) -> bool {
    line.starts_with("  ● ")
        || suite(line).is_some()
        || line.starts_with("Test Suites:")
        || line.starts_with("Tests:")
        || line.starts_with("Summary of all failing tests")
        || line.starts_with("----")
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::TestCount;

    #[test]
    fn what_jest_prints() {
        let text = "FAIL src/a.test.js\n  ● Console\n\n    console.log\n      hello\n\n  ● top\n\n    expect(received).toBe(expected)\n\n      at Object.toBe (src/a.test.js:1:31)\n\n  ● adds › two numbers\n\n    boom\n      at src/a.test.js:4:3\n\nFAIL src/b.test.js\n  ● Test suite failed to run\n\n    Cannot find module './nothing'\n\nPASS src/c.test.js\nTest Suites: 2 failed, 1 passed, 3 total\nTests:       2 failed, 4 passed, 6 total\n";
        let found = read(text);
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(
            ids,
            [
                "top",
                "adds › two numbers",
                "src/b.test.js: Test suite failed to run"
            ]
        );
        assert_eq!(found.failures[1].places, ["src/a.test.js:4"]);
        let count = TestCount {
            passed: 4,
            failed: 2,
            skipped: 0,
        };
        assert_eq!(found.tests, Some(count));
    }

    #[test]
    fn what_ends_in_the_middle_did_not_pass() {
        for text in [
            "PASS src/c.test.js\n",
            "PASS src/c.test.js\nTest Suites: 1 passed, 1 total\n",
        ] {
            assert_eq!(read(text).failures[0].id, "jest did not end", "{text}");
        }
        assert_eq!(read("FAIL src/a.test.js\n").failures[0].id, "src/a.test.js");
    }
}
