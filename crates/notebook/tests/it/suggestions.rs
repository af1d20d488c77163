//! Suggestions for small repositories. Each case has just the files that matter.

use std::path::Path;

use windlass_base::Cancel;
use windlass_notebook::{MAX_ANCHORS, Suggestions, suggest};
use windlass_repo::{Repo, RepoOptions, Snapshot};

fn suggested(files: &[(&str, &str)], threads: usize) -> Suggestions {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    look(folder.path(), threads)
}

fn look(root: &Path, threads: usize) -> Suggestions {
    suggest(&snapshot(root, threads), &Cancel::default()).unwrap()
}

fn snapshot(root: &Path, threads: usize) -> Snapshot {
    let options = RepoOptions {
        threads: std::num::NonZeroUsize::new(threads),
        ..RepoOptions::default()
    };
    Repo::open_with(root, options).unwrap().snapshot()
}

/// Each suggested anchor in the form `name file:lines`.
fn places(files: &[(&str, &str)]) -> Vec<String> {
    let found = suggested(files, 1).suggestions;
    let anchors = found.iter().map(windlass_notebook::Suggestion::anchor);
    anchors
        .map(|anchor| format!("{} {}", anchor.id, anchor.evidence[0]))
        .collect()
}

const CARGO: &str = "[package]\nname = \"winch\"\nversion = \"1.0.0\"\n";
const WORKFLOW: &str = "on: [push, pull_request]\njobs:\n  check:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n      - run: cargo test\n  docs:\n    steps:\n      - run: |\n          cargo install mdbook\n          mdbook build\n";

#[test]
fn suggestions_follow_file_contents() {
    for (files, wanted) in [
        (
            &[
                ("Cargo.toml", CARGO),
                ("src/main.rs", "use x;\n\nfn main() {\n    x::run();\n}\n"),
            ][..],
            &["start-winch src/main.rs:3-5"][..],
        ),
        // A function `main` doesn't start a program unless it's in the right file.
        (
            &[("Cargo.toml", CARGO), ("src/other.rs", "fn main() {}\n")],
            &[],
        ),
        (
            &[
                ("Cargo.toml", CARGO),
                ("examples/main.rs", "fn main() {}\n"),
            ],
            &[],
        ),
        (
            &[
                ("Cargo.toml", CARGO),
                (
                    "src/lib.rs",
                    "//! Docs.\n\nmod a;\npub use a::A;\npub use a::{\n    B,\n};\n",
                ),
            ],
            &["api-winch src/lib.rs:4-7"],
        ),
        (
            &[
                ("go.mod", "module m\n"),
                ("cmd/tool/main.go", "package main\n\nfunc main() {\n}\n"),
                ("lib.go", "package m\n\nfunc New() int { return 1 }\n"),
            ],
            &["start-tool cmd/tool/main.go:3-4", "api-new lib.go:3"],
        ),
        (
            &[
                (
                    "pyproject.toml",
                    "[project.scripts]\nwinch = \"winch.cli:main\"\n",
                ),
                (
                    "src/winch/__init__.py",
                    "from .a import A\n\n__all__ = [\n    'A',\n]\n",
                ),
                ("src/winch/cli.py", "import os\n\n\ndef main():\n    pass\n"),
            ],
            &[
                "start-winch src/winch/cli.py:4-5",
                "api-winch src/winch/__init__.py:3-5",
            ],
        ),
        (
            &[
                (
                    "package.json",
                    "{\n  \"name\": \"@a/winch\",\n  \"scripts\": {\n    \"test\": \"x\"\n  }\n}\n",
                ),
                (
                    "lib/index.js",
                    "'use strict'\nmodule.exports = wind\nfunction wind() {\n  return 1\n}\n",
                ),
            ],
            &["api-winch lib/index.js:2", "build-scripts package.json:3-5"],
        ),
        (
            &[(".github/workflows/ci.yml", WORKFLOW)],
            &["gate-ci-check .github/workflows/ci.yml:3-7"],
        ),
        // A workflow is a gate because of its triggers, so the name of the file doesn't matter.
        (
            &[(".github/workflows/build-release.yml", WORKFLOW)],
            &["gate-build-release-check .github/workflows/build-release.yml:3-7"],
        ),
        (
            &[(
                ".github/workflows/ci.yml",
                "on:\n  release:\n  schedule:\n    - cron: '0 0 * * *'\njobs:\n  test:\n    steps:\n      - run: cargo test\n",
            )],
            &[],
        ),
        (
            &[(
                ".github/workflows/ci.yml",
                "on:\n  workflow_dispatch:\n  pull_request:\njobs:\n  hand:\n    if: github.event_name == 'workflow_dispatch'\n    steps:\n      - run: make test\n  part:\n    steps:\n      - run: cargo fmt --check\n      - run: cargo test\n        if: github.event_name == 'workflow_dispatch'\n",
            )],
            &["gate-ci-part .github/workflows/ci.yml:9-13"],
        ),
        (
            &[
                ("go.mod", "module m\n"),
                (
                    "main.go",
                    "package main // import \"m\"\n\nfunc main() {\n\tprintln(1)\n}\n",
                ),
            ],
            &["start-m main.go:3-5"],
        ),
        (
            &[(
                "Makefile",
                "CC := cc\ntest: build\n\tprove t\n\nclean:\n\trm x\n",
            )],
            &["build-make-test Makefile:2-3"],
        ),
        (
            &[
                (
                    "api/a.proto",
                    "syntax = \"proto3\";\nservice A {\n  rpc B(C) returns (C);\n}\n",
                ),
                ("test/b.proto", "service B {}\n"),
            ],
            &["schema-a api/a.proto:2-4"],
        ),
        (&[("schema.json", "{\n  \"properties\": {}\n}\n")], &[]),
        (
            &[(
                "CONTRIBUTING.md",
                "# Contributing\n\n## Running tests\n\nRun this:\n\n    make test\n\n## Thanks\n\nAll.\n\nOf.\n",
            )],
            &["guide-running-tests CONTRIBUTING.md:3-7"],
        ),
        (
            &[(".github/CODEOWNERS", "# Who\n* @a\n/b @c\n")],
            &["owners-code .github/CODEOWNERS:2-3"],
        ),
    ] {
        assert_eq!(places(files), wanted, "{files:?}");
    }
}

