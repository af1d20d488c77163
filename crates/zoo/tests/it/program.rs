//! Programs that are measured: one that answers, and all the ways not to.
#![cfg(unix)]

use std::time::Duration;

use windlass_zoo::{CaseResult, Metric, ZooError, start};

use super::{results, with_case};

/// What is measured of a shell script.
fn measured(script: &str) -> CaseResult {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("system.sh");
    std::fs::write(&path, script).unwrap();
    let program = start(
        &format!("mine=sh {}", path.display()),
        Duration::from_millis(400),
    )
    .unwrap();
    let results = results(with_case(program, "backoff-1"));
    assert_eq!(results.cases.len(), 1);
    results.cases[0].clone()
}

#[test]
fn a_program_that_answers_is_measured_like_all_others() {
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
fn who_crashes_hangs_or_talks_nonsense_is_counted_as_failed_and_named() {
    let cases = [
        ("exit 3", "it ended without an answer"),
        ("exec sleep 60", "no answer within 0.4 s"),
        ("read a; echo hello", "its answer makes no sense"),
        (
            "read a; echo '{\"id\": 7, \"places\": []}'",
            "it answered question 7 when asked 1",
        ),
        (
            "read a; echo '{\"id\": 1, \"places\": [{\"file\": \"a\", \"start_line\": 9, \"end_line\": 2}]}'",
            "`a` in its answer",
        ),
        ("read a; printf '\\377\\n'", "no UTF-8"),
    ];
    for (script, why) in cases {
        let case = measured(script);
        let failure = case.failure.clone().unwrap_or_default();
        assert!(failure.contains(why), "{script}: {failure}");
        assert_eq!(
            case.value(Metric::RecallAtTokens),
            Some(0.0),
            "a query that is not answered is zero"
        );
        assert_eq!(case.value(Metric::Stability), None);
        assert!(windlass_zoo::report::fails(&case));
    }
}

#[test]
fn what_is_no_system_is_refused() {
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
