//! The tests of Maven (Surefire and Failsafe) and of Gradle.

use super::Program;
use super::printed_page::Page;
use crate::{FailureKind, TestCount};

#[derive(Default)]
pub(super) struct Java {
    /// Whether tests of Maven run whose count was not said yet.
    is_open: bool,
    /// Those of the classes since the last count of all.
    classes: TestCount,
    /// Whether the list of what failed is read.
    is_list: bool,
    /// A task of Gradle that failed.
    task: Option<String>,
}

impl Program for Java {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        let said = said(line);
        if said.trim() == "T E S T S" {
            self.is_open = true;
            page.recognise();
        } else if let Some((count, is_class)) = counted(said)
            && (is_class || page.is_followed())
        {
            self.is_list = false;
            page.recognise();
            if is_class {
                self.classes = sum(self.classes, count);
            } else {
                self.classes = TestCount::default();
                self.is_open = false;
                page.count(count);
            }
        } else if let Some(name) = failed(said) {
            page.pass();
            let told = page.take_until(is_end).join("\n");
            page.fail(&name, &told);
            return true;
        } else if matches!(
            said.trim(),
            "Failures:" | "Errors:" | "Tests in error:" | "Crashed tests:"
        ) || said.starts_with("Failed tests:")
        {
            self.is_list = true;
            if let Some(rest) = said.strip_prefix("Failed tests:") {
                take_listed(rest, page);
            }
        } else if is_crash(said) {
            self.is_list = false;
            page.is_cut();
            if std::mem::take(&mut self.is_open) {
                page.break_off("the tests of Maven", said.trim());
            }
        } else if self.is_list && !said.trim().is_empty() && is_listed(said) {
            take_listed(said, page);
        } else if let Some(name) = line
            .strip_suffix(" FAILED")
            .filter(|name| is_of_gradle(name))
        {
            page.pass();
            let told = page
                .take_until(|line| !line.starts_with([' ', '\t']))
                .join("\n");
            page.fail(name, &told);
            return true;
        } else if let Some(name) = line
            .strip_suffix(" PASSED")
            .filter(|name| is_of_gradle(name))
        {
            page.passed(name);
        } else if let Some(name) = line
            .strip_suffix(" SKIPPED")
            .filter(|name| is_of_gradle(name))
        {
            page.skipped(name);
        } else if let Some(task) = line
            .strip_prefix("> Task ")
            .and_then(|rest| rest.strip_suffix(" FAILED"))
        {
            page.recognise();
            page.of_place(Some(task));
            self.task.get_or_insert_with(|| format!("task {task}"));
        } else if let Some(task) = line.strip_prefix("> Task ") {
            page.of_place(task.split(' ').next());
            return false;
        } else if let Some(count) = completed(line) {
            page.count(count);
        } else {
            self.is_list &= !said.trim().is_empty();
            if said.starts_with("BUILD ") && self.classes != TestCount::default() {
                page.count(std::mem::take(&mut self.classes));
            }
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if self.classes != TestCount::default() {
            page.count(self.classes);
        }
        if self.is_open {
            page.break_off("the tests of Maven", "");
        }
        if let Some(task) = self.task.take().filter(|_| page.is_all_well()) {
            page.tell(
                &task,
                "it failed, and why is not said here",
                FailureKind::Error,
            );
        }
    }
}

/// A line without the word that says how much it matters.
fn said(line: &str) -> &str {
    [
        "[INFO] ",
        "[ERROR] ",
        "[WARNING] ",
        "[INFO]",
        "[ERROR]",
        "[WARNING]",
    ]
    .iter()
    .find_map(|word| line.strip_prefix(word))
    .unwrap_or(line)
}

fn sum(a: TestCount, b: TestCount) -> TestCount {
    TestCount {
        passed: a.passed.saturating_add(b.passed),
        failed: a.failed.saturating_add(b.failed),
        skipped: a.skipped.saturating_add(b.skipped),
    }
}

/// `Tests run: 4, Failures: 1, Errors: 1, Skipped: 1`, and whether it is of one class, which has a time.
fn counted(said: &str) -> Option<(TestCount, bool)> {
    let rest = said.trim_start().strip_prefix("Tests run: ")?;
    let mut numbers = [0_u32; 4];
    let mut parts = rest.split(", ");
    numbers[0] = parts.next()?.trim().parse().ok()?;
    for (number, name) in numbers[1..]
        .iter_mut()
        .zip(["Failures: ", "Errors: ", "Skipped: "])
    {
        let part = parts.next()?.strip_prefix(name)?;
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        *number = digits.parse().ok()?;
    }
    let rest = said.rsplit_once("Skipped: ")?.1;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_class = rest.starts_with(", Time elapsed");
    if !is_class && !rest.is_empty() {
        return None;
    }
    let [ran, failures, errors, skipped] = numbers;
    let failed = failures.saturating_add(errors);
    let count = TestCount {
        passed: ran.saturating_sub(failed.saturating_add(skipped)),
        failed,
        skipped,
    };
    Some((count, is_class))
}

