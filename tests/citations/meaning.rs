//! Which text a citation means: who is believed, and who is not.

use serde_json::Value;

use super::support::Sandbox;
use super::{numbered, scan, told};

const FIRST: &str = "def first_function(a):\n    return compute_first(a)\n";
const SECOND: &str = "def second_function(b):\n    return compute_second(b)\n";
const LICENCE: &str = "# a licence\n# and more of it\n";

/// `b.py` with these parts, committed.
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
    told(&found)
}

#[test]
fn an_anchor_of_another_text_that_came_to_stand_there_says_nothing() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    anchor(&sandbox, "second", "b.py:3-4");
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox
        .write("b.py", format!("{SECOND}{FIRST}"))
        .commit("swapped");
    let moved = ["b.py:1-2 stale_hash_mismatch moved"];
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
    sandbox.windlass(&["anchor", "repair"]).succeeds();
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
    anchor(&sandbox, "new", "b.py:1-2");
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
    assert_eq!(cited_by_impact(&sandbox, &["--base", "HEAD~1"], 1), moved);
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    assert_eq!(sandbox.read("d.md"), "See `b.py:3-4`.\n");
    assert_eq!(cited_by_impact(&sandbox, &["--base", "HEAD~1"], 0), [""; 0]);
}

#[test]
fn an_anchor_that_was_stale_before_says_nothing_of_a_new_document() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    anchor(&sandbox, "first", "b.py:1-2");
    let text = format!("{LICENCE}{SECOND}{FIRST}");
    sandbox.write("b.py", text).commit("moved");
    let line = "The licence is at `b.py:1-2`.\n";
    sandbox.write("d.md", line);
    // Neither before nor after it is committed.
    assert_eq!(told(&scan(&sandbox, &[], 0)), ["b.py:1-2 unknown -"]);
    assert_eq!(cited_by_impact(&sandbox, &[], 0), [""; 0]);
    sandbox.commit("doc");
    assert_eq!(
        told(&scan(&sandbox, &["--repair"], 0)),
        ["b.py:1-2 fresh -"]
    );
    assert_eq!(sandbox.read("d.md"), line);
}

#[test]
fn what_a_block_shows_counts_before_all_else() {
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

    // Also where no commit has the block, or its numbers were wrong when it was written.
    sandbox.commit("all");
    let wrong = format!("```b.py:1-2\n{SECOND}```\n");
    for is_committed in [false, true] {
        sandbox.write("e.md", &wrong);
        if is_committed {
            sandbox.commit("wrong");
        }
        let found = scan(&sandbox, &["e.md", "--repair"], 0);
        assert_eq!(told(&found), ["b.py:1-2 stale_hash_mismatch moved"]);
        assert_eq!(sandbox.read("e.md"), wrong.replace("1-2", "7-8"));
    }
    // One that shows a part of what it cites says nothing of the rest.
    let part = "```b.py:1-4\n    return compute_second(b)\n```\n";
    sandbox.write("e.md", part);
    assert_eq!(told(&scan(&sandbox, &["e.md"], 0)), ["b.py:1-4 unknown -"]);
}

#[test]
fn a_text_that_a_block_shows_and_that_stands_there_twice_is_not_claimed() {
    let folder = Sandbox::folder();
    folder
        .write("b.py", format!("{FIRST}{LICENCE}{FIRST}"))
        .write("d.md", format!("```b.py:2-3\n{FIRST}```\n"));
    let found = scan(&folder, &["--repair"], 1);
    assert_eq!(told(&found), ["b.py:2-3 stale_hash_mismatch ambiguous"]);
    let candidates = found["citations"][0]["repair"]["candidates"].as_array();
    assert_eq!(candidates.map(Vec::len), Some(2));
    assert_eq!(found["citations"][0]["meant"], "excerpt");
}

