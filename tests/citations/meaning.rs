//! The meaning of a citation: which evidence decides what text it cites.

use serde_json::Value;

use super::support::Sandbox;
use super::{numbered, outcomes, scan};

const FIRST: &str = "def first_function(a):\n    return compute_first(a)\n";
const SECOND: &str = "def second_function(b):\n    return compute_second(b)\n";
const LICENCE: &str = "# a licence\n# and more of it\n";

/// Commits `b.py`, made of `parts`.
fn sandbox(parts: &[&str]) -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write("b.py", parts.concat()).commit("code");
    sandbox
}

fn anchor(sandbox: &Sandbox, id: &str, place: &str) {
    sandbox.windlass(&["anchor", "add", id, place]).succeeds();
}

fn cited_by_impact(sandbox: &Sandbox, args: &[&str], code: i32) -> Vec<String> {
    let args = [&["impact", "--format", "json"], args].concat();
    let found = sandbox.windlass(&args).exits_with(code).json();
    outcomes(&found)
}

#[test]
fn anchor_of_swapped_text_is_ignored() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    anchor(&sandbox, "second", "b.py:3-4");
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox
        .write("b.py", format!("{SECOND}{FIRST}"))
        .commit("swapped");
    let moved = ["b.py:1-2 stale_hash_mismatch moved"];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
    sandbox.windlass(&["anchor", "repair"]).succeeds();
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
    // Even if the other text has an anchor of its own, that doesn't make it the cited text.
    anchor(&sandbox, "new", "b.py:1-2");
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
    assert_eq!(cited_by_impact(&sandbox, &["--base", "HEAD~1"], 1), moved);
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    assert_eq!(sandbox.read("d.md"), "See `b.py:3-4`.\n");
    assert_eq!(cited_by_impact(&sandbox, &["--base", "HEAD~1"], 0), [""; 0]);
}

#[test]
fn anchor_stale_before_is_ignored() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    anchor(&sandbox, "first", "b.py:1-2");
    let text = format!("{LICENCE}{SECOND}{FIRST}");
    sandbox.write("b.py", text).commit("moved");
    let line = "The licence is at `b.py:1-2`.\n";
    sandbox.write("d.md", line);
    // The result is the same before and after the commit.
    assert_eq!(outcomes(&scan(&sandbox, &[], 0)), ["b.py:1-2 unknown -"]);
    assert_eq!(cited_by_impact(&sandbox, &[], 0), [""; 0]);
    sandbox.commit("doc");
    assert_eq!(
        outcomes(&scan(&sandbox, &["--repair"], 0)),
        ["b.py:1-2 fresh -"]
    );
    assert_eq!(sandbox.read("d.md"), line);
}

#[test]
fn block_text_outranks_history() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox
        .write("d.md", format!("```b.py:3-4\n{SECOND}```\n"))
        .commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}x = 1\n{FIRST}{SECOND}"))
        .commit("moved");
    anchor(&sandbox, "other", "b.py:3-4");
    sandbox.edit("b.py", "# a licence", "# first\n# a licence");
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    assert_eq!(sandbox.read("d.md"), format!("```b.py:7-8\n{SECOND}```\n"));

    // The block decides even if it's uncommitted, or if its numbers were wrong from the start.
    sandbox.commit("all");
    let wrong = format!("```b.py:1-2\n{SECOND}```\n");
    for is_committed in [false, true] {
        sandbox.write("e.md", &wrong);
        if is_committed {
            sandbox.commit("wrong");
        }
        let found = scan(&sandbox, &["e.md", "--repair"], 0);
        assert_eq!(outcomes(&found), ["b.py:1-2 stale_hash_mismatch moved"]);
        assert_eq!(sandbox.read("e.md"), wrong.replace("1-2", "7-8"));
    }
    // A block with only a part of the cited lines proves nothing about the rest.
    let part = "```b.py:1-4\n    return compute_second(b)\n```\n";
    sandbox.write("e.md", part);
    assert_eq!(
        outcomes(&scan(&sandbox, &["e.md"], 0)),
        ["b.py:1-4 unknown -"]
    );
}

