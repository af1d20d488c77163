//! Records of runs, written during a run and inspected afterwards.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use support::{Sandbox, answer};

const RUNBOOK: &str = "schema_version: 1
id: r
inputs:
  what: { default: two }
steps:
- { id: find, uses: search, with: { pattern: { $ref: '#/inputs/what' }, globs: ['*.txt'] } }
- { id: first, uses: read, with: { file: a.txt } }
- { id: pick, uses: select, with: { from: { $ref: '#/steps/find/output/matches' } } }
outputs:
- { id: found, from: pick, title: Found }
- { id: first, from: first }
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.txt", "one\ntwo\n")
        .write("b.txt", "two\n")
        .write("runbooks/r.yaml", RUNBOOK);
    sandbox
}

fn list(sandbox: &Sandbox) -> Vec<Value> {
    let list = sandbox.windlass(&["runs", "list", "--format", "json"]);
    list.succeeds().json()["runs"].as_array().unwrap().clone()
}

/// Returns the newest run's steps, each with its status, or with `kept` if its output was reused.
fn steps(sandbox: &Sandbox) -> String {
    let shown = sandbox.windlass(&["runs", "show", "--format", "json"]);
    let shown = shown.succeeds().json();
    let step = |step: &Value| {
        let status = if step["kept"] == true {
            "kept"
        } else {
            step["status"].as_str().unwrap_or("unfinished")
        };
        format!("{} {status}", step["step"].as_str().unwrap())
    };
    let mut steps: Vec<String> = shown["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(step)
        .collect();
    steps.sort();
    steps.join(", ")
}

fn records(sandbox: &Sandbox) -> Vec<PathBuf> {
    let repos = sandbox.home().join(".local/state/windlass/repos");
    let Ok(repos) = std::fs::read_dir(repos) else {
        return Vec::new();
    };
    let runs = repos.flat_map(|repo| std::fs::read_dir(repo.unwrap().path().join("runs")));
    let files = runs.flatten().map(|file| file.unwrap().path());
    files.collect()
}

#[test]
fn run_is_recorded_shown_and_replayed() {
    let sandbox = sandbox();
    let ran = sandbox.windlass(&["run", "r"]).succeeds();
    let runs = list(&sandbox);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["state"], "done");
    assert_eq!(runs[0]["runbook"]["call"], "r");
    assert_eq!(
        steps(&sandbox),
        "find completed, first completed, pick completed"
    );
    let replayed = sandbox.windlass(&["runs", "replay"]).succeeds();
    assert_eq!(replayed.stdout, ran.stdout);
    assert_eq!(list(&sandbox).len(), 1, "to replay is not to run");

    let id = runs[0]["id"].as_str().unwrap();
    for word in [id, &id[..9], "last"] {
        sandbox.windlass(&["runs", "show", word]).succeeds();
    }
    // For an unknown ID, the error suggests a similar one.
    let unknown = format!("{}zzzz", &id[..16]);
    let missing = sandbox.windlass(&["runs", "show", &unknown]).exits_with(3);
    assert!(missing.stderr.contains(id), "{}", missing.stderr);

    // A replay doesn't show text that's gone.
    sandbox.write("a.txt", "another\n");
    let replayed = sandbox
        .windlass(&["runs", "replay", "--format", "json"])
        .succeeds();
    assert_eq!(replayed.json()["status"], "stale");
}

#[test]
fn strict_policy_holds_on_replay_and_pages() {
    for (policy, exit) in [("strict", 6), ("report", 0)] {
        let sandbox = Sandbox::git();
        let lines: String = (0..200).map(|at| format!("line number {at}\n")).collect();
        sandbox.write("a.txt", &lines);
        sandbox.write(
            "runbooks/s.yaml",
            format!(
                "schema_version: 1\nid: s\npolicy: {{ freshness: {policy} }}\nsteps:\n\
                 - {{ id: r, uses: search, with: {{ pattern: line, paths: [a.txt] }} }}\n\
                 outputs:\n- {{ id: r, from: r, limit: 200 }}\n"
            ),
        );
        let ran = sandbox.windlass(&["run", "s", "--format", "json", "--max-chars", "3000"]);
        let pack = ran.succeeds().json();
        let cursor = pack["sections"][0]["next_cursor"]
            .as_str()
            .unwrap()
            .to_owned();
        let replay = ["runs", "replay", "--format", "json"];
        let page = ["run", "--format", "json", "--cursor", &cursor];
        for call in [&replay[..], &page[..]] {
            sandbox.windlass(call).succeeds();
        }
        sandbox.write("a.txt", "nothing of it\n");
        for call in [&replay[..], &page[..]] {
            let again = sandbox.windlass(call).exits_with(exit);
            assert_eq!(again.json()["status"], "stale", "{policy} {call:?}");
            assert_eq!(again.stderr.contains("`freshness: strict`"), exit == 6);
        }
    }
}

