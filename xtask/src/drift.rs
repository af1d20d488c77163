//! Runs the drift benchmark of `windlass-evidence` (`cargo xtask drift`).

use std::process::{Command, ExitCode};

use crate::Error;

pub(crate) fn main(args: &[String]) -> Result<ExitCode, Error> {
    const BENCH: [&str; 6] = [
        "bench",
        "--quiet",
        "-p",
        "windlass-evidence",
        "--bench",
        "drift",
    ];
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(BENCH)
        .arg("--")
        .args(args)
        .status()?;
    Ok(match status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(2),
    })
}