#[test]
fn secret_files_not_suggested() {
    let makefile =
        "test:\n\tcurl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ456789' x\n";
    assert_eq!(places(&[("Makefile", makefile)]), [""; 0]);
}

#[test]
fn suggestions_deterministic() {
    let files: Vec<(String, String)> = (0..200)
        .map(|at| {
            (
                format!("cmd/c{at}/main.go"),
                "package main\n\nfunc main() {\n}\n".to_owned(),
            )
        })
        .chain((0..100).map(|at| {
            (
                format!("api/v{at}/s{at}.proto"),
                format!("service S{at} {{\n}}\n"),
            )
        }))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let one = suggested(&files, 1);
    assert_eq!(one, suggested(&files, 4));
    let anchors = one.suggestions.len();
    assert!(anchors > 5 && anchors <= MAX_ANCHORS, "{anchors}");
}

#[test]
fn examples_no_entrypoint_dialects_merged() {
    let main =
        "#include \"winch.h\"\n#ifdef WINCH_TEST\nint main(void) {\n  return 0;\n}\n#endif\n";
    let header = "#ifndef W\n#define W\nint winch_up(int by);\nint winch_down(int by);\nint winch_stop(void);\n#endif\n";
    let found = places(&[
        ("winch.c", main),
        ("winch.h", header),
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.1)\nPROJECT(winch)\n",
        ),
        (
            "_examples/one/main.go",
            "package main\n\nfunc main() {\n}\n",
        ),
        (
            "src/main/java/org/samples/App.java",
            "package org.samples;\n\npublic class App {\n\tpublic static void main(String[] args) {\n\t\trun();\n\t}\n}\n",
        ),
        ("db/h2/schema.sql", "CREATE TABLE a (\n  id INT\n);\n"),
        ("db/mysql/schema.sql", "CREATE TABLE a (\n  id INT(4)\n);\n"),
    ]);
    assert_eq!(
        found,
        [
            "start-app src/main/java/org/samples/App.java:4-6",
            "api-winch winch.h:3-5",
            "schema-schema db/h2/schema.sql:1-3",
        ]
    );
}

