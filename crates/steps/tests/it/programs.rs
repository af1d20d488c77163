//! Tests of the review of `command` steps: the files that a step starts or loads.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use windlass_repo::Repo;
use windlass_steps::{ProgramReview, review_program};

const FILES: [&str; 29] = [
    "Makefile",
    "build.mk",
    "common.awk",
    "edit.sed",
    "package.json",
    "app.js",
    "build.js",
    "lib.sh",
    "my lib.sh",
    "run.sh",
    "x",
    "tool.py",
    "pkg/__init__.py",
    "pkg/__main__.py",
    "pkg/inner.py",
    "perl/Foo/Bar.pm",
    "perl/main.pl",
    "ci.d/10-a",
    "ci.d/sub/20-b",
    "sub/Makefile",
    "sub/x.sh",
    "xtask/Cargo.toml",
    "Cargo.toml",
    ".cargo/config.toml",
    "main.go",
    "go.mod",
    "justfile",
    "data.csv",
    "lib/x.so",
];

fn repository() -> (tempfile::TempDir, Repo) {
    let dir = tempfile::tempdir().unwrap();
    for file in FILES {
        write(dir.path(), file, "text\n");
    }
    let package = json!({ "main": "app", "scripts": { "build": "node build.js && echo" } });
    write(dir.path(), "package.json", &package.to_string());
    for at in 0..70 {
        write(dir.path(), &format!("many/{at}.js"), "text\n");
    }
    write(dir.path(), "many/index.js", "text\n");
    write(dir.path(), ".gitignore", "ci.d\n");
    let repo = Repo::open(dir.path()).unwrap();
    (dir, repo)
}

#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn review(repo: &Repo, with: &Value) -> ProgramReview {
    review_program(with, None, &repo.snapshot()).unwrap()
}

fn names(review: &ProgramReview) -> Vec<String> {
    let files = review.files.iter();
    files.map(|file| file.file.to_string()).collect()
}

