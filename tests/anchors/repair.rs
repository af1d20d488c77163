//! Re-anchoring: pointing anchors to the current location of their text.

use serde_json::Value;

use super::support::{Sandbox, numbered};

/// Creates five anchors: one fresh, one that moved within its file, one that moved along with its
/// file, one edited, and one that can't be found.
fn aged_anchors() -> Sandbox {
    let sandbox = Sandbox::git();
    let body = "fn parse(input: &str) -> Vec<Word> {\n    let mut words = Vec::new();\n    for part in input.split(' ') {\n        \
                words.push(Word::of(part));\n    }\n    words\n}\n";
    sandbox
        .write("src/a.rs", numbered(1, 40))
        .write("src/b.rs", numbered(41, 80))
        .write(
            "src/c.rs",
            format!("{}{body}{}", numbered(81, 90), numbered(91, 99)),
        )
        .write("src/d.rs", numbered(101, 120))
        .commit("x");
    for (id, places) in [
        ("within", &["src/a.rs:5-9", "src/a.rs:30-33"][..]),
        ("file", &["src/b.rs:11-15"]),
        ("edited", &["src/c.rs:11-17"]),
        ("lost", &["src/d.rs:5-9"]),
        ("fresh", &["src/a.rs:2"]),
    ] {
        let args = [&["anchor", "add", id][..], places].concat();
        sandbox.windlass(&args).succeeds();
    }
    sandbox.edit("src/a.rs", "line number 20\n", "line number 20\nnew\n");
    sandbox.run_git(&["mv", "src/b.rs", "src/e.rs"]);
    sandbox.edit("src/c.rs", "Word::of(part)", "Word::new(part.trim())");
    sandbox.write("src/d.rs", "nothing of it\n");
    sandbox.commit("y");
    sandbox
}

fn statuses(sandbox: &Sandbox) -> Vec<(String, String)> {
    let listed = sandbox.windlass(&["anchor", "list", "--format", "jsonl"]);
    let listed = listed.succeeds().stdout;
    let status = |line: &str| {
        let anchor: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| anchor[key].as_str().unwrap().to_owned();
        (text("id"), text("status"))
    };
    listed.lines().map(status).collect()
}

fn fresh(sandbox: &Sandbox) -> Vec<String> {
    let all = statuses(sandbox).into_iter();
    let fresh = all.filter(|(_, status)| status == "fresh");
    fresh.map(|(id, _)| id).collect()
}

#[test]
fn moved_anchors_repair_and_undo() {
    let sandbox = aged_anchors();
    let before = sandbox.windlass(&["notebook", "show", "--format", "json"]);
    let revision = before.succeeds().json()["revision"].as_u64().unwrap();
    let looked = sandbox.windlass(&["anchor", "repair", "--dry-run"]);
    let looked = looked.exits_with(1);
    let wanted = "\
within
- src/a.rs:30-33
+ src/a.rs:31-34  # moved: unique in file
file
- src/b.rs:11-15
+ src/e.rs:11-15  # moved: diff
edited   edited  src/c.rs:11-17  the lines changed
     fn parse(input: &str) -> Vec<Word> {
         let mut words = Vec::new();
         for part in input.split(' ') {
    -        words.push(Word::of(part));
    +        words.push(Word::new(part.trim()));
         }
         words
     }
gone     lost  src/d.rs:5-9  the file has 1 line, so lines 5-9 are not in it

Next
  windlass anchor show edited  # see the current text
  windlass anchor repair edited --edited  # accept the edited text after a review
  windlass anchor remove lost  # remove the deleted evidence, unless it is still needed
";
    assert_eq!(looked.stdout, wanted);
    assert_eq!(fresh(&sandbox), ["fresh"]);

    let done = sandbox.windlass(&["anchor", "repair"]).exits_with(1);
    assert_eq!(done.stdout, looked.stdout);
    assert!(
        done.stderr.contains("2 anchors repaired"),
        "{}",
        done.stderr
    );
    assert_eq!(fresh(&sandbox), ["within", "file", "fresh"]);
    let again = sandbox.windlass(&["anchor", "repair"]).exits_with(1);
    assert!(
        again.stderr.contains("nothing to repair"),
        "{}",
        again.stderr
    );

    let back = revision.to_string();
    sandbox
        .windlass(&["notebook", "rollback", &back])
        .succeeds();
    assert_eq!(fresh(&sandbox), ["fresh"]);
}

#[test]
fn edited_repair_records_prior_place() {
    let sandbox = aged_anchors();
    let args = ["anchor", "repair", "edited", "--edited", "--format", "json"];
    let done = sandbox.windlass(&args).succeeds().json();
    let place = &done["repaired"][0]["evidence"][0];
    assert_eq!(place["from"]["start_line"], 11);
    assert_eq!(place["outcome"], "edited");
    assert_eq!(place["evidence"]["end_line"], 17);
    assert_eq!(done["anchors"]["edited"], "replaced");
    assert_eq!(fresh(&sandbox), ["edited", "fresh"]);
    let list = ["anchor", "list", "--format", "json"];
    let list = sandbox.windlass(&list).succeeds().json();
    let anchors = list["anchors"].as_array().unwrap();
    let edited = anchors.iter().find(|anchor| anchor["id"] == "edited");
    let relocation = &edited.unwrap()["relocations"][0];
    assert_eq!(relocation["from"], place["from"]);
    assert_eq!(relocation["repair"]["method"], place["method"]);
}

#[test]
fn fresh_anchor_has_no_repair() {
    let sandbox = aged_anchors();
    let done = sandbox.windlass(&["anchor", "repair", "fresh"]).succeeds();
    assert_eq!(done.stdout, "");
    assert!(done.stderr.contains("nothing to repair"), "{}", done.stderr);
    let unknown = sandbox
        .windlass(&["anchor", "repair", "fresj"])
        .exits_with(3);
    assert!(
        unknown.stderr.contains("did you mean `fresh`"),
        "{}",
        unknown.stderr
    );
}
