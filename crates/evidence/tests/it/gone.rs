//! Texts that were taken out, while something like them stands somewhere.

use crate::history::{History, function, functions};

/// Lines of which two are those of another function.
fn like_beta() -> String {
    let beta = function("beta");
    let shared: Vec<&str> = beta.lines().skip(1).take(2).collect();
    format!(
        "mod late {{\n    use zip;\n{}\n    quux(7);\n}}\n\n",
        shared.join("\n")
    )
}

#[test]
fn what_came_after_a_text_was_taken_out_is_not_it() {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    let rest = functions(&["alpha", "gamma"]);
    let taken_out = history.step(&[("a.rs", &rest)]);
    history.step(&[("a.rs", &(rest + &like_beta()))]);
    assert_eq!(history.said(&captured), "gone");
    let repair = history.judge(&captured).repair.unwrap();
    assert_eq!(repair.commit, Some(taken_out));
}

#[test]
fn what_came_in_its_stead_may_be_it() {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    let new = functions(&["alpha", "gamma"]) + &like_beta();
    history.step(&[("a.rs", &new)]);
    assert_ne!(history.said(&captured), "gone");
    // Neither does it matter whether that is committed.
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    history.write(&[("a.rs", &new)]);
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn of_two_copies_the_one_that_went_is_gone() {
    let before = functions(&["alpha", "beta", "gamma", "beta", "delta"]);
    let history = History::with(&[("a.rs", &before)]);
    let (first, second) = (
        history.capture("a.rs", (10, 17)),
        history.capture("a.rs", (28, 35)),
    );
    history.write(&[("a.rs", &functions(&["alpha", "gamma", "beta", "delta"]))]);
    assert_eq!(history.said(&first), "gone");
    assert_eq!(history.said(&second), "moved a.rs:19-26");
    history.commit();
    assert_eq!(history.said(&first), "gone");
    history.step(&[("a.rs", &functions(&["alpha", "gamma", "delta"]))]);
    assert_eq!(history.said(&second), "gone");
}

#[test]
fn which_of_two_neighbours_went_nobody_can_say() {
    let before = functions(&["alpha", "beta", "beta", "gamma"]);
    let history = History::with(&[("a.rs", &before)]);
    let both = [(10, 17), (19, 26)].map(|lines| history.capture("a.rs", lines));
    history.step(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    for captured in both {
        assert_ne!(history.said(&captured), "gone");
    }
}

#[test]
fn a_header_that_all_files_have_goes_with_its_file() {
    const HEADER: &str = "// Copyright of all who wrote it.\n// You may do with it what the licence says,\n// and nothing that it does not say.\n";
    let named: Vec<(String, String)> = (0..45)
        .map(|nr| {
            let name = format!("file{nr:02}");
            (format!("{name}.rs"), HEADER.to_owned() + &function(&name))
        })
        .collect();
    let files: Vec<(&str, &str)> = named
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let history = History::with(&files);
    let captured = history.capture("file07.rs", (1, 3));
    history.remove("file07.rs");
    history.commit();
    assert_eq!(history.said(&captured), "gone");
}
