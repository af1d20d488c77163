//! Texts that are followed through the commits since their capture.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use windlass_base::{Judgement, RepairMethod};
use windlass_evidence::{Captured, EvidenceStore, explain, judge, keep_evidence};
use windlass_repo::Repo;

use crate::history::{History, function, functions};

/// Creates `a.rs` with three functions and `b.rs` with others, and captures the second function of
/// `a.rs` (lines 10 to 17).
fn beta() -> (History, Captured) {
    let (a, b) = (
        functions(&["alpha", "beta", "gamma"]),
        functions(&["delta", "omega"]),
    );
    let history = History::with(&[("a.rs", &a), ("b.rs", &b)]);
    let captured = history.capture("a.rs", (10, 17));
    (history, captured)
}

fn commit_of(history: &History, captured: &Captured) -> Option<String> {
    history.judge(captured).repair.unwrap().commit
}

#[test]
fn commented_out_text_is_not_gone() {
    let (history, captured) = beta();
    let before = functions(&["alpha"]);
    let after = function("gamma");
    let commented: String = function("beta")
        .lines()
        .map(|line| format!("// {line}\n"))
        .collect();
    history.write(&[("a.rs", &format!("{before}{commented}{after}"))]);
    assert_ne!(history.said(&captured), "gone");
    history.commit();
    assert_ne!(history.said(&captured), "gone");
    let other: String = (0..8)
        .map(|at| format!("// Something else altogether, number {at}.\n"))
        .collect();
    history.write(&[("a.rs", &format!("{before}{other}{after}"))]);
    assert!(
        !history.said(&captured).starts_with("edited"),
        "{}",
        history.said(&captured)
    );
}

#[test]
fn a_text_is_followed_from_file_to_file_while_it_is_edited() {
    let (history, captured) = beta();
    let rest = functions(&["alpha", "gamma"]);
    let text = function("beta");
    history.step(&[
        ("a.rs", &rest),
        (
            "b.rs",
            &(functions(&["delta"]) + &text + &function("omega")),
        ),
    ]);
    let text = text.replace(
        "parse_beta(input)?",
        "read_every_line_of(input, Mode::Strict)?",
    );
    history.step(&[(
        "b.rs",
        &(functions(&["delta"]) + &text + &function("omega")),
    )]);
    history.git(&["mv", "b.rs", "c.rs"]);
    history.commit();
    let text = text.replace(
        "        store_beta(entry)?;\n",
        "        let kept = keep(entry)?;\n        log(&kept);\n",
    );
    let last = history.step(&[(
        "c.rs",
        &(functions(&["new", "delta"]) + &text + &function("omega")),
    )]);
    assert_eq!(history.said(&captured), "edited c.rs:19-27");
    let repair = history.judge(&captured).repair.unwrap();
    assert_eq!(repair.method, Some(RepairMethod::History));
    assert_eq!(repair.commit, Some(last));
    // An uncommitted change counts as well.
    history.remove("c.rs");
    history.write(&[("d.rs", &(functions(&["delta"]) + &text))]);
    assert_eq!(history.said(&captured), "edited d.rs:10-18");
    assert_eq!(commit_of(&history, &captured), None);
}

#[test]
fn the_commit_that_moved_or_took_out_a_text_is_named() {
    let (history, captured) = beta();
    history.step(&[("b.rs", &functions(&["delta"]))]);
    let without = functions(&["alpha", "gamma"]);
    let moved = history.step(&[("a.rs", &without), ("c.rs", &functions(&["beta", "zeta"]))]);
    history.step(&[("b.rs", &functions(&["other"]))]);
    assert_eq!(history.said(&captured), "moved c.rs:1-8");
    assert_eq!(commit_of(&history, &captured), Some(moved));
    let taken_out = history.step(&[("c.rs", &functions(&["zeta"]))]);
    history.step(&[("c.rs", &functions(&["zeta", "theta"]))]);
    assert_eq!(history.said(&captured), "gone");
    assert_eq!(commit_of(&history, &captured), Some(taken_out));
}