#[test]
fn block_text_found_twice_is_ambiguous() {
    let folder = Sandbox::folder();
    folder
        .write("b.py", format!("{FIRST}{LICENCE}{FIRST}"))
        .write("d.md", format!("```b.py:2-3\n{FIRST}```\n"));
    let found = scan(&folder, &["--repair"], 1);
    assert_eq!(outcomes(&found), ["b.py:2-3 stale_hash_mismatch ambiguous"]);
    let candidates = found["citations"][0]["repair"]["candidates"].as_array();
    assert_eq!(candidates.map(Vec::len), Some(2));
    assert_eq!(found["citations"][0]["meant"], "excerpt");
}

#[test]
fn uncommitted_needs_its_own_anchor() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    anchor(&sandbox, "by-hand", "b.py:3-4");
    sandbox.write("d.md", "See `b.py:3-4`.\n");
    sandbox.write("e.md", "See `b.py:3-4`.\n");
    assert_eq!(
        outcomes(&scan(&sandbox, &["d.md"], 0)),
        ["b.py:3-4 unknown -"]
    );
    sandbox
        .windlass(&["anchor", "remove", "by-hand"])
        .succeeds();
    let saved = scan(&sandbox, &["d.md", "--save"], 0);
    assert_eq!(saved["saved"], serde_json::json!(["b.py-L3-4"]));
    assert_eq!(scan(&sandbox, &["d.md", "--save"], 0)["saved"], Value::Null);
    // Document and code change together, before any commit.
    sandbox.write("b.py", format!("{LICENCE}{FIRST}{SECOND}"));
    let moved = ["b.py:3-4 stale_hash_mismatch moved"];
    assert_eq!(outcomes(&scan(&sandbox, &["d.md"], 1)), moved);
    assert_eq!(cited_by_impact(&sandbox, &[], 1), moved);
    assert_eq!(
        outcomes(&scan(&sandbox, &["e.md"], 0)),
        ["b.py:3-4 unknown -"]
    );
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    assert_eq!(sandbox.read("d.md"), "See `b.py:5-6`.\n");
    assert_eq!(sandbox.read("e.md"), "See `b.py:3-4`.\n");
    assert_eq!(cited_by_impact(&sandbox, &[], 0), [""; 0]);
    sandbox.write("b.py", format!("{LICENCE}{LICENCE}{FIRST}{SECOND}"));
    assert_eq!(
        outcomes(&scan(&sandbox, &["d.md"], 1)),
        ["b.py:5-6 stale_hash_mismatch moved"]
    );
}

#[test]
fn removed_citation_anchor_is_ignored() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox.windlass(&["anchor", "scan", "--save"]).succeeds();
    sandbox.write("d.md", "Nothing.\n");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    let line = "Nothing.\n\nThe licence is at `b.py:1-2`.\n";
    sandbox.write("d.md", line);
    assert_eq!(
        outcomes(&scan(&sandbox, &["--repair"], 0)),
        ["b.py:1-2 unknown -"]
    );
    assert_eq!(sandbox.read("d.md"), line);
}

#[test]
fn hand_written_numbers_are_believed() {
    let sandbox = sandbox(&[FIRST, SECOND, &numbered(1, 9)]);
    sandbox
        .write("d.md", "- `b.py:3-4`\n- `b.py:6`\n")
        .commit("doc");
    sandbox.write("b.py", [LICENCE, FIRST, SECOND, &numbered(1, 9)].concat());
    // The first number follows the text, but the second cites other text.
    sandbox.write("d.md", "- `b.py:5-6`\n- `b.py:11`\n");
    let found = scan(&sandbox, &["--repair"], 0);
    assert_eq!(outcomes(&found), ["b.py:5-6 fresh -", "b.py:11 unknown -"]);
    assert_eq!(cited_by_impact(&sandbox, &[], 0), [""; 0]);
}

