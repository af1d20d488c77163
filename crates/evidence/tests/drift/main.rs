//! Tests for the drift benchmark.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../../benches/drift/measure/mod.rs"]
mod measure;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use measure::{DriftRequest, drift};
use tempfile::TempDir;

fn git(dir: &Path, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let done = Command::new("git")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ])
        .arg("-C")
        .arg(dir)
        .args(who)
        .args(args)
        .output();
    let done = done.unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "git {args:?}: {said}");
}

fn written(dir: &Path, file: &str, lines: &[String]) {
    let path = dir.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

/// Creates a repository with two commits. In the second, functions are moved, changed and deleted.
fn repository() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q"]);
    let function = |file: usize, at: usize| {
        vec![
            format!("/// Weighs cargo {at} of ship {file} before it sails."),
            format!("pub fn weigh_{file}_{at}(crates: u32) -> u32 {{"),
            format!("    let ballast_{file} = crates * {at} + {file};"),
            format!("    ballast_{file} + {}", at * 7 + file),
            "}".to_owned(),
            String::new(),
        ]
    };
    let file =
        |number: usize| -> Vec<String> { (0..8).flat_map(|at| function(number, at)).collect() };
    for number in 0..6 {
        written(dir.path(), &format!("src/ship{number}.rs"), &file(number));
    }
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "ships"]);
    for number in 0..4 {
        let mut lines = file(number);
        let gone: Vec<String> = lines.drain(6..12).collect();
        lines.splice(0..0, ["// A licence.".to_owned(), String::new()]);
        lines[4] += " // at last";
        written(dir.path(), &format!("src/ship{number}.rs"), &lines);
        if number == 0 {
            written(dir.path(), "src/other.rs", &gone);
        }
    }
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "moved"]);
    dir
}

fn request(repo: &Path, jobs: usize) -> DriftRequest {
    DriftRequest {
        repos: vec![repo.to_path_buf()],
        between: Some(("HEAD~1".to_owned(), "HEAD".to_owned())),
        spans: 60,
        show: vec!["correct".to_owned(), "gaveup".to_owned()],
        explain: true,
        jobs: NonZeroUsize::new(jobs).unwrap(),
        ..DriftRequest::default()
    }
}

#[track_caller]
fn lines_of(request: &DriftRequest) -> Vec<String> {
    let found = drift(request).unwrap();
    let mut lines = Vec::new();
    found.tell(&mut |line| lines.push(line.to_owned()));
    lines
}

#[test]
fn the_same_is_found_with_however_many_jobs() {
    let repo = repository();
    let alone = lines_of(&request(repo.path(), 1));
    let named = |what: &str| {
        alone
            .iter()
            .filter(|line| line.trim().starts_with(what))
            .count()
    };
    assert!(named("correct: ") > 20, "{alone:#?}");
    assert!(named("place:") > 20, "it is said how: {alone:#?}");
    assert!(
        alone
            .iter()
            .any(|line| line.contains(" 0 wrong, 0 falsely gone")),
        "{alone:#?}"
    );
    assert_eq!(lines_of(&request(repo.path(), 4)), alone);
    let scripted = |jobs| DriftRequest {
        between: None,
        scripted: true,
        spans: 1,
        explain: false,
        ..request(repo.path(), jobs)
    };
    let alone = lines_of(&scripted(1));
    assert!(
        alone
            .iter()
            .any(|line| line.starts_with("deleted, committed")),
        "{alone:#?}"
    );
    assert_eq!(lines_of(&scripted(3)), alone);
}

#[test]
fn what_was_replaced_is_told_from_what_was_deleted() {
    let repo = tempfile::tempdir().unwrap();
    git(repo.path(), &["init", "-q"]);
    let step = |lines: &[String]| {
        written(repo.path(), "list.txt", lines);
        git(repo.path(), &["add", "-A"]);
        git(repo.path(), &["commit", "-q", "-m", "next"]);
    };
    let sailors = |ship: &str| -> Vec<String> {
        let roles = ["captain", "carpenter", "gunner", "surgeon"];
        let lines = roles.map(|role| format!("the {role} of {ship} sleeps aboard"));
        lines.into_iter().chain([String::new()]).collect()
    };
    let ships = ["Adler", "Bounty", "Cutty", "Dart", "Endeavour"].map(sailors);
    step(&ships.concat());
    let cargo = ["12 barrels: rum", "7 crates: tea", "40 sacks: rice"].map(str::to_owned);
    let [adler, _, cutty, _, endeavour] = ships;
    // The second record is deleted, and the fourth is replaced by `cargo`.
    step(&[&adler[..], &cutty, &cargo, &endeavour].concat());
    let labels = ["deleted", "replaced"].map(str::to_owned);
    let lines = lines_of(&DriftRequest {
        show: labels.to_vec(),
        ..request(repo.path(), 1)
    });
    let row = |label: &str| {
        let named = |line: &&String| line.starts_with(label);
        let row = lines.iter().find(named).expect("a row of its own");
        row.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u32>()
            .unwrap()
    };
    assert!(row("deleted") > 0 && row("replaced") > 0, "{lines:#?}");
    let named = |first: u32, label: &str| {
        let at = format!("list.txt:{first}-");
        let is_it = |line: &&String| line.contains(&at) && line.contains(label);
        lines.iter().filter(is_it).count()
    };
    assert!(named(6, " is deleted;") > 0, "{lines:#?}");
    assert_eq!(named(6, " is replaced;"), 0, "{lines:#?}");
    assert!(named(16, " is replaced;") > 0, "{lines:#?}");
    assert_eq!(named(16, " is deleted;"), 0, "{lines:#?}");
}

