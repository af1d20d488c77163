//! Tests in JUnit XML that were not run. Some programs mark them, each in its own way, and others
//! only count them.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node};

/// Values of `status` or `result` for a test that was not run, in lower-case letters only. They're
/// written by CTest (`disabled`, `notrun`), `GoogleTest` (`notrun`, `suppressed`, `skipped`),
/// behave (`untested`) and others.
const NOT_RUN: [&str; 9] = [
    "disabled",
    "notrun",
    "notexecuted",
    "suppressed",
    "skipped",
    "skip",
    "ignored",
    "pending",
    "untested",
];

/// True if a test is marked as not run.
pub(super) fn is_marked(case: Node<'_, '_>) -> bool {
    let says_so = |name: &str| {
        let said = case.attribute(name).unwrap_or_default();
        let letters = said.chars().filter(|c| c.is_alphabetic());
        let word: String = letters.flat_map(char::to_lowercase).collect();
        NOT_RUN.contains(&word.as_str())
    };
    has_skipped(case) || says_so("status") || says_so("result")
}

fn has_skipped(node: Node<'_, '_>) -> bool {
    let mut children = node.children();
    children.any(|child| child.tag_name().name() == "skipped")
}

/// Tests that suites count as not run without marking them, so that we don't know which tests
/// passed.
#[derive(Debug, Default)]
pub(super) struct Unmarked {
    /// The suites, by their numbers in the document.
    suites: BTreeSet<u32>,
    count: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    cases: u32,
    /// Tests marked as not run.
    marked: u32,
    /// Unmarked tests that a suite counts as not run.
    unmarked: u32,
}

impl Unmarked {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let mut found = Self::default();
        let mut tallies: BTreeMap<u32, Tally> = BTreeMap::new();
        let elements = document.descendants().filter(Node::is_element);
        let elements: Vec<Node<'_, '_>> = elements.collect();
        // In reverse order, the contents of an element come before it.
        for node in elements.into_iter().rev() {
            let mut tally = tallies.remove(&node.id().get()).unwrap_or_default();
            match node.tag_name().name() {
                "testcase" => {
                    tally.cases += 1;
                    tally.marked += u32::from(is_marked(node));
                }
                "testsuite" | "testsuites" => {
                    tally.marked += u32::from(has_skipped(node));
                    let more = unmarked_in(node, tally);
                    tally.unmarked = tally.unmarked.saturating_add(more);
                    if more > 0 {
                        found.suites.insert(node.id().get());
                        found.count = found.count.saturating_add(more);
                    }
                }
                _ => {}
            }
            if let Some(parent) = node.parent() {
                let whole = tallies.entry(parent.id().get()).or_default();
                whole.cases += tally.cases;
                whole.marked += tally.marked;
                whole.unmarked = whole.unmarked.saturating_add(tally.unmarked);
            }
        }
        found
    }

    /// True if a test may be one of them.
    pub(super) fn may_be(&self, case: Node<'_, '_>) -> bool {
        let is_in = |node: Node<'_, '_>| self.suites.contains(&node.id().get());
        !self.suites.is_empty() && case.ancestors().any(is_in)
    }

    /// Returns the number of unmarked tests that were not run.
    pub(super) fn count(&self) -> u32 {
        self.count
    }
}

/// Returns the number of tests a suite counts as not run, except for those marked or missing in it.
fn unmarked_in(suite: Node<'_, '_>, tally: Tally) -> u32 {
    let of = |name: &str| -> u32 {
        let said = suite.attribute(name).unwrap_or_default();
        said.trim().parse().unwrap_or_default()
    };
    let skipped = ["skipped", "skips", "skip", "ignored"].map(of);
    let skipped = skipped.into_iter().max().unwrap_or_default();
    let not_run = skipped.saturating_add(of("disabled"));
    let not_listed = of("tests").saturating_sub(tally.cases);
    let known = tally.marked.saturating_add(tally.unmarked);
    not_run.saturating_sub(known.saturating_add(not_listed))
}

