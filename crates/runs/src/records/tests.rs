use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use windlass_base::Digest;
use windlass_engine::{NoObserver, Observer, Phase, Produced, RunEvent, StepError};
use windlass_plan::{Outcome, Status};
use windlass_store::{LineLog, RootedPath, read_log};

use super::run_entry::TimedEntry;
use super::run_recorder::{RecordLimits, Recorder};

fn recorder(path: &Path, limits: RecordLimits) -> Recorder {
    let log = LineLog::create(&RootedPath::typed(path)).unwrap();
    let elapsed = Arc::new(|| Duration::from_micros(7));
    Recorder::start(log, limits, elapsed, Arc::new(NoObserver)).unwrap()
}

const LIMITS: RecordLimits = RecordLimits {
    max_output_bytes: 500,
    max_bytes: 2_000,
};

fn produced(text: &str) -> Produced {
    Produced {
        input: Digest::of_bytes(b"input"),
        output: Arc::new(json!(text)),
        notes: Vec::new(),
        caveat: None,
        basis: Arc::default(),
        kept: false,
    }
}

fn ended(step: &str, produced: &Produced) -> RunEvent {
    RunEvent::StepEnded {
        step: step.to_owned(),
        status: Status::Completed,
        error: None,
        produced: Some(Box::new(produced.clone())),
    }
}

fn finish(record: &Recorder) {
    let whole = record.finish(|is_whole| json!({ "is_whole": is_whole }));
    whole.unwrap();
}

/// Reads the events of a whole record, i.e. everything but its last line.
fn entries(path: &Path) -> Vec<TimedEntry> {
    let text = read_log(&RootedPath::typed(path), 1 << 20)
        .unwrap()
        .unwrap();
    let mut lines: Vec<&[u8]> = text.lines().map(|line| line.text).collect();
    assert_eq!(lines.pop().unwrap(), br#"{"is_whole":true}"#);
    let read = |line: &[u8]| serde_json::from_slice(line).unwrap();
    lines.into_iter().map(read).collect()
}

#[test]
fn record_replays_its_events() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let output = produced("found");
    let events = [
        RunEvent::PhaseStarted { phase: Phase::Run },
        RunEvent::RunStarted {
            plan: "p".to_owned(),
            steps: 1,
        },
        ended("a", &output),
        RunEvent::RunEnded {
            plan: "p".to_owned(),
            outcome: Outcome::Completed,
        },
    ];
    let record = recorder(&path, LIMITS);
    for event in &events {
        record.event(event);
    }
    finish(&record);
    record.event(&events[0]);
    let entries = entries(&path);
    let told: Vec<RunEvent> = entries.iter().map(|line| line.entry.clone()).collect();
    assert_eq!(told, events);
    assert!(entries.iter().all(|line| line.at_us == 7));
}

#[test]
fn format_of_events_is_stable() {
    let retries = RunEvent::StepRetries {
        step: "a".to_owned(),
        attempt: 2,
        after: Duration::from_millis(1_500),
        error: StepError::failed("no"),
    };
    let written = json!(TimedEntry {
        at_us: 7,
        entry: retries.clone(),
    });
    let expected = json!({
        "at_us": 7, "event": "step_retries", "step": "a", "attempt": 2, "after_ms": 1_500,
        "error": written["error"],
    });
    assert_eq!(written, expected);
    let read: TimedEntry = serde_json::from_value(written).unwrap();
    assert_eq!(read.entry, retries);
}

#[test]
fn large_output_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let (large, small) = (produced(&"x".repeat(600)), produced(&"x".repeat(200)));
    let record = recorder(&path, LIMITS);
    record.event(&ended("large", &large));
    for _ in 0..20 {
        record.event(&ended("small", &small));
    }
    finish(&record);
    let has_output = |line: &TimedEntry| {
        matches!(
            &line.entry,
            RunEvent::StepEnded {
                produced: Some(_),
                ..
            }
        )
    };
    let entries = entries(&path);
    assert_eq!(entries.len(), 21);
    assert!(!has_output(&entries[0]) && has_output(&entries[1]));
    assert!(
        !has_output(&entries[20]),
        "the record as a whole has a limit"
    );
}

#[test]
fn record_contains_no_secrets() {
    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let (secret, harmless) = (produced(TOKEN), produced("found"));
    let error = StepError::failed(format!("`{TOKEN}` is no file"));
    let record = recorder(&path, LIMITS);
    record.event(&ended("secret", &secret));
    let listed = produced("of machines:\nmachine h login u password Xk29sLw8fQz7\n");
    record.event(&ended("listed", &listed));
    record.event(&ended("harmless", &harmless));
    record.event(&RunEvent::StepEnded {
        step: "failed".to_owned(),
        status: Status::Failed,
        error: Some(error),
        produced: None,
    });
    finish(&record);
    let told: Vec<String> = entries(&path)
        .iter()
        .map(|line| serde_json::to_string(line).unwrap())
        .collect();
    assert!(
        told.iter()
            .all(|line| !line.contains("ghp_0123") && !line.contains("Xk29sLw8")),
        "{told:?}"
    );
    assert!(!told[0].contains("output") && !told[1].contains("output"));
    assert!(told[2].contains("found") && told[3].contains("is no file"));
}
