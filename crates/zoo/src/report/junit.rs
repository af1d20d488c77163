use std::fmt::Write as _;

use windlass_base::counted;

use super::drilled::shown;
use super::{escaped, fails, why};
use crate::gate::Checked;
use crate::results::Results;
use crate::{CaseResult, Metric, OURS};

/// The results as JUnit XML: a suite for each archetype with its cases, and one with the gates that were held against them. Where there
/// are gates, they say what is a failure: beside them, only what could not be measured is one. Without gates, whatever is not as it should
/// be is one.
#[must_use]
pub fn junit(results: &Results, checked: Option<&Checked>) -> String {
    let mut text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"windlass zoo\">\n"
            .to_owned();
    for archetype in results.archetypes() {
        let cases: Vec<_> = results
            .cases
            .iter()
            .filter(|case| case.system == OURS && case.archetype == archetype)
            .collect();
        let is_failure = |case: &CaseResult| match checked {
            Some(_) => case.failure.is_some(),
            None => fails(case),
        };
        let failed = cases.iter().filter(|case| is_failure(case)).count();
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
            let body = escaped(&format!(
                "asked: {}\nexpected:\n{}\nshown:\n{}",
                case.asked,
                case.expected.join("\n"),
                shown(case).join("\n")
            ));
            let told = format!("not as expected: {}", why(case).join("; "));
            let message = escaped(case.failure.as_deref().unwrap_or(&told));
            let _ = match (is_failure(case), fails(case)) {
                (true, _) => writeln!(
                    text,
                    "{head}><failure message=\"{message}\">{body}</failure></testcase>"
                ),
                (false, true) => writeln!(
                    text,
                    "{head}><system-out>{message}\n{body}</system-out></testcase>"
                ),
                (false, false) => writeln!(text, "{head}/>"),
            };
        }
        text += "  </testsuite>\n";
    }
    text += &systems(results);
    text.extend(checked.map(|checked| gates(results, checked)));
    text + "</testsuites>\n"
}

/// The suite of the systems that ours is compared with: why one failed is told, and is no failure of ours.
fn systems(results: &Results) -> String {
    let failures = results.failures();
    let systems = results.systems();
    let others: Vec<&str> = systems.into_iter().filter(|name| *name != OURS).collect();
    if others.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "  <testsuite name=\"systems\" tests=\"{}\" failures=\"0\">\n",
        others.len()
    );
    for name in others {
        let head = format!(
            "    <testcase classname=\"systems\" name=\"{}\"",
            escaped(name)
        );
        let failure = failures.iter().find(|(system, ..)| *system == name);
        let _ = match failure {
            Some((_, count, first)) => writeln!(
                text,
                "{head}><system-out>failed in {}; the first: {}</system-out></testcase>",
                counted(*count, "case"),
                escaped(first)
            ),
            None => writeln!(text, "{head}/>"),
        };
    }
    text + "  </testsuite>\n"
}

/// The suite of the gates; an archetype that none was held against is a test that was left out.
fn gates(results: &Results, checked: &Checked) -> String {
    let Checked { held, broken } = checked;
    let without = checked.not_held_against(results);
    let mut text = format!(
        "  <testsuite name=\"gates\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        held.len() + broken.len() + without.len(),
        broken.len(),
        without.len()
    );
    for archetype in without {
        let _ = writeln!(
            text,
            "    <testcase classname=\"gates\" name=\"{}\"><skipped message=\"no gate was held against it\"/></testcase>",
            escaped(archetype)
        );
    }
    let head = |archetype: &str, metric: &str, must: &str| {
        let name = escaped(&format!("{archetype} {metric} {must}"));
        format!("    <testcase classname=\"gates\" name=\"{name}\"")
    };
    for one in broken {
        let body = format!("{}\n{}", one.cases.join("\n"), one.reproduce);
        let _ = writeln!(
            text,
            "{}><failure message=\"{}\">{}</failure></testcase>",
            head(&one.archetype, &one.metric, &one.must),
            escaped(&one.is),
            escaped(&body)
        );
    }
    for one in held {
        let _ = writeln!(
            text,
            "{}><system-out>{}</system-out></testcase>",
            head(&one.archetype, &one.metric, &one.must),
            escaped(&one.is)
        );
    }
    text + "  </testsuite>\n"
}