#[test]
fn what_is_in_no_commit_is_known_by_the_anchor_that_was_saved_for_it_alone() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    anchor(&sandbox, "by-hand", "b.py:3-4");
    sandbox.write("d.md", "See `b.py:3-4`.\n");
    sandbox.write("e.md", "See `b.py:3-4`.\n");
    assert_eq!(told(&scan(&sandbox, &["d.md"], 0)), ["b.py:3-4 unknown -"]);
    sandbox
        .windlass(&["anchor", "remove", "by-hand"])
        .succeeds();
    let saved = scan(&sandbox, &["d.md", "--save"], 0);
    assert_eq!(saved["saved"], serde_json::json!(["b.py-L3-4"]));
    assert_eq!(scan(&sandbox, &["d.md", "--save"], 0)["saved"], Value::Null);
    // Document and code change in one piece of work.
    sandbox.write("b.py", format!("{LICENCE}{FIRST}{SECOND}"));
    let moved = ["b.py:3-4 stale_hash_mismatch moved"];
    assert_eq!(told(&scan(&sandbox, &["d.md"], 1)), moved);
    assert_eq!(cited_by_impact(&sandbox, &[], 1), moved);
    assert_eq!(told(&scan(&sandbox, &["e.md"], 0)), ["b.py:3-4 unknown -"]);
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    assert_eq!(sandbox.read("d.md"), "See `b.py:5-6`.\n");
    assert_eq!(sandbox.read("e.md"), "See `b.py:3-4`.\n");
    assert_eq!(cited_by_impact(&sandbox, &[], 0), [""; 0]);
    sandbox.write("b.py", format!("{LICENCE}{LICENCE}{FIRST}{SECOND}"));
    assert_eq!(
        told(&scan(&sandbox, &["d.md"], 1)),
        ["b.py:5-6 stale_hash_mismatch moved"]
    );
}

#[test]
fn an_anchor_that_was_saved_for_a_citation_that_is_gone_says_nothing_of_another() {
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
        told(&scan(&sandbox, &["--repair"], 0)),
        ["b.py:1-2 unknown -"]
    );
    assert_eq!(sandbox.read("d.md"), line);
}

#[test]
fn what_was_written_anew_by_hand_is_not_held_against_what_was_there_before() {
    let sandbox = sandbox(&[FIRST, SECOND, &numbered(1, 9)]);
    sandbox
        .write("d.md", "- `b.py:3-4`\n- `b.py:6`\n")
        .commit("doc");
    sandbox.write("b.py", [LICENCE, FIRST, SECOND, &numbered(1, 9)].concat());
    // The first is where the text is, the second somewhere else.
    sandbox.write("d.md", "- `b.py:5-6`\n- `b.py:11`\n");
    let found = scan(&sandbox, &["--repair"], 0);
    assert_eq!(told(&found), ["b.py:5-6 fresh -", "b.py:11 unknown -"]);
    assert_eq!(cited_by_impact(&sandbox, &[], 0), [""; 0]);
}

#[test]
fn what_was_written_anew_and_moved_on_before_it_was_committed_is_to_be_looked_at() {
    let rest = numbered(1, 9);
    let sandbox = sandbox(&[FIRST, SECOND, &rest]);
    sandbox.write("d.md", "See `b.py:3-4`.\n").commit("doc");
    sandbox.write("b.py", format!("{LICENCE}{FIRST}{SECOND}{rest}"));
    sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
    assert_eq!(told(&scan(&sandbox, &[], 0)), ["b.py:5-6 fresh -"]);
    sandbox.write("b.py", format!("# one line\n{FIRST}{SECOND}{rest}"));
    let found = scan(&sandbox, &[], 0);
    assert_eq!(told(&found), ["b.py:5-6 unknown -"]);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("b.py:4-5"), "{reason}");
    let said = sandbox.windlass(&["impact"]).succeeds().stdout;
    assert!(
        said.contains("1 citation to review") && said.contains("b.py:4-5"),
        "{said}"
    );
    // Who has it end elsewhere has looked at it.
    sandbox.write("d.md", "See `b.py:4-6`.\n");
    let said = sandbox.windlass(&["impact"]).succeeds().stdout;
    assert!(!said.contains("looked at"), "{said}");
}