/// Returns tests, two of which end in the same way.
fn alike(names: &[&str]) -> String {
    let one = |name: &&str| {
        format!(
            "it('handles {name}', function (done) {{\n  var app = express()\n  app.get(location({name}).end())\n\n  \
             request(app)\n    .get('/')\n    .expect('Location', '')\n    .expect(200, done)\n}})\n\n"
        )
    };
    names.iter().map(one).collect()
}

#[test]
fn a_twin_that_comes_to_stand_in_its_place_is_not_taken_for_it() {
    let before = alike(&["strings", "numbers", "arrays", "nothing"]);
    let history = History::with(&[("a.js", &before)]);
    // Captures the end of the third test, which that of the fourth resembles.
    let captured = history.capture("a.js", (25, 28));
    assert_eq!(captured.capture.copies_in_file, 4);
    history.step(&[("a.js", &alike(&["strings", "arrays", "nothing"]))]);
    assert_eq!(history.said(&captured), "moved a.js:15-18");
    // Without history, nothing contradicts the equal lines.
    std::fs::remove_dir_all(history.root().join(".git")).unwrap();
    assert_eq!(history.said(&captured), "fresh");
    // If the text stays, it is fresh, whatever changes around it.
    let history = History::with(&[("a.js", &before)]);
    let captured = history.capture("a.js", (25, 28));
    let edited = before
        .replace("location(arrays)", "location([])")
        .replace("'handles nothing'", "'handles none'");
    history.step(&[("a.js", &edited)]);
    assert_eq!(history.said(&captured), "fresh");
}

#[test]
fn blank_lines_at_the_ends_of_a_text_do_not_hide_its_twin() {
    let before = alike(&["strings", "numbers", "arrays", "nothing"]);
    let history = History::with(&[("a.js", &before)]);
    // Captures the same lines and the blank line before them.
    let captured = history.capture("a.js", (24, 28));
    history.step(&[("a.js", &alike(&["strings", "arrays", "nothing"]))]);
    assert_eq!(history.said(&captured), "moved a.js:14-18");
}

#[test]
fn torn_text_has_no_location_unless_whole() {
    let (history, captured) = beta();
    let beta = function("beta");
    let (head, tail) = beta.split_at(beta.find("    for").unwrap());
    let many: Vec<String> = (0..40).map(|at| format!("n{at}")).collect();
    let between = functions(&many.iter().map(String::as_str).collect::<Vec<_>>());
    let put = |between: &str| function("alpha") + head + between + tail + &function("gamma");
    history.step(&[("a.rs", &put(&between))]);
    let said = history.said(&captured);
    assert!(!said.contains(' '), "{said}");
    // A few inserted lines belong to the location.
    history.step(&[("a.rs", &put(&function("other")))]);
    assert_eq!(history.said(&captured), "edited a.rs:10-26");
}

#[test]
fn what_is_left_of_a_text_is_found_where_it_stood() {
    let (history, captured) = beta();
    let left = "fn beta(input: &str) -> Result<betaAnswer, Error> {\n    let parsed = parse_beta(input)?;\n}\n\n";
    let put = |text: &str| function("alpha") + text + &function("gamma");
    history.step(&[("a.rs", &put(left))]);
    assert_eq!(history.said(&captured), "edited a.rs:10-12");
}

#[test]
fn remainder_found_without_neighbours() {
    let around = |left: &str| format!("const UNLIKE: u8 = 0;\n\n{left}\nstruct Unlike;\n");
    let (history, captured) = beta();
    let left =
        "fn beta(input: &str) -> Result<betaAnswer, Error> {\n    let parsed = parse_beta(input)?;";
    history.step(&[("a.rs", &around(left))]);
    assert_eq!(history.said(&captured), "edited a.rs:3-4");
    // A line that many texts contain does not have this effect.
    let (history, captured) = beta();
    history.step(&[("a.rs", &around("    }"))]);
    assert!(!history.said(&captured).contains("edited"));
}

