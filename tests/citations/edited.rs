//! Citations of lines edited in place: how they're reported and repaired.

use serde_json::Value;

use super::support::Sandbox;
use super::{numbered, outcomes, scan};

const EDITED: &str = "a.py:9-12 stale_hash_mismatch edited";

/// Creates a document that cites lines of `a.py`, scans it with `args`, and then edits one of the
/// cited lines.
fn edited(sandbox: Sandbox, document: &str, args: &[&str]) -> Sandbox {
    sandbox
        .write("a.py", numbered(1, 40))
        .write("d.md", document);
    if sandbox.root().join(".git").exists() {
        sandbox.commit("doc");
    }
    sandbox
        .windlass(&[&["anchor", "scan"], args].concat())
        .succeeds();
    sandbox.edit("a.py", "line number 10\n", "line number 10 and more\n");
    sandbox
}

#[test]
fn edited_in_place_needs_no_repair() {
    let document = "See `a.py:9-12`, and `a.py:20,9-12`.\n";
    let sandbox = edited(Sandbox::git(), document, &[]);
    for args in [&[][..], &["--repair"], &["--repair", "--edited"]] {
        let found = scan(&sandbox, args, 0);
        assert_eq!(outcomes(&found), [EDITED, "a.py:20 fresh -", EDITED]);
        assert_eq!(found["citations"][0]["edited_in_place"], true);
        assert_eq!(found["next_actions"], Value::Null);
        assert_eq!(found["written"], Value::Null);
    }
    let text = sandbox.windlass(&["anchor", "scan"]).succeeds().stdout;
    assert!(
        text.starts_with("1 of 3 citations in 1 document fresh, 2 edited in place\n"),
        "{text}"
    );
    assert!(text.contains("% retained: the citation is valid"), "{text}");
    assert!(!text.contains("Next"), "{text}");
    // `impact` reports the edit too, but doesn't fail: it has no repair to propose, so nothing
    // could clear the failure.
    let text = sandbox.windlass(&["impact"]).succeeds().stdout;
    assert!(text.contains("all valid; 2 citations to review"), "{text}");
    assert!(
        text.contains("edited   d.md:1  a.py:9-12; edited in place"),
        "{text}"
    );
    assert!(!text.contains("--fix"), "{text}");
    // The lines have moved as well, so the citation is repaired.
    sandbox.edit("a.py", "line number 2\n", "line number 2\nnew\n");
    assert_eq!(outcomes(&scan(&sandbox, &[], 1))[0], EDITED);
    scan(&sandbox, &["--repair", "--edited"], 0);
    let wanted = "See `a.py:10-13`, and `a.py:21,10-13`.\n";
    assert_eq!(sandbox.read("d.md"), wanted);
}

#[test]
fn anchor_captures_edited_text() {
    let sandbox = edited(Sandbox::git(), "See `a.py:9-12`.\n", &[]);
    assert_eq!(scan(&sandbox, &["--save"], 0)["saved"][0], "a.py-L9-12");
    sandbox.windlass(&["anchor", "check"]).succeeds();

    // Scanning doesn't save an existing anchor a second time, and a repair adopts the edit.
    let folder = edited(Sandbox::folder(), "See `a.py:9-12`.\n", &["--save"]);
    assert_eq!(outcomes(&scan(&folder, &[], 0)), [EDITED]);
    assert_eq!(scan(&folder, &["--save"], 0)["saved"], Value::Null);
    scan(&folder, &["--repair", "--edited"], 0);
    assert_eq!(outcomes(&scan(&folder, &[], 0)), ["a.py:9-12 fresh -"]);
}

#[test]
fn block_with_old_text_is_not_fresh() {
    let lines = numbered(9, 12);
    let shown = format!("```py a.py:9-12\n{lines}```\n");
    let sandbox = edited(Sandbox::git(), &shown, &[]);
    let found = scan(&sandbox, &[], 1);
    assert_eq!(found["citations"][0]["edited_in_place"], Value::Null);
    scan(&sandbox, &["--repair", "--edited"], 0);
    let wanted = shown.replace("number 10", "number 10 and more");
    assert_eq!(sandbox.read("d.md"), wanted);

    // The block differs from both versions, so it's left to a person.
    let own = shown.replace("number 12", "number 12 (1)");
    let sandbox = edited(Sandbox::git(), &own, &[]);
    for args in [&[][..], &["--repair", "--edited"]] {
        let text = sandbox.windlass(&[&["anchor", "scan"], args].concat());
        let text = text.exits_with(1).stdout;
        assert!(text.contains("change it by hand"), "{text}");
        assert!(!text.contains("Next"), "{text}");
    }
    assert_eq!(sandbox.read("d.md"), own);
}

#[test]
fn nested_block_is_rewritten_after_dry_run() {
    for prefix in ["  ", "> "] {
        let shown: String = numbered(9, 12)
            .lines()
            .map(|line| format!("{prefix}{line}\n"))
            .collect();
        let first = if prefix == "  " { "- item\n\n" } else { "" };
        let text = format!("{first}{prefix}```py\n{prefix}# a.py:9-12\n{shown}{prefix}```\n");
        let sandbox = edited(Sandbox::git(), &text, &[]);
        sandbox.edit("a.py", "line number 2\n", "line number 2\nnew\n");
        let args = ["anchor", "scan", "--repair", "--edited", "--dry-run"];
        let said = sandbox.windlass(&args).succeeds().stdout;
        assert!(
            said.contains("+ a.py:10-13\n+ 1 line of its code block"),
            "{said}"
        );
        let found = scan(&sandbox, &["--repair", "--edited"], 0);
        assert_eq!(found["citations"][0]["rewritten_lines"], 1);
        let wanted = text
            .replace("a.py:9-12", "a.py:10-13")
            .replace("number 10\n", "number 10 and more\n");
        assert_eq!(sandbox.read("d.md"), wanted);
        assert_eq!(outcomes(&scan(&sandbox, &[], 0)), ["a.py:10-13 fresh -"]);
    }
}

#[test]
fn block_repair_never_shows_secret() {
    let shown = format!("```py a.py:9-12\n{}```\n", numbered(9, 12));
    let sandbox = edited(Sandbox::git(), &shown, &[]);
    let token = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"].concat();
    let line = format!("line number 10; token = \"{token}\"\n");
    sandbox.edit("a.py", "line number 10 and more\n", &line);
    let args = ["anchor", "scan", "--repair", "--edited"];
    let said = sandbox.windlass(&args).exits_with(1).stdout;
    assert!(said.contains("now hold a secret value"), "{said}");
    assert!(!said.contains("Next") && !said.contains(&token), "{said}");
    assert_eq!(sandbox.read("d.md"), shown);
}
