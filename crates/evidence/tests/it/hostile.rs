//! Repositories that are damaged, unusual or in the middle of an operation. Whatever the state, a
//! verdict has a status and a reason and is never a guess.

use std::fs;

use windlass_base::{Freshness, Judgement};
use windlass_evidence::{CaptureError, Captured, capture};
use windlass_repo::Repo;

use crate::history::{History, function, functions};
use crate::support::{path, span};

/// Creates three functions and captures the second (lines 10 to 17).
fn three() -> (History, Captured) {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    (history, captured)
}

fn told(judgement: &Judgement) -> (Freshness, String) {
    let reason = judgement.reason.clone().unwrap_or_default();
    (judgement.status, reason)
}

#[test]
fn in_the_middle_of_a_rebase_the_working_tree_counts() {
    let (history, captured) = three();
    history.git(&["checkout", "-q", "-b", "work"]);
    history.step(&[("a.rs", &functions(&["alpha", "beta", "gamma", "delta"]))]);
    history.git(&["checkout", "-q", "main"]);
    history.step(&[(
        "a.rs",
        &functions(&["new", "alpha", "beta", "gamma", "other"]),
    )]);
    history.git(&["checkout", "-q", "work"]);
    let mut rebase = history.git_command(&["rebase", "-q", "main"]);
    let stopped = rebase.output().unwrap();
    assert!(!stopped.status.success(), "there should be a conflict");
    let now = fs::read_to_string(history.root().join("a.rs")).unwrap();
    assert!(now.contains("<<<<<<<"), "{now}");
    assert_eq!(history.said(&captured), "moved a.rs:19-26");
    history.write(&[(
        "a.rs",
        &now.replace("store_beta(entry)?", "keep_beta(entry)?"),
    )]);
    assert_eq!(history.said(&captured), "edited a.rs:19-26");
    // A text that is captured during the rebase is found after it was aborted.
    let between = history.capture("a.rs", (1, 8));
    history.git(&["rebase", "--abort"]);
    assert_eq!(history.judge(&between).status, Freshness::StaleHashMismatch);
    assert_eq!(history.said(&captured), "fresh");
}

#[test]
fn conflict_within_text_belongs_to_its_location() {
    let (history, captured) = three();
    let text = functions(&["new", "alpha", "beta", "gamma"]);
    let line = "        store_beta(entry)?;\n";
    let both = "<<<<<<< HEAD\n        keep_beta(entry)?;\n=======\n        put_beta(entry)?;\n>>>>>>> work\n";
    history.write(&[("a.rs", &text.replace(line, both))]);
    assert_eq!(history.said(&captured), "edited a.rs:19-30");
    history.write(&[("a.rs", &text.replace(line, "        keep_beta(entry)?;\n"))]);
    assert_eq!(history.said(&captured), "edited a.rs:19-26");
}

#[test]
fn damaged_objects_leave_captured_hashes() {
    for damage in [None, Some("garbage")] {
        let (history, captured) = three();
        history.step(&[("b.rs", "fn other() {}\n")]);
        let blob = captured.capture.blob.clone().unwrap();
        let object = history
            .root()
            .join(".git/objects")
            .join(&blob[..2])
            .join(&blob[2..]);
        let mut permissions = fs::metadata(&object).unwrap().permissions();
        #[expect(
            clippy::permissions_set_readonly_false,
            reason = "it is about to be damaged"
        )]
        permissions.set_readonly(false);
        fs::set_permissions(&object, permissions).unwrap();
        match damage {
            Some(bytes) => fs::write(&object, bytes).unwrap(),
            None => fs::remove_file(&object).unwrap(),
        }
        assert_eq!(history.said(&captured), "fresh");
        history.write(&[("a.rs", &functions(&["new", "alpha", "beta", "gamma"]))]);
        assert_eq!(history.said(&captured), "moved a.rs:19-26");
        let edited = functions(&["alpha", "beta", "gamma"]).replace("check_beta", "verify_beta");
        history.write(&[("a.rs", &edited)]);
        assert_eq!(history.said(&captured), "edited a.rs:10-17");
        history.write(&[("a.rs", &functions(&["gamma", "alpha"]))]);
        assert_eq!(history.said(&captured), "unproven");
        let judgement = history.judge(&captured);
        assert_eq!(
            told(&judgement),
            (Freshness::StaleHashMismatch, "the lines changed".to_owned())
        );
    }
}

#[test]
fn without_git_what_was_noted_is_enough_for_the_file_itself() {
    let (history, captured) = three();
    fs::remove_dir_all(history.root().join(".git")).unwrap();
    for (text, wanted) in [
        (functions(&["alpha", "beta", "gamma"]), "fresh"),
        (
            functions(&["new", "alpha", "beta", "gamma"]),
            "moved a.rs:19-26",
        ),
        (functions(&["gamma", "beta"]).replace('\n', "\r\n"), "fresh"),
        (functions(&["alpha", "beta", "beta"]), "fresh"),
        (functions(&["beta", "alpha", "beta"]), "unproven"),
        (functions(&["alpha", "gamma"]), "unproven"),
    ] {
        history.write(&[("a.rs", &text)]);
        assert_eq!(history.said(&captured), wanted);
    }
}