#[test]
fn second_move_before_commit_is_unknown() {
    let rest = numbered(1, 9);
    let sandbox = sandbox(&[FIRST, SECOND, &rest]);
    sandbox.write("d.md", "See `b.py:3-4`.\n").commit("doc");
    sandbox.write("b.py", format!("{LICENCE}{FIRST}{SECOND}{rest}"));
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    assert_eq!(outcomes(&scan(&sandbox, &[], 0)), ["b.py:5-6 fresh -"]);
    sandbox.write("b.py", format!("# one line\n{FIRST}{SECOND}{rest}"));
    let found = scan(&sandbox, &[], 0);
    assert_eq!(outcomes(&found), ["b.py:5-6 unknown -"]);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("b.py:4-5"), "{reason}");
    let said = sandbox.windlass(&["impact"]).succeeds().stdout;
    assert!(
        said.contains("1 citation to review") && said.contains("b.py:4-5"),
        "{said}"
    );
    // Changing the range counts as a review.
    sandbox.write("d.md", "See `b.py:4-6`.\n");
    let said = sandbox.windlass(&["impact"]).succeeds().stdout;
    assert!(!said.contains("to review"), "{said}");
}

#[test]
fn shallow_clone_prefers_citation_anchor() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox.windlass(&["anchor", "scan", "--save"]).succeeds();
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    // With this file, git takes the clone for a shallow one that begins at the last commit.
    let git_dir = sandbox.root().join(".git");
    let head = sandbox.run_git(&["rev-parse", "HEAD"]);
    std::fs::write(git_dir.join("shallow"), head).unwrap();
    let moved = ["b.py:1-2 stale_hash_mismatch moved"];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
    sandbox
        .windlass(&["anchor", "remove", "b.py-L1-2"])
        .succeeds();
    // Without the history we can't verify the citation, so it isn't fresh.
    let found = scan(&sandbox, &[], 1);
    assert_eq!(outcomes(&found), ["b.py:1-2 unknown -"]);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("--unshallow"), "{reason}");
    assert_eq!(cited_by_impact(&sandbox, &[], 0), [""; 0]);
    // Later moves are reported. The citation still isn't repaired, because it may have been wrong
    // before.
    let text = sandbox.read("b.py");
    sandbox
        .write("b.py", format!("# top\n{text}"))
        .commit("moved");
    assert_eq!(outcomes(&scan(&sandbox, &["--repair"], 1)), moved);
    assert_eq!(sandbox.read("d.md"), "See `b.py:1-2`.\n");
}

#[test]
fn shallow_clone_missing_file_is_counted() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox
        .write("d.md", "See `b.py:1-2`, at `localhost:80`.\n")
        .commit("doc");
    sandbox.remove("b.py");
    sandbox.commit("removed");
    let found = scan(&sandbox, &[], 1);
    assert_eq!(outcomes(&found), ["b.py:1-2 missing_file gone"]);
    assert_eq!(found.get("untold"), None);
    let head = sandbox.run_git(&["rev-parse", "HEAD"]);
    std::fs::write(sandbox.root().join(".git/shallow"), head).unwrap();
    let found = scan(&sandbox, &[], 0);
    assert_eq!((outcomes(&found).len(), &found["untold"]), (0, &1.into()));
    let said = sandbox.windlass(&["anchor", "scan"]).succeeds().stdout;
    assert!(said.contains("--unshallow"), "{said}");
}

#[test]
fn missing_commit_is_never_fresh() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox.edit("d.md", "See", "See also").commit("words");
    // Damage the repository: the commit that introduced the citation is gone.
    let lost = sandbox.run_git(&["rev-parse", "HEAD~2"]);
    let (folder, name) = lost.trim().split_at(2);
    sandbox.remove(&format!(".git/objects/{folder}/{name}"));
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), ["b.py:1-2 unknown -"]);
}

