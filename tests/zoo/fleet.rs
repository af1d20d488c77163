//! Measuring on the machines that share a ledger (`windlass zoo run --fleet`).

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::repository;
use super::support::{self, Sandbox};

/// Measures two small archetypes. The program is in the path, as on a worker.
fn measure(sandbox: &Sandbox, more: &[&str]) -> Command {
    let run = ["--actor", "ann", "zoo", "run", "--quick", "--format=json"];
    let args = [&run[..], more].concat();
    let mut command = sandbox.command(sandbox.root(), &args);
    let mut path = vec![
        Path::new(command.get_program())
            .parent()
            .unwrap()
            .to_owned(),
    ];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    command.env("PATH", std::env::join_paths(path).unwrap());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn without_times(printed: &str) -> Value {
    let mut results: Value = serde_json::from_str(printed).unwrap();
    results["run"]["at"].take();
    for case in results["cases"].as_array_mut().unwrap() {
        case["values"]["latency_ms"].take();
    }
    for archetype in results["summaries"].as_object_mut().unwrap().values_mut() {
        for system in archetype.as_object_mut().unwrap().values_mut() {
            system["latency_ms"].take();
        }
    }
    results
}

#[test]
fn two_workers_print_the_results_of_a_local_run() {
    let sandbox = repository();
    let archetypes = ["remembering", "research"];
    let mut first = measure(&sandbox, &[&["--fleet"], &archetypes[..]].concat())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(first.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    let mol = line.split([' ', ':']).nth(1).unwrap();
    let second = support::answer(&mut measure(&sandbox, &[&format!("--fleet={mol}")])).succeeds();
    let first = first.wait_with_output().unwrap();
    let mut rest = String::new();
    told.read_to_string(&mut rest).unwrap();
    assert!(first.status.success(), "{line}{rest}");
    let first = String::from_utf8(first.stdout).unwrap();
    let local = support::answer(&mut measure(&sandbox, &archetypes)).succeeds();
    let local = without_times(&local.stdout);
    assert_eq!(without_times(&first), local);
    assert_eq!(without_times(&second.stdout), local);
}

#[test]
fn machine_without_the_program_fails_with_help() {
    let sandbox = repository();
    let bin = sandbox.outside();
    let mut command = measure(&sandbox, &["--fleet", "remembering"]);
    let failed = support::answer(command.env("PATH", bin)).exits_with(1);
    for part in [
        "step `remembering` of `mol-",
        "is failed and has no output: `windlass` cannot be started",
        " mol push-back mol-",
    ] {
        assert!(failed.stderr.contains(part), "{part}: {}", failed.stderr);
    }
    assert_eq!(failed.stdout, "");
}
