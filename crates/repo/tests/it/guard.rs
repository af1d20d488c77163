//! Tests of paths that may and may not be read.

use std::fs;

use crate::support::{OUTSIDE, Sandbox, at};
use proptest::prelude::*;
use windlass_repo::{Refusal, Repo, RepoOptions};

fn rule(refusal: Refusal) -> String {
    match refusal {
        Refusal::Secret { rule } => rule.into_owned(),
        other => panic!("not secret: {other}"),
    }
}

#[test]
fn unreadable_kind_is_reported() {
    let sandbox = Sandbox::with(&[("dir/file", "x")]);
    make_pipe(&sandbox.at("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.at("socket")).unwrap();
    sandbox.link("loop", "loop");
    sandbox.link("dangling", "nowhere");
    let big = fs::File::create(sandbox.at("big")).unwrap();
    big.set_len(1 << 30).unwrap();

    assert_eq!(sandbox.refusal("none"), Refusal::Missing);
    assert_eq!(sandbox.refusal("dangling"), Refusal::Missing);
    assert_eq!(sandbox.refusal("dir/file/below"), Refusal::Missing);
    assert_eq!(sandbox.refusal(&"n".repeat(300)), Refusal::Missing);
    assert_eq!(sandbox.refusal("dir"), Refusal::Directory);
    assert_eq!(sandbox.refusal("."), Refusal::Directory);
    assert!(matches!(sandbox.refusal("pipe"), Refusal::NotRegular { what } if what == "a pipe"));
    assert!(matches!(
        sandbox.refusal("socket"),
        Refusal::NotRegular { .. }
    ));
    assert!(matches!(
        sandbox.refusal("loop"),
        Refusal::Unreadable { .. }
    ));
    assert_eq!(
        sandbox.refusal("big").to_string(),
        "it is too large: 1024 MiB, the limit is 64 MiB"
    );
}

fn make_pipe(path: &std::path::Path) {
    let status = std::process::Command::new("mkfifo").arg(path).status();
    assert!(status.unwrap().success());
}

#[test]
fn links_followed_inside_only() {
    let sandbox = Sandbox::with(&[("real/file.txt", "inside\n")]);
    sandbox.link("inside", "real/file.txt");
    sandbox.link("folder", "real");
    sandbox.link("out", sandbox.outside().join("file.txt"));
    sandbox.link("out-folder", sandbox.outside());
    sandbox.link("up", "../outside/file.txt");
    sandbox.link("passwd", "/etc/passwd");

    let snapshot = sandbox.snapshot();
    for path in ["inside", "folder/file.txt"] {
        assert_eq!(snapshot.read(&at(path)).unwrap().bytes(), b"inside\n");
    }
    for path in ["out", "out-folder/file.txt", "up", "passwd"] {
        assert_eq!(sandbox.refusal(path), Refusal::OutsideRoot, "{path}");
    }
}

#[test]
fn secret_link_target_is_refused() {
    let sandbox = Sandbox::with(&[
        (".env", "A=1"),
        ("keys/.aws/config", "x"),
        (".env.example", "A="),
        (
            "key.json",
            r#"{"type": "service_account", "private_key": "k"}"#,
        ),
    ]);
    sandbox.link("notes.txt", ".env");
    sandbox.link("innocent", "keys/.aws");
    sandbox.link(".npmrc", ".env.example");
    assert_eq!(rule(sandbox.refusal(".env")), "env-file");
    assert_eq!(rule(sandbox.refusal("notes.txt")), "env-file");
    assert_eq!(
        rule(sandbox.refusal("innocent/config")),
        "cloud-credentials"
    );
    assert_eq!(rule(sandbox.refusal(".npmrc")), "package-registry");
    assert_eq!(rule(sandbox.refusal("key.json")), "service-account-key");
    assert_eq!(rule(sandbox.refusal("not/there/.env")), "env-file");
    assert!(sandbox.snapshot().read(&at(".env.example")).is_ok());
}

#[test]
fn git_folder_is_never_read() {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[remote]"),
        ("sub/.GIT/config", "x"),
        ("elsewhere/HEAD", "ref: refs/heads/main\n"),
    ]);
    sandbox.link("conf", ".git/config");
    for path in [".git/config", "sub/.GIT/config", "conf", ".git"] {
        assert_eq!(rule(sandbox.refusal(path)), "git-folder", "{path}");
    }
    fs::remove_dir_all(sandbox.at(".git")).unwrap();
    sandbox.write(".git", "gitdir: elsewhere\n");
    assert_eq!(rule(sandbox.refusal("elsewhere/HEAD")), "git-folder");
}

