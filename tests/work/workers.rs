//! Workers: `mol drive --watch` with labels, several steps at once, leases and a graceful end.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::by;
use crate::support::Sandbox;

/// Exit code of an interrupted command.
const INTERRUPTED: Option<i32> = Some(130);

fn poured(formula: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::git();
    sandbox
        .write(".beads/formulas/work.formula.toml", formula)
        .commit("first");
    let made = by(
        &sandbox,
        "ann",
        &["mol", "pour", "work", "--format", "json"],
    );
    let mol = made.succeeds().json()["id"].as_str().unwrap().to_owned();
    (sandbox, mol)
}

fn pipe(sandbox: &Sandbox, name: &str) -> PathBuf {
    let path = sandbox.root().join(name);
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}

fn worker(sandbox: &Sandbox, actor: &str, args: &[&str]) -> Child {
    let drive = [
        "--actor",
        actor,
        "mol",
        "drive",
        "--watch",
        "--allow-commands",
    ];
    let mut command = sandbox.command(sandbox.root(), &[&drive[..], args].concat());
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

fn terminate(worker: &Child) {
    let id = worker.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.unwrap().success());
}

/// Waits for the line that a program writes into the pipe, and returns the rest of the pipe.
fn up(path: &PathBuf) -> BufReader<std::fs::File> {
    let mut reader = BufReader::new(std::fs::File::open(path).unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    reader
}

fn step(sandbox: &Sandbox, mol: &str, name: &str) -> Value {
    let shown = by(
        sandbox,
        "ann",
        &["mol", "show", mol, name, "--format", "json"],
    );
    shown.succeeds().json()
}

#[test]
fn workers_take_steps_by_label_and_drain() {
    let (sandbox, mol) = poured(
        r#"formula = "work"
version = 1
[[steps]]
id = "one"
title = "One"
uses = "command"
runs_on = ["linux"]
with = { argv = ["true"] }
[[steps]]
id = "two"
title = "Two"
uses = "command"
metadata = { "gc.run_target" = "gpu" }
with = { argv = ["sh", "-c", "echo $WINDLASS_IDEMPOTENCY_KEY; test $WINDLASS_FENCE -gt 0"] }
[[steps]]
id = "slow"
title = "Slow"
needs = ["one", "two"]
uses = "command"
runs_on = ["linux"]
with = { argv = ["sh", "-c", "echo up > up; read go < go"] }
[[steps]]
id = "later"
title = "Later"
needs = ["slow"]
uses = "command"
runs_on = ["linux"]
with = { argv = ["true"] }
"#,
    );
    let (up_pipe, go) = (pipe(&sandbox, "up"), pipe(&sandbox, "go"));
    let waits = by(&sandbox, "ann", &["mol", "drive", &mol, "--no-wait"]).succeeds();
    let wait = "one waits for a machine with `runs_on` linux: `windlass mol drive --watch --label linux`\n";
    assert!(waits.stdout.starts_with(wait), "{}", waits.stdout);
    let shown = by(&sandbox, "ann", &["mol", "show", &mol])
        .succeeds()
        .stdout;
    assert!(shown.contains("Two  [runs on gpu]\n"), "{shown}");
    let linux = worker(&sandbox, "w1", &["--label", "linux,big", "--jobs", "2"]);
    let gpu = worker(&sandbox, "w2", &["--label", "gpu"]);
    let reader = up(&up_pipe);
    terminate(&linux);
    terminate(&gpu);
    let gpu = gpu.wait_with_output().unwrap();
    assert_eq!(gpu.status.code(), INTERRUPTED);
    std::fs::write(&go, "go\n").unwrap();
    drop(reader);
    let linux = linux.wait_with_output().unwrap();
    assert_eq!(linux.status.code(), INTERRUPTED);
    let said = String::from_utf8(linux.stderr).unwrap();
    assert!(said.contains("taking no more steps"), "{said}");
    let state = |name: &str| {
        let step = step(&sandbox, &mol, name);
        (step["status"].clone(), step["holder"].clone())
    };
    assert_eq!(state("one"), (json!("completed"), json!("w1")));
    assert_eq!(state("two"), (json!("completed"), json!("w2")));
    assert_eq!(state("slow"), (json!("completed"), json!("w1")));
    assert_eq!(state("later"), (json!("ready"), Value::Null));
    let printed = step(&sandbox, &mol, "two")["output"]["stdout"].clone();
    assert_eq!(printed, format!("{mol}/two/0\n"));
}

const ENDLESS: &str = r#"formula = "work"
version = 1
[[steps]]
id = "endless"
title = "Endless"
uses = "command"
with = { argv = ["sh", "-c", "exec 3> up; echo up >&3; sleep 600 & wait"] }
"#;

#[test]
fn second_signal_releases_running_steps() {
    let (sandbox, mol) = poured(ENDLESS);
    let up_pipe = pipe(&sandbox, "up");
    let mut worker = worker(&sandbox, "w1", &[]);
    let mut reader = up(&up_pipe);
    terminate(&worker);
    let mut said = BufReader::new(worker.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("taking no more steps"), "{line}");
    terminate(&worker);
    // The pipe closes once the step's last process has ended.
    assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0);
    assert_eq!(worker.wait().unwrap().code(), INTERRUPTED);
    assert_eq!(step(&sandbox, &mol, "endless")["status"], "ready");
}

#[test]
fn drain_limit_releases_running_steps() {
    let (sandbox, mol) = poured(ENDLESS);
    let up_pipe = pipe(&sandbox, "up");
    let mut worker = worker(&sandbox, "w1", &["--drain", "1ms"]);
    let mut reader = up(&up_pipe);
    terminate(&worker);
    assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0);
    assert_eq!(worker.wait().unwrap().code(), INTERRUPTED);
    assert_eq!(step(&sandbox, &mol, "endless")["status"], "ready");
}

#[test]
fn ended_claim_stops_its_program() {
    let (sandbox, mol) = poured(ENDLESS);
    let up_pipe = pipe(&sandbox, "up");
    let mut worker = worker(&sandbox, "w1", &["--lease", "2s"]);
    let mut reader = up(&up_pipe);
    by(&sandbox, "ann", &["mol", "burn", &mol, "--force"]).succeeds();
    assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0);
    terminate(&worker);
    assert_eq!(worker.wait().unwrap().code(), INTERRUPTED);
}
