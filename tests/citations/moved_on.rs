//! A citation keeps its meaning when its sentence is moved or copied to another document, or when a
//! file is renamed.

use super::support::Sandbox;
use super::{outcomes, scan};

const FIRST: &str = "def first_function(a):\n    return compute_first(a)\n";
const SECOND: &str = "def second_function(b):\n    return compute_second(b)\n";
const LICENCE: &str = "# a licence\n# and more of it\n";
/// The expected result for `b.py:3` in the sandboxes below.
const MOVED: &str = "b.py:3 stale_hash_mismatch moved";

/// Commits `b.py` and `documents`, then moves the cited lines.
fn sandbox(documents: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write("b.py", format!("{FIRST}{SECOND}"));
    for (name, text) in documents {
        sandbox.write(name, text);
    }
    sandbox.commit("all");
    sandbox
        .write("b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    sandbox
}

#[test]
fn moved_sentence_keeps_meaning() {
    let sandbox = sandbox(&[
        (
            "d.md",
            "It is loaded at once. The second one of them, at\n`b.py:3`, computes the rest. So it goes.\n",
        ),
        ("e.md", "# Others\n\nThere are others. They do nothing.\n"),
    ]);
    sandbox
        .write("d.md", "It is loaded at once. So it goes.\n")
        .write(
            "e.md",
            "# Others\n\nThere are others. The second one of them, at `b.py:3`, computes the rest.\nThey do nothing.\n",
        )
        .commit("sentence");
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), [MOVED]);
    // Another sentence with the same citation is a new citation.
    sandbox.edit(
        "e.md",
        "They do nothing.",
        "The head ends at `b.py:3` of it.",
    );
    sandbox.commit("another");
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), [MOVED, "b.py:3 fresh -"]);
}

#[test]
fn exchanged_sentences_keep_meaning() {
    let one = "All of it begins with the first one, `b.py:1`, as it should. So it goes.\n";
    let two = "And then comes the second one, `b.py:3`, and the rest. It ends there.\n";
    let sandbox = sandbox(&[("d.md", one), ("e.md", two)]);
    sandbox
        .write("d.md", two.replace("It ends there", "So it goes"))
        .write("e.md", one.replace("So it goes", "It ends there"))
        .commit("exchanged");
    let moved = [MOVED, "b.py:1 stale_hash_mismatch moved"];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
}

#[test]
fn copied_then_removed_section_keeps_meaning() {
    let section = "## The second one\n\nIt computes all that is wanted, in `b.py:3` and below.\n";
    let first = format!("# D\n\nWords.\n\n{section}");
    let sandbox = sandbox(&[("d.md", &first), ("e.md", "# E\n\nOther words.\n\n")]);
    sandbox
        .write("e.md", format!("# E\n\nOther words.\n\n{section}"))
        .commit("copied");
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), [MOVED, MOVED]);
    sandbox.write("d.md", "# D\n\nWords.\n").commit("taken out");
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), [MOVED]);
}

#[test]
fn path_fix_for_rename_keeps_lines_stale() {
    let document = "# It\n\nThe second one of them (`b.py:3`) computes what is left.\n\n\
        - [first](b.py#L1)\n- [second](b.py#L3)\n";
    for is_one_commit in [true, false] {
        let sandbox = sandbox(&[("d.md", document)]);
        let code = sandbox.read("b.py");
        sandbox.remove("b.py").write("src/parts/b.py", code);
        if !is_one_commit {
            sandbox.commit("renamed");
        }
        let mended = document.replace("b.py", "src/parts/b.py");
        sandbox.write("d.md", &mended).commit("paths");
        let moved = [
            "src/parts/b.py:3 stale_hash_mismatch moved",
            "src/parts/b.py#L1 stale_hash_mismatch moved",
            "src/parts/b.py#L3 stale_hash_mismatch moved",
        ];
        assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved, "{is_one_commit}");
        sandbox.windlass(&["anchor", "scan", "--repair"]).succeeds();
        let wanted = mended.replace(":3", ":5").replace("#L3", "#L5");
        assert_eq!(sandbox.read("d.md"), wanted.replace("#L1", "#L3"));
        sandbox.commit("repaired");
        assert!(
            outcomes(&scan(&sandbox, &[], 0))
                .iter()
                .all(|one| one.ends_with("fresh -"))
        );
    }
}

#[test]
fn path_fix_for_unmoved_lines_is_fresh() {
    let document = "The second one of them (`b.py:3`) computes what is left, as the first one did before it.\n";
    let sandbox = Sandbox::git();
    sandbox.write("b.py", format!("{FIRST}{SECOND}"));
    sandbox.write("d.md", document).commit("all");
    sandbox
        .remove("b.py")
        .write("src/b.py", format!("{FIRST}{SECOND}"));
    let broken = document
        .replace("b.py", "src/b.py")
        .replace(" as the", "\nas the");
    sandbox.write("d.md", broken).commit("renamed");
    assert_eq!(outcomes(&scan(&sandbox, &[], 0)), ["src/b.py:3 fresh -"]);
    sandbox
        .write("src/b.py", format!("{LICENCE}{FIRST}{SECOND}"))
        .commit("moved");
    let moved = ["src/b.py:3 stale_hash_mismatch moved"];
    assert_eq!(outcomes(&scan(&sandbox, &[], 1)), moved);
}