#[test]
fn what_a_file_became_is_said() {
    type Change = fn(&History);
    let cases: [(&str, Change, Freshness, &str); 6] = [
        (
            "a folder",
            |h| {
                h.remove("a.rs");
                fs::create_dir(h.root().join("a.rs")).unwrap();
                h.write(&[("a.rs/mod.rs", &functions(&["other"]))]);
            },
            Freshness::MissingFile,
            "it is a folder",
        ),
        (
            "a pointer of LFS",
            |h| {
                let text = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
                h.write(&[("a.rs", text)]);
            },
            Freshness::Unknown,
            "the file is a Git LFS pointer",
        ),
        (
            "UTF-16",
            |h| {
                let text: Vec<u16> = functions(&["alpha", "beta", "gamma"])
                    .encode_utf16()
                    .collect();
                let bytes: Vec<u8> = text.iter().flat_map(|unit| unit.to_le_bytes()).collect();
                fs::write(h.root().join("a.rs"), [&[0xff, 0xfe][..], &bytes].concat()).unwrap();
            },
            Freshness::Unknown,
            "the file is",
        ),
        (
            "one line",
            |h| {
                h.write(&[(
                    "a.rs",
                    &functions(&["alpha", "beta", "gamma"]).replace('\n', " "),
                )]);
            },
            Freshness::SpanInvalid,
            "the file has 1 line",
        ),
        (
            "100 MB",
            |h| {
                let file = fs::File::create(h.root().join("a.rs")).unwrap();
                file.set_len(100 << 20).unwrap();
            },
            Freshness::Unknown,
            "it is too large",
        ),
        (
            "another encoding",
            |h| {
                let text =
                    functions(&["alpha", "beta", "gamma"]).replace("Limits", "Grenzen\u{e4}");
                let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
                fs::write(h.root().join("a.rs"), bytes).unwrap();
            },
            Freshness::StaleHashMismatch,
            "the lines changed",
        ),
    ];
    for (name, change, status, reason) in cases {
        let (history, captured) = three();
        change(&history);
        let (found, why) = told(&history.judge(&captured));
        assert_eq!(found, status, "{name}: {why}");
        assert!(why.starts_with(reason), "{name}: {why}");
    }
}

#[test]
fn what_a_submodule_holds_is_another_repository() {
    let (history, captured) = three();
    let inner = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    history.remove("a.rs");
    let from = inner.root().to_str().unwrap();
    history.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        from,
        "sub",
    ]);
    history.commit();
    let said = history.said(&captured);
    assert!(
        !said.starts_with("moved") && !said.starts_with("edited"),
        "{said}"
    );
    // A submodule takes the place of the file itself.
    history.git(&["mv", "sub", "a.rs"]);
    history.commit();
    let (status, why) = told(&history.judge(&captured));
    assert_eq!(
        (status, why.as_str()),
        (Freshness::MissingFile, "it is a folder")
    );
    let snapshot = Repo::open(history.root()).unwrap().snapshot();
    let refused = capture(&snapshot, &path("a.rs"), span(1, 2)).unwrap_err();
    assert!(matches!(refused, CaptureError::Refused { .. }), "{refused}");
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_not_gone() {
    let history = History::with(&[]);
    for folder in ["taken", "left"] {
        fs::create_dir(history.root().join(folder)).unwrap();
    }
    history.step(&[
        ("taken/a.rs", &functions(&["alpha", "beta", "gamma"])),
        ("left/b.rs", &functions(&["delta", "epsilon"])),
    ]);
    let stays = history.capture("left/b.rs", (1, 8));
    let moves = history.capture("taken/a.rs", (10, 17));
    history.step(&[
        ("taken/a.rs", &functions(&["alpha", "gamma"])),
        ("left/b.rs", &functions(&["delta", "epsilon", "beta"])),
    ]);
    assert_eq!(history.said(&moves), "moved left/b.rs:19-26");
    history.git(&["sparse-checkout", "set", "taken"]);
    let (status, why) = told(&history.judge(&stays));
    assert_eq!(status, Freshness::Unknown);
    assert!(why.contains("sparse checkout"), "{why}");
    assert_eq!(history.said(&moves), "unproven");
    let (_, why) = told(&history.judge(&moves));
    assert!(why.contains("sparse checkout"), "{why}");
    // If the checkout excludes nothing any more, a missing text is gone.
    history.git(&["sparse-checkout", "disable"]);
    assert_eq!(history.said(&moves), "moved left/b.rs:19-26");
    history.step(&[("left/b.rs", &functions(&["delta", "epsilon"]))]);
    assert_eq!(history.said(&moves), "gone");
}

#[test]
fn among_ten_thousand_lines_that_are_alike_no_place_is_claimed() {
    let line = "    call_something(with, the, same, arguments);\n";
    let before = format!(
        "{}{}{}",
        function("alpha"),
        line.repeat(10_000),
        function("beta")
    );
    let history = History::with(&[("a.rs", &before)]);
    let captured = history.capture("a.rs", (5_000, 5_004));
    assert_eq!(captured.capture.copies_in_file, 100);
    history.step(&[(
        "a.rs",
        &format!(
            "{}{}{}",
            function("alpha"),
            line.repeat(3_000),
            function("beta")
        ),
    )]);
    let said = history.said(&captured);
    assert!(matches!(said.as_str(), "ambiguous" | "unproven"), "{said}");
    history.write(&[("a.rs", &functions(&["alpha", "beta"]))]);
    let said = history.said(&captured);
    assert!(matches!(said.as_str(), "gone" | "unproven"), "{said}");
}
