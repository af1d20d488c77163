//! Git, asked for histories, in folders that the zoo made itself.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Error;

/// What git needs of the environment it is started in. Nothing else is passed on, least of all the `GIT_…` variables of a hook
/// that may have started us: they name the user's repository, and what is done here is to be done to none of theirs.
const PASSED_ON: [&str; 7] = [
    "PATH",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "PROGRAMDATA",
    "TMPDIR",
    "TEMP",
    "TMP",
];

/// What git is told, so that it does the same for everybody and starts nothing but itself.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
];

const SETTINGS: [&str; 3] = [
    "core.quotePath=false",
    "core.hooksPath=/dev/null",
    "advice.detachedHead=false",
];

/// What `git` prints in `dir`, an absolute path of a folder of the zoo's own; what lies above it is no repository to git.
#[expect(
    clippy::disallowed_methods,
    reason = "git works on folders of the zoo's own"
)]
pub(crate) fn git(dir: &Path, args: &[&str]) -> Result<Vec<u8>, Error> {
    let mut command = Command::new("git");
    let passed_on = PASSED_ON
        .iter()
        .filter_map(|name| Some((*name, std::env::var_os(name)?)));
    command
        .env_clear()
        .envs(passed_on)
        .envs(ENVIRONMENT)
        .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
        .stdin(Stdio::null());
    if let Some(above) = dir.parent() {
        command.env("GIT_CEILING_DIRECTORIES", above);
    }
    let output = command.arg("-C").arg(dir).args(args).output()?;
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