/// The test that `bad(a.CalcTest)  Time elapsed: 0 s  <<< FAILURE!` tells of: `a.CalcTest.bad`.
fn failed(said: &str) -> Option<String> {
    let (before, _) = said.split_once("<<< ")?;
    let (name, _) = before.split_once("Time elapsed")?;
    let name = name.trim().trim_end_matches("--").trim();
    (!name.is_empty() && !name.starts_with("Tests run:")).then(|| full_name(name))
}

/// `a.CalcTest.bad` of `bad(a.CalcTest)`.
fn full_name(name: &str) -> String {
    let parts = name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once('('));
    match parts {
        Some((test, class)) if class.contains('.') && !test.contains('.') => {
            format!("{class}.{test}")
        }
        _ => name.to_owned(),
    }
}

/// What is told of a test ends where Maven says something else.
fn is_end(line: &str) -> bool {
    line.starts_with("[INFO]")
        || line.starts_with("[ERROR]")
        || line.starts_with("[WARNING]")
        || line.starts_with("Tests run:")
        || line.starts_with("Running ")
        || line.starts_with("Results :")
        || failed(line).is_some()
}

/// Whether it is a line of a list of what failed: `  CalcTest.bad:6 sum expected:<3> but was:<2>`, `a.CrashTest`.
fn is_listed(said: &str) -> bool {
    let name = said
        .trim()
        .split([' ', ':', '('])
        .next()
        .unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || ".$_>-[]{}".contains(c);
    !name.is_empty()
        && name.chars().all(is_name)
        && !said.starts_with('\t')
        && (name.contains('.') || said.contains('('))
}

fn take_listed(said: &str, page: &mut Page<'_>) {
    let said = said.trim();
    // `testA(a.ATest): expected:<1>` of older ones, `ATest.testA:6->help:9 expected:<1>` of newer ones.
    let old = said
        .split_once("): ")
        .filter(|(name, _)| name.contains('('));
    let (name, message, line) = match old {
        Some((name, message)) => (full_name(&format!("{name})")), message, None),
        None => {
            let (place, message) = said.split_once(' ').unwrap_or((said, ""));
            let (name, rest) = place.split_once(':').unwrap_or((place, ""));
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            (
                name.to_owned(),
                message,
                Some(digits).filter(|it| !it.is_empty()),
            )
        }
    };
    // Of a class that another extends, that which declares the test: `ATest>Base.testA`.
    let name = match name.split_once('>') {
        Some((class, rest)) => format!("{class}.{}", rest.rsplit('.').next().unwrap_or(rest)),
        None => name,
    };
    let tail = format!(".{name}");
    let is_known = |id: &str| id == name || id.ends_with(&tail);
    if name.is_empty() || page.failures_from(0).iter().any(|it| is_known(&it.id)) {
        return;
    }
    let class = name.rsplit_once('.').map_or("", |(class, _)| class);
    let class = class.rsplit('.').next().unwrap_or_default();
    let told = match line {
        Some(line) if !class.is_empty() => format!("{message}\nat {class}.java:{line}"),
        _ => message.to_owned(),
    };
    page.fail_as(&name, message, &told);
}

/// Whether the program with the tests ended before they did.
fn is_crash(said: &str) -> bool {
    said.contains("The forked VM terminated without")
        || said.contains("There was a timeout or other error in the fork")
}

/// `CalcTest > bad`, `CalcTest > bad()`
fn is_of_gradle(name: &str) -> bool {
    !name.starts_with([' ', '\t', '>']) && name.contains(" > ")
}