#[test]
fn in_a_shallow_clone_an_anchor_of_the_citation_knows_more_than_the_oldest_commit() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox.windlass(&["anchor", "scan", "--save"]).succeeds();
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    let git_dir = sandbox.root().join(".git");
    let head = sandbox.run_git(&["rev-parse", "HEAD"]);
    std::fs::write(git_dir.join("shallow"), head).unwrap();
    let moved = ["b.py:1-2 stale_hash_mismatch moved"];
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
    sandbox
        .windlass(&["anchor", "remove", "b.py-L1-2"])
        .succeeds();
    // Nobody can look whether it holds, so it does not pass.
    let found = scan(&sandbox, &[], 1);
    assert_eq!(told(&found), ["b.py:1-2 unknown -"]);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("--unshallow"), "{reason}");
    assert_eq!(cited_by_impact(&sandbox, &[], 0), [""; 0]);
    // What happens to its lines from now on is told, and nothing is written: they may have been the wrong ones before.
    let text = sandbox.read("b.py");
    sandbox
        .write("b.py", format!("# top\n{text}"))
        .commit("moved");
    assert_eq!(told(&scan(&sandbox, &["--repair"], 1)), moved);
    assert_eq!(sandbox.read("d.md"), "See `b.py:1-2`.\n");
}

#[test]
fn in_a_shallow_clone_what_names_a_file_that_is_not_there_may_be_a_citation() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox
        .write("d.md", "See `b.py:1-2`, at `localhost:80`.\n")
        .commit("doc");
    sandbox.remove("b.py");
    sandbox.commit("removed");
    let found = scan(&sandbox, &[], 1);
    assert_eq!(told(&found), ["b.py:1-2 missing_file gone"]);
    assert_eq!(found.get("untold"), None);
    let head = sandbox.run_git(&["rev-parse", "HEAD"]);
    std::fs::write(sandbox.root().join(".git/shallow"), head).unwrap();
    let found = scan(&sandbox, &[], 0);
    assert_eq!((told(&found).len(), &found["untold"]), (0, &1.into()));
    let said = sandbox.windlass(&["anchor", "scan"]).succeeds().stdout;
    assert!(said.contains("--unshallow"), "{said}");
}

#[test]
fn where_a_commit_is_missing_nothing_is_said_to_be_fresh() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox.edit("d.md", "See", "See also").commit("words");
    let lost = sandbox.run_git(&["rev-parse", "HEAD~2"]);
    let (folder, name) = lost.trim().split_at(2);
    sandbox.remove(&format!(".git/objects/{folder}/{name}"));
    assert_eq!(told(&scan(&sandbox, &[], 1)), ["b.py:1-2 unknown -"]);
}

#[test]
fn where_what_was_cited_cannot_be_read_that_is_said() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    let lost = sandbox.run_git(&["rev-parse", "HEAD~1:b.py"]);
    let (folder, name) = lost.trim().split_at(2);
    sandbox.remove(&format!(".git/objects/{folder}/{name}"));
    let found = scan(&sandbox, &[], 0);
    assert_eq!(told(&found), ["b.py:1-2 unknown -"]);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("git has no contents"), "{reason}");
}

