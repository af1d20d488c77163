//! Citations in documents: scanning, checking, saving as anchors and repairing.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod edited;
mod meaning;
mod moved_on;

use serde_json::Value;
use support::{Sandbox, numbered};

const BODY: &str = "fn parse(input: &str) -> Vec<Word> {\n    let mut words = Vec::new();\n    for part in input.split(' ') {\n        \
                    words.push(Word::of(part));\n    }\n    words\n}\n";

/// A document with a byte order mark, CRLF, no final line break, and one citation of each form.
const GUIDE: &str = "\u{feff}# Guide\r\n\r\nSee [the lines](../src/a.rs#L30-L33 \"x\"),\tand `src/a.rs:5-9`.\r\n\r\n\
                     ```rust src/c.rs#L11-L17\r\nfn parse(input: &str) -> Vec<Word> {\r\n    let mut words = Vec::new();\r\n    \
                     for part in input.split(' ') {\r\n        words.push(Word::of(part));\r\n    }\r\n    words\r\n}\r\n```\r\n\
                     src/b.rs:11-15 is told apart from src/nothing.rs:3 ";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 40))
        .write("src/b.rs", numbered(41, 80))
        .write(
            "src/c.rs",
            format!("{}{BODY}{}", numbered(81, 90), numbered(91, 99)),
        )
        .write("docs/guide.md", GUIDE)
        .commit("x");
    sandbox
}

fn scan(sandbox: &Sandbox, args: &[&str], code: i32) -> Value {
    let args = [&["anchor", "scan", "--format", "json"], args].concat();
    sandbox.windlass(&args).exits_with(code).json()
}

