//! Tests that all reads of a run see the same files.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::support::{Sandbox, at};
use windlass_base::{Cancel, Digest};
use windlass_repo::{
    ChangeKind, ListError, ListQuery, ReadRecord, Refusal, Repo, RepoOptions, SearchQuery, Snapshot,
};

fn changes(snapshot: &Snapshot) -> Vec<(String, ChangeKind)> {
    let second = snapshot.changed_since(&Cancel::default());
    assert!(second.complete && second.unseen.is_empty());
    second
        .changes
        .into_iter()
        .map(|change| (change.path.to_string(), change.what))
        .collect()
}

#[test]
fn first_read_serves_all_readers() {
    let sandbox = Sandbox::with(&[("a", "one"), ("b", "x")]);
    let snapshot = sandbox.snapshot();
    let first = snapshot.read(&at("a")).unwrap();
    assert_eq!(snapshot.read(&at("c")).unwrap_err(), Refusal::Missing);
    sandbox.write("a", "two");
    sandbox.write("c", "new");
    assert!(std::sync::Arc::ptr_eq(
        &first,
        &snapshot.read(&at("a")).unwrap()
    ));
    assert_eq!(snapshot.read(&at("c")).unwrap_err(), Refusal::Missing);
    assert_eq!(
        snapshot.reads(),
        [
            ReadRecord::File {
                path: at("a"),
                content: Digest::of_bytes(b"one")
            },
            ReadRecord::Refused {
                path: at("c"),
                refusal: Refusal::Missing
            },
        ]
    );
    assert_eq!(
        changes(&snapshot),
        [
            ("a".to_owned(), ChangeKind::Changed),
            ("c".to_owned(), ChangeKind::Appeared)
        ]
    );
}

#[test]
fn concurrent_readers_share_a_read() {
    let sandbox = Sandbox::with(&[("a", "text")]);
    let snapshot = sandbox.snapshot();
    let files: Vec<_> = std::thread::scope(|scope| {
        let reads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| snapshot.read(&at("a")).unwrap()))
            .collect();
        reads.into_iter().map(|read| read.join().unwrap()).collect()
    });
    assert!(
        files
            .iter()
            .all(|file| std::sync::Arc::ptr_eq(file, &files[0]))
    );
}

#[test]
fn change_with_equal_stat_is_found() {
    let sandbox = Sandbox::with(&[
        ("same-size", "one"),
        ("touched", "x"),
        ("gone", "x"),
        ("swapped", "x"),
    ]);
    let snapshot = sandbox.snapshot();
    for path in ["same-size", "touched", "gone", "swapped"] {
        snapshot.read(&at(path)).unwrap();
    }
    assert_eq!(changes(&snapshot), []);
    let modified = fs::metadata(sandbox.at("same-size"))
        .unwrap()
        .modified()
        .unwrap();
    // Neither the size nor the modification time of this file shows the change.
    sandbox.write("same-size", "two");
    let file = fs::File::options()
        .write(true)
        .open(sandbox.at("same-size"))
        .unwrap();
    file.set_modified(modified).unwrap();
    let touched = fs::File::options()
        .write(true)
        .open(sandbox.at("touched"))
        .unwrap();
    touched
        .set_modified(modified + Duration::from_secs(5))
        .unwrap();
    fs::remove_file(sandbox.at("gone")).unwrap();
    fs::remove_file(sandbox.at("swapped")).unwrap();
    sandbox.link("swapped", sandbox.outside().join("file.txt"));
    assert_eq!(
        changes(&snapshot),
        [
            ("gone".to_owned(), ChangeKind::Vanished),
            ("same-size".to_owned(), ChangeKind::Changed),
            ("swapped".to_owned(), ChangeKind::Changed),
        ]
    );
}