#[test]
fn policy_narrows_only_when_trusted() {
    let sandbox = Sandbox::with(&[
        (".windlass/secrets", "private/\n!*.pem\n"),
        ("private/a.txt", "x"),
        ("test.pem", "x"),
    ]);
    assert_eq!(rule(sandbox.refusal("private/a.txt")), ".windlass/secrets");
    assert_eq!(rule(sandbox.refusal("test.pem")), "private-key");
    assert_eq!(sandbox.repo().secrets().narrowing_lines()[0].line, 2);

    let options = RepoOptions {
        allow_narrowing: true,
        ..RepoOptions::default()
    };
    let trusted = Repo::open_with(&sandbox.root(), options)
        .unwrap()
        .snapshot();
    assert!(trusted.read(&at("test.pem")).is_ok());
    assert!(trusted.read(&at("private/a.txt")).is_err());
}

#[test]
fn unreadable_policy_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.link(".windlass/secrets", "/dev/null");
    let error = Repo::open(&sandbox.root()).unwrap_err();
    assert!(
        error.to_string().contains("no file is read without it"),
        "{error}"
    );
}

#[test]
fn only_missing_policy_means_none() {
    type Make = fn(&Sandbox);
    let list = "private/\n";
    let ways: [(&str, Make); 7] = [
        (".windlass", |sandbox| sandbox.link(".windlass", "real")),
        (".windlass", |sandbox| sandbox.link(".windlass", "nowhere")),
        (".windlass", |sandbox| {
            sandbox.write(".windlass", "private/\n");
        }),
        (".windlass/secrets", |sandbox| {
            sandbox.link(".windlass/secrets", "../real/secrets");
        }),
        (".windlass/secrets", |sandbox| {
            sandbox.link(".windlass/secrets", "nowhere");
        }),
        (".windlass/secrets", |sandbox| {
            sandbox.write(".windlass/secrets/x", "");
        }),
        (".windlass/secrets`, line 2", |sandbox| {
            sandbox.write(".windlass/secrets", b"a\nGeh\xe4lter/\n");
        }),
    ];
    for (named, make) in ways {
        let sandbox = Sandbox::with(&[("real/secrets", list), ("private/a.txt", "x")]);
        make(&sandbox);
        let error = Repo::open(&sandbox.root()).unwrap_err().to_string();
        assert!(
            error.contains(named) && error.contains("correct"),
            "{error}"
        );
    }
    for files in [&[("a", "")][..], &[(".windlass/runbook.yaml", "")]] {
        assert!(Repo::open(&Sandbox::with(files).root()).is_ok());
    }
}

#[test]
fn habitual_patterns_hide_files() {
    for line in ["./i/", " i/", "i/x.txt "] {
        let sandbox = Sandbox::with(&[(".windlass/secrets", line), ("i/x.txt", "x")]);
        assert_eq!(rule(sandbox.refusal("i/x.txt")), ".windlass/secrets");
    }
    let sandbox = Sandbox::with(&[(".windlass/secrets", "a\ni/x.txt # why\n")]);
    let error = Repo::open(&sandbox.root()).unwrap_err().to_string();
    assert!(error.contains("line 2: a comment needs"), "{error}");
}

/// Generates names that often collide.
fn part() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", ".env", "file.txt"]).prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(part(), 1..4).prop_map(|parts| parts.join("/"))
}

#[derive(Debug, Clone)]
enum Make {
    File(String),
    Link(String, String),
    Out(String),
}

fn make() -> impl Strategy<Value = Make> {
    prop_oneof![
        path().prop_map(Make::File),
        (path(), path(), 0..3usize).prop_map(|(at, to, up)| Make::Link(at, "../".repeat(up) + &to)),
        path().prop_map(Make::Out),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn no_outside_or_secret_byte_leaks(
        steps in prop::collection::vec(make(), 1..10),
        asked in prop::collection::vec(path(), 1..10),
    ) {
        let sandbox = Sandbox::new();
        for step in steps {
            // Some steps fail, because there's a file in place of a folder. The others are enough.
            let (Make::File(path) | Make::Link(path, _) | Make::Out(path)) = &step;
            let target = sandbox.at(path);
            let _ = fs::create_dir_all(target.parent().unwrap());
            let _ = match &step {
                // Never write through a link, since it could lead out of the sandbox.
                Make::File(_) if target.symlink_metadata().is_ok() => Ok(()),
                // Each file contains its own location, so that a read reveals the file it reached.
                Make::File(path) => fs::canonicalize(target.parent().unwrap())
                    .and_then(|folder| fs::write(&target, folder.join(path.rsplit('/').next().unwrap()).to_string_lossy().as_bytes())),
                Make::Link(_, to) => std::os::unix::fs::symlink(to, &target),
                Make::Out(_) => std::os::unix::fs::symlink(sandbox.outside(), &target),
            };
        }
        let root = sandbox.root().canonicalize().unwrap();
        let snapshot = sandbox.snapshot();
        for path in asked {
            if let Ok(file) = snapshot.read(&at(&path)) {
                let text = String::from_utf8(file.bytes().to_vec()).unwrap();
                prop_assert_ne!(&text, OUTSIDE);
                let real = fs::canonicalize(sandbox.at(&path)).unwrap();
                prop_assert!(real.starts_with(&root));
                prop_assert!(!real.ends_with(".env") && !path.ends_with(".env"));
            }
        }
    }
}