/// Returns inputs, each with files that the review has to find. It may find others as well.
fn ways() -> Vec<(Value, &'static [&'static str])> {
    let argv = |argv: Value| json!({ "argv": argv });
    vec![
        (argv(json!(["./run.sh"])), &["run.sh"]),
        (argv(json!(["bash", "run.sh", "a"])), &["run.sh"]),
        (
            argv(json!(["bash", "--rcfile", "lib.sh", "run.sh"])),
            &["lib.sh", "run.sh"],
        ),
        (
            argv(json!(["make", "-f", "build.mk", "hello"])),
            &["build.mk", "Makefile"],
        ),
        (argv(json!(["make", "-sfbuild.mk"])), &["build.mk"]),
        (argv(json!(["make", "--file=build.mk"])), &["build.mk"]),
        (argv(json!(["make", "hello"])), &["Makefile"]),
        (
            argv(json!(["make", "-C", "sub"])),
            &["sub/Makefile", "Makefile"],
        ),
        (argv(json!(["make", "-Csub", "-f", "x.sh"])), &["sub/x.sh"]),
        (argv(json!(["awk", "-f", "common.awk"])), &["common.awk"]),
        (argv(json!(["sed", "-nf", "edit.sed"])), &["edit.sed"]),
        (
            argv(json!(["node", "."])),
            &["package.json", "app.js", "build.js"],
        ),
        (argv(json!(["node", "app"])), &["app.js"]),
        (
            argv(json!(["node", "--require=./build.js", "app.js"])),
            &["build.js", "app.js"],
        ),
        (argv(json!(["sh", "-c", ". ./lib.sh"])), &["lib.sh"]),
        (
            argv(json!(["sh", "-c", ". \"./my lib.sh\""])),
            &["my lib.sh"],
        ),
        (argv(json!(["sh", "-c", ". $PWD/lib.sh"])), &["lib.sh"]),
        (argv(json!(["sh", "-c", "cat lib.sh | sh"])), &["lib.sh"]),
        (argv(json!(["sh", "-c", "cd sub && ./x.sh"])), &["sub/x.sh"]),
        (argv(json!(["sh", "-c", "sh -c '. ./lib.sh'"])), &["lib.sh"]),
        (
            argv(json!(["perl", "-Iperl", "-MFoo::Bar", "-e", "1"])),
            &["perl/Foo/Bar.pm"],
        ),
        (argv(json!(["perl", "perl/main.pl"])), &["perl/main.pl"]),
        (argv(json!(["python3", "-m", "tool"])), &["tool.py"]),
        (
            argv(json!(["python3", "-mpkg"])),
            &["pkg/__init__.py", "pkg/__main__.py"],
        ),
        (
            argv(json!(["python3", "-m", "pkg.inner"])),
            &["pkg/__init__.py", "pkg/inner.py"],
        ),
        (argv(json!(["python3", "-c", "import tool"])), &["tool.py"]),
        (
            argv(json!(["python3", "-c", "exec(open('x').read())"])),
            &["x"],
        ),
        (
            argv(json!(["git", "-c", "alias.x=!./run.sh", "x"])),
            &["run.sh"],
        ),
        (argv(json!(["env", "X=1", "./x"])), &["x"]),
        (argv(json!(["timeout", "5", "./x"])), &["x"]),
        (
            argv(json!(["xargs", "-a", "data.csv", "./x"])),
            &["data.csv", "x"],
        ),
        (
            argv(json!(["find", ".", "-exec", "./x", "{}", ";"])),
            &["x"],
        ),
        (
            argv(json!(["npm", "run", "build"])),
            &["package.json", "build.js"],
        ),
        (
            argv(json!(["cargo", "xtask"])),
            &["Cargo.toml", ".cargo/config.toml"],
        ),
        (argv(json!(["go", "run", "."])), &["go.mod", "main.go"]),
        (argv(json!(["just", "ship"])), &["justfile"]),
        (
            argv(json!(["run-parts", "ci.d"])),
            &["ci.d/10-a", "ci.d/sub/20-b"],
        ),
        (argv(json!(["unknown", "@data.csv"])), &["data.csv"]),
        (
            json!({ "argv": ["tool"], "env": { "LD_PRELOAD": "./lib/x.so" } }),
            &["lib/x.so"],
        ),
        (
            json!({ "argv": ["cat"], "env": { "LD_PRELOAD": "lib/x.so" } }),
            &["lib/x.so"],
        ),
        (
            json!({ "argv": ["python3", "main.py"], "env": { "PYTHONPATH": "pkg" } }),
            &["pkg/inner.py"],
        ),
        (
            json!({ "argv": ["tool"], "env": { "PATH": "ci.d:/usr/bin" } }),
            &["ci.d/10-a"],
        ),
        (json!({ "argv": ["./x.sh"], "cwd": "sub" }), &["sub/x.sh"]),
        (
            json!({ "argv": ["sh", "../run.sh"], "cwd": "sub" }),
            &["run.sh"],
        ),
        (json!({ "argv": ["make"], "cwd": "sub" }), &["sub/Makefile"]),
    ]
}

#[test]
fn review_named_file_covered() {
    let (dir, repo) = repository();
    for (with, files) in ways() {
        let before = review(&repo, &with);
        let found = names(&before);
        for file in files {
            assert!(
                found.iter().any(|one| one == file),
                "{with}: {file} not in {found:?}"
            );
            // The review notices a change to the file.
            write(dir.path(), file, "{}");
            assert_ne!(review(&repo, &with).files, before.files, "{with}: {file}");
            let package = json!({ "main": "app", "scripts": { "build": "node build.js && echo" } });
            match *file {
                "package.json" => write(dir.path(), file, &package.to_string()),
                file => write(dir.path(), file, "text\n"),
            }
        }
    }
}

#[test]
fn review_data_file_not_covered() {
    let (_dir, repo) = repository();
    for with in [
        json!({ "argv": ["cat", "data.csv"] }),
        json!({ "argv": ["echo", "run.sh"] }),
        json!({ "argv": ["python3", "tool.py", "data.csv"], "unpinned": ["data.csv", "tool.py"] }),
        json!({ "argv": ["tool", "pkg"], "unpinned": ["pkg"] }),
    ] {
        assert_eq!(names(&review(&repo, &with)), Vec::<String>::new(), "{with}");
    }
}

