//! Tests measured programs, one that works and others that fail in all kinds of ways.
#![cfg(unix)]

use std::sync::Arc;
use std::time::Duration;

use windlass::engine::{NoObserver, Stop, StopLevel};
use windlass_zoo::{CaseResult, Metric, ZooError, ZooRequest, start};

use super::{request, results, run, run_with, with_case};

/// Timeout for programs expected to answer or end. It's long enough for a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Measures a shell script that answers or ends.
fn measured(script: &str) -> CaseResult {
    measured_within(script, PATIENCE)
}

fn measured_within(script: &str, patience: Duration) -> CaseResult {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("system.sh");
    std::fs::write(&path, script).unwrap();
    let program = start(&format!("mine=sh {}", path.display()), patience).unwrap();
    let results = results(with_case(program, "backoff-1"));
    assert_eq!(results.cases.len(), 1);
    results.cases[0].clone()
}

#[test]
fn program_is_measured_like_other_systems() {
    let script = r#"n=0
while read line; do
  n=$((n + 1))
  case "$line" in *'"question":"how long do we wait'*'"max_tokens":2000'*) ;; *) exit 3;; esac
  echo "{\"id\": $n, \"places\": [{\"file\": \"internal/peer/pause.go\", \"start_line\": 1, \"end_line\": 400}]}"
done
"#;
    let case = measured(script);
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::Mrr), Some(1.0));
    assert_eq!(case.value(Metric::RecallAtTokens), Some(1.0));
    assert_eq!(case.value(Metric::Stability), Some(1.0));
}

#[test]
fn file_names_may_be_relative_or_absolute() {
    for file in ["./internal//peer/pause.go", "$root/internal/peer/pause.go"] {
        let script = format!(
            r#"read line
root=$(echo "$line" | sed 's/.*"root":"\([^"]*\)".*/\1/')
echo "{{\"id\": 1, \"places\": [{{\"file\": \"{file}\", \"start_line\": 1, \"end_line\": 400}}]}}"
"#
        );
        let case = measured(&script);
        assert_eq!(case.failure, None, "{file}");
        assert_eq!(case.value(Metric::RecallAtTokens), Some(1.0), "{file}");
        assert_eq!(case.value(Metric::Stability), Some(1.0), "{file}");
        assert!(case.shown[0].starts_with("internal/peer/pause.go:"));
    }
}

#[test]
fn answer_without_places_means_nothing() {
    for answer in [
        r#"{"id": 1}"#,
        r#"{"id": 1, "places": null}"#,
        r#"{"id": 1, "places": []}"#,
    ] {
        let case = measured(&format!("read line; echo '{answer}'"));
        assert_eq!(case.failure, None, "{answer}");
        assert_eq!(case.value(Metric::FalselyNothing), Some(1.0), "{answer}");
    }
}

#[test]
fn empty_answer_may_name_nearest() {
    let case = measured(
        r#"read line; echo '{"id": 1, "nearest": ["cmd/a.go", "./internal/peer/pause.go"]}'"#,
    );
    let why = case.failure.unwrap_or_default();
    assert!(
        why.contains("`cmd/a.go` in its answer is not a readable"),
        "{why}"
    );
    let case = measured(r#"read line; echo '{"id": 1, "nearest": ["./internal/peer/pause.go"]}'"#);
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::FalselyNothing), Some(1.0));
    assert_eq!(
        case.value(Metric::CallsToAction),
        Some(2.0),
        "one more call shows it"
    );
    assert_eq!(case.shown, ["nothing, internal/peer/pause.go is near"]);
}

