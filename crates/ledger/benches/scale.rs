//! Measures the processor time and memory of single commands on a large ledger.
//!
//! Run it with `cargo bench -p windlass-ledger --bench scale [BEADS]`. A ledger of 100,000 beads
//! has a million events. Each command runs in a process of its own, like a command of the user
//! does, so that nothing is in memory yet.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for those who work on the code: it makes folders, measures time and prints"
)]

#[path = "../../../tests/support/bench_site.rs"]
mod bench_site;

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use bench_site::{environment, git};
use serde_json::{Value, json};
use windlass_ledger::event::MolCreated;
use windlass_ledger::{
    BeadUpdate, Claim, LedgerService, LedgerSession, NewBead, NewDependency, Stamp, WorkFilter,
};
use windlass_site::Site;

/// Events per bead.
const EVENTS: usize = 10;
/// Number of beads in progress at the same time.
const ACTIVE: usize = 200;
const STEPS: usize = 20_000;
/// Number of measurements per command. Times vary, so we print the median and the longest.
const ROUNDS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    match &args[..] {
        [root, command] => run(Path::new(root), command),
        [] => measure(100_000),
        [beads] => measure(beads.parse().unwrap()),
        _ => eprintln!("usage: cargo bench -p windlass-ledger --bench scale [BEADS]"),
    }
}

fn measure(beads: usize) {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    let journal = service(folder.path()).places().journal().path().to_owned();
    std::fs::create_dir_all(journal.parent().unwrap()).unwrap();
    let mut log = std::io::BufWriter::new(std::fs::File::create(&journal).unwrap());
    let end = write_log(beads, &mut log);
    log.into_inner().unwrap().sync_all().unwrap();
    println!(
        "{beads} beads, {} events, {} MB\n{:16}{:>10}{:>10}{:>10}",
        beads * EVENTS,
        std::fs::metadata(&journal).unwrap().len() >> 20,
        "",
        "median ms",
        "most ms",
        "MB"
    );
    for command in [
        "first fold",
        "create",
        "update",
        "depend",
        "show",
        "list",
        "list filtered",
        "list all",
        "blocked",
        "search",
        "ready",
        "claim next",
        "close",
    ] {
        measure_command(folder.path(), command, || {});
    }
    for (name, age) in [
        // These change the log behind the back of the checkpoint, like a merge with another clone
        // does.
        ("late 10 s", 10),
        ("late 1 h", 3_600),
        ("late 1 day", 86_400),
    ] {
        measure_command(folder.path(), name, || {
            let mut log = std::fs::OpenOptions::new()
                .append(true)
                .open(&journal)
                .unwrap();
            let id = format!("evt-late{}", random());
            let data = json!({ "bead_id": "b-7", "changes": { "priority": 1 } });
            let line = event(end - age * 1_000_000, &id, "bob", "bead.updated", &data);
            log.write_all(line.as_bytes()).unwrap();
        });
    }
    measure_command(folder.path(), "create", || {});
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    let poured = molecule(STEPS);
    let pour = |draft: &mut windlass_ledger::Draft<'_>| draft.emit(poured.clone());
    open(folder.path()).decide(pour).unwrap();
    println!("molecule of {STEPS} steps");
    measure_command(folder.path(), "mol claim", || {});
    measure_command(folder.path(), "mol work", || {});
}

/// Returns a molecule of chains of steps, where the first step of each chain is ready.
fn molecule(steps: usize) -> MolCreated {
    let step = |at: usize| {
        let needs = at
            .checked_sub(ACTIVE)
            .map(|need| json!({ "step": format!("s-{need}"), "kind": "needs" }));
        json!({ "id": format!("s-{at}"), "title": format!("do part {at} of the work"), "needs": needs.into_iter().collect::<Vec<_>>(),
            "description": "What has to be done in this step, and how to see that it is done.",
            "origin": { "source": 0, "line": at + 1 } })
    };
    let digest = format!("blake3:{}", "0".repeat(64));
    MolCreated {
        mol_id: "mol-large".to_owned(),
        formula: "large".to_owned(),
        cooked: json!({ "schema_version": 1, "formula": "large", "kind": "workflow", "dialect": "beads", "version": 1,
            "title": "Large", "steps": (0..steps).map(step).collect::<Vec<_>>(), "sources": [], "digest": digest }),
        ..MolCreated::default()
    }
}

fn measure_command(root: &Path, command: &str, prepare: impl Fn()) {
    let rounds = if command == "first fold" { 1 } else { ROUNDS };
    let mut times = Vec::new();
    for _ in 0..rounds {
        prepare();
        // This program is also the command to measure, see `run`.
        let child = Command::new(std::env::current_exe().unwrap())
            .arg(root)
            .arg(command)
            .output()
            .unwrap();
        assert!(
            child.status.success(),
            "{}",
            String::from_utf8_lossy(&child.stderr)
        );
        let text = String::from_utf8(child.stdout).unwrap();
        let (time, memory) = text.trim().split_once(' ').unwrap();
        times.push((time.parse::<f64>().unwrap(), memory.parse::<u64>().unwrap()));
    }
    times.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (median, _) = times[times.len() / 2];
    let (most, _) = times[times.len() - 1];
    let memory = times.iter().map(|(_, memory)| memory).max().unwrap() >> 10;
    println!("{command:16}{median:>10.1}{most:>10.1}{memory:>10}");
}