#[test]
fn short_history_is_reported_rest_measured() {
    let (repo, empty) = (repository(), tempfile::tempdir().unwrap());
    git(empty.path(), &["init", "-q"]);
    let lines = lines_of(&DriftRequest {
        repos: vec![empty.path().to_path_buf(), repo.path().to_path_buf()],
        between: None,
        commits: vec![1, 900],
        show: Vec::new(),
        ..request(repo.path(), 2)
    });
    let starts = |with: String| lines.iter().filter(|line| line.starts_with(&with)).count();
    let shown = |dir: &TempDir| dir.path().display().to_string();
    assert_eq!(
        starts(format!("{} 1: there is no commit", shown(&empty))),
        1,
        "{lines:#?}"
    );
    assert_eq!(
        starts(format!("{} 900: there is no commit", shown(&repo))),
        1,
        "{lines:#?}"
    );
    assert_eq!(
        starts(format!("{} 1 commits to HEAD: ", shown(&repo))),
        1,
        "{lines:#?}"
    );
    // With nothing else to measure, the missing commit is an error.
    let alone = drift(&request(empty.path(), 1)).unwrap_err();
    assert!(
        alone.to_string().contains("there is no commit `HEAD~1`"),
        "{alone}"
    );
}

/// Returns the files in a folder, with their modification times.
fn kept(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let files = std::fs::read_dir(folder).into_iter().flatten();
    let since = |file: std::io::Result<std::fs::DirEntry>| {
        let file = file.unwrap();
        (file.path(), file.metadata().unwrap().modified().unwrap())
    };
    files.map(since).collect()
}

#[test]
fn where_git_says_that_lines_went_is_asked_once() {
    let (repo, cache) = (repository(), tempfile::tempdir().unwrap());
    let request = |jobs| DriftRequest {
        cache: Some(cache.path().to_path_buf()),
        ..request(repo.path(), jobs)
    };
    let first = lines_of(&request(1));
    let all = kept(cache.path());
    assert!(!all.is_empty());
    // With other jobs but the same cache, no answer is written a second time.
    assert_eq!(lines_of(&request(2)), first);
    assert_eq!(kept(cache.path()), all);
}

/// Returns the line with the totals.
fn line_of(lines: &[String]) -> &str {
    let line = lines
        .iter()
        .find(|line| line.contains(" without agreed truth"));
    line.unwrap()
}

/// Returns how many of the 60 spans have a known truth.
fn spans(line: &str) -> usize {
    let (before, _) = line.split_once(" span").unwrap();
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_tag_beside_the_line_of_first_parents_loses_no_places() {
    let repo = repository();
    let dir = repo.path();
    // A branch that starts at the first commit has a tag, and is merged after the second commit.
    git(dir, &["branch", "-q", "-M", "main"]);
    git(dir, &["checkout", "-q", "-b", "side", "HEAD~1"]);
    let more: Vec<String> = (0..30)
        .map(|at| format!("pub fn steer_{at}_port() -> u32 {{ {at} }}"))
        .collect();
    written(dir, "src/side.rs", &more);
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-q", "-m", "side"]);
    git(dir, &["tag", "v1"]);
    git(dir, &["checkout", "-q", "main"]);
    git(dir, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let between = |from: &str| DriftRequest {
        between: Some((from.to_owned(), "HEAD".to_owned())),
        show: Vec::new(),
        explain: false,
        ..request(dir, 2)
    };
    let lines = lines_of(&between("v1"));
    let line = line_of(&lines);
    assert!(line.contains(" 0 wrong, 0 falsely gone"), "{lines:#?}");
    assert!(spans(line) >= 55, "{lines:#?}");
    // The state of a branch that was never merged can also be measured.
    git(dir, &["checkout", "-q", "-b", "apart", "v1"]);
    git(dir, &["commit", "-q", "--allow-empty", "-m", "apart"]);
    git(dir, &["tag", "v2"]);
    git(dir, &["checkout", "-q", "main"]);
    let lines = lines_of(&between("v2"));
    assert!(spans(line_of(&lines)) >= 55, "{lines:#?}");
    let back = DriftRequest {
        between: Some(("HEAD".to_owned(), "v1".to_owned())),
        ..between("v1")
    };
    let refused = drift(&back).unwrap_err();
    assert!(
        refused.to_string().contains("no commit lies between"),
        "{refused}"
    );
}

#[test]
fn it_is_said_how_long_places_live_in_any_language() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q"]);
    let lines = |from: usize| -> Vec<String> {
        (from..40)
            .map(|at| format!("fun weighCargo{at}(crates: Int) = crates * {at}"))
            .collect()
    };
    for at in 0..3 {
        written(dir.path(), "src/Ship.kt", &lines(at * 4));
        git(dir.path(), &["add", "-A"]);
        git(dir.path(), &["commit", "-q", "-m", "lighter"]);
    }
    let lines = lines_of(&DriftRequest {
        between: None,
        commits: vec![2, 1],
        show: Vec::new(),
        explain: false,
        ..request(dir.path(), 2)
    });
    let at = lines
        .iter()
        .position(|line| line.contains("found again"))
        .unwrap();
    let rows: Vec<Vec<&str>> = lines[at + 1..at + 3]
        .iter()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!((rows[0][0], rows[1][0]), ("1", "2"), "{lines:#?}");
    assert!(
        rows.iter().all(|row| row.len() == 8 && row[7] == "0.0%"),
        "{lines:#?}"
    );
}

/// Creates twenty files, one of which changes completely. `more` adds further files.
fn with_one_that_changes(more: impl Fn(&Path)) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q"]);
    for file in 0..20 {
        let line = |at: usize| {
            format!("pub fn weigh_{file}_{at}(crates: u32) -> u32 {{ crates * {at} + {file} }}")
        };
        let lines: Vec<String> = (0..30).map(line).collect();
        written(dir.path(), &format!("src/ship{file}.rs"), &lines);
    }
    more(dir.path());
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "ships"]);
    let other: Vec<String> = (0..30)
        .map(|at| format!("the harbour of town number {at} is closed in winter"))
        .collect();
    written(dir.path(), "src/ship0.rs", &other);
    git(dir.path(), &["commit", "-q", "-a", "-m", "one is another"]);
    dir
}

