//! Vitest.

use super::Program;
use super::counts_line::listed;
use super::printed_page::Page;
use crate::{FailureKind, FileCount};

#[derive(Default)]
pub(super) struct Vitest {
    is_open: bool,
    /// Tests that were seen to fail; each is told again at the end.
    seen: Vec<String>,
}

impl Program for Vitest {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line().trim();
        if line.starts_with("RUN  v") || line.starts_with("DEV  v") {
            self.is_open = true;
            page.recognise();
        } else if let Some(name) = self.failed(line) {
            page.pass();
            let said = page.take_until(is_end).join("\n");
            page.recognise();
            page.fail(name.trim(), &said);
            return true;
        } else if let Some(name) = line.strip_prefix("× ").filter(|_| self.is_open) {
            self.seen.push(untimed(name).to_owned());
        } else if let Some((file, count)) = counted_file(line).filter(|_| self.is_open) {
            page.count_in(file, count);
        } else if self.is_open
            && let Some(name) = line.strip_prefix("✓ ").filter(|name| name.contains(" > "))
        {
            page.passed(untimed(name));
        } else if self.is_open
            && let Some(name) = line.strip_prefix("↓ ").filter(|name| name.contains(" > "))
        {
            page.skipped(untimed(name));
        } else if let Some(rest) = line.strip_prefix("Tests  ") {
            let Some(count) = listed(rest, '|') else {
                return false;
            };
            self.is_open = false;
            page.count(count);
        } else if let Some(rest) = line
            .strip_prefix("Errors  ")
            .filter(|_| self.is_open || page.failed() > 0)
        {
            page.tell(
                "vitest: errors outside of tests",
                rest.trim(),
                FailureKind::Error,
            );
        } else if self.is_open
            && line.starts_with("Test Files  ")
            && line.contains(" failed")
            && page.is_all_well()
        {
            page.tell(line, line, FailureKind::Test);
        } else {
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if !self.is_open {
            return;
        }
        if page.is_all_well() {
            for name in &self.seen {
                page.name(name);
            }
        }
        page.break_off("vitest", "");
    }
}

impl Vitest {
    /// `FAIL  src/a.test.ts > suite > name`; Jest begins so what it says of a file where it prints in colours.
    fn failed<'l>(&self, line: &'l str) -> Option<&'l str> {
        let name = line.strip_prefix("FAIL  ")?;
        (self.is_open || name.contains(" > ")).then_some(name)
    }
}

/// The file of `✓ src/a.test.ts (3 tests | 1 skipped) 5ms`, and how its tests went; of older ones the number stands alone.
fn counted_file(line: &str) -> Option<(&str, FileCount)> {
    let signs = ["✓ ", "❯ ", "↓ ", "× "];
    let rest = signs.iter().find_map(|sign| line.strip_prefix(sign))?;
    let (file, rest) = rest.rsplit_once(" (")?;
    let (said, _) = rest.split_once(')')?;
    let mut parts = said.split(" | ");
    let number = |part: &str| part.split(' ').next()?.parse::<u32>().ok();
    let all = number(parts.next()?)?;
    let others = parts.filter_map(number).fold(0, u32::saturating_add);
    let is_file = file.contains('.') && !file.contains(" > ");
    is_file.then(|| {
        let passed = all.saturating_sub(others);
        (file, FileCount { passed, others })
    })
}

/// A name without the time behind it.
fn untimed(name: &str) -> &str {
    let is_time =
        |time: &str| time.ends_with('s') && time.starts_with(|c: char| c.is_ascii_digit());
    match name.rsplit_once(' ') {
        Some((name, time)) if is_time(time) => name,
        _ => name,
    }
}

fn is_end(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("FAIL  ") || line.starts_with("⎯⎯") || line.starts_with("Test Files  ")
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn what_vitest_prints() {
        let text = " RUN  v4.1.12 /p\n\n ❯ vt/v.test.ts (4 tests | 1 failed) 6ms\n   × top 4ms\n     ✓ adds 0ms\n\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  vt/v.test.ts > math > top\nAssertionError: expected 1 to be 2\n\n ❯ vt/v.test.ts:2:31\n    1| import\n\n⎯⎯⎯[1/1]⎯\n\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed | 2 skipped (4)\n   Start at  23:24:04\n";
        let found = read(text);
        assert_eq!(found.failures.len(), 1, "{found:?}");
        assert_eq!(found.failures[0].id, "vt/v.test.ts > math > top");
        assert_eq!(found.failures[0].places, ["vt/v.test.ts:2"]);
        let tests = found.tests.unwrap();
        assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 1, 2));
        let cut = read(" RUN  v4.1.12 /p\n   × top 4ms\n");
        assert_eq!((&*cut.failures[0].id, cut.failures.len()), ("top", 2));
    }
}
