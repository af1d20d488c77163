//! A named test, and the key for comparing it with tests of other runs.
//!
//! The test `b` in `a` may be called `a::b`, `a.b` or `a > b`, depending on the program. The key is
//! the same for all of them.

/// A test's outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestOutcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It was not run, or its outcome is meant to be ignored.
    Skipped,
    /// An error of a compiler or another program, rather than a test.
    Error,
}

/// A test named in results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTest {
    /// The test's name as reported, or the name of the failure in the results.
    pub name: String,
    /// Name for comparison, independent of the program's notation.
    pub key: String,
    /// The test's outcome.
    pub outcome: TestOutcome,
    /// True if the results contain its failure, or another failure that stands for it.
    pub is_listed: bool,
    /// The location in its report: the suite, the package, the file, and the suites around it, or
    /// only one of these.
    pub within: Vec<String>,
    /// True if no other test has the same key. If the name occurs again, the same test was run
    /// again.
    pub is_whole: bool,
}

impl NamedTest {
    pub(super) fn of(suite: &str, name: &str, outcome: TestOutcome) -> Self {
        Self {
            name: name.to_owned(),
            key: key_of(suite, name),
            outcome,
            is_listed: false,
            within: Vec::new(),
            is_whole: false,
        }
    }

    /// Returns the key without the number that distinguishes tests of the same name and outcome,
    /// such as ` (2)`.
    #[must_use]
    pub fn unnumbered_key(&self) -> &str {
        let numbered = self.key.strip_suffix(')');
        let numbered = numbered.and_then(|key| key.rsplit_once(" ("));
        match numbered {
            Some((key, number)) if number.bytes().all(|b| b.is_ascii_digit()) => key,
            _ => &self.key,
        }
    }

    /// Returns true if it failed.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        matches!(self.outcome, TestOutcome::Failed | TestOutcome::Error)
    }
}

/// Returns the key of a test for comparison, the same in every program's notation.
#[must_use]
pub fn test_key(name: &str) -> String {
    key_of("", name)
}

/// Returns the key of the test `name` in `suite`.
///
/// Programs join the two by different characters, which are replaced by the same one here.
pub(super) fn key_of(suite: &str, name: &str) -> String {
    let mut key = String::with_capacity(suite.len() + name.len() + 1);
    // In most notations, the file `test_a.py` is called `test_a`.
    let parts = [suite, &name.replace(".py::", "::")].join(" ");
    for part in parts.split([' ', '.', ':', '/', '\\', '›', '>', '#']) {
        if !part.is_empty() {
            if !key.is_empty() {
                key.push('.');
            }
            key.push_str(part);
        }
    }
    key
}

#[cfg(test)]
pub(crate) fn count_of(names: &[NamedTest]) -> crate::TestCount {
    let number = |outcome| {
        let names = names.iter().filter(|it| it.outcome == outcome);
        let keys: std::collections::BTreeSet<&str> = names.map(|it| &*it.key).collect();
        u32::try_from(keys.len()).unwrap_or(u32::MAX)
    };
    crate::TestCount {
        passed: number(TestOutcome::Passed),
        failed: number(TestOutcome::Failed),
        skipped: number(TestOutcome::Skipped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        for (one, other) in [
            (
                ("", "tests/test_a.py::Case::test_b"),
                ("", "tests.test_a.Case::test_b"),
            ),
            (("", "pkg::bin mod::test"), ("pkg::bin", "mod::test")),
            (("", "example.org/a.TestB"), ("example.org/a", "TestB")),
            (("", "a.CalcTest.bad"), ("", "a.CalcTest::bad")),
            (("", "suite › name"), ("", "suite > name")),
        ] {
            assert_eq!(key_of(one.0, one.1), key_of(other.0, other.1));
        }
        assert_ne!(key_of("", "ab"), key_of("", "a b"));
    }
}