#[test]
fn unreadable_cited_text_is_reported() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    let lost = sandbox.run_git(&["rev-parse", "HEAD~1:b.py"]);
    let (folder, name) = lost.trim().split_at(2);
    sandbox.remove(&format!(".git/objects/{folder}/{name}"));
    let found = scan(&sandbox, &[], 0);
    assert_eq!(outcomes(&found), ["b.py:1-2 unknown -"]);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("git has no contents"), "{reason}");
}

#[test]
fn filtered_blob_is_not_compared() {
    let sandbox = Sandbox::git();
    // The blob has the file's text in ROT13, so it would be wrong to compare the two.
    let turned = "tr a-zA-Z n-za-mN-ZA-M";
    sandbox.run_git(&["config", "filter.turn.clean", turned]);
    sandbox.run_git(&["config", "filter.turn.smudge", turned]);
    sandbox
        .write(".gitattributes", "*.rs filter=turn\n")
        .write("src/a.rs", numbered(1, 40))
        .write("guide.md", "See `src/a.rs:5-9`.\n")
        .commit("x");
    assert_eq!(outcomes(&scan(&sandbox, &[], 0)), ["src/a.rs:5-9 fresh -"]);
    sandbox.windlass(&["impact"]).succeeds();
    sandbox.edit("src/a.rs", "line number 7\n", "another line\n");
    for is_committed in [false, true] {
        if is_committed {
            sandbox.commit("y");
        }
        let found = scan(&sandbox, &[], 0);
        assert_eq!(outcomes(&found), ["src/a.rs:5-9 unknown -"]);
        let why = found["citations"][0]["reason"].as_str().unwrap();
        assert!(why.contains("applies a filter to the file"), "{why}");
        let since: &[&str] = if is_committed {
            &["--base", "HEAD~1"]
        } else {
            &[]
        };
        let args = [&["impact", "--format", "json"], since].concat();
        let impact = sandbox.windlass(&args).succeeds().json();
        assert_eq!(impact["unclear"][0]["citation"], "src/a.rs:5-9");
    }
}

#[test]
fn git_failure_is_unknown_not_uncommitted() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox.write("c", "1\n").commit("more");
    let lost = sandbox.run_git(&["rev-parse", "HEAD~1^{tree}"]);
    let (folder, name) = lost.trim().split_at(2);
    sandbox.remove(&format!(".git/objects/{folder}/{name}"));
    let found = scan(&sandbox, &["--save"], 1);
    assert_eq!(outcomes(&found), ["b.py:1-2 unknown -"]);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("git cannot"), "{reason}");
    // Text of unknown meaning isn't saved as an anchor, and no call proposes that.
    assert_eq!(found["saved"], Value::Null);
    assert_eq!(found["next_actions"], Value::Null);
}

#[test]
fn impact_names_edited_repair_call() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox.edit("b.py", "compute_first(a)", "compute_first(a, 1)");
    let moved = format!("# top\n{}", sandbox.read("b.py"));
    sandbox.write("b.py", moved);
    let said = sandbox.windlass(&["impact"]).exits_with(1).stdout;
    assert!(
        said.contains("windlass anchor scan d.md --fix --edited"),
        "{said}"
    );
}

fn functions() -> String {
    (1..=60)
        .map(|nr| format!("def f{nr}(x): return x + {nr}  # number {nr}\n"))
        .collect()
}

/// Inserts five lines at the top, three times. Checks that each repair updates the citations, which
/// are five lines apart.
fn check_repair_rounds(line: &dyn Fn(u32) -> String, label: &str) {
    let sandbox = sandbox(&[&functions()]);
    let list = |first: u32| -> String { (0..5).map(|at| line(first + at * 5)).collect() };
    sandbox.write("d.md", list(5)).commit("doc");
    for round in 1..=3 {
        let code = format!("{}{}", "# new\n".repeat(5), sandbox.read("b.py"));
        sandbox.write("b.py", code).commit("code");
        sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
        let wanted = list(5 + round * 5);
        assert_eq!(sandbox.read("d.md"), wanted, "{label} {round}");
        // A second repair changes nothing, neither before nor after the commit.
        for _ in 0..2 {
            let found = outcomes(&scan(&sandbox, &[], 0));
            assert!(
                found.iter().all(|one| one.ends_with("fresh -")),
                "{label} {round}: {found:?}"
            );
            sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
            assert_eq!(sandbox.read("d.md"), wanted, "{label} {round}");
            sandbox.commit("repaired");
        }
    }
}

