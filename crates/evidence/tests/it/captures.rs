//! Context that a capture records.

use proptest::prelude::*;
use windlass_base::Capture;
use windlass_evidence::capture;

use crate::support::{ENOUGH, Sandbox, letters, path, say, span};

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

fn secretive() -> String {
    format!("fn f() {{\n    let token = \"{TOKEN}\";\n    send(token);\n}}\n")
}

#[test]
fn secret_line_found_without_capture() {
    let sandbox = Sandbox::with(secretive());
    let captured = sandbox.capture(1, 4);
    let line = |at| serde_json::to_string(&sandbox.capture(at, at).capture.line_hashes).unwrap();
    // Only the line with the token has the hash that stands for a line left out.
    assert!((1..=4).filter(|at| line(*at) == "\"AAAAAA\"").eq([2]));
    assert!(
        !serde_json::to_string(&captured.capture)
            .unwrap()
            .contains(TOKEN)
    );

    sandbox.write("f", format!("// new\n{}", secretive()));
    assert_eq!(
        say(&sandbox.judge(&captured)),
        "stale_hash_mismatch, moved to 2-5"
    );
}

#[test]
fn a_hash_says_nothing_about_a_secret() {
    let one = Sandbox::with("password = \"hunter2!\"\n");
    let other = Sandbox::with("password = \"pa$$w0rt\"\n");
    let captured = one.capture(1, 1);
    // Both passwords are redacted before the lines are hashed, and look the same then.
    assert_eq!(captured, other.capture(1, 1));
    assert_eq!(say(&other.judge(&captured)), "fresh");
    one.write("f", "password = get()\n");
    assert_eq!(say(&one.judge(&captured)), "stale_hash_mismatch, unproven");
}

#[test]
fn secrets_that_are_shown_alike_are_copies_of_each_other() {
    let both = "password = \"hunter2!\"\nx\npassword = \"pa$$w0rt\"\n";
    let sandbox = Sandbox::with(both);
    let captured = sandbox.capture(1, 1);
    assert_eq!(captured.capture.copies_in_file, 2);
    sandbox.write("f", "x\npassword = \"pa$$w0rt\"\n");
    assert_eq!(
        say(&sandbox.judge(&captured)),
        "stale_hash_mismatch, unproven"
    );
}

#[test]
fn empty_capture_claims_nothing() {
    // All line hashes were left out, so every location in the file is a candidate.
    let sandbox = Sandbox::with("a\n".repeat(400));
    let mut captured = sandbox.capture(1, 400);
    captured.capture = serde_json::from_value(serde_json::json!({
        "copies_in_file": 1, "line_ending": "lf", "line_hashes": "A".repeat(400 * 4 * 4 / 3 + 1),
    }))
    .unwrap();
    sandbox.write("f", format!("b\n{}", "c\n".repeat(100_000)));
    assert_eq!(
        say(&sandbox.judge(&captured)),
        "stale_hash_mismatch, unproven"
    );
}

#[test]
fn a_long_span_is_captured_without_line_hashes() {
    let text: String = (0..500).map(|at| format!("line {at}\n")).collect();
    let sandbox = Sandbox::with(&text);
    assert!(sandbox.capture(1, 400).capture.line_hashes.is_some());
    let long = sandbox.capture(1, 401);
    assert_eq!(long.capture.line_hashes, None);
    assert_eq!(say(&sandbox.judge(&long)), "fresh");
    sandbox.write("f", format!("x\n{text}"));
    assert_eq!(say(&sandbox.judge(&long)), "stale_hash_mismatch, unproven");
}

#[test]
fn what_cannot_be_captured_says_why() {
    let sandbox = Sandbox::with("one\ntwo\n");
    sandbox.write("binary", "a\0b\n");
    sandbox.write("empty", "");
    sandbox.write(".env", "X=1\n");
    for (file, lines, why) in [
        (
            "gone",
            (1, 1),
            "`gone` cannot be captured: it does not exist",
        ),
        (".", (1, 1), "cannot be captured: it is a folder"),
        (
            ".env",
            (1, 1),
            "cannot be captured: it is secret by the rule `env-file`",
        ),
        (
            "binary",
            (1, 1),
            "`binary` cannot be captured: it is binary",
        ),
        (
            "empty",
            (1, 1),
            "`empty` has 0 lines, so lines 1 are not in it",
        ),
        ("f", (2, 3), "`f` has 2 lines, so lines 2-3 are not in it"),
    ] {
        let error = capture(&sandbox.snapshot(), &path(file), span(lines.0, lines.1)).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

proptest! {
    #[test]
    fn captures_survive_being_written(text in "([a-z é]{0,6}\r?\n){1,20}") {
        let count = text.matches('\n').count() as u32;
        let sandbox = Sandbox::with(&text);
        let mut captured = sandbox.capture(1, count);
        let hashes = captured.capture.line_hashes.as_ref().unwrap();
        prop_assert_eq!(hashes.as_slice().len(), count as usize);
        let json = serde_json::to_string(&captured.capture).unwrap();
        captured.capture = serde_json::from_str::<Capture>(&json).unwrap();
        sandbox.write("f", format!("fresh start\n{text}"));
        let found = say(&sandbox.judge(&captured));
        let outcome = if letters(&text) < ENOUGH {
            "unproven".to_owned()
        } else {
            format!("moved to {}", span(2, count + 1))
        };
        prop_assert_eq!(found, format!("stale_hash_mismatch, {outcome}"));
    }
}
