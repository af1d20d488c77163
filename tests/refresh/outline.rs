//! Definitions in files: the `outline` step, and `read` by symbol.

use serde_json::Value;

use crate::support::{Answer, Sandbox};

const RUST: &str = "/// A thing.
pub struct Thing;
impl Thing {
    /// Makes one.
    pub fn new(
        key: &str,
    ) -> Self {
        Thing
    }
    fn own(&self) {}
}
impl Drop for Thing {
    fn drop(&mut self) {}
}
fn new() {}
";

fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", RUST)
        .write("src/b.py", "class Base:\n    def run(self): pass\n")
        .write("docs/use.md", "# Use\ntext\n## More\n")
        .write("notes.txt", "fn not_here() {}\n");
    sandbox
}

fn step(sandbox: &Sandbox, uses: &str, with: &str) -> Answer {
    let runbook = format!(
        "schema_version: 1\nid: r\nsteps:\n  - {{ id: s, uses: {uses}, with: {{ {with} }} }}\noutputs:\n  - {{ id: s, from: s, limit: 50 }}\n"
    );
    sandbox.write("runbooks/r.yaml", runbook);
    let args = ["run", "r", "--format", "json", "--max-chars", "50000"];
    sandbox.windlass(&[&args[..], &["--response-mode", "full"]].concat())
}

fn section(answer: &Answer) -> Value {
    answer.json()["sections"][0].clone()
}

/// Returns each item as `file:lines label (kind)`.
fn items(section: &Value) -> Vec<String> {
    let items = section["items"].as_array().unwrap();
    let shown = |item: &Value| {
        let at = &item["evidence"][0];
        let text = format!(
            "{}:{}-{} {} ({})",
            at["file"], at["start_line"], at["end_line"], item["label"], item["kind"]
        );
        text.replace('"', "")
    };
    items.iter().map(shown).collect()
}

#[test]
fn outline_gives_signatures_as_evidence() {
    let sandbox = repository();
    let found = section(&step(&sandbox, "outline", "").succeeds());
    assert_eq!(found["status"], "fresh");
    assert_eq!(
        items(&found),
        [
            "docs/use.md:1-1 Use (heading)",
            "docs/use.md:3-3 Use > More (heading)",
            "src/a.rs:2-2 Thing (struct)",
            "src/a.rs:3-3 impl Thing (implementation)",
            "src/a.rs:5-7 Thing::new (method)",
            "src/a.rs:10-10 Thing::own (method)",
            "src/a.rs:12-12 impl Drop for Thing (implementation)",
            "src/a.rs:13-13 <Thing as Drop>::drop (method)",
            "src/a.rs:15-15 new (function)",
            "src/b.py:1-1 Base (class)",
            "src/b.py:2-2 Base.run (method)",
        ]
    );
    assert_eq!(
        found["items"][4]["evidence"][0]["text"],
        "    pub fn new(\n        key: &str,\n    ) -> Self {"
    );
}

#[test]
fn outline_filters_symbols() {
    let sandbox = repository();
    for (with, expected) in [
        ("kinds: [class, struct]", &["Thing", "Base"][..]),
        ("names: '^new$'", &["Thing::new", "new"]),
        ("names: '^Thing::'", &["Thing::new", "Thing::own"]),
        ("depth: 1, globs: ['*.md']", &["Use"]),
        (
            "visibility: [public], paths: [src/a.rs]",
            &["Thing", "Thing::new"],
        ),
        ("paths: [notes.txt]", &[]),
    ] {
        let found = section(&step(&sandbox, "outline", with).succeeds());
        let items = found["items"].as_array().unwrap();
        let labels: Vec<&str> = items
            .iter()
            .map(|item| item["label"].as_str().unwrap())
            .collect();
        assert_eq!(labels, expected, "{with}");
    }
    let whole =
        section(&step(&sandbox, "outline", "names: '^Thing$', show: definition").succeeds());
    assert_eq!(items(&whole), ["src/a.rs:1-2 Thing (struct)"]);
}