/// Runs one command, and prints the processor time in milliseconds and the peak memory in
/// kilobytes.
fn run(root: &Path, command: &str) {
    let mut session = open(root);
    let all = WorkFilter::default();
    let id = format!("b-{}", random() % 1_000);
    match command {
        "list" => drop(session.beads().list(&all, None, 50).unwrap()),
        "list filtered" => {
            let labels = vec!["area-3".to_owned()];
            let some = WorkFilter { labels, ..all };
            session.beads().list(&some, None, 50).unwrap();
        }
        "list all" => {
            let filter = WorkFilter { all: true, ..all };
            session.beads().list(&filter, None, 50).unwrap();
        }
        "blocked" => drop(session.beads().blocked(&all, None, 50).unwrap()),
        "search" => drop(session.beads().search("part 77 ", &all, None, 50).unwrap()),
        "ready" => drop(session.beads().ready(&all, None, 50).unwrap()),
        "show" => drop(session.beads().get(&id, None).unwrap()),
        "claim next" => drop(session.beads().claim(None, &all).unwrap()),
        "close" => {
            let ready = session.beads().ready(&all, None, 1).unwrap();
            let ids = [ready.beads[0].bead.id.clone()];
            session.beads().close(&ids, "done", false).unwrap();
        }
        "update" => {
            let changes = json!({ "title": "another title" });
            let changes = changes.as_object().unwrap().clone();
            let update = BeadUpdate {
                changes,
                ..BeadUpdate::default()
            };
            session.beads().update(&id, &update).unwrap();
        }
        "depend" => {
            let made = session.beads().create(&new_bead()).unwrap();
            let on = NewDependency {
                kind: "blocks".to_owned(),
                on: id,
                any_child: false,
            };
            session.beads().add_dependency(&made.id, &on).unwrap();
        }
        "mol claim" | "mol work" => {
            let world = session.world();
            let claim = Claim {
                mol: Some("mol-large".to_owned()),
                ..Claim::default()
            };
            let claimed = session.decide(|draft| draft.claim(&claim, &world)).unwrap();
            if command == "mol work" {
                let proof = claimed.proof;
                session
                    .decide(|draft| draft.complete(&proof, Value::Null, Vec::new(), &world))
                    .unwrap();
            }
        }
        _ => drop(session.beads().create(&new_bead()).unwrap()),
    }
    session.finish().unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let memory = memory
        .and_then(|text| text.split_whitespace().next())
        .unwrap_or("0");
    let times = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = times
        .split(' ')
        .next()
        .and_then(|nanos| nanos.parse::<f64>().ok());
    println!("{} {memory}", nanos.unwrap_or_default() / 1e6);
}

fn new_bead() -> NewBead {
    NewBead {
        title: "new work".to_owned(),
        ..NewBead::default()
    }
}

/// Writes a log in which every bead is created, described and claimed, and most are closed again
/// while others are still in progress. Returns the time of the last event in microseconds.
fn write_log(beads: usize, out: &mut impl std::io::Write) -> i64 {
    let start: Stamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let (mut acts, mut made, mut drawn) = (vec![0_u8; beads], 0_usize, 1_u64);
    let mut at = start.micros();
    for number in 0..beads * EVENTS {
        at += 1_000_000;
        // A simple generator of random numbers, so that the log is the same each time.
        drawn = drawn
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let draw = usize::try_from(drawn >> 33).unwrap();
        let bead = if number % EVENTS == 0 {
            made += 1;
            made - 1
        } else {
            made.saturating_sub(1 + draw % ACTIVE.min(made))
        };
        let (kind, data) = act(bead, acts[bead], draw);
        acts[bead] = acts[bead].saturating_add(1);
        let id = format!("evt-{number:012}");
        let actor = ["ann", "bob", "gastown/crew/cid"][draw % 3];
        out.write_all(event(at, &id, actor, kind, &data).as_bytes())
            .unwrap();
    }
    at
}

fn act(bead: usize, act: u8, draw: usize) -> (&'static str, Value) {
    let id = format!("b-{bead}");
    let before = bead.saturating_sub(1 + draw % 50);
    match act {
        0 => (
            "bead.created",
            json!({ "bead_id": id, "title": format!("work on part {bead} of the system"), "issue_type": "task",
            "priority": draw % 5, "labels": [format!("area-{}", draw % 20)],
            "description": "What has to be done, why it matters, and how to see that it is done, in two or three lines of text as people write them. ".repeat(2) }),
        ),
        1 if bead.is_multiple_of(2) && before != bead => (
            "bead.dependency_added",
            json!({ "bead_id": id, "depends_on_id": format!("b-{before}"), "type": "blocks" }),
        ),
        2 if bead.is_multiple_of(5) && before != bead => (
            "bead.dependency_added",
            json!({ "bead_id": id, "depends_on_id": format!("b-{}", bead / 100 * 100), "type": "parent-child" }),
        ),
        3 => (
            "bead.status_changed",
            json!({ "bead_id": id, "from_status": "open", "to_status": "in_progress", "claim": !bead.is_multiple_of(4) }),
        ),
        9 if bead % 10 < 7 => (
            "bead.closed",
            json!({ "bead_id": id, "reason": "done and checked" }),
        ),
        _ => (
            "bead.updated",
            json!({ "bead_id": id, "changes": { "priority": draw % 5 },
            "metadata_set": { format!("key{}", draw % 4): "a value that somebody noted while working on it" } }),
        ),
    }
}

fn event(micros: i64, id: &str, actor: &str, kind: &str, data: &Value) -> String {
    let at = Stamp::from_micros(micros);
    format!(
        "{{\"event_id\":\"{id}\",\"event_type\":\"{kind}\",\"timestamp\":\"{at}\",\"actor\":\"{actor}\",\"data\":{data}}}\n"
    )
}

fn random() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(0)
}

fn service(root: &Path) -> LedgerService {
    LedgerService::new(&Site::open(root, environment(root)).unwrap())
}

fn open(root: &Path) -> LedgerSession {
    service(root).open(Some("eve"), "bench").unwrap()
}
