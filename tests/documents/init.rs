//! `windlass init` and the first runbook of a repository.

use crate::support::{self, Sandbox};

#[test]
fn init_runbook_runs_and_is_not_replaced() {
    let sandbox = Sandbox::git();
    sandbox
        .write("README.md", "# Hello\n\nworld\n")
        .write("package.json", "{}\n")
        .write("index.js", "export const a = 1;\n");
    sandbox.commit("x");
    sandbox.windlass(&["init"]).succeeds();
    sandbox.windlass(&["check"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(run.contains("index.js:1") && run.contains("Hello"), "{run}");
    sandbox.write("runbooks/overview.yaml", "mine");
    sandbox.windlass(&["init"]).exits_with(5);
    assert_eq!(sandbox.read("runbooks/overview.yaml"), "mine");
}

#[test]
fn init_survives_shorter_readme() {
    let sandbox = Sandbox::git();
    let prototypes: String = (0..40).map(|nr| format!("int f{nr}(int);\n")).collect();
    sandbox
        .write("README.md", "# Hello\n\none\ntwo\nthree\n")
        .write("src/a.h", &prototypes)
        .write("src/main.c", "\nint main(int argc, char *argv[]) {\n}\n");
    sandbox.commit("x");
    sandbox.windlass(&["init"]).succeeds();
    sandbox.write("README.md", "# Hello\n");
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(run.contains("src/main.c:2"), "{run}");
    assert!(run.contains("so lines 1-5 end there"), "{run}");
}

#[test]
fn init_shows_api_root_first() {
    for (root, offered, inner, text) in [
        (
            "src/lib.rs",
            "pub use inner::deep;\n",
            "src/a/lib.rs",
            "pub fn deep() {}\n",
        ),
        (
            "pkg/__init__.py",
            "from .a import deep\n",
            "pkg/a/core.py",
            "def deep(): pass\n",
        ),
        (
            "src/index.ts",
            "export * from './a/deep'\n",
            "src/a/deep.ts",
            "export const deep = 1\n",
        ),
        (
            "api.go",
            "func Offer() {}\n",
            "a/deep.go",
            "func Deep() {}\n",
        ),
    ] {
        let sandbox = Sandbox::git();
        sandbox.write(root, offered).write(inner, text);
        sandbox.write(&format!("tests/{root}"), offered);
        sandbox.windlass(&["init"]).succeeds();
        let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
        let (before, rest) = run.split_once("Public API  ").unwrap();
        let (api, rest) = rest.split_once("Entry points  ").unwrap();
        assert!(!before.contains(inner), "{run}");
        assert!(
            api.contains(&format!("{root}:1")) && !api.contains(inner),
            "{run}"
        );
        assert!(
            !rest.contains(&format!("{root}:1")) && rest.contains(inner),
            "{run}"
        );
    }
}

#[test]
fn init_finds_api_by_manifest() {
    let sandbox = Sandbox::git();
    sandbox
        .write("packages/bench/index.ts", "import './a';\n")
        .write(
            "packages/bench/package.json",
            r#"{"name": "bench", "private": true}"#,
        )
        .write("packages/lib/package.json", r#"{"name": "lib"}"#)
        .write(
            "packages/lib/src/index.ts",
            "export { parse } from './core/parse';\nexport * from './core/types';\n",
        )
        .write(
            "packages/lib/src/core/parse.ts",
            "export const parse = 1;\n",
        );
    sandbox.windlass(&["init"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    let (_, api) = run.split_once("Public API  ").unwrap();
    let (api, _) = api.split_once("Entry points  ").unwrap();
    assert!(api.contains("packages/lib/src/index.ts:1"), "{run}");
    assert!(!api.contains("bench"), "{run}");

    // Without a manifest, the nearest file with the usual name that exports something is the API.
    sandbox.write(".gitignore", "package.json\n");
    sandbox.windlass(&["init", "--force"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(run.contains("packages/lib/src/index.ts:1"), "{run}");

    // A file with the usual name that exports nothing is no API.
    let sandbox = Sandbox::git();
    sandbox.write("index.ts", "import './a';\n");
    sandbox.windlass(&["init"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(!run.contains("Public API"), "{run}");
}

#[test]
fn init_recognises_real_entry_points() {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "src/main.c",
            "int umain(int argc, char* argv[]);\nint wmain(int argc) {\n}\nint main(int argc, char* argv[]) {\n}\n",
        )
        .write("src/old.c", "int\nmain(argc, argv)\n{\n}\n")
        .write("src/compile.h", "int block_has_main(block);\nint main(void);\n")
        .write(
            "src/compile.c",
            "int block_has_main(block top) {\n}\nstatic int domain(int a) {\n}\n",
        );
    sandbox.windlass(&["init"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    let (_, starts) = run.split_once("Where programs start  ").unwrap();
    let (starts, _) = starts.split_once("Entry points  ").unwrap();
    for place in ["src/main.c:2", "src/main.c:4", "src/old.c:2"] {
        assert!(starts.contains(place), "{place}: {run}");
    }
    assert!(
        !starts.contains("compile") && !starts.contains("main.c:1"),
        "{run}"
    );
}

#[test]
fn init_refuses_git_internals() {
    let sandbox = Sandbox::git();
    sandbox.write("bare.git/HEAD", "ref: refs/heads/main\n");
    for folder in ["objects/info", "refs/heads", "hooks"] {
        sandbox.write(&format!("bare.git/{folder}/x"), "");
    }
    let outside = tempfile::tempdir().unwrap();
    let bare = outside.path().join("bare.git");
    std::fs::rename(sandbox.root().join("bare.git"), &bare).unwrap();
    for folder in [&bare, &bare.join("hooks")] {
        for arguments in [&["init"][..], &["init", "--force"]] {
            let mut command = sandbox.command(folder, arguments);
            let refused = support::answer(&mut command).exits_with(4).stderr;
            assert!(
                refused.contains("folder of git itself") && refused.contains("git worktree add"),
                "{refused}"
            );
        }
        assert!(!folder.join("runbooks").exists() && !folder.join(".windlass").exists());
    }
}

#[test]
fn init_marks_root_without_git() {
    let sandbox = Sandbox::folder();
    sandbox.write("sub/a.txt", "text\n");
    let said = sandbox.windlass(&["init"]).succeeds().stderr;
    assert!(said.contains("wrote .windlass/secrets"), "{said}");
    let folder = sandbox.root().join("sub");
    let mut command = sandbox.command(&folder, &["run", "overview"]);
    let answer = support::answer(&mut command).succeeds();
    assert!(answer.stdout.contains("Overview"), "{}", answer.stdout);
    let again = sandbox.windlass(&["init", "--force"]).succeeds().stderr;
    assert!(!again.contains(".windlass"), "{again}");
}

#[test]
fn third_party_code_is_no_entry_point() {
    let sandbox = Sandbox::git();
    sandbox.write("src/main.rs", "fn main() {}\npub fn own() {}\n");
    for folder in ["deps", "third_party", "vendor", "external", "3rdparty"] {
        let path = format!("{folder}/lib/main.rs");
        sandbox.write(&path, "fn main() {}\npub fn foreign() {}\n");
    }
    sandbox.windlass(&["init"]).succeeds();
    let shown = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(
        shown.contains("src/main.rs:1") && shown.contains("own"),
        "{shown}"
    );
    assert!(
        !shown.contains("/lib/") && !shown.contains("foreign"),
        "{shown}"
    );
    let runbook = sandbox.read("runbooks/overview.yaml");
    assert!(!runbook.contains("Pods"), "{runbook}");
}