/// `4 tests completed, 2 failed, 1 skipped`
fn completed(line: &str) -> Option<TestCount> {
    let (all, rest) = line.split_once(" completed, ")?;
    let all: u32 = all
        .strip_suffix(" tests")
        .or_else(|| all.strip_suffix(" test"))?
        .parse()
        .ok()?;
    let of = |word: &str| {
        let part = rest.split(", ").find_map(|part| part.strip_suffix(word));
        part.and_then(|number| number.trim().parse::<u32>().ok())
            .unwrap_or_default()
    };
    let (failed, skipped) = (of(" failed"), of(" skipped"));
    Some(TestCount {
        passed: all.saturating_sub(failed.saturating_add(skipped)),
        failed,
        skipped,
    })
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::Failure;

    fn told(failures: &[Failure]) -> Vec<(&str, &str)> {
        failures.iter().map(|it| (&*it.id, &*it.summary)).collect()
    }

    const MAVEN: &str = "[INFO] -------------------------------------------------------\n[INFO]  T E S T S\n[INFO] -------------------------------------------------------\n[INFO] Running a.CalcTest\n[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.126 s <<< FAILURE! - in a.CalcTest\n[ERROR] bad(a.CalcTest)  Time elapsed: 0 s  <<< FAILURE!\njava.lang.AssertionError: sum expected:<3> but was:<2>\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat a.CalcTest.bad(CalcTest.java:6)\n\n[ERROR] a.CalcTest.boom -- Time elapsed: 0 s <<< ERROR!\njava.lang.IllegalStateException: boom\n\tat a.CalcTest.boom(CalcTest.java:7)\n\n[INFO] Running a.GoodTest\n[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0 s - in a.GoodTest\n[INFO] \n[INFO] Results:\n[INFO] \n[ERROR] Failures: \n[ERROR]   CalcTest.bad:6 sum expected:<3> but was:<2>\n[ERROR] Errors: \n[ERROR]   CalcTest.boom:7 IllegalState boom\n[ERROR]   OtherTest>Base.late:9 NullPointer\n[INFO] \n[ERROR] Tests run: 6, Failures: 1, Errors: 2, Skipped: 1\n[INFO] \n[INFO] BUILD FAILURE\n";

    #[test]
    fn what_maven_prints() {
        let found = read(MAVEN);
        assert_eq!(
            told(&found.failures),
            [
                (
                    "a.CalcTest.bad",
                    "java.lang.AssertionError: sum expected:<3> but was:<2>"
                ),
                ("a.CalcTest.boom", "java.lang.IllegalStateException: boom"),
                ("OtherTest.late", "NullPointer"),
            ]
        );
        assert_eq!(found.failures[0].places, ["CalcTest.java:6"]);
        assert_eq!(found.failures[2].places, ["OtherTest.java:9"]);
        let tests = found.tests.unwrap();
        assert_eq!((tests.passed, tests.failed, tests.skipped), (2, 3, 1));
        assert!(!found.is_broken_off);
        for (at, _) in MAVEN.match_indices('\n').skip(1) {
            assert!(!read(&MAVEN[..at]).failures.is_empty(), "{at}");
        }
    }

    #[test]
    fn older_lists_and_crashes() {
        let old = " T E S T S\nTests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.308 sec\n\nResults :\n\nFailed tests:   testConceptRank(at.ac.ConceptRankTest): expected:<31> but was:<26>\n\nTests run: 43, Failures: 1, Errors: 0, Skipped: 0\n\n[INFO] BUILD FAILURE\n";
        assert_eq!(
            told(&read(old).failures),
            [(
                "at.ac.ConceptRankTest.testConceptRank",
                "expected:<31> but was:<26>"
            )]
        );
        let crash = "[INFO]  T E S T S\n[INFO] Running a.CrashTest\n[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal x: The forked VM terminated without properly saying goodbye.\n[ERROR] Crashed tests:\n[ERROR] a.CrashTest\n[ERROR] \tat org.apache.maven.X.fork(X.java:669)\n";
        let found = read(crash);
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(
            ids,
            ["the tests of Maven did not end", "a.CrashTest"],
            "{found:?}"
        );
    }

    #[test]
    fn what_gradle_prints() {
        let text = "> Task :test FAILED\n\nCalcTest > bad() FAILED\n    org.opentest4j.AssertionFailedError at CalcTest.java:9\n\n4 tests completed, 1 failed, 1 skipped\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 22s\n";
        let found = read(text);
        assert_eq!(
            told(&found.failures),
            [(
                "CalcTest > bad()",
                "org.opentest4j.AssertionFailedError at CalcTest.java:9"
            )]
        );
        assert_eq!(found.failures[0].places, ["CalcTest.java:9"]);
        assert_eq!(
            found.tests.map(|it| (it.passed, it.failed, it.skipped)),
            Some((2, 1, 1))
        );
        let task = read("> Task :app:lint FAILED\n\nBUILD FAILED in 2s\n");
        assert_eq!(task.failures[0].id, "task :app:lint");
    }
}