#[test]
fn repair_does_not_confuse_neighbours() {
    let name = std::cell::Cell::new(0);
    let named = |at: u32| {
        name.set(name.get() % 5 + 1);
        format!("- [f{}](b.py#L{at})\n", name.get())
    };
    check_repair_rounds(&named, "named");
    // Git's diff keeps most of these lines, because they look alike.
    check_repair_rounds(&|at| format!("- [it](b.py#L{at})\n"), "alike");
}

#[test]
fn one_edited_item_keeps_the_others() {
    let sandbox = sandbox(&[&functions()]);
    let list = |lines: [u32; 4]| lines.map(|at| format!("- [it](b.py#L{at})\n")).concat();
    sandbox.write("d.md", list([5, 10, 15, 20])).commit("doc");
    let code = format!("{}{}", "# new\n".repeat(5), functions());
    sandbox.write("b.py", code).commit("code");
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    sandbox.commit("repaired");
    let wanted = list([10, 15, 20, 30]);
    for state in ["written", "committed"] {
        sandbox.write("d.md", &wanted);
        sandbox.windlass(&["anchor", "scan", "--repair"]);
        assert_eq!(sandbox.read("d.md"), wanted, "{state}");
        sandbox.commit("by hand");
    }
}

#[test]
fn hand_edit_with_code_change_is_fresh() {
    let sandbox = sandbox(&[&functions()]);
    let text = |first: u32, second: u32| {
        format!(
            "The first is b.py:{first}.\n\nThe second is b.py:{second}, not b.py:{first},{second}.\n"
        )
    };
    sandbox.write("d.md", text(10, 13)).commit("doc");
    let code = format!("# 1\n# 2\n# 3\n{}", functions());
    sandbox.write("b.py", code).write("d.md", text(13, 16));
    let fresh = [
        "b.py:13 fresh -",
        "b.py:16 fresh -",
        "b.py:13 fresh -",
        "b.py:16 fresh -",
    ];
    assert_eq!(outcomes(&scan(&sandbox, &[], 0)), fresh);
    sandbox.commit("code and doc");
    assert_eq!(outcomes(&scan(&sandbox, &[], 0)), fresh);
    assert_eq!(cited_by_impact(&sandbox, &["--base", "HEAD~1"], 0), [""; 0]);
}

#[test]
fn hand_edit_with_rewording_is_believed() {
    let was = "The loader `b.py:9`, and the writer `b.py:12`.\n\nThe parser\nis `b.py:15`.\n";
    for (now, wanted) in [
        // Each citation moves on by three lines, and the text is wrapped differently.
        (
            "The loader `b.py:12`,\nand the writer `b.py:15`.\n\nThe parser is\n`b.py:18`.\n",
            ["12 fresh -", "15 fresh -", "18 fresh -"],
        ),
        // The numbers haven't changed, so each sentence keeps its meaning in any order and
        // wrapping.
        (
            "The writer `b.py:12`,\nand the loader `b.py:9`.\n\nThe parser is `b.py:15`.\n",
            [
                "12 stale_hash_mismatch moved",
                "9 stale_hash_mismatch moved",
                "15 stale_hash_mismatch moved",
            ],
        ),
    ] {
        let sandbox = sandbox(&[&functions()]);
        sandbox.write("d.md", was).commit("doc");
        let code = format!("# 1\n# 2\n# 3\n{}", functions());
        sandbox.write("b.py", code).commit("code");
        let wanted = wanted.map(|one| format!("b.py:{one}"));
        let code = i32::from(wanted[0].ends_with("moved"));
        sandbox.write("d.md", now);
        for state in ["written", "committed"] {
            assert_eq!(outcomes(&scan(&sandbox, &[], code)), wanted, "{state}");
            sandbox.commit("by hand");
        }
        sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
        if code == 0 {
            assert_eq!(sandbox.read("d.md"), now);
        }
    }
}

