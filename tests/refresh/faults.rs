//! Files that vanish, change their kind, or never end.

use crate::support::{Sandbox, numbered};

const RUNBOOK: &str = "
schema_version: 1
id: all
policy: { freshness: repair }
steps:
  - { id: anchors, uses: anchors }
outputs:
  - { id: anchors, from: anchors }
";

fn anchored(file: &str, text: impl AsRef<[u8]>) -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("runbooks/all.yaml", RUNBOOK)
        .write(file, text)
        .commit("x");
    sandbox
        .windlass(&["anchor", "add", "it", &format!("{file}:2-3")])
        .succeeds();
    sandbox
}

#[track_caller]
fn verdict(sandbox: &Sandbox) -> (String, String) {
    let pack = sandbox.windlass(&["run", "all", "--format", "json"]).json();
    let evidence = &pack["sections"][0]["items"][0]["evidence"][0];
    assert!(
        evidence["status"] == "fresh" || evidence.get("text").is_none(),
        "{evidence}"
    );
    (
        evidence["status"].as_str().unwrap().to_owned(),
        evidence["reason"].as_str().unwrap_or("").to_owned(),
    )
}

#[test]
fn every_file_fault_has_status_and_reason() {
    let sandbox = anchored("f.txt", numbered(1, 5));
    assert_eq!(verdict(&sandbox).0, "fresh");

    sandbox.write("f.txt", "one line\n");
    assert_eq!(
        verdict(&sandbox),
        (
            "span_invalid".into(),
            "the file has 1 line, so lines 2-3 are not in it".into()
        )
    );

    sandbox.write("f.txt", "");
    assert_eq!(
        verdict(&sandbox),
        ("span_invalid".into(), "the file is empty".into())
    );

    sandbox.write("f.txt", b"line\0\nline number 2\nline number 3\n");
    assert_eq!(
        verdict(&sandbox),
        ("unknown".into(), "the file is binary".into())
    );

    sandbox.remove("f.txt");
    assert_eq!(
        verdict(&sandbox),
        ("missing_file".into(), "it does not exist".into())
    );

    std::fs::create_dir(sandbox.root().join("f.txt")).unwrap();
    assert_eq!(
        verdict(&sandbox),
        ("missing_file".into(), "it is a folder".into())
    );
    std::fs::remove_dir(sandbox.root().join("f.txt")).unwrap();

    std::process::Command::new("mkfifo")
        .arg(sandbox.root().join("f.txt"))
        .status()
        .unwrap();
    let (status, reason) = verdict(&sandbox);
    assert_eq!(status, "unknown");
    assert!(reason.contains("pipe"), "{reason}");
    sandbox.remove("f.txt");

    std::fs::File::create(sandbox.root().join("f.txt"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    let (status, reason) = verdict(&sandbox);
    assert_eq!(status, "unknown");
    assert!(
        reason.contains("64 MiB") || reason.contains("limit"),
        "{reason}"
    );
}

#[test]
fn renamed_file_is_missing_with_hint() {
    let sandbox = anchored("f.txt", numbered(1, 5));
    sandbox.run_git(&["mv", "f.txt", "g.txt"]);
    let pack = sandbox.windlass(&["run", "all", "--format", "json"]).json();
    let evidence = &pack["sections"][0]["items"][0]["evidence"][0];
    assert_eq!(evidence["status"], "missing_file");
    assert_eq!(evidence["repair"]["outcome"], "moved");
    assert_eq!(evidence["repair"]["evidence"]["file"], "g.txt");
    // With two equal files, we can't know the new name.
    sandbox.write("h.txt", numbered(1, 5));
    assert_eq!(verdict(&sandbox).0, "missing_file");
}

#[test]
fn line_ends_and_bom_are_not_stale() {
    let sandbox = anchored("f.txt", numbered(1, 5));
    sandbox.write("f.txt", numbered(1, 5).replace('\n', "\r\n"));
    let (status, reason) = verdict(&sandbox);
    assert_eq!(status, "fresh");
    let said = "the file's line ends changed from LF to CRLF, its text did not";
    assert_eq!(reason, said);
    sandbox.write("f.txt", format!("\u{feff}{}", numbered(1, 5)));
    assert_eq!(verdict(&sandbox).0, "fresh");
}

#[test]
fn copy_is_not_the_original() {
    let twin = format!("{}{}{}", numbered(1, 3), "x\n", numbered(2, 3));
    let sandbox = anchored("f.txt", &twin);
    // The anchored first copy is deleted, but the second one stays.
    sandbox.write("f.txt", format!("line number 1\nx\n{}", numbered(2, 3)));
    let (status, _) = verdict(&sandbox);
    assert_eq!(status, "stale_hash_mismatch");
    let pack = sandbox.windlass(&["run", "all", "--format", "json"]).json();
    let repair = &pack["sections"][0]["items"][0]["evidence"][0]["repair"];
    // The remaining copy hasn't moved, so it isn't claimed to be the anchored one.
    assert_eq!(repair["outcome"], "ambiguous");
    assert_eq!(repair["evidence"], serde_json::Value::Null);
}

#[test]
fn damaged_or_newer_notebook_is_kept() {
    let sandbox = anchored("f.txt", numbered(1, 5));
    let notebook = notebook(&sandbox);
    let whole = std::fs::read_to_string(&notebook).unwrap();

    for broken in [&whole[..20], "", "not json"] {
        std::fs::write(&notebook, broken).unwrap();
        let answer = sandbox.windlass(&["anchor", "add", "more", "f.txt:1"]);
        assert_ne!(answer.code, 0);
        assert!(answer.stderr.contains("notebook.json"), "{}", answer.stderr);
        assert_eq!(std::fs::read_to_string(&notebook).unwrap(), broken);
    }

    let newer = whole.replace("\"schema_version\":1", "\"schema_version\":99");
    std::fs::write(&notebook, &newer).unwrap();
    let answer = sandbox.windlass(&["anchor", "add", "more", "f.txt:1"]);
    assert!(
        answer.code != 0 && answer.stderr.contains("99"),
        "{}",
        answer.stderr
    );
    assert_eq!(std::fs::read_to_string(&notebook).unwrap(), newer);
}

#[test]
fn foreign_notebook_is_refused() {
    let (one, two) = (
        anchored("f.txt", numbered(1, 5)),
        anchored("f.txt", numbered(1, 5)),
    );
    std::fs::copy(notebook(&one), notebook(&two)).unwrap();
    let answer = two.windlass(&["anchor", "list"]).exits_with(4);
    assert!(
        answer.stderr.contains("another repository"),
        "{}",
        answer.stderr
    );
}

#[test]
fn disabled_notebook_is_not_read_or_written() {
    let sandbox = anchored("f.txt", numbered(1, 5));
    let off = |args: &[&str]| {
        let mut command = sandbox.command(sandbox.root(), args);
        crate::support::answer(command.env("WINDLASS_NOTEBOOK", "off"))
    };
    // Printing an empty list would be wrong here, since the notebook isn't read.
    for args in [
        &["anchor", "list"][..],
        &["anchor", "check", "--format", "jsonl"],
        &["anchor", "add", "x", "f.txt:1"],
    ] {
        let refused = off(args).exits_with(4);
        assert!(
            refused.stderr.contains("switched off"),
            "{}",
            refused.stderr
        );
    }
    off(&["run", "all"]).succeeds();
}

fn notebook(sandbox: &Sandbox) -> std::path::PathBuf {
    let repos = sandbox.home().join(".local/share/windlass/repos");
    let repo = std::fs::read_dir(repos).unwrap().next().unwrap().unwrap();
    repo.path().join("notebook.json")
}

#[test]
fn anchor_with_bad_lines_is_never_fresh() {
    let sandbox = anchored("f.txt", numbered(1, 5));
    let notebook = notebook(&sandbox);
    let whole = std::fs::read_to_string(&notebook).unwrap();
    for broken in [
        whole.replace("\"start_line\":2", "\"start_line\":0"),
        whole.replace("\"end_line\":3", "\"end_line\":1"),
    ] {
        assert_ne!(broken, whole);
        std::fs::write(&notebook, broken).unwrap();
        let answer = sandbox.windlass(&["run", "all"]).succeeds();
        let unknown = "anchors  unknown: parts of the notebook cannot be used: anchor `it`";
        assert!(answer.stdout.contains(unknown), "{}", answer.stdout);
        assert!(answer.stderr.contains("anchor `it`"), "{}", answer.stderr);
        sandbox.windlass(&["anchor", "check"]).exits_with(1);
    }
}

#[test]
fn hidden_step_failure_is_named() {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", "text\n").write(
        "runbooks/h.yaml",
        "schema_version: 1\nid: h\nsteps:\n  - { id: hidden, uses: read, with: { file: missing.txt } }\n  - { id: k, uses: files }\n  - { id: after, uses: files, needs: [hidden] }\noutputs: [{ id: k, from: k }, { id: after, from: after }]\n",
    );
    let answer = sandbox.windlass(&["run", "h"]).exits_with(1).stdout;
    assert!(
        answer.contains("note: step `hidden` failed: `missing.txt` cannot be read"),
        "{answer}"
    );
    assert!(
        answer.contains("needs `hidden`, which failed: `missing.txt`"),
        "{answer}"
    );
}
