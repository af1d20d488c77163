use std::collections::BTreeMap;

use super::*;
use crate::gate::{Gate, Gates, Must, Number, check};
use crate::{CaseResult, Metric, OURS};

fn results() -> Results {
    let case = |archetype: &str, name: &str, system: &str, recall: Option<f64>| CaseResult {
        values: BTreeMap::from([
            (Metric::RecallAtTokens, recall),
            (Metric::Latency, Some(2.0)),
        ]),
        asked: "where is <script>alert(1)</script> & \"more\"\u{1}".to_owned(),
        expected: vec!["a.rs:1-2".to_owned()],
        shown: vec!["b|c.rs:3".to_owned()],
        left_off: 7,
        ..CaseResult::new(archetype, name, system)
    };
    Results::of(vec![
        case("mono", "q1", OURS, Some(1.0)),
        case("mono", "q2</details>\n# It", OURS, Some(0.0)),
        case("docs", "q1", OURS, None),
        case("mono", "q1", "rg", Some(0.5)),
    ])
}

fn checked() -> Checked {
    let gate = |metric, of, must| Gate {
        metric,
        archetypes: vec!["mono".to_owned()],
        except: Vec::new(),
        kinds: Vec::new(),
        case: None,
        of,
        must,
    };
    let gates = Gates {
        gates: vec![
            gate(Metric::RecallAtTokens, Number::Mean, Must::AtLeast(0.9)),
            gate(Metric::Latency, Number::Max, Must::AtMost(9.0)),
        ],
        ..Gates::default()
    };
    check(&gates, &results(), None)
}

/// Returns a history of two runs that only differ in their recall.
fn history() -> History {
    let mut history = History::default();
    let mut before = results().cases;
    // Cases are sorted by system, so this is one of Windlass (after those of `rg`).
    before[2].values.insert(Metric::RecallAtTokens, Some(0.5));
    history.add(&Results::of(before));
    history.add(&results());
    history
}

/// Returns the report as a page, as Markdown and as JUnit.
fn written(
    results: &Results,
    checked: Option<&Checked>,
    baseline: Option<&Baseline>,
) -> [String; 3] {
    let report = Report {
        results,
        checked,
        baseline,
        history: &history(),
    };
    [report.html(), report.markdown(), report.junit()].map(Result::unwrap)
}

#[test]
fn page_is_well_formed_and_self_contained() {
    let [page, ..] = written(&results(), Some(&checked()), None);
    let body = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    let tree = roxmltree::Document::parse(body).unwrap();
    for needs in ["http:", "https:", "<script"] {
        assert!(!page.contains(needs), "nothing is loaded or run");
    }
    for table in tree.descendants().filter(|node| node.has_tag_name("table")) {
        let parent = table.parent().unwrap();
        assert_eq!(
            parent.attribute("class"),
            Some("wide"),
            "a table may be wider than a phone"
        );
    }
    let texts: Vec<&str> = tree.descendants().filter_map(|node| node.text()).collect();
    for said in [
        "2 archetypes, 3 cases, 1 to review.",
        "no wanted line is shown",
        "and 7 more",
        "0.25 → 0.5",
    ] {
        assert!(
            texts.iter().any(|text| text.contains(said)),
            "{said}: {texts:?}"
        );
    }
}

#[test]
fn markdown_shows_failed_gates_escaped() {
    let [_, text, _] = written(&results(), Some(&checked()), Some(&Baseline::default()));
    let gates = text.find("**Failed gates: 1.**").unwrap();
    assert!(gates < text.find("| windlass | mean |").unwrap(), "{text}");
    assert!(
        text.contains("| recall_at_2000_tokens | 0.5 |")
            && text.contains("| 0.5 (may be chance) |"),
        "{text}"
    );
    assert!(
        !text.contains("<script>") && !text.lines().any(|line| line.starts_with("# It")),
        "{text}"
    );
    assert_eq!(text.matches("<details>").count(), 2);
    assert!(text.contains("--case=\"$(printf 'q2"), "{text}");
    let [_, text, _] = written(&results(), Some(&Checked::default()), None);
    assert!(text.contains("**All 0 gates pass"), "{text}");
}

#[test]
fn verdict_comes_first() {
    let report = Report {
        results: &results(),
        checked: Some(&checked()),
        baseline: None,
        history: &history(),
    };
    let text = report.text().unwrap();
    assert!(text.starts_with("1 of 2 gates fail"), "{text}");
    let table = text
        .lines()
        .find(|line| line.starts_with("recall_at_2000_tokens"));
    assert!(table.is_some_and(|row| row.contains("  0.5  ")), "{text}");
    assert!(
        !text.contains("NaN") && !text.contains("nothing_said"),
        "{text}"
    );
}

#[test]
fn baseline_differences_are_shown() {
    let mut baseline = results().baseline();
    let [_, same, _] = written(&results(), None, Some(&baseline));
    assert!(!same.contains("baseline"), "{same}");
    let mono = baseline.means.get_mut("mono").unwrap();
    mono.insert(Metric::Mrr, Some(0.5));
    baseline.digests.insert("mono".to_owned(), "4f".to_owned());
    let [page, text, _] = written(&results(), None, Some(&baseline));
    assert!(text.contains("| mono | mrr | 0.5 | – |"), "{text}");
    for text in [page, text] {
        assert!(text.contains("differ from the baseline: mono."));
    }
}

#[test]
fn junit_reports_gates_as_failures() {
    let failures = |text: &str| {
        let tree = roxmltree::Document::parse(text).unwrap();
        let all = tree.descendants();
        all.filter(|node| node.has_tag_name("failure")).count()
    };
    let [.., text] = written(&results(), Some(&checked()), None);
    assert_eq!(failures(&text), 1, "gates say what is a failure");
    assert!(text.contains("<testsuite name=\"gates\" tests=\"2\" failures=\"1\">"));
    let [.., alone] = written(&results(), None, None);
    assert_eq!(failures(&alone), 1);
    assert!(!alone.contains("gates"));
}

#[test]
fn control_characters_leave_xml_valid() {
    let odd = "a\u{1}b\u{ffff}";
    let mut results = results();
    for case in &mut results.cases {
        case.system = format!("{}{odd}", case.system);
        case.case = odd.to_owned();
        case.failure = Some(odd.to_owned());
    }
    results.origin = Some(crate::results::Origin {
        name: odd.to_owned(),
        commit: Some(odd.to_owned()),
        ..Default::default()
    });
    let mut checked = checked();
    checked.broken[0].is = odd.to_owned();
    checked.broken[0].cases = vec![odd.to_owned()];
    let [page, _, junit] = written(&results, Some(&checked), None);
    for text in [page.strip_prefix("<!DOCTYPE html>\n").unwrap(), &junit] {
        assert!(roxmltree::Document::parse(text).is_ok(), "{text}");
    }
    assert!(page.contains("zoo: ab<"), "{page}");
}
