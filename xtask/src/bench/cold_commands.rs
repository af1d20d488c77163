//! Benchmarks for cold commands: each is a new process, measured from start to end.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::bench_times::{Row, in_turn, output, time};
use super::bench_world::World;
use super::made_sources::{settle, write_sources};
use crate::Error;

const README: &str = "# Harbour\n\nWhat holds the ships.\n\n## Layout\n\nParts lie in `src`.\nEach has twenty modules.\n\n## Use\n\nRaise it.\n";
const RUNBOOK: &str = "\
schema_version: 1
id: usual
title: A usual runbook
steps:
  - { id: contracts, uses: anchors, with: { kinds: [contract] } }
  - { id: routes, uses: search, with: { pattern: 'fn rope_\\w+', max_matches: 40 } }
  - { id: readme, uses: read, with: { file: README.md, heading: Layout } }
outputs:
  - { id: contracts, title: Contracts, from: contracts }
  - { id: routes, title: Routes, from: routes, limit: 20 }
  - { id: readme, title: Layout, from: readme }
";
const ANCHOR: &str = "{\"id\":\"c\",\"kind\":\"contract\",\"file\":\"src/part000/module7.rs\",\"start_line\":5,\"end_line\":9}\n";

/// Measures a typical runbook in a small repository.
pub(crate) fn runbook(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.repository("cold-run")?;
    write_sources(&root, 58, 120)?;
    std::fs::create_dir_all(root.join("runbooks"))?;
    std::fs::write(root.join("README.md"), README)?;
    std::fs::write(root.join("runbooks/usual.yaml"), RUNBOOK)?;
    let list = root.with_extension("jsonl");
    std::fs::write(&list, ANCHOR)?;
    output(world.windlass(&root, ["anchor", "add", "--from"]).arg(list))?;
    settle();
    timed(world, &root, "cold-run", 10, &["run", "usual"]).map(|row| vec![row])
}

/// Measures a context pack in a repository of 5,000 files.
pub(crate) fn context(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.repository("context")?;
    write_sources(&root, 5_000, 80)?;
    std::fs::write(root.join("README.md"), README)?;
    world.git(&root, &["add", "-A"])?;
    world.git(&root, &["commit", "-q", "-m", "all"])?;
    settle();
    let goal = "Keep the drum within the budget of the cable when the tide moves the anchor";
    let args = ["pack", "build", goal, "--max-tokens", "6000"];
    timed(world, &root, "context: a pack", 300, &args).map(|row| vec![row])
}

/// Measures commands on a ledger of 10,000 beads with nine changes each.
pub(crate) fn ledger(world: &World) -> Result<Vec<Row>, Error> {
    const COMMANDS: [(&str, &[&str]); 5] = [
        ("show", &["bead", "show", "t-5000"]),
        ("ready", &["bead", "ready"]),
        ("search", &["bead", "search", "number 77", "--all"]),
        ("create", &["bead", "create", "Another %"]),
        ("claim", &["bead", "claim", "t-%9"]),
    ];
    let root = world.repository("ledger")?;
    std::fs::create_dir_all(root.join(".beads"))?;
    std::fs::write(root.join(".beads/events.jsonl"), log())?;
    output(&mut world.windlass(&root, ["events", "sync"]))?;
    let row =
        |(name, args): (&str, &[&str])| timed(world, &root, &format!("ledger: {name}"), 10, args);
    COMMANDS.into_iter().map(row).collect()
}

/// Measures a command. A `%` in its arguments is replaced by another number each time, because most
/// commands that change something can't be repeated.
fn timed(world: &World, root: &Path, name: &str, limit: u64, args: &[&str]) -> Result<Row, Error> {
    let mut number = 0;
    let mut run = || {
        number += 1;
        let typed = args.iter().map(|arg| arg.replace('%', &number.to_string()));
        let mut command = world.windlass(root, ["--actor", "bench"]);
        time(command.args(typed))
    };
    let [took] = in_turn([&mut run], world.repeat(21))?;
    Ok(Row::within(name, took, Duration::from_millis(limit)))
}

/// Returns a log in which each bead is created and then changed nine times.
fn log() -> String {
    const BEADS: usize = 10_000;
    let description = "What is to be done, in a few words that say something. ".repeat(4);
    let mut text = String::new();
    for at in 0..10 * BEADS {
        let bead = at % BEADS;
        let (kind, data) = match at < BEADS {
            true => (
                "created",
                format!(
                    "\"title\":\"The bead of number {bead}\",\"description\":\"{description}\",\"issue_type\":\"task\",\"priority\":{}",
                    bead % 5
                ),
            ),
            false => (
                "updated",
                format!("\"changes\":{{\"notes\":\"change {at}\"}}"),
            ),
        };
        let (minute, second, milli) = (at / 60_000, at / 1_000 % 60, at % 1_000);
        let _ = writeln!(
            text,
            "{{\"event_id\":\"evt-{at:012}\",\"event_type\":\"bead.{kind}\",\"timestamp\":\"2026-01-01T00:{minute:02}:{second:02}.{milli:03}Z\",\
             \"actor\":\"rig/polecats/slot{}\",\"data\":{{\"bead_id\":\"t-{bead}\",{data}}}}}",
            at % 8
        );
    }
    text
}
