//! Damaged logs. No line that still exists is lost, and the damage is reported.

use crate::support::{Answer, Sandbox, answer};
use crate::{by, create, ids};

const LOG: &str = ".git/windlass/ledger/events.jsonl";
const COPY: &str = ".beads/events.jsonl";

fn five_beads() -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::git();
    let made = (0..5).map(|at| create(&sandbox, &["Bead", "--id", &format!("t-{at}")]));
    let made = made.collect();
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    (sandbox, made)
}

fn first_half(text: &str) -> &str {
    &text[..text.len() / 2]
}

#[test]
fn cut_log_is_restored_from_its_copy() {
    for cut in [LOG, COPY] {
        let (sandbox, made) = five_beads();
        sandbox.write(cut, first_half(&sandbox.read(cut)));
        assert_eq!(ids(&sandbox, &["list"]), made, "{cut}");
        let another = create(&sandbox, &["Another"]);
        assert!(ids(&sandbox, &["list"]).contains(&another));
        // The rest of a line stays in the log, where it's reported and skipped.
        let told = by(&sandbox, "ann", &["events", "verify"]).succeeds().stdout;
        let is_told = told.contains("line 3: incomplete line");
        assert_eq!(is_told, cut == LOG, "{told}");
    }
}

/// Runs a command with room for at least `room` and at most `room + 512` more bytes in the log.
#[cfg(unix)]
fn run_on_full_disk(sandbox: &Sandbox, room: u64, args: &[&str]) -> Answer {
    let there = std::fs::metadata(sandbox.root().join(LOG)).unwrap().len();
    let blocks = (there + room).div_ceil(512);
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" --actor ann \"$@\"");
    let mut limited = sandbox.shell(sandbox.root(), &script);
    limited.args(args);
    answer(limited.stdin(std::process::Stdio::null()))
}

#[test]
#[cfg(unix)]
fn full_disk_change_happens_once_on_retry() {
    let records: String = (0..3)
        .map(|at| {
            let padding = "so long that it does not fit ".repeat(20);
            format!("{{\"id\":\"i-{at}\",\"title\":\"Taken over\",\"design\":\"{padding}\"}}\n")
        })
        .collect();
    let long = "word ".repeat(200);
    for (added, args) in [
        (
            1,
            &["bead", "create", "Long", "--id", "t-9", "-d", &long][..],
        ),
        (3, &["bead", "import", "records.jsonl"]),
    ] {
        for room in [0, 600] {
            let (sandbox, made) = five_beads();
            sandbox.write("records.jsonl", &records);
            let before = sandbox.read(LOG);
            let full = run_on_full_disk(&sandbox, room, args);
            assert_ne!(full.code, 0, "{}", full.stdout);
            // Not even a part of the change is left in the log.
            assert_eq!(sandbox.read(LOG), before, "{}", full.stderr);
            assert_eq!(ids(&sandbox, &["list"]), made);
            by(&sandbox, "ann", args).succeeds();
            assert_eq!(ids(&sandbox, &["list"]).len(), made.len() + added);
            by(&sandbox, "ann", &["events", "sync"]).succeeds();
            by(&sandbox, "ann", &["events", "verify"]).succeeds();
            let lines = |name| sandbox.read(name).lines().count();
            assert_eq!((lines(LOG), lines(COPY)), (5 + added, 5 + added));
        }
    }
}

#[test]
fn byte_order_mark_hides_no_event() {
    let (sandbox, made) = five_beads();
    for file in [LOG, COPY] {
        sandbox.write(file, format!("\u{feff}{}", sandbox.read(file)));
        assert_eq!(ids(&sandbox, &["list"]), made, "{file}");
    }
}

#[test]
fn edited_hook_is_reported_and_rewritten() {
    let sandbox = Sandbox::git();
    let bead = create(&sandbox, &["Bead"]);
    by(
        &sandbox,
        "ann",
        &["hook", "set", "zed", &format!("bead:{bead}")],
    )
    .succeeds();
    let file = ".beads/.hook-zed";
    let text = sandbox.read(file);
    sandbox.write(file, "bead:wrong");
    let told = by(&sandbox, "ann", &["events", "verify"]).succeeds().stdout;
    assert!(told.contains("`.beads/.hook-zed` does not match"), "{told}");
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    assert_eq!(sandbox.read(file), text);
}

#[test]
fn invalid_actor_name_is_refused() {
    let sandbox = Sandbox::git();
    for name in ["a b", "x\ny"] {
        let mut command = sandbox.command(sandbox.root(), &["bead", "create", "Bead"]);
        let said = command.env("BD_ACTOR", name).output().unwrap();
        assert_eq!(said.status.code(), Some(2));
        let said = String::from_utf8(said.stderr).unwrap();
        assert!(said.contains("is not an actor name"), "{said}");
    }
}