/// Returns each citation with its status and the outcome of its repair.
fn outcomes(scan: &Value) -> Vec<String> {
    let outcome_of = |one: &Value| {
        let text = |key: &str| one[key].as_str().unwrap();
        let outcome = one["repair"]["outcome"].as_str().unwrap_or("-");
        format!("{} {} {outcome}", text("citation"), text("status"))
    };
    scan["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(outcome_of)
        .collect()
}

#[test]
fn repair_changes_only_moved_numbers() {
    let sandbox = sandbox();
    let found = scan(&sandbox, &[], 0);
    let fresh = [
        "../src/a.rs#L30-L33 fresh -",
        "src/a.rs:5-9 fresh -",
        "src/c.rs#L11-L17 fresh -",
        "src/b.rs:11-15 fresh -",
    ];
    assert_eq!(outcomes(&found), fresh);
    assert_eq!(found["citations"][0]["document_line"], 3);

    sandbox.edit("src/a.rs", "line number 20\n", "line number 20\nnew\n");
    sandbox.run_git(&["mv", "src/b.rs", "src/moved.rs"]);
    sandbox.edit("src/c.rs", "line number 81\n", "");
    let found = scan(&sandbox, &["docs/guide.md"], 1);
    assert_eq!(
        outcomes(&found),
        [
            "../src/a.rs#L30-L33 stale_hash_mismatch moved",
            "src/a.rs:5-9 fresh -",
            "src/c.rs#L11-L17 stale_hash_mismatch moved",
            "src/b.rs:11-15 missing_file moved",
        ]
    );
    let looked = sandbox.windlass(&["anchor", "scan", "--repair", "--dry-run"]);
    let looked = looked.succeeds();
    assert!(
        looked.stderr.contains("would write docs/guide.md"),
        "{}",
        looked.stderr
    );
    assert!(
        looked.stdout.contains("+ ../src/a.rs#L31-L34\n"),
        "{}",
        looked.stdout
    );
    assert_eq!(sandbox.read("docs/guide.md"), GUIDE);

    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    let wanted = GUIDE
        .replace("L30-L33", "L31-L34")
        .replace("L11-L17", "L10-L16")
        .replace("src/b.rs:11", "src/moved.rs:11");
    assert_eq!(sandbox.read("docs/guide.md"), wanted);
    // Before the commit, we compare the repaired citation with the committed one.
    let all_fresh = |found: &Value| outcomes(found).iter().all(|one| one.ends_with("fresh -"));
    assert!(all_fresh(&scan(&sandbox, &[], 0)));
    sandbox.commit("repaired");
    assert!(
        outcomes(&scan(&sandbox, &[], 0))
            .iter()
            .all(|one| one.ends_with("fresh -"))
    );
}

#[test]
fn edited_block_is_rewritten_on_request() {
    let sandbox = sandbox();
    sandbox.edit("src/c.rs", "Word::of(part)", "Word::new(part.trim())");
    sandbox.edit("src/c.rs", "line number 81\n", "");
    let moved = sandbox
        .windlass(&["anchor", "scan", "--repair"])
        .exits_with(1);
    assert!(
        moved
            .stdout
            .contains("windlass anchor scan docs/guide.md --fix --edited"),
        "{}",
        moved.stdout
    );
    assert_eq!(sandbox.read("docs/guide.md"), GUIDE);
    sandbox
        .windlass(&["anchor", "scan", "--repair", "--edited"])
        .succeeds();
    let wanted = GUIDE
        .replace("L11-L17", "L10-L16")
        .replace("Word::of(part)", "Word::new(part.trim())");
    assert_eq!(sandbox.read("docs/guide.md"), wanted);
    assert_eq!(
        outcomes(&scan(&sandbox, &[], 0))[2],
        "src/c.rs#L10-L16 fresh -"
    );
}

#[test]
fn block_naming_only_a_file_is_located() {
    let sandbox = sandbox();
    sandbox
        .write(
            "AGENTS.md",
            format!("```rust title=\"src/c.rs\"\n{BODY}```\n\n```sh run.sh\nnot of it\n```\n"),
        )
        .write("run.sh", "something else\n")
        .commit("y");
    assert_eq!(
        outcomes(&scan(&sandbox, &["AGENTS.md"], 0)),
        ["src/c.rs fresh -"]
    );
    sandbox.edit("src/c.rs", "line number 85\n", "new\nnew\n");
    assert_eq!(
        outcomes(&scan(&sandbox, &["AGENTS.md"], 0)),
        ["src/c.rs fresh -"]
    );
    sandbox.edit("src/c.rs", "Word::of(part)", "Word::new(part.trim())");
    assert_eq!(
        outcomes(&scan(&sandbox, &["AGENTS.md"], 1)),
        ["src/c.rs stale_hash_mismatch edited"]
    );
    sandbox
        .windlass(&["anchor", "scan", "AGENTS.md", "--repair", "--edited"])
        .succeeds();
    let text = sandbox.read("AGENTS.md");
    assert!(
        text.contains("Word::new(part.trim())") && text.starts_with("```rust title=\"src/c.rs\"\n"),
        "{text}"
    );
}

#[test]
fn saved_anchors_work_without_git() {
    let sandbox = Sandbox::folder();
    sandbox.write("src/a.rs", numbered(1, 40)).write(
        "README.md",
        "`src/a.rs:30-33` and [x](src/a.rs#L30-L33) and src/a.rs:5\n",
    );
    let unknown = scan(&sandbox, &[], 0);
    assert!(
        outcomes(&unknown)
            .iter()
            .all(|one| one.ends_with("unknown -"))
    );
    let saved = scan(&sandbox, &["--save"], 0);
    assert_eq!(
        saved["saved"],
        serde_json::json!(["src-a.rs-L30-33", "src-a.rs-L5"])
    );
    // Saving the same citations again adds nothing.
    assert_eq!(scan(&sandbox, &["--save"], 0)["saved"], Value::Null);
    assert!(
        outcomes(&scan(&sandbox, &[], 0))
            .iter()
            .all(|one| one.ends_with("fresh -"))
    );
    sandbox.edit("src/a.rs", "line number 20\n", "line number 20\nnew\n");
    let found = scan(&sandbox, &["--repair"], 0);
    assert_eq!(found["citations"][0]["meant"]["anchor"], "src-a.rs-L30-33");
    let text = sandbox.read("README.md");
    assert_eq!(
        text,
        "`src/a.rs:31-34` and [x](src/a.rs#L31-L34) and src/a.rs:5\n"
    );
    // Repair updates the anchors along with the document.
    sandbox.windlass(&["anchor", "check"]).succeeds();
    assert!(
        outcomes(&scan(&sandbox, &[], 0))
            .iter()
            .all(|one| one.ends_with("fresh -"))
    );
}

#[test]
fn document_follows_repaired_anchor() {
    let sandbox = sandbox();
    sandbox.windlass(&["anchor", "scan", "--save"]).succeeds();
    sandbox.edit("src/a.rs", "line number 20\n", "line number 20\nnew\n");
    sandbox.windlass(&["anchor", "repair"]).succeeds();
    let found = scan(&sandbox, &[], 1);
    assert_eq!(
        outcomes(&found)[0],
        "../src/a.rs#L30-L33 stale_hash_mismatch moved"
    );
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    assert_eq!(
        sandbox.read("docs/guide.md"),
        GUIDE.replace("L30-L33", "L31-L34")
    );
}

#[test]
fn links_resolve_from_document_folder() {
    let sandbox = sandbox();
    let link = "[p](../src/c.rs#L11-L17)\n";
    // Text that also occurs in another file proves nothing.
    sandbox.remove("docs/guide.md");
    sandbox.write("docs/c.md", link).commit("y");
    let rest = format!("{}{}", numbered(81, 90), numbered(91, 99));
    sandbox
        .write("src/c.rs", rest)
        .write("docs/lib/new file.rs", format!("// new\n{BODY}"))
        .commit("z");
    sandbox
        .windlass(&["anchor", "scan", "docs/c.md", "--repair"])
        .succeeds();
    assert_eq!(sandbox.read("docs/c.md"), "[p](lib/new%20file.rs#L2-L8)\n");
}

#[test]
fn typo_fix_keeps_citation_stale() {
    let sandbox = sandbox();
    let line = "Teh lines `src/a.rs:5-9` and `src/b.rs:11-15` count.\n";
    sandbox
        .write("docs/more.md", format!("{line}{}", numbered(1, 20)))
        .commit("y");
    sandbox.edit("src/a.rs", "line number 2\n", "line number 2\nnew\n");
    sandbox.edit("src/b.rs", "line number 42\n", "line number 42\nnew\n");
    sandbox.commit("z");
    let stale = [
        "src/a.rs:5-9 stale_hash_mismatch moved",
        "src/b.rs:11-15 stale_hash_mismatch moved",
    ];
    let args = ["docs/more.md"];
    assert_eq!(outcomes(&scan(&sandbox, &args, 1)), stale);
    // Fixing a typo changes nothing, neither before nor after its commit, even if the document is
    // renamed.
    sandbox.edit("docs/more.md", "Teh", "The");
    assert_eq!(outcomes(&scan(&sandbox, &args, 1)), stale);
    sandbox.commit("typo");
    sandbox.run_git(&["mv", "docs/more.md", "docs/other.md"]);
    sandbox.edit("docs/other.md", "The lines", "# More\n\nAll lines");
    sandbox.commit("renamed");
    let args = ["docs/other.md"];
    assert_eq!(outcomes(&scan(&sandbox, &args, 1)), stale);
    // Updating one of the two citations says nothing about the other.
    sandbox.edit("docs/other.md", "src/a.rs:5-9", "src/a.rs:6-10");
    sandbox.commit("by hand");
    assert_eq!(
        outcomes(&scan(&sandbox, &args, 1)),
        [
            "src/a.rs:6-10 fresh -",
            "src/b.rs:11-15 stale_hash_mismatch moved"
        ]
    );
    // The anchors capture the text meant by the citations.
    sandbox
        .windlass(&["anchor", "scan", "docs/other.md", "--save"])
        .exits_with(1);
    let anchors = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    let ids: Vec<&str> = anchors["anchors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["src-a.rs-L6-10", "src-b.rs-L12-16"]);
}

#[test]
fn ranges_are_repaired_lists_are_not() {
    let sandbox = sandbox();
    let text = "See src/a.rs:5–9, `src/a.rs:12..14` and src/a.rs:20, 22.\n";
    sandbox.write("docs/more.md", text).commit("y");
    sandbox.edit("src/a.rs", "line number 2\n", "line number 2\nnew\nnewer\n");
    let found = scan(&sandbox, &["docs/more.md", "--repair"], 1);
    assert_eq!(
        sandbox.read("docs/more.md"),
        "See src/a.rs:7–11, `src/a.rs:14..16` and src/a.rs:20, 22.\n"
    );
    let reason = found["citations"][2]["reason"].as_str().unwrap();
    assert!(reason.ends_with("change it by hand"), "{reason}");

    // A scan without `--repair` gives the same reason. It doesn't propose a repair, since that
    // would change nothing.
    sandbox.commit("repaired");
    let found = scan(&sandbox, &["docs/more.md"], 1);
    let said = found["citations"][2]["reason"].as_str().unwrap();
    assert_eq!((said, &found["next_actions"]), (reason, &Value::Null));
}

#[test]
fn broken_and_unreadable_are_reported() {
    let sandbox = sandbox();
    sandbox
        .write("bad.md", b"\xff\xfe see src/a.rs:3")
        .write(
            "links.md",
            "[x](src/gone.rs#L3) [y](src/a.rs#L300) [z](.env#L1) src/never.rs:3\n",
        )
        .write(".env", "KEY=1\n");
    let found = scan(&sandbox, &["links.md"], 1);
    assert_eq!(
        outcomes(&found),
        [
            "src/gone.rs#L3 missing_file unproven",
            "src/a.rs#L300 span_invalid -",
            ".env#L1 blocked_secret -",
        ]
    );
    let unread = scan(&sandbox, &["bad.md", "nowhere.md", "src"], 1);
    // A folder stands for the documents in it, but there are none.
    assert_eq!(unread["unread"].as_array().unwrap().len(), 2);
    let src = sandbox.root().join("src");
    let from_below = sandbox.windlass_in(&src, &["anchor", "scan", "../docs/guide.md"]);
    from_below.succeeds();
    sandbox
        .windlass(&["anchor", "scan", "../outside.md"])
        .exits_with(2);
}

#[cfg(unix)]
#[test]
fn linked_document_keeps_mode() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    let path = sandbox.root().join("docs/guide.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o754)).unwrap();
    std::os::unix::fs::symlink("docs/guide.md", sandbox.root().join("AGENTS.md")).unwrap();
    let found = scan(&sandbox, &["AGENTS.md"], 0);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("a link"), "{reason}");
    sandbox
        .windlass(&["anchor", "scan", "AGENTS.md", "docs/guide.md", "--save"])
        .succeeds();
    sandbox.edit("src/a.rs", "line number 2\n", "line number 2\nnew\n");
    sandbox
        .windlass(&["anchor", "scan", "AGENTS.md", "--repair"])
        .succeeds();
    assert_ne!(sandbox.read("docs/guide.md"), GUIDE);
    let link = std::fs::symlink_metadata(sandbox.root().join("AGENTS.md"));
    assert!(link.unwrap().is_symlink());
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o754);
}

