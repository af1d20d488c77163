//! Saving anchors: input that's accepted, input that's refused, and the fields kept by a
//! replacement.

use std::io::Write as _;
use std::process::Stdio;

use crate::repository;
use crate::support::Sandbox;

#[test]
fn anchor_add_from_is_all_or_nothing() {
    let sandbox = repository();
    let lines = |last: &str| {
        format!(
            "{{\"id\":\"one\",\"file\":\"src/a.rs\",\"start_line\":1,\"end_line\":2,\"symbol\":\"f\"}}\n{last}\n"
        )
    };
    sandbox.write(
        "bad.jsonl",
        lines(r#"{"id":"two","file":"src/a.rs","start_line":99}"#),
    );
    let refused = sandbox
        .windlass(&["anchor", "add", "--from", "bad.jsonl"])
        .exits_with(2);
    assert!(
        refused
            .stderr
            .contains("error[anchor-capture]: `two`: `src/a.rs` has 30 lines")
            && refused.stderr.contains("bad.jsonl:2:1"),
        "{}",
        refused.stderr
    );
    sandbox.write(
        "bad.jsonl",
        lines(r#"{"id":"two","fiel":"src/a.rs","start_line":9}"#),
    );
    let refused = sandbox
        .windlass(&["anchor", "add", "--from", "bad.jsonl"])
        .exits_with(2);
    assert!(
        refused.stderr.contains("bad.jsonl:2:18")
            && refused.stderr.contains("unknown field `fiel`"),
        "{}",
        refused.stderr
    );
    // The first line was fine, but isn't saved without the second.
    assert_eq!(
        sandbox.windlass(&["anchor", "list"]).succeeds().stdout,
        "no anchors\n"
    );

    let good = lines(r#"{"id":"two","file":"src/b.rs","start_line":3}"#);
    let mut command = sandbox.command(sandbox.root(), &["anchor", "add", "--from", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(good.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    let checked = sandbox
        .windlass(&["anchor", "check", "--format", "jsonl"])
        .succeeds()
        .stdout;
    let ids: Vec<String> = checked
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            format!(
                "{} {}",
                value["id"].as_str().unwrap(),
                value["status"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(ids, ["one fresh", "two fresh"]);
}

#[test]
fn uncapturable_places_are_refused() {
    let sandbox = repository();
    sandbox.write("bin", b"a\0b");
    for (place, code, reason) in [
        ("src/a.rs:99", 2, "30 lines"),
        ("src/none.rs:1", 3, "does not exist"),
        ("src:1", 2, "folder"),
        ("bin:1", 2, "binary"),
        ("../etc:1", 2, "leads upwards"),
        ("src/a.rs", 2, "is not a place"),
        ("src/a.rs:0", 2, "counted from 1"),
        ("src/a.rs:5-2", 2, "before the first"),
    ] {
        let answer = sandbox
            .windlass(&["anchor", "add", "x", place])
            .exits_with(code);
        assert!(answer.stderr.contains(reason), "{place}: {}", answer.stderr);
    }
    assert_eq!(
        sandbox.windlass(&["anchor", "list"]).succeeds().stdout,
        "no anchors\n"
    );
}

#[test]
fn replace_keeps_omitted_fields() {
    let sandbox = repository();
    let args = [
        "anchor",
        "add",
        "core",
        "src/a.rs:5-9",
        "-k",
        "contract",
        "-l",
        "The core",
        "-t",
        "api",
    ];
    sandbox.windlass(&args).succeeds();
    sandbox
        .windlass(&["anchor", "add", "core", "src/a.rs:6-10", "--replace"])
        .succeeds();
    let listed = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    let core = &listed["anchors"][0];
    assert_eq!(core["evidence"][0]["start_line"], 6);
    assert_eq!(
        (&core["kind"], &core["label"], &core["tags"][0]),
        (&"contract".into(), &"The core".into(), &"api".into())
    );
}

#[test]
fn repeated_mistakes_are_summarised() {
    let sandbox = repository();
    let line = |nr: usize| match nr {
        30 => "nothing\n".to_owned(),
        _ => format!("{{\"id\":\"a{nr}\",\"fiel\":\"src/a.rs\",\"line\":{nr}}}\n"),
    };
    sandbox.write("bad.jsonl", (1..=60).map(line).collect::<String>());
    let refused = sandbox
        .windlass(&["anchor", "add", "--from", "bad.jsonl"])
        .exits_with(2)
        .stderr;
    assert_eq!(refused.matches(" --> bad.jsonl:").count(), 6, "{refused}");
    assert!(
        refused.contains("54 more findings of `anchor-field`: lines 6-29, 31-60"),
        "{refused}"
    );
    assert!(refused.contains("bad.jsonl:30:2"), "{refused}");

    let checked = sandbox
        .windlass(&["check", "bad.jsonl", "--format", "json"])
        .exits_with(2)
        .stdout;
    for nr in 1..=60 {
        assert!(checked.contains(&format!("\"line\":{nr},")), "{nr}");
    }
}

#[test]
fn symbol_place_resolves_to_definition() {
    let sandbox = repository();
    sandbox.write(
        "src/c.rs",
        "struct A;\nimpl A {\n    /// Runs.\n    fn run() {\n    }\n}\nimpl B {\n    fn run() {}\n}\n",
    );
    sandbox
        .windlass(&["anchor", "add", "run", "src/c.rs#A::run"])
        .succeeds();
    let shown = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    let evidence = &shown["anchors"][0]["evidence"][0];
    // The doc comment is part of the definition.
    assert_eq!(
        (&evidence["start_line"], &evidence["end_line"]),
        (&3.into(), &5.into())
    );

    let several = ["anchor", "add", "other", "src/c.rs#run"];
    let answer = sandbox.windlass(&several).exits_with(2);
    assert!(
        answer.stderr.contains("`B::run` on lines 8"),
        "{}",
        answer.stderr
    );
    let none = ["anchor", "add", "other", "src/c.rs#rnu"];
    let answer = sandbox.windlass(&none).exits_with(3);
    assert!(
        answer.stderr.contains("did you mean `run`?"),
        "{}",
        answer.stderr
    );
}

fn core(sandbox: &Sandbox) -> serde_json::Value {
    let shown = sandbox.windlass(&["anchor", "show", "core", "--format", "json"]);
    shown.succeeds().json()["anchors"][0]["anchor"].clone()
}

#[test]
fn replace_keeps_locator_only_if_valid() {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.rs", "fn one() {\n    1\n}\n\nfn two() {\n    2\n}\n")
        .write(
            "lines.jsonl",
            "{\"id\":\"core\",\"file\":\"a.rs\",\"start_line\":1,\"end_line\":2}\n",
        )
        .write(
            "far.jsonl",
            "{\"id\":\"core\",\"file\":\"a.rs\",\"start_line\":6}\n",
        );
    let edit = |at: &str| {
        format!(
            "{{\"operations\": [{{\"op\": \"upsert_anchor\", \"anchor\": {{\"id\": \"core\", \"at\": [\"{at}\"]}}}}]}}"
        )
    };
    sandbox
        .write("near.json", edit("a.rs:1-2"))
        .write("far.json", edit("a.rs:6"));
    let first = [
        "anchor",
        "add",
        "core",
        "a.rs#one",
        "-k",
        "contract",
        "-l",
        "Core",
        "-t",
        "api",
        "--zone",
        "*.rs",
        "--replace",
    ];
    for (near, far) in [
        (
            &["anchor", "add", "core", "a.rs:1-2", "--replace"][..],
            &["anchor", "add", "core", "a.rs:6", "--replace"][..],
        ),
        (
            &["anchor", "add", "--from", "lines.jsonl", "--replace"],
            &["anchor", "add", "--from", "far.jsonl", "--replace"],
        ),
        (
            &["notebook", "edit", "near.json"],
            &["notebook", "edit", "far.json"],
        ),
    ] {
        sandbox.windlass(&first).succeeds();
        for (call, symbol) in [(near, Some("one")), (far, None)] {
            sandbox.windlass(call).succeeds();
            let anchor = core(&sandbox);
            assert_eq!(
                anchor["locator"]["value"].as_str(),
                symbol,
                "{call:?}: {anchor}"
            );
            for (field, value) in [
                ("kind", serde_json::json!("contract")),
                ("label", "Core".into()),
                ("tags", serde_json::json!(["api"])),
                ("zone", serde_json::json!(["*.rs"])),
            ] {
                assert_eq!(anchor[field], value, "{call:?}");
            }
        }
    }
}

#[test]
fn invalid_zone_glob_is_refused() {
    let sandbox = repository();
    sandbox
        .write("z.jsonl", "{\"id\":\"z\",\"file\":\"src/a.rs\",\"start_line\":1,\"zone\":[\"[\"]}\n")
        .write(
            "z.json",
            "{\"operations\": [{\"op\": \"upsert_anchor\", \"anchor\": {\"id\": \"z\", \"at\": [\"src/a.rs:1\"], \"zone\": [\"[\"]}}]}",
        );
    for call in [
        &["anchor", "add", "z", "src/a.rs:1", "--zone", "["][..],
        &["anchor", "add", "--from", "z.jsonl"],
        &["notebook", "edit", "z.json"],
    ] {
        let refused = sandbox.windlass(call).exits_with(2);
        assert!(
            refused.stderr.contains("`[` is not a glob"),
            "{call:?}: {}",
            refused.stderr
        );
    }
    // None of the calls has saved anything.
    sandbox.windlass(&["anchor", "show", "z"]).exits_with(3);
}

#[cfg(unix)]
#[test]
fn input_files_may_be_pipes() {
    let sandbox = Sandbox::git();
    sandbox.write("a.rs", "fn a() {}\nfn b() {}\n");
    let lines = r#"{"id":"one","file":"a.rs","start_line":1}"#;
    // A pipe has no size, and can be read only once.
    let fifo = sandbox.outside().join("lines");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let writer = {
        let fifo = fifo.clone();
        std::thread::spawn(move || std::fs::write(fifo, format!("{lines}\n")).unwrap())
    };
    let name = fifo.to_string_lossy().into_owned();
    sandbox
        .windlass(&["anchor", "add", "--from", &name])
        .succeeds();
    writer.join().unwrap();

    let edit = r#"[{"op":"delete_anchor","id":"one"}]"#;
    let writer = std::thread::spawn(move || std::fs::write(fifo, format!("{edit}\n")).unwrap());
    sandbox.windlass(&["notebook", "edit", &name]).succeeds();
    writer.join().unwrap();
    let list = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    assert!(!list.contains("one"), "{list}");
}
