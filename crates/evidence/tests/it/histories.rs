//! Texts that were edited or moved to other files, located with the help of their old file in git.

use proptest::prelude::*;
use windlass_evidence::{Captured, explain};
use windlass_repo::Repo;

use crate::history::{History, function, functions};

/// Creates three functions and captures the second (lines 10 to 17).
fn three() -> (History, Captured) {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    (history, captured)
}

#[test]
fn a_capture_names_the_commit_and_what_stood_around() {
    let (_, captured) = three();
    let capture = captured.capture;
    assert_eq!(capture.commit.unwrap().len(), 40);
    assert_eq!(capture.blob.unwrap().len(), 40);
    assert_eq!(capture.before.unwrap().as_slice().len(), 3);
    assert_eq!(capture.after.unwrap().as_slice().len(), 3);
    assert!(capture.look_alike.unwrap() < 50);
}

#[test]
fn scripted_edits_of_the_file() {
    let beta = function("beta");
    let edited = beta.replace("check_beta(&parsed, ", "verify_beta(parsed, &");
    let indented = beta.replace("\n    ", "\n        ");
    for (name, after, want) in [
        (
            "edited in place",
            functions(&["new", "alpha"]) + &edited + &function("gamma"),
            "edited a.rs:19-26",
        ),
        (
            "blanks alone",
            function("alpha") + &indented + &function("gamma"),
            "edited a.rs:10-17",
        ),
        (
            "swapped with its neighbour",
            functions(&["alpha", "gamma", "beta"]),
            "moved a.rs:19-26",
        ),
        (
            "other line ends",
            functions(&["new", "alpha", "beta"]).replace('\n', "\r\n"),
            "moved a.rs:19-26",
        ),
        ("cut out", functions(&["alpha", "gamma"]), "gone"),
        (
            "replaced by something else",
            functions(&["alpha", "other", "gamma"]),
            "unproven",
        ),
        (
            "copied, and the original deleted",
            functions(&["alpha", "gamma", "beta", "beta"]),
            "ambiguous",
        ),
    ] {
        let (history, captured) = three();
        history.write(&[("a.rs", &after)]);
        assert_eq!(history.said(&captured), want, "{name}, not committed");
        history.commit();
        assert_eq!(history.said(&captured), want, "{name}, committed");
    }
}

#[test]
fn scripted_moves_between_files() {
    let rest = functions(&["alpha", "gamma"]);
    let two = functions(&["delta", "beta"]);
    let edited = two.replace("Limits::for_beta()", "Limits::new()");
    for (name, files, want) in [
        (
            "to a new file",
            &[("a.rs", rest.as_str()), ("b.rs", &two)][..],
            "moved b.rs:10-17",
        ),
        (
            "and edited",
            &[("a.rs", rest.as_str()), ("b.rs", &edited)],
            "edited b.rs:10-17",
        ),
        (
            "to two files",
            &[("a.rs", rest.as_str()), ("b.rs", &two), ("c.rs", &two)],
            "ambiguous",
        ),
    ] {
        let (history, captured) = three();
        history.write(files);
        assert_eq!(history.said(&captured), want, "{name}, not committed");
        history.commit();
        assert_eq!(history.said(&captured), want, "{name}, committed");
    }
}

#[test]
fn a_renamed_file_is_followed_through_its_names() {
    let (history, captured) = three();
    history.git(&["mv", "a.rs", "b.rs"]);
    history.commit();
    history.git(&["mv", "b.rs", "c.rs"]);
    let text = functions(&["new", "alpha", "beta", "gamma"]);
    history.write(&[(
        "c.rs",
        &text.replace("parse_beta(input)", "read_beta(input)"),
    )]);
    history.commit();
    assert_eq!(history.said(&captured), "edited c.rs:19-26");
}

#[test]
fn a_copy_is_not_taken_for_the_original() {
    let both = [
        ("a.rs", functions(&["alpha", "beta"])),
        ("b.rs", functions(&["beta", "gamma"])),
    ];
    let both: Vec<(&str, &str)> = both.iter().map(|(at, text)| (*at, text.as_str())).collect();
    let history = History::with(&both);
    let captured = history.capture("a.rs", (10, 17));
    history.write(&[("a.rs", &function("alpha"))]);
    assert_eq!(history.said(&captured), "gone");
    // The copy is not claimed either if it was moved in the meantime.
    std::fs::remove_file(history.root().join("b.rs")).unwrap();
    history.write(&[("c.rs", &functions(&["new", "beta", "gamma"]))]);
    history.commit();
    assert_eq!(history.said(&captured), "ambiguous");
}

#[test]
fn a_file_that_is_gone_with_its_text_is_gone() {
    let (history, captured) = three();
    std::fs::remove_file(history.root().join("a.rs")).unwrap();
    history.write(&[("b.rs", "What else there is to say about this.\n")]);
    assert_eq!(history.said(&captured), "gone");
    // A function that differs only in its name may be the text.
    history.write(&[("b.rs", &functions(&["other"]))]);
    assert_eq!(history.said(&captured), "unproven");
}