#[test]
fn nested_strict_policy_holds_on_replay() {
    for (policy, exit) in [("strict", 6), ("report", 0)] {
        let sandbox = Sandbox::git();
        let lines: String = (0..200).map(|at| format!("line number {at}\n")).collect();
        sandbox.write("a.txt", &lines);
        sandbox.write("b.txt", "another\n");
        sandbox
            .windlass(&["anchor", "add", "b", "b.txt:1"])
            .succeeds();
        // Evidence that was stale from the start doesn't make a later replay fail.
        sandbox.write("b.txt", "something else altogether\n");
        sandbox.write(
            "runbooks/in.yaml",
            format!(
                "schema_version: 1\nid: in\npolicy: {{ freshness: {policy} }}\nsteps:\n\
                 - {{ id: r, uses: search, with: {{ pattern: line, paths: [a.txt] }} }}\n\
                 outputs:\n- {{ id: r, from: r }}\n"
            ),
        );
        sandbox.write(
            "runbooks/out.yaml",
            "schema_version: 1\nid: out\nsteps:\n\
             - { id: in, uses: runbook, with: { name: in } }\n\
             - { id: b, uses: anchors }\n\
             outputs:\n- { id: in, from: in, limit: 200 }\n- { id: b, from: b }\n",
        );
        let ran = sandbox.windlass(&["run", "out", "--format", "json", "--max-chars", "3000"]);
        let pack = ran.succeeds().json();
        let cursor = pack["sections"][0]["next_cursor"]
            .as_str()
            .unwrap()
            .to_owned();
        let replay = ["runs", "replay", "--format", "json", "--max-chars", "3000"];
        let page = ["run", "--format", "json", "--cursor", &cursor];
        for call in [&replay[..], &page[..], &replay[..]] {
            sandbox.windlass(call).succeeds();
        }
        sandbox.write("a.txt", "nothing of it\n");
        for call in [&replay[..], &page[..]] {
            let again = sandbox.windlass(call).exits_with(exit);
            assert_eq!(again.json()["status"], "stale", "{policy} {call:?}");
        }
    }
}

#[test]
fn packs_contain_no_time_or_run_id() {
    let sandbox = sandbox();
    let pack = || {
        sandbox
            .windlass(&["run", "r", "--format", "json"])
            .succeeds()
            .stdout
    };
    let first = pack();
    assert_eq!(pack(), first);
    let kept = ["run", "r", "--format", "json", "--from", "pick"];
    assert_eq!(sandbox.windlass(&kept).succeeds().stdout, first);
    let off = sandbox
        .command(sandbox.root(), &["run", "r", "--format", "json"])
        .env("WINDLASS_RUNS", "off")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(off.stdout).unwrap(), first);
    assert_eq!(
        records(&sandbox).len(),
        3,
        "one of the runs was not to be recorded"
    );
}

#[test]
fn failed_run_is_recorded_replay_starts_nothing() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/c.yaml",
        "schema_version: 1\nid: c\nsteps:\n\
         - { id: note, uses: command, with: { argv: [sh, -c, 'echo x >> log'] } }\n\
         - { id: fails, uses: read, with: { file: missing.txt }, needs: [note] }\n\
         outputs:\n- { id: note, from: note }\n- { id: fails, from: fails }\n",
    );
    sandbox
        .windlass(&["run", "c", "--allow-commands"])
        .exits_with(1);
    assert_eq!(sandbox.read("log"), "x\n");
    let runs = list(&sandbox);
    assert_eq!(
        (&runs[0]["state"], &runs[0]["failed"]),
        (&"failed".into(), &1.into())
    );
    let shown = sandbox.windlass(&["runs", "show"]).succeeds();
    assert!(shown.stdout.contains("missing.txt"), "{}", shown.stdout);
    // A replay only reads the record, so the program doesn't run again.
    sandbox.windlass(&["runs", "replay"]).exits_with(1);
    assert_eq!(sandbox.read("log"), "x\n");

    // The output of a program is never reused.
    sandbox.write("missing.txt", "there\n");
    sandbox
        .windlass(&["runs", "resume", "--allow-commands"])
        .succeeds();
    assert_eq!(sandbox.read("log"), "x\nx\n");
}

