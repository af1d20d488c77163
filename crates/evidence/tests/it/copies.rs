//! Texts of which copies are made, and copies of which one goes.

use crate::history::{History, function, functions};

#[test]
fn a_copy_written_below_is_not_taken_for_the_text() {
    let beta = function("beta");
    let rest = function("gamma");
    let history = History::with(&[("a.rs", &(function("alpha") + &beta + &rest))]);
    let captured = history.capture("a.rs", (10, 17));
    let above = "use std::fmt;\n\n".to_owned() + &function("alpha");
    let copied = above + &beta + "// The same again.\n" + &beta + &rest;
    history.write(&[("a.rs", &copied)]);
    assert_eq!(history.said(&captured), "ambiguous");
    history.commit();
    assert_eq!(history.said(&captured), "ambiguous");
    // Nor what is left of it when both are edited later.
    let edited = copied.replace("store_beta(entry)?", "keep(entry)");
    history.step(&[("a.rs", &edited)]);
    let said = history.said(&captured);
    assert!(!said.starts_with("edited"), "{said}");
}

#[test]
fn a_copy_written_far_away_does_not_hide_the_text() {
    let before = functions(&["alpha", "beta", "gamma", "delta"]);
    let history = History::with(&[("a.rs", &before)]);
    let captured = history.capture("a.rs", (10, 17));
    let after = "use std::fmt;\n\n".to_owned() + &before + &function("beta");
    history.write(&[("a.rs", &after)]);
    assert_eq!(history.said(&captured), "moved a.rs:12-19");
    history.commit();
    assert_eq!(history.said(&captured), "moved a.rs:12-19");
}

#[test]
fn a_copy_that_comes_to_stand_where_the_text_stood_is_not_it() {
    let twin =
        "    let total = count_every_entry_of(list);\n    report(total, Limits::default())?;\n";
    let text = |names: &[&str]| -> String {
        let one = |name: &&str| format!("fn {name}(list: &List) {{\n{twin}}}\n\n");
        names.iter().map(one).collect()
    };
    let history = History::with(&[("a.rs", &text(&["first", "second", "third"]))]);
    let (first, second) = (
        history.capture("a.rs", (2, 3)),
        history.capture("a.rs", (7, 8)),
    );
    history.step(&[("a.rs", &text(&["second", "third"]))]);
    assert_eq!(history.said(&first), "gone");
    assert_eq!(history.said(&second), "moved a.rs:2-3");
}

#[test]
fn which_of_two_copies_went_is_not_said_when_the_lines_around_both_changed() {
    let twin =
        "    let total = count_every_entry_of(list);\n    report(total, Limits::default())?;\n";
    let text = |names: &[&str]| -> String {
        let one = |name: &&str| format!("fn {name}(list: &List) {{\n{twin}}}\n\n");
        names.iter().map(one).collect()
    };
    let history = History::with(&[("a.rs", &text(&["first", "second"]))]);
    let first = history.capture("a.rs", (2, 3));
    history.step(&[("a.rs", &text(&["primary"]))]);
    assert_eq!(history.said(&first), "fresh");
    history.step(&[(
        "a.rs",
        &("use std::fmt;\n".to_owned() + &text(&["primary"])),
    )]);
    assert_ne!(history.said(&first), "gone");
}