#[test]
fn what_is_rewritten_step_by_step_is_not_gone() {
    let (history, captured) = beta();
    let mut text = function("beta");
    for (old, new) in [
        ("parse_beta(input)?", "Parser::beta(input).parse()?"),
        (
            "check_beta(&parsed, Limits::for_beta())?",
            "Checker::beta(&parsed)?",
        ),
        ("store_beta(entry)?", "Store::beta().put(entry)?"),
        (
            "fn beta(input: &str) -> Result<betaAnswer, Error>",
            "fn beta(input: &str) -> Answer",
        ),
        ("Ok(betaAnswer::of(checked))", "Answer::beta(checked)"),
        ("checked.beta_entries()", "checked.entries()"),
    ] {
        assert!(text.contains(old));
        text = text.replace(old, new);
        history.step(&[("a.rs", &(function("alpha") + &text + &function("gamma")))]);
        assert_ne!(history.said(&captured), "gone");
    }
}

#[test]
fn what_replaces_a_text_is_not_taken_for_it() {
    let (history, captured) = beta();
    // Each step replaces two of the eight lines.
    let mut lines: Vec<String> = function("beta").lines().map(str::to_owned).collect();
    for (step, changed) in [[1, 2], [3, 4], [0, 6]].into_iter().enumerate() {
        for at in changed {
            lines[at] = format!("    something_else_entirely_{step}_{at}(now, and, then);");
        }
        let text = lines.join("\n") + "\n";
        history.step(&[("a.rs", &(function("alpha") + &text + &function("gamma")))]);
    }
    let said = history.said(&captured);
    assert!(!said.contains(' '), "{said}");
}

#[test]
fn a_copy_is_never_the_original_whatever_becomes_of_that() {
    let (history, captured) = beta();
    let copy = functions(&["delta", "beta"]);
    history.step(&[("b.rs", &copy)]);
    let without = functions(&["alpha", "gamma"]);
    history.step(&[("a.rs", &without)]);
    assert_eq!(history.said(&captured), "ambiguous");
    // The copy isn't claimed either if it's moved afterwards.
    history.remove("b.rs");
    history.step(&[("c.rs", &copy)]);
    assert_eq!(history.said(&captured), "ambiguous");
}