#[test]
fn clock_change_of_old_file_is_found() {
    let sandbox = Sandbox::with(&[("a", "one"), ("b", "one")]);
    // With this clock, the files seem to be an hour old, so their metadata would show any change.
    let options = RepoOptions {
        now: Some(SystemTime::now() + Duration::from_secs(3600)),
        ..RepoOptions::default()
    };
    let snapshot = Repo::open_with(&sandbox.root(), options)
        .unwrap()
        .snapshot();
    snapshot.read(&at("a")).unwrap();
    snapshot.read(&at("b")).unwrap();
    assert_eq!(changes(&snapshot), []);
    sandbox.write("a", "other");
    assert_eq!(changes(&snapshot), [("a".to_owned(), ChangeKind::Changed)]);
}

#[test]
fn listings_are_checked_again() {
    let sandbox = Sandbox::with(&[("a.rs", ""), ("b.rs", ""), ("c.md", "")]);
    let snapshot = sandbox.snapshot();
    let query = ListQuery {
        globs: vec!["*.rs".into()],
        limit: Some(1),
        ..ListQuery::default()
    };
    let listing = snapshot.list(&query, &Cancel::default()).unwrap();
    assert_eq!((listing.files, listing.total), (vec![at("a.rs")], 2));
    fs::remove_file(sandbox.at("b.rs")).unwrap();
    sandbox.write("d.rs", "");
    sandbox.write("e.md", "");
    assert_eq!(snapshot.list(&query, &Cancel::default()).unwrap().total, 2);
    assert_eq!(
        changes(&snapshot),
        [
            ("b.rs".to_owned(), ChangeKind::Vanished),
            ("d.rs".to_owned(), ChangeKind::Appeared)
        ]
    );
}

#[test]
fn searches_are_checked_again() {
    let sandbox = Sandbox::with(&[
        ("hit", "needle"),
        ("lost", "needle"),
        ("miss", "straw"),
        ("miss2", "straw"),
    ]);
    let snapshot = sandbox.snapshot();
    let query = SearchQuery {
        pattern: "needle".into(),
        ..SearchQuery::default()
    };
    let found = snapshot.search(&query, &Cancel::default()).unwrap();
    assert_eq!(found.total_matches, 2);
    assert_eq!(changes(&snapshot), []);

    sandbox.write("hit", "no more");
    // Excerpts come from the state that we've searched.
    assert_eq!(snapshot.read(&at("hit")).unwrap().bytes(), b"needle");
    fs::remove_file(sandbox.at("lost")).unwrap();
    sandbox.write("miss", "a needle now");
    sandbox.write("miss2", "other straw");
    sandbox.write("new", "needle");
    sandbox.write("new-miss", "straw");
    assert_eq!(
        changes(&snapshot),
        [
            ("hit".to_owned(), ChangeKind::Changed),
            ("lost".to_owned(), ChangeKind::Vanished),
            ("miss".to_owned(), ChangeKind::Changed),
            ("new".to_owned(), ChangeKind::Appeared),
        ]
    );
}

/// Searches all files in a snapshot whose clock is `ahead` of the existing files.
fn searched(sandbox: &Sandbox, ahead: Duration) -> Snapshot {
    searched_at(sandbox, SystemTime::now() + ahead)
}

/// Returns a time after that of all existing files, but not after that of any file written later.
fn next_file_time(sandbox: &Sandbox) -> SystemTime {
    let probe = sandbox.outside().join("probe");
    let write = || {
        fs::write(&probe, "x").unwrap();
        fs::metadata(&probe).unwrap().modified().unwrap()
    };
    let first = write();
    std::iter::repeat_with(write)
        .find(|time| *time > first)
        .unwrap()
}

/// Searches all files in a snapshot whose clock says `now`.
fn searched_at(sandbox: &Sandbox, now: SystemTime) -> Snapshot {
    let options = RepoOptions {
        now: Some(now),
        threads: std::num::NonZero::new(2),
        ..RepoOptions::default()
    };
    let repo = Repo::open_with(&sandbox.root(), options).unwrap();
    let snapshot = repo.snapshot();
    let query = SearchQuery {
        pattern: "needle".into(),
        ..SearchQuery::default()
    };
    snapshot.search(&query, &Cancel::default()).unwrap();
    assert_eq!(changes(&snapshot), []);
    snapshot
}