#[cfg(unix)]
#[test]
fn killed_run_can_be_resumed() {
    use std::io::Read as _;

    let sandbox = sandbox();
    let fifo = sandbox.outside().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    sandbox.write(
        "runbooks/slow.yaml",
        format!(
            "schema_version: 1\nid: slow\nsteps:\n\
             - {{ id: find, uses: search, with: {{ pattern: two, globs: ['*.txt'] }} }}\n\
             - {{ id: first, uses: read, with: {{ file: a.txt }} }}\n\
             - {{ id: wait, uses: command, needs: [find, first], with: {{ argv: [sh, -c, 'echo > \"{0}\"; exec sleep 60'] }} }}\n\
             outputs:\n- {{ id: found, from: find }}\n- {{ id: wait, from: wait }}\n- {{ id: first, from: first }}\n",
            fifo.display()
        ),
    );
    let mut child = sandbox
        .command(sandbox.root(), &["run", "slow", "--allow-commands"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Opening the pipe waits until the step has started.
    let mut said = String::new();
    std::fs::File::open(&fifo)
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    while !records(&sandbox).iter().any(|path| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains(r#""step":"wait""#))
    }) {
        std::thread::yield_now();
    }
    assert_eq!(list(&sandbox)[0]["state"], "running");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(list(&sandbox)[0]["state"], "interrupted");
    assert_eq!(
        steps(&sandbox),
        "find completed, first completed, wait unfinished"
    );
    sandbox.windlass(&["runs", "replay"]).exits_with(3);

    // Only the unfinished step and the step with a changed file run again.
    sandbox.edit("runbooks/slow.yaml", "exec sleep 60", "true");
    sandbox.edit("runbooks/slow.yaml", "echo > ", "true ");
    sandbox.write("c.md", "nothing\n");
    let resumed = sandbox
        .windlass(&["runs", "resume", "--allow-commands"])
        .succeeds();
    assert!(
        resumed.stderr.contains("changed since run"),
        "{}",
        resumed.stderr
    );
    assert_eq!(steps(&sandbox), "find kept, first kept, wait completed");
    sandbox.write("a.txt", "two\nmore\n");
    sandbox
        .windlass(&["runs", "resume", "--allow-commands"])
        .succeeds();
    assert_eq!(
        steps(&sandbox),
        "find completed, first completed, wait completed"
    );
}

#[test]
fn run_from_step_keeps_valid_outputs() {
    let sandbox = sandbox();
    let none = sandbox
        .windlass(&["run", "r", "--from", "pick"])
        .exits_with(3);
    assert!(none.stderr.contains("no recorded run"), "{}", none.stderr);
    sandbox.windlass(&["run", "r"]).succeeds();
    sandbox.windlass(&["run", "r", "--from", "find"]).succeeds();
    assert_eq!(
        steps(&sandbox),
        "find completed, first kept, pick completed"
    );
    // `find` has searched the file, so its output isn't valid anymore and the step runs again.
    sandbox.edit("b.txt", "two", "three");
    sandbox.windlass(&["run", "r", "--from", "pick"]).succeeds();
    assert_eq!(
        steps(&sandbox),
        "find completed, first kept, pick completed"
    );
    // Outputs for another input can't be reused.
    sandbox
        .windlass(&["run", "r", "--from", "pick", "-i", "what=one"])
        .succeeds();
    assert_eq!(
        steps(&sandbox),
        "find completed, first kept, pick completed"
    );
    let typo = sandbox
        .windlass(&["run", "r", "--from", "pikc"])
        .exits_with(2);
    assert!(
        typo.stderr.contains("did you mean `pick`?"),
        "{}",
        typo.stderr
    );
}

#[test]
fn only_runs_steps_and_their_needs() {
    let sandbox = sandbox();
    let ran = sandbox.windlass(&["run", "r", "--only", "pick"]).succeeds();
    assert!(
        ran.stdout.contains("skipped: not requested"),
        "{}",
        ran.stdout
    );
    assert_eq!(
        steps(&sandbox),
        "find completed, first skipped, pick completed"
    );
    sandbox
        .windlass(&["run", "r", "--only", "pick,first"])
        .succeeds();
    assert_eq!(
        steps(&sandbox),
        "find completed, first completed, pick completed"
    );
    sandbox
        .windlass(&["run", "r", "--only", "nothing"])
        .exits_with(2);
}

#[test]
fn resumed_partial_run_stays_partial() {
    let sandbox = sandbox();
    let starts = "- { id: starts, uses: command, with: { argv: [touch, started] } }\noutputs:";
    sandbox.edit("runbooks/r.yaml", "outputs:", starts);
    sandbox.windlass(&["run", "r", "--only", "pick"]).succeeds();
    let alone = "find kept, first skipped, pick kept, starts skipped";
    // A second resume is limited to the same steps.
    for _ in 0..2 {
        sandbox
            .windlass(&["runs", "resume", "--allow-commands"])
            .succeeds();
        assert_eq!(steps(&sandbox), alone);
        assert!(!sandbox.root().join("started").exists());
    }
    sandbox
        .windlass(&["runs", "resume", "--whole", "--allow-commands"])
        .succeeds();
    assert_eq!(
        steps(&sandbox),
        "find kept, first completed, pick kept, starts completed"
    );
    assert!(sandbox.root().join("started").exists());
}

#[test]
fn unreadable_record_is_reported() {
    let sandbox = sandbox();
    for _ in 0..2 {
        sandbox.windlass(&["run", "r"]).succeeds();
    }
    let newest = list(&sandbox)[0]["id"].as_str().unwrap().to_owned();
    let path = records(&sandbox)
        .into_iter()
        .find(|path| path.to_string_lossy().contains(&newest))
        .unwrap();
    for (text, why) in [
        ("garbage\n".to_owned(), "has a damaged first line"),
        (
            std::fs::read_to_string(&path).unwrap().replacen(
                "\"schema_version\":1",
                "\"schema_version\":9",
                1,
            ),
            "schema version 9",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let listed = sandbox.windlass(&["runs", "list"]).succeeds();
        assert_eq!(listed.stdout.lines().count(), 1);
        assert!(listed.stderr.contains(&newest), "{}", listed.stderr);
        assert!(listed.stderr.contains(why), "{}", listed.stderr);
    }
}

#[test]
fn diff_compares_with_previous_run() {
    let sandbox = sandbox();
    sandbox.windlass(&["run", "r"]).succeeds();
    // There's no other run to compare with yet.
    sandbox.windlass(&["runs", "diff"]).exits_with(3);
    sandbox
        .write("a.txt", "zero\none\ntwo\n")
        .write("c.txt", "also two\n")
        .remove("b.txt");
    sandbox.windlass(&["run", "r"]).succeeds();
    let told = sandbox.windlass(&["runs", "diff"]).succeeds().stdout;
    for line in [
        "  > a.txt:3 (was a.txt:2)",
        "  + c.txt:1",
        "  - b.txt:1",
        "  ~ a.txt:1-3 (was a.txt:1-2)",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    assert!(told.ends_with(
        "1 added, 1 changed, 1 moved, 0 with only a new status, 1 removed, 0 unchanged\n"
    ));
    let json = sandbox.windlass(&["runs", "diff", "--runbook", "r", "--format", "json"]);
    assert_eq!(json.succeeds().json()["changes"]["added"], 1);
}

#[test]
fn diff_picks_comparable_runs_by_default() {
    let sandbox = sandbox();
    let run = |more: &[&str]| {
        sandbox.windlass(&[&["run", "r"], more].concat()).succeeds();
        list(&sandbox)[0]["id"].as_str().unwrap().to_owned()
    };
    let diff = |args: &[&str]| {
        let answer = sandbox.windlass(&[&["runs", "diff"], args].concat());
        answer.succeeds().stdout
    };
    let first = run(&[]);
    let only = run(&["--only", "first"]);
    let other = run(&["-i", "what=one"]);
    let told = sandbox.windlass(&["runs", "diff"]).exits_with(3).stderr;
    assert!(told.contains("none have the same inputs"), "{told}");
    assert!(told.contains("windlass runs diff OLD NEW"), "{told}");
    // A reused output can be compared too.
    let again = run(&["-i", "what=one", "--from", "pick"]);
    let told = diff(&[]);
    assert!(
        told.starts_with(&format!(
            "r: {other} to {again}\nnote: the later run started again at `pick`\n0 added"
        )),
        "{told}"
    );
    let second = run(&[]);
    run(&["--only", "first"]);
    run(&["-i", "what=two"]);
    let told = diff(&[]);
    let passed = "skipped 2 newer runs: partial, stopped or with other inputs";
    assert!(
        told.starts_with(&format!("r: {first} to {second}\nnote: {passed}")),
        "{told}"
    );
    // If the user names the runs, we mention how they differ.
    let told = diff(&[&first, &other]);
    assert!(
        told.contains("note: the inputs differ: `what` was not given, now \"one\""),
        "{told}"
    );
    let told = diff(&[&first, &only]);
    assert!(
        told.contains("the later run had only some steps: first"),
        "{told}"
    );

    let whole = sandbox.read("runbooks/r.yaml");
    let less = whole.replace("- { id: first, from: first }\n", "");
    sandbox.write("runbooks/r.yaml", &less);
    run(&[]);
    let told = diff(&[]);
    assert!(
        told.contains("note: the runbook changed between the two"),
        "{told}"
    );
    sandbox.write("runbooks/s.yaml", less.replace("id: r", "id: s"));
    sandbox.windlass(&["run", "s"]).succeeds();
    let third = list(&sandbox)[0]["id"].as_str().unwrap().to_owned();
    let told = diff(&[&second, &third]);
    assert!(
        told.contains("note: runs of different runbooks: `r` and `s`"),
        "{told}"
    );
}

#[test]
fn long_diff_is_cut_with_its_count() {
    let sandbox = sandbox();
    sandbox.windlass(&["run", "r"]).succeeds();
    let many: String = (0..150).map(|at| format!("two {at}\n")).collect();
    sandbox.write("c.txt", &many);
    sandbox.windlass(&["run", "r"]).succeeds();
    let told = sandbox.windlass(&["runs", "diff"]).succeeds().stdout;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 103, "{told}");
    assert!(
        lines[101].ends_with(" more; `--format json` lists all"),
        "{told}"
    );
    assert!(lines[102].ends_with(" unchanged"), "{told}");
}

#[test]
fn item_beyond_cut_is_not_removed() {
    let sandbox = sandbox();
    let cut = "pattern: { $ref: '#/inputs/what' }, max_matches: 5";
    sandbox.edit("runbooks/r.yaml", "pattern: { $ref: '#/inputs/what' }", cut);
    let many: String = (0..9).map(|at| format!("two {at}\n")).collect();
    sandbox
        .write("c.txt", &many)
        .remove("a.txt")
        .remove("b.txt");
    sandbox.write("a.txt", "one\n");
    sandbox.windlass(&["run", "r"]).succeeds();
    // `b.txt` comes before `c.txt`, so one of the old matches is pushed beyond the cut.
    sandbox.write("b.txt", "two, and new\n");
    sandbox.windlass(&["run", "r"]).succeeds();
    let told = sandbox.windlass(&["runs", "diff"]).succeeds().stdout;
    assert!(told.contains("  + b.txt:1"), "{told}");
    assert!(
        told.contains("note: the later run cut a list: entries"),
        "{told}"
    );
    assert!(told.contains(" 0 removed"), "{told}");
    let json = sandbox.windlass(&["runs", "diff", "--format", "json"]);
    assert_eq!(json.succeeds().json()["changes"].get("removed"), None);
}

#[test]
fn secret_input_is_not_recorded() {
    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let sandbox = sandbox();
    let given = format!("what={TOKEN}");
    sandbox.windlass(&["run", "r", "-i", &given]).succeeds();
    for path in records(&sandbox) {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(!text.contains("ghp_0123"), "{text}");
    }
    // The record lacks the secret, so the user has to give it once more.
    let refused = sandbox.windlass(&["runs", "resume"]).exits_with(2);
    assert!(
        refused.stderr.contains("--input what="),
        "{}",
        refused.stderr
    );
    sandbox
        .windlass(&["runs", "resume", "-i", "what=one"])
        .succeeds();
    assert_eq!(
        steps(&sandbox),
        "find completed, first kept, pick completed"
    );
}

#[test]
fn run_succeeds_without_a_record() {
    let sandbox = sandbox();
    // Even the superuser can't write if there's a file in place of the folder.
    let state = sandbox.outside().join("state");
    std::fs::write(&state, "").unwrap();
    let mut command = sandbox.command(sandbox.root(), &["run", "r"]);
    let ran = answer(command.env("XDG_STATE_HOME", &state)).succeeds();
    assert!(ran.stdout.contains("a.txt:2"));
    assert_eq!(
        ran.stderr
            .matches("record of the run is incomplete")
            .count(),
        1,
        "{}",
        ran.stderr
    );
}

/// The limit on the file size acts like a full disk.
#[cfg(unix)]
#[test]
fn incomplete_record_says_so() {
    let sandbox = sandbox();
    let lines: String = (0..4_000).map(|line| format!("two {line}\n")).collect();
    sandbox.write("b.txt", &lines);
    let script = "ulimit -f 100; exec \"$0\" run r --max-chars 2000";
    let ran = answer(&mut sandbox.shell(sandbox.root(), script)).succeeds();
    assert!(
        ran.stderr.contains("record of the run is incomplete"),
        "{}",
        ran.stderr
    );
    let runs = list(&sandbox);
    assert_eq!(runs[0]["state"], "done", "it was not interrupted");
    assert_eq!(runs[0]["incomplete"], true);
    let shown = sandbox.windlass(&["runs", "show"]).succeeds();
    assert!(shown.stdout.contains("incomplete"), "{}", shown.stdout);
}

#[test]
fn concurrent_runs_have_own_records() {
    let sandbox = sandbox();
    let start = || {
        let mut command = sandbox.command(sandbox.root(), &["run", "r"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    for child in [start(), start(), start()] {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
    }
    let runs = list(&sandbox);
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run["state"] == "done"));
}

#[test]
fn damaged_record_warns_newer_is_refused() {
    let sandbox = sandbox();
    sandbox.windlass(&["run", "r"]).succeeds();
    let path = records(&sandbox).remove(0);
    let text = std::fs::read_to_string(&path).unwrap();
    // One line is broken in the middle, and another one at the end is cut off.
    let damaged = text.replacen("{\"at_us\"", "{\"at_", 1);
    std::fs::write(&path, format!("{damaged}{{\"end\"")).unwrap();
    let shown = sandbox.windlass(&["runs", "show"]).succeeds();
    assert!(
        shown.stderr.contains("damaged lines of the run record: 2"),
        "{}",
        shown.stderr
    );
    std::fs::write(
        &path,
        text.replacen("\"schema_version\":1", "\"schema_version\":9", 1),
    )
    .unwrap();
    let id = path.file_stem().unwrap().to_str().unwrap();
    let refused = sandbox.windlass(&["runs", "show", id]).exits_with(1);
    assert!(
        refused.stderr.contains("schema version 9"),
        "{}",
        refused.stderr
    );
    assert!(list(&sandbox).is_empty());
}

#[test]
fn shell_completes_run_ids() {
    let sandbox = sandbox();
    sandbox.windlass(&["run", "r"]).succeeds();
    let runs = list(&sandbox);
    let words = ["--", "windlass", "runs", "show", ""];
    let mut command = sandbox.command(sandbox.root(), &words);
    let offered = answer(command.env("WINDLASS_COMPLETE", "fish")).succeeds();
    let line = format!("{}\tr", runs[0]["id"].as_str().unwrap());
    assert!(
        offered.stdout.lines().any(|offer| offer == line),
        "{}",
        offered.stdout
    );
}

#[test]
fn list_limit_zero_means_no_limit() {
    let sandbox = sandbox();
    for _ in 0..2 {
        sandbox.windlass(&["run", "r"]).succeeds();
    }
    for (limit, expected) in [("0", 2), ("1", 1)] {
        let listed = sandbox.windlass(&["runs", "list", "--limit", limit, "--format", "json"]);
        let listed = listed.succeeds().json();
        assert_eq!(
            listed["runs"].as_array().unwrap().len(),
            expected,
            "{listed}"
        );
        let history = sandbox.windlass(&["notebook", "history", "--limit", limit]);
        history.succeeds();
    }
}