fn one_back(repo: &Path) -> DriftRequest {
    DriftRequest {
        between: None,
        commits: vec![1],
        show: Vec::new(),
        explain: false,
        ..request(repo, 2)
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_of_any_name_may_be_beside_what_is_measured() {
    use std::os::unix::ffi::OsStrExt as _;
    let odd: [&[u8]; 5] = [
        b"say \"hello\".md",
        b"caf\xe9.md",
        b"a\tb.md",
        b"a\nb.md",
        b"back\\slash.md",
    ];
    let repo = with_one_that_changes(|dir| {
        for name in odd {
            let path = dir.join(std::ffi::OsStr::from_bytes(name));
            std::fs::write(path, "some text stands in this file\n").unwrap();
        }
        let quoted: Vec<String> = (0..30)
            .map(|at| format!("pub fn quoted_{at}(crates: u32) -> u32 {{ crates * {at} }}"))
            .collect();
        written(dir, "src/\"quoted\".rs", &quoted);
    });
    let dir = repo.path();
    let all = lines_of(&one_back(dir));
    assert!(
        line_of(&all).contains(" 0 wrong, 0 falsely gone"),
        "{all:#?}"
    );
    // Spans in a file whose name git quotes are followed as well.
    let path = dir.join("src/\"quoted\".rs");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("// A licence.\n\n{text}")).unwrap();
    git(dir, &["commit", "-q", "-a", "-m", "a licence"]);
    let all = lines_of(&DriftRequest {
        show: vec!["moved, same file".to_owned()],
        ..one_back(dir)
    });
    let named = all
        .iter()
        .filter(|line| line.contains("\"quoted\".rs:") && line.contains("correct: "));
    assert!(named.count() > 10, "{all:#?}");
}

#[test]
fn a_distance_that_is_named_twice_is_measured_once() {
    let repo = repository();
    let of = |commits: &[u32]| {
        lines_of(&DriftRequest {
            between: None,
            commits: commits.to_vec(),
            show: Vec::new(),
            explain: false,
            ..request(repo.path(), 2)
        })
    };
    assert_eq!(of(&[1, 1]), of(&[1]));
}

#[test]
fn where_nothing_is_captured_there_is_no_result() {
    let repo = tempfile::tempdir().unwrap();
    git(repo.path(), &["init", "-q"]);
    for message in ["one", "two"] {
        git(
            repo.path(),
            &["commit", "-q", "--allow-empty", "-m", message],
        );
    }
    let empty = request(repo.path(), 1);
    let scripted = DriftRequest {
        between: None,
        scripted: true,
        ..empty.clone()
    };
    for asked in [empty, scripted] {
        let found = drift(&asked).unwrap_err();
        assert!(
            found.to_string().contains("no place was found to capture"),
            "{found}"
        );
    }
}

#[test]
fn ablation_without_switches_is_refused() {
    let repo = repository();
    let request = DriftRequest {
        between: None,
        commits: vec![1],
        ..request(repo.path(), 2)
    };
    let mut out = Vec::new();
    let refused = measure::ablated::answer_requests(&request, &b"\n"[..], &mut out).unwrap_err();
    assert!(refused.to_string().contains("no switches"), "{refused}");
    // The classes of all spans with a known fate precede the answers.
    let classes = String::from_utf8(out).unwrap();
    let measured = lines_of(&request);
    assert_eq!(
        classes.split('\t').count(),
        spans(line_of(&measured)),
        "{classes}"
    );
}
