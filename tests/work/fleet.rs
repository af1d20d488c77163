//! A runbook in many repositories: `fleet run`, `fleet resume` and `fleet show`.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::by;
use crate::support::Sandbox;

const RUNBOOK: &str = "\
schema_version: 1
id: look
inputs:
  pattern: { type: string }
steps:
  - { id: lines, uses: search, with: { pattern: { $ref: '#/inputs/pattern' } } }
  - { id: file, uses: read, with: { file: must.txt } }
outputs:
  - { id: lines, title: Lines, from: lines }
  - { id: file, title: File, from: file }
";

/// Adds a repository beside the sandbox.
fn neighbour(sandbox: &Sandbox, name: &str, files: &[(&str, &str)]) {
    let folder = sandbox.root().parent().unwrap().join(name);
    std::fs::create_dir_all(folder.join("runbooks")).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    let init = ["-C", folder.to_str().unwrap(), "init", "--quiet"];
    sandbox.run_git(&init);
}

fn fleet() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write("README.md", "a project\n").commit("first");
    let look = ("runbooks/look.yaml", RUNBOOK);
    neighbour(&sandbox, "harbour", &[look, ("must.txt", "a word\n")]);
    neighbour(&sandbox, "broken", &[look]);
    sandbox
}

const RUN: [&str; 10] = [
    "fleet",
    "run",
    "look",
    "--input",
    "pattern=word",
    "--repos",
    "../harbour",
    "../missing",
    "../broken",
    "../harbour",
];

#[test]
fn fleet_gathers_packs_and_names_failures() {
    let sandbox = fleet();
    let run = by(&sandbox, "ann", &RUN).exits_with(1);
    let text = &run.stdout;
    let mol = text.split(':').next().unwrap().to_owned();
    let summary = format!("{mol}: 1 of 3 repositories done\n- ../missing: failed: ");
    assert!(text.starts_with(&summary), "{text}");
    assert!(
        text.contains("\n- ../broken: failed: runbook `look` of `../broken` failed\n"),
        "{text}"
    );
    let sections: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("# ../"))
        .collect();
    assert_eq!(sections, ["# ../harbour", "# ../broken"]);
    assert!(text.contains("a word"), "{text}");
    let shown = by(
        &sandbox,
        "bob",
        &["fleet", "show", &mol, "--format", "json"],
    );
    let shown = shown.exits_with(1).json();
    let all = shown["repositories"].as_array().unwrap();
    let state = all.iter().map(|one| (&one["repository"], &one["status"]));
    let state: Vec<_> = state.map(|(name, status)| json!([name, status])).collect();
    assert_eq!(
        json!(state),
        json!([
            ["../harbour", "completed"],
            ["../missing", "failed"],
            ["../broken", "failed"]
        ])
    );
    assert_eq!(all[0]["pack"]["sections"][0]["id"], "lines");
}

#[test]
fn concurrent_fleets_print_the_same() {
    let sandbox = fleet();
    let runs = [1, 2].map(|jobs| {
        let jobs = jobs.to_string();
        let args = [&["--actor", "ann"], &RUN[..], &["--jobs", &jobs]].concat();
        let mut command = sandbox.command(sandbox.root(), &args);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.spawn().unwrap()
    });
    let [one, other] = runs.map(|run| {
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stdout).unwrap();
        let (mol, _) = text.split_once(':').unwrap();
        text.replace(mol, "MOL")
    });
    assert_eq!(one, other);
}

#[test]
fn interrupted_fleet_is_resumed() {
    let sandbox = fleet();
    let slow = "schema_version: 1\nid: look\ninputs:\n  pattern: { type: string }\nsteps:\n  - { id: wait, uses: \
                command, with: { argv: [sh, wait.sh] } }\noutputs:\n  - { id: wait, from: wait }\n";
    let wait = "test -f ready || { echo up > up; sleep 600; }\necho finished\n";
    neighbour(
        &sandbox,
        "slow",
        &[("runbooks/look.yaml", slow), ("wait.sh", wait)],
    );
    let folder = sandbox.root().parent().unwrap().join("slow");
    let made = Command::new("mkfifo").arg(folder.join("up")).status();
    assert!(made.unwrap().success());
    sandbox.write("list.txt", "# all\n../harbour\n\n../slow\n");
    let args = [
        "--actor",
        "ann",
        "fleet",
        "run",
        "look",
        "--input",
        "pattern=word",
        "--repos",
        "list.txt",
        "--allow-commands",
    ];
    let mut command = sandbox.command(sandbox.root(), &args);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let run = command.spawn().unwrap();
    let mut line = String::new();
    let mut reader = BufReader::new(std::fs::File::open(folder.join("up")).unwrap());
    reader.read_line(&mut line).unwrap();
    let id = run.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    let stopped = run.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130));
    let text = String::from_utf8(stopped.stdout).unwrap();
    assert!(
        text.contains(": 1 of 2 repositories done\n- ../slow: ready\n"),
        "{text}"
    );
    std::fs::write(folder.join("ready"), "").unwrap();
    let resumed = by(&sandbox, "ann", &["fleet", "resume", "--allow-commands"]).succeeds();
    let text = &resumed.stdout;
    assert!(text.contains(": 2 of 2 repositories done\n"), "{text}");
    assert!(text.contains("finished"), "{text}");
}

#[test]
fn fleet_step_needs_trust_on_other_machines() {
    let sandbox = fleet();
    let poured = by(&sandbox, "ann", &[&RUN[..], &["--detach"]].concat()).succeeds();
    let mol = poured.stdout.split(':').next().unwrap().to_owned();
    by(
        &sandbox,
        "ann",
        &["trust", "--revoke", &format!("mol:{mol}")],
    )
    .succeeds();
    let driven = by(&sandbox, "bob", &["mol", "drive", &mol, "--no-wait"]).exits_with(4);
    assert!(driven.stdout.contains("permission"), "{}", driven.stdout);
    let asked = by(
        &sandbox,
        "bob",
        &["trust", "--dry-run", &format!("mol:{mol}")],
    )
    .succeeds();
    let line = "runs the runbook \"look\" of the repository \"../harbour\" with {\"pattern\":\"word\"}; the result is written to the log";
    assert!(asked.stdout.contains(line), "{}", asked.stdout);
}