#[test]
fn what_was_brought_back_is_not_gone() {
    let (history, captured) = beta();
    history.step(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    assert_eq!(history.said(&captured), "gone");
    let edited = function("beta").replace("check_beta", "prove_beta");
    history.step(&[("a.rs", &(functions(&["alpha", "gamma"]) + &edited))]);
    assert_eq!(history.said(&captured), "ambiguous");
    history.step(&[("a.rs", &functions(&["alpha", "gamma", "beta"]))]);
    assert_eq!(history.said(&captured), "moved a.rs:19-26");
}

#[test]
fn one_of_two_equal_files_is_not_followed_to_what_either_became() {
    let text = functions(&["alpha", "beta"]);
    let history = History::with(&[("a.rs", &text), ("b.rs", &text)]);
    let captured = history.capture("a.rs", (10, 17));
    history.remove("a.rs");
    history.git(&["mv", "b.rs", "c.rs"]);
    history.commit();
    let said = history.said(&captured);
    assert!(!said.contains(' ') && said != "gone", "{said}");
    // One file is split into two.
    let history = History::with(&[("a.rs", &text)]);
    let captured = history.capture("a.rs", (10, 17));
    history.remove("a.rs");
    history.step(&[("b.rs", &text), ("c.rs", &text)]);
    assert_eq!(history.said(&captured), "ambiguous");
}

#[test]
fn a_licence_stays_with_its_file() {
    let licence: String = (1..8)
        .map(|at| format!("// Line {at} of a licence that every file has.\n"))
        .collect();
    let file = |name: &str| licence.clone() + &functions(&[name, "more"]);
    let history = History::with(&[("a.rs", &file("a")), ("b.rs", &file("b"))]);
    let captured = history.capture("a.rs", (1, 7));
    history.remove("a.rs");
    history.step(&[(
        "c.rs",
        &(licence.clone() + &functions(&["other", "things"])),
    )]);
    let said = history.said(&captured);
    assert!(!said.contains(' '), "{said}");
    let (history, captured) = (
        History::with(&[("a.rs", &file("a")), ("b.rs", &file("b"))]),
        captured,
    );
    history.git(&["mv", "a.rs", "z.rs"]);
    history.step(&[("z.rs", &("// New.\n".to_owned() + &file("a")))]);
    let captured = Captured {
        pointer: captured.pointer,
        ..recaptured(&history)
    };
    assert_eq!(history.said(&captured), "moved z.rs:2-8");
}

/// Returns a capture of lines 1 to 7 of `a.rs` in the first commit.
fn recaptured(history: &History) -> Captured {
    let now = history.git(&["rev-parse", "HEAD"]);
    history.git(&["checkout", "-q", "HEAD~1"]);
    let captured = history.capture("a.rs", (1, 7));
    history.git(&["checkout", "-q", &now]);
    captured
}

#[test]
fn merges_are_followed_from_either_side() {
    let (history, on_main) = beta();
    history.git(&["checkout", "-q", "-b", "side"]);
    let without = functions(&["alpha", "gamma"]);
    history.step(&[
        ("a.rs", &without),
        ("b.rs", &functions(&["delta", "beta", "omega"])),
    ]);
    let on_side = history.capture("b.rs", (10, 17));
    history.git(&["checkout", "-q", "main"]);
    history.step(&[("other.rs", &functions(&["eta"]))]);
    let merge = ["merge", "-q", "--no-ff", "-m", "x", "side"];
    history.git(&merge);
    let merged = history.git(&["rev-parse", "HEAD"]);
    assert_eq!(history.said(&on_main), "moved b.rs:10-17");
    // On the main branch, the text was moved by the merge.
    assert_eq!(commit_of(&history, &on_main), Some(merged));
    assert_eq!(history.said(&on_side), "fresh");
    history.remove("b.rs");
    let moved = history.step(&[
        ("c.rs", &functions(&["zeta", "beta"])),
        ("b.rs", &functions(&["delta", "omega"])),
    ]);
    assert_eq!(history.said(&on_side), "moved c.rs:10-17");
    assert_eq!(commit_of(&history, &on_side), Some(moved));
}

#[test]
fn without_a_way_back_the_two_ends_are_compared() {
    let (history, captured) = beta();
    let text = functions(&["new", "alpha"])
        + &function("beta").replace("Limits::for_beta()", "LIMITS")
        + &function("gamma");
    let stage = |history: &History, captured: &Captured| {
        let snapshot = Repo::open(history.root()).unwrap().snapshot();
        let steps = explain(&snapshot, &captured.pointer, Some(&captured.capture)).1;
        let step = steps.into_iter().find(|step| step.stage == "history");
        step.unwrap().found
    };
    history.write(&[("a.rs", &text)]);
    history.git(&["add", "-A"]);
    history.git(&["commit", "-q", "--amend", "-m", "rewritten"]);
    let why = stage(&history, &captured);
    assert!(why.contains("does not descend from"), "{why}");
    assert_eq!(history.said(&captured), "edited a.rs:19-26");
    // In a shallow clone, the history ends before it reaches the captured commit.
    let (history, captured) = beta();
    history.step(&[("a.rs", &text)]);
    history.step(&[("b.rs", &functions(&["delta"]))]);
    let from = format!("file://{}", history.root().display());
    history.git(&["clone", "-q", "--depth=1", &from, "clone"]);
    let clone = Repo::open(&history.root().join("clone")).unwrap();
    let (judgement, steps) = explain(
        &clone.snapshot(),
        &captured.pointer,
        Some(&captured.capture),
    );
    // The captured context still shows where the text is.
    let repair = judgement.repair.unwrap();
    assert_eq!(repair.evidence.unwrap().to_string(), "a.rs:19-26");
    assert_eq!(repair.method, Some(RepairMethod::Surroundings));
    let stages: Vec<_> = steps.iter().map(|step| step.stage).collect();
    assert!(stages.ends_with(&["old_text", "noted"]), "{stages:?}");
}

/// Tracks in memory, with the number of times that some were stored.
#[derive(Default)]
struct Store {
    blobs: Mutex<BTreeMap<String, Vec<u8>>>,
    puts: AtomicUsize,
}

impl EvidenceStore for Store {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.blobs.lock().unwrap().get(key).cloned()
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        // Verdicts are not stored, because a stored verdict would not need the tracks.
        if !String::from_utf8_lossy(bytes).contains("\"tracks\"") {
            return;
        }
        self.puts.fetch_add(1, Ordering::Relaxed);
        self.blobs
            .lock()
            .unwrap()
            .insert(key.to_owned(), bytes.to_vec());
    }
}

