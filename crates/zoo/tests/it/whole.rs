//! Runs as a whole.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass::engine::{NoObserver, Observer, RunEvent, Stop, StopLevel};
use windlass_zoo::{Answer, Ask, Metric, OURS, System, ZooError, ZooRequest};

use super::{request, results, run, run_with};

#[test]
fn a_question_is_answered_by_all_and_ours_is_stable_and_keeps_secrets() {
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
    // There is a secret in what is wanted: who prints the file as it is leaks it.
    let plain = found
        .cases
        .iter()
        .find(|case| case.system == "whole-file")
        .unwrap();
    assert_eq!(plain.value(Metric::SecretLeaks), Some(1.0));
}

#[test]
fn a_runbook_restores_what_was_noted_in_two_calls_wherever_and_with_however_many_jobs() {
    let found = results(request("changing", Some("runbook")));
    let case = &found.cases[0];
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::Stability), Some(1.0));
    // Not everything fits the first page: its cursor leads to the rest.
    assert_eq!(
        case.value(Metric::CallsToAction),
        Some(2.0),
        "{:?}",
        case.shown
    );
    assert_eq!(case.value(Metric::BudgetOverflow), Some(0.0));
}

#[test]
fn nothing_is_claimed_of_what_is_edited_while_it_is_read() {
    let found = results(request("changing", Some("edited-while-read")));
    let case = &found.cases[0];
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::FalseClaimRate), Some(0.0));
    let said = |word: &str| case.shown.iter().any(|shown| shown.ends_with(word));
    assert!(said(" unknown"), "{:?}", case.shown);
}

#[test]
fn what_nothing_answers_counts_only_when_that_is_said() {
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
    // Around the line with the secret value.
    assert_eq!(ours.expected.len(), 3, "{:?}", ours.expected);
    assert_eq!(ours.value(Metric::NothingSaid), None);
    assert_eq!(ours.value(Metric::FalselyNothing), Some(0.0));
}