/// Creates a document with a section citing `b.py`, then moves the cited lines.
fn moved_section() -> Sandbox {
    let sandbox = sandbox(&[FIRST, SECOND]);
    let section =
        "## The second one\n\nAll that it does is to compute what is wanted,\nin `b.py:3`.\n";
    sandbox
        .write(
            "d.md",
            format!("# The first one\n\nWords of it.\n\n{section}"),
        )
        .commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox
}

#[test]
fn section_moved_elsewhere_keeps_meaning() {
    let sandbox = moved_section();
    let moved = ["b.py:3 stale_hash_mismatch moved"];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
    let text = sandbox.read("d.md");
    let (stays, section) = text.split_at(text.find("## ").unwrap());
    sandbox
        .write("d.md", stays)
        .write("e.md", section)
        .commit("split");
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
}

#[test]
fn restored_document_keeps_meaning() {
    let sandbox = moved_section();
    let text = sandbox.read("d.md");
    sandbox.remove("d.md").commit("deleted");
    sandbox.write("d.md", &text).commit("put back");
    let moved = ["b.py:3 stale_hash_mismatch moved"];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
}

#[test]
fn reordered_sentences_keep_meaning() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    let document = "The first one is at `b.py:1` of it. The second one is\nat `b.py:3` of it.\n";
    sandbox.write("d.md", document).commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    let document = "The second one is at `b.py:3` of it. The first one is\nat `b.py:1` of it.\n";
    sandbox.write("d.md", document);
    let moved = [
        "b.py:3 stale_hash_mismatch moved",
        "b.py:1 stale_hash_mismatch moved",
    ];
    for state in ["written", "committed"] {
        assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved, "{state}");
        sandbox.commit("in another order");
    }
    // Believe an edit by hand that exchanges the numbers.
    sandbox
        .write("b.py", format!("{LICENCE}{SECOND}{FIRST}"))
        .commit("changed places");
    let document = "The second one is at `b.py:3` of it. The first one is\nat `b.py:5` of it.\n";
    sandbox.write("d.md", document).commit("written anew");
    let swapped = "The second one is at `b.py:5` of it. The first one is\nat `b.py:3` of it.\n";
    sandbox.write("b.py", format!("{LICENCE}{FIRST}{SECOND}"));
    sandbox.write("d.md", swapped).commit("back again");
    assert_eq!(
        outcomes(&scan(&sandbox, &[], 0)),
        ["b.py:5 fresh -", "b.py:3 fresh -"]
    );
}

/// Returns a function of four lines, followed by an empty line.
fn job_function(name: &str) -> String {
    format!(
        "def {name}(job):\n    log(\"{name}\", job)\n    total = job.{name} * 2\n    return total\n\n"
    )
}

#[test]
fn reordered_rows_match_code_order() {
    let (alpha, beta, gamma) = (
        job_function("alpha"),
        job_function("beta"),
        job_function("gamma"),
    );
    let sandbox = sandbox(&[&alpha, &beta, &gamma]);
    let table = |names: [&str; 3]| {
        let rows = names.iter().zip([1, 6, 11]);
        let row = |(name, at)| format!("| {name} | what {name} does | `b.py:{at}-{}` |\n", at + 3);
        rows.map(row).collect::<String>()
    };
    let before = table(["alpha", "beta", "gamma"]);
    sandbox.write("d.md", before).commit("doc");
    sandbox.write("b.py", [beta, alpha, gamma].concat());
    let after = table(["beta", "alpha", "gamma"]);
    sandbox.write("d.md", &after);
    for state in ["written", "committed"] {
        sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
        assert_eq!(sandbox.read("d.md"), after, "{state}");
        sandbox.commit("in another order");
    }
}

