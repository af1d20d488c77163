use std::collections::BTreeMap;

use super::*;
use crate::results::Origin;
use crate::{CaseResult, Subject};

use crate::gate::{Checked, Gate, Gates, Must, Number, check};

fn results() -> Results {
    let case = |archetype: &str, name: &str, system: &str, recall: Option<f64>| CaseResult {
        values: BTreeMap::from([
            (Metric::RecallAtTokens, recall),
            (Metric::Latency, Some(2.0)),
        ]),
        asked: "where is <script>alert(1)</script> & \"more\"\u{1}".to_owned(),
        expected: vec!["a.rs:1-2".to_owned()],
        shown: vec!["b|c.rs:3".to_owned()],
        ..CaseResult::new(archetype, name, system)
    };
    Results::of(vec![
        case("mono", "q1", OURS, Some(1.0)),
        case("mono", "q2", OURS, Some(0.0)),
        case("docs", "q1", OURS, None),
        case("mono", "q1", "rg", Some(0.5)),
    ])
}

/// Of which no archetype here has enough.
fn recall_gate() -> Gate {
    Gate {
        metric: Metric::RecallAtTokens,
        archetypes: Vec::new(),
        kinds: Vec::new(),
        case: None,
        of: Number::Mean,
        must: Must::AtLeast(0.9),
    }
}

