//! Distinguishes tests of the same name by the parts of the report that enclose them.
//!
//! Two packages may both have a test `works`. If the report names the packages `a` and `b`, these
//! become the labels: `works (a)`, `works (b)`. Otherwise they are numbered: `works`, `works (2)`.

use std::collections::{BTreeMap, BTreeSet};

use crate::Failure;
use crate::in_short::in_short;
use crate::named_test::{NamedTest, key_of};

/// Labels to append to names, by the test's name and location in the report.
pub(super) struct Labels(BTreeMap<(String, Vec<String>), String>);

impl Labels {
    /// Chooses labels for failures and all other named tests.
    ///
    /// A failure keeps its label when its namesakes start to fail or pass, because runs are
    /// compared by labeled names.
    pub(super) fn of(failures: &[Failure], names: &[NamedTest]) -> Self {
        let failed = failures.iter().map(|it| (it.id.as_str(), place_of(it)));
        let named = names.iter().map(|it| (it.name.as_str(), it.within.clone()));
        let mut places: BTreeMap<&str, BTreeSet<Vec<String>>> = BTreeMap::new();
        for (id, place) in failed.chain(named) {
            if !place.is_empty() {
                places.entry(id).or_default().insert(place);
            }
        }
        let mut labels = BTreeMap::new();
        for (id, places) in places.into_iter().filter(|(_, places)| places.len() > 1) {
            for (label, place) in told_apart(&places).into_iter().zip(places) {
                labels.insert((id.to_owned(), place), label);
            }
        }
        Self(labels)
    }

    pub(super) fn of_failure(&self, failure: &Failure) -> Option<&str> {
        self.get(&failure.id, place_of(failure))
    }

    /// Appends the labels to the names of tests without details.
    pub(super) fn put(&self, names: &mut [NamedTest]) {
        for name in names {
            if let Some(label) = self.get(&name.name, name.within.clone()) {
                name.key = key_of(label, &name.name);
                name.name = labelled(&name.name, Some(label));
            }
        }
    }

    fn get(&self, id: &str, place: Vec<String>) -> Option<&str> {
        self.0.get(&(id.to_owned(), place)).map(String::as_str)
    }
}

pub(super) fn labelled(name: &str, label: Option<&str>) -> String {
    match label {
        Some(label) => format!("{name} ({label})"),
        None => name.to_owned(),
    }
}

/// Returns the parts of the report that enclose a failure, or else the file it happened in.
fn place_of(failure: &Failure) -> Vec<String> {
    if !failure.suite.is_empty() {
        return vec![failure.suite.clone()];
    }
    if !failure.within.is_empty() {
        return failure.within.clone();
    }
    let place = failure.places.first();
    let file = place.map(|place| {
        place
            .rsplit_once(':')
            .map_or(place.as_str(), |(file, _)| file)
    });
    file.map(str::to_owned).into_iter().collect()
}

/// Returns a label for each of `places`, in order.
///
/// The label is the first part in which all places differ, or all parts joined if there is no such
/// part.
fn told_apart(places: &BTreeSet<Vec<String>>) -> Vec<String> {
    let longest = places.iter().map(Vec::len).max().unwrap_or_default();
    let by_part = |at: usize| {
        let parts = places.iter().map(|place| place.get(at));
        let parts: Option<Vec<&String>> = parts
            .map(|part| part.filter(|part| !part.is_empty()))
            .collect();
        let parts = parts?;
        let different: BTreeSet<&&String> = parts.iter().collect();
        (different.len() == places.len()).then(|| parts.iter().map(|it| in_short(it)).collect())
    };
    let all = |place: &Vec<String>| {
        let said: Vec<&str> = place
            .iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        in_short(&said.join(", "))
    };
    (0..longest)
        .find_map(by_part)
        .unwrap_or_else(|| places.iter().map(all).collect())
}

