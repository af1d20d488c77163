//! Runs git in repositories that the zoo has created.

use std::io::{Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use super::Error;

/// The only variables that we pass on to git. If a git hook has started us, there are `GIT_…`
/// variables that would make git work on the user's repository.
const PASSED_ON: [&str; 7] = [
    "PATH",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "PROGRAMDATA",
    "TMPDIR",
    "TEMP",
    "TMP",
];

/// Makes git behave in the same way for every user, and keeps it from starting other programs.
const ENVIRONMENT: [(&str, &str); 7] = [
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Grafts are stored under a name that no other command of git knows.
    ("GIT_REPLACE_REF_BASE", "refs/zoo-grafts/"),
];

const SETTINGS: [&str; 6] = [
    "core.quotePath=false",
    "core.hooksPath=/dev/null",
    "advice.detachedHead=false",
    // These repositories are temporary. Don't waste time with maintenance, nor with syncing files
    // to disk.
    "gc.auto=0",
    "maintenance.auto=false",
    "core.fsync=none",
];

/// Runs git in `dir`, and returns its output.
///
/// `dir` must be the absolute path of a folder that the zoo has created. Git won't look for a
/// repository in the folders above it.
pub(crate) fn git(dir: &Path, args: &[&str]) -> Result<Vec<u8>, Error> {
    printed(dir, args, Stdio::null())
}

/// Like [`git`], but with `input` on standard input.
pub(crate) fn git_fed(dir: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, Error> {
    // The input is a file, because a pipe could block: git may be waiting for us to read its output
    // while we're still writing.
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    file.rewind()?;
    printed(dir, args, file.into())
}

#[expect(
    clippy::disallowed_methods,
    reason = "git works on folders of the zoo's own"
)]
fn printed(dir: &Path, args: &[&str], input: Stdio) -> Result<Vec<u8>, Error> {
    let mut command = Command::new("git");
    let passed_on = PASSED_ON
        .iter()
        .filter_map(|name| Some((*name, std::env::var_os(name)?)));
    command
        .env_clear()
        .envs(passed_on)
        .envs(ENVIRONMENT)
        .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
        .stdin(input);
    if let Some(above) = dir.parent() {
        command.env("GIT_CEILING_DIRECTORIES", above);
    }
    command.arg("-C").arg(dir).args(args);
    let output = command
        .output()
        .map_err(|error| format!("`git` cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("git {}: {}", args.join(" "), said.trim()).into())
}

pub(crate) fn text(dir: &Path, args: &[&str]) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&git(dir, args)?)
        .trim_end()
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_is_whole_and_what_it_says_is_told() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "-q"]).unwrap();
        let long = "x".repeat(300_000);
        windlass_store::write_shared(
            &windlass_store::RootedPath::new(dir.path()).join("long"),
            long.as_bytes(),
        )
        .unwrap();
        let id = text(dir.path(), &["hash-object", "-w", "long"]).unwrap();
        assert_eq!(text(dir.path(), &["cat-file", "-p", &id]).unwrap(), long);
        let failed = git(dir.path(), &["rev-parse", "--verify", "nope"]).unwrap_err();
        assert!(failed.to_string().contains("nope"), "{failed}");
    }
}
