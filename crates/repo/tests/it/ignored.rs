//! Tests of ignored files, and of the scope of ignore files.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use windlass_base::Cancel;
use windlass_repo::{ListQuery, Listing, Repo, RepoOptions, SearchQuery};

use crate::git::git;
use crate::support::Sandbox;

fn listing(sandbox: &Sandbox) -> Listing {
    let all = ListQuery::default();
    sandbox.snapshot().list(&all, &Cancel::default()).unwrap()
}

fn names(listing: &Listing) -> Vec<&str> {
    listing
        .files
        .iter()
        .map(windlass_base::RepoPath::as_str)
        .collect()
}

#[test]
fn ignore_file_outside_is_unheeded() {
    type Make = fn(&Sandbox);
    let ways: [(&str, Make); 8] = [
        ("a pipe", |sandbox| {
            let mut make = std::process::Command::new("mkfifo");
            let made = make.arg(sandbox.at("d/.ignore")).status();
            assert!(made.unwrap().success());
        }),
        ("a device", |sandbox| sandbox.link("d/.ignore", "/dev/zero")),
        ("a link out of the repository", |sandbox| {
            fs::write(sandbox.outside().join("rules"), "x\n").unwrap();
            sandbox.link("d/.gitignore", sandbox.outside().join("rules"));
        }),
        ("a link to a secret", |sandbox| {
            sandbox.write(".env", "x\n");
            sandbox.link("d/.ignore", "../.env");
        }),
        ("a link to nothing", |sandbox| {
            sandbox.link("d/.ignore", "no");
        }),
        ("a folder", |sandbox| sandbox.write("d/.ignore/y", "")),
        ("too large", |sandbox| {
            sandbox.write("d/.gitignore", "x\n".to_owned() + &"#".repeat(512 << 10));
        }),
        ("too many lines", |sandbox| {
            sandbox.write("d/.gitignore", "x\n".repeat(5_001));
        }),
    ];
    for (what, make) in ways {
        let sandbox = Sandbox::with(&[("d/x", ""), ("d/z", ""), (".ignore", "d/z\n")]);
        make(&sandbox);
        let listing = listing(&sandbox);
        assert_eq!(names(&listing), ["d/x"], "{what}");
        let withheld = listing.withheld;
        assert_eq!((withheld.unheeded, withheld.unreadable), (1, 0), "{what}");
    }
}

#[test]
fn ignore_file_link_inside_applies() {
    let sandbox = Sandbox::with(&[("d/x", ""), ("d/y", ""), ("rules", "x\n")]);
    sandbox.link("d/.ignore", "../rules");
    let listing = listing(&sandbox);
    assert_eq!(names(&listing), ["d/y", "rules"]);
    assert_eq!(listing.withheld.unheeded, 0);
}

/// Checks that a search notices it if the ignore file `file` is edited later.
fn notices_an_edit(root: &Path, file: &Path) {
    // With this clock, existing files are old and files that are written later aren't.
    let options = RepoOptions {
        now: Some(SystemTime::now() + Duration::from_secs(60)),
        ..RepoOptions::default()
    };
    let snapshot = Repo::open_with(root, options).unwrap().snapshot();
    let query = SearchQuery {
        pattern: "needle".into(),
        ..SearchQuery::default()
    };
    let found = snapshot.search(&query, &Cancel::default()).unwrap();
    assert_eq!(found.total_matches, 0);
    fs::write(file, "nothing\n").unwrap();
    let changes = snapshot.changed_since(&Cancel::default()).changes;
    assert_eq!(changes.len(), 1, "{changes:?}");
}

#[test]
fn ignore_file_edit_is_detected() {
    let sandbox = Sandbox::with(&[("d/x", "needle"), ("rules", "x\n")]);
    sandbox.link("d/.ignore", "../rules");
    notices_an_edit(&sandbox.root(), &sandbox.at("rules"));

    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    git(
        &sandbox.root(),
        &["worktree", "add", "-q", "../outside/tree"],
    );
    let tree = sandbox.outside().join("tree");
    fs::write(tree.join("x"), "needle").unwrap();
    sandbox.write(".git/info/exclude", "x\n");
    notices_an_edit(&tree, &sandbox.at(".git/info/exclude"));
}