/// Returns the verdict with the data in `store`. Checks that it equals the verdict without a store.
fn judged_with(history: &History, store: &Arc<Store>, captured: &Captured) -> Judgement {
    let snapshot = Repo::open(history.root()).unwrap().snapshot();
    let store: Arc<dyn EvidenceStore> = Arc::<Store>::clone(store);
    keep_evidence(&snapshot, &store);
    let judgement = judge(&snapshot, &captured.pointer, Some(&captured.capture));
    drop(snapshot);
    assert_eq!(judgement, history.judge(captured));
    judgement
}

#[test]
fn what_was_followed_is_kept_and_brought_forward() {
    let (history, captured) = beta();
    let store = Arc::new(Store::default());
    let puts = || store.puts.load(Ordering::Relaxed);
    let judged = || judged_with(&history, &store, &captured);
    let text = function("beta").replace("parse_beta(input)?", "read_every_line_of(input)?");
    let moved = |files: &[&str]| functions(files) + &text;
    history.step(&[
        ("a.rs", &functions(&["alpha", "gamma"])),
        ("b.rs", &functions(&["delta", "beta", "omega"])),
    ]);
    judged();
    assert_eq!(puts(), 1);
    // For the same commit nothing is stored again, whatever is uncommitted.
    history.write(&[("b.rs", &(moved(&["delta"]) + &function("omega")))]);
    judged();
    assert_eq!(puts(), 1);
    let second = history.commit();
    let said = judged();
    assert_eq!(puts(), 2);
    assert_eq!(said.repair.unwrap().commit, Some(second.clone()));
    history.git(&["mv", "b.rs", "c.rs"]);
    history.commit();
    assert_eq!(
        judged().repair.unwrap().evidence.unwrap().to_string(),
        "c.rs:10-17"
    );
    assert_eq!(puts(), 3);
    // If the earlier commit is checked out again, its tracks are found again.
    history.git(&["checkout", "-q", &second]);
    assert_eq!(
        judged().repair.unwrap().evidence.unwrap().to_string(),
        "b.rs:10-17"
    );
    assert_eq!(puts(), 3);
    // Other lines of the same file are followed as well, and the stored tracks stay.
    history.step(&[
        ("a.rs", &functions(&["gamma"])),
        ("c.rs", &functions(&["alpha"])),
    ]);
    let other = at_capture(&history, (1, 8));
    judged();
    judged_with(&history, &store, &other);
    assert_eq!(puts(), 5);
    judged();
    assert_eq!(puts(), 5);
}

/// Returns a capture of lines of `a.rs` in the first commit.
fn at_capture(history: &History, lines: (u32, u32)) -> Captured {
    let now = history.git(&["rev-parse", "HEAD"]);
    let first = history.git(&["rev-list", "--max-parents=0", "HEAD"]);
    history.git(&["checkout", "-q", &first]);
    let captured = history.capture("a.rs", lines);
    history.git(&["checkout", "-q", &now]);
    captured
}

