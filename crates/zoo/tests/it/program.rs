//! Tests programs that are measured. One of them works, and the others fail in all kinds of ways.
#![cfg(unix)]

use std::sync::Arc;
use std::time::Duration;

use windlass::engine::{NoObserver, Stop, StopLevel};
use windlass_zoo::{CaseResult, Metric, ZooError, ZooRequest, start};

use super::{request, results, run, run_with, with_case};

/// Time for programs that should answer or end. This has to be enough on a busy machine.
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
    let script = r#"read line
case "$line" in *'"question":"how long do we wait'*) ;; *) exit 3;; esac
case "$line" in *'"max_tokens":2000'*) ;; *) exit 4;; esac
echo "{\"places\": [{\"file\": \"internal/peer/pause.go\", \"start_line\": 1, \"end_line\": 400}]}"
exec sleep 600
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
echo "{{\"places\": [{{\"file\": \"{file}\", \"start_line\": 1, \"end_line\": 400}}]}}"
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
    for answer in ["{}", r#"{"places": null}"#, r#"{"places": []}"#] {
        // There may be no line break at the end of the answer.
        let case = measured(&format!("read line; printf '{answer}'"));
        assert_eq!(case.failure, None, "{answer}");
        assert_eq!(case.value(Metric::FalselyNothing), Some(1.0), "{answer}");
    }
}

#[test]
fn empty_answer_may_name_nearest() {
    let case = measured(r#"echo '{"nearest": ["cmd/a.go", "./internal/peer/pause.go"]}'"#);
    let why = case.failure.unwrap_or_default();
    assert!(
        why.contains("`cmd/a.go` in its answer is not a readable"),
        "{why}"
    );
    let case = measured(r#"echo '{"nearest": ["./internal/peer/pause.go"]}'"#);
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
    let place = |file: &str, start: u32, end: u32| {
        format!("{{\"file\": \"{file}\", \"start_line\": {start}, \"end_line\": {end}}}")
    };
    let answer = |places: &str| format!("echo '{{\"places\": [{places}]}}'");
    let pause = place("internal/peer/pause.go", 1, 2);
    let unreadable = "in its answer is not a readable text file of the repository";
    let cases = [
        ("exit 3".to_owned(), "it ended without an answer"),
        (
            "echo 'no model' >&2; printf '\\n' >&2; exit 3".to_owned(),
            "it ended without an answer; last line of standard error: `no model`",
        ),
        ("exec sleep 60".to_owned(), "no answer within 0.4 s"),
        (
            "exec 0<&-; exec sleep 60".to_owned(),
            "no answer within 0.4 s",
        ),
        (
            "exec 1>&-; exec sleep 60".to_owned(),
            "it ended without an answer",
        ),
        ("echo hello".to_owned(), "invalid answer"),
        ("printf '{\"places\": ['".to_owned(), "invalid answer"),
        (
            answer(&place("internal/peer/pause.go", 9, 2)),
            "in its answer: ",
        ),
        ("printf '\\377\\n'".to_owned(), "not UTF-8"),
        (answer(&place("internal/peer", 1, 2)), unreadable),
        (answer(&place("/etc/passwd", 1, 2)), unreadable),
        (answer(&place("../a", 1, 2)), unreadable),
        (
            answer(&place("internal/peer/pause.go", 4000, 4001)),
            "lines, not 4000-4001",
        ),
        (
            answer(&format!(
                "{}, \"score\": 0.9}}, {pause}",
                pause.trim_end_matches('}')
            )),
            "1 of 2 places in its answer have a `score`: give all of them one, or none",
        ),
        (
            "echo '{\"confidence\": 7}'".to_owned(),
            "`confidence` in its answer is not between 0 and 1",
        ),
    ];
    for (script, why) in cases {
        let patience = match why {
            "no answer within 0.4 s" => Duration::from_millis(400),
            _ => PATIENCE,
        };
        let case = measured_within(&script, patience);
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
    let script = r#"echo "{\"text\": \"\", \"places\": [{\"file\": \"internal/peer/pause.go\", \"start_line\": 1, \"end_line\": 400}]}""#;
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
    let of_its_process = r#"echo "{\"places\": [], \"confidence\": 0.$$}""#;
    let case = measured(of_its_process);
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::Stability), Some(0.0));
    let failing = measured(r#"test -e "$0.asked" && exit 3; touch "$0.asked"; echo "{}""#);
    let why = failing.failure.unwrap_or_default();
    assert!(
        why.starts_with("the repeated question failed: it ended"),
        "{why}"
    );
}

#[test]
fn endless_output_is_read_once() {
    let case = measured("echo '{}'; while echo x; do :; done");
    assert_eq!(case.failure, None);
    assert_eq!(case.value(Metric::Stability), Some(1.0));
}

#[test]
fn hidden_file_is_read_missing_is_refused() {
    let answer = |file: &str| {
        measured(&format!(
            "echo '{{\"places\": [{{\"file\": \"{file}\", \"start_line\": 1, \"end_line\": 9}}]}}'"
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
    // The run may be stopped before we start waiting for the program, or while we do.
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
