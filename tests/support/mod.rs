//! Sandbox for whole-program tests: a repository in a temporary folder, a home of its own, and the
//! real `windlass` command.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "every test program uses a part of it"
)]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

pub struct Sandbox {
    folder: TempDir,
    repo: PathBuf,
}

pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    #[track_caller]
    pub fn exits_with(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "\nstdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }

    #[track_caller]
    pub fn succeeds(self) -> Self {
        self.exits_with(0)
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}:\n{}", self.stdout))
    }
}

impl Sandbox {
    pub fn git() -> Self {
        Self::git_in(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn git_in(folder: TempDir) -> Self {
        let sandbox = Self::below(folder);
        sandbox.run_git(&["init", "--quiet", "--initial-branch=main"]);
        sandbox
    }

    pub fn folder() -> Self {
        Self::below(tempfile::tempdir().expect("a temporary folder"))
    }

    fn below(folder: TempDir) -> Self {
        let repo = folder.path().join("repo");
        std::fs::create_dir(&repo).unwrap();
        Self { folder, repo }
    }

    /// Clones the repository into a sandbox with a home of its own, like another user.
    pub fn cloned(&self) -> Self {
        let clone = Self::folder();
        clone.run_git(&["clone", "--quiet", self.root().to_str().unwrap(), "."]);
        clone
    }

    pub fn root(&self) -> &Path {
        &self.repo
    }

    /// Path of a folder beside the repository, for files of other users or programs.
    pub fn outside(&self) -> PathBuf {
        let outside = self.folder.path().join("outside");
        std::fs::create_dir_all(&outside).unwrap();
        outside
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns the path of the notebook file in the home, which must belong to exactly one
    /// repository.
    pub fn notebook(&self) -> PathBuf {
        let repos = self.home().join(".local/share/windlass/repos");
        let mut repos = std::fs::read_dir(repos).unwrap();
        repos.next().unwrap().unwrap().path().join("notebook.json")
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.repo.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.repo.join(path)).unwrap()
    }

    pub fn remove(&self, path: &str) -> &Self {
        std::fs::remove_file(self.repo.join(path)).unwrap();
        self
    }

    /// Replaces the first `old` in the file with `new`.
    ///
    /// # Panics
    ///
    /// Panics if the file doesn't contain `old`.
    #[track_caller]
    pub fn edit(&self, path: &str, old: &str, new: &str) -> &Self {
        let text = self.read(path);
        assert!(text.contains(old), "`{old}` is not in {path}");
        self.write(path, text.replacen(old, new, 1))
    }

    pub fn commit(&self, message: &str) -> &Self {
        self.run_git(&["add", "--all"]);
        self.run_git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self
    }

    #[track_caller]
    pub fn run_git(&self, args: &[&str]) -> String {
        let mut command = self.isolated("git", &self.repo);
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "Test")
                .env(format!("GIT_{role}_EMAIL"), "test@example.org");
            command.env(format!("GIT_{role}_DATE"), "2026-01-02T03:04:05Z");
        }
        let output = command.args(args).output().expect("git runs");
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn windlass(&self, args: &[&str]) -> Answer {
        self.windlass_in(&self.repo, args)
    }

    pub fn windlass_in(&self, folder: &Path, args: &[&str]) -> Answer {
        answer(self.command(folder, args).stdin(Stdio::null()))
    }

    /// Returns the command without starting it, so that the caller can change its environment or
    /// pipes.
    pub fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = self.isolated(env!("CARGO_BIN_EXE_windlass"), folder);
        command.args(args);
        command
    }

    /// Returns a shell in `folder` whose `$0` is the command, in the same isolated environment.
    pub fn shell(&self, folder: &Path, script: &str) -> Command {
        let mut shell = self.isolated("sh", folder);
        shell.args(["-c", script, env!("CARGO_BIN_EXE_windlass")]);
        shell
    }

    /// Returns a command for `program` in an environment that has only the sandbox's home and the
    /// `PATH`.
    fn isolated(&self, program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(folder)
            .env_clear()
            .env("HOME", self.home());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
        command
    }
}

/// Quotes `text` as one shell word, like printed calls.
pub fn shell_word(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-".contains(&b);
    match text.bytes().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{text}'"),
    }
}

pub fn answer(command: &mut Command) -> Answer {
    let output = command.output().expect("the command runs");
    Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("errors are UTF-8"),
    }
}

/// Returns the lines `first` to `last` of a made-up source file. No two are the same.
pub fn numbered(first: u32, last: u32) -> String {
    (first..=last)
        .map(|n| format!("line number {n}\n"))
        .collect()
}

/// Kills `child` once it holds the lock at `lock`, after `turns` more scheduler turns. Returns true
/// if it was still running then.
#[cfg(unix)]
pub fn kill_lock_holder(child: &mut std::process::Child, lock: &Path, turns: usize) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    // The holder writes its identity into the lock file, and empties it on release.
    let is_held = || std::fs::metadata(lock).is_ok_and(|lock| lock.len() > 0);
    while !is_held() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    for _ in 0..turns {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap().signal().is_some()
}
