use std::collections::BTreeMap;

use super::*;
use crate::CaseResult;
use crate::gate::{Checked, Gate, Gates, Must, Number, check};

fn results() -> Results {
    let case = |archetype: &str, name: &str, system: &str, recall: Option<f64>| CaseResult {
        archetype: archetype.to_owned(),
        case: name.to_owned(),
        system: system.to_owned(),
        kind: None,
        values: BTreeMap::from([
            (Metric::RecallAtTokens, recall),
            (Metric::Latency, Some(2.0)),
        ]),
        asked: "where is <script>alert(1)</script> & \"more\"\u{1}".to_owned(),
        expected: vec!["a.rs:1-2".to_owned()],
        shown: vec!["b|c.rs:3".to_owned()],
        left_off: 0,
        ranking: None,
        printed: None,
        failure: None,
    };
    Results::of(vec![
        case("mono", "q1", OURS, Some(1.0)),
        case("mono", "q2", OURS, Some(0.0)),
        case("docs", "q1", OURS, None),
        case("mono", "q1", "rg", Some(0.5)),
    ])
}

fn checked() -> Checked {
    let gate = Gate {
        metric: Metric::RecallAtTokens,
        archetypes: Vec::new(),
        kinds: Vec::new(),
        case: None,
        of: Number::Mean,
        must: Must::AtLeast(0.9),
    };
    let latency = Gate {
        metric: Metric::Latency,
        archetypes: vec!["mono".to_owned()],
        kinds: Vec::new(),
        case: None,
        of: Number::Max,
        must: Must::AtMost(9.0),
    };
    let gates = Gates {
        gates: vec![gate, latency],
        ..Gates::default()
    };
    check(&gates, &results(), None)
}

#[test]
fn the_page_is_one_well_formed_file_that_asks_nobody_for_anything() {
    let history = History {
        runs: vec![
            ("a".to_owned(), results().baseline()),
            ("b".to_owned(), results().baseline()),
        ],
    };
    let page = html(&results(), Some(&checked()), None, &history);
    let body = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    let tree = roxmltree::Document::parse(body).unwrap();
    assert!(
        !page.contains("http:") && !page.contains("https:") && !page.contains("<script"),
        "nothing is loaded or run"
    );
    assert!(page.contains("prefers-color-scheme:dark") && page.contains("width=device-width"));
    for table in tree.descendants().filter(|node| node.has_tag_name("table")) {
        let parent = table.parent().unwrap();
        assert_eq!(
            parent.attribute("class"),
            Some("wide"),
            "a table may be wider than a phone"
        );
    }
    assert!(tree.descendants().any(|node| node.has_tag_name("polyline")));
    assert!(page.contains("windlass zoo run mono --case q2 --fresh"));
}

#[test]
fn each_archetype_has_a_line_over_the_runs_that_measured_it() {
    let only = |archetype: &str, recall| {
        let mut cases = results().cases;
        cases.retain(|case| case.archetype == archetype);
        for case in &mut cases {
            case.values.insert(Metric::RecallAtTokens, Some(recall));
        }
        Results::of(cases)
    };
    let mut history = History::default();
    for run in [
        only("mono", 0.5),
        only("docs", 0.25),
        only("mono", 0.5),
        only("mono", 0.75),
    ] {
        history.add(&run);
    }
    assert_eq!(history.runs.len(), 3, "what was found again adds nothing");
    let page = html(&results(), None, None, &history);
    assert!(
        page.contains("points=\"10.0,52.5 290.0,31.2\"><title>mono</title>"),
        "{page}"
    );
    assert!(page.contains("docs 0.25, mono 0.75"));
}

#[test]
fn markdown_says_first_what_does_not_hold() {
    let text = markdown(&results(), Some(&checked()), Some(&Baseline::default()));
    let gates = text.find("2 gates do not hold").unwrap();
    assert!(gates < text.find("| ours, all of its cases |").unwrap());
    // What ours reaches on all; and beside `rg`, which was asked one question alone.
    assert!(text.contains("| recall_at_2000_tokens | 0.5 | 0 |"));
    assert!(text.contains("| recall_at_2000_tokens | 1 / 0.5 (1) |"));
    assert!(text.contains("undefined in all 1 cases"));
    assert!(!text.contains("<script>"));
}

#[test]
fn that_not_the_same_was_found_as_elsewhere_is_said() {
    let told = |baseline: &Baseline| {
        let history = History::default();
        let said = |text: String| text.contains("not what the baseline was written of: mono.");
        (
            said(html(&results(), None, Some(baseline), &history)),
            said(markdown(&results(), None, Some(baseline))),
        )
    };
    let mut baseline = results().baseline();
    assert_eq!(told(&baseline), (false, false));
    let mut slower = results();
    for case in &mut slower.cases {
        case.values.insert(Metric::Latency, Some(9.0));
    }
    assert_eq!(slower.baseline().digests, baseline.digests, "times differ");
    let mut shown = results().cases;
    shown[2].shown.push("c.rs:1".to_owned());
    assert_eq!(shown[2].archetype, "mono");
    baseline.digests = Results::of(shown).baseline().digests;
    assert_eq!(told(&baseline), (true, true));
    baseline.digests.remove("mono");
    assert_eq!(told(&baseline), (false, false), "nothing is known of it");
}

#[test]
fn build_servers_can_read_it() {
    assert!(!junit(&results(), None).contains("gates"));
    let text = junit(&results(), Some(&checked()));
    let tree = roxmltree::Document::parse(&text).unwrap();
    let failures = tree
        .descendants()
        .filter(|node| node.has_tag_name("failure"))
        .count();
    assert_eq!(failures, 2, "gates say what is a failure");
    assert!(text.contains("<testsuite name=\"gates\" tests=\"3\" failures=\"2\">"));
    assert!(text.contains("mono latency_ms max at most 9\"><system-out>2</system-out>"));
    assert!(text.contains("<system-out>not as expected"), "{text}");
    let alone = junit(&results(), None);
    assert!(
        alone.contains("failures=\"1\"") && alone.contains("<failure message=\"not as expected\">")
    );
}
