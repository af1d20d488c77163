//! Finds tests in JUnit XML that were not run. Each program marks them in its own way, and some
//! only count them.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

/// Values of `status` or `result` for a test that was not run, in lower-case letters only.
///
/// They are written by CTest (`disabled`, `notrun`), `GoogleTest` (`notrun`, `suppressed`,
/// `skipped`), behave (`untested`) and others.
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

/// Returns the outermost suites that count more tests as not run than they mark, with the
/// difference. Any unmarked test in them may not have been run, so we cannot say that it passed.
pub(super) fn doubtful_suites(document: &Document<'_>) -> BTreeMap<u32, u32> {
    let mut found = BTreeMap::new();
    for suite in document.descendants().filter(is_suite) {
        let unmarked = unmarked_in(suite);
        if unmarked > 0 && !is_inside(suite, &found) {
            found.insert(suite.id().get(), unmarked);
        }
    }
    found
}

pub(super) fn is_inside(node: Node<'_, '_>, suites: &BTreeMap<u32, u32>) -> bool {
    let mut around = node.ancestors();
    !suites.is_empty() && around.any(|it| suites.contains_key(&it.id().get()))
}

fn is_suite(node: &Node<'_, '_>) -> bool {
    matches!(node.tag_name().name(), "testsuite" | "testsuites")
}

/// Returns the number of tests that a suite counts as not run but neither marks nor omits.
fn unmarked_in(suite: Node<'_, '_>) -> u32 {
    let of = |name: &str| -> u32 {
        let said = suite.attribute(name).unwrap_or_default();
        said.trim().parse().unwrap_or_default()
    };
    let skipped = ["skipped", "skips", "skip", "ignored"].map(of);
    let skipped = skipped.into_iter().max().unwrap_or_default();
    let not_run = skipped.saturating_add(of("disabled"));
    if not_run == 0 {
        return 0;
    }
    let (mut cases, mut marked) = (0, 0);
    for node in suite.descendants() {
        let is_case = node.tag_name().name() == "testcase";
        cases += u32::from(is_case);
        marked += u32::from(is_case && is_marked(node) || is_suite(&node) && has_skipped(node));
    }
    // Some programs count the tests that weren't run without listing them. The listed ones have
    // been run then.
    let not_listed = of("tests").saturating_sub(cases);
    not_run.saturating_sub(not_listed.saturating_add(marked))
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
        // An outer suite counts the same tests again, and its other tests are in doubt as well.
        let both = format!(
            "<testsuites skipped=\"1\">{}{}</testsuites>",
            suite("skipped=\"1\"", a),
            suite("skipped=\"0\"", b)
        );
        assert_eq!(told(&both), (vec![], vec![], (1, 0, 1)));
        let apart = both.replace("<testsuites skipped=\"1\">", "<testsuites>");
        assert_eq!(told(&apart), (vec!["b".to_owned()], vec![], (1, 0, 1)));
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
