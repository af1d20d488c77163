//! A pack's source notes, and how a rebuild checks them.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::Sandbox;
use crate::{built, sample};

/// Returns a text that contains a word of the goal but is too large to search.
fn large() -> String {
    "# retry failing steps\nx = 1\n".repeat(50_000)
}

/// Rebuilds the pack. Returns the report, with each source note and its state.
fn rebuilt(sandbox: &Sandbox, id: &str) -> (Value, Vec<(String, String)>) {
    let out = rebuilt_path(sandbox);
    let out = out.to_str().unwrap();
    let again = sandbox.windlass(&["pack", "rebuild", id, "--format", "json", "--out", out]);
    let again = again.json();
    let parts = again["parts"].as_array().unwrap().iter();
    let of_notes = parts.filter_map(|part| {
        let note = part["item"].as_str()?.strip_prefix("sourceNotes/")?;
        let state = part["state"].as_str()?;
        Some((note.to_owned(), state.to_owned()))
    });
    let notes = of_notes.collect();
    (again, notes)
}

fn rebuilt_path(sandbox: &Sandbox) -> PathBuf {
    sandbox.outside().join("now.json")
}

fn notes_now(sandbox: &Sandbox) -> Vec<String> {
    let text = std::fs::read(rebuilt_path(sandbox)).unwrap();
    let pack: Value = serde_json::from_slice(&text).unwrap();
    let notes = pack["sourceNotes"].as_array().cloned().unwrap_or_default();
    let notes = notes.iter().map(|it| it.as_str().unwrap().to_owned());
    notes.collect()
}

#[test]
fn outdated_note_is_reported_and_dropped() {
    let args = [
        "--plan",
        "docs/PLAN.md",
        "--file",
        "logo.bin",
        "--results",
        "out.txt",
    ];
    let cases: [(&str, &str, Option<&[u8]>, &str); 5] = [
        (
            "`docs/PLAN.md` is empty",
            "docs/PLAN.md",
            Some(b"# Plan\n"),
            "changed",
        ),
        ("`docs/PLAN.md` is empty", "docs/PLAN.md", None, "missing"),
        (
            "`logo.bin` is binary",
            "logo.bin",
            Some(b"text\n"),
            "changed",
        ),
        (
            "`out.txt` is empty",
            "out.txt",
            Some(b"nothing known\n"),
            "changed",
        ),
        ("`out.txt` is empty", "out.txt", None, "missing"),
    ];
    let sandbox = sample();
    for (begin, file, now, state) in cases {
        sandbox
            .write("docs/PLAN.md", "")
            .write("logo.bin", "\0\u{1}\0")
            .write("out.txt", "");
        let pack = built(&sandbox, &args);
        let id = pack["packId"].as_str().unwrap();
        assert_eq!(pack["sourceNotes"].as_array().unwrap().len(), 3, "{pack}");
        let (again, notes) = rebuilt(&sandbox, id);
        assert_eq!((&again["reproduced"], notes), (&true.into(), vec![]));
        match now {
            Some(text) => sandbox.write(file, text),
            None => sandbox.remove(file),
        };
        let (again, notes) = rebuilt(&sandbox, id);
        assert_eq!(notes.len(), 1, "{file}: {again}");
        assert!(notes[0].0.starts_with(begin), "{file}: {notes:?}");
        assert_eq!(notes[0].1, state, "{file}: {again}");
        let notes = notes_now(&sandbox);
        assert!(!notes.iter().any(|note| note.starts_with(begin)));
        // Without the note, the rebuilt pack is a different one.
        assert!(again["rebuiltId"] != *id, "{file}: {again}");
        assert!(again["reproduced"] == false, "{file}: {again}");
    }
}

#[test]
fn note_true_in_commit_is_reproduced() {
    let sandbox = sample();
    sandbox.write("docs/PLAN.md", "").commit("two");
    let pack = built(&sandbox, &["--plan", "docs/PLAN.md"]);
    let id = pack["packId"].as_str().unwrap();
    sandbox.write("docs/PLAN.md", "# Plan\n\nIt says something.\n");
    let (again, notes) = rebuilt(&sandbox, id);
    assert_eq!(again["reproduced"], true);
    assert_eq!(notes[0].1, "from_commit");
}