#[test]
fn names_used_by_the_readme_are_contracts() {
    let readme = "# Winch\n\n```go\nr := winch.NewDrum()\nr.Lift()\nwinch.NewDrum()\n```\n\n```sh\nStart\n```\n";
    let found = places(&[
        ("README.md", readme),
        ("go.mod", "module example.org/winch/v2\n"),
        (
            "drum.go",
            "package winch\n\ntype Drum struct {\n\tn int\n}\n\nfunc NewDrum() *Drum {\n\treturn nil\n}\n\nfunc Start() {}\n",
        ),
        ("drum_test.go", "package winch\n\nfunc NewDrum() {}\n"),
    ]);
    assert_eq!(found, ["api-newdrum drum.go:7-9"]);
    // The readme has no code, so other documents are read. `Chain` is skipped, since there are two
    // definitions.
    let code = "```ruby\nWinch::Drum.new\nWinch::Chain.new\n```\n";
    let found = places(&[
        ("README.md", "# Winch\n"),
        ("docs/use.md", code),
        (
            "lib/winch/drum.rb",
            "module Winch\n  class Drum\n    def a\n    end\n  end\nend\n",
        ),
        ("lib/winch/a.rb", "class Chain\nend\n"),
        ("lib/winch/b.rb", "class Chain\nend\n"),
    ]);
    assert_eq!(found, ["api-drum lib/winch/drum.rb:2"]);
}

#[test]
fn gate_is_judged_by_trigger_and_step() {
    let workflow = |on: &str, steps: &str| {
        format!(
            "on: {on}\njobs:\n  check:\n    steps:\n{steps}  other:\n    steps:\n      - run: echo tests\n"
        )
    };
    for (steps, command) in [
        (
            "      - run: ./mvnw --version\n      - run: ./mvnw install\n",
            Some("./mvnw install"),
        ),
        ("      - run: bundle exec rake\n", Some("bundle exec rake")),
        (
            "      - name: Run tests\n        run: ./do.ps1\n",
            Some("./do.ps1"),
        ),
        ("      - run: git log --format=%an\n", None),
        ("      - run: make\n      - run: make ci\n", Some("make ci")),
    ] {
        let release = workflow("{ push: { branches: [main] } }", steps);
        let proposed = workflow("pull_request", steps);
        let found = suggested(
            &[
                (".github/workflows/a-release.yml", &release),
                (".github/workflows/b.yml", &proposed),
            ],
            1,
        );
        let reasons: Vec<&str> = found
            .suggestions
            .iter()
            .map(|one| one.reason.as_str())
            .collect();
        let wanted = command.map(|command| format!("runs `{command}` for every proposed change"));
        assert_eq!(reasons, Vec::from_iter(wanted), "{steps}");
    }
}

#[test]
fn tools_of_the_project_are_no_entry_points() {
    let main = "fn main() {\n}\n";
    let found = places(&[
        ("Cargo.toml", CARGO),
        ("src/main.rs", main),
        ("crates/book/Cargo.toml", "[package]\nname = \"book\"\n"),
        ("crates/book/src/main.rs", main),
        ("vendor/a/src/main.rs", main),
        ("third_party/a/src/main.rs", main),
    ]);
    assert_eq!(found, ["start-winch src/main.rs:1-2"]);
    let c = "#ifdef WIN32\nint wmain(void) {\n  return 1;\n}\n#else\nint main(void) {\n  return 0;\n}\n#endif\n";
    assert_eq!(
        places(&[("src/winch.c", c)]),
        ["start-winch src/winch.c:6-8"]
    );
}

#[test]
fn headings_about_speed_and_questions_are_no_guides() {
    let text = "# Winch\n\n## Benchmarks\n\n### Running the tests\n\na\n\nb\n\nc\n\n## Why does a build fail?\n\nd\n\ne\n\nf\n\n## Building\n\ng\n\nh\n";
    assert_eq!(
        places(&[("README.md", text)]),
        ["guide-building README.md:21-25"]
    );
}

#[test]
fn api_root_is_found_by_its_usual_names() {
    let package = "{\n  \"name\": \"winch\"\n}\n";
    for (file, text) in [
        (
            "source/index.ts",
            "export {a} from './a.js';\nexport {b} from './b.js';\n",
        ),
        (
            "packages/winch/src/index.ts",
            "export * from './a';\nexport { b } from './b';\n",
        ),
    ] {
        assert_eq!(
            places(&[("package.json", package), (file, text)]),
            [format!("api-winch {file}:1-2")]
        );
    }
    let files = [
        ("package.json", package),
        ("lib/winch.js", "exports = module.exports = create;\n"),
    ];
    assert_eq!(places(&files), ["api-winch lib/winch.js:1"]);
}