#[test]
fn a_commit_that_is_no_more_proves_nothing() {
    let (history, mut captured) = three();
    history.write(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    // `HEAD` would even be the right commit, but a capture may only name one by its hash.
    for commit in ["0".repeat(40), "HEAD".to_owned(), "--help".to_owned()] {
        captured.capture.commit = Some(commit);
        captured.capture.blob = None;
        assert_eq!(history.said(&captured), "unproven");
    }
}

#[test]
fn what_was_looked_at_is_told() {
    let (history, captured) = three();
    history.write(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    let snapshot = Repo::open(history.root()).unwrap().snapshot();
    let (judgement, steps) = explain(&snapshot, &captured.pointer, Some(&captured.capture));
    assert_eq!(judgement, history.judge(&captured));
    let stages: Vec<&str> = steps.iter().map(|step| step.stage).collect();
    let want = [
        "place",
        "same_file",
        "old_text",
        "history",
        "comparison",
        "other_files",
        "history",
        "verdict",
    ];
    assert_eq!(stages, want);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_text_is_found_where_it_is_or_not_at_all(
        order in Just(vec!["alpha", "beta", "gamma", "delta", "omega"]).prop_shuffle(),
        left_out in 0_usize..5,
        is_committed in any::<bool>(),
    ) {
        let (history, captured) = three();
        let names = &order[..5 - left_out];
        history.write(&[("a.rs", &functions(names))]);
        if is_committed {
            history.commit();
        }
        let said = history.said(&captured);
        match names.iter().position(|name| *name == "beta") {
            // All functions are equally long, so `beta` is on its captured lines.
            Some(1) => prop_assert_eq!(said, "fresh"),
            Some(at) => {
                let place = format!("moved a.rs:{}-{}", at * 9 + 1, at * 9 + 8);
                let is_open = said == "ambiguous" || said == "unproven";
                prop_assert!(said == place || is_open, "{} {:?}", said, names);
            }
            None => prop_assert!(!said.contains(' '), "{} {:?}", said, names),
        }
    }
}

#[test]
fn insertion_with_same_start_keeps_text() {
    let test = |name: &str, from: &str, bounds: [&str; 2]| {
        format!(
            "#[test]\nfn parses_{name}() {{\n    let range = LineRange::from(\"{from}\").expect(\"a range\");\n    \
             assert_eq!({}, range.lower);\n    assert_eq!({}, range.upper);\n}}\n\n",
            bounds[0], bounds[1]
        )
    };
    let before = [
        test("all", "40:50", ["40", "50"]),
        test("the_end", ":50", ["usize::min_value()", "50"]),
        test("the_beginning", "40:", ["40", "usize::max_value()"]),
        test("one", "40", ["40", "40"]),
    ];
    let (start, end) = ("Bound::Absolute(usize::MIN)", "Bound::Absolute(usize::MAX)");
    let after = [
        test(
            "all",
            "40:50",
            ["Bound::Absolute(40)", "Bound::Absolute(50)"],
        ),
        test("the_end", ":50", [start, "Bound::Absolute(50)"]),
        test("the_end_from_the_back", ":-5", [start, "Bound::FromEnd(5)"]),
        test("the_back", "-5:", ["Bound::FromEnd(5)", end]),
        test("the_beginning", "40:", ["Bound::Absolute(40)", end]),
        test("one", "40", ["Bound::Absolute(40)", "Bound::Absolute(40)"]),
    ];
    let history = History::with(&[("range.rs", &before.concat())]);
    let captured = history.capture("range.rs", (15, 20));
    // All tests look alike, and the commit that inserts two more also edits the assertions of the
    // others.
    history.step(&[("range.rs", &after.concat())]);
    let said = history.said(&captured);
    assert!(
        ["edited range.rs:29-34", "ambiguous"].contains(&&*said),
        "{said}"
    );
}

/// Returns a file with one call, followed by `more` lines.
fn with_call(call: &str, more: &str) -> String {
    format!("use std::fs;\n\nfn limit() -> u32 {{\n    {call}\n}}\n\nfn helper() {{}}\n{more}")
}

const CALL: &str = "read_limit(\"requests\", DEFAULT_LIMIT)";
const EDITED: &str = "read_limit(\"requests\", SMALL_LIMIT)";

#[test]
fn line_edited_one_for_one_is_claimed() {
    let history = History::with(&[("a.rs", &with_call(CALL, ""))]);
    let captured = history.capture("a.rs", (4, 4));
    let after = format!("// A licence.\n{}", with_call(EDITED, ""));
    history.write(&[("a.rs", &after)]);
    assert_eq!(history.said(&captured), "edited a.rs:5");
    history.commit();
    assert_eq!(history.said(&captured), "edited a.rs:5");
}

#[test]
fn edited_line_is_not_its_rival() {
    let history = History::with(&[("a.rs", &with_call(CALL, ""))]);
    let captured = history.capture("a.rs", (4, 4));
    let rival = EDITED.replace("SMALL", "LARGE");
    // The rival resembles the captured call as much as the edited one does, but is elsewhere in the
    // file.
    history.step(&[("a.rs", &with_call(EDITED, &rival))]);
    assert_eq!(history.said(&captured), "edited a.rs:4");
}

#[test]
fn edited_line_that_moved_is_not_claimed() {
    let more = functions(&["alpha", "beta"]);
    let history = History::with(&[("a.rs", &with_call(CALL, &more))]);
    let captured = history.capture("a.rs", (4, 4));
    history.step(&[("a.rs", &with_call(EDITED, &more))]);
    assert_eq!(history.said(&captured), "edited a.rs:4");
    history.git(&["mv", "a.rs", "b.rs"]);
    history.commit();
    // A single edited line is too little to be claimed in another file.
    assert!(!history.said(&captured).starts_with("edited"));
}
