//! Tests retention and ownership of run records.

use std::fs;
use std::path::{Path, PathBuf};

use windlass::store::{LineLog, RootedPath};
use windlass::{NotKept, RunError, RunState};

use crate::support::Sandbox;

const RUNBOOK: &str = "schema_version: 1\nid: r\nsteps:\n  - { id: s, uses: read, with: { file: a.txt } }\noutputs:\n  - { id: s, from: s }\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.txt", "one\n"), ("runbooks/r.yaml", RUNBOOK)])
}

fn folder(sandbox: &Sandbox) -> PathBuf {
    let workspace = sandbox.workspace();
    let state = workspace.site().dirs().unwrap().state;
    state
        .join("repos")
        .join(&workspace.site().repo().identity().repo_id)
        .join("runs")
        .path()
        .to_owned()
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

#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let below = |path: PathBuf| match path.is_dir() {
        true => files_in(&path),
        false => vec![path],
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(below).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn old_and_excess_records_are_removed() {
    let sandbox = sandbox();
    let folder = folder(&sandbox);
    // In these tests, the clock starts in 1970.
    let open =
        LineLog::create(&RootedPath::new(&folder).join("19690101-000000-0000.jsonl")).unwrap();
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
    assert_eq!(names.last().unwrap(), "19700101-000000-0008.jsonl");
    assert_eq!(names.len(), 2 + 100);
    drop(open);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn future_runs_do_not_displace_others() {
    let sandbox = sandbox();
    for _ in 0..2 {
        sandbox.run("r", None).0.unwrap();
    }
    let folder = folder(&sandbox);
    // Pretend that one of the runs starts ten days in the future.
    let record = fs::read_to_string(folder.join("19700101-000000-0008.jsonl")).unwrap();
    let future = record
        .replace("19700101-000000-0008", "19700111-000000-0008")
        .replace("1970-01-01T", "1970-01-11T");
    fs::write(folder.join("19700111-000000-0008.jsonl"), future).unwrap();
    let workspace = sandbox.workspace();
    let runs = workspace.runs().list(None, 9).unwrap();
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "19700101-000000-0009",
            "19700101-000000-0008",
            "19700111-000000-0008"
        ]
    );
    assert_eq!(
        workspace
            .runs()
            .records()
            .find_run("last")
            .unwrap()
            .as_str(),
        ids[0]
    );
    let compared = workspace
        .runs()
        .records()
        .compare_newest_runs(None)
        .unwrap();
    assert_eq!(
        [compared.after.as_str(), compared.before.as_str()],
        ids[..2]
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn wrong_clock_does_not_remove_all_records() {
    let sandbox = sandbox();
    let folder = folder(&sandbox);
    LineLog::create(&RootedPath::new(&folder).join("19691001-000000-0000.jsonl")).unwrap();
    for at in 1..20 {
        fs::write(folder.join(format!("19691001-000000-{at:04x}.jsonl")), "x").unwrap();
    }
    sandbox.run("r", None).0.unwrap();
    assert_eq!(names(&folder).len(), 10 + 1);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn record_of_other_worktree_is_hidden() {
    let sandbox = sandbox();
    sandbox.run("r", None).0.unwrap();
    let workspace = sandbox.workspace();
    let runs = workspace.runs().list(None, 9).unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].state, RunState::Ended(windlass::Ending::Done));
    let own = &workspace.site().repo().identity().root_fingerprint;
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
    assert_eq!(workspace.runs().list(None, 9).unwrap(), []);
    let missing = workspace.runs().records().find_run("last").unwrap_err();
    assert!(matches!(
        missing.get(),
        Some(RunError::NoSuchRun { any: false, .. })
    ));
}

#[test]
fn workspace_serves_many_runs() {
    let sandbox = sandbox();
    let workspace = sandbox.workspace();
    for _ in 0..20 {
        let refreshed = sandbox.run_in(&workspace, "r", None).0.unwrap();
        assert!(refreshed.notices.is_empty(), "{:?}", refreshed.notices);
    }
    assert_eq!(names(&folder(&sandbox)).len(), 20);
}

#[test]
fn same_second_runs_get_own_ids() {
    let sandbox = sandbox();
    for _ in 0..3 {
        let refreshed = sandbox.run("r", None).0.unwrap();
        assert!(refreshed.notices.is_empty(), "{:?}", refreshed.notices);
    }
    let names = names(&folder(&sandbox));
    assert_eq!(
        names,
        ["0008", "0009", "000a"].map(|seed| format!("19700101-000000-{seed}.jsonl"))
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn clean_up_skips_most_runs() {
    let sandbox = sandbox();
    let folder = folder(&sandbox);
    fs::create_dir_all(&folder).unwrap();
    for at in 0..130 {
        let path = folder.join(format!("19690101-000000-{at:04x}.jsonl"));
        fs::write(path, "{}\n").unwrap();
    }
    let left = [7, 16].map(|seed| {
        let workspace = sandbox.workspace_with_seed(seed);
        sandbox.run_in(&workspace, "r", None).0.unwrap();
        names(&folder).len()
    });
    // We always keep ten runs, no matter how old they are.
    assert_eq!(left, [131, 10 + 1]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "folders of the test's own")]
fn secret_file_names_are_not_recorded() {
    const RUNBOOK: &str = "schema_version: 1\nid: names\npolicy: { budget: { max_chars: 900 } }\nsteps:\n  \
        - { id: found, uses: search, with: { pattern: needle } }\n  \
        - { id: all, uses: files, with: { globs: ['**/*.txt'] } }\n  \
        - { id: other, uses: read, with: { file: plain.txt } }\n\
        outputs:\n  - { id: found, from: found }\n";
    for secret in [
        "ghp_0123456789abcdefghijABCDEFGHIJ456789",
        "api_key=9f8e7d6c5b4a39281706f5e4d3c2b1a0",
        "AKIAY3FDRNGT7QW2ZLKP",
    ] {
        let file = format!("notes/{secret}.txt");
        let runbook = format!("runbooks/r-{secret}.yaml");
        let text = "a needle in a line of some length\n".repeat(40);
        let sandbox = Sandbox::with(&[(&file, &text), ("plain.txt", "one\n"), (&runbook, RUNBOOK)]);
        let refreshed = sandbox.run(&runbook, None).0.unwrap();
        assert_eq!(
            refreshed.cursors_lost,
            Some(NotKept::SecretName),
            "{secret}"
        );
        let [notice] = &refreshed.notices[..] else {
            panic!("{:?}", refreshed.notices);
        };
        assert!(notice.contains("contains a secret value"), "{notice}");

        let workspace = sandbox.workspace();
        let home = workspace.site().dirs().unwrap();
        for file in [home.state, home.data]
            .iter()
            .flat_map(|dir| files_in(dir.path()))
        {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains(secret), "{}: {text}", file.display());
        }
        let id = workspace.runs().records().find_run("last").unwrap();
        let record = workspace.runs().records().run_record(&id).unwrap();
        assert!(record.head.runbook.file.contains("[redacted:"), "{secret}");
        assert_eq!(record.head.runbook.call, None);
        let steps: Vec<String> = record.steps().into_iter().map(|step| step.step).collect();
        assert_eq!(steps, ["found", "all", "other"]);
    }
}
