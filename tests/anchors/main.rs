//! Adding, listing, checking and removing anchors, one or many at a time.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod add;
mod calls;
mod hostile;
mod lists;
#[cfg(unix)]
mod owner;
mod repair;
mod worktrees;

use std::process::Stdio;

use support::{Sandbox, answer, numbered};

fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 30))
        .write("src/b.rs", numbered(31, 60))
        .commit("x");
    sandbox
}

#[test]
fn anchor_add_to_remove_round_trip() {
    let sandbox = repository();
    let args = [
        "anchor",
        "add",
        "core",
        "src/a.rs:5-9",
        "src/b.rs:1",
        "-k",
        "contract",
        "-l",
        "The core",
        "-t",
        "api",
    ];
    sandbox.windlass(&args).succeeds();
    let listed = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(listed["anchors"][0]["id"], "core");
    assert_eq!(listed["anchors"][0]["kind"], "contract");
    assert_eq!(
        listed["anchors"][0]["evidence"].as_array().unwrap().len(),
        2
    );
    assert_eq!(
        sandbox
            .windlass(&["anchor", "list", "-k", "ci"])
            .succeeds()
            .stdout,
        "no anchors\n"
    );

    let shown = sandbox
        .windlass(&["anchor", "show", "core"])
        .succeeds()
        .stdout;
    assert!(
        shown.contains("line number 5") && shown.contains("line number 31"),
        "{shown}"
    );

    sandbox.windlass(&args).exits_with(5);
    let again = [&args[..], &["--replace"]].concat();
    sandbox.windlass(&again).succeeds();
    sandbox.windlass(&["anchor", "remove", "core"]).succeeds();
    let gone = sandbox
        .windlass(&["anchor", "remove", "core"])
        .exits_with(3);
    assert!(gone.stderr.contains("anchor list"), "{}", gone.stderr);
}

#[test]
fn paths_resolve_from_working_folder() {
    let sandbox = repository();
    sandbox
        .windlass_in(
            &sandbox.root().join("src"),
            &["anchor", "add", "x", "a.rs:1"],
        )
        .succeeds();
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    assert!(listed.contains("src/a.rs:1"), "{listed}");
}

#[cfg(unix)]
#[test]
fn special_file_names_are_accepted() {
    let sandbox = repository();
    for name in ["a:3.txt", "a:3", "x#y.rs"] {
        sandbox.write(name, "const FIRST: u8 = 1;\nfn first_of_all() {}\n");
    }
    for (id, place, saved) in [
        ("one", "a:3.txt:1", "a:3.txt:1\n"),
        ("two", "./a:3:1-2", "a:3:1-2\n"),
        ("three", "x#y.rs#first_of_all", "x#y.rs:2\n"),
        ("four", "x#y.rs:1", "x#y.rs:1\n"),
    ] {
        let added = sandbox.windlass(&["anchor", "add", id, place]).succeeds();
        assert!(
            added.stderr.contains(&format!("saved {id} at {saved}")),
            "{}",
            added.stderr
        );
        sandbox.windlass(&["anchor", "check", id]).succeeds();
    }
}

#[test]
fn check_reports_stale_and_fails() {
    let sandbox = repository();
    sandbox
        .windlass(&["anchor", "add", "up", "src/a.rs:10-12"])
        .succeeds();
    sandbox
        .windlass(&["anchor", "add", "down", "src/b.rs:10-12"])
        .succeeds();
    sandbox.windlass(&["anchor", "check"]).succeeds();
    sandbox.write("src/a.rs", format!("new\n{}", numbered(1, 30)));
    sandbox.edit("src/b.rs", "line number 41", "other");
    let checked = sandbox.windlass(&["anchor", "check"]).exits_with(1).stdout;
    assert!(checked.contains("now at src/a.rs:11-13"), "{checked}");
    assert!(checked.contains("0 of 2 fresh"), "{checked}");
    let lines = sandbox
        .windlass(&["anchor", "check", "--format", "jsonl"])
        .exits_with(1)
        .stdout;
    let down: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!(down["repair"]["outcome"], "edited");
    assert_eq!(down["repair"]["evidence"]["start_line"], 10);
    let named = sandbox
        .windlass(&["anchor", "check", "down", "up", "--format", "jsonl"])
        .exits_with(1)
        .stdout;
    assert!(
        named.lines().next().unwrap().contains("\"down\""),
        "in the order they were named: {named}"
    );
}