#[test]
fn the_memory_answers_from_its_records_and_says_when_nothing_is_remembered() {
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
    // Nobody is sent to files beside the memory, nor would find anything there.
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
fn results_are_kept_and_the_same_with_however_many_threads() {
    static JUDGED: AtomicUsize = AtomicUsize::new(0);
    let kept = tempfile::tempdir().unwrap();
    let request = |threads, program: &str| ZooRequest {
        cache: Some(kept.path().to_path_buf()),
        program: program.to_owned(),
        threads: NonZeroUsize::new(threads).unwrap(),
        judge: |snapshot, pointer, capture| {
            JUDGED.fetch_add(1, Ordering::SeqCst);
            windlass_zoo::judged(snapshot, pointer, capture)
        },
        ..request("changing", Some("history-file-renamed"))
    };
    let first = results(request(1, "one"));
    assert!(!first.cases.is_empty());
    let judged = JUDGED.swap(0, Ordering::SeqCst);
    assert!(judged > 0);
    assert_eq!(results(request(2, "one")), first);
    assert_eq!(
        JUDGED.load(Ordering::SeqCst),
        0,
        "nothing was measured again"
    );
    assert_eq!(results(request(2, "other")).digest(), first.digest());
    assert_eq!(
        JUDGED.load(Ordering::SeqCst),
        judged,
        "another program is measured anew"
    );
}

/// Says nothing, and how often it was asked.
struct Counting(Arc<AtomicUsize>);

impl System for Counting {
    fn name(&self) -> &str {
        OURS
    }

    fn answer(&self, _: &Ask<'_>) -> Result<Answer, String> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Answer::default())
    }
}

#[test]
fn one_case_is_never_kept_as_all_of_them() {
    let (asked, kept) = (Arc::new(AtomicUsize::new(0)), tempfile::tempdir().unwrap());
    let run = |case: Option<&str>| {
        let found = results(ZooRequest {
            cache: Some(kept.path().to_path_buf()),
            systems: vec![Box::new(Counting(Arc::clone(&asked)))],
            ..request("remembering", case)
        });
        (found.cases.len(), asked.swap(0, Ordering::SeqCst))
    };
    let case = "backoff-memory-plain-1";
    assert_eq!(run(Some(case)), (1, 2), "each question is asked twice");
    let (all, asked) = run(None);
    assert_eq!(asked, all * 2);
    assert!(all > 20, "{all}");
    assert_eq!(run(Some(case)), (1, 0), "what is kept of all serves one");
    assert_eq!(run(None), (all, 0), "and nothing is measured again");
}

/// Stops a run when the first step of it has ended.
struct Impatient {
    stop: Stop,
    ended: AtomicUsize,
}

impl Observer for Impatient {
    fn event(&self, event: &RunEvent<'_>) {
        if let RunEvent::StepEnded { .. } = event {
            self.ended.fetch_add(1, Ordering::SeqCst);
            self.stop.request(StopLevel::Cancel);
        }
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_where_it_was() {
    let kept = tempfile::tempdir().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let request = || ZooRequest {
        cache: Some(kept.path().to_path_buf()),
        systems: vec![Box::new(Counting(Arc::clone(&asked)))],
        ..request("remembering", None)
    };
    let both = || ZooRequest {
        archetypes: vec!["remembering".to_owned(), "changing".to_owned()],
        case: Some("backoff-1".to_owned()),
        ..request()
    };
    let listener = Arc::new(Impatient {
        stop: Stop::default(),
        ended: AtomicUsize::new(0),
    });
    let observer = Arc::clone(&listener) as Arc<dyn Observer>;
    let stopped = run_with(request(), observer, listener.stop.clone());
    assert!(matches!(stopped, Err(ZooError::Stopped)), "{stopped:?}");
    assert_eq!(listener.ended.load(Ordering::SeqCst), 1);
    assert!(asked.swap(0, Ordering::SeqCst) > 0);
    assert!(!results(request()).cases.is_empty());
    let again = || asked.load(Ordering::SeqCst);
    assert_eq!(again(), 0, "what had ended is kept, and not measured again");
    let stop = Stop::default();
    stop.request(StopLevel::Cancel);
    let never = run_with(both(), Arc::new(NoObserver), stop);
    assert!(matches!(never, Err(ZooError::Stopped)), "{never:?}");
    assert_eq!(again(), 0, "nothing of it was begun");
}

/// Stops its run after some answers.
struct Stopping(Counting, Stop, usize);

impl System for Stopping {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        let answer = self.0.answer(ask);
        if self.0.0.load(Ordering::SeqCst) == self.2 {
            self.1.request(StopLevel::Cancel);
            // Whoever passes it on is another thread.
            while !ask.cancel.is_cancelled() {
                std::thread::yield_now();
            }
        }
        answer
    }
}

#[test]
fn what_was_stopped_in_the_middle_of_many_questions_has_those_before() {
    let (asked, kept) = (Arc::new(AtomicUsize::new(0)), tempfile::tempdir().unwrap());
    let saved = Arc::new(AtomicUsize::new(0));
    let run = |after: usize| {
        let stop = Stop::default();
        let counting = Counting(Arc::clone(&asked));
        let request = ZooRequest {
            cache: Some(kept.path().to_path_buf()),
            saved: Arc::clone(&saved),
            systems: vec![Box::new(Stopping(counting, stop.clone(), after))],
            ..request("remembering", None)
        };
        let found = run_with(request, Arc::new(NoObserver), stop);
        let (asked, saved) = (&asked, &saved);
        (
            found,
            asked.swap(0, Ordering::SeqCst),
            saved.swap(0, Ordering::SeqCst),
        )
    };
    let (at_once, _, saved) = run(1);
    assert!(matches!(at_once, Err(ZooError::Stopped)), "{at_once:?}");
    assert_eq!(saved, 0, "nothing was measured to its end");
    let (halfway, before, saved) = run(21);
    assert!(matches!(halfway, Err(ZooError::Stopped)), "{halfway:?}");
    assert!((21..24).contains(&before) && saved > 0, "{before} {saved}");
    let (rest, after, _) = run(0);
    let all = rest.unwrap().cases.len() * 2;
    // Each question is asked twice, and four of them are kept together.
    assert!((all - before..all - before + 8).contains(&after), "{after}");
    assert_eq!(run(0).1, 0);
}

#[test]
fn what_there_is_none_of_is_named() {
    let unknown = run(request("zebra", None)).unwrap_err();
    assert!(matches!(&unknown, ZooError::Unknown { name, .. } if name == "zebra"));
    assert!(unknown.to_string().contains("monorepo"));
    for (name, near) in [
        ("history-shfted", "history-shifted, and "),
        ("runbok", "runbook, and "),
        ("entirely-something-else", "history-shifted, "),
        // Only a part that there is has its cases.
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