#[cfg(test)]
mod tests {
    /// Returns the names of failures, and the names of all other tests.
    fn named(text: &str) -> (Vec<String>, Vec<String>) {
        let found = crate::read_results(text).unwrap();
        let ids = found.failures.iter().map(|it| it.id.clone());
        let others = found.names.iter().filter(|it| !it.is_bad());
        (ids.collect(), others.map(|it| it.name.clone()).collect())
    }

    #[test]
    fn equal_names_get_distinct_labels() {
        let suite = |attributes: &str, said: &str| {
            format!(
                "<testsuite {attributes}><testcase name=\"works\"><failure message=\"{said}\"/></testcase></testsuite>"
            )
        };
        for (one, other, expected) in [
            ("name=\"a\"", "name=\"b\"", ["works (a)", "works (b)"]),
            (
                "name=\"s\" package=\"p.a\"",
                "name=\"s\" package=\"p.b\"",
                ["works (p.a)", "works (p.b)"],
            ),
            (
                "name=\"s\" file=\"a.js\"",
                "name=\"s\" file=\"b.js\"",
                ["works (a.js)", "works (b.js)"],
            ),
            (
                "name=\"s\" file=\"a.js\"",
                "name=\"s\"",
                ["works (s, a.js)", "works (s)"],
            ),
            // Two tests with equal locations are numbered.
            ("name=\"s\"", "name=\"s\"", ["works", "works (2)"]),
        ] {
            let text = format!(
                "<testsuites>{}{}</testsuites>",
                suite(one, "1"),
                suite(other, "2")
            );
            assert_eq!(named(&text).0, expected, "{one} {other}");
        }
        let inner = |outer: &str| {
            format!(
                "<testsuite name=\"{outer}\">{}</testsuite>",
                suite("name=\"s\"", outer)
            )
        };
        let text = format!("<testsuites>{}{}</testsuites>", inner("a"), inner("b"));
        assert_eq!(named(&text).0, ["works (a › s)", "works (b › s)"]);
    }

    #[test]
    fn label_is_independent_of_other_failures() {
        let case = |suite: &str, is_bad: bool| {
            let wrong = if is_bad {
                "<failure message=\"no\"/>"
            } else {
                ""
            };
            format!(
                "<testsuite name=\"{suite}\"><testcase name=\"works\">{wrong}</testcase></testsuite>"
            )
        };
        let text = format!(
            "<testsuites>{}{}</testsuites>",
            case("a", true),
            case("b", false)
        );
        let (failed, passed) = named(&text);
        assert_eq!((&*failed[0], &*passed[0]), ("works (a)", "works (b)"));
        let both = format!(
            "<testsuites>{}{}</testsuites>",
            case("a", true),
            case("b", true)
        );
        let found = crate::read_results(&both).unwrap();
        assert_eq!(found.failures[0].id, failed[0]);
        assert_eq!(found.failures.len(), 2, "they say the same: {found:?}");
    }

    #[test]
    fn cargo_binary_and_file_label_tests() {
        let run = |program: &str, how: &str| {
            format!(
                "     Running unittests src/lib.rs (target/debug/deps/{program}-1c67fa3a)\n\nrunning 1 test\ntest t::works ... {how}\n\ntest result: {how}. 0 passed; 0 failed; 0 ignored\n"
            )
        };
        let text = format!("{}{}", run("a", "FAILED"), run("b", "ok"));
        assert_eq!(
            named(&text),
            (
                vec!["t::works (a)".to_owned()],
                vec!["t::works (b)".to_owned()]
            )
        );
        let jest = |file: &str| {
            format!(
                "FAIL {file}\n  ● cart › adds\n\n    expected 1\n\n      at Object.<anonymous> ({file}:3:5)\n\n"
            )
        };
        let text = format!("{}{}", jest("src/a.test.js"), jest("src/b.test.js"));
        assert_eq!(
            named(&text).0[..2],
            ["cart › adds (src/a.test.js)", "cart › adds (src/b.test.js)"]
        );
    }
}