#[test]
fn failures_are_counted_and_named() {
    let cases = [
        ("exit 3", "it ended without an answer"),
        (
            "echo 'no model' >&2; printf '\\n' >&2; exit 3",
            "(exit status: 3); last line of standard error: `no model`",
        ),
        ("exec sleep 60", "no answer within 0.4 s"),
        (
            "exec 1>&-; exec sleep 60",
            "it closed its output without an answer and is still running",
        ),
        ("exec 0<&-; exec sleep 60", "no answer within 0.4 s"),
        ("read a; echo hello", "invalid answer"),
        (
            "read a; echo '{\"id\": 7, \"places\": []}'",
            "it answered question 7 instead of 1",
        ),
        (
            "read a; echo '{\"id\": 1, \"places\": [{\"file\": \"a\", \"start_line\": 9, \"end_line\": 2}]}'",
            "`a` in its answer",
        ),
        ("read a; printf '\\377\\n'", "not UTF-8"),
        (
            "read a; echo '{\"id\": 1, \"places\": [{\"file\": \"internal/peer\", \"start_line\": 1, \"end_line\": 2}]}'",
            "`internal/peer` in its answer is a folder: name files",
        ),
        (
            "read a; echo '{\"id\": 1, \"places\": [{\"file\": \"/etc/passwd\", \"start_line\": 1, \"end_line\": 2}]}'",
            "in its answer, `/etc/passwd` is outside of the repository",
        ),
        (
            "read a; echo '{\"id\": 1, \"places\": [{\"file\": \"internal/peer/pause.go\", \"start_line\": 4000, \"end_line\": 4001}]}'",
            "lines, not 4000-4001",
        ),
        (
            "read a; printf '{\"id\": 1, \"places\": ['",
            "invalid answer",
        ),
        (
            "read a; echo '{\"id\": 1, \"places\": [{\"file\": \"internal/peer/pause.go\", \"start_line\": 1, \"end_line\": 2, \"score\": 0.9}, \
             {\"file\": \"internal/peer/pause.go\", \"start_line\": 3, \"end_line\": 4}]}'",
            "1 of 2 places in its answer have a `score`: give all of them one, or none",
        ),
        (
            "read a; echo '{\"id\": 1, \"places\": [], \"confidence\": 7}'",
            "`confidence` in its answer is not between 0 and 1",
        ),
    ];
    for (script, why) in cases {
        let patience = match why {
            "no answer within 0.4 s" => Duration::from_millis(400),
            why if why.ends_with("still running") => Duration::from_secs(3),
            _ => PATIENCE,
        };
        let case = measured_within(script, patience);
        let failure = case.failure.clone().unwrap_or_default();
        assert!(failure.contains(why), "{script}: {failure}");
        assert_eq!(
            case.value(Metric::RecallAtTokens),
            Some(0.0),
            "a query that is not answered is zero"
        );
        assert_eq!(case.value(Metric::Stability), None);
    }
}

#[test]
fn statements_of_program_are_ignored() {
    let script = r#"n=0
while read line; do
  n=$((n + 1))
  echo "{\"id\": $n, \"text\": \"\", \"places\": [{\"file\": \"internal/peer/pause.go\", \"start_line\": 1, \"end_line\": 400}]}"
done
"#;
    let case = measured(script);
    assert_eq!(case.value(Metric::RecallAtTokens), Some(1.0));
    assert_eq!(
        case.value(Metric::SecretLeaks),
        Some(1.0),
        "the file has one"
    );
}

#[test]
fn stability_compares_with_second_process() {
    let of_its_process = r#"read line; echo "{\"id\": 1, \"places\": [], \"confidence\": 0.$$}""#;
    let case = measured(of_its_process);
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::Stability), Some(0.0));
    let failing = measured(
        r#"test -e "$0.asked" && exit 3; read line; touch "$0.asked"; echo "{\"id\": 1, \"places\": []}"; read line"#,
    );
    let why = failing.failure.unwrap_or_default();
    assert!(
        why.starts_with("the repeated question failed: it ended"),
        "{why}"
    );
}

#[test]
fn a_program_may_end_after_each_answer() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("once.sh");
    let script = r#"read line
id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
echo "{\"id\": $id, \"places\": []}"
"#;
    std::fs::write(&path, script).unwrap();
    let once = format!("once=sh {}", path.display());
    let program = start(&once, Duration::from_secs(60)).unwrap();
    let found = results(ZooRequest {
        systems: vec![Box::new(program)],
        ..request("remembering", None)
    });
    for case in &found.cases {
        assert_eq!(case.failure, None, "{}", case.case);
        assert_eq!(case.value(Metric::Stability), Some(1.0), "{}", case.case);
    }
}

#[test]
fn crash_after_answer_fails_next_question() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("half.sh");
    let script = r#"read line
id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
echo "{\"id\": $id, \"places\": []}"
read line || exit 0
echo 'out of memory' >&2
exit 3
"#;
    std::fs::write(&path, script).unwrap();
    let half = format!("half=sh {}", path.display());
    let program = start(&half, Duration::from_secs(60)).unwrap();
    let found = results(ZooRequest {
        systems: vec![Box::new(program)],
        ..request("remembering", None)
    });
    let failed: Vec<&str> = found
        .cases
        .iter()
        .filter_map(|case| case.failure.as_deref())
        .collect();
    assert_eq!(failed.len(), found.cases.len() / 2, "every second one");
    for why in failed {
        assert_eq!(
            why,
            "it ended without an answer (exit status: 3); last line of standard error: `out of memory`"
        );
    }
}