#[test]
fn concurrent_adds_lose_nothing() {
    let sandbox = repository();
    let children: Vec<_> = (0..8)
        .map(|n| {
            let place = format!("src/a.rs:{}", n + 1);
            let id = format!("a{n}");
            sandbox
                .command(sandbox.root(), &["anchor", "add", &id, &place])
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    assert_eq!(listed.lines().count(), 1 + 8, "{listed}");
}

#[test]
fn unwritable_home_is_an_error() {
    let sandbox = repository();
    let mut command = sandbox.command(sandbox.root(), &["anchor", "add", "x", "src/a.rs:1"]);
    let refused = answer(command.env("XDG_DATA_HOME", "/proc/nowhere"));
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("/proc/nowhere"),
        "{}",
        refused.stderr
    );
    // Printing an empty list would be wrong here, since we can't know the anchors.
    let mut command = sandbox.command(sandbox.root(), &["anchor", "list"]);
    let refused = answer(command.env_remove("HOME")).exits_with(1);
    assert!(refused.stderr.contains("`HOME`"), "{}", refused.stderr);
}

#[test]
fn show_json_has_current_text() {
    let sandbox = repository();
    for (id, place) in [
        ("same", "src/a.rs:1-2"),
        ("moved", "src/a.rs:12"),
        ("gone", "src/b.rs:5"),
        ("edited", "src/a.rs:20-25"),
    ] {
        sandbox.windlass(&["anchor", "add", id, place]).succeeds();
    }
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let moved = sandbox.read("src/a.rs").lines().nth(11).unwrap().to_owned();
    sandbox.edit("src/a.rs", &moved, &format!("new\n{moved}"));
    let lost = sandbox.read("src/b.rs").lines().nth(4).unwrap().to_owned();
    sandbox.edit("src/b.rs", &lost, &format!("other {secret}"));
    sandbox.edit("src/a.rs", "line number 22\n", "line number 22, edited\n");
    let shown = sandbox
        .windlass(&[
            "anchor", "show", "same", "moved", "gone", "edited", "--format", "json",
        ])
        .succeeds();
    let now = |at: usize| shown.json()["anchors"][at]["now"][0].clone();
    assert_eq!(now(0)["is"], "captured");
    assert_eq!(now(0)["text"].as_str().unwrap().lines().count(), 2);
    assert_eq!(
        (&now(1)["is"], &now(1)["start_line"]),
        (&"moved".into(), &13.into())
    );
    assert_eq!(now(1)["text"], moved);
    let edited = now(3);
    assert_eq!(
        (&edited["is"], &edited["start_line"]),
        (&"edited".into(), &21.into())
    );
    assert!(edited["text"].as_str().unwrap().contains("22, edited"));
    // None of the anchor's words are left in the line at its location.
    assert_eq!(now(2)["is"], "other");
    assert!(now(2)["text"].as_str().unwrap().starts_with("other "));
    assert!(!shown.stdout.contains(&secret[4..]));
}

#[test]
fn printed_calls_work_from_subfolder() {
    let sandbox = repository();
    // The subfolder has a file of the same name.
    sandbox.write("src/README.md", "another\nfile\n");
    sandbox.write("README.md", "# Use\n\nthe anchored line of the main file\n");
    sandbox
        .windlass(&["anchor", "add", "main", "README.md#Use"])
        .succeeds();
    sandbox.write("README.md", "one\n\n# Use\n\nquite another text by now\n");
    let inside = sandbox.root().join("src");
    let shown = sandbox.windlass_in(&inside, &["anchor", "show", "main"]);
    let shown = shown.succeeds().stdout;
    let call = "windlass anchor add main README.md#Use --replace --root ..";
    assert!(shown.replace('\'', "").contains(call), "{shown}");
    let words: Vec<&str> = call.split(' ').skip(1).collect();
    sandbox.windlass_in(&inside, &words).succeeds();
    sandbox
        .windlass_in(&inside, &["anchor", "check", "main"])
        .succeeds();
    // A typed path is relative to the subfolder.
    let typed = sandbox
        .windlass_in(&inside, &["anchor", "add", "own", "README.md:1"])
        .succeeds();
    let said = format!("{}{}", typed.stdout, typed.stderr);
    assert!(said.contains("src/README.md:1"), "{said}");
}

#[test]
fn edited_and_moved_text_is_located() {
    let sandbox = repository();
    for (id, place) in [("near", "src/a.rs:5-14"), ("far", "src/a.rs:20-29")] {
        sandbox.windlass(&["anchor", "add", id, place]).succeeds();
    }
    let old = sandbox.read("src/a.rs");
    let lines: Vec<&str> = old.lines().collect();
    let kept = lines[..19]
        .join("\n")
        .replace("number 8", "of another kind");
    sandbox
        .write("src/a.rs", format!("// new\n{kept}\n{}\n", lines[29]))
        .write("src/c.rs", lines[19..29].join("\n") + "\n");

    let checked = sandbox.windlass(&["anchor", "check", "--format", "json"]);
    let checked = checked.exits_with(1).json();
    let repair = |id: &str| {
        let anchors = checked["anchors"].as_array().unwrap().iter();
        let mut anchors = anchors.filter(|anchor| anchor["id"] == id);
        anchors.next().unwrap()["repair"].clone()
    };
    let (near, far) = (repair("near"), repair("far"));
    assert_eq!(near["outcome"], "edited");
    assert_eq!(near["method"], "alignment");
    assert_eq!(near["evidence"]["start_line"], 6);
    assert_eq!(near["evidence"]["end_line"], 15);
    assert_eq!(far["outcome"], "moved");
    assert_eq!(far["evidence"]["file"], "src/c.rs");
    assert_eq!(far["confidence"], 100);

    let text = sandbox.windlass(&["anchor", "check"]).exits_with(1).stdout;
    assert!(text.contains("now at src/a.rs:6-15, 9"), "{text}");
    assert!(text.contains("now at src/c.rs:1-10"), "{text}");
    let explained = sandbox.windlass(&["anchor", "check", "far", "--explain"]);
    let explained = explained.exits_with(1).stdout;
    assert!(explained.starts_with("moved  far\n  src/a.rs:20-29\n    place: "));
    assert!(
        explained.contains("    history: src/c.rs:1-10 has 100 %"),
        "{explained}"
    );
    sandbox
        .windlass(&["anchor", "check", "--explain", "--format", "json"])
        .exits_with(2);
}

#[test]
fn unshown_bytes_are_noted() {
    let sandbox = Sandbox::git();
    sandbox
        .write("bom.txt", b"\xef\xbb\xbffirst line with a mark before it\n")
        .write("latin.txt", b"one caf\xe9 line that is long enough\n")
        .write("cr.txt", "first part of it\rsecond part that follows\n")
        .write("crlf.txt", "first line of a file\r\n")
        .write("long.txt", format!("a long line {}\n", "x".repeat(50_000)));
    let names = ["bom", "cr", "crlf", "latin", "long"];
    for name in names {
        let place = format!("{name}.txt:1");
        sandbox
            .windlass(&["anchor", "add", name, &place])
            .succeeds();
    }
    let mut show = vec!["anchor", "show"];
    show.extend(names);
    let shown = sandbox.windlass(&show).succeeds();
    show.extend(["--format", "json"]);
    let json = sandbox.windlass(&show).succeeds().json();
    for (at, note) in [
        (0, "the byte order mark is not shown"),
        (1, "carriage returns"),
        (3, "not UTF-8"),
    ] {
        let line = shown.stdout.lines().find(|line| line.contains(note));
        assert!(line.is_some_and(|line| line.ends_with(&format!(": {}.txt", names[at]))));
        let notes = &json["anchors"][at]["now"][0]["notes"];
        assert!(notes[0].as_str().unwrap().contains(note), "{notes}");
    }
    let now = |at: usize| &json["anchors"][at]["now"][0];
    let notes = &now(2)["notes"];
    assert!(notes[0].as_str().unwrap().contains("CR LF"), "{notes}");
    assert_eq!(now(4)["long_lines_cut"], 1);
}
