//! CTest.

use super::Program;
use super::printed_page::Page;
use crate::TestCount;

#[derive(Default)]
pub(super) struct Ctest {
    is_open: bool,
    /// Which list of names is read.
    list: List,
    /// How many ran, and how many of these failed; nothing before the end says so.
    all: Option<(u32, u32)>,
    skipped: u32,
    disabled: u32,
}

#[derive(Default, PartialEq, Clone, Copy)]
enum List {
    #[default]
    None,
    NotRun,
    Failed,
}

impl Program for Ctest {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if line.starts_with("Test project ") {
            self.count(page);
            self.is_open = true;
            page.recognise();
        } else if let Some((name, how)) = result(line) {
            self.is_open = true;
            page.recognise();
            page.pass();
            if is_bad(how) {
                let said = page.take_until(is_end).join("\n");
                // How long it took is another each time.
                let how = how.trim_start_matches('*').split("  ").next();
                let said = format!("{}\n{said}", how.unwrap_or_default().trim());
                page.fail(name, said.trim());
            } else if how.contains("Skipped") || how.contains("(Disabled)") {
                page.skipped(name);
            } else {
                page.passed(name);
            }
            return true;
        } else if let Some(all) = all(line) {
            self.is_open = false;
            self.all = Some(all);
            page.recognise();
        } else if line.starts_with("No tests were found") && self.is_open {
            self.is_open = false;
            self.all = Some((0, 0));
        } else if line == "The following tests did not run:" {
            self.list = List::NotRun;
        } else if line == "The following tests FAILED:" {
            self.list = List::Failed;
        } else if self.list != List::None
            && let Some((name, how)) = listed(line)
        {
            match (self.list, how) {
                (List::Failed, how) => {
                    if !page.failures_from(0).iter().any(|it| it.id == name) {
                        page.fail(name, how);
                    }
                }
                (_, "Disabled") => self.disabled += 1,
                _ => self.skipped += 1,
            }
        } else {
            self.list = List::None;
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        self.count(page);
        if self.is_open {
            page.break_off("ctest", "");
        }
    }
}

impl Ctest {
    fn count(&mut self, page: &mut Page<'_>) {
        let Some((ran, failed)) = self.all.take() else {
            return;
        };
        let skipped = std::mem::take(&mut self.skipped);
        let disabled = std::mem::take(&mut self.disabled);
        page.count(TestCount {
            passed: ran.saturating_sub(failed.saturating_add(skipped)),
            failed,
            skipped: skipped.saturating_add(disabled),
        });
    }
}

/// `2/7 Test #2: bad ....***Failed    0.00 sec`: the name, and how it went.
fn result(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.trim_start().split_once(" Test ")?;
    let is_number = number.contains('/') && number.bytes().all(|b| b.is_ascii_digit() || b == b'/');
    let (_, rest) = rest.trim_start().strip_prefix('#')?.split_once(": ")?;
    let (name, how) = match rest.split_once("***") {
        Some((name, how)) => (name, how),
        None => rest
            .rsplit_once(".   ")
            .or_else(|| rest.rsplit_once("  Passed"))?,
    };
    let name = name.trim_end_matches(['.', ' ']);
    is_number.then_some((name, how))
}

fn is_bad(how: &str) -> bool {
    let how = how.trim();
    !how.starts_with("Passed")
        && !how.starts_with("Skipped")
        && !how.contains("(Disabled)")
        && !how.ends_with("sec Passed")
        && !how
            .trim_end_matches(" sec")
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b'.' || b == b' ')
}

/// The output of a test ends where the next is told.
fn is_end(line: &str) -> bool {
    let start = line.trim_start().strip_prefix("Start ");
    let is_start =
        start.is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    is_start
        || result(line).is_some()
        || all(line).is_some()
        || line.starts_with("The following tests ")
}

/// `33% tests passed, 4 tests failed out of 6`: all, and those that failed.
fn all(line: &str) -> Option<(u32, u32)> {
    let (share, rest) = line.split_once("% tests passed")?;
    share.trim().parse::<u32>().ok()?;
    let (failed, all) = rest.rsplit_once(" out of ")?;
    let failed = failed.trim_start_matches([',', ' ']).split(' ').next()?;
    let failed = if failed.is_empty() {
        0
    } else {
        failed.parse().ok()?
    };
    Some((all.trim().parse().ok()?, failed))
}

/// `2 - bad (Failed)`, perhaps with labels behind it.
fn listed(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.trim_start().split_once(" - ")?;
    number.parse::<u32>().ok()?;
    let (name, how) = rest.rsplit_once(" (")?;
    let how = how.split(')').next()?;
    Some((name, how))
}

#[cfg(test)]
mod tests {
    use super::super::read;

    const TEXT: &str = "Test project /p/b\n    Start 1: good\n1/5 Test #1: good .............................   Passed    0.01 sec\n    Start 2: bad\n2/5 Test #2: bad ..............................***Failed    0.00 sec\nsrc/a.c:12: wrong\n\n    Start 3: crash\n3/5 Test #3: crash ............................***Exception: SegFault  0.00 sec\n    Start 4: skipped\n4/5 Test #4: skipped ..........................***Skipped   0.00 sec\n    Start 5: off\n5/5 Test #5: off ..............................***Not Run (Disabled)   0.00 sec\n\n50% tests passed, 2 tests failed out of 4\n\nTotal Test time (real) =   1.01 sec\n\nThe following tests did not run:\n\t  4 - skipped (Skipped)\n\t  5 - off (Disabled)\n\nThe following tests FAILED:\n\t  2 - bad (Failed)\n\t  3 - crash (SEGFAULT)\nErrors while running CTest\n";

    #[test]
    fn what_ctest_prints() {
        let found = read(TEXT);
        let told: Vec<(&str, &str)> = found
            .failures
            .iter()
            .map(|it| (&*it.id, &*it.summary))
            .collect();
        assert_eq!(told, [("bad", "Failed"), ("crash", "Exception: SegFault")]);
        assert_eq!(found.failures[0].places, ["src/a.c:12"]);
        let tests = found.tests.unwrap();
        assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 2, 2));
        for (at, _) in TEXT.match_indices('\n') {
            assert!(!read(&TEXT[..at]).failures.is_empty(), "{at}");
        }
    }

    #[test]
    fn what_passes_passes_by_old_and_new_words() {
        for end in [
            "100% tests passed out of 1",
            "100% tests passed, 0 tests failed out of 1",
        ] {
            let text =
                format!("Test project /p\n1/1 Test #1: good .....   Passed    0.00 sec\n\n{end}\n");
            let found = read(&text);
            assert!(found.failures.is_empty(), "{found:?}");
            assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((1, 0)));
        }
    }
}