#[test]
fn endless_output_is_read_once() {
    let case = measured("read a; echo '{\"id\": 1, \"places\": []}'; while echo x; do :; done");
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::Stability), Some(1.0));
}

#[test]
fn hanging_program_is_given_up() {
    let hanging = start("hangs=sleep 600", Duration::from_millis(50)).unwrap();
    let found = results(ZooRequest {
        systems: vec![Box::new(hanging), Box::new(windlass_zoo::Bm25)],
        ..request("remembering", None)
    });
    let why = |system: &str, words: &str| {
        let mut cases: Vec<_> = found.cases.iter().collect();
        cases.retain(|case| case.system == system);
        let is_so = |case: &&CaseResult| {
            case.failure
                .as_ref()
                .is_some_and(|why| why.starts_with(words))
        };
        (cases.iter().filter(|case| is_so(case)).count(), cases.len())
    };
    let (late, all) = why("hangs", "no answer within");
    assert_eq!(late, 3);
    let given_up = "not asked again: 3 timeouts of 0.05 s in a row";
    assert_eq!(why("hangs", given_up), (all - 3, all));
    assert_eq!(why("bm25", ""), (0, all));
}

#[test]
fn single_instance_program_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("once.sh");
    // The second process hangs while the first one is running.
    let script = r#"mkdir "$0.lock" 2>/dev/null || exec sleep 600
while read line; do
  id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  echo "{\"id\": $id, \"places\": []}"
done
"#;
    std::fs::write(&path, script).unwrap();
    let once = format!("once=sh {}", path.display());
    let program = start(&once, Duration::from_secs(2)).unwrap();
    let found = results(ZooRequest {
        systems: vec![Box::new(program)],
        ..request("remembering", None)
    });
    let why = |words: &str| {
        let mut why = found.cases.iter().filter_map(|case| case.failure.as_ref());
        why.by_ref().filter(|why| why.contains(words)).count()
    };
    assert_eq!(why("the repeated question failed: no answer within"), 3);
    let given_up = "the repeated question failed: not asked again: 3 timeouts";
    assert_eq!(why(given_up), found.cases.len() - 3);
}

#[test]
fn answer_may_lack_final_newline() {
    let case = measured("read a; printf '{\"id\": 1, \"places\": []}'");
    assert_eq!(case.failure, None);
}

#[test]
fn hidden_file_is_read_missing_is_refused() {
    let answer = |file: &str| {
        measured(&format!(
            "read a; echo '{{\"id\": 1, \"places\": [{{\"file\": \"{file}\", \"start_line\": 1, \"end_line\": 9}}]}}'"
        ))
    };
    let hidden = answer(".windlass/zoo.yaml");
    assert_eq!(hidden.failure, None);
    assert_eq!(hidden.value(Metric::NoiseRatio), Some(1.0));
    let none = answer("nope.go").failure.unwrap_or_default();
    assert!(
        none.contains("`nope.go` in its answer is not a readable"),
        "{none}"
    );
}

#[test]
fn stopped_run_does_not_wait_for_program() {
    let program = start("mine=sleep 600", Duration::from_secs(600)).unwrap();
    let stop = Stop::default();
    let stopping = stop.clone();
    // The stop may arrive before or during the wait for the program.
    let stopper = std::thread::spawn(move || stopping.request(StopLevel::Cancel));
    let found = run_with(with_case(program, "backoff-1"), Arc::new(NoObserver), stop);
    stopper.join().unwrap();
    assert!(matches!(found, Err(ZooError::Stopped)), "{found:?}");
}

#[test]
fn duplicate_system_name_is_refused() {
    let systems = || start("mine=sh", Duration::ZERO).unwrap();
    let twice = ZooRequest {
        systems: vec![Box::new(systems()), Box::new(systems())],
        ..request("changing", None)
    };
    let refused = run(twice).unwrap_err();
    assert!(
        refused.to_string().contains("duplicate system name `mine`"),
        "{refused}"
    );
}

#[test]
fn invalid_system_is_refused() {
    for text in ["", "x", "=sh", "x=", "a b=sh", "windlass=sh", "rg=rg"] {
        let refused = start(text, Duration::ZERO);
        assert!(matches!(refused, Err(ZooError::Request(_))), "{text}");
    }
    let missing = start("mine=/no/such/program", Duration::ZERO).unwrap();
    let results = results(with_case(missing, "backoff-1"));
    assert!(
        results.cases[0]
            .failure
            .as_ref()
            .unwrap()
            .contains("cannot be started")
    );
}
