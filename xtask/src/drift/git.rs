//! Git, asked for histories.

use std::path::Path;
use std::process::Command;

use crate::Error;

/// What `git` prints in `dir`.
pub(super) fn git(dir: &Path, args: &[&str]) -> Result<Vec<u8>, Error> {
    let mut command = Command::new("git");
    command.args([
        "-c",
        "core.quotePath=false",
        "-c",
        "advice.detachedHead=false",
    ]);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("LC_ALL", "C");
    let output = command.arg("-C").arg(dir).args(args).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("git {}: {}", args.join(" "), said.trim()).into())
}

pub(super) fn text(dir: &Path, args: &[&str]) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&git(dir, args)?)
        .trim_end()
        .to_owned())
}
