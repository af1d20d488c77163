//! Code that is deleted while a document quotes it.

use crate::history::{History, function, functions};

fn quoted(names: &[&str]) -> String {
    format!("# Design\n\n```rust\n{}```\n", functions(names))
}

#[test]
fn quotation_of_deleted_code_is_a_candidate() {
    let before = functions(&["alpha", "beta", "gamma"]);
    let (after, document) = (functions(&["alpha", "gamma"]), quoted(&["beta"]));
    for is_committed in [true, false] {
        let history = History::with(&[("a.rs", &before)]);
        let captured = history.capture("a.rs", (10, 17));
        history.write(&[("a.rs", &after), ("design.md", &document)]);
        if is_committed {
            history.commit();
        }
        assert_eq!(history.said(&captured), "ambiguous");
        let judgement = history.judge(&captured);
        let candidates = judgement.repair.unwrap().candidates;
        assert_eq!(candidates.len(), 1);
        assert!(candidates[0].to_string().starts_with("design.md:"));
        let reason = judgement.reason.unwrap();
        assert!(
            reason.ends_with("the document `design.md` quotes it"),
            "{reason}"
        );
    }
    // Without git, the captured context finds the quotation.
    let history = History::without_git(&[("a.rs", &before)]);
    let captured = history.capture("a.rs", (10, 17));
    history.write(&[("a.rs", &after), ("design.md", &document)]);
    assert!(!history.said(&captured).starts_with("moved"));
}

#[test]
fn code_that_moved_between_code_files_is_claimed() {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    history.step(&[
        ("a.rs", &functions(&["alpha", "gamma"])),
        ("b.rs", &function("beta")),
    ]);
    assert_eq!(history.said(&captured), "moved b.rs:1-8");
    // A document that quotes it later changes nothing.
    history.step(&[("design.md", &quoted(&["beta"]))]);
    assert_eq!(history.said(&captured), "moved b.rs:1-8");
}

#[test]
fn text_of_documents_moves_between_documents() {
    let before = functions(&["alpha", "beta", "gamma"]);
    let history = History::with(&[("a.md", &before), ("notes.py", &before)]);
    let prose = history.capture("a.md", (10, 17));
    let renamed = history.capture("notes.py", (10, 17));
    history.git(&["mv", "notes.py", "notes.md"]);
    history.step(&[
        ("a.md", &functions(&["alpha", "gamma"])),
        ("b.md", &function("beta")),
    ]);
    assert_eq!(history.said(&renamed), "moved notes.md:10-17");
    assert_ne!(history.said(&prose), "gone");
}
