//! The six statuses and their reasons.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_base::{Freshness, Pointer, RepairOutcome, SourceHash};

use crate::support::{Sandbox, path, say, span, verdict};

const TEXT: &str = "one\ntwo, the second line\nthree, the third line\nfour\n";

/// Returns the verdict on lines 2 to 3 after `change` to their file.
fn after(change: impl FnOnce(&Sandbox)) -> (Freshness, String, Option<RepairOutcome>) {
    let sandbox = Sandbox::with(TEXT);
    let captured = sandbox.capture(2, 3);
    change(&sandbox);
    let judgement = sandbox.judge(&captured);
    let outcome = judgement.outcome();
    (
        judgement.status,
        judgement.reason.unwrap_or_default(),
        outcome,
    )
}

#[test]
fn a_file_that_cannot_be_verified_is_never_fresh() {
    let unproven = Some(RepairOutcome::Unproven);
    type Change = fn(&Sandbox);
    let cases: [(&str, Change, Freshness, &str, Option<RepairOutcome>); 14] = [
        (
            "deleted",
            |s| fs::remove_file(s.at("f")).unwrap(),
            Freshness::MissingFile,
            "it does not exist",
            unproven,
        ),
        (
            "renamed",
            |s| fs::rename(s.at("f"), s.at("g")).unwrap(),
            Freshness::MissingFile,
            "it does not exist",
            Some(RepairOutcome::Ambiguous),
        ),
        (
            "a folder",
            |s| {
                fs::remove_file(s.at("f")).unwrap();
                fs::create_dir(s.at("f")).unwrap();
            },
            Freshness::MissingFile,
            "it is a folder",
            unproven,
        ),
        (
            "a link to nothing",
            |s| {
                fs::remove_file(s.at("f")).unwrap();
                symlink("nothing", s.at("f")).unwrap();
            },
            Freshness::MissingFile,
            "it does not exist",
            unproven,
        ),
        (
            "truncated",
            |s| s.write("f", "one\ntwo\n"),
            Freshness::SpanInvalid,
            "the file has 2 lines, so lines 2-3 are not in it",
            unproven,
        ),
        (
            "one line left",
            |s| s.write("f", "one\n"),
            Freshness::SpanInvalid,
            "the file has 1 line, so lines 2-3 are not in it",
            unproven,
        ),
        (
            "emptied",
            |s| s.write("f", ""),
            Freshness::SpanInvalid,
            "the file is empty",
            unproven,
        ),
        (
            "edited",
            |s| s.write("f", TEXT.replace("three", "3")),
            Freshness::StaleHashMismatch,
            "the lines changed",
            unproven,
        ),
        (
            "binary",
            |s| s.write("f", format!("{TEXT}\0")),
            Freshness::Unknown,
            "the file is binary",
            None,
        ),
        (
            "a pipe",
            |s| {
                fs::remove_file(s.at("f")).unwrap();
                let mode = rustix::fs::Mode::RUSR;
                rustix::fs::mknodat(
                    rustix::fs::CWD,
                    s.at("f"),
                    rustix::fs::FileType::Fifo,
                    mode,
                    0,
                )
                .unwrap();
            },
            Freshness::Unknown,
            "it is a pipe, not a regular file",
            None,
        ),
        (
            "outside",
            |s| {
                fs::remove_file(s.at("f")).unwrap();
                symlink("/etc/hostname", s.at("f")).unwrap();
            },
            Freshness::Unknown,
            "it is outside the repository",
            None,
        ),
        (
            "huge",
            |s| {
                fs::File::options()
                    .write(true)
                    .open(s.at("f"))
                    .unwrap()
                    .set_len(1 << 30)
                    .unwrap();
            },
            Freshness::Unknown,
            "it is too large",
            None,
        ),
        (
            "a link to a secret",
            |s| {
                fs::rename(s.at("f"), s.at(".env")).unwrap();
                symlink(".env", s.at("f")).unwrap();
            },
            Freshness::BlockedSecret,
            "it is secret by the rule",
            None,
        ),
        (
            "a secret by what is in it",
            |s| s.write("f", format!("-----BEGIN RSA PRIVATE KEY-----\n{TEXT}")),
            Freshness::StaleHashMismatch,
            "the lines moved",
            Some(RepairOutcome::Moved),
        ),
    ];
    for (name, change, status, reason, outcome) in cases {
        let found = after(change);
        assert_eq!((found.0, found.2), (status, outcome), "{name}: {found:?}");
        assert!(
            found.1.starts_with(reason) && found.1.is_empty() == reason.is_empty(),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn an_unreadable_file_says_why() {
    // Root can read every file.
    if rustix::process::geteuid().is_root() {
        return;
    }
    let (status, reason, _) = after(|s| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(s.at("f"), fs::Permissions::from_mode(0o000)).unwrap();
    });
    assert_eq!(
        (status, reason.as_str()),
        (
            Freshness::Unknown,
            "the operating system refuses access: permission denied"
        )
    );
}

#[test]
fn what_is_no_change_of_the_lines_leaves_them_fresh() {
    for (name, before, lines, now) in [
        ("nothing", TEXT, (2, 3), TEXT),
        (
            "another line",
            TEXT,
            (2, 3),
            "ONE\ntwo, the second line\nthree, the third line\nFOUR\nfive\n",
        ),
        (
            "the last terminator",
            TEXT,
            (4, 4),
            "one\ntwo, the second line\nthree, the third line\nfour",
        ),
        (
            "a byte order mark",
            TEXT,
            (1, 2),
            "\u{feff}one\ntwo, the second line\nthree, the third line\nfour\n",
        ),
        (
            "other line ends",
            TEXT,
            (2, 3),
            "one\r\ntwo, the second line\r\nthree, the third line\r\nfour\r\n",
        ),
        ("back again", "one\r\ntwo\r\n", (1, 2), "one\ntwo\n"),
        ("empty lines", "\n\n\n", (2, 2), "\n\n"),
    ] {
        assert_eq!(verdict(before, lines, now), "fresh", "{name}");
    }
}

#[test]
fn other_line_ends_are_said() {
    let crlf = TEXT.replace('\n', "\r\n");
    for (now, reason) in [
        (
            crlf.as_str(),
            "the file's line ends changed from LF to CRLF, its text did not",
        ),
        (
            "one\ntwo, the second line\nthree, the third line\r\nfour\n",
            "the file's line ends changed from LF to mixed, its text did not",
        ),
        (TEXT, ""),
    ] {
        let found = after(|s| s.write("f", now));
        assert_eq!((found.0, found.1.as_str()), (Freshness::Fresh, reason));
    }
}

#[test]
fn bytes_that_are_no_text_still_have_a_hash() {
    let latin = b"caf\xe9 with a view\nna\xefve\nend\n";
    assert_eq!(verdict(latin, (1, 2), latin), "fresh");
    assert_eq!(
        verdict(latin, (1, 2), b"caf\xe8 with a view\nna\xefve\nend\n"),
        "stale_hash_mismatch, unproven"
    );
    assert_eq!(
        verdict(latin, (1, 2), b"new\ncaf\xe9 with a view\nna\xefve\nend\n"),
        "stale_hash_mismatch, moved to 2-3"
    );
    let long = format!("{}\nnext\n", "x".repeat(50_000));
    assert_eq!(verdict(&long, (1, 1), &long), "fresh");
    assert_eq!(
        verdict(&long, (1, 1), format!("y{long}")),
        "stale_hash_mismatch, unproven"
    );
    assert_eq!(
        verdict(&long, (1, 1), format!("y\n{long}")),
        "stale_hash_mismatch, moved to 2"
    );
}

#[test]
fn a_hash_of_the_whole_file_is_judged_as_such() {
    let sandbox = Sandbox::with(TEXT);
    let sha256 = sandbox.snapshot().read(&path("f")).unwrap().sha256();
    let pointer = |start, end| Pointer {
        file: path("f"),
        span: span(start, end),
        source_hash: Some(SourceHash::File(sha256)),
    };
    assert_eq!(say(&sandbox.judge_pointer(&pointer(2, 3))), "fresh");
    assert_eq!(
        say(&sandbox.judge_pointer(&pointer(4, 5))),
        "span_invalid, unproven"
    );
    sandbox.write("f", format!("{TEXT}five\n"));
    let stale = sandbox.judge_pointer(&pointer(2, 3));
    assert_eq!(say(&stale), "stale_hash_mismatch, unproven");
    assert_eq!(
        stale.reason.as_deref(),
        Some("the hash is of the whole file, which changed somewhere")
    );
}

#[test]
fn a_hash_tells_nobody_whether_a_secret_was_guessed() {
    let text = "one\npassword = \"hunter2-4711-zz\"\nthree\n";
    let sandbox = Sandbox::with(text);
    let judged = |start, end, hash| {
        sandbox.judge_pointer(&Pointer {
            file: path("f"),
            span: span(start, end),
            source_hash: Some(hash),
        })
    };
    let of = |text: &str| windlass_repo::SourceFile::from_bytes(text.into()).sha256();
    let line = "password = \"hunter2-4711-zz\"";
    // Otherwise, somebody could try passwords by asking for verdicts on their hashes.
    let guess = SourceHash::Span(of(line));
    assert_eq!(say(&judged(2, 2, guess)), "stale_hash_mismatch, unproven");
    let lines = SourceHash::Span(of(&format!("one\n{line}")));
    assert_eq!(say(&judged(1, 2, lines)), "stale_hash_mismatch, unproven");
    // A text is hashed in the form in which it may be shown.
    let shown = SourceHash::Span(of("password = \"[redacted:assigned-secret]\""));
    assert_eq!(say(&judged(2, 2, shown)), "fresh");
    assert_eq!(say(&judged(1, 1, SourceHash::Span(of("one")))), "fresh");
    // The hash of the whole file would reveal the password just as well.
    for hash in [of(text), of("another guess")] {
        let judgement = judged(1, 1, SourceHash::File(hash));
        assert_eq!(say(&judgement), "unknown");
        assert!(judgement.reason.unwrap().contains("holds a secret value"));
    }
    assert_eq!(
        say(&judged(4, 4, SourceHash::File(of(text)))),
        "span_invalid, unproven"
    );
}

#[test]
fn fresh_lines_with_secret_say_so() {
    let sandbox = Sandbox::with("one\npassword = \"hunter2-4711-zz\"\nthree\n");
    let (secret, plain) = (sandbox.capture(1, 2), sandbox.capture(3, 3));
    sandbox.write("f", "one\npassword = \"hunter3-4712-zz\"\nthree\n");
    let judgement = sandbox.judge(&secret);
    assert_eq!(say(&judgement), "fresh");
    let reason = "secret values in the lines are not compared";
    assert_eq!(judgement.reason.as_deref(), Some(reason));
    assert_eq!(sandbox.judge(&plain).reason, None);
}

#[test]
fn without_a_hash_nothing_is_verified() {
    let sandbox = Sandbox::with(TEXT);
    let pointer = |start, end| Pointer {
        file: path("f"),
        span: span(start, end),
        source_hash: None,
    };
    let unknown = sandbox.judge_pointer(&pointer(1, 4));
    assert_eq!(
        (say(&unknown).as_str(), unknown.reason.as_deref()),
        ("unknown", Some("no hash was recorded"))
    );
    assert_eq!(say(&sandbox.judge_pointer(&pointer(4, 5))), "span_invalid");
    assert_eq!(
        say(&sandbox.judge_pointer(&pointer(1, u32::MAX))),
        "span_invalid"
    );
}