#[test]
fn review_new_file_covered() {
    let (dir, repo) = repository();
    for (with, file) in [
        (json!({ "argv": ["make", "-f", "late.mk"] }), "late.mk"),
        (json!({ "argv": ["make"] }), "GNUmakefile"),
        (json!({ "argv": ["python3", "-m", "late"] }), "late.py"),
        (json!({ "argv": ["run-parts", "ci.d"] }), "ci.d/30-c"),
        (json!({ "argv": ["sh", "-c", ". ./late.sh"] }), "late.sh"),
    ] {
        let before = review(&repo, &with);
        write(dir.path(), file, "text\n");
        assert_ne!(review(&repo, &with).files, before.files, "{with}");
    }
}

#[test]
fn review_unknown_parts_reported() {
    let (_dir, repo) = repository();
    let reference = json!({ "$ref": "#/inputs/x" });
    for with in [
        json!({ "argv": reference }),
        json!({ "argv": [reference] }),
        json!({ "argv": ["bash", reference] }),
        json!({ "argv": ["./x"], "cwd": reference }),
        json!({ "argv": ["env", reference] }),
        json!({ "argv": ["echo"], "env": reference }),
        json!({ "argv": ["echo"], "env": { "LD_PRELOAD": reference } }),
        json!({ "argv": ["sh", "-c", ". \"$LIB\""] }),
        json!({ "argv": ["sh", "-c", "for f in ci.d/*; do sh \"$f\"; done"] }),
        json!({ "argv": ["node", "many"] }),
        json!({ "argv": ["node", "."] }),
        json!({ "argv": ["cargo", "test"] }),
        json!({ "argv": ["git", "deploy"] }),
        json!({ "argv": ["unknown"] }),
    ] {
        assert!(!review(&repo, &with).open.is_empty(), "{with}");
    }
    for (with, loaders) in [
        (json!({ "argv": ["echo", reference] }), &[][..]),
        (json!({ "argv": ["cat", "run.sh"] }), &[]),
        (json!({ "argv": ["./missing"] }), &[]),
        (json!({ "argv": ["./x", "data.csv"] }), &["x"]),
        (json!({ "argv": ["bash", "run.sh"] }), &["run.sh"]),
        (
            json!({ "argv": ["make", "-f", "build.mk"] }),
            &["Makefile", "build.mk"],
        ),
    ] {
        let reasons = loaders.iter();
        let reasons = reasons.map(|file| format!("`{file}` may load files that it names itself"));
        let reasons: Vec<String> = reasons.collect();
        assert_eq!(review(&repo, &with).open, reasons, "{with}");
    }
    assert!(
        names(&review(&repo, &json!({ "argv": ["node", "many"] })))
            .contains(&"many/index.js".to_owned())
    );
}

#[test]
fn review_any_step_bounded() {
    let (_dir, repo) = repository();
    let long: Vec<String> = (0..5_000).map(|at| format!("a{at}/b.c.d.e")).collect();
    let review = review(&repo, &json!({ "argv": ["unknown", long.join(" "), long] }));
    assert!(
        review.open.iter().any(|why| why.contains("only known")),
        "{:?}",
        review.open
    );
    assert!(review.files.len() < 600);
}

#[test]
fn review_unreadable_program_refused() {
    let (dir, repo) = repository();
    write(dir.path(), ".env", "A=b\n");
    let with = json!({ "argv": ["./.env"] });
    assert!(review_program(&with, None, &repo.snapshot()).is_err());
    let loaded = review(&repo, &json!({ "argv": ["sh", "-c", ". ./.env"] }));
    let why = "`.env` cannot be checked: it is secret by the rule `env-file`";
    assert!(
        loaded.open.iter().any(|reason| reason == why),
        "{:?}",
        loaded.open
    );
}

#[test]
fn review_program_on_path_covered() {
    let (dir, repo) = repository();
    let path = format!("/usr/bin:{}", dir.path().join("ci.d").display());
    let with = json!({ "argv": ["10-a"] });
    let found = review_program(&with, Some(path.as_ref()), &repo.snapshot()).unwrap();
    assert_eq!(names(&found), ["ci.d/10-a"]);
}
