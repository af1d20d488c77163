//! Runs the benchmark of `windlass-redact` in a process of its own, so that only that crate has to
//! be built.

use std::process::{Command, ExitCode};

use crate::Error;

pub(crate) fn main(args: Vec<String>) -> Result<ExitCode, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let bench = ["bench", "-p", "windlass-redact", "--bench", "secrets", "--"];
    let status = Command::new(cargo).args(bench).args(args).status()?;
    Ok(match status.code().map(u8::try_from) {
        Some(Ok(code)) => ExitCode::from(code),
        _ => ExitCode::FAILURE,
    })
}
