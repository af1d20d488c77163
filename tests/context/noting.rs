//! Whether notes on what a pack was made of hold still, when it is made again.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::Sandbox;
use crate::{built, sample};

/// More than is looked into, with a word of the goal.
fn large() -> String {
    "# retry failing steps\nx = 1\n".repeat(50_000)
}

/// What `pack rebuild` says, and of each note that it tells of its state.
fn rebuilt(sandbox: &Sandbox, id: &str) -> (Value, Vec<(String, String)>) {
    let out = made_again(sandbox);
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

/// Where the pack is that was made again last.
fn made_again(sandbox: &Sandbox) -> PathBuf {
    sandbox.outside().join("now.json")
}

/// Its notes.
fn notes_now(sandbox: &Sandbox) -> Vec<String> {
    let text = std::fs::read(made_again(sandbox)).unwrap();
    let pack: Value = serde_json::from_slice(&text).unwrap();
    let notes = pack["sourceNotes"].as_array().cloned().unwrap_or_default();
    let notes = notes.iter().map(|it| it.as_str().unwrap().to_owned());
    notes.collect()
}

#[test]
fn a_note_that_no_longer_holds_is_told_and_left_out() {
    let args = [
        "--plan",
        "docs/PLAN.md",
        "--file",
        "logo.bin",
        "--results",
        "out.txt",
    ];
    let cases: [(&str, &str, Option<&[u8]>, &str); 8] = [
        (
            "`docs/PLAN.md` is empty",
            "docs/PLAN.md",
            Some(b"# Plan\n"),
            "changed",
        ),
        (
            "`docs/PLAN.md` is empty",
            "docs/PLAN.md",
            Some(b" \n\n"),
            "lines_same",
        ),
        ("`docs/PLAN.md` is empty", "docs/PLAN.md", None, "missing"),
        (
            "`logo.bin` is binary",
            "logo.bin",
            Some(b"text\n"),
            "changed",
        ),
        (
            "`logo.bin` is binary",
            "logo.bin",
            Some(b"\0other\n"),
            "lines_same",
        ),
        (
            "`out.txt` is empty",
            "out.txt",
            Some(b"nothing known\n"),
            "changed",
        ),
        ("`out.txt` is empty", "out.txt", Some(b"\n\n"), "lines_same"),
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
        let is_said = notes_now(&sandbox)
            .iter()
            .any(|note| note.starts_with(begin));
        assert_eq!(is_said, state == "lines_same", "{file}: {again}");
        // Without it, what is made is another pack.
        assert!(is_said || again["rebuiltId"] != *id, "{file}: {again}");
        assert!(is_said || again["reproduced"] == false, "{file}: {again}");
    }
}

#[test]
fn what_a_commit_of_that_time_has_is_said_with_what_is_so_now() {
    let sandbox = sample();
    sandbox.write("docs/PLAN.md", "").commit("two");
    let pack = built(&sandbox, &["--plan", "docs/PLAN.md"]);
    let id = pack["packId"].as_str().unwrap();
    sandbox.write("docs/PLAN.md", "# Plan\n\nIt says something.\n");
    let (again, notes) = rebuilt(&sandbox, id);
    assert_eq!(again["reproduced"], true);
    assert_eq!(notes[0].1, "from_commit");
    assert!(
        again.to_string().contains("it does not hold of that"),
        "{again}"
    );
}

#[test]
fn a_note_on_many_files_is_on_each_of_them() {
    let sandbox = sample();
    for file in ["a.py", "b.py", "c.py", "d.py"] {
        sandbox.write(file, large());
    }
    let pack = built(&sandbox, &[]);
    let id = pack["packId"].as_str().unwrap();
    let note = pack["sourceNotes"][0].as_str().unwrap();
    assert!(note.contains("`c.py`, 1 more"), "{note}");
    assert_eq!(rebuilt(&sandbox, id).0["reproduced"], true);
    // One that it does not name is smaller now.
    sandbox.write("d.py", "x = 1\n");
    let (again, notes) = rebuilt(&sandbox, id);
    assert_eq!(notes, [(note.to_owned(), "changed".to_owned())], "{again}");
    assert!(
        again.to_string().contains("does not hold of `d.py`"),
        "{again}"
    );
    sandbox
        .write("d.py", large() + "# another\n")
        .remove("b.py");
    assert_eq!(rebuilt(&sandbox, id).1[0].1, "missing");
    sandbox.write("b.py", large());
    assert_eq!(rebuilt(&sandbox, id).1[0].1, "lines_same");
}

#[test]
fn a_note_on_a_file_that_is_not_hashed_is_looked_at_by_its_size() {
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
fn a_note_without_an_origin_is_not_said_to_hold() {
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
fn notes_on_results_of_elsewhere_are_looked_at_where_these_were() {
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
fn packs_that_were_merged_keep_what_both_notes_are_on() {
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
    // One of the two states is as good as the other.
    assert_eq!(rebuilt(&sandbox, id).1, []);
    sandbox.write("docs/PLAN.md", "# Plan\n");
    assert_eq!(rebuilt(&sandbox, id).1[0].1, "changed");
    assert_eq!(notes_now(&sandbox).len(), 0);
}