#[test]
fn doubled_log_counts_events_once() {
    let (sandbox, made) = five_beads();
    let text = sandbox.read(LOG);
    sandbox.write(LOG, text.repeat(2));
    for _ in 0..2 {
        assert_eq!(ids(&sandbox, &["list"]), made);
        let told = by(&sandbox, "ann", &["events", "verify"]).succeeds().stdout;
        assert!(
            told.contains("line 6: repeats the event of line 1"),
            "{told}"
        );
        by(&sandbox, "ann", &["bead", "claim"]).succeeds();
    }
    let last = by(
        &sandbox,
        "ann",
        &["events", "list", "--limit", "2", "--format", "json"],
    );
    let last = last.succeeds().json();
    let types: Vec<_> = last["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["event_type"].clone())
        .collect();
    assert_eq!(
        types, ["bead.status_changed"; 2],
        "the last ones, though old ones come behind them"
    );
}

#[test]
fn foreign_lines_are_skipped() {
    let (sandbox, made) = five_beads();
    let text = sandbox.read(LOG).replace('\n', "\r\n");
    sandbox.write(
        LOG,
        format!("hello\r\n{text}{{\"a\":1}}\n<<<<<<< HEAD\nno end"),
    );
    assert_eq!(ids(&sandbox, &["list"]), made);
    let another = create(&sandbox, &["Another"]);
    assert!(ids(&sandbox, &["list"]).contains(&another));
    let told = by(&sandbox, "ann", &["events", "verify"])
        .exits_with(1)
        .stdout;
    for line in [
        "wrong: line 1: not an event, kept and skipped",
        "wrong: line 7: not an event, kept and skipped: missing field `event_id`",
        "wrong: line 8: a git conflict marker",
        "wrong: line 9: not an event, kept and skipped",
    ] {
        assert!(told.contains(line), "{line} in {told}");
    }
}

/// A writer stopped in the middle of a line hasn't acknowledged anything yet.
#[test]
fn unfinished_event_gives_no_warning() {
    let (sandbox, made) = five_beads();
    let text = sandbox.read(LOG);
    let last = text.lines().last().unwrap();
    let torn = last.replace("evt-", "evt-0");
    for file in [LOG, COPY] {
        sandbox.write(file, format!("{text}{}", first_half(&torn)));
    }
    let another = create(&sandbox, &["Another"]);
    let listed = by(&sandbox, "ann", &["bead", "list"]).succeeds();
    assert_eq!(listed.stderr, "");
    let all = ids(&sandbox, &["list"]);
    assert!(
        made.iter().chain([&another]).all(|id| all.contains(id)),
        "{all:?}"
    );
    let told = by(&sandbox, "ann", &["events", "verify"]).succeeds().stdout;
    assert!(told.contains("line 6: incomplete line"), "{told}");
}

/// A clock that was ahead doesn't disturb the order, and later events have the present time.
#[test]
fn clock_going_back_keeps_order() {
    let (sandbox, _) = five_beads();
    let text = sandbox
        .read(LOG)
        .replace("\"timestamp\":\"2", "\"timestamp\":\"9");
    for file in [LOG, COPY] {
        sandbox.write(file, &text);
    }
    by(&sandbox, "ann", &["bead", "claim", "t-1"]).succeeds();
    by(&sandbox, "ann", &["bead", "close", "t-1"]).succeeds();
    let shown = by(
        &sandbox,
        "ann",
        &["bead", "show", "t-1", "--format", "json"],
    )
    .succeeds()
    .json();
    assert_eq!(shown["status"], "closed");
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
    let log = sandbox.read(LOG);
    let last: serde_json::Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert!(last["timestamp"].as_str().unwrap().starts_with('2'));
    assert!(last["log_time"].as_str().unwrap().starts_with('9'));
}

#[test]
#[cfg(unix)]
fn read_only_ledger_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let (sandbox, mut made) = five_beads();
    let merged = r#"{"event_id":"evt-000000000001","event_type":"bead.created","timestamp":"2026-01-01T00:00:00.000Z","actor":"z","data":{"bead_id":"t-z","title":"merged","issue_type":"task"}}"#;
    sandbox.write(COPY, format!("{}{merged}\n", sandbox.read(COPY)));
    made.push("t-z".to_owned());
    let closed = |mode: u32| {
        for place in [COPY, LOG, ".git/windlass/ledger", ".git/windlass", ".beads"] {
            let path = sandbox.root().join(place);
            let mode = if path.is_dir() { mode | 0o111 } else { mode };
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    closed(0o444);
    let is_above_that = std::fs::write(sandbox.root().join(".beads/try"), "").is_ok();
    let listed = ids(&sandbox, &["list"]);
    closed(0o644);
    let listed: std::collections::BTreeSet<_> = listed.into_iter().collect();
    assert_eq!(listed, made.into_iter().collect());
    // The superuser can write the log regardless of its mode.
    if !is_above_that {
        assert!(!sandbox.read(LOG).contains("merged"));
    }
}