#[test]
fn note_covers_each_of_its_files() {
    let sandbox = sample();
    for file in ["a.py", "b.py", "c.py", "d.py"] {
        sandbox.write(file, large());
    }
    let pack = built(&sandbox, &[]);
    let id = pack["packId"].as_str().unwrap();
    let note = pack["sourceNotes"][0].as_str().unwrap();
    assert!(note.contains("`c.py`, 1 more"), "{note}");
    assert_eq!(rebuilt(&sandbox, id).0["reproduced"], true);
    // A file that the note counts without naming it is smaller now.
    sandbox.write("d.py", "x = 1\n");
    let (again, notes) = rebuilt(&sandbox, id);
    assert_eq!(notes, [(note.to_owned(), "changed".to_owned())], "{again}");
    assert!(again.to_string().contains("`d.py` changed"), "{again}");
    sandbox
        .write("d.py", large() + "# another\n")
        .remove("b.py");
    assert_eq!(rebuilt(&sandbox, id).1[0].1, "missing");
    sandbox.write("b.py", large());
    assert_eq!(rebuilt(&sandbox, id).1[0].1, "changed");
}

#[test]
fn unhashed_file_note_is_checked_by_size() {
    let sandbox = sample();
    sandbox.write("data.py", "# retry failing steps\n".repeat(420_000));
    let pack = built(&sandbox, &[]);
    let id = pack["packId"].as_str().unwrap();
    let items = pack["provenance"]["items"].as_array().unwrap();
    let of_note = |it: &&Value| it["item"].as_str().unwrap().starts_with("sourceNotes/");
    let origin = items.iter().find(of_note).unwrap();
    assert_eq!(origin["source"]["path"], "data.py");
    assert!(origin["source"].get("hash").is_none(), "{origin}");
    assert_eq!(rebuilt(&sandbox, id).1, []);
    sandbox.write("data.py", "# retry failing steps\n");
    assert_eq!(rebuilt(&sandbox, id).1[0].1, "changed");
}

#[test]
fn note_without_origin_is_unverified() {
    let sandbox = sample();
    sandbox.write("docs/PLAN.md", "").commit("two");
    let mut pack = built(&sandbox, &["--plan", "docs/PLAN.md"]);
    let items = pack["provenance"]["items"].as_array_mut().unwrap();
    items.retain(|it| !it["item"].as_str().unwrap().starts_with("sourceNotes/"));
    pack.as_object_mut().unwrap().remove("schema_version");
    sandbox.write("old.json", pack.to_string());
    let again = sandbox.windlass(&["pack", "rebuild", "old.json"]);
    let again = again.exits_with(1).stdout;
    for told in [
        "cannot be verified: the source of some parts is not recorded",
        "no_origin    sourceNotes/`docs/PLAN.md` is empty",
    ] {
        assert!(again.contains(told), "{again}");
    }
}

#[test]
fn outside_results_note_is_checked_there() {
    let sandbox = sample();
    let results = sandbox.outside().join("out.txt");
    std::fs::write(&results, "").unwrap();
    let pack = built(&sandbox, &["--results", results.to_str().unwrap()]);
    let id = pack["packId"].as_str().unwrap();
    assert_eq!(rebuilt(&sandbox, id).0["reproduced"], true);
    std::fs::write(&results, "3 passed in 0.1s\n").unwrap();
    assert_eq!(rebuilt(&sandbox, id).1[0].1, "changed");
    std::fs::remove_file(&results).unwrap();
    let (again, notes) = rebuilt(&sandbox, id);
    assert_eq!(notes[0].1, "unverified", "{again}");
    assert_eq!(notes_now(&sandbox), [&*notes[0].0]);
}

#[test]
fn merged_note_keeps_both_origins() {
    let sandbox = sample();
    let args = ["--plan", "docs/PLAN.md"];
    sandbox.write("docs/PLAN.md", "");
    let one = built(&sandbox, &args);
    sandbox.write("docs/PLAN.md", "\n\n");
    let two = built(&sandbox, &args);
    let ids = [&one, &two].map(|pack| pack["packId"].as_str().unwrap());
    let merge = ["pack", "merge", ids[0], ids[1], "--format", "json"];
    let merged = sandbox.windlass(&merge).succeeds().json();
    assert_eq!(merged["sourceNotes"], one["sourceNotes"]);
    let origins = merged["provenance"]["items"].as_array().unwrap().iter();
    let of_note = |it: &&Value| it["item"].as_str().unwrap().starts_with("sourceNotes/");
    assert_eq!(origins.filter(of_note).count(), 2, "{merged}");
    let id = merged["packId"].as_str().unwrap();
    // The note is right if it matches either of the two states.
    assert_eq!(rebuilt(&sandbox, id).1, []);
    sandbox.write("docs/PLAN.md", "# Plan\n");
    assert_eq!(rebuilt(&sandbox, id).1[0].1, "changed");
    assert_eq!(notes_now(&sandbox).len(), 0);
}
