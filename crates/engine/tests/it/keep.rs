//! What a run leaves behind: outputs that serve another run, and a record.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use windlass_base::{Cancel, Digest};
use windlass_engine::{
    Earlier, NoObserver, Observer, Phase, Produced, RecordLimits, Recorder, RunEntry, RunEvent,
    StepOutput, TimedEntry,
};
use windlass_plan::{Outcome, StepIndex};
use windlass_store::{LineLog, RootedPath, read_log};

use crate::support::{World, nested, plan, step};

/// Gives what a run gave for the same input; what it was asked for is noted.
struct Kept {
    produced: BTreeMap<String, Produced>,
    asked: Mutex<Vec<String>>,
}

impl Earlier for Kept {
    fn output(&self, path: &str, _: &str, input: &Digest, _: &Cancel) -> Option<StepOutput> {
        self.asked.lock().unwrap().push(path.to_owned());
        let produced = self.produced.get(path).filter(|p| p.input == *input)?;
        let mut output = StepOutput::of(&*produced.output).unwrap();
        output.notes = vec!["kept".to_owned()];
        Some(output)
    }
}

#[test]
fn outputs_serve_another_run_where_the_input_is_the_same() {
    let first = plan(
        "p",
        [
            step("a").with(json!({"answer": 1})),
            step("b").with(json!({"answer": 2})),
            step("each")
                .needs("a")
                .each(json!([1, 2]))
                .with(json!({"answer": {"$ref": "#/item"}})),
            nested("inner", "leaf").needs("b"),
        ],
    );
    let leaf = plan("leaf", [step("work").with(json!({"answer": 3}))]);
    let mut world = World::new(2).knows([leaf]);
    let ran = world.run(&first);
    let paths: Vec<&str> = ran.produced.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        ["a", "b", "each[0]", "each[1]", "inner", "inner/work"]
    );

    let second = plan(
        "p",
        [
            step("a").with(json!({"answer": 1})),
            step("b").with(json!({"answer": "another"})),
            step("each")
                .needs("a")
                .each(json!([2, 1, 1]))
                .with(json!({"answer": {"$ref": "#/item"}})),
        ],
    );
    let kept = Arc::new(Kept {
        produced: ran.produced,
        asked: Mutex::default(),
    });
    world.earlier = Some(Arc::clone(&kept) as Arc<dyn Earlier>);
    let again = world.run(&second);
    assert_eq!(again.output("a"), json!(1));
    assert_eq!(again.output("b"), json!("another"));
    assert_eq!(again.output("each"), json!([2, 1, 1]));
    let served = |path: &str| again.produced[path].kept;
    assert!(served("a") && !served("b"));
    assert!(!served("each[0]") && !served("each[1]") && !served("each[2]"));
    assert_eq!(again.step("a").notes, ["kept"]);
    let mut asked = kept.asked.lock().unwrap().clone();
    asked.sort();
    assert_eq!(asked, ["a", "b", "each[0]", "each[1]", "each[2]"]);
}

#[test]
fn only_what_is_asked_for_runs() {
    let plan = plan(
        "p",
        [
            step("a").with(json!({"answer": 1})),
            step("b").needs("a").with(json!({"answer": 2})),
            step("c").needs("b"),
            step("last").finally(),
        ],
    );
    let mut world = World::new(2);
    world.options.only = Some(BTreeSet::from([StepIndex::new(0), StepIndex::new(1)]));
    let ran = world.run(&plan);
    assert_eq!(ran.result.outcome, Outcome::Completed);
    assert_eq!(
        ran.statuses(),
        "a completed, b completed, c skipped, last skipped"
    );
    assert_eq!(
        ran.step("c").reason.as_deref(),
        Some("it was not asked for")
    );
}

fn recorder(path: &std::path::Path, limits: RecordLimits) -> Recorder {
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

fn ended<'a>(step: &'a str, produced: &'a Produced) -> RunEvent<'a> {
    RunEvent::StepEnded {
        step,
        status: windlass_plan::Status::Completed,
        error: None,
        produced: Some(produced),
    }
}

fn finish(record: &Recorder) {
    let whole = record.finish(|is_whole| json!({ "is_whole": is_whole }));
    whole.unwrap();
}

/// What a whole record says before its last line.
fn entries(path: &std::path::Path) -> Vec<TimedEntry> {
    let text = read_log(&RootedPath::typed(path), 1 << 20)
        .unwrap()
        .unwrap();
    let mut lines: Vec<&[u8]> = text.lines().map(|line| line.text).collect();
    assert_eq!(lines.pop().unwrap(), br#"{"is_whole":true}"#);
    let read = |line: &[u8]| serde_json::from_slice(line).unwrap();
    lines.into_iter().map(read).collect()
}

#[test]
fn a_record_says_what_was_told_and_can_tell_it_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let output = produced("found");
    let events = [
        RunEvent::PhaseStarted { phase: Phase::Run },
        RunEvent::RunStarted {
            plan: "p",
            steps: 1,
        },
        ended("a", &output),
        RunEvent::RunEnded {
            plan: "p",
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
    let told: Vec<RunEntry> = entries.iter().map(|line| line.entry.clone()).collect();
    assert_eq!(told, events.each_ref().map(RunEntry::of));
    assert!(entries.iter().all(|line| line.at_us == 7));
    let again: Vec<RunEntry> = told
        .iter()
        .map(|entry| RunEntry::of(&entry.event()))
        .collect();
    assert_eq!(again, told);
}

#[test]
fn an_output_that_is_too_large_is_not_kept_and_what_happened_is() {
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
            RunEntry::StepEnded {
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
fn no_secret_value_gets_into_a_record() {
    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let (secret, harmless) = (produced(TOKEN), produced("found"));
    let error = windlass_engine::StepError::failed(format!("`{TOKEN}` is no file"));
    let record = recorder(&path, LIMITS);
    record.event(&ended("secret", &secret));
    let listed = produced("of machines:\nmachine h login u password Xk29sLw8fQz7\n");
    record.event(&ended("listed", &listed));
    record.event(&ended("harmless", &harmless));
    record.event(&RunEvent::StepEnded {
        step: "failed",
        status: windlass_plan::Status::Failed,
        error: Some(&error),
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
