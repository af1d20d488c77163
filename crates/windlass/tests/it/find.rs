//! Tests questions to small repositories, with and without an answer.

use windlass::base::Cancel;
use windlass::{FindRequest, Found, Skipped};

use crate::support::Sandbox;

const ADD: &str = "/// Adds.\nfn add(a: u32, b: u32) -> u32 {\n    let sum = a + b;\n    sum\n}\n";
const CLOSE: &str =
    "/// Logs out who was idle.\nfn expire_sessions(now: u64) {\n    close_all(now);\n}\n";

fn ask(files: &[(&str, &str)], question: &str) -> Found {
    let request = FindRequest {
        question: question.to_owned(),
        max_tokens: 2_000,
        paths: Vec::new(),
    };
    let sandbox = Sandbox::with(files);
    let workspace = sandbox.workspace();
    workspace.find(&request, &Cancel::default()).unwrap()
}

fn places(found: &Found) -> Vec<&str> {
    let places = found.places.iter();
    places.map(|place| place.pointer.file.as_str()).collect()
}

#[test]
fn single_rare_word_answers() {
    const QUESTION: &str = "check that adding numbers does not overflow";
    for files in [
        &[("add.rs", ADD)][..],
        &[("add.rs", ADD), ("close.rs", CLOSE)],
        &[("add.rs", ADD), ("close.rs", CLOSE), ("empty.rs", "\n")],
    ] {
        let found = ask(files, QUESTION);
        assert_eq!(places(&found), ["add.rs"], "{} files", files.len());
        assert!(
            (10..50).contains(&found.confidence),
            "{}: most of the question stands nowhere",
            found.confidence
        );
    }
}

#[test]
fn common_word_answers_only_alone() {
    let text = "// the invoice\nfn f() {}\n";
    let names: Vec<String> = (0..25).map(|at| format!("f{at}.rs")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text)).collect();
    const QUESTION: &str = "which invoice did the zeppelin captain lose";
    assert_eq!(places(&ask(&files, QUESTION)), [""; 0]);
    assert_eq!(places(&ask(&files[..2], QUESTION)).len(), 2);
    assert!(!places(&ask(&files, "invoice")).is_empty());
    assert_eq!(places(&ask(&files[..2], "zeppelin captain")), [""; 0]);
}

#[test]
fn common_words_together_answer() {
    let gap = "\n".repeat(40);
    let apart = format!("fn shard() {{}}\n{gap}fn worker() {{}}\n{gap}fn other() {{}}\n");
    let together = "/// Hands out the shards of a silent worker.\nfn hand_out() {}\n";
    let names: Vec<String> = (0..40).map(|at| format!("f{at}.rs")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), &*apart)).collect();
    files.push(("silence.rs", together));
    const QUESTION: &str = "what happens to the shards of a worker that died";
    assert_eq!(places(&ask(&files, QUESTION))[0], "silence.rs");
}

#[test]
fn no_answer_names_nearest_files() {
    let large = "fn megaphone() {}\n".repeat(70_000);
    let files = [("add.rs", ADD), ("close.rs", CLOSE), ("large.rs", &large)];
    let found = ask(
        &files,
        "zeppelin airship hydrogen balloon basket sandbag idle",
    );
    assert_eq!(places(&found), [""; 0]);
    let nearest = found.nearest.map(|place| place.file.to_string());
    assert_eq!(nearest.as_deref(), Some("close.rs"));
    let found = ask(&files, "megaphone");
    assert_eq!(
        (found.places.len(), found.nearest, found.skipped.too_large),
        (0, None, 1)
    );
}

#[test]
fn skipped_files_are_counted() {
    let found = ask(&[("add.rs", ADD), ("wide.txt", "m\0egaphone")], "megaphone");
    assert_eq!((found.files_read, found.skipped.not_text), (1, 1));
    let skipped = Skipped {
        names_not_utf8: 1,
        ..found.skipped
    };
    assert_eq!(
        skipped.in_words().as_deref(),
        Some("2 files skipped: 1 with a name that is not UTF-8, 1 binary or not UTF-8")
    );
    assert_eq!(Skipped::default().in_words(), None);
}

const RETRY: &str = "def backoff(n):\n    \"\"\"seconds to wait before the next retry\"\"\"\n    return min(2 ** n, 60)\n";

/// Makes a question, followed by a log with words from other files.
fn with_log(question: &str) -> String {
    let line = |at: usize| {
        format!(
            "collected platform linux plugin hypothesis xdist timeout item{at} module alpha{at}\n"
        )
    };
    let log: String = (0..25).map(line).collect();
    format!("{question}\n{log}")
}

#[test]
fn question_log_changes_no_answer() {
    const QUESTION: &str =
        "retry sleeps too long: backoff doubles the seconds to wait before the next retry";
    let other = "def collect(module):\n    return platform.linux(module)\n";
    let files = [("src/retry.py", RETRY), ("src/other.py", other)];
    let alone = ask(&files, QUESTION);
    assert_eq!(places(&alone)[0], "src/retry.py");
    for question in [
        with_log(QUESTION),
        format!("{}\n{QUESTION}", with_log("It fails.")),
        format!("{} {QUESTION}.", with_log("").replace('\n', ". ")),
    ] {
        let found = ask(&files, &question);
        assert_eq!(places(&found).first(), Some(&"src/retry.py"), "{question}");
        assert!(found.confidence >= alone.confidence, "{question}");
    }
}

#[test]
fn unrelated_log_finds_nothing() {
    let found = ask(
        &[("src/retry.py", RETRY), ("add.rs", ADD)],
        &with_log("it fails"),
    );
    assert_eq!(places(&found), [""; 0]);
}
