//! Tests the access of plugins to files and anchors, and the limits of that access.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_engine::{ErrorKind, StepError};
use windlass_plan::Capability;

use crate::support::{Guest, PASS_ON, READS, TestWorld, asking, everything, host};

/// Creates a guest that reads lines 2 to 3 of a file, whose name is its input as a JSON string.
fn reader() -> Guest {
    Guest {
        purity: READS,
        imports: r#"(import "windlass:step/evidence@1.0.0" "read" (func $read (param i32 i32 i32 i32 i32)))"#.to_owned(),
        run: r"(call $read (i32.add (local.get $at) (i32.const 1)) (i32.sub (local.get $len) (i32.const 2))
            (i32.const 2) (i32.const 3) (i32.const 256))"
            .to_owned()
            + PASS_ON,
        ..Guest::default()
    }
}

fn ask(guest: &Guest, files: &[(&str, &str)], input: &Value) -> Result<Value, StepError> {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let world = TestWorld::of(folder.path());
    guest.plugin(&host()).try_once(input, everything(), world)
}

#[test]
fn read_lines_has_evidence() {
    let files = [("src/a.rs", "one\ntwo\nthree\nfour\n"), (".env", "A=1\n")];
    let read = |file: &str| ask(&reader(), &files, &json!(file));
    let given = read("src/a.rs").unwrap();
    assert_eq!(
        given["lines"],
        json!([{ "number": 2, "text": "two" }, { "number": 3, "text": "three" }])
    );
    assert_eq!(given["line_count"], 4);
    let evidence = &given["evidence"];
    assert_eq!(
        (
            &evidence["file"],
            &evidence["start_line"],
            &evidence["end_line"]
        ),
        (&json!("src/a.rs"), &json!(2), &json!(3))
    );
    assert!(
        evidence["source_hash"]
            .as_str()
            .unwrap()
            .starts_with("sha256:")
    );
    let refused = |file: &str| read(file).unwrap_err().message;
    assert!(
        refused(".env").contains("is secret by the rule"),
        "{}",
        refused(".env")
    );
    assert!(refused("src/none.rs").contains("does not exist"));
    assert!(
        refused("../outside").contains("`../outside`"),
        "{}",
        refused("../outside")
    );
    assert!(refused("/etc/passwd").contains("/etc/passwd"));
}

#[test]
fn secret_values_never_reach_plugins() {
    let token = concat!("ghp_", "a8Zk3Lq0Rt5Yv2Nw7Xs1Bd4Fg6Hj9Kmc0PeU");
    let text = format!("first\ntoken = \"{token}\"\nlast\n");
    let files = [("a.txt", &*text)];
    let lines = ask(&reader(), &files, &json!("a.txt")).unwrap().to_string();
    assert!(lines.contains("last") && !lines.contains(token), "{lines}");
    let found = ask(
        &asking("search", "find"),
        &files,
        &json!({ "pattern": "token" }),
    )
    .unwrap();
    assert_eq!(found["matches"][0]["line"], 2);
    assert!(!found.to_string().contains(token), "{found}");
}

#[test]
fn search_and_list_files() {
    let files = [
        ("a.rs", "fn a() {}\n"),
        ("b/c.rs", "// fn\nfn c() {}\n"),
        ("d.md", "fn\n"),
    ];
    let find = asking("search", "find");
    let found = ask(
        &find,
        &files,
        &json!({ "pattern": "^fn ", "globs": ["*.rs"] }),
    )
    .unwrap();
    let places: Vec<_> = found["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["file"], &one["line"]))
        .collect();
    assert_eq!(
        places,
        [(&json!("a.rs"), &json!(1)), (&json!("b/c.rs"), &json!(2))]
    );
    let error = ask(&find, &files, &json!({ "pattern": "(" })).unwrap_err();
    assert!(
        error.message.contains("not a regular expression"),
        "{error}"
    );
    let error = ask(&find, &files, &json!({ "pattern": "x", "nonsense": 1 })).unwrap_err();
    assert!(error.message.contains("nonsense"), "{error}");
    let names = asking("files", "names");
    let listed = ask(&names, &files, &json!({ "globs": ["*.rs"], "limit": 1 })).unwrap();
    assert_eq!(
        listed,
        json!({ "files": ["a.rs"], "total": 2, "truncated": true })
    );
}

#[test]
fn missing_grant_is_refused_early() {
    let plugin = reader().plugin(&host());
    let folder = tempfile::tempdir().unwrap();
    let world = TestWorld::of(folder.path());
    let granted = BTreeSet::from([Capability::Search, Capability::List]);
    let error = plugin.try_once(&json!("a"), granted, world).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert_eq!(
        error.message,
        "plugin `guest 1.2.3` imports `windlass:step/evidence@1.0.0`, but `read` is not granted to it"
    );
}

#[test]
fn host_panic_ends_only_the_plugin() {
    let guest = asking("anchors", "take");
    let taken = ask(&guest, &[], &json!({ "ids": ["a"] })).unwrap();
    assert_eq!(taken, json!({ "asked": { "ids": ["a"] } }));
    let error = ask(&guest, &[], &json!({ "panic": true })).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Internal);
    assert!(
        error
            .message
            .contains("`anchors.take` of the host panicked: as the test asked"),
        "{error}"
    );
}

#[test]
fn failure_includes_redacted_log() {
    let token = concat!("ghp_", "a8Zk3Lq0Rt5Yv2Nw7Xs1Bd4Fg6Hj9Kmc0PeU");
    let mut guest = Guest {
        imports: r#"(import "windlass:step/log@1.0.0" "write" (func $log (param i32 i32 i32)))"#
            .to_owned(),
        ..Guest::default()
    };
    let said = guest.text(format!("panicked at src/lib.rs:5: no {token}\nmore"));
    guest.run = format!("(call $log (i32.const 3) {said}) (unreachable)");
    let error = guest.run(&json!({})).unwrap_err();
    assert!(
        error
            .message
            .contains("it aborted: panicked at src/lib.rs:5: no "),
        "{error}"
    );
    assert!(
        !error.message.contains(token) && !error.message.contains("more"),
        "{}",
        error.message
    );
}