#[test]
fn large_tree_is_listed_completely() {
    let sandbox = Sandbox::new();
    for folder in 0..40 {
        for file in 0..20 {
            sandbox.write(&format!("d{folder:02}/e/f{file:02}"), "");
        }
        sandbox.write(
            &format!("d{folder:02}/.gitignore"),
            format!("f{folder:02}\n"),
        );
    }
    sandbox.write(".ignore", "/d07\n!f03\n");
    let with = |threads| {
        let options = RepoOptions {
            threads: std::num::NonZero::new(threads),
            ..RepoOptions::default()
        };
        let repo = Repo::open_with(&sandbox.root(), options).unwrap();
        let list = repo
            .snapshot()
            .list(&ListQuery::default(), &Cancel::default());
        list.unwrap()
    };
    let one = with(1);
    assert_eq!(one.total, 39 * 20 - 19 + 1);
    for threads in [2, 3, 8] {
        assert_eq!(with(threads), one);
    }
}

/// Generates lines for ignore files that often match.
fn rule() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "*.x",
        "!*.x",
        "/a",
        "a/",
        "!a/",
        "a/b",
        "/a/b",
        "!a/b",
        "**/b",
        "a/**",
        "a/**/b",
        "!b",
        ".h",
        "!.h",
        "*",
        "!*",
        "# a",
        "\\!a",
        " a",
        "a ",
        "[ab]",
        "[a",
        "?",
        "\u{feff}a",
        "!/a/",
        "*/b",
        "a\\",
        "{a,b}",
    ])
}

fn part() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "a.x", "b.x", ".h", "c"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn listing_matches_ripgrep(
        files in prop::collection::vec(prop::collection::vec(part(), 1..4), 1..14),
        rules in prop::collection::vec(
            (
                prop::collection::vec(part(), 0..3),
                prop::sample::select(vec![".gitignore", ".ignore", ".git/info/exclude"]),
                prop::collection::vec(rule(), 1..5),
            ),
            0..6,
        ),
        globs in prop::collection::vec(prop::sample::select(vec!["*.x", "!a", "a/**", "!.h", ".h", "!*.x"]), 0..3),
        hidden in any::<bool>(), crlf in any::<bool>(),
    ) {
        let sandbox = Sandbox::new();
        let make = |path: &str, text: &str| {
            let path = sandbox.at(path);
            // Some of these fail, because there's a file in place of a folder.
            let _ = fs::create_dir_all(path.parent().unwrap());
            let _ = fs::write(path, text);
        };
        for file in files {
            make(&file.join("/"), "");
        }
        for (folder, name, lines) in rules {
            let end = if crlf { "\r\n" } else { "\n" };
            make(&[&folder[..], &[name]].concat().join("/"), &lines.join(end));
        }
        let root = sandbox.root().canonicalize().unwrap();
        let mut overrides = ignore::overrides::OverrideBuilder::new(&root);
        for glob in &globs {
            overrides.add(glob).unwrap();
        }
        let mut theirs: Vec<String> = ignore::WalkBuilder::new(&root)
            .hidden(!hidden)
            .parents(false)
            .git_global(false)
            .require_git(false)
            .overrides(overrides.build().unwrap())
            .filter_entry(|entry| entry.file_name() != ".git")
            .build()
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
            .map(|entry| entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned())
            .collect();
        theirs.sort();
        let query = ListQuery {
            globs: globs.iter().map(ToString::to_string).collect(),
            hidden,
            ..ListQuery::default()
        };
        let mut ours = sandbox.list(&query);
        ours.sort();
        prop_assert_eq!(ours, theirs);
    }
}

#[test]
fn rgignore_takes_precedence() {
    let sandbox = Sandbox::with(&[
        (".rgignore", "a\n!b\n"),
        (".ignore", "b\n!a\nc\n"),
        ("a", ""),
        ("b", ""),
        ("c", ""),
        ("d/c", ""),
        ("d/.rgignore", "!c\n"),
    ]);
    assert_eq!(names(&listing(&sandbox)), ["b", "d/c"]);
}
