//! Tests complete runs.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass::engine::{Observer, RunEvent, Stop, StopLevel};
use windlass_plan::Status;
use windlass_zoo::{Metric, OURS, ZooError, ZooRequest};

use super::{request, results, run, run_with};

#[test]
fn windlass_answers_stably_without_secret() {
    let found = results(request("changing", Some("backoff-1")));
    assert_eq!(found.systems(), [OURS, "bm25", "rg", "whole-file"]);
    let ours = &found.cases.iter().find(|case| case.system == OURS).unwrap();
    assert_eq!(
        ours.value(Metric::RecallAtTokens),
        Some(1.0),
        "{:?}",
        ours.shown
    );
    assert_eq!(ours.value(Metric::SecretLeaks), Some(0.0));
    assert_eq!(ours.value(Metric::BudgetOverflow), Some(0.0));
    // There's a secret in the wanted lines, so a system that prints the file as it is leaks it.
    let plain = found
        .cases
        .iter()
        .find(|case| case.system == "whole-file")
        .unwrap();
    assert_eq!(plain.value(Metric::SecretLeaks), Some(1.0));
}

#[test]
fn runbook_restores_anchors_in_two_calls() {
    let found = results(request("changing", Some("runbook")));
    let case = &found.cases[0];
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::Stability), Some(1.0));
    // The first page was cut, and the rest is on the second page.
    assert_eq!(
        case.value(Metric::CallsToAction),
        Some(2.0),
        "{:?}",
        case.shown
    );
    assert_eq!(case.value(Metric::BudgetOverflow), Some(0.0));
}

#[test]
fn edited_while_read_claims_nothing() {
    let found = results(request("changing", Some("edited-while-read")));
    let case = &found.cases[0];
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::FalseClaimRate), Some(0.0));
    let said = |word: &str| case.shown.iter().any(|shown| shown.ends_with(word));
    assert!(said(" unknown"), "{:?}", case.shown);
}

#[test]
fn empty_answer_counts_if_nothing_answers() {
    let found = results(request("changing", Some("eviction-nothing-1")));
    for case in &found.cases {
        assert_eq!(
            case.value(Metric::RecallAtTokens),
            None,
            "nothing is wanted"
        );
        let said = f64::from(u8::from(case.shown.is_empty()));
        assert_eq!(
            case.value(Metric::NothingSaid),
            Some(said),
            "{}",
            case.system
        );
    }
    let wanted = results(request("changing", Some("backoff-both-1")));
    let ours = wanted
        .cases
        .iter()
        .find(|case| case.system == OURS)
        .unwrap();
    let files = ours.ranking.as_ref().map(|ranks| ranks.wanted.len());
    assert_eq!(files, Some(2), "the topic, and what uses it");
    // The line with the secret isn't wanted, so one of the locations is split in two.
    assert_eq!(ours.expected.len(), 3, "{:?}", ours.expected);
    assert_eq!(ours.value(Metric::NothingSaid), None);
    assert_eq!(ours.value(Metric::FalselyNothing), Some(0.0));
}

#[test]
fn memory_answers_or_says_nothing() {
    let asked = |case| results(request("remembering", Some(case)));
    let known = asked("backoff-memory-plain-1");
    assert_eq!(known.systems(), [OURS, "bm25", "rg", "whole-file"]);
    let ours = &known.cases.iter().find(|case| case.system == OURS).unwrap();
    assert_eq!(
        ours.value(Metric::SuccessAt1),
        Some(1.0),
        "{:?}",
        ours.shown
    );
    assert_eq!(ours.value(Metric::RecallAtTokens), Some(1.0));
    assert!(ours.expected[0].starts_with("memory/decisions/backoff.md:"));
    // No system may look anywhere but in the memory.
    let elsewhere = |place: &&String| !place.starts_with("memory/");
    let shown = known.cases.iter().flat_map(|case| &case.shown);
    assert_eq!(shown.filter(elsewhere).count(), 0);
    let unsure = asked("quota-memory-paraphrase-1");
    let ours = &unsure
        .cases
        .iter()
        .find(|case| case.system == OURS)
        .unwrap();
    assert_eq!(
        (
            ours.value(Metric::RecallAtTokens),
            ours.value(Metric::CallsToAction)
        ),
        (Some(1.0), Some(1.0)),
        "what may be meant is shown with it: {:?}",
        ours.shown
    );
    let unknown = asked("heartbeat-forgotten-plain-1");
    let said = |system: &str| {
        let mut cases = unknown.cases.iter();
        let case = cases.find(|case| case.system == system);
        case.and_then(|case| case.value(Metric::NothingSaid))
    };
    assert_eq!((said(OURS), said("rg")), (Some(1.0), Some(0.0)));
}

#[test]
fn thread_count_changes_no_result() {
    let run = |threads| {
        results(ZooRequest {
            threads: NonZeroUsize::new(threads).unwrap(),
            ..request("changing", Some("history-file-renamed"))
        })
    };
    let first = run(1);
    assert!(!first.cases.is_empty());
    assert_eq!(run(2), first);
}

/// An observer that stops a run after its first step.
struct Impatient {
    stop: Stop,
    ended: AtomicUsize,
}

impl Observer for Impatient {
    fn event(&self, event: &RunEvent) {
        if let RunEvent::StepEnded {
            status: Status::Completed,
            ..
        } = event
        {
            self.ended.fetch_add(1, Ordering::SeqCst);
            self.stop.request(StopLevel::Cancel);
        }
    }
}

#[test]
fn run_can_be_stopped() {
    let listener = Arc::new(Impatient {
        stop: Stop::default(),
        ended: AtomicUsize::new(0),
    });
    let observer = Arc::clone(&listener) as Arc<dyn Observer>;
    let both = ZooRequest {
        archetypes: vec!["remembering".to_owned(), "changing".to_owned()],
        ..request("remembering", None)
    };
    let stopped = run_with(both, observer, listener.stop.clone());
    assert!(matches!(stopped, Err(ZooError::Stopped)), "{stopped:?}");
    assert_eq!(listener.ended.load(Ordering::SeqCst), 1);
}

#[test]
fn unknown_names_are_suggested() {
    let unknown = run(request("zebra", None)).unwrap_err();
    assert!(matches!(&unknown, ZooError::Unknown { name, .. } if name == "zebra"));
    assert!(unknown.to_string().contains("monorepo"));
    for (name, near) in [
        ("history-shfted", "history-shifted, and "),
        ("runbok", "runbook, and "),
        ("entirely-something-else", "history-shifted, "),
        // A sample only has cases for those parts that it can measure.
        ("edited-while-red", "edited-while-read, and "),
    ] {
        let case = run(request("changing", Some(name))).unwrap_err();
        let ZooError::Unknown { what, known, .. } = &case else {
            panic!("{case}");
        };
        assert!(*what == "case" && known.contains(near), "{name}: {known}");
    }
    let of_others = run(request("remembering", Some("history-shifted"))).unwrap_err();
    assert!(matches!(of_others, ZooError::Unknown { .. }));
}
