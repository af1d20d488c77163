//! Git, asked for histories.

use std::path::Path;
use std::process::Command;

use super::Error;

/// What `git` prints in `dir`.
#[expect(
    clippy::disallowed_methods,
    reason = "git works on clones of the zoo's own"
)]
pub(crate) fn git(dir: &Path, args: &[&str]) -> Result<Vec<u8>, Error> {
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

pub(crate) fn text(dir: &Path, args: &[&str]) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&git(dir, args)?)
        .trim_end()
        .to_owned())
}