#[test]
fn what_git_keeps_as_a_filter_made_it_is_not_held_against_the_file() {
    let sandbox = Sandbox::git();
    let turned = "tr a-zA-Z n-za-mN-ZA-M";
    sandbox.run_git(&["config", "filter.turn.clean", turned]);
    sandbox.run_git(&["config", "filter.turn.smudge", turned]);
    sandbox
        .write(".gitattributes", "*.rs filter=turn\n")
        .write("src/a.rs", numbered(1, 40))
        .write("guide.md", "See `src/a.rs:5-9`.\n")
        .commit("x");
    assert_eq!(told(&scan(&sandbox, &[], 0)), ["src/a.rs:5-9 fresh -"]);
    sandbox.windlass(&["impact"]).succeeds();
    sandbox.edit("src/a.rs", "line number 7\n", "another line\n");
    for is_committed in [false, true] {
        if is_committed {
            sandbox.commit("y");
        }
        let found = scan(&sandbox, &[], 0);
        assert_eq!(told(&found), ["src/a.rs:5-9 unknown -"]);
        let why = found["citations"][0]["reason"].as_str().unwrap();
        assert!(why.contains("passes the file through a filter"), "{why}");
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
fn where_git_fails_a_citation_is_not_said_to_be_in_no_commit() {
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
    assert_eq!(told(&found), ["b.py:1-2 unknown -"]);
    let reason = found["citations"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("git cannot say"), "{reason}");
    // What nobody knows is not saved as what it means, nor is that proposed.
    assert_eq!(found["saved"], Value::Null);
    assert_eq!(found["next_actions"], Value::Null);
}

#[test]
fn a_change_that_edits_what_is_cited_leads_to_the_call_that_takes_it_over() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    sandbox.write("d.md", "See `b.py:1-2`.\n").commit("doc");
    sandbox.edit("b.py", "compute_first(a)", "compute_first(a, 1)");
    let moved = format!("# top\n{}", sandbox.read("b.py"));
    sandbox.write("b.py", moved);
    let said = sandbox.windlass(&["impact"]).exits_with(1).stdout;
    assert!(
        said.contains("windlass anchor scan d.md --repair --edited"),
        "{said}"
    );
}

/// A function a line.
fn functions() -> String {
    (1..=60)
        .map(|nr| format!("def f{nr}(x): return x + {nr}  # number {nr}\n"))
        .collect()
}

/// Five lines are put in before all others, and the citations that are five lines apart written anew, three times.
fn rounds(line: &dyn Fn(u32) -> String, label: &str) {
    let sandbox = sandbox(&[&functions()]);
    let list = |first: u32| -> String { (0..5).map(|at| line(first + at * 5)).collect() };
    sandbox.write("d.md", list(5)).commit("doc");
    for round in 1..=3 {
        let code = format!("{}{}", "# new\n".repeat(5), sandbox.read("b.py"));
        sandbox.write("b.py", code).commit("code");
        sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
        let wanted = list(5 + round * 5);
        assert_eq!(sandbox.read("d.md"), wanted, "{label} {round}");
        // Nothing is to be done again, neither before it is committed nor afterwards.
        for _ in 0..2 {
            let found = told(&scan(&sandbox, &[], 0));
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
fn what_was_written_anew_is_not_taken_for_what_stood_elsewhere() {
    let name = std::cell::Cell::new(0);
    let named = |at: u32| {
        name.set(name.get() % 5 + 1);
        format!("- [f{}](b.py#L{at})\n", name.get())
    };
    rounds(&named, "named");
    // To git, most of the lines of this one stay.
    rounds(&|at| format!("- [it](b.py#L{at})\n"), "alike");
}

#[test]
fn who_writes_one_line_of_a_list_anew_leaves_the_others_as_they_are() {
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
fn lines_that_were_written_anew_by_hand_with_the_code_are_right() {
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
    assert_eq!(told(&scan(&sandbox, &[], 0)), fresh);
    sandbox.commit("code and doc");
    assert_eq!(told(&scan(&sandbox, &[], 0)), fresh);
    assert_eq!(cited_by_impact(&sandbox, &["--base", "HEAD~1"], 0), [""; 0]);
}

#[test]
fn who_moves_citations_on_by_hand_and_rewords_the_sentence_has_the_last_word() {
    let was = "The loader `b.py:9`, and the writer `b.py:12`.\n\nThe parser\nis `b.py:15`.\n";
    for (now, wanted) in [
        // All moved on, and wrapped: none is what another one had named.
        (
            "The loader `b.py:12`,\nand the writer `b.py:15`.\n\nThe parser is\n`b.py:18`.\n",
            ["12 fresh -", "15 fresh -", "18 fresh -"],
        ),
        // The same numbers as before: what each means did not change, in whichever order and lines.
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
            assert_eq!(told(&scan(&sandbox, &[], code)), wanted, "{state}");
            sandbox.commit("by hand");
        }
        sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
        if code == 0 {
            assert_eq!(sandbox.read("d.md"), now);
        }
    }
}

/// A document of which a section cites `b.py`, which moved on since.
fn of_two_sections() -> Sandbox {
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
fn a_section_that_moves_to_another_document_means_what_it_meant() {
    let sandbox = of_two_sections();
    let moved = ["b.py:3 stale_hash_mismatch moved"];
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
    let text = sandbox.read("d.md");
    let (stays, section) = text.split_at(text.find("## ").unwrap());
    sandbox
        .write("d.md", stays)
        .write("e.md", section)
        .commit("split");
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
}

#[test]
fn a_document_that_is_put_back_means_what_it_meant() {
    let sandbox = of_two_sections();
    let text = sandbox.read("d.md");
    sandbox.remove("d.md").commit("deleted");
    sandbox.write("d.md", &text).commit("put back");
    let moved = ["b.py:3 stale_hash_mismatch moved"];
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
}

#[test]
fn sentences_that_change_places_cite_what_they_cited() {
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
        assert_eq!(told(&scan(&sandbox, &[], 1)), moved, "{state}");
        sandbox.commit("in another order");
    }
    // Who writes the one number in place of the other has the last word.
    sandbox
        .write("b.py", format!("{LICENCE}{SECOND}{FIRST}"))
        .commit("changed places");
    let document = "The second one is at `b.py:3` of it. The first one is\nat `b.py:5` of it.\n";
    sandbox.write("d.md", document).commit("written anew");
    let swapped = "The second one is at `b.py:5` of it. The first one is\nat `b.py:3` of it.\n";
    sandbox.write("b.py", format!("{LICENCE}{FIRST}{SECOND}"));
    sandbox.write("d.md", swapped).commit("back again");
    assert_eq!(
        told(&scan(&sandbox, &[], 0)),
        ["b.py:5 fresh -", "b.py:3 fresh -"]
    );
}

/// A function of four lines, and an empty one.
fn job(name: &str) -> String {
    format!(
        "def {name}(job):\n    log(\"{name}\", job)\n    total = job.{name} * 2\n    return total\n\n"
    )
}

#[test]
fn rows_written_anew_in_the_order_of_the_code_are_right() {
    let (alpha, beta, gamma) = (job("alpha"), job("beta"), job("gamma"));
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
fn links_alone_on_a_line_belong_to_the_heading_above() {
    let section =
        |name: &str, at: u32| format!("## {name}\n\n[source](b.py#L{at}-L{})\n\n", at + 3);
    let document = |names: &[&str]| -> String {
        let named = names.iter().zip(0..);
        named.map(|(name, at)| section(name, at * 5 + 1)).collect()
    };
    let code = |names: &[&str]| -> String { names.iter().map(|name| job(name)).collect() };
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
        // What moves on is heard of still.
        sandbox
            .write("b.py", format!("# new\n{}", code(after)))
            .commit("moved");
        let found = told(&scan(&sandbox, &[], 1));
        assert!(found.iter().all(|one| one.ends_with("moved")), "{found:?}");
    }
}

#[test]
fn a_document_that_moves_with_its_links_means_what_it_meant() {
    let sandbox = sandbox(&[FIRST, SECOND]);
    let document = |path: &str| format!("# It\n\nAll of it: [the second one]({path}#L3).\n");
    sandbox.write("d.md", document("b.py")).commit("doc");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox.write("d.md", document("./b.py")).commit("notation");
    assert_eq!(
        told(&scan(&sandbox, &[], 1)),
        ["./b.py#L3 stale_hash_mismatch moved"]
    );
    sandbox
        .remove("d.md")
        .write("docs/d.md", document("../b.py"))
        .commit("moved");
    assert_eq!(
        told(&scan(&sandbox, &[], 1)),
        ["../b.py#L3 stale_hash_mismatch moved"]
    );
}

#[test]
fn a_document_that_was_copied_means_what_the_other_does() {
    let sandbox = of_two_sections();
    let text = sandbox.read("d.md");
    sandbox
        .write("docs/e.md", text.replace("b.py", "../b.py"))
        .commit("copied");
    let moved = [
        "b.py:3 stale_hash_mismatch moved",
        "../b.py:3 stale_hash_mismatch moved",
    ];
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
    // So is a section with nothing but a link below its heading.
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
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
    // Below another heading it is another one.
    sandbox
        .write("f.md", section.replace("second", "third"))
        .commit("written");
    let found = told(&scan(&sandbox, &[], 1));
    assert_eq!(found, [&moved[..], &["b.py#L3 fresh -"]].concat());
}

#[test]
fn items_that_move_to_another_document_in_another_order_mean_what_they_meant() {
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
    assert_eq!(told(&scan(&sandbox, &[], 1)), moved);
}