#[test]
fn bare_links_belong_to_their_heading() {
    let section =
        |name: &str, at: u32| format!("## {name}\n\n[source](b.py#L{at}-L{})\n\n", at + 3);
    let document = |names: &[&str]| -> String {
        let named = names.iter().zip(0..);
        named.map(|(name, at)| section(name, at * 5 + 1)).collect()
    };
    let code = |names: &[&str]| -> String { names.iter().map(|name| job_function(name)).collect() };
    let before = ["alpha", "beta", "gamma"];
    for after in [
        &["zero", "alpha", "beta", "gamma"][..],
        &["beta", "gamma"],
        &["beta", "alpha", "gamma"],
    ] {
        let sandbox = sandbox(&[&code(&before)]);
        sandbox.write("d.md", document(&before)).commit("doc");
        sandbox
            .write("b.py", code(after))
            .write("d.md", document(after));
        for state in ["written", "committed"] {
            let _ = sandbox.windlass(&["anchor", "scan", "--repair"]);
            assert_eq!(sandbox.read("d.md"), document(after), "{after:?}, {state}");
            sandbox.commit("both");
        }
        assert_eq!(cited_by_impact(&sandbox, &["--base", "HEAD~1"], 0), [""; 0]);
        // Later moves are still reported.
        sandbox
            .write("b.py", format!("# new\n{}", code(after)))
            .commit("moved");
        let found = outcomes(&scan(&sandbox, &[], 1));
        assert!(found.iter().all(|one| one.ends_with("moved")), "{found:?}");
    }
}

#[test]
fn moved_document_keeps_link_meaning() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    let document = |path: &str| format!("# It\n\nAll of it: [the second one]({path}#L3).\n");
    sandbox.write("d.md", document("b.py")).commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox.write("d.md", document("./b.py")).commit("notation");
    assert_eq!(
        outcomes(&scan(&sandbox, &[], 1)),
        ["./b.py#L3 stale_hash_mismatch moved"]
    );
    sandbox
        .remove("d.md")
        .write("docs/d.md", document("../b.py"))
        .commit("moved");
    assert_eq!(
        outcomes(&scan(&sandbox, &[], 1)),
        ["../b.py#L3 stale_hash_mismatch moved"]
    );
}

#[test]
fn copied_document_keeps_meaning() {
    let sandbox = moved_section();
    let text = sandbox.read("d.md");
    sandbox
        .write("docs/e.md", text.replace("b.py", "../b.py"))
        .commit("copied");
    let moved = [
        "b.py:3 stale_hash_mismatch moved",
        "../b.py:3 stale_hash_mismatch moved",
    ];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
    // The same is true for a section that has only a link below its heading.
    let section = "## The second one\n\n[source](b.py#L3)\n";
    let sandbox = self::sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", section).commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox
        .write("e.md", format!("# Parts\n\n{section}"))
        .commit("copied");
    let moved = ["b.py#L3 stale_hash_mismatch moved"; 2];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
    // The same link below another heading is a new citation.
    sandbox
        .write("f.md", section.replace("second", "third"))
        .commit("written");
    let found = outcomes(&scan(&sandbox, &[], 1));
    assert_eq!(found, [&moved[..], &["b.py#L3 fresh -"]].concat());
}

#[test]
fn reordered_moved_items_keep_meaning() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    let (one, two) = (
        "The first, at `b.py:1`, waits.\n\n",
        "The second, at `b.py:3`, goes on.\n\n",
    );
    sandbox
        .write("d.md", format!("# D\n\n{one}{two}"))
        .write("e.md", "# E\n\nOther words.\n\n")
        .commit("docs");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox
        .write("d.md", "# D\n")
        .write("e.md", format!("# E\n\nOther words.\n\n{two}{one}"))
        .commit("merged");
    let moved = [
        "b.py:3 stale_hash_mismatch moved",
        "b.py:1 stale_hash_mismatch moved",
    ];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
}
