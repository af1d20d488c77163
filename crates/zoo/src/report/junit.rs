use std::fmt::Write as _;

use super::{escaped, fails};
use crate::gate::Regression;
use crate::results::Results;
use crate::{Metric, OURS};

/// The results as JUnit XML: a suite for each archetype with its cases, and one for what does not hold, where gates were held
/// against them.
#[must_use]
pub fn junit(results: &Results, broken: Option<&[Regression]>) -> String {
    let mut text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"windlass zoo\">\n"
            .to_owned();
    for archetype in results.archetypes() {
        let cases: Vec<_> = results
            .cases
            .iter()
            .filter(|case| case.system == OURS && case.archetype == archetype)
            .collect();
        let failed = cases.iter().filter(|case| fails(case)).count();
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\">",
            escaped(archetype),
            cases.len()
        );
        for case in cases {
            let time = case.value(Metric::Latency).unwrap_or_default() / 1e3;
            let head = format!(
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{time:.6}\"",
                escaped(archetype),
                escaped(&case.case)
            );
            if fails(case) {
                let message = case.failure.as_deref().unwrap_or("not as expected");
                let body = format!(
                    "asked: {}\nexpected:\n{}\nshown:\n{}",
                    case.asked,
                    case.expected.join("\n"),
                    case.shown.join("\n")
                );
                let _ = writeln!(
                    text,
                    "{head}><failure message=\"{}\">{}</failure></testcase>",
                    escaped(message),
                    escaped(&body)
                );
            } else {
                let _ = writeln!(text, "{head}/>");
            }
        }
        text += "  </testsuite>\n";
    }
    let Some(broken) = broken else {
        return text + "</testsuites>\n";
    };
    let _ = writeln!(
        text,
        "  <testsuite name=\"gates\" tests=\"{}\" failures=\"{0}\">",
        broken.len()
    );
    for one in broken {
        let name = format!("{} {} {}", one.archetype, one.metric.name(), one.must);
        let body = format!("{}\n{}", one.cases.join("\n"), one.reproduce);
        let _ = writeln!(
            text,
            "    <testcase classname=\"gates\" name=\"{}\"><failure message=\"{}\">{}</failure></testcase>",
            escaped(&name),
            escaped(&one.is),
            escaped(&body)
        );
    }
    text + "  </testsuite>\n</testsuites>\n"
}