#[cfg(test)]
mod tests {
    use crate::{TestOutcome, read_results};

    /// Returns the names of passed tests and of tests not run, and the numbers of passed, failed
    /// and skipped tests.
    fn told(suites: &str) -> (Vec<String>, Vec<String>, (u32, u32, u32)) {
        let found = read_results(suites).unwrap();
        let named = |outcome: TestOutcome| {
            let names = found.names.iter().filter(|it| it.outcome == outcome);
            names.map(|it| it.name.clone()).collect::<Vec<_>>()
        };
        let tests = found.tests.unwrap();
        (
            named(TestOutcome::Passed),
            named(TestOutcome::Skipped),
            (tests.passed, tests.failed, tests.skipped),
        )
    }

    fn suite(attributes: &str, cases: &str) -> String {
        format!("<testsuite name=\"s\" {attributes}>{cases}</testsuite>")
    }

    #[test]
    fn what_is_said_not_to_be_run_did_not_pass() {
        for (attributes, marks) in [
            ("disabled=\"1\"", "status=\"disabled\""),
            ("skipped=\"1\"", "status=\"notrun\""),
            ("disabled=\"1\"", "status=\"notrun\" result=\"suppressed\""),
            ("skipped=\"1\"", "status=\"run\" result=\"skipped\""),
            ("", "status=\"Not Run\""),
            ("", "status=\"skipped\""),
        ] {
            let cases = format!(
                "<testcase name=\"a\" {marks}/><testcase name=\"b\" status=\"run\" result=\"completed\"/>"
            );
            let expected = (vec!["b".to_owned()], vec!["a".to_owned()], (1, 0, 1));
            assert_eq!(told(&suite(attributes, &cases)), expected, "{marks}");
        }
    }

    #[test]
    fn unnamed_skipped_test_leaves_none_passed() {
        let (a, b) = ("<testcase name=\"a\"/>", "<testcase name=\"b\"/>");
        let two = format!("{a}{b}");
        for counted in ["skipped=\"1\"", "disabled=\"1\"", "tests=\"2\" skips=\"1\""] {
            let expected = (vec![], vec![], (1, 0, 1));
            assert_eq!(told(&suite(counted, &two)), expected, "{counted}");
        }
        let bad = "<testcase name=\"c\"><failure message=\"no\"/></testcase>";
        let found = told(&suite("skipped=\"7\"", &format!("{a}{bad}")));
        assert_eq!(found, (vec![], vec![], (0, 1, 1)));
        // An outer suite counts the same tests again, and another suite isn't affected.
        let both = format!(
            "<testsuites skipped=\"1\">{}{}</testsuites>",
            suite("skipped=\"1\"", a),
            suite("skipped=\"0\"", b)
        );
        assert_eq!(told(&both), (vec!["b".to_owned()], vec![], (1, 0, 1)));
        let around = format!(
            "<testsuites disabled=\"1\">{}</testsuites>",
            suite("", &two)
        );
        assert_eq!(told(&around), (vec![], vec![], (1, 0, 1)));
    }

    #[test]
    fn unlisted_skipped_test_spares_others() {
        let one = "<testcase name=\"a\"/>";
        let expected = (vec!["a".to_owned()], vec![], (1, 0, 0));
        assert_eq!(told(&suite("tests=\"3\" skipped=\"2\"", one)), expected);
        let marked = format!("{one}<testcase name=\"b\"><skipped/></testcase>");
        let expected = (vec!["a".to_owned()], vec!["b".to_owned()], (1, 0, 1));
        assert_eq!(told(&suite("tests=\"2\" skipped=\"1\"", &marked)), expected);
        assert_eq!(told(&suite("skipped=\"none\"", &marked)), expected);
    }

    #[test]
    fn failed_status_alone_is_a_failure() {
        let found = read_results(&suite(
            "failures=\"1\"",
            "<testcase name=\"a\" status=\"failed\"/>",
        ))
        .unwrap();
        assert_eq!(found.failures.len(), 1);
        assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((0, 1)));
    }
}