#[test]
fn search_detects_folder_changes() {
    const HOUR: Duration = Duration::from_secs(3600);
    type Edit = (fn(&Sandbox), &'static str, ChangeKind);
    let edits: [Edit; 5] = [
        (
            |sandbox| sandbox.write("a/b/miss", "needles!"),
            "a/b/miss",
            ChangeKind::Changed,
        ),
        (
            |sandbox| sandbox.write("a/hit", "thread"),
            "a/hit",
            ChangeKind::Changed,
        ),
        (
            |sandbox| sandbox.write("a/b/new", "needle"),
            "a/b/new",
            ChangeKind::Appeared,
        ),
        (
            |sandbox| sandbox.write("c/new", "needle"),
            "c/new",
            ChangeKind::Appeared,
        ),
        (
            |sandbox| fs::remove_file(sandbox.at("a/hit")).unwrap(),
            "a/hit",
            ChangeKind::Vanished,
        ),
    ];
    // A few files are checked on one thread, but many on several.
    for files in [0, 1_200] {
        for (edit, path, what) in edits {
            let sandbox = Sandbox::with(&[("a/hit", "needle"), ("a/b/miss", "straw")]);
            for at in 0..files {
                sandbox.write(&format!("many/{}/{at}", at % 7), "straw");
            }
            let snapshot = searched(&sandbox, HOUR);
            edit(&sandbox);
            snapshot.disturb();
            assert_eq!(changes(&snapshot), [(path.to_owned(), what)]);
        }
    }
}

#[test]
fn old_misses_checked_after_disturb() {
    let sandbox = Sandbox::with(&[("a/hit", "needle"), ("a/miss", "straw")]);
    let snapshot = searched(&sandbox, Duration::from_secs(3600));
    sandbox.write("a/miss", "needle");
    assert_eq!(changes(&snapshot), []);
    // Without `disturb`, an old file without a match isn't looked at. Files with matches are always
    // checked, and so are new and vanished ones.
    sandbox.write("a/hit", "straw");
    sandbox.write("a/new", "needle");
    let shown = [
        ("a/hit", ChangeKind::Changed),
        ("a/new", ChangeKind::Appeared),
    ];
    let miss = ("a/miss", ChangeKind::Changed);
    let named = |changes: &[(&str, ChangeKind)]| {
        let owned = changes
            .iter()
            .map(|(path, what)| ((*path).to_owned(), *what));
        owned.collect::<Vec<_>>()
    };
    assert_eq!(changes(&snapshot), named(&[shown[0], miss, shown[1]]));
    fs::remove_file(sandbox.at("a/new")).unwrap();
    snapshot.disturb();
    assert_eq!(changes(&snapshot), named(&[shown[0], miss]));
}

#[test]
fn search_detects_unignored_file() {
    let sandbox = Sandbox::with(&[
        (".gitignore", "/hidden\n"),
        ("a", "straw"),
        ("hidden", "needle"),
    ]);
    // With this clock, only files written from now on are too young to rely on their metadata.
    let now = next_file_time(&sandbox) + Duration::from_secs(2);
    let snapshot = searched_at(&sandbox, now);
    sandbox.write(".gitignore", "/nothing\n");
    assert_eq!(
        changes(&snapshot),
        [("hidden".to_owned(), ChangeKind::Appeared)]
    );
}

#[test]
fn search_uses_first_read_state() {
    let sandbox = Sandbox::with(&[("a", "needle\n")]);
    let snapshot = sandbox.snapshot();
    snapshot.read(&at("a")).unwrap();
    sandbox.write("a", "gone\n");
    let query = SearchQuery {
        pattern: "needle".into(),
        ..SearchQuery::default()
    };
    let found = snapshot.search(&query, &Cancel::default()).unwrap();
    assert_eq!(found.files[0].lines[0].line, 1);
}

#[test]
fn list_equals_ripgrep() {
    let sandbox = Sandbox::with(&[
        (".gitignore", "target/\n*.log\n"),
        (".ignore", "vendor\n"),
        ("src/b.rs", ""),
        ("src/a.rs", ""),
        ("src/.hidden.rs", ""),
        ("target/out.rs", ""),
        ("vendor/v.rs", ""),
        ("x.log", ""),
        (".github/ci.yml", ""),
        (".env", ""),
        ("prod.env", ""),
        (".git/HEAD", "ref: refs/heads/main"),
        ("sub/.git/config", ""),
    ]);
    sandbox.link("link.rs", "src/a.rs");
    let all = ListQuery::default();
    assert_eq!(sandbox.list(&all), ["prod.env", "src/a.rs", "src/b.rs"]);
    let hidden = ListQuery {
        hidden: true,
        ..all
    };
    let want = [
        ".env",
        ".github/ci.yml",
        ".gitignore",
        ".ignore",
        "prod.env",
        "src/.hidden.rs",
        "src/a.rs",
        "src/b.rs",
    ];
    assert_eq!(sandbox.list(&hidden), want);
    let listing = sandbox
        .snapshot()
        .list(&hidden, &Cancel::default())
        .unwrap();
    assert_eq!(listing.withheld.secret, 2);

    let globs = |globs: &[&str]| ListQuery {
        globs: globs.iter().map(ToString::to_string).collect(),
        ..ListQuery::default()
    };
    // As with `rg -g`, a hidden file is included if a glob matches it.
    let rust = sandbox.list(&globs(&["*.rs", "!**/b.rs"]));
    assert_eq!(rust, ["src/.hidden.rs", "src/a.rs"]);
    assert_eq!(sandbox.list(&globs(&["!src/**"])), ["prod.env"]);
    let error = sandbox
        .snapshot()
        .list(&globs(&["[a"]), &Cancel::default())
        .unwrap_err();
    assert!(matches!(error, ListError::Glob { .. }), "{error}");
}

#[test]
fn list_named_path_overrides_ignore() {
    let sandbox = Sandbox::with(&[
        (".gitignore", "target/\n*.log\n"),
        ("src/a.rs", ""),
        ("src/x.log", ""),
        ("src/deep/b.rs", ""),
        ("target/doc/c.rs", ""),
        (".github/ci.yml", ""),
        ("x.log", ""),
    ]);
    sandbox.link("to-src", "src");
    sandbox.link("out", sandbox.outside());
    let within = |paths: &[&str]| ListQuery {
        paths: paths.iter().map(|path| at(path)).collect(),
        ..ListQuery::default()
    };
    assert_eq!(
        sandbox.list(&within(&["src"])),
        ["src/a.rs", "src/deep/b.rs"]
    );
    assert_eq!(
        sandbox.list(&within(&["src/deep", "src"])),
        ["src/a.rs", "src/deep/b.rs"]
    );
    assert_eq!(sandbox.list(&within(&["to-src/deep"])), ["src/deep/b.rs"]);
    assert_eq!(
        sandbox.list(&within(&["target", "target/doc", "x.log", ".github"])),
        [".github/ci.yml", "target/doc/c.rs", "x.log"]
    );
    assert_eq!(sandbox.list(&within(&["."])), ["src/a.rs", "src/deep/b.rs"]);
    for (path, refusal) in [("none", Refusal::Missing), ("out", Refusal::OutsideRoot)] {
        let error = sandbox
            .snapshot()
            .list(&within(&[path]), &Cancel::default());
        let path = at(path);
        assert_eq!(error, Err(ListError::Scope { path, refusal }));
    }
}

#[test]
fn list_cancelled_is_an_error() {
    let sandbox = Sandbox::with(&[("a", "")]);
    let cancel = Cancel::default();
    cancel.cancel();
    let snapshot = sandbox.snapshot();
    assert_eq!(
        snapshot.list(&ListQuery::default(), &cancel),
        Err(ListError::Cancelled)
    );
    assert_eq!(snapshot.reads(), []);
}

#[cfg(target_os = "linux")]
#[test]
fn list_non_utf8_name_is_counted() {
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::with(&[("a", "needle")]);
    sandbox.write("C:/x", "needle");
    sandbox.write("x:server.notes", "needle");
    fs::write(
        sandbox.root().join(std::ffi::OsStr::from_bytes(b"\xff")),
        "needle",
    )
    .unwrap();
    let snapshot = sandbox.snapshot();
    let listing = snapshot
        .list(&ListQuery::default(), &Cancel::default())
        .unwrap();
    assert_eq!((listing.total, listing.withheld.not_utf8), (2, 2));
    assert!(listing.files.contains(&at("x:server.notes")));
}

#[test]
fn second_look_cancelled_lists_unseen() {
    let sandbox = Sandbox::with(&[("a", "one"), ("b", "two")]);
    let snapshot = sandbox.snapshot();
    snapshot.read(&at("a")).unwrap();
    snapshot.read(&at("c")).unwrap_err();
    let go_on = Cancel::default();
    snapshot.list(&ListQuery::default(), &go_on).unwrap();
    let query = SearchQuery {
        pattern: "two".to_owned(),
        ..SearchQuery::default()
    };
    snapshot.search(&query, &go_on).unwrap();
    let stopped = Cancel::default();
    stopped.cancel();
    let second = snapshot.changed_since(&stopped);
    assert!(second.unseen.contains(&at("a")) && second.unseen.contains(&at("c")));
    assert!(second.changes.is_empty() && !second.complete, "{second:?}");
}

#[test]
fn recorded_snapshot_lists_own_reads() {
    let sandbox = Sandbox::with(&[("a", "one"), ("b", "x"), ("c", "three")]);
    let snapshot = sandbox.snapshot();
    let outer = snapshot.recorded();
    let inner = outer.recorded();
    let read = |path: &str, text: &str| ReadRecord::File {
        path: at(path),
        content: Digest::of_bytes(text.as_bytes()),
    };
    snapshot.read(&at("c")).unwrap();
    outer.read(&at("a")).unwrap();
    inner.read(&at("b")).unwrap();
    // The file isn't read again, but this handle still depends on it.
    inner.read(&at("c")).unwrap();
    assert_eq!(
        inner.own_reads().unwrap(),
        [read("b", "x"), read("c", "three")]
    );
    assert_eq!(
        outer.own_reads().unwrap(),
        [read("a", "one"), read("b", "x"), read("c", "three")]
    );
    assert_eq!(snapshot.own_reads(), Some(Vec::new()));
    assert_eq!(snapshot.reads().len(), 3);
}

#[test]
fn own_reads_unanswered_is_none() {
    let sandbox = Sandbox::with(&[("a", "one")]);
    let recorded = sandbox.snapshot().recorded();
    let query = ListQuery {
        paths: vec![at("missing")],
        ..ListQuery::default()
    };
    assert!(recorded.list(&query, &Cancel::default()).is_err());
    assert_eq!(recorded.own_reads(), None);
}

#[test]
fn still_holds_while_answer_is_equal() {
    let sandbox = Sandbox::with(&[("a", "one\n"), ("b", "x\n")]);
    let recorded = sandbox.snapshot().recorded();
    let cancel = Cancel::default();
    recorded.read(&at("a")).unwrap();
    recorded.read(&at("new")).unwrap_err();
    recorded.list(&ListQuery::default(), &cancel).unwrap();
    let query = SearchQuery {
        pattern: "one".to_owned(),
        ..SearchQuery::default()
    };
    recorded.search(&query, &cancel).unwrap();
    let reads = recorded.own_reads().unwrap();
    assert_eq!(reads.len(), 4);
    let holding = || {
        let later = sandbox.snapshot();
        let holds = |record: &&ReadRecord| later.still_holds(record, &cancel);
        reads.iter().filter(holds).count()
    };
    assert_eq!(holding(), 4);
    sandbox.write("b", "y\n");
    assert_eq!(holding(), 4, "nobody read that");
    sandbox.write("b", "one\n");
    assert_eq!(holding(), 3, "the search finds it now");
    sandbox.write("new", "");
    assert_eq!(holding(), 1, "neither absent nor unlisted");
    sandbox.write("a", "two\n");
    assert_eq!(holding(), 0);
    assert!(!sandbox.snapshot().still_holds(
        &ReadRecord::Git {
            query: windlass_repo::GitQuery::Head,
            answer: None
        },
        &cancel
    ));
}