fn checked() -> Checked {
    let gate = recall_gate();
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

/// A run of this digest, measured at that time.
fn run(digest: &str, when: &str) -> Run {
    Run {
        digest: digest.to_owned(),
        means: results().baseline(),
        measured: Some(crate::Measured {
            version: "1.2".to_owned(),
            program: "4f4f".to_owned(),
            first: when.to_owned(),
            last: when.to_owned(),
        }),
    }
}

#[test]
fn the_page_is_one_well_formed_file_that_asks_nobody_for_anything() {
    let history = History {
        runs: vec![
            run("a", "2026-01-31T12:00:00Z"),
            run("b", "2026-02-01T12:00:00Z"),
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
    for said in [
        ">run 1, 2026-01-31</text>",
        ">run 2, 2026-02-01</text>",
        "<td>2026-02-01T12:00:00Z</td><td>1.2 (4f4f)</td><td>2</td>",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
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
        page.contains("points=\"30.0,52.5 290.0,17.1\"><title>mono</title>"),
        "{page}"
    );
    assert!(page.contains("</svg>docs 0.25</li>") && page.contains("</svg>mono 0.75</li>"));
    assert!(page.contains(">run 1</text>") && page.contains(">run 3</text>"));
}

#[test]
fn runs_that_asked_something_else_are_on_no_line_with_these() {
    let run = |questions: &str, recall| {
        let mut cases = results().cases;
        cases.retain(|case| case.archetype == "mono");
        for case in &mut cases {
            case.values.insert(Metric::RecallAtTokens, Some(recall));
        }
        Results::of(cases).of_repository(Origin {
            subject: Some(Subject {
                lineage: Vec::new(),
                questions: questions.to_owned(),
            }),
            ..Origin::default()
        })
    };
    let mut history = History::default();
    for one in [
        run("own", 0.5),
        run("mined", 0.25),
        run("own", 0.5),
        run("mined", 0.75),
    ] {
        history.add(&one);
    }
    assert_eq!(history.runs.len(), 3, "what was found again adds nothing");
    let page = html(&results(), None, None, &history);
    assert!(
        page.contains("points=\"160.0,87.9 290.0,17.1\"><title>mono</title>"),
        "{page}"
    );
    assert!(page.contains("cx=\"30.0\" cy=\"52.5\""), "{page}");
    assert!(page.contains("Not all runs asked the same"));
    assert!(page.contains("</svg>mono 0.75</li>"));
}

#[test]
fn markdown_says_first_what_does_not_hold() {
    let text = markdown(&results(), Some(&checked()), Some(&Baseline::default()));
    let gates = text.find("2 gates do not hold").unwrap();
    assert!(gates < text.find("| ours, all of its cases |").unwrap());
    // What ours reaches on all; and beside `rg`, which was asked one question alone.
    assert!(text.contains("| recall_at_2000_tokens | 0.5 | 0 |"));
    assert!(text.contains("| recall_at_2000_tokens | 1 / 0.5 (1) |"));
    assert!(text.contains("undefined in its only case"));
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
    assert!(text.contains("<testsuite name=\"gates\" tests=\"3\" failures=\"2\" skipped=\"0\">"));
    assert!(text.contains("mono latency_ms max at most 9\"><system-out>2</system-out>"));
    assert!(text.contains("<system-out>not as expected"), "{text}");
    let alone = junit(&results(), None);
    assert!(
        alone.contains("failures=\"1\"")
            && alone.contains(
                "<failure message=\"not as expected: nothing of what is wanted is shown\">"
            )
    );
}

#[test]
fn what_is_said_where_nothing_answers_and_beyond_the_budget_is_to_be_looked_at() {
    let case = |name: &str, metric, value| CaseResult {
        values: BTreeMap::from([(metric, Some(value))]),
        asked: "what nobody knows".to_owned(),
        ..CaseResult::new("docs", name, OURS)
    };
    let found = Results::of(vec![
        case("a", Metric::NothingSaid, 0.0),
        case("b", Metric::NothingSaid, 1.0),
        case("c", Metric::BudgetOverflow, 7.0),
        case("d", Metric::BudgetOverflow, 0.0),
    ]);
    let failing: Vec<&str> = found
        .cases
        .iter()
        .filter(|case| fails(case))
        .map(|case| &*case.case)
        .collect();
    assert_eq!(failing, ["a", "c"]);
    let page = html(&found, None, None, &History::default());
    assert!(
        page.contains("<summary>docs a: what nobody knows</summary><pre>places are shown where")
    );
    assert!(page.contains("<summary>docs c: ") && !page.contains("<summary>docs b: "));
    let text = junit(&found, None);
    assert!(text.contains("failures=\"2\""), "{text}");
    let text = markdown(&found, None, None);
    assert!(
        text.contains("- docs c: what nobody knows (more is printed than the budget)"),
        "{text}"
    );
}

#[test]
fn what_is_in_names_is_no_markdown() {
    let name = "a</details>\n\n# Every gate holds\n<b>x</b>|_q_`";
    let case = |name: &str| CaseResult {
        values: BTreeMap::from([(Metric::RecallAtTokens, Some(0.0))]),
        ..CaseResult::new("do_c_s", name, OURS)
    };
    let found = Results::of(vec![case(name), case("b")]);
    let gate = recall_gate();
    let gates = Gates {
        gates: vec![gate],
        ..Gates::default()
    };
    let alone = Results::of(vec![case(name)]);
    for found in [found, alone] {
        let text = markdown(&found, Some(&check(&gates, &found, None)), None);
        let is_heading = |line: &str| line.trim_start().starts_with("# Every");
        assert!(!text.lines().any(is_heading), "{text}");
        let ends = text.matches("</details>").count();
        let begins = text.matches("<details>").count();
        // What is typed stands as it is, in backticks.
        assert_eq!(
            ends - text.matches("$'a</details>").count(),
            begins,
            "{text}"
        );
        assert!(
            text.contains("do\\_c\\_s") && text.contains("- ``windlass zoo run"),
            "{text}"
        );
    }
}

#[test]
fn what_was_expected_and_shown_is_told_of_each_case_in_brief_and_of_one_alone_in_full() {
    let places = |file: &str| (0..25).map(|at| format!("{file}:{at}")).collect();
    let case = |name: &str, system: &str| CaseResult {
        values: BTreeMap::from([(Metric::RecallAtTokens, Some(0.0))]),
        asked: "where".to_owned(),
        expected: places("gold.rs"),
        shown: places("other.rs"),
        left_off: 7,
        ..CaseResult::new("docs", name, system)
    };
    let both = Results::of(vec![case("a", OURS), case("b", OURS), case("b", "rg")]);
    let text = markdown(&both, None, None);
    let brief = "  - expected gold.rs:0, gold.rs:1, gold.rs:2, and 22 more\n  - shown other.rs:0, other.rs:1, other.rs:2, and 23 more\n";
    assert_eq!(text.matches(brief).count(), 2, "{text}");
    let alone = Results::of(vec![case("b", OURS), case("b", "rg")]);
    let text = markdown(&alone, None, None);
    for said in [
        "- expected\n  - gold.rs:0\n",
        "- shown by rg (nothing",
        "  - gold.rs:19\n  - and 5 more\n",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let told = "and 7 more, which count for nothing";
    let page = html(&both, None, None, &History::default());
    assert!(page.contains(told) && junit(&both, None).contains(told));
}

#[test]
fn the_cases_of_a_program_can_be_looked_at_with_the_command_that_starts_it() {
    let case = |name: &str, failure: Option<&str>| CaseResult {
        values: BTreeMap::from([(Metric::RecallAtTokens, Some(0.0))]),
        asked: "where".to_owned(),
        expected: vec!["gold.rs:1-2".to_owned()],
        failure: failure.map(str::to_owned),
        ..CaseResult::new("docs", name, "mine")
    };
    let program = crate::start("mine=sh it.sh", std::time::Duration::from_secs(60)).unwrap();
    let cases = vec![case("missed", None), case("crashed", Some("it `ended`"))];
    let found = Results::of(cases).with_programs(&[Box::new(program)]);
    let page = html(&found, None, None, &History::default());
    assert!(
        page.contains("<h2>Cases of mine to look at (2)</h2>"),
        "{page}"
    );
    let at = |what: &str| page.find(what).unwrap();
    assert!(at("<summary>docs crashed") < at("<summary>docs missed"));
    assert!(
        page.contains("failed: it `ended`") && page.contains("the first: it <code>ended</code>")
    );
    let typed = "--case crashed --system 'mine=sh it.sh' --patience 60 --fresh";
    let text = markdown(&found, None, None);
    assert!(text.contains("2 cases of mine to look at") && text.contains("expected gold.rs:1-2"));
    assert!(page.contains(typed) && text.contains(typed), "{text}");
}

#[test]
fn what_no_gate_was_held_against_is_named() {
    let checked = Checked {
        broken: Vec::new(),
        ..checked()
    };
    assert_eq!(checked.held.len(), 1, "{checked:?}");
    let page = html(&results(), Some(&checked), None, &History::default());
    let said = "No gate was held against what is shown of docs.";
    assert!(
        page.contains(said) && !page.contains("No gate is broken"),
        "{page}"
    );
    let text = markdown(&results(), Some(&checked), None);
    assert!(
        text.contains(said) && text.contains("Every gate that was held holds (1)."),
        "{text}"
    );
    let text = junit(&results(), Some(&checked));
    assert!(
        text.contains("name=\"docs\"><skipped message=\"no gate was held"),
        "{text}"
    );
    let nothing = html(
        &results(),
        Some(&Checked::default()),
        None,
        &History::default(),
    );
    assert!(nothing.contains("is shown of docs, mono.") && !nothing.contains("every gate holds"));
}

#[test]
fn what_has_no_value_any_more_is_no_change_that_is_left_out() {
    let mut baseline = results().baseline();
    let mono = baseline.means.get_mut("mono").unwrap();
    mono.insert(Metric::Mrr, Some(0.5));
    mono.remove(&Metric::RecallAtTokens);
    let text = markdown(&results(), None, Some(&baseline));
    assert!(
        text.contains("| mono | mrr | 0.5 | – | no value any more |"),
        "{text}"
    );
    assert!(
        text.contains("| mono | recall_at_2000_tokens | – | 0.5 | for the first time |"),
        "{text}"
    );
}

#[test]
fn a_page_says_when_what_it_shows_was_measured() {
    let mut found = results();
    let at = |when: &str| crate::Measured {
        version: "1.2".to_owned(),
        first: when.to_owned(),
        last: when.to_owned(),
        ..Default::default()
    };
    let page = |found: &Results| html(found, None, None, &History::default());
    assert!(!page(&found).contains("measured at"));
    found
        .measured
        .insert("docs".to_owned(), at("2026-01-31T12:00:00Z"));
    found
        .measured
        .insert("mono".to_owned(), at("2026-01-31T12:00:00Z"));
    assert!(page(&found).contains("<p>measured at 2026-01-31T12:00:00Z, by windlass 1.2.</p>"));
    found
        .measured
        .insert("mono".to_owned(), at("2026-02-01T12:00:00Z"));
    assert!(
        page(&found).contains("<p>mono: measured at 2026-02-01T12:00:00Z, by windlass 1.2.</p>")
    );
}