#[test]
fn unknown_citation_names_save_call() {
    let sandbox = sandbox();
    sandbox.write("new.md", "See `src/a.rs:30-33`.\n");
    let said = sandbox.windlass(&["anchor", "scan", "new.md"]).succeeds();
    let call = "windlass anchor scan new.md --save";
    assert!(said.stdout.contains(call), "{}", said.stdout);
    scan(&sandbox, &["new.md", "--save"], 0);
    let found = scan(&sandbox, &["new.md"], 0);
    assert_eq!(outcomes(&found), ["src/a.rs:30-33 fresh -"]);
    assert_eq!(found["next_actions"], Value::Null);
}

#[test]
fn impact_reports_stale_citations() {
    let sandbox = sandbox();
    sandbox.edit("src/a.rs", "line number 20\n", "line number 20\nnew\n");
    let args = ["impact", "--format", "json"];
    let found = sandbox.windlass(&args).exits_with(1).json();
    let cited = found["citations"].as_array().unwrap();
    assert_eq!(cited.len(), 1, "{cited:?}");
    assert_eq!(cited[0]["citation"], "../src/a.rs#L30-L33");
    let sarif = sandbox.windlass(&["impact", "--format", "sarif"]);
    let sarif = sarif.exits_with(1).json();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "stale-citation");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "docs/guide.md");
    assert_eq!(place["region"]["startLine"], 3);
    let comment = sandbox.windlass(&["impact", "--format", "markdown"]);
    let comment = comment.exits_with(1).stdout;
    assert!(
        comment.contains("| moved | `docs/guide.md:3` | `../src/a.rs#L30-L33` |"),
        "{comment}"
    );
    // Editing the citing line in the same change doesn't hide the citation.
    sandbox.edit("docs/guide.md", "See [", "Look at [");
    let found = sandbox.windlass(&args).exits_with(1).json();
    assert_eq!(found["citations"][0]["citation"], "../src/a.rs#L30-L33");
    sandbox.edit("docs/guide.md", "Look at [", "See [");
    // Repairing the citation in the same change resolves it.
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    sandbox.windlass(&["impact"]).succeeds();
    sandbox.commit("y");
    // Citations that were already stale are only counted.
    sandbox
        .edit("docs/guide.md", "L31-L34", "L30-L33")
        .commit("wrong");
    sandbox
        .edit("src/a.rs", "line number 1\n", "new\nline number 1\n")
        .commit("z");
    sandbox.edit("src/a.rs", "line number 3\n", "line number 3\nnewer\n");
    let found = sandbox.windlass(&args).succeeds().json();
    assert_eq!(found["stale_before"], 2, "{found}");
}

/// A large repository has thousands of documents, most of them without citations.
#[cfg(unix)]
#[test]
fn documents_without_citations_start_no_git_each() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::git();
    for number in 0..20 {
        let page = format!("# Page {number}\n\nStart it with `host.local:8080`.\n");
        sandbox.write(&format!("docs/{number}.md"), page);
    }
    sandbox.commit("x");
    let counting = sandbox.outside().join("bin/git");
    std::fs::create_dir_all(counting.parent().unwrap()).unwrap();
    let path = std::env::var("PATH").unwrap();
    let calls = sandbox.outside().join("calls");
    let shown = calls.display();
    let script = format!("#!/bin/sh\necho >> '{shown}'\nPATH='{path}' exec git \"$@\"\n");
    std::fs::write(&counting, script).unwrap();
    std::fs::set_permissions(&counting, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = sandbox.command(sandbox.root(), &["anchor", "scan"]);
    command.env("PATH", counting.parent().unwrap());
    support::answer(&mut command).succeeds();
    let calls = std::fs::read_to_string(calls).unwrap();
    assert!((1..10).contains(&calls.len()), "{} calls", calls.len());
}