#[test]
fn what_left_as_a_whole_did_not_stay_in_what_is_like_it() {
    let block = |mode: &str| {
        format!(
            "    if input.mode == Mode::{mode} {{\n        check_nothing(&input, Empty::of());\n        assert_none(&input, Empty::of());\n    }}\n\n"
        )
    };
    let before = format!(
        "fn all() {{\n{}{}{}}}\n",
        block("First"),
        block("Second"),
        block("Third")
    );
    let history = History::with(&[("a.rs", &before), ("b.rs", &functions(&["other"]))]);
    // Captures the end of the first block and the beginning of the second.
    let captured = history.capture("a.rs", (3, 7));
    let lines: Vec<&str> = before.lines().collect();
    let text = lines[2..7].join("\n") + "\n";
    let rest = [&lines[..2], &lines[7..]].concat().join("\n") + "\n";
    history.step(&[("a.rs", &rest), ("b.rs", &(functions(&["other"]) + &text))]);
    let said = history.said(&captured);
    assert!(!said.contains("a.rs"), "{said}");
}

#[test]
fn what_commits_did_is_kept_for_what_is_first_asked_for_later() {
    let (history, captured) = beta();
    let gamma = history.capture("a.rs", (19, 26));
    let store = Arc::new(Store::default());
    let text = function("beta").replace("parse_beta(input)?", "read_every_line_of(input)?");
    history.step(&[("a.rs", &functions(&["alpha", "gamma"])), ("b.rs", &text)]);
    judged_with(&history, &store, &captured);
    // A text that was not judged before is followed along the same way, from its capture.
    let other = functions(&["alpha"]);
    let edited = function("gamma").replace("parse_gamma(input)?", "read_every_line_of(input)?");
    history.step(&[("a.rs", &other), ("c.rs", &edited)]);
    let evidence = |captured| {
        judged_with(&history, &store, captured)
            .repair
            .unwrap()
            .evidence
    };
    assert_eq!(evidence(&gamma).unwrap().to_string(), "c.rs:1-8");
    assert_eq!(evidence(&captured).unwrap().to_string(), "b.rs:1-7");
    let kept = store.blobs.lock().unwrap();
    let text = kept.values().map(|bytes| String::from_utf8_lossy(bytes));
    let longest = text.map(|text| text.matches("\"parent\"").count()).max();
    assert_eq!(longest, Some(2));
}

#[test]
fn what_is_kept_is_not_believed() {
    let (history, captured) = beta();
    history.step(&[
        ("a.rs", &functions(&["alpha", "gamma"])),
        ("b.rs", &functions(&["delta", "beta", "omega"])),
    ]);
    let store = Arc::new(Store::default());
    judged_with(&history, &store, &captured);
    // A wrong line, a wrong file, a line past the end, and invalid JSON.
    for (what, with) in [
        ("[\"b.rs\",9]", "[\"b.rs\",1]"),
        ("\"b.rs\"", "\"a.rs\""),
        ("[\"b.rs\",9]", "[\"b.rs\",4000000000]"),
        ("{", "["),
    ] {
        let forged = Store::default();
        for (key, bytes) in store.blobs.lock().unwrap().iter() {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(what), "{text}");
            forged.put(key, text.replace(what, with).as_bytes());
        }
        let snapshot = Repo::open(history.root()).unwrap().snapshot();
        let forged: Arc<dyn EvidenceStore> = Arc::new(forged);
        keep_evidence(&snapshot, &forged);
        let judgement = judge(&snapshot, &captured.pointer, Some(&captured.capture));
        let new = judgement.repair.unwrap().evidence;
        // A forged track may lead to no claim at all, but never to a wrong one.
        assert!(
            new.is_none_or(|new| new.to_string() == "b.rs:10-17"),
            "{what} as {with}"
        );
    }
}
