//! Which records of runs are kept, and whose they are.

use std::fs;
use std::path::{Path, PathBuf};

use windlass::store::LineLog;
use windlass::{Error, RunState};

use crate::support::Sandbox;

const RUNBOOK: &str = "schema_version: 1\nid: r\nsteps:\n  - { id: s, uses: read, with: { file: a.txt } }\noutputs:\n  - { id: s, from: s }\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.txt", "one\n"), ("runbooks/r.yaml", RUNBOOK)])
}

fn folder(sandbox: &Sandbox) -> PathBuf {
    let workspace = sandbox.workspace();
    let state = workspace.dirs().unwrap().state;
    state
        .join("repos")
        .join(&workspace.repo().identity().repo_id)
        .join("runs")
}

#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn old_records_and_too_many_are_removed_but_not_while_they_are_written() {
    let sandbox = sandbox();
    let folder = folder(&sandbox);
    // The clock of these tests stands at the beginning of 1970.
    let open = LineLog::create(&folder.join("19690101-000000-0000.jsonl")).unwrap();
    fs::write(folder.join("19691130-000000-0000.jsonl"), "old").unwrap();
    fs::write(folder.join("19690101-000000-0000.txt"), "no record").unwrap();
    for at in 0..110 {
        fs::write(folder.join(format!("19691231-000000-{at:04x}.jsonl")), "x").unwrap();
    }
    sandbox.run("r", None).0.unwrap();
    let names = names(&folder);
    let first: Vec<&str> = names.iter().map(String::as_str).take(3).collect();
    assert_eq!(
        first,
        [
            "19690101-000000-0000.jsonl",
            "19690101-000000-0000.txt",
            "19691231-000000-000b.jsonl"
        ]
    );
    assert_eq!(names.last().unwrap(), "19700101-000000-0007.jsonl");
    assert_eq!(names.len(), 2 + 100);
    drop(open);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn a_record_of_another_working_tree_is_not_shown() {
    let sandbox = sandbox();
    sandbox.run("r", None).0.unwrap();
    let workspace = sandbox.workspace();
    let runs = workspace.runs(None, 9).unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].state, RunState::Ended(windlass::Ending::Done));
    let own = &workspace.repo().identity().root_fingerprint;
    let other = own.chars().rev().collect::<String>();
    let path = folder(&sandbox).join(format!("{}.jsonl", runs[0].id));
    let text = fs::read_to_string(&path).unwrap();
    let needle = format!("\"root_fingerprint\":\"{own}\"");
    assert!(text.contains(&needle));
    fs::write(
        &path,
        text.replace(&needle, &format!("\"root_fingerprint\":\"{other}\"")),
    )
    .unwrap();
    assert_eq!(workspace.runs(None, 9).unwrap(), []);
    assert!(matches!(
        workspace.find_run("last"),
        Err(Error::NoSuchRun { any: false, .. })
    ));
}

#[test]
fn runs_of_one_second_have_names_of_their_own() {
    let sandbox = sandbox();
    for _ in 0..3 {
        let refreshed = sandbox.run("r", None).0.unwrap();
        assert!(refreshed.notices.is_empty(), "{:?}", refreshed.notices);
    }
    let names = names(&folder(&sandbox));
    assert_eq!(
        names,
        ["0007", "0008", "0009"].map(|seed| format!("19700101-000000-{seed}.jsonl"))
    );
}