#[test]
fn cut_or_damaged_outline_has_reason() {
    let sandbox = repository();
    let cut = section(&step(&sandbox, "outline", "limit: 2").succeeds());
    assert_eq!(cut["total_items"], 2);
    assert_eq!(
        cut["reason"],
        "only a part of the 11 symbols; raise `limit`"
    );

    sandbox
        .write("src/damaged.rs", "fn a() {}\nfn (((\n")
        .write("src/binary.rs", b"fn a() {}\0");
    let answer = step(&sandbox, "outline", "paths: [src/damaged.rs]").succeeds();
    assert_eq!(
        section(&answer)["reason"],
        "symbols may be missing in 1 file"
    );
    assert_eq!(
        items(&section(&answer)),
        ["src/damaged.rs:1-1 a (function)"]
    );
    let answer = step(&sandbox, "outline", "paths: [src/binary.rs]").succeeds();
    assert!(answer.stdout.contains("it is binary"), "{}", answer.stdout);
    let answer = step(&sandbox, "outline", "names: '('").exits_with(2);
    assert!(
        answer
            .stderr
            .contains("not a regular expression: unclosed group"),
        "{}",
        answer.stderr
    );
}

#[test]
fn outline_redacts_and_skips_secrets() {
    let sandbox = repository();
    let token = ["ghp", "_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    sandbox
        .write(
            "src/key.rs",
            format!("pub const TOKEN: &str = \"{token}\";\n"),
        )
        .write(".windlass/secrets", "hidden.rs\n")
        .write("src/hidden.rs", "pub fn unseen() {}\n");
    let answer = step(&sandbox, "outline", "paths: [src]").succeeds();
    assert!(!answer.stdout.contains(&token), "{}", answer.stdout);
    assert!(answer.stdout.contains("TOKEN"), "{}", answer.stdout);
    assert!(!answer.stdout.contains("unseen"), "{}", answer.stdout);
}

#[test]
fn read_selects_by_symbol() {
    let sandbox = repository();
    let read = |with: &str| items(&section(&step(&sandbox, "read", with).succeeds()));
    assert_eq!(
        read("file: src/a.rs, symbol: 'Thing::new'"),
        ["src/a.rs:4-9 Thing::new (method)"]
    );
    assert_eq!(
        read("file: src/a.rs, symbol: Thing, label: The thing"),
        ["src/a.rs:1-2 The thing (struct)"]
    );
    assert_eq!(
        read("file: docs/use.md, symbol: 'Use > More'"),
        ["docs/use.md:3-3 Use > More (heading)"]
    );
    sandbox.write("src/b.py", "def a(): pass\n\ndef a(): pass\n");
    assert_eq!(
        read("file: src/b.py, symbol: a, all: true"),
        ["src/b.py:1-1 a (function)", "src/b.py:3-3 a (function)"]
    );
}

#[test]
fn unknown_symbol_lists_candidates() {
    let sandbox = repository();
    sandbox.write("src/b.py", "def a(): pass\n\ndef a(): pass\n");
    for (with, expected) in [
        (
            "file: src/a.rs, symbol: Thign",
            "`src/a.rs` defines no `Thign`; did you mean `Thing`?",
        ),
        (
            "file: src/b.py, symbol: a",
            "`src/b.py` defines 2 symbols `a`: `a` on lines 1, `a` on lines 3",
        ),
        (
            "file: notes.txt, symbol: a",
            "the symbols of `notes.txt` are not known: it is in no language that can be outlined",
        ),
        ("file: src/a.rs, all: true", "`all` requires `symbol`"),
    ] {
        let found = section(&step(&sandbox, "read", with).exits_with(1));
        let reason = found["reason"].as_str().unwrap();
        assert!(reason.contains(expected), "{with}: {reason}");
    }
    let both = step(&sandbox, "read", "file: src/a.rs, symbol: a, lines: '1'").exits_with(2);
    assert!(both.stderr.contains("give one of"), "{}", both.stderr);
}
