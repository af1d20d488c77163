//! The GitHub Action's program, run as by a runner, with a stand-in for `gh`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::support::{Answer, Sandbox, answer, numbered, shell_word};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../action/run.sh");

/// Stand-in for `gh`. It records its calls, and remembers that a comment was created. If there's a
/// file `fork`, it refuses to write, like for the token of a fork's pull request.
const GH: &str = r#"#!/bin/sh
dir=${0%/*}
case "$*" in
*--paginate*) cat "$dir/id" 2>/dev/null; exit 0 ;;
esac
if [ -e "$dir/fork" ]; then echo 'HTTP 403' >&2; exit 1; fi
echo "$3 $4" >>"$dir/calls"
cp "${6#body=@}" "$dir/body"
echo 77 >"$dir/id"
"#;

/// Repository with a document and a base, for a runner that has bash.
struct Runner {
    sandbox: Sandbox,
    bin: PathBuf,
}

impl Runner {
    #[expect(
        clippy::print_stdout,
        reason = "a skipped test names the missing program"
    )]
    fn new(needed: &[&str]) -> Option<Self> {
        for program in ["bash"].iter().chain(needed) {
            let mut version = Command::new(program);
            let found = version.arg("--version").stdout(Stdio::null()).status();
            if !found.is_ok_and(|status| status.success()) {
                println!("skipped: this machine has no `{program}`");
                return None;
            }
        }
        let sandbox = Sandbox::git();
        sandbox
            .write("src/a.rs", numbered(1, 40))
            .write("docs/d.md", "The limit is `src/a.rs:30`.\n")
            .commit("base");
        sandbox.run_git(&["checkout", "--quiet", "-b", "work"]);
        let bin = sandbox.outside().join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let runner = Self { sandbox, bin };
        runner.program("gh", GH);
        Some(runner)
    }

    fn program(&self, name: &str, text: &str) -> PathBuf {
        let path = self.bin.join(name);
        std::fs::write(&path, text).unwrap();
        let mut mode = Command::new("chmod");
        assert!(mode.arg("+x").arg(&path).status().unwrap().success());
        path
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.bin.join(name)).unwrap_or_default()
    }

    /// Runs the script for pull request 7 against `main`, with additional `inputs`.
    fn run(&self, inputs: &[(&str, &str)]) -> Answer {
        for name in ["summary", "output"] {
            std::fs::write(self.bin.join(name), "").unwrap();
        }
        let script = format!("exec bash {}", shell_word(SCRIPT));
        let mut shell = self.sandbox.shell(self.sandbox.root(), &script);
        let path = std::env::var("PATH").unwrap();
        shell
            .env("PATH", format!("{}:{path}", self.bin.display()))
            .env("RUNNER_TEMP", self.sandbox.outside())
            .env("GITHUB_REPOSITORY", "o/r")
            .env("GITHUB_STEP_SUMMARY", self.bin.join("summary"))
            .env("GITHUB_OUTPUT", self.bin.join("output"))
            .env("PULL_REQUEST", "7")
            .env("INPUT_BASE", "main")
            .env("INPUT_BINARY", env!("CARGO_BIN_EXE_windlass"));
        for (name, value) in inputs {
            shell.env(name, value);
        }
        answer(&mut shell)
    }
}

#[cfg(unix)]
#[test]
fn action_keeps_one_comment_up_to_date() {
    let Some(runner) = Runner::new(&[]) else {
        return;
    };
    let sandbox = &runner.sandbox;
    sandbox
        .edit("src/a.rs", "line number 20\n", "line number 20\nnew\n")
        .commit("mine");
    runner.run(&[]).exits_with(1);
    assert_eq!(runner.file("calls"), "POST repos/o/r/issues/7/comments\n");
    let body = runner.file("body");
    assert!(body.starts_with("<!-- windlass impact -->\n"), "{body}");
    assert!(body.contains("| moved | `docs/d.md:1` |"), "{body}");
    assert!(body.contains("All documents: 0 of 1 citation"), "{body}");
    let summary = runner.file("summary");
    assert!(summary.contains("### ⚠️ Evidence"), "{summary}");
    assert!(summary.contains("### ⚠️ Citations"), "{summary}");
    let output = runner.file("output");
    let sarif = output.strip_prefix("stale=true\nsarif=").unwrap();
    let sarif = std::fs::read_to_string(sarif.trim_end()).unwrap();
    assert!(sarif.contains("windlass/impact/"), "{sarif}");

    // A fork's pull request has no token that can write, so only the comment is missing.
    std::fs::write(runner.bin.join("fork"), "").unwrap();
    let said = runner.run(&[]).exits_with(1).stderr;
    assert!(said.contains("no comment was written"), "{said}");
    assert!(runner.file("summary").contains("### ⚠️ Evidence"));
    std::fs::remove_file(runner.bin.join("fork")).unwrap();
    runner.run(&[("INPUT_FAIL_ON", "never")]).succeeds();

    sandbox.windlass(&["anchor", "scan", "--fix"]).succeeds();
    sandbox.commit("repaired");
    runner.run(&[]).succeeds();
    let calls = runner.file("calls");
    assert!(
        calls.ends_with("PATCH repos/o/r/issues/comments/77\n"),
        "{calls}"
    );
    assert!(runner.file("body").contains("### ✅ Evidence"));
}

#[cfg(unix)]
#[test]
fn action_without_evidence_passes_in_words() {
    let Some(runner) = Runner::new(&[]) else {
        return;
    };
    runner.sandbox.write("other.txt", "other\n").commit("mine");
    runner.run(&[]).succeeds();
    let summary = runner.file("summary");
    assert!(summary.contains("### ➖ Evidence"), "{summary}");
    assert!(summary.contains("nothing to check"), "{summary}");
    assert_eq!(runner.file("calls"), "");
    // Without a base, as after the first push of a branch, the documents are checked.
    let first = [
        ("INPUT_BASE", "0000000000000000000000000000000000000000"),
        ("PULL_REQUEST", ""),
        ("INPUT_FAIL_ON", "any"),
    ];
    runner.run(&first).succeeds();
    runner.sandbox.edit("src/a.rs", "line number 1\n", "");
    runner.run(&first).exits_with(1);
    assert!(runner.file("output").contains("/scan.sarif"));
}

#[cfg(unix)]
#[test]
fn action_that_cannot_check_fails() {
    let Some(runner) = Runner::new(&[]) else {
        return;
    };
    let refused = runner.run(&[("INPUT_BASE", "nowhere")]).exits_with(2);
    assert!(
        refused.stderr.contains("`windlass impact"),
        "{}",
        refused.stderr
    );
    runner.run(&[("INPUT_FAIL_ON", "chnge")]).exits_with(2);
    runner.run(&[("PULL_REQUEST", "7/../8")]).exits_with(2);
    let head = runner.sandbox.run_git(&["rev-parse", "HEAD"]);
    runner.sandbox.write(".git/shallow", head);
    let refused = runner.run(&[]).exits_with(2).stderr;
    assert!(refused.contains("`fetch-depth: 0`"), "{refused}");
    assert_eq!(runner.file("calls"), "");
}

#[cfg(unix)]
#[test]
fn action_installs_archive_with_its_sum() {
    let Some(runner) = Runner::new(&["curl", "tar", "gzip", "sha256sum"]) else {
        return;
    };
    let real = shell_word(env!("CARGO_BIN_EXE_windlass"));
    runner.program("windlass", &format!("#!/bin/sh\nexec {real} \"$@\"\n"));
    let pack = "name=windlass-1.2.3-x86_64-unknown-linux-gnu.tar.gz
        tar -czf $name windlass && sha256sum $name > SHA256SUMS";
    let packed = runner.sandbox.shell(&runner.bin, pack).status().unwrap();
    assert!(packed.success());
    let mirror = format!("file://{}", runner.bin.display());
    let install = |more: &[(&str, &str)]| {
        let release = [
            ("INPUT_BINARY", ""),
            ("INPUT_VERSION", "1.2.3"),
            ("INPUT_MIRROR", &*mirror),
            ("RUNNER_OS", "Linux"),
            ("RUNNER_ARCH", "X64"),
        ];
        runner.run(&[&release, more].concat())
    };
    install(&[]).succeeds();
    let wrong = "0".repeat(64);
    let refused = install(&[("INPUT_SHA256", &wrong)]).exits_with(2).stderr;
    assert!(refused.contains("it was not installed"), "{refused}");
    let refused = install(&[("RUNNER_ARCH", "S390X")]).exits_with(2).stderr;
    assert!(refused.contains("no release for"), "{refused}");
    let refused = install(&[("INPUT_VERSION", "../../x")]).exits_with(2);
    assert!(refused.stderr.contains("is not a release"));
}
