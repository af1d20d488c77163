//! A ledger of 10,000 beads and 100,000 events: single commands by new processes, and appends that are durable.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use windlass::store::{DurableLog, RootedPath};

use super::measure::{Samples, in_turn, output, time};
use super::report::{Goal, Row};
use super::world::World;
use crate::Error;

const BEADS: usize = 10_000;
const EVENTS: usize = 100_000;
/// How many lines each writer appends.
const APPENDS: usize = 100;
const WRITERS: usize = 8;
const SOON: Duration = Duration::from_secs(30);

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("ledger")?;
    output(world.program("git", &root).args(["init", "--quiet"]))?;
    std::fs::create_dir_all(root.join(".beads"))?;
    std::fs::write(root.join(".beads/events.jsonl"), log())?;
    output(&mut world.windlass(&root, ["events", "sync"]))?;
    let stats = String::from_utf8(output(&mut world.windlass(&root, ["events", "stats"]))?)?;
    if !stats.contains(&format!("{EVENTS} events, {BEADS} beads")) {
        return Err(format!("the ledger is not what it should be: {stats}").into());
    }
    let mut rows = commands(world, &root)?;
    rows.extend(appends(world)?);
    Ok(rows)
}

/// What is measured: a name, and how it is typed. `%` is another number each time.
const COMMANDS: [(&str, &[&str]); 12] = [
    ("show", &["bead", "show", "t-5000"]),
    ("ready", &["bead", "ready"]),
    ("blocked", &["bead", "blocked"]),
    ("list", &["bead", "list", "--all"]),
    ("search", &["bead", "search", "number 77", "--all"]),
    ("create", &["bead", "create", "Another %"]),
    ("claim", &["bead", "claim", "t-%9"]),
    ("close", &["bead", "close", "t-%8"]),
    (
        "dep add",
        &["bead", "dep", "add", "t-%7", "t-%6", "-t", "related"],
    ),
    ("inbox", &["mail", "inbox"]),
    ("events list", &["events", "list", "--about", "t-9999"]),
    ("events stats", &["events", "stats"]),
];

fn commands(world: &World, root: &Path) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (name, args) in COMMANDS {
        let mut number = 0;
        let mut run = || {
            number += 1;
            let typed = args.iter().map(|arg| arg.replace('%', &number.to_string()));
            let typed: Vec<String> = ["--actor".to_owned(), "bench".to_owned()]
                .into_iter()
                .chain(typed)
                .collect();
            time(&mut world.windlass(root, &typed))
        };
        let took = in_turn(&mut [&mut run], world.repeat(21))?.remove(0);
        let within = Goal::Within(Duration::from_millis(10));
        rows.push(Row::times(format!("ledger: {name}"), took, None, within));
    }
    Ok(rows)
}

/// The log: each bead is made, depends on others, is changed and most often closed.
fn log() -> String {
    let mut text = String::new();
    let mut written = 0;
    let mut event = |kind: &str, data: &str| {
        let (second, milli) = (written / 1_000, written % 1_000);
        let (minute, second) = (second / 60, second % 60);
        let _ = writeln!(
            text,
            "{{\"event_id\":\"evt-{written:012}\",\"event_type\":\"{kind}\",\
             \"timestamp\":\"2026-01-01T00:{minute:02}:{second:02}.{milli:03}Z\",\
             \"actor\":\"rig/polecats/slot{}\",\"data\":{data}}}",
            written % 8
        );
        written += 1;
    };
    for bead in 0..BEADS {
        let description = "What is to be done, in a few words that say something. ".repeat(4);
        event(
            "bead.created",
            &format!(
                "{{\"bead_id\":\"t-{bead}\",\"title\":\"The bead of number {bead}\",\"description\":\"{description}\",\
             \"issue_type\":\"task\",\"priority\":{},\"labels\":[\"area-{}\"]}}",
                bead % 5,
                bead % 20
            ),
        );
        let other = if bead % 10 < 3 && bead >= 10 {
            bead - 10
        } else {
            BEADS + bead
        };
        let kind = if other < BEADS { "blocks" } else { "related" };
        event(
            "bead.dependency_added",
            &format!(
                "{{\"bead_id\":\"t-{bead}\",\"depends_on_id\":\"t-{other}\",\"type\":\"{kind}\"}}"
            ),
        );
    }
    for change in 0..EVENTS - 2 * BEADS - BEADS / 2 {
        let bead = change % BEADS;
        event(
            "bead.updated",
            &format!("{{\"bead_id\":\"t-{bead}\",\"changes\":{{\"notes\":\"change {change}\"}}}}"),
        );
    }
    for bead in (0..BEADS).filter(|bead| bead % 10 < 5) {
        event(
            "bead.closed",
            &format!("{{\"bead_id\":\"t-{bead}\",\"reason\":\"done\"}}"),
        );
    }
    text
}

/// Durable appends: one writer against the disk alone, and eight against one.
fn appends(world: &World) -> Result<Vec<Row>, Error> {
    let folder = world.folder("appends")?;
    let line = format!("{}\n", "x".repeat(250));
    let path = folder.join("log");
    let one = || append(&path, line.as_bytes());
    let mut single = || {
        let started = Instant::now();
        one()?;
        Ok(started.elapsed())
    };
    let raw_path = folder.join("raw");
    let mut raw = || {
        let mut file = File::options().create(true).append(true).open(&raw_path)?;
        let started = Instant::now();
        for _ in 0..APPENDS {
            file.write_all(line.as_bytes())?;
            file.sync_data()?;
        }
        Ok(started.elapsed())
    };
    let mut many = || {
        let started = Instant::now();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|_| scope.spawn(|| one().is_ok()))
                .collect();
            let done = writers
                .into_iter()
                .all(|writer| writer.join().unwrap_or(false));
            if done { Ok(()) } else { Err("a writer failed") }
        })?;
        Ok(started.elapsed())
    };
    let mut samples = in_turn(&mut [&mut single, &mut raw, &mut many], world.repeat(5))?;
    let (many, raw) = (samples.remove(2), samples.remove(1));
    let single = samples.remove(0);
    let rate = |samples: &Samples, lines: usize| lines as f64 / samples.median().as_secs_f64();
    let (alone, together) = (rate(&single, APPENDS), rate(&many, APPENDS * WRITERS));
    Ok(vec![
        Row::times(
            "ledger: 100 durable appends",
            single,
            Some(("write and sync", raw)),
            Goal::Times(1.25),
        ),
        Row::number(
            "ledger: one writer's rate of that of eight",
            alone / together,
            1.0,
            "x",
        ),
    ])
}

fn append(path: &Path, line: &[u8]) -> Result<(), windlass::store::LockError> {
    let place = RootedPath::typed(path);
    let log = DurableLog::open(&place, &RootedPath::new(place.root()))?;
    for _ in 0..APPENDS {
        let appended = log.writer(SOON, "bench")?.append(line)?;
        log.commit(appended, SOON, "bench")?;
    }
    Ok(())
}
